// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contacts.h"
#include "linalg/small.h"
#include "methods/discrete/discrete.h"

/* Closed contacts in a step of discrete mechanics: rows of border.c, behind those of the loops.
 *
 *   r(x) - G_k^T lambda - J_k^T r = 0,   Phi(q^{k+1}) = 0                                     (H1)
 *   u = ((phi(q^{k+1}) - target) / h, s_t / h) and r satisfy (N) of contact/ncp.h             (H2)
 * with s_t the slip over the step (contact/feature.h). r is r^- of the step; r^+ of the step before
 * has joined the momentum of the node that it starts from. While no status changes a contact is a
 * holonomic row, and its step is that of a loop: symplectic, of order 2, no drift.
 *
 * Newton's direction of (H1), (H2): with u_x = -J^-1 (residual) and Y = J^-1 (G_k, J_k)^T, D the
 * derivatives of (phi, s_t) at the iterate, loops (L) eliminated by S_LL = G_n Y_L,
 *   G_x = (S_CC - S_CL S_LL^-1 S_LC) / h                                                      (H3)
 *   b = (phi' - target, s_t') / h + (D u_x + S_CL w) / h - G_x r_old,
 *       w = -S_LL^-1 (Phi + G_n u_x)                                                          (H4)
 *   r of (N) with G_x and b;   x += u_x + Y_L (w - S_LL^-1 S_LC (r - r_old)) + Y_C (r - r_old) */

static const double wanted = 1e-13;  // error of (N), relative to the speeds in it
static const double enough = 1e-11;  // the same over a step [m], where it is not reached
static const double accepted = 1e-9; // the same, at worst
static const double taken = 4e-11;   // over a step, of lengths: where rows contradict one another,
                                     // by 1e4 roundings of gaps (a robot's feet by 2e-9 m/s)
static const double residue = 4;     // of what (N) was left with: more is to be gained
static const double turned = 1e-9;   // of the largest entry of G: what is below its negative
static const double rounding = 16 * DBL_EPSILON; // of gaps, relative to lengths

/* ---- the step begins ---- */

void cardan__hold_begin(cardan__discrete *d)
{
  const cardan__contacts *c = d->base.contacts;
  cardan__border *b = &d->border;
  const int m = c != NULL && c->cones.n > 0 ? c->cones.nrow : 0;
  b->n = b->nloop + m;
  b->made = false;
  b->left = 0;
  if (m == 0) {
    return;
  }
  for (int j = 0; j < m; j++) {
    b->row[b->nloop + j] = d->model->nrow + j;
    b->lambda[b->nloop + j] = d->h * c->cones.start[j];
  }
  for (int i = 0; i < c->cones.n; i++) {
    for (int k = 0; k < cardan__cone_rows(&c->cones.cone[i]); k++) {
      b->of[c->cones.cone[i].row + k] = i;
    }
  }
  b->Jk = c->cones.rows;
}

/* ---- values and rows at the iterate ---- */

void cardan__hold_rows(const cardan__discrete *d, double *G)
{
  const cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; b->n > b->nloop && j < c->cones.n; j++) {
    cardan__feature_way_rows(d->model, d->trial, &c->cones.feature[j],
                             G + (size_t)(b->nloop + c->cones.cone[j].row) * nv);
  }
}

void cardan__hold_rows_of_node(const cardan__discrete *d, double *G)
{
  const cardan__border *b = &d->border;
  const size_t nv = (size_t)d->model->nv, m = (size_t)(b->n - b->nloop);
  if (m > 0) {
    memcpy(G + (size_t)b->nloop * nv, b->Jk, m * nv * sizeof *G);
  }
}

void cardan__hold_values(const cardan__discrete *d, double *phi)
{
  const cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  if (b->n == b->nloop) {
    return;
  }
  for (int j = 0; j < c->cones.n; j++) {
    double *own = phi + d->model->nrow + c->cones.cone[j].row;
    cardan__feature_way(d->model, d->trial, &c->cones.feature[j], own);
    own[0] -= c->cones.target[j];
  }
}

double cardan__hold_error(cardan__discrete *d)
{
  const cardan__contacts *c = d->base.contacts;
  cardan__border *b = &d->border;
  const double friction_slack = cardan__contacts_still_all(c) ? CARDAN__NCP_FRICTION_SLACK : 0;
  double worst = 0, u[CARDAN__CONE_ROWS] = {0};
  b->worst = c->cones.index[0];
  if (!b->made) {
    return HUGE_VAL;
  }
  for (int j = 0; j < c->cones.n; j++) {
    const int row = c->cones.cone[j].row, n = cardan__cone_rows(&c->cones.cone[j]);
    for (int k = 0; k < n; k++) {
      u[k] = b->phi[d->model->nrow + row + k] / d->h;
    }
    const double e = cardan__cone_error(&c->cones.cone[j], b->rho + row, friction_slack,
                                        b->lambda + b->nloop + row, u);
    b->worst = e > worst ? c->cones.index[j] : b->worst;
    worst = e > worst ? e : worst;
  }
  return d->h * worst / fmax(b->phi_tol, residue * d->h * b->left);
}

void cardan__hold_press(const cardan__discrete *d, cardan_data *middle)
{
  const cardan__border *b = &d->border;
  if (b->n > b->nloop) {
    cardan__contacts_press(d->base.contacts, middle, d->h, b->lambda + b->nloop);
  }
}

/* ---- directions ---- */

/* rho of so many rows from there on. */
static void scale_rows(cardan__border *b, int row, int count)
{
  const size_t m = (size_t)(b->n - b->nloop);
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
  const cardan__contacts *c = d->base.contacts;
  for (int j = 0; j < c->cones.n; j++) {
    int row = c->cones.cone[j].row;
    scale_rows(&d->border, row++, 1);
    for (int g = 0; g < c->cones.cone[j].ngroup; row += c->cones.cone[j].size[g], g++) {
      scale_rows(&d->border, row, c->cones.cone[j].size[g]);
    }
  }
  d->border.made = true;
}

/* Is there a contact that impulses move the wrong way? An iterate that is so far off has rows of
 * places that turned away, and (N) no solution. Returns it, -1: none. */
static int backward(const cardan__discrete *d)
{
  const cardan__contacts *c = d->base.contacts;
  const size_t m = (size_t)(d->border.n - d->border.nloop);
  double most = 0;
  for (size_t row = 0; row < m; row++) {
    most = fmax(most, d->border.Gx[row * m + row]);
  }
  for (int j = 0; j < c->cones.n; j++) {
    const size_t n = (size_t)c->cones.cone[j].row;
    if (d->border.Gx[n * m + n] < -turned * most) {
      return j;
    }
  }
  return -1;
}

/* Row i of G_x times r, over the contacts that it has a block with. */
static double response_to(const cardan__discrete *d, int i, const double *r)
{
  const cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  const double *G = b->Gx + (size_t)i * (size_t)(b->n - b->nloop);
  double sum = 0;
  if (b->whole || b->nloop > 0) {
    return cardan__dot(b->n - b->nloop, G, r);
  }
  for (int j = 0; j < c->cones.n; j++) {
    const int row = c->cones.cone[j].row;
    if (cardan__contacts_meet(&c->cones.feature[b->of[i]], &c->cones.feature[j])) {
      sum += cardan__dot(cardan__cone_rows(&c->cones.cone[j]), G + row, r + row);
    }
  }
  return sum;
}

bool cardan__hold_solve(cardan__discrete *d, const double *free, double *r)
{
  cardan__contacts *c = d->base.contacts;
  cardan__border *b = &d->border;
  const int m = b->n - b->nloop;
  const double *old = b->lambda + b->nloop;
  const bool still = cardan__contacts_still_all(c);
  double speed = 0;
  for (int i = 0; i < m; i++) {
    speed = fmax(speed, fabs(c->cones.speed[i]));
    b->bx[i] = free[i] - response_to(d, i, old); // (H4)
    speed = fmax(speed, fabs(b->bx[i]));
    r[i] = old[i];
  }
  const int wrong = backward(d);
  if (wrong >= 0) {
    b->unsolved = c->cones.index[wrong];
    b->left = speed;
    return false;
  }
  cardan__ncp p = {
      .n = c->cones.n,
      .m = m,
      .cone = c->cones.cone,
      .G = b->Gx,
      .b = b->bx,
      .r = r,
      .u = b->ux,
      .tree =
          b->whole ? NULL : cardan__contacts_trees(c, d->model, c->cones.feature, NULL, c->cones.n),
      .tol = fmax(wanted * speed, (still ? DBL_EPSILON : rounding) * (1 + c->size) / fabs(d->h)),
      .stalled_tol = enough / fabs(d->h),
      .caller_tol = fmax(accepted * speed, taken * (1 + c->size) / fabs(d->h)),
      .friction_slack = still ? CARDAN__NCP_FRICTION_SLACK : 0,
      .no_homotopy = c->cones.may_shorten && c->cones.long_searches > 0,
      .work = b->ncp,
      .iwork = b->incp};
  const bool good = cardan__ncp_solve(&p) || p.error <= p.caller_tol;
  cardan__contacts_count(c, &p);
  c->cones.long_searches += p.fallback;
  b->unsolved = good ? -1 : c->cones.index[p.worst];
  b->left = p.error;
  return good;
}

cardan_status cardan__hold_unsettled(cardan__discrete *d)
{
  cardan_info *info = &d->node->info;
  char name[160] = "";
  cardan__contacts_name(d->base.contacts, d->model, d->border.worst, name, sizeof name);
  *info = (cardan_info){.body = -1, .joint = -1, .row = -1, .residual = cardan__hold_error(d)};
  snprintf(info->message, sizeof info->message,
           "gap and impulse of %s do not settle, after %d evaluations", name, d->base.iterations);
  return CARDAN_ERR_NO_CONVERGENCE;
}

cardan_status cardan__hold_unsolved(cardan__discrete *d)
{
  const cardan__contacts *c = d->base.contacts;
  return cardan__contacts_unsolved(c, d->node, c->cones.n, d->border.unsolved, d->border.left);
}

/* ---- its end ---- */

const char *cardan__hold_name(const cardan__discrete *d, int row, char *text, size_t size)
{
  const cardan_model *model = d->model;
  const cardan__contacts *c = d->base.contacts;
  if (row < model->nrow) {
    snprintf(text, size, "constraint \"%.60s\"",
             model->constraint[model->row[row].constraint].name);
    return text;
  }
  int j = 0;
  while (j + 1 < c->cones.n && c->cones.cone[j + 1].row <= row - model->nrow) {
    j++;
  }
  cardan__contacts_name(c, model, c->cones.index[j], text, size);
  return text;
}

/* Contacts whose static friction the step overcomes slide with their own, in another try: are there
 * any? */
static bool breaks(const cardan__discrete *d)
{
  cardan__contacts *c = d->base.contacts;
  const double still = 1e-12 * fabs(d->h) + 4e-15 * (1 + c->size); // [m], rounding among it
  bool any = false;
  for (int j = 0; j < c->cones.n; j++) {
    if (c->cones.sticks[j] && cardan__cone_slides(&c->cones.cone[j], 0, c->cones.impulse,
                                                  d->border.phi + d->model->nrow, still)) {
      c->cones.broke[c->cones.index[j]] = any = true;
    }
  }
  return any;
}

cardan__attempt cardan__hold_test(cardan__discrete *d, const double *q)
{
  cardan__contacts *c = d->base.contacts;
  const cardan__border *b = &d->border;
  double value = 0;
  if (c->cones.n > 0) {
    c->cones.residue = fabs(d->h) * b->left;
    memcpy(c->cones.impulse, b->lambda + b->nloop,
           (size_t)c->cones.nrow * sizeof *c->cones.impulse);
    if (breaks(d)) {
      return cardan__attempt_refused(CARDAN__SLIPPED, -1, 0);
    }
  }
  if (c->skip.calm) {
    return cardan__contacts_skip_judge(c, d->t_end, q);
  }
  memcpy(d->trial->q, q, (size_t)d->model->nq * sizeof *q);
  d->trial->t = d->t_end;
  const cardan__attempt attempt = cardan__contacts_judge(c, d->trial, NULL);
  if (!cardan__attempt_accepted(attempt)) {
    return attempt;
  }
  if (!c->trial.seek && c->gaps.nwatch > 0 && d->stages.n == 1 &&
      cardan__contacts_passes(c, d->node->q, d->x.dq, d->trial, &value)) {
    return cardan__attempt_refused(CARDAN__MIDSTEP, -1, value);
  }
  return c->cones.n > 0 && cardan__contacts_turns(c, d->trial, d->base.options->dt, &value)
             ? cardan__attempt_refused(CARDAN__RAN, -1, value)
             : attempt;
}

cardan_status cardan__discrete_push(cardan__stepper *stepper, cardan_data *data, const double *dp)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  memcpy(d->node->v, data->v, (size_t)d->model->nv * sizeof *data->v);
  d->equation->push(d, dp);
  for (int i = 0; i < CARDAN__STAGES; i++) { // what was before says nothing of what comes
    d->stages.history[i].have = 0;
  }
  cardan__rank_forget(&d->border.rank);
  cardan__root_forget(d);
  return CARDAN_OK;
}

void cardan__discrete_join(cardan__stepper *stepper, const double *dp)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  d->equation->push(d, dp);
}
