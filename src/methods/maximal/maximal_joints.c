// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "methods/maximal/maximal.h"
#include "model/joint_rows.h"

/* The joint between a body and the next one with mass, as a pair of frames that rows can hold
 * (model/joint_rows.c).
 *
 * Most often it is one joint of the model: the table of joints has its pair, and the frames are
 * those where it is placed and which it carries. Where massless bodies stand between several joints
 * (tx tz ry: a planar joint written as transforms) the chain is one pair when its rotations share a
 * centre and its translations are along axes fixed in one of the two bodies that it joins, whatever
 * the coordinates are. Its frames F_P, fixed in the parent with its axes, and F_C, fixed in the
 * child, coincide at q = 0, their origin on all rotation axes. A chain that slides along axes of
 * the child is the pair seen from there. */

static const double parallel = 1e-8; // sine below which two axes count as parallel

static double sine(cardan_vec3 a, cardan_vec3 b)
{
  return cardan__vec3_norm(cardan__vec3_cross(a, b));
}

/* One motion of a chain, at q = 0 in the parent's axes. */
typedef struct {
  cardan_vec3 axis, origin;
  bool slides;
} motion;

typedef struct {
  int n;
  motion m[CARDAN__MX_LINKS];
  bool ball;          // ends with any turn at all, about centre
  cardan_vec3 centre; // a point on all axes
  bool in_child;      // translations are along axes fixed in the child, not in the parent
} chain;

static cardan__pair pair_of(const cardan_joint *joint)
{
  return cardan__joint_pair(joint->kind, joint->axis, joint->axis2, joint->pitch);
}

/* Adds the motions of a joint placed at T (parent's axes): slides first, as pairs have them. false:
 * there are too many, or the joint cannot be combined with others. */
static bool add_joint(chain *c, const cardan__pair *pair, const cardan_xform *T)
{
  if (c->ball || pair->screw || pair->general || pair->nslide == 3 ||
      c->n + pair->nslide + pair->nturn > CARDAN__MX_LINKS) {
    return false;
  }
  for (int i = 0; i < pair->nslide; i++) {
    c->m[c->n++] = (motion){cardan__mat3_mulv(&T->R, pair->slide[i]), T->p, true};
  }
  c->ball = pair->nturn == 3;
  c->centre = T->p;
  for (int i = 0; i < pair->nturn && !c->ball; i++) {
    c->m[c->n++] = (motion){cardan__mat3_mulv(&T->R, pair->turn[i]), T->p, false};
  }
  return true;
}

/* Whether a translation commutes with the only rotation on that side of it, so that it may count as
 * standing on the other side. */
static bool passes(const chain *c, int from, int to, int slide)
{
  int turns = 0;
  for (int i = from; i < to; i++) {
    if (!c->m[i].slides) {
      turns++;
      if (turns > 1 || sine(c->m[i].axis, c->m[slide].axis) > parallel) {
        return false;
      }
    }
  }
  return true;
}

/* Translations all before the rotations (directions fixed in the parent), or all after them. */
static bool sort_slides(chain *c, cardan__pair *pair)
{
  bool before = true, after = !c->ball;
  for (int i = 0; i < c->n; i++) {
    if (c->m[i].slides) {
      before = before && passes(c, 0, i, i);
      after = after && passes(c, i + 1, c->n, i);
      if (pair->nslide == 3) {
        return false;
      }
      pair->slide[pair->nslide++] = c->m[i].axis;
    }
  }
  c->in_child = !before;
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

/* Rotations about one to three axes that meet in one point, or a ball and no others. */
static bool sort_turns(chain *c, double size, cardan__pair *pair)
{
  motion turn[3] = {c->m[0], c->m[0], c->m[0]};
  for (int i = 0; i < c->n; i++) {
    if (!c->m[i].slides) {
      if (pair->nturn == 3) {
        return false;
      }
      turn[pair->nturn] = c->m[i];
      pair->turn[pair->nturn++] = c->m[i].axis;
    }
  }
  if (c->ball) {
    const bool alone = pair->nturn == 0;
    pair->nturn = 3;
    return alone;
  }
  if (pair->nturn > 0) {
    c->centre = turn[0].origin;
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
    c->centre = cardan__vec3_axpy(s, a, turn[0].origin);
  }
  for (int i = 1; i < pair->nturn; i++) {
    // 1e-9: rounding of file numbers, well below what a designer would call an offset
    if (off_axis(&turn[i], c->centre) > 1e-9 * (1 + size)) {
      return false;
    }
  }
  return true;
}

/* Reads the chain of joint b; false when it makes no pair. */
static bool recognise(const cardan__maximal *mx, int b, chain *c, cardan__pair *pair)
{
  const cardan_model *model = mx->model;
  const cardan__mx_joint *j = &mx->joint[b];
  const int P = j->parent >= 0 ? mx->body[j->parent].body : 0;
  *c = (chain){.n = 0};
  *pair = (cardan__pair){.nturn = 0};
  for (int l = 0; l < j->nlink; l++) {
    const int body = mx->link[j->link + l];
    const cardan_joint *joint = &model->joint[model->body[body].joint];
    if (joint->first != body) {
      continue;
    }
    const cardan_frame *A = &model->frame[model->frame[joint->frame].parent];
    const cardan_xform X_WA = cardan__xform_mul(&mx->X_W[A->body], &A->X_BF);
    const cardan_xform T = cardan__xform_inv_mul(&mx->X_W[P], &X_WA);
    const cardan__pair own = pair_of(joint);
    if (!add_joint(c, &own, &T)) {
      return false;
    }
  }
  return sort_slides(c, pair) && sort_turns(c, model->size_length, pair);
}

/* F_P and F_C of a chain of several joints. */
static void add_frames(cardan__maximal *mx, int b, const chain *c, int F_P)
{
  const cardan__mx_joint *j = &mx->joint[b];
  const int P = j->parent >= 0 ? mx->body[j->parent].body : 0, C = mx->body[b].body;
  const cardan_xform at = {.R = cardan__mat3_identity(), .p = c->centre};
  const cardan_xform T_PC = cardan__xform_inv_mul(&mx->X_W[P], &mx->X_W[C]);
  mx->set.frame[F_P] = (cardan_frame){.name = "", .body = P, .X_BF = at};
  mx->set.frame[F_P + 1] =
      (cardan_frame){.name = "", .body = C, .X_BF = cardan__xform_inv_mul(&T_PC, &at)};
}

/* The joint of the model that carries body b. */
static const cardan_joint *joint_of(const cardan__maximal *mx, int b)
{
  return &mx->model->joint[mx->model->body[mx->body[b].body].joint];
}

/* Is it all that holds the body, or one of a chain? */
static bool is_alone(const cardan__maximal *mx, int b)
{
  return joint_of(mx, b)->first == mx->link[mx->joint[b].link];
}

/* The pair of body b; c is read where it is one of a chain. false: there is none. */
static bool find_pair(const cardan__maximal *mx, int b, chain *c, cardan__pair *pair)
{
  if (!is_alone(mx, b)) {
    return recognise(mx, b, c, pair) && !pair->general;
  }
  *pair = pair_of(joint_of(mx, b));
  return !pair->general;
}

bool cardan__mx_joint_known(const cardan__maximal *mx, int b)
{
  cardan__pair pair;
  chain c;
  return find_pair(mx, b, &c, &pair);
}

int cardan__mx_joint_rows(cardan__maximal *mx, int b, cardan_row *rows)
{
  const cardan_model *model = mx->model;
  const cardan_joint *joint = joint_of(mx, b);
  cardan__pair pair;
  chain c;
  int A = model->frame[joint->frame].parent, B = joint->frame;
  if (!find_pair(mx, b, &c, &pair)) {
    return -1;
  }
  if (!is_alone(mx, b)) {
    const int F_P = model->nframe + 2 * b;
    add_frames(mx, b, &c, F_P);
    A = c.in_child ? F_P + 1 : F_P;
    B = c.in_child ? F_P : F_P + 1;
    pair = c.in_child ? cardan__pair_reversed(&pair) : pair;
  }
  const cardan_frame *at = &mx->set.frame[A];
  const cardan_mat3 R_WA = cardan__mat3_mul(&mx->X_W[at->body].R, &at->X_BF.R);
  const cardan_vec3 normal = cardan__mat3_tmulv(&R_WA, mx->normal);
  const double length = model->size_length > 0 ? model->size_length : 1;
  return cardan__pair_rows(&pair, A, B, length, mx->planar ? &normal : NULL, rows);
}
