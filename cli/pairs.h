/* SPDX-License-Identifier: Apache-2.0
 * pairs.h - NAME=VALUE lists of --set and --init. */
#pragma once
#include "cardan/spec.h"

/* The names belong to the list. */
typedef struct {
  cardan_setting *item;
  int n, capacity;
} cli_pairs;

/* Adds NAME=VALUE, or replaces the value of NAME. */
bool cli_pairs_set(cli_pairs *pairs, const char *name, double value);

/* Reads NAME=VALUE[,NAME=VALUE ..]. A part of a name may be in double quotes, where "" is one
 * quote: what has commas, equals signs or quotes in it. Says what is wrong, naming the option, and
 * returns false. */
bool cli_pairs_read(cli_pairs *pairs, const char *option, const char *text);

/* The name up to its '=', quotes taken off; name has room for all of text.
 * returns what follows the '=', NULL when there is none */
const char *cli_pairs_name(const char *text, char *name);

void cli_pairs_free(cli_pairs *pairs);
