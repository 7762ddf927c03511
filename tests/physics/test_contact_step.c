// SPDX-License-Identifier: Apache-2.0
/* Impacts at the end of a step (--impacts step, auto) against located ones, closed forms and
 * invariants.
 *
 *   CARDAN_MODELS=20 build/tests/physics/test_contact_step     more piles than in a test */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_cases.h"
#include "piles.h"
#include "run.h"

static cardan_options options(const char *impacts, double dt)
{
  cardan_options o = run_options("vi", dt, 0);
  o.impacts = impacts;
  return o;
}

static cardan_contact_stats contacts(const run *r)
{
  return cardan_sim_stats(r->sim).contact;
}

static double norm(cardan_vec3 a)
{
  return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static cardan_vec3 less(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* ---- a ball that bounces ---- */

#define BALL                                                                          \
  "(system (gravity 0 0 -9.81) (define e 1)"                                          \
  " (place (0 0 0) (name \"floor\") (solid plane))"                                   \
  " (joint prismatic \"z\" (axis 0 0 1) (mass 1) (name \"ball\") (solid sphere 0.1))" \
  " (initial (\"z\" 1.1)) (contact \"ball\" \"floor\" (restitution e)))"

/* Height of its lowest point at t, from 1 m. */
static double height(double e, double t)
{
  const double g = 9.81;
  double v = sqrt(2 * g), begin = v / g; // of the flight: speed, when
  if (t < begin) {
    return 1 - 0.5 * g * t * t;
  }
  for (int k = 0; k < 200; k++) {
    v *= e;
    if (t - begin < 2 * v / g) {
      return v * (t - begin) - 0.5 * g * (t - begin) * (t - begin);
    }
    begin += 2 * v / g;
  }
  return 0;
}

static double ball_error(const char *setting, double e, double dt, double *rest)
{
  const cardan_options o = options("step", dt);
  const int n = (int)lround(2 / dt);
  double sum = 0;
  run r = run_begin(BALL, setting, &o);
  for (int k = 1; k <= n; k++) {
    run_steps(&r, 1);
    sum += fabs(run_q(&r, "z") - 0.1 - height(e, k * dt));
  }
  *rest = fabs(run_q(&r, "z") - 0.1);
  assert_true(contacts(&r).overlap < 1e-12);
  run_free(&r);
  return sum / n;
}

// of first order in the mean, the law of impact on the speed where the gap closes: with e = 1 the
// energy stays to rounding, with e < 1 it rests at gap 0
static void ball(void **state)
{
  (void)state;
  double rest;
  const double stops = ball_error("e=0", 0, 0.005, &rest);
  assert_true(rest < 1e-12);
  double half[2], whole[2];
  for (int i = 0; i < 2; i++) {
    half[i] = ball_error("e=0.5", 0.5, 0.005 / (1 << i), &rest);
    assert_true(rest < 1e-12);
    whole[i] = ball_error("e=1", 1, 0.005 / (1 << i), &rest);
  }
  print_message("ball, mean error of the height: e 0 %.1e; 0.5 %.1e, %.1e; 1 %.1e, %.1e m at 5 and "
                "2.5 ms\n",
                stops, half[0], half[1], whole[0], whole[1]);
  assert_true(stops < 1e-12);
  assert_true(half[0] < 3e-3 && half[1] < 2e-3 && whole[0] < 1.2e-2 && whole[1] < 6e-3);
  const cardan_options o = options("step", 0.005);
  run r = run_begin(BALL, "e=1", &o);
  const double start = run_energy(&r);
  run_steps(&r, 20000);
  print_message("ball, e = 1, 100 s: %ld bounces, energy %.1e of it\n", (long)contacts(&r).impacts,
                (run_energy(&r) - start) / start);
  assert_true(fabs(run_energy(&r) - start) < 1e-12 * start);
  assert_in_range(contacts(&r).impacts, 105, 115);
  run_free(&r);
}

/* ---- the cases of contact_cases.h ---- */

static double distance(const contact_case *c, const char *impacts, int steps, const double *exact)
{
  const cardan_options o = options(impacts, c->T / steps);
  run r = run_begin(c->model, NULL, &o);
  run_steps(&r, steps);
  double most = 0, same = 0;
  for (int k = 3; k < 7 && c->nq == 7; k++) {
    same += r.data->q[k] * exact[k];
  }
  for (int k = 0; k < c->nq; k++) {
    const double sign = k >= 3 && same < 0 ? -1 : 1;
    most = fmax(most, fabs(r.data->q[k] - sign * exact[k]));
  }
  run_free(&r);
  return most;
}

// where nothing is struck, the three are one method, to the bit; with impacts `step` converges at
// about order 1, and `auto` is `located` while a step has few events
static void cases(void **state)
{
  (void)state;
  for (int i = 0; i < ncontact_planar + ncontact_round; i++) {
    const contact_case *c =
        i < ncontact_planar ? &contact_planar[i] : &contact_round[i - ncontact_planar];
    double exact[CONTACT_MOST], e[4];
    c->end(c->T, 2 * c->steps, exact);
    const double located = distance(c, "located", c->steps, exact);
    for (int k = 0; k < 4; k++) {
      e[k] = distance(c, "step", c->steps << k, exact);
    }
    print_message("%-20s located %.1e; step %.1e, %.1e, %.1e, %.1e\n", c->name, located, e[0], e[1],
                  e[2], e[3]);
    assert_true(distance(c, "auto", c->steps, exact) == located);
    assert_true(e[3] < 0.6 * e[0] || e[0] < 1e-9);
    assert_true(c->events > 0 || e[0] == located);
  }
}

/* ---- creep ---- */

#define INCLINE                                                                   \
  "(system (gravity 0 0 -9.81) (define part 1) (define th 0.4)"                   \
  " (place (0 0 0) (rpy 0 th 0) (name \"slope\") (solid plane) (place (0 0 0.05)" \
  "  (joint free \"block\" (mass 2 0.01 0.02 0.02) (solid box 0.3 0.2 0.1))))"    \
  " (contact \"block\" \"slope\" (friction (* part (tan th)))))"

static void incline(void **state)
{
  (void)state;
  static const char *const parts[] = {"part=1.000001", "part=0.999999"};
  double way[2];
  for (int i = 0; i < 2; i++) {
    const cardan_options o = options("step", 0.005);
    run r = run_begin(INCLINE, parts[i], &o);
    run_steps(&r, 4000);
    way[i] = run_q(&r, "block.x");
    run_free(&r);
  }
  const double exact = 0.5 * 9.81 * sin(0.4) * 1e-6 * 400;
  print_message("incline, 20 s: holds at 1 + 1e-6 to %.1e m, slides at 1 - 1e-6 by %.7e, exact "
                "%.7e m\n",
                way[0], way[1], exact);
  assert_true(fabs(way[0]) < 2e-13); // as test_contact_rest
  assert_near(way[1], exact, 1e-9);
}

/* ---- energy and momentum ---- */

/* What a run was like: least entries of impacts and friction; at the end of `seconds`, or when all
 * is at rest. */
typedef struct {
  double impact, friction, overlap, rise, speed, momentum;
  int64_t located, stepped, solves;
} record;

static record watch(run *r, double seconds)
{
  const double begin = run_energy(r);
  const cardan_force P = cardan_total_momentum(r->model, r->data);
  const double size = sqrt(2 * cardan_kinetic(r->model, r->data) * 10 * r->model->nbody);
  record out = {.impact = HUGE_VAL, .friction = HUGE_VAL, .rise = -HUGE_VAL};
  cardan_contact_stats before = contacts(r);
  double energy = begin;
  while (r->data->t < seconds) {
    run_steps(r, 1);
    r->data = cardan_sim_data(r->sim);
    const cardan_contact_stats now = contacts(r);
    const double next = run_energy(r);
    out.impact = fmin(out.impact, now.lost - before.lost);
    out.friction = fmin(out.friction, now.friction - before.friction);
    out.rise = fmax(out.rise, (next - energy) / begin);
    const cardan_force Q = cardan_total_momentum(r->model, r->data);
    out.momentum = fmax(out.momentum, fmax(norm(less(Q.f, P.f)), norm(less(Q.t, P.t))) / size);
    before = now;
    energy = next;
  }
  out.impact /= begin;
  out.friction /= begin;
  out.overlap = before.overlap;
  out.located = before.steps_located;
  out.stepped = before.steps_step;
  out.solves = before.solves;
  out.speed = support_max_abs(r->data->v, r->model->nv);
  return out;
}

static int count_models(int few)
{
  const char *text = getenv("CARDAN_MODELS");
  return text != NULL ? atoi(text) : few;
}

// random heaps of spheres, boxes, capsules, cylinders, ellipsoids and hulls come to rest
static void piles(void **state)
{
  (void)state;
  static const char *const modes[] = {"step", "auto"};
  for (int seed = 1; seed <= count_models(4); seed++) {
    for (int i = 0; i < 2; i++) {
      char *text = pile_text((uint64_t)seed);
      const cardan_options o = options(modes[i], 0.005);
      run r = run_begin(text, NULL, &o);
      const record w = watch(&r, 5);
      print_message("pile %d, %s: %ld of %ld steps, overlap %.1e m, largest rise %.1e, least "
                    "entries %.1e, %.1e, speed %.1e, %ld cone problems\n",
                    seed, modes[i], (long)w.stepped, (long)(w.stepped + w.located), w.overlap,
                    w.rise, w.impact, w.friction, w.speed, (long)w.solves);
      assert_true(w.impact >= -1e-12 && w.friction >= -1e-12);
      assert_true(w.rise < 1e-3);
      assert_true(w.overlap < 3e-3);
      assert_true(w.speed < 1e-6);
      run_free(&r);
      free(text);
    }
  }
}

// 20 boxes that fall on one another: overlaps stay of the size g h^2, 2.5e-4 m
static void pile_of_20(void **state)
{
  (void)state;
  static const char *const modes[] = {"step", "auto"};
  for (int i = 0; i < 2; i++) {
    const cardan_options o = options(modes[i], 0.005);
    run r = run_begin("pile:20", NULL, &o);
    const record w = watch(&r, 3);
    const double balance = cardan_sim_stats(r.sim).drift_max;
    print_message("pile of 20, %s: %ld of %ld steps, overlap %.1e m, largest rise %.1e, least "
                  "entries %.1e, %.1e, balance %.1e J, speed %.1e, %ld cone problems\n",
                  modes[i], (long)w.stepped, (long)(w.stepped + w.located), w.overlap, w.rise,
                  w.impact, w.friction, balance, w.speed, (long)w.solves);
    assert_true(w.impact >= -1e-12 && w.friction >= -1e-12);
    assert_true(w.rise < 1e-3);
    assert_true(w.overlap < 5e-3);
    assert_true(w.speed < 1e-3);
    assert_true(w.solves < 20 * 600);
    run_free(&r);
  }
}

/* ---- a rod that slides beside a ball that bounces ---- */

#define ROD                                                                    \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))" \
  " (joint free \"rod\" (mass 1 0.083 0.083 0.001) (solid capsule 0.02 1))"    \
  " (contact \"rod\" \"floor\" (friction 0.3))"                                \
  " (initial (\"rod\" (0 0 0.4534 0.9 0.436 0 0)))"
#define BESIDE                                                                          \
  " (joint prismatic \"z\" (axis 0 0 1) (mass 0.1) (name \"ball\") (solid sphere 0.1))" \
  " (contact \"ball\" \"floor\" (restitution 0.9)) (initial (\"z\" 0.11))"

/* Largest error of the balance in 0.5 s. */
static double rod_balance(const char *text, double dt, long least_impacts)
{
  const cardan_options o = options("step", dt);
  run r = run_begin(text, NULL, &o);
  run_steps(&r, (int)lround(0.5 / dt));
  const double balance = cardan_sim_stats(r.sim).drift_max;
  assert_true(contacts(&r).impacts >= least_impacts);
  run_free(&r);
  return balance;
}

// The landing of the ball leaves the balance of the rod as it is
static void landing_beside(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double dt = i == 0 ? 0.005 : 0.0025;
    const double alone = rod_balance(ROD ")", dt, 0);
    const double beside = rod_balance(ROD BESIDE ")", dt, 5);
    print_message("rod that slides, %g s: balance within %.9e J, beside a ball that bounces %.9e\n",
                  dt, alone, beside);
    assert_true(fabs(beside - alone) < 1e-10); // rounding of energies of 5 J over 200 steps
  }
}

// free bodies that fly at one another: momentum and angular momentum stay, energy never grows
static void swarms(void **state)
{
  (void)state;
  int64_t impacts = 0;
  double momentum = 0;
  for (int seed = 1; seed <= count_models(20); seed++) {
    char *text = swarm_text((uint64_t)seed);
    const cardan_options o = options("step", 0.005);
    run r = run_begin(text, NULL, &o);
    const record w = watch(&r, 1);
    impacts += contacts(&r).impacts;
    momentum = fmax(momentum, w.momentum);
    assert_true(w.impact >= -1e-12);
    assert_true(w.momentum < 1e-9);
    run_free(&r);
    free(text);
  }
  print_message("swarms: %ld impacts, momentum kept to %.1e\n", (long)impacts, momentum);
  assert_true(impacts > 0);
}

#define FAST(e)                                                        \
  "(system (gravity 0 0 0) (define y 0)"                               \
  " (joint free \"a\" (mass 1 0.001 0.001 0.001) (solid sphere 0.05))" \
  " (joint free \"b\" (mass 1 0.001 0.001 0.001) (solid sphere 0.05))" \
  " (initial (\"a\" (-0.53 0 0 1 0 0 0) (0 0 0 20 0 0))"               \
  " (\"b\" (0.47 y 0 1 0 0 0) (0 0 0 -20 0 0)))"                       \
  " (contact \"a\" \"b\" (friction 0) (restitution " e ")))"

// two balls of 5 cm radius that come by 0.2 m a step meet all the same
static void fast_balls(void **state)
{
  (void)state;
  static const double y[] = {0, 0.03, 0.07};
  for (int i = 0; i < 6; i++) {
    const double e = i < 3 ? 1 : 0, beside = y[i % 3];
    char setting[64];
    const cardan_options o = options("step", 0.005);
    snprintf(setting, sizeof setting, "y=%g", beside);
    run r = run_begin(e > 0 ? FAST("1") : FAST("0"), setting, &o);
    run_steps(&r, 20);
    const double across = beside * beside / 0.01; // of the energy, along the tangent
    const double exact = 400 * (e > 0 ? 1 : across);
    print_message("fast balls, e %g, %g m beside: energy %.4f, exact %.4f J\n", e, beside,
                  run_energy(&r), exact);
    assert_int_equal(contacts(&r).impacts, 1);
    assert_near(run_energy(&r), exact, 0.02 * 400);
    run_free(&r);
  }
}

/* ---- the option ---- */

// a run from a snapshot in the middle of steps that do not locate has the same bits
static void snapshots(void **state)
{
  (void)state;
  static const char *const modes[] = {"step", "auto"};
  for (int i = 0; i < 2; i++) {
    const cardan_options o = options(modes[i], 0.005);
    run a = run_begin("pile:6", NULL, &o), b = run_begin("pile:6", NULL, &o);
    cardan_report report = {.message = ""};
    run_steps(&a, 80);
    const size_t size = cardan_sim_snapshot_size(a.sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    expect_ok(cardan_sim_snapshot_save(a.sim, bytes, size, &report), &report, "save");
    expect_ok(cardan_sim_snapshot_load(b.sim, bytes, size, &report), &report, "load");
    run_steps(&a, 60);
    run_steps(&b, 60);
    assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof *a.data->q);
    assert_memory_equal(a.data->v, b.data->v, (size_t)a.model->nv * sizeof *a.data->v);
    assert_true(contacts(&a).steps_step > 0);
    assert_int_equal(contacts(&a).steps_step, contacts(&b).steps_step);
    free(bytes);
    run_free(&a);
    run_free(&b);
  }
}

// a pile that falls: `step` solves a few cone problems a step, `auto` hardly more
static void effort(void **state)
{
  (void)state;
  static const char *const modes[] = {"step", "auto"};
  for (int i = 0; i < 2; i++) {
    const cardan_options o = options(modes[i], 0.005);
    run r = run_begin("pile:10", NULL, &o);
    run_steps(&r, 300);
    const cardan_contact_stats s = contacts(&r);
    print_message(
        "pile of 10, %s: %.1f cone problems and %.1f Newton steps a step, %ld of %d steps\n",
        modes[i], (double)s.solves / 300, (double)s.newtons / 300, (long)s.steps_step, 300);
    assert_true(s.solves < 20 * 300);
    run_free(&r);
  }
}

// (simulate (impacts step)) says it too; other methods do not have it
static void given_by_the_model(void **state)
{
  (void)state;
  static const char text[] =
      "(system (gravity 0 0 -9.81) (joint prismatic \"z\" (axis 0 0 1) (limit 0 9) (mass 1))"
      " (initial (\"z\" 1)) (simulate (impacts step)))";
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  expect_ok(cardan_model_from_text(text, strlen(text), "x.mbs", NULL, 0, NULL, &model, &report),
            &report, text);
  cardan_options o = cardan_options_defaults();
  expect_ok(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_METHOD, &report), &report,
            text);
  assert_string_equal(o.impacts, "step");
  o.method = "aba";
  cardan_sim *sim = NULL;
  assert_int_not_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
  assert_non_null(strstr(report.message, "impacts"));
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball),           cmocka_unit_test(cases),
      cmocka_unit_test(incline),        cmocka_unit_test(piles),
      cmocka_unit_test(pile_of_20),     cmocka_unit_test(swarms),
      cmocka_unit_test(fast_balls),     cmocka_unit_test(snapshots),
      cmocka_unit_test(effort),         cmocka_unit_test(given_by_the_model),
      cmocka_unit_test(landing_beside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
