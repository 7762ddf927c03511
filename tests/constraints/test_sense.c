// SPDX-License-Identifier: Apache-2.0
// Pairs whose rows are 0 half a turn off as well: from wherever it starts, assembly closes them as
// the joint turns, or says that it did not.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loops.h"

static const double oblique[3] = {0.48, -0.6, 0.64}, up[3] = {0, 0, 1};
#define AXIS "(axis 0.48 -0.6 0.64)"

static cardan_mat3 turned(const fixture *f)
{
  const cardan_xform A = cardan_frame_pose(f->model, f->data, cardan_model_frame(f->model, "A"));
  const cardan_xform B = cardan_frame_pose(f->model, f->data, cardan_model_frame(f->model, "B"));
  cardan_mat3 R;
  for (int i = 0; i < 9; i++) {
    R.m[i / 3][i % 3] = 0.0;
    for (int k = 0; k < 3; k++) {
      R.m[i / 3][i % 3] += A.R.m[k][i / 3] * B.R.m[k][i % 3];
    }
  }
  return R;
}

/* |R a - a|, or |R - 1| where there is no a, the largest component. */
static double off(const fixture *f, const double *axis)
{
  const cardan_mat3 R = turned(f);
  double largest = 0.0;
  for (int i = 0; i < 3; i++) {
    double along = axis != NULL ? -axis[i] : 0.0;
    for (int k = 0; k < 3; k++) {
      along += axis != NULL ? R.m[i][k] * axis[k] : 0.0;
      largest = axis != NULL ? largest : fmax(largest, fabs(R.m[i][k] - (i == k)));
    }
    largest = fmax(largest, fabs(along));
  }
  return largest;
}

/* Assembles; true: closed, and in its sense. false: it says that it is half a turn off, or open. */
static bool closes(fixture *f, const double *axis)
{
  cardan_report report = {.message = ""};
  const cardan_status status = cardan_assemble(f->model, f->data, NULL, &report);
  if (status == CARDAN_OK) {
    assert_true(cardan_constraint_max(f->model, f->data) <= 1e-12 * (1 + f->model->size_length));
    assert_near(off(f, axis), 0, 1e-8); // what rows hold to second order
    return true;
  }
  assert_int_equal(status, CARDAN_ERR_ASSEMBLY);
  assert_true(strstr(report.message, "half a turn off") || strstr(report.message, "stays off"));
  return false;
}

static void throw(fixture * f, support_rng *rng)
{
  support_random_vec(rng, f->data->q, f->model->nq, 2.0);
  double *quat = f->data->q + 3, norm = 0.0;
  for (int k = 0; k < 4; k++) {
    norm += quat[k] * quat[k];
  }
  for (int k = 0; k < 4; k++) {
    quat[k] /= sqrt(norm);
  }
}

// a body that is free to come always does
static void free_bodies(void **state)
{
  static const struct {
    const char *text;
    const double *axis;
  } pairs[] = {
      {"(weld \"A\" \"B\")", NULL},
      {"(close fixed \"A\" \"B\")", NULL},
      {"(close prismatic \"A\" \"B\" " AXIS ")", NULL},
      {"(close revolute \"A\" \"B\" " AXIS ")", oblique},
      {"(close cylindrical \"A\" \"B\" " AXIS ")", oblique},
      {"(close helical \"A\" \"B\" " AXIS " (pitch 0.1))", oblique},
      {"(close planar \"A\" \"B\")", up},
  };
  support_rng rng = {7};
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "(system (place (0.3 0.1 -0.2) (rpy 0.4 1 -2) (name \"A\")) (joint free \"b\""
             " (mass 1 1 1 1) (place (0.1 0.5 0) (rpy 2 -1 0.3) (name \"B\"))) %s)",
             pairs[i].text);
    fixture f = fixture_load(text);
    for (int k = 0; k < 1000; k++) {
      throw(&f, &rng);
      assert_true(closes(&f, pairs[i].axis));
    }
    fixture_free(&f);
  }
}

// exactly half a turn off, where nothing shows the way; and two such bodies one after the other
static void from_the_wrong_side(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (tx 0 (name \"A\")) (joint free \"b\" (mass 1 1 1 1) (name \"B\"))"
                   " (weld \"A\" \"B\") (initial (\"b\" (0 0 0 0 0 1 0))))");
  assert_true(closes(&f, NULL));
  fixture_free(&f);
  f = fixture_load("(system (tx 1 (name \"A\")) (joint free \"b\" (mass 1 1 1 1)"
                   " (joint spherical \"s\" (mass 1 1 1 1) (tx 0.2 (name \"B\"))))"
                   " (joint free \"c\" (mass 1 1 1 1) (name \"C\"))"
                   " (weld \"A\" \"B\") (close revolute \"A\" \"C\")"
                   " (initial (\"b\" (0 0 0 0 1 0 0)) (\"s\" (0.6 0.8 0 0))"
                   " (\"c\" (1 2 0 0.1 1 0 0))))");
  assert_true(closes(&f, NULL));
  assert_int_equal(cardan_model_frame(f.model, "C") >= 0, 1);
  fixture_free(&f);
}

#define ARM(q, end)                                                                     \
  "(tx 0.1 (rz \"" q "1\" (tz 0.4 (mass 1 1 1 1) (ry \"" q "2\" (tx 0.5 (mass 1 1 1 1)" \
  " (ry \"" q "3\" (tx 0.4 (mass 1 1 1 1) (rx \"" q "4\" (tx 0.2 (mass 1 1 1 1)"        \
  " (ry \"" q "5\" (tx 0.1 (mass 1 1 1 1) (rx \"" q "6\" (ty 0.1 (mass 1 1 1 1)"        \
  " (name \"" end "\"))))))))))))))"

// an arm of six hinges that is to reach what another like it holds, and so can, from anywhere
static void arms(void **state)
{
  static const char text[] = "(system " ARM("p", "A")
      ARM("q", "B") " (weld \"A\" \"B\") (initial ((\"p1\" 0) fixed)"
                    " ((\"p2\" 0) fixed) ((\"p3\" 0) fixed) ((\"p4\" 0) fixed) ((\"p5\" 0) fixed)"
                    " ((\"p6\" 0) fixed)))";
  support_rng rng = {11};
  int closed = 0;
  (void)state;
  fixture f = fixture_load(text);
  for (int k = 0; k < 200; k++) {
    support_random_vec(&rng, f.data->q, f.model->nq, 2.0);
    closed += closes(&f, NULL);
  }
  print_message("arms: %d of 200 closed, the others say why not\n", closed);
  assert_true(closed >= 140);
  fixture_free(&f);
}

// a hinge in a plane whose frame is turned over cannot come right: it is named
static void out_of_reach(void **state)
{
  char text[1024];
  cardan_report report = {.message = ""};
  (void)state;
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0,
                     "(at \"C\" (rx pi (name \"over\")))"
                     " (close revolute \"B\" \"over\" (axis 0 1 0) (name \"pin\"))",
                     "(\"q1\" -1.2)");
  fixture f = fixture_load(text);
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "\"pin\" closes only half a turn off"));
  assert_near(f.data->q[0], -1.2, 0.0); // as before
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies),
      cmocka_unit_test(from_the_wrong_side),
      cmocka_unit_test(arms),
      cmocka_unit_test(out_of_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
