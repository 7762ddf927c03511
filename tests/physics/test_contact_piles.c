// SPDX-License-Identifier: Apache-2.0
/* Random heaps of solids that fall on a floor: they come to rest, nothing overlaps, energy is never
 * gained. Random swarms of them without a floor: momentum and angular momentum are kept.
 *
 *   CARDAN_MODELS=100 build/tests/physics/test_contact_piles    more than in a test, as a table
 *   CARDAN_FIRST=12 CARDAN_MODELS=1 ..                          one of them: text and figures */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "piles.h"
#include "run.h"

static const double DT = 0.005;
static const double SETTLED = 3, PATIENCE = 10; // rest is looked for from one time to the other [s]
static const double STILL = 1e-9;               // [m/s, rad/s]

/* What a run was like. */
typedef struct {
  bool ended, rests;
  char message[512];
  double t, energy;      // when it rested, or ended; energy at the start [J]
  double overlap, error; // deepest [m]; largest of a cone problem [m/s]
  double gain, rise;     // energy of a step over that before, and over that of the start [J]
  double momentum;       // largest change of it, over its size [1]
  double seconds, slow;  // processor time; of the slowest step
  long impacts, guarded, plastic;
  int events;
} record;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sums of sizes of momenta, and of angular momenta, of all bodies: what rounding is measured by. */
static cardan_force momentum(const run *r, double *size)
{
  const cardan_force P = cardan_momentum(r->model, r->data);
  *size = 1e-3 + 2 * sqrt(2 * cardan_kinetic(r->model, r->data) * r->model->nbody * 10);
  return P;
}

static double norm(cardan_vec3 a)
{
  return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static cardan_vec3 less(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Steps until it rests, or the time is over. */
static void watch(run *r, double end, cardan_report *report, record *out)
{
  const cardan_force P = momentum(r, &out->momentum);
  const double size = out->momentum, start = run_energy(r), begun = now();
  cardan_status status = CARDAN_OK;
  double before = start, changed = 0;
  out->energy = start;
  out->gain = out->rise = -HUGE_VAL;
  while (status == CARDAN_OK && !out->rests && r->data->t < end - 0.5 * DT) {
    const double t = now();
    status = cardan_sim_step(r->sim, report);
    out->slow = fmax(out->slow, now() - t);
    r->data = cardan_sim_data(r->sim);
    const double energy = run_energy(r);
    out->gain = fmax(out->gain, energy - before);
    out->rise = fmax(out->rise, energy - start);
    before = energy;
    const cardan_force Q = momentum(r, &out->momentum);
    changed = fmax(changed, fmax(norm(less(Q.f, P.f)), norm(less(Q.t, P.t))));
    out->rests = r->data->t > SETTLED && support_max_abs(r->data->v, r->model->nv) < STILL;
  }
  out->momentum = changed / size;
  out->seconds = now() - begun;
  out->t = r->data->t;
  out->ended = status == CARDAN_OK;
}

static record try_text(const char *text, double end)
{
  record out = {.message = ""};
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  o.dt = DT;
  run r = {.model = NULL};
  cardan_status status = cardan_model_from_text(text, strlen(text), "pile.mbs", NULL, 0, NULL,
                                                &r.model, &report);
  expect_ok(status, &report, text);
  expect_ok(cardan_sim_create(r.model, &o, NULL, &r.sim, &report), &report, text);
  expect_ok(cardan_sim_start(r.sim, &report), &report, text);
  r.data = cardan_sim_data(r.sim);
  watch(&r, end, &report, &out);
  snprintf(out.message, sizeof out.message, "%s", report.message);
  const cardan_contact_stats s = cardan_sim_stats(r.sim).contact;
  out.overlap = s.overlap;
  out.error = s.error;
  out.impacts = (long)s.impacts;
  out.guarded = (long)s.guarded;
  out.plastic = (long)s.plastic;
  out.events = s.events;
  run_free(&r);
  return out;
}

static void print(int seed, const record *r)
{
  printf("%4d %-7s %6.3f %9.2e %9.2e %9.2e %9.2e %9.2e %6ld %4ld %4ld %4d %7.2f %7.3f  %s\n", seed,
         !r->ended ? "STOPS" : r->rests ? "rests" : "MOVES", r->t, r->overlap, r->gain / r->energy,
         r->rise / r->energy, r->momentum, r->error, r->impacts, r->guarded, r->plastic, r->events,
         r->seconds, r->slow, r->message);
  fflush(stdout);
}

static int number(const char *name, int otherwise)
{
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static void heading(const char *what)
{
  printf("%s\n%4s %-7s %6s %9s %9s %9s %9s %9s %6s %4s %4s %4s %7s %7s\n", what, "seed", "end",
         "t", "overlap", "gain", "rise", "momentum", "error", "hits", "grd", "pla", "ev", "cpu s",
         "slowest");
}

static void test_piles(void **state)
{
  (void)state;
  const int first = number("CARDAN_FIRST", 0), n = number("CARDAN_MODELS", 4);
  heading("piles");
  for (int i = first; i < first + n; i++) {
    char *text = pile_text((uint64_t)i);
    if (n == 1) {
      fputs(text, stdout);
    }
    const record r = try_text(text, PATIENCE);
    print(i, &r);
    free(text);
  }
}

static void test_swarms(void **state)
{
  (void)state;
  const int first = number("CARDAN_FIRST", 0), n = number("CARDAN_MODELS", 4);
  heading("swarms");
  for (int i = first; i < first + n; i++) {
    char *text = swarm_text((uint64_t)i);
    if (n == 1) {
      fputs(text, stdout);
    }
    const record r = try_text(text, 1);
    print(i, &r);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_piles), cmocka_unit_test(test_swarms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
