/* SPDX-License-Identifier: Apache-2.0
 * formats/xml_spec.h - what readers of XML formats share: values with their messages, and what was
 * not understood. Failures mark the spec, at the element's place. */
#pragma once
#include "formats/xml.h"
#include "model/spec.h"

void cardan__xml_fail(cardan_spec *spec, const cardan__xml *element, const char *format, ...)
    CARDAN_PRINTF(3, 4);

/* An attribute, a child that must be there; NULL after a failure. */
const char *cardan__xml_need(cardan_spec *spec, cardan__xml *element, const char *attribute);
cardan__xml *cardan__xml_need_child(cardan_spec *spec, const cardan__xml *element,
                                    const char *name);

/* n numbers of an attribute; where it is not there value stays as it is. false after a failure */
bool cardan__xml_values(cardan_spec *spec, cardan__xml *element, const char *attribute,
                        double *value, int n);

/* Notes of what no reader asked for, one for each kind, at the first of them, with their number.
 * returns false after a failure of memory */
bool cardan__xml_note_unread(cardan_spec *spec, const cardan__xml *root);
