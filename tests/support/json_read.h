/* SPDX-License-Identifier: Apache-2.0
 * json_read.h - enough of a JSON reader (RFC 8259) to judge what the command prints. */
#pragma once
#include <stdbool.h>

/* Is text one JSON value, with nothing but space around it? */
bool json_valid(const char *text);

/* The value under a key of the object at text, or of an object in it: "energy.initial".
 * returns where it begins, NULL when there is no such key */
const char *json_find(const char *text, const char *key);

/* The keys of the object at text, in order, with spaces between; size is cut to. */
void json_keys(const char *text, char *keys, int size);
