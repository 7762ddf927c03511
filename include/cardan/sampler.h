/* SPDX-License-Identifier: Apache-2.0
 * cardan/sampler.h - parameters, start values and inputs that differ between copies of a model.
 *
 *   cardan_sampler_create -> cardan_sampler_add, cardan_sampler_table, ..
 *   for each copy: cardan_sampler_at -> cardan_sampler_apply -> cardan_rollout
 *
 * The values of a copy depend only on its number, the seed, and the names and distributions: not on
 * the order of copies, the thread that draws them, or other varied numbers. Random numbers have no
 * state; number i of a stream is Philox4x32-10 of (i, stream) with the seed as key
 * [J. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11]. */
#pragma once
#include <stdint.h>

#include "cardan/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distribution of a number. */
typedef enum {
  CARDAN_DISTRIBUTION_EVEN,       // equally spaced from a to b, both included
  CARDAN_DISTRIBUTION_UNIFORM,    // random between a and b
  CARDAN_DISTRIBUTION_NORMAL,     // random, mean a, standard deviation b
  CARDAN_DISTRIBUTION_LOG_NORMAL, // random, its logarithm normal with mean a, standard deviation b
  CARDAN_DISTRIBUTION_TRIANGULAR  // random between a and b, density a triangle with its peak at c
} cardan_distribution_kind;

/* Random distributions may be truncated to from .. to: the density between them keeps its shape. */
typedef struct {
  cardan_distribution_kind kind;
  double a, b, c;
  bool has_from, has_to;
  double from, to;
} cardan_distribution;

/* Reads a distribution: "0.5..2", "uniform:0:1", "normal:0:0.1", "log-normal:0:0.1",
 * "triangular:0:1:4"; truncated: "normal:0:1:-2..2", "normal:0:1:0..", "normal:0:1:..0".
 * returns CARDAN_ERR_ARGUMENT and a sentence for another text, or for invalid numbers */
CARDAN_API cardan_status cardan_distribution_read(const char *text, cardan_distribution *out,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Value at p. EVEN: a + p (b - a), 0 <= p <= 1. Otherwise the quantile, 0 < p < 1: of the normal
 * distribution to 1e-15 of its deviation [M. Wichura, Algorithm AS 241, Applied Statistics 37
 * (1988)]; of truncated distributions to full precision, even if only a tail remains. */
CARDAN_API double cardan_distribution_at(const cardan_distribution *distribution, double p);

/* Number `index` of a stream of random numbers, uniform over 0 < p < 1, 52 bits. */
CARDAN_API double cardan_random(uint64_t seed, uint64_t stream, uint64_t index);

/* Kind of a number of a model that may differ. */
typedef enum {
  CARDAN_PLACE_PARAMETER,
  CARDAN_PLACE_Q,
  CARDAN_PLACE_V,
  CARDAN_PLACE_INPUT
} cardan_place_kind;

typedef struct {
  cardan_place_kind kind;
  int index; // of the parameter, coordinate, velocity or input
} cardan_place;

/* Finds a number by name: "q.NAME", "v.NAME" (start values) and "u.NAME" as in columns of a table,
 * or the NAME of a (parameter NAME ..).
 * returns CARDAN_ERR_ARGUMENT and a sentence for a name that the model does not have (with the
 *         closest one), or for a number that cannot differ: a parameter that is computed from
 *         others
 *         or cannot change without reading the text again, a joint with a (motion ..) */
CARDAN_API cardan_status cardan_place_find(const cardan_model *model, const char *name,
                                           cardan_place *out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* All numbers that differ: names with their distributions, and a table of values. */
typedef struct cardan_sampler cardan_sampler;

/* Creates an empty sampler. model must outlive it.
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_create(const cardan_model *model, uint64_t seed,
                                               const cardan_allocator *allocator,
                                               cardan_sampler **out,
                                               cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sampler_destroy(cardan_sampler *sampler); // NULL is fine

/* Adds a number; each at most once.
 * returns CARDAN_ERR_ARGUMENT and a sentence, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_add(cardan_sampler *sampler, const char *name,
                                            const cardan_distribution *distribution,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Reads the values of copies from a table in CSV: a header line with names, then a row for each
 * copy. A sampler has at most one table. file: for messages.
 * returns CARDAN_ERR_SYNTAX for a text that is not such a table, CARDAN_ERR_ARGUMENT for a column
 *         that cardan_place_find or cardan_sampler_add would reject, with file, line and column;
 *         CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_table(cardan_sampler *sampler, const char *text,
                                              size_t length, const char *file,
                                              cardan_report *report) CARDAN_MUST_USE;

/* Number of numbers that differ, their names and places in the order in which they were added; rows
 * of the table, -1 if there is none. */
CARDAN_API int cardan_sampler_count(const cardan_sampler *sampler);
CARDAN_API const char *cardan_sampler_name(const cardan_sampler *sampler, int k);
CARDAN_API cardan_place cardan_sampler_place(const cardan_sampler *sampler, int k);
CARDAN_API int64_t cardan_sampler_rows(const cardan_sampler *sampler);

/* Values of copy `copy` of n: value out, cardan_sampler_count. 0 <= copy < n; with a table, copy
 * must also be below its number of rows. n matters only for EVEN; for n = 1 its value is a. */
CARDAN_API void cardan_sampler_at(const cardan_sampler *sampler, int64_t copy, int64_t n,
                                  double *value);

/* Start, inputs and parameters of one copy: those of the model with the copy's parameters, then
 * overwritten by the copy's values. Quaternions are normalised. If the copy's parameters are
 * invalid, the start is the model's; a rollout reports the error.
 * q, v, u, param  out: nq, nv, ninput, nparameter; NULL: not computed. q and v need param if
 *                 parameters differ
 * returns CARDAN_ERR_ARGUMENT for a quaternion of length 0, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_apply(const cardan_sampler *sampler, const double *value,
                                              double *q, double *v, double *u, double *param,
                                              cardan_report *report) CARDAN_MUST_USE;

/* Marks start values that differ as given in the model, as if the file gave them: assembly keeps
 * them if possible. model: the one that the sampler was created with. */
CARDAN_API void cardan_sampler_mark_given(const cardan_sampler *sampler, cardan_model *model);

#ifdef __cplusplus
}
#endif
