/* SPDX-License-Identifier: Apache-2.0
 * sweep/journal.h - finished cases, in a file to which one worker appends.
 *
 * A header, then a record for each case, ascending by number; little-endian:
 *   header   "CARDANJ1", u64 digest of the recipe, u32 values of a record, u32 checksum
 *   record   u32 magic, u32 length, u64 number, u32 -status, u32 bytes of the message,
 *            values (doubles), message; u32 checksum of all but the magic
 * length counts what is between itself and the checksum (CRC-32C, polynomial 0x1EDC6F41 reflected).
 * A killed process leaves at most one truncated record. A truncated or damaged record ends the
 * journal for a reader: later cases are computed again. */
#pragma once
#include "sweep/cases.h"

/* ---- writing ---- */

typedef struct {
  cardan_allocator alloc;
  int fd; // -1: none yet
  char *path;
  unsigned char *buffer;
  size_t used, capacity, record_most;
  int nvalue;
  double written, synced; // wall times
} cardan__part;

/* Creates a journal with a unique name: FOLDER/part-HOST-PID-K.bin.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY; the journal is then closed */
cardan_status cardan__part_create(cardan__part *journal, const char *folder, uint64_t digest,
                                  int nvalue, const cardan_allocator *alloc,
                                  cardan_report *report) CARDAN_MUST_USE;

/* Appends a case to a buffer, which is written when it is full or a few milliseconds old. After a
 * failure nothing is appended.
 * now  wall time (base/clock.h) */
cardan_status cardan__part_add(cardan__part *journal, const cardan__case *one, double now,
                               cardan_report *report) CARDAN_MUST_USE;

/* Writes the buffer, waits for the disk, and closes the journal, which may be closed (fd -1). */
cardan_status cardan__part_close(cardan__part *journal, cardan_report *report);

/* ---- reading ---- */

/* A journal read record by record. Between calls no file is open, so that there may be thousands of
 * them. */
typedef struct {
  cardan_allocator alloc;
  char *path;
  int64_t offset; // of the buffer's end in the file
  unsigned char *buffer;
  size_t begin, end, capacity; // of the unread bytes in it
  int nvalue;
  int64_t count;  // cases of the sweep
  int64_t number; // of the record at `begin`, -1: none
  size_t size;    // of that record
  bool torn;      // it ended with a truncated or damaged record
} cardan__part_reader;

/* Opens a journal at its first record. count: cases of the sweep; room: smallest size of the buffer
 * [bytes].
 * returns CARDAN_ERR_ARGUMENT for one of another sweep; CARDAN_ERR_IO, CARDAN_ERR_MEMORY. It is
 *         then closed */
cardan_status cardan__part_open(cardan__part_reader *reader, const char *path, uint64_t digest,
                                int nvalue, int64_t count, size_t room,
                                const cardan_allocator *alloc,
                                cardan_report *report) CARDAN_MUST_USE;

/* Goes to the next record: reader->number, -1 at the end. returns CARDAN_ERR_IO */
cardan_status cardan__part_next(cardan__part_reader *reader, cardan_report *report) CARDAN_MUST_USE;

/* The current record. out: with room for the values */
void cardan__part_case(const cardan__part_reader *reader, cardan__case *out);
void cardan__part_done(cardan__part_reader *reader); // frees its memory
