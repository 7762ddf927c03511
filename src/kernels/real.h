/* SPDX-License-Identifier: Apache-2.0
 * kernels/real.h - a number of each of several copies: what kernels compute with.
 *
 * CARDAN__WIDTH, which a file sets before it includes this, is how many: 1 (a double), 4 or 8 (a
 * vector register). Kernels are written once, over `real`, and compiled for each width. Nothing
 * here mixes lanes: what one holds, NaN or not, the others do not see.
 *
 * Every width gives the same bits. No compiler may contract (-ffp-contract=off); where a product
 * and a sum are to be rounded once, madd, msub and nmadd are used. Division and square root round
 * correctly, sincos is our own. In the deterministic build, and on processors that do not have it,
 * these round twice: CARDAN__FUSED is 0 there. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#if CARDAN__WIDTH > 1
typedef double real __attribute__((vector_size(8 * CARDAN__WIDTH)));
typedef int64_t mask __attribute__((vector_size(8 * CARDAN__WIDTH)));
typedef uint64_t unsigned_mask __attribute__((vector_size(8 * CARDAN__WIDTH)));
#include <immintrin.h>
#else
typedef double real;
typedef int64_t mask;
typedef uint64_t unsigned_mask;
#endif

#if defined CARDAN_DETERMINISTIC || !(defined __FMA__ || defined __FP_FAST_FMA)
#define CARDAN__FUSED 0
#else
#define CARDAN__FUSED 1
#endif

/* A function that everything it calls becomes a part of: calls would pass registers through
 * memory. Not in builds that are for checks: it takes compilers long. */
#ifdef CARDAN__LANES_APART
#define CARDAN__WHOLE static __attribute__((noinline))
#else
#define CARDAN__WHOLE static __attribute__((flatten, noinline))
#endif

/* A shared number for each copy. */
static inline real real_of(double x)
{
#if CARDAN__WIDTH == 8
  return _mm512_set1_pd(x);
#elif CARDAN__WIDTH == 4
  return _mm256_set1_pd(x);
#else
  return x;
#endif
}

/* a b + c, a b - c, c - a b */
static inline real madd(real a, real b, real c)
{
#if !CARDAN__FUSED
  return a * b + c;
#elif CARDAN__WIDTH == 8
  return _mm512_fmadd_pd(a, b, c);
#elif CARDAN__WIDTH == 4
  return _mm256_fmadd_pd(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

static inline real msub(real a, real b, real c)
{
#if !CARDAN__FUSED
  return a * b - c;
#elif CARDAN__WIDTH == 8
  return _mm512_fmsub_pd(a, b, c);
#elif CARDAN__WIDTH == 4
  return _mm256_fmsub_pd(a, b, c);
#else
  return __builtin_fma(a, b, -c);
#endif
}

static inline real nmadd(real a, real b, real c)
{
#if !CARDAN__FUSED
  return c - a * b;
#elif CARDAN__WIDTH == 8
  return _mm512_fnmadd_pd(a, b, c);
#elif CARDAN__WIDTH == 4
  return _mm256_fnmadd_pd(a, b, c);
#else
  return __builtin_fma(-a, b, c);
#endif
}

static inline real root(real a)
{
#if CARDAN__WIDTH == 8
  return _mm512_sqrt_pd(a);
#elif CARDAN__WIDTH == 4
  return _mm256_sqrt_pd(a);
#else
  return sqrt(a);
#endif
}

/* ---- masks: all bits of a lane, or none ---- */

/* The bits of a number, and back. */
static inline mask bits_of(real a)
{
  mask m;
  memcpy(&m, &a, sizeof m);
  return m;
}

static inline real of_bits(mask m)
{
  real a;
  memcpy(&a, &m, sizeof a);
  return a;
}

static inline mask mask_of(int64_t m)
{
#if CARDAN__WIDTH == 1
  return m;
#else
  return m - (mask){0};
#endif
}

/* a < b, a <= b; false where one is not a number. */
static inline mask is_less(real a, real b)
{
#if CARDAN__WIDTH == 1
  return -(int64_t)(a < b);
#else
  return a < b;
#endif
}

static inline mask is_most(real a, real b)
{
#if CARDAN__WIDTH == 1
  return -(int64_t)(a <= b);
#else
  return a <= b;
#endif
}

/* a where the mask is, b elsewhere. */
static inline real choose(mask m, real a, real b)
{
  return of_bits((bits_of(a) & m) | (bits_of(b) & ~m));
}

static inline real magnitude(real a)
{
  return of_bits(bits_of(a) & mask_of(INT64_MAX));
}

/* The larger, the smaller; b where one is not a number. */
static inline real larger(real a, real b)
{
#if CARDAN__WIDTH == 8
  return _mm512_max_pd(a, b);
#elif CARDAN__WIDTH == 4
  return _mm256_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

static inline real smaller(real a, real b)
{
#if CARDAN__WIDTH == 8
  return _mm512_min_pd(a, b);
#elif CARDAN__WIDTH == 4
  return _mm256_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}

/* Is any lane's mask set? For what all copies may skip together, never for what one does. */
static inline int any(mask m)
{
#if CARDAN__WIDTH == 8
  return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
#elif CARDAN__WIDTH == 4
  return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#else
  return m != 0;
#endif
}

/* Bit 1 to the place of the sign. */
static inline mask to_sign(mask m)
{
  return (mask)((unsigned_mask)m << 62);
}

/* ---- cosine and sine ---- */

/* c = cos x, s = sin x, by the reduction of spatial/sincos.c; sin r = r + r^3 S(r^2) and
 * cos r = 1 - r^2/2 + r^4 C(r^2) with the polynomials of degree 5 whose largest error for
 * |r| <= pi/4 is least (Remez's exchange): 1.6e-18 and 4.7e-20. Within 1 ulp of 1. Angles beyond
 * 2^20 quarter turns, and what is not finite: the mask that comes back is set, and c and s are not
 * to be used. */
static inline mask cos_sin(real x, real *c, real *s)
{
  // x = k pi/2 + r; k is in the last bits of t
  const real shift = real_of(0x1.8p52), t = madd(x, real_of(0x1.45f306dc9c883p-1), shift);
  const real k = t - shift;
  const real r = nmadd(k, real_of(0x1.3198a2e037073p-69),
                       nmadd(k, real_of(0x1.0b4611a6p-34), nmadd(k, real_of(0x1.921fb544p+0), x)));
  const real z = r * r;
  real S = real_of(0x1.5d64b1117c27bp-33), C = real_of(-0x1.8faeb5e62d87cp-37);
  S = madd(S, z, real_of(-0x1.ae5db422f6812p-26));
  S = madd(S, z, real_of(0x1.71de3474f2e81p-19));
  S = madd(S, z, real_of(-0x1.a01a019ab422cp-13));
  S = madd(S, z, real_of(0x1.111111110eb1ap-7));
  S = madd(S, z, real_of(-0x1.555555555553dp-3));
  C = madd(C, z, real_of(0x1.1ee9ec18930d1p-29));
  C = madd(C, z, real_of(-0x1.27e4f80a33adap-22));
  C = madd(C, z, real_of(0x1.a01a019cb2169p-16));
  C = madd(C, z, real_of(-0x1.6c16c16c15181p-10));
  C = madd(C, z, real_of(0x1.555555555554cp-5));
  const real sin_r = madd(r * z, S, r);
  const real half = real_of(0.5) * z, w = real_of(1) - half;
  const real cos_r = w + madd(z * z, C, (real_of(1) - w) - half);
  const mask n = bits_of(t), odd = -(n & mask_of(1));
  const mask sin_sign = to_sign(n & mask_of(2)), cos_sign = to_sign((n + mask_of(1)) & mask_of(2));
  *s = of_bits(bits_of(choose(odd, cos_r, sin_r)) ^ sin_sign);
  *c = of_bits(bits_of(choose(odd, sin_r, cos_r)) ^ cos_sign);
  return ~is_most(magnitude(k), real_of(0x1p20));
}
