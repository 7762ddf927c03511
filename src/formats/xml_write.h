/* SPDX-License-Identifier: Apache-2.0
 * formats/xml_write.h - what writers of XML formats share: words, and frames as links.
 *
 * A frame that moves is a link of its own, behind a joint; one that does not is part of the link
 * that it is fixed to, unless it has a name of its own, or a mass where that link has one: then it
 * is a link that is fixed to that. The world is a link. */
#pragma once
#include "base/text.h"
#include "model/spec.h"

/* ` name="text"` and ` name="1 2 3"` */
void cardan__xml_put_text(cardan__text *out, const char *name, const char *text);
void cardan__xml_put_numbers(cardan__text *out, const char *name, const double *value, int n);

/* ` name="word-3"`: with a mark more for each name of the spec that is the same; n 0: "word" */
void cardan__xml_put_made(cardan__text *out, const char *name, const cardan_spec *spec,
                          const char *word, int n);

/* Red, green, blue and 1, from 0 to 1, of #rrggbb; false: it is NULL. */
bool cardan__xml_rgba(const char *color, double rgba[4]);

typedef struct {
  int link;       // frame whose link this one is part of
  int next, last; // of the same link, -1: the last; of a link: its last
  cardan_xform T; // in that link
  bool has_mass;  // of a link: there is one among its frames
} cardan__xml_part;

/* part: out, of each frame */
void cardan__xml_links(const cardan_spec *spec, cardan__xml_part *part);

bool cardan__xml_moves(const cardan__spec_frame *frame);

/* A joint's definition; of a transform with a variable, the joint that it is. */
cardan_joint_def cardan__xml_joint_of(const cardan_spec *spec, const cardan__spec_frame *frame);

/* a x + b y + c = 0 of two coordinates, as x = factor y + offset. work: nins (1 + nleaf) doubles.
 * false: it is no such equation */
typedef struct {
  const char *x, *y;
  double factor, offset;
} cardan__xml_pair;
bool cardan__xml_linear(const cardan__spec_element *element, double *work, cardan__xml_pair *pair);

/* Doubles that this needs for any element of the spec. */
size_t cardan__xml_linear_work(const cardan_spec *spec);

/* The first item of the spec that no file of a robot has a word for, and where it is; NULL: there
 * is none. */
const char *cardan__xml_find_unwritable(const cardan_spec *spec, cardan_pos *pos);
