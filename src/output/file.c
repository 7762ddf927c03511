// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // realpath
#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/write.h"
#include "cardan/output.h"

/* How many names are tried for the temporary file. */
enum { NAMES = 1000, NAME_SIZE = 64 };

/* Both names mean the stream that the program has, wherever it leads: opening the second one anew
 * would begin a regular file again from its start. */
static bool is_standard(const char *path)
{
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

cardan_status cardan__file_failed(const char *target, const char *why, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot write %.300s: %.150s",
                     is_standard(target) ? "to the standard output" : target, why);
}

static cardan_status failed(const cardan__file *file, int error, cardan_report *report)
{
  return cardan__file_failed(file->target, strerror(error), report);
}

static void release(cardan__file *file)
{
  if (file->fd >= 0 && !file->borrowed) {
    close(file->fd);
  }
  if (file->temporary) {
    unlink(file->temporary);
  }
  cardan__resize(&file->alloc, file->target, 0);
  cardan__resize(&file->alloc, file->temporary, 0);
  *file = (cardan__file){.alloc = file->alloc, .fd = -1};
}

static char *copy(const cardan_allocator *alloc, const char *text)
{
  const size_t size = strlen(text) + 1;
  char *result = cardan__resize(alloc, NULL, size);
  if (result) {
    memcpy(result, text, size);
  }
  return result;
}

/* Creates the temporary file: a name that nobody has, in the target's folder, since a rename cannot
 * cross file systems. mode: permissions, less the umask.
 * returns 0 or an errno */
static int create_temporary(cardan__file *file, mode_t mode)
{
  const char *slash = strrchr(file->target, '/');
  const size_t folder = slash ? (size_t)(slash - file->target) + 1 : 0;
  file->temporary = cardan__resize(&file->alloc, NULL, folder + NAME_SIZE);
  if (!file->temporary) {
    return ENOMEM;
  }
  memcpy(file->temporary, file->target, folder);
  int error = EEXIST;
  for (int i = 0; i < NAMES && error == EEXIST; i++) {
    snprintf(file->temporary + folder, NAME_SIZE, ".cardan-%ld-%d.tmp", (long)getpid(), i);
    file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    error = file->fd < 0 ? errno : 0;
  }
  if (error) {
    // the name may be someone else's file
    cardan__resize(&file->alloc, file->temporary, 0);
    file->temporary = NULL;
  }
  return error;
}

/* A regular file that is there already: its own name behind links, its permissions kept. */
static int open_existing(cardan__file *file, const char *path, mode_t mode)
{
  char *real = realpath(path, NULL);
  char *target = real ? copy(&file->alloc, real) : NULL;
  const int error = real ? ENOMEM : errno;
  free(real);
  if (!target) {
    return error;
  }
  cardan__resize(&file->alloc, file->target, 0);
  file->target = target;
  if (access(target, W_OK) != 0) {
    return errno;
  }
  const int status = create_temporary(file, 0666);
  if (status == 0) {
    // where permissions cannot be carried over, those of a new file stand
    (void)!fchmod(file->fd, mode & 0777);
  }
  return status;
}

static int open_path(cardan__file *file, const char *path)
{
  struct stat st;
  if (path[0] == '\0') {
    return ENOENT;
  }
  if (stat(path, &st) != 0) {
    file->is_regular = true;
    return errno == ENOENT ? create_temporary(file, 0666) : errno;
  }
  if (S_ISDIR(st.st_mode)) {
    return EISDIR;
  }
  file->is_regular = S_ISREG(st.st_mode);
  if (file->is_regular) {
    return open_existing(file, path, st.st_mode);
  }
  file->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return file->fd < 0 ? errno : 0;
}

cardan_status cardan__file_open(cardan__file *file, const char *path,
                                const cardan_allocator *allocator, cardan_report *report)
{
  *file = (cardan__file){.fd = -1};
  if (allocator) {
    file->alloc = *allocator;
  }
  file->target = copy(&file->alloc, path);
  int error = file->target ? 0 : ENOMEM;
  if (!error && is_standard(path)) {
    file->fd = STDOUT_FILENO;
    file->borrowed = true;
  } else if (!error) {
    error = open_path(file, path);
  }
  if (error) {
    release(file);
    if (error == ENOMEM) {
      return cardan__no_memory(report);
    }
    cardan__file_failed(path, strerror(error), report);
    return CARDAN_ERR_IO;
  }
  return CARDAN_OK;
}

cardan_status cardan__file_write(cardan__file *file, const char *bytes, size_t size,
                                 cardan_report *report)
{
  const int error = cardan__write_all(file->fd, bytes, size, -1);
  return error ? failed(file, error, report) : CARDAN_OK;
}

cardan_status cardan__file_close(cardan__file *file, bool keep, cardan_report *report)
{
  if (file->fd < 0) {
    return CARDAN_OK;
  }
  cardan_status status = CARDAN_OK;
  if (!file->borrowed) {
    const int error = close(file->fd) != 0 ? errno : 0;
    file->fd = -1;
    if (error && keep) {
      status = failed(file, error, report);
    }
  }
  if (status == CARDAN_OK && keep && file->temporary) {
    if (rename(file->temporary, file->target) != 0) {
      status = failed(file, errno, report);
    } else {
      cardan__resize(&file->alloc, file->temporary, 0);
      file->temporary = NULL;
    }
  }
  release(file);
  return status;
}

cardan_status cardan_write_text(const char *path, const char *text, size_t length,
                                const cardan_allocator *allocator, cardan_report *report)
{
  cardan__file file;
  cardan_status status = cardan__file_open(&file, path, allocator, report);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan__file_write(&file, text, length, report);
  const cardan_status closed = cardan__file_close(&file, status == CARDAN_OK, report);
  return status != CARDAN_OK ? status : closed;
}
