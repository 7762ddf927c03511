/* SPDX-License-Identifier: Apache-2.0
 * random_tree.h - random trees of all kinds of joints. */
#pragma once
#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "fixture.h"

/* A spec of n bodies in a random tree, every kind of joint in turn: joints "j1".., each body with
 * mass and a frame "f1".. off its joint. */
cardan_spec *tree_spec(int n, support_rng *rng);

/* Adds an element at a position that no other one has: line 7, column 3. */
void tree_add(cardan_spec *spec, cardan_element element);

/* n joints of the file (revolute, prismatic, helical, universal, cylindrical, planar in turn), as
 * method svi takes them, "j1".., with masses and frames "f1"..; gravity in a random direction, and
 * a random state. forces: also one element of every kind, friction apart. */
enum { TREE_NMAX = 96 };
fixture scalar_tree(int n, bool forces, uint64_t seed);

/* A random state, |q| <= 1 (any attitude), |v| <= 1, not yet with its kinematics. */
void tree_random_state(fixture *f, support_rng *rng);

/* A random tree of 1 to most bodies, in a random state, wrenches on its bodies, kinematics and
 * factorisation done. *tau: random joint forces (nv), then `more` vectors and an nv x nv matrix of
 * zeros in the same block; to be freed. */
fixture tree_loaded(int seed, int most, int more, double **tau);

/* All elements with a potential, on frames and coordinates of many kinds of joints (j2 and j10
 * spherical, j5 free, j6 cylindrical); ten bodies and more. */
void tree_add_potentials(cardan_spec *spec);

/* Expects cardan_model_build to fail at line 7, column 3 with all of text in its message. */
void tree_expect_error(cardan_spec *spec, const char *text);
