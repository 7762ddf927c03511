// SPDX-License-Identifier: Apache-2.0
#include "contact/solid_pairs.h"

/* Points, spheres and capsules are a core, a segment c + t e with -1 <= t <= 1 (e = 0: a point),
 * and a radius about it. Two of them: with the closest points x_a, x_b of the cores
 *   gap = |x_a - x_b| - r_a - r_b,   n = (x_a - x_b) / |x_a - x_b|                           (R1)
 * which is smooth, but where the cores meet, and where they are parallel: there the closest points
 * are not unique. A capsule that lies along something touches it at both ends of the part where
 * they lie side by side: with a ball about its own end, or the other's. (A ball that stood opposite
 * to the other's end, in place of it, would roll off that by s^2 / 2 r when it slides by s.) */

typedef struct {
  cardan_vec3 c, e; // world
  double radius;
} core;

static core core_of(const cardan__placed *a)
{
  const cardan_solid *s = a->solid;
  core out = {.c = a->X_WS.p};
  if (s->kind != CARDAN_SHAPE_POINT) {
    out.radius = s->size[0];
  }
  if (s->kind == CARDAN_SHAPE_CAPSULE) {
    out.e = cardan__vec3_scale(0.5 * s->size[1], cardan__mat3_column(&a->X_WS.R, 2));
  }
  return out;
}

static double clamp(double t)
{
  return t > 1 ? 1 : t < -1 ? -1 : t;
}

/* The parameter of a core's point closest to x. */
static double nearest(const core *a, cardan_vec3 x)
{
  const double e2 = cardan__vec3_dot(a->e, a->e);
  return e2 > 0 ? clamp(cardan__vec3_dot(a->e, cardan__vec3_sub(x, a->c)) / e2) : 0;
}

static cardan_vec3 point_at(const core *a, double t)
{
  return cardan__vec3_axpy(t, a->e, a->c);
}

/* The part of a that lies beside b: between the feet of b's ends, as parameters of a; out. */
static void beside(const core *a, const core *b, double t[2])
{
  const double t0 = nearest(a, point_at(b, -1)), t1 = nearest(a, point_at(b, 1));
  t[0] = fmin(t0, t1);
  t[1] = fmax(t0, t1);
}

/* Closest points of two segments. With d = c_b - c_a, the lines' closest point on a is at
 *   t_a = (d x e_b) . (e_a x e_b) / |e_a x e_b|^2                                           (R2)
 * clamped, then the closest point of b to it, and of a to that: exact, since the distance is convex
 * [C. Ericson, Real-Time Collision Detection, 2005, has the same order of clamps]. Parallel: the
 * middle of where they lie side by side. */
static double closest(const core *a, const core *b)
{
  const double a2 = cardan__vec3_dot(a->e, a->e), b2 = cardan__vec3_dot(b->e, b->e);
  const cardan_vec3 m = cardan__vec3_cross(a->e, b->e);
  const double m2 = cardan__vec3_dot(m, m);
  double t;
  if (b2 == 0) {
    return nearest(a, b->c);
  }
  if (m2 > 1e-16 * a2 * b2) {
    const cardan_vec3 d = cardan__vec3_sub(b->c, a->c);
    t = clamp(cardan__vec3_dot(cardan__vec3_cross(d, b->e), m) / m2); // (R2)
  } else {
    double side[2];
    beside(a, b, side);
    t = 0.5 * (side[0] + side[1]);
  }
  const double u = nearest(b, point_at(a, t));
  return nearest(a, point_at(b, u));
}

/* Where cores meet: across both, from b's middle to a's. */
static cardan_vec3 way_out(const core *a, const core *b)
{
  const cardan_vec3 m = cardan__vec3_cross(a->e, b->e);
  const double a2 = cardan__vec3_dot(a->e, a->e), b2 = cardan__vec3_dot(b->e, b->e);
  const bool crossed = cardan__vec3_dot(m, m) > 1e-16 * a2 * b2;
  const cardan_vec3 n = crossed ? cardan__vec3_normalize(m) : cardan__across(a2 > 0 ? a->e : b->e);
  return cardan__vec3_dot(n, cardan__vec3_sub(a->c, b->c)) < 0 ? cardan__vec3_neg(n) : n;
}

static void core_gap(const core *a, const core *b, cardan__touch *at)
{
  const double t = closest(a, b);
  const cardan_vec3 x = point_at(a, t);
  const cardan_vec3 d = cardan__vec3_sub(x, point_at(b, nearest(b, x)));
  const double distance = cardan__vec3_norm(d);
  at->n = distance > CARDAN__NO_WAY ? cardan__vec3_scale(1 / distance, d) : way_out(a, b);
  at->gap = distance - (a->radius + b->radius); // (R1)
  at->x = cardan__vec3_axpy(-a->radius, at->n, x);
}

void cardan__bars_gap(const cardan_vec3 c[2], const cardan_vec3 e[2], const double radius[2],
                      cardan__touch *at)
{
  const core a = {.c = c[0], .e = e[0], .radius = radius[0]};
  const core b = {.c = c[1], .e = e[1], .radius = radius[1]};
  core_gap(&a, &b, at);
}

void cardan__ball_gap(cardan_vec3 c, double radius, const cardan__placed *b, cardan__touch *at)
{
  const core ball = {.c = c, .radius = radius};
  if (b->solid->kind == CARDAN_SHAPE_BOX) {
    cardan__ball_box(c, radius, b, at);
  } else if (b->solid->kind == CARDAN_SHAPE_CYLINDER || b->solid->kind == CARDAN_SHAPE_ELLIPSOID ||
             b->solid->kind == CARDAN_SHAPE_HULL) {
    cardan__ball_core(c, radius, b, at);
  } else {
    const core other = core_of(b);
    core_gap(&ball, &other, at);
  }
}

/* The half of a capsule about where it touches. Of a sphere, and of a capsule that is in the other
 * by more than its radius: all of the pair. */
static cardan__spot part_spot(const cardan__placed *a, const cardan__touch *whole)
{
  const core own = core_of(a);
  const double half = 0.5 * a->solid->size[1];
  if (a->solid->kind != CARDAN_SHAPE_CAPSULE || !(whole->gap > -own.radius)) {
    return (cardan__spot){.kind = CARDAN__SPOT_WHOLE};
  }
  const double t = nearest(&own, cardan__vec3_axpy(own.radius, whole->n, whole->x));
  const double low = fmax(t - 0.5, -1), high = fmin(t + 0.5, 1);
  cardan__spot spot = {.kind = CARDAN__SPOT_PART, .radius = 0.5 * half * (high - low)};
  const cardan_vec3 middle = {0, 0, 0.5 * half * (high + low)};
  spot.p[0] = cardan__xform_point(&a->solid->X_BS, middle);
  return spot;
}

cardan__end cardan__ball_end(const cardan__placed *a, const cardan__placed *b, double t, int side)
{
  const double *size = a->solid->size;
  const cardan_vec3 s = {0, 0, 0.5 * size[1] * t};
  cardan__end end = {{.kind = CARDAN__SPOT_BALL, .side = side, .radius = size[0]}, 0};
  cardan__touch at;
  cardan__ball_gap(cardan__xform_point(&a->X_WS, s), size[0], b, &at);
  end.spot.p[side] = cardan__xform_point(&a->solid->X_BS, s);
  end.gap = at.gap;
  return end;
}

int cardan__along_spots(const cardan__placed *a, const cardan__touch *whole, const cardan__end *end,
                        double margin, cardan__spot *spot, int most)
{
  const double *size = a->solid->size;
  cardan__end made[3] = {{part_spot(a, whole), whole->gap}};
  double least = HUGE_VAL;
  for (int i = 0; i < 2 && end; i++) {
    made[i + 1] = end[i];
    made[i + 1].spot.id = i + 1;
    least = fmin(least, end[i].gap);
  }
  const bool one = whole->gap < least - CARDAN__AS_LOW * (size[0] + size[1]);
  int n = 0;
  for (int i = one ? 0 : 1; i < (end ? 3 : 1); i++) {
    if (made[i].gap <= margin && n++ < most) {
      spot[n - 1] = made[i].spot;
    }
  }
  return n > most ? -1 : n;
}

static void round_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  const core side[2] = {core_of(a), core_of(b)};
  core_gap(&side[0], &side[1], at);
}

/* The ends of the part where two capsules lie side by side, out; false: they do not. */
static bool lie_along(const cardan__placed *a, const cardan__placed *b, cardan__end end[2])
{
  const core side[2] = {core_of(a), core_of(b)};
  const cardan_vec3 e = side[0].e, f = side[1].e, m = cardan__vec3_cross(e, f);
  const double e2 = cardan__vec3_dot(e, e), f2 = cardan__vec3_dot(f, f);
  const double way = cardan__vec3_dot(e, f) > 0 ? 1 : -1;
  double t[2];
  if (!(cardan__vec3_dot(m, m) < CARDAN__ALONG * CARDAN__ALONG * e2 * f2)) {
    return false;
  }
  beside(&side[0], &side[1], t);
  for (int i = 0; i < 2; i++) {
    end[i] = fabs(t[i]) < 1 ? cardan__ball_end(b, a, i == 0 ? -way : way, 1)
                            : cardan__ball_end(a, b, t[i], 0);
  }
  return t[1] - t[0] > CARDAN__AS_LOW;
}

static int round_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                       cardan__spot *spot, int most)
{
  cardan__touch at;
  cardan__end end[2];
  round_gap(a, b, &at);
  if (!(at.gap <= margin)) {
    return 0;
  }
  return cardan__along_spots(a, &at, lie_along(a, b, end) ? end : NULL, margin, spot, most);
}

static int round_most(const cardan__placed *a, const cardan__placed *b)
{
  return a->solid->kind == CARDAN_SHAPE_CAPSULE && b->solid->kind == CARDAN_SHAPE_CAPSULE ? 3 : 1;
}

const cardan__pair_ops cardan__round_ops = {round_gap, round_spots, round_most};
