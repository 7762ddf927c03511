// SPDX-License-Identifier: Apache-2.0
#include "random_tree.h"

#include <stdio.h>
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

cardan_spec *tree_spec(int n, support_rng *rng)
{
  static const cardan_joint_kind kinds[] = {CARDAN_JOINT_REVOLUTE,  CARDAN_JOINT_SPHERICAL,
                                            CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_UNIVERSAL,
                                            CARDAN_JOINT_FREE,      CARDAN_JOINT_CYLINDRICAL,
                                            CARDAN_JOINT_HELICAL,   CARDAN_JOINT_PLANAR};
  const int nkind = (int)(sizeof kinds / sizeof *kinds);
  int frame[64] = {0};
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  assert_true(n < 64);
  for (int i = 1; i <= n; i++) {
    char name[16];
    const cardan_xform T = random_xform(rng), tip = random_xform(rng);
    const int at = cardan_spec_place(spec, frame[support_random_int(rng, 0, i - 1)], &T);
    snprintf(name, sizeof name, "j%d", i);
    cardan_joint_def joint = {.kind = kinds[(i - 1) % nkind], .name = name};
    // planar, spherical and free joints have no axis of their own
    if (joint.kind < CARDAN_JOINT_PLANAR) {
      joint.axis = random_vec3(rng, 1.0);
    }
    joint.pitch = joint.kind == CARDAN_JOINT_HELICAL ? 0.3 : 0.0;
    const int child = cardan_spec_joint(spec, at, &joint);
    cardan_spec_mass(spec, child, &(cardan_mass){.m = 1.0 + i, .xx = 0.5, .yy = 0.6, .zz = 0.7});
    snprintf(name, sizeof name, "f%d", i);
    frame[i] = cardan_spec_place(spec, child, &tip);
    cardan_spec_frame_name(spec, frame[i], name);
    cardan_spec_mass(spec, frame[i], &(cardan_mass){.m = 0.5 + 0.25 * i});
  }
  return spec;
}

void tree_add(cardan_spec *spec, cardan_element element)
{
  cardan_spec_at(spec, (cardan_pos){7, 3});
  cardan_spec_add(spec, &element);
}

fixture tree_build(cardan_spec *spec)
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

void tree_free(fixture *f)
{
  cardan_data_destroy(f->data);
  cardan_model_destroy(f->model);
}

void tree_random_state(fixture *f, support_rng *rng)
{
  support_random_vec(rng, f->data->q, f->model->nq, 1.0);
  support_random_vec(rng, f->data->v, f->model->nv, 1.0);
  assert_true(cardan_q_normalize(f->model, f->data->q));
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
