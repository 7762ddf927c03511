/* SPDX-License-Identifier: Apache-2.0
 * reproduce/write.h - an outcome as text: pictures, data, words. Failures of memory stick in the
 * text. */
#pragma once
#include "base/text.h"
#include "reproduce/outcome.h"

/* One figure as a picture, an SVG document for light and dark pages: ours as lines, with markers
 * where a curve has few points, theirs as markers alone, in the colour of our curve of the same
 * label. Points that are not finite, or not positive on a logarithmic axis, are left out and break
 * the line. The same bytes for the same figure, in any locale. */
void cardan__plot_svg(const cardan__plot *plot, cardan__text *text);
