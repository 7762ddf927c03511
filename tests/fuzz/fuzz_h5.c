// SPDX-License-Identifier: Apache-2.0
// Results with any of their bytes changed, read as a whole: each gives a result or a sentence. HDF5
// is in a process of its own, which may crash, and does; this one may not.
//
// An input is what is done to one of three files that the library itself writes: one byte which and
// whether check numbers are mended afterwards, then changes of four bytes each, place and value.
#define _GNU_SOURCE // memfd_create
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cardan/output.h"
#include "fuzz.h"
#include "h5_blocks.h"
#include "output/hdf5_sweep.h"
#include "output/result_table.h"
#include "read_all.h"

enum { FILES = 3, ROWS = 20, BLOCKS = 512, ROOM = 1 << 20 };

typedef struct {
  uint8_t *bytes;
  size_t size;
  h5_block block[BLOCKS];
  int nblock;
} original;

static original files[FILES];
static int memory = -1;
static char memory_path[64];

static void check(bool condition)
{
  if (!condition) {
    abort();
  }
}

static const char *const names[] = {"t", "q.a", "energy"};

static cardan_table *open_table(const char *path)
{
  static const char text[] = "(system (joint revolute \"a\" (mass 1 1 1 1)))";
  static const cardan_setting setting[] = {{"m", 2}, {"l", 0.5}};
  static cardan_options options;
  options = cardan_options_defaults();
  const cardan_record record = {.model = "a.mbs",
                                .text = text,
                                .length = sizeof text - 1,
                                .options = &options,
                                .setting = setting,
                                .nsetting = 2,
                                .initial = setting,
                                .ninitial = 1,
                                .note = "a note"};
  cardan_table *table;
  check(cardan_table_open(path, names, 3, &record, NULL, &table, NULL) == CARDAN_OK);
  return table;
}

static void add_rows(cardan_table *table, int from, int to)
{
  for (int k = from; k < to; k++) {
    const double row[] = {k, 0.1 * k, 1.0 / (1 + k)};
    check(cardan_table_row(table, row, NULL) == CARDAN_OK);
  }
}

static void add_sweep(cardan_table *table)
{
  static const char *const words[] = {"ok", "failed"};
  static const char plan[] = "(plan (range \"m\" 0 1 (count 20)))";
  check(cardan__table_set_words(table, 1, words, 2, NULL) == CARDAN_OK);
  check(cardan__table_plan(table, plan, sizeof plan - 1, NULL) == CARDAN_OK);
  add_rows(table, 0, ROWS);
  check(cardan__table_messages(table, 2, 20, NULL) == CARDAN_OK);
  check(cardan__table_message(table, 3, "it fell", NULL) == CARDAN_OK);
  check(cardan__table_message(table, 7, "it fell over", NULL) == CARDAN_OK);
  for (int k = 4; k < 6; k++) {
    const double row[] = {0, k};
    check(cardan__table_kept_open(table, k, names, 2, NULL) == CARDAN_OK);
    check(cardan__table_kept_row(table, row, NULL) == CARDAN_OK);
    check(cardan__table_kept_close(table, NULL) == CARDAN_OK);
  }
}

static void take(original *to, const char *path)
{
  FILE *file = fopen(path, "rb");
  check(file != NULL);
  to->bytes = malloc(ROOM);
  to->size = fread(to->bytes, 1, ROOM, file);
  fclose(file);
  check(to->size > 1000 && to->size < ROOM);
  to->nblock = h5_blocks_find(to->bytes, to->size, to->block, BLOCKS);
  check(to->nblock > 5);
}

/* A run that ended, a sweep, and a run under way. */
static void make_files(void)
{
  char folder[] = "/tmp/fuzz_h5.XXXXXX", path[64], partial[64];
  check(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/r.h5", folder);
  snprintf(partial, sizeof partial, "%s/r.partial.h5", folder);
  for (int k = 0; k < FILES; k++) {
    cardan_table *table = open_table(path);
    if (k == 1) {
      add_sweep(table);
    } else {
      add_rows(table, 0, ROWS);
      check(cardan_table_snapshot(table, ROWS, "state", 6, NULL) == CARDAN_OK);
    }
    if (k == 2) {
      take(&files[k], partial);
    }
    check(cardan_table_close(table, k < 2, NULL) == CARDAN_OK);
    if (k < 2) {
      take(&files[k], path);
    }
    unlink(path);
  }
  check(rmdir(folder) == 0);
  memory = memfd_create("fuzz_h5", MFD_CLOEXEC);
  check(memory >= 0);
  snprintf(memory_path, sizeof memory_path, "/proc/self/fd/%d", memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static uint8_t bytes[ROOM];
  cardan_report report = {.message = ""};
  uint64_t number;
  int64_t nrow;
  if (memory < 0) {
    make_files();
  }
  if (size < 1 || size > 64) {
    return 0;
  }
  const original *file = &files[data[0] % FILES];
  size_t length = file->size;
  memcpy(bytes, file->bytes, length);
  for (size_t k = 1; k + 4 <= size; k += 4) { // of the first bytes most: headers are there
    const size_t place = (size_t)data[k] << 8 | data[k + 1];
    bytes[(data[k + 2] & 1 ? place * 16 : place) % length] = data[k + 3];
    length = data[k + 2] == 255 ? place % length + 1 : length;
  }
  if (data[0] & 128) {
    h5_blocks_mend(bytes, length, file->block, file->nblock);
  }
  check(ftruncate(memory, 0) == 0 && pwrite(memory, bytes, length, 0) == (ssize_t)length);
  const cardan_status status = read_all(memory_path, -1, &nrow, &number, &report);
  check(status == CARDAN_OK || report.message[0] != '\0');
  return 0;
}
