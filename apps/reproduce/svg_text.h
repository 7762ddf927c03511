/* SPDX-License-Identifier: Apache-2.0
 * reproduce/svg_text.h - text in pictures: escaped, and broken into lines. */
#pragma once
#include "base/text.h"

/* Adds a text to an XML document. What XML cannot hold becomes U+FFFD. */
void cardan__svg_add_text(cardan__text *out, const char *bytes, size_t length);

/* Characters of a text. */
int cardan__svg_letters(const char *text);

/* Bytes of the first line of at most `letters` > 0 characters; words: broken between words, where
 * one fits. */
size_t cardan__svg_line(const char *text, int letters, bool words);

/* Where lines of text stand: a title that begins at x, or a label centred about x; upright: turned
 * to be read from below, its middle at y. */
typedef struct {
  int x, y, line; // line: from one to the next
  bool title, upright;
} cardan__svg_block;

int cardan__svg_block_lines(const cardan__svg_block *block, const char *text);
void cardan__svg_add_block(cardan__text *out, const cardan__svg_block *block, const char *text);
