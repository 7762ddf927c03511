/* SPDX-License-Identifier: Apache-2.0
 * output/film_places.h - where contacts touch at the rows of a film, in bounded memory. */
#pragma once
#include "base/arena.h"
#include "cardan/page.h"

/* Contact points of every stride-th row, one set for a row. If there is no room for another set,
 * every second one is removed and the stride doubles. */
typedef struct {
  int most, most_sets; // room: points in all sets (0: nothing is stored), sets
  int nset, nplace;
  int64_t stride; // rows from set to set
  double *t;      // most_sets
  int *first;     // most_sets + 1: set k has first[k] .. first[k + 1] - 1
  cardan_film_contact *place;
  cardan_film_contact *now; // CARDAN_FILM_CONTACTS: of the next row
  int nnow;
  int64_t cut; // points of rows that had more than these
} cardan__places;

/* Allocates sets of about so many bytes. returns false: no memory */
bool cardan__places_create(cardan__places *places, double bytes, cardan__arena *arena);
/* Reads the contact points at the node of the simulation, for the next row. */
void cardan__places_read(cardan__places *places, cardan_sim *sim);
/* Adds the points read last as those of a row, or skips the row by the stride. */
void cardan__places_add(cardan__places *places, int64_t row, double t);
