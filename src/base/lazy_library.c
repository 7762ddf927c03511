// SPDX-License-Identifier: Apache-2.0
#include "cardan/lazy_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Guards all slots: a thread that returns from cardan_lazy_library_load sees them set. */
static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Stores the address in the slot by its bytes: ISO C has no conversion from an object pointer to a
 * function pointer, but POSIX guarantees the same representation. */
static void set_slot(void *slot, void *address)
{
  memcpy(slot, &address, sizeof address);
}

static bool is_set(const void *slot)
{
  void *address;
  memcpy(&address, slot, sizeof address);
  return address != NULL;
}

/* Sets the slots, if the library has all symbols. returns false, with no slot set, if not */
static bool load_symbols(const char *library, const cardan_lazy_library_symbol *symbol, int n)
{
  // never unloaded: HDF5 and others register exit handlers
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  bool found = handle != NULL;
  for (int i = 0; i < n && found; i++) {
    found = dlsym(handle, symbol[i].name) != NULL;
  }
  for (int i = 0; i < n && found; i++) {
    set_slot(symbol[i].slot, dlsym(handle, symbol[i].name));
  }
  return found;
}

cardan_status cardan_lazy_library_load(const char *library,
                                       const cardan_lazy_library_symbol *symbol, int n,
                                       cardan_report *report)
{
  pthread_mutex_lock(&slots_mutex);
  const bool loaded = is_set(symbol[0].slot) || load_symbols(library, symbol, n);
  const char *reason = loaded ? "" : dlerror();
  pthread_mutex_unlock(&slots_mutex);
  return loaded ? CARDAN_OK
                : cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                              "%.100s cannot be loaded: %.300s", library, reason);
}
