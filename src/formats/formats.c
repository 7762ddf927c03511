// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "model/spec.h"

#define CARDAN__FORMAT_ADDRESS(name) &cardan__format_##name,
static const cardan__format *const formats[] = {CARDAN__FORMAT_LIST(CARDAN__FORMAT_ADDRESS)};
enum { NFORMAT = sizeof formats / sizeof formats[0] };

/* NULL when the name has no ending that is here. */
static const cardan__format *format_of(const char *file)
{
  const char *ending = file != NULL ? strrchr(file, '.') : NULL;
  for (int i = 0; i < NFORMAT && ending != NULL; i++) {
    if (strcasecmp(formats[i]->ending, ending) == 0) {
      return formats[i];
    }
  }
  return NULL;
}

const char *cardan_format_ending(int index)
{
  return index >= 0 && index < NFORMAT ? formats[index]->ending : NULL;
}

const char *cardan_format_help(int index)
{
  return index >= 0 && index < NFORMAT ? formats[index]->help : NULL;
}

bool cardan_format_writes(int index)
{
  return index >= 0 && index < NFORMAT && formats[index]->write != NULL;
}

cardan_status cardan_spec_read(const char *text, size_t length, const char *file,
                               const cardan_setting *settings, int nsetting,
                               const cardan_allocator *allocator, cardan_spec **out,
                               cardan_report *report)
{
  return cardan_spec_read_files(text, length, file, settings, nsetting, NULL, allocator, out,
                                report);
}

cardan_status cardan_spec_read_files(const char *text, size_t length, const char *file,
                                     const cardan_setting *settings, int nsetting,
                                     const cardan_files *files, const cardan_allocator *allocator,
                                     cardan_spec **out, cardan_report *report)
{
  const cardan__format *format = format_of(file);
  *out = NULL;
  cardan__report_file(report, file ? file : "");
  cardan_spec *spec;
  cardan_status status = cardan_spec_create(allocator, &spec);
  if (status) {
    return cardan_fail(report, status, (cardan_pos){0},
                       "there is not enough memory for this model");
  }
  cardan__report_file(&spec->report, file ? file : "");
  spec->files = files;
  status = (format != NULL ? format : formats[0])
               ->read(spec, text ? text : "", text ? length : 0, settings, nsetting);
  if (status) {
    if (report) {
      *report = spec->report;
    }
    cardan_spec_destroy(spec);
    return status;
  }
  spec->at = (cardan_pos){0};
  spec->files = NULL;
  *out = spec;
  return CARDAN_OK;
}

cardan_status cardan_spec_write(const cardan_spec *spec, const char *file, char **out)
{
  return cardan_spec_write_as(spec, file, out, NULL);
}

cardan_status cardan_spec_write_as(const cardan_spec *spec, const char *file, char **out,
                                   cardan_report *report)
{
  const cardan__format *format = file != NULL ? format_of(file) : formats[0];
  *out = NULL;
  if (spec->status) {
    return cardan_spec_status(spec, report);
  }
  if (format == NULL || format->write == NULL) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0},
                       "models cannot be written as \"%.200s\"", file);
  }
  cardan__report_file(report, spec->report.file);
  cardan__text text;
  cardan__text_init(&text, spec->allocator);
  const cardan_status status = format->write(spec, &text, report);
  if (status || text.failed) {
    cardan__text_free(&text);
    return status ? status : cardan__no_memory(report);
  }
  *out = text.data;
  return CARDAN_OK;
}
