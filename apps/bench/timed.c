// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "reproduce/motion.h"

cardan_status cardan__bench_progress(cardan__bench *b, double done)
{
  b->part_done = fmin(fmax(done, 0), 1);
  const double fraction = b->done + b->share * b->part_done;
  return b->options->go_on == NULL || b->options->go_on(b->options->user, fraction)
             ? CARDAN_OK
             : CARDAN_ERR_STOPPED;
}

static const double piece_seconds = 0.002;

double cardan__growth(double t1, double t2, double n1, double n2)
{
  return log(t2 / t1) / log(n2 / n1);
}

void cardan__timed_fail(cardan__timed *t, cardan_status status, const cardan_report *report)
{
  t->failed = true;
  snprintf(t->message, sizeof t->message, "%.190s",
           report->message[0] != '\0' ? report->message : cardan_status_text(status));
}

/* n calls, and how long they took. */
static double run_once(cardan__timed *t, int n)
{
  cardan_report report = {.message = ""};
  const double start = cardan__clock();
  const cardan_status status = t->run(t->subject, n, &report);
  const double end = cardan__clock();
  if (status != CARDAN_OK) {
    cardan__timed_fail(t, status, &report);
  }
  return t->seconds != NULL && !t->failed ? t->seconds(t->subject) : end - start;
}

/* So many calls that the clock's own cost does not count. */
static void find_calls(cardan__timed *t)
{
  const int most = 1 << 24;
  for (t->n = 1; t->n < most && !t->failed; t->n *= 2) {
    const double seconds = run_once(t, t->n);
    if (seconds > 0.5 * piece_seconds) {
      t->n = (int)fmin(most, ceil(t->n * fmax(1, piece_seconds / seconds)));
      break;
    }
  }
}

/* Before the clock runs. A call that is not timed has the caches as calls before it leave them, not
 * as whoever took his turn; one that lasts as long as a batch would not gain by it. */
static void begin(cardan__timed *t)
{
  cardan_report report = {.message = ""};
  const cardan_status status = t->begin != NULL ? t->begin(t->subject, &report) : CARDAN_OK;
  if (status != CARDAN_OK) {
    cardan__timed_fail(t, status, &report);
  } else if (t->begin == NULL && t->n > 1) {
    (void)run_once(t, 1);
  }
}

static void batch(cardan__timed *t)
{
  const double start = cardan__clock();
  double seconds = 0;
  begin(t);
  for (int p = 0; p < t->pieces && !t->failed; p++) {
    const double piece = run_once(t, t->n);
    t->best[p] = t->batches == 0 ? piece : fmin(t->best[p], piece);
    seconds += piece;
  }
  t->batches++;
  t->spent += fmax(seconds, cardan__clock() - start);
}

cardan_status cardan__time(cardan__bench *b, cardan__timed *list, int n, int rounds, double limit)
{
  const double from = b->part_done;
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < n; k++) {
    if (!list[k].failed && list[k].n == 0) {
      find_calls(&list[k]);
    }
  }
  for (int r = 0; r < rounds && status == CARDAN_OK; r++) {
    for (int k = 0; k < n && status == CARDAN_OK; k++) {
      if (!list[k].failed && (r == 0 || list[k].spent < limit)) {
        batch(&list[k]);
        status = cardan__bench_progress(b, from);
      }
    }
  }
  return status;
}

double cardan__timed_seconds(const cardan__timed *t)
{
  double sum = 0;
  for (int p = 0; p < t->pieces; p++) {
    sum += t->best[p];
  }
  return t->failed || t->batches == 0 ? (double)NAN : sum / t->pieces / t->n;
}

/* ---- side by side ---- */

cardan__bench_case *cardan__bench_case_new(cardan__bench_cases *cases, const char *label,
                                           const char *how)
{
  if (cases->n == CARDAN__CASES) {
    return NULL;
  }
  cardan__bench_case *c = &cases->item[cases->n++];
  *c = (cardan__bench_case){.timed = {.pieces = 1}};
  snprintf(c->label, sizeof c->label, "%s", label);
  snprintf(c->how, sizeof c->how, "%s", how);
  return c;
}

cardan_status cardan__bench_measure(cardan__bench *b, cardan__bench_cases *cases,
                                    cardan__bench_table *t, int column, double scale)
{
  const bool quick = b->options->quick;
  cardan__timed list[CARDAN__CASES];
  for (int k = 0; k < cases->n; k++) {
    list[k] = cases->item[k].timed;
  }
  const cardan_status status = cardan__time(b, list, cases->n, quick ? 4 : 11, quick ? 0.05 : 1.5);
  for (int k = 0; k < cases->n; k++) {
    cardan__bench_case *c = &cases->item[k];
    c->timed = list[k];
    const int row = cardan__bench_row_of(b, t, c->label, c->how);
    cardan__bench_set(b, t, row, column, scale * cardan__timed_seconds(&c->timed),
                      c->timed.message);
  }
  return status;
}

void cardan__bench_cases_close(cardan__bench_cases *cases)
{
  for (int k = 0; k < cases->n; k++) {
    if (cases->item[k].close != NULL) {
      cases->item[k].close(cases->item[k].timed.subject);
    }
  }
  cases->n = 0;
}

/* ---- memory ---- */

enum { HEAD = 64 }; // in front of each block: how long it is

static void *count(void *user, void *old, size_t size)
{
  cardan__bench_account *a = user;
  char *base = old != NULL ? (char *)old - HEAD : NULL;
  size_t before = 0;
  if (base != NULL) {
    memcpy(&before, base, sizeof before);
  }
  char *block = cardan__resize(NULL, base, size > 0 ? size + HEAD : 0);
  if (block == NULL) {
    a->bytes -= size == 0 ? before : 0;
    return NULL;
  }
  a->bytes += size - before;
  memcpy(block, &size, sizeof size);
  return block + HEAD;
}

cardan_allocator cardan__bench_counting(cardan__bench_account *account)
{
  return (cardan_allocator){count, account};
}
