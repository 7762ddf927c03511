// SPDX-License-Identifier: Apache-2.0
#include "cardan/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"

#define QUOTED(x) #x
#define VERSION_TEXT(major, minor, patch) QUOTED(major) "." QUOTED(minor) "." QUOTED(patch)

const char *cardan_version(void)
{
  return VERSION_TEXT(CARDAN_VERSION_MAJOR, CARDAN_VERSION_MINOR, CARDAN_VERSION_PATCH);
}

const char *cardan_status_text(cardan_status status)
{
  switch (status) {
#define STATUS_CASE(name, value, word, text) \
  case name:                                 \
    return text;
    CARDAN_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
  }
  return "an unknown status";
}

const char *cardan_status_word(cardan_status status)
{
  switch (status) {
#define STATUS_CASE(name, value, word, text) \
  case name:                                 \
    return word;
    CARDAN_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown";
}

cardan_status cardan_fail(cardan_report *report, cardan_status status, cardan_pos pos,
                          const char *format, ...)
{
  if (!report) {
    return status;
  }
  // by way of a copy, because the arguments may hold report->message itself
  char message[sizeof(report->message)];
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  if (length < 0) {
    snprintf(message, sizeof(message), "%s", cardan_status_text(status));
  } else if ((size_t)length >= sizeof(message)) {
    message[cardan__utf8_cut(message, sizeof(message) - 1)] = '\0';
  }
  memcpy(report->message, message, strlen(message) + 1);
  report->pos = pos;
  return status;
}

void cardan_report_format(const cardan_report *report, char *text, size_t size)
{
  char place[sizeof(report->file) + 64];
  const char *file = report->file;
  if (report->pos.line > 0 && report->pos.column > 0) {
    snprintf(place, sizeof(place), "%s%s%d:%d: ", file, *file ? ":" : "", report->pos.line,
             report->pos.column);
  } else if (report->pos.line > 0) {
    snprintf(place, sizeof(place), "%s%s%d: ", file, *file ? ":" : "", report->pos.line);
  } else {
    snprintf(place, sizeof(place), "%s%s", file, *file ? ": " : "");
  }
  const int length = snprintf(text, size, "%s%s", place, report->message);
  if (size > 0 && length >= 0 && (size_t)length >= size) {
    text[cardan__utf8_cut(text, size - 1)] = '\0';
  }
}

_Noreturn void cardan__assert_failed(const char *condition, const char *file, int line)
{
  (void)condition;
  (void)file;
  (void)line;
  __builtin_trap();
}
