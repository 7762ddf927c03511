/* SPDX-License-Identifier: Apache-2.0
 * source.h - what the word MODEL stands for: a file, a built-in name, or a result. */
#pragma once
#include "args.h"
#include "cardan/output.h"
#include "pairs.h"

typedef struct {
  const char *given; // the word itself, for messages
  const char *name;  // of the model: the word, or what a result says
  const char *text;  // model text, length bytes
  size_t length;
  char *loaded;          // text to give back; NULL: the result's
  cardan_result *result; // NULL: not a result
} cli_source;

/* Reads the text; says what is wrong. returns an exit status; then there is nothing to free. */
int cli_source_open(cli_source *source, const char *word);

/* The values of --set, and of --base as one of them (cardan/spec.h). Says what is wrong and returns
 * false. */
bool cli_settings_read(const cli_args *args, cli_pairs *settings);
#define CLI_SETTING_OPTIONS                                                                    \
  {"set", "NAME=VALUE", "value of a (define NAME ..); may be repeated"},                       \
  {                                                                                            \
    "base", "fixed|free", "what a robot's root link does, where its file does not say (fixed)" \
  }

/* The model of the text. settings: --set, laid over those of a result, which are added to it. */
int cli_source_model(const cli_source *source, cli_pairs *settings, cardan_model **model);

/* The model's loops with the tolerance of --closing; 0: not given. */
int cli_source_close_loops(const cli_source *source, double closing, cardan_model *model);

void cli_source_close(cli_source *source);
