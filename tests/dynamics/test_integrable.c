// SPDX-License-Identifier: Apache-2.0
// Which constraints on velocities are rates of relations of positions.
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "dynamics/integrable.h"
#include "fixture.h"

/* The names of those that are, with blanks before them. */
static void integrable_of(const char *text, char *names, size_t size)
{
  bool found[16];
  fixture f = fixture_load(text);
  cardan_report report = {.message = ""};
  assert_true(f.model->nconstraint <= 16);
  expect_ok(cardan_assemble(f.model, f.data, NULL, &report), &report, text);
  names[0] = '\0';
  const int count = cardan__integrable(f.model, f.data, found);
  int counted = 0;
  for (int c = 0; c < f.model->nconstraint; c++) {
    if (found[c]) {
      const size_t used = strlen(names);
      snprintf(names + used, size - used, " %s", f.model->constraint[c].name);
      counted++;
    }
  }
  assert_int_equal(count, counted);
  fixture_free(&f);
}

static void known_cases(void **state)
{
  static const struct {
    const char *model, *names;
  } cases[] = {
      // d(x y) + 2 dz, alone and beside one that is not integrable
      {"(system (tx \"x\" (ty \"y\" (tz \"z\" (mass 1)))) (rz \"a\" (mass 1 1 1 1))"
       " (velocity (+ (* q.y v.x) (* q.x v.y) (* 2 v.z)) (name \"i\")))",
       " i"},
      {"(system (tx \"x\" (ty \"y\" (tz \"z\" (mass 1)))) (rz \"a\" (mass 1 1 1 1))"
       " (tx \"w\" (mass 1)) (velocity (+ (* q.y v.x) (* q.x v.y) (* 2 v.z)) (name \"i\"))"
       " (velocity (- v.w (* (cos q.x) v.a)) (name \"n\")))",
       " i"},
      // not closed, but with an integrating factor: e^x (dx + dy) and a coordinate beside it
      {"(system (tx \"x\" (ty \"y\" (tz \"z\" (mass 1))))"
       " (velocity (* (exp q.z) (+ v.x v.y)) (name \"i\")))",
       " i"},
      // two rows that are integrable together, neither alone: dx = z dy, dz = 0
      {"(system (tx \"x\" (ty \"y\" (tz \"z\" (mass 1)))) (tx \"w\" (mass 1))"
       " (velocity (- v.x (* q.z v.y)) (name \"a\")) (velocity v.z (name \"b\")))",
       " a b"},
      // the contact form
      {"(system (tx \"x\" (ty \"y\" (tz \"z\" (mass 1)))) (velocity (- v.z (* q.y v.x))))", ""},
      // a wheel on a straight track; angular velocities of a body in space
      {"(system (tx \"x\" (tz 0.3 (ry \"f\" (rx (deg 90) (name \"w\") (mass 1 1 1 1)))))"
       " (roll \"w\" \"world\" (disc 0.3) (flat) (name \"track\")))",
       " track"},
      {"(system (joint spherical \"s\" (mass 1 1 2 3)) (velocity v.s.wz (name \"suslov\")))", ""},
      // of time, and of a driver: not asked
      {"(system (tx \"x\" (mass 1)) (velocity (- v.x (sin t))))", ""},
      {"sleigh", ""},
      {"snakeboard", ""},
      {"bicycle", ""},
      {"rolling-disc", ""},
      {"ball-table", ""},
      {"car", ""}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char names[256];
    integrable_of(cases[i].model, names, sizeof names);
    if (strcmp(names, cases[i].names) != 0) {
      print_error("%s\n", cases[i].model);
    }
    assert_string_equal(names, cases[i].names);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
