// SPDX-License-Identifier: Apache-2.0
#include "model/builtin_parts.h"

int cardan__builtin_random(uint64_t *state, int low, int high)
{
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  // the top 32 bits times the number of choices: no division, and a bias far below what shows
  const uint64_t choices = (uint64_t)((int64_t)high - low + 1);
  return low + (int)(((z >> 32) * choices) >> 32);
}
