// SPDX-License-Identifier: Apache-2.0
// Motions on height fields: those on planes, closed forms, a hollow.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

/* Heights of 9 x 9 places as text, rows from the highest y down. */
static void put_heights(char *text, size_t size, double (*f)(double, double))
{
  size_t n = (size_t)snprintf(text, size, "(heights");
  for (int j = 8; j >= 0; j--) {
    for (int i = 0; i < 9; i++) {
      n += (size_t)snprintf(text + n, size - n, "%s%.17g", i == 0 ? " (" : " ",
                            f(i / 8.0 - 0.5, j / 8.0 - 0.5));
    }
    n += (size_t)snprintf(text + n, size - n, ")");
  }
  snprintf(text + n, size - n, ")");
}

static double level(double x, double y)
{
  (void)x;
  (void)y;
  return 0;
}

static const double TILT = 0.4;

static double slope(double x, double y)
{
  (void)y;
  return -tan(TILT) * x; // of a side of 1
}

static double hollow(double x, double y)
{
  return x * x + y * y;
}

/* The system with a solid in the place of %s. */
static char *with(const char *model, const char *solid)
{
  static char text[2][16384];
  static int which;
  which = 1 - which;
  snprintf(text[which], sizeof text[which], model, solid);
  return text[which];
}

static const char *field(double (*f)(double, double), double side)
{
  static char heights[8192], text[8300];
  put_heights(heights, sizeof heights, f);
  snprintf(text, sizeof text, "(solid height-field %s %g %g %g)", heights, side, side, side);
  return text;
}

/* Largest difference of the coordinates of two motions. */
static double apart(const char *a, const char *b, double dt, int steps)
{
  const cardan_options o = run_options("vi", dt, 0);
  run r[2] = {run_begin(a, NULL, &o), run_begin(b, NULL, &o)};
  double most = 0;
  for (int i = 0; i < steps; i++) {
    run_steps(&r[0], 1);
    run_steps(&r[1], 1);
    for (int k = 0; k < r[0].model->nq; k++) {
      most = fmax(most, fabs(r[0].data->q[k] - r[1].data->q[k]));
    }
  }
  run_free(&r[0]);
  run_free(&r[1]);
  return most;
}

// A ball that slides, then rolls, and a box that slides with a spin cross 16 triangles and more: as
// on a plane. 1e-12: rounding over 300 steps
static void level_field_is_a_plane(void **state)
{
  (void)state;
  static const char *const models[] = {
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"g\") %s)"
      " (joint free \"b\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1)) (contact all)"
      " (initial (\"b\" (-1.5 -0.7 0.1 1 0 0 0) (3 -20 1 2 0.6 0))))",
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"g\") %s)"
      " (joint free \"b\" (mass 1 0.01 0.02 0.02) (solid box 0.4 0.3 0.2)) (contact all)"
      " (initial (\"b\" (-1.5 -0.7 0.1 1 0 0 0) (0 0 1 3 0.6 0))))"};
  for (int i = 0; i < 2; i++) {
    char *on_plane = with(models[i], "(solid plane)");
    const double most = apart(on_plane, with(models[i], field(level, 4)), 0.005, 300);
    print_message("level field: %.1e m or rad from the plane\n", most);
    assert_true(most <= 1e-12);
  }
}

// 5/7 of g sin: a ball rolls down 8 m over 16 triangles in a row, dt 5 ms. The steps of constant
// acceleration are exact; 1e-11: rounding of 8 m over 300 steps
static void ball_rolls_down(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.005, 0);
  char start[128], model[1024];
  const double r = 0.1, x = -5, a = 5.0 / 7 * 9.81 * sin(TILT), t = 1.5;
  snprintf(start, sizeof start, "(initial (\"b\" (%.17g 0.13 %.17g 1 0 0 0)))", x + r * sin(TILT),
           -tan(TILT) * x + r * cos(TILT));
  snprintf(model, sizeof model,
           "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"g\") %%s) (joint free \"b\""
           " (mass 1 0.004 0.004 0.004) (solid sphere 0.1)) (contact all (friction 0.5)) %s)",
           start);
  run m = run_begin(with(model, field(slope, 16)), NULL, &o);
  run_steps(&m, 300);
  const double way = (run_q(&m, "b.x") - x - r * sin(TILT)) / cos(TILT);
  run_free(&m);
  print_message("ball: %.3g m from the closed form of %.4g m\n", way - a * t * t / 2,
                a * t * t / 2);
  assert_near(way, a * t * t / 2, 1e-11);
}

#define BLOCK                                                                                   \
  "(system (gravity 0 0 -9.81) (define part 1) (define th 0.4) (place (0 0 0) (name \"g\") %s)" \
  " (place (0 0 0) (rpy 0 th 0) (place (0.01 0.02 0.05)"                                        \
  "  (joint free \"block\" (mass 2 0.01 0.02 0.02) (solid box 0.7 0.2 0.1))))"                  \
  " (contact \"block\" \"g\" (friction (* part (tan th)))))"

// A box over several triangles of a slope, at 1 -+ 1e-6 of the friction that holds
static void block_at_the_limit(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  for (int i = 0; i < 2; i++) {
    run r = run_begin(with(BLOCK, field(slope, 4)), i == 0 ? "part=1.000001" : "part=0.999999", &o);
    run_steps(&r, 100);
    const double way = run_q(&r, "block.x"), exact = i == 0 ? 0 : 0.5 * 9.81 * sin(0.4) * 1e-6;
    run_free(&r);
    print_message("block: %.1e m from the closed form\n", way - exact);
    assert_near(way, exact, 1e-12);
  }
}

// It slides 1.1 m down, over edges between triangles: g (sin - mu cos), no catch
static void block_slides_over_edges(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(with(BLOCK, field(slope, 8)), "part=0.4", &o);
  run_steps(&r, 100);
  const double way = run_q(&r, "block.x"), exact = 0.5 * 9.81 * sin(0.4) * 0.6;
  const double turned = fabs(run_q(&r, "block.qy"));
  run_free(&r);
  assert_near(way, exact, 1e-11);
  assert_true(turned < 1e-11);
}

// A ball dropped beside the middle of a hollow comes to rest in it, with rolling friction; energy
// falls; the same bits a second time
static void ball_settles(void **state)
{
  (void)state;
  static const char model[] = "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"g\") %s)"
                              " (joint free \"b\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1))"
                              " (contact all (friction 0.5) (rolling 0.02) (spinning 0.02)) "
                              "(initial (\"b\" (0.6 0.3 0.7 1 0 0 0))))";
  const cardan_options o = run_options("vi", 0.005, 0);
  double end[2][7];
  for (int i = 0; i < 2; i++) {
    run r = run_begin(with(model, field(hollow, 3)), NULL, &o);
    run_steps(&r, 1600);
    memcpy(end[i], r.data->q, sizeof end[i]);
    double fast = 0;
    for (int k = 0; k < 6; k++) {
      fast = fmax(fast, fabs(r.data->v[k]));
    }
    print_message("hollow: %.1e m/s or rad/s at %.3f %.3f %.3f\n", fast, end[i][0], end[i][1],
                  end[i][2]);
    assert_true(fast < 1e-9);
    run_free(&r);
  }
  assert_memory_equal(end[0], end[1], sizeof end[0]);
  assert_true(hypot(end[0][0], end[0][1]) < 0.3);
  assert_true(end[0][2] > 0.09 && end[0][2] < 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(level_field_is_a_plane), cmocka_unit_test(ball_rolls_down),
      cmocka_unit_test(block_at_the_limit), cmocka_unit_test(block_slides_over_edges),
      cmocka_unit_test(ball_settles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
