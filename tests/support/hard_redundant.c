// SPDX-License-Identifier: Apache-2.0
// Mechanisms that move although rows are counted against it: some follow from the others in every
// position. Gravity is skew, so that no symmetry helps.
#include <math.h>

#include "hard.h"

static const double pi = 3.14159265358979323846;

/* A link of a loop of hinges, by Denavit and Hartenberg: along z by offset, along x by length, then
 * about x by twist to the next hinge. */
typedef struct {
  double length, twist, offset;
} link;

/* A loop of n hinges, "q1".. "q(n-1)" in the tree and the last one closing it; the last link is the
 * ground. Every link has 1 kg in its middle. */
static void put_hinges(hard_page *p, int n, const link *l, const double *q)
{
  hard_put(p, "  (gravity 1 2 -9)\n");
  for (int i = 0; i < n - 1; i++) {
    hard_put(p, "  (rz \"q%d\" (tz %.17g (tx %.17g (mass 1 0.05 0.06 0.07)) (tx %.17g (rx %.17g\n",
             i + 1, l[i].offset, l[i].length / 2, l[i].length, l[i].twist);
  }
  hard_put(p, "  (name \"end\")");
  for (int i = 0; i < n - 1; i++) {
    hard_put(p, "))))");
  }
  const link g = l[n - 1];
  hard_put(p, "\n  (rx %.17g tx %.17g tz %.17g (name \"ground\"))\n", -g.twist, -g.length,
           -g.offset);
  hard_put(p, "  (close revolute \"end\" \"ground\" (axis 0 0 1))\n  (initial");
  for (int i = 0; i < n - 1; i++) {
    hard_put(p, " (\"q%d\" %.17g)", i + 1, q[i]);
  }
  hard_put(p, ")\n");
}

/* Bennett's: a: length, two twists, first angle. Lengths go as the sines of the twists. */
static void write_bennett(hard_page *p, const double *a)
{
  const link u = {a[0], a[1], 0}, w = {a[0] * sin(a[2]) / sin(a[1]), a[2], 0};
  const link l[4] = {u, w, u, w};
  const double q2 = 2 * atan(sin((a[2] + a[1]) / 2) / sin((a[2] - a[1]) / 2) / tan(a[3] / 2));
  put_hinges(p, 4, l, (double[]){a[3], q2, -a[3]});
}

/* Bricard's with a line of symmetry: three links twice over. a: three links, three angles. */
static void write_line_symmetric(hard_page *p, const double *a)
{
  link l[6];
  double q[6];
  for (int i = 0; i < 6; i++) {
    l[i] = (link){a[3 * (i % 3)], a[3 * (i % 3) + 1], a[3 * (i % 3) + 2]};
    q[i] = a[9 + i % 3];
  }
  put_hinges(p, 6, l, q);
}

/* Bricard's trihedral: right angles, and a sum of squares of lengths. a: five lengths, angles. */
static void write_trihedral(hard_page *p, const double *a)
{
  const double last = sqrt(a[0] * a[0] + a[2] * a[2] + a[4] * a[4] - a[1] * a[1] - a[3] * a[3]);
  link l[6];
  for (int i = 0; i < 6; i++) {
    l[i] = (link){i < 5 ? a[i] : last, i % 2 == 0 ? pi / 2 : -pi / 2, 0};
  }
  put_hinges(p, 6, l, a + 5);
}

/* Bricard's with threefold symmetry: length a[0], twists a[1] and -a[1], angles a[2], a[3]. */
static void write_threefold(hard_page *p, const double *a)
{
  link l[6];
  double q[6];
  for (int i = 0; i < 6; i++) {
    l[i] = (link){a[0], i % 2 == 0 ? a[1] : -a[1], 0};
    q[i] = a[2 + i % 2];
  }
  put_hinges(p, 6, l, q);
}

/* Myard's five hinges: a: twist, angles. */
static void write_myard(hard_page *p, const double *a)
{
  const double s = sin(a[0]);
  const link l[5] = {
      {s, a[0], 0}, {1, pi / 2, 0}, {0, pi - 2 * a[0], 0}, {1, pi / 2, 0}, {s, pi - a[0], 0}};
  put_hinges(p, 5, l, a + 1);
}

/* Goldberg's five hinges: two of Bennett's with a link of length a[0] and twist a[1] in common; the
 * other twists a[2], a[3]; angles. */
static void write_goldberg(hard_page *p, const double *a)
{
  const double b = a[0] / sin(a[1]);
  const link common = {a[0], a[1], 0}, one = {b * sin(a[2]), a[2], 0},
             two = {b * sin(a[3]), a[3], 0};
  const link both = {one.length + two.length, a[2] + a[3], 0};
  const link l[5] = {common, both, common, two, one};
  put_hinges(p, 5, l, a + 4);
}

/* Sarrus': a plate that two legs of three hinges each, about y and about x, let move up and down
 * alone. a: lengths of the legs' bars, angle of the first from upright; the second follows. */
static void write_sarrus(hard_page *p, const double *a)
{
  const double angle = acos(a[0] * cos(a[2]) / a[1]);
  hard_put(p, "  (gravity 1 2 -9)\n  (tx 0.5 (ry \"a1\" (tz %.17g (mass 1 0.05 0.05 0.01))\n",
           a[0] / 2);
  hard_put(p, "    (tz %.17g (ry \"a2\" (tz %.17g (mass 1 0.05 0.05 0.01))\n", a[0], a[0] / 2);
  hard_put(p, "      (tz %.17g (ry \"a3\" (mass 2 0.2 0.2 0.3)\n", a[0]);
  hard_put(p, "        (tx -0.5 ty 0.5 (name \"edge\"))))))))\n");
  hard_put(p, "  (ty 0.5 (rx \"b1\" (tz %.17g (mass 1 0.05 0.05 0.01))\n", a[1] / 2);
  hard_put(p, "    (tz %.17g (rx \"b2\" (tz %.17g (mass 1 0.05 0.05 0.01))\n", a[1], a[1] / 2);
  hard_put(p, "      (tz %.17g (name \"end\"))))))\n", a[1]);
  hard_put(p, "  (close revolute \"end\" \"edge\" (axis 1 0 0))\n");
  hard_put(p, "  (initial (\"a1\" %.17g) (\"a2\" %.17g) (\"a3\" %.17g)", a[2], -2 * a[2], a[2]);
  hard_put(p, " (\"b1\" %.17g) (\"b2\" %.17g))\n", -angle, 2 * angle);
}

/* A door on a[0] hinges along a line that leans by a[1]; those but the first close loops, a[2]
 * beside the line. */
static void write_door(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (rx %.17g (rz \"q\" (tx 0.4 tz 1 (mass 20 2 2 3))\n", a[1]);
  for (int i = 1; i < (int)a[0]; i++) {
    hard_put(p, "    (tz %d (name \"d%d\"))\n", i, i);
  }
  hard_put(p, "  )\n");
  for (int i = 1; i < (int)a[0]; i++) {
    hard_put(p, "    (tx %.17g tz %d (name \"w%d\"))\n", a[2], i, i);
  }
  hard_put(p, "  )\n");
  for (int i = 1; i < (int)a[0]; i++) {
    hard_put(p, "  (close revolute \"d%d\" \"w%d\" (axis 0 0 1))\n", i, i);
  }
  hard_put(p, "  (initial (\"q\" 0.7))\n");
}

/* A plate in the x-z plane under a[0] parallel rods of length a[1] at angle a[2], the rods as wires
 * (a[3] = 0) or as bars with hinges in space. Two rods hold it. */
static void write_swing(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  const double L = a[1], x = L * sin(a[2]), z = -L * cos(a[2]);
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tx \"x\" tz \"z\" ry \"a\" (mass 2 0.2 0.3 0.2)\n");
  for (int i = 0; i < n; i++) {
    hard_put(p, "    (tx %.17g (name \"p%d\"))\n", 0.7 * i - 0.4, i);
  }
  hard_put(p, "  )\n");
  for (int i = 0; i < n; i++) {
    if (a[3] == 0) {
      hard_put(p, "  (tx %.17g (name \"t%d\")) (wire \"t%d\" \"p%d\" %.17g)\n", 0.7 * i - 0.4, i, i,
               i, L);
    } else {
      hard_put(
          p,
          "  (tx %.17g (ry \"r%d\" (tz %.17g (mass 1 0.1 0.1 0.01)) (tz %.17g (name \"t%d\"))))\n",
          0.7 * i - 0.4, i, -L / 2, -L, i);
      hard_put(p, "  (close revolute \"t%d\" \"p%d\" (axis 0 1 0))\n", i, i);
    }
  }
  hard_put(p, "  (initial (\"x\" %.17g) (\"z\" %.17g)", x, z);
  for (int i = 0; i < n && a[3] != 0; i++) {
    hard_put(p, " (\"r%d\" %.17g)", i, -a[2]);
  }
  hard_put(p, ")\n");
}

/* A plate under a[0] rods of length a[1] around it, moved aside along x by a[2] and thrown along x
 * at a[3] m/s at that place; a[4] = 1: one rod alone, and the plate cannot turn (the twin). */
static void write_platform(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  const double L = a[1], z = L - sqrt(L * L - a[2] * a[2]);
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tx \"x\" ty \"y\" tz \"z\" %s (name \"plate\")\n",
           a[4] > 0 ? "" : "rx \"a\" ry \"b\" rz \"c\"");
  hard_put(p, "    (mass 3 0.3 0.35 0.6)\n");
  for (int i = 0; i < n; i++) {
    const double turn = 2 * pi * i / n + (i == 1 ? 0.3 : 0);
    hard_put(p, "    (rz %.17g (tx 0.6 (name \"p%d\")))\n", turn, i);
  }
  hard_put(p, "  )\n");
  for (int i = 0; i < n; i++) {
    const double turn = 2 * pi * i / n + (i == 1 ? 0.3 : 0);
    hard_put(p, "  (rz %.17g (tx 0.6 tz %.17g (name \"t%d\"))) (wire \"t%d\" \"p%d\" %.17g)\n",
             turn, L, i, i, i, L);
  }
  hard_put(p, "  (initial (\"x\" %.17g %.17g) (\"z\" %.17g %.17g))\n", a[2], a[3], z,
           a[3] * a[2] / (L - z));
}

/* A scissor of n = a[0] rows in the x-y plane, hung from a pin and a slider on x, pinned in the
 * middles by hinges in space; slope of the bars a[1]. */
static void write_scissor(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  const double fold = pi - 2 * a[1];
  hard_put(p, "  (gravity 0 -9.81 0)\n  (tx \"s\" (mass 1 0.1 0.1 0.1))\n");
  for (int side = 0; side < 2; side++) {
    const char c = side == 0 ? 'a' : 'b';
    for (int i = 1; i <= n; i++) {
      if (i == 1) {
        hard_put(p, "  (at \"%s\"", side == 0 ? "world" : "s");
      } else {
        hard_put(p, "  (at \"%c%de\"", c, i - 1);
      }
      hard_put(p, " (rz \"%c%d\" (tx 0.5 (name \"%c%dm\") (mass 1 0.01 0.085 0.085))", c, i, c, i);
      hard_put(p, " (tx 1 (name \"%c%de\"))))\n", c, i);
    }
  }
  for (int i = 1; i <= n; i++) {
    hard_put(p, "  (close revolute \"a%dm\" \"b%dm\" (axis 0 0 1))\n", i, i);
  }
  hard_put(p, "  (initial (\"s\" %.17g) (\"a1\" %.17g) (\"b1\" %.17g)\n", cos(a[1]), -a[1],
           a[1] - pi);
  for (int i = 2; i <= n; i++) {
    const double turn = i % 2 == 0 ? -fold : fold;
    hard_put(p, "    (\"a%d\" %.17g) (\"b%d\" %.17g)\n", i, turn, i, -turn);
  }
  hard_put(p, "  )\n");
}

/* Two bobs on one pin: a rod, its end held by a[0] wires that all say the same. */
static void write_doubled(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tx \"x\" tz \"z\" (name \"bob\") (mass 2 0.1 0.1 0.1))\n");
  for (int i = 0; i < (int)a[0]; i++) {
    hard_put(p, "  (wire \"world\" \"bob\" %.17g)\n", a[1]);
  }
  hard_put(p, "  (initial (\"x\" %.17g) (\"z\" %.17g))\n", a[1] * sin(a[2]), -a[1] * cos(a[2]));
}

/* A four-bar of bars a[0..3] (crank, coupler, rocker, ground) in the x-y plane, closed a[5] times
 * by hinges in space that stand a[6] m apart across the plane; crank at a[4]. */
static void write_hinged_fourbar(hard_page *p, const double *a)
{
  const double x = a[3] - a[0] * cos(a[4]), y = -a[0] * sin(a[4]), d = hypot(x, y);
  const double up = acos((a[1] * a[1] + d * d - a[2] * a[2]) / (2 * a[1] * d));
  const double coupler = atan2(y, x) + up;
  const double ex = a[1] * cos(coupler) - x, ey = a[1] * sin(coupler) - y;
  hard_put(p, "  (gravity 0 -9.81 0)\n  (rz \"q1\" (tx %.17g (mass 1 0.02 0.05 0.05))\n", a[0] / 2);
  hard_put(p, "    (tx %.17g (rz \"q2\" (tx %.17g (mass 1 0.02 0.09 0.09))\n", a[0], a[1] / 2);
  for (int i = 0; i < (int)a[5]; i++) {
    hard_put(p, "      (tx %.17g tz %.17g (name \"b%d\"))\n", a[1], a[6] * i, i);
  }
  hard_put(p, "  )))\n  (tx %.17g (rz \"q3\" (tx %.17g (mass 1 0.02 0.09 0.09))\n", a[3], a[2] / 2);
  for (int i = 0; i < (int)a[5]; i++) {
    hard_put(p, "      (tx %.17g tz %.17g (name \"c%d\"))\n", a[2], a[6] * i, i);
  }
  hard_put(p, "  ))\n");
  for (int i = 0; i < (int)a[5]; i++) {
    hard_put(p, "  (close revolute \"b%d\" \"c%d\" (axis 0 0 1))\n", i, i);
  }
  hard_put(p, "  (initial (\"q1\" %.17g) (\"q2\" %.17g) (\"q3\" %.17g))\n", a[4], coupler - a[4],
           atan2(ey, ex));
}

#define DEG(x) ((x)*3.14159265358979323846 / 180)
const hard_case hard_redundant[] = {
    {"bennett-50-80", write_bennett, {1, DEG(50), DEG(80), 0.9}, 0.005, 2, .reference = HARD_PATH},
    {"bennett-40-110",
     write_bennett,
     {0.6, DEG(40), DEG(110), 1.2},
     0.005,
     2,
     .reference = HARD_PATH},
    {"bennett-30-60",
     write_bennett,
     {0.8, DEG(30), DEG(60), -0.8},
     0.005,
     2,
     .reference = HARD_PATH},
    {"bennett-120-s",
     write_bennett,
     {0.8, DEG(30), DEG(60), -0.8},
     0.01,
     120,
     .reference = HARD_PATH},
    {"bricard-line-1",
     write_line_symmetric,
     {1, DEG(60), 0.1, 0.8, DEG(100), 0.2, 1.2, DEG(75), -0.15, 0.7, 2.86337066332821,
      -0.514434443511744},
     0.005,
     2,
     .reference = HARD_PATH},
    {"bricard-line-2",
     write_line_symmetric,
     {0.7, DEG(80), 0, 1, DEG(70), 0, 0.9, DEG(115), 0.3, 0.5, -0.940586973818058,
      -3.11209009327987},
     0.005,
     2,
     .reference = HARD_PATH},
    {"bricard-trihedral",
     write_trihedral,
     {1, 1, 1, 1, 1, 0.9, 1.96419416074356, 0.9, 1.96419416074356, 0.9},
     0.005,
     2,
     .reference = HARD_PATH},
    {"bricard-trihedral-2",
     write_trihedral,
     {1, 0.8, 0.9, 1, 1.1, 1, 1.87423617692243, 0.797640363405169, 1.82785779474699,
      0.979665082822816},
     0.005,
     2,
     .reference = HARD_PATH},
    {"bricard-threefold-60",
     write_threefold,
     {1, DEG(60), 0.9, -2.47526805837895},
     0.005,
     2,
     .reference = HARD_PATH},
    // all links fold onto one line, where two branches cross
    {"bricard-flat",
     write_threefold,
     {1, DEG(60), 3.641592653589793, 3.0069667400367135},
     0.005,
     1,
     .reference = HARD_PATH,
     .options = "--init v.q1=-3",
     .expect = {{"v.q1", -3, 1e-9}}},
    {"bricard-flat-2",
     write_threefold,
     {1, DEG(60), 3.441592653589793, 2.0479637545687215},
     0.005,
     1,
     .reference = HARD_PATH,
     .options = "--init v.q1=-2",
     .expect = {{"v.q1", -2, 1e-9}}},
    {"bricard-threefold-110",
     write_threefold,
     {1, DEG(110), 1.1, 2.33220451232619},
     0.005,
     2,
     .reference = HARD_PATH},
    {"myard-40",
     write_myard,
     {DEG(40), 1, -2.60186839605424, -2.0707963267949, 1.0707963267949},
     0.005,
     2,
     .reference = HARD_PATH},
    {"goldberg",
     write_goldberg,
     {1, DEG(70), DEG(35), DEG(50), 1, -2.73323214507181, -2.4380553608255, 2.14159265358979},
     0.005,
     2,
     .reference = HARD_PATH},
    {"sarrus", write_sarrus, {1, 0.8, 0.9}, 0.005, 1, .reference = HARD_PATH},
    {"sarrus-even", write_sarrus, {1, 1, 0.5}, 0.005, 1, .reference = HARD_PATH},
    {"door-3", write_door, {3, 0.6, 0}, 0.005, 2, .reference = HARD_PATH},
    {"door-3-long-steps", write_door, {3, 0.6, 0}, 0.02, 2, .reference = HARD_PATH},
    {"door-5", write_door, {5, 1.2, 0}, 0.005, 2, .reference = HARD_PATH},
    {"swing-3-wires", write_swing, {3, 1.2, 0.9, 0}, 0.005, 2, .reference = HARD_PATH},
    {"swing-4-wires", write_swing, {4, 0.9, 1.1, 0}, 0.005, 2, .reference = HARD_PATH},
    {"swing-3-bars", write_swing, {3, 1, 0.8, 1}, 0.005, 2, .reference = HARD_PATH},
    {"double-parallelogram", write_swing, {4, 1, 1, 1}, 0.005, 2, .reference = HARD_PATH},
    {"platform-3", write_platform, {3, 1, 0.3, 1.2}, 0.005, 2, HARD_TWIN, .twin = "bob"},
    {"platform-4", write_platform, {4, 1, 0.3, 1.2}, 0.005, 2, HARD_TWIN, .twin = "bob"},
    {"platform-6", write_platform, {6, 1, 0.3, 1.2}, 0.005, 2, HARD_TWIN, .twin = "bob"},
    {"bob", write_platform, {1, 1, 0.3, 1.2, 1}, 0.005, 2, .reference = HARD_FREE},
    {"scissor-hinges-2", write_scissor, {2, 0.8}, 0.002, 0.3, .reference = HARD_PATH},
    {"scissor-hinges-4", write_scissor, {4, 0.8}, 0.002, 0.3, .reference = HARD_PATH},
    {"wires-2", write_doubled, {2, 1.3, 1.2}, 0.005, 2, .reference = HARD_PATH},
    {"wires-3", write_doubled, {3, 0.8, 2}, 0.005, 2, .reference = HARD_PATH},
    {"fourbar-hinge",
     write_hinged_fourbar,
     {0.4, 1, 0.9, 0.8, 1.2, 1, 0},
     0.005,
     2,
     .reference = HARD_PATH},
    {"fourbar-hinges-2",
     write_hinged_fourbar,
     {0.4, 1, 0.9, 0.8, 1.2, 2, 0.3},
     0.005,
     2,
     .reference = HARD_PATH},
};
const int hard_nredundant = sizeof hard_redundant / sizeof *hard_redundant;
