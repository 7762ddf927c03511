/* SPDX-License-Identifier: Apache-2.0
 * compare_page.h - what the page of a comparison has beside its table: errors over time, and which
 * of its runs is the reference. */
#pragma once
#include "cardan/compare.h"

/* Errors of n contenders at the common times; a contender that ended early has fewer. */
typedef struct {
  int n;
  int *count;    // n
  double *time;  // CARDAN_COMPARE_TIMES
  double *error; // n x CARDAN_COMPARE_TIMES
  int reference; // index of its run on the page, -1: it has none
} cli_errors;

/* returns false when memory is short */
bool cli_errors_make(cli_errors *errors, int n);
void cli_errors_free(cli_errors *errors);
/* The next error of contender k; nothing where none are kept. */
void cli_errors_put(cli_errors *errors, int k, double t, double error);

/* The object json, of cardan_describe_comparison, with more in it: "times", "errors" with a list
 * for each contender that was not refused, "reference_run". From malloc; NULL: memory is short. */
char *cli_errors_append(const cli_errors *errors, const cardan_contender *contender, int n,
                        const char *json);
