// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/arena.h"
#include "output/symbols.h"
#include "spatial/rotation.h"

/* What symbols look like, as a handful of solids each. Lengths are in pixels, those that must stay
 * outside a bar with so many of its radii more. */

static const double pi = 3.14159265358979323846;

int cardan__glyph_open(cardan__draft *d, const char *word)
{
  cardan_symbols *to = d->to;
  if (d->failed || cardan__grow(&d->alloc, (void **)&to->glyph, &d->glyph_capacity, to->nglyph + 1,
                                sizeof *to->glyph) != CARDAN_OK) {
    d->failed = true;
    return 0;
  }
  to->glyph[to->nglyph] = (cardan_glyph){.word = word, .part = to->npart};
  return to->nglyph++;
}

cardan_symbol_part *cardan__part(cardan__draft *d, cardan_part_solid solid, cardan_tint tint,
                                 double x, double y, double z)
{
  cardan_symbols *to = d->to;
  if (d->failed || cardan__grow(&d->alloc, (void **)&to->part, &d->part_capacity, to->npart + 1,
                                sizeof *to->part) != CARDAN_OK) {
    d->failed = true;
    return &d->spare;
  }
  cardan_symbol_part *part = &to->part[to->npart++];
  *part = (cardan_symbol_part){
      .solid = solid, .tint = tint, .R = cardan__mat3_identity(), .size = {{x, y, z}, {0}}};
  to->glyph[to->nglyph - 1].npart++;
  return part;
}

cardan_symbol_part *cardan__part_over(cardan__draft *d, cardan_part_solid solid, cardan_tint tint,
                                      const double px[3], const double bars[3])
{
  cardan_symbol_part *part = cardan__part(d, solid, tint, px[0], px[1], px[2]);
  for (int k = 0; k < 3; k++) {
    part->size[1][k] = bars[k] * d->to->thick;
  }
  return part;
}

void cardan__part_at(cardan_symbol_part *part, double x, double y, double z)
{
  part->at[0][0] = x;
  part->at[0][1] = y;
  part->at[0][2] = z;
}

void cardan__part_move(cardan_symbol_part *part, double x, double y, double z)
{
  part->at[1][0] += x;
  part->at[1][1] += y;
  part->at[1][2] += z;
}

void cardan__part_turn(cardan_symbol_part *part, int axis, double angle)
{
  const cardan_vec3 w = {axis == 0 ? angle : 0, axis == 1 ? angle : 0, axis == 2 ? angle : 0};
  const cardan_mat3 turn = cardan_so3_exp(w);
  part->R = cardan__mat3_mul(&turn, &part->R);
}

#define SIZE(x, y, z) \
  (const double[3])   \
  {                   \
    x, y, z           \
  }

/* A pin with its axis; seen from its end, a ring. */
static void hinge(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_JOINT, SIZE(4.2, 4.2, 8),
                    SIZE(1.3, 1.3, 3.2));
  cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_INSIDE, SIZE(1.9, 1.9, 8.8),
                    SIZE(0.6, 0.6, 3.3));
  cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_LINE, SIZE(0.7, 0.7, 36), SIZE(0, 0, 4));
}

static void block(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_BOX, CARDAN_TINT_JOINT, SIZE(10, 10, 17), SIZE(2.8, 2.8, 4));
}

static void sleeve(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_JOINT, SIZE(5.5, 5.5, 15),
                    SIZE(1.5, 1.5, 3));
  cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_INSIDE, SIZE(3.4, 3.4, 15.6),
                    SIZE(0.9, 0.9, 3.1));
}

static void nut(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_BOX, CARDAN_TINT_JOINT, SIZE(13, 13, 9), SIZE(3, 3, 2));
}

static void cross(cardan__draft *d)
{
  for (int k = 0; k < 2; k++) {
    cardan_symbol_part *rod = cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_JOINT,
                                                SIZE(1.8, 1.8, 22), SIZE(0.5, 0.5, 4));
    cardan__part_turn(rod, 1, k * pi / 2);
    for (int side = -1; side <= 1; side += 2) {
      cardan_symbol_part *end = cardan__part_over(d, CARDAN_PART_BALL, CARDAN_TINT_JOINT,
                                                  SIZE(2.8, 2.8, 2.8), SIZE(0.6, 0.6, 0.6));
      const double px = 11 * side, m = 2 * side * d->to->thick;
      cardan__part_at(end, k * px, 0, (1 - k) * px);
      cardan__part_move(end, k * m, 0, (1 - k) * m);
    }
  }
}

/* The edges of a square piece of the plane. */
static void plate(cardan__draft *d)
{
  const double half = 2.5 * d->to->thick;
  for (int k = 0; k < 4; k++) {
    const double c = cos(k * pi / 2), s = sin(k * pi / 2);
    cardan_symbol_part *edge = cardan__part_over(d, CARDAN_PART_BOX, CARDAN_TINT_LINE,
                                                 SIZE(1.6, 29.6, 1.6), SIZE(0, 5, 0));
    cardan__part_turn(edge, 2, k * pi / 2);
    cardan__part_at(edge, 14 * c, 14 * s, 0);
    cardan__part_move(edge, half * c, half * s, 0);
  }
}

static void ball(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_BALL, CARDAN_TINT_JOINT, SIZE(4.6, 4.6, 4.6),
                    SIZE(1.3, 1.3, 1.3));
}

static void socket(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_LINE, SIZE(6.6, 1.3, 0), SIZE(1.7, 0.2, 0));
}

/* Two legs on a plate with hatching behind it. */
static void ground(cardan__draft *d)
{
  const double foot = 1.5 * d->to->thick, lean = atan2(6, 12);
  for (int side = -1; side <= 1; side += 2) {
    cardan_symbol_part *leg =
        cardan__part(d, CARDAN_PART_CYLINDER, CARDAN_TINT_GROUND, 0.9, 0.9, hypot(6, 12));
    leg->size[1][2] = foot;
    cardan__part_turn(leg, 0, -pi / 2);
    cardan__part_turn(leg, 2, -side * lean);
    cardan__part_at(leg, 3 * side, 6, 0);
    cardan__part_move(leg, 0, foot / 2, 0);
  }
  cardan_symbol_part *floor = cardan__part(d, CARDAN_PART_BOX, CARDAN_TINT_GROUND, 26, 1.6, 11);
  cardan__part_at(floor, 0, 12.8, 0);
  cardan__part_move(floor, 0, foot, 0);
  for (int k = 0; k < 5; k++) {
    cardan_symbol_part *stroke = cardan__part(d, CARDAN_PART_BOX, CARDAN_TINT_GROUND, 6.6, 1, 1.4);
    cardan__part_turn(stroke, 2, pi / 4);
    cardan__part_at(stroke, -10.5 + 5.25 * k, 15.6, 0);
    cardan__part_move(stroke, 0, foot, 0);
  }
}

/* A ring around the ends that meet. */
static void closure(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_CLOSURE, SIZE(7.5, 1.5, 0), SIZE(2, 0.25, 0));
}

static void draw_rotary_drive(cardan__draft *d)
{
  const double r = 2.2 * d->to->thick;
  cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_DRIVE, SIZE(11, 0.9, 0), SIZE(2.2, 0, 0));
  cardan_symbol_part *head = cardan__part(d, CARDAN_PART_CONE, CARDAN_TINT_DRIVE, 3.6, 3.6, 9);
  cardan__part_turn(head, 0, -pi / 2);
  cardan__part_at(head, 11, 0, 0);
  cardan__part_move(head, r, 0, 0);
}

static void pushed(cardan__draft *d)
{
  const double x = 2.4 * d->to->thick;
  cardan_symbol_part *shaft =
      cardan__part(d, CARDAN_PART_CYLINDER, CARDAN_TINT_DRIVE, 1.1, 1.1, 22);
  cardan__part_at(shaft, 12, 0, -4);
  cardan__part_move(shaft, x, 0, 0);
  cardan_symbol_part *head = cardan__part(d, CARDAN_PART_CONE, CARDAN_TINT_DRIVE, 3.6, 3.6, 9);
  cardan__part_at(head, 12, 0, 10);
  cardan__part_move(head, x, 0, 0);
}

static void twist(cardan__draft *d)
{
  for (int k = -1; k <= 1; k++) {
    cardan_symbol_part *turn = cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_SPRING,
                                                 SIZE(6.6, 0.9, 0), SIZE(1.8, 0, 0));
    cardan__part_turn(turn, 0, 0.15);
    cardan__part_at(turn, 0, 0, 3.2 * k);
    cardan__part_move(turn, 0, 0, 0.8 * k * d->to->thick);
  }
}

static void bushing(cardan__draft *d)
{
  cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_SPRING, SIZE(8, 2.2, 0), SIZE(1.9, 0.3, 0));
  cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_JOINT, SIZE(11, 0.9, 0), SIZE(2.2, 0, 0));
}

int cardan__glyph_of(cardan__draft *d, cardan__glyph kind)
{
  static const struct {
    const char *word;
    void (*draw)(cardan__draft *);
  } list[CARDAN__NGLYPH] = {[CARDAN__GLYPH_HINGE] = {"hinge", hinge},
                            [CARDAN__GLYPH_BLOCK] = {"slider", block},
                            [CARDAN__GLYPH_SLEEVE] = {"sleeve", sleeve},
                            [CARDAN__GLYPH_NUT] = {"nut", nut},
                            [CARDAN__GLYPH_CROSS] = {"cross", cross},
                            [CARDAN__GLYPH_PLATE] = {"plate", plate},
                            [CARDAN__GLYPH_BALL] = {"ball", ball},
                            [CARDAN__GLYPH_SOCKET] = {"socket", socket},
                            [CARDAN__GLYPH_GROUND] = {"ground", ground},
                            [CARDAN__GLYPH_CLOSURE] = {"closure", closure},
                            [CARDAN__GLYPH_TURNED] = {"drive", draw_rotary_drive},
                            [CARDAN__GLYPH_PUSHED] = {"drive", pushed},
                            [CARDAN__GLYPH_TWIST] = {"twist", twist},
                            [CARDAN__GLYPH_BUSHING] = {"bushing", bushing}};
  if (d->common[kind] == 0) {
    d->common[kind] = 1 + cardan__glyph_open(d, list[kind].word);
    list[kind].draw(d);
  }
  return d->common[kind] - 1;
}

/* ---- as long as the motion makes them ---- */

/* Hatching beside a line along z at x, on the outer side. */
static void hatch(cardan__draft *d, double low, double high, double x, double x_m, int side)
{
  enum { STROKES = 9 };
  for (int k = 0; k < STROKES; k++) {
    const double part = (double)k / (STROKES - 1);
    cardan_symbol_part *stroke = cardan__part(d, CARDAN_PART_BOX, CARDAN_TINT_GROUND, 6.6, 1.4, 1);
    cardan__part_turn(stroke, 1, -side * pi / 4);
    cardan__part_at(stroke, x + 2.8 * side, 0, 22 * (part - 0.5));
    cardan__part_move(stroke, x_m, 0, low + part * (high - low));
  }
}

int cardan__glyph_rail(cardan__draft *d, double low, double high, bool ground_rail)
{
  const int glyph = cardan__glyph_open(d, "rail");
  const double aside = 1.9 * d->to->thick;
  for (int side = -1; side <= 1; side += 2) {
    cardan_symbol_part *rail = cardan__part(
        d, CARDAN_PART_CYLINDER, ground_rail ? CARDAN_TINT_GROUND : CARDAN_TINT_LINE, 1.1, 1.1, 26);
    rail->size[1][2] = high - low + 4 * d->to->thick;
    cardan__part_at(rail, 7 * side, 0, 0);
    cardan__part_move(rail, side * aside, 0, (low + high) / 2);
    if (ground_rail) {
      hatch(d, low, high, 7.0 * side, side * aside, side);
    }
  }
  return glyph;
}

int cardan__glyph_rod(cardan__draft *d, double low, double high, bool thread)
{
  const int glyph = cardan__glyph_open(d, thread ? "screw" : "rod");
  enum { TURNS = 13 };
  cardan_symbol_part *rod = cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_LINE,
                                              SIZE(2, 2, 40), SIZE(0.5, 0.5, 4));
  rod->size[1][2] += high - low;
  cardan__part_move(rod, 0, 0, (low + high) / 2);
  for (int k = 0; k < TURNS && thread; k++) {
    const double part = (double)k / (TURNS - 1);
    cardan_symbol_part *turn = cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_LINE,
                                                 SIZE(3.2, 0.8, 0), SIZE(0.8, 0, 0));
    cardan__part_turn(turn, 0, 0.25);
    cardan__part_at(turn, 0, 0, 34 * (part - 0.5));
    cardan__part_move(turn, 0, 0, low + part * (high - low));
  }
  return glyph;
}

int cardan__glyph_stops_turn(cardan__draft *d, const double limit[2])
{
  const int glyph = cardan__glyph_open(d, "stops");
  const double near = 2 * d->to->thick;
  for (int k = 0; k < 2; k++) {
    const double c = cos(limit[k]), s = sin(limit[k]);
    cardan_symbol_part *needle =
        cardan__part(d, CARDAN_PART_CYLINDER, CARDAN_TINT_LIMIT, 0.8, 0.8, 14);
    cardan__part_turn(needle, 1, pi / 2);
    cardan__part_turn(needle, 2, limit[k]);
    cardan__part_at(needle, 13 * c, 13 * s, 0);
    cardan__part_move(needle, near * c, near * s, 0);
    cardan_symbol_part *end = cardan__part(d, CARDAN_PART_BALL, CARDAN_TINT_LIMIT, 1.9, 1.9, 1.9);
    cardan__part_at(end, 20 * c, 20 * s, 0);
    cardan__part_move(end, near * c, near * s, 0);
  }
  return glyph;
}

int cardan__glyph_stops_slide(cardan__draft *d, const double limit[2])
{
  const int glyph = cardan__glyph_open(d, "stops");
  for (int k = 0; k < 2; k++) {
    const int side = k == 0 ? -1 : 1;
    cardan_symbol_part *end =
        cardan__part_over(d, CARDAN_PART_BOX, CARDAN_TINT_LIMIT, SIZE(20, 8, 2.2), SIZE(4.4, 2, 0));
    cardan__part_at(end, 0, 0, 10 * side); // outside of the block
    cardan__part_move(end, 0, 0, limit[k] + 2 * side * d->to->thick);
  }
  return glyph;
}

static void tooth(cardan__draft *d, double pitch, double x, double y, double angle)
{
  cardan_symbol_part *part = cardan__part(d, CARDAN_PART_BOX, CARDAN_TINT_JOINT, 0, 0, 2);
  part->size[1][0] = 0.5 * pitch;
  part->size[1][1] = 0.42 * pitch;
  part->size[1][2] = 1.5 * d->to->thick;
  cardan__part_turn(part, 2, angle);
  cardan__part_move(part, x, y, 0);
}

int cardan__glyph_wheel(cardan__draft *d, double radius, double pitch)
{
  enum { MOST = 120 };
  const int glyph = cardan__glyph_open(d, "wheel");
  const double count = fmin(fmax(round(2 * pi * radius / pitch), 6), MOST);
  cardan_symbol_part *rim =
      cardan__part_over(d, CARDAN_PART_RING, CARDAN_TINT_JOINT, SIZE(0, 1, 0), SIZE(0, 0.3, 0));
  rim->size[1][0] = radius - 0.25 * pitch;
  for (int k = 0; k < (int)count; k++) {
    const double angle = 2 * pi * k / count;
    tooth(d, pitch, radius * cos(angle), radius * sin(angle), angle);
  }
  return glyph;
}

int cardan__glyph_rack(cardan__draft *d, double low, double high, double pitch)
{
  enum { MOST = 120 };
  const int glyph = cardan__glyph_open(d, "rack");
  const double count = fmin(fmax(ceil((high - low) / pitch), 3), MOST);
  const double step = (high - low) / count;
  cardan_symbol_part *bar = cardan__part(d, CARDAN_PART_BOX, CARDAN_TINT_JOINT, 0, 0, 2);
  bar->size[1][0] = high - low;
  bar->size[1][1] = 0.5 * pitch;
  bar->size[1][2] = 1.5 * d->to->thick;
  cardan__part_move(bar, (low + high) / 2, -0.5 * pitch, 0);
  for (int k = 0; k < (int)count; k++) {
    tooth(d, pitch, low + (k + 0.5) * step, 0, pi / 2);
  }
  return glyph;
}

/* A circle about z. */
static cardan_symbol_part *add_circle(cardan__draft *d, double radius, double wire)
{
  cardan_symbol_part *ring = cardan__part(d, CARDAN_PART_RING, CARDAN_TINT_JOINT, 0, wire, 0);
  ring->size[1][0] = radius;
  return ring;
}

int cardan__glyph_disc(cardan__draft *d, double radius)
{
  const int glyph = cardan__glyph_open(d, "rolling disc");
  add_circle(d, radius, 1.4);
  cardan_symbol_part *spoke = cardan__part(d, CARDAN_PART_CYLINDER, CARDAN_TINT_LINE, 0.7, 0.7, 0);
  spoke->size[1][2] = 2 * radius;
  cardan__part_turn(spoke, 1, pi / 2);
  return glyph;
}

int cardan__glyph_ball(cardan__draft *d, double radius)
{
  const int glyph = cardan__glyph_open(d, "rolling ball");
  add_circle(d, radius, 0.9);
  cardan__part_turn(add_circle(d, radius, 0.9), 0, pi / 2);
  cardan__part_turn(add_circle(d, radius, 0.9), 1, pi / 2);
  return glyph;
}

int cardan__glyph_blade(cardan__draft *d)
{
  const int glyph = cardan__glyph_open(d, "blade");
  cardan__part_over(d, CARDAN_PART_CYLINDER, CARDAN_TINT_JOINT, SIZE(1.8, 1.8, 26),
                    SIZE(0.5, 0.5, 4));
  return glyph;
}
