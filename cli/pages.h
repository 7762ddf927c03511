/* SPDX-License-Identifier: Apache-2.0
 * pages.h - --report, --png, --svg, --film and --forces: pages, pictures and films of a run. */
#pragma once
#include "cardan/page.h"
#include "run_job.h"

typedef struct {
  const char *report, *png, *svg, *gif; // NULL: not requested
  bool forces;                          // pictures show them
  cardan_film *film;                    // NULL: none was
} cli_pages;

/* Can there be a page at path? NULL: none is requested. Says what is wrong; returns an exit
 * status. */
int cli_report_check(const char *path);

/* What the command line asks for, with endings and folders checked: a long run must not end without
 * its report. returns an exit status, after saying what is wrong */
int cli_pages_read(cli_pages *pages, const cli_args *args);

/* Columns of a page beyond the usual ones: momenta, the work that was done and
 * the balance of energies with it, and where something can touch what it does. */
int cli_page_columns(const cardan_sim *sim);

/* Before the start: room for the motion. add: columns of the run's table. */
int cli_pages_open(cli_pages *pages, const cardan_sim *sim, int add);
/* Of a run that continues: room for the motion, with the first rows of the job's result in it,
 * whose columns it has. */
int cli_pages_go_on(cli_pages *pages, const cli_job *job, int64_t rows);
/* The film's sink. go_on: of such a one, whose columns are those of add. */
cardan_sink cli_pages_sink(const cli_pages *pages, bool go_on, int add);
/* Writes what was requested. error: why the run ended early, NULL: it did not. */
int cli_pages_write(const cli_pages *pages, const cli_job *job, double wall_seconds,
                    const char *error);
void cli_pages_free(cli_pages *pages);
