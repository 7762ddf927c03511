// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "run.h"
#include "run/sim.h"

/* The driver of contacts over a fake method: a particle on a vertical slider, moved by the closed
 * form of free fall. Every error is the driver's own. */

static const double g = 10, e = 0.5, height = 0.45; // it falls for 0.3 s, and arrives with 3 m/s

static int attempts;

static cardan__attempt fall(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  const double h = t_next - data->t;
  const bool rests = stepper->held->n > 0;
  attempts++;
  stepper->iterations = 1;
  data->t = t_next;
  data->q[0] = rests ? 0 : data->q[0] + h * (data->v[0] - 0.5 * g * h);
  data->v[0] = rests ? 0 : data->v[0] - g * h;
  return cardan__attempt_of(CARDAN_OK);
}

static cardan_status push(cardan__stepper *stepper, cardan_data *data, const double *dp)
{
  (void)stepper, (void)data, (void)dp; // the velocities are its state, and data has them
  return CARDAN_OK;
}

/* A run of aba, whose step is replaced. */
static run open_fake(cardan__method *method, double dt)
{
  const cardan_options options = run_options("aba:rk4", dt, 0);
  run r = run_load("(system (gravity 0 0 -10) (joint prismatic \"z\" (axis 0 0 1)"
                   " (limit 0 5 (restitution 0.5)) (mass 1)) (initial (\"z\" 0.45)))",
                   NULL, &options);
  run_start(&r);
  *method = *r.sim->stepper->method;
  method->step = fall;
  method->push = push;
  method->node = NULL;
  method->rejoin = NULL;
  r.sim->stepper->method = method;
  return r;
}

/* Height and velocity at t: bounces at t_0 = 0.3 s, then after 2 e^k 0.3 s each; at rest after
 * 0.9 s. */
static void exact(double t, double *z, double *v)
{
  double begin = sqrt(2 * height / g), up = e * g * begin;
  if (t < begin) {
    *z = height - 0.5 * g * t * t;
    *v = -g * t;
    return;
  }
  while (up > 1e-12 && t - begin > 2 * up / g) {
    begin += 2 * up / g;
    up *= e;
  }
  const double s = t - begin;
  *z = up > 1e-12 ? s * (up - 0.5 * g * s) : 0;
  *v = up > 1e-12 ? up - g * s : 0;
}

static void bounces_are_those_of_the_closed_form(void **state)
{
  (void)state;
  cardan__method method;
  run r = open_fake(&method, 0.007); // no node is at a bounce
  attempts = 0;
  for (int k = 1; k <= 120; k++) { // 0.84 s: four bounces
    double z, v;
    run_steps(&r, 1);
    exact(r.data->t, &z, &v);
    // an event is located to 1e-12 in the gap, and each bounce passes its error on
    assert_near(r.data->q[0], z, 1e-11);
    assert_near(r.data->v[0], v, 1e-10);
  }
  printf("%d attempts for 120 steps with %lld impacts\n", attempts,
         (long long)r.sim->contacts->ledger.stats.impacts);
  assert_int_equal(r.sim->contacts->ledger.stats.impacts, 4);
  // a parabola through the gap is exact: one attempt passes, one more locates, one ends the step; a
  // sample of the estimated error takes two, or as many more as an event in it does
  const cardan__estimate_sums *sums = &r.sim->estimate.sums;
  assert_true(attempts <= 120 + 4 * 4 + 2 * sums->samples + (2 + 4) * sums->missed);
  run_free(&r);
}

static void it_comes_to_rest(void **state)
{
  (void)state;
  cardan__method method;
  run r = open_fake(&method, 0.01);
  run_steps(&r, 120);
  assert_true(r.data->v[0] == 0);
  assert_near(r.data->q[0], 0, 1e-9);
  // all of its energy is lost by then
  assert_near(r.sim->contacts->ledger.stats.lost, g * height, 1e-6);
  run_free(&r);
}

/* An attempt that fails leaves the node as it was, and the next one takes the step. */
static bool failing;

static cardan__attempt fall_or_fail(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  const cardan__attempt attempt = fall(stepper, data, t_next);
  return failing ? cardan__attempt_of(CARDAN_ERR_NO_CONVERGENCE) : attempt;
}

static void failures_roll_back(void **state)
{
  (void)state;
  cardan__method method;
  run r = open_fake(&method, 0.01);
  method.step = fall_or_fail;
  run_steps(&r, 10);
  const double t = r.data->t, q = r.data->q[0], v = r.data->v[0];
  failing = true;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NO_CONVERGENCE);
  assert_true(r.data->t == t && r.data->q[0] == q && r.data->v[0] == v);
  failing = false;
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_OK);
  assert_near(r.data->t, t + 0.01, 4 * DBL_EPSILON);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounces_are_those_of_the_closed_form),
      cmocka_unit_test(it_comes_to_rest),
      cmocka_unit_test(failures_roll_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
