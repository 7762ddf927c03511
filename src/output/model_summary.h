/* SPDX-License-Identifier: Apache-2.0
 * output/model_summary.h - what there is to say about a model, counted once for text and JSON. */
#pragma once
#include "cardan/constraints.h"
#include "cardan/sim.h"
#include "model/joint_table.h"

enum { CARDAN__SUMMARY_METHODS = 16, CARDAN__SUMMARY_INTEGRABLE = 16 };

typedef struct {
  const char *name; // as the user named it
  int bodies, massless;
  int joints[CARDAN__JOINT_MOST]; // by kind
  int transforms;                 // of the joints, those written as transforms
  int dof, kinematic;
  int loops;            // independent closed loops
  int loop_constraints; // constraints that join two bodies
  int redundant;        // rows
  int nintegrable;      // constraints on velocities that follow from relations of positions,
  int integrable[CARDAN__SUMMARY_INTEGRABLE]; // the first of them
  int efforts, meshes;
  cardan_assembly start;
  cardan_options options; // the model's own
  int nmethod;
  bool takes[CARDAN__SUMMARY_METHODS];
  cardan_report reason[CARDAN__SUMMARY_METHODS]; // why not
} cardan__model_summary;

/* Does a constraint join two bodies (rather than coordinates)? */
bool cardan__is_loop(const cardan_constraint *constraint);

/* Counts. Allocates and assembles; facts need no freeing.
 * returns CARDAN_ERR_MEMORY, or what assembling returns; CARDAN_ERR_ASSEMBLY also for a start that
 *         a run would refuse, since it is beyond limits or bounds, or solids overlap */
cardan_status cardan__model_summary_find(const cardan_model *model, const char *name,
                                         const cardan_allocator *allocator,
                                         cardan__model_summary *facts,
                                         cardan_report *report) CARDAN_MUST_USE;
