/* SPDX-License-Identifier: Apache-2.0
 * cardan/modes.h - small motions about a state: how fast they swing, decay or grow, and in what
 * shape.
 *
 *   (s^2 Mr + s Cr + Kr) x = 0   of the true degrees of freedom (cardan/matrices.h): what the
 * constraints hold has no eigenvalue here. A mode is one swinging motion (a pair s, conj s), one
 * decay or growth (a real s), or one way in which the mechanism moves freely (a pair s = 0).
 * Auxiliary states (z' = f) have modes of their own among them, and are part of the others.
 * About a state that is not an equilibrium they are those of the motion at that instant: ask
 * cardan_modes.matrices. Dense, O(n^3). */
#pragma once
#include "cardan/matrices.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CARDAN_MODE_RIGID, // s = 0, twice: it moves on at any speed
  CARDAN_MODE_STILL, // s = 0, once: it stays where it is put
  CARDAN_MODE_SWING, // a pair: swings, and decays (re < 0) or grows
  CARDAN_MODE_DECAY, // real, < 0
  CARDAN_MODE_GROW   // real, > 0
} cardan_mode_kind;

typedef struct {
  cardan_mode_kind kind;
  double re, im;    // s [1/s]: im >= 0
  double frequency; // im / 2 pi [Hz]
  double damping;   // -re / |s|; 0 for s = 0
  double error;    // how far s may be off by rounding [1/s], to first order; of s = 0 what rounding
                   // makes of it at least
  double residual; // of the equation above, relative to its terms
  bool unstable;   // re > 0 by more than rounding
  bool doubtful;   // it is not known: rounding may move s by as much as it is
  double *shape;   // nv: changes of the coordinates as velocities have them, of the real part
  double *quarter; // nv: and of the imaginary part. The motion is Re((shape + i quarter) e^(s t))
                   // The largest entry (lengths by the mechanism's size) is real and 1
  double *z, *z_quarter; // nz of the matrices: the same of the auxiliary states; where nothing else
                         // changes their largest entry is 1
} cardan_mode;

typedef struct {
  cardan_matrices *matrices; // that they are of
  int n;
  cardan_mode *mode; // n, by rising |s|, those of s = 0 first
  int nunstable;
  bool symmetric; // undamped, and Kr symmetric: all shapes are real
  void *block;
  cardan_allocator allocator;
} cardan_modes;

/* Modes of a model at data's state, as cardan_matrices_create takes it.
 * returns CARDAN_ERR_SINGULAR where the true degrees of freedom are not defined, and otherwise as
 *         matrices->status and cardan_matrices_create; CARDAN_ERR_NO_CONVERGENCE; with a
 *         sentence in report; *out is then NULL */
CARDAN_API cardan_status cardan_modes_create(const cardan_model *model, const cardan_data *data,
                                             const cardan_allocator *allocator, cardan_modes **out,
                                             cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_modes_destroy(cardan_modes *modes);      // NULL is fine
CARDAN_API const char *cardan_mode_word(cardan_mode_kind kind); // "rigid", "still", "swing", ..

#ifdef __cplusplus
}
#endif
