/* SPDX-License-Identifier: Apache-2.0
 * cli.h - the commands of `cardan`, and how they end.
 *
 * Results go to the standard output, everything else to the standard error. */
#pragma once
#include "args.h"

/* Exit statuses. Beyond these, 128 + signal when a signal stopped a run. */
enum {
  CLI_DONE = 0,
  CLI_USAGE = 1,  // wrong usage: an option, a name, a file that cannot be read or written
  CLI_MODEL = 2,  // the model is at fault
  CLI_STOPPED = 3 // the simulation could not continue
};

/* One command. A new one is a file and a row of the list in main.c. */
struct cli_command {
  const char *name;
  const char *words;                // what follows it, for help: "MODEL"
  int nword;                        // how many words that is
  int more;                         // and how many may follow: CLI_WORDS at most in all
  int target;                       // which of them, from 1, is a file to be written; 0: none
  const char *help;                 // one line
  const char *text;                 // more, after the options; NULL: no more
  const cli_option *option;         // its own options, up to one with a NULL name
  bool simulates;                   // takes the options of cardan/sim.h too
  bool several;                     // with several methods, so that it has no option method
  bool automatic;                   // has --method auto, and --accuracy
  bool (*method)(const char *name); // may it be this one? NULL: any
  int (*run)(const cli_args *args);
};

extern const cli_command cli_batch, cli_bench, cli_check, cli_compare, cli_convert, cli_kinematics,
    cli_linearize, cli_list, cli_make, cli_matrices, cli_modes, cli_reproduce, cli_run, cli_statics,
    cli_sweep, cli_view;

/* command.c: what a program does first; and one command with what follows its name.
 * fleet  of the processes that do it together; NULL: this one alone
 * returns an exit status */
void cli_begin(void);
int cli_command_run(const cli_command *command, int argc, char **argv, const cli_fleet *fleet);

/* help.c: texts of --help, to the standard output. */
void cli_help_all(const cli_command *const *commands, int n);
void cli_help(const cli_command *command);
