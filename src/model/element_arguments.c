// SPDX-License-Identifier: Apache-2.0
#include "model/elements.h"

/* The words of the kinds of elements, which group a kind belongs to, and the arguments of one. What
 * needs no table of the kinds themselves (elements.c). */

static const char *const words[] = {
#define WORD(kind, id, word) [kind] = (word),
    CARDAN_ELEMENT_LIST(WORD)
#undef WORD
};

const char *cardan__element_word(cardan_element_kind kind)
{
  return words[kind];
}

bool cardan__is_constraint(cardan_element_kind kind)
{
  return (int)kind < CARDAN_NCONSTRAINT_KIND;
}

bool cardan__is_bound(cardan_element_kind kind)
{
  return (int)kind >= CARDAN_NCONSTRAINT_KIND &&
         (int)kind < CARDAN_NCONSTRAINT_KIND + CARDAN_NBOUND_KIND;
}

static int count(const cardan__element *element, cardan__argument_kind kind)
{
  int n = 0;
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    n += element->argument[i].kind == kind;
  }
  return n;
}

int cardan__option_numbers(cardan__argument_kind kind)
{
  switch (kind) {
  case CARDAN__ARG_VALUE_OPTION:
  case CARDAN__ARG_NUMBER_OPTION:
  case CARDAN__ARG_SHARE_OPTION:
    return 1;
  case CARDAN__ARG_PAIR_OPTION:
    return 2;
  case CARDAN__ARG_TRIPLE_OPTION:
    return 3;
  case CARDAN__ARG_QUAD_OPTION:
    return 4;
  default:
    return 0;
  }
}

int cardan__element_values(const cardan__element *element)
{
  int n = count(element, CARDAN__ARG_VALUE) + count(element, CARDAN__ARG_FLAG_OPTION) +
          3 * count(element, CARDAN__ARG_VALUE_LIST);
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    n += cardan__option_numbers(element->argument[i].kind);
  }
  return n;
}

int cardan__element_exprs(const cardan__element *element)
{
  return count(element, CARDAN__ARG_EXPR) + 3 * count(element, CARDAN__ARG_EXPR_LIST);
}

int cardan__element_input(const cardan__element *element)
{
  for (int i = 0; i < CARDAN__MAX_ARGUMENT; i++) {
    if (element->argument[i].kind == CARDAN__ARG_INPUT) {
      return element->argument[i].index;
    }
  }
  return -1;
}

const char *cardan__element_option_wants(const cardan__element *element,
                                         const cardan__spec_element *e, int i)
{
  for (int k = 0; k < CARDAN__MAX_ARGUMENT; k++) {
    const cardan__argument *arg = &element->argument[k];
    const double *value = &e->value[arg->index];
    if (arg->kind == CARDAN__ARG_VALUE_OPTION && arg->index == i && !(*value > 0.0)) {
      return "more than 0";
    }
    if (arg->kind == CARDAN__ARG_SHARE_OPTION && arg->index == i &&
        !(*value >= 0.0 && *value <= 1.0)) {
      return "a number from 0 to 1";
    }
    if (arg->kind == CARDAN__ARG_NUMBER_OPTION && arg->index == i && *value == 0.0) {
      return "a number that is not 0";
    }
    const int n = cardan__option_numbers(arg->kind);
    bool zero = n > 1 && i >= arg->index && i < arg->index + n;
    for (int j = 0; j < n && zero; j++) {
      zero = value[j] == 0.0;
    }
    if (zero) {
      return n == 2 ? "two numbers that are not both 0" : "numbers that are not all 0";
    }
  }
  return NULL;
}

bool cardan__element_joins_frames(const cardan__element *element)
{
  return count(element, CARDAN__ARG_FRAME) == 2;
}
