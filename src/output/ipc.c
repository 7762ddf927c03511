// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // send
#include "output/ipc.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>

void cardan__ipc_begin(cardan__ipc *w, bool get, uint64_t most, cardan__arena *arena)
{
  if (w->get != get) {
    w->begin = w->end = 0;
  }
  w->get = get;
  w->most = most;
  w->arena = arena;
}

/* Sends what is in the buffer, or size bytes. */
static void send_all(cardan__ipc *w, const unsigned char *bytes, size_t size)
{
  size_t done = 0;
  while (done < size && !w->failed) {
    const ssize_t n = send(w->fd, bytes + done, size - done, MSG_NOSIGNAL);
    w->failed = n < 0 && errno != EINTR;
    done += n > 0 ? (size_t)n : 0;
  }
}

/* Some bytes, at least one. returns how many */
static size_t receive(cardan__ipc *w, void *bytes, size_t size)
{
  ssize_t n;
  do {
    n = recv(w->fd, bytes, size, 0);
  } while (n < 0 && errno == EINTR);
  w->failed = n <= 0;
  return n > 0 ? (size_t)n : 0;
}

static void put_bytes(cardan__ipc *w, const unsigned char *bytes, size_t size)
{
  const bool past = size > sizeof w->buffer / 2; // the buffer
  if (past || size > sizeof w->buffer - w->end) {
    send_all(w, w->buffer, w->end);
    w->end = 0;
  }
  if (past) {
    send_all(w, bytes, size);
    return;
  }
  memcpy(w->buffer + w->end, bytes, size);
  w->end += size;
}

static void get_bytes(cardan__ipc *w, unsigned char *bytes, size_t size)
{
  while (size > 0 && !w->failed) {
    if (w->begin == w->end && size > sizeof w->buffer / 2) { // past the buffer
      const size_t n = receive(w, bytes, size);
      bytes += n;
      size -= n;
      continue;
    }
    if (w->begin == w->end) {
      w->begin = 0;
      w->end = receive(w, w->buffer, sizeof w->buffer);
    }
    const size_t there = w->end - w->begin, n = there < size ? there : size;
    memcpy(bytes, w->buffer + w->begin, n);
    w->begin += n;
    bytes += n;
    size -= n;
  }
}

void cardan__ipc_bytes(cardan__ipc *w, void *bytes, size_t size)
{
  if (w->failed || size == 0) {
    return;
  }
  if (!w->get) {
    put_bytes(w, bytes, size);
    return;
  }
  w->failed = size > w->most;
  if (!w->failed) {
    w->most -= size;
    get_bytes(w, bytes, size);
  }
}

void cardan__ipc_number(cardan__ipc *w, int64_t *number)
{
  int64_t value = w->get ? 0 : *number;
  cardan__ipc_bytes(w, &value, sizeof value);
  *number = w->failed ? 0 : value;
}

void cardan__ipc_count(cardan__ipc *w, int *count)
{
  int64_t value = *count;
  cardan__ipc_number(w, &value);
  w->failed = w->failed || value < 0 || value > INT_MAX;
  *count = w->failed ? 0 : (int)value;
}

void cardan__ipc_flag(cardan__ipc *w, bool *flag)
{
  int64_t value = *flag;
  cardan__ipc_number(w, &value);
  *flag = value == 1;
}

static void *take_memory(cardan__ipc *w, size_t count, size_t size)
{
  void *memory = w->failed || !w->arena ? NULL : cardan__arena_take(w->arena, count, size);
  w->no_memory = w->no_memory || (!w->failed && !memory);
  w->failed = w->failed || !memory;
  return memory;
}

void cardan__ipc_block(cardan__ipc *w, void **bytes, size_t *size)
{
  int64_t n = w->get || *bytes ? (int64_t)*size : -1;
  cardan__ipc_number(w, &n);
  if (w->get) {
    *bytes = NULL;
    *size = 0;
    w->failed = w->failed || n < -1 || (n > 0 && (uint64_t)n > w->most);
    if (w->failed || n < 0) {
      return;
    }
    *bytes = take_memory(w, (size_t)n + 1, 1);
    *size = *bytes ? (size_t)n : 0;
  }
  if (n > 0) {
    cardan__ipc_bytes(w, *bytes, (size_t)n);
  }
}

void cardan__ipc_text(cardan__ipc *w, char **text)
{
  void *bytes = w->get ? NULL : *text;
  size_t size = bytes ? strlen(bytes) : 0;
  cardan__ipc_block(w, &bytes, &size);
  *text = bytes;
}

void *cardan__ipc_room(cardan__ipc *w, void *list, int64_t n, size_t size)
{
  if (!w->get) {
    return list;
  }
  w->failed = w->failed || n < 0 || (uint64_t)n > w->most;
  return take_memory(w, (size_t)n, size);
}

void cardan__ipc_texts(cardan__ipc *w, char ***list, int *n)
{
  cardan__ipc_count(w, n);
  *list = cardan__ipc_room(w, *list, *n, sizeof **list);
  for (int k = 0; k < *n && !w->failed; k++) {
    cardan__ipc_text(w, &(*list)[k]);
    w->failed = w->failed || !(*list)[k];
  }
}

bool cardan__ipc_end(cardan__ipc *w)
{
  if (!w->get && !w->failed) {
    send_all(w, w->buffer, w->end);
    w->end = 0;
  }
  return !w->failed;
}
