/* SPDX-License-Identifier: Apache-2.0
 * cardan/linalg.h - what a program may ask of the linear algebra underneath. */
#pragma once
#include "cardan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells OpenBLAS, when that is the BLAS of this process, to use one thread for this process from
 * now on. The library's own calls do so for as long as each of them takes, and give the program's
 * setting back, where OpenBLAS has POSIX threads: its matrices are too small to be shared out, and
 * bits must not depend on how many processors are there. So this is for programs that have an
 * OpenBLAS with OpenMP's threads. Call it before threads use BLAS.
 * returns whether there was an OpenBLAS to tell */
CARDAN_API bool cardan_blas_one_thread(void);

#ifdef __cplusplus
}
#endif
