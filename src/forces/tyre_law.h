/* SPDX-License-Identifier: Apache-2.0
 * forces/tyre_law.h - forces of a tyre from its slip, load and deflection. */
#pragma once
#include "forces/dual.h"

/* Speed below which slip, camber and damping at rest are smoothed [m/s]. */
#define CARDAN__TYRE_SPEED 0.1

/* How the wheel stands and moves on the plane. */
typedef struct {
  cardan__dual depth, rate;   // of the disc's lowest point in the plane [m], and d/dt
  cardan__dual along;         // velocity of the centre along the heading [m/s]
  cardan__dual slip_x;        // velocity of the material at the contact, along the heading,
  cardan__dual slip_y;        // and to the left of it
  cardan__dual camber;        // to the right [rad]
  cardan__dual deflection[2]; // of the tread, along and to the left [m]; with a relaxation length
} cardan__tyre_motion;

typedef struct {
  cardan__dual normal, x, y; // force of the ground on the wheel [N]
  cardan__dual couple;       // that of camber (T9): torque per lever [N]
  cardan__dual rate[2];      // of the deflection [m/s]
  double kappa, alpha;       // slip along, and its angle [rad]
} cardan__tyre_force;

/* of: the values of the element (CARDAN_TYRE_..). */
void cardan__tyre_law(const double *of, const cardan__tyre_motion *m, cardan__tyre_force *f);
