/* SPDX-License-Identifier: Apache-2.0
 * kernels/body_step.h - one rigid body over one step of the variational integrator: momenta and
 * their derivative, with the kinetic energy of `se3`. The scalar code (methods/vi/kernel.h)
 * compiles this file; kernels/swing_step.h has the default, which the kernels in lanes have too.
 *
 * x = log of the displacement, h the step, G the inertia, p = G x / h:
 *   mu   = dlog_x^T p      momentum as the step begins,  -D1 of x.G x / (2 h)          (K1)
 *   next = dlog_-x^T p     momentum as it ends,           D2, in the body's new axes    (K2)
 *   K    = d mu / d zeta   for the displacement exp(zeta) exp(x), dx = dlog_x zeta      (K3)
 *
 * dlog_x = [A 0; B A],  A = 1 - w^/2 + c w^2,  B = -v^/2 + c (w^v^ + v^w^) + c1 w^2,
 * c1 = 2 (w.v) c'. (K1) in two parts, p = (t, f):  mu.t = A^T t + B^T f,  mu.f = A^T f. With J, s
 * (first moment) and m of the body over h, and D(f) = d(A^T f)/dw at fixed f, every derivative is
 * a skew matrix, an outer product and a multiple of 1:
 *   D(f) = (-f/2 - c w x f)^ + g(f) w^T + c (w.f) 1,   g(f) = -c f + 2 c' w x (w x f)          (K4)
 *   d(B^T f)/dw = (-c v x f - c1 w x f)^ + g(f) v^T + r w^T + (c v.f + c1 w.f) 1,
 *          r = -c1 f + 2 c' (v x (w x f) + w x (v x f)) + 4 (w.v) c'' w x (w x f)              (K5)
 *   N = d mu.t / dv = A^T s^ + m B^T + D(f)
 *   E = d mu.t / dw = A^T J - B^T s^ + D(t) + d(B^T f)/dw
 *   K_tv = N A,   K_tw = E A + N B,   K_fv = m A^T A                                           (K6)
 * K - K^T = -abar(mu), abar(t, f) = [t^ f^; f^ 0]: so K_fw = (K_tv + mu.f^)^T, and of K_tw only
 * the upper triangle is computed (K7).
 *
 * A file that includes this one defines, as types, functions or macros:
 *   INLINE, NAME(f)          how functions are declared, and their names
 *   real, real3              a number; a vector x, y, z
 *   twist, wrench            with members w, v; and, by these names, torque, force
 *   mat3, mat6, dlog         3 x 3; its blocks tw, tv, fw, fv; c, c_s = dc/d(w.w), c_ss
 *   real_of, madd, nmadd     a constant; a b + c, c - a b
 *   add3, scale3, axpy3, dot3, cross3, cross3_sum (a x b + c x d)
 *   axpy6 of wrenches, ad_transpose
 *   MAT3(rows), ENTRY(M, i, j), ENTRY_SUM(E, A, N, B, i, j) (of E A + N B), i and j being x, y, z
 *   mat3_axpy (k A + B), mat3_sub, mat3_mul_mat3, mat3_mul_skew, mat3_add_outer, mat3_add_skew
 * It is no header of its own: the file includes it once. */

/* (K1), (K2) from x, p and the coefficients of dlog_x. */
INLINE void NAME(momenta_of)(twist x, wrench p, const dlog *k, wrench *mu, wrench *next)
{
  const real c1 = real_of(2) * dot3(x.w, x.v) * k->c_s;
  const wrench p1 = ad_transpose(x, p), p2 = ad_transpose(x, p1);
  const wrench even = {axpy3(c1, p2.force, axpy3(k->c, p2.torque, p.torque)),
                       axpy3(k->c, p2.force, p.force)};
  *mu = axpy6(real_of(-0.5), p1, even);
  *next = axpy6(real_of(0.5), p1, even);
}

/* A = 1 - w^/2 + c w^2; or A^T, with sign = -1. */
INLINE mat3 NAME(dlog_turn)(real3 w, real c, double sign)
{
  const real ww = c * dot3(w, w), k = real_of(-0.5 * sign);
  const real3 u = scale3(c, w), n = scale3(k, w);
  const real xy = u.x * w.y, xz = u.x * w.z, yz = u.y * w.z, rest = real_of(1) - ww;
  return MAT3({madd(u.x, w.x, rest), xy - n.z, xz + n.y},
              {xy + n.z, madd(u.y, w.y, rest), yz - n.x},
              {xz - n.y, yz + n.x, madd(u.z, w.z, rest)});
}

/* B = -v^/2 + (symmetric): c (w v^T + v w^T) + c1 w w^T - (2 c w.v + c1 w.w) 1; or B^T. */
INLINE mat3 NAME(dlog_shift)(twist x, real c, real c1, double sign)
{
  const real3 w = x.w, v = x.v, n = scale3(real_of(-0.5 * sign), v);
  const real3 a = axpy3(real_of(0.5) * c1, w, scale3(c, v)); // w a^T + a w^T
  const real d = real_of(-2) * dot3(w, a), two = real_of(2);
  const real xy = madd(w.x, a.y, a.x * w.y), xz = madd(w.x, a.z, a.x * w.z),
             yz = madd(w.y, a.z, a.y * w.z);
  return MAT3({madd(two * w.x, a.x, d), xy - n.z, xz + n.y},
              {xy + n.z, madd(two * w.y, a.y, d), yz - n.x},
              {xz - n.y, yz + n.x, madd(two * w.z, a.z, d)});
}

/* N and E of (K6); m, s, J: of the inertia over h; At = A^T, Bt = B^T. */
INLINE void NAME(momentum_slopes)(real m, real3 s, const mat3 *J, twist x, wrench p, const dlog *k,
                                  const mat3 *At, const mat3 *Bt, mat3 *N, mat3 *E)
{
  const real3 w = x.w, v = x.v, f = p.force, t = p.torque;
  const real c = k->c, d = real_of(2) * k->c_s, wv = real_of(2) * dot3(w, v), c1 = wv * k->c_s;
  const real3 wf = cross3(w, f), wwf = cross3(w, wf), wt = cross3(w, t), wwt = cross3(w, wt);
  const real3 vf = cross3(v, f), g = axpy3(d, wwf, scale3(-c, f));

  // D(f), (K4)
  const mat3 Ats = mat3_mul_skew(At, s);
  *N = mat3_axpy(m, Bt, &Ats);
  *N = mat3_add_outer(N, g, w);
  *N = mat3_add_skew(N, axpy3(-c, wf, scale3(real_of(-0.5), f)), c * dot3(w, f));

  // D(t) and (K5) together
  const real3 mixed = cross3_sum(v, wf, w, vf);
  real3 r = axpy3(d, add3(mixed, wwt), scale3(-c, t));
  r = axpy3(real_of(2) * wv * k->c_ss, wwf, axpy3(-c1, f, r));
  const real3 e = axpy3(-c, add3(wt, vf), axpy3(-c1, wf, scale3(real_of(-0.5), t)));
  const real kappa = madd(c, (dot3(w, t) + dot3(v, f)), c1 * dot3(w, f));
  const mat3 AtJ = mat3_mul_mat3(At, J), Bts = mat3_mul_skew(Bt, s);
  *E = mat3_sub(&AtJ, &Bts);
  *E = mat3_add_outer(E, r, w);
  *E = mat3_add_outer(E, g, v);
  *E = mat3_add_skew(E, e, kappa);
}

/* (K3), exactly, from m, s, J as above; mu is that of (K1) at the same x. */
INLINE mat6 NAME(slope_of)(real m, real3 s, const mat3 *J, twist x, wrench p, const dlog *k,
                           wrench mu)
{
  const real c1 = real_of(2) * dot3(x.w, x.v) * k->c_s;
  const mat3 A = NAME(dlog_turn)(x.w, k->c, 1), At = NAME(dlog_turn)(x.w, k->c, -1);
  const mat3 B = NAME(dlog_shift)(x, k->c, c1, 1), Bt = NAME(dlog_shift)(x, k->c, c1, -1);
  mat3 N, E;
  NAME(momentum_slopes)(m, s, J, x, p, k, &At, &Bt, &N, &E);
  const mat3 tv = mat3_mul_mat3(&N, &A); // (K6)
  const real xx = ENTRY_SUM(E, A, N, B, x, x), yy = ENTRY_SUM(E, A, N, B, y, y);
  const real zz = ENTRY_SUM(E, A, N, B, z, z), xy = ENTRY_SUM(E, A, N, B, x, y);
  const real xz = ENTRY_SUM(E, A, N, B, x, z), yz = ENTRY_SUM(E, A, N, B, y, z);
  // A^T A = 1 + g w^2
  const real ww = dot3(x.w, x.w);
  const real g = m * nmadd(k->c * k->c, ww, (real_of(2) * k->c - real_of(0.25)));
  const real3 u = scale3(g, x.w), f = mu.force, t = mu.torque;
  const real d = nmadd(g, ww, m), uxy = u.x * x.w.y, uxz = u.x * x.w.z, uyz = u.y * x.w.z;
  return (mat6){// (K7)
                .tw = MAT3({xx, xy, xz}, {xy - t.z, yy, yz}, {xz + t.y, yz - t.x, zz}),
                .tv = tv,
                .fw = MAT3({ENTRY(tv, x, x), ENTRY(tv, y, x) + f.z, ENTRY(tv, z, x) - f.y},
                           {ENTRY(tv, x, y) - f.z, ENTRY(tv, y, y), ENTRY(tv, z, y) + f.x},
                           {ENTRY(tv, x, z) + f.y, ENTRY(tv, y, z) - f.x, ENTRY(tv, z, z)}),
                .fv = MAT3({madd(u.x, x.w.x, d), uxy, uxz}, {uxy, madd(u.y, x.w.y, d), uyz},
                           {uxz, uyz, madd(u.z, x.w.z, d)})};
}
