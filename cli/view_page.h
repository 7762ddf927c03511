/* SPDX-License-Identifier: Apache-2.0
 * view_page.h - what `cardan view` shows of a model file or a result, faults included. */
#pragma once
#include "args.h"
#include "cardan/base.h"
#include "pairs.h"

typedef struct {
  const char *path; // file, built-in name or result
  const cli_args *args;
  cli_pairs settings; // --set
  cli_pairs wishes;   // of the page's sliders, over them
} view_file;

/* Does the command line ask for what the file's method does not have? report: what. A fault of the
 * file itself is for the page. */
bool cli_view_refused(const view_file *file, cardan_report *report);

/* The file as a page (live: where the page asks for news) and as data alone, both from malloc. A
 * model is run for as long as it takes, at most about a second. What is wrong with the file goes
 * onto the page, and into report.
 * returns CARDAN_OK, also for a file with a fault; CARDAN_ERR_MEMORY, CARDAN_ERR_UNSUPPORTED */
cardan_status cli_view_page(const view_file *file, const char *live, char **html,
                            size_t *html_length, char **json, size_t *json_length,
                            cardan_report *report);
