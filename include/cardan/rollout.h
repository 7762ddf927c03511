/* SPDX-License-Identifier: Apache-2.0
 * cardan/rollout.h - runs many copies of one model on threads.
 *
 *   x_{k+1} = F(x_k, u_k; p),   k = 0 .. nstep - 1,   for each copy its own x_0, u and p
 * The result of each copy is that of a loop over cardan_sim_create, _start and _step. It is bitwise
 * the same if copies run one by one, as with option lanes "off". It agrees to round-off (vi: to the
 * tolerance of its root finder) if several copies run at once in the lanes of vector registers.
 * Lanes are used if all of these hold:
 *   model    a tree of revolute, prismatic, helical, spherical and free joints without contacts,
 *            with gravity, and damping, springs and actuators in joints as forces
 *   method   vi of order 2, or aba with integrator semi-implicit or rk4
 *   options  not strict, and no parameters that differ between copies
 * A copy that may reach a limit of a joint is stepped by itself until it is clear of it, and then
 * returns to its lane. A copy that fails in a lane is run again by itself. The bits of a copy never
 * depend on the number of threads, on the thread that runs it, or on the other copies. */
#pragma once
#include <stdint.h>

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Result of a copy: status and messages. */
typedef struct {
  cardan_status status;
  char message[512]; // "" or why it failed
  char note[512];    // what its start had to change (cardan_sim_note), and its warning, or ""
                     // (cardan_sim_warning), one by one at some methods' steps too
  cardan_error_estimate error; // of the coordinates (cardan_stats)
  double drift;                // largest of the energy balance at checked nodes [J]; NaN: not known
} cardan_rollout_end;

/* Arguments of a rollout. Initialise with {0} or designated initialisers; every pointer except
 * model and options may be NULL. All arrays are row-major and packed; the first index is the copy.
 * A row is the start and every options->every-th node after it: nrow = nstep / every + 1.
 * model    shared, not changed; a keyframe in options is the start of all copies
 * nthread  number of threads, including the caller's: at most nbatch and 256; 0: the number of
 *          cores
 *          that this thread may run on
 * q0, v0   nbatch x nq, nbatch x nv: starts, whose loops are closed; NULL: the model's own
 * u        nbatch x nstep x ninput: inputs, each held over its step; NULL: the model's own values.
 *          Those of inputs that have a controller are not read
 * param    nbatch x nparameter, in place of the model's values (as cardan_model_set, in a copy of
 *          the model, but all at once: only together they have to be valid); entries of parameters
 *          that are computed from others are not read. NULL: the model's own
 * q, v, y  out: nbatch x nrow x nq, x nv, x ny: coordinates, velocities and outputs. Outputs see
 *          the inputs of the step that begins at the node; at the last node, of the one that ended
 * status   out: nbatch: how each copy ended. It fails where cardan_run would: a step, a node that
 *          has no velocities, a loop that opened, a motion that blew up, with option strict a
 *          warning. Its rows up to the
 *          last good one are kept; those after it are NaN. The others continue
 * end      out: nbatch: the same with messages. Warnings are then checked at every tenth node too,
 *          in less than 1000 steps one by one at each; without ends, and without option strict, at
 *          rows, and at every tenth node where rows are further apart. Ends are written also where
 *          nothing else is: CARDAN_OK and "" for all, while the call itself fails */
typedef struct {
  const cardan_model *model;
  const cardan_options *options;
  int nthread, nbatch;
  int64_t nstep;
  const double *q0, *v0, *u, *param;
  double *q, *v, *y;
  cardan_status *status;
  cardan_rollout_end *end;
} cardan_rollout_args;

/* Runs nbatch copies, nstep steps of options->dt each. Memory is allocated for each thread, and for
 * each copy that has parameters of its own or follows a failed one; none in steps. If the BLAS of
 * this process is OpenBLAS, it uses one thread while such calls run, and then its setting is
 * restored.
 * returns CARDAN_OK if no copy failed; else the status of the first failed copy, and in report
 *         "copy K: ", its message, and how many failed;
 *         CARDAN_ERR_ARGUMENT for negative counts, values that are not finite, an entry of param
 *         that cardan_model_set rejects, or options out of bounds; what cardan_sim_create returns
 *         where param is NULL; CARDAN_ERR_MEMORY: report then names no copy, and nothing is written
 *         to q, v, y and status */
CARDAN_API cardan_status cardan_rollout(const cardan_rollout_args *args,
                                        cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
