// SPDX-License-Identifier: Apache-2.0
#include "contact/impact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cones/complementarity.h"

/* Newton's law of impact, u_n^+ >= -e u_n^-, at contacts that are closed at one moment.
 *
 * Repeat while some contact with e > 0 approaches (u_n < -tol): those that approach, and the
 * supports (e = 0, u_n <= tol), act together by (N) with b_n = (1 + e) u_n for what approaches,
 * b_n = u_n else, b_t = u_t. What strikes passes the impact on to what it touches, in the next
 * round; contacts that approach at one moment act at one moment, which keeps symmetries. At last,
 * with e = 0, whatever still approaches.
 *
 * No round without friction adds energy:
 *   T^+ - T^- = r . (u^+ + u^-) / 2                                                          (E1)
 * where r_n > 0 has u_n^+ = -e u_n^- <= -u_n^-, and supports have u_n^+ = 0, u_n^- <= tol. With
 * friction r_t . u_t^- may be positive (Kane's double pendulum): then all e of the round are taken
 * times the largest s in [0, 1] without a gain, by bisection. s = 0 has none: r . u^+ <= 0 there,
 * and T^+ - T^- = r . u^+ - r . G r / 2. The same where (N) has no answer: contacts jammed against
 * one another cannot spring back, since (1 + e) u_n is no velocity that they can have. */

enum { MOST_ROUNDS = 200, HALVINGS = 20 };
enum { EXACT = 40 }; // contacts: more cost too much by complementarity.c, which goes one by one
static const double nothing = 1e-2; // of tol: a b_n that is rounding
static const double precise = 1e-2; // of tol: the error of (N) that is aimed at
static const double gained = 1e-14; // of the sum that a gain is: more than rounding

typedef struct {
  double *G, *b, *r, *u, *own; // own: of the solver
  int *index, *set;            // n: contacts that act; of the solver
  int (*tree)[2];              // n: theirs
} parts;

static parts cut(const cardan__impact *p)
{
  const size_t m = (size_t)p->m;
  double *w = p->work;
  return (parts){.G = w,
                 .b = w + m * m,
                 .r = w + m * m + m,
                 .u = w + m * m + 2 * m,
                 .own = w + m * m + 3 * m,
                 .index = p->iwork,
                 .tree = (int(*)[2])(p->iwork + p->n),
                 .set = p->iwork + 3 * p->n};
}

size_t cardan__impact_work(int n, int m)
{
  const size_t one = cardan__complementarity_work(n), other = cardan__ncp_work(n, m);
  return (size_t)m * (size_t)m + 3 * (size_t)m + (one > other ? one : other);
}

int cardan__impact_iwork(int n, int m)
{
  const int other = cardan__ncp_iwork(n, m);
  return 3 * n + (n > other ? n : other);
}

static int normal(const cardan__impact *p, int i)
{
  return p->cone != NULL ? p->cone[i].row : i;
}

static int rows(const cardan__impact *p, int i)
{
  return p->cone != NULL ? cardan__cone_rows(&p->cone[i]) : 1;
}

/* Contacts that act in a round: their number, rows, and whether one has friction. plastic: all that
 * are closed act, without restitution. */
typedef struct {
  int count, rows;
  bool friction, plastic;
  double error; // of the last (N)
} choice;

/* Their numbers to index, cones with rows of their own to chosen. */
static choice choose(const cardan__impact *p, bool plastic)
{
  const parts w = cut(p);
  choice c = {.plastic = plastic};
  for (int i = 0; i < p->n; i++) {
    const double u = p->u[normal(p, i)];
    if (plastic || u < -p->tol || (p->e[i] == 0 && u <= p->tol)) {
      if (p->cone != NULL) {
        p->chosen[c.count] = p->cone[i];
        p->chosen[c.count].row = c.rows;
        c.friction = c.friction || p->cone[i].ngroup > 0;
      }
      if (p->tree != NULL) {
        memcpy(w.tree[c.count], p->tree[i], sizeof w.tree[0]);
      }
      w.index[c.count++] = i;
      c.rows += rows(p, i);
    }
  }
  return c;
}

/* Is the block of G of two contacts not 0? It is not read where it is. */
static bool meet(const cardan__impact *p, int i, int j)
{
  const int *a = p->tree != NULL ? p->tree[i] : NULL, *b = p->tree != NULL ? p->tree[j] : NULL;
  return a == NULL || i == j || (a[0] >= 0 && (a[0] == b[0] || a[0] == b[1])) ||
         (a[1] >= 0 && (a[1] == b[0] || a[1] == b[1]));
}

/* G and b_t = u_t of those that act. */
static void gather(const cardan__impact *p, const choice *c)
{
  const parts w = cut(p);
  const size_t m = (size_t)p->m;
  double *b = w.b, *G = w.G;
  for (int i = 0; i < c->count; i++) {
    const int first = normal(p, w.index[i]), count = rows(p, w.index[i]);
    memcpy(b, p->u + first, (size_t)count * sizeof *b);
    for (int j = 0, at = 0; j < c->count; at += rows(p, w.index[j]), j++) {
      const size_t bytes = (size_t)rows(p, w.index[j]) * sizeof *G;
      const bool some = meet(p, w.index[i], w.index[j]);
      for (int k = 0; k < count; k++) {
        double *to = G + (size_t)k * (size_t)c->rows + at;
        if (some) {
          memcpy(to, p->G + (size_t)(first + k) * m + normal(p, w.index[j]), bytes);
        } else if (!c->friction) {
          memset(to, 0, bytes);
        }
      }
    }
    b += count;
    G += (size_t)count * (size_t)c->rows;
  }
}

/* b_n with s times the restitution. */
static void normals(const cardan__impact *p, const choice *c, double s)
{
  const parts w = cut(p);
  for (int i = 0, at = 0; i < c->count; at += rows(p, w.index[i]), i++) {
    const double u = p->u[normal(p, w.index[i])];
    w.b[at] = !c->plastic && u < -p->tol ? (1 + s * p->e[w.index[i]]) * u : u;
    if (c->friction && fabs(u) <= nothing * p->tol) {
      w.b[at] = 0;
    }
  }
}

/* (N) over those that act, from r as it is. */
static bool solve(cardan__impact *p, choice *c, double s, bool quick)
{
  const parts w = cut(p);
  normals(p, c, s);
  if (!c->friction && (p->cone == NULL || c->count <= EXACT)) {
    return cardan__complementarity(c->count, w.G, w.b, 0.5 * p->tol, w.r, w.u, w.set, w.own);
  }
  cardan__ncp ncp = {.n = c->count,
                     .m = c->rows,
                     .cone = p->chosen,
                     .G = w.G,
                     .b = w.b,
                     .tree = p->tree != NULL ? (const int(*)[2])w.tree : NULL,
                     .r = w.r,
                     .u = w.u,
                     .tol = precise * p->tol,
                     .caller_tol = p->enough,
                     .uneven = true,
                     .cheap_only = quick,
                     .work = w.own,
                     .iwork = w.set};
  const bool good = cardan__ncp_solve(&ncp) || ncp.error <= p->enough;
  c->error = ncp.error;
  p->sweeps += ncp.sweeps;
  p->newtons += ncp.newtons;
  return good;
}

/* Returns whether the solution adds energy: (E1) with u^+ = u^- + G r, G r = w.u - w.b. */
static bool adds_energy(const cardan__impact *p, const choice *c)
{
  const parts w = cut(p);
  double gain = 0, size = 0;
  for (int i = 0, at = 0; i < c->count; i++) {
    for (int k = 0; k < rows(p, w.index[i]); k++, at++) {
      const double before = p->u[normal(p, w.index[i]) + k];
      gain += w.r[at] * (before + 0.5 * (w.u[at] - w.b[at]));
      size += fabs(w.r[at]) * (fabs(before) + fabs(w.u[at]) + fabs(w.b[at]));
    }
  }
  return gain > gained * size;
}

/* Finds the largest part of the restitution that adds no energy. */
static bool limit_restitution(cardan__impact *p, choice *c)
{
  double low = 0, high = 1;
  for (int k = 0; k < HALVINGS; k++) {
    const double s = 0.5 * (low + high);
    *(solve(p, c, s, true) && !adds_energy(p, c) ? &low : &high) = s;
  }
  p->guarded++;
  return solve(p, c, low, true) || solve(p, c, 0, false);
}

/* u += G r of contact i. */
static void add_velocities(const cardan__impact *p, const choice *c, int i)
{
  const parts w = cut(p);
  const size_t m = (size_t)p->m;
  for (int j = 0, at = 0; j < c->count; at += rows(p, w.index[j]), j++) {
    const int first = normal(p, w.index[j]),
              count = meet(p, i, w.index[j]) ? rows(p, w.index[j]) : 0;
    for (int row = normal(p, i); row < normal(p, i) + rows(p, i) && count > 0; row++) {
      for (int k = 0; k < count; k++) {
        p->u[row] += p->G[(size_t)row * m + (size_t)(first + k)] * w.r[at + k];
      }
    }
  }
}

/* What r does to all, and (E1). */
static void apply(cardan__impact *p, const choice *c)
{
  const parts w = cut(p);
  for (int pass = 0; pass < 2; pass++) { // as the impulse acts, with u^- and u^+
    for (int i = 0, at = 0; i < c->count; i++) {
      for (int k = 0; k < rows(p, w.index[i]); k++, at++) {
        p->gain += 0.5 * w.r[at] * p->u[normal(p, w.index[i]) + k];
      }
    }
    for (int i = 0; i < p->n && pass == 0; i++) {
      add_velocities(p, c, i);
    }
  }
  for (int i = 0, at = 0; i < c->count; i++) {
    for (int k = 0; k < rows(p, w.index[i]); k++, at++) {
      p->r[normal(p, w.index[i]) + k] += w.r[at];
    }
  }
}

static bool apply_impact(cardan__impact *p, bool plastic)
{
  choice c = choose(p, plastic);
  memset(cut(p).r, 0, (size_t)c.rows * sizeof(double));
  gather(p, &c);
  bool good = solve(p, &c, 1, false);
  if (c.friction && !plastic && (!good || adds_energy(p, &c))) {
    good = limit_restitution(p, &c);
  }
  apply(p, &c);
  p->error = fmax(p->error, c.error);
  p->rounds++;
  return good;
}

static bool any_approaches(const cardan__impact *p, bool plastic)
{
  bool any = false;
  for (int i = 0; i < p->n; i++) {
    any = any || (p->u[normal(p, i)] < -p->tol && (plastic || p->e[i] > 0));
  }
  return any;
}

bool cardan__impact_solve(cardan__impact *p)
{
  const int most = p->most > 0 ? p->most : MOST_ROUNDS;
  bool good = true;
  p->gain = p->error = 0;
  p->rounds = p->guarded = p->sweeps = p->newtons = 0;
  memset(p->r, 0, (size_t)p->m * sizeof *p->r);
  while (good && p->rounds < most && any_approaches(p, false)) {
    good = apply_impact(p, false);
  }
  if (good && any_approaches(p, true)) {
    good = apply_impact(p, true);
  }
  return good;
}
