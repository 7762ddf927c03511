// SPDX-License-Identifier: Apache-2.0
// Parts of a model and columns of a run by their names: bodies, constraints, forces, keyframes,
// columns with their units.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"

static const char text[] =
    "(system \"four-bar\" (gravity 0 0 -9.81) (tx 0.8 (name \"B\"))"
    "(ry \"a\" (tz -0.25 (mass 1 0.1 0.02 0.1)) (name \"crank\") (tz -0.5 (ry \"c\""
    "  (tx 0.4 (mass 3 0.1 0.2 0.1)) (tx 0.8 (name \"P\")))))"
    "(at \"B\" (ry \"b\" (tz -0.25 (mass 1 0.1 0.02 0.1)) (tz -0.5 (name \"Q\"))))"
    "(coincide \"P\" \"Q\" (name \"loop\")) (joint-spring \"a\" 7 0 (name \"return\"))"
    "(keyframe \"raised\" (\"a\" 0.4)))";

/* returns whether every name has an index, and one that is not there has none */
static bool find_parts(const cardan_model *model)
{
  const int body = cardan_model_body(model, "crank");
  const int loop = cardan_model_constraint(model, "loop");
  const int spring = cardan_model_force(model, "return");
  const int raised = cardan_model_keyframe(model, "raised");
  if (body < 0 || loop < 0 || spring < 0 || raised < 0) {
    return false;
  }
  printf("body %d of %d is \"%s\"\n", body, model->nbody, cardan_body_name(model, body));
  printf("constraint \"%s\", force \"%s\", keyframe \"%s\"\n", model->constraint[loop].name,
         model->force[spring].name, model->keyframe[raised].name);
  return cardan_model_body(model, "nothing") < 0;
}

/* All columns of a row with their units, and the one of the crank's angle. */
static bool print_row(cardan_sim *sim)
{
  const int n = cardan_sim_columns(sim, 0), angle = cardan_sim_find_column(sim, 0, "q.a");
  double *row = calloc((size_t)n, sizeof *row);
  const bool good = row != NULL && angle >= 0 && cardan_sim_row(sim, 0, row) == CARDAN_OK;
  for (int k = 0; k < n && good; k++) {
    char name[64];
    cardan_sim_column(sim, 0, k, name, sizeof name);
    printf("%-12s %12.6g %s\n", name, row[k], cardan_sim_unit(sim, 0, k));
  }
  const bool same = good && row[angle] == cardan_sim_data(sim)->q[0];
  free(row);
  return same;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_status status =
      cardan_model_from_text(text, strlen(text), "names", NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  const bool good = status == CARDAN_OK && find_parts(model) && print_row(sim);
  if (!good) {
    fprintf(stderr, "%s: %s\n", cardan_status_word(status), report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return good ? 0 : 1;
}
