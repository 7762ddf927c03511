/* SPDX-License-Identifier: Apache-2.0
 * source.h - what the word MODEL stands for: a file, a built-in name, a result, or a case of a
 * sweep. */
#pragma once
#include "args.h"
#include "cardan/output.h"
#include "cardan/sweep.h"
#include "pairs.h"

typedef struct {
  const char *given; // the word itself, for messages
  const char *name;  // of the model: the word, or what a result says
  const char *text;  // model text, length bytes
  size_t length;
  char *loaded;          // text to give back; NULL: the result's
  char *whole;           // name of a text that was made of several files; NULL: it was not
  cardan_result *result; // what a result or a case of a sweep says of its run; NULL: neither
  cardan_sweep *sweep;   // of a case, whose the result then is, without rows; NULL: none
  cardan_record one;     // of the case
  cardan_files *files;   // that the text may name
  bool strict;           // what is not used of the text is an error
  const char *floor;     // --floor: height of a plane to be added; NULL: none is
  const char *base;      // --base, --convex; NULL: not given
  const char *convex;
} cli_source;

/* Does a path end as results do: .h5, .hdf5? */
bool cli_names_result(const char *path);

/* Reads the text. args: for --path, --strict, --floor, --base and --convex. returns a status, the
 * report filled; then there is nothing to free. open: says what is wrong, and returns an exit
 * status. */
cardan_status cli_source_load(cli_source *source, const char *word, const cli_args *args,
                              cardan_report *report) CARDAN_MUST_USE;
int cli_source_open(cli_source *source, const char *word, const cli_args *args);

/* The text of a file beside the model, a table or a plan: a name without a folder or an ending is
 * a file's too, where for a model it is a built-in one's. text: to be freed by cardan_free_text. */
cardan_status cli_load_beside(const char *path, char **text, size_t *length,
                              cardan_report *report) CARDAN_MUST_USE;

/* The values of --set, and of --base as one of them (cardan/spec.h). Says what is wrong and returns
 * false. */
bool cli_settings_read(const cli_args *args, cli_pairs *settings);
#define CLI_SETTING_OPTIONS                                                                     \
  {"set", "NAME=VALUE", "value of a (define NAME ..) or (parameter NAME ..); may be repeated"}, \
      {"base", "fixed|free",                                                                    \
       "what the root link of a URDF or SDF file does (URDF: fixed, SDF: free)"},               \
      {"convex", "N", "a robot's collision meshes as up to N convex pieces each, 1 to 64 (1)"}, \
      {"floor", "Z", "adds a plane at this height that all solids touch, the frame \"floor\""}, \
  {                                                                                             \
    "path", "[NAME=]DIR",                                                                       \
        "folder of package or model NAME, or one that holds files; may be repeated"             \
  }
/* For commands without the options of cardan/sim.h, which have it. */
#define CLI_STRICT_OPTION                                            \
  {                                                                  \
    "strict", NULL, "what is not used of a robot's file is an error" \
  }

/* The spec of the text. settings: --set, laid over those of a result, which are added to it. A text
 * that needs other files, or gets a floor, becomes one that has all, in which the settings are:
 * they are then none. */
cardan_status cli_source_spec(cli_source *source, cli_pairs *settings, cardan_spec **spec,
                              cardan_report *report) CARDAN_MUST_USE;

/* Its model. build returns a status, the report filled; model says what is wrong, and returns an
 * exit status. */
cardan_status cli_source_build(cli_source *source, cli_pairs *settings, cardan_model **model,
                               cardan_report *report) CARDAN_MUST_USE;
int cli_source_model(cli_source *source, cli_pairs *settings, cardan_model **model);

/* Has the model equations of motion? Says why not. returns an exit status */
int cli_source_dynamic(const cli_source *source, const cardan_model *model);

/* The name under which the text can be read again: its ending is that of the text. */
const char *cli_source_text_name(const cli_source *source);

/* The model with the start of --keyframe and its loops with the tolerance of --closing, where these
 * are given. */
int cli_source_begin(const cli_source *source, const cardan_options *options, cardan_model *model);

/* These, for commands without the options of cardan/sim.h; says what is wrong and returns false. */
bool cli_begin_read(const cli_args *args, cardan_options *options);
#define CLI_BEGIN_OPTIONS                                                          \
  {"keyframe", "NAME", "start from this (keyframe ..) of the model, as of run"},   \
      {"closing", "X", "violation with which a loop counts as closed, as of run"}, \
  {                                                                                \
    "rank-tol", "X", "what counts as redundant, as of run"                         \
  }

void cli_source_close(cli_source *source);
