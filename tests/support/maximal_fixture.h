/* SPDX-License-Identifier: Apache-2.0
 * maximal_fixture.h - random mechanisms in maximal coordinates, for the tests of methods that use
 * them. */
#pragma once
#include "cardan/cardan.h"
#include "methods/maximal/stepper.h"
#include "run.h"
#include "support.h"

/* A model with its data and its maximal form. */
typedef struct {
  cardan_model *model;
  cardan_data *data;
  cardan__maximal *mx;
  double *cfg, *vel;
} mechanism;

/* A random tree of n bodies, hung from the world or (floating) not, with joints of all kinds, or
 * with those of a plane; loops: how many spherical (planar: pin) pairs close between bodies. */
mechanism random_mechanism(uint64_t seed, int n, bool planar, bool floating, int loops);
/* A built-in model, or a text that begins with '('. setting: "NAME=VALUE" or NULL. */
mechanism load_mechanism(const char *name, const char *setting, bool planar);
void free_mechanism(mechanism *f);

/* Random coordinates (up to size from the start, loops not closed) and velocities; cfg and vel
 * follow, and everything that a method reads. */
void shake_mechanism(mechanism *f, support_rng *rng, double size);
/* cfg and vel from data's q and v; everything that a method reads follows. */
void look_at_mechanism(mechanism *f);
