/* SPDX-License-Identifier: Apache-2.0
 * output/film_forces.h - columns of forces that a film computes itself, at its samples. */
#pragma once
#include "base/arena.h"
#include "cardan/data.h"
#include "output/arrows.h"

typedef struct {
  const cardan_model *model;
  int narrow, ncolumn;
  cardan__arrow *arrow;           // narrow: those that have columns here, in this order
  double *value;                  // ncolumn: of the row that comes
  bool forward;                   // some of them ask for accelerations
  cardan_data *still;             // work space: separate from the data of the run
  cardan_force *reaction, *f_ext; // njoint, nbody
  double *driver, *tau;           // njoint, nv
  double weight;                  // of all that moves [N]
} cardan__film_forces;

/* Which of a model's arrows there is room for. sources: bits 1 << cardan__arrow_source; state: only
 * those that t, q and v tell. returns false: no memory */
bool cardan__film_forces_choose(cardan__film_forces *f, const cardan_model *model, unsigned sources,
                                bool state, cardan__arena *arena);
/* Names and units of the columns, in the arena. returns false: no memory */
bool cardan__film_forces_name(const cardan__film_forces *f, const char **name, const char **unit,
                              cardan__arena *arena);
/* What looking takes. returns false: no memory */
bool cardan__film_forces_take(cardan__film_forces *f, cardan__arena *arena,
                              const cardan_allocator *allocator);
/* Values at the state of a data, of a row; none of them. */
void cardan__film_forces_look(cardan__film_forces *f, const cardan_data *data);
void cardan__film_forces_row(cardan__film_forces *f, const double *row);
void cardan__film_forces_clear(cardan__film_forces *f);
