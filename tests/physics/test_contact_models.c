// SPDX-License-Identifier: Apache-2.0
// The built-in models in which things touch: each runs with its own options, and does what its text
// says.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static run whole_by(const char *impacts, const char *name, const char *setting)
{
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  o.impacts = impacts;
  cardan_model *model = load_model(name, setting);
  expect_ok(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_METHOD, &report), &report,
            name);
  cardan_model_destroy(model);
  return run_whole(name, setting, &o);
}

static run whole(const char *name, const char *setting)
{
  return whole_by("located", name, setting);
}

// impacts auto: what comes to rest by many impacts overlaps by no more than twice g dt^2 there
static void models_auto(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double dt;
  } cases[] = {{"rocking-block", 0.005}, {"floor-chain", 0.002}, {"bouncing-ball", 0.01}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r = whole_by(NULL, cases[i].name, NULL);
    const cardan_contact_stats s = cardan_sim_stats(r.sim).contact;
    print_message("%s: overlap %.1e m, %d steps with impacts at their end\n", cases[i].name,
                  s.overlap, (int)s.steps_step);
    assert_true(s.overlap < 2 * 9.81 * cases[i].dt * cases[i].dt);
    assert_true(s.steps_step > 0 && s.steps_located > s.steps_step);
    run_free(&r);
  }
}

static cardan_contact_stats contacts(const run *r)
{
  const cardan_contact_stats s = cardan_sim_stats(r->sim).contact;
  assert_true(s.overlap < 1e-5);
  return s;
}

static void balls(void **state)
{
  (void)state;
  run r = whole("bouncing-ball", NULL);
  assert_true(contacts(&r).impacts > 20);
  assert_near(run_energy(&r), 9.81 * (1 + 0.1 + 0.1), 1e-7);
  run_free(&r);
  r = whole("rolling-ball", NULL);
  assert_true(run_q(&r, "curve.y") > 0.1); // side spin; and backwards
  assert_true(run_q(&r, "back.x") < 0.5);
  assert_near(support_max_abs(r.data->v, r.model->nv), 0, 1e-9); // by rolling friction
  run_free(&r);
}

static void blocks(void **state)
{
  (void)state;
  run r = whole("block-on-incline", NULL);
  assert_near(run_q(&r, "holds.x"), 0, 1e-12);
  const double th = acos(-1.0) * 25 / 180;
  assert_near(run_q(&r, "slides.x"), 0.5 * 9.81 * sin(th) * 0.001 * 25, 1e-9);
  run_free(&r);
  r = whole("rocking-block", NULL);
  assert_near(run_q(&r, "a"), 0, 1e-9);
  assert_near(run_q(&r, "x"), 0, 1e-7); // it has not walked
  assert_near(run_q(&r, "z"), 0.3, 1e-9);
  run_free(&r);
  r = whole("stack:3", NULL);
  assert_near(support_max_abs(r.data->v, r.model->nv), 0, 1e-11);
  run_free(&r);
}

static void round_things(void **state)
{
  (void)state;
  run r = whole("coin", NULL);
  assert_near(run_q(&r, "coin.z"), 0.1 * sin(0.6) + 0.005 * cos(0.6), 1e-5);
  run_free(&r);
  r = whole("rattleback", NULL);
  assert_true(run_v(&r, "stone.wz") > 3); // it was -4
  run_free(&r);
}

static void legs(void **state)
{
  (void)state;
  run r = whole("rimless-wheel", NULL);
  assert_true(contacts(&r).impacts >= 8);
  assert_true(run_q(&r, "x") > 3);
  run_free(&r);
  r = whole("hopper", NULL);
  assert_true(contacts(&r).impacts >= 5);
  run_free(&r);
  r = whole("quadruped", NULL);
  assert_int_equal(contacts(&r).closed, 4);
  assert_near(run_q(&r, "trunk.z"), 0.31, 0.02);
  assert_near(support_max_abs(r.data->v, r.model->nv), 0, 1e-3);
  run_free(&r);
}

static void falling_chain(void **state)
{
  (void)state;
  static const char *const settings[] = {NULL, "mu=0"};
  for (int i = 0; i < 2; i++) {
    run r = whole("floor-chain", settings[i]);
    const cardan_contact_stats s = contacts(&r);
    print_message("chain of 10, %s: %d impacts, deepest %.1e m, %d contacts in the end\n",
                  i ? settings[i] : "mu=0.5", (int)s.impacts, s.overlap, s.closed);
    assert_true(s.impacts >= 100 && s.closed >= 5);
    assert_true(run_energy(&r) < 10 * 0.1 * 9.81 * 0.05); // it lies
    run_free(&r);
  }
}

/* The same links, of which only the floor stops them. */
static void chain_over_floor(double mu, double e, char *text, size_t size)
{
  enum { LINKS = 10 };
  size_t at = (size_t)snprintf(text, size,
                               "(system (gravity 0 0 -9.81) (damping 1e-5)"
                               " (place (0 0 0) (name \"floor\") (solid plane))");
  for (int i = 0; i < LINKS && at < size; i++) {
    at +=
        (size_t)snprintf(text + at, size - at,
                         " (joint %s \"q%d\" (tz 0.05 (name \"l%d\") (mass 0.1 8.3e-5 8.3e-5 5e-6)"
                         "  (solid capsule 0.01 0.08)) (tz 0.1",
                         i == 0 ? "free" : "spherical", i, i);
  }
  for (int i = 0; i < LINKS && at < size; i++) {
    at += (size_t)snprintf(text + at, size - at, "))");
  }
  for (int i = 0; i < LINKS && at < size; i++) {
    at += (size_t)snprintf(text + at, size - at,
                           " (contact \"l%d\" \"floor\" (friction %g) (restitution %g))", i, mu, e);
  }
  at +=
      (size_t)snprintf(text + at, size - at, " (initial (\"q0\" (0 0 0.03 0.9988 0.03 0.04 0))))");
  assert_true(at < size);
}

// its ends are spheres over a plane: found to rounding, and passed by no more than what tol = 1e-12
// leaves of 1 m, from many sides. What 17 contacts and 30 joints make of it is a matter of chance:
// 1e-12 to 6e-11 m at steps around this one
static void chain_on_a_floor(void **state)
{
  (void)state;
  static const double mu[] = {0, 0.5, 0, 0.5}, e[] = {0, 0, 0.5, 0.5};
  for (int i = 0; i < 4; i++) {
    char text[4000];
    cardan_options o = run_options("vi", 0.002, 0);
    o.impacts = "located";
    chain_over_floor(mu[i], e[i], text, sizeof text);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, e[i] > 0 ? 550 : 1000);
    const cardan_contact_stats s = contacts(&r);
    print_message("chain of 10 on a floor, mu %g, e %g, %g s: %d impacts, deepest %.1e m\n", mu[i],
                  e[i], r.data->t, (int)s.impacts, s.overlap);
    assert_true(s.impacts >= 100);
    assert_true(s.overlap < 1e-10);
    run_free(&r);
  }
}

static void machines(void **state)
{
  (void)state;
  run r = whole("gripper", NULL);
  assert_near(run_q(&r, "block.z"), 0.2, 1e-4); // from where it lay
  run_free(&r);
  r = whole("geneva", NULL);
  assert_near(fabs(run_q(&r, "wheel")), 2 * acos(-1.0), 0.05); // a quarter for each turn of four
  run_free(&r);
  r = whole("cam-follower", NULL);
  assert_true(contacts(&r).impacts > 3);
  run_free(&r);
  r = whole("rope", NULL);
  assert_true(hypot(run_q(&r, "x"), run_q(&r, "z")) <= 1 + 1e-9);
  assert_true(contacts(&r).impacts >= 1);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls),         cmocka_unit_test(blocks),
      cmocka_unit_test(round_things),  cmocka_unit_test(legs),
      cmocka_unit_test(falling_chain), cmocka_unit_test(chain_on_a_floor),
      cmocka_unit_test(machines),      cmocka_unit_test(models_auto),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
