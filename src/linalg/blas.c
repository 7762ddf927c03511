// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // RTLD_DEFAULT
#include "cardan/linalg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "linalg/linalg.h"

/* Looked up at run time: the system's alternatives decide which BLAS a process gets, so a reference
 * at link time would refuse to start with any other. */
typedef struct {
  void (*set)(int); // NULL: it is not OpenBLAS
  int (*get)(void);
} openblas;

static openblas find_openblas(void)
{
  void *set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  void *get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  openblas blas = {NULL, NULL};
  if (set != NULL && get != NULL) {
    // ISO C has no conversion from an object to a function pointer; POSIX promises the bits
    memcpy(&blas.set, &set, sizeof set);
    memcpy(&blas.get, &get, sizeof get);
  }
  return blas;
}

bool cardan_blas_one_thread(void)
{
  const openblas blas = find_openblas();
  if (blas.set != NULL) {
    blas.set(1);
  }
  return blas.set != NULL;
}

/* OpenBLAS has one number for the whole process, and so have those who hold it down. */
static struct {
  pthread_mutex_t lock;
  int holders, before;
} hold = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cardan__blas_hold(void)
{
  const openblas blas = find_openblas();
  pthread_mutex_lock(&hold.lock);
  if (hold.holders++ == 0 && blas.set != NULL) {
    hold.before = blas.get();
    blas.set(1);
  }
  pthread_mutex_unlock(&hold.lock);
}

void cardan__blas_release(void)
{
  const openblas blas = find_openblas();
  pthread_mutex_lock(&hold.lock);
  if (--hold.holders == 0 && blas.set != NULL) {
    blas.set(hold.before);
  }
  pthread_mutex_unlock(&hold.lock);
}
