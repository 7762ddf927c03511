// SPDX-License-Identifier: Apache-2.0
/* Round bodies on a floor: sliding, bouncing, rolling. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "contact_cases.h"
#include "hybrid.h"

#define FLOOR "(place (0 0 0) (name \"floor\") (solid plane))"

static const double g = 9.81;

/* ---- A puck is thrown across an incline of 0.3 rad, mu 0.2: v' = g sin - mu g cos v / |v|. */
static void puck_rate(const hybrid *h, const double *x, double *dx)
{
  const double v = hypot(x[2], x[3]), mu = 0.2;
  (void)h;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = g * sin(0.3) - mu * g * cos(0.3) * x[2] / v;
  dx[3] = -mu * g * cos(0.3) * x[3] / v;
}

static int puck_end(double T, int steps, double *q)
{
  hybrid h = {.n = 4, .rate = puck_rate};
  double x[4] = {0, 0, -1, 2};
  hybrid_run(&h, T, steps, x);
  q[0] = x[0];
  q[1] = x[1];
  q[2] = 0;
  return 0;
}

/* ---- A ball of radius 0.1 slides with spin w about x and y until it rolls. The velocity of the
 * point that touches, u = v + w x (-r e_z), keeps its direction: u' = -7/2 mu g u / |u|. */
static const double ball_r = 0.1;

static int slide_end(const double v[2], const double w[2], double T, double *q)
{
  const double mu = 0.3;
  const double u[2] = {v[0] - ball_r * w[1], v[1] + ball_r * w[0]}, speed = hypot(u[0], u[1]);
  const double roll = fmin(T, speed / (3.5 * mu * g));
  for (int i = 0; i < 2; i++) {
    const double a = -mu * g * u[i] / speed;
    q[i] = v[i] * T + a * roll * (T - 0.5 * roll);
  }
  q[2] = ball_r;
  return 1;
}

static int ball_end(double T, int steps, double *q)
{
  const double v[2] = {2, 0}, w[2] = {0, 0};
  (void)steps;
  return slide_end(v, w, T, q);
}

static int side_end(double T, int steps, double *q)
{
  const double v[2] = {2, 0}, w[2] = {-15, -5};
  (void)steps;
  return slide_end(v, w, T, q);
}

/* ---- A ball with spin bounces: e 0.8, mu 0.3. At each impact, per kg: r_n = (1 + e) |v_n|, along
 * the tangent -2/7 u if that is no more than mu r_n, else mu r_n against u. */
static int bounce_end(double T, int steps, double *q)
{
  const double mu = 0.3, e = 0.8, I = 0.4 * ball_r * ball_r;
  double x[3] = {0, 0, 0.6}, v[3] = {1.5, 0.5, 0}, w[2] = {10, 40}, t = 0;
  int n = 0;
  (void)steps;
  for (;;) {
    const double fall = (v[2] + sqrt(v[2] * v[2] + 2 * g * (x[2] - ball_r))) / g;
    const double dt = fmin(fall, T - t);
    for (int i = 0; i < 3; i++) {
      x[i] += v[i] * dt - (i == 2 ? 0.5 * g * dt * dt : 0);
    }
    v[2] -= g * dt;
    t += dt;
    if (fall > dt) {
      break;
    }
    const double u[2] = {v[0] - ball_r * w[1], v[1] + ball_r * w[0]}, speed = hypot(u[0], u[1]);
    const double rn = (1 + e) * -v[2], stick = 2.0 / 7.0;
    const double factor = stick * speed <= mu * rn ? stick : mu * rn / speed;
    const double r[2] = {-factor * u[0], -factor * u[1]};
    v[0] += r[0];
    v[1] += r[1];
    v[2] *= -e;
    x[2] = ball_r;
    // torque (-r e_z) x r
    w[0] += ball_r * r[1] / I;
    w[1] -= ball_r * r[0] / I;
    n++;
  }
  memcpy(q, x, sizeof x);
  return n;
}

/* ---- A body that rolls without sliding. In its axes: n the floor's normal, rho(n) from its centre
 * to where it touches, w its angular velocity, v = -w x rho that of its centre.
 *   n' = -w x n,   m (v' + w x v) = F - m g n,   I w' + w x I w = rho x F
 * F leaves:  I w' + m rho x (w' x rho) = -w x I w + m rho x (w x v - w x rho' + g n).
 * x: quaternion (w x y z) of body to world, w, place of the centre in the world */
typedef struct {
  double m, I[3][3];
  double size[3]; // semi-axes; of a disc: radius, 0, half its thickness
  bool disc;
} roller;

static void cross(const double *a, const double *b, double *out)
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* rho and its rate, n turning at dn.
 *   ellipsoid, D = diag(size)^2:  rho = -D n / sqrt(n.D n)
 *   disc, axis z:                 rho = -r p / |p| - half e_z sign n_z,  p = n without its z */
static void touch_point(const roller *b, const double *n, const double *dn, double *rho,
                        double *drho)
{
  double D[3], Dn[3], dDn[3];
  for (int i = 0; i < 3; i++) {
    D[i] = b->disc ? (i < 2) * b->size[0] * b->size[0] : b->size[i] * b->size[i];
    Dn[i] = D[i] * n[i];
    dDn[i] = D[i] * dn[i];
  }
  const double s = sqrt(dot(n, Dn)), ds = dot(n, dDn) / s;
  for (int i = 0; i < 3; i++) {
    rho[i] = -Dn[i] / s;
    drho[i] = -dDn[i] / s + Dn[i] * ds / (s * s);
  }
  rho[2] -= b->disc ? copysign(b->size[2], n[2]) : 0;
}

/* x of A x = b, by Cramer's rule. */
static void solve3(double A[3][3], const double *b, double *x)
{
  double c[3];
  double column[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      column[j][i] = A[i][j];
    }
  }
  cross(column[1], column[2], c);
  const double det = dot(column[0], c);
  x[0] = dot(b, c) / det;
  cross(b, column[2], c);
  x[1] = dot(column[0], c) / det;
  cross(column[1], b, c);
  x[2] = dot(column[0], c) / det;
}

static void up(const double *x, double *n)
{
  n[0] = 2 * (x[1] * x[3] - x[0] * x[2]);
  n[1] = 2 * (x[2] * x[3] + x[0] * x[1]);
  n[2] = x[0] * x[0] - x[1] * x[1] - x[2] * x[2] + x[3] * x[3];
}

/* v in the world's axes of a vector a of the body. */
static void turned(const double *x, const double *a, double *v)
{
  double t[3], s[3];
  cross(x + 1, a, t);
  for (int i = 0; i < 3; i++) {
    t[i] += x[0] * a[i];
  }
  cross(x + 1, t, s);
  for (int i = 0; i < 3; i++) {
    v[i] = a[i] + 2 * s[i];
  }
}

/* A w' = b of the equation above. */
static void roll_balance(const roller *b, const double *w, const double *v, const double *n,
                         const double *rho, const double *drho, double A[3][3], double *right)
{
  double Iw[3], gyro[3], wv[3], wd[3], push[3];
  for (int i = 0; i < 3; i++) {
    Iw[i] = dot(b->I[i], w);
    for (int j = 0; j < 3; j++) {
      A[i][j] = b->I[i][j] + b->m * ((i == j) * dot(rho, rho) - rho[i] * rho[j]);
    }
  }
  cross(w, Iw, gyro);
  cross(w, v, wv);
  cross(w, drho, wd);
  for (int i = 0; i < 3; i++) {
    wv[i] += g * n[i] - wd[i];
  }
  cross(rho, wv, push);
  for (int i = 0; i < 3; i++) {
    right[i] = b->m * push[i] - gyro[i];
  }
}

static void roll_rate(const hybrid *h, const double *x, double *dx)
{
  const double *w = x + 4;
  double n[3], dn[3], rho[3], drho[3], v[3], A[3][3], right[3];
  up(x, n);
  cross(n, w, dn);
  touch_point(h->user, n, dn, rho, drho);
  cross(rho, w, v);
  roll_balance(h->user, w, v, n, rho, drho, A, right);
  solve3(A, right, dx + 4);
  dx[0] = -0.5 * dot(x + 1, w);
  cross(x + 1, w, dx + 1);
  for (int i = 0; i < 3; i++) {
    dx[1 + i] = 0.5 * (dx[1 + i] + x[0] * w[i]);
  }
  turned(x, v, dx + 7);
}

/* ---- A rattleback: a stone whose long axes of inertia are turned from those of its surface. It is
 * spun the wrong way, rattles, and comes back. */
static int stone_end(double T, int steps, double *q)
{
  const roller b = {.m = 1,
                    .I = {{4e-4, -3e-4, 0}, {-3e-4, 2e-3, 0}, {0, 0, 2.2e-3}},
                    .size = {0.15, 0.05, 0.03}};
  hybrid h = {.n = 10, .user = &b, .rate = roll_rate};
  double x[10] = {1, 0, 0, 0, 0.01, 0.02, -4, 0, 0, 0.03};
  hybrid_run(&h, T, steps, x);
  memcpy(q, x + 7, 3 * sizeof *q);
  memcpy(q + 3, x, 4 * sizeof *q);
  return 0;
}

/* ---- A coin in steady motion: e3 its axis, e1 up in its plane, e2 = e3 x e1. About the centre
 *   H' = rate sin tilt (A rate cos tilt - C spin) e2 = rho x F,   rho = -r e1 - half e3
 *   F = m (rate V (-cos tilt e1 + sin tilt e3) + g k),   V = r spin - half rate sin tilt
 * which is linear in the spin. */
void contact_coin_steady(contact_coin *c)
{
  const double s = sin(c->tilt), k = cos(c->tilt), O = c->rate;
  // rho x F = (r F3 - half F1) e2 = (lever O V + m g (r k - half s)) e2
  const double lever = c->m * (c->r * s + c->half * k);
  const double constant =
      O * s * c->A * O * k + lever * O * c->half * O * s - c->m * g * (c->r * k - c->half * s);
  c->spin = constant / (O * s * c->C + lever * O * c->r);
  c->speed = c->r * c->spin - c->half * O * s;
}

static contact_coin coin(void)
{
  contact_coin c = {
      .m = 0.1, .r = 0.1, .half = 0.005, .A = 2.6e-4, .C = 5e-4, .tilt = 0.6, .rate = 8};
  contact_coin_steady(&c);
  return c;
}

/* Turned by tilt about y (e1 is then -x of the body, e2 is -y), at rate about z, and about its own
 * axis; the centre on a circle about the origin. */
static int coin_end(double T, int steps, double *q)
{
  const contact_coin c = coin();
  const double turn = 0.5 * c.rate * T, own = 0.5 * (c.spin - c.rate * cos(c.tilt)) * T;
  const double ct = cos(0.5 * c.tilt), st = sin(0.5 * c.tilt), R = c.speed / c.rate;
  (void)steps;
  q[0] = -R * cos(c.rate * T);
  q[1] = -R * sin(c.rate * T);
  q[2] = c.r * sin(c.tilt) + c.half * cos(c.tilt);
  q[3] = ct * cos(turn + own);
  q[4] = -st * sin(turn - own);
  q[5] = st * cos(turn - own);
  q[6] = ct * sin(turn + own);
  return 0;
}

/* The same with so much of the steady spin: it nutates. By the equations of what rolls. */
static int nutating(double part, double T, int steps, double *q)
{
  const contact_coin c = coin();
  const roller b = {.m = c.m,
                    .I = {{c.A, 0, 0}, {0, c.A, 0}, {0, 0, c.C}},
                    .size = {c.r, 0, c.half},
                    .disc = true};
  hybrid h = {.n = 10, .user = &b, .rate = roll_rate};
  double x[10] = {cos(0.5 * c.tilt),
                  0,
                  sin(0.5 * c.tilt),
                  0,
                  -c.rate * sin(c.tilt),
                  0,
                  part * c.spin,
                  -c.speed / c.rate,
                  0,
                  c.r * sin(c.tilt) + c.half * cos(c.tilt)};
  hybrid_run(&h, T, steps, x);
  memcpy(q, x + 7, 3 * sizeof *q);
  memcpy(q + 3, x, 4 * sizeof *q);
  return 0;
}

static int nutating_end(double T, int steps, double *q)
{
  return nutating(0.95, T, steps, q);
}

int contact_coin_rolls(double T, int steps, double *q)
{
  return nutating(1, T, steps, q);
}

#define COIN(part)                                                                           \
  "(system (gravity 0 0 -9.81) (define m 0.1) (define r 0.1) (define half 0.005)"            \
  " (define A 2.6e-4) (define C 5e-4) (define th 0.6) (define O 8)"                          \
  " (define lever (* m (+ (* r (sin th)) (* half (cos th)))))"                               \
  " (define steady (/ (- (+ (* O (sin th) A O (cos th)) (* lever O half O (sin th)))"        \
  "   (* m 9.81 (- (* r (cos th)) (* half (sin th))))) (+ (* O (sin th) C) (* lever O r))))" \
  " (define spin (* " part " steady)) " FLOOR                                                \
  " (joint free \"coin\" (mass m A A C) (solid cylinder r (* 2 half)))"                      \
  " (contact \"coin\" \"floor\" (friction 2)) (initial (\"coin\""                            \
  "  ((/ (- (* half O (sin th)) (* r steady)) O) 0 (+ (* r (sin th)) (* half (cos th)))"     \
  "   (cos (/ th 2)) 0 (sin (/ th 2)) 0)"                                                    \
  "  ((* -1 O (sin th)) 0 spin 0 (- (* half O (sin th)) (* r spin)) 0))))"

const contact_case contact_round[] = {
    {"puck",
     "(system (gravity (* 9.81 (sin 0.3)) 0 (* -9.81 (cos 0.3))) " FLOOR
     " (tx \"x\" ty \"y\" tz \"z\" (name \"puck\") (mass 1) (solid point))"
     " (contact \"puck\" \"floor\" (friction 0.2)) (initial (\"x\" 0 -1) (\"y\" 0 2)))",
     3, 1, 50, 0, puck_end},
    {"ball to roll",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (joint free \"ball\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1))"
     " (contact \"ball\" \"floor\" (friction 0.3))"
     " (initial (\"ball\" (0 0 0.1 1 0 0 0) (0 0 0 2 0 0))))",
     3, 1, 100, 1, ball_end},
    {"ball with side spin",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (joint free \"ball\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1))"
     " (contact \"ball\" \"floor\" (friction 0.3))"
     " (initial (\"ball\" (0 0 0.1 1 0 0 0) (-15 -5 0 2 0 0))))",
     3, 1, 100, 1, side_end},
    {"ball with bounces",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (joint free \"ball\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1))"
     " (contact \"ball\" \"floor\" (friction 0.3) (restitution 0.8))"
     " (initial (\"ball\" (0 0 0.6 1 0 0 0) (10 40 0 1.5 0.5 0))))",
     3, 2.1, 210, 6, bounce_end},
    {"coin", COIN("1"), 7, 2, 200, 0, coin_end},
    {"coin that nutates", COIN("0.95"), 7, 2, 200, 0, nutating_end},
    {"rattleback",
     "(system (gravity 0 0 -9.81) " FLOOR
     " (joint free \"stone\" (mass 1 4e-4 2e-3 2.2e-3 -3e-4 0 0) (solid ellipsoid 0.15 0.05 0.03))"
     " (contact \"stone\" \"floor\" (friction 2))"
     " (initial (\"stone\" (0 0 0.03 1 0 0 0) (0.01 0.02 -4 6e-4 -3e-4 0))))",
     7, 2, 1000, 0, stone_end},
};
const int ncontact_round = sizeof contact_round / sizeof *contact_round;
