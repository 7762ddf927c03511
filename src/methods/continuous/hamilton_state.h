/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/hamilton_state.h - what both forms of the method hamilton have in common. */
#pragma once
#include "dynamics/reduced.h"
#include "methods/continuous/continuous.h"

typedef struct {
  cardan__continuous s;
  bool forces_need_a; // friction, drivers or moving constraints
  // what own holds: v, V, X, factorisations and rows of this t and y; nothing after a failure
  double *key, key_t; // nq + nx
  bool holds;
  // augmented
  bool balls;             // a ball hangs on a ball: the state is not p there
  double *p;              // nv: the momenta of the last state
  double *x_balls;        // nv: the last state, of balls (E4)
  cardan_vec3 *below;     // nbody: angular momenta of the balls on a body, axes of the world
  double alpha;           // feedback of Baumgarte's kind [1/s]
  double *sigma;          // nrow
  double *sigma_kept;     // nrow: while a run is restored
  double *c_rate;         // nrow_dof
  cardan_force *w_rate;   // nrow_body
  cardan_force *f_rate;   // nbody: work
  double multiplier_size; // sigma^T S sigma
  double momentum_size;   // largest v^T M v so far
  // reduced
  cardan__reduced reduced;
  double sign;  // of the pivots at the last accepted state
  bool in_line; // the last evaluation met the singular position
  void *memory;
} cardan__hamilton;

/* Does own hold this state already? And: it does now. */
bool cardan__hamilton_holds(const cardan__hamilton *h, double t, const double *y);
void cardan__hamilton_remember(cardan__hamilton *h, double t, const double *y);

/* own's q and kinematic velocities at t, and what follows from positions alone. */
void cardan__hamilton_positions(cardan__hamilton *h, double t, const double *y);

/* own's tau and f_ext: the caller's own inputs and the model's elements, friction apart. */
void cardan__hamilton_forces(cardan__hamilton *h);

/* Memory of both forms, and giving it back. */
cardan_status cardan__hamilton_make(cardan__continuous *s) CARDAN_MUST_USE;
void cardan__hamilton_unmake(cardan__continuous *s);

/* own's velocities at y: the conjugate of cardan__formulation. */
cardan_status cardan__hamilton_conjugate(cardan__continuous *s, double t, const double *y,
                                         double *out) CARDAN_MUST_USE;

extern const cardan__formulation cardan__hamilton_reduced;
