/* SPDX-License-Identifier: Apache-2.0
 * formats/mbs_write.h - the inside of the .mbs writer, shared by its files. Each call appends to a
 * text, which remembers a lack of memory. */
#pragma once
#include "base/text.h"
#include "formats/formats.h"
#include "model/spec.h"

/* ---- mbs_write.c ---- */

void cardan__mbs_put(cardan__text *text, const char *words);
void cardan__mbs_put_quoted(cardan__text *text, const char *string);          // `"A"`
void cardan__mbs_put_string(cardan__text *text, const char *string);          // ` "A"`
void cardan__mbs_put_numbers(cardan__text *text, const double *value, int n); // ` 1 2 3`
void cardan__mbs_put_list(cardan__text *text, const double *value, int n);    // ` (1 2 3)`

/* Numbers of an item, each as its expression where it has one: those of slot, slot + 1, .. in the
 * item's list. */
typedef struct {
  const cardan_spec *spec;
  int list;
} cardan__mbs_item;
void cardan__mbs_put_living(cardan__text *text, cardan__mbs_item item, int slot,
                            const double *value, int n); // ` 1 L 3`
void cardan__mbs_put_living_list(cardan__text *text, cardan__mbs_item item, int slot,
                                 const double *value, int n); // ` (1 L 3)`

/* ` (name "A")` with option " (name"; nothing when string is NULL. */
void cardan__mbs_put_named(cardan__text *text, const char *option, const char *string);
void cardan__mbs_put_rotation(cardan__text *text, const cardan__rotation *rotation,
                              cardan__mbs_item item);

/* Axes that are not the defaults, pitch, limit. pitch: its slot, before those of the limit. */
void cardan__mbs_put_joint_options(cardan__text *text, const cardan_joint_def *joint,
                                   cardan__mbs_item item, int pitch);

/* ---- mbs_write_items.c ---- */

void cardan__mbs_put_inputs(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_aux_states(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_elements(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_materials(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_contacts(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_outputs(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_initial(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_armatures(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_keyframes(cardan__text *text, const cardan_spec *spec);
void cardan__mbs_put_defaults(cardan__text *text, const cardan_spec *spec);
