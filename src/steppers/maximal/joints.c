// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "steppers/maximal/maximal.h"

/* Chains of elementary joints as pairs that rows can hold.
 *
 * A chain of revolute and prismatic joints (and balls) with massless bodies between them is
 * recognised when its rotations share a centre and its translations are along axes fixed in one of
 * the two bodies that it joins, whatever the coordinates are. With a unit vector for each rotation
 * axis and each direction, both given at q = 0 in the axes of the parent, where two frames F_P
 * (fixed in the parent) and F_C (fixed in the child) coincide, their origin on all rotation axes:
 *
 *   no rotation    D(e1, e2) D(e1, a) D(e2, a)     one   D(e1, a) D(e2, a), a the axis
 *   two            D(a1, a2) = a1 . a2             three, or a ball   nothing
 *   and for each direction u across all translations   O(u): u . (p_C - p_P) = 0, u fixed in F_P,
 *   or in F_C when the translations move along axes of the child
 *   helical        one rotation, and SCREW in place of O(a)
 *
 * D is a row DOT and O a row OFFSET of constraints/row_frames.c. So revolute, prismatic, helical,
 * cylindrical, universal, spherical, planar and free joints come out with the 5, 5, 5, 4, 4, 3, 3
 * and 0 rows of the usual tables, and so do their chains of transforms (tx tz ry: planar); a pin in
 * a slot (tx ry) and others that have no name come out too. In a plane only rows that are not
 * satisfied by being in it remain: two for a hinge. */

static const double parallel = 1e-8; // sine below which two axes count as parallel

static double sine(cardan_vec3 a, cardan_vec3 b)
{
  return cardan__vec3_norm(cardan__vec3_cross(a, b));
}

typedef struct {
  cardan_vec3 axis, origin;
  bool slides;
} motion;

/* The elementary motions of a chain at q = 0, in the parent's axes; *T0 the child. */
static void read_chain(const cardan_model *model, const int *link, int nlink, motion *m,
                       cardan_xform *T0)
{
  *T0 = cardan__xform_identity();
  for (int i = 0; i < nlink; i++) {
    const cardan_body *b = &model->body[link[i]];
    *T0 = cardan__xform_mul(T0, &b->X);
    m[i] = (motion){.axis = cardan__mat3_column(&T0->R, 2),
                    .origin = T0->p,
                    .slides = b->kind == CARDAN_LINK_PRISMATIC};
  }
}

/* Whether a translation commutes with the only rotation on that side of it, so that it may count as
 * standing on the other side. */
static bool passes(const motion *m, int from, int to, int slide)
{
  int turns = 0;
  for (int i = from; i < to; i++) {
    if (!m[i].slides) {
      turns++;
      if (turns > 1 || sine(m[i].axis, m[slide].axis) > parallel) {
        return false;
      }
    }
  }
  return true;
}

/* Translations all before the rotations (directions fixed in the parent), or all after them. */
static bool sort_slides(const motion *m, int n, cardan__mx_pair *pair)
{
  bool before = true, after = true;
  for (int i = 0; i < n; i++) {
    if (m[i].slides) {
      before = before && passes(m, 0, i, i);
      after = after && passes(m, i + 1, n, i);
      if (pair->nslide == 3) {
        return false;
      }
      pair->slide[pair->nslide++] = m[i].axis;
    }
  }
  pair->in_child = !before;
  const cardan_vec3 *s = pair->slide;
  const bool independent =
      pair->nslide < 2 || (pair->nslide == 2 && sine(s[0], s[1]) > parallel) ||
      (pair->nslide == 3 &&
       fabs(cardan__vec3_dot(s[0], cardan__vec3_cross(s[1], s[2]))) > parallel);
  return (before || after) && independent;
}

/* Distance of a point from the line of a rotation. */
static double off_axis(const motion *m, cardan_vec3 p)
{
  return cardan__vec3_norm(cardan__vec3_cross(m->axis, cardan__vec3_sub(p, m->origin)));
}

/* Rotations about one to three axes that meet in one point. */
static bool sort_turns(const motion *m, int n, double size, cardan__mx_pair *pair)
{
  motion turn[3] = {m[0], m[0], m[0]};
  for (int i = 0; i < n; i++) {
    if (!m[i].slides) {
      if (pair->nturn == 3) {
        return false;
      }
      turn[pair->nturn] = m[i];
      pair->turn[pair->nturn++] = m[i].axis;
    }
  }
  if (pair->nturn > 0) {
    pair->centre = turn[0].origin;
  }
  for (int i = 1; i < pair->nturn; i++) {
    if (sine(turn[i - 1].axis, turn[i].axis) < parallel) {
      return false;
    }
  }
  if (pair->nturn > 1) {
    // the point of the first axis nearest to the second
    const cardan_vec3 d = cardan__vec3_sub(turn[1].origin, turn[0].origin);
    const cardan_vec3 a = turn[0].axis, b = turn[1].axis;
    const double ab = cardan__vec3_dot(a, b);
    const double s = (cardan__vec3_dot(d, a) - ab * cardan__vec3_dot(d, b)) / (1 - ab * ab);
    pair->centre = cardan__vec3_axpy(s, a, turn[0].origin);
  }
  for (int i = 1; i < pair->nturn; i++) {
    // 1e-9: rounding of file numbers, well below what a designer would call an offset
    if (off_axis(&turn[i], pair->centre) > 1e-9 * (1 + size)) {
      return false;
    }
  }
  return true;
}

bool cardan__mx_recognise(const cardan_model *model, const int *link, int nlink,
                          cardan__mx_pair *pair)
{
  motion m[CARDAN__MX_LINKS] = {{.slides = false}};
  *pair = (cardan__mx_pair){.nturn = 0};
  if (nlink > CARDAN__MX_LINKS) {
    return false;
  }
  read_chain(model, link, nlink, m, &pair->T0);
  pair->centre = pair->T0.p;
  const cardan_body *last = &model->body[link[nlink - 1]];
  for (int i = 0; i < nlink; i++) {
    const cardan_link_kind kind = model->body[link[i]].kind;
    const bool several = kind == CARDAN_LINK_SPHERICAL || kind == CARDAN_LINK_FREE;
    if ((several && i < nlink - 1) ||
        (nlink > 1 && (kind == CARDAN_LINK_FREE || kind == CARDAN_LINK_HELICAL))) {
      return false;
    }
  }
  if (last->kind == CARDAN_LINK_FREE) {
    pair->nturn = pair->nslide = 3;
    return true;
  }
  if (last->kind == CARDAN_LINK_SPHERICAL) {
    const bool slides = sort_slides(m, nlink - 1, pair) && !pair->in_child;
    for (int i = 0; i < nlink - 1; i++) {
      if (!m[i].slides) {
        return false;
      }
    }
    pair->nturn = 3;
    return slides;
  }
  pair->helical = last->kind == CARDAN_LINK_HELICAL;
  pair->pitch = last->pitch;
  return sort_slides(m, nlink, pair) && sort_turns(m, nlink, model->size_length, pair);
}

/* ---- rows ---- */

typedef struct {
  cardan_row *rows; // NULL: only count
  int n, P, C;
  double length;
  bool planar;
  cardan_vec3 normal; // planar: of the plane, axes of F_P
} row_list;

static void add(row_list *list, cardan_row row)
{
  if (list->rows != NULL) {
    row.length = list->length;
    list->rows[list->n] = row;
  }
  list->n++;
}

/* Along the plane's normal nothing can happen in a plane. */
static bool is_normal(const row_list *list, cardan_vec3 a)
{
  return list->planar && fabs(cardan__vec3_dot(a, list->normal)) > 0.5;
}

static void add_offset(row_list *list, cardan_vec3 u, bool in_child)
{
  if (!is_normal(list, u)) {
    add(list,
        (cardan_row){.kind = CARDAN_ROW_OFFSET,
                     .frame = {in_child ? list->C : list->P, in_child ? list->P : list->C, -1},
                     .u = u,
                     .var = {-1, -1},
                     .expr = -1});
  }
}

static void add_dot(row_list *list, cardan_vec3 u, cardan_vec3 w)
{
  if (!is_normal(list, u) && !is_normal(list, w)) {
    add(list, (cardan_row){.kind = CARDAN_ROW_DOT,
                           .frame = {list->P, list->C, -1},
                           .u = u,
                           .w = w,
                           .value = cardan__vec3_dot(u, w),
                           .var = {-1, -1},
                           .expr = -1});
  }
}

static void add_screw(row_list *list, cardan_vec3 axis, cardan_vec3 e1, double pitch)
{
  add(list, (cardan_row){.kind = CARDAN_ROW_SCREW,
                         .frame = {list->P, list->C, -1},
                         .u = axis,
                         .w = e1,
                         .w2 = e1,
                         .coef = {pitch, 0},
                         .var = {-1, -1},
                         .expr = -1});
}

/* A unit vector perpendicular to the unit vector n, as near to ref as can be. */
static cardan_vec3 perpendicular(cardan_vec3 n, cardan_vec3 ref)
{
  cardan_vec3 e = cardan__vec3_axpy(-cardan__vec3_dot(ref, n), n, ref);
  if (cardan__vec3_norm(e) < 1e-6) {
    const cardan_vec3 other = fabs(n.x) < 0.9 ? cardan__vec3(1, 0, 0) : cardan__vec3(0, 1, 0);
    e = cardan__vec3_axpy(-cardan__vec3_dot(other, n), n, other);
  }
  return cardan__vec3_normalize(e);
}

/* Directions across all translations; a is the axis of rotation (or normal) to keep among them. */
static int across(const cardan__mx_pair *pair, cardan_vec3 a, cardan_vec3 e1, cardan_vec3 e2,
                  cardan_vec3 u[3])
{
  const cardan_vec3 *s = pair->slide;
  switch (pair->nslide) {
  case 0:
    u[0] = e1;
    u[1] = e2;
    u[2] = a;
    return 3;
  case 1:
    u[0] = perpendicular(s[0], a);
    u[1] = cardan__vec3_cross(s[0], u[0]);
    return 2;
  case 2:
    u[0] = cardan__vec3_normalize(cardan__vec3_cross(s[0], s[1]));
    return 1;
  default:
    return 0;
  }
}

int cardan__mx_joint_rows(const cardan__maximal *mx, const cardan__mx_pair *pair, int frame_P,
                          int frame_C, cardan_row *rows)
{
  // axes of F_P are those of the parent body, so the parent's normal serves
  const int parent = mx->set.frame[frame_P].body;
  const cardan_vec3 normal = cardan__mat3_tmulv(&mx->X_W[parent].R, mx->normal);
  row_list list = {.rows = rows,
                   .P = frame_P,
                   .C = frame_C,
                   .length = mx->model->size_length > 0 ? mx->model->size_length : 1,
                   .planar = mx->planar,
                   .normal = normal};
  const cardan_vec3 a = mx->planar          ? normal
                        : pair->nturn == 1  ? pair->turn[0]
                        : pair->nslide == 1 ? pair->slide[0]
                                            : cardan__vec3(0, 0, 1);
  const cardan_vec3 e1 = perpendicular(a, cardan__vec3(1, 0, 0)), e2 = cardan__vec3_cross(a, e1);
  cardan_vec3 u[3];
  const int n = across(pair, a, e1, e2, u);
  for (int i = 0; i < (pair->helical ? 2 : n); i++) {
    add_offset(&list, u[i], pair->in_child);
  }
  if (pair->helical) {
    add_screw(&list, a, e1, pair->pitch);
  }
  if (pair->nturn == 0) {
    add_dot(&list, e1, e2);
  }
  if (pair->nturn <= 1) {
    add_dot(&list, e1, a);
    add_dot(&list, e2, a);
  }
  if (pair->nturn == 2) {
    add_dot(&list, pair->turn[0], pair->turn[1]);
  }
  return list.n;
}
