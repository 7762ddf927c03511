/* SPDX-License-Identifier: Apache-2.0
 * output/print_double.h - doubles as text, fast: tables hold millions of them. */
#pragma once
#include <stddef.h>

/* Room that a number needs while it is written, since copies of a fixed size go behind its end; and
 * most numbers of a call. */
enum { CARDAN__ROOM_17 = 40, CARDAN__MOST_17 = 8 };

/* Writes values with 17 significant digits, each as cardan__format_number(buffer, value, 17)
 * does, several times faster for sizes from 1e-37 to 1e16, and a comma behind each.
 * buffer  out: at least count CARDAN__ROOM_17 bytes
 * count   at most CARDAN__MOST_17
 * returns the length of the text */
size_t cardan__format_17(char *buffer, const double *value, int count);
