// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // SIGXFSZ
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/linalg.h"
#include "cli.h"
#include "say.h"

static const cli_command *const commands[] = {
    &cli_run,     &cli_batch,     &cli_compare,  &cli_check, &cli_list,      &cli_make,
    &cli_convert, &cli_linearize, &cli_matrices, &cli_view,  &cli_reproduce, &cli_bench};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Runs one command with what follows its name. */
static int run_command(const cli_command *command, int argc, char **argv)
{
  cli_args args;
  int status = CLI_USAGE;
  if (cli_args_read(command, argc, argv, &args)) {
    if (args.help) {
      cli_help(command);
      status = CLI_DONE;
    } else {
      status = command->run(&args);
    }
  }
  cli_args_free(&args);
  return cli_finish_output(status);
}

static int unknown_command(const char *word)
{
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; i++) {
    names[i] = commands[i]->name;
  }
  const char *near = cardan_nearest(word, names, COMMANDS);
  if (near) {
    cli_error("there is no command \"%s\"; did you mean \"%s\"?", word, near);
  } else {
    cli_error("there is no command \"%s\"; cardan --help lists them", word);
  }
  return CLI_USAGE;
}

int main(int argc, char **argv)
{
  // a reader that has seen enough (`cardan .. | head`) ends the command without a word
  signal(SIGPIPE, SIG_DFL);
  // a limit on the size of files is met as a full disk is
  signal(SIGXFSZ, SIG_IGN);
  cardan_blas_one_thread();
  const char *word = argc > 1 ? argv[1] : "";
  for (int i = 0; i < COMMANDS; i++) {
    if (strcmp(word, commands[i]->name) == 0) {
      return run_command(commands[i], argc - 2, argv + 2);
    }
  }
  if (strcmp(word, "--version") == 0) {
    printf("cardan %s, %s\n", cardan_version(), cardan_level());
    return cli_finish_output(CLI_DONE);
  }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    cli_help_all(commands, COMMANDS);
    return cli_finish_output(CLI_DONE);
  }
  if (word[0] == '\0') {
    cli_error("which command? cardan --help lists them");
    return CLI_USAGE;
  }
  return unknown_command(word);
}
