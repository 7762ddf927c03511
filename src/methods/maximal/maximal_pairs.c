// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "methods/maximal/maximal.h"

/* Rows between two frames, all those of a pair at once. With T = (R, p) the pose of B's body in
 * A's, and points and directions in the axes of their bodies:
 *   r = R p_B + p,  d = r - p_A         B's point seen from A's body; from A's point
 *   along   s u.d - k     force -s u and torque s u x r on A's body; f = s R^T u, p_B x f on B's
 *   turned  u.(R w) - k   torque u x (R w) on A's body, on B's its opposite
 *   world   s u.(x_B - x_A) - k, x the points and u in the world: s u on B's body, -s u on A's
 * Seen from A's body, whose spin is w and angular acceleration a at rest of all unknowns,
 *   d' = d_t - w x d,   d'' = d_tt - a x d - 2 w x d' - w x (w x d)                           (E1)
 *   W = R w_B - w,      W' = R a_B - a - w x R w_B,   (R x)'' = W' x R x + W x (W x R x)      (E2)
 * with d_t, d_tt the rates of d in space; gamma is - s u.d'', - u.(R w)'', or - s u.(x_B - x_A)''.
 * s is 1 for OFFSET, -1 for POINT with its direction in A or in the world, and DOT is the second.
 * The joints and the pairs of loops have no others but SCREW (model/joint_rows.c); rows of any
 * other kind are evaluated one by one, by constraints/rows.h. */

static cardan_vec3 body_axes(const cardan_frame *frame, cardan_vec3 u)
{
  return cardan__mat3_mulv(&frame->X_BF.R, u);
}

/* Place of a tree body among those that a row touches, -1: it is the world. */
static int place_of(const cardan__rowset *set, const cardan_row *row, int body)
{
  for (int i = 0; i < row->nb; i++) {
    if (set->row_body[row->badr + i] == body) {
      return i;
    }
  }
  return -1;
}

/* Is the direction of the row one of the world, which is neither of its bodies' own? */
static bool is_along_world(const cardan__rowset *set, const cardan_row *row)
{
  return row->kind == CARDAN_ROW_POINT && set->frame[row->frame[2]].body == 0 &&
         set->frame[row->frame[0]].body != 0;
}

/* Has row r one of the forms above? */
static bool is_plain(const cardan__maximal *mx, const cardan_row *row)
{
  const cardan__rowset *set = &mx->set;
  const bool point = row->kind == CARDAN_ROW_POINT;
  if (!point && row->kind != CARDAN_ROW_OFFSET && row->kind != CARDAN_ROW_DOT) {
    return false;
  }
  const int A = set->frame[row->frame[0]].body, B = set->frame[row->frame[1]].body;
  if (A == B || row->nd > 0 ||
      (point && set->frame[row->frame[2]].body != A && !is_along_world(set, row))) {
    return false;
  }
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    const int body = set->row_body[i];
    if ((body != A && body != B) || (mx->model->body[body].flags & CARDAN_LINK_MASSLESS)) {
      return false;
    }
  }
  return true;
}

/* Row r as one of the forms. again: it may share w with the one before. */
static void take_plain(cardan__maximal *mx, int r, bool again)
{
  const cardan_row *row = &mx->set.row[r];
  const cardan_frame *frame = mx->set.frame;
  const bool point = row->kind == CARDAN_ROW_POINT;
  const cardan_vec3 u = body_axes(&frame[row->frame[point ? 2 : 0]], row->u);
  const cardan_vec3 w = body_axes(&frame[row->frame[1]], row->w);
  const cardan_vec3 last = again ? mx->plain_w[r - 1] : w;
  mx->plain[r] =
      (cardan__mx_plain){.u = point ? cardan__vec3_neg(u) : u,
                         .value = point ? 0 : row->value,
                         .again = again && w.x == last.x && w.y == last.y && w.z == last.z};
  mx->plain_w[r] = w;
}

void cardan__mx_group_rows(cardan__maximal *mx)
{
  const cardan__rowset *set = &mx->set;
  cardan__mx_group *g = NULL;
  mx->ngroup = 0;
  for (int r = 0; r < set->n; r++) {
    const cardan_row *row = &set->row[r], *last = r > 0 ? row - 1 : NULL;
    const bool plain = is_plain(mx, row), world = plain && is_along_world(set, row);
    const bool turned = row->kind == CARDAN_ROW_DOT, after_turned = g != NULL && g->nalong < g->n;
    const bool same = g != NULL && plain == g->plain && world == g->world &&
                      (!plain || turned || !after_turned) &&
                      (!plain || (row->frame[0] == last->frame[0] &&
                                  row->frame[1] == last->frame[1] && row->nb == last->nb));
    if (!same) {
      g = &mx->group[mx->ngroup++];
      *g = (cardan__mx_group){
          .plain = plain, .world = world, .row = r, .badr = row->badr, .dadr = row->dadr};
    }
    g->n++;
    if (plain) {
      g->nalong += !turned;
      const cardan_frame *A = &set->frame[row->frame[0]], *B = &set->frame[row->frame[1]];
      g->A = A->body;
      g->B = B->body;
      g->p_A = A->X_BF.p;
      g->p_B = B->X_BF.p;
      g->on_A = place_of(set, row, A->body);
      g->on_B = place_of(set, row, B->body);
      take_plain(mx, r, same && turned && after_turned);
    }
  }
}

/* The rows of a group that is not plain, as a set; entries stand where they do in the whole. */
static cardan__rowset part_of(const cardan__maximal *mx, const cardan__mx_group *g)
{
  cardan__rowset part = mx->set;
  part.row += g->row;
  part.n = g->n;
  part.nrow_body = part.nrow_dof = 0;
  return part;
}

/* d, or between the points in the world. */
static inline cardan_vec3 between(const cardan__mx_group *g, const cardan_xform *A,
                                  const cardan_xform *B)
{
  const cardan_vec3 x_B = cardan__xform_point(B, g->p_B);
  return g->world ? cardan__vec3_sub(x_B, cardan__xform_point(A, g->p_A))
                  : cardan__vec3_sub(cardan__xform_inv_point(A, x_B), g->p_A);
}

void cardan__mx_group_values(const cardan__maximal *mx, const cardan__view *view, double *phi)
{
  for (int i = 0; i < mx->ngroup; i++) {
    const cardan__mx_group *g = &mx->group[i];
    if (!g->plain) {
      const cardan__rowset part = part_of(mx, g);
      cardan__rows_value(&part, view, phi + g->row);
      continue;
    }
    const cardan_xform *A = &view->X_W[g->A], *B = &view->X_W[g->B];
    const cardan_vec3 d = between(g, A, B);
    int r = g->row;
    for (; r < g->row + g->nalong; r++) {
      phi[r] = cardan__vec3_dot(mx->plain[r].u, d) - mx->plain[r].value;
    }
    for (cardan_vec3 w = {0, 0, 0}; r < g->row + g->n; r++) {
      if (!mx->plain[r].again) {
        w = cardan__mat3_tmulv(&A->R, cardan__mat3_mulv(&B->R, mx->plain_w[r]));
      }
      phi[r] = cardan__vec3_dot(mx->plain[r].u, w) - mx->plain[r].value;
    }
  }
}

/* An entry of a row: the wrench F on a body with mass here, whose force is f in the world, also as
 * numbers of the body. */
static inline void put_wrench(const cardan__maximal *mx, int b, cardan_force F, cardan_vec3 f,
                              double *J)
{
  const cardan__mx_body *body = &mx->body[b];
  const cardan_vec3 t = cardan__vec3_sub(F.t, cardan__vec3_cross(body->c, F.f));
  if (mx->planar) {
    J[0] = cardan__vec3_dot(t, body->n);
    J[1] = cardan__vec3_dot(f, mx->e1);
    J[2] = cardan__vec3_dot(f, mx->e2);
    return;
  }
  J[0] = t.x;
  J[1] = t.y;
  J[2] = t.z;
  J[3] = f.x;
  J[4] = f.y;
  J[5] = f.z;
}

/* Both entries of row i of group g; f: the force on B's body, in the world. */
static inline void put_both(cardan__maximal *mx, const cardan__mx_group *g, int i,
                            cardan_force on_A, cardan_force on_B, cardan_vec3 f)
{
  const int entry = mx->ent[i], badr = mx->set.row[i].badr;
  if (g->on_A >= 0) {
    const int e = entry + g->on_A;
    mx->rows.w[badr + g->on_A] = on_A;
    put_wrench(mx, mx->ent_body[e], on_A, cardan__vec3_neg(f), mx->J + e * mx->dof);
  }
  if (g->on_B >= 0) {
    const int e = entry + g->on_B;
    mx->rows.w[badr + g->on_B] = on_B;
    put_wrench(mx, mx->ent_body[e], on_B, f, mx->J + e * mx->dof);
  }
}

/* Row i of group g along a direction of A's body, or turned; r is B's point seen from that body. */
static inline void fill_plain(cardan__maximal *mx, const cardan__mx_group *g, int i,
                              const cardan_xform *T, cardan_vec3 r)
{
  const cardan__mx_plain *row = &mx->plain[i];
  const cardan_vec3 none = {0, 0, 0};
  cardan_force on_A, on_B;
  cardan_vec3 f = none;
  if (i >= g->row + g->nalong) {
    const cardan_vec3 t = cardan__vec3_cross(row->u, cardan__mat3_mulv(&T->R, mx->plain_w[i]));
    on_A = (cardan_force){.t = t, .f = none};
    on_B = (cardan_force){.t = cardan__vec3_neg(cardan__mat3_tmulv(&T->R, t)), .f = none};
  } else {
    const cardan_vec3 u = row->u;
    const cardan_vec3 f_B = cardan__mat3_tmulv(&T->R, u);
    f = cardan__mat3_mulv(&mx->X_W[g->A].R, u);
    on_A = (cardan_force){.t = cardan__vec3_cross(u, r), .f = cardan__vec3_neg(u)};
    on_B = (cardan_force){.t = cardan__vec3_cross(g->p_B, f_B), .f = f_B};
  }
  put_both(mx, g, i, on_A, on_B, f);
}

/* Row i of group g along a direction of the world. */
static inline void fill_world(cardan__maximal *mx, const cardan__mx_group *g, int i)
{
  const cardan_vec3 f = mx->plain[i].u;
  const cardan_vec3 f_A = cardan__vec3_neg(cardan__mat3_tmulv(&mx->X_W[g->A].R, f));
  const cardan_vec3 f_B = cardan__mat3_tmulv(&mx->X_W[g->B].R, f);
  put_both(mx, g, i, (cardan_force){.t = cardan__vec3_cross(g->p_A, f_A), .f = f_A},
           (cardan_force){.t = cardan__vec3_cross(g->p_B, f_B), .f = f_B}, f);
}

void cardan__mx_group_jacobian(cardan__maximal *mx, const cardan__view *view,
                               const cardan__mx_group *g)
{
  if (!g->plain) {
    const cardan__rowset part = part_of(mx, g);
    const cardan_row *last = &part.row[g->n - 1];
    memset(mx->rows.w + g->badr, 0, (size_t)(last->badr + last->nb - g->badr) * sizeof *mx->rows.w);
    memset(mx->rows.c + g->dadr, 0, (size_t)(last->dadr + last->nd - g->dadr) * sizeof *mx->rows.c);
    cardan__rows_jacobian(&part, view, &mx->rows);
    return;
  }
  if (g->world) {
    for (int i = g->row; i < g->row + g->n; i++) {
      fill_world(mx, g, i);
    }
    return;
  }
  const cardan_xform T = cardan__xform_inv_mul(&mx->X_W[g->A], &mx->X_W[g->B]);
  const cardan_vec3 r = cardan__xform_point(&T, g->p_B);
  for (int i = g->row; i < g->row + g->n; i++) {
    fill_plain(mx, g, i, &T, r);
  }
}

/* w x (w x r) + a x r */
static cardan_vec3 turning(cardan_vec3 a, cardan_vec3 w, cardan_vec3 r)
{
  return cardan__vec3_add(cardan__vec3_cross(w, cardan__vec3_cross(w, r)),
                          cardan__vec3_cross(a, r));
}

/* gamma of a plain group. */
static void plain_gamma(const cardan__maximal *mx, const cardan__view *view,
                        const cardan__mx_group *g, double *gamma)
{
  const cardan_twist V_A = view->V[g->A], V_B = view->V[g->B];
  const cardan_twist A_A = view->A0[g->A], A_B = view->A0[g->B];
  const cardan_vec3 w = V_A.w, p_A = g->p_A, p_B = g->p_B;
  const cardan_xform T = cardan__xform_inv_mul(&view->X_W[g->A], &view->X_W[g->B]);
  const cardan_vec3 d = cardan__vec3_sub(cardan__xform_point(&T, p_B), p_A);
  const cardan_vec3 v_A = cardan__vec3_add(V_A.v, cardan__vec3_cross(w, p_A));
  const cardan_vec3 v_B = cardan__vec3_add(V_B.v, cardan__vec3_cross(V_B.w, p_B));
  const cardan_vec3 a_A = cardan__vec3_add(A_A.v, turning(A_A.w, w, p_A));
  const cardan_vec3 a_B = cardan__vec3_add(A_B.v, turning(A_B.w, V_B.w, p_B));
  const cardan_vec3 d_t = cardan__vec3_sub(cardan__mat3_mulv(&T.R, v_B), v_A);
  const cardan_vec3 d_tt = cardan__vec3_sub(cardan__mat3_mulv(&T.R, a_B), a_A);
  const cardan_vec3 d1 = cardan__vec3_sub(d_t, cardan__vec3_cross(w, d));
  const cardan_vec3 d2 = cardan__vec3_axpy(-2, cardan__vec3_cross(w, d1),
                                           cardan__vec3_sub(d_tt, turning(A_A.w, w, d))); // (E1)
  const cardan_vec3 along =
      g->world ? cardan__mat3_mulv(&view->X_W[g->A].R, d_tt) : d2; // of points in the world
  const cardan_vec3 w_B = cardan__mat3_mulv(&T.R, V_B.w), W = cardan__vec3_sub(w_B, w);
  const cardan_vec3 W1 = cardan__vec3_sub(cardan__vec3_sub(cardan__mat3_mulv(&T.R, A_B.w), A_A.w),
                                          cardan__vec3_cross(w, w_B)); // (E2)
  int r = g->row;
  for (; r < g->row + g->nalong; r++) {
    gamma[r] = -cardan__vec3_dot(mx->plain[r].u, along);
  }
  for (cardan_vec3 x2 = {0, 0, 0}; r < g->row + g->n; r++) {
    if (!mx->plain[r].again) {
      x2 = turning(W1, W, cardan__mat3_mulv(&T.R, mx->plain_w[r]));
    }
    gamma[r] = -cardan__vec3_dot(mx->plain[r].u, x2);
  }
}

void cardan__mx_group_rates(const cardan__maximal *mx, const cardan__view *view, double *phi_t,
                            double *gamma)
{
  for (int i = 0; i < mx->ngroup; i++) {
    const cardan__mx_group *g = &mx->group[i];
    if (!g->plain) {
      const cardan__rowset part = part_of(mx, g);
      cardan__rows_rates(&part, view, phi_t + g->row, gamma != NULL ? gamma + g->row : NULL);
      continue;
    }
    memset(phi_t + g->row, 0, (size_t)g->n * sizeof *phi_t);
    if (gamma != NULL) {
      plain_gamma(mx, view, g, gamma);
    }
  }
}
