/* SPDX-License-Identifier: Apache-2.0
 * output/sandbox.h - a result is read by a process of its own.
 *
 * HDF5 was not made for files of others: crafted headers crash it, send it around in circles, or
 * make it ask for all memory. So a copy of this process (fork) does what HDF5 has to do, with
 * limits on memory and time, with no descriptor but the file and a socket, and with none to be had;
 * what it reads it sends here. When it ends before it should, the file is damaged, and that is
 * all. */
#pragma once
#include "cardan/base.h"
#include "cardan/output.h"
#include "cardan/sweep_result.h"

typedef struct cardan__sandbox cardan__sandbox;
struct cardan_result_file;

/* Starts the process, and gets everything but the rows into file->result, of path; file->source.fd
 * is open. The descriptor is no longer needed here afterwards.
 * returns CARDAN_ERR_IO and a sentence, CARDAN_ERR_MEMORY */
cardan_status cardan__sandbox_open(struct cardan_result_file *file, const char *path,
                                   cardan_report *report) CARDAN_MUST_USE;

/* The rest, as cardan_result_rows, cardan_sweep_result_open and cardan_sweep_result_motion. */
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
