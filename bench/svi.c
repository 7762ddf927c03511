// SPDX-License-Identifier: Apache-2.0
// What method svi costs: beside other methods and trep, and how it grows with the links.
//   build/bench/svi [speed | growth]   both without
// Times are processor time, the best of several runs; the figures that last are ratios and
// exponents. The examples of Johnson and Murphey are those of `cardan reproduce johnson`.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/motion.h"

/* Seconds of a step; ends the program when it cannot. */
static double step_time(const char *model, const char *options, double dt, int steps, int runs)
{
  cardan_report report = {.message = ""};
  double seconds = 0;
  if (cardan__step_seconds(model, options, dt, steps, runs, &seconds, &report) != CARDAN_OK) {
    fprintf(stderr, "%s %s: %s\n", model, options, report.message);
    exit(1);
  }
  return seconds;
}

/* trep on a 3.6 GHz Zen 4 core, seconds a step: 10 links, 100 links, closed-chain device. */
static const double trep_10 = 176e-6, trep_100 = 246e-3, trep_closed = 63e-6;

static void speed_row(const char *model, double dt, double trep, int steps, int tree_steps)
{
  const double aba = step_time(model, "method=aba", dt, steps, 25);
  static const char *const ways[] = {"method=svi", "method=svi solver=riqn", "method=svi eval=tree",
                                     "method=svi eval=tree guess=current", "method=vi"};
  for (int i = 0; i < 5; i++) {
    const bool tree = i == 2 || i == 3;
    const double time =
        step_time(model, ways[i], dt, tree ? tree_steps : steps, tree && tree_steps < 100 ? 3 : 25);
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
    const double time = step_time(model, options, 0.001, 100, sizes[i] < 300 ? 15 : 7);
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

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"speed", speed}, {"growth", growth}};
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
