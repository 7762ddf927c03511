/* SPDX-License-Identifier: Apache-2.0
 * base/write.h - bytes to a file that may take them in pieces. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/* Writes all of it, over interruptions and where only a part is taken.
 * at      offset in the file, which is then not moved; -1: where it stands
 * returns 0 or errno */
int cardan__write_all(int fd, const void *bytes, size_t size, off_t at);
