// SPDX-License-Identifier: Apache-2.0
// The rank monitor by itself, and what each solver reports to it while a four-bar passes its flat
// position.
#include <math.h>

#include "constraints/rows.h"
#include "constraints/sparse_kkt.h"
#include "dynamics/loops.h"
#include "linalg/rank_monitor.h"
#include "maximal_fixture.h"
#include "methods/discrete/discrete.h"
#include "model/data.h"
#include "run/sim.h"

/* Links of 1 m between hinges 2 m apart, flat at 0: q1 = a, q2 = -a, q3 = a on the branch. */
static const char parallelogram[] =
    "(system (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\""
    "    (tx 1 (mass 1 0.01 0.33 0.33)) (tx 2 (name \"B\")))))"
    "  (tx 2 (ry \"q3\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"C\"))))"
    "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)"
    "  (initial (\"q1\" 1 4) (\"q2\" -1 -4) (\"q3\" 1 4)))";

static void one_factorisation(void **state)
{
  (void)state;
  cardan__rank_monitor m = {.smallest = HUGE_VAL};
  cardan__rank_begin(&m);
  assert_true(m.ratio == 1 && m.row == 0 && m.dropped == 0);
  cardan__rank_take(&m, 3, 2.0, 4.0);
  cardan__rank_take(&m, 5, 3.0, 4.0); // not smaller
  cardan__rank_take(&m, 7, NAN, 4.0); // not a number: not counted
  cardan__rank_drop(&m, 1e-9, 10.0);
  cardan__rank_drop(&m, 1e-9, 1.0);
  cardan__rank_end(&m);
  assert_true(m.ratio == 0.5 && m.row == 3 && m.dropped == 1e-9);
  assert_true(m.smallest == 0.5 && m.chosen == 0.5);
  cardan__rank_see(&m, 0.7, 2); // larger: the step's smallest and the first one stay
  assert_true(m.ratio == 0.7 && m.row == 2 && m.smallest == 0.5 && m.chosen == 0.5);
  cardan__rank_begin_step(&m);
  cardan__rank_see(&m, 0, 1);
  assert_true(m.ratio == 0 && m.smallest == 0);
}

static void history(void **state)
{
  (void)state;
  cardan__rank_monitor m = {.ratio = 0};
  for (int i = 0; i < CARDAN__RANK_HISTORY; i++) {
    assert_true(cardan__rank_fell(&m, 0.5)); // too little is known
    cardan__rank_see(&m, 0.1 * (i + 1), 0);
    cardan__rank_accept(&m);
  }
  assert_true(m.history[0] == 0.1 * 4 && m.history[3] == 0.1);
  cardan__rank_see(&m, 0.21, 0);
  assert_false(cardan__rank_fell(&m, 0.5)); // more than half of 0.4
  cardan__rank_see(&m, 0.19, 0);
  assert_true(cardan__rank_fell(&m, 0.5));
  cardan__rank_forget(&m);
  cardan__rank_see(&m, 1, 0);
  assert_true(cardan__rank_fell(&m, 0.5));
}

/* Solvers of the tree and of maximal coordinates, each with its monitor. */
enum { TREE_DENSE, TREE_SPARSE, MAXIMAL, SOLVERS = MAXIMAL + 4 };

typedef struct {
  mechanism f;
  cardan__sparse_kkt *sparse;
  cardan__kkt *kkt[4];
} solvers;

static solvers make_solvers(void)
{
  static const cardan__kkt_kind kinds[] = {CARDAN__KKT_TREE, CARDAN__KKT_SPARSE, CARDAN__KKT_DENSE,
                                           CARDAN__KKT_SCHUR};
  solvers s = {.f = load_mechanism(parallelogram, NULL, true)};
  assert_int_equal(cardan__sparse_kkt_create(s.f.model, NULL, NULL, &s.sparse), CARDAN_OK);
  assert_non_null(s.sparse);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(cardan__kkt_create(s.f.mx, kinds[k], NULL, &s.kkt[k]), CARDAN_OK);
  }
  return s;
}

/* Ratios of all solvers with the crank at angle a. */
static void ratios_at(solvers *s, double a, double ratio[SOLVERS])
{
  const cardan_model *model = s->f.model;
  cardan_data *data = s->f.data;
  int row = -1;
  data->q[0] = data->q[2] = a;
  data->q[1] = -a;
  look_at_mechanism(&s->f);
  cardan_kinematics(model, data);
  cardan_constraints(model, data);
  assert_int_equal(cardan_factor(model, data), CARDAN_OK);
  const cardan_status status = cardan__loops_factor(model, data);
  ratio[TREE_DENSE] = data->loops->rank.ratio;
  assert_int_equal(status, ratio[TREE_DENSE] > 0 ? CARDAN_OK : CARDAN_ERR_SINGULAR);
  assert_int_equal(cardan__sparse_kkt_factor(s->sparse, data), CARDAN_OK);
  ratio[TREE_SPARSE] = cardan__sparse_kkt_residual(s->sparse, &row);
  assert_in_range(row, 0, 1);
  cardan__mx_jacobian(s->f.mx);
  for (int k = 0; k < 4; k++) {
    const cardan_status found = cardan__kkt_factor(s->kkt[k], &row);
    assert_int_equal(found, s->kkt[k]->nidle > 0 ? CARDAN_ERR_SINGULAR : CARDAN_OK);
    ratio[MAXIMAL + k] = s->kkt[k]->rank.ratio;
  }
}

// every solver: ratio 0 to rounding at the flat position, and on both sides of it a square of the
// angle, to the next order
static void passes_flat(void **state)
{
  (void)state;
  solvers s = make_solvers();
  double at[SOLVERS], start[SOLVERS];
  ratios_at(&s, 1, start); // sizes of rows are those of a place that is not singular
  ratios_at(&s, 0, at);
  for (int k = 0; k < SOLVERS; k++) {
    assert_true(start[k] > 1e-3);
    assert_true(at[k] <= 1e-13);
  }
  for (int side = -1; side <= 1; side += 2) {
    double far[SOLVERS], near[SOLVERS];
    ratios_at(&s, side * 0.02, far);
    ratios_at(&s, side * 0.01, near);
    for (int k = 0; k < SOLVERS; k++) {
      assert_near(sqrt(far[k] / near[k]), 2, 0.02);
    }
  }
  cardan__sparse_kkt_destroy(s.sparse);
  for (int k = 0; k < 4; k++) {
    cardan__kkt_destroy(s.kkt[k]);
  }
  free_mechanism(&s.f);
}

// a step of vi that passes the position shows in the history of its monitor: 40 rad in 10 s
static void step_that_passes(void **state)
{
  (void)state;
  const double pi = acos(-1);
  cardan_options options = run_options("vi", 0.01, 10);
  run r = run_begin(parallelogram, NULL, &options);
  const cardan__discrete *d = (const cardan__discrete *)r.sim->stepper;
  int passed = 0;
  for (int k = 0; k < 1000; k++) {
    cardan__rank_monitor before = d->border.rank;
    const double from = run_q(&r, "q1");
    run_steps(&r, 1);
    cardan_sim_data(r.sim);
    assert_true(d->border.rank.ratio > 0); // no node is the position itself
    if (floor(from / pi) != floor(run_q(&r, "q1") / pi)) {
      before.ratio = d->border.rank.history[0];
      assert_true(cardan__rank_fell(&before, 0.5));
      passed++;
    }
  }
  assert_in_range(passed, 12, 13);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_factorisation), cmocka_unit_test(history),
                                     cmocka_unit_test(passes_flat),
                                     cmocka_unit_test(step_that_passes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
