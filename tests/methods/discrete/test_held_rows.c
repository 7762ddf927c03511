// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"
#include "fixture.h"
#include "methods/method.h"
#include "support.h"

/* Rows that a step holds, from a source that is no contact: a blade on the ice, one row of velocity
 * level, and a rail, one of position level, on a body that slides and turns in a plane. */

static const char text[] = "(system (tx \"x\" (ty \"y\" (rz \"a\" (mass 2 0.1 0.1 0.3)))))";

typedef struct {
  cardan__held_rows set; // first: what calls get
  double q[3];           // of the node
  cardan__row_level level;
  double J[3], target, start, impulse;
} source;

/* Blade: the way across the mean heading. Rail: y. */
static void values(const cardan__held_rows *held, cardan_data *end, double *equal, double *cones)
{
  const source *s = (const source *)held;
  const double heading = 0.5 * (s->q[2] + end->q[2]);
  (void)cones;
  equal[0] = s->level == CARDAN__POSITION_LEVEL
                 ? end->q[1]
                 : cos(heading) * (end->q[1] - s->q[1]) - sin(heading) * (end->q[0] - s->q[0]);
}

static void rows(const cardan__held_rows *held, cardan_data *end, double *equal, double *cones)
{
  const source *s = (const source *)held;
  const double heading = 0.5 * (s->q[2] + end->q[2]);
  const double along = cos(heading) * (end->q[0] - s->q[0]) + sin(heading) * (end->q[1] - s->q[1]);
  const bool rail = s->level == CARDAN__POSITION_LEVEL;
  (void)cones;
  equal[0] = rail ? 0 : -sin(heading);
  equal[1] = rail ? 1 : cos(heading);
  equal[2] = rail ? 0 : -0.5 * along;
}

static cardan__attempt accept(cardan__held_rows *held, const cardan__held_end *end)
{
  (void)held, (void)end;
  return cardan__attempt_of(CARDAN_OK);
}

static bool never(const cardan__held_rows *held, bool guessed)
{
  (void)held, (void)guessed;
  return false;
}

static void name(const cardan__held_rows *held, int row, int cone, char *out, size_t size)
{
  (void)held, (void)row, (void)cone;
  snprintf(out, size, "blade");
}

static const cardan__held_calls calls = {
    .values = values, .rows = rows, .test = accept, .adds_up = never, .name = name};

typedef struct {
  cardan_model *model;
  cardan_data *data;
  cardan_options options;
  cardan__stepper *stepper;
  source s;
} scene;

static void open_scene(scene *c, const char *method, cardan__row_level level, double target)
{
  const cardan__held_room room = {.equalities = 1};
  memset(c, 0, sizeof *c);
  c->model = load_model(text, NULL);
  c->options = cardan_options_defaults();
  c->options.method = method;
  c->s.level = level;
  c->s.target = target;
  c->s.set.calls = &calls;
  c->s.set.equal = (cardan__held_equalities){.n = 1,
                                             .level = &c->s.level,
                                             .J = c->s.J,
                                             .target = &c->s.target,
                                             .start = &c->s.start,
                                             .impulse = &c->s.impulse};
  assert_int_equal(cardan_data_create(c->model, NULL, &c->data), CARDAN_OK);
  const cardan__method *m = cardan__method_find(method);
  assert_int_equal(m->create(c->model, &c->options, &room, NULL, &c->stepper), CARDAN_OK);
  c->stepper->held = &c->s.set;
}

static void close_scene(scene *c)
{
  c->stepper->method->destroy(c->stepper);
  cardan_data_destroy(c->data);
  cardan_model_destroy(c->model);
}

/* Over so many steps of length h; the largest error of the constraint in a step, relative to h. */
static double go(scene *c, int steps, double h)
{
  double worst = 0, s;
  for (int i = 0; i < steps; i++) {
    const double heading = c->data->q[2];
    memcpy(c->s.q, c->data->q, sizeof c->s.q);
    const bool rail = c->s.level == CARDAN__POSITION_LEVEL;
    c->s.J[0] = rail ? 0 : -sin(heading);
    c->s.J[1] = rail ? 1 : cos(heading);
    c->s.start = c->s.impulse / h;
    const cardan__attempt attempt = c->stepper->method->step(c->stepper, c->data, (i + 1) * h);
    assert_true(cardan__attempt_accepted(attempt));
    values(&c->s.set, c->data, &s, NULL);
    worst = fmax(worst, fabs(s - (rail ? c->s.target : h * c->s.target)) / h);
  }
  return worst;
}

/* Speed v along the heading and rate w: circles of radius v / w. */
static double circle_error(const char *method, int steps)
{
  const double v = 1.5, w = 2, T = 1;
  scene c;
  open_scene(&c, method, CARDAN__VELOCITY_LEVEL, 0);
  c.data->v[0] = v;
  c.data->v[2] = w;
  assert_int_equal(c.stepper->method->start(c.stepper, c.data), CARDAN_OK);
  // the root finder leaves of a row 1e-12 (1 + size) of a length, here over a step of 1/40 s
  assert_true(go(&c, steps, T / steps) < 1e-10);
  const double dx = c.data->q[0] - v / w * sin(w * T), dy = c.data->q[1] - v / w * (1 - cos(w * T)),
               da = c.data->q[2] - w * T;
  const double error = sqrt(dx * dx + dy * dy + da * da);
  close_scene(&c);
  return error;
}

static void a_blade_goes_in_circles(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi"};
  for (int i = 0; i < 2; i++) {
    const double coarse = circle_error(methods[i], 20), fine = circle_error(methods[i], 40);
    print_message("%s: order %.3f, error %.2e\n", methods[i], log2(coarse / fine), fine);
    assert_near(log2(coarse / fine), 2, 0.05); // the next term is O(h^2) of the first
  }
}

/* A blade that is to slip sideways at 0.3 m/s, on a body that does not turn. */
static void targets_of_velocity_level_are_rates(void **state)
{
  (void)state;
  scene c;
  open_scene(&c, "vi", CARDAN__VELOCITY_LEVEL, 0.3);
  c.data->v[0] = 1;
  c.data->v[1] = 0.3;
  assert_int_equal(c.stepper->method->start(c.stepper, c.data), CARDAN_OK);
  go(&c, 10, 0.01);
  assert_near(c.data->q[0], 0.1, 1e-13);
  assert_near(c.data->q[1], 0.03, 1e-13);
  close_scene(&c);
}

static void targets_of_position_level_are_places(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi"};
  for (int i = 0; i < 2; i++) {
    scene c;
    open_scene(&c, methods[i], CARDAN__POSITION_LEVEL, 0.25);
    c.data->q[1] = 0.25;
    c.data->v[0] = 1;
    assert_int_equal(c.stepper->method->start(c.stepper, c.data), CARDAN_OK);
    assert_true(go(&c, 20, 0.01) < 1e-10);
    assert_near(c.data->q[0], 0.2, 1e-13);
    assert_near(c.data->q[1], 0.25, 1e-12);
    close_scene(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_blade_goes_in_circles),
      cmocka_unit_test(targets_of_velocity_level_are_rates),
      cmocka_unit_test(targets_of_position_level_are_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
