/* SPDX-License-Identifier: Apache-2.0
 * say.h - messages, and how a command ends. */
#pragma once
#include "cardan/base.h"

/* The library names options in words, "option dt"; a command line writes them "--dt". In place. */
void cli_dashes(char *text);

/* "cardan: ..." and "warning: ..." on the standard error, one line each, with dashes. */
void cli_error(const char *format, ...) CARDAN_PRINTF(1, 2);
void cli_warning(const char *format, ...) CARDAN_PRINTF(1, 2);

/* A report as an error: "file:line:column: message", or "cardan: message" when it has no place.
 * returns the exit status that the failure calls for while a model is being loaded */
int cli_load_failed(cardan_status status, const cardan_report *report);

/* The same of a table or plan beside the model: the model is not at fault. */
int cli_table_failed(cardan_status status, const cardan_report *report);

/* Ends output to the standard output: all of it must have been taken.
 * returns status, or CLI_USAGE after saying what went wrong */
int cli_finish_output(int status);

/* Seconds from some moment on, never back. */
double cli_seconds(void);
