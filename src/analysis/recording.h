/* SPDX-License-Identifier: Apache-2.0
 * analysis/recording.h - a recorded motion, inside. */
#pragma once
#include "cardan/prescribed_motion.h"

int cardan__recording_coordinate_count(const cardan_recording *recording);
