// SPDX-License-Identifier: Apache-2.0
// Whole motions of Johnson and Murphey's section VI.
#include "svi.h"
void bench_closed(void){}
void bench_scissor(void){}
void bench_survive(void){}
void bench_energy(void){}
