// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/ncp_inside.h"
#include "linalg/linalg.h"

/* (N) from inside its cones: all products that are to vanish have one value t > 0,
 *   r_n s = t,  s = u_n;   a l + r_g . u_g = t,  l r_g + a u_g = 0,  a = mu_g r_n,
 *   |r_g| < a,  |u_g| < l      for each group g, l its own                                   (I1)
 * and t goes to 0. No contact is open or closed, sticks or slides on the way: there are no faces to
 * be guessed, which is where Newton's method goes in circles among many contacts that share a load.
 * A step is Newton's of (I1) with u = (G + d D) r + b. s and l go first:
 *   (G_n + s/r_n) dr = t/r_n - u_n
 *   with B = a - r_g r_g^T/a,  A = l - r_g u_g^T/a,  c = mu_g (u_g - l r_g/a):
 *   G_g dr + B^-1 (A dr_g + c dr_n) = B^-1 (-(l r_g + a u_g) - r_g (t - a l - r_g . u_g)/a)  (I2)
 * A box is a group with a = bound, which has no dr_n.
 * G with more in the blocks of its diagonal, so it is factored as G's own is. t of a step follows
 * from how far one with t = 0 would go (Mehrotra). The end is Newton's method's (ncp_newton.c). */

enum { MOST = 60, WAIT = 8 };
static const double centre = 0.5, sharp = 1e-3; // t of a step, over that of its start: most, least
static const double near_edge = 0.95;           // of the way to where a cone ends
static const double brief = 0.1;                // a part of a step after which t stays for one step
static const double falls = 0.5;                // of t in WAIT steps, else it does not

typedef struct {
  cardan__ncp_state *s;
  double *r, *u, *slack;    // m; slack: s in the row of a normal, l in the first of a group
  double *dr, *du, *dslack; // m: a step
  double *pull;             // m: right sides that go with t, and what follows from them
  double *bend;             // m: in the first row of a group, products of a step's own parts
  int size;                 // unknowns
  double last;              // part that was made of the last step
} inner;

/* Returns whether group g at row t has impulses. */
static bool has_impulses(const inner *p, const cardan__cone *c, int g, int t)
{
  return c->mu[g] > 0 && p->s->rho[t] > 0;
}

static bool moves(const inner *p, int i)
{
  return p->s->rho[p->s->p->cone[i].row] > 0;
}

/* r, s and l inside their cones, and the order of the unknowns. */
static void begin(inner *p)
{
  cardan__ncp_state *s = p->s;
  const cardan__ncp *ncp = s->p;
  memset(p->r, 0, (size_t)ncp->m * sizeof *p->r);
  p->size = 0;
  for (int k = 0; k < ncp->n; k++) {
    const int i = s->order[k];
    s->first[i] = p->size;
    s->count[i] = moves(p, i) ? cardan__cone_rows(&ncp->cone[i]) : 0;
    p->size += s->count[i];
    p->r[ncp->cone[i].row] = ncp->cone[i].bound > 0 ? 0 : s->speed * s->rho[ncp->cone[i].row];
  }
  cardan__ncp_velocities(s, p->r, p->u);
  for (int i = 0; i < ncp->n; i++) {
    const cardan__cone *c = &ncp->cone[i];
    p->slack[c->row] = c->bound > 0 ? fabs(p->u[c->row]) + s->speed : fmax(p->u[c->row], s->speed);
    for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
      p->slack[t] = cardan__ncp_length(c->size[g], p->u + t) + s->speed;
    }
  }
}

static double dot(int size, const double *a, const double *b)
{
  return a[0] * b[0] + (size > 1 ? a[1] * b[1] : 0);
}

/* t as it is: the mean of the products. */
static double mean_product(const inner *p)
{
  const cardan__ncp *ncp = p->s->p;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < ncp->n; i++) {
    const cardan__cone *c = &ncp->cone[i];
    const double rn = p->r[c->row];
    if (moves(p, i)) {
      sum += c->bound > 0 ? c->bound * p->slack[c->row] + rn * p->u[c->row] : rn * p->slack[c->row];
      count++;
    }
    for (int g = 0, t = c->row + 1; g < c->ngroup && moves(p, i); t += c->size[g], g++) {
      if (has_impulses(p, c, g, t)) {
        sum += c->mu[g] * rn * p->slack[t] + dot(c->size[g], p->r + t, p->u + t);
        count++;
      }
    }
  }
  return count > 0 ? sum / count : 0;
}

/* x <- B^-1 x. */
static void undo(int size, double a, const double *rg, double *x)
{
  const double along = dot(size, rg, x) / (a * a - dot(size, rg, rg));
  for (int k = 0; k < size; k++) {
    x[k] = (x[k] + along * rg[k]) / a;
  }
}

/* (I2) of group g at row t of contact c: its part of the block K (LD numbers a row), which starts
 * at the contact's normal; right sides without t and of t. */
enum { LD = CARDAN__CONE_ROWS };
static void group(const inner *p, const cardan__cone *c, int g, int t, double K[LD][LD])
{
  const int size = c->size[g], at = t - c->row;
  const double a = c->mu[g] * p->r[c->row], l = p->slack[t];
  const double *rg = p->r + t, *ug = p->u + t;
  const double product = a * l + dot(size, rg, ug);
  for (int j = -1; j < size; j++) { // columns: dr_n, then dr_g
    double x[2] = {0, 0};
    for (int k = 0; k < size; k++) {
      x[k] = j < 0 ? c->mu[g] * (ug[k] - l * rg[k] / a) : (j == k ? l : 0) - rg[k] * ug[j] / a;
    }
    undo(size, a, rg, x);
    for (int k = 0; k < size; k++) {
      K[at + k][j < 0 ? 0 : at + j] += x[k];
    }
  }
  double off[2] = {0, 0}, pull[2] = {0, 0};
  for (int k = 0; k < size; k++) {
    off[k] = -(l * rg[k] + a * ug[k]) + rg[k] * product / a;
    pull[k] = -rg[k] / a;
  }
  undo(size, a, rg, off);
  undo(size, a, rg, pull);
  memcpy(p->dr + t, off, (size_t)size * sizeof *off);
  memcpy(p->pull + t, pull, (size_t)size * sizeof *pull);
}

/* The same of a box. returns its part of K */
static double box(const inner *p, const cardan__cone *c)
{
  const double a = c->bound, r = p->r[c->row], u = p->u[c->row], l = p->slack[c->row];
  double own = l - r * u / a;
  p->dr[c->row] = -(l * r + a * u) + r * (a * l + r * u) / a;
  p->pull[c->row] = -r / a;
  undo(1, a, &r, &own);
  undo(1, a, &r, &p->dr[c->row]);
  undo(1, a, &r, &p->pull[c->row]);
  return own;
}

/* What (I2) adds to contact i's own block; which of its rows are there: the others have dr = 0. */
static void own_block(const inner *p, int i, double K[LD][LD], bool there[LD])
{
  const cardan__ncp_state *s = p->s;
  const cardan__cone *c = &s->p->cone[i];
  memset(K, 0, LD * sizeof *K);
  there[0] = true;
  if (c->bound > 0) {
    K[0][0] = box(p, c);
  } else {
    K[0][0] = p->slack[c->row] / p->r[c->row];
    p->dr[c->row] = -p->u[c->row];
    p->pull[c->row] = 1 / p->r[c->row];
  }
  for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
    const bool live = has_impulses(p, c, g, t);
    for (int k = 0; k < c->size[g]; k++) {
      there[t - c->row + k] = live;
      p->dr[t + k] = p->pull[t + k] = 0;
    }
    if (live) {
      group(p, c, g, t, K);
    }
  }
  for (int k = 0; k < cardan__cone_rows(c); k++) {
    K[k][k] += s->soft * s->mean[c->row + k] + (there[k] ? 0 : 1);
  }
}

/* Block (i, j) of the matrix of (I2); own: what is added to it, NULL: nothing. */
static void block(const inner *p, int i, int j, const bool there[LD], const double (*own)[LD])
{
  const cardan__ncp_state *s = p->s;
  const cardan__ncp *ncp = s->p;
  const cardan__cone *ci = &ncp->cone[i], *cj = &ncp->cone[j];
  for (int k = 0; k < s->count[i]; k++) {
    const double *G = ncp->G + (size_t)(ci->row + k) * (size_t)ncp->m + cj->row;
    double *A = s->A + (size_t)(s->first[i] + k) * (size_t)p->size + s->first[j];
    for (int l = 0; l < s->count[j]; l++) {
      const double g = (there[k] ? G[l] : 0) + (own != NULL ? own[k][l] : 0);
      A[l] = g * s->scale[ci->row + k] * s->scale[cj->row + l];
    }
  }
}

/* The matrix of (I2), rows and columns times sqrt(rho). */
static void assemble(const inner *p)
{
  const cardan__ncp_state *s = p->s;
  double K[LD][LD];
  bool there[LD];
  for (int i = 0; i < s->p->n; i++) {
    const int patch = s->patch_of[i];
    if (s->count[i] == 0) {
      continue;
    }
    own_block(p, i, K, there);
    for (int k = s->near_start[patch]; k < s->near_start[patch + 1]; k++) {
      for (int j = s->patch[s->near[2 * k]]; j < s->patch[s->near[2 * k + 1]]; j++) {
        block(p, i, j, there, i == j ? (const double(*)[LD])K : NULL);
      }
    }
  }
}

static bool factor(const inner *p)
{
  cardan__ncp_state *s = p->s;
  s->p->newtons++;
  s->whole = !s->sparse;
  if (s->sparse) {
    cardan__ncp_clear(s, p->size);
    assemble(p);
    s->whole = !cardan__ncp_factor(s, p->size);
  }
  if (s->whole) {
    memset(s->A, 0, s->full ? 0 : (size_t)p->size * (size_t)p->size * sizeof *s->A);
    assemble(p);
  }
  return !s->whole || cardan__lu(p->size, s->A, s->pivot) < 0;
}

/* x, by rows of the problem, <- the answer of (I2) to it. */
static void solve(const inner *p, double *x)
{
  const cardan__ncp_state *s = p->s;
  const cardan__ncp *ncp = s->p;
  for (int i = 0; i < ncp->n; i++) {
    for (int k = 0; k < s->count[i]; k++) {
      s->z[s->first[i] + k] = x[ncp->cone[i].row + k] * s->scale[ncp->cone[i].row + k];
    }
  }
  if (s->whole) {
    cardan__lu_solve(p->size, s->A, s->pivot, s->z);
  } else {
    cardan__ncp_back(s, p->size, s->z);
  }
  for (int i = 0; i < ncp->n; i++) {
    const int row = ncp->cone[i].row;
    for (int k = 0; k < cardan__cone_rows(&ncp->cone[i]); k++) {
      x[row + k] = s->count[i] > 0 ? s->z[s->first[i] + k] * s->scale[row + k] : 0;
    }
  }
}

/* Change of l of a box, for products that are to be t. */
static double box_slack(const inner *p, const cardan__cone *c, double aim)
{
  const int k = c->row;
  return (aim - c->bound * p->slack[k] - p->r[k] * p->u[k] - p->bend[k] - p->u[k] * p->dr[k] -
          p->r[k] * p->du[k]) /
         c->bound;
}

/* Computes du and dslack of dr, for products that are to be t. */
static void compute_changes(const inner *p, double aim)
{
  const cardan__ncp_state *s = p->s;
  const cardan__ncp *ncp = s->p;
  cardan__ncp_velocities(s, p->dr, p->du);
  for (int i = 0; i < ncp->m; i++) {
    p->du[i] += s->soft * s->mean[i] * p->dr[i] - ncp->b[i];
  }
  for (int i = 0; i < ncp->n; i++) {
    const cardan__cone *c = &ncp->cone[i];
    p->dslack[c->row] =
        c->bound > 0 ? box_slack(p, c, aim) : p->u[c->row] + p->du[c->row] - p->slack[c->row];
    for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
      const int size = c->size[g];
      const double a = c->mu[g] * p->r[c->row];
      const double lack = aim - a * p->slack[t] - dot(size, p->r + t, p->u + t) - p->bend[t];
      p->dslack[t] = !has_impulses(p, c, g, t)
                         ? 0
                         : (lack - c->mu[g] * p->slack[t] * p->dr[c->row] -
                            dot(size, p->u + t, p->dr + t) - dot(size, p->r + t, p->du + t)) /
                               a;
    }
  }
}

/* The part of a step, at most `most`, after which x_0 = |x|, from x_0 > |x| on. */
static double step_to_boundary(int size, double x0, const double *x, double d0, const double *d,
                               double most)
{
  const double a = d0 * d0 - dot(size, d, d), b = x0 * d0 - dot(size, x, d);
  const double c = x0 * x0 - dot(size, x, x), square = b * b - a * c;
  double part = d0 < 0 ? fmin(most, -x0 / d0) : most;
  if (square >= 0) {
    const double w = -(b + copysign(sqrt(square), b));
    const double first = a != 0 ? w / a : -1, second = w != 0 ? c / w : -1;
    part = first > 0 ? fmin(part, first) : part;
    part = second > 0 ? fmin(part, second) : part;
  }
  return part;
}

/* How much of the step there is inside the cones, 1 at most. */
static double longest(const inner *p)
{
  const cardan__ncp *ncp = p->s->p;
  double part = 1;
  for (int i = 0; i < ncp->n; i++) {
    const cardan__cone *c = &ncp->cone[i];
    const int n = c->row;
    if (!moves(p, i)) {
      continue;
    }
    if (c->bound > 0) {
      part = step_to_boundary(1, c->bound, p->r + n, 0, p->dr + n, part);
      part = step_to_boundary(1, p->slack[n], p->u + n, p->dslack[n], p->du + n, part);
      continue;
    }
    part = p->dr[n] < 0 ? fmin(part, -p->r[n] / p->dr[n]) : part;
    part = p->dslack[n] < 0 ? fmin(part, -p->slack[n] / p->dslack[n]) : part;
    for (int g = 0, t = n + 1; g < c->ngroup; t += c->size[g], g++) {
      if (has_impulses(p, c, g, t)) {
        part = step_to_boundary(c->size[g], c->mu[g] * p->r[n], p->r + t, c->mu[g] * p->dr[n],
                                p->dr + t, part);
        part = step_to_boundary(c->size[g], p->slack[t], p->u + t, p->dslack[t], p->du + t, part);
      }
    }
  }
  return part;
}

/* Second order: p->pull, times aim, and what the products of the step's parts, dr with ds and du
 * with dl, add to the right sides. */
static void curve(const inner *p, double aim)
{
  const cardan__ncp *ncp = p->s->p;
  for (int i = 0; i < ncp->m; i++) {
    p->pull[i] *= aim;
  }
  for (int i = 0; i < ncp->n; i++) {
    const cardan__cone *c = &ncp->cone[i];
    const int n = c->row;
    if (!moves(p, i)) {
      continue;
    }
    if (c->bound > 0) {
      p->bend[n] = p->dr[n] * p->du[n];
      double x = p->r[n] * p->bend[n] / c->bound - p->dslack[n] * p->dr[n];
      undo(1, c->bound, p->r + n, &x);
      p->pull[n] += x;
      continue;
    }
    p->pull[n] -= p->dr[n] * p->dslack[n] / p->r[n];
    for (int g = 0, t = n + 1; g < c->ngroup; t += c->size[g], g++) {
      const double a = c->mu[g] * p->r[n], da = c->mu[g] * p->dr[n];
      double x[2] = {0, 0};
      p->bend[t] = da * p->dslack[t] + dot(c->size[g], p->dr + t, p->du + t);
      for (int k = 0; k < c->size[g]; k++) {
        x[k] = p->r[t + k] * p->bend[t] / a - p->dslack[t] * p->dr[t + k] - da * p->du[t + k];
      }
      if (has_impulses(p, c, g, t)) {
        undo(c->size[g], a, p->r + t, x);
        p->pull[t] += x[0];
        p->pull[t + c->size[g] - 1] += c->size[g] > 1 ? x[1] : 0;
      }
    }
  }
}

/* One step from where all is; false: it cannot be made. */
static bool step(inner *p)
{
  const int m = p->s->p->m;
  const double now = mean_product(p);
  if (!(now > 0) || !factor(p)) {
    return false;
  }
  memset(p->bend, 0, (size_t)m * sizeof *p->bend);
  solve(p, p->dr);
  compute_changes(p, 0);
  const double left = 1 - longest(p);
  const double part_of = fmin(fmax(left * left * left, sharp), centre);
  const double aim = now * (p->last < brief ? 1 : part_of);
  curve(p, aim);
  solve(p, p->pull);
  for (int i = 0; i < m; i++) {
    p->dr[i] += p->pull[i];
  }
  compute_changes(p, aim);
  const double most = longest(p), part = most < 1 ? near_edge * most : 1;
  p->last = part;
  for (int i = 0; i < m; i++) {
    p->r[i] += part * p->dr[i];
    p->slack[i] += part * p->dslack[i];
  }
  cardan__ncp_velocities(p->s, p->r, p->u);
  for (int i = 0; i < m; i++) {
    p->u[i] += p->s->soft * p->s->mean[i] * p->r[i];
  }
  return cardan__ncp_finite((size_t)m, p->r);
}

/* Stores p's r, clipped to its cones, if it is the best so far. returns twice the error due to d */
static double store_if_best(const inner *p)
{
  cardan__ncp_state *s = p->s;
  const size_t m = (size_t)s->p->m;
  double creep = 0;
  memcpy(s->clipped, p->r, m * sizeof *p->r);
  cardan__ncp_clip(s, s->clipped);
  const double error = cardan__ncp_measure(s, s->clipped, s->old);
  if (error < s->least) {
    s->least = error;
    memcpy(s->best, s->clipped, m * sizeof *p->r);
  }
  for (size_t i = 0; i < m; i++) {
    creep = fmax(creep, s->soft * s->mean[i] * fabs(p->r[i]));
  }
  return 2 * creep;
}

void cardan__ncp_inner(cardan__ncp_state *s, double aim)
{
  const size_t m = (size_t)s->p->m;
  inner p = {.s = s, .r = s->x, .u = s->w, .slack = s->y, .dr = s->basis, .last = 1};
  p.du = p.dr + m;
  p.dslack = p.du + m;
  p.pull = p.dslack + m;
  p.bend = p.pull + m;
  for (size_t i = 0; i < m; i++) {
    s->scale[i] = s->rho[i] > 0 ? sqrt(s->rho[i]) : 1;
  }
  s->least = HUGE_VAL;
  begin(&p);
  double before = HUGE_VAL, creep = 0;
  for (int k = 0; k < MOST && s->least > fmax(aim, creep) && step(&p); k++) {
    creep = store_if_best(&p);
    const double now = k % WAIT == 0 ? mean_product(&p) : 0;
    if (!(now < falls * before)) {
      break;
    }
    before = now > 0 ? now : before;
  }
}
