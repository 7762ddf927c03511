// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "spatial/hull.h"
#include "spatial/rotation.h"

/* Half-spaces to vertices by duality. About a point c inside, the half-space n . (x - c) <= d is
 * the point y = n / d of the dual; the hull of all y has a face N . y <= D for each vertex of the
 * intersection, x = c + N / D (E1). With D moved out to the outermost y, x satisfies every
 * half-space. Half-spaces that do not matter are inside of the dual's hull. */

// of the dual and of the core: only what is coplanar by rounding is one
#define EXACT 1e-11

static cardan_status no_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                     "there is not enough memory for this hull");
}

/* Vertices of n . x <= offset - round for all faces, out: n points of temporary. */
static cardan_status meet_planes(const cardan_hull *hull, cardan_vec3 centre, double round,
                                 cardan__arena *temporary, cardan_vec3 **vertex, int *n,
                                 cardan_report *report)
{
  cardan_hull dual;
  cardan_vec3 *y = cardan__arena_take(temporary, (size_t)hull->nface, sizeof *y);
  if (y == NULL) {
    return no_memory(report);
  }
  for (int f = 0; f < hull->nface; f++) {
    const double d = hull->offset[f] - cardan__vec3_dot(hull->normal[f], centre) - round;
    y[f] = cardan__vec3_scale(1 / d, hull->normal[f]);
  }
  const cardan_status status = cardan__hull_make(y, hull->nface, EXACT, temporary, &dual, report);
  if (status != CARDAN_OK) {
    return status;
  }
  *n = dual.nface;
  *vertex = cardan__arena_take(temporary, (size_t)dual.nface, sizeof **vertex);
  for (int f = 0; f < dual.nface && *vertex != NULL; f++) {
    (*vertex)[f] = cardan__vec3_axpy(1 / dual.offset[f], dual.normal[f], centre); // (E1)
  }
  return *vertex != NULL ? CARDAN_OK : no_memory(report);
}

cardan_status cardan__hull_core(const cardan_hull *hull, double round, cardan__arena *arena,
                                cardan_hull *core, cardan_report *report)
{
  cardan_vec3 centre, *vertex = NULL;
  int n = 0;
  (void)cardan__hull_volume(hull, &centre);
  *core = (cardan_hull){.nvertex = 0};
  const double depth = cardan__hull_depth(hull, centre);
  if (!(round >= 0) || !(round < depth)) {
    return cardan_fail(report, CARDAN_ERR_MODEL, (cardan_pos){0, 0},
                       "the edges of the hull have radius %g, expected 0 to less than %g, the "
                       "distance of its centre from the nearest face",
                       round, depth);
  }
  cardan__arena temporary;
  cardan__arena_init(&temporary, &arena->alloc);
  cardan_status status = meet_planes(hull, centre, round, &temporary, &vertex, &n, report);
  status = status ? status : cardan__hull_make(vertex, n, EXACT, arena, core, report);
  cardan__arena_free(&temporary);
  return status;
}
