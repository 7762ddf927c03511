// SPDX-License-Identifier: Apache-2.0
// Accelerations, multipliers, reactions and driver forces in maximal coordinates against those of
// the tree (the articulated-body algorithm with multipliers over it): two formulations that share
// only the rows of loops and the forces.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_fixture.h"

static const struct {
  const char *model, *setting;
} models[] = {
    {"chain:6", NULL},
    {"chain-planar:6", NULL},
    {"pendulum:5", NULL},
    {"lee-chain:5", NULL},
    {"closed-chain", "I=0.01"},
    {"scissor:4", NULL},
    {"human", NULL},
    {"lower-pairs", NULL},
    {"screw", NULL},
    {"gear", NULL},
    {"cam", NULL},
    {"wire", NULL},
    {"spring", NULL},
    {"arm:5", NULL},
    {"arm:5", "fixed=1"},
    {"bintree:3", NULL},
    {"ring:5", NULL},
    {"double-pendulum", NULL},
    {"slider-crank", NULL},
    {"slider-crank", "mu=0.3"},
    {"slider-crank", "driven=0"},
    {"four-link", NULL},
    {"spherical-chain:5", NULL},
    {"biped", NULL},
    {"pinned-chain:6", NULL},
    {"fourbar-3d", NULL},
    {"tumbler", NULL},
    {"top", NULL},
    {"humanoid", NULL},
    {"tree:40", NULL},
};

/* One text with everything that acts: dampers, torques, wrenches, springs, friction, a prescribed
 * coordinate under a massless chain, a driver on a joint. */
static const char everything[] =
    "(system \"everything\" (gravity 0.5 0.2 -9.81)"
    " (tx (k \"x\") (ry \"a\" (tz -0.5 (mass 1 0.1 0.1 0.05 0.01 0 0)) (tz -1 (name \"e\"))))"
    " (motion \"x\" (* 0.3 (sin (* 3 t))))"
    " (at \"e\" (joint universal \"u\" (name \"b\") (place (0.1 0.2 -0.3) (mass 2 0.2 0.3 0.2)) "
    "(tz -0.7 (name "
    "\"f\"))))"
    " (at \"f\" (joint cylindrical \"c\" (axis 1 1 0) (place (0.2 0 0) (mass 1.5 0.1 0.2 0.2)) "
    "(name \"g\")))"
    " (at \"g\" (joint spherical \"s\" (place (0 0.3 0) (mass 0.7 0.1 0.1 0.1)) (ty 0.4 (name "
    "\"h\"))))"
    " (at \"h\" (joint helical \"w\" (axis 0 1 0) (pitch 0.1) (place (0.1 0 0) (mass 0.5 0.05 0.05 "
    "0.05))))"
    " (tx 2 (joint prismatic \"p\" (axis 1 0 1) (mass 1 0.1 0.1 0.1) (name \"slide\")))"
    " (motion \"p\" (* 0.2 (cos t)))"
    " (damping 0.2) (damper \"slide\" \"h\" 0.4) (spring \"e\" \"slide\" 5 0.3) (joint-spring "
    "\"a\" 3 0.1)"
    " (torque \"u.a\" (- (* 2 (sin t)) v.a)) (torque \"s.wx\" 0.3) (torque \"w\" 0.4) (torque "
    "\"c.d\" -0.7)"
    " (wrench body \"h\" (1 0.5 0) (0 0.2 0.1)) (potential (* 2 (^ q.a 2)))"
    " (friction \"c\" 0.2 (radius 0.1)) (friction \"s\" 0.1 (radius 0.05))"
    " (initial (\"a\" 0.3 0.5) (\"u\" (0.2 -0.4) (1 2)) (\"c\" (0.3 0.1) (-1 0.5)) (\"s\" (1 0.1 "
    "0.2 0.3) (1 -2 1))"
    "  (\"w\" 0.4 2)))";

/* The state of the assembled start with velocities that satisfy the loops, from random ones. */
static void start(mechanism *f, double t, uint64_t seed)
{
  support_rng rng = {seed};
  f->data->t = t;
  for (int k = 0; k < f->model->nv; k++) {
    f->data->v[k] += support_random_in(&rng, -1, 1);
  }
  assert_int_equal(cardan_assemble(f->model, f->data, NULL, NULL), CARDAN_OK);
}

/* Largest difference relative to the largest number. */
static double difference(const double *a, const double *b, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  return worst / (1 + support_max_abs(b, n));
}

/* Accelerations, multipliers, reactions and drivers of both formulations. */
static double compare(const char *name, const char *setting, const char *solver, const char *planar)
{
  mechanism f = load_mechanism(name, setting, planar == NULL);
  const cardan_model *model = f.model;
  cardan_options o = run_options("baraff", 0.01, 1);
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  start(&f, name[0] == '(' ? 0.1 : 0, 17);
  o.solver = solver;
  o.planar = planar;
  if (cardan_sim_create(model, &o, NULL, &sim, &report) != CARDAN_OK) {
    fail_msg("%s: %s", name, report.message);
  }
  cardan_data *data = cardan_sim_data(sim);
  data->t = f.data->t;
  memcpy(data->q, f.data->q, (size_t)model->nq * sizeof *data->q);
  memcpy(data->v, f.data->v, (size_t)model->nv * sizeof *data->v);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  const int n = cardan_sim_columns(sim, CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS);
  double *row = calloc((size_t)n, sizeof *row), *tree = calloc((size_t)n, sizeof *tree);
  assert_true(row && tree);
  assert_int_equal(cardan_sim_row(sim, CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS, row),
                   CARDAN_OK);
  assert_int_equal(cardan_forward(model, f.data, 0, 0), CARDAN_OK);
  double worst = difference(data->a, f.data->a, model->nv);
  worst = fmax(worst, difference(data->lambda, f.data->lambda, model->nrow));
  // the same columns by method aba
  cardan_sim *other = NULL;
  o.method = "aba";
  o.solver = NULL;
  o.planar = NULL;
  assert_int_equal(cardan_sim_create(model, &o, NULL, &other, &report), CARDAN_OK);
  cardan_data *at = cardan_sim_data(other);
  at->t = f.data->t;
  memcpy(at->q, f.data->q, (size_t)model->nq * sizeof *at->q);
  memcpy(at->v, f.data->v, (size_t)model->nv * sizeof *at->v);
  assert_int_equal(cardan_sim_start(other, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_row(other, CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS, tree),
                   CARDAN_OK);
  // t, q, v, energies; the last of them, iterations, aside
  const int common = model->nq + model->nv;
  worst = fmax(worst, difference(row, tree, common + 5));
  worst = fmax(worst, difference(row + common + 6, tree + common + 6, n - common - 6));
  cardan_sim_destroy(sim);
  cardan_sim_destroy(other);
  free(row);
  free(tree);
  free_mechanism(&f);
  return worst;
}

// every built-in model that has inertias everywhere, in its plane and in space
// tolerance: two chains of a few hundred operations, magnified by loops of condition up to 1e4 or
// so
static void accelerations(void **state)
{
  (void)state;
  double worst = 0;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const double plane = compare(models[i].model, models[i].setting, NULL, NULL);
    const double space = compare(models[i].model, models[i].setting, NULL, "off");
    print_message("%-18s %-10s %.1e, in space %.1e\n", models[i].model,
                  models[i].setting != NULL ? models[i].setting : "", plane, space);
    worst = fmax(worst, fmax(plane, space));
  }
  assert_near(worst, 0, 1e-9);
}

// and the model with everything that acts, by all three solvers; friction's iteration ends at 1e-12
static void all_forces(void **state)
{
  (void)state;
  static const char *const solvers[] = {"sparse", "dense", "schur"};
  for (int i = 0; i < 3; i++) {
    const double worst = compare(everything, NULL, solvers[i], NULL);
    print_message("everything, %s: %.1e\n", solvers[i], worst);
    assert_near(worst, 0, 1e-9);
  }
}

// the caller's own forces, on a joint, on a joint inside a massless chain and on bodies with and
// without mass
static void inputs(void **state)
{
  (void)state;
  mechanism f = load_mechanism(everything, NULL, true);
  const cardan_model *model = f.model;
  cardan_options o = run_options("rattle", 0.01, 1);
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  start(&f, 0.1, 3);
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
  cardan_data *data = cardan_sim_data(sim);
  support_rng rng = {4};
  support_random_vec(&rng, data->tau_in, model->nv, 2);
  support_random_vec(&rng, &data->f_in[0].t.x, 6 * model->nbody, 3);
  memcpy(f.data->tau_in, data->tau_in, (size_t)model->nv * sizeof(double));
  memcpy(f.data->f_in, data->f_in, (size_t)model->nbody * sizeof *data->f_in);
  data->t = f.data->t;
  memcpy(data->q, f.data->q, (size_t)model->nq * sizeof *data->q);
  memcpy(data->v, f.data->v, (size_t)model->nv * sizeof *data->v);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  double *row = calloc((size_t)cardan_sim_columns(sim, CARDAN_ADD_REACTIONS), sizeof *row);
  assert_non_null(row);
  assert_int_equal(cardan_sim_row(sim, CARDAN_ADD_REACTIONS, row), CARDAN_OK);
  assert_int_equal(cardan_forward(model, f.data, 0, 0), CARDAN_OK);
  assert_near(difference(data->a, f.data->a, model->nv), 0, 1e-9);
  free(row);
  cardan_sim_destroy(sim);
  free_mechanism(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations),
      cmocka_unit_test(all_forces),
      cmocka_unit_test(inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
