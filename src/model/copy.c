// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "model/recipe.h"

/* A model is one block: a copy of it is the block again, with every pointer into the old one moved.
 * Who adds a pointer to something in the block adds it here; tests/model/test_parameters.c looks
 * for one that was forgotten. */

typedef struct {
  const char *from, *end; // the old block
  char *to;
} mover;

static void *moved(const mover *m, const void *pointer)
{
  const char *p = pointer;
  return p >= m->from && p <= m->end ? m->to + (p - m->from) : (void *)p;
}

/* MOVE(&m, x): the pointer x, of any type. */
#define MOVE(m, x) ((x) = moved((m), (x)))

static void move_model(const mover *m, cardan_model *model)
{
  MOVE(m, model->name);
  MOVE(m, model->body);
  MOVE(m, model->inertia_lanes);
  MOVE(m, model->joint);
  MOVE(m, model->frame);
  MOVE(m, model->shape);
  MOVE(m, model->q_name);
  MOVE(m, model->v_name);
  MOVE(m, model->q_body);
  MOVE(m, model->v_body);
  MOVE(m, model->constraint);
  MOVE(m, model->row);
  MOVE(m, model->row_body);
  MOVE(m, model->row_dof);
  MOVE(m, model->force);
  MOVE(m, model->expr);
  MOVE(m, model->prescribed);
  MOVE(m, model->driven);
  MOVE(m, model->q0);
  MOVE(m, model->v0);
  MOVE(m, model->q_fixed);
  MOVE(m, model->q_given);
  MOVE(m, model->v_given);
  MOVE(m, model->pose);
  MOVE(m, model->defaults);
  MOVE(m, model->input);
  MOVE(m, model->state);
  MOVE(m, model->controller);
  MOVE(m, model->turning);
  MOVE(m, model->keyframe);
  MOVE(m, model->armature);
  MOVE(m, model->parameter);
  MOVE(m, model->parameter_value);
  MOVE(m, model->output);
  MOVE(m, model->recipe);
  MOVE(m, model->warning);
  MOVE(m, model->material);
  MOVE(m, model->solid);
  MOVE(m, model->hull);
  MOVE(m, model->contact);
  MOVE(m, model->pair);
  MOVE(m, model->bound);
  MOVE(m, model->bound_row);
  MOVE(m, model->bound_body);
  MOVE(m, model->bound_dof);
  MOVE(m, model->row_redundant);
  MOVE(m, model->row_shared);
}

static void move_texts(const mover *m, const char **text, int n)
{
  for (int i = 0; i < n; i++) {
    MOVE(m, text[i]);
  }
}

static void move_names(const mover *m, cardan_model *model)
{
  move_texts(m, model->q_name, model->nq);
  move_texts(m, model->v_name, model->nv);
  move_texts(m, model->warning, model->nwarning);
  for (int i = 0; i < model->njoint; i++) {
    MOVE(m, model->joint[i].name);
  }
  for (int i = 0; i < model->nframe; i++) {
    MOVE(m, model->frame[i].name);
    MOVE(m, model->frame[i].color);
  }
  for (int i = 0; i < model->nshape; i++) {
    MOVE(m, model->shape[i].file);
  }
  for (int i = 0; i < model->nconstraint; i++) {
    MOVE(m, model->constraint[i].name);
  }
  for (int i = 0; i < model->nbound; i++) {
    MOVE(m, model->bound[i].name);
  }
  for (int i = 0; i < model->nforce; i++) {
    MOVE(m, model->force[i].name);
  }
  for (int i = 0; i < model->ndefault; i++) {
    MOVE(m, model->defaults[i].key);
    MOVE(m, model->defaults[i].value);
  }
  for (int i = 0; i < model->ninput; i++) {
    MOVE(m, model->input[i].name);
  }
  for (int i = 0; i < model->nz; i++) {
    MOVE(m, model->state[i].name);
  }
  for (int i = 0; i < model->nturning; i++) {
    MOVE(m, model->turning[i].name);
  }
  for (int i = 0; i < model->nparameter; i++) {
    MOVE(m, model->parameter[i].name);
  }
  for (int i = 0; i < model->ny; i++) {
    MOVE(m, model->output[i].name);
    MOVE(m, model->output[i].column);
  }
}

static void move_contact(const mover *m, cardan_model *model)
{
  for (int i = 0; i < model->nmaterial; i++) {
    MOVE(m, model->material[i].name);
  }
  for (int i = 0; i < model->nsolid; i++) {
    MOVE(m, model->solid[i].name);
  }
  for (int i = 0; i < model->ncontact; i++) {
    MOVE(m, model->contact[i].name);
  }
  for (int i = 0; i < model->nhull; i++) {
    cardan_hull *hull = &model->hull[i];
    MOVE(m, hull->vertex);
    MOVE(m, hull->normal);
    MOVE(m, hull->offset);
    MOVE(m, hull->first);
    MOVE(m, hull->corner);
    MOVE(m, hull->edge);
  }
}

static void move_values(const mover *m, cardan_model *model)
{
  for (int i = 0; i < model->nexpr; i++) {
    MOVE(m, model->expr[i].expr);
    MOVE(m, model->expr[i].leaf);
  }
  for (int i = 0; i < model->nkeyframe; i++) {
    MOVE(m, model->keyframe[i].name);
    MOVE(m, model->keyframe[i].q);
    MOVE(m, model->keyframe[i].v);
    MOVE(m, model->keyframe[i].u);
    MOVE(m, model->keyframe[i].q_given);
    MOVE(m, model->keyframe[i].v_given);
  }
}

static void move_recipe(const mover *m, cardan_model *model)
{
  cardan__recipe *recipe = model->recipe;
  MOVE(m, recipe->number);
  MOVE(m, recipe->derived);
  MOVE(m, recipe->tunable);
  MOVE(m, recipe->frame);
  MOVE(m, recipe->rotation);
  MOVE(m, recipe->element);
  MOVE(m, recipe->target);
  MOVE(m, recipe->q_raw);
  MOVE(m, recipe->v_raw);
  MOVE(m, recipe->raw);
  MOVE(m, recipe->per_body);
  MOVE(m, recipe->work);
  for (int i = 0; i < recipe->nnumber; i++) {
    MOVE(m, recipe->number[i].expr);
  }
  for (int i = 0; i < recipe->ntunable; i++) {
    MOVE(m, recipe->tunable[i].expr);
  }
  for (int i = 0; i < model->nparameter; i++) {
    MOVE(m, recipe->derived[i]);
  }
}

cardan_status cardan_model_copy(const cardan_model *model, const cardan_allocator *allocator,
                                cardan_model **out)
{
  char *memory = cardan__resize(allocator, NULL, model->size);
  *out = NULL;
  if (memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  // the model is first, at the first aligned address; the room to align it differs
  cardan__carver carver = cardan__carver_over(memory);
  cardan_model *copy = cardan__carve(&carver, 1, sizeof *copy);
  const size_t shift = (size_t)((const char *)model - (const char *)model->block);
  const size_t other = (size_t)((char *)copy - memory);
  const size_t used = model->size - (shift > other ? shift : other);
  const mover m = {(const char *)model, (const char *)model + used, (char *)copy};
  memcpy(copy, model, used);
  move_model(&m, copy);
  move_names(&m, copy);
  move_values(&m, copy);
  move_contact(&m, copy);
  if (copy->recipe != NULL) {
    move_recipe(&m, copy);
  }
  copy->block = memory;
  copy->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  *out = copy;
  return CARDAN_OK;
}
