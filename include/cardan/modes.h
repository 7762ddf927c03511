/* SPDX-License-Identifier: Apache-2.0
 * cardan/modes.h - modes of small motions about a state: frequencies, damping and shapes.
 *
 *   (s^2 Mr + s Cr + Kr) x = 0   of the independent degrees of freedom (cardan/matrices.h), so that
 * constrained directions have no eigenvalue. A mode is one oscillation (a pair s, conj s), one
 * decay or growth (a real s), or one free motion of the mechanism (a pair s = 0). Auxiliary states
 * (z' = f) add modes of their own and take part in the others. If the state is not an equilibrium
 * (cardan_modes.matrices reports it), the modes are those of the motion at that instant.
 * Where constraints hold velocities alone (rolling), modes are those of the first-order system of n
 * independent positions and fewer velocities: of the matrices only the state, a, lambda, G, n, dof,
 * N, nx and A (states: positions, then velocities) are filled in, A by differences of order 4.
 * Dense, O(n^3). */
#pragma once
#include "cardan/matrices.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CARDAN_MODE_RIGID, // s = 0, twice: free motion at any constant speed
  CARDAN_MODE_STILL, // s = 0, once: neutral, any displacement stays
  CARDAN_MODE_SWING, // a pair: oscillation that decays (re < 0) or grows
  CARDAN_MODE_DECAY, // real, < 0
  CARDAN_MODE_GROW   // real, > 0
} cardan_mode_kind;

typedef struct {
  cardan_mode_kind kind;
  double re, im;    // s [1/s]: im >= 0
  double frequency; // im / 2 pi [Hz]
  double damping;   // -re / |s|; 0 for s = 0
  double error;     // error bound of s from rounding [1/s], to first order; for s = 0 a lower bound
                    // of it
  double residual;  // of the equation above, relative to its terms
  bool unstable;    // re > 0 by more than rounding
  bool doubtful;    // s is not known: its error bound is as large as s
  double *shape;    // nv: real part of the shape, changes of coordinates in velocity coordinates
  double *quarter;  // nv: imaginary part. The motion is Re((shape + i quarter) e^(s t))
                    // The largest entry (lengths over the mechanism's size) is real and 1
  double *z, *z_quarter; // nz of the matrices: the same of the auxiliary states; if no coordinate
                         // changes, their largest entry is 1
} cardan_mode;

typedef struct {
  cardan_matrices *matrices; // the matrices that the modes belong to
  int n;
  cardan_mode *mode; // n, by rising |s|, those of s = 0 first
  int nunstable;
  bool symmetric; // undamped, and Kr symmetric: all shapes are real
  void *block;
  cardan_allocator allocator;
} cardan_modes;

/* Modes of a model at data's state; needs the same as cardan_matrices_create.
 * returns CARDAN_ERR_SINGULAR if the independent degrees of freedom are not defined, any status of
 *         matrices->status and cardan_matrices_create, CARDAN_ERR_NO_CONVERGENCE; with a sentence
 *         in report; *out is then NULL */
CARDAN_API cardan_status cardan_modes_create(const cardan_model *model, const cardan_data *data,
                                             const cardan_allocator *allocator, cardan_modes **out,
                                             cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_modes_destroy(cardan_modes *modes);      // NULL is fine
CARDAN_API const char *cardan_mode_word(cardan_mode_kind kind); // "rigid", "still", "swing", ..

#ifdef __cplusplus
}
#endif
