// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "contact/feature_arc.h"
#include "contact/feature_rows.h"
#include "spatial/so3.h"

/* What slides, spins and rolls in a step, (F4) and (F5).
 *
 * The material point a of A that touches in the middle of the step has velocity u_t there, as seen
 * from B, so its displacement is h u_t + O(h^3): even derivatives cancel. It is the mean of the
 * touching points, moved outward so that rolling is without slip (feature_arc.h). Displacements by
 * rates at the node, or of the point that touches there, have errors O(h^2), and steps with them
 * are of order 1. The same holds for the directions: n at the node in place of the mean one puts
 * (h/2) n' into the spin where B is curved.
 *
 * The mean normal m is that of n_k and n' = R_B,k R_B'^T n(end). Directions go to it by the
 * shortest turn, of d across n as
 *   d_m = d - (d.m) / (1 + n.m) (n + m)                                                      (W1)
 * At end, y = R_A' a + p_A' is the point, x the touching one, and with E = R_B' R_B,k^T
 *   ds = (E d_m) . (v_A(y) - v_B(y)) dt + g . da',   g = (Q(end) - Q(node))^T R_B,k^T d_m / 2 (W2)
 *   da' = T (v_A(x) - v_B(x)) dt + W (w_A - w_B) dt                                        (W3)
 *   ds = (R_B' dlog_rho^T R_B,k^T d_m) . (w_A - w_B) dt,   rho = log(Q(end) Q(node)^T)     (W4)
 * T and W, 3 x 3, say how a' = 2 a - a_k, of the touching point and the arc, moves over A; they
 * depend on how both are curved, and are taken from differences. g is of the size of the turn:
 * where that is small they are left out, as in (W4) the change of m. Without them Newton's steps of
 * something that rolls by 0.4 rad shrink by 5 each. */

static const double small_turn = 1e-3; // [rad]: (W3) is left out
static const double apart = 1e-7;      // of the differences [rad], and of the model's size

typedef struct {
  cardan__touch end;
  cardan_vec3 a, rho; // A's axes; B's axes
  cardan_mat3 turned; // (Q(end) - Q(node)) / 2
  cardan_vec3 d[CARDAN__FEATURE_ROWS];
} way;

static bool any_turns(const cardan__feature *f)
{
  return cardan__feature_turns(f, f->dim - 1);
}

/* (W1) */
static void turn_directions(const cardan__feature *f, const cardan_xform *B, way *w)
{
  const cardan_vec3 n = f->d[0];
  const cardan_vec3 there = cardan__mat3_mulv(&f->X[1].R, cardan__mat3_tmulv(&B->R, w->end.n));
  const cardan_vec3 sum = cardan__vec3_add(n, there);
  const double size = cardan__vec3_norm(sum);
  const cardan_vec3 m = size > 0 ? cardan__vec3_scale(1 / size, sum) : n;
  const cardan_vec3 both =
      cardan__vec3_scale(1 / (1 + cardan__vec3_dot(n, m)), cardan__vec3_add(n, m));
  for (int j = 1; j < f->dim; j++) {
    const cardan_vec3 d = f->d[j];
    const double along = cardan__vec3_dot(d, n); // 0, or the length of a spin's
    const cardan_vec3 across = cardan__vec3_axpy(-along, n, d);
    w->d[j] =
        cardan__vec3_axpy(along, m, cardan__vec3_axpy(-cardan__vec3_dot(across, m), both, across));
  }
}

static way compute_way(const cardan_model *model, const cardan_data *end, const cardan__feature *f,
                       const cardan_xform X[2])
{
  way w;
  cardan__feature_look(model, end, f, &w.end);
  if (f->dim == 1) {
    w.a = cardan__xform_inv_point(&X[0], w.end.x);
    return w;
  }
  w.a = cardan__arc_point(f, X, &w.end);
  const cardan_mat3 before = cardan__mat3_tmul(&f->X[1].R, &f->X[0].R);
  const cardan_mat3 after = cardan__mat3_tmul(&X[1].R, &X[0].R);
  turn_directions(f, &X[1], &w);
  for (int k = 0; k < 9; k++) {
    w.turned.m[k / 3][k % 3] = 0.5 * (after.m[k / 3][k % 3] - before.m[k / 3][k % 3]);
  }
  if (any_turns(f)) {
    const cardan_mat3 turn = cardan__mat3_mult(&after, &before);
    w.rho = cardan_so3_log(&turn);
  }
  return w;
}

/* xi of (F4) */
static cardan_vec3 seen_from_B(const cardan_xform X[2], cardan_vec3 a)
{
  return cardan__xform_inv_point(&X[1], cardan__xform_point(&X[0], a));
}

static void ends(const cardan_model *model, const cardan_data *end, const cardan__feature *f,
                 int body[2], cardan_xform X[2])
{
  cardan__feature_bodies(model, f, body);
  X[0] = end->X_W[body[0]];
  X[1] = end->X_W[body[1]];
}

void cardan__feature_way(const cardan_model *model, const cardan_data *end,
                         const cardan__feature *f, double *s)
{
  int body[2];
  cardan_xform X[2];
  if (f->dim == 1) {
    s[0] = cardan__feature_look(model, end, f, NULL);
    return;
  }
  ends(model, end, f, body, X);
  const way w = compute_way(model, end, f, X);
  const cardan_vec3 moved =
      cardan__mat3_mulv(&f->X[1].R, cardan__vec3_sub(seen_from_B(X, w.a), seen_from_B(f->X, w.a)));
  s[0] = w.end.gap;
  for (int j = 1; j < f->dim; j++) {
    const bool turns = cardan__feature_turns(f, j);
    s[j] = cardan__vec3_dot(w.d[j], turns ? cardan__mat3_mulv(&f->X[1].R, w.rho) : moved);
  }
}

/* 2 a with A elsewhere: its pose is put back. */
static cardan_vec3 twice_a(const cardan_model *model, const cardan_data *end,
                           const cardan__feature *f, const int body[2], const cardan_xform *moved)
{
  const cardan_xform own = end->X_W[body[0]], X[2] = {*moved, end->X_W[body[1]]};
  cardan__touch at;
  end->X_W[body[0]] = *moved;
  cardan__spot_look(model, &f->spot, end->X_W, &at);
  end->X_W[body[0]] = own;
  return cardan__vec3_scale(2, cardan__arc_point(f, X, &at));
}

/* T and W of (W3), columns. */
static void sweep(const cardan_model *model, const cardan_data *end, const cardan__feature *f,
                  const int body[2], const way *w, cardan_vec3 T[3], cardan_vec3 W[3])
{
  const cardan_xform X = end->X_W[body[0]];
  const double size = model->size_length > 0 ? model->size_length : 1;
  const cardan_vec3 x = w->end.x, a = cardan__vec3_scale(2, w->a);
  for (int i = 0; i < 3; i++) {
    const cardan_vec3 e = {i == 0, i == 1, i == 2};
    const cardan_mat3 turn = cardan__mat3_axis_angle(e, apart);
    const cardan_xform moved = {X.R, cardan__vec3_axpy(apart * size, e, X.p)};
    const cardan_xform turned = {
        cardan__mat3_mul(&turn, &X.R),
        cardan__vec3_add(x, cardan__mat3_mulv(&turn, cardan__vec3_sub(X.p, x)))};
    T[i] = cardan__vec3_scale(1 / (apart * size),
                              cardan__vec3_sub(twice_a(model, end, f, body, &moved), a));
    W[i] =
        cardan__vec3_scale(1 / apart, cardan__vec3_sub(twice_a(model, end, f, body, &turned), a));
  }
}

/* Does (W3) count? Not where the point is a corner of A. */
static bool point_slides(const cardan__feature *f, const way *w)
{
  double square = 0;
  for (int k = 0; k < 9; k++) {
    square += w->turned.m[k / 3][k % 3] * w->turned.m[k / 3][k % 3];
  }
  return !cardan__arc_is_corner(f) && 2 * square > small_turn * small_turn &&
         f->group[0] == CARDAN__SLIP;
}

static cardan_vec3 dots(const cardan_vec3 a[3], cardan_vec3 b)
{
  return (cardan_vec3){cardan__vec3_dot(a[0], b), cardan__vec3_dot(a[1], b),
                       cardan__vec3_dot(a[2], b)};
}

/* g . da' of (W2) for the rows that slide: a force at the touching point and a couple. */
static void add_wandering(const cardan_model *model, const cardan_data *end,
                          const cardan__feature *f, const int body[2], const way *w,
                          cardan__contact_row *row)
{
  cardan_vec3 T[3], W[3];
  sweep(model, end, f, body, w, T, W);
  for (int j = 1; j < f->dim && !cardan__feature_turns(f, j); j++) {
    const cardan_vec3 g = cardan__mat3_tmulv(&w->turned, cardan__mat3_tmulv(&f->X[1].R, w->d[j]));
    const cardan_vec3 force = dots(T, g), arm = cardan__vec3_sub(w->end.x, row[j].x);
    row[j].d = cardan__vec3_add(row[j].d, force);
    row[j].c = cardan__vec3_add(cardan__vec3_cross(arm, force), dots(W, g));
  }
}

void cardan__feature_way_rows(const cardan_model *model, const cardan_data *end,
                              const cardan__feature *f, double *D)
{
  int body[2];
  cardan_xform X[2];
  cardan__contact_row row[CARDAN__FEATURE_ROWS];
  if (f->kind != CARDAN__SPOT) {
    cardan__feature_one_row(model, end, f, D);
    return;
  }
  ends(model, end, f, body, X);
  const way w = compute_way(model, end, f, X);
  row[0] = (cardan__contact_row){.x = w.end.x, .d = w.end.n};
  for (int j = 1; j < f->dim; j++) {
    const cardan_vec3 in_B = cardan__mat3_tmulv(&f->X[1].R, w.d[j]);
    row[j] = (cardan__contact_row){.x = cardan__xform_point(&X[0], w.a)};
    if (cardan__feature_turns(f, j)) {
      row[j].c = cardan__mat3_mulv(&X[1].R, cardan__so3_dlog_tmulv(w.rho, in_B)); // (W4)
    } else {
      row[j].d = cardan__mat3_mulv(&X[1].R, in_B); // (W2)
    }
  }
  if (f->dim > 1 && point_slides(f, &w)) {
    add_wandering(model, end, f, body, &w, row);
  }
  cardan__contact_rows_pull(model, end, body, f->dim, row, D);
}
