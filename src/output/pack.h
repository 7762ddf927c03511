/* SPDX-License-Identifier: Apache-2.0
 * output/pack.h - the data of a page made small: arrays of numbers side by side in a block of
 * bytes, and bytes deflated (RFC 1950) and written in base64. viewer/src/pack.ts is the other side.
 */
#pragma once
#include <stdint.h>

#include "base/text.h"

/* Can bytes be deflated here? It needs zlib, which is loaded when this is first asked. */
bool cardan__pack_ready(void);

/* Appends length bytes to a text, deflated, in base64. A failure of memory sticks in the text.
 * needs cardan__pack_ready */
void cardan__pack(cardan__text *text, const char *bytes, size_t length);

/* Appends bytes in base64 (RFC 4648). */
void cardan__pack_base64(cardan__text *text, const unsigned char *bytes, size_t length);

/* How an array lies in a block. */
typedef struct {
  int size;   // bytes of a number: 2, 4 or 8
  bool real;  // it is an IEEE number, else an unsigned integer
  int stride; // numbers of one series are so far apart, at least 1
  int order;  // of the differences
  size_t at, count;
} cardan__packing;

/* Orders the bytes of an array in a block again, from p->at to the block's end, so that they
 * deflate well; fills in order and count. A failure of memory sticks in the block. */
void cardan__pack_array(cardan__text *block, cardan__packing *p);
