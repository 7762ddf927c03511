// SPDX-License-Identifier: Apache-2.0
// Any bytes as an expression: what can be read must print to something that reads the same, and its
// derivatives must stay within the memory they ask for.
#include <stdlib.h>

#include "base/arena.h"
#include "expr/expr.h"
#include "fuzz.h"

static void check(bool condition)
{
  if (!condition) {
    abort();
  }
}

static bool one_constant(void *context, const char *name, size_t length, double *value)
{
  (void)context;
  *value = 0.25;
  return length == 1 && name[0] == 'L';
}

static void evaluate(const cardan__expr *expr)
{
  const size_t n = (size_t)expr->nleaf, nwork = cardan__expr_work(expr);
  double *memory = calloc(nwork + (n + 2) * n + 1, sizeof memory[0]);
  double *x = memory + nwork, *g = x + n, *H = g + n, jet[3];

  if (memory) {
    for (size_t i = 0; i < n; i++) {
      x[i] = 0.5 + (double)i;
    }
    cardan__expr_hessian(expr, x, memory, g, H);
    cardan__expr_jet(expr, x, x, x, memory, jet);
  }
  free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const cardan__expr_scope scope = {.constant = one_constant, .leaves = CARDAN__LEAVES_ALL};
  cardan_report report = {0};
  cardan__expr *expr, *again;
  cardan__text text;

  if (cardan__expr_read((const char *)data, size, &scope, NULL, &report, &expr) != CARDAN_OK) {
    check(report.message[0] != '\0' && report.pos.line > 0 && report.pos.column > 0);
    return 0;
  }
  if (expr->nleaf < 100) {
    evaluate(expr);
  }
  cardan__text_init(&text, NULL);
  cardan__expr_print(expr, &text);
  check(!text.failed);
  check(cardan__expr_read(text.data, text.length, &scope, NULL, NULL, &again) == CARDAN_OK);
  check(cardan__expr_equal(expr, again));
  cardan__text_free(&text);
  cardan__resize(NULL, expr, 0);
  cardan__resize(NULL, again, 0);
  return 0;
}
