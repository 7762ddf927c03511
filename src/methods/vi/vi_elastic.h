/* SPDX-License-Identifier: Apache-2.0
 * vi/vi_elastic.h - elements with a potential at the middle of the step (option potentials middle).
 *
 * Each by the mean of its own strain y (forces/strain.h), g = dU/dy and H = U'' at
 * (y_k + y_{k+1}) / 2:
 *   impulse at a node  -(h/2) B^T g, B there       to J = dr/dx  + (h/4) B_k^T H B_{k+1}      (S2)
 * exact, for any joint: B_{k+1} x is the change of y_{k+1} with the displacement. Where the second
 * goes depends on what the strain reads:
 *   own      one coordinate of a joint with one velocity: slope of vi_newton.c
 *   joint    the placement in one joint: its D_i
 *   body     one body: its K_i
 *   coupled  anything else: channels (vi_equation.c), one a strain; many of them: GMRES, whose
 *            product is exact
 * Uniform gravity stays at the nodes, where it needs no derivative. docs/methods/variational.md */
#pragma once
#include "forces/strain.h"
#include "methods/vi/vi_blocks.h"

typedef struct cardan__vi cardan__vi;

typedef enum {
  CARDAN__TIE_OWN,
  CARDAN__TIE_JOINT,
  CARDAN__TIE_BODY,
  CARDAN__TIE_COUPLED
} cardan__tie_reach;

/* One element. */
typedef struct {
  const cardan_force_element *e;
  const cardan__force_kind *kind;
  cardan__tie_reach reach;
  int body;   // own, joint: the joint's; body: that one
  int n;      // strains
  int nb, nd; // bodies and velocities that B has entries for
  int *body_of, *dof_of;
  double *y, *mean, *g, *c; // n: strain at node k, mean strain, stress; scratch
  double *H;                // n x n
  double stiffness;         // largest entry of H
  bool linear;              // stress is linear in the strain, or at most that stiff
  cardan_force *L[2];       // n x nb: -B^T 1 at the two nodes; bodies' axes at node k but for joint
  double *l[2];             // n x nd
} cardan__tie;

typedef struct {
  int n, ntouched, nchannel;
  bool gmres;         // too many channels: the coupled ones are left to GMRES
  bool moves;         // a coordinate of a joint with several velocities is read
  cardan__tie *tie;   // n, by reach
  int *touched;       // ntouched: bodies that strains are on
  cardan_force *B;    // ntouched: B of the lanes without these forces
  cardan_force *load; // nbody: 0 between calls
  double *tau;        // nv: scratch
  cardan_xform *X;    // nbody: poses at node k+1, of those touched
  double *q;          // nq: coordinates at node k+1, those that are read
  double *Q;          // nv: joint parts of the forces at node k
  double *unit;       // strains of one element at most
  cardan__quad *K;    // nbody: reach body
  bool *tied;         // nbody: has it one?
  bool *seen;         // nbody: is it among those touched?
  double *block;      // nmulti x 36: reach joint
  double *numbers;    // memory of the ties
  cardan_force *loads;
  int *lists;
  size_t nnumber, nload, nlist;
} cardan__vi_elastic;

/* vi_elastic.c
 * _read     what of the model there is
 * _layout   memory; _make  the ties
 * _begin    strains at the node, as a step begins
 * _act      forces at the displacement of the lanes: to their B, and Q
 * _sizes    size and scale (nv) += what rounding of places leaves in these forces
 * _leave    impulses at the end of the step: to P of the lanes and p (nv); the node is k+1 */
void cardan__elastic_read(cardan__vi *s);
void cardan__elastic_layout(cardan__vi *s, cardan__carver *c);
void cardan__elastic_make(cardan__vi *s);
void cardan__elastic_begin(cardan__vi *s);
void cardan__elastic_act(cardan__vi *s);
void cardan__elastic_sizes(cardan__vi *s, double *scale);
void cardan__elastic_leave(cardan__vi *s);

/* for vi_slopes.c
 * _between  strains, stresses between the node and next's configuration: poses of both are known
 * _load     adds the forces of these stresses at a view
 * _change   their changes when the configuration at view[0] moves, that of view[1] stays: there, to
 *           moved, and at view[1], to still */
void cardan__elastic_between(cardan__vi *s, const cardan_data *next);
void cardan__elastic_load(const cardan__vi *s, const cardan__view *view, cardan__loads *to);
void cardan__elastic_change(cardan__vi *s, const cardan__view view[2], const cardan__change *change,
                            cardan__loads *moved, cardan__loads *still);

/* vi_elastic_newton.c
 * _slopes        (S2) at the last residual: slope, block, K, channels
 * _apply_bodies  b += what coupled ties make of zeta and x, where they are left to GMRES
 * _apply_joints  the joints' part of it, and block x: to y
 * _add_blocks    block and these to J, nv x nv */
void cardan__elastic_slopes(cardan__vi *s);
void cardan__elastic_apply_bodies(cardan__vi *s, const double *x);
void cardan__elastic_apply_joints(cardan__vi *s, const double *x, double *y);
void cardan__elastic_add_blocks(const cardan__vi *s, double *J);
