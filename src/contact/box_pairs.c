// SPDX-License-Identifier: Apache-2.0
#include "contact/solid_pairs.h"
#include "spatial/vec3_array.h"

/* Points, spheres and capsules against a box, in the box's own coordinates, |x_i| <= h_i.
 * What sticks out of it is x - clamp(x); its length is the distance of a point outside.
 *   sphere   centre's distance, less r; inside: the nearest face                            (B1)
 *   point    the largest |x_i| - h_i: where it touches its distance has no direction         (B2)
 *   capsule  the least distance of its segment, less r; where the segment meets the box, the
 *            largest separation by an axis, less r                                          (B3) */

/* The face that x is furthest out of, or least inside: 2 axis, + 1 on the side of +. depth: out. */
static int nearest_face(const double x[3], const double h[3], double *depth)
{
  int face = 0;
  *depth = -HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    const double out = fabs(x[k]) - h[k];
    if (out > *depth) {
      *depth = out;
      face = 2 * k + (x[k] >= 0);
    }
  }
  return face;
}

static cardan_vec3 face_normal(const cardan_mat3 *R, int face)
{
  const cardan_vec3 n = cardan__mat3_column(R, face / 2);
  return face % 2 ? n : cardan__vec3_neg(n);
}

static double beyond(double x, double h)
{
  return x > h ? x - h : x < -h ? x + h : 0;
}

/* The touch of a ball about c when its centre has the distance and normal given. */
static void ball_touch(cardan_vec3 c, double radius, double distance, cardan_vec3 n,
                       cardan__touch *at)
{
  at->n = n;
  at->gap = distance - radius;
  at->x = cardan__vec3_axpy(-radius, n, c);
}

void cardan__ball_box(cardan_vec3 c, double radius, const cardan__placed *b, cardan__touch *at)
{
  double h[3];
  cardan__half_sizes(b, h);
  const cardan_vec3 q = cardan__xform_inv_point(&b->X_WS, c);
  const cardan_vec3 out = {beyond(q.x, h[0]), beyond(q.y, h[1]), beyond(q.z, h[2])};
  double distance = cardan__vec3_norm(out);
  cardan_vec3 n;
  if (distance > CARDAN__NO_WAY) {
    n = cardan__mat3_mulv(&b->X_WS.R, cardan__vec3_scale(1 / distance, out));
  } else {
    n = face_normal(&b->X_WS.R, nearest_face((const double[3]){q.x, q.y, q.z}, h, &distance));
  }
  ball_touch(c, radius, distance, n, at); // (B1)
}

/* ---- the segment m + t e, -1 <= t <= 1, against the box ---- */

/* Half the slope of its squared distance at t: piecewise linear, and never falls. */
static double slope(const double m[3], const double e[3], const double h[3], double t)
{
  double g = 0;
  for (int k = 0; k < 3; k++) {
    g += e[k] * beyond(m[k] + t * e[k], h[k]);
  }
  return g;
}

/* The first t whose slope is not negative; 1: there is none. Between its knots it is linear. */
static double first_zero(const double m[3], const double e[3], const double h[3])
{
  double low = -1, high = 1, g_low = slope(m, e, h, low), g_high = slope(m, e, h, high);
  if (g_low >= 0 || g_high < 0) {
    return g_low >= 0 ? -1 : 1;
  }
  for (int k = 0; k < 6; k++) {
    const double t = ((k % 2 ? h[k / 2] : -h[k / 2]) - m[k / 2]) / e[k / 2];
    const bool knot = t > low && t < high; // not when e is 0
    const double g = knot ? slope(m, e, h, t) : 0;
    if (knot && g < 0) {
      low = t;
      g_low = g;
    } else if (knot) {
      high = t;
      g_high = g;
    }
  }
  return fmin(low - g_low * (high - low) / (g_high - g_low), high);
}

/* The t of least distance; the middle where there are many. */
static double closest(const double m[3], const double e[3], const double h[3])
{
  const double back[3] = {-e[0], -e[1], -e[2]};
  return 0.5 * (first_zero(m, e, h) - first_zero(m, back, h));
}

/* A sphere or capsule and a box, in the box's coordinates. */
typedef struct {
  double m[3], e[3], h[3], radius;
} segment;

static segment segment_of(const cardan__placed *a, const cardan__placed *b)
{
  segment s = {.radius = a->solid->size[0]};
  const double half = a->solid->kind == CARDAN_SHAPE_CAPSULE ? 0.5 * a->solid->size[1] : 0;
  const cardan_vec3 m = cardan__xform_inv_point(&b->X_WS, a->X_WS.p);
  const cardan_vec3 z = cardan__mat3_column(&a->X_WS.R, 2);
  const cardan_vec3 e = cardan__vec3_scale(half, cardan__mat3_tmulv(&b->X_WS.R, z));
  cardan__half_sizes(b, s.h);
  cardan__vec3_put(m, s.m);
  cardan__vec3_put(e, s.e);
  return s;
}

/* For a segment that meets the box, or nearly does, computes the separation. */
static void round_box_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  const segment s = segment_of(a, b);
  const double t = closest(s.m, s.e, s.h);
  double q[3], out = -HUGE_VAL, size = 0;
  for (int k = 0; k < 3; k++) {
    q[k] = s.m[k] + t * s.e[k];
    out = fmax(out, fabs(q[k]) - s.h[k]);
    size += fabs(s.m[k]) + fabs(s.e[k]) + s.h[k];
  }
  if (out > 1e-13 * size || a->solid->kind == CARDAN_SHAPE_SPHERE) {
    const cardan_vec3 c = cardan__xform_point(&b->X_WS, cardan__vec3(q[0], q[1], q[2]));
    cardan__ball_box(c, s.radius, b, at);
  } else {
    const double h[3] = {0, 0, 0.5 * a->solid->size[1]};
    cardan__box_separation(&a->X_WS, h, &b->X_WS, s.h, at); // (B3)
    ball_touch(at->x, s.radius, at->gap, at->n, at);
  }
}

/* Where a segment lies along a face or an edge of the box: between c + t[0] e and c + t[1] e, which
 * are its own ends or where it leaves the box over side (-1, 1) of axis. */
typedef struct {
  double t[2];
  int axis[2]; // -1: its own end
  double side[2];
  int face; // axis that the face is across; -1: along an edge
} stretch;

/* Lessens it to where coordinate k of the segment is within the box; false: nowhere. */
static bool within(const segment *s, int k, stretch *part)
{
  const double e = s->e[k], m = s->m[k], h = s->h[k], way = e > 0 ? 1 : -1;
  for (int i = 0; i < 2 && fabs(e) > 0; i++) {
    const double side = i == 0 ? -way : way, t = (side * h - m) / e;
    if (i == 0 ? t > part->t[0] : t < part->t[1]) {
      part->t[i] = t;
      part->axis[i] = k;
      part->side[i] = side;
    }
  }
  return fabs(m + 0.5 * (part->t[0] + part->t[1]) * e) <= h &&
         part->t[1] - part->t[0] > CARDAN__AS_LOW;
}

/* Lies the segment along a face or an edge, with the normal n where it is closest? */
static bool lies_along(const segment *s, const double n[3], stretch *part)
{
  const double e2 = s->e[0] * s->e[0] + s->e[1] * s->e[1] + s->e[2] * s->e[2];
  const double small = CARDAN__ALONG * CARDAN__ALONG;
  for (int k = 0; k < 3; k++) {
    *part = (stretch){{-1, 1}, {-1, -1}, {0, 0}, k};
    if (n[k] * n[k] > 1 - small && s->e[k] * s->e[k] < small * e2 && within(s, (k + 1) % 3, part) &&
        within(s, (k + 2) % 3, part)) {
      return true;
    }
  }
  for (int k = 0; k < 3; k++) { // the edge along k
    *part = (stretch){{-1, 1}, {-1, -1}, {0, 0}, -1};
    if (n[k] * n[k] < small && e2 - s->e[k] * s->e[k] < small * e2 && within(s, k, part)) {
      return true;
    }
  }
  return false;
}

/* The capsule a and the corner x of b. */
static cardan__end corner_end(const cardan__placed *a, const cardan__placed *b, cardan_vec3 x)
{
  cardan__end end = {{.kind = CARDAN__SPOT_BALL, .side = 1}, 0};
  cardan__touch at;
  cardan__ball_gap(cardan__xform_point(&b->X_WS, x), 0, a, &at);
  end.spot.p[1] = cardan__xform_point(&b->solid->X_BS, x);
  end.gap = at.gap;
  return end;
}

/* The axis of the capsule a and the edge of b along its axis k, with the middle x; n: about the
 * normal. false: the lines are not closest within both, or are nearly parallel. */
static bool edge_end(const cardan__placed *a, const cardan__placed *b, int k, cardan_vec3 x,
                     cardan_vec3 n, cardan__end *end)
{
  const cardan_vec3 z = cardan__mat3_column(&a->X_WS.R, 2), f = cardan__mat3_column(&b->X_WS.R, k);
  const cardan_vec3 m = cardan__vec3_cross(z, f);
  const cardan_vec3 d = cardan__vec3_sub(cardan__xform_point(&b->X_WS, x), a->X_WS.p);
  const double m2 = cardan__vec3_dot(m, m), sign = cardan__vec3_dot(m, n) < 0 ? -1 : 1;
  const double t_a = cardan__vec3_dot(cardan__vec3_cross(d, f), m);
  const double t_b = cardan__vec3_dot(cardan__vec3_cross(d, z), m);
  const double *size = a->solid->size;
  if (m2 < CARDAN__ALONG * CARDAN__ALONG || fabs(t_a) > 0.5 * size[1] * m2 ||
      fabs(t_b) > 0.5 * b->solid->size[k] * m2) {
    return false;
  }
  *end = (cardan__end){{.kind = CARDAN__SPOT_EDGES, .radius = size[0]}, 0};
  end->spot.p[0] = a->solid->X_BS.p;
  end->spot.p[1] = cardan__xform_point(&b->solid->X_BS, x);
  end->spot.n[0] = cardan__mat3_column(&a->solid->X_BS.R, 2);
  end->spot.n[1] = cardan__vec3_scale(sign, cardan__mat3_column(&b->solid->X_BS.R, k));
  end->spot.up = cardan__vec3_scale(sign / sqrt(m2), m);
  end->gap = -cardan__vec3_dot(end->spot.up, d) - size[0];
  return true;
}

/* The spot of end i of the part where a lies along b: a ball at its own end; the edge of a face
 * over which it leaves b, or the corner of an edge. n: the normal, in b's coordinates. */
static cardan__end end_of(const cardan__placed *a, const cardan__placed *b, const segment *s,
                          const stretch *part, const double n[3], int i)
{
  const int axis = part->axis[i], along = part->face < 0 ? -1 : 3 - part->face - axis;
  double x[3];
  cardan__end end;
  for (int k = 0; k < 3; k++) {
    x[k] = k == axis ? part->side[i] * s->h[k] : k == along ? 0 : copysign(s->h[k], n[k]);
  }
  const cardan_vec3 place = {x[0], x[1], x[2]};
  const cardan_vec3 normal = cardan__mat3_mulv(&b->X_WS.R, cardan__vec3(n[0], n[1], n[2]));
  if (axis >= 0 && along < 0) {
    return corner_end(a, b, place);
  }
  if (axis >= 0 && edge_end(a, b, along, place, normal, &end)) {
    return end;
  }
  return cardan__ball_end(a, b, part->t[i], 0);
}

static int round_box_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                           cardan__spot *spot, int most)
{
  const segment s = segment_of(a, b);
  cardan__touch at;
  cardan__end end[2];
  stretch part;
  double n[3];
  round_box_gap(a, b, &at);
  if (!(at.gap <= margin)) {
    return 0;
  }
  cardan__vec3_put(cardan__mat3_tmulv(&b->X_WS.R, at.n), n);
  const bool along = lies_along(&s, n, &part);
  for (int i = 0; i < 2 && along; i++) {
    end[i] = end_of(a, b, &s, &part, n, i);
  }
  return cardan__along_spots(a, &at, along ? end : NULL, margin, spot, most);
}

static int round_box_most(const cardan__placed *a, const cardan__placed *b)
{
  (void)b;
  return a->solid->kind == CARDAN_SHAPE_CAPSULE ? 3 : 1;
}

const cardan__pair_ops cardan__round_box_ops = {round_box_gap, round_box_spots, round_box_most};

/* ---- points ---- */

static int point_face(const cardan__placed *a, const cardan__placed *b, double h[3], double x[3],
                      double *depth)
{
  cardan__half_sizes(b, h);
  cardan__vec3_put(cardan__xform_inv_point(&b->X_WS, a->X_WS.p), x);
  return nearest_face(x, h, depth);
}

static void point_box_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  double h[3], x[3], depth;
  const int face = point_face(a, b, h, x, &depth);
  ball_touch(a->X_WS.p, 0, depth, face_normal(&b->X_WS.R, face), at); // (B2)
}

/* The point over the face that it is over; beside all faces it has a spot only where it touches. */
static int point_box_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                           cardan__spot *spot, int most)
{
  double h[3], x[3], depth;
  const int face = point_face(a, b, h, x, &depth), k = face / 2, i = (k + 1) % 3, j = (k + 2) % 3;
  const double touches = cardan__box_touches(0, b->solid->radius);
  const bool over = fabs(x[i]) <= h[i] + touches && fabs(x[j]) <= h[j] + touches;
  if (!(depth <= margin) || !(over || depth <= touches)) {
    return 0;
  }
  if (most < 1) {
    return -1;
  }
  *spot = (cardan__spot){.id = face, .kind = CARDAN__SPOT_POINT};
  spot->n[1] = face_normal(&b->solid->X_BS.R, face);
  spot->p[0] = a->solid->X_BS.p;
  spot->p[1] = cardan__vec3_axpy(h[k], spot->n[1], b->solid->X_BS.p);
  return 1;
}

static int point_box_most(const cardan__placed *a, const cardan__placed *b)
{
  (void)a;
  (void)b;
  return 1;
}

const cardan__pair_ops cardan__point_box_ops = {point_box_gap, point_box_spots, point_box_most};
