// SPDX-License-Identifier: Apache-2.0
#include "lift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/johnson_lift.h"

double lift_off_branch(const run *r, int rows)
{
  return cardan__lift_off_branch(r->model, r->data->q, rows);
}

lift_figures lift_run(const char *model, const cardan_options *options, int steps)
{
  lift_figures f = {0};
  const int rows = (int)strtol(strchr(model, ':') + 1, NULL, 10);
  double kinetic = 0;
  run r = run_begin(model, NULL, options);
  for (int k = 0; k < steps; k++) {
    run_steps(&r, 1);
    kinetic = fmax(kinetic, cardan_kinetic(r.model, cardan_sim_data(r.sim)));
    f.off_branch = fmax(f.off_branch, lift_off_branch(&r, rows));
  }
  const cardan_stats stats = cardan_sim_stats(r.sim);
  f.energy = stats.drift_max / kinetic;
  f.parted = stats.parted;
  run_free(&r);
  return f;
}

void lift_print(const char *model, const cardan_options *options, const lift_figures *f)
{
  print_message(
      "%s %s dt %g adapt %g: energy within %.2g of the kinetic, branch to %.1e, %lld steps "
      "in parts\n",
      model, options->method, options->dt, options->adapt, f->energy, f->off_branch,
      (long long)f->parted);
}

double lift_there_and_back(const char *model, const cardan_options *options, int steps,
                           int64_t parted[2])
{
  run there = run_begin(model, NULL, options), back = run_load(model, NULL, options);
  const size_t nq = (size_t)there.model->nq;
  double *start = malloc(nq * sizeof *start), off = 0;
  assert_non_null(start);
  memcpy(start, there.data->q, nq * sizeof *start);
  run_steps(&there, steps);
  parted[0] = cardan_sim_stats(there.sim).parted;
  const cardan_data *end = cardan_sim_data(there.sim);
  memcpy(back.data->q, end->q, nq * sizeof *end->q);
  for (int k = 0; k < there.model->nv; k++) {
    back.data->v[k] = -end->v[k];
  }
  run_start(&back);
  run_steps(&back, steps);
  parted[1] = cardan_sim_stats(back.sim).parted;
  for (size_t k = 0; k < nq; k++) {
    off = fmax(off, fabs(back.data->q[k] - start[k]));
  }
  free(start);
  run_free(&there);
  run_free(&back);
  return off;
}
