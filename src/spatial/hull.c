// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // fmemopen
#include "spatial/hull.h"

#include <libqhull_r/libqhull_r.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "spatial/rotation.h"

/* Convex hulls by Qhull.
 * [1] C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The Quickhull algorithm for convex hulls, ACM
 *     Transactions on Mathematical Software 22 (1996) 469-483.
 *
 * Points go in scaled to the unit box, so that its tolerances are parts of the size; facets are
 * returned as sets of points. Corners are put in order by their angle about the facet's normal, the
 * plane is made again from the points as they were given. Only qh_new_qhull, which catches its own
 * jumps, and the calls that give its memory back are used: others may end the program. */

/* What the run is over, and what came out: facets as sets of points. */
typedef struct {
  const cardan_vec3 *point;
  int npoint;
  double flat, size; // tolerance, as part of the size: the largest extent
  double *unit;      // 3 npoint: coordinates in the unit box
  int nface, *first, *corner;
  cardan_vec3 *normal;
  double volume; // in the unit box, where it was requested
  cardan__arena *temporary;
  cardan_report *report;
} building;

typedef struct {
  double angle;
  int corner;
} turn;

static cardan_status no_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                     "there is not enough memory for this hull");
}

static cardan_status flat_points(const building *b)
{
  return cardan_fail(b->report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                     "the %d points of the hull lie in a plane, expected a solid", b->npoint);
}

/* Points to the unit box. */
static cardan_status scale_points(building *b)
{
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  double size = 0;
  if (b->npoint < 4 || b->npoint > CARDAN__HULL_POINTS) {
    return cardan_fail(b->report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                       "the hull has %d points, expected 4 to %d", b->npoint, CARDAN__HULL_POINTS);
  }
  for (int i = 0; i < b->npoint; i++) {
    const double x[3] = {b->point[i].x, b->point[i].y, b->point[i].z};
    for (int k = 0; k < 3; k++) {
      if (!isfinite(x[k])) {
        return cardan_fail(b->report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                           "point %d of the hull is not finite", i + 1);
      }
      low[k] = fmin(low[k], x[k]);
      high[k] = fmax(high[k], x[k]);
      size = fmax(size, high[k] - low[k]);
    }
  }
  if (!(size > 1e-150) || !(size < 1e150)) {
    return cardan_fail(b->report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                       "the points of the hull span %g, expected a length above 1e-150 and below "
                       "1e150",
                       size);
  }
  b->size = size;
  b->unit = cardan__arena_take(b->temporary, (size_t)b->npoint, 3 * sizeof *b->unit);
  for (int i = 0; i < b->npoint && b->unit != NULL; i++) {
    b->unit[3 * i] = (b->point[i].x - low[0]) / size;
    b->unit[3 * i + 1] = (b->point[i].y - low[1]) / size;
    b->unit[3 * i + 2] = (b->point[i].z - low[2]) / size;
  }
  return b->unit != NULL ? CARDAN_OK : no_memory(b->report);
}

/* Facets of a finished hull, out of Qhull's lists. */
static cardan_status take_facets(building *b, qhT *qh)
{
  facetT *facet;
  vertexT *vertex, **vertexp;
  int nface = 0, ncorner = 0;
  FORALLfacets
  {
    nface++;
    FOREACHvertex_(facet->vertices)
    {
      ncorner++;
    }
  }
  b->first = cardan__arena_take(b->temporary, (size_t)nface + 1, sizeof *b->first);
  b->normal = cardan__arena_take(b->temporary, (size_t)nface, sizeof *b->normal);
  b->corner = cardan__arena_take(b->temporary, (size_t)ncorner, sizeof *b->corner);
  if (b->first == NULL || b->normal == NULL || b->corner == NULL) {
    return no_memory(b->report);
  }
  FORALLfacets
  {
    int at = b->first[b->nface];
    FOREACHvertex_(facet->vertices)
    {
      b->corner[at++] = (int)((vertex->point - qh->first_point) / 3);
    }
    b->normal[b->nface++] = (cardan_vec3){facet->normal[0], facet->normal[1], facet->normal[2]};
    b->first[b->nface] = at;
  }
  return b->nface >= 4 ? CARDAN_OK : flat_points(b);
}

/* One run; more: options beside the tolerance. OK only with facets: first is then there. */
static cardan_status run_qhull(building *b, const char *more)
{
  char command[64], said[512] = "";
  qhT qh;
  int short_left = 0, long_left = 0;
  // a whole number of parts in 1e12: no decimal point, which the locale would have a say in
  (void)snprintf(command, sizeof command, "qhull Pp C-%de-12 %s", (int)(b->flat * 1e12), more);
  FILE *log = fmemopen(said, sizeof said, "w");
  if (log == NULL) {
    return no_memory(b->report);
  }
  qh_zero(&qh, log);
  const int code = qh_new_qhull(&qh, 3, b->npoint, b->unit, False, command, NULL, log);
  cardan_status status = CARDAN_OK;
  if (code == qh_ERRmem) {
    status = no_memory(b->report);
  } else if (code == qh_ERRsingular) {
    status = flat_points(b);
  } else if (code != qh_ERRnone) {
    (void)fflush(log);
    status = cardan_fail(b->report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                         "Qhull finds no hull of the %d points: %.200s", b->npoint, said);
  } else {
    status = take_facets(b, &qh);
    b->volume = qh.totvol;
  }
  qh_freeqhull(&qh, False);
  qh_memfreeshort(&qh, &short_left, &long_left);
  (void)fclose(log);
  return status;
}

static int by_angle(const void *a, const void *b)
{
  const turn *x = a, *y = b;
  return x->angle != y->angle ? (x->angle < y->angle ? -1 : 1) : x->corner - y->corner;
}

/* Corners of a facet in order about its normal, the smallest first. */
static void order_corners(const building *b, int face, turn *room)
{
  int *corner = &b->corner[b->first[face]], least = 0;
  const int n = b->first[face + 1] - b->first[face];
  const cardan_vec3 z = b->normal[face];
  const cardan_vec3 side = fabs(z.x) <= fabs(z.y) && fabs(z.x) <= fabs(z.z) ? cardan__vec3(1, 0, 0)
                           : fabs(z.y) <= fabs(z.z)                         ? cardan__vec3(0, 1, 0)
                                                                            : cardan__vec3(0, 0, 1);
  const cardan_vec3 x = cardan__vec3_cross(side, z), y = cardan__vec3_cross(z, x);
  cardan_vec3 middle = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    middle = cardan__vec3_axpy(1.0 / n, b->point[corner[i]], middle);
  }
  for (int i = 0; i < n; i++) {
    const cardan_vec3 r = cardan__vec3_sub(b->point[corner[i]], middle);
    room[i] = (turn){atan2(cardan__vec3_dot(r, y), cardan__vec3_dot(r, x)), corner[i]};
  }
  qsort(room, (size_t)n, sizeof *room, by_angle);
  for (int i = 1; i < n; i++) {
    least = room[i].corner < room[least].corner ? i : least;
  }
  for (int i = 0; i < n; i++) {
    corner[i] = room[(least + i) % n].corner;
  }
}

/* Points that are corners become vertices, in their order; corners their numbers. */
static cardan_status number_vertices(building *b, cardan__arena *arena, cardan_hull *hull)
{
  const int ncorner = b->first[b->nface];
  int *number = cardan__arena_take(b->temporary, (size_t)b->npoint, sizeof *number);
  int *corner = cardan__arena_take(arena, (size_t)ncorner, sizeof *corner);
  if (number == NULL || corner == NULL) {
    return no_memory(b->report);
  }
  for (int i = 0; i < ncorner; i++) {
    number[b->corner[i]] = 1;
  }
  for (int i = 0; i < b->npoint; i++) {
    hull->nvertex += number[i];
  }
  cardan_vec3 *vertex = cardan__arena_take(arena, (size_t)hull->nvertex, sizeof *vertex);
  if (vertex == NULL) {
    return no_memory(b->report);
  }
  for (int i = 0, at = 0; i < b->npoint; i++) {
    if (number[i] > 0) {
      vertex[at] = b->point[i];
      number[i] = at++;
    }
  }
  for (int i = 0; i < ncorner; i++) {
    corner[i] = number[b->corner[i]];
  }
  hull->vertex = vertex;
  hull->corner = corner;
  return CARDAN_OK;
}

/* Sides of the faces: two faces have each, in opposite directions. */
static cardan_status list_edges(building *b, cardan__arena *arena, cardan_hull *hull)
{
  const int ncorner = hull->first[hull->nface];
  int *edge = cardan__arena_take(arena, 2 * (size_t)ncorner, sizeof *edge);
  if (edge == NULL) {
    return no_memory(b->report);
  }
  for (int f = 0; f < hull->nface; f++) {
    const int *corner = &hull->corner[hull->first[f]], n = hull->first[f + 1] - hull->first[f];
    for (int i = 0; i < n; i++) {
      const int u = corner[i], v = corner[(i + 1) % n];
      if (u < v) {
        edge[2 * hull->nedge] = u;
        edge[2 * hull->nedge++ + 1] = v;
      }
    }
  }
  hull->edge = edge;
  return CARDAN_OK;
}

/* Planes of the faces, out to the outermost vertex. */
static cardan_status lay_planes(building *b, cardan__arena *arena, cardan_hull *hull)
{
  cardan_vec3 *normal = cardan__arena_take(arena, (size_t)hull->nface, sizeof *normal);
  double *offset = cardan__arena_take(arena, (size_t)hull->nface, sizeof *offset);
  if (normal == NULL || offset == NULL) {
    return no_memory(b->report);
  }
  for (int f = 0; f < hull->nface; f++) {
    const int *corner = &hull->corner[hull->first[f]], n = hull->first[f + 1] - hull->first[f];
    const cardan_vec3 area = cardan__polygon_area(hull->vertex, corner, n);
    normal[f] = cardan__vec3_norm(area) > 0 ? cardan__vec3_normalize(area) : b->normal[f];
    offset[f] = -HUGE_VAL;
    for (int i = 0; i < hull->nvertex; i++) {
      offset[f] = fmax(offset[f], cardan__vec3_dot(normal[f], hull->vertex[i]));
    }
  }
  hull->normal = normal;
  hull->offset = offset;
  return CARDAN_OK;
}

static cardan_status build(building *b, cardan__arena *arena, cardan_hull *hull)
{
  cardan_status status = scale_points(b);
  status = status ? status : run_qhull(b, "");
  if (status != CARDAN_OK || b->first == NULL) {
    return status;
  }
  const int nface = b->nface;
  turn *room = cardan__arena_take(b->temporary, (size_t)b->first[nface], sizeof *room);
  int *first = cardan__arena_take(arena, (size_t)nface + 1, sizeof *first);
  if (room == NULL || first == NULL) {
    return no_memory(b->report);
  }
  for (int f = 0; f < nface; f++) {
    order_corners(b, f, room);
    first[f + 1] = b->first[f + 1];
  }
  hull->nface = nface;
  hull->first = first;
  status = number_vertices(b, arena, hull);
  status = status ? status : list_edges(b, arena, hull);
  status = status ? status : lay_planes(b, arena, hull);
  return status == CARDAN_OK && !(cardan__hull_width(hull) > b->flat * b->size) ? flat_points(b)
                                                                                : status;
}

cardan_status cardan__hull_make(const cardan_vec3 *point, int n, double flat, cardan__arena *arena,
                                cardan_hull *hull, cardan_report *report)
{
  cardan__arena temporary;
  building b = {point, n, flat, .temporary = &temporary, .report = report};
  *hull = (cardan_hull){.nvertex = 0};
  cardan__arena_init(&temporary, &arena->alloc);
  const cardan_status status = build(&b, arena, hull);
  if (status != CARDAN_OK) {
    *hull = (cardan_hull){.nvertex = 0};
  }
  cardan__arena_free(&temporary);
  return status;
}

/* Points that are corners of the facets, each once, in their order; out: n of them. NULL: no
 * memory. */
static cardan_vec3 *gather_corners(building *b, int *n)
{
  cardan_vec3 *point = cardan__arena_take(b->temporary, (size_t)b->npoint, sizeof *point);
  char *taken = cardan__arena_take(b->temporary, (size_t)b->npoint, 1);
  *n = 0;
  if (point == NULL || taken == NULL) {
    return NULL;
  }
  for (int i = 0; i < b->first[b->nface]; i++) {
    taken[b->corner[i]] = 1;
  }
  for (int i = 0; i < b->npoint; i++) {
    if (taken[i]) {
      point[(*n)++] = b->point[i];
    }
  }
  return point;
}

/* Of these points, those that are corners of what one run finds, out: n in temporary. */
static cardan_status run_corners(building *b, const char *more, cardan_vec3 **point, int *n)
{
  cardan_status status = scale_points(b);
  status = status ? status : run_qhull(b, more);
  if (status != CARDAN_OK || b->first == NULL) {
    return status;
  }
  *point = gather_corners(b, n);
  return *point != NULL ? CARDAN_OK : no_memory(b->report);
}

/* Planes are laid for what is kept alone: for all vertices they would cost their square. */
static cardan_status thin_points(building *all, int most, cardan__arena *arena, cardan_hull *thin,
                                 cardan__hull_loss *loss)
{
  cardan_vec3 *vertex = NULL, *kept;
  char stop[32];
  int n = 0;
  cardan_status status = run_corners(all, "", &vertex, &n);
  if (status != CARDAN_OK) {
    return status;
  }
  loss->nvertex = n;
  kept = vertex;
  if (n > most) {
    building some = {vertex, n, all->flat, .temporary = all->temporary, .report = all->report};
    // Q9: the farthest of all points next; TA: stop after so many beyond the first four
    (void)snprintf(stop, sizeof stop, "Q9 TA%d", most - 4);
    status = run_corners(&some, stop, &kept, &n);
  }
  status = status ? status : cardan__hull_make(kept, n, all->flat, arena, thin, all->report);
  for (int i = 0; i < loss->nvertex && status == CARDAN_OK && kept != vertex; i++) {
    loss->depth = fmax(loss->depth, -cardan__hull_depth(thin, vertex[i]));
  }
  return status;
}

cardan_status cardan__hull_thin(const cardan_vec3 *point, int n, int most, cardan__arena *arena,
                                cardan_hull *thin, cardan__hull_loss *loss, cardan_report *report)
{
  cardan__arena temporary;
  building b = {point, n, CARDAN__HULL_FLAT, .temporary = &temporary, .report = report};
  *thin = (cardan_hull){.nvertex = 0};
  *loss = (cardan__hull_loss){.nvertex = 0};
  cardan__arena_init(&temporary, &arena->alloc);
  const cardan_status status = thin_points(&b, most, arena, thin, loss);
  cardan__arena_free(&temporary);
  return status;
}

cardan_status cardan__hull_points_volume(const cardan_vec3 *point, int n,
                                         const cardan_allocator *allocator, double *volume,
                                         cardan_report *report)
{
  cardan__arena temporary;
  building b = {point, n, CARDAN__HULL_FLAT, .temporary = &temporary, .report = report};
  *volume = 0;
  if (n < 4) {
    return CARDAN_OK;
  }
  cardan__arena_init(&temporary, allocator);
  cardan_status status = scale_points(&b);
  status = status ? status : run_qhull(&b, "FA");
  cardan__arena_free(&temporary);
  if (status == CARDAN_OK) {
    *volume = b.volume * b.size * b.size * b.size;
  }
  return status == CARDAN_ERR_MODEL ? CARDAN_OK : status;
}
