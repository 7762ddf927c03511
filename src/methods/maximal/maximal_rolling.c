// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/maximal_rolling.h"

#include <math.h>
#include <string.h>

#include "spatial/screw.h"

/* Rows of velocity level on the displacement x of a step of length h,
 *   A(q_n moved by part x, t_n + part h) x = h b                                             (E1)
 * part 1/2: half-implicit and rattle, 1: fully-implicit. A is by the bodies' twists (w in body
 * axes, r' in the world), and so is x: a turn carries itself into the axes of the middle and of the
 * end, and a wheel or ball that rolls straight goes as far as it turns, whatever the step.
 *
 * Impulses act along the rows that are factored (half-implicit: those of the node; fully-implicit:
 * of the end), or (rattle) along those of the middle, half on each node. Forces are in world axes,
 * so they are the same there; torques are in the axes of their body, which turns by exp(x_t / 2):
 *   at the node exp(x_t / 2) t,   at the end exp(-x_t / 2) t                                 (E2)
 *
 * Derivatives of (E1) and (E2) along a direction come from one difference: x moved by 1e-7 rad, or
 * lengths of the mechanism, leaves 7 digits of them, and Newton's corrections need no more. */

static const double change = 1e-7;

static void layout(void *what, cardan__carver *c)
{
  cardan__mx_stepper *s = what;
  cardan__mx_rolling *r = s->rolling;
  const cardan__maximal *mx = s->mx;
  const size_t n = (size_t)r->n, nx = (size_t)mx->nx;
  const size_t entries = (size_t)mx->nentry * (size_t)mx->dof;
  r->eq = CARDAN__CARVE(c, n, int);
  r->cfg = CARDAN__CARVE(c, mx->ncfg * mx->nbody, double);
  r->way = CARDAN__CARVE(c, nx, double);
  r->J = CARDAN__CARVE(c, entries, double);
  r->w = CARDAN__CARVE(c, mx->set.nrow_body, cardan_force);
  r->c = CARDAN__CARVE(c, mx->set.nrow_dof, double);
  r->phi_t = CARDAN__CARVE(c, mx->set.n, double);
  r->value = CARDAN__CARVE(c, n, double);
  r->b = CARDAN__CARVE(c, n, double);
  r->x_at = CARDAN__CARVE(c, nx, double);
  r->J_at = CARDAN__CARVE(c, entries, double);
  r->value_at = CARDAN__CARVE(c, n, double);
  r->force_at = CARDAN__CARVE(c, nx, double);
  r->mid = CARDAN__CARVE(c, nx, double);
  r->touched = CARDAN__CARVE(c, mx->nbody, bool);
}

static bool is_velocity(const cardan__maximal *mx, int e)
{
  return mx->set.row[mx->row[e]].velocity;
}

cardan_status cardan__mx_rolling_open(cardan__mx_stepper *s, double part, bool turned)
{
  const cardan_allocator *allocator = &s->base.allocator;
  const cardan__maximal *mx = s->mx;
  if (s->base.model->nvelocity_row == 0) {
    return CARDAN_OK;
  }
  cardan__mx_rolling *r = cardan__resize(allocator, NULL, sizeof *r);
  if (r == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *r = (cardan__mx_rolling){.part = part, .turned = turned};
  s->rolling = r;
  for (int e = 0; e < mx->neq; e++) {
    r->n += is_velocity(mx, e);
  }
  r->block = cardan__carve_block(allocator, layout, s);
  if (r->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (int e = 0, n = 0; e < mx->neq; e++) {
    const int row = mx->row[e];
    if (is_velocity(mx, e)) {
      r->eq[n++] = e;
      for (int i = mx->ent[row]; i < mx->ent[row] + mx->nent[row]; i++) {
        r->touched[mx->ent_body[i]] = true;
      }
    }
  }
  return CARDAN_OK;
}

void cardan__mx_rolling_close(cardan__mx_stepper *s)
{
  if (s->rolling != NULL) {
    cardan__resize(&s->base.allocator, s->rolling->block, 0);
    cardan__resize(&s->base.allocator, s->rolling, 0);
    s->rolling = NULL;
  }
}

void cardan__mx_rolling_begin(cardan__mx_stepper *s, double t)
{
  if (s->rolling != NULL) {
    s->rolling->t = t;
  }
}

/* J of row e times x. */
static double row_dot(const cardan__maximal *mx, const double *J, int e, const double *x)
{
  const int r = mx->row[e], n = mx->dof;
  double sum = 0;
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    for (int k = 0; k < n; k++) {
      sum += J[i * n + k] * x[mx->ent_body[i] * n + k];
    }
  }
  return sum;
}

void cardan__mx_rolling_look(cardan__mx_stepper *s)
{
  cardan__mx_rolling *r = s->rolling;
  cardan__maximal *mx = s->mx;
  const cardan_rows rows = mx->rows;
  const double t = mx->t, h = t - r->t;
  double *J = mx->J;
  for (int i = 0; i < mx->nx; i++) {
    r->way[i] = r->part * s->x[i];
  }
  cardan__mx_drift(mx, s->cfg, r->way, r->cfg);
  mx->t = r->t + r->part * h;
  cardan__mx_place(mx, r->cfg, NULL);
  cardan__mx_turns_at(s, s->turns.q, r->way);
  cardan__mx_coordinates(mx, false);
  mx->J = r->J; // those that are factored, and the wrenches that go with them, stay
  mx->rows.w = r->w;
  mx->rows.c = r->c;
  mx->rows.phi_t = r->phi_t;
  cardan__mx_velocity_rows(mx);
  mx->J = J;
  mx->rows = rows;
  mx->t = t;
  for (int j = 0; j < r->n; j++) {
    r->b[j] = -r->phi_t[mx->row[r->eq[j]]];
    r->value[j] = row_dot(mx, r->J, r->eq[j], s->x) - h * r->b[j];
  }
}

void cardan__mx_rolling_values(const cardan__mx_stepper *s)
{
  const cardan__mx_rolling *r = s->rolling;
  for (int j = 0; j < r->n; j++) {
    s->mx->rows.phi[s->mx->row[r->eq[j]]] = r->value[j];
  }
}

/* f += J^T lambda of these rows. */
static void add_rows(const cardan__maximal *mx, const cardan__mx_rolling *r, const double *J,
                     double scale, const double *lambda, double *f)
{
  const int n = mx->dof;
  for (int j = 0; j < r->n; j++) {
    const int row = mx->row[r->eq[j]];
    const double l = scale * lambda[r->eq[j]];
    for (int i = mx->ent[row]; i < mx->ent[row] + mx->nent[row]; i++) {
      for (int k = 0; k < n; k++) {
        f[mx->ent_body[i] * n + k] += l * J[i * n + k];
      }
    }
  }
}

/* f += impulses along rows of the middle of x; (E2): side 1 at the node, -1 at the end. */
static void add_turned(const cardan__maximal *mx, const cardan__mx_rolling *r, const double *J,
                       const double *x, double side, double scale, const double *lambda, double *f)
{
  const int n = mx->dof;
  memset(r->mid, 0, (size_t)mx->nx * sizeof *r->mid);
  add_rows(mx, r, J, scale, lambda, r->mid);
  for (int b = 0; b < mx->nbody; b++) {
    double *to = f + b * n;
    const double *from = r->mid + b * n, *w = x + b * n;
    for (int k = 0; k < n && r->touched[b]; k++) {
      to[k] += mx->planar || k > 2 ? from[k] : 0;
    }
    if (!mx->planar && r->touched[b]) {
      const double half = 0.5 * side;
      const cardan_quat e = cardan__turn_exp(cardan__vec3(half * w[0], half * w[1], half * w[2]));
      const cardan_mat3 R = cardan__quat_to_mat3(e);
      const cardan_vec3 t = cardan__mat3_mulv(&R, cardan__vec3(from[0], from[1], from[2]));
      to[0] += t.x;
      to[1] += t.y;
      to[2] += t.z;
    }
  }
}

void cardan__mx_rolling_shift(cardan__mx_stepper *s, double scale, const double *lambda, double *f)
{
  const cardan__mx_rolling *r = s->rolling;
  if (r != NULL && r->turned) {
    add_rows(s->mx, r, s->mx->J, -scale, lambda, f);
    add_turned(s->mx, r, r->J, s->x, 1, scale, lambda, f);
  }
}

void cardan__mx_rolling_end(cardan__mx_stepper *s, double scale, const double *lambda, double *f)
{
  add_turned(s->mx, s->rolling, s->rolling->J, s->x, -1, scale, lambda, f);
}

void cardan__mx_rolling_mark(cardan__mx_stepper *s)
{
  cardan__mx_rolling *r = s->rolling;
  const cardan__maximal *mx = s->mx;
  const size_t nx = (size_t)mx->nx;
  if (r == NULL) {
    return;
  }
  memcpy(r->x_at, s->x, nx * sizeof *s->x);
  memcpy(r->J_at, r->J, (size_t)mx->nentry * (size_t)mx->dof * sizeof *r->J);
  memcpy(r->value_at, r->value, (size_t)r->n * sizeof *r->value);
  memset(r->force_at, 0, nx * sizeof *r->force_at);
  if (r->turned) {
    add_turned(mx, r, r->J_at, r->x_at, 1, 1, s->lambda, r->force_at);
  }
}

/* The rows at x_at + e x, with s->x as it was. */
static void look_near(cardan__mx_stepper *s, double e, const double *x)
{
  cardan__mx_rolling *r = s->rolling;
  double *at = s->x;
  for (int i = 0; i < s->mx->nx; i++) {
    r->mid[i] = r->x_at[i] + e * x[i];
  }
  s->x = r->mid;
  cardan__mx_rolling_look(s);
  s->x = at;
}

void cardan__mx_rolling_apply(cardan__mx_stepper *s, double size, const double *x, const double *l,
                              double *y, double *yl)
{
  const cardan__mx_rolling *r = s->rolling;
  const cardan__maximal *mx = s->mx;
  const double e = size > 0 ? change / size : 0;
  if (e > 0) {
    look_near(s, e, x);
  }
  for (int j = 0; j < r->n; j++) {
    const int eq = r->eq[j];
    yl[eq] = s->kkt->idle[eq] || !(e > 0) ? 0 : (r->value[j] - r->value_at[j]) / e;
  }
  if (!r->turned) {
    return;
  }
  add_rows(mx, r, mx->J, -1, l, y);
  add_turned(mx, r, r->J_at, r->x_at, 1, 1, l, y);
  if (e > 0) {
    for (int i = 0; i < mx->nx; i++) {
      r->way[i] = r->x_at[i] + e * x[i];
      y[i] -= r->force_at[i] / e;
    }
    add_turned(mx, r, r->J, r->way, 1, 1 / e, s->lambda, y);
  }
}

double cardan__mx_rolling_work(const cardan__mx_stepper *s, double h)
{
  const cardan__mx_rolling *r = s->rolling;
  double work = 0;
  for (int j = 0; r != NULL && j < r->n; j++) {
    work += h * s->lambda[r->eq[j]] * r->b[j];
  }
  return work;
}
