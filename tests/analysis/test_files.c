// SPDX-License-Identifier: Apache-2.0
// Files that a model's text names: found where they may be, refused everywhere else.
#define _DEFAULT_SOURCE // setenv, symlink, mkfifo
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardan/load.h"
#include "folder.h"
#include "support.h"

/* base/: pkg_a/package.xml (name "real_a"), pkg_a/urdf/model, pkg_a/meshes/a.stl, other/b.stl,
 * secret; each file holds its own path. */
typedef struct {
  test_folder folder;
  char model[4096];
} tree;

static void write_file(const tree *t, const char *name, const char *text)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", t->folder.path, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text != NULL ? text : name, file);
  fclose(file);
}

static void make_folder(const tree *t, const char *name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", t->folder.path, name);
  assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
  tree *t = calloc(1, sizeof *t);
  t->folder = folder_make();
  static const char *const folders[] = {"pkg_a", "pkg_a/urdf", "pkg_a/meshes",
                                        "other", "far",        "far/pkg_b"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    make_folder(t, folders[i]);
  }
  write_file(t, "pkg_a/package.xml", "<package>\n <name> real_a\n</name></package>");
  write_file(t, "pkg_a/urdf/near.stl", NULL);
  write_file(t, "pkg_a/meshes/a.stl", NULL);
  write_file(t, "other/b.stl", NULL);
  write_file(t, "far/pkg_b/c.stl", NULL);
  write_file(t, "secret", NULL);
  snprintf(t->model, sizeof t->model, "%s/pkg_a/urdf/robot.urdf", t->folder.path);
  *state = t;
  return 0;
}

static int tear_down(void **state)
{
  tree *t = *state;
  folder_remove(&t->folder);
  free(t);
  return 0;
}

/* What reading the name gives: its own path, or the message (then NULL is expected). */
static void expect(const tree *t, const cardan_path *path, int npath, bool environment,
                   const char *name, const char *content, const char *message)
{
  cardan_files *files = NULL;
  cardan_report report = {.message = ""};
  char *data = NULL;
  size_t size = 0;
  assert_int_equal(cardan_files_open(t->model, path, npath, environment, NULL, &files, &report),
                   CARDAN_OK);
  const cardan_status status = files->read(files->user, name, &data, &size, &report);
  if (content != NULL) {
    if (status != CARDAN_OK) {
      fail_msg("%s: %s", name, report.message);
    }
    assert_int_equal(size, strlen(content));
    assert_string_equal(data, content);
    files->release(files->user, data);
  } else {
    assert_int_equal(status, CARDAN_ERR_IO);
    assert_null(data);
    if (strstr(report.message, message) == NULL) {
      fail_msg("%s: \"%s\" has no \"%s\"", name, report.message, message);
    }
  }
  cardan_files_close(files);
}

static void beside_the_model(void **state)
{
  const tree *t = *state;
  char name[4096];
  expect(t, NULL, 0, false, "near.stl", "pkg_a/urdf/near.stl", NULL);
  expect(t, NULL, 0, false, "../meshes/a.stl", "pkg_a/meshes/a.stl", NULL); // its own package
  expect(t, NULL, 0, false, "file://near.stl", "pkg_a/urdf/near.stl", NULL);
  snprintf(name, sizeof name, "file://%s/pkg_a/meshes/a.stl", t->folder.path);
  expect(t, NULL, 0, false, name, "pkg_a/meshes/a.stl", NULL);
  expect(t, NULL, 0, false, "none.stl", NULL, "option path DIR");
  expect(t, NULL, 0, false, "https://a/b.stl", NULL, "is not a file here");
}

static void packages(void **state)
{
  const tree *t = *state;
  expect(t, NULL, 0, false, "package://pkg_a/meshes/a.stl", "pkg_a/meshes/a.stl", NULL);
  expect(t, NULL, 0, false, "package://real_a/meshes/a.stl", "pkg_a/meshes/a.stl", NULL);
  expect(t, NULL, 0, false, "model://other/b.stl", "other/b.stl", NULL);
  expect(t, NULL, 0, false, "package://pkg_b/c.stl", NULL, "option path pkg_b=DIR");
  expect(t, NULL, 0, false, "package://", NULL, "names no package");
  expect(t, NULL, 0, false, "package://../secret", NULL, "names no package");
}

static void given_paths(void **state)
{
  const tree *t = *state;
  char far[4096], package[4200];
  snprintf(far, sizeof far, "%s/far", t->folder.path);
  snprintf(package, sizeof package, "%s/pkg_b", far);
  const cardan_path named = {"pkg_b", package}, other = {"pkg_c", package}, root = {NULL, far};
  expect(t, &named, 1, false, "package://pkg_b/c.stl", "far/pkg_b/c.stl", NULL);
  expect(t, &other, 1, false, "package://pkg_c/c.stl", "far/pkg_b/c.stl", NULL);
  expect(t, &other, 1, false, "package://pkg_b/c.stl", NULL, "cannot find");
  expect(t, &root, 1, false, "package://pkg_b/c.stl", "far/pkg_b/c.stl", NULL);
  expect(t, &root, 1, false, "pkg_b/c.stl", "far/pkg_b/c.stl", NULL);
  setenv("ROS_PACKAGE_PATH", "/does/not/exist", 1);
  setenv("GZ_SIM_RESOURCE_PATH", far, 1);
  expect(t, NULL, 0, true, "model://pkg_b/c.stl", "far/pkg_b/c.stl", NULL);
  expect(t, NULL, 0, false, "model://pkg_b/c.stl", NULL, "cannot find");
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("GZ_SIM_RESOURCE_PATH");
}

static void missing_folder(void **state)
{
  const tree *t = *state;
  const cardan_path path = {NULL, "/does/not/exist"};
  cardan_files *files = NULL;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_files_open(t->model, &path, 1, false, NULL, &files, &report),
                   CARDAN_ERR_ARGUMENT);
  assert_null(files);
  assert_non_null(strstr(report.message, "/does/not/exist"));
}

/* Ways out of the folders: all end at their real path. */
static void escapes(void **state)
{
  const tree *t = *state;
  char path[4200], target[4200];
  expect(t, NULL, 0, false, "../../secret", NULL, "lies outside");
  expect(t, NULL, 0, false, "package://pkg_a/../secret", NULL, "lies outside");
  expect(t, NULL, 0, false, "package://other/../secret", NULL, "lies outside");
  expect(t, NULL, 0, false, "/etc/passwd", NULL, "lies outside");
  expect(t, NULL, 0, false, "file:///etc/passwd", NULL, "lies outside");
  snprintf(target, sizeof target, "%s/secret", t->folder.path);
  snprintf(path, sizeof path, "%s/pkg_a/urdf/link.stl", t->folder.path);
  assert_int_equal(symlink(target, path), 0);
  expect(t, NULL, 0, false, "link.stl", NULL, "lies outside");
  snprintf(path, sizeof path, "%s/linked", t->folder.path);
  assert_int_equal(symlink("/etc", path), 0);
  expect(t, NULL, 0, false, "package://linked/passwd", NULL, "lies outside");
}

static void not_regular(void **state)
{
  const tree *t = *state;
  char path[4200];
  snprintf(path, sizeof path, "%s/pkg_a/urdf/pipe", t->folder.path);
  assert_int_equal(mkfifo(path, 0600), 0);
  expect(t, NULL, 0, false, "pipe", NULL, "not a regular file"); // and does not wait for a writer
  expect(t, NULL, 0, false, "../meshes", NULL, "not a regular file");
  snprintf(path, sizeof path, "%s/pkg_a/urdf/package.xml", t->folder.path);
  assert_int_equal(mkfifo(path, 0600), 0);
  expect(t, NULL, 0, false, "package://none/a.stl", NULL, "cannot find");
  snprintf(path, sizeof path, "%s/pkg_a/urdf/huge.stl", t->folder.path);
  write_file(t, "pkg_a/urdf/huge.stl", "");
  assert_int_equal(truncate(path, (off_t)1 << 40), 0);
  expect(t, NULL, 0, false, "huge.stl", NULL, "expected at most");
  char name[6000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  expect(t, NULL, 0, false, name, NULL, "cannot find");
}

static cardan_status open_and_read(const cardan_allocator *alloc, void *user)
{
  const tree *t = user;
  const cardan_path path = {"other", t->folder.path};
  cardan_files *files = NULL;
  char *data = NULL;
  size_t size;
  cardan_status status = cardan_files_open(t->model, &path, 1, true, alloc, &files, NULL);
  if (status == CARDAN_OK) {
    status = files->read(files->user, "near.stl", &data, &size, NULL);
  }
  if (status == CARDAN_OK) {
    files->release(files->user, data);
  }
  cardan_files_close(files);
  return status;
}

static void without_memory(void **state)
{
  support_fail_each(open_and_read, *state);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(beside_the_model, set_up, tear_down),
      cmocka_unit_test_setup_teardown(packages, set_up, tear_down),
      cmocka_unit_test_setup_teardown(given_paths, set_up, tear_down),
      cmocka_unit_test_setup_teardown(missing_folder, set_up, tear_down),
      cmocka_unit_test_setup_teardown(escapes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(not_regular, set_up, tear_down),
      cmocka_unit_test_setup_teardown(without_memory, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
