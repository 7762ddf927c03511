// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics/factor.h"
#include "kinematics/joint.h"
#include "methods/vi/vi.h"
#include "methods/vi/vi_ball.h"

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
 * The solve of J dq = r is in solve.c. K is exact (kernel.h); slope is h/2 dQ/dq of forces on the
 * joint itself. Kinematic joints are locked.
 *
 * The four blocks tw, tv, fw, fv of a matrix turn alike, so they stand side by side in vectors
 * (cardan__quad), and along a chain the matrix stays in registers. */

/* ---- the matrix in the parent's frame ---- */

/* A <- Rz A Rz^T of every block, c = cos, s = sin; what is in the plane turns as in
 * cardan__abi_rot_z. */
CARDAN__INLINE void rot_z(double c, double s, cardan__quad *A)
{
  cardan__vec4(*b)[3] = A->m;
  const cardan__vec4 e = c * (b[0][0] - b[1][1]) - s * (b[0][1] + b[1][0]);
  const cardan__vec4 xx = b[1][1] + c * e, yy = b[0][0] - c * e;
  const cardan__vec4 xz = c * b[0][2] - s * b[1][2], zx = c * b[2][0] - s * b[2][1];
  b[1][2] = s * b[0][2] + c * b[1][2];
  b[2][1] = s * b[2][0] + c * b[2][1];
  b[0][1] += s * e;
  b[1][0] += s * e;
  b[0][0] = xx;
  b[1][1] = yy;
  b[0][2] = xz;
  b[2][0] = zx;
}

/* A <- Rx A Rx^T: rot_z with x, y, z renamed to y, z, x. */
CARDAN__INLINE void rot_x(double c, double s, cardan__quad *A)
{
  cardan__vec4(*b)[3] = A->m;
  const cardan__vec4 e = c * (b[1][1] - b[2][2]) - s * (b[1][2] + b[2][1]);
  const cardan__vec4 yy = b[2][2] + c * e, zz = b[1][1] - c * e;
  const cardan__vec4 yx = c * b[1][0] - s * b[2][0], xy = c * b[0][1] - s * b[0][2];
  b[2][0] = s * b[1][0] + c * b[2][0];
  b[0][2] = s * b[0][1] + c * b[0][2];
  b[1][2] += s * e;
  b[2][1] += s * e;
  b[1][1] = yy;
  b[2][2] = zz;
  b[1][0] = yx;
  b[0][1] = xy;
}

/* The same by a right angle, s = +-1: new names. */
CARDAN__INLINE void rot_x_right(double s, cardan__quad *A)
{
  cardan__vec4(*b)[3] = A->m;
  const cardan__vec4 yy = b[2][2], yz = -b[2][1], yx = -s * b[2][0], xy = -s * b[0][2];
  b[2][0] = s * b[1][0];
  b[0][2] = s * b[0][1];
  b[2][1] = -b[1][2];
  b[2][2] = b[1][1];
  b[1][1] = yy;
  b[1][2] = yz;
  b[1][0] = yx;
  b[0][1] = xy;
}

/* A <- R A R^T of every block. */
CARDAN__INLINE void turn(const cardan_mat3 *R, cardan__quad *A)
{
  const double(*r)[3] = R->m;
  cardan__quad T;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      T.m[i][j] = r[i][0] * A->m[0][j] + r[i][1] * A->m[1][j] + r[i][2] * A->m[2][j];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      A->m[i][j] = r[j][0] * T.m[i][0] + r[j][1] * T.m[i][1] + r[j][2] * T.m[i][2];
    }
  }
}

/* The origin moved by l along the axis before y and z, after all blocks were turned: first
 *   tw -= tv p^,  fw -= fv p^        then   tw += p^ fw,  tv += p^ fv
 * y, z: constants of the caller's */
CARDAN__INLINE void shift_along(double l, const int y, const int z, cardan__quad *A)
{
  const cardan__vec4 a = {l, 0, l, 0}, b = {l, l, 0, 0};
  for (int i = 0; i < 3; i++) {
    cardan__vec4 *Y = &A->m[i][y], *Z = &A->m[i][z];
    const cardan__vec4 v = __builtin_shufflevector(*Y, *Y, 1, 1, 3, 3);
    *Y -= a * __builtin_shufflevector(*Z, *Z, 1, 1, 3, 3);
    *Z += a * v;
  }
  for (int j = 0; j < 3; j++) {
    cardan__vec4 *Y = &A->m[y][j], *Z = &A->m[z][j];
    const cardan__vec4 f = __builtin_shufflevector(*Y, *Y, 2, 3, 2, 3);
    *Y -= b * __builtin_shufflevector(*Z, *Z, 2, 3, 2, 3);
    *Z += b * f;
  }
}

/* By p, one axis after the other, where there is something between. */
CARDAN__INLINE void shift(int flags, cardan_vec3 p, cardan__quad *A)
{
  if (flags & CARDAN_LINK_ALONG_X) {
    shift_along(p.x, 1, 2, A);
  }
  if (flags & CARDAN_LINK_ALONG_Y) {
    shift_along(p.y, 2, 0, A);
  }
  if (flags & CARDAN_LINK_ALONG_Z) {
    shift_along(p.z, 0, 1, A);
  }
}

/* X^T A X with X = Ad_T^-1; for a joint of one velocity by plane rotations. */
CARDAN__INLINE void to_parent(const cardan_body *b, const cardan_data *node, int i, cardan__quad *A)
{
  if (b->nv == 1) {
    rot_z(node->cos_sin[2 * i], node->cos_sin[2 * i + 1], A);
    if (b->flags & CARDAN_LINK_RIGHT) {
      rot_x_right(b->sin_alpha, A);
    } else if (!(b->flags & CARDAN_LINK_PARALLEL)) {
      rot_x(b->cos_alpha, b->sin_alpha, A);
    }
    if (b->flags & CARDAN_LINK_TURNED) {
      rot_z(b->cos_phi, b->sin_phi, A);
    }
  } else {
    turn(&node->X[i].R, A);
  }
  shift(b->flags, node->X[i].p, A);
}

CARDAN__INLINE void add(const cardan__quad *A, cardan__quad *to)
{
  for (int e = 0; e < 9; e++) {
    to->m[e / 3][e % 3] += A->m[e / 3][e % 3];
  }
}

/* ---- elimination ---- */

/* A twist, as it meets the columns of the blocks: w, v, w, v. A wrench from their rows: t, t, f,
 * f. */
typedef struct {
  cardan__vec4 x, y, z;
} side;

CARDAN__INLINE side side_of(cardan_twist V)
{
  return (side){
      {V.w.x, V.v.x, V.w.x, V.v.x}, {V.w.y, V.v.y, V.w.y, V.v.y}, {V.w.z, V.v.z, V.w.z, V.v.z}};
}

/* a <- a and its neighbour: what w and what v of a twist make. */
CARDAN__INLINE void add_pairs(cardan__vec4 *a)
{
  *a += __builtin_shufflevector(*a, *a, 1, 0, 3, 2);
}

CARDAN__INLINE cardan_force force_of(const side *U)
{
  return (cardan_force){{U->x[0], U->y[0], U->z[0]}, {U->x[2], U->y[2], U->z[2]}};
}

/* A V */
CARDAN__INLINE side mul(const cardan__quad *A, const side *V)
{
  const cardan__vec4(*a)[3] = A->m;
  side U = {a[0][0] * V->x + a[0][1] * V->y + a[0][2] * V->z,
            a[1][0] * V->x + a[1][1] * V->y + a[1][2] * V->z,
            a[2][0] * V->x + a[2][1] * V->y + a[2][2] * V->z};
  add_pairs(&U.x);
  add_pairs(&U.y);
  add_pairs(&U.z);
  return U;
}

/* Row k of A that meets turns, or slides: t, f, t, f. */
CARDAN__INLINE side turn_row(const cardan__quad *A, int k)
{
  const cardan__vec4 *a = A->m[k];
  return (side){__builtin_shufflevector(a[0], a[0], 0, 1, 0, 1),
                __builtin_shufflevector(a[1], a[1], 0, 1, 0, 1),
                __builtin_shufflevector(a[2], a[2], 0, 1, 0, 1)};
}

CARDAN__INLINE side slide_row(const cardan__quad *A, int k)
{
  const cardan__vec4 *a = A->m[k];
  return (side){__builtin_shufflevector(a[0], a[0], 2, 3, 2, 3),
                __builtin_shufflevector(a[1], a[1], 2, 3, 2, 3),
                __builtin_shufflevector(a[2], a[2], 2, 3, 2, 3)};
}

CARDAN__INLINE cardan_force row_force(const side *W)
{
  return (cardan_force){{W->x[0], W->y[0], W->z[0]}, {W->x[1], W->y[1], W->z[1]}};
}

/* A -= k U W */
CARDAN__INLINE void sub_rank1(double k, const side *U, const side *W, cardan__quad *A)
{
  const cardan__vec4 u[3] = {k * U->x, k * U->y, k * U->z};
  for (int i = 0; i < 3; i++) {
    A->m[i][0] -= u[i] * W->x;
    A->m[i][1] -= u[i] * W->y;
    A->m[i][2] -= u[i] * W->z;
  }
}

/* What the solve needs of a joint of one velocity: U and W / d to the parent's axes, side by
 * side. */
CARDAN__INLINE void keep(const cardan__vi *s, int i, const side *U, const side *W, double inv_d)
{
  const cardan_xform *X = &s->base.node->X[i];
  const double(*r)[3] = X->R.m;
  const cardan_vec3 p = X->p;
  const cardan__vec4 over = {1, 1, inv_d, inv_d};
  const cardan__vec4 x = over * __builtin_shufflevector(U->x, W->x, 0, 2, 4, 5),
                     y = over * __builtin_shufflevector(U->y, W->y, 0, 2, 4, 5),
                     z = over * __builtin_shufflevector(U->z, W->z, 0, 2, 4, 5);
  cardan__vec4 F[3] = {r[0][0] * x + r[0][1] * y + r[0][2] * z,
                       r[1][0] * x + r[1][1] * y + r[1][2] * z,
                       r[2][0] * x + r[2][1] * y + r[2][2] * z};
  const cardan__vec4 fx = __builtin_shufflevector(F[0], F[0], 1, 1, 3, 3),
                     fy = __builtin_shufflevector(F[1], F[1], 1, 1, 3, 3),
                     fz = __builtin_shufflevector(F[2], F[2], 1, 1, 3, 3);
  const cardan__vec4 px = {p.x, 0, p.x, 0}, py = {p.y, 0, p.y, 0}, pz = {p.z, 0, p.z, 0};
  F[0] += py * fz - pz * fy;
  F[1] += pz * fx - px * fz;
  F[2] += px * fy - py * fx;
  memcpy(s->factor[i].UW, F, sizeof F);
  s->factor[i].inv_d = inv_d;
  if (s->raw != NULL) {
    s->raw[i] = (cardan__vi_raw){force_of(U), row_force(W)};
  }
}

/* (N4) and A <- A - U D^-1 W of a joint that turns about z; false when D is no pivot. */
CARDAN__INLINE bool eliminate(const cardan__vi *s, int i, cardan_twist S, double slope,
                              cardan__quad *A)
{
  const side V = side_of(S), U = mul(A, &V), W = turn_row(A, 2);
  const double d = U.z[0] - slope, inv_d = 1 / d;
  sub_rank1(inv_d, &U, &W, A);
  s->factor[i].S = S;
  keep(s, i, &U, &W, inv_d);
  return fabs(d) > 0 && isfinite(inv_d);
}

/* S^T A for column k of S: a row over (w, v). */
static inline side row_of(const cardan_body *b, int k, const cardan__quad *A)
{
  const int row = b->nv > 1 ? k % 3 : 2;
  const side slides = slide_row(A, row);
  if (cardan__joint_slides(b, k)) {
    return slides;
  }
  const side turns = turn_row(A, row);
  return b->pitch != 0 ? (side){turns.x + b->pitch * slides.x, turns.y + b->pitch * slides.y,
                                turns.z + b->pitch * slides.z}
                       : turns;
}

/* The same of a joint that slides, or does both. */
static CARDAN__NOINLINE bool eliminate_other(const cardan__vi *s, int i, cardan__quad *A)
{
  const cardan_body *b = &s->base.model->body[i];
  const cardan__screw Q = cardan__vi_displaced(s, i);
  const cardan_twist S = cardan__screw_carry(&Q, cardan__joint_axis(b, 0));
  double project[6] = {0};
  const side V = side_of(S), U = mul(A, &V), W = row_of(b, 0, A);
  cardan__joint_project(b, force_of(&U), project);
  const double d = project[0] - s->slope[b->vadr], inv_d = 1 / d;
  sub_rank1(inv_d, &U, &W, A);
  s->factor[i].S = S;
  keep(s, i, &U, &W, inv_d);
  return fabs(d) > 0 && isfinite(inv_d);
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

/* What dynamics/columns.h needs of a free ball. */
static void keep_raw(cardan__vi_multi *f, const cardan__quad *A)
{
  const cardan_mat3 inv_D = cardan__mat3_tmul(&f->ball.R, &f->ball.inv_E);
  for (int k = 0; k < 3; k++) {
    const cardan_vec3 w = cardan__mat3_column(&f->ball.R, k);
    f->S[k] = (cardan_twist){w, cardan__vec3_cross(f->ball.p, w)};
    const side V = side_of(f->S[k]), U = mul(A, &V), W = turn_row(A, k);
    f->U[k] = force_of(&U);
    f->W[k] = row_force(&W);
  }
  memcpy(f->inv_D, inv_D.m, sizeof inv_D.m);
}

/* (B1) to (B3) of a free ball: A becomes what its parent gets. */
static CARDAN__NOINLINE bool eliminate_ball(const cardan__vi *s, int i, cardan__quad *A)
{
  const cardan__screw Q = cardan__vi_displaced(s, i);
  cardan__vi_multi *f = &s->multi[s->base.node->multi_of[i]];
  cardan_mat3 C;
  f->ball.R = cardan__quat_to_mat3(Q.r);
  if (!cardan__vi_ball_eliminate(A, cardan__screw_translation(&Q), &f->ball, &C)) {
    return false;
  }
  if (s->raw != NULL) {
    keep_raw(f, A);
  }
  cardan__vi_ball_to_parent(&s->base.node->X[i], f->ball.p, &C, A);
  return true;
}

static CARDAN__NOINLINE bool eliminate_multi(const cardan__vi *s, int i, cardan__quad *A)
{
  const cardan_body *b = &s->base.model->body[i];
  const cardan__screw Q = cardan__vi_displaced(s, i);
  cardan__vi_multi *f = &s->multi[s->base.node->multi_of[i]];
  const int n = b->nv;
  double D[36];
  side U[6], W[6];
  for (int k = 0; k < n; k++) {
    double column[6] = {0};
    f->S[k] = cardan__screw_carry(&Q, cardan__joint_axis(b, k));
    const side V = side_of(f->S[k]);
    U[k] = mul(A, &V);
    W[k] = row_of(b, k, A);
    f->U[k] = force_of(&U[k]);
    f->W[k] = row_force(&W[k]);
    cardan__joint_project(b, f->U[k], column);
    for (int r = 0; r < n; r++) {
      D[r * n + k] = column[r];
    }
    D[k * n + k] -= s->slope[b->vadr + k];
  }
  if (s->has_elastic) {
    const double *block = s->elastic.block + (size_t)36 * (size_t)s->base.node->multi_of[i];
    for (int k = 0; k < n * n; k++) {
      D[k] += block[k];
    }
  }
  if (!invert(n, D, f->inv_D)) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    side column = {.x = {0}}; // k of U D^-1
    for (int j = 0; j < n; j++) {
      const double d = f->inv_D[j * n + k];
      column = (side){column.x + d * U[j].x, column.y + d * U[j].y, column.z + d * U[j].z};
    }
    sub_rank1(1, &column, &W[k], A);
  }
  return true;
}

static CARDAN__NOINLINE bool eliminate_any(const cardan__vi *s, int i, cardan__quad *A)
{
  const cardan_body *b = &s->base.model->body[i];
  return b->flags & CARDAN_LINK_KINEMATIC ||
         (b->nv == 1 ? eliminate_other(s, i, A) : eliminate_multi(s, i, A));
}

/* The same of a joint that does not simply turn, to its parent. */
static bool pass_other(const cardan__vi *s, int i, int flags, cardan__quad *A)
{
  if (flags & CARDAN__VI_BALL) {
    const bool is_free = cardan__vi_ball_is_free(s, i, s->kin[i].vadr);
    s->multi[s->base.node->multi_of[i]].is_free = is_free;
    if (is_free) {
      return eliminate_ball(s, i, A);
    }
  }
  const bool pivot = eliminate_any(s, i, A);
  to_parent(&s->base.model->body[i], s->base.node, i, A);
  return pivot;
}

/* K of body i, out of lanes. */
CARDAN__INLINE void slope_of(const cardan__slope_lanes *o, int i, cardan__quad *A)
{
  const cardan__vec4 *K = cardan__slope_lane(o, cardan__lane_of(i));
  for (int e = 0; e < 9; e++) {
    A->m[e / 3][e % 3] = K[(size_t)2 * (size_t)e];
  }
}

/* (N3), (N4) of bodies last .. first, whose K are in lanes; T: what body i + 1 hands to its parent.
 * returns the body whose D is no pivot; 0: there is none */
static int factorise_block(cardan__vi *s, const cardan__slope_lanes *o, int first, int last,
                           cardan__quad *out)
{
  const cardan_model *model = s->base.model;
  cardan__quad T = *out;
  for (int i = last; i >= first; i--) {
    const int flags = s->kin[i].flags;
    cardan__quad A;
    bool pivot = true;
    slope_of(o, i, &A);
    if (flags & CARDAN__VI_TIED) {
      add(&s->elastic.K[i], &A);
    }
    if (flags & CARDAN__VI_CHAIN) {
      add(&T, &A); // (N3)
    } else if (!(flags & CARDAN__VI_LEAF)) {
      add(&s->A[i], &A);
    }
    if (flags & CARDAN__VI_TURNS) {
      pivot = eliminate(s, i, cardan__lane_twist(o->S, cardan__lane_of(i)),
                        s->slope[s->kin[i].vadr], &A);
      to_parent(&model->body[i], s->base.node, i, &A);
    } else {
      cardan__quad copy = A; // so that A itself has no address
      pivot = pass_other(s, i, flags, &copy);
      A = copy;
    }
    if (!pivot) {
      return i;
    }
    T = A;
    if (flags & CARDAN__VI_SHARES) {
      cardan__quad *to = &s->A[s->kin[i].parent];
      if (!(flags & CARDAN__VI_FIRST)) {
        add(to, &A);
      }
      *to = A;
    }
  }
  *out = T;
  return 0;
}

cardan_status cardan__vi_factorise(cardan__vi *s)
{
  cardan__quad T = {.m = {{{0}}}};
  int bad = 0;
  for (int k = s->nblock - 1; k >= 0 && bad == 0; k--) {
    const int first = k * CARDAN__LANES, end = first + CARDAN__LANES;
    const int nbody = s->base.model->nbody;
    cardan__slope_lanes slopes;
    cardan__vi_kinetic_block(s, k, &slopes);
    bad = factorise_block(s, &slopes, k == 0 ? 1 : first, (end < nbody ? end : nbody) - 1, &T);
  }
  return bad == 0 ? CARDAN_OK : cardan__no_inertia(s->base.model, &s->base.node->info, bad);
}

void cardan__vi_kernels(cardan__vi *s)
{
  const int nbody = s->base.model->nbody;
  for (int k = 0; k < s->nblock; k++) {
    cardan__slope_lanes slopes;
    cardan__vi_kinetic_block(s, k, &slopes);
    for (int i = k * CARDAN__LANES; i < (k + 1) * CARDAN__LANES && i < nbody; i++) {
      slope_of(&slopes, i, &s->A[i]);
      if (s->kin[i].flags & CARDAN__VI_TIED) {
        add(&s->elastic.K[i], &s->A[i]);
      }
    }
  }
}
