// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // close_range
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "output/sandbox_filter.h"
#include "output/sandbox_inside.h"

/* The process that reads. Its memory is its own, and comes from malloc: it ends by _exit. */

/* Time of the processor for a request: some seconds, and more for files of size [s, bytes/s]. Of
 * the clock, which a slow disk needs, thirty times as much. */
enum { SECONDS = 10, BYTES_PER_SECOND = 10000000, TIMES = 30 };

/* Memory beyond what the process has at its start: some, and more for files of size [bytes]. */
static const uint64_t memory_least = (uint64_t)256 << 20;
enum { MEMORY_TIMES = 4 };

/* Descriptors first .. end - 1. */
static void close_from(unsigned first, unsigned end)
{
  if (first < end && close_range(first, end - 1, 0) != 0) {
    for (unsigned fd = first; fd < end && fd < 65536; fd++) {
      close((int)fd);
    }
  }
}

static void limit(__rlimit_resource_t what, rlim_t most)
{
  const struct rlimit both = {.rlim_cur = most, .rlim_max = most};
  (void)!setrlimit(what, &both);
}

/* Bytes of addresses in use, the whole of what a sanitizer has reserved included; 0: not known. */
static uint64_t memory_now(void)
{
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file) {
    if (fscanf(file, "%llu", &pages) != 1) {
      pages = 0;
    }
    fclose(file);
  }
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Nothing but the file and the socket from here on, and nothing more to be opened or written. */
static void confine(const cardan__result_file *file, int socket)
{
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE, SIGALRM};
  static const int ignored[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT};
  const uint64_t now = memory_now();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  const int a = file->source.fd < socket ? file->source.fd : socket;
  const int b = file->source.fd < socket ? socket : file->source.fd;
  for (size_t k = 0; k < sizeof deadly / sizeof *deadly; k++) {
    signal(deadly[k], SIG_DFL);
  }
  for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++) {
    signal(ignored[k], SIG_IGN); // it ends when its socket does
  }
  close_from(0, (unsigned)a); // a is 0 in a program without a standard input
  close_from((unsigned)a + 1, (unsigned)b);
  close_from((unsigned)b + 1, ~0U);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 0);
  if (now > 0) {
    limit(RLIMIT_AS, now + memory_least + MEMORY_TIMES * file->source.size);
  }
  (void)cardan__sandbox_filter(); // beside the limits, where there is one
}

/* From now on so long. */
static void allow_time(const cardan__result_file *file)
{
  struct rusage used;
  struct rlimit both;
  const rlim_t seconds = SECONDS + (rlim_t)(file->source.size / BYTES_PER_SECOND);
  alarm((unsigned)(TIMES * seconds));
  if (getrusage(RUSAGE_SELF, &used) == 0 && getrlimit(RLIMIT_CPU, &both) == 0) {
    const rlim_t most = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + seconds;
    both.rlim_cur = most < both.rlim_max ? most : both.rlim_max;
    (void)!setrlimit(RLIMIT_CPU, &both);
  }
}

/* Sends an error, or success (wrong NULL). returns whether more follows */
static bool send_status(cardan__ipc *w, const cardan__result_file *file, const char *wrong)
{
  int64_t status = CARDAN_OK;
  char why[256] = "";
  if (wrong || file->no_memory) {
    status = CARDAN_ERR_IO;
    if (file->no_memory) {
      snprintf(why, sizeof why, "it takes more memory than a file of its size should");
    } else if (file->odd[0] != '\0') {
      snprintf(why, sizeof why, file->sentence ? "%s" : "it has %s, as no result has", file->odd);
    } else {
      snprintf(why, sizeof why, "%s", wrong);
    }
  }
  cardan__ipc_begin(w, false, 0, NULL);
  cardan__sandbox_reply_message(w, &status, why);
  return status == CARDAN_OK;
}

static void send_result(cardan__ipc *w, cardan__result_file *file)
{
  const char *wrong = cardan__hdf5_read(file);
  if (send_status(w, file, wrong)) {
    cardan__sandbox_result_message(w, file);
    cardan__ipc_end(w);
    return;
  }
  cardan__ipc_end(w);
  _exit(0);
}

/* Piece by piece, each with a reply of its own. */
static void send_rows(cardan__ipc *w, cardan__result_file *file, int64_t first, int64_t count)
{
  const size_t each = (size_t)file->result.ncolumn * sizeof(double);
  const int64_t most = each < CARDAN__SANDBOX_PIECE ? (int64_t)(CARDAN__SANDBOX_PIECE / each) : 1;
  double *rows = malloc((size_t)most * each);
  bool good = first >= 0 && count > 0 && count <= file->result.nrow - first;
  for (int64_t k = 0; k < count && good; k += most) {
    const int64_t n = count - k < most ? count - k : most;
    good = rows && cardan__hdf5_get_rows(file->table, first + k, n, file->result.ncolumn, rows) &&
           !cardan__hdf5_is_hole(file->result.column[0], rows, n, file->result.ncolumn);
    if (send_status(w, file, good ? NULL : "its rows are damaged")) {
      cardan__ipc_bytes(w, rows, (size_t)n * each);
    }
  }
  cardan__ipc_end(w);
  free(rows);
}

static void send_study(cardan__ipc *w, cardan__result_file *file)
{
  cardan_sweep_result *sweep_result = cardan__hdf5_take(file, 1, sizeof *sweep_result);
  const char *wrong = sweep_result ? cardan__hdf5_read_sweep_result(file, sweep_result) : "";
  if (send_status(w, file, wrong)) {
    cardan__sandbox_sweep_result_message(w, sweep_result);
  }
  cardan__ipc_end(w);
}

static void send_motion(cardan__ipc *w, cardan__result_file *file, int64_t number)
{
  cardan__result_file to = {.id = file->id, .source = file->source};
  cardan_sweep_result_rows motion = {.nrow = 0};
  cardan__arena_init(&to.arena, NULL);
  const char *wrong = cardan__hdf5_read_motion(file, number, &to, &motion);
  if (send_status(w, &to, wrong)) {
    cardan__sandbox_motion_message(w, &motion);
  }
  cardan__ipc_end(w);
  cardan__arena_free(&to.arena);
}

_Noreturn void cardan__sandbox_serve(cardan__result_file *file, int socket)
{
  cardan__hdf5_voice voice;
  cardan__ipc *w = calloc(1, sizeof *w);
  if (!w) {
    _exit(1);
  }
  w->fd = socket;
  confine(file, socket);
  allow_time(file);
  cardan__hdf5_silence_errors(&voice);
  cardan__arena_init(&file->arena, NULL);
  send_result(w, file);
  for (;;) {
    cardan__sandbox_request request = {0};
    alarm(0);
    cardan__ipc_begin(w, true, sizeof request, NULL);
    cardan__sandbox_request_message(w, &request);
    if (!cardan__ipc_end(w)) {
      _exit(0);
    }
    allow_time(file);
    if (request.kind == CARDAN__SANDBOX_ROWS) {
      send_rows(w, file, request.a, request.b);
    } else if (request.kind == CARDAN__SANDBOX_SWEEP_RESULT) {
      send_study(w, file);
    } else {
      send_motion(w, file, request.a);
    }
  }
}
