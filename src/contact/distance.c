// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/contact.h"
#include "contact/core.h"
#include "contact/touch.h"
#include "spatial/spatial.h"

static bool has_corners(const cardan_solid *s)
{
  return s->kind == CARDAN_SHAPE_BOX || s->kind == CARDAN_SHAPE_POINT;
}

static cardan__core sharp_core(const cardan_solid *s)
{
  cardan__core core = {.kind = CARDAN__CORE_POINT};
  if (s->kind == CARDAN_SHAPE_BOX) {
    core.kind = CARDAN__CORE_BOX;
    for (int k = 0; k < 3; k++) {
      core.half[k] = 0.5 * s->size[k];
    }
  }
  return core;
}

/* The gap of solids i and j; of boxes and points that are apart their distance, in place of the
 * separation that touch.h goes by. */
static cardan__touch between(const cardan_model *model, const cardan_xform *X_W, int i, int j)
{
  const cardan_solid *A = &model->solid[i], *B = &model->solid[j];
  cardan__touch at;
  const double gap = cardan__solids_gap(model, (const int[2]){i, j}, X_W, &at);
  if (!has_corners(A) || !has_corners(B) || !(gap > 0)) {
    return at;
  }
  const cardan__core core[2] = {sharp_core(A), sharp_core(B)};
  const cardan_xform X_A = cardan__xform_mul(&X_W[A->body], &A->X_BS);
  const cardan_xform X_B = cardan__xform_mul(&X_W[B->body], &B->X_BS);
  const cardan_xform X_AB = cardan__xform_inv_mul(&X_A, &X_B);
  cardan__gjk near;
  cardan__gjk_run(&core[0], &core[1], &X_AB, 0, &near);
  if (near.overlap) { // apart by rounding, or two points at one place
    at.gap = gap < HUGE_VAL ? gap : 0;
    at.x = gap < HUGE_VAL ? at.x : X_A.p;
    return at;
  }
  at.gap = near.distance;
  at.x = cardan__xform_point(&X_A, near.a);
  at.n = cardan__mat3_mulv(&X_A.R, cardan__vec3_scale(1 / near.distance, near.w));
  return at;
}

double cardan_distance(const cardan_model *model, const cardan_data *data, int first, int second,
                       cardan_vec3 *a, cardan_vec3 *b)
{
  cardan__touch least = {.gap = HUGE_VAL};
  for (int i = 0; i < model->nsolid; i++) {
    for (int j = 0; j < model->nsolid && model->solid[i].frame == first; j++) {
      if (model->solid[j].frame == second && i != j) {
        const cardan__touch at = between(model, data->X_W, i, j);
        least = at.gap < least.gap ? at : least;
      }
    }
  }
  const bool any = least.gap < HUGE_VAL;
  if (a != NULL) {
    *a = least.x;
  }
  if (b != NULL) {
    *b = any ? cardan__vec3_axpy(-least.gap, least.n, least.x) : least.x;
  }
  return least.gap;
}

double cardan_smallest_gap(const cardan_model *model, const cardan_data *data, int *pair)
{
  double least = HUGE_VAL;
  int which = -1;
  for (int i = 0; i < model->npair; i++) {
    const double gap = cardan__pair_gap(model, i, data->X_W, NULL);
    which = gap < least ? i : which;
    least = fmin(least, gap);
  }
  if (pair != NULL) {
    *pair = which;
  }
  return least;
}
