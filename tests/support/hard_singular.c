// SPDX-License-Identifier: Apache-2.0
// Mechanisms that pass positions where another branch of motion crosses theirs, in the x-y plane,
// hinges about z. Their inertia carries them through on the smooth branch.
#include <math.h>

#include "hard.h"

/* A uniform bar along x: a quarter of a kilogram and more with its length. */
static void put_bar(hard_page *p, double length)
{
  const double m = 0.25 + length, I = m * length * length / 12;
  hard_put(p, "(tx %.17g (mass %.17g 0.01 %.17g %.17g))", length / 2, m, I, I);
}

/* Crank, coupler, rocker, ground a[0..3]; crank at a[4], coupler's side a[5] = 1 or -1; crank's
 * speed a[6], gravity a[7] along y. In line (a[5] = 0) the other angles and speeds are given:
 * coupler a[8] at a[9], rocker a[10] at a[11], from the x axis; with a0 w + a1 wc = a2 wr and the
 * same of squares of speeds. */
static void write_fourbar(hard_page *p, const double *a)
{
  double c = a[8], wc = a[9], r = a[10], wr = a[11];
  if (a[5] != 0) {
    const double x = a[3] - a[0] * cos(a[4]), y = -a[0] * sin(a[4]), d = hypot(x, y);
    c = atan2(y, x) + a[5] * acos((a[1] * a[1] + d * d - a[2] * a[2]) / (2 * a[1] * d));
    r = atan2(a[1] * sin(c) - y, a[1] * cos(c) - x);
    // a0 w n(q1) + a1 wc n(c) = a2 wr n(r), along the coupler and along the rocker
    wr = a[6] * a[0] * sin(a[4] - c) / (a[2] * sin(r - c));
    wc = a[6] * a[0] * sin(a[4] - r) / (a[1] * sin(r - c));
  }
  hard_put(p, "  (gravity 0 %.17g 0)\n  (rz \"q1\" ", a[7]);
  put_bar(p, a[0]);
  hard_put(p, "\n    (tx %.17g (rz \"q2\" ", a[0]);
  put_bar(p, a[1]);
  hard_put(p, " (tx %.17g (name \"B\")))))\n  (tx %.17g (rz \"q3\" ", a[1], a[3]);
  put_bar(p, a[2]);
  hard_put(p, " (tx %.17g (name \"C\"))))\n", a[2]);
  hard_put(p, "  (point-constraint \"B\" \"C\" (1 0 0)) (point-constraint \"B\" \"C\" (0 1 0))\n");
  hard_put(p, "  (initial (\"q1\" %.17g %.17g) (\"q2\" %.17g %.17g) (\"q3\" %.17g %.17g))\n", a[4],
           a[6], c - a[4], wc - a[6], r, wr);
}

/* Crank and rod of the same length a[0], a slider of a[1] kg on x; crank at a[2] with speed a[3];
 * gravity a[4] along y. On the moving branch the slider is at 2 a0 cos. The rod may be longer, by
 * a[5]: then crank and rod never fold. */
static void write_slider_crank(hard_page *p, const double *a)
{
  const double rod = a[0] + a[5], side = sqrt(rod * rod - pow(a[0] * sin(a[2]), 2));
  double s = 2 * a[0] * cos(a[2]), c = -a[2], wc = -a[3], ws = -2 * a[0] * sin(a[2]) * a[3];
  if (a[5] != 0) { // the rod's angle c: rod sin c = -a0 sin, rod cos c = side
    s = a[0] * cos(a[2]) + side;
    c = atan2(-a[0] * sin(a[2]), side);
    wc = -a[0] * cos(a[2]) * a[3] / side;
    ws = -a[0] * sin(a[2]) * a[3] - rod * sin(c) * wc;
  }
  hard_put(p, "  (gravity 0 %.17g 0)\n  (rz \"q1\" ", a[4]);
  put_bar(p, a[0]);
  hard_put(p, "\n    (tx %.17g (rz \"q2\" ", a[0]);
  put_bar(p, rod);
  hard_put(p, " (tx %.17g (name \"B\")))))\n  (tx \"s\" (name \"C\") (mass %.17g 0.1 0.1 0.1))\n",
           rod, a[1]);
  hard_put(p, "  (point-constraint \"B\" \"C\" (1 0 0)) (point-constraint \"B\" \"C\" (0 1 0))\n");
  hard_put(p, "  (initial (\"q1\" %.17g %.17g) (\"q2\" %.17g %.17g) (\"s\" %.17g %.17g))\n", a[2],
           a[3], c - a[2], wc - a[3], s, ws);
}

/* Angle and speed of a coupler of length 1 + e over 1 m of ground, and of the crank behind it,
 * where the crank before it is at angle *q with speed *w; all from the x axis. Those become the one
 * behind's. Level where e = 0. */
static void next_crank(double e, double *q, double *w, double *coupler, double *speed)
{
  const double x = 1 - cos(*q), y = -sin(*q), d = hypot(x, y), length = 1 + e;
  const double c = atan2(y, x) + acos((length * length + d * d - 1) / (2 * length * d));
  const double r = atan2(length * sin(c) - y, length * cos(c) - x);
  *coupler = e != 0 ? c : 0;
  *speed = e != 0 ? *w * sin(*q - r) / (length * sin(r - c)) : 0;
  *w = e != 0 ? *w * sin(*q - c) / sin(r - c) : *w;
  *q = e != 0 ? r : *q;
}

/* N = a[0] four-bars in a row, all bars of 1 m: cranks "c0".. at angle a[1] and speed a[2],
 * couplers "k1".. that stay level; gravity a[3] along y. Couplers may be longer, by a[4]. */
static void write_row(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  double q = a[1], w = a[2];
  hard_put(p, "  (gravity 0 %.17g 0)\n", a[3]);
  for (int i = 0; i <= n; i++) {
    hard_put(p, "  (tx %d (rz \"c%d\" ", i, i);
    put_bar(p, 1);
    hard_put(p, " (tx 1 (name \"C%d\")", i);
    if (i < n) {
      hard_put(p, " (rz \"k%d\" ", i + 1);
      put_bar(p, 1 + a[4]);
      hard_put(p, " (tx %.17g (name \"K%d\")))", 1 + a[4], i + 1);
    }
    hard_put(p, ")))\n");
  }
  for (int i = 1; i <= n; i++) {
    hard_put(p, "  (point-constraint \"K%d\" \"C%d\" (1 0 0)) ", i, i);
    hard_put(p, "(point-constraint \"K%d\" \"C%d\" (0 1 0))\n", i, i);
  }
  hard_put(p, "  (initial");
  for (int i = 0; i <= n; i++) {
    const double crank = q, rate = w;
    double coupler, speed;
    hard_put(p, " (\"c%d\" %.17g %.17g)", i, crank, rate);
    if (i < n) {
      next_crank(a[4], &q, &w, &coupler, &speed);
      hard_put(p, " (\"k%d\" %.17g %.17g)", i + 1, coupler - crank, speed - rate);
    }
  }
  hard_put(p, ")\n");
}

/* Two parallelograms on one crank, the second closed by a hinge in space: singular and redundant.
 * a: crank, couplers, angle, speed. */
static void write_twofold(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 -9.81 0)\n  (rz \"q1\" ");
  put_bar(p, a[0]);
  hard_put(p, "\n    (tx %.17g (rz \"q2\" ", a[0]);
  put_bar(p, 2 * a[1]);
  hard_put(p, " (tx %.17g (name \"B\")) (tx %.17g (name \"E\")))))\n", a[1], 2 * a[1]);
  for (int i = 1; i <= 2; i++) {
    hard_put(p, "  (tx %.17g (rz \"r%d\" ", a[1] * i, i);
    put_bar(p, a[0]);
    hard_put(p, " (tx %.17g (name \"C%d\"))))\n", a[0], i);
  }
  hard_put(p,
           "  (point-constraint \"B\" \"C1\" (1 0 0)) (point-constraint \"B\" \"C1\" (0 1 0))\n");
  hard_put(p, "  (close revolute \"E\" \"C2\" (axis 0 0 1))\n");
  hard_put(p, "  (initial (\"q1\" %.17g %.17g) (\"q2\" %.17g %.17g)", a[2], a[3], -a[2], -a[3]);
  hard_put(p, " (\"r1\" %.17g %.17g) (\"r2\" %.17g %.17g))\n", a[2], a[3], a[2], a[3]);
}

const hard_case hard_singular[] = {
    {"parallelogram",
     write_fourbar,
     {1, 2, 1, 2, 2.0, -1, 1, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"parallelogram-3",
     write_fourbar,
     {0.5, 1.5, 0.5, 1.5, 1.2, 1, -3, 0},
     0.005,
     2,
     .reference = HARD_PATH},
    {"antiparallelogram",
     write_fourbar,
     {1, 2, 1, 2, 1.1, -1, 2, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"kite-1221", write_fourbar, {1, 2, 2, 1, 2.2, 1, 1, -9.81}, 0.005, 2, .reference = HARD_PATH},
    {"kite-1122", write_fourbar, {1, 1, 2, 2, 1.3, 1, -2, -9.81}, 0.005, 2, .reference = HARD_PATH},
    {"neutral-2435",
     write_fourbar,
     {1, 2, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"neutral-2354",
     write_fourbar,
     {0.6, 0.9, 1.5, 1.2, 2.1, 1, -4, 0},
     0.005,
     2,
     .reference = HARD_PATH},
    {"nearly-2435-2e-2",
     write_fourbar,
     {1, 2.02, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"nearly-2435-5e-3",
     write_fourbar,
     {1, 2.0049999999999999, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"nearly-2435-1e-3",
     write_fourbar,
     {1, 2.0009999999999999, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"nearly-2435-less-1e-3",
     write_fourbar,
     {1, 1.9990000000000001, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"nearly-parallelogram-1e-3",
     write_fourbar,
     {1, 2.001, 1, 2, 2.0, -1, 1, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"nearly-2435-1e-5",
     write_fourbar,
     {1, 2.0000100000000001, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_FREE},
    {"nearly-2435-less-1e-5",
     write_fourbar,
     {1, 1.9999899999999999, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_FREE},
    {"nearly-2435-1e-7",
     write_fourbar,
     {1, 2.0000000999999998, 1.5, 2.5, 1.9, 1, -2, -9.81},
     0.005,
     2,
     .reference = HARD_FREE},
    {"nearly-2435-1e-5-start",
     write_fourbar,
     {1, 2.0000100000000001, 1.5, 2.5, 3.1299999999999999, 1, 4, -9.81},
     0.005,
     1,
     .reference = HARD_FREE},
    {"nearly-parallelogram-1e-6",
     write_fourbar,
     {1, 2.0000010000000001, 1, 2, 2.0, -1, 1, -9.81},
     0.005,
     2,
     .reference = HARD_FREE},
    {"nearly-kite-1221-1e-6",
     write_fourbar,
     {1, 2.0000010000000001, 2, 1, 2.2, 1, 1, -9.81},
     0.005,
     2,
     .reference = HARD_FREE},
    {"nearly-slider-crank-1e-6",
     write_slider_crank,
     {1, 1, 1.0, 2, 0, 1e-06},
     0.005,
     2,
     .reference = HARD_FREE},
    {"nearly-row-2-1e-6",
     write_row,
     {2, 1.5707963267948966, -1, -9.81, 1e-06},
     0.005,
     2,
     .reference = HARD_FREE},
    {"rhombus", write_fourbar, {1, 1, 1, 1, 2.0, -1, 1, -9.81}, 0.005, 2, .reference = HARD_PATH},
    {"rhombus-on-node", write_row, {1, -0.5, 1, 0}, 0.01, 2, .reference = HARD_PATH},
    {"rhombus-beside-node", write_row, {1, -0.5000001, 1, 0}, 0.01, 2, .reference = HARD_PATH},
    {"parallelogram-in-line",
     write_fourbar,
     {1, 2, 1, 2, 0, 0, 4, 0, 0, 0, 0, 4},
     0.01,
     2,
     .reference = HARD_PATH},
    {"parallelogram-in-line-g",
     write_fourbar,
     {1, 2, 1, 2, 0, 0, 4, -9.81, 0, 0, 0, 4},
     0.005,
     2,
     .reference = HARD_PATH},
    {"antiparallelogram-in-line",
     write_fourbar,
     {1, 2, 1, 2, 0, 0, 2, 0, 0, -4, 0, -6},
     0.005,
     2,
     .reference = HARD_PATH},
    {"slider-crank-equal", write_slider_crank, {1, 1, 1.0, 2, 0}, 0.005, 2, .reference = HARD_PATH},
    {"slider-crank-heavy",
     write_slider_crank,
     {0.4, 5, 0.6, 3, -9.81},
     0.005,
     2,
     .reference = HARD_PATH},
    {"slider-crank-on-node",
     write_slider_crank,
     {1, 1, 1.5707963267948966, 2, 0},
     0.005,
     2,
     .reference = HARD_PATH},
    {"row-2", write_row, {2, 1.5707963267948966, -1, -9.81}, 0.005, 2, .reference = HARD_PATH},
    {"row-5", write_row, {5, 1.5707963267948966, -1, -9.81}, 0.005, 2, .reference = HARD_PATH},
    {"row-20", write_row, {20, 1.5707963267948966, -1, -9.81}, 0.005, 2, .reference = HARD_PATH},
    {"row-3-in-line", write_row, {3, 0, 3, 0}, 0.005, 2, .reference = HARD_PATH},
    {"twofold", write_twofold, {0.8, 1, 2.2, 1}, 0.005, 2, .reference = HARD_PATH},
    {"twofold-in-line", write_twofold, {0.8, 1, 0, 5}, 0.005, 1, .reference = HARD_PATH},
};
const int hard_nsingular = sizeof hard_singular / sizeof *hard_singular;
