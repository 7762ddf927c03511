/* SPDX-License-Identifier: Apache-2.0
 * cpu_needs.h - instructions that a build for one processor may have in it (CARDAN_NATIVE). */
#pragma once

/* X(macro of the compiler, name of the processor's feature) */
#define CPU_FEATURES(X)               \
  X(__SSE4_2__, "sse4.2")             \
  X(__POPCNT__, "popcnt")             \
  X(__AVX__, "avx")                   \
  X(__AVX2__, "avx2")                 \
  X(__FMA__, "fma")                   \
  X(__BMI__, "bmi")                   \
  X(__BMI2__, "bmi2")                 \
  X(__AVX512F__, "avx512f")           \
  X(__AVX512CD__, "avx512cd")         \
  X(__AVX512BW__, "avx512bw")         \
  X(__AVX512DQ__, "avx512dq")         \
  X(__AVX512VL__, "avx512vl")         \
  X(__AVX512IFMA__, "avx512ifma")     \
  X(__AVX512VBMI__, "avx512vbmi")     \
  X(__AVX512VNNI__, "avx512vnni")     \
  X(__AVX512VBMI2__, "avx512vbmi2")   \
  X(__AVX512BITALG__, "avx512bitalg") \
  X(__AVX512VPOPCNTDQ__, "avx512vpopcntdq")

/* In the same order: does the build have them? */
extern const unsigned char cpu_needs[];
