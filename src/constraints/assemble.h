/* SPDX-License-Identifier: Apache-2.0
 * constraints/assemble.h - the Newton iteration that closes loops, for assembly and rank analysis.
 *
 * Everything is scaled so that 1 is a large violation and a large step: rows by their length,
 * lengths among the coordinates by the size of the mechanism. */
#pragma once
#include <math.h>

#include "cardan/constraints.h"

/* Largest number of entries of J that dense linear algebra is given. */
enum { CARDAN__DENSE_ROWS = 50000000 };

typedef struct {
  const cardan_model *model;
  cardan_data *data;  // q is moved; X, X_W and rows follow
  bool *locked;       // nv: the velocity is not free
  bool *active;       // nrow: the row counts
  double *unit;       // nv: 1 for angles, the size of the mechanism for lengths
  double *J;          // nrow x nv, scaled
  double *b, *x;      // nrow, nv
  double *q;          // nq
  double *seed, *end; // nq: where it began, and where truncated steps ended
  double rcond;       // of J: what is less of the largest singular value is none
  double open;        // violation that the data leave, at the last place closed [m or rad]
  double *work;
  int *index;   // nv
  bool large;   // too large for a rank-revealing step in reasonable time
  double merit; // sum of squares of the scaled violations of active rows
  double worst; // largest violation of an active row [m or rad]
  int worst_row;
  int iterations, kicks;
  void *block;
} cardan__assembler;

/* Is a coordinate of the body marked `fixed`? Then all of them are. */
static inline bool cardan__body_fixed(const cardan_model *model, int body)
{
  const cardan_body *b = &model->body[body];
  bool fixed = false;
  for (int i = b->qadr; i < b->qadr + b->nq; i++) {
    fixed = fixed || model->q_fixed[i];
  }
  return fixed;
}

/* What the digits of data that contradict one another, and leave a loop open, leave of the rows'
 * directions: some of their last digit, which need not show in the loop itself. 0 for others. */
static inline double cardan__open_digits(const cardan_model *model, double open)
{
  return open > 0.0 ? fmin(1e-3, 3.0 * model->closing / (1.0 + model->size_length)) : 0.0;
}

/* The same, with rows that are redundant to within the digits. */
static inline double cardan__digits(const cardan_model *model, double open)
{
  const double left = cardan__open_digits(model, open);
  return model->near > 0.0 ? fmax(left, model->rank_tol) : left;
}

/* More rows or columns than pivoting treats in reasonable time. */
bool cardan__assembler_large(const cardan_model *model);

/* All rows active but those of velocity level, which hold no position; kinematic coordinates and
 * (with_fixed) those marked fixed locked. returns CARDAN_ERR_MEMORY; or CARDAN_ERR_UNSUPPORTED for
 * more than CARDAN__DENSE_ROWS entries */
cardan_status cardan__assembler_open(cardan__assembler *as, const cardan_model *model,
                                     cardan_data *data, bool with_fixed) CARDAN_MUST_USE;
void cardan__assembler_close(cardan__assembler *as);

/* Violations at data->q: X, X_W, rows.phi, merit, worst. */
void cardan__assembler_look(cardan__assembler *as);

/* Scaled J over active rows and free coordinates at data->q, which was looked at. Columns of locked
 * coordinates and rows that are not active are 0. */
void cardan__assembler_linearise(cardan__assembler *as);

/* Moves data->q to where all active rows are closed; false when it found no such place. */
bool cardan__assembler_close_loops(cardan__assembler *as);

/* The same with coordinates that were given (nq) where they are, or nearly; for an assembler with
 * fixed ones. false, and data->q as it was, where there is no such place, or nothing to choose, and
 * for large models. */
bool cardan__assembler_keep(cardan__assembler *as, const bool *given);

/* J v + phi_t at data's v, to rate (nrow); returns the largest one relative to what it is a sum of,
 * and where. needs poses and rows.w, c at data's q (velocities.c) */
double cardan__rates_look(const cardan_model *model, cardan_data *data, double *rate, int *row);

/* Moves data->v to where all rates are 0, velocities that were given first to be kept. given: nv
 * needs   cardan__assembler_look at data's q;  spoils  as->J, b, x
 * returns CARDAN_ERR_ASSEMBLY and a sentence, with data->v spoilt; CARDAN_ERR_MEMORY */
cardan_status cardan__close_velocities(cardan__assembler *as, const bool *given,
                                       cardan_report *report) CARDAN_MUST_USE;

/* q and v with the frames of the model's poses where they are to be, as they are to move, from
 * data's q and v (pose.c). needs npose > 0
 * returns CARDAN_ERR_ASSEMBLY and a sentence, at the line of the pose that is missed most;
 *         CARDAN_ERR_MEMORY; q and v are then somewhere */
cardan_status cardan__go_to_poses(const cardan_model *model, cardan_data *data,
                                  cardan_report *report) CARDAN_MUST_USE;

/* Moves data's q to where the loops are closed, or nearly, and limited joints are inside their
 * limits, from a seed (nq) and places around it; for a start of which cardan_assemble left limits.
 * keep: nq, coordinates that stay. *closed: false where no such place was found, with q somewhere,
 * and for large models (inverse_kinematics.c).
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__close_within_limits(const cardan_model *model, cardan_data *data,
                                          const double *seed, const bool *keep,
                                          bool *closed) CARDAN_MUST_USE;

/* Both for a large model without dense matrices (close_many.c). *closed: it did; else data's q and
 * v are somewhere on the way.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__close_many(const cardan_model *model, cardan_data *data, const bool *v_given,
                                 cardan_assembly *result, bool *closed) CARDAN_MUST_USE;

/* The first constraint that is closed in a wrong sense: its axes point against each other, or its
 * frames are half a turn apart where they are to agree. -1: none. needs cardan_poses (sense.c) */
int cardan__wrong_sense(const cardan_model *model, const cardan_data *data);

/* A model and data with more rows, of which wrong senses are no roots: for an assembler. q and all
 * but the rows are those of the model and data it was made from, and so is whatever moves. */
typedef struct {
  cardan_model model;
  cardan_data data;
  void *block;
} cardan__sensed;

/* returns CARDAN_ERR_MEMORY */
cardan_status cardan__sensed_open(cardan__sensed *s, const cardan_model *model,
                                  cardan_data *data) CARDAN_MUST_USE;
void cardan__sensed_close(cardan__sensed *s);

/* Where rank.c looks: the start and places with and beside its velocity, so far away; a row of
 * which others leave no more than rcond counts as given by them. */
typedef struct {
  int places;
  double along, beside, rcond;
} cardan__rank_options;

/* model->rank and row_redundant of a large model around data's assembled state, without dense
 * matrices (close_many.c). Drivers stay where they are. *done: false where the model has no kkt.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__rank_many(cardan_model *model, cardan_data *data,
                                const cardan__rank_options *options, bool *done) CARDAN_MUST_USE;

/* x (n, out): pseudo-random numbers up to size, the same on every machine; a number, a pattern
 * (newton.c). */
void cardan__random_step(int n, double size, int number, double *x);

/* Adds pseudo-random steps of up to size (scaled) to the free coordinates; a number, a pattern. */
void cardan__assembler_shake(cardan__assembler *as, double size, int number);

/* The same, less what the active rows do not allow to first order. */
void cardan__assembler_stray(cardan__assembler *as, double size, int number);

/* Are all rows at data's q, with prescribed coordinates locked, independent beyond doubt? Nothing
 * dense is made. needs cardan_poses; writes data->rows.w and c
 * returns 1: yes; 0: it cannot be decided; -1: no memory (rank_sparse.c) */
int cardan__rows_surely_independent(const cardan_model *model, cardan_data *data);

/* Decides, once and for all, which rows are redundant: assembles the model's start and a few
 * configurations around it, and takes the rank that is the rule there. The last part but one of
 * building a model (dynamics/set_parameters.c).
 * writes  model->row_redundant, row_shared, rank, mobility, and a warning for a model too large to
 *         decide
 * returns as cardan_assemble; then every row counts as independent (rank.c) */
cardan_status cardan__model_analyze(cardan_model *model, cardan_report *report) CARDAN_MUST_USE;
