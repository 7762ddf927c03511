// SPDX-License-Identifier: Apache-2.0
// The user's cache: where it is, what is not trusted, how large it gets.
#define _DEFAULT_SOURCE // setenv, symlink, mkfifo, utimensat
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cache_folder.h"
#include "folder.h"
#include "support.h"

static test_folder folder;

static int set_up(void **state)
{
  (void)state;
  folder = folder_make();
  unsetenv("CARDAN_CACHE");
  setenv("XDG_CACHE_HOME", folder.path, 1);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  folder_remove(&folder);
  return 0;
}

static const char *path_of(const char *name)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder.path, name);
  return path;
}

static bool is_there(const char *name, const char *expected)
{
  char *data = NULL;
  size_t size = 0;
  const bool found = cardan__cache_load(name, NULL, &data, &size);
  if (found) {
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(data, expected, size);
  }
  free(data);
  return found;
}

static void entries(void **state)
{
  (void)state;
  assert_false(is_there("a", ""));
  cardan__cache_store("a", "one", 3);
  assert_true(is_there("a", "one"));
  assert_false(is_there("b", ""));
  cardan__cache_store("a", "three", 5);
  assert_true(is_there("a", "three"));
  struct stat st;
  assert_int_equal(stat(path_of("cardan"), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  assert_int_equal(stat(path_of("cardan/a"), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
}

static void places(void **state)
{
  (void)state;
  setenv("CARDAN_CACHE", "off", 1);
  cardan__cache_store("a", "one", 3);
  assert_false(is_there("a", ""));
  assert_int_not_equal(access(path_of("cardan"), F_OK), 0);
  setenv("CARDAN_CACHE", path_of("deep/in/here"), 1);
  cardan__cache_store("a", "one", 3);
  assert_int_equal(access(path_of("deep/in/here/a"), R_OK), 0);
  unsetenv("CARDAN_CACHE");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", folder.path, 1);
  cardan__cache_store("a", "one", 3);
  assert_int_equal(access(path_of(".cache/cardan/a"), R_OK), 0);
}

/* What another user could have put there. */
static void strangers(void **state)
{
  (void)state;
  cardan__cache_store("a", "one", 3);
  assert_int_equal(chmod(path_of("cardan/a"), 0666), 0);
  assert_false(is_there("a", ""));
  cardan__cache_store("a", "two", 3); // replaces it
  assert_true(is_there("a", "two"));
  char target[4096];
  snprintf(target, sizeof target, "%s", path_of("elsewhere"));
  FILE *file = fopen(target, "wb");
  assert_non_null(file);
  fputs("not an entry", file);
  fclose(file);
  assert_int_equal(symlink(target, path_of("cardan/b")), 0);
  assert_false(is_there("b", ""));
  assert_int_equal(mkdir(path_of("cardan/c"), 0700), 0);
  assert_false(is_there("c", ""));
  assert_int_equal(mkfifo(path_of("cardan/d"), 0600), 0);
  assert_false(is_there("d", ""));
  assert_int_equal(chmod(path_of("cardan"), 0777), 0);
  assert_false(is_there("a", ""));
}

/* The entries that were used last are kept. */
static void bounds(void **state)
{
  (void)state;
  const size_t size = CARDAN__CACHE_ENTRY;
  const int most = (int)(CARDAN__CACHE_ALL / CARDAN__CACHE_ENTRY);
  char *data = calloc(size + 1, 1);
  assert_non_null(data);
  cardan__cache_store("large", data, size + 1);
  assert_int_not_equal(access(path_of("cardan/large"), F_OK), 0);
  for (int i = 0; i < most + 2; i++) {
    char name[64];
    snprintf(name, sizeof name, "e%d", i);
    cardan__cache_store(name, data, size);
    snprintf(name, sizeof name, "cardan/e%d", i);
    const struct timespec when[2] = {{1000 + i, 0}, {1000 + i, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), when, 0), 0);
    if (i == most - 1) { // e0 is used, so e1 is the oldest
      char *read = NULL;
      size_t n;
      assert_true(cardan__cache_load("e0", NULL, &read, &n));
      free(read);
    }
  }
  assert_int_equal(access(path_of("cardan/e0"), F_OK), 0);
  assert_int_not_equal(access(path_of("cardan/e1"), F_OK), 0);
  assert_int_not_equal(access(path_of("cardan/e2"), F_OK), 0);
  assert_int_equal(access(path_of("cardan/e3"), F_OK), 0);
  free(data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(entries, set_up, tear_down),
      cmocka_unit_test_setup_teardown(places, set_up, tear_down),
      cmocka_unit_test_setup_teardown(strangers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bounds, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
