// SPDX-License-Identifier: Apache-2.0
#include "touch_fixture.h"

#include <math.h>

#include "spatial/hull.h"
#include "spatial/so3.h"

void touch_wire(touch_scene *scene)
{
  scene->model.nbody = 3;
  scene->model.nsolid = 2;
  scene->model.nhull = 4;
  scene->model.npair = 1;
  scene->model.solid = scene->solid;
  scene->model.hull = scene->hull;
  scene->model.pair = &scene->pair;
  scene->pair.solid[0] = 0;
  scene->pair.solid[1] = 1;
  for (int i = 0; i < 2; i++) {
    scene->solid[i].body = i + 1;
    scene->solid[i].hull = scene->solid[i].kind == CARDAN_SHAPE_HULL ? 2 * i : -1;
  }
}

double touch_radius(const cardan_solid *solid)
{
  const double *s = solid->size;
  switch (solid->kind) {
  case CARDAN_SHAPE_BOX:
    return 0.5 * sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  case CARDAN_SHAPE_SPHERE:
    return s[0];
  case CARDAN_SHAPE_CYLINDER:
    return sqrt(s[0] * s[0] + 0.25 * s[1] * s[1]);
  case CARDAN_SHAPE_CAPSULE:
    return s[0] + 0.5 * s[1];
  case CARDAN_SHAPE_ELLIPSOID:
    return fmax(s[0], fmax(s[1], s[2]));
  case CARDAN_SHAPE_PLANE:
    return HUGE_VAL;
  default:
    return 0;
  }
}

cardan_xform touch_pose(support_rng *rng, double distance)
{
  double w[3], p[3];
  support_random_vec(rng, w, 3, 3);
  support_random_vec(rng, p, 3, distance);
  return (cardan_xform){cardan_so3_exp(cardan__vec3(w[0], w[1], w[2])),
                        cardan__vec3(p[0], p[1], p[2])};
}

cardan_solid touch_solid(support_rng *rng, cardan_shape_kind kind)
{
  cardan_solid solid = {.kind = kind, .X_BS = touch_pose(rng, 0.3)};
  for (int k = 0; k < 3; k++) {
    solid.size[k] = support_random_in(rng, 0.1, 1.2);
  }
  solid.radius = touch_radius(&solid);
  return solid;
}

void touch_give_hull(touch_scene *scene, int i, const cardan_vec3 *point, int n,
                     cardan__arena *arena)
{
  cardan_solid *s = &scene->solid[i];
  cardan_hull *hull = &scene->hull[2 * i];
  cardan_report report = {.message = ""};
  assert_int_equal(cardan__hull_make(point, n, CARDAN__HULL_FLAT, arena, &hull[0], &report),
                   CARDAN_OK);
  s->kind = CARDAN_SHAPE_HULL;
  s->round = 0.01 * cardan__hull_width(&hull[0]);
  assert_int_equal(cardan__hull_core(&hull[0], s->round, arena, &hull[1], &report), CARDAN_OK);
  s->radius = 0;
  for (int k = 0; k < n; k++) {
    s->radius = fmax(s->radius, cardan__vec3_norm(point[k]));
  }
  touch_wire(scene);
}

void touch_random_hull(touch_scene *scene, int i, int n, support_rng *rng, cardan__arena *arena)
{
  const double *size = scene->solid[i].size;
  cardan_vec3 point[256];
  assert_in_range(n, 4, 256);
  for (int k = 0; k < n; k++) {
    point[k] = cardan__vec3(0.5 * size[0] * support_random_in(rng, -1, 1),
                            0.5 * size[1] * support_random_in(rng, -1, 1),
                            0.5 * size[2] * support_random_in(rng, -1, 1));
  }
  touch_give_hull(scene, i, point, n, arena);
}

touch_scene touch_random(support_rng *rng, cardan_shape_kind a, cardan_shape_kind b,
                         double distance)
{
  touch_scene scene = {0};
  scene.solid[0] = touch_solid(rng, a);
  scene.solid[1] = touch_solid(rng, b);
  scene.X_W[0] = cardan__xform_identity();
  scene.X_W[1] = touch_pose(rng, distance);
  scene.X_W[2] = touch_pose(rng, distance);
  return scene;
}

void touch_move(touch_scene *scene, int i, cardan_vec3 w, cardan_vec3 v, double h)
{
  const cardan_xform T =
      cardan_se3_exp((cardan_twist){cardan__vec3_scale(h, w), cardan__vec3_scale(h, v)});
  scene->X_W[i] = cardan__xform_mul(&T, &scene->X_W[i]);
}

double touch_rate(const cardan__touch *at, const cardan_vec3 twist[4])
{
  const cardan_vec3 v1 = cardan__vec3_add(twist[1], cardan__vec3_cross(twist[0], at->x));
  const cardan_vec3 v2 = cardan__vec3_add(twist[3], cardan__vec3_cross(twist[2], at->x));
  return cardan__vec3_dot(at->n, cardan__vec3_sub(v1, v2));
}

double touch_gap_after(const touch_scene *scene, const cardan__spot *spot,
                       const cardan_vec3 twist[4], double h)
{
  touch_scene s = *scene;
  cardan__touch at;
  touch_wire(&s);
  touch_move(&s, 1, twist[0], twist[1], h);
  touch_move(&s, 2, twist[2], twist[3], h);
  if (!spot) {
    return cardan__pair_gap(&s.model, 0, s.X_W, NULL);
  }
  cardan__spot_look(&s.model, spot, s.X_W, &at);
  return at.gap;
}
