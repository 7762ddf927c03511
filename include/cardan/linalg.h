/* SPDX-License-Identifier: Apache-2.0
 * cardan/linalg.h - what a program may ask of the linear algebra underneath. */
#pragma once
#include "cardan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells OpenBLAS, when that is the BLAS of this process, to use one thread for this process from
 * now on. Loading a mechanism with many loops is faster so, and its timing and bits no longer
 * depend on how many processors are there. The library itself never calls this: the setting belongs
 * to the program (cardan_rollout does the same while it runs, and then undoes it). Call it before
 * threads use BLAS.
 * returns whether there was an OpenBLAS to tell */
CARDAN_API bool cardan_blas_one_thread(void);

#ifdef __cplusplus
}
#endif
