/* SPDX-License-Identifier: Apache-2.0
 * picture_scene.h - a mechanism in the plane of a picture: outlines of its solids, far ones first.
 * */
#pragma once
#include "cardan/data.h"
#include "cardan/mesh.h"
#include "cardan/page.h"

typedef struct {
  double x, y;
} point;

/* How space becomes a plane: coordinates along right and top, depth along back [m]. */
typedef struct {
  cardan_vec3 right, top, back;
  cardan_vec3 middle; // of what moves, in the poses that are drawn
  double reach;       // from there to the ends of it [m]
} projection;

enum { OUTLINE_POINTS = 64 };

/* One solid, or a triangle of a mesh: a convex polygon. */
typedef struct {
  point p[OUTLINE_POINTS];
  int n;
  bool facet;  // no line around it
  bool ground; // a piece of a plane of the world
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

/* Outlines of all solids at data's poses, sorted; *n of them, from malloc. NULL: no memory.
 * thick: of bars where bodies have no shapes [m] */
outline *make_outlines(const cardan_model *model, const cardan_data *data, const projection *view,
                       cardan_mesh *const *mesh, double thick, int *n);

/* A point in the plane. */
point project(const projection *view, cardan_vec3 p);
/* Widens a box by the frames of bodies that move, at data's poses. */
void widen_moving(const cardan_model *model, const cardan_data *data, double low[3],
                  double high[3]);
/* Size of the box around all frames at data's poses [m]. */
double scene_extent(const cardan_model *model, const cardan_data *data);
