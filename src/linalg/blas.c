// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // RTLD_DEFAULT
#include "cardan/linalg.h"

#include <dlfcn.h>
#include <string.h>

/* Looked up at run time: the system's alternatives decide which BLAS a process gets, so a reference
 * at link time would refuse to start with any other. */
bool cardan_blas_one_thread(void)
{
  void *symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  void (*set_num_threads)(int) = NULL;
  if (!symbol) {
    return false;
  }
  // ISO C has no conversion from an object pointer to a function pointer; POSIX promises the bits
  memcpy(&set_num_threads, &symbol, sizeof symbol);
  set_num_threads(1);
  return true;
}
