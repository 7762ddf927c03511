// SPDX-License-Identifier: Apache-2.0
#include "output/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/digits.h"

static void add(cardan__json *json, const char *text)
{
  cardan__text_add(json->out, text, strlen(text));
}

static void new_line(cardan__json *json)
{
  cardan__text_printf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Bytes of the UTF-8 character at text, 0 when there is none: overlong forms, surrogates and what
 * lies beyond U+10FFFF are none. text ends in a NUL, which is no continuation. */
static int utf8_length(const unsigned char *text)
{
  static const unsigned least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned lead = text[0];
  if (lead < 0x80U) {
    return 1;
  }
  const int length = lead >= 0xF8U   ? 0
                     : lead >= 0xF0U ? 4
                     : lead >= 0xE0U ? 3
                     : lead >= 0xC0U ? 2
                                     : 0;
  if (length == 0) {
    return 0;
  }
  unsigned code = lead & (0x7FU >> length);
  for (int i = 1; i < length; i++) {
    if ((text[i] & 0xC0U) != 0x80U) {
      return 0;
    }
    code = (code << 6) | (text[i] & 0x3FU);
  }
  const bool good =
      code >= least[length] && code <= 0x10FFFFU && (code < 0xD800U || code > 0xDFFFU);
  return good ? length : 0;
}

static void add_string(cardan__json *json, const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  add(json, "\"");
  while (*c) {
    const int length = utf8_length(c);
    if (length == 0) {
      add(json, "\\ufffd");
    } else if (*c == '"' || *c == '\\') {
      cardan__text_printf(json->out, "\\%c", *c);
    } else if (*c < 0x20U || *c == 0x7FU) {
      cardan__text_printf(json->out, "\\u%04x", *c);
    } else {
      cardan__text_add(json->out, (const char *)c, (size_t)length);
    }
    c += length > 0 ? length : 1;
  }
  add(json, "\"");
}

/* Everything before a value: the comma behind the last one, the line, the key. */
static void begin(cardan__json *json, const char *key)
{
  if (json->filled) {
    add(json, ",");
  }
  if (json->depth > 0) {
    new_line(json);
  }
  if (key) {
    add_string(json, key);
    add(json, ": ");
  }
  json->filled = true;
}

void cardan__json_open(cardan__json *json, const char *key, char bracket)
{
  begin(json, key);
  cardan__text_add(json->out, &bracket, 1);
  json->depth++;
  json->filled = false;
}

void cardan__json_close(cardan__json *json, char bracket)
{
  json->depth--;
  if (json->filled) {
    new_line(json);
  }
  cardan__text_add(json->out, &bracket, 1);
  json->filled = true;
  if (json->depth == 0) {
    add(json, "\n");
  }
}

void cardan__json_string(cardan__json *json, const char *key, const char *value)
{
  begin(json, key);
  if (value) {
    add_string(json, value);
  } else {
    add(json, "null");
  }
}

void cardan__json_number(cardan__json *json, const char *key, double value)
{
  char number[CARDAN__NUMBER_SIZE];
  begin(json, key);
  if (isfinite(value)) {
    cardan__text_add(json->out, number, cardan__format_17(number, value));
  } else {
    add(json, "null");
  }
}

void cardan__json_integer(cardan__json *json, const char *key, int64_t value)
{
  begin(json, key);
  cardan__text_printf(json->out, "%" PRId64, value);
}

void cardan__json_bool(cardan__json *json, const char *key, bool value)
{
  begin(json, key);
  add(json, value ? "true" : "false");
}
