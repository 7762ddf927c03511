/* SPDX-License-Identifier: Apache-2.0
 * kernels/swing_step.h - one rigid body over one step of the variational integrator with the
 * discrete kinetic energy `swing`: momenta and their derivative. The scalar code
 * (methods/vi/kernel.h) and the kernels in lanes (batch/lanes/vi_body.h) compile this file, each
 * over its own numbers. kernels/body_step.h is the same for the energy of `se3`.
 *
 * Over a step of h the body is displaced by dT: D turns it and p moves its origin; theta = log D,
 * c the centre of mass, Jc the inertia about it, d = p + D c - c the way of the centre (axes as the
 * step begins). r is a point that the joint holds, s = c - r its lever and al the angle from s to
 * y = D s (model/central.h). The action of the step,
 *   Ld = (m |d|^2 + theta^T Jc theta + m |s|^2 (al^2 - 4 sin^2(al/2))) / (2 h)               (S1)
 * is that of a free body whose centre moves straight; its last term makes the way of the lever an
 * arc, so that a body which turns about r alone has its exact energy. With t = Jc theta / h,
 * f = m d / h, phi = al / sin al - 1, psi = (sin al - al cos al) / sin^3 al and c0 of dlog_theta:
 *   mu.f = f,        mu.t = t + theta x t / 2 + c0 theta x (theta x t) + c x f + m phi s x y / h
 *   next.f = D^T f,  next.t = t - theta x t / 2 + c0 theta x (theta x t) + c x D^T f
 *                             + m phi (D^T s) x s / h                                        (S2)
 * mu = -D1 Ld as the step begins, next = D2 Ld in the body's new axes: next = Ad_dT^T mu. For
 * dT -> exp(zeta) dT and e = c + d, a^ b^ = b a^T - (a.b) 1,
 *   K = d mu / d zeta = [H - m c^ e^ / h + W, m c^ / h; -m e^ / h, m 1 / h]                  (S3)
 *   H = (A^T Jc / h + Dt) A,   A = dlog_theta = 1 - theta^ / 2 + c0 theta^2
 *   Dt = (-t/2 - c0 theta x t)^ + (-c0 t + 2 c0' theta x (theta x t)) theta^T + c0 (theta.t) 1
 *   W = m (-phi s^ y^ + psi (s x y) (s x y)^T / |s|^2) / h
 * K - K^T = -abar(mu), abar(t, f) = [t^ f^; f^ 0]: of the first block only the upper triangle is
 * computed (S4). With sigma = sin^2(al/2) = |r x s|^2 / |s|^2, r the vector part of D's quaternion,
 *   phi = sum of e_n sigma^n,   psi = sum of n e_n sigma^(n-1) / 2,   e_n = 4^n n!^2 / (2n+1)! (S5)
 *
 * Here s is a unit vector and k stands for m |s|^2. A file that includes this one defines, as
 * types, functions or macros, besides what kernels/body_step.h lists (INLINE to mat3_add_skew):
 *   central                  a body's constants; const central *b has, over h:
 *   central_mass, central_k, central_c, central_s   m, k; c; s
 *   central_mul(b, w), central_tensor(b)            Jc w; Jc as a mat3
 *   central_arm(b, f, t)                            c x f + t
 *   ENTRY_OF(E, A, i, j)     of E A, i and j being x, y, z
 * It is no header of its own: each of the two includes it once. */

/* A displacement as the formulae take it: r the vector part of the quaternion of D, w its
 * scalar. */
typedef struct {
  real w;
  real3 r, theta, way;
} NAME(swing_place);

/* c0, dc0/d(theta.theta), phi, psi; momenta read c0 and phi alone. */
typedef struct {
  real c, c_s, phi, psi;
} NAME(swing_coeffs);

/* d of (S1) from the dual quaternion of dT: 2 (w dv - dw r + r x (dv + w c + r x c)). */
INLINE real3 NAME(swing_way)(real w, real3 r, real dw, real3 dv, real3 c)
{
  const real3 at = axpy3(w, c, dv), across = cross3(r, add3(at, cross3(r, c)));
  return scale3(real_of(2), add3(across, axpy3(w, dv, scale3(-dw, r))));
}

/* sigma of (S5). */
INLINE real NAME(swing_sigma)(real3 r, real3 s)
{
  const real3 across = cross3(r, s);
  return dot3(across, across);
}

/* phi and psi for sigma < 0.015: terms fall by 66, cut off below 1e-17. */
INLINE real NAME(swing_phi)(real x)
{
  const real y = x * x;
  const real a0 = madd(x, real_of(8.0 / 15), real_of(2.0 / 3));
  const real a1 = madd(x, real_of(128.0 / 315), real_of(16.0 / 35));
  const real a2 = madd(x, real_of(1024.0 / 3003), real_of(256.0 / 693));
  const real a3 = madd(x, real_of(32768.0 / 109395), real_of(2048.0 / 6435));
  return x * madd(y, madd(y, madd(y, a3, a2), a1), a0);
}

INLINE real NAME(swing_psi)(real x)
{
  const real y = x * x;
  const real a0 = madd(x, real_of(8.0 / 15), real_of(1.0 / 3));
  const real a1 = madd(x, real_of(256.0 / 315), real_of(24.0 / 35));
  const real a2 = madd(x, real_of(1024.0 / 1001), real_of(640.0 / 693));
  const real a3 = madd(x, real_of(131072.0 / 109395), real_of(7168.0 / 6435));
  const real a4 = real_of(294912.0 / 230945);
  return madd(y, madd(y, madd(y, madd(y, a4, a3), a2), a1), a0);
}

/* (S2). s x (r x s) = r - (r.s) s and s x (r x (r x s)) = -(r.s) r x s, s being a unit vector. */
INLINE void NAME(swing_momenta)(const central *b, const NAME(swing_place) * at, real c, real phi,
                                wrench *mu, wrench *next)
{
  const real3 r = at->r, s = central_s(b), f = scale3(central_mass(b), at->way);
  const real3 t = central_mul(b, at->theta), odd = cross3(at->theta, t);
  const real3 even = axpy3(c, cross3(at->theta, odd), t), rf = cross3(r, f);
  const real3 back = axpy3(real_of(2), cross3(r, rf), axpy3(real_of(-2) * at->w, rf, f));
  const real rs = dot3(r, s), k = real_of(2) * central_k(b) * phi;
  const real3 u = scale3(k * at->w, axpy3(-rs, s, r)), v = scale3(k * rs, cross3(r, s));
  const real3 lift = add3(even, u), side = axpy3(real_of(0.5), odd, scale3(real_of(-1), v));
  *mu = (wrench){central_arm(b, f, add3(lift, side)), f};
  *next = (wrench){central_arm(b, back, axpy3(real_of(-1), side, lift)), back};
}

/* A = 1 - w^/2 + c w^2; or A^T, with sign = -1. */
INLINE mat3 NAME(swing_dlog)(real3 w, real c, double sign)
{
  const real ww = c * dot3(w, w), k = real_of(-0.5 * sign);
  const real3 u = scale3(c, w), n = scale3(k, w);
  const real xy = u.x * w.y, xz = u.x * w.z, yz = u.y * w.z, rest = real_of(1) - ww;
  return MAT3({madd(u.x, w.x, rest), xy - n.z, xz + n.y},
              {xy + n.z, madd(u.y, w.y, rest), yz - n.x},
              {xz - n.y, yz + n.x, madd(u.z, w.z, rest)});
}

/* A^T Jc + Dt. */
INLINE mat3 NAME(swing_turn_slope)(const central *b, real3 theta, const NAME(swing_coeffs) * k)
{
  const mat3 At = NAME(swing_dlog)(theta, k->c, -1), J = central_tensor(b);
  const real3 t = central_mul(b, theta), wt = cross3(theta, t), wwt = cross3(theta, wt);
  mat3 E = mat3_mul_mat3(&At, &J);
  E = mat3_add_outer(&E, axpy3(real_of(2) * k->c_s, wwt, scale3(-k->c, t)), theta);
  return mat3_add_skew(&E, axpy3(-k->c, wt, scale3(real_of(-0.5), t)), k->c * dot3(theta, t));
}

/* Upper triangles of W and of -m c^ e^, added to upper: xx yy zz xy xz yz. */
INLINE void NAME(swing_shift_slope)(const central *b, const NAME(swing_place) * at,
                                    const NAME(swing_coeffs) * k, real3 e, real upper[6])
{
  const real3 r = at->r, s = central_s(b), c = central_c(b), s1 = cross3(r, s);
  const real rs = dot3(r, s), w2 = real_of(2) * at->w;
  // y = s + 2 w r x s + 2 r x (r x s), a = m e + k phi y and so on: rows of a c^T beside b s^T
  const real3 back = axpy3(rs, r, scale3(-dot3(r, r), s));
  const real3 y = axpy3(real_of(2), back, axpy3(w2, s1, s));
  const real3 n = axpy3(w2, axpy3(-rs, s, r), scale3(real_of(-2) * rs, s1));
  const real kphi = central_k(b) * k->phi, m = central_mass(b);
  const real3 p = scale3(m, e), q = scale3(kphi, y), u = scale3(central_k(b) * k->psi, n);
  const real d = madd(m, dot3(c, e), kphi * dot3(s, y));
  upper[0] = upper[0] + d + (u.x * n.x - (p.x * c.x + q.x * s.x));
  upper[1] = upper[1] + d + (u.y * n.y - (p.y * c.y + q.y * s.y));
  upper[2] = upper[2] + d + (u.z * n.z - (p.z * c.z + q.z * s.z));
  upper[3] = upper[3] + (u.x * n.y - (p.x * c.y + q.x * s.y));
  upper[4] = upper[4] + (u.x * n.z - (p.x * c.z + q.x * s.z));
  upper[5] = upper[5] + (u.y * n.z - (p.y * c.z + q.y * s.z));
}

/* (S3), exactly; t is mu.t of (S2) at the same place. */
INLINE mat6 NAME(swing_slope)(const central *b, const NAME(swing_place) * at,
                              const NAME(swing_coeffs) * k, real3 t)
{
  const mat3 A = NAME(swing_dlog)(at->theta, k->c, 1);
  const mat3 E = NAME(swing_turn_slope)(b, at->theta, k);
  const real3 c = central_c(b), e = add3(c, at->way);
  real u[6] = {ENTRY_OF(E, A, x, x), ENTRY_OF(E, A, y, y), ENTRY_OF(E, A, z, z),
               ENTRY_OF(E, A, x, y), ENTRY_OF(E, A, x, z), ENTRY_OF(E, A, y, z)};
  NAME(swing_shift_slope)(b, at, k, e, u);
  const real m = central_mass(b), none = real_of(0);
  const real3 mc = scale3(m, c), me = scale3(m, e);
  return (mat6){
      // (S4)
      .tw = MAT3({u[0], u[3], u[4]}, {u[3] - t.z, u[1], u[5]}, {u[4] + t.y, u[5] - t.x, u[2]}),
      .tv = MAT3({none, -mc.z, mc.y}, {mc.z, none, -mc.x}, {-mc.y, mc.x, none}),
      .fw = MAT3({none, me.z, -me.y}, {-me.z, none, me.x}, {me.y, -me.x, none}),
      .fv = MAT3({m, none, none}, {none, m, none}, {none, none, m})};
}
