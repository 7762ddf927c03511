// SPDX-License-Identifier: Apache-2.0
#include "cardan/late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Guards all slots: who has called cardan_late_load sees them set. */
static pthread_mutex_t slots = PTHREAD_MUTEX_INITIALIZER;

/* The object's address into the slot: ISO C has no conversion from an object to a function pointer;
 * POSIX promises the bits. */
static void set(void *slot, void *address)
{
  memcpy(slot, &address, sizeof address);
}

static bool is_set(const void *slot)
{
  void *address;
  memcpy(&address, slot, sizeof address);
  return address != NULL;
}

/* returns whether all names are there; only then are the slots set */
static bool load(const char *library, const cardan_late_symbol *symbol, int n)
{
  // never unloaded: HDF5 and others leave functions behind that run when the program ends
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  bool found = handle != NULL;
  for (int i = 0; i < n && found; i++) {
    found = dlsym(handle, symbol[i].name) != NULL;
  }
  for (int i = 0; i < n && found; i++) {
    set(symbol[i].slot, dlsym(handle, symbol[i].name));
  }
  return found;
}

cardan_status cardan_late_load(const char *library, const cardan_late_symbol *symbol, int n,
                               cardan_report *report)
{
  pthread_mutex_lock(&slots);
  const bool loaded = is_set(symbol[0].slot) || load(library, symbol, n);
  const char *why = loaded ? "" : dlerror();
  pthread_mutex_unlock(&slots);
  return loaded ? CARDAN_OK
                : cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                              "%.100s cannot be loaded: %.300s", library, why);
}
