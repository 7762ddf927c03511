/* SPDX-License-Identifier: Apache-2.0
 * judge.h - one run of the command, against the reference of its case: right, stopped with a
 * sentence, or wrong. */
#pragma once
#include "hard.h"
#include "support.h"

/* Numbers with names, row by row. */
typedef struct {
  int columns, rows;
  char (*name)[64];
  double *value; // rows x columns
} table;

typedef enum {
  JUDGE_NONE,   // the method does not take the model or an option
  JUDGE_RIGHT,  // error below 1e-3, or as its order has it
  JUDGE_COARSE, // HARD_ENERGY: off by a tenth of the kinetic energy, but in no single step
  JUDGE_SAYS,   // wrong, and a warning reports it
  JUDGE_STOPS,  // ends with a sentence, and exit status 2 or 3
  JUDGE_WRONG,
  JUDGE_NVERDICT
} verdict;

/* The command's options for the method; order: of its error in dt, 0 for adaptive ones. */
typedef struct {
  const char *name, *words;
  int order;
} judge_method;

typedef struct {
  verdict verdict;
  double error;       // against the reference; -1 if there is none
  char sentence[400]; // of the stop, the warning, or of what is wrong
} judgement;

/* The reference of a case, from the library that this program is linked with. why: what it is
 * worth, or why there is none (then no rows). */
table judge_reference(const hard_case *c, char why[200]);

/* Runs `command` on a case by a method. folder: where files may be written. */
judgement judge(const char *command, const char *folder, const hard_case *c, const table *reference,
                const judge_method *method);

void table_free(table *t);
