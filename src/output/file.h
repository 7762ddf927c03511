/* SPDX-License-Identifier: Apache-2.0
 * output/file.h - files that appear whole or not at all.
 *
 * What is written goes to a file of another name in the target's folder; keeping it renames it to
 * the target, in one step, so that a reader meets the old content or the new and never a part.
 * Pipes, terminals and devices cannot be renamed: they are written directly. */
#pragma once
#include "cardan/base.h"

typedef struct {
  cardan_allocator alloc;
  int fd;          // open for writing, a temporary file for reading too; -1: none
  bool borrowed;   // fd is the program's own standard output
  bool is_regular; // written as a whole; false: a pipe, terminal or device, written directly
  char *target;    // for messages and renaming
  char *temporary; // NULL when written directly
} cardan__file;

/* Opens path for writing; "-" and "/dev/stdout" are the standard output. Nothing at path changes
 * yet.
 * returns CARDAN_ERR_IO with a sentence in report: a folder that is not there, no permission, a
 *         directory of that name; CARDAN_ERR_MEMORY. The file is then closed. */
cardan_status cardan__file_open(cardan__file *file, const char *path,
                                const cardan_allocator *allocator,
                                cardan_report *report) CARDAN_MUST_USE;

/* Writes all of size bytes. */
cardan_status cardan__file_write(cardan__file *file, const char *bytes, size_t size,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Closes the file; keep: gives it its name, else removes it. On failure nothing is left of it.
 * A closed file may be closed again. */
cardan_status cardan__file_close(cardan__file *file, bool keep,
                                 cardan_report *report) CARDAN_MUST_USE;

/* "cannot write TARGET: why". */
cardan_status cardan__file_failed(const char *target, const char *why, cardan_report *report);
