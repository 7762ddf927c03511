// SPDX-License-Identifier: Apache-2.0
#include "output/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"
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

/* The same for right < 64: only the low half of P loses bits. */
static inline uint64_t nearest_near(wide P, int right)
{
  const uint64_t low = (uint64_t)P, high = (uint64_t)(P >> 64), one = 1;
  const uint64_t n = low >> right | high << 1 << (63 - right);
  const uint64_t rest = low & ((one << right) - 1), half = one << (right - 1);
  return n + (rest + (n & 1) > half ? 1 : 0);
}

/* m 2^e 10^k to the nearest integer, ties to even, for POWERS <= k < 2 POWERS - 1; it fits 64 bits.
 * The product m 5^k is exact, in 180 bits, and what remains is a shift by e + k bits. */
static CARDAN__APART uint64_t scaled_far(uint64_t m, int e, int k)
{
  // P = high 2^64 + low; of the bits that go, all but two only say whether any of them is set
  const int right = -(e + k);
  const wide part = (wide)m * power_of_five[POWERS - 1];
  const uint64_t five = power_of_five[k - (POWERS - 1)];
  const wide below = (wide)(uint64_t)part * five;
  const wide high = (part >> 64) * five + (below >> 64);
  const uint64_t low = (uint64_t)below;
  const int go = right - 2 < 64 ? right - 2 : 64;
  const wide gone = low & (((wide)1 << go) - 1);
  return nearest((high << (64 - go)) | ((wide)low >> go) | (gone != 0 ? 1 : 0), right - go);
}

/* The same for k >= 0, with 116 bits where k is small: numbers from 1e-11 on. */
CARDAN__INLINE uint64_t scaled(uint64_t m, int e, int k)
{
  const int right = -(e + k);
  if (k >= POWERS) {
    return scaled_far(m, e, k);
  }
  const wide P = (wide)m * power_of_five[k];
  return right > 0 ? nearest_near(P, right) : (uint64_t)P << -right;
}

/* 10^x rounded to a double, -37 <= x <= 16. */
static double power_of_ten(int x)
{
  static const double power[] = {
      1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27,
      1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16,
      1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,
      1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,
      1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15,  1e16,
  };
  return power[x + 37];
}

/* The digits of m 2^e beside a power of ten, where rounding decides on which side it is: those of
 * the lower exponent, unless they round to 18.
 * exponent  in: one of the two; out: of the result */
static CARDAN__APART uint64_t beside_power(uint64_t m, int e, int *exponent)
{
  const int x = *exponent;
  const uint64_t n = scaled(m, e, DIGITS - 1 - x);
  const bool below = n <= ten_16;
  const uint64_t lower = below ? scaled(m, e, DIGITS - x) : n;
  const bool fits = lower < 10 * ten_16;
  *exponent = x + (below ? 0 : 1) - (fits ? 1 : 0);
  return fits ? lower : ten_16;
}

/* The 17 digits of a in [1e-37, 1e16) as one number, 10^16 <= result < 10^17.
 * exponent  out: a = d.ddd.. 10^exponent */
static uint64_t digits_of(double a, int *exponent)
{
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits); // a is normal: its exponent is above its 52 bits
  const uint64_t one = UINT64_C(1) << 52, m = (bits & (one - 1)) | one;
  const int e = (int)(bits >> 52) - 1075;
  // 2^(e+52) <= a, so this is the exponent or one less: 1233 / 2^12 is near enough to log10(2), and
  // 64 more keep it positive
  int x = (((e + 52) * 1233 + (64 << 12)) >> 12) - 64;
  x += a >= power_of_ten(x + 1) ? 1 : 0;
  const uint64_t n = scaled(m, e, DIGITS - 1 - x);
  *exponent = x;
  return n > ten_16 && n < 10 * ten_16 ? n : beside_power(m, e, exponent);
}

/* The 8 digits of n < 10^8, in lanes of one word: fours, then twos, then ones, the first lowest.
 * x * 10486 >> 20 is x / 100 for x < 10^4, and x * 103 >> 10 is x / 10 for x < 100. */
static inline uint64_t lanes_8(uint32_t n)
{
  const uint64_t fours = n / 10000 | (uint64_t)(n % 10000) << 32;
  const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
  const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  return tens | (twos - 10 * tens) << 8;
}

/* Eight lanes as eight characters, the lowest first on any machine: one store where that is its
 * own order. */
static inline void put_8(char *out, uint64_t ones)
{
  const uint64_t text = ones + UINT64_C(0x3030303030303030);
  for (int i = 0; i < 8; i++) {
    out[i] = (char)(text >> 8 * i);
  }
}

enum { ROOM = 2 * DIGITS }; // of digits, and what copies of a fixed size read behind them

/* The digits of n, 10^16 <= n < 10^17. returns how many there are without zeros at the end */
static inline int put_17(char *out, uint64_t n)
{
  const uint32_t ten_8 = 100000000;
  const uint64_t high = n / ten_8; // 9 digits
  const uint32_t first = (uint32_t)(high / ten_8);
  const uint64_t middle = lanes_8((uint32_t)(high - (uint64_t)first * ten_8));
  const uint64_t end = lanes_8((uint32_t)(n - high * ten_8));
  out[0] = (char)('0' + first);
  put_8(out + 1, middle);
  put_8(out + 9, end);
  // zeros are the high lanes
  const int zeros =
      end != 0 ? __builtin_clzll(end) / 8 : 8 + (middle != 0 ? __builtin_clzll(middle) / 8 : 8);
  return DIGITS - zeros;
}

/* d.ddd..e-xx of %.17g, -37 <= x < 0. */
static size_t lay_out_small(char *out, const char *digits, int count, int x)
{
  out[0] = digits[0];
  out[1] = '.';
  memcpy(out + 2, digits + 1, DIGITS - 1);
  const int length = count > 1 ? count + 1 : 1;
  const char power[5] = {'e', '-', (char)('0' + -x / 10), (char)('0' + -x % 10), '\0'};
  memcpy(out + length, power, sizeof power);
  return (size_t)length + 4;
}

/* The layout of %.17g: 0.000ddd for x from -4 to -1, ddd.ddd up to 15. Sizes and signs of numbers
 * follow no pattern that a processor could guess, so all are laid out by the same copies of a fixed
 * size: all digits, those behind the point over them, and the point. */
static size_t lay_out(char *out, uint64_t n, int x)
{
  char digits[ROOM] = "";
  const int count = put_17(digits, n);
  if (x < -4) {
    return lay_out_small(out, digits, count, x);
  }
  const bool small = x < 0;
  const int zeros = small ? 1 - x : 0;          // "0.", and those behind it
  const int whole = small ? 0 : x + 1;          // digits before the point
  const int behind = small ? zeros : whole + 1; // where the others go
  memcpy(out, "0.000000", 8);
  memcpy(out + zeros, digits, DIGITS);
  memcpy(out + behind, digits + whole, DIGITS);
  out[small ? 1 : whole] = '.';
  const int rest = count - whole; // digits behind the point
  const int length = rest > 0 ? behind + rest : whole;
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
