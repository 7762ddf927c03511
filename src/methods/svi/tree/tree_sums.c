// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kinematics/joint.h"
#include "methods/svi/tree/svi_tree.h"

/* Derivatives of the Lagrangian from those of the tree: [1] (23) to (27), with gravity's potential
 * (30) to (32) about each body's centre of mass, m p + R h in place of m p_k:
 *  L_q  = sum over k of (M V).V_dq + G(g_dq)  G(g) = g . (m p + R h), the field's own letter
 *   L_v  = sum over k of (M V).V_dv                        apart; linear in the matrix (R, p)
 *   L_qq = sum of V_dq[j].M V_dq[i] + (M V).V_dqdq[i][j] + G(g_dqdq[i][j])
 *   L_qv = sum of V_dv[j].M V_dq[i] + (M V).V_dqdv[i][j]
 *   L_vv = sum of V_dv[j].M V_dv[i]                        V is linear in v: (9) is 0
 * [1] prints principal axes at the centre of mass; M here is any body's inertia. Armatures add
 * their momenta to L_v and themselves to the diagonal of L_vv. */

/* G as weights of the 12 components of a matrix. */
static void gravity_weights(const cardan_model *model, int k, double weight[12])
{
  const cardan_inertia *I = &model->body[k].inertia;
  const double g[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
  const double h[3] = {I->h.x, I->h.y, I->h.z};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      weight[3 * r + c] = g[r] * h[c];
    }
    weight[9 + r] = g[r] * I->m;
  }
}

static double weighted_sum(const double weight[12], const cardan_xform *X)
{
  const double p[3] = {X->p.x, X->p.y, X->p.z};
  double sum = 0;
  for (int r = 0; r < 3; r++) {
    sum += weight[9 + r] * p[r];
    for (int c = 0; c < 3; c++) {
      sum += weight[3 * r + c] * X->R.m[r][c];
    }
  }
  return sum;
}

/* out[k] += sum over 6 components of weight[c] x[c][k], k < n. */
static inline void add_weighted(const double *weight, const double *restrict x, int count, int n,
                                double *restrict out)
{
  const double a = weight[0], b = weight[1], c = weight[2];
  const double d = weight[3], e = weight[4], f = weight[5];
  const double *x1 = x + count, *x2 = x1 + count, *x3 = x2 + count, *x4 = x3 + count,
               *x5 = x4 + count;
  for (int k = 0; k < n; k++) {
    out[k] += (a * x[k] + b * x1[k] + c * x2[k]) + (d * x3[k] + e * x4[k] + f * x5[k]);
  }
}

/* The same of the 12 components of a matrix. */
static inline void add_weighted12(const double *weight, const double *restrict x, int count, int n,
                                  double *restrict out)
{
  add_weighted(weight, x, count, n, out);
  add_weighted(weight + 6, x + 6 * count, count, n, out);
}

static void wrench_numbers(cardan_force F, double x[6])
{
  const double y[6] = {F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z};
  memcpy(x, y, sizeof y);
}

static bool weightless(const cardan_model *model, int k)
{
  return (model->body[k].flags & CARDAN_LINK_MASSLESS) != 0;
}

/* ---- with a cache ---- */

static void first_of_body(const cardan__tree *t, int k, double *L_q, double *L_v)
{
  const cardan__tree_body *b = &t->body[k];
  const int d = b->depth;
  double mu[6], weight[12], *q = t->pair, *v = q + d;
  wrench_numbers(cardan__inertia_mul(&t->model->body[k].inertia, t->V[k]), mu);
  gravity_weights(t->model, k, weight);
  memset(q, 0, 2 * (size_t)d * sizeof *q);
  add_weighted(mu, b->V_dq, d, d, q); // (23)
  add_weighted12(weight, b->g_dq, d, d, q);
  add_weighted(mu, b->V_dv, d, d, v); // (25)
  for (int i = 0; i < d; i++) {
    L_q[b->dof[i]] += q[i];
    L_v[b->dof[i]] += v[i];
  }
}

/* M times each column of V_dq or V_dv. */
static void times_inertia(const cardan_inertia *I, const double *restrict x, int d,
                          double *restrict out)
{
  for (int i = 0; i < d; i++) {
    double y[6];
    wrench_numbers(cardan__inertia_mul(I, cardan__tree_twist_at(x, d, i)), y);
    for (int c = 0; c < 6; c++) {
      out[c * d + i] = y[c];
    }
  }
}

static void second_of_body(const cardan__tree *t, int k, double *L_qq, double *L_qv, double *L_vv)
{
  const cardan__tree_body *b = &t->body[k];
  const int d = b->depth, n = d * (d + 1) / 2, nv = t->model->nv;
  double mu[6], weight[12], *qq = t->pair, *qv = qq + d, *vv = qv + d;
  wrench_numbers(cardan__inertia_mul(&t->model->body[k].inertia, t->V[k]), mu);
  gravity_weights(t->model, k, weight);
  times_inertia(&t->model->body[k].inertia, b->V_dq, d, t->MV);
  times_inertia(&t->model->body[k].inertia, b->V_dv, d, t->MW);
  for (int i = 0; i < d; i++) {
    const int at = i * (i + 1) / 2;
    double Mq[6], Mv[6];
    for (int c = 0; c < 6; c++) {
      Mq[c] = t->MV[c * d + i];
      Mv[c] = t->MW[c * d + i];
    }
    memset(qq, 0, 3 * (size_t)d * sizeof *qq);
    add_weighted(Mq, b->V_dq, d, i + 1, qq); // (24)
    add_weighted(mu, b->V_dqdq + at, n, i + 1, qq);
    add_weighted12(weight, b->g_dqdq + at, n, i + 1, qq);
    add_weighted(Mq, b->V_dv, d, d, qv); // (26)
    add_weighted(mu, b->V_dqdv + at, n, i, qv);
    add_weighted(Mv, b->V_dv, d, i + 1, vv); // (27)
    double *row_qq = L_qq + b->dof[i] * nv, *row_qv = L_qv + b->dof[i] * nv,
           *row_vv = L_vv + b->dof[i] * nv;
    for (int j = 0; j <= i; j++) {
      row_qq[b->dof[j]] += qq[j];
      row_vv[b->dof[j]] += vv[j];
    }
    for (int j = 0; j < d; j++) {
      row_qv[b->dof[j]] += qv[j];
    }
  }
}

/* ---- without ---- */

static void first_walked(const cardan__tree *t, int k, double *L_q, double *L_v)
{
  const cardan__tree_body *b = &t->body[k];
  const cardan_inertia *I = &t->model->body[k].inertia;
  double weight[12];
  gravity_weights(t->model, k, weight);
  for (int i = 0; i < b->depth; i++) {
    const cardan_force mu = cardan__inertia_mul(I, cardan__tree_walk_V(t, k));
    const cardan_xform g_dq = cardan__tree_walk_g_dq(t, k, i);
    L_q[b->dof[i]] +=
        cardan__power(cardan__tree_walk_V_dq(t, k, i), mu) + weighted_sum(weight, &g_dq);
    L_v[b->dof[i]] += cardan__power(cardan__tree_walk_V_dv(t, k, i), mu);
  }
}

static void second_walked(const cardan__tree *t, int k, double *L_qq, double *L_qv, double *L_vv)
{
  const cardan__tree_body *b = &t->body[k];
  const cardan_inertia *I = &t->model->body[k].inertia;
  const int nv = t->model->nv;
  double weight[12];
  gravity_weights(t->model, k, weight);
  for (int i = 0; i < b->depth; i++) {
    for (int j = 0; j < b->depth; j++) {
      const int at = b->dof[i] * nv + b->dof[j];
      const cardan_force mu = cardan__inertia_mul(I, cardan__tree_walk_V(t, k));
      const cardan_force Mq = cardan__inertia_mul(I, cardan__tree_walk_V_dq(t, k, i));
      const cardan_twist V_dv = cardan__tree_walk_V_dv(t, k, j);
      L_qv[at] += cardan__power(V_dv, Mq) + cardan__power(cardan__tree_walk_V_dqdv(t, k, i, j), mu);
      if (j <= i) {
        const cardan_xform g = cardan__tree_walk_g_dqdq(t, k, i, j);
        L_qq[at] += cardan__power(cardan__tree_walk_V_dq(t, k, j), Mq) +
                    cardan__power(cardan__tree_walk_V_dqdq(t, k, i, j), mu) +
                    weighted_sum(weight, &g);
        L_vv[at] += cardan__power(V_dv, cardan__inertia_mul(I, cardan__tree_walk_V_dv(t, k, i)));
      }
    }
  }
}

/* ---- both ---- */

void cardan__tree_first(cardan__tree *tree, double *L_q, double *L_v)
{
  const size_t nv = (size_t)tree->model->nv;
  memset(L_q, 0, nv * sizeof *L_q);
  memset(L_v, 0, nv * sizeof *L_v);
  cardan__tree_need(tree, CARDAN__TREE_V | CARDAN__TREE_V_D | CARDAN__TREE_G_DQ);
  for (int k = 1; k < tree->model->nbody; k++) {
    if (!weightless(tree->model, k)) {
      (tree->cache ? first_of_body : first_walked)(tree, k, L_q, L_v);
    }
  }
  for (size_t k = 0; k < nv; k++) {
    L_v[k] += tree->model->armature[k] * tree->v[k];
  }
}

void cardan__tree_second(cardan__tree *tree, double *L_qq, double *L_qv, double *L_vv)
{
  const size_t nv = (size_t)tree->model->nv, size = nv * nv * sizeof(double);
  memset(L_qq, 0, size);
  memset(L_qv, 0, size);
  memset(L_vv, 0, size);
  cardan__tree_need(tree,
                    CARDAN__TREE_V | CARDAN__TREE_V_D | CARDAN__TREE_V_DD | CARDAN__TREE_G_DQDQ);
  for (int k = 1; k < tree->model->nbody; k++) {
    if (!weightless(tree->model, k)) {
      (tree->cache ? second_of_body : second_walked)(tree, k, L_qq, L_qv, L_vv);
    }
  }
  for (size_t k = 0; k < nv; k++) {
    L_vv[k * nv + k] += tree->model->armature[k];
  }
  // of each pair one place was filled, the one with the deeper level's row: the other is 0
  for (size_t i = 0; i < nv; i++) {
    for (size_t j = 0; j < i; j++) {
      L_qq[j * nv + i] = L_qq[i * nv + j] = L_qq[i * nv + j] + L_qq[j * nv + i];
      L_vv[j * nv + i] = L_vv[i * nv + j] = L_vv[i * nv + j] + L_vv[j * nv + i];
    }
  }
}

cardan_twist cardan__tree_V_dv(cardan__tree *tree, int k, int i)
{
  const cardan__tree_body *b = &tree->body[k];
  if (!tree->cache) {
    return cardan__tree_walk_V_dv(tree, k, i);
  }
  cardan__tree_need(tree, CARDAN__TREE_V_D);
  return cardan__tree_twist_at(b->V_dv, b->depth, i);
}

cardan_twist cardan__tree_V_dq(cardan__tree *tree, int k, int i)
{
  const cardan__tree_body *b = &tree->body[k];
  if (!tree->cache) {
    return cardan__tree_walk_V_dq(tree, k, i);
  }
  cardan__tree_need(tree, CARDAN__TREE_V_D);
  return cardan__tree_twist_at(b->V_dq, b->depth, i);
}

cardan_twist cardan__tree_V_dqdv(cardan__tree *tree, int k, int i, int j)
{
  const cardan__tree_body *b = &tree->body[k];
  if (i <= j || !tree->cache) {
    return cardan__tree_walk_V_dqdv(tree, k, i, j);
  }
  cardan__tree_need(tree, CARDAN__TREE_V_DD);
  return cardan__tree_twist_at(b->V_dqdv, b->depth * (b->depth + 1) / 2, i * (i + 1) / 2 + j);
}

void cardan__tree_pull_one(cardan__tree *tree, int body, cardan_force f, double scale, double *out)
{
  const cardan__tree_body *b = &tree->body[body];
  for (int i = 0; body > 0 && i < b->depth; i++) {
    out[b->dof[i]] += scale * cardan__power(cardan__tree_V_dv(tree, body, i), f);
  }
}

void cardan__tree_pull_forces(cardan__tree *tree, const cardan_force *f, double *tau)
{
  for (int k = 1; k < tree->model->nbody; k++) {
    cardan__tree_pull_one(tree, k, f[k], 1, tau);
  }
}
