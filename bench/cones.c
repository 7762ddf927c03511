// SPDX-License-Identifier: Apache-2.0
/* cones - the cone problem (contact/ncp.h) on sets of problems: unsolved, error, sweeps, time.
 *
 *   cones [N]     so many problems of the random set (10000), fewer of the others
 *
 * Errors are relative to the speed of the problem. Problems of one set follow one another without a
 * warm start: r = 0. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cone_sets.h"

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  int count, unsolved, fallback, sweeps, most_sweeps, newtons;
  long contacts, rows;
  double worst, time;
} score;

static void one(score *s, set_problem *p)
{
  const size_t m = (size_t)p->m;
  double *r = calloc(2 * m, sizeof *r);
  double *work = malloc(cardan__ncp_work(p->n, p->m) * sizeof *work);
  int *iwork = malloc((size_t)cardan__ncp_iwork(p->n, p->m) * sizeof *iwork + 1);
  cardan__ncp ncp = {.n = p->n,
                     .m = p->m,
                     .cone = p->cone,
                     .G = p->G,
                     .b = p->b,
                     .tree = (const int(*)[2])p->tree,
                     .r = r,
                     .u = r + m,
                     .tol = 1e-13 * p->speed,
                     .work = work,
                     .iwork = iwork};
  memset(work, 0, cardan__ncp_work(p->n, p->m) * sizeof *work); // no page is new in what is timed
  const double start = seconds();
  s->unsolved += !cardan__ncp_solve(&ncp);
  s->time += seconds() - start;
  s->count++;
  s->contacts += p->n;
  s->rows += p->m;
  s->fallback += ncp.fallback;
  s->sweeps += ncp.sweeps;
  s->newtons += ncp.newtons;
  s->most_sweeps = ncp.sweeps > s->most_sweeps ? ncp.sweeps : s->most_sweeps;
  s->worst = fmax(s->worst, ncp.error / p->speed);
  free(r);
  free(work);
  free(iwork);
}

static void set(set_kind kind, int bodies, int count)
{
  score s = {0};
  for (int k = 0; k < count; k++) {
    set_problem p = set_make(kind, bodies, 1000U * (uint64_t)kind + (uint64_t)k);
    one(&s, &p);
    set_free(&p);
  }
  printf("%-13s %6d %7.1f %7.1f  %8d %9.1e %7.1f %6d %7.1f %8d %10.1f\n", set_name[kind], s.count,
         (double)s.contacts / s.count, (double)s.rows / s.count, s.unsolved, s.worst,
         (double)s.sweeps / s.count, s.most_sweeps, (double)s.newtons / s.count, s.fallback,
         1e6 * s.time / s.count);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 10000;
  printf("%-13s %6s %7s %7s  %8s %9s %7s %6s %7s %8s %10s\n", "set", "count", "contacts", "rows",
         "unsolved", "worst", "sweeps", "max", "newton", "fallback", "us");
  set(SET_RANDOM, 0, n);
  set(SET_STACK, 1, n / 10);
  set(SET_STACK, 2, n / 10);
  set(SET_STACK, 5, n / 50);
  set(SET_STACK, 10, n / 100);
  set(SET_HEAVY_TOP, 5, n / 50);
  set(SET_REDUNDANT, 2, n / 50);
  set(SET_CHAIN, 10, n / 100);
  set(SET_PACKING, 30, n / 100);
  set(SET_UNEQUAL, 30, n / 100);
  set(SET_ROUGH, 30, n / 100);
  set(SET_ROLLING, 30, n / 100);
  set(SET_UNSYMMETRIC, 30, n / 100);
  set(SET_PACKING, 60, n / 500);
  set(SET_PACKING, 130, n / 1000);
  return 0;
}
