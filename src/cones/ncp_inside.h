/* SPDX-License-Identifier: Apache-2.0
 * cones/ncp_inside.h - what the files of the cone problem share. */
#pragma once
#include <math.h>

#include "cones/ncp.h"

/* A problem with its workspace. The problem that is solved has G + shift D and (1 - loss) mu; shift
 * and loss are 0 except in the homotopies of ncp_path.c. */
typedef struct {
  cardan__ncp *p;
  double shift, loss;
  double friction_slack; // relative slack of friction bounds; 0 until the end
  double stiff;          // factor of rho in Newton's method
  double speed;          // largest |b|
  double floor;          // 16 eps max |G| |r| at the last error
  double *T;             // m x m: G transposed, for sweeps; by patches, only what is coupled
  bool transposed;
  double *rho;  // m: 1 / trace of a group's diagonal block of G, equal for its rows; 0: immovable
  double *mean; // m: D, the mean diagonal entry of that block
  double *norm; // m: largest entry of each column of G
  double *kept; // m: the best r so far
  double lost;  // its error

  // Newton's method
  double *A;           // m x m: reduced system, factored
  double *x, *w;       // m: r of the iterate; velocities
  double *old;         // m: the iterate before
  double *y, *clipped; // m: iterates for the unregularised G; the same clipped to the cones
  double *best, least; // m: the best of those, and its error
  double *basis;       // 6 m: rows of the contacts' bases R, CARDAN__CONE_ROWS apart
  double *part;        // m: k of (S2) for each unknown of a contact; 1 except across sliding
  double *z, *scale;   // m: right-hand side and solution; scales of unknowns
  double lacks;        // merit of x
  double soft;         // d of (S3)
  double share;        // the same of the matrix that is factored
  bool close;          // (S4) from the start: a solution nearby, not that of minimum norm
  bool shared;         // (S3), else (S4)
  bool curved;         // something slides in two rows: its direction is not linear in r
  int stays;           // steps with the same faces that did not help
  bool stalled;        // s->least is the smallest error with these faces: a contradiction in b
  int *first, *count;  // n: unknowns of each contact
  int *face;           // n: which of (S1) each contact is
  int *pivot;          // m

  // which contacts are coupled (ncp_sparse.c)
  bool sparse;              // factors are made along the graph
  bool many;                // and it is large: paths cost much
  bool full;                // all are coupled
  bool whole;               // A was factored as a whole
  int npatch;               // contacts one after the other between the same two trees
  int *patch, *patch_of;    // first contact of each, npatch + 1; n
  int words;                // of a row of bits
  unsigned *fill;           // npatch rows of bits: patches that a patch's factors have
  int *near, *near_start;   // patches coupled with a patch, and itself: ranges; npatch + 1
  int *wide, *packed;       // npatch: rows of these; where the patch's rows begin in T
  int *later, *later_start; // those after it in its factors, by place; npatch + 1
  int *sorted, *place;      // npatch: patches in the order of elimination, and back
  int *order;               // n: contacts in that order
  int *run;                 // 2 npatch
} cardan__ncp_state;

/* One island, as cardan__ncp_solve (ncp.h); most: the largest G_nn of all islands. */
bool cardan__ncp_solve_island(cardan__ncp *p, double most);
size_t cardan__ncp_island_work(int m);
int cardan__ncp_island_iwork(int n, int m);

/* u = (G + shift D) r + b. */
void cardan__ncp_velocities(const cardan__ncp_state *s, const double *r, double *u);

/* u and the error of r, s->floor, and p->worst, the contact with that error. */
double cardan__ncp_measure(cardan__ncp_state *s, const double *r, double *u);

/* Clips r to its cones: r_n >= 0, |r_g| <= mu_g r_n. */
void cardan__ncp_clip(const cardan__ncp_state *s, double *r);

/* So many rounds of Gauss-Seidel; p->u and p->error are what r makes them, before and after. */
void cardan__ncp_sweeps(cardan__ncp_state *s, int count);

/* d of (S3), where b does not contradict itself. */
#define CARDAN__NCP_SHARE 1e-8

/* Contacts of an island from which on Newton's method ends early where it diverges, and proximal
 * steps follow. */
enum { CARDAN__NCP_HEAP = 24 };

/* Newton's method from p->r on, at most so many steps, to an error of aim. s->best gets the best r
 * found, s->least its error. damped: steps are shortened where that lessens the merit.
 * returns whether the aim, or rounding, was reached */
bool cardan__ncp_newton(cardan__ncp_state *s, int most, double aim, bool damped);

/* The same for many contacts, by proximal steps: to an r near p->r. s->stalled: the error ceased to
 * fall, and is one that the caller accepts */
bool cardan__ncp_proximal(cardan__ncp_state *s, int most, double aim);

/* One step of Newton's method from p->r on, as above, without sharing impulses again. */
void cardan__ncp_finish(cardan__ncp_state *s);

/* From an easier problem to this one, in steps as small as they need to be (ncp_path.c): way is
 * &s->shift or &s->loss. p->r and p->error are what it came to. */
void cardan__ncp_follow(cardan__ncp_state *s, double *way, double aim);

/* From inside the cones (ncp_inner.c), to an error of aim or to what s->soft leaves: s->best,
 * s->least. */
void cardan__ncp_inner(cardan__ncp_state *s, double aim);

/* The graph of contacts, patch by patch, and the order of their unknowns. */
void cardan__ncp_graph(cardan__ncp_state *s);

/* The first row of a patch, and that after the last one's. */
static inline int cardan__ncp_patch_row(const cardan__ncp_state *s, int patch)
{
  return patch < s->npatch ? s->p->cone[s->patch[patch]].row : s->p->m;
}

/* The first unknown of a patch, and the one after its last. */
static inline int cardan__ncp_first(const cardan__ncp_state *s, int patch)
{
  return s->first[s->patch[patch]];
}

static inline int cardan__ncp_end(const cardan__ncp_state *s, int patch)
{
  const int i = s->patch[patch + 1] - 1;
  return s->first[i] + s->count[i];
}

/* A reduced system in that order: 0 where its factors are; A = L U, false: a pivot is too small;
 * x <- A^-1 x. */
void cardan__ncp_clear(const cardan__ncp_state *s, int size);
bool cardan__ncp_factor(const cardan__ncp_state *s, int size);
void cardan__ncp_back(const cardan__ncp_state *s, int size, double *x);

static inline double cardan__ncp_length(int size, const double *x)
{
  return size > 1 ? sqrt(x[0] * x[0] + x[1] * x[1]) : fabs(x[0]);
}

/* Are n numbers finite? */
static inline bool cardan__ncp_finite(size_t n, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    sum += 0 * x[k];
  }
  return sum == 0;
}
