/* SPDX-License-Identifier: Apache-2.0
 * sweep/streams.h - the cases of all journals of a folder, sorted by number.
 *
 * Each journal is sorted, so they are merged as streams, with a heap of journals by the number of
 * their current record. Memory is a buffer for each journal, whatever the number of cases. */
#pragma once
#include "sweep/folder.h"
#include "sweep/journal.h"

typedef struct {
  cardan__part_reader *reader; // n
  int n, nheap;
  int *heap;               // of journals that are not at their end: the parent of i is (i - 1) / 2
  cardan__case one, other; // the current case, and the same case in another journal
  int nvalue;
  cardan_allocator alloc;
} cardan__streams;

/* returns CARDAN_ERR_ARGUMENT for a journal of another sweep; CARDAN_ERR_IO, CARDAN_ERR_MEMORY. It
 * is closed then */
cardan_status cardan__streams_open(cardan__streams *streams, const cardan_sweep *sweep,
                                   const cardan__folder *folder,
                                   cardan_report *report) CARDAN_MUST_USE;
void cardan__streams_close(cardan__streams *streams);

/* The next case: streams->one, with number -1 after the last. A case that is in several journals is
 * returned once: its records are equal, or some timed out.
 * returns CARDAN_ERR_IO, also for a case with two different results */
cardan_status cardan__streams_next(cardan__streams *streams, cardan_report *report) CARDAN_MUST_USE;
