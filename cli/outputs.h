/* SPDX-License-Identifier: Apache-2.0
 * outputs.h - the files that a command writes, looked at before it begins.
 *
 * An option that takes a FILE.. names a file to be written, unless outputs.c lists it among those
 * that are read; so does the word `target` of a command. */
#pragma once
#include "args.h"

/* Fills args->write, and asks: can each file be written, is none of them a file that the command
 * reads, by whatever name (a link, another spelling), and no two the same? A run of hours must not
 * end at a path that cannot be written, nor a model be lost to a slip. "-" is the standard output.
 * Says what is wrong.
 * returns an exit status */
int cli_outputs_check(const cli_command *command, cli_args *args);

/* "wrote FILE" on the standard error, of a page or picture that is there now: nothing of what went
 * to the standard output, where exit says that it failed, or where nothing is to be reported. */
void cli_wrote(const char *path, int exit, bool quiet);
