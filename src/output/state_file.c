// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // fstat
#include "output/state_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/check.h"
#include "output/file.h"

/* For the same library on the same machine, as the state itself. */
typedef struct {
  char magic[16];
  uint64_t size, check; // of the bytes that follow
  int64_t row, step;
  uint64_t own; // check number of what is before
} header;

static const char magic[16] = "cardan partial 1";

char *cardan__state_name(const char *partial, const cardan_allocator *alloc)
{
  static const char ending[] = ".state";
  const size_t length = strlen(partial);
  char *name = cardan__resize(alloc, NULL, length + sizeof ending);
  if (name) {
    memcpy(name, partial, length);
    memcpy(name + length, ending, sizeof ending);
  }
  return name;
}

static uint64_t own_check(const header *h)
{
  return cardan__check(h, offsetof(header, own));
}

cardan_status cardan__state_write(const char *name, const cardan__state *state,
                                  const cardan_allocator *alloc, cardan_report *report)
{
  header h = {.size = state->size,
              .check = cardan__check(state->bytes, state->size),
              .row = state->row,
              .step = state->step};
  memcpy(h.magic, magic, sizeof magic);
  h.own = own_check(&h);
  cardan__file file;
  cardan_status status = cardan__file_open(&file, name, alloc, report);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan__file_write(&file, (const char *)&h, sizeof h, report);
  status = status ? status : cardan__file_write(&file, state->bytes, state->size, report);
  const cardan_status closed = cardan__file_close(&file, status == CARDAN_OK, report);
  return status ? status : closed;
}

static bool read_state(int fd, cardan__arena *arena, cardan__state *state)
{
  header h;
  struct stat st;
  if (cardan__read_at(fd, &h, sizeof h, 0) != sizeof h ||
      memcmp(h.magic, magic, sizeof magic) != 0 || h.own != own_check(&h) || fstat(fd, &st) != 0 ||
      (uint64_t)st.st_size != h.size + sizeof h || h.row < 0 || h.size == 0) {
    return true;
  }
  void *bytes = cardan__arena_take(arena, h.size, 1);
  if (!bytes) {
    return false;
  }
  if (cardan__read_at(fd, bytes, h.size, sizeof h) == h.size &&
      cardan__check(bytes, h.size) == h.check) {
    *state = (cardan__state){.bytes = bytes, .size = h.size, .row = h.row, .step = h.step};
  }
  return true;
}

bool cardan__state_read(const char *name, cardan__arena *arena, cardan__state *state)
{
  *state = (cardan__state){.size = 0};
  const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return true;
  }
  const bool good = read_state(fd, arena, state);
  close(fd);
  return good;
}
