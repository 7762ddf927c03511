// SPDX-License-Identifier: Apache-2.0
#include "args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/describe.h"
#include "cli.h"
#include "options.h"
#include "say.h"

enum { MOST_OPTIONS = 128 };

static const cli_option *find_own(const cli_command *command, const char *name)
{
  for (const cli_option *o = command->option; o && o->name; o++) {
    if (strcmp(o->name, name) == 0) {
      return o;
    }
  }
  return NULL;
}

/* Says that there is no such option, and which one may have been meant. */
static void unknown_option(const cli_command *command, const char *name)
{
  const char *list[MOST_OPTIONS];
  int n = 0;
  list[n++] = "help";
  for (const cli_option *o = command->option; o && o->name && n < MOST_OPTIONS; o++) {
    list[n++] = o->name;
  }
  const char *known;
  for (int i = 0; n < MOST_OPTIONS && (known = cardan_option_name(i)); i++) {
    if (cli_takes_sim_option(command, known)) {
      list[n++] = known;
    }
  }
  const char *near = cardan_nearest(name, list, n);
  if (near) {
    cli_error("%s has no option --%s; did you mean --%s?", command->name, name, near);
  } else {
    cli_error("%s has no option --%s; cardan %s --help lists them", command->name, name,
              command->name);
  }
}

static bool add_word(const cli_command *command, cli_args *args, const char *word)
{
  if (args->nword == command->nword + command->more) {
    cli_error("found \"%s\" where nothing was expected: cardan %s %s", word, command->name,
              command->words);
    return false;
  }
  args->word[args->nword++] = word;
  return true;
}

/* One option; *i is moved on when its value is the next argument. */
static bool add_option(const cli_command *command, int argc, char **argv, int *i, char *name,
                       cli_args *args)
{
  char *equals = strchr(name, '=');
  if (equals) {
    *equals = '\0';
  }
  const cli_option *own = find_own(command, name);
  if (!own && !cli_takes_sim_option(command, name)) {
    unknown_option(command, name);
    return false;
  }
  const bool is_switch = own ? own->value == NULL : cli_is_switch(name);
  const char *value = equals ? equals + 1 : NULL;
  if (is_switch && value) {
    cli_error("--%s takes no value, found \"%s\"", name, value);
    return false;
  }
  if (!is_switch && !value) {
    if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) {
      cli_error("--%s needs a value", name);
      return false;
    }
    value = argv[++*i];
  }
  if (command->automatic && strcmp(name, "method") == 0) {
    args->automatic = value && strcmp(value, "auto") == 0; // of several the last counts
    if (args->automatic) {
      return true;
    }
  }
  args->given[args->ngiven++] = (struct cli_given){name, value};
  return true;
}

/* One argument, or two when the first is an option and the second its value. */
static bool add_argument(const cli_command *command, int argc, char **argv, int *i, char *copy,
                         cli_args *args)
{
  const char *text = argv[*i];
  if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
    args->help = true;
    return true;
  }
  if (strncmp(text, "--", 2) == 0) {
    snprintf(copy, strlen(text) - 1, "%s", text + 2);
    return add_option(command, argc, argv, i, copy, args);
  }
  if (text[0] == '-' && text[1] != '\0') {
    cli_error("found \"%s\"; options begin with two dashes", text);
    return false;
  }
  return add_word(command, args, text);
}

bool cli_args_read(const cli_command *command, int argc, char **argv, cli_args *args)
{
  size_t size = 0;
  for (int i = 0; i < argc; i++) {
    size += strlen(argv[i]) + 1;
  }
  // names of options are cut at their '=' in a copy of the arguments
  *args = (cli_args){.memory = malloc(size + 1)};
  args->given = calloc((size_t)argc + 1, sizeof *args->given);
  if (!args->memory || !args->given) {
    cli_error("out of memory");
    return false;
  }
  char *copy = args->memory;
  bool only_words = false;
  for (int i = 0; i < argc; i++) {
    const size_t length = strlen(argv[i]) + 1;
    if (!only_words && strcmp(argv[i], "--") == 0) {
      only_words = true;
    } else if (only_words ? !add_word(command, args, argv[i])
                          : !add_argument(command, argc, argv, &i, copy, args)) {
      return false;
    }
    copy += length;
  }
  if (!args->help && args->nword < command->nword) {
    cli_error("%s needs more words: cardan %s %s", command->name, command->name, command->words);
    return false;
  }
  return true;
}

void cli_args_free(cli_args *args)
{
  free(args->given);
  free(args->memory);
}

const char *cli_args_value(const cli_args *args, const char *name)
{
  const char *value = NULL;
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, name) == 0) {
      value = args->given[i].value ? args->given[i].value : "";
    }
  }
  return value;
}

bool cli_args_whole(const cli_args *args, const char *name, uint64_t low, uint64_t high,
                    uint64_t initial, uint64_t *out)
{
  const char *text = cli_args_value(args, name);
  *out = initial;
  if (!text) {
    return true;
  }
  errno = 0;
  char *end = NULL;
  const bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
  const unsigned long long value = digits ? strtoull(text, &end, 10) : 0;
  if (!digits || errno != 0 || value < low || value > high) {
    cli_error("--%s is \"%.40s\", expected a whole number from %" PRIu64 " to %" PRIu64, name, text,
              low, high);
    return false;
  }
  *out = value;
  return true;
}
