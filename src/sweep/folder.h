/* SPDX-License-Identifier: Apache-2.0
 * sweep/folder.h - FILE.h5.parts: where a sweep is until all of it is done.
 *
 *   sweep            its recipe (sweep/sweep_recipe.h), which appears whole or not at all
 *   part-*.bin       journals (sweep/journal.h), each of one worker
 *   lock             held alone by the process that has the whole sweep or merges it, together by
 *   those that
 *                    have parts of it
 *   shard-K-of-N     held by the process that runs that shard; there once it was begun
 *   ranks            held by the first of several processes that share a counter
 *   merged.*         the result until it is whole
 * Locks are the kernel's (flock): they end with the process, however it ends. A file system that
 * without locks is usable: two processes then do the same work twice, with the same result. */
#pragma once
#include "base/text.h"
#include "sweep/cases.h"

/* Which part of a sweep a process holds. */
typedef enum { CARDAN__HOLD_WHOLE, CARDAN__HOLD_SHARD, CARDAN__HOLD_RANK } cardan__hold;

typedef struct {
  cardan_allocator alloc;
  const char *out; // the caller's
  char *path;      // "OUT.parts"
  cardan__text recipe;
  uint64_t digest; // of it
  int lock, own;   // open files that are locked, -1: none
  bool complete;   // OUT is this sweep's result: there is nothing to do
  bool was_there;  // it had been begun before
} cardan__folder;

/* Makes the folder, or finds that it is this sweep's, and locks it.
 * how    out, resume, shard, shards
 * returns CARDAN_ERR_ARGUMENT for a result, a folder or a shard that is there without resume, that
 *         is of another sweep, or that another process holds; CARDAN_ERR_IO, CARDAN_ERR_MEMORY.
 *         It is closed then */
cardan_status cardan__folder_open(cardan__folder *folder, const cardan_sweep *sweep,
                                  const cardan_sweep_run_options *how, cardan__hold hold,
                                  cardan_report *report) CARDAN_MUST_USE;
void cardan__folder_close(cardan__folder *folder); // unlocks

/* The paths of what is in it: of one name, to be given back; of the journals, *n of them. */
char *cardan__folder_file(const cardan__folder *folder, const char *name);
cardan_status cardan__folder_journals(const cardan__folder *folder, char ***path, int *n,
                                      cardan_report *report) CARDAN_MUST_USE;
void cardan__folder_free_journals(const cardan__folder *folder, char **path, int n);

/* Of how many shards it was last begun as one; 0: none. */
int cardan__folder_shards(const cardan__folder *folder);

/* Removes what processes that were killed as they wrote a result left of it, which may be large: of
 * a folder that is held alone. */
void cardan__folder_tidy(const cardan__folder *folder);

/* Gives FOLDER/name the name OUT, for good, and removes the folder with all that is a sweep's.
 * returns CARDAN_ERR_IO also where something has that name by now: it stays */
cardan_status cardan__folder_keep(cardan__folder *folder, const char *name,
                                  cardan_report *report) CARDAN_MUST_USE;
/* The last part of that alone, of a folder that is held alone. */
void cardan__folder_remove(cardan__folder *folder);
/* And of one that may be there: what a kill between the two has left. It stays where it is another
 * sweep's, or where a process works on it. */
void cardan__folder_clean(cardan__folder *folder);
