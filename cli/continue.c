// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "continue.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "interrupt.h"
#include "options.h"
#include "say.h"

bool cli_partial_name(const char *out, char *name, size_t size)
{
  const char *dot = strrchr(out, '.'), *slash = strrchr(out, '/');
  if (!dot || (slash && dot < slash)) {
    return false;
  }
  const int n = snprintf(name, size, "%.*s.partial%s", (int)(dot - out), out, dot);
  return n > 0 && (size_t)n < size;
}

static bool is_there(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0;
}

/* The run is the file's: what is not of how long it continues, and of what is shown of it, is in
 * the file. Options of cardan/sim.h are compared with the file's own when that is open. */
static int check_given(const cli_args *args)
{
  static const char *const known[] = {"continue", "checkpoint", "report", "png",  "svg",
                                      "film",     "forces",     "json",   "quiet"};
  for (int i = 0; i < args->ngiven; i++) {
    const char *name = args->given[i].name;
    bool good = cli_is_sim_option(name);
    for (size_t k = 0; k < sizeof known / sizeof known[0] && !good; k++) {
      good = strcmp(name, known[k]) == 0;
    }
    if (strcmp(name, "trace") == 0) {
      cli_error("--trace does not go with --continue: a trace is of all steps of a run, and the "
                "result has no residuals of those before");
      return CLI_USAGE;
    }
    if (!good) {
      cli_error("--%s does not go with --continue: a run continues as it began, expected --time, "
                "--checkpoint, --report, --png, --svg, --film, --forces, --json or --quiet",
                name);
      return CLI_USAGE;
    }
  }
  if (args->automatic) {
    cli_error("--method auto does not go with --continue: a run continues as it began");
    return CLI_USAGE;
  }
  return CLI_DONE;
}

#define NO_RESULT                                                                            \
  "--continue continues the result of an earlier run, and %s is none: expected the FILE.h5 " \
  "that cardan run --out wrote"

/* FILE.h5, or the FILE.partial.h5 that a run of it left. */
static int find_file(cli_continue *r, const char *word)
{
  char partial[CLI_PATH_SIZE] = "";
  const bool given = cardan_partial_target(word, r->out, sizeof r->out);
  const char *from = word;
  if (!given) {
    const int n = snprintf(r->out, sizeof r->out, "%s", word);
    const bool named = n > 0 && (size_t)n < sizeof r->out &&
                       cli_partial_name(word, partial, sizeof partial) && is_there(partial);
    if (named && is_there(word)) {
      cli_error("%s is there beside %s, of an interrupted run: continue that one, or remove "
                "it",
                partial, word);
      return CLI_USAGE;
    }
    from = named ? partial : word;
  }
  snprintf(r->from, sizeof r->from, "%s", from);
  if (!is_there(r->from)) {
    if (cli_names_result(word)) {
      cli_error("cannot read %s: %s", word, strerror(ENOENT));
    } else {
      cli_error(NO_RESULT, word);
    }
    return CLI_USAGE;
  }
  if (!cardan_is_result(r->from)) {
    const char *dot = strrchr(r->from, '.');
    const bool early = (from != word || given) && strcmp(dot ? dot : "", ".csv") != 0;
    cli_error(early ? "%s has no row to continue from: a run that was cut off before its first is "
                      "begun again"
                    : NO_RESULT,
              r->from);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

int cli_continue_read(cli_continue *resume, const cli_args *args)
{
  const char *text = cli_args_value(args, "checkpoint"), *out = cli_args_value(args, "out");
  char *end = NULL;
  *resume = (cli_continue){.asked = cli_args_value(args, "continue") != NULL,
                           .checkpoint = CLI_CHECKPOINT};
  if (text) {
    resume->checkpoint = strtod(text, &end);
    if (end == text || *end != '\0' || !(resume->checkpoint >= 0 && isfinite(resume->checkpoint))) {
      cli_error("--checkpoint is \"%.40s\", expected seconds, 0 or more", text);
      return CLI_USAGE;
    }
  }
  if (!resume->asked) {
    if (text && !(out && cli_names_result(out))) {
      cli_error("--checkpoint keeps states in a result, expected --out FILE.h5 too");
      return CLI_USAGE;
    }
    return CLI_DONE;
  }
  const int exit = check_given(args);
  return exit == CLI_DONE ? find_file(resume, args->word[0]) : exit;
}

/* How it continues, where the user would wonder. */
static void say_how(const cli_continue *r, const cli_job *job)
{
  const cardan_result *result = job->source.result;
  char label[64];
  cardan_options_label(&job->options, label, sizeof label);
  if (job->quiet) {
    return;
  }
  if (r->at.anew) {
    fprintf(stderr,
            "%s looks ahead to the end of a run, which is another now: the run is done again from "
            "its start\n",
            label);
  } else if (!r->at.restored && result->nrow > 1) {
    fprintf(stderr, "%s: the run is done again from its start, and its %" PRId64 " rows compared\n",
            cardan_sim_is_bit_resumable(job->sim) ? "there is no state in the file"
                                                  : "the integrator's history is not in the file",
            result->nrow);
  }
}

int cli_continue_sim(cli_continue *r, cli_job *job, const cardan_sink *sink)
{
  cardan_report report = {0};
  cardan_status status = cardan_result_continue_mode(job->sim, job->source.result, &r->at, &report);
  if (status == CARDAN_OK) {
    say_how(r, job);
    status = cardan_result_continue(job->sim, job->source.result, sink, 1, &r->at, &report);
  }
  if (status == CARDAN_ERR_STOPPED) {
    cli_error("stopped by a signal before anything was new; %s is as it was", r->from);
    return 128 + cli_interrupted();
  }
  if (status == CARDAN_ERR_ARGUMENT || status == CARDAN_ERR_IO) { // the latter: rows are damaged
    cli_error("%s: %s", r->from, report.message);
    return status == CARDAN_ERR_IO ? CLI_MODEL : CLI_USAGE;
  }
  if (status != CARDAN_OK) {
    return cli_job_failed(status, &report, r->at.step == 0);
  }
  if (cardan_sim_note(job->sim)[0] != '\0') {
    cli_job_warn(job, "%s", cardan_sim_note(job->sim));
  }
  return CLI_DONE;
}

bool cli_continue_done(const cli_continue *resume, int64_t steps)
{
  return resume->asked && strcmp(resume->from, resume->out) == 0 && resume->at.step == steps &&
         !resume->at.anew;
}
