/* SPDX-License-Identifier: Apache-2.0
 * contact/impacts.h - closed features at one node: responses, impacts, and how often each was
 * hit. */
#pragma once
#include "constraints/row_products.h"
#include "contact/feature.h"
#include "contact/impact.h"
#include "dynamics/columns.h"

/* How often a limit or bound, or a pair, was hit in the step under way. missed: the step was cut
 * where a spot of the pair closes, and nothing met. */
typedef struct {
  cardan__feature_kind kind;
  int joint, index, pair;
  int count;
  bool missed;
} cardan__hits;

/* With u = J v + u_0, W = A J^T (dynamics/mobility.h) and G = J W. */
typedef struct {
  int nhit;
  cardan__hits *hit;    // most
  int max_hits;         // hits of one in a step, from which on it has no restitution
  double crawl;         // [m/s] after as many events of all: slower approaches have none either
  int last_feature;     // of the last impact
  bool too_many_events; // in this step

  // closed ones, at most so many at one time
  int most, most_rows, nclosed, *index;
  int m, *first;     // rows of them; first row of each
  int rank;          // rows: of G of the held ones, once factored: rows order[0 .. rank - 1]
  double *J, *W, *G; // m x nv twice, m^2: rows, responses A J^T, and the Delassus matrix J A J^T
  cardan__columns_room columns; // of responses
  double *together;             // nv x CARDAN__TOGETHER: columns of W
  cardan__row_reach *reach;     // most: of those whose responses are made
  cardan__tree_part (*part)[2]; // most: where these are not 0, without loops
  int *nparts;                  // most
  double *u, *r, *e;            // most_rows, most_rows, most
  double *b, *after;            // most_rows: of (N), and u after it
  double *dp;                   // nv: generalised impulse
  double *tau;                  // nv: the caller's forces, while holding forces are added to them
  cardan_force *f;              // nbody: likewise
  double *work;                 // cardan__impact_work
  int *iwork, *order;
  cardan__cone *closed_cone, *chosen; // most
  int (*tree)[2];                     // most
  bool trees_contiguous;              // every tree is a range of bodies, and of velocities
  int *root, *end; // nbody: the tree of a body; of a root, one past its last body
  int *island;     // 2 nbody: of a tree, and whether something approaches there
} cardan__contact_impacts;
