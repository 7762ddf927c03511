// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* Velocities of a start: J v = -Phi_t, from seeds of which some were given.
 *   J x = -(J v + Phi_t),   x = x_0 + N^T z: change of the velocities that are free        (V1)
 *   1. given velocities change least:   sum of x_i^2 over them                             (V2)
 *   2. then those of coordinates marked `fixed`
 *   3. then all: the kinetic energy of the change, sum over bodies of V(x) . I V(x), is least (V3)
 * So what can be kept is kept, and (V3) is what closing the loops at once would do. Each stage
 * leaves fewer modes, the rows of N. In x, lengths count relative to the size of the
 * mechanism. Rows have length 1, prescribed coordinates included: one that only these move is lost,
 * whatever rounding leaves of it elsewhere. Large models try (V1) without the velocities of 1 and
 * 2, then with them, and take the shortest x. */

static const double lost = 1e-9; // what a row adds to the others, of its size: closing leaves 1e-12
static const double tol = 1e-10; // of rates: rounding times a condition number, here up to 1e6
// speeds over the rates that ask for them. Positions are closed to 1e-12, where rows hold only to
// second order to 1e-6: what is amplified by more is made of what closing left
static const double most_gain = 1e5;
static const double nothing = 1e-9; // a row shorter than this, of lengths about 1, is rounding
static const double nothing_expr = 1e-12; // the same for an equation, in whichever unit
static const double held = 1e-6; // a velocity with less of a mode than this does not move it

typedef struct {
  cardan__assembler *as;
  const bool *given;
  int nfree, *free;     // velocities that may change
  double *rate;         // nrow
  double *x, *z, *want; // nfree
  double *N, *M;        // nfree x nfree: the modes, n rows; those that a stage leaves
  double *C, *Z;        // nfree x nfree: columns of N as rows; their null space
  cardan_twist *V;      // (nfree + 1) x nbody: twists of the modes and of x
  double *work;         // of linalg
  int *index;           // the larger of nv and nrow
  int n;                // modes
  double gain;          // of the last (V1)
  double lost, tol;     // for data whose digits leave a loop open: more
  void *block;
} closer;

static void layout(closer *k, cardan__carver *c)
{
  const cardan_model *m = k->as->model;
  const size_t nv = (size_t)m->nv, square = k->as->large ? 0 : nv * nv;
  const int most = m->nrow > m->nv ? m->nrow : m->nv;
  const size_t solutions = cardan__solutions_work(most, m->nv);
  const size_t shortest = cardan__min_norm_work(m->nv, m->nv);
  k->free = CARDAN__CARVE(c, nv, int);
  k->rate = CARDAN__CARVE(c, m->nrow, double);
  k->x = CARDAN__CARVE(c, nv, double);
  k->z = CARDAN__CARVE(c, nv, double);
  k->want = CARDAN__CARVE(c, nv, double);
  k->N = CARDAN__CARVE(c, square, double);
  k->M = CARDAN__CARVE(c, square, double);
  k->C = CARDAN__CARVE(c, square, double);
  k->Z = CARDAN__CARVE(c, square, double);
  k->V = CARDAN__CARVE(c, k->as->large ? 0 : (nv + 1) * (size_t)m->nbody, cardan_twist);
  k->work = CARDAN__CARVE(c,
                          k->as->large           ? 0
                          : solutions > shortest ? solutions
                                                 : shortest,
                          double);
  k->index = CARDAN__CARVE(c, most, int);
}

/* ---- the equations ---- */

double cardan__rates_look(const cardan_model *model, cardan_data *data, double *rate, int *row)
{
  const cardan__rowset set = cardan__model_rows(model);
  cardan_rows *rows = &data->rows;
  double largest = -1.0;
  cardan_velocities(model, data);
  const cardan__view view = cardan__data_view(model, data);
  cardan__rows_rates(&set, &view, rows->phi_t, NULL);
  cardan__rows_apply(&set, rows, data->V, data->v, rate);
  for (int r = 0; r < model->nrow; r++) {
    const cardan_row *k = &model->row[r];
    double size = 1.0 + fabs(rows->phi_t[r]);
    for (int i = k->badr; i < k->badr + k->nb; i++) {
      const cardan_twist V = data->V[model->row_body[i]];
      size += sqrt(cardan__vec3_dot(V.v, V.v)) + k->length * sqrt(cardan__vec3_dot(V.w, V.w));
    }
    rate[r] += rows->phi_t[r];
    if (!(fabs(rate[r]) <= largest * size)) {
      largest = fabs(rate[r]) / size;
      *row = r;
    }
  }
  return largest;
}

static void list_free(closer *k, bool without_held)
{
  const cardan_model *model = k->as->model;
  k->nfree = 0;
  for (int v = 0; v < model->nv; v++) {
    const bool prescribed = model->body[model->v_body[v]].flags & CARDAN_LINK_KINEMATIC;
    if (!prescribed &&
        !(without_held && (k->given[v] || cardan__body_fixed(model, model->v_body[v])))) {
      k->free[k->nfree++] = v;
    }
  }
}

/* as->J, nrow x nfree: rows of length 1 over all velocities, of which the free ones are kept;
 * as->b: their right-hand sides. Returns the largest of these. */
static double write_rows(closer *k)
{
  cardan__assembler *as = k->as;
  const cardan_model *model = as->model;
  double asked = 0.0, *to = as->J;
  cardan_jacobian(model, as->data, as->J);
  for (int r = 0; r < model->nrow; r++, to += k->nfree) {
    double *row = as->J + (size_t)r * (size_t)model->nv, square = 0.0;
    for (int i = 0; i < model->nv; i++) {
      row[i] *= as->unit[i];
      square += row[i] * row[i];
    }
    const double size = sqrt(square), length = model->row[r].length;
    const double least =
        model->row[r].kind == CARDAN_ROW_EXPR || model->row[r].kind == CARDAN_ROW_VELOCITY
            ? nothing_expr
            : fmax(nothing, k->lost) * length; // closed to as->open only
    const double scale = size > least ? 1.0 / size : 0.0;
    for (int i = 0; i < k->nfree; i++) {
      to[i] = row[k->free[i]] * scale;
    }
    as->b[r] = -k->rate[r] * scale;
    asked = fmax(asked, fabs(as->b[r]));
  }
  return asked;
}

/* ---- the stages ---- */

/* x += sum of z_j times row j of A, n x nfree */
static void add_rows(int n, int nfree, const double *A, const double *z, double *x)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < nfree; i++) {
      x[i] += z[j] * A[(size_t)j * (size_t)nfree + (size_t)i];
    }
  }
}

static bool was_given(const closer *k, int v)
{
  return k->given[v];
}

static bool was_fixed(const closer *k, int v)
{
  return cardan__body_fixed(k->as->model, k->as->model->v_body[v]);
}

/* (V2) for the velocities in a set: x moves along the modes, and those that move the set go. */
static bool hold(closer *k, bool (*in_set)(const closer *k, int v))
{
  const int nfree = k->nfree, n = k->n;
  const double least = k->as->model->near > 0.0 ? fmax(held, k->lost) : held; // by digits alone
  int count = 0;
  for (int i = 0; i < nfree; i++) {
    double *row = k->C + (size_t)count * (size_t)n, square = 0.0;
    for (int j = 0; j < n; j++) {
      row[j] = k->N[(size_t)j * (size_t)nfree + (size_t)i];
      square += row[j] * row[j];
    }
    if (square > least * least && in_set(k, k->free[i])) {
      k->want[count++] = -k->x[i];
    }
  }
  if (count == 0) {
    return true;
  }
  if (cardan__min_norm(count, n, k->C, k->want, least, k->z, k->work, k->index) < 0) {
    return false;
  }
  add_rows(n, nfree, k->N, k->z, k->x);
  const int rank = cardan__solutions(count, n, k->C, k->want, least, k->z, k->Z, k->index, k->work);
  k->n = n - rank;
  for (int j = 0; j < k->n; j++) {
    double *mode = k->M + (size_t)j * (size_t)nfree;
    memset(mode, 0, (size_t)nfree * sizeof *mode);
    add_rows(n, nfree, k->N, k->Z + (size_t)(rank + j) * (size_t)n, mode);
  }
  double *swap = k->N;
  k->N = k->M;
  k->M = swap;
  return true;
}

/* Twists of the bodies for velocities y (nfree, scaled), to V (nbody). Spoils data->v. */
static void find_twists(closer *k, const double *y, cardan_twist *V)
{
  const cardan_model *model = k->as->model;
  cardan_data *data = k->as->data;
  memset(data->v, 0, (size_t)model->nv * sizeof *data->v);
  for (int i = 0; i < k->nfree; i++) {
    data->v[k->free[i]] = y[i] * k->as->unit[k->free[i]];
  }
  cardan_velocities(model, data);
  memcpy(V, data->V, (size_t)model->nbody * sizeof *V);
}

/* Sum over the bodies of A . I B. */
static double product(const cardan_model *model, const cardan_twist *A, const cardan_twist *B)
{
  double sum = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    sum += cardan__power(A[i], cardan__inertia_mul(&model->body[i].inertia, B[i]));
  }
  return sum;
}

/* The same of the armatures, for velocities in the free ones. */
static double rotors(const closer *k, const double *a, const double *b)
{
  const cardan__assembler *as = k->as;
  double sum = 0.0;
  for (int i = 0; i < k->nfree && as->model->has_armature; i++) {
    const double unit = as->unit[k->free[i]];
    sum += as->model->armature[k->free[i]] * (a[i] * unit) * (b[i] * unit);
  }
  return sum;
}

/* (V3) along the modes that are left; what has no inertia stays. Spoils data->v. */
static void least_energy(closer *k)
{
  const cardan_model *model = k->as->model;
  const size_t nbody = (size_t)model->nbody, n = (size_t)k->n, nfree = (size_t)k->nfree;
  cardan_twist *own = k->V + n * nbody;
  double *G = k->C, largest = 0.0;
  find_twists(k, k->x, own);
  for (size_t j = 0; j < n; j++) {
    cardan_twist *V = k->V + j * nbody;
    const double *mode = k->N + j * nfree;
    find_twists(k, mode, V);
    k->z[j] = -product(model, V, own) - rotors(k, mode, k->x);
    for (size_t i = 0; i <= j; i++) {
      G[j * n + i] = product(model, V, k->V + i * nbody) + rotors(k, mode, k->N + i * nfree);
    }
    largest = fmax(largest, G[j * n + j]);
  }
  for (size_t j = 0; j < n; j++) {
    G[j * n + j] += 1e-12 * largest;
  }
  if (largest > 0.0 && cardan__cholesky(k->n, G, 0.0) < 0) {
    cardan__cholesky_solve(k->n, G, k->z);
    add_rows(k->n, k->nfree, k->N, k->z, k->x);
  }
}

/* x and gain for the rates in k->rate; false when a number is not finite. */
static bool find_change(closer *k)
{
  cardan__assembler *as = k->as;
  const int nrow = as->model->nrow, nfree = k->nfree;
  const double asked = write_rows(k);
  int rank = nfree;
  if (as->large) {
    if (!cardan__damped(nrow, nfree, as->J, as->b, 1e-8, k->x, as->work)) {
      return false;
    }
  } else {
    rank = cardan__solutions(nrow, nfree, as->J, as->b, k->lost, k->x, k->N, k->index, k->work);
    if (rank < 0) {
      return false;
    }
  }
  k->gain = 0.0;
  for (int i = 0; i < nfree; i++) {
    k->gain = fmax(k->gain, fabs(k->x[i]) / asked);
  }
  k->n = nfree - rank;
  memmove(k->N, k->N + (size_t)rank * (size_t)nfree,
          as->large ? 0 : (size_t)k->n * (size_t)nfree * sizeof *k->N);
  return true;
}

/* ---- whole ---- */

/* Corrects data's velocities once; velocities that could be held keep their bits. */
static bool correct_velocities(closer *k)
{
  cardan__assembler *as = k->as;
  cardan_data *data = as->data;
  const size_t bytes = (size_t)as->model->nv * sizeof *data->v;
  double largest = 0.0;
  if (!find_change(k)) {
    return false;
  }
  memcpy(as->x, data->v, bytes);
  if (k->n > 0 && !as->large) {
    if (!hold(k, was_given) || !hold(k, was_fixed)) {
      return false;
    }
    least_energy(k);
  }
  memcpy(data->v, as->x, bytes);
  for (int i = 0; i < k->nfree; i++) {
    largest = fmax(largest, fabs(k->x[i]));
  }
  for (int i = 0; i < k->nfree; i++) {
    const int v = k->free[i];
    if (fabs(k->x[i]) > 1e-13 * largest ||
        !(k->given[v] || cardan__body_fixed(as->model, as->model->v_body[v]))) {
      data->v[v] += k->x[i] * as->unit[v];
    }
  }
  return true;
}

/* Changes of data's velocities until the rows are kept: the second takes what rounding of the first
 * left. */
static bool close(closer *k, int *row)
{
  const cardan_model *model = k->as->model;
  cardan_data *data = k->as->data;
  double gain = 0.0;
  if (cardan__rates_look(model, data, k->rate, row) <= k->tol * 1e-3) {
    return true;
  }
  for (int round = 0; round < 2; round++) {
    if (!correct_velocities(k)) {
      return false;
    }
    gain = round == 0 ? k->gain : gain;
    if (cardan__rates_look(model, data, k->rate, row) <= k->tol * 1e-6) {
      break;
    }
  }
  return cardan__rates_look(model, data, k->rate, row) <= k->tol && gain <= most_gain;
}

/* The driver with the largest speed, by its velocity; -1: none moves. */
static int fastest_driver(const cardan_model *model, const cardan_data *data, double *speed)
{
  int found = -1;
  *speed = 0.0;
  for (int i = 0; i < model->nprescribed; i++) {
    const int v = model->body[model->prescribed[i].body].vadr;
    if (fabs(data->v[v]) > fabs(*speed)) {
      *speed = data->v[v];
      found = v;
    }
  }
  for (int r = 0; r < model->nrow; r++) {
    if (model->row[r].kind == CARDAN_ROW_MOTION && fabs(data->rows.phi_t[r]) > fabs(*speed)) {
      *speed = -data->rows.phi_t[r];
      found = model->body[model->q_body[model->row[r].var[0]]].vadr;
    }
  }
  return found;
}

static cardan_status fail_open(const closer *k, int row, cardan_report *report)
{
  const cardan_model *model = k->as->model;
  const cardan_constraint *c = &model->constraint[model->row[row].constraint];
  double speed;
  const int driver = fastest_driver(model, k->as->data, &speed);
  const int lying = isfinite(k->rate[row]) ? -1 : cardan__lying_disc(model, k->as->data, 0.0);
  if (lying >= 0) {
    return cardan__refuse_lying_disc(model, lying, report);
  }
  if (driver < 0) {
    return cardan_fail(report, CARDAN_ERR_ASSEMBLY, c->pos,
                       "constraint \"%.60s\" is closed, but no velocities keep it so (its rate "
                       "stays %.3g): the start is a singular position",
                       c->name, k->rate[row]);
  }
  char others[96] = "the other constraints allow";
  if (model->row[row].kind != CARDAN_ROW_MOTION) {
    snprintf(others, sizeof others, "constraint \"%.60s\" allows", c->name);
  }
  return cardan_fail(
      report, CARDAN_ERR_ASSEMBLY, c->pos,
      "the driver of \"%.60s\" asks for %.6g %s at the start, and no velocities that "
      "%s go with that: they contradict each other, or the start is a singular "
      "position",
      model->v_name[driver], speed,
      cardan__link_slides(&model->body[model->v_body[driver]], 0) ? "m/s" : "rad/s", others);
}

cardan_status cardan__close_velocities(cardan__assembler *as, const bool *given,
                                       cardan_report *report)
{
  const double digits = cardan__digits(as->model, as->open);
  closer k = {.as = as, .given = given, .lost = fmax(lost, digits), .tol = fmax(tol, digits)};
  cardan__carver c = {0};
  int row = 0, first = 0;
  layout(&k, &c);
  k.block = cardan__resize(&as->data->allocator, NULL, cardan__carver_size(&c));
  if (!k.block) {
    return cardan__no_memory(report);
  }
  c = cardan__carver_over(k.block);
  layout(&k, &c);
  cardan__rates_look(as->model, as->data, k.rate, &first);
  bool closed = false;
  for (int way = as->large ? 0 : 1; way < 2 && !closed; way++) {
    list_free(&k, way == 0);
    closed = close(&k, &row);
  }
  const bool kept = cardan__rates_look(as->model, as->data, k.rate, &row) <= k.tol;
  const cardan_status status = closed ? CARDAN_OK : fail_open(&k, kept ? first : row, report);
  cardan__resize(&as->data->allocator, k.block, 0);
  return status;
}
