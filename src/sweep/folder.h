/* SPDX-License-Identifier: Apache-2.0
 * sweep/folder.h - FILE.h5.parts: the folder of an unfinished sweep.
 *
 *   sweep            its recipe (sweep/sweep_recipe.h), written atomically
 *   part-*.bin       journals (sweep/journal.h), each of one worker
 *   lock             exclusive: of a process that runs the whole sweep or merges it; shared: of
 *                    processes that run parts of it
 *   shard-K-of-N     locked by the process that runs that shard; exists once the shard was started
 *   ranks            locked by the first of several processes that share a counter
 *   merged.*         the result until it is complete
 * Locks are the kernel's (flock): they end with the process. On a file system without locks two
 * processes may compute the same cases twice, with the same result. */
#pragma once
#include "base/text.h"
#include "sweep/cases.h"

/* The part of a sweep for which a process has the lock. */
typedef enum { CARDAN__HOLD_WHOLE, CARDAN__HOLD_SHARD, CARDAN__HOLD_RANK } cardan__hold;

typedef struct {
  cardan_allocator alloc;
  const char *out; // the caller's
  char *path;      // "OUT.parts"
  cardan__text recipe;
  uint64_t digest; // of it
  int lock, own;   // open files that are locked, -1: none
  bool complete;   // OUT is the result of this sweep: nothing is missing
  bool was_there;  // the folder existed before
} cardan__folder;

/* Creates the folder, or checks that it is of this sweep, and locks it.
 * how    out, resume, shard, shards
 * returns CARDAN_ERR_ARGUMENT for a result, folder or shard that exists, without resume, that is of
 *         another sweep, or that another process has locked; CARDAN_ERR_IO, CARDAN_ERR_MEMORY.
 *         The folder is then closed */
cardan_status cardan__folder_open(cardan__folder *folder, const cardan_sweep *sweep,
                                  const cardan_sweep_run_options *how, cardan__hold hold,
                                  cardan_report *report) CARDAN_MUST_USE;
void cardan__folder_close(cardan__folder *folder); // unlocks

/* Paths of files in the folder: of one name, freed by the caller; of the n journals. */
char *cardan__folder_file(const cardan__folder *folder, const char *name);
cardan_status cardan__folder_journals(const cardan__folder *folder, char ***path, int *n,
                                      cardan_report *report) CARDAN_MUST_USE;
void cardan__folder_free_journals(const cardan__folder *folder, char **path, int n);

/* The number of shards with which it was started last; 0: without shards. */
int cardan__folder_shards(const cardan__folder *folder);

/* Removes incomplete results of killed processes, which may be large. needs the exclusive lock */
void cardan__folder_tidy(const cardan__folder *folder);

/* Renames FOLDER/name to OUT, and removes the folder with all files of a sweep.
 * returns CARDAN_ERR_IO also if OUT exists by now: it is not replaced */
cardan_status cardan__folder_keep(cardan__folder *folder, const char *name,
                                  cardan_report *report) CARDAN_MUST_USE;
/* Removes the folder only. needs the exclusive lock */
void cardan__folder_remove(cardan__folder *folder);
/* Removes a folder that a process left when it was killed after the renaming. A folder of another
 * sweep, or one that a process has locked, is kept. */
void cardan__folder_clean(cardan__folder *folder);
