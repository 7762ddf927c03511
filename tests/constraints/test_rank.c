// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "constraints/assemble.h"
#include "loops.h"

static int count_redundant(const cardan_model *model)
{
  int n = 0;
  for (int r = 0; r < model->nrow; r++) {
    n += model->row_redundant[r];
  }
  assert_int_equal(n, model->nrow - model->rank);
  return n;
}

static void expect(const char *text, int mobility, int redundant)
{
  fixture f = fixture_load(text);
  assert_int_equal(f.model->mobility, mobility);
  assert_int_equal(count_redundant(f.model), redundant);
  fixture_free(&f);
}

// mobilities by counting on paper; redundant: rows - (coordinates - mobility)
static void builtin_models(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int mobility, redundant;
  } want[] = {{"closed-chain", 3, 0}, {"scissor:1", 1, 0},      {"scissor:7", 1, 0},
              {"slider-crank", 0, 0}, {"four-link", 0, 0},      {"biped", 3, 0},
              {"ring:4", 4, 0},       {"pinned-chain:6", 4, 0}, {"fourbar-3d", 1, 3},
              {"chain:10", 10, 0},    {"screw", 1, 0},          {"gear", 1, 0}};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    fixture f = fixture_load(want[i].name);
    assert_int_equal(f.model->mobility, want[i].mobility);
    assert_int_equal(count_redundant(f.model), want[i].redundant);
    fixture_free(&f);
  }
}

// large, and redundant: counted without dense matrices
static void many_redundant_rows(void **state)
{
  (void)state;
  char *text = loops_fourbars_text(140);
  expect(text, 141, 420);
  free(text);
}

// large enough to be asked by a sparse factorisation first: the same answers
static void many_rows(void **state)
{
  (void)state;
  char *text;
  size_t length;
  assert_int_equal(cardan_load_text("scissor:201", NULL, &text, &length, NULL), CARDAN_OK);
  expect(text, 1, 0);
  char *twice = calloc(length + 200, 1), *initial = strstr(text, "(initial");
  assert_true(twice != NULL && initial != NULL);
  snprintf(twice, length + 200, "%.*s(point-constraint \"a100.mid\" \"b100.mid\" (1 0 1))\n%s",
           (int)(initial - text), text, initial);
  expect(twice, 1, 1);
  free(twice);
  cardan_free_text(NULL, text);
}

// a parallelogram, flat at the start: there its rank is 1, everywhere else it is 2
static void singular_start(void **state)
{
  (void)state;
  char text[1024];
  loops_fourbar_text(text, sizeof text, 1.0, 2.0, 1.0, 2.0, "(coincide \"B\" \"C\")", "");
  expect(text, 1, 1);
  // its drive does not hide that: q1 is held at 0 by a motion
  loops_fourbar_text(text, sizeof text, 1.0, 2.0, 1.0, 2.0,
                     "(coincide \"B\" \"C\") (motion \"q1\" t)", "");
  fixture f = fixture_load(text);
  // at the flat position the velocities of the other links are not determined, but exist
  assert_int_equal(f.model->mobility, 0);
  assert_int_equal(count_redundant(f.model), 1);
  fixture_free(&f);
}

// a plane four-bar closed by a hinge, carried about in space by a free body: the same rows stay
// redundant wherever it is turned to
static void redundancy_turns_with_the_mechanism(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (joint free \"base\" (mass 5 1 1 1)\n"
                   "  (ry \"q1\" (tx 1 (mass 1 0.1 0.1 0.1) (ry \"q2\" (tx 2.5 (mass 2 0.1 0.2 "
                   "0.2) (name \"B\")))))\n"
                   "  (tx 2 (ry \"q3\" (tx 2 (mass 1 0.1 0.1 0.1) (name \"C\")))))\n"
                   "  (close revolute \"B\" \"C\" (axis 0 1 0)) (initial (\"q1\" -1.4) (\"q2\" "
                   "1) (\"q3\" -1.2)))\n");
  support_rng rng = {41};
  assert_int_equal(f.model->mobility, 7);
  assert_int_equal(count_redundant(f.model), 3);
  for (int trial = 0; trial < 50; trial++) {
    cardan_data_reset(f.model, f.data);
    for (int k = 0; k < 7; k++) {
      f.data->q[k] = support_random_in(&rng, -1.0, 1.0);
    }
    support_random_vec(&rng, f.data->v, f.model->nv, 1.0);
    assert_int_equal(cardan_assemble(f.model, f.data, NULL, NULL), CARDAN_OK);
    assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_OK);
  }
  fixture_free(&f);
}

static void repeated_constraints(void **state)
{
  (void)state;
  // the same wire twice; a weld of three bodies in a ring; rows that nothing can move
  expect("(system (tx \"x\" (ty \"y\" (mass 1) (name \"P\"))) (wire \"world\" \"P\" 1) (wire "
         "\"world\" \"P\" 1)"
         " (initial (\"x\" 1)))",
         1, 1);
  expect("(system (joint free \"a\" (mass 1 1 1 1)) (joint free \"b\" (mass 1 1 1 1)) (joint free "
         "\"c\" (mass 1 1 1 1))"
         " (weld \"a\" \"b\") (weld \"b\" \"c\") (weld \"c\" \"a\"))",
         6, 6);
  expect("(system (tz \"z\" (mass 1) (name \"P\")) (point-constraint \"P\" \"world\" 1 0 0))", 1,
         1);
  // an equation in units of its own is as good as any other
  expect(
      "(system (rx \"a\" (mass 1 1 1 1)) (rx \"b\" (mass 1 1 1 1)) (equation (* 1e-7 (- q.a q.b)))"
      " (equation (* 1e9 (+ q.a q.b))))",
      0, 0);
}

// prescribed coordinates are no degrees of freedom, and rows on them alone are redundant
static void prescribed(void **state)
{
  (void)state;
  expect("(system (rx (k \"a\") (mass 1 1 1 1) (rx \"b\" (mass 1 1 1 1))) (rx (k \"c\") (mass 1 1 "
         "1 1))"
         " (motion \"a\" t) (motion \"c\" (* 2 t)) (gear \"a\" \"c\" 2))",
         1, 1);
}

// rows that differ by 1e-4 are two, rows that differ by 1e-12 are one: errors of files against
// rounding
static void tolerance(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "(system (rx \"a\" (mass 1 1 1 1)) (rx \"b\" (mass 1 1 1 1)) (equation (- q.a q.b))"
             " (equation (- q.a (* %.17g q.b))))",
             i == 0 ? 1.0 + 1e-4 : 1.0 + 1e-12);
    expect(text, i, i);
  }
}

static void open_loops_are_an_error(void **state)
{
  (void)state;
  char text[1024];
  cardan_report report = {.message = ""};
  loops_fourbar_text(text, sizeof text, 1.0, 1.0, 1.0, 9.0, "(coincide \"B\" \"C\")", "");
  fixture f = fixture_load(text);
  assert_int_equal(cardan__model_analyze(f.model, &report), CARDAN_ERR_ASSEMBLY);
  assert_int_equal(f.model->rank, f.model->nrow);
  assert_int_equal(count_redundant(f.model), 0);
  assert_int_equal(report.pos.line, 5);
  fixture_free(&f);
}

static cardan_status with_memory(const cardan_allocator *alloc, void *user)
{
  fixture *f = user;
  f->model->allocator = *alloc;
  const cardan_status status = cardan__model_analyze(f->model, NULL);
  f->model->allocator = (cardan_allocator){NULL, NULL};
  return status;
}

static void memory_may_fail(void **state)
{
  (void)state;
  fixture f = fixture_load("fourbar-3d");
  assert_true(support_fail_each(with_memory, &f) >= 5);
  assert_int_equal(f.model->mobility, 1);
  fixture_free(&f);
}

/* A plate on n parallel rods of equal length, shifted, with the given velocity. */
static void platform_text(char *text, size_t size, int n, const char *velocity)
{
  size_t used = (size_t)snprintf(text, size, "(system (joint free \"p\" (mass 2 0.5 0.5 1)");
  for (int i = 0; i < n; i++) {
    used += (size_t)snprintf(text + used, size - used, " (place (%d %d 0) (name \"P%d\"))",
                             i % 2 == 0 ? 1 : -1, i / 2 - 1, i);
  }
  used += (size_t)snprintf(text + used, size - used, ")");
  for (int i = 0; i < n; i++) {
    used += (size_t)snprintf(text + used, size - used,
                             " (place (%d %d 2) (name \"Q%d\")) (wire \"P%d\" \"Q%d\" 1.5)",
                             i % 2 == 0 ? 1 : -1, i / 2 - 1, i, i, i);
  }
  snprintf(text + used, size - used,
           " (initial (\"p\" (0.3 0.2 (- 2 (sqrt 2.12)) 1 0 0 0) (0 0 0 %s))))", velocity);
}

// rods that stay parallel hold three motions of the plate; that they hold a turn to second order
// must not count, nor that they hold it to first order on another branch. The shortest forces are
// shared by all rods
static void platform_on_parallel_rods(void **state)
{
  (void)state;
  char text[2048];
  for (int n = 3; n <= 6; n++) {
    for (int moving = 0; moving < 2; moving++) {
      platform_text(text, sizeof text, n, moving ? "0 0.5 0" : "0 0 0");
      fixture f = fixture_load(text);
      assert_int_equal(f.model->rank, 3);
      assert_int_equal(count_redundant(f.model), n - 3);
      // three rods hold each other's plate in one way only
      for (int r = 0; r < n; r++) {
        assert_int_equal(f.model->row_shared[r], n > 3);
      }
      fixture_free(&f);
    }
  }
}

// of a plane four-bar closed by a hinge and a slide that hangs on it, the slide's row is its own
static void which_multipliers_are_unique(void **state)
{
  (void)state;
  char text[1024];
  loops_fourbar_text(
      text, sizeof text, 1.0, 2.5, 2.0, 2.0,
      "(coincide \"B\" \"C\") (coincide \"B\" \"C\") (tx \"s\" (mass 1) (name \"S\"))"
      " (wire \"S\" \"C\" 3)",
      "(\"q1\" -1.4) (\"q2\" 1) (\"q3\" -1.2) (\"s\" -1)");
  fixture f = fixture_load(text);
  assert_int_equal(f.model->nrow, 7);
  assert_int_equal(f.model->rank, 3);
  for (int r = 0; r < 7; r++) {
    assert_int_equal(f.model->row_shared[r], r < 6);
  }
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builtin_models),
      cmocka_unit_test(many_rows),
      cmocka_unit_test(many_redundant_rows),
      cmocka_unit_test(singular_start),
      cmocka_unit_test(redundancy_turns_with_the_mechanism),
      cmocka_unit_test(repeated_constraints),
      cmocka_unit_test(prescribed),
      cmocka_unit_test(tolerance),
      cmocka_unit_test(open_loops_are_an_error),
      cmocka_unit_test(memory_may_fail),
      cmocka_unit_test(platform_on_parallel_rods),
      cmocka_unit_test(which_multipliers_are_unique),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
