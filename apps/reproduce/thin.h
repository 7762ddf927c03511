/* SPDX-License-Identifier: Apache-2.0
 * reproduce/thin.h - a curve of millions of points as one of a thousand that looks the same.
 *
 * Equal parts of the x axis; of each part its lowest and its highest point are kept, in their
 * order, so that an oscillation faster than a part is still the region that it fills. */
#pragma once
#include "reproduce/outcome.h"

typedef struct {
  cardan__outcome *out;
  cardan__curve *curve;
  double from, width; // of a part
  long part, seen;    // the current one, and its points so far
  double low[2], high[2];
} cardan__thin;

/* At most 2 parts points for x in from .. to, which come in rising order. */
cardan__thin cardan__thin_begin(cardan__outcome *out, cardan__curve *curve, double from, double to,
                                int parts);
void cardan__thin_add(cardan__thin *thin, double x, double y);
void cardan__thin_end(cardan__thin *thin); // the last part
