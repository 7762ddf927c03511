// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/mesh.h"
#include "formats/mjcf.h"
#include "formats/pieces_cache.h"

/* Meshes of <asset>, opened only where a mass comes from one, or it touches. Vertices are moved by
 * -refpos, turned by refquat the other way round, scaled; the geom's frame is that of the numbers
 * so made. */

/* ---- the list ---- */

const char *cardan__mjcf_stem(cardan__mjcf *m, const char *file)
{
  const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
  const char *dot = strrchr(name, '.');
  return cardan__mjcf_join(m, name, dot != NULL ? (size_t)(dot - name) : strlen(name), "");
}

static bool add_mesh(cardan__mjcf *m, cardan__xml *xml)
{
  const char *file = cardan__xml_get(xml, "file");
  cardan__mjcf_mesh mesh = {.name = cardan__xml_get(xml, "name")};
  if (mesh.name == NULL && file != NULL) {
    mesh.name = cardan__mjcf_stem(m, file);
  }
  if (mesh.name == NULL && m->spec->status == CARDAN_OK) {
    cardan__xml_fail(m->spec, xml, "found <mesh> without \"name\" and \"file\"; expected one");
  }
  if (m->spec->status != CARDAN_OK || !cardan__mjcf_open(m, xml, NULL, 0, &mesh.item) ||
      !cardan__mjcf_grow(m, (void **)&m->mesh, &m->room.mesh, m->n.mesh, sizeof *m->mesh)) {
    return false;
  }
  cardan__xml_skip(xml); // what is not requested concerns looks
  m->mesh[m->n.mesh] = mesh;
  return cardan__mjcf_enter(m, xml, "mesh", &m->meshes, mesh.name, m->n.mesh++);
}

bool cardan__mjcf_read_meshes(cardan__mjcf *m)
{
  bool ok = true;
  for (cardan__xml *a = cardan__xml_child(m->root, "asset"); a && ok;
       a = cardan__xml_next(a, "asset")) {
    for (cardan__xml *e = cardan__xml_child(a, "mesh"); e && ok; e = cardan__xml_next(e, "mesh")) {
      ok = add_mesh(m, e);
    }
  }
  return ok;
}

/* ---- one of them ---- */

const char *cardan__mjcf_mesh_path(cardan__mjcf *m, cardan__xml *mesh, const char *file)
{
  const char *slash = strrchr(file, '/'), *name = m->strip_path && slash != NULL ? slash + 1 : file;
  const char *own = cardan__xml_get(mesh, "meshdir"); // of a model that was attached
  const char *dir = own != NULL ? own : m->mesh_dir;
  if (dir == NULL || dir[0] == '\0' || name[0] == '/' || strstr(name, "://") != NULL) {
    return name;
  }
  const size_t n = strlen(dir);
  const char *between = cardan__mjcf_join(m, dir, n, dir[n - 1] == '/' ? "" : "/");
  return between != NULL ? cardan__mjcf_join(m, between, strlen(between), name) : NULL;
}

/* needed: it cannot be done without, and what is wrong is an error; else a note. */
static bool read_file(cardan__mjcf *m, const cardan__mjcf_mesh *mesh, const char *file, bool needed,
                      cardan__mesh *out)
{
  const char *path = cardan__mjcf_mesh_path(m, mesh->item.xml, file);
  cardan_report report = {.message = ""};
  char *data;
  size_t size;
  cardan__xml_at(m->spec, mesh->item.xml);
  if (path == NULL || (needed && !cardan__spec_open(m->spec, path, &data, &size))) {
    return false;
  }
  if (!needed && !cardan__spec_try_open(m->spec, path, &data, &size)) {
    cardan__mesh_remark_add(&m->remarks, CARDAN__MESH_MISSING, mesh->item.xml, path, "");
    return false;
  }
  const cardan_status status = cardan__mesh_read(data, size, path, &m->spec->arena, out, &report);
  cardan__spec_close(m->spec, data);
  if (status == CARDAN_ERR_MEMORY) {
    return cardan__spec_memory(m->spec, status);
  }
  char line[32] = "";
  if (report.pos.line > 0) {
    snprintf(line, sizeof line, " in line %d", report.pos.line);
  }
  if (status != CARDAN_OK && needed) {
    cardan__xml_fail(m->spec, mesh->item.xml, "mesh \"%.100s\"%s: %s", path, line, report.message);
  } else if (status != CARDAN_OK) {
    cardan__mesh_remark_add(&m->remarks, CARDAN__MESH_UNFIT, mesh->item.xml, path, report.message);
  }
  return status == CARDAN_OK;
}

/* All numbers of an attribute, in the arena; NULL: it is not there, or a failure. */
static double *all_numbers(cardan__mjcf *m, const cardan__mjcf_mesh *mesh, const char *attribute,
                           int *n)
{
  const char *text = cardan__mjcf_get(m, &mesh->item, attribute);
  *n = text != NULL ? cardan__xml_numbers(text, NULL, 0) : 0;
  if (text == NULL) {
    return NULL;
  }
  if (*n <= 0 || *n % 3 != 0) {
    cardan__xml_fail(m->spec, mesh->item.xml, "%s of the mesh has not three numbers each",
                     attribute);
    return NULL;
  }
  double *value = cardan__arena_take(&m->spec->arena, (size_t)*n, sizeof *value);
  if (cardan__spec_memory(m->spec, value != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    (void)cardan__xml_numbers(text, value, *n);
  }
  return value;
}

/* vertex and face of the element itself; faces: these have to be there. */
static bool read_inline(cardan__mjcf *m, const cardan__mjcf_mesh *mesh, bool faces,
                        cardan__mesh *out)
{
  int nv, nf;
  const double *v = all_numbers(m, mesh, "vertex", &nv), *f = all_numbers(m, mesh, "face", &nf);
  if (m->spec->status == CARDAN_OK && (v == NULL || (f == NULL && faces))) {
    cardan__xml_fail(m->spec, mesh->item.xml,
                     "the mesh has no file, and not both vertex and face; expected triangles");
  }
  if (m->spec->status != CARDAN_OK || v == NULL) {
    return false;
  }
  out->vertex = cardan__arena_take(&m->spec->arena, (size_t)nv / 3, sizeof *out->vertex);
  out->face = cardan__arena_take(&m->spec->arena, (size_t)nf / 3, sizeof *out->face);
  if (out->vertex == NULL || out->face == NULL) {
    return cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
  }
  out->nvertex = nv / 3;
  out->nface = nf / 3;
  for (int i = 0; i < out->nvertex; i++) {
    out->vertex[i] = (cardan_vec3){v[3 * i], v[3 * i + 1], v[3 * i + 2]};
  }
  for (int i = 0; i < nf && f != NULL; i++) {
    if (!(f[i] >= 0 && f[i] < out->nvertex && floor(f[i]) == f[i])) {
      cardan__xml_fail(m->spec, mesh->item.xml,
                       "a face of the mesh has the vertex %g; expected 0 "
                       "to %d",
                       f[i], out->nvertex - 1);
      return false;
    }
    out->face[i / 3][i % 3] = (int)f[i];
  }
  return true;
}

static bool move_vertices(cardan__mjcf *m, const cardan__mjcf_mesh *mesh, cardan__mesh *out)
{
  double p[3] = {0}, q[4] = {1, 0, 0, 0}, s[3] = {1, 1, 1};
  if (!cardan__mjcf_values(m, &mesh->item, "refpos", p, 3) ||
      !cardan__mjcf_values(m, &mesh->item, "refquat", q, 4) ||
      !cardan__mjcf_values(m, &mesh->item, "scale", s, 3)) {
    return false;
  }
  const cardan_quat turn = {q[0], q[1], q[2], q[3]};
  if (!(cardan__quat_norm(turn) > 1e-14)) {
    cardan__xml_fail(m->spec, mesh->item.xml, "refquat of the mesh has no direction");
    return false;
  }
  const cardan_mat3 R = cardan__quat_to_mat3(cardan__quat_normalize(turn));
  for (int i = 0; i < out->nvertex; i++) {
    const cardan_vec3 v =
        cardan__mat3_tmulv(&R, cardan__vec3_sub(out->vertex[i], (cardan_vec3){p[0], p[1], p[2]}));
    out->vertex[i] = (cardan_vec3){s[0] * v.x, s[1] * v.y, s[2] * v.z};
  }
  return true;
}

/* Its triangles; not needed: a note where there are none, and points alone will do. */
static bool read_triangles(cardan__mjcf *m, const cardan__mjcf_mesh *mesh, bool needed,
                           cardan__mesh *out)
{
  const char *file = cardan__mjcf_get(m, &mesh->item, "file");
  return (file != NULL ? read_file(m, mesh, file, needed, out)
                       : read_inline(m, mesh, needed, out)) &&
         move_vertices(m, mesh, out);
}

/* What the format calls the inertia of a mesh; its hull is not made here. */
static int matter_of(cardan__mjcf *m, const cardan__mjcf_mesh *mesh, bool shell)
{
  static const char *const words[] = {"legacy", "exact", "convex", "shell"};
  const int word = cardan__mjcf_word(m, &mesh->item, "inertia", words, 4, m->exact_mesh ? 1 : 0);
  if (word == 2) {
    cardan__xml_note(m->spec, mesh->item.xml,
                     "the inertia of mesh \"%.60s\" is that of the mesh, not of its convex hull",
                     mesh->name);
  }
  if (word < 0) {
    return -1;
  }
  return shell || word == 3 ? CARDAN__MESH_SHELL
                            : (word == 0 ? CARDAN__MESH_OUTWARD : CARDAN__MESH_SOLID);
}

bool cardan__mjcf_mesh_missing(cardan__mjcf *m, const cardan__mjcf_item *geom)
{
  const char *name = cardan__mjcf_get(m, geom, "mesh");
  const int index = name != NULL ? cardan__names_get(&m->meshes, name) : -1;
  if (index < 0 || m->mesh[index].read[0] || m->mesh[index].read[1]) {
    return false;
  }
  const cardan__mjcf_mesh *mesh = &m->mesh[index];
  const char *file = cardan__mjcf_get(m, &mesh->item, "file");
  const char *path = file != NULL ? cardan__mjcf_mesh_path(m, mesh->item.xml, file) : NULL;
  char *data;
  size_t size;
  if (path == NULL) {
    return false;
  }
  if (cardan__spec_try_open(m->spec, path, &data, &size)) {
    cardan__spec_close(m->spec, data);
    return false;
  }
  return true;
}

bool cardan__mjcf_mesh_inertia(cardan__mjcf *m, const cardan__mjcf_item *geom, bool shell,
                               cardan_inertia *G)
{
  const char *name = cardan__mjcf_get(m, geom, "mesh");
  if (name == NULL) {
    cardan__xml_fail(m->spec, geom->xml,
                     "found a geom of type mesh without \"mesh\"; expected one");
    return false;
  }
  const int index = cardan__mjcf_find(m, geom->xml, "mesh", &m->meshes, name);
  if (index < 0) {
    return false;
  }
  cardan__mjcf_mesh *mesh = &m->mesh[index];
  if (!mesh->read[shell]) {
    cardan__mesh triangles = {.nvertex = 0};
    const int matter = matter_of(m, mesh, shell);
    if (matter < 0 || !read_triangles(m, mesh, true, &triangles)) {
      return false;
    }
    mesh->read[shell] = true;
    if (!cardan__mesh_inertia(&triangles, (cardan__mesh_matter)matter, &mesh->inertia[shell])) {
      cardan__xml_fail(m->spec, mesh->item.xml,
                       "mesh \"%.60s\" encloses nothing, so that it has no "
                       "mass; expected a closed surface",
                       mesh->name);
      return false;
    }
  }
  *G = mesh->inertia[shell];
  return true;
}

const cardan__mesh_pieces *cardan__mjcf_mesh_pieces(cardan__mjcf *m, const cardan__mjcf_item *geom)
{
  const char *name = cardan__mjcf_get(m, geom, "mesh");
  const int index = name != NULL ? cardan__names_get(&m->meshes, name) : -1;
  if (index < 0) {
    cardan__xml_note(m->spec, geom->xml, "there is no mesh \"%.60s\", and the geom touches nothing",
                     name != NULL ? name : "");
    return NULL;
  }
  cardan__mjcf_mesh *mesh = &m->mesh[index];
  cardan__mesh triangles = {.nvertex = 0};
  cardan_report report = {.message = ""};
  if (mesh->wrapped) {
    return mesh->pieces;
  }
  mesh->wrapped = true;
  cardan__mesh_pieces *pieces = cardan__arena_take(&m->spec->arena, 1, sizeof *pieces);
  if (pieces == NULL) {
    cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
    return NULL;
  }
  if (!read_triangles(m, mesh, false, &triangles)) {
    return NULL;
  }
  const cardan_status status = cardan__mesh_decompose_cached(
      m->spec->files, &triangles, NULL, &m->remarks.convex, &m->spec->arena, pieces, &report);
  if (status == CARDAN_ERR_MEMORY) {
    cardan__spec_memory(m->spec, status);
  } else if (status != CARDAN_OK) {
    cardan__mesh_remark_add(&m->remarks, CARDAN__MESH_UNFIT, mesh->item.xml, mesh->name,
                            report.message);
  } else if (pieces->note[0] != '\0') {
    cardan__mesh_remark_add(&m->remarks, CARDAN__MESH_DIFFERS, mesh->item.xml, mesh->name,
                            pieces->note);
  }
  mesh->pieces = status == CARDAN_OK ? pieces : NULL;
  return mesh->pieces;
}
