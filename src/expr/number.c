// SPDX-License-Identifier: Apache-2.0
#include "expr/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The text is taken apart. A short number is made of its digits; a longer one is put together again
 * for strtod as an integer with an exponent,
 * "123e-4": without a '.' no locale matters, and strtod rounds correctly. A point halfway between
 * two doubles has at most 767 significant digits, so the digits after the first 800 only matter by
 * not all being 0: then one digit 1 stands for them. */

// a written exponent stops growing here, where no text is long enough to make up for it
#define MAX_EXPONENT 1000000000000LL

enum { MAX_DIGITS = 800 };

// the parts of a number's text
typedef struct {
  const char *digit;  // first significant digit; a '.' may stand among the digits
  size_t length;      // of the digits from there, with the '.'
  long long ndigit;   // significant digits
  long long exponent; // of 10, as if the '.' stood behind the last digit
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

// the significant digits of p, at most MAX_DIGITS and one, and a NUL to out; returns how many
static int copy_digits(const parts *p, char *out)
{
  int used = 0;
  bool more = false;

  for (size_t i = 0; i < p->length; i++) {
    if (p->digit[i] == '.') {
      continue;
    }
    if (used < MAX_DIGITS) {
      out[used++] = p->digit[i];
    } else {
      more = more || p->digit[i] != '0';
    }
  }
  if (more) {
    out[used++] = '1';
  }
  out[used] = '\0';
  return used;
}

// digits below 2^53 and a power of ten that are doubles: one product or quotient, rounded once
static double short_magnitude(const parts *p)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  long long whole = 0;

  for (size_t i = 0; i < p->length; i++) {
    whole = p->digit[i] == '.' ? whole : 10 * whole + (p->digit[i] - '0');
  }
  return p->exponent < 0 ? (double)whole / power[-p->exponent] : (double)whole * power[p->exponent];
}

static double magnitude(const parts *p)
{
  char text[MAX_DIGITS + 16];
  const long long size = p->ndigit + p->exponent; // value < 10^size

  if (p->ndigit == 0 || size < -345) {
    return 0.0;
  }
  if (p->ndigit <= 15 && p->exponent >= -22 && p->exponent <= 22) {
    return short_magnitude(p);
  }
  if (size > 310) {
    return HUGE_VAL;
  }
  const int used = copy_digits(p, text);
  snprintf(text + used, sizeof text - (size_t)used, "e%d", (int)(size - used));
  return strtod(text, NULL);
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
