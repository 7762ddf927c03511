/* SPDX-License-Identifier: Apache-2.0
 * spatial/inertia.h - rigid-body inertia, and the symmetric 3 x 3 matrices it is made of.
 *
 * cardan_inertia about a frame's origin, c the centre of mass, Ic the tensor about c:
 *   m,   h = m c,   J = Ic - m c^c^ = Ic + m (c.c 1 - c c^T),   G = [J h^; -h^ m 1]
 *   momentum of a twist: G V = (J w + h x v, m v - h x w)
 * Tensor entries, not products of inertia: xy = -integral of x y dm. */
#pragma once
#include "spatial/rotation.h"
#include "spatial/twist.h"

/* Symmetric 3 x 3 matrix. */
typedef struct {
  double xx, yy, zz, xy, xz, yz;
} cardan__sym3;

static inline cardan__sym3 cardan__sym3_add(const cardan__sym3 *S, const cardan__sym3 *P)
{
  return (cardan__sym3){S->xx + P->xx, S->yy + P->yy, S->zz + P->zz,
                        S->xy + P->xy, S->xz + P->xz, S->yz + P->yz};
}

static inline cardan_vec3 cardan__sym3_mulv(const cardan__sym3 *S, cardan_vec3 x)
{
  return (cardan_vec3){S->xx * x.x + S->xy * x.y + S->xz * x.z,
                       S->xy * x.x + S->yy * x.y + S->yz * x.z,
                       S->xz * x.x + S->yz * x.y + S->zz * x.z};
}

/* S - k u u^T */
static inline cardan__sym3 cardan__sym3_sub_rank1(const cardan__sym3 *S, double k, cardan_vec3 u)
{
  const cardan_vec3 n = cardan__vec3_scale(k, u);
  return (cardan__sym3){S->xx - n.x * u.x, S->yy - n.y * u.y, S->zz - n.z * u.z,
                        S->xy - n.x * u.y, S->xz - n.x * u.z, S->yz - n.y * u.z};
}

/* R S R^T for a rotation R with columns r1, r2, r3. zz 1 needs no turning; the rest is
 *   r1 u^T + u r1^T + r2 n^T + n r2^T,  u = (xx-zz)/2 r1 + xy r2 + xz r3,  n = (yy-zz)/2 r2 + yz r3
 * which costs 38 products instead of 45. */
static inline cardan__sym3 cardan__sym3_rotate(const cardan_mat3 *R, const cardan__sym3 *S)
{
  const cardan_vec3 a = cardan__mat3_column(R, 0), b = cardan__mat3_column(R, 1);
  const cardan_vec3 c = cardan__mat3_column(R, 2);
  const cardan_vec3 u = cardan__vec3_axpy(
      0.5 * (S->xx - S->zz), a, cardan__vec3_axpy(S->xy, b, cardan__vec3_scale(S->xz, c)));
  const cardan_vec3 n = cardan__vec3_axpy(0.5 * (S->yy - S->zz), b, cardan__vec3_scale(S->yz, c));
  return (cardan__sym3){S->zz + 2.0 * (a.x * u.x + b.x * n.x),
                        S->zz + 2.0 * (a.y * u.y + b.y * n.y),
                        S->zz + 2.0 * (a.z * u.z + b.z * n.z),
                        a.x * u.y + u.x * a.y + (b.x * n.y + n.x * b.y),
                        a.x * u.z + u.x * a.z + (b.x * n.z + n.x * b.z),
                        a.y * u.z + u.y * a.z + (b.y * n.z + n.y * b.z)};
}

/* Rz S Rz^T, c = cos, s = sin: with e = c (xx - yy) - 2 s xy,
 *   xx' = yy + c e,   yy' = xx - c e,   xy' = xy + s e;   (xz, yz) turns as a vector. */
static inline cardan__sym3 cardan__sym3_rot_z(double c, double s, const cardan__sym3 *S)
{
  const double e = c * (S->xx - S->yy) - 2.0 * s * S->xy;
  return (cardan__sym3){S->yy + c * e, S->xx - c * e,         S->zz,
                        S->xy + s * e, c * S->xz - s * S->yz, s * S->xz + c * S->yz};
}

/* Rx S Rx^T, c = cos, s = sin: as rot_z with x, y, z renamed to y, z, x. */
static inline cardan__sym3 cardan__sym3_rot_x(double c, double s, const cardan__sym3 *S)
{
  const double e = c * (S->yy - S->zz) - 2.0 * s * S->yz;
  return (cardan__sym3){
      S->xx,        S->zz + c * e, S->yy - c * e, c * S->xy - s * S->xz, s * S->xy + c * S->xz,
      S->yz + s * e};
}

/* ---- rigid-body inertia ---- */

/* Mass m [kg], centre of mass c [m], tensor Ic about the centre of mass [kg m^2], frame's axes. */
static inline cardan_inertia cardan__inertia_from_com(double m, cardan_vec3 c,
                                                      const cardan__sym3 *Ic)
{
  const cardan_vec3 h = cardan__vec3_scale(m, c);
  return (cardan_inertia){m,
                          h,
                          Ic->xx + (h.y * c.y + h.z * c.z),
                          Ic->yy + (h.x * c.x + h.z * c.z),
                          Ic->zz + (h.x * c.x + h.y * c.y),
                          Ic->xy - h.x * c.y,
                          Ic->xz - h.x * c.z,
                          Ic->yz - h.y * c.z};
}

static inline cardan__sym3 cardan__inertia_tensor(const cardan_inertia *G)
{
  return (cardan__sym3){G->xx, G->yy, G->zz, G->xy, G->xz, G->yz};
}

static inline cardan_inertia cardan__inertia_from_moments(double m, cardan_vec3 h, cardan__sym3 J)
{
  return (cardan_inertia){m, h, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
}

/* Sum of two inertias about the same frame: the bodies welded together. */
static inline cardan_inertia cardan__inertia_add(const cardan_inertia *a, const cardan_inertia *b)
{
  return (cardan_inertia){a->m + b->m,   cardan__vec3_add(a->h, b->h),
                          a->xx + b->xx, a->yy + b->yy,
                          a->zz + b->zz, a->xy + b->xy,
                          a->xz + b->xz, a->yz + b->yz};
}

/* G V: momentum of a twist, or wrench of an acceleration. */
static inline cardan_force cardan__inertia_mul(const cardan_inertia *G, cardan_twist V)
{
  const cardan_vec3 h = G->h, w = V.w, v = V.v;
  const cardan_vec3 Jw = {G->xx * w.x + G->xy * w.y + G->xz * w.z,
                          G->xy * w.x + G->yy * w.y + G->yz * w.z,
                          G->xz * w.x + G->yz * w.y + G->zz * w.z};
  return (cardan_force){cardan__vec3_add(Jw, cardan__vec3_cross(h, v)),
                        cardan__vec3_axpy(G->m, v, cardan__vec3_cross(w, h))};
}

/* Kinetic energy 1/2 V.G V [J]. */
static inline double cardan__inertia_energy(const cardan_inertia *G, cardan_twist V)
{
  return 0.5 * cardan__power(V, cardan__inertia_mul(G, V));
}

/* The same body seen from axes turned by R: R takes old coordinates to new ones. */
static inline cardan_inertia cardan__inertia_rotate(const cardan_mat3 *R, const cardan_inertia *G)
{
  const cardan__sym3 J = cardan__inertia_tensor(G);
  return cardan__inertia_from_moments(G->m, cardan__mat3_mulv(R, G->h), cardan__sym3_rotate(R, &J));
}

/* The same body about a new origin, p the old origin in the new frame (so c' = c + p):
 *   h' = h + m p,   J' = J + 2 (g.p) 1 - g p^T - p g^T,   g = h + m p / 2 */
static inline cardan_inertia cardan__inertia_shift(cardan_vec3 p, const cardan_inertia *G)
{
  const cardan_vec3 g = cardan__vec3_axpy(0.5 * G->m, p, G->h);
  const double gx = g.x * p.x, gy = g.y * p.y, gz = g.z * p.z;
  return (cardan_inertia){G->m,
                          cardan__vec3_axpy(G->m, p, G->h),
                          G->xx + 2.0 * (gy + gz),
                          G->yy + 2.0 * (gx + gz),
                          G->zz + 2.0 * (gx + gy),
                          G->xy - (g.x * p.y + g.y * p.x),
                          G->xz - (g.x * p.z + g.z * p.x),
                          G->yz - (g.y * p.z + g.z * p.y)};
}

/* Child frame to parent frame, T = T_parent_child: G_A = Ad_T^-T G_B Ad_T^-1. */
static inline cardan_inertia cardan__inertia_to_parent(const cardan_xform *T,
                                                       const cardan_inertia *G)
{
  const cardan_inertia turned = cardan__inertia_rotate(&T->R, G);
  return cardan__inertia_shift(T->p, &turned);
}

/* Tensor about the centre of mass, in the frame's axes: Ic = J - (h.h 1 - h h^T) / m.
 * Without mass there is no such point and J itself is returned (one select). */
static inline cardan__sym3 cardan__inertia_about_com(const cardan_inertia *G)
{
  const double k = G->m > 0.0 ? 1.0 / G->m : 0.0;
  const cardan_vec3 h = G->h, n = cardan__vec3_scale(k, h);
  return (cardan__sym3){G->xx - (n.y * h.y + n.z * h.z),
                        G->yy - (n.x * h.x + n.z * h.z),
                        G->zz - (n.x * h.x + n.y * h.y),
                        G->xy + n.x * h.y,
                        G->xz + n.x * h.z,
                        G->yz + n.y * h.z};
}

/* What is wrong with an inertia, the first thing found. */
typedef enum {
  CARDAN__INERTIA_OK,
  CARDAN__INERTIA_NOT_FINITE,   // a number is infinite or not a number
  CARDAN__INERTIA_MASS,         // mass < 0
  CARDAN__INERTIA_FIRST_MOMENT, // no mass, yet h is not zero
  CARDAN__INERTIA_MOMENT,       // a principal moment about the centre of mass is < 0
  CARDAN__INERTIA_TRIANGLE      // the largest principal moment exceeds the sum of the other two
} cardan__inertia_fault;

/* Checks that G could be a body. moments (may be NULL) gets the principal moments about the centre
 * of mass [kg m^2], ascending; unchanged when the tensor was not reached. Round-off is forgiven:
 * the moments may be off by 64 eps times the largest entry of J. Not for the hot path. */
cardan__inertia_fault cardan__inertia_check(const cardan_inertia *G, double moments[3]);

/* Eigenvalues of S, ascending, by cyclic Jacobi rotations; S must be finite. */
void cardan__sym3_eigenvalues(const cardan__sym3 *S, double lambda[3]);
