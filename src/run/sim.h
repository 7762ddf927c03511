/* SPDX-License-Identifier: Apache-2.0
 * run/sim.h - the inside of a cardan_sim, for run/ alone; sim_access.h is for other rooms. */
#pragma once
#include "cardan/constraints.h"
#include "cardan/contact.h"
#include "cardan/run.h"
#include "cardan/signals.h"
#include "cardan/sim.h"
#include "methods/method.h"
#include "run/angle_unwrap.h"
#include "run/aux_states.h"
#include "run/contact_run.h"
#include "run/estimate.h"
#include "run/sampled_control.h"
#include "run/sim_access.h"
#include "run/substeps.h"
#include "run/switches.h"
#include "run/trend.h"
#include "run/watch_momenta.h"

/* What is measured at a node. */
typedef struct {
  double kinetic, potential; // [J]
  double violation;          // of the constraints [m or rad]
} cardan__measures;

/* A program's hooks, and what events need. */
typedef struct {
  cardan_hooks hooks;
  double *block;     // of the arrays below
  double *from, *to; // nevent each: values before and behind a crossing
  double *now;       // nevent: at the end of a trial
  double *third;     // nevent: at the end of the bracket that was replaced last
  bool *fires;       // nevent
  double t_from;     // the node that `from` belongs to between steps; NAN: none
} cardan__hooked;

struct cardan_sim {
  const cardan_model *model;
  unsigned revision; // of the model when the sim was made
  cardan_options options;
  uint64_t model_print;    // the model's fingerprint (saved_state.c), 0: not known yet,
  unsigned print_revision; // at this revision of the model
  uint64_t options_print;  // their fingerprint, of states (saved_state.c); 0: not known yet
  cardan_allocator allocator;
  cardan_data *data;
  cardan__stepper *stepper;
  cardan_stats stats;
  double square_sum; // of the iterations' deviations
  double t_start;    // of the grid that steps of dt are on
  int64_t k_start;   // steps that were taken before it
  double work_start; // done before the method was started last [J]
  cardan__substeps substeps;
  cardan__aux_states aux_states;
  cardan__sampled_control sampled_control;
  cardan__angle_unwrap angle_unwrap;
  cardan__hooked hooked;
  cardan__momenta_watch momenta;
  cardan__estimate estimate;
  cardan__switches switches;
  cardan__snapshot advance_begin; // the node where cardan__sim_advance began, to roll back to
  cardan__snapshot trial_begin;   // the same of a trial of contacts within it
  cardan__snapshot step_begin;    // and of a step of several advances; no bytes: steps have one
                                  // (docs/decisions/2026-11-20-snapshots.md)
  bool saves_advance;             // every advance saves it
  cardan__contacts *contacts;     // NULL: none, or the method does not hold them
  bool skips_stiff;               // one of many starts: springs were looked at in the first
  bool started;
  bool settled;          // data's velocities and kinematics, and stats, are of the last node
  cardan__measures seen; // of the node that was looked at last
  cardan_assembly assembly;
  char note[768];
  cardan__watch watch;
  cardan__trend trend; // of the balance, at the nodes that were looked at
  char watch_text[CARDAN__WATCH_TEXT];
  cardan_force *reaction; // njoint, for rows
  void *scratch;          // scratch_size bytes: cardan__sim_scratch
  size_t scratch_size;
  const cardan_signals *signals;   // inputs over time; NULL: the caller's
  cardan__input_lines input_lines; // of these, where they are linear
  bool drivers_jump;               // a motion of the model may (drivers.c)
  bool angles_wrap, bushings_wrap; // angles of forces, or bushings, may at half a turn
  int ngrip;                       // rolling wheels whose friction is checked, at every node
  bool outputs_forward; // the model's outputs read accelerations, multipliers or driver forces
};

/* Measures the node again: sim->seen.
 * needs   cardan_sim_observe */
void cardan__sim_measure(cardan_sim *sim);

/* The same, and energy drift, constraint error, contacts and the watch: statistics of the node. */
void cardan__sim_measure_drift(cardan_sim *sim);

/* Kinetic and potential energy at data [J]. */
double cardan__sim_energy(cardan_sim *sim);

/* The smallest gap there, HUGE_VAL: none in reach. needs contacts */
double cardan__touching_gap(const cardan_sim *sim);

/* Adds to the note what sim->assembly says that the start had to change (note.c). */
void cardan__sim_note_start(cardan_sim *sim);
/* That option max-error bounds an error of which no estimate is made; once. */
void cardan__sim_note_max_error(cardan_sim *sim);

/* And which spring is faster than the method follows at this dt, or survives (note_stiff.c): not
 * where sim->skips_stiff is set. returns CARDAN_ERR_MEMORY, else CARDAN_OK */
cardan_status cardan__sim_note_stiff(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__sim_note_text(cardan_sim *sim, const char *text);

/* And that a joint did not start where it was, but on a limit, and how many more; or somewhere
 * inside its limits, where loops close; that limits are not held. */
void cardan__sim_note_placed(cardan_sim *sim, const char *joint, double from, double to, int more);
void cardan__sim_note_inside(cardan_sim *sim, const char *joint, double from, double to, int more);
void cardan__sim_note_limits(cardan_sim *sim);

/* And that the tree of a body was moved so far [m], so that a solid of it does not overlap another;
 * and how many more trees were. */
void cardan__sim_note_separated(cardan_sim *sim, int body, cardan_vec3 way, int solid, int other,
                                int more);

/* And that a pair overlaps at the start by so much [m], and is left out, as are so many more. */
void cardan__sim_note_overlap(cardan_sim *sim, int pair, double depth, int more);

/* And that a solid is so thin [m] that tolerances of contacts may matter. */
void cardan__sim_note_small(cardan_sim *sim, int solid, double width);

/* Checks the node that data and stats are at. balance: energy - start - work [J] (watch.c) */
void cardan__watch_look(cardan_sim *sim, double balance, double kinetic, double violation);

/* The same for tables, bushings and angles, before it; what those saw is added to the watch's
 * sentence at the end (watch_tables.c, watch_bushings.c, watch_angles.c). */
void cardan__watch_tables(cardan_sim *sim);
void cardan__watch_tables_end(cardan_sim *sim);
void cardan__watch_bushings(cardan_sim *sim);
void cardan__watch_bushings_end(cardan_sim *sim);
/* Refuses a start with a tyre whose disc lies flat; tyres that leave the ground (watch_tyres.c). */
cardan_status cardan__check_tyres(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;
void cardan__watch_tyres(cardan_sim *sim);
void cardan__watch_tyres_end(cardan_sim *sim);
void cardan__watch_angles(cardan_sim *sim);
void cardan__watch_angles_end(cardan_sim *sim);

/* The same for wheels with (grip ..), from the multipliers of the node (watch_grip.c). _count: how
 * many there are; _waits: is one of them not warned of yet? Then every node is looked at. */
int cardan__watch_grip_count(const cardan_model *model);
bool cardan__watch_grip_waits(const cardan_sim *sim);
void cardan__watch_grip(cardan_sim *sim);
void cardan__watch_grip_end(cardan_sim *sim);

/* The same for momenta (watch_momenta.c). _restart: velocities are others, or the run begins;
 * _pushed: a step was made, with what a program pushes. */
cardan_status cardan__watch_momenta_create(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__watch_momenta_destroy(cardan_sim *sim);
void cardan__watch_momenta_restart(cardan_sim *sim);
void cardan__watch_momenta_pushed(cardan_sim *sim);
void cardan__watch_momenta(cardan_sim *sim);
void cardan__watch_momenta_end(cardan_sim *sim);

/* Has the model angles, or bushings, that jump at half a turn? Then every node is looked at, until
 * one is there. */
bool cardan__angles_may_wrap(const cardan_model *model);
bool cardan__bushings_may_wrap(const cardan_model *model);

/* May a motion of the model jump, or its rate? If so, _watch_drivers searches for jumps between two
 * nodes (drivers.c). */
bool cardan__drivers_may_jump(const cardan_model *model);
void cardan__watch_drivers(cardan_sim *sim, double from, double to);

/* Checks data->y, the outputs of the node. */
void cardan__watch_outputs(cardan_sim *sim);

/* Work done since the start, that of impacts too [J]. */
double cardan__sim_work(const cardan_sim *sim);

/* Is the node saved at the beginning of every step, to which a step that fails returns? Samples of
 * a controller and events move the node within it. */
static inline bool cardan__sim_saves_step(const cardan_sim *sim)
{
  return sim->sampled_control.value != NULL || sim->hooked.hooks.nevent > 0;
}

/* From the node to t, by the method, and by its contacts where there are; auxiliary states of a
 * method that does not integrate them itself are held. */
cardan_status cardan__sim_carry(cardan_sim *sim, double t) CARDAN_MUST_USE;

/* The same with these. */
cardan_status cardan__sim_move(cardan_sim *sim, double t) CARDAN_MUST_USE;

/* The same, in parts where option adapt asks for it. */
cardan_status cardan__sim_advance(cardan_sim *sim, double t) CARDAN_MUST_USE;

/* The same, not cut where forces switch by the state (switch_events.c). */
cardan_status cardan__sim_advance_whole(cardan_sim *sim, double t) CARDAN_MUST_USE;

/* Forces switch at the node: the time becomes t, which is behind that (switches.c). */
cardan_status cardan__switches_pass(cardan_sim *sim, double t) CARDAN_MUST_USE;

/* The same with hooks: cut at events, which are called (hooks.c). */
cardan_status cardan__sim_advance_hooked(cardan_sim *sim, double t,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Closes the loops unless the options exclude it, and starts the method at data's state. */
cardan_status cardan__sim_begin(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* Why a step from data's node failed, to report; returns status. */
cardan_status cardan__sim_explain(cardan_sim *sim, cardan_status status, cardan_report *report);
/* The same at another time. when: "the start" */
cardan_status cardan__sim_explain_at(cardan_sim *sim, cardan_status status, const char *when,
                                     cardan_report *report);

/* Is an expression of the model not a number at data's node, or on the way that a step goes from
 * there? Then a sentence of it, with its line, to text (undefined.c). */
bool cardan__sim_undefined(cardan_sim *sim, char *text, size_t size);

/* The same at the node alone, whose kinematics are fresh. */
bool cardan__node_undefined(const cardan_sim *sim, char *text, size_t size);

/* model->expr[index] in words: itself, whose it is, and its line. */
void cardan__expr_named(const cardan_sim *sim, int index, char *text, size_t size);

/* As cardan_sim_observe, for a row: without A0 where there are no constraints. cardan_sim_data
 * calls it for callers that read the data. */
cardan_status cardan__sim_settle(cardan_sim *sim) CARDAN_MUST_USE;

/* Positions and velocities of everything at the node, for energies and violations. */
void cardan__sim_refresh(cardan_sim *sim);
/* Velocities and kinematics of the node that data is at; its q and the method's momenta are new. */
cardan_status cardan__sim_update_node(cardan_sim *sim) CARDAN_MUST_USE;

/* The same without the accelerations A0 where there are no rows. */
void cardan__sim_place(cardan_sim *sim);
