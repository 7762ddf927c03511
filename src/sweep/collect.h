/* SPDX-License-Identifier: Apache-2.0
 * sweep/collect.h - what a plan keeps of a motion, found while it runs: no motion is stored.
 *
 * Between rows a column is a cubic through the four nearest ones: values O(h^4) from the motion's,
 * and so are extremes, integrals and times of crossings, all of the same cubics. */
#pragma once
#include "cardan/sim.h"
#include "sweep/plan.h"

/* The polynomial between two rows, s = 0 at the first and 1 at the second:
 *   p(s) = c0 + c1 s + c2 s^2 + c3 s^3 */
typedef struct {
  double c[4];
} cardan__cubic;

/* Through n = 2 .. 4 rows of a column: y at times t, of which those a and a + 1 are its ends. */
cardan__cubic cardan__cubic_through(const double *t, const double *y, int n, int a);
double cardan__cubic_at(const cardan__cubic *p, double s);
/* Integrals over s = 0 .. 1, of p and of its square. */
double cardan__cubic_mean(const cardan__cubic *p);
double cardan__cubic_mean_square(const cardan__cubic *p);
/* Where its slope is 0 within 0 < s < 1, ascending: s out, at most 2. returns how many */
int cardan__cubic_turns(const cardan__cubic *p, double s[2]);
/* The first s in 0 < s <= 1 at which p comes to a level from below (direction 1), from above (-1)
 * or from either side (0); -1: none. What is at the level at s = 0 has to leave it first.
 * end  the row's value at s = 1, which p(1) is but for rounding: pieces must agree on the side that
 *      a row is on, else what crosses there is lost */
double cardan__cubic_cross(const cardan__cubic *p, double end, double level, int direction);

/* The collects of a plan at work on one motion after the other. */
typedef struct cardan__collector cardan__collector;

/* returns CARDAN_ERR_MEMORY; *out is then NULL */
cardan_status cardan__collector_create(const cardan__plan *plan, const cardan_allocator *allocator,
                                       cardan__collector **out) CARDAN_MUST_USE;
void cardan__collector_destroy(cardan__collector *c); // NULL is fine

/* The columns that it follows, each once, by index; NULL after the last. */
const char *cardan__collector_source(const cardan__collector *c, int k);
int cardan__collector_sources(const cardan__collector *c);

/* Does it need the rows between the first and the last? Does it need drift or violation? */
bool cardan__collector_rows(const cardan__collector *c);
bool cardan__collector_looks(const cardan__collector *c);

/* A motion: begin, its rows in the order of t, end. x: the columns followed.
 * stats  of the sim; NULL: it has not started, and all values are NaN
 * t      how far it came [s]
 * last   was the row at t given? if not, what is of the end is NaN, unless rows are needed
 * value  out: as many as the plan collects */
void cardan__collector_begin(cardan__collector *c);
void cardan__collector_row(cardan__collector *c, double t, const double *x);
void cardan__collector_end(cardan__collector *c, const cardan_stats *stats, double t, bool last,
                           double *value);
