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

void robot_wrong_files(const robot_wrong *list, size_t n, const char *file,
                       const cardan_files *files)
{
  for (const robot_wrong *bad = list; bad < list + n; bad++) {
    cardan_report report = {.message = ""};
    cardan_spec *spec = NULL;
    cardan_model *model = NULL;
    cardan_status status = cardan_spec_read_files(bad->text, strlen(bad->text), file, NULL, 0,
                                                  files, NULL, &spec, &report);
    if (status == CARDAN_OK) {
      status = cardan_model_build(spec, NULL, &model, &report);
    }
    cardan_model_destroy(model);
    cardan_spec_destroy(spec);
    if (status == CARDAN_OK || report.pos.line != bad->line || report.pos.column != bad->column ||
        strstr(report.message, bad->part) == NULL) {
      fail_msg("%s\nfound %d:%d: %s\nexpected %d:%d: %s", bad->text, report.pos.line,
               report.pos.column, report.message, bad->line, bad->column, bad->part);
    }
  }
}

static cardan_status give(void *user, const char *name, char **data, size_t *size,
                          cardan_report *report)
{
  for (char **pair = user; pair[0] != NULL; pair += 2) {
    if (strcmp(pair[0], name) == 0) {
      *data = pair[1];
      *size = strlen(pair[1]);
      return CARDAN_OK;
    }
  }
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot find \"%s\"", name);
}

static void take_back(void *user, char *data)
{
  (void)user;
  (void)data;
}

cardan_files robot_files(char **pairs)
{
  return (cardan_files){.user = pairs, .read = give, .release = take_back};
}

typedef struct {
  const char *text, *file;
  const cardan_files *files;
} source;

static cardan_status read_once(const cardan_allocator *allocator, void *user)
{
  const source *from = user;
  cardan_spec *spec = NULL;
  const cardan_status status = cardan_spec_read_files(from->text, strlen(from->text), from->file,
                                                      NULL, 0, from->files, allocator, &spec, NULL);
  cardan_spec_destroy(spec);
  return status;
}

long robot_no_memory(const char *text, const char *file, const cardan_files *files)
{
  source from = {text, file, files};
  return support_fail_each(read_once, &from);
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

const cardan_pair *robot_pair(const cardan_model *model, const char *a, const char *b)
{
  for (int i = 0; i < model->npair; i++) {
    const char *x = model->solid[model->pair[i].solid[0]].name;
    const char *y = model->solid[model->pair[i].solid[1]].name;
    if ((strcmp(x, a) == 0 && strcmp(y, b) == 0) || (strcmp(x, b) == 0 && strcmp(y, a) == 0)) {
      return &model->pair[i];
    }
  }
  return NULL;
}
