/* SPDX-License-Identifier: Apache-2.0
 * output/film_places.h - where contacts touch at the rows of a film, in bounded memory. */
#pragma once
#include "base/arena.h"
#include "cardan/page.h"

/* Sets of places, of every stride-th row; when there is no room for another, every second one goes
 * and the stride doubles. */
typedef struct {
  int most, most_sets; // room: places in all (0: none are kept), sets
  int nset, nplace;
  int64_t stride; // rows from set to set
  double *t;      // most_sets
  int *first;     // most_sets + 1: set k has first[k] .. first[k + 1] - 1
  cardan_film_contact *place;
  cardan_film_contact *now; // CARDAN_FILM_CONTACTS: of the row that comes
  int nnow;
  int64_t cut; // places that a row had beyond these
} cardan__places;

/* Room for about so many bytes. returns false: no memory */
bool cardan__places_take(cardan__places *places, double bytes, cardan__arena *arena);
/* What touches at the sim's node, for the row that comes. */
void cardan__places_look(cardan__places *places, cardan_sim *sim);
/* The row with that number. */
void cardan__places_keep(cardan__places *places, int64_t row, double t);
