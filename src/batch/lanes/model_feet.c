// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "batch/lanes/model.h"

/* Feet and guards of a model in lanes: what may touch one plane that is fixed to the world.
 * Spheres, points, both ends of capsules and the corners of boxes are feet, as long as there is
 * room; all else has a guard, its bounding sphere. */

static bool is_light(const cardan_inertia *I)
{
  return I->m == 0 && I->xx == 0 && I->yy == 0 && I->zz == 0;
}

static bool has_feet(const cardan_solid *solid)
{
  return solid->kind == CARDAN_SHAPE_SPHERE || solid->kind == CARDAN_SHAPE_POINT ||
         solid->kind == CARDAN_SHAPE_CAPSULE || solid->kind == CARDAN_SHAPE_BOX;
}

const char *cardan__lanes_feet_takes(const cardan_model *model)
{
  bool feet = model->npair == 0;
  for (int i = 0; i < model->npair; i++) {
    const cardan_pair *p = &model->pair[i];
    const cardan_solid *plane = &model->solid[p->solid[1]];
    const int body = model->solid[p->solid[0]].body;
    if (plane->kind != CARDAN_SHAPE_PLANE || plane->body != 0 ||
        p->solid[1] != model->pair[0].solid[1]) {
      return "of solids that may touch others than one plane of the world";
    }
    if (p->rolling > 0 || p->spinning > 0) {
      return "of friction against rolling or spinning";
    }
    if (is_light(&model->body[body].inertia)) {
      return "of a solid on a body without mass";
    }
    feet = feet || has_feet(&model->solid[p->solid[0]]);
  }
  return feet ? NULL : "of solids that are no feet";
}

/* The ball that point s of a solid is the centre of. */
static cardan__lanes_foot foot_at(const cardan_model *model, const cardan_pair *pair,
                                  const double s[3], double radius)
{
  const cardan_solid *solid = &model->solid[pair->solid[0]];
  const double p[3] = {solid->X_BS.p.x, solid->X_BS.p.y, solid->X_BS.p.z};
  const double mu = fmax(pair->friction, pair->statical);
  cardan__lanes_foot foot = {.body = solid->body,
                             .rows = mu > 0 ? 3 : 1,
                             .pair = (int)(pair - model->pair),
                             .holds = pair->statical > pair->friction,
                             .bounces = pair->restitution > 0,
                             .radius = radius,
                             .mu = mu};
  for (int i = 0; i < 3; i++) {
    const double *row = solid->X_BS.R.m[i];
    foot.c[i] = p[i] + row[0] * s[0] + row[1] * s[1] + row[2] * s[2];
  }
  return foot;
}

/* Feet of a solid's kind to foot: how many, 0: it has none. */
static int feet_of(const cardan_model *model, const cardan_pair *pair, cardan__lanes_foot *foot)
{
  const cardan_solid *solid = &model->solid[pair->solid[0]];
  const double *size = solid->size;
  int n = 0;
  if (solid->kind == CARDAN_SHAPE_SPHERE || solid->kind == CARDAN_SHAPE_POINT) {
    const double centre[3] = {0, 0, 0};
    foot[n++] = foot_at(model, pair, centre, solid->kind == CARDAN_SHAPE_SPHERE ? size[0] : 0);
  } else if (solid->kind == CARDAN_SHAPE_CAPSULE) {
    for (int side = -1; side <= 1; side += 2) {
      const double end[3] = {0, 0, 0.5 * side * size[1]};
      foot[n++] = foot_at(model, pair, end, size[0]);
    }
  } else if (solid->kind == CARDAN_SHAPE_BOX) {
    for (int i = 0; i < 8; i++) {
      const double corner[3] = {i & 1 ? 0.5 * size[0] : -0.5 * size[0],
                                i & 2 ? 0.5 * size[1] : -0.5 * size[1],
                                i & 4 ? 0.5 * size[2] : -0.5 * size[2]};
      foot[n++] = foot_at(model, pair, corner, 0);
    }
  }
  return n;
}

/* Is a pair one of feet? Balls come before boxes. used: of the pairs before it */
static bool has_room(int n, int used)
{
  return n > 0 && used + n <= CARDAN__LANES_FEET;
}

/* One pass over the pairs: feet of boxes, or of all others; or guards of what has no feet. */
static int put_pass(const cardan_model *model, bool boxes, int used, cardan__lanes_foot *foot,
                    cardan__lanes_foot *guard, int *nguard)
{
  static const double centre[3] = {0, 0, 0};
  for (int i = 0; i < model->npair; i++) {
    const cardan_pair *pair = &model->pair[i];
    const cardan_solid *solid = &model->solid[pair->solid[0]];
    cardan__lanes_foot own[8];
    if ((solid->kind == CARDAN_SHAPE_BOX) != boxes) {
      continue;
    }
    const int n = feet_of(model, pair, own);
    for (int k = 0; k < n; k++) {
      own[k].spot = k;
    }
    if (has_room(n, used)) {
      memcpy(foot + used, own, (size_t)n * sizeof *own);
      used += n;
    } else {
      guard[(*nguard)++] = foot_at(model, pair, centre, solid->radius);
    }
  }
  return used;
}

void cardan__lanes_put_feet(const cardan_model *model, cardan__lanes_model *to,
                            cardan__lanes_body *body, cardan__lanes_foot *foot)
{
  if (model->npair == 0) {
    return;
  }
  cardan__lanes_foot *guard = foot + CARDAN__LANES_FEET;
  const cardan_xform *X = &model->solid[model->pair[0].solid[1]].X_BS;
  const double at[3] = {X->p.x, X->p.y, X->p.z};
  to->plane_offset = 0;
  for (int i = 0; i < 3; i++) {
    to->plane_normal[i] = X->R.m[i][2];
    to->plane_offset += X->R.m[i][2] * at[i];
  }
  to->nfoot = put_pass(model, false, 0, foot, guard, &to->nguard);
  to->nfoot = put_pass(model, true, to->nfoot, foot, guard, &to->nguard);
  memmove(foot + to->nfoot, guard, (size_t)to->nguard * sizeof *guard);
  for (int i = 1; i < model->nbody; i++) {
    body[i].flags |= CARDAN__LANES_OVER;
  }
}
