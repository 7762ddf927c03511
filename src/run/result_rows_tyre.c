// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "forces/tyre.h"
#include "run/result_rows.h"
#include "run/sim.h"

/* Columns of tyres, each: tyre.NAME.kappa, .alpha, .camber, .depth, .fx, .fy, .fz. */

enum { OF_TYRE = 7 };
static const char *const parts[OF_TYRE] = {"kappa", "alpha", "camber", "depth", "fx", "fy", "fz"};
static const char *const units[OF_TYRE] = {"", "rad", "rad", "m", "N", "N", "N"};

static bool is_tyre(const cardan_force_element *e)
{
  return e->kind == CARDAN_ELEMENT_TYRE;
}

int cardan__tyre_count(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->nforce; i++) {
    n += is_tyre(&model->force[i]);
  }
  return OF_TYRE * n;
}

void cardan__tyre_name(const cardan_model *model, int k, char *name, size_t size)
{
  const cardan_force_element *e = model->force;
  for (int n = k / OF_TYRE; !is_tyre(e) || n-- > 0;) {
    e++;
  }
  snprintf(name, size, "tyre.%s.%s", e->name, parts[k % OF_TYRE]);
}

const char *cardan__tyre_unit(const cardan_model *model, int k)
{
  (void)model;
  return units[k % OF_TYRE];
}

void cardan__tyre_fill(cardan_sim *sim, double *out)
{
  const cardan__view view = cardan__data_view(sim->model, sim->data);
  for (int i = 0; i < sim->model->nforce; i++) {
    const cardan_force_element *e = &sim->model->force[i];
    if (is_tyre(e)) {
      const cardan__tyre_reading r = cardan__read_tyre(sim->model, &view, e);
      const double values[OF_TYRE] = {r.kappa,   r.alpha,   r.camber, r.depth,
                                      r.force.x, r.force.y, r.force.z};
      memcpy(out, values, sizeof values);
      out += OF_TYRE;
    }
  }
}
