// SPDX-License-Identifier: Apache-2.0
#include "random_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/spec.h"
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

/* Body i on a joint of that kind, "j1".., on a frame of one of the bodies low .. i-1; mass on the
 * body, and m_tip on its frame "f1".. off the joint. */
static void add_joint(cardan_spec *spec, int i, cardan_joint_kind kind, int low, double m,
                      double m_tip, int *frame, support_rng *rng)
{
  char name[16];
  const cardan_xform T = random_xform(rng), tip = random_xform(rng);
  const int at = cardan_spec_place(spec, frame[support_random_int(rng, low, i - 1)], &T);
  snprintf(name, sizeof name, "j%d", i);
  cardan_joint_def joint = {.kind = kind, .name = name};
  // planar, spherical and free joints have no axis of their own
  if (kind < CARDAN_JOINT_PLANAR) {
    joint.axis = random_vec3(rng, 1.0);
  }
  joint.pitch = kind == CARDAN_JOINT_HELICAL ? 0.3 : 0.0;
  const int child = cardan_spec_joint(spec, at, &joint);
  cardan_spec_mass(spec, child, &(cardan_mass){.m = m, .xx = 0.5, .yy = 0.6, .zz = 0.7});
  snprintf(name, sizeof name, "f%d", i);
  frame[i] = cardan_spec_place(spec, child, &tip);
  cardan_spec_frame_name(spec, frame[i], name);
  cardan_spec_mass(spec, frame[i], &(cardan_mass){.m = m_tip});
}

cardan_spec *tree_spec(int n, support_rng *rng)
{
  static const cardan_joint_kind kinds[] = {CARDAN_JOINT_REVOLUTE,  CARDAN_JOINT_SPHERICAL,
                                            CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_UNIVERSAL,
                                            CARDAN_JOINT_FREE,      CARDAN_JOINT_CYLINDRICAL,
                                            CARDAN_JOINT_HELICAL,   CARDAN_JOINT_PLANAR};
  int frame[64] = {0};
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  assert_true(n < 64);
  for (int i = 1; i <= n; i++) {
    add_joint(spec, i, kinds[(i - 1) % 8], 0, 1.0 + i, 0.5 + 0.25 * i, frame, rng);
  }
  return spec;
}

void tree_add(cardan_spec *spec, cardan_element element)
{
  cardan_spec_at(spec, (cardan_pos){7, 3});
  cardan_spec_add(spec, &element);
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

fixture scalar_tree(int n, bool forces, uint64_t seed)
{
  static const cardan_joint_kind kinds[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC,
                                            CARDAN_JOINT_HELICAL,  CARDAN_JOINT_UNIVERSAL,
                                            CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_CYLINDRICAL,
                                            CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PLANAR};
  support_rng rng = {seed};
  int frame[64] = {0};
  cardan_spec *spec = NULL;
  assert_true(n < 48);
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  const cardan_vec3 g = random_vec3(&rng, 10.0);
  cardan_spec_gravity(spec, g);
  for (int i = 1; i <= n; i++) {
    // mostly chains, so that trees get deep
    add_joint(spec, i, kinds[(i - 1) % 8], i > 3 ? i - 3 : 0, 1.0 + i % 3, 0.5, frame, &rng);
  }
  if (forces) {
    add_forces(spec);
  }
  fixture f = fixture_build(spec);
  support_random_vec(&rng, f.data->q, f.model->nq, 1.0);
  support_random_vec(&rng, f.data->v, f.model->nv, 2.0);
  f.data->t = 0.3;
  return f;
}

void tree_random_state(fixture *f, support_rng *rng)
{
  support_random_vec(rng, f->data->q, f->model->nq, 1.0);
  support_random_vec(rng, f->data->v, f->model->nv, 1.0);
  assert_true(cardan_q_normalize(f->model, f->data->q));
}

void tree_add_potentials(cardan_spec *spec)
{
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_SPRING, .frame = {"f2", "f7"}, .value = {30.0, 0.4}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_SPRING, .frame = {"world", "f5"}, .value = {5.0, 0.0}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j1"}, .value = {8.0, 0.3}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j5.y"}, .value = {3.0, -0.2}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j6.d"}, .value = {4.0, 0.1}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_NEWTON_GRAVITY, .frame = {"f3", "j8"}, .value = {2.0}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_POTENTIAL,
                     .expr = {"(+ (* 2 (sin q.j1) q.j2.qx) (^ q.j5.z 2) (* q.j5.qw (px \"f4\")) "
                              "(exp (neg (dist \"f1\" \"f9\"))) (* (py \"j7\") (pz \"f10\")))"}});
}

fixture tree_loaded(int seed, int most, int more, double **tau)
{
  support_rng rng = {.state = (uint64_t)seed};
  fixture f = fixture_build(tree_spec(1 + seed % most, &rng));
  const size_t nv = (size_t)f.model->nv;
  tree_random_state(&f, &rng);
  *tau = calloc(nv * (nv + (size_t)more + 1) + 1, sizeof **tau);
  assert_non_null(*tau);
  support_random_vec(&rng, *tau, f.model->nv, 10);
  for (int i = 1; i < f.model->nbody; i++) {
    double w[6];
    support_random_vec(&rng, w, 6, 3);
    f.data->f_ext[i] = (cardan_force){.t = {w[0], w[1], w[2]}, .f = {w[3], w[4], w[5]}};
  }
  cardan_kinematics(f.model, f.data);
  assert_int_equal(cardan_factor(f.model, f.data), CARDAN_OK);
  return f;
}

void tree_expect_error(cardan_spec *spec, const char *text)
{
  cardan_model *model = NULL;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_ERR_MODEL);
  assert_null(model);
  if (strstr(report.message, text) == NULL) {
    print_error("expected \"%s\" in: %s\n", text, report.message);
  }
  assert_non_null(strstr(report.message, text));
  assert_int_equal(report.pos.line, 7);
  assert_int_equal(report.pos.column, 3);
  cardan_spec_destroy(spec);
}
