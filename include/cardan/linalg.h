/* SPDX-License-Identifier: Apache-2.0
 * cardan/linalg.h - settings of the linear algebra that the library uses. */
#pragma once
#include "cardan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets OpenBLAS, if that is the BLAS of this process, to one thread for the rest of the process.
 * The library's matrices are too small for several threads, and results must not depend on the
 * number of processors. If OpenBLAS uses POSIX threads, each call of the library does this by
 * itself and restores the program's setting afterwards; so only programs whose OpenBLAS uses OpenMP
 * need this call. Call it before any thread uses BLAS.
 * returns whether the BLAS is OpenBLAS */
CARDAN_API bool cardan_blas_one_thread(void);

/* call: made once, before the first use of OpenBLAS; NULL: none. OpenBLAS takes a buffer of 32 to
 * 128 MB then, and where addresses are limited it tries for ever: a program that runs under such a
 * limit can test here whether there is room, and end. Set it before any other call of the
 * library. */
CARDAN_API void cardan_blas_before_use(void (*call)(void));

#ifdef __cplusplus
}
#endif
