/* SPDX-License-Identifier: Apache-2.0
 * forces/channels.h - how forces without a potential change with the state, in pieces of rank 1.
 *
 * What a force depends on is one joint's own velocity, or it is a channel: a scalar force along a
 * direction,
 *   f = s(q, v) b(q),    df = b (s_q dq + s_v dv) + ..
 * The change of the direction b is left out. Numbers c = 0 .. CARDAN__FORCE_PARTS nforce name the
 * parts of all elements; those that are channels are counted by cardan__force_channel. */
#pragma once
#include "forces/forces.h"

enum { CARDAN__FORCE_PARTS = 6 };

/* Adds d tau_k / d q_k and d tau_k / d v_k of damping and torques to slope_q and slope_v (nv each).
 * Elements with a potential are not counted (cardan__forces_diagonal has them too). */
void cardan__forces_slopes(const cardan_model *model, const cardan__view *view, double *slope_q,
                           double *slope_v);

/* Is part c a channel? */
bool cardan__force_channel(const cardan_model *model, int c);
/* Its direction b, added to the loads. */
void cardan__force_direction(const cardan_model *model, const cardan__view *view, int c,
                             cardan__loads *to);
/* by_q s_q + by_v s_v, added to the loads as if it were a force. */
void cardan__force_gradient(const cardan_model *model, const cardan__view *view, int c, double by_q,
                            double by_v, cardan__loads *to);
