// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "formats/heights.h"
#include "formats/mbs_read.h"
#include "spatial/height_field.h"

/* The heights of a height field: from a file, or as rows of numbers in the text. What is written
 * back has them as rows, so that the text needs no file. */

typedef struct {
  double *value;
  int n, capacity;
} numbers;

/* One row (z z ..); how many numbers, 0: a failure. */
static int read_row(cardan__mbs *reader, int node, const char *usage, numbers *all)
{
  cardan__mbs_form row = {reader, node, -1, usage};
  const int before = all->n;
  if (!cardan__mbs_is_list(reader, node)) {
    (void)cardan__mbs_fail(reader, node, "expected a row of heights, as in %s", usage);
    return 0;
  }
  row.next = cardan__sexpr_first(&reader->tree, node);
  while (row.next >= 0) {
    if (all->n == CARDAN__FIELD_MOST) {
      (void)cardan__mbs_fail(reader, node, "found more than %d heights; expected fewer",
                             (int)CARDAN__FIELD_MOST);
      return 0;
    }
    if (!cardan__spec_grow(reader->spec, (void **)&all->value, &all->capacity, all->n,
                           sizeof *all->value) ||
        !cardan__mbs_number(&row, "a height", &all->value[all->n++])) {
      return 0;
    }
  }
  if (all->n == before) {
    (void)cardan__mbs_fail(reader, node, "found a row without heights; expected 2 or more");
  }
  return all->n - before;
}

/* (heights (z z ..) (z z ..) ..), the row with the highest y first. */
static bool read_rows(cardan__mbs *reader, int list, cardan__heights *out)
{
  static const char usage[] = "(heights (z z ..) (z z ..) ..)";
  cardan__mbs_form form = cardan__mbs_open(reader, list, usage);
  numbers all = {NULL, 0, 0};
  bool good = true;
  *out = (cardan__heights){0, 0, NULL};
  for (int node = form.next; node >= 0 && good; node = reader->tree.nodes[node].next) {
    const int n = read_row(reader, node, usage, &all);
    good = n > 0;
    if (good && out->rows > 0 && n != out->columns) {
      good =
          cardan__mbs_fail(reader, node, "found a row of %d heights; expected %d, as the first has",
                           n, out->columns);
    }
    out->columns = n;
    out->rows++;
  }
  if (good && out->rows > 0) {
    out->height = cardan__arena_take(&reader->spec->arena, (size_t)all.n, sizeof *out->height);
    good = cardan__spec_memory(reader->spec, out->height ? CARDAN_OK : CARDAN_ERR_MEMORY);
  }
  for (int row = 0; row < out->rows && good && out->height != NULL; row++) {
    const size_t width = (size_t)out->columns;
    memcpy(&out->height[(size_t)(out->rows - 1 - row) * width], &all.value[(size_t)row * width],
           width * sizeof *out->height);
  }
  cardan__resize(reader->spec->allocator, all.value, 0);
  return good;
}

static bool read_file(cardan__mbs *reader, const char *file, cardan_pos pos, cardan__heights *out)
{
  cardan_spec *spec = reader->spec;
  cardan_report report = {.message = ""};
  char *data = NULL;
  size_t size = 0;
  cardan_spec_at(spec, pos);
  if (!cardan__spec_path(spec, file) || !cardan__spec_open(spec, file, &data, &size)) {
    return false;
  }
  const cardan_status status = cardan__heights_read(data, size, file, &spec->arena, out, &report);
  cardan__spec_close(spec, data);
  if (status != CARDAN_OK) {
    char line[48] = "";
    cardan__heights_place(&report, line, sizeof line);
    cardan__spec_fail(spec, status == CARDAN_ERR_MEMORY ? status : CARDAN_ERR_MODEL,
                      "in the heights \"%s\"%s: %s", cardan__show(file).text, line, report.message);
  }
  return status == CARDAN_OK;
}

bool cardan__mbs_heights(cardan__mbs_form *form, cardan_solid_def *def)
{
  cardan__mbs *reader = form->reader;
  const int node = form->next;
  cardan__heights heights;
  bool good;
  if (cardan__sexpr_is_form(&reader->tree, node, "heights")) {
    good = read_rows(reader, node, &heights);
    form->next = reader->tree.nodes[node].next;
  } else {
    const char *file;
    cardan_pos pos;
    good = cardan__mbs_string(form, "the name of a file, or (heights ..)", &file, &pos) &&
           read_file(reader, file, pos, &heights);
  }
  if (good) {
    def->rows = heights.rows;
    def->columns = heights.columns;
    def->height = heights.height;
  }
  return good;
}

bool cardan__mbs_base(cardan__mbs_form *form, double *base)
{
  cardan__mbs *reader = form->reader;
  cardan__mbs_form option = cardan__mbs_open(reader, form->next, "(base b)");
  if (!cardan__mbs_number(&option, "a length", base) || !cardan__mbs_close(&option)) {
    return false;
  }
  if (!(*base > 0)) {
    return cardan__mbs_fail(reader, form->next, "found the base %g; expected more than 0", *base);
  }
  return true;
}
