// SPDX-License-Identifier: Apache-2.0
#include "constraints/branch_gap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "linalg/small.h"

/* With G = U^T S V the rows at a place (r of them independent, free velocities only, turns in rad,
 * lengths in sizes of the mechanism), and U_0, V_0, S_0 those at the step's start,
 *   N(s) = S_0^-1/2 (U_0 G(s) V_0^T) S_0^-1/2,   N(0) = 1                                      (E1)
 * along the way from s = 0 to 1. A combination of rows that goes through 0 changes its sign and
 * leaves a negative eigenvalue in N + N^T; how many are negative at the end says how many have, and
 * bisection where. The way is not straight, and the line between its ends is off by the square of
 * the step. So it is the cubic that leaves both ends as the rows let it there,
 *   w(s) = (s - 2 s^2 + s^3) y_0 + (3 s^2 - 2 s^3) x + (s^3 - s^2) y_1                         (E2)
 * with y the nearest to x that keeps the rows closed; as long as x along x, but where rows move
 * with time and s is that. It is off by the fourth power, and the value of the lost row by the
 * square of that, since its slope is 0.
 *
 * There Newton's steps of least length close all combinations but the lost ones, and what these
 * have left is the gap. Rows that turn by more than a right angle make N negative too; then there
 * are places on the way, with all rows closed, between which they turn by little. */

enum {
  MOST_ROWS = 128,
  HALVINGS = 20,    // the value of a lost row changes little along the way
  ROUNDS = 4,       // of Newton: a way of 1e-3 is at rounding after 3
  MORE_ROUNDS = 12, // where the way is longer
};
static const double whole = 1e-7;      // of the largest singular value: there is no less of a rank
static const double together = 1e-3;   // of the step, and so of the change of G: the same place
static const double crossing = 1e-10;  // of 1 + size of the mechanism: branches that cross
static const double few_parts = 0.01;  // of a step: smaller ones are no parts of it
static const double settled = 1e-13;   // the same: rounding
static const double difference = 1e-4; // of a step, to both sides
static const double smallest_part = 1.0 / 128; // of a step in which rows turn
static const double least_cosine = 0.3;        // of a turn that is little
static const double longest = 0.5;             // a step of Newton [rad, sizes of the mechanism]

/* Rows at a place, as U A = S V. */
typedef struct {
  double *A, *U, *S; // nrow x nv, nrow x nrow, nrow
} place;

struct cardan__branch_gap {
  const cardan_model *model;
  cardan_allocator allocator;
  void *block;
  cardan_data *data;
  double *unit;        // nv: of a velocity; 0: it is prescribed
  place start, end;    // of the step, or the part of it that is looked at
  place here;          // on the way
  double *q, *x;       // nq, nv: the step
  double t, t_end;     // its ends
  bool driven;         // do rows move with time?
  double *y0, *y1, *w; // nv: (E2)
  double *B, *N;       // nrow x nv, nrow x nrow
  double *phi;         // nrow
};

static void carve(void *what, cardan__carver *c)
{
  cardan__branch_gap *g = what;
  const size_t nv = (size_t)g->model->nv, nrow = (size_t)g->model->nrow;
  place *const places[3] = {&g->start, &g->end, &g->here};
  for (size_t i = 0; i < 3; i++) {
    *places[i] = (place){CARDAN__CARVE(c, nrow * nv, double), CARDAN__CARVE(c, nrow * nrow, double),
                         CARDAN__CARVE(c, nrow, double)};
  }
  double **const vectors[] = {&g->unit, &g->x, &g->y0, &g->y1, &g->w};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, nv, double);
  }
  g->q = CARDAN__CARVE(c, g->model->nq, double);
  g->B = CARDAN__CARVE(c, nrow * nv, double);
  g->N = CARDAN__CARVE(c, nrow * nrow, double);
  g->phi = CARDAN__CARVE(c, nrow, double);
}

static double length_of(const cardan_model *model)
{
  return model->size_length > 0 ? model->size_length : 1;
}

static double length_of_row(const cardan_model *model, int row)
{
  return model->row[row].length > 0 ? model->row[row].length : 1;
}

cardan_status cardan__branch_gap_create(const cardan_model *model,
                                        const cardan_allocator *allocator, cardan__branch_gap **out)
{
  *out = NULL;
  if (model->position_rank == 0 || model->nrow > MOST_ROWS) {
    return CARDAN_OK;
  }
  cardan__branch_gap *g = cardan__resize(allocator, NULL, sizeof *g);
  if (g == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *g = (cardan__branch_gap){.model = model};
  g->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  g->block = cardan__carve_block(allocator, carve, g);
  if (g->block == NULL || cardan_data_create(model, allocator, &g->data) != CARDAN_OK) {
    cardan__branch_gap_destroy(g);
    return CARDAN_ERR_MEMORY;
  }
  for (int k = 0; k < model->nv; k++) {
    const cardan_body *b = &model->body[model->v_body[k]];
    const cardan_vec3 w = cardan__joint_axis(b, k - b->vadr).w;
    const bool turns = w.x != 0 || w.y != 0 || w.z != 0;
    g->unit[k] = b->flags & CARDAN_LINK_KINEMATIC ? 0 : turns ? 1 : length_of(model);
  }
  *out = g;
  return CARDAN_OK;
}

void cardan__branch_gap_destroy(cardan__branch_gap *gap)
{
  if (gap != NULL) {
    const cardan_allocator allocator = gap->allocator;
    cardan_data_destroy(gap->data);
    cardan__resize(&allocator, gap->block, 0);
    cardan__resize(&allocator, gap, 0);
  }
}

/* ---- a place ---- */

/* Computes G and phi at the data's configuration, in the units above. */
static void compute_rows(cardan__branch_gap *g, double *G)
{
  const cardan_model *model = g->model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan__rows_look(model, g->data, g->phi);
  const cardan__view view = cardan__data_view(model, g->data);
  cardan__rows_jacobian(&set, &view, &g->data->rows);
  cardan__rows_dense(&set, g->data, &g->data->rows, G);
  for (int r = 0; r < model->nrow; r++, G += model->nv) {
    const double length = length_of_row(model, r);
    g->phi[r] /= length;
    for (int k = 0; k < model->nv; k++) {
      G[k] *= model->row[r].velocity ? 0 : g->unit[k] / length;
    }
  }
}

/* Moves the data to fraction s of the step, on the cubic (E2). */
static void set_cubic_position(cardan__branch_gap *g, double s)
{
  const double a = s * (1 - s) * (1 - s), b = s * s * (3 - 2 * s), c = s * s * (s - 1);
  for (int k = 0; k < g->model->nv; k++) {
    g->w[k] = a * g->y0[k] + b * g->x[k] + c * g->y1[k];
  }
  g->data->t = g->t + s * (g->t_end - g->t);
  cardan_q_move(g->model, g->q, g->w, 1, g->data->q);
}

/* Rows in p->A become U, S, V. */
static void factor(const cardan__branch_gap *g, place *p)
{
  cardan__orthogonal_rows(g->model->nrow, g->model->nv, p->A, p->U, p->S);
}

static void decompose(cardan__branch_gap *g, place *p)
{
  compute_rows(g, p->A);
  factor(g, p);
}

static bool is_whole(const cardan__branch_gap *g, const place *p)
{
  return p->S[g->model->position_rank - 1] > whole * p->S[0];
}

/* Number of negative eigenvalues of N + N^T, from that place to the data's (E1). */
static int count_negative_eigenvalues(cardan__branch_gap *g, const place *from)
{
  const size_t n = (size_t)g->model->position_rank, nv = (size_t)g->model->nv, nrow = (size_t)g->model->nrow;
  double *G = g->here.A, *N = g->N;
  compute_rows(g, G);
  memset(g->B, 0, n * nv * sizeof *g->B);
  for (size_t i = 0; i < n; i++) {
    for (size_t r = 0; r < nrow; r++) {
      for (size_t k = 0; k < nv; k++) {
        g->B[i * nv + k] += from->U[i * nrow + r] * G[r * nv + k];
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      const double ij = cardan__dot(g->model->nv, g->B + i * nv, from->A + j * nv) / from->S[j];
      const double ji = cardan__dot(g->model->nv, g->B + j * nv, from->A + i * nv) / from->S[i];
      N[i * n + j] = N[j * n + i] = (ij + ji) / sqrt(from->S[i] * from->S[j]);
    }
  }
  return cardan__negative(g->model->position_rank, N);
}

/* Moves the data to q moved by part x, at this part of the time. */
static void set_linear_position(cardan__branch_gap *g, double part)
{
  cardan_q_move(g->model, g->q, g->x, part, g->data->q);
  g->data->t = g->t + part * (g->t_end - g->t);
}

/* What the rows change by when the data continue along x from the place, which is at part 0 or 1 of
 * it, over its time: G x + Phi_t h (nrow, out), with what is prescribed in it. */
static void rate_along(cardan__branch_gap *g, double part, double *rate)
{
  const int n = g->model->nrow;
  set_linear_position(g, part + difference);
  cardan__rows_look(g->model, g->data, rate);
  set_linear_position(g, part - difference);
  cardan__rows_look(g->model, g->data, g->phi);
  for (int r = 0; r < n; r++) {
    rate[r] = (rate[r] - g->phi[r]) / (2 * difference * length_of_row(g->model, r));
  }
}

/* y at the place, which is at part 0 or 1 of x: x as the rows there let it, by the least change.
 * Where time drives no row y is made as long as x along x; and it is x where they leave little. */
static void tangent(cardan__branch_gap *g, const place *p, double part, double *y)
{
  const int nv = g->model->nv, nrow = g->model->nrow;
  double along = 0, square = 0, *rate = g->here.S;
  rate_along(g, part, rate);
  memcpy(y, g->x, (size_t)nv * sizeof *y);
  for (int i = 0; i < g->model->position_rank; i++) {
    const double *v = p->A + (size_t)i * (size_t)nv;
    const double open = cardan__dot(nrow, p->U + (size_t)i * (size_t)nrow, rate);
    for (int k = 0; k < nv; k++) {
      y[k] -= open * v[k] / (p->S[i] * p->S[i]) * g->unit[k];
    }
  }
  for (int k = 0; k < nv; k++) {
    const double unit = g->unit[k] > 0 ? g->unit[k] : 1;
    along += y[k] * g->x[k] / (unit * unit);
    square += g->x[k] * g->x[k] / (unit * unit);
  }
  for (int k = 0; k < nv; k++) {
    y[k] = along > 0.5 * square ? y[k] * (g->driven ? 1 : square / along) : g->x[k];
  }
}

/* Newton's steps of least length at the data, for all combinations of rows but the last `lost`;
 * here is decomposed where they end. Returns how far they went, in the units above. */
static double close(cardan__branch_gap *g, int lost, int rounds)
{
  const cardan_model *model = g->model;
  const place *p = &g->here;
  double way = 0;
  for (int i = 0; i <= rounds; i++) {
    decompose(g, &g->here);
    memset(g->w, 0, (size_t)model->nv * sizeof *g->w);
    double largest = 0;
    for (int j = 0; j < model->position_rank - lost; j++) {
      const double open = cardan__dot(model->nrow, p->U + (size_t)j * (size_t)model->nrow, g->phi);
      for (int k = 0; k < model->nv; k++) {
        g->w[k] -= open / (p->S[j] * p->S[j]) * p->A[(size_t)j * (size_t)model->nv + (size_t)k];
      }
    }
    for (int k = 0; k < model->nv; k++) {
      largest = fmax(largest, fabs(g->w[k]));
      g->w[k] *= g->unit[k];
    }
    if (largest <= settled || i == rounds) {
      break;
    }
    cardan_q_move(model, g->data->q, g->w, largest > longest ? longest / largest : 1, g->data->q);
    way += fmin(largest, longest);
  }
  return way;
}

/* ---- the step ---- */

/* Size of x, and what the rows change by over it, in the units above. */
static double size_of_step(const cardan__branch_gap *g)
{
  double square = 0;
  for (int k = 0; k < g->model->nv; k++) {
    const double e = g->unit[k] > 0 ? g->x[k] / g->unit[k] : 0;
    square += e * e;
  }
  return sqrt(square);
}

/* Change of the combination u of rows over the step: u^T (G_1 - G_0), to w; returns its size. */
static double compute_change(cardan__branch_gap *g, const double *u)
{
  const size_t nv = (size_t)g->model->nv;
  double square = 0;
  memset(g->w, 0, nv * sizeof *g->w);
  for (int i = 0; i < 2; i++) {
    const place *p = i == 0 ? &g->start : &g->end;
    for (int r = 0; r < g->model->nrow; r++) { // G = U^T A
      const double *U = p->U + (size_t)r * (size_t)g->model->nrow;
      const double part = cardan__dot(g->model->nrow, U, u) * (i == 0 ? -1 : 1);
      for (size_t k = 0; k < nv; k++) {
        g->w[k] += part * p->A[(size_t)r * nv + k];
      }
    }
  }
  for (size_t k = 0; k < nv; k++) {
    square += g->w[k] * g->w[k];
  }
  return sqrt(square);
}

/* Finds where in the step more than *lost combinations are lost; *lost becomes the number
 * beyond. */
static double bisect_gap(cardan__branch_gap *g, int *lost)
{
  double low = 0, high = 1;
  for (int i = 0; i < HALVINGS; i++) {
    const double s = 0.5 * (low + high);
    set_cubic_position(g, s);
    if (count_negative_eigenvalues(g, &g->start) > *lost) {
      high = s;
    } else {
      low = s;
    }
  }
  set_cubic_position(g, fmin(1, high + together));
  const int beyond = count_negative_eigenvalues(g, &g->start);
  *lost = beyond > *lost ? beyond : *lost + 1;
  return 0.5 * (low + high);
}

/* Error bound of a gap at s due to the curvature of the step: the error of the cubic is about the
 * square of that of the line, and the error of the lost row's value the square of that. */
static double bound_gap_error(cardan__branch_gap *g, double s)
{
  double off = 0;
  set_cubic_position(g, s);
  for (int k = 0; k < g->model->nv; k++) {
    off = fmax(off, g->unit[k] > 0 ? fabs(g->w[k] - s * g->x[k]) / g->unit[k] : 0);
  }
  return off * off * off * off;
}

/* The gap at s, to found; returns its size in the units above. */
static double measure(cardan__branch_gap *g, double s, cardan__branch_gap_found *found)
{
  const cardan_model *model = g->model;
  const place *p = &g->here;
  const size_t nrow = (size_t)model->nrow;
  double square = 0;
  int lost = 1, row = 0;
  set_cubic_position(g, s);
  decompose(g, &g->here);
  const double change = compute_change(g, p->U + (size_t)(model->position_rank - 1) * nrow);
  while (lost < model->position_rank && p->S[model->position_rank - 1 - lost] <= together * change) {
    lost++;
  }
  close(g, lost, ROUNDS);
  for (int i = model->position_rank - lost; i < model->position_rank; i++) {
    const double open = cardan__dot(model->nrow, p->U + (size_t)i * nrow, g->phi);
    square += open * open;
  }
  const double *u = p->U + (size_t)(model->position_rank - 1) * nrow;
  for (int r = 0; r < model->nrow; r++) {
    row = fabs(u[r]) > fabs(u[row]) ? r : row;
  }
  *found = (cardan__branch_gap_found){.at = s,
                                      .size = sqrt(square) * length_of_row(model, row),
                                      .resolves = sqrt(sqrt(square) / (change * size_of_step(g))),
                                      .row = row};
  return sqrt(square);
}

/* Are all rows closed at the data, as here is decomposed there? */
static bool is_closed(const cardan__branch_gap *g)
{
  const size_t nrow = (size_t)g->model->nrow;
  bool closed = true;
  for (int i = 0; i < g->model->position_rank; i++) {
    const double open = cardan__dot(g->model->nrow, g->here.U + (size_t)i * nrow, g->phi);
    closed = closed && fabs(open) < crossing;
  }
  return closed;
}

/* Do rows turn by little from start to here? Q = U^T V is what they are but for their sizes, and
 * the symmetric part of U_0 (Q Q_0^T) U_0^T = (U_0 U^T) (V V_0^T) has the cosines. Across a gap it
 * is a right angle at least, whatever places on its two sides are taken. */
static bool turns_little(cardan__branch_gap *g)
{
  const size_t n = (size_t)g->model->position_rank, nv = (size_t)g->model->nv, nrow = (size_t)g->model->nrow;
  const place *a = &g->start, *b = &g->here;
  double *C = g->B, *R = g->N;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      C[i * n + j] = cardan__dot(g->model->nv, b->A + i * nv, a->A + j * nv) / (b->S[i] * a->S[j]);
    }
  }
  memset(R, 0, n * n * sizeof *R);
  for (size_t i = 0; i < n; i++) {
    R[i * n + i] = -2 * least_cosine;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      const double P = cardan__dot(g->model->nrow, a->U + i * nrow, b->U + k * nrow);
      for (size_t j = 0; j < n; j++) {
        R[i * n + j] += P * C[k * n + j];
        R[j * n + i] += P * C[k * n + j];
      }
    }
  }
  return cardan__negative(g->model->position_rank, R) == 0;
}

/* Finds a place near fraction s of the step, with all rows closed, at which rows have turned by
 * little since start. If there is one, it becomes start. */
static bool advance_start(cardan__branch_gap *g, double s)
{
  double way = 0;
  if (s < 1) {
    set_cubic_position(g, s);
    way = close(g, 0, MORE_ROUNDS);
  } else {
    set_linear_position(g, 1);
    decompose(g, &g->here);
  }
  if (!is_closed(g) || way > size_of_step(g) || !is_whole(g, &g->here) || !turns_little(g)) {
    return false;
  }
  const place last = g->start;
  g->start = g->here;
  g->here = last;
  return true;
}

/* Returns whether rows only turn over the step, by a large angle: whether there are places between
 * which they turn by little. start becomes one after the other. */
static bool is_pure_rotation(cardan__branch_gap *g)
{
  double s = 0, part = 0.5;
  while (s < 1 && part >= smallest_part) {
    part = fmin(part, 1 - s);
    const bool reached = advance_start(g, s + part);
    s = reached ? s + part : s;
    part *= reached ? 2 : 0.5;
  }
  return s >= 1;
}

/* Can anything be lost between the rows G_0 and G_1, in start.A and end.A? With G_1 u = -c G_0 u
 * for a combination u the symmetric part of G_1 G_0^T has a negative eigenvalue; any independent
 * rows suffice. Cheaper than the other checks here. */
static bool may_lose_rows(cardan__branch_gap *g)
{
  const cardan_model *model = g->model;
  const size_t nv = (size_t)model->nv, n = (size_t)model->position_rank;
  const double *G0 = g->start.A, *G1 = g->end.A;
  size_t i = 0;
  for (int a = 0; a < model->nrow; a++) {
    size_t j = 0;
    for (int b = 0; b <= a && !model->row_redundant[a]; b++) {
      if (!model->row_redundant[b]) {
        const double ab = cardan__dot(model->nv, G1 + (size_t)a * nv, G0 + (size_t)b * nv);
        const double ba = cardan__dot(model->nv, G1 + (size_t)b * nv, G0 + (size_t)a * nv);
        g->N[i * n + j] = g->N[j * n + i] = ab + ba;
        j++;
      }
    }
    i += !model->row_redundant[a];
  }
  return cardan__negative(model->position_rank, g->N) > 0;
}

/* Computes the rows at both ends of the step, to start and end. */
static void evaluate_ends(cardan__branch_gap *g, double t, const double *q, double t_end,
                          const double *x)
{
  memcpy(g->q, q, (size_t)g->model->nq * sizeof *q);
  memcpy(g->x, x, (size_t)g->model->nv * sizeof *x);
  g->t = t;
  g->t_end = t_end;
  set_linear_position(g, 0);
  g->data->t = t_end;
  cardan__rows_look(g->model, g->data, g->here.S);
  g->data->t = t;
  compute_rows(g, g->start.A);
  g->driven = false;
  for (int r = 0; r < g->model->nrow; r++) {
    g->driven = g->driven || fabs(g->here.S[r] / length_of_row(g->model, r) - g->phi[r]) > crossing;
  }
  set_linear_position(g, 1);
  compute_rows(g, g->end.A);
}

bool cardan__branch_gap_jumped(cardan__branch_gap *gap, double t, const double *q, double t_end,
                               const double *x, cardan__branch_gap_found *found)
{
  cardan__branch_gap *g = gap;
  const cardan_model *model = g->model;
  const double closed = model->open > 0 ? model->closing : 0;
  const double tol = fmax(crossing * (1 + model->size_length), closed) / length_of(model);
  evaluate_ends(g, t, q, t_end, x);
  if (!may_lose_rows(g)) {
    return false;
  }
  factor(g, &g->start);
  factor(g, &g->end);
  const bool known = is_whole(g, &g->start) && is_whole(g, &g->end);
  const int all = known ? count_negative_eigenvalues(g, &g->start) : 0;
  tangent(g, &g->start, 0, g->y0);
  tangent(g, &g->end, 1, g->y1);
  for (int lost = 0; lost < all;) {
    const double s = bisect_gap(g, &lost);
    if (measure(g, s, found) > tol + bound_gap_error(g, s)) {
      return !is_pure_rotation(g);
    }
  }
  return false;
}

cardan_status cardan__branch_gap_describe(const cardan_model *model,
                                          const cardan__branch_gap_found *found, double t, double h,
                                          cardan_info *info)
{
  const bool narrow = found->resolves < few_parts;
  *info = (cardan_info){
      .body = -1, .joint = -1, .row = found->row, .residual = found->size, .whole = narrow};
  snprintf(info->message, sizeof info->message,
           "at t = %.6g s, at constraint \"%.60s\", dimensions miss a singular position by %.2g, "
           "and the motion turns off before it; steps of %.3g s leap over that, of %.2g s would "
           "not%s",
           t + found->at * h, model->constraint[model->row[found->row].constraint].name,
           found->size, fabs(h), found->resolves * fabs(h),
           narrow ? "; adaptive integrators follow it" : "");
  return CARDAN_ERR_NO_ROOT;
}
