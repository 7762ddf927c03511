// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/sim.h"
#include "cli.h"
#include "options.h"

enum { COLUMN = 24 };

static void show_option(const char *name, const char *value, const char *help)
{
  char left[256];
  const int n = snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
  if (n > COLUMN) { // the help goes below
    printf("  %s\n  %-*s  %s\n", left, COLUMN, "", help);
  } else {
    printf("  %-*s  %s\n", COLUMN, left, help);
  }
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
      "MODEL is a model file (.mbs), a robot (.urdf, .sdf, .xml), a built-in name such as "
      "pendulum\n"
      "or chain:100 (cardan list shows them), or a result (.h5), which holds its model and "
      "options,\n"
      "or a case of a sweep (.h5#17).\n"
      "\n"
      "Exit status: 0 done; 1 wrong usage, or a file that cannot be read or written; 2 the model\n"
      "is at fault; 3 the simulation could not go on; 130, 143, 129 stopped by Ctrl-C, SIGTERM, "
      "SIGHUP.\n");
}

/* Leaves of a list of methods those that the command may use. returns whether there are any */
static bool pick(const cli_command *command, char between, char *list, size_t size)
{
  char kept[256] = "";
  const char marks[] = {between, ' ', '\0'};
  for (const char *at = list; *at;) {
    char name[64];
    const size_t n = strcspn(at, marks), used = strlen(kept);
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    if (!command->method || command->method(name)) {
      snprintf(kept + used, sizeof kept - used, "%s%s",
               used == 0        ? ""
               : between == ',' ? ", "
                                : "|",
               name);
    }
    at += n;
    at += strspn(at, marks);
  }
  snprintf(list, size, "%s", kept);
  return kept[0] != '\0';
}

/* The library's options, with what counts when they are not given in brackets; those of the same
 * methods together. */
static void show_sim_options(const cli_command *command)
{
  cardan_option_info o;
  char methods[sizeof o.methods] = "";
  for (int i = 0; cardan_option_at(i, &o); i++) {
    char help[256];
    if (i == 0) {
      printf("\noptions of every method\n");
    }
    if (!cli_takes_sim_option(command, o.name)) {
      continue;
    }
    if (strcmp(o.name, "method") == 0) {
      pick(command, '|', o.takes, sizeof o.takes);
      const size_t used = strlen(o.takes);
      snprintf(o.takes + used, sizeof o.takes - used, "%s", command->automatic ? "|auto" : "");
    }
    if (o.methods[0] && !pick(command, ',', o.methods, sizeof o.methods)) {
      continue;
    }
    if (strcmp(methods, o.methods) != 0) {
      printf("\noptions of %s\n", o.methods);
    }
    snprintf(methods, sizeof methods, "%s", o.methods);
    snprintf(help, sizeof help, o.initial[0] ? "%s (%s)" : "%s", o.help, o.initial);
    show_option(o.name, o.takes[0] ? o.takes : NULL, help);
  }
}

void cli_help(const cli_command *command)
{
  printf("cardan %s %s%s[options]\n%s\n", command->name, command->words,
         command->words[0] != '\0' ? " " : "", command->help);
  printf("\noptions\n");
  for (const cli_option *o = command->option; o && o->name; o++) {
    show_option(o->name, o->value, o->help);
  }
  show_option("help", NULL, "this text");
  if (command->simulates) {
    show_sim_options(command);
  }
  if (command->text) {
    printf("\n%s", command->text);
  }
}
