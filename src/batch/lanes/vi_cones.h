/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_cones.h - the law of the feet of vi_feet.h in lanes: (N) of cones/ncp.h, which
 * methods/discrete/border_held.c solves in a step and run/contact_node.c at a node.
 *
 * With G the rows of the node, S = G M^-1 G^T and f the residual, a direction of RIQN is
 *   b = Phi - G M^-1 f - S lambda,   u = S r + b with r of (N),
 *   x + M^-1 (G^T (r - lambda) - f),   lambda := r                                           (C1)
 * r^+ of a node has G v in place of Phi, and lambda = 0. (N) is solved by Newton's method on
 *   x_n = r_n - rho_n u_n,   x = r_t - rho_t u_t,   rho: 1 / the trace of a block of S
 *   open,   x_n <= 0:          r = 0
 *   sticks, |x| <= mu r_n:     u = 0
 *   slides, e = x / |x|:       u_n = 0,   r_t = mu r_n e                                     (C2)
 * whose derivative across the way of sliding, with kappa = mu r_n / |x| and P = 1 - e e^T, is
 *   dr_t - kappa P (dr_t - rho_t du_t) - mu e dr_n                                           (C3)
 * One that slides fast at the node of a step has no more than the component along t_0. Where these
 * rounds do not end (a robot on straight legs, whose feet nearly depend on one another: in one of
 * 200 steps), they start again with
 *   u + alpha D (r - r'),   D the diagonal of S, r' the r of two rounds before, alpha to 0   (C4)
 * in place of u, whose solutions are near one another. A lane
 * counts as solved by the error (E1) of cones/ncp.c alone, whatever led to it; else it falls back.
 *
 * Contacts may depend on one another: eps is added to S where it is factored, and the next round
 * corrects what that leaves. Impulses are not unique then, and which feet hold may depend on them:
 * such a lane falls back if a foot slides or uses more than half of its cone, or if dry friction
 * holds a joint too. */
#pragma once
#include "batch/lanes/vi_feet.h"

#define CARDAN__FOOT_EPS 1e-10      // eps of S, of its largest entry
#define CARDAN__FOOT_REDUNDANT 1e-6 // a pivot of S is one of a row that others make redundant
#define CARDAN__FOOT_SHARE 0.5      // of a cone, which impulses of such rows may use
#define CARDAN__FOOT_GAIN 1e-4      // of the error of (N), which the next direction finds again
#define CARDAN__NODE_TOL 1e-12      // of the ways of a node

/* Rounds of (C2), and of (C4): without alpha, how many values of it, of two rounds each, all. */
enum { VI_MOST_ROWS = 3 * CARDAN__LANES_FEET + CARDAN__LANES_ROWS };
enum { VI_PLAIN_CONES = 6, VI_NEAR_CONES = 14, VI_MOST_CONES = 42 };
#define CARDAN__FOOT_NEARER 0.3 // of alpha, the next

/* ---- the law of one foot ---- */

/* (C2) at some r and u. */
typedef struct {
  mask pushes, sticks, slides;
  mask across; // t_1 counts, too
  real e[2], kappa;
} vi_law;

/* |x| and mu r_n, of (C2). */
typedef struct {
  real x[2], size, most;
} vi_disc;

static inline vi_disc disc_of(const vi_lanes *s, int j, mask across, const real *r, const real *u)
{
  const vi_foot *f = &s->foot[j];
  const real none = real_of(0);
  vi_disc d;
  d.x[0] = nmadd(f->rho[1], u[1], r[1]);
  d.x[1] = choose(across, nmadd(f->rho[1], u[2], r[2]), none);
  d.size = root(madd(d.x[0], d.x[0], d.x[1] * d.x[1]));
  d.most = real_of(s->model->foot[j].mu) * larger(r[0], none);
  return d;
}

/* Lanes in which both tangents of a foot have friction. step: as a step begins; else at its end */
static inline mask has_across(const vi_lanes *s, int j, bool step)
{
  return step ? ~s->foot[j].fast : mask_of(-1);
}

static inline vi_law law_of(const vi_lanes *s, int j, bool step, const real *r, const real *u)
{
  const vi_foot *f = &s->foot[j];
  const real none = real_of(0);
  const mask rough = s->model->foot[j].rows > 1 ? mask_of(-1) : mask_of(0);
  vi_law law = {.across = has_across(s, j, step)};
  const vi_disc d = disc_of(s, j, law.across, r, u);
  law.pushes = f->closed & is_less(none, nmadd(f->rho[0], u[0], r[0]));
  law.slides = law.pushes & rough & is_less(d.most, d.size);
  law.sticks = law.pushes & rough & ~law.slides;
  const real over = choose(law.slides, real_of(1) / d.size, none);
  law.e[0] = over * d.x[0];
  law.e[1] = over * d.x[1];
  law.kappa = choose(law.across, over * d.most, none);
  return law;
}

/* (E1) */
static inline real foot_error(const vi_lanes *s, int j, bool step, const real *r, const real *u)
{
  const vi_foot *f = &s->foot[j];
  const real none = real_of(0);
  const mask across = has_across(s, j, step);
  const real x = nmadd(f->rho[0], u[0], r[0]);
  real error = magnitude(r[0] - larger(x, none)) / f->rho[0];
  if (s->model->foot[j].rows > 1) {
    const vi_disc d = disc_of(s, j, across, r, u);
    const real in = choose(is_less(d.most, d.size), d.most / d.size, real_of(1));
    const real off[2] = {nmadd(in, d.x[0], r[1]), nmadd(in, d.x[1], r[2])};
    const real size = root(madd(off[0], off[0], off[1] * off[1]));
    error = larger(error, size / f->rho[1]);
  }
  const mask known = is_less(none, f->rho[0]) & is_most(error, real_of(DBL_MAX));
  return choose(f->closed, choose(known, error, real_of(HUGE_VAL)), none);
}

/* Of all, with 3 of r and u of each active foot. */
static inline real cone_error(const vi_lanes *s, bool step, const real *r, const real *u)
{
  real largest = real_of(0);
  for (int i = 0; i < s->head->nactive; i++) {
    largest = larger(foot_error(s, s->head->active[i], step, r + 3 * i, u + 3 * i), largest);
  }
  for (int k = 3 * s->head->nactive; k < count_rows(s); k++) {
    largest = larger(magnitude(u[k]), largest);
  }
  return largest;
}

/* lambda of the active feet and the loops to r. */
static inline void read_impulses(const vi_lanes *s, real *r)
{
  for (int i = 0; i < s->head->nactive; i++) {
    memcpy(r + 3 * i, s->foot[s->head->active[i]].lambda, 3 * sizeof *r);
  }
  for (int j = 0; j < s->model->nrow; j++) {
    r[3 * s->head->nactive + j] = s->row[j].lambda;
  }
}

/* Error of lambda at Phi over its tolerance. */
CARDAN__WHOLE real measure_feet(vi_lanes *s)
{
  value_feet(s);
  read_impulses(s, s->sigma);
  return real_of(1 / (CARDAN__FOOT_TOL * (1 + s->model->length))) *
         cone_error(s, true, s->sigma, s->phi);
}

/* ---- one round ---- */

/* Rows of active foot i of the derivative of (C2) to s->L, and what is to become 0 to s->rhs.
 * more: 3, added to the diagonal of S */
static inline void put_law(const vi_lanes *s, int i, const vi_law *law, const real *more,
                           const real *r, const real *u)
{
  const int n = count_rows(s);
  const vi_foot *f = &s->foot[s->head->active[i]];
  const real none = real_of(0), one = real_of(1),
             mu = real_of(s->model->foot[s->head->active[i]].mu);
  const real *S = &s->S[3 * i * n];
  real *A = &s->L[3 * i * n], *rhs = &s->rhs[3 * i];
  const real turn = law->kappa * f->rho[1];
  const real P[2][2] = {{nmadd(law->e[0], law->e[0], one), -(law->e[0] * law->e[1])},
                        {-(law->e[0] * law->e[1]), nmadd(law->e[1], law->e[1], one)}};
  const mask hold[2] = {law->sticks, law->sticks & law->across};
  for (int c = 0; c < n; c++) {
    A[c] = choose(law->pushes, S[c], none);
  }
  A[3 * i] = choose(law->pushes, A[3 * i] + more[0], one);
  rhs[0] = choose(law->pushes, u[0], r[0]);
  for (int k = 0; k < 2; k++) {
    const int row = k + 1;
    real C[2];
    for (int l = 0; l < 2; l++) {
      C[l] = choose(law->slides, turn * P[k][l], choose(hold[k], real_of(k == l ? 1 : 0), none));
    }
    for (int c = 0; c < n; c++) {
      A[row * n + c] = madd(C[0], S[n + c], C[1] * S[2 * n + c]);
    }
    for (int l = 0; l < 2; l++) {
      real *own = &A[row * n + 3 * i + l + 1];
      const real unit = real_of(k == l ? 1 : 0);
      const real slid = nmadd(law->kappa, P[k][l], unit);
      const real add = choose(law->slides, slid, choose(hold[k], real_of(0), unit));
      *own = *own + madd(C[l], more[l + 1], add);
    }
    const real push = choose(law->slides, mu * law->e[k], none);
    A[row * n + 3 * i] = A[row * n + 3 * i] - push;
    rhs[row] = choose(hold[k], u[row], nmadd(push, r[0], r[row]));
  }
}

/* Lanes in which a row of a foot is one of S. */
static inline mask holds_row(const vi_law *law, int k)
{
  return k == 0 ? law->pushes : k == 1 ? law->sticks : law->sticks & law->across;
}

/* The same of the loops, which hold. */
static inline void put_loops(const vi_lanes *s, real eps, const real *u)
{
  const int n = count_rows(s);
  for (int k = 3 * s->head->nactive; k < n; k++) {
    memcpy(&s->L[k * n], &s->S[k * n], (size_t)n * sizeof *s->L);
    s->L[k * (n + 1)] = s->L[k * (n + 1)] + eps;
    s->rhs[k] = u[k];
  }
}

/* s->L = L U in place, 1 / pivots on the diagonal. returns lanes with a pivot that is not > 0; to
 * s->redundant, which of those in on have rows that depend on one another */
static inline mask factor_laws(const vi_lanes *s, mask on, const vi_law *law)
{
  const int n = count_rows(s);
  mask bad = mask_of(0), redundant = mask_of(0);
  for (int k = 0; k < n; k++) {
    real *own = &s->L[k * n];
    const mask counts = k < 3 * s->head->nactive ? holds_row(&law[k / 3], k % 3) : mask_of(-1);
    redundant |= counts & is_less(own[k], real_of(CARDAN__FOOT_REDUNDANT) * s->S[k * (n + 1)]);
    bad |= ~is_less(real_of(0), own[k]);
    own[k] = real_of(1) / own[k];
    for (int i = k + 1; i < n; i++) {
      real *row = &s->L[i * n];
      row[k] = row[k] * own[k];
      for (int c = k + 1; c < n; c++) {
        row[c] = nmadd(row[k], own[c], row[c]);
      }
    }
  }
  *s->redundant = (redundant & on) | (*s->redundant & ~on);
  return bad & on;
}

/* s->rhs := s->L^-1 s->rhs */
static inline void solve_laws(const vi_lanes *s)
{
  const int n = count_rows(s);
  real *x = s->rhs;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] = nmadd(s->L[i * n + k], x[k], x[i]);
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] = nmadd(s->L[i * n + k], x[k], x[i]);
    }
    x[i] = x[i] * s->L[i * n + i];
  }
}

/* u = S r + b, in the lanes of a mask. */
static inline void find_ways(const vi_lanes *s, mask on, const real *b, const real *r, real *u)
{
  const int n = count_rows(s);
  for (int i = 0; i < n; i++) {
    real sum = b[i];
    for (int k = 0; k < n; k++) {
      sum = madd(s->S[i * n + k], r[k], sum);
    }
    u[i] = choose(on, sum, u[i]);
  }
}

/* eps of S. */
static inline real floor_of(const vi_lanes *s)
{
  const int n = count_rows(s);
  real most = real_of(0);
  for (int k = 0; k < n; k++) {
    const mask counts =
        k < 3 * s->head->nactive ? row_counts(s, s->head->active[k / 3], k % 3) : mask_of(-1);
    most = choose(counts, larger(s->S[k * (n + 1)], most), most);
  }
  return real_of(CARDAN__FOOT_EPS) * most;
}

/* alpha of (C4) in a round, 0 of the first and the last. */
static inline double near_of(int round)
{
  const int level = (round - VI_PLAIN_CONES) / 2;
  double alpha = round < VI_PLAIN_CONES || level >= VI_NEAR_CONES ? 0 : 1;
  for (int k = 0; k < level; k++) {
    alpha *= CARDAN__FOOT_NEARER;
  }
  return alpha;
}

/* Newton's direction of (C2) with (C4) at r and u, to s->rhs. returns lanes without a pivot */
static inline mask direct_cones(const vi_lanes *s, bool step, mask on, double alpha, real eps,
                                const real *r, const real *u, const real *centre)
{
  const int n = count_rows(s);
  const real a = real_of(alpha);
  vi_law law[CARDAN__LANES_FEET];
  for (int i = 0; i < s->head->nactive; i++) {
    real more[3], ways[3];
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      const real weight = a * s->S[k * (n + 1)];
      more[k - 3 * i] = weight + eps;
      ways[k - 3 * i] = madd(weight, r[k] - centre[k], u[k]);
    }
    law[i] = law_of(s, s->head->active[i], step, r + 3 * i, ways);
    put_law(s, i, &law[i], more, r + 3 * i, ways);
  }
  put_loops(s, eps, u);
  const mask bad = factor_laws(s, on, law);
  solve_laws(s);
  return bad;
}

/* (N) with S and b from r and u = S r + b, in the lanes of a mask, until its error is within tol.
 * *left: out, lanes in which it is not. returns lanes without a pivot */
CARDAN__WHOLE mask solve_cones(const vi_lanes *s, bool step, mask on, real tol, const real *b,
                               real *r, real *u, mask *left)
{
  const int n = count_rows(s);
  const real eps = floor_of(s);
  real start[VI_MOST_ROWS], centre[VI_MOST_ROWS];
  mask bad = mask_of(0);
  memcpy(start, r, (size_t)n * sizeof *r);
  for (int round = 0;; round++) {
    *left = on & ~bad & ~is_most(cone_error(s, step, r, u), tol);
    if (!any(*left) || round == VI_MOST_CONES) {
      return bad;
    }
    for (int k = 0; k < n && round == VI_PLAIN_CONES; k++) {
      r[k] = choose(*left, start[k], r[k]);
    }
    if (round == VI_PLAIN_CONES) {
      find_ways(s, *left, b, r, u);
    }
    if (round % 2 == 0) {
      memcpy(centre, r, (size_t)n * sizeof *r);
    }
    const mask lost = direct_cones(s, step, *left, near_of(round), eps, r, u, centre);
    bad |= round < VI_PLAIN_CONES ? mask_of(0) : lost;
    for (int k = 0; k < n; k++) {
      r[k] = choose(*left, r[k] - s->rhs[k], r[k]);
    }
    find_ways(s, *left, b, r, u);
  }
}

/* ---- directions and nodes ---- */

/* y = M^-1 (G^T r + z). */
static inline void solve_pulled(const vi_lanes *s, const real *r, const real *z, real *y)
{
  pull_feet(s, r, y);
  for (int k = 0; k < s->model->nv; k++) {
    y[k] = y[k] + z[k];
  }
  solve_mass(s, y);
}

/* (C1) in the lanes of a mask: the direction for y = -f to y, lambda moves on. z is overwritten */
static void direct_feet(vi_lanes *s, mask on, real *y, real *z)
{
  const int n = count_rows(s);
  real *u = s->rest, *r = s->sigma, *b = s->b;
  mask unsolved;
  memcpy(z, y, (size_t)s->model->nv * sizeof *y);
  solve_mass(s, y);
  memcpy(u, s->phi, (size_t)n * sizeof *u);
  add_rates(s, y, u);
  read_impulses(s, r);
  for (int i = 0; i < n; i++) {
    b[i] = u[i];
    for (int k = 0; k < n; k++) {
      b[i] = nmadd(s->S[i * n + k], r[k], b[i]);
    }
  }
  const mask stand = on & s->standing;
  const real error = cone_error(s, true, r, u);
  const real tol = larger(real_of(CARDAN__FOOT_GAIN) * error,
                          real_of(0.1 * CARDAN__FOOT_TOL * (1 + s->model->length)));
  s->near |= solve_cones(s, true, stand, tol, b, r, u, &unsolved);
  for (int i = 0; i < n; i++) {
    real *lambda = i < 3 * s->head->nactive ? &s->foot[s->head->active[i / 3]].lambda[i % 3]
                                            : &s->row[i - 3 * s->head->nactive].lambda;
    const real now = r[i];
    r[i] = choose(stand, now - *lambda, real_of(0));
    *lambda = choose(stand, now, *lambda);
  }
  solve_pulled(s, r, z, y);
}

/* h v of a node from its momentum, y, to y, with r^+ (times h) to s->sigma. z is overwritten.
 * returns lanes without a solution */
static mask settle_feet(vi_lanes *s, real *y, real *z)
{
  const int n = count_rows(s);
  real *u = s->rest, *r = s->sigma, *b = s->b, most = real_of(DBL_MIN);
  mask unsolved;
  memcpy(z, y, (size_t)s->model->nv * sizeof *y);
  solve_mass(s, y);
  for (int k = 0; k < n; k++) {
    b[k] = real_of(0);
  }
  add_rates(s, y, b);
  for (int k = 0; k < n; k++) {
    most = larger(magnitude(b[k]), most);
  }
  read_impulses(s, r);
  for (int k = 0; k < n; k++) {
    const mask foot =
        k < 3 * s->head->nactive ? row_counts(s, s->head->active[k / 3], k % 3) : mask_of(0);
    r[k] = choose(foot, r[k], real_of(0));
  }
  find_ways(s, mask_of(-1), b, r, u);
  const mask bad =
      solve_cones(s, false, s->standing, real_of(CARDAN__NODE_TOL) * most, b, r, u, &unsolved);
  solve_pulled(s, r, z, y);
  return bad | unsolved;
}

/* ---- the end of a step ---- */

/* Closed feet that a lane does not hold with impulses r and ways u (3 of each): what is redundant
 * has to stick, and static friction above that of sliding. */
static inline mask lets_go(const vi_lanes *s, int j, bool step, const real *r, const real *u)
{
  const cardan__lanes_foot *is = &s->model->foot[j];
  const real grip = real_of(CARDAN__FOOT_SHARE * is->mu) * r[0];
  const mask held = is_most(real_of(0), r[0]) & is_most(madd(r[1], r[1], r[2] * r[2]), grip * grip);
  const vi_law law = law_of(s, j, step, r, u);
  return s->foot[j].closed & ((*s->redundant & ~held) | (is->holds ? law.slides : mask_of(0)));
}

/* [J] What friction took over the first half of the step, as friction_took of run/contact_end.c. */
static inline real took_before(const vi_lanes *s, const vi_foot *f, const real *phi)
{
  const real inv_h = real_of(0.5 / s->e), none = real_of(0);
  const real at_node = -inv_h * madd(f->lambda[1], f->rate[0], f->lambda[2] * f->rate[1]);
  const real mean = -(inv_h * inv_h) * madd(f->lambda[1], phi[1], f->lambda[2] * phi[2]);
  return choose(f->closed, choose(is_most(none, at_node), at_node, mean), none);
}

/* Before a step is accepted: lanes that are to fall back. Stores how far gaps have changed. */
CARDAN__WHOLE mask check_step_feet(const vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  const real none = real_of(0);
  mask near = mask_of(0);
  for (int j = 0; j < place_count(m); j++) {
    const cardan__lanes_foot *is = &m->foot[j];
    vi_foot *f = &s->foot[j];
    const screw *Q = &s->body[is->body].Q;
    const real d = dot3(f->n, swing_way(Q->r.w, Q->r.v, Q->d.w, Q->d.v, real3_of(is->c)));
    const real least = smaller(f->gap, f->gap + d);
    const real need = magnitude(d) + (magnitude(d - f->way) + real_of(CARDAN__FOOT_NEAR));
    const mask rises = is_less(none, d) & is_most(none, f->way) & is_less(none, f->gap);
    near |= ~(is_less(need, least) | rises) & ~f->closed;
    f->way = d;
  }
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    near |= lets_go(s, j, true, s->foot[j].lambda, &s->phi[3 * i]);
    *s->done = *s->done - took_before(s, &s->foot[j], &s->phi[3 * i]);
  }
  return near;
}

/* At the node that a step led to: what has opened. */
static void part_feet(vi_lanes *s)
{
  for (int j = 0; j < s->model->nfoot; j++) {
    vi_foot *f = &s->foot[j];
    f->closed &= is_most(f->gap, real_of(CARDAN__FOOT_CLOSED));
    for (int k = 0; k < 3; k++) {
      f->lambda[k] = choose(f->closed, f->lambda[k], real_of(0));
    }
  }
  list_feet(s);
}

/* Trace of S over the tangents of every active foot as if dry friction held no joint, to s->rhs:
 * what the scalar code has. S and pivots are spoilt where it does. */
static void free_traces(const vi_lanes *s)
{
  mask held = mask_of(0);
  for (int j = 0; j < s->model->ndry; j++) {
    held |= s->box[j].held & s->standing;
  }
  if (any(held)) {
    for (int j = 0; j < s->model->ndry; j++) {
      s->box[j].kept = s->box[j].held;
      s->box[j].held = mask_of(0);
    }
    factor_mass(s);
    make_products(s);
    s->head->factored = VI_NO_PIVOTS;
    for (int j = 0; j < s->model->ndry; j++) {
      s->box[j].held = s->box[j].kept;
    }
  }
  for (int i = 0; i < s->head->nactive; i++) {
    s->rhs[i] = trace_of(s, i);
  }
}

/* Lanes in which rows of loops nearly depend on one another at the node, by a factorisation of
 * their block of S in s->L: a singular position. */
static mask find_singular(const vi_lanes *s)
{
  const int n = count_rows(s), feet = 3 * s->head->nactive, m = s->model->nrow;
  mask lost = mask_of(0);
  for (int k = 0; k < m; k++) {
    for (int i = k; i < m; i++) {
      real x = s->S[(feet + i) * n + feet + k];
      for (int c = 0; c < k; c++) {
        x = nmadd(s->L[i * m + c], s->L[k * m + c], x);
      }
      const real own = s->S[(feet + k) * (n + 1)];
      lost |= i == k ? ~is_less(real_of(CARDAN__FOOT_REDUNDANT) * own, x) : mask_of(0);
      s->L[i * m + k] = i == k ? real_of(1) / root(x) : x * s->L[k * m + k];
    }
  }
  return lost;
}

/* r^+ of a node, h times it in s->sigma and its ways in s->rest, becomes momentum; what the next
 * step has of the node. returns lanes that are to fall back */
static mask join_feet(const vi_lanes *s)
{
  const real inv_h = real_of(0.5 / s->e), none = real_of(0);
  mask near = find_singular(s), fast = mask_of(0);
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    const cardan__lanes_foot *is = &s->model->foot[j];
    const real *r = &s->sigma[3 * i], *u = &s->rest[3 * i];
    vi_foot *f = &s->foot[j];
    real6 *N = &s->body[is->body].N;
    const real work = inv_h * inv_h * madd(r[1], u[1], r[2] * u[2]);
    *N = add6(*N, foot_wrench(f, r));
    *s->done = *s->done + choose(f->closed, work, none);
    near |= lets_go(s, j, false, r, u);
    near |=
        is->bounces ? f->closed & is_less(real_of(CARDAN__FOOT_SLIDES), inv_h * u[0]) : mask_of(0);
    scale_foot(s, i, f->rho);
  }
  free_traces(s);
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    const real6 V = s->pass.link[s->model->foot[j].body].A;
    real *past = s->past + 2 * j;
    past[0] = choose(s->foot[j].closed, inv_h * s->foot[j].lambda[0], none);
    past[1] = choose(s->foot[j].closed, s->rhs[i], none);
    turn_to_sliding(s, j, (real6){scale3(inv_h, V.w), scale3(inv_h, V.v)});
    fast |= s->foot[j].fast & ~*s->left;
  }
  if (any(fast)) { // S is that of other tangents
    s->head->factored = VI_NO_PIVOTS;
  }
  return near;
}

/* At the start of a step: impulses go with the square of its length. */
static void start_impulses(const vi_lanes *s, double e_next)
{
  const double ratio = e_next / s->head->e;
  for (int j = 0; j < s->model->nrow && ratio != 1; j++) {
    s->row[j].lambda = real_of(ratio * ratio) * s->row[j].lambda;
  }
  for (int i = 0; i < s->head->nactive && ratio != 1; i++) {
    for (int k = 0; k < 3; k++) {
      real *lambda = &s->foot[s->head->active[i]].lambda[k];
      *lambda = real_of(ratio * ratio) * *lambda;
    }
  }
}
