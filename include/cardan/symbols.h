/* SPDX-License-Identifier: Apache-2.0
 * cardan/symbols.h - what is to be drawn of a mechanism: joints, ground, closures, springs, drives,
 * and the forces of a motion.
 *
 * One description for every picture of a model (page, PNG, SVG). A symbol is fixed in a body and
 * made of simple solids; a tie stretches between two points; a bar is a piece of a body's skeleton.
 * Solids and places of a symbol are sums of two lengths,
 *   p u + m        p [px] stays as large on the screen, m [m] as large as the mechanism,
 * with u the metres that a pixel covers at the symbol's place, at most room / CARDAN_SYMBOL_ROOM:
 * where joints lie close together their symbols are smaller.
 * A description belongs to its maker and is constant; the calls allocate. */
#pragma once
#include "cardan/page.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CARDAN_SYMBOL_ROOM = 44 }; // pixels that a symbol takes at most

/* A solid, and its three sizes. z of its own axes is the axis. */
typedef enum {
  CARDAN_PART_BOX,      // edges along x, y, z
  CARDAN_PART_BALL,     // radii
  CARDAN_PART_CYLINDER, // radius, radius, height; about its middle
  CARDAN_PART_CONE,     // radius, radius, height; its tip at +z
  CARDAN_PART_RING      // radius, radius of the wire, -
} cardan_part_solid;

/* What it is, which decides its colour. */
typedef enum {
  CARDAN_TINT_JOINT,
  CARDAN_TINT_LINE,    // an axis, a rail
  CARDAN_TINT_INSIDE,  // of a pin: the colour of the paper
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
  double at[2][3]; // of its middle: [px], [m]
  double size[2][3];
} cardan_symbol_part;

/* Several symbols may be of one glyph. */
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

/* What stretches from a point of one body to a point of another. */
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

/* A force whose size columns of the first film tell: of one column along the line between two
 * points or along an axis, of three as a vector. */
typedef enum {
  CARDAN_ARROW_PULL,  // one column, > 0 draws both points together: an arrow at each
  CARDAN_ARROW_FORCE, // on body[0] at at[0]; of one column along z of R
  CARDAN_ARROW_TORQUE // likewise, as an arc about its direction
} cardan_arrow_kind;

/* What makes it, which decides its colour. */
typedef enum {
  CARDAN_ARROW_OF_JOINT,  // a reaction: what a joint does to the body behind it
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
  const char *group; // columns are called GROUP.NAME, of three GROUP.NAME.fx .. fz or .tx .. tz
  int column[3], ncolumn;
  int body[2];
  cardan_vec3 at[2]; // in the body's axes [m]
  cardan_mat3 R;     // the axes of the columns in the body's,
  bool in_world;     // or they are the world's
  int ring;          // of arcs about one axis: which one, counted from the innermost
} cardan_arrow;

/* A piece of a body without shapes, or what its shapes stand for: a bar, a ball where a == b. */
typedef struct {
  int body, frame; // the frame whose colour and name it has
  cardan_vec3 a, b;
  double mass; // of a ball [kg]
} cardan_bar;

typedef struct {
  double extent; // of the mechanism at the start, however far it goes [m]
  double thick;  // radius of a bar [m]
  double ball;   // radius of a ball of all the mass, which goes with the cube root of it [m]
  double force; // of an arrow of usual length: what nine of ten times stay below, contacts too, and
                // where nothing touches the weight of all, if that is more [N], 0: none
  double torque; // of an arc of half a turn: that of torques, rounded up [N m], 0: none
  int unseen[CARDAN_NARROW_OF]; // forces that the first film has no columns of
  int nglyph, npart, nsymbol, ntie, nbar, narrow;
  cardan_glyph *glyph;
  cardan_symbol_part *part;
  cardan_symbol *symbol;
  cardan_tie *tie;
  cardan_bar *bar;
  cardan_arrow *arrow;
  struct cardan_symbols_memory *memory;
} cardan_symbols;

/* Radius of a ball of this mass [m], of a model with mass in all. */
CARDAN_API double cardan_symbols_ball(const cardan_symbols *symbols, double mass, double all);

/* The force or torque of an arrow at poses X_W of the bodies, in world axes; of a PULL on its first
 * point, the second has the opposite. row: of the first film. Not a number where it is unknown. */
CARDAN_API cardan_vec3 cardan_arrow_vector(const cardan_arrow *arrow, const cardan_xform *X_W,
                                           const double *row);

/* Describes a model. film: nfilm motions of it, which tell how far sliders go and where all is at
 * the start; without any, rails are short, the start is that of the model, and there are no arrows.
 * The model must outlive it. *out is NULL on failure.
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_symbols_create(const cardan_model *model,
                                               const cardan_film *const *film, int nfilm,
                                               const cardan_allocator *allocator,
                                               cardan_symbols **out) CARDAN_MUST_USE;
CARDAN_API void cardan_symbols_destroy(cardan_symbols *symbols); // NULL is fine

#ifdef __cplusplus
}
#endif
