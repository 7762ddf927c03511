// SPDX-License-Identifier: Apache-2.0
// Robots with very many elements: lookups by name, generated names and copies take a time that
// grows as the text does. Of a time that grows as its square each case here would take a quarter
// of an hour: the time limit of the test, made for programs that hang, would end it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/spec.h"
#include "support.h"

enum { MANY = 40000 };

/* first, n times middle with the number of each for %d, last; to be freed */
static char *repeated(const char *first, const char *middle, int n, const char *last)
{
  const size_t most = strlen(middle) + 20;
  char *text = malloc(strlen(first) + (size_t)n * most + strlen(last) + 1);
  assert_non_null(text);
  char *at = text + sprintf(text, "%s", first);
  for (int i = 0; i < n; i++) {
    const char *mark = strchr(middle, '%');
    at += mark == NULL ? sprintf(at, "%s", middle)
                       : sprintf(at, "%.*s%d%s", (int)(mark - middle), middle, i, mark + 1);
  }
  sprintf(at, "%s", last);
  return text;
}

static cardan_status read_text(const char *text, const char *file, cardan_report *report)
{
  cardan_spec *spec = NULL;
  *report = (cardan_report){.message = ""};
  const cardan_status status =
      cardan_spec_read(text, strlen(text), file, NULL, 0, NULL, &spec, report);
  cardan_spec_destroy(spec);
  return status;
}

#define BODY "<body name='a'><joint name='j'/><geom size='1' material='m1'/><site name='s'/></body>"
#define WORLD "<worldbody>" BODY "</worldbody>"

static const struct {
  const char *first, *middle, *last;
} large[] = {
    // names made up
    {"<mujoco>" WORLD "<equality>", "<connect body1='a' anchor='0 0 0'/>", "</equality></mujoco>"},
    {"<mujoco>" WORLD "<actuator>", "<motor joint='j'/>", "</actuator></mujoco>"},
    {"<mujoco><worldbody>", "<body gravcomp='1'><joint/><geom size='1'/></body>",
     "</worldbody></mujoco>"},
    // classes beside one another
    {"<mujoco><default>", "<default class='c%'/>", "</default>" WORLD "</mujoco>"},
};

static void many_elements(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    cardan_report report;
    char *text = repeated(large[i].first, large[i].middle, MANY, large[i].last);
    if (read_text(text, "many.xml", &report) != CARDAN_OK) {
      fail_msg("case %zu: %s", i, report.message);
    }
    free(text);
  }
}

// two lists of many, each of whose entries asks for one of the other
static void many_pairs(void **state)
{
  static const struct {
    const char *file, *first, *a, *between, *b, *last;
  } cases[] = {
      {"many.xml", "<mujoco><asset>", "<material name='m%' rgba='1 0 0 1'/>",
       "</asset><worldbody><body><joint/>", "<geom size='1' material='m%'/>",
       "</body></worldbody></mujoco>"},
      {"many.xml", "<mujoco><default>", "<default class='c%'/>",
       "</default><worldbody><body><joint/>", "<geom size='1'/>", "</body></worldbody></mujoco>"},
      {"many.xml", "<mujoco><worldbody>", "<body><joint name='j%'/><geom size='1'/></body>",
       "</worldbody><tendon>", "<fixed stiffness='1'><joint joint='j%' coef='1'/></fixed>",
       "</tendon></mujoco>"},
      {"many.sdf", "<sdf version='1.6'><model name='m'><link name='r'/>", "<link name='%'/>", "",
       "<joint name='j%' type='revolute'><parent>r</parent><child>1</child></joint>"
       "<joint name='g' type='gearbox'><parent>1</parent><child>2</child>"
       "<gearbox_reference_body>r</gearbox_reference_body></joint>",
       "</model></sdf>"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_report report;
    char *head = repeated(cases[i].first, cases[i].a, MANY, cases[i].between);
    char *text = repeated(head, cases[i].b, MANY, cases[i].last);
    (void)read_text(text, cases[i].file, &report);
    free(head);
    free(text);
  }
}

// what copies are made of counts, whether it is understood or not
static void copies_of_nothing(void **state)
{
  cardan_report report;
  char *text = repeated("<mujoco><worldbody><body><replicate count='10000'>", "<x/>", MANY,
                        "</replicate></body></worldbody></mujoco>");
  (void)state;
  assert_int_equal(read_text(text, "many.xml", &report), CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "more than 1000000 elements"));
  free(text);
}

// made-up names count on: the same as if each had been tried
static void made_up_names(void **state)
{
  static const char text[] =
      "<mujoco>" WORLD "<actuator><motor joint='j'/><motor name='j_2' joint='j'/>"
      "<motor joint='j'/><motor joint='j'/></actuator></mujoco>";
  static const char *const names[] = {"j", "j_2", "j_", "j_3"};
  cardan_spec *spec = NULL;
  cardan_report report;
  char *mbs = NULL;
  (void)state;
  assert_int_equal(cardan_spec_read(text, strlen(text), "a.xml", NULL, 0, NULL, &spec, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_spec_write(spec, NULL, &mbs), CARDAN_OK);
  const char *at = mbs;
  for (int i = 0; i < 4; i++) {
    char input[40];
    snprintf(input, sizeof input, "(input \"%s\"", names[i]);
    at = strstr(at, input);
    assert_non_null(at);
  }
  cardan_free_text(NULL, mbs);
  cardan_spec_destroy(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_elements),
      cmocka_unit_test(many_pairs),
      cmocka_unit_test(copies_of_nothing),
      cmocka_unit_test(made_up_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
