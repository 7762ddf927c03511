/* SPDX-License-Identifier: Apache-2.0
 * bench/cardan_bench.h - speed on this machine: kernels, steps, batches, loading, accuracy.
 *
 *   cardan_bench -> cardan_bench_write, cardan_bench_figure, .. -> cardan_bench_destroy
 *
 * Times are processor times, the least of several batches; what is compared takes turns in one run.
 * OpenBLAS, where that is the BLAS of this process, should work on one thread
 * (cardan_blas_one_thread). */
#pragma once
#include "cardan/base.h"

/* The parts by index; NULL after the last. */
const char *cardan_bench_part(int index); // "kernels"
const char *cardan_bench_part_help(int index);

/* What is wanted. Texts belong to the caller; either function may be NULL. */
typedef struct {
  const char *const *part; // npart names; none: all parts
  int npart;
  bool quick;          // fewer sizes and shorter batches: 20 s for all, for a first impression
  const char *command; // path of the command `cardan`, whose start-up is timed; NULL: it is not
  const char *peers;   // folder of the programs that bench/peers builds; NULL: other libraries are
                       // not looked for
  const char *const *robot; // nrobot files of robots on the ground, for the part `scenes`
  int nrobot;
  const char *before;    // an earlier result, as CSV, for a number beside each; NULL: none
  const char *before_at; // its name, for messages
  void *user;
  /* Several times a second; fraction of everything, 0 to 1. false: stop. */
  bool (*go_on)(void *user, double fraction);
  void (*table)(void *user, const char *text); // each table when it is done, as CARDAN_BENCH_TEXT
} cardan_bench_options;

typedef struct cardan_bench_result cardan_bench_result;

/* Measures. *out is NULL on failure. What a method, or another library, cannot do is reported in
 * the tables and is no failure.
 * returns CARDAN_ERR_ARGUMENT for a part that there is not, CARDAN_ERR_SYNTAX for a text `before`
 *         that is none of ours, CARDAN_ERR_STOPPED, CARDAN_ERR_MEMORY */
cardan_status cardan_bench(const cardan_bench_options *options, const cardan_allocator *allocator,
                           cardan_bench_result **out, cardan_report *report) CARDAN_MUST_USE;
void cardan_bench_destroy(cardan_bench_result *result); // NULL is fine

typedef enum {
  CARDAN_BENCH_TEXT,     // tables for a terminal
  CARDAN_BENCH_JSON,     // one object
  CARDAN_BENCH_CSV,      // lines table,row,column,value: what `before` takes
  CARDAN_BENCH_MARKDOWN, // with figures as NAME.svg in a folder (cardan_bench_write: figures)
  CARDAN_BENCH_HTML      // a page that needs nothing else
} cardan_bench_form;

/* The whole result as a text, from the allocator (cardan_free_text gives it back).
 * figures  folder that the figures are in, for MARKDOWN; NULL: they are left out */
cardan_status cardan_bench_write(const cardan_bench_result *result, cardan_bench_form form,
                                 const char *figures, const cardan_allocator *allocator,
                                 char **text) CARDAN_MUST_USE;

/* Figure k as an SVG document; its name is that of its file, without the ending.
 * returns CARDAN_OK with *text NULL after the last */
cardan_status cardan_bench_figure(const cardan_bench_result *result, int k,
                                  const cardan_allocator *allocator, const char **name,
                                  char **text) CARDAN_MUST_USE;
