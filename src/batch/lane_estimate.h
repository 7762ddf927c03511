/* SPDX-License-Identifier: Apache-2.0
 * batch/lane_estimate.h - the estimated errors of copies that go in lanes (run/estimate.h): sampled
 * steps of all of them are also taken as two, and the lanes put back. */
#pragma once
#include "batch/batch.h"
#include "run/estimate.h"

typedef struct {
  cardan__estimate *copy; // width: one for each lane; NULL: none
  bool *good;             // width: its step in halves was taken
  cardan__estimate clock; // which steps are samples: of a copy that left its lane others are next
  double *here;           // nq + nv: of one copy, scratch
  void *saved;            // the lanes at a node: lanes->size bytes
  int width;
} cardan__lane_estimate;

/* _create   memory; returns CARDAN_ERR_MEMORY
 * _begin    at the first node
 * _halves   before step number `step` (from 0) of length h: measures it where it is a sample.
 *           returns whether it did; then, after the step,
 * _add      the step of a lane; _energy: its energies [J]. returns whether they count
 * _range    after so many steps */
cardan_status cardan__lane_estimate_create(cardan__lane_estimate *e, const cardan__batch *b,
                                           const cardan__lanes *lanes) CARDAN_MUST_USE;
void cardan__lane_estimate_destroy(cardan__lane_estimate *e);
void cardan__lane_estimate_begin(cardan__lane_estimate *e, const cardan__batch *b,
                                 const cardan__lanes *lanes);
bool cardan__lane_estimate_halves(cardan__lane_estimate *e, const cardan__batch *b,
                                  cardan__lanes *lanes, int64_t step, double h);
bool cardan__lane_estimate_add(cardan__lane_estimate *e, const cardan__batch *b,
                               const cardan__lanes *lanes, int lane, int64_t step, double h);
void cardan__lane_estimate_range(cardan__lane_estimate *e, const cardan__batch *b,
                                 const cardan__lanes *lanes, int64_t step);
