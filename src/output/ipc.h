/* SPDX-License-Identifier: Apache-2.0
 * output/ipc.h - numbers and texts between two processes of one program.
 *
 * One function describes a message for both ends: with w.get it fills what it is given, without
 * it sends it. What comes in is not trusted: sizes are held to `most`, and what is not as expected
 * sets `failed`, after which nothing is touched any more. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { CARDAN__IPC_BUFFER = 1 << 16 };

typedef struct {
  int fd; // one end of a pair of sockets
  bool get, failed, no_memory;
  uint64_t most;        // bytes that may come before the next message
  cardan__arena *arena; // of texts that come; NULL: this end gets none
  size_t begin, end;    // of what is in the buffer
  unsigned char buffer[CARDAN__IPC_BUFFER];
} cardan__ipc;

/* A message begins, in the direction of get; `most` bytes may come. */
void cardan__ipc_begin(cardan__ipc *w, bool get, uint64_t most, cardan__arena *arena);

void cardan__ipc_bytes(cardan__ipc *w, void *bytes, size_t size);
void cardan__ipc_number(cardan__ipc *w, int64_t *number);
void cardan__ipc_count(cardan__ipc *w, int *count); // >= 0
void cardan__ipc_flag(cardan__ipc *w, bool *flag);

/* Bytes with a NUL behind them, and NULL as NULL. */
void cardan__ipc_block(cardan__ipc *w, void **bytes, size_t *size);
void cardan__ipc_text(cardan__ipc *w, char **text);

/* n texts; and room for n things that follow, which end `get` makes. n is held to what may come. */
void cardan__ipc_texts(cardan__ipc *w, char ***list, int *n);
void *cardan__ipc_room(cardan__ipc *w, void *list, int64_t n, size_t size);

/* The message is complete. returns false if it is not */
bool cardan__ipc_end(cardan__ipc *w);
