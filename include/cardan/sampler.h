/* SPDX-License-Identifier: Apache-2.0
 * cardan/sampler.h - what differs between copies of one model: which of its numbers, and how.
 *
 *   cardan_sampler_create -> cardan_sampler_add, cardan_sampler_table, ..
 *   for each copy: cardan_sampler_at -> cardan_sampler_apply -> cardan_rollout
 *
 * The values of a copy depend on its number, the seed, and the names and distributions alone: not
 * on the order of copies, on the thread that draws them, or on what else is varied. Random numbers
 * have no state; number i of a stream is Philox4x32-10 of (i, stream) under the key seed
 * [J. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11]. */
#pragma once
#include <stdint.h>

#include "cardan/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How one number is distributed. */
typedef enum {
  CARDAN_DISTRIBUTION_EVEN,       // a .. b, both ends among them
  CARDAN_DISTRIBUTION_UNIFORM,    // random between a and b
  CARDAN_DISTRIBUTION_NORMAL,     // random, mean a, standard deviation b
  CARDAN_DISTRIBUTION_LOG_NORMAL, // random, its logarithm normal with mean a, standard deviation b
  CARDAN_DISTRIBUTION_TRIANGULAR  // random between a and b, density a triangle with its peak at c
} cardan_distribution_kind;

/* Those that are random may be cut: what is below `from` or above `to` is left out, the rest is as
 * likely among itself as before. */
typedef struct {
  cardan_distribution_kind kind;
  double a, b, c;
  bool has_from, has_to;
  double from, to;
} cardan_distribution;

/* From a text: "0.5..2", "uniform:0:1", "normal:0:0.1", "log-normal:0:0.1", "triangular:0:1:4";
 * cut: "normal:0:1:-2..2", "normal:0:1:0..", "normal:0:1:..0".
 * returns CARDAN_ERR_ARGUMENT and a sentence for another one, or for numbers that cannot be */
CARDAN_API cardan_status cardan_distribution_read(const char *text, cardan_distribution *out,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Its value at part p of the whole, 0 to 1 for even ones, else 0 < p < 1: a + p (b - a), or the
 * quantile of the distribution: of the normal one to 1e-15 of its deviation
 * [M. Wichura, Algorithm AS 241, Applied Statistics 37 (1988)]; of the rest of one that is cut,
 * with all digits also where only a tail is left. */
CARDAN_API double cardan_distribution_at(const cardan_distribution *distribution, double p);

/* Number `index` of a stream of random numbers, uniform over 0 < p < 1, 52 bits. */
CARDAN_API double cardan_random(uint64_t seed, uint64_t stream, uint64_t index);

/* A number of a model that may differ. */
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

/* Which number a name stands for: "q.NAME", "v.NAME" (start values) and "u.NAME" as the columns of
 * a table have them, or a (parameter NAME ..).
 * returns CARDAN_ERR_ARGUMENT and a sentence, with the nearest name, for one that the model does
 *         not have, or that cannot differ: a parameter that is worked out from others, or that only
 *         reading the text again can follow, a joint that follows a (motion ..) */
CARDAN_API cardan_status cardan_place_find(const cardan_model *model, const char *name,
                                           cardan_place *out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* All that differs: names with their distributions, and a table of values. */
typedef struct cardan_sampler cardan_sampler;

/* Nothing yet. model must outlive it.
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_create(const cardan_model *model, uint64_t seed,
                                               const cardan_allocator *allocator,
                                               cardan_sampler **out,
                                               cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sampler_destroy(cardan_sampler *sampler); // NULL is fine

/* One more number, which may not be there yet.
 * returns CARDAN_ERR_ARGUMENT and a sentence, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_add(cardan_sampler *sampler, const char *name,
                                            const cardan_distribution *distribution,
                                            cardan_report *report) CARDAN_MUST_USE;

/* The values of copies from a table in CSV: a header line with names, then a row for each copy. At
 * most one. file: for messages.
 * returns CARDAN_ERR_SYNTAX for a text that is no such table, CARDAN_ERR_ARGUMENT for a column that
 *         cardan_place_find or cardan_sampler_add would not take, with file, line and column;
 *         CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_table(cardan_sampler *sampler, const char *text,
                                              size_t length, const char *file,
                                              cardan_report *report) CARDAN_MUST_USE;

/* How many numbers differ, their names and places in the order added; rows of the table, -1: there
 * is none. */
CARDAN_API int cardan_sampler_count(const cardan_sampler *sampler);
CARDAN_API const char *cardan_sampler_name(const cardan_sampler *sampler, int k);
CARDAN_API cardan_place cardan_sampler_place(const cardan_sampler *sampler, int k);
CARDAN_API int64_t cardan_sampler_rows(const cardan_sampler *sampler);

/* Values of copy `copy` of n, 0 <= copy < n and, where there is a table, below its rows: value out,
 * cardan_sampler_count. Spreads that are even need n; with one copy they have their beginning. */
CARDAN_API void cardan_sampler_at(const cardan_sampler *sampler, int64_t copy, int64_t n,
                                  double *value);

/* All numbers of one copy: the model's own start, as it is with the copy's parameters, its inputs
 * and parameters, and the values over them. Quaternions are normalised. Where its parameters cannot
 * be, the start is the model's: a rollout says what is wrong with them.
 * q, v, u, param  out: nq, nv, ninput, nparameter; NULL: not computed. q and v need param where
 *                 parameters differ
 * returns CARDAN_ERR_ARGUMENT for a quaternion of length 0, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sampler_apply(const cardan_sampler *sampler, const double *value,
                                              double *q, double *v, double *u, double *param,
                                              cardan_report *report) CARDAN_MUST_USE;

/* From here on start values that differ count as given, as if the file gave them: closing loops
 * keeps them where it can. model: the one of the call that made the sampler. */
CARDAN_API void cardan_sampler_mark(const cardan_sampler *sampler, cardan_model *model);

#ifdef __cplusplus
}
#endif
