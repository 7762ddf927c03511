/* SPDX-License-Identifier: Apache-2.0
 * cardan/symbols.h - symbols for drawing a mechanism: joints, ground, closures, springs, drives,
 * and the forces of a motion.
 *
 * All pictures of a model (page, PNG, SVG) use the same symbols. A symbol is fixed in a body and
 * consists of simple solids; a tie connects two points; a bar is a piece of a body's skeleton.
 * Sizes and positions in a symbol are sums of two lengths,
 *   p u + m        p [px] has a constant size on the screen, m [m] scales with the mechanism,
 * with u the metres per pixel at the symbol's position, at most room / CARDAN_SYMBOL_ROOM, so that
 * symbols of joints that are close together are smaller.
 * The result is constant and belongs to the caller; the calls allocate. */
#pragma once
#include "cardan/page.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CARDAN_SYMBOL_ROOM = 44 }; // largest size of a symbol [px]

/* A solid, and its three sizes. Its axis is its own z. */
typedef enum {
  CARDAN_PART_BOX,      // edges along x, y, z
  CARDAN_PART_BALL,     // radii
  CARDAN_PART_CYLINDER, // radius, radius, height; about its middle
  CARDAN_PART_CONE,     // radius, radius, height; its tip at +z
  CARDAN_PART_RING      // radius, radius of the wire, -
} cardan_part_solid;

/* Role of a part, which determines its colour. */
typedef enum {
  CARDAN_TINT_JOINT,
  CARDAN_TINT_LINE,    // an axis, a rail
  CARDAN_TINT_INSIDE,  // the inside of a pin, in the background colour
  CARDAN_TINT_GROUND,  // fixed in the world
  CARDAN_TINT_CLOSURE, // where a loop closes
  CARDAN_TINT_DRIVE,
  CARDAN_TINT_LIMIT,
  CARDAN_TINT_SPRING
} cardan_tint;

typedef struct {
  cardan_part_solid solid;
  cardan_tint tint;
  cardan_mat3 R;   // its axes in those of the symbol
  double at[2][3]; // its centre: [px], [m]
  double size[2][3];
} cardan_symbol_part;

/* A glyph: parts that several symbols may share. */
typedef struct {
  const char *word; // "hinge", "ground", ..
  int part, npart;  // range in symbols->part
} cardan_glyph;

typedef struct {
  int glyph;
  const char *name, *kind; // of the joint or element, and its word in a model file; "" of the world
  int body;
  cardan_xform X; // its axes in the body's
  bool faces;     // z points to the viewer, wherever that is
  double room;    // [m]
} cardan_symbol;

/* A connection from a point of one body to a point of another. */
typedef enum {
  CARDAN_TIE_CORD,    // a wire, a rope: 3 px thick
  CARDAN_TIE_COIL,    // a spring; length: at rest
  CARDAN_TIE_DASHPOT, // a damper
  CARDAN_TIE_RAM,     // a force along the line
  CARDAN_TIE_DASHES,  // coordinates that an equation or a gear couples, attraction
  CARDAN_TIE_GROUND   // the link that the world is
} cardan_tie_kind;

typedef struct {
  cardan_tie_kind kind;
  const char *name, *word;
  int body[2];
  cardan_vec3 at[2]; // in the body's axes [m]
  double length;     // [m], 0: not known
} cardan_tie;

/* A force whose value is in columns of the first film: in one column, along the line between two
 * points or along an axis; in three columns, as a vector. */
typedef enum {
  CARDAN_ARROW_PULL,  // one column, > 0 draws both points together: an arrow at each
  CARDAN_ARROW_FORCE, // on body[0] at at[0]; of one column along z of R
  CARDAN_ARROW_TORQUE // likewise, as an arc about its direction
} cardan_arrow_kind;

/* Cause of a force, which determines its colour. */
typedef enum {
  CARDAN_ARROW_OF_JOINT,  // a reaction: force of a joint on its child body
  CARDAN_ARROW_OF_SPRING, // springs, dampers, bushings
  CARDAN_ARROW_OF_CORD,   // wires, ropes
  CARDAN_ARROW_OF_DRIVE,  // motions, torques, actuators
  CARDAN_ARROW_OF_LOAD,   // wrenches, forces between frames
  CARDAN_NARROW_OF
} cardan_arrow_of;

typedef struct {
  cardan_arrow_kind kind;
  cardan_arrow_of of;
  const char *name, *word;
  const char *group; // columns are GROUP.NAME, or three: GROUP.NAME.fx .. fz or .tx .. tz
  int column[3], ncolumn;
  int body[2];
  cardan_vec3 at[2]; // in the body's axes [m]
  cardan_mat3 R;     // the axes of the columns in the body's,
  bool in_world;     // or they are the world's
  int ring;          // number of the arc among those about the same axis, from the innermost
} cardan_arrow;

/* A piece of a body's skeleton, drawn for bodies without shapes: a bar, or a ball if a == b. */
typedef struct {
  int body, frame; // the frame whose colour and name it has
  cardan_vec3 a, b;
  double mass; // of a ball [kg]
} cardan_bar;

/* What rolls or glides on a plane, for the place where it touches: a disc (axis and radius), a ball
 * (radius alone) or a blade (radius 0). */
typedef struct {
  const char *name, *kind;  // of the element, and its word in a model file
  int body[2];              // that touches, that has the plane
  cardan_vec3 at, axis;     // centre, axis of a disc, in the first body's axes [m]
  cardan_vec3 foot, normal; // a point of the plane, its normal, in the second body's axes [m]
  double radius;            // [m]
} cardan_track;

typedef struct {
  double extent; // size of the mechanism at the start [m]
  double thick;  // radius of a bar [m]
  double ball;   // radius of a ball of the total mass; radii scale with its cube root [m]
  double
      force; // force of an arrow of normal length: the 90 % quantile of forces, contacts included;
             // without contacts at least the total weight [N], 0: none
  double torque; // torque of an arc of half a turn: likewise, rounded up [N m], 0: none
  int unseen[CARDAN_NARROW_OF]; // number of forces without columns in the first film
  int nglyph, npart, nsymbol, ntie, nbar, narrow, ntrack;
  cardan_glyph *glyph;
  cardan_symbol_part *part;
  cardan_symbol *symbol;
  cardan_tie *tie;
  cardan_bar *bar;
  cardan_arrow *arrow;
  cardan_track *track;
  struct cardan_symbols_memory *memory;
} cardan_symbols;

/* Radius of a ball of this mass [m]; all: total mass of the model. */
CARDAN_API double cardan_symbols_ball(const cardan_symbols *symbols, double mass, double all);

/* Force or torque of an arrow at poses X_W of the bodies, in world axes; of a PULL the force on its
 * first point. row: of the first film. NaN if it is not known. */
CARDAN_API cardan_vec3 cardan_arrow_vector(const cardan_arrow *arrow, const cardan_xform *X_W,
                                           const double *row);

/* Creates the symbols of a model. film: nfilm motions of it, for the range of sliders and the
 * start; without films rails are short, the start is the model's, and there are no arrows.
 * The model must outlive the symbols. *out is NULL on failure.
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_symbols_create(const cardan_model *model,
                                               const cardan_film *const *film, int nfilm,
                                               const cardan_allocator *allocator,
                                               cardan_symbols **out) CARDAN_MUST_USE;
CARDAN_API void cardan_symbols_destroy(cardan_symbols *symbols); // NULL is fine

#ifdef __cplusplus
}
#endif
