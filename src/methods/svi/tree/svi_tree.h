/* SPDX-License-Identifier: Apache-2.0
 * svi/tree/svi_tree.h - frames and body velocities of a tree with their derivatives, as trep
 * computes them.
 * [1] E. Johnson, T. Murphey, IEEE Transactions on Robotics 25(6), 2009, sections III and IV-A.
 *
 *   write q, v -> ask for any of g, V and their derivatives -> each is computed at most once
 * With the cache on, a value is kept until the next write; with it off every question is answered
 * by walking from the root again. Cost of the sums: L_q, L_v O(n depth), second derivatives O(n
 * depth^2); without a cache one factor of depth more.
 *
 * A body's ancestors are itself and all bodies on the way to the world, the root first: level 0 is
 * the first joint, level depth - 1 the body's own. Derivatives of body k by the coordinate at level
 * i are in arrays of one number per level, or per pair i >= j (pair i (i + 1) / 2 + j), so that a
 * parent's arrays are the beginning of its child's. Joints of one velocity only. */
#pragma once
#include "cardan/data.h"
#include "spatial/spatial.h"

/* What has been computed since the last write. */
enum {
  CARDAN__TREE_G = 1,       // g (2), local transforms
  CARDAN__TREE_V = 2,       // V (5)
  CARDAN__TREE_G_DQ = 4,    // (3)
  CARDAN__TREE_V_D = 8,     // V_dq (6), V_dv (8)
  CARDAN__TREE_G_DQDQ = 16, // (4)
  CARDAN__TREE_V_DD = 32    // V_dqdq (7), V_dqdv (10)
};

/* One body's derivatives: components first, levels or pairs second. */
typedef struct {
  int depth;           // ancestors, itself included
  int *dof;            // depth: v index at each level
  int *body;           // depth
  double *g_dq;        // 12 x depth: R row by row, then p
  double *V_dq, *V_dv; // 6 x depth: w, then v
  double *g_dqdq;      // 12 x pairs
  double *V_dqdq;      // 6 x pairs
  double *V_dqdv;      // 6 x pairs: by q at level i and v at level j; 0 for i <= j
} cardan__tree_body;

typedef struct {
  const cardan_model *model;
  bool cache;
  int have;        // CARDAN__TREE_*
  long writes;     // since create
  double *q, *v;   // as written
  cardan_xform *X; // nbody: g_k of [1], parent from body
  cardan_xform *g; // nbody: g_{s,k}
  cardan_twist *V;
  cardan__tree_body *body; // nbody
  double *MV, *MW;         // 6 x (largest depth): scratch of sums
  double *pair;            // scratch: 3 x (largest number of pairs)
  cardan_force *f;         // nbody: scratch
  cardan_twist *dX, *dV;   // nbody: scratch
  double *tau, *unit;      // nv, 2 nv: scratch
  void *block;
  cardan_allocator allocator;
} cardan__tree;

/* Bytes that the cache of a model needs; a double, since sizes may exceed SIZE_MAX. */
double cardan__tree_bytes(const cardan_model *model);

cardan_status cardan__tree_create(const cardan_model *model, const cardan_allocator *allocator,
                                  bool cache, cardan__tree **out) CARDAN_MUST_USE;
void cardan__tree_destroy(cardan__tree *tree); // NULL is fine

/* "Set tree" of [1] V-A: what was known is forgotten. */
void cardan__tree_write(cardan__tree *tree, const double *q, const double *v);

/* Makes sure that these are known (cache on), or the parts g and V (cache off). */
void cardan__tree_need(cardan__tree *tree, int what);

/* L_q, L_v (nv, out) of kinetic energy and gravity: [1] (23), (25). */
void cardan__tree_first(cardan__tree *tree, double *L_q, double *L_v);

/* L_qq (24), L_qv (26), L_vv (27), nv x nv row-major, out; L_qv[i][j] = d2L / dq_i dv_j. */
void cardan__tree_second(cardan__tree *tree, double *L_qq, double *L_qv, double *L_vv);

/* tau += sum over bodies of J_k^T f_k, J the body Jacobians of [1] IV-E.1, by (8). */
void cardan__tree_pull_forces(cardan__tree *tree, const cardan_force *f, double *tau);
/* The same for one body, out += scale J_k^T f. */
void cardan__tree_pull_one(cardan__tree *tree, int body, cardan_force f, double scale, double *out);

/* Forces of elements and of the caller (f_ext nbody, tau nv, at a view of this tree's g and V) in
 * coordinates: b += J^T f_ext + tau; and their derivatives f_q, f_v, nv x nv row-major, added to.
 * limit: friction's, or NULL */
void cardan__tree_forces(cardan__tree *tree, const cardan_force *f_ext, const double *tau,
                         double *b);
void cardan__tree_forces_second(cardan__tree *tree, const cardan_data *data, const double *limit,
                                double *f_q, double *f_v);

/* One value of (6), (7), (8), (10) for body k; levels i and j, j <= i. Walks from the root. */
cardan_twist cardan__tree_walk_V(const cardan__tree *tree, int k);
cardan_twist cardan__tree_walk_V_dq(const cardan__tree *tree, int k, int i);
cardan_twist cardan__tree_walk_V_dv(const cardan__tree *tree, int k, int i);
cardan_twist cardan__tree_walk_V_dqdq(const cardan__tree *tree, int k, int i, int j);
cardan_twist cardan__tree_walk_V_dqdv(const cardan__tree *tree, int k, int i, int j);
/* (3), (4): R and p as the parts of the derivative's matrix. */
cardan_xform cardan__tree_walk_g(const cardan__tree *tree, int k);
cardan_xform cardan__tree_walk_g_dq(const cardan__tree *tree, int k, int i);
cardan_xform cardan__tree_walk_g_dqdq(const cardan__tree *tree, int k, int i, int j);

/* A kept value, as the calls above return them. */
static inline cardan_twist cardan__tree_twist_at(const double *from, int count, int index)
{
  return (cardan_twist){
      .w = {from[index], from[count + index], from[2 * count + index]},
      .v = {from[3 * count + index], from[4 * count + index], from[5 * count + index]}};
}

/* V_dv or V_dq of body k at level i, kept or walked for. */
cardan_twist cardan__tree_V_dv(cardan__tree *tree, int k, int i);
cardan_twist cardan__tree_V_dq(cardan__tree *tree, int k, int i);
cardan_twist cardan__tree_V_dqdv(cardan__tree *tree, int k, int i, int j);

/* Local transform g_k (q), and n = 1, 2: its derivative, R and p as the parts of the matrix. */
cardan_xform cardan__tree_local(const cardan_body *b, double q, int n);
