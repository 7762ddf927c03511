// SPDX-License-Identifier: Apache-2.0
// Tyres against closed forms of vehicle dynamics, in every method.
#include <complex.h>
#undef I // a name of the library's own
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/modes.h"
#include "dynamics/aux_rates.h"
#include "forces/forces.h"
#include "forces/tyre.h"
#include "run.h"

/* ---- a car on a single track ---- */

/* Wheels of 15 and 12 kg at a = 1.2 m before and b = 1.5 m behind the body's centre of mass, which
 * is that of all. */
static const double A = 1.2, B = 1.5, R = 0.3, CF = 6e4, CR = 7e4;
static const double MASS = 1200 + 15 + 12;
static const double TURN = 1500 + 15 * 1.2 * 1.2 + 12 * 1.5 * 1.5 + 2 * 0.4; // about z

static const char *track(double v, double steer, const char *more)
{
  static char text[2000];
  snprintf(
      text, sizeof text,
      "(system (gravity 0 0 -9.81)"
      "  (joint planar \"car\" (mass 1200 1 1 1500)"
      "    (tx 1.2 (rz %.17g (ry \"f\" (name \"front\") (mass 15 0.4 0.8 0.4))))"
      "    (tx -1.5 (ry \"r\" (name \"rear\") (mass 12 0.4 0.8 0.4))))"
      "  (tyre \"front\" \"world\" (disc 0.3) (axis 0 1 0) (linear 1e5 6e4 1e3) (load 6000) %s)"
      "  (tyre \"rear\" \"world\" (disc 0.3) (axis 0 1 0) (linear 1e5 7e4 1e3) (load 5000) %s)"
      "  (initial (\"car\" (0 0 0) (%.17g 0 0)) (\"f\" 0 %.17g) (\"r\" 0 %.17g)))",
      steer, more, more, v, v / R, v / R);
  return text;
}

static cardan_modes *modes_of(fixture *f, const char *text)
{
  cardan_report report = {.message = ""};
  cardan_modes *modes = NULL;
  *f = fixture_load(text);
  cardan_kinematics(f->model, f->data);
  expect_ok(cardan_modes_create(f->model, f->data, NULL, &modes, &report), &report, "track");
  return modes;
}

/* Is s among the modes, to part of |s|? */
static bool has_mode(const cardan_modes *modes, double complex s, double part)
{
  for (int i = 0; i < modes->n; i++) {
    if (cabs(CMPLX(modes->mode[i].re, modes->mode[i].im) - s) <= part * cabs(s)) {
      return true;
    }
  }
  return false;
}

/* Lateral modes against the matrix of 2 x 2
 *   m v' = -(Cf + Cr) v/V - (m V + (a Cf - b Cr)/V) w
 *   J w' = -(a Cf - b Cr) v/V - (a^2 Cf + b^2 Cr)/V w
 * Derivatives are exact, so rounding alone is between: 1e-9 covers its growth through an eigenvalue
 * problem of 10 x 10 with entries from 1 to 1e5. */
static void lateral_modes(void **state)
{
  static const double speeds[] = {2, 5, 10, 20, 30, 45, 60};
  (void)state;
  for (int i = 0; i < 7; i++) {
    const double V = speeds[i], moment = A * CF - B * CR;
    const double a11 = -(CF + CR) / (MASS * V), a12 = -V - moment / (MASS * V);
    const double a21 = -moment / (TURN * V), a22 = -(A * A * CF + B * B * CR) / (TURN * V);
    const double trace = a11 + a22, det = a11 * a22 - a12 * a21;
    const double complex root = csqrt(trace * trace / 4 - det);
    fixture f;
    cardan_modes *modes = modes_of(&f, track(V, 0, ""));
    print_message("%g m/s: s = %.6f + %.6f i\n", V, creal(trace / 2 + root), cimag(root));
    assert_true(has_mode(modes, trace / 2 + root, 1e-9));
    if (cimag(root) == 0) {
      assert_true(has_mode(modes, trace / 2 - root, 1e-9));
    }
    cardan_modes_destroy(modes);
    fixture_free(&f);
  }
}

/* With a relaxation length l: force C u/l, u' = -W - V u/l. The characteristic polynomial of the
 * matrix of 4 x 4, s I - A, by elimination: u_f = -(v + a w)/(s + V/l) and so on. */
static double complex lag_polynomial(double complex s, double V, double l)
{
  const double complex f = CF / (l * s + V), r = CR / (l * s + V);
  const double complex m11 = MASS * s + f + r, m12 = MASS * V + A * f - B * r;
  const double complex m21 = A * f - B * r, m22 = TURN * s + A * A * f + B * B * r;
  return (m11 * m22 - m12 * m21) / (MASS * TURN) * (s + V / l) * (s + V / l);
}

static void lateral_modes_with_lag(void **state)
{
  static const double speeds[] = {2, 10, 30};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const double V = speeds[i], l = 0.5;
    fixture f;
    cardan_modes *modes = modes_of(&f, track(V, 0, "(relaxation 0.5)"));
    int found = 0;
    for (int k = 0; k < modes->n; k++) {
      const double complex s = CMPLX(modes->mode[k].re, modes->mode[k].im);
      const double size = pow(fmax(cabs(s), V / l), 4);
      if (cabs(s) > 0 && cabs(lag_polynomial(s, V, l)) < 1e-9 * size) {
        found += modes->mode[k].im > 0 ? 2 : 1;
      }
    }
    assert_int_equal(found, 4);
    cardan_modes_destroy(modes);
    fixture_free(&f);
  }
}

/* Steady cornering: yaw rate r = V d/(L + K V^2), K = m/L (b/Cf - a/Cr), the understeer gradient.
 * With d = 1e-3 rad what is left out is of d^2; the speed is the one that is left. */
static void steady_cornering(void **state)
{
  const double L = A + B, K = MASS / L * (B / CF - A / CR), steer = 1e-3;
  double gradient[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options("aba:bdf", 0.05, 10);
    run r = run_whole(track(10.0 * (i + 1), steer, ""), NULL, &o);
    const double yaw = run_column(&r, 0, "v.car.a");
    const double V = hypot(run_column(&r, 0, "v.car.x"), run_column(&r, 0, "v.car.y"));
    gradient[i] = (V * steer / yaw - L) / (V * V);
    print_message("%.6f m/s: yaw rate gain %.8f 1/s, K = %.8e (%.8e)\n", V, yaw / steer,
                  gradient[i], K);
    assert_near(yaw / steer, V / (L + K * V * V), 1e-5 * V / L);
    run_free(&r);
  }
  assert_near(gradient[0], K, 1e-3 * K);
  assert_near(gradient[1], K, 1e-3 * K);
}

/* ---- one wheel ---- */

/* A locked wheel that slides to rest: v^2/(2 mu g), to what is lost below 0.1 m/s. */
static void braking_distance(void **state)
{
  static const char *const text[2] = {
      "(system (gravity 0 0 -9.81) (tx \"x\" (name \"w\") (mass 10 1 1 1))"
      "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (linear 1e4 1e4 0.8) (load 98.1))"
      "  (initial (\"x\" 0 20)))",
      "(system (gravity 0 0 -9.81) (tx \"x\" (name \"w\") (mass 10 1 1 1))"
      "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (magic 12 1.4 0.8 1) (load 98.1))"
      "  (initial (\"x\" 0 20)))"};
  static const char *const methods[] = {"aba:bdf", "vi", "svi", "half-implicit"};
  const double magic = sin(1.4 * atan(atan(12.0))); // E = 1: slip 1
  (void)state;
  for (int i = 0; i < 8; i++) {
    const cardan_options o = run_options(methods[i / 2], 0.001, 4);
    run r = run_whole(text[i % 2], NULL, &o);
    const double expected = 400 / (2 * 0.8 * 9.81) / (i % 2 ? magic : 1);
    print_message("%s: stops after %.8f m, expected %.8f m\n", methods[i / 2], run_q(&r, "x"),
                  expected);
    // half-implicit is of order 1: h v/2
    assert_near(run_q(&r, "x"), expected, i / 2 == 3 ? 0.011 : 1e-4);
    assert_near(run_v(&r, "x"), 0, i / 2 == 3 ? 0.8 * 9.81 * 0.001 : 1e-9); // and swings at rest
    run_free(&r);
  }
}

/* A wheel that rolls loses nothing, leaning or not, forwards and backwards, by every method. */
static void rolling_loses_nothing(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81)"
      "  (tx \"x\" (tz \"z\" (ry \"s\" (name \"w\") (mass 10 0.3 0.5 0.3))))"
      "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (linear 1e4 1e4 0.8) (vertical 1e5 100) %s)"
      "  (initial (\"x\" 0 %g) (\"z\" %.17g) (\"s\" 0 %.17g)))";
  const double depth = 98.1 / 1e5;
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    for (int k = 0; k < 2; k++) {
      char now[500];
      const double v = k == 0 ? 8 : -8;
      snprintf(now, sizeof now, text, k == 0 ? "" : "(relaxation 0.2)", v, R - depth,
               v / (R - depth));
      const cardan_options o = run_options(run_method(i), 0.001, 0.2);
      run r = run_whole(now, NULL, &o);
      assert_near(run_v(&r, "x"), v, 1e-9);
      assert_near(run_q(&r, "x"), 0.2 * v, 1e-9);
      run_free(&r);
    }
  }
}

/* A wheel whose way is given turns by alpha in no time: F_y = C alpha (1 - e^(-sin(alpha) x/(alpha
 * s))) over the way x, which for small angles is the lag of the length s. */
static void step_steer(void **state)
{
  static const char *const methods[] = {"aba:dopri5", "vi", "svi", "hamilton:rk4", "rattle"};
  const double alpha = 0.02, V = 12, s = 0.4, C = 5e4, t = 0.05;
  char text[600];
  (void)state;
  snprintf(
      text, sizeof text,
      "(system (gravity 0 0 0) (tx \"x\" (rz %.17g (ry \"s\" (name \"w\") (mass 9 0.3 0.5 0.3))))"
      "  (motion \"x\" (* %g t)) (initial (\"s\" 0 %.17g))"
      "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (linear 1e5 5e4 1e5) (load 4000)"
      "    (relaxation 0.4) (name \"t\")))",
      alpha, V, V * cos(alpha) / R);
  const double expected = C * alpha * (1 - exp(-sin(alpha) / alpha * V * t / s));
  for (int i = 0; i < 5; i++) {
    const cardan_options o = run_options(methods[i], 1e-3, t);
    run r = run_whole(text, NULL, &o);
    const double F = run_column(&r, CARDAN_ADD_TYRES, "tyre.t.fy");
    print_message("%s: %.8f N, expected %.8f N\n", methods[i], F, expected);
    // the brush: C alpha/(3 mu N) = 8e-7 of it; half steps of order 2 of the deflection:
    // (h V/s)^2/6
    assert_near(F, expected, (i == 0 || i == 3 ? 1e-6 : 1.5e-4) * expected);
    run_free(&r);
  }
}

/* A locked wheel on a slope of 0.3. With a relaxation length it stands within 2.5 times m g 0.3 l/C
 * of its start; without, it creeps at 0.0375 m/s times the slip that holds it. */
static void standstill(void **state)
{
  static const char *const methods[] = {"vi", "svi", "aba:bdf"};
  const char *text = "(system (gravity 2.943 0 -9.81) (tx \"x\" (name \"w\") (mass 300))"
                     "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9)"
                     "    (load 2943) %s))";
  const double F = 300 * 2.943, P = 0.9 * 2943, Q = 3 * P * (1 - cbrt(1 - F / P));
  char now[400];
  (void)state;
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options(methods[i], 0.005, 20);
    snprintf(now, sizeof now, text, "(relaxation 0.4)");
    run r = run_whole(now, NULL, &o);
    const double x = run_q(&r, "x");
    assert_near(run_v(&r, "x"), 0, 1e-9);
    run_free(&r);
    o.time = 10;
    r = run_whole(now, NULL, &o);
    assert_near(run_q(&r, "x"), x, 1e-9);
    print_message("%s: stands at %.6f mm, m g 0.3 l/C = %.6f mm, %.1e m/s\n", methods[i], 1e3 * x,
                  1e3 * F * 0.4 / 8e4, run_v(&r, "x"));
    assert_true(x >= F * 0.4 / 8e4 && x < 2.5 * F * 0.4 / 8e4); // Dahl: it swings in, and slides
    run_free(&r);
    o.time = 2;
    snprintf(now, sizeof now, text, "");
    r = run_whole(now, NULL, &o);
    print_message("%s: creeps at %.6e m/s, expected %.6e\n", methods[i], run_v(&r, "x"),
                  0.0375 * Q / 8e4);
    assert_near(run_v(&r, "x"), 0.0375 * Q / 8e4, 2e-3 * 0.0375 * Q / 8e4);
    run_free(&r);
  }
}

/* ---- the laws, at given states ---- */

static const char free_wheel[] =
    "(system (gravity 0 0 -9.81)"
    "  (tx \"x\" (ty \"y\" (rz \"yaw\" (rx \"lean\" (ry \"s\" (name \"w\") (mass 10 1 1 1))))))"
    "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) %s (load 4000) (name \"t\")))";

typedef struct {
  fixture f;
  cardan__tyre_reading now;
} wheel;

static wheel make_wheel(const char *law)
{
  char text[500];
  snprintf(text, sizeof text, free_wheel, law);
  return (wheel){.f = fixture_load(text)};
}

/* State: lean, velocities of x, y and spin. */
static void read_wheel(wheel *w, double lean, double vx, double vy, double spin)
{
  cardan_data *data = w->f.data;
  data->q[3] = lean;
  data->v[0] = vx;
  data->v[1] = vy;
  data->v[4] = spin;
  cardan_kinematics(w->f.model, data);
  const cardan__view view = cardan__data_view(w->f.model, data);
  w->now = cardan__read_tyre(w->f.model, &view, &w->f.model->force[0]);
}

static double formula(double x)
{
  const double b = 11, c = 1.4, d = 0.95, e = -0.3;
  return 4000 * d * sin(c * atan(b * x - e * (b * x - atan(b * x))));
}

static void magic_formula(void **state)
{
  (void)state;
  wheel w = make_wheel("(magic 11 1.4 0.95 -0.3) (camber 1.1)");
  for (int i = -40; i <= 40; i++) {
    const double k = 0.025 * i, a = 0.03 * i, V = 14;
    read_wheel(&w, 0, V, 0, V * (1 + k) / R);
    assert_near(w.now.kappa, k, 1e-14);
    assert_near(w.now.force.x, formula(k), 1e-11 * 4000);
    assert_near(w.now.force.y, 0, 1e-11 * 4000);
    read_wheel(&w, 0, V * cos(a), -V * sin(a), V * cos(a) / R);
    assert_near(w.now.alpha, a, 1e-14);
    assert_near(w.now.force.y, formula(a), 1e-11 * 4000);
    assert_near(w.now.force.x, 0, 1e-10 * 4000);
    // together: the size of the formula at the size of the slip, against the slip velocity
    read_wheel(&w, 0, V, -V * tan(a), V * (1 + k) / R);
    assert_near(hypot(w.now.force.x, w.now.force.y), formula(hypot(k, a)), 1e-10 * 4000);
    assert_near(w.now.force.x * tan(a) - w.now.force.y * k, 0, 1e-9 * 4000);
  }
  // camber: towards the lean (to the right is -y), at the slope 1.1 N
  read_wheel(&w, 1e-3, 14, 0, 14 / R);
  assert_near(w.now.force.y, -1.1e-3 * 4000, 1e-5 * 4);
  fixture_free(&w.f);
}

static void brush_law(void **state)
{
  (void)state;
  wheel w = make_wheel("(linear 8e4 6e4 0.9) (camber 3e3)");
  const double P = 0.9 * 4000;
  for (int i = 0; i <= 40; i++) {
    const double a = 0.01 * i, V = 14, q = fmin(6e4 * a / P, 3);
    read_wheel(&w, 0, V * cos(a), -V * sin(a), V * cos(a) / R);
    assert_near(w.now.force.y, P * (1 - pow(1 - q / 3, 3)), 1e-11 * P);
    // backwards: the same against the other way
    read_wheel(&w, 0, -V * cos(a), V * sin(a), -V * cos(a) / R);
    assert_near(w.now.force.y, -P * (1 - pow(1 - q / 3, 3)), 1e-11 * P);
    read_wheel(&w, 0, -V * cos(a), -V * sin(a), -V * cos(a) / R);
    assert_near(w.now.force.y, P * (1 - pow(1 - q / 3, 3)), 1e-11 * P);
  }
  // standing: nothing; locked, spinning on the spot, sliding sideways: mu N against the slip
  read_wheel(&w, 0, 0, 0, 0);
  assert_near(hypot(w.now.force.x, w.now.force.y), 0, 0);
  read_wheel(&w, 0.1, 9, 0, 0);
  assert_near(w.now.force.x, -P, 1e-11 * P);
  assert_near(w.now.force.y, 0, 1e-11 * P); // no camber thrust of a locked wheel
  read_wheel(&w, 0, 0, 0, 30);
  assert_near(w.now.force.x, P, 1e-11 * P);
  read_wheel(&w, 0, 0, -5, 0);
  assert_near(w.now.force.y, P, 1e-11 * P);
  read_wheel(&w, 0.02, 14, 0, 14 / R);
  const double q = 3e3 * 0.02 / P;
  assert_near(w.now.force.y, -P * (1 - pow(1 - q / 3, 3)), 1e-11 * P);
  fixture_free(&w.f);
}

/* No jump at v = 0: forces change by no more than the slope C/0.0375 allows. */
static void smooth_at_rest(void **state)
{
  (void)state;
  wheel w = make_wheel("(linear 8e4 6e4 0.9)");
  double before = 0;
  for (int i = -2000; i <= 2000; i++) {
    read_wheel(&w, 0, 1e-4 * i, 2e-4 * i, -1e-4 * i);
    if (i > -2000) {
      assert_true(fabs(w.now.force.y - before) <= 1.01 * 6e4 / 0.0375 * 2e-4);
    }
    before = w.now.force.y;
  }
  fixture_free(&w.f);
}

/* Power of the tyre, and of what its deflection stores. */
static double gained(fixture *f, double Cx, double Cy, double l)
{
  double rate[2] = {0, 0};
  cardan_kinematics(f->model, f->data);
  const cardan__view view = cardan__data_view(f->model, f->data);
  double stored = 0;
  if (l > 0) {
    assert_int_equal(cardan__aux_rates(f->model, &view, rate), -1);
    stored = (Cx * f->data->z[0] * rate[0] + Cy * f->data->z[1] * rate[1]) / l;
  }
  return cardan__forces_power(f->model, &view, NULL) + stored;
}

/* At random states, slow and fast, at any slip: the tyre takes energy out and gives none. */
static void never_gains(void **state)
{
  static const struct {
    const char *law;
    double Cx, Cy, length;
  } cases[] = {
      {"(linear 8e4 6e4 0.9)", 0, 0, 0},
      {"(linear 8e4 6e4 0.9) (camber 9e3)", 0, 0, 0},
      {"(magic 11 1.4 0.95 -0.3) (camber 1.1)", 0, 0, 0},
      {"(magic 9 1.9 1.1 1)", 0, 0, 0},
      {"(linear 8e4 6e4 0.9) (relaxation 0.4)", 8e4, 6e4, 0.4},
      {"(linear 8e4 6e4 0.9) (camber 9e3) (relaxation 0.4)", 8e4, 6e4, 0.4},
      {"(magic 11 1.4 0.95 -0.3) (camber 1.1) (relaxation 0.4)", 4000 * 11 * 1.4 * 0.95,
       4000 * 11 * 1.4 * 0.95, 0.4},
  };
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    wheel w = make_wheel(cases[c].law);
    support_rng rng = {c + 1};
    double worst = -HUGE_VAL;
    for (int i = 0; i < 20000; i++) {
      cardan_data *data = w.f.data;
      // faster the deflection of a sliding wheel is slowed
      const double scale = pow(10, support_random_in(&rng, -4, cases[c].length > 0 ? 0.3 : 1.7));
      data->q[2] = support_random_in(&rng, -3, 3);
      data->q[3] = support_random_in(&rng, -1.2, 1.2);
      for (int k = 0; k < 3; k++) {
        data->v[k] = scale * support_random_in(&rng, -1, 1);
      }
      data->v[3] = 0; // its contact would move up or down
      data->v[4] = scale * support_random_in(&rng, -1, 1) / R;
      if (cases[c].length > 0) { // within what the law holds
        const double turn = support_random_in(&rng, -3.2, 3.2);
        const double F = 3600 * support_random_in(&rng, 0, 1);
        data->z[0] = F * cos(turn) * cases[c].length / cases[c].Cx;
        data->z[1] = F * sin(turn) * cases[c].length / cases[c].Cy;
      }
      const double power = gained(&w.f, cases[c].Cx, cases[c].Cy, cases[c].length);
      worst = fmax(worst, power / (4000 * scale));
    }
    print_message("%s: at most %.1e of N v\n", cases[c].law, worst);
    assert_true(worst <= 1e-13);
    fixture_free(&w.f);
  }
}

/* ---- a car on four tyres ---- */

static const char car[] =
    "(system (gravity 0 0 -9.81)"
    "  (tx \"x\" (ty \"y\" (tz \"z\" (rz \"yaw\" (ry \"pitch\" (rx \"roll\" (name \"body\")"
    "    (tz 0.25 (mass 1000 300 1200 1400))"
    "    (place (1.3 0.75 0) (rz 0.03 (ry \"fl\" (name \"FL\") (mass 20 0.5 0.9 0.5))))"
    "    (place (1.3 -0.75 0) (rz 0.03 (ry \"fr\" (name \"FR\") (mass 20 0.5 0.9 0.5))))"
    "    (place (-1.3 0.75 0) (ry \"rl\" (name \"RL\") (mass 20 0.5 0.9 0.5)))"
    "    (place (-1.3 -0.75 0) (ry \"rr\" (name \"RR\") (mass 20 0.5 0.9 0.5)))))))))"
    "  (tyre \"FL\" \"world\" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9) (vertical 2e5 2e3) %s)"
    "  (tyre \"FR\" \"world\" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9) (vertical 2e5 2e3) %s)"
    "  (tyre \"RL\" \"world\" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9) (vertical 2e5 2e3) %s)"
    "  (tyre \"RR\" \"world\" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9) (vertical 2e5 2e3) %s)"
    "  (initial (\"x\" 0 15) (\"z\" 0.2868) (\"fl\" 0 50) (\"fr\" 0 50) (\"rl\" 0 50) (\"rr\" 0 "
    "50)))";

/* Every method computes the same motion: those of order 2 to h^2, of order 1 to h. */
static void methods_agree(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *more = k == 0 ? "" : "(relaxation 0.3)";
    char text[2000];
    snprintf(text, sizeof text, car, more, more, more, more);
    cardan_options o = run_options("aba:dop853", 0.01, 0.5);
    run r = run_whole(text, NULL, &o);
    const double yaw = run_q(&r, "yaw"), y = run_q(&r, "y"), roll = run_q(&r, "roll");
    run_free(&r);
    for (int i = 0; run_method(i) != NULL; i++) {
      const char *method = run_method(i);
      const bool first = strstr(method, "implicit") || strstr(method, "euler");
      o = run_options(method, 5e-4, 0.5);
      r = run_whole(text, NULL, &o);
      const double off = fmax(fabs(run_q(&r, "yaw") - yaw),
                              fmax(fabs(run_q(&r, "y") - y), fabs(run_q(&r, "roll") - roll)));
      const double balance = fabs(run_column(&r, CARDAN_ADD_WORK, "balance"));
      print_message("%s%s: off by %.1e, balance %.1e J\n", method, more, off, balance);
      assert_true(off < (first ? 5e-3 : 2e-4));
      run_free(&r);
    }
  }
}

/* A wheel on a truck that floats and turns: momenta stay, in aba to rounding of a thousand steps,
 * in methods that take forces at the middle of the step to its h^2, some 1e-7 of 15 N s. */
static void action_is_reaction(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 0) (joint free \"t\" (name \"bed\") (mass 50 9 9 9))"
      "  (joint free \"b\" (name \"w\") (mass 5 0.2 0.3 0.2))"
      "  (tyre \"w\" \"bed\" (disc 0.3) (axis 0 1 0) (linear 2e3 1e3 0.7) (load 30) (camber 100) "
      "%s)"
      "  (initial (\"b\" (0 0 0.3 1 0.02 0 0) (0.1 9 0 2 0.3 0)) (\"t\" (0 0 0 1 0 0 0) (0.01 0 "
      "0.02 "
      "0.1 0 0))))";
  static const char *const names[] = {"P.x", "P.y", "P.z", "L.x", "L.y", "L.z"};
  static const char *const methods[] = {"vi", "aba:rk4", "rattle"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    char now[700];
    double before[6];
    snprintf(now, sizeof now, text, i % 2 ? "(relaxation 0.2)" : "");
    const cardan_options o = run_options(methods[i / 2], 1e-4, 0);
    run r = run_begin(now, NULL, &o);
    for (int k = 0; k < 6; k++) {
      before[k] = run_column(&r, CARDAN_ADD_MOMENTUM, names[k]);
    }
    run_steps(&r, 1000);
    for (int k = 0; k < 6; k++) {
      assert_near(run_column(&r, CARDAN_ADD_MOMENTUM, names[k]), before[k],
                  i / 2 == 1 ? 1e-11 : 1e-6);
    }
    run_free(&r);
  }
}

/* Wheels in the air are warned of, discs that lie are refused or end the run with their name. */
static void air_and_flat(void **state)
{
  static const char hop[] =
      "(system (gravity 0 0 -9.81) (tz \"z\" (name \"w\") (mass 10 1 1 1))"
      "  (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (linear 1e4 1e4 0.8) (vertical 1e5 100)"
      "    (name \"left\")) (initial (\"z\" 0.5)))";
  static const char fall[] =
      "(system (gravity 0 0 -9.81) (tz \"z\" (rx \"lean\" (name \"w\") (mass 10 1 1 1)))"
      "  (tyre \"w\" \"world\" (disc 0.3) %s (linear 1e4 1e4 0.8) (load 100) (name \"left\"))"
      "  (initial (\"lean\" 1.5 3)))";
  char text[500];
  cardan_report report = {.message = ""};
  cardan_options o = run_options("vi", 0.001, 1);
  (void)state;
  run r = run_begin(hop, NULL, &o);
  expect_ok(cardan_run(r.sim, 100, NULL, 0, NULL, &report), &report, "hop");
  const char *warning = cardan_sim_warning(r.sim);
  assert_true(warning != NULL && strstr(warning, "the tyre \"left\" is 0.2 m above the ground"));
  run_free(&r);
  snprintf(text, sizeof text, fall, "(axis 0 1 0)");
  r = run_begin(text, NULL, &o);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 100 && status == CARDAN_OK; i++) {
    status = cardan_sim_step(r.sim, &report);
  }
  assert_true(status != CARDAN_OK && strstr(report.message, "the disc of tyre \"left\""));
  run_free(&r);
  snprintf(text, sizeof text, fall, "(axis 0 0 1)");
  r = run_load(text, NULL, &o);
  r.data->q[cardan_model_q(r.model, "lean")] = 1e-3;
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "lies flat at the start"));
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lateral_modes),
      cmocka_unit_test(lateral_modes_with_lag),
      cmocka_unit_test(steady_cornering),
      cmocka_unit_test(braking_distance),
      cmocka_unit_test(rolling_loses_nothing),
      cmocka_unit_test(step_steer),
      cmocka_unit_test(standstill),
      cmocka_unit_test(magic_formula),
      cmocka_unit_test(brush_law),
      cmocka_unit_test(smooth_at_rest),
      cmocka_unit_test(never_gains),
      cmocka_unit_test(air_and_flat),
      cmocka_unit_test(action_is_reaction),
      cmocka_unit_test(methods_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
