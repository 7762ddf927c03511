/* SPDX-License-Identifier: Apache-2.0
 * contact/landing.h - steps whose impacts act at their end: what closes within a step is brought
 * back to where it touches by impulses that change positions alone (run/contact_landing.c). */
#pragma once
#include "contact/feature.h"

/* Option impacts. */
typedef enum {
  CARDAN__IMPACTS_LOCATED, // a step is cut where a gap closes
  CARDAN__IMPACTS_STEP,    // impacts at the end of a step
  CARDAN__IMPACTS_AUTO     // the first, while a step has few events
} cardan__impacts_mode;

typedef struct {
  cardan__impacts_mode mode;
  bool on;          // impacts of the step under way act at its end
  bool landed;      // one did: overlaps that it may have left stay
  bool contradicts; // and those of less than CARDAN__LANDED too, since rows that push them out
                    // contradicted one another in some step
  bool resumes;     // the start is a node of a run: what overlaps there is what landings left
  int wait;         // auto: so many steps follow whose impacts do
  int tries;        // attempts in the step
  int fresh;        // contacts that were new at its nodes
  bool passed;      // something that was open closes in the attempt
  bool blind;       // gaps of the attempt are not wanted

  // the landing: contacts that it may push apart, and what they were before it
  int n, *index;            // most: features of the node
  cardan__feature *feature; // most
  double *lambda, *held;    // most: impulses, and r_n^- of what the step held [N s | N m s]
  double *gap, *rate, *end; // most: at the node, and where the step ends without a landing
  double *approach;         // most: speeds of approach where gaps close
  double *hold, *push;      // nv: momentum by impulses r^-, by lambda
  double *v, *change;       // nv: velocities of the node; of lambda
  double factor;            // of lambda in the attempt; 0: nothing lands
  double shorter;           // length of a step that may land; 0: this one did [s]
  double deepest;           // overlap without the landing [m]
  double before, rubbed;    // energy less work there; what friction of r^+ takes there [J]
  char *node;               // node_size bytes: the method's node where the step begins
  size_t node_size;
} cardan__landing;
