/* SPDX-License-Identifier: Apache-2.0
 * model/builtin.h - the built-in models, as texts in the format of docs/format.md.
 *
 * A model of one size is a file of examples/models, which the build embeds
 * (cmake/CardanModels.cmake); one of many sizes is a function that writes the text of a size. So
 * `cardan make` prints, examples/models holds and `cardan run NAME` simulates the same text. */
#pragma once
#include "base/text.h"
#include "cardan/base.h"

/* What a list of the built-in models shows of one of them. A model with a size is called NAME or
 * NAME:N, one without only NAME. `pendulum` and `pendulum:N` are two models: there NAME alone means
 * the one without a size. So the text of an entry at its default size is always that of NAME when
 * default_size is 0, and of NAME:default_size when it is not. */
typedef struct {
  const char *name;
  const char *description; // one line
  int default_size;        // 0: takes no size
  int size_min, size_max;  // 0 without a size
  const char *source;      // paper and place in it; "" when it is from none
} cardan__builtin;

int cardan__builtin_count(void);

/* Entry 0 <= index < cardan__builtin_count(), in the order in which they are listed. */
const cardan__builtin *cardan__builtin_at(int index);

/* Appends the text of the model that spec names: "pendulum", "chain", "chain:100".
 * report   may be NULL; its file is left as it is, and its place is "not from a text"
 * returns  CARDAN_ERR_ARGUMENT for a name or size that does not exist, with nothing appended;
 *          CARDAN_ERR_MEMORY when out could not grow (out->failed is then set) */
cardan_status cardan__builtin_text(const char *spec, cardan__text *out,
                                   cardan_report *report) CARDAN_MUST_USE;
