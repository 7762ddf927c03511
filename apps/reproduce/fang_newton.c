// SPDX-License-Identifier: Apache-2.0
#include "reproduce/fang_newton.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "methods/maximal/stepper.h"
#include "reproduce/motion.h"
#include "run/sim_access.h"

/* L. Fang, A. Kissel, R. Zhang, D. Negrut, On the use of half-implicit numerical integration in
 * multibody dynamics, 2023, equations (5) to (14), and what their program
 * (uwsbel/sbel-reproducibility, 2022/HalfImplicit_JCND, system_ra_half.py and system_ra.py) does
 * where the paper does not say. With x = h v_{n+1} and l = h^2 lambda:
 *   N = [M J_n^T; J_n 0] factored once a step, also by the fully implicit program
 *   x = h v_n + h^2 a,  l of the step before                                              (start)
 *   N (dx, dl) = -(M x + J^T l - h M v_n - h^2 F, Phi),  J and F at n or, fully, at the trial
 *   until |(dx, dl)|_2 < tol; fully the unknowns are x / h^2 and l / h^2, and so is the norm
 * Departures: a driver is the row q - f(t), not two cosines that take turns; the matrix of the
 * fully implicit step has no derivative of the gyroscopic torque.
 *
 * The pieces are those of method half-implicit, which owns them: rows, forces, factors. */

typedef struct {
  const cardan__newton *how;
  cardan__motion motion;
  cardan__mx_stepper *s;
  double *a, *l; // nx, neq: of the step before
  double *J;     // rows at the trial
  double *J_n;   // and at the node
  cardan__arena arena;
} iteration;

static cardan_status iteration_open(cardan__job *job, const cardan__newton *how, iteration *it)
{
  *it = (iteration){.how = how};
  cardan__arena_init(&it->arena, job->allocator);
  cardan_status status =
      cardan__motion_open(how->model, "method=half-implicit", how->h, &it->motion, job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_sim *sim = it->motion.sim;
  cardan__mx_stepper *s = it->s = (cardan__mx_stepper *)cardan__sim_stepper(sim);
  const cardan__maximal *mx = s->mx;
  it->a = cardan__arena_take(&it->arena, (size_t)mx->nx, sizeof *it->a);
  it->l = cardan__arena_take(&it->arena, (size_t)mx->neq, sizeof *it->l);
  it->J = cardan__arena_take(&it->arena, (size_t)mx->nentry * (size_t)mx->dof, sizeof *it->J);
  it->J_n = mx->J;
  if (it->a == NULL || it->l == NULL || it->J == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  // the true accelerations and multipliers of the start
  cardan__mx_look(s, s->cfg, s->vel, 0);
  status = cardan__mx_accelerate(s, cardan__sim_node(sim), s->cfg, s->vel, 0, 0);
  memcpy(it->a, s->acc, (size_t)mx->nx * sizeof *it->a);
  for (int e = 0; e < mx->neq; e++) {
    it->l[e] = -how->h * how->h * s->lambda[e];
  }
  return status;
}

static void iteration_close(iteration *it)
{
  cardan__motion_close(&it->motion);
  cardan__arena_free(&it->arena);
}

/* Poses, coordinates and rates at a place, and the forces there. */
static void look(const iteration *it, const double *cfg, const double *vel)
{
  cardan__mx_stepper *s = it->s;
  cardan__mx_place(s->mx, cfg, vel);
  cardan__mx_coordinates(s->mx, true);
  cardan__mx_rates(s->mx, true, false);
  cardan__mx_forces(s->mx, cardan__sim_node(it->motion.sim),
                    CARDAN__MX_POTENTIAL | CARDAN__MX_OTHER | CARDAN__MX_GYROSCOPIC, vel, s->f);
}

/* The step's start: N, h M v_n, x and l. */
static cardan_status set_out(const iteration *it, double t)
{
  cardan__mx_stepper *s = it->s;
  const double h = it->how->h;
  s->mx->t = t;
  look(it, s->cfg, s->vel);
  memcpy(s->turns.q, s->mx->q, (size_t)s->mx->model->nq * sizeof *s->turns.q);
  const cardan_status status = cardan__mx_factor_here(s, cardan__sim_node(it->motion.sim));
  cardan__mx_rows(s);
  cardan__mx_mass_mul(s->mx, s->vel, s->rhs);
  for (int i = 0; i < s->mx->nx; i++) {
    s->rhs[i] *= h;
    s->x[i] = h * s->vel[i] + (it->how->guess == CARDAN__GUESS_VELOCITY ? 0 : h * h * it->a[i]);
  }
  memcpy(s->lambda, it->l, (size_t)s->mx->neq * sizeof *s->lambda);
  return status;
}

/* One correction; returns its norm as the program takes it. */
static double correct(const iteration *it)
{
  cardan__mx_stepper *s = it->s;
  cardan__maximal *mx = s->mx;
  const double h = it->how->h;
  double sum = 0;
  cardan__mx_place_trial(s);
  if (it->how->fully) {
    for (int i = 0; i < mx->nx; i++) {
      s->vel_try[i] = s->x[i] / h;
    }
    look(it, s->cfg_try, s->vel_try);
    mx->J = it->J;
    cardan__mx_jacobian(mx);
  }
  cardan__mx_mass_mul(mx, s->x, s->dx);
  cardan__mx_transpose(mx, 1, s->lambda, s->dx);
  mx->J = it->J_n;
  for (int i = 0; i < mx->nx; i++) {
    s->dx[i] = s->rhs[i] + h * h * s->f[i] - s->dx[i];
  }
  cardan__mx_correct(s, s->dx, NULL);
  for (int i = 0; i < mx->nx; i++) {
    sum += s->dx[i] * s->dx[i];
  }
  for (int e = 0; e < mx->neq && !it->how->without_multipliers; e++) {
    sum += s->dl[e] * s->dl[e];
  }
  return sqrt(sum) / (it->how->fully ? h * h : 1);
}

/* The node moves on; a and l are kept for the next start. */
static void arrive(iteration *it, double t)
{
  cardan__mx_stepper *s = it->s;
  cardan__maximal *mx = s->mx;
  const double h = it->how->h;
  double *cfg = s->cfg;
  cardan__mx_drift(mx, s->cfg, s->x, s->cfg_try);
  s->cfg = s->cfg_try;
  s->cfg_try = cfg;
  for (int i = 0; i < mx->nx; i++) {
    const double v = s->x[i] / h;
    it->a[i] = (v - s->vel[i]) / h;
    s->vel[i] = v;
  }
  memcpy(it->l, s->lambda, (size_t)mx->neq * sizeof *it->l);
  if (it->how->guess == CARDAN__GUESS_PROGRAM && !it->how->fully) {
    // M a = F - J^T l / h^2 had the torque at n, right; the program has minus that of n + 1
    cardan_data *data = cardan__sim_node(it->motion.sim);
    cardan__mx_forces(s->mx, data, CARDAN__MX_GYROSCOPIC, s->vel, s->dx);
    for (int i = 0; i < mx->nx; i++) {
      s->vel_try[i] = s->vel[i] - h * it->a[i];
    }
    cardan__mx_forces(s->mx, data, CARDAN__MX_GYROSCOPIC, s->vel_try, s->rhs);
    for (int i = 0; i < mx->nx; i++) {
      s->dx[i] = -s->dx[i] - s->rhs[i];
    }
    cardan__mx_mass_solve(mx, s->dx, s->dx);
    for (int i = 0; i < mx->nx; i++) {
      it->a[i] += s->dx[i];
    }
  }
  s->mx->t = t;
}

static cardan_status step(iteration *it, double t, int *iterations)
{
  enum { MOST = 100 };
  cardan_status status = set_out(it, t);
  it->s->mx->t = t + it->how->h;
  for (int k = 1; k <= MOST && status == CARDAN_OK; k++) {
    const double size = correct(it);
    if (size < it->how->tol) {
      *iterations = k;
      arrive(it, t + it->how->h);
      return CARDAN_OK;
    }
    if (!isfinite(size) || k == MOST) {
      status = CARDAN_ERR_NO_CONVERGENCE;
    }
  }
  return status;
}

cardan_status cardan__newton_count(cardan__job *job, const cardan__newton *how, double from,
                                   double to, double *mean)
{
  enum { TICK = 2000 };
  iteration it;
  const int n = (int)lround(how->time / how->h);
  double sum = 0;
  cardan_status status = iteration_open(job, how, &it);
  for (int i = 1; i < n && status == CARDAN_OK; i++) {
    int iterations = 0;
    status = step(&it, (i - 1) * how->h, &iterations);
    sum += iterations;
    if (status == CARDAN_OK && i % TICK == 0) {
      status = cardan__job_tick(job, from + (to - from) * i / n);
    }
  }
  *mean = sum / n;
  iteration_close(&it);
  return status;
}
