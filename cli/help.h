/* SPDX-License-Identifier: Apache-2.0
 * help.h - what --help and the manual page are made of, so that they say the same. */
#pragma once
#include "cli.h"

/* How options are shown. */
typedef struct {
  void (*heading)(const char *methods); // before the options of these; "": of every method
  void (*group)(const char *name);      // before a group of the command's own options
  void (*option)(const char *name, const char *value, const char *help); // value NULL: it has none
} cli_help_form;

/* The command's own options, by groups where there are many; and those of the library that it
 * takes, with what counts when they are not given in brackets, those of the same methods together.
 */
void cli_help_own(const cli_command *command, const cli_help_form *form);
void cli_help_sim(const cli_command *command, const cli_help_form *form);

/* What the word MODEL stands for, and how commands end: paragraphs. */
extern const char cli_help_models[], cli_help_exits[];

/* man.c: the manual page cardan.1, to the standard output. */
void cli_help_man(const cli_command *const *commands, int n);
