/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/lanes.h - several copies of one model, computed at once: one in each lane of vector
 * registers.
 *
 *   kernels/real.h   a number of each copy; kernels/space.h: vectors, rotations, inertias of these
 *   kernels/root_policy.h  when the root finder of method vi accepts what it found
 *   model.h          what copies share
 *   joints.h         joints, velocities; inverse.h and forward.h the dynamics
 *   limits.h  which copies may reach a limit of a joint
 *   semi_implicit.h  a step of method aba, integrator semi-implicit
 *   rk4.h            the same, integrator rk4
 *   lanes_vi.h       a step of method vi
 *   width.h          the table below, of the width that a file asks for: width_1.c, _4.c, _8.c
 *
 * Kernels have no recursion, allocate nothing, and see flat arrays whose sizes the model tells. A
 * copy's bits are the same in every lane and width, whatever its neighbours are. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch/lanes/model.h"
#include "cardan/options.h"

/* Copies in lanes. Arrays are aligned to 64 bytes; number k of copy l stands at [k * width + l]. */
typedef struct {
  double *q, *v;        // nq, nv: the state; quaternions are of unit length
  double *u;            // ninput
  double *a, *tau;      // nv: accelerations; joint forces
  double *power;        // 1: of these, without that of springs [W]
  int64_t *evaluations; // 1: of method vi since the start, by the group
  int64_t *left; // 1: -1 in the lane of a copy that failed (not finite, a pivot, an angle beyond
                 // 2^20 quarter turns, no convergence); the other data of the lane are then invalid
  double *node_q, *node_v, *node_done; // nq, nv, 1: q, v and done of the node before, in the lanes
                                       // of fallback
  double *foot, *node_foot; // 2 nfoot: of each foot that is closed its normal impulse of the first
                            // half of the last step [N s], and the trace of its G over the tangents
                            // [1/kg], as enter reads them; and those of node_q
  int64_t *fallback; // 1: -1 in the lane of a copy that may reach a limit of a joint in the last
                     // step, which it did not take; left is set, too
  double *done; // 1: work done since the start by what has no potential [J]; a stepper adds to it
  double *work; // of the kernels
  void *block;  // start of the memory
  size_t size;  // of all this, from here on: a copy of these bytes is a state [bytes]
} cardan__lanes;

/* Copies n numbers of one copy into its lane, and back; to NULL: does nothing. */
static inline void cardan__lanes_put(double *to, int width, int lane, const double *from, int n)
{
  for (int k = 0; k < n; k++) {
    to[k * width + lane] = from[k];
  }
}

static inline void cardan__lanes_get(const double *from, int width, int lane, double *to, int n)
{
  for (int k = 0; k < n && to != NULL; k++) {
    to[k] = from[k * width + lane];
  }
}

/* A method in lanes.
 * size    doubles that it needs in work
 * start   at q and v, for steps of options->dt
 * step    from t to t + h; u is held
 * node    v of the node that q is at, where step leaves it to the rows; NULL: it is there
 * enter   starts lanes (-1 in on, else 0) at their q and v, as node k after a step of length h; the
 *         other lanes keep their state; NULL: nothing is to be done */
typedef struct {
  size_t (*size)(const cardan__lanes_model *model);
  void (*start)(const cardan__lanes_model *model, cardan__lanes *lanes,
                const cardan_options *options);
  void (*step)(const cardan__lanes_model *model, cardan__lanes *lanes, double h);
  void (*node)(const cardan__lanes_model *model, cardan__lanes *lanes);
  void (*enter)(const cardan__lanes_model *model, cardan__lanes *lanes, const int64_t *on,
                int64_t k, double h);
} cardan__lanes_stepper;

/* Lanes are entered at nodes whose number is a multiple of this: there, method vi measures the
 * scales of residuals. */
enum { CARDAN__LANES_ENTRY = 8 };

/* Evaluations that a search of method vi takes at most: fewer than the scalar code's
 * CARDAN__SEARCH_MOST, because all copies of a group wait for the last. */
enum { CARDAN__LANES_SEARCH = 12 };

/* The kernels of one width.
 * inverse  tau from q, v, a: as cardan_inverse, without applied forces
 * loads    tau from q, v, u: the model's springs, damping and actuators; their power but of springs
 *          to power
 * forward  a from q, v, tau: as cardan_forward, without applied forces
 * size     doubles that these need in work */
typedef struct {
  int width;
  bool fused; // does madd round once?
  size_t (*size)(const cardan__lanes_model *model);
  void (*inverse)(const cardan__lanes_model *model, cardan__lanes *lanes);
  void (*loads)(const cardan__lanes_model *model, cardan__lanes *lanes);
  void (*forward)(const cardan__lanes_model *model, cardan__lanes *lanes);
  cardan__lanes_stepper semi_implicit, rk4; // of method aba
  cardan__lanes_stepper vi;
} cardan__lanes_kernels;

/* The kernels that this processor can run, by index, the widest first; NULL after the last. */
const cardan__lanes_kernels *cardan__lanes_kernels_at(int index);

/* Room for copies in lanes, with so many doubles of work; NULL: no memory. */
cardan__lanes *cardan__lanes_create(const cardan__lanes_model *model, int width, size_t work);
void cardan__lanes_destroy(cardan__lanes *lanes); // NULL is fine
