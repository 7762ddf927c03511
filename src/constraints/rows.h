/* SPDX-License-Identifier: Apache-2.0
 * constraints/rows.h - values, rows and rates of a set of constraints at one view of a mechanism.
 *
 *   Phi_r(poses, q, t) = 0                                  violation [m or rad]
 *   dPhi_r/dt  = sum over its bodies of w . V + sum over its velocities of c v + Phi_t
 *   d2Phi_r/dt2 = J a - gamma                               a: dynamic coordinates only
 *
 * Rows are written once, on body poses and twists. Maximal methods use them as they are, tree
 * methods pull them back to coordinates with the calls at the end. Nothing here allocates. */
#pragma once
#include "kinematics/view.h"

/* Scalar constraints and where their entries stand: those of a model, of a system in maximal
 * coordinates, of whatever holds bodies together. n rows; row[r].badr and dadr are its places among
 * the nrow_body entries on bodies and the nrow_dof entries on velocities. */
typedef struct {
  const cardan_model *model; // whose bodies, coordinates and expressions the rows read
  cardan_row *row;           // n
  int *row_body;             // nrow_body: body of each entry
  int *row_dof;              // nrow_dof: v index of each entry
  cardan_frame *frame;       // those of the model first: expressions name them
  int n, nrow_body, nrow_dof;
} cardan__rowset;

/* The rows of the model's own constraints. */
static inline cardan__rowset cardan__model_rows(const cardan_model *model)
{
  return (cardan__rowset){.model = model,
                          .row = model->row,
                          .row_body = model->row_body,
                          .row_dof = model->row_dof,
                          .frame = model->frame,
                          .n = model->nrow,
                          .nrow_body = model->nrow_body,
                          .nrow_dof = model->nrow_dof};
}

/* Those of its one-sided rows: stops, ropes, inequalities (cardan_bound). */
static inline cardan__rowset cardan__bound_rows(const cardan_model *model)
{
  return (cardan__rowset){.model = model,
                          .row = model->bound_row,
                          .row_body = model->bound_body,
                          .row_dof = model->bound_dof,
                          .frame = model->frame,
                          .n = model->nbound_row,
                          .nrow_body = model->nbound_body,
                          .nrow_dof = model->nbound_dof};
}

/* phi: n, out. Reads X_W, q, t. */
void cardan__rows_value(const cardan__rowset *set, const cardan__view *view, double *phi);

/* The same of all rows of a model at data's q and t, with the placements and poses of data made
 * first (constraints.c). */
void cardan__rows_look(const cardan_model *model, cardan_data *data, double *phi);

/* rows->w (nrow_body) and rows->c (nrow_dof), out; an entry that does not move the row is 0.
 * Reads X_W, q, t. */
void cardan__rows_jacobian(const cardan__rowset *set, const cardan__view *view, cardan_rows *rows);

/* phi_t: n, out: the part of dPhi/dt that comes from time itself.
 * gamma: n, out, may be NULL: J a = gamma keeps d2Phi/dt2 = 0, with J over the dynamic
 *        coordinates; kinematic ones are in A0 and a_prescribed with their prescribed acceleration.
 * Reads X_W, V, q, v, t; for gamma also A0 and a_prescribed. */
void cardan__rows_rates(const cardan__rowset *set, const cardan__view *view, double *phi_t,
                        double *gamma);

/* Time derivatives of the rows along the motion, dJ/dt with what comes from t itself: w (nrow_body)
 * and c (nrow_dof), out, laid out as in rows->w and rows->c. Reads X_W, V, q, v, t. */
void cardan__rows_jacobian_rate(const cardan__rowset *set, const cardan__view *view,
                                cardan_force *w, double *c);

/* The first constraint with rows of velocity level, for messages; NULL: there is none. */
const cardan_constraint *cardan__velocity_constraint(const cardan_model *model);

/* Does a row of velocity level ask for a motion, b != 0? */
static inline bool cardan__row_drives(const cardan_row *row)
{
  return row->kind == CARDAN_ROW_VELOCITY && row->coef[0] > 0.0;
}

/* Methods that choose independent rows among all, or project positions with all of them, need
 * those of positions to be independent of those of velocity level: else CARDAN_ERR_UNSUPPORTED. */
cardan_status cardan__check_velocity_rows(const cardan_model *model,
                                          cardan_report *report) CARDAN_MUST_USE;

/* The first row of a disc that lies flat at data's poses, or would within h [s] at its velocities;
 * -1: none. Reads X_W; V where h > 0. */
int cardan__lying_disc(const cardan_model *model, const cardan_data *data, double h);
/* CARDAN_ERR_ASSEMBLY for such a row at the start. */
cardan_status cardan__refuse_lying_disc(const cardan_model *model, int row,
                                        cardan_report *report) CARDAN_MUST_USE;

/* What a row counts as at least, of the squares of others: less is rounding; where digits make rows
 * independent that are not, it is theirs, and such rows are no basis for the others. */
static inline double cardan__least_size(const cardan_model *model)
{
  return model->near > 0.0 ? 1e-2 : 1e-16;
}

/* ---- pull-back to a tree (pullback.c) ---- */

/* w . V + c v of one row, with V the twists (or any motions) of the bodies: O(entries). */
double cardan__row_dot(const cardan__rowset *set, const cardan_rows *rows, int row,
                       const cardan_twist *V, const double *v);

/* J x: out[r] for every row, from the twists V and velocities x. */
void cardan__rows_apply(const cardan__rowset *set, const cardan_rows *rows, const cardan_twist *V,
                        const double *x, double *out);

/* f (nbody, body wrenches) += and tau (nv, joint forces) += what J^T lambda is: O(entries). */
void cardan__rows_transpose(const cardan__rowset *set, const cardan_rows *rows,
                            const double *lambda, cardan_force *f, double *tau);

/* V (nbody, out): twists of the bodies at velocities x; kinematic ones count as 0 on request.
 * needs cardan_joints; O(nbody) */
void cardan__tree_twists(const cardan_model *model, const cardan_data *data, const double *x,
                         bool lock_kinematic, cardan_twist *V);

/* tau (nv) += sum over bodies of J_i^T f_i. f is spoilt. needs cardan_joints; O(nbody) */
void cardan__tree_pull(const cardan_model *model, const cardan_data *data, cardan_force *f,
                       double *tau);

/* Dense J, n x nv row-major, out. needs cardan_joints; O(nv + depth) a row. */
void cardan__rows_dense(const cardan__rowset *set, const cardan_data *data, const cardan_rows *rows,
                        double *J);
