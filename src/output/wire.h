/* SPDX-License-Identifier: Apache-2.0
 * output/wire.h - numbers and texts between two processes of one program.
 *
 * One function describes a message for both ends: with w.get it fills what it is given, without
 * it sends it. What comes in is not trusted: sizes are held to `most`, and what is not as expected
 * sets `failed`, after which nothing is touched any more. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { CARDAN__WIRE_ROOM = 1 << 16 };

typedef struct {
  int fd; // one end of a pair of sockets
  bool get, failed, no_memory;
  uint64_t most;        // bytes that may come before the next message
  cardan__arena *arena; // of texts that come; NULL: this end gets none
  size_t begin, end;    // of what is in the buffer
  unsigned char buffer[CARDAN__WIRE_ROOM];
} cardan__wire;

/* A message begins, in the direction of get; `most` bytes may come. */
void cardan__wire_begin(cardan__wire *w, bool get, uint64_t most, cardan__arena *arena);

void cardan__wire_bytes(cardan__wire *w, void *bytes, size_t size);
void cardan__wire_number(cardan__wire *w, int64_t *number);
void cardan__wire_count(cardan__wire *w, int *count); // >= 0
void cardan__wire_flag(cardan__wire *w, bool *flag);

/* Bytes with a NUL behind them, and NULL as NULL. */
void cardan__wire_block(cardan__wire *w, void **bytes, size_t *size);
void cardan__wire_text(cardan__wire *w, char **text);

/* n texts; and room for n things that follow, which end `get` makes. n is held to what may come. */
void cardan__wire_texts(cardan__wire *w, char ***list, int *n);
void *cardan__wire_room(cardan__wire *w, void *list, int64_t n, size_t size);

/* The message is complete. returns false if it is not */
bool cardan__wire_end(cardan__wire *w);
