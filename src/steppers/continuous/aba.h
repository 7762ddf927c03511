/* SPDX-License-Identifier: Apache-2.0
 * steppers/continuous/aba.h - the method `aba`: accelerations and an ODE solver. */
#pragma once
#include "steppers/method.h"

extern const cardan__method cardan__method_aba;
