// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // nanosleep, __fpurge
#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/base.h"
#include "cli.h"
#include "say.h"

/* cardan-mpi: a command of `cardan` by several processes, on one machine or many. The numbers of
 * cases are handed out by a counter in the memory of rank 0 to which the others add by themselves,
 * so that rank 0 has cases of its own like all others.
 *
 * On one machine it is in shared memory. Between machines, where the network cannot add to memory
 * by itself, rank 0 must answer requests itself: a thread polls for them while the others compute.
 * Of all threads of a process one at a time calls MPI (MPI_THREAD_SERIALIZED). */

enum { SAID = 1 << 16 };                            // bytes of messages that are held back
static const int64_t beyond = INT64_C(1) << 53;     // all numbers of cases
static const struct timespec moment = {0, 1000000}; // 1 ms

typedef struct {
  int rank, size;
  MPI_Win window;
  int64_t *counter; // rank 0's
  pthread_mutex_t mpi;
  pthread_t keeper;
  bool kept; // there is a keeper
  atomic_bool end;
  int exit; // what all agreed on
  char said[SAID];
} crew;

/* ---- the counter ---- */

static int64_t next(void *user, int64_t n)
{
  crew *c = user;
  int64_t was = 0;
  pthread_mutex_lock(&c->mpi);
  MPI_Fetch_and_op(&n, &was, MPI_INT64_T, 0, 0, MPI_SUM, c->window);
  MPI_Win_flush(0, c->window);
  pthread_mutex_unlock(&c->mpi);
  return was >= 0 ? was : beyond; // a thousand at once may have ended it
}

static void *keep(void *user)
{
  crew *c = user;
  while (!atomic_load(&c->end)) {
    int there;
    nanosleep(&moment, NULL);
    pthread_mutex_lock(&c->mpi);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&c->mpi);
  }
  return NULL;
}

/* ---- all together ---- */

/* Waits without taking a core, which another process may need. */
static void reduce(crew *c, int *value, MPI_Op how)
{
  MPI_Request request;
  int done = 0;
  pthread_mutex_lock(&c->mpi);
  MPI_Iallreduce(MPI_IN_PLACE, value, 1, MPI_INT, how, MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) {
      break;
    }
    pthread_mutex_unlock(&c->mpi);
    nanosleep(&moment, NULL);
    pthread_mutex_lock(&c->mpi);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE); // there is nothing left to wait for
  pthread_mutex_unlock(&c->mpi);
}

/* What a process other than the first has to say goes out if it is the one to speak. */
static void speak(const crew *c, bool speaks)
{
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  if (c->rank == 0) {
    return;
  }
  if (speaks) {
    MPI_Get_processor_name(host, &length);
    fprintf(stderr, "cardan: that was rank %d on %s\n", c->rank, host);
    fflush(stderr);
  } else {
    __fpurge(stderr);
  }
}

static int agree(void *user, int exit)
{
  crew *c = user;
  if (c->exit != CLI_DONE) {
    return c->exit;
  }
  if (exit != CLI_DONE && next(c, 0) < beyond) {
    next(c, beyond);
  }
  int first = exit == CLI_DONE ? c->size : c->rank;
  reduce(c, &first, MPI_MIN);
  if (first < c->size) {
    c->exit = c->rank == first ? exit : CLI_DONE;
    reduce(c, &c->exit, MPI_SUM);
    speak(c, c->rank == first);
  }
  return c->exit;
}

/* ---- the program ---- */

/* The counter in rank 0. returns whether all can reach it as memory */
static bool make_counter(crew *c)
{
  const MPI_Aint bytes = c->rank == 0 ? (MPI_Aint)sizeof *c->counter : 0;
  const int unit = (int)sizeof *c->counter;
  MPI_Comm here;
  int size;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &size);
  MPI_Comm_free(&here);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int failed =
      size == c->size
          ? MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &c->counter,
                                    &c->window)
          : MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &c->counter, &c->window);
  if (failed != MPI_SUCCESS) {
    cli_error("MPI makes no window between these machines; see \"On a cluster\" in docs/sweep.md");
    MPI_Abort(MPI_COMM_WORLD, CLI_STOPPED);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return size == c->size;
}

static void begin(crew *c)
{
  MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &c->size);
  const bool near = make_counter(c);
  if (c->rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, c->window);
    *c->counter = 0;
    MPI_Win_unlock(0, c->window);
  } else {
    setvbuf(stderr, c->said, _IOFBF, sizeof c->said);
    if (!freopen("/dev/null", "w", stdout)) {
      MPI_Abort(MPI_COMM_WORLD, CLI_STOPPED);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, c->window);
  pthread_mutex_init(&c->mpi, NULL);
  c->kept = c->rank == 0 && !near;
  if (c->kept && pthread_create(&c->keeper, NULL, keep, c) != 0) {
    cli_error("there is no thread to be had");
    MPI_Abort(MPI_COMM_WORLD, CLI_STOPPED);
  }
}

static void end(crew *c)
{
  atomic_store(&c->end, true);
  if (c->kept) {
    pthread_join(c->keeper, NULL);
  }
  speak(c, false);
  pthread_mutex_destroy(&c->mpi);
  MPI_Win_unlock_all(c->window);
  MPI_Win_free(&c->window);
}

static const char usage[] =
    "mpirun -n N cardan-mpi sweep MODEL --plan FILE --out FILE.h5 [--resume] [OPTION ..]\n"
    "\n"
    "The cases of a sweep by N processes, on one machine or many that share the folder of "
    "FILE.h5;\n"
    "the result is that of `cardan sweep`, to the byte. Options are those of `cardan sweep` too, "
    "but\n"
    "for --shard; a process has one thread unless --jobs says otherwise. cardan-mpi sweep --help\n"
    "lists them, docs/sweep.md has more.\n";

static int run(crew *c, int argc, char **argv)
{
  const cli_fleet fleet = {c->rank, c->size, next, agree, c};
  const char *word = argc > 1 ? argv[1] : "";
  if (strcmp(word, cli_sweep.name) == 0) {
    return cli_command_run(&cli_sweep, argc - 2, argv + 2, &fleet);
  }
  if (strcmp(word, "--version") == 0) {
    printf("cardan-mpi %s, %s\n", cardan_version(), cardan_cpu_level());
    return cli_finish_output(CLI_DONE);
  }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    fputs(usage, stdout);
    return cli_finish_output(CLI_DONE);
  }
  cli_error("found \"%.40s\", expected sweep; cardan-mpi --help says more", word);
  return CLI_USAGE;
}

int main(int argc, char **argv)
{
  crew c = {0};
  int threads;
  // Open MPI 4.1 prefers UCX for windows, also where that then makes none; others always do
  setenv("OMPI_MCA_osc", "^ucx", 0);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
  if (threads < MPI_THREAD_SERIALIZED) {
    cli_error("this MPI is not for programs with threads");
    MPI_Abort(MPI_COMM_WORLD, CLI_STOPPED);
  }
  cli_begin();
  begin(&c);
  const int status = agree(&c, run(&c, argc, argv));
  end(&c);
  MPI_Finalize();
  exit(status); // while c.said, which the standard error has, is still there
}
