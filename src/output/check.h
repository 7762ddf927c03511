/* SPDX-License-Identifier: Apache-2.0
 * output/check.h - a number that tells whether bytes are those that were written. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* 64 bits of size bytes. A change within eight neighbouring bytes always gives another number.
 * Against accidents, not against malice. */
uint64_t cardan__check(const void *bytes, size_t size);
