/* SPDX-License-Identifier: Apache-2.0
 * kinematics/view.h - one instant of a mechanism as constraints and forces see it.
 *
 * A method fills a view for a node, a midpoint or a stage; constraints and forces read nothing
 * else. So they are written once, on body poses and twists, and serve every method. */
#pragma once
#include "cardan/data.h"

typedef struct {
  const cardan_xform *X_W; // T_WB of each body
  const cardan_twist *V;   // twists, body coordinates; NULL when only positions count
  const cardan_twist *A0;  // accelerations at zero joint acceleration (classical, body coordinates)
  const double *q, *v;
  const double *a_prescribed; // nv: only those of kinematic coordinates are read; NULL: these are 0
  const double *u;            // inputs, auxiliary states, half turns (cardan__outside)
  const cardan_program *program;
  cardan_force *program_f; // nbody, and nv: where it puts its forces
  double *program_tau;
  double t;
  double *work; // model->expr_work + 8 * model->max_leaf doubles, for expressions
} cardan__view;

/* The view of a data's current t, q, v; needs cardan_kinematics(model, data). */
cardan__view cardan__data_view(const cardan_model *model, const cardan_data *data);

/* Has the expression tables that can be looked at (what reads sensors cannot)? */
bool cardan__has_tables(const cardan_bound_expr *e);
/* The first expression that leads beyond the points of a table at data's state, and where; -1:
 * none does. */
int cardan__table_beyond(const cardan_model *model, const cardan_data *data, double *x,
                         double *end);

/* A frame's origin and its motion in world coordinates: position, velocity, and acceleration at
 * zero joint acceleration; reads A0 only when a is not NULL, V only when v or a is not NULL. */
void cardan__frame_point(const cardan_frame *frame, const cardan__view *view, cardan_vec3 *p,
                         cardan_vec3 *v, cardan_vec3 *a);

/* A direction fixed in a frame (components u in its axes) in world coordinates, and its first and
 * second time derivatives; outputs after the first may be NULL. */
void cardan__frame_axis(const cardan_frame *frame, const cardan__view *view, cardan_vec3 u,
                        cardan_vec3 *d, cardan_vec3 *d1, cardan_vec3 *d2);

/* The wrench, in the frame's body coordinates, that a world force acting at the frame's origin is,
 * so that f . dp_F = wrench . twist. */
cardan_force cardan__frame_wrench(const cardan_frame *at, const cardan__view *view, cardan_vec3 f);

/* Values of an expression's leaves (x), and, when x1 and x2 are not NULL, their first and second
 * time derivatives at zero joint acceleration. Needs V and A0 for those. */
void cardan__leaf_values(const cardan_model *model, const cardan__view *view,
                         const cardan_bound_expr *e, double *x, double *x1, double *x2);

/* The same values with velocities, those of coordinates and of frames, as 0: reads no V and v. */
void cardan__leaf_values_at_rest(const cardan_model *model, const cardan__view *view,
                                 const cardan_bound_expr *e, double *x);

/* An entry of a frame's rotation matrix, 3 row + column, is d . e: d the frame's axis of that
 * column, e the world's of that row, both out. Its rate is w . m, returned: m = d x e. */
cardan_vec3 cardan__turn_moment(const cardan_frame *frame, const cardan__view *view, int entry,
                                cardan_vec3 *axis, cardan_vec3 *along);

/* Value of an input, clamped to its limit; from ninput on, of an auxiliary state. */
double cardan__input_at(const cardan_model *model, const cardan__view *view, int index);

/* Value of the expression model->expr[index]. */
double cardan__expr_at(const cardan_model *model, const cardan__view *view, int index);

/* Time derivative of coordinate iq as a linear form of its body's velocities:
 * dq/dt = sum over k < n of coef[k] v[vadr + k]; returns n (1 for scalar joints). */
int cardan__q_rate(const cardan_model *model, const double *q, int iq, int *vadr, double coef[6]);

/* Time derivatives of those coefficients along the motion, as many as there are. */
void cardan__q_rate_rate(const cardan_model *model, const double *q, const double *v, int iq,
                         double coef[6]);
