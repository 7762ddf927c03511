/* SPDX-License-Identifier: Apache-2.0
 * output/digits.h - doubles as text, fast: tables hold millions of them. */
#pragma once
#include <stddef.h>

/* Room that a number needs while it is written: copies of a fixed size go behind its end. */
enum { CARDAN__ROOM_17 = 40 };

/* Writes value with 17 significant digits, exactly as cardan__format_number(buffer, value, 17)
 * does, several times faster for sizes from 1e-37 to 1e16.
 * buffer  out: at least CARDAN__ROOM_17 bytes, NUL-terminated
 * returns the length of the text */
size_t cardan__format_17(char *buffer, double value);
