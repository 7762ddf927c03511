/* SPDX-License-Identifier: Apache-2.0
 * methods/discrete/kicks.h - kicks of form K (docs/methods/rolling.md) on n rows of velocity level:
 * their basis at a node, and the iteration for nu. */
#pragma once
#include <stdbool.h>

/* root (n x n, out) = T D: D scales S to a diagonal of 1, T is the symmetric root of the inverse of
 * D S D over its `rank` largest eigenvalues.
 * S      n x n, symmetric, lower triangle; spoilt: then row k is the eigenvector of eigen[k]
 * size   n: D, 0 for a row that is none
 * eigen  n + cardan__eigen_symmetric_work(n): the eigenvalues, increasing, and scratch
 * returns whether it is a number */
bool cardan__kick_root(int n, int rank, double *S, const double *size, double *eigen, double *root);

/* After that: the smallest eigenvalue that counts, of a diagonal of 1; *row: that it is most of */
double cardan__kick_least(int n, int rank, const double *S, const double *eigen, int *row);

/* nu (n, out) of the steps before, `have` of them in history (2 n), continued. */
void cardan__kick_guess(int n, int have, const double *history, double *nu);
/* e is nu of a step that was taken. */
void cardan__kick_remember(int n, const double *e, int *have, double *history);
/* f (n, out) = e - nu; returns the largest. */
double cardan__kick_difference(int n, const double *e, const double *nu, double *f);
/* nu <- the next guess from f, its half with one step of memory in f_old, nu_old (Anderson). */
void cardan__kick_improve(int n, int round, const double *f, double *nu, double *f_old,
                          double *nu_old);
