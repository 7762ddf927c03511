// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // strtok_r
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/output.h"
#include "output/result_table.h"
#include "shell.h"

/* Options on the command line: each method has its own, and messages name them. */

// what a method does not have is refused by name, with dashes, also at its default value
static void other_methods_options(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN run pendulum --method rattle --alpha 0.3 --integrator bdf",
                "method rattle has no --alpha, which is for svi; it has solver, ");
  shell_refused(1, "$CARDAN run pendulum --alpha 0.5 --method rattle", "rattle has no --alpha");
  shell_refused(1, "$CARDAN run pendulum --integrator rk4", "vi has no --integrator, which is for");
  shell_refused(1, "$CARDAN run pendulum --method aba --no-cache", "aba has no --no-cache");
  shell_refused(1, "$CARDAN run pendulum --solver tree", "method vi has newton, riqn");
  shell_refused(1, "$CARDAN linearize pendulum --rtol 1e-6", "vi has no --rtol");
  shell_expect(0, "$CARDAN run pendulum --method svi --alpha 0.5 --time 0.1 --quiet");
}

// (simulate ..) is held to its own method, at its place, unless the command line takes another
static void options_of_a_file(void **state)
{
  (void)state;
  shell_write("m.mbs", "(system (gravity 0 -9.81 0) (joint revolute \"a\" (tx 1 (mass 1 1 1 1)))\n"
                       " (simulate (method rattle) (time 0.1)\n"
                       "   (alpha 0.3) (planar off)))\n");
  shell_refused(2, "$CARDAN run m.mbs",
                "m.mbs:3:5: (simulate ..): method rattle has no option alpha");
  shell_refused(2, "$CARDAN run m.mbs --method rattle", "m.mbs:3:5: ");
  shell_refused(2, "$CARDAN check m.mbs", "m.mbs:3:5: ");
  shell_expect(0, "$CARDAN run m.mbs --method aba --quiet");
  // svi has alpha: it counts
  shell_expect(0, "$CARDAN run m.mbs --method svi --out a.csv --quiet && "
                  "$CARDAN run m.mbs --method svi --alpha 0.3 --out b.csv --quiet && "
                  "cmp a.csv b.csv && "
                  "$CARDAN run m.mbs --method svi --alpha 0.5 --out b.csv --quiet && "
                  "! cmp -s a.csv b.csv");
  // and of a result in the same way
  shell_expect(0, "$CARDAN run m.mbs --method svi --out r.h5 --quiet && "
                  "$CARDAN run r.h5 --method vi --quiet && $CARDAN run r.h5 --quiet");
  shell_refused(1, "$CARDAN run r.h5 --method vi --alpha 0.3", "vi has no --alpha");
}

// a result of a version that took options of other methods: they are named, and left
static void options_of_an_old_result(void **state)
{
  static const char text[] = "(system (joint revolute \"a\" (tx 1 (mass 1 1 1 1))))";
  static const char *const columns[] = {"t"};
  cardan_options options = cardan_options_defaults();
  const cardan_record record = {
      .model = "old.mbs", .text = text, .length = strlen(text), .options = &options};
  cardan_table *table = NULL;
  char path[256];
  (void)state;
  options.method = "aba";
  options.solver = "broyden";
  options.alpha = 0.3;
  options.kv = 2;
  options.time = 0.1;
  folder_path(&shell_folder, "old.h5", path);
  assert_int_equal(cardan_table_open(path, columns, 1, &record, NULL, &table, NULL), CARDAN_OK);
  assert_int_equal(cardan_table_close(table, true, NULL), CARDAN_OK);
  const outcome o = shell_expect(0, "$CARDAN run old.h5");
  assert_non_null(strstr(o.err, "does not have --solver, --alpha: left out"));
  shell_expect(0, "$CARDAN run old.h5 --method svi --out a.csv --quiet && "
                  "$CARDAN compare old.h5 --methods svi,aba --quiet");
  shell_refused(1, "$CARDAN run old.h5 --quiet --alpha 0.3", "aba has no --alpha");
}

// an option counts for the methods that have it; one must
static void options_of_several_methods(void **state)
{
  (void)state;
  shell_expect(0,
               "$CARDAN compare chain:3 --methods vi,rattle,aba --solver riqn --kq 5 --time 0.1");
  shell_refused(1, "$CARDAN compare chain:3 --methods vi,svi --kq 5 --time 0.1",
                "none of the methods compared takes this: method svi has no --kq");
  shell_refused(1, "$CARDAN compare chain:3 --methods vi,svi --solver tree --time 0.1",
                "none of the methods compared takes this: solver is tree, which is for");
  shell_refused(1, "$CARDAN compare chain:3 --method vi", "did you mean --methods?");
  // a reference that is requested counts, too
  shell_expect(0, "$CARDAN compare chain:3 --methods vi --reference aba --kq 5 --time 0.1");
  // of a file's options each method takes its own, and vi is none of them
  shell_write("s.mbs", "(system (joint revolute \"a\" (tx 1 (mass 1 1 1 1)))\n"
                       " (simulate (time 0.1) (integrator bdf) (alpha 0.3)))\n");
  const outcome o = shell_expect(0, "$CARDAN compare s.mbs --methods svi,aba");
  assert_non_null(strstr(o.out, "aba/bdf"));
  shell_refused(2, "$CARDAN run s.mbs", "s.mbs:2:24: (simulate ..): method vi has no option");
  shell_write("s.mbs", "(system (joint revolute \"a\" (tx 1 (mass 1 1 1 1)))\n"
                       " (simulate (methd vi)))\n");
  shell_refused(2, "$CARDAN compare s.mbs --methods svi", "s.mbs:2:13: ");
  shell_refused(1,
                "$CARDAN compare chain:3 --methods aba --time 0.1 "
                "--dt 0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.05",
                "--dt has more than 16 steps");
  shell_expect(0, "$CARDAN compare chain:3 --methods aba --time 0.1 "
                  "--dt 0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.05");
}

// what a command cannot take is not in its help, and is refused
static void options_of_commands(void **state)
{
  (void)state;
  outcome o = shell_expect(0, "$CARDAN compare --help");
  assert_null(strstr(o.out, "--method "));
  assert_non_null(strstr(o.out, "--integrator "));
  o = shell_expect(0, "$CARDAN linearize --help");
  assert_non_null(strstr(o.out, "--method vi|svi "));
  assert_non_null(strstr(o.out, "options of vi, svi\n"));
  assert_null(strstr(o.out, "--integrator"));
  shell_refused(1, "$CARDAN linearize pendulum --order 4", "those of a step of order 2");
  o = shell_expect(0, "$CARDAN list");
  assert_non_null(strstr(o.out, "integrators (--integrator, for aba, hamilton, baraff)\n"));
}

// 0 stands for "not given" in the library; a user cannot give it
static void numbers_that_stand_for_none(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN run pendulum --max-error 0", "max-error is 0, expected more than 0");
  shell_refused(1, "$CARDAN run pendulum --max-error -1", "max-error is -1, expected more than 0");
  shell_refused(1, "$CARDAN run pendulum --closing 0", "closing is 0, expected more than 0");
  shell_refused(1, "$CARDAN run pendulum --method aba --kv -1", "kv is -1, expected at least 0");
  shell_write("z.mbs", "(system (joint revolute \"a\" (tx 1 (mass 1 1 1 1)))\n"
                       " (simulate (time 0.1) (max-error 0)))\n");
  shell_refused(2, "$CARDAN run z.mbs", "z.mbs:2:24: (simulate ..): max-error is 0, expected more");
  // results have it, and are read
  shell_expect(0, "$CARDAN run pendulum --time 0.1 --out z.h5 --quiet && $CARDAN run z.h5 --quiet");
}

// an option without effect is a warning: --max-error where no error is estimated, a tolerance of
// adaptive integrators of another one
static void options_without_effect(void **state)
{
  (void)state;
  static const char *const table[][2] = {
      {"--max-error 1e-9 --time 0.02",
       "--max-error has no effect: the error is estimated from some"},
      {"--max-error 1e-9 --time 0.1 --method aba --integrator dopri5",
       "--max-error has no effect: an integrator that chooses its own steps"},
      {"--method aba --rtol 1e-3 --time 0.1", "--rtol has no effect: integrator rk4 takes steps"},
      {"--method aba --atol 1e-3 --time 0.1", "--atol has no effect: "},
      {"--method aba --error-control partial --time 0.1", "--error-control has no effect: "},
      {"--method aba --tol 1e-3 --time 0.1", "--tol has no effect: it is for integrators trap"},
      {"--method aba --integrator bdf --max-iter 9 --time 0.1", "--max-iter has no effect: "},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char line[256];
    snprintf(line, sizeof line, "$CARDAN run pendulum %s", table[i][0]);
    const outcome o = shell_expect(0, line);
    if (strstr(o.err, table[i][1]) == NULL) {
      fail_msg("%s: %s", table[i][0], o.err);
    }
  }
  static const char *const used[] = {"--max-error 1 --time 1", "--max-error 1 --time 0",
                                     "--method aba --integrator dopri5 --rtol 1e-9 --time 0.1",
                                     "--method aba --integrator gauss4 --tol 1e-9 --time 0.1"};
  for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
    char line[256];
    snprintf(line, sizeof line, "$CARDAN run pendulum %s", used[i]);
    assert_string_equal(shell_expect(0, line).err, "");
  }
  // of copies in one vector register, too
  assert_non_null(
      strstr(shell_expect(0, "$CARDAN batch pendulum --count 8 --max-error 1e-9 --time 0.02").err,
             "--max-error has no effect"));
}

// --base and --convex are for robot files, also where a model has constants of these names
static void options_of_robots(void **state)
{
  (void)state;
  shell_write("c.mbs", "(system (define base 2) (define convex 1)\n"
                       " (joint revolute \"a\" (tx (* base convex) (mass 1 1 1 1))))\n");
  static const char *const models[] = {"c.mbs", "pendulum"};
  for (int i = 0; i < 2; i++) {
    char line[128];
    snprintf(line, sizeof line, "$CARDAN check %s --base free", models[i]);
    shell_refused(1, line, "--base is for robot files (URDF, SDF), and ");
    snprintf(line, sizeof line, "$CARDAN run %s --convex 5", models[i]);
    shell_refused(1, line, "write (convex 5) in the (solid mesh ..)");
  }
  shell_expect(0, "$CARDAN check c.mbs --set base=3,convex=2");
  shell_refused(1, "$CARDAN check pendulum --set base=3", "no (define base ..), and is no robot");
  shell_write("r.xml", "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>"
                       "</mujoco>");
  shell_refused(1, "$CARDAN check r.xml --base free", "--base is for URDF and SDF files: in an");
  shell_expect(0, "$CARDAN check r.xml --convex 2");
  shell_write("r.urdf", "<robot name='r'><joint name='j' type='continuous'><parent link='world'/>"
                        "<child link='a'/></joint><link name='a'><inertial><mass value='1'/>"
                        "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>");
  assert_non_null(strstr(shell_expect(0, "$CARDAN check r.urdf --base free").out,
                         "base free has no effect: the root link \"world\" is the world"));
  const outcome o = shell_expect(0, "$CARDAN run r.urdf --base free --time 0.1");
  assert_non_null(strstr(o.err, "--base free has no effect"));
  // a plane that nothing can touch
  assert_non_null(strstr(shell_expect(0, "$CARDAN run pendulum --floor -9 --time 0.1").err,
                         "\"floor\" touches nothing: no other body has a (solid ..)"));
}

// docs/cli.md shows the tables as --help does
static void manual(void **state)
{
  size_t length;
  char add[CARDAN__ADD_SIZE];
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN run --help");
  cardan__add_write(-1, add);
  const char *list = strstr(o.out, "--add LIST"), *next = strstr(o.out, "--report");
  assert_true(list != NULL && list < next);
  for (char *rest = NULL, *word = strtok_r(add, ",", &rest); word != NULL;
       word = strtok_r(NULL, ",", &rest)) {
    const char *at = strstr(list, word);
    if (at == NULL || at > next) {
      fail_msg("cardan run --help does not list --add %s", word);
    }
  }
  char *begin = strstr(o.out, "options of every method\n");
  assert_non_null(begin);
  char *end = strstr(begin, "\n\nOptions given here");
  assert_non_null(end);
  end[1] = '\0';
  char *text = folder_read(CARDAN_MANUAL, &length);
  if (strstr(text, begin) == NULL) {
    fail_msg("docs/cli.md has other options than cardan run --help:\n%s", begin);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_methods_options),       cmocka_unit_test(options_of_a_file),
      cmocka_unit_test(options_of_several_methods),  cmocka_unit_test(options_of_an_old_result),
      cmocka_unit_test(options_of_commands),         cmocka_unit_test(manual),
      cmocka_unit_test(numbers_that_stand_for_none), cmocka_unit_test(options_without_effect),
      cmocka_unit_test(options_of_robots),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
