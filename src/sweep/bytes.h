/* SPDX-License-Identifier: Apache-2.0
 * sweep/bytes.h - records of a journal as bytes (sweep/journal.h has their layout). */
#pragma once
#include "sweep/cases.h"

enum { CARDAN__HEADER_SIZE = 24, CARDAN__RECORD_LEAST = 28 };

/* CRC-32C of bytes; crc: of those before them, 0 at first. */
uint32_t cardan__crc32c(uint32_t crc, const unsigned char *bytes, size_t n);

/* Bytes of a record with so many values and bytes of a message. */
size_t cardan__record_size(int nvalue, size_t message);

/* Writes a header or a record. returns its size */
size_t cardan__header_put(unsigned char *to, uint64_t digest, int nvalue);
size_t cardan__record_put(unsigned char *to, const cardan__case *one, int nvalue);

/* Is it a whole header? digest, nvalue: out */
bool cardan__header_get(const unsigned char *from, uint64_t *digest, int *nvalue);

/* The size that a record says it has, from its first 8 bytes; 0: it is none with so many values. */
size_t cardan__record_claim(const unsigned char *from, int nvalue);
/* Its number; -1: its checksum is wrong, or what is in it cannot be. */
int64_t cardan__record_number(const unsigned char *from, size_t size, int nvalue);
/* What is in it. out: with room for the values */
void cardan__record_get(const unsigned char *from, int nvalue, cardan__case *out);
