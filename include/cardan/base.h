/* SPDX-License-Identifier: Apache-2.0
 * cardan/base.h - status codes, error reports, memory and version: what every other header uses.
 *
 * The library never prints, exits, aborts or jumps. A call that can fail returns a cardan_status;
 * a call that reads or checks a model also fills a cardan_report with the place and one sentence.
 * No mutable globals: everything here may be used from any thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CARDAN_API __attribute__((visibility("default")))
#define CARDAN_MUST_USE __attribute__((warn_unused_result))
#define CARDAN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CARDAN_API
#define CARDAN_MUST_USE
#define CARDAN_PRINTF(fmt, args)
#endif

#define CARDAN_VERSION_MAJOR 0
#define CARDAN_VERSION_MINOR 1
#define CARDAN_VERSION_PATCH 0

/* Version of the linked library, "major.minor.patch". */
CARDAN_API const char *cardan_version(void);

/* Instruction set that the library was compiled for: "x86-64", "x86-64-v3" (AVX2, FMA),
 * "x86-64-v4" (AVX-512), or "plain" on other processors. A package may contain one library for each
 * level; the loader then selects the highest level that the processor supports. */
CARDAN_API const char *cardan_cpu_level(void);

/* All status codes: name, value, word, text. 0 is success, failures are negative. */
#define CARDAN_STATUS_LIST(X)                                                               \
  X(CARDAN_OK, 0, "ok", "done")                                                             \
  X(CARDAN_ERR_MEMORY, -1, "memory", "out of memory")                                       \
  X(CARDAN_ERR_ARGUMENT, -2, "argument", "an argument is out of its range")                 \
  X(CARDAN_ERR_SYNTAX, -3, "syntax", "the model text cannot be read")                       \
  X(CARDAN_ERR_MODEL, -4, "model", "the model is at fault")                                 \
  X(CARDAN_ERR_ASSEMBLY, -5, "assembly", "the loops cannot be closed")                      \
  X(CARDAN_ERR_UNSUPPORTED, -6, "unsupported", "this method cannot take this model")        \
  X(CARDAN_ERR_NOT_POSDEF, -7, "not-posdef", "a joint has no inertia to push against")      \
  X(CARDAN_ERR_SINGULAR, -8, "singular", "the constraints lost rank: a singular position")  \
  X(CARDAN_ERR_NO_CONVERGENCE, -9, "no-convergence", "an iteration did not converge")       \
  X(CARDAN_ERR_NOT_FINITE, -10, "not-finite", "a number is not finite")                     \
  X(CARDAN_ERR_STEP_TOO_SMALL, -11, "step-too-small", "the step size fell below its limit") \
  X(CARDAN_ERR_IO, -12, "io", "reading or writing a file failed")                           \
  X(CARDAN_ERR_STOPPED, -13, "stopped", "stopped by the caller")                            \
  X(CARDAN_ERR_NO_ROOT, -14, "no-root", "no solution continues the motion")                 \
  X(CARDAN_ERR_JUMP, -15, "jump", "the energy balance jumps, or a loop opens")              \
  X(CARDAN_ERR_BLEW_UP, -16, "blew-up", "the motion blew up")                               \
  X(CARDAN_ERR_STRICT, -17, "strict", "a warning, which option strict makes an error")

typedef enum {
#define CARDAN_STATUS_ENUM(name, value, word, text) name = (value),
  CARDAN_STATUS_LIST(CARDAN_STATUS_ENUM)
#undef CARDAN_STATUS_ENUM
} cardan_status;

/* One sentence for a status; never NULL. */
CARDAN_API const char *cardan_status_text(cardan_status status);
/* One word for a status, for tables: "ok", "no-convergence", "singular"; never NULL. */
CARDAN_API const char *cardan_status_word(cardan_status status);

/* Position in a source text. line and column count from 1; 0 means "not from a text". */
typedef struct {
  int line, column;
} cardan_pos;

/* Error message with its position. Plain data owned by the caller; initialise with {0}.
 * message is one sentence without a final newline: what was found, what was expected. */
typedef struct {
  char file[256];    // name of the source, "" if there is none; long names lose their beginning
  cardan_pos pos;    // position in that source
  char message[512]; // "" before the first error
} cardan_report;

/* Fills a report (which may be NULL), printf style, and returns status, so that a reader can write
 * `return cardan_fail(report, CARDAN_ERR_MODEL, pos, "mass is %g, expected >= 0", m);`.
 * The file field is not changed. Text that does not fit is cut at a whole UTF-8 character. */
CARDAN_API cardan_status cardan_fail(cardan_report *report, cardan_status status, cardan_pos pos,
                                     const char *format, ...) CARDAN_PRINTF(4, 5);

/* Writes "file:line:column: message" into text, cut to size; unknown parts are omitted. */
CARDAN_API void cardan_report_format(const cardan_report *report, char *text, size_t size);

/* Memory allocator. A NULL allocator means malloc, realloc and free.
 * resize(user, old, size): old NULL allocates; size 0 frees and returns NULL; otherwise as realloc.
 * Blocks must be aligned for any type (16 bytes). NULL for size > 0 means "out of memory". */
typedef struct {
  void *(*resize)(void *user, void *old, size_t size);
  void *user;
} cardan_allocator;

/* Frees a text that the library returned. allocator: the one that was passed to that call, or to
 * the creation of the spec that was written. text may be NULL. */
CARDAN_API void cardan_free_text(const cardan_allocator *allocator, char *text);

#ifdef __cplusplus
}
#endif
