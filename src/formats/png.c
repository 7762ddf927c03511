// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cardan/lazy_library.h"
#include "formats/heights.h"

/* Grey levels of a PNG file.
 * [1] Portable Network Graphics (PNG) Specification, second edition, W3C 2003.
 * Numbers are the samples themselves over their largest: no gamma, since they are heights. The file
 * is untrusted: width and height are bounded before anything is made of them, and inflating stops
 * after as many bytes as they say. */

static cardan_status wrong(cardan_report *report, const char *why)
{
  return cardan_fail(report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0}, "%s", why);
}

#ifdef CARDAN_Z_LIBRARY
#include <zlib.h>

#define CALLS(X) X(inflateInit_) X(inflate) X(inflateEnd) X(crc32)
static struct {
#define FIELD(name) __typeof__(name) *name##_at;
  CALLS(FIELD)
#undef FIELD
} zlib;

static bool is_ready(void)
{
#define ENTRY(name) {#name, &zlib.name##_at},
  static const cardan_lazy_library_symbol symbol[] = {CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_Z_LIBRARY, symbol, sizeof symbol / sizeof symbol[0],
                                  NULL) == CARDAN_OK;
}

enum { GREY = 0, COLOR = 2, PALETTE = 3, GREY_ALPHA = 4, COLOR_ALPHA = 6 };

typedef struct {
  const unsigned char *at, *end; // what remains of the file
  int width, height, depth, kind;
  int samples;          // of a pixel
  size_t pixel, length; // bytes of a pixel, at least 1, and of a row
  unsigned char palette[256];
  bool grey_entry[256]; // of the palette
  int npalette;
  unsigned char *row, *last;
  z_stream z;
  cardan_report *report;
} reading;

static uint32_t get_u32(const unsigned char *b)
{
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

typedef struct {
  const unsigned char *name, *data;
  size_t length;
} chunk;

/* The next chunk; false: there is none, or it is damaged, which is reported. */
static bool next_chunk(reading *r, chunk *c)
{
  const size_t left = (size_t)(r->end - r->at);
  const size_t length = left >= 12 ? get_u32(r->at) : 0;
  if (left < 12 || length > left - 12) {
    wrong(r->report, "the picture ends in the middle; expected all of a PNG file");
    return false;
  }
  *c = (chunk){r->at + 4, r->at + 8, length};
  if ((*zlib.crc32_at)(0, c->name, (uInt)(4 + length)) != get_u32(c->data + length)) {
    wrong(r->report, "a checksum of the picture is wrong; expected an undamaged PNG file");
    return false;
  }
  r->at += 12 + length;
  return true;
}

static bool is_named(const chunk *c, const char *name)
{
  return memcmp(c->name, name, 4) == 0;
}

/* Sizes and kind of the pixels. [1] table 11.1 */
static cardan_status read_header(reading *r)
{
  static const int samples[] = {1, 0, 3, 1, 2, 0, 4};
  chunk c;
  if (!next_chunk(r, &c)) {
    return CARDAN_ERR_SYNTAX;
  }
  if (!is_named(&c, "IHDR") || c.length != 13) {
    return wrong(r->report, "the picture has no header; expected a PNG file");
  }
  const int64_t width = (int64_t)get_u32(c.data), height = (int64_t)get_u32(c.data + 4);
  r->depth = c.data[8];
  r->kind = c.data[9];
  const bool low = r->kind == GREY || r->kind == PALETTE;
  const bool fits = r->depth == 8 || (r->depth == 16 && r->kind != PALETTE) ||
                    (low && (r->depth == 1 || r->depth == 2 || r->depth == 4));
  const cardan_status status = cardan__heights_check(height, width, r->report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (r->kind > COLOR_ALPHA || samples[r->kind] == 0 || !fits || c.data[10] != 0 ||
      c.data[11] != 0) {
    return wrong(r->report, "the picture has pixels of a kind that PNG files do not have");
  }
  if (c.data[12] != 0) {
    return wrong(r->report, "the picture is interlaced; expected it without (convert it first)");
  }
  r->width = (int)width;
  r->height = (int)height;
  r->samples = samples[r->kind];
  const size_t bits = (size_t)r->samples * (size_t)r->depth;
  r->pixel = bits < 8 ? 1 : bits / 8;
  r->length = ((size_t)width * bits + 7) / 8;
  return CARDAN_OK;
}

/* Fills the row, a filter and its bytes, from the data chunks. */
static cardan_status inflate_row(reading *r, chunk *data)
{
  r->z.next_out = r->row;
  r->z.avail_out = (uInt)(r->length + 1);
  while (r->z.avail_out > 0) {
    if (r->z.avail_in == 0) {
      if (!next_chunk(r, data)) {
        return CARDAN_ERR_SYNTAX;
      }
      if (!is_named(data, "IDAT")) {
        return wrong(r->report, "the picture has fewer pixels than its header says");
      }
      r->z.next_in = (z_const Bytef *)data->data;
      r->z.avail_in = (uInt)data->length;
      continue;
    }
    const int code = (*zlib.inflate_at)(&r->z, Z_NO_FLUSH);
    if (code != Z_OK && !(code == Z_STREAM_END && r->z.avail_out == 0)) {
      return wrong(r->report, code == Z_STREAM_END
                                  ? "the picture has fewer pixels than its header says"
                                  : "the data of the picture are damaged; expected a PNG file");
    }
  }
  return CARDAN_OK;
}

static int paeth(int a, int b, int c)
{
  const int p = a + b - c, da = abs(p - a), db = abs(p - b), dc = abs(p - c);
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}

/* Undoes the filter of a row. [1] section 9 */
static bool unfilter(reading *r)
{
  unsigned char *row = r->row + 1;
  const unsigned char *up = r->last + 1;
  const int filter = r->row[0];
  for (size_t k = 0; k < r->length && filter > 0; k++) {
    const int a = k >= r->pixel ? row[k - r->pixel] : 0, b = up[k];
    const int c = k >= r->pixel ? up[k - r->pixel] : 0;
    const int add = filter == 1 ? a : filter == 2 ? b : filter == 3 ? (a + b) / 2 : paeth(a, b, c);
    row[k] = (unsigned char)(row[k] + add);
  }
  return filter <= 4;
}

/* Sample s of pixel i of the row. */
static unsigned sample(const reading *r, int i, int s)
{
  const unsigned char *row = r->row + 1;
  const size_t at = (size_t)i * (size_t)r->samples + (size_t)s;
  if (r->depth == 16) {
    return (unsigned)row[2 * at] << 8 | row[2 * at + 1];
  }
  if (r->depth == 8) {
    return row[at];
  }
  const size_t bit = at * (size_t)r->depth;
  return row[bit / 8] >> (8 - (size_t)r->depth - bit % 8) & ((1u << r->depth) - 1);
}

/* The grey level of pixel i; negative: it has a colour, or is none of the palette. */
static double grey(const reading *r, int i)
{
  const unsigned value = sample(r, i, 0);
  if (r->kind == PALETTE) {
    return (int)value < r->npalette && r->grey_entry[value] ? r->palette[value] / 255.0 : -1;
  }
  if (r->samples >= 3 && (sample(r, i, 1) != value || sample(r, i, 2) != value)) {
    return -1;
  }
  return value / (double)((1u << r->depth) - 1);
}

static cardan_status read_rows(reading *r, cardan__heights *out)
{
  chunk data = {NULL, NULL, 0};
  cardan_status status = CARDAN_OK;
  for (int row = r->height - 1; row >= 0 && status == CARDAN_OK; row--) {
    unsigned char *swap = r->last;
    r->last = r->row;
    r->row = swap;
    status = inflate_row(r, &data);
    if (status == CARDAN_OK && !unfilter(r)) {
      status = wrong(r->report, "the picture has a filter that PNG files do not have");
    }
    for (int i = 0; i < r->width && status == CARDAN_OK; i++) {
      double *height = &out->height[(ptrdiff_t)row * r->width + i];
      *height = grey(r, i);
      if (*height < 0) {
        status = cardan_fail(r->report, CARDAN_ERR_SYNTAX, (cardan_pos){0, 0},
                             "the picture has a coloured pixel in row %d, column %d; expected grey "
                             "levels",
                             r->height - row, i + 1);
      }
    }
  }
  return status;
}

/* What is before the data: the palette alone counts. The reader is at the first data then. */
static cardan_status read_palette(reading *r)
{
  const unsigned char *before = r->at;
  chunk c;
  while (next_chunk(r, &c)) {
    if (is_named(&c, "IDAT")) {
      r->at = before;
      return r->kind == PALETTE && r->npalette == 0 ? wrong(r->report, "the picture has no palette")
                                                    : CARDAN_OK;
    }
    if (is_named(&c, "PLTE") && c.length <= 768) {
      r->npalette = (int)(c.length / 3);
      for (int i = 0; i < r->npalette; i++) {
        const unsigned char *p = c.data + 3 * (ptrdiff_t)i;
        r->palette[i] = p[0];
        r->grey_entry[i] = p[0] == p[1] && p[0] == p[2];
      }
    }
    before = r->at;
  }
  return CARDAN_ERR_SYNTAX;
}

cardan_status cardan__png_read(const char *data, size_t size, cardan__arena *arena,
                               cardan__heights *heights, cardan_report *report)
{
  static const unsigned char signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
  reading r = {.at = (const unsigned char *)data + 8, .report = report};
  if (size < 8 || memcmp(data, signature, 8) != 0) {
    return wrong(report, "the picture is no PNG file");
  }
  if (!is_ready()) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                       "PNG files need zlib, which is not installed; expected it, or a .csv file");
  }
  r.end = (const unsigned char *)data + size;
  cardan_status status = read_header(&r);
  status = status ? status : read_palette(&r);
  if (status != CARDAN_OK) {
    return status;
  }
  heights->rows = r.height;
  heights->columns = r.width;
  heights->height =
      cardan__arena_take(arena, (size_t)r.height * (size_t)r.width, sizeof *heights->height);
  r.row = cardan__arena_take(arena, r.length + 1, 1);
  r.last = cardan__arena_take(arena, r.length + 1, 1);
  if (heights->height == NULL || r.row == NULL || r.last == NULL ||
      (*zlib.inflateInit__at)(&r.z, ZLIB_VERSION, (int)sizeof r.z) != Z_OK) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "there is no memory");
  }
  status = read_rows(&r, heights);
  (*zlib.inflateEnd_at)(&r.z);
  return status;
}
#else
cardan_status cardan__png_read(const char *data, size_t size, cardan__arena *arena,
                               cardan__heights *heights, cardan_report *report)
{
  (void)data;
  (void)size;
  (void)arena;
  (void)heights;
  (void)wrong;
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "this build reads no PNG files, since zlib was not there; expected .csv");
}
#endif
