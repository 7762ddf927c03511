// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // flock, fsync
#include "sweep/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cardan/load.h"
#include "sweep/bytes.h"
#include "sweep/sweep_recipe.h"

static const char ending[] = ".parts", recipe_name[] = "sweep", lock_name[] = "lock";

static cardan_status failed(const char *verb, const char *path, int error, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot %s %.300s: %.100s", verb,
                     path, strerror(error));
}

char *cardan__folder_file(const cardan__folder *folder, const char *name)
{
  const size_t size = strlen(folder->path) + strlen(name) + 2;
  char *path = cardan__resize(&folder->alloc, NULL, size);
  if (path) {
    snprintf(path, size, "%s/%s", folder->path, name);
  }
  return path;
}

/* Waits until the disk has a file, or the names in a folder. */
static int sync_path(const char *path)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const int error = fd < 0 || fsync(fd) != 0 ? errno : 0;
  if (fd >= 0) {
    close(fd);
  }
  return error;
}

/* Renames a file; EEXIST if the new name is in use. It may keep its own name, too.
 * returns 0 or an errno */
static int give_name(const char *from, const char *to)
{
  if (link(from, to) == 0) {
    return 0;
  }
  if (errno == EEXIST || errno == ENOENT) {
    return errno;
  }
  return rename(from, to) == 0 ? 0 : errno; // a file system without links has no other way
}

/* ---- locks ---- */

static void unlock(int *fd)
{
  if (*fd >= 0) {
    close(*fd);
  }
  *fd = -1;
}

/* Opens and locks a file of the folder. fresh: it must not have been there. */
static cardan_status take_lock(const cardan__folder *folder, const char *name, int kind, bool fresh,
                               int *fd, cardan_report *report)
{
  char *path = cardan__folder_file(folder, name);
  if (!path) {
    return cardan__no_memory(report);
  }
  cardan_status status = CARDAN_OK;
  const bool there = access(path, F_OK) == 0;
  *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (*fd < 0) {
    status = failed("open", path, errno, report);
  } else if (flock(*fd, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "another process works on %.250s (it holds %.60s), expected it to end "
                         "before this one begins",
                         folder->path, name);
  } else if (fresh && there) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "%.300s is there: the shard was begun before, expected option resume to "
                         "continue it",
                         path);
  }
  if (status != CARDAN_OK) {
    unlock(fd);
  }
  cardan__resize(&folder->alloc, path, 0);
  return status;
}

/* The folder: alone or together with others. */
static cardan_status lock_folder(cardan__folder *folder, cardan__hold hold, cardan_report *report)
{
  const int kind = hold == CARDAN__HOLD_WHOLE ? LOCK_EX : LOCK_SH;
  return take_lock(folder, lock_name, kind, false, &folder->lock, report);
}

/* The part of it that one process alone has; made when all else is agreed on. */
static cardan_status lock_part(cardan__folder *folder, const cardan_sweep_run_options *how,
                               cardan__hold hold, cardan_report *report)
{
  char name[64] = "ranks";
  if (hold == CARDAN__HOLD_SHARD) {
    snprintf(name, sizeof name, "shard-%d-of-%d", how->shard, how->shards);
  } else if (hold != CARDAN__HOLD_RANK || how->shard != 0) {
    return CARDAN_OK;
  }
  const bool fresh = hold == CARDAN__HOLD_SHARD && !how->resume;
  return take_lock(folder, name, LOCK_EX, fresh, &folder->own, report);
}

/* ---- what is there ---- */

/* Is OUT, a file, the result of this sweep? */
static cardan_status compare_result(cardan__folder *folder, cardan_report *report)
{
  cardan_sweep *theirs = NULL;
  cardan__text recipe;
  const char *out = folder->out;
  cardan_status status = CARDAN_ERR_ARGUMENT;
  if (!cardan_is_result(out)) {
    return cardan_fail(report, status, (cardan_pos){0, 0},
                       "%.300s is there already, and is no result that could be resumed, expected "
                       "another name",
                       out);
  }
  status = cardan_sweep_open(out, &folder->alloc, &theirs, report);
  if (status == CARDAN_OK) {
    status = cardan__recipe_write(theirs, &recipe, report);
    if (status == CARDAN_OK) {
      status =
          cardan__recipe_compare(&folder->recipe, recipe.data, recipe.length, false, out, report);
      cardan__text_free(&recipe);
    }
  }
  cardan_sweep_destroy(theirs);
  folder->complete = status == CARDAN_OK;
  return status;
}

static cardan_status look_at_result(cardan__folder *folder, bool resume, cardan_report *report)
{
  struct stat st;
  const char *out = folder->out;
  if (stat(out, &st) != 0) {
    const int error = errno == ENOENT && lstat(out, &st) == 0 ? EEXIST : errno; // a link to nothing
    return error == ENOENT ? CARDAN_OK : failed("write", out, error, report);
  }
  if (!S_ISREG(st.st_mode)) {
    return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                       "cannot write %.300s: it is %s, expected the name of a file", out,
                       S_ISDIR(st.st_mode) ? "a folder" : "no file on a disk");
  }
  if (!resume) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%.300s is there already, expected another name", out);
  }
  return compare_result(folder, report);
}

/* Makes the folder, or finds it: for one of several processes it was made by the first. To make it
 * is the way to ask that a network's cache does not answer. */
static cardan_status make_folder(cardan__folder *folder, bool resume, cardan__hold hold,
                                 cardan_report *report)
{
  const bool may_be_there = resume || hold != CARDAN__HOLD_WHOLE;
  struct stat st;
  if (mkdir(folder->path, 0777) == 0) {
    if (hold != CARDAN__HOLD_RANK) {
      return CARDAN_OK;
    }
    rmdir(folder->path);
    return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                       "%.300s is not there, expected a folder that all processes share",
                       folder->path);
  }
  if (errno != EEXIST || stat(folder->path, &st) != 0) {
    return failed("make", folder->path, errno, report);
  }
  if (!S_ISDIR(st.st_mode)) {
    return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                       "cannot make the folder %.300s: a file has that name, expected another name "
                       "for the result",
                       folder->path);
  }
  char *recipe = cardan__folder_file(folder, recipe_name);
  if (!recipe) {
    return cardan__no_memory(report);
  }
  folder->was_there = access(recipe, F_OK) == 0;
  cardan__resize(&folder->alloc, recipe, 0);
  if (!may_be_there && folder->was_there) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%.300s is there: a sweep was begun, expected option resume to continue "
                       "it, or another name",
                       folder->path);
  }
  return CARDAN_OK;
}

/* ---- the recipe ---- */

/* A file of a unique name: processes in containers, and threads, may have one number.
 * Its path, to be given back; NULL: *error says why */
static char *make_draft(const cardan__folder *folder, int *error)
{
  enum { NAMES = 10000 };
  char name[64], *draft = NULL;
  *error = EEXIST;
  for (int k = 0; k < NAMES && *error == EEXIST; k++) {
    cardan__resize(&folder->alloc, draft, 0);
    snprintf(name, sizeof name, "merged.%ld-%d.sweep", (long)getpid(), k);
    draft = cardan__folder_file(folder, name);
    const int fd = draft ? open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    *error = !draft ? ENOMEM : fd < 0 ? errno : 0;
    if (fd >= 0) {
      close(fd);
    }
  }
  if (*error) {
    cardan__resize(&folder->alloc, draft, 0);
    draft = NULL;
  }
  return draft;
}

/* Puts ours there in one step, unless one is there by now: a link takes no name that is taken. */
static cardan_status put_recipe(const cardan__folder *folder, const char *path,
                                cardan_report *report)
{
  int error;
  char *draft = make_draft(folder, &error);
  if (!draft) {
    return error == ENOMEM ? cardan__no_memory(report) : failed("write", path, error, report);
  }
  cardan_status status =
      cardan_write_text(draft, folder->recipe.data, folder->recipe.length, &folder->alloc, report);
  if (status == CARDAN_OK) {
    error = sync_path(draft);
    error = error ? error : give_name(draft, path);
    status = error == 0 || error == EEXIST ? CARDAN_OK : failed("write", path, error, report);
  }
  unlink(draft);
  cardan__resize(&folder->alloc, draft, 0);
  return status;
}

/* The recipe that is there, ours where there was none, is this sweep's. */
static cardan_status agree(const cardan__folder *folder, cardan_report *report)
{
  char *path = cardan__folder_file(folder, recipe_name), *theirs = NULL;
  size_t length = 0;
  if (!path) {
    return cardan__no_memory(report);
  }
  cardan_status status = CARDAN_OK;
  if (access(path, F_OK) != 0) {
    status = put_recipe(folder, path, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_load_text(path, &folder->alloc, &theirs, &length, report);
  }
  if (status == CARDAN_OK) {
    status = cardan__recipe_compare(&folder->recipe, theirs, length, true, folder->path, report);
  }
  cardan_free_text(&folder->alloc, theirs);
  cardan__resize(&folder->alloc, path, 0);
  return status;
}

/* Makes or finds the folder, and locks it. The process that held it may have finished meanwhile:
 * the result is searched again. */
static cardan_status enter(cardan__folder *folder, const cardan_sweep_run_options *how,
                           cardan__hold hold, cardan_report *report)
{
  cardan_status status = make_folder(folder, how->resume, hold, report);
  status = status ? status : lock_folder(folder, hold, report);
  status = status ? status : look_at_result(folder, how->resume, report);
  if (status == CARDAN_OK && !folder->complete) {
    status = agree(folder, report);
    status = status ? status : lock_part(folder, how, hold, report);
  }
  return status;
}

cardan_status cardan__folder_open(cardan__folder *folder, const cardan_sweep *sweep,
                                  const cardan_sweep_run_options *how, cardan__hold hold,
                                  cardan_report *report)
{
  *folder = (cardan__folder){.alloc = sweep->arena.alloc, .out = how->out, .lock = -1, .own = -1};
  const size_t size = strlen(how->out) + sizeof ending;
  cardan_status status = cardan__recipe_write(sweep, &folder->recipe, report);
  if (status != CARDAN_OK) {
    return status;
  }
  folder->digest = cardan__fnv1a(CARDAN__HASH_START, folder->recipe.data, folder->recipe.length);
  folder->path = cardan__resize(&folder->alloc, NULL, size);
  if (!folder->path) {
    cardan__folder_close(folder);
    return cardan__no_memory(report);
  }
  snprintf(folder->path, size, "%s%s", how->out, ending);
  status = look_at_result(folder, how->resume, report);
  if (status == CARDAN_OK && !folder->complete) {
    status = enter(folder, how, hold, report);
  }
  if (status != CARDAN_OK) {
    cardan__folder_close(folder);
  }
  return status;
}

void cardan__folder_close(cardan__folder *folder)
{
  unlock(&folder->own);
  unlock(&folder->lock);
  cardan__text_free(&folder->recipe);
  cardan__resize(&folder->alloc, folder->path, 0);
  folder->path = NULL;
}

/* ---- lists ---- */

static bool is_journal(const char *name)
{
  const size_t n = strlen(name);
  return strncmp(name, "part-", 5) == 0 && n > 9 && strcmp(name + n - 4, ".bin") == 0;
}

void cardan__folder_free_journals(const cardan__folder *folder, char **path, int n)
{
  for (int i = 0; i < n; i++) {
    cardan__resize(&folder->alloc, path[i], 0);
  }
  cardan__resize(&folder->alloc, path, 0);
}

cardan_status cardan__folder_journals(const cardan__folder *folder, char ***path, int *n,
                                      cardan_report *report)
{
  DIR *dir = opendir(folder->path);
  int capacity = 0;
  cardan_status status = CARDAN_OK;
  *path = NULL;
  *n = 0;
  if (!dir) {
    return failed("read", folder->path, errno, report);
  }
  for (const struct dirent *e; status == CARDAN_OK && (e = readdir(dir)) != NULL;) {
    if (is_journal(e->d_name)) {
      status = cardan__grow(&folder->alloc, (void **)path, &capacity, *n + 1, sizeof **path);
      char *file = status == CARDAN_OK ? cardan__folder_file(folder, e->d_name) : NULL;
      status = file ? CARDAN_OK : CARDAN_ERR_MEMORY;
      if (file) {
        (*path)[(*n)++] = file;
      }
    }
  }
  closedir(dir);
  if (status != CARDAN_OK) {
    cardan__folder_free_journals(folder, *path, *n);
    *path = NULL;
    *n = 0;
    return cardan__no_memory(report);
  }
  return CARDAN_OK;
}

int cardan__folder_shards(const cardan__folder *folder)
{
  DIR *dir = opendir(folder->path);
  int shards = 0;
  if (!dir) {
    return 0;
  }
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    int k = 0, n = 0;
    if (sscanf(e->d_name, "shard-%d-of-%d", &k, &n) == 2 && n > shards) {
      shards = n;
    }
  }
  closedir(dir);
  return shards;
}

/* ---- the end ---- */

/* A result that is being written, and what a process that was killed left of one. */
static bool is_draft(const char *name)
{
  return strncmp(name, "merged.", 7) == 0 || strncmp(name, ".cardan-", 8) == 0;
}

/* Is it one of the names that a sweep makes? Nothing else is removed. */
static bool is_ours(const char *name)
{
  return is_journal(name) || is_draft(name) || strcmp(name, lock_name) == 0 ||
         strcmp(name, "ranks") == 0 || strncmp(name, "shard-", 6) == 0;
}

static void remove_files(DIR *dir, bool (*which)(const char *name))
{
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (which(e->d_name)) {
      unlinkat(dirfd(dir), e->d_name, 0);
    }
  }
}

void cardan__folder_tidy(const cardan__folder *folder)
{
  DIR *dir = opendir(folder->path);
  if (dir) {
    remove_files(dir, is_draft);
    closedir(dir);
  }
}

void cardan__folder_remove(cardan__folder *folder)
{
  DIR *dir = opendir(folder->path);
  if (!dir) {
    return;
  }
  remove_files(dir, is_ours);
  unlinkat(dirfd(dir), recipe_name, 0); // last: until then the folder says what it was
  closedir(dir);
  unlock(&folder->own);
  unlock(&folder->lock);
  rmdir(folder->path);
}

/* Is the recipe that is there another sweep's? */
static bool is_other(const cardan__folder *folder)
{
  char *path = cardan__folder_file(folder, recipe_name), *theirs = NULL;
  size_t length = 0;
  bool other = path == NULL;
  if (path && access(path, F_OK) == 0) {
    other = cardan_load_text(path, &folder->alloc, &theirs, &length, NULL) != CARDAN_OK ||
            cardan__recipe_compare(&folder->recipe, theirs, length, false, path, NULL) != CARDAN_OK;
  }
  cardan_free_text(&folder->alloc, theirs);
  cardan__resize(&folder->alloc, path, 0);
  return other;
}

void cardan__folder_clean(cardan__folder *folder)
{
  unlock(&folder->own);
  unlock(&folder->lock);
  if (access(folder->path, F_OK) == 0 && !is_other(folder) &&
      lock_folder(folder, CARDAN__HOLD_WHOLE, NULL) == CARDAN_OK) {
    cardan__folder_remove(folder);
  }
}

cardan_status cardan__folder_keep(cardan__folder *folder, const char *name, cardan_report *report)
{
  char *from = cardan__folder_file(folder, name), *around = cardan__folder_file(folder, "..");
  int error = from && around ? sync_path(from) : ENOMEM;
  error = error ? error : give_name(from, folder->out);
  if (!error) {
    // of the new name, before journals go; some file systems cannot, and need not
    sync_path(around);
    cardan__folder_remove(folder);
  }
  cardan__resize(&folder->alloc, from, 0);
  cardan__resize(&folder->alloc, around, 0);
  return error == ENOMEM ? cardan__no_memory(report)
         : error         ? failed("write", folder->out, error, report)
                         : CARDAN_OK;
}
