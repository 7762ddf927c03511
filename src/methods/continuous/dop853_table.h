/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/dop853_table.h - coefficients of the Runge-Kutta method of order 8 of Dormand
 * and Prince, with the two error estimates and the dense output of Hairer and Wanner.
 * [1] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993,
 *     sections II.5, II.6 and II.10.
 * [2] P. J. Prince, J. R. Dormand, High order embedded Runge-Kutta formulae, J. Comp. Appl. Math.
 *     7, 1981. */
#pragma once
#include "methods/continuous/ode_method.h"

/* Stages k_0 .. k_11 make the step; k_12 is the slope at its end, row 12 of a being b; k_13, k_14,
 * k_15 are for rows within the step only. */
enum { CARDAN__DOP853_STEP = 12, CARDAN__DOP853_STAGES = 16, CARDAN__DOP853_DENSE = 4 };

/* rk.e     b minus weights of order 5
 * e3       b minus weights of order 3
 * dense    the four highest terms of the interpolant (dop853.c), h sum_i dense_mi k_i */
typedef struct {
  cardan__rk_table rk;
  double e3[CARDAN__DOP853_STEP];
  double dense[CARDAN__DOP853_DENSE][CARDAN__DOP853_STAGES];
} cardan__dop853_table;

extern const cardan__dop853_table cardan__dop853;
