/* SPDX-License-Identifier: Apache-2.0
 * reproduce/lee.h - the figures of Lee, Liu, Park and Srinivasa; lee.c has their texts. */
#pragma once
#include "reproduce/paper.h"

/* The paper's method: its own discrete Lagrangian, not the default one. */
#define CARDAN__LEE_METHOD "method=vi kinetic=se3 potentials=nodes"

cardan_status cardan__lee_energy(cardan__job *job) CARDAN_MUST_USE;      // Fig. 2b
cardan_status cardan__lee_speed(cardan__job *job) CARDAN_MUST_USE;       // Fig. 3
cardan_status cardan__lee_convergence(cardan__job *job) CARDAN_MUST_USE; // Fig. 4a
cardan_status cardan__lee_iterations(cardan__job *job) CARDAN_MUST_USE;  // Fig. 4b

/* With Fig. 4a: how fast RIQN converges, and where it does not. Adds plots, a table and numbers. */
typedef struct {
  double per_turn;                   // contraction over w dt of a free body
  double chain_newton, chain_riqn;   // evaluations in a step of chain:10 at 78 ms
  double thrown_newton, thrown_riqn; // of the humanoid at 400 m/s, 1 ms
} cardan__lee_rate;
cardan_status cardan__lee_rates(cardan__job *job, cardan__lee_rate *out) CARDAN_MUST_USE;
