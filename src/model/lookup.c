// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/model.h"
#include "expr/sexpr.h"

/* What a model's parts are called, and which part a name is. */

static int find_name(const char *const *names, int n, const char *name)
{
  for (int i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_q(const cardan_model *model, const char *name)
{
  return find_name(model->q_name, model->nq, name);
}

int cardan_model_v(const cardan_model *model, const char *name)
{
  return find_name(model->v_name, model->nv, name);
}

int cardan_model_input(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->ninput; i++) {
    if (strcmp(model->input[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_z(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nz; i++) {
    if (strcmp(model->state[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_controller(const cardan_model *model, int input)
{
  for (int i = 0; i < model->ncontroller; i++) {
    if (model->controller[i].input == input) {
      return i;
    }
  }
  return -1;
}

int cardan_model_keyframe(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nkeyframe; i++) {
    if (strcmp(model->keyframe[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_frame(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nframe; i++) {
    if (name[0] != 0 && strcmp(model->frame[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_joint(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->njoint; i++) {
    if (strcmp(model->joint[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

const char *cardan_body_name(const cardan_model *model, int body)
{
  if (body == 0) {
    return "world";
  }
  // the last body of a joint has the frame that it carries; those before it, their velocity
  const cardan_joint *joint = &model->joint[model->body[body].joint];
  return body == joint->last ? model->frame[joint->frame].name
                             : model->v_name[model->body[body].vadr];
}

int cardan_model_body(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nbody; i++) {
    if (strcmp(cardan_body_name(model, i), name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_constraint(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nconstraint; i++) {
    if (strcmp(model->constraint[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int cardan_model_force(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nforce; i++) {
    if (strcmp(model->force[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

void cardan_row_name(const cardan_model *model, int row, char *name, size_t size)
{
  const cardan_constraint *c = &model->constraint[model->row[row].constraint];
  snprintf(name, size, "%s.%d", c->name, row - c->row + 1);
}

int cardan_model_parameter(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->nparameter; i++) {
    if (cardan__same_word(model->parameter[i].name, name)) {
      return i;
    }
  }
  return -1;
}

int cardan_model_output(const cardan_model *model, const char *name)
{
  for (int i = 0; i < model->ny; i++) {
    if (strcmp(model->output[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}
