/* SPDX-License-Identifier: Apache-2.0
 * contact/field.h - a height field as its facets and edges, and one convex solid against it.
 *
 * Parts of a field (cardan__placed.part, cardan__spot.part) are numbered from 1: its facets, then
 * its elements. An element is a vertex or an edge of the surface at which it is convex: a point or
 * a segment that is a solid for itself. docs/shapes.md, "Height fields"
 *
 *   field_facet.c     a ball over a facet and what is convex about it
 *   field_element.c   solids against vertices and edges
 *   field_pairs.c     which of them are near, and the spots and the gap of a pair */
#pragma once
#include "contact/core.h"
#include "spatial/height_field.h"

/* Edges with a smaller angle, and facets that meet at one, are as flat [rad]. */
#define CARDAN__FIELD_FLAT 1e-7

static inline cardan__terrain cardan__field_terrain(const cardan__placed *b)
{
  return cardan__terrain_of(b->field, b->solid->size);
}

/* A part of a field in place of it: a plane through a facet, a sphere or a capsule of radius 0.
 * solid: room for it, whose body is the field's */
cardan__placed cardan__field_part(const cardan__placed *b, int part, cardan_solid *solid);
static inline bool cardan__field_is_facet(const cardan__placed *b, int part)
{
  return part <= cardan__facet_count(b->field);
}

/* ---- facets ---- */

/* A ball about the world point c against the intersection of the half-spaces of a facet and of
 * those about it that are convex with it: the distance less the radius, or minus the way out. One
 * of radius 0 has the largest of their separations.
 * foot  out: the nearest point of the intersection, in the field's axes; may be NULL */
void cardan__field_ball(cardan_vec3 c, double radius, const cardan__placed *b, int facet,
                        cardan__touch *at, cardan_vec3 *foot);

/* Is a point (field's axes) of a facet's plane on the facet? Or beside it by at most `beside`,
 * beyond an edge at which the surface is concave: there the plane runs on inside the field. */
bool cardan__field_on_facet(const cardan__terrain *t, const cardan__facet *f, cardan_vec3 x,
                            double beside);

/* Distance of a point (field's axes) from a triangle. */
double cardan__facet_distance(const cardan__facet *f, cardan_vec3 x);

/* The vertical line through x (field's axes) meets the triangle. */
bool cardan__field_below(const cardan__terrain *t, const cardan__facet *f, cardan_vec3 x);

/* ---- elements ---- */

typedef enum {
  CARDAN__ELEMENT_VERTEX,
  CARDAN__ELEMENT_X,
  CARDAN__ELEMENT_Y,
  CARDAN__ELEMENT_DIAGONAL,
  CARDAN__ELEMENT_CORNER // upright, below a corner of the rectangle
} cardan__element_kind;

/* The part that the vertex (i, j) is (kind 0), or the edge from there to (i + 1, j), (i, j + 1),
 * (i + 1, j + 1), or down from there. */
int cardan__field_element(const cardan_height_field *field, int i, int j, int kind);

/* May a convex solid touch this element, rather than facets alone? */
bool cardan__element_is_convex(const cardan__terrain *t, int i, int j, int kind);

/* Is n (unit, field's axes) a normal of the surface at it? */
bool cardan__element_has_normal(const cardan__terrain *t, int i, int j, int kind, cardan_vec3 n);

/* How a solid meets an element; false: not there, but at a facet, another element, or at a corner
 * of the solid, which are looked at for themselves.
 * always  what is inside of the solid counts, whatever the way out of it */
bool cardan__element_touch(const cardan__placed *a, const cardan__placed *b, const int place[3],
                           bool always, cardan__touch *at);
