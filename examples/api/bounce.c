// SPDX-License-Identifier: Apache-2.0
// State and events: a ball that loses a fifth of its speed at each bounce. The ground is an event
// of the program's own; half way the run is saved, and continues from there to the same bits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardan/cardan.h"

static const double g = 9.81, height = 2, keep = 0.8;

static const char text[] = "(system \"ball\" (gravity 0 0 -9.81) (tz \"z\" (mass 1))"
                           " (initial (\"z\" 2)))";

/* What the hooks write down. */
typedef struct {
  int count;
  double time[8];
} bounces;

static double above_ground(void *user, int k, const cardan_data *data)
{
  (void)user;
  (void)k;
  return data->q[0];
}

static cardan_status bounce(void *user, int k, cardan_sim *sim, cardan_report *report)
{
  bounces *b = user;
  cardan_data *data = cardan_sim_data(sim);
  (void)k;
  if (b->count < 8) {
    b->time[b->count++] = data->t;
  }
  data->v[0] *= -keep;
  return cardan_sim_start_from_current(sim, report);
}

static cardan_status steps(cardan_sim *sim, int n, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
  }
  return status;
}

/* Half of the run, saved, the second half twice: the same end, to the bit. */
static cardan_status run(cardan_sim *sim, void *state, size_t size, double z[2],
                         cardan_report *report)
{
  cardan_status status = steps(sim, 200, report);
  status = status ? status : cardan_sim_snapshot_save(sim, state, size, report);
  for (int again = 0; again < 2 && status == CARDAN_OK; again++) {
    status = steps(sim, 200, report);
    z[again] = cardan_sim_data(sim)->q[0];
    status = status || again ? status : cardan_sim_snapshot_load(sim, state, size, report);
  }
  return status;
}

/* How far the bounces are from their closed form: T = sqrt(2 h / g) for the first fall, and
 * 2 keep^k T for the flight after bounce k. */
static double worst_time(const bounces *b)
{
  const double fall = sqrt(2 * height / g);
  double t = fall, flight = 2 * fall, worst = 0;
  for (int k = 0; k < b->count && k < 4; k++) {
    printf("bounce %d at %.12f s\n", k + 1, b->time[k]);
    worst = fmax(worst, fabs(b->time[k] - t));
    flight *= keep;
    t += flight;
  }
  return worst;
}

int main(void)
{
  cardan_report report = {.message = ""};
  const cardan_options options = cardan_options_defaults();
  const int downwards = -1;
  bounces seen = {.count = 0};
  const cardan_hooks hooks = {.user = &seen,
                              .nevent = 1,
                              .direction = &downwards,
                              .event = above_ground,
                              .at_event = bounce};
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  void *state = NULL;
  double z[2] = {0, 1};
  cardan_status status =
      cardan_spec_read(text, sizeof text - 1, NULL, NULL, 0, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_hook(sim, &hooks, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  if (status == CARDAN_OK) {
    const size_t size = cardan_sim_snapshot_size(sim);
    state = malloc(size);
    status = state != NULL ? run(sim, state, size, z, &report) : CARDAN_ERR_MEMORY;
  }
  const double worst = worst_time(&seen);
  printf("%d bounces, off by %.1e s at most; %s\n", seen.count, worst,
         z[0] == z[1] ? "the same end twice" : report.message);
  free(state);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return status == CARDAN_OK && seen.count >= 4 && worst < 1e-9 && z[0] == z[1] ? 0 : 1;
}
