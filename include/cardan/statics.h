/* SPDX-License-Identifier: Apache-2.0
 * cardan/statics.h - where a mechanism stays: equilibria, what holds them, and whether they last.
 *
 *   c(q) - Q(q, t, u) = G^T lambda,   Phi(q, t) = 0        velocities and accelerations 0
 *   cardan_statics_find   the equilibrium that the mechanism falls to from where it starts
 *   cardan_describe_statics   the same as a text
 *
 * docs/statics.md has the method. Dense, O(nv^3) an iteration. Calls allocate; they may run at the
 * same time on one model as long as each thread has its own data. */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double tol;          // largest force left, of the forces that balance; 0: 1e-9
  int iterations;      // at most; 0: 1000
  bool leave_unstable; // of a start that is an unstable equilibrium: continues to a stable one
  bool no_friction;    // friction does not hold the start
} cardan_statics_options;

/* One (friction ..) or (dry-friction ..) at rest: any force up to limit is in balance. */
typedef struct {
  int force;     // index into model->force
  double needed; // here [N; N m of dry friction about an axis]
  double limit;  // the most that it can be, by the reactions here
  bool holds;    // it stayed where it started
  double start;  // needed where it started, had all friction held; NaN: not asked
  double start_limit;
} cardan_statics_friction;

typedef struct {
  const cardan_model *model;
  double t;
  double *q;              // nq
  double *lambda;         // nrow [N, N m]: the shortest where rows are redundant
  cardan_force *reaction; // njoint: as cardan_reactions
  double *driver;         // njoint: as cardan_driver_forces
  double *spring;         // nforce: of springs the tension [N], of joint-springs the torque [N m]
  double *length;         // nforce: of springs [m], of joint-springs the coordinate
  int nside;              // one-sided rows: model->bound, then low and high of limited joints
  double *side;           // nside: what each pushes with, 0 where it is open [N, N m]
  double *gap;            // nside [m, rad]
  int nfriction;
  cardan_statics_friction *friction;
  double energy, energy_start; // potential [J]
  bool conservative;           // all forces that act have a potential
  bool skew;                   // N^T K N is not symmetric: it does not tell whether this is stable
  bool fed;                    // forces that read velocities may feed motions: the same
  bool at_start;               // the start was it
  bool singular;               // the constraints lose rank there: multipliers are not unique
  /* How it could move: free directions, and the stiffness along them for a metre of motion of the
   * mass, root mean square: eigenvalues of N^T K N in the metric M / mass, rising [N/m]; where
   * forces have no potential, of its symmetric part. */
  int nfree;
  double *stiffness; // nfree
  double *shape;     // nfree x nv row-major: the directions
  int nnegative, nzero;
  int iterations;
  double residual; // largest force that is left [N]
  double scale;    // of the forces that balance [N]
  void *block;
  cardan_allocator allocator;
} cardan_statics;

/* The equilibrium that the mechanism comes to from data's q at data's t, with its inputs u, tau_in
 * and f_in: loops closed, drivers held where they are at t, velocities 0, so that damping plays no
 * role. A start that is in balance is the result, stable or not; an unstable place on the way is
 * left. Friction that can hold the start holds it. Limits of joints, stops, ropes and inequalities
 * are kept; contact of shapes is not, and a place where they touch is refused.
 * options NULL: defaults. writes data: it is left at rest there, with q, rows, lambda, tau, f_ext
 * returns CARDAN_ERR_NO_ROOT when it runs away, with the direction; CARDAN_ERR_NO_CONVERGENCE;
 *         CARDAN_ERR_ASSEMBLY, CARDAN_ERR_UNSUPPORTED (contact), CARDAN_ERR_NOT_FINITE,
 *         CARDAN_ERR_MEMORY, CARDAN_ERR_ARGUMENT; with a sentence in report; *out is then NULL */
CARDAN_API cardan_status cardan_statics_find(const cardan_model *model, cardan_data *data,
                                             const cardan_statics_options *options,
                                             const cardan_allocator *allocator,
                                             cardan_statics **out,
                                             cardan_report *report) CARDAN_MUST_USE;
/* Name of a one-sided row, cut to size: "wall.low", "rope1"; of a limited joint "knee.high". */
CARDAN_API void cardan_statics_side(const cardan_statics *statics, int side, char *name,
                                    size_t size);
CARDAN_API void cardan_statics_destroy(cardan_statics *statics); // NULL is fine

/* For people, or (json) one object: model, t, q {}, energy, energy_start, stable ("stable",
 * "unstable", "neutral", "not known"), free, stiffness [], negative, zero, directions [], neutral
 * [], springs {}, reactions {}, drivers {}, multipliers {}, bounds {}, friction {}, iterations,
 * residual, scale, conservative, at_start, singular.
 * name  as the user named the model. From allocator; give it back with cardan_free_text
 * returns CARDAN_ERR_MEMORY, *text NULL */
CARDAN_API cardan_status cardan_describe_statics(const cardan_statics *statics, const char *name,
                                                 bool json, const cardan_allocator *allocator,
                                                 char **text) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
