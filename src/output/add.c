// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cardan/output.h"
#include "output/result_table.h"

static const char *const words[] = {"momentum", "reactions", "multipliers", "work",
                                    "errors",   "contacts",  "tyres"};
static const int flags[] = {CARDAN_ADD_MOMENTUM, CARDAN_ADD_REACTIONS, CARDAN_ADD_MULTIPLIERS,
                            CARDAN_ADD_WORK,     CARDAN_ADD_ERRORS,    CARDAN_ADD_CONTACTS,
                            CARDAN_ADD_TYRES};
enum { WORDS = sizeof words / sizeof words[0] };

/* The flag of one word; 0 and a sentence when there is none. */
static int flag_of(const char *word, cardan_report *report)
{
  for (int i = 0; i < WORDS; i++) {
    if (strcmp(words[i], word) == 0) {
      return flags[i];
    }
  }
  const char *near = cardan__nearest(word, words, WORDS);
  if (near) {
    cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                "add is \"%.40s\"; did you mean \"%s\"?", word, near);
  } else {
    cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                "add is \"%.40s\", expected one or more of momentum, reactions, multipliers, work, "
                "errors, contacts, tyres with commas between",
                word);
  }
  return 0;
}

cardan_status cardan_add_read(const char *text, int *add, cardan_report *report)
{
  int all = 0;
  for (const char *c = text;; c++) {
    const size_t length = strcspn(c, ",");
    char word[64];
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 63, c);
    const int flag = flag_of(word, report);
    if (flag == 0) {
      return CARDAN_ERR_ARGUMENT;
    }
    all |= flag;
    c += length;
    if (*c == '\0') {
      *add = all;
      return CARDAN_OK;
    }
  }
}

/* A column of CARDAN_ADD_WORK; other columns that can be called so have something before it. */
static bool is_of_work(const char *name)
{
  return strcmp(name, "work") == 0 || strcmp(name, "balance") == 0;
}

int cardan__add_beside(int add, char *const *column, int n)
{
  bool found = false;
  for (int k = 0; k < n; k++) {
    found = found || is_of_work(column[k]);
  }
  return found ? CARDAN_ADD_WORK & ~add : 0;
}

bool cardan_result_was_requested(const cardan_result *result, int k)
{
  const char *name = result->column[k];
  const bool lost = strncmp(name, "lost.", 5) == 0 && !(result->add & CARDAN_ADD_CONTACTS);
  return !(result->beside & CARDAN_ADD_WORK) || !(is_of_work(name) || lost);
}

void cardan__add_write(int add, char *text)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < WORDS; i++) {
    if (add & flags[i]) {
      used += (size_t)snprintf(text + used, CARDAN__ADD_SIZE - used, "%s%s", used > 0 ? "," : "",
                               words[i]);
    }
  }
}
