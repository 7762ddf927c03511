// SPDX-License-Identifier: Apache-2.0
// The linear system of the true degrees of freedom against differences of the motion itself: trees,
// loops, drivers, springs, actuators, at rest and moving.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/matrices.h"
#include "linalg/linalg.h"
#include "loops.h"
#include "random_loops.h"
#include "random_rolling.h"
#include "random_tree.h"

enum { MOST = 80 };

typedef struct {
  fixture f;
  cardan_matrices *m;
  double S[MOST * MOST], y[MOST]; // scratch of the tests
  int pivot[MOST], row[MOST], nrank;
} about;

static cardan_matrices *matrices_of(const fixture *f)
{
  cardan_report report = {.message = ""};
  cardan_matrices *m = NULL;
  expect_ok(cardan_matrices_create(f->model, f->data, NULL, &m, &report), &report, "matrices");
  return m;
}

/* Rows that count over held and true coordinates, at data's q, factored; rows of positions alone
 * and their coordinates, or all and the independent velocities. */
static void factor(about *a, bool all)
{
  const cardan_model *model = a->f.model;
  const int nv = model->nv;
  static double G[MOST * MOST];
  int at = 0;
  a->nrank = 0;
  cardan_jacobian(model, a->f.data, G);
  memset(a->S, 0, sizeof a->S);
  for (int r = 0; r < model->nrow; r++) {
    if (!model->row_redundant[r] && (all || !model->row[r].velocity)) {
      memcpy(a->S + at++ * nv, G + r * nv, (size_t)nv * sizeof *G);
      a->row[a->nrank++] = r;
    }
  }
  for (int k = 0; k < nv; k++) {
    const bool held = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
    if (held) {
      a->S[at++ * nv + k] = 1;
    }
  }
  for (int i = 0; i < (all ? a->m->nw : a->m->n); i++) {
    a->S[at++ * nv + (all ? a->m->wdof : a->m->dof)[i]] = 1;
  }
  assert_int_equal(at, nv);
  assert_true(cardan__lu(nv, a->S, a->pivot) < 0);
}

/* The state with x and x' moved by s (nx) from that of the matrices, constraints kept: the motion's
 * own rates of both to rate (nx, out). */
static void motion_at(about *a, const double *s, double *rate)
{
  const cardan_model *model = a->f.model;
  const cardan_matrices *m = a->m;
  cardan_data *data = a->f.data;
  double d[MOST] = {0}, there[MOST], back[MOST], q[MOST], q0[MOST];
  const int nv = model->nv, n = m->n, nw = m->nw;
  data->t = m->t;
  for (int i = 0; i < n; i++) {
    d[m->dof[i]] = s[i];
  }
  for (int k = 0; k < 12; k++) { // Newton's steps that leave x alone; cheap, so more than enough
    cardan_q_move(model, m->q, d, 1, data->q);
    cardan_kinematics(model, data);
    cardan_constraints(model, data);
    cardan_constraint_max(model, data);
    factor(a, false);
    memset(a->y, 0, sizeof a->y);
    for (int i = 0; i < a->nrank; i++) {
      a->y[i] = -data->rows.phi[a->row[i]];
    }
    cardan__lu_solve(nv, a->S, a->pivot, a->y);
    for (int i = 0; i < nv; i++) {
      d[i] += a->y[i];
    }
  }
  factor(a, true);
  memset(a->y, 0, sizeof a->y);
  for (int i = 0; i < a->nrank; i++) {
    a->y[i] = -data->rows.phi_t[a->row[i]];
  }
  for (int k = 0, at = a->nrank; k < nv; k++) {
    if (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC) {
      a->y[at++] = data->v[k];
    }
  }
  for (int i = 0; i < nw; i++) {
    a->y[nv - nw + i] = m->v[m->wdof[i]] + s[n + i];
  }
  cardan__lu_solve(nv, a->S, a->pivot, a->y);
  memcpy(data->v, a->y, (size_t)nv * sizeof *data->v);
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  const double h = 1e-4;
  for (int side = -1; side <= 1; side += 2) {
    cardan_q_move(model, m->q, m->v, side * h, q0);
    cardan_q_move(model, data->q, data->v, side * h, q);
    cardan_q_difference(model, q0, q, side > 0 ? there : back);
  }
  for (int i = 0; i < n; i++) {
    rate[i] = (there[m->dof[i]] - back[m->dof[i]]) / (2 * h);
  }
  for (int i = 0; i < nw; i++) {
    rate[n + i] = data->a[m->wdof[i]];
  }
}

/* Largest difference of A and B from differences of order 4 with step h, over the largest entry of
 * both. */
static double worst_of(about *a, double h)
{
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  const cardan_matrices *m = a->m;
  double worst = 0, size = 1;
  assert_true(a->f.model->nv <= MOST && a->f.model->nrow <= MOST && a->f.model->nq <= MOST);
  for (int j = 0; j < m->nx + m->nu; j++) {
    double fd[2 * MOST] = {0}, rate[2 * MOST];
    for (int k = 0; k < 4; k++) {
      double s[2 * MOST] = {0};
      cardan_data *data = a->f.data;
      const int u = j - m->nx, input = u - m->nforced;
      double *moved = u < 0 ? &s[j] : input >= 0 ? &data->u[input] : &data->tau_in[m->forced[u]];
      const double before = *moved;
      *moved += at[k] * h;
      motion_at(a, s, rate);
      *moved = before;
      for (int i = 0; i < m->nx; i++) {
        fd[i] += weight[k] * rate[i] / (12 * h);
      }
    }
    for (int i = 0; i < m->nx; i++) {
      const double x = j < m->nx ? m->A[i * m->nx + j] : m->B[i * m->nu + j - m->nx];
      worst = fmax(worst, fabs(x - fd[i]));
      size = fmax(size, fabs(x));
    }
  }
  return worst / size;
}

static double largest; // of all models

/* Expects that of a model, at its start (speed 0) or moving with random velocities. */
static void check(const char *text, double speed, uint64_t seed)
{
  about a = {.f = fixture_load(text)};
  support_rng rng = {seed};
  cardan_report report = {.message = ""};
  cardan_data *data = a.f.data;
  for (int k = 0; k < a.f.model->nv; k++) {
    data->v[k] = speed > 0 ? support_random_in(&rng, -speed, speed) : 0;
    data->tau_in[k] = support_random_in(&rng, -1, 1);
  }
  for (int i = 0; i < a.f.model->nbody; i++) {
    double w[6];
    support_random_vec(&rng, w, 6, 1);
    data->f_in[i] = (cardan_force){{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
  }
  expect_ok(cardan_assemble(a.f.model, data, NULL, &report), &report, text);
  a.m = matrices_of(&a.f);
  assert_string_equal(a.m->why, "");
  double worst = worst_of(&a, 1e-3);
  if (!(worst < 1e-7)) { // what bends within 1e-3: shorter steps, whose rounding is ten times that
    worst = 0.1 * worst_of(&a, 2e-4);
  }
  if (!(worst < 1e-7)) {
    print_error("%.300s, speed %g: off by %.3g\n", text, speed, worst);
  }
  // differences: h^4 times a fifth derivative, some 1e-12 times 1e3; rounding eps / h, rates again
  assert_true(worst < 1e-7);
  largest = fmax(largest, worst);
  cardan_matrices_destroy(a.m);
  fixture_free(&a.f);
}

static void built_in_models(void **state)
{
  (void)state;
  static const char *const name[] = {
      "pendulum:3", "spring",    "closed-chain", "scissor:3",   "fourbar-3d", "pinned-chain:5",
      "gear",       "four-link", "ring:4",       "top",         "tumbler",    "spherical-chain:3",
      "wire",       "ladder:2",  "human",        "slider-crank"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    check(name[i], 0, i);
    check(name[i], 1, 100 + i);
  }
}

/* Rows of velocity level: rolling, blades, one that moves and bends with a coordinate and with
 * time, one of a frame's velocity; beside a loop and a driver. */
static void rows_of_velocity_level(void **state)
{
  static const char *const models[] = {
      "sleigh",
      "snakeboard",
      "rolling-disc",
      "ball-table",
      "bicycle",
      "(system (gravity 0.3 0.2 -9.81) (tx \"x\" (ty \"y\" (rz \"a\" (name \"A\") (mass 1 1 1 2)"
      "  (tx 0.5 (ry \"b\" (tz -0.4 (name \"B\") (mass 0.5 0.1 0.2 0.3)))))))"
      "  (rz (k \"turn\") (name \"table\"))"
      "  (motion \"turn\" (* 0.4 (sin (+ 0.2 t)))) (skate \"A\" \"table\")"
      "  (velocity (- (* (cos q.b) v.y) (* 0.3 v.b) (* q.x (sin (+ t 0.1)))))"
      "  (spring \"A\" \"world\" 20 0.3) (initial (\"x\" 0.4) (\"b\" 0.5)))",
      "(system (gravity 0 0 -9.81) (joint free \"f\" (mass 2 0.2 0.3 0.4)"
      "  (tx 0.2 (name \"ear\")) (ry \"h\" (tx 0.3 (name \"hand\") (mass 0.3 0.01 0.02 0.03))))"
      "  (velocity (- (+ (vx \"ear\") (* (px \"hand\") (vz \"hand\"))) (* 0.2 (py \"ear\"))))"
      "  (wire \"ear\" \"world\" 0.7)"
      "  (initial (\"f.x\" 0.3) (\"f.y\" 0.2) (\"f.z\" -0.4) (\"h\" 0.4)))"};
  (void)state;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    check(models[i], 0, 200 + i);
    check(models[i], 0.7, 300 + i);
  }
}

/* A kinematic crank with two links under it, held by a wire whose length changes with time, and a
 * free body hung from them by a ball; springs, dampers, inputs in torques, wrenches, actuators. */
static const char mixed[] =
    "(system \"mixed\" (gravity 0.3 0.2 -9.81) (input \"push\" 0.4) (input \"aim\" 0.2 (limit -1 "
    "1))"
    "(place (1.5 0.3 -1) (name \"wall\"))"
    "(ry (k \"crank\") (tz -0.3 (mass 1 0.1 0.1 0.1)) (tx 0.4 (joint universal \"u\""
    "  (tz -0.5 (name \"knee\") (mass 0.8 0.02 0.03 0.04) (joint revolute \"r\" (axis 0 1 0)"
    "    (tz -0.6 (name \"foot\") (mass 0.5 0.03 0.02 0.01)))))))"
    "(place (0.5 0.2 -1.4) (joint free \"f\" (mass 2 0.2 0.3 0.4) (place (0.1 0.2 0.3) (name "
    "\"ear\"))))"
    "(motion \"crank\" (+ 0.2 (* 0.5 (sin (+ 0.3 (* 2 t))))))"
    "(wire \"knee\" \"wall\" (+ 1.3 (* 0.1 (sin (* 3 t)))))"
    "(coincide \"foot\" \"ear\")"
    "(spring \"ear\" \"wall\" 30 0.4) (damper \"knee\" \"ear\" 2) (joint-spring \"r\" 3 0.3) "
    "(damping 0.2)"
    "(torque \"u.a\" (* u.push (cos q.r))) (wrench body \"ear\" (u.push 0 (* 2 u.aim)) (0 0.1 "
    "u.push))"
    "(actuator \"servo\" \"r\" \"aim\" (servo 20 1.5)) (torque \"f.wx\" (- (* 0.3 v.r) (sin t)))"
    "(output \"height\" (pz \"foot\")) (output \"speed\" (vx \"ear\"))"
    "(output \"felt\" (+ (ax \"ear\") u.push)) (output \"energy\" (kinetic)))";

static void mixed_model(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 3; seed++) {
    check(mixed, seed == 0 ? 0 : 0.7, seed);
  }
}

/* The model's outputs after a change s of the state and du of an input. */
static void outputs_at(about *a, const double *s, double *y)
{
  double rate[2 * MOST];
  motion_at(a, s, rate);
  assert_int_equal(cardan_outputs(a->f.model, a->f.data), CARDAN_OK);
  memcpy(y, a->f.data->y, (size_t)a->m->ny * sizeof *y);
}

// rows of Cy and D against differences of outputs along states, forces and inputs, those that are
// not exact included; tolerance: as above, with those of the rows themselves
static void outputs_of_it(void **state)
{
  (void)state;
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  const double h = 1e-3;
  about a = {.f = fixture_load(mixed)};
  cardan_report report = {.message = ""};
  expect_ok(cardan_assemble(a.f.model, a.f.data, NULL, &report), &report, "assemble");
  a.m = matrices_of(&a.f);
  assert_int_equal(a.m->ny, 4);
  assert_true(a.m->y_exact[0] && a.m->y_exact[1] && !a.m->y_exact[2] && !a.m->y_exact[3]);
  for (int j = 0; j < a.m->nx + a.m->nu; j++) {
    double fd[4] = {0}, y[4];
    for (int k = 0; k < 4; k++) {
      double s[2 * MOST] = {0};
      const int u = j - a.m->nx, input = u - a.m->nforced;
      double *moved = u < 0        ? &s[j]
                      : input >= 0 ? &a.f.data->u[input]
                                   : &a.f.data->tau_in[a.m->forced[u]];
      const double before = *moved;
      *moved += at[k] * h;
      outputs_at(&a, s, y);
      *moved = before;
      for (int i = 0; i < 4; i++) {
        fd[i] += weight[k] * y[i] / (12 * h);
      }
    }
    for (int i = 0; i < 4; i++) {
      const double x = j < a.m->nx ? a.m->Cy[i * a.m->nx + j] : a.m->D[i * a.m->nu + j - a.m->nx];
      assert_near(x, fd[i], 1e-7 * fmax(1, fabs(fd[i])));
    }
  }
  cardan_matrices_destroy(a.m);
  fixture_free(&a.f);
}

static void random_mechanisms(void **state)
{
  (void)state;
  int done = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    loops_kind kind;
    char *text = loops_random_text(seed, &kind);
    if (kind == LOOPS_REGULAR || kind == LOOPS_DOUBLED || kind == LOOPS_PLANAR) {
      check(text, seed % 3 == 0 ? 0 : 0.3, seed);
      done++;
    }
    free(text);
  }
  print_message("A and B off differences by %.1e of their largest entry at most, of all models\n",
                largest);
  assert_true(done > 10);
}

/* Are the chosen rows of positions as many as count? Else this test's own solver has none. */
static bool has_positions(const cardan_model *model)
{
  int positions = 0;
  for (int r = 0; r < model->nrow; r++) {
    positions += !model->row_redundant[r] && !model->row[r].velocity;
  }
  return positions == model->position_rank && model->mobility > 0 && !model->has_friction;
}

static void random_rows_of_velocity_level(void **state)
{
  const char *asked = getenv("ROLLING_SEEDS");
  const int seeds = asked != NULL ? atoi(asked) : 40;
  static char text[RANDOM_ROLLING_TEXT];
  int done = 0;
  (void)state;
  largest = 0;
  for (int seed = 0; seed < seeds; seed++) {
    cardan_model *model = random_rolling_model((uint64_t)seed, text);
    if (model != NULL && has_positions(model)) {
      check(text, seed % 3 == 0 ? 0 : 0.3, (uint64_t)seed);
      done++;
    }
    cardan_model_destroy(model);
  }
  print_message("%d random models on wheels and blades: A and B off differences by %.1e at most\n",
                done, largest);
  assert_true(done > seeds / 8);
}

// of outputs with energies in them differences find over which length they bend, and say how far
// they may be off: y = E sin(x / L), E = m v^2 / 2, and with an input, which is exact without them
static void outputs_of_any_length(void **state)
{
  static const double lengths[] = {1, 1e-3, 1e-6};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[512];
    const double L = lengths[i], slope = 9 / L * cos(0.4);
    cardan_report report = {.message = ""};
    cardan_matrices *m = NULL;
    snprintf(text, sizeof text,
             "(system (input \"u\" 3) (tx \"x\" (mass 2)) (initial (\"x\" %.17g 3))"
             "(output \"y\" (* (kinetic) (sin (/ q.x %.17g)))) (output \"z\" (* u.u v.x)))",
             0.4 * L, L);
    fixture f = fixture_load(text);
    expect_ok(cardan_matrices_create(f.model, f.data, NULL, &m, &report), &report, text);
    assert_true(!m->y_exact[0] && m->y_exact[1]);
    assert_near(m->Cy[0], slope, 1e-9 * slope);
    assert_true(fabs(m->Cy[0] - slope) <= 10 * m->y_error[0] + 1e-15 * slope);
    assert_near(m->Cy[1], 6 * sin(0.4), 1e-10);
    assert_near(m->Cy[m->nx + 1], 3, 0);
    assert_near(m->D[m->nu + 1], 3, 0);
    cardan_matrices_destroy(m);
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_of_any_length),
                                     cmocka_unit_test(built_in_models),
                                     cmocka_unit_test(rows_of_velocity_level),
                                     cmocka_unit_test(mixed_model),
                                     cmocka_unit_test(outputs_of_it),
                                     cmocka_unit_test(random_mechanisms),
                                     cmocka_unit_test(random_rows_of_velocity_level)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
