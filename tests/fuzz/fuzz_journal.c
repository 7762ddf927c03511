// SPDX-License-Identifier: Apache-2.0
// Any bytes as a sweep's journal: cases come back ascending, below the count, with a status and a
// message that end, and never more than were written. The checksums are put right where the first
// byte is even, or no change would ever get past them.
#define _GNU_SOURCE // memfd_create
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/write.h"
#include "fuzz.h"
#include "sweep/bytes.h"
#include "sweep/journal.h"

enum { MOST_VALUES = 8, COUNT = 1000 };

static void check(bool condition)
{
  if (!condition) {
    abort();
  }
}

static void put_checksum(unsigned char *to, uint32_t x)
{
  for (int i = 0; i < 4; i++) {
    to[i] = (unsigned char)(x >> 8 * i);
  }
}

/* The checksums of the header and of all records that say a size which is there. */
static void mend(unsigned char *bytes, size_t size, int nvalue)
{
  size_t at = CARDAN__HEADER_SIZE;
  if (size >= at) {
    put_checksum(bytes + at - 4, cardan__crc32c(0, bytes, at - 4));
  }
  while (at + CARDAN__RECORD_LEAST <= size) {
    const size_t n = cardan__record_claim(bytes + at, nvalue);
    if (n == 0 || n > size - at) {
      return;
    }
    put_checksum(bytes + at + n - 4, cardan__crc32c(0, bytes + at + 4, n - 8));
    at += n;
  }
}

static void read_all(const char *path, uint64_t digest, int nvalue, size_t size)
{
  const cardan_allocator none = {0};
  cardan_report report = {.message = ""};
  cardan__part_reader reader;
  double value[MOST_VALUES];
  int64_t last = -1;
  size_t n = 0;
  cardan_status status =
      cardan__part_open(&reader, path, digest, nvalue, COUNT, 64, &none, &report);
  check(status == CARDAN_OK || report.message[0] != '\0');
  while (status == CARDAN_OK && reader.number >= 0) {
    cardan__case one = {.value = value};
    cardan__part_case(&reader, &one);
    check(one.number == reader.number && one.number > last && one.number < COUNT);
    check(one.status <= CARDAN_OK && strlen(one.message) < sizeof one.message);
    last = one.number;
    check(++n * CARDAN__RECORD_LEAST <= size);
    status = cardan__part_next(&reader, &report);
  }
  cardan__part_done(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) {
    return 0;
  }
  char path[64];
  uint64_t digest = 0;
  int nvalue = 2;
  const bool mended = data[0] % 2 == 0;
  unsigned char *bytes = malloc(size);
  const int fd = memfd_create("journal", MFD_CLOEXEC);
  check(bytes && fd >= 0);
  memcpy(bytes, data + 1, --size);
  if (size >= CARDAN__HEADER_SIZE) { // of the sweep that it says
    (void)cardan__header_get(bytes, &digest, &nvalue);
    nvalue = nvalue >= 0 && nvalue <= MOST_VALUES ? nvalue : 2;
  }
  if (mended) {
    mend(bytes, size, nvalue);
  }
  check(cardan__write_all(fd, bytes, size, 0) == 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  read_all(path, digest, nvalue, size);
  close(fd);
  free(bytes);
  return 0;
}
