// SPDX-License-Identifier: Apache-2.0
#include "output/film_forces.h"

#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "forces/forces.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "spatial/spatial.h"

/* What forces are at a state: of elements by applying each alone, of joints, drivers and
 * constraints from the accelerations of continuous time. All on a copy of the state: a run is the
 * same to the bit, and so is its state. What is unknown stays NaN. */

enum { COLUMNS = 96 }; // most of joints (all of them or none), and as many of the others

/* Does an element depend on t, q and v alone? */
static bool of_state(const cardan_model *model, const cardan_force_element *e)
{
  bool outside = (e->flags & (CARDAN_FORCE_INPUT | CARDAN_FORCE_PROGRAM)) != 0 || e->state >= 0;
  for (int i = 0; i < 6 && !outside; i++) {
    const cardan_bound_expr *bound = e->expr[i] >= 0 ? &model->expr[e->expr[i]] : NULL;
    for (int k = 0; bound != NULL && k < bound->nleaf; k++) {
      outside = outside || bound->leaf[k].kind == CARDAN__LEAF_U;
    }
  }
  return !outside;
}

bool cardan__film_forces_choose(cardan__film_forces *f, const cardan_model *model, unsigned sources,
                                bool state, cardan__arena *arena)
{
  const int n = cardan__arrows(model, NULL);
  int room = COLUMNS;
  *f = (cardan__film_forces){.model = model};
  f->arrow = cardan__arena_take(arena, (size_t)n + 1, sizeof *f->arrow);
  if (f->arrow == NULL) {
    return false;
  }
  cardan__arrows(model, f->arrow);
  for (int i = 0; i < n; i++) {
    const cardan__arrow arrow = f->arrow[i];
    const int columns = arrow.to.ncolumn;
    const bool joint = arrow.source == CARDAN__ARROW_JOINT;
    bool kept = (sources & 1U << arrow.source) != 0 &&
                (joint ? columns * model->njoint <= COLUMNS : columns <= room);
    if (kept && arrow.source == CARDAN__ARROW_ELEMENT && state) {
      kept = of_state(model, &model->force[arrow.index]);
    }
    if (kept) {
      room -= joint ? 0 : columns;
      f->forward = f->forward || arrow.source != CARDAN__ARROW_ELEMENT;
      f->ncolumn += columns;
      f->arrow[f->narrow++] = arrow;
    }
  }
  return true;
}

bool cardan__film_forces_name(const cardan__film_forces *f, const char **name, const char **unit,
                              cardan__arena *arena)
{
  int n = 0;
  for (int i = 0; i < f->narrow; i++) {
    const cardan_arrow *arrow = &f->arrow[i].to;
    for (int k = 0; k < arrow->ncolumn; k++) {
      const size_t size = (size_t)cardan__arrow_column(arrow, k, NULL, 0) + 1;
      char *text = cardan__arena_take(arena, size, 1);
      if (text == NULL) {
        return false;
      }
      cardan__arrow_column(arrow, k, text, size);
      name[n] = text;
      unit[n++] = arrow->kind == CARDAN_ARROW_TORQUE ? "N m" : "N";
    }
  }
  return true;
}

void cardan__film_forces_clear(cardan__film_forces *f)
{
  for (int k = 0; k < f->ncolumn; k++) {
    f->value[k] = NAN;
  }
}

bool cardan__film_forces_take(cardan__film_forces *f, cardan__arena *arena,
                              const cardan_allocator *allocator)
{
  const cardan_model *model = f->model;
  const size_t njoint = (size_t)model->njoint + 1;
  if (f->ncolumn == 0) {
    return true;
  }
  f->weight = model->mass * cardan__vec3_norm(model->gravity);
  f->value = cardan__arena_take(arena, (size_t)f->ncolumn, sizeof *f->value);
  f->reaction = cardan__arena_take(arena, njoint, sizeof *f->reaction);
  f->driver = cardan__arena_take(arena, njoint, sizeof *f->driver);
  f->f_ext = cardan__arena_take(arena, (size_t)model->nbody, sizeof *f->f_ext);
  f->tau = cardan__arena_take(arena, (size_t)model->nv + 1, sizeof *f->tau);
  if (!f->value || !f->reaction || !f->driver || !f->f_ext || !f->tau) {
    return false;
  }
  cardan__film_forces_clear(f);
  return cardan_data_create(model, allocator, &f->still) == CARDAN_OK &&
         (!f->forward || cardan_forward_reserve(model, f->still) == CARDAN_OK);
}

/* From the first to the second point of a PULL, in the world. */
static cardan_vec3 span(const cardan_arrow *arrow, const cardan_xform *X_W)
{
  return cardan__vec3_sub(cardan_xform_point(&X_W[arrow->body[1]], arrow->at[1]),
                          cardan_xform_point(&X_W[arrow->body[0]], arrow->at[0]));
}

/* The tension of a wire: its row is (d.d - L^2) / (2 L), of slope d / L. */
static double tension(const cardan__film_forces *f, const cardan__view *view,
                      const cardan__arrow *arrow)
{
  const int row = f->model->constraint[arrow->index].row;
  const double length = cardan__expr_at(f->model, view, f->model->row[row].expr);
  return -f->still->lambda[row] * cardan__vec3_norm(span(&arrow->to, view->X_W)) / length;
}

static void put_vec3(double value[3], cardan_vec3 x)
{
  value[0] = x.x;
  value[1] = x.y;
  value[2] = x.z;
}

/* A wrench on the arrow's body, in body coordinates, as three columns tell it. */
static void put_wrench(const cardan_arrow *to, const cardan__view *view, cardan_force w,
                       double value[3])
{
  const cardan_xform X = {.R = to->R, .p = to->at[0]};
  const cardan_force at = cardan__force_to_child(&X, w);
  const cardan_vec3 x = to->kind == CARDAN_ARROW_TORQUE ? at.t : at.f;
  const cardan_mat3 *R_W = &view->X_W[to->body[0]].R;
  put_vec3(value, to->in_world ? cardan__mat3_mulv(R_W, cardan__mat3_mulv(&to->R, x)) : x);
}

/* What an element does, as the arrow's columns tell it. */
static void measure(cardan__film_forces *f, const cardan__view *view, const cardan__arrow *arrow,
                    double value[3])
{
  const cardan_arrow *to = &arrow->to;
  cardan__loads loads = {.f_ext = f->f_ext, .tau = f->tau};
  f->f_ext[to->body[0]] = (cardan_force){0}; // what is not read may be anything
  f->tau[arrow->v] = 0;
  cardan__forces_add_one(f->model, view, arrow->index, &loads);
  const cardan_force w = f->f_ext[to->body[0]];
  if (to->kind == CARDAN_ARROW_PULL) {
    const cardan_vec3 d = span(to, view->X_W);
    const cardan_vec3 pull = cardan__mat3_mulv(&view->X_W[to->body[0]].R, w.f);
    const double l = cardan__vec3_norm(d);
    value[0] = l > 0 ? cardan__vec3_dot(pull, d) / l : 0;
  } else if (to->ncolumn == 1) {
    value[0] = f->tau[arrow->v];
  } else {
    put_wrench(to, view, w, value);
  }
}

/* What the rows of a constraint do to a body, J^T lambda. */
static cardan_force held_by(const cardan__film_forces *f, int constraint, int body)
{
  const cardan_model *model = f->model;
  const cardan_constraint *c = &model->constraint[constraint];
  cardan_force sum = {0};
  for (int r = c->row; r < c->row + c->nrow; r++) {
    const cardan_row *row = &model->row[r];
    for (int i = row->badr; i < row->badr + row->nb; i++) {
      if (model->row_body[i] == body) {
        sum = cardan__force_axpy(f->still->lambda[r], f->still->rows.w[i], sum);
      }
    }
  }
  return sum;
}

/* The sum over all constraints that share the arrow. */
static cardan_force sum_constraint_forces(const cardan__film_forces *f, const cardan__arrow *arrow)
{
  cardan_force sum = held_by(f, arrow->index, arrow->to.body[0]);
  for (int c = arrow->index + 1;
       c < f->model->nconstraint && cardan__arrow_shared(f->model, arrow->index, c); c++) {
    sum = cardan__force_add(sum, held_by(f, c, arrow->to.body[0]));
  }
  return sum;
}

/* To 2^-16 of itself, or of the weight (at the mechanism's length) where that is more: bits of
 * rounding do not pack. */
static double coarse(const cardan__film_forces *f, cardan_arrow_kind kind, double x)
{
  const double least = f->weight * (kind == CARDAN_ARROW_TORQUE ? f->model->size_length : 1);
  const double size = fmax(fabs(x), least);
  const double unit = size > 0 && isfinite(size) ? ldexp(1.0, ilogb(size) - 16) : 0;
  return unit > 0 ? unit * nearbyint(x / unit) : x;
}

/* All values at the still state, whose accelerations are known or not. */
static void fill(cardan__film_forces *f, bool known)
{
  const cardan__view view = cardan__data_view(f->model, f->still);
  double *value = f->value;
  for (int i = 0; i < f->narrow; i++) {
    const cardan__arrow *arrow = &f->arrow[i];
    if (arrow->source == CARDAN__ARROW_ELEMENT) {
      measure(f, &view, arrow, value);
    } else if (known && arrow->source == CARDAN__ARROW_JOINT) {
      put_vec3(value, f->reaction[arrow->index].f);
    } else if (known && arrow->source == CARDAN__ARROW_DRIVER) {
      value[0] = f->driver[arrow->index];
    } else if (known && arrow->to.kind == CARDAN_ARROW_PULL) {
      value[0] = tension(f, &view, arrow);
    } else if (known) {
      put_wrench(&arrow->to, &view, sum_constraint_forces(f, arrow), value);
    }
    for (int k = 0; k < arrow->to.ncolumn; k++) {
      value[k] = coarse(f, arrow->to.kind, value[k]);
    }
    value += arrow->to.ncolumn;
  }
}

void cardan__film_forces_look(cardan__film_forces *f, const cardan_data *data)
{
  cardan_data_copy(f->model, data, f->still);
  const bool known = f->forward && cardan_forward(f->model, f->still, 0, 0) == CARDAN_OK;
  if (known) {
    cardan_reactions(f->model, f->still, f->reaction);
    if (f->model->ndriven > 0) {
      cardan_driver_forces(f->model, f->still, f->driver);
    }
  }
  cardan_kinematics(f->model, f->still);
  fill(f, known);
}

void cardan__film_forces_row(cardan__film_forces *f, const double *row)
{
  const cardan_model *model = f->model;
  f->still->t = row[0];
  memcpy(f->still->q, row + 1, (size_t)model->nq * sizeof *row);
  memcpy(f->still->v, row + 1 + model->nq, (size_t)model->nv * sizeof *row);
  cardan_kinematics(model, f->still);
  fill(f, false);
}
