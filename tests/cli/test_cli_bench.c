// SPDX-License-Identifier: Apache-2.0
// cardan bench: what it prints and writes, an earlier result beside it, what it refuses.
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "shell.h"

static void one_part(void **state)
{
  (void)state;
  shell_expect(0, "printf 'table,row,column,value\\nkernels-models,forward dynamics (aba),humanoid,"
                  "987654\\n' >old.csv");
  const outcome o = shell_expect(0, "$CARDAN bench kernels --quick --before old.csv --json k.json "
                                    "--csv k.csv --markdown k.md --report k.html");
  assert_non_null(strstr(o.out, "ns a body"));
  assert_non_null(strstr(o.out, "(987654)"));
  assert_non_null(strstr(o.out, "forward dynamics (aba)"));
  char *json = shell_read("k.json");
  assert_true(json_valid(json));
  const char *version = json_find(json, "version");
  assert_non_null(version);
  assert_non_null(strstr(json, "\"processor\""));
  assert_non_null(strstr(json, "kernels-chain"));
  assert_null(strstr(json, "steps-chain"));
  free(json);
  char *text = shell_read("k.md");
  assert_non_null(strstr(text, "# Performance"));
  assert_non_null(strstr(text, "| inverse dynamics (rnea) |"));
  free(text);
  char *page = shell_read("k.html");
  assert_non_null(strstr(page, "<td>forward dynamics (aba)</td>"));
  free(page);
}

/* Motions with contacts: every row has its times and errors, a robot's too. */
static void scenes(void **state)
{
  (void)state;
  shell_expect(0, "printf '(system (gravity 0 0 -9.81) (place (0 0 0) (solid plane)) (contact all) "
                  "(tz 0.2 (joint free \"b\" (mass 1 1 1 1) (solid sphere 0.1))))' >ball.mbs");
  const outcome o = shell_expect(0, "$CARDAN bench scenes --quick --json s.json --csv s.csv "
                                    "--robot ball.mbs");
  assert_non_null(strstr(o.out, "worst [us]"));
  char *json = shell_read("s.json");
  assert_true(json_valid(json));
  free(json);
  shell_expect(0, "test $(grep -c '^scenes,\\(pile:20\\|stack:5\\|ball.mbs\\) vi,' s.csv) = 30");
  shell_refused(1, "$CARDAN bench scenes --quick --robot none.xml", "none.xml");
}

/* What --csv writes, --before reads. */
static void reads_what_it_writes(void **state)
{
  (void)state;
  shell_expect(0, "test $(grep -c '^kernels-chain,' k.csv) = 9");
  shell_expect(0, "$CARDAN bench kernels --quick --before k.csv");
}

static void refusals(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN bench kernel --quick", "did you mean \"kernels\"?");
  shell_refused(1, "$CARDAN bench kernels --qick", "did you mean --quick?");
  shell_refused(1, "$CARDAN bench kernels --json k.csv", "ends in .json");
  shell_refused(1, "$CARDAN bench --csv none/k.csv", "cannot write none/k.csv: No such file");
  shell_refused(1, "$CARDAN bench kernels --quick --before none.csv", "none.csv");
  shell_refused(1, "printf 'a,b\\n' >bad.csv; $CARDAN bench kernels --quick --before bad.csv",
                "bad.csv:1:1: found \"a,b\", expected table,row,column,value");
}

static void parts(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN bench list");
  assert_non_null(strstr(o.out, "kernels"));
  assert_non_null(strstr(o.out, "batches"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_part), cmocka_unit_test(scenes), cmocka_unit_test(reads_what_it_writes),
      cmocka_unit_test(refusals), cmocka_unit_test(parts),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
