// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "base/text.h"
#include "model/elements.h"

/* Auxiliary states, memories and controllers of a spec. Their expressions are checked with all
 * others, when every name is there (spec_check.c). */

static bool check_every(cardan_spec *spec, const char *what, double every)
{
  if (!cardan__spec_finite(spec, "a sample time", &every, 1)) {
    return false;
  }
  if (!(every > 0.0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the sample time %g of a %s; expected one above 0", every, what);
  }
  return every > 0.0;
}

void cardan__spec_aux_state_add(cardan_spec *spec, const cardan_aux_state_def *state,
                                const cardan__expr *expr)
{
  const char *copy = cardan__spec_text(spec, "auxiliary state's name", state->name);
  if (!copy || !cardan__spec_finite(spec, "a start of an auxiliary state", &state->initial, 1) ||
      (state->every != 0.0 && !check_every(spec, "memory", state->every))) {
    return;
  }
  const int before = cardan__names_get(&spec->state_names, copy);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "there is already an auxiliary state \"%s\"%s; expected a new name",
                      cardan__show(copy).text, cardan__cite(spec->state[before].pos).text);
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->state, &spec->cap_state, spec->nstate,
                        sizeof *spec->state) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->state_names, copy, spec->nstate))) {
    const int rank = state->every > 0.0 ? spec->nstate - spec->nrate : spec->nrate++;
    spec->state[spec->nstate++] = (cardan__spec_aux_state){
        copy, state->initial, state->every, expr, spec->at, rank, spec->nelement - 1};
  }
}

void cardan__spec_element_states(cardan_spec *spec, const cardan__spec_element *e,
                                 const char *const *part, int n)
{
  char name[CARDAN__SUFFIXED_NAME];
  int number = 0;
  for (int i = 0; i < spec->nelement; i++) {
    number += spec->element[i].kind == e->kind;
  }
  for (int i = 0; i < n && !spec->status; i++) {
    if (e->name != NULL) {
      snprintf(name, sizeof name, "%s.%s", e->name, part[i]);
    } else {
      snprintf(name, sizeof name, "%s%d.%s", cardan__element_word(e->kind), number, part[i]);
    }
    cardan_spec_at(spec, e->pos);
    cardan__spec_aux_state_add(spec, &(cardan_aux_state_def){.name = name}, NULL);
  }
}

void cardan_spec_aux_state(cardan_spec *spec, const cardan_aux_state_def *state)
{
  const unsigned leaves = state->every != 0.0 ? CARDAN__SAMPLE_LEAVES : CARDAN__STATE_LEAVES;
  const cardan__expr *expr = cardan__spec_read_expr(spec, state->expr, leaves);
  if (expr) {
    cardan__spec_aux_state_add(spec, state, expr);
  }
}

void cardan__spec_controller_add(cardan_spec *spec, const cardan_controller_def *controller,
                                 const cardan__expr *expr)
{
  const char *copy = cardan__spec_text(spec, "input's name", controller->input);
  if (!copy || !check_every(spec, "controller", controller->every)) {
    return;
  }
  const int before = cardan__names_get(&spec->controller_names, copy);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "there is already a controller of \"%s\"%s; expected one for each input",
                      cardan__show(copy).text, cardan__cite(spec->controller[before].pos).text);
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->controller, &spec->cap_controller, spec->ncontroller,
                        sizeof *spec->controller) &&
      cardan__spec_memory(spec,
                          cardan__names_set(&spec->controller_names, copy, spec->ncontroller))) {
    spec->controller[spec->ncontroller++] =
        (cardan__spec_controller){copy, controller->every, expr, spec->at};
  }
}

void cardan_spec_controller(cardan_spec *spec, const cardan_controller_def *controller)
{
  const cardan__expr *expr = cardan__spec_read_expr(spec, controller->expr, CARDAN__SAMPLE_LEAVES);
  if (expr) {
    cardan__spec_controller_add(spec, controller, expr);
  }
}
