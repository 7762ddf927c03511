// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "analysis/mode_shape.h"
#include "cardan/page.h"
#include "output/film_columns.h"

/* A mode as an animation: one period of it, enlarged, without its decay or growth.
 *   q = q0 (+) amplitude Re((shape + i quarter) e^(i angle)),   angle = im t - pi / 2
 * What does not swing is shown going to and fro, in two seconds. */

enum { ROWS = 48, HALVINGS = 6 };

static const double nominal = 2; // s: of what does not swing

/* v of data from the mode's rate, to first order. */
static void set_velocities(const cardan_modes *modes, int k, double amplitude, double angle,
                           double rate, cardan_data *data)
{
  const cardan_mode *mode = &modes->mode[k];
  for (int i = 0; i < modes->matrices->nv; i++) {
    data->v[i] = -amplitude * rate * (mode->shape[i] * sin(angle) + mode->quarter[i] * cos(angle));
  }
}

/* Rows of one period, with loops closed. returns why they cannot be closed */
static cardan_status film_period(const cardan_modes *modes, int k, double amplitude,
                                 cardan_data *data, cardan_film *film, double *row)
{
  const double pi = 3.14159265358979323846, im = modes->mode[k].im;
  const bool swings = modes->mode[k].kind == CARDAN_MODE_SWING;
  const double rate = swings ? im : 2 * pi / nominal;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i <= ROWS && status == CARDAN_OK; i++) {
    const double angle = 2 * pi * i / ROWS - 0.5 * pi;
    status = cardan__mode_configuration(modes, k, amplitude, angle, data);
    if (status == CARDAN_OK && film != NULL) {
      set_velocities(modes, k, amplitude, angle, rate, data);
      cardan__film_state(data, 2 * pi * i / ROWS / rate, row);
      cardan_film_append(film, row);
    }
  }
  return status;
}

static cardan_status film_mode(const cardan_modes *modes, int k, cardan_data *data,
                               cardan__arena *arena, cardan_film **out, cardan_report *report)
{
  const cardan_model *model = modes->matrices->model;
  const int n = 1 + model->nq + model->nv;
  const char **column = cardan__film_names(model, arena);
  double *row = cardan__arena_take(arena, (size_t)n, sizeof *row);
  if (column == NULL || row == NULL) {
    return cardan__no_memory(report);
  }
  double amplitude = cardan__mode_amplitude(modes, k, data);
  cardan_status status = film_period(modes, k, amplitude, data, NULL, row);
  for (int i = 0; i < HALVINGS && status != CARDAN_OK && status != CARDAN_ERR_MEMORY; i++) {
    amplitude *= 0.5;
    status = film_period(modes, k, amplitude, data, NULL, row);
  }
  if (status != CARDAN_OK) {
    return status == CARDAN_ERR_MEMORY
               ? cardan__no_memory(report)
               : cardan_fail(report, CARDAN_ERR_NO_CONVERGENCE, (cardan_pos){0, 0},
                             "the loops do not close along mode %d: %.200s", k + 1,
                             data->info.message);
  }
  status = cardan_film_create(model, column, n, 0, &arena->alloc, out, report);
  return status == CARDAN_OK ? film_period(modes, k, amplitude, data, *out, row) : status;
}

cardan_status cardan_film_of_mode(const cardan_modes *modes, int mode,
                                  const cardan_allocator *allocator, cardan_film **out,
                                  cardan_report *report)
{
  cardan__arena arena;
  cardan_data *data = NULL;
  *out = NULL;
  if (cardan_data_create(modes->matrices->model, allocator, &data) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  cardan__arena_init(&arena, allocator);
  const cardan_status status = film_mode(modes, mode, data, &arena, out, report);
  cardan__arena_free(&arena);
  cardan_data_destroy(data);
  return status;
}
