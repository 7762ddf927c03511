// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

void expect_ok(cardan_status status, const cardan_report *report, const char *what)
{
  if (status != CARDAN_OK) {
    fail_msg("%.60s: %s, line %d, column %d: %s", what, cardan_status_text(status),
             report->pos.line, report->pos.column, report->message);
  }
}

cardan_model *load_model(const char *model, const char *setting)
{
  cardan_report report = {.message = ""};
  char name[32] = "";
  cardan_setting set = {.name = name};
  cardan_model *out = NULL;
  if (setting != NULL) {
    const size_t n = strcspn(setting, "=");
    assert_true(n < sizeof name);
    memcpy(name, setting, n);
    set.value = strtod(setting + n + 1, NULL);
  }
  const cardan_status status =
      strchr(model, '(') ? cardan_model_from_text(model, strlen(model), "test.mbs", &set,
                                                  setting != NULL, NULL, &out, &report)
                         : cardan_model_load(model, &set, setting != NULL, NULL, &out, &report);
  expect_ok(status, &report, model);
  return out;
}

static fixture with_data(cardan_model *model)
{
  fixture f = {model, NULL};
  assert_int_equal(cardan_data_create(model, NULL, &f.data), CARDAN_OK);
  return f;
}

fixture fixture_load(const char *model)
{
  return with_data(load_model(model, NULL));
}

fixture fixture_build(cardan_spec *spec)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  expect_ok(cardan_model_build(spec, NULL, &model, &report), &report, "a spec");
  cardan_spec_destroy(spec);
  return with_data(model);
}

void fixture_free(fixture *f)
{
  cardan_data_destroy(f->data);
  cardan_model_destroy(f->model);
}

void replace(char *text, const char *what, const char *with)
{
  char *at = strstr(text, what);
  assert_non_null(at);
  assert_int_equal(strlen(what), strlen(with));
  for (; *with != '\0'; at++, with++) {
    *at = *with;
  }
}
