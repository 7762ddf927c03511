// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/ncp_inside.h"
#include "linalg/small.h"

/* (N) by Gauss-Seidel over contacts, each solved exactly with the others as they are.
 *
 * The error of a contact, with rho_n = 1/G_nn and rho_g = 1/trace(G_gg), is the largest of
 *   |r_n - max(r_n - rho_n u_n, 0)| / rho_n,
 *   |r_g - clip(r_g - rho_g u_g, mu_g r_n)| / rho_g                                          (E1)
 * velocities, 0 exactly at solutions: |u_n| where it pushes, -u_n where it does not, |u_g| where it
 * sticks. Departure from the usual measure by the projection onto the whole cone: that one has no
 * closed form with several groups, and is 0 at the same r. */

enum { MOST_SWEEPS = 2000, LATE = 30 };
static const double immovable = 1e-12; // of the largest diagonal entry of its kind
static const double accepted = 1e4;    // of the error that is aimed at

size_t cardan__ncp_work(int n, int m)
{
  (void)n;
  return 3 * (size_t)m;
}

int cardan__ncp_iwork(int n, int m)
{
  (void)n;
  (void)m;
  return 0;
}

static cardan__ncp_state cut(cardan__ncp *p)
{
  const size_t m = (size_t)p->m;
  return (cardan__ncp_state){.p = p, .rho = p->work, .mean = p->work + m, .best = p->work + 2 * m};
}

static const double *row_of(const cardan__ncp *p, int i)
{
  return p->G + (size_t)i * (size_t)p->m;
}

static bool all_finite(size_t n, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    sum += 0 * x[k];
  }
  return sum == 0;
}

/* rho and D of rows first .. first + size - 1. */
static void scale(const cardan__ncp_state *s, int first, int size, double least)
{
  double trace = 0;
  for (int i = first; i < first + size; i++) {
    trace += row_of(s->p, i)[i];
  }
  for (int i = first; i < first + size; i++) {
    s->rho[i] = trace > least ? 1 / trace : 0;
    s->mean[i] = trace > least ? trace / size : 0;
  }
}

static void scales(const cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    most = fmax(most, row_of(p, p->cone[i].row)[p->cone[i].row]);
  }
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    scale(s, c->row, 1, immovable * most);
    for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
      scale(s, t, c->size[g], 0);
    }
  }
}

static double length(int size, const double *x)
{
  return size > 1 ? hypot(x[0], x[1]) : fabs(x[0]);
}

/* (E1) of one contact. */
static double error_of(const cardan__ncp_state *s, const cardan__cone *c)
{
  const double *r = s->p->r, *u = s->p->u;
  const double rn = r[c->row], un = u[c->row], rho = s->rho[c->row];
  if (!(rho > 0)) { // nothing moves it: r is 0
    return fmax(-un, 0);
  }
  double most = rn - rho * un > 0 ? fabs(un) : rn / rho;
  for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
    const double f = s->rho[t], limit = c->mu[g] * rn;
    double e[2] = {0, 0};
    for (int i = 0; i < c->size[g]; i++) {
      e[i] = r[t + i] - f * u[t + i];
    }
    const double y = length(c->size[g], e), cut_to = y > limit ? limit / y : 1;
    for (int i = 0; i < c->size[g]; i++) {
      e[i] = r[t + i] - cut_to * e[i];
    }
    most = fmax(most, f > 0 ? length(c->size[g], e) / f : 0);
  }
  return most;
}

/* u, the error and who has it, and what rounding leaves of them. */
static void measure(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  double size = 0;
  for (int i = 0; i < p->m; i++) {
    const double *G = row_of(p, i);
    double u = 0, sum = 0;
    for (int j = 0; j < p->m; j++) {
      u += G[j] * p->r[j];
      sum += fabs(G[j] * p->r[j]);
    }
    p->u[i] = p->b[i] + u;
    size = fmax(size, sum);
  }
  s->floor = 16 * DBL_EPSILON * size;
  p->error = 0;
  p->worst = 0;
  for (int i = 0; i < p->n; i++) {
    const double e = error_of(s, &p->cone[i]);
    if (!(e <= p->error)) {
      p->error = e;
      p->worst = i;
    }
  }
}

static void sweep(const cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    const int rows = cardan__cone_rows(c);
    const double *W = row_of(p, c->row) + c->row;
    double b[CARDAN__CONE_ROWS];
    double *r = p->r + c->row;
    for (int k = 0; k < rows && s->rho[c->row] > 0; k++) {
      b[k] = p->b[c->row + k] + cardan__dot(p->m, row_of(p, c->row + k), p->r) -
             cardan__dot(rows, W + k * p->m, r);
    }
    if (s->rho[c->row] > 0) {
      cardan__cone_solve(c, W, p->m, b, r);
    } else {
      memset(r, 0, (size_t)rows * sizeof *r);
    }
  }
  p->sweeps++;
}

static double aim(const cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  return fmax(fmax(p->tol, s->floor), p->sweeps >= LATE ? p->loose : 0);
}

bool cardan__ncp_solve(cardan__ncp *p)
{
  cardan__ncp_state s = cut(p);
  const size_t m = (size_t)p->m;
  p->sweeps = p->newtons = p->worst = 0;
  p->error = HUGE_VAL;
  p->fallback = false;
  if (!all_finite(m * m, p->G) || !all_finite(m, p->b)) {
    memset(p->r, 0, m * sizeof *p->r);
    memcpy(p->u, p->b, m * sizeof *p->u);
    return false;
  }
  if (!all_finite(m, p->r)) {
    memset(p->r, 0, m * sizeof *p->r);
  }
  scales(&s);
  for (int batch = 5; p->sweeps < MOST_SWEEPS; batch = batch < 20    ? 20
                                                       : batch < 200 ? 2 * batch
                                                                     : 400) {
    for (int k = 0; k < batch; k++) {
      sweep(&s);
    }
    measure(&s);
    if (p->error <= aim(&s)) {
      break;
    }
  }
  return p->error <= accepted * fmax(p->tol, s.floor);
}

bool cardan__cone_slides(const cardan__cone *c, int g, const double *r, const double *u,
                         double still)
{
  int t = c->row + 1;
  for (int k = 0; k < g; k++) {
    t += c->size[k];
  }
  return r[c->row] > 0 && length(c->size[g], u + t) > still &&
         length(c->size[g], r + t) >= (1 - 1e-9) * c->mu[g] * r[c->row];
}
