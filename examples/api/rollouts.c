// SPDX-License-Identifier: Apache-2.0
// Rollouts from one saved state: which constant torque on the first link lifts the second highest
// within half a second? The state is saved once and restored before each try, to the same bits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardan/cardan.h"

enum { WARM_UP = 200, AHEAD = 100, TRIES = 9 };

/* Steps with one torque; the highest place of the second link's end, NAN when a step failed. */
static double roll(cardan_sim *sim, int frame, double torque, cardan_report *report)
{
  double highest = -1e9;
  cardan_sim_data(sim)->tau_in[0] = torque;
  for (int i = 0; i < AHEAD; i++) {
    if (cardan_sim_step(sim, report) != CARDAN_OK) {
      return NAN;
    }
    const cardan_data *data = cardan_sim_data(sim);
    highest = fmax(highest, cardan_frame_pose(data->model, data, frame).p.z);
  }
  return highest;
}

/* The torque of try i; the last one is the first again. */
static double torque_of(int i)
{
  const int step = i % TRIES - TRIES / 2;
  return 10.0 * step;
}

/* Every torque from the saved state, the first one once more at the end. */
static bool try_all(cardan_sim *sim, void *state, size_t size, cardan_report *report)
{
  const cardan_model *model = cardan_sim_data(sim)->model;
  const int end = model->nframe - 1;
  double height[TRIES + 1];
  int best = 0;
  if (cardan_sim_snapshot_save(sim, state, size, report) != CARDAN_OK) {
    return false;
  }
  char version[CARDAN_ORIGIN_SIZE], level[CARDAN_ORIGIN_SIZE];
  if (!cardan_snapshot_origin(state, size, version, level)) {
    return false;
  }
  printf("a snapshot of version %s, level %s\n", version, level);
  for (int i = 0; i <= TRIES; i++) {
    const double torque = torque_of(i);
    if (cardan_sim_snapshot_load(sim, state, size, report) != CARDAN_OK) {
      return false;
    }
    height[i] = roll(sim, end, torque, report);
    if (isnan(height[i])) {
      return false;
    }
    best = height[i] > height[best] ? i : best;
    printf("torque %6.1f N m: %.6f m\n", torque, height[i]);
  }
  printf("best: %.1f N m\n", torque_of(best));
  return height[TRIES] == height[0];
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  options.dt = 0.005;
  cardan_status status = cardan_model_load("double-pendulum", NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  for (int i = 0; i < WARM_UP && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, &report);
  }
  bool same = false;
  if (status == CARDAN_OK) {
    const size_t size = cardan_sim_snapshot_size(sim);
    void *state = malloc(size);
    same = state != NULL && try_all(sim, state, size, &report);
    free(state);
  }
  if (!same) {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return same ? 0 : 1;
}
