/* SPDX-License-Identifier: Apache-2.0
 * output/sandbox_inside.h - what the two ends of output/sandbox.h share: requests and messages. */
#pragma once
#include "output/hdf5_get.h"
#include "output/ipc.h"

struct cardan__sandbox {
  int64_t pid;   // 0: it ended
  int64_t owner; // the process that started it: a fork of it has the socket, but no part in it
  uint64_t most;
  cardan__ipc wire;
  char path[512]; // for messages, cut
};

enum { CARDAN__SANDBOX_ROWS = 1, CARDAN__SANDBOX_SWEEP_RESULT, CARDAN__SANDBOX_MOTION };

/* Rows that are sent at a time, more or less [bytes]. */
enum { CARDAN__SANDBOX_PIECE = 1 << 20 };

typedef struct {
  int64_t kind, a, b; // rows: first and count; motion: the number of its case
} cardan__sandbox_request;

void cardan__sandbox_request_message(cardan__ipc *w, cardan__sandbox_request *request);

/* How a request ended, and why it failed. */
void cardan__sandbox_reply_message(cardan__ipc *w, int64_t *status, char why[256]);

void cardan__sandbox_result_message(cardan__ipc *w, cardan__result_file *file);
void cardan__sandbox_sweep_result_message(cardan__ipc *w, cardan_sweep_result *sweep_result);
void cardan__sandbox_motion_message(cardan__ipc *w, cardan_sweep_result_rows *motion);

/* The child: never returns. */
_Noreturn void cardan__sandbox_serve(cardan__result_file *file, int socket);
