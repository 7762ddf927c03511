// SPDX-License-Identifier: Apache-2.0
// A sweep is the same to the byte whoever computes it, in how many parts and after how many
// restarts; what stops it loses nothing, and what cannot be is reported before anything is
// computed.
#define _DEFAULT_SOURCE // flock, setrlimit
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/sweep_result.h"
#include "sweep_fixture.h"

enum { CASES = 40, FAILED = 8 };

static test_folder folder;
static char *expected; // the result by one job
static size_t expected_length;

static cardan_sweep *make(void)
{
  return sweep_make(sweep_pendulum, sweep_plan, 0.3);
}

static void expect_bytes(const char *path)
{
  size_t length;
  char *bytes = folder_read(path, &length);
  assert_non_null(bytes);
  assert_int_equal(length, expected_length);
  assert_memory_equal(bytes, expected, length);
  free(bytes);
}

/* No file is left but the result, which is removed. */
static void expect_result(const char *path)
{
  expect_bytes(path);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(folder_count(&folder), 0);
}

static void refused(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                    cardan_status status, const char *words)
{
  cardan_report report = {0};
  assert_int_equal(cardan_sweep_run(sweep, how, NULL, &report), status);
  if (strstr(report.message, words) == NULL) {
    fail_msg("\"%s\", expected \"%s\"", report.message, words);
  }
}

// one job, two, three, all cores
static void jobs(void **state)
{
  char path[256];
  (void)state;
  for (int n = 0; n <= 3; n++) {
    cardan_sweep *sweep = make();
    cardan_sweep_progress end;
    const cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path), .jobs = n};
    assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
    assert_int_equal(end.cases, CASES);
    assert_int_equal(end.done, CASES);
    assert_int_equal(end.failed, FAILED);
    assert_int_equal(end.by_status[-CARDAN_ERR_MODEL], FAILED);
    assert_int_equal(end.first, 8);
    assert_non_null(strstr(end.message, "mass"));
    expect_result(path);
    cardan_sweep_destroy(sweep);
  }
}

// three shards, in another order; a merge before the last one says what is missing
static void shards(void **state)
{
  static const int order[] = {2, 0, 1};
  char path[256];
  cardan_report report = {0};
  cardan_sweep *sweep = make();
  cardan_sweep_run_options how = {
      .out = folder_path(&folder, "r.h5", path), .jobs = 1, .shards = 3};
  cardan_sweep_progress end;
  int64_t cases = 0;
  (void)state;
  for (int k = 0; k < 3; k++) {
    how.shard = order[k];
    if (k == 2) {
      const cardan_sweep_run_options all = {.out = path};
      assert_int_equal(cardan_sweep_merge(sweep, &all, NULL, &report), CARDAN_ERR_ARGUMENT);
      assert_non_null(strstr(report.message, "of 40 cases are missing"));
      assert_non_null(strstr(report.message, "the first of them case 1, of shards 1 of 3"));
    }
    assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
    assert_int_equal(end.done, end.cases);
    cases += end.cases;
    refused(sweep, &how, CARDAN_ERR_ARGUMENT, "the shard was begun before");
  }
  assert_int_equal(cases, CASES);
  assert_int_equal(cardan_sweep_merge(sweep, &(cardan_sweep_run_options){.out = path}, &end, NULL),
                   CARDAN_OK);
  assert_int_equal(end.failed, FAILED);
  expect_result(path);
  cardan_sweep_destroy(sweep);
}

enum { CROWD = 8 };
typedef struct {
  cardan_sweep *sweep;
  cardan_sweep_run_options how;
  pthread_barrier_t *begin;
  cardan_status status;
  cardan_report report;
} one_of_many;

static void *run_one(void *user)
{
  one_of_many *one = user;
  pthread_barrier_wait(one->begin);
  one->status = cardan_sweep_run(one->sweep, &one->how, NULL, &one->report);
  return NULL;
}

// shards that begin at the same moment and have one number as processes, as those in containers do
static void at_once(void **state)
{
  char path[256];
  pthread_t thread[CROWD];
  one_of_many one[CROWD];
  pthread_barrier_t begin;
  (void)state;
  folder_path(&folder, "r.h5", path);
  for (int round = 0; round < 4; round++) {
    pthread_barrier_init(&begin, NULL, CROWD);
    for (int k = 0; k < CROWD; k++) {
      one[k] = (one_of_many){.sweep = make(), .begin = &begin};
      one[k].how = (cardan_sweep_run_options){.out = path, .jobs = 1, .shard = k, .shards = CROWD};
      assert_int_equal(pthread_create(&thread[k], NULL, run_one, &one[k]), 0);
    }
    for (int k = 0; k < CROWD; k++) {
      pthread_join(thread[k], NULL);
    }
    pthread_barrier_destroy(&begin);
    for (int k = 0; k < CROWD; k++) {
      assert_string_equal(one[k].report.message, "");
      assert_int_equal(one[k].status, CARDAN_OK);
    }
    assert_int_equal(
        cardan_sweep_merge(one[0].sweep, &(cardan_sweep_run_options){.out = path}, NULL, NULL),
        CARDAN_OK);
    expect_result(path);
    for (int k = 0; k < CROWD; k++) {
      cardan_sweep_destroy(one[k].sweep);
    }
  }
}

/* Numbers handed out by a counter, of which each process here is one call. */
static int64_t count_on(void *user, int64_t n)
{
  int64_t *counter = user, was = *counter;
  *counter += n;
  return was;
}

// several processes with one counter: begun once, run by each, merged by the first; a process that
// does not see the folder fails with a message, and leaves none
static void one_counter(void **state)
{
  char path[256];
  int64_t counter = 0;
  cardan_sweep *sweep = make();
  cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path),
                                  .jobs = 1,
                                  .resume = true,
                                  .next = count_on,
                                  .user = &counter,
                                  .shards = 2};
  (void)state;
  refused(sweep, &how, CARDAN_ERR_IO, "a folder that all processes share");
  refused(sweep, &how, CARDAN_ERR_IO, "a folder that all processes share");
  assert_int_equal(
      cardan_sweep_begin(sweep, &(cardan_sweep_run_options){.out = path, .jobs = 1}, NULL),
      CARDAN_OK);
  for (how.shard = 0; how.shard < 2; how.shard++) {
    assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  }
  how.shard = 0;
  assert_int_equal(cardan_sweep_merge(sweep, &how, NULL, NULL), CARDAN_OK);
  expect_result(path);
  cardan_sweep_destroy(sweep);
}

/* Stops at the first look that finds something done. */
static cardan_status stop_soon(void *user, const cardan_sweep_progress *at)
{
  int *looks = user;
  ++*looks;
  return at->done > at->resumed ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

// a sweep that is stopped continues where it was; without resume it is refused
static void stopped(void **state)
{
  char path[256];
  int looks = 0;
  cardan_sweep *sweep = sweep_make(sweep_pendulum, sweep_plan, 50);
  cardan_sweep_run_options how = {
      .out = folder_path(&folder, "r.h5", path), .jobs = 2, .user = &looks};
  cardan_sweep_progress end = {0};
  cardan_report report = {0};
  (void)state;
  how.look = stop_soon;
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, &report), CARDAN_ERR_STOPPED);
  assert_non_null(strstr(report.message, "option resume continues"));
  assert_true(looks > 0 && end.done > 0 && end.done < CASES);
  const int64_t before = end.done;
  how.look = NULL;
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "expected option resume to continue it");
  how.resume = true;
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.resumed, before);
  assert_int_equal(end.done, CASES);
  char *there = folder_read(path, NULL);
  assert_non_null(there);
  free(there);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(folder_count(&folder), 0);
  cardan_sweep_destroy(sweep);
}

// a result that is there is not written over; with resume it is done, if it is this sweep's
static void finished(void **state)
{
  char path[256];
  cardan_sweep *sweep = make(), *other = sweep_make(sweep_pendulum, sweep_plan, 0.31);
  cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path)};
  cardan_sweep_progress end;
  (void)state;
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "is there already, expected another name");
  how.resume = true;
  refused(other, &how, CARDAN_ERR_ARGUMENT, "there option time is 0.3, here 0.31");
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.resumed, CASES);
  assert_int_equal(end.failed, FAILED);
  assert_int_equal(end.first, 8);
  assert_int_equal(cardan_sweep_merge(sweep, &how, &end, NULL), CARDAN_OK);
  cardan_sweep_destroy(sweep);
  assert_int_equal(cardan_sweep_open(path, NULL, &sweep, NULL), CARDAN_OK);
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  expect_result(path);
  cardan_sweep_destroy(sweep);
  cardan_sweep_destroy(other);
}

// what the file has: rows in order, what differs, words, sentences
static void contents(void **state)
{
  char path[256];
  cardan_sweep *sweep = make();
  cardan_sweep_result *sweep_result;
  (void)state;
  const cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path)};
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  assert_int_equal(cardan_sweep_result_open(path, NULL, &sweep_result, NULL), CARDAN_OK);
  assert_string_equal(sweep_result->plan, sweep_plan);
  assert_int_equal(sweep_result->result->nrow, CASES);
  assert_int_equal(sweep_result->result->ncolumn, 8);
  assert_string_equal(sweep_result->result->column[0], "case");
  assert_string_equal(sweep_result->result->column[1], "status");
  assert_int_equal(sweep_result->nwords, 2);
  assert_string_equal(sweep_result->words[0].word[-CARDAN_ERR_MODEL], "model");
  assert_string_equal(sweep_result->words[1].word[1], "aba");
  assert_int_equal(sweep_result->nmessage, FAILED);
  assert_int_equal(sweep_result->message[0].number, 8);
  assert_non_null(strstr(sweep_result->message[0].text, "mass"));
  assert_int_equal(sweep_result->nkept, 0);
  cardan_sweep_result_close(sweep_result);
  expect_result(path);
  cardan_sweep_destroy(sweep);
}

// motions of the worst, by the column; each is that of the case's own run. Cases that cannot start
// take no place of others
static void kept_motions(void **state)
{
  static const char starts[] = "(plan (range \"q.a\" 0 1 (count 5)) (collect (end \"q.a\") drift))";
  static const char masses[] = "(plan (grid M -1 1 2) (collect (end \"q.a\") drift))";
  static const struct {
    const char *plan, *keep;
    int n;
    int64_t number[5];
  } sets[] = {{starts, "worst:2:end.q.a", 2, {0, 1}},
              {starts, "worst:1", 1, {4}},
              {starts, "all", 5, {0, 1, 2, 3, 4}},
              {masses, "worst:1", 1, {2}}};
  char path[256];
  (void)state;
  for (int i = 0; i < 4; i++) {
    cardan_sweep *sweep = sweep_make(sweep_pendulum, sets[i].plan, 1.0);
    cardan_sweep_result *sweep_result;
    cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path),
                                    .keep = sets[i].keep};
    assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
    assert_int_equal(cardan_sweep_result_open(path, NULL, &sweep_result, NULL), CARDAN_OK);
    assert_int_equal(sweep_result->nkept, sets[i].n);
    for (int k = 0; k < sets[i].n; k++) {
      cardan_sweep_result_rows rows;
      assert_int_equal(sweep_result->kept[k], sets[i].number[k]);
      assert_int_equal(cardan_sweep_result_motion(sweep_result, k, &rows, NULL), CARDAN_OK);
      assert_int_equal(rows.nrow, 101);
      assert_string_equal(rows.column[1], "q.a");
      assert_int_equal(sweep_result->result->ncolumn, 5);
      double result[5];
      assert_int_equal(
          cardan_result_rows(sweep_result->result, sweep_result->kept[k], 1, result, NULL),
          CARDAN_OK);
      assert_true(rows.row[100 * rows.ncolumn + 1] == result[3]);
      cardan_sweep_result_motion_free(&rows);
    }
    cardan_sweep_result_close(sweep_result);
    assert_int_equal(unlink(path), 0);
    cardan_sweep_destroy(sweep);
  }
}

// what a folder is of can be asked of it, and run
static void from_folder(void **state)
{
  char path[256], parts[256];
  cardan_sweep *sweep = make(), *again;
  cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path), .shards = 2};
  (void)state;
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  folder_path(&folder, "r.h5.parts", parts);
  assert_int_equal(cardan_sweep_open(parts, NULL, &again, NULL), CARDAN_OK);
  how = (cardan_sweep_run_options){.out = path, .resume = true};
  assert_int_equal(cardan_sweep_run(again, &how, NULL, NULL), CARDAN_OK);
  expect_result(path);
  cardan_sweep_destroy(again);
  cardan_sweep_destroy(sweep);
  assert_int_equal(cardan_sweep_open(folder.path, NULL, &again, NULL), CARDAN_ERR_IO);
  assert_null(again);
}

// cases that are too slow are rows with that status, and have no motion; the other one has no
// steps, after which the clock would be read: no machine is too slow for it
static void too_slow(void **state)
{
  static const char plan[] = "(plan (option time 1e9 0) (collect drift))";
  char path[256];
  cardan_sweep *sweep = sweep_make(sweep_pendulum, plan, 1);
  cardan_sweep_result *sweep_result;
  cardan_sweep_progress end;
  (void)state;
  const cardan_sweep_run_options how = {
      .out = folder_path(&folder, "r.h5", path), .timeout = 0.02, .keep = "all"};
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.by_status[-CARDAN_ERR_STOPPED], 1);
  assert_int_equal(end.first, 0);
  assert_int_equal(cardan_sweep_result_open(path, NULL, &sweep_result, NULL), CARDAN_OK);
  assert_true(sweep_result->nkept == 1 && sweep_result->kept[0] == 1);
  assert_int_equal(sweep_result->nmessage, 1);
  cardan_sweep_result_close(sweep_result);
  assert_int_equal(unlink(path), 0);
  cardan_sweep_destroy(sweep);
}

// a folder that another sweep has left beside a result stays, with what that has done
static void not_ours(void **state)
{
  char path[256], aside[256], parts[256];
  cardan_sweep *sweep = make(), *other = sweep_make(sweep_pendulum, sweep_plan, 0.31);
  cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path)};
  cardan_sweep_progress end;
  (void)state;
  folder_path(&folder, "aside.h5", aside);
  folder_path(&folder, "r.h5.parts", parts);
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  assert_int_equal(rename(path, aside), 0);
  how.shards = 2;
  assert_int_equal(cardan_sweep_run(other, &how, NULL, NULL), CARDAN_OK);
  assert_int_equal(rename(aside, path), 0);
  how = (cardan_sweep_run_options){.out = path, .resume = true};
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.resumed, CASES);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(cardan_sweep_run(other, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.resumed, CASES / 2);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(folder_count(&folder), 0);
  cardan_sweep_destroy(sweep);
  cardan_sweep_destroy(other);
}

static cardan_status put_file(void *user, const cardan_sweep_progress *at)
{
  (void)at;
  folder_write(user, "mine");
  return CARDAN_OK;
}

// a file that gets the result's name while cases run stays, and no case is lost
static void name_taken(void **state)
{
  char path[256];
  size_t length;
  cardan_sweep *sweep = make();
  cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path),
                                  .keep =
                                      "worst:10:end.q.a", // look is called once they are run again
                                  .look = put_file,
                                  .user = path};
  cardan_sweep_progress end;
  (void)state;
  refused(sweep, &how, CARDAN_ERR_IO, "File exists; all cases are done and count");
  char *text = folder_read(path, &length);
  assert_int_equal(length, 4);
  assert_memory_equal(text, "mine", 4);
  free(text);
  assert_int_equal(unlink(path), 0);
  how = (cardan_sweep_run_options){.out = path, .resume = true};
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.resumed, CASES);
  expect_result(path);
  assert_int_equal(symlink("nowhere", path), 0);
  how.resume = false;
  refused(sweep, &how, CARDAN_ERR_IO, "File exists");
  assert_int_equal(unlink(path), 0);
  cardan_sweep_destroy(sweep);
}

/* ---- what cannot be, and what goes wrong ---- */

// one sentence each, and nothing is computed or left behind
static void refusals(void **state)
{
  char path[256], other[256];
  cardan_sweep *sweep = make();
  cardan_sweep_run_options how = {.out = folder_path(&folder, "no/r.h5", path)};
  (void)state;
  refused(sweep, &how, CARDAN_ERR_IO, "No such file or directory");
  how.out = "r.txt";
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "a name that ends in .h5 or .csv");
  how.out = folder_path(&folder, "r.h5", path);
  how.keep = "best";
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "option keep-motion is \"best\"");
  how.keep = "worst:3:energy";
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "column energy, which the plan does not collect");
  how.keep = "worst:0";
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "with N from 1");
  how = (cardan_sweep_run_options){.out = path, .shard = 2, .shards = 2};
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "shard 2 of 2");
  how = (cardan_sweep_run_options){.out = path, .timeout = -1};
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "timeout");
  how = (cardan_sweep_run_options){.out = NULL};
  assert_int_equal(cardan_sweep_merge(sweep, &how, NULL, NULL), CARDAN_ERR_ARGUMENT);
  how = (cardan_sweep_run_options){.out = path, .jobs = 256};
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "256 jobs");
  assert_int_equal(cardan_sweep_merge(sweep, &how, NULL, NULL), CARDAN_ERR_ARGUMENT);
  how = (cardan_sweep_run_options){.out = path};
  assert_int_equal(cardan_sweep_merge(sweep, &how, NULL, NULL), CARDAN_ERR_ARGUMENT);
  assert_int_equal(mkdir(path, 0777), 0);
  refused(sweep, &how, CARDAN_ERR_IO, "it is a folder");
  assert_int_equal(rmdir(path), 0);
  folder_write(folder_path(&folder, "r.h5.parts", other), "");
  refused(sweep, &how, CARDAN_ERR_IO, "a file has that name");
  assert_int_equal(unlink(other), 0);
  assert_int_equal(folder_count(&folder), 0);
  cardan_sweep_destroy(sweep);
}

// another process works on it: whole, as a shard, as a merge
static void held(void **state)
{
  char path[256], lock[256];
  cardan_sweep *sweep = make();
  cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path), .resume = true};
  cardan_report report = {0};
  (void)state;
  assert_int_equal(cardan_sweep_begin(sweep, &how, NULL), CARDAN_OK);
  const int fd = open(folder_path(&folder, "r.h5.parts/lock", lock), O_RDWR);
  assert_true(fd >= 0 && flock(fd, LOCK_SH) == 0);
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "another process works on");
  assert_int_equal(cardan_sweep_merge(sweep, &how, NULL, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "another process works on"));
  how.shards = 1; // beside another shard it may
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  refused(sweep, &how, CARDAN_ERR_ARGUMENT, "another process works on");
  close(fd);
  how.shards = 0;
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  expect_result(path);
  cardan_sweep_destroy(sweep);
}

/* In a process of its own, with files of so many bytes at most: how a sweep ended, by its words. */
static int run_limited(const char *path, rlim_t bytes, const char *words)
{
  int status;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit limit = {bytes, bytes};
    cardan_report report = {0};
    cardan_sweep *sweep = make();
    const cardan_sweep_run_options how = {.out = path, .jobs = 1, .resume = true};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const cardan_status end = cardan_sweep_run(sweep, &how, NULL, &report);
    cardan_sweep_destroy(sweep);
    _exit(end == CARDAN_ERR_IO && strstr(report.message, words) ? 7 : 8);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

// no room: while cases are appended, and while the result is written. What was done counts
static void full_disk(void **state)
{
  char path[256], left[256];
  cardan_sweep *sweep = make();
  const cardan_sweep_run_options how = {
      .out = folder_path(&folder, "r.h5", path), .jobs = 1, .resume = true};
  cardan_sweep_progress end;
  (void)state;
  assert_int_equal(cardan_sweep_begin(sweep, &how, NULL), CARDAN_OK); // the recipe has room
  assert_int_equal(run_limited(path, 1000, "option resume continues"), 7);
  // what killed ones left of a result goes first, to make room
  folder_write(folder_path(&folder, "r.h5.parts/.cardan-17-0.tmp", left), "half of a result");
  assert_int_equal(run_limited(path, expected_length / 2, "option resume writes the result"), 7);
  assert_int_not_equal(access(left, F_OK), 0);
  assert_int_equal(cardan_sweep_run(sweep, &how, &end, NULL), CARDAN_OK);
  assert_int_equal(end.resumed, CASES);
  expect_result(path);
  cardan_sweep_destroy(sweep);
}

static cardan_status find_and_merge(const cardan_allocator *alloc, void *user)
{
  const char *path = user;
  cardan_sweep *sweep = NULL;
  char parts[256];
  snprintf(parts, sizeof parts, "%s.parts", path);
  cardan_status status = cardan_sweep_open(parts, alloc, &sweep, NULL);
  if (status == CARDAN_OK) {
    const cardan_sweep_run_options how = {.out = path, .jobs = 1, .resume = true, .shards = 1};
    status = cardan_sweep_run(sweep, &how, NULL, NULL);
    status = status ? status : cardan_sweep_merge(sweep, &how, NULL, NULL);
  }
  cardan_sweep_destroy(sweep);
  return status;
}

// no memory, wherever it is requested while a sweep is found again, its journals read and merged:
// nothing is lost
static void no_memory(void **state)
{
  static const char plan[] = "(plan (grid M 1 2) (collect drift))";
  char path[256];
  cardan_sweep *sweep = sweep_make(sweep_pendulum, plan, 0.01);
  const cardan_sweep_run_options how = {.out = folder_path(&folder, "r.h5", path), .shards = 1};
  (void)state;
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  assert_true(support_fail_each(find_and_merge, path) > 20);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(folder_count(&folder), 0);
  cardan_sweep_destroy(sweep);
}

static int open_folder(void **state)
{
  char path[256];
  cardan_sweep *sweep = make();
  (void)state;
  folder = folder_make();
  const cardan_sweep_run_options how = {.out = folder_path(&folder, "first.h5", path), .jobs = 1};
  assert_int_equal(cardan_sweep_run(sweep, &how, NULL, NULL), CARDAN_OK);
  expected = folder_read(path, &expected_length);
  assert_int_equal(unlink(path), 0);
  cardan_sweep_destroy(sweep);
  return 0;
}

static int close_folder(void **state)
{
  (void)state;
  free(expected);
  folder_remove(&folder);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs),        cmocka_unit_test(shards),    cmocka_unit_test(at_once),
      cmocka_unit_test(one_counter), cmocka_unit_test(stopped),   cmocka_unit_test(finished),
      cmocka_unit_test(contents),    cmocka_unit_test(refusals),  cmocka_unit_test(kept_motions),
      cmocka_unit_test(held),        cmocka_unit_test(full_disk), cmocka_unit_test(from_folder),
      cmocka_unit_test(too_slow),    cmocka_unit_test(no_memory), cmocka_unit_test(not_ours),
      cmocka_unit_test(name_taken),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
