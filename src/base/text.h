/* SPDX-License-Identifier: Apache-2.0
 * base/text.h - growing texts, numbers as text, UTF-8, suggestions for misspelled words.
 *
 *   cardan__text          a buffer that grows, printf style
 *   cardan__format_number a double as text that reads back to the same double, in any locale
 *   cardan__nearest       "did you mean": the closest word of a list
 *   cardan__report_file   the file name of a report
 *   cardan__utf8_length   the bytes of a character
 *   cardan__utf8_hidden   is it a control character, or one that changes the direction of text?
 *   cardan__utf8_cut      where to cut a text so that no character is broken */
#pragma once
#include <stdarg.h>

#include "cardan/base.h"

/* Text under construction. Start from cardan__text_init; data is NULL until something is added and
 * ends in a NUL from then on. After an allocation has failed all later calls do nothing, so a
 * writer checks `failed` once, at its end. */
typedef struct {
  cardan_allocator alloc;
  char *data;
  size_t length;   // bytes before the NUL
  size_t capacity; // bytes of data, the NUL's included
  bool failed;
} cardan__text;

void cardan__text_init(cardan__text *text, const cardan_allocator *alloc);
void cardan__text_free(cardan__text *text);

/* Appends length bytes; bytes must not point into the text itself. */
void cardan__text_add(cardan__text *text, const char *bytes, size_t length);

/* Appends, printf style. For doubles use cardan__text_number: %g follows the locale. */
void cardan__text_printf(cardan__text *text, const char *format, ...) CARDAN_PRINTF(2, 3);
void cardan__text_vprintf(cardan__text *text, const char *format, va_list args) CARDAN_PRINTF(2, 0);

/* Appends the shortest decimal text that reads back to the same double. */
void cardan__text_number(cardan__text *text, double value);

/* Room for any result of cardan__format_number, the NUL included. */
enum { CARDAN__NUMBER_SIZE = 32 };

/* Writes value with `digits` significant digits (1 to 17, as %g does), or, with digits 0, with the
 * fewest from 15 that read back to the same double. The decimal point is '.' in every locale.
 * buffer  out: at least CARDAN__NUMBER_SIZE bytes
 * returns the length of the text */
size_t cardan__format_number(char *buffer, double value, int digits);

/* The entry of list (n words, none NULL) nearest to word by inserting, deleting, replacing and
 * swapping letters, ignoring case. NULL if all are too different (more edits than a third of the
 * word's letters, at least 1), or word has over 63 bytes. Of equally near ones, the first. */
const char *cardan__nearest(const char *word, const char *const *list, int n);

/* Sets report->file (report may be NULL); a name that is too long keeps its end, after "...". */
void cardan__report_file(cardan_report *report, const char *name);

/* Length of the UTF-8 character at text, which has `available` bytes; 0 if it is not valid. */
size_t cardan__utf8_length(const unsigned char *text, size_t available);

/* Is the character of n bytes at text (n from cardan__utf8_length, not 0) one that a name must not
 * contain: a control character (U+0000 to 1F, U+007F to 9F), or one that changes the direction in
 * which its neighbours are displayed (U+061C, U+200E, U+200F, U+202A to 202E, U+2066 to 2069), so
 * that a name looks like another one? */
bool cardan__utf8_hidden(const unsigned char *text, size_t n);

/* The code point of the character of n bytes at text; n from cardan__utf8_length, not 0. */
unsigned cardan__utf8_code(const unsigned char *text, size_t n);

/* The largest length <= limit at which cutting text breaks no UTF-8 character. text has at least
 * limit bytes; invalid UTF-8 may be cut anywhere. */
size_t cardan__utf8_cut(const char *text, size_t limit);
