// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbs_fixture.h"
#include "model/spec.h"

// Texts that no one writes, texts that are very large, and no memory: an answer, never a crash.

static cardan_status read_bytes(const char *text, size_t length, cardan_report *report)
{
  cardan_spec *spec;
  *report = (cardan_report){0};
  const cardan_status status = cardan_spec_read(text, length, NULL, NULL, 0, NULL, &spec, report);
  assert_int_equal(status == CARDAN_OK, spec != NULL);
  assert_int_equal(status == CARDAN_OK, report->message[0] == '\0');
  cardan_spec_destroy(spec);
  return status;
}

static void strange_texts(void **state)
{
  enum { MEGABYTE = 1 << 20 };
  support_rng rng = {3};
  cardan_report report;
  char *text = malloc(MEGABYTE);
  (void)state;
  assert_non_null(text);
  memset(text, '(', MEGABYTE);
  assert_int_equal(read_bytes(text, MEGABYTE, &report), CARDAN_ERR_SYNTAX);
  assert_int_equal(report.pos.column, 10001);
  assert_non_null(strstr(report.message, "deeper than 10000"));

  for (int trial = 0; trial < 20; trial++) {
    for (int i = 0; i < MEGABYTE; i++) {
      text[i] = (char)(support_random(&rng) & 0xFF);
    }
    assert_int_equal(read_bytes(text, trial == 0 ? MEGABYTE : 1000, &report), CARDAN_ERR_SYNTAX);
    assert_true(report.pos.line > 0 && report.pos.column > 0);
  }
  free(text);

  assert_int_equal(read_bytes(NULL, 0, &report), CARDAN_ERR_SYNTAX);
  assert_int_equal(read_bytes("", 0, &report), CARDAN_ERR_SYNTAX);
  assert_int_equal(read_bytes("(system\0)", 9, &report), CARDAN_ERR_SYNTAX);
  assert_true(report.pos.line == 1 && report.pos.column == 8);
  assert_non_null(strstr(report.message, "NUL"));
  assert_int_equal(read_bytes("(system \"a\0b\")", 14, &report), CARDAN_ERR_SYNTAX);

  // the same text with each kind of line end, and with a byte order mark
  static const char *const same[] = {"(system\n (tx 1)\n)\n", "(system\r\n (tx 1)\r\n)\r\n",
                                     "(system\r (tx 1)\r)\r", "\xef\xbb\xbf(system\n (tx 1))"};
  for (int i = 0; i < 4; i++) {
    cardan_spec *spec = read_good(same[i]);
    assert_true(spec->nframe == 2 && spec->frame[1].pos.line == 2 &&
                spec->frame[1].pos.column == 2);
    cardan_spec_destroy(spec);
  }
}

// every beginning of a good text is a bad one, with a place inside it
static void cut_texts(void **state)
{
  static const char text[] =
      "(system \"a\" (gravity 0 0 -9.81) (define L 1)\n"
      " (tx L ry \"q\" (name \"A\") (mass 1 1 1 1) (place (0 0 1) (rpy 0 0 1) (name \"B\")))\n"
      " (joint universal \"u\" (axis 0 1 0) (axis2 1 0 0))\n"
      " (wire \"A\" \"B\" (+ 2 (sin t))) (torque \"q\" (* t v.q)) (friction \"u\" 0.1 (vs 1))\n"
      " (initial ((\"q\" 1) fixed) (\"u\" (1 2))) (simulate (dt 0.1)))";
  cardan_report report;
  (void)state;
  assert_int_equal(read_bytes(text, strlen(text), &report), CARDAN_OK);
  for (size_t n = 0; n < strlen(text); n++) {
    assert_int_equal(read_bytes(text, n, &report), CARDAN_ERR_SYNTAX);
  }

  // and without any one of its characters, or with another in its place: no promise but an answer
  char other[sizeof(text)];
  for (size_t n = 0; n + 1 < sizeof(text); n++) {
    memcpy(other, text, n);
    memcpy(other + n, text + n + 1, sizeof(text) - n - 1);
    (void)read_bytes(other, sizeof(text) - 2, &report);
    static const char replace[] = "()\" 9-q";
    memcpy(other, text, sizeof(text));
    for (const char *c = replace; *c; c++) {
      other[n] = *c;
      (void)read_bytes(other, sizeof(text) - 1, &report);
    }
  }
}

/* ---- large texts ---- */

// frames nested n deep in the text
static char *nested(int n)
{
  static const char open[] = "(place (0 0 1)";
  char *text = malloc((size_t)n * (sizeof(open) + 1) + 64), *p = text;
  assert_non_null(text);
  p += sprintf(p, "(system ");
  for (int i = 0; i < n; i++) {
    p += sprintf(p, "%s", open);
  }
  memset(p, ')', (size_t)n + 1);
  p[n + 1] = '\0';
  return text;
}

static void deep_texts(void **state)
{
  (void)state;
  // the system, n frames, and the place of the last: n + 2 lists
  char *text = nested(9998);
  cardan_spec *spec = read_good(text);
  assert_int_equal(spec->nframe, 9999);
  cardan_spec_destroy(spec);
  free(text);

  cardan_report report;
  text = nested(9999);
  assert_int_equal(read_bytes(text, strlen(text), &report), CARDAN_ERR_SYNTAX);
  assert_non_null(strstr(report.message, "deeper than 10000"));
  free(text);
}

// 100,000 links written flat, as the writer does; every link has its name, mass and shape
static void long_texts(void **state)
{
  enum { N = 100000, LINK = 160 };
  char *text = malloc((size_t)N * LINK + 64), *p = text, *written;
  (void)state;
  assert_non_null(text);
  p += sprintf(p, "(system\n");
  for (int i = 1; i <= N; i++) {
    char parent[16] = "world";
    if (i > 1) {
      snprintf(parent, sizeof(parent), "l%d", i - 1);
    }
    p += sprintf(p,
                 "(at \"%s\" (joint revolute \"q%d\" (axis 0 1 0)\n"
                 " (tz -0.5 (mass 1 0.084166 0.084166 0.0016) (shape box 0.1 0.1 1))\n"
                 " (tz -1 (name \"l%d\"))))\n",
                 parent, i, i);
  }
  sprintf(p, ")");
  cardan_spec *spec = read_good(text);
  free(text);
  assert_int_equal(spec->nframe, 3 * N + 1);
  assert_int_equal(spec->njoint, N);
  assert_int_equal(cardan_spec_find_frame(spec, "l100000"), 3 * N);

  assert_int_equal(cardan_spec_write(spec, NULL, &written), CARDAN_OK);
  cardan_spec *back = read_good(written);
  assert_same_spec(spec, back, false);
  cardan_spec_destroy(back);
  cardan_free_text(NULL, written);
  cardan_spec_destroy(spec);
}

/* ---- no memory ---- */

static cardan_status read_and_write(const cardan_allocator *alloc, void *user)
{
  const char *text = user;
  const cardan_setting set[] = {{"L", 2.0}};
  cardan_spec *spec;
  cardan_report report = {0};
  char *written = NULL;
  cardan_status status =
      cardan_spec_read(text, strlen(text), "memory.mbs", set, 1, alloc, &spec, &report);
  if (status) {
    assert_null(spec);
    assert_true(report.message[0] != '\0');
    return status;
  }
  status = cardan_spec_write(spec, NULL, &written);
  assert_int_equal(status == CARDAN_OK, written != NULL);
  cardan_free_text(alloc, written);
  cardan_spec_destroy(spec);
  return status;
}

static void no_memory(void **state)
{
  static char text[] =
      "(system \"a\" (gravity 0 0 -9.81) (define L 1) (define M (* 2 L))\n"
      " (tx L ry \"q\" (name \"A\") (mass 1 1 1 1) (shape box 1 1 1) (color \"#000000\")\n"
      "  (place (0 0 1) (rpy 0 0 1) (name \"B\") (shape mesh \"m.stl\")))\n"
      " (joint universal \"u\" (axis 0 1 0) (axis2 1 0 0)) (rz (k \"k\"))\n"
      " (wire \"A\" \"B\" (+ 2 (sin t)) (name \"w\")) (torque \"q\" (* t v.q)) (friction \"u\" "
      "0.1)\n"
      " (wrench body \"A\" (0 0 t) (0 0 (* 2 (sin t)))) (motion \"k\" (* M t)) (weld \"A\" \"B\")\n"
      " (repeat i 1 2 (rx \"q{i}\" (mass 1 1 1 1)) (torque \"q{i}\" (let ((a (v \"q{(+ i 0)}\"))) "
      "a)))\n"
      " (initial ((\"q\" 1) fixed) (\"u\" (1 2)) (pose \"A\" (0 0 0))) (simulate (dt (/ 1 10))))";
  (void)state;
  assert_true(support_fail_each(read_and_write, text) > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strange_texts), cmocka_unit_test(cut_texts), cmocka_unit_test(deep_texts),
      cmocka_unit_test(long_texts),    cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
