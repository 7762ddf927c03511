// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"

#include <stdbool.h>

#include "cardan/base.h"

const char *cardan_cpu_level(void)
{
#if !defined __x86_64__
  return "plain";
#elif defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512CD__ && \
    defined __AVX512DQ__ && defined __AVX512VL__
  return "x86-64-v4";
#elif defined __AVX2__ && defined __FMA__ && defined __BMI__ && defined __BMI2__
  return "x86-64-v3";
#else
  return "x86-64";
#endif
}

int cardan__cpu_level(void)
{
#if !defined __x86_64__
  return 0;
#else
  __builtin_cpu_init();
  const bool level3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool level4 = level3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return level4 ? 4 : level3 ? 3 : 1;
#endif
}
