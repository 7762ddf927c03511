/* SPDX-License-Identifier: Apache-2.0
 * contact/impact.h - what happens when closed contacts approach: Newton's restitution in rounds,
 * exact friction cones, never a gain of energy. */
#pragma once
#include "cones/ncp.h"

/* An impact at closed contacts: u in before, out after; r out, all impulses together.
 * cone    n, or NULL: every row is a contact of its own without friction, m = n
 * tree    n, or NULL, as cardan__ncp.tree has it
 * enough  [m/s] error of (N) that will do, where tol is hard to reach; 0: none
 * most    rounds with restitution, 0: 200
 * tol     a velocity above -tol does not approach
 * gain    out: T^+ - T^- [J], never positive but for rounding
 * rounds  out: how often something struck
 * guarded out: rounds whose restitution had to be less for that */
typedef struct {
  int n, m; // contacts, rows
  const cardan__cone *cone;
  const int (*tree)[2];
  const double *G; // m x m, symmetric
  const double *e; // n: restitution
  double *u, *r;   // m
  double tol, enough, gain;
  int most, rounds, guarded;
  double error; // largest of (N) over the rounds [m/s]; 0 where no row has friction
  int sweeps, newtons;
  double *work;         // cardan__impact_work(n, m)
  int *iwork;           // cardan__impact_iwork(n, m)
  cardan__cone *chosen; // n: work; NULL where cone is
} cardan__impact;

/* returns false when (N) has no answer: something approaches that nothing can stop */
bool cardan__impact_solve(cardan__impact *impact);
size_t cardan__impact_work(int n, int m);
int cardan__impact_iwork(int n, int m);
