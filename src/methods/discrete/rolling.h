/* SPDX-License-Identifier: Apache-2.0
 * discrete/rolling.h - rows of velocity level in a step of discrete mechanics (rolling.c). */
#pragma once
#include "methods/discrete/discrete.h"

/* Rows of velocity level at a node: kicks K = A^T S^-1/2 (n x nv), and, where a step may hold
 * cones, B = S^-1/2 A M_G^-1 (n x nv) and S^-1/2 b. */
typedef struct {
  double *K, *B, *b;
} cardan__rolling_node;

typedef struct cardan__rolling {
  int n, nstage; // rows of velocity level; stages of a step
  int *row;      // n: where they are among the model's
  int *slot;     // nrow: which of them a row is, -1: none
  int *order;    // n: scratch
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
  cardan__rolling_node at[2];          // the node, and the end of the step
  double speed;                        // sqrt(2 T)
  double noise;                        // in e, times h: what tolerances of rows leave
  double least;                        // eigenvalue of S that counts,
  int least_row;                       // and the row of the model that it is of
  bool fresh;                          // at[0] is that of the node
  // (K3)
  double *e, *nu, *f, *f_old, *nu_old; // n
  int *have;                           // nstage: values of nu in history
  double *history;                     // nstage x 2 x n: the last one, and the one before
  double *lambda, *x, *kick, *q;       // of the round before; nv; nq
  bool again;                          // the search starts from x as it is
  // held cones (rolling_contact.c)
  int nheld;               // most rows of them; 0: none are ever held
  double *J;               // nheld x nv: their rows at the node, on the motions that A leaves
  double *driven;          // nheld: work of what moves A, per impulse of the row
  double *dp, *q_node;     // nv; nq: where the step began
  cardan__row_reach whole; // of J: all velocities
  size_t nkept;
  char *kept; // nkept: the state of the node
} cardan__rolling;

/* At least the bytes of its part of the state. */
static inline size_t cardan__rolling_state(const cardan_model *model, int nstage)
{
  const size_t n = 2 * (size_t)model->nvelocity_row + 2;
  return model->nvelocity_row > 0 ? n * (size_t)nstage * sizeof(double) : 0;
}

/* What the engine does for a step with kicks (compose.c).
 * plain     a step of order 2
 * test      may it end where it did? asked when the kicks have settled
 * exchange  the state of the node to kept, or back from there */
typedef struct {
  cardan__attempt (*plain)(cardan__discrete *d, double h, double t_end);
  cardan__attempt (*test)(cardan__discrete *d);
  void (*exchange)(cardan__discrete *d, char *kept, bool restore);
} cardan__rolling_calls;

/* state: bytes of cardan__compose_state without it. nheld: most rows of held cones
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__rolling_create(const cardan_model *model, int nstage, size_t state, int nheld,
                                     const cardan_allocator *allocator,
                                     cardan__rolling **out) CARDAN_MUST_USE;
void cardan__rolling_destroy(cardan__rolling *s, const cardan_allocator *allocator);

/* rolling_rows.c; _substep: rolling.c
 * _spans  what of it is part of the state;  _start  a run begins
 * _forget    nu of the steps before says nothing of the next
 * _evaluate  rows in the middle of x: border.Gk, value
 * _values, _rows  to phi, and to G, where border.row has them
 * _rate      b_m of a row of the model
 * _end       at the root: half of the impulses to end, before the node moves
 * _leave     and to the new node
 * _look      at the node, if that has not been done: at[0]; a failure is in node->info
 * _substep   a step of order 2, with kicks around it
 * rolling_contact.c
 * _hold      a step begins that holds cones: border.J
 * _share     impulses dp (nv) at the node with those of rows that they call for. needs _look
 * _driven    work of what moves the rows, in the step that was found */
void cardan__rolling_spans(cardan__rolling *s, cardan__spans *list);
void cardan__rolling_start(cardan__rolling *s);
void cardan__rolling_forget(cardan__rolling *s);
void cardan__rolling_evaluate(cardan__discrete *d);
void cardan__rolling_values(const cardan__discrete *d, double *phi);
void cardan__rolling_rows(const cardan__discrete *d, double *G);
cardan_status cardan__rolling_look(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__rolling_hold(cardan__discrete *d);
const double *cardan__rolling_share(cardan__discrete *d, const double *dp);
void cardan__rolling_driven(cardan__discrete *d);
double cardan__rolling_rate(const cardan__discrete *d, int row);
void cardan__rolling_end(cardan__discrete *d);
void cardan__rolling_leave(cardan__discrete *d);
cardan__attempt cardan__rolling_substep(cardan__discrete *d, double h, double t_end,
                                        const cardan__rolling_calls *calls) CARDAN_MUST_USE;
