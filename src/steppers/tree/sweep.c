// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "forces/forces.h"
#include "kinematics/joint.h"
#include "steppers/tree/mid.h"

/* The exact Newton direction of the midpoint rule in O(nbody).
 *
 * mid.c says how the Lagrangian's derivatives change along dq = kq x, dv = kv x. Per body that is a
 * motion z = (dV, w) of 9 numbers and a load y = (~P, ~F.t) of 9 (in uniform gravity ~F.f is 0), with
 *   z_i = G_i^T z_p + s_i x_i      s = (kq ad_V S + kv S; kq S.w)                        (E1)
 *   y_i = B_i z_i + sum over children of (G_c (y_c + k_c x_c) + E_c z_i)                 (E2)
 *   G = [R p^R 0; 0 R 0; 0 0 R] in 3 x 3 blocks: a wrench to the parent, and a turn
 *   B = [J h^ -mu.t^; -h^ m -mu.f^; 0 0 g^h^]      mu = I V, g in body axes              (E3)
 *   E z = ((w_p x p) x f_P; 0; (w_p x p) x f_F)    f_P = R P.f, f_F = R F.f              (E4)
 *   k = kq (S.v x P.f; 0; S.v x F.f)               the joint's own slide                 (E5)
 * The joint's equation kb dL_q - dL_v = r, from (E6) of mid.c, with c = ad_V S:
 *   l.y + e.z = r        l = (kb c - S; kb S.w)
 *   e = (-kb ad_S^T P;  -(P.t x l.w + P.f x l.v) - kb (F.t x S.w + F.f x S.v))           (E6)
 * Elimination from the leaves, with y_i = A_i z_i + b_i and all of i's children gone:
 *   w = A^T l + e,   d = w.s + (diagonal of tau),   U = (A s + k) / d                    (E7)
 *   A_p += G (A - U w^T) G^T + E,   b_p += G (b + U u),   u = r - l.b                    (E8)
 *   x = (u - w.z') / d,   z' = G^T z_p                                                   (E9)
 * Math-variational derivations elsewhere carry 12 numbers, pose and twist; here translations drop out
 * because origins move along (mid.c), and a force that keeps its direction has ~F.f = 0. A and d are
 * not symmetric; d is negative for small steps, about -M kv. */

/* ---- 3-vectors inside arrays of 9 ---- */

static inline cardan_vec3 vec_at(const double *x)
{
  return (cardan_vec3){x[0], x[1], x[2]};
}

static inline void vec_put(double *x, cardan_vec3 a)
{
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

/* k a^ added to the 3 x 3 block of M at row i, column j */
static inline void add_skew(double M[9][9], int i, int j, double k, cardan_vec3 a)
{
  M[i][j + 1] -= k * a.z;
  M[i][j + 2] += k * a.y;
  M[i + 1][j] += k * a.z;
  M[i + 1][j + 2] -= k * a.x;
  M[i + 2][j] -= k * a.y;
  M[i + 2][j + 1] += k * a.x;
}

/* a^ b^ = b a^T - (a.b) 1 added to the block at row i, column j */
static inline void add_skew2(double M[9][9], int i, int j, cardan_vec3 a, cardan_vec3 b)
{
  const double u[3] = {a.x, a.y, a.z}, n[3] = {b.x, b.y, b.z}, dot = cardan__vec3_dot(a, b);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      M[i + r][j + c] += n[r] * u[c];
    }
    M[i + r][j + r] -= dot;
  }
}

static inline double dot9(const double *x, const double *y)
{
  return (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) + (x[3] * y[3] + x[4] * y[4] + x[5] * y[5]) +
         (x[6] * y[6] + x[7] * y[7] + x[8] * y[8]);
}

/* ---- factor ---- */

/* (E3) */
static void own_matrix(const cardan_inertia *I, cardan_motion V, cardan_vec3 g, double A[9][9])
{
  const cardan_force mu = cardan__inertia_mul(I, V);
  memset(A, 0, 81 * sizeof(double));
  A[0][0] = I->xx;
  A[1][1] = I->yy;
  A[2][2] = I->zz;
  A[0][1] = A[1][0] = I->xy;
  A[0][2] = A[2][0] = I->xz;
  A[1][2] = A[2][1] = I->yz;
  A[3][3] = A[4][4] = A[5][5] = I->m;
  add_skew(A, 0, 3, 1, I->h);
  add_skew(A, 3, 0, -1, I->h);
  add_skew(A, 0, 6, -1, mu.t);
  add_skew(A, 3, 6, -1, mu.f);
  add_skew2(A, 6, 6, g, I->h);
}

/* l, s, k of (E1), (E5), (E6) and e to w. */
static void joint_vectors(const cardan_body *b, const cardan_data *data, int i,
                          const cardan__mid_weights *weights, cardan__sweep_body *out, double k[9])
{
  const cardan_motion S = cardan__joint_axis(b, 0), c = cardan__motion_cross(data->V[i], S);
  const cardan_force P = data->P[i], F = data->f[i];
  const double kb = weights->kb, kq = weights->kq;
  const cardan_motion l = cardan__motion_axpy(kb, c, cardan__motion_neg(S));
  const cardan_motion s = cardan__motion_axpy(kq, c, cardan__motion_scale(weights->kv, S));
  const cardan_force eV = cardan__force_scale(-kb, cardan__motion_ad_transpose(S, P));
  const cardan_vec3 ePw =
      cardan__vec3_add(cardan__vec3_cross(P.t, l.w), cardan__vec3_cross(P.f, l.v));
  const cardan_vec3 eFw =
      cardan__vec3_add(cardan__vec3_cross(F.t, S.w), cardan__vec3_cross(F.f, S.v));
  vec_put(out->l, l.w);
  vec_put(out->l + 3, l.v);
  vec_put(out->l + 6, cardan__vec3_scale(kb, S.w));
  vec_put(out->s, s.w);
  vec_put(out->s + 3, s.v);
  vec_put(out->s + 6, cardan__vec3_scale(kq, S.w));
  vec_put(out->w, eV.t);
  vec_put(out->w + 3, eV.f);
  vec_put(out->w + 6, cardan__vec3_neg(cardan__vec3_axpy(kb, eFw, ePw)));
  vec_put(k, cardan__vec3_scale(kq, cardan__vec3_cross(S.v, P.f)));
  vec_put(k + 3, (cardan_vec3){0, 0, 0});
  vec_put(k + 6, cardan__vec3_scale(kq, cardan__vec3_cross(S.v, F.f)));
}

/* (E7), and A - U w^T in place; false without a pivot. */
static bool eliminate(cardan__sweep_body *out, const double k[9], double tau_slope, double A[9][9])
{
  double As[9];
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < 9; j++) {
      out->w[j] += out->l[i] * A[i][j];
    }
    As[i] = dot9(A[i], out->s) + k[i];
  }
  const double d = dot9(out->w, out->s) + tau_slope;
  if (!(fabs(d) > 0) || !isfinite(d)) {
    return false;
  }
  out->inv_d = 1 / d;
  for (int i = 0; i < 9; i++) {
    out->U[i] = As[i] * out->inv_d;
    for (int j = 0; j < 9; j++) {
      A[i][j] -= out->U[i] * out->w[j];
    }
  }
  return true;
}

/* out = G A G^T + E of (E8): rows first, then each row on its own; f_P, f_F as in (E4). */
static void to_parent(const cardan_xform *X, cardan_vec3 f_P, cardan_vec3 f_F, const double A[9][9],
                      double out[9][9])
{
  const cardan_mat3 *R = &X->R;
  const cardan_vec3 p = X->p;
  double T[9][9];
  for (int block = 0; block < 9; block += 3) {
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 9; j++) {
        T[block + i][j] =
            R->m[i][0] * A[block][j] + R->m[i][1] * A[block + 1][j] + R->m[i][2] * A[block + 2][j];
      }
    }
  }
  for (int j = 0; j < 9; j++) {
    T[0][j] += p.y * T[5][j] - p.z * T[4][j];
    T[1][j] += p.z * T[3][j] - p.x * T[5][j];
    T[2][j] += p.x * T[4][j] - p.y * T[3][j];
  }
  for (int i = 0; i < 9; i++) {
    const cardan_vec3 f = cardan__mat3_mulv(R, vec_at(&T[i][3]));
    vec_put(&out[i][0],
            cardan__vec3_add(cardan__mat3_mulv(R, vec_at(&T[i][0])), cardan__vec3_cross(p, f)));
    vec_put(&out[i][3], f);
    vec_put(&out[i][6], cardan__mat3_mulv(R, vec_at(&T[i][6])));
  }
  // (w x p) x f = f^ p^ w
  add_skew2(out, 0, 6, cardan__mat3_mulv(R, f_P), p);
  add_skew2(out, 6, 6, cardan__mat3_mulv(R, f_F), p);
}

static void add81(const double A[9][9], double B[9][9])
{
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < 9; j++) {
      B[i][j] += A[i][j];
    }
  }
}

/* One body: its joint's vectors and pivot to out, and A as the parent will see it, before G. */
static bool factor_body(cardan__mid *mid, const cardan__mid_weights *weights, int i, double A[9][9])
{
  const cardan_body *b = &mid->model->body[i];
  cardan__sweep_body *out = &mid->sweep[i];
  double k[9];
  out->X = mid->data->X[i];
  joint_vectors(b, mid->data, i, weights, out, k);
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    out->inv_d = 0;
    memset(out->U, 0, sizeof out->U);
    return true;
  }
  const int v = b->vadr;
  const double tau = weights->kb * (weights->kq * mid->tau_q[v] + weights->kv * mid->tau_v[v]);
  return eliminate(out, k, tau, A);
}

cardan_status cardan__mid_factor(cardan__mid *mid, const cardan__mid_weights *weights)
{
  const cardan_model *model = mid->model;
  cardan_data *data = mid->data;
  // what the child just before in memory passes on stays in the first cache; others meet in mid->A
  double carried[9][9], A[9][9];
  bool is_carried = false;
  if (mid->elements) {
    const cardan__view view = cardan__data_view(model, data);
    cardan__forces_diagonal(model, &view, mid->tau_q, mid->tau_v);
  }
  for (int i = 0; i < mid->nbranch; i++) {
    memset(mid->A[i], 0, sizeof mid->A[i]);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const int parent = model->body[i].parent, branch = mid->branch[i];
    own_matrix(&model->body[i].I, data->V[i], data->A[i].v, A);
    if (is_carried) {
      add81((const double(*)[9])carried, A);
    }
    if (branch >= 0) {
      add81((const double(*)[9])mid->A[branch], A);
    }
    if (!factor_body(mid, weights, i, A)) {
      data->info.body = i;
      data->info.joint = model->body[i].joint;
      return CARDAN_ERR_NOT_POSDEF;
    }
    is_carried = parent == i - 1 && parent > 0;
    if (parent > 0) {
      to_parent(&data->X[i], data->P[i].f, data->f[i].f, (const double(*)[9])A, carried);
    }
    if (parent > 0 && !is_carried) {
      add81((const double(*)[9])carried, mid->A[mid->branch[parent]]);
    }
  }
  return CARDAN_OK;
}

/* ---- solve ---- */

void cardan__mid_solve(const cardan__mid *mid, const double *r, double *x)
{
  const cardan_model *model = mid->model;
  cardan_force *b6 = mid->z;
  cardan_vec3 *b3 = mid->turn;
  memset(b6, 0, (size_t)model->nbody * sizeof *b6);
  memset(b3, 0, (size_t)model->nbody * sizeof *b3);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan__sweep_body *s = &mid->sweep[i];
    const int k = model->body[i].vadr, parent = model->body[i].parent;
    const double *l = s->l, *U = s->U;
    const double u =
        r[k] - (cardan__vec3_dot(vec_at(l), b6[i].t) + cardan__vec3_dot(vec_at(l + 3), b6[i].f) +
                cardan__vec3_dot(vec_at(l + 6), b3[i]));
    const cardan_force F = {.t = cardan__vec3_axpy(u, vec_at(U), b6[i].t),
                            .f = cardan__vec3_axpy(u, vec_at(U + 3), b6[i].f)};
    const cardan_vec3 turn = cardan__vec3_axpy(u, vec_at(U + 6), b3[i]);
    x[k] = u; // until the way back
    b6[parent] = cardan__force_add(b6[parent], cardan__force_to_parent(&s->X, F)); // (E8)
    b3[parent] = cardan__vec3_add(b3[parent], cardan__mat3_mulv(&s->X.R, turn));
  }
  // z takes the places of b
  b6[0] = (cardan_force){.t = {0, 0, 0}};
  b3[0] = (cardan_vec3){0, 0, 0};
  for (int i = 1; i < model->nbody; i++) {
    const cardan__sweep_body *s = &mid->sweep[i];
    const int k = model->body[i].vadr, parent = model->body[i].parent;
    const cardan_motion V =
        cardan__motion_to_child(&s->X, (cardan_motion){b6[parent].t, b6[parent].f});
    const cardan_vec3 turn = cardan__mat3_tmulv(&s->X.R, b3[parent]);
    const double asked = cardan__vec3_dot(vec_at(s->w), V.w) +
                         cardan__vec3_dot(vec_at(s->w + 3), V.v) +
                         cardan__vec3_dot(vec_at(s->w + 6), turn);
    const double xi = (x[k] - asked) * s->inv_d; // (E9)
    x[k] = xi;
    b6[i] = (cardan_force){.t = cardan__vec3_axpy(xi, vec_at(s->s), V.w),
                           .f = cardan__vec3_axpy(xi, vec_at(s->s + 3), V.v)};
    b3[i] = cardan__vec3_axpy(xi, vec_at(s->s + 6), turn);
  }
}
