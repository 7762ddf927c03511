// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "cardan/run.h"
#include "run.h"

/* The one time loop: rows once for all sinks, steps to observers, failures in order. */

enum { MOST_COLUMNS = 256, MOST_ROWS = 64 };

/* Keeps what it gets; stops after so many rows or steps, 0: never. */
typedef struct {
  int ncolumn, nrow, nstep, stop_row, stop_step;
  double row[MOST_ROWS][MOST_COLUMNS];
  cardan_run_state last;
} keeper;

static cardan_status keep_row(void *user, const double *row, cardan_report *report)
{
  keeper *k = user;
  assert_true(k->nrow < MOST_ROWS && k->ncolumn <= MOST_COLUMNS);
  memcpy(k->row[k->nrow++], row, (size_t)k->ncolumn * sizeof *row);
  return k->nrow == k->stop_row ? cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "full")
                                : CARDAN_OK;
}

static cardan_status keep_step(void *user, cardan_sim *sim, const cardan_run_state *at,
                               cardan_report *report)
{
  keeper *k = user;
  (void)sim;
  (void)report;
  k->nstep++;
  k->last = *at;
  return k->nstep == k->stop_step ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

static cardan_sink sink_of(keeper *k, const run *r, int add, int every)
{
  k->ncolumn = cardan_sim_columns(r->sim, add);
  return (cardan_sink){.user = k, .add = add, .every = every, .row = keep_row, .step = keep_step};
}

static const int everything = CARDAN_ADD_MOMENTUM | CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS |
                              CARDAN_ADD_WORK | CARDAN_ADD_ERRORS;

// each sink has the rows that it would have alone, to the bit, whatever the others ask for
static void rows_are_shared(void **state)
{
  static const char *const methods[] = {"vi", "svi", "aba", "hamilton", "half-implicit"};
  static keeper part, all, alone;
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    cardan_options o = run_options(methods[i], 0.01, 1);
    run r = run_begin("closed-chain", "I=0.01", &o);
    const int add = CARDAN_ADD_REACTIONS | CARDAN_ADD_WORK;
    part = all = alone = (keeper){0};
    const cardan_sink sinks[] = {sink_of(&part, &r, add, 2), sink_of(&all, &r, everything, 0)};
    assert_int_equal(cardan_run(r.sim, 10, sinks, 2, NULL, NULL), CARDAN_OK);
    assert_int_equal(part.nrow, 6);
    assert_int_equal(all.nrow, 11);
    run_free(&r);
    r = run_begin("closed-chain", "I=0.01", &o);
    const cardan_sink one = sink_of(&alone, &r, add, 2);
    assert_int_equal(cardan_run(r.sim, 10, &one, 1, NULL, NULL), CARDAN_OK);
    assert_memory_equal(part.row, alone.row, sizeof part.row);
    assert_memory_equal(part.row[1], all.row[2], (size_t)(1 + r.model->nq) * sizeof(double));
    run_free(&r);
  }
}

// the options' every holds where a sink does not say; a second call continues without a start
static void runs_go_on(void **state)
{
  static keeper k;
  cardan_run_state end;
  cardan_options o = run_options("vi", 0.01, 1);
  (void)state;
  o.every = 3;
  run r = run_begin("pendulum:2", NULL, &o);
  k = (keeper){0};
  const cardan_sink sink = sink_of(&k, &r, 0, 0);
  assert_int_equal(cardan_run(r.sim, 4, &sink, 1, &end, NULL), CARDAN_OK);
  assert_int_equal(end.step, 4);
  assert_int_equal(k.nrow, 2);
  assert_int_equal(cardan_run(r.sim, 5, &sink, 1, &end, NULL), CARDAN_OK);
  assert_int_equal(end.step, 5);
  assert_int_equal(k.nrow, 4);
  assert_true(k.row[3][0] == 9 * 0.01 && k.row[0][0] == 0);
  assert_true(end.t == 8 * 0.01 && end.seconds > 0);
  assert_int_equal(cardan_run(r.sim, 0, NULL, 0, NULL, NULL), CARDAN_OK);
  run_free(&r);
}

// what cannot be answered is refused before anything is done
static void calls_that_are_refused(void **state)
{
  static keeper k;
  cardan_report report = {.message = ""};
  cardan_options o = run_options("vi", 0.01, 1);
  (void)state;
  run r = run_load("pendulum:2", NULL, &o);
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "not started"));
  report.message[0] = '\0';
  assert_int_equal(cardan_run(r.sim, 1, NULL, 0, NULL, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "not started"));
  run_start(&r);
  k = (keeper){0};
  cardan_sink sink = sink_of(&k, &r, 0, -1);
  assert_int_equal(cardan_run(r.sim, 1, &sink, 1, NULL, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "every -1 steps"));
  sink = sink_of(&k, &r, 0, 0);
  sink.add = 1 << 20;
  assert_int_equal(cardan_run(r.sim, 1, &sink, 1, NULL, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "0x100000"));
  sink.add = 0;
  assert_int_equal(cardan_run(r.sim, -1, &sink, 1, NULL, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "-1 steps"));
  assert_true(k.nrow == 0 && k.nstep == 0 && cardan_sim_stats(r.sim).steps == 0);
  assert_int_equal(cardan_run(r.sim, 1, &sink, 1, NULL, &report), CARDAN_OK);
  run_free(&r);
}

// a sink that fails ends the run there; an observer sees the step whose row failed
static void sinks_end_runs(void **state)
{
  static keeper k;
  cardan_report report = {.message = ""};
  cardan_run_state end;
  cardan_options o = run_options("vi", 0.01, 1);
  (void)state;
  run r = run_begin("pendulum:2", NULL, &o);
  k = (keeper){.stop_row = 3};
  cardan_sink sink = sink_of(&k, &r, 0, 0);
  assert_int_equal(cardan_run(r.sim, 10, &sink, 1, &end, &report), CARDAN_ERR_IO);
  assert_string_equal(report.message, "full");
  assert_true(end.step == 2 && end.status == CARDAN_OK && end.row == CARDAN_OK);
  assert_int_equal(k.nstep, 2);
  run_free(&r);
  r = run_begin("pendulum:2", NULL, &o);
  k = (keeper){.stop_step = 5};
  sink = sink_of(&k, &r, 0, 0);
  assert_int_equal(cardan_run(r.sim, 10, &sink, 1, &end, NULL), CARDAN_ERR_STOPPED);
  assert_true(end.step == 5 && k.nrow == 6); // the last step's row is there
  run_free(&r);
}

// a step that fails: rows up to the last good node, and observers are called
static void steps_that_fail(void **state)
{
  static keeper k;
  cardan_report report = {.message = ""};
  cardan_run_state end;
  cardan_options o = run_options("vi", 0.5, 100); // far too large a step
  (void)state;
  run r = run_begin("chain:10", NULL, &o);
  k = (keeper){0};
  const cardan_sink sink = sink_of(&k, &r, 0, 0);
  const cardan_status status = cardan_run(r.sim, 60, &sink, 1, &end, &report);
  assert_int_equal(status, CARDAN_ERR_NO_ROOT);
  assert_int_equal(end.status, status);
  assert_int_equal(k.last.status, status);
  assert_int_equal(k.nrow, end.step + 1);
  assert_int_equal(k.nstep, end.step + 1);
  assert_true(k.row[k.nrow - 1][0] == end.t);
  assert_non_null(strstr(report.message, "in step "));
  run_free(&r);
}

// memory is taken before the first step
static void no_memory_in_steps(void **state)
{
  static keeper k;
  long taken[2];
  cardan_options o = run_options("vi", 0.01, 1);
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < 2; i++) {
    run r = run_begin("closed-chain", NULL, &o);
    k = (keeper){0};
    const cardan_sink sink = sink_of(&k, &r, everything, 0);
    const long before = support_alloc_count();
    assert_int_equal(cardan_run(r.sim, i == 0 ? 1 : 60, &sink, 1, NULL, NULL), CARDAN_OK);
    taken[i] = support_alloc_count() - before;
    run_free(&r);
  }
  assert_int_equal(taken[0], taken[1]);
}

// a second start forgets the iterations of the run before
static void starts_count_anew(void **state)
{
  cardan_options o = run_options("vi", 0.05, 10);
  (void)state;
  run r = run_begin("chain:5", NULL, &o);
  assert_int_equal(cardan_run(r.sim, 40, NULL, 0, NULL, NULL), CARDAN_OK);
  const double first = cardan_sim_stats(r.sim).iterations_std;
  assert_true(first > 0);
  cardan_data_reset(r.model, cardan_sim_data(r.sim));
  run_start(&r);
  assert_int_equal(cardan_run(r.sim, 40, NULL, 0, NULL, NULL), CARDAN_OK);
  assert_true(cardan_sim_stats(r.sim).iterations_std == first);
  run_free(&r);
}

// A number that is none, from a program, is refused where it comes in, by name
static void numbers_that_are_none(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.05, 10);
  cardan_report report = {.message = ""};
  run r = run_begin("pendulum:2", NULL, &o);
  cardan_sim_data(r.sim)->q[1] = (double)NAN;
  assert_int_equal(cardan_sim_start_from_current(r.sim, &report), CARDAN_ERR_NOT_FINITE);
  assert_non_null(strstr(report.message, r.model->q_name[1]));
  cardan_data_reset(r.model, r.data);
  r.data->v[0] = HUGE_VAL;
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_NOT_FINITE);
  assert_non_null(strstr(report.message, r.model->v_name[0]));
  run_free(&r);
}

// a row does not need all kinematics; a caller that reads the data after it finds them, to the bit
static void data_after_a_row(void **state)
{
  static const char *const methods[] = {"vi", "svi", "aba", "hamilton"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 1);
    run r = run_begin("pendulum:5", NULL, &o);
    double row[MOST_COLUMNS];
    cardan_data *own = NULL;
    assert_int_equal(cardan_sim_step(r.sim, NULL), CARDAN_OK);
    assert_int_equal(cardan_sim_row(r.sim, 0, row), CARDAN_OK);
    const cardan_data *data = cardan_sim_data(r.sim);
    assert_int_equal(cardan_data_create(r.model, NULL, &own), CARDAN_OK);
    memcpy(own->q, data->q, (size_t)r.model->nq * sizeof *own->q);
    memcpy(own->v, data->v, (size_t)r.model->nv * sizeof *own->v);
    own->t = data->t;
    cardan_kinematics(r.model, own);
    const size_t n = (size_t)r.model->nbody;
    assert_true((data->fresh & own->fresh) == own->fresh);
    assert_memory_equal(data->X_W, own->X_W, n * sizeof *own->X_W);
    assert_memory_equal(data->V, own->V, n * sizeof *own->V);
    assert_memory_equal(data->A0, own->A0, n * sizeof *own->A0);
    cardan_data_destroy(own);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_shared),        cmocka_unit_test(runs_go_on),
      cmocka_unit_test(calls_that_are_refused), cmocka_unit_test(sinks_end_runs),
      cmocka_unit_test(steps_that_fail),        cmocka_unit_test(no_memory_in_steps),
      cmocka_unit_test(starts_count_anew),      cmocka_unit_test(numbers_that_are_none),
      cmocka_unit_test(data_after_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
