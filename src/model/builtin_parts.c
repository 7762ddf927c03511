// SPDX-License-Identifier: Apache-2.0
#include "model/builtin_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

enum { PIECE_SIZE = 1024 };

/* Appends length bytes of piece after turning its quotes. */
static void add_turned(cardan__text *out, char *piece, size_t length)
{
  for (char *c = piece; (c = memchr(c, '\'', length - (size_t)(c - piece))) != NULL; c++) {
    *c = '"';
  }
  cardan__text_add(out, piece, length);
}

void cardan__builtin_say(cardan__text *out, const char *format, ...)
{
  char piece[PIECE_SIZE];
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  CARDAN_ASSERT(length < PIECE_SIZE);
  if (length < 0 || length >= PIECE_SIZE) { // the C library had no memory for it
    out->failed = true;
    return;
  }
  add_turned(out, piece, (size_t)length);
}

void cardan__builtin_lines(cardan__text *out, const char *const *lines)
{
  for (int i = 0; lines[i]; i++) {
    cardan__builtin_say(out, "%s\n", lines[i]);
  }
}

const char *cardan__builtin_decimal(char *text, int value, int places)
{
  int scale = 1;
  for (int i = 0; i < places; i++) {
    scale *= 10;
  }
  const int size = value < 0 ? -value : value;
  int fraction = size % scale;
  while (places > 0 && fraction % 10 == 0) {
    fraction /= 10;
    places--;
  }
  if (places == 0) {
    snprintf(text, CARDAN__DECIMAL_SIZE, "%d", value / scale);
  } else {
    snprintf(text, CARDAN__DECIMAL_SIZE, "%s%d.%0*d", value < 0 ? "-" : "", size / scale, places,
             fraction);
  }
  return text;
}
