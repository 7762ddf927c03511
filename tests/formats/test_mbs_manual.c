// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbs_fixture.h"
#include "robot_fixture.h"

// Every example of docs/format.md can be read, and is the same after writing and reading again.

static char *load(const char *path)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  assert_true(size > 0);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
  text[size] = '\0';
  (void)fclose(file);
  return text;
}

static void check(const char *host, size_t host_length, const char *example, size_t length)
{
  char text[8192];
  // a fragment stands before the last parenthesis of the first example
  const int n =
      snprintf(text, sizeof(text), "%.*s\n%.*s)", (int)host_length, host, (int)length, example);
  assert_true(n > 0 && (size_t)n < sizeof(text));
  // the files that examples name
  char *pairs[] = {(char *)"push.csv", (char *)"t,force,height\n0,0,0\n0.5,3,0.1\n2,1,0.4\n", NULL};
  const cardan_files files = robot_files(pairs);
  cardan_report report = {0};
  cardan_spec *spec;
  if (cardan_spec_read_files(text, strlen(text), "a.mbs", NULL, 0, &files, NULL, &spec, &report)) {
    fail_msg("%d:%d: %s\nin: %.*s", report.pos.line, report.pos.column, report.message, (int)length,
             example);
  }
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
}

static void examples(void **state)
{
  static const char fence[] = "```mbs\n";
  char *manual = load(CARDAN_MANUAL);
  const char *host = NULL;
  size_t host_length = 0;
  int count = 0;
  (void)state;
  for (char *p = strstr(manual, fence); p; p = strstr(p, fence), count++) {
    p += strlen(fence);
    char *end = strstr(p, "```");
    assert_non_null(end);
    if (!host) {
      // up to its last parenthesis
      host = p;
      host_length = (size_t)(end - p);
      while (host[host_length - 1] != ')') {
        host_length--;
      }
      host_length--;
      check(host, host_length, "", 0);
    } else {
      check(host, host_length, p, (size_t)(end - p));
    }
    p = end;
  }
  assert_true(count > 10);
  free(manual);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
