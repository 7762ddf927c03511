// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/mjcf.h"

/* Height fields of <asset>: heights from a file, or as numbers in the text; the lowest becomes 0,
 * the highest 1, and the third size is that of 1. */

static cardan__xml *find_asset(const cardan__mjcf *m, const char *name)
{
  for (cardan__xml *a = cardan__xml_child(m->root, "asset"); a; a = cardan__xml_next(a, "asset")) {
    for (cardan__xml *e = cardan__xml_child(a, "hfield"); e; e = cardan__xml_next(e, "hfield")) {
      const char *own = cardan__xml_get(e, "name"), *file = cardan__xml_get(e, "file");
      if (own != NULL
              ? strcmp(own, name) == 0
              : file != NULL && strcmp(cardan__mjcf_stem((cardan__mjcf *)m, file), name) == 0) {
        return e;
      }
    }
  }
  return NULL;
}

/* nrow, ncol and elevation of the element itself, the first row with the highest y. */
static bool read_inline(cardan__mjcf *m, cardan__xml *e, cardan__heights *out)
{
  static const char *const words[2] = {"nrow", "ncol"};
  const char *text = cardan__xml_get(e, "elevation");
  int64_t n[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const char *number = cardan__xml_get(e, words[k]);
    double value = 0;
    if (number != NULL && cardan__xml_numbers(number, &value, 1) == 1 && value >= 0 &&
        value < 1e9 && value == floor(value)) {
      n[k] = (int64_t)value;
    } else if (number != NULL) {
      cardan__xml_fail(m->spec, e, "found \"%.60s\" as %s of an hfield; expected a whole number",
                       number, words[k]);
      return false;
    }
  }
  cardan_report report = {.message = ""};
  if (cardan__heights_check(n[0], n[1], &report) != CARDAN_OK) {
    cardan__xml_fail(m->spec, e, "%s", report.message);
    return false;
  }
  const int count = (int)(n[0] * n[1]), columns = (int)n[1];
  const int found = text != NULL ? cardan__xml_numbers(text, NULL, 0) : count;
  double *value = cardan__arena_take(&m->spec->arena, (size_t)count, sizeof *value);
  *out = (cardan__heights){(int)n[0], columns, NULL};
  out->height = cardan__arena_take(&m->spec->arena, (size_t)count, sizeof *value);
  if (value == NULL || out->height == NULL) {
    return cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
  }
  if (found < 0) {
    cardan__xml_fail(m->spec, e,
                     "found an elevation that is not all finite numbers; expected %d "
                     "rows of %d",
                     out->rows, columns);
    return false;
  }
  if (found != count) {
    cardan__xml_fail(m->spec, e, "found %d numbers as elevation; expected %d rows of %d", found,
                     out->rows, columns);
    return false;
  }
  if (text != NULL) {
    (void)cardan__xml_numbers(text, value, count);
  }
  for (int row = 0; row < out->rows; row++) {
    memcpy(&out->height[(ptrdiff_t)(out->rows - 1 - row) * columns],
           &value[(ptrdiff_t)row * columns], (size_t)columns * sizeof *value);
  }
  return true;
}

/* From 0 for the lowest to 1 for the highest. */
static void normalize(cardan__heights *h)
{
  const ptrdiff_t n = (ptrdiff_t)h->rows * h->columns;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (ptrdiff_t k = 0; k < n; k++) {
    low = fmin(low, h->height[k]);
    high = fmax(high, h->height[k]);
  }
  for (ptrdiff_t k = 0; k < n; k++) {
    h->height[k] = high > low ? (h->height[k] - low) / (high - low) : 0;
  }
}

bool cardan__mjcf_hfield(cardan__mjcf *m, const cardan__mjcf_item *geom, cardan_solid_def *def)
{
  const char *name = cardan__mjcf_get(m, geom, "hfield");
  cardan__xml *e = name != NULL ? find_asset(m, name) : NULL;
  double size[4] = {0};
  cardan__heights heights;
  if (e == NULL) {
    cardan__xml_fail(m->spec, geom->xml,
                     "found a geom of type hfield with the hfield \"%.60s\"; "
                     "expected the name of one of <asset>",
                     name != NULL ? name : "");
    return false;
  }
  const char *file = cardan__xml_get(e, "file"), *numbers = cardan__xml_get(e, "size");
  (void)cardan__xml_get(e, "content_type");
  if (numbers == NULL || cardan__xml_numbers(numbers, size, 4) != 4 ||
      !(size[0] > 0 && size[1] > 0 && size[2] > 0 && size[3] > 0)) {
    cardan__xml_fail(m->spec, e,
                     "found the size \"%.60s\" of an hfield; expected four numbers above "
                     "0: halves of its length and width, its height, its base",
                     numbers != NULL ? numbers : "");
    return false;
  }
  const char *path = file != NULL ? cardan__mjcf_mesh_path(m, e, file) : NULL;
  if (file != NULL ? path == NULL || !cardan__collision_heights(m->spec, e, path, &heights)
                   : !read_inline(m, e, &heights)) {
    return false;
  }
  normalize(&heights);
  def->shape.kind = CARDAN_SHAPE_HEIGHT_FIELD;
  def->shape.size[0] = 2 * size[0];
  def->shape.size[1] = 2 * size[1];
  def->shape.size[2] = size[2];
  def->base = size[3];
  def->rows = heights.rows;
  def->columns = heights.columns;
  def->height = heights.height;
  return true;
}
