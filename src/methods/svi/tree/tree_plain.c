// SPDX-License-Identifier: Apache-2.0
#include "kinematics/joint.h"
#include "methods/svi/tree/svi_tree.h"

/* (2) to (10) of [1] without a cache: each value by a walk from the root to its body, local
 * transforms and all, as a recursion that keeps nothing would have it. Also the yardstick of the
 * cached values. */

static const cardan_body *body_at(const cardan__tree *t, int k, int level)
{
  return &t->model->body[t->body[k].body[level]];
}

/* V of the body at level n - 1 on the way to k; 0 for n = 0. */
static cardan_twist walk_to(const cardan__tree *t, int k, int n)
{
  cardan_twist V = {.w = {0, 0, 0}};
  for (int level = 0; level < n; level++) {
    const cardan_body *b = body_at(t, k, level);
    const cardan_xform X = cardan__tree_local(b, t->q[b->vadr], 0);
    V = cardan__twist_axpy(t->v[b->vadr], cardan__joint_axis(b, 0),
                           cardan__twist_to_child(&X, V)); // (5)
  }
  return V;
}

/* Ad^-1 from level `from` (exclusive) to level `to` (inclusive). */
static cardan_twist carry(const cardan__tree *t, int k, cardan_twist V, int from, int to)
{
  for (int level = from + 1; level <= to; level++) {
    const cardan_body *b = body_at(t, k, level);
    const cardan_xform X = cardan__tree_local(b, t->q[b->vadr], 0);
    V = cardan__twist_to_child(&X, V);
  }
  return V;
}

/* The derivative by the coordinate at a level of a twist that has been carried there. */
static cardan_twist slope_at(const cardan__tree *t, int k, cardan_twist V, int level)
{
  return cardan__twist_cross(V, cardan__joint_axis(body_at(t, k, level), 0));
}

cardan_twist cardan__tree_walk_V(const cardan__tree *t, int k)
{
  return walk_to(t, k, t->body[k].depth);
}

cardan_twist cardan__tree_walk_V_dq(const cardan__tree *t, int k, int i)
{
  const cardan_twist V = carry(t, k, walk_to(t, k, i), i - 1, i);
  return carry(t, k, slope_at(t, k, V, i), i, t->body[k].depth - 1); // (6)
}

cardan_twist cardan__tree_walk_V_dv(const cardan__tree *t, int k, int i)
{
  const cardan_twist S = cardan__joint_axis(body_at(t, k, i), 0);
  return carry(t, k, S, i, t->body[k].depth - 1); // (8)
}

cardan_twist cardan__tree_walk_V_dqdq(const cardan__tree *t, int k, int i, int j)
{
  const cardan_twist V = carry(t, k, walk_to(t, k, j), j - 1, j);
  const cardan_twist V_dq = carry(t, k, slope_at(t, k, V, j), j, i);
  return carry(t, k, slope_at(t, k, V_dq, i), i, t->body[k].depth - 1); // (7)
}

cardan_twist cardan__tree_walk_V_dqdv(const cardan__tree *t, int k, int i, int j)
{
  if (i <= j) {
    return (cardan_twist){.w = {0, 0, 0}};
  }
  const cardan_twist V_dv = carry(t, k, cardan__joint_axis(body_at(t, k, j), 0), j, i);
  return carry(t, k, slope_at(t, k, V_dv, i), i, t->body[k].depth - 1); // (10)
}

/* Product of the local transforms on the way to k, differentiated at levels i and j (-1: not). */
static cardan_xform walk_product(const cardan__tree *t, int k, int i, int j)
{
  cardan_xform g = cardan__xform_identity();
  for (int level = 0; level < t->body[k].depth; level++) {
    const cardan_body *b = body_at(t, k, level);
    const int n = (level == i) + (level == j);
    const cardan_xform X = cardan__tree_local(b, t->q[b->vadr], n);
    // [A a; 0 e][B c; 0 f] = [A B, A c + a f; ..], f = 0 for a derivative
    const cardan_vec3 p = cardan__mat3_mulv(&g.R, X.p);
    g.p = n > 0 ? p : cardan__vec3_add(p, g.p);
    g.R = cardan__mat3_mul(&g.R, &X.R);
  }
  return g;
}

cardan_xform cardan__tree_walk_g(const cardan__tree *t, int k)
{
  return walk_product(t, k, -1, -1);
}

cardan_xform cardan__tree_walk_g_dq(const cardan__tree *t, int k, int i)
{
  return walk_product(t, k, i, -1); // (3)
}

cardan_xform cardan__tree_walk_g_dqdq(const cardan__tree *t, int k, int i, int j)
{
  return walk_product(t, k, i, j); // (4)
}
