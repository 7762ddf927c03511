/* SPDX-License-Identifier: Apache-2.0
 * support.h - what the tests share: comparisons, random numbers, counting and failing memory.
 * Brings cmocka with it, so a test file needs this header alone. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// cmocka wants the standard headers before it
#include <cmocka.h>

#include "cardan/base.h"

/* Fails unless |a - b| <= tol * CARDAN_TOL_SCALE (an environment variable, 1 if not set; for
 * machines whose arithmetic is odd), and prints both. A NaN fails. */
#define assert_near(a, b, tol) support_assert_near((a), (b), (tol), #a, #b, __FILE__, __LINE__)

/* The same for n numbers each; prints the index that is furthest off. */
#define assert_near_vec(a, b, n, tol) \
  support_assert_near_vec((a), (b), (n), (tol), #a, #b, __FILE__, __LINE__)

void support_assert_near(double a, double b, double tol, const char *a_text, const char *b_text,
                         const char *file, int line);
void support_assert_near_vec(const double *a, const double *b, int n, double tol,
                             const char *a_text, const char *b_text, const char *file, int line);

/* Largest absolute value of n numbers; 0 for none. */
double support_max_abs(const double *a, int n);

/* A whole number of the environment, by which a test gets longer; otherwise: where it has none. */
int support_number(const char *name, int otherwise);

/* Random numbers, the same on every machine: splitmix64. Any seed will do. */
typedef struct {
  uint64_t state;
} support_rng;

uint64_t support_random(support_rng *rng);                                // all 64 bits
double support_random_in(support_rng *rng, double low, double high);      // in [low, high)
int support_random_int(support_rng *rng, int low, int high);              // in low .. high
void support_random_vec(support_rng *rng, double *a, int n, double size); // each in [-size, size)

/* Calls of malloc, calloc, realloc, aligned_alloc, posix_memalign and memalign by the whole
 * program, shared libraries included, since it started. A test program that names this function
 * gets counting versions of those calls linked in. */
long support_alloc_count(void);

/* The n-th of those calls from now on gets no memory, inside the C library too; 0: none does. */
void support_alloc_fail(long n);

/* False under a sanitizer, which has an allocator of its own: skip() the test then. */
bool support_alloc_counts(void);

/* An allocator that counts, can fail, and catches blocks that are not its own. */
typedef struct {
  long calls;       // allocations and enlargements requested
  long fail_at;     // the call that gets no memory, counted from 1; 0: none
  bool fail_after;  // and all calls after it
  long blocks;      // given out and not yet back
  size_t bytes;     // in those blocks
  size_t bytes_max; // largest value of bytes
} support_memory;

/* The cardan_allocator over it; memory must outlive it. */
cardan_allocator support_allocator(support_memory *memory);

/* Runs scenario with the n-th allocation failing, for n = 1, 2, ... until one run meets no failure;
 * each n once with that one call failing and once with all calls from it on.
 * The scenario must clean up after itself and return the status it met. Expected: CARDAN_ERR_MEMORY
 * whenever memory failed, CARDAN_OK at the end, and no block left out after any run.
 * returns how many allocations the scenario makes */
long support_fail_each(cardan_status (*scenario)(const cardan_allocator *alloc, void *user),
                       void *user);
