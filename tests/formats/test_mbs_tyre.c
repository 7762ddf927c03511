// SPDX-License-Identifier: Apache-2.0
// Tyres as text: what is wrong is named at its place with what to write, what is right comes back.
#include <stdio.h>

#include "mbs_fixture.h"

#define WHEEL "(system (tx \"x\" (ry \"s\" (name \"w\") (mass 1 1 1 1)))\n"
#define GOOD "(disc 0.3) (linear 8e4 6e4 0.9) (vertical 2e5 500)"

static void wrong_forms(void **state)
{
  static const bad_text list[] = {
      {WHEEL "(tyre))", 2, 1, "the name of a frame"},
      {WHEEL "(tyre \"w\"))", 2, 1, "the name of a frame"},
      {WHEEL "(tyre \"w\" 3))", 2, 11, "the name of a frame"},
      {WHEEL "(tyre \"w\" \"world\" 0.3))", 2, 19, "(disc 0.3)"},
      {WHEEL "(tyre \"w\" \"world\" (dist 0.3)))", 2, 19, "\"disc\""},
      {WHEEL "(tyre \"w\" \"world\" (disc)))", 2, 19, "a number"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0)))", 2, 19, "expected more than 0"},
      {WHEEL "(tyre \"w\" \"world\" (disc -0.3)))", 2, 19, "expected more than 0"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3 0.4)))", 2, 29, "nothing more"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (disc 0.3)))", 2, 30, "a second time"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (axis 0 1)))", 2, 30, "a direction"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (axis 0 0 0)))", 2, 30, "not zero"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 8e4 6e4)))", 2, 30, "three numbers"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 0 0 0)))", 2, 30, "not all 0"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (magic 10 1.4 0.9)))", 2, 30, "four numbers"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (vertical 2e5)))", 2, 30, "two numbers"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (load 0)))", 2, 30, "expected more than 0"},
      {WHEEL "(tyre \"w\" \"world\" " GOOD " (relaxation 0)))", 2, 70, "expected more than 0"},
      {WHEEL "(tyre \"w\" \"world\" " GOOD " (camber 0)))", 2, 70, "not 0"},
  };
  (void)state;
  read_all_bad(list, sizeof list / sizeof *list, CARDAN_ERR_SYNTAX);
}

static void wrong_values(void **state)
{
  static const bad_text list[] = {
      {WHEEL "(tyre \"w\" \"road\" " GOOD "))", 2, 11, "no frame \"road\""},
      {WHEEL "(tyre \"w\" \"w\" " GOOD "))", 2, 11, "both ends"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 8e4 6e4 a)))", 2, 46, "no constant"},
      {WHEEL "(tyre \"w\" \"world\" (linear 8e4 6e4 0.9) (load 9)))", 2, 1,
       "expected (disc radius)"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (load 9)))", 2, 1, "(linear Cx Cy mu) and (magic"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 1 1 1) (magic 1 1 1 1) (load 9)))", 2, 1,
       "both (linear ..) and (magic ..)"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 8e4 6e4 0.9)))", 2, 1,
       "(vertical stiffness"},
      {WHEEL "(tyre \"w\" \"world\" " GOOD " (load 9)))", 2, 1, "both (vertical ..) and (load ..)"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear -8e4 6e4 0.9) (load 9)))", 2, 1,
       "Cx = -80000"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 8e4 0 0.9) (load 9)))", 2, 1, "Cy = 0"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 8e4 6e4 -1) (load 9)))", 2, 1, "mu = -1"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (magic -1 1.4 0.9 0) (load 9)))", 2, 1, "B = -1"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (magic 10 2 0.9 0) (load 9)))", 2, 1, "less than 2"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (magic 10 1.4 0 0) (load 9)))", 2, 1, "D = 0"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (magic 10 1.4 0.9 1.5) (load 9)))", 2, 1,
       "1 at most"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 1 1 1) (vertical -5 0)))", 2, 1, "k = -5"},
      {WHEEL "(tyre \"w\" \"world\" (disc 0.3) (linear 1 1 1) (vertical 5 -1)))", 2, 1, "c = -1"},
      {WHEEL "(state \"a.x\" (derivative 1)) (tyre \"w\" \"world\" " GOOD
             " (relaxation 0.4) (name \"a\")))",
       2, 30, "already an auxiliary state \"a.x\""},
  };
  (void)state;
  read_all_bad(list, sizeof list / sizeof *list, CARDAN_ERR_MODEL);
}

static void text_comes_back(void **state)
{
  static const char *const forms[] = {
      GOOD,
      "(disc 0.3) (axis 0 1 0) (magic 10 1.4 0.9 -0.2) (load 4000) (name \"a\")",
      GOOD " (camber 2000) (relaxation 0.4) (name \"front left\")",
      GOOD " (camber -5) (relaxation 0.4)",
  };
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char text[500];
    snprintf(text, sizeof text, WHEEL "(tyre \"w\" \"world\" %s))", forms[i]);
    cardan_spec *spec = read_good(text);
    assert_round_trip(spec, false);
    cardan_spec_destroy(spec);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_forms),
      cmocka_unit_test(wrong_values),
      cmocka_unit_test(text_comes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
