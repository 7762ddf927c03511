/* SPDX-License-Identifier: Apache-2.0
 * base/bracket.h - the moment of the first of several events, between a time before it and a time
 * behind it.
 *
 * Each event k has a value f_k(t) that is positive before it and negative behind it. An evaluation
 * is an attempt of a step from the same node, so it is expensive and all f_k are known together.
 * With f_k at three times, the ends of the bracket and the end that was replaced last, the next
 * time is the root of the parabola through them; of several events the earliest root counts. If
 * the bracket does not shrink by half in two attempts, it is halved. Where a root is wanted to a
 * tolerance in t and has converged to one end, attempts keep away from that end by 2^k tol / 2, k
 * the times that it has moved in a row, so that the other end follows. */
#pragma once
#include "cardan/base.h"

/* Values of all events at one time. */
typedef struct {
  double t, *value;
} cardan__event_point;

typedef struct {
  cardan__event_point point[3]; // before; behind; the end that was replaced last
  double width[2];              // of the last two attempts
  double tol;                   // of t; 0: the caller accepts an attempt by its values
  int tries, side, same;        // attempts; the end that moved last, and how often in a row
} cardan__bracket;

/* At point[0] nothing has happened, at point[1] something has; point[2] is not known yet. */
void cardan__bracket_begin(cardan__bracket *b, double tol);

/* Root of the parabola through f0 > 0 > f1 at the ends and f2 at the third point; curve: NULL, or
 * the divided difference f[0, 1, 2] that replaces f2. Where f0 and f1 have other signs: the
 * middle. */
double cardan__bracket_root(const cardan__bracket *b, double f0, double f1, double f2,
                            const double *curve);

/* The time of the next attempt, from the earliest root; outside of the bracket: no time is left. */
double cardan__bracket_next(cardan__bracket *b, double root);

/* The attempt at t ended before (side 0) or behind (1) the first event: it becomes that end. The
 * caller writes its values to point[side].value. */
void cardan__bracket_narrow(cardan__bracket *b, int side, double t);
