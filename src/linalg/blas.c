// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // RTLD_DEFAULT
#include "cardan/linalg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "linalg/linalg.h"

/* Looked up at run time: the system's alternatives decide which BLAS a process gets, so a reference
 * at link time would refuse to start with any other. */
static struct {
  pthread_once_t once;
  void (*set)(int); // NULL: it is not OpenBLAS
  int (*get)(void);
  bool plain; // a change of the number is that of the number alone
} blas = {.once = PTHREAD_ONCE_INIT};

/* ISO C has no conversion from an object to a function pointer; POSIX promises the bits. */
static void find_openblas(void)
{
  enum { POSIX_THREADS = 1 }; // of openblas_get_parallel; 0: none, 2: OpenMP
  void *set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  void *get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  void *kind = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
  int (*parallel)(void) = NULL;
  if (set != NULL && get != NULL) {
    memcpy(&blas.set, &set, sizeof set);
    memcpy(&blas.get, &get, sizeof get);
    memcpy(&parallel, &kind, sizeof kind);
    blas.plain = parallel != NULL && parallel() == POSIX_THREADS;
  }
}

bool cardan_blas_one_thread(void)
{
  pthread_once(&blas.once, find_openblas);
  if (blas.set != NULL) {
    blas.set(1);
  }
  return blas.set != NULL;
}

static struct {
  pthread_once_t once;
  void (*call)(void);
} first = {.once = PTHREAD_ONCE_INIT};

void cardan_blas_before_use(void (*call)(void))
{
  first.call = call;
}

static void begin_use(void)
{
  pthread_once(&blas.once, find_openblas);
  if (blas.set != NULL && first.call != NULL) {
    first.call();
  }
}

/* OpenBLAS has one number for the whole process, and so have those who hold it down. */
static struct {
  pthread_mutex_t lock;
  int holders, before;
} hold = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cardan__blas_hold(void)
{
  pthread_once(&blas.once, find_openblas);
  pthread_mutex_lock(&hold.lock);
  if (hold.holders++ == 0 && blas.set != NULL) {
    hold.before = blas.get();
    blas.set(1);
  }
  pthread_mutex_unlock(&hold.lock);
}

void cardan__blas_release(void)
{
  pthread_mutex_lock(&hold.lock);
  if (--hold.holders == 0 && blas.set != NULL) {
    blas.set(hold.before);
  }
  pthread_mutex_unlock(&hold.lock);
}

/* OpenBLAS does not share out what is smaller. */
static bool is_shared_out(size_t size)
{
  pthread_once(&blas.once, find_openblas);
  return blas.plain && size >= (size_t)CARDAN__DENSE * CARDAN__DENSE;
}

void cardan__lapack_begin(size_t size)
{
  pthread_once(&first.once, begin_use);
  if (is_shared_out(size)) {
    cardan__blas_hold();
  }
}

void cardan__lapack_end(size_t size)
{
  if (is_shared_out(size)) {
    cardan__blas_release();
  }
}
