// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/factor.h"
#include "kinematics/joint.h"
#include "steppers/vi/vi.h"

/* The exact Newton direction of the discrete Euler-Lagrange equations, O(nbody).
 *
 * Variations of the bodies' displacements, trivialised on the right (dT -> exp(zeta) dT), go
 * outward by the transpose of the map that carries impulses inward; only the joint's axis differs
 * between the two:
 *   zeta_i = X_i zeta_l + S'_i dq_i,   X_i = Ad_{T_{l,i}^-1},   S'_i = Ad_{dT_i} S_i           (N1)
 *   dF_i = K_i zeta_i + sum over children of X_c^T dF_c,   S_i^T dF_i - slope_i dq_i = r_i     (N2)
 * So the elimination of the articulated-body algorithm works, on matrices that are not symmetric:
 *   A_i = K_i + sum of X_c^T (A_c - U_c D_c^-1 W_c) X_c                                        (N3)
 *   U_i = A_i S'_i,  W_i = S_i^T A_i,  D_i = S_i^T U_i - slope_i                               (N4)
 * and the solve of J dq = r is
 *   u_i = r_i - S_i^T b_i,   b_l += X_i^T (b_i + U_i D_i^-1 u_i)         leaf to root          (N5)
 *   z = X_i zeta_l,  dq_i = D_i^-1 (u_i - W_i z),  zeta_i = z + S'_i dq_i   root to leaf       (N6)
 * K is exact (kernel.h); slope is h/2 dQ/dq of forces on the joint itself. Kinematic joints are
 * locked. */

/* ---- the matrix in the parent's frame ---- */

/* Rz M Rz^T, c = cos, s = sin; for any M the 2 x 2 block turns as in cardan__abi_rot_z. */
static inline cardan_mat3 rot_z(double c, double s, const cardan_mat3 *M)
{
  const double(*b)[3] = M->m;
  const double e = c * (b[0][0] - b[1][1]) - s * (b[0][1] + b[1][0]);
  return (cardan_mat3){{{b[1][1] + c * e, b[0][1] + s * e, c * b[0][2] - s * b[1][2]},
                        {b[1][0] + s * e, b[0][0] - c * e, s * b[0][2] + c * b[1][2]},
                        {c * b[2][0] - s * b[2][1], s * b[2][0] + c * b[2][1], b[2][2]}}};
}

/* Rx M Rx^T: rot_z with x, y, z renamed to y, z, x. */
static inline cardan_mat3 rot_x(double c, double s, const cardan_mat3 *M)
{
  const double(*b)[3] = M->m;
  const double e = c * (b[1][1] - b[2][2]) - s * (b[1][2] + b[2][1]);
  return (cardan_mat3){{{b[0][0], c * b[0][1] - s * b[0][2], s * b[0][1] + c * b[0][2]},
                        {c * b[1][0] - s * b[2][0], b[2][2] + c * e, b[1][2] + s * e},
                        {s * b[1][0] + c * b[2][0], b[2][1] + s * e, b[1][1] - c * e}}};
}

/* R M R^T of a block by the plane rotations of its joint. */
CARDAN__INLINE cardan_mat3 turn_plane(const cardan_body *b, double c, double s,
                                      const cardan_mat3 *M)
{
  const cardan_mat3 z = rot_z(c, s, M);
  const cardan_mat3 T = rot_x(b->cos_alpha, b->sin_alpha, &z);
  return b->flags & CARDAN_LINK_TURNED ? rot_z(b->cos_phi, b->sin_phi, &T) : T;
}

CARDAN__INLINE cardan_mat3 turn(const cardan_mat3 *R, const cardan_mat3 *M)
{
  const cardan_mat3 RM = cardan__mat3_mul(R, M);
  return cardan__mat3_mult(&RM, R);
}

/* p^ M: columns of M, each crossed with p from the left. */
static inline cardan_mat3 skew_mul(cardan_vec3 p, const cardan_mat3 *M)
{
  const double(*m)[3] = M->m;
  return (cardan_mat3){{{p.y * m[2][0] - p.z * m[1][0], p.y * m[2][1] - p.z * m[1][1],
                         p.y * m[2][2] - p.z * m[1][2]},
                        {p.z * m[0][0] - p.x * m[2][0], p.z * m[0][1] - p.x * m[2][1],
                         p.z * m[0][2] - p.x * m[2][2]},
                        {p.x * m[1][0] - p.y * m[0][0], p.x * m[1][1] - p.y * m[0][1],
                         p.x * m[1][2] - p.y * m[0][2]}}};
}

/* The origin moved by p, after all blocks were turned:
 *   fw' = fw - fv p^,   tv' = tv + p^ fv,   tw' = tw - tv p^ + p^ fw' */
CARDAN__INLINE cardan__mat6 shift(cardan_vec3 p, const cardan__mat6 *A)
{
  const cardan_mat3 fvp = cardan__mat3_mul_skew(&A->fv, p), tvp = cardan__mat3_mul_skew(&A->tv, p);
  const cardan_mat3 fw = cardan__mat3_difference(&A->fw, &fvp);
  const cardan_mat3 pfw = skew_mul(p, &fw), pfv = skew_mul(p, &A->fv);
  const cardan_mat3 tw = cardan__mat3_difference(&A->tw, &tvp);
  return (cardan__mat6){.tw = cardan__mat3_sum(&tw, &pfw),
                        .tv = cardan__mat3_sum(&A->tv, &pfv),
                        .fw = fw,
                        .fv = A->fv};
}

/* X^T A X with X = Ad_T^-1; for a joint of one velocity by plane rotations. */
CARDAN__INLINE cardan__mat6 to_parent_plane(const cardan_body *b, const cardan_data *node, int i,
                                            const cardan__mat6 *A)
{
  const double c = node->cos_sin[2 * i], s = node->cos_sin[2 * i + 1];
  const cardan__mat6 T = {.tw = turn_plane(b, c, s, &A->tw),
                          .tv = turn_plane(b, c, s, &A->tv),
                          .fw = turn_plane(b, c, s, &A->fw),
                          .fv = turn_plane(b, c, s, &A->fv)};
  return shift(node->X[i].p, &T);
}

static cardan__mat6 to_parent(const cardan_xform *X, const cardan__mat6 *A)
{
  const cardan__mat6 T = {.tw = turn(&X->R, &A->tw),
                          .tv = turn(&X->R, &A->tv),
                          .fw = turn(&X->R, &A->fw),
                          .fv = turn(&X->R, &A->fv)};
  return shift(X->p, &T);
}

CARDAN__INLINE cardan__mat6 sum(const cardan__mat6 *A, const cardan__mat6 *B)
{
  return (cardan__mat6){.tw = cardan__mat3_sum(&A->tw, &B->tw),
                        .tv = cardan__mat3_sum(&A->tv, &B->tv),
                        .fw = cardan__mat3_sum(&A->fw, &B->fw),
                        .fv = cardan__mat3_sum(&A->fv, &B->fv)};
}

/* A - U W^T, W as a row over (w, v) */
CARDAN__INLINE cardan__mat6 sub_rank1(const cardan__mat6 *A, cardan_force U, cardan_force W)
{
  return (cardan__mat6){.tw = cardan__mat3_add_outer(&A->tw, -1, U.t, W.t),
                        .tv = cardan__mat3_add_outer(&A->tv, -1, U.t, W.f),
                        .fw = cardan__mat3_add_outer(&A->fw, -1, U.f, W.t),
                        .fv = cardan__mat3_add_outer(&A->fv, -1, U.f, W.f)};
}

/* ---- elimination ---- */

/* S^T A for column k of S: a row over (w, v). */
static inline cardan_force row_of(const cardan_body *b, int k, const cardan__mat6 *A)
{
  const cardan_force turns = {.t = cardan__mat3_row(&A->tw, b->nv > 1 ? k % 3 : 2),
                              .f = cardan__mat3_row(&A->tv, b->nv > 1 ? k % 3 : 2)};
  const cardan_force slides = {.t = cardan__mat3_row(&A->fw, b->nv > 1 ? k % 3 : 2),
                               .f = cardan__mat3_row(&A->fv, b->nv > 1 ? k % 3 : 2)};
  if (cardan__joint_slides(b, k)) {
    return slides;
  }
  return b->pitch != 0 ? cardan__force_axpy(b->pitch, slides, turns) : turns;
}

/* S' of a joint of one velocity. */
static inline cardan_motion carried_axis(const cardan_body *b, const cardan__screw *Q)
{
  const cardan_quat r = Q->r;
  if (cardan__joint_slides(b, 0)) {
    return (cardan_motion){.v = {2 * (r.x * r.z + r.w * r.y), 2 * (r.y * r.z - r.w * r.x),
                                 1 - 2 * (r.x * r.x + r.y * r.y)}};
  }
  return cardan__screw_carry(Q, cardan__joint_axis(b, 0));
}

/* (N4) and A <- A - U D^-1 W of a joint of one velocity; false when D is no pivot. */
CARDAN__INLINE bool eliminate(const cardan__vi *s, const cardan_body *b, int i, cardan__mat6 *A)
{
  cardan__vi_factor *f = &s->factor[i];
  double project[6] = {0};
  f->S = carried_axis(b, &s->body[i].Q);
  f->U = cardan__mat6_mul(A, f->S);
  f->W = row_of(b, 0, A);
  cardan__joint_project(b, f->U, project);
  const double d = project[0] - s->slope[b->vadr];
  f->inv_d = 1 / d;
  *A = sub_rank1(A, cardan__force_scale(f->inv_d, f->U), f->W);
  return fabs(d) > 0 && isfinite(f->inv_d);
}

/* Inverse of a small matrix by Gauss-Jordan with row exchanges; false when it is singular. */
static bool invert(int n, const double *D, double *inverse)
{
  double M[6][12];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      M[i][j] = D[i * n + j];
      M[i][n + j] = i == j;
    }
  }
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++) {
      best = fabs(M[i][j]) > fabs(M[best][j]) ? i : best;
    }
    if (!(fabs(M[best][j]) > 0)) {
      return false;
    }
    for (int k = 0; k < 2 * n; k++) {
      const double t = M[j][k];
      M[j][k] = M[best][k];
      M[best][k] = t;
    }
    const double inv = 1 / M[j][j];
    for (int k = 0; k < 2 * n; k++) {
      M[j][k] *= inv;
    }
    for (int i = 0; i < n; i++) {
      const double factor = M[i][j];
      for (int k = 0; k < 2 * n && i != j; k++) {
        M[i][k] -= factor * M[j][k];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      inverse[i * n + j] = M[i][n + j];
    }
  }
  return true;
}

static bool eliminate_multi(const cardan__vi *s, const cardan_body *b, int i, cardan__mat6 *A)
{
  cardan__vi_multi *f = &s->multi[s->base.node->multi_of[i]];
  const int n = b->nv;
  double D[36];
  for (int k = 0; k < n; k++) {
    double column[6] = {0};
    f->S[k] = cardan__screw_carry(&s->body[i].Q, cardan__joint_axis(b, k));
    f->U[k] = cardan__mat6_mul(A, f->S[k]);
    f->W[k] = row_of(b, k, A);
    cardan__joint_project(b, f->U[k], column);
    for (int r = 0; r < n; r++) {
      D[r * n + k] = column[r];
    }
    D[k * n + k] -= s->slope[b->vadr + k];
  }
  if (!invert(n, D, f->inv_D)) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    cardan_force U = {.t = {0, 0, 0}}; // column k of U D^-1
    for (int j = 0; j < n; j++) {
      U = cardan__force_axpy(f->inv_D[j * n + k], f->U[j], U);
    }
    *A = sub_rank1(A, U, f->W[k]);
  }
  return true;
}

CARDAN__INLINE cardan_mat3 block_at(cardan__lane K[9], int l)
{
  return (cardan_mat3){
      {{K[0][l], K[1][l], K[2][l]}, {K[3][l], K[4][l], K[5][l]}, {K[6][l], K[7][l], K[8][l]}}};
}

CARDAN__INLINE cardan__mat6 slope_at(cardan__vi_lanes *o, int l)
{
  return (cardan__mat6){.tw = block_at(o->K, l),
                        .tv = block_at(o->K + 9, l),
                        .fw = block_at(o->K + 18, l),
                        .fv = block_at(o->K + 27, l)};
}

cardan_status cardan__vi_factorise(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan__mat6 T = {.tw = {{{0}}}}; // what body i + 1 hands to its parent
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    if (i == model->nbody - 1 || i % CARDAN__LANES == CARDAN__LANES - 1) {
      const int first = i - i % CARDAN__LANES;
      cardan__vi_lanes_of(s, first);
      cardan__lanes_slopes(&s->inertia[first / CARDAN__LANES], 1 / s->base.h, s->lanes);
    }
    cardan__mat6 A = slope_at(s->lanes, i % CARDAN__LANES);
    if (s->kin[i] & CARDAN__VI_CHAIN) {
      A = sum(&A, &T); // (N3)
    } else if (!(s->kin[i] & CARDAN__VI_LEAF)) {
      A = sum(&A, &s->A[i]);
    }
    if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
      if (!(b->nv == 1 ? eliminate(s, b, i, &A) : eliminate_multi(s, b, i, &A))) {
        return cardan__no_inertia(s->base.model, &s->base.node->info, i);
      }
    }
    if (b->parent > 0) {
      T = b->nv == 1 ? to_parent_plane(b, s->base.node, i, &A) : to_parent(&s->base.node->X[i], &A);
      if (!(s->kin[b->parent] & CARDAN__VI_CHAIN)) {
        s->A[b->parent] = s->kin[i] & CARDAN__VI_FIRST ? T : sum(&s->A[b->parent], &T);
      }
    }
  }
  return CARDAN_OK;
}

void cardan__vi_kernels(cardan__vi *s)
{
  const int nbody = s->base.model->nbody;
  for (int first = 0; first < nbody; first += CARDAN__LANES) {
    cardan__vi_lanes_of(s, first);
    cardan__lanes_slopes(&s->inertia[first / CARDAN__LANES], 1 / s->base.h, s->lanes);
    for (int l = 0; l < CARDAN__LANES && first + l < nbody; l++) {
      s->A[first + l] = slope_at(s->lanes, l);
    }
  }
}

/* ---- solve ---- */

/* x = D^-1 y of a joint of several velocities */
static inline void multi_solve(const cardan__vi_multi *f, int n, const double *y, double *x)
{
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      sum += f->inv_D[i * n + j] * y[j];
    }
    x[i] = sum;
  }
}

/* (N5) of one body: its u, and what it passes on. */
static inline cardan_force reduce(const cardan__vi *s, const cardan_body *b, int i, const double *r,
                                  cardan_force force)
{
  double *u = s->u + b->vadr, Sb[6] = {0}, x[6];
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    return force;
  }
  cardan__joint_project(b, force, Sb);
  for (int k = 0; k < b->nv; k++) {
    u[k] = r[b->vadr + k] - Sb[k];
  }
  if (b->nv == 1) {
    return cardan__force_axpy(s->factor[i].inv_d * u[0], s->factor[i].U, force);
  }
  const cardan__vi_multi *f = &s->multi[s->base.node->multi_of[i]];
  multi_solve(f, b->nv, u, x);
  for (int k = 0; k < b->nv; k++) {
    force = cardan__force_axpy(x[k], f->U[k], force);
  }
  return force;
}

/* (N6) of one body. */
static inline void expand(const cardan__vi *s, const cardan_body *b, int i, double *x)
{
  cardan_motion z = cardan__motion_to_child(&s->base.node->X[i], s->zeta[b->parent]);
  const double *u = s->u + b->vadr;
  double *dq = x + b->vadr, y[6];
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    dq[0] = 0;
  } else if (b->nv == 1) {
    const cardan__vi_factor *f = &s->factor[i];
    dq[0] = f->inv_d * (u[0] - cardan__power(z, f->W));
    z = cardan__motion_axpy(dq[0], f->S, z);
  } else {
    const cardan__vi_multi *f = &s->multi[s->base.node->multi_of[i]];
    for (int k = 0; k < b->nv; k++) {
      y[k] = u[k] - cardan__power(z, f->W[k]);
    }
    multi_solve(f, b->nv, y, dq);
    for (int k = 0; k < b->nv; k++) {
      z = cardan__motion_axpy(dq[k], f->S[k], z);
    }
  }
  s->zeta[i] = z;
}

static void expand_all(cardan__vi *s, int from, int to, double *x)
{
  s->zeta[0] = (cardan_motion){.w = {0, 0, 0}};
  for (int i = from; i < to; i++) {
    expand(s, &s->base.model->body[i], i, x);
  }
}

void cardan__vi_solve(cardan__vi *s, int from, int to, const double *r, double *x)
{
  const cardan_model *model = s->base.model;
  const cardan_force zero = {.t = {0, 0, 0}};
  for (int i = to - 1; i >= from; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_force pass = reduce(s, b, i, r, s->kin[i] & CARDAN__VI_LEAF ? zero : s->b[i]);
    if (b->parent > 0) {
      const cardan_force up = cardan__force_to_parent(&s->base.node->X[i], pass);
      cardan_force *sum = &s->b[b->parent];
      *sum = s->kin[i] & CARDAN__VI_FIRST ? up : cardan__force_add(*sum, up);
    }
  }
  expand_all(s, from, to, x);
}

void cardan__vi_solve_along(cardan__vi *s, int from, int to, int tip, const double *r, double *x)
{
  const cardan_model *model = s->base.model;
  const cardan_body *first = &model->body[from], *last = &model->body[to - 1];
  cardan_force force = {.t = {0, 0, 0}};
  memset(s->u + first->vadr, 0, (size_t)(last->vadr + last->nv - first->vadr) * sizeof *s->u);
  for (int i = tip; i > 0; i = model->body[i].parent) {
    force = cardan__force_to_parent(&s->base.node->X[i], reduce(s, &model->body[i], i, r, force));
  }
  expand_all(s, from, to, x);
}

void cardan__vi_link(const void *factors, int body, cardan__link *link)
{
  const cardan__vi *s = factors;
  const cardan_body *b = &s->base.model->body[body];
  const cardan__vi_factor *f = &s->factor[body];
  const cardan__vi_multi *m = b->nv > 1 ? &s->multi[s->base.node->multi_of[body]] : NULL;
  link->X = &s->base.node->X[body];
  link->locked = b->flags & CARDAN_LINK_KINEMATIC;
  link->U = m != NULL ? m->U : &f->U;
  link->W = m != NULL ? m->W : &f->W;
  link->S = m != NULL ? m->S : &f->S;
  link->inv_D = m != NULL ? m->inv_D : &f->inv_d;
  link->A[0] = (cardan_motion){.w = {0, 0, 1}};
  for (int k = 0; k < b->nv && b->kind != CARDAN_LINK_REVOLUTE; k++) {
    link->A[k] = cardan__joint_axis(b, k);
  }
}
