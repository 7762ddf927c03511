// SPDX-License-Identifier: Apache-2.0
#include "action.h"

#include <math.h>
#include <string.h>

enum { MAX_BODY = 64, MAX_Q = 256 };

typedef struct {
  wide R[3][3], p[3];
} pose;

static pose mul(const pose *a, const pose *b)
{
  pose c;
  for (int i = 0; i < 3; i++) {
    c.p[i] = a->p[i];
    for (int j = 0; j < 3; j++) {
      c.R[i][j] = 0;
      c.p[i] += a->R[i][j] * b->p[j];
      for (int k = 0; k < 3; k++) {
        c.R[i][j] += a->R[i][k] * b->R[k][j];
      }
    }
  }
  return c;
}

/* a^-1 b */
static pose between(const pose *a, const pose *b)
{
  pose inverse = {.p = {0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      inverse.R[i][j] = a->R[j][i];
      inverse.p[i] -= a->R[j][i] * a->p[j];
    }
  }
  return mul(&inverse, b);
}

static pose identity(void)
{
  return (pose){.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static pose from_quat(const wide e[4])
{
  const wide n = sqrtl(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const wide w = e[0] / n, x = e[1] / n, y = e[2] / n, z = e[3] / n;
  return (pose){.R = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

static pose joint_pose(const cardan_body *b, const wide *q)
{
  pose T = identity();
  if (b->kind == CARDAN_LINK_REVOLUTE || b->kind == CARDAN_LINK_HELICAL) {
    const wide c = cosl(q[0]), s = sinl(q[0]);
    T.R[0][0] = T.R[1][1] = c;
    T.R[0][1] = -s;
    T.R[1][0] = s;
    T.p[2] = b->kind == CARDAN_LINK_HELICAL ? (wide)b->pitch * q[0] : 0;
  } else if (b->kind == CARDAN_LINK_PRISMATIC) {
    T.p[2] = q[0];
  } else if (b->kind == CARDAN_LINK_SPHERICAL) {
    T = from_quat(q);
  } else {
    T = from_quat(q + 3);
    memcpy(T.p, q, sizeof T.p);
  }
  return T;
}

static void poses(const cardan_model *model, const wide *q, pose *T)
{
  T[0] = identity();
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    pose X;
    for (int r = 0; r < 3; r++) {
      const double p[3] = {b->X.p.x, b->X.p.y, b->X.p.z};
      X.p[r] = (wide)p[r];
      for (int c = 0; c < 3; c++) {
        X.R[r][c] = (wide)b->X.R.m[r][c];
      }
    }
    const pose J = joint_pose(b, q + b->qadr), XJ = mul(&X, &J);
    T[i] = mul(&T[b->parent], &XJ);
  }
}

static void cross(const wide a[3], const wide b[3], wide c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Logarithm, rotations between 0 and a half turn. */
static void logarithm(const pose *T, wide w[3], wide v[3])
{
  const wide a[3] = {(T->R[2][1] - T->R[1][2]) / 2, (T->R[0][2] - T->R[2][0]) / 2,
                     (T->R[1][0] - T->R[0][1]) / 2};
  const wide s = sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const wide t = atan2l(s, (T->R[0][0] + T->R[1][1] + T->R[2][2] - 1) / 2);
  for (int i = 0; i < 3; i++) {
    w[i] = s > 0 ? t / s * a[i] : 0;
  }
  wide wp[3], wwp[3];
  cross(w, T->p, wp);
  cross(w, wp, wwp);
  const wide c =
      t > 1e-3L ? (1 - t / 2 * cosl(t / 2) / sinl(t / 2)) / (t * t) : 1 / 12.0L + t * t / 720;
  for (int i = 0; i < 3; i++) {
    v[i] = T->p[i] - wp[i] / 2 + c * wwp[i];
  }
}

static wide quadratic(const cardan_inertia *G, const wide w[3], const wide v[3])
{
  const wide J[3][3] = {{(wide)G->xx, (wide)G->xy, (wide)G->xz},
                        {(wide)G->xy, (wide)G->yy, (wide)G->yz},
                        {(wide)G->xz, (wide)G->yz, (wide)G->zz}};
  const wide h[3] = {(wide)G->h.x, (wide)G->h.y, (wide)G->h.z};
  wide sum = 0, hv[3];
  cross(h, v, hv);
  for (int i = 0; i < 3; i++) {
    sum += (wide)G->m * v[i] * v[i] + 2 * w[i] * hv[i];
    for (int j = 0; j < 3; j++) {
      sum += w[i] * J[i][j] * w[j];
    }
  }
  return sum;
}

/* |v|^2 and the angle between two vectors. */
static wide square(const wide a[3])
{
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

static wide angle_between(const wide a[3], const wide b[3])
{
  wide n[3];
  cross(a, b, n);
  return atan2l(sqrtl(square(n)), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

static void turn_vector(const pose *T, const wide a[3], wide out[3])
{
  for (int i = 0; i < 3; i++) {
    out[i] = T->R[i][0] * a[0] + T->R[i][1] * a[1] + T->R[i][2] * a[2];
  }
}

/* From the point that the joint of body i holds to the centre c; 0: it holds none. */
static void lever(const cardan_model *model, int i, const wide c[3], wide s[3])
{
  const cardan_link_kind kind = model->body[i].kind;
  int sliders = 0;
  for (int p = model->body[i].parent;
       p > 0 && !(model->body[p].inertia.m > 0) && !(model->body[p].inertia.xx > 0);
       p = model->body[p].parent) {
    sliders += model->body[p].kind == CARDAN_LINK_PRISMATIC;
  }
  const bool hinge = kind == CARDAN_LINK_REVOLUTE || kind == CARDAN_LINK_HELICAL;
  const bool held = (hinge || kind == CARDAN_LINK_SPHERICAL) && sliders < 2;
  s[0] = held ? c[0] : 0;
  s[1] = held ? c[1] : 0;
  s[2] = held && !hinge ? c[2] : 0;
}

/* Twice (S1), over h = 1. */
static wide swing(const cardan_model *model, int i, const pose *dT, const wide w[3])
{
  const cardan_inertia *G = &model->body[i].inertia;
  const wide m = (wide)G->m, none[3] = {0}, over = m > 0 ? 1 / m : 0;
  const wide c[3] = {over * (wide)G->h.x, over * (wide)G->h.y, over * (wide)G->h.z};
  wide s[3], way[3], y[3], wc[3];
  lever(model, i, c, s);
  turn_vector(dT, c, way);
  turn_vector(dT, s, y);
  cross(w, c, wc);
  for (int k = 0; k < 3; k++) {
    way[k] += dT->p[k] - c[k];
  }
  const wide al = angle_between(s, y), half = sinl(al / 2);
  const wide turning = quadratic(G, w, none) - m * square(wc); // about the centre
  return m * square(way) + turning + m * square(s) * (al * al - 4 * half * half);
}

static wide gravity(const cardan_model *model, const pose *T)
{
  const wide g[3] = {(wide)model->gravity.x, (wide)model->gravity.y, (wide)model->gravity.z};
  wide sum = 0;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *G = &model->body[i].inertia;
    const wide h[3] = {(wide)G->h.x, (wide)G->h.y, (wide)G->h.z};
    for (int r = 0; r < 3; r++) {
      const wide mc =
          (wide)G->m * T[i].p[r] + T[i].R[r][0] * h[0] + T[i].R[r][1] * h[1] + T[i].R[r][2] * h[2];
      sum -= g[r] * mc;
    }
  }
  return sum;
}

wide action_step(const cardan_model *model, bool se3, const wide *q0, const wide *q1, wide h)
{
  pose T0[MAX_BODY], T1[MAX_BODY];
  poses(model, q0, T0);
  poses(model, q1, T1);
  wide sum = -h / 2 * (gravity(model, T0) + gravity(model, T1));
  for (int i = 1; i < model->nbody; i++) {
    const pose dT = between(&T0[i], &T1[i]);
    wide w[3], v[3];
    logarithm(&dT, w, v);
    sum += (se3 ? quadratic(&model->body[i].inertia, w, v) : swing(model, i, &dT, w)) / (2 * h);
  }
  return sum;
}

/* e (0, a) of quaternions: e moved by the rotation vector a, to first order; exactly, a alone
 * turned. */
static void turn(const wide e[4], const wide a[3], wide out[4])
{
  const wide t = sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const wide s = t > 0 ? sinl(t / 2) / t : 0.5L, c = cosl(t / 2);
  const wide b[4] = {c, s * a[0], s * a[1], s * a[2]};
  out[0] = e[0] * b[0] - e[1] * b[1] - e[2] * b[2] - e[3] * b[3];
  out[1] = e[0] * b[1] + e[1] * b[0] + e[2] * b[3] - e[3] * b[2];
  out[2] = e[0] * b[2] - e[1] * b[3] + e[2] * b[0] + e[3] * b[1];
  out[3] = e[0] * b[3] + e[1] * b[2] - e[2] * b[1] + e[3] * b[0];
}

void action_move(const cardan_model *model, const wide *q, int k, wide eps, wide *q_out)
{
  const cardan_body *b = &model->body[model->v_body[k]];
  const int j = k - b->vadr;
  const wide *from = q + b->qadr;
  wide *to = q_out + b->qadr;
  if (q_out != q) {
    memcpy(q_out, q, (size_t)model->nq * sizeof *q);
  }
  if (b->nv == 1) {
    to[0] = from[0] + eps;
    return;
  }
  const int offset = b->kind == CARDAN_LINK_FREE ? 3 : 0;
  wide e[4];
  memcpy(e, from + offset, sizeof e);
  if (j < 3) {
    const wide a[3] = {j == 0 ? eps : 0, j == 1 ? eps : 0, j == 2 ? eps : 0};
    turn(e, a, to + offset);
  } else {
    const pose T = from_quat(e);
    for (int r = 0; r < 3; r++) {
      to[r] = from[r] + eps * T.R[r][j - 3];
    }
  }
}

wide action_gradient(const cardan_model *model, bool se3, const wide *q0, const wide *q1,
                     const wide *q2, wide h0, wide h1, int k)
{
  // truncation eps^4 and rounding 1e-19 / eps balance near 1e-4, both below 1e-14
  const wide eps = 1e-4L, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  wide sum = 0, q[MAX_Q];
  for (int i = 0; i < 4; i++) {
    action_move(model, q1, k, at[i] * eps, q);
    sum += weight[i] * (action_step(model, se3, q0, q, h0) + action_step(model, se3, q, q2, h1));
  }
  return sum / (12 * eps);
}
