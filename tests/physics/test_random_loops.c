// SPDX-License-Identifier: Apache-2.0
/* Random mechanisms with loops, regular, redundant and singular on the way, by all methods: each
 * ends where the others do, within the difference of its own two step sizes, or stops with a
 * status, or has a warning from the check of the energy. Nothing differs without a message, nothing
 * is NaN.
 *
 *   CARDAN_MODELS=1000 build/tests/physics/test_random_loops    more models than in a test
 *   CARDAN_FIRST=123 CARDAN_MODELS=1 ..                         one of them: figures and text */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "random_loops.h"
#include "run.h"

enum { NMETHOD = 11, NFRAME = 64, NSTEP = 100, FINER = 3 };
static const double TIME = 0.25;

typedef struct {
  const char *name, *method, *integrator;
  int order; // 0: adaptive
} way;

static const way ways[NMETHOD] = {
    {"vi", "vi", NULL, 2},
    {"svi", "svi", NULL, 2},
    {"aba", "aba", "rk4", 4},
    {"aba*", "aba", "dopri5", 0},
    {"hamilton", "hamilton", "rk4", 4},
    {"hamilton*", "hamilton", "dopri5", 0},
    {"baraff", "baraff", "rk4", 4},
    {"baraff*", "baraff", "dopri5", 0},
    {"half-implicit", "half-implicit", NULL, 1},
    {"fully-implicit", "fully-implicit", NULL, 1},
    {"rattle", "rattle", NULL, 2},
};

/* Where a motion ends: poses of all frames; or why it does not. */
typedef struct {
  cardan_status status;
  char message[512];
  bool warned; // the run has a warning
  int n;
  double pose[12 * NFRAME];
} ending;

/* What is known of a method on a model. */
typedef struct {
  ending end;   // extrapolated from the last two steps
  double doubt; // how far apart these were
  int agree;
} result;

typedef struct {
  int right, stopped, warned, wrong, vague, none;
} tally;

static ending go(const char *text, const way *w, int finer)
{
  ending e = {.status = CARDAN_OK};
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  o.method = w->method;
  o.integrator = w->integrator;
  const int steps = w->order > 0 ? NSTEP << finer : NSTEP / 10;
  o.dt = TIME / steps;
  o.time = TIME;
  if (w->order == 0) {
    o.rtol = pow(10, -7 - 2 * finer);
    o.atol = o.rtol * 1e-2;
  }
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_spec *spec = NULL;
  e.status = cardan_spec_read(text, strlen(text), "random", NULL, 0, NULL, &spec, &report);
  assert_int_equal(e.status, CARDAN_OK);
  e.status = cardan_model_build(spec, NULL, &model, &report);
  cardan_spec_destroy(spec);
  e.status = e.status ? e.status : cardan_sim_create(model, &o, NULL, &sim, &report);
  e.status = e.status ? e.status : cardan_sim_start(sim, &report);
  for (int i = 0; i < steps && e.status == CARDAN_OK; i++) {
    e.status = cardan_sim_step(sim, &report);
  }
  if (e.status == CARDAN_OK) {
    cardan_data *data = cardan_sim_data(sim);
    cardan_kinematics(model, data);
    for (int b = 1; b < model->nbody && e.n < 12 * NFRAME; b++) {
      memcpy(e.pose + e.n, &data->X_W[b], 12 * sizeof(double));
      e.n += 12;
    }
  }
  snprintf(e.message, sizeof e.message, "%s", report.message);
  if (e.status == CARDAN_OK && *cardan_sim_warning(sim) != '\0') {
    e.warned = true;
    snprintf(e.message, sizeof e.message, "%s", cardan_sim_warning(sim));
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return e;
}

static double apart(const ending *a, const ending *b)
{
  double worst = 0;
  for (int i = 0; i < a->n; i++) {
    const double d = fabs(a->pose[i] - b->pose[i]);
    worst = !(d <= worst) ? d : worst;
  }
  return worst;
}

/* Two step sizes, and smaller ones while these differ by much. */
static result try_way(const char *text, const way *w)
{
  result r = {.doubt = INFINITY};
  ending coarse = go(text, w, 0);
  r.end = coarse;
  for (int finer = 1; finer <= FINER && r.end.status == CARDAN_OK && !(r.doubt < 0.02); finer++) {
    ending fine = go(text, w, finer);
    if (fine.status != CARDAN_OK) {
      r.end = fine;
      break;
    }
    r.doubt = apart(&fine, &coarse);
    r.end = fine;
    for (int i = 0; i < fine.n && w->order > 0; i++) { // Richardson
      r.end.pose[i] += (fine.pose[i] - coarse.pose[i]) / (pow(2, w->order) - 1);
    }
    coarse = fine;
  }
  return r;
}

/* Do two methods say the same? Extrapolation leaves a part of the doubt, all of it where a
 * passage has cost the method its order. 1e-6: of adaptive integrators and of projections. */
static bool same(const result *a, const result *b)
{
  return apart(&a->end, &b->end) <= 2 * (a->doubt + b->doubt) + 1e-6;
}

static bool ended(const result *r)
{
  return r->end.status == CARDAN_OK && r->doubt < 0.1;
}

/* The method that most others agree with, of those the surest. */
static int choose(result *r)
{
  int best = -1;
  for (int i = 0; i < NMETHOD; i++) {
    r[i].agree = 0;
    for (int k = 0; k < NMETHOD && ended(&r[i]); k++) {
      r[i].agree += ended(&r[k]) && same(&r[i], &r[k]);
    }
    if (ended(&r[i]) && (best < 0 || r[i].agree > r[best].agree ||
                         (r[i].agree == r[best].agree && r[i].doubt < r[best].doubt))) {
      best = i;
    }
  }
  return best;
}

static void judge_model(uint64_t seed, tally *t, bool loud)
{
  loops_kind kind;
  result *r = calloc(NMETHOD, sizeof *r);
  char *text = loops_random_text(seed, &kind);
  assert_non_null(r);
  for (int i = 0; i < NMETHOD; i++) {
    r[i] = try_way(text, &ways[i]);
  }
  const int best = choose(r);
  for (int i = 0; i < NMETHOD; i++) {
    const bool usage = r[i].end.status == CARDAN_ERR_UNSUPPORTED;
    const bool off = r[i].end.status == CARDAN_OK && ended(&r[i]) && !same(&r[i], &r[best]);
    const bool open = r[i].end.status == CARDAN_OK && !ended(&r[i]);
    const bool warned = r[i].end.warned && (off || open), wrong = off && !warned,
               vague = open && !warned;
    tally *of = &t[kind];
    of->none += usage;
    of->stopped += !usage && r[i].end.status != CARDAN_OK;
    of->wrong += wrong;
    of->vague += vague;
    of->warned += warned;
    of->right += r[i].end.status == CARDAN_OK && !off && !open;
    if (wrong || vague || loud) {
      print_message("model %d (%s): %s %s %.1e from %s, doubt %.1e; %s\n", (int)seed,
                    loops_kind_name(kind), ways[i].name,
                    wrong   ? "WRONG"
                    : vague ? "vague"
                            : "",
                    best >= 0 && r[i].end.status == CARDAN_OK ? apart(&r[i].end, &r[best].end)
                                                              : -1.0,
                    best >= 0 ? ways[best].name : "none", r[i].doubt, r[i].end.message);
    }
  }
  if (loud) {
    printf("%s\n", text); // longer than print_message takes
  }
  free(text);
  free(r);
}

static void test_all_agree(void **state)
{
  (void)state;
  const int first = support_number("CARDAN_FIRST", 1), n = support_number("CARDAN_MODELS", 105);
  tally t[LOOPS_NKIND] = {{0}}, sum = {0};
  for (int i = 0; i < n; i++) {
    judge_model((uint64_t)first + (uint64_t)i, t, n == 1);
  }
  print_message("%-10s %8s %8s %8s %8s %8s %8s\n", "", "right", "stopped", "warned", "vague",
                "not his", "WRONG");
  for (int k = 0; k < LOOPS_NKIND; k++) {
    print_message("%-10s %8d %8d %8d %8d %8d %8d\n", loops_kind_name((loops_kind)k), t[k].right,
                  t[k].stopped, t[k].warned, t[k].vague, t[k].none, t[k].wrong);
    sum.wrong += t[k].wrong;
    sum.vague += t[k].vague;
    sum.right += t[k].right;
  }
  assert_int_equal(sum.wrong, 0);
  assert_true(n == 1 || sum.right > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
