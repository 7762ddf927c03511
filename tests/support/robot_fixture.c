// SPDX-License-Identifier: Apache-2.0
#include "robot_fixture.h"

#include <string.h>

#include "cardan/data.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"

cardan_model *robot_load(const char *text, const char *file, const cardan_setting *settings, int n)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  if (cardan_model_from_text(text, strlen(text), file, settings, n, NULL, &model, &report) !=
      CARDAN_OK) {
    fail_msg("%s:%d:%d: %s", file, report.pos.line, report.pos.column, report.message);
  }
  return model;
}

static cardan_xform pose_of(const cardan_model *model, const char *frame)
{
  cardan_data *data = NULL;
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  cardan_kinematics(model, data);
  const int index = cardan_model_frame(model, frame);
  if (index < 0) {
    fail_msg("there is no frame %s", frame);
  }
  const cardan_xform X = cardan_frame_pose(model, data, index);
  cardan_data_destroy(data);
  return X;
}

void robot_assert_at(const cardan_model *model, const char *frame, double x, double y, double z)
{
  const cardan_xform X = pose_of(model, frame);
  const double found[3] = {X.p.x, X.p.y, X.p.z}, expected[3] = {x, y, z};
  assert_near_vec(found, expected, 3, 1e-14);
}
