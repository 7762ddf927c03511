/* SPDX-License-Identifier: Apache-2.0
 * reproduce/multipliers.h - the linear system of a model in maximal coordinates at its start: one
 * factorisation and one solution, what Huang and Zhang time. */
#pragma once
#include "methods/maximal/kkt.h"

/* A model at its start, its rows linearised, and a right-hand side. */
typedef struct {
  cardan_model *model;
  cardan__maximal *mx;
  double *f, *g, *x, *lambda; // nx, neq, nx, neq
  cardan__arena arena;
} cardan__multipliers;

/* name: a built-in model. It is not loaded with the checks of a run, which factor the mass matrix
 * of the tree: on straight arms of 50,000 bodies its pivots drown in rounding. *out is empty on
 * failure. */
cardan_status cardan__multipliers_open(const char *name, const cardan_allocator *allocator,
                                       cardan__multipliers *out,
                                       cardan_report *report) CARDAN_MUST_USE;
void cardan__multipliers_close(cardan__multipliers *m);

/* Seconds for one factorisation and one solution by a solver: the best of so many batches of 10 ms
 * or more, so that other programs' share of the machine does not count. The solution stays in x and
 * lambda. */
cardan_status cardan__multipliers_seconds(cardan__multipliers *m, cardan__kkt_kind kind,
                                          int batches, double *seconds,
                                          cardan_report *report) CARDAN_MUST_USE;
