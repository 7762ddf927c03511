// SPDX-License-Identifier: Apache-2.0
#include "contact/feature_rows.h"

#include <math.h>
#include <string.h>

#include "constraints/rows.h"
#include "kinematics/joint.h"

/* Rows of features at one configuration, and what belongs to the node where a step begins. */

static const double vanishes =
    1e-12; // entries of a row that is left out, of its direction's length

/* ---- a row between two bodies ---- */

void cardan__feature_bodies(const cardan_model *model, const cardan__feature *f, int body[2])
{
  const cardan_pair *pair = &model->pair[f->pair];
  body[0] = model->solid[pair->solid[0]].body;
  body[1] = model->solid[pair->solid[1]].body;
}

/* What the row is on one body, in its coordinates, and so on its joint's velocities: part (nv of
 * the joint), out. */
static void project(const cardan_body *b, const cardan_xform *X, const double *q,
                    const cardan__contact_row *row, double part[6])
{
  const cardan_vec3 arm = cardan__vec3_sub(row->x, X->p);
  const cardan_vec3 t = cardan__vec3_add(cardan__vec3_cross(arm, row->d), row->c);
  const cardan_force F = {.t = cardan__mat3_tmulv(&X->R, t),
                          .f = cardan__mat3_tmulv(&X->R, row->d)};
  cardan__joint_project_at(b, q + b->qadr, F, part);
}

/* The one of two bodies that has the larger number, which is not on the path of the other, goes to
 * its parent. Its sign in a row: 1 for A, -1 for B. */
static int step_to_parent(const cardan_model *model, int at[2], double *sign)
{
  const int side = at[0] > at[1] ? 0 : 1, body = at[side];
  at[side] = model->body[body].parent;
  *sign = side == 0 ? 1 : -1;
  return body;
}

void cardan__contact_rows_pull(const cardan_model *model, const cardan_data *data,
                               const int body[2], int n, const cardan__contact_row *row, double *J)
{
  const size_t nv = (size_t)model->nv;
  int at[2] = {body[0], body[1]};
  double sign, part[6] = {0, 0, 0, 0, 0, 0};
  memset(J, 0, (size_t)n * nv * sizeof *J);
  while (at[0] != at[1]) {
    const int i = step_to_parent(model, at, &sign);
    const cardan_body *b = &model->body[i];
    for (int j = 0; j < n; j++) {
      double *to = J + (size_t)j * nv + b->vadr;
      project(b, &data->X_W[i], data->q, &row[j], part);
      for (int k = 0; k < b->nv; k++) {
        to[k] = sign * part[k];
      }
    }
  }
}

/* Has a row an entry that is not 0? */
static bool moves(const cardan_model *model, const cardan_data *data, const int body[2],
                  const cardan__contact_row *row)
{
  int at[2] = {body[0], body[1]};
  double sign, part[6] = {0, 0, 0, 0, 0, 0};
  while (at[0] != at[1]) {
    const int i = step_to_parent(model, at, &sign);
    const cardan_body *b = &model->body[i];
    project(b, &data->X_W[i], data->q, row, part);
    for (int k = 0; k < b->nv; k++) {
      if (fabs(part[k]) >= vanishes) {
        return true;
      }
    }
  }
  return false;
}

/* ---- a bound ---- */

/* The row of a bound as a set of its own, over data's places for it. */
typedef struct {
  cardan_row row;
  cardan__rowset set;
  cardan_rows rows;
} bound_row;

static void read_bound(const cardan_model *model, const cardan_data *data, const cardan__feature *f,
                       bound_row *b)
{
  b->row = model->bound_row[model->bound[f->index].row];
  b->set = cardan__bound_rows(model);
  b->rows = (cardan_rows){.w = data->bounds.w + b->row.badr, .c = data->bounds.c + b->row.dadr};
  b->set.row_body += b->row.badr;
  b->set.row_dof += b->row.dadr;
  b->set.nrow_body = b->row.nb;
  b->set.nrow_dof = b->row.nd;
  b->row.badr = b->row.dadr = 0;
  b->set.row = &b->row;
  b->set.n = 1;
}

static double bound_gap(const cardan_model *model, const cardan_data *data,
                        const cardan__feature *f)
{
  const cardan__view view = cardan__data_view(model, data);
  bound_row b;
  double phi;
  read_bound(model, data, f, &b);
  cardan__rows_value(&b.set, &view, &phi);
  return f->sign * phi;
}

/* What time does to it. */
static double bound_drift(const cardan_model *model, const cardan_data *data,
                          const cardan__feature *f)
{
  const cardan__view view = cardan__data_view(model, data);
  bound_row b;
  double phi_t;
  read_bound(model, data, f, &b);
  cardan__rows_rates(&b.set, &view, &phi_t, NULL);
  return f->sign * phi_t;
}

static double bound_rate(const cardan_model *model, const cardan_data *data,
                         const cardan__feature *f)
{
  const cardan__view view = cardan__data_view(model, data);
  bound_row b;
  read_bound(model, data, f, &b);
  cardan__rows_jacobian(&b.set, &view, &b.rows);
  return f->sign * cardan__row_dot(&b.set, &b.rows, 0, data->V, data->v);
}

void cardan__feature_row(const cardan__feature *f, int nv, double *row)
{
  memset(row, 0, (size_t)nv * sizeof *row);
  row[f->k] = f->sign;
}

void cardan__feature_one_row(const cardan_model *model, const cardan_data *data,
                             const cardan__feature *f, double *J)
{
  if (f->k >= 0) {
    cardan__feature_row(f, model->nv, J);
    return;
  }
  const cardan__view view = cardan__data_view(model, data);
  bound_row b;
  read_bound(model, data, f, &b);
  cardan__rows_jacobian(&b.set, &view, &b.rows);
  cardan__rows_dense(&b.set, data, &b.rows, J);
  for (int k = f->reach.range[0][0]; k < f->reach.range[0][1]; k++) {
    J[k] *= f->sign;
  }
}

/* ---- all kinds ---- */

/* The point of A that touched at the node over the plane of B that it touched there. */
static void look_frozen(const cardan_model *model, const cardan_data *data,
                        const cardan__feature *f, cardan__touch *at)
{
  int body[2];
  cardan__feature_bodies(model, f, body);
  const cardan_xform *A = &data->X_W[body[0]], *B = &data->X_W[body[1]];
  const cardan_vec3 n = cardan__mat3_tmulv(&f->X[1].R, f->touch.n);
  const cardan_vec3 node = cardan__xform_inv_point(&f->X[1], f->touch.x);
  at->x = cardan__xform_point(A, cardan__xform_inv_point(&f->X[0], f->touch.x));
  at->n = cardan__mat3_mulv(&B->R, n);
  const cardan_vec3 moved = cardan__vec3_sub(cardan__xform_inv_point(B, at->x), node);
  at->gap = f->gap + cardan__vec3_dot(n, moved);
}

double cardan__feature_look(const cardan_model *model, const cardan_data *data,
                            const cardan__feature *f, cardan__touch *touch)
{
  cardan__touch at;
  if (f->kind == CARDAN__SPOT) {
    touch = touch != NULL ? touch : &at;
    if (f->frozen) {
      look_frozen(model, data, f, touch);
      return touch->gap;
    }
    cardan__spot_look(model, &f->spot, data->X_W, touch);
    return touch->gap;
  }
  return f->k >= 0 ? cardan__feature_gap(f, data->q) : bound_gap(model, data, f);
}

void cardan__features_gaps(const cardan_model *model, const cardan_data *data, int n,
                           const cardan__feature *feature, double *gap)
{
  for (int i = 0; i < n; i++) {
    gap[i] = cardan__feature_look(model, data, &feature[i], NULL);
  }
}

/* Velocity of a point of a body, world axes. */
static cardan_vec3 velocity_at(const cardan_data *data, int body, cardan_vec3 x)
{
  const cardan_xform *X = &data->X_W[body];
  const cardan_twist V = data->V[body];
  const cardan_vec3 arm = cardan__xform_inv_point(X, x);
  return cardan__mat3_mulv(&X->R, cardan__vec3_add(V.v, cardan__vec3_cross(V.w, arm)));
}

cardan_vec3 cardan__feature_velocity(const cardan_model *model, const cardan_data *data,
                                     const cardan__feature *f, cardan_vec3 x)
{
  int body[2];
  cardan__feature_bodies(model, f, body);
  return cardan__vec3_sub(velocity_at(data, body[0], x), velocity_at(data, body[1], x));
}

static double spot_rate(const cardan_model *model, const cardan_data *data,
                        const cardan__feature *f)
{
  cardan__touch at;
  cardan__spot_look(model, &f->spot, data->X_W, &at);
  return cardan__vec3_dot(at.n, cardan__feature_velocity(model, data, f, at.x));
}

void cardan__features_rates(const cardan_model *model, const cardan_data *data, int n,
                            const cardan__feature *feature, double *rate)
{
  for (int i = 0; i < n; i++) {
    const cardan__feature *f = &feature[i];
    rate[i] = f->kind == CARDAN__SPOT ? spot_rate(model, data, f)
              : f->k >= 0             ? cardan__feature_rate(f, data->v)
                                      : bound_rate(model, data, f) + bound_drift(model, data, f);
  }
}

/* A force at x and a couple, world axes, onto a body at X. */
static void add_wrench(const cardan_xform *X, cardan_vec3 x, cardan_vec3 force, cardan_vec3 couple,
                       cardan_force *f)
{
  const cardan_vec3 moment =
      cardan__vec3_add(couple, cardan__vec3_cross(cardan__vec3_sub(x, X->p), force));
  f->t = cardan__vec3_add(f->t, cardan__mat3_tmulv(&X->R, moment));
  f->f = cardan__vec3_add(f->f, cardan__mat3_tmulv(&X->R, force));
}

void cardan__feature_load(const cardan_model *model, const cardan_data *data,
                          const cardan__feature *feature, cardan_vec3 force, cardan_vec3 couple,
                          cardan_force *f, double *tau)
{
  if (feature->kind == CARDAN__SPOT) {
    int body[2];
    cardan__feature_bodies(model, feature, body);
    add_wrench(&feature->X[0], feature->touch.x, force, couple, &f[body[0]]);
    add_wrench(&feature->X[1], feature->touch.x, cardan__vec3_neg(force), cardan__vec3_neg(couple),
               &f[body[1]]);
  } else if (feature->k >= 0) {
    cardan__feature_push(feature, force.x, tau);
  } else {
    const cardan__view view = cardan__data_view(model, data);
    const double lambda = feature->sign * force.x;
    bound_row b;
    read_bound(model, data, feature, &b);
    cardan__rows_jacobian(&b.set, &view, &b.rows);
    cardan__rows_transpose(&b.set, &b.rows, &lambda, f, tau);
  }
}

void cardan__feature_drift(const cardan_model *model, const cardan_data *data,
                           const cardan__feature *f, double *u0)
{
  memset(u0, 0, (size_t)f->dim * sizeof *u0);
  if (f->kind == CARDAN__BOUND && f->k < 0) {
    u0[0] = bound_drift(model, data, f);
  }
}

/* ---- a node ---- */

/* Two directions across n: in a planar model the first lies in the plane; else it is the axis of
 * the world least along n (the first of equal ones), projected. */
static void tangents(const cardan_model *model, cardan_vec3 n, cardan_vec3 t[2])
{
  const double c[3] = {fabs(n.x), fabs(n.y), fabs(n.z)};
  const int least = c[0] <= c[1] && c[0] <= c[2] ? 0 : c[1] <= c[2] ? 1 : 2;
  const cardan_vec3 axis = {least == 0, least == 1, least == 2};
  if (model->planar && fabs(cardan__vec3_dot(n, model->plane_normal)) < 1e-9) {
    t[0] = cardan__vec3_normalize(cardan__vec3_cross(model->plane_normal, n));
  } else {
    t[0] = cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(axis, n), n, axis));
  }
  t[1] = cardan__vec3_cross(n, t[0]);
}

/* The group's rows that move at all, of n directions, of this length. */
static void build_group(const cardan_model *model, const cardan_data *data, cardan__feature *f,
                        cardan__feature_group group, int n, const cardan_vec3 *d, double length)
{
  int body[2], size = 0;
  cardan__feature_bodies(model, f, body);
  for (int i = 0; i < n && length > 0; i++) {
    cardan__contact_row row = {.x = f->touch.x};
    *(group == CARDAN__SLIP ? &row.d : &row.c) = d[i];
    if (moves(model, data, body, &row)) {
      f->d[f->dim + size++] = cardan__vec3_scale(length, d[i]);
    }
  }
  if (size > 0) {
    f->group[f->ngroup] = group;
    f->size[f->ngroup++] = size;
    f->dim += size;
  }
}

void cardan__feature_enter(const cardan_model *model, const cardan_data *data, cardan__feature *f)
{
  f->gap = cardan__feature_look(model, data, f, &f->touch);
  f->dim = 1;
  f->ngroup = 0;
  if (f->kind != CARDAN__SPOT) {
    return;
  }
  const cardan_pair *pair = &model->pair[f->pair];
  int body[2];
  cardan_vec3 t[2];
  cardan__feature_bodies(model, f, body);
  f->X[0] = data->X_W[body[0]];
  f->X[1] = data->X_W[body[1]];
  f->d[0] = f->touch.n;
  tangents(model, f->touch.n, t);
  build_group(model, data, f, CARDAN__SLIP, 2, t, fmax(pair->friction, pair->statical) > 0 ? 1 : 0);
  build_group(model, data, f, CARDAN__SPIN, 1, &f->touch.n, pair->spinning);
  build_group(model, data, f, CARDAN__ROLL, 2, t, pair->rolling);
}

bool cardan__feature_turns(const cardan__feature *f, int j)
{
  const int slip = f->ngroup > 0 && f->group[0] == CARDAN__SLIP ? f->size[0] : 0;
  return j > slip;
}

void cardan__feature_rows(const cardan_model *model, const cardan_data *data,
                          const cardan__feature *f, double *J)
{
  int body[2];
  cardan__touch at;
  cardan__contact_row row[CARDAN__FEATURE_ROWS];
  if (f->kind != CARDAN__SPOT) {
    cardan__feature_one_row(model, data, f, J);
    return;
  }
  cardan__feature_bodies(model, f, body);
  cardan__spot_look(model, &f->spot, data->X_W, &at);
  for (int j = 0; j < f->dim; j++) {
    const cardan_vec3 in_B = cardan__mat3_tmulv(&f->X[1].R, f->d[j]);
    const cardan_vec3 d = j == 0 ? at.n : cardan__mat3_mulv(&data->X_W[body[1]].R, in_B);
    row[j] = (cardan__contact_row){.x = at.x};
    *(cardan__feature_turns(f, j) ? &row[j].c : &row[j].d) = d;
  }
  cardan__contact_rows_pull(model, data, body, f->dim, row, J);
}

/* ---- cones and impulses ---- */

void cardan__feature_slide(cardan__feature *f, cardan__feature_group group, const double *u)
{
  int first = 1;
  for (int g = 0; g < f->ngroup; first += f->size[g++]) {
    const double size = hypot(u[0], u[1]);
    if (f->group[g] != group || f->size[g] != 2 || !(size > 0)) {
      continue;
    }
    f->d[first] = cardan__vec3_axpy(u[0] / size, f->d[first],
                                    cardan__vec3_scale(u[1] / size, f->d[first + 1]));
    for (int j = first + 1; j + 1 < f->dim; j++) {
      f->d[j] = f->d[j + 1];
    }
    f->size[g] = 1;
    f->dim--;
    return;
  }
}

cardan__cone cardan__feature_cone(const cardan_model *model, const cardan__feature *f, int row,
                                  bool sticks)
{
  cardan__cone cone = {.row = row, .ngroup = f->ngroup};
  for (int g = 0; g < f->ngroup; g++) {
    const cardan_pair *pair = &model->pair[f->pair];
    const double sliding = sticks ? fmax(pair->statical, pair->friction) : pair->friction;
    cone.size[g] = f->size[g];
    cone.mu[g] = f->group[g] == CARDAN__SLIP ? sliding : 1;
  }
  return cone;
}

void cardan__feature_world(const cardan__feature *f, const double *r, cardan_vec3 *force,
                           cardan_vec3 *couple)
{
  *force = *couple = (cardan_vec3){0, 0, 0};
  if (f->kind != CARDAN__SPOT) {
    force->x = r[0];
    return;
  }
  for (int j = 0; j < f->dim; j++) {
    cardan_vec3 *to = cardan__feature_turns(f, j) ? couple : force;
    *to = cardan__vec3_axpy(r[j], f->d[j], *to);
  }
}

void cardan__feature_local(const cardan__feature *f, cardan_vec3 force, cardan_vec3 couple,
                           double *r)
{
  r[0] = force.x;
  for (int j = 0; j < f->dim && f->kind == CARDAN__SPOT; j++) {
    const cardan_vec3 from = cardan__feature_turns(f, j) ? couple : force;
    r[j] = cardan__vec3_dot(f->d[j], from) / cardan__vec3_dot(f->d[j], f->d[j]);
  }
}
