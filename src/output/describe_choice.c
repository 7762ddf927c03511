// SPDX-License-Identifier: Apache-2.0
#include "output/describe_choice.h"

#include <inttypes.h>
#include <math.h>

#include "output/text_output.h"

void cardan__json_choice(cardan__json *j, const cardan_choice *choice)
{
  cardan__json_open(j, "auto", '{');
  cardan__json_number(j, "accuracy", choice->accuracy);
  cardan__json_number(j, "error", choice->error);
  cardan__json_number(j, "cost", choice->cost);
  cardan__json_number(j, "spent", choice->spent);
  cardan__json_number(j, "trial", choice->trial);
  cardan__json_int(j, "chosen", choice->chosen);
  cardan__json_open(j, "tries", '[');
  for (int i = 0; i < choice->ntry; i++) {
    const cardan_try *t = &choice->tries[i];
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "label", t->label);
    cardan__json_bool(j, "whole", t->whole);
    cardan__json_number(j, "error", t->error);
    cardan__json_int(j, "evaluations", t->evaluations);
    cardan__json_number(j, "cost", t->cost);
    cardan__json_string(j, "why", t->why);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
  cardan__json_close(j, '}');
}

static void write_try(cardan__text *out, const cardan_choice *choice, const cardan_try *t)
{
  cardan__text_printf(out, "%s, ", t->label);
  if (t->whole) {
    cardan__text_printf(out, "to the end: ");
  } else {
    cardan__text_printf(out, "to t = ");
    cardan__text_output_number(out, choice->trial);
    cardan__text_printf(out, " s: ");
  }
  if (!isnan(t->error)) {
    cardan__text_printf(out, "error ");
    cardan__text_output_number(out, t->error);
    cardan__text_printf(out, ", ");
  }
  cardan__text_printf(out, "cost ");
  cardan__text_output_number(out, t->cost);
  if (t->why[0] != '\0') {
    cardan__text_printf(out, "; ");
    cardan__text_output_name(out, t->why);
  }
}

void cardan__text_output_choice(cardan__text *out, const cardan_choice *choice)
{
  cardan__text_output_label(out, "chosen");
  cardan__text_printf(out, "%s: estimated error ", choice->tries[choice->chosen].label);
  cardan__text_output_number(out, choice->error);
  cardan__text_printf(out, " of ");
  cardan__text_output_number(out, choice->accuracy);
  cardan__text_printf(out, ", cost ");
  cardan__text_output_number(out, choice->cost);
  cardan__text_printf(out, " (in evaluations by aba); to choose, ");
  cardan__text_output_number(out, choice->spent);
  for (int i = 0; i < choice->ntry; i++) {
    if (i != choice->chosen) {
      cardan__text_output_label(out, i == 0 ? "tried" : "");
      write_try(out, choice, &choice->tries[i]);
    }
  }
}
