// SPDX-License-Identifier: Apache-2.0
/* Motions in the plane x-z. An angle a is about y: it takes (x, z) to (x cos a + z sin a,
 * z cos a - x sin a). */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "contact_cases.h"
#include "hybrid.h"

#define FLOOR "(place (0 0 0) (name \"floor\") (solid plane))"

static const double g = 9.81;

static double pi(void)
{
  return acos(-1.0);
}

/* By trial: sticking; then sliding either way, with the velocity that is left against the force. */
void contact_impulse(const double u[2], double W[2][2], double mu, double e, double r[2])
{
  const double b[2] = {(1 + e) * u[0], u[1]}, det = W[0][0] * W[1][1] - W[0][1] * W[1][0];
  r[0] = -(W[1][1] * b[0] - W[0][1] * b[1]) / det;
  r[1] = -(W[0][0] * b[1] - W[1][0] * b[0]) / det;
  for (int s = -1; s <= 1 && fabs(r[1]) > mu * r[0]; s += 2) {
    const double n = -b[0] / (W[0][0] + s * mu * W[0][1]);
    const double left = b[1] + n * (W[1][0] + s * mu * W[1][1]);
    if (n > 0 && s * left <= 0) {
      r[0] = n;
      r[1] = s * mu * n;
      return;
    }
  }
}

/* ---- A block 0.2 m wide and 0.6 m high rocks on its two lower edges. x: angle, its rate; mode:
 * its sign. G. Housner, The behavior of inverted pendulum structures during earthquakes, 1963:
 *   I a'' = -m g R sin(alpha - |a|) sign a,  I = 4/3 m R^2,  a'+ = a'- (1 - 3/2 sin^2 alpha) */
static const double rock_b = 0.1, rock_h = 0.3;

static void rock_rate(const hybrid *h, const double *x, double *dx)
{
  const double R = hypot(rock_b, rock_h), alpha = atan2(rock_b, rock_h);
  dx[0] = x[1];
  dx[1] = -h->mode * g / (4.0 / 3.0 * R) * sin(alpha - h->mode * x[0]);
}

static double rock_event(const hybrid *h, int k, const double *x)
{
  (void)k;
  return h->mode * x[0];
}

static void rock_jump(hybrid *h, int k, double *x)
{
  const double s = sin(atan2(rock_b, rock_h));
  (void)k;
  x[0] = 0;
  x[1] *= 1 - 1.5 * s * s;
  h->mode = -h->mode;
}

static int rock_end(double T, int steps, double *q)
{
  hybrid h = {
      .n = 2, .mode = 1, .nevent = 1, .rate = rock_rate, .event = rock_event, .jump = rock_jump};
  double x[2] = {0.25, 0};
  hybrid_run(&h, T, steps, x);
  const double a = x[0], side = h.mode * rock_b; // it stands on this corner
  q[0] = side - (side * cos(a) - rock_h * sin(a));
  q[1] = side * sin(a) + rock_h * cos(a);
  q[2] = a;
  return h.events;
}

/* ---- A wheel of 8 spokes without a rim goes down a slope of 0.08 rad. x: angle of the spoke it
 * stands on, from the normal, its rate, how many spokes it went. Angular momentum about the new
 * foot is kept: w+ = w- (I + m L^2 cos 2b) / (I + m L^2), b half the angle of two spokes. */
static const double wheel_L = 0.5, wheel_m = 2, wheel_I = 0.1, wheel_slope = 0.08;

static void wheel_rate(const hybrid *h, const double *x, double *dx)
{
  (void)h;
  dx[0] = x[1];
  dx[1] = wheel_m * g * wheel_L * sin(x[0] + wheel_slope) / (wheel_I + wheel_m * wheel_L * wheel_L);
  dx[2] = 0;
}

static double wheel_event(const hybrid *h, int k, const double *x)
{
  (void)h, (void)k;
  return pi() / 8 - x[0];
}

static void wheel_jump(hybrid *h, int k, double *x)
{
  const double mL2 = wheel_m * wheel_L * wheel_L;
  (void)h, (void)k;
  x[0] = -pi() / 8;
  x[1] *= (wheel_I + mL2 * cos(pi() / 4)) / (wheel_I + mL2);
  x[2] += 1;
}

static int wheel_end(double T, int steps, double *q)
{
  hybrid h = {.n = 3, .nevent = 1, .rate = wheel_rate, .event = wheel_event, .jump = wheel_jump};
  double x[3] = {0, 1.5, 0};
  hybrid_run(&h, T, steps, x);
  q[0] = wheel_L * (2 * x[2] * sin(pi() / 8) + sin(x[0]));
  q[1] = wheel_L * cos(x[0]);
  q[2] = x[0] + x[2] * pi() / 4;
  return h.events;
}

/* ---- A hopper: a foot of 0.2 kg under a body of 1 kg on a spring, 400 N/m, 0.5 m long. x: foot,
 * length, their rates. mode 1: it stands; it leaves when the spring pulls with its weight. */
static const double hop_m = 1, hop_foot = 0.2, hop_k = 400, hop_L = 0.5;

static void hop_rate(const hybrid *h, const double *x, double *dx)
{
  const double pull = hop_k * (x[1] - hop_L); // on the foot, up
  const double foot = h->mode ? 0 : pull / hop_foot - g;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = foot;
  dx[3] = -pull / hop_m - g - foot;
}

static double hop_event(const hybrid *h, int k, const double *x)
{
  (void)k;
  return h->mode ? hop_foot * g - hop_k * (x[1] - hop_L) : x[0];
}

static void hop_jump(hybrid *h, int k, double *x)
{
  (void)k;
  if (h->mode == 1) {
    h->mode = 0;
    return;
  }
  x[3] +=
      x[2]; // the foot stops, the body does not; a stretched spring lifts the foot again at once
  x[0] = x[2] = 0;
  h->mode = hop_foot * g > hop_k * (x[1] - hop_L);
}

static int hop_end(double T, int steps, double *q)
{
  hybrid h = {.n = 4, .nevent = 1, .rate = hop_rate, .event = hop_event, .jump = hop_jump};
  double x[4] = {0.3, hop_L, 0, 0};
  hybrid_run(&h, T, steps, x);
  q[0] = x[0];
  q[1] = x[1];
  return h.events;
}

/* ---- A mass on a rope of 1 m, struck so that it rises above the hook's height and falls into the
 * rope. mode 1: taut, x: angle, its rate; mode 0: slack, x, z and their rates in x[2 ..]. */
static void rope_rate(const hybrid *h, const double *x, double *dx)
{
  for (int i = 0; i < 6; i++) {
    dx[i] = 0;
  }
  if (h->mode) {
    dx[0] = x[1];
    dx[1] = -g * sin(x[0]);
  } else {
    dx[2] = x[4];
    dx[3] = x[5];
    dx[5] = -g;
  }
}

static double rope_event(const hybrid *h, int k, const double *x)
{
  (void)k;
  return h->mode ? x[1] * x[1] + g * cos(x[0]) : 1 - x[2] * x[2] - x[3] * x[3];
}

static void rope_jump(hybrid *h, int k, double *x)
{
  (void)k;
  if (h->mode) {
    x[2] = sin(x[0]);
    x[3] = -cos(x[0]);
    x[4] = x[1] * cos(x[0]);
    x[5] = x[1] * sin(x[0]);
  } else {
    x[0] = atan2(x[2], -x[3]);
    x[1] = x[4] * cos(x[0]) + x[5] * sin(x[0]); // what was along the rope vanishes
  }
  h->mode = !h->mode;
}

static int rope_end(double T, int steps, double *q)
{
  hybrid h = {
      .n = 6, .mode = 1, .nevent = 1, .rate = rope_rate, .event = rope_event, .jump = rope_jump};
  double x[6] = {0, 6};
  hybrid_run(&h, T, steps, x);
  q[0] = h.mode ? sin(x[0]) : x[2];
  q[1] = h.mode ? -cos(x[0]) : x[3];
  return h.events;
}

/* ---- A double pendulum of two rods of 1 m and 1 kg, hung at 1.5 m, strikes the floor with its
 * tip. x: angles of the rods from -z, and their rates. Friction: user. */
static const double two_height = 1.5;

static void two_mass(const double *x, double M[2][2])
{
  M[0][0] = 1.0 / 3.0 + 1;
  M[1][1] = 1.0 / 3.0;
  M[0][1] = M[1][0] = 0.5 * cos(x[0] - x[1]);
}

static void two_solve(double M[2][2], const double *b, double *a)
{
  const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  a[0] = (M[1][1] * b[0] - M[0][1] * b[1]) / det;
  a[1] = (M[0][0] * b[1] - M[1][0] * b[0]) / det;
}

static void two_rate(const hybrid *h, const double *x, double *dx)
{
  double M[2][2];
  const double s = 0.5 * sin(x[0] - x[1]);
  const double force[2] = {-s * x[3] * x[3] - 1.5 * g * sin(x[0]),
                           s * x[2] * x[2] - 0.5 * g * sin(x[1])};
  (void)h;
  two_mass(x, M);
  dx[0] = x[2];
  dx[1] = x[3];
  two_solve(M, force, dx + 2);
}

static double two_event(const hybrid *h, int k, const double *x)
{
  (void)h, (void)k;
  return two_height - cos(x[0]) - cos(x[1]);
}

static void two_jump(hybrid *h, int k, double *x)
{
  const double J[2][2] = {{sin(x[0]), sin(x[1])}, {-cos(x[0]), -cos(x[1])}};
  double M[2][2], Y[2][2], W[2][2], u[2], r[2];
  (void)k;
  two_mass(x, M);
  for (int i = 0; i < 2; i++) {
    two_solve(M, J[i], Y[i]);
    u[i] = J[i][0] * x[2] + J[i][1] * x[3];
  }
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      W[i][j] = J[i][0] * Y[j][0] + J[i][1] * Y[j][1];
    }
  }
  contact_impulse(u, W, *(const double *)h->user, 0.5, r);
  x[2] += Y[0][0] * r[0] + Y[1][0] * r[1];
  x[3] += Y[0][1] * r[0] + Y[1][1] * r[1];
}

static int two_end(double mu, double T, int steps, double *q)
{
  hybrid h = {
      .n = 4, .nevent = 1, .user = &mu, .rate = two_rate, .event = two_event, .jump = two_jump};
  double x[4] = {1.6, 2.4, 0, 0};
  hybrid_run(&h, T, steps, x);
  q[0] = x[0];
  q[1] = x[1] - x[0];
  return h.events;
}

static int two_smooth_end(double T, int steps, double *q)
{
  return two_end(0, T, steps, q);
}

static int two_rough_end(double T, int steps, double *q)
{
  return two_end(0.3, T, steps, q);
}

/* ---- A square of 0.4 m and 1 kg is thrown, strikes the floor with its corners, e 0.5, mu 0.3.
 * x: x, z, angle, and their rates. Event k: corner k. */
static const double square_half = 0.2;

static void corner(const double *x, int k, double *rx, double *rz)
{
  const double cx = k & 1 ? square_half : -square_half, cz = k & 2 ? square_half : -square_half;
  *rx = cx * cos(x[2]) + cz * sin(x[2]);
  *rz = cz * cos(x[2]) - cx * sin(x[2]);
}

static void square_rate(const hybrid *h, const double *x, double *dx)
{
  (void)h;
  for (int i = 0; i < 3; i++) {
    dx[i] = x[3 + i];
    dx[3 + i] = i == 1 ? -g : 0;
  }
}

static double square_event(const hybrid *h, int k, const double *x)
{
  double rx, rz;
  (void)h;
  corner(x, k, &rx, &rz);
  return x[1] + rz;
}

static void square_jump(hybrid *h, int k, double *x)
{
  const double I = 4 * square_half * square_half / 6; // of 1 kg
  double rx, rz, r[2];
  (void)h;
  corner(x, k, &rx, &rz);
  const double u[2] = {x[4] - rx * x[5], x[3] + rz * x[5]};
  double W[2][2] = {{1 + rx * rx / I, -rx * rz / I}, {-rx * rz / I, 1 + rz * rz / I}};
  contact_impulse(u, W, 0.3, 0.5, r);
  x[3] += r[1];
  x[4] += r[0];
  x[5] += (-rx * r[0] + rz * r[1]) / I;
}

static int square_end(double T, int steps, double *q)
{
  hybrid h = {.n = 6, .nevent = 4, .rate = square_rate, .event = square_event, .jump = square_jump};
  double x[6] = {0, 1, 0.9, 1.5, 0, 5};
  hybrid_run(&h, T, steps, x);
  q[0] = x[0];
  q[1] = x[1];
  q[2] = x[2];
  return h.events;
}

/* ---- A rod of 1 m and 1 kg slides on its lower tip, friction: user. x: tip, angle of the rod from
 * z, and their rates. With s the sign of the tip's velocity, N the normal force, c = (sin a, cos a)
 * / 2 from the tip to the centre:
 *   N (1 + 12 (c_x^2 + s mu c_x c_z)) = g - a'^2 c_z,   a'' = 12 N (c_x + s mu c_z)
 *   x'' = -s mu N - c_z a'' + c_x a'^2
 * It moves against its lean, s = -1: the factor of N is negative for some angle if mu > 4/3. */
static void rod_rate(const hybrid *h, const double *x, double *dx)
{
  const double mu = *(const double *)h->user, s = x[2] > 0 ? 1 : -1;
  const double cx = 0.5 * sin(x[1]), cz = 0.5 * cos(x[1]), w = x[3];
  const double N = (g - w * w * cz) / (1 + 12 * (cx * cx + s * mu * cx * cz));
  assert(N > 0);
  dx[0] = x[2];
  dx[1] = w;
  dx[3] = 12 * N * (cx + s * mu * cz);
  dx[2] = -s * mu * N - cz * dx[3] + cx * w * w;
}

static double rod_event(const hybrid *h, int k, const double *x)
{
  (void)h, (void)k, (void)x;
  return HUGE_VAL;
}

static int rod_end(double mu, double T, int steps, double *q)
{
  hybrid h = {.n = 4, .nevent = 0, .user = &mu, .rate = rod_rate, .event = rod_event};
  double x[4] = {0, 1.1, -6, 0};
  hybrid_run(&h, T, steps, x);
  q[0] = x[0] + 0.5 * sin(x[1]);
  q[1] = 0.5 * cos(x[1]);
  q[2] = x[1];
  return h.events;
}

static int rod_low_end(double T, int steps, double *q)
{
  return rod_end(0.5, T, steps, q);
}

static int rod_middle_end(double T, int steps, double *q)
{
  return rod_end(1.2, T, steps, q);
}

static int rod_high_end(double T, int steps, double *q)
{
  return rod_end(1.5, T, steps, q);
}

#define TWO(mu)                                                                                    \
  "(system (gravity 0 0 -9.81) " FLOOR " (tz 1.5 ry \"a\" (tz -0.5 (mass 1 (/ 12) (/ 12) (/ 12)))" \
  "  (tz -1 ry \"b\" (tz -0.5 (mass 1 (/ 12) (/ 12) (/ 12))) (tz -1 (name \"tip\") (solid "        \
  "point)))) (contact \"tip\" \"floor\" (friction " mu ") (restitution 0.5))"                      \
  " (initial (\"a\" 1.6) (\"b\" 0.8)))"

#define ROD(mu)                                                \
  "(system (gravity 0 0 -9.81) " FLOOR                         \
  " (tx \"x\" tz \"z\" ry \"a\" (mass 1 (/ 12) (/ 12) (/ 12))" \
  "  (tz -0.5 (name \"tip\") (solid point)))"                  \
  " (contact \"tip\" \"floor\" (friction " mu "))"             \
  " (initial (\"x\" (* 0.5 (sin 1.1)) -6) (\"z\" (* 0.5 (cos 1.1))) (\"a\" 1.1)))"

const contact_case contact_planar[] = {
    {"rocking block",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (tx \"x\" tz \"z\" ry \"a\" (name \"block\") (mass 1 0.0334 (/ 0.4 12) 0.0334)"
     "  (solid box 0.2 0.1 0.6)) (contact \"block\" \"floor\" (friction 1))"
     " (initial (\"x\" (- 0.1 (- (* 0.1 (cos 0.25)) (* 0.3 (sin 0.25)))))"
     "  (\"z\" (+ (* 0.1 (sin 0.25)) (* 0.3 (cos 0.25)))) (\"a\" 0.25)))",
     3, 2.1, 210, 6, rock_end},
    {"rimless wheel",
     "(system (gravity (* 9.81 (sin 0.08)) 0 (* -9.81 (cos 0.08))) " FLOOR
     " (tx \"x\" tz \"z\" ry \"a\" (mass 2 0.1 0.1 0.1)"
     "  (ry (* 0 (/ pi 4)) tz -0.5 (name \"f0\") (solid point))"
     "  (ry (* -1 (/ pi 4)) tz -0.5 (name \"f1\") (solid point))"
     "  (ry (* -2 (/ pi 4)) tz -0.5 (name \"f2\") (solid point))"
     "  (ry (* -3 (/ pi 4)) tz -0.5 (name \"f3\") (solid point))"
     "  (ry (* -4 (/ pi 4)) tz -0.5 (name \"f4\") (solid point))"
     "  (ry (* -5 (/ pi 4)) tz -0.5 (name \"f5\") (solid point))"
     "  (ry (* -6 (/ pi 4)) tz -0.5 (name \"f6\") (solid point))"
     "  (ry (* -7 (/ pi 4)) tz -0.5 (name \"f7\") (solid point)))"
     " (contact all (friction 1)) (initial (\"x\" 0 0.75) (\"z\" 0.5) (\"a\" 0 1.5)))",
     3, 3.2, 320, 6, wheel_end},
    {"hopper",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (tz \"foot\" (mass 0.2) (solid point) (tz \"leg\" (mass 1)))"
     " (joint-spring \"leg\" 400 0.5) (contact \"foot\" \"floor\")"
     " (initial (\"foot\" 0.3) (\"leg\" 0.5)))",
     2, 1.95, 780, 10, hop_end},
    {"rope",
     "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"hook\"))"
     " (tx \"x\" tz \"z\" (name \"bob\") (mass 1)) (rope \"bob\" \"hook\" 1)"
     " (initial (\"x\" 0 6) (\"z\" -1)))",
     2, 2, 200, 2, rope_end},
    {"two rods, mu 0", TWO("0"), 2, 2, 800, 3, two_smooth_end},
    {"two rods, mu 0.3", TWO("0.3"), 2, 2, 800, 3, two_rough_end},
    {"square",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (tx \"x\" tz \"z\" ry \"a\" (name \"square\") (mass 1 0.02 (/ 0.16 6) 0.02)"
     "  (solid box 0.4 0.2 0.4)) (contact \"square\" \"floor\" (friction 0.3) (restitution 0.5))"
     " (initial (\"x\" 0 1.5) (\"z\" 1) (\"a\" 0.9 5)))",
     3, 1.1, 220, 3, square_end},
    {"rod, mu 0.5", ROD("0.5"), 3, 0.2, 40, 0, rod_low_end},
    {"rod, mu 1.2", ROD("1.2"), 3, 0.2, 40, 0, rod_middle_end},
    {"rod, mu 1.5", ROD("1.5"), 3, 0.2, 40, 0, rod_high_end},
};
const int ncontact_planar = sizeof contact_planar / sizeof *contact_planar;
