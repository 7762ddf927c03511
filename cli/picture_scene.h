/* SPDX-License-Identifier: Apache-2.0
 * picture_scene.h - a mechanism in the plane of a picture: outlines of its solids, far ones first.
 * */
#pragma once
#include "cardan/data.h"
#include "cardan/mesh.h"
#include "cardan/page.h"
#include "cardan/symbols.h"

typedef struct {
  double x, y;
} point;

/* How space becomes a plane: coordinates along right and top, depth along back [m]. */
typedef struct {
  cardan_vec3 right, top, back;
  cardan_vec3 middle; // of what moves, in the poses that are drawn
  double reach;       // from there to the ends of it [m]
} projection;

enum { OUTLINE_POINTS = 64, OUTLINE_CIRCLE = 24 };

/* One solid, or a triangle of a mesh: a convex polygon; or a line. */
typedef struct {
  point p[OUTLINE_POINTS];
  int n;
  bool facet;   // no line around it
  bool ground;  // a piece of a plane of the world
  double width; // of a line, else 0 [units of the drawing]
  double depth;
  double red, green, blue;
} outline;

/* Looks across the plane of a planar motion, else from a corner; up is against gravity. */
projection choose_projection(const cardan_model *model, const cardan_film *film, cardan_data *data);

/* The model at a sample: poses into data. */
void move_to_sample(const cardan_model *model, const cardan_film *film, int sample,
                    cardan_data *data);

/* The meshes of the model's shapes, nshape of them: NULL where it is another shape, or a file that
 * cannot be read, whose body is then drawn as its skeleton. NULL: no memory. */
cardan_mesh **load_meshes(const cardan_model *model, const cardan_files *files);
void drop_meshes(const cardan_model *model, cardan_mesh **mesh); // NULL is fine

/* Outlines of all solids at data's poses, sorted; *n of them, from malloc. NULL: no memory. */
outline *make_outlines(const cardan_model *model, const cardan_data *data, const projection *view,
                       cardan_mesh *const *mesh, const cardan_symbols *symbols, int *n);

/* Joints and their like at data's poses, and what stretches between bodies (ties alone: only
 * that), sorted; *n of them, from malloc. NULL: no memory.
 * unit: metres that a unit of the drawing covers; 0: what is as large as on the screen is left out
 * (picture_symbols.c) */
outline *make_symbols(const cardan_symbols *symbols, const cardan_data *data,
                      const projection *view, double unit, bool ties_alone, int *n);

/* The convex hull of n <= OUTLINE_POINTS points; those of a circle, OUTLINE_CIRCLE of them. */
void outline_hull(outline *out, point *p, int n);
int outline_circle(const projection *view, cardan_vec3 c, cardan_vec3 a, cardan_vec3 b, double r,
                   point *p);
/* Two balls, and all between them. */
void outline_rod(outline *out, const projection *view, cardan_vec3 a, cardan_vec3 b, double r);
int outline_by_depth(const void *a, const void *b); // for qsort: far ones first

/* A point in the plane. */
point project(const projection *view, cardan_vec3 p);
/* Widens a box by the frames of bodies that move, at data's poses. */
void widen_moving(const cardan_model *model, const cardan_data *data, double low[3],
                  double high[3]);
