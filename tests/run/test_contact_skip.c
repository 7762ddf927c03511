// SPDX-License-Identifier: Apache-2.0
// Steps that skip the checks of solids, while nothing is near (run/contact_skip.c): beside
// the same motion with a check at every node, of random models.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/touch.h"
#include "run.h"
#include "run/contact_run.h"
#include "run/sim.h"

enum { STEPS = 600 };

/* Bodies that fly towards one another and a floor, and an arm with limits among them: fast, slow,
 * turning. They meet, or do not, in a run of STEPS of dt. */
static void make_swarm(support_rng *rng, double dt, char *text, size_t size)
{
  static const char *const solids[] = {"sphere 0.1", "box 0.2 0.1 0.3", "capsule 0.05 0.3"};
  const int n = support_random_int(rng, 1, 5);
  const double speed = pow(10, support_random_in(rng, -1, 1.3));
  const double wide = 1.5 + speed * STEPS * dt * support_random_in(rng, 0.3, 1.3);
  size_t at = (size_t)snprintf(text, size,
                               "(system (gravity 0 0 %g) (place (0 0 %g) (name \"ground\")"
                               " (solid plane)) (contact all (restitution 0.5) (friction 0.3))",
                               support_random_int(rng, 0, 1) ? -9.81 : 0, -wide - 1.5);
  for (int i = 0; i < n; i++) {
    double x[3], v[3], w[3];
    support_random_vec(rng, x, 3, 0.4);
    support_random_vec(rng, v, 3, 0.1 * speed);
    support_random_vec(rng, w, 3, support_random_int(rng, 0, 1) ? 3 : 0);
    at += (size_t)snprintf(text + at, size - at,
                           " (joint free \"b%d\" (mass 1 0.01 0.02 0.015) (solid %s))"
                           " (initial (\"b%d\" (%g %g %g 1 0 0 0) (%g %g %g %g %g %g)))",
                           i, solids[i % 3], i, x[0] + wide * i, x[1], x[2], w[0], w[1], w[2],
                           v[0] - speed * i, v[1], v[2]);
  }
  if (support_random_int(rng, 0, 1)) {
    at += (size_t)snprintf(text + at, size - at,
                           " (place (0 %g 0) (joint revolute \"a\" (axis 1 0 0) (limit -1.5 1.5)"
                           "  (tz -0.5 (mass 1 0.1 0.1 0.1) (solid box 0.1 0.1 0.4)"
                           "   (joint prismatic \"s\" (axis 0 0 1) (limit -0.3 1)"
                           "    (tz -0.5 (mass 0.5 0.01 0.01 0.01) (solid sphere 0.08))))))"
                           " (initial (\"a\" %g) (\"s\" 0.2))",
                           wide + 2, support_random_in(rng, -1, 1));
  }
  snprintf(text + at, size - at, ")");
}

/* Pushes one and another of the bodies now and then, the same for the same seed: some 10 m/s, or
 * 10 rad/s. */
static void kick(cardan_data *data, support_rng *rng, double dt)
{
  for (int k = 0; k < data->model->nv; k++) {
    const double size = (k % 6 < 3 ? 0.1 : 10) / dt;
    data->tau_in[k] =
        support_random_int(rng, 0, 1999) == 0 ? support_random_in(rng, -size, size) : 0;
  }
}

/* The smallest gap of all pairs, at the poses of q. */
static double smallest_gap(const cardan_model *model, cardan_data *scratch, const double *q)
{
  double least = HUGE_VAL;
  memcpy(scratch->q, q, (size_t)model->nq * sizeof *q);
  scratch->fresh = 0;
  cardan_joints(model, scratch);
  cardan_poses(model, scratch);
  for (int p = 0; p < model->npair; p++) {
    least = fmin(least, cardan__pair_gap(model, p, scratch->X_W, NULL));
  }
  return least;
}

/* Both runs side by side, up to the first impact: to rounding, which grows, since a step that comes
 * near to something is taken again. calm, impacts: how many, added to */
static void both(const char *text, const cardan_options *o, bool kicked, uint64_t seed, int *calm,
                 int *impacts)
{
  run r[2] = {run_begin(text, NULL, o), run_begin(text, NULL, o)};
  support_rng rng[2] = {{seed}, {seed}};
  cardan_data *scratch = NULL;
  assert_int_equal(cardan_data_create(r[0].model, NULL, &scratch), CARDAN_OK);
  r[1].sim->contacts->skip.wait = INT_MAX;
  for (int i = 0; i < STEPS; i++) {
    for (int k = 0; k < 2; k++) {
      if (kicked) {
        kick(r[k].data, &rng[k], o->dt);
      }
      run_steps(&r[k], 1);
    }
    const double *q[2] = {r[0].sim->data->q, r[1].sim->data->q};
    const bool struck = cardan_sim_stats(r[1].sim).contact.impacts > 0;
    for (int k = 0; k < r[0].model->nq && !struck; k++) {
      assert_near(q[0][k], q[1][k], 1e-9 * (1 + fabs(q[1][k])));
    }
    if (r[0].sim->contacts->skip.calm) {
      (*calm)++;
      assert_true(smallest_gap(r[0].model, scratch, q[0]) > 0);
    }
  }
  *impacts += (int)cardan_sim_stats(r[0].sim).contact.impacts;
  cardan_data_destroy(scratch);
  run_free(&r[0]);
  run_free(&r[1]);
}

static int models(void)
{
  const char *given = getenv("CARDAN_MODELS");
  return given != NULL ? atoi(given) : 30;
}

static void compare(bool kicked)
{
  const int n = models();
  support_rng rng = {20261116};
  int calm = 0, impacts = 0;
  for (int i = 0; i < n; i++) {
    char text[4096];
    cardan_options o = run_options("vi", i % 3 == 0 ? 0.001 : 0.004, 0);
    make_swarm(&rng, o.dt, text, sizeof text);
    o.order = i % 5 == 0 ? 4 : 2;
    both(text, &o, kicked, support_random(&rng), &calm, &impacts);
  }
  print_message("%d of %d steps calm, %d impacts\n", calm, n * STEPS, impacts);
  assert_true(calm > n * STEPS / 8);
  assert_true(impacts > n / 2);
}

static void nothing_is_reached_unseen(void **state)
{
  (void)state;
  compare(false);
}

static void nor_by_what_is_pushed(void **state)
{
  (void)state;
  compare(true);
}

// a ball that has been at rest for long, so that it is predicted to stay, is pushed down at 10 m/s
static void what_rests_and_is_pushed_is_seen(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.004, 0);
  run r = run_begin("(system (gravity 0 0 0) (place (0 0 0) (name \"ground\") (solid plane))"
                    " (joint free \"b\" (mass 1 0.01 0.01 0.01) (solid sphere 0.1))"
                    " (contact all (restitution 1)) (initial (\"b.z\" 1.1)))",
                    NULL, &o);
  run_steps(&r, 50);
  assert_true(r.sim->contacts->skip.calm);
  r.data->tau_in[5] = -10 / o.dt;
  run_steps(&r, 1);
  r.data->tau_in[5] = 0;
  run_steps(&r, 49); // 0.2 s at 10 m/s, less half of the step of the push
  assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 1);
  assert_near(run_q(&r, "b.z"), 0.1 + 10 * (0.2 - 0.5 * o.dt) - 1, 1e-9);
  run_free(&r);
}

// while solids are far, the smallest gap is that of a limit where it is now, or there is none
static void gaps_are_those_of_the_node(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"
      " (joint free \"b\" (mass 1 0.1 0.1 0.1) (solid sphere 0.1)"
      "  (joint revolute \"a\" (axis 0 1 0) (limit -1 1) (tz -0.3 (mass 0.1))))"
      " (contact \"b\" \"ground\") (initial (\"b\" (0 0 900 1 0 0 0)) (\"a\" 0 0.5)))";
  const cardan_options o = run_options("vi", 0.005, 0);
  run r = run_begin(model, NULL, &o);
  int calm = 0;
  for (int k = 0; k < 200; k++) {
    cardan_touching place[4];
    run_steps(&r, 1);
    calm += r.sim->contacts->skip.calm;
    const double a = run_q(&r, "a"), gap = fmin(1 - a, 1 + a);
    assert_near(cardan_sim_stats(r.sim).contact.gap, gap, 1e-15);
    assert_int_equal(cardan_sim_touching(r.sim, place, 4), 2);
    assert_near(fmin(place[0].gap, place[1].gap), gap, 1e-15);
  }
  assert_true(calm > 150);
  run_free(&r);
}

static void assert_same_node(const run *a, const run *b)
{
  const cardan_data *x = a->sim->data, *y = b->sim->data;
  assert_memory_equal(x->q, y->q, (size_t)a->model->nq * sizeof *x->q);
  assert_memory_equal(x->v, y->v, (size_t)a->model->nv * sizeof *x->v);
  assert_true(cardan_sim_stats(a->sim).contact.gap == cardan_sim_stats(b->sim).contact.gap);
  assert_int_equal(a->sim->contacts->skip.calm, b->sim->contacts->skip.calm);
}

/* Both to the end, with the same pushes. */
static void go_on_alike(run *a, run *b, int steps, double dt, uint64_t seed)
{
  support_rng rng[2] = {{seed}, {seed}};
  for (int k = 0; k < steps; k++) {
    kick(a->data, &rng[0], dt);
    kick(b->data, &rng[1], dt);
    run_steps(a, 1);
    run_steps(b, 1);
    assert_same_node(a, b);
  }
}

// saved at any step, while nothing is near or while something is: the same bits from there on,
// since the other run coasts as the first does
static void goes_on_from_anywhere(void **state)
{
  (void)state;
  const int n = models();
  support_rng rng = {20261117};
  int calm = 0;
  for (int i = 0; i < n; i++) {
    char text[4096];
    cardan_options o = run_options("vi", i % 3 == 0 ? 0.001 : 0.004, 0);
    make_swarm(&rng, o.dt, text, sizeof text);
    o.order = i % 3 == 0 ? 4 : i % 7 == 0 ? 6 : 2;
    o.adapt = i % 4 == 3 && o.order == 2 ? 1e-6 : 0;
    run a = run_begin(text, NULL, &o), b = run_begin(text, NULL, &o);
    const size_t size = cardan_sim_snapshot_size(a.sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    const int at = support_random_int(&rng, 3, STEPS - 20);
    run_steps(&a, at);
    calm += a.sim->contacts->skip.calm;
    assert_int_equal(cardan_sim_snapshot_save(a.sim, bytes, size, NULL), CARDAN_OK);
    assert_int_equal(cardan_sim_snapshot_load(b.sim, bytes, size, NULL), CARDAN_OK);
    go_on_alike(&a, &b, STEPS - at, o.dt, support_random(&rng));
    free(bytes);
    run_free(&a);
    run_free(&b);
  }
  print_message("%d of %d saved while calm\n", calm, n);
  assert_true(calm > n / 8);
}

// a step whose equations are not solved is taken again in parts; after one of them nothing is near
static void in_parts(void **state)
{
#define LINK(name, place, axis, mass, inner) \
  " (place (" place ") (joint revolute \"" name "\" (axis " axis ") (mass " mass ")" inner "))"
  static const char text[] =
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))" LINK(
          "j0", "0.064 -0.015 2.5", "0 1 0", "0.22 0.0003 0.0003 0.00015",
          " (place (0 0 -0.058) (name \"s0\") (solid sphere 0.039))" LINK(
              "j1", "-0.046 -0.072 -0.12", "0.6 0 0.8", "0.03 3.6e-05 3.6e-05 1.8e-05",
              LINK("j2", "-0.041 -0.081 -0.11", "1 0 0", "0.096 0.0004 0.0004 0.00020217",
                   LINK("j4", "-0.0404197 -0.097 -0.205323", "1 0 0",
                        "0.018 9.6e-05 9.6e-05 4.8e-05",
                        LINK("j5", "0.086 -0.0086 -0.23", "0 1 0",
                             "0.0137039 3.5e-05 3.5e-05 1.75074e-05", "")
                            LINK("j6", "-0.036 0.066 -0.23", "1 0 0",
                                 "0.413561 0.0008 0.0008 0.0004", ""))))
              LINK("j3", "0.041 0.0709812 -0.12", "0.6 0 0.8", "0.034676 0.00013 0.00013 6.3e-05",
                   "")) " (contact \"s0\" \"floor\" (friction 0.5))"
                        " (dry-friction \"j4\" 0.016) (dry-friction \"j2\" 9.4) (dry-friction "
                        "\"j1\" 0.0016)"
                        " (friction \"j0\" 1e-9 (radius 0.01)) (initial (\"j6\" -0.1 -0.32) "
                        "(\"j2\" 0.028 -2.7)))";
  const cardan_options o = run_options("vi", 0.005, 0);
  (void)state;
  run r = run_begin(text, NULL, &o);
  run_steps(&r, 40);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_reached_unseen),
                                     cmocka_unit_test(nor_by_what_is_pushed),
                                     cmocka_unit_test(what_rests_and_is_pushed_is_seen),
                                     cmocka_unit_test(gaps_are_those_of_the_node),
                                     cmocka_unit_test(goes_on_from_anywhere),
                                     cmocka_unit_test(in_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
