/* SPDX-License-Identifier: Apache-2.0
 * base/inline.h - attributes that decide whether functions are inlined, for the sake of
 * registers. */
#pragma once

/* INLINE    inlined whatever its size: a call would pass its structs through memory
 * NOINLINE  not inlined: a rare case that would take registers from the common one */
#if defined(__GNUC__)
#define CARDAN__INLINE static inline __attribute__((always_inline))
#define CARDAN__NOINLINE __attribute__((noinline))
#else
#define CARDAN__INLINE static inline
#define CARDAN__NOINLINE
#endif
