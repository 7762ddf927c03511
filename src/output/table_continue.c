// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // fstat, O_NOFOLLOW
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "output/hdf5_get.h"
#include "output/hdf5_table.h"

/* Continuing a result: a new file with the rows that are there, since what it says of its run
 * may be longer or shorter than before, and the rows have to follow it in one piece. */

/* Rows that are copied at a time, more or less [doubles]. */
enum { COPIED = 1 << 15 };

bool cardan_partial_target(const char *path, char *out, size_t size)
{
  static const char word[] = ".partial";
  const size_t length = strlen(path), n = sizeof word - 1;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  const char *end = dot && strcmp(dot, word) != 0 ? dot : path + length;
  out[0] = '\0';
  if ((size_t)(end - name) <= n || memcmp(end - n, word, n) != 0 || length - n >= size) {
    return false;
  }
  const size_t front = (size_t)(end - path) - n;
  memcpy(out, path, front);
  memcpy(out + front, end, strlen(end) + 1);
  return true;
}

/* The time of the last row, where the first column is one. */
static void add_time(cardan_result *result, char *what, size_t size)
{
  const size_t used = strlen(what);
  double *row = cardan__resize(NULL, NULL, (size_t)result->ncolumn * sizeof *row);
  if (row && strcmp(result->column[0], "t") == 0 &&
      cardan_result_rows(result, result->nrow - 1, 1, row, NULL) == CARDAN_OK) {
    snprintf(what + used, size - used, ", to t = %g,", row[0]);
  }
  cardan__resize(NULL, row, 0);
}

bool cardan__hdf5_worth(const char *name, int fd, char *what, size_t size)
{
  cardan_result *result;
  if (cardan__hdf5_way_of(fd) == CARDAN__HDF5_EMPTY) {
    return false;
  }
  snprintf(what, size, "is there, and cannot be read: rename or remove it first");
  if (cardan_result_open(name, NULL, &result, NULL) != CARDAN_OK) {
    return true;
  }
  const bool worth = result->nrow > 0;
  if (worth) {
    const bool closed = result->complete, is_run = strcmp(result->column[0], "t") == 0 && !closed;
    snprintf(what, size, "has %lld row%s", (long long)result->nrow, result->nrow == 1 ? "" : "s");
    add_time(result, what, size);
    const size_t used = strlen(what);
    snprintf(what + used, size - used, " of a %s: %s%.80s%srename or remove it",
             closed ? "table that was closed" : "run that did not end",
             is_run ? "`cardan run " : "", is_run ? name : "",
             is_run ? " --continue` continues it, or " : "");
  }
  cardan_result_close(result);
  return worth;
}

static cardan_status copy_rows(cardan_result *result, int64_t nrow, const cardan_allocator *alloc,
                               cardan_table *table, cardan_report *report)
{
  const int64_t most = result->ncolumn < COPIED ? COPIED / result->ncolumn : 1;
  double *rows = cardan__resize(alloc, NULL, (size_t)most * (size_t)result->ncolumn * sizeof *rows);
  cardan_status status = rows ? CARDAN_OK : cardan__no_memory(report);
  for (int64_t at = 0; at < nrow && status == CARDAN_OK; at += most) {
    const int64_t n = nrow - at < most ? nrow - at : most;
    status = cardan_result_rows(result, at, n, rows, report);
    status = status == CARDAN_ERR_IO ? CARDAN_ERR_MODEL : status; // not of what is written
    for (int64_t k = 0; k < n && status == CARDAN_OK; k++) {
      status = cardan_table_row(table, rows + k * result->ncolumn, report);
    }
  }
  cardan__resize(alloc, rows, 0);
  if (status == CARDAN_OK && result->state && result->state_row == nrow) {
    return cardan_table_snapshot(table, result->state_step, result->state, result->state_size,
                                 report);
  }
  return status == CARDAN_OK ? cardan__table_flush(table, report) : status;
}

/* Opens the file under way of `out`, if it is the one that the result was read from, and locks it:
 * *fd, -1: it is another, or there is none.
 * returns CARDAN_ERR_IO when another process writes it */
static cardan_status lock_partial(const cardan_result *result, const char *out,
                                  const cardan_allocator *alloc, int *fd, cardan_report *report)
{
  struct stat named;
  char *partial = cardan__file_partial(alloc, out);
  *fd = -1;
  if (!partial) {
    return cardan__no_memory(report);
  }
  cardan_status status = CARDAN_OK;
  const int open_one = open(partial, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (open_one >= 0 && fstat(open_one, &named) == 0 &&
      result->file->device == (uint64_t)named.st_dev &&
      result->file->inode == (uint64_t)named.st_ino) {
    *fd = open_one;
    if (cardan__file_lock(open_one) != 0) {
      status = cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                           "cannot continue %.300s: another process writes it", partial);
    }
  }
  if (open_one >= 0 && (*fd < 0 || status != CARDAN_OK)) {
    close(open_one);
    *fd = -1;
  }
  cardan__resize(alloc, partial, 0);
  return status;
}

/* The new file takes the place of the one under way, and its state with it. */
static cardan_status take_place(cardan_table *table, int64_t state_row, cardan_report *report)
{
  cardan__hdf5_table *h = (cardan__hdf5_table *)table;
  const cardan_status status = cardan__file_show(&table->file, report);
  if (status != CARDAN_OK) {
    return status;
  }
  table->adopted = true;
  h->state_name = cardan__state_name(table->file.temporary, &table->file.alloc);
  if (!h->state_name) {
    return cardan__no_memory(report);
  }
  if (state_row > table->nrow) {
    unlink(h->state_name);
  }
  return CARDAN_OK;
}

cardan_status cardan_table_continue(cardan_result *result, const char *out, int64_t nrow,
                                    const cardan_record *record, const cardan_allocator *allocator,
                                    cardan_table **table, cardan_report *report)
{
  const cardan_allocator none = {0}, *alloc = allocator ? allocator : &none;
  int fd;
  *table = NULL;
  if (nrow < 0 || nrow > result->nrow || cardan__table_kind_of(out) != &cardan__table_hdf5) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "cannot continue a result of %lld rows after row %lld as %.200s, expected a "
                       "row that it has and a name that ends in .h5",
                       (long long)result->nrow, (long long)nrow, out);
  }
  cardan_status status = lock_partial(result, out, alloc, &fd, report);
  if (status == CARDAN_OK) {
    status = cardan__table_open(out, fd >= 0 ? CARDAN__FILE_COMING : CARDAN__FILE_SEEN, NULL,
                                (const char *const *)result->column, result->ncolumn, record, alloc,
                                table, report);
  }
  if (status == CARDAN_OK) {
    status = copy_rows(result, nrow, alloc, *table, report);
    if (status == CARDAN_OK && fd >= 0) {
      status = take_place(*table, result->state_row, report);
    }
    if (status != CARDAN_OK) {
      (void)!cardan_table_close(*table, false, NULL);
      *table = NULL;
    }
  }
  if (fd >= 0) {
    close(fd);
  }
  return status;
}
