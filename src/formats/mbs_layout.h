/* SPDX-License-Identifier: Apache-2.0
 * formats/mbs_layout.h - which frames are written inside one another, and which with (at ..).
 *
 * Frames are written in the order of their indices, because that is the order of the coordinates.
 * A frame stands inside its parent's list where that is still open; else, and where lists would be
 * nested deeper than is pleasant, it goes into an (at "parent" ..). */
#pragma once
#include "model/spec.h"

typedef enum {
  CARDAN__LAYOUT_NEST,  // a list inside the parent's list, or of the system
  CARDAN__LAYOUT_MERGE, // one more transform in the parent's own list: (tx 1 ry 2 ..)
  CARDAN__LAYOUT_AT     // a list in a new (at "parent" ..)
} cardan__layout_way;

typedef struct {
  unsigned char *way; // nframe: a cardan__layout_way
  unsigned char
      *naming;   // nframe: 1 when the frame needs a made-up name, because an (at ..) names it
  int max_depth; // most frames that are open at once, (at ..) included
} cardan__layout;

/* Chooses. The arrays come from the spec's allocator, to be given back by cardan__layout_free. */
cardan_status cardan__layout_make(const cardan_spec *spec, cardan__layout *layout) CARDAN_MUST_USE;
void cardan__layout_free(const cardan_spec *spec, cardan__layout *layout);
