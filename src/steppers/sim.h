/* SPDX-License-Identifier: Apache-2.0
 * steppers/sim.h - the inside of a cardan_sim. */
#pragma once
#include "cardan/constraints.h"
#include "cardan/sim.h"
#include "steppers/method.h"
#include "steppers/parts.h"

/* What the watch remembers of the nodes that it looked at (watch.c). */
typedef struct {
  int64_t looks;
  double t, balance, kinetic; // of the last [s, J, J]
  double kinetic_max, band;   // largest so far: kinetic energy, change of the balance
  double violation;           // of the loops at the start
  bool open;                  // they have been, far more than that
  int row;                    // the one that was open most when they were first; -1: not known
} cardan__watch;

struct cardan_sim {
  const cardan_model *model;
  cardan_options options;
  cardan_allocator allocator;
  cardan_data *data;
  cardan__stepper *stepper;
  cardan_stats stats;
  double square_sum; // of the iterations' deviations
  double t_start;
  cardan__parts parts;
  bool started;
  bool settled; // data's velocities and kinematics, and stats, are of the last node
  cardan_assembly assembly;
  char note[512];
  cardan__watch watch;
  char watch_text[384];
  cardan_force *reaction; // njoint, for rows
};

/* The columns of cardan_sim_columns(sim, add) out of a row that has those of all; add is part of
 * all. */
void cardan__row_part(const cardan_sim *sim, int all, const double *row, int add, double *part);

/* Adds to the note what sim->assembly says that the start had to change (note.c). */
void cardan__sim_note_start(cardan_sim *sim);

/* A look at the node that data and stats are at. balance: energy - start - work [J] (watch.c) */
void cardan__watch_look(cardan_sim *sim, double balance, double kinetic, double violation);

/* Is what the watch saw a reason to end a run? A loop that is open is, where the method was to hold
 * it closed; anything, for a strict one. returns CARDAN_ERR_JUMP and a sentence */
cardan_status cardan__watch_heed(const cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* Looks at the whole of a run so far, for what no two nodes show.
 * returns CARDAN_ERR_JUMP and a sentence for a strict one */
cardan_status cardan__watch_end(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* Does the integrator choose its own steps, so that dt is an interval between rows? */
bool cardan__sim_adaptive(const cardan_sim *sim);

/* What a call that needs a start says without one. returns CARDAN_ERR_ARGUMENT */
cardan_status cardan__sim_not_started(cardan_report *report);

/* Positions and velocities of everything at the node, for energies and violations. */
void cardan__sim_refresh(cardan_sim *sim);

/* Largest violation of the constraints at the node [m or rad]. */
double cardan__sim_violation(cardan_sim *sim);
