// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // SIGXFSZ
#include <signal.h>

#include "cardan/linalg.h"
#include "cli.h"
#include "interrupt.h"
#include "outputs.h"
#include "say.h"

void cli_begin(void)
{
  // a reader that closes its pipe (`cardan .. | head`) ends the command without a message
  signal(SIGPIPE, SIG_DFL);
  // a limit on the size of files is met as a full disk is
  signal(SIGXFSZ, SIG_IGN);
  cardan_blas_one_thread();
}

int cli_command_run(const cli_command *command, int argc, char **argv, const cli_fleet *fleet)
{
  cli_args args;
  int status = CLI_USAGE;
  if (cli_args_read(command, argc, argv, &args)) {
    args.fleet = fleet;
    if (args.help) {
      cli_help(command);
      status = CLI_DONE;
    } else {
      status = cli_outputs_check(command, &args);
      status = status == CLI_DONE ? command->run(&args) : status;
    }
  }
  cli_args_free(&args);
  status = cli_finish_output(status);
  cli_interrupt_leave();
  return status;
}
