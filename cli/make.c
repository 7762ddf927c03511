// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/load.h"
#include "cli.h"
#include "say.h"

/* cardan make: a built-in model as a file, to read and to edit. */

static int make(const cli_args *args)
{
  char *text;
  size_t length;
  cardan_report report = {0};
  if (strpbrk(args->word[0], "/.")) {
    cli_error("make prints built-in models, found the file name \"%s\"; cardan list shows them",
              args->word[0]);
    return CLI_USAGE;
  }
  const cardan_status status = cardan_load_text(args->word[0], NULL, &text, &length, &report);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, &report);
  }
  fwrite(text, 1, length, stdout);
  cardan_free_text(NULL, text);
  return CLI_DONE;
}

const cli_command cli_make = {
    .name = "make",
    .words = "NAME[:N]",
    .nword = 1,
    .help = "print a built-in model as a file",
    .text = "examples\n"
            "  cardan make pendulum > pendulum.mbs\n"
            "  cardan make chain:100 > chain.mbs\n",
    .run = make,
};
