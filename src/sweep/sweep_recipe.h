/* SPDX-License-Identifier: Apache-2.0
 * sweep/sweep_recipe.h - all that makes a sweep, as one text: what two processes must agree on to
 * work on the same one, and what it takes to continue it.
 *
 *   cardan sweep 1
 *   KEYLENGTH LENGTH
 *   KEY
 *   BYTES
 *   ..
 * one entry after the other: version, level, model, text, plan, each option, setting and start
 * value, the table of inputs. The same sweep gives the same bytes. */
#pragma once
#include "base/text.h"
#include "sweep/cases.h"

/* The recipe of a sweep. out: begun by this call, to be freed. returns CARDAN_ERR_MEMORY */
cardan_status cardan__recipe_write(const cardan_sweep *sweep, cardan__text *out,
                                   cardan_report *report) CARDAN_MUST_USE;

/* Are they the same sweep? path: of theirs, for the message.
 * computed  the library that computes counts too: its version and level
 * returns CARDAN_ERR_ARGUMENT, and the first thing that differs, in words */
cardan_status cardan__recipe_compare(const cardan__text *ours, const char *theirs, size_t length,
                                     bool computed, const char *path,
                                     cardan_report *report) CARDAN_MUST_USE;

/* The sweep of a recipe. path: for messages. *out is NULL on failure.
 * returns CARDAN_ERR_IO for a text that is none, what cardan_sweep_create returns */
cardan_status cardan__recipe_read(const char *text, size_t length, const char *path,
                                  const cardan_allocator *allocator, cardan_sweep **out,
                                  cardan_report *report) CARDAN_MUST_USE;
