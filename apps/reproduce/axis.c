// SPDX-License-Identifier: Apache-2.0
#include "reproduce/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"

enum { DECADES = 24, FEW_DECADES = 3, MOST_POWERS = 8 };

static const double largest = 1e300;   // what is beyond stands at the edge: spans must be finite
static const double smallest = 1e-290; // a linear axis takes less for zero
static const double fuzz = 1e-6;       // of a step: a value so near a tick is on it

void cardan__axis_start(cardan__axis *axis, bool log)
{
  *axis = (cardan__axis){.log = log, .low = HUGE_VAL, .high = -HUGE_VAL};
}

bool cardan__axis_has(const cardan__axis *axis, double value)
{
  return isfinite(value) && (!axis->log || value > 0);
}

static double unit_of(const cardan__axis *axis, double value)
{
  return axis->log ? log10(value) : fmin(fmax(value, -largest), largest);
}

void cardan__axis_take(cardan__axis *axis, double value)
{
  CARDAN_ASSERT(cardan__axis_has(axis, value));
  axis->low = fmin(axis->low, unit_of(axis, value));
  axis->high = fmax(axis->high, unit_of(axis, value));
}

double cardan__axis_place(const cardan__axis *axis, double value)
{
  return (unit_of(axis, value) - axis->low) / (axis->high - axis->low);
}

/* Rounds the ends to ticks at low and high, so many steps apart; snug ones of many steps only to a
 * tick that is near. */
static void round_ends(cardan__axis *axis, double low, double high, double steps, cardan__ends ends)
{
  const double near = ends == CARDAN__ENDS_EXACT                ? 0
                      : ends == CARDAN__ENDS_SNUG && steps >= 4 ? 0.04 * (axis->high - axis->low)
                                                                : HUGE_VAL;
  axis->low = axis->low - low < near ? low : axis->low;
  axis->high = high - axis->high < near ? high : axis->high;
}

/* A tick, unless it is beyond the ends; NULL then. */
static cardan__tick *add_tick(cardan__axis *axis, double at)
{
  const double margin = fuzz * (axis->high - axis->low);
  if (at < axis->low - margin || at > axis->high + margin || axis->ntick == CARDAN__TICKS) {
    return NULL;
  }
  cardan__tick *tick = &axis->tick[axis->ntick++];
  *tick = (cardan__tick){.at = at};
  return tick;
}

static int exponent_of(double value)
{
  return (int)floor(log10(value) + 1e-12);
}

/* A linear axis whose values are all but equal gets a span around them. */
static void open_linear(cardan__axis *axis)
{
  if (!(axis->low <= axis->high)) {
    axis->low = 0;
    axis->high = 1;
  }
  const double top = fmax(fabs(axis->low), fabs(axis->high));
  if (top < smallest) {
    axis->low = -1;
    axis->high = 1;
  } else if (axis->high - axis->low < 1e-13 * top) {
    axis->low -= 0.5 * top;
    axis->high += 0.5 * top;
  }
}

static void finish_linear(cardan__axis *axis, int want, cardan__ends ends)
{
  open_linear(axis);
  const double raw = (axis->high - axis->low) / want;
  const int k = exponent_of(raw);
  const double unit = pow(10, k), mantissa = raw / unit;
  const double step = unit * (mantissa <= 1 + fuzz ? 1
                              : mantissa <= 2      ? 2
                              : mantissa <= 5      ? 5
                                                   : 10);
  const double first = floor(axis->low / step + fuzz), last = ceil(axis->high / step - fuzz);
  round_ends(axis, first * step, last * step, last - first, ends);
  const int top = exponent_of(fmax(fabs(axis->low), fabs(axis->high)));
  axis->power = top >= 6 || top < -3 ? top : 0;
  // enough digits for a step, and for the whole number, so that %g writes no exponent
  const int digits = (top - k > top - axis->power ? top - k : top - axis->power) + 1;
  for (int i = 0; i <= (int)(last - first); i++) {
    const double value = (first + i) * step;
    cardan__tick *tick = add_tick(axis, value);
    if (tick) {
      cardan__format_number(tick->text, value * pow(10, -axis->power), digits < 15 ? digits : 15);
    }
  }
}

/* The notches of a logarithmic axis: 1, 2, 5, 10, 20 .. are the numbers 0, 1, 2, 3, 4 .. */
static double notch(int i)
{
  static const double part[] = {0, 0.30102999566398120, 0.69897000433601880};
  const int k = (int)floor(i / 3.0);
  return k + part[i - 3 * k];
}

static int notch_below(double at)
{
  int i = 3 * (int)floor(at) + 3;
  while (notch(i) > at + fuzz) {
    i--;
  }
  return i;
}

static void add_notches(cardan__axis *axis, int first, int last)
{
  const bool plain = first >= -9 && last <= 15; // 0.001 to 100000
  for (int i = first; i <= last; i++) {
    cardan__tick *tick = add_tick(axis, notch(i));
    if (!tick) {
      continue;
    }
    const int power = (int)floor(i / 3.0), mantissa = (const int[]){1, 2, 5}[i - 3 * power];
    if (plain) {
      cardan__format_number(tick->text, mantissa * pow(10, power), power > 0 ? power + 1 : 1);
      continue;
    }
    tick->raised = true;
    tick->power = power;
    if (mantissa == 1) {
      memcpy(tick->text, "10", 3);
    } else {
      snprintf(tick->text, sizeof tick->text,
               "%d\xc2\xb7"
               "10",
               mantissa); // a dot at half height
    }
  }
}

static void finish_log(cardan__axis *axis, cardan__ends ends)
{
  if (!(axis->low <= axis->high)) {
    axis->low = 0;
    axis->high = 1;
  }
  axis->low = fmax(axis->low, axis->high - DECADES);
  if (axis->high - axis->low <= FEW_DECADES) {
    int first = notch_below(axis->low), last = notch_below(axis->high);
    last += notch(last) < axis->high - fuzz ? 1 : 0;
    if (first == last) {
      first--;
      last++;
    }
    round_ends(axis, notch(first), notch(last), last - first, ends);
    add_notches(axis, first, last);
    return;
  }
  const int first = (int)floor(axis->low + fuzz), last = (int)ceil(axis->high - fuzz);
  round_ends(axis, first, last, last - first, ends);
  const int every = (last - first + MOST_POWERS - 1) / MOST_POWERS;
  for (int k = first; k <= last; k++) {
    cardan__tick *tick = k % every == 0 ? add_tick(axis, k) : NULL;
    if (tick) {
      memcpy(tick->text, "10", 3);
      tick->raised = true;
      tick->power = k;
    }
  }
}

void cardan__axis_finish(cardan__axis *axis, int want, cardan__ends ends)
{
  CARDAN_ASSERT(want >= 1 && want <= 8);
  if (axis->log) {
    finish_log(axis, ends);
  } else {
    finish_linear(axis, want, ends);
  }
}

void cardan__axis_widen(cardan__axis *axis, double span, int want)
{
  const double more = 0.5 * (span - (axis->high - axis->low));
  axis->low -= more;
  axis->high += more;
  axis->ntick = 0;
  cardan__axis_finish(axis, want, CARDAN__ENDS_EXACT);
}
