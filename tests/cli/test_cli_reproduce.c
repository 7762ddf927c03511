// SPDX-License-Identifier: Apache-2.0
// cardan reproduce: what it writes, what it refuses, and that it continues where it was stopped.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "reproduce/cardan_reproduce.h"
#include "shell.h"

static void whole_paper(void **state)
{
  (void)state;
  const outcome o = shell_expect(0, "$CARDAN reproduce naudet --quick --out all");
  assert_non_null(strstr(o.out, "table-1"));
  assert_non_null(strstr(o.out, "reproduced"));
  char *json = shell_read("all/naudet.json");
  assert_true(json_valid(json));
  const char *name = json_find(json, "reproduction.paper");
  assert_non_null(name);
  assert_memory_equal(name, "\"naudet\"", 8);
  free(json);
  char *csv = shell_read("all/naudet.csv");
  assert_memory_equal(csv, "paper,item,kind,name,series,whose,x,y\n", 38);
  assert_non_null(strstr(csv, "naudet,fig-8,plot,"));
  free(csv);
  char *text = shell_read("all/naudet.md");
  assert_non_null(strstr(text, "reproduction/naudet-fig-8.svg"));
  free(text);
  shell_expect(0, "test -s all/reproduction/naudet-fig-8.svg && test ! -e all/unfinished");
}

static void one_item(void **state)
{
  (void)state;
  shell_expect(0, "$CARDAN reproduce naudet --item fig-8 --quick --out one");
  shell_expect(0, "test -s one/naudet-fig-8.json && test ! -e one/naudet.json");
}

static void refusals(void **state)
{
  (void)state;
  shell_refused(1, "$CARDAN reproduce", "PAPER");
  shell_refused(1, "$CARDAN reproduce nadet", "did you mean \"naudet\"?");
  shell_refused(1, "$CARDAN reproduce naudet --item table-9", "there is no item \"table-9\"");
  shell_refused(1, "$CARDAN reproduce all --item fig-8", "of which paper");
  shell_refused(1, "touch file && $CARDAN reproduce naudet --out file", "a file has that name");
  shell_refused(1, "$CARDAN reproduce naudet --out no/such/place", "cannot make the folder");
}

/* Stops after two items, and counts those that the next call takes over. */
typedef struct {
  int done, kept;
  bool stops;
} visit;

static bool two_items(void *user, double fraction)
{
  const visit *v = user;
  assert_true(fraction >= 0 && fraction <= 1 + 1e-9);
  return !v->stops || v->done < 2;
}

static void count_item(void *user, const cardan_reproduced *item)
{
  visit *v = user;
  v->done++;
  v->kept += item->kept;
  assert_true(item->holds);
}

static cardan_status call(visit *v, const char *folder, bool quick, bool anew)
{
  cardan_report report = {.message = ""};
  *v = (visit){.stops = v->stops};
  const cardan_reproduce_options o = {.paper = "naudet",
                                      .folder = folder,
                                      .quick = quick,
                                      .anew = anew,
                                      .user = v,
                                      .go_on = two_items,
                                      .done = count_item};
  return cardan_reproduce(&o, NULL, &report);
}

static void goes_on(void **state)
{
  char path[256], piece[512];
  visit v = {.stops = true};
  (void)state;
  shell_expect(0, "true");
  folder_path(&shell_folder, "stopped", path);
  assert_int_equal(call(&v, path, true, false), CARDAN_ERR_STOPPED);
  const int made = v.done;
  assert_true(made >= 2);
  v.stops = false;
  assert_int_equal(call(&v, path, true, false), CARDAN_OK);
  assert_int_equal(v.kept, made);
  // done: the next call begins again. What is kept comes first, so that two items tell
  v.stops = true;
  assert_int_equal(call(&v, path, true, false), CARDAN_ERR_STOPPED);
  assert_int_equal(v.kept, 0);
  // other work does not continue from it, nor does a line that was cut in the middle count
  assert_int_equal(call(&v, path, false, false), CARDAN_ERR_STOPPED);
  assert_int_equal(v.kept, 0);
  snprintf(piece, sizeof piece, "%s/unfinished/journal", path);
  char *journal = folder_read(piece, NULL);
  journal[strlen(journal) - 3] = '\0';
  folder_write(piece, journal);
  free(journal);
  assert_int_equal(call(&v, path, false, false), CARDAN_ERR_STOPPED);
  assert_int_equal(v.kept, made - 1);
  assert_int_equal(call(&v, path, false, true), CARDAN_ERR_STOPPED);
  assert_int_equal(v.kept, 0);
}

/* An item of which a piece is lost, or empty, is made again. */
static void lost_pieces(void **state)
{
  char path[256];
  visit v = {.stops = true};
  (void)state;
  shell_expect(0, "true");
  folder_path(&shell_folder, "lost", path);
  assert_int_equal(call(&v, path, true, false), CARDAN_ERR_STOPPED);
  assert_true(v.done >= 2);
  shell_expect(0, "rm lost/unfinished/naudet-fig-8.csv && : >lost/unfinished/naudet-figs-5-7.json");
  assert_int_equal(call(&v, path, true, false), CARDAN_ERR_STOPPED);
  assert_int_equal(v.kept, 0);
}

/* Work that another command gave up leaves nothing in the folder. */
static void given_up(void **state)
{
  char path[256];
  visit v = {.stops = true};
  (void)state;
  shell_expect(0, "true");
  folder_path(&shell_folder, "other", path);
  assert_int_equal(call(&v, path, true, false), CARDAN_ERR_STOPPED);
  shell_expect(0, "test -s other/unfinished/naudet-fig-8.json");
  shell_expect(0, "$CARDAN reproduce huang --item fig-3 --quick --out other");
  shell_expect(0, "test ! -e other/unfinished");
}

/* A command that continues says how much of it is older. */
static void says_what_is_kept(void **state)
{
  char path[256];
  visit v = {.stops = true};
  (void)state;
  shell_expect(0, "true");
  folder_path(&shell_folder, "kept", path);
  assert_int_equal(call(&v, path, true, false), CARDAN_ERR_STOPPED);
  const outcome o = shell_expect(0, "$CARDAN reproduce naudet --quick --out kept");
  assert_non_null(strstr(o.out, "2 of them made before"));
}

/* A disk that is full is reported, leaves no part of a file, and the same command does it later. */
static void full_disk(void **state)
{
  (void)state;
  shell_refused(1, "(ulimit -f 1; $CARDAN reproduce naudet --item fig-8 --quick --out full)",
                "cannot write full/reproduction/naudet-fig-8.svg: File too large");
  shell_expect(0, "test -z \"$(ls -A full/reproduction)\"");
  shell_expect(
      0, "$CARDAN reproduce naudet --item fig-8 --quick --out full && test ! -e full/unfinished");
}

static int close_all(void **state)
{
  shell_expect(0, "rm -r all one stopped lost other kept full"); // folders in the folder
  return shell_close(state);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_paper),       cmocka_unit_test(one_item),
      cmocka_unit_test(refusals),          cmocka_unit_test(goes_on),
      cmocka_unit_test(lost_pieces),       cmocka_unit_test(given_up),
      cmocka_unit_test(says_what_is_kept), cmocka_unit_test(full_disk),
  };
  return cmocka_run_group_tests(tests, shell_open, close_all);
}
