// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cli.h"
#include "say.h"

/* cardan list: the built-in models, the methods, the integrators. */

static int list(const cli_args *args)
{
  char *text;
  cardan_report report = {0};
  const cardan_status status =
      cardan_describe_library(cli_args_value(args, "json") != NULL, NULL, &text, &report);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, &report);
  }
  cli_dashes(text);
  fputs(text, stdout);
  cardan_free_text(NULL, text);
  return CLI_DONE;
}

static const cli_option options[] = {
    {"json", NULL, "one JSON object"},
    {NULL, NULL, NULL},
};

const cli_command cli_list = {
    .name = "list",
    .words = "",
    .help = "the built-in models and the methods, with what each can take",
    .text = "examples\n"
            "  cardan list\n"
            "  cardan list --json\n",
    .option = options,
    .run = list,
};
