// SPDX-License-Identifier: Apache-2.0
#include "output/arrows.h"

#include <stdio.h>

#include "expr/expr.h"
#include "model/build.h"
#include "model/elements.h"
#include "model/joint_table.h"
#include "spatial/rotation.h"

/* Which forces of a model have arrows, and where these stand: reactions of joints, what drives
 * them, wires and ropes, forces between frames, on coordinates and on frames, and what closes
 * loops. Friction, damping of all velocities, potentials and programs have none: they act at no one
 * place. */

typedef struct {
  const cardan_model *model;
  cardan__arrow *out; // NULL: they are counted
  int n;
} list;

static void put_arrow(list *l, cardan__arrow arrow)
{
  if (l->out != NULL) {
    l->out[l->n] = arrow;
  }
  l->n++;
}

/* Along the line between two frames, unless one body has both: nothing outside feels it. */
static void put_pull(list *l, cardan__arrow arrow, const int frame[2])
{
  for (int k = 0; k < 2; k++) {
    const cardan_frame *f = &l->model->frame[frame[k]];
    arrow.to.body[k] = f->body;
    arrow.to.at[k] = f->X_BF.p;
  }
  if (arrow.to.body[0] != arrow.to.body[1]) {
    arrow.to.kind = CARDAN_ARROW_PULL;
    arrow.to.ncolumn = 1;
    put_arrow(l, arrow);
  }
}

/* Force and torque at a frame, in its axes. what: bit 0 the one, bit 1 the other. */
static void put_wrench(list *l, cardan__arrow arrow, int frame, int what)
{
  const cardan_frame *f = &l->model->frame[frame];
  arrow.to.body[0] = f->body;
  arrow.to.at[0] = f->X_BF.p;
  arrow.to.R = f->X_BF.R;
  arrow.to.ncolumn = 3;
  for (int k = 0; k < 2; k++) {
    arrow.to.kind = k == 0 ? CARDAN_ARROW_FORCE : CARDAN_ARROW_TORQUE;
    if (what & 1 << k) {
      put_arrow(l, arrow);
    }
  }
}

/* On velocity v, along or about its axis: z of the body's own, or one of three of a ball. */
static void put_velocity(list *l, cardan__arrow arrow, int v)
{
  const cardan_model *model = l->model;
  const int i = model->v_body[v], own = v - model->body[i].vadr;
  const cardan_body *body = &model->body[i];
  const cardan__link_type *type = cardan__link_type_of(body->kind);
  const cardan_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  if (!type->has_axis && body->nv != 3 && body->nv != 6) {
    return; // it moves along no straight line and about no fixed one
  }
  const int axis = type->has_axis ? 2 : own % 3;
  arrow.to.R = axis == 2   ? cardan__mat3_identity()
               : axis == 0 ? cardan__mat3_from_columns(y, z, x)
                           : cardan__mat3_from_columns(z, x, y);
  arrow.to.body[0] = i;
  arrow.to.kind = cardan__link_slides(body, own) ? CARDAN_ARROW_FORCE : CARDAN_ARROW_TORQUE;
  arrow.to.ncolumn = 1;
  arrow.v = v;
  put_arrow(l, arrow);
}

static void put_joints(list *l)
{
  for (int j = 0; j < l->model->njoint; j++) {
    const cardan_joint *joint = &l->model->joint[j];
    if (joint->last == 0) {
      continue; // it is fixed in the world
    }
    put_wrench(l,
               (cardan__arrow){.to = {.of = CARDAN_ARROW_OF_JOINT,
                                      .group = "R",
                                      .name = joint->name,
                                      .word = cardan__joint_type_of(joint->kind)->word},
                               .source = CARDAN__ARROW_JOINT,
                               .index = j},
               joint->frame, 1);
  }
}

/* The velocity that a joint's motion moves. */
static int driven_velocity(const cardan_model *model, int j)
{
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_row *row = &model->row[model->constraint[c].row];
    if (model->constraint[c].kind == CARDAN_ELEMENT_MOTION &&
        model->body[model->q_body[row->var[0]]].joint == j) {
      const cardan_body *body = &model->body[model->q_body[row->var[0]]];
      return body->vadr + row->var[0] - body->qadr;
    }
  }
  return model->joint[j].vadr;
}

static void put_drivers(list *l)
{
  for (int k = 0; k < l->model->ndriven; k++) {
    const int j = l->model->driven[k];
    put_velocity(l,
                 (cardan__arrow){.to = {.of = CARDAN_ARROW_OF_DRIVE,
                                        .group = "f",
                                        .name = l->model->joint[j].name,
                                        .word = cardan__element_word(CARDAN_ELEMENT_MOTION)},
                                 .source = CARDAN__ARROW_DRIVER,
                                 .index = j},
                 driven_velocity(l->model, j));
  }
}

/* Wires and ropes. */
static void put_cords(list *l)
{
  const cardan_model *model = l->model;
  cardan__arrow arrow = {.to = {.of = CARDAN_ARROW_OF_CORD, .group = "force"},
                         .source = CARDAN__ARROW_CONSTRAINT};
  for (int c = 0; c < model->nconstraint; c++) {
    if (model->constraint[c].kind == CARDAN_ELEMENT_WIRE) {
      arrow.to.name = model->constraint[c].name;
      arrow.to.word = cardan__element_word(CARDAN_ELEMENT_WIRE);
      arrow.index = c;
      put_pull(l, arrow, model->row[model->constraint[c].row].frame);
    }
  }
  arrow.to.group = "bound";
  arrow.source = CARDAN__ARROW_BOUND;
  for (int b = 0; b < model->nbound; b++) {
    if (model->bound[b].kind == CARDAN_ELEMENT_ROPE) {
      arrow.to.name = model->bound[b].name;
      arrow.to.word = cardan__element_word(CARDAN_ELEMENT_ROPE);
      arrow.index = b;
      put_pull(l, arrow, model->bound_row[model->bound[b].row].frame);
    }
  }
}

bool cardan__arrow_shared(const cardan_model *model, int c, int d)
{
  const cardan_constraint *a = &model->constraint[c], *b = &model->constraint[d];
  return cardan__element_of(a->kind)->draw == CARDAN__DRAW_POINT &&
         cardan__element_of(b->kind)->draw == CARDAN__DRAW_POINT && a->frame[0] == b->frame[0] &&
         a->frame[1] == b->frame[1];
}

/* Is it the first of those that share an arrow? They stand one after another. */
static bool is_first(const cardan_model *model, int c)
{
  return c == 0 || !cardan__arrow_shared(model, c - 1, c);
}

/* Where loops close: what the constraint does to its second frame, or its first where that is one
 * of the world. */
static void put_closures(list *l)
{
  const cardan_model *model = l->model;
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *of = &model->constraint[c];
    if (cardan__element_of(of->kind)->draw != CARDAN__DRAW_POINT || !is_first(model, c) ||
        model->frame[of->frame[0]].body == model->frame[of->frame[1]].body) {
      continue;
    }
    put_wrench(l,
               (cardan__arrow){.to = {.of = CARDAN_ARROW_OF_JOINT,
                                      .group = "force",
                                      .name = of->name,
                                      .word = cardan__element_word(of->kind)},
                               .source = CARDAN__ARROW_CONSTRAINT,
                               .index = c},
               of->frame[model->frame[of->frame[1]].body > 0 ? 1 : 0], 1);
  }
}

/* Has a wrench a force (from 0), a torque (from 3) that is not the number 0? */
static bool has_part(const cardan_model *model, const cardan_force_element *e, int from)
{
  bool any = false;
  for (int i = from; i < from + 3; i++) {
    double value = 1;
    any = any || (e->expr[i] >= 0 &&
                  (!cardan__expr_is_constant(model->expr[e->expr[i]].expr, &value) || value != 0));
  }
  return any;
}

static void put_element(list *l, cardan__arrow arrow, const cardan_force_element *e)
{
  const cardan_model *model = l->model;
  switch (e->kind) {
  case CARDAN_ELEMENT_FORCE:
    arrow.to.of = CARDAN_ARROW_OF_LOAD;
    put_pull(l, arrow, e->frame);
    break;
  case CARDAN_ELEMENT_SPRING:
  case CARDAN_ELEMENT_DAMPER:
  case CARDAN_ELEMENT_NEWTON_GRAVITY:
    put_pull(l, arrow, e->frame);
    break;
  case CARDAN_ELEMENT_BUSHING:
  case CARDAN_ELEMENT_BUSHING_COUPLING:
  case CARDAN_ELEMENT_BUSHING_DAMPER:
    if (model->frame[e->frame[0]].body != model->frame[e->frame[1]].body) {
      put_wrench(l, arrow, e->frame[1], 3);
    }
    break;
  case CARDAN_ELEMENT_TYRE: // at the centre of the wheel, which turns
    arrow.to.in_world = true;
    put_wrench(l, arrow, e->frame[0], 1);
    break;
  case CARDAN_ELEMENT_WRENCH:
    arrow.to.of = CARDAN_ARROW_OF_LOAD;
    arrow.to.in_world = e->in_world;
    put_wrench(l, arrow, e->frame[0],
               (has_part(model, e, 0) ? 1 : 0) | (has_part(model, e, 3) ? 2 : 0));
    break;
  case CARDAN_ELEMENT_TORQUE:
  case CARDAN_ELEMENT_ACTUATOR:
    arrow.to.of = CARDAN_ARROW_OF_DRIVE;
    put_velocity(l, arrow, e->dof);
    break;
  case CARDAN_ELEMENT_JOINT_SPRING:
    if (model->body[model->q_body[e->var]].nv == 1) {
      put_velocity(l, arrow, model->body[model->q_body[e->var]].vadr);
    }
    break;
  case CARDAN_ELEMENT_DAMPING:
    if (e->dof >= 0) {
      put_velocity(l, arrow, e->dof);
    }
    break;
  default:
    break;
  }
}

int cardan__arrows(const cardan_model *model, cardan__arrow *out)
{
  list l = {.model = model, .out = out};
  put_joints(&l);
  put_drivers(&l);
  put_cords(&l);
  for (int f = 0; f < model->nforce; f++) {
    const cardan_force_element *e = &model->force[f];
    put_element(&l,
                (cardan__arrow){.to = {.of = CARDAN_ARROW_OF_SPRING,
                                       .group = "force",
                                       .name = e->name,
                                       .word = cardan__element_word(e->kind)},
                                .source = CARDAN__ARROW_ELEMENT,
                                .index = f},
                e);
  }
  put_closures(&l); // last: they may be many
  return l.n;
}

int cardan__arrow_column(const cardan_arrow *arrow, int k, char *text, size_t size)
{
  if (arrow->ncolumn == 1) {
    return snprintf(text, size, "%s.%s", arrow->group, arrow->name);
  }
  return snprintf(text, size, "%s.%s.%c%c", arrow->group, arrow->name,
                  arrow->kind == CARDAN_ARROW_TORQUE ? 't' : 'f', "xyz"[k]);
}
