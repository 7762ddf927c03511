// SPDX-License-Identifier: Apache-2.0
// After a step that failed everything is as before it: the row, energies, momenta and data, bit for
// bit, and the run continues from there. Every method, on trees, loops, limits, contacts and
// robots.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "cardan/spec.h"
#include "run.h"
#include "run/sim_access.h"
#include "support.h"

/* ---- a model with a force that fails on request ---- */

/* The force is 0 in the first `good` evaluations and no number after them; good < 0: always 0. */
typedef struct {
  int good;
  volatile int stop; // set in place of a force that fails, where stops is
  bool stops;
} trap;

static void trap_force(void *user, const cardan_instant *at, cardan_force *f, double *tau)
{
  trap *t = user;
  (void)at;
  (void)f;
  if (t->good == 0) {
    t->stop = t->stops;
    tau[0] += t->stops ? 0 : (double)NAN;
  }
  t->good -= t->good > 0;
}

static cardan_model *add_trap(const char *text, const char *file)
{
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  expect_ok(cardan_spec_read(text, strlen(text), file, NULL, 0, NULL, &spec, &report), &report,
            file);
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_PROGRAM, .name = "trap"});
  expect_ok(cardan_model_build(spec, NULL, &model, &report), &report, file);
  cardan_spec_destroy(spec);
  return model;
}

static cardan_model *load_with_trap(const char *name)
{
  cardan_report report = {.message = ""};
  char path[512], *text = NULL;
  size_t length = 0;
  const bool file = strchr(name, '.') != NULL;
  snprintf(path, sizeof path, "%s%s", file ? CARDAN_EXAMPLES : "", name);
  expect_ok(cardan_load_text(path, NULL, &text, &length, &report), &report, name);
  cardan_model *model = add_trap(text, file ? name : "test.mbs");
  cardan_free_text(NULL, text);
  return model;
}

/* ---- what is seen of a node ---- */

enum { EVERY_COLUMN = 31 | CARDAN_ADD_CONTACTS };

typedef struct {
  int n;       // numbers
  double *now; // a row of every column, then data and statistics
} view;

static void append(view *s, const void *from, size_t n)
{
  if (s->now != NULL) {
    memcpy(s->now + s->n, from, n * sizeof *s->now);
  }
  s->n += (int)n;
}

static void fill(view *s, const run *r, bool row)
{
  const cardan_model *m = r->model;
  s->n = cardan_sim_columns(r->sim, EVERY_COLUMN);
  if (row && s->now != NULL) {
    expect_ok(cardan_sim_row(r->sim, EVERY_COLUMN, s->now), NULL, "row");
  }
  const cardan_data *d = cardan_sim_data(r->sim);
  const size_t nbody = (size_t)m->nbody;
  append(s, &d->t, 1);
  append(s, d->q, (size_t)m->nq);
  append(s, d->v, (size_t)m->nv);
  append(s, d->z, (size_t)m->nz);
  append(s, d->half_turn, (size_t)m->nturning);
  append(s, d->u, (size_t)m->ninput);
  append(s, d->X_W, nbody * sizeof *d->X_W / sizeof(double));
  append(s, d->V, nbody * sizeof *d->V / sizeof(double));
  append(s, d->A0, nbody * sizeof *d->A0 / sizeof(double));
  append(s, d->rows.phi, (size_t)m->nrow);
  const cardan_stats stats = cardan_sim_stats(r->sim);
  const double numbers[] = {
      cardan_kinetic(m, d), cardan_potential(m, d),       stats.energy_final,
      stats.drift_max,      stats.constraint_max,         (double)stats.looks,
      (double)stats.steps,  (double)stats.jumps,          (double)stats.evaluations,
      stats.contact.gap,    (double)stats.contact.events, cardan_sim_touching(r->sim, NULL, 0)};
  append(s, numbers, sizeof numbers / sizeof *numbers);
}

static view view_of(const run *r)
{
  view s = {.now = NULL};
  fill(&s, r, false);
  s.now = calloc((size_t)s.n, sizeof *s.now);
  assert_non_null(s.now);
  fill(&s, r, true);
  return s;
}

/* Columns that half-implicit and fully-implicit take from the step that led to a node: where no row
 * saw them before another step failed, they are those of accelerations at the node. */
static bool of_last_step(const char *column)
{
  return strncmp(column, "f.", 2) == 0 || strncmp(column, "R.", 2) == 0 ||
         strncmp(column, "lambda.", 7) == 0;
}

/* What methods in maximal coordinates make again with another rounding: baraff its poses, from
 * quaternions that the step normalised after it had made them; all of them the poses of massless
 * bodies, from coordinates that are found again from the last ones (behind the row). */
static double made_again(const char *method, bool behind)
{
  const bool reduced = strcmp(method, "vi") == 0 || strcmp(method, "svi") == 0 ||
                       strncmp(method, "aba", 3) == 0 || strncmp(method, "hamilton", 8) == 0;
  return strncmp(method, "baraff", 6) == 0 || (behind && !reduced) ? 8 * DBL_EPSILON : 0;
}

/* seen: what the second one shows was seen before the step, too. */
static void expect_same(const view *a, const view *b, const run *r, const char *method, bool seen,
                        const char *what)
{
  const bool steps = strcmp(method, "half-implicit") == 0 || strcmp(method, "fully-implicit") == 0;
  const int columns = cardan_sim_columns(r->sim, EVERY_COLUMN);
  char column[80];
  assert_int_equal(a->n, b->n);
  for (int k = 0; k < a->n; k++) {
    snprintf(column, sizeof column, "number %d behind the row", k - columns);
    if (k < columns) {
      cardan_sim_column(r->sim, EVERY_COLUMN, k, column, sizeof column);
    }
    const double x = a->now[k], y = b->now[k], tol = made_again(method, k >= columns);
    if (memcmp(&x, &y, sizeof x) != 0 && !(fabs(x - y) <= tol * fmax(1, fabs(x))) &&
        (seen || !steps || !of_last_step(column))) {
      fail_msg("%s: %s was %.17g, is %.17g", what, column, x, y);
    }
  }
}

/* A step from the node where one failed leads where it does from one where none did. Roots and
 * internal steps may be found another way: to their tolerances. */
static void expect_next(const run *r, const run *twin, const char *what)
{
  cardan_report report = {.message = ""};
  expect_ok(cardan_sim_step(r->sim, &report), &report, what);
  expect_ok(cardan_sim_step(twin->sim, &report), &report, what);
  assert_near_vec(cardan_sim_data(r->sim)->q, cardan_sim_data(twin->sim)->q, r->model->nq, 1e-8);
  assert_near_vec(cardan_sim_data(r->sim)->v, cardan_sim_data(twin->sim)->v, r->model->nv, 1e-6);
}

/* ---- faults ---- */

typedef enum {
  FORCE_NOT_FINITE, // in the n-th evaluation of the step
  STOPPED,          // likewise
  PUSH,             // an input as large as 10^n
  LONG_STEP,        // 10^n s
  NFAULT
} fault;

static const char *const fault_name[] = {"force", "stop", "push", "long"};

/* A step that may fail; whatever made it fail is then taken away. */
static cardan_status try_fault(run *r, trap *t, fault kind, int n)
{
  cardan_report report = {.message = ""};
  cardan_data *data = cardan__sim_node(r->sim);
  cardan_status status;
  t->good = kind == FORCE_NOT_FINITE || kind == STOPPED ? n : -1;
  t->stops = kind == STOPPED;
  if (kind == PUSH) {
    data->tau_in[r->model->nv / 2] = pow(10, n);
  }
  if (kind == LONG_STEP) {
    status = cardan_sim_step_to(r->sim, data->t + pow(10, n), &report);
  } else {
    status = cardan_sim_step(r->sim, &report);
  }
  data->tau_in[r->model->nv / 2] = 0;
  t->good = -1;
  t->stop = 0;
  assert_true(status == CARDAN_OK || report.message[0] != 0);
  return status;
}

static cardan_status begin(run *r, cardan_model *model, const cardan_options *o,
                           const cardan_program *program)
{
  cardan_report report = {.message = ""};
  trap *t = program->user;
  *r = (run){.model = model};
  t->good = -1;
  t->stop = 0;
  cardan_status status = cardan_sim_create(model, o, NULL, &r->sim, &report);
  if (status == CARDAN_OK) {
    r->data = cardan_sim_data(r->sim);
    r->data->program = program;
    cardan_sim_stop(r->sim, &t->stop);
    status = cardan_sim_start(r->sim, &report);
  }
  for (int k = 0; k < 3 && status == CARDAN_OK; k++) {
    status = cardan_sim_step(r->sim, &report);
  }
  if (status != CARDAN_OK) {
    cardan_sim_destroy(r->sim);
  }
  return status;
}

static int check(cardan_model *model, const char *name, const char *method, int order, double adapt)
{
  static const struct {
    fault kind;
    int n;
  } faults[] = {{FORCE_NOT_FINITE, 3}, {STOPPED, 2}, {PUSH, 7}, {PUSH, 150}, {LONG_STEP, 0}};
  cardan_options o = run_options(method, 0.01, 0);
  o.order = order > 0 ? order : o.order;
  o.adapt = adapt;
  trap t = {.good = -1};
  const cardan_program program = {.user = &t, .force = trap_force};
  int failed = 0;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    for (int seen = 0; seen < 2; seen++) {
      char what[128];
      run r, twin;
      snprintf(what, sizeof what, "%s, %s, %s %d%s", name, method, fault_name[faults[i].kind],
               faults[i].n, seen ? ", the node was seen" : "");
      if (begin(&r, model, &o, &program) != CARDAN_OK) {
        return failed; // not a model for this method
      }
      expect_ok(begin(&twin, model, &o, &program), NULL, what);
      view before = view_of(&twin), first = {.now = NULL};
      if (seen) {
        first = view_of(&r);
        expect_same(&before, &first, &r, method, true, what);
      }
      if (try_fault(&r, &t, faults[i].kind, faults[i].n) != CARDAN_OK) {
        failed++;
        view after = view_of(&r);
        expect_same(&before, &after, &r, method, seen, what);
        expect_next(&r, &twin, what);
        free(after.now);
      }
      free(before.now);
      free(first.now);
      cardan_sim_destroy(r.sim);
      cardan_sim_destroy(twin.sim);
    }
  }
  return failed;
}

static int check_all(cardan_model *model, const char *name)
{
  static const char *const methods[] = {"vi",
                                        "svi",
                                        "rattle",
                                        "half-implicit",
                                        "fully-implicit",
                                        "aba:euler",
                                        "aba:rk4",
                                        "aba:gauss4",
                                        "aba:dopri5",
                                        "aba:bdf",
                                        "hamilton:rk4",
                                        "baraff:semi-implicit",
                                        "baraff:rk4",
                                        "baraff:ode45",
                                        "aba:rkf45-fixed"};
  int failed = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    failed += check(model, name, methods[i], 0, 0);
  }
  failed += check(model, name, "vi", 4, 0) + check(model, name, "svi", 0, 0.01);
  cardan_model_destroy(model);
  print_message("%-16s %d steps failed\n", name, failed);
  assert_true(failed > 0);
  return failed;
}

static void test_node_is_restored(void **state)
{
  static const char *const names[] = {"pendulum:2",
                                      "spherical-chain:2",
                                      "scissor:1",
                                      "slider-crank",
                                      "rope",
                                      "floor-chain:2",
                                      "robots/arm.urdf",
                                      "robots/quadruped.xml",
                                      "models/sampled-balance.mbs"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    check_all(load_with_trap(names[i]), names[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_node_is_restored)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
