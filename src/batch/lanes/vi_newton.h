/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_newton.h - the exact Newton direction of a variational step in lanes, as
 * methods/vi/vi_newton.c has it; (N..) are its equations, (S..) those of kernels/swing_step.h.
 * In the units of vi_body.h K is times h. */
#pragma once
#include "batch/lanes/vi_mass.h"

/* ---- 3 x 3 ---- */

/* p^ M */
static inline mat3 skew_mul(real3 p, const mat3 *M)
{
  return (mat3){axpy3(p.y, M->z, scale3(-p.z, M->y)), axpy3(p.z, M->x, scale3(-p.x, M->z)),
                axpy3(p.x, M->y, scale3(-p.y, M->x))};
}

/* a b^T of matrices: entry (i, j) is row_i . row_j */
static inline mat3 mat3_mul_transposed(const mat3 *a, const mat3 *b)
{
  return (mat3){mat3_mul(b, a->x), mat3_mul(b, a->y), mat3_mul(b, a->z)};
}

/* ---- K of one body ---- */

/* K of a body at the last residual. */
static inline mat6 body_slope(const cardan__lanes_body *b, const screw *Q)
{
  const real s = dot3(Q->r.v, Q->r.v);
  const mask wide = is_wide(s, Q->r.w);
  const swing_place at = place_of(b, Q, turn_of(Q).A);
  const real ww = dot3(at.theta, at.theta), sigma = swing_sigma(at.r, real3_of(b->s));
  swing_coeffs k = {dlog_c(ww), dlog_c_slope(ww), swing_phi(sigma), swing_psi(sigma)};
  if (any(wide)) {
    wide_swing(wide, &at, sigma, &k);
  }
  real6 mu, unused;
  swing_momenta(b, &at, k.c, k.phi, &mu, &unused);
  return swing_slope(b, &at, &k, mu.w);
}

/* ---- 6 x 6 ---- */

static inline real6 mat6_mul(const mat6 *A, real6 V)
{
  return (real6){mat3_mul_add(&A->tv, V.v, mat3_mul(&A->tw, V.w)),
                 mat3_mul_add(&A->fv, V.v, mat3_mul(&A->fw, V.w))};
}

/* R (M - U W^T) R^T */
static inline mat3 turn_block(const vi_lanes *s, const cardan__lanes_body *b, int i, const mat3 *M,
                              real3 U, real3 W)
{
  mat3 T = {less3(U.x, W, M->x), less3(U.y, W, M->y), less3(U.z, W, M->z)};
  const link *l = &s->pass.link[i];
  T = mat3_rot_z(l->c, l->s, &T);
  if (b->tilt == CARDAN__TILT_QUARTER) {
    T = mat3_quarter_x(&T);
  } else if (b->tilt == CARDAN__TILT_ANY) {
    T = mat3_rot_x(real_of(b->cos_alpha), real_of(b->sin_alpha), &T);
  }
  return b->flags & CARDAN__LANES_TURNED ? mat3_rot_z(real_of(b->cos_phi), real_of(b->sin_phi), &T)
                                         : T;
}

/* R M R^T of a joint with a matrix. */
static inline mat3 turn_by(const mat3 *R, const mat3 *M)
{
  const mat3 RM = mat3_mul_mat3(R, M);
  return mat3_mul_transposed(&RM, R);
}

static inline void put_block(int first, const mat3 *M, mat3 *to)
{
  *to = first ? *M : mat3_add(to, M);
}

/* X^T A X to the parent, from the blocks of A in its axes: the origin moves by p
 * (methods/vi/vi_newton.c). */
static inline void put_matrix(const vi_lanes *s, const cardan__lanes_body *b, const mat3 *tw,
                              const mat3 *tv, const mat3 *fw, const mat3 *fv)
{
  const real3 p = origin_of(b, &s->pass, s->q);
  const int first = b->flags & CARDAN__LANES_FIRST;
  mat6 *to = &s->matrix[s->model->body[b->parent].slot];
  const mat3 fvp = mat3_mul_skew(fv, p), up = mat3_sub(fw, &fvp);
  put_block(first, fv, &to->fv);
  put_block(first, &up, &to->fw);
  const mat3 pfv = skew_mul(p, fv), side = mat3_add(tv, &pfv);
  put_block(first, &side, &to->tv);
  const mat3 tvp = mat3_mul_skew(tv, p), pfw = skew_mul(p, &up);
  const mat3 less = mat3_sub(tw, &tvp), all = mat3_add(&less, &pfw);
  put_block(first, &all, &to->tw);
}

/* ---- elimination ---- */

/* Ad_dT S for column k of S. */
static inline real6 carried(const cardan__lanes_body *b, const screw *Q, int k)
{
  const real none = real_of(0), one = real_of(1);
  const int axis = is_z(b) ? 2 : k % 3;
  const real3 e = {axis == 0 ? one : none, axis == 1 ? one : none, axis == 2 ? one : none};
  const real3 w = quat_rotate(Q->r, e), half = screw_half_way(Q);
  if (b->kind == CARDAN_LINK_PRISMATIC || k >= 3) {
    return (real6){{none, none, none}, w};
  }
  return (real6){w, cross3_add(add3(half, half), w, scale3(real_of(b->pitch), w))};
}

/* S^T A for column k of S: a row over (w, v). */
static inline real6 row_of(const cardan__lanes_body *b, const mat6 *A, int k)
{
  const int axis = is_z(b) ? 2 : k % 3;
  const real3 *rows[4] = {&A->tw.x, &A->tv.x, &A->fw.x, &A->fv.x};
  const real6 turns = {rows[0][axis], rows[1][axis]}, slides = {rows[2][axis], rows[3][axis]};
  if (b->kind == CARDAN_LINK_PRISMATIC || k >= 3) {
    return slides;
  }
  return b->kind == CARDAN_LINK_HELICAL ? axpy6(real_of(b->pitch), slides, turns) : turns;
}

/* Numbers of the lanes of a mask, n of each. */
static inline void renew_lanes(mask on, int n, const real *from, real *to)
{
  for (int k = 0; k < n; k++) {
    to[k] = choose(on, from[k], to[k]);
  }
}

static inline mask eliminate_one(const vi_lanes *s, const cardan__lanes_body *b, int i, mask on,
                                 const mat6 *A)
{
  vi_slope f;
  f.S = carried(b, &s->body[i].Q, 0);
  f.U = mat6_mul(A, f.S);
  f.W = row_of(b, A, 0);
  const real d = project(b, f.U) + s->z[b->vadr];
  f.inv_d = invert_pivot(s, b, d);
  renew_lanes(on, sizeof f / sizeof(real), (const real *)&f, (real *)&s->slope[i]);
  if (!(b->flags & CARDAN__LANES_ROOT)) {
    const real3 t = scale3(f.inv_d, f.U.w), g = scale3(f.inv_d, f.U.v);
    const mat3 fv = turn_block(s, b, i, &A->fv, g, f.W.v);
    const mat3 fw = turn_block(s, b, i, &A->fw, g, f.W.w);
    const mat3 tv = turn_block(s, b, i, &A->tv, t, f.W.v);
    const mat3 tw = turn_block(s, b, i, &A->tw, t, f.W.w);
    put_matrix(s, b, &tw, &tv, &fw, &fv);
  }
  return ~is_less(real_of(0), d);
}

/* L U of D, n x n, in place; 1 / pivots on the diagonal. */
static inline mask factor_lu(int n, real D[6][6])
{
  mask bad = mask_of(0);
  for (int j = 0; j < n; j++) {
    bad |= ~is_less(real_of(0), D[j][j]);
    D[j][j] = real_of(1) / D[j][j];
    for (int i = j + 1; i < n; i++) {
      D[i][j] = D[i][j] * D[j][j];
      for (int k = j + 1; k < n; k++) {
        D[i][k] = nmadd(D[i][j], D[j][k], D[i][k]);
      }
    }
  }
  return bad;
}

/* x: n, = D^-1 x */
static inline void solve_lu(int n, const vi_slopes *f, real *x)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] = nmadd(f->LU[i][k], x[k], x[i]);
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] = nmadd(f->LU[i][k], x[k], x[i]);
    }
    x[i] = x[i] * f->LU[i][i];
  }
}

/* D, L U of it, and rows of W for D^-1 W. */
static inline mask factor_many(const vi_lanes *s, const cardan__lanes_body *b, int i, const mat6 *A,
                               vi_slopes *f, real rows[6][6])
{
  const int n = joint_nv(b);
  for (int k = 0; k < n; k++) {
    real column[6];
    f->S[k] = carried(b, &s->body[i].Q, k);
    f->U[k] = mat6_mul(A, f->S[k]);
    f->W[k] = row_of(b, A, k);
    to_array(f->U[k], column);
    for (int r = 0; r < n; r++) {
      f->LU[r][k] = column[r];
    }
    f->LU[k][k] = f->LU[k][k] + s->z[b->vadr + k];
    to_array(f->W[k], rows[k]);
  }
  return factor_lu(n, f->LU);
}

/* A is spoilt: A - U D^-1 W. */
static inline mask eliminate_many(const vi_lanes *s, const cardan__lanes_body *b, int i, mask on,
                                  mat6 *A)
{
  const int n = joint_nv(b);
  vi_slopes f, *to = &s->slopes[b->multi];
  real rows[6][6], x[6];
  const mask bad = factor_many(s, b, i, A, &f, rows);
  renew_lanes(on, 6 * n, (const real *)f.U, (real *)to->U);
  renew_lanes(on, 6 * n, (const real *)f.W, (real *)to->W);
  renew_lanes(on, 6 * n, (const real *)f.S, (real *)to->S);
  for (int k = 0; k < n; k++) {
    renew_lanes(on, n, f.LU[k], to->LU[k]);
  }
  if (b->flags & CARDAN__LANES_ROOT) {
    return bad;
  }
  for (int j = 0; j < 6; j++) {
    for (int k = 0; k < n; k++) {
      x[k] = rows[k][j];
    }
    solve_lu(n, &f, x);
    for (int k = 0; k < n; k++) {
      rows[k][j] = x[k];
    }
  }
  for (int k = 0; k < n; k++) {
    const real3 t = scale3(real_of(-1), f.U[k].w), g = scale3(real_of(-1), f.U[k].v);
    const real6 W = of_array(6, rows[k]);
    A->tw = mat3_add_outer(&A->tw, t, W.w);
    A->tv = mat3_add_outer(&A->tv, t, W.v);
    A->fw = mat3_add_outer(&A->fw, g, W.w);
    A->fv = mat3_add_outer(&A->fv, g, W.v);
  }
  const mat3 *R = &s->pass.multi[b->multi].R;
  const mat3 tw = turn_by(R, &A->tw), tv = turn_by(R, &A->tv);
  const mat3 fw = turn_by(R, &A->fw), fv = turn_by(R, &A->fv);
  put_matrix(s, b, &tw, &tv, &fw, &fv);
  return bad;
}

/* -d f/dx on a joint's own velocity: armature, damping, servos and springs, to y: nv */
static void drags(const vi_lanes *s, real *y)
{
  const cardan__lanes_model *m = s->model;
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    for (int k = b->vadr; k < b->vadr + joint_nv(b); k++) {
      y[k] = real_of(b->armature + s->e * m->damping[k]);
    }
  }
  for (int j = 0; j < m->nactuator; j++) {
    const cardan__lanes_actuator *a = &m->actuator[j];
    const double slope = a->gear * a->gear * s->e * (a->kp * s->e + a->kd);
    const real F = servo(s, a);
    const mask within = is_most(real_of(a->low), F) & is_most(F, real_of(a->high));
    y[a->dof] = y[a->dof] + choose(within, real_of(a->servo ? slope : 0), real_of(0));
  }
  for (int j = 0; j < m->nspring; j++) {
    const cardan__lanes_spring *p = &m->spring[j];
    y[p->dof] = y[p->dof] + real_of(s->e * s->e * p->k);
  }
}

/* What children handed to the body, and its own K. */
static inline mat6 *gather_slopes(const vi_lanes *s, const cardan__lanes_body *b, int i)
{
  mat6 *A = &s->matrix[b->slot];
  if (b->flags & CARDAN__LANES_LEAF) {
    const real none = real_of(0);
    const real3 zero = {none, none, none};
    A->tw = A->tv = A->fw = A->fv = (mat3){zero, zero, zero};
  }
  if (!(b->flags & CARDAN__LANES_LIGHT)) {
    const mat6 K = body_slope(b, &s->body[i].Q);
    A->tw = mat3_add(&A->tw, &K.tw);
    A->tv = mat3_add(&A->tv, &K.tv);
    A->fw = mat3_add(&A->fw, &K.fw);
    A->fv = mat3_add(&A->fv, &K.fv);
  }
  return A;
}

/* At the last residual, in the lanes of a mask. returns lanes without a pivot */
CARDAN__WHOLE mask factor_newton(const vi_lanes *s, mask on)
{
  const cardan__lanes_model *m = s->model;
  mask bad = mask_of(0);
  drags(s, s->z);
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    mat6 *A = gather_slopes(s, b, i);
    bad |= is_z(b) ? eliminate_one(s, b, i, on, A) : eliminate_many(s, b, i, on, A);
  }
  return bad & on;
}

/* ---- the solve ---- */

static inline real6 newton_reduce(const vi_lanes *s, const cardan__lanes_body *b, int i, real6 F,
                                  real *u)
{
  if (is_z(b)) {
    const vi_slope *f = &s->slope[i];
    u[0] = u[0] - project(b, F);
    return axpy6(held_or(s, b, f->inv_d * u[0]), f->U, F);
  }
  const vi_slopes *f = &s->slopes[b->multi];
  const int n = joint_nv(b);
  real e[6], x[6];
  to_array(F, e);
  for (int k = 0; k < n; k++) {
    u[k] = u[k] - e[k];
    x[k] = u[k];
  }
  solve_lu(n, f, x);
  for (int k = 0; k < n; k++) {
    F = axpy6(x[k], f->U[k], F);
  }
  return F;
}

static inline real6 newton_expand(const vi_lanes *s, const cardan__lanes_body *b, int i, real6 z,
                                  real *x)
{
  if (is_z(b)) {
    const vi_slope *f = &s->slope[i];
    x[0] = held_or(s, b, f->inv_d * (x[0] - dot6(f->W, z)));
    return axpy6(x[0], f->S, z);
  }
  const vi_slopes *f = &s->slopes[b->multi];
  const int n = joint_nv(b);
  for (int k = 0; k < n; k++) {
    x[k] = x[k] - dot6(f->W[k], z);
  }
  solve_lu(n, f, x);
  for (int k = 0; k < n; k++) {
    z = axpy6(x[k], f->S[k], z);
  }
  return z;
}

/* x: nv, = J^-1 x */
CARDAN__WHOLE void solve_newton(const vi_lanes *s, real *x)
{
  const cardan__lanes_model *m = s->model;
  const real6 none = {{real_of(0), real_of(0), real_of(0)}, {real_of(0), real_of(0), real_of(0)}};
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    const real6 F = b->flags & CARDAN__LANES_LEAF ? none : s->pass.slot[b->slot].f;
    const real6 up = newton_reduce(s, b, i, F, x + b->vadr);
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      hand_up(s, b, force_up(s, b, i, up));
    }
  }
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    real6 z = none;
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      z = motion_down(s, b, i, s->pass.link[b->parent].A);
    }
    s->pass.link[i].A = newton_expand(s, b, i, z, x + b->vadr);
  }
}
