/* SPDX-License-Identifier: Apache-2.0
 * args.h - the words and options of a command line. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "fleet.h"

typedef struct cli_command cli_command;

/* An option that a command has, beside those of cardan/sim.h. */
typedef struct {
  const char *name;  // without dashes
  const char *value; // what it takes, for help; NULL: nothing; "FILE..": see outputs.h
  const char *help;
} cli_option;

enum { CLI_WORDS = 16 };

/* A command line: words, and options in the order given. Texts belong to argv, or to `memory`. */
typedef struct {
  const char *word[CLI_WORDS];
  int nword;
  struct cli_given {
    const char *name, *value; // value NULL: the option takes none
  } * given;
  int ngiven;
  bool help;      // --help, wherever it stands
  bool automatic; // --method auto, where the command has that: it is not among those given
  const char *write[CLI_WORDS]; // files that will be written, as cli_outputs_check found them
  int nwrite;
  const cli_fleet *fleet; // NULL: this process alone
  void *memory;
} cli_args;

/* Reads what follows the command's name: `--name value`, `--name=value`, `--` before words that
 * begin with a dash. Says what is wrong and returns false for an unknown option (with the nearest
 * one), a missing value, too many or too few words. Values are not looked at. */
bool cli_args_read(const cli_command *command, int argc, char **argv, cli_args *args);
void cli_args_free(cli_args *args);

/* The value of an option of the command's own, the last one given; "" for a switch, NULL when it
 * was not given. */
const char *cli_args_value(const cli_args *args, const char *name);

/* A whole number of an option; `initial` where it is not given. Says what is wrong. */
bool cli_args_whole(const cli_args *args, const char *name, uint64_t low, uint64_t high,
                    uint64_t initial, uint64_t *out);
