// SPDX-License-Identifier: Apache-2.0
#include "constraints/project.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/maximal/stepper.h"

/* Back to the constraints by the least change in the mass metric: this formulation's part in
 * constraints/project.c.
 *
 * Positions by the factors of the node that the step began at, where these are at hand: the change
 * is least along the rows there, x = -M^-1 J_n^T l, and a correction leaves O(h) of what it found.
 * What the first one leaves, e, changes little from step to step. With e^ = 2 e_n-1 - e_n-2,
 *   J_n x = -(Phi + e^)                                                                       (E1)
 * leaves e - e^, which is O(h^2) of e, and no other is needed as a rule. */

typedef struct {
  cardan__mx_stepper *s;
  cardan_data *data;
  double *cfg, *vel;
  double tol;  // largest |Phi| that is left
  double size; // of the last correction of positions
  bool closed; // no row is off by more
  bool held;   // the factors are those of the step's beginning
  int solved;  // corrections of positions
  bool kicks;  // velocities are projected; their sizes are not needed
} projected;

/* Largest |x|; NaN where one is. Several at a time, for vector registers. */
static double largest_of(int n, const double *x)
{
  enum { LANES = 8 };
  double most[LANES] = {0}, sum[LANES] = {0}, largest = 0, all = 0;
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      const double size = fabs(x[i + k]);
      most[k] = size > most[k] ? size : most[k];
      sum[k] += size; // not a number where one of them is not
    }
  }
  for (; i < n; i++) {
    most[0] = fabs(x[i]) > most[0] ? fabs(x[i]) : most[0];
    sum[0] += fabs(x[i]);
  }
  for (int k = 0; k < LANES; k++) {
    largest = most[k] > largest ? most[k] : largest;
    all += sum[k];
  }
  return isnan(all) ? all : largest;
}

/* Largest |Phi|, which g has; a row that follows from the others counts where it is off by more
 * than it may. *row: -1 where all are closed. */
static double open_rows(const cardan__mx_stepper *s, double tol, int *row)
{
  const cardan__maximal *mx = s->mx;
  double largest = 0;
  *row = -1;
  if (s->kkt->nidle == 0) {
    largest = largest_of(mx->neq, s->g);
    for (int e = 0; e < mx->neq && !(largest <= tol) && *row < 0; e++) {
      // written so that what is not a number is the largest
      *row = !(fabs(s->g[e]) < largest) && !(fabs(s->g[e]) <= tol) ? mx->row[e] : -1;
    }
    return largest;
  }
  for (int e = 0; e < mx->neq; e++) {
    const double phi = fabs(s->g[e]);
    if (!(phi <= largest) && !(s->kkt->idle[e] && phi <= s->idle_limit)) {
      largest = phi;
      *row = mx->row[e];
      if (isnan(largest)) {
        break;
      }
    }
  }
  return largest;
}

/* e^ of (E1), of equation e. */
static inline double expected(const cardan__mx_stepper *s, int e)
{
  return s->over.have > 1 ? 2 * s->over.last[e] - s->over.before[e] : s->over.last[e];
}

/* The first correction left g beside e^. */
static void remember_over(cardan__mx_stepper *s)
{
  const int have = s->over.have;
  for (int e = 0; e < s->mx->neq; e++) {
    const double now = s->g[e] + (have > 0 ? expected(s, e) : 0);
    s->over.before[e] = s->over.last[e];
    s->over.last[e] = now;
  }
  s->over.have = have < 2 ? have + 1 : have;
}

static double projection_violation(void *self, int *row)
{
  projected *p = self;
  cardan__maximal *mx = p->s->mx;
  cardan__mx_place(mx, p->cfg, NULL);
  cardan__mx_coordinates(mx, false);
  cardan__mx_values(mx);
  cardan__mx_equations(mx, 1, mx->rows.phi, p->s->g);
  const double violation = open_rows(p->s, p->tol, row);
  if (p->held && p->solved == 1) {
    remember_over(p->s);
  }
  p->closed = violation <= p->tol;
  return violation;
}

static cardan_status projection_factor(void *self, bool rates)
{
  (void)rates;
  projected *p = self;
  if (p->held && p->solved == 0 && !p->closed) {
    return CARDAN_OK;
  }
  p->held = false;
  return cardan__mx_factor_ahead(p->s, p->data, p->cfg, p->vel, p->vel);
}

/* Does the solve project velocities itself? */
static bool projects_in_solve(const projected *p)
{
  return p->kicks && p->s->factored.rows_wait && p->s->kkt->nidle == 0;
}

static void projection_rates(void *self)
{
  projected *p = self;
  cardan__maximal *mx = p->s->mx;
  p->kicks = true;
  if (projects_in_solve(p)) {
    return;
  }
  cardan__mx_rows(p->s);
  cardan__mx_place_again(mx, p->cfg, p->vel);
  cardan__mx_rates(mx, false, false);
  cardan__mx_rates_of_rows(mx, false);
  cardan__mx_apply(mx, p->vel, p->s->g);
  for (int e = 0; e < mx->neq; e++) {
    p->s->g[e] += mx->rows.phi_t[mx->row[e]];
  }
}

/* dx, the least change in the mass metric. */
static double projection_solve(void *self)
{
  projected *p = self;
  cardan__mx_stepper *s = p->s;
  if (projects_in_solve(p)) {
    cardan__kkt_keep(s->kkt, p->vel, s->dx);
    return 0;
  }
  const bool more = p->held && p->solved == 0 && s->over.have > 0;
  for (int e = 0; e < s->mx->neq; e++) {
    s->g[e] = -(s->g[e] + (more ? expected(s, e) : 0)); // (E1)
  }
  cardan__kkt_solve(s->kkt, NULL, s->g, s->dx, s->factored.rows_wait ? NULL : s->dl);
  p->solved++;
  p->size = p->kicks ? 0 : cardan__mx_size(s, s->dx);
  return p->size;
}

static void projection_move(void *self, double part)
{
  const projected *p = self;
  for (int j = 0; j < p->s->mx->nx; j++) {
    p->s->dx[j] *= part;
  }
  p->s->way += part * p->size;
  cardan__mx_drift(p->s->mx, p->cfg, p->s->dx, p->cfg);
}

static void projection_kick(void *self)
{
  const projected *p = self;
  for (int i = 0; i < p->s->mx->nx; i++) {
    p->vel[i] += p->s->dx[i];
  }
}

/* As dynamics/loops.c checks them. */
cardan_status cardan__mx_check_rates(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                     const double *vel)
{
  const double contradicts = 1e-6; // of the velocities there are
  const cardan_model *model = s->base.model;
  cardan__maximal *mx = s->mx;
  double fastest = 1.0;
  if (model->nvelocity_row == 0 || model->rank == model->nrow) {
    return CARDAN_OK;
  }
  cardan__mx_rows(s);
  cardan__mx_place_again(mx, cfg, vel);
  cardan__mx_rates(mx, false, false);
  cardan__mx_rates_of_rows(mx, false);
  cardan__mx_apply(mx, vel, s->g);
  for (int i = 0; i < mx->nx; i++) {
    fastest = fmax(fastest, fabs(vel[i]) * (1.0 + model->size_length));
  }
  for (int e = 0; e < mx->neq; e++) {
    const double left = fabs(s->g[e] + mx->rows.phi_t[mx->row[e]]);
    if (mx->set.row[mx->row[e]].velocity && !(left <= contradicts * fastest)) {
      data->info.residual = left;
      snprintf(data->info.message, sizeof data->info.message,
               "constraint \"%.60s\" contradicts the others at t = %.9g s: together they leave no "
               "motion",
               cardan__mx_row_name(mx, mx->row[e]), mx->t);
      return CARDAN_ERR_JUMP;
    }
  }
  return CARDAN_OK;
}

cardan_status cardan__mx_project(cardan__mx_stepper *s, cardan_data *data, double t, double *cfg,
                                 double *vel)
{
  const double tol = 1e-12 * (1 + s->base.model->size_length);
  projected self = {.s = s, .data = data, .tol = tol, .held = s->over.held};
  const cardan__projection p = {.self = &self,
                                .most = 50, // a start need not be assembled
                                .more = s->closely ? 2 : 0,
                                .tol = tol,
                                .violation = projection_violation,
                                .factor = projection_factor,
                                .rates = projection_rates,
                                .solve = projection_solve,
                                .move = projection_move,
                                .kick = projection_kick};
  cardan__projected end;
  self.cfg = cfg;
  self.vel = vel;
  s->over.held = false;
  s->mx->t = t;
  const cardan_status status = cardan__project_with(&p, &end);
  return status == CARDAN_ERR_NO_CONVERGENCE
             ? cardan__mx_fail(s, data, status, end.row, end.violation, end.iterations)
         : status == CARDAN_OK ? cardan__mx_check_rates(s, data, cfg, vel)
                               : status;
}
