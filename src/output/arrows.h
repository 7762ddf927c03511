/* SPDX-License-Identifier: Apache-2.0
 * output/arrows.h - the forces of a model that arrows can show, and what tells how large they are.
 * One list for what films record and what is drawn of it. */
#pragma once
#include "cardan/symbols.h"

typedef enum {
  CARDAN__ARROW_JOINT,      // its reaction; index: joint
  CARDAN__ARROW_DRIVER,     // index: joint
  CARDAN__ARROW_CONSTRAINT, // index: constraint
  CARDAN__ARROW_BOUND,      // index: bound
  CARDAN__ARROW_ELEMENT     // index: force
} cardan__arrow_source;

typedef struct {
  cardan_arrow to;
  cardan__arrow_source source;
  int index;
  int v; // the velocity that an element of one column acts on, where it is no PULL
} cardan__arrow;

/* All that a model has, joints first. out: so many, NULL to count them. returns how many */
int cardan__arrows(const cardan_model *model, cardan__arrow *out);

/* Do two constraints hold the same two frames together at a point? Their forces are one arrow. */
bool cardan__arrow_shared(const cardan_model *model, int c, int d);

/* The name of column k of an arrow; as snprintf. */
int cardan__arrow_column(const cardan_arrow *arrow, int k, char *text, size_t size);
