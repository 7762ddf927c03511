// SPDX-License-Identifier: Apache-2.0
#include "gif.h"

/* A build without cairo, which draws the frames, or without giflib. */

cardan_status cli_gif_ready(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "this build has no films: it was made without giflib");
}

cli_gif *cli_gif_create(int width, int height, int delay)
{
  (void)width;
  (void)height;
  (void)delay;
  return NULL;
}

void cli_gif_destroy(cli_gif *gif)
{
  (void)gif;
}

void cli_gif_sample(cli_gif *gif, const uint32_t *pixels, int stride)
{
  (void)gif;
  (void)pixels;
  (void)stride;
}

void cli_gif_add(cli_gif *gif, const uint32_t *pixels, int stride)
{
  (void)gif;
  (void)pixels;
  (void)stride;
}

bool cli_gif_finish(cli_gif *gif, const unsigned char **bytes, size_t *size)
{
  (void)gif;
  (void)bytes;
  (void)size;
  return false;
}
