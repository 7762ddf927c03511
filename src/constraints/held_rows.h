/* SPDX-License-Identifier: Apache-2.0
 * constraints/held_rows.h - what a step holds beside the constraints of the model: one set of rows.
 *
 * Contacts and limits fill such a set before each step (contact/contact_rows.c); so can whatever
 * constrains velocities. A method solves for the impulses of the rows and knows nothing else of
 * them. Over a step of length h a row has a value s and a target s_0, by its level:
 *
 *   POSITION  s: where the step ends, a gap [m or rad];      it asks for s - s_0,    s_0 in m, rad
 *   VELOCITY  s: what the step moves along the row [m, rad];  it asks for s - h s_0,  s_0 in m/s,
 *             rad/s
 *
 * and the impulses act along J, the rows at the node where the step begins. What a row asks for is
 * 0 (equalities), or it is one row of a cone: with u = (what it asks for) / h and r its impulse,
 * (N) of cones/ncp.h. A cone without friction is a half-line: r >= 0, u >= 0, r u = 0.
 *
 * A set consists of data, and of calls (cardan__held_calls) for values that depend on the end of
 * the step. Nothing here allocates. */
#pragma once
#include "base/attempt.h"
#include "cardan/data.h"
#include "cones/ncp.h"
#include "constraints/row_reach.h"

typedef struct cardan__held_rows cardan__held_rows;

typedef enum { CARDAN__POSITION_LEVEL, CARDAN__VELOCITY_LEVEL } cardan__row_level;

/* The end of a step that a method has solved, before it is accepted. */
typedef struct {
  const double *q_node, *dq; // nq, nv: the node, and the displacement from it
  const double *q;           // nq: where the step ends
  double t, h;               // when; the length of the step
  const double *asked;       // nrow: what the rows of cones ask for
  cardan_data *data;         // scratch
  double dt;                 // length of a whole step of the run
} cardan__held_end;

/* self: cardan__held_rows.self. end, middle: placements and poses are made on demand.
 * values   s of all rows at end, to equal (equal.n) and cones (nrow)
 * rows     D = ds/dv at end, to equal and cones (rows of nv)
 * load     wrenches and joint forces of impulses r over half a step of length h, onto the inputs of
 *          middle, for friction in joints. NULL: there are none
 * test     may the step end there? impulse, residue of the set are those of the step
 * adds_up  does an error in the end of the step add up over steps, so that it is solved to
 *          rounding? guessed: the guess was accepted as it was
 * solved   counts a problem (N) in statistics. NULL: not counted
 * publish  as cardan__method.publish, with the forces of the rows. NULL: cardan_forward
 * name     what messages call row `row` of the equalities, or cone `cone`; the other is -1
 * Of sets for methods of continuous time, else NULL (contact/contact_forces.c):
 * forward  cardan_forward with forces that give held rows no acceleration; force: n, out, or NULL
 * settle   the same at a node: a row that would pull is let go
 * project  v (nv) less what the held rows take from it; p (nv) += their impulses
 * stop     the held velocities among v (nv) become 0
 * close    q and v of data go to the targets of held rows */
typedef struct {
  void (*values)(const cardan__held_rows *held, cardan_data *end, double *equal, double *cones);
  void (*rows)(const cardan__held_rows *held, cardan_data *end, double *equal, double *cones);
  void (*load)(const cardan__held_rows *held, cardan_data *middle, double h, const double *r);
  cardan__attempt (*test)(cardan__held_rows *held, const cardan__held_end *end);
  bool (*adds_up)(const cardan__held_rows *held, bool guessed);
  void (*solved)(cardan__held_rows *held, const cardan__ncp *problem);
  cardan_status (*publish)(cardan__held_rows *held, cardan_data *data);
  void (*name)(const cardan__held_rows *held, int row, int cone, char *text, size_t size);
  cardan_status (*forward)(cardan__held_rows *held, cardan_data *data, double kq, double kv,
                           double *force);
  cardan_status (*settle)(cardan__held_rows *held, cardan_data *data, double kq, double kv);
  cardan_status (*project)(cardan__held_rows *held, cardan_data *data, double *v, double *p);
  void (*stop)(const cardan__held_rows *held, double *v);
  cardan_status (*close)(cardan__held_rows *held, cardan_data *data);
} cardan__held_calls;

/* Rows of two-sided constraints, n of them. */
typedef struct {
  int n;
  cardan__row_level *level;
  double *J;       // n x nv, at the node
  double *target;  // n: s_0
  double *start;   // n: warm start, impulses per second
  double *impulse; // n, out
} cardan__held_equalities;

/* Is a step asked to be one at rest, in which nothing moves and the impulses are those to start
 * from? Then no rows are made and no problem is solved. */
typedef enum {
  CARDAN__REST_NO,
  CARDAN__REST_FIRST, // that is tried first
  CARDAN__REST_ONLY   // any other is refused, CARDAN__WOKE
} cardan__rest;

struct cardan__held_rows {
  const cardan__held_calls *calls;
  void *self;
  cardan__held_equalities equal;

  // cones; rows of cone j begin at cone[j].row
  int n, nrow;                  // cones, and their rows
  cardan__cone *cone;           // n
  cardan__row_reach *reach;     // n
  cardan__tree_part (*part)[2]; // n: where responses are not 0, without loops of the model
  int *nparts;                  // n
  int (*tree)[2];               // n: scratch of cardan__held_trees
  cardan__row_level *level;     // nrow
  double *J;                    // nrow x nv, at the node
  double *target;               // nrow: s_0
  double *start;                // nrow: warm start, impulses per second
  double *resting;              // nrow: the same of a step at rest
  double *speed;                // nrow: velocities of the rows at the node
  double *impulse;              // nrow, out
  double residue;               // error of (N) over the step [m], out
  double size;                  // of the mechanism [m]
  bool given;                   // `impulse` is in the momentum of the node: nothing is solved for
  cardan__rest rest;            // requested
  bool sided;                   // the last step had nothing but boxes, by their sides:
  int *side;                    // n: 1, -1: slides that way; 0: is held
  bool rested;                  // the last step was one at rest, and these rows are of its node
  bool may_shorten;             // a failing trial may be repeated with a shorter step
  int long_searches;            // long searches for impulses (cones/ncp_path.c) in this step
};

/* Room that a method takes for held rows: of cones, and equalities. dry: of the former, rows of dry
 * friction in joints, which is no force of the equation then. */
typedef struct {
  int rows, equalities, dry;
} cardan__held_room;

/* What n rows ask for, from their values s, in place. */
void cardan__held_asked(int n, const cardan__row_level *level, const double *target, double h,
                        double *s);

/* Did all rows of cones rest as the step began? Then the error of (N) is creep and adds up: it is
 * solved to rounding. */
bool cardan__held_at_rest(const cardan__held_rows *held);

/* Trees on either side of each cone, as cardan__ncp.tree has them. writes held->tree
 * returns NULL where any two may meet: in a model with loops */
const int (*cardan__held_trees(const cardan__held_rows *held, const cardan_model *model))[2];

/* Reports to data's info that (N) of n contacts is solved to this error [m/s] only; worst: what
 * messages call the worst. returns CARDAN_ERR_NO_CONVERGENCE */
cardan_status cardan__held_unsolved(cardan_data *data, int n, const char *worst, double error);
