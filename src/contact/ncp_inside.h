/* SPDX-License-Identifier: Apache-2.0
 * contact/ncp_inside.h - what the files of the cone problem share. */
#pragma once
#include "contact/ncp.h"

/* A problem with its workspace cut up. */
typedef struct {
  cardan__ncp *p;
  double *rho;  // m: 1 / trace of a group's own block of G, the same for its rows; 0: nothing moves
  double *mean; // m: D, the mean diagonal entry of that block
  double *best; // m: r of the least error so far
  double floor; // 16 eps max |G| |r| at the last error
} cardan__ncp_state;
