// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/cpu_level.h"
#include "support.h"

static void version_matches_header(void **state)
{
  (void)state;
  char text[64];
  snprintf(text, sizeof(text), "%d.%d.%d", CARDAN_VERSION_MAJOR, CARDAN_VERSION_MINOR,
           CARDAN_VERSION_PATCH);
  assert_string_equal(cardan_version(), text);
}

/* What runs cannot be compiled for more than the processor has. */
static void level_is_one_that_the_processor_has(void **state)
{
  (void)state;
  static const char *const words[] = {"plain", "x86-64", "", "x86-64-v3", "x86-64-v4"};
  int level = 0;
  while (level < 5 && strcmp(words[level], cardan_cpu_level()) != 0) {
    level++;
  }
  assert_true(level <= cardan__cpu_level());
}

static void every_status_has_its_own_text(void **state)
{
  (void)state;
#define STATUS_ROW(name, value, word, text) {name, word, text},
  static const struct {
    cardan_status status;
    const char *word, *text;
  } rows[] = {CARDAN_STATUS_LIST(STATUS_ROW)};
#undef STATUS_ROW
  const int n = (int)(sizeof(rows) / sizeof(rows[0]));
  for (int i = 0; i < n; i++) {
    assert_string_equal(cardan_status_text(rows[i].status), rows[i].text);
    assert_string_equal(cardan_status_word(rows[i].status), rows[i].word);
    assert_true(i == 0 ? rows[i].status == CARDAN_OK : rows[i].status < 0);
    for (int j = 0; j < i; j++) {
      assert_int_not_equal(rows[i].status, rows[j].status);
      assert_string_not_equal(rows[i].text, rows[j].text);
      assert_string_not_equal(rows[i].word, rows[j].word);
    }
  }
  assert_string_equal(cardan_status_text((cardan_status)-9999), "an unknown status");
  assert_string_equal(cardan_status_word((cardan_status)-9999), "unknown");
}

static void fail_fills_the_report(void **state)
{
  (void)state;
  cardan_report report = {.file = "arm.mbs"};
  const cardan_pos pos = {.line = 3, .column = 14};
  assert_int_equal(cardan_fail(&report, CARDAN_ERR_MODEL, pos, "mass is %g", -1.5),
                   CARDAN_ERR_MODEL);
  assert_string_equal(report.message, "mass is -1.5");
  assert_string_equal(report.file, "arm.mbs");
  assert_int_equal(report.pos.line, 3);
  assert_int_equal(report.pos.column, 14);

  // no report wanted, and a message built from the one before
  assert_int_equal(cardan_fail(NULL, CARDAN_ERR_IO, pos, "x"), CARDAN_ERR_IO);
  assert_int_equal(cardan_fail(&report, CARDAN_ERR_IO, pos, "load: %s", report.message),
                   CARDAN_ERR_IO);
  assert_string_equal(report.message, "load: mass is -1.5");
}

static void long_messages_end_at_a_whole_character(void **state)
{
  (void)state;
  cardan_report report = {0};
  const size_t room = sizeof(report.message) - 1;
  static const char *const letters[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9D\x84\x9E"};

  // letters of 1 to 4 bytes, shifted so that the cut falls on each of their bytes
  for (size_t width = 1; width <= 4; width++) {
    for (size_t shift = 0; shift < 4; shift++) {
      char text[1200] = {0};
      memset(text, '-', shift);
      for (size_t i = 0; i < 600 / width; i++) {
        memcpy(text + shift + i * width, letters[width - 1], width);
      }
      cardan_status status =
          cardan_fail(&report, CARDAN_ERR_SYNTAX, (cardan_pos){1, 1}, "%s", text);
      assert_int_equal(status, CARDAN_ERR_SYNTAX);
      assert_int_equal(strlen(report.message), shift + (room - shift) / width * width);
      assert_memory_equal(report.message, text, strlen(report.message));
    }
  }
}

static void report_format_leaves_out_what_is_not_known(void **state)
{
  (void)state;
  static const struct {
    cardan_report report;
    const char *text;
  } cases[] = {
      {{.file = "a.mbs", .pos = {2, 5}, .message = "bad"}, "a.mbs:2:5: bad"},
      {{.file = "a.mbs", .pos = {2, 0}, .message = "bad"}, "a.mbs:2: bad"},
      {{.file = "a.mbs", .message = "bad"}, "a.mbs: bad"},
      {{.pos = {2, 5}, .message = "bad"}, "2:5: bad"},
      {{.message = "bad"}, "bad"},
      {{.message = ""}, ""},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[1024];
    cardan_report_format(&cases[i].report, text, sizeof(text));
    assert_string_equal(text, cases[i].text);
  }

  // cut to size, never past it, never inside a character; size 0 writes nothing
  char text[8] = "#######";
  const cardan_report umlaut = {.message = "abc\xC3\xA9"};
  cardan_report_format(&umlaut, text, 5);
  assert_string_equal(text, "abc");
  assert_int_equal(text[5], '#');
  cardan_report_format(&umlaut, text, 0);
  assert_string_equal(text, "abc");
}

static void report_format_holds_the_longest_report(void **state)
{
  (void)state;
  cardan_report report = {.pos = {2147483647, 2147483647}};
  memset(report.file, 'f', sizeof(report.file) - 1);
  memset(report.message, 'm', sizeof(report.message) - 1);
  char text[1024];
  cardan_report_format(&report, text, sizeof(text));
  assert_int_equal(strlen(text), 255 + strlen(":2147483647:2147483647: ") + 511);
}

// a failed assert must stop the process; one that is off must not even evaluate its condition
static void assert_stops_when_on(void **state)
{
  (void)state;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    // no core file, and none of the handlers that cmocka has put in place
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGILL, SIG_DFL);
    signal(SIGTRAP, SIG_DFL);
    cardan__assert_failed("1 == 2", __FILE__, __LINE__);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));

  int evaluated = 0;
  CARDAN_ASSERT(++evaluated == 1);
#if defined(CARDAN_ASSERTS) && CARDAN_ASSERTS
  assert_int_equal(evaluated, 1);
#else
  assert_int_equal(evaluated, 0);
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_matches_header),
      cmocka_unit_test(level_is_one_that_the_processor_has),
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(fail_fills_the_report),
      cmocka_unit_test(long_messages_end_at_a_whole_character),
      cmocka_unit_test(report_format_leaves_out_what_is_not_known),
      cmocka_unit_test(report_format_holds_the_longest_report),
      cmocka_unit_test(assert_stops_when_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
