/* SPDX-License-Identifier: Apache-2.0
 * output/film.h - what pages read of a film beyond cardan/page.h. */
#pragma once
#include "cardan/page.h"

/* Columns, and the unit of one (cardan_sim_unit); velocities that were dropped, since there were
 * too many columns. */
int cardan__film_column_count(const cardan_film *film);
const char *cardan__film_unit(const cardan_film *film, int k);
int cardan__film_dropped_columns(const cardan_film *film);

/* Rows from one sample to the next; rows in one entry of the extremes (the last may have fewer). */
int64_t cardan__film_stride(const cardan_film *film);
int64_t cardan__film_rows_per_extreme(const cardan_film *film);

/* Stores the contacts at the sim's node for the row that is appended next; cardan_film_sink does
 * it. A film of a sim keeps contacts in bounded memory, of all rows or of every second, fourth,
 * and so on. */
void cardan__film_append_contacts(cardan_film *film, cardan_sim *sim);
/* How many rows have their contacts stored; of row i of them, its time and contacts.
 * returns how many contacts */
int cardan__film_contact_row_count(const cardan_film *film);
int cardan__film_contacts_at(const cardan_film *film, int i, double *t,
                             const cardan_film_contact **contact);
/* Contacts that rows had beyond CARDAN_FILM_CONTACTS, in all rows together. */
int64_t cardan__film_dropped_contacts(const cardan_film *film);
