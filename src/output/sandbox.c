// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // SOCK_CLOEXEC, strsignal
#include "output/sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/sandbox_inside.h"

static const cardan_pos none = {0, 0};

/* Ends the process if it still runs. returns how it ended, as waitpid; -1: unknown */
static int end_process(cardan__sandbox *apart, bool now)
{
  int how = -1;
  if (apart->pid > 0) {
    if (now) {
      kill((pid_t)apart->pid, SIGKILL);
    }
    while (waitpid((pid_t)apart->pid, &how, 0) < 0) {
      if (errno != EINTR) {
        how = -1;
        break;
      }
    }
    apart->pid = 0;
  }
  return how;
}

/* Reports that the process ended, or sent an invalid reply. */
static cardan_status report_lost_process(cardan__result_file *file, cardan_report *report)
{
  cardan__sandbox *apart = file->apart;
  if (apart->wire.no_memory) {
    return cardan__no_memory(report);
  }
  shutdown(apart->wire.fd, SHUT_RDWR); // it ends by itself, if it has not
  const int how = end_process(apart, false);
  if (how != -1 && WIFSIGNALED(how) && (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGALRM)) {
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "%.300s is damaged: HDF5 does not come to an end with it", apart->path);
  }
  if (how != -1 && WIFSIGNALED(how)) {
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "%.300s is damaged: HDF5 does not survive it (%s)", apart->path,
                       strsignal(WTERMSIG(how)));
  }
  return cardan_fail(report, CARDAN_ERR_IO, none,
                     "%.300s is damaged: the process that read it ended (status %d)", apart->path,
                     how != -1 && WIFEXITED(how) ? WEXITSTATUS(how) : -1);
}

/* What the reply says; what follows may be `most` bytes, into the arena. */
static cardan_status read_reply(cardan__result_file *file, uint64_t most, cardan__arena *arena,
                                cardan_report *report)
{
  cardan__sandbox *apart = file->apart;
  int64_t status = CARDAN_OK;
  char why[256] = "";
  cardan__ipc_begin(&apart->wire, true, most + sizeof status + sizeof why, arena);
  cardan__sandbox_reply_message(&apart->wire, &status, why);
  if (apart->wire.failed) {
    return report_lost_process(file, report);
  }
  return status == CARDAN_OK
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_IO, none, "cannot read %.200s: %s", apart->path, why);
}

/* Two processes that ask by one socket would each receive what the other requested. */
static cardan_status send_request(cardan__result_file *file, cardan__sandbox_request request,
                                  cardan_report *report)
{
  cardan__ipc *w = &file->apart->wire;
  if (file->apart->owner != getpid()) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "%.200s was opened by the process that this one is a fork of: open it again",
                       file->apart->path);
  }
  cardan__ipc_begin(w, false, 0, NULL);
  cardan__sandbox_request_message(w, &request);
  return cardan__ipc_end(w) ? CARDAN_OK : report_lost_process(file, report);
}

static cardan_status start(cardan__result_file *file, int pair[2], cardan_report *report)
{
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return cardan_fail(report, CARDAN_ERR_IO, none, "cannot read %.200s: no socket: %s",
                       file->apart->path, strerror(errno));
  }
  const pid_t pid = fork();
  if (pid == 0) {
    cardan__sandbox_serve(file, pair[1]);
  }
  const int error = errno;
  close(pair[1]);
  if (pid < 0) {
    close(pair[0]);
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "cannot read %.200s: no process to read it with: %s", file->apart->path,
                       strerror(error));
  }
  file->apart->pid = pid;
  file->apart->owner = getpid();
  file->apart->wire.fd = pair[0];
  return CARDAN_OK;
}

cardan_status cardan__sandbox_open(cardan__result_file *file, const char *path,
                                   cardan_report *report)
{
  int pair[2];
  cardan__sandbox *apart = cardan__resize(&file->arena.alloc, NULL, sizeof *apart);
  if (!apart) {
    return cardan__no_memory(report);
  }
  *apart = (cardan__sandbox){.wire = {.fd = -1}};
  snprintf(apart->path, sizeof apart->path, "%s", path);
  // texts as they are in the file, and for each entry its size
  apart->most = (1 << 20) + 16 * file->source.size;
  file->apart = apart;
  cardan_status status = start(file, pair, report);
  status = status ? status : read_reply(file, apart->most, &file->arena, report);
  if (status == CARDAN_OK) {
    cardan__sandbox_result_message(&apart->wire, file);
    status = cardan__ipc_end(&apart->wire) ? CARDAN_OK : report_lost_process(file, report);
  }
  return status;
}

cardan_status cardan__sandbox_rows(cardan__result_file *file, int64_t first, int64_t count,
                                   double *rows, cardan_report *report)
{
  const size_t ncolumn = (size_t)file->result.ncolumn, each = ncolumn * sizeof *rows;
  const int64_t most = each < CARDAN__SANDBOX_PIECE ? (int64_t)(CARDAN__SANDBOX_PIECE / each) : 1;
  cardan_status status =
      send_request(file, (cardan__sandbox_request){CARDAN__SANDBOX_ROWS, first, count}, report);
  for (int64_t k = 0; k < count && status == CARDAN_OK; k += most) {
    const int64_t n = count - k < most ? count - k : most;
    status = read_reply(file, (uint64_t)n * each, NULL, report);
    if (status == CARDAN_OK) {
      cardan__ipc_bytes(&file->apart->wire, rows + (size_t)k * ncolumn, (size_t)n * each);
      status = cardan__ipc_end(&file->apart->wire) ? CARDAN_OK : report_lost_process(file, report);
    }
  }
  return status;
}

cardan_status cardan__sandbox_sweep_result(cardan__result_file *file,
                                           cardan_sweep_result *sweep_result, cardan_report *report)
{
  cardan_status status =
      send_request(file, (cardan__sandbox_request){CARDAN__SANDBOX_SWEEP_RESULT, 0, 0}, report);
  status = status ? status : read_reply(file, file->apart->most, &file->arena, report);
  if (status == CARDAN_OK) {
    cardan__sandbox_sweep_result_message(&file->apart->wire, sweep_result);
    status = cardan__ipc_end(&file->apart->wire) ? CARDAN_OK : report_lost_process(file, report);
  }
  return status;
}

cardan_status cardan__sandbox_motion(cardan__result_file *file, int64_t number,
                                     cardan__result_file *to, cardan_sweep_result_rows *out,
                                     cardan_report *report)
{
  cardan_status status =
      send_request(file, (cardan__sandbox_request){CARDAN__SANDBOX_MOTION, number, 0}, report);
  status = status ? status : read_reply(file, file->apart->most, &to->arena, report);
  if (status == CARDAN_OK) {
    cardan__sandbox_motion_message(&file->apart->wire, out);
    status = cardan__ipc_end(&file->apart->wire) ? CARDAN_OK : report_lost_process(file, report);
  }
  return status;
}

void cardan__sandbox_close(cardan__result_file *file)
{
  cardan__sandbox *apart = file->apart;
  if (apart) {
    if (apart->wire.fd >= 0) {
      close(apart->wire.fd);
    }
    if (apart->owner == getpid()) { // a fork leaves it to its parent
      end_process(apart, true);
    }
    cardan__resize(&file->arena.alloc, apart, 0);
    file->apart = NULL;
  }
}
