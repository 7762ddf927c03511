// SPDX-License-Identifier: Apache-2.0
// Other files that an XML text names: read through what the caller gave, messages at their place.
#include <stdio.h>
#include <string.h>

#include "formats/xml_spec.h"
#include "support.h"

/* Files in memory: pairs of name and text, up to a NULL. */
static cardan_status give(void *user, const char *name, char **data, size_t *size,
                          cardan_report *report)
{
  char **pair = user;
  for (; pair[0] != NULL; pair += 2) {
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
  const cardan_files files = {pairs, give, take_back};
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
  const cardan_files files = {pairs, give, take_back};
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
  const cardan_files files = {pairs, give, take_back};
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
  const cardan_files files = {pairs, give, take_back};
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),
      cmocka_unit_test(missing),
      cmocka_unit_test(circles_and_faults),
      cmocka_unit_test(too_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
