// SPDX-License-Identifier: Apache-2.0
// Modes against closed forms, and against the eigenvalues of one step.
#include <float.h>
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
  double worst = 0;
  for (int k = 0; k < n; k++) {
    worst = fmax(worst, fabs(modes->mode[k].im / omega[k] - 1));
    assert_int_equal(modes->mode[k].kind, CARDAN_MODE_SWING);
    assert_near(modes->mode[k].im, omega[k], tol * omega[k]);
    assert_near(modes->mode[k].frequency, omega[k] / (2 * pi), tol * omega[k]);
    assert_near(modes->mode[k].re, 0, tol * omega[k]);
  }
  print_message("%s, %d modes: frequencies off by %.1e of themselves at most\n", f.model->name, n,
                worst);
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
  print_message("beam: the first frequency is off that of Euler and Bernoulli by %.2e with 16, "
                "%.2e with 32 links\n",
                off[0], off[1]);
  assert_near(off[0] / off[1], 4, 0.05);
  assert_true(fabs(off[1]) < 1e-3);
}

/* A parallelogram of two legs and a coupler between them, a spring in the first hinge. */
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

// a mass with a spring and a damper: s = -d/2m +- sqrt(d^2/4m^2 - k/m), a pair or two decays;
// upside down it falls at sqrt(g / l); with a damper alone it stays where it is put
static void single_mass(void **state)
{
  (void)state;
  static const char format[] = "(system \"m\" (tx 0 (name \"o\")) (tx \"x\" (name \"p\") (mass 2))"
                               "(joint-spring \"x\" %g 0) (damping %g))";
  char text[512];
  fixture f;
  snprintf(text, sizeof text, format, 50.0, 4.0);
  cardan_modes *modes = modes_of(&f, text);
  assert_int_equal(modes->n, 1);
  assert_near(modes->mode[0].re, -1, 1e-15);
  assert_near(modes->mode[0].im, sqrt(24), 1e-14);
  assert_near(modes->mode[0].damping, 0.2, 1e-15);
  close_modes(&f, modes);
  snprintf(text, sizeof text, format, 50.0, 40.0); // s^2 + 20 s + 25 = 0
  modes = modes_of(&f, text);
  assert_int_equal(modes->n, 2);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(modes->mode[k].kind, CARDAN_MODE_DECAY);
    assert_near(modes->mode[k].re, -10 + (k == 0 ? 1 : -1) * sqrt(75), 1e-13);
    assert_near(modes->mode[k].damping, 1, 0);
  }
  close_modes(&f, modes);
  snprintf(text, sizeof text, format, 0.0, 4.0);
  modes = modes_of(&f, text);
  assert_int_equal(modes->n, 2);
  assert_int_equal(modes->mode[0].kind, CARDAN_MODE_STILL);
  assert_near(modes->mode[1].re, -2, 1e-15);
  close_modes(&f, modes);
  modes = modes_of(&f, "(system \"up\" (gravity 0 0 -9.81) (ry \"a\" (tz 0.5 (mass 1))))");
  assert_int_equal(modes->n, 2);
  assert_int_equal(modes->nunstable, 1);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(modes->mode[k].kind, k == 0 ? CARDAN_MODE_DECAY : CARDAN_MODE_GROW);
    assert_near(modes->mode[k].re, (k == 0 ? -1 : 1) * sqrt(9.81 / 0.5), 1e-14);
    assert_true(modes->mode[k].unstable == (k == 1));
  }
  close_modes(&f, modes);
}

// two free bodies joined by springs and dampers through their centres: six ways to move on, and one
// against the other along each axis; the pull of the springs is 0, so turns are free as well
static void free_bodies(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    char text[512];
    fixture f;
    snprintf(text, sizeof text,
             "(system \"pair\" (tx \"x\" (name \"a\") (mass 2)) (tx 1 (tx \"y\" (name \"b\") (mass "
             "3))) (joint free \"c\" (mass 1 1 2 2.5)) (spring \"a\" \"b\" 120 1) %s)",
             damped ? "(damper \"a\" \"b\" 6)" : "");
    cardan_modes *modes = modes_of(&f, text);
    assert_int_equal(modes->n, 8);
    assert_true(modes->symmetric == !damped);
    for (int k = 0; k < 7; k++) {
      assert_int_equal(modes->mode[k].kind, CARDAN_MODE_RIGID);
      assert_true(modes->mode[k].re == 0 && modes->mode[k].im == 0);
    }
    const double m = 2.0 * 3 / 5, size = sqrt(120 / m); // of the reduced mass
    assert_int_equal(modes->mode[7].kind, CARDAN_MODE_SWING);
    assert_near(hypot(modes->mode[7].re, modes->mode[7].im), size, 1e-13);
    assert_near(modes->mode[7].damping, damped ? 6 / (2 * sqrt(120 * m)) : 0, 1e-14);
    close_modes(&f, modes);
  }
}

/* Are the shapes of s = 0 independent? A row counts while it adds more than 1e-6 of its length. */
static void expect_independent(const cardan_modes *modes)
{
  const int nv = modes->matrices->nv;
  int n = 0;
  while (n < modes->n && modes->mode[n].kind <= CARDAN_MODE_STILL) {
    n++;
  }
  double *A = calloc((size_t)(n + 1) * (size_t)nv, sizeof *A);
  double *work = calloc(cardan__independent_work(n, nv), sizeof *work);
  int *order = calloc((size_t)n + 1, sizeof *order);
  assert_true(A && work && order);
  for (int k = 0; k < n; k++) {
    double square = 0;
    for (int i = 0; i < nv; i++) {
      square += modes->mode[k].shape[i] * modes->mode[k].shape[i];
    }
    for (int i = 0; i < nv; i++) {
      A[k * nv + i] = modes->mode[k].shape[i] / sqrt(square);
    }
  }
  assert_int_equal(cardan__independent(n, nv, A, 1e-6, order, NULL, work), n);
  free(A);
  free(work);
  free(order);
}

// what moves on freely, of models that fall, turn or float: gravity and d(M a)/dq cancel to their
// roundings, and loops that move have differences in them. What falls freely as a whole has nothing
// else; floor-chain is damped, but for 31 ways in which it stays, and so on
static void built_in_models(void **state)
{
  static const struct {
    const char *name;
    int rigid, still, unstable;
  } known[] = {{"bintree:3", 9, 0, 0}, {"bintree:5", 33, 0, 0}, {"arm:5", 7, 0, 0},
               {"arm:12", 14, 0, 0},   {"ring:4", 4, 0, 0},     {"ring:6", 2, 1, 3},
               {"human", 3, 0, 0},     {"humanoid", 36, 0, 0},  {"stack:5", 30, 0, 0},
               {"pile:3", 18, 0, 0},   {"rope", 3, 0, 0},       {"gear", 1, 0, 0},
               {"kepler", 2, 0, 1},    {"wire", 1, 0, 0},       {"double-pendulum", 1, 0, 1},
               {"quadruped", 6, 0, 0}, {"chain:10", 0, 0, 2},   {"floor-chain:10", 0, 31, 2}};
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    fixture f;
    cardan_modes *modes = modes_of(&f, known[i].name);
    int rigid = 0, still = 0, states = 0;
    for (int k = 0; k < modes->n; k++) {
      const cardan_mode_kind kind = modes->mode[k].kind;
      rigid += kind == CARDAN_MODE_RIGID;
      still += kind == CARDAN_MODE_STILL;
      states += kind == CARDAN_MODE_RIGID || kind == CARDAN_MODE_SWING ? 2 : 1;
      assert_false(modes->mode[k].doubtful);
    }
    if (rigid != known[i].rigid || still != known[i].still ||
        modes->nunstable != known[i].unstable) {
      fail_msg("%s: %d rigid, %d still, %d unstable", known[i].name, rigid, still,
               modes->nunstable);
    }
    assert_int_equal(states, modes->matrices->nx);
    expect_independent(modes);
    close_modes(&f, modes);
  }
}

// a mass on a spring that pushes a filter, which pushes back, and one that only listens:
// x'' = -k x + z, z' = -a z + b x', l' = c (x - l): (s^2 + k) (s + a) = b s, and s = -c
static void state_variables(void **state)
{
  const double k = 30, a = 4, b = 7, c = 2.5;
  fixture f;
  (void)state;
  cardan_modes *modes = modes_of(
      &f, "(system \"m\" (tx \"x\" (mass 1)) (joint-spring \"x\" 30 0)"
          "(state \"z\" (derivative (- (* 7 v.x) (* 4 z.z)))) (torque \"x\" z.z)"
          "(state \"l\" (derivative (* 2.5 (- q.x z.l)))) (memory \"m\" (every 0.1) (next 1)))");
  char note[CARDAN_MATRICES_NOTE];
  assert_true(modes->matrices->balanced);
  assert_true(cardan_matrices_note(modes->matrices, 0, note));
  assert_non_null(strstr(note, "memories"));
  assert_int_equal(modes->n, 3);
  for (int i = 0; i < modes->n; i++) {
    const cardan_mode *m = &modes->mode[i];
    const double re = m->re, im = m->im; // the cubic at s, real and imaginary part
    const double p = re * re * re - 3 * re * im * im + a * (re * re - im * im) + (k - b) * re;
    const double q = 3 * re * re * im - im * im * im + 2 * a * re * im + (k - b) * im;
    const bool listens = fabs(re + c) < 1e-13;
    assert_true(listens || hypot(p + a * k, q) < 1e-11);
    assert_near(m->shape[0], listens ? 0 : 1, 0);
    if (listens) {
      assert_near(m->z[1], 1, 0);
    } else { // z (s + a) = b s
      assert_near(m->z[0] * (re + a) - m->z_quarter[0] * im, b * re, 1e-11);
      assert_near(m->z[0] * im + m->z_quarter[0] * (re + a), b * im, 1e-11);
    }
  }
  close_modes(&f, modes);
  modes = modes_of(&f, "(system \"i\" (tx \"x\" (mass 1)) (joint-spring \"x\" 30 0)"
                       "(state \"n\" (derivative (+ q.x 2))))");
  assert_int_equal(modes->mode[0].kind, CARDAN_MODE_STILL); // an integral stays
  assert_true(cardan_matrices_note(modes->matrices, 0, note));
  assert_non_null(strstr(note, "auxiliary state \"n\" changes by 2 a second"));
  close_modes(&f, modes);
}

// An equation and its rate leave the same motions: with the rate, a row of velocity level, there is
// one zero more. Auxiliary states beside it, which push and listen.
static void equation_and_its_rate(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (tx \"x\" (ty \"y\" (mass 1))) (rz \"a\" (mass 1 1 1 2))"
      "(joint-spring \"x\" 30 0) (joint-spring \"y\" 5 0) (joint-spring \"a\" 2 0) (damping 0.3)"
      "(state \"z\" (derivative (- (* 7 v.a) (* 4 z.z)))) (torque \"y\" z.z)"
      "(state \"l\" (derivative (* 2.5 (- q.y z.l)))) %s)";
  (void)state;
  char one[800], two[800];
  fixture f, g;
  snprintf(one, sizeof one, text, "(equation (+ q.x (* 2 q.y) (* -0.5 q.a) (* q.x q.a)))");
  snprintf(two, sizeof two, text,
           "(velocity (+ v.x (* 2 v.y) (* -0.5 v.a) (* q.x v.a) (* v.x q.a)))");
  cardan_modes *held = modes_of(&f, one), *rolls = modes_of(&g, two);
  assert_int_equal(rolls->matrices->nx, 7);
  assert_int_equal(held->matrices->nx, 6);
  assert_int_equal(rolls->matrices->nz, 2);
  assert_int_equal(rolls->n, held->n + 1);
  assert_int_equal(rolls->mode[0].kind, CARDAN_MODE_STILL);
  for (int k = 0; k < held->n; k++) {
    const cardan_mode *a = &held->mode[k];
    double least = HUGE_VAL;
    for (int i = 1; i < rolls->n; i++) {
      const cardan_mode *b = &rolls->mode[i];
      double e = hypot(a->re - b->re, a->im - b->im);
      for (int z = 0; z < 2; z++) {
        e = fmax(e, hypot(a->z[z] - b->z[z], a->z_quarter[z] - b->z_quarter[z]));
      }
      for (int v = 0; v < 3; v++) {
        e = fmax(e, hypot(a->shape[v] - b->shape[v], a->quarter[v] - b->quarter[v]));
      }
      least = fmin(least, e);
    }
    assert_near(least, 0, 1e-12);
  }
  close_modes(&f, held);
  close_modes(&g, rolls);
}

// a sleeping top: I nu^2 - C w nu + m g l = 0 of its axis seen from the world, nu - w seen from
// itself; above w = 2 sqrt(I m g l) / C it sleeps, below it falls
static void sleeping_top(void **state)
{
  (void)state;
  const double m = 2, l = 0.3, Ix = 0.01, C = 0.02, I = Ix + m * l * l, g = 9.81;
  const double least = 2 * sqrt(I * m * g * l) / C;
  for (int fast = 0; fast < 2; fast++) {
    const double w = least * (fast ? 1.3 : 0.8), under = C * C * w * w - 4 * I * m * g * l;
    char text[512];
    fixture f;
    snprintf(
        text, sizeof text,
        "(system \"top\" (gravity 0 0 -9.81) (joint spherical \"s\" (tz %g (mass %g %g %g %g)))"
        "(initial (\"s\" (1 0 0 0) (0 0 %.17g))))",
        l, m, Ix, Ix, C, w);
    cardan_modes *modes = modes_of(&f, text);
    assert_true(modes->matrices->balanced && modes->matrices->moves);
    assert_int_equal(modes->n, 3); // the spin itself moves on
    assert_int_equal(modes->mode[0].kind, CARDAN_MODE_RIGID);
    assert_int_equal(modes->nunstable, fast ? 0 : 1);
    for (int k = 1; k < 3; k++) {
      // frequencies of the top's own axes, rising
      const double root = sqrt(fabs(under)), sign = k == 1 ? 1 : -1;
      const double im = fabs((C * w + (fast ? sign * root : 0)) / (2 * I) - w);
      const double re = fast ? 0 : root / (2 * I);
      assert_near(modes->mode[k].im, im, 1e-12 * w);
      assert_near(fabs(modes->mode[k].re), re, 1e-12 * w);
    }
    close_modes(&f, modes);
  }
}

/* The eigenvalue of one step that is nearest to exp(s dt), as log / dt, off s. */
static double step_off(const char *text, double dt, const cardan_mode *mode)
{
  enum { MOST = 32 };
  double re[MOST], im[MOST], V[MOST * MOST], error[MOST], best = HUGE_VAL;
  fixture f = fixture_load(text);
  cardan_options o = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  cardan_linearization *l = NULL;
  o.method = "vi";
  o.dt = dt;
  expect_ok(cardan_sim_create(f.model, &o, NULL, &sim, &report), &report, "create");
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  expect_ok(cardan_linearize(sim, NULL, &l, &report), &report, "linearize");
  assert_true(l->nx <= MOST);
  double *work = calloc(cardan__eigen_work(l->nx), sizeof *work);
  assert_non_null(work);
  assert_true(cardan__eigen(l->nx, l->A, re, im, V, error, work));
  for (int k = 0; k < l->nx; k++) {
    const double a = log(hypot(re[k], im[k])) / dt, b = atan2(im[k], re[k]) / dt;
    best = fmin(best, hypot(a - mode->re, b - mode->im));
  }
  free(work);
  cardan_linearization_destroy(l);
  cardan_sim_destroy(sim);
  fixture_free(&f);
  return best;
}

// eigenvalues of one step are exp(s dt) but for the second order: a double pendulum, and a four-bar
// with spring, damper and a load that turns with a leg
static void one_step(void **state)
{
  (void)state;
  writer w = {.used = 0};
  fourbar_text(&w, "(damper \"B\" \"P\" 3) (damping 0.4) (damping \"c\" 0.1)");
  const char *const texts[] = {
      "(system \"two\" (gravity 0 0 -9.81) (ry \"a\" (tz -0.7 (mass 2) (ry \"b\" (tz -0.5 (mass "
      "1))))) (damping 0.3))",
      w.text};
  for (int i = 0; i < 2; i++) {
    fixture f;
    cardan_modes *modes = modes_of(&f, texts[i]);
    assert_int_equal(modes->n, i == 0 ? 2 : 1);
    for (int k = 0; k < modes->n; k++) {
      const double coarse = step_off(texts[i], 4e-3, &modes->mode[k]);
      const double fine = step_off(texts[i], 2e-3, &modes->mode[k]);
      print_message("%s, mode %d: one step is off by %.2e /s at dt 0.004, %.2e /s at 0.002\n",
                    f.model->name, k + 1, coarse, fine);
      assert_true(modes->mode[k].re < -1e-3);
      assert_true(coarse < 0.05);
      assert_near(coarse / fine, 4, 0.1);
    }
    close_modes(&f, modes);
  }
}

// a start that swings is no equilibrium, which is reported; one that is singular has no modes
static void unsuitable_starts(void **state)
{
  (void)state;
  fixture f;
  char note[CARDAN_MATRICES_NOTE];
  cardan_modes *modes = modes_of(&f, "pendulum");
  assert_false(modes->matrices->balanced);
  assert_true(cardan_matrices_note(modes->matrices, 0, note));
  assert_non_null(strstr(note, "not an equilibrium: \"theta\""));
  assert_false(cardan_matrices_note(modes->matrices, 1, note));
  close_modes(&f, modes);
  char text[2048];
  cardan_report report = {.message = ""};
  loops_fourbar_text(text, sizeof text, 1, 2, 1, 2, "(coincide \"B\" \"C\")",
                     "(\"q1\" 0) (\"q2\" 0) (\"q3\" 0)");
  f = fixture_load(text); // a parallelogram, flat
  assert_int_equal(cardan_modes_create(f.model, f.data, NULL, &modes, &report),
                   CARDAN_ERR_SINGULAR);
  assert_null(modes);
  assert_non_null(strstr(report.message, "singular position"));
  fixture_free(&f);
}

static cardan_status with_memory(const cardan_allocator *alloc, void *user)
{
  const fixture *f = user;
  cardan_report report = {.message = ""};
  cardan_modes *modes = NULL;
  cardan_film *film = NULL;
  char *text = NULL;
  cardan_status status = cardan_modes_create(f->model, f->data, alloc, &modes, &report);
  if (status == CARDAN_OK) {
    status = cardan_describe_modes(modes, "four-bar", 0, CARDAN_MODES_JSON, alloc, &text);
  }
  if (status == CARDAN_OK) {
    status = cardan_film_of_mode(modes, 0, alloc, &film, &report);
  }
  cardan_film_destroy(film);
  cardan_free_text(alloc, text);
  cardan_modes_destroy(modes);
  return status;
}

static void memory_runs_out(void **state)
{
  (void)state;
  writer w = {.used = 0};
  fourbar_text(&w, "(damping 0.4)");
  fixture f = fixture_load(w.text);
  assert_true(support_fail_each(with_memory, &f) > 5);
  fixture_free(&f);
}

// the motion of a mode, for display, keeps loops closed, and begins and ends where the model stands
static void film_of_a_mode(void **state)
{
  (void)state;
  writer w = {.used = 0};
  fixture f;
  cardan_film *film = NULL;
  cardan_report report = {.message = ""};
  fourbar_text(&w, "");
  cardan_modes *modes = modes_of(&f, w.text);
  expect_ok(cardan_film_of_mode(modes, 0, NULL, &film, &report), &report, "film");
  const int n = cardan_film_sample_count(film);
  double most = 0;
  assert_true(n > 20);
  for (int i = 0; i < n; i++) {
    const double *row = cardan_film_sample(film, i);
    memcpy(f.data->q, row + 1, (size_t)f.model->nq * sizeof *row);
    cardan_kinematics(f.model, f.data);
    assert_true(cardan_constraint_max(f.model, f.data) < 1e-11);
    most = fmax(most, fabs(row[1]));
  }
  assert_true(most > 0.05 && most < 0.5);
  assert_near(cardan_film_sample(film, 0)[1], 0, 1e-12);
  assert_near(cardan_film_sample(film, n - 1)[1], 0, 1e-12);
  assert_near(cardan_film_sample(film, n - 1)[0], 1 / modes->mode[0].frequency, 1e-12);
  cardan_film_destroy(film);
  close_modes(&f, modes);
}

// on a curve z = L sin(x / L) all lengths scale with L, and times do not: whatever L, differences
// have to find how the curve bends. Their error is some 1e-16^(4/5) of it, 1e-12
static void a_small_curve_is_a_large_one(void **state)
{
  static const double lengths[] = {1, 1e-2, 2e-3, 1e-5};
  double first[2] = {0, 0};
  (void)state;
  for (int i = 0; i < 4; i++) {
    fixture f;
    writer w = {.used = 0};
    const double L = lengths[i];
    add(&w, "(system (gravity 0 0 %.17g) (tx \"x\" (tz \"z\" (mass 1)))", -9.81 * L);
    add(&w, " (equation (- q.z (* %.17g (sin (/ q.x %.17g)))))", L, L);
    add(&w, " (initial (\"x\" %.17g %.17g)))", 0.6 * L, 1.6 * L);
    cardan_modes *modes = modes_of(&f, w.text);
    assert_int_equal(modes->n, 2);
    for (int k = 0; k < 2; k++) {
      first[k] = i == 0 ? modes->mode[k].re : first[k];
      assert_near(modes->mode[k].re, first[k], 1e-9);
    }
    close_modes(&f, modes);
  }
}

// Ziegler's column: masses 2 and 1 on links of 1 m, springs c = 5 at both hinges, a force P that
// follows the second link: with p = P / c, s^2 = -mu c, 4 mu = 7 - 2 p +- sqrt((7 - 2 p)^2 - 8): it
// swings, flutters from p = 2.086 on, and falls over from 4.914 on
// tolerance: eps by how near the two values are, some 10
static void a_force_that_follows(void **state)
{
  static const double loads[] = {0.5, 2, 2.2, 3.5, 4.8, 5, 7};
  static const double c = 5.0;
  (void)state;
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    const double b = 7 - 2 * loads[i], root = b * b - 8;
    fixture f;
    writer w = {.used = 0};
    add(&w,
        "(system (ry \"a\" (tz 1 (mass 2) (ry \"b\" (tz 1 (mass 1) (name \"tip\")))))"
        " (joint-spring \"a\" %g 0) (joint-spring \"b\" %g 0)"
        " (wrench body \"tip\" (0 0 %.17g) (0 0 0)))",
        c, c, -loads[i] * c);
    cardan_modes *modes = modes_of(&f, w.text);
    assert_int_equal(modes->n, root < 0 || b > 0 ? 2 : 4);
    assert_int_equal(modes->nunstable, root < 0 ? 1 : b > 0 ? 0 : 2);
    for (int k = 0; k < modes->n; k++) { // of each s: 2 mu^2 - b mu + 1 = 0, mu = -s^2 / c
      const cardan_mode *m = &modes->mode[k];
      const double re = (m->im * m->im - m->re * m->re) / c, im = -2 * m->re * m->im / c;
      const double left[] = {2 * (re * re - im * im) - b * re + 1, 4 * re * im - b * im};
      assert_near(hypot(left[0], left[1]), 0, 100 * DBL_EPSILON * (1 + 2 * (re * re + im * im)));
      assert_true((m->im > 0) == (root < 0 || b > 0));
      assert_true((fabs(m->re) > 0) == (root < 0 || b < 0) && !m->doubtful);
    }
    close_modes(&f, modes);
  }
}

// a long chain that begins to fall: its end is all but free, and none of it is. The least of -s^2,
// computed with 50 digits from M_ij = c_ij cos(p_i - p_j), g_i = w_i sin p_i of its absolute angles
static void a_chain_that_falls(void **state)
{
  static const double exact[] = {1.34587717272582e-09,  3.28895579280065e-09,
                                 6.21985883626945e-09,  -7.01969987082184e-09,
                                 -7.01969987082184e-09, 1.17892298359738e-08};
  fixture f;
  (void)state;
  cardan_modes *modes = modes_of(&f, "chain-planar:100");
  assert_int_equal(modes->n, 107);
  assert_int_equal(modes->nunstable, 7);
  for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
    const cardan_mode *m = &modes->mode[k];
    const double s = hypot(m->re, m->im), off = fabs(s - sqrt(fabs(exact[k])));
    assert_int_equal(m->kind == CARDAN_MODE_SWING, exact[k] > 0);
    print_message("s = %.9g, off by %.1e, bound %.1e\n", s, off, m->error);
    assert_true(off < m->error && 64 * m->error < s);
  }
  close_modes(&f, modes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_curve_is_a_large_one),
                                     cmocka_unit_test(string_of_beads),
                                     cmocka_unit_test(double_pendulum),
                                     cmocka_unit_test(beam_of_links),
                                     cmocka_unit_test(four_bar),
                                     cmocka_unit_test(single_mass),
                                     cmocka_unit_test(free_bodies),
                                     cmocka_unit_test(built_in_models),
                                     cmocka_unit_test(state_variables),
                                     cmocka_unit_test(equation_and_its_rate),
                                     cmocka_unit_test(sleeping_top),
                                     cmocka_unit_test(a_force_that_follows),
                                     cmocka_unit_test(a_chain_that_falls),
                                     cmocka_unit_test(one_step),
                                     cmocka_unit_test(unsuitable_starts),
                                     cmocka_unit_test(memory_runs_out),
                                     cmocka_unit_test(film_of_a_mode)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
