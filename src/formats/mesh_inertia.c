// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "formats/mesh.h"
#include "spatial/inertia.h"

/* Inertia of a mesh. A triangle a, b, c and a point o span a tetrahedron; with coordinates from o
 *   V = a . (b x c) / 6,   centre (a + b + c) / 4,
 *   integral of x x^T = V / 20 (s s^T + a a^T + b b^T + c c^T),   s = a + b + c            (E1)
 * Signed volumes of a closed surface add up to what it encloses, whatever o is; it is taken near
 * the middle, against cancellation. Without signs o matters: first the centre of the surface, then
 * the centre of mass which that gives, as MuJoCo does. A triangle of the shell has area A, centre
 * s / 3 and A / 12 in place of V / 20. */

typedef struct {
  double m;
  cardan_vec3 h;  // first moment
  cardan__sym3 P; // second moment
} moments;

static void add_outer(cardan__sym3 *P, double k, cardan_vec3 a)
{
  *P = cardan__sym3_sub_rank1(P, -k, a);
}

/* (E1) of all faces about o. */
static moments sum_faces(const cardan__mesh *mesh, cardan__mesh_matter matter, cardan_vec3 o)
{
  moments sum = {0};
  const bool shell = matter == CARDAN__MESH_SHELL;
  for (int i = 0; i < mesh->nface; i++) {
    const int *f = mesh->face[i];
    const cardan_vec3 a = cardan__vec3_sub(mesh->vertex[f[0]], o);
    const cardan_vec3 b = cardan__vec3_sub(mesh->vertex[f[1]], o);
    const cardan_vec3 c = cardan__vec3_sub(mesh->vertex[f[2]], o);
    const cardan_vec3 s = cardan__vec3_add(a, cardan__vec3_add(b, c));
    const cardan_vec3 n = cardan__vec3_cross(cardan__vec3_sub(b, a), cardan__vec3_sub(c, a));
    double m = shell ? 0.5 * cardan__vec3_norm(n) : cardan__vec3_dot(a, n) / 6;
    m = matter == CARDAN__MESH_OUTWARD ? fabs(m) : m;
    const double k = m / (shell ? 12 : 20);
    sum.m += m;
    sum.h = cardan__vec3_axpy(m / (shell ? 3 : 4), s, sum.h);
    add_outer(&sum.P, k, s);
    add_outer(&sum.P, k, a);
    add_outer(&sum.P, k, b);
    add_outer(&sum.P, k, c);
  }
  return sum;
}

bool cardan__mesh_inertia(const cardan__mesh *mesh, cardan__mesh_matter matter, cardan_inertia *G)
{
  const moments surface = sum_faces(mesh, CARDAN__MESH_SHELL, (cardan_vec3){0, 0, 0});
  if (!(surface.m > 0) || !isfinite(surface.m)) {
    return false;
  }
  cardan_vec3 o = cardan__vec3_scale(1 / surface.m, surface.h);
  moments sum = sum_faces(mesh, matter, o);
  if (matter == CARDAN__MESH_OUTWARD && sum.m > 0) {
    o = cardan__vec3_axpy(1 / sum.m, sum.h, o);
    sum = sum_faces(mesh, matter, o);
    sum.h = (cardan_vec3){0, 0, 0}; // the file puts the centre of mass there
  }
  const double sign = sum.m < 0 ? -1 : 1, m = sign * sum.m;
  const cardan__sym3 P = sum.P;
  const cardan_inertia here = {.m = m,
                               .h = cardan__vec3_scale(sign, sum.h),
                               .xx = sign * (P.yy + P.zz),
                               .yy = sign * (P.xx + P.zz),
                               .zz = sign * (P.xx + P.yy),
                               .xy = -sign * P.xy,
                               .xz = -sign * P.xz,
                               .yz = -sign * P.yz};
  *G = cardan__inertia_shift(o, &here);
  // a volume that is rounding of the surface is none
  return m > 1e-14 * pow(surface.m, matter == CARDAN__MESH_SHELL ? 1 : 1.5) && isfinite(m) &&
         isfinite(G->xx + G->yy + G->zz); // whoever asks how large they are adds them up
}
