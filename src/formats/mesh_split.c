// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/mesh_split.h"
#include "spatial/hull.h"
#include "spatial/rotation.h"

/* Approximate convex decomposition by planes.
 * The parts of a solid S have the volume of S, so the cut that makes the sum of the volumes of both
 * convex hulls smallest takes off most of what is not S. Of each part the best of some planes is
 * kept: those of the large faces of the mesh, by which a mesh of blocks becomes these blocks, and
 * some across the axes. The part that gains most is cut next; where no cut gains (a ring, before it
 * is cut twice), the one whose surface lies deepest in its hull.
 * A cut is judged by the corners on each side and the places where it crosses edges. */

enum { SAMPLED_FACES = 4096, PLANES = 48, ACROSS = 7, HULL = 64 };
static const double flat = 1e-6;     // [size]: closer than this to a plane is in it
static const double least = 1e-6;    // volume of a part, of all
static const double uneven = 1e-3;   // of two cuts that gain the same: the one through the middle
static const double most_work = 1e7; // points

/* ---- corners and edges ---- */

typedef struct {
  double x[3];
  int at;
} corner_key;

typedef struct {
  cardan_vec3 *corner; // the last ninner of them are inside, without edges
  int (*edge)[2];
  int ncorner, ninner, nedge;
  double *height;      // ncorner: over the plane that is judged
  cardan_vec3 *one;    // room: the points of one side
  unsigned char *side; // ncorner: 1 below, 2 above
} outline;

static bool is_same(const corner_key *a, const corner_key *b)
{
  return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

static int by_place(const void *a, const void *b)
{
  const corner_key *p = a, *q = b;
  for (int k = 0; k < 3; k++) {
    if (p->x[k] != q->x[k]) {
      return p->x[k] < q->x[k] ? -1 : 1;
    }
  }
  return p->at - q->at;
}

/* Numbers of corners that are the same: number (3 n, out); corner: room for 3 n, out. */
static int weld(const cardan__triangles *t, int n, corner_key *key, int *number,
                cardan_vec3 *corner)
{
  int count = 0;
  for (int i = 0; i < 3 * n; i++) {
    const cardan_vec3 v = t->tri[i / 3].v[i % 3];
    key[i] = (corner_key){{v.x, v.y, v.z}, i};
  }
  qsort(key, 3 * (size_t)n, sizeof *key, by_place);
  for (int i = 0; i < 3 * n; i++) {
    if (i == 0 || !is_same(&key[i], &key[i - 1])) {
      corner[count++] = t->tri[key[i].at / 3].v[key[i].at % 3];
    }
    number[key[i].at] = count - 1;
  }
  return count;
}

cardan_vec3 *cardan__part_corners(const cardan__part *part, bool coarse, cardan__arena *arena,
                                  int *n)
{
  const cardan__triangles *t = coarse ? cardan__part_outline(part) : &part->fine;
  const size_t most = 3 * (size_t)t->n, all = most + (size_t)part->ninner;
  cardan_vec3 *corner = cardan__arena_take(arena, all, sizeof *corner);
  corner_key *key = cardan__arena_take(arena, most, sizeof *key);
  int *number = cardan__arena_take(arena, most, sizeof *number);
  if (corner == NULL || key == NULL || number == NULL) {
    return NULL;
  }
  *n = weld(t, t->n, key, number, corner);
  for (int i = 0; i < part->ninner; i++) {
    corner[(*n)++] = part->inner[i];
  }
  return corner;
}

static int by_edge(const void *a, const void *b)
{
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

static bool make_outline(const cardan__part *part, cardan__arena *arena, outline *o)
{
  const cardan__triangles *t = cardan__part_outline(part);
  const size_t n = 3 * (size_t)t->n, all = n + (size_t)part->ninner;
  corner_key *key = cardan__arena_take(arena, n, sizeof *key);
  int *number = cardan__arena_take(arena, n, sizeof *number);
  *o = (outline){.corner = cardan__arena_take(arena, all, sizeof *o->corner),
                 .edge = cardan__arena_take(arena, n, sizeof *o->edge),
                 .height = cardan__arena_take(arena, all, sizeof *o->height),
                 .one = cardan__arena_take(arena, all + n + CARDAN__PART_MEETS, sizeof *o->one),
                 .side = cardan__arena_take(arena, all, sizeof *o->side)};
  if (key == NULL || number == NULL || o->corner == NULL || o->edge == NULL || o->height == NULL ||
      o->one == NULL || o->side == NULL) {
    return false;
  }
  o->ncorner = weld(t, t->n, key, number, o->corner);
  for (int i = 0; i < t->n; i++) {
    for (int k = 0; k < 3; k++) {
      const int a = number[3 * i + k], b = number[3 * i + (k + 1) % 3];
      o->edge[3 * i + k][0] = a < b ? a : b;
      o->edge[3 * i + k][1] = a < b ? b : a;
    }
  }
  qsort(o->edge, n, sizeof *o->edge, by_edge);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || by_edge(o->edge[i], o->edge[i - 1]) != 0) {
      memmove(o->edge[o->nedge++], o->edge[i], sizeof *o->edge);
    }
  }
  o->ninner = part->ninner;
  for (int i = 0; i < part->ninner; i++) {
    o->corner[o->ncorner++] = part->inner[i];
  }
  return true;
}

/* ---- one cut ---- */

/* Heights of the corners; a corner in the plane is on the sides to which edges lead from it. */
static void measure(outline *o, const cardan__cut_plane *plane, double tol)
{
  for (int i = 0; i < o->ncorner; i++) {
    const double h = cardan__vec3_dot(plane->normal, o->corner[i]) - plane->offset;
    o->height[i] = fabs(h) <= tol ? 0 : h;
    o->side[i] = o->height[i] < 0 ? 1 : o->height[i] > 0 ? 2 : i < o->ncorner - o->ninner ? 0 : 3;
  }
  for (int e = 0; e < o->nedge; e++) {
    const int a = o->edge[e][0], b = o->edge[e][1];
    o->side[a] |= o->height[a] == 0 && o->height[b] != 0 ? (o->height[b] < 0 ? 1 : 2) : 0;
    o->side[b] |= o->height[b] == 0 && o->height[a] != 0 ? (o->height[a] < 0 ? 1 : 2) : 0;
  }
}

/* Volume of the hull of one side; meets: corners of both that the cut makes inside. */
static cardan_status side_volume(cardan__split *s, outline *o, int side, const cardan_vec3 *meets,
                                 int nmeets, double *volume)
{
  int n = 0;
  for (int i = 0; i < o->ncorner; i++) {
    if (o->side[i] & side) {
      o->one[n++] = o->corner[i];
    }
  }
  for (int e = 0; e < o->nedge; e++) {
    const int a = o->edge[e][0], b = o->edge[e][1];
    const double ha = o->height[a], hb = o->height[b];
    if (ha * hb < 0) {
      o->one[n++] = cardan__vec3_axpy(ha / (ha - hb), cardan__vec3_sub(o->corner[b], o->corner[a]),
                                      o->corner[a]);
    }
  }
  for (int i = 0; i < nmeets; i++) {
    o->one[n++] = meets[i];
  }
  s->done += n;
  return cardan__hull_points_volume(o->one, n, s->allocator, volume, s->report);
}

/* Compares a plane with the best one of a part. */
static cardan_status judge_plane(cardan__split *s, cardan__part *part, outline *o,
                                 const cardan__cut_plane *plane)
{
  cardan_vec3 meets[CARDAN__PART_MEETS];
  double v[2] = {0, 0};
  int sides = 0;
  measure(o, plane, flat * s->size);
  for (int i = 0; i < o->ncorner && sides != 3; i++) {
    sides |= o->side[i];
  }
  if (sides != 3) {
    return CARDAN_OK;
  }
  const int nmeets = cardan__part_meets(s, part, plane, flat * s->size, meets, CARDAN__PART_MEETS);
  for (int side = 1; side <= 2; side++) {
    const cardan_status status = side_volume(s, o, side, meets, nmeets, &v[side - 1]);
    if (status != CARDAN_OK || !(v[side - 1] > least * s->whole)) {
      return status;
    }
  }
  const double cost = v[0] + v[1] + uneven * fabs(v[0] - v[1]);
  if (part->gain < 0 || cost < part->cost) {
    part->cost = cost;
    part->gain = fmax(0, part->volume - v[0] - v[1]);
    part->cut = *plane;
  }
  return CARDAN_OK;
}

static void box_of(const cardan__triangles *t, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) {
    low[k] = HUGE_VAL;
    high[k] = -HUGE_VAL;
  }
  for (int i = 0; i < 3 * t->n; i++) {
    const cardan_vec3 v = t->tri[i / 3].v[i % 3];
    const double x[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], x[k]);
      high[k] = fmax(high[k], x[k]);
    }
  }
}

/* Finds the best cut of a part. */
static cardan_status judge(cardan__split *s, cardan__part *part)
{
  const cardan__triangles *t = cardan__part_outline(part);
  cardan_status status = CARDAN_OK;
  cardan__arena arena;
  outline o;
  double low[3], high[3];
  part->judged = true;
  part->gain = -1;
  cardan__arena_init(&arena, s->allocator);
  if (!make_outline(part, &arena, &o)) {
    status = CARDAN_ERR_MEMORY;
  }
  for (int i = 0; i < s->nplane && status == CARDAN_OK; i++) {
    status = judge_plane(s, part, &o, &s->plane[i]);
  }
  box_of(t, low, high);
  for (int i = 0; i < 3 * ACROSS && status == CARDAN_OK; i++) {
    const int k = i / ACROSS;
    const double part_of = (i % ACROSS + 1.0) / (ACROSS + 1);
    const cardan__cut_plane plane = {.normal = cardan__vec3(k == 0, k == 1, k == 2),
                                     .offset = low[k] + part_of * (high[k] - low[k])};
    status = judge_plane(s, part, &o, &plane);
  }
  cardan__arena_free(&arena);
  return status;
}

/* ---- planes of the mesh ---- */

typedef struct {
  double area;
  int at;
} large_face;

static int by_area(const void *a, const void *b)
{
  const large_face *x = a, *y = b;
  return x->area != y->area ? (x->area > y->area ? -1 : 1) : x->at - y->at;
}

typedef struct {
  cardan__cut_plane plane;
  double area;
  int at;
} found_plane;

static int by_plane(const void *a, const void *b)
{
  const found_plane *x = a, *y = b;
  return x->area != y->area ? (x->area > y->area ? -1 : 1) : x->at - y->at;
}

/* Adds the plane of a triangle to those found. */
static void count_plane(const cardan__split *s, const cardan__triangle *t, double area,
                        found_plane *found, int *n)
{
  const cardan_vec3 normal =
      cardan__vec3_scale(0.5 / area, cardan__vec3_cross(cardan__vec3_sub(t->v[1], t->v[0]),
                                                        cardan__vec3_sub(t->v[2], t->v[0])));
  const double offset = cardan__vec3_dot(normal, t->v[0]);
  for (int i = 0; i < *n; i++) {
    const double along = cardan__vec3_dot(normal, found[i].plane.normal);
    const double sign = along < 0 ? -1 : 1;
    const cardan_vec3 off = cardan__vec3_axpy(-sign, found[i].plane.normal, normal);
    if (cardan__vec3_norm(off) < 1e-4 &&
        fabs(offset - sign * found[i].plane.offset) < 10 * flat * s->size) {
      found[i].area += area;
      return;
    }
  }
  if (*n < SAMPLED_FACES) {
    found[*n] = (found_plane){{normal, offset}, area, *n};
    (*n)++;
  }
}

/* The planes of the largest faces. */
static cardan_status find_planes(cardan__split *s, cardan__arena *arena)
{
  const cardan__triangles *t = &s->part[0].fine;
  large_face *face = cardan__arena_take(arena, (size_t)t->n, sizeof *face);
  found_plane *found = cardan__arena_take(arena, SAMPLED_FACES, sizeof *found);
  int n = 0;
  s->plane = cardan__arena_take(arena, PLANES, sizeof *s->plane);
  if (face == NULL || found == NULL || s->plane == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (int i = 0; i < t->n; i++) {
    const cardan_vec3 *v = t->tri[i].v;
    const double twice = cardan__vec3_norm(
        cardan__vec3_cross(cardan__vec3_sub(v[1], v[0]), cardan__vec3_sub(v[2], v[0])));
    face[i] = (large_face){0.5 * twice, i};
  }
  qsort(face, (size_t)t->n, sizeof *face, by_area);
  for (int i = 0; i < t->n && i < SAMPLED_FACES; i++) {
    if (face[i].area > 1e-8 * s->size * s->size) {
      count_plane(s, &t->tri[face[i].at], face[i].area, found, &n);
    }
  }
  qsort(found, (size_t)n, sizeof *found, by_plane);
  for (int i = 0; i < n && i < PLANES; i++) {
    s->plane[s->nplane++] = found[i].plane;
  }
  return CARDAN_OK;
}

/* ---- depth ---- */

double cardan__triangles_depth(const cardan__triangles *triangles, const cardan_hull *hull)
{
  // the depth is concave over a triangle: 0 at its centre means 0 everywhere
  const bool centres = triangles->n > 20000;
  double depth = 0;
  for (int i = 0; i < triangles->n; i++) {
    const cardan_vec3 *v = triangles->tri[i].v;
    const cardan_vec3 sum = cardan__vec3_add(v[0], cardan__vec3_add(v[1], v[2]));
    depth = fmax(depth, cardan__hull_depth(hull, cardan__vec3_scale(1.0 / 3, sum)));
    for (int k = 0; k < 3 && !centres; k++) {
      const cardan_vec3 middle = cardan__vec3_scale(0.5, cardan__vec3_add(v[k], v[(k + 1) % 3]));
      depth = fmax(depth, cardan__hull_depth(hull, v[k]));
      depth = fmax(depth, cardan__hull_depth(hull, middle));
    }
  }
  return depth;
}

/* Volume of a part's hull, and the depth in it. */
static cardan_status measure_part(cardan__split *s, cardan__part *part)
{
  const cardan__triangles *t = cardan__part_outline(part);
  cardan__arena arena;
  cardan_hull hull;
  cardan__hull_loss loss;
  int n;
  cardan__arena_init(&arena, s->allocator);
  const cardan_vec3 *corner = cardan__part_corners(part, true, &arena, &n);
  cardan_status status = corner != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  part->volume = part->depth = 0;
  if (status == CARDAN_OK) {
    status = cardan__hull_points_volume(corner, n, s->allocator, &part->volume, s->report);
  }
  if (status == CARDAN_OK && part->volume > 0) {
    status = cardan__hull_thin(corner, n, HULL, &arena, &hull, &loss, s->report);
    part->depth = status == CARDAN_OK ? cardan__triangles_depth(t, &hull) : 0;
  }
  cardan__arena_free(&arena);
  return status == CARDAN_ERR_MODEL ? CARDAN_OK : status;
}

/* ---- parts ---- */

static void free_part(const cardan__split *s, cardan__part *part)
{
  cardan__triangles_free(s->allocator, &part->fine);
  cardan__triangles_free(s->allocator, &part->coarse);
}

void cardan__split_free(cardan__split *split)
{
  for (int i = 0; i < split->npart; i++) {
    free_part(split, &split->part[i]);
  }
  split->npart = 0;
}

/* Replaces a part by both sides of its cut. */
static cardan_status cut_part(cardan__split *s, int which)
{
  const cardan__part from = s->part[which];
  cardan__part to[2] = {{.volume = 0}, {.volume = 0}};
  cardan__triangles fine[2], coarse[2] = {{.n = 0}, {.n = 0}};
  const double tol = flat * s->size;
  cardan_status status = cardan__triangles_cut(&from.fine, &from.cut, tol, s->allocator, fine);
  status = status ? status : cardan__part_bound(s, &from, tol, to);
  if (status == CARDAN_OK && from.coarse.n > 0) {
    status = cardan__triangles_cut(&from.coarse, &from.cut, tol, s->allocator, coarse);
  }
  for (int i = 0; i < 2; i++) {
    to[i].fine = fine[i];
    to[i].coarse = coarse[i];
    status = status ? status : measure_part(s, &to[i]);
  }
  if (status != CARDAN_OK || fine[0].n == 0 || fine[1].n == 0) {
    free_part(s, &to[0]);
    free_part(s, &to[1]);
    s->part[which].gain = -1; // it stays whole
    return status;
  }
  free_part(s, &s->part[which]);
  s->part[which] = to[0];
  s->part[s->npart++] = to[1];
  return CARDAN_OK;
}

/* The part to cut next, -1: none. */
static int next_part(const cardan__split *s)
{
  int best = -1, deepest = -1;
  for (int i = 0; i < s->npart; i++) {
    const cardan__part *p = &s->part[i];
    if (p->depth > s->depth && p->gain >= 0) {
      best = best < 0 || p->gain > s->part[best].gain ? i : best;
      deepest = deepest < 0 || p->depth > s->part[deepest].depth ? i : deepest;
    }
  }
  return best >= 0 && s->part[best].gain > CARDAN__SPLIT_SAME * s->whole ? best : deepest;
}

/* Triangles that say what is inside: the part that is cut first has them no longer. */
static cardan_status copy_outline(cardan__split *s)
{
  const cardan__triangles *t = cardan__part_outline(&s->part[0]);
  s->outline.n = t->n;
  s->outline.tri = cardan__arena_take(s->arena, (size_t)t->n, sizeof *t->tri);
  if (s->outline.tri == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memcpy(s->outline.tri, t->tri, (size_t)t->n * sizeof *t->tri);
  return CARDAN_OK;
}

cardan_status cardan__split_run(cardan__split *split, int most)
{
  cardan__arena arena;
  cardan__arena_init(&arena, split->allocator);
  cardan_status status = copy_outline(split);
  status = status ? status : find_planes(split, &arena);
  status = status ? status : measure_part(split, &split->part[0]);
  split->whole = split->part[0].volume;
  while (status == CARDAN_OK && split->npart < most && split->done < most_work) {
    for (int i = 0; i < split->npart && status == CARDAN_OK; i++) {
      cardan__part *part = &split->part[i];
      if (part->depth > split->depth && !part->judged) {
        status = judge(split, part);
      }
    }
    const int next = status == CARDAN_OK ? next_part(split) : -1;
    if (next < 0) {
      break;
    }
    status = cut_part(split, next);
  }
  split->plane = NULL;
  split->nplane = 0;
  cardan__arena_free(&arena);
  return status;
}
