// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

void cardan__text_init(cardan__text *text, const cardan_allocator *alloc)
{
  *text = (cardan__text){0};
  if (alloc) {
    text->alloc = *alloc;
  }
}

void cardan__text_free(cardan__text *text)
{
  if (text->data) {
    cardan__resize(&text->alloc, text->data, 0);
  }
  *text = (cardan__text){.alloc = text->alloc};
}

/* Makes room for `extra` bytes and a NUL after the text. Returns false, with failed set, if there
 * is no memory. */
static bool reserve(cardan__text *text, size_t extra)
{
  if (text->failed || extra > SIZE_MAX / 2 - text->length - 1) {
    text->failed = true;
    return false;
  }
  const size_t need = text->length + extra + 1;
  if (need <= text->capacity) {
    return true;
  }
  size_t capacity = text->capacity + text->capacity / 2 + 64;
  capacity = capacity < need ? need : capacity;
  char *data = cardan__resize(&text->alloc, text->data, capacity);
  if (!data) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

void cardan__text_add(cardan__text *text, const char *bytes, size_t length)
{
  if (!reserve(text, length)) {
    return;
  }
  if (length > 0) {
    memcpy(text->data + text->length, bytes, length);
  }
  text->length += length;
  text->data[text->length] = '\0';
}

void cardan__text_printf(cardan__text *text, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  cardan__text_vprintf(text, format, args);
  va_end(args);
}

void cardan__text_vprintf(cardan__text *text, const char *format, va_list args)
{
  va_list second_pass;
  va_copy(second_pass, args);
  const int length = vsnprintf(NULL, 0, format, args);
  text->failed = text->failed || length < 0; // the C library ran out of memory
  if (length >= 0 && reserve(text, (size_t)length)) {
    text->failed =
        vsnprintf(text->data + text->length, (size_t)length + 1, format, second_pass) != length;
    text->length += text->failed ? 0 : (size_t)length;
    text->data[text->length] = '\0';
  }
  va_end(second_pass);
}

void cardan__text_number(cardan__text *text, double value)
{
  char buffer[CARDAN__NUMBER_SIZE];
  cardan__text_add(text, buffer, cardan__format_number(buffer, value, 0));
}

size_t cardan__format_number(char *buffer, double value, int digits)
{
  CARDAN_ASSERT(digits >= 0 && digits <= 17);
  int length = 0;
  for (int d = digits > 0 ? digits : 15; d <= 17; d++) {
    length = snprintf(buffer, CARDAN__NUMBER_SIZE, "%.*g", d, value);
    if (digits > 0 || strtod(buffer, NULL) == value) {
      break;
    }
  }

  // all other bytes are the locale's decimal point, which may have several
  size_t out = 0;
  bool point = false;
  for (int i = 0; i < length; i++) {
    if (strchr("+-0123456789einfa", buffer[i])) {
      buffer[out++] = buffer[i];
    } else if (!point) {
      buffer[out++] = '.';
      point = true;
    }
  }
  buffer[out] = '\0';
  return out;
}

enum { LONGEST_WORD = 63 };

static int to_lower(char c)
{
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int min_int(int a, int b)
{
  return a < b ? a : b;
}

/* Edit distance between a and b (lengths na, nb <= LONGEST_WORD): insertions, deletions,
 * replacements, and swaps of two neighbours that are not edited again (optimal string alignment).
 * D[i][j] is the distance of the first i letters of a and the first j of b; three rows are kept. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
  int rows[3][LONGEST_WORD + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= nb; j++) {
    before[j] = last[j] = (int)j;
  }
  for (size_t i = 1; i <= na; i++) {
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      const bool same = to_lower(a[i - 1]) == to_lower(b[j - 1]);
      row[j] = min_int(min_int(last[j], row[j - 1]) + 1, last[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) &&
          to_lower(a[i - 2]) == to_lower(b[j - 1])) {
        row[j] = min_int(row[j], before[j - 2] + 1);
      }
    }
    int *spare = before;
    before = last;
    last = row;
    row = spare;
  }
  return last[nb];
}

const char *cardan__nearest(const char *word, const char *const *list, int n)
{
  const size_t length = strlen(word);
  if (length > LONGEST_WORD) {
    return NULL;
  }
  int best = length < 6 ? 1 : (int)(length / 3);
  const char *nearest = NULL;
  for (int i = 0; i < n; i++) {
    const size_t other = strlen(list[i]);
    if (other > LONGEST_WORD) {
      continue;
    }
    const int distance = edit_distance(word, length, list[i], other);
    // if every letter differs, the entry is no suggestion
    if ((size_t)distance < length && (distance < best || (!nearest && distance == best))) {
      best = distance;
      nearest = list[i];
    }
  }
  return nearest;
}

static bool is_continuation(char c)
{
  return ((unsigned char)c & 0xC0U) == 0x80U;
}

void cardan__report_file(cardan_report *report, const char *name)
{
  if (!report) {
    return;
  }
  const size_t size = sizeof(report->file), length = strlen(name);
  if (length < size) {
    memcpy(report->file, name, length + 1);
    return;
  }
  const char *end = name + length - (size - sizeof("..."));
  while (is_continuation(*end)) {
    end++;
  }
  snprintf(report->file, size, "...%s", end);
}

size_t cardan__utf8_length(const unsigned char *text, size_t available)
{
  static const struct {
    unsigned char mask, lead;
    uint32_t min_code; // min_int codes have a shorter form
  } kinds[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  for (size_t n = 1; n <= 4 && n <= available; n++) {
    if ((text[0] & kinds[n - 1].mask) != kinds[n - 1].lead) {
      continue;
    }
    uint32_t code = text[0] & (unsigned char)~kinds[n - 1].mask;
    for (size_t i = 1; i < n; i++) {
      if ((text[i] & 0xc0) != 0x80) {
        return 0;
      }
      code = code << 6 | (text[i] & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= kinds[n - 1].min_code && code <= 0x10ffff && !surrogate ? n : 0;
  }
  return 0;
}

unsigned cardan__utf8_code(const unsigned char *text, size_t n)
{
  unsigned code = n == 1 ? text[0] : text[0] & (0x7fU >> n);
  for (size_t i = 1; i < n; i++) {
    code = code << 6 | (text[i] & 0x3fU);
  }
  return code;
}

bool cardan__utf8_hidden(const unsigned char *text, size_t n)
{
  if (n == 1) {
    return text[0] < 0x20U || text[0] == 0x7fU;
  }
  const unsigned code = cardan__utf8_code(text, n);
  return (code >= 0x80U && code <= 0x9fU) || code == 0x61cU || code == 0x200eU || code == 0x200fU ||
         (code >= 0x202aU && code <= 0x202eU) || (code >= 0x2066U && code <= 0x2069U);
}

size_t cardan__utf8_cut(const char *text, size_t limit)
{
  // back over at most three continuation bytes to the first byte of the last character
  size_t start = limit;
  while (start > 0 && limit - start < 3 && is_continuation(text[start - 1])) {
    start--;
  }
  if (start == 0) {
    return limit;
  }
  const unsigned char lead = (unsigned char)text[start - 1];
  size_t need = 1;
  if (lead >= 0xF0U) {
    need = 4;
  } else if (lead >= 0xE0U) {
    need = 3;
  } else if (lead >= 0xC0U) {
    need = 2;
  }
  const size_t have = limit - start + 1;
  return have < need ? start - 1 : limit;
}
