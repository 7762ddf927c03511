/* SPDX-License-Identifier: Apache-2.0
 * output/json.h - JSON under construction, safe to put inside a <script> element.
 *
 *   cardan__json_open(&j, "runs", '['); .. cardan__json_close(&j, ']');     commas are kept track
 *   of
 * A key NULL means an entry of an array. Failures of memory stick in the text. */
#pragma once
#include <stdint.h>

#include "base/text.h"

enum { CARDAN__JSON_DEPTH = 16 };

typedef struct {
  cardan__text text;
  int depth;
  bool more[CARDAN__JSON_DEPTH]; // the object or array at each depth has entries
  cardan__text *block; // where numbers in binary go instead (output/pack.h); NULL: into the text
} cardan__json;

void cardan__json_init(cardan__json *json, const cardan_allocator *alloc);
/* bracket: '{' or '[' */
void cardan__json_open(cardan__json *json, const char *key, char bracket);
void cardan__json_close(cardan__json *json, char bracket);
/* A NUL-terminated text, or length bytes. Bytes that are not UTF-8 become U+FFFD. value NULL:
 * null. */
void cardan__json_string(cardan__json *json, const char *key, const char *value);
void cardan__json_bytes(cardan__json *json, const char *key, const char *value, size_t length);
/* Numbers that are not finite become null. */
void cardan__json_number(cardan__json *json, const char *key, double value);
/* The same with 9 digits: for what is only looked at. */
void cardan__json_short(cardan__json *json, const char *key, double value);
void cardan__json_int(cardan__json *json, const char *key, int64_t value);
void cardan__json_bool(cardan__json *json, const char *key, bool value);
/* Arrays of numbers, and of the rows of a matrix (row-major). */
void cardan__json_numbers(cardan__json *json, const char *key, const double *x, int n);
void cardan__json_matrix(cardan__json *json, const char *key, const double *A, int rows,
                         int columns);
/* Text that is JSON already. */
void cardan__json_raw(cardan__json *json, const char *key, const char *value);

/* Numbers in binary, little-endian, as a base64 string: open, then any of the adds, of one kind
 * where there is a block, then close. With a block they go there, and the string says how they lie:
 * "@SIZE REAL STRIDE ORDER AT COUNT".
 * stride  to be set after the open where series are interleaved: numbers from one to the next */
typedef struct {
  cardan__json *json;
  int stride, size;
  bool real;
  size_t at;
  unsigned char rest[3];
  int nrest;
} cardan__base64;

void cardan__base64_open(cardan__base64 *b, cardan__json *json, const char *key);
void cardan__base64_double(cardan__base64 *b, double value);
void cardan__base64_float(cardan__base64 *b, float value);
void cardan__base64_short(cardan__base64 *b, uint16_t value);
void cardan__base64_close(cardan__base64 *b);
