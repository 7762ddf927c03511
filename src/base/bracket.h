/* SPDX-License-Identifier: Apache-2.0
 * base/bracket.h - locates the first of several events between a time before it and a time after
 * it.
 *
 * Each event k has a value f_k(t) that is positive before it and negative after it. An evaluation
 * is an attempt of a step from the same node, so it is expensive and all f_k are known together.
 * With f_k at three times, the ends of the bracket and the end that was replaced last, the next
 * attempt is at the root of the parabola through them; of several events the earliest root counts.
 * If the bracket does not shrink by half in two attempts, it is halved. If a root is located to a
 * tolerance in t and has converged to one end, attempts keep a distance of 2^k tol / 2 from that
 * end, with k the number of times that it has moved in a row, so that the other end moves too. */
#pragma once
#include "cardan/base.h"

/* Values of all events at one time. */
typedef struct {
  double t, *value;
} cardan__event_point;

typedef struct {
  cardan__event_point point[3]; // before; after; the end that was replaced last
  double width[2];              // of the last two attempts
  double tol;                   // of t; 0: the caller accepts an attempt by its values
  int tries, side, same;        // attempts; the end that moved last; how often in a row it did
} cardan__bracket;

/* Starts with point[0] before all events and point[1] after one; point[2] is not known yet. */
void cardan__bracket_begin(cardan__bracket *b, double tol);

/* Root of the parabola through f0 > 0 > f1 at the ends and f2 at the third point; curve: NULL, or
 * the divided difference f[0, 1, 2] that replaces f2. If f0 and f1 have other signs: the
 * middle. */
double cardan__bracket_root(const cardan__bracket *b, double f0, double f1, double f2,
                            const double *curve);

/* The same of value k of the three points, which changes its sign between the ends: in either
 * direction. */
double cardan__bracket_crossing(const cardan__bracket *b, int k);

/* The time of the next attempt, from the earliest root. If it is not inside the bracket, no double
 * is left between the two ends. */
double cardan__bracket_next(cardan__bracket *b, double root);

/* The attempt at t ended before (side 0) or after (1) the first event: it becomes that end. The
 * caller writes its values to point[side].value. */
void cardan__bracket_narrow(cardan__bracket *b, int side, double t);
