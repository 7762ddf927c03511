// SPDX-License-Identifier: Apache-2.0
#include "evenness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/plan.h"

const char *const points_word[POINTS_KINDS] = {"random", "latin", "sobol"};

void points_make(points_kind kind, const char *arguments, uint64_t seed, int n, int d, double *x)
{
  char text[8192];
  int at = snprintf(text, sizeof text, "(plan (count %d) (seed %llu) (collect drift)", n,
                    (unsigned long long)seed);
  for (int k = 0; k < d; k++) {
    at += snprintf(text + at, sizeof text - (size_t)at, " (%s x%d %s)", points_word[kind], k,
                   arguments);
  }
  at += snprintf(text + at, sizeof text - (size_t)at, ")");
  cardan_report report = {.message = ""};
  cardan__plan *plan;
  if (cardan__plan_read(text, (size_t)at, "points", NULL, &plan, &report) != CARDAN_OK) {
    fprintf(stderr, "%s: %s\n", text, report.message);
    abort();
  }
  for (int i = 0; i < n; i++) {
    cardan__plan_values(plan, i, x + (size_t)i * (size_t)d);
  }
  cardan__plan_destroy(plan);
}

double points_discrepancy(const double *x, int n, int d)
{
  double alone = 0, pairs = 0;
  for (int i = 0; i < n; i++) {
    const double *a = x + (size_t)i * (size_t)d;
    double product = 1, own = 1, others = 0;
    for (int k = 0; k < d; k++) {
      product *= 1 - a[k] * a[k];
      own *= 1 - a[k];
    }
    for (int j = 0; j < i; j++) {
      const double *b = x + (size_t)j * (size_t)d;
      double both = 1;
      for (int k = 0; k < d; k++) {
        both *= 1 - (a[k] > b[k] ? a[k] : b[k]);
      }
      others += both;
    }
    alone += product;
    pairs += own + 2 * others;
  }
  return sqrt(pow(3, -d) - pow(2, 1 - d) / n * alone + pairs / ((double)n * n));
}

double points_error(points_kind kind, int n, int d, int nseed)
{
  double *x = malloc((size_t)n * (size_t)d * sizeof *x);
  double exact = 1, square = 0;
  for (int k = 0; k < d; k++) {
    exact *= (k + 1) * expm1(1.0 / (k + 1));
  }
  for (int seed = 1; seed <= nseed && x != NULL; seed++) {
    double sum = 0;
    points_make(kind, "0 1", (uint64_t)seed, n, d, x);
    for (int i = 0; i < n; i++) {
      double power = 0;
      for (int k = 0; k < d; k++) {
        power += x[i * d + k] / (k + 1);
      }
      sum += exp(power);
    }
    square += pow(sum / n / exact - 1, 2);
  }
  free(x);
  return sqrt(square / nseed);
}

double points_slope(const double *x, const double *y, int n)
{
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (int i = 0; i < n; i++) {
    mx += log(x[i]) / n;
    my += log(y[i]) / n;
  }
  for (int i = 0; i < n; i++) {
    xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    xy += (log(x[i]) - mx) * (log(y[i]) - my);
  }
  return xy / xx;
}

/* ---- distributions ---- */

static double below(double z) // Phi
{
  return 0.5 * erfc(-z / sqrt(2));
}

static double density(double z) // phi
{
  return exp(-0.5 * z * z) / sqrt(2 * acos(-1));
}

/* Normal, cut to a < z < b, of mean m and deviation s: by parts,
 *   E z^k = (k - 1) E z^(k-2) - (b^(k-1) phi(b) - a^(k-1) phi(a)) / (Phi(b) - Phi(a)) */
static void normal_moments(double m, double s, double a, double b, double moment[7])
{
  double z[7] = {1};
  const double part = below(b) - below(a), fa = density(a), fb = density(b);
  for (int k = 1; k < 7; k++) {
    const double edge = (fb > 0 ? pow(b, k - 1) * fb : 0) - (fa > 0 ? pow(a, k - 1) * fa : 0);
    z[k] = (k > 1 ? (k - 1) * z[k - 2] : 0) - edge / part;
  }
  for (int k = 0; k < 7; k++) { // (m + s z)^k
    double choose = 1;
    moment[k] = 0;
    for (int i = 0; i <= k; i++) {
      moment[k] += choose * pow(m, k - i) * pow(s, i) * z[i];
      choose = choose * (k - i) / (i + 1);
    }
  }
}

/* Log-normal, its logarithm cut to a < z < b deviations. */
static void log_normal_moments(double m, double s, double a, double b, double moment[7])
{
  for (int k = 0; k < 7; k++) {
    moment[k] = exp(k * m + 0.5 * k * k * s * s) * (below(b - k * s) - below(a - k * s)) /
                (below(b) - below(a));
  }
}

/* E x^k = 2 / ((k + 1)(k + 2)) times the divided difference of x^(k + 2) over a, c, b. */
static void triangular_moments(double a, double c, double b, double moment[7])
{
  for (int k = 0; k < 7; k++) {
    const double p = k + 2;
    moment[k] = 2 / (p * (p - 1)) *
                ((pow(b, p) - pow(c, p)) / (b - c) - (pow(c, p) - pow(a, p)) / (c - a)) / (b - a);
  }
}

static void uniform_moments(double a, double b, double moment[7])
{
  for (int k = 0; k < 7; k++) {
    moment[k] = (pow(b, k + 1) - pow(a, k + 1)) / ((k + 1) * (b - a));
  }
}

void points_laws(points_law law[POINTS_LAWS])
{
  const double far = 40; // beyond it nothing is left
  static const char *const form[POINTS_LAWS] = {"(uniform -1 3)",
                                                "(normal 1 2)",
                                                "(log-normal 0 0.5)",
                                                "(triangular 0 1 4)",
                                                "(normal 0 1 (from -1) (to 2))",
                                                "(normal 0 1 (from 3))",
                                                "(log-normal 0 0.5 (to 2))"};
  for (int i = 0; i < POINTS_LAWS; i++) {
    law[i].form = form[i];
  }
  uniform_moments(-1, 3, law[0].moment);
  normal_moments(1, 2, -far, far, law[1].moment);
  log_normal_moments(0, 0.5, -far, far, law[2].moment);
  triangular_moments(0, 1, 4, law[3].moment);
  normal_moments(0, 1, -1, 2, law[4].moment);
  // the part below 3 is 1 to twelve digits: mirrored, it is exact
  normal_moments(0, -1, -far, -3, law[5].moment);
  log_normal_moments(0, 0.5, -far, log(2) / 0.5, law[6].moment);
}

/* Moments about the mean. */
static void central(const points_law *law, double about[7])
{
  for (int k = 0; k < 7; k++) {
    double choose = 1;
    about[k] = 0;
    for (int i = 0; i <= k; i++) {
      about[k] += choose * pow(-law->moment[1], k - i) * law->moment[i];
      choose = choose * (k - i) / (i + 1);
    }
  }
}

void points_shape(const points_law *law, double shape[3])
{
  double about[7];
  central(law, about);
  shape[0] = law->moment[1];
  shape[1] = about[2];
  shape[2] = about[3] / pow(about[2], 1.5);
}

void points_moments(const points_law *law, points_kind kind, uint64_t seed, int n, double z[3])
{
  double about[7], sum[3] = {0};
  double *x = malloc((size_t)n * sizeof *x);
  central(law, about);
  if (x != NULL) {
    points_make(kind, law->form, seed, n, 1, x);
    for (int i = 0; i < n; i++) {
      const double off = x[i] - law->moment[1];
      sum[0] += off;
      sum[1] += off * off;
      sum[2] += off * off * off;
    }
  }
  free(x);
  for (int k = 0; k < 3; k++) {
    const double expected = k == 0 ? 0 : about[k + 1];
    const double error = sqrt((about[2 * k + 2] - expected * expected) / n);
    z[k] = (sum[k] / n - expected) / error;
  }
}
