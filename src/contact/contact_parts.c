// SPDX-License-Identifier: Apache-2.0
#include "contact/contacts.h"
#include "linalg/small.h"

/* Which part of a mechanism a contact acts on. Its rows are 0 but along the paths from its bodies
 * to the world (f.reach); without loops its responses are 0 but on the trees that these bodies
 * belong to (f.tree). Bodies of a tree follow one another in most models, and so do their
 * velocities: a tree is then a range of both. */

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
                           cardan__contact_part part[2])
{
  const cardan_model *model = c->model;
  int n = 0;
  if (!c->impacts.trees_contiguous || f->tree[0] < 0 || f->tree[1] < 0) {
    part[0] = (cardan__contact_part){{1, model->nbody}, {0, model->nv}, 0};
    return 1;
  }
  for (int side = 0; side < 2; side++) {
    const int root = f->tree[side];
    if (root > 0 && (side == 0 || root != f->tree[0])) {
      const int end = c->impacts.end[root];
      const cardan_body *last = &model->body[end - 1];
      part[n++] = (cardan__contact_part){
          {root, end}, {model->body[root].vadr, last->vadr + last->nv}, tip_of(c, f, root)};
    }
  }
  return n;
}

bool cardan__contacts_meet(const cardan__feature *f, const cardan__feature *g)
{
  const int *a = f->tree, *b = g->tree;
  return a[0] < 0 || a[1] < 0 || b[0] < 0 || b[1] < 0 ||
         (a[0] > 0 && (a[0] == b[0] || a[0] == b[1])) ||
         (a[1] > 0 && (a[1] == b[0] || a[1] == b[1]));
}

const int (*cardan__contacts_trees(cardan__contacts *c, const cardan_model *model,
                                   const cardan__feature *feature, const int *list, int count))[2]
{
  for (int i = 0; i < count; i++) {
    const int *tree = feature[list != NULL ? list[i] : i].tree;
    if (tree[0] < 0 || tree[1] < 0 || model->nrow > 0) {
      return NULL;
    }
    c->impacts.tree[i][0] = tree[0] > 0 ? tree[0] : -1;
    c->impacts.tree[i][1] = tree[1] > 0 ? tree[1] : -1;
  }
  return (const int(*)[2])c->impacts.tree;
}

double cardan__contact_dot(const cardan__feature *f, const double *row, const double *x)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int from = f->reach[side][0];
    sum += cardan__dot(f->reach[side][1] - from, row + from, x + from);
  }
  return sum;
}

/* A block of 3 x 3 of them over numbers from .. to - 1, added to sum: every number is read once. */
static void add_block(const double *row, const double *x, size_t stride, int from, int to,
                      double sum[9])
{
  double own[9] = {0};
  for (int k = from; k < to; k++) {
    const double a[3] = {row[k], row[k + (int)stride], row[k + 2 * (int)stride]};
    const double b[3] = {x[k], x[k + (int)stride], x[k + 2 * (int)stride]};
    for (int l = 0; l < 9; l++) {
      own[l] += a[l / 3] * b[l % 3];
    }
  }
  for (int l = 0; l < 9; l++) {
    sum[l] += own[l];
  }
}

void cardan__contact_products(const cardan__contacts *c, const cardan__feature *f, int nrow,
                              const double *row, int nx, const double *x, double *out,
                              size_t stride)
{
  const size_t nv = (size_t)c->nv;
  if (nrow == 3 && nx == 3) {
    double sum[9] = {0};
    for (int side = 0; side < 2; side++) {
      add_block(row, x, nv, f->reach[side][0], f->reach[side][1], sum);
    }
    for (size_t l = 0; l < 9; l++) {
      out[l / 3 * stride + l % 3] = sum[l];
    }
    return;
  }
  for (size_t i = 0; i < (size_t)nrow; i++) {
    for (size_t j = 0; j < (size_t)nx; j++) {
      out[i * stride + j] = cardan__contact_dot(f, row + i * nv, x + j * nv);
    }
  }
}

void cardan__contact_axpy(const cardan__feature *f, double r, const double *row, double *x)
{
  for (int side = 0; side < 2 && r != 0; side++) {
    for (int k = f->reach[side][0]; k < f->reach[side][1]; k++) {
      x[k] += r * row[k];
    }
  }
}
