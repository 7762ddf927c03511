// SPDX-License-Identifier: Apache-2.0
#include "output/print_double.h"

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

/* (P + part) / 2^right to the nearest integer, ties to even, for a part of 1; 1 <= right < 64, and
 * the result fits 64 bits. more: is the part not 0? */
CARDAN__INLINE uint64_t nearest(wide P, int right, uint64_t more)
{
  const uint64_t low = (uint64_t)P, high = (uint64_t)(P >> 64), one = 1;
  const uint64_t n = low >> right | high << (64 - right);
  const uint64_t rest = low & ((one << right) - 1);
  return n + (2 * rest + (more | (n & 1)) > one << right ? 1 : 0);
}

/* m 2^e 10^k to the nearest integer, ties to even, for POWERS <= k < 2 POWERS - 1; it fits 64 bits.
 * The product m 5^k is exact, in 180 bits, and what remains is a shift by 60 to 122 of them. */
static CARDAN__NOINLINE uint64_t scaled_far(uint64_t m, int e, int k)
{
  enum { UP = 4 }; // bits more, so that the shift goes past the lowest word
  const uint64_t five = power_of_five[k - (POWERS - 1)];
  const wide part = (wide)(m << UP) * power_of_five[POWERS - 1];
  const wide below = (wide)(uint64_t)part * five;
  const wide above = (part >> 64) * five + (below >> 64);
  return nearest(above, UP - (e + k) - 64, (uint64_t)below != 0 ? 1 : 0);
}

/* The same for k >= 0, with 116 bits where k is small: numbers from 1e-11 on. */
CARDAN__INLINE uint64_t scaled(uint64_t m, int e, int k)
{
  const int right = -(e + k);
  if (k >= POWERS) {
    return scaled_far(m, e, k);
  }
  const wide P = (wide)m * power_of_five[k];
  return right > 0 ? nearest(P, right, 0) : (uint64_t)P << -right;
}

/* The bits of 10^x rounded to a double, -37 <= x <= 16. Of numbers that are not negative the larger
 * one has the larger bits. */
static uint64_t power_of_ten(int x)
{
  static const double power[] = {
      1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27,
      1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16,
      1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,
      1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,
      1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15,  1e16,
  };
  uint64_t bits;
  memcpy(&bits, &power[x + 37], sizeof bits);
  return bits;
}

/* The digits of m 2^e beside a power of ten, where rounding decides on which side it is: those of
 * the lower exponent, unless they round to 18.
 * exponent  in: one of the two; out: of the result */
static CARDAN__NOINLINE uint64_t beside_power(uint64_t m, int e, int *exponent)
{
  const int x = *exponent;
  const uint64_t n = scaled(m, e, DIGITS - 1 - x);
  const bool below = n <= ten_16;
  const uint64_t lower = below ? scaled(m, e, DIGITS - x) : n;
  const bool fits = lower < 10 * ten_16;
  *exponent = x + (below ? 0 : 1) - (fits ? 1 : 0);
  return fits ? lower : ten_16;
}

/* The 17 digits of a in [1e-37, 1e16), given by its bits, as one number, 10^16 <= result < 10^17.
 * exponent  out: a = d.ddd.. 10^exponent */
CARDAN__INLINE uint64_t digits_of(uint64_t a, int *exponent)
{
  const uint64_t one = UINT64_C(1) << 52, m = (a & (one - 1)) | one;
  const int e = (int)(a >> 52) - 1075; // a is normal: its exponent is above its 52 bits
  // 2^(e+52) <= a, so this is the exponent or one less: 1233 / 2^12 is near enough to log10(2), and
  // 64 more keep it positive
  int x = (((e + 52) * 1233 + (64 << 12)) >> 12) - 64;
  x += a >= power_of_ten(x + 1) ? 1 : 0;
  const uint64_t n = scaled(m, e, DIGITS - 1 - x);
  *exponent = x;
  return n > ten_16 && n < 10 * ten_16 ? n : beside_power(m, e, exponent);
}

typedef uint64_t eights __attribute__((vector_size(16)));
typedef uint32_t fours __attribute__((vector_size(16)));
typedef uint16_t twos __attribute__((vector_size(16)));
typedef uint8_t ones __attribute__((vector_size(16)));

typedef struct {
  char first;  // as characters: the first digit
  eights rest; // and 16 more, of which the first is the lowest byte
  int count;   // without zeros at the end
} digits;

/* The digits of n, 10^16 <= n < 10^17: two times 8 in the lanes of a vector, as fours, then twos,
 * then ones. x * 3518437209 >> 45 is x / 10^4 for x < 10^8, x * 10486 >> 20 is x / 100 for
 * x < 10^4, and x * 103 >> 10 is x / 10 for x < 100. */
CARDAN__INLINE digits take_apart(uint64_t n)
{
  const uint64_t ten_8 = 100000000, high = n / ten_8, first = high / ten_8;
  const eights all = {high - first * ten_8, n - high * ten_8};
  const eights upper = (all * 3518437209U) >> 45;
  const fours four = (fours)(upper | (all - upper * 10000) << 32);
  const fours hundreds = (four * 10486) >> 20;
  const twos two = (twos)(hundreds | (four - hundreds * 100) << 16);
  const twos tens = (two * 103) >> 10;
  const eights one = (eights)(tens | (two - tens * 10) << 8);
  // zeros at the end are the high lanes
  const uint64_t half = one[1] != 0 ? one[1] : one[0];
  const int zeros = (half != 0 ? __builtin_clzll(half) / 8 : 8) + (one[1] != 0 ? 0 : 8);
  return (digits){(char)('0' + first), (eights)((ones)one + '0'), DIGITS - zeros};
}

/* d.ddd..e-xx of %.17g, -37 <= x < 0. */
static size_t lay_out_small(char *out, const digits *d, int x)
{
  out[0] = d->first;
  out[1] = '.';
  memcpy(out + 2, &d->rest, sizeof d->rest);
  const int length = d->count > 1 ? d->count + 1 : 1;
  const char power[4] = {'e', '-', (char)('0' + -x / 10), (char)('0' + -x % 10)};
  memcpy(out + length, power, sizeof power);
  return (size_t)length + 4;
}

/* The layout of %.17g: 0.000ddd for x from -4 to -1, ddd.ddd up to 15. Sizes and signs of numbers
 * follow no pattern that a processor could guess, so all are laid out by the same stores of a fixed
 * size, with the point put between the digits before that: a load of what was just stored elsewhere
 * would wait for it. */
static size_t lay_out(char *out, uint64_t n, int x)
{
  static const char nothing[8] = {'0', '.', '0', '0', '0', '0', '0', '0'};
  static const ones lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const digits d = take_apart(n);
  if (x < -4) {
    return lay_out_small(out, &d, x);
  }
  const bool small = x < 0;
  const int zeros = small ? 1 - x : 0; // "0.", and those behind it
  const int whole = small ? 0 : x + 1; // digits before the point
  // of the 16, in the lanes before the point as they are, behind it one further
  const ones at = (ones){0} + (uint8_t)(small ? 16 : x), rest = (ones)d.rest;
  const ones before = (ones)(lane < at), point = (ones)(lane == at);
  const ones moved = (ones)(eights){d.rest[0] << 8, d.rest[1] << 8 | d.rest[0] >> 56};
  const ones text = (before & rest) | (point & '.') | (~(before | point) & moved);
  memcpy(out, nothing, sizeof nothing);
  out[zeros] = d.first;
  memcpy(out + zeros + 1, &text, sizeof text);
  out[zeros + DIGITS] = (char)(d.rest[1] >> 56);
  const int behind = d.count - whole; // digits behind the point
  return (size_t)(behind <= 0 ? whole : d.count + (small ? zeros : 1));
}

/* One that is not within digits_of. */
static CARDAN__NOINLINE size_t lay_out_other(char *out, double value, uint64_t bits)
{
  if (bits == 0) {
    out[0] = '0';
    return 1;
  }
  return cardan__format_number(out, value, DIGITS);
}

/* In two passes: what is done for one number is a chain of a hundred cycles, and a processor that
 * looks ahead as far as the next number finds little beside it. */
size_t cardan__format_17(char *buffer, const double *value, int count)
{
  const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  uint64_t bits[CARDAN__MOST_17], n[CARDAN__MOST_17];
  int x[CARDAN__MOST_17] = {0};
  char *out = buffer;
  memcpy(bits, value, (size_t)count * sizeof *bits);
  for (int i = 0; i < count; i++) {
    const uint64_t a = bits[i] << 1 >> 1;
    const bool within = little && a >= power_of_ten(-37) && a < power_of_ten(16);
    n[i] = within ? digits_of(a, &x[i]) : 0;
  }
  for (int i = 0; i < count; i++) {
    const uint64_t negative = n[i] != 0 ? bits[i] >> 63 : 0;
    out[0] = '-';
    out += negative;
    out += n[i] != 0 ? lay_out(out, n[i], x[i]) : lay_out_other(out, value[i], bits[i]);
    *out++ = ',';
  }
  return (size_t)(out - buffer);
}
