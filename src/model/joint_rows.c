// SPDX-License-Identifier: Apache-2.0
#include "model/joint_rows.h"

#include <math.h>

#include "spatial/spatial.h"

/* With a the axis of a pair, and e1, e2 perpendicular to it and to one another, all given by the
 * same three numbers in either frame:
 *
 *   P(u)     u_A . (p_A - p_B) = 0    POINT, u fixed in A
 *   O(u)     u_A . (p_B - p_A) = 0    OFFSET
 *   D(u, w)  u_A . w_B = u . w        DOT
 *
 *   slides   none   P(e1) P(e2) P(a)
 *            some   O(u) for each u across all of them
 *   turns    none   D(e1, a) D(e2, a) D(e1, e2)
 *            one    D(e1, a) D(e2, a), a the axis
 *            two    D(a1, a2)
 *            three  nothing
 *   screw    one turn, one slide along it: SCREW in place of what holds the slide to the turn
 *
 * So revolute, prismatic, helical, cylindrical, universal, spherical, planar and free joints have
 * the 5, 5, 5, 4, 4, 3, 3 and 0 rows of the usual tables, and a pin in a slot and others without
 * a name have theirs. In a plane only rows that are not satisfied by being in it remain: two for a
 * hinge.
 *
 * Directions are fixed in A, not in the world: when a plane linkage turns in space as a whole, the
 * rows that it makes redundant then stay the same ones.
 * D = 0 leaves a sense open: a_B = a_A and a_B = -a_A both close the pair (a pair of full
 * orientation also allows half turns about its other axes). Assembly sees to the sense
 * (constraints/sense.c); a motion keeps it. */

typedef struct {
  cardan_row *rows;
  int n, A, B;
  double length;
  const cardan_vec3 *normal;
} row_list;

static cardan_row *add(row_list *list, cardan_row_kind kind, double length)
{
  cardan_row *row = &list->rows[list->n++];
  *row = cardan__empty_row(kind);
  row->frame[0] = list->A;
  row->frame[1] = list->B;
  row->length = length;
  return row;
}

/* Along the plane's normal nothing can happen in a plane. */
static bool is_normal(const row_list *list, cardan_vec3 a)
{
  return list->normal != NULL && fabs(cardan__vec3_dot(a, *list->normal)) > 0.5;
}

static void add_point(row_list *list, cardan_vec3 u)
{
  if (!is_normal(list, u)) {
    cardan_row *row = add(list, CARDAN_ROW_POINT, list->length);
    row->frame[2] = list->A;
    row->u = u;
  }
}

static void add_offset(row_list *list, cardan_vec3 u)
{
  if (!is_normal(list, u)) {
    add(list, CARDAN_ROW_OFFSET, list->length)->u = u;
  }
}

static void add_dot(row_list *list, cardan_vec3 u, cardan_vec3 w, double value)
{
  if (!is_normal(list, u) && !is_normal(list, w)) {
    cardan_row *row = add(list, CARDAN_ROW_DOT, 1);
    row->u = u;
    row->w = w;
    row->value = value;
  }
}

static void add_screw(row_list *list, cardan_vec3 axis, cardan_vec3 e1, double pitch)
{
  cardan_row *row = add(list, CARDAN_ROW_SCREW, list->length);
  row->u = axis;
  row->w = row->w2 = e1;
  row->coef[0] = pitch;
}

/* Any unit vector perpendicular to the unit vector n, a coordinate axis if n is one. */
static cardan_vec3 perpendicular(cardan_vec3 n)
{
  const cardan_vec3 e = fabs(n.x) < 0.9 ? cardan__vec3(1, 0, 0) : cardan__vec3(0, 1, 0);
  return cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(e, n), n, e));
}

/* Offsets across one slide s; the axis a among them unless it is along s. */
static void add_across(row_list *list, cardan_vec3 s, cardan_vec3 a, cardan_vec3 e1, cardan_vec3 e2)
{
  const cardan_vec3 off = cardan__vec3_axpy(-cardan__vec3_dot(a, s), s, a);
  // 1e-6: between the rounding of directions and what a designer would call an angle
  const bool along = cardan__vec3_norm(off) < 1e-6;
  const cardan_vec3 u = along ? e1 : cardan__vec3_normalize(off);
  add_offset(list, u);
  add_offset(list, along ? e2 : cardan__vec3_cross(s, u));
}

static cardan_vec3 main_axis(const cardan__pair *pair, const cardan_vec3 *normal)
{
  if (normal != NULL) {
    return *normal;
  }
  if (pair->nturn == 1 || pair->nturn == 2) {
    return pair->turn[0];
  }
  return pair->nslide == 1 ? pair->slide[0] : cardan__vec3(0, 0, 1);
}

int cardan__pair_rows(const cardan__pair *pair, int A, int B, double length,
                      const cardan_vec3 *normal, cardan_row rows[CARDAN__PAIR_ROWS])
{
  row_list list = {rows, 0, A, B, length, normal};
  const cardan_vec3 a = main_axis(pair, normal), *s = pair->slide;
  const cardan_vec3 e1 = perpendicular(a), e2 = cardan__vec3_cross(a, e1);
  if (pair->nslide == 0) {
    add_point(&list, e1);
    add_point(&list, e2);
    add_point(&list, a);
  } else if (pair->nslide == 1) {
    add_across(&list, s[0], a, e1, e2);
  } else if (pair->nslide == 2) {
    add_offset(&list, cardan__vec3_normalize(cardan__vec3_cross(s[0], s[1])));
  }
  if (pair->nturn <= 1) {
    add_dot(&list, e1, a, 0);
    add_dot(&list, e2, a, 0);
  }
  if (pair->nturn == 0) {
    add_dot(&list, e1, e2, 0);
  }
  if (pair->screw) {
    add_screw(&list, a, e1, pair->pitch);
  }
  if (pair->nturn == 2) {
    add_dot(&list, pair->turn[0], pair->turn[1], cardan__vec3_dot(pair->turn[0], pair->turn[1]));
  }
  return list.n;
}

cardan__pair cardan__pair_reversed(const cardan__pair *pair)
{
  cardan__pair back = *pair;
  for (int i = 0; i < pair->nturn; i++) {
    back.turn[i] = pair->turn[pair->nturn - 1 - i];
  }
  return back;
}
