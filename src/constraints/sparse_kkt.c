// SPDX-License-Identifier: Apache-2.0
#include "constraints/sparse_kkt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "constraints/rows.h"
#include "constraints/sparse_kkt_build.h"
#include "kinematics/joint.h"
#include "model/data.h"

/* The equations of motion over bodies in place of coordinates.
 *
 * A group is a body with mass and the massless links before it, back to the next body with mass (or
 * the world), its parent p. Unknown is the twist V of every group's body, d numbers: 6, or 3 where
 * joints keep all bodies in a plane (in the basis B of motions in that plane). With X the transform
 * of the chain of links, S (d x n) its axes in the body's frame and the joint's own motion
 * V - X V_p = S x,
 *   [C^T; P] = E    C^T S = 0,  C^T C = 1,  P S = 1         from S = Q R, P = R^-1 Q^T      (E1)
 *   C^T (V - X V_p) = 0      d - n rows hold the joint                                       (E2)
 *   x = P (V - X V_p)        its velocities; a force f on them is the wrench P^T f          (E3)
 * A constraint row, wrenches w on links and factors c of velocities, becomes one on twists by (E3);
 * a wrench on a massless link is one on its parent and a force on its own velocity. Joints and
 * constraints are then alike: edges with rows J over the bodies that they touch, and
 *   I V = F + J^T mu,   J V + delta mu = g                                                   (E4)
 * I is block diagonal: with I = L L^T, U = L^T V, W = J L^-T,
 *   (W W^T + delta) mu = g - W L^-1 F,   U = L^-1 F + W^T mu                                 (E5)
 * A body with many edges, all of which would meet, is cut into pieces of equal inertia with ties
 * between them, V - V' = 0, edges like the others.
 * W W^T is positive definite where rows are independent, joints of a tree always, or delta > 0. It
 * has a block for every two edges that share a body, and is factored in the order of
 * linalg/blocks.h. No pivoting is needed, which a factorisation of (W1) itself would ask for.
 *
 * (E3) gives x as a difference of twists, so with the rounding of these, and delta is not 0:
 * refinement solves for what remains of (W1), computed by the tree's recursions,
 *   r = b - K z,   z += K_delta^-1 r      until corrections no longer fall                   (E6)
 * A step gains delta / (delta + sigma), sigma the least eigenvalue of G M^-1 G^T. From z = 0 lambda
 * stays in the range of G M^-1 G^T as long as g is in that of G: it is the shortest one. */

enum { REFINE = 8 };

/* What remains of a row at least, squared, of what it was: less than this is rounding, and the row
 * one that others give. */
static const double least_left_of_row = 1e-13;

/* delta of sparse_kkt.h, where there are redundant rows; near a singular position it must be far
 * below what remains of rows that count, or refinement (E6) gains nothing. */
static const double delta_redundant = 1e-9, least_delta = 1e-13;
static const double near = 1e-4, part_of_least = 1e-4;

/* A row depends on those before it when they leave of it no more than some delta, or than as near
 * as a position may come to a singular one: 1e-6 in the sine of the angle between rows. */
static const double few_deltas = 30, nearly_none = 1e-12;

/* ---- numbers of a body ---- */

/* A wrench as a functional on V: its powers over the basis. */
static void reduce(const cardan__sparse_kkt *kkt, const cardan__sparse_kkt_group *g, cardan_force F,
                   double *out)
{
  if (kkt->d == 6) {
    const double all[6] = {F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z};
    memcpy(out, all, sizeof all);
  } else {
    out[0] = cardan__vec3_dot(g->normal, F.t);
    out[1] = cardan__vec3_dot(g->e1, F.f);
    out[2] = cardan__vec3_dot(g->e2, F.f);
  }
}

/* The wrench that is the functional c. */
static cardan_force wrench(const cardan__sparse_kkt *kkt, const cardan__sparse_kkt_group *g,
                           const double *c)
{
  if (kkt->d == 6) {
    return (cardan_force){{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
  return (cardan_force){.t = cardan__vec3_scale(c[0], g->normal),
                        .f = cardan__vec3_axpy(c[1], g->e1, cardan__vec3_scale(c[2], g->e2))};
}

/* ---- a group's joint ---- */

/* S in the body's frame, by columns of d numbers, and X. */
static void chain_axes(const cardan__sparse_kkt *kkt, const cardan_data *data,
                       cardan__sparse_kkt_group *g, double S[6][6])
{
  const cardan_model *model = kkt->model;
  int k = g->n;
  cardan_xform T = cardan__xform_identity(); // of the body, seen from the link
  for (int i = g->nlink - 1; i >= 0; i--) {
    const int link = kkt->link[g->link + i];
    const cardan_body *b = &model->body[link];
    if (!cardan__sparse_kkt_locked(kkt, b)) {
      k -= b->nv;
      for (int j = 0; j < b->nv; j++) {
        const cardan_twist axis = cardan__joint_axis_at(b, data->q + b->qadr, j);
        const cardan_twist A = cardan__twist_to_child(&T, axis);
        // motions and wrenches have the same components over an orthonormal basis
        reduce(kkt, g, (cardan_force){A.w, A.v}, S[k + j]);
      }
    }
    T = cardan__xform_mul(&data->X[link], &T);
  }
  g->X = T;
}

/* (E1) by Householder's reflections: E (d x d row-major, out), C^T first. False when the columns of
 * S are not independent. */
static bool split(int d, int n, double S[6][6], double *E)
{
  double Q[6][6] = {{0}}, largest = 0, least = HUGE_VAL;
  for (int i = 0; i < d; i++) {
    Q[i][i] = 1; // rows of Q^T
  }
  for (int k = 0; k < n; k++) {
    double u[6] = {0}, square = 0;
    for (int i = k; i < d; i++) {
      u[i] = S[k][i];
      square += u[i] * u[i];
    }
    const double size = copysign(sqrt(square), u[k]);
    largest = fmax(largest, fabs(size));
    least = fmin(least, fabs(size));
    u[k] += size;
    const double uu = 2 * size * u[k];
    for (int c = 0; c < d && uu > 0; c++) { // reflect the columns of Q^T
      double dot = 0;
      for (int i = k; i < d; i++) {
        dot += u[i] * Q[i][c];
      }
      for (int i = k; i < d; i++) {
        Q[i][c] -= 2 * dot / uu * u[i];
      }
    }
    for (int c = k; c < n && uu > 0; c++) {
      double dot = 0;
      for (int i = k; i < d; i++) {
        dot += u[i] * S[c][i];
      }
      for (int i = k; i < d; i++) {
        S[c][i] -= 2 * dot / uu * u[i];
      }
    }
  }
  for (int i = n; i < d; i++) {
    memcpy(E + (i - n) * d, Q[i], (size_t)d * sizeof *E);
  }
  double *P = E + (d - n) * d;
  for (int k = n - 1; k >= 0; k--) { // R P = Q^T, rows of P from the last on
    for (int c = 0; c < d; c++) {
      double x = Q[k][c];
      for (int j = k + 1; j < n; j++) {
        x -= S[j][k] * P[j * d + c];
      }
      P[k * d + c] = x / S[k][k];
    }
  }
  return n == 0 || least > 1e3 * DBL_EPSILON * largest;
}

/* E and E X, of which the second is over the parent's numbers. */
static bool place_group(const cardan__sparse_kkt *kkt, const cardan_data *data,
                        cardan__sparse_kkt_group *g)
{
  const int d = kkt->d;
  bool ok = true;
  if (g->constant) {
    g->X = data->X[g->body];
  } else {
    double S[6][6] = {{0}};
    chain_axes(kkt, data, g, S);
    ok = split(d, g->n, S, g->E);
  }
  if (g->parent >= 0) {
    const cardan__sparse_kkt_group *p = &kkt->group[g->parent];
    for (int i = 0; i < d; i++) {
      const cardan_force up = cardan__force_to_parent(&g->X, wrench(kkt, g, g->E + i * d));
      reduce(kkt, p, up, g->EX + i * d);
    }
  }
  return ok;
}

bool cardan__sparse_kkt_constant_group(const cardan__sparse_kkt *kkt, cardan__sparse_kkt_group *g)
{
  const cardan_body *b = &kkt->model->body[g->body];
  double S[6][6] = {{0}};
  for (int j = 0; j < g->n; j++) {
    const cardan_twist A = cardan__joint_axis(b, j);
    reduce(kkt, g, (cardan_force){A.w, A.v}, S[j]);
  }
  return split(kkt->d, g->n, S, g->E);
}

/* ---- edges ---- */

/* W (r x d) = scale J L^-T of r rows of d numbers. */
static void whiten(int d, int r, double scale, const double *J, const double *T, double *W)
{
  for (int i = 0; i < r; i++) {
    for (int c = 0; c < d; c++) {
      double x = 0;
      for (int k = 0; k <= c; k++) { // L^-T is an upper triangle
        x += J[i * d + k] * T[k * d + c];
      }
      W[i * d + c] = scale * x;
    }
  }
}

/* (E2) of a group's joint. */
static void place_joint(const cardan__sparse_kkt *kkt, const cardan__sparse_kkt_edge *e)
{
  const cardan__sparse_kkt_group *g = &kkt->group[e->group];
  const int d = kkt->d;
  const cardan__sparse_kkt_touch *t = &kkt->touch[e->touch];
  whiten(d, e->n, 1, g->E, g->T, kkt->W + t[0].W);
  if (e->ntouch > 1) {
    whiten(d, e->n, -1, g->EX, kkt->group[g->parent].T, kkt->W + t[1].W);
  }
}

/* Place of a group among those that an edge touches. */
static int touch_of(const cardan__sparse_kkt *kkt, const cardan__sparse_kkt_edge *e, int group)
{
  int i = 0;
  while (kkt->touch[e->touch + i].group != group) {
    i++;
  }
  return i;
}

/* J of a row += scale times the functional c on a group's V. */
static void add_functional(cardan__sparse_kkt *kkt, const cardan__sparse_kkt_edge *e, int row,
                           int group, double scale, const double *c)
{
  double *J = kkt->J + ((size_t)touch_of(kkt, e, group) * 6 + (size_t)row) * (size_t)kkt->d;
  for (int k = 0; k < kkt->d; k++) {
    J[k] += scale * c[k];
  }
}

/* A factor of velocity number k of the group that a dynamic link is in, by (E3). */
static void add_velocity(cardan__sparse_kkt *kkt, const cardan__sparse_kkt_edge *e, int row,
                         int group, int k, double factor)
{
  const cardan__sparse_kkt_group *g = &kkt->group[group];
  const int at = (kkt->d - g->n + k) * kkt->d;
  add_functional(kkt, e, row, group, factor, g->E + at);
  if (g->parent >= 0) {
    add_functional(kkt, e, row, g->parent, -factor, g->EX + at);
  }
}

/* A wrench on a link: on its body, or by way of the massless links above it. */
static void add_wrench(cardan__sparse_kkt *kkt, const cardan_data *data,
                       const cardan__sparse_kkt_edge *e, int row, int link, cardan_force F)
{
  const cardan_model *model = kkt->model;
  while (link > 0 && kkt->body_group[link] < 0) {
    const cardan_body *b = &model->body[link];
    if (!cardan__sparse_kkt_locked(kkt, b)) {
      double tau[6] = {0};
      cardan__joint_project_at(b, data->q + b->qadr, F, tau);
      for (int k = 0; k < b->nv; k++) {
        add_velocity(kkt, e, row, kkt->dof_group[b->vadr + k], kkt->dof_place[b->vadr + k], tau[k]);
      }
    }
    F = cardan__force_to_parent(&data->X[link], F);
    link = b->parent;
  }
  if (link > 0) {
    double c[6] = {0};
    const int group = kkt->body_group[link];
    reduce(kkt, &kkt->group[group], F, c);
    add_functional(kkt, e, row, group, 1, c);
  }
}

/* Square of what remains of a row in the plane, over what it is: rounding for a row that holds only
 * what the plane holds already. */
static bool is_row_dependent(const cardan__sparse_kkt *kkt, const cardan__sparse_kkt_edge *e,
                             int row, double whole)
{
  double square = 0;
  for (int i = 0; i < e->ntouch; i++) {
    const double *J = kkt->J + ((size_t)i * 6 + (size_t)row) * (size_t)kkt->d;
    for (int k = 0; k < kkt->d; k++) {
      square += J[k] * J[k];
    }
  }
  return !(square > 1e-18 * whole);
}

/* The rows of a constraint. */
static void place_constraint(cardan__sparse_kkt *kkt, const cardan_data *data,
                             const cardan__sparse_kkt_edge *e)
{
  const cardan_model *model = kkt->model;
  const int d = kkt->d;
  memset(kkt->J, 0, (size_t)e->ntouch * 6 * (size_t)d * sizeof *kkt->J);
  for (int i = 0; i < e->n; i++) {
    const cardan_row *row = &model->row[e->row + i];
    double whole = 0;
    for (int k = row->badr; k < row->badr + row->nb; k++) {
      const cardan_force F = data->rows.w[k];
      whole += cardan__vec3_dot(F.t, F.t) + cardan__vec3_dot(F.f, F.f);
      add_wrench(kkt, data, e, i, model->row_body[k], F);
    }
    for (int k = row->dadr; k < row->dadr + row->nd; k++) {
      const int dof = model->row_dof[k];
      whole += data->rows.c[k] * data->rows.c[k];
      if (kkt->dof_group[dof] >= 0) {
        add_velocity(kkt, e, i, kkt->dof_group[dof], kkt->dof_place[dof], data->rows.c[k]);
      }
    }
    if (is_row_dependent(kkt, e, i, whole)) {
      kkt->nothing++;
      for (int k = 0; k < e->ntouch; k++) {
        memset(kkt->J + ((size_t)k * 6 + (size_t)i) * (size_t)d, 0, (size_t)d * sizeof *kkt->J);
      }
    }
  }
  for (int k = 0; k < e->ntouch; k++) {
    const cardan__sparse_kkt_touch *t = &kkt->touch[e->touch + k];
    whiten(d, e->n, 1, kkt->J + (size_t)k * 6 * (size_t)d, kkt->group[t->group].T, kkt->W + t->W);
  }
}

/* ---- factor ---- */

/* W W^T, one product for every two edges of a body. */
static void multiply(cardan__sparse_kkt *kkt)
{
  double *A = cardan__blocks_values(kkt->blocks);
  const size_t d = (size_t)kkt->d;
  for (size_t i = 0; i < kkt->npair; i++) {
    const cardan__sparse_kkt_pair *p = &kkt->pair[i];
    const double *X = kkt->W + p->late;
    double *to = A + p->place;
    for (int r = 0; r < p->nlate; r++, X += d, to += p->stride) {
      const double *Y = kkt->W + p->early;
      for (int c = 0; c < p->nearly; c++, Y += d) {
        double x = X[0] * Y[0] + X[1] * Y[1] + X[2] * Y[2];
        if (d == 6) {
          x += X[3] * Y[3] + X[4] * Y[4] + X[5] * Y[5];
        }
        to[c] += x;
      }
    }
  }
}

static cardan_status locked_joint(const cardan__sparse_kkt *kkt, cardan_data *data,
                                  const cardan__sparse_kkt_group *g)
{
  const int joint = kkt->model->body[g->body].joint;
  data->info.body = g->body;
  data->info.joint = joint;
  snprintf(data->info.message, sizeof data->info.message,
           "axes of joint \"%.60s\" have come into line: one of its velocities does nothing",
           kkt->model->joint[joint].name);
  return CARDAN_ERR_NOT_POSDEF;
}

/* The factors of W W^T + delta. */
static void assemble(cardan__sparse_kkt *kkt, double delta)
{
  double *A = cardan__blocks_values(kkt->blocks);
  kkt->delta = delta;
  cardan__blocks_clear(kkt->blocks);
  multiply(kkt);
  for (int i = kkt->njoint; i < kkt->nhold && delta > 0; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    for (int k = 0; k < e->n; k++) {
      A[e->diagonal + k * (e->stride + 1)] *= 1 + delta;
    }
  }
  cardan__blocks_factor(kkt->blocks, least_left_of_row);
}

/* Tolerance below which a row counts as dependent. */
static double dependence_tolerance(const cardan__sparse_kkt *kkt)
{
  return fmax(nearly_none, few_deltas * kkt->delta);
}

/* Smallest remaining part of an independent row. */
static double independence_threshold(const cardan__sparse_kkt *kkt)
{
  const double *left = cardan__blocks_left(kkt->blocks), limit = dependence_tolerance(kkt);
  const cardan__sparse_kkt_edge *last = kkt->nedge > 0 ? &kkt->edge[kkt->nedge - 1] : NULL;
  double least = 1;
  for (int i = 0; last != NULL && i < last->mu + last->n; i++) {
    least = left[i] > limit && left[i] < least ? left[i] : least;
  }
  return least;
}

cardan_status cardan__sparse_kkt_factor(cardan__sparse_kkt *kkt, cardan_data *data)
{
  const cardan_model *model = kkt->model;
  kkt->nothing = model->nrow - kkt->nrow;
  for (int i = 0; i < kkt->ngroup; i++) {
    if (!place_group(kkt, data, &kkt->group[i])) {
      return locked_joint(kkt, data, &kkt->group[i]);
    }
  }
  for (int i = 0; i < kkt->nhold; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    if (e->row < 0) {
      place_joint(kkt, e);
    } else {
      place_constraint(kkt, data, e);
    }
  }
  // redundant for no other reason than the plane: the rest are independent
  assemble(kkt, model->rank < model->nrow - kkt->nothing ? delta_redundant : 0);
  if (kkt->delta > 0 && (independence_threshold(kkt) < near ||
                         cardan__sparse_kkt_rank(kkt, dependence_tolerance(kkt)) < model->rank)) {
    assemble(kkt, 0);
    assemble(kkt, fmax(least_delta, part_of_least * independence_threshold(kkt)));
  }
  return CARDAN_OK;
}

/* ---- solve ---- */

/* U = L^-1 F of the forces f on velocities, (E3). */
static void load(cardan__sparse_kkt *kkt, const double *f)
{
  const int d = kkt->d;
  memset(kkt->F, 0, (size_t)kkt->npiece * (size_t)d * sizeof *kkt->F);
  for (int i = 0; i < kkt->ngroup; i++) {
    const cardan__sparse_kkt_group *g = &kkt->group[i];
    double *F = kkt->F + i * d, *Fp = kkt->F + g->parent * d;
    for (int k = 0; k < g->n; k++) {
      const double *P = g->E + (d - g->n + k) * d, *PX = g->EX + (d - g->n + k) * d;
      const double fk = f[g->dof[k]];
      for (int c = 0; c < d; c++) {
        F[c] += fk * P[c];
      }
      for (int c = 0; c < d && g->parent >= 0; c++) {
        Fp[c] -= fk * PX[c];
      }
    }
  }
  for (int i = 0; i < kkt->ngroup; i++) {
    const double *T = kkt->group[i].T;
    double *F = kkt->F + i * d;
    for (int c = d - 1; c >= 0; c--) { // T^T F in place: from the last on
      double x = 0;
      for (int k = 0; k <= c; k++) {
        x += T[k * d + c] * F[k];
      }
      F[c] = x;
    }
  }
}

/* mu: the right-hand side of (E5) to start with. */
static void multipliers(cardan__sparse_kkt *kkt, bool loaded, const double *g)
{
  const int d = kkt->d;
  for (int i = 0; i < kkt->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    double *mu = kkt->mu + e->mu;
    for (int k = 0; k < e->n; k++) {
      mu[k] = e->row >= 0 && g != NULL ? g[e->row + k] : 0;
    }
    for (int t = e->touch; t < e->touch + e->ntouch && loaded; t++) {
      const double *W = kkt->W + kkt->touch[t].W, *U = kkt->F + kkt->touch[t].piece * d;
      for (int k = 0; k < e->n; k++, W += d) {
        for (int c = 0; c < d; c++) {
          mu[k] -= W[c] * U[c];
        }
      }
    }
  }
  cardan__blocks_solve(kkt->blocks, kkt->mu);
}

/* V from U + W^T mu. */
static void twists(cardan__sparse_kkt *kkt)
{
  const int d = kkt->d;
  for (int i = 0; i < kkt->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    const double *mu = kkt->mu + e->mu;
    for (int t = e->touch; t < e->touch + e->ntouch; t++) {
      const double *W = kkt->W + kkt->touch[t].W;
      double *U = kkt->F + kkt->touch[t].piece * d;
      for (int k = 0; k < e->n; k++, W += d) {
        for (int c = 0; c < d; c++) {
          U[c] += W[c] * mu[k];
        }
      }
    }
  }
  for (int i = 0; i < kkt->ngroup; i++) {
    const double *T = kkt->group[i].T;
    double *V = kkt->F + i * d;
    for (int k = 0; k < d; k++) { // L^-T U in place: from the first on
      double x = 0;
      for (int c = k; c < d; c++) {
        x += T[k * d + c] * V[c];
      }
      V[k] = x;
    }
  }
}

/* x of (E3). */
static void velocities(const cardan__sparse_kkt *kkt, double *x)
{
  const int d = kkt->d;
  memset(x, 0, (size_t)kkt->model->nv * sizeof *x);
  for (int i = 0; i < kkt->ngroup; i++) {
    const cardan__sparse_kkt_group *g = &kkt->group[i];
    const double *V = kkt->F + i * d, *Vp = kkt->F + g->parent * d;
    for (int k = 0; k < g->n; k++) {
      const double *P = g->E + (d - g->n + k) * d, *PX = g->EX + (d - g->n + k) * d;
      double sum = 0;
      for (int c = 0; c < d; c++) {
        sum += P[c] * V[c];
      }
      for (int c = 0; c < d && g->parent >= 0; c++) {
        sum -= PX[c] * Vp[c];
      }
      x[g->dof[k]] = sum;
    }
  }
}

void cardan__sparse_kkt_solve(cardan__sparse_kkt *kkt, const double *f, const double *g, double *x,
                              double *lambda)
{
  if (f != NULL) {
    load(kkt, f);
  } else {
    memset(kkt->F, 0, (size_t)kkt->npiece * (size_t)kkt->d * sizeof *kkt->F);
  }
  multipliers(kkt, f != NULL, g);
  twists(kkt);
  velocities(kkt, x);
  memset(lambda, 0, (size_t)kkt->model->nrow * sizeof *lambda);
  for (int i = kkt->njoint; i < kkt->nhold; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    memcpy(lambda + e->row, kkt->mu + e->mu, (size_t)e->n * sizeof *lambda);
  }
}

/* ---- refinement ---- */

/* (E6): rf, rg = (f, g) - K (x, lambda); entries of prescribed coordinates do not matter. */
static void residual(cardan__sparse_kkt *kkt, cardan_data *data, const double *f, const double *g,
                     const double *x, const double *lambda)
{
  const cardan_model *model = kkt->model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan__tree_twists(model, data, x, false, data->A);
  cardan__rows_apply(&set, &data->rows, data->A, x, kkt->rg);
  memset(kkt->rf, 0, (size_t)model->nv * sizeof *kkt->rf);
  for (int i = 0; i < model->nbody; i++) {
    const cardan_force F = cardan__inertia_mul(&model->body[i].inertia, data->A[i]);
    kkt->wrench[i] = cardan__force_neg(F);
  }
  cardan__rows_transpose(&set, &data->rows, lambda, kkt->wrench, kkt->rf);
  cardan__tree_pull(model, data, kkt->wrench, kkt->rf);
  for (int k = 0; k < model->nv && f != NULL; k++) {
    kkt->rf[k] += f[k];
  }
  for (int r = 0; r < model->nrow; r++) {
    kkt->rg[r] = (g != NULL ? g[r] : 0) - kkt->rg[r];
  }
}

static double add_to(int n, const double *dx, double *x)
{
  double square = 0;
  for (int i = 0; i < n; i++) {
    square += dx[i] * dx[i];
    x[i] += dx[i];
  }
  return square;
}

double cardan__sparse_kkt_refine(cardan__sparse_kkt *kkt, cardan_data *data, const double *f,
                                 const double *g, double *x, double *lambda)
{
  const int nv = kkt->model->nv, nrow = kkt->model->nrow;
  double size = 0;
  cardan__sparse_kkt_solve(kkt, f, g, x, lambda);
  for (int k = 0; k < nv; k++) {
    size += x[k] * x[k];
  }
  double last = size;
  for (int i = 0; i < REFINE && last > 0; i++) {
    residual(kkt, data, f, g, x, lambda);
    cardan__sparse_kkt_solve(kkt, kkt->rf, kkt->rg, kkt->rf, kkt->rg);
    const double now = add_to(nv, kkt->rf, x), before = last;
    add_to(nrow, kkt->rg, lambda);
    last = now;
    // the next one gains as much again: is that rounding? All are squares here
    if (!(now < 0.25 * before) || now * now <= 1e-30 * size * before) {
      break;
    }
  }
  return size > 0 ? sqrt(last / size) : 0;
}

void cardan__sparse_kkt_correct(cardan__sparse_kkt *kkt, cardan_data *data, double *y, double *x)
{
  memcpy(kkt->g, y, (size_t)kkt->model->nrow * sizeof *y);
  cardan__sparse_kkt_refine(kkt, data, NULL, kkt->g, kkt->x, y);
  add_to(kkt->model->nv, kkt->x, x);
}

/* ---- rank ---- */

/* The constraints' row that counts most in what makes up row k of a joint, and is not taken yet. */
static int find_main_row(const cardan__sparse_kkt *kkt, int joint, int k, const bool *redundant)
{
  double most = 0;
  int found = -1;
  cardan__blocks_make_up(kkt->blocks, joint, k, kkt->mu);
  for (int i = kkt->njoint; i < kkt->nhold; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    for (int j = 0; j < e->n; j++) {
      if (fabs(kkt->mu[e->mu + j]) > most && !(redundant != NULL && redundant[e->row + j])) {
        most = fabs(kkt->mu[e->mu + j]);
        found = e->row + j;
      }
    }
  }
  return found;
}

/* One that counts, of an edge: its own, or what makes up a joint's. */
static int row_of(const cardan__sparse_kkt *kkt, int edge, int k)
{
  const cardan__sparse_kkt_edge *e = &kkt->edge[edge];
  const int made = e->row < 0 ? find_main_row(kkt, edge, k, NULL) : e->row + k;
  return made >= 0 ? made : 0;
}

double cardan__sparse_kkt_residual(const cardan__sparse_kkt *kkt, int *row)
{
  const cardan_model *model = kkt->model;
  const double *left = cardan__blocks_left(kkt->blocks);
  const double limit = dependence_tolerance(kkt);
  double least = 1, lost = 1;
  int dependent = model->nrow - kkt->nrow; // rows on nothing that moves have no edge
  int edge[2] = {0, 0}, place[2] = {0, 0}; // of the least one, and of the least one that counts
  for (int i = 0; i < kkt->nedge; i++) {
    for (int k = 0; k < kkt->edge[i].n; k++) {
      const double l = left[kkt->edge[i].mu + k];
      const bool counts = l > limit;
      dependent += !counts;
      if (l < (counts ? least : lost)) {
        *(counts ? &least : &lost) = l;
        edge[counts] = i;
        place[counts] = k;
      }
    }
  }
  const bool singular = dependent > model->nrow - model->rank;
  *row = singular || least < 0.1 ? row_of(kkt, edge[!singular], place[!singular]) : 0;
  return singular ? 0 : least;
}

int cardan__sparse_kkt_rank(const cardan__sparse_kkt *kkt, double limit)
{
  const double *left = cardan__blocks_left(kkt->blocks);
  int rank = 0; // of the constraints: that of all edges less the joints'
  for (int i = 0; i < kkt->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    for (int k = e->mu; k < e->mu + e->n; k++) {
      rank += (left[k] > limit) - (e->row < 0);
    }
  }
  return rank;
}

void cardan__sparse_kkt_redundant(const cardan__sparse_kkt *kkt, double limit, bool *redundant)
{
  const double *left = cardan__blocks_left(kkt->blocks);
  // rows on nothing that moves have no edge
  memset(redundant, 1, (size_t)kkt->model->nrow * sizeof *redundant);
  for (int i = kkt->njoint; i < kkt->nhold; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    for (int k = 0; k < e->n; k++) {
      redundant[e->row + k] = !(left[e->mu + k] > limit);
    }
  }
  for (int i = 0; i < kkt->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    for (int k = 0; k < e->n && e->row < 0; k++) {
      const int row = left[e->mu + k] > limit ? -1 : find_main_row(kkt, i, k, redundant);
      if (row >= 0) {
        redundant[row] = true;
      }
    }
  }
}
