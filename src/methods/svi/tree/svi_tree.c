// SPDX-License-Identifier: Apache-2.0
#include "methods/svi/tree/svi_tree.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "kinematics/joint.h"

/* The tree of [1]. It caches everything it computes until the next write.
 *
 * Equations (2) to (10) of [1], par the parent, xi_k our S_k; a body is one of its own ancestors,
 * as (4), (7), (8) and (10) require, although Table I does not list it:
 *   g_{s,k} = g_{s,par} g_k                                                              (2)
 *   d g_{s,k}:    i = k: g_{s,par} g'_k,       else  (d g_{s,par}) g_k                   (3)
 *  d2 g_{s,k}:  (k,k): g_{s,par} g''_k,  (k,j): (d_j g_{s,par}) g'_k,  else (d2 g_{s,par}) g_k  (4)
 *   V_k = g_k^-1 V_par g_k + xi_k v_k                                                    (5)
 *   V_dq:         i = k: g^-1' V_par g + g^-1 V_par g',   else  g^-1 (V_dq of par) g     (6)
 *   V_dqdq:       (6) differentiated again                                                     (7)
 *   V_dv:         i = k: xi_k,                            else  g^-1 (V_dv of par) g     (8)
 *   V_dqdv:       i = k > j: as (6) with V_dv of par,     else  g^-1 (..) g              (10)
 * Departures from [1]: velocities are 6-vectors and g^-1 ^V g is Ad^-1 V, as its footnote 3 offers
 * (read Ad_{g^-1} there); g^-1' V g + g^-1 V g' is then V x xi, since g' = g ^xi. In (3) and (8)
 * the conditions are printed one row off. A fixed frame is part of its body: only variable
 * transforms have levels. V_dqdv is stored for i > j only: (10) gives 0 for i <= j. */

static int pairs(int depth)
{
  return depth * (depth + 1) / 2;
}

/* ---- memory ---- */

static int *compute_depths(const cardan_model *model, int *depth)
{
  depth[0] = 0;
  for (int i = 1; i < model->nbody; i++) {
    depth[i] = depth[model->body[i].parent] + 1;
  }
  return depth;
}

double cardan__tree_bytes(const cardan_model *model)
{
  // counts the steps to the root: no memory is allocated yet
  double sum = 0;
  for (int i = 1; i < model->nbody; i++) {
    double d = 0;
    for (int k = i; k > 0; k = model->body[k].parent) {
      d++;
    }
    sum += 24 * d + 24 * d * (d + 1) / 2;
  }
  return 8 * sum;
}

static void layout_body(cardan__tree_body *b, int depth, bool cache, cardan__carver *c)
{
  const size_t d = (size_t)depth, np = (size_t)pairs(depth);
  b->depth = depth;
  b->dof = cardan__carve(c, d, sizeof *b->dof);
  b->body = cardan__carve(c, d, sizeof *b->body);
  if (cache) {
    b->g_dq = cardan__carve(c, 12 * d, sizeof(double));
    b->V_dq = cardan__carve(c, 6 * d, sizeof(double));
    b->V_dv = cardan__carve(c, 6 * d, sizeof(double));
    b->g_dqdq = cardan__carve(c, 12 * np, sizeof(double));
    b->V_dqdq = cardan__carve(c, 6 * np, sizeof(double));
    b->V_dqdv = cardan__carve(c, 6 * np, sizeof(double));
  }
}

/* depth: of each body. scratch: a body to lay out while t->body has no memory yet, and only sizes
 * are counted. */
static void layout(cardan__tree *t, cardan__carver *c, const int *depth, cardan__tree_body *scratch)
{
  const cardan_model *model = t->model;
  const size_t nb = (size_t)model->nbody, nv = (size_t)model->nv;
  int deepest = 1;
  t->body = cardan__carve(c, nb, sizeof *t->body);
  t->q = cardan__carve(c, nv, sizeof *t->q);
  t->v = cardan__carve(c, nv, sizeof *t->v);
  t->X = cardan__carve(c, nb, sizeof *t->X);
  t->g = cardan__carve(c, nb, sizeof *t->g);
  t->V = cardan__carve(c, nb, sizeof *t->V);
  t->f = cardan__carve(c, nb, sizeof *t->f);
  t->dX = cardan__carve(c, nb, sizeof *t->dX);
  t->dV = cardan__carve(c, nb, sizeof *t->dV);
  t->tau = cardan__carve(c, nv, sizeof *t->tau);
  t->unit = cardan__carve(c, 2 * nv, sizeof *t->unit);
  for (int i = 1; i < model->nbody; i++) {
    layout_body(t->body != NULL ? &t->body[i] : scratch, depth[i], t->cache, c);
    deepest = depth[i] > deepest ? depth[i] : deepest;
  }
  t->MV = cardan__carve(c, 6 * (size_t)deepest, sizeof(double));
  t->MW = cardan__carve(c, 6 * (size_t)deepest, sizeof(double));
  t->pair = cardan__carve(c, 3 * (size_t)deepest, sizeof(double));
}

static void fill_paths(cardan__tree *t)
{
  for (int i = 1; i < t->model->nbody; i++) {
    cardan__tree_body *b = &t->body[i];
    int k = i;
    for (int level = b->depth - 1; level >= 0; level--, k = t->model->body[k].parent) {
      b->body[level] = k;
      b->dof[level] = t->model->body[k].vadr;
    }
  }
}

cardan_status cardan__tree_create(const cardan_model *model, const cardan_allocator *allocator,
                                  bool cache, cardan__tree **out)
{
  cardan__tree_body scratch;
  cardan__carver c = {0};
  *out = NULL;
  int *depth = cardan__resize(allocator, NULL, (size_t)model->nbody * sizeof *depth);
  cardan__tree *t = cardan__resize(allocator, NULL, sizeof *t);
  size_t size = 0;
  if (depth != NULL && t != NULL) {
    *t = (cardan__tree){.model = model, .cache = cache};
    t->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
    layout(t, &c, compute_depths(model, depth), &scratch);
    size = cardan__carver_size(&c);
    t->block = size > 0 ? cardan__resize(allocator, NULL, size) : NULL;
  }
  if (size == 0 || t->block == NULL) {
    cardan__resize(allocator, depth, 0);
    cardan__resize(allocator, t, 0);
    return CARDAN_ERR_MEMORY;
  }
  memset(t->block, 0, size);
  c = cardan__carver_over(t->block);
  layout(t, &c, depth, &scratch);
  fill_paths(t);
  cardan__resize(allocator, depth, 0);
  *out = t;
  return CARDAN_OK;
}

void cardan__tree_destroy(cardan__tree *tree)
{
  if (tree != NULL) {
    const cardan_allocator allocator = tree->allocator;
    cardan__resize(&allocator, tree->block, 0);
    cardan__resize(&allocator, tree, 0);
  }
}

/* ---- transforms ---- */

cardan_xform cardan__tree_local(const cardan_body *b, double q, int n)
{
  cardan_xform X = {.R = b->X.R, .p = n == 0 ? b->X.p : cardan__vec3(0, 0, 0)};
  const cardan_vec3 z = cardan__mat3_column(&b->X.R, 2);
  const bool slides = cardan__joint_slides(b, 0);
  const double slide = slides ? 1 : b->pitch;
  if (n < 2) {
    X.p = cardan__vec3_axpy(n == 0 ? slide * q : slide, z, X.p);
  }
  if (slides) {
    X.R = n == 0 ? X.R : (cardan_mat3){{{0}}};
  } else {
    // Rz' = Rz(q + pi/2) but for its third column, which is 0
    const double c = cos(q), s = sin(q);
    const double dc = n == 0 ? c : n == 1 ? -s : -c, ds = n == 0 ? s : n == 1 ? c : -s;
    X.R = cardan__mat3_mul_rot_z(&X.R, dc, ds);
    if (n > 0) {
      X.R.m[0][2] = X.R.m[1][2] = X.R.m[2][2] = 0;
    }
  }
  return X;
}

void cardan__tree_write(cardan__tree *tree, const double *q, const double *v)
{
  const size_t nv = (size_t)tree->model->nv;
  memcpy(tree->q, q, nv * sizeof *q);
  memcpy(tree->v, v, nv * sizeof *v);
  tree->have = 0;
  tree->writes++;
}

/* ---- the recursions ---- */

/* out = in * (R, p) for n matrices in components: [A a][R p] = [A R, A p + a]. */
static void times_transform(int n, const double *restrict in, int in_count, const cardan_xform *X,
                            double *restrict out, int out_count)
{
  if (n == 0) {
    return; // the parent is the world, which has no arrays
  }
  for (int r = 0; r < 3; r++) {
    const double *A0 = in + 3 * r * in_count, *A1 = A0 + in_count, *A2 = A1 + in_count;
    const double *a = in + (9 + r) * in_count;
    double *B = out + 3 * r * out_count, *b = out + (9 + r) * out_count;
    for (int c = 0; c < 3; c++, B += out_count) {
      const double x = X->R.m[0][c], y = X->R.m[1][c], z = X->R.m[2][c];
      for (int k = 0; k < n; k++) {
        B[k] = A0[k] * x + A1[k] * y + A2[k] * z;
      }
    }
    const cardan_vec3 p = X->p;
    for (int k = 0; k < n; k++) {
      b[k] = A0[k] * p.x + A1[k] * p.y + A2[k] * p.z + a[k];
    }
  }
}

/* out = Ad^-1 in for n twists in components: w' = R^T w, v' = R^T (v - p x w). */
static void to_child(int n, const double *restrict in, int in_count, const cardan_xform *X,
                     double *restrict out, int out_count)
{
  if (n == 0) {
    return;
  }
  const double *wx = in, *wy = wx + in_count, *wz = wy + in_count;
  const double *vx = wz + in_count, *vy = vx + in_count, *vz = vy + in_count;
  const cardan_vec3 p = X->p;
  for (int c = 0; c < 3; c++) {
    const double x = X->R.m[0][c], y = X->R.m[1][c], z = X->R.m[2][c];
    // a row of -R^T p^: p crossed with a column of R
    const double kx = p.y * z - p.z * y, ky = p.z * x - p.x * z, kz = p.x * y - p.y * x;
    double *w = out + c * out_count, *v = out + (3 + c) * out_count;
    for (int k = 0; k < n; k++) {
      w[k] = x * wx[k] + y * wy[k] + z * wz[k];
      v[k] = x * vx[k] + y * vy[k] + z * vz[k] + (kx * wx[k] + ky * wy[k] + kz * wz[k]);
    }
  }
}

static void put_matrix(double *to, int count, int index, const cardan_xform *X)
{
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      to[(3 * r + c) * count + index] = X->R.m[r][c];
    }
  }
  to[9 * count + index] = X->p.x;
  to[10 * count + index] = X->p.y;
  to[11 * count + index] = X->p.z;
}

static cardan_xform matrix_at(const double *from, int count, int index)
{
  cardan_xform X;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      X.R.m[r][c] = from[(3 * r + c) * count + index];
    }
  }
  X.p = cardan__vec3(from[9 * count + index], from[10 * count + index], from[11 * count + index]);
  return X;
}

static void put_twist(double *to, int count, int index, cardan_twist V)
{
  const double x[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  for (int c = 0; c < 6; c++) {
    to[c * count + index] = x[c];
  }
}

/* A B with B a derivative of a transform: its last row is 0, so the translation of A has no
 * effect. */
static cardan_xform times_slope(const cardan_xform *A, const cardan_xform *B)
{
  return (cardan_xform){cardan__mat3_mul(&A->R, &B->R), cardan__mat3_mulv(&A->R, B->p)};
}

static void fill_g(cardan__tree *t)
{
  t->g[0] = cardan__xform_identity();
  for (int k = 1; k < t->model->nbody; k++) {
    const cardan_body *b = &t->model->body[k];
    t->X[k] = cardan__tree_local(b, t->q[b->vadr], 0);
    t->g[k] = cardan__xform_mul(&t->g[b->parent], &t->X[k]); // (2)
  }
}

static void fill_V(cardan__tree *t)
{
  t->V[0] = (cardan_twist){.w = {0, 0, 0}};
  for (int k = 1; k < t->model->nbody; k++) {
    const cardan_body *b = &t->model->body[k];
    const cardan_twist V = cardan__twist_to_child(&t->X[k], t->V[b->parent]);
    t->V[k] = cardan__twist_axpy(t->v[b->vadr], cardan__joint_axis(b, 0), V); // (5)
  }
}

static void fill_g_dq(cardan__tree *t)
{
  for (int k = 1; k < t->model->nbody; k++) {
    const cardan_body *b = &t->model->body[k];
    const cardan__tree_body *par = &t->body[b->parent], *own = &t->body[k];
    const cardan_xform slope = cardan__tree_local(b, t->q[b->vadr], 1);
    const cardan_xform last = times_slope(&t->g[b->parent], &slope);
    times_transform(own->depth - 1, par->g_dq, par->depth, &t->X[k], own->g_dq, own->depth); // (3)
    put_matrix(own->g_dq, own->depth, own->depth - 1, &last);
  }
}

static void fill_V_d(cardan__tree *t)
{
  for (int k = 1; k < t->model->nbody; k++) {
    const cardan_body *b = &t->model->body[k];
    const cardan__tree_body *par = &t->body[b->parent], *own = &t->body[k];
    const cardan_twist S = cardan__joint_axis(b, 0);
    const int d = own->depth;
    to_child(d - 1, par->V_dq, par->depth, &t->X[k], own->V_dq, d); // (6)
    to_child(d - 1, par->V_dv, par->depth, &t->X[k], own->V_dv, d); // (8)
    put_twist(own->V_dq, d, d - 1, cardan__twist_cross(t->V[k], S));
    put_twist(own->V_dv, d, d - 1, S);
  }
}

static void fill_g_dqdq(cardan__tree *t)
{
  for (int k = 1; k < t->model->nbody; k++) {
    const cardan_body *b = &t->model->body[k];
    const cardan__tree_body *par = &t->body[b->parent], *own = &t->body[k];
    const int d = own->depth, n = pairs(d), before = pairs(d - 1);
    const cardan_xform slope = cardan__tree_local(b, t->q[b->vadr], 1);
    const cardan_xform second_slope = cardan__tree_local(b, t->q[b->vadr], 2);
    times_transform(before, par->g_dqdq, before, &t->X[k], own->g_dqdq, n); // (4)
    for (int j = 0; j < d - 1; j++) {
      const cardan_xform A = matrix_at(par->g_dq, d - 1, j), AB = times_slope(&A, &slope);
      put_matrix(own->g_dqdq, n, before + j, &AB);
    }
    const cardan_xform last = times_slope(&t->g[b->parent], &second_slope);
    put_matrix(own->g_dqdq, n, n - 1, &last);
  }
}

static void fill_V_dd(cardan__tree *t)
{
  for (int k = 1; k < t->model->nbody; k++) {
    const cardan_body *b = &t->model->body[k];
    const cardan__tree_body *par = &t->body[b->parent], *own = &t->body[k];
    const int d = own->depth, n = pairs(d), before = pairs(d - 1);
    const cardan_twist S = cardan__joint_axis(b, 0);
    to_child(before, par->V_dqdq, before, &t->X[k], own->V_dqdq, n); // (7)
    to_child(before, par->V_dqdv, before, &t->X[k], own->V_dqdv, n); // (10)
    for (int j = 0; j < d; j++) {
      const cardan_twist V_dq = cardan__tree_twist_at(own->V_dq, d, j);
      const cardan_twist V_dv = cardan__tree_twist_at(own->V_dv, d, j);
      put_twist(own->V_dqdq, n, before + j, cardan__twist_cross(V_dq, S));
      put_twist(own->V_dqdv, n, before + j, cardan__twist_cross(V_dv, S)); // S x S = 0 for j = k
    }
  }
}

/* How each part is computed, and which parts it needs. */
static const struct {
  int what, from;
  void (*fill)(cardan__tree *t);
} parts[] = {
    {CARDAN__TREE_G, 0, fill_g},
    {CARDAN__TREE_V, CARDAN__TREE_G, fill_V},
    {CARDAN__TREE_G_DQ, CARDAN__TREE_G, fill_g_dq},
    {CARDAN__TREE_V_D, CARDAN__TREE_G | CARDAN__TREE_V, fill_V_d},
    {CARDAN__TREE_G_DQDQ, CARDAN__TREE_G | CARDAN__TREE_G_DQ, fill_g_dqdq},
    {CARDAN__TREE_V_DD, CARDAN__TREE_G | CARDAN__TREE_V | CARDAN__TREE_V_D, fill_V_dd},
};

void cardan__tree_need(cardan__tree *tree, int what)
{
  int need = what;
  for (int i = (int)(sizeof parts / sizeof *parts) - 1; i >= 0; i--) {
    need |= need & parts[i].what ? parts[i].from : 0;
  }
  if (!tree->cache) {
    need &= CARDAN__TREE_G | CARDAN__TREE_V; // poses and twists, which forces read
    tree->have = 0;
  }
  for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++) {
    if (need & ~tree->have & parts[i].what) {
      parts[i].fill(tree);
      tree->have |= parts[i].what;
    }
  }
}
