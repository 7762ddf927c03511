// SPDX-License-Identifier: Apache-2.0
/* Built-in models that are open chains and trees of any length. Every link is a line of its own,
 * hung on the one before by (at ..): a chain of 100,000 links nests no deeper than one of two. */
#include "model/builtin_parts.h"

#include <string.h>

#define say cardan__builtin_say

// opens the model NAME:N; the caller has written the comment above it
static void open_system(cardan__text *out, const char *name, int n)
{
  say(out, "(system '%s:%d'\n", name, n);
}

void cardan__builtin_pendulum(cardan__text *out, int n)
{
  say(out,
      "; pendulum:%d - a plane pendulum of %d massless rods with a mass at the end of each\n"
      "; Johnson & Murphey, Scalable Variational Integrators for Constrained Mechanical\n"
      "; Systems in Generalized Coordinates, VI-A. The rods start in line, 45 deg from\n"
      "; hanging.\n",
      n, n);
  open_system(out, "pendulum", n);
  say(out, "  (gravity 0 0 -9.81)\n"
           "  (define L 1)                ; length of a rod [m]\n"
           "  (define m 1)                ; mass at its end [kg]\n"
           "  (define I 0.1)              ; inertia of that mass, all axes [kg m^2]\n"
           "  (define mid (* -0.5 L))     ; z of the middle of a rod, for drawing\n"
           "  (define tip (neg L))        ; z of its lower end\n\n");
  for (int i = 1; i <= n; i++) {
    if (i > 1) {
      say(out, "  (at 'm%d' (ry 'q%d'", i - 1, i);
    } else {
      say(out, "  (ry 'q1'");
    }
    say(out,
        "\n    (tz mid (shape capsule 0.03 L) (color '#777777'))"
        "\n    (tz tip (name 'm%d') (mass m I I I) (shape sphere 0.12) (color '#4477aa'))%s\n",
        i, i > 1 ? "))" : ")");
  }
  say(out, "\n  (initial ('q1' (deg 45)))\n"
           "  (simulate (dt 0.01) (time 20)))\n");
}

// links of `chain` and `chain-planar`; axes is a string of the letters that the hinges take in turn
static void box_links(cardan__text *out, int n, const char *axes)
{
  say(out, "  (gravity 0 0 -9.81)\n"
           "  (define L 1)                                       ; a link is a box w x w x L [m]\n"
           "  (define w 0.1)\n"
           "  (define m 1)                                       ; [kg]\n"
           "  (define It (/ (* m (+ (* L L) (* w w))) 12))       ; inertia across [kg m^2]\n"
           "  (define Ia (/ (* m w w) 6))                        ; and along\n"
           "  (define mid (* -0.5 L))                            ; z of the centre of a link\n"
           "  (define end (neg L))                               ; z of the next hinge\n\n");
  for (int i = 1; i <= n; i++) {
    const bool second = axes[1] != '\0' && i % 2 == 0;
    if (i > 1) {
      say(out, "  (at 'e%d' (r%c 'q%d'", i - 1, axes[second], i);
    } else {
      say(out, "  (r%c 'q1'", axes[0]);
    }
    say(out,
        "\n    (tz mid (mass m It It Ia) (shape box w w L) (color '%s')) (tz end (name 'e%d'))%s\n",
        second ? "#ee6677" : "#4477aa", i, i > 1 ? "))" : ")");
  }
  say(out, "\n  (initial");
  for (int i = 1; i <= n; i++) {
    say(out, "\n    ('q%d' (* 0.3 (sin %d)))", i, i);
  }
  say(out, ")\n  (simulate (dt 0.001) (time 10)))\n");
}

void cardan__builtin_chain(cardan__text *out, int n)
{
  say(out,
      "; chain:%d - box links hanging from one another, hinge axes y, x, y, x ..\n"
      "; Lee, Liu, Park, Srinivasa, A Linear-Time Variational Integrator for Multibody\n"
      "; Systems, Fig. 2a (dt 1 ms). At rest in a wave, q_i = 0.3 sin i.\n",
      n);
  open_system(out, "chain", n);
  box_links(out, n, "yx");
}

void cardan__builtin_chain_planar(cardan__text *out, int n)
{
  say(out,
      "; chain-planar:%d - box links hanging from one another, all hinges about y\n"
      "; The chain of `chain` kept in the plane x-z. At rest in a wave, q_i = 0.3 sin i.\n",
      n);
  open_system(out, "chain-planar", n);
  box_links(out, n, "y");
}

void cardan__builtin_lee_chain(cardan__text *out, int n)
{
  const int half_pi = 1570796; // in 1e-6 rad
  uint64_t seed = 2016;
  say(out,
      "; lee-chain:%d - the chain on which the iterations of a variational step are counted\n"
      "; Lee, Liu, Park, Srinivasa, A Linear-Time Variational Integrator for Multibody\n"
      "; Systems, Fig. 4 (dt 1 ms). Angles and rates are random, between -pi/2 and pi/2\n"
      "; (rad, rad/s): from splitmix64 with seed %d, rounded to 1e-6.\n",
      n, (int)seed);
  open_system(out, "lee-chain", n);
  say(out, "  (gravity 0 0 -9.81)\n"
           "  (define L 1.5)             ; length of a link [m]\n"
           "  (define w 0.1)             ; its width, for drawing\n"
           "  (define m 1)               ; [kg]\n"
           "  (define I 1)               ; inertia about the centre, all axes [kg m^2]\n"
           "  (define mid (* -0.5 L))    ; z of the centre\n"
           "  (define end (neg L))       ; z of the next hinge\n\n");
  for (int i = 1; i <= n; i++) {
    if (i > 1) {
      say(out, "  (at 'e%d' (ry 'q%d'", i - 1, i);
    } else {
      say(out, "  (ry 'q1'");
    }
    say(out,
        "\n    (tz mid (mass m I I I) (shape box w w L) (color '%s')) (tz end (name 'e%d'))%s\n",
        i % 2 ? "#4477aa" : "#66ccee", i, i > 1 ? "))" : ")");
  }
  say(out, "\n  (initial");
  for (int i = 1; i <= n; i++) {
    char q[CARDAN__DECIMAL_SIZE], v[CARDAN__DECIMAL_SIZE];
    cardan__builtin_decimal(q, cardan__builtin_random(&seed, -half_pi, half_pi), 6);
    cardan__builtin_decimal(v, cardan__builtin_random(&seed, -half_pi, half_pi), 6);
    say(out, "\n    ('q%d' %s %s)", i, q, v);
  }
  say(out, ")\n  (simulate (dt 0.001) (time 10)))\n");
}

// a direction that is not too short to be one: three numbers in hundredths, at least 0.5 long
static void random_direction(uint64_t *seed, char text[3][CARDAN__DECIMAL_SIZE])
{
  int64_t square = 0;
  while (square < 2500) {
    square = 0;
    for (int k = 0; k < 3; k++) {
      const int64_t u = cardan__builtin_random(seed, -100, 100);
      square += u * u;
      cardan__builtin_decimal(text[k], (int)u, 2);
    }
  }
}

void cardan__builtin_spherical_chain(cardan__text *out, int n)
{
  uint64_t seed = 2023;
  char u[3][CARDAN__DECIMAL_SIZE];
  char spin[CARDAN__DECIMAL_SIZE], last[CARDAN__DECIMAL_SIZE];
  random_direction(&seed, u);
  say(out,
      "; spherical-chain:%d - bars on spherical joints, each spinning about its own length\n"
      "; Fang, Kissel, Zhang, Negrut, On the Use of Half-Implicit Numerical Integration in\n"
      "; Multibody Dynamics, 3.3. Gravity pulls in a random direction, the spins are random\n"
      "; from 0 to 10 rad/s: splitmix64 with seed 2023. All bars start along z; the rates\n"
      "; below are those of the joints, the spin of a bar less the spin of the bar before.\n",
      n);
  open_system(out, "spherical-chain", n);
  say(out, "  (define ux %s) (define uy %s) (define uz %s)   ; the way down, any length\n", u[0],
      u[1], u[2]);
  say(out, "  (define g (/ 9.81 (sqrt (+ (* ux ux) (* uy uy) (* uz uz)))))\n"
           "  (gravity (* g ux) (* g uy) (* g uz))\n"
           "  (define L 1)                                       ; a bar is a box w x w x L [m]\n"
           "  (define w 0.1)\n"
           "  (define m 1)                                       ; [kg]\n"
           "  (define It (/ (* m (+ (* L L) (* w w))) 12))       ; inertia across [kg m^2]\n"
           "  (define Ia (/ (* m w w) 6))                        ; and along\n"
           "  (define mid (* -0.5 L))                            ; z of the centre of a bar\n"
           "  (define end (neg L))                               ; z of the next joint\n\n");
  for (int i = 1; i <= n; i++) {
    if (i > 1) {
      say(out, "  (at 'e%d' (joint spherical 'b%d'", i - 1, i);
    } else {
      say(out, "  (joint spherical 'b1'");
    }
    say(out,
        "\n    (tz mid (mass m It It Ia) (shape box w w L) (color '%s')) (tz end (name 'e%d'))%s\n",
        i % 2 ? "#4477aa" : "#ccbb44", i, i > 1 ? "))" : ")");
  }
  say(out, "\n  (initial");
  cardan__builtin_decimal(last, 0, 2);
  for (int i = 1; i <= n; i++) {
    cardan__builtin_decimal(spin, cardan__builtin_random(&seed, 0, 1000), 2);
    say(out, "\n    ('b%d' (1 0 0 0) (0 0 (- %s %s)))", i, spin, last);
    memcpy(last, spin, sizeof last);
  }
  say(out, ")\n  (simulate (dt 0.001) (time 8)))\n");
}

void cardan__builtin_pinned_chain(cardan__text *out, int n)
{
  say(out,
      "; pinned-chain:%d - a chain hanging between two pins\n"
      "; Naudet & Lefeber, Recursive Algorithm Based on Canonical Momenta for Forward\n"
      "; Dynamics of Multibody Systems: Numerical Results, Fig. 3. It starts at rest as an\n"
      "; arc of a circle, which is out of balance, and swings. The distance of the pins is\n"
      "; the chord of the arc, so that the start is closed.\n",
      n);
  open_system(out, "pinned-chain", n);
  say(out,
      "  (gravity 0 0 -9.81)\n"
      "  (define L 0.25)                          ; length of a link [m]\n"
      "  (define w 0.03)                          ; its width, for drawing\n"
      "  (define m 1)                             ; [kg]\n"
      "  (define I (/ (* m L L) 12))              ; inertia across [kg m^2]\n"
      "  (define Ia 1e-4)                         ; and along, which does not matter\n"
      "  (define mid (* 0.5 L))                   ; x of the centre of a link\n"
      "  (define sag (deg 60))                    ; slope of the first link\n"
      "  (define turn (/ (* 2 sag) %d))            ; from link to link\n"
      "  (define span (/ (* L (sin (* %d 0.5 turn))) (sin (* 0.5 turn))))\n\n",
      n - 1, n);
  say(out, "  (tx 0 (name 'pin1') (shape sphere 0.02) (color '#222222'))\n"
           "  (tx span (name 'pin2') (shape sphere 0.02) (color '#222222'))\n");
  for (int i = 1; i <= n; i++) {
    if (i > 1) {
      say(out, "  (at 'e%d' (ry 'q%d'", i - 1, i);
    } else {
      say(out, "  (at 'pin1' (ry 'q1'");
    }
    say(out,
        "\n    (tx mid (mass m Ia I I) (shape box L w w) (color '%s')) (tx L (name 'e%d'))))\n",
        i % 2 ? "#4477aa" : "#66ccee", i);
  }
  say(out,
      "\n  ; the last end on the second pin, in the plane\n"
      "  (point-constraint 'e%d' 'pin2' (1 0 0))\n"
      "  (point-constraint 'e%d' 'pin2' (0 0 1))\n\n"
      "  (initial\n"
      "    ('q1' sag)",
      n, n);
  for (int i = 2; i <= n; i++) {
    say(out, "\n    ('q%d' (neg turn))", i);
  }
  say(out, ")\n  (simulate (dt 0.001) (time 5)))\n");
}

// one body of `tree`: its joint sits at a random place on body `parent` (0: the world)
static void tree_body(cardan__text *out, uint64_t *seed, int i, int parent)
{
  char at[3][CARDAN__DECIMAL_SIZE], axis[3][CARDAN__DECIMAL_SIZE], com[3][CARDAN__DECIMAL_SIZE];
  for (int k = 0; k < 3; k++) {
    cardan__builtin_decimal(at[k], cardan__builtin_random(seed, -50, 50), 2);
    cardan__builtin_decimal(com[k], cardan__builtin_random(seed, -30, 30), 2);
  }
  random_direction(seed, axis);
  // 6 in 10 revolute, 2 and 2 the others; the first revolute, as no spring could hold all
  const int draw = parent > 0 ? cardan__builtin_random(seed, 1, 10) : 1;
  const char *kind = draw <= 6 ? "revolute" : draw <= 8 ? "prismatic" : "spherical";
  const char *color = draw <= 6 ? "#4477aa" : draw <= 8 ? "#ee6677" : "#228833";

  if (parent > 0) {
    say(out, "  (at 'b%d' ", parent);
  } else {
    say(out, "  ");
  }
  say(out, "(place (%s %s %s) (joint %s 'q%d'", at[0], at[1], at[2], kind, i);
  if (draw <= 8) {
    say(out, " (axis %s %s %s)", axis[0], axis[1], axis[2]);
  }
  say(out,
      " (name 'b%d')\n    (place (%s %s %s) (mass m I I I) (shape sphere r) (color '%s')))%s\n", i,
      com[0], com[1], com[2], color, parent > 0 ? "))" : ")");
  if (kind[0] == 'p') {
    say(out, "  (joint-spring 'q%d' k 0)\n", i);
  }
}

void cardan__builtin_tree(cardan__text *out, int n)
{
  uint64_t seed = 1;
  say(out,
      "; tree:%d - balls in a random tree\n"
      "; Of ten, about six hang on revolute joints, two on prismatic ones with a spring and\n"
      "; two on spherical ones, each from any of the bodies before it: the depth grows with\n"
      "; the logarithm of their number. Random numbers: splitmix64 with seed %d.\n",
      n, (int)seed);
  open_system(out, "tree", n);
  say(out, "  (gravity 0 0 -9.81)\n"
           "  (define m 1)                      ; mass of a ball [kg]\n"
           "  (define r 0.1)                    ; its radius [m]\n"
           "  (define I (* 0.4 m r r))          ; its inertia about the centre [kg m^2]\n"
           "  (define k 2000)                   ; spring of a prismatic joint [N/m]\n\n");
  for (int i = 1; i <= n; i++) {
    tree_body(out, &seed, i, i > 1 ? cardan__builtin_random(&seed, 1, i - 1) : 0);
  }
  say(out, "\n  (simulate (dt 0.001) (time 2)))\n");
}
