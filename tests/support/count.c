// SPDX-License-Identifier: Apache-2.0
// Counting versions of the C library's allocation calls. Defined in the program, they are found
// before the C library's own by every shared library too; glibc keeps its own under a second name.
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)

long support_alloc_count(void)
{
  return 0;
}

void support_alloc_fail(long n)
{
  (void)n;
}

bool support_alloc_counts(void)
{
  return false;
}

#else

#define EXPORTED __attribute__((visibility("default")))

// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
// NOLINTEND(bugprone-reserved-identifier)
EXPORTED void *memalign(size_t alignment, size_t size);
EXPORTED int posix_memalign(void **out, size_t alignment, size_t size);

static atomic_long allocations, until_failure;

/* Counts a call; is it the one that gets no memory? */
static int fails(void)
{
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  if (atomic_load_explicit(&until_failure, memory_order_relaxed) == 0 ||
      atomic_fetch_sub_explicit(&until_failure, 1, memory_order_relaxed) != 1) {
    return 0;
  }
  errno = ENOMEM;
  return 1;
}

EXPORTED void *malloc(size_t size)
{
  return fails() ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t nmemb, size_t size)
{
  return fails() ? NULL : __libc_calloc(nmemb, size);
}

EXPORTED void *realloc(void *ptr, size_t size)
{
  return fails() ? NULL : __libc_realloc(ptr, size);
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
  return fails() ? NULL : __libc_memalign(alignment, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
  return memalign(alignment, size);
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t size)
{
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void *block = memalign(alignment, size);
  if (!block) {
    return ENOMEM;
  }
  *out = block;
  return 0;
}

long support_alloc_count(void)
{
  return atomic_load_explicit(&allocations, memory_order_relaxed);
}

void support_alloc_fail(long n)
{
  atomic_store_explicit(&until_failure, n, memory_order_relaxed);
}

bool support_alloc_counts(void)
{
  return true;
}

#endif
