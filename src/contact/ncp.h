/* SPDX-License-Identifier: Apache-2.0
 * contact/ncp.h - impulses of contacts with exact friction cones: pure numbers.
 *
 * A contact has a normal row and up to three groups of rows after it: tangents (2, or 1 in the
 * plane), spin (1), roll (2 or 1). With velocities u and impulses r, rows in that order,
 *   u = G r + b,   u_n >= 0,  r_n >= 0,  u_n r_n = 0,
 *   |r_g| <= mu_g r_n,   u_g = 0 or r_g = -mu_g r_n u_g / |u_g|        for each group g       (N)
 * (Signorini, Coulomb, most dissipation; the same normal bounds every group's disc). Rows of spin
 * and roll are angular velocities times the lengths of `spinning` and `rolling` with mu 1, or
 * angular velocities with mu the length: the first gives all errors in m/s.
 *
 *   ncp_one.c     one contact alone, exactly
 *   ncp_newton.c  semi-smooth Newton on all of them, least impulses where they are not unique
 *   ncp_inner.c   from inside the cones: no faces to guess
 *   ncp_path.c    from an easier problem to the one that is asked: the fallback
 *   ncp_sparse.c  many contacts that share few bodies: factors of G's blocks that are there
 *   ncp.c         Gauss-Seidel over contacts, and what is tried after what
 *
 * G may be singular (redundant contacts share their load evenly), unsymmetric (exact steps have
 * such), or have rows of zeros (nothing moves them; a normal that nothing moves and that approaches
 * is an error). A b_n of rounding size should be set to 0 by the caller: its sign may decide
 * between resting and jammed. Same bits on every run; nothing here allocates.
 *
 * Static above sliding friction, by the caller: mu is mu_s for a contact that sticks as the step
 * begins and mu for one that slides; solve; contacts solved with mu_s that turn out to slide
 * (cardan__cone_slides) get mu and all is solved again from that r. A contact changes only this
 * way, so that ends after as many solves as there are contacts, usually two. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CARDAN__CONE_GROUPS = 3, CARDAN__CONE_ROWS = 6 };

typedef struct {
  int row, ngroup, size[CARDAN__CONE_GROUPS]; // row: its normal, the groups' rows follow
  double mu[CARDAN__CONE_GROUPS];
} cardan__cone;

/* How many rows a contact has. */
static inline int cardan__cone_rows(const cardan__cone *c)
{
  int rows = 1;
  for (int g = 0; g < c->ngroup; g++) {
    rows += c->size[g];
  }
  return rows;
}

typedef struct {
  int n, m;                 // contacts; rows, those of one contact after those of the other
  const cardan__cone *cone; // n
  const double *G, *b;      // m x m row-major; m
  const int (*tree)[2];     // n: what moves, on either side of a contact, -1: nothing does; blocks
                            // of G of contacts that share nothing are not looked at. NULL: unknown
  double *r, *u;            // m: r in, where to start (0 is fine), and out; u out
  double tol;               // [m/s] error that is aimed at: 1e-13 of the speed, say
  double loose;             // [m/s] error that will do where no better one is found soon: that of b
  double fine;  // [m/s] error that the caller takes in the end: not sought beyond for long
  double brim;  // of a bound: contacts that so much more friction holds stick; or 0
  bool quick;   // nothing that takes long: for tries that may fail
  bool brief;   // no paths, no more than two batches of sweeps: for what may be had otherwise
  double *work; // cardan__ncp_work(n, m)
  int *iwork;   // cardan__ncp_iwork(n, m)
  // out
  int sweeps, newtons;
  int worst;     // contact with the largest error
  double error;  // [m/s] of the r given back: max over contacts of (E1), ncp.c
  bool fallback; // it took a path (ncp_path.c)
} cardan__ncp;

/* A brim for what is solved again and again, as in steps. At the edge of what holds, impulses of
 * least size are at their bounds; an error of any size slides there, the same way in each step, and
 * adds up. r is then beyond its bounds by that part at most: friction is not known so well. */
#define CARDAN__NCP_BRIM 1e-10

size_t cardan__ncp_work(int n, int m);
int cardan__ncp_iwork(int n, int m);

/* returns false when the error is above 1e4 tol and beyond the rounding of G r, or a number is not
 * finite; r is in its cones all the same, but for brim. There may be no answer: where G r cannot
 * make up for b and an impulse that moves nothing is inside a cone, as in a jam that is to spring
 * back */
bool cardan__ncp_solve(cardan__ncp *p);

/* [m/s] (E1) of ncp.c, how far a contact is from (N). rho, r, u: its rows; rho: 1 / trace of the
 * rows' own block of G, that of the normal or of a group; 0: nothing moves it. */
double cardan__cone_error(const cardan__cone *c, const double *rho, double brim, const double *r,
                          const double *u);

/* Does group g of a contact slide: is its impulse at its bound, and does it move? r, u: all rows;
 * still: a velocity below it is none. */
bool cardan__cone_slides(const cardan__cone *c, int g, const double *r, const double *u,
                         double still);

/* One contact: r (its rows, in: where to start; out) of (N) with W (rows ld numbers apart), b. */
void cardan__cone_solve(const cardan__cone *c, const double *W, int ld, const double *b, double *r);
