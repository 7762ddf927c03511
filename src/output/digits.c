// SPDX-License-Identifier: Apache-2.0
#include "output/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { DIGITS = 17, POWERS = 28 };

static const uint64_t ten_16 = UINT64_C(10000000000000000);

/* 5^k; the last one still fits into 63 bits. */
static const uint64_t power_of_five[POWERS] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

__extension__ typedef unsigned __int128 wide;

/* P / 2^right to the nearest integer, ties to even; right >= 1, and the result fits 64 bits. */
static uint64_t nearest(wide P, int right)
{
  const wide rest = P & (((wide)1 << right) - 1), half = (wide)1 << (right - 1);
  const uint64_t n = (uint64_t)(P >> right);
  return n + (rest > half || (rest == half && (n & 1U) != 0) ? 1 : 0);
}

/* m 2^e 10^k to the nearest integer, ties to even, for 0 <= k < 2 POWERS - 1; it fits 64 bits. The
 * product m 5^k is exact, in 116 bits or 180, and what remains is a shift by e + k bits. */
static uint64_t scaled(uint64_t m, int e, int k)
{
  const int right = -(e + k);
  if (k < POWERS) {
    const wide P = (wide)m * power_of_five[k];
    return right > 0 ? nearest(P, right) : (uint64_t)P << -right;
  }
  // P = high 2^64 + low; of the bits that go, all but two only say whether any of them is set
  const wide part = (wide)m * power_of_five[POWERS - 1];
  const uint64_t five = power_of_five[k - (POWERS - 1)];
  const wide below = (wide)(uint64_t)part * five;
  const wide high = (part >> 64) * five + (below >> 64);
  const uint64_t low = (uint64_t)below;
  const int go = right - 2 < 64 ? right - 2 : 64;
  const wide gone = low & (((wide)1 << go) - 1);
  return nearest((high << (64 - go)) | ((wide)low >> go) | (gone != 0 ? 1 : 0), right - go);
}

/* The 17 digits of a in [1e-37, 1e16) as one number, 10^16 <= result < 10^17.
 * exponent  out: a = d.ddd.. 10^exponent */
static uint64_t digits_of(double a, int *exponent)
{
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits); // a is normal: its exponent is above its 52 bits
  const uint64_t one = UINT64_C(1) << 52, m = (bits & (one - 1)) | one;
  const int e = (int)(bits >> 52) - 1075;
  // 2^(e+52) <= a, so this is the exponent or one less
  int x = (int)floor((e + 52) * 0.30102999566398120);
  uint64_t n = scaled(m, e, DIGITS - 1 - x);
  if (n >= 10 * ten_16) {
    x++;
    n = scaled(m, e, DIGITS - 1 - x);
  }
  *exponent = x;
  return n;
}

/* The 8 digits of n < 10^8, in lanes of one word: fours, then twos, then ones, the first lowest.
 * x * 10486 >> 20 is x / 100 for x < 10^4, and x * 103 >> 10 is x / 10 for x < 100.
 * returns how many zeros are at the end, 8 for 0 */
static int put_8(char *out, uint32_t n)
{
  const uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
  const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
  const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  const uint64_t ones = tens | (twos - 10 * tens) << 8;
  const uint64_t text = ones + UINT64_C(0x3030303030303030);
  for (int i = 0; i < 8; i++) {
    out[i] = (char)(text >> 8 * i);
  }
  return ones != 0 ? __builtin_clzll(ones) / 8 : 8;
}

/* The digits of n, 10^16 <= n < 10^17. returns how many there are without zeros at the end */
static int put_17(char *out, uint64_t n)
{
  const uint64_t rest = n % ten_16;
  const uint32_t ten_8 = 100000000;
  out[0] = (char)('0' + (int)(n / ten_16));
  const int middle = put_8(out + 1, (uint32_t)(rest / ten_8));
  const int end = put_8(out + 9, (uint32_t)(rest % ten_8));
  return DIGITS - end - (end == 8 ? middle : 0);
}

/* The layout of %.17g. The digits are put where most of them stay, behind the room for a point. */
static size_t lay_out(char *out, uint64_t n, int x)
{
  if (x < 0 && x >= -4) {
    memcpy(out, "0.0000", 6);
    const int length = 1 - x + put_17(out + 1 - x, n);
    out[length] = '\0';
    return (size_t)length;
  }
  const int whole = x >= 0 && x < DIGITS ? x + 1 : 1;
  const int count = put_17(out + 1, n);
  for (int i = 0; i < whole; i++) {
    out[i] = out[i + 1];
  }
  out[whole] = '.';
  int length = count > whole ? count + 1 : whole;
  if (x < 0) {
    out[length++] = 'e';
    out[length++] = '-';
    out[length++] = (char)('0' + -x / 10);
    out[length++] = (char)('0' + -x % 10);
  }
  out[length] = '\0';
  return (size_t)length;
}

size_t cardan__format_17(char *buffer, double value)
{
  const double a = fabs(value);
  if (!(a >= 1e-37 && a < 1e16)) {
    if (a == 0 && !signbit(value)) {
      memcpy(buffer, "0", 2);
      return 1;
    }
    return cardan__format_number(buffer, value, DIGITS);
  }
  int x;
  const uint64_t n = digits_of(a, &x);
  const bool negative = value < 0;
  buffer[0] = '-';
  return lay_out(buffer + negative, n, x) + (negative ? 1 : 0);
}
