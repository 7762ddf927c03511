// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "analysis/statics.h"
#include "dynamics/rnea.h"
#include "forces/forces.h"
#include "linalg/linalg.h"

/* What holds a mechanism at rest: multipliers, and friction where it may push.
 *   J^T lambda + F f = r     over all velocities but prescribed ones                      (E1)
 * F picks the velocities that friction holds. Where many f do, the shortest one, each over what its
 * element can give; that depends on reactions, which depend on f: a few rounds. Forces on
 * one-sided rows and the f found are then part of data->f_ext and tau, and (E1) of data->lambda. */

enum { ROUNDS = 8 };

typedef struct {
  const cardan_model *model;
  int d, k, nheld; // equations, rows, friction forces
  int *dof, *held; // v index of each equation; of each friction force
  double *A;       // d x (k + nheld)
  double *b, *x;
  double *most; // nv: what friction on a velocity can be, 1 at first
  double *work;
  int *index;
} balance;

static void layout(void *what, cardan__carver *c)
{
  balance *s = what;
  const size_t nv = (size_t)s->model->nv, n = (size_t)s->k + (size_t)s->nheld;
  s->dof = cardan__carve(c, nv, sizeof(int));
  s->held = cardan__carve(c, nv, sizeof(int));
  s->A = cardan__carve(c, nv * n, sizeof(double));
  s->b = cardan__carve(c, nv, sizeof(double));
  s->x = cardan__carve(c, n, sizeof(double));
  s->most = cardan__carve(c, nv, sizeof(double));
  s->work = cardan__carve(c, cardan__min_norm_work(s->model->nv, s->k + s->nheld), sizeof(double));
  s->index = cardan__carve(c, n, sizeof(int));
}

/* (E1), columns weighed: rows cost little beside friction. */
static void solve(balance *s, const cardan__statics_point *rest)
{
  const size_t nv = (size_t)s->model->nv, n = (size_t)s->k + (size_t)s->nheld;
  const double cheap = s->nheld > 0 ? 1e3 : 1.0;
  for (size_t i = 0; i < (size_t)s->d; i++) {
    const size_t k = (size_t)s->dof[i];
    s->b[i] = rest->r[k];
    for (size_t r = 0; r < (size_t)s->k; r++) {
      s->A[i * n + r] = cheap * rest->dense[r * nv + k];
    }
    for (size_t j = 0; j < (size_t)s->nheld; j++) {
      s->A[i * n + (size_t)s->k + j] = s->held[j] == s->dof[i] ? s->most[k] : 0.0;
    }
  }
  cardan__min_norm(s->d, (int)n, s->A, s->b, 1e-11, s->x, s->work, s->index);
  for (int r = 0; r < s->k; r++) {
    s->x[r] *= cheap;
  }
  for (int j = 0; j < s->nheld; j++) {
    s->x[s->k + j] *= s->most[s->held[j]];
  }
}

/* lambda, and all else that pushes, to data; wrenches through the joints follow. */
static void put_loads(const balance *s, cardan__statics_point *rest)
{
  const cardan_model *model = s->model;
  cardan_data *data = rest->data;
  cardan__statics_point_look(rest);
  memcpy(data->lambda, s->x, (size_t)model->nrow * sizeof *data->lambda);
  cardan__rowset one = cardan__bound_rows(model);
  one.n = 1;
  for (int i = 0; i < rest->nactive; i++) {
    double sign, push = s->x[model->nrow + i];
    const int joint = cardan__statics_point_limit(rest, rest->active[i], &sign);
    if (joint >= 0) {
      data->tau[model->joint[joint].vadr] += sign * push;
    } else {
      const cardan_bound *b = &model->bound[rest->active[i]];
      push *= b->sign;
      one.row = &model->bound_row[b->row];
      cardan__rows_transpose(&one, &data->bounds, &push, data->f_ext, data->tau);
    }
  }
  for (int j = 0; j < s->nheld; j++) {
    data->tau[s->held[j]] += s->x[s->k + j];
    data->friction_tau[s->held[j]] = s->x[s->k + j];
  }
  cardan__joint_wrenches(model, data, data->tau_work);
}

/* Of one element: what it needs and can give; most: that on its velocities. */
static void compare(const balance *s, const cardan__statics_point *rest,
                    cardan_statics_friction *out)
{
  const cardan_force_element *e = &s->model->force[out->force];
  const int adr = cardan__friction_adr(s->model, e);
  double r[6], sum = 0;
  const int n = cardan__friction_lengths(s->model, e, r);
  out->limit = cardan__friction_limit(s->model, e, rest->data->f);
  for (int k = 0; k < n; k++) {
    const double u = r[k] > 0 ? rest->data->friction_tau[adr + k] / r[k] : 0.0;
    sum += u * u;
    s->most[adr + k] = fmax(r[k] * out->limit, 1e-9 * (1e-3 + rest->scale));
  }
  out->needed = n == 1 && r[0] > 0 ? rest->data->friction_tau[adr] / r[0] : sqrt(sum);
}

cardan_status cardan__statics_friction(cardan__statics_point *rest, const bool *held,
                                       cardan_statics_friction *out)
{
  const cardan_model *model = rest->model;
  balance s = {.model = model, .k = rest->k};
  for (int i = 0; i < model->nv; i++) {
    s.nheld += held[i] ? 1 : 0;
  }
  void *block = cardan__carve_block(&rest->data->allocator, layout, &s);
  if (block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  s.nheld = 0;
  for (int i = 0; i < model->nv; i++) {
    s.most[i] = 1.0;
    if (!(model->body[model->v_body[i]].flags & CARDAN_LINK_KINEMATIC)) {
      s.dof[s.d++] = i;
    }
    if (held[i]) {
      s.held[s.nheld++] = i;
    }
  }
  memset(rest->data->friction_tau, 0, (size_t)model->nv * sizeof *rest->data->friction_tau);
  cardan__statics_point_look(rest);
  cardan__statics_point_rows(rest);
  for (int round = 0; round < ROUNDS; round++) {
    solve(&s, rest);
    put_loads(&s, rest);
    int count = 0;
    for (int i = 0; i < model->nforce; i++) {
      if (model->force[i].flags & CARDAN_FORCE_FRICTION) {
        out[count].force = i;
        compare(&s, rest, &out[count++]);
      }
    }
    if (s.nheld == 0) {
      break;
    }
  }
  memcpy(rest->lambda, s.x, (size_t)s.k * sizeof *s.x);
  cardan__resize(&rest->data->allocator, block, 0);
  return CARDAN_OK;
}
