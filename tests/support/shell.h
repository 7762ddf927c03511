/* SPDX-License-Identifier: Apache-2.0
 * shell.h - runs command lines with `cardan` in them, in a folder of the test's own. */
#pragma once
#include "folder.h"
#include "support.h"

typedef struct {
  int status;      // exit status; 128 + signal when one ended it
  char *out, *err; // what it wrote
} outcome;

/* The folder, made on first use of shell(); shell_close removes it. */
extern test_folder shell_folder;
int shell_open(void **state);
int shell_close(void **state);

/* Runs a line in /bin/sh, in the folder, where $CARDAN is the command. The outcome is good until
 * the next call. */
outcome shell(const char *line);

/* The same; fails unless the exit status is that. */
outcome shell_expect(int status, const char *line);

/* Fails unless err is one line that holds text, and the exit status is that. */
void shell_refused(int status, const char *line, const char *text);

/* A file in the folder, to be freed. */
char *shell_read(const char *name);
void shell_write(const char *name, const char *text);
