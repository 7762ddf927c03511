/* SPDX-License-Identifier: Apache-2.0
 * tree.h - random trees and small models for the tests of forces. */
#pragma once
#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "support.h"

typedef struct {
  cardan_model *model;
  cardan_data *data;
} fixture;

/* A spec of n bodies in a random tree, every kind of joint in turn: joints "j1".., each body with
 * mass and a frame "f1".. off its joint. */
cardan_spec *tree_spec(int n, support_rng *rng);

/* Adds an element at a position that no other one has: line 7, column 3. */
void tree_add(cardan_spec *spec, cardan_element element);

/* Builds, makes data, and gives the spec back. */
fixture tree_build(cardan_spec *spec);
void tree_free(fixture *f);

/* A random state, |q| <= 1 (any attitude), |v| <= 1, not yet with its kinematics. */
void tree_random_state(fixture *f, support_rng *rng);

/* Expects cardan_model_build to fail at line 7, column 3 with all of text in its message. */
void tree_expect_error(cardan_spec *spec, const char *text);
