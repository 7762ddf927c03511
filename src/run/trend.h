/* SPDX-License-Identifier: Apache-2.0
 * run/trend.h - band and trend of a value over time, in one pass and constant memory. */
#pragma once
#include <stdint.h>

#include "base/spans.h"

enum { CARDAN__TREND_BLOCKS = 64 };

/* Some values that follow one another. */
typedef struct {
  double t, x;          // means
  double t_low, t_high; // where it is lowest and highest
  double low, high;
} cardan__trend_block;

/* Start from {0}. */
typedef struct {
  uint64_t n;         // values so far
  uint64_t per_block; // values in a block that is full
  uint64_t in_last;   // values in the last one
  double t, x;        // means of all
  double tt, tx;      // sums of products of the deviations from them
  int nblock;
  cardan__trend_block block[CARDAN__TREND_BLOCKS];
} cardan__trend;

/* rate   slope of the least-squares line [per s];  error  its standard error, HUGE_VAL: too few
 * values
 * band   from the lowest to the highest value around that line */
typedef struct {
  double rate, error, band;
} cardan__trend_fit;

/* The next value, at a time that is later than those before. */
void cardan__trend_add(cardan__trend *trend, double t, double x);

/* What belongs to a saved state. */
void cardan__trend_spans(cardan__trend *trend, cardan__spans *list);

cardan__trend_fit cardan__trend_find(const cardan__trend *trend);
