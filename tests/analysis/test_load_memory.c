// SPDX-License-Identifier: Apache-2.0
// Every built-in model with every allocation failing once: by the library's allocator, and by the
// C library, whose own calls (vsnprintf) need memory too.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cardan/load.h"
#include "model/builtin_parts.h"
#include "support.h"

/* A small one of the built-in models. */
static void small_spec(int index, char *spec, size_t size)
{
  snprintf(spec, size, "%s%s", cardan_builtin_name(index),
           cardan_builtin_size(index) > 10 ? ":3" : "");
}

static cardan_status load(const cardan_allocator *allocator, void *user)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  const cardan_status status = cardan_model_load(user, NULL, 0, allocator, &model, &report);
  cardan_model_destroy(model);
  assert_true(status == CARDAN_OK || report.message[0] != 0);
  return status;
}

static void allocator_fails(void **state)
{
  char spec[64];
  (void)state;
  for (int i = 0; cardan_builtin_name(i) != NULL; i++) {
    small_spec(i, spec, sizeof spec);
    assert_true(support_fail_each(load, spec) > 0);
  }
}

static void c_library_fails(void **state)
{
  char spec[64];
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; cardan_builtin_name(i) != NULL; i++) {
    small_spec(i, spec, sizeof spec);
    const long before = support_alloc_count();
    assert_int_equal(load(NULL, spec), CARDAN_OK);
    const long count = support_alloc_count() - before;
    for (long n = 1; n <= count; n++) {
      support_alloc_fail(n);
      const cardan_status status = load(NULL, spec);
      support_alloc_fail(0);
      assert_true(status == CARDAN_OK || status == CARDAN_ERR_MEMORY);
    }
  }
}

/* What vsnprintf has no memory for is no text of -1 bytes. */
static void vsnprintf_fails(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  cardan__text text;
  cardan__text_init(&text, NULL);
  support_alloc_fail(1);
  cardan__builtin_say(&text, "%.3000d", 1); // digits that do not fit into the C library's own room
  support_alloc_fail(0);
  assert_true(text.failed);
  cardan__text_free(&text);
  cardan__text_init(&text, NULL);
  support_alloc_fail(1);
  cardan__text_printf(&text, "%.3000d", 1);
  support_alloc_fail(0);
  assert_true(text.failed);
  cardan__text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocator_fails),
                                     cmocka_unit_test(c_library_fails),
                                     cmocka_unit_test(vsnprintf_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
