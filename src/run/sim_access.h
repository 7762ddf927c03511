/* SPDX-License-Identifier: Apache-2.0
 * run/sim_access.h - what other rooms read of a simulation, and ask of it, beyond cardan/sim.h. */
#pragma once
#include "cardan/contact.h"
#include "cardan/run.h"
#include "cardan/sim.h"
#include "methods/method.h"
#include "run/estimate.h"

const cardan_model *cardan__sim_model(const cardan_sim *sim);
const cardan_allocator *cardan__sim_allocator(const cardan_sim *sim);

/* The method at work. */
cardan__stepper *cardan__sim_stepper(const cardan_sim *sim);

/* Data as they are: t and q of the last node, the rest perhaps of an earlier one. cardan_sim_data
 * brings it up to the node. */
cardan_data *cardan__sim_node(const cardan_sim *sim);

/* Statistics as they are; cardan_sim_stats observes the node first. */
const cardan_stats *cardan__sim_counts(const cardan_sim *sim);

/* The estimated error of the coordinates at the node. */
cardan_error_estimate cardan__sim_error(const cardan_sim *sim);

bool cardan__sim_started(const cardan_sim *sim);

/* One of many starts: springs are looked at in the first alone (note_stiff.c). */
void cardan__sim_skip_stiff(cardan_sim *sim, bool skips);

/* Are there contacts or limits that the method holds? */
bool cardan__sim_has_contacts(const cardan_sim *sim);

/* Joints whose dry friction the method holds by rows. */
int cardan__sim_dry_rows(const cardan_sim *sim);

/* Is a contact or limit closed at the node? Then the name of the first, cut to size. */
bool cardan__sim_closed_contact(const cardan_sim *sim, char *name, size_t size);

/* What touches at the node, or may in the next step: how many places, and one of them (touching.c).
 * needs  cardan_sim_observe */
int cardan__touching_count(const cardan_sim *sim);
void cardan__touching_at(const cardan_sim *sim, int k, cardan_touching *out);

/* Does the integrator choose its own steps, so that dt is an interval between rows? */
bool cardan__sim_adaptive(const cardan_sim *sim);

/* What a call that needs a start says without one. returns CARDAN_ERR_ARGUMENT */
cardan_status cardan__sim_not_started(cardan_report *report);

/* Data at the model's start, at the time that the options begin at. */
void cardan__sim_reset(cardan_sim *sim);

/* Room for so many bytes, of any values, until the next call; kept until the sim ends, for calls
 * that are repeated. returns NULL without memory */
void *cardan__sim_scratch(cardan_sim *sim, size_t size);

/* The model's outputs at the node, to data->y.
 * needs   cardan_sim_observe
 * returns why there are no accelerations, where outputs read them */
cardan_status cardan__sim_outputs(cardan_sim *sim) CARDAN_MUST_USE;

/* The columns of cardan_sim_columns(sim, add) out of a row that has those of all; add is part of
 * all. */
void cardan__row_part(const cardan_sim *sim, int all, const double *row, int add, double *part);

/* cardan_run without its end: no check of the last node and of the whole.
 * at  out: how far it came */
cardan_status cardan__run_steps(cardan_sim *sim, int64_t steps, const cardan_sink *sinks, int nsink,
                                cardan_run_state *at, cardan_report *report) CARDAN_MUST_USE;

/* As cardan_sim_columns, _column and _find_column: columns are the model's alone. */
int cardan__column_count(const cardan_model *model, int add);
void cardan__column_name(const cardan_model *model, int add, int k, char *name, size_t size);
int cardan__column_find(const cardan_model *model, int add, const char *name);

/* ---- the watch ---- */

enum { CARDAN__WATCH_TEXT = 640, CARDAN__WATCH_GRIPS = 16 };

/* What the watch remembers of the nodes that it has checked (watch.c). */
typedef struct {
  int64_t looks;
  double t, balance, kinetic; // of the last [s, J, J]
  double kinetic_max, band;   // largest so far: kinetic energy, change of the balance
  double violation;           // of the loops at the start
  double play, t_off;         // energies in play before the balance went off, and when [J, s]
  bool off, blown;            // it is off; it went far beyond those
  bool far;                   // it is beyond those, since
  double t_far;               // then [s]
  double step_max;            // largest way of a coordinate in one step (run.c) [m, rad]
  bool undefined, driven;     // an output was not a number; a driver jumped: words, no jumps
  bool open;                  // loops have been open, far more than at the start
  int row;                    // the one that was open most when they were first; -1: not known
  int ntable;                 // expressions with tables
  int left;                   // the first one whose table was left, from 1; 0: none was
  double left_t, left_x;      // when, and the table's argument
  double left_end;            // its point that this is beyond
  int turned;                 // the first bushing that comes to half a turn, from 1; 0: none does
  double turned_t, turned_angle, turned_rate; // when, and how [s, rad, rad/s]
  int lifted;                                 // the first tyre off the ground, from 1; 0: none is
  double lifted_t, lifted_depth;              // when, and how high, negative [s, m]
  int wrapped;                        // the first expression whose angle does, from 1; 0: none does
  double wrapped_at[3];               // when, and how
  int ngrip;                          // rolling wheels that friction would not hold
  int grip[CARDAN__WATCH_GRIPS];      // their constraints, from 1
  double grip_t[CARDAN__WATCH_GRIPS]; // when first [s]
  double grip_normal[CARDAN__WATCH_GRIPS]; // normal force then [N]
  double grip_slip[CARDAN__WATCH_GRIPS];   // tangential force then [N]
  // the warning has it
  bool table_reported, bushing_reported, tyre_reported, angle_reported, momentum_reported;
  bool error_reported, grip_reported;
} cardan__watch;

/* Is what the watch saw a reason to end a run? A motion that blew up is, and a loop that is open
 * where the method was to hold it closed; anything, for a strict one.
 * returns CARDAN_ERR_BLEW_UP, CARDAN_ERR_JUMP or CARDAN_ERR_STRICT, and a sentence */
cardan_status cardan__watch_heed(const cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* After a step from the node failed with this status: the same, but CARDAN_ERR_BLEW_UP where the
 * balance of the node was that of a motion that blows up. */
cardan_status cardan__watch_failure(cardan_sim *sim, cardan_status status,
                                    cardan_report *report) CARDAN_MUST_USE;

/* Energies that are there, or could be, whatever the motion does [J]. */
double cardan__watch_scale(const cardan_sim *sim);

/* Checks the whole of a run so far, for what no two nodes show.
 * returns CARDAN_ERR_STRICT and a sentence for a strict one */
cardan_status cardan__watch_end(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* What was seen of one of several copies of a model that use a sim in turn. */
typedef struct {
  cardan_stats stats; // energies and drift
  cardan__watch watch;
  char text[CARDAN__WATCH_TEXT];
  cardan_error_estimate error; // at its end
} cardan__watched_copy;

/* Checks the copy's node, whose energies are in its stats. balance: as for a run of its own.
 * writes  the sim's statistics and watch, which become those of the copy */
void cardan__watched_copy_look(cardan_sim *sim, cardan__watched_copy *copy, double balance,
                               double kinetic);

/* The run of the copy is over, at time t: the sim's note becomes that of a start, copy->text what
 * the watch saw, copy->error what estimate holds (NULL: none). */
void cardan__watched_copy_end(cardan_sim *sim, cardan__watched_copy *copy,
                              const cardan__estimate *estimate, double t);

/* A copy of a batch in lanes that a sim of its model and options steps for a while (sim_resume.c).
 * _has_only_limits      does the sim hold nothing but limits of joints and contacts of solids?
 * _has_solids           may solids touch?
 * _suits_lanes          is the node so far from all limits and open contacts that a lane can
 *                       continue, and does all that is closed stay so? Writes data's v
 * _resume               starts at data's t, q, v as node `step` of the copy, which has done so much
 *                       work [J]
 * _contact_past         of a closed contact, a spot of a pair: its normal impulse as the last step
 *                       began [N s], and the trace of its G over the tangents [1/kg], by which a
 *                       step decides whether it slides fast; 0 where there is none
 * _set_contact_past     the impulse, after _resume; G is that of the node
 * _leave                copies statistics and the watch to the copy
 * _swap_estimate        exchanges the sim's estimate and the copy's */
bool cardan__sim_has_only_limits(const cardan_sim *sim);
bool cardan__sim_has_solids(const cardan_sim *sim);
bool cardan__sim_suits_lanes(cardan_sim *sim);
cardan_status cardan__sim_resume(cardan_sim *sim, const cardan__watched_copy *copy, int64_t step,
                                 double work, cardan_report *report) CARDAN_MUST_USE;
void cardan__sim_contact_past(cardan_sim *sim, int pair, int spot, double *push, double *slack);
void cardan__sim_set_contact_past(cardan_sim *sim, int pair, int spot, double push);
void cardan__sim_leave(cardan_sim *sim, cardan__watched_copy *copy, double *work);
void cardan__sim_swap_estimate(cardan_sim *sim, cardan__estimate *estimate);
