// SPDX-License-Identifier: Apache-2.0
// Two joints that the library does not have, added by the recipe of docs/extending.md: a row of
// model/joint_table.c each, and for the second one functions of kinematics/joint_ops.c. The linker
// puts this file's tables in front of the library's (-Wl,--wrap), so that nothing else changes.
//
//   slot      slides along its axis, then turns about axis2: a chain of known elementary joints
//   parabola  (q, 0, c q^2) without turning, c given as pitch: an S that depends on q
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"
#include "kinematics/joint.h"
#include "model/joint_table.h"
#include "run.h"
#include "support.h"

enum { SLOT = CARDAN_JOINT_FREE + 1, PARABOLA = SLOT + 1 };

/* ---- rows of model/joint_table.c ---- */

static const cardan__joint_type slot = {.word = "slot",
                                        .nq = 2,
                                        .nv = 2,
                                        .q_suffix = {".d", ".a"},
                                        .v_suffix = {".d", ".a"},
                                        .takes = 1 << CARDAN__JOINT_AXIS | 1 << CARDAN__JOINT_AXIS2,
                                        .axis = {1, 0, 0},
                                        .npart = 2,
                                        .part = {{CARDAN_LINK_PRISMATIC, CARDAN__PART_AXIS, 0},
                                                 {CARDAN_LINK_REVOLUTE, CARDAN__PART_AXIS2, 1}}};

static const cardan__joint_type parabola = {
    .word = "parabola",
    .nq = 1,
    .nv = 1,
    .q_suffix = {""},
    .v_suffix = {""},
    .takes = 1 << CARDAN__JOINT_PITCH,
    .axis = {0, 0, 1},
    .npart = 1,
    .part = {{(cardan_link_kind)(CARDAN_LINK_GENERAL + PARABOLA), CARDAN__PART_AXIS, 0}},
    .general = {.word = "parabola", .nq = 1, .nv = 1, .nslide = 1}};

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's
const cardan__joint_type *__real_cardan__joint_type_of(cardan_joint_kind kind);
const cardan__joint_type *__wrap_cardan__joint_type_of(cardan_joint_kind kind);
const cardan__joint_type *__wrap_cardan__joint_type_of(cardan_joint_kind kind)
{
  const int k = (int)kind;
  return k == SLOT ? &slot : k == PARABOLA ? &parabola : __real_cardan__joint_type_of(kind);
}
// NOLINTEND(bugprone-reserved-identifier)

/* ---- a row of kinematics/joint_ops.c: J(q) = Trans(q, 0, c q^2), S = (0; 1, 0, 2 c q) ---- */

static cardan_xform place(const cardan_body *b, const double *q)
{
  const cardan_xform J = {.R = cardan__mat3_identity(), .p = {q[0], 0, b->pitch * q[0] * q[0]}};
  return cardan__xform_mul(&b->X, &J);
}

static cardan_twist axis(const cardan_body *b, const double *q, int k)
{
  (void)k;
  return (cardan_twist){.v = {1, 0, 2 * b->pitch * q[0]}};
}

static cardan_twist slope(const cardan_body *b, const double *q)
{
  (void)q;
  return (cardan_twist){.v = {0, 0, 2 * b->pitch}};
}

static void invert(const cardan_body *b, const cardan_xform *T_PB, double *q)
{
  q[0] = cardan__xform_inv_point(&b->X, T_PB->p).x;
}

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's
const cardan__joint_ops *__real_cardan__joint_ops_of(cardan_link_kind kind);
const cardan__joint_ops *__wrap_cardan__joint_ops_of(cardan_link_kind kind);
const cardan__joint_ops *__wrap_cardan__joint_ops_of(cardan_link_kind kind)
{
  static const cardan__joint_ops own = {.place = place,
                                        .axis = axis,
                                        .slope = slope,
                                        .move = cardan__scalar_move,
                                        .difference = cardan__scalar_difference,
                                        .rate = cardan__scalar_rate,
                                        .invert = invert};
  return (int)kind == CARDAN_LINK_GENERAL + PARABOLA ? &own : __real_cardan__joint_ops_of(kind);
}
// NOLINTEND(bugprone-reserved-identifier)

/* ---- the slot, beside the same mechanism in transforms ---- */

#define PENDULUM "(mass 0.7 0.01 0.02 0.03) (rz \"swing\" (tx 0.4 (mass 1 0.02 0.03 0.04)))"
#define START "(initial (\"swing\" 0.7 1) "
static const char slot_text[] =
    "(system \"s\" (gravity 0 -9.81 0) (place (0.1 0.2 0.3) (rpy 0 0 0.4)"
    " (joint slot \"s\" (axis 1 0 0) (axis2 0 0 1) " PENDULUM "))"
    " (joint-spring \"s.d\" 40 0.1)"
    " " START "(\"s\" (0.2 0.3) (0.4 -0.5))))";
static const char transforms_text[] =
    "(system \"s\" (gravity 0 -9.81 0) (place (0.1 0.2 0.3) (rpy 0 0 0.4)"
    " (tx \"d\" (rz \"a\" " PENDULUM ")))"
    " (joint-spring \"d\" 40 0.1)"
    " " START "(\"d\" 0.2 0.4) (\"a\" 0.3 -0.5)))";

static void slot_runs_in_every_method(void **state)
{
  (void)state;
  for (int m = 0; cardan_method_name(m) != NULL; m++) {
    const cardan_options options = run_options(cardan_method_name(m), 0.002, 0.3);
    run a = run_whole(slot_text, NULL, &options), b = run_whole(transforms_text, NULL, &options);
    assert_int_equal(a.model->nq, b.model->nq);
    // the same bodies and numbers, so the same rounding
    assert_near_vec(a.data->q, b.data->q, a.model->nq, 0);
    assert_near_vec(a.data->v, b.data->v, a.model->nv, 0);
    run_free(&a);
    run_free(&b);
  }
}

static void slot_is_a_pair(void **state)
{
  (void)state;
  const cardan_vec3 x = {1, 0, 0}, z = {0, 0, 1};
  const cardan__pair pair = cardan__joint_pair((cardan_joint_kind)SLOT, x, z, 0);
  assert_int_equal(pair.nturn, 1);
  assert_int_equal(pair.nslide, 1);
  assert_near_vec(&pair.slide[0].x, &x.x, 3, 0);
  assert_near_vec(&pair.turn[0].x, &z.x, 3, 0);
  assert_false(pair.general || pair.screw);
}

/* ---- the parabola, beside a body on two slides that an equation holds on it ---- */

#define BOB "(mass 2 0.1 0.2 0.3) (ry \"swing\" (tz -0.5 (mass 1 0.02 0.03 0.04)))"
static const char parabola_text[] =
    "(system \"p\" (gravity 0 0 -9.81) (rz \"base\" (mass 1 0.3 0.4 0.5)"
    " (place (0.3 0.1 0) (rpy 0.1 0.2 0.3) (joint parabola \"x\" (pitch 0.7) " BOB ")))"
    " (initial (\"base\" 0.2 0.9) (\"x\" 0.3 -0.8) (\"swing\" 0.4 1.1)))";
static const char equation_text[] =
    "(system \"p\" (gravity 0 0 -9.81) (rz \"base\" (mass 1 0.3 0.4 0.5)"
    " (place (0.3 0.1 0) (rpy 0.1 0.2 0.3) (tx \"x\" (tz \"z\" " BOB "))))"
    " (equation (- q.z (* 0.7 q.x q.x)))"
    " (initial (\"base\" 0.2 0.9) (\"x\" 0.3 -0.8) (\"z\" 0.063 -0.336) (\"swing\" 0.4 1.1)))";

/* Accelerations of a parabola's coordinates against those of the equation's. */
static void parabola_accelerates_as_its_equation(void **state)
{
  (void)state;
  const cardan_options options = run_options("aba", 0.001, 0.1);
  run p = run_begin(parabola_text, NULL, &options), e = run_begin(equation_text, NULL, &options);
  const int same[3] = {0, 1, 3}; // base, x, swing among base, x, z, swing
  assert_int_equal(cardan_forward(p.model, p.data, 0, 0), CARDAN_OK);
  assert_int_equal(cardan_forward(e.model, e.data, 0, 0), CARDAN_OK);
  for (int k = 0; k < 3; k++) {
    // a solve of three unknowns against one of four with a multiplier, numbers of size 10
    assert_near(p.data->a[k], e.data->a[same[k]], 1e-12);
  }

  // and inverse dynamics gives back what was put in: nothing
  double tau[3];
  const double none[3] = {0, 0, 0};
  cardan_rnea(p.model, p.data, p.data->a, tau);
  assert_near_vec(tau, none, 3, 1e-13 * 10);
  run_free(&p);
  run_free(&e);
}

// with S(q) too the bias of a frame is Jdot v, and J a + Jdot v what its equation's frame has
static void parabola_moves_its_frames(void **state)
{
  (void)state;
  const cardan_options options = run_options("aba", 0.001, 0.1);
  run p = run_begin(parabola_text, NULL, &options), e = run_begin(equation_text, NULL, &options);
  assert_int_equal(cardan_forward(p.model, p.data, 0, 0), CARDAN_OK);
  assert_int_equal(cardan_forward(e.model, e.data, 0, 0), CARDAN_OK);
  cardan_poses(p.model, p.data);
  const int at = cardan_model_frame(p.model, "swing"), other = cardan_model_frame(e.model, "swing");
  for (int axes = CARDAN_LOCAL; axes <= CARDAN_ALIGNED; axes++) {
    const cardan_twist A = cardan_frame_acceleration(p.model, p.data, at, (cardan_axes)axes);
    const cardan_twist B = cardan_frame_acceleration(e.model, e.data, other, (cardan_axes)axes);
    const cardan_twist c = cardan_frame_bias(p.model, p.data, at, (cardan_axes)axes);
    double rate[18], sum[6] = {0};
    cardan_frame_jacobian_rate(p.model, p.data, at, (cardan_axes)axes, rate);
    for (int k = 0; k < 18; k++) {
      sum[k / 3] += rate[k] * p.data->v[k % 3];
    }
    assert_near_vec(&A.w.x, &B.w.x, 6, 1e-11);
    assert_near_vec(sum, &c.w.x, 6, 1e-14 * 10);
  }
  run_free(&p);
  run_free(&e);
}

// C + C^T is the rate of M, and C v + g the bias, with S(q) too
static void parabola_has_coriolis_forces(void **state)
{
  (void)state;
  const cardan_options options = run_options("aba", 0.001, 0.1);
  run r = run_begin(parabola_text, NULL, &options);
  cardan_data *d = r.data;
  const double h = 1e-5;
  double M[2][9], C[9], q[3], bias[3], g[3];
  memcpy(q, d->q, sizeof q);
  for (int s = 0; s < 3; s++) {
    cardan_q_move(r.model, q, d->v, s == 2 ? 0 : s == 0 ? -h : h, d->q);
    cardan_joints(r.model, d);
    cardan_velocities(r.model, d);
    if (s < 2) {
      cardan_crba(r.model, d, M[s]);
    }
  }
  cardan_coriolis(r.model, d, C);
  cardan_bias_torques(r.model, d, bias);
  cardan_gravity_torques(r.model, d, g);
  for (int i = 0; i < 3; i++) {
    double sum = g[i];
    for (int j = 0; j < 3; j++) {
      // differences: h^2 of a third derivative, and rounding over h
      assert_near(C[3 * i + j] + C[3 * j + i], (M[1][3 * i + j] - M[0][3 * i + j]) / (2 * h), 1e-9);
      sum += C[3 * i + j] * d->v[j];
    }
    assert_near(sum, bias[i], 100 * DBL_EPSILON * 30);
  }
  run_free(&r);
}

// M of crba, momenta M v, and their rates: those of hamilton's sweep must agree with accelerations
// from aba, through cardan_momenta_accelerations
static void parabola_has_momenta(void **state)
{
  (void)state;
  const cardan_options options = run_options("aba", 0.001, 0.1);
  run r = run_begin(parabola_text, NULL, &options);
  cardan_data *d = r.data;
  double M[9], p[3], Mv[3] = {0}, v[3], pdot[3], a[3];
  assert_int_equal(cardan_forward(r.model, d, 0, 0), CARDAN_OK);
  memcpy(a, d->a, sizeof a);
  cardan_crba(r.model, d, M);
  cardan_momenta(r.model, d, p);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Mv[i] += M[3 * i + j] * d->v[j];
    }
  }
  assert_near_vec(p, Mv, 3, 100 * DBL_EPSILON);
  cardan_momenta_velocities(r.model, d, p, v);
  assert_near_vec(v, d->v, 3, 100 * DBL_EPSILON);
  cardan_momenta_rates(r.model, d, d->tau, pdot);
  cardan_momenta_accelerations(r.model, d, pdot, d->a);
  assert_near_vec(d->a, a, 3, 1000 * DBL_EPSILON * support_max_abs(a, 3));
  run_free(&r);
}

/* aba and hamilton by a Runge-Kutta method of order 5 that holds 1e-12. */
static cardan_options adaptive(const char *method, double time)
{
  cardan_options options = run_options("aba:dopri5", 0.01, time);
  options.method = method;
  return options;
}

/* Whole motions: the equation's loop is kept by projection to 1e-12, the integrator to 1e-12. */
static void parabola_moves_as_its_equation(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba", "hamilton"};
  for (int m = 0; m < 2; m++) {
    const cardan_options options = adaptive(methods[m], 0.5);
    run p = run_whole(parabola_text, NULL, &options), e = run_whole(equation_text, NULL, &options);
    assert_near(run_q(&p, "x"), run_q(&e, "x"), 1e-9);
    assert_near(run_q(&p, "base"), run_q(&e, "base"), 1e-9);
    assert_near(run_q(&p, "swing"), run_q(&e, "swing"), 1e-9);
    assert_near(run_energy(&p), run_energy(&e), 1e-9);
    run_free(&p);
    run_free(&e);
  }
}

#define HUNG \
  "(system \"h\" (gravity 0 0 -9.81) (tx 1.5 (name \"hook\")) (place (0.3 0.1 0) (rpy 0 0.2 0)"
#define TIP "(mass 2 0.1 0.2 0.3) (ry \"swing\" (tz -0.5 (name \"tip\") (mass 1 0.02 0.03 0.04)))"

// a loop through the joint: rows are pulled back along S(q), and their rates too; from rest, with
// the wire as long as it is
static void parabola_closes_loops(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba", "hamilton"};
  static const char *const form[2] = {
      HUNG " (joint parabola \"x\" (pitch 0.7) " TIP "))"
           " (wire \"tip\" \"hook\" %.17g) (initial (\"x\" 0.3) (\"swing\" 0.4)))",
      HUNG " (tx \"x\" (tz \"z\" " TIP "))) (equation (- q.z (* 0.7 q.x q.x)))"
           " (wire \"tip\" \"hook\" %.17g) (initial (\"x\" 0.3) (\"z\" 0.063) (\"swing\" 0.4)))"};
  const double at = 0.3, angle = 0.4, lean = 0.2;
  const double x = at - 0.5 * sin(angle), z = 0.7 * at * at - 0.5 * cos(angle);
  const double dx = 0.3 + cos(lean) * x + sin(lean) * z - 1.5, dz = -sin(lean) * x + cos(lean) * z;
  const double length = sqrt(dx * dx + 0.1 * 0.1 + dz * dz);
  for (int m = 0; m < 2; m++) {
    const cardan_options options = adaptive(methods[m], 0.4);
    run r[2];
    for (int i = 0; i < 2; i++) {
      char text[1000];
      snprintf(text, sizeof text, form[i], length);
      r[i] = run_whole(text, NULL, &options);
    }
    assert_true(fabs(run_q(&r[0], "x") - at) > 0.01); // it moves
    assert_near(run_q(&r[0], "x"), run_q(&r[1], "x"), 1e-9);
    assert_near(run_q(&r[0], "swing"), run_q(&r[1], "swing"), 1e-9);
    run_free(&r[0]);
    run_free(&r[1]);
  }
}

/* What cannot take it reports it. */
static void parabola_is_refused_where_it_cannot_run(void **state)
{
  (void)state;
  cardan_report report;
  cardan_model *model = NULL;
  const cardan_options options = cardan_options_defaults();
  assert_int_equal(cardan_model_from_text(parabola_text, strlen(parabola_text), "p.mbs", NULL, 0,
                                          NULL, &model, &report),
                   CARDAN_OK);
  int taken = 0;
  for (int m = 0; cardan_method_name(m) != NULL; m++) {
    const cardan_status status = cardan_method_accepts(m, model, &options, &report);
    taken += status == CARDAN_OK;
    if (status != CARDAN_OK) {
      assert_int_equal(status, CARDAN_ERR_UNSUPPORTED);
      assert_non_null(strstr(report.message, "parabola joint \"x\""));
    }
  }
  assert_int_equal(taken, 2); // aba and hamilton

  char *text = NULL;
  size_t length = 0;
  const cardan_page page = {.source = "p", .model = model};
  assert_int_equal(cardan_page_json(&page, NULL, &text, &length, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "parabola joint \"x\""));
  cardan_model_destroy(model);

  static const char close[] = "(system \"c\" (tx 1 (name \"a\")) (close parabola \"a\" \"world\""
                              " (pitch 1)))";
  assert_int_equal(
      cardan_model_from_text(close, strlen(close), "c.mbs", NULL, 0, NULL, &model, &report),
      CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "close parabola"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slot_runs_in_every_method),
      cmocka_unit_test(slot_is_a_pair),
      cmocka_unit_test(parabola_accelerates_as_its_equation),
      cmocka_unit_test(parabola_has_momenta),
      cmocka_unit_test(parabola_moves_its_frames),
      cmocka_unit_test(parabola_has_coriolis_forces),
      cmocka_unit_test(parabola_moves_as_its_equation),
      cmocka_unit_test(parabola_closes_loops),
      cmocka_unit_test(parabola_is_refused_where_it_cannot_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
