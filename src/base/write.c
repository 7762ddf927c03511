// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // pwrite
#include "base/write.h"

#include <errno.h>
#include <unistd.h>

int cardan__write_all(int fd, const void *bytes, size_t size, off_t at)
{
  const char *next = bytes;
  size_t done = 0;
  while (done < size) {
    const ssize_t n = at < 0 ? write(fd, next + done, size - done)
                             : pwrite(fd, next + done, size - done, at + (off_t)done);
    if (n < 0 && errno != EINTR) {
      return errno;
    }
    done += n > 0 ? (size_t)n : 0;
  }
  return 0;
}
