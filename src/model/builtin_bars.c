// SPDX-License-Identifier: Apache-2.0
/* Model texts of many equal bars in a plane: the scissor lift of Johnson & Murphey, the arms, trees
 * and rings of rectangles of Huang & Zhang, and lattices of parallelograms. */
#include "model/builtin_parts.h"

#define append cardan__builtin_say

/* Appends one bar of the scissor lift: chain 'a' or 'b', row i. */
static void append_scissor_bar(cardan__text *out, char chain, int i, const char *color)
{
  append(out,
         "(ry '%c%d'"
         "\n    (tx mid (name '%c%d.mid') (mass m I I I) (shape box L 0.04 0.04) (color '%s'))"
         "\n    (tx L (name '%c%d.end')))",
         chain, i, chain, i, color, chain, i);
}

static void append_scissor_head(cardan__text *out, int n)
{
  append(out,
         "; scissor:%d - a scissor lift of %d rows, hanging: many loops, one degree of freedom\n"
         "; Johnson & Murphey, Scalable Variational Integrators for Constrained Mechanical\n"
         "; Systems in Generalized Coordinates, VI-C (dt 0.01, 10 s and 1000 s).\n",
         n, n);
  append(out,
         "; The bars a1, a2, .. zigzag down from a pin at the origin, b1, b2, .. from a slider\n"
         "; on the x axis; the two bars of a row are pinned together in the middle. From 45\n"
         "; deg it swings through 90 deg, where the bars of a row coincide and a second way of\n"
         "; moving opens: many rows need a smaller step there, or --adapt 1e-3.\n"
         "(system 'scissor:%d'\n",
         n);
  append(
      out,
      "  (gravity 0 0 -9.81)\n"
      "  (define theta (deg 45))           ; slope of the bars at the start\n"
      "  (define L 1)                      ; length of a bar [m]\n"
      "  (define m 1)                      ; its mass [kg]\n"
      "  (define I (/ 1 12))               ; inertia about its centre, all axes; 0: point masses\n"
      "  (define ms 1)                     ; mass of the slider [kg]\n"
      "  (define mid (* 0.5 L))            ; x of the centre of a bar\n"
      "  (define fold (- pi (* 2 theta)))  ; turn from one bar to the next\n\n");
}

void cardan__builtin_scissor(cardan__text *out, int n)
{
  append_scissor_head(out, n);
  append(out, "  ");
  append_scissor_bar(out, 'a', 1, "#4477aa");
  append(
      out,
      "\n  (tx 's' (name 'slider') (mass ms I I I) (shape box 0.16 0.1 0.08) (color '#777777'))\n"
      "  (at 'slider' ");
  append_scissor_bar(out, 'b', 1, "#ee6677");
  append(out, ")\n");
  for (int i = 2; i <= n; i++) {
    append(out, "  (at 'a%d.end' ", i - 1);
    append_scissor_bar(out, 'a', i, "#4477aa");
    append(out, ")\n  (at 'b%d.end' ", i - 1);
    append_scissor_bar(out, 'b', i, "#ee6677");
    append(out, ")\n");
  }

  append(out, "\n  ; the centre pins\n");
  for (int i = 1; i <= n; i++) {
    append(out, "  (point-constraint 'a%d.mid' 'b%d.mid' (1 0 0))\n", i, i);
    append(out, "  (point-constraint 'a%d.mid' 'b%d.mid' (0 0 1))\n", i, i);
  }

  append(out, "\n  (initial\n"
              "    ('a1' theta) ('s' (* L (cos theta))) ('b1' (- pi theta))");
  for (int i = 2; i <= n; i++) {
    const char *a = i % 2 == 0 ? "fold" : "(neg fold)", *b = i % 2 == 0 ? "(neg fold)" : "fold";
    append(out, "\n    ('a%d' %s) ('b%d' %s)", i, a, i, b);
  }
  // where all bars align theta-dot grows with the square root of n: --adapt takes substeps there
  append(out, ")\n  (simulate (dt 0.01) (time 10)%s))\n", n > 10 ? " (adapt 1e-3)" : "");
}

/* ---- lattices ---- */

static void append_lattice_head(cardan__text *out, const char *name, int n, const char *description)
{
  append(out,
         "; %s:%d - %s, each storey free to sway\n"
         "; Posts hang in a row, post 0 from the origin, bars v0.1, v0.2, .. downwards; at every\n"
         "; storey a rung is hinged to the end of a bar and pinned to that of the next post.\n"
         "(system '%s:%d'\n",
         name, n, description, name, n);
  append(out,
         "  (gravity 0 0 -9.81)\n"
         "  (define a (deg 10))      ; slope of the posts at the start, to either side in turn\n"
         "  (define L 1)             ; length of a bar [m]\n"
         "  (define m 1)             ; its mass [kg]\n"
         "  (define I (/ 1 12))      ; inertia about its centre, all axes\n"
         "  (define mid (* 0.5 L))\n\n");
}

/* Appends bar r of post c. */
static void append_lattice_post(cardan__text *out, int c, int r)
{
  if (r == 1) {
    append(out, "  (place ((* %d L) 0 0) ", c);
  } else {
    append(out, "  (at 'v%d.%d.end' ", c, r - 1);
  }
  append(out,
         "(ry 'v%d.%d'\n"
         "    (tz (neg mid) (mass m I I I) (shape box 0.04 0.04 L) (color '#4477aa'))\n"
         "    (tz (neg L) (name 'v%d.%d.end'))))\n",
         c, r, c, r);
}

/* Appends the rung from post c to post c + 1, at storey r. */
static void append_lattice_rung(cardan__text *out, int c, int r)
{
  append(out,
         "  (at 'v%d.%d.end' (ry 'h%d.%d'\n"
         "    (tx mid (mass m I I I) (shape box L 0.04 0.04) (color '#ee6677'))\n"
         "    (tx L (name 'h%d.%d.end'))))\n",
         c, r, c, r, c, r);
}

/* Appends nbay + 1 posts of nstorey bars each, and the rungs between neighbouring posts. */
static void append_lattice(cardan__text *out, int nbay, int nstorey)
{
  for (int r = 1; r <= nstorey; r++) {
    for (int c = 0; c <= nbay; c++) {
      append_lattice_post(out, c, r);
    }
    for (int c = 0; c < nbay; c++) {
      append_lattice_rung(out, c, r);
    }
  }
  append(out, "\n  ; the other ends of the rungs\n");
  for (int r = 1; r <= nstorey; r++) {
    for (int c = 0; c < nbay; c++) {
      append(out, "  (point-constraint 'h%d.%d.end' 'v%d.%d.end' (1 0 0))\n", c, r, c + 1, r);
      append(out, "  (point-constraint 'h%d.%d.end' 'v%d.%d.end' (0 0 1))\n", c, r, c + 1, r);
    }
  }
  append(out, "\n  (initial");
  for (int r = 1; r <= nstorey; r++) {
    const char *post = r == 1 ? "a" : r % 2 == 0 ? "(* -2 a)" : "(* 2 a)";
    for (int c = 0; c <= nbay; c++) {
      append(out, "\n    ('v%d.%d' %s)", c, r, post);
      if (c < nbay) {
        append(out, " ('h%d.%d' %s)", c, r, r % 2 == 0 ? "a" : "(neg a)");
      }
    }
  }
  append(out, ")\n  (simulate (dt 0.001) (time 1)))\n");
}

void cardan__builtin_ladder(cardan__text *out, int n)
{
  append_lattice_head(out, "ladder", n, "a hanging ladder of so many storeys");
  append_lattice(out, 1, n);
}

void cardan__builtin_grid(cardan__text *out, int n)
{
  append_lattice_head(out, "grid", n, "a hanging net of so many parallelograms either way");
  append_lattice(out, n, n);
}

/* Appends the definitions that `arm`, `bintree` and `ring` share: the rectangle and its plane. */
static void append_rectangle_head(cardan__text *out)
{
  append(out, "  (define fixed 0)           ; 1: the first joint of the root is pinned\n"
              "  (define m 1)               ; a rectangle: mass [kg],\n"
              "  (define w 1)               ; width, along its x [m],\n"
              "  (define h 5)               ; height, along its y [m],\n"
              "  (define r 2)               ; joints at y = -r and y = r\n"
              "  (define Ix (/ (* m h h) 12))\n"
              "  (define Iy (/ (* m w w) 12))\n"
              "  (define Iz (+ Ix Iy))      ; the one that matters: 26/12\n\n");
  append(out,
         "  ; the plane of the motion: its x is the x of the world, its y points down, and its\n"
         "  ; z, the axis of all hinges, is the y of the world; b1, b2, .. are the centres\n"
         "  (place (0 0 0) (rpy (deg -90) 0 0)\n"
         "    (joint planar 'root' (name 'b1')\n"
         "      (mass m Ix Iy Iz) (shape box w h 0.4) (color '#4477aa')\n"
         "      (ty (neg r) (name 'base'))))\n");
}

/* Appends rectangle i, hinged by its lower joint to the upper joint of rectangle parent. */
static void append_rectangle(cardan__text *out, int i, int parent, const char *color)
{
  append(out,
         "  (at 'b%d' (ty r rz 'q%d' ty r (name 'b%d')"
         "\n    (mass m Ix Iy Iz) (shape box w h 0.4) (color '%s')))\n",
         parent, i, i, color);
}

static void append_base_pin(cardan__text *out, const char *anchor)
{
  append(out, "\n  (place (%s) (name 'anchor'))\n", anchor);
  append(out, "  (when fixed\n"
              "    (point-constraint 'base' 'anchor' (1 0 0))\n"
              "    (point-constraint 'base' 'anchor' (0 0 1)))\n");
}

void cardan__builtin_arm(cardan__text *out, int n)
{
  append(out,
         "; arm:%d - a serial arm of plane rectangles, floating, or pinned with --set fixed=1\n"
         "; Huang & Zhang, Linear-Time Dynamics using Lagrange Multipliers, 5.3.1 (dt 0.01,\n"
         "; 5 s). It hangs straight, 30 deg from the vertical; unpinned it falls freely.\n"
         "(system 'arm:%d'\n"
         "  (gravity 0 0 -9.81)\n"
         "  (define lean (deg 30))     ; from the vertical\n",
         n, n);
  append_rectangle_head(out);
  for (int i = 2; i <= n; i++) {
    append_rectangle(out, i, i - 1, i % 2 ? "#4477aa" : "#66ccee");
  }
  append_base_pin(out, "0 0 0");
  append(out, "\n  ; the base at the origin, all other angles 0\n"
              "  (initial\n"
              "    ('root.x' (* -1 r (sin lean)))\n"
              "    ('root.y' (* r (cos lean)))\n"
              "    ('root.a' lean))\n"
              "  (simulate (dt 0.01) (time 5)))\n");
}

void cardan__builtin_bintree(cardan__text *out, int n)
{
  const int count = (1 << n) - 1;
  uint64_t seed = 1996;
  append(out,
         "; bintree:%d - a binary tree of %d plane rectangles, floating or pinned\n"
         "; Huang & Zhang, Linear-Time Dynamics using Lagrange Multipliers, 5.3.2 (dt 0.01,\n"
         "; 5 s). --set fixed=1 pins the first joint of the root.\n",
         n, count);
  append(out,
         "; Rectangle i carries 2i and 2i+1. With --set assembled=0 all start on one spot, as\n"
         "; in the paper, for methods that can pull them together (--no-assemble); their\n"
         "; angles are then off by up to 1e-3 rad, since rectangles that coincide exactly\n"
         "; would stay so for ever (splitmix64, seed %d).\n"
         "(system 'bintree:%d'\n"
         "  (gravity 0 0 -9.81)\n"
         "  (define assembled 1)       ; 0: all on one spot\n"
         "  (define spread (deg 40))   ; of two children, to either side\n",
         (int)seed, n);
  append_rectangle_head(out);
  for (int i = 2; i <= count; i++) {
    append_rectangle(out, i, i / 2, i % 2 ? "#ee6677" : "#66ccee");
  }
  append_base_pin(out, "0 0 0");

  append(out, "\n  (when assembled\n"
              "    (initial\n"
              "      ('root.y' r)");
  for (int i = 2; i < count; i += 2) {
    append(out, "\n      ('q%d' spread) ('q%d' (neg spread))", i, i + 1);
  }
  append(out, "))\n"
              "  (when (if assembled 0 1)\n"
              "    (initial");
  for (int i = 1; i <= count; i++) {
    char angle[CARDAN__DECIMAL_SIZE];
    cardan__builtin_decimal(angle, cardan__builtin_random(&seed, -1000, 1000), 6);
    append(out, "\n      (pose 'b%d' (0 0 0) (rpy (deg -90) %s 0))", i, angle);
  }
  append(out, "))\n  (simulate (dt 0.01) (time 5)))\n");
}

/* Appends the initial state of the ring. Body i (from 0) lies along the edge from vertex i to
 * vertex i + 1 of a regular polygon of n edges of length 2 r, centred at the origin;
 * turn = 2 pi / n. Joint rates d_i keep the loop closed to first order if sum d_i = 0 and
 * sum d_i p_i = 0 over the vertices p_i: d_i = bend cos(2 i turn), for n >= 4. The angular
 * velocities of the bodies are then
 *   w_i = spin + b sin(2 (i + 1/2) turn),   b = bend / (2 sin turn),
 * and that of the root is spin + bend/2. With the ring's centre at rest, the sum of the edges'
 * velocities gives that of the root's centre (at (apothem, 0), edge along y), less its part due to
 * spin:
 *   u_x = c cos(turn) (cot(3 turn/2) + cot(turn/2)),   c = r b / 2,
 *   u_y = c sin(turn) (cot(3 turn/2) - cot(turn/2)). */
static void append_ring_start(cardan__text *out, int n)
{
  append(out,
         "\n  ; a regular polygon, its centre at rest at the origin (or, pinned, the pin at rest)\n"
         "  (when assembled\n"
         "    (initial\n"
         "      ('root.x' apothem (if fixed (* -1 r wroot) ux))\n"
         "      ('root.y' 0 (if fixed 0 (+ (* spin apothem) uy)))\n"
         "      ('root.a' 0 wroot)");
  for (int i = 2; i <= n; i++) {
    append(out, "\n      ('q%d' turn (* bend (cos (* %d turn))))", i, 2 * (i - 1));
  }
  append(out, "))\n"
              "  (when (if assembled 0 1)\n"
              "    (initial");
  for (int i = 1; i <= n; i++) {
    append(out, "\n      (pose 'b%d' (0 0 0) (rpy (deg -90) (* %d 0.75 pi) 0))", i, 1 - i);
  }
  append(out, "))\n");
}

void cardan__builtin_ring(cardan__text *out, int n)
{
  append(out,
         "; ring:%d - a closed loop of plane rectangles, floating without gravity\n"
         "; Huang & Zhang, Linear-Time Dynamics using Lagrange Multipliers, 5.4.1 (dt 0.01,\n"
         "; 5 s). It turns at 1 rad/s and bends, squeezed and stretched in turn round the ring.\n"
         "; --set fixed=1 pins the first joint. With --set assembled=0 the rectangles start on\n"
         "; one spot, as in the paper, each turned by -3 pi/4 against the last, for methods\n"
         "; that can pull them together (--no-assemble).\n",
         n);
  if (n == 4) {
    append(out, "; Four equal bars bend at a constant rate and lie flat, singular, at 7.85 s.\n");
  }
  append(out,
         "(system 'ring:%d'\n"
         "  (define assembled 1)       ; 0: all on one spot\n"
         "  (define spin 1)            ; [rad/s]\n"
         "  (define bend 0.2)          ; largest rate of a joint [rad/s]\n",
         n);
  append_rectangle_head(out);
  for (int i = 2; i <= n; i++) {
    append_rectangle(out, i, i - 1, i % 2 ? "#4477aa" : "#66ccee");
  }
  append(
      out,
      "  (at 'b%d' (ty r (name 'end')))\n\n"
      "  ; the last joint closes the loop\n"
      "  (point-constraint 'end' 'base' (1 0 0))\n"
      "  (point-constraint 'end' 'base' (0 0 1))\n\n"
      "  (define turn (/ (* 2 pi) %d))                     ; angle of one rectangle to the last\n"
      "  (define apothem (/ r (tan (/ turn 2))))          ; distance of a rectangle from the "
      "centre\n"
      "  (define wroot (+ spin (/ bend 2)))               ; rate of the root\n",
      n, n);
  append(
      out,
      "  (define c (/ (* r bend) (* 4 (sin turn))))       ; velocity of its centre by the bending\n"
      "  (define k3 (/ 1 (tan (* 1.5 turn))))\n"
      "  (define k1 (/ 1 (tan (* 0.5 turn))))\n"
      "  (define ux (* c (cos turn) (+ k3 k1)))\n"
      "  (define uy (* c (sin turn) (- k3 k1)))\n");
  append_base_pin(out, "apothem 0 r");
  append_ring_start(out, n);
  append(out, "  (simulate (dt 0.01) (time 5)))\n");
}
