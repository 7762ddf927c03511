// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "gif.h"
#include "outputs.h"
#include "picture.h"
#include "say.h"

static bool ends_in(const char *path, const char *ending)
{
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

/* A path that must have an ending; "" when the option was not given. */
static bool has_ending(const char *option, const char *path, const char *ending)
{
  if (path && !ends_in(path, ending)) {
    cli_error("--%s is \"%s\", expected a name that ends in %s", option, path, ending);
    return false;
  }
  return true;
}

int cli_report_check(const char *path)
{
  cardan_report report = {0};
  if (!has_ending("report", path, ".html")) {
    return CLI_USAGE;
  }
  if (path && cardan_page_check(path, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

int cli_pages_read(cli_pages *pages, const cli_args *args)
{
  cardan_report report = {0};
  *pages = (cli_pages){.report = cli_args_value(args, "report"),
                       .png = cli_args_value(args, "png"),
                       .svg = cli_args_value(args, "svg"),
                       .gif = cli_args_value(args, "film"),
                       .forces = cli_args_value(args, "forces") != NULL};
  if (cli_report_check(pages->report) != CLI_DONE || !has_ending("png", pages->png, ".png") ||
      !has_ending("svg", pages->svg, ".svg") || !has_ending("film", pages->gif, ".gif")) {
    return CLI_USAGE;
  }
  if (pages->forces && !pages->png && !pages->svg && !pages->gif) {
    cli_error("--forces is for pictures, expected --png, --svg or --film too; a page of --report "
              "shows them on demand");
    return CLI_USAGE;
  }
  if (((pages->png || pages->svg || pages->gif) && cli_picture_ready(&report) != CARDAN_OK) ||
      (pages->gif && cli_gif_ready(&report) != CARDAN_OK)) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

int cli_page_columns(const cardan_sim *sim)
{
  const bool touches = cardan_sim_columns(sim, CARDAN_ADD_CONTACTS) > cardan_sim_columns(sim, 0);
  return CARDAN_FILM_FORCES | CARDAN_ADD_MOMENTUM | CARDAN_ADD_WORK | CARDAN_ADD_TYRES |
         (touches ? CARDAN_ADD_CONTACTS : 0);
}

int cli_pages_open(cli_pages *pages, const cardan_sim *sim, int add)
{
  cardan_report report = {0};
  if (!pages->report && !pages->png && !pages->svg && !pages->gif) {
    return CLI_DONE;
  }
  const cardan_status status =
      cardan_film_of_sim(sim, add | cli_page_columns(sim), 0, NULL, &pages->film, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Rows of a result into the film. */
static cardan_status take_rows(cardan_film *film, cardan_result *result, int64_t rows,
                               cardan_report *report)
{
  enum { AT_ONCE = 256 };
  const size_t n = (size_t)result->ncolumn;
  double *row = malloc(AT_ONCE * n * sizeof *row);
  cardan_status status = row ? CARDAN_OK : CARDAN_ERR_MEMORY;
  for (int64_t first = 0; first < rows && status == CARDAN_OK; first += AT_ONCE) {
    const int64_t count = rows - first < AT_ONCE ? rows - first : AT_ONCE;
    status = cardan_result_rows(result, first, count, row, report);
    for (int64_t i = 0; i < count && status == CARDAN_OK; i++) {
      cardan_film_append(film, row + (size_t)i * n);
    }
  }
  free(row);
  return status;
}

int cli_pages_go_on(cli_pages *pages, const cli_job *job, int64_t rows)
{
  cardan_report report = {0};
  cardan_result *result = job->source.result;
  if (!pages->report && !pages->png && !pages->svg && !pages->gif) {
    return CLI_DONE;
  }
  cardan_status status = cardan_film_create(job->model, (const char *const *)result->column,
                                            result->ncolumn, 0, NULL, &pages->film, &report);
  status = status == CARDAN_OK ? take_rows(pages->film, result, rows, &report) : status;
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static cardan_status take_row(void *user, const double *row, cardan_report *report)
{
  (void)report;
  cardan_film_append(user, row);
  return CARDAN_OK;
}

cardan_sink cli_pages_sink(const cli_pages *pages, bool go_on, int add)
{
  return go_on ? (cardan_sink){.user = pages->film, .add = add, .row = take_row}
               : cardan_film_sink(pages->film);
}

static int write_report(const cli_pages *pages, const cli_job *job, double wall_seconds,
                        const char *error)
{
  char label[64];
  cardan_report report = {0};
  cardan_options_label(&job->options, label, sizeof label);
  const cardan_page_run run = {.label = label,
                               .film = pages->film,
                               .options = &job->options,
                               .stats = cardan_sim_stats(job->sim),
                               .wall_seconds = wall_seconds,
                               .note = cardan_sim_note(job->sim),
                               .warning = cardan_sim_warning(job->sim),
                               .error = error,
                               .status = job->status};
  const cardan_page page = {.source = job->source.name,
                            .text = job->source.text,
                            .length = job->source.length,
                            .model = job->model,
                            .files = job->source.files,
                            .setting = job->settings.item,
                            .nsetting = job->settings.n,
                            .run = &run,
                            .nrun = 1};
  const cardan_status status = cardan_page_write(&page, pages->report, NULL, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

int cli_pages_write(const cli_pages *pages, const cli_job *job, double wall_seconds,
                    const char *error)
{
  int exit = CLI_DONE;
  if (!pages->film || cardan_film_row_count(pages->film) == 0) {
    return exit;
  }
  if (pages->report) {
    exit = write_report(pages, job, wall_seconds, error);
    cli_wrote(pages->report, exit, job->quiet);
  }
  const char *const paths[] = {pages->png, pages->svg, pages->gif};
  for (int i = 0; i < 3 && exit == CLI_DONE; i++) {
    if (paths[i]) {
      exit = cli_picture_write(paths[i], job->model, job->source.files, pages->film, pages->forces);
      cli_wrote(paths[i], exit, job->quiet);
    }
  }
  return exit;
}

void cli_pages_free(cli_pages *pages)
{
  cardan_film_destroy(pages->film);
}
