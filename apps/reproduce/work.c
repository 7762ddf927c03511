// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "reproduce/work.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cardan/load.h"
#include "cardan/output.h"

bool cardan__work_wants(const cardan__work *w, const cardan__paper *paper, const cardan__item *item)
{
  const char *name = w->options->paper;
  return (strcmp(name, "all") == 0 || strcmp(name, paper->name) == 0) &&
         (w->options->item == NULL || strcmp(w->options->item, item->name) == 0);
}

void cardan__work_path(const cardan__work *w, const char *directory, const char *name,
                       const char *ending, char path[CARDAN__PATH])
{
  snprintf(path, CARDAN__PATH, "%s%s%s/%s%s", w->options->folder, directory[0] != '\0' ? "/" : "",
           directory, name, ending);
}

cardan_status cardan__work_folder(const cardan__work *w, const char *directory)
{
  char path[CARDAN__PATH];
  snprintf(path, sizeof path, "%s%s%s", w->options->folder, directory[0] != '\0' ? "/" : "",
           directory);
  struct stat is;
  if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &is) == 0 && S_ISDIR(is.st_mode))) {
    return CARDAN_OK;
  }
  return cardan_fail(w->report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                     "cannot make the folder %.200s: %s", path,
                     errno == EEXIST ? "a file has that name" : strerror(errno));
}

cardan_status cardan__work_put(const cardan__work *w, const char *directory, const char *name,
                               const char *ending, cardan__text *text)
{
  char path[CARDAN__PATH];
  cardan__work_path(w, directory, name, ending, path);
  const cardan_status status = text->failed
                                   ? cardan__no_memory(w->report)
                                   : cardan_write_text(path, text->data ? text->data : "",
                                                       text->length, w->allocator, w->report);
  cardan__text_free(text);
  return status;
}

const char *const cardan__work_endings[CARDAN__PIECES] = {".json", ".csv", ".md", ".row"};

bool cardan__work_has(const cardan__work *w, const char *name)
{
  bool has = true;
  for (int i = 0; i < CARDAN__PIECES && has; i++) {
    char path[CARDAN__PATH];
    struct stat is;
    cardan__work_path(w, "unfinished", name, cardan__work_endings[i], path);
    has = stat(path, &is) == 0 && is.st_size > 0;
  }
  return has;
}

cardan_status cardan__work_get(const cardan__work *w, const char *name, const char *ending,
                               cardan__text *text)
{
  char path[CARDAN__PATH], *piece = NULL;
  size_t length = 0;
  cardan__work_path(w, "unfinished", name, ending, path);
  const cardan_status status = cardan_load_text(path, w->allocator, &piece, &length, w->report);
  if (status == CARDAN_OK) {
    cardan__text_add(text, piece, length);
    cardan_free_text(w->allocator, piece);
  }
  return status;
}
