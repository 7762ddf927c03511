// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardan/base.h"
#include "json_read.h"
#include "shell.h"

/* The commands, their help, what they refuse and how they say it. */

static const char *const commands[] = {"run", "check", "list", "make", "convert"};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void help(void **state)
{
  (void)state;
  const outcome all = shell_expect(0, "$CARDAN --help");
  for (int i = 0; i < COMMANDS; i++) {
    assert_non_null(strstr(all.out, commands[i]));
  }
  assert_string_equal(all.err, "");
  for (int i = 0; i < COMMANDS; i++) {
    char line[64];
    snprintf(line, sizeof line, "$CARDAN %s --help", commands[i]);
    const outcome o = shell_expect(0, line);
    assert_non_null(strstr(o.out, "examples\n"));
    assert_string_equal(o.err, "");
  }
  const outcome o = shell_expect(0, "$CARDAN run --help");
  assert_non_null(strstr(o.out, "--integrator"));
  assert_non_null(strstr(o.out, "130"));
  // by groups, in the order of a reader's questions; no option twice, none lost
  shell_expect(0,
               "$CARDAN run --help >a && grep -nE '^(options|model and start|output|course of the "
               "work|messages|options of every method)$' a | cut -d: -f2 | tr '\\n' , >b && "
               "test \"$(cat b)\" = 'options,model and start,output,course of the work,"
               "messages,options of every method,' && "
               "for o in init set out report continue quiet help; do "
               "test $(grep -cE \"^  --$o( |\\$)\" a) = 1 || exit 1; done");
}

// all help within 80 columns, and the manual page of the same texts
static void help_of_all(void **state)
{
  (void)state;
  shell_expect(
      0, "for c in '' $($CARDAN help | sed -n 's/^  cardan \\([a-z]*\\).*/\\1/p'); do "
         "$CARDAN help $c || exit; done >all.txt && test $(grep -c '^cardan' all.txt) -gt 15 && "
         "! grep -E '.{81}' all.txt");
  shell_expect(0, "$CARDAN help run >a && $CARDAN run --help | cmp - a");
  shell_refused(1, "$CARDAN help rnu", "did you mean \"run\"?");
  const outcome o = shell_expect(0, "$CARDAN help --man");
  assert_non_null(strstr(o.out, ".TH CARDAN 1"));
  assert_non_null(strstr(o.out, "\n.SS cardan sweep MODEL\n"));
  assert_non_null(strstr(o.out, "\n\\fB\\-\\-max\\-impacts\\fR \\fIN\\fR\n"));
}

static void version(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN --version");
  assert_non_null(strstr(o.out, cardan_version()));
  assert_non_null(strstr(o.out, cardan_cpu_level()));
}

static void wrong_words(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN", "which command");
  shell_refused(1, "$CARDAN rnu", "did you mean \"run\"?");
  shell_refused(1, "$CARDAN help rnu", "did you mean \"run\"?");
  shell_refused(1, "$CARDAN xyzzy", "no command \"xyzzy\"");
  shell_refused(1, "$CARDAN run", "MODEL");
  shell_refused(1, "$CARDAN convert pendulum", "MODEL FILE");
  shell_refused(1, "$CARDAN run pendulum top", "\"top\"");
  shell_refused(1, "$CARDAN run pendulum --mehtod aba", "did you mean --method?");
  shell_refused(1, "$CARDAN run pendulum --quite", "did you mean --quiet?");
  shell_refused(1, "$CARDAN list --dt 1", "no option --dt");
  shell_refused(1, "$CARDAN run pendulum -q", "two dashes");
  shell_refused(1, "$CARDAN run pendulum --dt", "--dt needs a value");
  shell_refused(1, "$CARDAN run pendulum --dt --json", "--dt needs a value");
  shell_refused(1, "$CARDAN run pendulum --json=yes", "--json takes no value");
  shell_refused(1, "$CARDAN run pendulum --no-assemble=1", "takes no value");
}

static void wrong_values(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN run pendulum --method abba", "did you mean \"aba\"?");
  shell_refused(1, "$CARDAN run pendulum --integrator rk5", "did you mean \"rk");
  shell_refused(1, "$CARDAN run pendulum --dt 0", "dt is 0");
  shell_refused(1, "$CARDAN run pendulum --dt=-0.1", "dt is -0.1");
  shell_refused(1, "$CARDAN run pendulum --dt nan", "dt is \"nan\"");
  shell_refused(1, "$CARDAN run pendulum --dt 0,1", "dt is \"0,1\"");
  shell_refused(1, "$CARDAN run pendulum --every 1.5", "whole number");
  shell_refused(1, "$CARDAN run pendulum --time 1e300", "more steps");
  shell_refused(1, "$CARDAN run pendulum --add wrok", "did you mean \"work\"?");
  shell_refused(1, "$CARDAN run pendulum --set L", "NAME=VALUE");
  shell_refused(1, "$CARDAN run pendulum --set L=1,", "NAME=VALUE");
  shell_refused(1, "$CARDAN run pendulum --set L=0x10", "expected a number");
  shell_refused(1, "$CARDAN run pendulum --set L=1e999", "expected a number");
  shell_refused(1, "$CARDAN run pendulum --set LL=1", "did you mean \"l\"?");
  shell_refused(1, "$CARDAN run pendulum --init q.thet=1", "did you mean q.theta?");
  shell_refused(1, "$CARDAN run pendulum --init v.omega=1", "no velocity of that name");
  shell_refused(1, "$CARDAN run pendulum --init theta=1", "such as q.theta");
  shell_refused(1, "$CARDAN run top --init q.top=1", "expected q.top.qw");
  shell_refused(1, "$CARDAN run top --init q.top.qw=0,q.top.qx=0,q.top.qy=0,q.top.qz=0",
                "quaternion");
}

static void wrong_models(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN run pendulm", "did you mean 'pendulum'?");
  shell_refused(1, "$CARDAN run chain:0", "expected a size");
  shell_refused(1, "$CARDAN run nowhere.mbs", "nowhere.mbs: No such file");
  shell_refused(1, "$CARDAN check .", "Is a directory");
  shell_write("bad.mbs", "(system\n  (joint revolute \"a\" (mass 1 1 1 1))\n  (sprnig))\n");
  shell_refused(2, "$CARDAN run bad.mbs", "bad.mbs:3:4: ");
  shell_refused(2, "$CARDAN check bad.mbs", "bad.mbs:3:4: ");
  shell_refused(2, "$CARDAN convert bad.mbs -", "bad.mbs:3:4: ");
  shell_write("bad.mbs", "(system (joint revolute \"a\" (mass 1 1 1 1))\n"
                         " (simulate (intergator rk4)))\n");
  shell_refused(2, "$CARDAN run bad.mbs", "bad.mbs:2:");
  shell_write("open.mbs", "(system (joint revolute \"a\" (tx 1 (name \"A\") (mass 1 1 1 1)))\n"
                          " (place (5 0 0) (name \"B\")) (coincide \"A\" \"B\"))\n");
  shell_refused(2, "$CARDAN run open.mbs", "coincide");
  shell_write("empty.mbs", "");
  shell_refused(2, "$CARDAN run empty.mbs", "empty.mbs:1:1: ");
  shell_write("x.h5", "\211HDF\r\n\032\nnothing");
  shell_refused(2, "$CARDAN run x.h5", "cannot read x.h5");
  shell_write("x.h5", "(system)");
  shell_refused(2, "$CARDAN run x.h5", "cannot read x.h5: it is no HDF5 file");
}

static void wrong_outputs(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN run pendulum --time 1 --out /dev/full", "No space left on device");
  shell_refused(1, "$CARDAN run pendulum --time 1 --out - >/dev/full", "No space left on device");
  shell_refused(1, "$CARDAN run pendulum --time 1 >/dev/full", "No space left on device");
  shell_refused(1, "$CARDAN list >/dev/full", "No space left on device");
  shell_refused(1, "$CARDAN check pendulum >/dev/full", "No space left on device");
  shell_refused(1, "$CARDAN make pendulum >/dev/full", "No space left on device");
  shell_refused(1, "$CARDAN --help >/dev/full", "No space left on device");
  shell_refused(1, "$CARDAN run pendulum --time 1 --out .", "directory");
  shell_refused(1, "$CARDAN run pendulum --time 1 --out no/a.csv", "No such file");
  shell_refused(1, "$CARDAN run pendulum --time 1 --out a.txt", ".csv or .h5");
  shell_refused(1, "$CARDAN convert pendulum a.sdf", ".mbs");
  shell_refused(2, "$CARDAN convert pendulum a.urdf", "cannot hold a start");
  shell_refused(1, "$CARDAN convert pendulum no/a.mbs", "No such file");
  shell_refused(1, "$CARDAN make pendulum.mbs", "built-in");
  if (geteuid() != 0) {
    shell_refused(1,
                  "mkdir ro; chmod a-w ro; $CARDAN run pendulum --time 1 --out ro/a.csv; "
                  "s=$?; rmdir ro; exit $s",
                  "Permission denied");
  }
}

// found before the run, which would take for ever
static void outputs_first(void **state)
{
  (void)state;
  static const char *const lines[] = {"run pendulum --time 1e9 --png",
                                      "run pendulum --time 1e9 --svg",
                                      "run pendulum --time 1e9 --report",
                                      "run pendulum --time 1e9 --trace",
                                      "run pendulum --time 1e9 --out",
                                      "linearize pendulum --at 1e9 --out",
                                      "compare pendulum --time 1e9 --report",
                                      "batch pendulum --count 2 --time 1e9 --out",
                                      "bench --json",
                                      "modes chain:100 --out"};
  const int files = folder_count(&shell_folder);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    char line[200];
    snprintf(line, sizeof line, "$CARDAN %s no/a.csv", lines[i]);
    shell_refused(1, line, "cannot write no/a.csv: No such file");
  }
  shell_refused(1, "$CARDAN run pendulum --time 1e9 --svg .", "cannot write .: Is a directory");
  assert_int_equal(folder_count(&shell_folder), files);
}

// the model by whatever name, the tables beside it, and two outputs of one name
static void outputs_apart(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN make pendulum >m.mbs && ln m.mbs hard.mbs && ln -s m.mbs soft.mbs && "
                  "mkdir sub && cp m.mbs before");
  shell_refused(1, "$CARDAN linearize m.mbs --out m.mbs", "--out m.mbs is the model itself");
  shell_refused(1, "$CARDAN run m.mbs --trace ./m.mbs", "--trace ./m.mbs is the model itself");
  shell_refused(1, "$CARDAN run m.mbs --report hard.mbs", "the model itself");
  shell_refused(1, "$CARDAN run soft.mbs --out sub/../m.mbs", "the model itself");
  shell_refused(1, "$CARDAN compare m.mbs --report soft.mbs", "the model itself");
  shell_refused(1, "$CARDAN convert m.mbs m.mbs", "--force");
  shell_refused(1, "$CARDAN convert m.mbs hard.mbs", "--force");
  shell_write("u.csv", "t\n0\n");
  shell_refused(1, "$CARDAN run m.mbs --input u.csv --trace u.csv", "the file that --input reads");
  shell_expect(0, "$CARDAN run m.mbs --time 0.1 --quiet --out r.h5");
  shell_refused(1, "$CARDAN run r.h5 --out r.h5", "the model itself");
  shell_refused(1, "$CARDAN run m.mbs --out x.csv --trace sub/../x.csv",
                "--out and --trace are both");
  shell_refused(1, "$CARDAN run m.mbs --out u.csv --trace ./u.csv", "are both");
  shell_refused(1, "$CARDAN run m.mbs --out - --trace /dev/stdout", "are both");
  shell_expect(0, "$CARDAN run m.mbs --time 0.1 --quiet --out /dev/null --trace /dev/null");
  // a table that the model names
  shell_write("u.csv", "t,x\n0,1\n1,2\n");
  shell_write("u.mbs", "(system (ry \"a\" (tz -1 (mass 1))) (torque \"a\" (table \"u.csv\" t)))\n");
  shell_expect(0, "$CARDAN run u.mbs --time 0.1 --quiet --out v.csv && cp u.csv w.csv");
  shell_refused(2, "$CARDAN run u.mbs --out sub/../u.csv", "\"u.csv\" is read here");
  shell_refused(2, "ln -s u.csv l.csv; $CARDAN run u.mbs --trace l.csv", "u.mbs:1:");
  shell_expect(0, "cmp u.csv w.csv");
  shell_expect(0,
               "cmp m.mbs before && $CARDAN convert m.mbs m.mbs --force && ! cmp -s m.mbs before");
}

// a disk that is full in the middle of a run: the old file stays, beside it the rows that there are
static void full_disk(void **state)
{
  (void)state;
  shell_write("old.csv", "old");
  shell_write("old.h5", "old");
  const int files = folder_count(&shell_folder);
  shell_refused(1, "ulimit -f 64; $CARDAN run pendulum --time 100 --out old.csv",
                "old.partial.csv");
  shell_refused(1, "ulimit -f 1000; $CARDAN run pendulum --time 100 --out old.h5",
                "File too large; its first ");
  for (int i = 0; i < 2; i++) {
    char *text = shell_read(i ? "old.csv" : "old.h5");
    assert_string_equal(text, "old");
    free(text);
  }
  assert_int_equal(folder_count(&shell_folder), files + 2);
  shell_refused(1, "$CARDAN run pendulum --out old.h5", "of a run that did not end");
  shell_write("old.svg", "old");
  const outcome o = shell("ulimit -f 1; $CARDAN run pendulum --time 1 --quiet --svg old.svg");
  assert_int_equal(o.status, 1);
  assert_true(strstr(o.err, "File too large") || strstr(o.err, "built without"));
  shell_expect(0, "test \"$(cat old.svg)\" = old && test ! -e .cardan*");
  shell_expect(0, "$CARDAN run old.partial.h5 --time 0.1 --quiet && rm old.partial.*");
}

static void list(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN list");
  assert_non_null(strstr(o.out, "closed-chain"));
  assert_non_null(strstr(o.out, "aba"));
  assert_non_null(strstr(o.out, "rk4"));
  const outcome json = shell_expect(0, "$CARDAN list --json");
  char keys[256];
  assert_true(json_valid(json.out));
  json_keys(json.out, keys, sizeof keys);
  assert_string_equal(keys, "models methods options integrators");
}

static void check(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN check fourbar-3d");
  assert_non_null(strstr(o.out, "mobility 1"));
  assert_non_null(strstr(o.out, "3 rows: \"close1\" row"));
  const outcome json = shell_expect(0, "$CARDAN check fourbar-3d --json");
  assert_true(json_valid(json.out));
  assert_int_equal(atoi(json_find(json.out, "mobility")), 1);
  assert_int_equal(atoi(json_find(json.out, "rank")), 2);
  assert_int_equal(atoi(json_find(json.out, "loops")), 1);
  assert_int_equal(atoi(json_find(json.out, "joints.revolute")), 3);
  const outcome loops = shell_expect(0, "$CARDAN check closed-chain --set I=0.5 --json");
  assert_int_equal(atoi(json_find(loops.out, "loops")), 2);
  assert_int_equal(atoi(json_find(loops.out, "loop_constraints")), 4);
  assert_int_equal(atoi(json_find(loops.out, "dof")), 7);
  assert_int_equal(atoi(json_find(loops.out, "mobility")), 3);
}

// a model without masses is for kinematics: checked and converted, not run
static void check_without_masses(void **state)
{
  (void)state;
  shell_write("bare.mbs", "(system \"bare\"\n (joint revolute \"a\" (name \"arm\")))\n");
  const outcome o = shell_expect(0, "$CARDAN check bare.mbs");
  assert_non_null(strstr(o.out, "for kinematics only: there is no mass under \"a\""));
  shell_expect(0, "$CARDAN convert bare.mbs -");
  shell_refused(2, "$CARDAN run bare.mbs", "bare.mbs:2:2: there is no mass under \"a\"");
  shell_refused(2, "$CARDAN compare bare.mbs", "bare.mbs:2:2: there is no mass under \"a\"");
}

// what no method uses is reported, and names cannot break JSON
static void check_says_what_is_not_used(void **state)
{
  (void)state;
  shell_write("kept.mbs", "(system \"two \\\"quotes\\\"\"\n"
                          " (joint revolute \"a\" (limit -1 2) (mass 1 1 1 1)\n"
                          "  (shape mesh \"arm.stl\")))\n");
  const outcome o = shell_expect(0, "$CARDAN check kept.mbs");
  assert_non_null(strstr(o.out, "limit of \"a\": -1 to 2"));
  assert_non_null(strstr(o.out, "1 shape from mesh files"));
  const outcome json = shell_expect(0, "$CARDAN check kept.mbs --json");
  assert_true(json_valid(json.out));
  assert_int_equal(atoi(json_find(json.out, "kept.meshes")), 1);
  const outcome run = shell_expect(0, "$CARDAN run kept.mbs --time 0.1 --json");
  assert_true(json_valid(run.out));
  assert_int_equal(atoi(json_find(run.out, "contacts.impacts")), 0);
  const outcome warned = shell_expect(0, "$CARDAN run kept.mbs --time 0.1 --method rattle --json");
  assert_non_null(
      strstr(warned.err, "warning: the limit of joint \"a\" is not enforced by rattle"));
  assert_non_null(strstr(json_find(warned.out, "warnings"), "limit of joint"));
  const outcome off = shell_expect(0, "$CARDAN run kept.mbs --time 0.1 --contacts off --json");
  assert_string_equal(off.err, "");
  assert_null(json_find(off.out, "contacts"));
  const outcome quiet = shell_expect(0, "$CARDAN run kept.mbs --time 0.1 --quiet");
  assert_string_equal(quiet.err, "");
  assert_string_equal(quiet.out, "");
}

// what `make` prints is the model that `run` takes, and `convert` keeps its motion
static void make_and_convert(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN make chain:4 > chain.mbs && $CARDAN convert chain.mbs tidy.mbs && "
                  "$CARDAN convert tidy.mbs again.mbs && cmp tidy.mbs again.mbs");
  shell_expect(0, "$CARDAN run chain:4 --time 1 --out a.csv && "
                  "$CARDAN run chain.mbs --time 1 --out b.csv && cmp a.csv b.csv && "
                  "$CARDAN run tidy.mbs --time 1 --out c.csv && cmp a.csv c.csv");
  const outcome o = shell_expect(0, "$CARDAN convert chain.mbs -");
  char *text = shell_read("tidy.mbs");
  assert_string_equal(o.out, text);
  free(text);
}

// a plane under a model is part of its text from then on
static void a_floor(void **state)
{
  (void)state;
  shell_write("ball.mbs", "(system (gravity 0 0 -9.81) (tz \"z\" (mass 1) (solid sphere 0.1))"
                          " (initial (\"z\" 2)))");
  const outcome text = shell_expect(0, "$CARDAN convert ball.mbs - --floor 0.5");
  assert_non_null(strstr(text.out, "(place (0 0 0.5) (name \"floor\") (solid plane))"));
  assert_non_null(strstr(text.out, "(contact \"floor\" all (name \"floor\"))"));
  const outcome check = shell_expect(0, "$CARDAN check ball.mbs --floor -1e-1");
  assert_non_null(strstr(check.out, "\"floor\": 1 pair"));
  shell_refused(1, "$CARDAN check ball.mbs --floor high", "--floor is \"high\", expected a height");
  shell_refused(1, "$CARDAN check ball.mbs --floor inf", "expected a height");
  shell_expect(0, "$CARDAN convert ball.mbs stands.mbs --floor 0");
  shell_refused(2, "$CARDAN check stands.mbs --floor 0", "a frame \"floor\" in the model already");
  shell_expect(0, "$CARDAN run ball.mbs --floor 0 --time 0.1 --out ball.h5");
  const outcome result = shell_expect(0, "$CARDAN check ball.h5");
  assert_non_null(strstr(result.out, "\"floor\": 1 pair"));
}

// a robot stands on it without more words, also where it starts inside; other methods continue
static void a_floor_under_a_robot(void **state)
{
  (void)state;
  shell_write(
      "box.urdf",
      "<robot name='box'><link name='trunk'><inertial><mass value='2'/>"
      "<inertia ixx='0.02' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>"
      "<collision><geometry><box size='0.4 0.3 0.2'/></geometry></collision></link></robot>");
  const outcome text = shell_expect(0, "$CARDAN convert box.urdf - --base free --floor -0.05");
  assert_non_null(strstr(text.out, "(contacts auto)"));
  const outcome run = shell_expect(
      0, "$CARDAN run box.urdf --base free --floor -0.05 --time 0.2 --dt 0.01 --out box.csv");
  assert_non_null(strstr(run.err, "starts 0.05 m higher"));
  const outcome end = shell_expect(0, "tail -n 1 box.csv | cut -d, -f4");
  assert_near(strtod(end.out, NULL), 0.05, 1e-12);
  const outcome other =
      shell_expect(0, "$CARDAN run box.urdf --base free --floor -0.2 --method aba --time 0.01");
  assert_non_null(strstr(other.err, "contact \"floor\" is not held by aba"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help),
      cmocka_unit_test(help_of_all),
      cmocka_unit_test(version),
      cmocka_unit_test(wrong_words),
      cmocka_unit_test(wrong_values),
      cmocka_unit_test(wrong_models),
      cmocka_unit_test(wrong_outputs),
      cmocka_unit_test(outputs_first),
      cmocka_unit_test(outputs_apart),
      cmocka_unit_test(full_disk),
      cmocka_unit_test(list),
      cmocka_unit_test(check),
      cmocka_unit_test(check_without_masses),
      cmocka_unit_test(check_says_what_is_not_used),
      cmocka_unit_test(make_and_convert),
      cmocka_unit_test(a_floor),
      cmocka_unit_test(a_floor_under_a_robot),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
