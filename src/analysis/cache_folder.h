/* SPDX-License-Identifier: Apache-2.0
 * analysis/cache_folder.h - the user's cache: files that can be computed again.
 *
 * $CARDAN_CACHE, else $XDG_CACHE_HOME/cardan, else $HOME/.cache/cardan; CARDAN_CACHE=off: none.
 * The folder and its files are used only if they belong to the user and only the user may write
 * them. Whatever goes wrong, there is no entry: nothing is reported. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "cardan/base.h"

/* An entry is as long as this at most, and all of them together; older ones are removed first. */
#define CARDAN__CACHE_ENTRY ((size_t)16 << 20)
#define CARDAN__CACHE_ALL ((size_t)256 << 20)

/* Reads an entry. name: letters, digits and '-'. *data: from the allocator */
bool cardan__cache_load(const char *name, const cardan_allocator *allocator, char **data,
                        size_t *size);
/* Writes an entry; other programs see all of it or nothing. */
void cardan__cache_store(const char *name, const char *data, size_t size);
