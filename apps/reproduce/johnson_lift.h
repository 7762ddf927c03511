/* SPDX-License-Identifier: Apache-2.0
 * reproduce/johnson_lift.h - the scissor lift of VI-C: its motion by Cardan or ODE, beside the
 * benchmark, the lift as one degree of freedom. */
#pragma once
#include "reproduce/johnson.h"
#include "reproduce/thin.h"

/* Slope of the bars and its rate; 45 degrees at rest at the start. */
typedef struct {
  double theta, rate; // [rad, rad/s]
} cardan__lift_state;

/* The benchmark from its state over dt. as_printed: by the Lagrangian with the paper's misprint. */
void cardan__lift_advance(int rows, bool as_printed, double dt, cardan__lift_state *state);

/* Largest difference of any coordinate of scissor:rows to the branch on which it is one degree of
 * freedom. */
double cardan__lift_off_branch(const cardan_model *model, const double *q, int rows);

/* Parameters of a run of the lift. */
typedef struct {
  int rows;
  const char *options; // of Cardan; NULL: ODE, by `way`
  cardan__ode_way way;
  double dt, time;
  double limit;             // the run ends when the error (47) passes it; 0: never
  bool as_printed;          // the benchmark
  double shown;             // the curves begin here [s]
  cardan__curve *curve;     // theta, and the benchmark's; NULL: not wanted
  cardan__curve *benchmark; // the same
  double from, to;          // of the item, for the bar
} cardan__lift_case;

typedef struct {
  double time;      // until here the error (47) was below the limit, or the end was reached [s]
  double worst;     // largest |theta - benchmark| [rad]
  double integral;  // the error (47) [rad^2 s]
  double amplitude; // largest |theta - 90 deg| in the last 5 s [rad]
  double seconds;   // processor time of the steps alone
  double branch;    // Cardan: largest distance of a coordinate to the one-degree-of-freedom branch
  double constraint;
  long swings;       // half periods that both have completed
  double lag;        // delay of the last one behind the benchmark's [s]
  double period;     // of the benchmark, mean of all [s]
  char message[256]; // why it ended early, "" when not
} cardan__lift_result;

/* returns CARDAN_ERR_STOPPED, what opening returns; a step that fails ends the run with a message.
 */
cardan_status cardan__lift_run(cardan__job *job, const cardan__lift_case *c,
                               cardan__lift_result *out) CARDAN_MUST_USE;
