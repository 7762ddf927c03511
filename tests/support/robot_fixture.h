/* SPDX-License-Identifier: Apache-2.0
 * robot_fixture.h - what the tests of robots from other formats share. */
#pragma once
#include "cardan/model.h"
#include "support.h"

/* A text that must be right, in the format of file's ending; else the test fails and says why. */
cardan_model *robot_load(const char *text, const char *file, const cardan_setting *settings, int n);

/* Is the origin of a frame there in the world, at the start? */
void robot_assert_at(const cardan_model *model, const char *frame, double x, double y, double z);
