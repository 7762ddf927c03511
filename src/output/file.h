/* SPDX-License-Identifier: Apache-2.0
 * output/file.h - files that appear whole or not at all.
 *
 * What is written goes to a file of another name in the target's folder; keeping it renames it to
 * the target, in one step, so that a reader meets the old content or the new and never a part.
 * Where the system can (Linux: O_TMPFILE) it has no name before that: whatever ends the process
 * leaves nothing behind.
 * Pipes, terminals and devices cannot be renamed: they are written directly.
 * A file that is worth something before it is whole stands under a name that tells, r.partial.h5
 * for r.h5, with a lock on it for as long as a process writes it. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

typedef enum {
  CARDAN__FILE_HIDDEN, // under way it has no name, or is .cardan-NUMBER.tmp where it needs one
  CARDAN__FILE_COMING, // the same, until cardan__file_show
  CARDAN__FILE_SEEN,   // r.partial.h5
  CARDAN__FILE_DIRECT, // a pipe, terminal or device
} cardan__file_way;

/* Is what a file under way holds, which no process writes, worth keeping? Then what it is:
 * "has 12 rows .." goes to `what`. */
typedef bool cardan__file_worth(const char *name, int fd, char *what, size_t size);

typedef struct {
  cardan_allocator alloc;
  cardan__file_way way;
  int fd;          // open for writing, a temporary file for reading too; -1: none
  bool borrowed;   // fd is the program's own standard output
  bool unnamed;    // temporary is the name that it will have
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

/* The same, the way it is to be under way, which is not CARDAN__FILE_DIRECT.
 * worth   of a file that is seen: asked when there is one already; NULL: whatever has bytes is
 * returns CARDAN_ERR_IO also when another process writes it, or there is one worth keeping */
cardan_status cardan__file_open_as(cardan__file *file, const char *path, cardan__file_way way,
                                   cardan__file_worth *worth, const cardan_allocator *allocator,
                                   cardan_report *report) CARDAN_MUST_USE;

/* The name that a file is seen under while it is written; NULL: no memory. */
char *cardan__file_partial(const cardan_allocator *alloc, const char *target);

/* Takes the lock of a file under way. returns 0, EBUSY: another process writes it */
int cardan__file_lock(int fd);

/* A hidden file is from now on seen; what was there under the name is replaced.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY; it is then hidden as before */
cardan_status cardan__file_show(cardan__file *file, cardan_report *report) CARDAN_MUST_USE;

/* Writes all of size bytes. */
cardan_status cardan__file_write(cardan__file *file, const char *bytes, size_t size,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Bytes at a place of an open file. returns how many there were, up to size */
size_t cardan__read_at(int fd, void *bytes, size_t size, uint64_t at);

/* Closes the file; keep: gives it its name, else removes it. On failure nothing is left of it.
 * A closed file may be closed again. */
cardan_status cardan__file_close(cardan__file *file, bool keep,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Closes a file that is seen, and leaves it so. */
void cardan__file_leave(cardan__file *file);

/* "cannot write TARGET: why". */
cardan_status cardan__file_failed(const char *target, const char *why, cardan_report *report);
