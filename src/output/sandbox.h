/* SPDX-License-Identifier: Apache-2.0
 * output/sandbox.h - reads a result in a separate process.
 *
 * HDF5 is not designed for untrusted files: crafted headers can crash it, cause endless loops, or
 * make it allocate all memory. So a copy of this process (fork) makes the calls of HDF5, with
 * limits on memory and time, and with the descriptors of the file and a socket only. It sends what
 * it reads to this process. If it ends early, the file is reported as damaged. */
#pragma once
#include "cardan/base.h"
#include "cardan/output.h"
#include "cardan/sweep_result.h"

typedef struct cardan__sandbox cardan__sandbox;
struct cardan_result_file;

/* Starts the process, and reads everything except the rows of path into file->result;
 * file->source.fd is open, and is not needed by this process afterwards.
 * returns CARDAN_ERR_IO and a sentence, CARDAN_ERR_MEMORY */
cardan_status cardan__sandbox_open(struct cardan_result_file *file, const char *path,
                                   cardan_report *report) CARDAN_MUST_USE;

/* The same as cardan_result_rows, cardan_sweep_result_open and cardan_sweep_result_motion. */
cardan_status cardan__sandbox_rows(struct cardan_result_file *file, int64_t first, int64_t count,
                                   double *rows, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__sandbox_sweep_result(struct cardan_result_file *file,
                                           cardan_sweep_result *sweep_result,
                                           cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__sandbox_motion(struct cardan_result_file *file, int64_t number,
                                     struct cardan_result_file *to, cardan_sweep_result_rows *out,
                                     cardan_report *report) CARDAN_MUST_USE;

/* Ends the process. */
void cardan__sandbox_close(struct cardan_result_file *file);
