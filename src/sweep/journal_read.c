// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // pread
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "sweep/bytes.h"
#include "sweep/journal.h"

static cardan_status failed(const char *path, int error, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot read %.300s: %.100s", path,
                     strerror(error));
}

/* Reads on until there are `want` bytes in the buffer, or the file is at its end. */
static cardan_status fill(cardan__part_reader *r, size_t want, cardan_report *report)
{
  if (r->end - r->begin >= want) {
    return CARDAN_OK;
  }
  memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
  r->end -= r->begin;
  r->begin = 0;
  const int fd = open(r->path, O_RDONLY | O_CLOEXEC);
  int error = fd < 0 ? errno : 0;
  while (!error && r->end < r->capacity) {
    const ssize_t n = pread(fd, r->buffer + r->end, r->capacity - r->end, (off_t)r->offset);
    if (n == 0) {
      break;
    }
    error = n < 0 && errno != EINTR ? errno : 0;
    r->end += n > 0 ? (size_t)n : 0;
    r->offset += n > 0 ? n : 0;
  }
  if (fd >= 0) {
    close(fd);
  }
  return error ? failed(r->path, error, report) : CARDAN_OK;
}

/* What is at `begin` becomes the current record, or the end. */
static cardan_status read_record(cardan__part_reader *r, int64_t above, cardan_report *report)
{
  r->number = -1;
  r->size = 0;
  cardan_status status = fill(r, CARDAN__RECORD_LEAST, report);
  if (status != CARDAN_OK || r->end == r->begin) {
    return status;
  }
  r->torn = true;
  if (r->end - r->begin < CARDAN__RECORD_LEAST) {
    return CARDAN_OK;
  }
  const size_t size = cardan__record_claim(r->buffer + r->begin, r->nvalue);
  status = size > 0 ? fill(r, size, report) : CARDAN_OK;
  if (status != CARDAN_OK || size == 0 || r->end - r->begin < size) {
    return status;
  }
  const int64_t number = cardan__record_number(r->buffer + r->begin, size, r->nvalue);
  if (number > above && number < r->count) {
    r->number = number;
    r->size = size;
    r->torn = false;
  }
  return CARDAN_OK;
}

cardan_status cardan__part_next(cardan__part_reader *reader, cardan_report *report)
{
  const int64_t number = reader->number;
  reader->begin += reader->size;
  return number < 0 ? CARDAN_OK : read_record(reader, number, report);
}

void cardan__part_case(const cardan__part_reader *reader, cardan__case *out)
{
  cardan__record_get(reader->buffer + reader->begin, reader->nvalue, out);
}

void cardan__part_done(cardan__part_reader *reader)
{
  cardan__resize(&reader->alloc, reader->path, 0);
  cardan__resize(&reader->alloc, reader->buffer, 0);
  *reader = (cardan__part_reader){.number = -1};
}

/* The header, then the first record. A header that is not whole has no record behind it. */
static cardan_status begin(cardan__part_reader *r, uint64_t digest, cardan_report *report)
{
  uint64_t theirs = 0;
  int nvalue = 0;
  cardan_status status = fill(r, CARDAN__HEADER_SIZE, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (r->end < CARDAN__HEADER_SIZE || !cardan__header_get(r->buffer, &theirs, &nvalue)) {
    r->torn = true;
    return CARDAN_OK;
  }
  if (theirs != digest || nvalue != r->nvalue) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%.300s is a journal of another sweep, expected it elsewhere", r->path);
  }
  r->begin = CARDAN__HEADER_SIZE;
  return read_record(r, -1, report);
}

cardan_status cardan__part_open(cardan__part_reader *reader, const char *path, uint64_t digest,
                                int nvalue, int64_t count, size_t room,
                                const cardan_allocator *alloc, cardan_report *report)
{
  const size_t most = cardan__record_size(nvalue, sizeof((cardan__case *)0)->message);
  *reader = (cardan__part_reader){.alloc = *alloc, .nvalue = nvalue, .count = count, .number = -1};
  reader->capacity = room > most ? room : most;
  reader->buffer = cardan__resize(alloc, NULL, reader->capacity);
  reader->path = cardan__resize(alloc, NULL, strlen(path) + 1);
  cardan_status status = CARDAN_ERR_MEMORY;
  if (reader->buffer && reader->path) {
    memcpy(reader->path, path, strlen(path) + 1);
    status = begin(reader, digest, report);
  } else {
    cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  }
  if (status != CARDAN_OK) {
    cardan__part_done(reader);
  }
  return status;
}
