/* SPDX-License-Identifier: Apache-2.0
 * sweep/sample.h - points of samples by their index: Sobol' sequences and Latin hypercubes.
 *
 * Both fill the unit cube more evenly than random points. Point j costs the same whatever j is, and
 * needs no other point: there is no state. */
#pragma once
#include <stdint.h>

/* ---- Sobol' sequence ---- */

enum {
  CARDAN__SOBOL_DIMENSIONS = 256,
  CARDAN__SOBOL_BITS = 52, // of a coordinate
  CARDAN__SOBOL_INDEX = 40 // bits of an index
};

/* One dimension: direction numbers, as fractions of 2^52. */
typedef struct {
  uint64_t direction[CARDAN__SOBOL_INDEX];
} cardan__sobol;

/* The first n dimensions, n <= CARDAN__SOBOL_DIMENSIONS. A few ms for all of them. */
void cardan__sobol_make(cardan__sobol *dimension, int n);

extern const uint16_t cardan__sobol_chosen[CARDAN__SOBOL_DIMENSIONS]; // the choice of each below

/* A dimension from a primitive polynomial over GF(2), bit k its coefficient of x^k, and initial
 * numbers number `choice` of those that a search may choose from. */
void cardan__sobol_one(cardan__sobol *out, int index, unsigned polynomial, unsigned choice);

/* The primitive polynomial after p in the order of their numbers; after 0: x + 1 (3). */
unsigned cardan__sobol_polynomial(unsigned p);

/* Coordinate of point j < 2^40, as a fraction of 2^52. Any 2^m points from a multiple of 2^m on are
 * a digital net; they come in the order of j, not of its Gray code. */
uint64_t cardan__sobol_bits(const cardan__sobol *dimension, uint64_t j);

/* Nested uniform scrambling [A. Owen, 1995]: each bit of x, a fraction of 2^52, is flipped or not
 * by a random bit of its own for each value of the bits above it. Keeps nets nets, and makes each
 * point uniform. */
uint64_t cardan__owen(uint64_t x, uint64_t key);

/* The coordinate scrambled, 0 < p < 1, in the middle of its interval of 2^-52. */
double cardan__sobol_at(const cardan__sobol *dimension, uint64_t key, uint64_t j);

/* ---- Latin hypercube ---- */

/* A permutation of 0 .. n - 1, n <= 2^52, by index: where it sends i. stream: which one. */
uint64_t cardan__permuted(uint64_t seed, uint64_t stream, uint64_t n, uint64_t i);

/* Coordinate of point j of n <= 2^40, 0 < p < 1: of n equal intervals each has one point, anywhere
 * in it. stream: of the dimension. */
double cardan__latin_at(uint64_t seed, uint64_t stream, uint64_t n, uint64_t j);
