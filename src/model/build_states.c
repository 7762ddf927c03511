// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"
#include "spatial/spatial.h"

/* Auxiliary states, memories and controllers in the model's block. To forces an auxiliary state is
 * a number from outside, as an input is: its values stand behind those of the inputs, and leaves of
 * expressions are bound to it as to input ninput + k (build_expr.c). */

void cardan__count_aux_states(const cardan_spec *spec, cardan__counts *counts)
{
  for (int i = 0; i < spec->nclosing; i++) {
    if (spec->closing[i].motion != NULL) {
      cardan__count_expr(spec->closing[i].motion, counts);
    }
  }
  for (int i = 0; i < spec->nstate; i++) {
    if (spec->state[i].expr != NULL) {
      cardan__count_expr(spec->state[i].expr, counts);
    }
  }
  for (int i = 0; i < spec->ncontroller; i++) {
    cardan__count_expr(spec->controller[i].expr, counts);
  }
}

cardan_status cardan__fill_turnings(cardan__build *build)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < spec->nclosing && status == CARDAN_OK; i++) {
    const cardan__spec_closing *from = &spec->closing[i];
    model->nrubbing += from->rubs;
    if (from->turn < 0) {
      continue;
    }
    cardan_turning *to = &model->turning[model->nturning++];
    *to = (cardan_turning){.name = cardan__build_string(build, from->of.name),
                           .frame = {cardan__spec_find_frame(spec, from->of.frame[0]),
                                     cardan__spec_find_frame(spec, from->of.frame[1])},
                           .axis =
                               cardan__vec3(from->of.axis[0], from->of.axis[1], from->of.axis[2])};
    status = cardan__build_expr(build, from->motion, from->pos, &to->expr);
  }
  return status;
}

/* Number of an element among the forces of the model. */
static int force_of(const cardan_spec *spec, int element)
{
  int n = 0;
  for (int i = 0; i < element; i++) {
    n += !cardan__is_constraint(spec->element[i].kind) && !cardan__is_bound(spec->element[i].kind);
  }
  return n;
}

cardan_status cardan__fill_aux_states(cardan__build *build)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  cardan_status status = CARDAN_OK;
  model->nrate = spec->nrate;
  for (int i = 0; i < spec->nstate && status == CARDAN_OK; i++) {
    const cardan__spec_aux_state *from = &spec->state[i];
    cardan_aux_state *to = &model->state[CARDAN__STATE_AT(spec, i)];
    *to = (cardan_aux_state){.name = cardan__build_string(build, from->name),
                             .initial = from->initial,
                             .every = from->every,
                             .expr = -1,
                             .force = -1,
                             .pos = from->pos};
    model->nz++;
    if (from->expr != NULL) {
      status = cardan__build_expr(build, from->expr, from->pos, &to->expr);
    } else {
      to->force = force_of(spec, from->element);
      cardan_force_element *force = &model->force[to->force];
      force->state = force->state < 0 ? CARDAN__STATE_AT(spec, i) : force->state;
    }
  }
  for (int i = 0; i < spec->ncontroller && status == CARDAN_OK; i++) {
    const cardan__spec_controller *from = &spec->controller[i];
    cardan_controller *to = &model->controller[model->ncontroller++];
    *to = (cardan_controller){.input = cardan__names_get(&spec->input_names, from->input),
                              .every = from->every,
                              .pos = from->pos};
    status = cardan__build_expr(build, from->expr, from->pos, &to->expr);
  }
  return status;
}
