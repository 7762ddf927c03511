// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "model/spec.h"

/* Expressions of a spec: the constants and parameters that they may name, and how one is read. */

/* The constant or parameter of this name, case apart; -1: none. */
static int find_define(const cardan_spec *spec, const char *name, size_t length)
{
  char small[CARDAN__NAME_MAX + 1];
  if (length > CARDAN__NAME_MAX) {
    return -1;
  }
  for (size_t i = 0; i < length; i++) {
    small[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
  }
  return cardan__names_get_part(&spec->define_names, small, length);
}

int cardan__spec_find_define(const cardan_spec *spec, const char *name)
{
  return find_define(spec, name, strlen(name));
}

static bool find_constant(void *context, const char *name, size_t length, double *value)
{
  const cardan_spec *spec = context;
  const int found = find_define(spec, name, length);
  if (found >= 0) {
    *value = spec->define[found].value;
  }
  return found >= 0;
}

static const char *constant_name(void *context, int i)
{
  const cardan_spec *spec = context;
  return i < spec->ndefine ? spec->define[i].name : NULL;
}

static const char *find_parameter(void *context, const char *name, size_t length)
{
  const cardan_spec *spec = context;
  const int found = find_define(spec, name, length);
  return found >= 0 && spec->define[found].alive ? spec->define[found].name : NULL;
}

cardan__expr_scope cardan__spec_scope(cardan_spec *spec, unsigned leaves)
{
  return (cardan__expr_scope){.constant = find_constant,
                              .constant_name = constant_name,
                              .parameter = spec->nparameter > 0 ? find_parameter : NULL,
                              .closing = spec->lowered ? cardan__spec_closing_of : NULL,
                              .context = spec,
                              .leaves = leaves | CARDAN__LEAVES_PARAMETER};
}

const cardan__expr *cardan__spec_keep_expr(cardan_spec *spec, cardan__expr *expr)
{
  void *memory = cardan__arena_take(&spec->arena, 1, cardan__expr_size(expr));
  cardan__expr *copy = memory ? cardan__expr_copy(expr, memory) : NULL;
  cardan__resize(spec->allocator, expr, 0);
  cardan__spec_memory(spec, copy ? CARDAN_OK : CARDAN_ERR_MEMORY);
  return copy;
}

/* Its leaves stand at the position of the call. */
static const cardan__expr *read_expr(cardan_spec *spec, const char *text, unsigned leaves)
{
  const cardan__expr_scope scope = cardan__spec_scope(spec, leaves);
  cardan_report report = {0};
  cardan__expr *expr = NULL;
  const cardan_status status =
      cardan__expr_read(text, strlen(text), &scope, spec->allocator, &report, &expr);
  if (status) {
    cardan__spec_fail(spec, status, "in the expression %s: %s", cardan__show(text).text,
                      report.message[0] ? report.message : cardan_status_text(status));
    return NULL;
  }
  cardan__expr_leaf *leaf = (void *)((char *)expr + expr->leaf);
  for (int i = 0; i < expr->nleaf; i++) {
    leaf[i].pos = spec->at;
  }
  return cardan__spec_keep_expr(spec, expr);
}

const cardan__expr *cardan__spec_read_expr(cardan_spec *spec, const char *text, unsigned leaves)
{
  // an empty text is said to be no expression
  return spec->status ? NULL : read_expr(spec, text ? text : "", leaves);
}
