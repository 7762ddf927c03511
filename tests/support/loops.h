/* SPDX-License-Identifier: Apache-2.0
 * loops.h - texts with loops, and random states, for the tests of constraints. */
#pragma once
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "fixture.h"

/* The status that building a text gives, and its report. */
cardan_status loops_try(const char *text, cardan_report *report);

/* A random state near the model's start: q moved by up to size, v up to speed, t in 0 .. 1, and
 * cardan_kinematics and cardan_constraints there. */
void loops_random_state(fixture *f, support_rng *rng, double size, double speed);

/* A planar four-bar in the x-z plane, hinges about y: crank "q1" and coupler "q2" from the origin,
 * rocker "q3" from (ground, 0, 0), its end joined to the coupler's by the given constraint between
 * "B" and "C". */
void loops_fourbar_text(char *text, size_t size, double crank, double coupler, double rocker,
                        double ground, const char *constraint, const char *initial);

/* n spatial four-bars of hinges, three of the five rows of each redundant, on a frame that spins:
 * 1 + 3 n coordinates, mobility 1 + n. To be freed. */
char *loops_fourbars_text(int n);
