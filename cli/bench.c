// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // readlink
#include "bench/cardan_bench.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardan/load.h"
#include "cardan/output.h"
#include "cli.h"
#include "interrupt.h"
#include "outputs.h"
#include "progress.h"
#include "say.h"

/* cardan bench: what things cost on this machine. */

enum { PATH = 4096 };

static bool go_on(void *user, double fraction)
{
  cli_progress_show(user, cli_seconds(), fraction);
  return cli_interrupted() == 0;
}

static void show_table(void *user, const char *text)
{
  cli_progress_end(user);
  printf("%s", text);
  fflush(stdout);
}

/* The files that are requested, each with the form that it takes. */
static const struct {
  const char *option;
  cardan_bench_form form;
} files[] = {{"json", CARDAN_BENCH_JSON},
             {"csv", CARDAN_BENCH_CSV},
             {"markdown", CARDAN_BENCH_MARKDOWN},
             {"report", CARDAN_BENCH_HTML}};
enum { FILES = sizeof files / sizeof files[0] };

static int write_file(const char *path, char *text, cardan_status status)
{
  cardan_report report = {0};
  if (status == CARDAN_OK) {
    status = cardan_write_text(path, text, strlen(text), NULL, &report);
  }
  cardan_free_text(NULL, text);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Figures of FILE.md: FILE/NAME.svg, in a folder beside it. */
static int write_figures(const cardan_bench_result *result, const char *folder)
{
  int exit = CLI_DONE;
  for (int k = 0; exit == CLI_DONE; k++) {
    const char *name = NULL;
    char *text = NULL, path[PATH + 100];
    const cardan_status status = cardan_bench_figure(result, k, NULL, &name, &text);
    if (status == CARDAN_OK && text == NULL) {
      break;
    }
    if (k == 0) {
      mkdir(folder, 0777); // where it cannot be made, writing into it says why
    }
    snprintf(path, sizeof path, "%s/%.80s.svg", folder, name != NULL ? name : "");
    exit = write_file(path, text, status);
  }
  return exit;
}

static int write_files(const cardan_bench_result *result, const cli_args *args)
{
  int exit = CLI_DONE;
  for (int k = 0; k < FILES && exit == CLI_DONE; k++) {
    const char *path = cli_args_value(args, files[k].option);
    if (path == NULL) {
      continue;
    }
    char folder[PATH]; // FILE of FILE.md
    snprintf(folder, sizeof folder, "%.*s", (int)strlen(path) - 3, path);
    const char *slash = strrchr(folder, '/'), *beside = slash != NULL ? slash + 1 : folder;
    const bool figures = files[k].form == CARDAN_BENCH_MARKDOWN && strcmp(path, "-") != 0;
    char *text = NULL;
    const cardan_status status =
        cardan_bench_write(result, files[k].form, figures ? beside : NULL, NULL, &text);
    exit = write_file(path, text, status);
    if (exit == CLI_DONE && figures) {
      exit = write_figures(result, folder);
    }
    cli_wrote(path, exit, cli_args_value(args, "quiet") != NULL);
  }
  return exit;
}

/* A file's name must say what it is. */
static int check_files(const cli_args *args)
{
  static const char *const endings[FILES] = {".json", ".csv", ".md", ".html"};
  for (int k = 0; k < FILES; k++) {
    const char *path = cli_args_value(args, files[k].option);
    const size_t n = path != NULL ? strlen(path) : 0, m = strlen(endings[k]);
    if (path != NULL && strcmp(path, "-") != 0 &&
        (n <= m || strcmp(path + n - m, endings[k]) != 0)) {
      cli_error("%s is \"%.200s\", expected a name that ends in %s", files[k].option, path,
                endings[k]);
      return CLI_USAGE;
    }
  }
  return CLI_DONE;
}

static int list_parts(void)
{
  for (int k = 0; cardan_bench_part(k) != NULL; k++) {
    printf("%-16s%s\n", cardan_bench_part(k), cardan_bench_part_help(k));
  }
  return CLI_DONE;
}

/* Where this program is, and where the programs of the peers are built beside it. */
static bool find_self(char self[PATH], char peers[PATH + 16])
{
  const ssize_t n = readlink("/proc/self/exe", self, PATH - 1);
  if (n <= 0) {
    return false;
  }
  self[n] = '\0';
  const char *slash = strrchr(self, '/');
  snprintf(peers, PATH + 16, "%.*sbench/peers", slash != NULL ? (int)(slash - self) + 1 : 0, self);
  return true;
}

static int bench(const cli_args *args)
{
  cli_progress progress;
  cardan_report report = {0};
  cardan_bench_result *result = NULL;
  char self[PATH], peers[PATH + 16], *before = NULL;
  size_t length = 0;
  cardan_bench_options options = {.part = args->word,
                                  .npart = args->nword,
                                  .quick = cli_args_value(args, "quick") != NULL,
                                  .before_at = cli_args_value(args, "before"),
                                  .user = &progress,
                                  .go_on = go_on,
                                  .table = show_table};
  if (args->nword == 1 && strcmp(args->word[0], "list") == 0) {
    return list_parts();
  }
  int exit = check_files(args);
  if (exit != CLI_DONE) {
    return exit;
  }
  const bool found = find_self(self, peers);
  options.command = found ? self : NULL;
  options.peers = found && cli_args_value(args, "peers") != NULL ? peers : NULL;
  if (options.peers != NULL) {
    signal(SIGPIPE, SIG_IGN); // a peer that gives up is reported, and does not end the command
  }
  const char *robot[CLI_WORDS];
  options.robot = robot;
  for (int i = 0; i < args->ngiven && options.nrobot < CLI_WORDS; i++) {
    if (strcmp(args->given[i].name, "robot") == 0) {
      robot[options.nrobot++] = args->given[i].value;
    }
  }
  cardan_status status = CARDAN_OK;
  if (options.before_at != NULL) {
    status = cardan_load_text(options.before_at, NULL, &before, &length, &report);
    options.before = before;
  }
  cli_interrupt_begin("nothing was written");
  cli_progress_begin(&progress, cli_args_value(args, "quiet") != NULL);
  if (status == CARDAN_OK) {
    status = cardan_bench(&options, NULL, &result, &report);
  }
  cli_interrupt_end();
  cli_progress_end(&progress);
  cardan_free_text(NULL, before);
  if (status == CARDAN_ERR_STOPPED) {
    cli_error("stopped; nothing was written");
    return 128 + cli_interrupted();
  }
  exit = status == CARDAN_OK ? write_files(result, args) : cli_table_failed(status, &report);
  cardan_bench_destroy(result);
  return exit;
}

static const cli_option options[] = {
    {"quick", NULL, "fewer sizes and shorter batches: 20 s for all, as a preview"},
    {"peers", NULL, "beside other libraries, where they were found when this was built"},
    {"robot", "FILE", "a robot on the ground, for the part scenes; may be repeated"},
    {"json", "FILE.json", "all numbers as one object; - for the standard output"},
    {"csv", "FILE.csv", "all numbers as lines table,row,column,value"},
    {"markdown", "FILE.md", "all tables as Markdown, with figures in a folder FILE beside it"},
    {"report", "FILE.html", "all tables and figures as a page"},
    {"before", "FILE.csv", "an earlier --csv, for its number beside each"},
    {"quiet", NULL, "no progress bar"},
    {NULL, NULL, NULL},
};

const cli_command cli_bench = {
    .name = "bench",
    .words = "[WHAT ..]",
    .more = CLI_WORDS,
    .help = "speed on this machine, and beside other libraries",
    .text = "WHAT is parts of it: kernels, steps, loops, batches, .. (cardan bench list shows "
            "them); all\n"
            "without. Times are processor times, the least of several batches; what is compared "
            "takes\n"
            "turns.\n"
            "\n"
            "examples\n"
            "  cardan bench --quick\n"
            "  cardan bench kernels steps --peers --report speed.html\n",
    .option = options,
    .run = bench,
};
