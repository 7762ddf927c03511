// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "constraints/held_rows.h"
#include "linalg/small.h"
#include "methods/discrete/rolling.h"

/* Rows that a step holds, behind those of the loops (constraints/held_rows.h).
 *
 *   r(x) - G_k^T lambda - J_k^T r = 0,   Phi(q^{k+1}) = 0                                     (H1)
 *   u = (what the rows of cones ask for) / h and r satisfy (N) of cones/ncp.h                 (H2)
 * Held equalities are in G and Phi of (H1), behind the loops' rows. For contacts u is
 * ((phi(q^{k+1}) - target) / h, s_t / h) with s_t the slip over the step (contact/feature.h). r is
 * r^- of the step; r^+ of the step before has joined the momentum of the node that it starts from.
 * While no status changes a contact is a holonomic row, and its step is that of a loop: symplectic,
 * of order 2, no drift.
 *
 * Newton's direction of (H1), (H2): with u_x = -J^-1 (residual) and Y = J^-1 (G_k, J_k)^T, D the
 * derivatives of (phi, s_t) at the iterate, two-sided rows (L) eliminated by S_LL = G_n Y_L,
 *   G_x = (S_CC - S_CL S_LL^-1 S_LC) / h                                                      (H3)
 *   b = (phi' - target, s_t') / h + (D u_x + S_CL w) / h - G_x r_old,
 *       w = -S_LL^-1 (Phi + G_n u_x)                                                          (H4)
 *   r of (N) with G_x and b;   x += u_x + Y_L (w - S_LL^-1 S_LC (r - r_old)) + Y_C (r - r_old) */

static const double cone_tol = 1e-13;      // error of (N), relative to the speeds in it
static const double stalled_tol = 1e-11;   // [m] over a step, where cone_tol is not reached
static const double largest_error = 1e-9;  // relative to the speeds: a larger one is no solution
static const double contradiction = 4e-11; // over a step, of lengths: where rows contradict one
                                           // another, by 1e4 roundings of gaps (a robot's feet)
static const double error_factor = 4;      // of the error of (N): a larger residual can be reduced
static const double backward_response = 1e-9; // of the largest entry of G: below its negative
static const double gap_rounding = 16 * DBL_EPSILON; // of gaps, relative to lengths

/* ---- the step begins ---- */

/* Two-sided rows of the set: their rows at the node, and impulses to start from. */
static void begin_equalities(cardan__discrete *d, const cardan__held_equalities *equal)
{
  cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; j < equal->n; j++) {
    b->row[b->nloop + j] = d->model->nrow + j;
    b->lambda[b->nloop + j] = d->h * equal->start[j];
  }
  memcpy(b->Gk + (size_t)b->nloop * nv, equal->J, (size_t)equal->n * nv * sizeof *equal->J);
}

void cardan__hold_begin(cardan__discrete *d)
{
  cardan__held_rows *held = d->base.held;
  cardan__border *b = &d->border;
  const int equal = held != NULL ? held->equal.n : 0;
  const int m = held != NULL && held->n > 0 && !held->given ? held->nrow : 0;
  b->nequal = b->nloop + equal;
  b->n = b->nequal + m;
  b->nbox = 0;
  memset(b->sides, 0, sizeof b->sides);
  b->cones_factored = false;
  b->cone_error = 0;
  b->J = held != NULL ? held->J : NULL;
  if (held != NULL) {
    held->rested = held->sided = false;
  }
  if (equal > 0) {
    begin_equalities(d, &held->equal);
  }
  if (m == 0) {
    return;
  }
  for (int j = 0; j < m; j++) {
    b->row[b->nequal + j] = d->model->nrow + equal + j;
    b->lambda[b->nequal + j] = d->h * held->start[j];
  }
  for (int i = 0; i < held->n; i++) {
    b->first[i] = held->cone[i].row;
    for (int k = 0; k < cardan__cone_rows(&held->cone[i]); k++) {
      b->of[held->cone[i].row + k] = i;
    }
  }
  b->first[held->n] = m;
}

/* ---- values and rows at the iterate ---- */

void cardan__hold_rows(const cardan__discrete *d, double *G)
{
  const cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  if (b->n > b->nloop) {
    held->calls->rows(held, d->trial, G + (size_t)b->nloop * nv, G + (size_t)b->nequal * nv);
  }
}

void cardan__hold_rows_of_node(const cardan__discrete *d, double *G)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv, m = (size_t)(b->n - b->nequal);
  if (m > 0) {
    memcpy(G + (size_t)b->nequal * nv, b->J, m * nv * sizeof *G);
  }
}

void cardan__hold_values(const cardan__discrete *d, double *phi)
{
  const cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  if (b->n == b->nloop) {
    return;
  }
  double *equal = phi + d->model->nrow, *cones = equal + held->equal.n;
  held->calls->values(held, d->trial, equal, cones);
  cardan__held_asked(held->equal.n, held->equal.level, held->equal.target, d->h, equal);
  cardan__held_asked(b->n - b->nequal, held->level, held->target, d->h, cones);
}

double cardan__hold_error(cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  cardan__border *b = &d->border;
  const double *asked = cardan__cone_values(d);
  const double friction_slack = cardan__held_at_rest(held) ? CARDAN__NCP_FRICTION_SLACK : 0;
  double worst = 0, u[CARDAN__CONE_ROWS] = {0};
  b->worst_cone = 0;
  if (!b->cones_factored) {
    return HUGE_VAL;
  }
  for (int j = 0; j < held->n; j++) {
    const int row = held->cone[j].row, n = cardan__cone_rows(&held->cone[j]);
    for (int k = 0; k < n; k++) {
      u[k] = asked[row + k] / d->h;
    }
    const double e = cardan__cone_error(&held->cone[j], b->rho + row, friction_slack,
                                        b->lambda + b->nequal + row, u);
    b->worst_cone = e > worst ? j : b->worst_cone;
    worst = e > worst ? e : worst;
  }
  return d->h * worst / fmax(b->phi_tol, error_factor * d->h * b->cone_error);
}

void cardan__hold_load(const cardan__discrete *d, cardan_data *middle)
{
  const cardan__border *b = &d->border;
  const cardan__held_rows *held = d->base.held;
  const bool given = held != NULL && held->given && held->n > 0;
  if ((given || b->n > b->nequal) && held->calls->load != NULL) {
    held->calls->load(held, middle, d->h, given ? held->impulse : b->lambda + b->nequal);
  }
}

/* ---- directions ---- */

cardan__contact_rows cardan__hold_blocks(const cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  return (cardan__contact_rows){.n = held->n,
                                .nv = d->model->nv,
                                .first = b->first,
                                .reach = held->reach,
                                .part = (const cardan__tree_part(*)[2])held->part,
                                .nparts = held->nparts,
                                .whole = b->whole || b->nequal > 0,
                                .room = b->together};
}

/* rho of so many rows from there on. */
static void set_rho(cardan__border *b, int row, int count)
{
  const size_t m = (size_t)(b->n - b->nequal);
  double trace = 0;
  for (int k = row; k < row + count; k++) {
    trace += b->Gx[(size_t)k * m + (size_t)k];
  }
  for (int k = row; k < row + count; k++) {
    b->rho[k] = trace > 0 ? 1 / trace : 1;
  }
}

void cardan__hold_factor(cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  for (int j = 0; j < held->n; j++) {
    int row = held->cone[j].row;
    set_rho(&d->border, row++, 1);
    for (int g = 0; g < held->cone[j].ngroup; row += held->cone[j].size[g], g++) {
      set_rho(&d->border, row, held->cone[j].size[g]);
    }
  }
  d->border.cones_factored = true;
}

/* The cone whose normal impulse moves its own gap the wrong way, -1: none. An iterate far from the
 * root has such rows, where faces turned away, and (N) has no solution there. */
static int find_backward_cone(const cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  const size_t m = (size_t)(d->border.n - d->border.nequal);
  double most = 0;
  for (size_t row = 0; row < m; row++) {
    most = fmax(most, d->border.Gx[row * m + row]);
  }
  for (int j = 0; j < held->n; j++) {
    const size_t n = (size_t)held->cone[j].row;
    if (d->border.Gx[n * m + n] < -backward_response * most) {
      return j;
    }
  }
  return -1;
}

/* Boxes that nothing moves slide as they are driven. */
static void slide_prescribed(const cardan__discrete *d, double still, double *r)
{
  const cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  const size_t m = (size_t)(b->n - b->nequal);
  for (int j = 0; j < held->n && b->nequal > 0; j++) {
    const size_t row = (size_t)held->cone[j].row;
    if (held->cone[j].bound > 0 && b->Gx[row * m + row] == 0) {
      r[row] = cardan__box_driven(&held->cone[j], b->bx[row], still);
    }
  }
}

bool cardan__hold_solve(cardan__discrete *d, const double *free, double *r)
{
  cardan__held_rows *held = d->base.held;
  cardan__border *b = &d->border;
  const int m = b->n - b->nequal;
  const double *old = b->lambda + b->nequal;
  const bool still = cardan__held_at_rest(held);
  const cardan__contact_rows rows = cardan__hold_blocks(d);
  double speed = 0;
  cardan__rows_add(&rows, b->Gx, -1, old, free, b->bx); // (H4)
  for (int i = 0; i < m; i++) {
    speed = fmax(speed, fabs(held->speed[i]));
    speed = fmax(speed, fabs(b->bx[i]));
    r[i] = old[i];
  }
  const int wrong = find_backward_cone(d);
  if (wrong >= 0) {
    b->unsolved_cone = wrong;
    b->cone_error = speed;
    return false;
  }
  cardan__ncp p = {.n = held->n,
                   .m = m,
                   .cone = held->cone,
                   .G = b->Gx,
                   .b = b->bx,
                   .r = r,
                   .u = b->ux,
                   .tree = b->whole || b->nequal > 0 ? NULL : cardan__held_trees(held, d->model),
                   .tol = fmax(cone_tol * speed, (still ? DBL_EPSILON : gap_rounding) *
                                                     (1 + held->size) / fabs(d->h)),
                   .stalled_tol = stalled_tol / fabs(d->h),
                   .caller_tol =
                       fmax(largest_error * speed, contradiction * (1 + held->size) / fabs(d->h)),
                   .keeps_start = b->room.dry > 0 && held->n > b->room.dry,
                   .friction_slack = still ? CARDAN__NCP_FRICTION_SLACK : 0,
                   .no_homotopy = held->may_shorten && held->long_searches > 0,
                   .work = b->ncp,
                   .iwork = b->incp};
  const bool good = cardan__ncp_solve(&p) || p.error <= p.caller_tol;
  slide_prescribed(d, p.tol, r);
  if (held->calls->solved != NULL) {
    held->calls->solved(held, &p);
  }
  held->long_searches += p.fallback;
  b->unsolved_cone = good ? -1 : p.worst;
  b->cone_error = p.error;
  return good;
}

/* ---- messages ---- */

static void name_cone(const cardan__discrete *d, int cone, char *text, size_t size)
{
  const cardan__held_rows *held = d->base.held;
  held->calls->name(held, -1, cone, text, size);
}

cardan_status cardan__hold_unsettled(cardan__discrete *d)
{
  cardan_info *info = &d->node->info;
  char name[160] = "";
  name_cone(d, d->border.worst_cone, name, sizeof name);
  *info = (cardan_info){.body = -1, .joint = -1, .row = -1, .residual = cardan__hold_error(d)};
  snprintf(info->message, sizeof info->message,
           "gap and impulse of %s do not settle, after %d evaluations", name, d->base.iterations);
  return CARDAN_ERR_NO_CONVERGENCE;
}

cardan_status cardan__hold_unsolved(cardan__discrete *d)
{
  char name[160] = "";
  name_cone(d, d->border.unsolved_cone, name, sizeof name);
  return cardan__held_unsolved(d->node, d->base.held->n, name, d->border.cone_error);
}

const char *cardan__hold_name(const cardan__discrete *d, int row, char *text, size_t size)
{
  const cardan_model *model = d->model;
  const cardan__border *b = &d->border;
  const int equal = row - model->nrow, cone = equal - (b->nequal - b->nloop);
  if (equal < 0) {
    snprintf(text, size, "constraint \"%.60s\"",
             model->constraint[model->row[row].constraint].name);
  } else if (cone < 0) {
    d->base.held->calls->name(d->base.held, equal, -1, text, size);
  } else {
    name_cone(d, b->of[cone], text, size);
  }
  return text;
}

/* ---- the end of the step ---- */

cardan__attempt cardan__hold_test(cardan__discrete *d, const double *q_node, const double *dq,
                                  const double *q)
{
  cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  const cardan__held_end end = {.q_node = q_node,
                                .dq = dq,
                                .q = q,
                                .t = d->t_end,
                                .h = d->h,
                                .asked = cardan__cone_values(d),
                                .data = d->trial,
                                .dt = d->base.options->dt};
  if (b->nequal > b->nloop) {
    memcpy(held->equal.impulse, b->lambda + b->nloop,
           (size_t)(b->nequal - b->nloop) * sizeof *held->equal.impulse);
  }
  if (cardan__has_cones(d) || held->sided) {
    held->residue = fabs(d->h) * b->cone_error;
    memcpy(held->impulse, b->lambda + b->nequal, (size_t)held->nrow * sizeof *held->impulse);
  }
  return held->calls->test(held, &end);
}

/* dp, with what rows of velocity level add to it, joins the node's momentum. */
static cardan_status join(cardan__discrete *d, const double *dp)
{
  const cardan_status status = d->rolling != NULL ? cardan__rolling_look(d) : CARDAN_OK;
  if (status == CARDAN_OK) {
    d->equation->push(d, d->rolling != NULL ? cardan__rolling_share(d, dp) : dp);
  }
  return status;
}

cardan_status cardan__discrete_push(cardan__stepper *stepper, cardan_data *data, const double *dp)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  const cardan_status status = join(d, dp);
  if (status != CARDAN_OK) {
    data->info = d->node->info;
    return status;
  }
  memcpy(d->node->v, data->v, (size_t)d->model->nv * sizeof *data->v);
  for (int i = 0; i < CARDAN__STAGES; i++) { // what was before says nothing of what comes
    d->stages.history[i].have = 0;
  }
  if (d->rolling != NULL) {
    cardan__rolling_forget(d->rolling);
  }
  cardan__rank_forget(&d->border.rank);
  cardan__root_forget(d);
  return CARDAN_OK;
}

void cardan__discrete_join(cardan__stepper *stepper, const double *dp)
{
  (void)!join((cardan__discrete *)stepper, dp); // the step that follows fails in the same way
}
