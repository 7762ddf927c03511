/* SPDX-License-Identifier: Apache-2.0
 * forces/tyre.h - slip and forces of a tyre, for tables and warnings. */
#pragma once
#include "forces/forces.h"

typedef struct {
  double kappa, alpha, camber; // slip along, its angle and the lean to the right [rad]
  double depth;                // of the disc's lowest point in the plane [m]
  cardan_vec3 force;           // on the wheel: along the heading, to its left, along the normal [N]
} cardan__tyre_reading;

/* The first tyre whose disc lies flat, or would within a time h at its velocity; -1: none. */
int cardan__lying_tyre(const cardan_model *model, const cardan__view *view, double h);

/* At a view with velocities; e is a tyre. Forces are NaN where the disc lies flat. */
cardan__tyre_reading cardan__read_tyre(const cardan_model *model, const cardan__view *view,
                                       const cardan_force_element *e);
