/* SPDX-License-Identifier: Apache-2.0
 * formats/xml.h - an XML text as a tree of elements with their places, over expat.
 *
 * Elements and attributes remember whether a reader has requested them, so that it can say at its
 * end what it did not understand. Entities of the text's own, and anything outside it, are
 * refused: model files are untrusted. Recursion over a tree is safe: it is CARDAN__XML_DEPTH deep
 * at most. */
#pragma once
#include "base/arena.h"

enum {
  CARDAN__XML_DEPTH = 500,       // levels
  CARDAN__XML_ELEMENTS = 2000000 // in one text
};

typedef struct {
  const char *name, *value;
  bool read;
} cardan__xml_attribute;

typedef struct cardan__xml cardan__xml;
struct cardan__xml {
  const char *name;
  const char *text; // what stands directly inside, without the space around it; "" when nothing
  cardan_pos pos;
  cardan__xml *parent, *child, *next; // NULL: none
  const char *file;        // where it stands, when not in the model's own text; else NULL
  const cardan__xml *from; // the element that requested that file (cardan__xml_open)
  cardan__xml_attribute *attribute;
  int nattribute;
  bool read;
};

/* The root of a text, in the arena.
 * returns CARDAN_ERR_SYNTAX with place and sentence; CARDAN_ERR_MEMORY */
cardan_status cardan__xml_read(const char *text, size_t length, cardan__arena *arena,
                               cardan__xml **root, cardan_report *report) CARDAN_MUST_USE;

/* The first element of that name in another; the next one of that name behind it; NULL: none. Both
 * mark it as read. */
cardan__xml *cardan__xml_child(const cardan__xml *element, const char *name);
cardan__xml *cardan__xml_next(const cardan__xml *element, const char *name);

/* The first element of that name, without marking it. */
const cardan__xml *cardan__xml_peek(const cardan__xml *element, const char *name);

/* An attribute's value, marked as read; NULL: it is not there. */
const char *cardan__xml_get(cardan__xml *element, const char *name);

/* Marks an element and all in it as read: it is ignored without a warning. */
void cardan__xml_skip(cardan__xml *element);

/* Numbers in a text with space between them: n of them to value, or as many as there are.
 * returns how many are there, -1 when one is no finite number */
int cardan__xml_numbers(const char *text, double *value, int n);

/* Calls visit for every element that no reader requested (attribute NULL) and for every such
 * attribute of those that one did ask for, in the order of the text. */
void cardan__xml_unread(const cardan__xml *root, void *user,
                        void (*visit)(void *user, const cardan__xml *element,
                                      const cardan__xml_attribute *attribute));
