/* SPDX-License-Identifier: Apache-2.0
 * read_all.h - everything that a result says, as one number: two files that read alike have the
 * same. */
#pragma once
#include <stdint.h>

#include "cardan/output.h"

/* The first `most` rows of a result (-1: all; *nrow: how many it has), its record, its state, and
 * words, sentences and motions of a sweep.
 * returns what the library does, and CARDAN_ERR_IO also where a motion cannot be read */
cardan_status read_all(const char *path, int64_t most, int64_t *nrow, uint64_t *number,
                       cardan_report *report);
