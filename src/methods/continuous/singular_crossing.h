/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/singular_crossing.h - an integrator through singular positions of the
 * constraints.
 *
 * Where another branch of a mechanism's positions crosses the one it moves on (a parallelogram
 * lying flat), rows depend on one another: the part d that a row adds to the others goes through 0,
 * linearly in time. The motion itself is smooth there. But accelerations are differences over d of
 * what errors of the state make of the rows, and a projection finds the branch only where the error
 * is less than the distance to the next, some d. An integrator without this check steps into that
 * place, makes its steps small, and leaves on either branch.
 *
 * Here every advance checks the d of all its evaluations. If d goes through 0 in it, or will soon,
 * the advance is computed again with care:
 *   approach   in steps over half of the time that d would take to 0; each ends on the constraints
 *   cross      when d is SMALL: by the Taylor series over the place to where d is SMALL again; the
 *              state there is projected, and by how much says whether that was the same branch
 *   leave      in steps over the time that d took from 0
 * What is nearly singular only (d has a minimum above SMALL) is not crossed: the motion bends
 * about there, and approach and leave resolve the bend; parts made before it showed are made again.
 * A dead point that a driver moves into is the end of the motion: speeds grow without bound on the
 * way to it. Cost: one comparison where d is not small. */
#pragma once
#include "linalg/rank_monitor.h"
#include "methods/continuous/ode.h"

/* Calls that compute what the crossing needs of the rows; self is passed to them.
 * pivot_ratio  the smallest part d of a row that is independent of the others, 0 to 1: the sine of
 *              an angle; at the state y at t moved along its own velocities for `ahead` seconds
 * cross        y at t becomes the state at t + s, by its derivatives at t; land: projected on the
 *              constraints. CARDAN_ERR_SINGULAR: the projection moved it by more than part of d, or
 *              there are no derivatives
 * fast         largest speed of y [rad/s, or sizes of the mechanism a second] */
typedef struct {
  void *self;
  cardan_status (*pivot_ratio)(void *self, double t, const double *y, double ahead, double *d);
  cardan_status (*cross)(void *self, double t, double s, bool land, double *y);
  double (*fast)(void *self, double t, const double *y);
} cardan__singular_crossing_rows;

/* The last sample of an advance with care, from which the next part's length follows. */
typedef struct {
  double t, product; // when, and d times its rate: its square's slope, halved
  double part;       // the length that followed [s]
  double w;          // 1 / (largest speed)^2
  bool bends;        // d has a minimum above 0, and the motion turns about there
  double t_end;      // when speeds seem to grow without bound
  bool dead;         // and it seemed so at the look before
} cardan__pace;

typedef struct {
  cardan__singular_crossing_rows rows;
  cardan__ode *ode;
  double slow;               // largest speed where the advance begins; written by the caller
  cardan__rank_monitor rank; // of d: of the evaluations in this advance, and at the last node
  double rate;               // of d between the last two nodes [1/s]
  double t_crossed;          // of the last singular position, or the one that is near [s]
  double *y_start;           // n: where the advance began
  double *y_near;            // n: before the place, while a row lies in the middle of a crossing
  double t_near, t_land;
  bool under_way;
  cardan__pace pace;
  bool careful;  // the advance under way is made with care: nodes are to be as good as can be
  bool ends;     // the failure was one of speeds that grow without bound: no motion leads beyond
  double danger; // d below which the way under way is not to come, and
  int64_t evaluations; // those of the integrator before it
  int64_t last_step;   // of the integrator, since its begin, that the advance under way may take
} cardan__singular_crossing;

/* Over an integrator that was made; y_start and y_near, of its size, are the caller's. _begin: a
 * run starts. */
void cardan__singular_crossing_open(cardan__singular_crossing *p, cardan__ode *ode,
                                    const cardan__singular_crossing_rows *rows);
void cardan__singular_crossing_begin(cardan__singular_crossing *p);

/* An evaluation, or a projection at a node, has seen rows of which the smallest part is d. */
static inline void cardan__singular_crossing_see(cardan__singular_crossing *p, double d)
{
  cardan__rank_see(&p->rank, d, 0);
}

/* Does the integrator make its steps small and smaller? It evaluates near a place that the way
 * under way was not to come near, and has done so for long: the passage knows better. The advance
 * is to fail then, by CARDAN_ERR_SINGULAR. */
static inline bool cardan__singular_crossing_stuck(const cardan__singular_crossing *p)
{
  enum { ENOUGH = 100 }; // evaluations
  return p->rank.ratio < p->danger && p->ode->counters.evaluations - p->evaluations > ENOUGH;
}

/* May a crossing have left the branch? Its projection moved the state by so much where rows are d
 * from the place, a tenth of which is safe, and turned its velocity by so much of the speed. */
static inline bool cardan__singular_crossing_missed(double moved, double d, double turned,
                                                    double speed)
{
  return turned > 0.01 * speed || moved > 0.1 * d;
}

/* cardan__ode_advance with the care that singular positions need.
 * returns what that does; CARDAN_ERR_SINGULAR where the motion beyond one is not determined:
 *         t_crossed has the time, cardan__singular_crossing_why the reason */
cardan_status cardan__singular_crossing_advance(cardan__singular_crossing *p,
                                                double t_target) CARDAN_MUST_USE;

/* The reason, for the end of the message on that failure. */
static inline const char *cardan__singular_crossing_why(const cardan__singular_crossing *p)
{
  return p->ends ? "speeds grow without bound towards it: no motion leads beyond"
                 : "the motion does not determine on which branch it continues";
}

/* What the next advance reads. */
void cardan__singular_crossing_spans(cardan__singular_crossing *p, cardan__spans *list);
