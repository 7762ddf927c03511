/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_body.h - one rigid body over one step of the variational integrator, over `real`:
 * displacement, its logarithm, momenta and their derivative (kernels/swing_step.h);
 * spatial/screw.h in lanes.
 *
 * Units. Every momentum and impulse is times h, so that nothing is divided by it.
 *
 * With Q = r + eps d the unit dual quaternion of the displacement, s = |vec r|^2,
 * A = 2 asin(sqrt s) / sqrt(s) and c of dlog_x,
 *   x = (A vec r;  A vec d - 2 d.w A^2 c vec r)                                            (B1) */
#pragma once
#include "batch/lanes/joints.h"
#include "spatial/so3.h"

/* A quaternion, and a unit dual one. */
typedef struct {
  real w;
  real3 v;
} real4;

typedef struct {
  real4 r, d;
} screw;

static inline real3 choose3(mask m, real3 a, real3 b)
{
  return (real3){choose(m, a.x, b.x), choose(m, a.y, b.y), choose(m, a.z, b.z)};
}

static inline real4 choose4(mask m, real4 a, real4 b)
{
  return (real4){choose(m, a.w, b.w), choose3(m, a.v, b.v)};
}

static inline screw screw_identity(void)
{
  const real3 none = {real_of(0), real_of(0), real_of(0)};
  return (screw){{real_of(1), none}, {real_of(0), none}};
}

static inline real4 quat_mul(real4 a, real4 b)
{
  return (real4){msub(a.w, b.w, dot3(a.v, b.v)),
                 axpy3(a.w, b.v, axpy3(b.w, a.v, cross3(a.v, b.v)))};
}

static inline screw screw_mul(screw a, screw b)
{
  const real4 x = quat_mul(a.r, b.d), y = quat_mul(a.d, b.r);
  return (screw){quat_mul(a.r, b.r), {x.w + y.w, add3(x.v, y.v)}};
}

/* q Rz(2 a), c = cos a, s = sin a */
static inline real4 quat_turn_z(real4 q, real c, real s)
{
  return (real4){msub(c, q.w, s * q.v.z),
                 {madd(c, q.v.x, s * q.v.y), msub(c, q.v.y, s * q.v.x), madd(c, q.v.z, s * q.w)}};
}

/* Q Trans_z(2 a) */
static inline screw screw_slide_z(screw Q, real a)
{
  const real4 r = Q.r, d = Q.d;
  return (screw){
      r,
      {nmadd(a, r.v.z, d.w), {madd(a, r.v.y, d.v.x), nmadd(a, r.v.x, d.v.y), madd(a, r.w, d.v.z)}}};
}

/* Half of the translation p = 2 d r*. */
static inline real3 screw_half_way(const screw *Q)
{
  const real3 r = Q->r.v, d = Q->d.v;
  return cross3_sub(d, r, axpy3(Q->r.w, d, scale3(-Q->d.w, r)));
}

/* q a q* = a + 2 v x (v x a + w a) */
static inline real3 quat_rotate(real4 q, real3 a)
{
  const real3 b = cross3_add(q.v, a, scale3(q.w, a));
  return cross3_add(add3(q.v, q.v), b, a);
}

/* ---- functions of small angles; any other in the same lanes by the general ones ---- */

static const double small_angle2 = 0.0625; // |a| <= 1/4
static const double small_sin2 = 0.015;

/* cos a and sin a; the mask is set where the angle is too large for cos_sin too. */
static inline mask half_turn(real a, real *c, real *s)
{
  const real y = a * a, y2 = y * y;
  real S = madd(y, real_of(1.0 / 6227020800), real_of(-1.0 / 39916800));
  S = madd(y2, S, madd(y, real_of(1.0 / 362880), real_of(-1.0 / 5040)));
  S = madd(y2, S, madd(y, real_of(1.0 / 120), real_of(-1.0 / 6)));
  real C = madd(y, real_of(1.0 / 479001600), real_of(-1.0 / 3628800));
  C = madd(y2, C, madd(y, real_of(1.0 / 40320), real_of(-1.0 / 720)));
  C = madd(y2, C, madd(y, real_of(1.0 / 24), real_of(-0.5)));
  *s = madd(a * y, S, a);
  *c = madd(y, C, real_of(1));
  const mask wide = ~is_most(y, real_of(small_angle2));
  mask bad = mask_of(0);
  if (any(wide)) {
    real cw, sw;
    bad = cos_sin(a, &cw, &sw) & wide;
    *c = choose(wide, cw, *c);
    *s = choose(wide, sw, *s);
  }
  return bad;
}

/* c of dlog_x and dc/ds for s = |x.w|^2 <= 1/16: the truncation error is below 1e-17 of the sum. */
static inline real dlog_c(real s)
{
  real c = madd(s, real_of(691.0 / 1307674368000.0), real_of(1.0 / 47900160));
  c = madd(s, c, real_of(1.0 / 1209600));
  c = madd(s, c, real_of(1.0 / 30240));
  c = madd(s, c, real_of(1.0 / 720));
  return madd(s, c, real_of(1.0 / 12));
}

static inline real dlog_c_slope(real s)
{
  real c = madd(s, real_of(691.0 / 261534873600.0), real_of(1.0 / 11975040));
  c = madd(s, c, real_of(1.0 / 403200));
  c = madd(s, c, real_of(1.0 / 15120));
  return madd(s, c, real_of(1.0 / 720));
}

/* A of (B1) for s < 0.015, the arc sine's series, cut off below 1e-16. */
static inline real small_arc(real s)
{
  real a = madd(s, real_of(143.0 / 5120), real_of(231.0 / 6656));
  a = madd(s, a, real_of(63.0 / 1408));
  a = madd(s, a, real_of(35.0 / 576));
  a = madd(s, a, real_of(5.0 / 56));
  a = madd(s, a, real_of(3.0 / 20));
  a = madd(s, a, real_of(1.0 / 3));
  return madd(s, a, real_of(2));
}

/* What (B1) needs of a turn. */
typedef struct {
  real A, c;
} turn_coeffs;

/* A and c of turns by more than a quarter of a radian, lane by lane: up to a full turn. */
static void wide_coeffs(mask wide, real s, real w, turn_coeffs *k)
{
  double in[2][CARDAN__WIDTH], out[2][CARDAN__WIDTH];
  int64_t on[CARDAN__WIDTH];
  memcpy(in[0], &s, sizeof s);
  memcpy(in[1], &w, sizeof w);
  memcpy(out[0], &k->A, sizeof s);
  memcpy(out[1], &k->c, sizeof s);
  memcpy(on, &wide, sizeof wide);
  for (int l = 0; l < CARDAN__WIDTH; l++) {
    if (on[l] == 0 || !isfinite(in[0][l]) || !isfinite(in[1][l])) {
      continue;
    }
    const double n = sqrt(in[0][l]), t = 2 * atan2(n, in[1][l]), A = n > 0 ? t / n : 2;
    out[0][l] = A;
    out[1][l] = cardan__so3_dlog_coeffs(A * A * in[0][l]).c;
  }
  memcpy(&k->A, out[0], sizeof s);
  memcpy(&k->c, out[1], sizeof s);
}

static inline mask is_wide(real s, real w)
{
  return ~(is_less(s, real_of(small_sin2)) & is_less(real_of(0), w));
}

/* Of any displacement. */
static inline turn_coeffs turn_of(const screw *Q)
{
  const real s = dot3(Q->r.v, Q->r.v);
  turn_coeffs k = {.A = small_arc(s)};
  k.c = dlog_c(k.A * k.A * s);
  const mask wide = is_wide(s, Q->r.w);
  if (any(wide)) {
    wide_coeffs(wide, s, Q->r.w, &k);
  }
  return k;
}

/* (B1) */
static inline real6 screw_log(const screw *Q)
{
  const turn_coeffs k = turn_of(Q);
  const real E = (Q->d.w + Q->d.w) * (k.A * k.A * k.c);
  return (real6){scale3(k.A, Q->r.v), less3(E, Q->r.v, scale3(k.A, Q->d.v))};
}

/* exp of the twist 2 u, for turns of up to a radian (t^2 = |u.w|^2 <= 1/4) by series: cos t, and
 * sin t / t with its derivative by t^2; the mask is set where it is more. */
static inline mask screw_exp(real6 u, screw *Q)
{
  const real y = dot3(u.w, u.w), uv = dot3(u.w, u.v);
  real C = madd(y, real_of(-1.0 / 87178291200.0), real_of(1.0 / 479001600));
  C = madd(y, C, real_of(-1.0 / 3628800));
  C = madd(y, C, real_of(1.0 / 40320));
  C = madd(y, C, real_of(-1.0 / 720));
  C = madd(y, C, real_of(1.0 / 24));
  C = madd(y, C, real_of(-0.5));
  real S = madd(y, real_of(-1.0 / 1307674368000.0), real_of(1.0 / 6227020800));
  S = madd(y, S, real_of(-1.0 / 39916800));
  S = madd(y, S, real_of(1.0 / 362880));
  S = madd(y, S, real_of(-1.0 / 5040));
  S = madd(y, S, real_of(1.0 / 120));
  S = madd(y, S, real_of(-1.0 / 6));
  const real c = madd(y, C, real_of(1)), sinc = madd(y, S, real_of(1));
  real D = real_of(-1.0 / 186810624000.0);
  D = madd(y, D, real_of(1.0 / 1037836800));
  D = madd(y, D, real_of(-1.0 / 7983360));
  D = madd(y, D, real_of(1.0 / 90720));
  D = madd(y, D, real_of(-1.0 / 1680));
  D = madd(y, D, real_of(1.0 / 60));
  D = madd(y, D, real_of(-1.0 / 6));
  *Q = (screw){{c, scale3(sinc, u.w)}, {-sinc * uv, axpy3((uv + uv) * D, u.w, scale3(sinc, u.v))}};
  return ~is_most(y, real_of(0.25));
}

/* ---- momenta ---- */

/* G V */
static inline real6 momentum_of(const cardan__lanes_body *b, real6 V)
{
  const real3 h = real3_of(b->h);
  const sym3 J = own_tensor(b);
  const real3 t = b->flags & CARDAN__LANES_DIAGONAL
                      ? (real3){J.xx * V.w.x, J.yy * V.w.y, J.zz * V.w.z}
                      : sym3_mul(&J, V.w);
  return (real6){arm_add(b->lever, h, V.v, t),
                 arm_sub(b->lever, h, V.w, scale3(real_of(b->m), V.v))};
}

/* ---- 3 x 3 ---- */

static inline mat3 mat3_add(const mat3 *a, const mat3 *b)
{
  return (mat3){add3(a->x, b->x), add3(a->y, b->y), add3(a->z, b->z)};
}

static inline mat3 mat3_sub(const mat3 *a, const mat3 *b)
{
  return (mat3){sub3(a->x, b->x), sub3(a->y, b->y), sub3(a->z, b->z)};
}

/* M + a b^T */
static inline mat3 mat3_add_outer(const mat3 *M, real3 a, real3 b)
{
  return (mat3){axpy3(a.x, b, M->x), axpy3(a.y, b, M->y), axpy3(a.z, b, M->z)};
}

/* M + a^ + k 1 */
static inline mat3 mat3_add_skew(const mat3 *M, real3 a, real k)
{
  return (mat3){{M->x.x + k, M->x.y - a.z, M->x.z + a.y},
                {M->y.x + a.z, M->y.y + k, M->y.z - a.x},
                {M->z.x - a.y, M->z.y + a.x, M->z.z + k}};
}

/* M b^: rows x b */
static inline mat3 mat3_mul_skew(const mat3 *M, real3 b)
{
  return (mat3){cross3(M->x, b), cross3(M->y, b), cross3(M->z, b)};
}

/* A 6 x 6 matrix that takes twists to wrenches, by blocks. */
typedef struct {
  mat3 tw, tv, fw, fv;
} mat6;

/* ---- a body's constants, in the units above ---- */

static inline sym3 central_sym3(const cardan__lanes_body *b)
{
  return (sym3){real_of(b->Jc[0]), real_of(b->Jc[1]), real_of(b->Jc[2]),
                real_of(b->Jc[3]), real_of(b->Jc[4]), real_of(b->Jc[5])};
}

static inline real3 central_mul(const cardan__lanes_body *b, real3 w)
{
  const sym3 J = central_sym3(b);
  return b->flags & CARDAN__LANES_CENTRAL ? (real3){J.xx * w.x, J.yy * w.y, J.zz * w.z}
                                          : sym3_mul(&J, w);
}

static inline mat3 central_tensor(const cardan__lanes_body *b)
{
  const sym3 J = central_sym3(b);
  return (mat3){{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}};
}

// what kernels/swing_step.h computes with, besides the functions above
#define INLINE static inline
#define NAME(f) f
#define wrench real6
#define central cardan__lanes_body
#define central_mass(b) real_of((b)->m)
#define central_k(b) real_of((b)->k)
#define central_c(b) real3_of((b)->c)
#define central_s(b) real3_of((b)->s)
#define central_arm(b, f, t) arm_add((b)->lever, real3_of((b)->c), f, t)
#define COLUMN(M, j) ((real3){(M).x.j, (M).y.j, (M).z.j})
#define MAT3(...) ((mat3){__VA_ARGS__})
#define ENTRY_OF(E, A, i, j) dot3((E).i, COLUMN(A, j))
#include "kernels/swing_step.h"
#undef INLINE
#undef NAME
#undef wrench
#undef central
#undef central_mass
#undef central_k
#undef central_c
#undef central_s
#undef central_arm
#undef COLUMN
#undef MAT3
#undef ENTRY_OF

/* ---- momenta ---- */

/* Where a displacement takes a body. */
static inline swing_place place_of(const cardan__lanes_body *b, const screw *Q, real A)
{
  return (swing_place){Q->r.w, Q->r.v, scale3(A, Q->r.v),
                       swing_way(Q->r.w, Q->r.v, Q->d.w, Q->d.v, real3_of(b->c))};
}

/* The coefficients of turns by more than a quarter of a radian, lane by lane. */
static void wide_swing(mask wide, const swing_place *at, real sigma, swing_coeffs *k)
{
  const real ww = dot3(at->theta, at->theta);
  double in[2][CARDAN__WIDTH], out[4][CARDAN__WIDTH];
  int64_t on[CARDAN__WIDTH];
  memcpy(in[0], &ww, sizeof ww);
  memcpy(in[1], &sigma, sizeof ww);
  memcpy(out, k, sizeof out);
  memcpy(on, &wide, sizeof wide);
  for (int l = 0; l < CARDAN__WIDTH; l++) {
    const double s = in[0][l], x = in[1][l];
    if (on[l] == 0 || !isfinite(s) || !isfinite(x)) {
      continue;
    }
    const cardan__dlog_coeffs c = cardan__so3_dlog_coeffs(s);
    out[0][l] = c.c;
    out[1][l] = c.c_s;
    if (x >= small_sin2) {
      cardan__swing_wide(x, &out[2][l], &out[3][l]);
    }
  }
  memcpy(k, out, sizeof out);
}

/* The momentum as a step begins; next: as it ends. */
static inline real6 step_momenta(const cardan__lanes_body *b, const screw *Q, real6 *next)
{
  const real s = dot3(Q->r.v, Q->r.v), A = small_arc(s), none = real_of(0);
  const mask wide = is_wide(s, Q->r.w);
  swing_place at = place_of(b, Q, A);
  swing_coeffs k = {dlog_c(A * A * s), none, none, none};
  real sigma = none;
  if (b->flags & CARDAN__LANES_SWINGS) {
    sigma = swing_sigma(at.r, real3_of(b->s));
    k.phi = swing_phi(sigma);
  }
  if (any(wide)) {
    at.theta = scale3(turn_of(Q).A, at.r);
    wide_swing(wide, &at, sigma, &k);
  }
  real6 mu;
  swing_momenta(b, &at, k.c, k.phi, &mu, next);
  return mu;
}
