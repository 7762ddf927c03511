/* SPDX-License-Identifier: Apache-2.0
 * linalg/rank_monitor.h - did the rows of a constraint matrix lose rank?
 *
 * A factorisation eliminates one row after the other. What the earlier rows leave of a row, over
 * the size of that row, is its pivot ratio: 1 where it is orthogonal to them, 0 where they give it.
 * For J M^-1 J^T it is the square of the sine of the angle between them. From these ratios a
 * monitor answers, in the same way for every solver:
 *   factorisation  ratio, row: the smallest one of the rows that count; 0: rank is lost
 *   step           smallest: the least of the factorisations since cardan__rank_begin_step
 *   motion         cardan__rank_fell: is it much smaller than in the last few steps?
 * A monitor compares what it is given, be it ratios or their square roots. */
#pragma once
#include <math.h>
#include <stdbool.h>

enum { CARDAN__RANK_HISTORY = 4 };

typedef struct {
  double ratio;    // smallest of the last factorisation
  int row;         // that row; 0 where no ratio is below 1
  double dropped;  // largest ratio of a row that the last factorisation left out; 0: none
  double smallest; // of all factorisations since the step began
  double chosen;   // ratio of the first factorisation since the rows were chosen; 0: not known yet
  int steps;       // how many entries of history are known
  double history[CARDAN__RANK_HISTORY]; // ratios of the accepted steps, the last one first
} cardan__rank_monitor;

/* A factorisation begins. */
static inline void cardan__rank_begin(cardan__rank_monitor *m)
{
  m->ratio = 1;
  m->dropped = 0;
  m->row = 0;
}

/* A row that counts has this pivot; size: what its diagonal entry counts as, > 0. */
static inline void cardan__rank_take(cardan__rank_monitor *m, int row, double pivot, double size)
{
  if (pivot < m->ratio * size) {
    m->ratio = pivot / size;
    m->row = row;
  }
}

/* The factorisation leaves this row out. */
static inline void cardan__rank_drop(cardan__rank_monitor *m, double pivot, double size)
{
  m->dropped = pivot > m->dropped * size ? pivot / size : m->dropped;
}

/* The factorisation is done. */
static inline void cardan__rank_end(cardan__rank_monitor *m)
{
  m->smallest = m->ratio < m->smallest ? m->ratio : m->smallest;
  m->chosen = m->chosen > 0 ? m->chosen : m->ratio;
}

/* A whole factorisation, of which the smallest ratio and its row are known; ratio 0: rank is
 * lost. */
static inline void cardan__rank_see(cardan__rank_monitor *m, double ratio, int row)
{
  m->ratio = ratio;
  m->row = row;
  cardan__rank_end(m);
}

/* A step begins, or is made again. */
static inline void cardan__rank_begin_step(cardan__rank_monitor *m)
{
  m->smallest = HUGE_VAL;
}

/* A step with the last factorisation was accepted. */
static inline void cardan__rank_accept(cardan__rank_monitor *m)
{
  m->steps += m->steps < CARDAN__RANK_HISTORY;
  for (int i = CARDAN__RANK_HISTORY - 1; i > 0; i--) {
    m->history[i] = m->history[i - 1];
  }
  m->history[0] = m->ratio;
}

/* Earlier steps no longer count: a motion begins, or an impulse has changed it. */
static inline void cardan__rank_forget(cardan__rank_monitor *m)
{
  m->steps = 0;
}

/* Is the ratio below this part of the largest of the last steps, or are these not known? */
static inline bool cardan__rank_fell(const cardan__rank_monitor *m, double part)
{
  double largest = 0;
  for (int i = 0; i < CARDAN__RANK_HISTORY; i++) {
    largest = fmax(largest, m->history[i]);
  }
  return m->steps < CARDAN__RANK_HISTORY || m->ratio < part * largest;
}
