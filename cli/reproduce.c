// SPDX-License-Identifier: Apache-2.0
#include "reproduce/cardan_reproduce.h"

#include <stdio.h>
#include <string.h>

#include "cardan/describe.h"
#include "cli.h"
#include "interrupt.h"
#include "progress.h"
#include "say.h"

/* cardan reproduce: the papers' figures and tables, ours beside theirs. */

typedef struct {
  cli_progress progress;
  const char *folder;
  int done, kept; // items; those of them that an earlier run made
  int missed;     // items that failed, or that have a number out of place
  double seconds;
} reproduction;

static bool go_on(void *user, double fraction)
{
  reproduction *r = user;
  cli_progress_show(&r->progress, cli_seconds(), fraction);
  return cli_interrupted() == 0;
}

static void show_item(void *user, const cardan_reproduced *item)
{
  reproduction *r = user;
  const bool failed = strcmp(item->verdict, "failed") == 0;
  cli_progress_end(&r->progress);
  if (r->done++ == 0) {
    printf("%-9s%-10s%-22s%9s  %s\n", "paper", "item", "verdict", "took [s]", "what");
  }
  printf("%-9s%-10s%-22s%9.1f  %s%s\n", item->paper, item->item,
         item->holds || failed ? item->verdict : "NOT AS EXPECTED", item->seconds, item->title,
         item->kept ? " (made before)" : "");
  fflush(stdout);
  r->kept += item->kept;
  r->missed += !item->holds;
  r->seconds += item->seconds;
}

enum { MOST_NAMES = 64 };

/* Says what is wrong with a name, with the nearest right one. */
static int unknown(const char *what, const char *word, const char *const *names, int n)
{
  char list[512] = "";
  const char *near = cardan_nearest(word, names, n);
  for (int i = 0; i < n; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", names[i]);
  }
  if (near != NULL) {
    cli_error("there is no %s \"%.40s\"; did you mean \"%s\"? There are %s", what, word, near,
              list);
  } else {
    cli_error("there is no %s \"%.40s\"; there are %s", what, word, list);
  }
  return CLI_USAGE;
}

/* Are there such a paper and such an item? */
static int check_names(const char *paper, const char *item)
{
  const char *names[MOST_NAMES];
  int n = 0, found = -1;
  for (; cardan_reproduce_paper(n) != NULL && n < MOST_NAMES - 1; n++) {
    names[n] = cardan_reproduce_paper(n);
    found = strcmp(names[n], paper) == 0 ? n : found;
  }
  const bool all = strcmp(paper, "all") == 0;
  names[n] = "all";
  if (found < 0 && !all) {
    return unknown("paper", paper, names, n + 1);
  }
  if (item != NULL && all) {
    cli_error("item is \"%.40s\": of which paper? Expected cardan reproduce PAPER --item %.40s",
              item, item);
    return CLI_USAGE;
  }
  bool known = item == NULL;
  for (n = 0; !known && n < MOST_NAMES && cardan_reproduce_item(found, n) != NULL; n++) {
    names[n] = cardan_reproduce_item(found, n);
    known = strcmp(names[n], item) == 0;
  }
  return known ? CLI_DONE : unknown("item", item, names, n);
}

static int list_items(void)
{
  printf("%-9s%-10s%s\n", "paper", "item", "what");
  for (int p = 0; cardan_reproduce_paper(p) != NULL; p++) {
    for (int i = 0; cardan_reproduce_item(p, i) != NULL; i++) {
      printf("%-9s%-10s%s\n", cardan_reproduce_paper(p), cardan_reproduce_item(p, i),
             cardan_reproduce_title(p, i));
    }
  }
  return CLI_DONE;
}

static int conclude(const reproduction *r, cardan_status status, const cardan_report *report)
{
  if (status == CARDAN_ERR_STOPPED) {
    cli_error("stopped after %d item%s; the same command continues from there", r->done,
              r->done == 1 ? "" : "s");
    return 128 + cli_interrupted();
  }
  if (status != CARDAN_OK) {
    return cli_load_failed(status, report);
  }
  printf("\n%d item%s in %.0f s", r->done, r->done == 1 ? "" : "s", r->seconds);
  if (r->kept > 0) {
    printf(", %d of them made before", r->kept);
  }
  printf("; pages, numbers and pictures are in %s\n", r->folder);
  if (r->missed > 0) {
    cli_error("%d of %d items failed or have a number that is not where it is expected; the pages "
              "say which",
              r->missed, r->done);
    return CLI_STOPPED;
  }
  return CLI_DONE;
}

static int reproduce(const cli_args *args)
{
  const char *folder = cli_args_value(args, "out");
  reproduction r = {.folder = folder != NULL ? folder : "reproduction"};
  cardan_report report = {0};
  const cardan_reproduce_options options = {.paper = args->word[0],
                                            .item = cli_args_value(args, "item"),
                                            .folder = r.folder,
                                            .quick = cli_args_value(args, "quick") != NULL,
                                            .anew = cli_args_value(args, "anew") != NULL,
                                            .user = &r,
                                            .go_on = go_on,
                                            .done = show_item};
  if (strcmp(options.paper, "list") == 0) {
    return list_items();
  }
  const int exit = check_names(options.paper, options.item);
  if (exit != CLI_DONE) {
    return exit;
  }
  cli_interrupt_begin("items that were done are there");
  cli_progress_begin(&r.progress, cli_args_value(args, "quiet") != NULL);
  const cardan_status status = cardan_reproduce(&options, NULL, &report);
  cli_interrupt_end();
  cli_progress_end(&r.progress);
  return conclude(&r, status, &report);
}

static const cli_option options[] = {
    {"out", "DIR", "folder for pages, tables and pictures (reproduction)"},
    {"item", "NAME", "one figure or table of the paper alone"},
    {"quick", NULL, "shorter runs and smaller sizes: two minutes for all"},
    {"anew", NULL, "do not continue a run that was stopped"},
    {"quiet", NULL, "no progress bar"},
    {NULL, NULL, NULL},
};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .words = "PAPER",
    .nword = 1,
    .help = "a paper's tables and figures, ours beside theirs",
    .text =
        "PAPER is lee, johnson, huang, fang, naudet or all; list prints their figures and "
        "tables.\n"
        "Each gets a verdict (reproduced, differs, cannot be known) with its reason. A run "
        "that was\n"
        "stopped continues where it was. Exit status 3: an item failed, or a number is not where "
        "it is\n"
        "expected.\n"
        "\n"
        "examples\n"
        "  cardan reproduce all --quick\n"
        "  cardan reproduce lee --item fig-3 --out lee\n",
    .option = options,
    .run = reproduce,
};
