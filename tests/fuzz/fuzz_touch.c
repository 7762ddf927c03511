// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/touch.h"
#include "spatial/hull.h"
#include "spatial/spatial.h"

// Any bytes as two solids, of sizes and at poses over twelve decades, or six where their distance
// is found by iteration: answers are finite, normals unit, no more spots than promised and none
// beyond the margin, none below the gap of a pair of the first kind, all the same the second time.

enum { MOST = 64 };

typedef struct {
  const uint8_t *data;
  size_t left;
  double scale; // of all lengths that were read
  int decades;  // on either side of 1, that lengths are of
} bytes;

static int take(bytes *b)
{
  if (b->left == 0) {
    return 0;
  }
  b->left--;
  return *b->data++;
}

/* Round numbers and their neighbours are as likely as any: of two bytes, one has the exponent. */
static double take_number(bytes *b, int decades)
{
  const int mantissa = take(b), exponent = take(b);
  const double m = (mantissa - 128) / 16.0, nudge = exponent % 5 == 4 ? 1 + 1e-15 * mantissa : 1;
  return m * nudge * pow(10, exponent / 5 % (2 * decades + 1) - decades);
}

static double take_size(bytes *b)
{
  const double size = fabs(take_number(b, b->decades)) + pow(10, -b->decades - 2);
  b->scale = fmax(b->scale, size);
  return size;
}

static cardan_xform take_pose(bytes *b)
{
  cardan_quat q = {take_number(b, 3), take_number(b, 3), take_number(b, 3), take_number(b, 3)};
  cardan_vec3 p = {take_number(b, b->decades), take_number(b, b->decades),
                   take_number(b, b->decades)};
  if (!(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12)) {
    q = (cardan_quat){1, 0, 0, 0};
  }
  b->scale = fmax(b->scale, cardan__vec3_norm(p));
  return cardan__xform_from_quat(cardan__quat_normalize(q), p);
}

static cardan_shape_kind take_kind(bytes *b)
{
  static const cardan_shape_kind kinds[] = {
      CARDAN_SHAPE_POINT,    CARDAN_SHAPE_SPHERE,    CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX,
      CARDAN_SHAPE_CYLINDER, CARDAN_SHAPE_ELLIPSOID, CARDAN_SHAPE_PLANE,   CARDAN_SHAPE_HULL};
  return kinds[take(b) % 8];
}

/* Cylinders, ellipsoids and hulls, but over a plane, have no closed form. */
static bool iterated(cardan_shape_kind a, cardan_shape_kind b)
{
  return (a == CARDAN_SHAPE_CYLINDER || a == CARDAN_SHAPE_ELLIPSOID || a == CARDAN_SHAPE_HULL) &&
         b != CARDAN_SHAPE_PLANE;
}

static cardan_solid take_solid(bytes *b, cardan_shape_kind kind, int body)
{
  cardan_solid s = {.kind = kind, .hull = -1, .body = body, .X_BS = take_pose(b)};
  for (int k = 0; k < 3; k++) {
    s.size[k] = take_size(b);
  }
  s.radius = s.kind == CARDAN_SHAPE_POINT ? 0 : 2 * (s.size[0] + s.size[1] + s.size[2]);
  s.radius = s.kind == CARDAN_SHAPE_PLANE ? HUGE_VAL : s.radius;
  return s;
}

/* A hull of four to twelve points within the solid's sizes; false: these have none. */
static bool take_hull(bytes *b, cardan_solid *s, cardan__arena *arena, cardan_hull hull[2])
{
  cardan_vec3 point[12];
  const int n = 4 + take(b) % 9;
  for (int i = 0; i < n; i++) {
    point[i] =
        cardan__vec3(s->size[0] * (take(b) - 128) / 128.0, s->size[1] * (take(b) - 128) / 128.0,
                     s->size[2] * (take(b) - 128) / 128.0);
  }
  if (cardan__hull_make(point, n, CARDAN__HULL_FLAT, arena, &hull[0], NULL) != CARDAN_OK) {
    return false;
  }
  s->round = 0.01 * cardan__hull_width(&hull[0]);
  return cardan__hull_core(&hull[0], s->round, arena, &hull[1], NULL) == CARDAN_OK;
}

static void require(bool good)
{
  if (!good) {
    abort();
  }
}

static void check_touch(const cardan__touch *at)
{
  require(isfinite(at->gap) && isfinite(at->x.x) && isfinite(at->x.y) && isfinite(at->x.z));
  require(fabs(cardan__vec3_norm(at->n) - 1) < 1e-9);
}

/* tol: rounding of lengths of that scale; below: spots may be below the pair's gap, as points over
 * the plane of a face, but beside the face, are. */
static void check_pair(const cardan_model *model, const cardan_xform *X_W, double margin,
                       double tol, bool below)
{
  cardan__spot spot[MOST], again[MOST];
  cardan__touch at, pair;
  const double gap = cardan__pair_gap(model, 0, X_W, &pair);
  const int most = cardan__pair_most(model, 0);
  const int n = cardan__pair_spots(model, 0, X_W, margin, spot, MOST);
  require(n >= 0 && n <= most && most <= MOST);
  require(n == 0 || cardan__pair_spots(model, 0, X_W, margin, again, n - 1) == -1);
  if (gap < HUGE_VAL) {
    check_touch(&pair);
  }
  memset(again, 0, sizeof again);
  require(cardan__pair_spots(model, 0, X_W, margin, again, MOST) == n);
  for (int i = 0; i < n; i++) {
    require(again[i].id == spot[i].id && again[i].kind == spot[i].kind);
    cardan__spot_look(model, &spot[i], X_W, &at);
    check_touch(&at);
    require(at.gap <= margin + tol);
    require(below || at.gap >= gap - tol - 1.1e-7);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes b = {data, size, 1e-9, 6};
  const cardan_shape_kind kind[2] = {take_kind(&b), take_kind(&b)};
  b.decades = iterated(kind[0], kind[1]) || iterated(kind[1], kind[0]) ? 3 : 6;
  cardan_solid solid[2] = {take_solid(&b, kind[0], 1), take_solid(&b, kind[1], 2)};
  cardan_pair pair = {.solid = {0, 1}};
  cardan_model model = {.nbody = 3, .nsolid = 2, .solid = solid, .npair = 1, .pair = &pair};
  cardan_xform X_W[3] = {cardan__xform_identity(), take_pose(&b), take_pose(&b)};
  const double margin = take_number(&b, b.decades);
  cardan_hull hull[4] = {{0}};
  cardan__arena arena;
  bool good = true;
  cardan__arena_init(&arena, NULL);
  model.hull = hull;
  for (int i = 0; i < 2 && good; i++) {
    if (kind[i] == CARDAN_SHAPE_HULL) {
      solid[i].hull = 2 * i;
      good = take_hull(&b, &solid[i], &arena, &hull[2 * i]);
    }
  }
  if (good) {
    check_pair(&model, X_W, margin, 1e-12 * b.scale, b.decades == 3);
  }
  cardan__arena_free(&arena);
  return 0;
}
