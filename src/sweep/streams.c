// SPDX-License-Identifier: Apache-2.0
#include "sweep/streams.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"

/* Bytes of all buffers together, and of one at most. */
enum { ROOM_ALL = 1 << 24, ROOM_ONE = 1 << 16 };

static int64_t number_at(const cardan__streams *s, int i)
{
  return s->reader[s->heap[i]].number;
}

/* Restores the heap order below entry i. */
static void sift_down(cardan__streams *s, int i)
{
  for (int least = i;; i = least) {
    for (int child = 2 * i + 1; child <= 2 * i + 2 && child < s->nheap; child++) {
      least = number_at(s, child) < number_at(s, least) ? child : least;
    }
    if (least == i) {
      return;
    }
    const int swap = s->heap[i];
    s->heap[i] = s->heap[least];
    s->heap[least] = swap;
  }
}

void cardan__streams_close(cardan__streams *streams)
{
  for (int i = 0; i < streams->n; i++) {
    cardan__part_done(&streams->reader[i]);
  }
  cardan__resize(&streams->alloc, streams->reader, 0);
  cardan__resize(&streams->alloc, streams->heap, 0);
  cardan__resize(&streams->alloc, streams->one.value, 0);
  cardan__resize(&streams->alloc, streams->other.value, 0);
  *streams = (cardan__streams){.alloc = streams->alloc};
}

static cardan_status take_memory(cardan__streams *s, int n, cardan_report *report)
{
  const size_t values = ((size_t)s->nvalue + 1) * sizeof(double);
  s->reader = cardan__zeros(&s->alloc, ((size_t)n + 1) * sizeof *s->reader);
  s->heap = cardan__zeros(&s->alloc, ((size_t)n + 1) * sizeof *s->heap);
  s->one.value = cardan__zeros(&s->alloc, values);
  s->other.value = cardan__zeros(&s->alloc, values);
  return s->reader && s->heap && s->one.value && s->other.value ? CARDAN_OK
                                                                : cardan__no_memory(report);
}

/* All journals, each at its first record. */
static cardan_status open_all(cardan__streams *s, const cardan_sweep *sweep,
                              const cardan__folder *folder, char **path, int n,
                              cardan_report *report)
{
  const size_t share = n > 0 ? (size_t)ROOM_ALL / (size_t)n : 0;
  const size_t room = share < ROOM_ONE ? share : ROOM_ONE;
  cardan_status status = take_memory(s, n, report);
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan__part_open(&s->reader[i], path[i], folder->digest, s->nvalue,
                               cardan_sweep_case_count(sweep), room, &s->alloc, report);
    s->n += status == CARDAN_OK;
    if (status == CARDAN_OK && s->reader[i].number >= 0) {
      s->heap[s->nheap++] = i;
    }
  }
  for (int i = s->nheap / 2; i >= 0; i--) {
    sift_down(s, i);
  }
  return status;
}

cardan_status cardan__streams_open(cardan__streams *streams, const cardan_sweep *sweep,
                                   const cardan__folder *folder, cardan_report *report)
{
  char **path;
  int n;
  *streams =
      (cardan__streams){.alloc = sweep->arena.alloc, .nvalue = cardan__plan_ncollect(sweep->plan)};
  cardan_status status = cardan__folder_journals(folder, &path, &n, report);
  if (status == CARDAN_OK) {
    status = open_all(streams, sweep, folder, path, n, report);
    cardan__folder_free_journals(folder, path, n);
  }
  if (status != CARDAN_OK) {
    cardan__streams_close(streams);
  }
  return status;
}

/* Takes the first case off, and lets its journal continue. */
static cardan_status pop(cardan__streams *s, cardan__case *out, cardan_report *report)
{
  cardan__part_reader *reader = &s->reader[s->heap[0]];
  cardan__part_case(reader, out);
  const cardan_status status = cardan__part_next(reader, report);
  if (reader->number < 0) {
    s->heap[0] = s->heap[--s->nheap];
  }
  sift_down(s, 0);
  return status;
}

static bool is_same_case(const cardan__streams *s, const cardan__case *a, const cardan__case *b)
{
  return a->status == b->status && strcmp(a->message, b->message) == 0 &&
         memcmp(a->value, b->value, (size_t)s->nvalue * sizeof *a->value) == 0;
}

/* Merges `one` and `other`, which have the same number. */
static cardan_status merge_duplicates(cardan__streams *s, cardan_report *report)
{
  const bool slow = s->one.status == CARDAN_ERR_STOPPED;
  if (!is_same_case(s, &s->one, &s->other) && !slow && s->other.status != CARDAN_ERR_STOPPED) {
    return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                       "case %" PRId64 " was done twice, with two results, expected the same on "
                       "all machines: the sweep cannot be merged",
                       s->one.number);
  }
  if (slow) {
    const cardan__case swap = s->one;
    s->one = s->other;
    s->other = swap;
  }
  return CARDAN_OK;
}

cardan_status cardan__streams_next(cardan__streams *streams, cardan_report *report)
{
  cardan__streams *s = streams;
  s->one.number = -1;
  if (s->nheap == 0) {
    return CARDAN_OK;
  }
  cardan_status status = pop(s, &s->one, report);
  while (status == CARDAN_OK && s->nheap > 0 && number_at(s, 0) == s->one.number) {
    status = pop(s, &s->other, report);
    status = status ? status : merge_duplicates(s, report);
  }
  return status;
}
