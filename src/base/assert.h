/* SPDX-License-Identifier: Apache-2.0
 * base/assert.h - CARDAN_ASSERT: checks of the programmer, not of the user.
 *
 * For what can only be a mistake in the calling code: a NULL that the contract forbids, an index
 * that no model can hold. What a file, an option or a number can cause returns a status instead.
 * On where the build sets CARDAN_ASSERTS=1 (presets dev, asan, tsan, coverage): a failure stops the
 * program at a trap, with the condition and its place in the debugger's top frame. Off elsewhere:
 * the condition is compiled but never evaluated, so it must have no side effect. */
#pragma once

#if defined(CARDAN_ASSERTS) && CARDAN_ASSERTS
#define CARDAN_ASSERT(condition) \
  ((condition) ? (void)0 : cardan__assert_failed(#condition, __FILE__, __LINE__))
#else
#define CARDAN_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* Where a failed CARDAN_ASSERT ends. Prints nothing; does not return. */
_Noreturn void cardan__assert_failed(const char *condition, const char *file, int line);
