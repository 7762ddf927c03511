/* SPDX-License-Identifier: Apache-2.0
 * hybrid.h - motions with events in a few coordinates, to hold contact against: an ordinary
 * differential equation for each mode, events that end a mode, jumps of the state there. It shares
 * no code with the library. */
#pragma once

enum { HYBRID_MOST = 16 };

typedef struct hybrid hybrid;

/* n       numbers of the state x
 * mode    for rate, event and jump to read; jump may change it
 * rate    dx out: n
 * event   k of nevent: a value that falls through 0 there, HUGE_VAL where the mode has it not. It
 *         must not fall from the state that a jump leaves */
struct hybrid {
  int n, mode, nevent;
  const void *user;
  void (*rate)(const hybrid *h, const double *x, double *dx);
  double (*event)(const hybrid *h, int k, const double *x);
  void (*jump)(hybrid *h, int k, double *x);
  int events; // out: how many there were
};

/* From x to the state at time T, in so many steps and those that events cut. */
void hybrid_run(hybrid *h, double T, int steps, double *x);
