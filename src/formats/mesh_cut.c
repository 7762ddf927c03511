// SPDX-License-Identifier: Apache-2.0
#include "formats/mesh_cut.h"

#include <math.h>

#include "spatial/rotation.h"

/* A triangle that a plane crosses leaves a triangle or a quadrangle on each side; where it crosses
 * an edge is computed from its lower end to its upper end, so that triangles with one edge get the
 * same point to the bit. */

static double height(const cardan__cut_plane *plane, cardan_vec3 x, double tol)
{
  const double h = cardan__vec3_dot(plane->normal, x) - plane->offset;
  return fabs(h) <= tol ? 0 : h;
}

static cardan_status add(cardan__triangles *to, const cardan_allocator *allocator, cardan_vec3 a,
                         cardan_vec3 b, cardan_vec3 c)
{
  const cardan_status status =
      cardan__grow_bare(allocator, (void **)&to->tri, &to->capacity, to->n + 1, sizeof *to->tri);
  if (status == CARDAN_OK) {
    to->tri[to->n++] = (cardan__triangle){{a, b, c}};
  }
  return status;
}

static cardan_vec3 crossing(cardan_vec3 a, double ha, cardan_vec3 b, double hb)
{
  const cardan_vec3 low = ha < 0 ? a : b, high = ha < 0 ? b : a;
  const double part = fabs(ha < 0 ? ha : hb) / (fabs(ha) + fabs(hb));
  return cardan__vec3_axpy(part, cardan__vec3_sub(high, low), low);
}

/* The part of a triangle with corners at heights h that is above (sign 1) or below (-1). */
static cardan_status add_part(const cardan__triangle *t, const double h[3], double sign,
                              const cardan_allocator *allocator, cardan__triangles *to)
{
  cardan_vec3 corner[4];
  int n = 0;
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3;
    if (sign * h[i] >= 0) {
      corner[n++] = t->v[i];
    }
    if (h[i] * h[k] < 0) {
      corner[n++] = crossing(t->v[i], h[i], t->v[k], h[k]);
    }
  }
  cardan_status status = CARDAN_OK;
  for (int i = 2; i < n && status == CARDAN_OK; i++) {
    status = add(to, allocator, corner[0], corner[i - 1], corner[i]);
  }
  return status;
}

/* Which side a triangle in the plane belongs to: the one that it is the surface of. */
static int side_of_flat(const cardan__triangle *t, const cardan__cut_plane *plane)
{
  const cardan_vec3 area =
      cardan__vec3_cross(cardan__vec3_sub(t->v[1], t->v[0]), cardan__vec3_sub(t->v[2], t->v[0]));
  return cardan__vec3_dot(area, plane->normal) < 0;
}

cardan_status cardan__triangles_cut(const cardan__triangles *from, const cardan__cut_plane *plane,
                                    double tol, const cardan_allocator *allocator,
                                    cardan__triangles side[2])
{
  cardan_status status = CARDAN_OK;
  side[0] = side[1] = (cardan__triangles){.n = 0};
  for (int i = 0; i < from->n && status == CARDAN_OK; i++) {
    const cardan__triangle *t = &from->tri[i];
    const double h[3] = {height(plane, t->v[0], tol), height(plane, t->v[1], tol),
                         height(plane, t->v[2], tol)};
    const bool below = fmin(h[0], fmin(h[1], h[2]))<0, above = fmax(h[0], fmax(h[1], h[2]))> 0;
    if (below && above) {
      status = add_part(t, h, -1, allocator, &side[0]);
      status = status ? status : add_part(t, h, 1, allocator, &side[1]);
    } else {
      const int which = below ? 0 : above ? 1 : side_of_flat(t, plane);
      status = add(&side[which], allocator, t->v[0], t->v[1], t->v[2]);
    }
  }
  return status;
}

void cardan__triangles_free(const cardan_allocator *allocator, cardan__triangles *triangles)
{
  cardan__resize(allocator, triangles->tri, 0);
  *triangles = (cardan__triangles){.n = 0};
}
