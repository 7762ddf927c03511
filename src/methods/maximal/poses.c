// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "methods/maximal/maximal.h"
#include "spatial/sincos.h"

/* Configurations and velocities of the bodies as numbers, and as poses and twists of their frames:
 *   R, p = r - R c;   V = (w, R^T r' - w x c),   c the centre of mass in the body frame
 * 3-D: r, quaternion; w, r'. Planar: theta, x, y; r = r0 + x e1 + y e2, and
 *   R = R0 exp(n theta) = R0 + (cos theta - 1) Rc + sin theta Rs,
 *   Rc = R0 (1 - n n^T),   Rs = R0 [n]                                                   (E1) */

/* Angle about the unit vector n of the rotation M, which is about it. */
static double angle_about(const cardan_mat3 *M, cardan_vec3 n)
{
  const cardan_vec3 twice_sin = {M->m[2][1] - M->m[1][2], M->m[0][2] - M->m[2][0],
                                 M->m[1][0] - M->m[0][1]};
  return atan2(cardan__vec3_dot(n, twice_sin), M->m[0][0] + M->m[1][1] + M->m[2][2] - 1);
}

void cardan__mx_take(cardan__maximal *mx, const cardan_xform *X_W, const cardan_twist *V,
                     double *cfg, double *vel)
{
  for (int b = 0; b < mx->nbody; b++, cfg += mx->ncfg, vel += mx->dof) {
    const cardan__mx_body *body = &mx->body[b];
    const cardan_xform *X = &X_W[body->body];
    const cardan_twist v = V[body->body];
    const cardan_vec3 r = cardan__xform_point(X, body->c);
    const cardan_vec3 r1 =
        cardan__mat3_mulv(&X->R, cardan__vec3_add(v.v, cardan__vec3_cross(v.w, body->c)));
    if (mx->planar) {
      const cardan_mat3 M = cardan__mat3_tmul(&mx->plane[b].R0, &X->R);
      cfg[0] = angle_about(&M, body->n);
      cfg[1] = cardan__vec3_dot(r, mx->e1);
      cfg[2] = cardan__vec3_dot(r, mx->e2);
      vel[0] = cardan__vec3_dot(v.w, body->n);
      vel[1] = cardan__vec3_dot(r1, mx->e1);
      vel[2] = cardan__vec3_dot(r1, mx->e2);
    } else {
      const cardan_quat e = cardan__quat_from_mat3(&X->R);
      const double c[7] = {r.x, r.y, r.z, e.w, e.x, e.y, e.z};
      const double u[6] = {v.w.x, v.w.y, v.w.z, r1.x, r1.y, r1.z};
      for (int k = 0; k < 7; k++) {
        cfg[k] = c[k];
      }
      for (int k = 0; k < 6; k++) {
        vel[k] = u[k];
      }
    }
  }
}

/* ---- four bodies in space at a time: one alone would wait for its own numbers ---- */

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Numbers from .. from + n - 1 of four bodies of so many numbers each. */
static inline void pick(const double *p, int each, int from, int n, lanes *to)
{
  for (int k = 0; k < n; k++) {
    const double *at = p + from + k;
    to[k] = (lanes){at[0], at[each], at[2 * each], at[3 * each]};
  }
}

static inline void spread(const lanes *v, int each, int k, double *p)
{
  for (int i = 0; i < LANES; i++) {
    p[i * each + k] = (*v)[i];
  }
}

/* Numbers of n bodies, fewer than four, so many each; the last of them fills the lanes. */
static void fill_lanes(int n, int each, const double *p, double *to)
{
  for (int i = 0; i < LANES; i++) {
    memcpy(to + i * each, p + (i < n ? i : n - 1) * each, (size_t)each * sizeof *to);
  }
}

/* Poses of bodies b .. b + n - 1, n at most four; cfg: of four. Quaternions count as normalised: of
 * any length they turn by k = 2 / |e|^2. */
static inline void place_four(cardan__maximal *mx, int b, int n, const double *cfg)
{
  lanes e[4];
  pick(cfg, 7, 3, 4, e);
  const lanes ew = e[0], ex = e[1], ey = e[2], ez = e[3];
  const lanes k = 2 / (ew * ew + ex * ex + ey * ey + ez * ez);
  const lanes x = k * ex, y = k * ey, z = k * ez;
  const lanes xx = ex * x, yy = ey * y, zz = ez * z, xy = ex * y, xz = ex * z, yz = ey * z;
  const lanes wx = ew * x, wy = ew * y, wz = ew * z;
  const lanes R[9] = {1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
                      yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
  for (int i = 0; i < n; i++) {
    const cardan__mx_body *body = &mx->body[b + i];
    cardan_xform *X = &mx->X_W[body->body];
    const cardan_vec3 r = {cfg[7 * i], cfg[7 * i + 1], cfg[7 * i + 2]};
    for (int j = 0; j < 9; j++) {
      X->R.m[j / 3][j % 3] = R[j][i];
    }
    X->p = cardan__vec3_sub(r, cardan__mat3_mulv(&X->R, body->c));
  }
}

/* exp of turns as quaternions: with s = |x|^2 / 4, (cos sqrt s, x/2 sin(sqrt s) / sqrt s), by their
 * series where these end in rounding, s^5 / 10! < 3e-17. Returns whether they do for all. */
static inline bool turns_by(const lanes x[3], lanes e[4])
{
  const lanes s = 0.25 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const lanes k =
      0.5 * (1 - s * (1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880)))));
  e[0] = 1 - s * (1.0 / 2 - s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320))));
  e[1] = k * x[0];
  e[2] = k * x[1];
  e[3] = k * x[2];
  bool small = true;
  for (int i = 0; i < LANES; i++) {
    small &= s[i] < 0.01;
  }
  return small;
}

/* Four bodies moved by x. Products are normalised by the tangent of the root, which is off by 3/8
 * (|e|^2 - 1)^2, where they are near 1. Returns false where that, or the series, does not serve. */
static inline bool drift_four(const double *cfg, const double *x, double *out)
{
  lanes t[4], q[7], y[6], n2 = {0};
  pick(cfg, 7, 0, 7, q);
  pick(x, 6, 0, 6, y);
  const lanes w = q[3], a = q[4], b = q[5], c = q[6];
  bool fine = turns_by(y, t);
  const lanes e[4] = {
      w * t[0] - a * t[1] - b * t[2] - c * t[3], w * t[1] + a * t[0] + b * t[3] - c * t[2],
      w * t[2] - a * t[3] + b * t[0] + c * t[1], w * t[3] + a * t[2] - b * t[1] + c * t[0]};
  for (int k = 0; k < 4; k++) {
    n2 += e[k] * e[k];
  }
  for (int i = 0; i < LANES; i++) {
    fine &= fabs(n2[i] - 1) < 1e-9;
  }
  for (int k = 0; k < 4 && fine; k++) {
    const lanes unit = (1.5 - 0.5 * n2) * e[k];
    spread(&unit, 7, 3 + k, out);
  }
  for (int k = 0; k < 3 && fine; k++) {
    const lanes r = q[k] + y[3 + k];
    spread(&r, 7, k, out);
  }
  return fine;
}

/* V of the bodies, whose X_W are known. */
static void place_twists(cardan__maximal *mx, const double *vel)
{
  for (int b = 0; b < mx->nbody; b++, vel += mx->dof) {
    const cardan__mx_body *body = &mx->body[b];
    cardan_vec3 w, r1;
    if (mx->planar) {
      w = cardan__vec3_scale(vel[0], body->n);
      r1 = cardan__vec3_axpy(vel[1], mx->e1, cardan__vec3_scale(vel[2], mx->e2));
    } else {
      w = cardan__vec3(vel[0], vel[1], vel[2]);
      r1 = cardan__vec3(vel[3], vel[4], vel[5]);
    }
    mx->V[body->body] =
        (cardan_twist){.w = w,
                       .v = cardan__vec3_sub(cardan__mat3_tmulv(&mx->X_W[body->body].R, r1),
                                             cardan__vec3_cross(w, body->c))};
  }
}

void cardan__mx_turn_planar(cardan__mx_plane *plane, cardan_vec3 n)
{
  const cardan_mat3 half = cardan__mat3_axis_cs(n, -1, 0);   // 2 n n^T - 1
  const cardan_mat3 quarter = cardan__mat3_axis_cs(n, 0, 1); // n n^T + [n]
  const cardan_mat3 H = cardan__mat3_mul(&plane->R0, &half);
  const cardan_mat3 Q = cardan__mat3_mul(&plane->R0, &quarter);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      plane->Rc.m[i][j] = 0.5 * (plane->R0.m[i][j] - H.m[i][j]);
      plane->Rs.m[i][j] = Q.m[i][j] - 0.5 * (plane->R0.m[i][j] + H.m[i][j]);
    }
  }
}

/* One body in the plane, whose cosine and sine are known. */
static inline void place_one(const cardan__maximal *mx, int b, const double *cfg, double c,
                             double s)
{
  const cardan__mx_body *body = &mx->body[b];
  const cardan__mx_plane *plane = &mx->plane[b];
  cardan_xform *X = &mx->X_W[body->body];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      X->R.m[i][j] = // (E1)
          plane->R0.m[i][j] + (c - 1) * plane->Rc.m[i][j] + s * plane->Rs.m[i][j];
    }
  }
  const cardan_vec3 r =
      cardan__vec3_axpy(cfg[1], mx->e1, cardan__vec3_axpy(cfg[2], mx->e2, plane->r0));
  X->p = cardan__vec3_sub(r, cardan__mat3_mulv(&X->R, body->c));
}

static void place_planar(cardan__maximal *mx, const double *cfg)
{
  enum { MANY = 32 };
  double angle[MANY], c[MANY], s[MANY];
  for (int b = 0; b < mx->nbody; b += MANY) {
    const int n = mx->nbody - b < MANY ? mx->nbody - b : MANY;
    for (int i = 0; i < n; i++) {
      angle[i] = cfg[3 * (b + i)];
    }
    cardan__sincos(n, angle, c, s);
    for (int i = 0; i < n; i++) {
      place_one(mx, b + i, cfg + 3 * (b + i), c[i], s[i]);
    }
  }
}

static void place_spatial(cardan__maximal *mx, const double *cfg)
{
  int b = 0;
  for (; b + LANES <= mx->nbody; b += LANES) {
    place_four(mx, b, LANES, cfg + 7 * b);
  }
  if (b < mx->nbody) {
    double rest[7 * LANES];
    fill_lanes(mx->nbody - b, 7, cfg + 7 * b, rest);
    place_four(mx, b, mx->nbody - b, rest);
  }
}

void cardan__mx_place(cardan__maximal *mx, const double *cfg, const double *vel)
{
  mx->placed = cfg;
  if (mx->planar) {
    place_planar(mx, cfg);
  } else {
    place_spatial(mx, cfg);
  }
  if (vel != NULL) {
    place_twists(mx, vel);
  }
}

void cardan__mx_place_again(cardan__maximal *mx, const double *cfg, const double *vel)
{
  if (mx->placed != cfg) {
    cardan__mx_place(mx, cfg, vel);
  } else if (vel != NULL) {
    place_twists(mx, vel);
  }
}

/* One body in space moved by x. */
static void drift_one(const double *cfg, const double *x, double *out)
{
  const cardan_quat turn = cardan__quat_from_rotvec(cardan__vec3(x[0], x[1], x[2]));
  const cardan_quat e = {cfg[3], cfg[4], cfg[5], cfg[6]};
  const cardan_quat n = cardan__quat_normalize(cardan__quat_mul(e, turn));
  out[0] = cfg[0] + x[3];
  out[1] = cfg[1] + x[4];
  out[2] = cfg[2] + x[5];
  out[3] = n.w;
  out[4] = n.x;
  out[5] = n.y;
  out[6] = n.z;
}

void cardan__mx_drift(cardan__maximal *mx, const double *cfg, const double *x, double *out)
{
  mx->placed = mx->placed == out ? NULL : mx->placed;
  for (int i = 0; i < mx->nx && mx->planar; i++) {
    out[i] = cfg[i] + x[i];
  }
  for (int b = 0; b < mx->nbody && !mx->planar; b += LANES) {
    const double *from = cfg + 7 * b, *by = x + 6 * b;
    const int n = mx->nbody - b < LANES ? mx->nbody - b : LANES;
    double e[7 * LANES], y[6 * LANES], *to = n < LANES ? e : out + 7 * b;
    if (n < LANES) {
      fill_lanes(n, 7, from, e);
      fill_lanes(n, 6, by, y);
    }
    if (!drift_four(n < LANES ? e : from, n < LANES ? y : by, to)) {
      for (int i = 0; i < n; i++) {
        drift_one(from + 7 * i, by + 6 * i, out + 7 * (b + i));
      }
    } else if (n < LANES) {
      memcpy(out + 7 * b, e, (size_t)n * 7 * sizeof *e);
    }
  }
}

void cardan__mx_rate(const cardan__maximal *mx, const double *cfg, const double *vel, double *rate)
{
  for (int b = 0; b < mx->nbody; b++, cfg += mx->ncfg, rate += mx->ncfg, vel += mx->dof) {
    if (mx->planar) {
      for (int k = 0; k < 3; k++) {
        rate[k] = vel[k];
      }
      continue;
    }
    const cardan_quat e = {cfg[3], cfg[4], cfg[5], cfg[6]};
    const cardan_quat d = cardan__quat_deriv(e, cardan__vec3(vel[0], vel[1], vel[2]));
    const double c[7] = {vel[3], vel[4], vel[5], d.w, d.x, d.y, d.z};
    for (int k = 0; k < 7; k++) {
      rate[k] = c[k];
    }
  }
}

bool cardan__mx_normalize(cardan__maximal *mx, double *cfg)
{
  mx->placed = mx->placed == cfg ? NULL : mx->placed;
  for (int b = 0; b < mx->nbody && !mx->planar; b++, cfg += mx->ncfg) {
    const double n = cardan__quat_norm((cardan_quat){cfg[3], cfg[4], cfg[5], cfg[6]});
    const double unit = 1 / n;
    if (!(n > 0) || !isfinite(n)) {
      return false;
    }
    for (int k = 3; k < 7; k++) {
      cfg[k] *= unit;
    }
  }
  return true;
}

void cardan__mx_add_wrench(const cardan__maximal *mx, int b, cardan_force F, double scale,
                           double *out)
{
  const cardan__mx_body *body = &mx->body[b];
  // about the centre, body axes; and in world axes
  const cardan_vec3 t = cardan__vec3_sub(F.t, cardan__vec3_cross(body->c, F.f));
  const cardan_vec3 f = cardan__mat3_mulv(&mx->X_W[body->body].R, F.f);
  if (mx->planar) {
    out[0] += scale * cardan__vec3_dot(t, body->n);
    out[1] += scale * cardan__vec3_dot(f, mx->e1);
    out[2] += scale * cardan__vec3_dot(f, mx->e2);
    return;
  }
  out[0] += scale * t.x;
  out[1] += scale * t.y;
  out[2] += scale * t.z;
  out[3] += scale * f.x;
  out[4] += scale * f.y;
  out[5] += scale * f.z;
}

/* diag(J, m 1) x of one body, in a plane diag(Jn, m, m) x. */
static inline void multiply_inertia(const cardan__sym3 *J, double Jn, double m, int dof,
                                    const double *x, double *y)
{
  if (dof == 3) {
    y[0] = Jn * x[0];
    y[1] = m * x[1];
    y[2] = m * x[2];
    return;
  }
  const cardan_vec3 t = cardan__sym3_mulv(J, cardan__vec3(x[0], x[1], x[2]));
  y[0] = t.x;
  y[1] = t.y;
  y[2] = t.z;
  y[3] = m * x[3];
  y[4] = m * x[4];
  y[5] = m * x[5];
}

void cardan__mx_mass_mul(const cardan__maximal *mx, const double *x, double *y)
{
  for (int b = 0; b < mx->nbody; b++, x += mx->dof, y += mx->dof) {
    const cardan__mx_body *body = &mx->body[b];
    multiply_inertia(&body->J, body->Jn, body->m, mx->dof, x, y);
  }
}

/* y = h M x + k f. dof: a constant of the caller's */
CARDAN__INLINE void push(const cardan__maximal *mx, const int dof, double h, const double *x,
                         double k, const double *f, double *y)
{
  for (int b = 0; b < mx->nbody; b++, x += dof, f += dof, y += dof) {
    const cardan__mx_body *body = &mx->body[b];
    double p[CARDAN__MX_DOF];
    multiply_inertia(&body->J, body->Jn, body->m, dof, x, p);
    for (int i = 0; i < dof; i++) {
      y[i] = h * p[i] + k * f[i];
    }
  }
}

void cardan__mx_impulse(const cardan__maximal *mx, double h, const double *x, double k,
                        const double *f, double *y)
{
  if (mx->planar) {
    push(mx, 3, h, x, k, f, y);
  } else {
    push(mx, 6, h, x, k, f, y);
  }
}

void cardan__mx_mass_sub(const cardan__maximal *mx, const double *from, const double *x, double *y)
{
  cardan__mx_impulse(mx, -1, x, 1, from, y);
}

void cardan__mx_mass_solve(const cardan__maximal *mx, const double *x, double *y)
{
  for (int b = 0; b < mx->nbody; b++, x += mx->dof, y += mx->dof) {
    const cardan__mx_body *body = &mx->body[b];
    multiply_inertia(&body->J_inv, mx->planar ? 1 / body->Jn : 0, 1 / body->m, mx->dof, x, y);
  }
}
