/* SPDX-License-Identifier: Apache-2.0
 * base/cpu_level.h - which instructions there are, in steps that all makers of processors keep to.
 *
 * The levels of the x86-64 psABI: 1 every processor of the kind, 3 with AVX2 and FMA, 4 with
 * AVX-512 (F, BW, CD, DQ, VL); 2 makes no difference here. By the same rule the loader chooses
 * among the shared libraries of a package (cmake/CardanLevels.cmake) and a rollout how many lanes
 * it has (batch/lanes). */
#pragma once

/* The level of the processor that this runs on; 0: it is of another kind. */
int cardan__cpu_level(void);
