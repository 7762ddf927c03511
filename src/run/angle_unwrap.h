/* SPDX-License-Identifier: Apache-2.0
 * run/angle_unwrap.h - the turns of closing joints, counted from node to node. */
#pragma once
#include "base/spans.h"
#include "cardan/sim.h"
#include "run/snapshot.h"

typedef struct {
  double *q;     // nq: of the node before; NULL: no closing joint turns
  double *angle; // nturning: there, over turns
  double *v;     // nv: where the step under way began
  bool known;    // they are those of a node
} cardan__angle_unwrap;

/* _create   allocates it; before snapshots are created
 * _start    at the start, or with the present counts where a run was changed and continues */
cardan_status cardan__angle_unwrap_create(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__angle_unwrap_destroy(cardan_sim *sim);
void cardan__angle_unwrap_start(cardan_sim *sim);

/* A step of the mechanism to t by `move`, and the turns after it. If they cannot be counted it
 * fails; the caller rolls back. */
cardan_status cardan__angle_unwrap_step(cardan_sim *sim, double t,
                                        cardan_status (*move)(cardan_sim *,
                                                              double)) CARDAN_MUST_USE;

/* What the next step reads of them. */
void cardan__angle_unwrap_spans(cardan_sim *sim, cardan__spans *list);
