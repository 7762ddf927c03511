// SPDX-License-Identifier: Apache-2.0
#include "cardan/lazy_library.h"

#include <string.h>

#include "support.h"

/* expat: a library that is not the system's own, and that is linked anyhow. */
static const char library[] = "libexpat.so.1";

static void all_names_or_none(void **state)
{
  (void)state;
  const char *(*version)(void) = NULL;
  void (*other)(void) = NULL;
  const cardan_lazy_library_symbol wrong[] = {{"XML_ExpatVersion", &version},
                                              {"XML_NoSuchName", &other}};
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_lazy_library_load(library, wrong, 2, &report), CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "libexpat.so.1 cannot be loaded: "));
  assert_non_null(strstr(report.message, "XML_NoSuchName"));
  assert_null(version);

  assert_int_equal(cardan_lazy_library_load(library, wrong, 1, &report), CARDAN_OK);
  assert_non_null(version);
  assert_memory_equal(version(), "expat_", 6);
  // what is set stays, whatever is requested
  assert_int_equal(cardan_lazy_library_load("libnothing.so.0", wrong, 1, &report), CARDAN_OK);
}

static void a_library_that_is_not_there_is_named(void **state)
{
  (void)state;
  void *slot = NULL;
  const cardan_lazy_library_symbol symbol = {"anything", &slot};
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_lazy_library_load("libnothing.so.0", &symbol, 1, &report), CARDAN_ERR_IO);
  assert_non_null(strstr(report.message, "libnothing.so.0"));
  assert_int_equal(cardan_lazy_library_load("libnothing.so.0", &symbol, 1, NULL), CARDAN_ERR_IO);
  assert_null(slot);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_names_or_none),
      cmocka_unit_test(a_library_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
