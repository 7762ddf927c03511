// SPDX-License-Identifier: Apache-2.0
#include "methods/svi/tree/tree_equation.h"

#include <string.h>

#include "forces/forces.h"

/* The equation of a step of svi by the tree's derivatives, [1] V-A. Its Jacobian is a matrix, with
 * the two mixed terms of [1] (22) transposes of each other:
 *   dr/dd = (kq L_qv^T + kv L_vv) - kb (kq L_qq + kv L_qv) - kb (kq f_q + kv f_v)    [1] (46)  (E1)
 * [1] factors it together with the rows of the constraints, discrete/border.c one after the
 * other. */

static cardan_status residual(cardan__discrete *d, double *r)
{
  cardan__svi_tree *s = (cardan__svi_tree *)d;
  cardan__mid *mid = &s->base.mid;
  cardan_data *data = mid->data;
  const cardan_status status = cardan__svi_enter_middle(&s->base);
  cardan__tree_write(s->tree, data->q, data->v);
  cardan__tree_first(s->tree, s->base.b, s->base.a);
  memcpy(data->tau, data->tau_in, (size_t)d->model->nv * sizeof *data->tau);
  memcpy(data->f_ext, data->f_in, (size_t)d->model->nbody * sizeof *data->f_ext);
  if (mid->elements) {
    cardan__view view = cardan__data_view(d->model, data);
    cardan__loads to = {.f_ext = data->f_ext, .tau = data->tau};
    cardan__tree_need(s->tree, CARDAN__TREE_G | CARDAN__TREE_V);
    view.X_W = s->tree->g;
    view.V = s->tree->V;
    cardan__forces_add(d->model, &view, 0, &to);
    if (mid->limit != NULL) {
      cardan__friction_apply(d->model, &view, mid->limit, &to);
    }
  }
  if (mid->elements || mid->inputs) {
    cardan__tree_forces(s->tree, data->f_ext, data->tau, s->base.b);
  }
  cardan__svi_combine(&s->base, r);
  return status;
}

/* J -= kb (kq f_q + kv f_v) */
static void subtract_forces(cardan__svi_tree *s, const cardan__mid_weights *w, double *J)
{
  const size_t n = (size_t)s->base.base.model->nv * (size_t)s->base.base.model->nv;
  double *f_q = s->L_qv, *f_v = s->L_vv;
  memset(f_q, 0, n * sizeof *f_q);
  memset(f_v, 0, n * sizeof *f_v);
  cardan__tree_forces_second(s->tree, s->base.mid.data, s->base.mid.limit, f_q, f_v);
  for (size_t i = 0; i < n; i++) {
    J[i] -= w->kb * (w->kq * f_q[i] + w->kv * f_v[i]);
  }
}

static cardan_status jacobian(cardan__discrete *d, double *J)
{
  cardan__svi_tree *s = (cardan__svi_tree *)d;
  const cardan__mid_weights w = cardan__svi_weights(&s->base);
  const int nv = d->model->nv;
  double *L_qv = s->L_qv, *L_vv = s->L_vv;
  cardan__tree_second(s->tree, J, L_qv, L_vv);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      J[i * nv + j] = w.kq * L_qv[j * nv + i] + w.kv * L_vv[i * nv + j] -
                      w.kb * (w.kq * J[i * nv + j] + w.kv * L_qv[i * nv + j]); // (E1)
    }
  }
  if (s->base.mid.elements || s->base.mid.inputs) {
    subtract_forces(s, &w, J);
  }
  for (int i = 0; i < nv && d->model->nprescribed > 0; i++) {
    for (int j = 0; j < nv; j++) {
      if (cardan__prescribed(d->model, i) || cardan__prescribed(d->model, j)) {
        J[i * nv + j] = i == j;
      }
    }
  }
  return CARDAN_OK;
}

static void layout(cardan__discrete *d, cardan__carver *c)
{
  cardan__svi_tree *s = (cardan__svi_tree *)d;
  const size_t nv = (size_t)d->model->nv;
  cardan__svi_layout(d, c);
  s->L_qv = cardan__carve(c, nv * nv, sizeof(double));
  s->L_vv = cardan__carve(c, nv * nv, sizeof(double));
}

static cardan_status make(cardan__discrete *d)
{
  cardan__svi_tree *s = (cardan__svi_tree *)d;
  cardan_status status = cardan__svi_make(d);
  if (status == CARDAN_OK) {
    status = cardan__tree_create(d->model, &d->base.allocator, d->base.options->cache, &s->tree);
  }
  if (status == CARDAN_OK) {
    s->base.X = s->tree->X;
    s->base.X_W = s->tree->g;
    s->base.V = s->tree->V;
  }
  return status;
}

static void close(cardan__discrete *d)
{
  cardan__tree_destroy(((cardan__svi_tree *)d)->tree);
  cardan__svi_close(d);
}

const cardan__equation cardan__equation_svi_tree = {
    .size = sizeof(cardan__svi_tree),
    .layout = layout,
    .make = make,
    .close = close,
    .residual = residual,
    .jacobian = jacobian,
    CARDAN__SVI_ENTRIES,
};
