/* SPDX-License-Identifier: Apache-2.0
 * reproduce/journal.h - list of finished items: a line for each, written after its files, so that a
 * stopped or killed reproduction can be resumed. */
#pragma once
#include "base/text.h"
#include "reproduce/outcome.h"

typedef struct {
  int fd;          // open and locked; -1: none
  char *path;      // for messages
  cardan__text of; // the complete lines of the file
} cardan__journal;

typedef struct {
  cardan__verdict verdict;
  bool holds;
  double seconds;
} cardan__entry;

/* Opens or creates the file. head: a line that identifies the reproduction; a journal with another
 * head is emptied, and so is any with `anew`. returns CARDAN_ERR_IO, also if another process has
 * locked it; CARDAN_ERR_MEMORY */
cardan_status cardan__journal_open(cardan__journal *journal, const char *path, const char *head,
                                   bool anew, const cardan_allocator *allocator,
                                   cardan_report *report) CARDAN_MUST_USE;
void cardan__journal_close(cardan__journal *journal);

/* name: "lee-fig-3". returns false if the item is not finished */
bool cardan__journal_find(const cardan__journal *journal, const char *name, cardan__entry *entry);
cardan_status cardan__journal_add(cardan__journal *journal, const char *name,
                                  const cardan__entry *entry, cardan_report *report);
