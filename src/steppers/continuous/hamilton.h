/* SPDX-License-Identifier: Apache-2.0
 * steppers/continuous/hamilton.h - the method `hamilton`: canonical momenta and an ODE solver. */
#pragma once
#include "steppers/method.h"

extern const cardan__method cardan__method_hamilton;
