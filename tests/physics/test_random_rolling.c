// SPDX-License-Identifier: Apache-2.0
// Random mechanisms, most with loops and some with redundant rows, held by blades, rolling balls
// and random rows on velocities: methods agree within their orders, or say why not.
// ROLLING_SEEDS=300 in the environment takes so many.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_rolling.h"
#include "run.h"

enum { SAMPLE = 21 };

/* q at the end; false, with the message in report, where the method refuses or stops. */
static bool end_of(const cardan_model *model, const char *method, double dt, double *q,
                   cardan_report *report)
{
  const cardan_options o = run_options(method, dt, 0.25);
  cardan_sim *sim = NULL;
  cardan_status status = cardan_sim_create(model, &o, NULL, &sim, report);
  status = status == CARDAN_OK ? cardan_sim_start(sim, report) : status;
  const int steps = (int)lround(0.25 / dt);
  for (int i = 0; i < steps && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
  }
  if (status == CARDAN_OK) {
    memcpy(q, cardan_sim_data(sim)->q, (size_t)model->nq * sizeof *q);
  }
  cardan_sim_destroy(sim);
  return status == CARDAN_OK;
}

typedef struct {
  int models, stopped, compared, refused, wrong;
} tally;

/* A method of order 1 or 2 at three steps against the reference: a half or a quarter of the error
 * at half the step, or next to none. */
static void compare_order(const cardan_model *model, const char *method, int order,
                          const double *reference, uint64_t seed, tally *t)
{
  const double falls = order == 2 ? 0.4 : 0.7, whole = order == 2 ? 0.09 : 0.35;
  double *q = calloc((size_t)model->nq, sizeof *q), error[3];
  cardan_report report = {.message = ""};
  bool good = true;
  for (int k = 0; k < 3 && good; k++) {
    good = end_of(model, method, (order == 2 ? 0.005 : 1e-3) / (1 << k), q, &report);
    error[k] = good ? random_rolling_difference(model, q, reference) : 0;
  }
  if (!good) {
    t->refused++;
    print_message("seed %d %s: %.150s\n", (int)seed, method, report.message);
  } else {
    const bool right = error[2] < 1e-8 ||
                       (error[2] < falls * error[1] && error[1] < falls * error[0]) ||
                       error[2] < whole * error[0];
    t->compared++;
    t->wrong += !right;
    if (!right) {
      print_message("seed %d %s: errors %.2e %.2e %.2e\n", (int)seed, method, error[0], error[1],
                    error[2]);
    }
  }
  free(q);
}

static void check(uint64_t seed, char *text, tally *t)
{
  static const char *const exact[] = {"hamilton:dopri5", "baraff:dopri5"};
  static const struct {
    const char *name;
    int order;
  } fixed[] = {{"vi", 2}, {"svi", 2}, {"rattle", 2}, {"half-implicit", 1}, {"fully-implicit", 1}};
  cardan_report report = {.message = ""};
  cardan_model *model = random_rolling_model(seed, text);
  random_rolling_write(seed, text);
  if (model == NULL) {
    return;
  }
  double *reference = calloc((size_t)model->nq, sizeof *reference);
  double *q = calloc((size_t)model->nq, sizeof *q);
  t->models++;
  if (!end_of(model, "aba:dopri5", 0.05, reference, &report)) {
    t->stopped++; // a singular position, most of all
  } else {
    for (int i = 0; i < 2; i++) {
      if (end_of(model, exact[i], 0.05, q, &report)) {
        const double e = random_rolling_difference(model, q, reference);
        t->compared++;
        t->wrong += !(e < 1e-6);
        if (!(e < 1e-6)) {
          print_message("seed %d %s: off by %.2e\n", (int)seed, exact[i], e);
        }
      } else {
        t->refused++;
      }
    }
    for (int i = 0; i < 5; i++) {
      compare_order(model, fixed[i].name, fixed[i].order, reference, seed, t);
    }
  }
  free(reference);
  free(q);
  cardan_model_destroy(model);
}

static void random_rolling(void **state)
{
  const char *asked = getenv("ROLLING_SEEDS");
  const int seeds = asked != NULL ? atoi(asked) : SAMPLE;
  char *text = malloc(RANDOM_ROLLING_TEXT);
  tally t = {0};
  (void)state;
  assert_non_null(text);
  for (int seed = 0; seed < seeds; seed++) {
    check((uint64_t)seed, text, &t);
  }
  print_message("%d models, %d stopped aba, %d comparisons, %d refused or stopped, %d wrong\n",
                t.models, t.stopped, t.compared, t.refused, t.wrong);
  assert_int_equal(t.wrong, 0);
  assert_true(t.compared > seeds / 2);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_rolling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
