// SPDX-License-Identifier: Apache-2.0
#include "forces/strain.h"

#include "expr/expr.h"

static int add_once(int *list, int n, int most, int value)
{
  for (int i = 0; i < n; i++) {
    if (list[i] == value) {
      return n;
    }
  }
  if (n < most) {
    list[n++] = value;
  }
  return n;
}

static int add_frame(const cardan_model *model, int frame, int *list, int n, int most)
{
  const int body = model->frame[frame].body;
  return body > 0 ? add_once(list, n, most, body) : n;
}

int cardan__strain_bodies(const cardan_model *model, const cardan_force_element *e, int *list,
                          int most)
{
  int n = 0;
  if (e->kind == CARDAN_ELEMENT_POTENTIAL) {
    const cardan_bound_expr *bound = &model->expr[e->expr[0]];
    for (int i = 0; i < bound->nleaf; i++) {
      const cardan__leaf_ref *leaf = &bound->leaf[i];
      if (leaf->kind == CARDAN__LEAF_FRAME || leaf->kind == CARDAN__LEAF_TURN) {
        n = add_frame(model, leaf->index, list, n, most);
      }
    }
  } else if (e->kind != CARDAN_ELEMENT_JOINT_SPRING) {
    n = add_frame(model, e->frame[0], list, n, most);
    n = add_frame(model, e->frame[1], list, n, most);
  }
  return n;
}

static int add_coordinate(const cardan_model *model, int q, int *list, int n, int most)
{
  const cardan_body *b = &model->body[model->q_body[q]];
  for (int k = 0; k < b->nv; k++) {
    n = list != NULL ? add_once(list, n, most, b->vadr + k) : n + 1;
  }
  return n;
}

int cardan__strain_dofs(const cardan_model *model, const cardan_force_element *e, int *list,
                        int most)
{
  int n = 0;
  if (e->kind == CARDAN_ELEMENT_JOINT_SPRING) {
    return add_coordinate(model, e->var, list, n, most);
  }
  if (e->kind == CARDAN_ELEMENT_POTENTIAL) {
    const cardan_bound_expr *bound = &model->expr[e->expr[0]];
    for (int i = 0; i < bound->nleaf; i++) {
      if (bound->leaf[i].kind == CARDAN__LEAF_Q) {
        n = add_coordinate(model, bound->leaf[i].index, list, n, most);
      }
    }
  }
  return n;
}
