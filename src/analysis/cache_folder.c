// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // O_NOFOLLOW, O_DIRECTORY, openat, dirent.h
#include "analysis/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/write.h"

/* ---- the folder ---- */

static bool find_path(char path[PATH_MAX])
{
  const char *own = getenv("CARDAN_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
             *home = getenv("HOME");
  int n = -1;
  if (own != NULL && own[0] != '\0') {
    n = strcmp(own, "off") != 0 ? snprintf(path, PATH_MAX, "%s", own) : -1;
  } else if (cache != NULL && cache[0] == '/') {
    n = snprintf(path, PATH_MAX, "%s/cardan", cache);
  } else if (home != NULL && home[0] == '/') {
    n = snprintf(path, PATH_MAX, "%s/.cache/cardan", home);
  }
  return n > 0 && n < PATH_MAX;
}

/* Makes the folders of a path that are not there, for the user alone. */
static void make_folders(const char *path)
{
  char part[PATH_MAX];
  (void)snprintf(part, sizeof part, "%s", path);
  for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(part, 0700);
    *slash = '/';
  }
  (void)mkdir(part, 0700);
}

static bool is_private(const struct stat *st)
{
  return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* returns a descriptor of the folder, or -1 */
static int open_folder(bool make)
{
  char path[PATH_MAX];
  struct stat st;
  if (!find_path(path)) {
    return -1;
  }
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && make) {
    make_folders(path);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  if (fd >= 0 && (fstat(fd, &st) != 0 || !is_private(&st))) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* ---- entries ---- */

static bool read_all(int fd, char *data, size_t size)
{
  size_t done = 0;
  while (done < size) {
    const ssize_t n = read(fd, data + done, size - done);
    if (n <= 0) {
      return false;
    }
    done += (size_t)n;
  }
  return true;
}

bool cardan__cache_load(const char *name, const cardan_allocator *allocator, char **data,
                        size_t *size)
{
  struct stat st;
  const int folder = open_folder(false);
  const int fd =
      folder >= 0 ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
  *data = NULL;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_private(&st) && st.st_size > 0 &&
      (size_t)st.st_size <= CARDAN__CACHE_ENTRY) {
    *size = (size_t)st.st_size;
    *data = cardan__resize(allocator, NULL, *size);
    if (*data != NULL && !read_all(fd, *data, *size)) {
      *data = cardan__resize(allocator, *data, 0);
    }
    (void)futimens(fd, NULL); // it was used: entries are removed in the order of these times
  }
  if (fd >= 0) {
    close(fd);
  }
  if (folder >= 0) {
    close(folder);
  }
  return *data != NULL;
}

typedef struct {
  char name[64];
  struct timespec time;
  size_t size, all; // of the oldest entry; of all entries
} oldest;

static bool is_older(const struct timespec *a, const struct timespec *b)
{
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* The entry that was not used for the longest time. returns false: there is none */
static bool find_oldest(int folder, oldest *found)
{
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
  *found = (oldest){.name = ""};
  if (list == NULL) {
    if (copy >= 0) {
      close(copy);
    }
    return false;
  }
  for (const struct dirent *e = readdir(list); e != NULL; e = readdir(list)) {
    struct stat st;
    if (fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
        strlen(e->d_name) < sizeof found->name) {
      found->all += (size_t)st.st_size;
      if (found->name[0] == '\0' || is_older(&st.st_mtim, &found->time)) {
        memcpy(found->name, e->d_name, strlen(e->d_name) + 1);
        found->time = st.st_mtim;
        found->size = (size_t)st.st_size;
      }
    }
  }
  closedir(list);
  return found->name[0] != '\0';
}

/* Removes old entries until another one fits. */
static void make_room(int folder, size_t size)
{
  enum { MOST_REMOVED = 10000 };
  oldest o;
  for (int i = 0; i < MOST_REMOVED && find_oldest(folder, &o); i++) {
    if (o.all + size <= CARDAN__CACHE_ALL || unlinkat(folder, o.name, 0) != 0) {
      return;
    }
  }
}

void cardan__cache_store(const char *name, const char *data, size_t size)
{
  char part[80];
  const int folder = size <= CARDAN__CACHE_ENTRY ? open_folder(true) : -1;
  if (folder < 0) {
    return;
  }
  make_room(folder, size);
  (void)snprintf(part, sizeof part, "%.48s.%ld", name, (long)getpid());
  const int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) {
    const bool good = cardan__write_all(fd, data, size, -1) == 0;
    if (close(fd) != 0 || !good || renameat(folder, part, folder, name) != 0) {
      (void)unlinkat(folder, part, 0);
    }
  }
  close(folder);
}
