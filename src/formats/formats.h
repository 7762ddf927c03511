/* SPDX-License-Identifier: Apache-2.0
 * formats/formats.h - model formats: text in, spec out, and back. A format is its functions and a
 * line of the list; the file's ending chooses. */
#pragma once
#include "base/text.h"
#include "cardan/spec.h"

/* read   text into an empty spec, whose report has the file's name; the first failure marks it
 * write  the spec as text; out->failed says that there was no memory, the report what the format
 *        cannot hold. NULL: it is only read
 * Both return CARDAN_OK or why not. */
typedef struct {
  const char *ending; // with its point
  const char *help;
  cardan_status (*read)(cardan_spec *spec, const char *text, size_t length,
                        const cardan_setting *settings, int nsetting);
  cardan_status (*write)(const cardan_spec *spec, cardan__text *out, cardan_report *report);
} cardan__format;

/* One a line; the first is that of texts without an ending that is here: built-in models, pipes. */
#define CARDAN__FORMAT_LIST(X) X(mbs) X(urdf) X(sdf) X(world) X(mjcf)

#define CARDAN__FORMAT_DECLARE(name) extern const cardan__format cardan__format_##name;
CARDAN__FORMAT_LIST(CARDAN__FORMAT_DECLARE)
#undef CARDAN__FORMAT_DECLARE
