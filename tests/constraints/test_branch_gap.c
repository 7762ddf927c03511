// SPDX-License-Identifier: Apache-2.0
#include "constraints/branch_gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "hard.h"

static const double PI = 3.14159265358979323846;

/* A four-bar: crank 1, coupler 2 + e, rocker 1.5, ground 2.5 m. With e = 0 it is flat where the
 * crank points away from the rocker's pin, and branches cross there. */
typedef struct {
  fixture f;
  double coupler;
  cardan__branch_gap *gap;
} fourbar;

static fourbar fourbar_open(double e)
{
  hard_case c = *hard_find("nearly-2435-1e-5");
  fourbar b = {.coupler = 2 + e};
  c.a[1] = b.coupler;
  char *text = hard_model(&c);
  b.f = fixture_load(text);
  free(text);
  expect_ok(cardan__branch_gap_create(b.f.model, NULL, &b.gap), NULL, "gap");
  assert_non_null(b.gap);
  return b;
}

static void fourbar_close(fourbar *b)
{
  cardan__branch_gap_destroy(b->gap);
  fixture_free(&b->f);
}

/* Crank, coupler relative to it, rocker, with the crank at that angle; side: of the coupler. */
static void fourbar_pose(const fourbar *b, double crank, double side, double *q)
{
  const double x = 2.5 - cos(crank), y = -sin(crank), d = hypot(x, y);
  const double coupler = b->coupler, rocker = 1.5;
  const double c =
      atan2(y, x) + side * acos((coupler * coupler + d * d - rocker * rocker) / (2 * coupler * d));
  const double r = atan2(coupler * sin(c) - y, coupler * cos(c) - x);
  q[0] = crank;
  q[1] = c - crank;
  q[2] = r;
  while (q[2] < 0) {
    q[2] += 2 * PI;
  }
}

/* From one position to another: a leap? */
static bool leaps(const fourbar *b, double from, double side, double to, double other,
                  cardan__branch_gap_found *found)
{
  double q[3], end[3], x[3];
  fourbar_pose(b, from, side, q);
  fourbar_pose(b, to, other, end);
  for (int k = 0; k < 3; k++) {
    x[k] = remainder(end[k] - q[k], 2 * PI);
  }
  return cardan__branch_gap_jumped(b->gap, 0, q, 1, x, found);
}

// The gap of lengths that miss the flat position by e is e; at the next order it is e (1 + O(e)),
// and where one end comes to within d of it what the rows are there adds e (e / d^2)
static void size_of_a_gap(void **state)
{
  (void)state;
  static const double miss[] = {1e-4, -1e-4, 1e-5, -1e-5, 1e-7, -1e-7, 1e-8, 1e-9, -4e-9};
  static const double ends[][2] = {{0.03, 0.02}, {0.02, 0.03}, {1e-3, 0.015}, {0.015, 1e-3}};
  for (size_t i = 0; i < sizeof miss / sizeof *miss; i++) {
    fourbar b = fourbar_open(miss[i]);
    const double e = fabs(miss[i]);
    for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
      const double before = ends[j][0], after = ends[j][1], nearest = fmin(before, after);
      const double part = e / (nearest * nearest);
      cardan__branch_gap_found found = {0};
      if (part > 0.3) { // the end is in the bend
        continue;
      }
      assert_true(leaps(&b, PI - before, 1, PI + after, -1, &found));
      assert_near(found.size, e, e * (0.01 + 2 * part));
      assert_near(found.at, before / (before + after), 0.01 + part);
      assert_true(found.row >= 0 && found.row < b.f.model->nrow);
      // a step is some square roots of e long
      assert_true(found.resolves > 5 * sqrt(e) && found.resolves < 150 * sqrt(e));
    }
    fourbar_close(&b);
  }
}

// branches that cross, long steps, ends near the place
static void a_passage_is_no_gap(void **state)
{
  (void)state;
  static const double ends[][2] = {{0.03, 0.02}, {0.2, 0.2},   {0.3, 0.1},
                                   {1e-5, 0.02}, {0.02, 1e-6}, {1e-4, 1e-4}};
  fourbar b = fourbar_open(0);
  cardan__branch_gap_found found;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    assert_false(leaps(&b, PI - ends[i][0], 1, PI + ends[i][1], -1, &found));
  }
  fourbar_close(&b);
}

// where the motion turns off, and steps follow it, nothing is leapt over
static void turning_off_is_none(void **state)
{
  (void)state;
  fourbar b = fourbar_open(1e-5);
  cardan__branch_gap_found found;
  for (int i = 0; i < 7; i++) {
    const double way = ldexp(1e-3, i);
    assert_false(leaps(&b, PI - way, 1, PI + way, 1, &found));
    assert_false(leaps(&b, PI - way, 1, PI - 0.5 * way, 1, &found));
  }
  fourbar_close(&b);
}

// a mass on a wire, and a crank in a regular four-bar: rows turn by more than a right angle
static void a_turn_is_none(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx \"x\" (ty \"y\" (name \"m\") (mass 1)))"
                           " (wire \"world\" \"m\" 1) (initial (\"x\" 1) (\"y\" 0)))");
  cardan__branch_gap *gap = NULL;
  cardan__branch_gap_found found;
  expect_ok(cardan__branch_gap_create(f.model, NULL, &gap), NULL, "gap");
  for (int i = 1; i <= 30; i++) {
    const double turn = 0.1 * i, q[2] = {1, 0}, x[2] = {cos(turn) - 1, sin(turn)};
    assert_false(cardan__branch_gap_jumped(gap, 0, q, 1, x, &found));
  }
  cardan__branch_gap_destroy(gap);
  fixture_free(&f);
  fourbar b = fourbar_open(0.5);
  for (int i = 1; i < 25; i++) {
    const double turn = 0.1 * i;
    assert_false(leaps(&b, 1.9, 1, 1.9 - turn, 1, &found));
    assert_false(leaps(&b, 1.9, 1, 1.9 + turn, 1, &found));
  }
  fourbar_close(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(size_of_a_gap),
      cmocka_unit_test(a_passage_is_no_gap),
      cmocka_unit_test(turning_off_is_none),
      cmocka_unit_test(a_turn_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
