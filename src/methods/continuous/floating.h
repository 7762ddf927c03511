/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/floating.h - velocities and momenta of floating bodies in axes of the world,
 * inside an integrator.
 *
 * The velocity of a free joint is a twist in axes of its body. Of a body that spins, its linear
 * part turns with the body though no force acts: at 100 rad/s an integrator with steps of 0.01 s
 * loses a part of it in every step. So the state of an integrator has, of each free joint on the
 * world, with R from axes of the body to those of the joint, and c its own centre of mass:
 *   velocities (w, v)   x_w = w,           x_v = R (v + w x c)                            (F1)
 *                       v = R^T x_v - w x c                                               (F2)
 *                       x_v' = R (v' + w' x c + w x (v + w x c))                          (F3)
 *                       p' = x_v - R (w x c), the rate of its place                       (F4)
 *   momenta (t, f)      x_w = t - c x f,   x_v = R f                                      (F5)
 *                       x_w' = t' - c x f',   x_v' = R (f' + w x f)                       (F6)
 *   errors              d = rotation in axes of the body between two near quaternions:
 *                       dv = R^T dx_v - d x R^T x_v - dw x c,  df = R^T dx_v - d x f      (F7)
 * Where no force acts, x_v' is 0 but for rounding, and x_v constant by every integrator. It is the
 * velocity of the body's centre of mass, or the momentum of all that hangs on it. A velocity that
 * is added to everything changes nothing else: joints move as if it were not there. Quaternions of
 * any length count as normalised. */
#pragma once
#include "cardan/model.h"
#include "spatial/spatial.h"

typedef struct {
  int q, v;      // of its first coordinate (the place) and velocity
  cardan_vec3 c; // as the list was made: steppers keep what they computed from a model
  cardan_mat3 R; // at the place that was read last
} cardan__floating;

/* How many there are; list: out, NULL or so many. */
int cardan__floating_list(const cardan_model *model, cardan__floating *list);

/* R at coordinates q (nq). The other calls need it. */
void cardan__floating_place(int n, cardan__floating *list, const double *q);

/* (F1), (F2) in place, over nv velocities. */
void cardan__floating_to_world(int n, const cardan__floating *list, double *v);
void cardan__floating_to_body(int n, const cardan__floating *list, double *x);

/* (F3) in place: accelerations (nv) become rates of x; v: velocities. */
void cardan__floating_rates(int n, const cardan__floating *list, const double *v, double *a);

/* (F4) into q' (nq); x: the state. */
void cardan__floating_places(int n, const cardan__floating *list, const double *x, double *qdot);

/* q' (nq) as cardan_q_dot has it, with (F4); x NULL: place' = R v. Fast where floating bodies are
 * the only joints of several velocities. */
void cardan__floating_q_dot(const cardan_model *model, int n, const cardan__floating *list,
                            const double *q, const double *v, const double *x, double *qdot);

/* Turns floating bodies of q (nq) by h w: where momenta after a kick of h are those in their
 * axes. */
void cardan__floating_turn(int n, const cardan__floating *list, double h, const double *v,
                           double *q);

/* place' = R v into q' (nq), from velocities (nv) in axes of bodies that were turned so. */
void cardan__floating_body_places(int n, const cardan__floating *list, const double *v,
                                  double *qdot);

/* (F5) in place, over nv momenta, and back. */
void cardan__floating_momenta_to_world(int n, const cardan__floating *list, double *p);
void cardan__floating_momenta_to_body(int n, const cardan__floating *list, double *x);

/* (F6) in place: rates of momenta (nv) become rates of x; v: velocities. */
void cardan__floating_momenta_rates(int n, const cardan__floating *list, const double *v,
                                    const double *x, double *pdot);

/* (F7) in place: errors of x (nv) at the state (q, x) become those of velocities, or of momenta;
 * e_q: errors of q. */
void cardan__floating_errors(int n, const cardan__floating *list, bool momenta, const double *q,
                             const double *x, const double *e_q, double *e);
