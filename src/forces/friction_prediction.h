/* SPDX-License-Identifier: Apache-2.0
 * forces/friction_prediction.h - friction as a step of given length can take it: joints that stop,
 * and hold.
 *
 * Below the speed vs the law of friction (coulomb.c) is a damper as stiff as limit / vs. A step of
 * length h over which friction stays what it was overshoots as soon as h limit / vs exceeds the
 * mass a few times, and a joint that ought to rest rattles at h limit / mass instead. So a method
 * with fixed steps lets friction act against the velocities that it is going to leave behind:
 *   g = limit s(|w|/vs) w/|w|,   w = u + ahead u',   u' the rate of u under that same g        (G1)
 * Where nothing changes, u' = 0, it is the law as it is: what is at rest, or creeps, does so at
 * the speed that the law has for it. Where sliding continues past the step it is the same force. In
 * between it is what stops the joint, if the limit allows. As a slope on the velocities (G1) is the
 * law and a damper of mass / ahead in series: never stiffer than the step can take.
 *
 * (G1) counts by a part, 1 near rest and 0 where it is not needed, with the law as it is for
 * what remains. With c the change of u that a force of 1 N makes over `ahead`, friction can stop
 * vs + limit c: the part falls to 0 while |u| grows from there to twice that, since the direction
 * of sliding of a joint with several velocities turns, and (G1) would use the one to come; and
 * while limit c falls from vs to vs / 2, where the law is not stiff for the step: a driven joint,
 * which friction does not move, has c = 0. */
#pragma once
#include "forces/forces.h"

/* Dry friction of given size on joints of one velocity, where there is no other friction and no
 * loop: (G1) with vs = 0 is a box, which is solved for as such (dynamics/friction_boxes.c). */
typedef struct {
  int n;            // velocities with such friction; 0: the law is that of stick.c
  double ahead;     // how far they look [s]; 0: the law as it is
  int *velocity;    // n: their indices
  int *side, *kept; // n: 1, -1: slides that way; 0: is held. kept: while a node is published
  double *bound;    // n: the largest friction [N]
  double *armature; // nv: of the joints; of those that are held infinite
  double *given;    // nv: accelerations of joints that are held, or prescribed
  double *load;     // nv: joint forces without friction
} cardan__friction_boxes;

typedef struct cardan__friction_prediction {
  double ahead; // [s]; 0: the law as it is
  cardan__friction_boxes boxes;
  // scratch of stick.c, over the n velocities of elements that may hold
  int n, size;               // size: velocities of all elements with friction
  double *part;              // nforce: of (G1); -1: the element slides, and is not among the n
  bool all;                  // every element looks ahead, as if at rest
  double *without, *seen;    // nv: velocities that friction would see without it; that it sees
  int *velocity;             // size: index of the velocity
  double *length;            // size: r_k, u_k = r_k v_k
  double *C, *J;             // size^2: -dw/dg; Newton's matrix
  double *g, *fresh, *fixed; // size: forces [N]; the new ones; their part that w does not change
  double *w, *w0, *trial;    // size: sliding velocities seen; without friction
  double *residual, *dw;     // size
  int *pivot;                // size
  void *block;
  cardan_allocator allocator;
} cardan__friction_prediction;

/* For a model with friction; CARDAN_OK and NULL for one without. returns CARDAN_ERR_MEMORY */
cardan_status cardan__friction_prediction_create(const cardan_model *model,
                                                 const cardan_allocator *allocator,
                                                 cardan__friction_prediction **out) CARDAN_MUST_USE;
void cardan__friction_prediction_destroy(cardan__friction_prediction *prediction); // NULL is fine

/* None may hold. _find: which more may, at the forces of the last solve; to the n, with the forces
 * of sliding. Returns whether there are any. all: every one, as if at rest. */
void cardan__friction_prediction_clear(const cardan_model *model,
                                       cardan__friction_prediction *prediction);
bool cardan__friction_prediction_find(const cardan_model *model, const cardan__friction_system *s,
                                      bool all);

/* C, by one solve for each of the n velocities, and one more; and the parts of (G1).
 * needs cardan__friction_prediction_find */
void cardan__friction_prediction_probe(const cardan_model *model, const cardan__friction_system *s);

/* (G1) for the limits there are, to s->force (and s->tau), from what the last solve shows; returns
 * the largest change of a force [N], in *joint where it is. needs cardan__friction_prediction_probe
 * */
double cardan__friction_prediction_hold(const cardan_model *model, const cardan__friction_system *s,
                                        int *joint);
