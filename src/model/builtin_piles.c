// SPDX-License-Identifier: Apache-2.0
/* Built-in models of N bodies that touch one another: a stack, a cradle, a chain, a pile. */
#include <stddef.h>

#include "model/builtin_parts.h"

/* The head of a model of size n: what it is, more about it, its name. */
static void begin(cardan__text *out, const char *name, int n, const char *what,
                  const char *const *about)
{
  cardan__builtin_say(out, "; %s:%d - %s\n", name, n, what);
  cardan__builtin_lines(out, about);
  cardan__builtin_say(out, "(system '%s:%d'\n", name, n);
}

static const char *const stack_about[] = {
    "; Four contacts between two cubes are more than rigid bodies can tell apart: the load is",
    "; shared with the least sum of squares. Nothing creeps. Five cubes tip over from --set",
    "; tilt=0.1974 on.",
    NULL,
};

static const char *const stack_head[] = {
    "  (define tilt 0)             ; of the floor [rad]: gravity leans towards x",
    "  (define a 0.2)              ; edge [m]",
    "  (define m 1)                ; mass of the lowest [kg],",
    "  (define factor 1)           ; of each next one, by the one below it",
    "  (define I (/ (* a a) 6))    ; inertia of 1 kg [m^2]",
    "  (gravity (* 9.81 (sin tilt)) 0 (* -9.81 (cos tilt)))",
    "",
    "  (place (0 0 0) (name 'floor') (solid plane) (color '#bbbbbb'))",
    "  (define m1 m)",
    NULL,
};

void cardan__builtin_stack(cardan__text *out, int n)
{
  static const char *const colors[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44"};
  begin(out, "stack", n, "cubes standing on one another, on a slope on request", stack_about);
  cardan__builtin_lines(out, stack_head);
  for (int i = 1; i <= n; i++) {
    if (i > 1) {
      cardan__builtin_say(out, "  (define m%d (* factor m%d))\n", i, i - 1);
    }
    cardan__builtin_say(out,
                        "  (place (0 0 (* %d.5 a)) (joint free 'b%d' (mass m%d (* m%d I) (* m%d I) "
                        "(* m%d I))\n    (solid box a a a) (color '%s')))\n",
                        i - 1, i, i, i, i, i, colors[i % 4]);
  }
  cardan__builtin_say(out, "  (contact all (friction 0.5))\n\n  (simulate (dt 0.01) (time 5)))\n");
}

static const char *const cradle_about[] = {
    "; An impact runs through the row from ball to ball, so that the last one leaves with the",
    "; speed of the first; all contacts at once would send every ball off.",
    NULL,
};

static const char *const cradle_head[] = {
    "  (gravity 0 0 -9.81)",
    "  (define r 0.05)             ; radius of a ball [m]",
    "  (define L 0.5)              ; length of a thread [m]",
    "  (define m 0.5)              ; mass of a ball [kg]",
    "  (define I (* 0.4 m r r))",
    "  (define e 1)                ; restitution",
    "",
    NULL,
};

void cardan__builtin_cradle(cardan__text *out, int n)
{
  begin(out, "cradle", n, "balls in a row that touch, the first one lifted", cradle_about);
  cardan__builtin_lines(out, cradle_head);
  for (int i = 1; i <= n; i++) {
    cardan__builtin_say(out,
                        "  (tx (* %d r) ry 'q%d'\n"
                        "    (tz (/ L -2) (shape cylinder 0.003 L) (color '#777777'))\n"
                        "    (tz (neg L) (name 'ball%d') (mass m I I I) (solid sphere r)"
                        " (color '#4477aa')))\n",
                        2 * i - 1 - n, i, i);
  }
  cardan__builtin_say(out, "  (contact all (friction 0) (restitution e))\n\n"
                           "  (initial ('q1' 0.6))\n"
                           "  (simulate (dt 0.005) (time 10)))\n");
}

static const char *const floor_chain_about[] = {
    "; Links are capsules, which touch the floor and one another; neighbours share a joint and",
    "; do not.",
    NULL,
};

static const char *const floor_chain_head[] = {
    "  (gravity 0 0 -9.81)",
    "  (define L 0.1)              ; length of a link [m]",
    "  (define r 0.01)             ; its radius",
    "  (define m 0.1)              ; its mass [kg]",
    "  (define I (/ (* m L L) 12))",
    "  (define J (* 0.5 m r r))",
    "  (define mu 0.5)             ; friction",
    "  (define e 0)                ; restitution",
    "  (define up 0)               ; more height at the start [m]",
    "",
    "  (place (0 0 0) (name 'floor') (solid plane) (color '#bbbbbb'))",
    NULL,
};

void cardan__builtin_floor_chain(cardan__text *out, int n)
{
  begin(out, "floor-chain", n, "a chain of links on ball joints falls on the floor in a heap",
        floor_chain_about);
  cardan__builtin_lines(out, floor_chain_head);
  for (int i = 1; i <= n; i++) {
    if (i == 1) {
      cardan__builtin_say(out, "  (joint free 'q1'\n");
    } else {
      cardan__builtin_say(out, "  (at 'end%d' (joint spherical 'q%d'\n", i - 1, i);
    }
    cardan__builtin_say(out,
                        "    (tz (/ L 2) (name 'link%d') (mass m I I J)"
                        " (solid capsule r (- L (* 2 r))) (color '%s'))\n"
                        "    (tz L (name 'end%d')))%s\n",
                        i, i % 2 ? "#4477aa" : "#ee6677", i, i == 1 ? "" : ")");
  }
  cardan__builtin_say(out, "  (contact all (friction mu) (restitution e))\n"
                           "  (damping 1e-5)\n\n"
                           "  ; upright, leaning a little, its foot just above the floor\n"
                           "  (initial ('q1' (0 0 (+ up (* 3 r)) 0.9988 0.03 0.04 0)))\n"
                           "  (simulate (dt 0.002) (time 2)))\n");
}

static const char *const pile_about[] = {
    "; Sizes, turns and places are random, the same each time.",
    NULL,
};

static const char *const pile_head[] = {
    "  (gravity 0 0 -9.81)",
    "  (define rho 500)            ; density [kg/m^3]",
    "  (define e 0.2)              ; restitution",
    "  (define mu 0.5)             ; friction",
    "  (define up 0)               ; more height at the start [m]",
    "",
    "  (place (0 0 0) (name 'floor') (solid plane) (color '#bbbbbb'))",
    NULL,
};

static const char *random_number(uint64_t *seed, int low, int high, char *text)
{
  return cardan__builtin_decimal(text, cardan__builtin_random(seed, low, high), 3);
}

void cardan__builtin_pile(cardan__text *out, int n)
{
  static const char *const colors[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee"};
  uint64_t seed = 14;
  begin(out, "pile", n, "boxes thrown on a heap", pile_about);
  cardan__builtin_lines(out, pile_head);
  for (int i = 1; i <= n; i++) {
    char a[CARDAN__DECIMAL_SIZE], b[CARDAN__DECIMAL_SIZE], c[CARDAN__DECIMAL_SIZE];
    random_number(&seed, 80, 200, a);
    random_number(&seed, 80, 200, b);
    random_number(&seed, 80, 200, c);
    cardan__builtin_say(out,
                        "  (define m%d (* rho %s %s %s))\n"
                        "  (joint free 'b%d' (mass m%d (* m%d (/ (+ (^ %s 2) (^ %s 2)) 12))\n"
                        "    (* m%d (/ (+ (^ %s 2) (^ %s 2)) 12)) (* m%d (/ (+ (^ %s 2) (^ %s 2)) "
                        "12)))\n    (solid box %s %s %s) (color '%s'))\n",
                        i, a, b, c, i, i, i, b, c, i, a, c, i, a, b, a, b, c, colors[i % 5]);
    // layers of four, 0.35 m apart: no two can touch at the start
    char x[CARDAN__DECIMAL_SIZE], y[CARDAN__DECIMAL_SIZE], z[CARDAN__DECIMAL_SIZE];
    const int corner = (i - 1) % 4;
    cardan__builtin_decimal(x, (corner & 1 ? 190 : -190) + cardan__builtin_random(&seed, -10, 10),
                            3);
    cardan__builtin_decimal(y, (corner & 2 ? 190 : -190) + cardan__builtin_random(&seed, -10, 10),
                            3);
    cardan__builtin_decimal(z, 250 + 360 * ((i - 1) / 4) + cardan__builtin_random(&seed, -5, 5), 3);
    char turn[4][CARDAN__DECIMAL_SIZE];
    for (int k = 0; k < 4; k++) {
      random_number(&seed, k == 0 ? 100 : -1000, 1000, turn[k]);
    }
    cardan__builtin_say(out, "  (initial ('b%d' (%s %s (+ up %s) %s %s %s %s)))\n", i, x, y, z,
                        turn[0], turn[1], turn[2], turn[3]);
  }
  cardan__builtin_say(out, "  (contact all (friction mu) (restitution e))\n\n"
                           "  (simulate (dt 0.005) (time 3)))\n");
}
