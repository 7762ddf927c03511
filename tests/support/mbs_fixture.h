/* SPDX-License-Identifier: Apache-2.0
 * mbs_fixture.h - what the tests of the model file share. */
#pragma once
#include "cardan/spec.h"
#include "support.h"

/* Reads a text that must be right; prints the report and fails the test when it is not. */
cardan_spec *read_good(const char *text);

/* Reads a text that must be wrong: at this place, with all of `part` in its message. */
void read_bad(const char *text, cardan_status status, int line, int column, const char *part);

/* Wrong texts with the place of the error and a part of its message. */
typedef struct {
  const char *text;
  int line, column;
  const char *part;
} bad_text;
void read_all_bad(const bad_text *list, size_t n, cardan_status status);

/* Are two specs the same, field by field, source positions apart? Fails the test when not.
 * made_names: frames of b may have a name "frame-.." where those of a have none. */
void assert_same_spec(const cardan_spec *a, const cardan_spec *b, bool made_names);

/* Writes the spec, reads the text, compares, writes again, compares the texts. */
void assert_round_trip(const cardan_spec *spec, bool made_names);
