/* SPDX-License-Identifier: Apache-2.0
 * reproduce/axis.h - an axis of a drawn figure: what it spans, and where its numbers stand.
 *
 *   cardan__axis_start, cardan__axis_take for every value, cardan__axis_finish; then the ticks are
 *   there, and cardan__axis_place says where a value is drawn. */
#pragma once
#include <stdbool.h>

enum { CARDAN__TICKS = 16, CARDAN__TICK_SIZE = 40 };

/* A number beside the axis: text, with a power of ten behind it where `raised`: 10^power. */
typedef struct {
  double at; // in the units of low and high
  char text[CARDAN__TICK_SIZE];
  bool raised;
  int power;
} cardan__tick;

typedef struct {
  bool log;
  double low, high; // of the values, or of their decimal logarithms
  int power;        // the numbers of a linear axis are in units of 10^power
  int ntick;
  cardan__tick tick[CARDAN__TICKS];
} cardan__axis;

void cardan__axis_start(cardan__axis *axis, bool log);

/* Can the value be drawn? It is finite, and positive where the axis is logarithmic. */
bool cardan__axis_has(const cardan__axis *axis, double value);

/* Widens the axis to a value that it has. */
void cardan__axis_take(cardan__axis *axis, double value);

/* Rounds the span to its ticks, about `want` <= 8 of them: 1, 2, 5 times a power of ten apart; on
 * logarithmic axes the powers themselves, with 2 and 5 between where there are few. Snug: an end
 * stays with the values where the next tick is far; exact: both stay. An axis without values spans
 * 0 to 1, or 1 to 10; at most 24 powers of ten are shown, the upper ones. */
typedef enum { CARDAN__ENDS_ROUND, CARDAN__ENDS_SNUG, CARDAN__ENDS_EXACT } cardan__ends;
void cardan__axis_finish(cardan__axis *axis, int want, cardan__ends ends);

/* Widens a linear axis that is finished to a span, about its middle; the ticks are new. */
void cardan__axis_widen(cardan__axis *axis, double span, int want);

/* Where a value that the axis has stands: 0 at low to 1 at high, and beyond. */
double cardan__axis_place(const cardan__axis *axis, double value);
