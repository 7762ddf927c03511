/* SPDX-License-Identifier: Apache-2.0
 * cones/ncp.h - contact impulses with exact friction cones, as a problem on plain arrays.
 *
 * A contact has a normal row and up to three groups of rows after it: tangents (2, or 1 in the
 * plane), spin (1), roll (2 or 1). With velocities u and impulses r, rows in that order,
 *   u = G r + b,   u_n >= 0,  r_n >= 0,  u_n r_n = 0,
 *   |r_g| <= mu_g r_n,   u_g = 0 or r_g = -mu_g r_n u_g / |u_g|        for each group g       (N)
 * (Signorini, Coulomb, maximum dissipation; the one r_n bounds the discs of all groups). A box is
 * a row of its own, dry friction of given size:
 *   |r| <= bound,   u = 0 or r = -bound u / |u|                                                (B)
 * The rows
 * of spin and roll can be scaled in two ways: angular velocities times the lengths `spinning` and
 * `rolling`, with mu = 1, or angular velocities alone, with mu = the length. With the first all
 * errors are in m/s.
 *
 *   ncp_one.c     exact solution of a single contact
 *   ncp_newton.c  semi-smooth Newton on all contacts; minimum-norm impulses if they are not unique
 *   ncp_inner.c   interior-point method: needs no active set
 *   ncp_path.c    homotopy from an easier problem: the fallback
 *   ncp_sparse.c  many contacts that share few bodies: block-sparse factorisation of G
 *   ncp.c         Gauss-Seidel over contacts; calls the solvers above in turn, for one island
 *   ncp_islands.c contacts that are coupled: each island is a problem of its own
 *
 * G may be singular (redundant contacts share their load evenly), unsymmetric (that of an exact
 * step is), or have zero rows: no impulse changes their velocity, and a normal row of zeros with
 * b_n < 0 is an error. The caller should set a b_n of rounding size to 0, since its sign may decide
 * whether a contact rests or jams. Results are the same to the bit on every run; nothing allocates.
 *
 * The caller handles static friction above sliding friction: it passes mu_s for contacts that
 * stick as the step begins and mu for those that slide, and solves. Contacts with mu_s that slide
 * in the solution (cardan__cone_slides) get mu, and the caller solves again from that r. A contact
 * never changes back to mu_s, so that this ends after at most n solves, usually two. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CARDAN__CONE_GROUPS = 3, CARDAN__CONE_ROWS = 6 };

typedef struct {
  int row, ngroup, size[CARDAN__CONE_GROUPS]; // row: of the normal; the groups' rows follow
  double mu[CARDAN__CONE_GROUPS];
  double bound; // > 0: a box, (B), without groups; 0: a contact
} cardan__cone;

/* Number of rows of a contact. */
static inline int cardan__cone_rows(const cardan__cone *c)
{
  int rows = 1;
  for (int g = 0; g < c->ngroup; g++) {
    rows += c->size[g];
  }
  return rows;
}

typedef struct {
  int n, m;                 // contacts; rows, contact by contact
  const cardan__cone *cone; // n
  const double *G, *b;      // m x m row-major; m
  const int (*tree)[2];     // n: trees that a contact moves, -1: none; blocks of G of two
                            // contacts without a common tree are not read. NULL: all are read
  double *r, *u;            // m: r in: warm start (0 is fine), and out; u out
  double tol;               // [m/s] target error, about 1e-13 of the speeds
  double stalled_tol;       // [m/s] error to accept early, if progress is slow: that of b
  double caller_tol; // [m/s] largest error that the caller accepts: little work is spent below it
  double friction_slack; // relative: contacts that stick with so much more friction do so; or 0
  bool keeps_start;      // a start within tol is the answer: no Newton step from there
  bool cheap_only;       // cheap solvers only: for trials that may fail
  bool no_homotopy; // no homotopy, at most two batches of sweeps: the caller has an alternative
  bool uneven;      // impulses need not be those of least size: of impacts
  double *work;     // cardan__ncp_work(n, m)
  int *iwork;       // cardan__ncp_iwork(n, m)
  // out
  int sweeps, newtons; // the most of any island
  int worst;           // contact with the largest error
  double error;        // [m/s] of the returned r: max over contacts of (E1), ncp.c
  bool fallback;       // the homotopy was needed (ncp_path.c)
} cardan__ncp;

/* The friction_slack for a problem that is solved again in every step. Where contacts are about to
 * slide, minimum-norm impulses lie on their bounds: any error makes the contact slide a little, in
 * the same direction in every step, and this creep adds up. With the slack r exceeds its bounds by
 * at most this fraction, far less than the uncertainty of a friction coefficient. */
#define CARDAN__NCP_FRICTION_SLACK 1e-10

size_t cardan__ncp_work(int n, int m);
int cardan__ncp_iwork(int n, int m);

/* returns false if the error exceeds both 1e4 tol and the rounding of G r, or a number is not
 * finite; r is inside its cones even then, up to friction_slack. Some problems have no solution:
 * those where the range of G cannot cancel b and an impulse in the null space of G lies inside the
 * cones, as in a jammed contact with restitution */
bool cardan__ncp_solve(cardan__ncp *p);

/* Error of a contact in (N) [m/s]: (E1) of ncp.c. r, u: its rows. rho: 1 / trace of the diagonal
 * block of G for the normal and for each group; 0: that block is zero. */
double cardan__cone_error(const cardan__cone *c, const double *rho, double friction_slack,
                          const double *r, const double *u);

/* Does group g of a contact slide: is its impulse on its bound and its velocity above `still`?
 * r, u: all m rows. */
bool cardan__cone_slides(const cardan__cone *c, int g, const double *r, const double *u,
                         double still);

/* Impulse of a box whose velocity u no impulse changes: its entries of G are 0, and the solution
 * has 0 for it. still: [m/s] less counts as none */
static inline double cardan__box_driven(const cardan__cone *c, double u, double still)
{
  return u > still ? -c->bound : u < -still ? c->bound : 0;
}

/* Solves (N) for one contact with its block W (row stride ld) and b. r: its rows, in: warm start;
 * out. */
void cardan__cone_solve(const cardan__cone *c, const double *W, int ld, const double *b, double *r);
