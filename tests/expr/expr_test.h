/* SPDX-License-Identifier: Apache-2.0
 * expr_test.h - what the tests of expressions share: constants, reading, leaves by name. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "expr/expr.h"
#include "support.h"

// the constants of these tests: L = 0.25, Gamma = 3, and one that no file could define
static const char *const test_constants[] = {"L", "Gamma", "boundless"};

static inline bool test_constant(void *context, const char *name, size_t length, double *value)
{
  static const double values[] = {0.25, 3.0, 1e300 * 1e10};

  assert_null(context);
  assert_int_equal(length, strlen(name));
  for (int i = 0; i < 3; i++) {
    if (cardan__same_word(name, test_constants[i])) {
      *value = values[i];
      return true;
    }
  }
  return false;
}

static inline const char *test_constant_name(void *context, int i)
{
  assert_null(context);
  return i < 3 ? test_constants[i] : NULL;
}

static const cardan__expr_scope test_scope = {
    .constant = test_constant, .constant_name = test_constant_name, .leaves = CARDAN__LEAVES_ALL};

// an expression that is right
static inline cardan__expr *test_read(const char *text)
{
  cardan_report report = {0};
  cardan__expr *expr;

  if (cardan__expr_read(text, strlen(text), &test_scope, NULL, &report, &expr) != CARDAN_OK) {
    fail_msg("%s\n%d:%d: %s", text, report.pos.line, report.pos.column, report.message);
  }
  return expr;
}

static inline void test_drop(cardan__expr *expr)
{
  cardan__resize(NULL, expr, 0);
}

static inline double *test_doubles(size_t n)
{
  double *a = calloc(n + 1, sizeof a[0]);
  assert_non_null(a);
  return a;
}

// value of the first leaf for the letters t, x, y, z (of q or v), else of a frame's axis
typedef struct {
  double t, x, y, z;
  double A[3], B[3];
} test_point;

static inline void test_leaves(const cardan__expr *expr, const test_point *at, double *x)
{
  for (int i = 0; i < expr->nleaf; i++) {
    const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
    const char *name = cardan__expr_leaf_name(expr, i);
    if (leaf->kind == CARDAN__LEAF_FRAME) {
      x[i] = name[0] == 'A' ? at->A[leaf->axis] : at->B[leaf->axis];
    } else {
      x[i] = leaf->kind == CARDAN__LEAF_T ? at->t
             : name[0] == 'x'             ? at->x
             : name[0] == 'y'             ? at->y
                                          : at->z;
    }
  }
}

// value of a text at a point
static inline double test_value(const char *text, const test_point *at)
{
  cardan__expr *expr = test_read(text);
  double *work = test_doubles(cardan__expr_work(expr)), *x = test_doubles((size_t)expr->nleaf);

  test_leaves(expr, at, x);
  const double value = cardan__expr_value(expr, x, work);
  free(work);
  free(x);
  test_drop(expr);
  return value;
}
