// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // flock
#include "reproduce/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A line: NAME VERDICT HOLDS MILLISECONDS. */

static cardan_status fail(cardan__journal *journal, cardan_report *report)
{
  const char *why = errno == EWOULDBLOCK ? "another run works in that folder" : strerror(errno);
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot write %.300s: %.150s",
                     journal->path, why);
}

static cardan_status read_lines(cardan__journal *journal, cardan_report *report)
{
  char piece[4096];
  ssize_t n;
  while ((n = read(journal->fd, piece, sizeof piece)) > 0) {
    cardan__text_add(&journal->of, piece, (size_t)n);
  }
  if (n < 0) {
    return fail(journal, report);
  }
  // a line that was being written when the end came does not count
  while (journal->of.length > 0 && journal->of.data[journal->of.length - 1] != '\n') {
    journal->of.data[--journal->of.length] = '\0';
  }
  return CARDAN_OK;
}

/* A short write is tried again, and then says why. */
static bool write_all(int fd, const char *text, size_t length)
{
  while (length > 0) {
    const ssize_t n = write(fd, text, length);
    if (n < 0) {
      return false;
    }
    text += n;
    length -= (size_t)n;
  }
  return true;
}

static cardan_status add_text(cardan__journal *journal, const char *text, cardan_report *report)
{
  const size_t length = strlen(text);
  if (lseek(journal->fd, (off_t)journal->of.length, SEEK_SET) < 0 ||
      ftruncate(journal->fd, (off_t)journal->of.length) != 0 ||
      !write_all(journal->fd, text, length)) {
    return fail(journal, report);
  }
  cardan__text_add(&journal->of, text, length);
  return journal->of.failed ? cardan__no_memory(report) : CARDAN_OK;
}

static cardan_status begin(cardan__journal *journal, const char *head, bool anew,
                           cardan_report *report)
{
  const size_t length = strlen(head);
  const cardan_status status = read_lines(journal, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const bool same =
      journal->of.length >= length && strncmp(journal->of.data, head, length) == 0 && !anew;
  if (same) {
    return CARDAN_OK;
  }
  journal->of.length = 0;
  return add_text(journal, head, report);
}

cardan_status cardan__journal_open(cardan__journal *journal, const char *path, const char *head,
                                   bool anew, const cardan_allocator *allocator,
                                   cardan_report *report)
{
  *journal = (cardan__journal){.fd = -1};
  cardan__text_init(&journal->of, allocator);
  const size_t size = strlen(path) + 1;
  journal->path = cardan__resize(allocator, NULL, size);
  if (journal->path == NULL) {
    return cardan__no_memory(report);
  }
  memcpy(journal->path, path, size);
  journal->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  cardan_status status = journal->fd >= 0 && flock(journal->fd, LOCK_EX | LOCK_NB) == 0
                             ? begin(journal, head, anew, report)
                             : fail(journal, report);
  if (status != CARDAN_OK) {
    cardan__journal_close(journal);
  }
  return status;
}

void cardan__journal_close(cardan__journal *journal)
{
  if (journal->fd >= 0) {
    close(journal->fd);
  }
  cardan__resize(&journal->of.alloc, journal->path, 0);
  cardan__text_free(&journal->of);
  *journal = (cardan__journal){.fd = -1};
}

bool cardan__journal_find(const cardan__journal *journal, const char *name, cardan__entry *entry)
{
  const size_t length = strlen(name);
  for (const char *line = journal->of.data; line != NULL; line = strchr(line, '\n')) {
    int verdict, holds;
    long milliseconds;
    line += *line == '\n';
    if (strncmp(line, name, length) == 0 && line[length] == ' ' &&
        sscanf(line + length, "%d %d %ld", &verdict, &holds, &milliseconds) == 3 && verdict >= 0 &&
        verdict <= CARDAN__FAILED) {
      *entry = (cardan__entry){(cardan__verdict)verdict, holds != 0, 1e-3 * (double)milliseconds};
      return true;
    }
  }
  return false;
}

cardan_status cardan__journal_add(cardan__journal *journal, const char *name,
                                  const cardan__entry *entry, cardan_report *report)
{
  char line[160];
  snprintf(line, sizeof line, "%.100s %d %d %.0f\n", name, (int)entry->verdict, entry->holds,
           1e3 * entry->seconds);
  return add_text(journal, line, report);
}
