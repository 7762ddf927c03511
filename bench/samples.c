// SPDX-License-Identifier: Apache-2.0
// How good the samples of a plan are: discrepancy and error of integrals of Sobol' and Latin points
// beside random ones, moments of the distributions, the cost of a number; the tables of
// docs/sweep.md. A few seconds.
//   build/bench/samples
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "evenness.h"

enum { FIRST = 4, LAST = 12, N = LAST - FIRST + 1, SEEDS = 20 };
static const int dims[3] = {2, 5, 8};

static void print_head(void)
{
  printf("| N |");
  for (int k = 0; k < 3; k++) {
    for (int kind = 0; kind < POINTS_KINDS; kind++) {
      printf(" %s, %d |", points_word[kind], dims[k]);
    }
  }
  printf("\n| --- |");
  for (int k = 0; k < 3 * POINTS_KINDS; k++) {
    printf(" --- |");
  }
  printf("\n");
}

/* Root mean square over some seeds. */
static double discrepancy(points_kind kind, int n, int d)
{
  enum { FEW = 4 };
  double *x = malloc((size_t)n * (size_t)d * sizeof *x);
  double square = 0;
  for (int seed = 1; seed <= FEW && x != NULL; seed++) {
    points_make(kind, "0 1", (uint64_t)seed, n, d, x);
    square += pow(points_discrepancy(x, n, d), 2) / FEW;
  }
  free(x);
  return sqrt(square);
}

static double error(points_kind kind, int n, int d)
{
  return points_error(kind, n, d, SEEDS);
}

/* A row for each number of points, and one with the slopes. */
static void print_table(double (*figure)(points_kind kind, int n, int d))
{
  double number[N], value[3 * POINTS_KINDS][N];
  print_head();
  for (int i = 0; i < N; i++) {
    const int n = 1 << (FIRST + i);
    number[i] = n;
    printf("| %d |", n);
    for (int k = 0; k < 3 * POINTS_KINDS; k++) {
      value[k][i] = figure((points_kind)(k % POINTS_KINDS), n, dims[k / POINTS_KINDS]);
      printf(" %.2e |", value[k][i]);
    }
    printf("\n");
  }
  printf("| slope |");
  for (int k = 0; k < 3 * POINTS_KINDS; k++) {
    printf(" %.2f |", points_slope(number, value[k], N));
  }
  printf("\n\n");
}

static void print_moments(void)
{
  points_law law[POINTS_LAWS];
  points_laws(law);
  printf("| distribution | mean | variance | skewness | random | sobol |\n"
         "| --- | --- | --- | --- | --- | --- |\n");
  for (int i = 0; i < POINTS_LAWS; i++) {
    double shape[3], random[3], sobol[3];
    points_shape(&law[i], shape);
    points_moments(&law[i], POINTS_RANDOM, 1, 1 << 14, random);
    points_moments(&law[i], POINTS_SOBOL, 1, 1 << 14, sobol);
    printf("| `%s` | %.5g | %.5g | %.4f | %.2f, %.2f, %.2f | %.3f, %.3f, %.3f |\n", law[i].form,
           shape[0], shape[1], shape[2], random[0], random[1], random[2], sobol[0], sobol[1],
           sobol[2]);
  }
  printf("\n");
}

static void print_costs(void)
{
  enum { COUNT = 20000, D = 8 };
  double *x = malloc(COUNT * D * sizeof *x);
  for (int kind = 0; kind < POINTS_KINDS && x != NULL; kind++) {
    double least = 1e300;
    for (int i = 0; i < 5; i++) {
      const double start = cardan__seconds();
      points_make((points_kind)kind, "(normal 0 1)", 1, COUNT, D, x);
      least = fmin(least, cardan__seconds() - start);
    }
    printf("%s: %.0f ns a number, its quantile with it\n", points_word[kind],
           1e9 * least / (COUNT * D));
  }
  free(x);
}

int main(void)
{
  printf("L2 discrepancy in 2, 5 and 8 dimensions, root mean square over 4 seeds\n\n");
  print_table(discrepancy);
  printf("error of an integral, root mean square over %d seeds\n\n", SEEDS);
  print_table(error);
  printf("moments of 16,384 samples, off by so many standard errors\n\n");
  print_moments();
  print_costs();
  return EXIT_SUCCESS;
}
