// SPDX-License-Identifier: Apache-2.0
#include "output/check.h"

#include <string.h>

static uint64_t turn(uint64_t x, int n)
{
  return x << n | x >> (64 - n);
}

/* One word into a lane: for a given lane one to one in the word, for a given word one to one in the
 * lane, so that a change of one word is never lost. */
static uint64_t stir(uint64_t lane, uint64_t word)
{
  return turn((lane ^ word) * 0x9e3779b97f4a7c15U, 29);
}

/* Four lanes, 32 bytes at a time, so that a core has four products under way; the rest word by
 * word, the last one filled up with zeros; the size is in the start. Some GB a second. */
uint64_t cardan__check(const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  uint64_t lane[4] = {size, ~(uint64_t)size, 0x243f6a8885a308d3U, 0x13198a2e03707344U};
  size_t left = size;
  for (; left >= 32; left -= 32, at += 32) {
    uint64_t word[4];
    memcpy(word, at, sizeof word);
    for (int k = 0; k < 4; k++) {
      lane[k] = stir(lane[k], word[k]);
    }
  }
  for (int k = 0; left > 0; k++) {
    const size_t n = left < 8 ? left : 8;
    uint64_t word = 0;
    memcpy(&word, at, n);
    lane[k] = stir(lane[k], word);
    at += n;
    left -= n;
  }
  const uint64_t sum = stir(stir(stir(lane[0], lane[1]), lane[2]), lane[3]);
  return sum ^ sum >> 32;
}
