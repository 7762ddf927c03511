/* SPDX-License-Identifier: Apache-2.0
 * reproduce/journal.h - which items are done: a line for each, written when its files are there, so
 * that work that was stopped, or killed, can be taken up. */
#pragma once
#include "base/text.h"
#include "reproduce/outcome.h"

typedef struct {
  int fd;          // open and locked; -1: none
  char *path;      // for messages
  cardan__text of; // the whole lines that the file holds
} cardan__journal;

typedef struct {
  cardan__verdict verdict;
  bool holds;
  double seconds;
} cardan__entry;

/* Opens or makes the file. head: a line that says what the work is; a journal of other work, or
 * `anew`, is emptied. returns CARDAN_ERR_IO, also when another process holds it; CARDAN_ERR_MEMORY
 */
cardan_status cardan__journal_open(cardan__journal *journal, const char *path, const char *head,
                                   bool anew, const cardan_allocator *allocator,
                                   cardan_report *report) CARDAN_MUST_USE;
void cardan__journal_close(cardan__journal *journal);

/* name: "lee-fig-3". returns false when it is not done */
bool cardan__journal_find(const cardan__journal *journal, const char *name, cardan__entry *entry);
cardan_status cardan__journal_add(cardan__journal *journal, const char *name,
                                  const cardan__entry *entry, cardan_report *report);
