// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "forces/kind.h"
#include "spatial/so3.h"
#include "spatial/vec3_array.h"

/* Bushings: what holds frame B at frame A in all six directions, A = frame[0], B = frame[1].
 *
 *   x = R_A^T (p_B - p_A)     w = log(R_A^T R_B)     both in A's axes                        (E1)
 *   bushing            U = sum of k_i x_i^2 / 2 + kappa_i w_i^2 / 2                          (E2)
 *   bushing-coupling   U = k y_i y_j,  y = (x, w): an entry of the 6 x 6 off its diagonal    (E2)
 *   bushing-damper     f = C x',  m = Gamma R_A^T (w_B - w_A), the rate of x as A sees it    (E3)
 *
 * With D = p_B - p_A, turning velocities w_A and w_B, and dlog_w of spatial/so3.h,
 *   x' = R_A^T (v_B - v_A - w_A x D)        w' = dlog_w R_A^T (w_B - w_A)                    (E4)
 * so that with F = R_A f, M = R_A m (world axes), for (E2) f = dU/dx and m = dlog_w^T dU/dw,
 *   on B   the force -F at p_B, the torque -M
 *   on A   the force F at p_A, the torque D x F + M                                          (E5)
 * Nothing is small here: (E2) is exact at every angle below half a turn, where w jumps from one end
 * of its axis to the other, and the torque with it. O(1). */

static cardan_vec3 times(const double k[3], cardan_vec3 x)
{
  return cardan__vec3(k[0] * x.x, k[1] * x.y, k[2] * x.z);
}

/* Rotation matrix of a frame, to the world. */
static cardan_mat3 turn_of(const cardan_model *model, const cardan__view *view, int frame)
{
  const cardan_frame *f = &model->frame[frame];
  return cardan__mat3_mul(&view->X_W[f->body].R, &f->X_BF.R);
}

/* Where B is from A (E1), and what that takes. */
typedef struct {
  cardan_mat3 R; // of A
  cardan_vec3 D, x, w;
} placed;

static placed place(const cardan_model *model, const cardan__view *view,
                    const cardan_force_element *e)
{
  double l;
  placed at;
  at.R = turn_of(model, view, e->frame[0]);
  const cardan_mat3 R_B = turn_of(model, view, e->frame[1]);
  const cardan_mat3 R_AB = cardan__mat3_tmul(&at.R, &R_B);
  at.D = cardan__force_between(model, view, e, &l);
  at.x = cardan__mat3_tmulv(&at.R, at.D);
  at.w = cardan_so3_log(&R_AB);
  return at;
}

/* (E5) */
static void load_both(const cardan_model *model, const cardan__view *view,
                      const cardan_force_element *e, cardan_vec3 D, cardan_vec3 F, cardan_vec3 M,
                      cardan__loads *to)
{
  cardan__force_pull(model, view, e, F, to);
  cardan__load_torque(model, view, to, e->frame[0], cardan__vec3_add(cardan__vec3_cross(D, F), M));
  cardan__load_torque(model, view, to, e->frame[1], cardan__vec3_neg(M));
}

/* The change of (E5). */
static void slope_both(const cardan__slope_at *at, const cardan_force_element *e, cardan__slope D,
                       cardan__slope F, cardan__slope M)
{
  const cardan__slope lever = {
      cardan__vec3_add(cardan__vec3_cross(D.x, F.x), M.x),
      cardan__vec3_add(
          cardan__vec3_add(cardan__vec3_cross(D.dx, F.x), cardan__vec3_cross(D.x, F.dx)), M.dx)};
  cardan__slope_pull(at, e, 1.0, 0.0, F);
  cardan__slope_torque(at, e->frame[0], 1.0, 0.0, lever);
  cardan__slope_torque(at, e->frame[1], -1.0, 0.0, M);
}

/* How a frame's body turns in a change, world axes. */
static cardan_vec3 turned(const cardan__slope_at *at, int frame)
{
  const int body = at->model->frame[frame].body;
  return cardan__mat3_mulv(&at->view->X_W[body].R, at->change->X[body].w);
}

/* R y for y in A's axes: R turns by z (world axes), y changes by dy. */
static cardan__slope to_world(const cardan_mat3 *R, cardan_vec3 z, cardan_vec3 y, cardan_vec3 dy)
{
  const cardan_vec3 Y = cardan__mat3_mulv(R, y);
  return (cardan__slope){Y, cardan__vec3_add(cardan__vec3_cross(z, Y), cardan__mat3_mulv(R, dy))};
}

/* The change of R^T Y, Y in world axes. */
static cardan_vec3 seen(const cardan_mat3 *R, cardan_vec3 z, cardan__slope Y)
{
  return cardan__mat3_tmulv(R, cardan__vec3_sub(Y.dx, cardan__vec3_cross(z, Y.x)));
}

/* ---- bushing and bushing-coupling ---- */

/* dU/dx and dU/dw of (E2), which are linear in x and w. */
static void strain(const cardan_force_element *e, cardan_vec3 x, cardan_vec3 w, cardan_vec3 *by_x,
                   cardan_vec3 *by_w)
{
  if (e->kind == CARDAN_ELEMENT_BUSHING) {
    *by_x = times(e->value, x);
    *by_w = times(e->value + 3, w);
    return;
  }
  const double y[6] = {x.x, x.y, x.z, w.x, w.y, w.z}, k = e->value[0];
  const int i = (int)e->value[1] - 1, j = (int)e->value[2] - 1;
  double g[6] = {0.0};
  g[i] = k * y[j];
  g[j] = k * y[i];
  *by_x = cardan__vec3(g[0], g[1], g[2]);
  *by_w = cardan__vec3(g[3], g[4], g[5]);
}

static double bushing_energy(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e)
{
  const placed at = place(model, view, e);
  cardan_vec3 by_x, by_w;
  strain(e, at.x, at.w, &by_x, &by_w);
  return 0.5 * (cardan__vec3_dot(at.x, by_x) + cardan__vec3_dot(at.w, by_w)); // (E2)
}

static void bushing_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  const placed at = place(model, view, e);
  cardan_vec3 f, y;
  strain(e, at.x, at.w, &f, &y);
  const cardan_vec3 m = cardan__so3_dlog_tmulv(at.w, y);
  load_both(model, view, e, at.D, cardan__mat3_mulv(&at.R, f), cardan__mat3_mulv(&at.R, m), to);
}

/* Change of dlog_w^T y = y + w x y / 2 + c w x (w x y) with w and y, c a function of s = |w|^2. */
static cardan_vec3 dlog_change(cardan_vec3 w, cardan_vec3 dw, cardan_vec3 y, cardan_vec3 dy)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(w, w));
  const cardan_vec3 wy = cardan__vec3_cross(w, y);
  const cardan_vec3 d_wy = cardan__vec3_add(cardan__vec3_cross(dw, y), cardan__vec3_cross(w, dy));
  const cardan_vec3 wwy = cardan__vec3_cross(w, wy);
  const cardan_vec3 d_wwy =
      cardan__vec3_add(cardan__vec3_cross(dw, wy), cardan__vec3_cross(w, d_wy));
  const double dc = k.c_s * 2.0 * cardan__vec3_dot(w, dw);
  const cardan_vec3 linear = cardan__vec3_axpy(0.5, d_wy, dy);
  return cardan__vec3_axpy(dc, wwy, cardan__vec3_axpy(k.c, d_wwy, linear));
}

static void bushing_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const placed p = place(at->model, at->view, e);
  const cardan_vec3 z = turned(at, e->frame[0]), z_B = turned(at, e->frame[1]);
  const cardan__slope D = cardan__slope_between(at, e);
  const cardan_vec3 dx = seen(&p.R, z, D);
  const cardan_vec3 dw =
      cardan__so3_dlog_mulv(p.w, cardan__mat3_tmulv(&p.R, cardan__vec3_sub(z_B, z))); // (E4)
  cardan_vec3 f, df, y, dy;
  strain(e, p.x, p.w, &f, &y);
  strain(e, dx, dw, &df, &dy);
  const cardan__slope F = to_world(&p.R, z, f, df);
  const cardan__slope M =
      to_world(&p.R, z, cardan__so3_dlog_tmulv(p.w, y), dlog_change(p.w, dw, y, dy));
  slope_both(at, e, D, F, M);
}

/* ---- as a function of its strain (strain.h), (x, w) ---- */

static int bushing_strains(const cardan_model *model, const cardan_force_element *e)
{
  (void)model;
  (void)e;
  return 6;
}

static void put_both(cardan_vec3 x, cardan_vec3 w, double *to)
{
  const double all[6] = {x.x, x.y, x.z, w.x, w.y, w.z};
  memcpy(to, all, sizeof all);
}

static void bushing_strain(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, double *y)
{
  const placed at = place(model, view, e);
  put_both(at.x, at.w, y);
}

static void bushing_stress(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, const double *y, double *g)
{
  cardan_vec3 by_x, by_w;
  (void)model;
  (void)view;
  strain(e, cardan__vec3_of(y), cardan__vec3_of(y + 3), &by_x, &by_w);
  put_both(by_x, by_w, g);
}

static void bushing_stress_change(const cardan_model *model, const cardan__view *view,
                                  const cardan_force_element *e, const double *y, const double *dy,
                                  double *dg)
{
  (void)y;
  bushing_stress(model, view, e, dy, dg);
}

static void bushing_load(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, const double *g, cardan__loads *to)
{
  const placed at = place(model, view, e);
  const cardan_vec3 m = cardan__so3_dlog_tmulv(at.w, cardan__vec3_of(g + 3));
  load_both(model, view, e, at.D, cardan__mat3_mulv(&at.R, cardan__vec3_of(g)),
            cardan__mat3_mulv(&at.R, m), to);
}

/* A torque t (world axes) on a frame's body. */
static cardan_force torque_on(const cardan_model *model, const cardan__view *view, int frame,
                              cardan_vec3 t)
{
  const int body = model->frame[frame].body;
  return (cardan_force){.t = cardan__mat3_tmulv(&view->X_W[body].R, t)};
}

/* bushing_load of all units, from one place. */
static void bushing_unit_loads(const cardan_model *model, const cardan__view *view,
                               const cardan_force_element *e, cardan_force *on_A,
                               cardan_force *on_B)
{
  const placed at = place(model, view, e);
  const int A = e->frame[0], B = e->frame[1];
  for (int k = 0; k < 3; k++) {
    const cardan_vec3 unit = cardan__vec3(k == 0, k == 1, k == 2);
    const cardan_vec3 F = cardan__mat3_mulv(&at.R, unit);
    const cardan_vec3 M = cardan__mat3_mulv(&at.R, cardan__so3_dlog_tmulv(at.w, unit));
    on_A[k] = cardan__force_add(cardan__frame_wrench(&model->frame[A], view, F),
                                torque_on(model, view, A, cardan__vec3_cross(at.D, F)));
    on_B[k] = cardan__frame_wrench(&model->frame[B], view, cardan__vec3_neg(F));
    on_A[3 + k] = torque_on(model, view, A, M);
    on_B[3 + k] = torque_on(model, view, B, cardan__vec3_neg(M));
  }
}

static void bushing_strain_change(const cardan__slope_at *at, const cardan_force_element *e,
                                  double *dy)
{
  const placed p = place(at->model, at->view, e);
  const cardan_vec3 z = turned(at, e->frame[0]), z_B = turned(at, e->frame[1]);
  const cardan_vec3 w = cardan__mat3_tmulv(&p.R, cardan__vec3_sub(z_B, z));
  put_both(seen(&p.R, z, cardan__slope_between(at, e)), cardan__so3_dlog_mulv(p.w, w), dy);
}

static void bushing_load_change(const cardan__slope_at *at, const cardan_force_element *e,
                                const double *g, const double *dg)
{
  const placed p = place(at->model, at->view, e);
  const cardan_vec3 z = turned(at, e->frame[0]), z_B = turned(at, e->frame[1]);
  const cardan_vec3 dw =
      cardan__so3_dlog_mulv(p.w, cardan__mat3_tmulv(&p.R, cardan__vec3_sub(z_B, z)));
  const cardan_vec3 y = cardan__vec3_of(g + 3);
  const cardan__slope F = to_world(&p.R, z, cardan__vec3_of(g), cardan__vec3_of(dg));
  const cardan__slope M = to_world(&p.R, z, cardan__so3_dlog_tmulv(p.w, y),
                                   dlog_change(p.w, dw, y, cardan__vec3_of(dg + 3)));
  slope_both(at, e, cardan__slope_between(at, e), F, M);
}

#define BUSHING                                                                                   \
  .energy = bushing_energy, .apply = bushing_apply, .slope = bushing_slope,                       \
  .strains = bushing_strains, .strain = bushing_strain, .stress = bushing_stress,                 \
  .stress_change = bushing_stress_change, .load = bushing_load, .unit_loads = bushing_unit_loads, \
  .strain_change = bushing_strain_change, .load_change = bushing_load_change

const cardan__force_kind cardan__force_bushing = {BUSHING};
const cardan__force_kind cardan__force_bushing_coupling = {BUSHING};

/* ---- bushing-damper ---- */

/* Angular velocity of a frame, world axes. */
static cardan_vec3 turning(const cardan_model *model, const cardan__view *view, int frame)
{
  const int body = model->frame[frame].body;
  return cardan__mat3_mulv(&view->X_W[body].R, view->V[body].w);
}

static void damper_apply(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan__loads *to)
{
  const cardan_mat3 R = turn_of(model, view, e->frame[0]);
  const cardan_vec3 w_A = turning(model, view, e->frame[0]);
  const cardan_vec3 w = cardan__vec3_sub(turning(model, view, e->frame[1]), w_A);
  cardan_vec3 p_A, p_B, v_A, v_B;
  cardan__frame_point(&model->frame[e->frame[0]], view, &p_A, &v_A, NULL);
  cardan__frame_point(&model->frame[e->frame[1]], view, &p_B, &v_B, NULL);
  const cardan_vec3 D = cardan__vec3_sub(p_B, p_A);
  const cardan_vec3 v = cardan__vec3_sub(cardan__vec3_sub(v_B, v_A), cardan__vec3_cross(w_A, D));
  const cardan_vec3 f = times(e->value, cardan__mat3_tmulv(&R, v)); // (E3)
  const cardan_vec3 m = times(e->value + 3, cardan__mat3_tmulv(&R, w));
  load_both(model, view, e, D, cardan__mat3_mulv(&R, f), cardan__mat3_mulv(&R, m), to);
}

static void damper_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const cardan_mat3 R = turn_of(at->model, at->view, e->frame[0]);
  const cardan_vec3 z = turned(at, e->frame[0]);
  const cardan__slope w_A = cardan__slope_turning(at, e->frame[0]);
  const cardan__slope w_B = cardan__slope_turning(at, e->frame[1]);
  const cardan__slope w = {cardan__vec3_sub(w_B.x, w_A.x), cardan__vec3_sub(w_B.dx, w_A.dx)};
  const cardan__slope D = cardan__slope_between(at, e), D1 = cardan__slope_rate(at, e);
  const cardan_vec3 carried =
      cardan__vec3_add(cardan__vec3_cross(w_A.dx, D.x), cardan__vec3_cross(w_A.x, D.dx));
  const cardan__slope v = {cardan__vec3_sub(D1.x, cardan__vec3_cross(w_A.x, D.x)),
                           cardan__vec3_sub(D1.dx, carried)};
  const cardan_vec3 f = times(e->value, cardan__mat3_tmulv(&R, v.x));
  const cardan_vec3 m = times(e->value + 3, cardan__mat3_tmulv(&R, w.x));
  slope_both(at, e, D, to_world(&R, z, f, times(e->value, seen(&R, z, v))),
             to_world(&R, z, m, times(e->value + 3, seen(&R, z, w))));
}

const cardan__force_kind cardan__force_bushing_damper = {.apply = damper_apply,
                                                         .slope = damper_slope};
