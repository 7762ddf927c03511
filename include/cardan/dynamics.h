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

/* Joint-space inertia matrix, row-major nv x nv, both triangles. needs cardan_joints; writes p */
CARDAN_API void cardan_crba(const cardan_model *model, cardan_data *data, double *M);

/* Articulated-body factorisation of M(q). needs cardan_joints; writes factor, multi.
 * returns CARDAN_ERR_NOT_POSDEF and the body in data->info when a joint has no inertia to push
 * against. Kinematic joints count as locked. */
CARDAN_API cardan_status cardan_factor(const cardan_model *model,
                                       cardan_data *data) CARDAN_MUST_USE;

/* a = M^-1 (tau + sum J_i^T f_i). needs cardan_factor. f: nbody wrenches or NULL; tau: nv or NULL;
 * a: nv, out, may be tau; kinematic entries come out 0. writes p, u, A. */
CARDAN_API void cardan_factor_solve(const cardan_model *model, cardan_data *data,
                                    const cardan_force *f, const double *tau, double *a);

/* Forward dynamics of the tree: a from tau and f_ext; kinematic entries of a are read, not written,
 * and their tau is then the driver's force, left in data->u.
 * needs cardan_joints, cardan_velocities, cardan_factor. a may be data->a. writes A0, A, p, u. */
CARDAN_API void cardan_aba(const cardan_model *model, cardan_data *data, const double *tau,
                           double *a);

/* Hamilton's side of the tree: momenta p = M v, one for each velocity; for spherical and free
 * joints they belong to quasi-velocities. Of kinematic joints the momentum is not a variable: p
 * holds what it is, but nothing reads it. All O(nbody).
 * momenta        p (nv, out) from data's twists      needs cardan_velocities; writes P
 * _velocities    v = M^-1 p; kinematic entries of v are read, not written
 *                needs cardan_joints, cardan_factor; writes v (nv, may be data->v), V, p, u
 * _rates         pdot (nv, out) = -dH/dq + tau + sum J_i^T f_ext_i, in quasi-momenta where they are
 *                needs joints, V, v, f_ext; writes P, g, T
 * _accelerations a from pdot, kinematic entries of a are read; a may be data->a
 *                needs _rates and cardan_factor at the same state, data->v; writes a, p, u, A
 *                (rates of
 *                the twists, gravity left out), and f: the wrench through each body's joint */
CARDAN_API void cardan_momenta(const cardan_model *model, cardan_data *data, double *p);
CARDAN_API void cardan_momenta_velocities(const cardan_model *model, cardan_data *data,
                                          const double *p, double *v);
CARDAN_API void cardan_momenta_rates(const cardan_model *model, cardan_data *data,
                                     const double *tau, double *pdot);
CARDAN_API void cardan_momenta_accelerations(const cardan_model *model, cardan_data *data,
                                             const double *pdot, double *a);

/* The whole model at data's t, q, v: prescribed motion, forces (tau, f_ext), friction, loops.
 * writes everything: X, X_W, V, A0, tau, f_ext, factor, rows, lambda, a.
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
 * cardan_slopes_reserve takes that now, of the data's allocator: about 8 (3 nv^2 + 90 nbody) bytes;
 * nothing at a second call. */
CARDAN_API cardan_status cardan_inverse_slopes(const cardan_model *model, cardan_data *data,
                                               const double *a, double *tau_dq, double *tau_dv,
                                               double *M) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_forward_slopes(const cardan_model *model, cardan_data *data,
                                               double *a_dq, double *a_dv,
                                               double *a_dtau) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_slopes_reserve(const cardan_model *model,
                                               cardan_data *data) CARDAN_MUST_USE;

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

#ifdef __cplusplus
}
#endif
