// SPDX-License-Identifier: Apache-2.0
// Contact: a table stands on four feet, with a lamp near one corner. What the feet carry is its
// weight, at the place below its centre of mass; then it is pushed, a little less and a little more
// than friction holds.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

static const char text[] = "(system \"table\" (gravity 0 0 -9.81)"
                           " (place (0 0 0) (name \"ground\") (solid plane))"
                           " (place (0 0 0.71) (joint free \"table\" (mass 12 0.8 1.2 1.8)"
                           "   (place (0 0 0.02) (name \"top\") (solid box 1.2 0.8 0.04))"
                           "   (place (0.4 0.2 0.04) (name \"lamp\") (mass 3))"
                           "   (place ( 0.5  0.3 -0.7) (name \"foot1\") (solid sphere 0.01))"
                           "   (place (-0.5  0.3 -0.7) (name \"foot2\") (solid sphere 0.01))"
                           "   (place (-0.5 -0.3 -0.7) (name \"foot3\") (solid sphere 0.01))"
                           "   (place ( 0.5 -0.3 -0.7) (name \"foot4\") (solid sphere 0.01))))"
                           " (contact all (friction 0.5) (name \"feet\")))";

enum { MOST = 16 };
static const double mass = 15, g = 9.81, friction = 0.5;

/* The feet on the ground: how many, their load [N], its place x, y, and the fastest slip [m/s]. */
typedef struct {
  int closed;
  double load, x, y, slip;
} footing;

static footing look(cardan_sim *sim, bool print)
{
  cardan_touching place[MOST];
  const cardan_model *model = cardan_sim_data(sim)->model;
  const int n = cardan_sim_touching(sim, place, MOST);
  footing out = {.closed = 0};
  for (int i = 0; i < n && i < MOST; i++) {
    if (place[i].pair < 0 || place[i].state == CARDAN_TOUCH_OPEN) {
      continue;
    }
    if (print) {
      printf("%s carries %.3f N\n", model->solid[model->pair[place[i].pair].solid[0]].name,
             place[i].normal);
    }
    out.closed++;
    out.load += place[i].normal;
    out.x += place[i].normal * place[i].x.x;
    out.y += place[i].normal * place[i].x.y;
    out.slip = fmax(out.slip, place[i].slip);
  }
  out.x /= out.load;
  out.y /= out.load;
  return out;
}

static cardan_status steps(cardan_sim *sim, int n, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
  }
  return status;
}

/* A tenth of a second with a force along x at the feet's height: how fast do they slide? */
static double pushed(cardan_sim *sim, double force, cardan_report *report)
{
  cardan_data *data = cardan_sim_data(sim);
  const cardan_vec3 below = {0.08, 0.04, -0.71}; // the centre of mass, from the table's origin
  const cardan_force push = {.f = {force, 0, 0}};
  cardan_clear_forces(data->model, data);
  cardan_apply_force(data->model, data, cardan_model_frame(data->model, "table"), below, push,
                     CARDAN_ALIGNED);
  const cardan_status status = steps(sim, 10, report);
  return status == CARDAN_OK ? look(sim, false).slip : (double)NAN;
}

int main(void)
{
  cardan_report report = {.message = ""};
  const cardan_options options = cardan_options_defaults();
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_status status =
      cardan_spec_read(text, sizeof text - 1, NULL, NULL, 0, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  status = status ? status : steps(sim, 100, &report);
  bool good = status == CARDAN_OK;
  if (good) {
    const footing feet = look(sim, true);
    const double top =
        cardan_distance(model, cardan_sim_data(sim), cardan_model_frame(model, "top"),
                        cardan_model_frame(model, "ground"), NULL, NULL);
    printf("%d feet carry %.6f N at (%.6f, %.6f) m, the top is %.6f m above the ground\n",
           feet.closed, feet.load, feet.x, feet.y, top);
    good = feet.closed == 4 && fabs(feet.load - mass * g) < 1e-7 && fabs(top - 0.71) < 1e-9 &&
           fabs(feet.x - 3 * 0.4 / mass) < 1e-8 && fabs(feet.y - 3 * 0.2 / mass) < 1e-8;
    const double below = pushed(sim, 0.999 * friction * mass * g, &report);
    const double above = pushed(sim, 1.001 * friction * mass * g, &report);
    printf("pushed by 0.999 of what friction holds: %.1e m/s; by 1.001: %.1e m/s\n", below, above);
    good = good && below < 1e-10 && above > 1e-4;
  }
  if (report.message[0] != '\0') {
    printf("%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return good ? 0 : 1;
}
