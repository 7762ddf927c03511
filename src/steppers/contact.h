/* SPDX-License-Identifier: Apache-2.0
 * steppers/contact.h - stops in a run: steps that end where a gap closes, impacts, closed contacts.
 *
 * One driver over every method that can hold rows closed (cardan__stepper.holds). It asks the
 * method for a step and looks at the gaps where that ends; a step that passes one is taken back and
 * cut at the moment the gap closes. There an impact changes the node's velocities, or what touches
 * without approaching is held from then on: by rows in the method's own step, until they pull.
 *
 *   contact.c         the step: what is held, where it ends, what comes after
 *   contact_locate.c  the moment a gap closes, or a force ends
 *   contact_strike.c  impacts and velocities at closed features; forces that hold them
 *   contact_start.c   starts inside the limits
 *
 * No allocation after _create. docs/contact.md */
#pragma once
#include "base/arena.h"
#include "base/spans.h"
#include "contact/contact.h"
#include "contact/impact.h"
#include "steppers/keep.h"
#include "steppers/method.h"

/* What a step returns when a test of its end says no: the node is then as before.
 * _CROSSED  a gap is passed, or something held pulls
 * _SHORT    it ends too early for an event that is being located
 * _DIPPED   a gap seems to close and to open again on the way: c->dip says where */
#define CARDAN__CROSSED ((cardan_status)2)
#define CARDAN__SHORT ((cardan_status)3)
#define CARDAN__DIPPED ((cardan_status)4)

/* A feature from one node to the next.
 * OPEN    its gap is open
 * FLYING  closed, and moving away
 * HELD    closed, and to stay so while it is pressed
 * SPARE   the same, but what is held holds it too */
typedef enum { CARDAN__OPEN, CARDAN__FLYING, CARDAN__HELD, CARDAN__SPARE } cardan__closure;

/* A point in time of a step that is being cut, and what features were there (n): gaps, or the
 * forces of those that are held. */
typedef struct {
  double t, *value;
} cardan__contact_point;

struct cardan__contacts {
  int n, nv;
  cardan__feature *feature; // n
  double *gap;              // n: at the node
  int *closure;             // n: cardan__closure
  bool stale;               // data's velocities are not the node's
  bool settling;            // they are asked for by the driver: momenta of discrete nodes follow

  // the step that is tried
  int nheld, *held; // features that it holds by rows
  bool *active;     // n: is it one of them?
  double *target;   // n: in the order of held, gaps at its end
  double *impulse;  // n: the same, what held them; of methods that test their steps themselves
  double *next;     // n: where it ended, gaps; of held ones their force or impulse
  double *here;     // n: forces of what is held, at the node; 0 where the method tests itself
  double force;     // largest of them
  int worst;        // feature that CARDAN__CROSSED is about: pulls, or is passed most
  double *rate;     // n: u at the node, where velocities are known
  double dip;       // a time; 0: none is looked for
  int met;          // feature of the last impact
  bool seek;        // it is to end where one of these is at its bound
  cardan__contact_point point[3];

  // closed ones, at most so many at one time
  int most, nclosed, *index;
  int rank;          // of G of what is held, once that is factored: rows order[0 .. rank - 1]
  double *W, *G;     // nclosed x nv, nclosed^2: responses A J^T, and J A J^T
  double *u, *r, *e; // nclosed
  double *row;       // nv: J of one of them
  double *dp;        // nv: generalised impulse
  double *nodal;     // nv: what brings a discrete node's momentum to its velocities
  double *tau;       // nv: the caller's forces, while those that hold are added to them
  double *work;      // cardan__impact_work(most, most)
  int *set, *order;  // cardan__impact_iwork(most, most); most

  // nodes to go back to: that of a try, where the method does not test its steps itself, and that
  // before the whole step
  cardan__keep kept, begun;
  int iterations; // in all tries of the step

  cardan_contact_stats stats;
  double driven; // work of prescribed motion in impacts, where the method does not count it [J]
  void *block;
};

/* Rows that a step may hold at one time, of a model with these options. */
int cardan__contacts_most(const cardan_model *model, const cardan_options *options);

/* Work that impacts did, on the whole [J]: that of drivers, less what was lost. c: NULL is fine */
double cardan__contacts_work(const cardan__contacts *c);

/* What of it belongs to a state that is saved. */
void cardan__contacts_spans(cardan__contacts *c, cardan__spans *list);

/* ---- the run (contact.c, contact_start.c): sim->contacts is there ---- */

/* Memory, where the model has features and they are on; and gives it back. needs a stepper */
cardan_status cardan__contact_open(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__contact_close(cardan_sim *sim);

/* _place  the start's coordinates inside their limits: those that nobody gave go to the nearest
 *         limit, *moved, and are given from then on; before loops are closed (pass 0), and after it
 *         returns CARDAN_ERR_ASSEMBLY and a sentence for one that somebody gave
 * _begin  at the first node: what is closed, and an impact where it approaches
 * _step   to t_next, as method->step */
cardan_status cardan__contact_place(cardan_sim *sim, int pass, bool *moved,
                                    cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__contact_begin(cardan_sim *sim) CARDAN_MUST_USE;
cardan_status cardan__contact_step(cardan_sim *sim, double t_next) CARDAN_MUST_USE;
/* ---- for methods and the driver ---- */

/* Is the end of the step that is tried as it should be? q: its end; c->next gets its gaps. of_held:
 * what held did (nheld), forces or impulses, >= 0 where they push.
 * returns CARDAN_OK, CARDAN__CROSSED and c->worst, or CARDAN__SHORT */
cardan_status cardan__contacts_judge(cardan__contacts *c, const double *q, const double *of_held);

/* Is anything closed that keeps velocities from going further? */
bool cardan__contacts_closed(const cardan__contacts *c);

/* Velocities v (nv) of a node with what is held: u >= 0 by the least impulses; c->nodal gets J^T r.
 * data's factors and rows are those of the node. returns what cardan__mobility_prepare does */
cardan_status cardan__contacts_settle(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data, double *v) CARDAN_MUST_USE;

/* v (nv) less what the held rows take from it, u = 0: at data's q, with factors made. */
cardan_status cardan__contacts_project(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, double *v) CARDAN_MUST_USE;

/* Held gaps go to their targets along the loops, which stay closed but for the square of the way,
 * and their velocities to 0: after a projection on the loops alone, which moves them a little.
 * writes  data's q and v */
cardan_status cardan__contacts_return(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data) CARDAN_MUST_USE;

/* cardan_forward with forces that give held features no acceleration: these to force (nheld, NULL:
 * not wanted). data->tau_in is as before afterwards. */
cardan_status cardan__contacts_forward(cardan__contacts *c, cardan_data *data, double kq, double kv,
                                       double *force) CARDAN_MUST_USE;

/* The same at a node, for all that is HELD there: one that would pull is let go. writes held, and
 * force to c->impulse */
cardan_status cardan__contacts_rest(cardan__contacts *c, cardan_data *data, double kq,
                                    double kv) CARDAN_MUST_USE;

/* Which features a step holds: all that are HELD; or less. */
void cardan__contacts_hold(cardan__contacts *c);
void cardan__contacts_let_go(cardan__contacts *c, int feature);

/* ---- inside (contact_locate.c, contact_strike.c) ---- */

/* The step from the node that ends where the first of those that the last one passed closes, or
 * ends to press; the last one ended at t_end. */
cardan_status cardan__contact_locate(cardan_sim *sim, double t_end) CARDAN_MUST_USE;

/* Where a gap is least between two nodes h apart, from gaps and rates at both: a time from the
 * first of them, and *least; only where it falls first and rises in the end. */
double cardan__contact_valley(double h, const double gap[2], const double rate[2], double *least);

/* A step to t_end with what is held, and back where the test says no. */
cardan_status cardan__contact_try(cardan_sim *sim, double t_end) CARDAN_MUST_USE;

/* Of what feature i's values are compared with 0: gaps, forces of what is held. */
double cardan__contact_tolerance(const cardan__contacts *c, int i);

/* Says of feature i's limit what went wrong; returns CARDAN_ERR_NO_CONVERGENCE. */
cardan_status cardan__contact_fail(cardan_sim *sim, int i, const char *what);

/* Is feature i one of those that the end of the bracket passes, and an event? */
bool cardan__contact_sought(const cardan__contacts *c, int i);

/* Closed features with their responses, at data's node: index, W, G, e. */
cardan_status cardan__contacts_gather(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data) CARDAN_MUST_USE;

/* What meets at the node: an impact where something approaches, and closures afterwards. events: so
 * many in this step, this one counted; from CARDAN__PLASTIC on without restitution */
enum { CARDAN__PLASTIC = 8 };
cardan_status cardan__contact_strike(cardan_sim *sim, int events) CARDAN_MUST_USE;
