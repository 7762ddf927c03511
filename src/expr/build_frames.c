// SPDX-License-Identifier: Apache-2.0
#include "expr/build_frames.h"

#include <string.h>

#include "spatial/spatial.h"

int cardan__build_distance(cardan__builder *b, const cardan__span name[2], cardan_pos pos)
{
  const int two = cardan__build_const(b, 2.0, pos);
  int sum = -1;

  for (int k = 0; k < 3; k++) {
    const int from = cardan__build_leaf(b, CARDAN__LEAF_FRAME, k, name[0], pos);
    const int to = cardan__build_leaf(b, CARDAN__LEAF_FRAME, k, name[1], pos);
    const int d = cardan__build(b, CARDAN__OP_SUB, from, to, 0, pos);
    const int square = cardan__build(b, CARDAN__OP_POW, d, two, 0, pos);
    sum = k == 0 ? square : cardan__build(b, CARDAN__OP_ADD, sum, square, 0, pos);
  }
  return cardan__build(b, CARDAN__OP_NORM, sum, 0, 0, pos);
}

// d . d' / |d|, d = p_A - p_B; the sign of d cancels
int cardan__build_speed(cardan__builder *b, const cardan__span name[2], cardan_pos pos)
{
  int sum = -1;

  for (int k = 0; k < 3; k++) {
    const int from = cardan__build_leaf(b, CARDAN__LEAF_FRAME, k, name[0], pos);
    const int to = cardan__build_leaf(b, CARDAN__LEAF_FRAME, k, name[1], pos);
    const int from_rate = cardan__build_leaf(b, CARDAN__LEAF_TWIST, k, name[0], pos);
    const int to_rate = cardan__build_leaf(b, CARDAN__LEAF_TWIST, k, name[1], pos);
    const int d = cardan__build(b, CARDAN__OP_SUB, from, to, 0, pos);
    const int rate = cardan__build(b, CARDAN__OP_SUB, from_rate, to_rate, 0, pos);
    const int term = cardan__build(b, CARDAN__OP_MUL, d, rate, 0, pos);
    sum = k == 0 ? term : cardan__build(b, CARDAN__OP_ADD, sum, term, 0, pos);
  }
  return cardan__build(b, CARDAN__OP_DIV, sum, cardan__build_distance(b, name, pos), 0, pos);
}

// the component i, in world axes, of a direction u fixed in a frame; terms that are 0 are omitted
static int build_direction(cardan__builder *b, cardan__span frame, const double u[3], int i,
                           cardan_pos pos)
{
  int sum = -1;

  for (int k = 0; k < 3; k++) {
    if (u[k] != 0.0) {
      const int entry = cardan__build_leaf(b, CARDAN__LEAF_TURN, 3 * i + k, frame, pos);
      const int factor = cardan__build_const(b, u[k], pos);
      const int term =
          u[k] == 1.0 ? entry : cardan__build(b, CARDAN__OP_MUL, factor, entry, 0, pos);
      sum = sum < 0 ? term : cardan__build(b, CARDAN__OP_ADD, sum, term, 0, pos);
    }
  }
  return sum;
}

/* The angle of B about the unit vector n fixed in A: with a, c fixed in A so that (a, c, n) is
 * right-handed, and a' fixed in B with the components of a, it is atan2(y, x) of
 *   y = c . a', x = a . a'
 * If a' is parallel to n, the angle is undefined: (atan2 0 0) is 0 with derivatives that are not
 * finite. */
static void build_sine_cosine(cardan__builder *b, const cardan__span name[2], const double n[3],
                              cardan_pos pos, int *y, int *x)
{
  const cardan_vec3 axis = {n[0], n[1], n[2]}, across = cardan__vec3_across(axis);
  const cardan_vec3 third = cardan__vec3_cross(axis, across);
  const double a[3] = {across.x, across.y, across.z}, c[3] = {third.x, third.y, third.z};
  for (int i = 0; i < 3; i++) {
    const int a_of_B = build_direction(b, name[1], a, i, pos);
    const int c_part =
        cardan__build(b, CARDAN__OP_MUL, build_direction(b, name[0], c, i, pos), a_of_B, 0, pos);
    const int a_part =
        cardan__build(b, CARDAN__OP_MUL, build_direction(b, name[0], a, i, pos), a_of_B, 0, pos);
    *y = i == 0 ? c_part : cardan__build(b, CARDAN__OP_ADD, *y, c_part, 0, pos);
    *x = i == 0 ? a_part : cardan__build(b, CARDAN__OP_ADD, *x, a_part, 0, pos);
  }
}

int cardan__build_angle(cardan__builder *b, const cardan__span name[2], const double n[3],
                        cardan_pos pos)
{
  int y = -1, x = -1;
  build_sine_cosine(b, name, n, pos, &y, &x);
  return cardan__build(b, CARDAN__OP_ATAN2, y, x, 0, pos);
}

/* The unwrapped angle relative to the half turn r, a multiple of pi,
 *   r + atan2(s y, s x),   s = cos r = +-1
 * is smooth from r - pi to r + pi. The owner of the state updates r
 * (kinematics/closing_angle.h). */
static int build_unwrapped_angle(cardan__builder *b, const cardan__closing *closing,
                                 const cardan__span name[2], cardan_pos pos)
{
  const cardan__span own = {closing->name, (int)strlen(closing->name)};
  int y = -1, x = -1;
  build_sine_cosine(b, name, closing->axis, pos, &y, &x);
  const int r = cardan__build_leaf(b, CARDAN__LEAF_Z, CARDAN__HALF_TURN, own, pos);
  const int s = cardan__build(b, CARDAN__OP_COS, r, 0, 0, pos);
  y = cardan__build(b, CARDAN__OP_MUL, s, y, 0, pos);
  x = cardan__build(b, CARDAN__OP_MUL, s, x, 0, pos);
  return cardan__build(b, CARDAN__OP_ADD, r, cardan__build(b, CARDAN__OP_ATAN2, y, x, 0, pos), 0,
                       pos);
}

/* With u the axis, fixed in A, and x the positions, velocities or angular velocities of the frames:
 *   prismatic  q = u . (p_B - p_A), v = u . (p_B' - p_A');   revolute  v = u . (w_B - w_A)
 * v is the rate of q if the joint is closed: p_B - p_A is then parallel to u, and u' is
 * perpendicular to it. */
int cardan__build_closing(cardan__builder *b, const cardan__closing *closing, bool rate,
                          cardan_pos pos)
{
  const cardan__span name[2] = {{closing->frame[0], (int)strlen(closing->frame[0])},
                                {closing->frame[1], (int)strlen(closing->frame[1])}};
  const cardan__leaf_kind kind = rate ? CARDAN__LEAF_TWIST : CARDAN__LEAF_FRAME;
  const int first = closing->slides ? 0 : 3;
  int sum = -1;

  if (!rate && !closing->slides) {
    return build_unwrapped_angle(b, closing, name, pos);
  }
  for (int i = 0; i < 3; i++) {
    const int from = cardan__build_leaf(b, kind, first + i, name[0], pos);
    const int to = cardan__build_leaf(b, kind, first + i, name[1], pos);
    const int x = cardan__build(b, CARDAN__OP_SUB, to, from, 0, pos);
    const int u = build_direction(b, name[0], closing->axis, i, pos);
    const int term = cardan__build(b, CARDAN__OP_MUL, u, x, 0, pos);
    sum = i == 0 ? term : cardan__build(b, CARDAN__OP_ADD, sum, term, 0, pos);
  }
  return sum;
}
