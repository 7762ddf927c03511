// SPDX-License-Identifier: Apache-2.0
#include "h5_blocks.h"

#include <stdbool.h>
#include <string.h>

/* The check number of HDF5's headers: B. Jenkins, lookup3, hashlittle (2006), as the HDF5 File
 * Format Specification 3.0 names it. */
static uint32_t turn(uint32_t x, int n)
{
  return x << n | x >> (32 - n);
}

static uint32_t word(const uint8_t *bytes, size_t size)
{
  uint32_t w = 0;
  for (size_t k = 0; k < 4 && k < size; k++) {
    w |= (uint32_t)bytes[k] << (8 * k);
  }
  return w;
}

static uint32_t check_number(const uint8_t *bytes, size_t size)
{
  static const int mix[] = {4, 6, 8, 16, 19, 4}, last[] = {14, 11, 25, 16, 4, 14, 24};
  uint32_t x[3]; // a, b, c
  x[0] = x[1] = x[2] = 0xdeadbeefU + (uint32_t)size;
  for (; size > 12; size -= 12, bytes += 12) {
    for (int k = 0; k < 3; k++) {
      x[k] += word(bytes + 4 * k, 4);
    }
    for (int k = 0; k < 6; k++) { // a from c, b from a, c from b, and again
      const int i = k % 3, before = (k + 2) % 3, after = (k + 1) % 3;
      x[i] -= x[before];
      x[i] ^= turn(x[before], mix[k]);
      x[before] += x[after];
    }
  }
  if (size == 0) {
    return x[2];
  }
  for (size_t k = 0; 4 * k < size; k++) {
    x[k] += word(bytes + 4 * k, size - 4 * k);
  }
  for (int k = 0; k < 7; k++) { // c with b, a with c, b with a, ..
    const int i = (k + 2) % 3, before = (k + 1) % 3;
    x[i] ^= x[before];
    x[i] -= turn(x[before], last[k]);
  }
  return x[2];
}

static void put(uint8_t *bytes, uint32_t number)
{
  for (int k = 0; k < 4; k++) {
    bytes[k] = (uint8_t)(number >> (8 * k));
  }
}

static bool is_letters(const uint8_t *bytes)
{
  static const char *const names[] = {"OHDR", "OCHK", "EAHD", "EAIB", "EASB", "EADB", "FAHD",
                                      "FADB", "FRHP", "FHDB", "FHIB", "BTHD", "BTLF", "BTIN"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (memcmp(bytes, names[k], 4) == 0) {
      return true;
    }
  }
  return false;
}

int h5_blocks_find(const uint8_t *bytes, size_t size, h5_block *block, int most)
{
  enum { SUPERBLOCK = 44, LONGEST = 4096 };
  int n = 0;
  if (most > 0 && size > SUPERBLOCK + 4) {
    block[n++] = (h5_block){0, SUPERBLOCK};
  }
  for (size_t at = SUPERBLOCK; at + 8 < size && n < most; at++) {
    if (!is_letters(bytes + at)) {
      continue;
    }
    for (size_t length = 8; length < LONGEST && at + length + 4 <= size; length++) {
      if (check_number(bytes + at, length) == word(bytes + at + length, 4)) {
        block[n++] = (h5_block){at, length};
        break;
      }
    }
  }
  return n;
}

void h5_blocks_mend(uint8_t *bytes, size_t size, const h5_block *block, int n)
{
  for (int k = 0; k < n; k++) {
    const size_t end = block[k].at + block[k].length;
    if (end + 4 <= size) {
      put(bytes + end, check_number(bytes + block[k].at, block[k].length));
    }
  }
}
