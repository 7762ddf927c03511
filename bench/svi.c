// SPDX-License-Identifier: Apache-2.0
// The examples of Johnson and Murphey, IEEE Transactions on Robotics 25(6), 2009, section VI, and
// what method svi costs.
//   build/bench/svi [speed | growth | cache | closed | scissor | survive | energy]   all without
// Times are processor time, the best of several runs; the figures that last are ratios and
// exponents.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/cardan.h"
#include "svi.h"

double bench_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bench_run bench_start(const char *model, const char *options, double dt)
{
  bench_run r = {NULL, NULL};
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  cardan_status status = cardan_model_load(model, NULL, 0, NULL, &r.model, &report);
  char words[128];
  snprintf(words, sizeof words, "%s", options);
  for (char *word = strtok(words, " "); word != NULL && status == CARDAN_OK;
       word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    if (value != NULL) {
      *value++ = 0;
    }
    status = cardan_options_set(&o, word, value, &report);
  }
  o.dt = dt;
  o.time = 1e9;
  if (status == CARDAN_OK) {
    status = cardan_sim_create(r.model, &o, NULL, &r.sim, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_start(r.sim, &report);
  }
  if (status != CARDAN_OK) {
    fprintf(stderr, "%s %s: %s\n", model, options, report.message);
    exit(1);
  }
  return r;
}

void bench_end(bench_run *r)
{
  cardan_sim_destroy(r->sim);
  cardan_model_destroy(r->model);
}

/* Steps in pieces of about 50 us, the best of all runs for each piece: on a machine with other work
 * a quiet moment of that length is found, a quiet run is not. */
double bench_step_time(const char *model, const char *options, double dt, int steps, int runs)
{
  enum { MOST = 4096 };
  static double best[MOST];
  cardan_report report = {.message = ""};
  int piece = 1;
  double sum = 0;
  for (int k = 0; k < runs; k++) {
    bench_run r = bench_start(model, options, dt);
    double start = bench_now();
    for (int i = 0, n = 0; i < steps; i++) {
      if (cardan_sim_step(r.sim, &report) != CARDAN_OK) {
        fprintf(stderr, "%s %s: %s\n", model, options, report.message);
        exit(1);
      }
      if ((i + 1) % piece == 0 || i + 1 == steps) {
        const double time = bench_now() - start;
        best[n] = k <= 1 ? time : fmin(best[n], time);
        start += time;
        n++;
      }
    }
    if (k == 0) { // the first run says how long a piece is
      const double mean = best[0];
      piece = (int)fmin(steps, ceil(50e-6 / mean));
      piece = (steps + piece - 1) / piece > MOST ? (steps + MOST - 1) / MOST : piece;
    }
    bench_end(&r);
  }
  for (int n = 0; n * piece < steps; n++) {
    sum += best[n];
  }
  return sum / steps;
}

/* trep on a 3.6 GHz Zen 4 core, seconds a step: 10 links, 100 links, closed-chain device. */
static const double trep_10 = 176e-6, trep_100 = 246e-3, trep_closed = 63e-6;

static void speed_row(const char *model, double dt, double trep, int steps, int tree_steps)
{
  const double aba = bench_step_time(model, "method=aba", dt, steps, 25);
  static const char *const ways[] = {"method=svi", "method=svi solver=riqn", "method=svi eval=tree",
                                     "method=svi eval=tree guess=current", "method=vi"};
  for (int i = 0; i < 5; i++) {
    const bool tree = i == 2 || i == 3;
    const double time = bench_step_time(model, ways[i], dt, tree ? tree_steps : steps,
                                        tree && tree_steps < 100 ? 3 : 25);
    printf("  %-13s dt %-6g %-36s %9.2f us a step, %7.2f of aba/rk4; trep's %.3g us are %.0f times "
           "that\n",
           model, dt, ways[i], 1e6 * time, time / aba, 1e6 * trep, trep / time);
  }
}

static void speed(void)
{
  printf("cost of a step beside aba with rk4 (four evaluations), in the same run\n");
  speed_row("pendulum:10", 0.01, trep_10, 200, 200);
  speed_row("chain:10", 0.001, trep_10, 200, 200);
  speed_row("pendulum:100", 0.01, trep_100, 30, 5);
  speed_row("chain:100", 0.001, trep_100, 50, 5);
  speed_row("closed-chain", 0.01, trep_closed, 500, 500);
}

static void growth_of(const char *options)
{
  static const int sizes[] = {10, 30, 100, 300, 1000};
  double first = 0, before = 0;
  printf("%s on chain:N, dt = 0.001, first 100 steps\n", options);
  for (int i = 0; i < 5; i++) {
    char model[32];
    snprintf(model, sizeof model, "chain:%d", sizes[i]);
    const double time = bench_step_time(model, options, 0.001, 100, sizes[i] < 300 ? 15 : 7);
    printf("  N = %4d  %9.2f us a step  %6.1f ns a body", sizes[i], 1e6 * time,
           1e9 * time / sizes[i]);
    if (i > 0) {
      printf("  exponent %.2f", log(time / before) / log((double)sizes[i] / sizes[i - 1]));
    }
    printf("\n");
    first = i == 0 ? time : first;
    before = time;
  }
  printf("  exponent from 10 to 1000: %.3f\n", log(before / first) / log(100));
}

/* From the paper's guess every step does the same work; from an extrapolated one short chains get
 * by with old Jacobians for longer. */
static void growth(void)
{
  growth_of("method=svi guess=current");
  growth_of("method=svi");
}

/* Their Fig. 7: 20 s at dt = 0.01; here the cost of the first steps times 2000. */
static void cache(void)
{
  static const char *const ways[] = {"method=svi eval=tree guess=current no-cache",
                                     "method=svi eval=tree guess=current",
                                     "method=svi guess=current"};
  static const int sizes[] = {2, 4, 6, 8, 10, 14, 20};
  double first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
  printf("N-link pendulum, 20 s at dt = 0.01 (their Fig. 7): seconds of one run\n");
  printf("  %4s %12s %12s %12s %10s\n", "N", "no cache", "cache", "recursive", "cache pays");
  for (int i = 0; i < 7; i++) {
    char model[32];
    double time[3];
    snprintf(model, sizeof model, "pendulum:%d", sizes[i]);
    for (int k = 0; k < 3; k++) {
      const int steps = k == 0 && sizes[i] > 10 ? 5 : 100;
      time[k] = last[k] = 2000 * bench_step_time(model, ways[k], 0.01, steps, 5);
      first[k] = sizes[i] == 10 ? time[k] : first[k];
    }
    printf("  %4d %12.4f %12.4f %12.4f %10.1f\n", sizes[i], time[0], time[1], time[2],
           time[0] / time[1]);
  }
  printf("  exponents from 10 to 20 links: %.2f %.2f %.2f\n", log2(last[0] / first[0]),
         log2(last[1] / first[1]), log2(last[2] / first[2]));
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"speed", speed},         {"growth", growth},         {"cache", cache},
               {"closed", bench_closed}, {"scissor", bench_scissor}, {"survive", bench_survive},
               {"energy", bench_energy}};
  int done = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) {
      parts[i].run();
      done++;
    }
  }
  if (done == 0) {
    fprintf(stderr, "svi: there is no part \"%s\"\n", argv[1]);
  }
  return done > 0 ? 0 : 1;
}
