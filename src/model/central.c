// SPDX-License-Identifier: Apache-2.0
#include "model/central.h"

#include "model/joint_table.h"

/* Is the joint of body i placed by two or more sliders that carry nothing else (a planar joint, a
 * base of three sliders)? Then it does not hold a point of the body. */
static bool is_carried(const cardan_model *model, int i)
{
  int sliders = 0;
  for (int p = model->body[i].parent; p > 0; p = model->body[p].parent) {
    if (!(model->body[p].flags & CARDAN_LINK_MASSLESS)) {
      break;
    }
    sliders += cardan__link_type_of(model->body[p].kind)->nslide;
  }
  return sliders >= 2;
}

/* From the point that the joint holds to c. */
static cardan_vec3 lever(const cardan_model *model, int i, cardan_vec3 c)
{
  const cardan_body *b = &model->body[i];
  const cardan__link_type *type = cardan__link_type_of(b->kind);
  const bool turns =
      type->nslide == 0 && (type->nturn == 3 || (type->nturn == 1 && type->has_axis));
  if (i == 0 || !turns || cardan__link_is_general(b) || is_carried(model, i)) {
    return (cardan_vec3){0, 0, 0};
  }
  return (cardan_vec3){c.x, c.y, type->nturn == 3 ? c.z : 0};
}

cardan__central cardan__body_central(const cardan_model *model, int body)
{
  const cardan_inertia *G = &model->body[body].inertia;
  cardan__central to = {.m = G->m, .J = cardan__inertia_about_com(G)};
  if (!(G->m > 0)) {
    return to;
  }
  to.c = cardan__vec3_scale(1 / G->m, G->h);
  const cardan_vec3 s = lever(model, body, to.c);
  const double length = cardan__vec3_norm(s);
  if (length > 0) {
    to.s = cardan__vec3_scale(1 / length, s);
    to.k = G->m * length * length;
  }
  return to;
}
