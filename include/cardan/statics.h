/* SPDX-License-Identifier: Apache-2.0
 * cardan/statics.h - static equilibrium: configuration, forces and stability.
 *
 *   c(q) - Q(q, t, u) = G^T lambda,   Phi(q, t) = 0        velocities and accelerations 0
 * Rows of velocity level are among those of G and carry load; of where they let the mechanism go
 * from its start, the search takes what lowers the energy.
 *   cardan_statics_find   the equilibrium that the mechanism reaches from its start
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
  double tol;          // largest residual force, relative to the balanced forces; 0: 1e-9
  int iterations;      // largest number; 0: 1000
  bool leave_unstable; // if the start is an unstable equilibrium, continue to a stable one
  bool no_friction;    // ignore friction
} cardan_statics_options;

/* One (friction ..) or (dry-friction ..) at rest, which balances any force up to its limit. */
typedef struct {
  int force;          // index into model->force
  double needed;      // force at the equilibrium [N; N m of dry friction about an axis]
  double limit;       // largest possible force, from the reactions at the equilibrium
  bool holds;         // it sticks: its joint did not move from the start
  double start;       // force at the start if all friction sticks; NaN: not computed
  double start_limit; // its limit there
} cardan_statics_friction;

typedef struct {
  const cardan_model *model;
  double t;
  double *q;              // nq
  double *lambda;         // nrow [N, N m]: of minimum norm if rows are redundant
  cardan_force *reaction; // njoint: as cardan_reactions
  double *driver;         // njoint: as cardan_driver_forces
  double *spring;         // nforce: of springs the tension [N], of joint-springs the torque [N m]
  double *length;         // nforce: of springs [m], of joint-springs the coordinate
  int nside;              // one-sided rows: model->bound, then low and high of limited joints
  double *side;           // nside: force of each, 0 if it is open [N, N m]
  double *gap;            // nside [m, rad]
  int nfriction;
  cardan_statics_friction *friction;
  double energy, energy_start; // potential [J]
  bool conservative;           // all acting forces have a potential
  bool skew;                   // N^T K N is not symmetric: it does not decide stability
  bool fed;                    // velocity-dependent forces may add energy: likewise
  bool at_start;               // the start is the equilibrium
  bool singular;               // the constraints lose rank there: multipliers are not unique
  /* Free directions and the stiffness along them: eigenvectors and eigenvalues of N^T K N in the
   * metric M / mass, ascending [N per metre of root mean square motion of the mass]; where it is
   * not symmetric (skew), of its symmetric part: its own eigenvalues are eigen_re + i eigen_im. */
  int nfree;
  double *stiffness;           // nfree
  double *eigen_re, *eigen_im; // nfree, ascending in the real part
  double *shape;               // nfree x nv row-major: the directions
  int nnegative, nzero;
  int iterations;
  double residual; // largest residual force [N]
  double scale;    // the largest of the balanced forces [N]
  void *block;
  cardan_allocator allocator;
} cardan_statics;

/* Finds the equilibrium that the mechanism reaches from data's q at data's t, with its inputs u,
 * tau_in and f_in. Loops are closed, drivers are fixed at their values at t, and velocities are 0,
 * so damping has no effect.
 *   start      if it is an equilibrium, stable or not, it is the result; unstable equilibria on the
 *              way are left
 *   friction   friction that can hold the start holds it
 *   one-sided  limits of joints, stops, ropes and inequalities are respected. Contact of shapes is
 *              not: an equilibrium where shapes touch is refused
 * options NULL: defaults. writes data: at rest at the equilibrium, with q, rows, lambda, tau, f_ext
 * returns CARDAN_ERR_NO_ROOT if the mechanism moves without bound, with the direction;
 *         CARDAN_ERR_NO_CONVERGENCE;
 *         CARDAN_ERR_ASSEMBLY, CARDAN_ERR_UNSUPPORTED (contact), CARDAN_ERR_NOT_FINITE,
 *         CARDAN_ERR_MEMORY, CARDAN_ERR_ARGUMENT; with a sentence in report; *out is then NULL */
CARDAN_API cardan_status cardan_statics_find(const cardan_model *model, cardan_data *data,
                                             const cardan_statics_options *options,
                                             const cardan_allocator *allocator,
                                             cardan_statics **out,
                                             cardan_report *report) CARDAN_MUST_USE;
/* Name of a one-sided row, cut to size: "wall.low", "rope1"; of a limited joint "knee.high". */
CARDAN_API void cardan_statics_side_name(const cardan_statics *statics, int side, char *name,
                                         size_t size);
CARDAN_API void cardan_statics_destroy(cardan_statics *statics); // NULL is fine

/* The equilibrium as a text, or (json) one object: model, t, q {}, energy, energy_start, stable
 * ("stable", "unstable", "neutral", "not known"), free, stiffness [], eigenvalues_re [],
 * eigenvalues_im [], negative, zero, directions [], neutral [], springs {}, reactions {}, drivers
 * {}, multipliers {}, bounds {}, friction {}, iterations, residual, scale, conservative, at_start,
 * singular.
 * name  as the user named the model. Free the text with cardan_free_text
 * returns CARDAN_ERR_MEMORY, *text NULL */
CARDAN_API cardan_status cardan_describe_statics(const cardan_statics *statics, const char *name,
                                                 bool json, const cardan_allocator *allocator,
                                                 char **text) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
