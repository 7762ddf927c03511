/* SPDX-License-Identifier: Apache-2.0
 * run/contacts.h - contact in a run: steps that end where a gap closes, impacts, what stays
 * closed.
 *
 * One driver over every method that can hold what is closed (cardan__stepper.holds). It asks the
 * method for a step and looks at the gaps where that ends; a step that passes one is taken back and
 * cut at the moment the gap closes. There an impact changes the node's velocities. What is closed
 * is held in one of two ways:
 *   cones   methods of discrete mechanics solve for its impulses, with friction, in the step itself
 *           and at its end (contact_step.c, discrete/discrete_contact.c): limits, bounds, solids
 *   rows    methods of continuous time hold it by a row until that pulls (contact_hold.c): limits
 *           and stops
 *
 *   contact.c         memory; a step that is tried; messages
 *   contact_skip.c   steps while nothing is near
 *   contact_near.c    features at a node: which pairs are near, their spots, gaps
 *   contact_step.c    a step with cones
 *   contact_hold.c    a step with rows
 *   contact_forces.c  rows that are held: projections, forces
 *   contact_locate.c  the moment a gap closes, or a force ends
 *   contact_parts.c   what part of a mechanism a contact acts on
 *   midstep_contact.c     gaps that close and open again within a step, places that run
 *   contact_strike.c  responses, impacts
 *   initial_separation.c    starts outside of solids
 *   contact_start.c   starts inside the limits
 *
 * No allocation after _create. docs/contact.md */
#pragma once
#include "base/arena.h"
#include "base/spans.h"
#include "contact/contact.h"
#include "contact/gaps.h"
#include "contact/held_cones.h"
#include "contact/impacts.h"
#include "contact/ledger.h"
#include "methods/method.h"
#include "run/snapshot.h"

/* What a step returns when a test of its end says no: the node is then as before.
 * _CROSSED  a gap is passed, or something held pulls
 * _SHORT    it ends too early for an event that is being located
 * _DIPPED   a gap seems to close and to open again on the way: c->trial.midstep says where
 * _MOVED    a body went farther than pairs were looked for: c->gaps.reach says how far
 * _BROKE    static friction is overcome: c->cones.broke says whose
 * _TURNED   the place of a contact ran too far: c->trial.pace says how long it may be */
#define CARDAN__CROSSED ((cardan_status)2)
#define CARDAN__SHORT ((cardan_status)3)
#define CARDAN__MIDSTEP ((cardan_status)4)
#define CARDAN__MOVED ((cardan_status)5)
#define CARDAN__BROKE ((cardan_status)6)
#define CARDAN__TURNED ((cardan_status)7)

/* A point in time of a step that is being cut, and what features were there: gaps, or the forces
 * of those that rows hold. */
typedef struct {
  double t, *value;
} cardan__contact_point;

/* The search for the moment of an event, and what a trial of a step found. */
typedef struct {
  cardan__contact_point point[3];
  double midstep; // a time; 0: none is searched for; cones, that of the node: velocities are needed
  double from;    // cones: time of the node
  int worst;      // the feature that CARDAN__CROSSED refers to: pulls, or is passed most
  int found;      // pair at whose spot the last cut step ends; -1: at something else
  bool seek;      // the step is to end where one of these is at its bound
  double pace;    // cones: after CARDAN__TURNED, how long the next trial may be
  bool stale;     // data's velocities are not the node's
  bool unseen;    // features of the node could not be found: the next step says why
  // snapshots: of the start of a trial (rows: the method does not test its steps itself), and of
  // the start of the whole step
  cardan__snapshot kept, begun;
  int iterations; // in all trials of the step
} cardan__contact_trial;

struct cardan__contacts {
  const cardan_model *model;
  bool by_cones; // how closed contacts are held
  int nq, nv, nbody;
  double size; // of the mechanism [m]
  cardan__contact_gaps gaps;
  cardan__contact_skip skip;
  cardan__contact_cones cones;
  cardan__contact_impacts impacts;
  cardan__contact_ledger ledger;
  cardan__contact_trial trial;
  void *block;
};

/* From this event of a step on nothing has restitution any more. */
enum { CARDAN__PLASTIC = 100 };

/* What a run of this model would hold, with these options: features for good. 0: none, or off. */
int cardan__contacts_wanted(const cardan_model *model, const cardan_options *options);

/* Is there something that this method cannot hold, other than limits of joints? what: out, the
 * first of it for a message, cut to size; pos: where it stands. Stops are held wherever limits may
 * be, the rest by cones alone. */
bool cardan__contacts_beyond(const cardan__method *method, const cardan_model *model,
                             const cardan_options *options, char *what, size_t size,
                             cardan_pos *pos);

/* Rows that a discrete step may hold at one time. */
int cardan__contacts_rows(const cardan_model *model, const cardan_options *options);

/* Work that contacts did, on the whole [J]: that of drivers in impacts, less what was lost. c: NULL
 * is fine */
double cardan__contacts_work(const cardan__contacts *c);

/* What of it belongs to a state that is saved: _spans, and the records, of which there are more or
 * less: _grasps copies those there are to kept, or back, and returns the bytes that most would
 * need; kept NULL: only that. _rejoin makes what follows, after both were restored.
 * _allowed: could n records be these bytes? */
void cardan__contacts_spans(cardan__contacts *c, cardan__spans *list);
size_t cardan__contacts_copy_records(cardan__contacts *c, char *kept, bool back);
bool cardan__contact_records_allowed(const char *kept, int n);
void cardan__contacts_rejoin(cardan_sim *sim);

/* cones: did all that the step holds rest on one another as it began? Then what (N) leaves is creep
 * and adds up: it is solved to rounding. */
bool cardan__contacts_still_all(const cardan__contacts *c);

/* ---- the run: sim->contacts is there ---- */

/* Memory, where the model has features and they are on; and gives it back. needs a stepper */
cardan_status cardan__contact_open(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__contact_close(cardan_sim *sim);

/* _place  the start's coordinates inside their limits: those that nobody gave go to the nearest
 *         limit, *moved, and are given from then on; before loops are closed (pass 0), and after it
 *         returns CARDAN_ERR_ASSEMBLY and a sentence for one that somebody gave
 * _lift   with contacts auto: trees that overlap the world are moved out of it, and pairs that
 *         overlap then are left out of the run; notes say so. After loops are closed; writes q
 * _begin  at the first node: what is closed, and an impact where it approaches
 *         returns CARDAN_ERR_ASSEMBLY and a sentence for what is passed, or overlaps; else what
 *         went wrong, in data's info
 * _step   to t_next, as method->step */
cardan_status cardan__contact_place(cardan_sim *sim, int pass, bool *moved,
                                    cardan_report *report) CARDAN_MUST_USE;
void cardan__contact_separate(cardan_sim *sim);
cardan_status cardan__contact_begin(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__contact_step(cardan_sim *sim, double t_next) CARDAN_MUST_USE;

/* ---- for methods ---- */

/* Is the end of the step that is tried as it should be? end: t and q there; its joints and poses
 * are made where gaps need them. of_held: rows: what held did (nheld), forces, >= 0 where they
 * push; cones: NULL.
 * returns CARDAN_OK, CARDAN__CROSSED and c->trial.worst, CARDAN__SHORT, CARDAN__MOVED, CARDAN__MIDSTEP */
cardan_status cardan__contacts_judge(cardan__contacts *c, cardan_data *end, const double *of_held);

/* cardan_forward with the contact forces of the node: means over the step before it. */
cardan_status cardan__contacts_publish(cardan__contacts *c, cardan_data *data) CARDAN_MUST_USE;

/* Onto data's f_in and tau_in, the forces of a discrete step of length h that is under way, for who
 * asks what presses joints in its middle, where data is: its impulses r (nrow), r^-, over half of
 * it. */
void cardan__contacts_press(const cardan__contacts *c, cardan_data *data, double h,
                            const double *r);

/* v (nv) less what the held rows take from it, u = 0: at data's q, with factors made. */
cardan_status cardan__contacts_project(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, double *v) CARDAN_MUST_USE;

/* Held gaps go to their targets along the loops, which stay closed but for the square of the way,
 * and their velocities to 0: after a projection on the loops alone, which moves them a little.
 * writes  data's q and v */
cardan_status cardan__contacts_return(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data) CARDAN_MUST_USE;

/* cardan_forward with forces that give held features no acceleration: these to force (nheld, NULL:
 * not wanted). kq, kv: as there */
cardan_status cardan__contacts_forward(cardan__contacts *c, cardan_data *data, double kq, double kv,
                                       double *force) CARDAN_MUST_USE;

/* The same at a node, for all that is HELD there: one that would pull is let go. writes held, and
 * force to c->cones.impulse */
cardan_status cardan__contacts_rest(cardan__contacts *c, cardan_data *data, double kq,
                                    double kv) CARDAN_MUST_USE;

/* ---- inside ---- */

/* A gap of feature i that counts as closed: 1e-9, of solids 1e-8 (their gaps are located less
 * closely). */
static inline bool cardan__contacts_closed(const cardan__contacts *c, int i)
{
  return c->gaps.gap[i] <= (c->gaps.feature[i].kind == CARDAN__SPOT ? 1e-8 : CARDAN__CLOSED);
}

/* The next entry after i, -1 at first: features, then what is watched; -1: there is none. */
static inline int cardan__contacts_entry(const cardan__contacts *c, int i)
{
  i++;
  i = i == c->gaps.n ? c->gaps.room : i;
  return i < c->gaps.room + c->gaps.nwatch ? i : -1;
}

/* contact_near.c
 * _enter  features and gaps at data's node, whose poses are made; closed ones are entered
 *         returns CARDAN_ERR_UNSUPPORTED where there are too many, CARDAN_ERR_NOT_FINITE where a
 *         gap is
 * _gaps   of all entries at a data with poses, out
 * _ways   from the node's poses to these, to c->gaps.moved; false: one is beyond its reach, which grows
 * _learn  reach for the steps that follow, from the last one, which was that part of dt */
cardan_status cardan__contacts_enter(cardan__contacts *c, const cardan_model *model,
                                     cardan_data *data) CARDAN_MUST_USE;
void cardan__contacts_gaps(cardan__contacts *c, cardan_data *data, double *gap);
bool cardan__contacts_ways(cardan__contacts *c, const cardan_model *model, const cardan_xform *X);
void cardan__contacts_learn(cardan__contacts *c, double part);

/* Takes those that are left out from the first n of c->gaps.near, both rising; how many stay. */
int cardan__contacts_without_left(cardan__contacts *c, int n);

/* More pairs at the node, since reach has grown; what it has stays as it is. false: no room */
bool cardan__contacts_extend(cardan__contacts *c, const cardan_model *model);

/* contact_skip.c
 * _calm        at a node where features were entered: may the next steps do without that?
 * _judge_calm  as _judge, where they do, t and q: of the end; CARDAN__MOVED: not any more
 * _coast       such a step, to t_next; CARDAN__MOVED: it was not taken, and features are entered */
void cardan__contacts_skip_begin(cardan__contacts *c, const cardan_model *model,
                                 const cardan_data *data);
cardan_status cardan__contacts_skip_judge(cardan__contacts *c, double t, const double *q);
cardan_status cardan__contact_skip_step(cardan_sim *sim, double t_next) CARDAN_MUST_USE;

/* The whole step, to t_next, by cones and by rows. */
cardan_status cardan__contact_step_cones(cardan_sim *sim, double t_next) CARDAN_MUST_USE;
cardan_status cardan__contact_step_rows(cardan_sim *sim, double t_next) CARDAN_MUST_USE;

/* The step from the node that ends where the first of those that the last one passed closes, or
 * ends to press; the last one ended at t_end. */
cardan_status cardan__contact_locate(cardan_sim *sim, double t_end) CARDAN_MUST_USE;

/* Where a gap is least between two nodes h apart, from gaps and rates at both: a time from the
 * first of them, and *least; only where it falls first and rises in the end. */
double cardan__contact_valley(double h, const double gap[2], const double rate[2], double *least);

/* midstep_contact.c, of a step with cones that ended with its gaps open. c->trial.midstep gets the time
 * _remember  gaps at the node are those before the next, which is h later
 * _dips      does one seem to close and to open again on the way? Or are velocities needed to say
 * _passes    do two solids go through one another? q: at the node, dq: the displacement; end, with
 *            poses, stays so
 * _turns     does the place of something held run too far? A shorter length to c->trial.pace, not below
 *            dt / 1024 */
void cardan__contacts_remember(cardan__contacts *c, double h);
bool cardan__contacts_midstep(cardan__contacts *c, const cardan_data *end);
bool cardan__contacts_passes(cardan__contacts *c, const double *q, const double *dq,
                             cardan_data *end);
bool cardan__contacts_turns(cardan__contacts *c, const cardan_data *end, double dt);

/* A step to t_end with what is held, and back where the test says no. */
cardan_status cardan__contact_try(cardan_sim *sim, double t_end) CARDAN_MUST_USE;
cardan_status cardan__contact_try_rows(cardan_sim *sim, double t_end) CARDAN_MUST_USE;

/* Of what entry i's values are compared with 0: gaps, forces of what rows hold. */
double cardan__contact_tolerance(const cardan__contacts *c, int i);

/* What messages call entry i. text: out, cut to size */
void cardan__contacts_name(const cardan__contacts *c, const cardan_model *model, int i, char *text,
                           size_t size);

/* Says of entry i what went wrong; returns CARDAN_ERR_NO_CONVERGENCE. */
cardan_status cardan__contact_fail(cardan_sim *sim, int i, const char *what);

/* Says that (N) of n contacts is solved to this error [m/s] only, worst at entry i; returns the
 * same. */
cardan_status cardan__contacts_unsolved(const cardan__contacts *c, cardan_data *data, int n, int i,
                                        double error);

/* Is entry i one of those that the end of the bracket passes, and an event? */
bool cardan__contact_sought(const cardan__contacts *c, int i);

/* Joints and poses of data, where they are not made; _place: anew, where gaps need them. */
void cardan__contacts_pose(const cardan_model *model, cardan_data *data);
void cardan__contacts_place(const cardan__contacts *c, cardan_data *data);

/* data's velocities, where they are not the node's; rates of all features by them. */
cardan_status cardan__contacts_velocities(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__contacts_rates(cardan__contacts *c, const cardan_model *model, cardan_data *data);

/* The record of a feature, NULL: none. _take: or a new one, of nothing. */
cardan__contact_record *cardan__contacts_record(cardan__contacts *c, const cardan__feature *f);
cardan__contact_record *cardan__contacts_record_or_new(cardan__contacts *c,
                                                       const cardan__feature *f);

/* Mean force (part 0) or couple (1) of a record over the step before the node. */
cardan_vec3 cardan__contact_record_mean(const cardan__contacts *c, const cardan__contact_record *g,
                                        int part);

/* contact_parts.c: bodies [.., ..) and their velocities [.., ..); tip: rows are 0 there but on the
 * way from this body to the world, 0: anywhere.
 * _part   what the model allows
 * _parts  where responses to f are not 0, without loops: how many ranges, at most 2
 * _meet   may f and g be in one tree? else one moves nothing of the other, without loops
 * _dot    row . x, and _axpy x += r row, over the velocities that the rows of f reach
 * _products  row . x of nrow rows with nx vectors, nv numbers apart, to out, rows stride apart */
typedef struct {
  int body[2], v[2], tip;
} cardan__contact_part;
void cardan__contacts_part(cardan__contacts *c, const cardan_model *model);
int cardan__contacts_parts(const cardan__contacts *c, const cardan__feature *f,
                           cardan__contact_part part[2]);
bool cardan__contacts_meet(const cardan__feature *f, const cardan__feature *g);
double cardan__contact_dot(const cardan__feature *f, const double *row, const double *x);
void cardan__contact_axpy(const cardan__feature *f, double r, const double *row, double *x);
void cardan__contact_products(const cardan__contacts *c, const cardan__feature *f, int nrow,
                              const double *row, int nx, const double *x, double *out,
                              size_t stride);

/* slack and stuck of the count features in list, whose responses were made last. */
void cardan__contacts_note_slack(cardan__contacts *c, const int *list, int count);

/* Trees on either side of so many contacts, those in list or the first (list NULL), as
 * cardan__ncp.tree has them; NULL: all may meet all. */
const int (*cardan__contacts_trees(cardan__contacts *c, const cardan_model *model,
                                   const cardan__feature *feature, const int *list, int count))[2];

/* Into the statistics. */
void cardan__contacts_count(cardan__contacts *c, const cardan__ncp *p);

/* Says so; returns CARDAN_ERR_UNSUPPORTED. */
cardan_status cardan__contacts_too_many(const cardan__contacts *c, cardan_data *data);

/* Rows, responses and G of the count features in list, at data's node: J, W, G, first, m.
 * returns as cardan__mobility_prepare; CARDAN_ERR_UNSUPPORTED where rows are too many */
cardan_status cardan__contacts_responses(cardan__contacts *c, const cardan_model *model,
                                         cardan_data *data, const int *list,
                                         int count) CARDAN_MUST_USE;

/* Those that are closed, to index; and their responses, with e. */
cardan_status cardan__contacts_gather(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data) CARDAN_MUST_USE;

/* x += W r and c->impacts.dp += J^T r, over the rows of the last responses, which are those of list. */
void cardan__contacts_add(cardan__contacts *c, const int *list, int count, const double *r,
                          double *x);

/* u = J v + u_0 of the same, out. */
void cardan__contacts_relative(const cardan__contacts *c, const cardan_data *data, const int *list,
                               int count, const double *v, double *u);

/* A velocity that counts as none, at the speeds of data. */
double cardan__contacts_still(const cardan_data *data);

/* Has it been struck so often in this step, with so many more, or has the step had so many events,
 * that the last was without restitution? What bounces for ever comes to rest so; others go on. */
bool cardan__contacts_tired(const cardan__contacts *c, const cardan__feature *f, int more,
                            int events);

/* Did the step under way end at a spot of the pair, and nothing met there? _miss: it did. */
bool cardan__contacts_missed(const cardan__contacts *c, int pair);
void cardan__contacts_miss(cardan__contacts *c, int pair);

/* What meets at the node: an impact where something approaches. events: so many in this step, this
 * one counted; more than 200 are an error */
cardan_status cardan__contact_strike(cardan_sim *sim, int events) CARDAN_MUST_USE;

/* Rows: closures after an impact; what slows down beyond many events. */
cardan_status cardan__contacts_close(cardan_sim *sim, int events) CARDAN_MUST_USE;

/* Rows: which features a step holds: all that are HELD; or less. */
void cardan__contacts_hold(cardan__contacts *c);
void cardan__contacts_let_go(cardan__contacts *c, int feature);
