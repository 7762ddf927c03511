// SPDX-License-Identifier: Apache-2.0
#include "cardan/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/builtin.h"

/* The largest model text that is read [bytes]. */
static const size_t text_limit = (size_t)1 << 30;

static cardan_status read_failed(cardan_report *report, const char *name)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot read %.200s: %s", name,
                     strerror(errno));
}

/* The whole of an open file, in growing pieces: it may be a pipe. */
static cardan_status read_all(FILE *file, const char *name, const cardan_allocator *allocator,
                              char **text, size_t *length, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  size_t size = 1 << 16;
  char *buffer = cardan__resize(allocator, NULL, size);
  *length = 0;
  while (buffer != NULL) {
    *length += fread(buffer + *length, 1, size - 1 - *length, file);
    if (ferror(file)) {
      cardan__resize(allocator, buffer, 0);
      return read_failed(report, name);
    }
    if (feof(file)) {
      buffer[*length] = 0;
      *text = buffer;
      return CARDAN_OK;
    }
    if (size > text_limit) {
      cardan__resize(allocator, buffer, 0);
      return cardan_fail(report, CARDAN_ERR_IO, none,
                         "%.200s is larger than a model text may be (%zu bytes)", name, text_limit);
    }
    size += *length + 1 == size ? size : 0;
    char *larger = cardan__resize(allocator, buffer, size);
    if (larger == NULL) {
      cardan__resize(allocator, buffer, 0);
    }
    buffer = larger;
  }
  return cardan__no_memory(report);
}

/* Is it meant as a file: has it a folder or an ending? */
static bool looks_like_file(const char *name)
{
  return strpbrk(name, "/.") != NULL;
}

cardan_status cardan_load_text(const char *name, const cardan_allocator *allocator, char **text,
                               size_t *length, cardan_report *report)
{
  *text = NULL;
  *length = 0;
  if (!looks_like_file(name)) {
    cardan__text built;
    cardan__text_init(&built, allocator);
    const cardan_status status = cardan__builtin_text(name, &built, report);
    if (status != CARDAN_OK || built.failed) {
      cardan__text_free(&built);
      return status != CARDAN_OK ? status : cardan__no_memory(report);
    }
    *text = built.data;
    *length = built.length;
    return CARDAN_OK;
  }
  FILE *file = fopen(name, "rb");
  if (file == NULL) {
    return read_failed(report, name);
  }
  const cardan_status status = read_all(file, name, allocator, text, length, report);
  fclose(file);
  return status;
}

static cardan_status from_text(const char *text, size_t length, const char *file,
                               const cardan_setting *settings, int nsetting,
                               const cardan_files *files, const cardan_allocator *allocator,
                               cardan_model **out, cardan_report *report)
{
  cardan_spec *spec;
  *out = NULL;
  cardan_status status = cardan_spec_read_files(text, length, file, settings, nsetting, files,
                                                allocator, &spec, report);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan_model_build(spec, allocator, out, report);
  cardan_spec_destroy(spec);
  return status;
}

cardan_status cardan_model_from_text(const char *text, size_t length, const char *file,
                                     const cardan_setting *settings, int nsetting,
                                     const cardan_allocator *allocator, cardan_model **out,
                                     cardan_report *report)
{
  return from_text(text, length, file, settings, nsetting, NULL, allocator, out, report);
}

cardan_status cardan_model_load(const char *name, const cardan_setting *settings, int nsetting,
                                const cardan_allocator *allocator, cardan_model **out,
                                cardan_report *report)
{
  char *text;
  size_t length;
  cardan_files *files = NULL;
  *out = NULL;
  cardan_status status = cardan_load_text(name, allocator, &text, &length, report);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan_files_open(name, NULL, 0, false, allocator, &files, report);
  if (status == CARDAN_OK) {
    status = from_text(text, length, name, settings, nsetting, files, allocator, out, report);
  }
  cardan_files_close(files);
  cardan_free_text(allocator, text);
  return status;
}

const char *cardan_builtin_name(int index)
{
  return index >= 0 && index < cardan__builtin_count() ? cardan__builtin_at(index)->name : NULL;
}

const char *cardan_builtin_help(int index)
{
  return index >= 0 && index < cardan__builtin_count() ? cardan__builtin_at(index)->description
                                                       : NULL;
}

int cardan_builtin_size(int index)
{
  return index >= 0 && index < cardan__builtin_count() ? cardan__builtin_at(index)->default_size
                                                       : 0;
}
