/* SPDX-License-Identifier: Apache-2.0
 * cardan/dynamics.h - joint-space dynamics of a model at one state.
 *
 *   M(q) a + c(q, v) = tau + sum J_i^T f_ext_i + G^T lambda,   G a = gamma
 *   cardan_rnea  tau from a   O(n)      cardan_crba   M from q          O(n depth)
 *   cardan_aba   a from tau   O(n)      cardan_factor M^-1 as a product O(n)
 *   cardan_forward: all that a model holds (forces, loops, friction, motions) -> a, lambda
 *
 * Accelerations of bodies (A, A0) are classical ones in body coordinates: angular acceleration, and
 * the acceleration of the frame's origin. They leave gravity out; gravity enters the recursions as
 * an upward acceleration of the world.
 * Calls here allocate nothing, but for cardan_forward at its first call on a data, hold no
 * global state, and may run at the same time on one model as long as each thread has its own
 * data. */
#pragma once
#include "cardan/data.h"
#include "cardan/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inverse dynamics: tau = M a + c - sum J^T f_ext.
 * needs   cardan_joints, cardan_velocities        reads  X, V, f_ext, gravity
 * a       nv, NULL means zero                     writes A (with gravity as upward acceleration), f
 * tau     nv, out; must not overlap a */
CARDAN_API void cardan_rnea(const cardan_model *model, cardan_data *data, const double *a,
                            double *tau);

/* The same from q and v at once: cardan_joints, cardan_velocities and cardan_rnea in one outward
 * pass. Faster than the three calls where bodies are many. */
CARDAN_API void cardan_inverse(const cardan_model *model, cardan_data *data, const double *a,
                               double *tau);

/* Joint-space inertia matrix, row-major nv x nv, both triangles. needs cardan_joints; writes Ic */
CARDAN_API void cardan_crba(const cardan_model *model, cardan_data *data, double *M);

/* Articulated-body factorisation of M(q). needs cardan_joints; writes factor, multi.
 * returns CARDAN_ERR_NOT_POSDEF and the body in data->info when a joint has no inertia to push
 * against. Kinematic joints count as locked. */
CARDAN_API cardan_status cardan_factor(const cardan_model *model,
                                       cardan_data *data) CARDAN_MUST_USE;

/* a = M^-1 (tau + sum J_i^T f_i). needs cardan_factor. f: nbody wrenches or NULL; tau: nv or NULL;
 * a: nv, out, may be tau; kinematic entries are set to 0. writes p, rest, A. */
CARDAN_API void cardan_factor_solve(const cardan_model *model, cardan_data *data,
                                    const cardan_force *f, const double *tau, double *a);

/* Forward dynamics of the tree: a from tau and f_ext; kinematic entries of a are read, not written,
 * and their tau is then the driver's force, left in data->rest.
 * needs cardan_joints, cardan_velocities, cardan_factor. a may be data->a. writes Ag, p, rest, and
 * A with gravity as an upward acceleration */
CARDAN_API void cardan_aba(const cardan_model *model, cardan_data *data, const double *tau,
                           double *a);

/* Hamilton's side of the tree: momenta p = M v, one for each velocity; for spherical and free
 * joints they belong to quasi-velocities. Of kinematic joints the momentum is not a variable: p
 * holds what it is, but nothing reads it. All O(nbody).
 * momenta        p (nv, out) from data's twists      needs cardan_velocities; writes P
 * _velocities    v = M^-1 p; kinematic entries of v are read, not written
 *                needs cardan_joints, cardan_factor; writes v (nv, may be data->v), V, p, rest
 * _rates         pdot (nv, out) = -dH/dq + tau + sum J_i^T f_ext_i, in quasi-momenta where they are
 *                needs joints, V, v, f_ext; writes P, g, T
 * _accelerations a from pdot, kinematic entries of a are read; a may be data->a
 *                needs _rates and cardan_factor at the same state, data->v; writes a, p, rest, A
 *                (rates of the twists, gravity left out), and f: the wrench through each body's
 *                joint */
CARDAN_API void cardan_momenta(const cardan_model *model, cardan_data *data, double *p);
CARDAN_API void cardan_momenta_velocities(const cardan_model *model, cardan_data *data,
                                          const double *p, double *v);
CARDAN_API void cardan_momenta_rates(const cardan_model *model, cardan_data *data,
                                     const double *tau, double *pdot);
CARDAN_API void cardan_momenta_accelerations(const cardan_model *model, cardan_data *data,
                                             const double *pdot, double *a);

/* The whole model at data's t, q, v: prescribed motion, forces (tau, f_ext), friction, loops.
 * writes X, V, tau, f_ext, factor, rows, lambda, a; X_W where the model has forces or rows, A0
 * where it has rows.
 * kq, kv: Baumgarte feedback on the constraints (0, 0: none). */
CARDAN_API cardan_status cardan_forward(const cardan_model *model, cardan_data *data, double kq,
                                        double kv) CARDAN_MUST_USE;
/* Takes the work space of constraint forces now, so that cardan_forward will not: 8 (k nv + k^2)
 * bytes for k rows, 8 (k nv + 3 k^2) where some are redundant, of the data's allocator; nothing
 * without rows or at a second call.
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_forward_reserve(const cardan_model *model,
                                                cardan_data *data) CARDAN_MUST_USE;

/* Derivatives, exact: nv x nv row-major, entry (k, j) is that of k by direction j, along which
 * cardan_q_move moves q (of quaternions: turns about the body's axes). Joints whose S depends on q
 * are refused.
 * _inverse_slopes  of tau = cardan_rnea(a), with f_ext fixed in the bodies: d tau/dq, d tau/dv, and
 *                  M = d tau/da; any may be NULL. O(nv depth), beside clearing the matrices
 *                  needs cardan_velocities; a: nv, NULL means zero; writes X_W
 * _forward_slopes  of a = cardan_forward, all forces of the model included: da/dq, da/dv, da/dtau;
 *                  prescribed accelerations do not change. O(nv^2 depth)
 *                  needs cardan_forward; models with constraints, friction or a program are
 *                  refused
 * returns CARDAN_ERR_UNSUPPORTED or CARDAN_ERR_NOT_POSDEF with a sentence in data->info;
 *         CARDAN_ERR_MEMORY, when the work space could not be taken
 * cardan_slopes_reserve takes that now, of the data's allocator: about 8 (6 nv^2 + 90 nbody) bytes;
 * nothing at a second call. */
CARDAN_API cardan_status cardan_inverse_slopes(const cardan_model *model, cardan_data *data,
                                               const double *a, double *tau_dq, double *tau_dv,
                                               double *M) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_forward_slopes(const cardan_model *model, cardan_data *data,
                                               double *a_dq, double *a_dv,
                                               double *a_dtau) CARDAN_MUST_USE;
/* What small motions about the state feel: K = dr/dq and C = dr/dv of r = c(q, v) - Q(q, v), with Q
 * the forces of the model's elements (friction left out), so that M x'' + C x' + K x = 0 about an
 * equilibrium. nv x nv row-major, out. Constraints add their own: these are of the tree.
 * needs   cardan_kinematics;  writes X_W, f_ext, tau
 * returns as above; models with a program are refused */
CARDAN_API cardan_status cardan_stiffness(const cardan_model *model, cardan_data *data, double *K,
                                          double *C) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_slopes_reserve(const cardan_model *model,
                                               cardan_data *data) CARDAN_MUST_USE;

/* ---- the terms of the equation, one by one ---- */

/* Joint forces that balance the motion at a = 0, c(q, v) = C v + g; and those that hold the
 * mechanism at rest, g(q). f_ext is not in them, nor are the model's springs and dampers.
 * needs   cardan_velocities | cardan_joints;  tau: nv, out;  writes A, f and, for the first, p
 * O(nbody) */
CARDAN_API void cardan_bias_torques(const cardan_model *model, cardan_data *data, double *tau);
CARDAN_API void cardan_gravity_torques(const cardan_model *model, cardan_data *data, double *tau);

/* C(q, v), nv x nv row-major, out: C v are the velocity forces, and Mdot - 2 C is skew along any
 * motion with these velocities. Where all joints have one velocity it is that of Christoffel's
 * symbols.
 * needs   cardan_velocities;  writes Ic, Ic_rate, P, tau_work;  O(nv depth), beside the zeros */
CARDAN_API void cardan_coriolis(const cardan_model *model, cardan_data *data, double *C);

/* M^-1, nv x nv row-major, out; rows and columns of kinematic coordinates are 0.
 * needs   cardan_factor;  writes p, rest, A;  O(nv nbody) */
CARDAN_API void cardan_inertia_inverse(const cardan_model *model, cardan_data *data,
                                       double *M_inverse);

/* The inverse of a frame's inertia, J M^-1 J^T: its acceleration under unit torques and forces at
 * it, in the axes of both. 6 x 6, rows and columns angular then linear; singular where the frame
 * cannot move. Loops are not in it.
 * needs   cardan_factor, and cardan_poses but for LOCAL;  writes p, rest, A, tau_work;  O(nbody) */
CARDAN_API void cardan_frame_inertia_inverse(const cardan_model *model, cardan_data *data,
                                             int frame, cardan_axes axes, double L[36]);

/* The same of the constraints (Delassus): G M^-1 G^T, nrow x nrow row-major, out.
 * needs   cardan_factor, and rows from cardan_jacobian or cardan_constraints at the same q
 * writes  p, rest, A, tau_work;  O(nrow nbody + nrow^2); takes the work space that cardan_forward
 *         would (cardan_forward_reserve)
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_delassus(const cardan_model *model, cardan_data *data,
                                         double *D) CARDAN_MUST_USE;

/* Joint forces as a linear form of the bodies' inertias: cardan_rnea(a) without f_ext and armatures
 * is Y pi, pi the ten numbers of model->body[i].inertia in the order of cardan_inertia, i from 1.
 * needs   cardan_velocities;  a  nv, NULL means zero;  Y  nv x 10 (nbody - 1) row-major, out
 * writes  A, f, tau_work;  O(10 nbody depth), beside the zeros */
CARDAN_API void cardan_regressor(const cardan_model *model, cardan_data *data, const double *a,
                                 double *Y);

/* ---- centre of mass and momentum about it, of the bodies that move ---- */

/* Centre of mass of a body with everything below it, 0: of all, in the world [m]; NaN without mass.
 * velocity  out [m/s], NULL: not computed
 * needs     cardan_poses, and cardan_velocities for the velocity;  writes Ic | P, tau_work
 * O(nbody) */
CARDAN_API cardan_vec3 cardan_com(const cardan_model *model, cardan_data *data, int body,
                                  cardan_vec3 *velocity);
/* Its Jacobian: J v is that velocity. 3 x nv row-major, out.
 * needs     cardan_poses;  writes Ic;  O(nbody), of a part of the tree O(nbody depth) */
CARDAN_API void cardan_com_jacobian(const cardan_model *model, cardan_data *data, int body,
                                    double *J);

/* Momentum about the centre of mass of all, world axes: angular t, linear f; and its matrix A6,
 * 6 x nv row-major, out, rows t then f: A6 v is that momentum. A6 NULL: not computed.
 * needs     cardan_poses, cardan_velocities;  writes Ic, P, tau_work;  O(nbody) */
CARDAN_API cardan_force cardan_centroidal(const cardan_model *model, cardan_data *data, double *A6);
/* Its rate at accelerations data->a: what acts from outside. f over the mass is the acceleration of
 * the centre.
 * needs     cardan_poses, cardan_velocities;  writes Ic, A (gravity left out);  O(nbody) */
CARDAN_API cardan_force cardan_centroidal_rate(const cardan_model *model, cardan_data *data);

/* ---- through loops ---- */

/* A jump of the velocities under impulses, as the constraints allow it:
 *   v+ = v + M^-1 (p + sum J_i^T f_i + G^T L),   G v+ + Phi_t = 0
 * so that velocities which break the constraints are mended by the least change in the mass metric.
 * f, p      impulses on bodies (nbody, body coordinates) and on velocities (nv); NULL: none
 * impulse   L, nrow, out; the shortest where rows are redundant; NULL: not computed
 * writes    v, and all of cardan_kinematics at the new state; factor, rows, tau_work, p, rest, A
 * returns   CARDAN_ERR_NOT_POSDEF, CARDAN_ERR_SINGULAR or CARDAN_ERR_MEMORY with v as it was.
 * O(nbody) without loops, dense with them; work space as cardan_forward's */
CARDAN_API cardan_status cardan_impulse(const cardan_model *model, cardan_data *data,
                                        const cardan_force *f, const double *p,
                                        double *impulse) CARDAN_MUST_USE;

/* data->a moved, by the least change in the mass metric, to accelerations that keep the
 * constraints: G a = gamma. For accelerations that come from a plan.
 * writes    a, all of cardan_kinematics, factor, rows, lambda (what moved a)
 * returns   as cardan_impulse, with a as it was */
CARDAN_API cardan_status cardan_close_accelerations(const cardan_model *model,
                                                    cardan_data *data) CARDAN_MUST_USE;

/* Inverse dynamics through loops: forces of chosen actuators that, with the model's own forces and
 * the multipliers, make these accelerations. The shortest tau where there are more actuators than
 * ways to move; tau_in, f_in are not counted.
 * a         nv; must keep the constraints (cardan_close_accelerations); what a motion prescribes is
 *           not read, but taken from the motion
 * actuated  n velocities (v index), each once, none that is prescribed
 * tau       n, out;  lambda  nrow, out, the shortest; NULL: not computed
 * writes    all of cardan_kinematics, tau, f_ext, rows, A, f, tau_work. Dense, O(nv^3); takes and
 *           gives back work space of the data's allocator
 * returns   CARDAN_ERR_UNSUPPORTED when the actuators are too few for this motion, and with
 *           friction; CARDAN_ERR_ARGUMENT, CARDAN_ERR_SINGULAR, CARDAN_ERR_NOT_FINITE,
 *           CARDAN_ERR_MEMORY; with a sentence in data->info */
CARDAN_API cardan_status cardan_inverse_loops(const cardan_model *model, cardan_data *data,
                                              const double *a, const int *actuated, int n,
                                              double *tau, double *lambda) CARDAN_MUST_USE;

/* ---- energy and momentum ---- */

/* Energies of the bodies that move, not of masses fixed to the world [J].
 * needs cardan_velocities | cardan_poses */
CARDAN_API double cardan_kinetic(const cardan_model *model, const cardan_data *data);
CARDAN_API double cardan_potential(const cardan_model *model, const cardan_data *data);
/* Linear momentum f and angular momentum t about the world's origin, world axes. needs
 * cardan_kinematics */
CARDAN_API cardan_force cardan_momentum(const cardan_model *model, const cardan_data *data);

/* Reaction wrench of every joint after cardan_forward: onto the child, in the child frame's axes
 * and about its origin: njoint, out. Driver forces and joint torques are not part of it: the
 * component along the joint's motion is left out. writes A, f. */
CARDAN_API void cardan_reactions(const cardan_model *model, cardan_data *data,
                                 cardan_force *reaction);
/* Force or torque of the driver of each joint (prescribed or constrained motion), 0 for others:
 * njoint, out. needs cardan_forward. */
CARDAN_API void cardan_driver_forces(const cardan_model *model, cardan_data *data, double *force);

/* Derivatives by a parameter, exact. With r = M a + c - Q, where Q are the model's own forces:
 *   r_dp  nv, out: of r at data's q, v, a, u: what another value would change in joint forces
 *   a_dp  nv, out: of the accelerations, -M^-1 r_dp, kinematic entries 0; NULL: not computed. Only
 *         for models without constraints
 * Masses, inertias, armatures, gravity, springs, dampers and expressions of forces are
 * differentiated; of derived constants through their own expressions.
 * needs   cardan_forward                     writes  A, f, p, rest, tau_work, parameter_rate
 * returns CARDAN_ERR_UNSUPPORTED, with a sentence, for a parameter that stands elsewhere: in a
 *         length, an angle, a constraint or motion, an actuator or friction;
 *         CARDAN_ERR_ARGUMENT for no parameter of that index */
CARDAN_API cardan_status cardan_parameter_slopes(const cardan_model *model, cardan_data *data,
                                                 int parameter, double *r_dp, double *a_dp,
                                                 cardan_report *report) CARDAN_MUST_USE;

/* The model's outputs at data's t, q, v, u: writes data->y. Those that read accelerations,
 * multipliers or driver forces call cardan_forward; the others need no more than positions and
 * velocities, which are made here too. Where an output is not defined, as a logarithm of a negative
 * number, y is NaN.
 * returns what cardan_forward may */
CARDAN_API cardan_status cardan_outputs(const cardan_model *model,
                                        cardan_data *data) CARDAN_MUST_USE;

/* Exact derivatives of one output at data's t, q, v by a change of the coordinates (in velocities,
 * as cardan_q_move takes it) and by the velocities: y_dq, y_dv: nv each, out.
 * returns false, and zeros, for an output that reads more than t, inputs, coordinates, positions,
 *         velocities and twists: accelerations, orientations, centres of mass, energies, .. */
CARDAN_API bool cardan_output_slopes(const cardan_model *model, cardan_data *data, int output,
                                     double *y_dq, double *y_dv);

#ifdef __cplusplus
}
#endif
