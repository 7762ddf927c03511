/* SPDX-License-Identifier: Apache-2.0
 * picture_plot.h - columns of a film against time, with axes. */
#pragma once
#include "cardan/page.h"
#include "picture_cairo.h"

enum { PLOT_CURVES = 6 };

typedef struct {
  double x, y, width, height;
} plot_box;

/* drift: differences from the first value. */
void plot_columns(cairo_t *cairo, const plot_box *box, const cardan_film *film, const char *title,
                  const int *column, int n, bool drift);
