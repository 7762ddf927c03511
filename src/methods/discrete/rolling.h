/* SPDX-License-Identifier: Apache-2.0
 * discrete/rolling.h - rows of velocity level in a step of discrete mechanics (rolling.c). */
#pragma once
#include "methods/discrete/discrete.h"

typedef struct cardan__rolling {
  int n, nstage; // rows of velocity level; stages of a step
  int *row;      // n: where they are among the model's
  int *slot;     // nrow: which of them a row is, -1: none
  // the middle of the step under way
  cardan_data *middle;
  double *R;         // nrow x nv: all rows, in the middle or at a node
  double *Gk, *Gn;   // n x nv: half of A_m in axes of node k; A_m in those of the end
  double *value, *b; // n: A_m x - h b_m, b_m
  double *y;         // nv: x, of free joints their turn and way
  double *end;       // nv: half of the rows' impulse, for the end
  // a node
  double *W, *S, *root, *size, *eigen; // n x nv, n x n, n x n, n
  double *free;                        // n: the diagonal of S without loops
  double *gap;                         // nrow
  double *K[2];                        // n x nv: at the node, and at the end of the step
  double speed;                        // sqrt(2 T)
  double noise;                        // in e, times h: what tolerances of rows leave
  double least;                        // eigenvalue of S that counts,
  int least_row;                       // and the row of the model that it is of
  bool fresh;                          // K[0] is that of the node
  // (K3)
  double *e, *nu, *f, *f_old, *nu_old; // n
  int *have;                           // nstage: values of nu in history
  double *history;                     // nstage x 2 x n: the last one, and the one before
  double *lambda, *x, *kick, *q;       // of the round before; nv; nq
  bool again;                          // the search starts from x as it is
  size_t nkept;
  char *kept; // nkept: the state of the node
} cardan__rolling;

/* At least the bytes of its part of the state. */
static inline size_t cardan__rolling_state(const cardan_model *model, int nstage)
{
  const size_t n = 2 * (size_t)model->nvelocity_row + 2;
  return model->nvelocity_row > 0 ? n * (size_t)nstage * sizeof(double) : 0;
}

/* state: bytes of cardan__compose_state without it. returns CARDAN_ERR_MEMORY */
cardan_status cardan__rolling_create(const cardan_model *model, int nstage, size_t state,
                                     const cardan_allocator *allocator,
                                     cardan__rolling **out) CARDAN_MUST_USE;
void cardan__rolling_destroy(cardan__rolling *s, const cardan_allocator *allocator);

/* _spans  what of it is part of the state;  _start  a run begins
 * _evaluate  rows in the middle of x: border.Gk, value
 * _values, _rows  to phi, and to G, where border.row has them
 * _rate      b_m of a row of the model
 * _end       at the root: half of the impulses to end, before the node moves
 * _leave     and to the new node
 * _substep   a step of order 2: `plain`, with kicks around it */
void cardan__rolling_spans(cardan__rolling *s, cardan__spans *list);
void cardan__rolling_start(cardan__rolling *s);
void cardan__rolling_evaluate(cardan__discrete *d);
void cardan__rolling_values(const cardan__discrete *d, double *phi);
void cardan__rolling_rows(const cardan__discrete *d, double *G);
double cardan__rolling_rate(const cardan__discrete *d, int row);
void cardan__rolling_end(cardan__discrete *d);
void cardan__rolling_leave(cardan__discrete *d);
cardan__attempt
cardan__rolling_substep(cardan__discrete *d, double h, double t_end,
                        cardan__attempt (*plain)(cardan__discrete *d, double h,
                                                 double t_end)) CARDAN_MUST_USE;
