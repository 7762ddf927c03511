// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "cardan/sim.h"
#include "options.h"

enum { COLUMN = 24, WIDTH = 80 };

const char cli_help_models[] = "MODEL is a model file (.mbs), a robot (.urdf, .sdf, .xml), a "
                               "built-in name such as pendulum or "
                               "chain:100 (cardan list shows them), or a result (.h5), which holds "
                               "its model and options, or a "
                               "case of a sweep (.h5#17).";
const char cli_help_exits[] =
    "Exit status: 0 done; 1 wrong usage, or a file that cannot be read or written; 2 the model is "
    "at fault; 3 the simulation failed; 130, 143, 129 stopped by Ctrl-C, SIGTERM, SIGHUP.";

/* ---- lines of 80 columns ---- */

/* Characters of the next piece that is not broken: a word with the spaces before it, which may end
 * at a '|' between two choices. */
static size_t next_piece(const char *text)
{
  size_t n = strspn(text, " \n");
  while (text[n] != '\0' && text[n] != ' ' && text[n] != '\n') {
    n++;
    if (text[n - 1] == '|') {
      break;
    }
  }
  return n;
}

/* Prints n bytes in lines that begin at column `indent`, the first of them at `at`. Spaces and ends
 * of lines are the same. returns the column after it */
static int wrap(const char *text, size_t length, int at, int indent)
{
  for (size_t i = 0; i < length;) {
    size_t n = next_piece(text + i), gap = strspn(text + i, " \n");
    n = n < length - i ? n : length - i;
    gap = gap < n ? gap : n;
    const int word = (int)(n - gap), before = gap > 0 && at > indent ? 1 : 0;
    if (word > 0 && at > indent && at + before + word > WIDTH) {
      printf("\n%*s", indent, "");
      at = indent;
    } else if (word > 0 && before) {
      putchar(' ');
      at++;
    }
    printf("%.*s", word, text + i + gap);
    at += word;
    i += n;
  }
  return at;
}

/* Paragraphs again, in lines of WIDTH; lines that begin with a space stay as they are. */
static void reflow(const char *text)
{
  while (*text != '\0') {
    const char *end = text;
    const bool kept = *text == ' ' || *text == '\n';
    do { // to the end of this line, or of the paragraph
      end += strcspn(end, "\n");
      end += *end == '\n';
    } while (!kept && *end != '\0' && *end != ' ' && *end != '\n');
    if (kept) {
      printf("%.*s", (int)(end - text), text);
    } else {
      wrap(text, (size_t)(end - text), 0, 0);
      putchar('\n');
    }
    text = end;
  }
}

static void show_option(const char *name, const char *value, const char *help)
{
  char left[256];
  const int n = snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
  if (n > COLUMN) { // the help goes below
    fputs("  ", stdout);
    wrap(left, strlen(left), 2, 4);
    printf("\n  %-*s  ", COLUMN, "");
  } else {
    printf("  %-*s  ", COLUMN, left);
  }
  wrap(help, strlen(help), COLUMN + 4, COLUMN + 4);
  putchar('\n');
}

static void show_heading(const char *methods)
{
  printf("\noptions of %s\n", methods[0] != '\0' ? methods : "every method");
}

static void show_group(const char *name)
{
  printf("\n%s\n", name);
}

static const cli_help_form plain = {
    .heading = show_heading, .group = show_group, .option = show_option};

void cli_help_all(const cli_command *const *commands, int n)
{
  printf("cardan %s: the motion of mechanisms\n\n", cardan_version());
  for (int i = 0; i < n; i++) {
    char left[64];
    const int used = snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->words);
    printf("  cardan %-18s  ", left);
    wrap(commands[i]->help, strlen(commands[i]->help), used > 18 ? used + 11 : 29, 29);
    putchar('\n');
  }
  fputs("\ncardan COMMAND --help says more about each; cardan --version prints the version.\n",
        stdout);
  reflow(cli_help_models);
  putchar('\n');
  reflow(cli_help_exits);
}

/* ---- options ---- */

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

void cli_help_sim(const cli_command *command, const cli_help_form *form)
{
  cardan_option_info o;
  char methods[sizeof o.methods] = "";
  for (int i = 0; cardan_option_at(i, &o); i++) {
    char help[256];
    if (i == 0) {
      form->heading("");
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
      form->heading(o.methods);
    }
    snprintf(methods, sizeof methods, "%s", o.methods);
    snprintf(help, sizeof help, o.initial[0] ? "%s (%s)" : "%s", o.help, o.initial);
    form->option(o.name, o.takes[0] ? o.takes : NULL, help);
  }
}

/* Options of one name mean the same in all commands, so that groups are of names. */
static const struct {
  const char *name;
  const char *const options[12];
} groups[] = {
    {"model and start", {"init", "input", "input-mode", "set", "base", "convex", "floor", "path"}},
    {"output",
     {"out", "add", "report", "png", "svg", "film", "forces", "trace", "keep-motion", "rows"}},
    {"course of the work",
     {"continue", "checkpoint", "resume", "jobs", "threads", "shard", "merge", "timeout"}},
    {"messages", {"json", "quiet", "help"}},
};
enum { NGROUP = sizeof groups / sizeof groups[0], FEW = 10 };

/* The group of an option, -1: none. */
static int group_of(const char *name)
{
  for (int g = 0; g < NGROUP; g++) {
    for (const char *const *o = groups[g].options; *o; o++) {
      if (strcmp(*o, name) == 0) {
        return g;
      }
    }
  }
  return -1;
}

/* Options of group g, -1: of none, with a heading before the first; all: whatever their group. */
static void show_own(const cli_command *command, int g, bool all, const cli_help_form *form)
{
  bool headed = all || g < 0;
  for (const cli_option *o = command->option; o && o->name; o++) {
    if (!all && group_of(o->name) != g) {
      continue;
    }
    if (!headed) {
      form->group(groups[g].name);
      headed = true;
    }
    form->option(o->name, o->value, o->help);
  }
}

/* Few stand together; of many those that are the command's alone come first. */
void cli_help_own(const cli_command *command, const cli_help_form *form)
{
  int n = 0;
  for (const cli_option *o = command->option; o && o->name; o++) {
    n++;
  }
  show_own(command, -1, n < FEW, form);
  for (int g = 0; g < NGROUP && n >= FEW; g++) {
    show_own(command, g, false, form);
  }
  form->option("help", NULL, "this text");
}

void cli_help(const cli_command *command)
{
  printf("cardan %s %s%s[options]\n", command->name, command->words,
         command->words[0] != '\0' ? " " : "");
  reflow(command->help);
  printf("\noptions\n");
  cli_help_own(command, &plain);
  if (command->simulates) {
    cli_help_sim(command, &plain);
  }
  if (command->text) {
    putchar('\n');
    reflow(command->text);
  }
}
