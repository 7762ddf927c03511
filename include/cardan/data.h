/* SPDX-License-Identifier: Apache-2.0
 * cardan/data.h - the mutable part of a simulation: state and all intermediate values, one block.
 *
 * After cardan_data_create only two work spaces are allocated: that of constraint forces, by the
 * first cardan_forward or by cardan_forward_reserve before it, and that of derivatives
 * (cardan_slopes_reserve). A data belongs to one thread at a time; any number of them may share a
 * model. Arrays over bodies have nbody entries; entry 0 is the world. */
#pragma once
#include "cardan/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Error of the last failed call on this data. Unused indices are -1, other unused fields 0. */
typedef struct {
  int body, joint, row;
  double residual;
  int iterations;
  char message[320];
  bool whole; // the message is complete: callers add no advice and do not search for the cause
} cardan_info;

/* The articulated-body factorisation of one body, and of a joint of 3 or 6 velocities
 * (dynamics/factor.h). */
typedef struct cardan_factor_body cardan_factor_body;
typedef struct cardan_factor_multi cardan_factor_multi;

/* The work space of constraint forces (dynamics/loops.c). */
typedef struct cardan_loops cardan_loops;

/* The work space of derivatives (dynamics/inverse_slopes.c). */
typedef struct cardan_slopes cardan_slopes;

/* Values of the constraint rows at one configuration; model->row has the indices of each row's
 * entries. */
typedef struct {
  cardan_force *w; // nrow_body: dPhi = w . (twist of the body) + ..
  double *c;       // nrow_dof:  .. + c v
  double *phi;     // nrow: violation [m or rad]
  double *phi_t;   // nrow: J v + phi_t = dPhi/dt
  double *gamma;   // nrow: J a = gamma keeps d2Phi/dt2 = 0
} cardan_rows;

/* Cache validity flags of a data: which fields belong to the q and v that cardan_joints and
 * cardan_velocities read last. A call sets the flags of what it computes and clears those of what
 * becomes invalid; builds with assertions check the flags that a call needs. A caller that
 * writes q must call cardan_joints again, and one that writes v cardan_velocities: the library
 * cannot detect such writes. */
enum {
  CARDAN_FRESH_JOINTS = 1,     // X, cos_sin
  CARDAN_FRESH_POSES = 2,      // X_W
  CARDAN_FRESH_VELOCITIES = 4, // V
  CARDAN_FRESH_BIAS = 8,       // A0
  CARDAN_FRESH_FACTOR = 16,    // factor, multi; inertias only below kinematic joints
  CARDAN_FRESH_LOOPS = 32,     // loops: the rows' matrix, factored
  CARDAN_FRESH_FORWARD = 64,   // tau, f_ext, friction, lambda, a: cardan_forward
  CARDAN_FRESH_INERTIAS = 128  // all inertias of the factor: cardan_factor
};

/* An instant at which forces are evaluated: a node, the middle of a step, a stage of an integrator.
 * q, v: nq, nv; u: inputs, and behind them auxiliary states; X_W, V: nbody, world poses and twists
 * in body coordinates. */
typedef struct {
  const cardan_model *model;
  double t;
  const double *q, *v, *u;
  const cardan_xform *X_W;
  const cardan_twist *V;
} cardan_instant;

/* Callback that computes the force (program "..") of a model at every evaluation. It adds wrenches
 * on bodies to f (nbody, body coordinates) and forces on velocities to tau (nv), which are 0 at
 * entry. It must be a smooth function of the instant alone, since an implicit step evaluates it any
 * number of times. */
typedef struct {
  void *user;
  void (*force)(void *user, const cardan_instant *at, cardan_force *f, double *tau);
} cardan_program;

typedef struct cardan_data {
  const cardan_model *model;
  size_t size;
  cardan_info info;
  unsigned fresh; // CARDAN_FRESH_..
  double t;
  double *q, *v;           // nq, nv: the state
  bool *q_given, *v_given; // nq, nv: start values that were given, or that differ from the
                           // model's own (cardan_assemble)
  bool posed;         // the start's poses are reached or do not apply: cardan_assemble skips them
  double *a;          // nv: accelerations
  double *tau_in;     // nv: joint forces set by the caller, initially 0; cardan_forward adds them
  cardan_force *f_in; // nbody: wrenches set by the caller (body coordinates), likewise
  double *u;          // ninput: inputs, initially the model's values; z follows in memory
  double *z;          // nz: the auxiliary states
  double *half_turn; // nturning: multiples of pi that the angles of closing joints are counted from
  const cardan_program *program; // of (program ..), the caller's; NULL: no force
  cardan_force *program_f;       // nbody, and nv: the result of its last call
  double *program_tau;
  double *tau;         // nv: applied joint forces, without reactions of constraints
  cardan_xform *X;     // T_PB, parent from body
  double *cos_sin;     // 2 nbody: of the angle q + psi (psi alone for prismatic)
  cardan_xform *X_W;   // T_WB
  cardan_twist *V;     // twist, body coordinates
  cardan_twist *A0;    // acceleration of the body with a = 0 (see dynamics.h), no gravity
  cardan_twist *Ag;    // the same with gravity as an upward acceleration of the world
  cardan_twist *A;     // acceleration of the body
  cardan_force *f_ext; // applied wrench on each body
  cardan_force *f;     // wrench through the body's joint, from parent onto body
  cardan_vec3 *g;      // gravity in the body's axes, where a recursion carries it (momenta)
  cardan_force *p;     // scratch of the recursions: bias wrench
  struct cardan__force_lanes *own; // inertial wrench of each body, eight bodies side by side
  cardan_force *P;                 // momentum of the body's subtree (momenta)
  cardan_force *T;                 // external wrench on the subtree, weight included (momenta)
  double *rest, *tau_work;         // nv: scratch of the recursions
  cardan_inertia *Ic;         // composite inertia of each body's subtree; entry 0: of all bodies
  cardan_inertia *Ic_rate;    // and its rate, seen from the world (cardan_coriolis)
  cardan_factor_body *factor; // nbody
  cardan_factor_multi *multi; // nmulti
  int *multi_of;              // nbody: index into multi, -1
  cardan_rows rows;
  cardan_rows bounds;   // of the one-sided rows (model->bound_row): w and c alone
  double *lambda;       // nrow: multipliers as forces; of minimum norm where they are not unique
  double *friction;     // nforce: largest friction force, mu |N|, of the last evaluation
  double *friction_tau; // nv: joint forces of friction at that evaluation, part of tau
  const double *dry_friction; // nv: forces of dry friction that a step found, part of friction_tau,
                              // with `friction` 0 for it; NULL: its law
  struct cardan__friction_prediction
      *prediction;        // owned by a method, while it predicts friction over its step; else NULL
  const double *armature; // nv: of the joints; that of a joint which friction holds is infinite
  double *parameter_rate; // nparameter: scratch of cardan_parameter_slopes
  double *y;              // ny: outputs (cardan_outputs)
  double *y_work;         // 7 nv: scratch of cardan_output_slopes
  double *driver;         // njoint: forces of drivers, if outputs read them
  double *scratch;        // work of expressions
  cardan_loops *loops;    // NULL until constraint forces are computed
  cardan_slopes *slopes;  // NULL until derivatives are
  void *block;            // start of the memory, NULL when it is the caller's
  cardan_allocator allocator;
} cardan_data;

/* Creates the data of a model, at the model's start (q0, v0, t = 0), not assembled. */
CARDAN_API cardan_status cardan_data_create(const cardan_model *model,
                                            const cardan_allocator *allocator,
                                            cardan_data **out) CARDAN_MUST_USE;
CARDAN_API void cardan_data_destroy(cardan_data *data); // NULL is fine

/* The same in memory of the caller: cardan_data_size bytes at mem, aligned to 64. Returns mem.
 * Call cardan_data_destroy on it as well: it frees the work spaces that cardan_forward may have
 * allocated, but not mem. */
CARDAN_API size_t cardan_data_size(const cardan_model *model);
CARDAN_API cardan_data *cardan_data_init(const cardan_model *model, void *mem);

/* Copies a data to another one of the same model: state, inputs and all values computed from them.
 * Work spaces (loops, derivatives) are not copied. Nothing is allocated. */
CARDAN_API void cardan_data_copy(const cardan_model *model, const cardan_data *from,
                                 cardan_data *to);

/* Resets data to the model's start. */
CARDAN_API void cardan_data_reset(const cardan_model *model, cardan_data *data);

/* Copies q, v, u, q_given and v_given of a keyframe, 0 <= index < nkeyframe, to data. For a sim:
 * call it before cardan_sim_start, which closes the loops from there. */
CARDAN_API void cardan_keyframe_set(const cardan_model *model, cardan_data *data, int index);

#ifdef __cplusplus
}
#endif
