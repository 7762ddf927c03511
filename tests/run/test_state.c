// SPDX-License-Identifier: Apache-2.0
// A run that was saved and restored continues to the same bits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run.h"

enum { BEFORE = 7, AFTER = 9, ADD = 15 | CARDAN_ADD_CONTACTS, HEADER = 80 };

typedef struct {
  unsigned char *bytes;
  size_t size;
} saved;

static saved save(run *r)
{
  cardan_report report = {.message = ""};
  saved s = {.size = cardan_sim_snapshot_size(r->sim)};
  s.bytes = malloc(s.size);
  assert_non_null(s.bytes);
  if (cardan_sim_snapshot_save(r->sim, s.bytes, s.size, &report) != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
  return s;
}

static void restore(run *r, const saved *s)
{
  cardan_report report = {.message = ""};
  if (cardan_sim_snapshot_load(r->sim, s->bytes, s->size, &report) != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
}

/* AFTER steps, each with its row, and the statistics of the whole; from malloc. */
static double *go_on(run *r)
{
  const int n = cardan_sim_columns(r->sim, ADD);
  double *rows = calloc((size_t)AFTER * (size_t)n + 4, sizeof *rows);
  assert_non_null(rows);
  for (int i = 0; i < AFTER; i++) {
    run_steps(r, 1);
    assert_int_equal(cardan_sim_row(r->sim, ADD, rows + i * n), CARDAN_OK);
  }
  const cardan_stats stats = cardan_sim_stats(r->sim);
  const double last[4] = {(double)stats.evaluations, stats.iterations_std, stats.drift_max,
                          (double)stats.restarts};
  memcpy(rows + AFTER * n, last, sizeof last);
  return rows;
}

static void same(run *r, const double *a, const double *b, const char *what, const char *label)
{
  const int n = cardan_sim_columns(r->sim, ADD);
  for (int i = 0; i < AFTER * n + 4; i++) {
    if (!(a[i] == b[i])) {
      char name[64] = "statistics";
      if (i < AFTER * n) {
        cardan_sim_column(r->sim, ADD, i % n, name, sizeof name);
      }
      fail_msg("%s, %s: %s differs by %g in step %d", label, what, name, a[i] - b[i], i / n + 1);
    }
  }
}

/* The caller's own forces, so that they have to be saved too. */
static void push(run *r)
{
  cardan_data *data = cardan_sim_data(r->sim);
  for (int k = 0; k < r->model->nv; k++) {
    data->tau_in[k] = 0.01 * (k + 1);
  }
}

static run begin(const char *model, const char *setting, const cardan_options *o)
{
  run r = run_begin(model, setting, o);
  push(&r);
  run_steps(&r, BEFORE);
  return r;
}

/* Is its history the integrator's own, so that saving is a restart? */
static bool is_foreign(const cardan_options *o)
{
  static const char *const names[] = {"rkf45", "dopri5", "adams", "bdf"};
  bool found = false;
  for (int i = 0; i < 4 && o->integrator != NULL; i++) {
    found = found || strcmp(o->integrator, names[i]) == 0;
  }
  return found;
}

static void round_trip(const char *model, const char *setting, const cardan_options *o,
                       const char *label)
{
  run r = begin(model, setting, o), fresh = run_load(model, setting, o);
  const saved s = save(&r);
  double *rows = go_on(&r);
  restore(&r, &s);
  double *again = go_on(&r);
  same(&r, rows, again, "the same sim", label);
  restore(&fresh, &s);
  const saved copy = save(&fresh);
  assert_int_equal(copy.size, s.size);
  if (!is_foreign(o)) { // a second save is a second restart there
    for (size_t i = HEADER; i < s.size; i++) {
      if (copy.bytes[i] != s.bytes[i]) {
        fail_msg("%s: byte %zu of %zu is not the same when saved again", label, i, s.size);
      }
    }
    double *other = go_on(&fresh);
    same(&r, rows, other, "another sim", label);
    free(other);
    run plain = begin(model, setting, o);
    double *through = go_on(&plain);
    same(&r, rows, through, "a run that was not saved", label);
    free(through);
    run_free(&plain);
  } else {
    run another = run_load(model, setting, o);
    restore(&another, &s);
    double *other = go_on(&another);
    same(&r, rows, other, "another sim", label);
    free(other);
    run_free(&another);
  }
  free(again);
  free(rows);
  free(copy.bytes);
  free(s.bytes);
  run_free(&fresh);
  run_free(&r);
}

/* All that the method takes of the models; returns how many it takes. */
static int round_trips(const char *const *models, int nmodel, const cardan_options *o)
{
  int taken = 0;
  for (int i = 0; i < nmodel; i++) {
    cardan_report report = {.message = ""};
    cardan_model *model;
    cardan_sim *sim;
    assert_int_equal(cardan_model_load(models[i], NULL, 0, NULL, &model, &report), CARDAN_OK);
    const cardan_status status = cardan_sim_create(model, o, NULL, &sim, &report);
    if (status == CARDAN_OK) {
      char label[128], method[64];
      cardan_options_label(o, method, sizeof method);
      snprintf(label, sizeof label, "%s with %s", models[i], method);
      round_trip(models[i], NULL, o, label);
      taken++;
    }
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
  return taken;
}

static const char *const models[] = {"double-pendulum", "slider-crank", "scissor:3", "tumbler",
                                     "spring",          "four-link",    "ladder:14"};
enum { NMODEL = sizeof models / sizeof models[0] };

static void every_method(void **state)
{
  (void)state;
  for (int i = 0; cardan_method_name(i) != NULL; i++) {
    const cardan_options o = run_options(cardan_method_name(i), 2e-3, 1);
    const int taken = round_trips(models, NMODEL, &o);
    assert_true(taken >= 4); // svi has no quaternions
  }
}

/* A prescribed coordinate inside a loop: its motion is met to rounding only. */
static void prescribed(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (rx (k \"a\") (tz -1 (mass 1 .1 .1 .1) (rx \"b\" (tz -1 (mass 1 "
      ".1 "
      ".1 .1) (rx \"c\" (tz -1 (name \"C\") (mass 1 .1 .1 .1)))))))"
      " (ty 1 (name \"W\")) (wire \"C\" \"W\" 2.6) (motion \"a\" (+ 0.3 (* 0.2 (sin (* 3 t)))))"
      " (initial (\"b\" 0.2) (\"c\" 0.4)))";
  (void)state;
  for (int i = 0; i < 6; i++) {
    cardan_options o = run_options(i < 3 ? "vi" : "svi", 0.01, 1);
    o.order = 2 + 2 * (i % 3);
    round_trip(text, NULL, &o, i < 3 ? "prescribed, vi" : "prescribed, svi");
  }
}

static void friction(void **state)
{
  (void)state;
  for (int i = 0; cardan_method_name(i) != NULL; i++) {
    const cardan_options o = run_options(cardan_method_name(i), 2e-3, 1);
    round_trip("slider-crank", "mu=0.1", &o, cardan_method_name(i));
  }
}

// auxiliary states and samples, which fall between steps
static void states(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (input \"f\") (joint revolute \"a\" (axis 1 0 0) (place (0 0 -1)"
      " (mass 1 .1 .1 .1))) (state \"i\" (initial 1) (derivative (- u.f (* 20 z.i) v.a)))"
      " (torque \"a\" (* 2 z.i)) (memory \"m\" (every 0.003) (next (+ z.m q.a)))"
      " (controller \"f\" (every 0.003) (- (+ q.a z.m))) (initial (\"a\" 1)))";
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    snprintf(method, sizeof method, "%s", run_method(i));
    cardan_options o = run_options(method, 2e-3, 1);
    round_trip(text, NULL, &o, method);
  }
}

static void every_integrator(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba", "hamilton", "baraff"};
  for (int m = 0; m < 3; m++) {
    for (int i = 0; cardan_integrator_name(i) != NULL; i++) {
      cardan_options o = run_options(methods[m], 2e-3, 1);
      o.integrator = cardan_integrator_name(i);
      o.rtol = 1e-6;
      o.atol = 1e-8;
      assert_int_equal(round_trips(models, 4, &o), 4);
      // rows between two internal steps
      o.dt = 1e-4;
      assert_int_equal(round_trips(models, 1, &o), 1);
    }
  }
}

// what baraff keeps of a node is computed again in a continued run: trees of hinges and balls, in
// which it reads no row
static void kept_factors(void **state)
{
  (void)state;
  static const char *const trees[] = {"chain:4", "humanoid", "spherical-chain:3"};
  cardan_options o = run_options("baraff:semi-implicit", 2e-3, 1);
  assert_int_equal(round_trips(trees, 3, &o), 3);
}

static void other_forms(void **state)
{
  (void)state;
  static const char *const loops[] = {"closed-chain", "pinned-chain:6"};
  static const char *const bodies[] = {"scissor:3", "fourbar-3d"};
  cardan_options o = run_options("hamilton", 2e-3, 1);
  o.form = "reduced";
  assert_int_equal(round_trips(loops + 1, 1, &o), 1);
  o = run_options("hamilton", 2e-3, 1);
  o.stabilise = "none";
  assert_int_equal(round_trips(loops, 2, &o), 2);
  o = run_options("rattle", 2e-3, 1);
  o.planar = "off";
  assert_int_equal(round_trips(bodies, 2, &o), 2);
}

// guesses, solvers, orders and starts of vi and svi: what they keep is restored too
static void discrete_methods(void **state)
{
  (void)state;
  static const char *const guesses[] = {"extrapolate", "current", "euler", "dynamics"};
  static const char *const solvers[] = {"broyden", "riqn"};
  static const char *const few[] = {"double-pendulum", "scissor:3"};
  for (int m = 0; m < 2; m++) {
    const cardan_options plain = run_options(m == 0 ? "vi" : "svi", 2e-3, 1);
    cardan_options o = plain;
    for (int i = 0; i < 4; i++) {
      o.guess = guesses[i];
      assert_int_equal(round_trips(few, 2, &o), 2);
    }
    for (int i = 0; i < 2; i++) {
      o = plain;
      o.solver = solvers[i];
      assert_int_equal(round_trips(few, 2, &o), 2);
    }
    for (int order = 4; order <= 6; order += 2) {
      o = plain;
      o.order = order;
      assert_int_equal(round_trips(few, 2, &o), 2);
    }
    o = plain;
    o.start = "two-point";
    assert_int_equal(round_trips(few, 2, &o), 2);
  }
  cardan_options o = run_options("svi", 2e-3, 1);
  o.eval = "tree";
  assert_int_equal(round_trips(few, 2, &o), 2);
  o = run_options("vi", 2e-3, 1);
  o.solver = "newton-dense";
  assert_int_equal(round_trips(few, 2, &o), 2);
}

/* Dense factors of 64 and more rows are LAPACK's, whose pivots count from 1. */
static void large_factors(void **state)
{
  (void)state;
  cardan_options o = run_options("aba", 2e-3, 1);
  o.integrator = "trapezoid";
  round_trip("chain:33", NULL, &o, "trapezoid");
  o = run_options("vi", 2e-3, 1);
  round_trip("(system (gravity 0 0 -9.81) (place (1 0 0) (name \"wall\"))"
             " (ry \"a\" (tz -1 (name \"bob\") (mass 1 1 1 1)))"
             " (repeat i 1 65 (damper \"bob\" \"wall\" (* 0.01 i))) (initial (\"a\" 1)))",
             NULL, &o, "65 dampers");
}

/* A crate that slides on the floor, a ball that bounces on it, another that lands on the crate; a
 * swing on a rope, a slider between stops, a cam: in the air, closed, and at impacts. */
#define TOUCHING                                                                                \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"                 \
  " (place (0 0 0.1) (joint free \"crate\" (mass 2 0.02 0.02 0.02) (solid box 0.4 0.3 0.2)))"   \
  " (place (1 0 0.11) (joint free \"ball\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1)))"     \
  " (place (0 0 0.26) (joint free \"other\" (mass 1 0.001 0.001 0.001) (solid sphere 0.05)))"   \
  " (joint prismatic \"s\" (axis 0 0 1) (mass 1 1 1 1))"                                        \
  " (place (3 0 3) (name \"hook\")) (place (3.5 0 2.14) (joint free \"swing\" (mass 1 1 1 1)))" \
  " (stop \"s\" -0.005 1 (restitution 0.7)) (rope \"hook\" \"swing\" 1 (restitution 0.5))"      \
  " (contact all (friction 0.3) (restitution 0.6)))"

/* Nothing near for a while: what a run knows of that is part of its state. */
#define FAR                                                                                 \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"             \
  " (place (0 0 0.13) (joint free \"ball\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1)))" \
  " (place (0 0 9) (joint free \"crate\" (mass 2 0.02 0.02 0.02) (solid box 0.4 0.3 0.2)))" \
  " (contact all (friction 0.3)))"

static void contacts(void **state)
{
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    for (int steps = 0; steps < 3; steps++) { // so that it is saved at other moments
      cardan_options o = run_options("vi", 0.004 + 0.003 * steps, 1);
      o.order = order;
      char init[64];
      snprintf(init, sizeof init, "order %d, dt %g", order, o.dt);
      round_trip(TOUCHING, NULL, &o, init);
      round_trip(FAR, NULL, &o, init);
    }
  }
}

/* From step 256 on the range of coordinates is looked at in every other step, of a run that was
 * saved after step 300 too: a mass on a spring is at its end after step 301. */
static void range_of_coordinates(void **state)
{
  (void)state;
  const char *const model = "(system (tx \"x\" (mass 1)) (joint-spring \"x\" 1.0893468 0)"
                            " (initial (\"x\" 1)))";
  const cardan_options o = run_options("vi", 0.01, 0);
  run whole = run_begin(model, NULL, &o), again = run_load(model, NULL, &o);
  run_steps(&whole, 300);
  const saved s = save(&whole);
  restore(&again, &s);
  run_steps(&whole, 100);
  run_steps(&again, 100);
  const saved a = save(&whole), b = save(&again);
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.bytes, b.bytes, a.size);
  free(s.bytes);
  free(a.bytes);
  free(b.bytes);
  run_free(&whole);
  run_free(&again);
}

/* ---- states made by hand ---- */

/* FNV-1a, as the header of a state has it of all that follows. */
static void sum_up(unsigned char *bytes, size_t size)
{
  const uint64_t hash = cardan__fnv1a(CARDAN__HASH_START, bytes + HEADER, size - HEADER);
  memcpy(bytes + HEADER - sizeof hash, &hash, sizeof hash);
}

/* Bytes of a state are changed here and there, with a sum that fits: it is refused, or steps go
 * where they go. The sanitizers check that. */
static void change(const char *model, const cardan_options *o, int times)
{
  run r = begin(model, NULL, o);
  const saved s = save(&r);
  unsigned char *bytes = malloc(s.size);
  uint64_t random = 1;
  assert_non_null(bytes);
  for (int i = 0; i < times; i++) {
    memcpy(bytes, s.bytes, s.size);
    for (int k = 0; k < 1 + i % 4; k++) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const size_t at = HEADER + (size_t)(random >> 20) % (s.size - HEADER);
      const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff, (unsigned char)(random >> 12)};
      bytes[at] = values[(random >> 8) % 6];
    }
    sum_up(bytes, s.size);
    if (cardan_sim_snapshot_load(r.sim, bytes, s.size, NULL) == CARDAN_OK) {
      for (int k = 0; k < 3 && cardan_sim_step(r.sim, NULL) == CARDAN_OK; k++) {
        cardan_sim_stats(r.sim);
      }
    }
  }
  free(bytes);
  free(s.bytes);
  run_free(&r);
}

static void made_states(void **state)
{
  (void)state;
  const char *name;
  for (int i = 0; (name = run_method(i)) != NULL; i++) {
    const cardan_options o = run_options(name, 2e-3, 1);
    change(i % 2 == 0 ? "slider-crank" : "pendulum:3", &o, 4);
  }
  const cardan_options o = run_options("vi", 4e-3, 1);
  change(TOUCHING, &o, 40);
}

static void refused(run *r, const unsigned char *bytes, size_t size, const char *sentence)
{
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_sim_snapshot_load(r->sim, bytes, size, &report), CARDAN_ERR_ARGUMENT);
  if (strstr(report.message, sentence) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", report.message, sentence);
  }
}

// every byte changed, every length cut: refused with a sentence, and the sim is as it was
static void damaged_states(void **state)
{
  (void)state;
  const cardan_options o = run_options("rattle", 2e-3, 1);
  run r = begin("slider-crank", NULL, &o);
  const saved s = save(&r);
  for (size_t i = 0; i < s.size; i++) {
    s.bytes[i] ^= 0x10;
    refused(&r, s.bytes, s.size, "");
    s.bytes[i] ^= 0x10;
    refused(&r, s.bytes, i, i < HEADER ? "too few bytes" : "cut short");
  }
  refused(&r,
          (const unsigned char *)"this is a text of more bytes than the head of a state has, of "
                                 "which there are eighty, and no state",
          96, "not the state of a run");
  s.bytes[s.size - 1] ^= 1;
  refused(&r, s.bytes, s.size, "damaged");
  s.bytes[s.size - 1] ^= 1;
  const saved after = save(&r);
  assert_memory_equal(after.bytes, s.bytes, s.size);
  free(after.bytes);
  free(s.bytes);
  run_free(&r);
}

static void foreign_states(void **state)
{
  (void)state;
  const cardan_options o = run_options("half-implicit", 2e-3, 1);
  cardan_options other = o, rarely = o;
  other.dt = 1e-3;
  rarely.every = 10;
  run r = begin("pendulum:3", NULL, &o), chain = begin("pendulum:4", NULL, &o);
  run heavy = run_load("pendulum:3", "m=1.5", &o), faster = begin("pendulum:3", NULL, &other);
  run seldom = begin("pendulum:3", NULL, &rarely);
  const saved s = save(&r);
  refused(&chain, s.bytes, s.size, "another model");
  refused(&heavy, s.bytes, s.size, "another model");
  refused(&faster, s.bytes, s.size, "other options");
  restore(&seldom, &s);
  s.bytes[strlen("cardan state ")]--; // as the version before wrote it
  refused(&r, s.bytes, s.size, "not of this version");
  free(s.bytes);
  run_free(&seldom);
  run_free(&faster);
  run_free(&heavy);
  run_free(&chain);
  run_free(&r);
}

static void arguments(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba", 2e-3, 1);
  run r = run_load("pendulum:3", NULL, &o);
  cardan_report report = {.message = ""};
  const size_t size = cardan_sim_snapshot_size(r.sim);
  void *bytes = malloc(size + 1);
  assert_non_null(bytes);
  assert_int_equal(cardan_sim_snapshot_save(r.sim, bytes, size, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "started"));
  run_start(&r);
  assert_int_equal(cardan_sim_snapshot_save(r.sim, bytes, size - 1, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "room"));
  // any alignment, and no memory
  const long before = support_alloc_counts() ? support_alloc_count() : 0;
  assert_int_equal(cardan_sim_snapshot_save(r.sim, (char *)bytes + 1, size, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_snapshot_load(r.sim, (char *)bytes + 1, size, &report), CARDAN_OK);
  assert_int_equal(support_alloc_counts() ? support_alloc_count() : 0, before);
  free(bytes);
  run_free(&r);
}

// where the time begins makes no difference to the bits, however it is given
static void another_begin(void **state)
{
  (void)state;
  cardan_options o = run_options("aba", 2e-3, 1), late = o;
  late.begin = 3;
  run r = run_load("slider-crank", NULL, &o), l = run_load("slider-crank", NULL, &late);
  cardan_sim_data(r.sim)->t = 3;
  run_start(&r);
  run_start(&l);
  double *rows = go_on(&r), *others = go_on(&l);
  same(&r, rows, others, "another begin", "aba");
  assert_true(cardan_sim_data(l.sim)->t == 3 + AFTER * o.dt);
  free(others);
  free(rows);
  run_free(&l);
  run_free(&r);
}

// a step that is to stop ends, the sim stands where it stood, and the next one may be taken
static void stopped_steps(void **state)
{
  (void)state;
  const char *name;
  int stopped = 0;
  for (int i = 0; (name = cardan_method_name(i)) != NULL; i++) {
    const cardan_options o = run_options(name, 2e-3, 1);
    run r = begin("pendulum:3", NULL, &o);
    cardan_report report = {.message = ""};
    volatile int stop = 0;
    cardan_sim_stop(r.sim, &stop);
    run_steps(&r, 1);
    const cardan_data *data = cardan_sim_data(r.sim);
    const double t = data->t, q = data->q[2], v = data->v[2];
    stop = 15;
    const cardan_status status = cardan_sim_step(r.sim, &report);
    assert_true(status == CARDAN_OK || status == CARDAN_ERR_STOPPED);
    if (status == CARDAN_ERR_STOPPED) {
      stopped++;
      assert_non_null(strstr(report.message, "stopped by the caller at t = 0.016, in step 9"));
      data = cardan_sim_data(r.sim);
      assert_true(data->t == t && data->q[2] == q && data->v[2] == v);
    }
    stop = 0;
    run_steps(&r, 1);
    run_free(&r);
  }
  assert_true(stopped >= 6); // of eight: one step may be over before it asks
}

/* A step that was stopped from outside does not search for its root in another way, whatever the
 * solver. */
static void stopped_stages(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    cardan_options o = run_options(i % 2 == 0 ? "vi" : "svi", 2e-3, 1);
    o.order = 2 + i / 2 * 2;
    run r = begin("chain:5", NULL, &o);
    const int stop = 15;
    cardan_sim_stop(r.sim, &stop);
    assert_int_equal(cardan_sim_step(r.sim, NULL), CARDAN_ERR_STOPPED);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method),     cmocka_unit_test(friction),
      cmocka_unit_test(prescribed),       cmocka_unit_test(every_integrator),
      cmocka_unit_test(kept_factors),     cmocka_unit_test(other_forms),
      cmocka_unit_test(discrete_methods), cmocka_unit_test(large_factors),
      cmocka_unit_test(contacts),         cmocka_unit_test(range_of_coordinates),
      cmocka_unit_test(damaged_states),   cmocka_unit_test(foreign_states),
      cmocka_unit_test(arguments),        cmocka_unit_test(another_begin),
      cmocka_unit_test(stopped_steps),    cmocka_unit_test(stopped_stages),
      cmocka_unit_test(made_states),      cmocka_unit_test(states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
