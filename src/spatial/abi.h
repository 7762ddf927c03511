/* SPDX-License-Identifier: Apache-2.0
 * spatial/abi.h - articulated-body inertia: a symmetric 6 x 6 matrix in three blocks, 21 numbers.
 *
 *   [t]   [A   B] [w]      A  symmetric, rotational [kg m^2]
 *   [f] = [B^T C] [v]      B  3 x 3, coupling [kg m], row-major: B.m[i][j] multiplies v_j into t_i
 *                          C  symmetric, mass [kg]
 * A rigid body is A = J, B = h^, C = m 1.
 *
 * Change of frame, parent from child, T = (R, p):  I_A = Ad_T^-T I_B Ad_T^-1, that is
 *   rotate:  A' = R A R^T,  B' = R B R^T,  C' = R C R^T
 *   shift:   C' = C,  B' = B + p^ C,  A' = A - B p^ + p^ B'^T                            */
#pragma once
#include "base/inline.h"
#include "spatial/inertia.h"

typedef struct {
  cardan__sym3 A;
  cardan_mat3 B;
  cardan__sym3 C;
} cardan__abi;

static inline cardan__abi cardan__abi_from_inertia(const cardan_inertia *G)
{
  return (cardan__abi){
      cardan__inertia_tensor(G), cardan__mat3_skew(G->h), {G->m, G->m, G->m, 0.0, 0.0, 0.0}};
}

static inline cardan__abi cardan__abi_add(const cardan__abi *a, const cardan__abi *b)
{
  const double(*p)[3] = a->B.m, (*q)[3] = b->B.m;
  return (cardan__abi){cardan__sym3_add(&a->A, &b->A),
                       {{{p[0][0] + q[0][0], p[0][1] + q[0][1], p[0][2] + q[0][2]},
                         {p[1][0] + q[1][0], p[1][1] + q[1][1], p[1][2] + q[1][2]},
                         {p[2][0] + q[2][0], p[2][1] + q[2][1], p[2][2] + q[2][2]}}},
                       cardan__sym3_add(&a->C, &b->C)};
}

/* [0 0; 0 C] about a new origin, p the old origin in the new frame (cardan__abi_shift). */
static inline cardan__abi cardan__abi_from_mass(cardan_vec3 p, const cardan__sym3 *C)
{
  const cardan_vec3 x = cardan__vec3_cross(p, cardan__vec3(C->xx, C->xy, C->xz)); // columns of p^ C
  const cardan_vec3 y = cardan__vec3_cross(p, cardan__vec3(C->xy, C->yy, C->yz));
  const cardan_vec3 z = cardan__vec3_cross(p, cardan__vec3(C->xz, C->yz, C->zz));
  return (cardan__abi){{p.y * z.x - p.z * y.x, p.z * x.y - p.x * z.y, p.x * y.z - p.y * x.z,
                        p.y * z.y - p.z * y.y, p.y * z.z - p.z * y.z, p.z * x.z - p.x * z.z},
                       {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}},
                       *C};
}

/* I + G */
CARDAN__INLINE cardan__abi cardan__abi_add_inertia(const cardan__abi *I, const cardan_inertia *G)
{
  const double(*b)[3] = I->B.m;
  const cardan__sym3 *A = &I->A, *C = &I->C;
  const cardan_vec3 h = G->h;
  return (cardan__abi){
      {A->xx + G->xx, A->yy + G->yy, A->zz + G->zz, A->xy + G->xy, A->xz + G->xz, A->yz + G->yz},
      {{{b[0][0], b[0][1] - h.z, b[0][2] + h.y},
        {b[1][0] + h.z, b[1][1], b[1][2] - h.x},
        {b[2][0] - h.y, b[2][1] + h.x, b[2][2]}}},
      {C->xx + G->m, C->yy + G->m, C->zz + G->m, C->xy, C->xz, C->yz}};
}

/* I V */
static inline cardan_force cardan__abi_mul(const cardan__abi *I, cardan_twist V)
{
  return (cardan_force){
      cardan__vec3_add(cardan__sym3_mulv(&I->A, V.w), cardan__mat3_mulv(&I->B, V.v)),
      cardan__vec3_add(cardan__mat3_tmulv(&I->B, V.w), cardan__sym3_mulv(&I->C, V.v))};
}

/* I (z; 0) */
static inline cardan_force cardan__abi_mul_z(const cardan__abi *I)
{
  return (cardan_force){.t = {I->A.xz, I->A.yz, I->A.zz},
                        .f = {I->B.m[2][0], I->B.m[2][1], I->B.m[2][2]}};
}

/* I - k U U^T: what remains after a joint with U = I S gives way, k = 1 / S.U. */
static inline cardan__abi cardan__abi_sub_rank1(const cardan__abi *I, double k, cardan_force U)
{
  const double(*b)[3] = I->B.m;
  const cardan_vec3 n = cardan__vec3_scale(k, U.t), f = U.f;
  return (cardan__abi){cardan__sym3_sub_rank1(&I->A, k, U.t),
                       {{{b[0][0] - n.x * f.x, b[0][1] - n.x * f.y, b[0][2] - n.x * f.z},
                         {b[1][0] - n.y * f.x, b[1][1] - n.y * f.y, b[1][2] - n.y * f.z},
                         {b[2][0] - n.z * f.x, b[2][1] - n.z * f.y, b[2][2] - n.z * f.z}}},
                       cardan__sym3_sub_rank1(&I->C, k, U.f)};
}

/* The same inertia in axes turned by R (old to new coordinates): 38 + 54 + 38 products. */
static inline cardan__abi cardan__abi_rotate(const cardan_mat3 *R, const cardan__abi *I)
{
  const cardan_mat3 RB = cardan__mat3_mul(R, &I->B);
  return (cardan__abi){cardan__sym3_rotate(R, &I->A), cardan__mat3_mult(&RB, R),
                       cardan__sym3_rotate(R, &I->C)};
}

/* The same inertia about a new origin, p the old origin in the new frame: 33 products.
 * Row i of B is b_i. B' = B + p^ C;  A'_ij = A_ij + (p x b_i)_j + (p x b'_j)_i. */
static inline cardan__abi cardan__abi_shift(cardan_vec3 p, const cardan__abi *I)
{
  const cardan__sym3 *A = &I->A, *C = &I->C;
  const double(*b)[3] = I->B.m;
  const double n00 = b[0][0] + (p.y * C->xz - p.z * C->xy);
  const double n01 = b[0][1] + (p.y * C->yz - p.z * C->yy);
  const double n02 = b[0][2] + (p.y * C->zz - p.z * C->yz);
  const double n10 = b[1][0] + (p.z * C->xx - p.x * C->xz);
  const double n11 = b[1][1] + (p.z * C->xy - p.x * C->yz);
  const double n12 = b[1][2] + (p.z * C->xz - p.x * C->zz);
  const double n20 = b[2][0] + (p.x * C->xy - p.y * C->xx);
  const double n21 = b[2][1] + (p.x * C->yy - p.y * C->xy);
  const double n22 = b[2][2] + (p.x * C->yz - p.y * C->xz);
  return (cardan__abi){{A->xx + (p.y * (b[0][2] + n02) - p.z * (b[0][1] + n01)),
                        A->yy + (p.z * (b[1][0] + n10) - p.x * (b[1][2] + n12)),
                        A->zz + (p.x * (b[2][1] + n21) - p.y * (b[2][0] + n20)),
                        A->xy + (p.z * (b[0][0] - n11) + (p.y * n12 - p.x * b[0][2])),
                        A->xz + (p.y * (n22 - b[0][0]) + (p.x * b[0][1] - p.z * n21)),
                        A->yz + (p.x * (b[1][1] - n22) + (p.z * n20 - p.y * b[1][0]))},
                       {{{n00, n01, n02}, {n10, n11, n12}, {n20, n21, n22}}},
                       *C};
}

/* The same for p = l x: 14 products. */
CARDAN__INLINE void cardan__abi_shift_x(double l, cardan__abi *I)
{
  cardan__sym3 *A = &I->A;
  const cardan__sym3 *C = &I->C;
  double(*b)[3] = I->B.m;
  const double b11 = b[1][1], yy = A->yy - l * b[1][2], zz = A->zz + l * b[2][1];
  b[1][0] -= l * C->xz;
  b[1][1] -= l * C->yz;
  b[1][2] -= l * C->zz;
  b[2][0] += l * C->xy;
  b[2][1] += l * C->yy;
  b[2][2] += l * C->yz;
  A->yy = yy - l * b[1][2];
  A->zz = zz + l * b[2][1];
  A->xy -= l * b[0][2];
  A->xz += l * b[0][1];
  A->yz = (A->yz + l * b11) - l * b[2][2];
}

/* The same inertia where the axes y, z, x are called x, y, z. */
CARDAN__INLINE cardan__abi cardan__abi_renamed(const cardan__abi *I)
{
  const cardan__sym3 *A = &I->A, *C = &I->C;
  const double(*b)[3] = I->B.m;
  return (cardan__abi){
      {A->yy, A->zz, A->xx, A->yz, A->xy, A->xz},
      {{{b[1][1], b[1][2], b[1][0]}, {b[2][1], b[2][2], b[2][0]}, {b[0][1], b[0][2], b[0][0]}}},
      {C->yy, C->zz, C->xx, C->yz, C->xy, C->xz}};
}

/* The same for p = l y and p = l z. */
CARDAN__INLINE void cardan__abi_shift_y(double l, cardan__abi *I)
{
  cardan__abi J = cardan__abi_renamed(I);
  cardan__abi_shift_x(l, &J);
  J = cardan__abi_renamed(&J);
  *I = cardan__abi_renamed(&J);
}

CARDAN__INLINE void cardan__abi_shift_z(double l, cardan__abi *I)
{
  cardan__abi J = cardan__abi_renamed(I);
  J = cardan__abi_renamed(&J);
  cardan__abi_shift_x(l, &J);
  *I = cardan__abi_renamed(&J);
}

/* Child frame to parent frame, T = T_parent_child. */
static inline cardan__abi cardan__abi_to_parent(const cardan_xform *T, const cardan__abi *I)
{
  const cardan__abi turned = cardan__abi_rotate(&T->R, I);
  return cardan__abi_shift(T->p, &turned);
}

/* As cardan__abi_rotate with R = Rz(theta), c = cos theta, s = sin theta. The upper 2 x 2 block of
 * B keeps its antisymmetric part and turns like the symmetric ones: with
 *   e = c (b00 - b11) - s (b01 + b10):  b00' = b11 + c e, b11' = b00 - c e, b01, b10 += s e.  */
static inline cardan__abi cardan__abi_rot_z(double c, double s, const cardan__abi *I)
{
  const double(*b)[3] = I->B.m;
  const double e = c * (b[0][0] - b[1][1]) - s * (b[0][1] + b[1][0]);
  return (cardan__abi){cardan__sym3_rot_z(c, s, &I->A),
                       {{{b[1][1] + c * e, b[0][1] + s * e, c * b[0][2] - s * b[1][2]},
                         {b[1][0] + s * e, b[0][0] - c * e, s * b[0][2] + c * b[1][2]},
                         {c * b[2][0] - s * b[2][1], s * b[2][0] + c * b[2][1], b[2][2]}}},
                       cardan__sym3_rot_z(c, s, &I->C)};
}

/* As cardan__abi_rotate with R = Rx(theta): rot_z with x, y, z renamed to y, z, x. */
static inline cardan__abi cardan__abi_rot_x(double c, double s, const cardan__abi *I)
{
  const double(*b)[3] = I->B.m;
  const double e = c * (b[1][1] - b[2][2]) - s * (b[1][2] + b[2][1]);
  return (cardan__abi){cardan__sym3_rot_x(c, s, &I->A),
                       {{{b[0][0], c * b[0][1] - s * b[0][2], s * b[0][1] + c * b[0][2]},
                         {c * b[1][0] - s * b[2][0], b[2][2] + c * e, b[1][2] + s * e},
                         {s * b[1][0] + c * b[2][0], b[2][1] + s * e, b[1][1] - c * e}}},
                       cardan__sym3_rot_x(c, s, &I->C)};
}

/* What remains of I after a revolute joint about z gives way: I - k U U^T with U = I (z; 0) and
 * k = 1 / A.zz. Row z of A and B is 0, exactly. */
CARDAN__INLINE cardan__abi cardan__abi_give_way(const cardan__abi *I, double k)
{
  const double(*b)[3] = I->B.m;
  const cardan_vec3 f = {b[2][0], b[2][1], b[2][2]};
  const double nx = k * I->A.xz, ny = k * I->A.yz;
  return (cardan__abi){
      {I->A.xx - nx * I->A.xz, I->A.yy - ny * I->A.yz, 0, I->A.xy - nx * I->A.yz, 0, 0},
      {{{b[0][0] - nx * f.x, b[0][1] - nx * f.y, b[0][2] - nx * f.z},
        {b[1][0] - ny * f.x, b[1][1] - ny * f.y, b[1][2] - ny * f.z},
        {0, 0, 0}}},
      cardan__sym3_sub_rank1(&I->C, k, f)};
}

/* As cardan__abi_rot_x of what cardan__abi_give_way left: 15 numbers are turned in place of 21. */
CARDAN__INLINE cardan__abi cardan__abi_rot_x_rest(double c, double s, const cardan__abi *I)
{
  const cardan__sym3 *A = &I->A;
  const double(*b)[3] = I->B.m;
  const double cy = c * A->yy, g = c * b[1][1] - s * b[1][2];
  return (cardan__abi){{A->xx, c * cy, s * (s * A->yy), c * A->xy, s * A->xy, s * cy},
                       {{{b[0][0], c * b[0][1] - s * b[0][2], s * b[0][1] + c * b[0][2]},
                         {c * b[1][0], c * g, b[1][2] + s * g},
                         {s * b[1][0], s * g, b[1][1] - c * g}}},
                       cardan__sym3_rot_x(c, s, &I->C)};
}

/* The same by a right angle, s = +-1: new names. */
CARDAN__INLINE cardan__abi cardan__abi_rot_x_rest_right(double s, const cardan__abi *I)
{
  const cardan__sym3 *A = &I->A, *C = &I->C;
  const double(*b)[3] = I->B.m;
  return (cardan__abi){
      {A->xx, 0, A->yy, 0, s * A->xy, 0},
      {{{b[0][0], -s * b[0][2], s * b[0][1]}, {0, 0, 0}, {s * b[1][0], -b[1][2], b[1][1]}}},
      {C->xx, C->zz, C->yy, -s * C->xz, s * C->xy, -C->yz}};
}
