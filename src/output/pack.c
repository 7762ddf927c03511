// SPDX-License-Identifier: Apache-2.0
#include "output/pack.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/lazy_library.h"

/* Curves of a motion are smooth, their binary numbers are not: the low bits are noise, and deflate
 * sees nothing of the rest between them. So, of each array:
 *   1. numbers as integers in their own order: o = s xor (s < 0 ? all but the sign : 0) of the bits
 *      s of an IEEE number is monotone, and is undone by itself;
 *   2. differences of order 0, 1 or 2 within a series, modulo 2^w, whichever has the least entropy
 *      by bytes: H = -sum_planes sum_b c_b log2(c_b / n);
 *   3. zigzag, z = 2 d or -2 d - 1, so that small ones of both signs have high bytes of zero;
 *   4. bytes by their place: all lowest ones first, then the next.
 * Nothing is lost. O(count); the idea of 4. is the shuffle filter of HDF5. */

#ifdef CARDAN_Z_LIBRARY
#include <zlib.h>

#define CALLS(X) X(deflateInit_) X(deflate) X(deflateEnd)
static struct {
#define FIELD(name) __typeof__(name) *name##_at;
  CALLS(FIELD)
#undef FIELD
} zlib;

bool cardan__pack_ready(void)
{
#define ENTRY(name) {#name, &zlib.name##_at},
  static const cardan_lazy_library_symbol symbol[] = {CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_Z_LIBRARY, symbol, sizeof symbol / sizeof symbol[0],
                                  NULL) == CARDAN_OK;
}

static void *take_memory(void *alloc, uInt items, uInt size)
{
  return cardan__resize(alloc, NULL, (size_t)items * size);
}

static void give_back(void *alloc, void *memory)
{
  cardan__resize(alloc, memory, 0);
}

/* What is deflated goes out by pieces of a multiple of three bytes, so that base64 has no padding
 * between them. */
enum { PIECE = 3 << 14, INPUT = 1 << 30 };

/* One piece: as much as fits of what remains of the input. returns false after the last */
static bool deflate_piece(z_stream *z, const char *end, unsigned char *piece, cardan__text *text)
{
  z->next_out = piece;
  z->avail_out = PIECE;
  int code = Z_OK;
  while (z->avail_out > 0 && code == Z_OK) {
    const size_t left = (size_t)(end - (const char *)z->next_in);
    z->avail_in = left < INPUT ? (uInt)left : INPUT;
    code = (*zlib.deflate_at)(z, left <= INPUT ? Z_FINISH : Z_NO_FLUSH);
  }
  cardan__pack_base64(text, piece, PIECE - z->avail_out);
  text->failed = text->failed || (code != Z_OK && code != Z_STREAM_END);
  return code == Z_OK && !text->failed;
}

void cardan__pack(cardan__text *text, const char *bytes, size_t length)
{
  z_stream z = {.zalloc = take_memory, .zfree = give_back, .opaque = &text->alloc};
  unsigned char *piece = cardan__resize(&text->alloc, NULL, PIECE);
  const bool good =
      piece != NULL && (*zlib.deflateInit__at)(&z, 6, ZLIB_VERSION, (int)sizeof z) == Z_OK;
  text->failed = text->failed || !good;
  if (good) {
    z.next_in = (z_const Bytef *)bytes;
    while (deflate_piece(&z, bytes + length, piece, text)) {
    }
    (*zlib.deflateEnd_at)(&z);
  }
  cardan__resize(&text->alloc, piece, 0);
}
#else
bool cardan__pack_ready(void)
{
  return false;
}

void cardan__pack(cardan__text *text, const char *bytes, size_t length)
{
  (void)bytes;
  (void)length;
  text->failed = true;
}
#endif

void cardan__pack_base64(cardan__text *text, const unsigned char *bytes, size_t length)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char out[4];
  for (size_t i = 0; i < length; i += 3) {
    const size_t n = length - i < 3 ? length - i : 3;
    const unsigned bits = (unsigned)bytes[i] << 16 | (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0U) |
                          (n > 2 ? (unsigned)bytes[i + 2] : 0U);
    for (size_t k = 0; k < 4; k++) {
      out[k] = k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    cardan__text_add(text, out, 4);
  }
}

/* ---- arrays ---- */

static uint64_t mask_of(int size)
{
  return size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

static uint64_t read_number(const unsigned char *bytes, int size)
{
  uint64_t value = 0;
  for (int i = 0; i < size; i++) {
    value |= (uint64_t)bytes[i] << (8 * i);
  }
  return value;
}

/* (1) */
static uint64_t in_order(uint64_t bits, const cardan__packing *p)
{
  const uint64_t sign = UINT64_C(1) << (8 * p->size - 1);
  return p->real && (bits & sign) != 0 ? bits ^ (sign - 1) : bits;
}

/* (2), in place. */
static void differ(uint64_t *x, const cardan__packing *p)
{
  for (size_t i = p->count; i-- > (size_t)p->stride;) {
    x[i] = (x[i] - x[i - (size_t)p->stride]) & mask_of(p->size);
  }
}

static void sum_up(uint64_t *x, const cardan__packing *p)
{
  for (size_t i = (size_t)p->stride; i < p->count; i++) {
    x[i] = (x[i] + x[i - (size_t)p->stride]) & mask_of(p->size);
  }
}

/* (3) */
static uint64_t zigzag(uint64_t d, int size)
{
  const bool negative = (d >> (8 * size - 1) & 1) != 0;
  return ((d << 1) ^ (negative ? UINT64_MAX : 0)) & mask_of(size);
}

/* Entropy of the bytes by place [bits]. */
static double entropy(const uint64_t *x, const cardan__packing *p)
{
  double all = 0;
  for (int plane = 0; plane < p->size; plane++) {
    size_t seen[256] = {0};
    for (size_t i = 0; i < p->count; i++) {
      seen[zigzag(x[i], p->size) >> (8 * plane) & 0xff]++;
    }
    for (int b = 0; b < 256; b++) {
      const double c = (double)seen[b];
      all -= c > 0 ? c * log2(c / (double)p->count) : 0;
    }
  }
  return all;
}

/* Leaves differences of the best order in x. */
static void choose_order(uint64_t *x, cardan__packing *p)
{
  enum { MOST = 2 };
  double least = HUGE_VAL;
  for (int order = 0; order <= MOST; order++) {
    const double now = entropy(x, p);
    p->order = now < least ? order : p->order;
    least = fmin(least, now);
    if (order < MOST) {
      differ(x, p);
    }
  }
  for (int order = MOST; order > p->order; order--) {
    sum_up(x, p);
  }
}

void cardan__pack_array(cardan__text *block, cardan__packing *p)
{
  p->order = 0;
  p->count = block->failed ? 0 : (block->length - p->at) / (size_t)p->size;
  if (p->count == 0) {
    return;
  }
  uint64_t *x = cardan__resize(&block->alloc, NULL, p->count * sizeof *x);
  if (x == NULL) {
    block->failed = true;
    return;
  }
  unsigned char *bytes = (unsigned char *)block->data + p->at;
  for (size_t i = 0; i < p->count; i++) {
    x[i] = in_order(read_number(bytes + i * (size_t)p->size, p->size), p);
  }
  choose_order(x, p);
  for (size_t i = 0; i < p->count; i++) {
    const uint64_t z = zigzag(x[i], p->size);
    for (int plane = 0; plane < p->size; plane++) {
      bytes[(size_t)plane * p->count + i] = (unsigned char)(z >> (8 * plane) & 0xff);
    }
  }
  cardan__resize(&block->alloc, x, 0);
}
