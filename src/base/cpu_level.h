/* SPDX-License-Identifier: Apache-2.0
 * base/cpu_level.h - the level of the processor's instruction set.
 *
 * The levels are those of the x86-64 psABI: 1 is every x86-64 processor, 3 has AVX2 and FMA, 4 has
 * AVX-512 (F, BW, CD, DQ, VL); 2 is not distinguished from 1. The loader selects a package's shared
 * library by the same rule (cmake/CardanLevels.cmake), and a rollout its number of lanes
 * (batch/lanes). */
#pragma once

/* The level of the processor that this runs on; 0: it is not x86-64. */
int cardan__cpu_level(void);
