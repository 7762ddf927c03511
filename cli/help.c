// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/sim.h"
#include "cli.h"

enum { COLUMN = 24 };

static void show_option(const char *name, const char *value, const char *help)
{
  char left[64];
  snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
  printf("  %-*s  %s\n", COLUMN, left, help);
}

void cli_help_all(const cli_command *const *commands, int n)
{
  printf("cardan %s: the motion of mechanisms\n\n", cardan_version());
  for (int i = 0; i < n; i++) {
    char left[64];
    snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->words);
    printf("  cardan %-18s  %s\n", left, commands[i]->help);
  }
  printf(
      "\n"
      "cardan COMMAND --help says more about each; cardan --version prints the version.\n"
      "MODEL is a model file (.mbs), a built-in name such as pendulum or chain:100 (cardan list\n"
      "shows them), or a result (.h5), which holds its model and options.\n"
      "\n"
      "Exit status: 0 done; 1 wrong usage, or a file that cannot be read or written; 2 the model\n"
      "is at fault; 3 the simulation could not go on; 130 stopped by Ctrl-C.\n");
}

/* An option of the library, with its default in brackets. */
static void show_sim_option(int index)
{
  const cardan_options defaults = cardan_options_defaults();
  const char *name = cardan_option_name(index);
  char value[64], help[256];
  cardan_option_value(&defaults, index, value, sizeof value);
  const bool is_switch = cli_is_switch(name);
  if (!is_switch && value[0] != '\0' && value[0] != '-') {
    snprintf(help, sizeof help, "%s (%s)", cardan_option_help(index), value);
  } else {
    snprintf(help, sizeof help, "%s", cardan_option_help(index));
  }
  show_option(name, is_switch ? NULL : "X", help);
}

/* The words that an option takes, if it takes words: what the library says to one that is none. */
static void show_choices(const char *name)
{
  static const char lead[] = "expected one of: ";
  cardan_options scratch = cardan_options_defaults();
  cardan_report report = {0};
  const cardan_status status = cardan_options_set(&scratch, name, "?", &report);
  const char *words = status != CARDAN_OK ? strstr(report.message, lead) : NULL;
  if (words) {
    show_option(name, NULL, words + sizeof lead - 1);
  }
}

void cli_help(const cli_command *command)
{
  printf("cardan %s %s%s[options]\n%s\n", command->name, command->words,
         command->nword > 0 ? " " : "", command->help);
  printf("\noptions\n");
  for (const cli_option *o = command->option; o && o->name; o++) {
    show_option(o->name, o->value, o->help);
  }
  for (int i = 0; command->simulates && cardan_option_name(i); i++) {
    show_sim_option(i);
  }
  show_option("help", NULL, "this text");
  if (command->simulates) {
    printf("\nchoices\n");
    for (int i = 0; cardan_option_name(i); i++) {
      show_choices(cardan_option_name(i));
    }
  }
  if (command->text) {
    printf("\n%s", command->text);
  }
}
