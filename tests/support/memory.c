// SPDX-License-Identifier: Apache-2.0
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* In front of each block: its size, and a mark that tells it from foreign and freed memory. */
typedef struct {
  alignas(16) size_t size;
  uint64_t mark;
} header;

static const uint64_t MARK = 0xC0FFEE5CA1AB1E00U;

static void *resize(void *user, void *old, size_t size)
{
  support_memory *memory = user;
  header *block = old ? (header *)old - 1 : NULL;
  if (block && block->mark != MARK) {
    fail_msg("a block that this allocator did not give out, or that was freed before");
  }
  if (size > 0) {
    memory->calls++;
    const bool past = memory->fail_after && memory->calls > memory->fail_at;
    if (memory->fail_at > 0 && (memory->calls == memory->fail_at || past)) {
      return NULL;
    }
  }

  // always a new block, filled with noise, so that no one relies on zeros or on staying in place
  header *grown = NULL;
  if (size > 0) {
    grown = malloc(sizeof(header) + size);
    assert_non_null(grown);
    *grown = (header){.size = size, .mark = MARK};
    memset(grown + 1, 0xA5, size);
    memory->blocks++;
    memory->bytes += size;
  }
  if (block) {
    if (grown) {
      memcpy(grown + 1, block + 1, size < block->size ? size : block->size);
    }
    memory->blocks--;
    memory->bytes -= block->size;
    block->mark = 0;
    free(block);
  }
  if (memory->bytes > memory->bytes_max) {
    memory->bytes_max = memory->bytes;
  }
  return grown ? grown + 1 : NULL;
}

cardan_allocator support_allocator(support_memory *memory)
{
  return (cardan_allocator){.resize = resize, .user = memory};
}

long support_fail_each(cardan_status (*scenario)(const cardan_allocator *alloc, void *user),
                       void *user)
{
  enum { LIMIT = 1000000 }; // far more than any scenario makes: one that never ends is a bug
  for (long n = 1; n < 2 * LIMIT; n++) {
    support_memory memory = {.fail_at = (n + 1) / 2, .fail_after = n % 2 == 0};
    const cardan_allocator alloc = support_allocator(&memory);
    const cardan_status status = scenario(&alloc, user);
    const bool failed = memory.calls >= memory.fail_at;
    const cardan_status expected = failed ? CARDAN_ERR_MEMORY : CARDAN_OK;
    if (status != expected || memory.blocks != 0) {
      fail_msg("allocation %ld failing%s: status %d (%s), expected %d; %ld blocks left",
               memory.fail_at, memory.fail_after ? " and all after it" : "", status,
               cardan_status_text(status), expected, memory.blocks);
    }
    if (!failed) {
      return memory.calls;
    }
  }
  fail_msg("the scenario still allocates after %d allocations", LIMIT);
  return 0;
}
