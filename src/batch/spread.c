// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/vary.h"
#include "expr/number.h"

/* ---- random numbers by index ---- */

/* One round: products of two words of the counter, their halves mixed with the others and the key.
 * Constants of Salmon et al., table 2. */
static void philox_round(uint32_t c[4], const uint32_t key[2])
{
  const uint64_t p = (uint64_t)0xD2511F53U * c[0], r = (uint64_t)0xCD9E8D57U * c[2];
  const uint32_t mixed[4] = {(uint32_t)(r >> 32) ^ c[1] ^ key[0], (uint32_t)r,
                             (uint32_t)(p >> 32) ^ c[3] ^ key[1], (uint32_t)p};
  memcpy(c, mixed, sizeof mixed);
}

double cardan_random(uint64_t seed, uint64_t stream, uint64_t index)
{
  uint32_t c[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
                   (uint32_t)(stream >> 32)};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int k = 0; k < 10; k++) {
    philox_round(c, key);
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  // 52 bits, in the middle of their interval: neither 0 nor 1
  const uint64_t bits = ((uint64_t)c[1] << 32 | c[0]) >> 12;
  return ((double)bits + 0.5) * 0x1p-52;
}

/* ---- spreads ---- */

/* sum over k of c[k] x^k, k = 0 .. 7 */
static double polynomial(const double c[8], double x)
{
  double sum = c[7];
  for (int k = 6; k >= 0; k--) {
    sum = sum * x + c[k];
  }
  return sum;
}

/* z with Phi(z) = p. Wichura's PPND16: quotients of polynomials, in the middle of (1/2 - p)^2, in
 * the tails of r = sqrt(-log(min(p, 1 - p))), near to r = 5 and beyond. */
static double normal_quantile(double p)
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
  const double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = sqrt(-log(q < 0 ? p : 1 - p));
  const double z = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                          : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -z : z;
}

double cardan_spread_at(const cardan_spread *spread, double p)
{
  if (spread->kind == CARDAN_SPREAD_NORMAL) {
    return spread->a + spread->b * normal_quantile(p);
  }
  // p = 1 is the end itself
  return p < 1 ? spread->a + p * (spread->b - spread->a) : spread->b;
}

/* Two numbers with a mark between them, and nothing else. */
static bool read_two(const char *text, const char *mark, double *a, double *b)
{
  const char *middle = strstr(text, mark);
  if (middle == NULL) {
    return false;
  }
  const char *second = middle + strlen(mark);
  return !(mark[0] == '.' && second[0] == '.') && // 1...2: to 2, or to .2?
         cardan__number_read(text, (size_t)(middle - text), a) == CARDAN__NUMBER_OK &&
         cardan__number_read(second, strlen(second), b) == CARDAN__NUMBER_OK;
}

cardan_status cardan_spread_read(const char *text, cardan_spread *out, cardan_report *report)
{
  static const char uniform[] = "uniform:", normal[] = "normal:";
  const cardan_pos none = {0, 0};
  const bool is_uniform = strncmp(text, uniform, sizeof uniform - 1) == 0;
  const bool is_normal = strncmp(text, normal, sizeof normal - 1) == 0;
  *out = (cardan_spread){.kind = is_uniform  ? CARDAN_SPREAD_UNIFORM
                                 : is_normal ? CARDAN_SPREAD_NORMAL
                                             : CARDAN_SPREAD_EVEN};
  const char *numbers = text + (is_uniform  ? sizeof uniform - 1
                                : is_normal ? sizeof normal - 1
                                            : 0);
  if (!read_two(numbers, is_uniform || is_normal ? ":" : "..", &out->a, &out->b)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "found \"%.60s\", expected FROM..TO, uniform:FROM:TO or normal:MEAN:SIGMA "
                       "with finite numbers",
                       text);
  }
  if (is_uniform && !(out->a < out->b)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "found \"%.60s\", expected an end that is more than the beginning", text);
  }
  if (is_normal && !(out->b > 0)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "found \"%.60s\", expected a standard deviation above 0", text);
  }
  if (!is_normal && !isfinite(out->b - out->a)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "found \"%.60s\", expected ends whose difference is finite", text);
  }
  return CARDAN_OK;
}
