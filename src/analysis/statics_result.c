// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/statics.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "dynamics/aux_rates.h"
#include "forces/forces.h"
#include "forces/kind.h"
#include "model/data.h"

/* cardan_statics_find: friction that holds or does not, the search, its result and messages. */

/* Directions of the result are weighed by inertia alone, but for this much. */
static const double metric_of_ends = 1e-9;

/* Steps cost their cube. */
static const int most_velocities = 3000;

typedef struct {
  cardan__statics_point rest;
  cardan_statics *to;
  const cardan_statics_options *options;
  bool *held;    // nv: by friction
  double *start; // nq
  cardan_report *report;
} job;

static void layout_result(void *what, cardan__carver *c)
{
  cardan_statics *s = what;
  const cardan_model *m = s->model;
  s->q = CARDAN__CARVE(c, m->nq, double);
  s->lambda = CARDAN__CARVE(c, m->nrow, double);
  s->reaction = CARDAN__CARVE(c, m->njoint, cardan_force);
  s->driver = CARDAN__CARVE(c, m->njoint, double);
  s->spring = CARDAN__CARVE(c, m->nforce, double);
  s->length = CARDAN__CARVE(c, m->nforce, double);
  s->side = CARDAN__CARVE(c, s->nside, double);
  s->gap = CARDAN__CARVE(c, s->nside, double);
  s->friction = CARDAN__CARVE(c, s->nfriction, cardan_statics_friction);
  s->stiffness = CARDAN__CARVE(c, m->nv, double);
  s->eigen_re = CARDAN__CARVE(c, m->nv, double);
  s->eigen_im = CARDAN__CARVE(c, m->nv, double);
  s->shape = CARDAN__CARVE(c, (size_t)m->nv * (size_t)m->nv, double);
}

static void layout_job(void *what, cardan__carver *c)
{
  job *j = what;
  cardan__statics_point_layout(&j->rest, c);
  j->held = CARDAN__CARVE(c, j->rest.model->nv, bool);
  j->start = CARDAN__CARVE(c, j->rest.model->nq, double);
}

/* Do forces act that have no potential? Damping does not at rest. */
static bool is_driven(const cardan_model *model, const cardan_data *data)
{
  bool driven = cardan__inputs_push(model, data->tau_in, data->f_in);
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    const bool damps = e->kind == CARDAN_ELEMENT_DAMPING || e->kind == CARDAN_ELEMENT_DAMPER ||
                       e->kind == CARDAN_ELEMENT_BUSHING_DAMPER;
    driven = driven || (!(e->flags & (CARDAN_FORCE_POTENTIAL | CARDAN_FORCE_FRICTION)) && !damps);
  }
  return driven;
}

/* Velocities that an element of friction can hold. */
static void hold_velocities(job *j, const cardan_force_element *e, bool holds)
{
  double r[6];
  const int n = cardan__friction_lengths(j->rest.model, e, r);
  const int adr = cardan__friction_adr(j->rest.model, e);
  for (int k = 0; k < n; k++) {
    j->held[adr + k] = holds && r[k] > 0;
    j->rest.locked[adr + k] = j->held[adr + k];
  }
}

/* Lets go what cannot hold; false: all hold. */
static bool slips(job *j, bool first)
{
  bool any = false;
  for (int i = 0; i < j->to->nfriction; i++) {
    cardan_statics_friction *f = &j->to->friction[i];
    if (first) {
      f->start = f->needed;
      f->start_limit = f->limit;
    }
    if (f->holds && !(fabs(f->needed) <= f->limit * (1 + 1e-9))) {
      f->holds = false;
      hold_velocities(j, &j->rest.model->force[f->force], false);
      any = true;
    }
  }
  return any;
}

/* From the start with friction held where it can be: what slips is let go, and it restarts. */
static cardan_status search(job *j)
{
  const cardan_model *model = j->rest.model;
  cardan_data *data = j->rest.data;
  cardan_statics *to = j->to;
  int count = 0;
  for (int i = 0; i < model->nforce; i++) {
    if (model->force[i].flags & CARDAN_FORCE_FRICTION) {
      to->friction[count++] = (cardan_statics_friction){
          .force = i, .holds = !j->options->no_friction, .start = NAN, .start_limit = NAN};
      hold_velocities(j, &model->force[i], !j->options->no_friction);
    }
  }
  for (bool first = true;; first = false) {
    bool moved = false;
    memcpy(data->q, j->start, (size_t)model->nq * sizeof *data->q);
    cardan_status status =
        cardan__statics_search(&j->rest, j->options, &to->iterations, &moved, j->report);
    to->at_start = !moved;
    status =
        status != CARDAN_OK ? status : cardan__statics_friction(&j->rest, j->held, to->friction);
    if (status != CARDAN_OK || !slips(j, first && !j->options->no_friction)) {
      return status;
    }
  }
}

static void take_stiffness(job *j)
{
  cardan__statics_point *s = &j->rest;
  cardan_statics *to = j->to;
  const size_t nv = (size_t)s->model->nv;
  to->nfree = s->m;
  to->residual = s->left;
  to->scale = s->scale;
  to->conservative = !s->driven;
  to->skew = s->skew;
  for (int i = 0; i < s->m; i++) {
    to->nnegative += s->h[i] < -s->neutral ? 1 : 0;
    to->nzero += fabs(s->h[i]) <= s->neutral ? 1 : 0;
  }
  // in the metric of inertia, where there is inertia everywhere
  if (s->model->inert == CARDAN_INERT_NONE && cardan__statics_point_weigh(s, metric_of_ends) &&
      cardan__statics_point_slope(s) != CARDAN_OK) {
    return;
  }
  for (int i = 0; i < s->m; i++) {
    to->stiffness[i] = s->h[i];
    for (int k = 0; k < s->m; k++) {
      const double part = s->V[(size_t)i * (size_t)s->m + (size_t)k];
      for (int a = 0; a < s->n; a++) {
        to->shape[(size_t)i * nv + (size_t)s->dof[a]] +=
            part * s->P[(size_t)k * (size_t)s->n + (size_t)a];
      }
    }
  }
  for (int i = 0; i < s->m; i++) {
    to->eigen_re[i] = to->eigen_im[i] = NAN;
  }
  if (cardan__statics_point_eigenvalues(s)) {
    memcpy(to->eigen_re, s->re, (size_t)s->m * sizeof *s->re);
    memcpy(to->eigen_im, s->im, (size_t)s->m * sizeof *s->im);
  }
  to->fed = cardan__statics_point_fed(s);
}

/* Tension and length of springs. */
static void take_springs(const cardan__statics_point *s, cardan_statics *to)
{
  const cardan_model *model = s->model;
  const cardan__view view = cardan__data_view(model, s->data);
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->kind == CARDAN_ELEMENT_SPRING) {
      cardan__force_between(model, &view, e, &to->length[i]);
      to->spring[i] = e->value[0] * (to->length[i] - e->value[1]);
    } else if (e->kind == CARDAN_ELEMENT_JOINT_SPRING) {
      to->length[i] = s->data->q[e->var];
      to->spring[i] = -e->value[0] * (to->length[i] - e->value[1]);
    }
  }
}

/* All but friction, which the search has. */
static cardan_status take_result(job *j)
{
  cardan__statics_point *s = &j->rest;
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  cardan_statics *to = j->to;
  take_stiffness(j);
  const cardan_status status = cardan__statics_friction(s, j->held, to->friction);
  if (status != CARDAN_OK) {
    return status;
  }
  to->energy = s->energy;
  memcpy(to->q, data->q, (size_t)model->nq * sizeof *to->q);
  memcpy(to->lambda, data->lambda, (size_t)model->nrow * sizeof *to->lambda);
  cardan__made(data, CARDAN_FRESH_FORWARD, 0);
  cardan_reactions(model, data, to->reaction);
  cardan_driver_forces(model, data, to->driver);
  take_springs(s, to);
  memcpy(to->gap, s->gap, (size_t)s->nside * sizeof *to->gap);
  for (int i = 0; i < s->nactive; i++) {
    to->side[s->active[i]] = s->lambda[model->nrow + i];
  }
  bool held = false; // then fewer velocities count
  for (int i = 0; i < model->nv; i++) {
    held = held || j->held[i];
  }
  to->singular = !held && s->rank < model->rank;
  return CARDAN_OK;
}

static cardan_status find(job *j)
{
  cardan__statics_point *s = &j->rest;
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  memset(data->v, 0, (size_t)model->nv * sizeof *data->v);
  cardan_status status = cardan_assemble(model, data, NULL, j->report);
  if (status != CARDAN_OK) {
    return status;
  }
  s->size = model->size_length > 0 ? model->size_length : 1.0;
  s->driven = is_driven(model, data);
  memcpy(j->start, data->q, (size_t)model->nq * sizeof *j->start);
  j->to->t = data->t;
  cardan__statics_point_free(s);
  cardan__statics_point_look(s);
  j->to->energy_start = s->energy;
  status = cardan__statics_moving_row(s, j->report);
  status = status != CARDAN_OK ? status : search(j);
  status = status != CARDAN_OK ? status : cardan__statics_moving_row(s, j->report);
  status = status != CARDAN_OK ? status : cardan__statics_apart(s, j->report);
  return status != CARDAN_OK ? status : take_result(j);
}

/* A result with room for all; *out NULL: no memory. */
static cardan_status make(const cardan_model *model, const cardan_allocator *allocator,
                          cardan_statics **out)
{
  cardan_statics *to = cardan__zeros(allocator, sizeof *to);
  *out = NULL;
  if (to == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *to = (cardan_statics){.model = model};
  to->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  for (int i = 0; i < model->nforce; i++) {
    to->nfriction += model->force[i].flags & CARDAN_FORCE_FRICTION ? 1 : 0;
  }
  to->nside = model->nbound;
  for (int i = 0; i < model->njoint; i++) {
    to->nside += cardan__statics_point_holds(&model->joint[i]) ? 2 : 0;
  }
  to->block = cardan__carve_block(allocator, layout_result, to);
  if (to->block == NULL) {
    cardan__resize(allocator, to, 0);
    return CARDAN_ERR_MEMORY;
  }
  *out = to;
  return CARDAN_OK;
}

cardan_status cardan_statics_find(const cardan_model *model, cardan_data *data,
                                  const cardan_statics_options *options,
                                  const cardan_allocator *allocator, cardan_statics **out,
                                  cardan_report *report)
{
  static const cardan_statics_options none;
  const cardan_pos nowhere = {0, 0};
  job j = {.rest = {.model = model, .data = data},
           .options = options != NULL ? options : &none,
           .report = report};
  *out = NULL;
  if (!(j.options->tol >= 0 && j.options->tol < 1) || j.options->iterations < 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, nowhere,
                       "tol is %g and iterations %d; expected 0 <= tol < 1, iterations >= 0",
                       j.options->tol, j.options->iterations);
  }
  if (model->nv > most_velocities) {
    return cardan_fail(
        report, CARDAN_ERR_UNSUPPORTED, nowhere,
        "the model has %d velocities; statics is dense, and takes %d velocities at most", model->nv,
        most_velocities);
  }
  cardan_status status = cardan__aux_rates_none(model, "statics is", report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_statics *to = NULL;
  status = make(model, allocator, &to);
  void *block = status == CARDAN_OK ? cardan__carve_block(allocator, layout_job, &j) : NULL;
  j.to = to;
  if (block != NULL) {
    status = find(&j);
    cardan__resize(allocator, block, 0);
  } else {
    status = CARDAN_ERR_MEMORY;
  }
  if (status == CARDAN_ERR_MEMORY) {
    status = cardan__no_memory(report);
  }
  if (status != CARDAN_OK) {
    cardan_statics_destroy(to);
    return status;
  }
  *out = to;
  return CARDAN_OK;
}

void cardan_statics_destroy(cardan_statics *statics)
{
  if (statics != NULL) {
    const cardan_allocator allocator = statics->allocator;
    cardan__resize(&allocator, statics->block, 0);
    cardan__resize(&allocator, statics, 0);
  }
}

void cardan_statics_side_name(const cardan_statics *statics, int side, char *name, size_t size)
{
  const cardan_model *model = statics->model;
  int k = side - model->nbound;
  if (k < 0) {
    snprintf(name, size, "%s", model->bound[side].name);
    return;
  }
  for (int i = 0; i < model->njoint; i++) {
    if (cardan__statics_point_holds(&model->joint[i]) && k-- < 2) {
      snprintf(name, size, "%s.%s", model->joint[i].name, k < 0 ? "low" : "high");
      return;
    }
    k -= cardan__statics_point_holds(&model->joint[i]) ? 1 : 0;
  }
}
