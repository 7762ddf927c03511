// SPDX-License-Identifier: Apache-2.0
/* A curve by nodes u = k step, k = 0, +-1, ..:  Phi(q_k+1) = 0,  t_k . (q_k+1 - q_k) = step    (E1)
 * with t_k the unit vector that all rows leave (or, next to a crossing, where they leave more, the
 * one of the nodes before); Gauss-Newton from an extrapolated place, all rows together. Between
 * nodes, polynomials through eight of them: q(u). With D = 2 K(q, q_u) and V(q):
 *   u'' = -(V_u + D_u u'^2 / 2) / D                                                            (E2)
 * by RK4 in steps so small that only the polynomials count. */
#include "path.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"

enum { NODES = 20000, POINTS = 8, MIDDLE = POINTS / 2, CORRECTIONS = 12 };
static const double NEAR = 1e-6; // second smallest singular value: nearer a crossing than that
static const double DT = 5e-5;   // of RK4, relative to the time of a second

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  int n, rows;                   // coordinates, rows of constraints
  double step;                   // of (E1)
  int first[2];                  // nodes that are there: -first[0] .. first[1]
  double *q, *t, *D, *V;         // of node k at index k + NODES: n, n, 1, 1
  double *A, *b, *S, *U, *W, *x; // of the corrector
} curve;

static double *node(const curve *c, double *a, int k)
{
  return a + (size_t)(k + NODES) * (size_t)c->n;
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Rows at q: J into c->A (rows x n), returns the largest violation. */
static double look(curve *c, const double *q)
{
  memcpy(c->data->q, q, (size_t)c->n * sizeof *q);
  memset(c->data->v, 0, (size_t)c->n * sizeof *q);
  cardan_kinematics(c->model, c->data);
  cardan_constraints(c->model, c->data);
  cardan_jacobian(c->model, c->data, c->A);
  return c->rows > 0 ? cardan_constraint_max(c->model, c->data) : 0;
}

/* The unit vector that the rows leave at q, on the side of `like`.
 * returns false where they leave more than one */
static bool tangent(curve *c, const double *q, const double *like, double *t)
{
  const int n = c->n;
  look(c, q);
  // singular vectors of J; those without a row are last
  LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'A', c->rows, n, c->A, n, c->S, c->U, 1, c->W, n, c->b);
  const double second = n < 2 ? 1 : n - 2 < c->rows ? c->S[n - 2] : 0;
  if (second < NEAR * (c->rows > 0 ? c->S[0] : 1)) {
    return false;
  }
  const double *last = c->W + (size_t)(n - 1) * (size_t)n;
  const double sign = dot(last, like, n) < 0 ? -1 : 1;
  for (int i = 0; i < n; i++) {
    t[i] = sign * last[i];
  }
  return true;
}

/* Weights of `points` nodes at 0, 1, .. for the value (and slope) at x. */
static void weights(int points, double x, double *value, double *slope)
{
  for (int i = 0; i < points; i++) {
    value[i] = 1;
    slope[i] = 0;
    for (int j = 0; j < points; j++) {
      if (j != i) {
        slope[i] = (slope[i] * (x - j) + value[i]) / (i - j);
        value[i] *= (x - j) / (i - j);
      }
    }
  }
}

/* The place of node k + side, and the direction there, from the nodes before it on that side (or
 * across 0). */
static void predict(const curve *c, int k, int side, double *q, double *t)
{
  const int known = c->first[0] + c->first[1] + 1, points = known < POINTS ? known : POINTS;
  double w[POINTS], s[POINTS];
  weights(points, -1, w, s); // node k + side is at -1, k at 0, k - side at 1, ..
  for (int i = 0; i < c->n; i++) {
    q[i] = t[i] = 0;
    for (int j = 0; j < points; j++) {
      q[i] += w[j] * node(c, c->q, k - side * j)[i];
      t[i] -= side * s[j] * node(c, c->q, k - side * j)[i];
    }
    if (points == 1) {
      q[i] += side * c->step * node(c, c->t, k)[i];
    }
  }
}

/* Gauss-Newton on (E1) from q, which it moves. */
static bool correct(curve *c, const double *from, const double *t, double step, double *q)
{
  const int n = c->n, m = c->rows;
  double last = HUGE_VAL;
  for (int it = 0; it < CORRECTIONS; it++) {
    look(c, q);
    double along = step;
    for (int i = 0; i < n; i++) {
      along -= t[i] * (q[i] - from[i]);
      c->A[m * n + i] = t[i];
    }
    for (int r = 0; r < m; r++) {
      c->b[r] = -c->data->rows.phi[r];
    }
    c->b[m] = along;
    for (int r = m + 1; r < n; r++) {
      c->b[r] = 0;
    }
    int rank = 0;
    if (LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m + 1, n, 1, c->A, n, c->b, 1, c->S, 1e-11, &rank) != 0) {
      return false;
    }
    const double change = sqrt(dot(c->b, c->b, n));
    for (int i = 0; i < n; i++) {
      q[i] += c->b[i];
    }
    // rounding along weak rows: it no longer gets smaller
    if (change < 1e-14 || (change < 1e-8 && change > 0.5 * last)) {
      return true;
    }
    last = change;
  }
  return last < 1e-9;
}

/* One more node on a side (1 or -1). */
static bool extend(curve *c, int side)
{
  int *const end = &c->first[side > 0];
  const int k = side * *end;
  if (*end + 1 >= NODES - POINTS) {
    return false;
  }
  double *q = node(c, c->q, k + side), *t = node(c, c->t, k + side), *guess = c->x;
  predict(c, k, side, q, guess);
  if (!correct(c, node(c, c->q, k), node(c, c->t, k), side * c->step, q)) {
    return false;
  }
  *end += 1;
  const int known = c->first[0] + c->first[1] + 1;
  if (!tangent(c, q, node(c, c->t, k), t)) {
    if (known < POINTS) {
      return false;
    }
    const double length = sqrt(dot(guess, guess, c->n));
    for (int i = 0; i < c->n; i++) {
      t[i] = guess[i] / length;
    }
  }
  return true;
}

/* Nodes a .. a + POINTS - 1 around u, made where they are missing; q and its slope by u there.
 * energies: inertia and potential of the nodes are known too. */
static bool around(curve *c, double u, int *a)
{
  *a = (int)floor(u / c->step) - MIDDLE + 1;
  while (c->first[1] < *a + POINTS - 1 + POINTS) {
    if (!extend(c, 1)) {
      return false;
    }
  }
  while (-c->first[0] > *a - POINTS) {
    if (!extend(c, -1)) {
      return false;
    }
  }
  return true;
}

/* D and V of node k. */
static void energies(curve *c, int k)
{
  double w[POINTS + 1], s[POINTS + 1];
  if (!isnan(c->D[k + NODES])) {
    return;
  }
  weights(POINTS + 1, MIDDLE, w, s);
  memcpy(c->data->q, node(c, c->q, k), (size_t)c->n * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    c->data->v[i] = 0;
    for (int j = 0; j <= POINTS; j++) {
      c->data->v[i] += s[j] / c->step * node(c, c->q, k + j - MIDDLE)[i];
    }
  }
  cardan_kinematics(c->model, c->data);
  c->D[k + NODES] = 2 * cardan_kinetic(c->model, c->data);
  c->V[k + NODES] = cardan_potential(c->model, c->data);
}

/* (E2) at u, w = u': the acceleration, and kinetic and potential energy. */
static bool accelerate(curve *c, double u, double w, double *a, double *K, double *V)
{
  double value[POINTS], slope[POINTS], D = 0, D_u = 0, V_u = 0;
  int first = 0;
  if (!around(c, u, &first)) {
    return false;
  }
  weights(POINTS, u / c->step - first, value, slope);
  *V = 0;
  for (int j = 0; j < POINTS; j++) {
    energies(c, first + j);
    D += value[j] * c->D[first + j + NODES];
    D_u += slope[j] / c->step * c->D[first + j + NODES];
    *V += value[j] * c->V[first + j + NODES];
    V_u += slope[j] / c->step * c->V[first + j + NODES];
  }
  *a = -(V_u + D_u * w * w / 2) / D;
  *K = D * w * w / 2;
  return true;
}

static bool advance(curve *c, double dt, double *u, double *w)
{
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double du = 0, dw = 0, ku = 0, kw = 0, K = 0, V = 0;
  for (int i = 0; i < 4; i++) {
    const double us = *u + part[i] * dt * ku, ws = *w + part[i] * dt * kw;
    if (!accelerate(c, us, ws, &kw, &K, &V)) {
      return false;
    }
    ku = ws;
    du += weight[i] * dt * ku;
    dw += weight[i] * dt * kw;
  }
  *u += du;
  *w += dw;
  return true;
}

static bool place(curve *c, double u, double *q)
{
  double value[POINTS], slope[POINTS];
  int first = 0;
  if (!around(c, u, &first)) {
    return false;
  }
  weights(POINTS, u / c->step - first, value, slope);
  for (int i = 0; i < c->n; i++) {
    q[i] = 0;
    for (int j = 0; j < POINTS; j++) {
      q[i] += value[j] * node(c, c->q, first + j)[i];
    }
  }
  return true;
}

static double *numbers(size_t n)
{
  double *a = calloc(n, sizeof *a);
  assert_non_null(a);
  return a;
}

static curve *curve_make(const cardan_model *model, double step)
{
  curve *c = calloc(1, sizeof *c);
  assert_non_null(c);
  const size_t n = (size_t)model->nv, m = (size_t)model->nrow + 1, all = 2 * NODES + 1;
  *c = (curve){.model = model, .n = model->nv, .rows = model->nrow, .step = step};
  assert_int_equal(cardan_data_create(model, NULL, &c->data), CARDAN_OK);
  c->q = numbers(all * n);
  c->t = numbers(all * n);
  c->D = numbers(all);
  c->V = numbers(all);
  for (size_t i = 0; i < all; i++) {
    c->D[i] = (double)NAN;
  }
  c->A = numbers(m * n);
  c->b = numbers(m + n);
  c->S = numbers(m + n);
  c->U = numbers(1);
  c->W = numbers(n * n);
  c->x = numbers(n);
  return c;
}

static void curve_free(curve *c)
{
  double *const arrays[] = {c->q, c->t, c->D, c->V, c->A, c->b, c->S, c->U, c->W, c->x};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    free(arrays[i]);
  }
  cardan_data_destroy(c->data);
  free(c);
}

/* Speed along the curve at its first node, from a velocity there or from one of its parts. */
static double first_speed(curve *c, const double *v0, int index)
{
  double w[POINTS + 1], s[POINTS + 1], part = 0, whole = 0, square = 0;
  weights(POINTS + 1, MIDDLE, w, s);
  for (int i = 0; i < c->n; i++) {
    double slope = 0;
    for (int j = 0; j <= POINTS; j++) {
      slope += s[j] / c->step * node(c, c->q, j - MIDDLE)[i];
    }
    part = i == index ? v0[i] / slope : part;
    whole += slope * v0[i];
    square += slope * slope;
  }
  return index >= 0 ? part : whole / square;
}

static bool run_once(curve *c, const double *q0, const double *v0, int index, int n, double dt,
                     double *q, double *balance)
{
  double *t = node(c, c->t, 0);
  int first = 0;
  memcpy(node(c, c->q, 0), q0, (size_t)c->n * sizeof *q0);
  if (!tangent(c, q0, v0, t)) {
    const double length = sqrt(dot(v0, v0, c->n));
    for (int i = 0; i < c->n; i++) {
      t[i] = v0[i] / length; // two ways to go: that of the velocity
    }
    if (length == 0) {
      return false;
    }
  }
  if (!around(c, 0, &first)) {
    return false;
  }
  double u = 0, w = first_speed(c, v0, index), a = 0, K = 0, V = 0, largest = 0, off = 0;
  if (!accelerate(c, u, w, &a, &K, &V)) {
    return false;
  }
  const double E = K + V;
  const int parts = (int)ceil(dt / (DT * fmin(1, 50 * dt)));
  for (int i = 0; i <= n; i++) {
    if (!place(c, u, q + (size_t)i * (size_t)c->n) || !accelerate(c, u, w, &a, &K, &V)) {
      return false;
    }
    largest = fmax(largest, K);
    off = fmax(off, fabs(K + V - E));
    for (int j = 0; j < parts && i < n; j++) {
      if (!advance(c, dt / parts, &u, &w)) {
        return false;
      }
    }
  }
  *balance = largest > 0 ? off / largest : 0;
  return true;
}

bool path_run(const cardan_model *model, const double *q0, const double *v0, int speed_index, int n,
              double dt, path *result, char why[200])
{
  const size_t size = (size_t)(n + 1) * (size_t)model->nv;
  *result = (path){.model = model, .rows = n + 1, .q = numbers(size)};
  if (model->nq != model->nv) {
    snprintf(why, 200, "a quaternion");
    return false;
  }
  double *coarse = numbers(size);
  bool done = true;
  const double step = 0.006 * sqrt(model->nv);
  for (int half = 0; half < 2 && done; half++) {
    curve *c = curve_make(model, half == 0 ? step : step / 2);
    done =
        run_once(c, q0, v0, speed_index, n, dt, half == 0 ? coarse : result->q, &result->balance);
    if (!done) {
      snprintf(why, 200, "the curve ends at nodes %d .. %d", -c->first[0], c->first[1]);
    }
    curve_free(c);
  }
  for (size_t i = 0; i < size && done; i++) {
    result->error = fmax(result->error, fabs(coarse[i] - result->q[i]));
  }
  free(coarse);
  return done;
}

void path_free(path *p)
{
  free(p->q);
}
