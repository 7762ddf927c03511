/* SPDX-License-Identifier: Apache-2.0
 * output/file.h - output files that are replaced atomically.
 *
 * A file is written under another name in the target's folder, and renamed to the target at the
 * end, so that a reader sees either the old content or the new one. If the system supports it
 * (Linux: O_TMPFILE), the file has no name before that, and nothing remains of it if the process is
 * killed. Pipes, terminals and devices are written directly.
 * A file that is useful before it is complete has a visible name, r.partial.h5 for r.h5, and is
 * locked while a process writes it. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

typedef enum {
  CARDAN__FILE_HIDDEN, // while written it has no name, or .cardan-NUMBER.tmp if it needs one
  CARDAN__FILE_COMING, // the same, until cardan__file_show
  CARDAN__FILE_SEEN,   // it has the name r.partial.h5
  CARDAN__FILE_DIRECT, // a pipe, terminal or device
} cardan__file_way;

/* Should a partial file that no process writes be kept? what: out, its contents, "has 12 rows". */
typedef bool cardan__file_worth(const char *name, int fd, char *what, size_t size);

typedef struct {
  cardan_allocator alloc;
  cardan__file_way way;
  int fd;          // open for writing, a temporary file for reading too; -1: none
  bool borrowed;   // fd is the program's own standard output
  bool unnamed;    // the file has no name yet: temporary is the one that it will get
  bool is_regular; // written as a whole; false: a pipe, terminal or device, written directly
  char *target;    // for messages and renaming
  char *temporary; // NULL when written directly
} cardan__file;

/* Opens path for writing; "-" and "/dev/stdout" are the standard output. An existing file at path
 * is not changed yet.
 * returns CARDAN_ERR_IO with a sentence in report: a folder that is not there, no permission, a
 *         directory of that name; CARDAN_ERR_MEMORY. The file is then closed. */
cardan_status cardan__file_open(cardan__file *file, const char *path,
                                const cardan_allocator *allocator,
                                cardan_report *report) CARDAN_MUST_USE;

/* The same, with a way other than CARDAN__FILE_DIRECT.
 * worth   for CARDAN__FILE_SEEN: is called if there is a partial file already; NULL: one that is
 *         not empty is kept
 * returns CARDAN_ERR_IO also if another process writes it, or if there is one to keep */
cardan_status cardan__file_open_as(cardan__file *file, const char *path, cardan__file_way way,
                                   cardan__file_worth *worth, const cardan_allocator *allocator,
                                   cardan_report *report) CARDAN_MUST_USE;

/* The name of the partial file of a target; NULL: no memory. */
char *cardan__file_partial(const cardan_allocator *alloc, const char *target);

/* Locks a partial file. returns 0, or EBUSY: another process writes it */
int cardan__file_lock(int fd);

/* Gives a hidden file its visible name, and replaces a file of that name.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY; it is then still hidden */
cardan_status cardan__file_show(cardan__file *file, cardan_report *report) CARDAN_MUST_USE;

/* Writes all of size bytes. */
cardan_status cardan__file_write(cardan__file *file, const char *bytes, size_t size,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Reads bytes at an offset of an open file. returns their number, at most size */
size_t cardan__read_at(int fd, void *bytes, size_t size, uint64_t at);

/* Closes the file, and renames it to its target (keep) or removes it. After a failure it is
 * removed. A closed file may be closed again. */
cardan_status cardan__file_close(cardan__file *file, bool keep,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Closes a partial file without renaming or removing it. */
void cardan__file_leave(cardan__file *file);

/* "cannot write TARGET: why". */
cardan_status cardan__file_failed(const char *target, const char *why, cardan_report *report);
