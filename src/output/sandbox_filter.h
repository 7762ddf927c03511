/* SPDX-License-Identifier: Apache-2.0
 * output/sandbox_filter.h - a filter of system calls for the process that reads results. */
#pragma once
#include <stdbool.h>

/* From here on this process computes, reads and writes what it has open, and may do nothing else.
 * returns false where the system has no such filter */
bool cardan__sandbox_filter(void);
