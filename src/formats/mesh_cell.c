// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/mesh_split.h"
#include "spatial/rotation.h"

/* Corners of a part that no triangle has: where three planes meet inside of the mesh.
 * Inside is where the surface is seen around by more than half of all directions: the sum of the
 * solid angles of its triangles over 4 pi, the winding number. It needs no closed surface.
 * [1] A. Van Oosterom, J. Strackee, The solid angle of a plane triangle, IEEE Transactions on
 *     Biomedical Engineering 30 (1983) 125-126, equation 8. */

static double winding(const cardan__triangles *t, cardan_vec3 x)
{
  double sum = 0;
  for (int i = 0; i < t->n; i++) {
    const cardan_vec3 a = cardan__vec3_sub(t->tri[i].v[0], x);
    const cardan_vec3 b = cardan__vec3_sub(t->tri[i].v[1], x);
    const cardan_vec3 c = cardan__vec3_sub(t->tri[i].v[2], x);
    const double la = cardan__vec3_norm(a), lb = cardan__vec3_norm(b), lc = cardan__vec3_norm(c);
    sum += atan2(cardan__vec3_dot(a, cardan__vec3_cross(b, c)),
                 la * lb * lc + cardan__vec3_dot(a, b) * lc + cardan__vec3_dot(b, c) * la +
                     cardan__vec3_dot(c, a) * lb);
  }
  return sum / (2 * acos(-1.0));
}

/* The common point of three planes; false: it is not well defined. */
static bool intersect_planes(const cardan__cut_plane *a, const cardan__cut_plane *b,
                             const cardan__cut_plane *c, cardan_vec3 *x)
{
  const cardan_vec3 bc = cardan__vec3_cross(b->normal, c->normal);
  const cardan_vec3 ca = cardan__vec3_cross(c->normal, a->normal);
  const cardan_vec3 ab = cardan__vec3_cross(a->normal, b->normal);
  const double det = cardan__vec3_dot(a->normal, bc);
  if (!(fabs(det) > 1e-6)) {
    return false;
  }
  *x = cardan__vec3_axpy(
      a->offset / det, bc,
      cardan__vec3_axpy(b->offset / det, ca, cardan__vec3_scale(c->offset / det, ab)));
  return true;
}

int cardan__part_meets(const cardan__split *split, const cardan__part *part,
                       const cardan__cut_plane *plane, double tol, cardan_vec3 *point, int most)
{
  int n = 0;
  for (int i = 0; i < part->nplane; i++) {
    for (int k = 0; k < i && n < most; k++) {
      cardan_vec3 x;
      bool inside = intersect_planes(plane, &part->plane[i], &part->plane[k], &x);
      for (int l = 0; l < part->nplane && inside; l++) {
        inside = cardan__vec3_dot(part->plane[l].normal, x) - part->plane[l].offset <= tol;
      }
      if (inside && winding(&split->outline, x) > 0.5) {
        point[n++] = x;
      }
    }
  }
  return n;
}

cardan_status cardan__part_bound(cardan__split *split, const cardan__part *from, double tol,
                                 cardan__part to[2])
{
  const cardan__cut_plane *cut = &from->cut;
  cardan_vec3 fresh[CARDAN__PART_MEETS];
  const int nfresh = cardan__part_meets(split, from, cut, tol, fresh, CARDAN__PART_MEETS);
  for (int side = 0; side < 2; side++) {
    const double sign = side == 0 ? 1 : -1;
    cardan__part *p = &to[side];
    p->plane = cardan__arena_take(split->arena, (size_t)from->nplane + 1, sizeof *p->plane);
    p->inner =
        cardan__arena_take(split->arena, (size_t)from->ninner + (size_t)nfresh, sizeof *p->inner);
    if (p->plane == NULL || p->inner == NULL) {
      return CARDAN_ERR_MEMORY;
    }
    if (from->nplane > 0) {
      memcpy(p->plane, from->plane, (size_t)from->nplane * sizeof *p->plane);
    }
    p->plane[from->nplane] =
        (cardan__cut_plane){cardan__vec3_scale(sign, cut->normal), sign * cut->offset};
    p->nplane = from->nplane + 1;
    for (int i = 0; i < from->ninner + nfresh; i++) {
      const cardan_vec3 x = i < nfresh ? fresh[i] : from->inner[i - nfresh];
      if (sign * (cardan__vec3_dot(cut->normal, x) - cut->offset) <= tol) {
        p->inner[p->ninner++] = x;
      }
    }
  }
  return CARDAN_OK;
}
