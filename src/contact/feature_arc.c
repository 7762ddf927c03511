// SPDX-License-Identifier: Apache-2.0
#include "contact/feature_arc.h"

#include <math.h>

#include "spatial/so3.h"
#include "spatial/spatial.h"

/* A rolls over B in a plane. Between node and end the normal turns by 2 b over A, in A's axes, and
 * by 2 c over B, in B's, so A turns by 2 (b + c) as seen from B; c_A and c_B are the chords between
 * the touching points in the axes of each. With A and B circles of radii r_A = c_A / (2 sin b) and
 * r_B = c_B / (2 sin c), a point of A at distance R from A's centre, on the mean normal, goes
 *   2 ((r_A + r_B) sin c - R sin(b + c))
 * over B. Arcs are equal in rolling, r_A b = r_B c, and the way is 0 for
 *   R = r_A (1 + b / c) sin c / sin(b + c)
 * The mean of the touching points has R = r_A cos b. The difference, without what cancels, by
 * e(x) = (x - sin x) / x^3, s(x) = sin x / x = 1 - x^2 e, k(x) = (sin x - x cos x) / x^3:
 *   r_A (b / sin b - cos b) = c_A 2 b e(2 b) / s(b)^2                                          (A1)
 *   the rest, r_B c g,  g = (c^2 k(c) + b c s(c) k(b) / s(b)) / ((b + c) s(b + c))          (A2)
 * with r_B c = c_B / (2 s(c)): each part from the body whose arc it is, so that both are finite
 * where a body is flat. (A2) is 0 on a flat B. */

/* s, e and k of x. */
typedef struct {
  double s, e, k;
} series;

static series series_of(double x)
{
  const cardan__dexp_coeffs d = cardan__so3_dexp_coeffs(x * x); // (1 - cos x) / x^2 and e
  return (series){1 - x * x * d.g, d.g, d.b - d.g};
}

/* Half of the angle between two unit vectors; sum: out, of both. */
static double half_angle(cardan_vec3 n0, cardan_vec3 n1, cardan_vec3 *sum)
{
  *sum = cardan__vec3_add(n0, n1);
  return asin(fmin(0.5 * cardan__vec3_norm(cardan__vec3_sub(n1, n0)), 1));
}

/* (A1) + (A2) */
static double outward(double b, double c, double chord_A, double chord_B)
{
  const double most = 1.25; // of half of A's turn: a whole turn would need R without end
  const series sb = series_of(b), twice = series_of(2 * b);
  double move = chord_A * 2 * b * twice.e / (sb.s * sb.s);
  if (c > 0 && b + c < most) {
    const series sc = series_of(c), both = series_of(b + c);
    const double g = (c * c * sc.k + b * c * sc.s * sb.k / sb.s) / ((b + c) * both.s);
    move += 0.5 * chord_B / sc.s * g;
  }
  return move;
}

bool cardan__arc_is_corner(const cardan__feature *f)
{
  return f->frozen ||
         (f->spot.kind == CARDAN__SPOT_POINT && f->spot.side == 0 && f->spot.radius == 0);
}

cardan_vec3 cardan__arc_point(const cardan__feature *f, const cardan_xform X[2],
                              const cardan__touch *end)
{
  const cardan__touch *at[2] = {&f->touch, end};
  const cardan_xform *of[2] = {f->X, X};
  cardan_vec3 a[2], b[2], n[2], m[2], sum, unused; // points and normals, in A's and in B's axes
  for (int i = 0; i < 2; i++) {
    const cardan_vec3 on_B = cardan__vec3_axpy(-at[i]->gap, at[i]->n, at[i]->x);
    a[i] = cardan__xform_inv_point(&of[i][0], at[i]->x);
    b[i] = cardan__xform_inv_point(&of[i][1], on_B);
    n[i] = cardan__mat3_tmulv(&of[i][0].R, at[i]->n);
    m[i] = cardan__mat3_tmulv(&of[i][1].R, at[i]->n);
  }
  const cardan_vec3 mean = cardan__vec3_scale(0.5, cardan__vec3_add(a[0], a[1]));
  const double angle_A = half_angle(n[0], n[1], &sum), size = cardan__vec3_norm(sum);
  const double angle_B = half_angle(m[0], m[1], &unused);
  if (cardan__arc_is_corner(f) || !(size > 0)) {
    return mean;
  }
  const double chord_A = cardan__vec3_norm(cardan__vec3_sub(a[1], a[0]));
  const double chord_B = cardan__vec3_norm(cardan__vec3_sub(b[1], b[0]));
  return cardan__vec3_axpy(-outward(angle_A, angle_B, chord_A, chord_B) / size, sum, mean);
}
