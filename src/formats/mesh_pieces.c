// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/mesh_split.h"
#include "spatial/hull.h"
#include "spatial/rotation.h"

/* From a mesh to its convex pieces: the criterion, the hulls of the pieces, what differs. */

typedef struct {
  const cardan__mesh *mesh;
  double factor[3];
  cardan__convex want;
  cardan__split split;
  int piece[CARDAN__PARTS]; // of each part
  cardan__arena *arena, *temporary;
  cardan_report *report;
} job;

static cardan_status no_memory(const job *j)
{
  return cardan_fail(j->report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                     "there is not enough memory for this mesh");
}

/* ---- triangles ---- */

/* Faces as triangles; turned: in the other order. */
static cardan_status take_faces(const job *j, const cardan_vec3 *vertex, const int (*face)[3],
                                int nface, const double factor[3], bool turned,
                                cardan__triangles *out)
{
  const cardan_status status = cardan__grow_bare(j->split.allocator, (void **)&out->tri,
                                                 &out->capacity, nface, sizeof *out->tri);
  for (int i = 0; i < nface && status == CARDAN_OK; i++) {
    for (int k = 0; k < 3; k++) {
      const cardan_vec3 x = vertex[face[i][turned && k > 0 ? 3 - k : k]];
      out->tri[i].v[k] = cardan__vec3(factor[0] * x.x, factor[1] * x.y, factor[2] * x.z);
    }
  }
  out->n = status == CARDAN_OK ? nface : 0;
  return status;
}

/* Six times what triangles enclose: negative when they look inwards. */
static double signed_volume(const cardan__triangles *t)
{
  double sum = 0;
  const cardan_vec3 o = t->tri[0].v[0];
  for (int i = 0; i < t->n; i++) {
    const cardan_vec3 a = cardan__vec3_sub(t->tri[i].v[0], o),
                      b = cardan__vec3_sub(t->tri[i].v[1], o);
    sum += cardan__vec3_dot(a, cardan__vec3_cross(b, cardan__vec3_sub(t->tri[i].v[2], o)));
  }
  return sum;
}

static void flip_triangles(cardan__triangles *t)
{
  for (int i = 0; i < t->n; i++) {
    const cardan_vec3 v = t->tri[i].v[1];
    t->tri[i].v[1] = t->tri[i].v[2];
    t->tri[i].v[2] = v;
  }
}

/* Triangles that cuts are chosen by, of a mesh that has too many. */
static cardan_status take_coarse(job *j)
{
  cardan__part *part = &j->split.part[0];
  cardan_mesh *thin;
  if (j->mesh->nface <= CARDAN__SPLIT_FACES) {
    return CARDAN_OK;
  }
  cardan_status status =
      cardan__mesh_thin(j->mesh, CARDAN__SPLIT_FACES, j->temporary, j->split.allocator, &thin);
  if (status == CARDAN_OK) {
    status = take_faces(j, thin->vertex, (const int(*)[3])thin->face, thin->nface, j->factor, false,
                        &part->coarse);
    cardan_mesh_destroy(thin);
  }
  return status;
}

static cardan_status take_triangles(job *j)
{
  cardan__part *part = &j->split.part[0];
  j->split.npart = 1;
  cardan_status status = take_faces(j, j->mesh->vertex, (const int(*)[3])j->mesh->face,
                                    j->mesh->nface, j->factor, false, &part->fine);
  status = status ? status : take_coarse(j);
  if (status == CARDAN_OK && signed_volume(&part->fine) < 0) {
    flip_triangles(&part->fine);
    flip_triangles(&part->coarse);
  }
  return status == CARDAN_OK ? CARDAN_OK : no_memory(j);
}

/* ---- pieces ---- */

/* Corners of all parts of a piece, n of them, in temporary memory; NULL: no memory. */
static cardan_vec3 *gather_corners(const job *j, int piece, int *n)
{
  cardan_vec3 *all = NULL;
  int room = 0;
  *n = 0;
  for (int i = 0; i < j->split.npart; i++) {
    int count;
    if (j->piece[i] != piece) {
      continue;
    }
    const cardan_vec3 *corner =
        cardan__part_corners(&j->split.part[i], false, j->temporary, &count);
    if (corner == NULL || cardan__grow_bare(j->split.allocator, (void **)&all, &room, *n + count,
                                            sizeof *all) != CARDAN_OK) {
      cardan__resize(j->split.allocator, all, 0);
      return NULL;
    }
    memcpy(all + *n, corner, (size_t)count * sizeof *all);
    *n += count;
  }
  return all;
}

/* The hull of a piece; returns how far its surface is from the mesh. */
static cardan_status take_piece(job *j, int piece, cardan__mesh_shell *shell, double *depth)
{
  cardan_hull hull;
  cardan__hull_loss loss;
  int n;
  cardan_vec3 *corner = gather_corners(j, piece, &n);
  if (corner == NULL) {
    return no_memory(j);
  }
  const cardan_status status =
      cardan__hull_thin(corner, n, CARDAN__MESH_HULL, j->temporary, &hull, &loss, j->report);
  cardan__resize(j->split.allocator, corner, 0);
  if (status != CARDAN_OK) {
    return status;
  }
  *shell = (cardan__mesh_shell){.npoint = hull.nvertex,
                                .nvertex = loss.nvertex,
                                .depth = loss.depth,
                                .volume = cardan__hull_volume(&hull, NULL)};
  shell->point = cardan__arena_take(j->arena, (size_t)hull.nvertex, sizeof *shell->point);
  if (shell->point == NULL) {
    return no_memory(j);
  }
  memcpy(shell->point, hull.vertex, (size_t)hull.nvertex * sizeof *shell->point);
  *depth = loss.depth;
  for (int i = 0; i < j->split.npart; i++) {
    *depth = j->piece[i] == piece
                 ? fmax(*depth, cardan__triangles_depth(&j->split.part[i].fine, &hull))
                 : *depth;
  }
  return CARDAN_OK;
}

/* The hulls of all pieces. */
static cardan_status take_pieces(job *j, int n, cardan__mesh_pieces *out)
{
  cardan_status status = CARDAN_OK;
  out->piece = cardan__arena_take(j->arena, (size_t)n, sizeof *out->piece);
  out->npiece = n;
  out->depth = 0;
  if (out->piece == NULL) {
    return no_memory(j);
  }
  for (int p = 0; p < n && status == CARDAN_OK; p++) {
    double depth = 0;
    status = take_piece(j, p, &out->piece[p], &depth);
    out->depth = fmax(out->depth, depth > 1e-9 * j->split.size ? depth : 0); // else rounding
  }
  return status;
}

/* ---- the mesh ---- */

/* The largest extent of the triangles. */
static double extent(const cardan__triangles *t)
{
  cardan_vec3 low = t->tri[0].v[0], high = low;
  for (int i = 1; i < 3 * t->n; i++) {
    const cardan_vec3 x = t->tri[i / 3].v[i % 3];
    low = cardan__vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = cardan__vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

/* Its hull, as the only piece. */
static cardan_status take_hull(const job *j, cardan__mesh_pieces *out)
{
  out->piece = cardan__arena_take(j->arena, 1, sizeof *out->piece);
  out->npiece = 1;
  return out->piece == NULL
             ? no_memory(j)
             : cardan__mesh_hull(j->mesh, j->factor, j->arena, out->piece, j->report);
}

static void say_left(const job *j, cardan__mesh_pieces *out)
{
  char depth[CARDAN__NUMBER_SIZE];
  (void)cardan__format_number(depth, out->depth, 3);
  const bool more = out->npiece == j->want.most && j->want.most < CARDAN__CONVEX_MOST;
  if (out->npiece > 1 && out->depth > j->split.depth * (1 + 1e-9)) {
    (void)snprintf(out->note, sizeof out->note,
                   "the %d convex pieces that touch in place of this mesh are up to %s m away from "
                   "its surface%s",
                   out->npiece, depth, more ? "; more pieces come closer" : "");
  }
}

/* Cuts the mesh whose triangles are there, and joins what is convex together. */
static cardan_status decompose(job *j, cardan__mesh_pieces *out)
{
  cardan_status status = take_triangles(j);
  int n = 1;
  if (status != CARDAN_OK) {
    return status;
  }
  j->split.size = extent(&j->split.part[0].fine);
  j->split.depth = j->want.depth > 0 ? j->want.depth : CARDAN__CONVEX_DEPTH * j->split.size;
  status = cardan__split_run(&j->split, 2 * j->want.most);
  status = status ? status : cardan__split_merge(&j->split, j->want.most, j->piece, &n);
  if (status != CARDAN_OK) {
    return status == CARDAN_ERR_MEMORY ? no_memory(j) : status;
  }
  return take_pieces(j, n, out);
}

cardan_status cardan__mesh_decompose(const cardan__mesh *mesh, const double factor[3],
                                     const cardan__convex *convex, cardan__arena *arena,
                                     cardan__mesh_pieces *pieces, cardan_report *report)
{
  cardan__arena temporary;
  job j = {.mesh = mesh, .want = *convex, .arena = arena, .report = report};
  *pieces = (cardan__mesh_pieces){.npiece = 0};
  for (int i = 0; i < 3; i++) {
    j.factor[i] = factor != NULL && factor[i] != 0 ? factor[i] : 1;
  }
  cardan_status status = take_hull(&j, pieces); // what is no solid is refused here
  if (status == CARDAN_OK && pieces->piece->note[0] != '\0') {
    const bool larger = pieces->piece->volume > 1.01 * pieces->piece->filled;
    (void)snprintf(pieces->note, sizeof pieces->note, "%s%s", pieces->piece->note,
                   convex->most <= 1 && larger
                       ? "; convex pieces come closer: (convex n) of a solid, --convex N of a robot"
                       : "");
  }
  if (status != CARDAN_OK) {
    *pieces = (cardan__mesh_pieces){.npiece = 0};
  }
  if (status != CARDAN_OK || convex->most <= 1 || mesh->nface == 0) {
    return status;
  }
  if (mesh->nface > CARDAN__CONVEX_FACES) {
    (void)snprintf(pieces->note, sizeof pieces->note,
                   "this mesh of %d triangles touches by its convex hull: at most %d are cut into "
                   "convex pieces; use a simpler mesh",
                   mesh->nface, (int)CARDAN__CONVEX_FACES);
    return CARDAN_OK;
  }
  const cardan__mesh_pieces hull = *pieces;
  cardan__arena_init(&temporary, &arena->alloc);
  j.temporary = &temporary;
  j.split.allocator = &arena->alloc;
  j.split.arena = &temporary;
  j.split.report = report;
  status = decompose(&j, pieces);
  cardan__split_free(&j.split);
  cardan__arena_free(&temporary);
  if (status == CARDAN_OK && pieces->npiece > 1) {
    pieces->note[0] = '\0';
    say_left(&j, pieces);
  } else if (status == CARDAN_OK || status == CARDAN_ERR_MODEL) {
    const double depth = pieces->depth;
    *pieces = hull;
    pieces->depth = depth;
    status = CARDAN_OK;
  }
  return status;
}
