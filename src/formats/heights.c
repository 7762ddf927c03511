// SPDX-License-Identifier: Apache-2.0
#include "formats/heights.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "expr/number.h"
#include "formats/csv_read.h"

/* Room for that many. */
static cardan_status reserve(cardan__arena *arena, int rows, int columns, cardan__heights *out,
                             cardan_report *report)
{
  out->rows = rows;
  out->columns = columns;
  out->height = cardan__arena_take(arena, (size_t)rows * (size_t)columns, sizeof *out->height);
  return out->height != NULL ? CARDAN_OK
                             : cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                                           "there is no memory for %d x %d heights", rows, columns);
}

/* ---- text ---- */

static bool is_empty_line(const cardan__csv *r)
{
  const char *at = r->text;
  while (at < r->end && (*at == ' ' || *at == '\t' || *at == '\r')) {
    at++;
  }
  return at == r->end || *at == '\n' || *at == '#';
}

static void pass_line(cardan__csv *r)
{
  const char *end = memchr(r->text, '\n', (size_t)(r->end - r->text));
  r->text = end != NULL ? end : r->end;
}

/* Fields of the first row, and how many rows there are; empty lines and lines from # on are
 * passed over. */
static void count_grid(cardan__csv r, int64_t *rows, int64_t *columns)
{
  *rows = *columns = 0;
  for (bool more = r.text < r.end; more; more = cardan__csv_next_line(&r)) {
    const bool row = !is_empty_line(&r);
    const char *from = r.text;
    pass_line(&r);
    *rows += row;
    for (; row && *rows == 1 && from < r.text; from++) {
      *columns += *from == ',';
    }
    *columns += row && *rows == 1;
  }
}

/* Refuses a first row without commas that does not parse, such as "0;1". */
static cardan_status check_separator(cardan__csv r)
{
  cardan__csv_part part;
  double value;
  bool more = true;
  while (more && is_empty_line(&r)) {
    pass_line(&r);
    more = cardan__csv_next_line(&r);
  }
  const cardan_pos at = r.pos;
  cardan_status status = more ? cardan__csv_take(&r, &part) : CARDAN_OK;
  if (more && status == CARDAN_OK && part.length > 0 &&
      cardan__number_read(part.text, part.length, &value) != CARDAN__NUMBER_OK) {
    r.pos = at;
    status = cardan__csv_wrong(&r, "the row", &part, "numbers with commas between them");
  }
  return status;
}

static cardan_status read_csv(const char *data, size_t size, cardan__arena *arena,
                              cardan__heights *out, cardan_report *report)
{
  cardan__csv r = cardan__csv_begin(data, size, report);
  int64_t rows, columns;
  count_grid(r, &rows, &columns);
  cardan_status status = columns == 1 ? check_separator(r) : CARDAN_OK;
  status = status ? status : cardan__heights_check(rows, columns, report);
  status = status ? status : reserve(arena, (int)rows, (int)columns, out, report);
  for (int row = (int)rows - 1; row >= 0 && status == CARDAN_OK;) {
    if (is_empty_line(&r)) {
      pass_line(&r);
      (void)cardan__csv_next_line(&r);
      continue;
    }
    for (int k = 0; k < (int)columns && status == CARDAN_OK; k++) {
      if (k > 0 && cardan__csv_line_end(&r)) {
        status = cardan_fail(report, CARDAN_ERR_SYNTAX, r.pos,
                             "found %d heights; expected %d, as in the first row", k, (int)columns);
      } else {
        cardan__csv_pass(&r, k > 0);
        status = cardan__csv_number(&r, &out->height[(ptrdiff_t)row * columns + k]);
      }
    }
    if (status == CARDAN_OK && !cardan__csv_line_end(&r)) {
      status = cardan_fail(report, CARDAN_ERR_SYNTAX, r.pos,
                           "found more than %d heights; expected as many as in the first row",
                           (int)columns);
    }
    (void)cardan__csv_next_line(&r);
    row--;
  }
  return status;
}

/* ---- binary ---- */

static uint32_t get_u32(const char *at)
{
  const unsigned char *b = (const unsigned char *)at;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static cardan_status read_binary(const char *data, size_t size, cardan__arena *arena,
                                 cardan__heights *out, cardan_report *report)
{
  const int64_t rows = size >= 8 ? (int64_t)get_u32(data) : 0;
  const int64_t columns = size >= 8 ? (int64_t)get_u32(data + 4) : 0;
  cardan_status status = cardan__heights_check(rows, columns, report);
  if (status == CARDAN_OK && size != 8 + 4 * (size_t)(rows * columns)) {
    status =
        cardan_fail(report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0},
                    "the file has not as many bytes as its counts of %d rows and %d columns say",
                    (int)rows, (int)columns);
  }
  status = status ? status : reserve(arena, (int)rows, (int)columns, out, report);
  const int64_t count = status == CARDAN_OK ? rows * columns : 0; // within bounds since the check
  for (int64_t k = 0; k < count && status == CARDAN_OK; k++) {
    const uint32_t bits = get_u32(data + 8 + 4 * k);
    float number;
    memcpy(&number, &bits, sizeof number);
    out->height[k] = (double)number;
    if (!isfinite(out->height[k])) {
      status = cardan_fail(report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0},
                           "height %lld of the file is not finite", (long long)k + 1);
    }
  }
  return status;
}

static const struct {
  const char *ending;
  cardan_status (*read)(const char *data, size_t size, cardan__arena *arena, cardan__heights *out,
                        cardan_report *report);
} formats[] = {{".csv", read_csv},
               {".txt", read_csv},
               {".png", cardan__png_read},
               {".hfield", read_binary},
               {".bin", read_binary}};

cardan_status cardan__heights_read(const char *data, size_t size, const char *name,
                                   cardan__arena *arena, cardan__heights *heights,
                                   cardan_report *report)
{
  const char *ending = strrchr(name, '.');
  *heights = (cardan__heights){0, 0, NULL};
  for (size_t i = 0; i < sizeof formats / sizeof *formats && ending != NULL; i++) {
    if (strcasecmp(ending, formats[i].ending) == 0) {
      return formats[i].read(data, size, arena, heights, report);
    }
  }
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "\"%.150s\" is no file of heights that can be read here; expected .csv, .png "
                     "or .hfield",
                     name);
}
