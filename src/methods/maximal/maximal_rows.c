// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "methods/maximal/maximal.h"

/* The rows of the set on the bodies with mass. A row comes from constraints/rows.c as wrenches w
 * on bodies of the tree and numbers c on velocities of joints, dPhi/dt = sum w . V + sum c v +
 * Phi_t. Wrenches on bodies with mass are moved to their centres; those on massless ones, and c,
 * are turned into wrenches on the two bodies of their joint, as forces are ((E4) of
 * maximal_coordinates.c), since v and the twists of massless bodies are linear in the twists of
 * these two. So with x the bodies' velocities
 *   dPhi/dt = J x + Phi_t,   d2Phi/dt2 = J x' - gamma                                    (E1)
 * maximal_rows.c finds gamma at the accelerations A0 of the tree's bodies that go with x' = 0, and
 * with v' = 0;
 * but v' = a0 there, so                                  gamma = gamma(A0) - sum c a0     (E2) */

cardan__view cardan__mx_view(const cardan__maximal *mx)
{
  return (cardan__view){.X_W = mx->X_W,
                        .V = mx->V,
                        .A0 = mx->A0,
                        .q = mx->q,
                        .v = mx->v,
                        .a_prescribed = NULL,
                        .u = mx->u,
                        .t = mx->t,
                        .work = mx->work};
}

void cardan__mx_values(cardan__maximal *mx)
{
  const cardan__view view = cardan__mx_view(mx);
  cardan__mx_group_values(mx, &view, mx->rows.phi);
}

void cardan__mx_equations(const cardan__maximal *mx, double scale, const double *of_rows,
                          double *out)
{
  if (mx->neq == mx->set.n) { // all of them, in their order: in vector registers
    for (int e = 0; e < mx->neq; e++) {
      out[e] = scale * of_rows[e];
    }
    return;
  }
  for (int e = 0; e < mx->neq; e++) {
    out[e] = scale * of_rows[mx->row[e]];
  }
}

/* Does a row read massless bodies or coordinates? */
static bool is_indirect(const cardan__maximal *mx, const cardan_row *row)
{
  if (row->nd > 0) {
    return true;
  }
  for (int i = row->badr; i < row->badr + row->nb && mx->any_by_rows; i++) {
    if (mx->model->body[mx->set.row_body[i]].flags & CARDAN_LINK_MASSLESS) {
      return true;
    }
  }
  return false;
}

static void push(cardan__maximal *mx, int b)
{
  const cardan__mx_joint *j = &mx->joint[b];
  cardan__mx_push_joint(mx, b, mx->f_spare, mx->tau_spare);
  // spent: another entry of the row on the same joint finds nothing more
  for (int l = j->link; l < j->link + j->nlink; l++) {
    const cardan_body *link = &mx->model->body[mx->link[l]];
    for (int k = 0; k < link->nv; k++) {
      mx->tau_spare[link->vadr + k] = 0;
    }
  }
}

/* Wrenches of a row on its bodies with mass, to f_spare. */
static void load_indirect(cardan__maximal *mx, const cardan_row *row)
{
  const cardan__rowset *set = &mx->set;
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    cardan_force *to = &mx->f_spare[set->row_body[i]];
    *to = cardan__force_add(*to, mx->rows.w[i]);
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    mx->tau_spare[set->row_dof[i]] += mx->rows.c[i];
  }
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    const int body = set->row_body[i];
    if (mx->model->body[body].flags & CARDAN_LINK_MASSLESS) {
      push(mx, mx->of_body[body]);
    }
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    push(mx, mx->of_body[mx->model->v_body[set->row_dof[i]]]);
  }
}

/* Entries of a row in J, from its wrenches. */
static void fill_row(cardan__maximal *mx, int r)
{
  const cardan_row *row = &mx->set.row[r];
  const int n = mx->dof;
  double *J = mx->J + mx->ent[r] * n;
  memset(J, 0, (size_t)(mx->nent[r] * n) * sizeof *J);
  if (!is_indirect(mx, row)) { // entries are the row's bodies, in the same order
    for (int i = 0; i < row->nb; i++) {
      cardan__mx_add_wrench(mx, mx->ent_body[mx->ent[r] + i], mx->rows.w[row->badr + i], 1,
                            J + i * n);
    }
    return;
  }
  load_indirect(mx, row);
  for (int i = 0; i < mx->nent[r]; i++) {
    const int b = mx->ent_body[mx->ent[r] + i], body = mx->body[b].body;
    cardan__mx_add_wrench(mx, b, mx->f_spare[body], 1, J + i * n);
    mx->f_spare[body] = (cardan_force){.t = {0, 0, 0}};
  }
  mx->f_spare[0] = (cardan_force){.t = {0, 0, 0}};
}

void cardan__mx_jacobian(cardan__maximal *mx)
{
  const cardan__view view = cardan__mx_view(mx);
  for (int i = 0; i < mx->ngroup; i++) {
    const cardan__mx_group *g = &mx->group[i];
    cardan__mx_group_jacobian(mx, &view, g);
    for (int r = g->row; r < g->row + g->n && !g->plain; r++) {
      fill_row(mx, r);
    }
  }
}

void cardan__mx_velocity_rows(cardan__maximal *mx)
{
  const cardan__view view = cardan__mx_view(mx);
  for (int r = mx->row_model; r < mx->set.n; r++) {
    const cardan_row *row = &mx->set.row[r];
    cardan__rowset one = mx->set;
    one.row += r;
    one.n = 1;
    one.nrow_body = one.nrow_dof = 0; // of the row alone, below
    if (row->velocity) {
      memset(mx->rows.w + row->badr, 0, (size_t)row->nb * sizeof *mx->rows.w);
      memset(mx->rows.c + row->dadr, 0, (size_t)row->nd * sizeof *mx->rows.c);
      cardan__rows_jacobian(&one, &view, &mx->rows);
      cardan__rows_rates(&one, &view, &mx->rows.phi_t[r], NULL);
      fill_row(mx, r);
    }
  }
}

void cardan__mx_rates_of_rows(cardan__maximal *mx, bool gamma)
{
  const cardan__view view = cardan__mx_view(mx);
  const cardan__rowset *set = &mx->set;
  cardan__mx_group_rates(mx, &view, mx->rows.phi_t, gamma ? mx->rows.gamma : NULL);
  for (int r = mx->nrow_joint; r < mx->set.n && gamma; r++) {
    const cardan_row *row = &set->row[r];
    for (int i = row->dadr; i < row->dadr + row->nd; i++) {
      mx->rows.gamma[r] -= mx->rows.c[i] * mx->a0[set->row_dof[i]]; // (E2)
    }
  }
}

/* ---- J and J^T; n, the numbers of a body, is a constant where these are inlined ---- */

/* J x of row r. */
static inline double row_dot(const cardan__maximal *mx, int n, int r, const double *x)
{
  double sum = 0;
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    const double *J = mx->J + i * n, *xb = x + mx->ent_body[i] * n;
    for (int k = 0; k < n; k++) {
      sum += J[k] * xb[k];
    }
  }
  return sum;
}

void cardan__mx_apply(const cardan__maximal *mx, const double *x, double *out)
{
  for (int e = 0; e < mx->neq; e++) {
    out[e] = mx->planar ? row_dot(mx, 3, mx->row[e], x) : row_dot(mx, 6, mx->row[e], x);
  }
}

/* Entry i of each row of a group, to the body that they share. */
static inline void add_entries(const cardan__maximal *mx, int n, const cardan__mx_group *g, int i,
                               double scale, const double *lambda, double *f)
{
  double sum[CARDAN__MX_DOF] = {0};
  for (int r = g->row; r < g->row + g->n; r++) {
    const double l = mx->eq[r] >= 0 ? lambda[mx->eq[r]] : 0, *J = mx->J + (mx->ent[r] + i) * n;
    for (int k = 0; k < n; k++) {
      sum[k] += l * J[k];
    }
  }
  double *fb = f + mx->ent_body[mx->ent[g->row] + i] * n;
  for (int k = 0; k < n; k++) {
    fb[k] += scale * sum[k];
  }
}

static inline void add_row(const cardan__maximal *mx, int n, int r, double l, double *f)
{
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    const double *J = mx->J + i * n;
    double *fb = f + mx->ent_body[i] * n;
    for (int k = 0; k < n; k++) {
      fb[k] += l * J[k];
    }
  }
}

static inline void transpose(const cardan__maximal *mx, int n, double scale, const double *lambda,
                             double *f)
{
  for (int k = 0; k < mx->ngroup; k++) {
    const cardan__mx_group *g = &mx->group[k];
    for (int i = 0; i < mx->nent[g->row] && g->plain; i++) {
      add_entries(mx, n, g, i, scale, lambda, f);
    }
    for (int r = g->row; r < g->row + g->n && !g->plain; r++) {
      add_row(mx, n, r, mx->eq[r] >= 0 ? scale * lambda[mx->eq[r]] : 0, f);
    }
  }
}

void cardan__mx_transpose(const cardan__maximal *mx, double scale, const double *lambda, double *f)
{
  int e = 0;
  while (e < mx->neq && lambda[e] == 0) {
    e++;
  }
  if (e == mx->neq) { // as in the first iteration of a step
    return;
  }
  if (mx->planar) {
    transpose(mx, 3, scale, lambda, f);
  } else {
    transpose(mx, 6, scale, lambda, f);
  }
}

double cardan__mx_violation(const cardan__maximal *mx, int *row)
{
  double largest = 0;
  *row = -1;
  for (int r = 0; r < mx->set.n; r++) {
    // written so that what is not a number is the largest
    if (!(fabs(mx->rows.phi[r]) <= largest)) {
      largest = fabs(mx->rows.phi[r]);
      *row = r;
      if (isnan(largest)) {
        break;
      }
    }
  }
  return largest;
}

const char *cardan__mx_row_name(const cardan__maximal *mx, int r)
{
  const cardan_model *model = mx->model;
  const int owner = mx->set.row[r].constraint;
  if (r < mx->nrow_joint) {
    return model->joint[model->body[mx->body[owner].body].joint].name;
  }
  if (r < mx->row_model) {
    return model->joint[model->body[model->prescribed[owner].body].joint].name;
  }
  return model->constraint[owner].name;
}
