// SPDX-License-Identifier: Apache-2.0
#include "cardan/modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cardan/output.h"
#include "cli.h"
#include "outputs.h"
#include "pages.h"
#include "say.h"
#include "still.h"

/* cardan modes: frequencies, damping and shapes of small motions about a model's start. */

enum { ON_PAGE = 40 };

static int find(cli_still *still, cardan_modes **modes)
{
  cardan_report report = {0};
  snprintf(report.file, sizeof report.file, "%.200s", still->source.given);
  const cardan_status status = cardan_modes_create(still->model, still->data, NULL, modes, &report);
  if (status == CARDAN_ERR_SINGULAR || status == CARDAN_ERR_NO_CONVERGENCE) {
    cli_error("%s: %s", still->source.given, report.message);
    return CLI_STOPPED;
  }
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int write_modes(const cli_still *still, const cardan_modes *modes, int count,
                       cardan_modes_form form, const char *path)
{
  cardan_report report = {0};
  char *text = NULL;
  cardan_status status = cardan_describe_modes(modes, still->source.name, count, form, NULL, &text);
  if (status == CARDAN_OK) {
    status = cardan_write_text(path, text, strlen(text), NULL, &report);
  }
  cardan_free_text(NULL, text);
  const int exit = status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
  cli_wrote(path, exit, false);
  return exit;
}

/* The page of the first n modes: a film of each. */
static int write_page(const cli_still *still, const cardan_modes *modes, int n, const char *path)
{
  cardan_report report = {0};
  char(*label)[32] = calloc((size_t)n + 1, sizeof *label);
  cardan_page_run *run = calloc((size_t)n + 1, sizeof *run);
  cardan_film **film = calloc((size_t)n + 1, sizeof(cardan_film *));
  cardan_status status = label && run && film ? CARDAN_OK : CARDAN_ERR_MEMORY;
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    snprintf(label[k], sizeof *label, "mode %d", k + 1);
    status = cardan_film_of_mode(modes, k, NULL, &film[k], &report);
    run[k] = (cardan_page_run){.label = label[k], .film = film[k], .wall_seconds = -1};
  }
  if (status == CARDAN_OK) {
    cardan_page page = cli_still_page(still);
    page.run = run;
    page.nrun = n;
    page.modes = modes;
    status = cardan_page_write(&page, path, NULL, &report);
  }
  for (int k = 0; k < n && film; k++) {
    cardan_film_destroy(film[k]);
  }
  free(label);
  free(run);
  free(film);
  if (status == CARDAN_ERR_NO_CONVERGENCE) {
    cli_error("%s", report.message);
    return CLI_STOPPED;
  }
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Modes of a page where --count does not say: of large models as many as a page of a run takes. */
static int on_page(const cardan_model *model)
{
  const double row = 16.0 / 3.0 * (1 + model->nq + model->nv), rows = 49; // floats in base64
  return (int)fmax(1, fmin(ON_PAGE, CARDAN_FILM_BUDGET / (row * rows)));
}

static int report_modes(const cli_still *still, const cardan_modes *modes, int count,
                        const char *path)
{
  const int all = count > 0 && count < modes->n ? count : modes->n;
  const int most = on_page(still->model), n = count == 0 && all > most ? most : all;
  if (n < all) {
    cli_warning("the page has the first %d of %d modes; --count has more", n, all);
  }
  const int exit = write_page(still, modes, n, path);
  cli_wrote(path, exit, false);
  return exit;
}

static int modes(const cli_args *args)
{
  cli_still still = {0};
  cardan_modes *found = NULL;
  uint64_t count = 0;
  const char *out = cli_args_value(args, "out");
  const char *report = cli_args_value(args, "report");
  const bool json = cli_args_value(args, "json") != NULL;
  if (!cli_args_whole(args, "count", 1, 1000000, 0, &count) ||
      cli_report_check(report) != CLI_DONE) {
    return CLI_USAGE;
  }
  int exit = cli_still_open(&still, args);
  if (exit == CLI_DONE) {
    exit = cli_still_settle(&still, args);
  }
  if (exit == CLI_DONE) {
    exit = find(&still, &found);
  }
  if (exit == CLI_DONE && out != NULL) {
    exit = write_modes(&still, found, (int)count, json ? CARDAN_MODES_JSON : CARDAN_MODES_CSV, out);
  }
  if (exit == CLI_DONE && report != NULL) {
    exit = report_modes(&still, found, (int)count, report);
  }
  if (exit == CLI_DONE && (out == NULL || strcmp(out, "-") != 0)) {
    const bool text = !json || out != NULL;
    exit =
        write_modes(&still, found, (int)count, text ? CARDAN_MODES_TEXT : CARDAN_MODES_JSON, "-");
  }
  cardan_modes_destroy(found);
  cli_still_close(&still);
  return exit;
}

static const cli_option options[] = {
    {"count", "N", "the first N modes, by rising frequency (all)"},
    CLI_AT_OPTION,
    CLI_STILL_OPTIONS,
    {"out", "FILE.csv", "a table of all digits, with the shapes; - for the standard output"},
    {"report", "FILE.html", "a page with the shapes in motion"},
    {"json", NULL, "one JSON object, with all digits and the shapes"},
    {NULL, NULL, NULL},
};

const cli_command cli_modes = {
    .name = "modes",
    .words = "MODEL",
    .nword = 1,
    .help = "small motions about the start or an equilibrium: frequencies, damping, shapes, and "
            "which of them grow",
    .text = "Of the true degrees of freedom: loops are held, with the stiffness that their forces\n"
            "have; coordinates with a (motion ..) stand still; friction and contacts are left\n"
            "out. A mode swings, decays, grows, is rigid (moves on freely) or still (stays where\n"
            "it is put). If the start is not an equilibrium, a note reports it: the modes are then "
            "those\n"
            "of the motion at that instant.\n"
            "\n"
            "examples\n"
            "  cardan modes pendulum:3 --at equilibrium --report modes.html\n"
            "  cardan modes arm.urdf --init q.elbow=0.4 --json\n",
    .option = options,
    .run = modes,
};
