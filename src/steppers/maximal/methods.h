/* SPDX-License-Identifier: Apache-2.0
 * steppers/maximal/methods.h - the methods in maximal coordinates. */
#pragma once
#include "steppers/method.h"

extern const cardan__method cardan__method_baraff, cardan__method_half_implicit,
    cardan__method_fully_implicit, cardan__method_rattle;
