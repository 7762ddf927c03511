// SPDX-License-Identifier: Apache-2.0
#include "batch/distribution.h"

#include <math.h>
#include <string.h>

#include "expr/number.h"

/* sum over k of c[k] x^k, k = 0 .. 7 */
static double polynomial(const double c[8], double x)
{
  double sum = c[7];
  for (int k = 6; k >= 0; k--) {
    sum = sum * x + c[k];
  }
  return sum;
}

/* z with Phi(z) = p = 1 - q. Both are arguments, since each is exact in its own tail. Wichura's
 * PPND16: quotients of polynomials. For |p - 1/2| <= 0.425 these are in (p - 1/2)^2; in the tails
 * they are in r = sqrt(-log(min(p, q))), with one set of coefficients for r <= 5 and one above. */
static double normal_quantile(double p, double q)
{
  static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                              1.9715909503065514427e+3, 1.3731693765509461125e+4,
                              4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[8] = {1.0,
                              4.2313330701600911252e+1,
                              6.8718700749205790830e+2,
                              5.3941960214247511077e+3,
                              2.1213794301586595867e+4,
                              3.9307895800092710610e+4,
                              2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[8] = {1.0,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[8] = {1.0,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  const double middle = p - 0.5;
  if (fabs(middle) <= 0.425) {
    const double r = 0.180625 - middle * middle;
    return middle * polynomial(a, r) / polynomial(b, r);
  }
  const double r = sqrt(-log(middle < 0 ? p : q));
  const double z = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                          : polynomial(e, r - 5) / polynomial(f, r - 5);
  return middle < 0 ? -z : z;
}

/* ---- distributions ---- */

/* Probability of values below x, or above it, to full relative precision, however small it is. */
static double tail_probability(const cardan_distribution *s, double x, bool above)
{
  if (s->kind == CARDAN_DISTRIBUTION_LOG_NORMAL && x <= 0) {
    return above ? 1 : 0;
  }
  if (s->kind == CARDAN_DISTRIBUTION_NORMAL || s->kind == CARDAN_DISTRIBUTION_LOG_NORMAL) {
    const double z = (s->kind == CARDAN_DISTRIBUTION_NORMAL ? x : log(x)) - s->a;
    return 0.5 * erfc((above ? z : -z) / (s->b * sqrt(2.0)));
  }
  const double width = s->b - s->a;
  const double low = (x - s->a) / width, high = (s->b - x) / width;
  if (low <= 0 || high <= 0) {
    return (low <= 0) == above ? 1 : 0;
  }
  if (s->kind == CARDAN_DISTRIBUTION_UNIFORM) {
    return above ? high : low;
  }
  // small: the triangle from x to the end on its side of the peak
  const bool below_peak = x < s->c;
  const double small =
      below_peak ? low * ((x - s->a) / (s->c - s->a)) : high * ((s->b - x) / (s->b - s->c));
  return below_peak == above ? 1 - small : small;
}

/* Computes the probabilities that are cut off below and above; returns the remaining one. */
static double kept_probability(const cardan_distribution *s, double *below, double *above)
{
  *below = s->has_from ? tail_probability(s, s->from, false) : 0;
  *above = s->has_to ? tail_probability(s, s->to, true) : 0;
  if (*below > 0.5) { // the rest is in the upper tail
    return tail_probability(s, s->from, true) - *above;
  }
  if (*above > 0.5) {
    return tail_probability(s, s->to, false) - *below;
  }
  return 1 - *below - *above;
}

/* x with probability p of smaller values and q = 1 - p of larger ones. */
static double quantile(const cardan_distribution *s, double p, double q)
{
  switch (s->kind) {
  case CARDAN_DISTRIBUTION_NORMAL:
    return s->a + s->b * normal_quantile(p, q);
  case CARDAN_DISTRIBUTION_LOG_NORMAL:
    return exp(s->a + s->b * normal_quantile(p, q));
  case CARDAN_DISTRIBUTION_TRIANGULAR: {
    const double width = s->b - s->a;
    return p * width < s->c - s->a ? s->a + sqrt(p) * sqrt(width) * sqrt(s->c - s->a)
                                   : s->b - sqrt(q) * sqrt(width) * sqrt(s->b - s->c);
  }
  default: // uniform, even: p = 1 gives b exactly
    return p < 1 ? s->a + p * (s->b - s->a) : s->b;
  }
}

double cardan_distribution_at(const cardan_distribution *distribution, double p)
{
  if (!distribution->has_from && !distribution->has_to) {
    return quantile(distribution, p, 1 - p);
  }
  double below, above;
  const double kept = kept_probability(distribution, &below, &above);
  const double x = quantile(distribution, below + p * kept, above + (1 - p) * kept);
  const double bounded = distribution->has_from ? fmax(x, distribution->from) : x;
  return distribution->has_to ? fmin(bounded, distribution->to) : bounded;
}

/* ---- reading ---- */

/* What the ends of a truncation violate, as the end of a message; NULL: they are valid. */
static const char *expected_of_cut(const cardan_distribution *s)
{
  double below, above;
  if (s->has_from && s->has_to && !(s->from < s->to)) {
    return "an end that is more than the beginning";
  }
  // 1e-280: the smallest probability that keeps its digits when it is divided by 2^53
  return kept_probability(s, &below, &above) >= 1e-280
             ? NULL
             : "ends that keep more than 1e-280 of the distribution";
}

const char *cardan__distribution_expected(const cardan_distribution *distribution)
{
  const bool has_ends = distribution->kind != CARDAN_DISTRIBUTION_NORMAL &&
                        distribution->kind != CARDAN_DISTRIBUTION_LOG_NORMAL;
  if (has_ends && distribution->kind != CARDAN_DISTRIBUTION_EVEN &&
      !(distribution->a < distribution->b)) {
    return "an end that is more than the beginning";
  }
  if (has_ends && !isfinite(distribution->b - distribution->a)) {
    return "ends whose difference is finite";
  }
  if (distribution->kind == CARDAN_DISTRIBUTION_TRIANGULAR &&
      !(distribution->a <= distribution->c && distribution->c <= distribution->b)) {
    return "a peak that is between the ends";
  }
  if (!has_ends && !(distribution->b > 0)) {
    return "a standard deviation above 0";
  }
  const char *expected =
      distribution->has_from || distribution->has_to ? expected_of_cut(distribution) : NULL;
  if (expected == NULL && !has_ends &&
      !(isfinite(cardan_distribution_at(distribution, 0x1p-53)) &&
        isfinite(cardan_distribution_at(distribution, 1 - 0x1p-53)))) {
    return "numbers with which all values are finite";
  }
  return expected;
}

/* Finds the next part of *text, up to a colon or its end; returns its length. *text becomes the
 * rest after the colon, NULL at the end. */
static size_t next_part(const char **text, const char **part)
{
  *part = *text;
  const size_t length = strcspn(*text, ":");
  *text = (*text)[length] == ':' ? *text + length + 1 : NULL;
  return length;
}

/* Reads FROM..TO; if `open`, one of the two may be omitted. */
static bool read_ends(const char *text, size_t length, bool open, cardan_distribution *s)
{
  const char *dots = strstr(text, "..");
  if (dots == NULL || dots + 2 > text + length) {
    return false;
  }
  const char *second = dots + 2;
  const size_t length1 = (size_t)(dots - text), length2 = length - length1 - 2;
  s->has_from = length1 > 0;
  s->has_to = length2 > 0;
  return (open ? length1 + length2 > 0 : length1 > 0 && length2 > 0) &&
         second[0] != '.' && // 1...2 is ambiguous: to 2, or to .2
         (!s->has_from || cardan__number_read(text, length1, &s->from) == CARDAN__NUMBER_OK) &&
         (!s->has_to || cardan__number_read(second, length2, &s->to) == CARDAN__NUMBER_OK);
}

/* Reads WORD:NUMBER:NUMBER[:NUMBER][:FROM..TO], a random distribution. */
static bool read_random(const char *text, cardan_distribution *s)
{
  static const struct {
    const char *word;
    cardan_distribution_kind kind;
  } known[] = {{"uniform", CARDAN_DISTRIBUTION_UNIFORM},
               {"normal", CARDAN_DISTRIBUTION_NORMAL},
               {"log-normal", CARDAN_DISTRIBUTION_LOG_NORMAL},
               {"triangular", CARDAN_DISTRIBUTION_TRIANGULAR}};
  const char *part;
  size_t length = next_part(&text, &part), k = 0;
  while (k < sizeof known / sizeof *known &&
         !(strlen(known[k].word) == length && strncmp(known[k].word, part, length) == 0)) {
    k++;
  }
  if (k == sizeof known / sizeof *known) {
    return false;
  }
  s->kind = known[k].kind;
  double *const two[] = {&s->a, &s->b}, *const three[] = {&s->a, &s->c, &s->b};
  const int n = s->kind == CARDAN_DISTRIBUTION_TRIANGULAR ? 3 : 2;
  for (int i = 0; i < n; i++) {
    length = text != NULL ? next_part(&text, &part) : 0;
    if (cardan__number_read(part, length, n == 3 ? three[i] : two[i]) != CARDAN__NUMBER_OK) {
      return false;
    }
  }
  if (text != NULL) {
    length = next_part(&text, &part);
    return text == NULL && read_ends(part, length, true, s);
  }
  return true;
}

/* Reads FROM..TO, evenly spaced values. */
static bool read_even(const char *text, cardan_distribution *s)
{
  cardan_distribution ends;
  if (!read_ends(text, strlen(text), false, &ends)) {
    return false;
  }
  s->a = ends.from;
  s->b = ends.to;
  return true;
}

cardan_status cardan_distribution_read(const char *text, cardan_distribution *out,
                                       cardan_report *report)
{
  const cardan_pos none = {0, 0};
  *out = (cardan_distribution){.kind = CARDAN_DISTRIBUTION_EVEN};
  if (!(strchr(text, ':') != NULL ? read_random(text, out) : read_even(text, out))) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "found \"%.60s\", expected FROM..TO, uniform:FROM:TO, normal:MEAN:SIGMA, "
                       "log-normal:MEAN:SIGMA or triangular:FROM:PEAK:TO with finite numbers, "
                       "the last four optionally with :FROM..TO at the end",
                       text);
  }
  const char *expected = cardan__distribution_expected(out);
  return expected == NULL ? CARDAN_OK
                          : cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                                        "found \"%.60s\", expected %s", text, expected);
}
