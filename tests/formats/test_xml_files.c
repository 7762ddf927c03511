// SPDX-License-Identifier: Apache-2.0
// Other files that an XML text names: read through what the caller gave, messages at their place.
#include <stdio.h>
#include <string.h>

#include "formats/xml_spec.h"
#include "robot_fixture.h"

typedef struct {
  cardan_spec *spec;
  cardan__xml *root;
} reading;

static reading begin(const char *text, const cardan_files *files)
{
  reading r;
  assert_int_equal(cardan_spec_create(NULL, &r.spec), CARDAN_OK);
  r.spec->files = files;
  snprintf(r.spec->report.file, sizeof r.spec->report.file, "main.xml");
  assert_int_equal(cardan__xml_read(text, strlen(text), &r.spec->arena, &r.root, &r.spec->report),
                   CARDAN_OK);
  return r;
}

static void expect_failure(const reading *r, const char *file, int line, const char *message)
{
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_spec_status(r->spec, &report), CARDAN_ERR_MODEL);
  assert_string_equal(report.file, file);
  assert_int_equal(report.pos.line, line);
  if (strstr(report.message, message) == NULL) {
    fail_msg("\"%s\" has no \"%s\"", report.message, message);
  }
}

static const char main_text[] = "<m>\n <include file='part.xml'/>\n</m>";

static void places(void **state)
{
  char *pairs[] = {"part.xml", "<p>\n\n <body/></p>", NULL};
  const cardan_files files = robot_files(pairs);
  reading r = begin(main_text, &files);
  (void)state;
  cardan__xml *part = cardan__xml_open(r.spec, r.root->child, "part.xml");
  assert_non_null(part);
  assert_int_equal(cardan_spec_files(r.spec), 1);
  cardan__xml_at(r.spec, part->child);
  assert_int_equal(r.spec->at.line, 2); // in the model's own text
  cardan__xml_note(r.spec, part->child, "body is not used");
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_spec_strict(r.spec, &report), CARDAN_ERR_MODEL);
  assert_string_equal(report.file, "part.xml");
  assert_int_equal(report.pos.line, 3);
  cardan__xml_fail(r.spec, part->child, "it is wrong");
  expect_failure(&r, "part.xml", 3, "it is wrong");
  cardan_spec_destroy(r.spec);
}

static void missing(void **state)
{
  char *pairs[] = {"part.xml", "<p>\n<include file='x'/></p>", NULL};
  const cardan_files files = robot_files(pairs);
  reading r = begin(main_text, &files);
  (void)state;
  assert_null(cardan__xml_open(r.spec, r.root->child, "none.xml"));
  expect_failure(&r, "main.xml", 2, "cannot find \"none.xml\"");
  cardan_spec_destroy(r.spec);
  r = begin(main_text, &files); // one that another file names
  cardan__xml *part = cardan__xml_open(r.spec, r.root->child, "part.xml");
  assert_null(cardan__xml_open(r.spec, part->child, "x"));
  expect_failure(&r, "part.xml", 2, "cannot find \"x\"");
  cardan_spec_destroy(r.spec);
  r = begin(main_text, NULL); // a text alone
  assert_null(cardan__xml_open(r.spec, r.root->child, "part.xml"));
  expect_failure(&r, "main.xml", 2, "only this text was given");
  cardan_spec_destroy(r.spec);
}

static void circles_and_faults(void **state)
{
  char *pairs[] = {"part.xml", "<p><include/></p>", "bad.xml", "<p>\n<q></p>", NULL};
  const cardan_files files = robot_files(pairs);
  reading r = begin(main_text, &files);
  (void)state;
  cardan__xml *part = cardan__xml_open(r.spec, r.root->child, "part.xml");
  assert_null(cardan__xml_open(r.spec, part->child, "part.xml"));
  expect_failure(&r, "part.xml", 1, "while it is being read");
  cardan_spec_destroy(r.spec);
  r = begin(main_text, &files);
  assert_null(cardan__xml_open(r.spec, r.root->child, "bad.xml"));
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_spec_status(r.spec, &report), CARDAN_ERR_SYNTAX);
  assert_string_equal(report.file, "bad.xml");
  assert_int_equal(report.pos.line, 2);
  cardan_spec_destroy(r.spec);
}

/* A file that names itself by other names, or a tree of them, ends. */
static void too_many(void **state)
{
  char *pairs[] = {"part.xml", "<p/>", NULL};
  const cardan_files files = robot_files(pairs);
  reading r = begin(main_text, &files);
  int n = 0;
  (void)state;
  while (n < 20000 && cardan__xml_open(r.spec, r.root->child, "part.xml") != NULL) {
    n++;
  }
  assert_int_equal(n, 10000);
  expect_failure(&r, "main.xml", 2, "one file too many");
  cardan_spec_destroy(r.spec);
}

/* Declarations as files in use have them; what follows keeps its place. */
static void declarations(void **state)
{
  static const char *const text[] = {
      "<?xml version='1.0'?><m><a v='\xC3\xA4'/></m>",
      "<!-- made by <?xml -->\n <!--->--><?xml version='1.0' ?><m><a v='\xC3\xA4'/></m>",
      "<?xml?><m><a v='\xC3\xA4'/></m>",
      "<?xml verison='1.0'?><m><a v='\xC3\xA4'/></m>",
      "\xEF\xBB\xBF\n<?xml version='1.0' encoding='ASCII'?>\n<m><a v='\xC3\xA4'/></m>",
      "<?xml version='1.0' encoding='utf8'?><m><a v='\xC3\xA4'/></m>",
      "<?xml version='1.0'\n encoding='ISO-8859-1'?><m><a v='\xE4'/></m>",
  };
  static const cardan_pos place[] = {{1, 25}, {2, 36}, {1, 11}, {1, 25}, {3, 4}, {1, 41}, {2, 28}};
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    const reading r = begin(text[i], NULL);
    assert_string_equal(cardan__xml_get(r.root->child, "v"), "\xC3\xA4");
    assert_int_equal(r.root->child->pos.line, place[i].line);
    assert_int_equal(r.root->child->pos.column, place[i].column);
    cardan_spec_destroy(r.spec);
  }
}

/* ... and those that never end */
static void endless(void **state)
{
  static const char *const text[] = {"<?xml ", "<?xml version='1.0'", "<!-- <?xml ?>", "<!--",
                                     "<m/><?xml version='1.0'?>"};
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    cardan_report report = {.message = ""};
    cardan_spec *spec = NULL;
    cardan__xml *root = NULL;
    assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
    assert_int_equal(cardan__xml_read(text[i], strlen(text[i]), &spec->arena, &root, &report),
                     CARDAN_ERR_SYNTAX);
    cardan_spec_destroy(spec);
  }
}

/* ---- files of appearance that an MJCF includes ---- */

static cardan_spec *read_mjcf(const char *text, const cardan_files *files, cardan_report *report)
{
  cardan_spec *spec = NULL;
  *report = (cardan_report){.message = ""};
  const cardan_status status =
      cardan_spec_read_files(text, strlen(text), "m.xml", NULL, 0, files, NULL, &spec, report);
  assert_true((status == CARDAN_OK) == (spec != NULL));
  return spec;
}

#define WITH(file)                                                    \
  "<mujoco>\n<include file='" file "'/><worldbody><body><freejoint/>" \
  "<geom size='1' material='red'/></body></worldbody></mujoco>"

static void missing_appearance(void **state)
{
  static const char *const text[] = {WITH("./common/skybox.xml"), WITH("visual.xml"),
                                     WITH("materials.xml")};
  char *pairs[] = {"parts.xml", "<mujoco><include file='textures.xml'/></mujoco>", "light.xml",
                   "<mujoco><default><geom mass='3'/></default></mujoco>", NULL};
  const cardan_files files = robot_files(pairs);
  cardan_report report;
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    cardan_spec *spec = read_mjcf(text[i], &files, &report);
    assert_non_null(spec);
    assert_int_equal(cardan_spec_strict(spec, &report), CARDAN_ERR_MODEL);
    assert_int_equal(report.pos.line, 2);
    assert_non_null(strstr(report.message, "defines only appearance"));
    cardan_spec_destroy(spec);
  }
  cardan_spec *spec = read_mjcf(WITH("parts.xml"), &files, &report); // one further in
  assert_non_null(spec);
  cardan_model *model = NULL;
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
  assert_string_equal(
      model->warning[0],
      "parts.xml, line 1: \"textures.xml\" does not exist; its name says that it defines "
      "only appearance, and the model is read without it");
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  spec = read_mjcf(WITH("light.xml"), &files, &report); // what is there counts
  assert_non_null(spec);
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
  assert_near(model->mass, 3, 0);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  spec = read_mjcf(WITH("lightweight.xml"), &files, &report); // this may hold anything
  assert_int_equal(report.pos.line, 2);
  assert_non_null(strstr(report.message, "cannot find"));
  cardan_spec_destroy(spec);
}

#define MESHES(look, more)                                                                     \
  "<mujoco><asset><mesh name='pad' file='pad.stl'/></asset><worldbody><body name='a'><joint/>" \
  "<geom size='0.1' mass='2' pos='1 0 0'/>" more                                               \
  "<body name='b'>\n<geom type='mesh' mesh='pad' " look "/></body></body></worldbody></mujoco>"
#define DRAWN "contype='0' conaffinity='0'"

/* Meshes that are only drawn may be missing, where something else has the mass. */
static void missing_meshes(void **state)
{
  static const struct {
    const char *text, *message; // NULL: a note
  } of[] = {
      {MESHES(DRAWN, ""), NULL},
      {MESHES("", ""), "cannot find \"pad.stl\""},
      {MESHES(DRAWN " mass='1'", ""), "cannot find \"pad.stl\""},
      {MESHES(DRAWN, "<body><joint/><geom type='mesh' mesh='pad' " DRAWN "/></body>"),
       "cannot find \"pad.stl\""},
  };
  char *pairs[] = {NULL};
  const cardan_files files = robot_files(pairs);
  (void)state;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    cardan_report report;
    cardan_spec *spec = read_mjcf(of[i].text, &files, &report);
    if (of[i].message != NULL) {
      assert_null(spec);
      assert_non_null(strstr(report.message, of[i].message));
      continue;
    }
    cardan_model *model = NULL;
    assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_OK);
    assert_near(model->mass, 2, 0);
    assert_string_equal(model->warning[0], "line 2: the file of a mesh that is only drawn is not "
                                           "there, and its mass is not in body \"b\"");
    cardan_model_destroy(model);
    cardan_spec_destroy(spec);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),
      cmocka_unit_test(missing),
      cmocka_unit_test(circles_and_faults),
      cmocka_unit_test(too_many),
      cmocka_unit_test(declarations),
      cmocka_unit_test(endless),
      cmocka_unit_test(missing_appearance),
      cmocka_unit_test(missing_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
