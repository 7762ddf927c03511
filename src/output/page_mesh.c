// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/arena.h"
#include "cardan/mesh.h"
#include "output/page.h"

/* Meshes of the shapes, each file once, thinned so that all of them together stay within a budget:
 * 12 bytes a triangle before base64. Vertices are 16-bit numbers over the box around the mesh. What
 * cannot be read has the reason in place of triangles, and the page draws the body's skeleton. */

enum { BUDGET = 60000, LEAST = 400, MOST = 6000, FIELD_MOST = 20000, LARGEST = 65535 }; // triangles

bool cardan__page_mesh_numbers(const cardan_model *model, cardan__names *numbers)
{
  int n = 0;
  cardan__names_init(numbers, NULL);
  for (int s = 0; s < model->nshape; s++) {
    const cardan_shape *shape = &model->shape[s];
    if (shape->kind == CARDAN_SHAPE_MESH && cardan__names_get(numbers, shape->file) < 0 &&
        cardan__names_set(numbers, shape->file, n++) != CARDAN_OK) {
      return false;
    }
  }
  return true;
}

static double scale_of(double high, double low)
{
  return high > low ? LARGEST / (high - low) : 0.0;
}

static void add_point(cardan__json *json, const char *key, cardan_vec3 p)
{
  cardan__json_open(json, key, '[');
  cardan__json_short(json, NULL, p.x);
  cardan__json_short(json, NULL, p.y);
  cardan__json_short(json, NULL, p.z);
  cardan__json_close(json, ']');
}

static void add_triangles(cardan__json *json, const cardan_mesh *mesh)
{
  cardan_vec3 low = mesh->vertex[0], high = low;
  cardan__base64 b;
  for (int i = 1; i < mesh->nvertex; i++) {
    const cardan_vec3 v = mesh->vertex[i];
    low = (cardan_vec3){fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z)};
    high = (cardan_vec3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
  }
  const double x = scale_of(high.x, low.x), y = scale_of(high.y, low.y),
               z = scale_of(high.z, low.z);
  cardan__json_int(json, "triangles", mesh->nface_file);
  add_point(json, "low", low);
  add_point(json, "high", high);
  cardan__base64_open(&b, json, "vertices");
  b.stride = 3;
  for (int i = 0; i < mesh->nvertex; i++) {
    const cardan_vec3 v = mesh->vertex[i];
    cardan__base64_short(&b, (uint16_t)lround((v.x - low.x) * x));
    cardan__base64_short(&b, (uint16_t)lround((v.y - low.y) * y));
    cardan__base64_short(&b, (uint16_t)lround((v.z - low.z) * z));
  }
  cardan__base64_close(&b);
  cardan__base64_open(&b, json, "faces");
  b.stride = 3;
  for (int f = 0; f < mesh->nface; f++) {
    for (int k = 0; k < 3; k++) {
      cardan__base64_short(&b, (uint16_t)mesh->face[f][k]);
    }
  }
  cardan__base64_close(&b);
}

static void add_mesh(cardan__json *json, const char *file, const cardan_files *files, int most)
{
  cardan_report report = {.message = ""};
  cardan_mesh *mesh = NULL;
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "file", file);
  const cardan_status status =
      files != NULL ? cardan_mesh_load(files, file, most, NULL, &mesh, &report) : CARDAN_ERR_IO;
  if (status == CARDAN_OK) {
    add_triangles(json, mesh);
  } else { // folders of this machine are not for pages
    cardan__json_string(json, "why",
                        status == CARDAN_ERR_IO ? "the file was not found" : report.message);
  }
  cardan_mesh_destroy(mesh);
  cardan__json_close(json, '}');
}

/* ---- hulls and height fields of solids, which stand behind the files ---- */

int cardan__page_hull(const cardan_model *model, int shape)
{
  for (int i = 0; i < model->nsolid; i++) {
    if (model->solid[i].shape == shape) {
      return model->solid[i].hull / 2; // each has its core beside it
    }
  }
  return -1;
}

/* Its faces as fans of triangles. */
static void add_hull(cardan__json *json, const cardan_hull *hull)
{
  const int n = hull->first[hull->nface] - 2 * hull->nface;
  int(*face)[3] = cardan__resize(NULL, NULL, (size_t)(n > 0 ? n : 1) * sizeof *face);
  cardan_mesh mesh = {
      .nvertex = hull->nvertex, .vertex = (cardan_vec3 *)hull->vertex, .face = face};
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "file", "hull");
  if (face == NULL) {
    json->text.failed = true;
  } else if (hull->nvertex > LARGEST) {
    cardan__json_string(json, "why", "the hull has too many corners");
  } else {
    for (int f = 0; f < hull->nface; f++) {
      for (int k = hull->first[f] + 2; k < hull->first[f + 1]; k++, mesh.nface++) {
        face[mesh.nface][0] = hull->corner[hull->first[f]];
        face[mesh.nface][1] = hull->corner[k - 1];
        face[mesh.nface][2] = hull->corner[k];
      }
    }
    mesh.nface_file = mesh.nface;
    add_triangles(json, &mesh);
  }
  cardan__resize(NULL, face, 0);
  cardan__json_close(json, '}');
}

int cardan__page_field(const cardan_model *model, int shape)
{
  int i = 0;
  while (i < model->nsolid && model->solid[i].shape != shape) {
    i++;
  }
  return i < model->nsolid ? model->nhull / 2 + model->solid[i].field : -1;
}

static void add_field(cardan__json *json, const cardan_height_field *field, int most)
{
  cardan_mesh *mesh = NULL;
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "file", "height field");
  if (cardan_height_field_mesh(field, most, NULL, &mesh) == CARDAN_OK) {
    add_triangles(json, mesh);
  } else {
    json->text.failed = true;
  }
  cardan_mesh_destroy(mesh);
  cardan__json_close(json, '}');
}

void cardan__page_meshes(cardan__json *json, const cardan_model *model, const cardan_files *files,
                         const cardan__names *numbers)
{
  const int n = numbers->count;
  int done = 0;
  if (n == 0 && model->nhull == 0 && model->nfield == 0) {
    return;
  }
  const int share = BUDGET / (n > 0 ? n : 1), most = share < LEAST  ? LEAST
                                                     : share > MOST ? MOST
                                                                    : share;
  cardan__json_open(json, "meshes", '[');
  for (int s = 0; s < model->nshape; s++) {
    const cardan_shape *shape = &model->shape[s];
    if (shape->kind == CARDAN_SHAPE_MESH && cardan__names_get(numbers, shape->file) == done) {
      add_mesh(json, shape->file, files, most);
      done++;
    }
  }
  for (int i = 0; i < model->nhull; i += 2) {
    add_hull(json, &model->hull[i]);
  }
  for (int i = 0; i < model->nfield; i++) {
    add_field(json, &model->field[i], FIELD_MOST);
  }
  cardan__json_close(json, ']');
}
