// SPDX-License-Identifier: Apache-2.0
// Motions under drivers and of records: slider-crank and four-bar against closed forms, branches,
// singular positions, free coordinates, inverse dynamics and back.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/spline.h"
#include "cardan/dynamics.h"
#include "cardan/prescribed_motion.h"
#include "cardan/sim.h"
#include "fixture.h"

static const double pi = 3.14159265358979323846;

static cardan_prescribed_motion *make(const fixture *f, const cardan_recording *motion, bool hold)
{
  cardan_report report = {.message = ""};
  cardan_prescribed_motion *s = NULL;
  const cardan_prescribed_motion_options options = {.motion = motion, .hold = hold};
  expect_ok(cardan_prescribed_motion_create(f->model, f->data, &options, NULL, &s, &report),
            &report, "mechanism");
  return s;
}

static void move(cardan_prescribed_motion *s, double t)
{
  cardan_report report = {.message = ""};
  expect_ok(cardan_prescribed_motion_move(s, t, &report), &report, "move");
}

static void stops(cardan_prescribed_motion *s, double t, cardan_status status, const char *part)
{
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_prescribed_motion_move(s, t, &report), status);
  if (strstr(report.message, part) == NULL) {
    print_error("%s\n", report.message);
  }
  assert_non_null(strstr(report.message, part));
}

/* ---- closed forms ---- */

/* Crank r, rod l, both about y, the slider along x: x = r cos a + sqrt(l^2 - r^2 sin^2 a). */
static const char slider[] =
    "(system (define r 0.3) (define l 0.8) (gravity 0 0 -9.81)"
    " (ry \"crank\" (tx r (mass 1 0 0.02 0.02) (ry \"rod\" (tx l (mass 1 0 0.05 0.05) (name "
    "\"A\")))))"
    " (tx \"x\" (mass 2 1 1 1) (name \"B\"))"
    " (point-constraint \"A\" \"B\" (1 0 0)) (point-constraint \"A\" \"B\" (0 0 1))"
    " (motion \"crank\" (+ 0.4 (* 7 t))) (initial (\"crank\" 0.4) (\"rod\" -0.5) (\"x\" 1)))";

// each of the three to 1e-12 of its size: Newton ends at rounding, which pivots of some 0.1 enlarge
static void test_slider_crank(void **state)
{
  (void)state;
  fixture f = fixture_load(slider);
  cardan_prescribed_motion *s = make(&f, NULL, false);
  const double r = 0.3, l = 0.8, w = 7;
  const int x = cardan_model_v(f.model, "x"), rod = cardan_model_v(f.model, "rod");
  double worst = 0;
  for (int k = 0; k <= 40; k++) {
    const double t = 0.05 * k, a = 0.4 + w * t, c = cos(a), d = sin(a);
    move(s, t);
    const double root = sqrt(l * l - r * r * d * d), p = -r * r * d * c * w / root;
    const double pp = -r * r * w * w * (c * c - d * d) / root - p * p / root;
    const double want[3] = {r * c + root, -r * d * w + p, -r * c * w * w + pp};
    const double got[3] = {f.data->q[x], f.data->v[x], f.data->a[x]};
    for (int i = 0; i < 3; i++) {
      worst = fmax(worst, fabs(got[i] - want[i]) / pow(w, i));
    }
    assert_near(remainder(a + f.data->q[rod] + asin(r * d / l), 2 * pi), 0, 1e-12);
  }
  assert_true(worst < 1e-12);
  print_message("slider-crank: position, velocity, acceleration to %.2g\n", worst);
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

/* Crank a, coupler b, rocker c, ground d: angle of the rocker, the place above the line. */
static double rocker_of(double crank)
{
  const double a = 0.5, b = 1.25, c = 1, d = 1;
  const double x = a * cos(crank), z = -a * sin(crank), dx = d - x, dz = -z;
  const double r2 = dx * dx + dz * dz, r = sqrt(r2), along = (r2 + b * b - c * c) / (2 * r);
  const double up = sqrt(b * b - along * along);
  const double px = x + (along * dx - up * dz) / r, pz = z + (along * dz + up * dx) / r;
  return atan2(-pz, px - d);
}

static const char fourbar[] =
    "(system (gravity 0 0 -9.81)"
    " (ry \"crank\" (tx 0.5 (mass 1) (ry \"coupler\" (tx 1 (mass 0.5) (tx 0.25 (name \"B\"))))))"
    " (tx 1 (ry \"rocker\" (tx 1 (name \"C\") (mass 1)))) (coincide \"B\" \"C\" (name \"pin\"))"
    " (initial ((\"crank\" -1) fixed) (\"coupler\" 0.6) (\"rocker\" -1.5)))";

/* By a record of the crank; the rocker's closed form, and differences of order 8 of it. Rows of a
 * straight line make a spline that is exact. */
static void test_fourbar(void **state)
{
  (void)state;
  fixture f = fixture_load(fourbar);
  char text[512] = "t,q.crank\n";
  for (int i = 0; i < 8; i++) {
    char line[64];
    snprintf(line, sizeof line, "%.17g,%.17g\n", 0.5 * i, -1 + 0.5 * i * 2);
    strcat(text, line);
  }
  cardan_report report = {.message = ""};
  cardan_recording *motion = NULL;
  expect_ok(cardan_recording_read(f.model, text, strlen(text), "m.csv", NULL, &motion, &report),
            &report, "motion");
  cardan_prescribed_motion *s = make(&f, motion, false);
  static const double c[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static const double cc[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  const int rocker = cardan_model_v(f.model, "rocker");
  double worst[3] = {0}, h = 0.01;
  for (int k = 0; k <= 35; k++) {
    const double t = 0.1 * k, at = -1 + 2 * t;
    move(s, t);
    const double value = rocker_of(at);
    double first = 0, second = cc[0] * value;
    for (int i = 1; i <= 4; i++) {
      const double plus = value + remainder(rocker_of(at + i * h) - value, 2 * pi);
      const double minus = value + remainder(rocker_of(at - i * h) - value, 2 * pi);
      first += c[i] * (plus - minus);
      second += cc[i] * (plus + minus);
    }
    worst[0] = fmax(worst[0], fabs(remainder(f.data->q[rocker] - value, 2 * pi)));
    worst[1] = fmax(worst[1], fabs(f.data->v[rocker] - 2 * first / h));
    worst[2] = fmax(worst[2], fabs(f.data->a[rocker] - 4 * second / (h * h)));
  }
  print_message("four-bar: rocker to %.2g, %.2g, %.2g\n", worst[0], worst[1], worst[2]);
  assert_true(worst[0] < 1e-12);
  assert_true(worst[1] < 1e-9); // h^8 of the differences
  assert_true(worst[2] < 1e-7); // and rounding over h^2
  cardan_prescribed_motion_destroy(s);
  cardan_recording_destroy(motion);
  fixture_free(&f);
}

/* ---- branches and freedom ---- */

static void test_singular(void **state)
{
  (void)state;
  // a parallelogram, flat when the crank has turned to 0 at t = 1
  fixture f = fixture_load(
      "(system (ry \"crank\" (tx 0.5 (mass 1) (ry \"coupler\" (tx 1 (mass 1) (name \"B\")))))"
      " (tx 1 (ry \"rocker\" (tx 0.5 (name \"C\") (mass 1))))"
      " (point-constraint \"B\" \"C\" (1 0 0)) (point-constraint \"B\" \"C\" (0 0 1))"
      " (motion \"crank\" (- t 1)) (initial (\"crank\" -1) (\"coupler\" 1) (\"rocker\" -1)))");
  cardan_prescribed_motion *s = make(&f, NULL, false);
  move(s, 0.9);
  stops(s, 1.5, CARDAN_ERR_SINGULAR, "singular position at t = ");
  assert_near(f.data->t, 1, 1e-5); // a pivot of 1e-6 ends it
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
  // a rod shorter than the crank: sin a = l / r is where it ends
  f = fixture_load(
      "(system (ry \"crank\" (tx 0.5 (mass 1) (ry \"rod\" (tx 0.3 (mass 1) (name \"A\")))))"
      " (tx \"x\" (mass 2) (name \"B\")) (point-constraint \"A\" \"B\" (1 0 0))"
      " (point-constraint \"A\" \"B\" (0 0 1)) (motion \"crank\" t)"
      " (initial (\"crank\" 0) (\"rod\" 0) (\"x\" 0.8)))");
  s = make(&f, NULL, false);
  stops(s, 2, CARDAN_ERR_SINGULAR, "singular position at t = 0.64350");
  assert_near(f.data->t, asin(0.6), 1e-5);
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

static void test_left_free(void **state)
{
  (void)state;
  fixture f = fixture_load("pendulum:3");
  cardan_report report = {.message = ""};
  cardan_prescribed_motion *s = NULL;
  assert_int_equal(cardan_prescribed_motion_create(f.model, f.data, NULL, NULL, &s, &report),
                   CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "3 coordinates have nothing that moves or holds them"));
  s = make(&f, NULL, true);
  const cardan_prescribed_motion_facts facts = cardan_prescribed_motion_about(s);
  assert_int_equal(facts.nheld, 3);
  move(s, 1);
  double tau[3], held[3];
  expect_ok(cardan_prescribed_motion_forces(s, tau, &report), &report, "forces");
  cardan_gravity_torques(f.model, f.data, held);
  assert_near_vec(tau, held, 3, 1e-13 * 3 * 9.81 * 3);
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

// what an auxiliary state pushes with is not part of a known motion; its places are
static void test_states_refused(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx \"x\" (mass 1)) (torque \"x\" z.f)"
                           " (state \"f\" (derivative (- 5 z.f))))");
  cardan_report report = {.message = ""};
  cardan_prescribed_motion *s = make(&f, NULL, true);
  double tau[1];
  move(s, 1);
  assert_int_equal(cardan_prescribed_motion_forces(s, tau, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "auxiliary state \"f\""));
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

/* ---- inverse dynamics ---- */

/* A motion that was simulated under a torque, as a table of its coordinates alone. */
static char *simulate(const char *text, const char *wanted, double dt, int n)
{
  fixture f = fixture_load(text);
  cardan_options o = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  o.method = "aba";
  o.integrator = "dop853";
  o.rtol = 1e-13;
  o.atol = 1e-13;
  o.dt = dt;
  expect_ok(cardan_sim_create(f.model, &o, NULL, &sim, &report), &report, "sim");
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  char *table = malloc((size_t)(n + 2) * 128);
  assert_non_null(table);
  size_t used = (size_t)sprintf(table, "t,%s\n", wanted);
  for (int k = 0; k <= n; k++) {
    const cardan_data *data = cardan_sim_data(sim);
    used += (size_t)sprintf(table + used, "%.17g", k * dt);
    for (int i = 0; i < f.model->nq; i++) {
      char name[64];
      snprintf(name, sizeof name, "q.%s", f.model->q_name[i]);
      if (strstr(wanted, name) != NULL) {
        used += (size_t)sprintf(table + used, ",%.17g", data->q[i]);
      }
    }
    used += (size_t)sprintf(table + used, "\n");
    if (k < n) {
      expect_ok(cardan_sim_step(sim, &report), &report, "step");
    }
  }
  cardan_sim_destroy(sim);
  fixture_free(&f);
  return table;
}

/* Largest error of the torque on a coordinate over the record; forward dynamics with the torques
 * found must give the accelerations back. */
static double recover(const char *text, const char *table, const char *on, double (*torque)(double))
{
  fixture f = fixture_load(text);
  cardan_report report = {.message = ""};
  cardan_recording *motion = NULL;
  expect_ok(cardan_recording_read(f.model, table, strlen(table), "m.csv", NULL, &motion, &report),
            &report, "motion");
  cardan_prescribed_motion *s = make(&f, motion, false);
  const int nv = f.model->nv, at = cardan_model_v(f.model, on);
  double worst = 0, *tau = calloc(2 * (size_t)nv, sizeof *tau), *a = tau + nv;
  assert_non_null(tau);
  for (int k = 0; k < cardan_recording_row_count(motion); k++) {
    const double t = cardan_recording_time(motion, k);
    move(s, t);
    expect_ok(cardan_prescribed_motion_forces(s, tau, &report), &report, "forces");
    worst = fmax(worst, fabs(tau[at] - torque(t)));
    memcpy(a, f.data->a, (size_t)nv * sizeof *a);
    memcpy(f.data->tau_in, tau, (size_t)nv * sizeof *tau);
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    assert_near_vec(f.data->a, a, nv, 1e-9 * (1 + support_max_abs(a, nv)));
    memset(f.data->tau_in, 0, (size_t)nv * sizeof *tau);
  }
  free(tau);
  cardan_prescribed_motion_destroy(s);
  cardan_recording_destroy(motion);
  fixture_free(&f);
  return worst;
}

static double wave(double t)
{
  return 3 * sin(4 * t);
}

#define ARM                                                                              \
  "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 0.1 0.1 0.1) (ry \"b\" (tz -0.7" \
  " (mass 2 0.1 0.2 0.1))))) (damping \"b\" 0.3) (initial (\"a\" 0.5) (\"b\" -0.4))"
#define LOOP                                                                                    \
  "(system (gravity 0 0 -9.81)"                                                                 \
  " (ry \"crank\" (tx 0.5 (mass 1) (ry \"coupler\" (tx 1 (mass 0.5) (tx 0.25 (name \"B\"))))))" \
  " (tx 1 (ry \"rocker\" (tx 1 (name \"C\") (mass 1)))) (coincide \"B\" \"C\")"                 \
  " (initial ((\"crank\" -1) fixed) (\"coupler\" 0.6) (\"rocker\" -1.5))"
#define WAVE(on) "(torque \"" on "\" (* 3 (sin (* 4 t)))))"

// the spline's accelerations are of order 4 in the rows' distance: halved, the error falls by 16 or
// more, until that of the integrator shows; at least by 8 here
static void test_inverse(void **state)
{
  (void)state;
  double error[2][2];
  for (int k = 0; k < 2; k++) {
    const double dt = k == 0 ? 0.01 : 0.005;
    const int n = k == 0 ? 100 : 200;
    char *table = simulate(ARM WAVE("a"), "q.a,q.b", dt, n);
    error[0][k] = recover(ARM ")", table, "a", wave);
    free(table);
    // all three columns of a loop: one of them is enough
    table = simulate(LOOP WAVE("crank"), "q.crank,q.coupler,q.rocker", dt, n);
    error[1][k] = recover(LOOP ")", table, "crank", wave);
    free(table);
  }
  print_message("torques given back: arm to %.2g and %.2g, four-bar to %.2g and %.2g N m\n",
                error[0][0], error[0][1], error[1][0], error[1][1]);
  for (int m = 0; m < 2; m++) {
    assert_true(error[m][1] < error[m][0] / 8);
    assert_true(error[m][1] < 1e-3);
  }
}

/* ---- records ---- */

static void wrong(const char *text, cardan_status status, int line, const char *part)
{
  fixture f = fixture_load("pendulum:2");
  cardan_report report = {.message = ""};
  cardan_recording *motion = NULL;
  assert_int_equal(
      cardan_recording_read(f.model, text, strlen(text), "m.csv", NULL, &motion, &report), status);
  assert_null(motion);
  if (strstr(report.message, part) == NULL || report.pos.line != line) {
    print_error("%d: %s\n", report.pos.line, report.message);
  }
  assert_non_null(strstr(report.message, part));
  assert_int_equal(report.pos.line, line);
  fixture_free(&f);
}

static void test_records(void **state)
{
  (void)state;
  wrong("", CARDAN_ERR_SYNTAX, 1, "");
  wrong("t,x\n0,1\n", CARDAN_ERR_MODEL, 1, "no column q.NAME");
  wrong("q.q1\n0\n", CARDAN_ERR_SYNTAX, 1, "no column t");
  wrong("t,q.q1,q.q1\n0,1,2\n", CARDAN_ERR_SYNTAX, 1, "second column");
  wrong("t,q.q1\n0,1\n", CARDAN_ERR_SYNTAX, 3, "fewer than two rows");
  wrong("t,q.q1\n0,1\n0,2\n", CARDAN_ERR_SYNTAX, 3, "times that increase");
  wrong("t,q.q1\n0,1\n1\n", CARDAN_ERR_SYNTAX, 3, "found 1 fields");
  wrong("t,q.q1\n0,1\n1,nan\n", CARDAN_ERR_SYNTAX, 3, "");
  // velocities and accelerations of their own; words in columns that are not requested
  fixture f = fixture_load("pendulum:2");
  const char *text = "status,t,q.q1,v.q1,a.q1\nok,0,1,5,7\n\nwell,1,2,6,7\n";
  cardan_report report = {.message = ""};
  cardan_recording *motion = NULL;
  expect_ok(cardan_recording_read(f.model, text, strlen(text), "m.csv", NULL, &motion, &report),
            &report, "motion");
  double x[3];
  cardan_recording_at(motion, 0, 0.5, x);
  assert_near(x[0], 1.5, 1e-15);
  assert_near(x[1], 5.5, 1e-14);
  assert_near(x[2], 7, 1e-14);
  cardan_recording_at(motion, 0, nextafter(1, 2), x); // the last row but for rounding
  assert_near(x[1], 6, 1e-14);
  assert_near(x[2], 7, 1e-14);
  cardan_recording_at(motion, 0, 9, x);
  assert_near(x[0], 2, 0);
  assert_near(x[1], 0, 0);
  cardan_recording_destroy(motion);
  fixture_free(&f);
}

/* Orders 6, 5, 4 of value, velocity, acceleration, uneven rows, ends included. */
static void test_spline(void **state)
{
  (void)state;
  double error[2][3] = {{0}};
  for (int k = 0; k < 2; k++) {
    enum { MOST = 128 };
    const int n = k == 0 ? 64 : 128;
    double t[MOST], y[MOST], knot[MOST + 6], c[MOST], work[MOST * 11];
    for (int i = 0; i < n; i++) {
      t[i] = 3 * (i + 0.3 * sin(i) * (i > 0 && i < n - 1)) / (n - 1);
      y[i] = sin(2 * t[i]);
    }
    assert_true(cardan__spline_work(n) <= MOST * 11 && cardan__spline_knots(n) <= MOST + 6);
    const int degree = cardan__spline_begin(n, t, knot);
    assert_true(cardan__spline_fit(n, degree, t, knot, y, c, work));
    const cardan__spline s = {n, degree, knot, c};
    for (int i = 0; i <= 1000; i++) {
      double x[3];
      const double at = 0.003 * i, want[3] = {sin(2 * at), 2 * cos(2 * at), -4 * sin(2 * at)};
      cardan__spline_at(&s, at, x);
      for (int d = 0; d < 3; d++) {
        error[k][d] = fmax(error[k][d], fabs(x[d] - want[d]));
      }
    }
  }
  for (int d = 0; d < 3; d++) { // half an order less for uneven rows
    assert_true(log2(error[0][d] / error[1][d]) > 5.5 - d);
  }
}

static cardan_status scenario(const cardan_allocator *allocator, void *user)
{
  const fixture *f = user;
  const char *text = "t,q.crank\n0,-1\n1,1\n";
  cardan_report report = {.message = ""};
  cardan_recording *motion = NULL;
  cardan_prescribed_motion *s = NULL;
  cardan_data_reset(f->model, f->data);
  cardan_status status =
      cardan_recording_read(f->model, text, strlen(text), "m.csv", allocator, &motion, &report);
  if (status == CARDAN_OK) {
    const cardan_prescribed_motion_options options = {.motion = motion};
    status = cardan_prescribed_motion_create(f->model, f->data, &options, allocator, &s, &report);
  }
  status = status == CARDAN_OK ? cardan_prescribed_motion_move(s, 0.5, &report) : status;
  cardan_prescribed_motion_destroy(s);
  cardan_recording_destroy(motion);
  return status;
}

static void test_memory(void **state)
{
  (void)state;
  fixture f = fixture_load(fourbar);
  support_fail_each(scenario, &f);
  fixture_free(&f);
}

/* ---- constraints on velocities ---- */

// z' = y x' with x and y driven round a circle: z falls by the area, pi a turn; the drivers push
// with x'' + y z'' and y''
static void test_area_of_a_circle(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx (k \"x\") (ty (k \"y\") (tz \"z\" (mass 1 1 1 1))))"
                           " (velocity (- v.z (* q.y v.x)))"
                           " (motion \"x\" (cos t)) (motion \"y\" (sin t)))");
  cardan_prescribed_motion *s = make(&f, NULL, false);
  const int x = cardan_model_v(f.model, "x"), y = cardan_model_v(f.model, "y");
  const int z = cardan_model_v(f.model, "z");
  double worst = 0, tau[3], driver[3];
  for (int k = 1; k <= 20; k++) {
    cardan_report report = {.message = ""};
    const double t = 0.1 * pi * k;
    move(s, t);
    const double expected[3] = {-0.5 * (t - 0.5 * sin(2 * t)), -sin(t) * sin(t), -sin(2 * t)};
    const double found[3] = {f.data->q[z], f.data->v[z], f.data->a[z]};
    for (int i = 0; i < 3; i++) {
      worst = fmax(worst, fabs(found[i] - expected[i]));
    }
    expect_ok(cardan_prescribed_motion_forces(s, tau, &report), &report, "forces");
    cardan_driver_forces(f.model, f.data, driver);
    worst = fmax(worst, fabs(driver[x] - (-cos(t) + sin(t) * found[2])));
    worst = fmax(worst, fabs(driver[y] + sin(t)));
  }
  print_message("z' = y x' round a circle: %.1e, after a turn %.15f\n", worst, f.data->q[z]);
  assert_near(worst, 0, 1e-10); // some 200 steps of 1e-11 at most
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

// a trailer of length L pulled along x at speed V: tan(angle / 2) falls as exp(-V t / L); and back
static void test_trailer(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx (k \"x\") (rz \"a\" (mass 1 0.1 0.1 0.2)"
                           " (tx -0.8 (name \"axle\"))))"
                           " (skate \"axle\" \"world\") (motion \"x\" (* 1.5 t))"
                           " (initial (\"a\" 2.5)))");
  cardan_prescribed_motion *s = make(&f, NULL, false);
  const int a = cardan_model_v(f.model, "a");
  double worst = 0;
  for (int k = 1; k <= 12; k++) {
    const double t = k <= 8 ? 0.25 * k : 2 - 0.5 * (k - 8);
    move(s, t);
    worst = fmax(worst, fabs(f.data->q[a] - 2 * atan(tan(1.25) * exp(-1.5 * t / 0.8))));
    worst = fmax(worst, fabs(f.data->v[a] + 1.5 / 0.8 * sin(f.data->q[a])));
  }
  print_message("trailer: %.1e rad\n", worst);
  // there, 1e-10; back, errors grow as its angle does, by exp(V t / L) = 43
  assert_near(worst, 0, 1e-9);
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

// a car by its speed and its steering: what turns, where it goes, and the torques that a run of it
// had. Redundant rows, a loop beside them, and positions that nothing else determines
static void test_car_of_a_run(void **state)
{
  (void)state;
  fixture f = fixture_load("car");
  cardan_report report = {.message = ""};
  const cardan_model *model = f.model;
  cardan_options o = cardan_options_defaults();
  cardan_sim *sim = NULL;
  enum { ROWS = 401 };
  static char text[ROWS * 128];
  size_t used = (size_t)snprintf(text, sizeof text, "t,q.rl,q.left\n");
  const int rl = cardan_model_q(model, "rl"), left = cardan_model_q(model, "left");
  o.method = "aba";
  o.integrator = "dopri5";
  o.rtol = o.atol = 1e-12;
  o.dt = 0.01;
  expect_ok(cardan_sim_create(model, &o, NULL, &sim, &report), &report, "sim");
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  const cardan_data *data = cardan_sim_data(sim);
  for (int k = 0; k < ROWS; k++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%.17g,%.17g,%.17g\n", data->t,
                             data->q[rl], data->q[left]);
    if (k + 1 < ROWS) {
      expect_ok(cardan_sim_step(sim, &report), &report, "step");
    }
  }
  cardan_recording *motion = NULL;
  expect_ok(cardan_recording_read(model, text, used, "run", NULL, &motion, &report), &report,
            "recording");
  cardan_prescribed_motion *s = make(&f, motion, false);
  move(s, 4);
  double worst = 0, tau[32], most = 0;
  for (int k = 0; k < model->nq; k++) {
    worst = fmax(worst, fabs(f.data->q[k] - data->q[k]));
  }
  // the model's own torques act: nothing else is needed
  expect_ok(cardan_prescribed_motion_forces(s, tau, &report), &report, "forces");
  for (int k = 0; k < model->nv; k++) {
    most = fmax(most, fabs(tau[k]));
  }
  print_message("car: off its run by %.1e after 20 m, torques by %.1e N m of 60\n", worst, most);
  assert_near(worst, 0, 1e-7); // splines of degree 5 of rows 10 ms apart; rounding of t
  assert_near(most, 0, 1e-4);  // their second derivatives times 1 t: order 4
  cardan_prescribed_motion_destroy(s);
  cardan_recording_destroy(motion);
  cardan_sim_destroy(sim);
  fixture_free(&f);
}

// what no row and no motion determines is named; velocities that would be infinite stop the motion
static void test_rows_that_do_not_determine(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_prescribed_motion *s = NULL;
  fixture f = fixture_load("sleigh");
  assert_int_equal(cardan_prescribed_motion_create(f.model, f.data, NULL, NULL, &s, &report),
                   CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "2 coordinates have nothing that moves or holds them"));
  fixture_free(&f);
  f = fixture_load(
      "(system (tx \"x\" (ty (k \"y\") (rz (k \"a\") (name \"blade\") (mass 1 1 1 1))))"
      " (skate \"blade\" \"world\") (motion \"y\" t) (motion \"a\" (- 1 t)))");
  s = make(&f, NULL, false);
  move(s, 0.5);
  stops(s, 1.5, CARDAN_ERR_SINGULAR, "singular position at t = 0.99");
  cardan_prescribed_motion_destroy(s);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slider_crank),     cmocka_unit_test(test_fourbar),
      cmocka_unit_test(test_singular),         cmocka_unit_test(test_left_free),
      cmocka_unit_test(test_states_refused),   cmocka_unit_test(test_inverse),
      cmocka_unit_test(test_records),          cmocka_unit_test(test_spline),
      cmocka_unit_test(test_area_of_a_circle), cmocka_unit_test(test_trailer),
      cmocka_unit_test(test_car_of_a_run),     cmocka_unit_test(test_rows_that_do_not_determine),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
