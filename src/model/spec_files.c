// SPDX-License-Identifier: Apache-2.0
#include "model/spec.h"

/* Other files of a model: requested by name, counted, bounded. */

enum { MOST_FILES = 10000 };
static const size_t most_bytes = (size_t)1 << 30; // of all files of one model

int cardan_spec_files(const cardan_spec *spec)
{
  return spec->nfile;
}

static cardan_status open_file(cardan_spec *spec, const char *name, char **data, size_t *size,
                               cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const cardan_files *files = spec->files;
  *data = NULL;
  *size = 0;
  if (files == NULL) {
    return cardan_fail(report, CARDAN_ERR_MODEL, none,
                       "the model needs the file \"%.200s\", but only this text was given", name);
  }
  if (spec->nfile == MOST_FILES) {
    return cardan_fail(report, CARDAN_ERR_MODEL, none,
                       "\"%.200s\" is one file too many, expected at most %d", name, MOST_FILES);
  }
  const cardan_status status = files->read(files->user, name, data, size, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (*size > most_bytes - spec->file_bytes) {
    cardan__spec_close(spec, *data);
    *data = NULL;
    return cardan_fail(report, CARDAN_ERR_MODEL, none,
                       "with \"%.200s\" the model's files have more than %zu bytes", name,
                       most_bytes);
  }
  spec->nfile++;
  spec->file_bytes += *size;
  return CARDAN_OK;
}

bool cardan__spec_open(cardan_spec *spec, const char *name, char **data, size_t *size)
{
  cardan_report report = {.message = ""};
  const cardan_status status = open_file(spec, name, data, size, &report);
  if (status != CARDAN_OK) {
    cardan__spec_fail(spec, status == CARDAN_ERR_MEMORY ? status : CARDAN_ERR_MODEL, "%s",
                      report.message);
  }
  return status == CARDAN_OK;
}

bool cardan__spec_try_open(cardan_spec *spec, const char *name, char **data, size_t *size)
{
  return open_file(spec, name, data, size, NULL) == CARDAN_OK;
}

void cardan__spec_close(cardan_spec *spec, char *data)
{
  if (data != NULL) {
    spec->files->release(spec->files->user, data);
  }
}
