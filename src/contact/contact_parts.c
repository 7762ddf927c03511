// SPDX-License-Identifier: Apache-2.0
#include "contact/contacts.h"
#include "model/body_paths.h"

/* Which part of a mechanism a contact acts on. Its rows are 0 but along the paths from its bodies
 * to the world (f.reach.range); without loops its responses are 0 but on the trees that these
 * bodies belong to (f.reach.tree). Bodies of a tree follow one another in most models, and so do
 * their velocities: a tree is then a range of both. */

void cardan__contacts_part(cardan__contacts *c, const cardan_model *model)
{
  c->impacts.trees_contiguous = true;
  for (int i = 1, v = 0; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const int root = b->parent == 0 ? i : c->impacts.root[b->parent];
    c->impacts.trees_contiguous = c->impacts.trees_contiguous && b->vadr == v &&
                                  (root == i || root == c->impacts.root[i - 1]);
    c->impacts.root[i] = root;
    c->impacts.end[root] = i + 1;
    v += b->nv;
  }
}

/* The one body of a tree that f is at, 0: there are more, or which is not known. */
static int tip_of(const cardan__contacts *c, const cardan__feature *f, int root)
{
  if (f->k >= 0) {
    return c->model->v_body[f->k];
  }
  if (f->kind != CARDAN__SPOT) {
    return 0;
  }
  const int *solid = c->model->pair[f->pair].solid;
  const int A = c->model->solid[solid[0]].body, B = c->model->solid[solid[1]].body;
  const bool a = A > 0 && c->impacts.root[A] == root, b = B > 0 && c->impacts.root[B] == root;
  return a && b ? 0 : a ? A : b ? B : 0;
}

int cardan__contacts_parts(const cardan__contacts *c, const cardan__feature *f,
                           cardan__tree_part part[2])
{
  const cardan_model *model = c->model;
  int n = 0;
  if (!c->impacts.trees_contiguous || f->reach.tree[0] < 0 || f->reach.tree[1] < 0) {
    part[0] = (cardan__tree_part){{1, model->nbody}, {0, model->nv}, 0};
    return 1;
  }
  for (int side = 0; side < 2; side++) {
    const int root = f->reach.tree[side];
    if (root > 0 && (side == 0 || root != f->reach.tree[0])) {
      const int end = c->impacts.end[root];
      int v[2];
      cardan__velocity_range(model, root, end, v);
      part[n++] = (cardan__tree_part){{root, end}, {v[0], v[1]}, tip_of(c, f, root)};
    }
  }
  return n;
}

const int (*cardan__contacts_trees(cardan__contacts *c, const cardan_model *model,
                                   const cardan__feature *feature, const int *list, int count))[2]
{
  for (int i = 0; i < count; i++) {
    const int *tree = feature[list != NULL ? list[i] : i].reach.tree;
    if (tree[0] < 0 || tree[1] < 0 || model->nrow > 0) {
      return NULL;
    }
    c->impacts.tree[i][0] = tree[0] > 0 ? tree[0] : -1;
    c->impacts.tree[i][1] = tree[1] > 0 ? tree[1] : -1;
  }
  return (const int(*)[2])c->impacts.tree;
}

/* The tree that stands for the island of this one. */
static int find_island(int *to, int tree)
{
  while (to[tree] != tree) {
    to[tree] = to[to[tree]];
    tree = to[tree];
  }
  return tree;
}

int cardan__contacts_keep_struck(cardan__contacts *c, int *list, int own, int count, double still)
{
  const cardan__feature *feature = c->gaps.feature;
  int *to = c->impacts.island, *struck = to + c->nbody, kept = 0;
  bool known = c->model->nrow == 0;
  for (int tree = 0; tree < c->nbody; tree++) {
    to[tree] = tree;
    struck[tree] = false;
  }
  for (int i = 0; i < count && known; i++) {
    const int *tree = feature[list[i]].reach.tree;
    known = tree[0] >= 0 && tree[1] >= 0;
    if (tree[0] > 0 && tree[1] > 0) {
      to[find_island(to, tree[0])] = find_island(to, tree[1]);
    }
  }
  for (int i = 0; i < count && known; i++) {
    const int *tree = feature[list[i]].reach.tree;
    struck[find_island(to, tree[0] > 0 ? tree[0] : tree[1])] |= c->gaps.rate[list[i]] < -still;
  }
  for (int i = 0; i < own && known; i++) {
    const int *tree = feature[list[i]].reach.tree;
    if (struck[find_island(to, tree[0] > 0 ? tree[0] : tree[1])]) {
      list[kept++] = list[i];
    }
  }
  return known ? kept : own;
}
