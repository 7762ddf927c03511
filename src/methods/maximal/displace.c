// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/linalg.h"
#include "methods/maximal/maximal_kicks.h"
#include "spatial/so3.h"

/* The displacement x of a step whose constraint forces act along the rows of its beginning, of
 * half-implicit and rattle:
 *   R(x) + J_n^T l = 0,   Phi(q_n + x, t_{n+1}) = 0,   dR/dx = M nearly                        (E1)
 * Newton's matrix for it has the rows of both ends, J_t those at the trial, by x:
 *   A = [M J_n^T; J_t 0]                                                                       (E2)
 * The iteration begins with the frozen P = [M J_n^T; J_n 0], whose factors are there. P cannot
 * cross a singular position: with u the combination of rows that is lost there, u J_n = d1 w and
 * u J_t = -d2 w on its far side, the correction along it is multiplied by 1 + d2/d1 > 1. Where
 * corrections do not halve, (E2) is solved instead by GMRES with P as preconditioner: P^-1 A has
 * its eigenvalues near 1 and, for the rows that are lost, near -d2/d1, so a few products do.
 *
 * x starts from the steps before, by their differences (discrete/extrapolate.h). Near a
 * bifurcation roots of several branches are d2 apart, and h v is off by h^2 a / 2.
 *
 * Which root: the solutions of (E1) with a part s of its data F_0 = F(x = 0, l = 0) hang together
 * with x = 0 at s = 0, and there dx/ds = y, A y = -F_0. On that branch y differs from x by O(h);
 * at another root by O(1). A root that did not come easily is looked at:
 *   |y - x| <= 1/2 |x| (E3)
 * Where that says nothing, or nothing was found, the branch is followed from s = 0, by prediction
 * along y and Newton's corrections. It may end before s = 1: then there is no such root. */

static const double regular = 0.5; // (E3): other roots were seen from 0.94 on, this branch to 0.43

static const double first = 1e-3; // part of tol that the first correction must keep to

enum { FREE = 3 };      // corrections that need not halve
enum { PATIENCE = 10 }; // corrections before rounding is thought of: without it 3 to 6 are enough

/* (E2) as an operator on (x, l); rows that are idle have no part in it. */
static void apply(void *context, const double *x, double *y)
{
  cardan__mx_stepper *s = context;
  cardan__maximal *mx = s->mx;
  const double *l = x + mx->nx;
  double *J = mx->J, *yl = y + mx->nx;
  cardan__mx_mass_mul(mx, x, y);
  cardan__mx_transpose(mx, 1, l, y);
  mx->J = s->displacement.J_trial;
  cardan__mx_apply(mx, x, yl);
  mx->J = J;
  for (int e = 0; e < mx->neq; e++) {
    yl[e] = s->kkt->idle[e] ? 0 : yl[e];
  }
  if (s->rolling != NULL) {
    cardan__mx_rolling_apply(s, cardan__mx_size(s, x), x, l, y, yl);
  }
}

static void precondition(void *context, const double *x, double *y)
{
  const cardan__mx_stepper *s = context;
  const int nx = s->mx->nx;
  cardan__kkt_solve(s->kkt, x, x + nx, y, y + nx);
}

/* A (dx, dl) = (dx, g): in place. false when a number is not finite. */
static bool solve_exactly(cardan__mx_stepper *s)
{
  const cardan__maximal *mx = s->mx;
  const cardan__operator A = {.apply = apply, .precondition = precondition, .context = s};
  const size_t nx = (size_t)mx->nx, neq = (size_t)mx->neq;
  const int n = mx->nx + mx->neq;
  double *b = s->displacement.krylov, *x = b + n, *work = x + 4 * (size_t)n; // between them: follow
  memcpy(b, s->dx, nx * sizeof *b);
  for (int e = 0; e < mx->neq; e++) {
    b[mx->nx + e] = s->kkt->idle[e] ? 0 : s->g[e];
  }
  // what rounding leaves of the tolerance is seen by the corrections, which then do not fall
  cardan__gmres(&A, n, b, x, 1e-10, CARDAN__MX_PRODUCTS, work);
  memcpy(s->dx, x, nx * sizeof *x);
  memcpy(s->dl, x + nx, neq * sizeof *x);
  return isfinite(cardan__mx_size(s, s->dx));
}

/* The rows at the trial, beside those of P, by displacements x: a turn dx on top of the turn x
 * turns the body by dexp_x^T dx, in its own axes. */
static void rows_of_trial(cardan__mx_stepper *s)
{
  cardan__maximal *mx = s->mx;
  double *J = mx->J;
  mx->J = s->displacement.J_trial;
  cardan__mx_jacobian(mx);
  mx->J = J;
  for (int k = 0; k < mx->nentry && !mx->planar; k++) {
    const double *x = s->x + (size_t)mx->dof * (size_t)mx->ent_body[k];
    double *row = s->displacement.J_trial + (size_t)mx->dof * (size_t)k;
    const cardan_vec3 w = cardan__so3_dexp_mulv((cardan_vec3){x[0], x[1], x[2]},
                                                (cardan_vec3){row[0], row[1], row[2]});
    row[0] = w.x;
    row[1] = w.y;
    row[2] = w.z;
  }
  cardan__mx_rolling_mark(s);
}

/* The rows as wrenches (mx->rows.w) belong to the node again, as lambda does: reactions and
 * friction read both. */
static void rows_of_node(cardan__mx_stepper *s)
{
  cardan__mx_place(s->mx, s->cfg, NULL);
  if (s->turns.predicted) {
    cardan__mx_turns_begin(s, NULL);
  }
  cardan__mx_coordinates(s->mx, false);
  rows_of_trial(s);
  cardan__mx_place_trial(s);
}

/* Largest violation of the rows that P has. */
static double open(const cardan__mx_stepper *s)
{
  const cardan__maximal *mx = s->mx;
  double largest = 0;
  for (int e = 0; e < mx->neq; e++) {
    largest = fmax(largest, s->kkt->idle[e] ? 0 : fabs(mx->rows.phi[mx->row[e]]));
  }
  return largest;
}

/* Corrections that are rounding along rows which are nearly lost, or along a long ladder: the rows
 * are closed, and the correction no longer halves. */
static bool is_rounding(const cardan__mx_stepper *s, bool exact, double before, int i)
{
  const double length = 1 + s->base.model->size_length;
  if (!(s->size >= 0.5 * before)) {
    return false;
  }
  return exact ? s->size < 1e-6 && open(s) <= 1e-13 * length
               : i >= PATIENCE && open(s) <= 1e-12 * length;
}

/* Minus the residual of the momentum, with the forces of the rows: where it is. P's corrections
 * keep
 *   M dx + J_n^T dl = the residual r + J_n^T l of before                                       (E4)
 * to rounding, so that J_n^T l is known without J_n, and pull has it: r - M dx, and r until the
 * correction is known. A's are solved to 1e-10 only. begins: l is 0 */
static const double *take_residual(cardan__mx_stepper *s, double h, cardan__mx_residual residual,
                                   bool begins)
{
  const cardan__maximal *mx = s->mx;
  residual(s, h);
  if (!s->displacement.pulls) {
    cardan__mx_transpose(mx, -1, s->lambda, s->dx);
    cardan__mx_rolling_shift(s, -1, s->lambda, s->dx);
    return s->dx;
  }
  if (begins) {
    double *r = s->dx;
    s->dx = s->displacement.pull;
    s->displacement.pull = r;
    return r;
  }
  for (int k = 0; k < mx->nx; k++) {
    const double r = s->dx[k];
    s->dx[k] = r - s->displacement.pull[k];
    s->displacement.pull[k] = r;
  }
  return s->dx;
}

/* With P as long as corrections halve; with A; with P, however slowly. */
typedef enum { FROZEN, EXACT, PATIENT } way;

/* Newton's iteration from x. Returns whether it found a root. */
static bool iterate(cardan__mx_stepper *s, double h, cardan__mx_residual residual, way by)
{
  cardan__maximal *mx = s->mx;
  const bool exact = by == EXACT;
  const int slow = by == FROZEN ? FREE : by == EXACT ? 2 * PATIENCE : INT_MAX;
  double before = HUGE_VAL;
  s->displacement.pulls = s->factored.rows_wait && !exact;
  if (!s->displacement.pulls && (exact || !s->displacement.again)) {
    memset(s->lambda, 0, (size_t)mx->neq * sizeof *s->lambda);
  }
  const bool kept = s->displacement.linear && !exact &&
                    (s->displacement.pulls || cardan__kkt_keeps_forces(s->kkt));
  for (int i = 1; i <= s->base.options->max_iter; i++) {
    const bool looks = i == 1 || !kept; // else nothing is left of the momentum
    const double *left = NULL;
    if (cardan__stepper_stopped(&s->base)) {
      return false;
    }
    cardan__mx_place_trial(s);
    s->base.iterations++;
    if (looks) {
      left = take_residual(s, h, residual, i == 1);
    }
    if (exact) {
      rows_of_trial(s);
    }
    if (!cardan__mx_correct(s, left, exact ? solve_exactly : NULL)) {
      return false;
    }
    s->size = fmax(s->size, cardan__mx_kicks_change(s));
    // the rest is the next correction; the rate of the first one is not known yet
    if (s->size <= (i > 1 ? 1 : first) * s->tol || is_rounding(s, exact, before, i)) {
      cardan__mx_drift(mx, s->cfg, s->x, s->cfg_try);
      return true;
    }
    if (i > slow && s->size > 0.5 * before) {
      return false;
    }
    before = s->size;
    if (s->displacement.pulls) {
      cardan__mx_mass_sub(mx, s->displacement.pull, s->dx, s->displacement.pull); // (E4)
    }
  }
  return false;
}

/* (E3): does the root x continue the motion? */
static bool continues(cardan__mx_stepper *s, double h, cardan__mx_residual residual)
{
  cardan__maximal *mx = s->mx;
  const size_t nx = (size_t)mx->nx;
  double *x = s->vel_try; // the root, while x is 0
  cardan__mx_place_trial(s);
  rows_of_trial(s);
  memcpy(x, s->x, nx * sizeof *x);
  memset(s->x, 0, nx * sizeof *x);
  cardan__mx_place_trial(s);
  residual(s, h); // as if l were 0
  cardan__mx_equations(mx, -1, mx->rows.phi, s->g);
  const bool solved = solve_exactly(s);
  memcpy(s->x, x, nx * sizeof *x);
  for (size_t k = 0; k < nx; k++) {
    s->dx[k] -= x[k];
  }
  const double off = cardan__mx_size(s, s->dx), size = cardan__mx_size(s, x);
  cardan__mx_place_trial(s);
  return solved && off <= regular * size;
}

static void guess(cardan__mx_stepper *s, double h, bool extrapolated)
{
  if (extrapolated && s->displacement.history.have > 0) {
    cardan__extrapolate(&s->displacement.history, s->x);
    return;
  }
  for (int k = 0; k < s->mx->nx; k++) {
    s->x[k] = h * s->vel[k];
  }
}

void cardan__mx_guess(cardan__mx_stepper *s, double h)
{
  if (s->displacement.history.have > 0 && fabs(h - s->displacement.history_h) > 1e-9 * h) {
    cardan__extrapolate_rescale(&s->displacement.history, h / s->displacement.history_h);
  }
  s->displacement.history_h = h;
  guess(s, h, true);
}

/* The data F_0, to f0 (nx) and phi0 (neq), with the sign of dx and g; x and lambda become 0. */
static void take_data(cardan__mx_stepper *s, double h, cardan__mx_residual residual, double *f0,
                      double *phi0)
{
  const cardan__maximal *mx = s->mx;
  memset(s->x, 0, (size_t)mx->nx * sizeof *s->x);
  memset(s->lambda, 0, (size_t)mx->neq * sizeof *s->lambda);
  cardan__mx_place_trial(s);
  residual(s, h);
  memcpy(f0, s->dx, (size_t)mx->nx * sizeof *f0);
  cardan__mx_equations(mx, -1, mx->rows.phi, phi0);
}

/* Newton to the point of the branch where the part `acts` of the data does. */
static bool correct_to(cardan__mx_stepper *s, double h, cardan__mx_residual residual, double acts,
                       const double *f0, const double *phi0)
{
  enum { MOST = 8 };
  const cardan__maximal *mx = s->mx;
  const double near = 1e-7, longest = 0.5; // [rad, or lengths]
  double before = longest;
  for (int i = 0; i < MOST; i++) {
    cardan__mx_place_trial(s);
    s->base.iterations++;
    rows_of_trial(s);
    residual(s, h);
    cardan__mx_transpose(mx, -1, s->lambda, s->dx);
    cardan__mx_rolling_shift(s, -1, s->lambda, s->dx);
    for (int k = 0; k < mx->nx; k++) {
      s->dx[k] -= (1 - acts) * f0[k];
    }
    for (int e = 0; e < mx->neq; e++) {
      s->g[e] = -mx->rows.phi[mx->row[e]] - (1 - acts) * phi0[e];
    }
    if (!solve_exactly(s)) {
      return false;
    }
    cardan__mx_add(s, 1);
    if (s->size <= near) {
      return true;
    }
    if (!(s->size <= (i > 0 ? 0.5 : 1) * before)) {
      return false;
    }
    before = s->size;
  }
  return false;
}

/* Follows the branch from x = 0. Returns the part of the data up to which it goes; 1: x is near the
 * root. */
static double follow(cardan__mx_stepper *s, double h, cardan__mx_residual residual)
{
  const size_t nx = (size_t)s->mx->nx, neq = (size_t)s->mx->neq, n = nx + neq;
  double *f0 = s->displacement.krylov + 2 * n, *phi0 = f0 + nx, *x = f0 + n, *l = x + nx;
  const double least = 1.0 / 256;
  double at = 0, part = 0.25;
  take_data(s, h, residual, f0, phi0);
  while (at < 1 && part >= least) {
    const double to = fmin(1, at + part);
    memcpy(x, s->x, nx * sizeof *x);
    memcpy(l, s->lambda, neq * sizeof *l);
    cardan__mx_place_trial(s);
    rows_of_trial(s);
    memcpy(s->dx, f0, nx * sizeof *f0);
    memcpy(s->g, phi0, neq * sizeof *phi0);
    bool reached = solve_exactly(s); // y of (E3)
    cardan__mx_add(s, to - at);
    reached = reached && correct_to(s, h, residual, to, f0, phi0);
    at = reached ? to : at;
    part *= reached ? 2 : 0.5;
    if (!reached) {
      memcpy(s->x, x, nx * sizeof *x);
      memcpy(s->lambda, l, neq * sizeof *l);
    }
  }
  return at;
}

/* The body that turns or slides most along the branch, at its end in x; after follow. */
static int moves_most(cardan__mx_stepper *s)
{
  const cardan__maximal *mx = s->mx;
  const double *f0 = s->displacement.krylov + 2 * (mx->nx + mx->neq);
  int most = 0;
  cardan__mx_place_trial(s);
  rows_of_trial(s);
  memcpy(s->dx, f0, (size_t)mx->nx * sizeof *f0);
  memcpy(s->g, f0 + mx->nx, (size_t)mx->neq * sizeof *f0);
  solve_exactly(s);
  for (int i = 0; i < mx->nx; i++) {
    const double x = fabs(s->dx[i]) / (i % mx->dof < mx->dof / 2 ? 1 : s->length);
    const double y = fabs(s->dx[most]) / (most % mx->dof < mx->dof / 2 ? 1 : s->length);
    most = x > y ? i : most;
  }
  return most / mx->dof;
}

/* The branch ends where the part `until` of the data acts. */
static cardan_status none_found(cardan__mx_stepper *s, cardan_data *data, double h, double until)
{
  const int n = s->base.iterations;
  for (int k = 0; k < s->mx->nx; k++) {
    if (!isfinite(s->rhs[k])) {
      return cardan__mx_fail(s, data, CARDAN_ERR_NOT_FINITE, -1, HUGE_VAL, n);
    }
  }
  if (!(until > 0) || s->displacement.krylov == NULL) {
    return cardan__mx_gave_up(s, data);
  }
  const cardan_model *model = s->base.model;
  const int body = s->mx->body[moves_most(s)].body, joint = model->body[body].joint;
  data->info = (cardan_info){.body = body, .joint = joint, .row = -1, .residual = s->size};
  data->info.iterations = n;
  snprintf(data->info.message, sizeof data->info.message,
           "over h = %.3g s its branch ends at %.0f %% of the momentum, at joint \"%.60s\"; up to "
           "about %.2g s there is one",
           h, 100 * until, model->joint[joint].name, 0.98 * until * h);
  return CARDAN_ERR_NO_ROOT;
}

cardan_status cardan__mx_displace(cardan__mx_stepper *s, cardan_data *data, double h,
                                  cardan__mx_residual residual)
{
  const bool tested = s->displacement.krylov != NULL;
  double until = 0;
  s->base.iterations = s->displacement.again ? s->base.iterations : 0;
  const bool easy = iterate(s, h, residual, tested ? FROZEN : PATIENT);
  bool found = easy;
  if (!easy && tested) {
    cardan__mx_rows(s);
  }
  for (int k = 0; k < 2 && !found && tested; k++) {
    guess(s, h, k == 0);
    found = iterate(s, h, residual, EXACT) && continues(s, h, residual);
  }
  if (!found && tested) {
    until = follow(s, h, residual);
    found = until == 1 && iterate(s, h, residual, EXACT);
  }
  if (!found) {
    return none_found(s, data, h, until);
  }
  if (!easy) {
    rows_of_node(s);
  }
  return CARDAN_OK;
}

void cardan__mx_scale_multipliers(cardan__mx_stepper *s, double scale)
{
  s->displacement.lambda_scale = scale;
  if (!s->displacement.pulls) {
    for (int e = 0; e < s->mx->neq; e++) {
      s->lambda[e] *= scale;
    }
    s->displacement.lambda_scale = 0;
  }
}

void cardan__mx_late(cardan__mx_stepper *s)
{
  for (int i = 0; i < s->mx->nx && s->acc_scale != 0; i++) {
    s->acc[i] = s->acc_scale * (s->vel[i] - s->vel_try[i]);
  }
  s->acc_scale = 0;
  if (s->displacement.lambda_scale != 0) {
    cardan__mx_mass_sub(s->mx, s->displacement.pull, s->dx, s->displacement.pull); // (E4)
    for (int i = 0; i < s->mx->nx; i++) {
      s->displacement.pull[i] *= s->displacement.lambda_scale;
    }
    cardan__kkt_multipliers(s->kkt, s->displacement.pull, s->lambda);
    s->displacement.lambda_scale = 0;
  }
}
