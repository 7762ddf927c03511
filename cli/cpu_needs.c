// SPDX-License-Identifier: Apache-2.0
#include "cpu_needs.h"

/* Compiled as all the rest is: numbers, and no code. A macro that is defined is 1, one that is not
 * stays its name, which is longer. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define NEEDS(macro, name) sizeof TEXT(macro) == sizeof "1",

const unsigned char cpu_needs[] = {CPU_FEATURES(NEEDS) 0};
