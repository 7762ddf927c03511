/* SPDX-License-Identifier: Apache-2.0
 * still.h - a model at its start, loops closed, for commands that do not step. */
#pragma once
#include "cardan/data.h"
#include "cardan/page.h"
#include "pairs.h"
#include "source.h"

typedef struct {
  cli_pairs settings, initial;
  cli_source source;
  bool opened;
  cardan_model *model;
  cardan_data *data; // at the start, as cardan_assemble leaves it
  bool left;         // a table was, and that was reported
} cli_still;

/* The model of the first word, with --set, --keyframe and their like (CLI_STILL_OPTIONS), and the
 * start of --init. Says what is wrong. returns an exit status; cli_still_close is needed either
 * way */
int cli_still_open(cli_still *still, const cli_args *args);

/* --at start|equilibrium: moves data to the equilibrium that it comes to from its start, where that
 * is requested (CLI_AT_OPTION). Says what is wrong. returns an exit status */
int cli_still_settle(cli_still *still, const cli_args *args);
#define CLI_AT_OPTION                                                                   \
  {                                                                                     \
    "at", "start|equilibrium", "where: the start, or where it comes to rest from there" \
  }

/* A page of the model, without runs. */
cardan_page cli_still_page(const cli_still *still);

/* Says once when data's state leads an expression beyond the points of its table. */
void cli_still_tables(cli_still *still);

void cli_still_close(cli_still *still);

#define CLI_STILL_OPTIONS                                                              \
  {"init", "q.J=0.5,v.J=1", "start values, over those of the model; may be repeated"}, \
      CLI_SETTING_OPTIONS, CLI_STRICT_OPTION, CLI_BEGIN_OPTIONS
