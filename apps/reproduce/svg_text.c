// SPDX-License-Identifier: Apache-2.0
#include "reproduce/svg_text.h"

#include <string.h>

/* Characters to a line; those of an upright label are few, because the plot is not high. */
enum { TITLE_LETTERS = 74, LABEL_LETTERS = 90, UPRIGHT_LETTERS = 46 };

/* Is the character, of n bytes, one that XML 1.0 allows? Not most controls, U+FFFE, U+FFFF. */
static bool allowed(const unsigned char *c, size_t n)
{
  if (n == 3) {
    return !(c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe);
  }
  return n > 1 || (n == 1 && (c[0] >= 0x20 || c[0] == '\t' || c[0] == '\n') && c[0] != 0x7f);
}

static const char *entity_of(unsigned char c)
{
  switch (c) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  default:
    return NULL;
  }
}

void cardan__svg_add_text(cardan__text *out, const char *bytes, size_t length)
{
  const unsigned char *c = (const unsigned char *)bytes;
  for (size_t i = 0; i < length;) {
    const size_t n = cardan__utf8_length(c + i, length - i);
    const char *instead = allowed(c + i, n) ? entity_of(c[i]) : "\xef\xbf\xbd";
    if (instead) {
      cardan__text_add(out, instead, strlen(instead));
    } else {
      cardan__text_add(out, bytes + i, n);
    }
    i += n > 0 ? n : 1;
  }
}

static size_t character(const char *text)
{
  const size_t n = cardan__utf8_length((const unsigned char *)text, strlen(text));
  return n > 0 ? n : 1;
}

int cardan__svg_letters(const char *text)
{
  int letters = 0;
  for (; *text != '\0'; text += character(text)) {
    letters++;
  }
  return letters;
}

size_t cardan__svg_line(const char *text, int letters, bool words)
{
  size_t at = 0, space = 0;
  for (int i = 0; i < letters && text[at] != '\0'; i++) {
    space = text[at] == ' ' ? at : space;
    at += character(text + at);
  }
  const bool whole = text[at] == '\0' || text[at] == ' ';
  return words && !whole && space > 0 ? space : at;
}

static int letters_of(const cardan__svg_block *block)
{
  return block->title ? TITLE_LETTERS : block->upright ? UPRIGHT_LETTERS : LABEL_LETTERS;
}

/* Where the next line begins. */
static const char *next_line(const cardan__svg_block *block, const char *text, size_t *length)
{
  *length = cardan__svg_line(text, letters_of(block), true);
  return text + *length + strspn(text + *length, " ");
}

int cardan__svg_block_lines(const cardan__svg_block *block, const char *text)
{
  int lines = 0;
  size_t length;
  while (*text != '\0') {
    text = next_line(block, text, &length);
    lines++;
  }
  return lines;
}

void cardan__svg_add_block(cardan__text *out, const cardan__svg_block *block, const char *text)
{
  const char *const kind = block->title ? "class=\"text\" font-size=\"15\" font-weight=\"600\""
                                        : "class=\"text\" text-anchor=\"middle\"";
  int x = block->x, y = block->y;
  while (*text != '\0') {
    size_t length;
    const char *next = next_line(block, text, &length);
    cardan__text_printf(out, "<text %s x=\"%d\" y=\"%d\"", kind, x, y);
    if (block->upright) {
      cardan__text_printf(out, " transform=\"rotate(-90 %d %d)\"", x, y);
    }
    cardan__text_add(out, ">", 1);
    cardan__svg_add_text(out, text, length);
    cardan__text_printf(out, "</text>\n");
    x += block->upright ? block->line : 0;
    y += block->upright ? 0 : block->line;
    text = next;
  }
}
