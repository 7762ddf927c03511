/* SPDX-License-Identifier: Apache-2.0
 * kernels/root_policy.h - the policy of the root finder of a variational step: when a residual is
 * small enough, when a factorisation is kept, which root is accepted. The scalar code
 * (methods/discrete/root.c, branch.c) and the kernels in lanes decide by these rules; what they do
 * where a rule says no differs: the scalar code searches further, a copy in a lane is rerun by the
 * scalar code.
 *
 * Errors are residuals over the tolerance: 1 is accepted. Lengths of displacements are largest
 * entries, turns in rad, translations over the size of the mechanism. */
#pragma once
#include <float.h>

#include "kernels/real.h"

enum {
  CARDAN__EASY_SEARCH = 5,  // evaluations, most of a search that went straight to its root
  CARDAN__SEARCH_MOST = 20, // of a search with exact directions, before another guess is better
  CARDAN__SCALE_STEPS = 8,  // steps after which sizes of momenta are measured again
  CARDAN__LONGEST_WAIT = 64 // steps before a cheaper direction that failed is tried again
};

/* ---- the tolerance ---- */

/* Default tolerance of a residual, relative to the momenta in play: far enough below what the
 * energy can show (1e-8), and above what rounding leaves in trees of any size. */
#define CARDAN__DEFAULT_TOL 1e-12

/* Rounding errors of a place and of a line of action, in DBL_EPSILON: methods/discrete/sizes.c */
#define CARDAN__PLACE_ROUNDING 4
#define CARDAN__LINE_ROUNDING 16

/* Level of rounding in a residual: each joint's impulse is a sum over the bodies below it, with 16
 * roundings each, which add up as a walk. */
static inline double rounding_floor(int nbody)
{
  return 16 * DBL_EPSILON * (1 + sqrt(nbody));
}

/* Tolerance of the root finder, from the option; 0: the default. */
static inline double root_tolerance(double option, int nbody)
{
  return fmax(option > 0 ? option : CARDAN__DEFAULT_TOL, rounding_floor(nbody));
}

/* ---- directions ---- */

/* No joint turns by more than this in one iteration [rad]. */
#define CARDAN__LARGEST_TURN 1

/* Is a factorisation kept? Yes, when what the last direction gained, once more, is enough. */
static inline mask is_gain_enough(real before, real error)
{
  return is_most(error / before * error, real_of(1));
}

/* Steps to wait before a cheaper direction that failed is tried again, after such a wait: longer
 * each time. */
static inline real lengthen_wait(real wait)
{
  const real longest = real_of(CARDAN__LONGEST_WAIT);
  return choose(is_less(wait, longest), madd(real_of(2), wait, real_of(1)), longest);
}

/* ---- dry friction ---- */

#define CARDAN__MOVING 1e-9 // [m/s, rad/s]: a joint that does
#define CARDAN__RESTS 1e-6  // of its velocity at one node: it rests at the other

/* ---- which root ---- */

#define CARDAN__CLOSE_BY 1e-3     // other roots are farther from a guess
#define CARDAN__LARGEST_SWING 0.5 // from the last displacement: [rad], or of the displacement
#define CARDAN__NEAR_GUESS 0.3    // distance from the guess over the displacement
#define CARDAN__REGULAR 0.5    // largest tau of a root that is accepted (methods/discrete/branch.c)
#define CARDAN__NO_MOTION 1e-9 // no motion

/* Is a root, of that size and so far from the last displacement, not far from that? */
static inline mask is_steady(real size, real swing)
{
  return is_most(swing, real_of(CARDAN__LARGEST_SWING) * larger(size, real_of(1)));
}

/* Is a root so far off its guess near to it? reference: size of the root, or 1 where the guess was
 * no displacement, which is no forecast. */
static inline mask is_near_guess(real reference, real off)
{
  return is_most(off, madd(real_of(CARDAN__NEAR_GUESS), reference, real_of(CARDAN__CLOSE_BY)));
}

/* Is a root of that size, so far from the tangent of its branch, on the branch of the motion? */
static inline mask is_regular(real size, real off)
{
  return is_most(off, madd(real_of(CARDAN__REGULAR), size, real_of(CARDAN__NO_MOTION)));
}

/* Does a displacement of that size go where the momentum does? work: its product with the impulses
 * that drive it. What is at rest goes nowhere. */
static inline mask goes_forwards(real size, real work)
{
  return is_most(real_of(0), work) | is_most(size, real_of(CARDAN__NO_MOTION));
}
