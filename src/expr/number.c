// SPDX-License-Identifier: Apache-2.0
#include "expr/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Decimal to binary in three ways, each exact where it applies, so each rounds once.
 *
 *   value = w 10^e, w an integer                                                       (E1)
 *   small   w <= 2^53 and |e| <= 22: w and 10^|e| are doubles, one operation rounds
 *   medium  w < 2^64 and |e| <= 27: 5^|e| fits 64 bits, w 5^e or w / 5^-e fits 128     (E2)
 *   large   the rest, by long integers: 66 bits of the quotient and whether more follow (E3)
 *
 * A point halfway between two doubles has at most 767 significant digits, so the digits after the
 * first 800 only matter by not all being 0: then one digit 1 stands for them. */

__extension__ typedef unsigned __int128 u128;

// a written exponent stops growing here, where no text is long enough to make up for it
#define MAX_EXPONENT 1000000000000LL

enum {
  MAX_DIGITS = 800,
  WORDS = 132 // 4224 bits; 10^1146 and 801 digits take at most 3808
};

// the parts of a number's text
typedef struct {
  const char *digit;  // first significant digit; a '.' may stand among the digits
  size_t length;      // of the digits from there, with the '.'
  long long ndigit;   // significant digits
  long long exponent; // of 10, as if the '.' stood behind the last digit
  uint64_t w;         // the first 19 digits
  bool negative;
} parts;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

// the exponent after the 'e' at *at; false when it has no digits
static bool read_exponent(const char *text, size_t length, size_t *at, long long *exponent)
{
  size_t i = *at + 1;
  const bool negative = i < length && text[i] == '-';
  long long e = 0;

  if (i < length && (text[i] == '-' || text[i] == '+')) {
    i++;
  }
  if (i == length || !is_digit(text[i])) {
    return false;
  }
  for (; i < length && is_digit(text[i]); i++) {
    e = e < MAX_EXPONENT ? 10 * e + (text[i] - '0') : e;
  }
  *at = i;
  *exponent = negative ? -e : e;
  return true;
}

// splits a text into its parts; false when it is not a number
static bool split(const char *text, size_t length, parts *p)
{
  size_t i = 0, end;
  bool any = false, point = false;
  long long shift = 0, written = 0; // digits behind the point; the exponent as written

  *p = (parts){.negative = length > 0 && text[0] == '-'};
  if (length > 0 && (text[0] == '-' || text[0] == '+')) {
    i++;
  }
  for (; i < length && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    any = true;
    shift += point;
    if (p->ndigit == 0 && text[i] == '0') {
      continue;
    }
    p->digit = p->ndigit == 0 ? text + i : p->digit;
    p->w = p->ndigit < 19 ? 10 * p->w + (uint64_t)(text[i] - '0') : p->w;
    p->ndigit++;
  }
  end = i;
  if (any && i < length && (text[i] == 'e' || text[i] == 'E')) {
    if (!read_exponent(text, length, &i, &written)) {
      return false;
    }
  }
  p->length = p->digit ? (size_t)(text + end - p->digit) : 0;
  p->exponent = written - shift;
  return any && i == length;
}

// m 2^e to the nearest double, ties to even; sticky: m is a little more than it says
static double round_scaled(u128 m, bool sticky, int e)
{
  const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
  const int top = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
  const int last = top + e - 52 > -1074 ? top + e - 52 : -1074; // exponent of the last bit kept
  const int cut = last - e;                                     // bits to round away

  if (cut <= 0) {
    return ldexp((double)low, e); // at most 53 bits, and then nothing is sticky
  }
  if (cut > 127) {
    return 0.0;
  }
  const u128 half = (u128)1 << (cut - 1), rest = m & (((u128)1 << cut) - 1);
  u128 kept = m >> cut;
  if (rest > half || (rest == half && (sticky || (kept & 1)))) {
    kept++;
  }
  return ldexp((double)(uint64_t)kept, last);
}

static double medium(uint64_t w, int e)
{
  uint64_t five = 1;

  for (int i = 0; i < (e < 0 ? -e : e); i++) {
    five *= 5;
  }
  if (e >= 0) {
    return round_scaled((u128)w * five, false, e); // (E2)
  }
  const int shift = 64 + __builtin_clzll(w); // the quotient then has at least 64 bits
  const u128 n = (u128)w << shift;
  return round_scaled(n / five, n % five != 0, e - shift); // (E2)
}

/* A long natural number, 32 bits in a word, the low word first; words from n on are 0. */
typedef struct {
  uint32_t word[WORDS];
  int n; // words in use; the highest is not 0
} big;

static void big_muladd(big *x, uint32_t factor, uint32_t term)
{
  uint64_t carry = term;

  for (int i = 0; i < x->n; i++) {
    carry += (uint64_t)x->word[i] * factor;
    x->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) {
    x->word[x->n++] = (uint32_t)carry;
  }
}

static void big_pow10(big *x, int e)
{
  for (; e >= 9; e -= 9) {
    big_muladd(x, 1000000000u, 0);
  }
  for (; e > 0; e--) {
    big_muladd(x, 10, 0);
  }
}

static int big_bits(const big *x)
{
  return 32 * x->n - __builtin_clz(x->word[x->n - 1]);
}

static void big_shift(big *x, int bits)
{
  const int words = bits / 32, rest = bits % 32;

  memmove(x->word + words, x->word, (size_t)x->n * sizeof x->word[0]);
  memset(x->word, 0, (size_t)words * sizeof x->word[0]);
  x->n = x->n ? x->n + words : 0;
  if (rest) {
    big_muladd(x, 1u << rest, 0);
  }
}

static bool big_less(const big *x, const big *y)
{
  if (x->n != y->n) {
    return x->n < y->n;
  }
  for (int i = x->n - 1; i >= 0; i--) {
    if (x->word[i] != y->word[i]) {
      return x->word[i] < y->word[i];
    }
  }
  return false;
}

// x -= y, for x >= y
static void big_subtract(big *x, const big *y)
{
  uint64_t borrow = 0;

  for (int i = 0; i < x->n; i++) {
    const uint64_t d = (uint64_t)x->word[i] - y->word[i] - borrow;
    x->word[i] = (uint32_t)d;
    borrow = d >> 63;
  }
  while (x->n > 0 && x->word[x->n - 1] == 0) {
    x->n--;
  }
}

// all digits of p as one long number; returns how far the exponent moves for digits left out
static long long big_digits(big *x, const parts *p)
{
  int used = 0;
  bool more = false;

  for (size_t i = 0; i < p->length; i++) {
    if (p->digit[i] == '.') {
      continue;
    }
    if (used < MAX_DIGITS) {
      big_muladd(x, 10, (uint32_t)(p->digit[i] - '0'));
      used++;
    } else if (p->digit[i] != '0') {
      more = true;
    }
  }
  if (more) {
    big_muladd(x, 10, 1);
    used++;
  }
  return p->ndigit - used;
}

static double large(const parts *p)
{
  big x = {0}, y = {.word = {1}, .n = 1};
  u128 q = 0;

  const int e = (int)(p->exponent + big_digits(&x, p)); // magnitude() bounds it
  big_pow10(&x, e);
  big_pow10(&y, -e);

  // x / y 2^shift, with x and y of equal length: the quotient is between 1/2 and 2
  const int shift = big_bits(&x) - big_bits(&y);
  if (shift < 0) {
    big_shift(&x, -shift);
  } else {
    big_shift(&y, shift);
  }
  for (int i = 0; i < 66; i++) { // (E3)
    q <<= 1;
    if (!big_less(&x, &y)) {
      big_subtract(&x, &y);
      q |= 1;
    }
    big_shift(&x, 1);
  }
  return round_scaled(q, x.n > 0, shift - 65);
}

static double magnitude(const parts *p)
{
  static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const long long e = p->exponent, size = p->ndigit + e; // value < 10^size

  if (p->ndigit == 0 || size < -345) {
    return 0.0;
  }
  if (size > 310) {
    return HUGE_VAL;
  }
  if (p->ndigit <= 19 && p->w <= (UINT64_C(1) << 53) && e >= -22 && e <= 22) {
    return e < 0 ? (double)p->w / ten[-e] : (double)p->w * ten[e];
  }
  if (p->ndigit <= 19 && e >= -27 && e <= 27) {
    return medium(p->w, (int)e);
  }
  return large(p);
}

cardan__number_result cardan__number_read(const char *text, size_t length, double *value)
{
  parts p;

  if (!split(text, length, &p)) {
    return CARDAN__NUMBER_MALFORMED;
  }
  const double x = magnitude(&p);
  if (isinf(x)) {
    return CARDAN__NUMBER_OVERFLOW;
  }
  *value = p.negative ? -x : x;
  return CARDAN__NUMBER_OK;
}
