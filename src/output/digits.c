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

/* a * b in full: *high 2^64 + the result. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
  const uint64_t mask = UINT64_C(0xffffffff);
  const uint64_t a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
  const uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (cross & mask);
  *high = a1 * b1 + (cross >> 32) + (other >> 32);
  return (other << 32) | (low & mask);
}

/* m 2^e 10^k to the nearest integer, ties to even. The product m 5^k is exact in 128 bits, and what
 * remains is a shift by e + k bits, of less than 64 to either side; the result fits 64 bits. */
static uint64_t scaled(uint64_t m, int e, int k)
{
  uint64_t high;
  const uint64_t low = multiply(m, power_of_five[k], &high);
  const int shift = e + k;
  if (shift >= 0) {
    return low << shift;
  }
  const int right = -shift;
  const uint64_t n = (high << (64 - right)) | (low >> right);
  const uint64_t rest = low & ((UINT64_C(1) << right) - 1), half = UINT64_C(1) << (right - 1);
  return n + (rest > half || (rest == half && (n & 1U) != 0) ? 1 : 0);
}

/* The 17 digits of a in [1e-10, 1e16) as one number, 10^16 <= result < 10^17.
 * exponent  out: a = d.ddd.. 10^exponent */
static uint64_t digits_of(double a, int *exponent)
{
  int e;
  const uint64_t m = (uint64_t)ldexp(frexp(a, &e), 53);
  e -= 53;
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

/* The layout of %.17g from the digits (count of them, trailing zeros gone). */
static size_t lay_out(char *out, const char *digits, int count, int x)
{
  char *start = out;
  if (x >= 0 && x < DIGITS) {
    const int whole = x + 1;
    memcpy(out, digits, (size_t)whole);
    out += whole;
    if (count > whole) {
      *out++ = '.';
      memcpy(out, digits + whole, (size_t)(count - whole));
      out += count - whole;
    }
  } else if (x < 0 && x >= -4) {
    memcpy(out, "0.0000", 6);
    out += 1 - x;
    memcpy(out, digits, (size_t)count);
    out += count;
  } else {
    *out++ = digits[0];
    if (count > 1) {
      *out++ = '.';
      memcpy(out, digits + 1, (size_t)(count - 1));
      out += count - 1;
    }
    const int size = x < 0 ? -x : x;
    *out++ = 'e';
    *out++ = x < 0 ? '-' : '+';
    *out++ = (char)('0' + size / 10);
    *out++ = (char)('0' + size % 10);
  }
  *out = '\0';
  return (size_t)(out - start);
}

size_t cardan__format_17(char *buffer, double value)
{
  const double a = fabs(value);
  if (!(a >= 1e-10 && a < 1e16)) {
    if (a == 0 && !signbit(value)) {
      memcpy(buffer, "0", 2);
      return 1;
    }
    return cardan__format_number(buffer, value, DIGITS);
  }
  int x;
  uint64_t n = digits_of(a, &x);
  char digits[DIGITS];
  for (int i = DIGITS - 1; i >= 0; i--) {
    digits[i] = (char)('0' + (int)(n % 10));
    n /= 10;
  }
  int count = DIGITS;
  while (count > 1 && digits[count - 1] == '0') {
    count--;
  }
  const bool negative = value < 0;
  buffer[0] = '-';
  return lay_out(buffer + negative, digits, count, x) + (negative ? 1 : 0);
}
