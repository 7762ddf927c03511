/* SPDX-License-Identifier: Apache-2.0
 * analysis/mode_shape.h - configurations along a mode, for films. */
#pragma once
#include "cardan/modes.h"

/* The configuration that a mode takes at an angle of its oscillation: q moved by
 * amplitude times Re((shape + i quarter) e^(i angle)), loops closed again.
 * data    of the same model; writes q, v = 0 and all of cardan_kinematics
 * returns CARDAN_ERR_NO_CONVERGENCE, CARDAN_ERR_SINGULAR where the loops do not close there */
cardan_status cardan__mode_configuration(const cardan_modes *modes, int mode, double amplitude,
                                         double angle, cardan_data *data) CARDAN_MUST_USE;

/* An amplitude at which the mode is seen well: bodies move by 0.15 of the mechanism's size or turn
 * by 0.4, whichever comes first. data: scratch, of the same model */
double cardan__mode_amplitude(const cardan_modes *modes, int mode, cardan_data *data);
