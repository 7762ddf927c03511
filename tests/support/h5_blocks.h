/* SPDX-License-Identifier: Apache-2.0
 * h5_blocks.h - the headers of an HDF5 file, so that one can be changed and yet pass HDF5's check.
 *
 * Each block of the newest format has a signature of four letters at its begin and a check number
 * at its end. Where it ends is found by trying: which length has the number that follows it? */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t at, length; // the check number is behind
} h5_block;

/* The blocks of a file as it was written, up to `most`, the superblock first. returns how many */
int h5_blocks_find(const uint8_t *bytes, size_t size, h5_block *block, int most);

/* Gives each of them the check number of what is there now. */
void h5_blocks_mend(uint8_t *bytes, size_t size, const h5_block *block, int n);
