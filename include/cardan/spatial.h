/* SPDX-License-Identifier: Apache-2.0
 * cardan/spatial.h - the small types of rigid-body mechanics.
 *
 * Spatial vectors are [angular; linear], in body coordinates, about the body frame's origin.
 * Twists (cardan_twist) and wrenches (cardan_force) are different types, so that adding one to the
 * other does not compile. An xform T_AB maps coordinates in B to coordinates in A.
 * Plain values: nothing here allocates or fails. docs/conventions.md lists all conventions. */
#pragma once
#include "cardan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double x, y, z;
} cardan_vec3;

/* Row-major 3 x 3 matrix: m[row][column]. */
typedef struct {
  double m[3][3];
} cardan_mat3;

/* Unit quaternion, rotates child coordinates to parent coordinates. */
typedef struct {
  double w, x, y, z;
} cardan_quat;

/* Rigid transform T_AB = (R_AB, p_AB): x_A = R x_B + p. */
typedef struct {
  cardan_mat3 R;
  cardan_vec3 p;
} cardan_xform;

/* Twist of a body: angular velocity w [rad/s], velocity v of the frame's origin [m/s]. */
typedef struct {
  cardan_vec3 w, v;
} cardan_twist;

/* Wrench on a body: torque t about the frame's origin [N m], force f [N]; also a momentum. */
typedef struct {
  cardan_vec3 t, f;
} cardan_force;

/* Rigid-body inertia about a frame's origin: mass [kg], first moment h = m c [kg m], and the
 * rotational inertia tensor about that origin [kg m^2] (xy etc. are tensor entries). */
typedef struct {
  double m;
  cardan_vec3 h;
  double xx, yy, zz, xy, xz, yz;
} cardan_inertia;

/* A convex polyhedron: n . x <= offset of all faces. Face f has the corners corner[first[f]] ..
 * corner[first[f + 1] - 1], in order about its normal; edges are pairs of vertices. */
typedef struct {
  int nvertex, nface, nedge;
  const cardan_vec3 *vertex; // nvertex
  const cardan_vec3 *normal; // nface: unit, outwards
  const double *offset;      // nface
  const int *first;          // nface + 1
  const int *corner;         // first[nface]
  const int *edge;           // 2 nedge: its vertices
} cardan_hull;

/* Heights over a rectangle, on a grid: vertex (i, j) is in column i and row j, at
 * x = -sx/2 + i sx / (columns - 1), y = -sy/2 + j sy / (rows - 1), z = sz height[j columns + i],
 * with the sizes s of the shape. Each cell is two triangles, 2 c and 2 c + 1 of cell c = j (columns
 * - 1) + i, below and above the diagonal from (i, j) to (i + 1, j + 1). */
typedef struct {
  int rows, columns, nblock;
  double low, high;     // of the heights
  double base;          // how far it reaches down below its lowest place [m]
  const double *height; // rows columns: from the lowest y on, in a row from the lowest x on
  const double *top;    // nblock: the highest of blocks of 2 x 2 cells, 4 x 4, .., all
  const int *plane;     // 2 of each cell: number of the plane that a triangle shares with others,
                        // times 2; + 1 where the surface is convex beside it
} cardan_height_field;

/* ---- quaternions and rotations ----
 * Calls that take a quaternion expect a unit one, unless they normalise it. */

/* a b: q_AC = q_AB q_BC. */
CARDAN_API cardan_quat cardan_quat_mul(cardan_quat a, cardan_quat b);

/* The inverse of a unit quaternion. */
CARDAN_API cardan_quat cardan_quat_conj(cardan_quat q);

/* q / |q|; q must not be zero. */
CARDAN_API cardan_quat cardan_quat_normalize(cardan_quat q);

/* Child coordinates of a vector to parent coordinates. */
CARDAN_API cardan_vec3 cardan_quat_rotate(cardan_quat q, cardan_vec3 a);

/* Unit quaternion to rotation matrix, and back. q and -q are the same rotation; either may be
 * returned. */
CARDAN_API cardan_mat3 cardan_quat_to_mat3(cardan_quat q);
CARDAN_API cardan_quat cardan_quat_from_mat3(const cardan_mat3 *R);

/* Rotation vector [rad] to unit quaternion, any length; and back, of length at most pi. */
CARDAN_API cardan_quat cardan_quat_exp(cardan_vec3 w);
CARDAN_API cardan_vec3 cardan_quat_log(cardan_quat q);

/* Rotation vector [rad] to rotation matrix, any length; and back, of length at most pi. At half a
 * turn w and -w are the same rotation and round-off decides between them. */
CARDAN_API cardan_mat3 cardan_so3_exp(cardan_vec3 w);
CARDAN_API cardan_vec3 cardan_so3_log(const cardan_mat3 *R);

/* The transform reached by the constant twist x in unit time; and its inverse, with |x.w| <= pi. */
CARDAN_API cardan_xform cardan_se3_exp(cardan_twist x);
CARDAN_API cardan_twist cardan_se3_log(const cardan_xform *T);

/* ---- rigid transforms ----
 * T_AB maps coordinates in B to coordinates in A; its inverse maps A to B. A result may be assigned
 * to an argument. */

CARDAN_API cardan_xform cardan_xform_identity(void);

/* At p, turned by roll, pitch, yaw [rad] about fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll); or by a
 * unit quaternion. */
CARDAN_API cardan_xform cardan_xform_rpy(cardan_vec3 p, double roll, double pitch, double yaw);
CARDAN_API cardan_xform cardan_xform_quat(cardan_vec3 p, cardan_quat q);

/* T_AC = T_AB T_BC; T_BA. */
CARDAN_API cardan_xform cardan_xform_mul(const cardan_xform *T_AB, const cardan_xform *T_BC);
CARDAN_API cardan_xform cardan_xform_inverse(const cardan_xform *T_AB);

/* Change of coordinates from B to A: of a point (R x + p), a direction (R u), a twist (Ad_T V, of
 * the point at A's origin), a wrench (Ad_T^-T F, about A's origin). The power <F, V> is
 * unchanged. */
CARDAN_API cardan_vec3 cardan_xform_point(const cardan_xform *T_AB, cardan_vec3 x_B);
CARDAN_API cardan_vec3 cardan_xform_vector(const cardan_xform *T_AB, cardan_vec3 u_B);
CARDAN_API cardan_twist cardan_xform_twist(const cardan_xform *T_AB, cardan_twist V_B);
CARDAN_API cardan_force cardan_xform_force(const cardan_xform *T_AB, cardan_force F_B);

#ifdef __cplusplus
}
#endif
