/* SPDX-License-Identifier: Apache-2.0
 * action.h - the discrete action of a tree by brute force, in long double and without any of the
 * library's algebra: poses from 3 x 3 matrices, the logarithm from the trace. */
#pragma once
#include <stdbool.h>

#include "cardan/model.h"

/* Coordinates in long double, model->nq. */
typedef long double wide;

/* q moved by eps along velocity k (in the joint's own velocity space). */
void action_move(const cardan_model *model, const wide *q, int k, wide eps, wide *q_out);

/* Ld(q0, q1) = sum over bodies of T - h/2 (V(q0) + V(q1)), V gravity's potential and T the kinetic
 * energy over the step: (S1) of kernels/swing_step.h, or with se3 x.G x / (2 h) of the
 * logarithm. */
wide action_step(const cardan_model *model, bool se3, const wide *q0, const wide *q1, wide h);

/* Derivative of Ld(q0, q1, h0) + Ld(q1, q2, h1) along velocity k at q1: central differences, order
 * 4. */
wide action_gradient(const cardan_model *model, bool se3, const wide *q0, const wide *q1,
                     const wide *q2, wide h0, wide h1, int k);
