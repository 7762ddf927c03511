/* SPDX-License-Identifier: Apache-2.0
 * model/builtin_parts.h - what the files of built-in models share: their writers and a few helpers.
 *
 * Templates write names between single quotes, 'q1', which become double quotes: model texts
 * have no other use for them, and the templates stay readable. */
#pragma once
#include <stdint.h>

#include "base/text.h"

/* Appends one piece of model text of at most 1000 bytes, printf style, quotes turned. Integers and
 * strings only: %g and its kin follow the locale. */
void cardan__builtin_say(cardan__text *out, const char *format, ...) CARDAN_PRINTF(2, 3);

/* Appends lines up to the NULL that ends them, quotes turned, a newline after each. */
void cardan__builtin_lines(cardan__text *out, const char *const *lines);

/* Pseudo-random numbers that are the same on every machine: splitmix64, a counter that advances by
 * the golden ratio and is hashed. The state is the seed to begin with.
 * returns  an integer between low and high, both included */
int cardan__builtin_random(uint64_t *state, int low, int high);

/* Room for any result of cardan__builtin_decimal. */
enum { CARDAN__DECIMAL_SIZE = 16 };

/* Writes value * 10^-places as a decimal number without trailing zeros: (-2500, 4) is "-0.25".
 * places   1 to 6
 * returns  text, of CARDAN__DECIMAL_SIZE bytes */
const char *cardan__builtin_decimal(char *text, int value, int places);

/* Writers of one model each, for size n. */
typedef void cardan__builtin_writer(cardan__text *out, int n);

// builtin_chains.c
cardan__builtin_writer cardan__builtin_pendulum;
cardan__builtin_writer cardan__builtin_chain;
cardan__builtin_writer cardan__builtin_chain_planar;
cardan__builtin_writer cardan__builtin_lee_chain;
cardan__builtin_writer cardan__builtin_spherical_chain;
cardan__builtin_writer cardan__builtin_pinned_chain;
cardan__builtin_writer cardan__builtin_tree;

// builtin_bars.c
cardan__builtin_writer cardan__builtin_scissor;
cardan__builtin_writer cardan__builtin_ladder;
cardan__builtin_writer cardan__builtin_grid;
cardan__builtin_writer cardan__builtin_arm;
cardan__builtin_writer cardan__builtin_bintree;
cardan__builtin_writer cardan__builtin_ring;

// builtin_wheels.c
cardan__builtin_writer cardan__builtin_trailer;

// builtin_piles.c
cardan__builtin_writer cardan__builtin_stack;
cardan__builtin_writer cardan__builtin_cradle;
cardan__builtin_writer cardan__builtin_floor_chain;
cardan__builtin_writer cardan__builtin_pile;
