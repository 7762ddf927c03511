/* SPDX-License-Identifier: Apache-2.0
 * forces/kind.h - what a kind of force is: the table that forces.h sums over.
 *
 * A kind is a cardan__force_kind beside its functions, in a file of this room; the list of kinds in
 * cardan/elements.h makes the table, so that a kind without one does not link. docs/extending.md
 * walks through a new one. Below it: what their derivatives have in common. */
#pragma once
#include "forces/forces.h"

/* Where a derivative is taken, and where it goes. */
typedef struct {
  const cardan_model *model;
  const cardan__view *view;
  const cardan__change *change;
  cardan__loads *to;
} cardan__slope_at;

/* Entries that are NULL: there is nothing of the sort.
 *   energy     [J]; kinds with the flag CARDAN_FORCE_POTENTIAL, and only these
 *   apply      adds its forces to the loads; friction has none, its size is iterated (friction.c)
 *   slope      adds the change of these, exact
 *   couples    is there more to its slope than tau_k by q_k and v_k of the same k? NULL: always
 *   diagonal   adds these, d tau_k / d q_k and d tau_k / d v_k, to tau_q and tau_v (nv each)
 *   channel    is part 0 .. 5 of it a channel (channels.h)?
 *   direction, gradient   of a part that is one
 *   strains    how many numbers y its energy is a function of (strain.h); kinds with an energy
 *   strain, stress, stress_change, load, strain_change, load_change   of strain.h
 *   unit_loads   of two frames: what load adds to the bodies of A and B for each unit stress, to
 *                on_A and on_B (as many as there are strains). NULL: by load, one after the other
 *   rates      rates of the auxiliary states that an element has (e->state >= 0)
 *   rates_slope, rates_by_state   their changes; by a unit of state i alone
 * */
typedef struct {
  double (*energy)(const cardan_model *model, const cardan__view *view,
                   const cardan_force_element *e);
  void (*apply)(const cardan_model *model, const cardan__view *view, const cardan_force_element *e,
                cardan__loads *to);
  void (*slope)(const cardan__slope_at *at, const cardan_force_element *e);
  bool (*couples)(const cardan_model *model, const cardan_force_element *e);
  void (*diagonal)(const cardan_model *model, const cardan__view *view,
                   const cardan_force_element *e, double *tau_q, double *tau_v);
  bool (*channel)(const cardan_model *model, const cardan_force_element *e, int part);
  void (*direction)(const cardan_model *model, const cardan__view *view,
                    const cardan_force_element *e, int part, cardan__loads *to);
  void (*gradient)(const cardan_model *model, const cardan__view *view,
                   const cardan_force_element *e, int part, double by_q, double by_v,
                   cardan__loads *to);
  int (*strains)(const cardan_model *model, const cardan_force_element *e);
  void (*strain)(const cardan_model *model, const cardan__view *view, const cardan_force_element *e,
                 double *y);
  void (*stress)(const cardan_model *model, const cardan__view *view, const cardan_force_element *e,
                 const double *y, double *g);
  void (*stress_change)(const cardan_model *model, const cardan__view *view,
                        const cardan_force_element *e, const double *y, const double *dy,
                        double *dg);
  void (*load)(const cardan_model *model, const cardan__view *view, const cardan_force_element *e,
               const double *g, cardan__loads *to);
  void (*unit_loads)(const cardan_model *model, const cardan__view *view,
                     const cardan_force_element *e, cardan_force *on_A, cardan_force *on_B);
  void (*strain_change)(const cardan__slope_at *at, const cardan_force_element *e, double *dy);
  void (*load_change)(const cardan__slope_at *at, const cardan_force_element *e, const double *g,
                      const double *dg);
  void (*rates)(const cardan_model *model, const cardan__view *view, const cardan_force_element *e,
                double *rate);
  void (*rates_slope)(const cardan__slope_at *at, const cardan_force_element *e, double *rate);
  void (*rates_by_state)(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, int i, double *rate);
} cardan__force_kind;

#define CARDAN__FORCE_KIND(kind, id, word) extern const cardan__force_kind cardan__force_##id;
CARDAN_FORCE_LIST(CARDAN__FORCE_KIND)
#undef CARDAN__FORCE_KIND

const cardan__force_kind *cardan__force_kind_of(cardan_element_kind kind);

/* ---- forces between two frames, A = e->frame[0] and B = e->frame[1] ---- */

/* d = p_B - p_A and its length. */
cardan_vec3 cardan__force_between(const cardan_model *model, const cardan__view *view,
                                  const cardan_force_element *e, double *length);

/* Pulls A and B together with the force f (world axes): on A, and its opposite on B. */
void cardan__force_pull(const cardan_model *model, const cardan__view *view,
                        const cardan_force_element *e, cardan_vec3 f, cardan__loads *to);

/* ---- derivatives (force_parts.c) ---- */

/* A world vector and its change. */
typedef struct {
  cardan_vec3 x, dx;
} cardan__slope;

/* Origin of a frame; a direction fixed in it, u in its axes; velocity of its origin; its angular
 * velocity; d = p_B - p_A of a two-frame element, d' = v_B - v_A. */
cardan__slope cardan__slope_point(const cardan__slope_at *at, int frame);
cardan__slope cardan__slope_direction(const cardan__slope_at *at, int frame, cardan_vec3 u);
cardan__slope cardan__slope_velocity(const cardan__slope_at *at, int frame);
cardan__slope cardan__slope_between(const cardan__slope_at *at, const cardan_force_element *e);
cardan__slope cardan__slope_turning(const cardan__slope_at *at, int frame);
cardan__slope cardan__slope_rate(const cardan__slope_at *at, const cardan_force_element *e);

/* x . y and its change. */
static inline double cardan__slope_dot(cardan__slope x, cardan__slope y, double *change)
{
  *change = cardan__vec3_dot(x.dx, y.x) + cardan__vec3_dot(x.x, y.dx);
  return cardan__vec3_dot(x.x, y.x);
}

/* Change of coordinate iq. */
double cardan__slope_coordinate(const cardan__slope_at *at, int iq);

/* Change of an input; 0 where its limit holds it. */
double cardan__slope_input(const cardan__slope_at *at, int input);

/* Value and change of an expression of the model; uses view->work. */
double cardan__slope_expr(const cardan__slope_at *at, int index, double *change);

/* Changes of an expression's leaves, dx: nleaf, out. */
void cardan__slope_leaves(const cardan__slope_at *at, const cardan_bound_expr *bound, double *dx);

/* Adds the change of a force k d at a frame's origin, of a torque k d on its body, of a pull k d on
 * A and its opposite on B, of the force -g on coordinate iq; dk, dg: changes of k, g. */
void cardan__slope_torque(const cardan__slope_at *at, int frame, double k, double dk,
                          cardan__slope d);
void cardan__slope_force(const cardan__slope_at *at, int frame, double k, double dk,
                         cardan__slope d);
void cardan__slope_pull(const cardan__slope_at *at, const cardan_force_element *e, double k,
                        double dk, cardan__slope d);
void cardan__slope_load_q(const cardan__slope_at *at, int iq, double g, double dg);

/* ---- expressions ---- */

/* g times the gradient of a leaf that places make (FRAME, TURN, Q), as loads; the change of that,
 * with dg that of g. */
void cardan__force_leaf(const cardan_model *model, const cardan__view *view,
                        const cardan__leaf_ref *leaf, double g, cardan__loads *to);
void cardan__slope_leaf(const cardan__slope_at *at, const cardan__leaf_ref *leaf, double g,
                        double dg);

/* Gradient of an expression of the model, in the view's work: valid until the next one. */
const double *cardan__force_expr_gradient(const cardan_model *model, const cardan__view *view,
                                          int index);

/* Is this coordinate that of the joint with velocity dof, and its only one? */
static inline bool cardan__is_own(const cardan_model *model, int iq, int dof)
{
  const cardan_body *b = &model->body[model->q_body[iq]];
  return b->nv == 1 && b->vadr == dof;
}
