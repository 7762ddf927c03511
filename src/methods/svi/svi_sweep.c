// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "forces/forces.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "methods/svi/mid.h"
#include "spatial/vec3_array.h"

/* The exact Newton direction of the midpoint rule in O(nbody).
 *
 * mid.c says how the Lagrangian's derivatives change along dq = kq x, dv = kv x. Per body that is a
 * motion z = (dV, w) of 9 numbers and a load y = (~P, ~F.t) of 9 (in uniform gravity ~F.f is 0),
 * with
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
 * The solve keeps G U and G w / d: then a body waits for a turn or a product, not for both.
 * l and s it makes from the twists of the last evaluation: in long chains an earlier step's l,
 * times b of all that is below, leaves a motion of the whole chain; its U, w and d do no harm.
 * Pose and twist of a body are 12 numbers; 9 are enough here because translations drop
 * out because origins move along (mid.c), and a force that keeps its direction has ~F.f = 0. A and
 * d are not symmetric; d is negative for small steps, about -M kv. */

/* ---- 3-vectors inside arrays of 9 ---- */

static inline double dot9(const double *x, const double *y)
{
  return (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) + (x[3] * y[3] + x[4] * y[4] + x[5] * y[5]) +
         (x[6] * y[6] + x[7] * y[7] + x[8] * y[8]);
}

/* ---- 9 x 9 matrices, padded with zeros to 12 x 12 for the vector unit ----
 * G X^T G^T is two products with G from the left and a transposition between: so a body whose depth
 * is even keeps A, its parent A^T, and nothing is transposed twice. */

typedef cardan__sweep_matrix matrix;

/* The 3 x 3 block at row i, column j, and its part +-a^, as a whole. */
static inline void put_block(matrix *M, int i, int j, const cardan_mat3 *B)
{
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      M->row[i + r].x[j + c] = B->m[r][c];
    }
  }
}

static inline cardan_mat3 skew(double k, cardan_vec3 a)
{
  return (cardan_mat3){{{0, -k * a.z, k * a.y}, {k * a.z, 0, -k * a.x}, {-k * a.y, k * a.x, 0}}};
}

/* B += a^ b^ = b a^T - (a.b) 1; its transpose is b^ a^ */
static inline void add_skew2(cardan_mat3 *B, cardan_vec3 a, cardan_vec3 b)
{
  const double u[3] = {a.x, a.y, a.z}, n[3] = {b.x, b.y, b.z}, dot = cardan__vec3_dot(a, b);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      B->m[r][c] += n[r] * u[c];
    }
    B->m[r][r] -= dot;
  }
}

/* (E4) of one child: where it is, and f_P and f_F. */
typedef struct {
  cardan_vec3 p, f_P, f_F;
} edge;

static inline edge edge_of(const cardan_data *data, int i)
{
  const cardan_xform *T = &data->X[i];
  return (edge){.p = T->p,
                .f_P = cardan__mat3_mulv(&T->R, data->P[i].f),
                .f_F = cardan__mat3_mulv(&T->R, data->T[i].f)};
}

/* A = (E3) + (E4) of one child, (w x p) x f = f^ p^ w, for both loads; or its transpose. */
static void put_own(const cardan_inertia *I, cardan_twist V, cardan_vec3 g, const edge *e,
                    bool transposed, matrix *A)
{
  const cardan_force mu = cardan__inertia_mul(I, V);
  const cardan_mat3 J = {{{I->xx, I->xy, I->xz}, {I->xy, I->yy, I->yz}, {I->xz, I->yz, I->zz}}};
  const cardan_mat3 h = skew(1, I->h), minus_h = skew(-1, I->h), zero = {{{0}}};
  const cardan_mat3 m = {{{I->m, 0, 0}, {0, I->m, 0}, {0, 0, I->m}}};
  const double sign = transposed ? 1 : -1;
  cardan_mat3 t = skew(sign, mu.t), f = skew(sign, mu.f), w = zero;
  add_skew2(&t, transposed ? e->p : e->f_P, transposed ? e->f_P : e->p);
  add_skew2(&w, transposed ? e->p : e->f_F, transposed ? e->f_F : e->p);
  add_skew2(&w, transposed ? I->h : g, transposed ? g : I->h);
  put_block(A, 0, 0, &J);
  put_block(A, 0, 3, &h);
  put_block(A, 3, 0, &minus_h);
  put_block(A, 3, 3, &m);
  put_block(A, transposed ? 6 : 0, transposed ? 0 : 6, &t);
  put_block(A, transposed ? 6 : 3, transposed ? 3 : 6, &f);
  put_block(A, transposed ? 0 : 6, transposed ? 6 : 0, &zero);
  put_block(A, transposed ? 3 : 6, transposed ? 6 : 3, &zero);
  put_block(A, 6, 6, &w);
}

/* R of all rows, in threes. axes: a constant of the caller's */
CARDAN__INLINE void turn_rows(const cardan_mat3 *R, const cardan__axes axes, cardan__vec4 y[9])
{
  const double(*r)[3] = R->m;
  for (int block = 0; block < 9; block += 3) {
    const cardan__vec4 a = y[block], b = y[block + 1], c = y[block + 2];
    if (axes == CARDAN__AXES_RIGHT) {
      y[block] = r[0][0] * a + r[0][1] * b;
      y[block + 1] = r[1][2] * c;
      y[block + 2] = r[2][0] * a + r[2][1] * b;
    } else if (axes == CARDAN__AXES_PARALLEL) {
      y[block] = r[0][0] * a + r[0][1] * b;
      y[block + 1] = r[1][0] * a + r[1][1] * b;
    } else {
      y[block] = r[0][0] * a + r[0][1] * b + r[0][2] * c;
      y[block + 1] = r[1][0] * a + r[1][1] * b + r[1][2] * c;
      y[block + 2] = r[2][0] * a + r[2][1] * b + r[2][2] * c;
    }
  }
}

/* y <- G y for four columns of a matrix, one vector a row. flags: the body's */
CARDAN__INLINE void times_G(int flags, const cardan_xform *T, cardan__vec4 y[9])
{
  const cardan_vec3 p = T->p;
  if (flags & CARDAN_LINK_RIGHT) {
    turn_rows(&T->R, CARDAN__AXES_RIGHT, y);
  } else if (flags & CARDAN_LINK_PARALLEL) {
    turn_rows(&T->R, CARDAN__AXES_PARALLEL, y);
  } else {
    turn_rows(&T->R, CARDAN__AXES_ANYHOW, y);
  }
  if (flags & CARDAN_LINK_ALONG_X) {
    y[1] -= p.x * y[5];
    y[2] += p.x * y[4];
  }
  if (flags & CARDAN_LINK_ALONG_Y) {
    y[2] -= p.y * y[3];
    y[0] += p.y * y[5];
  }
  if (flags & CARDAN_LINK_ALONG_Z) {
    y[0] -= p.z * y[4];
    y[1] += p.z * y[3];
  }
}

/* out += G (X - u a^T)^T G^T. What is between stays in registers but for one matrix. */
static void to_parent(int flags, const cardan_xform *T, const matrix *X, const double u[9],
                      const cardan__row12 *a, matrix *out)
{
  matrix Z; // (G (X - u a^T))^T
  for (int v = 0; v < 3; v++) {
    cardan__vec4 y[12] = {{0}};
    for (int i = 0; i < 9; i++) {
      y[i] = X->row[i].v[v] - u[i] * a->v[v];
    }
    times_G(flags, T, y);
    for (int j = 0; j < 3; j++) {
      cardan__transpose4(&y[4 * j], 1, &Z.row[4 * v].v[j], 3);
    }
  }
  for (int v = 0; v < 3; v++) {
    cardan__vec4 y[9];
    for (int i = 0; i < 9; i++) {
      y[i] = Z.row[i].v[v];
    }
    times_G(flags, T, y);
    for (int i = 0; i < 9; i++) {
      out->row[i].v[v] += y[i];
    }
  }
}

static void add_matrix(const matrix *A, matrix *B)
{
  for (int i = 0; i < 9; i++) {
    for (int v = 0; v < 3; v++) {
      B->row[i].v[v] += A->row[i].v[v];
    }
  }
}

/* ---- factor ---- */

/* l, s, k, e of (E1), (E5), (E6) of a joint; what follows the 9 numbers of each is 0. */
typedef struct {
  cardan__row12 l, s, k, e;
} vectors;

/* l, s, e of a joint that turns about z, whose k is 0: S = (z; 0). */
static inline void turn_vectors(const cardan_data *data, int i, const cardan__mid_weights *weights,
                                vectors *out)
{
  const cardan_twist V = data->V[i];
  const cardan_force P = data->P[i], F = data->T[i];
  const double kb = weights->kb, kq = weights->kq;
  const cardan_vec3 cw = {V.w.y, -V.w.x, 0}, cv = {V.v.y, -V.v.x, 0}; // c = ad_V S
  const cardan_vec3 lw = {kb * cw.x, kb * cw.y, -1}, lv = {kb * cv.x, kb * cv.y, 0};
  const cardan_vec3 ePw =
      cardan__vec3_add(cardan__vec3_cross(P.t, lw), cardan__vec3_cross(P.f, lv));
  cardan__vec3_put(lw, out->l.x);
  cardan__vec3_put(lv, out->l.x + 3);
  cardan__vec3_put((cardan_vec3){0, 0, kb}, out->l.x + 6);
  cardan__vec3_put((cardan_vec3){kq * cw.x, kq * cw.y, weights->kv}, out->s.x);
  cardan__vec3_put((cardan_vec3){kq * cv.x, kq * cv.y, 0}, out->s.x + 3);
  cardan__vec3_put((cardan_vec3){0, 0, kq}, out->s.x + 6);
  cardan__vec3_put((cardan_vec3){-kb * P.t.y, kb * P.t.x, 0}, out->e.x);
  cardan__vec3_put((cardan_vec3){-kb * P.f.y, kb * P.f.x, 0}, out->e.x + 3);
  cardan__vec3_put((cardan_vec3){-(ePw.x + kb * F.t.y), -(ePw.y - kb * F.t.x), -ePw.z},
                   out->e.x + 6);
}

void cardan__mid_joint(const cardan__mid *mid, const cardan__mid_weights *weights, int i, double *l,
                       double *s)
{
  const cardan_twist S = cardan__joint_axis(&mid->model->body[i], 0);
  const cardan_twist c = cardan__twist_cross(mid->data->V[i], S);
  const double kb = weights->kb, kq = weights->kq, kv = weights->kv;
  cardan__vec3_put(cardan__vec3_axpy(kb, c.w, cardan__vec3_neg(S.w)), l);
  cardan__vec3_put(cardan__vec3_axpy(kb, c.v, cardan__vec3_neg(S.v)), l + 3);
  cardan__vec3_put(cardan__vec3_scale(kb, S.w), l + 6);
  cardan__vec3_put(cardan__vec3_axpy(kq, c.w, cardan__vec3_scale(kv, S.w)), s);
  cardan__vec3_put(cardan__vec3_axpy(kq, c.v, cardan__vec3_scale(kv, S.v)), s + 3);
  cardan__vec3_put(cardan__vec3_scale(kq, S.w), s + 6);
}

/* Of any joint. */
static void joint_vectors(const cardan__mid *mid, int i, const cardan__mid_weights *weights,
                          vectors *out)
{
  const cardan_twist S = cardan__joint_axis(&mid->model->body[i], 0);
  const cardan_force P = mid->data->P[i], F = mid->data->T[i];
  const double kb = weights->kb, kq = weights->kq;
  cardan__mid_joint(mid, weights, i, out->l.x, out->s.x);
  const cardan_force eV = cardan__force_scale(-kb, cardan__twist_ad_transpose(S, P));
  const cardan_vec3 ePw = cardan__vec3_add(cardan__vec3_cross(P.t, cardan__vec3_of(out->l.x)),
                                           cardan__vec3_cross(P.f, cardan__vec3_of(out->l.x + 3)));
  const cardan_vec3 eFw =
      cardan__vec3_add(cardan__vec3_cross(F.t, S.w), cardan__vec3_cross(F.f, S.v));
  cardan__vec3_put(eV.t, out->e.x);
  cardan__vec3_put(eV.f, out->e.x + 3);
  cardan__vec3_put(cardan__vec3_neg(cardan__vec3_axpy(kb, eFw, ePw)), out->e.x + 6);
  cardan__vec3_put(cardan__vec3_scale(kq, cardan__vec3_cross(S.v, P.f)), out->k.x);
  cardan__vec3_put((cardan_vec3){0, 0, 0}, out->k.x + 3);
  cardan__vec3_put(cardan__vec3_scale(kq, cardan__vec3_cross(S.v, F.f)), out->k.x + 6);
}

/* across += X^T x, down += X y */
static inline void products(const matrix *X, const double *x, const cardan__row12 *y,
                            cardan__row12 *across, double *down)
{
  for (int v = 0; v < 3; v++) {
    // three sums of three: shorter chains of additions
    cardan__vec4 sum[3];
    for (int i = 0; i < 3; i++) {
      const cardan__row12 *r = &X->row[3 * i];
      sum[i] = x[3 * i] * r[0].v[v] + x[3 * i + 1] * r[1].v[v] + x[3 * i + 2] * r[2].v[v];
    }
    across->v[v] += sum[0] + sum[1] + sum[2];
  }
  for (int i = 0; i < 9; i++) {
    const cardan__vec4 *r = X->row[i].v;
    const cardan__vec4 d = r[0] * y->v[0] + r[1] * y->v[1] + r[2] * y->v[2];
    down[i] += (d[0] + d[1]) + (d[2] + d[3]);
  }
}

/* out = k G y */
static inline void carry(const cardan_xform *T, double k, const double y[9], double out[9])
{
  const cardan_force F = {.t = cardan__vec3_of(y), .f = cardan__vec3_of(y + 3)};
  const cardan_force up = cardan__force_scale(k, cardan__force_to_parent(T, F));
  cardan__vec3_put(up.t, out);
  cardan__vec3_put(up.f, out + 3);
  cardan__vec3_put(cardan__vec3_scale(k, cardan__mat3_mulv(&T->R, cardan__vec3_of(y + 6))),
                   out + 6);
}

/* (E7); what is to be taken from X, U w^T or its transpose where X is A^T, is down across^T.
 * returns false without a pivot */
static bool eliminate(const vectors *j, const cardan_xform *T, double tau_slope, bool transposed,
                      const matrix *X, cardan__sweep_body *out, double down[9],
                      cardan__row12 *across)
{
  const double *w = transposed ? down : across->x, *As = transposed ? across->x : down;
  *across = transposed ? j->k : j->e;
  for (int i = 0; i < 9; i++) {
    down[i] = transposed ? j->e.x[i] : j->k.x[i];
  }
  products(X, transposed ? j->s.x : j->l.x, transposed ? &j->l : &j->s, across, down);
  const double d = dot9(w, j->s.x) + tau_slope;
  if (!(fabs(d) > 0) || !isfinite(d)) {
    return false;
  }
  out->inv_d = 1 / d;
  carry(T, out->inv_d, As, out->U);
  carry(T, out->inv_d, w, out->w);
  for (int i = 0; i < 9; i++) {
    down[i] *= out->inv_d;
  }
  return true;
}

/* One body: its pivot, and what giving way takes from X. */
static bool factor_body(cardan__mid *mid, const cardan__mid_weights *weights, int i,
                        const vectors *j, const matrix *X, double down[9], cardan__row12 *across)
{
  const cardan_body *b = &mid->model->body[i];
  cardan__sweep_body *out = &mid->sweep[i];
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    out->inv_d = 0;
    memset(out->U, 0, sizeof out->U);
    memset(out->w, 0, sizeof out->w);
    memset(down, 0, 9 * sizeof *down);
    return true;
  }
  const int v = b->vadr;
  const double tau = weights->kb * (weights->kq * mid->tau_q[v] + weights->kv * mid->tau_v[v]) -
                     weights->kv * mid->model->armature[v];
  return eliminate(j, &mid->data->X[i], tau, mid->odd[i], X, out, down, across);
}

/* What body i has before anything comes from its children's motion: (E3), (E4) of the child next in
 * number, and its joint's vectors. Its inputs are single numbers, its outputs vectors. They are
 * computed one iteration ahead, to hide their latency. */
static void prepare(const cardan__mid *mid, const cardan__mid_weights *weights, int i, matrix *D,
                    vectors *j)
{
  const cardan_model *model = mid->model;
  const cardan_data *data = mid->data;
  const bool has_next = i + 1 < model->nbody && model->body[i + 1].parent == i;
  const edge e = has_next ? edge_of(data, i + 1) : (edge){.p = {0, 0, 0}};
  put_own(&model->body[i].inertia, data->V[i], data->g[i], &e, mid->odd[i], D);
  if (cardan__joint_is_hinge(&model->body[i])) {
    turn_vectors(data, i, weights, j);
    memset(&j->k, 0, sizeof j->k);
  } else {
    joint_vectors(mid, i, weights, j);
  }
}

/* A child that is not next in number: its matrix, and (E4), meet others in mid->A. */
static void add_to_parent(cardan__mid *mid, int i, const matrix *X, const double down[9],
                          const cardan__row12 *across)
{
  const int parent = mid->model->body[i].parent;
  const edge e = edge_of(mid->data, i);
  static const cardan_inertia none = {.m = 0};
  const cardan_twist still = {.w = {0, 0, 0}};
  matrix passed = {.row = {{.x = {0}}}};
  put_own(&none, still, still.w, &e, mid->odd[parent], &passed);
  to_parent(mid->model->body[i].flags, &mid->data->X[i], X, down, across, &passed);
  add_matrix(&passed, &mid->A[mid->branch[parent]]);
}

cardan_status cardan__mid_factor(cardan__mid *mid, const cardan__mid_weights *weights)
{
  const cardan_model *model = mid->model;
  cardan_data *data = mid->data;
  matrix own[2] = {{.row = {{.x = {0}}}}, {.row = {{.x = {0}}}}};
  vectors joint[2] = {{.l = {.x = {0}}}, {.l = {.x = {0}}}};
  if (mid->elements) {
    const cardan__view view = cardan__data_view(model, data);
    cardan__forces_diagonal(model, &view, mid->tau_q, mid->tau_v);
  }
  for (int i = 0; i < mid->nbranch; i++) {
    memset(&mid->A[i], 0, sizeof mid->A[i]);
  }
  const int last = model->nbody - 1;
  prepare(mid, weights, last, &own[last % 2], &joint[last % 2]);
  for (int i = model->nbody - 1; i > 0; i--) {
    const int parent = model->body[i].parent, branch = mid->branch[i];
    matrix *X = &own[i % 2];
    if (i > 1) {
      prepare(mid, weights, i - 1, &own[(i - 1) % 2], &joint[(i - 1) % 2]);
    }
    if (branch >= 0) {
      add_matrix(&mid->A[branch], X);
    }
    double down[9];
    cardan__row12 across = {.x = {0}};
    if (!factor_body(mid, weights, i, &joint[i % 2], X, down, &across)) {
      data->info.body = i;
      data->info.joint = model->body[i].joint;
      return CARDAN_ERR_NOT_POSDEF;
    }
    if (parent == i - 1 && parent > 0) {
      to_parent(model->body[i].flags, &data->X[i], X, down, &across, &own[parent % 2]);
    } else if (parent > 0) {
      add_to_parent(mid, i, X, down, &across);
    }
  }
  return CARDAN_OK;
}

/* ---- solve ---- */

/* What a body has in the solve: 9 numbers, as b or as z. */
typedef struct {
  cardan_vec3 t, f, turn;
} nine;

/* k y + x */
static inline nine add_times(double k, const double y[9], nine x)
{
  return (nine){.t = cardan__vec3_axpy(k, cardan__vec3_of(y), x.t),
                .f = cardan__vec3_axpy(k, cardan__vec3_of(y + 3), x.f),
                .turn = cardan__vec3_axpy(k, cardan__vec3_of(y + 6), x.turn)};
}

static inline double product(const double y[9], nine x)
{
  return cardan__vec3_dot(cardan__vec3_of(y), x.t) + cardan__vec3_dot(cardan__vec3_of(y + 3), x.f) +
         cardan__vec3_dot(cardan__vec3_of(y + 6), x.turn);
}

/* G x, and G^T x, of a body with these flags. */
CARDAN__INLINE nine nine_to_parent(int flags, const cardan_xform *T, nine x)
{
  const cardan_force F = cardan__link_force(flags, T, (cardan_force){.t = x.t, .f = x.f});
  return (nine){.t = F.t, .f = F.f, .turn = cardan__link_out(flags, &T->R, x.turn)};
}

CARDAN__INLINE nine nine_to_child(int flags, const cardan_xform *T, nine x)
{
  const cardan_twist V = cardan__link_twist(flags, T, (cardan_twist){.w = x.t, .v = x.f});
  return (nine){.t = V.w, .f = V.v, .turn = cardan__link_in(flags, &T->R, x.turn)};
}

/* l.b of joint i */
CARDAN__INLINE double asks(const cardan__mid *mid, const cardan__mid_weights *weights, int i,
                           nine b)
{
  if (cardan__joint_is_hinge(&mid->model->body[i])) {
    const cardan_twist V = mid->data->V[i];
    const double kb = weights->kb;
    return (kb * V.w.y * b.t.x - kb * V.w.x * b.t.y) + (kb * V.v.y * b.f.x - kb * V.v.x * b.f.y) +
           (kb * b.turn.z - b.t.z);
  }
  double l[9], s[9];
  cardan__mid_joint(mid, weights, i, l, s);
  return product(l, b);
}

/* s x + z of joint i */
CARDAN__INLINE nine moved(const cardan__mid *mid, const cardan__mid_weights *weights, int i,
                          double x, nine z)
{
  if (cardan__joint_is_hinge(&mid->model->body[i])) {
    const cardan_twist V = mid->data->V[i];
    const double turn = weights->kq * x;
    return (nine){
        .t = {z.t.x + turn * V.w.y, z.t.y - turn * V.w.x, z.t.z + weights->kv * x},
        .f = {z.f.x + turn * V.v.y, z.f.y - turn * V.v.x, z.f.z},
        .turn = {z.turn.x, z.turn.y, z.turn.z + turn},
    };
  }
  double l[9], s[9];
  cardan__mid_joint(mid, weights, i, l, s);
  return add_times(x, s, z);
}

static inline nine sum_at(const cardan__mid *mid, int i, nine x)
{
  return (nine){.t = cardan__vec3_add(x.t, mid->z[i].t),
                .f = cardan__vec3_add(x.f, mid->z[i].f),
                .turn = cardan__vec3_add(x.turn, mid->turn[i])};
}

static inline void put_at(const cardan__mid *mid, int i, nine x)
{
  mid->z[i] = (cardan_force){.t = x.t, .f = x.f};
  mid->turn[i] = x.turn;
}

/* (E8): x <- u, until the way back. Only what meets others goes by way of memory. */
static void reduce(const cardan__mid *mid, const cardan__mid_weights *weights, const double *r,
                   double *x)
{
  const cardan_model *model = mid->model;
  const nine zero = {.t = {0, 0, 0}};
  nine b = zero;
  for (int i = 0; i < model->nbody && mid->nbranch > 0; i++) {
    put_at(mid, i, zero);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan__sweep_body *s = &mid->sweep[i];
    const cardan_xform *X = &mid->data->X[i];
    const int k = model->body[i].vadr, parent = model->body[i].parent;
    if (mid->branch[i] >= 0) {
      b = sum_at(mid, i, b);
    }
    const double u = r[k] - asks(mid, weights, i, b);
    x[k] = u;
    b = add_times(u, s->U, nine_to_parent(model->body[i].flags, X, b));
    if (parent != i - 1) {
      put_at(mid, parent, sum_at(mid, parent, b));
      b = zero;
    }
  }
}

/* (E9) */
void cardan__mid_solve(const cardan__mid *mid, const cardan__mid_weights *weights, const double *r,
                       double *x)
{
  const cardan_model *model = mid->model;
  const nine zero = {.t = {0, 0, 0}};
  nine z = zero; // of body i - 1, mostly the parent
  reduce(mid, weights, r, x);
  put_at(mid, 0, zero);
  for (int i = 1; i < model->nbody; i++) {
    const cardan__sweep_body *s = &mid->sweep[i];
    const cardan_xform *X = &mid->data->X[i];
    const int k = model->body[i].vadr, parent = model->body[i].parent;
    if (parent != i - 1) {
      z = sum_at(mid, parent, zero);
    }
    const double xi = s->inv_d * x[k] - product(s->w, z);
    x[k] = xi;
    z = moved(mid, weights, i, xi, nine_to_child(model->body[i].flags, X, z));
    if (mid->branch[i] >= 0) {
      put_at(mid, i, z);
    }
  }
}
