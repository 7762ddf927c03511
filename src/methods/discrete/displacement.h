/* SPDX-License-Identifier: Apache-2.0
 * discrete/displacement.h - what all joints do over one step: the unknown of a discrete equation.
 *
 * A joint of one velocity moves by a number, one of several by a rigid displacement Exp(S dq). Both
 * are kept for the latter: dq, the logarithm, for what reads numbers, and the displacement itself,
 * for what would otherwise exponentiate at every evaluation. */
#pragma once
#include "cardan/model.h"
#include "spatial/screw.h"

/* Numbers before and behind dq that may be read too: they are 0. */
enum { CARDAN__DISPLACEMENT_MARGIN = 8 };

typedef struct {
  double *dq;           // nv: in velocity space
  cardan__screw *joint; // nmulti: Exp(S dq) of joints with several velocities, in the bodies' order
} cardan__displacement;

/* joint from dq. */
void cardan__displacement_set(const cardan_model *model, cardan__displacement *x);

/* to = from moved on by part of a step (nv): on the group, Z <- Z Exp(S part step), where a joint
 * has several velocities. */
void cardan__displacement_add(const cardan_model *model, const cardan__displacement *from,
                              double part, const double *step, cardan__displacement *to);

void cardan__displacement_copy(const cardan_model *model, const cardan__displacement *from,
                               cardan__displacement *to);
