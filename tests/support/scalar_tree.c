// SPDX-License-Identifier: Apache-2.0
#include "scalar_tree.h"

#include <stdio.h>
#include <string.h>

#include "spatial/spatial.h"

static cardan_vec3 random_vec3(support_rng *rng, double size)
{
  double a[3];
  support_random_vec(rng, a, 3, size);
  return cardan__vec3(a[0], a[1], a[2]);
}

static cardan_xform random_xform(support_rng *rng)
{
  const cardan_quat q = cardan__quat_from_rotvec(random_vec3(rng, 2.0));
  return cardan__xform_from_quat(q, random_vec3(rng, 1.0));
}

static void add_joint(cardan_spec *spec, int i, int *frame, support_rng *rng)
{
  static const cardan_joint_kind kinds[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC,
                                            CARDAN_JOINT_HELICAL,  CARDAN_JOINT_UNIVERSAL,
                                            CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_CYLINDRICAL,
                                            CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PLANAR};
  char name[16];
  const cardan_xform T = random_xform(rng), tip = random_xform(rng);
  // mostly chains, so that trees get deep
  const int low = i > 3 ? i - 3 : 0;
  const int at = cardan_spec_place(spec, frame[support_random_int(rng, low, i - 1)], &T);
  snprintf(name, sizeof name, "j%d", i);
  cardan_joint_def joint = {.kind = kinds[(i - 1) % 8], .name = name};
  if (joint.kind < CARDAN_JOINT_PLANAR) {
    joint.axis = random_vec3(rng, 1.0);
  }
  joint.pitch = joint.kind == CARDAN_JOINT_HELICAL ? 0.3 : 0.0;
  const int child = cardan_spec_joint(spec, at, &joint);
  cardan_spec_mass(spec, child, &(cardan_mass){.m = 1.0 + i % 3, .xx = 0.5, .yy = 0.6, .zz = 0.7});
  snprintf(name, sizeof name, "f%d", i);
  frame[i] = cardan_spec_place(spec, child, &tip);
  cardan_spec_frame_name(spec, frame[i], name);
  cardan_spec_mass(spec, frame[i], &(cardan_mass){.m = 0.5});
}

/* One element of every kind but friction, on joints and frames below 8. */
static void add_forces(cardan_spec *spec)
{
  const cardan_element list[] = {
      {.kind = CARDAN_ELEMENT_SPRING, .frame = {"f2", "f7"}, .value = {30.0, 0.4}},
      {.kind = CARDAN_ELEMENT_SPRING, .frame = {"world", "f5"}, .value = {5.0, 0.0}},
      {.kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j1"}, .value = {8.0, 0.3}},
      {.kind = CARDAN_ELEMENT_NEWTON_GRAVITY, .frame = {"f3", "j7"}, .value = {2.0}},
      {.kind = CARDAN_ELEMENT_POTENTIAL,
       .expr = {"(+ (* 2 (sin q.j1) q.j2) (^ q.j5 4) (* q.j3 (px \"f4\")) "
                "(exp (neg (dist \"f1\" \"f6\"))))"}},
      {.kind = CARDAN_ELEMENT_DAMPING, .value = {0.7}},
      {.kind = CARDAN_ELEMENT_DAMPER, .frame = {"f4", "f6"}, .value = {2.5}},
      {.kind = CARDAN_ELEMENT_TORQUE,
       .var = {"j3"},
       .expr = {"(+ (* (sin t) q.j1 v.j3) (px \"f6\"))"}},
      {.kind = CARDAN_ELEMENT_WRENCH,
       .frame = {"f6"},
       .expr = {"(sin t)", "v.j1", "q.j3", "1", "1", "2"}},
      {.kind = CARDAN_ELEMENT_WRENCH,
       .frame = {"f5"},
       .in_world = true,
       .expr = {"(cos t)", "q.j1", "3", "v.j3", "1", "t"}},
  };
  for (int i = 0; i < (int)(sizeof list / sizeof *list); i++) {
    cardan_spec_add(spec, &list[i]);
  }
}

static fixture build(cardan_spec *spec)
{
  fixture f = {NULL, NULL};
  cardan_report report = {.message = ""};
  const cardan_status status = cardan_model_build(spec, NULL, &f.model, &report);
  if (status != CARDAN_OK) {
    print_error("%s\n", report.message);
  }
  assert_int_equal(status, CARDAN_OK);
  assert_int_equal(cardan_data_create(f.model, NULL, &f.data), CARDAN_OK);
  cardan_spec_destroy(spec);
  return f;
}

fixture scalar_tree(int n, bool forces, uint64_t seed)
{
  support_rng rng = {seed};
  int frame[64] = {0};
  cardan_spec *spec = NULL;
  assert_true(n < 48);
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  const cardan_vec3 g = random_vec3(&rng, 10.0);
  cardan_spec_gravity(spec, g);
  for (int i = 1; i <= n; i++) {
    add_joint(spec, i, frame, &rng);
  }
  if (forces) {
    add_forces(spec);
  }
  fixture f = build(spec);
  support_random_vec(&rng, f.data->q, f.model->nq, 1.0);
  support_random_vec(&rng, f.data->v, f.model->nv, 2.0);
  f.data->t = 0.3;
  return f;
}

fixture text_model(const char *text)
{
  fixture f = {NULL, NULL};
  cardan_report report = {.message = ""};
  const cardan_status status =
      cardan_model_from_text(text, strlen(text), "text", NULL, 0, NULL, &f.model, &report);
  if (status != CARDAN_OK) {
    print_error("%s\n", report.message);
  }
  assert_int_equal(status, CARDAN_OK);
  assert_int_equal(cardan_data_create(f.model, NULL, &f.data), CARDAN_OK);
  return f;
}

void scalar_tree_free(fixture *f)
{
  cardan_data_destroy(f->data);
  cardan_model_destroy(f->model);
}
