// SPDX-License-Identifier: Apache-2.0
#include "dynamics/reduced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "constraints/rows.h"
#include "dynamics/factor.h"
#include "dynamics/momenta.h"
#include "dynamics/momenta_joint.h"
#include "model/data.h"

/* Momenta of a mechanism whose loops are closed by elimination, O(nbody).
 * [1] J. Naudet, D. Lefeber, Recursive algorithm based on canonical momenta for forward dynamics of
 *     multibody systems: numerical results, DETC2005-84915, eqs. (22) to (27).
 *
 *   dependent    V_i = C_i X_i V_p,  C_i = 1 - S_i s_i^T,  s_i^T S_i = 1     (E1)  [1] (22), (23)
 *   independent  V_i = X_i V_p + S_i v_i,                  C_i = 1
 *   P_i = I_i V_i + sum over children of X_c^T C_c^T P_c,  p_i = S_i^T P_i   (E2)  [1] (24), (25)
 *   T_i = T_i,own + sum of X_c^T [C_c^T T_c - s_c tau_c
 *           + (C_c'^T + V_c x* C_c^T - C_c^T V_c x*) P_c]                    (E3)  [1] (27)
 *   p'_i = S_i^T (T_i - V_i x* P_i) + tau_i                                  (E4)  [1] (26)
 * Velocities from momenta as in momenta.c, with what a dependent body passes to its parent:
 *   Ia = C^T IA C = IA - s U^T - U s^T + D s s^T,  ba = C^T b                (E5)
 *
 * s comes from the rows R of the loop, carried up from its last body: of those that the joint can
 * move, the one it moves most is the pivot, s = R / (R.S), and it leaves the others, R_j -= (R_j.S)
 * s, which continue to the next body. The last row to arrive is a force along the last link; where
 * the two last links are in line the joint cannot move it: the singular position of this form. (E6)
 *
 * The armature I of a dependent joint, v = -s.V, is a body more, of momentum I v and C = -s^T: what
 * is passed on has S.P + I v in place of S.P, and I s s^T more of inertia.                  (E7)
 *
 * Departures from [1]: (24) prints C_K^T T^F, the order and index of (27) are the right ones; (27)
 * must carry T^c and P^c of body K + 1, not its own T and P; any number of rows and loops in place
 * of two rows of one chain; joint forces of dependent joints, - s tau in (E3), are not in [1]. */

/* Smallest pivot, relative to how far any dependent joint so far moves the rows: the sine of the
 * angle between two equal links, about. The inertias of the reduced system grow as its
 * inverse square. */
static const double smallest_pivot = 1e-3;

/* ---- which bodies ---- */

/* The one moving body that a row sees, -1: none or several. */
static int row_tip(const cardan_model *model, int r)
{
  const cardan_row *row = &model->row[r];
  return row->nb == 1 && row->nd == 0 && row->expr < 0 ? model->row_body[row->badr] : -1;
}

static int loop_rows(const cardan_model *model, int tip)
{
  int n = 0;
  for (int r = 0; r < model->nrow; r++) {
    n += !model->row_redundant[r] && row_tip(model, r) == tip;
  }
  return n;
}

/* Is body among the dependent ones of a loop that ends at tip with so many rows? */
static bool is_dependent(const cardan_model *model, int tip, int rows, int body)
{
  for (int i = tip; rows > 0 && i > 0; i = model->body[i].parent, rows--) {
    if (i == body) {
      return true;
    }
  }
  return false;
}

static cardan_status refuse(cardan_report *report, const cardan_model *model, int r,
                            const char *why)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED,
                     model->constraint[model->row[r].constraint].pos,
                     "form reduced cannot eliminate constraint \"%.60s\": %s; try form augmented",
                     model->constraint[model->row[r].constraint].name, why);
}

cardan_status cardan__reduced_accepts(const cardan_model *model, cardan_report *report)
{
  for (int r = 0; r < model->nrow; r++) {
    if (model->row_redundant[r]) {
      continue;
    }
    const int tip = row_tip(model, r);
    if (tip < 0) {
      return refuse(report, model, r,
                    "it is not between one moving body and the world, fixed in time");
    }
    int i = tip;
    for (int n = loop_rows(model, tip); n > 0; n--, i = model->body[i].parent) {
      if (i == 0 || !cardan__joint_is_z(&model->body[i]) ||
          (model->body[i].flags & CARDAN_LINK_KINEMATIC)) {
        return refuse(report, model, r,
                      "it has more rows than its body has free joints of one coordinate");
      }
      for (int other = 0; other < model->nrow; other++) {
        const int end = model->row_redundant[other] ? -1 : row_tip(model, other);
        if (end > 0 && end != tip && is_dependent(model, end, loop_rows(model, end), i)) {
          return refuse(report, model, r, "another loop needs the same bodies");
        }
      }
    }
  }
  return CARDAN_OK;
}

static void layout(cardan__carver *c, const cardan_model *model, cardan__reduced *r)
{
  const size_t k = (size_t)r->ndependent;
  r->dof = cardan__carve(c, (size_t)model->nv, sizeof *r->dof);
  r->slot = cardan__carve(c, (size_t)model->nbody, sizeof *r->slot);
  r->row = cardan__carve(c, k, sizeof *r->row);
  r->tip = cardan__carve(c, k, sizeof *r->tip);
  r->count = cardan__carve(c, k, sizeof *r->count);
  r->end = cardan__carve(c, (size_t)model->nrow, sizeof *r->end);
  r->nend = cardan__carve(c, k, sizeof *r->nend);
  r->pick = cardan__carve(c, (size_t)model->nrow, sizeof *r->pick);
  r->E = cardan__carve(c, (size_t)model->nrow, sizeof *r->E);
  r->s = cardan__carve(c, k, sizeof *r->s);
  r->s_rate = cardan__carve(c, k, sizeof *r->s_rate);
  r->R = cardan__carve(c, k, sizeof *r->R);
  r->R_rate = cardan__carve(c, k, sizeof *r->R_rate);
  r->R0 = cardan__carve(c, k, sizeof *r->R0);
  r->w_rate = cardan__carve(c, (size_t)model->nrow_body, sizeof *r->w_rate);
  r->c_rate = cardan__carve(c, (size_t)model->nrow_dof, sizeof *r->c_rate);
}

/* All rows of a loop to end; returns how many. */
static int list_rows(const cardan_model *model, int tip, int *end)
{
  int n = 0;
  for (int k = 0; k < model->nrow; k++) {
    if (row_tip(model, k) == tip) {
      end[n++] = k;
    }
  }
  return n;
}

/* Rows by loop, and a slot for each dependent body, last body first. */
static void choose_bodies(const cardan_model *model, cardan__reduced *r)
{
  int n = 0, listed = 0;
  for (int i = 0; i < model->nbody; i++) {
    r->slot[i] = -1;
  }
  for (int tip = 1; tip < model->nbody; tip++) {
    const int first = n;
    int body = tip;
    for (int k = 0; k < model->nrow; k++) {
      if (!model->row_redundant[k] && row_tip(model, k) == tip) {
        r->slot[body] = n;
        r->row[n++] = k;
        body = model->body[body].parent;
      }
    }
    if (n > first) {
      r->tip[r->nloop] = tip;
      r->nend[r->nloop] = list_rows(model, tip, r->end + listed);
      listed += r->nend[r->nloop];
      r->count[r->nloop++] = n - first;
    }
  }
}

cardan_status cardan__reduced_create(const cardan_model *model, const cardan_allocator *allocator,
                                     cardan__reduced *r)
{
  cardan__carver c = {0};
  *r = (cardan__reduced){.n = 0};
  for (int k = 0; k < model->nrow; k++) {
    r->ndependent += !model->row_redundant[k];
  }
  layout(&c, model, r);
  r->memory = cardan__resize(allocator, NULL, cardan__carver_size(&c));
  r->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  if (r->memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  c = cardan__carver_over(r->memory);
  layout(&c, model, r);
  choose_bodies(model, r);
  for (int k = 0; k < model->nv; k++) {
    const int body = model->v_body[k];
    if (r->slot[body] < 0 && !(model->body[body].flags & CARDAN_LINK_KINEMATIC)) {
      r->dof[r->n++] = k;
    }
  }
  return CARDAN_OK;
}

void cardan__reduced_destroy(cardan__reduced *r)
{
  cardan__resize(&r->allocator, r->memory, 0);
}

/* ---- C of the dependent bodies ---- */

static cardan_status in_line(const cardan_model *model, cardan_data *data, int body, int row)
{
  data->info.body = body;
  data->info.joint = model->body[body].joint;
  data->info.row = row;
  snprintf(
      data->info.message, sizeof data->info.message,
      "singular position at t = %.9g s: the links that close constraint \"%.40s\" are in line at "
      "joint \"%.40s\"; form augmented can pass",
      data->t, model->constraint[model->row[row].constraint].name,
      model->joint[data->info.joint].name);
  return CARDAN_ERR_SINGULAR;
}

cardan_status cardan__reduced_passed(const cardan_model *model, cardan_data *data,
                                     const cardan__reduced *r)
{
  int body = r->tip[0];
  for (int n = r->count[0]; n > 1; n--) {
    body = model->body[body].parent;
  }
  return in_line(model, data, body, r->row[0]);
}

/* (E6) for the rows of one loop, of which there are more than it needs: the pivots to row (count).
 * Returns whether one of them is another now. */
static bool pick_rows(const cardan_model *model, const cardan_data *data, const cardan__reduced *r,
                      int loop, const int *end, int *row)
{
  const int n = r->nend[loop];
  cardan_force *R = r->E;
  bool others = false;
  for (int j = 0; j < n; j++) {
    r->pick[j] = end[j];
    R[j] = data->rows.w[model->row[end[j]].badr];
  }
  for (int k = 0, body = r->tip[loop]; k < r->count[loop]; k++, body = model->body[body].parent) {
    const cardan_twist S = cardan__joint_axis(&model->body[body], 0);
    int best = k;
    for (int j = k + 1; j < n; j++) {
      best = fabs(cardan__power(S, R[j])) > fabs(cardan__power(S, R[best])) ? j : best;
    }
    const cardan_force pivot_row = R[best];
    const double pivot = cardan__power(S, pivot_row);
    const int picked = r->pick[best];
    R[best] = R[k];
    r->pick[best] = r->pick[k];
    others = others || row[k] != picked;
    row[k] = picked;
    for (int j = k + 1; j < n && pivot != 0; j++) {
      const double a = cardan__power(S, R[j]) / pivot;
      R[j] = cardan__force_to_parent(&data->X[body], cardan__force_axpy(-a, pivot_row, R[j]));
    }
  }
  return others;
}

bool cardan__reduced_choose(const cardan_model *model, const cardan_data *data, cardan__reduced *r)
{
  bool others = false;
  int row = 0, end = 0;
  for (int loop = 0; loop < r->nloop; row += r->count[loop], end += r->nend[loop], loop++) {
    if (r->nend[loop] > r->count[loop]) {
      others = pick_rows(model, data, r, loop, r->end + end, r->row + row) || others;
    }
  }
  return others;
}

/* How far a joint moves any row of its loop before elimination, and carries these rows to its
 * parent: the length that a pivot is measured by. */
static double reach(const cardan_data *data, const cardan__reduced *r, int body, cardan_twist S,
                    int first, int n)
{
  double largest = 0;
  for (int j = first; j < first + n; j++) {
    largest = fmax(largest, fabs(cardan__power(S, r->R0[j])));
    r->R0[j] = cardan__force_to_parent(&data->X[body], r->R0[j]);
  }
  return largest;
}

/* (E6) for one loop, rows first .. first + n - 1; rates of all when v is not NULL.
 * returns the body whose joint cannot move its row, 0: none */
static int eliminate_rows(const cardan_model *model, const cardan_data *data, cardan__reduced *r,
                          int tip, int first, int n, const double *v)
{
  double length = 0;
  int body = tip;
  for (int left = n; left > 0; left--, body = model->body[body].parent) {
    const cardan_body *b = &model->body[body];
    const cardan_twist S = cardan__joint_axis(b, 0);
    cardan_force *R = r->R + first, *rate = r->R_rate + first;
    cardan_force *s = &r->s[r->slot[body]], *s_rate = &r->s_rate[r->slot[body]];
    int best = 0;
    for (int j = 1; j < left; j++) {
      best = fabs(cardan__power(S, R[j])) > fabs(cardan__power(S, R[best])) ? j : best;
    }
    const cardan_force pivot_row = R[best], pivot_rate = rate[best];
    const double pivot = cardan__power(S, pivot_row);
    length = fmax(length, reach(data, r, body, S, first, n));
    if (!(fabs(pivot) > smallest_pivot * length)) {
      return body;
    }
    // the pivot changes places with the last row
    r->sign *= (pivot < 0 ? -1 : 1) * (best == left - 1 ? 1 : -1);
    R[best] = R[left - 1];
    rate[best] = rate[left - 1];
    *s = cardan__force_scale(1 / pivot, pivot_row);
    if (v != NULL) {
      const double pivot_dot = cardan__power(S, pivot_rate);
      *s_rate = cardan__force_scale(1 / pivot, cardan__force_axpy(-pivot_dot, *s, pivot_rate));
    }
    const cardan_twist joint = cardan__twist_scale(v != NULL ? v[b->vadr] : 0, S);
    for (int j = 0; j < left - 1; j++) {
      const double a = cardan__power(S, R[j]);
      const cardan_force on = cardan__force_axpy(-a, *s, R[j]);
      if (v != NULL) { // seen from the parent the row also turns with the joint
        const double a_dot = cardan__power(S, rate[j]);
        const cardan_force moved =
            cardan__force_axpy(-a_dot, *s, cardan__force_axpy(-a, *s_rate, rate[j]));
        rate[j] = cardan__force_to_parent(
            &data->X[body], cardan__force_add(moved, cardan__twist_cross_force(joint, on)));
      }
      R[j] = cardan__force_to_parent(&data->X[body], on);
    }
  }
  return 0;
}

/* s of every dependent body, and its rate when v is not NULL. */
static cardan_status find_C(const cardan_model *model, cardan_data *data, cardan__reduced *r,
                            const double *v)
{
  int first = 0;
  r->sign = 1;
  for (int loop = 0; loop < r->nloop; first += r->count[loop], loop++) {
    for (int j = first; j < first + r->count[loop]; j++) {
      const int entry = model->row[r->row[j]].badr;
      r->R[j] = r->R0[j] = data->rows.w[entry];
      r->R_rate[j] = r->w_rate[entry];
    }
    const int body = eliminate_rows(model, data, r, r->tip[loop], first, r->count[loop], v);
    if (body > 0) {
      return in_line(model, data, body, r->row[first]);
    }
  }
  return CARDAN_OK;
}

/* (E5) */
static cardan__abi through(const cardan__abi *IA, cardan_twist S, cardan_force s, double armature)
{
  const cardan_force U = cardan__abi_mul(IA, S);
  // - s U^T - U s^T + D s s^T = (U - D s)(U - D s)^T / D - U U^T / D
  const double D = cardan__power(S, U) + armature;
  const cardan__abi less = cardan__abi_sub_rank1(IA, 1 / D, U);
  return cardan__abi_sub_rank1(&less, -1 / D, cardan__force_axpy(-D, s, U));
}

cardan_status cardan__reduced_factor(const cardan_model *model, cardan_data *data,
                                     cardan__reduced *r)
{
  cardan__made(data, 0, CARDAN_FRESH_FACTOR | CARDAN_FRESH_INERTIAS);
  cardan_status status = find_C(model, data, r, NULL);
  for (int i = 0; i < model->nbody; i++) {
    data->factor[i].IA = cardan__abi_from_inertia(&model->body[i].inertia);
  }
  for (int i = model->nbody - 1; i > 0 && status == CARDAN_OK; i--) {
    const cardan_body *b = &model->body[i];
    cardan__abi Ia;
    if (r->slot[i] >= 0) {
      Ia = through(&data->factor[i].IA, cardan__joint_axis(b, 0), r->s[r->slot[i]],
                   model->armature[b->vadr]);
    } else {
      status = cardan__factor_joint(model, data, i, &Ia);
    }
    const cardan__abi up = cardan__abi_to_parent(&data->X[i], &Ia);
    data->factor[b->parent].IA = cardan__abi_add(&data->factor[b->parent].IA, &up);
  }
  return status;
}

/* ---- sweeps ---- */

/* C^T F */
static cardan_force reduce(cardan_twist S, cardan_force s, cardan_force F)
{
  return cardan__force_axpy(-cardan__power(S, F), s, F);
}

static void gather(const cardan__reduced *r, const double *all, double *out)
{
  for (int k = 0; k < r->n; k++) {
    out[k] = all[r->dof[k]];
  }
}

void cardan__reduced_velocities(const cardan_model *model, cardan_data *data,
                                const cardan__reduced *r, const double *p)
{
  cardan_force *f = data->p;
  cardan_twist *V = data->V;
  double *v = data->v, *residual = data->rest;
  memset(f, 0, (size_t)model->nbody * sizeof *f);
  for (int k = 0; k < r->n; k++) {
    residual[r->dof[k]] = p[k];
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    cardan_force F = f[i];
    if (r->slot[i] >= 0) {
      F = reduce(cardan__joint_axis(b, 0), r->s[r->slot[i]], F); // (E5)
    } else if (b->flags & CARDAN_LINK_KINEMATIC) {
      F = cardan__force_add(
          F, cardan__abi_mul(&data->factor[i].IA,
                             cardan__joint_twist_at(b, data->q + b->qadr, v + b->vadr)));
    } else {
      cardan__joint_subtract(b, data->q + b->qadr, residual + b->vadr, F, residual + b->vadr);
      F = cardan__joint_give_way(b, data, i, residual + b->vadr, F);
    }
    f[b->parent] = cardan__force_add(f[b->parent], cardan__force_to_parent(&data->X[i], F));
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    V[i] = cardan__twist_to_child(&data->X[i], V[b->parent]);
    if (r->slot[i] >= 0) {
      v[b->vadr] = -cardan__power(V[i], r->s[r->slot[i]]); // (E1)
    } else if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
      cardan__joint_respond(b, data, i, residual + b->vadr, V[i], v + b->vadr);
    }
    V[i] = cardan__twist_add(V[i], cardan__joint_twist_at(b, data->q + b->qadr, v + b->vadr));
  }
  cardan__made(data, CARDAN_FRESH_VELOCITIES, CARDAN_FRESH_BIAS | CARDAN_FRESH_FORWARD);
}

void cardan__reduced_momenta(const cardan_model *model, cardan_data *data, const cardan__reduced *r,
                             double *p)
{
  cardan_force *P = data->P;
  P[0] = (cardan_force){.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    P[i] = cardan__inertia_mul(&model->body[i].inertia, data->V[i]);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    cardan_force up = P[i];
    cardan__joint_project_at(b, data->q + b->qadr, P[i], data->rest + b->vadr);
    for (int k = b->vadr; k < b->vadr + b->nv && model->has_armature; k++) {
      data->rest[k] += model->armature[k] * data->v[k];
    }
    if (r->slot[i] >= 0) {
      up = cardan__force_axpy(-data->rest[b->vadr], r->s[r->slot[i]], P[i]); // (E7)
    }
    P[b->parent] =
        cardan__force_add(P[b->parent], cardan__force_to_parent(&data->X[i], up)); // (E2)
  }
  gather(r, data->rest, p);
}

/* What a dependent body passes on of its applied wrench (E3), (E7); p: momentum of its joint. */
static cardan_force pass_wrench(const cardan__reduced *r, int slot, cardan_twist S, cardan_twist V,
                                cardan_force P, cardan_force T, double p, double tau)
{
  const cardan_force s = r->s[slot], reduced_P = cardan__force_axpy(-p, s, P);
  cardan_force F = cardan__force_axpy(-tau, s, reduce(S, s, T));
  F = cardan__force_axpy(-p, r->s_rate[slot], F); // C'^T P = -s' (S.P)
  F = cardan__force_add(F, cardan__twist_cross_force(V, reduced_P));
  return cardan__force_sub(F, reduce(S, s, cardan__twist_cross_force(V, P)));
}

void cardan__reduced_rates(const cardan_model *model, cardan_data *data, cardan__reduced *r,
                           const double *tau, double *pdot)
{
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  cardan_force *P = data->P, *T = data->T;
  double *all = data->rest;
  cardan__rows_jacobian_rate(&set, &view, r->w_rate, r->c_rate);
  if (find_C(model, data, r, data->v) != CARDAN_OK) {
    memset(pdot, 0, (size_t)r->n * sizeof *pdot); // not reached: _factor has found the same C
    return;
  }
  cardan__momenta_bodies(model, data);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    cardan_force up_P = P[i], up_T = T[i];
    // (E4)
    cardan__joint_project_rate(b, data->q + b->qadr, data->v + b->vadr, data->V[i], P[i], T[i],
                               all + b->vadr);
    for (int k = b->vadr; k < b->vadr + b->nv; k++) {
      all[k] += tau[k];
    }
    if (r->slot[i] >= 0) {
      const cardan_twist S = cardan__joint_axis(b, 0);
      const double p = cardan__power(S, P[i]) + model->armature[b->vadr] * data->v[b->vadr];
      up_P = cardan__force_axpy(-p, r->s[r->slot[i]], P[i]);
      up_T = pass_wrench(r, r->slot[i], S, data->V[i], P[i], T[i], p, tau[b->vadr]);
    }
    P[b->parent] =
        cardan__force_add(P[b->parent], cardan__force_to_parent(&data->X[i], up_P)); // (E2)
    T[b->parent] =
        cardan__force_add(T[b->parent], cardan__force_to_parent(&data->X[i], up_T)); // (E3)
  }
  gather(r, all, pdot);
}
