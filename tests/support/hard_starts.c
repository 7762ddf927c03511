// SPDX-License-Identifier: Apache-2.0
// Starts that loops have a say in (hard_starts), and friction that holds or comes to hold
// (hard_friction).
#include <math.h>

#include "hard.h"

/* A four-bar in the x-y plane, 0.4, 1, 0.9 and 0.8 m, crank at 1.2 rad; closed to the digits that
 * are given. a: speeds of crank, coupler, rocker, which of them are given (bits 1, 2, 4); digits of
 * the angles; drivers (bits 1: crank at a[5] rad/s; 4: rocker at a[6] rad/s); angles that are not
 * given (bits). */
static void write_fourbar(hard_page *p, const double *a)
{
  static const double angle[3] = {1.2, -0.67357055697587, 1.33580658975342};
  const int given = (int)a[3], digits = (int)a[4], driven = (int)a[7];
  hard_put(p, "  (gravity 0 -9.81 0)\n"
              "  (rz \"q1\" (tx 0.2 (mass 1 0.02 0.05 0.05))\n"
              "    (tx 0.4 (rz \"q2\" (tx 0.5 (mass 1 0.02 0.09 0.09)) (tx 1 (name \"B\")))))\n"
              "  (tx 0.8 (rz \"q3\" (tx 0.45 (mass 1 0.02 0.09 0.09)) (tx 0.9 (name \"C\"))))\n"
              "  (point-constraint \"B\" \"C\" (1 0 0)) (point-constraint \"B\" \"C\" (0 1 0))\n");
  hard_put(p, "  (initial");
  for (int i = 0; i < 3; i++) {
    if (((int)a[8] >> i & 1) != 0) {
      continue;
    }
    hard_put(p, " (\"q%d\" %.*f", i + 1, digits, angle[i]);
    if ((given >> i & 1) != 0) {
      hard_put(p, " %.17g", a[i]);
    }
    hard_put(p, ")");
  }
  hard_put(p, ")\n");
  if ((driven & 1) != 0) {
    hard_put(p, "  (motion \"q1\" (+ 1.2 (* %.17g t)))\n", a[5]);
  }
  if ((driven & 4) != 0) {
    hard_put(p, "  (motion \"q3\" (+ 1.33580658975342 (* %.17g t)))\n", a[6]);
  }
}

/* Crank 0.3, rod 0.8 and a slider on x; crank at 0.8 rad. a: speed of the crank, of the slider,
 * which is given (1 or 2). */
static void write_slider(hard_page *p, const double *a)
{
  const double turn = -asin(0.3 * sin(0.8) / 0.8);
  hard_put(p, "  (gravity 0 -9.81 0)\n  (rz \"q1\" (tx 0.15 (mass 1 0.02 0.05 0.05))\n"
              "    (tx 0.3 (rz \"q2\" (tx 0.4 (mass 1 0.02 0.09 0.09)) (tx 0.8 (name \"B\")))))\n"
              "  (tx \"s\" (mass 2 0.1 0.1 0.1))\n"
              "  (point-constraint \"B\" \"s\" (1 0 0)) (point-constraint \"B\" \"s\" (0 1 0))\n");
  hard_put(p, "  (initial (\"q2\" %.17g)", turn - 0.8);
  hard_put(p, a[2] == 1 ? " (\"q1\" 0.8 %.17g)" : " (\"q1\" 0.8)", a[0]);
  hard_put(p, a[2] == 2 ? " (\"s\" %.17g %.17g))\n" : " (\"s\" %.17g))\n",
           0.3 * cos(0.8) + 0.8 * cos(turn), a[1]);
}

/* A rigid triangle of two bars and the ground; a[0] = 1: one of them driven, at a[1] rad/s. */
static void write_triangle(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 -9.81 0)\n"
              "  (rz \"q1\" (tx 0.5 (mass 1 0.02 0.05 0.05)) (tx 1 (name \"B\")))\n"
              "  (tx 1 (rz \"q2\" (tx 0.5 (mass 1 0.02 0.09 0.09)) (tx 1 (name \"C\"))))\n"
              "  (point-constraint \"B\" \"C\" (1 0 0)) (point-constraint \"B\" \"C\" (0 1 0))\n"
              "  (initial (\"q1\" (/ pi 3)) (\"q2\" (* 2 (/ pi 3))))\n");
  if (a[0] != 0) {
    hard_put(p, "  (motion \"q1\" (+ (/ pi 3) (* %.17g t)))\n", a[1]);
  }
}

/* A door on three hinges, the last a[0] m and the middle one a[1] m off the line of the others, in
 * few digits: they say how well the file closes. */
static void write_crooked_door(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (rx 0.6 (rz \"q\" (tx 0.4 tz 1 (mass 20 2 2 3))\n"
              "    (tz 1 (name \"d1\")) (tz 2 (name \"d2\")))\n");
  hard_put(p, "    (tx %.3g tz 1 (name \"w1\")) (tx %.3g tz 2 (name \"w2\")))\n", a[1], a[0]);
  hard_put(p, "  (close revolute \"d1\" \"w1\" (axis 0 0 1))\n"
              "  (close revolute \"d2\" \"w2\" (axis 0 0 1))\n  (initial (\"q\" 0.7))\n");
}

/* A body thrown from (0.3, 0, 2), turned by 0.5 rad about z, with velocity (1, -2, 3) and 4, -1, 2
 * rad/s about world axes: by the coordinates of its joint, or (a[0] = 1) by a pose. */
static void write_thrown(hard_page *p, const double *a)
{
  const double c = cos(0.5), s = sin(0.5);
  hard_put(p, "  (gravity 0 0 -9.81)\n  (joint free \"b\" (mass 2 0.1 0.2 0.15))\n");
  if (a[0] != 0) {
    hard_put(p, "  (initial (pose \"b\" (0.3 0 2) (rpy 0 0 0.5) (velocity (1 -2 3) (4 -1 2))))\n");
  } else { // the joint's are in the body's axes
    hard_put(p, "  (initial (\"b\" (0.3 0 2 %.17g 0 0 %.17g)", cos(0.25), sin(0.25));
    hard_put(p, " (%.17g %.17g 2 %.17g %.17g 3)))\n", 4 * c - s, -4 * s - c, c - 2 * s, -s - 2 * c);
  }
}

const hard_case hard_starts[] = {
    {"given-crank",
     write_fourbar,
     {1, 0, 0, 1, 14},
     0.005,
     1,
     HARD_PATH,
     .expect = {{"v.q1", 1, 1e-9}}},
    {"given-coupler",
     write_fourbar,
     {0, 1.5, 0, 2, 14},
     0.005,
     1,
     HARD_PATH,
     .expect = {{"v.q2", 1.5, 1e-9}}},
    {"given-rocker",
     write_fourbar,
     {0, 0, -2, 4, 14},
     0.005,
     1,
     HARD_PATH,
     .expect = {{"v.q3", -2, 1e-9}}},
    {"given-crank-4-digits",
     write_fourbar,
     {1, 0, 0, 1, 4},
     0.005,
     1,
     HARD_PATH,
     .expect = {{"v.q1", 1, 1e-9}}},
    {"given-crank-alone",
     write_fourbar,
     {1, 0, 0, 1, 14, 0, 0, 0, 6},
     0.005,
     1,
     HARD_TWIN,
     .twin = "given-crank",
     .expect = {{"q.q1", 1.2, 1e-14}, {"v.q1", 1, 1e-9}}},
    {"given-slider-crank",
     write_slider,
     {2, 0, 1},
     0.005,
     1,
     HARD_PATH,
     .expect = {{"v.q1", 2, 1e-9}}},
    {"given-slider",
     write_slider,
     {0, -0.5, 2},
     0.005,
     1,
     HARD_PATH,
     .expect = {{"v.s", -0.5, 1e-9}}},
    {"scissor:4/given", .dt = 0.002, .time = 0.3, .reference = HARD_PATH,
     .options = "--init v.a1=0.5", .expect = {{"v.a1", 0.5, 1e-9}}},
    {"fourbar-3d/given", .dt = 0.005, .time = 1, .reference = HARD_PATH, .options = "--init v.q1=1",
     .expect = {{"v.q1", 1, 1e-9}}},
    {"thrown", write_thrown, {0}, 0.005, 0.5, .reference = HARD_FREE},
    {"thrown-by-pose", write_thrown, {1}, 0.005, 0.5, HARD_TWIN, .twin = "thrown"},
    {"given-both-apart", write_fourbar, {1, 0, -5, 5, 14}, 0.005, 1, .reference = HARD_REFUSED},
    {"given-all-apart", write_fourbar, {1, 1, 1, 7, 14}, 0.005, 1, .reference = HARD_REFUSED},
    {"driven", write_fourbar, {0, 0, 0, 0, 14, 2, 0, 1}, 0.005, 1, .reference = HARD_FREE},
    {"driven-and-given-apart",
     write_fourbar,
     {1, 0, 0, 1, 14, 2, 0, 1},
     0.005,
     1,
     .reference = HARD_REFUSED},
    {"driven-twice", write_fourbar, {0, 0, 0, 0, 14, 1, 3, 5}, 0.005, 1, .reference = HARD_REFUSED},
    {"triangle", write_triangle, {0}, 0.005, 1, .reference = HARD_STILL},
    {"triangle-driven", write_triangle, {1, 0.5}, 0.005, 1, .reference = HARD_REFUSED},
    {"triangle-driven-slowly", write_triangle, {1, 1e-6}, 0.005, 1, .reference = HARD_REFUSED},
    {"door-1e-9", write_crooked_door, {1e-9, 0}, 0.005, 1, HARD_TWIN, .twin = "door-3"},
    {"door-1e-7", write_crooked_door, {1e-7, 0}, 0.005, 1, HARD_TWIN, .twin = "door-3"},
    {"door-closing",
     write_crooked_door,
     {0, 2e-4},
     0.005,
     1,
     HARD_TWIN,
     .twin = "door-3",
     .options = "--closing 1e-3"},
    {"door-1e-2", write_crooked_door, {0, 1e-2}, 0.005, 1, .reference = HARD_REFUSED},
};
const int hard_nstarts = sizeof hard_starts / sizeof *hard_starts;

/* A block of a[0] kg on a slope of a[1] rad, coefficient a[2], speed downhill a[3], pushed downhill
 * by a[4] N. */
static void write_block(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (place (0 0 0) (rpy 0 %.17g 0)\n", a[1]);
  hard_put(p, "    (joint prismatic \"x\" (axis 1 0 0) (mass %.17g 0.1 0.1 0.1)))\n", a[0]);
  hard_put(p, "  (friction \"x\" %.17g)\n  (initial (\"x\" 0 %.17g))\n", a[2], a[3]);
  if (a[4] != 0) {
    hard_put(p, "  (torque \"x\" %.17g)\n", a[4]);
  }
}

/* A mass of 1 kg on a spring of a[0] N/m on a rough table, coefficient a[1], from a[2]. */
static void write_rubbing(hard_page *p, const double *a)
{
  hard_put(p,
           "  (gravity 0 0 -9.81)\n  (joint prismatic \"x\" (axis 1 0 0) (mass 1 0.1 0.1 0.1))\n");
  hard_put(p, "  (joint-spring \"x\" %.17g 0) (friction \"x\" %.17g) (initial (\"x\" %.17g))\n",
           a[0], a[1], a[2]);
}

/* A wheel of 2 kg and 0.1 kg m^2 on an axle of radius a[0], coefficient a[1], at a[2] rad/s. */
static void write_wheel(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (ry \"q\" (mass 2 0.1 0.1 0.1))\n");
  hard_put(p, "  (friction \"q\" %.17g (radius %.17g)) (initial (\"q\" 0 %.17g))\n", a[1], a[0],
           a[2]);
}

/* A pendulum of 1 kg at 0.3 m on an axle of radius a[0], coefficient a[1], from angle a[2]. */
static void write_stiff_pendulum(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (ry \"q\" (tz -0.3 (mass 1 0.01 0.01 0.01)))\n");
  hard_put(p, "  (friction \"q\" %.17g (radius %.17g)) (initial (\"q\" %.17g))\n", a[1], a[0],
           a[2]);
}

/* Crank 0.3, rod 0.8, slider of 2 kg on x, its guide rough: coefficient a[0], crank's speed a[1];
 * gravity along y presses the slider on. */
static void write_braked(hard_page *p, const double *a)
{
  const double turn = -asin(0.3 * sin(0.8) / 0.8), w = -a[1] * 0.3 * cos(0.8) / (0.8 * cos(turn));
  hard_put(p,
           "  (gravity 0 -9.81 0)\n  (rz \"q1\" (mass 1 0.02 0.05 0.05)\n"
           "    (tx 0.3 (rz \"q2\" (tx 0.4 (mass 0.3 0.002 0.02 0.02)) (tx 0.8 (name \"B\")))))\n"
           "  (joint prismatic \"s\" (axis 1 0 0) (mass 2 0.1 0.1 0.1))\n"
           "  (point-constraint \"B\" \"s\" (1 0 0)) (point-constraint \"B\" \"s\" (0 1 0))\n");
  hard_put(p, "  (friction \"s\" %.17g)\n  (initial (\"q1\" 0.8 %.17g) (\"q2\" %.17g %.17g)", a[0],
           a[1], turn - 0.8, w - a[1]);
  hard_put(p, " (\"s\" %.17g %.17g))\n", 0.3 * cos(0.8) + 0.8 * cos(turn),
           -0.3 * sin(0.8) * a[1] - 0.8 * sin(turn) * w);
}

/* A sledge of 3 kg on a rough floor, coefficient a[0], and a block of 1 kg on it, coefficient a[1],
 * thrown at a[2] m/s. */
static void write_sledge(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (joint prismatic \"x\" (axis 1 0 0) (mass 3 0.1 0.1 0.1)\n"
              "    (joint prismatic \"y\" (axis 1 0 0) (mass 1 0.1 0.1 0.1)))\n");
  hard_put(p, "  (friction \"x\" %.17g) (friction \"y\" %.17g) (initial (\"y\" 0 %.17g))\n", a[0],
           a[1], a[2]);
}

/* The law is smoothed below 1 mm/s: what holds creeps by less than 1e-3 m/s, which the tolerances
 * allow, with as much again for the way to rest. */
#define G 9.81
const hard_case hard_friction[] = {
    {"block-holds",
     write_block,
     {1, 0.35, 0.5},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 0, 1.5e-3}, {"v.x", 0, 1.1e-3}}},
    {"block-holds-steep",
     write_block,
     {10, 0.7, 0.9},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 0, 1.5e-3}, {"v.x", 0, 1.1e-3}}},
    {"block-slides",
     write_block,
     {1, 0.5235987755982988, 0.2},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 0.5 * G *(0.5 - 0.2 * 0.8660254037844386), 2e-3}}},
    {"block-stops",
     write_block,
     {2, 0, 0.3, 1},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 1 / (2 * 0.3 * G), 2e-3}, {"v.x", 0, 1.1e-3}}},
    {"block-stops-uphill",
     write_block,
     {1, 0.35, 0.5, -2},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", -4 / (2 * G * (0.34289780745545134 + 0.5 * 0.9393727128473789)), 4e-3},
                {"v.x", 0, 1.1e-3}}},
    {"block-pushed",
     write_block,
     {1, 0, 0.5, 0, 4},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 0, 1.5e-3}, {"v.x", 0, 1.1e-3}}},
    {"rubbing",
     write_rubbing,
     {50, 0.3, 0.5},
     0.005,
     2.5,
     HARD_HELD,
     .expect = {{"q.x", 0.5 - 8 * 0.3 * G / 50, 3e-3}, {"v.x", 0, 1.1e-3}}},
    {"rubbing-holds",
     write_rubbing,
     {50, 0.3, 0.05},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 0.05, 1.5e-3}, {"v.x", 0, 1.1e-3}}},
    {"wheel-stops",
     write_wheel,
     {0.05, 0.4, 2},
     0.005,
     2,
     HARD_HELD,
     .expect = {{"q.q", 4 * 0.1 / (2 * 0.4 * 0.05 * 2 * G), 2e-2}, {"v.q", 0, 2.2e-2}}},
    {"pendulum-holds",
     write_stiff_pendulum,
     {0.5, 0.5, 0.5},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.q", 0.5, 3e-3}, {"v.q", 0, 2.2e-3}}},
    {"pendulum-swings", write_stiff_pendulum, {0.02, 0.3, 1.5}, 0.005, 1, .reference = HARD_FREE},
    {"slider-crank-braked", write_braked, {0.3, 6}, 0.002, 0.6, .reference = HARD_FREE},
    {"slider-crank-braked-hard", write_braked, {0.6, 3}, 0.002, 0.6, .reference = HARD_FREE},
    {"sledge-rests",
     write_sledge,
     {0.5, 0.2, 1},
     0.005,
     1,
     HARD_HELD,
     .expect = {{"q.x", 0, 1.5e-3}, {"q.y", 1 / (2 * 0.2 * G), 4e-3}}},
};
const int hard_nfriction = sizeof hard_friction / sizeof *hard_friction;
