// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath, pread, pwrite, locks of an open file
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

/* How many names are tried for the temporary file; links that are followed, as Linux does. */
enum { NAMES = 1000, NAME_SIZE = 64, LINKS = 40 };

/* Both names mean the stream that the program has, wherever it leads: opening the second one again
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
  if (file->temporary && !file->unnamed) {
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

/* Where a name in the folder of file->temporary begins. */
static size_t folder_of(const cardan__file *file)
{
  const char *slash = strrchr(file->target, '/');
  return slash ? (size_t)(slash - file->target) + 1 : 0;
}

static void number_name(cardan__file *file, int i)
{
  snprintf(file->temporary + folder_of(file), NAME_SIZE, ".cardan-%ld-%d.tmp", (long)getpid(), i);
}

/* A file of an unused name: *fd. returns 0 or an errno */
static int create_named(cardan__file *file, mode_t mode, int *fd)
{
  int error = EEXIST;
  for (int i = 0; i < NAMES && error == EEXIST; i++) {
    number_name(file, i);
    *fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    error = *fd < 0 ? errno : 0;
  }
  return error;
}

/* A file without a name, in a system that can give it one later. */
static bool create_unnamed(cardan__file *file, mode_t mode)
{
  file->temporary[folder_of(file)] = '\0';
  const char *folder = file->temporary[0] != '\0' ? file->temporary : ".";
#ifdef O_TMPFILE
  const bool can = access("/proc/self/fd", X_OK) == 0;
  file->fd = can ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
#endif
  file->unnamed = file->fd >= 0;
  return file->unnamed;
}

/* Creates the temporary file in the target's folder, since a rename cannot cross file systems.
 * mode: permissions, less the umask. returns 0 or an errno */
static int create_temporary(cardan__file *file, mode_t mode)
{
  const size_t folder = folder_of(file);
  file->temporary = cardan__resize(&file->alloc, NULL, folder + NAME_SIZE);
  if (!file->temporary) {
    return ENOMEM;
  }
  memcpy(file->temporary, file->target, folder);
  const int error = create_unnamed(file, mode) ? 0 : create_named(file, mode, &file->fd);
  if (error) {
    // the name may be someone else's file
    cardan__resize(&file->alloc, file->temporary, 0);
    file->temporary = NULL;
  }
  return error;
}

/* All bytes of one file to another. returns 0 or an errno */
static int copy_bytes(int from, int to)
{
  char bytes[16384];
  uint64_t at = 0;
  int error = 0;
  for (size_t n = 1; n > 0 && !error; at += n) {
    n = cardan__read_at(from, bytes, sizeof bytes, at);
    error = cardan__write_all(to, bytes, n, -1);
  }
  return error;
}

/* Gives a file without a name its temporary one; where the system will not, a copy of it.
 * returns 0 or an errno */
static int give_name(cardan__file *file)
{
  char self[64];
  struct stat st;
  int error = EEXIST, fd;
  snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
  for (int i = 0; i < NAMES && error == EEXIST; i++) {
    number_name(file, i);
    const bool linked = linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0;
    error = linked ? 0 : errno;
  }
  if (!error) {
    file->unnamed = false;
    return 0;
  }
  error = fstat(file->fd, &st) != 0 ? errno : create_named(file, st.st_mode & 0777, &fd);
  if (!error) {
    file->unnamed = false;
    error = copy_bytes(file->fd, fd);
    error = close(file->fd) != 0 && !error ? errno : error;
    file->fd = fd;
  }
  return error;
}

/* ---- a file that is seen ---- */

char *cardan__file_partial(const cardan_allocator *alloc, const char *target)
{
  static const char word[] = ".partial";
  const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
  const char *dot = strrchr(name, '.');
  const size_t length = strlen(target), front = dot > name ? (size_t)(dot - target) : length;
  char *result = cardan__resize(alloc, NULL, length + sizeof word);
  if (result) {
    memcpy(result, target, front);
    memcpy(result + front, word, sizeof word - 1);
    memcpy(result + front + sizeof word - 1, target + front, length - front + 1);
  }
  return result;
}

/* A lock of the open file, which ends with it and is independent of HDF5's own (flock): readers of
 * a file that is being written are not kept out. A file system without locks has none. */
int cardan__file_lock(int fd)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
  const int result = fcntl(fd, F_OFD_SETLK, &lock);
#else
  const int result = fcntl(fd, F_SETLK, &lock);
#endif
  return result != 0 && (errno == EAGAIN || errno == EACCES) ? EBUSY : 0;
}

/* One that is there already. returns 0, EBUSY, EEXIST: it is worth keeping; EAGAIN: it went away */
static int take_over(cardan__file *file, cardan__file_worth *worth, char *what, size_t size)
{
  struct stat open_one, named;
  file->fd = open(file->temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file->fd < 0) {
    return errno == ENOENT ? EAGAIN : errno;
  }
  const int busy = cardan__file_lock(file->fd);
  if (busy || fstat(file->fd, &open_one) != 0) {
    return busy ? busy : errno;
  }
  if (stat(file->temporary, &named) != 0 || named.st_ino != open_one.st_ino) {
    close(file->fd);
    file->fd = -1;
    return EAGAIN;
  }
  snprintf(what, size, "is not empty");
  if (open_one.st_size > 0 && (!worth || worth(file->temporary, file->fd, what, size))) {
    return EEXIST;
  }
  return ftruncate(file->fd, 0) == 0 ? 0 : errno;
}

/* Creates it, or takes over one that no process writes and that holds no result. returns as
 * take_over */
static int create_seen(cardan__file *file, cardan__file_worth *worth, char *what, size_t size)
{
  int error = EAGAIN;
  file->temporary = cardan__file_partial(&file->alloc, file->target);
  if (!file->temporary) {
    return ENOMEM;
  }
  for (int i = 0; i < NAMES && error == EAGAIN; i++) {
    file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd >= 0) {
      error = cardan__file_lock(file->fd);
    } else {
      error = errno == EEXIST ? take_over(file, worth, what, size) : errno;
    }
  }
  return error;
}

/* A question about a file that exists, and the answer. */
typedef struct {
  cardan__file_worth *worth;
  char what[240];
} asker;

static int create(cardan__file *file, asker *ask)
{
  const int error = file->way == CARDAN__FILE_SEEN
                        ? create_seen(file, ask->worth, ask->what, sizeof ask->what)
                        : create_temporary(file, 0666);
  if (error != ENAMETOOLONG || file->way != CARDAN__FILE_SEEN) {
    return error;
  }
  // a name that has no room for the word has a file that is not seen
  cardan__resize(&file->alloc, file->temporary, 0);
  file->temporary = NULL;
  file->way = CARDAN__FILE_COMING;
  return create_temporary(file, 0666);
}

/* A regular file that is there already: its own name behind links, its permissions kept. */
static int open_existing(cardan__file *file, const char *path, mode_t mode, asker *ask)
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
  const int status = create(file, ask);
  if (status == 0) {
    // where permissions cannot be carried over, those of a new file stand
    (void)!fchmod(file->fd, mode & 0777);
  }
  return status;
}

/* A link to nothing: its target becomes the name behind it, as it is with a link to a file.
 * returns 0 or an errno */
static int follow_links(cardan__file *file)
{
  char next[4096];
  struct stat st;
  for (int i = 0; lstat(file->target, &st) == 0 && S_ISLNK(st.st_mode); i++) {
    const ssize_t n = readlink(file->target, next, sizeof next);
    if (n < 0 || n == (ssize_t)sizeof next || i == LINKS) {
      return n < 0 ? errno : n == (ssize_t)sizeof next ? ENAMETOOLONG : ELOOP;
    }
    const char *slash = next[0] == '/' ? NULL : strrchr(file->target, '/');
    const size_t folder = slash ? (size_t)(slash - file->target) + 1 : 0;
    char *target = cardan__resize(&file->alloc, NULL, folder + (size_t)n + 1);
    if (!target) {
      return ENOMEM;
    }
    memcpy(target, file->target, folder);
    memcpy(target + folder, next, (size_t)n);
    target[folder + (size_t)n] = '\0';
    cardan__resize(&file->alloc, file->target, 0);
    file->target = target;
  }
  return 0;
}

static int open_path(cardan__file *file, const char *path, asker *ask)
{
  struct stat st;
  if (path[0] == '\0') {
    return ENOENT;
  }
  if (stat(path, &st) != 0) {
    int error = errno;
    file->is_regular = true;
    error = error == ENOENT ? follow_links(file) : error;
    return error ? error : create(file, ask);
  }
  if (S_ISDIR(st.st_mode)) {
    return EISDIR;
  }
  file->is_regular = S_ISREG(st.st_mode);
  if (file->is_regular) {
    return open_existing(file, path, st.st_mode, ask);
  }
  file->way = CARDAN__FILE_DIRECT;
  file->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return file->fd < 0 ? errno : 0;
}

/* Says why it cannot be opened, and closes what is open. */
static cardan_status refuse(cardan__file *file, const char *path, int error, const asker *ask,
                            cardan_report *report)
{
  const cardan_pos none = {0, 0};
  cardan_status status = CARDAN_ERR_IO;
  if (error == ENOMEM) {
    status = cardan__no_memory(report);
  } else if (error == EBUSY && file->way == CARDAN__FILE_SEEN) {
    cardan_fail(report, status, none, "cannot write %.150s: it is being written already, as %.200s",
                path, file->temporary);
  } else if (error == EEXIST && file->way == CARDAN__FILE_SEEN) {
    cardan_fail(report, status, none, "cannot write %.100s: %.150s %s", path, file->temporary,
                ask->what);
  } else if ((error == EISDIR || error == ELOOP) && file->temporary) {
    cardan_fail(report, status, none,
                "cannot write %.150s: %.200s, which it is while it is written: %.100s", path,
                file->temporary, strerror(error));
  } else {
    cardan__file_failed(path, strerror(error), report);
  }
  if (file->way == CARDAN__FILE_SEEN) {
    cardan__file_leave(file); // it is someone else's
  } else {
    release(file);
  }
  return status;
}

cardan_status cardan__file_open_as(cardan__file *file, const char *path, cardan__file_way way,
                                   cardan__file_worth *worth, const cardan_allocator *allocator,
                                   cardan_report *report)
{
  asker ask = {.worth = worth};
  *file = (cardan__file){.fd = -1, .way = way};
  if (allocator) {
    file->alloc = *allocator;
  }
  file->target = copy(&file->alloc, path);
  int error = file->target ? 0 : ENOMEM;
  if (!error && is_standard(path)) {
    file->fd = STDOUT_FILENO;
    file->borrowed = true;
    file->way = CARDAN__FILE_DIRECT;
  } else if (!error) {
    error = open_path(file, path, &ask);
  }
  return error ? refuse(file, path, error, &ask, report) : CARDAN_OK;
}

cardan_status cardan__file_open(cardan__file *file, const char *path,
                                const cardan_allocator *allocator, cardan_report *report)
{
  return cardan__file_open_as(file, path, CARDAN__FILE_HIDDEN, NULL, allocator, report);
}

cardan_status cardan__file_show(cardan__file *file, cardan_report *report)
{
  char *name = cardan__file_partial(&file->alloc, file->target);
  if (!name) {
    return cardan__no_memory(report);
  }
  int error = file->unnamed ? give_name(file) : 0;
  error = !error && cardan__file_lock(file->fd) != 0 ? EBUSY : error;
  if (error || rename(file->temporary, name) != 0) {
    error = error ? error : errno;
    cardan__resize(&file->alloc, name, 0);
    return failed(file, error, report);
  }
  cardan__resize(&file->alloc, file->temporary, 0);
  file->temporary = name;
  file->way = CARDAN__FILE_SEEN;
  return CARDAN_OK;
}

void cardan__file_leave(cardan__file *file)
{
  cardan__resize(&file->alloc, file->temporary, 0);
  file->temporary = NULL;
  release(file);
}

cardan_status cardan__file_write(cardan__file *file, const char *bytes, size_t size,
                                 cardan_report *report)
{
  const int error = cardan__write_all(file->fd, bytes, size, -1);
  return error ? failed(file, error, report) : CARDAN_OK;
}

size_t cardan__read_at(int fd, void *bytes, size_t size, uint64_t at)
{
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(fd, (char *)bytes + done, size - done, (off_t)(at + done));
    if (n == 0 || (n < 0 && errno != EINTR)) {
      break;
    }
    done += n > 0 ? (size_t)n : 0;
  }
  return done;
}

cardan_status cardan__file_close(cardan__file *file, bool keep, cardan_report *report)
{
  if (file->fd < 0) {
    return CARDAN_OK;
  }
  cardan_status status = CARDAN_OK;
  if (!file->borrowed) {
    int error = keep && file->unnamed ? give_name(file) : 0;
    error = close(file->fd) != 0 && !error ? errno : error;
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

cardan_status cardan_write_check(const char *path, cardan_report *report)
{
  cardan__file file;
  struct stat st;
  if (is_standard(path)) {
    return CARDAN_OK;
  }
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    return access(path, W_OK) == 0 ? CARDAN_OK : cardan__file_failed(path, strerror(errno), report);
  }
  const cardan_status status = cardan__file_open(&file, path, NULL, report);
  return status == CARDAN_OK ? cardan__file_close(&file, false, report) : status;
}
