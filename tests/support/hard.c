// SPDX-License-Identifier: Apache-2.0
#include "hard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

struct hard_page {
  char *text;
  size_t used, size;
};

void hard_put(hard_page *page, const char *format, ...)
{
  for (;;) {
    va_list list;
    va_start(list, format);
    const size_t room = page->size - page->used;
    const int n = vsnprintf(page->text + page->used, room, format, list);
    va_end(list);
    assert_true(n >= 0);
    if ((size_t)n < room) {
      page->used += (size_t)n;
      return;
    }
    page->size = 2 * page->size + (size_t)n;
    page->text = realloc(page->text, page->size);
    assert_non_null(page->text);
  }
}

const char *hard_class_name(hard_class class)
{
  static const char *const names[HARD_NCLASS] = {"rest",  "roots",  "redundant", "singular",
                                                 "folds", "starts", "friction"};
  return names[class];
}

const hard_case *hard_cases(hard_class class, int *count)
{
  static const hard_case *const lists[HARD_NCLASS] = {
      hard_rest, hard_roots, hard_redundant, hard_singular, hard_folds, hard_starts, hard_friction};
  const int counts[HARD_NCLASS] = {hard_nrest,  hard_nroots,  hard_nredundant, hard_nsingular,
                                   hard_nfolds, hard_nstarts, hard_nfriction};
  *count = counts[class];
  return lists[class];
}

const hard_case *hard_find(const char *name)
{
  for (int class = 0; class < HARD_NCLASS; class ++) {
    int n = 0;
    const hard_case *list = hard_cases((hard_class) class, &n);
    for (int i = 0; i < n; i++) {
      if (strcmp(list[i].name, name) == 0) {
        return &list[i];
      }
    }
  }
  print_error("no hard case \"%s\"\n", name);
  fail();
  return NULL;
}

char *hard_model(const hard_case *c)
{
  hard_page page = {.text = malloc(4096), .size = 4096};
  assert_non_null(page.text);
  if (c->write == NULL) {
    hard_put(&page, "%.*s", (int)strcspn(c->name, "/"), c->name);
    return page.text;
  }
  hard_put(&page, "(system \"%s\"\n", c->name);
  c->write(&page, c->a);
  hard_put(&page, "  (simulate (dt %.17g) (time %.17g)))\n", c->dt, c->time);
  return page.text;
}
