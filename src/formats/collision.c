// SPDX-License-Identifier: Apache-2.0
#include "formats/collision.h"
#include "formats/pieces_cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *cardan__collision_material(cardan_spec *spec, const cardan_surface *s)
{
  char text[32];
  int i = 0;
  for (; i < spec->nmaterial; i++) {
    const cardan_surface *old = &spec->material[i].surface;
    if (old->friction == s->friction && old->restitution == s->restitution &&
        old->rolling == s->rolling && old->spinning == s->spinning) {
      return spec->material[i].name;
    }
  }
  snprintf(text, sizeof text, "surface%d", i + 1);
  cardan_spec_material(spec, text, s);
  return spec->status == CARDAN_OK ? spec->material[i].name : NULL;
}

void cardan__mesh_remark_add(cardan__mesh_remarks *remarks, cardan__mesh_remark kind,
                             const cardan__xml *at, const char *file, const char *why)
{
  if (remarks->count[kind]++ == 0) {
    remarks->first[kind] = at;
    snprintf(remarks->text[kind], sizeof remarks->text[kind], "mesh \"%.100s\"%s%.240s", file,
             kind == CARDAN__MESH_MISSING ? " is not there, and touches nothing"
             : kind == CARDAN__MESH_UNFIT ? " touches nothing: "
                                          : ": ",
             why);
  }
}

void cardan__mesh_remarks_note(cardan_spec *spec, const cardan__mesh_remarks *remarks)
{
  static const char *const more[] = {"so it is", "none", "others differ, too,"};
  for (int i = 0; i < CARDAN__MESH_REMARKS; i++) {
    if (remarks->count[i] == 1) {
      cardan__xml_note(spec, remarks->first[i], "%s", remarks->text[i]);
    } else if (remarks->count[i] > 1) {
      cardan__xml_note(spec, remarks->first[i], "%s (%s in %d more place%s)", remarks->text[i],
                       more[i], remarks->count[i] - 1, remarks->count[i] == 2 ? "" : "s");
    }
  }
}

/* The pieces of a mesh file. */
static bool decompose(cardan_spec *spec, const cardan__xml *at, const cardan_shape *shape,
                      const cardan__convex *convex, cardan__mesh_remarks *remarks,
                      cardan__mesh_pieces *pieces)
{
  cardan_report report = {.message = ""};
  cardan__arena temporary;
  cardan__mesh mesh;
  char *data = NULL;
  size_t size = 0;
  if (!cardan__spec_try_open(spec, shape->file, &data, &size)) {
    cardan__mesh_remark_add(remarks, CARDAN__MESH_MISSING, at, shape->file, "");
    return false;
  }
  cardan__arena_init(&temporary, &spec->arena.alloc);
  cardan_status status = cardan__mesh_read(data, size, shape->file, &temporary, &mesh, &report);
  cardan__spec_close(spec, data);
  if (status == CARDAN_OK) {
    status = cardan__mesh_decompose_cached(spec->files, &mesh, shape->size, convex, &spec->arena,
                                           pieces, &report);
  }
  cardan__arena_free(&temporary);
  if (status == CARDAN_ERR_MEMORY) {
    cardan__spec_memory(spec, status);
  } else if (status != CARDAN_OK) {
    cardan__mesh_remark_add(remarks, CARDAN__MESH_UNFIT, at, shape->file, report.message);
  } else if (pieces->note[0] != '\0') {
    cardan__mesh_remark_add(remarks, CARDAN__MESH_DIFFERS, at, shape->file, pieces->note);
  }
  return status == CARDAN_OK;
}

bool cardan__collision_add(cardan_spec *spec, const cardan__xml *at, int frame,
                           const cardan_shape *shape, const char *material,
                           const cardan__convex *convex, cardan__mesh_remarks *remarks)
{
  const cardan_solid_def def = {.shape = *shape, .material = material};
  cardan__mesh_pieces pieces = {.npiece = 0};
  const bool mesh = shape->kind == CARDAN_SHAPE_MESH;
  if (mesh &&
      (spec->status != CARDAN_OK || !decompose(spec, at, shape, convex, remarks, &pieces))) {
    return false;
  }
  cardan__xml_at(spec, at);
  if (mesh) {
    cardan__collision_pieces(spec, frame, &def, &pieces);
  } else {
    cardan_spec_solid(spec, frame, &def);
  }
  return spec->status == CARDAN_OK;
}

bool cardan__collision_setting(cardan_spec *spec, const cardan_setting *setting,
                               cardan__convex *convex, bool *used)
{
  const double n = setting->value;
  *used = strcmp(setting->name, "convex") == 0;
  if (!*used) {
    return true;
  }
  if (!(n >= 1 && n <= CARDAN__CONVEX_MOST && n == floor(n))) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %g convex pieces of a mesh; expected a whole number from 1 to %d", n,
                      (int)CARDAN__CONVEX_MOST);
    return false;
  }
  convex->most = (int)n;
  return true;
}
