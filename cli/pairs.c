// SPDX-License-Identifier: Apache-2.0
#include "pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

static bool no_memory(void)
{
  cli_error("out of memory");
  return false;
}

bool cli_pairs_set(cli_pairs *pairs, const char *name, double value)
{
  for (int i = 0; i < pairs->n; i++) {
    if (strcmp(pairs->item[i].name, name) == 0) {
      pairs->item[i].value = value;
      return true;
    }
  }
  if (pairs->n == pairs->capacity) {
    const int capacity = 2 * pairs->capacity + 8;
    cardan_setting *item = realloc(pairs->item, (size_t)capacity * sizeof *item);
    if (!item) {
      return no_memory();
    }
    pairs->item = item;
    pairs->capacity = capacity;
  }
  const size_t size = strlen(name) + 1;
  char *copy = malloc(size);
  if (!copy) {
    return no_memory();
  }
  memcpy(copy, name, size);
  pairs->item[pairs->n++] = (cardan_setting){copy, value};
  return true;
}

const char *cli_pairs_name(const char *text, char *name)
{
  bool quoted = false;
  for (; *text && (quoted || (*text != '=' && *text != ',')); text++) {
    if (*text != '"') {
      *name++ = *text;
    } else if (quoted && text[1] == '"') {
      *name++ = *text++;
    } else {
      quoted = !quoted;
    }
  }
  *name = '\0';
  return *text == '=' ? text + 1 : NULL;
}

/* A decimal number that ends at a comma or at the end; NULL when it is none. The command stays in
 * the C locale, so the point is a point. */
static const char *read_value(const char *text, double *value)
{
  const size_t length = strspn(text, "+-.0123456789eE");
  char *end;
  *value = strtod(text, &end);
  const bool good = length > 0 && end == text + length && (*end == ',' || *end == '\0');
  return good && isfinite(*value) ? end : NULL;
}

bool cli_pairs_read(cli_pairs *pairs, const char *option, const char *text)
{
  char *name = malloc(strlen(text) + 1);
  bool good = name ? true : no_memory();
  for (const char *at = text; good; at++) {
    double value;
    const char *after = cli_pairs_name(at, name);
    if (!after || name[0] == '\0') {
      cli_error("--%s has \"%s\", expected NAME=VALUE, more of them after commas", option, at);
      good = false;
      break;
    }
    at = read_value(after, &value);
    if (!at) {
      cli_error("--%s has \"%s\" for %s, expected a number", option, after, name);
      good = false;
      break;
    }
    good = cli_pairs_set(pairs, name, value);
    if (*at == '\0') {
      break;
    }
  }
  free(name);
  return good;
}

void cli_pairs_free(cli_pairs *pairs)
{
  for (int i = 0; i < pairs->n; i++) {
    free((void *)pairs->item[i].name);
  }
  free(pairs->item);
  *pairs = (cli_pairs){0};
}
