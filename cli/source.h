/* SPDX-License-Identifier: Apache-2.0
 * source.h - what the word MODEL stands for: a file, a built-in name, or a result. */
#pragma once
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

/* The model of the text. settings: --set, laid over those of a result, which are added to it. */
int cli_source_model(const cli_source *source, cli_pairs *settings, cardan_model **model);

/* The model's loops with the tolerance of --closing; 0: not given. */
int cli_source_close_loops(const cli_source *source, double closing, cardan_model *model);

void cli_source_close(cli_source *source);
