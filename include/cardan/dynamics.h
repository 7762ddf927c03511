/* SPDX-License-Identifier: Apache-2.0
 * cardan/dynamics.h - joint-space dynamics of a model at one state.
 *
 *   M(q) a + c(q, v) = tau + sum J_i^T f_ext_i + G^T lambda,   G a = gamma
 *   cardan_rnea  tau from a   O(n)      cardan_crba   M from q          O(n depth)
 *   cardan_aba   a from tau   O(n)      cardan_factor M^-1 as a product O(n)
 *   cardan_forward: a and lambda of the whole model (forces, loops, friction, motions)
 *
 * Accelerations of bodies (A, A0) are classical ones in body coordinates: angular acceleration, and
 * the acceleration of the frame's origin. They do not include gravity; gravity enters the
 * recursions as an upward acceleration of the world.
 * Calls here allocate nothing, except cardan_forward at its first call on a data and the calls that
 * are marked. They have no global state, and may run at the same time on one model if each thread
 * has its own data. */
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

/* cardan_joints, cardan_velocities and cardan_rnea in one outward pass. Faster than the three calls
 * for models with many bodies. */
CARDAN_API void cardan_inverse(const cardan_model *model, cardan_data *data, const double *a,
                               double *tau);

/* Joint-space inertia matrix, row-major nv x nv, both triangles. needs cardan_joints; writes Ic */
CARDAN_API void cardan_crba(const cardan_model *model, cardan_data *data, double *M);

/* Articulated-body factorisation of M(q). needs cardan_joints; writes factor, multi.
 * Kinematic joints are treated as locked.
 * returns CARDAN_ERR_NOT_POSDEF, with the body in data->info, if a joint moves no inertia */
CARDAN_API cardan_status cardan_factor(const cardan_model *model,
                                       cardan_data *data) CARDAN_MUST_USE;

/* a = M^-1 (tau + sum J_i^T f_i). needs cardan_factor. f: nbody wrenches or NULL; tau: nv or NULL;
 * a: nv, out, may be tau; kinematic entries are set to 0. writes p, rest, A. */
CARDAN_API void cardan_factor_solve(const cardan_model *model, cardan_data *data,
                                    const cardan_force *f, const double *tau, double *a);

/* Forward dynamics of the tree: a from tau and f_ext. Kinematic entries of a are read, not written;
 * the forces of their drivers are written to data->rest.
 * needs cardan_joints, cardan_velocities, cardan_factor. a may be data->a. writes Ag, p, rest, and
 * A with gravity as an upward acceleration */
CARDAN_API void cardan_aba(const cardan_model *model, cardan_data *data, const double *tau,
                           double *a);

/* Hamiltonian form of the tree: momenta p = M v, one for each velocity; those of spherical and free
 * joints belong to quasi-velocities. Momenta of kinematic joints are not variables: they are
 * written to p, but never read. All O(nbody).
 * momenta        p (nv, out) from data's twists      needs cardan_velocities; writes P
 * _velocities    v = M^-1 p; kinematic entries of v are read, not written
 *                needs cardan_joints, cardan_factor; writes v (nv, may be data->v), V, p, rest
 * _rates         pdot (nv, out) = -dH/dq + tau + sum J_i^T f_ext_i, in quasi-momenta for spherical
 *                and free joints
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

/* Forward dynamics of the whole model at data's t, q, v: prescribed motion, forces (tau, f_ext),
 * friction, loops.
 * writes X, V, tau, f_ext, factor, rows, lambda, a; X_W if the model has forces or rows, A0 if it
 * has rows.
 * kq, kv: Baumgarte feedback on the constraints (0, 0: none). */
CARDAN_API cardan_status cardan_forward(const cardan_model *model, cardan_data *data, double kq,
                                        double kv) CARDAN_MUST_USE;
/* Allocates the work space of constraint forces, so that cardan_forward does not: 8 (k nv + k^2)
 * bytes for k rows, 8 (k nv + 3 k^2) if some are redundant, from the data's allocator. Does nothing
 * for models without rows, or at a second call.
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_forward_reserve(const cardan_model *model,
                                                cardan_data *data) CARDAN_MUST_USE;

/* Exact derivatives, nv x nv row-major. Entry (k, j) is the derivative of component k in direction
 * j, along which cardan_q_move moves q (for quaternions: rotations about the body's axes). Joints
 * whose S depends on q are refused.
 * _inverse_slopes  of tau = cardan_rnea(a), with f_ext fixed in the bodies: d tau/dq, d tau/dv, and
 *                  M = d tau/da; any may be NULL. O(nv depth), plus O(nv^2) to clear the matrices
 *                  needs cardan_velocities; a: nv, NULL means zero; writes X_W
 * _forward_slopes  of a = cardan_forward, all forces of the model included: da/dq, da/dv, da/dtau;
 *                  prescribed accelerations do not change. O(nv^2 depth), by LAPACK where nv is
 *                  64 or more and the tree is deep
 *                  needs cardan_forward; models with constraints, friction or a program are
 *                  refused
 * returns CARDAN_ERR_UNSUPPORTED or CARDAN_ERR_NOT_POSDEF with a sentence in data->info;
 *         CARDAN_ERR_MEMORY, if the work space could not be allocated
 * cardan_slopes_reserve allocates it in advance from the data's allocator, about
 * 8 (6 nv^2 + 90 nbody) bytes; a second call does nothing. */
CARDAN_API cardan_status cardan_inverse_slopes(const cardan_model *model, cardan_data *data,
                                               const double *a, double *tau_dq, double *tau_dv,
                                               double *M) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_forward_slopes(const cardan_model *model, cardan_data *data,
                                               double *a_dq, double *a_dv,
                                               double *a_dtau) CARDAN_MUST_USE;
/* Stiffness and damping matrices of small motions about the state: K = dr/dq and C = dr/dv of
 * r = c(q, v) - Q(q, v), with Q the forces of the model's elements without friction, so that
 * M x'' + C x' + K x = 0 about an equilibrium. nv x nv row-major, out. Both are of the tree:
 * constraints contribute stiffness of their own (cardan/matrices.h).
 * needs   cardan_kinematics;  writes X_W, f_ext, tau
 * returns as above; models with a program are refused */
CARDAN_API cardan_status cardan_stiffness(const cardan_model *model, cardan_data *data, double *K,
                                          double *C) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_slopes_reserve(const cardan_model *model,
                                               cardan_data *data) CARDAN_MUST_USE;

/* ---- the terms of the equation, one by one ---- */

/* Bias forces c(q, v) = C v + g, which are the joint forces at a = 0; and gravity forces g(q),
 * which hold the mechanism at rest. Neither includes f_ext or the model's springs and dampers.
 * needs   cardan_velocities | cardan_joints;  tau: nv, out;  writes A, f and, for the first, p
 * O(nbody) */
CARDAN_API void cardan_bias_torques(const cardan_model *model, cardan_data *data, double *tau);
CARDAN_API void cardan_gravity_torques(const cardan_model *model, cardan_data *data, double *tau);

/* Coriolis matrix C(q, v), nv x nv row-major, out: C v are the velocity forces, and Mdot - 2 C is
 * skew-symmetric along any motion with these velocities. If all joints have one velocity, C is the
 * matrix of the Christoffel symbols.
 * needs   cardan_velocities
 * writes  Ic, Ic_rate, P, tau_work;  O(nv depth), plus O(nv^2) to clear the matrix */
CARDAN_API void cardan_coriolis(const cardan_model *model, cardan_data *data, double *C);

/* M^-1, nv x nv row-major, out; rows and columns of kinematic coordinates are 0.
 * needs   cardan_factor;  writes p, rest, A;  O(nv nbody) */
CARDAN_API void cardan_inertia_inverse(const cardan_model *model, cardan_data *data,
                                       double *M_inverse);

/* Inverse operational-space inertia of a frame, J M^-1 J^T: its acceleration under unit torques and
 * forces at it, both in the same axes. 6 x 6, rows and columns angular then linear; singular in
 * directions in which the frame cannot move. It does not include loops.
 * needs   cardan_factor, and cardan_poses but for LOCAL;  writes p, rest, A, tau_work;  O(nbody) */
CARDAN_API void cardan_frame_inertia_inverse(const cardan_model *model, cardan_data *data,
                                             int frame, cardan_axes axes, double L[36]);

/* Delassus matrix of the constraints, G M^-1 G^T, nrow x nrow row-major, out.
 * needs   cardan_factor, and rows from cardan_jacobian or cardan_constraints at the same q
 * writes  p, rest, A, tau_work;  O(nrow nbody + nrow^2); the first call allocates the work space
 *         of constraint forces (cardan_forward_reserve)
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_delassus(const cardan_model *model, cardan_data *data,
                                         double *D) CARDAN_MUST_USE;

/* Regressor Y: cardan_rnea(a) without f_ext and armatures is Y pi, where pi are the inertial
 * parameters of the bodies: the ten numbers of model->body[i].inertia in the order of
 * cardan_inertia, i from 1.
 * needs   cardan_velocities;  a  nv, NULL means zero;  Y  nv x 10 (nbody - 1) row-major, out
 * writes  A, f, tau_work;  O(10 nbody depth), plus clearing Y */
CARDAN_API void cardan_regressor(const cardan_model *model, cardan_data *data, const double *a,
                                 double *Y);

/* ---- centre of mass and centroidal momentum of the moving bodies ---- */

/* Centre of mass of a body's subtree (body 0: of all) in world axes [m]; NaN if it has no mass.
 * velocity  out [m/s], NULL: not computed
 * needs     cardan_poses, and cardan_velocities for the velocity;  writes Ic | P, tau_work
 * O(nbody) */
CARDAN_API cardan_vec3 cardan_com(const cardan_model *model, cardan_data *data, int body,
                                  cardan_vec3 *velocity);
/* Jacobian of the centre of mass: its velocity is J v. 3 x nv row-major, out.
 * needs     cardan_poses;  writes Ic;  O(nbody), for a subtree O(nbody depth) */
CARDAN_API void cardan_com_jacobian(const cardan_model *model, cardan_data *data, int body,
                                    double *J);

/* Centroidal momentum: about the centre of mass of all bodies, world axes, angular t, linear f; and
 * the centroidal momentum matrix A6, 6 x nv row-major, out, rows t then f: the momentum is A6 v. A6
 * NULL: not computed.
 * needs     cardan_poses, cardan_velocities;  writes Ic, P, tau_work;  O(nbody) */
CARDAN_API cardan_force cardan_centroidal(const cardan_model *model, cardan_data *data, double *A6);
/* Rate of the centroidal momentum at accelerations data->a: the external wrench. f divided by the
 * mass is the acceleration of the centre of mass.
 * needs     cardan_poses, cardan_velocities;  writes Ic, A (gravity left out);  O(nbody) */
CARDAN_API cardan_force cardan_centroidal_rate(const cardan_model *model, cardan_data *data);

/* ---- models with loops ---- */

/* Change of the velocities under impulses, subject to the constraints:
 *   v+ = v + M^-1 (p + sum J_i^T f_i + G^T L),   G v+ + Phi_t = 0
 * Velocities that violate the constraints are corrected by the least change in the mass metric.
 * f, p      impulses on bodies (nbody, body coordinates) and on velocities (nv); NULL: none
 * impulse   L, nrow, out; of minimum norm if rows are redundant; NULL: not computed
 * writes    v, and all of cardan_kinematics at the new state; factor, rows, tau_work, p, rest, A
 * returns   CARDAN_ERR_NOT_POSDEF, CARDAN_ERR_SINGULAR or CARDAN_ERR_MEMORY with v unchanged.
 * O(nbody) without loops, dense with them; work space as for cardan_forward */
CARDAN_API cardan_status cardan_impulse(const cardan_model *model, cardan_data *data,
                                        const cardan_force *f, const double *p,
                                        double *impulse) CARDAN_MUST_USE;

/* Projects data->a, by the least change in the mass metric, onto accelerations that satisfy the
 * constraints, G a = gamma. Use it for planned accelerations.
 * writes    a, all of cardan_kinematics, factor, rows, lambda (of the change)
 * returns   as cardan_impulse, with a unchanged */
CARDAN_API cardan_status cardan_close_accelerations(const cardan_model *model,
                                                    cardan_data *data) CARDAN_MUST_USE;

/* Inverse dynamics with loops: forces of the given actuators that, with the model's own forces and
 * the multipliers, produce the accelerations a. tau has minimum norm if there are more actuators
 * than degrees of freedom; tau_in and f_in are ignored.
 * a         nv; must satisfy the constraints (cardan_close_accelerations); prescribed entries are
 *           computed from the motions, not read
 * actuated  n velocities (v index), all different, none prescribed
 * tau       n, out;  lambda  nrow, out, of minimum norm; NULL: not computed
 * writes    all of cardan_kinematics, tau, f_ext, rows, A, f, tau_work. Dense, O(nv^3); allocates
 *           work space from the data's allocator and frees it
 * returns   CARDAN_ERR_UNSUPPORTED if there are too few actuators for this motion, or friction;
 *           CARDAN_ERR_ARGUMENT, CARDAN_ERR_SINGULAR, CARDAN_ERR_NOT_FINITE, CARDAN_ERR_MEMORY;
 *           with a sentence in data->info */
CARDAN_API cardan_status cardan_inverse_loops(const cardan_model *model, cardan_data *data,
                                              const double *a, const int *actuated, int n,
                                              double *tau, double *lambda) CARDAN_MUST_USE;

/* ---- energy and momentum ---- */

/* Energies of the moving bodies, without masses fixed to the world [J].
 * needs cardan_velocities | cardan_poses */
CARDAN_API double cardan_kinetic(const cardan_model *model, const cardan_data *data);
CARDAN_API double cardan_potential(const cardan_model *model, const cardan_data *data);
/* Linear momentum f and angular momentum t about the world's origin, world axes. needs
 * cardan_kinematics */
CARDAN_API cardan_force cardan_total_momentum(const cardan_model *model, const cardan_data *data);

/* Reaction wrench of every joint onto the child, in the child frame's axes and about its origin:
 * njoint, out. The component along the joint's motion (driver forces, joint torques) is not
 * included. needs cardan_forward; writes A, f. */
CARDAN_API void cardan_reactions(const cardan_model *model, cardan_data *data,
                                 cardan_force *reaction);
/* Driver force or torque of each joint (prescribed or constrained motion), 0 for other joints:
 * njoint, out. needs cardan_forward. */
CARDAN_API void cardan_driver_forces(const cardan_model *model, cardan_data *data, double *force);

/* Exact derivatives by a parameter. With r = M a + c - Q, where Q are the model's own forces:
 *   r_dp  nv, out: derivative of r at data's q, v, a, u: the change of the joint forces
 *   a_dp  nv, out: derivative of the accelerations, -M^-1 r_dp, kinematic entries 0; NULL: not
 *         computed. Only for models without constraints
 * The parameter may be in masses, inertias, armatures, gravity, springs, dampers, expressions of
 * forces, and constants that are computed from it.
 * needs   cardan_forward                     writes  A, f, p, rest, tau_work, parameter_rate
 * returns CARDAN_ERR_UNSUPPORTED, with a sentence, for a parameter that is used elsewhere: in a
 *         length, an angle, a constraint or motion, an actuator or friction;
 *         CARDAN_ERR_ARGUMENT if there is no parameter of that index */
CARDAN_API cardan_status cardan_parameter_slopes(const cardan_model *model, cardan_data *data,
                                                 int parameter, double *r_dp, double *a_dp,
                                                 cardan_report *report) CARDAN_MUST_USE;

/* Computes the model's outputs at data's t, q, v, u: writes data->y. Calls cardan_forward if an
 * output reads accelerations, multipliers or driver forces; otherwise only positions and velocities
 * are computed. y is NaN for an output that is not defined, such as the logarithm of a negative
 * number.
 * returns as cardan_forward */
CARDAN_API cardan_status cardan_outputs(const cardan_model *model,
                                        cardan_data *data) CARDAN_MUST_USE;

/* Exact derivatives of one output at data's t, q, v by the coordinates (along the directions of
 * cardan_q_move) and by the velocities: y_dq, y_dv: nv each, out.
 * returns false, and zeros, for an output that reads more than t, inputs, coordinates, positions,
 *         velocities and twists: accelerations, orientations, centres of mass, energies, .. */
CARDAN_API bool cardan_output_slopes(const cardan_model *model, cardan_data *data, int output,
                                     double *y_dq, double *y_dv);

#ifdef __cplusplus
}
#endif
