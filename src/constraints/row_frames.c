// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "constraints/row_kind.h"

/* Rows on points and axes of frames. u is fixed in frame A, w in frame B, n in a third frame;
 * d = p_B - p_A, e = p_A - p_B. A dash is a time derivative, two dashes the second one at zero
 * joint acceleration. u' = w_A x u with w_A the angular velocity of A, so that x.u' = w_A.(u x x):
 * a row has the torque u x x on A.
 *
 *           Phi                   row: forces at points, torques              gamma
 *   POINT   n.e                   n at A, -n at B, torque n x e on n's frame  -(n.e)''
 *   DOT     u.w - k               torque u x w on A, its opposite on B        -(u.w)''
 *   OFFSET  u.d - k               u at B, -u at A, torque u x d on A          -(u.d)''
 *   WIRE    (d.d - L^2) / (2 L)   d/L at B, -d/L at A                         see there
 *   SCREW   u.d - h theta         OFFSET's and the angle's                    see there
 * where (x.y)'' = x''.y + 2 x'.y' + x.y''. These are what books call the basic constraints
 * coordinate difference, dot-1, dot-2 and distance. Rates of the rows' forces and torques, for
 * dJ/dt, are by the product rule:
 *
 *           force and rate                            torque and rate
 *   POINT   n at A, -n at B; n'                       n x e on n's frame; n' x e + n x e'
 *   DOT                                               u x w on A, -u x w on B; u' x w + u x w'
 *   OFFSET  u at B, -u at A; u'                       u x d on A; u' x d + u x d'
 *   WIRE    d/L at B, -d/L at A; d'/L - d L'/L^2
 *   SCREW   as OFFSET                                 -h/R (n x g), n = C e2 - S e1; see there */

/* p_B - p_A, and its rates where not NULL. */
static cardan_vec3 between(const cardan__row_at *at, int A, int B, cardan_vec3 *d1, cardan_vec3 *d2)
{
  cardan_vec3 pA, pB, vA, vB, aA, aB;
  cardan__frame_point(&at->set->frame[A], at->view, &pA, d1 ? &vA : NULL, d2 ? &aA : NULL);
  cardan__frame_point(&at->set->frame[B], at->view, &pB, d1 ? &vB : NULL, d2 ? &aB : NULL);
  if (d1) {
    *d1 = cardan__vec3_sub(vB, vA);
  }
  if (d2) {
    *d2 = cardan__vec3_sub(aB, aA);
  }
  return cardan__vec3_sub(pB, pA);
}

static cardan_vec3 axis(const cardan__row_at *at, int frame, cardan_vec3 u, cardan_vec3 *u1,
                        cardan_vec3 *u2)
{
  cardan_vec3 d;
  cardan__frame_axis(&at->set->frame[frame], at->view, u, &d, u1, u2);
  return d;
}

/* Rates of x . y. */
static double dot1(cardan_vec3 x, cardan_vec3 x1, cardan_vec3 y, cardan_vec3 y1)
{
  return cardan__vec3_dot(x1, y) + cardan__vec3_dot(x, y1);
}

static double dot2(cardan_vec3 x, cardan_vec3 x1, cardan_vec3 x2, cardan_vec3 y, cardan_vec3 y1,
                   cardan_vec3 y2)
{
  return cardan__vec3_dot(x2, y) + 2.0 * cardan__vec3_dot(x1, y1) + cardan__vec3_dot(x, y2);
}

/* ---- rates of vectors, for rates of rows ---- */

static cardan__rate rate_neg(cardan__rate a)
{
  return (cardan__rate){cardan__vec3_neg(a.x), cardan__vec3_neg(a.dx)};
}

static cardan__rate rate_cross(cardan__rate a, cardan__rate b)
{
  return (cardan__rate){
      cardan__vec3_cross(a.x, b.x),
      cardan__vec3_add(cardan__vec3_cross(a.dx, b.x), cardan__vec3_cross(a.x, b.dx))};
}

/* k a, k a scalar with rate dk */
static cardan__rate rate_scale(double k, double dk, cardan__rate a)
{
  return (cardan__rate){cardan__vec3_scale(k, a.x),
                        cardan__vec3_axpy(dk, a.x, cardan__vec3_scale(k, a.dx))};
}

static cardan__rate rate_sub(cardan__rate a, cardan__rate b)
{
  return (cardan__rate){cardan__vec3_sub(a.x, b.x), cardan__vec3_sub(a.dx, b.dx)};
}

/* p_B - p_A */
static cardan__rate between_rate(const cardan__row_at *at, int A, int B)
{
  cardan__rate d;
  d.x = between(at, A, B, &d.dx, NULL);
  return d;
}

static cardan__rate axis_rate(const cardan__row_at *at, int frame, cardan_vec3 u)
{
  cardan__rate a;
  cardan__frame_axis(&at->set->frame[frame], at->view, u, &a.x, &a.dx, NULL);
  return a;
}

/* ---- POINT ---- */

static double point_value(const cardan__row_at *at)
{
  const int *f = at->row->frame;
  return cardan__vec3_dot(axis(at, f[2], at->row->u, NULL, NULL),
                          between(at, f[1], f[0], NULL, NULL));
}

static void point_row(const cardan__row_at *at, const cardan__entries *to)
{
  const int *f = at->row->frame;
  const cardan_vec3 n = axis(at, f[2], at->row->u, NULL, NULL);
  cardan__row_add_force(at, to, f[0], n);
  cardan__row_add_force(at, to, f[1], cardan__vec3_neg(n));
  if (at->set->frame[f[2]].body != 0) {
    cardan__row_add_torque(at, to, f[2],
                           cardan__vec3_cross(n, between(at, f[1], f[0], NULL, NULL)));
  }
}

static void point_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const int *f = at->row->frame;
  cardan_vec3 n1, n2, e1, e2;
  *phi_t = 0.0;
  if (gamma) {
    const cardan_vec3 n = axis(at, f[2], at->row->u, &n1, &n2),
                      e = between(at, f[1], f[0], &e1, &e2);
    *gamma = -dot2(n, n1, n2, e, e1, e2);
  }
}

static void point_change(const cardan__row_at *at, const cardan__entries *to)
{
  const int *f = at->row->frame;
  const cardan__rate n = axis_rate(at, f[2], at->row->u);
  cardan__row_change_force(at, to, f[0], n);
  cardan__row_change_force(at, to, f[1], rate_neg(n));
  if (at->set->frame[f[2]].body != 0) {
    cardan__row_change_torque(at, to, f[2], rate_cross(n, between_rate(at, f[1], f[0])));
  }
}

const cardan__row_kind cardan__row_kind_point = {point_value, point_row, point_rates, point_change};

/* ---- DOT ---- */

static double dot_value(const cardan__row_at *at)
{
  const cardan_row *r = at->row;
  return cardan__vec3_dot(axis(at, r->frame[0], r->u, NULL, NULL),
                          axis(at, r->frame[1], r->w, NULL, NULL)) -
         r->value;
}

static void dot_row(const cardan__row_at *at, const cardan__entries *to)
{
  const cardan_row *r = at->row;
  const cardan_vec3 torque = cardan__vec3_cross(axis(at, r->frame[0], r->u, NULL, NULL),
                                                axis(at, r->frame[1], r->w, NULL, NULL));
  cardan__row_add_torque(at, to, r->frame[0], torque);
  cardan__row_add_torque(at, to, r->frame[1], cardan__vec3_neg(torque));
}

static void dot_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const cardan_row *r = at->row;
  cardan_vec3 u1, u2, w1, w2;
  *phi_t = 0.0;
  if (gamma) {
    const cardan_vec3 u = axis(at, r->frame[0], r->u, &u1, &u2),
                      w = axis(at, r->frame[1], r->w, &w1, &w2);
    *gamma = -dot2(u, u1, u2, w, w1, w2);
  }
}

static void dot_change(const cardan__row_at *at, const cardan__entries *to)
{
  const cardan_row *r = at->row;
  const cardan__rate torque =
      rate_cross(axis_rate(at, r->frame[0], r->u), axis_rate(at, r->frame[1], r->w));
  cardan__row_change_torque(at, to, r->frame[0], torque);
  cardan__row_change_torque(at, to, r->frame[1], rate_neg(torque));
}

const cardan__row_kind cardan__row_kind_dot = {dot_value, dot_row, dot_rates, dot_change};

/* ---- OFFSET ---- */

static double offset_value(const cardan__row_at *at)
{
  const cardan_row *r = at->row;
  return cardan__vec3_dot(axis(at, r->frame[0], r->u, NULL, NULL),
                          between(at, r->frame[0], r->frame[1], NULL, NULL)) -
         r->value;
}

static void offset_row(const cardan__row_at *at, const cardan__entries *to)
{
  const int *f = at->row->frame;
  const cardan_vec3 u = axis(at, f[0], at->row->u, NULL, NULL);
  cardan__row_add_force(at, to, f[1], u);
  cardan__row_add_force(at, to, f[0], cardan__vec3_neg(u));
  cardan__row_add_torque(at, to, f[0], cardan__vec3_cross(u, between(at, f[0], f[1], NULL, NULL)));
}

static void offset_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const int *f = at->row->frame;
  cardan_vec3 u1, u2, d1, d2;
  *phi_t = 0.0;
  if (gamma) {
    const cardan_vec3 u = axis(at, f[0], at->row->u, &u1, &u2),
                      d = between(at, f[0], f[1], &d1, &d2);
    *gamma = -dot2(u, u1, u2, d, d1, d2);
  }
}

static void offset_change(const cardan__row_at *at, const cardan__entries *to)
{
  const int *f = at->row->frame;
  const cardan__rate u = axis_rate(at, f[0], at->row->u);
  cardan__row_change_force(at, to, f[1], u);
  cardan__row_change_force(at, to, f[0], rate_neg(u));
  cardan__row_change_torque(at, to, f[0], rate_cross(u, between_rate(at, f[0], f[1])));
}

const cardan__row_kind cardan__row_kind_offset = {offset_value, offset_row, offset_rates,
                                                  offset_change};

/* ---- WIRE ----
 * Phi = s / (2 L) - L / 2, s = d.d: smooth where |d| - L is not, with the same slope at d.d = L^2.
 *   Phi_L = -s / (2 L^2) - 1/2,   Phi_LL = s / L^3,   Phi_Ls s' = -d.d' / L^2
 *   Phi'' = (d'.d' + d.d'') / L - 2 d.d' L' / L^2 + Phi_LL L'^2 + Phi_L L'' */

static double wire_value(const cardan__row_at *at)
{
  const cardan_vec3 d = between(at, at->row->frame[0], at->row->frame[1], NULL, NULL);
  double L[3];
  cardan__row_time_jet(at, L);
  return (cardan__vec3_dot(d, d) - L[0] * L[0]) / (2.0 * L[0]);
}

static void wire_row(const cardan__row_at *at, const cardan__entries *to)
{
  const int *f = at->row->frame;
  double L[3];
  cardan__row_time_jet(at, L);
  const cardan_vec3 n = cardan__vec3_scale(1.0 / L[0], between(at, f[0], f[1], NULL, NULL));
  cardan__row_add_force(at, to, f[1], n);
  cardan__row_add_force(at, to, f[0], cardan__vec3_neg(n));
}

static void wire_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const int *f = at->row->frame;
  cardan_vec3 d1, d2;
  double L[3];
  cardan__row_time_jet(at, L);
  const cardan_vec3 d = between(at, f[0], f[1], &d1, gamma ? &d2 : NULL);
  const double s = cardan__vec3_dot(d, d), k = 1.0 / L[0], phi_L = -0.5 * (s * k * k + 1.0);
  *phi_t = phi_L * L[1];
  if (gamma) {
    *gamma = -k * (cardan__vec3_dot(d1, d1) + cardan__vec3_dot(d, d2)) +
             2.0 * k * k * cardan__vec3_dot(d, d1) * L[1] - s * k * k * k * L[1] * L[1] -
             phi_L * L[2];
  }
}

static void wire_change(const cardan__row_at *at, const cardan__entries *to)
{
  const int *f = at->row->frame;
  double L[3];
  cardan__row_time_jet(at, L);
  const cardan__rate n =
      rate_scale(1.0 / L[0], -L[1] / (L[0] * L[0]), between_rate(at, f[0], f[1]));
  cardan__row_change_force(at, to, f[1], n);
  cardan__row_change_force(at, to, f[0], rate_neg(n));
}

const cardan__row_kind cardan__row_kind_wire = {wire_value, wire_row, wire_rates, wire_change};

/* ---- SCREW ----
 * theta turns e1 of A into g of B about u: with e2 = u x e1, C = e1.g, S = e2.g, R = C^2 + S^2,
 *   theta = atan2(S, C),   theta' = (C S' - S C') / R,
 *   theta'' = (C S'' - S C'') / R - 2 theta' (C C' + S S') / R
 * Turns are counted by the distance itself: of the angles atan2 + 2 pi n the one nearest to d / h.
 * So the row needs no memory, and is smooth as long as it is violated by less than half a pitch. */

typedef struct {
  cardan_vec3 e[2], e1[2], e2[2], g, g1, g2; // world axes and their rates
  double C, S, R;
} screw;

static screw screw_axes(const cardan__row_at *at, int order)
{
  const cardan_row *r = at->row;
  const cardan_vec3 local[2] = {r->w2, cardan__vec3_cross(r->u, r->w2)};
  screw s;
  for (int i = 0; i < 2; i++) {
    s.e[i] =
        axis(at, r->frame[0], local[i], order > 0 ? &s.e1[i] : NULL, order > 1 ? &s.e2[i] : NULL);
  }
  s.g = axis(at, r->frame[1], r->w, order > 0 ? &s.g1 : NULL, order > 1 ? &s.g2 : NULL);
  s.C = cardan__vec3_dot(s.e[0], s.g);
  s.S = cardan__vec3_dot(s.e[1], s.g);
  s.R = s.C * s.C + s.S * s.S;
  return s;
}

static double screw_value(const cardan__row_at *at)
{
  const double pi2 = 6.283185307179586, h = at->row->coef[0], x = offset_value(at);
  const screw s = screw_axes(at, 0);
  double theta = atan2(s.S, s.C);
  if (h != 0.0) {
    theta += pi2 * round((x / h - theta) / pi2);
  }
  return x - h * theta;
}

static void screw_row(const cardan__row_at *at, const cardan__entries *to)
{
  const screw s = screw_axes(at, 0);
  const double h = at->row->coef[0];
  // C dS - S dC: a torque (C e2 - S e1) x g on A, its opposite on B
  const cardan_vec3 n = cardan__vec3_axpy(s.C, s.e[1], cardan__vec3_scale(-s.S, s.e[0]));
  const cardan_vec3 torque = cardan__vec3_scale(-h / s.R, cardan__vec3_cross(n, s.g));
  offset_row(at, to);
  cardan__row_add_torque(at, to, at->row->frame[0], torque);
  cardan__row_add_torque(at, to, at->row->frame[1], cardan__vec3_neg(torque));
}

static void screw_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  offset_rates(at, phi_t, gamma);
  if (gamma) {
    const screw s = screw_axes(at, 2);
    const double C1 = dot1(s.e[0], s.e1[0], s.g, s.g1), S1 = dot1(s.e[1], s.e1[1], s.g, s.g1);
    const double C2 = dot2(s.e[0], s.e1[0], s.e2[0], s.g, s.g1, s.g2);
    const double S2 = dot2(s.e[1], s.e1[1], s.e2[1], s.g, s.g1, s.g2);
    const double theta1 = (s.C * S1 - s.S * C1) / s.R;
    const double theta2 = (s.C * S2 - s.S * C2 - 2.0 * theta1 * (s.C * C1 + s.S * S1)) / s.R;
    *gamma += at->row->coef[0] * theta2;
  }
}

static void screw_change(const cardan__row_at *at, const cardan__entries *to)
{
  const cardan_row *r = at->row;
  const cardan__rate e1 = axis_rate(at, r->frame[0], r->w2);
  const cardan__rate e2 = axis_rate(at, r->frame[0], cardan__vec3_cross(r->u, r->w2));
  const cardan__rate g = axis_rate(at, r->frame[1], r->w);
  const double C = cardan__vec3_dot(e1.x, g.x), S = cardan__vec3_dot(e2.x, g.x), R = C * C + S * S;
  const double C1 = dot1(e1.x, e1.dx, g.x, g.dx), S1 = dot1(e2.x, e2.dx, g.x, g.dx),
               R1 = 2.0 * (C * C1 + S * S1);
  const cardan__rate n = rate_sub(rate_scale(C, C1, e2), rate_scale(S, S1, e1));
  const double h = r->coef[0];
  const cardan__rate torque = rate_scale(-h / R, h * R1 / (R * R), rate_cross(n, g));
  offset_change(at, to);
  cardan__row_change_torque(at, to, r->frame[0], torque);
  cardan__row_change_torque(at, to, r->frame[1], rate_neg(torque));
}

const cardan__row_kind cardan__row_kind_screw = {screw_value, screw_row, screw_rates, screw_change};
