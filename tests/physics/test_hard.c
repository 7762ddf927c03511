// SPDX-License-Identifier: Apache-2.0
// The mechanisms of hard.h are what they say: each text reads, and each but those to be refused
// becomes a model whose loops are closed where it starts.
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "hard.h"
#include "loops.h"

static void expect_model(hard_class class, const hard_case *c)
{
  cardan_report report = {.message = ""};
  char *text = hard_model(c);
  if (c->reference != HARD_REFUSED && c->write != NULL && class != HARD_STARTS) {
    fixture f = fixture_load(text);
    cardan_kinematics(f.model, f.data);
    // seeds have 15 digits, and assembly asks for 1e-12 of the size
    assert_near(cardan_constraint_max(f.model, f.data), 0, 1e-12 * (1 + f.model->size_length));
    fixture_free(&f);
  } else if (c->write != NULL) {
    cardan_spec *spec = NULL;
    expect_ok(cardan_spec_read(text, strlen(text), c->name, NULL, 0, NULL, &spec, &report), &report,
              c->name);
    cardan_spec_destroy(spec);
  }
  free(text);
}

static void test_texts(void **state)
{
  (void)state;
  for (int class = 0; class < HARD_NCLASS; class ++) {
    int n = 0;
    const hard_case *list = hard_cases((hard_class) class, &n);
    assert_true(n >= 10);
    for (int i = 0; i < n; i++) {
      expect_model((hard_class) class, &list[i]);
      assert_ptr_equal(hard_find(list[i].name), &list[i]); // no name twice
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
