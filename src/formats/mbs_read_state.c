// SPDX-License-Identifier: Apache-2.0
#include "formats/mbs_read.h"

/* (state "z" (initial 0) (derivative expression))
 * (memory "z" (initial 0) (every T) (next expression))
 * (controller "u" (every T) expression) */

/* The part (WORD ..) at form->next, opened; it is passed over. */
static bool take_part(cardan__mbs_form *form, const char *word, const char *what,
                      cardan__mbs_form *part)
{
  cardan__mbs *reader = form->reader;
  if (form->next < 0 || !cardan__sexpr_is_form(&reader->tree, form->next, word)) {
    return cardan__mbs_expected(form, what);
  }
  *part = cardan__mbs_open(reader, form->next, form->usage);
  form->next = reader->tree.nodes[form->next].next;
  return true;
}

/* (WORD number) */
static bool take_number(cardan__mbs_form *form, const char *word, const char *what, double *value)
{
  cardan__mbs_form part;
  return take_part(form, word, what, &part) && cardan__mbs_number(&part, "a number", value) &&
         cardan__mbs_close(&part);
}

bool cardan__mbs_aux_state(cardan__mbs *reader, int list, bool memory)
{
  cardan__mbs_form form =
      cardan__mbs_open(reader, list,
                       memory ? "(memory \"z\" (initial 0) (every 0.01) (next expression))"
                              : "(state \"z\" (initial 0) (derivative expression))");
  const unsigned leaves = memory ? CARDAN__SAMPLE_LEAVES : CARDAN__STATE_LEAVES;
  const char *word = memory ? "next" : "derivative";
  cardan_aux_state_def state = {0};
  const cardan__expr *expr;
  cardan__mbs_form part;
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of an auxiliary state", &state.name, &pos) ||
      (form.next >= 0 && cardan__sexpr_is_form(&reader->tree, form.next, "initial") &&
       !take_number(&form, "initial", "(initial ..)", &state.initial)) ||
      (memory && !take_number(&form, "every", "its sample time (every ..)", &state.every)) ||
      !take_part(&form, word, memory ? "(next ..)" : "(derivative ..)", &part) ||
      !cardan__mbs_expr(&part, "an expression", leaves, &expr) || !cardan__mbs_close(&part) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  if (memory && !(state.every > 0.0)) {
    return cardan__mbs_fail(reader, list, "found the sample time %g; expected one above 0",
                            state.every);
  }
  cardan_spec_at(reader->spec, pos);
  cardan__spec_aux_state_add(reader->spec, &state, expr);
  return !reader->spec->status;
}

bool cardan__mbs_controller(cardan__mbs *reader, int list)
{
  cardan__mbs_form form =
      cardan__mbs_open(reader, list, "(controller \"u\" (every 0.01) expression)");
  cardan_controller_def controller = {0};
  const cardan__expr *expr;
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of an input", &controller.input, &pos) ||
      !take_number(&form, "every", "its sample time (every ..)", &controller.every) ||
      !cardan__mbs_expr(&form, "an expression", CARDAN__SAMPLE_LEAVES, &expr) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  cardan__spec_controller_add(reader->spec, &controller, expr);
  return !reader->spec->status;
}
