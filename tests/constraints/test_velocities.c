// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/linalg.h"
#include "loops.h"

/* Start velocities: what is given is kept, the rest follows by the least kinetic energy, and what
 * cannot be is reported or refused. */

static const char pins[] = "(coincide \"B\" \"C\" (name \"pin\"))";

static fixture fourbar(const char *initial)
{
  char text[1024];
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins, initial);
  return fixture_load(text);
}

/* Largest rate of the rows; rounding of speeds about 1 over a loop of condition 10. */
static void assert_closed(fixture *f)
{
  cardan_kinematics(f->model, f->data);
  cardan_constraints(f->model, f->data);
  double J[3 * 8];
  assert_true(f->model->nrow <= 3 && f->model->nv <= 8);
  cardan_jacobian(f->model, f->data, J);
  for (int r = 0; r < f->model->nrow; r++) {
    double rate = f->data->rows.phi_t[r];
    for (int k = 0; k < f->model->nv; k++) {
      rate += J[r * f->model->nv + k] * f->data->v[k];
    }
    assert_near(rate, 0.0, 1e-13);
  }
}

static void assemble(fixture *f, cardan_assembly *result)
{
  cardan_report report = {.message = ""};
  expect_ok(cardan_assemble(f->model, f->data, result, &report), &report, "assemble");
  assert_closed(f);
}

// whichever of a four-bar's speeds is given, it is kept to the last bit, and has one answer
static void given_is_kept(void **state)
{
  (void)state;
  double ratio[2] = {0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    char initial[128];
    snprintf(initial, sizeof initial, "(\"q1\" -1 %s) (\"q2\" 1 %s) (\"q3\" -1 %s)",
             k == 0 ? "0.7" : "", k == 1 ? "0.7" : "", k == 2 ? "0.7" : "");
    fixture f = fourbar(initial);
    cardan_assembly result;
    assemble(&f, &result);
    assert_true(f.data->v[k] == 0.7);
    assert_int_equal(result.v_lost.index, -1);
    for (int i = 1; i < 3; i++) {
      ratio[i - 1] = k == 0 ? f.data->v[i] / f.data->v[0] : ratio[i - 1];
      assert_near(f.data->v[i] / f.data->v[0], ratio[i - 1], 1e-12);
    }
    fixture_free(&f);
  }
}

// a value that a program sets counts as given; so does one equal to the model's own that is marked
static void given_by_a_program(void **state)
{
  (void)state;
  fixture f = fourbar("(\"q1\" -1) (\"q2\" 1) (\"q3\" -1 0.5)");
  cardan_assembly result;
  f.data->v[2] = 0.9;
  assemble(&f, &result);
  assert_true(f.data->v[2] == 0.9);
  cardan_data_reset(f.model, f.data);
  f.data->v_given[0] = true; // at rest, against the file's 0.5 of the rocker: neither can be kept
  assemble(&f, &result);
  assert_int_equal(result.v_lost.index, 2);
  assert_true(result.v_lost.given == 0.5 && result.v_lost.used == f.data->v[2]);
  fixture_free(&f);
}

// fixed holds a place; a speed that is given elsewhere comes before its rest
static void given_before_fixed(void **state)
{
  (void)state;
  fixture f = fourbar("((\"q1\" -1) fixed) (\"q2\" 1) (\"q3\" -1 0.5)");
  cardan_assembly result;
  assemble(&f, &result);
  assert_true(f.data->v[2] == 0.5 && result.fixed_velocity);
  fixture_free(&f);
}

// closed-chain has more freedom than is given: the rest changes by the least kinetic energy. By
// another way: M from cardan_crba, x = M^-1 C^T (C M^-1 C^T)^-1 d, with C the rows and the given
// velocity
static void rest_by_least_energy(void **state)
{
  (void)state;
  fixture f = fixture_load("closed-chain");
  const int nv = f.model->nv, m = f.model->nrow;
  enum { MOST = 16 };
  double M[MOST * MOST], C[MOST * MOST], W[MOST * MOST], S[MOST * MOST], d[MOST] = {0};
  double full[MOST * MOST];
  cardan_assembly result;
  assert_true(nv <= MOST && m < MOST);
  memset(f.model->q_fixed, 0, (size_t)f.model->nq * sizeof *f.model->q_fixed);
  memset(f.data->v, 0, (size_t)nv * sizeof(double));
  f.data->v[2] = 1.0;
  expect_ok(cardan_assemble(f.model, f.data, &result, NULL), NULL, "closed-chain");
  assert_true(f.data->v[2] == 1.0);
  cardan_crba(f.model, f.data, M);
  for (int i = 0; i < nv * nv; i++) {
    full[i] = M[i];
  }
  assert_int_equal(cardan__cholesky(nv, full, 0.0), -1);
  cardan_jacobian(f.model, f.data, C);
  // only rows that are independent, and the given one
  int n = 0;
  for (int r = 0; r < m; r++) {
    if (!f.model->row_redundant[r]) {
      memmove(C + n++ * nv, C + r * nv, (size_t)nv * sizeof *C);
    }
  }
  memset(C + n * nv, 0, (size_t)nv * sizeof *C);
  for (int r = 0; r < n; r++) {
    d[r] = -C[r * nv + 2]; // the rate that the given velocity alone would have
  }
  C[n++ * nv + 2] = 1.0;
  for (int i = 0; i < n; i++) {
    memcpy(W + i * nv, C + i * nv, (size_t)nv * sizeof *W);
    cardan__cholesky_solve(nv, full, W + i * nv);
    for (int j = 0; j <= i; j++) {
      S[i * n + j] = 0.0;
      for (int k = 0; k < nv; k++) {
        S[i * n + j] += C[j * nv + k] * W[i * nv + k];
      }
    }
  }
  assert_int_equal(cardan__cholesky(n, S, 0.0), -1);
  cardan__cholesky_solve(n, S, d);
  for (int k = 0; k < nv; k++) {
    double v = k == 2;
    for (int i = 0; i < n; i++) {
      v += W[i * nv + k] * d[i];
    }
    assert_near(f.data->v[k], v, 1e-9); // inertias differ by 1e3, loops have condition 1e2
  }
  fixture_free(&f);
}

static void refused(const char *text, const char *words)
{
  cardan_report report = {.message = ""};
  fixture f = fixture_load(text);
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, words));
  assert_memory_equal(f.data->v, f.model->v0, (size_t)f.model->nv * sizeof(double));
  fixture_free(&f);
}

// the crank's column in the row is the sine of pi as rounding leaves it: 1e-16 is not a lever
static void drivers_against_loops(void **state)
{
  (void)state;
  refused("(system (ry \"a\" (mass 1 .1 .1 .1) (tx 1 (name \"P\")))"
          " (tx (k \"x\") (mass 1) (name \"Q\"))"
          " (point-constraint \"P\" \"Q\" (1 0 0) (name \"slot\"))"
          " (motion \"x\" (+ -1 (* 0.5 t))) (initial (\"a\" pi)))",
          "the driver of \"x\" asks for 0.5 m/s at the start, and no velocities that constraint "
          "\"slot\" allows");
  refused("(system (ry \"a\" (mass 1 .1 .1 .1) (tx 1 (ry \"b\" (mass 1 .1 .1 .1) (tx 1 (name "
          "\"P\"))))) (place (1 0 1) (name \"Q\")) (coincide \"P\" \"Q\")"
          " (motion \"a\" (* 0.5 t)) (initial (\"b\" (/ pi -2))))",
          "the driver of \"a\" asks for 0.5 rad/s");
}

static const char *note_of(const char *model)
{
  static char note[512];
  cardan_report report = {.message = ""};
  const cardan_options options = cardan_options_defaults();
  cardan_model *m = load_model(model, NULL);
  cardan_sim *sim = NULL;
  expect_ok(cardan_sim_create(m, &options, NULL, &sim, &report), &report, model);
  expect_ok(cardan_sim_start(sim, &report), &report, model);
  snprintf(note, sizeof note, "%s", cardan_sim_note(sim));
  cardan_sim_destroy(sim);
  cardan_model_destroy(m);
  return note;
}

// a given velocity that is changed is reported with both numbers; one that was not given is not
static void notes(void **state)
{
  (void)state;
  char text[1024];
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins,
                     "(\"q1\" -1.1435 1) (\"q2\" 0.7521) (\"q3\" -1.1997 1)");
  assert_non_null(strstr(note_of(text), "\"q3\", given as 1 rad/s, is 0.5686"));
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins,
                     "(\"q1\" -1.1435 1) (\"q2\" 0.7521) (\"q3\" -1.1997 0.4724)");
  assert_string_equal(note_of(text), "");
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins,
                     "(\"q1\" -1) (\"q2\" 1) (\"q3\" -1)");
  assert_non_null(strstr(note_of(text), "moved \"q2\" from the 1 given to 0.752"));
  const char *driven = "(system (rx (k \"a\") (mass 1 1 1 1)) (motion \"a\" (* 6.4 t))%s)";
  snprintf(text, sizeof text, driven, "");
  assert_string_equal(note_of(text), "");
  snprintf(text, sizeof text, driven, " (initial (\"a\" 0 1))");
  assert_non_null(strstr(note_of(text), "is its driver's, 6.4 rad/s, not the one given"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(given_is_kept),         cmocka_unit_test(given_by_a_program),
      cmocka_unit_test(given_before_fixed),    cmocka_unit_test(rest_by_least_energy),
      cmocka_unit_test(drivers_against_loops), cmocka_unit_test(notes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
