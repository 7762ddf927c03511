/* SPDX-License-Identifier: Apache-2.0
 * contact/contacts.h - the contacts of a simulation: what can be computed at one node, and the test
 * of a trial's end.
 *
 * Closed contacts are held in one of two ways:
 *   cones   methods of discrete mechanics solve for their impulses, with friction, in the step
 *           itself and at its end: limits, bounds, solids
 *   rows    methods of continuous time hold them by a row until that pulls: limits and stops
 * Dry friction of given size in joints is held beside cones, in every step (CARDAN__DRY_FRICTION).
 *
 *   contacts.c          memory, saved state, messages
 *   contact_near.c      gaps: which pairs are near at a node, their spots
 *   contact_skip.c      gaps: steps that skip the search for near pairs
 *   midstep_contact.c   gaps: that close and open again within a step, places that run
 *   contact_test.c      gaps: the test of a trial's end
 *   contact_response.c  impacts: rows, responses, Delassus matrix
 *   contact_impact.c    impacts: the law of impact at a node
 *   contact_parts.c     impacts: what part of a mechanism a contact acts on
 *   contact_forces.c    rows that are held: projections, forces
 *   contact_rows.c      the rows of a step, for methods
 *   contact_records.c   ledger: impulses of the step before, forces that follow
 * The run drives them (run/contact_run.h). No allocation after _create. docs/contact.md */
#pragma once
#include "base/arena.h"
#include "base/attempt.h"
#include "base/bracket.h"
#include "base/spans.h"
#include "cardan/options.h"
#include "constraints/held_rows.h"
#include "contact/gaps.h"
#include "contact/held_cones.h"
#include "contact/impacts.h"
#include "contact/landing.h"
#include "contact/ledger.h"

/* The search for the moment of an event, and the trial that is under way. */
typedef struct {
  cardan__bracket bracket; // values: gaps, or the forces of features that rows hold
  bool check_midstep;      // test whether gaps close and open again on the way
  double from;             // cones: time of the node
  int found;               // pair at whose spot the last cut step ends; -1: at something else
  bool seek;               // the step is to end where one of the features is at its bound
  double pace;             // cones: how long the next trial may be [s]
  bool stale;              // data's velocities are not the node's
  bool unseen;             // features of the node could not be found: the next step reports why
  int iterations;          // in all trials of the step
} cardan__contact_trial;

typedef struct cardan__contacts {
  const cardan_model *model;
  bool by_cones; // how closed contacts are held
  int nq, nv, nbody;
  double size; // of the mechanism [m]
  int ndry;    // dry friction of joints: features gaps.room .. gaps.room + ndry - 1
  cardan__contact_gaps gaps;
  cardan__contact_skip skip;
  cardan__held_rows held;
  cardan__contact_cones cones;
  cardan__contact_impacts impacts;
  cardan__contact_ledger ledger;
  cardan__contact_trial trial;
  cardan__landing landing;
  void *block;
} cardan__contacts;

/* From this event of a step on nothing has restitution any more. */
enum { CARDAN__PLASTIC = 100 };

/* Steps that follow with impacts at their ends, once a step had too many events (impacts auto). */
enum { CARDAN__IMPACTS_WAIT = 10 };

/* Features that a run of this model would hold, with these options, for the whole run. 0: none, or
 * contacts are off. */
int cardan__contacts_wanted(const cardan_model *model, const cardan_options *options);

/* What a discrete step may hold at one time. */
cardan__held_room cardan__contacts_room(const cardan_model *model, const cardan_options *options);

/* Memory, where the model has features and contacts are on, or dry friction in joints that cones
 * hold with contacts off as well; else *out is NULL. cones: how closed ones are held */
cardan_status cardan__contacts_create(const cardan_model *model, const cardan_options *options,
                                      bool cones, const cardan_allocator *allocator,
                                      cardan__contacts **out) CARDAN_MUST_USE;
void cardan__contacts_destroy(cardan__contacts *c,
                              const cardan_allocator *allocator); // NULL is fine

/* Work that contacts did in all [J]: that of drivers in impacts, less what was lost. c: NULL is
 * fine */
double cardan__contacts_work(const cardan__contacts *c);

/* Saved state: _spans, and the records, whose number varies: _copy_records copies those there are
 * to kept, or back, and returns the bytes of the largest number; kept NULL: only that. _rejoin
 * computes what follows from both, after they were restored; c: NULL is fine.
 * _records_allowed  could n records be these bytes? */
void cardan__contacts_spans(cardan__contacts *c, cardan__spans *list);
size_t cardan__contacts_copy_records(cardan__contacts *c, char *kept, bool back);
bool cardan__contact_records_allowed(const char *kept, int n);
void cardan__contacts_rejoin(cardan__contacts *c, cardan_data *data);

/* ---- the test of a trial ---- */

/* end: t and q of the trial's end; its joints and poses are computed where gaps need them. of_held:
 * rows: forces of the held features, >= 0 where they push; cones: NULL.
 * returns accepted, or CROSSED, TOO_SHORT, MOVED, MIDSTEP */
cardan__attempt cardan__contacts_judge(cardan__contacts *c, cardan_data *end,
                                       const double *of_held) CARDAN_MUST_USE;

/* Tolerance of entry i: of a gap, or of the force of a feature that rows hold. */
double cardan__contact_tolerance(const cardan__contacts *c, int i);

/* Does the end of the bracket pass entry i, and is it an event? */
bool cardan__contact_sought(const cardan__contacts *c, int i);

/* v (nv) less what the held rows take from it, u = 0: at data's q, with factors made. */
cardan_status cardan__contacts_project(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, double *v) CARDAN_MUST_USE;

/* Held gaps go to their targets along the loops, which stay closed but for the square of the way,
 * and their velocities to 0: after a projection on the loops alone, which moves them a little.
 * writes  data's q and v */
cardan_status cardan__contacts_return(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data) CARDAN_MUST_USE;

/* cardan_forward with forces that give held features no acceleration: these to force (c->held.n,
 * NULL: not wanted). kq, kv: as there */
cardan_status cardan__contacts_forward(cardan__contacts *c, cardan_data *data, double kq, double kv,
                                       double *force) CARDAN_MUST_USE;

/* The same at a node, for all that is HELD there: one that would pull is let go. writes held, force
 * to c->held.impulse, and c->cones.force: a floor for what counts as a force */
cardan_status cardan__contacts_settle(cardan__contacts *c, cardan_data *data, double kq,
                                      double kv) CARDAN_MUST_USE;

/* ---- gaps ---- */

/* Overlaps of less count as none where impacts act at nodes [m or rad]. */
#define CARDAN__LANDED 1e-8

/* A gap of feature i that counts as closed: 1e-9, of solids 1e-8 (their gaps are located less
 * closely). */
static inline bool cardan__contacts_closed(const cardan__contacts *c, int i)
{
  return c->gaps.gap[i] <= (c->gaps.feature[i].kind == CARDAN__SPOT ? 1e-8 : CARDAN__CLOSED);
}

/* Is there anything but dry friction in joints? */
static inline bool cardan__contacts_touch(const cardan__contacts *c)
{
  return c->gaps.room > 0;
}

/* Feature f's cone, its first row at `row`, over half of a step of length h. sticks: by the static
 * friction of its pair */
static inline cardan__cone cardan__contacts_cone(const cardan__contacts *c,
                                                 const cardan__feature *f, int row, bool sticks,
                                                 double h)
{
  cardan__cone cone = cardan__feature_cone(c->model, f, row, sticks);
  cone.bound = f->kind == CARDAN__DRY_FRICTION ? 0.5 * h * f->force : 0;
  return cone;
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
 * _ways   from the node's poses to these, to c->gaps.moved; false: one is beyond its reach, which
 *         grows
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

/* Steps that skip the search for near pairs.
 * _begin     at a node whose features were found: may the next steps skip it?
 * _judge     as cardan__contacts_judge, for such a step. t, q: of its end; MOVED: no longer
 * _accepted  after such a step to data's node
 * _refused   after MOVED: finds the features of the node */
void cardan__contacts_skip_begin(cardan__contacts *c, const cardan_model *model,
                                 const cardan_data *data);
cardan__attempt cardan__contacts_skip_judge(cardan__contacts *c, double t,
                                            const double *q) CARDAN_MUST_USE;
void cardan__contacts_skip_accepted(cardan__contacts *c, cardan_data *data);
cardan_status cardan__contacts_skip_refused(cardan__contacts *c, cardan_data *data) CARDAN_MUST_USE;

/* Of a step with cones that ended with its gaps open.
 * _remember  gaps at the node become those before the next, which is h later
 * _midstep   does a gap seem to close and to open again on the way? *when; the time of the node:
 *            velocities are needed to tell
 * _passes    do two solids go through one another? *when. q: at the node, dq: the displacement;
 *            end, with poses, is unchanged on return
 * _turns     does the place of a held contact run too far? *length: of a shorter step, not below
 *            dt / 1024
 * _jump      does such a place jump in a step that cannot be shorter? Then c->cones.jumped says
 *            which */
void cardan__contacts_remember(cardan__contacts *c, double h);
bool cardan__contacts_midstep(cardan__contacts *c, const cardan_data *end, double *when);
bool cardan__contacts_passes(cardan__contacts *c, const double *q, const double *dq,
                             cardan_data *end, double *when);
bool cardan__contacts_turns(cardan__contacts *c, const cardan_data *end, double dt, double *length);
bool cardan__contacts_jump(cardan__contacts *c, const cardan_data *end, double dt);

/* Spots of a watched pair that overlap at poses X, where none of the node does: as features of the
 * node, from there on. X: of the trial's end, to c->gaps.next */
void cardan__contacts_add_spots(cardan__contacts *c, const cardan_model *model, int watch,
                                const cardan_xform *X);

/* What messages call entry i. text: out, cut to size */
void cardan__contacts_name(const cardan__contacts *c, const cardan_model *model, int i, char *text,
                           size_t size);

/* Reports that (N) of n contacts is solved to this error [m/s] only, worst at entry i; returns
 * CARDAN_ERR_NO_CONVERGENCE. */
cardan_status cardan__contacts_unsolved(const cardan__contacts *c, cardan_data *data, int n, int i,
                                        double error);

/* Joints and poses of data, where they are not fresh; _place: again, where gaps need them. */
void cardan__contacts_pose(const cardan_model *model, cardan_data *data);
void cardan__contacts_place(const cardan__contacts *c, cardan_data *data);

/* Rates of all features by data's velocities. */
void cardan__contacts_rates(cardan__contacts *c, const cardan_model *model, cardan_data *data);

/* ---- ledger ---- */

/* The record of a feature, NULL: none. _new: an empty one; _or_new: the one there is, or that. */
cardan__contact_record *cardan__contacts_record(cardan__contacts *c, const cardan__feature *f);
cardan__contact_record *cardan__contacts_record_new(cardan__contacts *c, const cardan__feature *f);
cardan__contact_record *cardan__contacts_record_or_new(cardan__contacts *c,
                                                       const cardan__feature *f);

/* Mean force (part 0) or couple (1) of a record over the step before the node. */
cardan_vec3 cardan__contact_record_mean(const cardan__contacts *c, const cardan__contact_record *g,
                                        int part);

/* contact_parts.c
 * _part   what the model allows
 * _parts  where responses to f are not 0, without loops: how many trees, at most 2 */
void cardan__contacts_part(cardan__contacts *c, const cardan_model *model);
int cardan__contacts_parts(const cardan__contacts *c, const cardan__feature *f,
                           cardan__tree_part part[2]);

/* ---- impacts ---- */

/* slack and stuck of the count features in list, whose responses were made last. */
void cardan__contacts_note_slack(cardan__contacts *c, const int *list, int count);

/* Trees on either side of so many contacts, those in list or the first (list NULL), as
 * cardan__ncp.tree has them; NULL: all may meet all. */
const int (*cardan__contacts_trees(cardan__contacts *c, const cardan_model *model,
                                   const cardan__feature *feature, const int *list, int count))[2];

/* Of the first `own` of so many contacts in list, those of islands (contacts coupled through trees,
 * directly or by others) in which some contact in list approaches faster than `still`, by
 * c->gaps.rate, stay: they become the first of list, in their order. An impact moves no other
 * island. returns how many; all where trees are not known */
int cardan__contacts_keep_struck(cardan__contacts *c, int *list, int own, int count, double still);

/* Into the statistics. */
void cardan__contacts_count(cardan__contacts *c, const cardan__ncp *p);

/* contact_rows.c: the calls of c->held, which the run sets. */
extern const cardan__held_calls cardan__contact_held_calls;

/* Reports too many contacts; returns CARDAN_ERR_UNSUPPORTED. */
cardan_status cardan__contacts_too_many(const cardan__contacts *c, cardan_data *data);

/* Rows, responses and G of the count features in list, at data's node: J, W, G, first, m.
 * returns as cardan__mobility_prepare; CARDAN_ERR_UNSUPPORTED where rows are too many */
cardan_status cardan__contacts_responses(cardan__contacts *c, const cardan_model *model,
                                         cardan_data *data, const int *list,
                                         int count) CARDAN_MUST_USE;

/* The same without blocks of G of contacts that share no tree (reach.tree): what is there is not to
 * be read. */
cardan_status cardan__contacts_coupled(cardan__contacts *c, const cardan_model *model,
                                       cardan_data *data, const int *list,
                                       int count) CARDAN_MUST_USE;

/* after = u + sign G r, of the count contacts whose G was made last. sign: 1 or -1 */
void cardan__contacts_change(const cardan__contacts *c, int count, double sign, const double *r,
                             const double *u, double *after);

/* Those that are closed, to index; and their responses, with e. */
cardan_status cardan__contacts_gather(cardan__contacts *c, const cardan_model *model,
                                      cardan_data *data) CARDAN_MUST_USE;

/* x += W r and c->impacts.dp += J^T r, over the rows of the last responses, which are those of
 * list. */
void cardan__contacts_add(cardan__contacts *c, const int *list, int count, const double *r,
                          double *x);

/* u = J v + u_0 of the same, out. */
void cardan__contacts_relative(const cardan__contacts *c, const cardan_data *data, const int *list,
                               int count, const double *v, double *u);

/* A velocity that counts as none, at the speeds of data. */
double cardan__contacts_still(const cardan_data *data);

/* Has it been struck so often in this step, with so many more, or has the step had so many events,
 * that the last was without restitution? Contacts that bounce for ever come to rest in this way. */
bool cardan__contacts_tired(const cardan__contacts *c, const cardan__feature *f, int more,
                            int events);

/* Did the step under way end at a spot of the pair, and nothing met there? _miss: it did. */
bool cardan__contacts_missed(const cardan__contacts *c, int pair);
void cardan__contacts_miss(cardan__contacts *c, int pair);

/* Rows: closures after an impact; what slows down beyond many events. */
cardan_status cardan__contacts_close(cardan__contacts *c, cardan_data *data,
                                     int events) CARDAN_MUST_USE;

/* Rows: which features a step holds: all that are HELD; or less. */
void cardan__contacts_hold(cardan__contacts *c);
void cardan__contacts_let_go(cardan__contacts *c, int feature);
void cardan__contacts_hold_one(cardan__contacts *c, int feature);

/* The hits of a feature in this step, spots of a pair together; NULL: none. */
cardan__hits *cardan__contacts_hits(const cardan__contacts *c, const cardan__feature *f);

/* The impact of the closed features, whose responses were computed, where something approaches:
 * *struck. writes data's v, c->impacts.dp */
cardan_status cardan__contacts_impact(cardan__contacts *c, cardan_data *data, int events,
                                      bool *struck) CARDAN_MUST_USE;
