/* SPDX-License-Identifier: Apache-2.0
 * options.h - the options of cardan/sim.h on a command line. */
#pragma once
#include "args.h"
#include "cardan/sim.h"

/* Is it an option of cardan/sim.h, and is it one that takes no value? */
bool cli_is_sim_option(const char *name);
bool cli_is_switch(const char *name);
/* Is it one that the command takes? One for several methods has no option method. */
bool cli_takes_sim_option(const cli_command *command, const char *name);

/* Sets those of the command line. returns why not: a value that cannot be right */
cardan_status cli_options_apply(const cli_args *args, cardan_options *options,
                                cardan_report *report) CARDAN_MUST_USE;

/* The options of a run: those of the model's (simulate ..) under those of the command line. When
 * the command line chooses another method, of the model's options those count that this method has.
 * returns CARDAN_ERR_MODEL with the place in the text, CARDAN_ERR_ARGUMENT */
cardan_status cli_options_find(const cli_args *args, const cardan_model *model,
                               cardan_options *options, cardan_report *report) CARDAN_MUST_USE;

/* The same of a run that goes again: of the result's options those count that the method has.
 * lost  out: the names of the others, unless the command line chooses another method; "": none */
enum { CLI_LOST_SIZE = 384 };
cardan_status cli_options_of_result(const cli_args *args, const cardan_options *result,
                                    cardan_options *options, char lost[CLI_LOST_SIZE],
                                    cardan_report *report) CARDAN_MUST_USE;

/* The same for several methods: all options of the model, or of the result (NULL: none), whichever
 * of the methods has them. */
cardan_status cli_options_of_several(const cli_args *args, const cardan_model *model,
                                     const cardan_options *result, cardan_options *options,
                                     cardan_report *report) CARDAN_MUST_USE;

/* The names of options that the command line gives, or of all, with commas between and one behind
 * the last. */
enum { CLI_GIVEN_SIZE = 1024 };
void cli_options_given(const cli_args *args, bool all, char list[CLI_GIVEN_SIZE]);

/* Does the options' method have every option that the command line names? One that is named counts,
 * also with its default value. */
cardan_status cli_options_check(const cli_args *args, const cardan_options *options,
                                cardan_report *report) CARDAN_MUST_USE;

/* The same for n > 0 methods: has one of them each option, with its value? */
cardan_status cli_options_check_several(const cli_args *args, const char *const *method, int n,
                                        cardan_report *report) CARDAN_MUST_USE;
