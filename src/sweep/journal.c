// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // gethostname, fdatasync
#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/write.h"
#include "sweep/bytes.h"

enum { BUFFER = 1 << 16, HOST_SIZE = 64, NAMES = 100000 };

/* Seconds that records may wait in memory, and on their way to the disk. */
static const double wait_write = 0.005, wait_sync = 10;

static cardan_status failed(const cardan__part *journal, int error, cardan_report *report)
{
  if (error == ENOMEM) {
    return cardan__no_memory(report);
  }
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot write %.300s: %.100s",
                     journal->path, strerror(error));
}

static void release(cardan__part *journal)
{
  if (journal->fd >= 0) {
    close(journal->fd);
  }
  cardan__resize(&journal->alloc, journal->path, 0);
  cardan__resize(&journal->alloc, journal->buffer, 0);
  *journal = (cardan__part){.fd = -1};
}

/* The machine's name, of letters that every file system takes. */
static void host_name(char name[HOST_SIZE])
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (gethostname(name, HOST_SIZE) != 0 || name[0] == '\0') {
    snprintf(name, HOST_SIZE, "host");
  }
  name[HOST_SIZE - 1] = '\0';
  for (char *c = name; *(c += strspn(c, plain)) != '\0';) {
    *c = '_';
  }
}

/* A file that was not there. returns 0 or an errno */
static int create_file(cardan__part *journal, const char *folder)
{
  char host[HOST_SIZE];
  const size_t size = strlen(folder) + HOST_SIZE + 64;
  journal->path = cardan__resize(&journal->alloc, NULL, size);
  if (!journal->path) {
    return ENOMEM;
  }
  host_name(host);
  int error = EEXIST;
  for (int k = 0; k < NAMES && error == EEXIST; k++) {
    snprintf(journal->path, size, "%s/part-%s-%ld-%d.bin", folder, host, (long)getpid(), k);
    journal->fd = open(journal->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    error = journal->fd < 0 ? errno : 0;
  }
  return error;
}

/* What is gathered, to the file. */
static cardan_status flush(cardan__part *journal, cardan_report *report)
{
  const int error = cardan__write_all(journal->fd, journal->buffer, journal->used, -1);
  if (error) {
    return failed(journal, error, report);
  }
  journal->used = 0;
  return CARDAN_OK;
}

cardan_status cardan__part_create(cardan__part *journal, const char *folder, uint64_t digest,
                                  int nvalue, const cardan_allocator *alloc, cardan_report *report)
{
  *journal = (cardan__part){.alloc = *alloc, .fd = -1, .nvalue = nvalue};
  journal->record_most = cardan__record_size(nvalue, sizeof((cardan__case *)0)->message);
  journal->capacity = BUFFER + journal->record_most;
  journal->buffer = cardan__resize(alloc, NULL, journal->capacity);
  const int error = journal->buffer ? create_file(journal, folder) : ENOMEM;
  cardan_status status = error ? failed(journal, error, report) : CARDAN_OK;
  if (status == CARDAN_OK) {
    journal->used = cardan__header_put(journal->buffer, digest, nvalue);
    journal->written = journal->synced = cardan__seconds();
    status = flush(journal, report);
  }
  if (status != CARDAN_OK) {
    release(journal);
  }
  return status;
}

cardan_status cardan__part_add(cardan__part *journal, const cardan__case *one, double now,
                               cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  journal->used += cardan__record_put(journal->buffer + journal->used, one, journal->nvalue);
  if (journal->used >= BUFFER || now - journal->written > wait_write) {
    status = flush(journal, report);
    journal->written = now;
  }
  if (status == CARDAN_OK && now - journal->synced > wait_sync) {
    status = fdatasync(journal->fd) == 0 ? CARDAN_OK : failed(journal, errno, report);
    journal->synced = now;
  }
  return status;
}

cardan_status cardan__part_close(cardan__part *journal, cardan_report *report)
{
  if (journal->fd < 0) {
    return CARDAN_OK;
  }
  cardan_status status = flush(journal, report);
  if (status == CARDAN_OK && fdatasync(journal->fd) != 0) {
    status = failed(journal, errno, report);
  }
  const int error = close(journal->fd) != 0 ? errno : 0;
  journal->fd = -1;
  if (status == CARDAN_OK && error) {
    status = failed(journal, error, report);
  }
  release(journal);
  return status;
}
