// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "formats/mesh.h"
#include "spatial/hull.h"

/* What differs from the mesh; numbers with a point in any locale. */
static void say_difference(cardan__mesh_shell *shell)
{
  static const char what[] = "the convex hull that touches in place of this mesh";
  char times[CARDAN__NUMBER_SIZE], depth[CARDAN__NUMBER_SIZE];
  const double ratio = shell->filled > 0 ? shell->volume / shell->filled : 1;
  const bool filled = fabs(ratio - 1) > 0.01;
  (void)cardan__format_number(times, ratio, 3);
  (void)cardan__format_number(depth, shell->depth, 3);
  if (shell->depth > 0) {
    (void)snprintf(shell->note, sizeof shell->note,
                   "%s has %d of its %d vertices, which takes off up to %s m%s%s%s", what,
                   shell->npoint, shell->nvertex, depth, filled ? ", and " : "",
                   filled ? times : "", filled ? " times the volume of the mesh" : "");
  } else if (filled) {
    (void)snprintf(shell->note, sizeof shell->note, "%s has %s times its volume", what, times);
  }
}

static cardan_status no_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                     "there is not enough memory for this mesh");
}

/* The hull of points, thinned, into the shell. */
static cardan_status wrap(const cardan_vec3 *point, int n, cardan__arena *arena,
                          cardan__arena *temporary, cardan__mesh_shell *shell,
                          cardan_report *report)
{
  cardan_hull thin;
  cardan__hull_loss loss;
  const cardan_status status =
      cardan__hull_thin(point, n, CARDAN__MESH_HULL, temporary, &thin, &loss, report);
  if (status != CARDAN_OK) {
    return status;
  }
  shell->point = cardan__arena_take(arena, (size_t)thin.nvertex, sizeof *shell->point);
  if (shell->point == NULL) {
    return no_memory(report);
  }
  for (int i = 0; i < thin.nvertex; i++) {
    shell->point[i] = thin.vertex[i];
  }
  shell->npoint = thin.nvertex;
  shell->nvertex = loss.nvertex;
  shell->depth = loss.depth;
  shell->volume = cardan__hull_volume(&thin, NULL);
  return CARDAN_OK;
}

cardan_status cardan__mesh_hull(const cardan__mesh *mesh, const double factor[3],
                                cardan__arena *arena, cardan__mesh_shell *shell,
                                cardan_report *report)
{
  cardan__arena temporary;
  cardan_inertia matter;
  double k[3];
  *shell = (cardan__mesh_shell){.npoint = 0};
  for (int i = 0; i < 3; i++) {
    k[i] = factor != NULL && factor[i] != 0 ? factor[i] : 1;
  }
  cardan__arena_init(&temporary, &arena->alloc);
  cardan_vec3 *point = cardan__arena_take(&temporary, (size_t)mesh->nvertex, sizeof *point);
  for (int i = 0; i < mesh->nvertex && point != NULL; i++) {
    const cardan_vec3 x = mesh->vertex[i];
    point[i] = (cardan_vec3){k[0] * x.x, k[1] * x.y, k[2] * x.z};
  }
  const cardan_status status = point != NULL
                                   ? wrap(point, mesh->nvertex, arena, &temporary, shell, report)
                                   : no_memory(report);
  cardan__arena_free(&temporary);
  if (status == CARDAN_OK) {
    shell->filled = cardan__mesh_inertia(mesh, CARDAN__MESH_SOLID, &matter)
                        ? matter.m * fabs(k[0] * k[1] * k[2])
                        : 0;
    say_difference(shell);
  }
  return status;
}
