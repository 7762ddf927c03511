// SPDX-License-Identifier: Apache-2.0
// The Whipple bicycle of the benchmark against published numbers.
// P. Basu-Mandal, A. Chatterjee, J. M. Papadopoulos, Hands-free circular motions of a benchmark
// bicycle, Proc. R. Soc. A 463, 2007, Table 1: accelerations at one state.
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/linearize.h"
#include "cardan/modes.h"
#include "linalg/linalg.h"
#include "run.h"

static void set(fixture *f, const char *name, double q, double v)
{
  for (int k = 0; k < f->model->nq; k++) {
    if (strcmp(f->model->q_name[k], name) == 0) {
      f->data->q[k] = q;
      f->data->v[k] = v;
      return;
    }
  }
  fail_msg("no coordinate %s", name);
}

static double acceleration(const fixture *f, const char *name)
{
  for (int k = 0; k < f->model->nv; k++) {
    if (strcmp(f->model->v_name[k], name) == 0) {
      return f->data->a[k];
    }
  }
  fail_msg("no velocity %s", name);
  return 0;
}

/* Their Euler angles are Rz(theta) Rx(psi) Rz(phi) from a bicycle that lies upside down: heading
 * theta + pi, lean to the right pi/2 - psi, pitch phi - pi; steering is positive to the left there
 * as well as here. Digits are those printed, 13 behind the point. */
static void published_accelerations(void **state)
{
  const double pi = 3.14159265358979323846;
  (void)state;
  fixture f = fixture_load("bicycle");
  set(&f, "x", 0, -2.8069345714545);
  set(&f, "y", 0, -0.1480982396001);
  set(&f, "z", 0.2440472102925, 0.1058778746261);
  set(&f, "yaw", pi, 0.7830033527065);
  set(&f, "lean", pi / 2 - 0.9501292851472, -0.6068425835418);
  set(&f, "pitch", 3.1257073014894 - pi, -0.0119185528069);
  set(&f, "steer", 0.2311385135743, 0.4859824687093);
  set(&f, "rear", 0, 8.9129896614890);
  set(&f, "front", 0, 8.0133620584155);
  cardan_kinematics(f.model, f.data);
  cardan_constraints(f.model, f.data);
  for (int r = 0; r < f.model->nrow; r++) { // the state satisfies the rows to its digits
    print_message("row %d: %.1e\n", r, f.data->rows.phi[r]);
    assert_near(f.data->rows.phi[r], 0, 1e-12);
  }
  expect_ok(cardan_forward(f.model, f.data, 0, 0), NULL, "bicycle");
  static const struct {
    const char *name;
    double a;
  } published[] = {{"yaw", 0.8353281706379},   {"lean", 7.8555281128244},
                   {"pitch", 0.1205543897884}, {"steer", -4.6198904039403},
                   {"rear", 1.8472554144217},  {"front", 2.4548072904550}};
  for (int i = 0; i < 6; i++) {
    const double a = acceleration(&f, published[i].name);
    print_message("%-6s %.13f, published %.13f\n", published[i].name, a, published[i].a);
    assert_near(a, published[i].a, 2e-12); // rounding of the state times slopes of some 10
  }
  fixture_free(&f);
}

/* Modes of the upright bicycle at a speed. */
static cardan_modes *modes_at(double v)
{
  cardan_report report = {.message = ""};
  cardan_modes *modes = NULL;
  fixture f = fixture_load("bicycle");
  memset(f.data->v, 0, (size_t)f.model->nv * sizeof *f.data->v);
  set(&f, "x", 0, v);
  set(&f, "z", 0.3, 0);
  set(&f, "rear", 0, v / 0.3);
  set(&f, "front", 0, v / 0.35);
  cardan_kinematics(f.model, f.data);
  expect_ok(cardan_modes_create(f.model, f.data, NULL, &modes, &report), &report, "bicycle");
  cardan_data_destroy(f.data);
  return modes; // with the model, which free_modes gives back
}

static void free_modes(cardan_modes *modes)
{
  cardan_model *model = (cardan_model *)modes->matrices->model;
  cardan_modes_destroy(modes);
  cardan_model_destroy(model);
}

/* The mode nearest to re + i im, and how far it is. */
static double distance_to(const cardan_modes *modes, double re, double im)
{
  double least = HUGE_VAL;
  for (int k = 0; k < modes->n; k++) {
    least = fmin(least, hypot(modes->mode[k].re - re, modes->mode[k].im - im));
  }
  return least;
}

/* Meijaard et al. 2007, Table 2 and section 4(d): 4 eigenvalues, and six zeros: x, y, yaw, the
 * wheels' angles and the speed, of which yaw leads to y and the speed to x. */
static void published_eigenvalues(void **state)
{
  static const struct {
    double v, re, im;
  } published[] = {{0, 3.13164324790656, 0},
                   {0, -3.13164324790656, 0},
                   {0, 5.53094371765393, 0},
                   {0, -5.53094371765393, 0},
                   {5, -14.07838969279822, 0},
                   {5, -0.32286642900409, 0},
                   {5, -0.77534188219585, 4.46486771378823},
                   {4.29238253634111, 0, 3.43503384866144}, // weave becomes stable
                   {0.68428307889246, 3.78290405129320, 0}, // where two real ones meet
                   {6.02426201538837, 0, 0}};               // capsize becomes unstable
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    cardan_modes *modes = modes_at(published[i].v);
    const double e = distance_to(modes, published[i].re, published[i].im);
    print_message("%.4f m/s: %.14f %+.14f i, off by %.1e\n", published[i].v, published[i].re,
                  published[i].im, e);
    // an eigenvalue that is double is off by the root of what the matrix is
    assert_near(e, 0, i == 8 ? 1e-4 : 1e-11);
    free_modes(modes);
  }
  cardan_modes *modes = modes_at(5);
  int rigid = 0, still = 0;
  for (int k = 0; k < modes->n; k++) {
    rigid += modes->mode[k].kind == CARDAN_MODE_RIGID;
    still += modes->mode[k].kind == CARDAN_MODE_STILL;
    assert_false(modes->mode[k].unstable);
  }
  assert_int_equal(2 * rigid + still, 6);
  assert_int_equal(rigid, 2);
  assert_int_equal(modes->matrices->nx, 10);
  free_modes(modes);
}

/* The canonical matrices of J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized
 * dynamics equations for the balance and steer of a bicycle, Proc. R. Soc. A 463, 2007, Appendix A,
 * of the parameters of their Table 1: M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q lean and steer. */
typedef struct {
  double M[4], C1[4], K0[4], K2[4];
} canonical;

static canonical benchmark(void)
{
  const double w = 1.02, c = 0.08, tilt = 3.14159265358979323846 / 10;
  const double sn = sin(tilt), cs = cos(tilt);
  const double rR = 0.3, mR = 2, IRx = 0.0603, IRy = 0.12;
  const double xB = 0.3, zB = -0.9, mB = 85, IBx = 9.2, IBxz = 2.4, IBz = 2.8;
  const double xH = 0.9, zH = -0.7, mH = 4, IHx = 0.05892, IHxz = -0.00756, IHz = 0.00708;
  const double rF = 0.35, mF = 3, IFx = 0.1405, IFy = 0.28;
  const double mT = mR + mB + mH + mF, mA = mH + mF;
  const double xT = (xB * mB + xH * mH + w * mF) / mT;
  const double zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT;
  const double ITx =
      IRx + IBx + IHx + IFx + mR * rR * rR + mB * zB * zB + mH * zH * zH + mF * rF * rF;
  const double ITxz = IBxz + IHxz - mB * xB * zB - mH * xH * zH + mF * w * rF;
  const double ITz = IRx + IBz + IHz + IFx + mB * xB * xB + mH * xH * xH + mF * w * w;
  const double xA = (xH * mH + w * mF) / mA, zA = (zH * mH - rF * mF) / mA;
  const double IAx = IHx + IFx + mH * (zH - zA) * (zH - zA) + mF * (rF + zA) * (rF + zA);
  const double IAxz = IHxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA);
  const double IAz = IHz + IFx + mH * (xH - xA) * (xH - xA) + mF * (w - xA) * (w - xA);
  const double uA = (xA - w - c) * cs - zA * sn;
  const double All = mA * uA * uA + IAx * sn * sn + 2 * IAxz * sn * cs + IAz * cs * cs;
  const double Alx = -mA * uA * zA + IAx * sn + IAxz * cs,
               Alz = mA * uA * xA + IAxz * sn + IAz * cs;
  const double mu = c / w * cs, SF = IFy / rF, ST = IRy / rR + SF, SA = mA * uA + mu * mT * xT;
  const double Mx = Alx + mu * ITxz, turn = mu * ST + SF * cs;
  return (canonical){.M = {ITx, Mx, Mx, All + 2 * mu * Alz + mu * mu * ITz},
                     .C1 = {0, turn + ITxz / w * cs - mu * mT * zT, -turn,
                            Alz / w * cs + mu * (SA + ITz / w * cs)},
                     .K0 = {mT * zT, -SA, -SA, -SA * sn},
                     .K2 = {0, (ST - mT * zT) / w * cs, 0, (SA + SF * sn) / w * cs}};
}

/* The four eigenvalues of the canonical equations at speed v. */
static void canonical_eigenvalues(const canonical *b, double v, double *re, double *im)
{
  double A[16] = {0}, vectors[16], error[4], work[512];
  const double det = b->M[0] * b->M[3] - b->M[1] * b->M[2];
  const double inverse[4] = {b->M[3] / det, -b->M[1] / det, -b->M[2] / det, b->M[0] / det};
  assert_true(cardan__eigen_work(4) <= sizeof work / sizeof *work);
  for (int i = 0; i < 2; i++) {
    A[4 * i + 2 + i] = 1;
    for (int j = 0; j < 2; j++) {
      for (int k = 0; k < 2; k++) {
        const int at = 2 * k + j;
        A[4 * (2 + i) + j] -= inverse[2 * i + k] * (9.81 * b->K0[at] + v * v * b->K2[at]);
        A[4 * (2 + i) + 2 + j] -= inverse[2 * i + k] * v * b->C1[at];
      }
    }
  }
  assert_true(cardan__eigen(4, A, re, im, vectors, error, work));
}

/* Largest real part of weave (complex) or of castering and capsize (real) that is nearest to 0. */
static double nearest_to_zero(double v, bool complex)
{
  cardan_modes *modes = modes_at(v);
  double best = HUGE_VAL;
  for (int k = 0; k < modes->n; k++) {
    const cardan_mode *m = &modes->mode[k];
    const bool zero = m->kind == CARDAN_MODE_RIGID || m->kind == CARDAN_MODE_STILL;
    if (!zero && (m->im != 0.0) == complex && fabs(m->re) < fabs(best)) {
      best = m->re;
    }
  }
  free_modes(modes);
  return best;
}

/* The speed between two at which that real part is 0, by bisection. */
static double critical_speed(double low, double high, bool complex)
{
  const bool sign = nearest_to_zero(low, complex) > 0;
  for (int k = 0; k < 40; k++) {
    const double v = 0.5 * (low + high);
    *((nearest_to_zero(v, complex) > 0) == sign ? &low : &high) = v;
  }
  return 0.5 * (low + high);
}

// all eigenvalues at 0, 1, .. 10 m/s against those of the canonical matrices, and both speeds at
// which a mode becomes stable or ceases to be. At 6 m/s capsize is 0.0015 /s from the six zeros.
static void all_speeds(void **state)
{
  static const canonical published = {
      .M = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686},
      .C1 = {0, 33.86641391492494, -0.85035641456978, 1.68540397397560},
      .K0 = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618},
      .K2 = {0, 76.59734589573222, 0, 2.65431523794604}};
  const canonical b = benchmark();
  (void)state;
  for (int i = 0; i < 4; i++) { // to the digits printed
    assert_near(b.M[i], published.M[i], 1e-13);
    assert_near(b.C1[i], published.C1[i], 1e-13);
    assert_near(b.K0[i], published.K0[i], 1e-13);
    assert_near(b.K2[i], published.K2[i], 2e-13);
  }
  for (int v = 0; v <= 10; v++) {
    cardan_modes *modes = modes_at(v);
    double re[4], im[4];
    canonical_eigenvalues(&b, v, re, im);
    for (int i = 0; i < 4; i++) {
      const double e = distance_to(modes, re[i], fabs(im[i]));
      print_message("%2d m/s: %18.14f %+18.14f i, off by %.1e\n", v, re[i], im[i], e);
      assert_near(e, 0, v == 6 ? 1e-7 : 1e-9);
    }
    free_modes(modes);
  }
  const double weave = critical_speed(4, 5, true), capsize = critical_speed(5.5, 6.5, false);
  print_message("weave becomes stable at %.12f m/s, published %.12f\n", weave, 4.29238253634111);
  print_message("capsize becomes unstable at %.12f m/s, published %.12f\n", capsize,
                6.02426201538837);
  assert_near(weave, 4.29238253634111, 1e-10);
  assert_near(capsize, 6.02426201538837, 1e-9);
}

/* Eigenvalues z of the derivative of one step at 5 m/s, after some steps: to re + i im; their
 * number. */
static int eigenvalues_of_step(const char *method, double h, double *re, double *im)
{
  enum { MOST = 32 };
  cardan_report report = {.message = ""};
  cardan_linearization *l = NULL;
  cardan_options o = cardan_options_defaults();
  cardan_sim *sim = NULL;
  static double A[MOST * MOST], V[MOST * MOST], error[MOST], work[MOST * MOST * 4];
  const double v = 5;
  fixture f = {.model = load_model("bicycle", NULL)};
  o.method = method;
  o.dt = h;
  expect_ok(cardan_sim_create(f.model, &o, NULL, &sim, &report), &report, "sim");
  f.data = cardan_sim_data(sim);
  memset(f.data->v, 0, (size_t)f.model->nv * sizeof *f.data->v);
  set(&f, "x", 0, v);
  set(&f, "z", 0.3, 0);
  set(&f, "rear", 0, v / 0.3);
  set(&f, "front", 0, v / 0.35);
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  for (int k = 0; k < 3; k++) {
    expect_ok(cardan_sim_step(sim, &report), &report, "step");
  }
  expect_ok(cardan_linearize(sim, NULL, &l, &report), &report, "linearize");
  const int nx = l->nx;
  assert_true(nx <= MOST && cardan__eigen_work(nx) <= sizeof work / sizeof *work);
  memcpy(A, l->A, (size_t)(nx * nx) * sizeof *A);
  assert_true(cardan__eigen(nx, A, re, im, V, error, work));
  cardan_linearization_destroy(l);
  cardan_sim_destroy(sim);
  cardan_model_destroy(f.model);
  return nx;
}

// log(z) / h of the derivative of a step goes to the published eigenvalues with the square of h; of
// the 18 others 6 are 1, 8 are 0 (2 of each of 2 rows of positions, 1 of each of 4 of velocities),
// and none is -1, which no regulator would survive
static void one_step(void **state)
{
  static const struct {
    double re, im;
  } published[] = {
      {-14.07838969279822, 0}, {-0.32286642900409, 0}, {-0.77534188219585, 4.46486771378823}};
  static const char *const methods[] = {"vi", "svi"};
  (void)state;
  for (int m = 0; m < 2; m++) {
    double last[3] = {0};
    for (int k = 0; k < 3; k++) {
      const double h = 0.02 / (1 << k);
      double re[32], im[32];
      const int nx = eigenvalues_of_step(methods[m], h, re, im);
      int zeros = 0, ones = 0;
      assert_int_equal(nx, 18);
      for (int i = 0; i < nx; i++) {
        zeros += hypot(re[i], im[i]) < 1e-3; // chains of two are off by the root of rounding
        ones += hypot(re[i] - 1, im[i]) < 1e-3;
        assert_true(hypot(re[i] + 1, im[i]) > 0.1);
      }
      assert_int_equal(zeros, 8);
      assert_int_equal(ones, 6);
      for (int p = 0; p < 3; p++) {
        double least = HUGE_VAL;
        for (int i = 0; i < nx; i++) {
          const double a = log(hypot(re[i], im[i])) / h, b = atan2(im[i], re[i]) / h;
          const double far = hypot(a - published[p].re, b - published[p].im);
          least = far < least ? far : least;
        }
        print_message("%s, h %.3f: %.4f %+.4f i off by %.1e\n", methods[m], h, published[p].re,
                      published[p].im, least);
        if (k > 0) {
          assert_near(log2(last[p] / least), 2, 0.1);
        }
        last[p] = least;
      }
    }
  }
}

/* At 4.6 m/s the wobble dies and the speed rises: all methods compute one motion, those of fixed
 * steps to their order. */
static void one_motion(void **state)
{
  static const double seconds = 5;
  (void)state;
  const cardan_options tight = run_options("aba:dopri5", 0.01, seconds);
  const cardan_options momenta = run_options("hamilton:dopri5", 0.01, seconds);
  const cardan_options maximal = run_options("baraff:dopri5", 0.01, seconds);
  run r = run_whole("bicycle", NULL, &tight), p = run_whole("bicycle", NULL, &momenta);
  run x = run_whole("bicycle", NULL, &maximal);
  const double steer = run_q(&r, "steer"), lean = run_q(&r, "lean");
  assert_near(run_q(&p, "steer"), steer, 1e-9);
  assert_near(run_q(&x, "steer"), steer, 1e-9);
  assert_near(run_q(&x, "x"), run_q(&r, "x"), 1e-8);
  assert_near(run_q(&p, "lean"), lean, 1e-9);
  assert_near(run_q(&p, "x"), run_q(&r, "x"), 1e-9);
  const double speed = hypot(run_v(&r, "x"), run_v(&r, "y"));
  print_message("after %g s: lean %.6f, steer %.6f rad, %.4f m/s\n", seconds, lean, steer, speed);
  assert_true(speed > 4.6);
  assert_int_equal(r.model->mobility, 3);
  assert_int_equal(r.model->nv - r.model->position_rank, 7);
  static const char *const methods[] = {"vi", "svi", "rattle", "half-implicit", "fully-implicit"};
  for (int i = 0; i < 5; i++) {
    const char *method = methods[i];
    double error[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options(method, (i < 3 ? 0.01 : 1e-3) / (1 + k), seconds);
      run s = run_whole("bicycle", NULL, &o);
      error[k] = fmax(fabs(run_q(&s, "steer") - steer), fabs(run_q(&s, "lean") - lean));
      run_free(&s);
    }
    print_message("%s: %.2e, %.2e, order %.2f\n", method, error[0], error[1],
                  log2(error[0] / error[1]));
    assert_near(log2(error[0] / error[1]), i < 3 ? 2 : 1, 0.15);
    assert_true(error[1] < (i < 3 ? 1e-3 : 5e-2));
  }
  run_free(&r);
  run_free(&p);
  run_free(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_accelerations),
      cmocka_unit_test(published_eigenvalues),
      cmocka_unit_test(all_speeds),
      cmocka_unit_test(one_step),
      cmocka_unit_test(one_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
