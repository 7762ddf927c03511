// SPDX-License-Identifier: Apache-2.0
#include "cli.h"
#include "say.h"

/* A build without libmicrohttpd. */

static int view(const cli_args *args)
{
  (void)args;
  cli_error("this build cannot serve pages: it was made without libmicrohttpd; cardan run "
            "--report writes one to a file");
  return CLI_USAGE;
}

static const cli_option options[] = {{NULL, NULL, NULL}};

const cli_command cli_view = {
    .name = "view",
    .words = "FILE",
    .nword = 1,
    .help = "open a result or a model in the browser (not in this build)",
    .option = options,
    .run = view,
};
