/* SPDX-License-Identifier: Apache-2.0
 * contact/ledger.h - impulses of the step before a node, and the energy that contacts took. */
#pragma once
#include "cardan/contact.h"
#include "contact/feature.h"

/* Impulses of a feature on A in world axes, force and couple (as cardan__feature_world has them):
 * as the step that led to the node began, and as it ended. */
typedef struct {
  cardan__feature_kind kind;
  int joint, index, pair; // of cardan__feature
  bool held;              // it was held in the step; else closed, and flying
  cardan_vec3 minus[2], plus[2];
  double give;                          // G of its normal at the node; 0: not known
  double slack[CARDAN__FEATURE_GROUPS]; // the same over the rows of each group, their trace; of a
                                        // DRY_FRICTION [0] is its mean velocity over the step,
                                        // [1] that of the node before
  bool sticks;                          // by static friction, over the step
  bool stuck;                           // nothing can move it along its normal
  bool left;                            // its spot is at another place now than the step held
} cardan__contact_record;

typedef struct {
  cardan_contact_stats stats;
  double driven;        // work of bounds that depend on t; of prescribed motion in impacts,
                        // where the method does not count it [J]
  double dry;           // taken by dry friction of joints [J]
  double dry_error;     // of that, in the last step: where joints stop or turn round [J]
  bool dry_turns;       // one of them did, in the step before the node
  int nrecord, nbefore; // nbefore: of them those that were closed as the step began
  cardan__contact_record *record; // 2 most: of the step before the node, and at it
  int cursor;                     // where the last record was found: the next often follows
  double h;                       // length of the step before the node [s]
  double node_error;              // [m/s] of (N) of the node
} cardan__contact_ledger;
