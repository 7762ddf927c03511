/* SPDX-License-Identifier: Apache-2.0
 * output/json.h - JSON, written piece by piece.
 *
 *   cardan__json j = {.out = &text};
 *   cardan__json_open(&j, NULL, '{');  cardan__json_number(&j, "dt", 0.01);  cardan__json_close(&j, '}');
 *
 * key is the name within an object, NULL within an array and at the top. Commas and indentation are
 * this file's; that objects have keys and brackets match is the caller's. Failures stick in out. */
#pragma once
#include <stdint.h>

#include "base/text.h"

typedef struct {
  cardan__text *out;
  int depth;
  bool filled; // something stands before in this object or array
} cardan__json;

void cardan__json_open(cardan__json *json, const char *key, char bracket);
void cardan__json_close(cardan__json *json, char bracket);

/* value NULL gives null. Bytes that are not UTF-8 become U+FFFD. */
void cardan__json_string(cardan__json *json, const char *key, const char *value);
/* 17 significant digits; null when the value is not finite. */
void cardan__json_number(cardan__json *json, const char *key, double value);
void cardan__json_integer(cardan__json *json, const char *key, int64_t value);
void cardan__json_bool(cardan__json *json, const char *key, bool value);
