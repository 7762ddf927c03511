// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peers.h"
#include "cardan/describe.h"
#include "reproduce/write.h"

/* The parts, and a run of them. */

static const struct {
  const char *name, *help;
  cardan_status (*run)(cardan__bench *b, cardan_report *report);
  double weight; // of its time
} parts[] = {
    {"kernels", "inverse and forward dynamics, solves with M: over n, humanoid",
     cardan__bench_kernels, 4},
    {"derivatives", "of the dynamics and of a step: us, times forward dynamics",
     cardan__bench_derivatives, 2},
    {"steps", "a step of every method: over n, models; evaluations, growth", cardan__bench_steps,
     30},
    {"loops", "a step of every method on mechanisms with loops", cardan__bench_loops, 30},
    {"contact", "a step with contacts", cardan__bench_contact, 3},
    {"scenes", "motions of piles, stacks and robots on the ground: mean, p99, worst step",
     cardan__bench_scenes, 40},
    {"batches", "many copies at once, on one thread and on several", cardan__bench_batches, 8},
    {"memory", "bytes a body of a model and of a simulation", cardan__bench_memory, 3},
    {"load", "from text to model; start-up of the command", cardan__bench_load, 5},
    {"rows", "a run with a table, compared with steps only", cardan__bench_rows, 4},
    {"precision", "the time to an end error of 1e-3, 1e-6, 1e-9, by method and integrator",
     cardan__bench_precision, 60},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

const char *cardan_bench_part(int index)
{
  return index >= 0 && index < PARTS ? parts[index].name : NULL;
}

const char *cardan_bench_part_help(int index)
{
  return index >= 0 && index < PARTS ? parts[index].help : NULL;
}

static bool wanted(const cardan_bench_options *options, int part)
{
  bool found = options->npart == 0;
  for (int i = 0; i < options->npart; i++) {
    found = found || strcmp(options->part[i], parts[part].name) == 0;
  }
  return found;
}

static cardan_status check_parts(const cardan_bench_options *options, cardan_report *report)
{
  const char *names[PARTS];
  for (int k = 0; k < PARTS; k++) {
    names[k] = parts[k].name;
  }
  for (int i = 0; i < options->npart; i++) {
    bool known = false;
    for (int k = 0; k < PARTS; k++) {
      known = known || strcmp(options->part[i], names[k]) == 0;
    }
    if (!known) {
      const char *near = cardan_nearest(options->part[i], names, PARTS);
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
                         "there is no part \"%.40s\"%s%s%s", options->part[i],
                         near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                         near != NULL ? "\"?" : "");
    }
  }
  return CARDAN_OK;
}

static cardan_status run_parts(cardan__bench *b, cardan_report *report)
{
  double all = 0, before = 0;
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < PARTS; k++) {
    all += wanted(b->options, k) ? parts[k].weight : 0;
  }
  cardan__peers peers;
  if (b->options->peers != NULL) {
    cardan__peers_open(b, &peers);
    b->peers = &peers;
  }
  for (int k = 0; k < PARTS && status == CARDAN_OK; k++) {
    if (wanted(b->options, k)) {
      b->part = parts[k].name;
      b->done = before / all;
      b->share = parts[k].weight / all;
      before += parts[k].weight;
      status = cardan__bench_progress(b, 0);
      if (status == CARDAN_OK) {
        status = parts[k].run(b, report);
      }
    }
  }
  if (b->peers != NULL) {
    cardan__peers_close(b, &peers);
    b->peers = NULL;
  }
  return status;
}

cardan_status cardan_bench(const cardan_bench_options *options, const cardan_allocator *allocator,
                           cardan_bench_result **out, cardan_report *report)
{
  *out = NULL;
  cardan_status status = check_parts(options, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_bench_result *r = cardan__resize(allocator, NULL, sizeof *r);
  if (r == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *r = (cardan_bench_result){.quick = options->quick};
  if (allocator != NULL) {
    r->allocator = *allocator;
  }
  cardan__outcome_init(&r->figures, allocator);
  cardan__bench_find_machine(&r->machine);
  cardan__bench b = {.options = options, .result = r};
  if (options->before != NULL) {
    status = cardan__bench_read_before(
        r, options->before, options->before_at != NULL ? options->before_at : "before", report);
  }
  if (status == CARDAN_OK) {
    status = run_parts(&b, report);
  }
  if (status == CARDAN_OK && r->figures.failed) {
    status = CARDAN_ERR_MEMORY;
  }
  if (status != CARDAN_OK) {
    cardan_bench_destroy(r);
    r = NULL;
  }
  *out = r;
  return status;
}

void cardan_bench_destroy(cardan_bench_result *result)
{
  if (result != NULL) {
    const cardan_allocator allocator = result->allocator;
    for (int k = 0; k < result->ntable; k++) {
      cardan__resize(&allocator, result->table[k].row, 0);
    }
    cardan__resize(&allocator, result->old, 0);
    cardan__outcome_free(&result->figures);
    cardan__resize(&allocator, result, 0);
  }
}

/* ---- as texts ---- */

static cardan_status hand_over(cardan__text *from, char **to)
{
  *to = from->failed ? NULL : from->data;
  if (from->failed) {
    cardan__text_free(from);
  }
  return *to != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

cardan_status cardan_bench_write(const cardan_bench_result *result, cardan_bench_form form,
                                 const char *figures, const cardan_allocator *allocator,
                                 char **text)
{
  cardan__text t;
  cardan__text_init(&t, allocator);
  switch (form) {
  case CARDAN_BENCH_TEXT:
    cardan__bench_text(result, &t);
    break;
  case CARDAN_BENCH_JSON:
    cardan__bench_json(result, &t);
    break;
  case CARDAN_BENCH_CSV:
    cardan__bench_csv(result, &t);
    break;
  case CARDAN_BENCH_MARKDOWN:
    cardan__bench_markdown(result, figures, &t);
    break;
  case CARDAN_BENCH_HTML:
    cardan__bench_html(result, &t);
    break;
  }
  return hand_over(&t, text);
}

cardan_status cardan_bench_figure(const cardan_bench_result *result, int k,
                                  const cardan_allocator *allocator, const char **name, char **text)
{
  *text = NULL;
  if (k < 0 || k >= result->figures.nplot) {
    return CARDAN_OK;
  }
  cardan__text t;
  cardan__text_init(&t, allocator);
  *name = result->figures.plot[k].name;
  cardan__plot_svg(&result->figures.plot[k], &t);
  return hand_over(&t, text);
}
