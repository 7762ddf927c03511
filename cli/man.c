// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/sim.h"
#include "help.h"

/* The manual page, of the same texts as --help: man(7). */

/* Text as roff takes it: no requests, dashes that can be copied. */
static void put(const char *text, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const bool first = i == 0 || text[i - 1] == '\n';
    if (first && (text[i] == '.' || text[i] == '\'')) {
      fputs("\\&", stdout);
    }
    switch (text[i]) {
    case '\\':
      fputs("\\e", stdout);
      break;
    case '-':
      fputs("\\-", stdout);
      break;
    case '\'':
      fputs("\\(aq", stdout);
      break;
    case '^':
      fputs("\\(ha", stdout);
      break;
    case '~':
      fputs("\\(ti", stdout);
      break;
    case '`':
      fputs("\\(ga", stdout);
      break;
    case '|':
      fputs("|\\:", stdout);
      break; // a line may end here
    default:
      putchar(text[i]);
    }
  }
}

static void put_all(const char *text)
{
  put(text, strlen(text));
}

static void show_option(const char *name, const char *value, const char *help)
{
  printf(".TP\n\\fB\\-\\-");
  put_all(name);
  printf("\\fR");
  if (value) {
    printf(" \\fI");
    put_all(value);
    printf("\\fR");
  }
  printf("\n\\&");
  put_all(help);
  putchar('\n');
}

static void show_heading(const char *methods)
{
  printf(".SS Options of ");
  put_all(methods[0] != '\0' ? methods : "every method");
  putchar('\n');
}

/* Commands are sections of their own already. */
static void show_group(const char *name)
{
  printf(".PP\n\\fI");
  put_all(name);
  printf("\\fR\n");
}

static const cli_help_form page = {
    .heading = show_heading, .group = show_group, .option = show_option};

/* Paragraphs; lines that begin with a space stay as they are. */
static void show_text(const char *text)
{
  bool kept = false;
  puts(".PP");
  while (*text != '\0') {
    const size_t n = strcspn(text, "\n");
    if (kept != (*text == ' ')) {
      kept = !kept;
      puts(kept ? ".nf" : ".fi");
    }
    if (n == 0) {
      puts(".PP");
    } else {
      put(text, n);
      putchar('\n');
    }
    text += n + (text[n] == '\n');
  }
  if (kept) {
    puts(".fi");
  }
}

static void show_command(const cli_command *command)
{
  printf(".SS cardan %s ", command->name);
  put_all(command->words);
  putchar('\n');
  show_text(command->help);
  cli_help_own(command, &page);
  if (command->simulates) {
    puts(".PP\nThe options of methods, below, too.");
  }
  if (command->text) {
    show_text(command->text);
  }
}

/* Without a date: the same program prints the same page. */
void cli_help_man(const cli_command *const *commands, int n)
{
  printf(".TH CARDAN 1 \"\" \"cardan %s\" \"User Commands\"\n", cardan_version());
  puts(".nh\n.ad l\n.SH NAME\ncardan \\- the motion of mechanisms\n.SH SYNOPSIS");
  for (int i = 0; i < n; i++) {
    printf("\\fBcardan %s\\fR%s", commands[i]->name, commands[i]->words[0] != '\0' ? " " : "");
    put_all(commands[i]->words);
    puts(" [\\fIoptions\\fR]\n.br");
  }
  puts(".SH DESCRIPTION\nSimulates and analyses mechanisms of rigid bodies, joints and loops.");
  show_text(cli_help_models);
  puts(".SH COMMANDS");
  for (int i = 0; i < n; i++) {
    show_command(commands[i]);
  }
  puts(".SH OPTIONS OF METHODS\nWhat counts where they are not given is in brackets.");
  for (int i = 0; i < n; i++) {
    if (commands[i]->automatic) { // which takes all of them
      cli_help_sim(commands[i], &page);
      break;
    }
  }
  puts(".SH EXIT STATUS");
  show_text(cli_help_exits);
}
