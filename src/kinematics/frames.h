/* SPDX-License-Identifier: Apache-2.0
 * kinematics/frames.h - the axes in which motions and forces of frames are expressed. */
#pragma once
#include "cardan/kinematics.h"

/* E: a frame's coordinates to those of the axes, so that twists go by Ad_E and wrenches by Ad_E^-T.
 * LOCAL 1, WORLD T_WF, ALIGNED (R_WF, 0). needs cardan_poses, but for LOCAL */
cardan_xform cardan__axes_from(const cardan_model *model, const cardan_data *data, int frame,
                               cardan_axes axes);
