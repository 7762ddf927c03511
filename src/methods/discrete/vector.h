/* SPDX-License-Identifier: Apache-2.0
 * discrete/vector.h - numbers side by side, for loops that the compiler would otherwise take one by
 * one. Vector types of gcc and clang: +, -, * act on each entry, and a number counts for all of
 * them. On a processor without registers of that width the compiler makes them of smaller ones.
 * Pass by pointer. */
#pragma once

typedef double cardan__vec4 __attribute__((vector_size(32)));
typedef double cardan__vec8 __attribute__((vector_size(64)));

typedef long long cardan__mask4 __attribute__((vector_size(32)));

/* |x| */
static inline void cardan__abs4(cardan__vec4 *x)
{
  *x = (cardan__vec4)((cardan__mask4)*x & 0x7fffffffffffffffLL);
}

/* most = x where that is larger. */
static inline void cardan__larger4(const cardan__vec4 *x, cardan__vec4 *most)
{
  const cardan__mask4 more = *x > *most;
  *most = (cardan__vec4)((more & (cardan__mask4)*x) | (~more & (cardan__mask4)*most));
}

/* A row of 12 numbers. */
typedef union {
  cardan__vec4 v[3];
  double x[12];
} cardan__row12;

/* 4 x 4 numbers transposed: 4 vectors, so many vectors apart. */
static inline void cardan__transpose4(const cardan__vec4 *in, int in_stride, cardan__vec4 *out,
                                      int stride)
{
  const cardan__vec4 a = in[0], b = in[in_stride], c = in[2 * in_stride], d = in[3 * in_stride];
  const cardan__vec4 t0 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const cardan__vec4 t1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const cardan__vec4 t2 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const cardan__vec4 t3 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  out[stride] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  out[2 * stride] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  out[3 * stride] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}
