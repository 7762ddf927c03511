/* SPDX-License-Identifier: Apache-2.0
 * output/ipc.h - numbers and texts between two processes of one program.
 *
 * One function describes a message for both ends: with w.get it receives the values, otherwise it
 * sends them. Received data are not trusted: sizes are limited to `most`, and invalid data set
 * `failed`, after which all calls have no effect. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { CARDAN__IPC_BUFFER = 1 << 16 };

typedef struct {
  int fd; // one end of a pair of sockets
  bool get, failed, no_memory;
  uint64_t most;        // bytes that may be received before the next message
  cardan__arena *arena; // of received texts; NULL: this end receives none
  size_t begin, end;    // of the data in the buffer
  unsigned char buffer[CARDAN__IPC_BUFFER];
} cardan__ipc;

/* Begins to receive (get) or to send a message of at most `most` bytes. */
void cardan__ipc_begin(cardan__ipc *w, bool get, uint64_t most, cardan__arena *arena);

void cardan__ipc_bytes(cardan__ipc *w, void *bytes, size_t size);
void cardan__ipc_number(cardan__ipc *w, int64_t *number);
void cardan__ipc_count(cardan__ipc *w, int *count); // >= 0
void cardan__ipc_flag(cardan__ipc *w, bool *flag);

/* Bytes, received with a NUL after them; NULL is sent as NULL. */
void cardan__ipc_block(cardan__ipc *w, void **bytes, size_t *size);
void cardan__ipc_text(cardan__ipc *w, char **text);

/* n texts; and an array for n items that follow, allocated by the receiver. n is limited by
 * `most`. */
void cardan__ipc_texts(cardan__ipc *w, char ***list, int *n);
void *cardan__ipc_room(cardan__ipc *w, void *list, int64_t n, size_t size);

/* Ends a message. returns false if it is not complete */
bool cardan__ipc_end(cardan__ipc *w);
