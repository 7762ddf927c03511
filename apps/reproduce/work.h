/* SPDX-License-Identifier: Apache-2.0
 * reproduce/work.h - one call of cardan_reproduce, and its folder.
 *
 * Items are made one after the other. What a finished one adds to the texts of its paper is in
 * folder/unfinished as PAPER-ITEM.json, .csv, .md and .row, then it is entered in the journal
 * there; at the end those pieces are put together, and that folder goes. */
#pragma once
#include "reproduce/cardan_reproduce.h"
#include "reproduce/journal.h"
#include "reproduce/write.h"

typedef struct {
  const cardan_reproduce_options *options;
  const cardan_allocator *allocator;
  cardan_report *report;
  cardan__journal journal;
  double before, here, all; // of the estimated seconds: items done, the one at work, everything
} cardan__work;

bool cardan__work_wants(const cardan__work *w, const cardan__paper *paper,
                        const cardan__item *item);

/* "FOLDER/DIRECTORY/NAME.ENDING" */
enum { CARDAN__PATH = 4096 };
void cardan__work_path(const cardan__work *w, const char *directory, const char *name,
                       const char *ending, char path[CARDAN__PATH]);
/* Makes FOLDER/DIRECTORY where it is not there. */
cardan_status cardan__work_folder(const cardan__work *w, const char *directory) CARDAN_MUST_USE;
/* Writes text as a file, and frees it either way. */
cardan_status cardan__work_put(const cardan__work *w, const char *directory, const char *name,
                               const char *ending, cardan__text *text) CARDAN_MUST_USE;
/* The pieces of an item, by their endings; are they all there, and none empty? Journal and pieces
 * need not reach the disk in order when the machine ends. */
enum { CARDAN__PIECES = 4 };
extern const char *const cardan__work_endings[CARDAN__PIECES];
bool cardan__work_has(const cardan__work *w, const char *name);
/* Appends the text of a piece of an item. */
cardan_status cardan__work_get(const cardan__work *w, const char *name, const char *ending,
                               cardan__text *text) CARDAN_MUST_USE;

/* Puts the pieces of all items together, and removes them (assemble.c). */
cardan_status cardan__work_finish(const cardan__work *w) CARDAN_MUST_USE;
