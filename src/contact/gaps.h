/* SPDX-License-Identifier: Apache-2.0
 * contact/gaps.h - which features are near at a node, and their gaps.
 *
 * Features are limits of joints, bounds (stops, ropes, inequalities) and spots: places where two
 * solids may touch. Those of limits and bounds exist for the whole run; spots are found again at
 * every node, for pairs whose solids may meet in one step. */
#pragma once
#include "contact/broad.h"
#include "contact/feature.h"

/* A feature from one node to the next.
 * OPEN    its gap is open
 * FLYING  closed, and separating
 * HELD    closed, and held while it is pressed
 * SPARE   closed, but redundant: the held ones hold it too (rows only) */
typedef enum { CARDAN__OPEN, CARDAN__FLYING, CARDAN__HELD, CARDAN__SPARE } cardan__closure;

/* How a start is moved out of solids: the tree of this root. */
typedef struct {
  int passes, met; // how often it was moved; the first pair that it was moved for
  cardan_vec3 way; // displacement in all, in the world [m]
  int pair, body;  // its deepest overlap, -1: none; body of its solid there
  double gap;      // < 0
  cardan_vec3 out; // unit vector, the way out of it
} cardan__initial_separation;

/* Features and gaps at the node, and at the end of the step that is tried. */
typedef struct {
  bool needs_poses;         // gaps depend on poses, not on coordinates alone
  int nsolid;               // solids; 0: the model has none that may touch
  int nfixed, n, room;      // features: of the whole run; at the node; at most
  cardan__feature *feature; // room; behind them dry friction of joints, which has no gap
  int nwatch, room_watch;   // pairs whose own gap is watched
  int *watch, *near;        // room_watch; near: pairs that may meet in the step
  int nignored, room_ignored;
  int *ignored; // room_ignored, ascending: pairs that overlap at the start (contacts auto)
  cardan__initial_separation *separation; // nbody, where there is room_ignored
  int *owner;                             // room: of spots, index of their pair in watch
  double *base; // room_watch: what their values count from, see CARDAN__WATCHED

  // of features, and from room on of watched pairs (room + room_watch)
  double *gap;  // at the node
  int *closure; // cardan__closure
  bool *active; // the step holds it
  double *next; // at the end of the trial: gaps; of those that rows hold their force
  double *rate; // u_n at the node, where velocities are known
  bool any_nan; // a gap at the end of the last trial was not a number

  // solids
  cardan_xform *X;       // nbody: poses at the node
  double *moved, *reach; // nbody: displacements in the trial; up to which pairs were searched
  double min_reach;      // [m]
  cardan__broad broad;
  cardan__spot *spot; // CARDAN__SPOTS_MOST of one pair
  double *width;      // nsolid: how thick they are
  int *fast;          // room_watch: work space

  double *last, last_h; // nfixed gaps at the node before, and how long ago; 0: not known
} cardan__contact_gaps;

/* The gap of a coordinate's limit, sign (q - bound). */
typedef struct {
  int q;
  double sign, bound;
} cardan__edge;

/* Steps that skip the search for near pairs (contact_skip.c). */
typedef struct {
  bool possible;        // joints and features allow it
  bool calm;            // the next steps skip the search
  bool looked;          // the end of the last step was checked
  double budget;        // displacements that are safe [m]
  double budget_world;  // the same of the world, against what falls together [m]
  double used, before;  // the largest part of them that is used; at the check before
  double each;          // what of them the last step used
  double ease;          // largest displacement of a body if every coordinate is off by 1 [m]
  double since, until;  // time of the last check; up to when the next nodes are predicted
  double off;           // by how much each coordinate may be off the prediction
  double middle;        // a time: of mean rates; -HUGE_VAL: they are not known
  int wait, lasted;     // checks before it is tried; steps that it lasted
  int unforeseen;       // checks before more is predicted
  double *arm, *gone;   // nbody: farthest point below the joint; displacement since it was measured
  double *q;            // nq: coordinates of the node that was checked last
  double *slope, *bend; // nq: their rates; half of second ones
  double *step, *mean;  // nq: their change in the step to it, and mean rates in that
  const double *node;   // nq: of the node, in a step that skips the search; else NULL
  cardan__edge *edge;   // nfixed: where all of them are limits of coordinates
} cardan__contact_skip;

/* Spots that one pair may have at one time, at most. */
enum { CARDAN__SPOTS_MOST = 1024 };

/* Gaps of pairs are watched beside those of their spots, which miss other places that come to
 * touch. The value of one is its gap less the base min(0, gap at the node) - CARDAN__WATCHED, and
 * is compared with CARDAN__WATCHED: twice as much is passed without an event. It is more than the
 * error of choosing a spot (contact/touch.h) [m]. */
#define CARDAN__WATCHED 2e-7

/* Solids that overlap at the start by more than this part of the mechanism's size, and bounds that
 * are passed by it, are an error of the data. */
#define CARDAN__OVERLAP 1e-6
