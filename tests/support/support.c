// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <math.h>
#include <stdlib.h>

static double tolerance_scale(void)
{
  const char *text = getenv("CARDAN_TOL_SCALE");
  const double scale = text ? strtod(text, NULL) : 1.0;
  return scale > 0.0 ? scale : 1.0;
}

void support_assert_near(double a, double b, double tol, const char *a_text, const char *b_text,
                         const char *file, int line)
{
  if (!(fabs(a - b) <= tol * tolerance_scale()) && a != b) {
    print_error("%s = %.17g\n%s = %.17g\ndifference %.3g, allowed %.3g\n", a_text, a, b_text, b,
                a - b, tol);
    _fail(file, line);
  }
}

void support_assert_near_vec(const double *a, const double *b, int n, double tol,
                             const char *a_text, const char *b_text, const char *file, int line)
{
  int worst = -1;
  double off = tol * tolerance_scale();
  for (int i = 0; i < n; i++) {
    const double difference = fabs(a[i] - b[i]);
    if (!(difference <= off) && a[i] != b[i]) {
      worst = i;
      off = difference;
    }
  }
  if (worst >= 0) {
    print_error("%s[%d] = %.17g\n%s[%d] = %.17g\ndifference %.3g, allowed %.3g\n", a_text, worst,
                a[worst], b_text, worst, b[worst], a[worst] - b[worst], tol);
    _fail(file, line);
  }
}

double support_max_abs(const double *a, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(a[i]));
  }
  return largest;
}

int support_number(const char *name, int otherwise)
{
  const char *text = getenv(name);
  return text != NULL ? atoi(text) : otherwise;
}

uint64_t support_random(support_rng *rng)
{
  // G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014:
  // a counter in steps of the golden ratio, then a mixing function
  rng->state += 0x9E3779B97F4A7C15U;
  uint64_t z = rng->state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

double support_random_in(support_rng *rng, double low, double high)
{
  const double unit = (double)(support_random(rng) >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

int support_random_int(support_rng *rng, int low, int high)
{
  const uint64_t count = (uint64_t)((int64_t)high - low) + 1;
  return (int)(low + (int64_t)(support_random(rng) % count));
}

void support_random_vec(support_rng *rng, double *a, int n, double size)
{
  for (int i = 0; i < n; i++) {
    a[i] = support_random_in(rng, -size, size);
  }
}
