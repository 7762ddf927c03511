// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/estimate.h"
#include "run/sim.h"

/* The estimate, from the samples there are (estimate.c), and what makes it uncertain. */

/* LAG, SHARE, COHERENT: of (D2), PHASE: of (D3), estimate.c; HELD: of the path, smaller errors are
 * those of a driven coordinate. Fewer samples than FEW, or errors that come from fewer steps than
 * SPREAD of them, say little. An angle that swings by more than SWING, and not one way only
 * (ONE_WAY), is beyond where restoring forces grow with it. ROUNDING: of 1 rad, or m, and of the
 * range; less is what roots and digits leave. LARGE: of the range; a swing that lags is off by up
 * to 1.4 times the estimate. MOVES: of the widest range in the same unit; what moves less is at
 * rest beside it. */
static const double SHARE = 0.6, LAG = 1.0, COHERENT = 0.1, PHASE = 0.6, SPREAD = 2.5, SWING = 2.5,
                    ONE_WAY = 1.2, ROUNDING = 1e-8, HELD = 1e-11, LARGE = 0.07, MOVES = 5e-4;
enum { FEW = 4 };

/* The length of the way that coordinate k went [rad or m]. */
static double path_of(const cardan_sim *sim, int k)
{
  const cardan__estimate *e = &sim->estimate;
  return (sim->data->t - e->sums.t0) * e->speed[k] / e->sums.weight;
}

/* (D2), (D3) of coordinate k. */
static double error_of(const cardan_sim *sim, int k)
{
  const cardan__estimate *e = &sim->estimate;
  const double n = e->sums.weight, T = sim->data->t - e->sums.t0, path = path_of(sim, k);
  const double mean = e->sum[k] / n;
  const double late = e->motion[k] > 0 ? e->along[k] * e->along[k] / (e->motion[k] * n) : 0;
  const double rest = fmax(e->square[k] / n - mean * mean - late, 0);
  const double added = T * hypot(LAG * sqrt(late), SHARE * sqrt(mean * mean + COHERENT * rest));
  const bool touches = sim->contacts != NULL && cardan__contacts_touch(sim->contacts);
  const bool held = added < HELD * fmax(1, path); // by a driver, or at rest
  const double speed = held || touches || !(e->sums.kinetic > 0)
                           ? 0
                           : fmin(PHASE * fabs(e->sums.balance) / e->sums.kinetic, 1);
  return fmax(added, speed * path) + cardan__estimate_ways(e, k, T, sim->options.dt);
}

/* How many of the samples make most of the error of coordinate k: all, if they are equal. */
static double spread_of(const cardan__estimate *e, int k)
{
  return e->fourth[k] > 0 ? e->square[k] * e->square[k] / e->fourth[k] : e->sums.samples;
}

static double range_of(const cardan__estimate *e, int k)
{
  return e->high[k] - e->low[k];
}

/* Joints with an angle that swings far: with two of them motions are chaotic as a rule. */
static int count_swings(const cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const cardan__estimate *e = &sim->estimate;
  int n = 0, last = -1;
  for (int k = 0; k < model->nv; k++) {
    const double range = range_of(e, k);
    const bool turns = strcmp(cardan_coordinate_unit(model, k), "rad") == 0;
    if (turns && range > SWING && path_of(sim, k) > ONE_WAY * range && model->v_body[k] != last) {
      last = model->v_body[k];
      n++;
    }
  }
  return n;
}

static int doubts_of(const cardan_sim *sim, const cardan_error_estimate *found)
{
  const cardan__estimate *e = &sim->estimate;
  const int k = found->coordinate;
  const bool struck = sim->contacts != NULL && sim->contacts->ledger.stats.impacts > 0;
  int doubts = 0;
  doubts |= struck || sim->stats.events > 0 || e->sums.missed > 0 ? CARDAN_DOUBT_EVENTS : 0;
  doubts |= sim->model->mobility > 1 && count_swings(sim) > 1 ? CARDAN_DOUBT_CHAOS : 0;
  doubts |= e->sums.samples < FEW || spread_of(e, k) < SPREAD ? CARDAN_DOUBT_FEW : 0;
  doubts |= e->way != NULL && e->stops[k] > 0.5 * found->value ? CARDAN_DOUBT_STOPS : 0;
  doubts |= found->value < ROUNDING * fmax(1, found->range) ? CARDAN_DOUBT_ROUNDING : 0;
  return doubts;
}

/* That of coordinate k, with its error. */
static cardan_error_estimate complete(const cardan_sim *sim, int k, double error)
{
  const cardan__estimate *e = &sim->estimate;
  cardan_error_estimate found = {.coordinate = k,
                                 .value = isnan(error) ? HUGE_VAL : error, // it blew up
                                 .range = range_of(e, k),
                                 .samples = e->sums.samples};
  found.doubts = doubts_of(sim, &found);
  if (found.value > found.range && found.range > ROUNDING) {
    found.value = found.range;
    found.doubts |= CARDAN_DOUBT_LOST;
  }
  return found;
}

cardan_error_estimate cardan__estimate_find(const cardan_sim *sim)
{
  const cardan__estimate *e = &sim->estimate;
  double most = (double)NAN;
  int at = -1;
  for (int k = 0; k < sim->model->nv && e->block != NULL && e->sums.samples > 0; k++) {
    const double error = error_of(sim, k);
    if (at < 0 || error > most || isnan(error)) {
      at = k;
      most = error;
    }
  }
  return at >= 0 ? complete(sim, at, most)
                 : (cardan_error_estimate){.coordinate = -1,
                                           .value = (double)NAN,
                                           .range = (double)NAN,
                                           .samples = e->sums.samples};
}

/* The widest range of coordinates with the unit of k. */
static double widest_range(const cardan_sim *sim, int k)
{
  const char *unit = cardan_coordinate_unit(sim->model, k);
  double widest = 0;
  for (int i = 0; i < sim->model->nv; i++) {
    const bool like = strcmp(cardan_coordinate_unit(sim->model, i), unit) == 0;
    widest = like ? fmax(widest, range_of(&sim->estimate, i)) : widest;
  }
  return widest;
}

/* The same, or a joint that dry friction stops, where that is off by a larger part of its own
 * range: how far it slid may be little beside the ways of others. Impacts shake joints that hold.
 */
static cardan_error_estimate find_relative(const cardan_sim *sim)
{
  const cardan__estimate *e = &sim->estimate;
  const bool struck = sim->contacts != NULL && sim->contacts->ledger.stats.impacts > 0;
  cardan_error_estimate found = cardan__estimate_find(sim);
  const int n = found.coordinate >= 0 && e->way != NULL && !struck ? sim->model->nv : 0;
  for (int k = 0; k < n; k++) {
    const double error = error_of(sim, k), range = range_of(e, k);
    if (e->stops[k] > ROUNDING && error * found.range > found.value * range &&
        fmax(range, error) > MOVES * widest_range(sim, k)) {
      found = complete(sim, k, error);
    }
  }
  return found;
}

void cardan_error_doubts(const cardan_error_estimate *estimate, char *text, size_t size)
{
  static const char *const words[] = {
      "impacts or events magnify errors",
      "joints swing far enough for chaos, which magnifies errors",
      "few steps make most of it",
      "it is at the level of rounding, whose growth it does not see",
      "it is as large as the range: the phase of the motion is lost",
      "dry friction stops the joint within steps"};
  size_t used = 0;
  if (size > 0) {
    text[0] = '\0';
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if ((estimate->doubts >> i & 1) != 0 && used < size) {
      const int more = snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", words[i]);
      used += more > 0 ? (size_t)more : 0;
    }
  }
}

void cardan__estimate_warn(cardan_sim *sim)
{
  const bool given = sim->options.max_error > 0;
  const cardan_error_estimate e = given ? cardan__estimate_find(sim) : find_relative(sim);
  const double most = given ? sim->options.max_error : LARGE * e.range;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  const bool weak = e.samples < 2 || (e.doubts & CARDAN_DOUBT_ROUNDING) != 0;
  if (e.coordinate < 0 || !(e.value > most) || (weak && !given) || sim->watch.blown ||
      sim->watch.error_reported) {
    return;
  }
  sim->watch.error_reported = true;
  char than[80], why[320];
  if (given) {
    snprintf(than, sizeof than, "more than option max-error, %.3g", most);
  } else {
    snprintf(than, sizeof than, "%.0f %% of its range", fmin(100 * e.value / e.range, 999));
  }
  cardan_error_doubts(&e, why, sizeof why);
  snprintf(
      sim->watch_text + used, size - used,
      "%s\"%.60s\" may be off by %.2g %s at the end, %s, as %d sampled steps show%s%s%s: try a "
      "smaller dt",
      used > 0 ? "; " : "", cardan_error_coordinate(sim->model, e.coordinate), e.value,
      cardan_coordinate_unit(sim->model, e.coordinate), than, e.samples,
      why[0] ? " (uncertain: " : "", why, why[0] ? ")" : "");
}
