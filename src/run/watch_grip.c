// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/sim.h"

/* Checks the wheels and balls of (roll .. (grip mu)): would friction hold them? Their rows pull at
 * will; with N the multiplier of the height and T that of the slip, both of the node, as tables
 * have them,
 *   |T| > mu N                                                                               (E1)
 * is a wheel that slips in reality, and one that lifts where N < 0. Every wheel counts once.
 * Forces are compared beyond rounding: SMALL of all forces of rows and of the weight. */

static const double SMALL = 1e-9;

/* A roll with (flat) has no multiplier of the height. */
static bool is_checked(const cardan_constraint *c)
{
  return c->kind == CARDAN_ELEMENT_ROLL && c->grip > 0.0 && c->nrow == 3;
}

int cardan__watch_grip_count(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->nconstraint; i++) {
    n += is_checked(&model->constraint[i]);
  }
  return n < CARDAN__WATCH_GRIPS ? n : CARDAN__WATCH_GRIPS;
}

bool cardan__watch_grip_waits(const cardan_sim *sim)
{
  return sim->watch.ngrip < sim->ngrip;
}

static bool is_known(const cardan__watch *w, int constraint)
{
  bool known = false;
  for (int k = 0; k < w->ngrip; k++) {
    known = known || w->grip[k] == constraint + 1;
  }
  return known;
}

/* A force that is nothing beside those that act [N]. */
static double rounding(const cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const cardan_vec3 g = model->gravity;
  double most = model->mass * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
  for (int r = 0; r < model->nrow; r++) {
    most = fmax(most, fabs(sim->data->lambda[r]));
  }
  return SMALL * most;
}

/* (E1) */
static void check_wheel(cardan_sim *sim, int constraint, double small)
{
  cardan__watch *w = &sim->watch;
  const cardan_constraint *c = &sim->model->constraint[constraint];
  const double *lambda = sim->data->lambda + c->row;
  const double normal = lambda[0], slip = hypot(lambda[1], lambda[2]);
  if (normal < -small || slip > c->grip * normal + small) {
    w->grip[w->ngrip] = constraint + 1;
    w->grip_t[w->ngrip] = sim->data->t;
    w->grip_normal[w->ngrip] = normal;
    w->grip_slip[w->ngrip++] = slip;
  }
}

void cardan__watch_grip(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  if (!cardan__watch_grip_waits(sim) ||
      sim->stepper->method->publish(sim->stepper, sim->data) != CARDAN_OK) {
    return;
  }
  const double small = rounding(sim);
  for (int i = 0; i < model->nconstraint && cardan__watch_grip_waits(sim); i++) {
    if (is_checked(&model->constraint[i]) && !is_known(&sim->watch, i)) {
      check_wheel(sim, i, small);
    }
  }
}

/* The sentence of wheel k of the watch. returns its length */
static int describe_wheel(const cardan_sim *sim, int k, char *text, size_t size)
{
  const cardan__watch *w = &sim->watch;
  const cardan_constraint *c = &sim->model->constraint[w->grip[k] - 1];
  const double normal = w->grip_normal[k];
  if (normal > 0.0) {
    return snprintf(text, size,
                    "at t = %.6g \"%.40s\" needs friction of %.3g to roll, and its grip is %g",
                    w->grip_t[k], c->name, w->grip_slip[k] / normal, c->grip);
  }
  return snprintf(text, size,
                  "at t = %.6g \"%.40s\" has a normal force of %.3g N, without which it lifts or "
                  "slips",
                  w->grip_t[k], c->name, normal + 0.0); // no -0
}

void cardan__watch_grip_end(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  enum { REST = 24 }; // "; and 12 more wheels"
  if (w->ngrip == 0 || w->grip_reported) {
    return;
  }
  w->grip_reported = true;
  for (int k = 0; k < w->ngrip; k++) {
    char text[192];
    const size_t used = strlen(sim->watch_text), left = sizeof sim->watch_text - used;
    const size_t length = (size_t)describe_wheel(sim, k, text, sizeof text);
    if (length + 3 + REST > left) {
      snprintf(sim->watch_text + used, left, "%sand %d more wheel%s", used > 0 ? "; " : "",
               w->ngrip - k, w->ngrip - k == 1 ? "" : "s");
      return;
    }
    snprintf(sim->watch_text + used, left, "%s%s", used > 0 ? "; " : "", text);
  }
}
