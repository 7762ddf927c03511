// SPDX-License-Identifier: Apache-2.0
// Words that stand for others: repeat, its index and its strings; units and let in numbers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mbs_fixture.h"
#include "model/spec.h"

// two texts that mean the same
static void same(const char *text, const char *written)
{
  cardan_spec *a = read_good(text), *b = read_good(written);
  assert_same_spec(a, b, false);
  assert_round_trip(a, false);
  cardan_spec_destroy(a);
  cardan_spec_destroy(b);
}

static void repeats(void **state)
{
  (void)state;
  same("(system (repeat i 1 3 (tx i (name \"A{i}\") (mass 1))))",
       "(system (tx 1 (name \"A1\") (mass 1)) (tx 2 (name \"A2\") (mass 1))"
       " (tx 3 (name \"A3\") (mass 1)))");
  // a chain: the frame before; expressions in braces; names in expressions
  same("(system (tz 0 (name \"e0\")) (repeat k 1 2 (at \"e{k-1}\" (ry \"q{k}\" (mass k 1 1 1)"
       " (tz (- k) (name \"e{k}\")))) (torque \"q{k}\" (- (v \"q{(+ (* 2 k) (- k))}\")))))",
       "(system (tz 0 (name \"e0\")) (at \"e0\" (ry \"q1\" (mass 1 1 1 1) (tz -1 (name \"e1\"))))"
       " (torque \"q1\" (- v.q1)) (at \"e1\" (ry \"q2\" (mass 2 1 1 1) (tz -2 (name \"e2\"))))"
       " (torque \"q2\" (- v.q2)))");
  // inside one another, inside a frame, a joint, at and when; the inner index ends with its list
  same("(system (joint revolute \"j\" (mass 1 1 1 1)"
       " (repeat i 0 1 (tx i (repeat J 1 2 (ty (* i j) (name \"{i}-{j}\")))) (tz 9)))"
       " (repeat i 1 2 (when (- i 1) (at \"j\" (repeat j 5 5 (tx (+ i j)))))))",
       "(system (joint revolute \"j\" (mass 1 1 1 1)"
       " (tx 0 (ty 0 (name \"0-1\")) (ty 0 (name \"0-2\"))) (tz 9)"
       " (tx 1 (ty 1 (name \"1-1\")) (ty 2 (name \"1-2\"))) (tz 9))"
       " (at \"j\" (tx 7)))");
  // constants in braces and as ends; braces that stay; none at all
  same("(system (define n 2) (repeat i (- n) (- 0 n) (tx i (name \"{n}{i+10}{{x}\")))"
       " (repeat i 1 0 (tx 3)) (when 0 (repeat i 1 2 (tx i))) (tx 1 (name \"{i}\")))",
       "(system (define n 2) (tx -2 (name \"28{x}\")) (tx 1 (name \"{i}\")))");
  // vectors, starts and wrenches
  same("(system (repeat i 1 2 (joint free \"b{i}\" (mass 1 1 1 1)) (wrench world \"b{i}\" (i 0 t)"
       " (0 0 (q \"b{i}.x\"))) (initial (\"b{i}.x\" i))))",
       "(system (joint free \"b1\" (mass 1 1 1 1)) (wrench world \"b1\" (1 0 t) (0 0 q.b1.x))"
       " (initial (\"b1.x\" 1)) (joint free \"b2\" (mass 1 1 1 1))"
       " (wrench world \"b2\" (2 0 t) (0 0 q.b2.x)) (initial (\"b2.x\" 2)))");
}

static void repeat_errors(void **state)
{
  static const struct {
    const char *text;
    cardan_status status;
    int line, column;
    const char *part;
  } cases[] = {
      {"(system\n(repeat))", CARDAN_ERR_SYNTAX, 2, 1, "expected the name of the index"},
      {"(system\n(repeat \"i\" 1 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 9, "without quotes"},
      {"(system\n(repeat t 1 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 9, "means something else here"},
      {"(system (define L 1)\n(repeat l 1 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 9, "something else"},
      {"(system\n(repeat i 1 2 (repeat i 1 2 (tx 1))))", CARDAN_ERR_SYNTAX, 2, 23,
       "expected a new name for the index of a repeat; with i = 1 in the repeat of line 2"},
      {"(system\n(repeat i 1.5 2 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 11, "expected a whole number"},
      {"(system\n(repeat i 1 2))", CARDAN_ERR_SYNTAX, 2, 1, "expected an item to repeat"},
      {"(system\n(repeat i 3 1 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 1, "the smaller index first"},
      {"(system\n(repeat i 1 3\n (tx (/ 1 (- i 2)))))", CARDAN_ERR_MODEL, 3, 6,
       "; with i = 2 in the repeat of line 2"},
      {"(system\n(repeat i 1 3\n (tx i (name \"A\"))))", CARDAN_ERR_MODEL, 3, 14,
       "; with i = 2 in the repeat of line 2"},
      {"(system\n(repeat i 1 3\n (tx (j))))", CARDAN_ERR_MODEL, 3, 7, "with i = 1"},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{j}\"))))", CARDAN_ERR_MODEL, 2, 27,
       "in the braces of this string"},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{}\"))))", CARDAN_ERR_SYNTAX, 2, 27, "found \"{}\""},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{i\"))))", CARDAN_ERR_SYNTAX, 2, 27,
       "found \"{\" without \"}\""},
      {"(system\n(repeat i 1 3 (tx 1 (name \"{(/ i 2)}\"))))", CARDAN_ERR_SYNTAX, 2, 27,
       "found 0.5 in the braces of this string; expected a whole number"},
      {"(system\n(repeat i 1 3 (torque \"x\" (q \"{\"))))", CARDAN_ERR_SYNTAX, 2, 30, "without"},
      {"(system (joint revolute \"j\" (mass 1 1 1 1)\n(repeat i 1 1 (axis 1 0 0))))",
       CARDAN_ERR_SYNTAX, 2, 15, "outside of a joint"},
      {"(system (tx 1\n(repeat i 1 1 (spring \"a\" \"b\" 1 1))))", CARDAN_ERR_SYNTAX, 2, 15,
       "inside the frame of line 2"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    read_bad(cases[i].text, cases[i].status, cases[i].line, cases[i].column, cases[i].part);
  }
}

// a short text that would stand for too much is refused before any of it is read
static void repeat_bombs(void **state)
{
  cardan__text text;
  (void)state;
  read_bad("(system\n(repeat i 1 1000000\n (repeat j 1 1000000\n (tx 1))))", CARDAN_ERR_SYNTAX, 3,
           2, "more than 1e+06 items");
  read_bad("(system\n(repeat i 1 1000000000 (tx 1)))", CARDAN_ERR_SYNTAX, 2, 1, "1e+06 items");
  // few items of long text
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(system\n(repeat i 1 100000 (output \"a\" (+");
  for (int i = 0; i < 2000; i++) {
    cardan__text_printf(&text, " t");
  }
  cardan__text_printf(&text, "))))");
  read_bad(text.data, CARDAN_ERR_SYNTAX, 2, 1, "256 MB of text");
  cardan__text_free(&text);
  // deep
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(system\n");
  for (int i = 0; i < 17; i++) {
    cardan__text_printf(&text, "(repeat i%d 1 1 ", i);
  }
  cardan__text_printf(&text, "(tx 1)");
  for (int i = 0; i < 18; i++) {
    cardan__text_printf(&text, ")");
  }
  read_bad(text.data, CARDAN_ERR_SYNTAX, 2, 247, "deeper than 16 levels");
  cardan__text_free(&text);
}

// a name that was made of a parameter cannot follow it
static void repeat_parameters(void **state)
{
  cardan_spec *spec =
      read_good("(system (parameter n 3) (parameter m 1) (repeat i 1 n (tx i (mass m))))");
  (void)state;
  assert_int_equal(spec->nframe, 4);
  assert_true(spec->define[0].rigid_pos.line > 0 && spec->define[1].rigid_pos.line == 0);
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
  spec = read_good("(system (parameter n 3) (repeat i 1 1 (tx i (name \"{n}\"))))");
  assert_true(spec->define[0].rigid_pos.line > 0);
  cardan_spec_destroy(spec);
}

// units and let where numbers and expressions stand, and what they are rounded to
static void units_and_let(void **state)
{
  (void)state;
  same("(system (tx (mm 30) (mass (gram 5))) (place ((cm 1) 0 (mm 5)))"
       " (simulate (time (ms 5))))",
       "(system (tx 0.03 (mass 0.005)) (place (0.01 0 0.005)) (simulate (time 0.005)))");
  same("(system (define L 2) (tx (let ((a L) (b (* a a))) (+ a b)) (name \"A\"))"
       " (rz (k \"c\")) (motion \"c\" (let ((w (rpm 60))) (* w (sin (* w t))))))",
       "(system (define L 2) (tx 6 (name \"A\"))"
       " (rz (k \"c\")) (motion \"c\" (* (rpm 60) (sin (* (rpm 60) t)))))");
  // digits count in the unit that they are written in
  cardan_spec *spec = read_good("(system (tx (mm 12.34)))");
  assert_near(spec->rounding, 1e-5, 1e-20);
  cardan_spec_destroy(spec);
  spec = read_good("(system (repeat i 1234 1234 (tx 1)))");
  assert_true(spec->rounding == 0.0);
  cardan_spec_destroy(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repeats),       cmocka_unit_test(repeat_errors),
      cmocka_unit_test(repeat_bombs),  cmocka_unit_test(repeat_parameters),
      cmocka_unit_test(units_and_let),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
