// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "reproduce/fang.h"
#include "reproduce/motion.h"

/* Fig. 9 of Fang et al.: the torque that drives the crank of the slider-crank at one turn a second,
 * with friction mu on the slider, half-implicit at h = 1e-3. */

enum { NODES = 2000, TURN = 1000, FIRST = 5, EVERY = 2 }; // the authors' program draws from node 5

/* Of the torque [N m]. */
typedef struct {
  double low, high, mean; // mean: over the second turn
} range;

static cardan_status run(cardan__job *job, double mu, double from, cardan__plot *plot, range *out)
{
  char model[48], label[32];
  cardan__motion m;
  snprintf(model, sizeof model, "slider-crank mu=%g", mu);
  snprintf(label, sizeof label, "mu = %g", mu);
  cardan_status status =
      cardan__motion_open(model, "method=half-implicit tol=1e-10", 1e-3, &m, job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__curve *curve = cardan__plot_curve(job->out, plot, label, false);
  *out = (range){.low = HUGE_VAL, .high = -HUGE_VAL};
  for (int i = 1; i <= NODES && status == CARDAN_OK; i++) {
    status = cardan_sim_step(m.sim, job->report);
    const double torque = cardan__twist_column(&m, CARDAN_ADD_REACTIONS, "f.crank");
    if (i >= FIRST) {
      out->low = fmin(out->low, torque);
      out->high = fmax(out->high, torque);
    }
    out->mean += i > NODES - TURN ? torque / TURN : 0;
    if (i >= FIRST && i % EVERY == 0) {
      cardan__curve_point(job->out, curve, i * 1e-3, torque);
    }
    if (status == CARDAN_OK && i % 500 == 0) {
      status = cardan__job_tick(job, from + i / (3.0 * NODES));
    }
  }
  cardan__motion_close(&m);
  return status;
}

cardan_status cardan__fang_torque(cardan__job *job)
{
  static const double mu[] = {0, 0.2, 0.4};
  // inverse dynamics of the exact motion (test_maximal_driven); a step changes the jump by 1.3e-3
  static const double low[] = {-0.298, -0.450, -0.585}, high[] = {0.203, 0.126, 0.126};
  range r[3];
  cardan__plot *plot = cardan__outcome_plot(job->out, "", "slider crank model with joint friction",
                                            "time [s]", "driving torque [N m]", CARDAN__LINEAR);
  for (int i = 0; i < 3; i++) {
    char what[64];
    const cardan_status status = run(job, mu[i], i / 3.0, plot, &r[i]);
    if (status != CARDAN_OK) {
      return status;
    }
    snprintf(what, sizeof what, "mu = %g: lowest torque", mu[i]);
    cardan__outcome_claim(job->out, what, "N m", NAN, r[i].low, low[i] - 2e-3, low[i] + 2e-3);
    snprintf(what, sizeof what, "mu = %g: highest torque", mu[i]);
    cardan__outcome_claim(job->out, what, "N m", NAN, r[i].high, high[i] - 3e-3, high[i] + 3e-3);
  }
  // the crank turns at a constant rate: over a turn the driver's work is what friction takes
  cardan__outcome_claim(job->out, "mu = 0: mean torque of a turn", "N m", NAN, r[0].mean, -1e-3,
                        1e-3);
  cardan__outcome_say(
      job->out, CARDAN__REPRODUCED,
      "With friction the torque swings more, as claimed, and jumps where the slider turns: it is "
      "within [%.3f, %.3f] N m for mu = 0, [%.3f, %.3f] for 0.2 and [%.3f, %.3f] for 0.4. The "
      "paper "
      "prints no numbers for this figure; these are the torques of inverse dynamics of the exact "
      "motion, to the 1e-3 N m that a step is. Without friction the mean of a turn is %.0e N m: "
      "the driver does no work. Friction here agrees with the normal forces of its own step, there "
      "it takes those of the step before.",
      r[0].low, r[0].high, r[1].low, r[1].high, r[2].low, r[2].high, r[0].mean);
  return CARDAN_OK;
}
