// SPDX-License-Identifier: Apache-2.0
/* cones - the cone problem (cones/ncp.h) on sets of problems: unsolved, error, sweeps, time.
 *
 *   cones [N]     so many problems of the random set (10000), fewer of the others
 *
 * Errors are relative to the speed of the problem, times are the processor's. In the first table
 * every problem starts from r = 0; in the second from the answer to one whose b differs by what 1 %
 * of its impulses do, as the next step's does. */
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
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  int count, unsolved, fallback, sweeps, most_sweeps, newtons;
  long contacts, rows;
  double worst, time;
} score;

/* near: from the answer to a problem that is nearly the same. */
static void one(score *s, const set_problem *p, bool near)
{
  const size_t m = (size_t)p->m;
  double *b = malloc(m * sizeof *b);
  cardan__ncp ncp = set_asked(p);
  ncp.stalled_tol = p->stalled_tol;
  // no page is new in what is timed
  memset(ncp.work, 0, cardan__ncp_work(p->n, p->m) * sizeof *ncp.work);
  if (near) {
    cardan__ncp_solve(&ncp);
    for (size_t i = 0; i < m; i++) {
      b[i] = p->b[i];
      for (size_t j = 0; j < m; j++) {
        b[i] += 0.01 * sin((double)j) * p->G[i * m + j] * ncp.r[j];
      }
    }
    ncp.b = b;
  }
  const double start = seconds();
  s->unsolved += !cardan__ncp_solve(&ncp) && ncp.error > p->stalled_tol;
  s->time += seconds() - start;
  s->count++;
  s->contacts += p->n;
  s->rows += p->m;
  s->fallback += ncp.fallback;
  s->sweeps += ncp.sweeps;
  s->newtons += ncp.newtons;
  s->most_sweeps = ncp.sweeps > s->most_sweeps ? ncp.sweeps : s->most_sweeps;
  s->worst = fmax(s->worst, ncp.error / p->speed);
  free(b);
  set_asked_free(&ncp);
}

static score set(set_kind kind, int bodies, int count, bool near)
{
  score s = {0};
  for (int k = 0; k < count; k++) {
    set_problem p = set_make(kind, bodies, 1000U * (uint64_t)kind + (uint64_t)k);
    one(&s, &p, near);
    set_free(&p);
  }
  printf("%-13s %6d %7.1f %7.1f  %8d %9.1e %7.1f %6d %7.1f %8d %10.1f\n", set_name[kind], s.count,
         (double)s.contacts / s.count, (double)s.rows / s.count, s.unsolved, s.worst,
         (double)s.sweeps / s.count, s.most_sweeps, (double)s.newtons / s.count, s.fallback,
         1e6 * s.time / s.count);
  fflush(stdout);
  return s;
}

static void title(const char *what)
{
  printf("%s\n%-13s %6s %7s %7s  %8s %9s %7s %6s %7s %8s %10s\n", what, "set", "count", "contacts",
         "rows", "unsolved", "worst", "sweeps", "max", "newton", "fallback", "us");
}

/* Of time over contacts, between two lines. */
static void exponent(const score *a, const score *b)
{
  const double na = (double)a->contacts / a->count, nb = (double)b->contacts / b->count;
  printf("              us go as contacts ^ %.2f\n",
         log(b->time / b->count / (a->time / a->count)) / log(nb / na));
}

static int at_least_one(int n)
{
  return n > 1 ? n : 1;
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 10000;
  static const struct {
    set_kind kind;
    int bodies, part; // of n
  } cold[] = {{SET_RANDOM, 0, 1},         {SET_STACK, 1, 10},      {SET_STACK, 2, 10},
              {SET_STACK, 5, 50},         {SET_STACK, 10, 100},    {SET_HEAVY_TOP, 5, 50},
              {SET_REDUNDANT, 2, 50},     {SET_CHAIN, 10, 100},    {SET_PACKING, 30, 100},
              {SET_UNEQUAL, 30, 100},     {SET_ROUGH, 30, 100},    {SET_ROLLING, 30, 200},
              {SET_UNSYMMETRIC, 30, 100}, {SET_PACKING, 130, 500}, {SET_HEAVIEST, 5, 50},
              {SET_CONTRARY, 5, 50},      {SET_CONTRARY, 20, 200}};
  title("from r = 0");
  for (size_t k = 0; k < sizeof cold / sizeof *cold; k++) {
    set(cold[k].kind, cold[k].bodies, at_least_one(n / cold[k].part), false);
  }
  title("from an answer nearby");
  const score one_box = set(SET_STACK, 1, at_least_one(n / 10), true);
  const score boxes = set(SET_STACK, 8, at_least_one(n / 100), true);
  exponent(&one_box, &boxes);
  const score few = set(SET_PACKING, 30, at_least_one(n / 200), true);
  set(SET_PACKING, 60, at_least_one(n / 500), true);
  const score many = set(SET_PACKING, 130, at_least_one(n / 1000), true);
  exponent(&few, &many);
  return 0;
}
