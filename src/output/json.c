// SPDX-License-Identifier: Apache-2.0
#include "output/json.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "output/pack.h"

void cardan__json_init(cardan__json *json, const cardan_allocator *alloc)
{
  *json = (cardan__json){.depth = 0};
  cardan__text_init(&json->text, alloc);
}

static void add(cardan__json *json, const char *text)
{
  cardan__text_add(&json->text, text, strlen(text));
}

/* Must the character be written as an escape? Those that JSON asks for; those that could end a
 * <script> element or begin a comment in it; U+2028 and U+2029, which end lines in old scripts;
 * those that change how their neighbours are shown. */
static bool needs_escape(const unsigned char *c, size_t n)
{
  if (n == 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9)) {
    return true;
  }
  return cardan__utf8_hidden(c, n) || (n == 1 && strchr("\"\\<>&'", c[0]) != NULL);
}

static void quote(cardan__json *json, const char *value, size_t length)
{
  const unsigned char *c = (const unsigned char *)value;
  size_t plain = 0; // start of what needs no escape
  add(json, "\"");
  for (size_t i = 0; i < length;) {
    const size_t n = cardan__utf8_length(c + i, length - i);
    if (n > 0 && !needs_escape(c + i, n)) {
      i += n;
      continue;
    }
    cardan__text_add(&json->text, value + plain, i - plain);
    if (n > 0) { // at most three bytes: four are never hidden
      cardan__text_printf(&json->text, "\\u%04x", cardan__utf8_code(c + i, n));
    } else {
      add(json, "\\ufffd");
    }
    i += n > 0 ? n : 1;
    plain = i;
  }
  cardan__text_add(&json->text, value + plain, length - plain);
  add(json, "\"");
}

/* The comma before an entry, and its key. */
static void begin(cardan__json *json, const char *key)
{
  if (json->more[json->depth]) {
    add(json, ",");
  }
  json->more[json->depth] = true;
  if (key) {
    quote(json, key, strlen(key));
    add(json, ":");
  }
}

void cardan__json_open(cardan__json *json, const char *key, char bracket)
{
  begin(json, key);
  cardan__text_add(&json->text, &bracket, 1);
  CARDAN_ASSERT(json->depth + 1 < CARDAN__JSON_DEPTH);
  json->more[++json->depth] = false;
}

void cardan__json_close(cardan__json *json, char bracket)
{
  cardan__text_add(&json->text, &bracket, 1);
  json->depth--;
}

void cardan__json_bytes(cardan__json *json, const char *key, const char *value, size_t length)
{
  begin(json, key);
  quote(json, value, length);
}

void cardan__json_string(cardan__json *json, const char *key, const char *value)
{
  if (value) {
    cardan__json_bytes(json, key, value, strlen(value));
  } else {
    cardan__json_raw(json, key, "null");
  }
}

void cardan__json_number(cardan__json *json, const char *key, double value)
{
  begin(json, key);
  if (isfinite(value)) {
    cardan__text_number(&json->text, value);
  } else {
    add(json, "null");
  }
}

void cardan__json_short(cardan__json *json, const char *key, double value)
{
  char number[CARDAN__NUMBER_SIZE];
  cardan__format_number(number, value, 9);
  cardan__json_raw(json, key, isfinite(value) ? number : "null");
}

void cardan__json_int(cardan__json *json, const char *key, int64_t value)
{
  begin(json, key);
  cardan__text_printf(&json->text, "%lld", (long long)value);
}

void cardan__json_bool(cardan__json *json, const char *key, bool value)
{
  cardan__json_raw(json, key, value ? "true" : "false");
}

void cardan__json_numbers(cardan__json *json, const char *key, const double *x, int n)
{
  cardan__json_open(json, key, '[');
  for (int k = 0; k < n; k++) {
    cardan__json_number(json, NULL, x[k]);
  }
  cardan__json_close(json, ']');
}

void cardan__json_matrix(cardan__json *json, const char *key, const double *A, int rows,
                         int columns)
{
  cardan__json_open(json, key, '[');
  for (int i = 0; i < rows; i++) {
    cardan__json_numbers(json, NULL, A + (size_t)i * (size_t)columns, columns);
  }
  cardan__json_close(json, ']');
}

void cardan__json_raw(cardan__json *json, const char *key, const char *value)
{
  begin(json, key);
  add(json, value);
}

/* ---- base64 (RFC 4648) ---- */

static void flush(cardan__base64 *b)
{
  cardan__pack_base64(&b->json->text, b->rest, (size_t)b->nrest);
  b->nrest = 0;
}

static void add_little_endian(cardan__base64 *b, uint64_t bits, int bytes, bool real)
{
  char raw[8];
  b->size = bytes;
  b->real = real;
  for (int i = 0; i < bytes; i++) {
    raw[i] = (char)(bits >> (8 * i) & 0xff);
  }
  if (b->json->block != NULL) {
    cardan__text_add(b->json->block, raw, (size_t)bytes);
    return;
  }
  for (int i = 0; i < bytes; i++) {
    b->rest[b->nrest++] = (unsigned char)raw[i];
    if (b->nrest == 3) {
      flush(b);
    }
  }
}

void cardan__base64_open(cardan__base64 *b, cardan__json *json, const char *key)
{
  *b = (cardan__base64){.json = json, .stride = 1, .size = 1};
  b->at = json->block != NULL ? json->block->length : 0;
  begin(json, key);
  add(json, "\"");
}

void cardan__base64_double(cardan__base64 *b, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  add_little_endian(b, bits, 8, true);
}

void cardan__base64_float(cardan__base64 *b, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  add_little_endian(b, bits, 4, true);
}

void cardan__base64_short(cardan__base64 *b, uint16_t value)
{
  add_little_endian(b, value, 2, false);
}

void cardan__base64_close(cardan__base64 *b)
{
  if (b->json->block != NULL) {
    cardan__packing p = {.size = b->size, .real = b->real, .stride = b->stride, .at = b->at};
    cardan__pack_array(b->json->block, &p);
    cardan__text_printf(&b->json->text, "@%d %d %d %d %zu %zu", p.size, p.real, p.stride, p.order,
                        p.at, p.count);
  } else if (b->nrest > 0) {
    flush(b);
  }
  add(b->json, "\"");
}
