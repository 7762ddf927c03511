/* SPDX-License-Identifier: Apache-2.0
 * gif.h - pictures that move, as GIF 89a, in memory. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cardan/base.h"

typedef struct cli_gif cli_gif;

/* Before any other call here, and before the run that a film is of.
 * returns CARDAN_OK, or a failure and why there are no films: a build without giflib, say */
CARDAN_MUST_USE cardan_status cli_gif_ready(cardan_report *report);

/* A film of so many pixels, each frame shown for delay hundredths of a second, again and again.
 * NULL: memory is short */
cli_gif *cli_gif_create(int width, int height, int delay);
void cli_gif_destroy(cli_gif *gif);

/* Before the first frame: colours of a frame that is typical, 0x00RRGGBB, stride of them a row. The
 * film has the 256 that are most frequent in all that are given. */
void cli_gif_sample(cli_gif *gif, const uint32_t *pixels, int stride);

/* The next frame; each pixel gets the nearest of the film's colours. */
void cli_gif_add(cli_gif *gif, const uint32_t *pixels, int stride);

/* The whole film, which stays the gif's. false: memory was short */
bool cli_gif_finish(cli_gif *gif, const unsigned char **bytes, size_t *size);
