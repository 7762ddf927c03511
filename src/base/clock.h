/* SPDX-License-Identifier: Apache-2.0
 * base/clock.h - how long something took. */
#pragma once

/* Seconds from some moment on, never back. */
double cardan__seconds(void);

/* The same to some milliseconds, and cheaper: requested at every row of a table. */
double cardan__seconds_about(void);
