/* SPDX-License-Identifier: Apache-2.0
 * kernels/guess_orders.h - how many displacements the guess of a variational step may use: the
 * scalar code (methods/discrete/extrapolate.h) and the kernels in lanes choose among the same
 * orders, the one with the smallest next difference. */
#pragma once

enum { CARDAN__EXTRAPOLATE_ORDERS = 10 };
