// SPDX-License-Identifier: Apache-2.0
#include "gif.h"

#include <stdlib.h>
#include <string.h>

/* GIF 89a: one palette for all frames, each frame compressed by LZW with codes of 9 to 12 bits.
 * [1] Graphics Interchange Format, version 89a, CompuServe 1990, appendix F. */

enum {
  COLORS = 256,
  BINS = 1 << 15, // of colours, 5 bits for red, green and blue each
  CODES = 4096,
  CLEAR = 256,
  END = 257
};

typedef struct {
  uint32_t count, sum[3];
} color_bin;

struct cli_gif {
  int width, height, delay;
  bool begun, failed;
  unsigned char *bytes;
  size_t size, room;
  color_bin *bin; // BINS: colours of the samples
  unsigned char palette[3 * COLORS];
  int16_t *nearest; // BINS: the palette's entry, -1: not looked for yet
  int16_t *next;    // CODES x 256: the code of a string and a byte behind it, 0: none
  unsigned char block[255];
  int nblock, nbit;
  uint32_t held; // bits that fill no byte yet
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
  gif->next = malloc((size_t)CODES * 256 * sizeof *gif->next);
  if (!gif->bin || !gif->nearest || !gif->next) {
    cli_gif_destroy(gif);
    return NULL;
  }
  return gif;
}

void cli_gif_destroy(cli_gif *gif)
{
  if (gif) {
    free(gif->bytes);
    free(gif->bin);
    free(gif->nearest);
    free(gif->next);
    free(gif);
  }
}

static void put(cli_gif *gif, const void *bytes, size_t n)
{
  if (gif->size + n > gif->room && !gif->failed) {
    const size_t room = 2 * gif->room + n + 4096;
    unsigned char *more = realloc(gif->bytes, room);
    gif->failed = more == NULL;
    gif->bytes = more ? more : gif->bytes;
    gif->room = more ? room : gif->room;
  }
  if (!gif->failed) {
    memcpy(gif->bytes + gif->size, bytes, n);
    gif->size += n;
  }
}

static void put_byte(cli_gif *gif, int value)
{
  const unsigned char byte = (unsigned char)value;
  put(gif, &byte, 1);
}

static void put_short(cli_gif *gif, int value)
{
  put_byte(gif, value & 255);
  put_byte(gif, value >> 8);
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
    for (int c = 0; c < 3 && best->count > 0; c++) {
      gif->palette[3 * k + c] = (unsigned char)(best->sum[c] / best->count);
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
    const long r = (long)(pixel >> 16 & 255) - gif->palette[3 * k],
               g = (long)(pixel >> 8 & 255) - gif->palette[3 * k + 1],
               b = (long)(pixel & 255) - gif->palette[3 * k + 2];
    const long d = 3 * r * r + 4 * g * g + 2 * b * b; // as eyes have it, roughly
    if (best < 0 || d < best) {
      best = d;
      *known = (int16_t)k;
    }
  }
  return *known;
}

static void begin(cli_gif *gif)
{
  gif->begun = true;
  choose_palette(gif);
  memset(gif->nearest, -1, BINS * sizeof *gif->nearest);
  put(gif, "GIF89a", 6);
  put_short(gif, gif->width);
  put_short(gif, gif->height);
  put(gif, "\xf7\0\0", 3); // a palette of 256 colours of 8 bits
  put(gif, gif->palette, sizeof gif->palette);
  put(gif, "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19); // for ever
}

static void flush(cli_gif *gif)
{
  put_byte(gif, gif->nblock);
  put(gif, gif->block, (size_t)gif->nblock);
  gif->nblock = 0;
}

static void put_code(cli_gif *gif, int code, int bits)
{
  gif->held |= (uint32_t)code << gif->nbit;
  for (gif->nbit += bits; gif->nbit >= 8; gif->nbit -= 8) {
    gif->block[gif->nblock++] = (unsigned char)(gif->held & 255);
    gif->held >>= 8;
    if (gif->nblock == (int)sizeof gif->block) {
      flush(gif);
    }
  }
}

/* LZW of [1]: the longest string that is known goes out as its code, and with the byte behind it
 * becomes known, until all codes are taken. */
static void compress(cli_gif *gif, const unsigned char *pixel, size_t n)
{
  const size_t table = (size_t)CODES * 256 * sizeof *gif->next;
  int bits = 9, codes = END + 1, string = pixel[0];
  memset(gif->next, 0, table);
  gif->held = 0;
  gif->nbit = gif->nblock = 0;
  put_byte(gif, 8);
  put_code(gif, CLEAR, bits);
  for (size_t i = 1; i < n; i++) {
    int16_t *longer = &gif->next[(size_t)string * 256 + pixel[i]];
    if (*longer > 0) {
      string = *longer;
      continue;
    }
    put_code(gif, string, bits);
    string = pixel[i];
    if (codes == CODES) {
      put_code(gif, CLEAR, bits);
      memset(gif->next, 0, table);
      bits = 9;
      codes = END + 1;
    } else {
      bits += codes == 1 << bits ? 1 : 0;
      *longer = (int16_t)codes++;
    }
  }
  put_code(gif, string, bits);
  put_code(gif, END, bits);
  put_code(gif, 0, gif->nbit > 0 ? 8 - gif->nbit : 0); // the last byte is filled
  if (gif->nblock > 0) {
    flush(gif);
  }
  put_byte(gif, 0);
}

void cli_gif_add(cli_gif *gif, const uint32_t *pixels, int stride)
{
  const size_t n = (size_t)gif->width * (size_t)gif->height;
  unsigned char *pixel = malloc(n);
  if (!pixel) {
    gif->failed = true;
    return;
  }
  if (!gif->begun) {
    begin(gif);
  }
  for (size_t i = 0; i < n; i++) {
    const size_t row = i / (size_t)gif->width, column = i % (size_t)gif->width;
    pixel[i] = (unsigned char)color_of(gif, pixels[row * (size_t)stride + column]);
  }
  put(gif, "\x21\xf9\x04\x04", 4);
  put_short(gif, gif->delay);
  put(gif, "\0\0\x2c\0\0\0\0", 7);
  put_short(gif, gif->width);
  put_short(gif, gif->height);
  put_byte(gif, 0);
  compress(gif, pixel, n);
  free(pixel);
}

bool cli_gif_finish(cli_gif *gif, const unsigned char **bytes, size_t *size)
{
  put_byte(gif, 0x3b);
  *bytes = gif->bytes;
  *size = gif->size;
  return !gif->failed;
}
