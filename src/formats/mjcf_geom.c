// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "formats/mjcf.h"
#include "formats/solid.h"
#include "spatial/twist.h"

/* Sizes, masses and looks of geoms. */

static const char *const kinds[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   "sdf"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Sizes that a kind has, and those that stay where its ends are given; 0: it cannot have ends. */
static const struct {
  int whole, with_ends;
} sizes[KINDS] = {[CARDAN__MJCF_SPHERE] = {1, 0},
                  [CARDAN__MJCF_CAPSULE] = {2, 1},
                  [CARDAN__MJCF_ELLIPSOID] = {3, 1},
                  [CARDAN__MJCF_CYLINDER] = {2, 1},
                  [CARDAN__MJCF_BOX] = {3, 1}};

/* From one point to another: z runs along them, the last size is half their distance. */
static bool read_ends(cardan__mjcf *m, cardan__mjcf_geom *g)
{
  double ends[6];
  if (!cardan__mjcf_values(m, &g->item, "fromto", ends, 6)) {
    return false;
  }
  const cardan_vec3 a = {ends[0], ends[1], ends[2]}, b = {ends[3], ends[4], ends[5]};
  const cardan_vec3 d = cardan__vec3_sub(a, b);
  if (sizes[g->kind].with_ends == 0) {
    cardan__xml_fail(m->spec, g->item.xml,
                     "a %s has no ends; expected fromto only of a capsule, cylinder, ellipsoid or "
                     "box",
                     kinds[g->kind]);
    return false;
  }
  if (!(cardan__vec3_norm(d) > 1e-14)) {
    cardan__xml_fail(m->spec, g->item.xml, "the ends of the geom are one point; expected two");
    return false;
  }
  g->size[1] = sizes[g->kind].whole == 3 ? g->size[0] : g->size[1];
  g->size[sizes[g->kind].whole - 1] = 0.5 * cardan__vec3_norm(d);
  g->pose.p = cardan__vec3_scale(0.5, cardan__vec3_add(a, b));
  g->pose.R = cardan__mat3_z_to(d);
  return true;
}

/* Sizes of a kind that needs some. */
static bool read_sizes(cardan__mjcf *m, cardan__mjcf_geom *g)
{
  const bool ends = cardan__mjcf_get(m, &g->item, "fromto") != NULL;
  const int found = cardan__mjcf_some(m, &g->item, "size", g->size, 3);
  if (found < 0 || (ends && !read_ends(m, g))) {
    return false;
  }
  const int need = ends ? sizes[g->kind].with_ends : sizes[g->kind].whole;
  if (cardan__mjcf_get(m, &g->item, "mesh") != NULL && g->kind != CARDAN__MJCF_MESH) {
    return true; // fitted to a mesh
  }
  for (int i = 0; i < need; i++) {
    if (i >= found || !(g->size[i] > 0)) {
      cardan__xml_fail(m->spec, g->item.xml, "the %s needs %d size%s above 0", kinds[g->kind], need,
                       need == 1 ? "" : "s");
      return false;
    }
  }
  return true;
}

bool cardan__mjcf_read_geom(cardan__mjcf *m, cardan__mjcf_geom *g)
{
  const int kind = cardan__mjcf_word(m, &g->item, "type", kinds, KINDS, CARDAN__MJCF_SPHERE);
  double group = 0;
  if (kind < 0 || !cardan__mjcf_pose(m, &g->item, &g->pose) ||
      !cardan__mjcf_values(m, &g->item, "group", &group, 1)) {
    return false;
  }
  g->kind = (cardan__mjcf_geom_kind)kind;
  g->group = group > 0 && group < 100 ? (int)group : 0;
  (void)cardan__mjcf_get(m, &g->item, "hfield");
  return read_sizes(m, g) && cardan__mjcf_read_touch(m, g);
}

/* ---- inertia ---- */

/* Of unit density, about the middle; plane and hfield are without mass. */
static cardan_inertia solid(const cardan__mjcf_geom *g)
{
  switch (g->kind) {
  case CARDAN__MJCF_SPHERE:
    return cardan__solid_ellipsoid((double[3]){g->size[0], g->size[0], g->size[0]});
  case CARDAN__MJCF_ELLIPSOID:
    return cardan__solid_ellipsoid(g->size);
  case CARDAN__MJCF_CAPSULE:
  case CARDAN__MJCF_CYLINDER:
    return cardan__solid_bar(g->size[0], g->size[1], g->kind == CARDAN__MJCF_CAPSULE);
  case CARDAN__MJCF_BOX:
    return cardan__solid_box(g->size);
  default:
    return (cardan_inertia){.m = 0};
  }
}

bool cardan__mjcf_geom_inertia(cardan__mjcf *m, const cardan__mjcf_geom *g, cardan_inertia *G)
{
  static const char *const words[] = {"false", "true"};
  double mass = -1, density = 1000;
  const int shell = cardan__mjcf_word(m, &g->item, "shellinertia", words, 2, 0);
  *G = (cardan_inertia){.m = 0};
  if (shell < 0 || !cardan__mjcf_values(m, &g->item, "mass", &mass, 1) ||
      !cardan__mjcf_values(m, &g->item, "density", &density, 1)) {
    return false;
  }
  const bool given = cardan__mjcf_get(m, &g->item, "mass") != NULL;
  if ((given && !(mass >= 0)) || !(density >= 0)) {
    cardan__xml_fail(m->spec, g->item.xml, "found a %s of %g; expected none below 0",
                     given && !(mass >= 0) ? "mass" : "density",
                     given && !(mass >= 0) ? mass : density);
    return false;
  }
  if (g->kind <= CARDAN__MJCF_HFIELD || (given ? mass : density) == 0) {
    return true;
  }
  const bool mesh = g->kind == CARDAN__MJCF_MESH;
  if (!mesh && (shell == 1 || g->kind == CARDAN__MJCF_SDF ||
                cardan__mjcf_get(m, &g->item, "mesh") != NULL)) {
    cardan__xml_fail(m->spec, g->item.xml,
                     "the mass of a %s%s is not known here; expected <inertial> in its body, or "
                     "mass 0",
                     kinds[g->kind],
                     shell == 1                    ? " as a shell"
                     : g->kind == CARDAN__MJCF_SDF ? ""
                                                   : " fitted to a mesh");
    return false;
  }
  if (!mesh) {
    *G = solid(g);
  } else if (!cardan__mjcf_mesh_inertia(m, &g->item, shell == 1, G)) {
    return false;
  }
  const double k = given ? mass / G->m : density;
  *G = (cardan_inertia){
      k * G->m, cardan__vec3_scale(k, G->h), k * G->xx, k * G->yy, k * G->zz, k * G->xy, k * G->xz,
      k * G->yz};
  return true;
}

/* ---- looks ---- */

bool cardan__mjcf_read_materials(cardan__mjcf *m)
{
  for (cardan__xml *a = cardan__xml_child(m->root, "asset"); a; a = cardan__xml_next(a, "asset")) {
    for (cardan__xml *e = cardan__xml_child(a, "material"); e;
         e = cardan__xml_next(e, "material")) {
      const char *name = cardan__xml_get(e, "name");
      if (name == NULL) {
        continue;
      }
      if (!cardan__mjcf_grow(m, (void **)&m->material, &m->room.material, m->n.material,
                             sizeof(cardan__xml *)) ||
          !cardan__spec_memory(m->spec, cardan__names_set(&m->materials, name, m->n.material))) {
        return false;
      }
      m->material[m->n.material++] = e;
    }
  }
  return true;
}

/* The colour of a geom: its own, else that of its material; false: it has none, or is not seen. */
static bool color_of(cardan__mjcf *m, const cardan__mjcf_geom *g, char text[8], bool *seen)
{
  double rgba[4] = {0.5, 0.5, 0.5, 1};
  const char *own = cardan__mjcf_get(m, &g->item, "rgba");
  const char *material = cardan__mjcf_get(m, &g->item, "material");
  bool any = own != NULL;
  if (!cardan__mjcf_values(m, &g->item, "rgba", rgba, 4)) {
    return false;
  }
  const int found = material && !own ? cardan__names_get(&m->materials, material) : -1;
  if (found >= 0) {
    cardan__mjcf_item item;
    if (!cardan__mjcf_open(m, m->material[found], NULL, 0, &item) ||
        !cardan__mjcf_values(m, &item, "rgba", rgba, 4)) {
      return false;
    }
    any = cardan__mjcf_get(m, &item, "rgba") != NULL;
  }
  *seen = rgba[3] > 0;
  cardan__xml_color(rgba, text);
  return any;
}

static bool shape_of(const cardan__mjcf_geom *g, cardan_shape *shape)
{
  const double a = g->size[0], b = g->size[1], c = g->size[2];
  switch (g->kind) {
  case CARDAN__MJCF_SPHERE:
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_SPHERE, .size = {a}};
    return a > 0;
  case CARDAN__MJCF_CAPSULE:
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_CAPSULE, .size = {a, 2 * b}};
    return a > 0 && b > 0;
  case CARDAN__MJCF_CYLINDER:
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_CYLINDER, .size = {a, 2 * b}};
    return a > 0 && b > 0;
  case CARDAN__MJCF_ELLIPSOID:
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_ELLIPSOID, .size = {a, b, c}};
    return a > 0 && b > 0 && c > 0;
  case CARDAN__MJCF_BOX:
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_BOX, .size = {2 * a, 2 * b, 2 * c}};
    return a > 0 && b > 0 && c > 0;
  default:
    return false;
  }
}

/* Is a geom a solid here? Those that should be and cannot are noted. */
static bool is_solid(cardan__mjcf *m, const cardan__mjcf_geom *g, bool shaped)
{
  if (!g->touch.solid || m->off_contact) {
    return false;
  }
  const bool can = shaped || g->kind == CARDAN__MJCF_PLANE || g->kind == CARDAN__MJCF_MESH ||
                   g->kind == CARDAN__MJCF_HFIELD;
  m->unlike = !can && m->unlike == NULL ? g->item.xml : m->unlike;
  return can;
}

/* A geom in a frame of its own, as a solid or a shape: colours belong to frames. */
static void put_geom(cardan__mjcf *m, cardan__mjcf_geom *g, bool hidden)
{
  cardan_shape shape = {.kind = CARDAN_SHAPE_PLANE};
  char color[8];
  bool seen = true;
  const bool colored = color_of(m, g, color, &seen), shaped = shape_of(g, &shape);
  const bool solid = is_solid(m, g, shaped);
  shape.hidden = solid && (!seen || hidden);
  if (m->spec->status != CARDAN_OK || (!solid && (!seen || hidden || !shaped))) {
    return;
  }
  cardan__xml_at(m->spec, g->item.xml);
  if (solid && g->kind == CARDAN__MJCF_MESH && cardan__mjcf_mesh_pieces(m, &g->item) == NULL) {
    return;
  }
  const int at = cardan_spec_place(m->spec, m->body[g->body].frame, &g->pose);
  if (!solid) {
    cardan_spec_shape(m->spec, at, &shape);
  } else if (!cardan__mjcf_solid(m, g, &shape, at)) {
    return;
  }
  if (colored) {
    cardan_spec_color(m->spec, at, color);
  }
}

/* Groups from 3 on are hidden where there are others: there stand the shapes of contacts. */
void cardan__mjcf_draw(cardan__mjcf *m, int body)
{
  const cardan__mjcf_body *b = &m->body[body];
  bool shown = false;
  for (int i = b->geom; i < b->geom + b->ngeom; i++) {
    const cardan__mjcf_geom *g = &m->geom[i];
    cardan_shape shape;
    shown = shown || (g->group < 3 && shape_of(g, &shape));
    if (g->kind >= CARDAN__MJCF_MESH && m->undrawn == NULL && !g->touch.solid) {
      m->undrawn = g->item.xml;
    }
  }
  for (int i = b->geom; i < b->geom + b->ngeom && m->spec->status == CARDAN_OK; i++) {
    put_geom(m, &m->geom[i], shown && m->geom[i].group >= 3);
  }
}
