// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // realpath, O_NOFOLLOW
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cache_folder.h"
#include "base/arena.h"
#include "cardan/load.h"

/* Files that a model's text names, in the folders where they may be. A text is untrusted: whatever
 * way a name takes (.., links, absolute paths), what is opened lies in one of these folders, or in
 * a package found beside or above the model, and is a regular file. */

enum { MANIFEST_SIZE = 1 << 16, MOST_PLACES = 1000, MOST_SPARED = 32 };

/* The largest file that is read [bytes]. */
static const size_t size_limit = (size_t)1 << 28;

/* Folders are real paths. */
typedef struct {
  cardan_files files;
  cardan_allocator alloc;
  cardan__arena arena;
  cardan_path *place; // name NULL: it holds packages, models or files
  int nplace;
  const char *model; // the model's folder, "" where there is none
  const char *own;   // the package that it belongs to; "": none is known
  struct {
    dev_t device;
    ino_t file;
  } spared[MOST_SPARED]; // files that are not to be read
  int nspared;
} folders;

/* ---- real paths ---- */

static bool inside(const char *path, const char *folder)
{
  const size_t n = strlen(folder);
  return n > 0 && strncmp(path, folder, n) == 0 &&
         (folder[n - 1] == '/' || path[n] == '/' || path[n] == '\0');
}

/* In a folder that any name may lead to. */
static bool is_open(const folders *f, const char *path)
{
  bool found = inside(path, f->model) || inside(path, f->own);
  for (int i = 0; i < f->nplace && !found; i++) {
    found = inside(path, f->place[i].folder);
  }
  return found;
}

typedef struct {
  const folders *f;
  char real[PATH_MAX]; // what was found
  bool outside;        // something was found where it may not be
} search;

/* Is there such a file in a folder, and does it lie there, or where any name may lead? */
static bool find_file(search *s, const char *folder, const char *path)
{
  char joined[PATH_MAX];
  const int n = snprintf(joined, sizeof joined, "%s/%s", folder, path);
  if (folder[0] == '\0' || n < 0 || (size_t)n >= sizeof joined ||
      realpath(joined, s->real) == NULL) {
    return false;
  }
  const bool allowed = inside(s->real, folder) || is_open(s->f, s->real);
  s->outside = s->outside || !allowed;
  return allowed;
}

/* Cuts the last part off a path; false when only the root of all is left. */
static bool go_up(char *path)
{
  char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) {
    return false;
  }
  *slash = '\0';
  return true;
}

/* ---- packages ---- */

/* Does the folder's package.xml say that it is this package? */
static bool has_manifest(const char *folder, const char *package)
{
  static const char lead[] = "<name>";
  char path[PATH_MAX], text[MANIFEST_SIZE];
  struct stat st;
  snprintf(path, sizeof path, "%s/package.xml", folder);
  FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL) {
    return false;
  }
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *name = strstr(text, lead);
  if (name == NULL) {
    return false;
  }
  name += sizeof lead - 1;
  name += strspn(name, " \t\r\n");
  const size_t n = strlen(package);
  return strncmp(name, package, n) == 0 && strchr("< \t\r\n", name[n]) != NULL;
}

/* A file of a package that is the folder itself, or is in it. */
static bool look_in_package(search *s, const char *folder, const char *package, const char *path)
{
  char sub[PATH_MAX];
  const char *slash = strrchr(folder, '/');
  const bool itself =
      slash != NULL && (strcmp(slash + 1, package) == 0 || has_manifest(folder, package));
  const int n = snprintf(sub, sizeof sub, "%s/%s", folder, package);
  return (itself && find_file(s, folder, path)) ||
         (n > 0 && (size_t)n < sizeof sub && find_file(s, sub, path));
}

static bool find_in_package(search *s, const char *package, const char *path)
{
  const folders *f = s->f;
  for (int i = 0; i < f->nplace; i++) {
    const cardan_path *p = &f->place[i];
    if (p->name == NULL ? look_in_package(s, p->folder, package, path)
                        : strcmp(p->name, package) == 0 && find_file(s, p->folder, path)) {
      return true;
    }
  }
  char up[PATH_MAX];
  snprintf(up, sizeof up, "%s", f->model);
  do {
    if (up[0] != '\0' && look_in_package(s, up, package, path)) {
      return true;
    }
  } while (go_up(up));
  return false;
}

/* ---- a name, and what it stands for ---- */

/* A path without a package: in the model's folder, then in those that hold files. */
static bool find_path(search *s, const char *path)
{
  const folders *f = s->f;
  if (path[0] == '/') {
    const bool there = realpath(path, s->real) != NULL;
    s->outside = there && !is_open(f, s->real);
    return there && !s->outside;
  }
  bool found = find_file(s, f->model, path);
  for (int i = 0; i < f->nplace && !found; i++) {
    found = f->place[i].name == NULL && find_file(s, f->place[i].folder, path);
  }
  return found;
}

/* The text after the word with which it starts; NULL: it does not start with it. */
static const char *skip_prefix(const char *text, const char *word)
{
  const size_t n = strlen(word);
  return strncmp(text, word, n) == 0 ? text + n : NULL;
}

static cardan_status not_found(const search *s, const char *name, const char *package,
                               cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const char *lead = package != NULL ? package : "", *equals = package != NULL ? "=" : "";
  if (s->outside) {
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "\"%.150s\" lies outside the model's folder and its packages: option path "
                       "%.60s%sDIR allows its folder",
                       name, lead, equals);
  }
  if (package != NULL) {
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "cannot find \"%.150s\": there is no such file in a folder \"%.60s\" beside "
                       "or above the model; option path %.60s=DIR says where it is",
                       name, package, package);
  }
  return cardan_fail(report, CARDAN_ERR_IO, none,
                     "cannot find \"%.150s\" in %.200s; option path DIR says where else to look",
                     name, s->f->model[0] != '\0' ? s->f->model : "the model's folder");
}

/* The real path of what a text names. */
static cardan_status find(search *s, const char *name, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const char *path = skip_prefix(name, "package://");
  path = path != NULL ? path : skip_prefix(name, "model://");
  if (path != NULL) {
    char package[NAME_MAX + 1];
    const size_t n = strcspn(path, "/");
    if (n == 0 || n >= sizeof package || path[0] == '.') {
      return cardan_fail(report, CARDAN_ERR_IO, none,
                         "\"%.150s\" names no package, expected package://NAME/PATH", name);
    }
    memcpy(package, path, n);
    package[n] = '\0';
    path += n + (path[n] == '/');
    return find_in_package(s, package, path) ? CARDAN_OK : not_found(s, name, package, report);
  }
  path = skip_prefix(name, "file://");
  path = path != NULL ? path : name;
  if (strstr(path, "://") != NULL) {
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "\"%.150s\" is not a file here: fetch it, and name it by its path", name);
  }
  return find_path(s, path) ? CARDAN_OK : not_found(s, name, NULL, report);
}

/* ---- reading ---- */

static cardan_status read_bytes(const folders *f, int fd, const char *name, size_t size,
                                char **data, size_t *length, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  char *buffer = cardan__resize(&f->alloc, NULL, size + 1);
  size_t used = 0;
  ssize_t n = 1;
  if (buffer == NULL) {
    return cardan__no_memory(report);
  }
  while (used < size && n > 0) {
    n = read(fd, buffer + used, size - used);
    used += n > 0 ? (size_t)n : 0;
  }
  if (n < 0) {
    const int error = errno;
    cardan__resize(&f->alloc, buffer, 0);
    return cardan_fail(report, CARDAN_ERR_IO, none, "cannot read \"%.150s\": %s", name,
                       strerror(error));
  }
  buffer[used] = '\0';
  *data = buffer;
  *length = used;
  return CARDAN_OK;
}

bool cardan_files_exclude(cardan_files *files, const char *path)
{
  folders *f = files->user;
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
    return true;
  }
  if (f->nspared == MOST_SPARED) {
    return false;
  }
  f->spared[f->nspared].device = st.st_dev;
  f->spared[f->nspared++].file = st.st_ino;
  return true;
}

static bool is_spared(const folders *f, const struct stat *st)
{
  bool found = false;
  for (int i = 0; i < f->nspared && !found; i++) {
    found = f->spared[i].device == st->st_dev && f->spared[i].file == st->st_ino;
  }
  return found;
}

static cardan_status read_file(void *user, const char *name, char **data, size_t *size,
                               cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const folders *f = user;
  search s = {.f = f};
  struct stat st;
  *data = NULL;
  *size = 0;
  cardan_status status = find(&s, name, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const int fd = open(s.real, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) {
    return cardan_fail(report, CARDAN_ERR_IO, none, "cannot read \"%.150s\": %s", name,
                       strerror(errno));
  }
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    status = cardan_fail(report, CARDAN_ERR_IO, none, "\"%.150s\" is not a regular file", name);
  } else if (is_spared(f, &st)) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                         "\"%.150s\" is read here and is to be written too, expected another name "
                         "for what is written",
                         name);
  } else if ((size_t)st.st_size > size_limit) {
    status =
        cardan_fail(report, CARDAN_ERR_IO, none, "\"%.150s\" has %zu bytes, expected at most %zu",
                    name, (size_t)st.st_size, size_limit);
  } else {
    status = read_bytes(f, fd, name, (size_t)st.st_size, data, size, report);
  }
  close(fd);
  return status;
}

static void release_file(void *user, char *data)
{
  const folders *f = user;
  cardan__resize(&f->alloc, data, 0);
}

static bool load_entry(void *user, const char *name, char **data, size_t *size)
{
  const folders *f = user;
  return cardan__cache_load(name, &f->alloc, data, size);
}

static void store_entry(void *user, const char *name, const char *data, size_t size)
{
  (void)user;
  cardan__cache_store(name, data, size);
}

/* ---- the folders ---- */

static char *copy_text(folders *f, const char *text)
{
  return cardan__arena_text(&f->arena, text, strlen(text));
}

/* returns CARDAN_ERR_IO where there is no such folder */
static cardan_status add_place(folders *f, const char *name, const char *folder)
{
  char real[PATH_MAX];
  if (realpath(folder, real) == NULL) {
    return CARDAN_ERR_IO;
  }
  cardan_path *p = &f->place[f->nplace];
  p->folder = copy_text(f, real);
  p->name = name != NULL ? copy_text(f, name) : NULL;
  if (p->folder == NULL || (name != NULL && p->name == NULL)) {
    return CARDAN_ERR_MEMORY;
  }
  f->nplace++;
  return CARDAN_OK;
}

/* The folders of a variable, with colons between; those that are not there do not count. */
static cardan_status add_variable(folders *f, const char *variable)
{
  const char *at = getenv(variable);
  cardan_status status = CARDAN_OK;
  while (at != NULL && *at != '\0' && status != CARDAN_ERR_MEMORY && f->nplace < MOST_PLACES) {
    char folder[PATH_MAX];
    const size_t n = strcspn(at, ":");
    if (n > 0 && n < sizeof folder) {
      memcpy(folder, at, n);
      folder[n] = '\0';
      status = add_place(f, NULL, folder);
    }
    at += n + (at[n] == ':');
  }
  return status == CARDAN_ERR_MEMORY ? status : CARDAN_OK;
}

/* The model's folder, and the nearest one above that a package or model begins in. */
static cardan_status find_model(folders *f, const char *model)
{
  static const char *const marks[] = {"package.xml", "model.config", "manifest.xml"};
  char folder[PATH_MAX], real[PATH_MAX], mark[PATH_MAX + 16];
  const char *slash = strrchr(model, '/');
  f->model = f->own = "";
  snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - model) + 1 : 1,
           slash != NULL ? model : ".");
  if (realpath(folder, real) == NULL) {
    return CARDAN_OK; // nothing is found there
  }
  f->model = copy_text(f, real);
  if (f->model == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  do {
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
      snprintf(mark, sizeof mark, "%s/%s", real, marks[i]);
      if (access(mark, R_OK) == 0) {
        f->own = copy_text(f, real);
        return f->own != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
      }
    }
  } while (go_up(real));
  return CARDAN_OK;
}

static cardan_status fill(folders *f, const char *model, const cardan_path *path, int npath,
                          bool environment, cardan_report *report)
{
  cardan_status status = find_model(f, model);
  f->place = cardan__arena_take(&f->arena, MOST_PLACES, sizeof *f->place);
  status = f->place == NULL ? CARDAN_ERR_MEMORY : status;
  for (int i = 0; i < npath && status == CARDAN_OK; i++) {
    if (f->nplace == MOST_PLACES) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "option path is given too often, expected at most %d", MOST_PLACES);
    }
    status = add_place(f, path[i].name, path[i].folder);
    if (status == CARDAN_ERR_IO) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "option path has the folder \"%.200s\", which cannot be read: %s",
                         path[i].folder, strerror(errno));
    }
  }
  if (environment) {
    status = status ? status : add_variable(f, "ROS_PACKAGE_PATH");
    status = status ? status : add_variable(f, "GZ_SIM_RESOURCE_PATH");
  }
  return status == CARDAN_OK ? status
                             : cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
}

cardan_status cardan_files_open(const char *model, const cardan_path *path, int npath,
                                bool environment, const cardan_allocator *allocator,
                                cardan_files **out, cardan_report *report)
{
  folders *f = cardan__resize(allocator, NULL, sizeof *f);
  *out = NULL;
  if (f == NULL) {
    return cardan__no_memory(report);
  }
  *f = (folders){.files = {.user = f, .read = read_file, .release = release_file}};
  if (environment) {
    f->files.load = load_entry;
    f->files.store = store_entry;
  }
  cardan__arena_init(&f->arena, allocator);
  f->alloc = f->arena.alloc;
  const cardan_status status = fill(f, model, path, npath, environment, report);
  if (status != CARDAN_OK) {
    cardan_files_close(&f->files);
    return status;
  }
  *out = &f->files;
  return CARDAN_OK;
}

void cardan_files_close(cardan_files *files)
{
  folders *f = files != NULL ? files->user : NULL;
  if (f != NULL) {
    const cardan_allocator alloc = f->alloc;
    cardan__arena_free(&f->arena);
    cardan__resize(&alloc, f, 0);
  }
}
