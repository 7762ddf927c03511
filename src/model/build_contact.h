/* SPDX-License-Identifier: Apache-2.0
 * model/build_contact.h - solids, materials, contacts and pairs of a spec to those of a model. */
#pragma once
#include "model/build.h"
#include "model/contact_pairs.h"

/* Bytes of the names of materials and contacts. */
size_t cardan__count_contact_strings(const cardan_spec *spec);

/* Polyhedra of the model: two for each solid that is a hull, itself and its core. */
int cardan__count_hulls(const cardan_spec *spec, const cardan__contacts_found *found);

/* Lays out the arrays inside m->hull. */
void cardan__layout_hulls(cardan__carver *c, const cardan_spec *spec,
                          const cardan__contacts_found *found, cardan_model *m);

/* The same of height fields, one for each solid that is one, and of m->field. */
int cardan__count_fields(const cardan_spec *spec, const cardan__contacts_found *found);
void cardan__layout_fields(cardan__carver *c, const cardan_spec *spec,
                           const cardan__contacts_found *found, cardan_model *m);

/* Fills them; needs frames and shapes. */
cardan_status cardan__fill_contact(cardan__build *build, const cardan__contacts_found *found);

/* What the numbers of shapes, frames, materials and contacts decide of solids and pairs: the last
 * part of filling them, and what a parameter has done again. */
cardan_status cardan__settle_contact(cardan_model *model, cardan_report *report);

/* A surface with its defaults filled in, NULL: all of them; and what two such are together (numbers
 * of a pair) where their contact does not say it. */
cardan_surface cardan__surface_whole(const cardan_surface *surface);
void cardan__surface_meet(const cardan_surface *a, const cardan_surface *b,
                          const cardan_surface *contact, cardan_pair *pair);
