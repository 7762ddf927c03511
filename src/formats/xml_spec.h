/* SPDX-License-Identifier: Apache-2.0
 * formats/xml_spec.h - what readers of XML formats share: values with their messages, and what was
 * not understood. Failures mark the spec, at the element's place. */
#pragma once
#include "formats/xml.h"
#include "model/spec.h"

void cardan__xml_fail(cardan_spec *spec, const cardan__xml *element, const char *format, ...)
    CARDAN_PRINTF(3, 4);

/* The root of another XML file that an element of this model names: elements of it remember both.
 * NULL after a failure, which is at the naming element, or in the other file where that is not well
 * formed. Reading a file that stands above itself is refused. */
cardan__xml *cardan__xml_open(cardan_spec *spec, const cardan__xml *element, const char *name);

/* Is it a name of a mesh file that can be found again from wherever the model is: in its folder, or
 * in a package? */
bool cardan__xml_file_kept(const char *file);

/* Says that what is built next is of this element: of one in another file, at the place in the
 * model's own text where that file was requested. */
void cardan__xml_at(cardan_spec *spec, const cardan__xml *element);

/* A note at an element's own place; see cardan__spec_note. */
void cardan__xml_note(cardan_spec *spec, const cardan__xml *element, const char *format, ...)
    CARDAN_PRINTF(3, 4);

/* false after a failure at the first macro that xacro has not replaced */
bool cardan__xml_no_macros(cardan_spec *spec, const cardan__xml *root);

/* An attribute, a child that must be there; NULL after a failure. */
const char *cardan__xml_need(cardan_spec *spec, cardan__xml *element, const char *attribute);
cardan__xml *cardan__xml_need_child(cardan_spec *spec, const cardan__xml *element,
                                    const char *name);

/* Which of n words the type of a joint is, -1 after a failure. name: the joint's */
int cardan__xml_joint_type(cardan_spec *spec, cardan__xml *joint, const char *name,
                           const char *const *words, int n);

/* n numbers of an attribute; where it is not there value stays as it is. false after a failure */
bool cardan__xml_values(cardan_spec *spec, cardan__xml *element, const char *attribute,
                        double *value, int n);

/* The same of a child's text. */
bool cardan__xml_child_values(cardan_spec *spec, const cardan__xml *element, const char *child,
                              double *value, int n);

/* "true", "1": yes; "false", "0": no; no text: otherwise. Any other fails the spec at the
 * element. */
bool cardan__xml_flag(cardan_spec *spec, const cardan__xml *at, const char *text, bool otherwise);

/* #rrggbb of the first three of these, from 0 to 1. */
void cardan__xml_color(const double rgb[3], char text[8]);

/* The equation q = factor q' + offset between two coordinates, at the spec's place. leader NULL:
 * q = offset */
void cardan__xml_follow(cardan_spec *spec, const char *follower, const char *leader, double factor,
                        double offset);

/* Notes of what no reader requested, one for each kind, at the first of them, with their number.
 * returns false after a failure of memory */
bool cardan__xml_note_unread(cardan_spec *spec, const cardan__xml *root);
