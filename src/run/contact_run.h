/* SPDX-License-Identifier: Apache-2.0
 * run/contact_run.h - contact in a run: steps that end where a gap closes, impacts, contacts that
 * stay closed.
 *
 * One driver over every method that can hold closed contacts (cardan__stepper.holds). It attempts a
 * step of the method and tests the gaps at its end. A step that passes one is rolled back and cut
 * at the moment the gap closes. There an impact changes the node's velocities.
 *
 *   contact_run.c         memory; a step by whichever of the next two
 *   contact_step.c        a step with cones
 *   contact_hold.c        a step with rows
 *   contact_node.c        a node with cones: impulses of what stays closed
 *   contact_rest.c        steps in which nothing moves
 *   contact_rollback.c    the node that a step begins at
 *   contact_landing.c     impacts at the end of a step; contact_landed.c  its node
 *   contact_end.c         the end of a step becomes a node
 *   contact_locate.c      attempts; the moment a gap closes, or a force ends
 *   contact_message.c     messages
 *   contact_strike.c      impacts
 *   initial_separation.c  starts outside of solids
 *   contact_start.c       starts inside the limits
 * sim->contacts must exist, but for _open. docs/contact.md */
#pragma once
#include "cardan/sim.h"
#include "contact/contacts.h"

/* Memory, where the model has features and contacts are on. needs a stepper */
cardan_status cardan__contact_open(cardan_sim *sim) CARDAN_MUST_USE;

/* _place     the start's coordinates inside their limits: those without a given value go to the
 *            nearest limit, *moved, and count as given from then on; before loops are closed (pass
 *            0), and after it
 *            returns CARDAN_ERR_ASSEMBLY and a message for a given one, and where closing the
 *            loops moves a joint out again and again
 * _place_inside  after that failure: q where the loops are closed and joints inside their limits,
 *            with a note; given coordinates stay
 *            returns CARDAN_ERR_ASSEMBLY, without a message, where there is no such place
 * _separate  with contacts auto: trees that overlap the world are moved out of it, and pairs that
 *            still overlap are ignored in the run; notes report both. After loops are closed;
 *            writes q
 * _begin     at the first node: what is closed, and an impact where it approaches
 *            returns CARDAN_ERR_ASSEMBLY and a message for limits that are passed, and for
 *            overlaps; else what failed, in data's info
 * _step      to t_next */
cardan_status cardan__contact_place(cardan_sim *sim, int pass, bool *moved,
                                    cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__contact_place_inside(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;
void cardan__contact_separate(cardan_sim *sim);
cardan_status cardan__contact_begin(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__contact_step(cardan_sim *sim, double t_next) CARDAN_MUST_USE;

/* The whole step, to t_next, by cones and by rows. */
cardan_status cardan__contact_step_cones(cardan_sim *sim, double t_next) CARDAN_MUST_USE;
cardan_status cardan__contact_step_rows(cardan_sim *sim, double t_next) CARDAN_MUST_USE;

/* Gaps of the held contacts at the end of a step to t_end: (1 - kappa) phi_k, kappa = h / (5 dt) <=
 * 1. What the location of an event left of a gap decays in some steps. An overlap that a landing
 * left (option impacts) stays: pushed out it would leave a speed. Then all gaps stay, since those
 * of contacts that depend on one another must not contradict one another. Bounds of dry friction in
 * joints are its impulses over half of the step. */
void cardan__contact_set_targets(cardan_sim *sim, double t_end);

/* An attempt of a step to t_end with the held contacts. */
cardan__attempt cardan__contact_try(cardan_sim *sim, double t_end) CARDAN_MUST_USE;
cardan__attempt cardan__contact_try_rows(cardan_sim *sim, double t_end) CARDAN_MUST_USE;

/* The step from the node that ends where the first of the features that the last attempt passed
 * closes, or ends to press; the last one ended at t_end. Never CROSSED or TOO_SHORT. */
cardan__attempt cardan__contact_locate(cardan_sim *sim, double t_end) CARDAN_MUST_USE;

/* Where a gap is least between two nodes h apart, from gaps and rates at both: a time from the
 * first of them, and *least; only where it falls first and rises in the end. */
double cardan__contact_valley(double h, const double gap[2], const double rate[2], double *least);

/* What meets at the node: an impact where something approaches. events: so many in this step, with
 * this one; more than 200 are an error */
cardan_status cardan__contact_strike(cardan_sim *sim, int events) CARDAN_MUST_USE;

/* The node that a step with cones ended at, contact_node.c.
 * _was_held    was closed feature i in that step? still: a velocity that is none
 * _solve_node  (N) with e = 0 of the first count features in c->impacts.index, after a step of h
 * _list_dry   dry friction of joints to c->impacts.index, behind count others; how many then
 * _join        its impulses join the momentum; those of the first `own` are r^+, in the records
 * _settle      both, of what was in the step, or of all that is closed
 * _drift       what time alone does to the gap of a bound [m/s] */
bool cardan__contact_was_held(cardan__contacts *c, int i, double still);
cardan_status cardan__contact_solve_node(cardan_sim *sim, int count, double h) CARDAN_MUST_USE;
int cardan__contact_list_dry(cardan__contacts *c, int count);
cardan_status cardan__contact_join(cardan_sim *sim, int count, int own) CARDAN_MUST_USE;
cardan_status cardan__contact_settle(cardan_sim *sim, bool all) CARDAN_MUST_USE;
double cardan__contact_drift(const cardan_data *data, const cardan__feature *f);

/* Steps at rest, contact_rest.c, of length h.
 * _still_rests  the last step was one: what it held is held by this one too
 * _may_rest     may this one be the first, with what is held? events: before it in this step
 * _set_resting  impulses that it starts from, where it is one or may be
 * _rest         its node, after it was accepted */
bool cardan__contact_still_rests(const cardan__contacts *c, double h);
bool cardan__contact_may_rest(cardan_sim *sim, double h, int events);
void cardan__contact_set_resting(cardan__contacts *c);
void cardan__contact_rest(cardan_sim *sim, double h);

/* The node that a step begins at, contact_rollback.c: memory, where option impacts asks for it;
 * saved; and restored after an attempt that was accepted. */
cardan_status cardan__contact_open_rollback(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__contact_save_node(cardan_sim *sim);
void cardan__contact_restore_node(cardan_sim *sim);

/* Impacts at the end of a step, contact_landing.c: an attempt of length h from the saved node was
 * accepted; lands what it passed, and makes the node with its impacts. Where no landing is found,
 * data are at the saved node again, for a shorter attempt. */
cardan_status cardan__contact_land(cardan_sim *sim, double h) CARDAN_MUST_USE;

/* The end of a step of length h becomes a node, contact_end.c, in two parts: what the step
 * did; features there. */
void cardan__contact_end_step(cardan_sim *sim, double h);
cardan_status cardan__contact_enter_node(cardan_sim *sim, int held) CARDAN_MUST_USE;

/* data's velocities, where they are not the node's; rates of all features by them. */
cardan_status cardan__contacts_velocities(cardan_sim *sim) CARDAN_MUST_USE;

/* Reports what failed at entry i, contact_message.c; returns CARDAN_ERR_NO_CONVERGENCE. */
cardan_status cardan__contact_fail(cardan_sim *sim, int i, const char *what);
