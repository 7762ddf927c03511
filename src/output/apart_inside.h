/* SPDX-License-Identifier: Apache-2.0
 * output/apart_inside.h - what the two ends of output/apart.h share: requests and messages. */
#pragma once
#include "output/hdf5_get.h"
#include "output/wire.h"

struct cardan__apart {
  int64_t pid;   // 0: it ended
  int64_t owner; // the process that started it: a fork of it has the socket, but no part in it
  uint64_t most;
  cardan__wire wire;
  char path[512]; // for messages, cut
};

enum { CARDAN__APART_ROWS = 1, CARDAN__APART_STUDY, CARDAN__APART_MOTION };

/* Rows that are sent at a time, more or less [bytes]. */
enum { CARDAN__APART_PIECE = 1 << 20 };

typedef struct {
  int64_t kind, a, b; // rows: first and count; motion: the number of its case
} cardan__apart_request;

void cardan__apart_request_message(cardan__wire *w, cardan__apart_request *request);

/* How a request ended, and why it failed. */
void cardan__apart_reply_message(cardan__wire *w, int64_t *status, char why[256]);

void cardan__apart_result_message(cardan__wire *w, cardan__result_file *file);
void cardan__apart_study_message(cardan__wire *w, cardan_study *study);
void cardan__apart_motion_message(cardan__wire *w, cardan_study_rows *motion);

/* The child: never returns. */
_Noreturn void cardan__apart_serve(cardan__result_file *file, int socket);
