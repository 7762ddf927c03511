// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // nanosleep
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/threads.h"
#include "sweep/folder.h"
#include "sweep/journal.h"
#include "sweep/merge.h"
#include "sweep/share.h"

/* The cases of a sweep on threads. Each takes blocks of numbers off a counter and appends what came
 * out to a journal of its own. Blocks are of some milliseconds, so that counter and disk cost
 * little and threads end together; nothing of a case depends on them. */

/* Cases of one call of a worker, and of a block, at most. */
enum { BATCH = 64, BLOCK = 4096 };
static const double batch_seconds = 0.004, block_seconds = 0.03;

typedef struct {
  const cardan_sweep *sweep;
  const cardan_sweep_run_options *how;
  const cardan__folder *folder;
  cardan__share share;
  unsigned char *done; // a bit for each number that journals had at the start; NULL: none
  int jobs;
  double begin;          // by the clock
  _Atomic int64_t next;  // of the share's cases
  atomic_int stop, left; // left: workers that are not at their end
  pthread_mutex_t lock;  // of what follows
  cardan_sweep_progress state;
  cardan_status status; // the first failure
  cardan_report report;
} crew;

/* What one thread has: memory of the system, since a caller's is one thread's at a time. */
static const cardan_allocator own;
typedef struct {
  crew *of;
  cardan__worker *worker;
  cardan__part journal;
  cardan__case *out; // BATCH
  double *value;     // BATCH x ncollect
  double seconds;    // of a case, lately; 0: not known
} hand;

/* ---- what is done ---- */

static bool is_done(const crew *c, int64_t number)
{
  return c->done != NULL && (c->done[number >> 3] >> (number & 7) & 1) != 0;
}

#define LOWEST_STATUS(name, value, word, text) \
  _Static_assert(-(value) < CARDAN_SWEEP_STATUSES, word);
CARDAN_STATUS_LIST(LOWEST_STATUS)
#undef LOWEST_STATUS

void cardan__sweep_count(cardan_sweep_progress *state, const cardan__case *one)
{
  state->done++;
  state->by_status[-(int)one->status]++;
  if (one->status != CARDAN_OK) {
    state->failed++;
    if (state->first < 0 || one->number < state->first) {
      state->first = one->number;
      memcpy(state->message, one->message, sizeof state->message);
    }
  }
}

/* Is it a case of this share? If numbers come from a counter, all cases are those of share 0. */
static bool is_in_share(const crew *c, int64_t number)
{
  if (c->how->next != NULL) {
    return c->how->shard == 0;
  }
  return c->share.shards == 1 ||
         cardan__share_shard(c->share.count, (int)c->share.shards, number) == c->share.shard;
}

/* The cases of one journal. */
static cardan_status recall_journal(crew *c, const char *path, cardan__case *one,
                                    cardan_report *report)
{
  const int nvalue = cardan__plan_ncollect(c->sweep->plan);
  cardan__part_reader reader;
  cardan_status status = cardan__part_open(&reader, path, c->folder->digest, nvalue, c->share.count,
                                           1 << 16, &c->sweep->arena.alloc, report);
  if (status != CARDAN_OK) {
    return status;
  }
  while (status == CARDAN_OK && reader.number >= 0) {
    if (!is_done(c, reader.number)) {
      c->done[reader.number >> 3] |= (unsigned char)(1U << (reader.number & 7));
      if (is_in_share(c, reader.number)) {
        cardan__part_case(&reader, one);
        cardan__sweep_count(&c->state, one);
      }
    }
    status = cardan__part_next(&reader, report);
  }
  c->state.torn += reader.torn && c->share.shards == 1 && is_in_share(c, 0);
  cardan__part_done(&reader);
  return status;
}

/* What the journals have: nothing of it is done again. */
static cardan_status recall(crew *c, cardan_report *report)
{
  const cardan_allocator *alloc = &c->sweep->arena.alloc;
  const size_t nvalue = (size_t)cardan__plan_ncollect(c->sweep->plan);
  cardan__case one = {.value = cardan__zeros(alloc, (nvalue + 1) * sizeof(double))};
  char **path = NULL;
  int n = 0;
  cardan__resize(alloc, c->done, 0);
  c->done = cardan__zeros(alloc, (size_t)(c->share.count / 8) + 1);
  cardan_status status = CARDAN_OK;
  if (!one.value || !c->done) {
    status = cardan__no_memory(report);
  } else {
    status = cardan__folder_journals(c->folder, &path, &n, report);
  }
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = recall_journal(c, path[i], &one, report);
  }
  c->state.resumed = c->state.done;
  cardan__folder_free_journals(c->folder, path, n);
  cardan__resize(alloc, one.value, 0);
  return status;
}

/* ---- a thread ---- */

/* Keeps the first failure, and lets all stop. */
static void fail(crew *c, cardan_status status, const cardan_report *report)
{
  pthread_mutex_lock(&c->lock);
  if (c->status == CARDAN_OK) {
    c->status = status;
    c->report = *report;
  }
  pthread_mutex_unlock(&c->lock);
  atomic_store(&c->stop, 1);
}

/* About n cases, of those that go at once all or none. */
static int64_t whole_groups(const hand *h, int64_t n)
{
  const int grain = cardan__worker_grain(h->worker);
  return n < grain ? grain : n / grain * grain;
}

/* How many numbers to take: some time's worth, and fewer towards the end. */
static int64_t block_size(const crew *c, const hand *h, int64_t taken)
{
  const int64_t all = c->how->next != NULL && c->how->shards > 1 ? c->how->shards : 1;
  const int64_t left = (c->share.cases - taken) / (4 * all * c->jobs);
  const double fit = h->seconds > 0 ? fmin(block_seconds / h->seconds, BLOCK) : 1;
  const int64_t n = (int64_t)fit < left ? (int64_t)fit : left;
  return whole_groups(h, n);
}

/* The next block, first .. end - 1 of the share's cases. false: there are none left */
static bool take_block(crew *c, const hand *h, int64_t *first, int64_t *end)
{
  const int64_t n = block_size(c, h, atomic_load(&c->next));
  if (c->how->next != NULL) {
    *first = c->how->next(c->how->user, n);
    atomic_store(&c->next, *first);
  } else {
    *first = atomic_fetch_add(&c->next, n);
  }
  *end = *first + n < c->share.cases ? *first + n : c->share.cases;
  return *first >= 0 && *first < c->share.cases;
}

/* Cases that stand together from j on, not done, before `end`: at most what a call should take. */
static int run_length(const crew *c, const hand *h, int64_t j, int64_t end)
{
  const double fit = h->seconds > 0 ? fmin(batch_seconds / h->seconds, BATCH) : 1;
  const int64_t most = whole_groups(h, (int64_t)fit);
  const int64_t first = cardan__share_number(&c->share, j);
  int n = 1;
  while (n < most && j + n < end && cardan__share_number(&c->share, j + n) == first + n &&
         !is_done(c, first + n)) {
    n++;
  }
  return n;
}

/* n cases from `first` on: run, into the journal, counted. */
static cardan_status run_cases(hand *h, int64_t first, int n, cardan_report *report)
{
  crew *c = h->of;
  const double begin = cardan__seconds();
  cardan_status status =
      cardan__worker_run(h->worker, first, n, c->how->timeout, &c->stop, h->out, report);
  const double now = cardan__seconds(), each = (now - begin) / n;
  h->seconds = h->seconds > 0 ? 0.5 * (h->seconds + each) : each;
  if (status == CARDAN_OK && h->journal.fd < 0) {
    status = cardan__part_create(&h->journal, c->folder->path, c->folder->digest,
                                 cardan__plan_ncollect(c->sweep->plan), &own, report);
  }
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan__part_add(&h->journal, &h->out[i], now, report);
  }
  if (status == CARDAN_OK) {
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < n; i++) {
      cardan__sweep_count(&c->state, &h->out[i]);
    }
    pthread_mutex_unlock(&c->lock);
  }
  return status;
}

static cardan_status run_block(hand *h, int64_t j, int64_t end, cardan_report *report)
{
  crew *c = h->of;
  cardan_status status = CARDAN_OK;
  while (j < end && status == CARDAN_OK && !atomic_load(&c->stop)) {
    const int64_t number = cardan__share_number(&c->share, j);
    if (is_done(c, number)) {
      j++;
    } else {
      const int n = run_length(c, h, j, end);
      status = run_cases(h, number, n, report);
      j += n;
    }
  }
  return status;
}

static cardan_status take_memory(hand *h, cardan_report *report)
{
  const size_t nvalue = (size_t)cardan__plan_ncollect(h->of->sweep->plan);
  h->out = cardan__zeros(&own, BATCH * sizeof *h->out);
  h->value = cardan__zeros(&own, (BATCH * nvalue + 1) * sizeof *h->value);
  if (!h->out || !h->value) {
    return cardan__no_memory(report);
  }
  for (int i = 0; i < BATCH; i++) {
    h->out[i].value = h->value + (size_t)i * nvalue;
  }
  return cardan__worker_create(h->of->sweep, &own, &h->worker, report);
}

/* Blocks as long as there are any. */
static void work(crew *c)
{
  hand h = {.of = c, .journal = {.fd = -1}};
  cardan_report report = {.message = ""};
  int64_t first, end;
  cardan_status status = take_memory(&h, &report);
  while (status == CARDAN_OK && !atomic_load(&c->stop) && take_block(c, &h, &first, &end)) {
    status = run_block(&h, first, end, &report);
  }
  // what is done counts, whatever stopped it
  const bool stopped = status == CARDAN_ERR_STOPPED || status == CARDAN_OK;
  const cardan_status closed = cardan__part_close(&h.journal, stopped ? &report : NULL);
  status = stopped && closed != CARDAN_OK ? closed : status;
  if (status != CARDAN_OK && !(status == CARDAN_ERR_STOPPED && atomic_load(&c->stop))) {
    fail(c, status, &report);
  }
  cardan__worker_destroy(h.worker);
  cardan__resize(&own, h.out, 0);
  cardan__resize(&own, h.value, 0);
}

/* ---- all of them ---- */

static cardan_sweep_progress state_now(crew *c)
{
  pthread_mutex_lock(&c->lock);
  cardan_sweep_progress state = c->state;
  pthread_mutex_unlock(&c->lock);
  state.seconds = cardan__seconds() - c->begin;
  return state;
}

/* Reports progress while the others work, first often, for short sweeps. */
static void report_progress(crew *c)
{
  const cardan_report none = {.message = ""};
  long pause = 1000000; // [ns]
  while (atomic_load(&c->left) > 0) {
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    pause = pause < 40000000 ? pause + pause / 4 : pause;
    const cardan_sweep_progress state = state_now(c);
    const cardan_status status =
        atomic_load(&c->stop) ? CARDAN_OK : c->how->look(c->how->user, &state);
    if (status != CARDAN_OK) {
      fail(c, status, &none);
    }
  }
}

static void take_part(void *user, int k)
{
  crew *c = user;
  if (k == c->jobs) {
    report_progress(c);
  } else {
    work(c);
    atomic_fetch_sub(&c->left, 1);
  }
}

/* Runs what is not done. returns as cardan_sweep_run */
static cardan_status run_all(crew *c, cardan_report *report)
{
  const int64_t left = c->share.cases - (c->how->next != NULL ? 0 : c->state.done);
  const int jobs = cardan__jobs(c->how->jobs);
  const int most = CARDAN__MAX_THREADS - 1;
  c->jobs = jobs < most ? jobs : most;
  c->jobs = (int64_t)c->jobs < left ? c->jobs : (int)left;
  if (left == 0) {
    return CARDAN_OK;
  }
  atomic_store(&c->left, c->jobs);
  cardan__on_threads(c->jobs + (c->how->look != NULL), take_part, c);
  if (c->status == CARDAN_OK) {
    return CARDAN_OK;
  }
  if (c->status == CARDAN_ERR_IO) { // what was on its way to the disk may not be there
    const int64_t resumed = c->state.resumed;
    c->state = (cardan_sweep_progress){.cases = c->state.cases, .first = -1};
    (void)!recall(c, NULL);
    c->state.resumed = resumed;
  }
  const char *message = c->report.message, *text = cardan_status_text(c->status);
  char how_far[64] = "what is done counts"; // of all processes, which none of them knows
  if (c->how->next == NULL) {
    snprintf(how_far, sizeof how_far, "%" PRId64 " of %" PRId64 " cases are done and count",
             c->state.done, c->share.cases);
  }
  return cardan_fail(report, c->status, (cardan_pos){0, 0},
                     "%.350s; %s: option resume continues with the others",
                     message[0] ? message : text, how_far);
}

cardan_status cardan__sweep_check(const cardan_sweep_run_options *how, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  if (how->out == NULL || how->out[0] == '\0') {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none, "a sweep has no file to go to");
  }
  if (how->jobs < 0 || how->jobs >= CARDAN__MAX_THREADS) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "%d jobs, expected 1 to %d, or 0 for all "
                       "cores",
                       how->jobs, CARDAN__MAX_THREADS - 1);
  }
  if (how->shards < 0 || how->shard < 0 || (how->shards > 0 && how->shard >= how->shards)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "shard %d of %d, expected 0 to one less than there are", how->shard,
                       how->shards);
  }
  if (!(how->timeout >= 0 && isfinite(how->timeout))) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "a timeout of %g s, expected a positive one, or 0 for none", how->timeout);
  }
  return CARDAN_OK;
}

static cardan__hold hold_of(const cardan_sweep_run_options *how)
{
  return how->next != NULL ? CARDAN__HOLD_RANK
         : how->shards > 0 ? CARDAN__HOLD_SHARD
                           : CARDAN__HOLD_WHOLE;
}

/* What the command line or another program asks for, before anything is computed. */
static cardan_status open_folder(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                                 cardan__hold hold, cardan__folder *folder, cardan_report *report)
{
  cardan_status status = cardan__sweep_check(how, report);
  cardan__keep keep;
  status = status ? status : cardan__keep_read(sweep, how, &keep, report);
  return status ? status : cardan__folder_open(folder, sweep, how, hold, report);
}

cardan_status cardan_sweep_begin(const cardan_sweep *sweep, const cardan_sweep_run_options *options,
                                 cardan_report *report)
{
  cardan__folder folder;
  const cardan_status status = open_folder(sweep, options, CARDAN__HOLD_WHOLE, &folder, report);
  if (status == CARDAN_OK) {
    cardan__folder_close(&folder);
  }
  return status;
}

cardan_status cardan_sweep_run(const cardan_sweep *sweep, const cardan_sweep_run_options *options,
                               cardan_sweep_progress *progress, cardan_report *report)
{
  cardan__folder folder;
  crew c = {.sweep = sweep, .how = options, .folder = &folder, .begin = cardan__seconds()};
  const cardan__hold hold = hold_of(options);
  c.state.first = -1;
  cardan_status status = open_folder(sweep, options, hold, &folder, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const int shards = hold == CARDAN__HOLD_SHARD ? options->shards : 0;
  c.share = cardan__share_of(cardan_sweep_case_count(sweep), options->shard, shards);
  c.state.cases = c.share.cases;
  if (folder.complete) {
    status = cardan__merge_complete(sweep, &folder, &c.state, report);
  } else {
    pthread_mutex_init(&c.lock, NULL);
    status = options->resume && folder.was_there ? recall(&c, report) : CARDAN_OK;
    status = status ? status : run_all(&c, report);
    pthread_mutex_destroy(&c.lock);
    if (status == CARDAN_OK && hold == CARDAN__HOLD_WHOLE) {
      status = cardan__merge(sweep, options, &folder, NULL, report);
      c.state.merged = status == CARDAN_OK;
    }
  }
  c.state.seconds = cardan__seconds() - c.begin;
  if (progress != NULL) {
    *progress = c.state;
  }
  cardan__resize(&sweep->arena.alloc, c.done, 0);
  cardan__folder_close(&folder);
  return status;
}
