/* SPDX-License-Identifier: Apache-2.0
 * run/estimate.h - the error of the coordinates at the end of a run, estimated from sampled steps
 * that are also taken as two steps of half the length (docs/methods/estimate.md).
 *
 * Only of fixed-step methods, and of models without forces that a program computes. Memory is taken
 * when the sim is created; the run's bits do not depend on it. */
#pragma once
#include <stdint.h>

#include "base/spans.h"
#include "cardan/sim.h"
#include "methods/options.h"

/* Sums over the samples, by their weights; saved with the run. */
typedef struct {
  double t0;               // when it was started [s]
  double weight;           // steps that the samples stand for
  double kinetic, balance; // [J]
  int samples, missed;     // steps that were measured; that should have been, but had an event
} cardan__estimate_sums;

/* Arrays are parts of block. Changes of q are those of cardan__estimate_change; errors are local
 * ones over the length of their step [rad/s or m/s]. */
typedef struct {
  double *block;             // NULL: there is no estimate
  double *start;             // nq: q at the start
  double *sum, *square;      // nv: of errors, and of their squares, by weights
  double *fourth;            // nv: of squares of the weighted squares
  double *along, *motion;    // nv: of errors times velocities; of squares of velocities
  double *speed;             // nv: sums of the size of velocities
  double *low, *high;        // nv: of the change since the start
  double *before, *half;     // nq: q before the sample, after two steps of half the length
  double *change, *velocity; // nv: scratch
  double *place, *way;       // nv: change since the start; displacement of the last step. NULL:
                             // only sampled steps are evaluated (estimate_ways.c)
  double *stops, *strikes,
      *kick;     // nv, with these: what sampled steps do not show (estimate_ways.c)
  size_t nsaved; // numbers at the beginning of block that belong to the run
  double factor; // from the difference of the two ways to the error of the step
  int64_t next_sample, next_look; // steps that come next; 0: to be found
  int64_t impacts;                // before the step that is measured
  bool dry, kicks; // joints have dry friction; the method's first kick is a whole one
  bool due;        // the next part of the step is measured, where it is a sample
  cardan__estimate_sums sums;
} cardan__estimate;

/* In velocities, but of free bodies' places in axes of what they move in:
 * _change  dq (nv, out) from q0 to q1
 * _rates   of velocities v at q; qdot (nq): work */
void cardan__estimate_change(const cardan_model *model, const double *q0, const double *q1,
                             double *dq);
void cardan__estimate_rates(const cardan_model *model, const double *q, const double *v,
                            double *qdot, double *rates);

/* An estimate by itself, of a run whose steps other code takes:
 * _order       of a method with these options
 * _take        its memory, which is e->block; ways: displacements of all steps are evaluated too
 * _begin       at the first node
 * _is_sample   is this step (from 0) to be measured? Called for all steps in order. If so the
 *              caller copies q to e->before, q after two steps of half the length to e->half, and
 * _add         adds the step, which is h long and ended at q; _add_energy: the energies there
 * _add_range   q after so many steps, for the range of the coordinates */
int cardan__estimate_order(const cardan__method *method, const cardan_options *options);
cardan_status cardan__estimate_take(cardan__estimate *e, const cardan_model *model, int order,
                                    bool ways, const cardan_allocator *allocator) CARDAN_MUST_USE;
void cardan__estimate_begin(cardan__estimate *e, const cardan_model *model, const double *q,
                            double t);
bool cardan__estimate_is_sample(cardan__estimate *e, int64_t step);
void cardan__estimate_add(cardan__estimate *e, const cardan_model *model, int64_t step, double h,
                          const double *q);
void cardan__estimate_add_energy(cardan__estimate *e, int64_t step, double kinetic, double balance);
void cardan__estimate_add_range(cardan__estimate *e, const cardan_model *model, int64_t step,
                                const double *q);

/* What sampled steps do not show, in a run that has it (estimate_ways.c):
 * _begin_ways  at the node q, v where a run begins or is joined; the next step is h long
 * _add_ways    at the node after each step, the first is number 1. struck: by impacts that act at
 *              the end of the step
 * _ways        what they add to the error of coordinate k, after so long a time */
void cardan__estimate_begin_ways(cardan__estimate *e, const cardan_model *model, const double *q,
                                 const double *v, double h);
void cardan__estimate_add_ways(cardan__estimate *e, const cardan_model *model, int64_t step,
                               bool struck, const double *q);
double cardan__estimate_ways(const cardan__estimate *e, int k, double time, double h);

/* The estimate of a simulation:
 * _create   after the stepper; _start at the first node
 * _spans    what belongs to a saved state; _rejoin: after it was restored
 * _halves   at the node where a step to t begins: takes a step that is a sample as two halves, and
 *           restores the node. returns whether to call _compare after the step; h: its length
 * _look     at the node after a step: the range of the coordinates
 * _find     the estimate; without one its coordinate is -1
 * _warn     adds a warning to the watch where the estimate is beyond option max-error, or beyond
 *           7 % of the range */
cardan_status cardan__estimate_create(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__estimate_destroy(cardan_sim *sim);
void cardan__estimate_start(cardan_sim *sim);
void cardan__estimate_rejoin(cardan_sim *sim);
void cardan__estimate_spans(cardan_sim *sim, cardan__spans *list);
bool cardan__estimate_halves(cardan_sim *sim, double t);
void cardan__estimate_compare(cardan_sim *sim, double h);
void cardan__estimate_look(cardan_sim *sim);
cardan_error_estimate cardan__estimate_find(const cardan_sim *sim);
void cardan__estimate_warn(cardan_sim *sim);
