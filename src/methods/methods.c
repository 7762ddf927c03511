// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "constraints/rows.h"
#include "kinematics/joint.h"
#include "methods/method.h"
#include "model/elements.h"
#include "model/joint_table.h"

static const cardan__method *const methods[] = {
#define METHOD(name) &cardan__method_##name,
    CARDAN__METHOD_LIST(METHOD)
#undef METHOD
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

const cardan__method *cardan__method_at(int index)
{
  return index >= 0 && index < NMETHOD ? methods[index] : NULL;
}

const cardan__method *cardan__method_find(const char *name)
{
  for (int i = 0; i < NMETHOD; i++) {
    if (strcmp(methods[i]->name, name) == 0) {
      return methods[i];
    }
  }
  return NULL;
}

const char *cardan_method_name(int index)
{
  const cardan__method *method = cardan__method_at(index);
  return method != NULL ? method->name : NULL;
}

const char *cardan_method_help(int index)
{
  const cardan__method *method = cardan__method_at(index);
  return method != NULL ? method->help : NULL;
}

bool cardan__method_cannot_hold(const cardan__method *method, const cardan_model *model,
                                const cardan_options *options, char *what, size_t size,
                                cardan_pos *pos)
{
  const bool off = options->contacts != NULL && strcmp(options->contacts, "off") == 0;
  if (off || method->join != NULL) {
    return false;
  }
  if (model->npair > 0) {
    const cardan_contact *contact = &model->contact[model->pair[0].contact];
    *pos = contact->pos;
    snprintf(what, size, "contact \"%.60s\"", contact->name);
    return true;
  }
  for (int i = 0; i < model->nbound; i++) {
    const cardan_bound *bound = &model->bound[i];
    if (bound->kind != CARDAN_ELEMENT_STOP || method->push == NULL) {
      *pos = bound->pos;
      snprintf(what, size, "%s \"%.60s\"", cardan__element_word(bound->kind), bound->name);
      return true;
    }
  }
  return false;
}

/* What cannot be held is refused, unless a warning will do. */
static bool refuses_contacts(const cardan__method *method, const cardan_model *model,
                             const cardan_options *options, cardan_report *report)
{
  const bool warned = options->contacts != NULL && strcmp(options->contacts, "auto") == 0;
  char what[96] = "";
  cardan_pos pos = {0, 0};
  if (warned || !cardan__method_cannot_hold(method, model, options, what, sizeof what, &pos)) {
    return false;
  }
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, pos,
                     "method %s does not hold %s: take method vi, or option contacts off",
                     method->name, what) != CARDAN_OK;
}

/* Methods that hold rows of velocity level, as words for a message. */
static const char *list_holders(char *text, size_t size)
{
  size_t at = 0;
  text[0] = '\0';
  for (int i = 0; i < NMETHOD; i++) {
    if (methods[i]->velocity_rows && at < size) {
      at += (size_t)snprintf(text + at, size - at, "%s%s", at > 0 ? ", " : "", methods[i]->name);
    }
  }
  return text;
}

static bool refuses_velocity_rows(const cardan__method *method, const cardan_model *model,
                                  cardan_report *report)
{
  const cardan_constraint *c = cardan__velocity_constraint(model);
  char holders[96];
  if (method->velocity_rows || c == NULL) {
    return false;
  }
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, c->pos,
                     "method %s does not hold constraints on velocities, such as %s \"%.60s\": "
                     "take one of %s",
                     method->name, cardan__element_word(c->kind), c->name,
                     list_holders(holders, sizeof holders)) != CARDAN_OK;
}

cardan_status cardan__method_takes(const cardan__method *method, const cardan_model *model,
                                   const cardan_options *options, cardan_report *report)
{
  const cardan_status dynamic = cardan_model_dynamic(model, report);
  if (dynamic != CARDAN_OK) {
    return dynamic;
  }
  if (model->nrate > 0 && !method->states && options->order != 2 &&
      cardan__option_find(method, "order") != NULL) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, model->state[0].pos,
                       "order %d is made of steps some of which go back in time, and the state "
                       "variable \"%.60s\" does not: take order 2, or method aba",
                       options->order, model->state[0].name);
  }
  for (int i = 1; i < model->nbody && !method->any_joint; i++) {
    const cardan_joint *joint = &model->joint[model->body[i].joint];
    if (!cardan__joint_is_constant(&model->body[i])) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, joint->pos,
                         "method %s takes joints whose axes stay where they are in the body, not "
                         "the %s joint \"%.60s\"; take method aba",
                         method->name, cardan__joint_type_of(joint->kind)->word, joint->name);
    }
  }
  return refuses_velocity_rows(method, model, report) ||
                 refuses_contacts(method, model, options, report)
             ? CARDAN_ERR_UNSUPPORTED
             : method->accepts(model, options, report);
}

cardan_status cardan_method_accepts(int index, const cardan_model *model,
                                    const cardan_options *options, cardan_report *report)
{
  const cardan__method *method = cardan__method_at(index);
  cardan_options own = *options;
  if (method == NULL) {
    return CARDAN_ERR_ARGUMENT;
  }
  own.method = method->name;
  const cardan_status status = cardan_options_check(&own, report);
  return status == CARDAN_OK ? cardan__method_takes(method, model, &own, report) : status;
}

void cardan_options_label(const cardan_options *options, char *label, size_t size)
{
  const char *name = options->method != NULL ? options->method : methods[0]->name;
  const cardan__method *method = cardan__method_find(name);
  const char *integrator =
      method != NULL ? cardan__option_word(method, "integrator", options) : NULL;
  snprintf(label, size, "%s%s%s", name, integrator != NULL ? "/" : "",
           integrator != NULL ? integrator : "");
}
