// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "formats/mbs_read.h"

/* The nodes of the item that is being read, failures at them, and the stack of lists. */

cardan_pos cardan__mbs_pos(const cardan__mbs *reader, int node)
{
  return reader->tree.nodes[node].pos;
}

static bool is_kind(const cardan__mbs *reader, int node, cardan__sexpr_kind kind)
{
  return node >= 0 && reader->tree.nodes[node].kind == (int)kind;
}

bool cardan__mbs_is_list(const cardan__mbs *reader, int node)
{
  return is_kind(reader, node, CARDAN__SEXPR_LIST);
}

bool cardan__mbs_is_number(const cardan__mbs *reader, int node)
{
  return is_kind(reader, node, CARDAN__SEXPR_NUMBER);
}

bool cardan__mbs_is_string(const cardan__mbs *reader, int node)
{
  return is_kind(reader, node, CARDAN__SEXPR_STRING);
}

bool cardan__mbs_is_symbol(const cardan__mbs *reader, int node)
{
  return is_kind(reader, node, CARDAN__SEXPR_SYMBOL);
}

bool cardan__mbs_fail(cardan__mbs *reader, int node, const char *format, ...)
{
  char message[sizeof(reader->spec->report.message)];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  cardan__spec_fail_at(reader->spec, CARDAN_ERR_SYNTAX, cardan__mbs_pos(reader, node), "%s",
                       message);
  return false;
}

int cardan__mbs_word(const cardan__mbs *reader, int node, const char *const *words, int n)
{
  if (!cardan__mbs_is_symbol(reader, node)) {
    return -1;
  }
  const char *text = cardan__sexpr_text(&reader->tree, node);
  for (int i = 0; i < n; i++) {
    // most differ in the first letter; 0x20: case apart
    if (((text[0] ^ words[i][0]) & ~0x20) == 0 && cardan__same_word(text, words[i])) {
      return i;
    }
  }
  return -1;
}

cardan__shown cardan__mbs_hint(const cardan__mbs *reader, int node, const char *const *words, int n)
{
  cardan__shown shown = {""};
  const bool symbol = cardan__mbs_is_symbol(reader, node);
  const char *near =
      symbol ? cardan__nearest(cardan__sexpr_text(&reader->tree, node), words, n) : NULL;
  if (near) {
    snprintf(shown.text, sizeof(shown.text), "; did you mean \"%s\"?", near);
  }
  return shown;
}

bool cardan__mbs_enter(cardan__mbs *reader, cardan__mbs_level level)
{
  if (!cardan__spec_memory(reader->spec,
                           cardan__grow(reader->spec->allocator, (void **)&reader->level,
                                        &reader->capacity, reader->depth + 1, sizeof(level)))) {
    return false;
  }
  reader->level[reader->depth++] = level;
  return true;
}
