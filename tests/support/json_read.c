// SPDX-License-Identifier: Apache-2.0
#include "json_read.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 32 };

static const char *space(const char *c)
{
  return c + strspn(c, " \t\r\n");
}

/* Each of these returns the place behind what it reads, NULL when there is no such thing. */

static const char *string(const char *c)
{
  if (*c++ != '"') {
    return NULL;
  }
  while (*c != '"') {
    if ((unsigned char)*c < 0x20) {
      return NULL;
    }
    if (*c == '\\') {
      c++;
      if (*c == 'u') {
        if (strspn(c + 1, "0123456789abcdefABCDEF") < 4) {
          return NULL;
        }
        c += 4;
      } else if (*c == '\0' || !strchr("\"\\/bfnrt", *c)) {
        return NULL;
      }
    }
    c++;
  }
  return c + 1;
}

static const char *digits(const char *c)
{
  const size_t n = strspn(c, "0123456789");
  return n > 0 ? c + n : NULL;
}

static const char *number(const char *c)
{
  c += *c == '-';
  c = *c == '0' ? c + 1 : digits(c);
  if (c && *c == '.') {
    c = digits(c + 1);
  }
  if (c && (*c == 'e' || *c == 'E')) {
    c++;
    c = digits(c + (*c == '+' || *c == '-'));
  }
  return c;
}

static const char *value(const char *c, int depth);

static const char *members(const char *c, char close, int depth)
{
  c = space(c + 1);
  if (*c == close) {
    return c + 1;
  }
  for (;;) {
    if (close == '}') {
      c = string(c);
      c = c ? space(c) : NULL;
      if (!c || *c != ':') {
        return NULL;
      }
      c = space(c + 1);
    }
    c = value(c, depth + 1);
    c = c ? space(c) : NULL;
    if (!c || (*c != ',' && *c != close)) {
      return NULL;
    }
    if (*c == close) {
      return c + 1;
    }
    c = space(c + 1);
  }
}

static const char *value(const char *c, int depth)
{
  static const char *const words[] = {"true", "false", "null"};
  if (depth > DEPTH) {
    return NULL;
  }
  for (int i = 0; i < 3; i++) {
    if (strncmp(c, words[i], strlen(words[i])) == 0) {
      return c + strlen(words[i]);
    }
  }
  switch (*c) {
  case '{':
    return members(c, '}', depth);
  case '[':
    return members(c, ']', depth);
  case '"':
    return string(c);
  default:
    return number(c);
  }
}

bool json_valid(const char *text)
{
  const char *end = value(space(text), 0);
  return end && *space(end) == '\0';
}

/* The next key of an object from c, behind its '{' or a comma; *after is its value. */
static const char *next_key(const char *c, const char **after)
{
  c = space(c + 1);
  const char *end = string(c);
  if (!end) {
    return NULL;
  }
  *after = space(space(end) + 1);
  return c + 1;
}

const char *json_find(const char *text, const char *key)
{
  const char *dot = strchr(key, '.'), *after;
  const size_t length = dot ? (size_t)(dot - key) : strlen(key);
  const char *c = space(text);
  if (*c != '{') {
    return NULL;
  }
  for (const char *k; (k = next_key(c, &after)) != NULL;) {
    if (strncmp(k, key, length) == 0 && k[length] == '"') {
      return dot ? json_find(after, dot + 1) : after;
    }
    c = value(after, 0);
    c = c ? space(c) : NULL;
    if (!c || *c != ',') {
      return NULL;
    }
  }
  return NULL;
}

void json_keys(const char *text, char *keys, int size)
{
  const char *c = space(text), *after;
  int used = 0;
  keys[0] = '\0';
  for (const char *k; *c != '}' && (k = next_key(c, &after)) != NULL;) {
    used += snprintf(keys + used, (size_t)(size - used), "%s%.*s", used > 0 ? " " : "",
                     (int)(string(k - 1) - k - 1), k);
    c = value(after, 0);
    if (!c || used >= size) {
      return;
    }
    c = space(c);
  }
}
