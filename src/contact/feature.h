/* SPDX-License-Identifier: Apache-2.0
 * contact/feature.h - what a step sees of things that must not be passed: gaps, rows, cones, slip.
 *
 * A feature i has a gap phi_i(q, t) >= 0 [m or rad] and dim rows J in velocity space, the first
 * with d phi_i / dt = J v + u_0, the others, where there is friction, rates of sliding, spinning
 * and rolling of what touches. An impulse r (dim) on it is the generalised impulse J^T r.
 *
 *             gap                               rows
 *   limit     q - low, high - q                 +1, -1 on that velocity                     (F1)
 *   bound     sign Phi of a one-sided row       sign J of constraints/rows.h: stops, ropes,
 *                                               inequalities
 *   spot      that of touch.h, A and B touch    d . (v_A(x) - v_B(x)),  d = n, t1, t2       (F2)
 *             at x, normal n from B to A        d . (w_A - w_B),        d = n; t1, t2       (F3)
 *   dry       q - (q at the node)               +1 on that velocity
 * Rows of (F2) behind the normal are there where the pair has friction, those of (F3) where it has
 * `spinning` and `rolling`. One whose entries are all 0, in a planar model, is left out.
 * Dry friction of given size in a joint is one too: it has no gap that closes, but a force of at
 * most `force` against the joint's motion, a box of cones/ncp.h.
 *
 *   feature.c        the features of a model, where they are and what they are called
 *   feature_rows.c   rows at a configuration
 *   feature_way.c    the way of a step from a node, and its rows
 *
 * Nothing here depends on inertia; G = J A J^T is computed by dynamics/mobility.h. Nothing here
 * allocates. All calls need data with joints and poses computed. */
#pragma once
#include <stdbool.h>

#include "cardan/data.h"
#include "cones/ncp.h"
#include "constraints/row_reach.h"
#include "contact/touch.h"

typedef enum {
  CARDAN__LIMIT,
  CARDAN__BOUND,
  CARDAN__SPOT,
  CARDAN__DRY_FRICTION
} cardan__feature_kind;

/* Rows of one kind of friction, bounded together. SLIP: |r| <= friction r_n, 1 or 2 rows (F2);
 * SPIN: 1 row, ROLL: 1 or 2 rows (F3), whose directions have the lengths `spinning`, `rolling` [m]:
 * so their rates are speeds, the impulses forces times time, and |r| <= r_n. */
typedef enum { CARDAN__SLIP, CARDAN__SPIN, CARDAN__ROLL } cardan__feature_group;

enum { CARDAN__FEATURE_GROUPS = 3, CARDAN__FEATURE_ROWS = 6 };

typedef struct {
  cardan__feature_kind kind;
  int joint; // LIMIT, DRY_FRICTION: whose; a stop: that of its coordinate; else -1
  int index; // LIMIT: 0 low, 1 high; BOUND: into model->bound; SPOT: spot.id; DRY_FRICTION: k
  int pair;  // SPOT: into model->pair; else -1
  int q, k;  // limits and stops, coordinate and velocity: phi = sign (q - bound), J = sign e_k;
  double sign, bound; // k = -1: not such, and sign is that of the bound
  double restitution;
  double force; // DRY_FRICTION: the largest [N or N m]
  bool pinned;  // low and high are one place: it pushes both ways, and nothing bounces
  cardan__spot spot;
  bool frozen; // SPOT: it stays at the places of A and B where it was entered

  cardan__row_reach reach;

  // at the node where it was entered
  double gap;
  cardan__touch touch; // SPOT, as what follows
  cardan_xform X[2];   // poses of A and B
  int dim, ngroup;
  cardan__feature_group group[CARDAN__FEATURE_GROUPS];
  int size[CARDAN__FEATURE_GROUPS];    // rows of each
  cardan_vec3 d[CARDAN__FEATURE_ROWS]; // direction of each row, world axes; unit but for (F3)
} cardan__feature;

/* A gap that counts as closed [m or rad]; limits at half of it are one place. */
#define CARDAN__CLOSED 1e-9

/* ---- which there are (feature.c) ---- */

/* Those that a model has for good: limits, low before high, in the order of joints, then bounds in
 * the order of the file. Coordinates whose motion is prescribed have none: nothing can stop them.
 * out: as many as _count says */
int cardan__features_count(const cardan_model *model);
void cardan__features_list(const cardan_model *model, cardan__feature *feature);

/* Dry friction of given size in joints of one velocity, as features: the sum of all on a velocity
 * is one. 0 where some acts on a joint of several velocities or a prescribed one, on more than 128
 * joints, or beside so many loops that their equations are sparse: then all of it is a force
 * (forces/coulomb.c). feature: as many as _count says */
int cardan__dry_frictions_count(const cardan_model *model);
void cardan__dry_frictions_list(const cardan_model *model, cardan__feature *feature);

/* A spot as a feature, out. */
void cardan__feature_of_spot(const cardan_model *model, const cardan__spot *spot,
                             cardan__feature *feature);

/* What messages call it: the limit 0.5 of joint "knee"; rope "tether"; contact "foot" - "ground".
 * text: out, cut to size */
void cardan__feature_name(const cardan_model *model, const cardan__feature *f, char *text,
                          size_t size);

/* ---- limits and stops: k >= 0 ---- */

static inline double cardan__feature_gap(const cardan__feature *f, const double *q)
{
  return f->sign * (q[f->q] - f->bound);
}

/* u = J v. */
static inline double cardan__feature_rate(const cardan__feature *f, const double *v)
{
  return f->sign * v[f->k];
}

/* J as a row of nv numbers, out. */
void cardan__feature_row(const cardan__feature *f, int nv, double *row);

/* p += J^T r. */
static inline void cardan__feature_push(const cardan__feature *f, double r, double *p)
{
  p[f->k] += f->sign * r;
}

/* ---- all kinds, at a configuration ---- */

/* Gaps of n of them, out. */
void cardan__features_gaps(const cardan_model *model, const cardan_data *data, int n,
                           const cardan__feature *feature, double *gap);

/* Their rates d phi / dt at data's v, out; needs cardan_velocities. */
void cardan__features_rates(const cardan_model *model, const cardan_data *data, int n,
                            const cardan__feature *feature, double *rate);

/* v_A(x) - v_B(x) of a spot, at data's velocities. */
cardan_vec3 cardan__feature_velocity(const cardan_model *model, const cardan_data *data,
                                     const cardan__feature *f, cardan_vec3 x);

/* Sets what stands under "at the node": gap, place, directions, which rows it has. */
void cardan__feature_enter(const cardan_model *model, const cardan_data *data, cardan__feature *f);

/* J, dim x nv row-major, out; velocities whose motion is prescribed have their columns. At another
 * data than that of the node: normal and point are those there, other directions are carried along
 * with B. */
void cardan__feature_rows(const cardan_model *model, const cardan_data *data,
                          const cardan__feature *f, double *J);

/* u_0 (dim, out) of u = J v + u_0: what time alone does, in bounds that depend on it. */
void cardan__feature_drift(const cardan_model *model, const cardan_data *data,
                           const cardan__feature *f, double *u0);

/* ---- the step from the node to end ----
 * s (dim, out): the gap at end, then what slides, spins and rolls on the way, in the middle's
 * terms. With a the mean of the touching points at both ends in A's axes, and n the mean of the
 * normals at both ends as B sees them, to which the directions d are turned:
 *   xi(q) = R_B^T (R_A a + p_A - p_B),   s = d . R_B,k (xi(end) - xi(node))                (F4)
 *   s = d . R_B,k log(Q(end) Q(node)^T),   Q = R_B^T R_A                                    (F5)
 * Both are 0 to O(h^3) for what does not slide, spin or roll, and a corner that sticks stays. */
void cardan__feature_way(const cardan_model *model, const cardan_data *end,
                         const cardan__feature *f, double *s);

/* D (dim x nv, out): its derivatives by velocities at end; but for the change of n where B is
 * curved, O(h) of what slides, spins and rolls, and for a turn of less than 1e-3 rad. */
void cardan__feature_way_rows(const cardan_model *model, const cardan_data *end,
                              const cardan__feature *f, double *D);

/* ---- cones and impulses ---- */

/* The rows of a group become one, along u (its rates, as many as it has rows): what slides at the
 * node gets its friction along that direction in the first half of the step. dim is smaller then.
 * Leaves f as it is where the group has one row, or none, or u is 0. */
void cardan__feature_slide(cardan__feature *f, cardan__feature_group group, const double *u);

/* The cone of f, its first row at `row`. sticks: by the static friction of the pair. */
cardan__cone cardan__feature_cone(const cardan_model *model, const cardan__feature *f, int row,
                                  bool sticks);

/* An impulse r (dim) on A in world axes: force and couple, out; of limits and bounds, r stands as
 * force->x. And back: the part of it that f has rows for. */
void cardan__feature_world(const cardan__feature *f, const double *r, cardan_vec3 *force,
                           cardan_vec3 *couple);
void cardan__feature_local(const cardan__feature *f, cardan_vec3 force, cardan_vec3 couple,
                           double *r);

/* Onto bodies and joints, what force and couple (of force.x, for limits and bounds) on the feature
 * are: wrenches f (nbody, in the bodies' coordinates) += and joint forces tau (nv) +=. A spot's
 * stay with the bodies as they were at its node; a bound's follow data. */
void cardan__feature_load(const cardan_model *model, const cardan_data *data,
                          const cardan__feature *feature, cardan_vec3 force, cardan_vec3 couple,
                          cardan_force *f, double *tau);
