/* SPDX-License-Identifier: Apache-2.0
 * fuzz.h - the entry of a fuzz test, as libFuzzer names it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Feeds size bytes to the code under test, which must neither crash, leak nor hang. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
