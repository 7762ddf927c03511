// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cardan_status loops_try(const char *text, cardan_report *report)
{
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_status status = cardan_spec_read(text, strlen(text), "test", NULL, 0, NULL, &spec, report);
  if (status == CARDAN_OK) {
    status = cardan_model_build(spec, NULL, &model, report);
  }
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return status;
}

void loops_random_state(fixture *f, support_rng *rng, double size, double speed)
{
  const cardan_model *model = f->model;
  cardan_data *data = f->data;
  support_random_vec(rng, data->v, model->nv, size);
  cardan_q_move(model, model->q0, data->v, 1.0, data->q);
  support_random_vec(rng, data->v, model->nv, speed);
  data->t = support_random_in(rng, 0.0, 1.0);
  cardan_kinematics(model, data);
  cardan_constraints(model, data);
}

void loops_fourbar_text(char *text, size_t size, double crank, double coupler, double rocker,
                        double ground, const char *constraint, const char *initial)
{
  const int n = snprintf(text, size,
                         "(system (gravity 0 0 -9.81)\n"
                         "  (ry \"q1\" (tx %.17g (mass 1 0.1 0.1 0.1) (name \"A\")\n"
                         "    (ry \"q2\" (tx %.17g (mass 2 0.1 0.2 0.2) (name \"B\")))))\n"
                         "  (tx %.17g (ry \"q3\" (tx %.17g (mass 1 0.1 0.1 0.1) (name \"C\"))))\n"
                         "  %s\n"
                         "  (initial %s))\n",
                         crank, coupler, ground, rocker, constraint, initial);
  assert_true(n > 0 && (size_t)n < size);
}

char *loops_fourbars_text(int n)
{
  char *text = calloc(400 + 1000 * (size_t)n, 1);
  assert_non_null(text);
  int at = sprintf(text, "(system (gravity 0 0 -9.81) (rz \"spin\" (name \"hub\") (mass 5 1 1 1))");
  for (int i = 0; i < n; i++) {
    at += sprintf(text + at,
                  "(at \"hub\" (rz %g (name \"g%d\")))"
                  "(at \"g%d\" (tx 1 ry \"a%d\" (tz -1 (mass 1 0.1 0.1 0.1)"
                  " (ry \"b%d\" (tx 1 (mass 1 0.1 0.1 0.1) (name \"c%d\"))))))"
                  "(at \"g%d\" (tx 2 ry \"d%d\" (tz -1 (mass 1 0.1 0.1 0.1) (name \"e%d\"))))"
                  "(close revolute \"c%d\" \"e%d\" (axis 0 1 0))",
                  6.28 * i / n, i, i, i, i, i, i, i, i, i, i);
  }
  sprintf(text + at, "(initial (\"spin\" 0 1)))");
  return text;
}
