// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/output.h"
#include "fixture.h"
#include "folder.h"
#include "json_read.h"
#include "output/json.h"

/* Texts about runs, models and the library: what they say, and that memory may fail. */

static void json_strings(void **state)
{
  cardan__json j;
  (void)state;
  cardan__json_init(&j, NULL);
  cardan__json_open(&j, NULL, '[');
  // quotes, controls, a NUL's neighbour, an overlong '/', a surrogate, a cut character, a good one
  cardan__json_string(&j, NULL, "a\"b\\c\n\x01\xc0\xaf\xed\xa0\x80\xe2\x82");
  cardan__json_string(&j, NULL, "\xe2\x82\xac");
  cardan__json_number(&j, NULL, 0.1);
  cardan__json_number(&j, NULL, 1.0 / 0.0);
  cardan__json_close(&j, ']');
  assert_true(json_valid(j.text.data));
  assert_non_null(strstr(j.text.data, "\\ufffd"));
  assert_non_null(strstr(j.text.data, "\xe2\x82\xac"));
  assert_non_null(strstr(j.text.data, "null"));
  cardan__text_free(&j.text);
}

// two point constraints between one pair of bodies close one loop, a third to another body a second
static void loops_are_counted_by_pairs(void **state)
{
  char *text;
  (void)state;
  cardan_model *model = load_model("(system (ry \"a\" (tz -1 (name \"A\") (mass 1 1 1 1)))"
                                   " (tx 1 (ry \"b\" (tz -1 (name \"B\") (mass 1 1 1 1))))"
                                   " (tx \"c\" (name \"C\") (mass 1 1 1 1))"
                                   " (wire \"A\" \"B\" 1) (point-constraint \"A\" \"B\" (0 0 1))"
                                   " (wire \"B\" \"C\" (sqrt 2)))",
                                   NULL);
  assert_int_equal(cardan_describe_model(model, "x", true, NULL, &text, NULL), CARDAN_OK);
  assert_true(json_valid(text));
  assert_int_equal(atoi(json_find(text, "loops")), 2);
  assert_int_equal(atoi(json_find(text, "loop_constraints")), 3);
  cardan_free_text(NULL, text);
  cardan_model_destroy(model);
}

static void kinds_of_bodies_and_joints(void **state)
{
  char *text;
  (void)state;
  cardan_model *model =
      load_model("(system (joint universal \"u\" (mass 2 1 1 1) (tx 1 (joint spherical \"s\""
                 " (mass 3 1 1 1)))) (rz (k \"k\") (mass 1 1 1 1)) (motion \"k\" (* 2 t)))",
                 NULL);
  assert_int_equal(cardan_describe_model(model, "x", true, NULL, &text, NULL), CARDAN_OK);
  assert_int_equal(atoi(json_find(text, "bodies")), 3);
  assert_int_equal(atoi(json_find(text, "massless")), 1);
  assert_int_equal(atoi(json_find(text, "joints.universal")), 1);
  assert_int_equal(atoi(json_find(text, "joints.spherical")), 1);
  assert_int_equal(atoi(json_find(text, "coordinates")), 7);
  assert_int_equal(atoi(json_find(text, "velocities")), 6);
  assert_int_equal(atoi(json_find(text, "dof")), 5);
  assert_int_equal(atoi(json_find(text, "kinematic")), 1);
  assert_true(strtod(json_find(text, "mass"), NULL) == 6);
  cardan_free_text(NULL, text);
  cardan_model_destroy(model);
}

static void solids_and_what_touches(void **state)
{
  static const char *const lines[] = {
      "3: 1 box, 1 plane, 1 hull; 2 pairs of them may touch",
      "\"rubber\": friction 0.8, restitution 0.3",
      "\"foot\": 1 pair, friction 0",
      "\"all\": 1 pair, as their materials say",
      "stop \"stop1.low\", restitution 0.5",
      "rope \"r\", restitution 0",
  };
  char *text;
  (void)state;
  cardan_model *model =
      load_model("(system (material \"rubber\" (friction 0.8) (restitution 0.3)) (tz \"a\" (mass 1)"
                 " (solid box 1 2 3 (material \"rubber\"))) (tz \"b\" (mass 1) (tx 9 (name \"B\")"
                 " (solid hull (0 0 1) (1 0 1) (0 1 1) (0 0 2)))) (place (0 0 -9) (name \"g\")"
                 " (solid plane)) (contact all) (contact \"B\" \"g\" (friction 0) (name \"foot\"))"
                 " (no-contact \"a\" \"B\") (stop \"a\" -1 1 (restitution 0.5))"
                 " (rope \"a\" \"B\" 20 (name \"r\")))",
                 NULL);
  assert_int_equal(cardan_describe_model(model, "x", false, NULL, &text, NULL), CARDAN_OK);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (strstr(text, lines[i]) == NULL) {
      fail_msg("no \"%s\" in:\n%s", lines[i], text);
    }
  }
  cardan_free_text(NULL, text);
  assert_int_equal(cardan_describe_model(model, "x", true, NULL, &text, NULL), CARDAN_OK);
  assert_true(json_valid(text));
  assert_non_null(strstr(text, "\"contact\":\"foot\""));
  cardan_free_text(NULL, text);
  cardan_model_destroy(model);
}

/* ---- memory ---- */

static const char looped[] = "(system \"l\" (ry \"a\" (tz -1 (name \"A\") (mass 1 1 1 1)))"
                             " (tx 1 (ry \"b\" (tz -1 (name \"B\") (mass 1 1 1 1))))"
                             " (wire \"A\" \"B\" 1))";

static cardan_status describe_model(const cardan_allocator *alloc, void *user)
{
  char *text;
  const bool *json = user;
  cardan_model *model = load_model(looped, NULL);
  const cardan_status status = cardan_describe_model(model, "x", *json, alloc, &text, NULL);
  assert_true((text != NULL) == (status == CARDAN_OK));
  cardan_free_text(alloc, text);
  cardan_model_destroy(model);
  return status;
}

static cardan_status describe_library(const cardan_allocator *alloc, void *user)
{
  char *text;
  const bool *json = user;
  const cardan_status status = cardan_describe_library(*json, alloc, &text, NULL);
  assert_true((text != NULL) == (status == CARDAN_OK));
  cardan_free_text(alloc, text);
  return status;
}

/* Records a run of two steps and describes it. */
static cardan_status record_run(cardan_sim *sim, const char *path, const cardan_allocator *alloc)
{
  const cardan_record record = {.model = "x",
                                .text = looped,
                                .length = strlen(looped),
                                .options = cardan_sim_options(sim),
                                .add = CARDAN_ADD_WORK | CARDAN_ADD_MULTIPLIERS};
  const char *const warning[] = {"mind the gap"};
  const cardan_run_notes notes = {.model = "x", .warning = warning, .nwarning = 1, .table = path};
  cardan_table *table;
  cardan_report report = {0};
  cardan_status status = cardan_table_of_sim(path, sim, &record, alloc, &table, &report);
  if (status == CARDAN_OK) {
    const cardan_sink sink = cardan_table_sink(table, record.add);
    status = cardan_run(sim, 2, &sink, 1, NULL, &report);
  }
  const cardan_status closed = cardan_table_close(table, status == CARDAN_OK, &report);
  status = status == CARDAN_OK ? closed : status;
  for (int json = 0; json < 2 && status == CARDAN_OK; json++) {
    char *text;
    status = cardan_describe_run(sim, &notes, json == 1, alloc, &text);
    assert_true(status != CARDAN_OK || json == 0 || json_valid(text));
    cardan_free_text(alloc, text);
  }
  return status;
}

static cardan_status describe_run(const cardan_allocator *alloc, void *user)
{
  cardan_sim *sim;
  const cardan_options options = cardan_options_defaults();
  cardan_model *model = load_model(looped, NULL);
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, NULL), CARDAN_OK);
  const cardan_status status = record_run(sim, user, alloc);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status;
}

static void each_allocation_fails(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    bool json = i == 1;
    assert_true(support_fail_each(describe_model, &json) > 0);
    assert_true(support_fail_each(describe_library, &json) > 0);
  }
  const test_folder folder = folder_make();
  char path[256];
  assert_true(support_fail_each(describe_run, (void *)folder_path(&folder, "a.csv", path)) > 0);
  assert_true(support_fail_each(describe_run, (void *)folder_path(&folder, "a.h5", path)) > 0);
  assert_int_equal(folder_count(&folder), 2);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_strings),
      cmocka_unit_test(loops_are_counted_by_pairs),
      cmocka_unit_test(kinds_of_bodies_and_joints),
      cmocka_unit_test(solids_and_what_touches),
      cmocka_unit_test(each_allocation_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
