/* SPDX-License-Identifier: Apache-2.0
 * run/watch_momenta.h - momenta of what floats: trees of bodies on free joints, and those that
 * forces between them tie together, on which nothing acts but uniform gravity. */
#pragma once
#include "cardan/model.h"

/* What is kept of one group, all of it numbers: spans of a snapshot.
 * P, L      linear momentum, and angular momentum about the centre of mass, at t0
 * size_P..  largest so far of what a change of them is compared with
 * off_P..   largest change so far that no force explains, and when that was */
typedef struct {
  double t0; // NAN: not known yet; HUGE_VAL: something else acts on it
  double P[3], L[3];
  double size_P, size_L, off_P, off_L, t_P, t_L;
} cardan__floating_momenta;

typedef struct {
  int n;                        // groups
  int *group;                   // nbody: of each body, -1: none
  int *root;                    // n: the first body of each
  bool *touches;                // n: a contact may hold it, with what is not in the group
  double *mass, *sum;           // n; 8 n: of the check under way
  cardan__floating_momenta *at; // n
  void *block;
} cardan__momenta_watch;
