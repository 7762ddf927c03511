/* SPDX-License-Identifier: Apache-2.0
 * base/inline.h - what compilers are told about the size of functions, for the sake of
 * registers. */
#pragma once

/* INLINE  inlined whatever its size: a call would pass its structs through memory
 * APART   not inlined: a case that is rare, and would take registers from the one that is not */
#if defined(__GNUC__)
#define CARDAN__INLINE static inline __attribute__((always_inline))
#define CARDAN__APART __attribute__((noinline))
#else
#define CARDAN__INLINE static inline
#define CARDAN__APART
#endif
