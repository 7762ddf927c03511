// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "forces/forces.h"
#include "kinematics/joint.h"
#include "methods/svi/tree/svi_tree.h"

/* Forces on bodies as forces on coordinates, [1] IV-E.1: f_i = sum over k of J_k,i . F_k, where
 * column i of the body Jacobian (g^-1 dg/dq_i)^v is V_dv[i] of (8). Potentials of elements act as
 * the forces they make. Derivatives by the product rule, one direction at a time:
 *   d f_i / d q_j = sum of V_dv[i] . dF_k / d q_j + V_dqdv[j][i] . F_k
 *   d f_i / d v_j = sum of V_dv[i] . dF_k / d v_j
 * where along q_j body k moves by V_dv[j] and its twist changes by V_dq[j]. */

void cardan__tree_forces(cardan__tree *tree, const cardan_force *f_ext, const double *tau,
                         double *b)
{
  for (int k = 0; k < tree->model->nv; k++) {
    b[k] += tau[k];
  }
  cardan__tree_pull_forces(tree, f_ext, b);
}

/* Level of the joint with velocity dof on the way to body k, -1 when it is not there. */
static int level_of(const cardan__tree *t, int k, int dof)
{
  for (int level = 0; level < t->body[k].depth; level++) {
    if (t->body[k].dof[level] == dof) {
      return level;
    }
  }
  return -1;
}

/* Column j of f_q or f_v from the loads' change in t->f and t->tau. */
static void add_column(cardan__tree *t, int j, double *to)
{
  const int nv = t->model->nv;
  cardan__tree_pull_forces(t, t->f, t->tau);
  for (int i = 0; i < nv; i++) {
    to[i * nv + j] += t->tau[i];
  }
}

/* The part of the Jacobians' own change: V_dqdv[j][i] . F_k. */
static void add_turning(cardan__tree *t, int j, const cardan_force *F, double *f_q)
{
  const int nv = t->model->nv;
  for (int k = 1; k < t->model->nbody; k++) {
    const int at = level_of(t, k, j);
    for (int i = 0; i < at; i++) {
      f_q[t->body[k].dof[i] * nv + j] += cardan__power(cardan__tree_V_dqdv(t, k, at, i), F[k]);
    }
  }
}

/* The loads' change along a unit of q_j (and nothing else) or of v_j. */
static void change_loads(cardan__tree *t, const cardan__view *view, const double *limit, int j,
                         bool of_q, double *unit)
{
  const cardan_model *model = t->model;
  const cardan_twist zero = {.w = {0, 0, 0}};
  memset(t->f, 0, (size_t)model->nbody * sizeof *t->f);
  memset(t->tau, 0, (size_t)model->nv * sizeof *t->tau);
  for (int k = 0; k < model->nbody; k++) {
    const int at = k > 0 ? level_of(t, k, j) : -1;
    t->dX[k] = at >= 0 && of_q ? cardan__tree_V_dv(t, k, at) : zero;
    t->dV[k] = at < 0 ? zero : of_q ? cardan__tree_V_dq(t, k, at) : cardan__tree_V_dv(t, k, at);
  }
  memset(unit, 0, 2 * (size_t)model->nv * sizeof *unit);
  unit[of_q ? j : model->nv + j] = 1;
  const cardan__change change = {.X = t->dX, .V = t->dV, .q = unit, .v = unit + model->nv};
  cardan__loads to = {.f_ext = t->f, .tau = t->tau};
  cardan__forces_add_slope(model, view, &change, 0, &to);
  if (limit != NULL) {
    cardan__friction_slope(model, view, &change, limit, &to);
  }
}

void cardan__tree_forces_second(cardan__tree *tree, const cardan_data *data, const double *limit,
                                double *f_q, double *f_v)
{
  const cardan_model *model = tree->model;
  cardan__view view = cardan__data_view(model, data);
  cardan__tree_need(tree, CARDAN__TREE_G | CARDAN__TREE_V);
  view.X_W = tree->g;
  view.V = tree->V;
  for (int j = 0; j < model->nv; j++) {
    change_loads(tree, &view, limit, j, true, tree->unit);
    add_column(tree, j, f_q);
    add_turning(tree, j, data->f_ext, f_q);
    change_loads(tree, &view, limit, j, false, tree->unit);
    add_column(tree, j, f_v);
  }
}
