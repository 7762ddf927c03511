// SPDX-License-Identifier: Apache-2.0
#include "motion.h"

#include <stdlib.h>
#include <string.h>

cardan_options motion_options(const char *method, double dt)
{
  cardan_options o = cardan_options_defaults();
  const bool aba = strncmp(method, "aba:", 4) == 0;
  o.method = aba ? "aba" : method;
  o.integrator = aba ? method + 4 : NULL;
  o.dt = dt;
  o.time = 1e9;
  if (cardan_option_check(o.method, "rtol", NULL) == CARDAN_OK) {
    o.rtol = 1e-12;
    o.atol = 1e-13;
  }
  return o;
}

static void expect_ok(cardan_status status, const cardan_report *report, const char *what)
{
  if (status != CARDAN_OK) {
    fail_msg("%.60s: %s: %s", what, cardan_status_text(status), report->message);
  }
}

motion motion_load(const char *name, const char *set, const cardan_options *options)
{
  cardan_report report = {.message = ""};
  char key[32] = "";
  cardan_setting setting = {.name = key};
  motion m = {.model = NULL};
  if (set != NULL) {
    const size_t n = strcspn(set, "=");
    memcpy(key, set, n);
    setting.value = strtod(set + n + 1, NULL);
  }
  const cardan_status status =
      name[0] == '(' ? cardan_model_from_text(name, strlen(name), "test.mbs", &setting, set != NULL,
                                              NULL, &m.model, &report)
                     : cardan_model_load(name, &setting, set != NULL, NULL, &m.model, &report);
  expect_ok(status, &report, name);
  expect_ok(cardan_sim_create(m.model, options, NULL, &m.sim, &report), &report, name);
  return m;
}

void motion_start(motion *m)
{
  cardan_report report = {.message = ""};
  expect_ok(cardan_sim_start(m->sim, &report), &report, m->model->name);
}

void motion_steps(motion *m, int n)
{
  cardan_report report = {.message = ""};
  for (int i = 0; i < n; i++) {
    expect_ok(cardan_sim_step(m->sim, &report), &report, m->model->name);
  }
}

void motion_free(motion *m)
{
  cardan_sim_destroy(m->sim);
  cardan_model_destroy(m->model);
}

cardan_data *motion_data(motion *m)
{
  return cardan_sim_data(m->sim);
}

double motion_energy(motion *m)
{
  const cardan_data *data = motion_data(m);
  return cardan_kinetic(m->model, data) + cardan_potential(m->model, data);
}

void motion_end(const char *name, const char *set, const cardan_options *options, double T,
                int steps, double *q)
{
  cardan_options o = *options;
  o.dt = T / steps;
  motion m = motion_load(name, set, &o);
  motion_start(&m);
  motion_steps(&m, steps);
  memcpy(q, motion_data(&m)->q, (size_t)m.model->nq * sizeof *q);
  motion_free(&m);
}
