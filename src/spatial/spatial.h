/* SPDX-License-Identifier: Apache-2.0
 * spatial/spatial.h - inline kernels on the types of cardan/spatial.h, all of them.
 *
 *   rotation.h  vec3, mat3, quat
 *   twist.h     xform, motion (twist), force (wrench)
 *   inertia.h   rigid-body inertia, 10 numbers
 *   abi.h       articulated-body inertia, a symmetric 6 x 6 matrix, 21 numbers
 *
 * exp, log and their tangents are functions of so3.h and se3.h.
 *
 * Vectors, quaternions, twists and wrenches (3 to 6 numbers) go by value; mat3, xform, inertia and
 * abi go in by const pointer and come back by value, so an output may be one of the inputs.
 * No branches unless noted in the comment, no state: usable from any thread. */
#pragma once
#include "spatial/abi.h"
#include "spatial/inertia.h"
#include "spatial/rotation.h"
#include "spatial/twist.h"
