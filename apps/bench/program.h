/* SPDX-License-Identifier: Apache-2.0
 * bench/program.h - other programs: run one to its end, or talk to one by pipes. */
#pragma once
#include <stdio.h>
#include <sys/types.h>

#include "cardan/base.h"

typedef struct {
  double wall, processor; // [s]
} cardan__program_time;

/* Runs a program to its end with its outputs discarded. words: its path and arguments, NULL after
 * the last. returns CARDAN_ERR_IO when it cannot be started, or does not end with 0 */
cardan_status cardan__program_run(const char *const *words, cardan__program_time *time,
                                  cardan_report *report) CARDAN_MUST_USE;

/* A program that reads requests on its standard input and answers on its standard output. */
typedef struct {
  pid_t pid; // 0: none
  FILE *to, *from;
} cardan__program;

/* returns CARDAN_ERR_IO with a sentence; *program is then empty */
cardan_status cardan__program_open(const char *path, cardan__program *program,
                                   cardan_report *report) CARDAN_MUST_USE;
/* Closes its input, after which it is to end by itself, and waits for that. */
void cardan__program_close(cardan__program *program);
