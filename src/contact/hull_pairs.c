// SPDX-License-Identifier: Apache-2.0
#include "contact/core.h"
#include "contact/patch.h"

/* Pairs of convex solids in general: hulls, cylinders and ellipsoids against these, and against
 * points, spheres, capsules and boxes.
 *
 * The gap is the distance of the cores (contact/core.h) less the two radii: exact while the cores
 * are apart, and as smooth as the motion, since the nearest points of such solids and their common
 * normal move continuously. Where one place touches, the spot is the pair by itself (WHOLE) if it
 * is round there, and else that part of it: edges and corners (BARS), a half (PART).
 * Flat on flat it touches in many, and the nearest point may be anywhere. Then spots are corners:
 * of the two opposite faces, the one whose normal is closer to the common normal is the plane; the
 * other is clipped by its sides, and the corners of the result are balls (POINT, the core's
 * radius about a corner) over that plane. A capsule gives its axis cut off in place of corners, a
 * cylinder on its side the circles (RIM) about the ends of its axis, cut off. A line along a line
 * gives balls at the ends of what is beside the other (BALL). The whole pair is a spot beside these
 * where it is lower than all of them, and of a cylinder that does not stand flat, whose rim
 * rolls. */

typedef struct {
  const cardan__placed *placed[2];
  cardan__core core[2];
  cardan_xform X_AB;
  cardan__span span;
  double gap, size; // size: of the larger solid [m]
} meeting;

// below this sine an axis is along another
#define ALONG 1e-3
// a face is closer to the common normal than another when its sine with it is, by more than this
#define PREFERENCE 1e-7
// sine of the angle of a cylinder's axis and a plane's normal from which on it lies on its side
#define ON_ITS_SIDE 0.1
// a cylinder stands flat up to this tilt
#define FLAT 1e-9
// of its radius: how far a place is followed at least
#define NEAR 0.05

static void prepare_pair(const cardan__placed *a, const cardan__placed *b, meeting *m)
{
  m->placed[0] = a;
  m->placed[1] = b;
  cardan__core_pair(a, b, m->core);
  m->X_AB = cardan__xform_inv_mul(&a->X_WS, &b->X_WS);
  cardan__core_distance(&m->core[0], &m->core[1], &m->X_AB, &m->span);
  m->gap = m->span.distance - m->core[0].radius - m->core[1].radius;
  m->size = fmax(a->solid->radius, b->solid->radius);
}

static void touch_of(const meeting *m, cardan__touch *at)
{
  const cardan_xform *X = &m->placed[0]->X_WS;
  at->gap = m->gap;
  at->n = cardan__mat3_mulv(&X->R, m->span.n);
  at->x = cardan__vec3_axpy(-m->core[0].radius, at->n, cardan__xform_point(X, m->span.a));
}

static void hull_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  meeting m;
  prepare_pair(a, b, &m);
  touch_of(&m, at);
}

/* Point and direction in A's solid coordinates to those of the body of side i. */
static cardan_vec3 body_vector(const meeting *m, int i, cardan_vec3 u)
{
  u = i == 1 ? cardan__mat3_tmulv(&m->X_AB.R, u) : u;
  return cardan__mat3_mulv(&m->placed[i]->solid->X_BS.R, u);
}

static cardan_vec3 body_point(const meeting *m, int i, cardan_vec3 p)
{
  p = i == 1 ? cardan__xform_inv_point(&m->X_AB, p) : p;
  return cardan__xform_point(&m->placed[i]->solid->X_BS, p);
}

typedef struct {
  cardan__spot *spot;
  int n, most;
  double lowest, margin;
} made;

static void add_spot(made *out, const cardan__spot *spot, double gap)
{
  if (!(gap <= out->margin)) {
    return;
  }
  out->lowest = fmin(out->lowest, gap);
  if (out->n < out->most) {
    // in the order of their ids
    int k = out->n;
    for (; k > 0 && out->spot[k - 1].id > spot->id; k--) {
      out->spot[k] = out->spot[k - 1];
    }
    out->spot[k] = *spot;
  }
  out->n++;
}

/* A barrel's points to the line of its surface that is lowest over the face, and the way back;
 * false: it does not lie on its side. */
static bool lower_barrel(const meeting *m, int i, const cardan__patch *r, cardan__patch *p,
                         cardan_vec3 *up)
{
  const double along = cardan__vec3_dot(r->normal, p->normal);
  const cardan_vec3 across = cardan__vec3_axpy(-along, p->normal, r->normal);
  const double size = cardan__vec3_norm(across);
  const double radius = m->core[i].half[0] + m->core[i].radius;
  *up = cardan__vec3_scale(radius / size, across);
  for (int k = 0; k < p->n; k++) {
    p->p[k] = cardan__vec3_sub(p->p[k], *up);
  }
  return size > ON_ITS_SIDE;
}

static cardan_vec3 middle_of(const cardan__patch *p)
{
  cardan_vec3 sum = {0, 0, 0};
  for (int k = 0; k < p->n; k++) {
    sum = cardan__vec3_axpy(1.0 / p->n, p->p[k], sum);
  }
  return sum;
}

/* The patch p of side i over the face r of the other side. low: from the middle of a rim that has a
 * spot of its own to its lowest point; what is less than 60 degrees from there would be a second
 * one in one place. 0: no rim has */
static void add_over_face(const meeting *m, const cardan__patch *r, cardan__patch *p, int i,
                          cardan_vec3 low, made *out)
{
  const cardan_vec3 middle = middle_of(p);
  const bool barrel = p->kind == CARDAN__PATCH_BARREL;
  const double radius = barrel ? 0 : m->core[i].radius;
  const cardan_vec3 top = cardan__vec3_axpy(m->core[1 - i].radius, r->normal, r->p[0]);
  const int face = cardan__patch_mix(2 * r->face + i, p->face);
  cardan_vec3 up = {0, 0, 0};
  if (barrel && !lower_barrel(m, i, r, p, &up)) {
    return;
  }
  cardan__patch_clip(p, r, CARDAN__AS_LOW * m->size);
  for (int k = 0; k < p->n; k++) {
    const double beside = cardan__vec3_dot(low, cardan__vec3_sub(p->p[k], middle));
    if (beside > 0.5 * cardan__vec3_dot(low, low)) {
      continue;
    }
    cardan__spot spot = {.id = cardan__patch_mix(face, p->id[k]) | 4, .side = i};
    spot.kind = barrel ? CARDAN__SPOT_RIM : CARDAN__SPOT_POINT;
    spot.radius = barrel ? cardan__vec3_norm(up) : radius;
    spot.p[i] = body_point(m, i, cardan__vec3_add(p->p[k], up));
    spot.p[1 - i] = body_point(m, 1 - i, top);
    spot.n[i] = body_vector(m, i, p->normal);
    spot.n[1 - i] = body_vector(m, 1 - i, r->normal);
    spot.up = body_vector(m, i, up);
    add_spot(out, &spot, cardan__vec3_dot(r->normal, cardan__vec3_sub(p->p[k], top)) - radius);
  }
}

/* Balls about the axis of A where it is beside that of B. */
static void add_along(const meeting *m, const cardan__patch *a, const cardan__patch *b, made *out)
{
  const cardan_vec3 e = cardan__vec3_sub(a->p[1], a->p[0]), f = cardan__vec3_sub(b->p[1], b->p[0]);
  const cardan_vec3 across = cardan__vec3_cross(e, f);
  const double e2 = cardan__vec3_dot(e, e), f2 = cardan__vec3_dot(f, f);
  if (!(cardan__vec3_dot(across, across) < ALONG * ALONG * e2 * f2)) {
    return;
  }
  const double s = cardan__vec3_dot(cardan__vec3_sub(b->p[0], a->p[0]), e) / e2;
  const double t = cardan__vec3_dot(cardan__vec3_sub(b->p[1], a->p[0]), e) / e2;
  const double end[2] = {fmax(0, fmin(s, t)), fmin(1, fmax(s, t))};
  for (int k = 0; k < 2 && end[1] - end[0] > CARDAN__AS_LOW; k++) {
    const cardan_vec3 c = cardan__vec3_axpy(end[k], e, a->p[0]);
    cardan__spot spot = {.id = 1 + k, .kind = CARDAN__SPOT_BALL};
    cardan__touch at;
    spot.radius = m->core[0].half[0] + m->core[0].radius;
    spot.p[0] = body_point(m, 0, c);
    cardan__ball_gap(cardan__xform_point(&m->placed[0]->X_WS, c), spot.radius, m->placed[1], &at);
    add_spot(out, &spot, at.gap);
  }
}

/* A cylinder's flat side that does not lie flat. */
static bool on_rim(const meeting *m, int i, const cardan__patch *p)
{
  return m->core[i].kind == CARDAN__CORE_CYLINDER && p->kind == CARDAN__PATCH_FACE &&
         cardan__vec3_norm(cardan__vec3_cross(m->span.n, p->normal)) > FLAT;
}

/* The rim of the cylinder of side i, whose flat side is p, over the face r that it touches; returns
 * the way from its middle to its lowest point. */
static cardan_vec3 add_rim(const meeting *m, const cardan__patch *r, const cardan__patch *p, int i,
                           made *out)
{
  const double along = cardan__vec3_dot(r->normal, p->normal);
  const cardan_vec3 across = cardan__vec3_axpy(-along, p->normal, r->normal);
  const cardan_vec3 top = cardan__vec3_axpy(m->core[1 - i].radius, r->normal, r->p[0]);
  cardan__spot spot = {.id = 3, .kind = CARDAN__SPOT_RIM, .side = i};
  spot.radius = m->core[i].half[0];
  spot.round = m->core[i].radius;
  spot.p[i] =
      cardan__xform_point(&m->placed[i]->solid->X_BS,
                          cardan__vec3(0, 0, p->face ? -m->core[i].half[2] : m->core[i].half[2]));
  spot.p[1 - i] = body_point(m, 1 - i, top);
  spot.n[i] = body_vector(m, i, p->normal);
  spot.n[1 - i] = body_vector(m, 1 - i, r->normal);
  spot.up = body_vector(m, i, across);
  add_spot(out, &spot, m->gap);
  return cardan__vec3_scale(-spot.radius / cardan__vec3_norm(across), across);
}

/* Whose face is the plane: that closer to the common normal; of equals one with corners rather than
 * a cylinder's, and A's. */
static int choose_plane(const meeting *m, const cardan__patch patch[2])
{
  double off[2];
  for (int i = 0; i < 2; i++) {
    const bool face = patch[i].kind == CARDAN__PATCH_FACE;
    const double sine = cardan__vec3_norm(cardan__vec3_cross(m->span.n, patch[i].normal));
    off[i] = !face ? HUGE_VAL : sine + (m->core[i].kind == CARDAN__CORE_CYLINDER ? PREFERENCE : 0);
  }
  return off[1] < off[0] - (off[0] < HUGE_VAL ? 0.5 * PREFERENCE : 0);
}

/* Spots of the flat parts; returns whether the place that touches must be one too, however low
 * these are. */
static bool add_patches(const meeting *m, made *out)
{
  cardan__patch patch[2];
  const cardan_vec3 n = m->span.n;
  cardan__patch_of(&m->core[0], cardan__vec3_neg(n), &patch[0]);
  cardan__patch_of(&m->core[1], cardan__mat3_tmulv(&m->X_AB.R, n), &patch[1]);
  cardan__patch_move(&patch[1], &m->X_AB);
  const bool face[2] = {patch[0].kind == CARDAN__PATCH_FACE, patch[1].kind == CARDAN__PATCH_FACE};
  if (patch[0].kind == CARDAN__PATCH_NONE || patch[1].kind == CARDAN__PATCH_NONE) {
    return true;
  }
  if (!face[0] && !face[1]) {
    add_along(m, &patch[0], &patch[1], out);
    return false;
  }
  const int i = 1 - choose_plane(m, patch); // whose corners, over the other's face
  const cardan__patch *r = &patch[1 - i];
  const bool rim = on_rim(m, i, &patch[i]), under = on_rim(m, 1 - i, r);
  cardan_vec3 low = {0, 0, 0};
  if (rim && cardan__vec3_norm(cardan__vec3_cross(n, r->normal)) < FLAT) {
    low = add_rim(m, r, &patch[i], i, out);
  }
  add_over_face(m, r, &patch[i], i, low, out);
  return (rim || under) && !(out->n > 0 && out->lowest <= m->gap);
}

/* The half of the cylinder of side i about the place that touches; false: that is no place of its
 * side. One that is rounded for this pair would be by another radius. */
static bool side_spot(const meeting *m, int i, cardan__spot *spot)
{
  const cardan__core *core = &m->core[i];
  const double h = core->half[2];
  const double z = i == 0 ? m->span.a.z : cardan__xform_inv_point(&m->X_AB, m->span.b).z;
  if (core->kind != CARDAN__CORE_CYLINDER || core->radius > 0 || !(m->span.distance > 0) ||
      !(fabs(z) < (1 - CARDAN__AS_LOW) * h)) {
    return false;
  }
  const double low = fmax(z - 0.5 * h, -h), high = fmin(z + 0.5 * h, h);
  *spot = (cardan__spot){.kind = CARDAN__SPOT_PART, .side = i, .radius = 0.5 * (high - low)};
  spot->p[i] =
      cardan__xform_point(&m->placed[i]->solid->X_BS, cardan__vec3(0, 0, 0.5 * (high + low)));
  return true;
}

/* The part of the box of side i about the place that touches the rim of a cylinder's flat side,
 * across which one of its edges may lie: not so far as to where that meets the rim again, which is
 * twice |p . e| away, p the place from the axis and e along the edge. false: these are not two, or
 * overlap, and no place is the nearest. */
static bool box_spot(const meeting *m, int i, cardan__spot *spot)
{
  const cardan__core *box = &m->core[i], *cylinder = &m->core[1 - i];
  if (box->kind != CARDAN__CORE_BOX || cylinder->kind != CARDAN__CORE_CYLINDER ||
      !(m->span.distance > 0)) {
    return false;
  }
  const cardan_mat3 *R = &m->X_AB.R;
  const cardan_vec3 a = m->span.a, b = cardan__xform_inv_point(&m->X_AB, m->span.b);
  const cardan_vec3 at = i == 0 ? a : b, rim = i == 0 ? b : a;
  const cardan_vec3 flat = {rim.x, rim.y, 0}; // p, in the cylinder's coordinates, then the box's
  const cardan_vec3 p = i == 0 ? cardan__mat3_mulv(R, flat) : cardan__mat3_tmulv(R, flat);
  const double place[3] = {at.x, at.y, at.z}, along[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
  double middle[3], half[3];
  for (int k = 0; k < 3; k++) {
    const double h = box->half[k];
    const double reach = fmin(fmax(along[k], NEAR * cylinder->half[0]), 0.5 * h);
    const double low = fmax(place[k] - reach, -h), high = fmin(place[k] + reach, h);
    middle[k] = 0.5 * (high + low);
    half[k] = 0.5 * (high - low) + box->radius;
  }
  *spot = (cardan__spot){.kind = CARDAN__SPOT_PART, .side = i, .round = box->radius};
  spot->p[i] = cardan__xform_point(&m->placed[i]->solid->X_BS,
                                   cardan__vec3(middle[0], middle[1], middle[2]));
  spot->n[i] = cardan__vec3(half[0], half[1], half[2]);
  return true;
}

/* The place that touches, as a spot that stays there: what tips over onto another place meets a
 * spot that is made for it, and an impact. Of a capsule and of the side of a cylinder the half
 * about it; of corners and edges these; a round place moves smoothly. */
static cardan__spot place_spot(const meeting *m)
{
  cardan__spot spot = {.kind = CARDAN__SPOT_WHOLE};
  if (m->placed[0]->solid->kind == CARDAN_SHAPE_CAPSULE) {
    cardan__touch at;
    touch_of(m, &at);
    (void)cardan__along_spots(m->placed[0], &at, NULL, HUGE_VAL, &spot, 1);
  } else if (m->span.ncorner[0] > 0 && m->span.ncorner[1] > 0) {
    spot.kind = CARDAN__SPOT_BARS;
    spot.up = cardan__vec3(m->core[0].radius, m->core[1].radius, 0);
    for (int i = 0; i < 2; i++) {
      const cardan_vec3 a = m->span.corner[i][0], b = m->span.corner[i][m->span.ncorner[i] - 1];
      spot.p[i] = body_point(m, i, cardan__vec3_scale(0.5, cardan__vec3_add(a, b)));
      spot.n[i] = body_vector(m, i, cardan__vec3_scale(0.5, cardan__vec3_sub(b, a)));
      for (int k = 0; k < m->span.ncorner[i]; k++) {
        // of two corners in any order
        spot.id += cardan__patch_mix(i, m->span.id[i][k]) >> 3;
      }
    }
    spot.id |= 4;
  } else if (!side_spot(m, 0, &spot) && !side_spot(m, 1, &spot) && !box_spot(m, 0, &spot)) {
    (void)box_spot(m, 1, &spot);
  }
  return spot;
}

static int hull_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                      cardan__spot *spot, int most)
{
  meeting m;
  made out = {spot, .most = most, .lowest = HUGE_VAL, .margin = margin};
  prepare_pair(a, b, &m);
  if (!(m.gap <= margin)) {
    return 0;
  }
  if (add_patches(&m, &out) || !(out.lowest <= m.gap + CARDAN__AS_LOW * m.size)) {
    const cardan__spot place = place_spot(&m);
    add_spot(&out, &place, m.gap);
  }
  return out.n > most ? -1 : out.n;
}

static int hull_most(const cardan__placed *a, const cardan__placed *b)
{
  int most = CARDAN__PATCH + 2;
  for (int i = 0; i < 2; i++) {
    const cardan_shape_kind kind = (i == 0 ? a : b)->solid->kind;
    const bool one =
        kind == CARDAN_SHAPE_POINT || kind == CARDAN_SHAPE_SPHERE || kind == CARDAN_SHAPE_ELLIPSOID;
    most = one ? 1 : kind == CARDAN_SHAPE_CAPSULE && most > 3 ? 3 : most;
  }
  return most;
}

const cardan__pair_ops cardan__hull_ops = {hull_gap, hull_spots, hull_most};

void cardan__ball_core(cardan_vec3 c, double radius, const cardan__placed *b, cardan__touch *at)
{
  const cardan_solid ball = {.kind = CARDAN_SHAPE_SPHERE, .size = {radius}};
  const cardan__placed a = {.solid = &ball, .X_WS = {cardan__mat3_identity(), c}};
  hull_gap(&a, b, at);
}
