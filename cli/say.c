// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "options.h"

/* Options of the command that its files do not have. */
static bool is_own(const char *name)
{
  static const char *const list[] = {"add",         "base", "convex", "floor", "input-mode",
                                     "keep-motion", "path", "resume", "set"};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    if (strcmp(name, list[i]) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_any(const char *name)
{
  return is_own(name) || cli_is_sim_option(name);
}

static void add_dashes(char *text, bool (*known)(const char *name))
{
  static const char lead[] = "option ";
  char *to = text;
  for (const char *from = text; *from;) {
    char name[64] = "";
    const size_t n = strncmp(from, lead, sizeof lead - 1) == 0
                         ? strspn(from + sizeof lead - 1, "abcdefghijklmnopqrstuvwxyz-")
                         : 0;
    if (n > 0 && n < sizeof name) {
      memcpy(name, from + sizeof lead - 1, n);
    }
    if (n > 0 && known(name)) {
      from += sizeof lead - 1; // longer than the dashes
      *to++ = '-';
      *to++ = '-';
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
}

void cli_dashes(char *text)
{
  add_dashes(text, is_any);
}

/* Bytes of the character at c that must not reach a terminal as it is, 0: it may. Control
 * characters, those of two bytes (U+0080 to 9F) too, and those that turn the direction of what
 * is beside them (U+061C, U+200E, 200F, 202A to 202E, 2066 to 2069). */
static size_t hidden(const unsigned char *c)
{
  if (c[0] == 0xe2 && c[1] == 0x80) {
    return c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae) ? 3 : 0;
  }
  if (c[0] == 0xe2 && c[1] == 0x81) {
    return c[2] >= 0xa6 && c[2] <= 0xa9 ? 3 : 0;
  }
  if (c[0] == 0xc2 || c[0] == 0xd8) {
    return (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f) || (c[0] == 0xd8 && c[1] == 0x9c) ? 2 : 0;
  }
  return c[0] < 0x20U || c[0] == 0x7f ? 1 : 0;
}

/* One line on the standard error, control characters (of names in files) as '?'. Options have
 * dashes; at a place in a file, which leads the line, only those that a file does not have. */
static void say_line(const char *lead, const char *format, va_list args)
{
  char line[1024];
  vsnprintf(line, sizeof line, format, args);
  add_dashes(line, lead[0] ? is_any : is_own);
  char *to = line;
  for (const char *c = line; *c;) {
    const size_t n = hidden((const unsigned char *)c);
    *to++ = n > 0 ? '?' : *c;
    c += n > 0 ? n : 1;
  }
  *to = '\0';
  fprintf(stderr, "%s%s\n", lead, line);
}

void cli_error(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say_line("cardan: ", format, args);
  va_end(args);
}

void cli_warning(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say_line("warning: ", format, args);
  va_end(args);
}

static void say_place(const char *format, ...) CARDAN_PRINTF(1, 2);

static void say_place(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say_line("", format, args);
  va_end(args);
}

int cli_load_failed(cardan_status status, const cardan_report *report)
{
  char text[sizeof report->file + sizeof report->message + 64];
  if (report->message[0] == '\0') {
    cli_error("%s", cardan_status_text(status));
  } else if (report->pos.line > 0) {
    cardan_report_format(report, text, sizeof text);
    say_place("%s", text);
  } else if (report->file[0] != '\0' && status != CARDAN_ERR_ARGUMENT && status != CARDAN_ERR_IO) {
    say_place("%s: %s", report->file, report->message);
  } else {
    cli_error("%s", report->message);
  }
  switch (status) {
  case CARDAN_ERR_ARGUMENT:
  case CARDAN_ERR_IO:
    return CLI_USAGE;
  case CARDAN_ERR_MEMORY:
    return CLI_STOPPED;
  default:
    return CLI_MODEL;
  }
}

int cli_table_failed(cardan_status status, const cardan_report *report)
{
  const int exit = cli_load_failed(status, report);
  return exit == CLI_MODEL ? CLI_USAGE : exit;
}

int cli_finish_output(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return status;
  }
  cli_error("cannot write to the standard output: %s", strerror(errno));
  return CLI_USAGE;
}

double cli_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
