// SPDX-License-Identifier: Apache-2.0
// Modes against closed forms, and against the eigenvalues of one step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/linearize.h"
#include "cardan/modes.h"
#include "linalg/linalg.h"
#include "loops.h"

static const double pi = 3.14159265358979323846;

/* A model's text under construction. */
typedef struct {
  char text[16384];
  size_t used;
} writer;

static void add(writer *w, const char *format, ...) CARDAN_PRINTF(2, 3);
static void add(writer *w, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, args);
  va_end(args);
  assert_true(n >= 0 && w->used + (size_t)n < sizeof w->text);
  w->used += (size_t)n;
}

static cardan_modes *modes_of(fixture *f, const char *text)
{
  cardan_report report = {.message = ""};
  cardan_modes *modes = NULL;
  *f = fixture_load(text);
  expect_ok(cardan_assemble(f->model, f->data, NULL, &report), &report, text);
  expect_ok(cardan_modes_create(f->model, f->data, NULL, &modes, &report), &report, text);
  for (int k = 0; k < modes->n; k++) {
    assert_true(modes->mode[k].residual < 1e-13);
  }
  return modes;
}

static void close_modes(fixture *f, cardan_modes *modes)
{
  cardan_modes_destroy(modes);
  fixture_free(f);
}

/* Expects n swinging modes of these angular frequencies, rising, undamped, and no others. */
static void expect_swings(const char *text, int n, const double *omega, double tol)
{
  fixture f;
  cardan_modes *modes = modes_of(&f, text);
  assert_true(modes->matrices->balanced);
  assert_int_equal(modes->n, n);
  assert_int_equal(modes->nunstable, 0);
  for (int k = 0; k < n; k++) {
    assert_int_equal(modes->mode[k].kind, CARDAN_MODE_SWING);
    assert_near(modes->mode[k].im, omega[k], tol * omega[k]);
    assert_near(modes->mode[k].frequency, omega[k] / (2 * pi), tol * omega[k]);
    assert_near(modes->mode[k].re, 0, tol * omega[k]);
  }
  close_modes(&f, modes);
}

// a string of n beads, pulled by T: omega_j = 2 sqrt(T / (m a)) sin(j pi / (2 (n + 1))); held by
// springs under tension, and by rigid links, whose forces make the stiffness
// tolerance: eps times the ratio of the squares of the largest and smallest frequency, some 20
static void string_of_beads(void **state)
{
  (void)state;
  enum { N = 10 };
  const double T = 30, m = 0.2, a = 0.1, k = 4000;
  double omega[N];
  for (int j = 0; j < N; j++) {
    omega[j] = 2 * sqrt(T / (m * a)) * sin((j + 1) * pi / (2.0 * (N + 1)));
  }
  writer w = {.used = 0};
  add(&w, "(system \"string\" (tx 0 (name \"b0\"))");
  for (int i = 1; i <= N; i++) {
    add(&w, "(tx %.17g (tz \"z%d\" (name \"b%d\") (mass %g)))", i * a, i, i, m);
  }
  add(&w, "(tx %.17g (name \"b%d\"))", (N + 1) * a, N + 1);
  for (int i = 0; i <= N; i++) {
    add(&w, "(spring \"b%d\" \"b%d\" %g %.17g)", i, i + 1, k, a - T / k);
  }
  add(&w, ")");
  expect_swings(w.text, N, omega, 1e-13);

  w.used = 0;
  add(&w, "(system \"links\" (tx 0 (name \"b0\"))");
  for (int i = 1; i <= N; i++) {
    add(&w, "(tx %.17g (tx \"x%d\" (tz \"z%d\" (name \"b%d\") (mass %g))))", i * a, i, i, i, m);
  }
  add(&w, "(tx %.17g (tx \"x%d\" (name \"b%d\") (mass %g)))", (N + 1) * a, N + 1, N + 1, m);
  for (int i = 0; i <= N; i++) {
    add(&w, "(wire \"b%d\" \"b%d\" %.17g)", i, i + 1, a);
  }
  add(&w, "(torque \"x%d\" %g))", N + 1, T);
  expect_swings(w.text, N, omega, 1e-12);
}

// masses m on rods l: omega^2 = (2 -+ sqrt 2) g / l; as a chain of hinges, and as free masses on
// wires, whose pull is then all of the stiffness
static void double_pendulum(void **state)
{
  (void)state;
  const double g = 9.81, l = 0.7;
  const double omega[2] = {sqrt((2 - sqrt(2)) * g / l), sqrt((2 + sqrt(2)) * g / l)};
  writer w = {.used = 0};
  add(&w,
      "(system \"chain\" (gravity 0 0 -9.81) (ry \"a\" (tz -%g (mass 2) (ry \"b\" (tz -%g (mass "
      "2))))))",
      l, l);
  expect_swings(w.text, 2, omega, 1e-14);
  w.used = 0;
  add(&w,
      "(system \"wires\" (gravity 0 0 -9.81) (tz 0 (name \"o\"))"
      "(tz -%g (tx \"x1\" (tz \"z1\" (name \"p1\") (mass 2))))"
      "(tz -%.17g (tx \"x2\" (tz \"z2\" (name \"p2\") (mass 2))))"
      "(wire \"o\" \"p1\" %g) (wire \"p1\" \"p2\" %g))",
      l, 2 * l, l, l);
  expect_swings(w.text, 2, omega, 1e-13);
}

// links h with masses m at their ends and springs c in the hinges, both ends held across:
// omega_j = 4 sqrt(c / m) / h sin^2(j pi / (2 (n + 1))); as links grow many it is Euler's and
// Bernoulli's beam, (j pi / L)^2 sqrt(E I / mu) with E I = c h, mu = m / h, off by the second order
static void beam_of_links(void **state)
{
  (void)state;
  const double EI = 20, mu = 0.5, L = 2;
  double off[2];
  for (int fine = 0; fine < 2; fine++) {
    const int n = fine ? 31 : 15;
    const double h = L / (n + 1), c = EI / h, m = mu * h;
    double omega[31];
    writer w = {.used = 0};
    add(&w, "(system \"beam\" (tx %g (name \"end\"))", L);
    for (int i = 1; i <= n + 1; i++) {
      add(&w, "(ry \"q%d\" (tx %.17g (name \"p%d\") (mass %.17g)", i, h, i, m);
    }
    for (int i = 0; i < 2 * (n + 1); i++) {
      add(&w, ")");
    }
    for (int i = 2; i <= n + 1; i++) {
      add(&w, "(joint-spring \"q%d\" %.17g 0)", i, c);
    }
    add(&w, "(point-constraint \"p%d\" \"end\" (0 0 1)))", n + 1);
    for (int j = 1; j <= n; j++) {
      omega[j - 1] = 4 * sqrt(c / m) / h * pow(sin(j * pi / (2 * (n + 1))), 2);
    }
    // the smallest of omega^2 is a (2 n / pi)^4 of the largest, and loses as many digits
    expect_swings(w.text, n, omega, 1e-10);
    off[fine] = omega[0] / (pow(pi / L, 2) * sqrt(EI / mu)) - 1;
  }
  assert_near(off[0] / off[1], 4, 0.05);
  assert_true(fabs(off[1]) < 1e-3);
}

/* A parallelogram of two legs and a coupler that hangs from them, a spring in the first hinge. */
static void fourbar_text(writer *w, const char *more)
{
  add(w,
      "(system \"four-bar\" (gravity 0 0 -9.81) (tx 0.8 (name \"B\"))"
      "(ry \"a\" (tz -0.25 (mass 1 0.1 0.02 0.1)) (tz -0.5 (ry \"c\""
      "  (tx 0.4 (mass 3 0.1 0.2 0.1)) (tx 0.8 (name \"P\")))))"
      "(at \"B\" (ry \"b\" (tz -0.25 (mass 1 0.1 0.02 0.1)) (tz -0.5 (name \"Q\"))))"
      "(coincide \"P\" \"Q\") (joint-spring \"a\" 7 0) %s)",
      more);
}

// the coupler only shifts: (k + (m_c l + 2 m l / 2) g) / (m_c l^2 + 2 (I + m l^2 / 4))
static void four_bar(void **state)
{
  (void)state;
  const double g = 9.81, l = 0.5;
  const double omega =
      sqrt((7 + (3 * l + 2 * 1 * l / 2) * g) / (3 * l * l + 2 * (0.02 + l * l / 4)));
  writer w = {.used = 0};
  fourbar_text(&w, "");
  expect_swings(w.text, 1, &omega, 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(string_of_beads),
                                     cmocka_unit_test(double_pendulum),
                                     cmocka_unit_test(beam_of_links), cmocka_unit_test(four_bar)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
