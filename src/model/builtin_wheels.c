// SPDX-License-Identifier: Apache-2.0
/* Built-in models of any number of wheeled bodies: trailers. */
#include <stddef.h>

#include "model/builtin_parts.h"

static const char *const trailer_about[] = {
    "; The first hitch moves along x at constant speed. Of the first trailer the angle to x "
    "follows",
    "; tan(angle / 2) = tan(angle at 0 / 2) exp(-v t / L). Each axle is a blade: mobility N in",
    "; positions, 0 in velocities.",
    NULL,
};

static const char *const trailer_head[] = {
    "  (gravity 0 0 -9.81)",
    "  (define L 2)              ; from a hitch to the axle behind it [m]",
    "  (define v 1)              ; speed of the first hitch [m/s]",
    "  (define m 100)            ; of a trailer [kg]",
    "",
    "  (tz 0.3 (tx (k 'pull') (name 'axle0') (shape sphere 0.1) (color '#ee6677')))",
    "  (motion 'pull' (* v t))",
    NULL,
};

void cardan__builtin_trailer(cardan__text *out, int n)
{
  cardan__builtin_say(
      out, "; trailer:%d - a chain of trailers, each hitched to the axle before it\n", n);
  cardan__builtin_lines(out, trailer_about);
  cardan__builtin_say(out, "(system 'trailer:%d'\n", n);
  cardan__builtin_lines(out, trailer_head);
  for (int i = 1; i <= n; i++) {
    cardan__builtin_say(
        out,
        "  (at 'axle%d' (rz 'a%d' (shape box 0.1 0.1 0.1)\n"
        "    (tx (* -0.5 L) (mass m 10 40 45) (shape box (* 0.8 L) 0.8 0.3) (color "
        "'#4477aa'))\n"
        "    (tx (neg L) (name 'axle%d') (shape box 0.1 1 0.1) (color '#777777'))))\n"
        "  (skate 'axle%d' 'world')\n",
        i - 1, i, i, i);
  }
  cardan__builtin_say(out, "\n  (initial ('a1' (deg 120)))\n  (simulate (dt 0.01) (time 10)))\n");
}
