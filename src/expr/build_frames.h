/* SPDX-License-Identifier: Apache-2.0
 * expr/build_frames.h - words over two frames, made of the leaves of each. */
#pragma once
#include "expr/expr_build.h"

/* Distance of two frames' origins, its rate, and the angle of the second about an axis of the first
 * (n, of length 1): each returns the index of its instruction. At most 16, 34 and 90 are made. */
int cardan__build_distance(cardan__builder *b, const cardan__span name[2], cardan_pos pos);
int cardan__build_speed(cardan__builder *b, const cardan__span name[2], cardan_pos pos);
int cardan__build_angle(cardan__builder *b, const cardan__span name[2], const double n[3],
                        cardan_pos pos);

/* The coordinate of a closing joint, or its rate: at most 95 are made. */
int cardan__build_closing(cardan__builder *b, const cardan__closing *closing, bool rate,
                          cardan_pos pos);
