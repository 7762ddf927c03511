/* SPDX-License-Identifier: Apache-2.0
 * output/symbols.h - a description of what is to be drawn, under construction.
 *
 *   symbols.c        start, sizes, and the order of all
 *   symbols_joint.c  joints, their ground, drives, stops and springs
 *   symbols_glyph.c  what a symbol looks like
 *   symbols_tie.c    elements between frames, gears and racks, equations
 *   symbols_cam.c    equations that are cams
 *   symbols_bar.c    skeletons of bodies, and that of the world
 *   symbols_arrow.c  forces, by the columns of a film (arrows.h) */
#pragma once
#include "cardan/data.h"
#include "cardan/symbols.h"
#include "model/elements.h"

typedef enum {
  CARDAN__GLYPH_HINGE,
  CARDAN__GLYPH_BLOCK, // of a slider
  CARDAN__GLYPH_SLEEVE,
  CARDAN__GLYPH_NUT,
  CARDAN__GLYPH_CROSS,
  CARDAN__GLYPH_PLATE,
  CARDAN__GLYPH_BALL,
  CARDAN__GLYPH_SOCKET,
  CARDAN__GLYPH_GROUND, // its plate is on the side of y
  CARDAN__GLYPH_CLOSURE,
  CARDAN__GLYPH_TURNED, // a drive that turns, that pushes
  CARDAN__GLYPH_PUSHED,
  CARDAN__GLYPH_TWIST, // a spring about an axis
  CARDAN__GLYPH_BUSHING,
  CARDAN__NGLYPH
} cardan__glyph;

typedef struct {
  const cardan_model *model;
  cardan_data *start;  // poses there
  double *low, *high;  // nq: where the coordinates go
  double *room;        // nbody: from a body's joint to the next one [m]
  bool *driven;        // nbody: it has its arrow
  cardan_vec3 *ground; // nground points of the world that something is fixed at
  int nground, ground_capacity;
  cardan_vec3 up, middle;     // against gravity; of what moves
  double extent;              // of the mechanism [m]
  int common[CARDAN__NGLYPH]; // 1 + its index, 0: not made yet
  int glyph_capacity, part_capacity, symbol_capacity, tie_capacity, bar_capacity, track_capacity;
  cardan_allocator alloc;
  cardan_symbols *to;
  bool failed;              // no memory
  cardan_symbol_part spare; // what is written after a failure
  cardan_symbol lost;
} cardan__draft;

/* Memory for one more; what is taken after a failure is lost. */
cardan_symbol *cardan__draft_symbol(cardan__draft *draft, int glyph, int body,
                                    const cardan_xform *X);
void cardan__draft_tie(cardan__draft *draft, const cardan_tie *tie);
void cardan__draft_bar(cardan__draft *draft, const cardan_bar *bar);
void cardan__draft_track(cardan__draft *draft, const cardan_track *track);
void cardan__draft_ground(cardan__draft *draft, cardan_vec3 at);

/* A glyph of its own, to which parts are added; one that many symbols share. */
int cardan__glyph_open(cardan__draft *draft, const char *word);
int cardan__glyph_of(cardan__draft *draft, cardan__glyph kind);
/* The next part of the last glyph: sizes in px, in metres 0; at its origin. */
cardan_symbol_part *cardan__part(cardan__draft *draft, cardan_part_solid solid, cardan_tint tint,
                                 double x, double y, double z);
/* The same with sizes that grow with the bars, by so many radii of one. */
cardan_symbol_part *cardan__part_over(cardan__draft *draft, cardan_part_solid solid,
                                      cardan_tint tint, const double px[3], const double bars[3]);
void cardan__part_at(cardan_symbol_part *part, double x, double y, double z);   // [px]
void cardan__part_move(cardan_symbol_part *part, double x, double y, double z); // by [m]
/* Turned about x, y, z (0, 1, 2) of the symbol. */
void cardan__part_turn(cardan_symbol_part *part, int axis, double angle);

/* Rails over a travel, of a slider, a sleeve or a screw (turns: threads), hatched in the world. */
int cardan__glyph_rail(cardan__draft *draft, double low, double high, bool ground);
int cardan__glyph_rod(cardan__draft *draft, double low, double high, bool thread);
/* Ends of a hinge's way, as angles from x; of a slider's. */
int cardan__glyph_stops_turn(cardan__draft *draft, const double limit[2]);
int cardan__glyph_stops_slide(cardan__draft *draft, const double limit[2]);
/* A toothed wheel, a rack from low to high. */
int cardan__glyph_wheel(cardan__draft *draft, double radius, double pitch);
int cardan__glyph_rack(cardan__draft *draft, double low, double high, double pitch);
/* What rolls, at its radius [m]: the rim about z and a diameter, which shows its turn; great
 * circles across x, y, z. A blade along z. */
int cardan__glyph_disc(cardan__draft *draft, double radius);
int cardan__glyph_ball(cardan__draft *draft, double radius);
int cardan__glyph_blade(cardan__draft *draft);

/* Axes with z along a direction and y as near as can be to another. */
cardan_mat3 cardan__axes(cardan_vec3 z, cardan_vec3 y);
/* Pose of a body at the start, of its joint in the parent. */
const cardan_xform *cardan__draft_pose(const cardan__draft *draft, int body);

void cardan__draft_joints(cardan__draft *draft);
void cardan__draft_ties(cardan__draft *draft);
void cardan__draft_bars(cardan__draft *draft);
void cardan__draft_world(cardan__draft *draft); // behind all: it joins what is fixed there
void cardan__draft_arrows(cardan__draft *draft, const cardan_film *film); // NULL: there are none
/* A drive, a spring on coordinate q. */
void cardan__draft_drive(cardan__draft *draft, int body, const char *name, const char *kind);
void cardan__draft_joint_spring(cardan__draft *draft, int q, double rest, const char *name);
void cardan__draft_stop(cardan__draft *draft, int q, const double limit[2], const char *name,
                        const char *kind);
/* The outline of a cam that an expression is. returns false: it is none, and nothing is drawn */
bool cardan__draft_cam(cardan__draft *draft, int expr, const char *name, const char *kind);
