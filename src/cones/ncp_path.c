// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/ncp_inside.h"

/* Homotopy for problems that sweeps and Newton's method do not solve: from an easy problem to the
 * given one, with Newton's method at every stage, starting from the r of the stage before.
 *   shift  G + s D, s from 1 to 0:     with s = 1 contacts hardly know of one another
 *   loss   (1 - s) mu, s from 1 to 0:  without friction the problem is convex
 * s decreases by a factor, whose root is taken if a stage fails. A path may end in a fold, where
 * its solution ceases to exist; sweeps then search another one. The two homotopies have their folds
 * at different problems (bench/cones: of 10,000 random ones none was unsolved by both). Both end
 * when they have cost too much: EFFORT steps of Newton's method, over the contacts. */

enum { EFFORT = 100000, STAGES = 100, STEPS = 12, FIRST = 5, ROUNDS = 4, SWEEPS = 20, SCALES = 4 };
static const double enough = 1e-8; // of |b|: error of a stage
static const double last = 1e-9;   // s below this is 0

/* Newton's method with rho as it was last good; hard: and with others, up to 10^6 as large. A large
 * one looks along u_t where a small one looks along r_t, and is right where velocities are small
 * for the impulses: rows that contradict one another a little. */
static bool newton(cardan__ncp_state *s, double aim, bool hard)
{
  const int steps = STEPS + s->p->n / 16;
  bool done = false;
  for (int k = 0; k < (hard ? SCALES : 1) && !done; k++) {
    done = cardan__ncp_newton(s, steps, aim, false) || cardan__ncp_newton(s, steps, aim, true);
    if (!done && hard) {
      s->stiff = s->stiff > 1e5 ? 1 : 100 * s->stiff;
    }
  }
  if (done) {
    memcpy(s->p->r, s->best, (size_t)s->p->m * sizeof *s->p->r);
  }
  return done;
}

/* hard: sweeps help where Newton's method alone does not. */
static bool stage(cardan__ncp_state *s, double aim, bool hard)
{
  cardan__ncp *p = s->p;
  bool done = newton(s, aim, hard);
  for (int k = 0; k < ROUNDS && hard && !done; k++) {
    p->error = cardan__ncp_measure(s, p->r, p->u);
    cardan__ncp_sweeps(s, SWEEPS << k);
    done = newton(s, aim, false);
  }
  return done;
}

void cardan__ncp_follow(cardan__ncp_state *s, double *way, double aim)
{
  cardan__ncp *p = s->p;
  const double most = way == &s->shift ? 0.1 : 0.5;
  const int budget = p->newtons + EFFORT / (p->n + 20);
  double factor = most, solved = 1;
  bool done = false;
  *way = 1;
  memset(p->r, 0, (size_t)p->m * sizeof *p->r);
  p->error = cardan__ncp_measure(s, p->r, p->u);
  cardan__ncp_sweeps(s, FIRST);
  for (int k = 0; k < STAGES && !done && factor < 0.9 && p->newtons < budget; k++) {
    if (stage(s, *way > 0 ? fmax(aim, enough * s->speed) : aim, factor > 0.3)) {
      done = *way == 0;
      solved = *way;
      factor = fmax(factor * factor, most);
    } else {
      factor = sqrt(factor);
    }
    *way = solved * factor > last ? solved * factor : 0;
  }
  *way = 0;
  s->stiff = 1;
  p->error = cardan__ncp_measure(s, p->r, p->u);
}
