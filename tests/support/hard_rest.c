// SPDX-License-Identifier: Apache-2.0
// Mechanisms of which a joint, or every one, has no momentum at the start or ever.
#include "hard.h"

/* tz, and on it a rotor that gravity does not turn. a: mass of each, inertia of the rotor and
 * of the carriage (0: a point). */
static void write_lift(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tz \"z\" (mass %.17g %.17g %.17g %.17g)\n", a[0], a[3],
           a[3], a[3]);
  hard_put(p, "    (rx \"a\" (mass %.17g %.17g %.17g %.17g)))\n", a[1], a[2], a[2], a[2]);
}

/* Slides along x, y, z, one on the other. a: masses, gravity. */
static void write_stack(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity %.17g %.17g %.17g)\n", a[3], a[4], a[5]);
  hard_put(p, "  (tx \"x\" (mass %.17g 0.1 0.1 0.1) (ty \"y\" (mass %.17g 0.1 0.1 0.1)\n", a[0],
           a[1]);
  hard_put(p, "    (tz \"z\" (mass %.17g 0.1 0.1 0.1))))\n", a[2]);
}

/* A free body, as one joint (a[0] = 1) or as six; mass a[1], held at its centre by a spring of
 * stiffness a[2] and length a[3] from (0, 0, a[4]). */
static void write_sprung(hard_page *p, const double *a)
{
  const char *mass = "(mass %.17g 0.2 0.3 0.4)";
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tz %.17g (name \"top\"))\n", a[4]);
  hard_put(p, a[0] > 0
                  ? "  (joint free \"b\" (name \"body\") "
                  : "  (tx \"x\" ty \"y\" tz \"z\" rx \"a\" ry \"b\" rz \"c\" (name \"body\") ");
  hard_put(p, mass, a[1]);
  hard_put(p, ")\n  (spring \"top\" \"body\" %.17g %.17g)\n", a[2], a[3]);
}

/* The same body on a wire of length |a[2..4]| through its centre, from the origin. */
static void write_wired(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n");
  if (a[0] > 0) {
    hard_put(p, "  (joint free \"b\" (name \"body\") (mass %.17g 0.2 0.3 0.4))\n", a[1]);
    hard_put(p, "  (initial (\"b.x\" %.17g) (\"b.y\" %.17g) (\"b.z\" %.17g))\n", a[2], a[3], a[4]);
  } else {
    hard_put(p, "  (tx \"x\" ty \"y\" tz \"z\" rx \"a\" ry \"b\" rz \"c\" (name \"body\")");
    hard_put(p, " (mass %.17g 0.2 0.3 0.4))\n", a[1]);
    hard_put(p, "  (initial (\"x\" %.17g) (\"y\" %.17g) (\"z\" %.17g))\n", a[2], a[3], a[4]);
  }
  hard_put(p, "  (wire \"world\" \"body\" (sqrt %.17g))\n",
           a[2] * a[2] + a[3] * a[3] + a[4] * a[4]);
}

/* An arm with the axes of Universal Robots' (z, y, y, y, z, y) and of the three sizes: shoulder
 * height, upper arm, lower arm, wrists a[0..5]; mass scale a[6]; angles of shoulder and elbow. */
static void write_ur(hard_page *p, const double *a)
{
  const double m = a[6];
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tz %.17g (rz \"pan\" (mass %.17g 0.01 0.01 0.01)\n", a[0],
           3.7 * m);
  hard_put(p, "  (ty 0.13 (ry \"lift\" (tz %.17g (mass %.17g 0.2 0.2 0.02))\n", a[1] / 2, 8.4 * m);
  hard_put(p, "  (tz %.17g (ry \"elbow\" (tz %.17g (mass %.17g 0.05 0.05 0.004))\n", a[1], a[2] / 2,
           2.3 * m);
  hard_put(p, "  (tz %.17g (ry \"w1\" (mass %.17g 0.003 0.003 0.002) (ty %.17g\n", a[2], 1.2 * m,
           a[3]);
  hard_put(p, "  (rz \"w2\" (mass %.17g 0.003 0.003 0.002) (tz %.17g (ry \"w3\"\n", 1.2 * m, a[4]);
  hard_put(p, "    (mass %.17g 0.0002 0.0002 0.0003)))))))))))))\n", 0.2 * m);
  hard_put(p, "  (initial (\"lift\" %.17g) (\"elbow\" %.17g))\n", a[7], a[8]);
}

/* Seven hinges about z, y, z, -y, z, y, z, as KUKA's arms have; upright at zero. a: scale of
 * lengths and masses, angles of the second and fourth. */
static void write_kuka(hard_page *p, const double *a)
{
  static const char *const turn[7] = {"rz", "ry", "rz", "ry", "rz", "ry", "rz"};
  static const double mass[7] = {3.5, 3.4, 4.1, 3.3, 1.7, 1.8, 0.4};
  static const double rise[7] = {0.16, 0.2, 0.2, 0.2, 0.2, 0.2, 0.08};
  hard_put(p, "  (gravity 0 0 -9.81)\n");
  for (int i = 0; i < 7; i++) {
    hard_put(p, "  (tz %.17g (%s \"a%d\" (tz %.17g (mass %.17g 0.02 0.02 0.005))\n", rise[i] * a[0],
             turn[i], i + 1, 0.09 * a[0], mass[i] * a[1]);
  }
  hard_put(p, "  ))))))))))))))\n  (initial (\"a2\" %.17g) (\"a4\" %.17g))\n", a[2], a[3]);
}

/* A planar robot with upright axes: two turns, a lift, a turn. a: lengths, masses. */
static void write_scara(hard_page *p, const double *a)
{
  hard_put(p, "  (gravity 0 0 -9.81)\n  (rz \"a1\" (tx %.17g (mass %.17g 0.05 0.05 0.05))\n",
           a[0] / 2, a[2]);
  hard_put(p, "  (tx %.17g (rz \"a2\" (tx %.17g (mass %.17g 0.03 0.03 0.03))\n", a[0], a[1] / 2,
           a[3]);
  hard_put(p,
           "  (tx %.17g (tz \"z\" (mass %.17g 0.01 0.01 0.01) (rz \"a3\" (mass 0.3 0.001 0.001 "
           "0.001)))))))\n",
           a[1], a[4]);
}

/* Andrews' squeezing mechanism (Schiehlen, Multibody Systems Handbook, 1990; the test set of
 * initial value problems): its drive of 0.033 Nm as a potential. Seven bodies in the x-y plane. */
static void write_andrews(hard_page *p, const double *a)
{
  (void)a;
  hard_put(p,
           "  (define xa -0.06934) (define ya -0.00227) (define xb -0.03635) (define yb 0.03273)\n"
           "  (define e 0.02) (define ea 0.01421) (define zf 0.02) (define fa 0.01421)\n"
           "  (define zt 0.04) (define u 0.04)\n"
           "  (rz \"beta\" (tx 0.00092 (mass 0.04325 2.194e-6 2.194e-6 2.194e-6))\n"
           "    (tx 0.007 (rz \"theta\" (tx -0.0115 (mass 0.00365 4.41e-7 4.41e-7 4.41e-7))\n"
           "      (tx -0.028 (name \"P\")))))\n"
           "  (tx xb ty yb (rz \"gamma\" (tx 0.01043 ty -0.01874 (mass 0.02373 5.255e-6 5.255e-6 "
           "5.255e-6))\n"
           "    (ty -0.035 (name \"P1\")) (tx 0.02 ty -0.018 (name \"D\"))))\n"
           "  (tx xa ty ya (rz \"delta\" (tx 0.02308 ty 0.00916 (mass 0.0705 1.169e-5 1.169e-5 "
           "1.169e-5))\n"
           "    (tx zt (rz \"phi\" (ty (- ea e) (mass 0.00706 5.667e-7 5.667e-7 5.667e-7))\n"
           "      (ty (- e) (name \"P2\"))))))\n"
           "  (tx xa ty ya (rz \"epsilon\" (tx -0.00449 ty -0.01228 (mass 0.05498 1.912e-5 "
           "1.912e-5 1.912e-5))\n"
           "    (ty (- u) (rz \"omega\" (tx (- zf fa) (mass 0.00706 5.667e-7 5.667e-7 5.667e-7))\n"
           "      (tx zf (name \"P3\"))))))\n"
           "  (tx 0.014 ty 0.072 (name \"C\")) (spring \"C\" \"D\" 4530 0.07785)\n"
           "  (potential (* -0.033 q.beta))\n");
  for (int i = 1; i <= 3; i++) {
    hard_put(p, "  (point-constraint \"P\" \"P%d\" (1 0 0)) ", i);
    hard_put(p, "(point-constraint \"P\" \"P%d\" (0 1 0))\n", i);
  }
  hard_put(p,
           "  (initial (\"beta\" -0.0617138900142764) (\"theta\" 0) (\"gamma\" 0.45527981916307)\n"
           "    (\"phi\" 0.222668390165886) (\"delta\" 0.487364979543843)\n"
           "    (\"omega\" -0.222668390165886) (\"epsilon\" 1.23054744454982))\n");
}

/* n = a[0] bars in a row from the origin, along -z (a[1] = 1: along +z, upright; 0: along x without
 * gravity); hinges about y and x in turn, or all about y (a[2] = 1). */
static void write_column(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  const double up = a[1] > 0 ? 1 : -1;
  hard_put(p, "  (gravity 0 0 %s)\n", a[1] == 0 ? "0" : "-9.81");
  for (int i = 0; i < n; i++) {
    hard_put(p, "  (%s \"q%d\" (tz %.17g (mass 1 0.085 0.085 0.01)) (tz %.17g\n",
             i % 2 == 1 && a[2] == 0 ? "rx" : "ry", i + 1, 0.5 * up, up);
  }
  for (int i = 0; i < n; i++) {
    hard_put(p, "))");
  }
  hard_put(p, "\n");
}

/* A trunk afloat with a[0] limbs of three hinges (z, y, y) around it. */
static void write_floating(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  hard_put(p, "  (gravity 0 0 %.17g)\n  (joint free \"trunk\" (mass 20 0.9 0.8 0.3)\n", a[1]);
  for (int i = 0; i < n; i++) {
    hard_put(p, "    (rz %.17g (tx 0.2 (rz \"z%d\" (mass 0.5 0.002 0.002 0.002) (ry \"y%d\"\n",
             6.283185307179586 * i / n, i, i);
    hard_put(p, "      (tz -0.2 (mass 3 0.02 0.02 0.003)) (tz -0.4 (ry \"k%d\"\n", i);
    hard_put(p, "        (tz -0.2 (mass 2 0.02 0.02 0.002))))))))\n");
  }
  hard_put(p, "  )\n");
}

/* A plate under n = a[0] upright rods of length a[1], at rest. */
static void write_hung(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  hard_put(p, "  (gravity 0 0 -9.81)\n  (tx \"x\" ty \"y\" tz \"z\" rx \"a\" ry \"b\" rz \"c\"\n");
  hard_put(p, "    (mass 3 0.3 0.35 0.6)\n");
  for (int i = 0; i < n; i++) {
    hard_put(p, "    (rz %.17g (tx 0.6 (name \"p%d\")))\n", 6.283185307179586 * i / n, i);
  }
  hard_put(p, "  )\n");
  for (int i = 0; i < n; i++) {
    hard_put(p, "  (rz %.17g (tx 0.6 tz %.17g (name \"t%d\"))) (wire \"t%d\" \"p%d\" %.17g)\n",
             6.283185307179586 * i / n, a[1], i, i, i, a[1]);
  }
}

/* Two wheels in mesh and a weight whose gear is not loaded: ratio a[0], nothing turns. */
static void write_wheels(hard_page *p, const double *a)
{
  hard_put(
      p,
      "  (gravity 0 0 -9.81)\n  (tz \"z\" (mass 2 0.1 0.1 0.1) (ry \"w1\" (mass 1 0.1 0.1 0.1))\n");
  hard_put(p, "    (tx 1 (ry \"w2\" (mass 1 0.2 0.2 0.2))))\n  (gear \"w1\" \"w2\" %.17g)\n", a[0]);
}

#define G 9.81
const hard_case hard_rest[] = {
    {"lift",
     write_lift,
     {1, 1, 0.1},
     0.01,
     0.5,
     HARD_FORM,
     .expect = {{"q.z", -G * 0.125, 1e-3}, {"q.a", 0, 1e-3}}},
    {"lift-solid",
     write_lift,
     {1, 1, 0.1, 0.1},
     0.01,
     0.5,
     HARD_FORM,
     .expect = {{"q.z", -G * 0.125, 1e-3}, {"q.a", 0, 1e-3}}},
    {"lift-heavy",
     write_lift,
     {100, 0.01, 1e-5},
     0.01,
     0.5,
     HARD_FORM,
     .expect = {{"q.z", -G * 0.125, 1e-3}, {"q.a", 0, 1e-3}}},
    {"stack-z",
     write_stack,
     {1, 2, 3, 0, 0, -G},
     0.01,
     0.5,
     HARD_FORM,
     .expect = {{"q.x", 0, 1e-3}, {"q.y", 0, 1e-3}, {"q.z", -G * 0.125, 1e-3}}},
    {"stack-x",
     write_stack,
     {1, 2, 3, 3, 0, 0},
     0.01,
     0.5,
     HARD_FORM,
     .expect = {{"q.x", 0.375, 1e-3}, {"q.y", 0, 1e-3}, {"q.z", 0, 1e-3}}},
    {"stack-none", write_stack, {1, 2, 3}, 0.01, 0.5, .reference = HARD_STILL},
    {"sprung", write_sprung, {1, 2, 80, 0.3, 1}, 0.005, 0.5, .reference = HARD_FREE},
    {"sprung-six", write_sprung, {0, 2, 80, 0.3, 1}, 0.005, 0.5, .reference = HARD_FREE},
    {"wired", write_wired, {1, 2, 0, 0, -1.5}, 0.01, 0.5, .reference = HARD_STILL},
    {"wired-six", write_wired, {0, 2, 0, 0, -1.5}, 0.01, 0.5, .reference = HARD_STILL},
    {"wired-aside", write_wired, {1, 2, 0.9, 0, -1.2}, 0.005, 0.5, .reference = HARD_FREE},
    {"wired-six-aside", write_wired, {0, 2, 0.9, 0, -1.2}, 0.005, 0.5, .reference = HARD_FREE},
    {"ur3",
     write_ur,
     {0.152, 0.244, 0.213, 0.11, 0.085, 0, 0.4, 1.5707963267948966, 0},
     0.002,
     0.3,
     .reference = HARD_FREE},
    {"ur5",
     write_ur,
     {0.089, 0.425, 0.392, 0.11, 0.095, 0, 1, 1.5707963267948966, 0},
     0.002,
     0.3,
     .reference = HARD_FREE},
    {"ur10",
     write_ur,
     {0.128, 0.612, 0.572, 0.16, 0.115, 0, 1.6, 1.5707963267948966, 0},
     0.002,
     0.3,
     .reference = HARD_FREE},
    {"ur10-bent",
     write_ur,
     {0.128, 0.612, 0.572, 0.16, 0.115, 0, 1.6, 0.4, 0.9},
     0.002,
     0.3,
     .reference = HARD_FREE},
    {"kuka-upright", write_kuka, {1, 1, 0, 0}, 0.002, 0.3, .reference = HARD_STILL},
    {"kuka-bent", write_kuka, {1, 1, 0.7, -1.1}, 0.002, 0.3, .reference = HARD_FREE},
    {"scara",
     write_scara,
     {0.4, 0.3, 5, 3, 1},
     0.005,
     0.4,
     HARD_FORM,
     .expect = {{"q.z", -G * 0.08, 1e-3}, {"q.a1", 0, 1e-3}, {"q.a2", 0, 1e-3}}},
    {"andrews", write_andrews, {0}, 2e-5, 0.01, .reference = HARD_PATH},
    {"andrews-1e-4", write_andrews, {0}, 1e-4, 0.01, .reference = HARD_PATH},
    {"andrews-1e-6", write_andrews, {0}, 1e-6, 0.001, .reference = HARD_PATH},
    {"hanging-10", write_column, {10, -1, 0}, 0.01, 0.5, .reference = HARD_STILL},
    {"hanging-plane-6", write_column, {6, -1, 1}, 0.01, 0.5, .reference = HARD_STILL},
    {"upright-4", write_column, {4, 1, 0}, 0.01, 0.3, .reference = HARD_STILL},
    {"weightless-8", write_column, {8, 0, 0}, 0.01, 0.5, .reference = HARD_STILL},
    {"floating-4", write_floating, {4, 0}, 0.01, 0.5, .reference = HARD_STILL},
    {"floating-5-falls", write_floating, {5, -G}, 0.01, 0.3, .reference = HARD_FREE},
    {"hung-3", write_hung, {3, 1.5}, 0.01, 0.5, .reference = HARD_STILL},
    {"hung-4", write_hung, {4, 1.2}, 0.01, 0.5, .reference = HARD_STILL},
    {"hung-6", write_hung, {6, 1}, 0.01, 0.5, .reference = HARD_STILL},
    {"wheels",
     write_wheels,
     {-1.7},
     0.01,
     0.5,
     HARD_FORM,
     .expect = {{"q.z", -G * 0.125, 1e-3}, {"q.w1", 0, 1e-3}, {"q.w2", 0, 1e-3}}},
};
const int hard_nrest = sizeof hard_rest / sizeof *hard_rest;
