// SPDX-License-Identifier: Apache-2.0
#include "gif.h"

#include <stdlib.h>
#include <string.h>

#include "gif_library.h"

/* GIF 89a by giflib, with one palette for all frames. The palette is chosen here: giflib's own
 * GifQuantizeBuffer makes white grey (docs/decisions/2026-11-17-gif.md). */

enum {
  COLORS = 256,
  BINS = 1 << 15 // of colours, 5 bits for red, green and blue each
};

typedef struct {
  uint32_t count, sum[3];
} color_bin;

struct cli_gif {
  int width, height, delay;
  bool failed;
  unsigned char *bytes;
  size_t size, room;
  color_bin *bin; // BINS: colours of the samples
  GifColorType palette[COLORS];
  int16_t *nearest;   // BINS: the palette's entry, -1: not looked for yet
  GifFileType *file;  // NULL before the first frame, and at the end
  GifPixelType *line; // width
};

cli_gif *cli_gif_create(int width, int height, int delay)
{
  cli_gif *gif = calloc(1, sizeof *gif);
  if (!gif) {
    return NULL;
  }
  gif->width = width;
  gif->height = height;
  gif->delay = delay;
  gif->bin = calloc(BINS, sizeof *gif->bin);
  gif->nearest = malloc(BINS * sizeof *gif->nearest);
  gif->line = malloc((size_t)width * sizeof *gif->line);
  if (!gif->bin || !gif->nearest || !gif->line) {
    cli_gif_destroy(gif);
    return NULL;
  }
  return gif;
}

/* The end of the file is written, and giflib's part of it given back. */
static void close_file(cli_gif *gif)
{
  if (gif->file != NULL) {
    const bool closed = EGifCloseFile(gif->file, NULL) == GIF_OK;
    gif->failed = gif->failed || !closed;
    gif->file = NULL;
  }
}

void cli_gif_destroy(cli_gif *gif)
{
  if (gif) {
    close_file(gif);
    free(gif->bytes);
    free(gif->bin);
    free(gif->nearest);
    free(gif->line);
    free(gif);
  }
}

/* What giflib writes. returns how many bytes were taken: n, or 0 where memory is short */
static int take(GifFileType *file, const GifByteType *bytes, int n)
{
  cli_gif *gif = file->UserData;
  if (gif->size + (size_t)n > gif->room) {
    const size_t room = 2 * gif->room + (size_t)n + 4096;
    unsigned char *more = realloc(gif->bytes, room);
    if (!more) {
      gif->failed = true; // giflib does not check everything that it writes
      return 0;
    }
    gif->bytes = more;
    gif->room = room;
  }
  memcpy(gif->bytes + gif->size, bytes, (size_t)n);
  gif->size += (size_t)n;
  return n;
}

static int bin_of(uint32_t pixel)
{
  return (int)((pixel >> 19 & 31) << 10 | (pixel >> 11 & 31) << 5 | (pixel >> 3 & 31));
}

void cli_gif_sample(cli_gif *gif, const uint32_t *pixels, int stride)
{
  for (int y = 0; y < gif->height; y++) {
    for (int x = 0; x < gif->width; x++) {
      const uint32_t p = pixels[(size_t)y * (size_t)stride + (size_t)x];
      color_bin *bin = &gif->bin[bin_of(p)];
      if (bin->count < 1 << 23) { // sums fit 32 bits
        bin->count++;
        bin->sum[0] += p >> 16 & 255;
        bin->sum[1] += p >> 8 & 255;
        bin->sum[2] += p & 255;
      }
    }
  }
}

/* The most frequent colours, each the mean of its bin. */
static void choose_palette(cli_gif *gif)
{
  for (int k = 0; k < COLORS; k++) {
    color_bin *best = &gif->bin[0];
    for (int i = 1; i < BINS; i++) {
      best = gif->bin[i].count > best->count ? &gif->bin[i] : best;
    }
    if (best->count > 0) {
      gif->palette[k] = (GifColorType){.Red = (GifByteType)(best->sum[0] / best->count),
                                       .Green = (GifByteType)(best->sum[1] / best->count),
                                       .Blue = (GifByteType)(best->sum[2] / best->count)};
    }
    best->count = 0;
  }
}

static int color_of(cli_gif *gif, uint32_t pixel)
{
  int16_t *known = &gif->nearest[bin_of(pixel)];
  if (*known >= 0) {
    return *known;
  }
  long best = -1;
  for (int k = 0; k < COLORS; k++) {
    const long r = (long)(pixel >> 16 & 255) - gif->palette[k].Red,
               g = (long)(pixel >> 8 & 255) - gif->palette[k].Green,
               b = (long)(pixel & 255) - gif->palette[k].Blue;
    const long d = 3 * r * r + 4 * g * g + 2 * b * b; // as eyes have it, roughly
    if (best < 0 || d < best) {
      best = d;
      *known = (int16_t)k;
    }
  }
  return *known;
}

/* The head of the file: its palette, and that it goes round for ever. */
static bool put_head(cli_gif *gif)
{
  ColorMapObject *map = GifMakeMapObject(COLORS, gif->palette);
  gif->file = map ? EGifOpen(gif, take, NULL) : NULL;
  bool good = gif->file != NULL;
  if (good) {
    EGifSetGifVersion(gif->file, true);
    good = EGifPutScreenDesc(gif->file, gif->width, gif->height, 8, 0, map) == GIF_OK &&
           EGifPutExtensionLeader(gif->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif->file, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif->file, 3, "\x01\0\0") == GIF_OK &&
           EGifPutExtensionTrailer(gif->file) == GIF_OK;
  }
  if (map) {
    GifFreeMapObject(map);
  }
  return good;
}

static bool begin(cli_gif *gif)
{
  choose_palette(gif);
  memset(gif->nearest, -1, BINS * sizeof *gif->nearest);
  return put_head(gif);
}

static bool put_frame(cli_gif *gif, const uint32_t *pixels, int stride)
{
  const GraphicsControlBlock shown = {.DisposalMode = DISPOSE_DO_NOT,
                                      .DelayTime = gif->delay,
                                      .TransparentColor = NO_TRANSPARENT_COLOR};
  GifByteType block[4];
  EGifGCBToExtension(&shown, block);
  bool good = EGifPutExtension(gif->file, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) == GIF_OK &&
              EGifPutImageDesc(gif->file, 0, 0, gif->width, gif->height, false, NULL) == GIF_OK;
  for (int y = 0; y < gif->height && good; y++) {
    for (int x = 0; x < gif->width; x++) {
      gif->line[x] = (GifPixelType)color_of(gif, pixels[(size_t)y * (size_t)stride + (size_t)x]);
    }
    good = EGifPutLine(gif->file, gif->line, gif->width) == GIF_OK;
  }
  return good;
}

void cli_gif_add(cli_gif *gif, const uint32_t *pixels, int stride)
{
  if (!gif->failed && ((gif->file == NULL && !begin(gif)) || !put_frame(gif, pixels, stride))) {
    gif->failed = true;
  }
}

bool cli_gif_finish(cli_gif *gif, const unsigned char **bytes, size_t *size)
{
  close_file(gif);
  *bytes = gif->bytes;
  *size = gif->size;
  return !gif->failed;
}
