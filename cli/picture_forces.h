/* SPDX-License-Identifier: Apache-2.0
 * picture_forces.h - forces and torques in the plane of a picture. */
#pragma once
#include "picture_cairo.h"
#include "picture_scene.h"

typedef struct {
  const cardan_model *model;
  const cardan_symbols *symbols;
  const cardan_data *data; // poses
  const projection *view;
  const double *row; // of the film, at these poses
  double unit;       // [m] that a unit of the drawing covers; 0: heads and arcs are left out
} force_scene;

/* Arrows and arcs as outlines, *n of them, from malloc. NULL: no memory. */
outline *make_forces(const force_scene *scene, int *n);

/* Metres of an arrow for each N; the longest [m]. */
double force_metres(const cardan_symbols *symbols);
double force_longest(const cardan_symbols *symbols);

/* Whose forces have which colour, and how large they are, in two lines from x, y on. scale: units
 * of the drawing for each m. */
void draw_force_key(cairo_t *cairo, const force_scene *scene, double x, double y, double scale);
