// SPDX-License-Identifier: Apache-2.0
// The command without memory, disk or patience: how it ends, with which status, and what it keeps.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

/* Under a limit on addresses the command ends, and soon: OpenBLAS starts no thread that waits for
 * memory for ever. Sanitizers reserve more addresses than any limit here. */
static void little_memory(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int kb = 80000; kb <= 160000; kb += 20000) {
    char line[160];
    snprintf(line, sizeof line,
             "unset OPENBLAS_NUM_THREADS; ulimit -v %d; $CARDAN run pendulum --time 1 --quiet", kb);
    shell_expect(0, line);
  }
}

/* OpenBLAS waits for ever for a buffer that the limit has no room for: the command reports it, or
 * does what it is to do. The loader of libraries may end it before. */
static void little_memory_for_matrices(void **state)
{
  static const char *const commands[] = {"modes chain:30", "run closed-chain --time 1 --quiet"};
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < 2; i++) {
    for (int kb = 80000; kb <= 240000; kb += 40000) {
      char line[160];
      snprintf(line, sizeof line,
               "unset OPENBLAS_NUM_THREADS; ulimit -v %d; timeout 60 $CARDAN %s >/dev/null", kb,
               commands[i]);
      const outcome o = shell(line);
      const bool begun = o.status != 127 || strstr(o.err, "shared libraries") == NULL;
      if (begun && o.status != 0 &&
          (o.status != 1 || strstr(o.err, "OpenBLAS takes; raise it") == NULL)) {
        fail_msg("%s at %d kB: status %d: %s", commands[i], kb, o.status, o.err);
      }
    }
  }
}

/* A signal ends a table of places in good order: the rows are kept, and the next run is free. */
static void kinematics_stopped(void **state)
{
  (void)state;
  const outcome o =
      shell("$CARDAN kinematics pendulum --hold --dt 0.001 --time 100000 --out k.csv & p=$!; "
            "until test -s k.partial.csv; do sleep 0.01; done; kill -TERM $p; wait $p");
  assert_int_equal(o.status, 128 + 15);
  assert_non_null(strstr(o.err, "stopped by a signal after "));
  shell_expect(0, "test -s k.csv && test ! -e k.partial.csv && "
                  "$CARDAN kinematics pendulum --hold --dt 0.1 --time 1 --out k.csv");
}

/* Of a comparison too, in the reference or in a method, with a page or without one. */
static void compare_stopped(void **state)
{
  // SIGTERM is bit 0x4000 of those that a process catches
  static const char *const more[] = {"", "--report c.html"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char line[256];
    snprintf(line, sizeof line,
             "$CARDAN compare chain:20 --methods vi,rattle --dt 0.001 --time 1e4 %s & "
             "p=$!; until grep -Eq 'SigCgt:.*[4-7c-f]...$' /proc/$p/status; do sleep 0.01; done; "
             "sleep 0.1; kill -TERM $p; wait $p",
             more[i]);
    const outcome o = shell(line);
    assert_int_equal(o.status, 128 + 15);
    assert_non_null(strstr(o.err, "stopped by a signal"));
  }
  shell_expect(0, "test ! -e c.html");
}

/* A full disk is a file that cannot be written: once, and with status 1. */
static void kinematics_full_disk(void **state)
{
  (void)state;
  const outcome o = shell("ulimit -f 8; "
                          "$CARDAN kinematics pendulum --hold --dt 0.001 --time 100 --out d.csv");
  assert_int_equal(o.status, 1);
  const char *first = strstr(o.err, "cannot write d.csv");
  assert_non_null(first);
  assert_null(strstr(first + 1, "cannot write"));
}

/* Rows that are not those of the run are a damaged result: status 2. */
static void damaged_rows(void **state)
{
  (void)state;
  char path[256];
  shell("$CARDAN run pendulum --method aba --integrator bdf --time 1e5 --out r.h5 --quiet & p=$!; "
        "until test $(stat -c %s r.partial.h5 2>/dev/null || echo 0) -gt 50000; do sleep 0.1; "
        "done; kill -TERM $p; wait $p; "
        "test -e r.h5 || mv r.partial.h5 r.h5");
  folder_path(&shell_folder, "r.h5", path);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  // the first row's angle, 45 deg: a number that the file has in few places, all of them its rows
  const double angle = 0.78539816339744828, other = 0.78539816339744839;
  static char all[1 << 20];
  const size_t n = fread(all, 1, sizeof all, file);
  int found = 0;
  for (size_t i = 0; i + sizeof angle <= n; i++) {
    if (memcmp(all + i, &angle, sizeof angle) == 0) {
      assert_int_equal(fseek(file, (long)i, SEEK_SET), 0);
      assert_int_equal(fwrite(&other, sizeof other, 1, file), 1);
      found++;
    }
  }
  fclose(file);
  assert_true(found > 0);
  const outcome o = shell("$CARDAN run r.h5 --continue --quiet");
  if (o.status != 2) {
    fail_msg("status %d: %s", o.status, o.err);
  }
}

/* A robot that does not fit into memory is no syntax error. */
static void robot_without_memory(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  shell_expect(0, "(echo '<robot name=\"r\"><link name=\"l0\"/>'; i=1; while test $i -lt 3000; do "
                  "echo \"<link name='l$i'/><joint name='j$i' type='fixed'><parent link='l0'/>"
                  "<child link='l$i'/></joint>\"; i=$((i+1)); done; echo '</robot>') > r.urdf");
  for (int kb = 66000; kb < 80000; kb += 1000) {
    char line[160];
    snprintf(line, sizeof line, "ulimit -v %d; $CARDAN check r.urdf >/dev/null", kb);
    const outcome o = shell(line);
    // the loader of libraries and OpenBLAS end with others, before the command begins
    const bool begun = strstr(o.err, "shared libraries") == NULL && strstr(o.err, "BLAS") == NULL;
    if (begun && o.status != 0 && o.status != 3) {
      fail_msg("%d kB: status %d: %s", kb, o.status, o.err);
    }
  }
}

/* A path that was a pipe for a while is followed again once it is a file: view tells of its
 * fault. */
static void view_follows_after_a_pipe(void **state)
{
  (void)state;
  if (shell("$CARDAN view --help >/dev/null 2>&1 && $CARDAN view nowhere.mbs --no-open").err[0] &&
      shell("$CARDAN view nowhere.mbs --no-open 2>&1 | grep -q libmicrohttpd").status == 0) {
    skip();
  }
  shell_write("v.mbs", "(system (joint revolute \"a\" (tx 1 (mass 1 1 1 1))))");
  shell_expect(0, "$CARDAN view v.mbs --no-open >v.url 2>v.err & p=$!; "
                  "until test -s v.url; do sleep 0.01; done; rm v.mbs; mkfifo v.mbs; sleep 1; "
                  "rm v.mbs; echo '(system (tx 1' > w.mbs; mv w.mbs v.mbs; n=0; "
                  "until grep -q v.mbs:1 v.err || test $n -gt 600; do sleep 0.1; n=$((n+1)); done; "
                  "kill -TERM $p; wait $p; grep -q v.mbs:1 v.err");
}

/* A build for one processor reports it on one that has less: valgrind shows one without AVX-512. */
static void lesser_processor(void **state)
{
  (void)state;
  if (strstr(shell("$CARDAN --version").out, "x86-64-v4") == NULL ||
      shell("command -v valgrind").status != 0 || !support_alloc_counts()) {
    skip();
  }
  const outcome o = shell("valgrind -q $CARDAN --version");
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "cardan: this build is for a processor with avx512"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(little_memory),        cmocka_unit_test(little_memory_for_matrices),
      cmocka_unit_test(kinematics_stopped),   cmocka_unit_test(compare_stopped),
      cmocka_unit_test(kinematics_full_disk), cmocka_unit_test(damaged_rows),
      cmocka_unit_test(robot_without_memory), cmocka_unit_test(view_follows_after_a_pipe),
      cmocka_unit_test(lesser_processor)};
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
