// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "picture_scene.h"
#include "picture_space.h"

/* Symbols (cardan/symbols.h) in the plane of a picture: solids as outlines, rings and wires as
 * lines. */

enum { RING = 40, TURN = 12, DASHES = 11, MOST_TURNS = 14 };
static const double two_pi = 6.283185307179586;

typedef struct {
  const cardan_symbols *symbols;
  const cardan_data *data;
  const projection *view;
  double unit; // [m] that a unit of the drawing covers
  outline *out;
  int n;
} sketch;

static void set_tint(outline *o, cardan_tint tint)
{
  static const double rgb[][3] = {
      [CARDAN_TINT_JOINT] = {0.22, 0.26, 0.31},   [CARDAN_TINT_LINE] = {0.48, 0.53, 0.58},
      [CARDAN_TINT_INSIDE] = {1, 1, 1},           [CARDAN_TINT_GROUND] = {0.36, 0.40, 0.45},
      [CARDAN_TINT_CLOSURE] = {0.77, 0.33, 0.42}, [CARDAN_TINT_DRIVE] = {0.79, 0.46, 0.16},
      [CARDAN_TINT_LIMIT] = {0.57, 0.31, 0.67},   [CARDAN_TINT_SPRING] = {0.25, 0.49, 0.58}};
  o->red = rgb[tint][0];
  o->green = rgb[tint][1];
  o->blue = rgb[tint][2];
  o->facet = true;
}

static cardan_vec3 column(const cardan_mat3 *R, int k)
{
  return (cardan_vec3){R->m[0][k], R->m[1][k], R->m[2][k]};
}

static void to_line(const sketch *s, outline *o, double width)
{
  o->width = s->unit > 0 ? fmax(width / s->unit, 0.4) : 0.4;
}

/* A part in its place: X has its axes, size in metres. */
static void add_part(sketch *s, const cardan_symbol_part *part, const cardan_xform *X,
                     const double size[3], double depth)
{
  outline *o = &s->out[s->n++];
  const cardan_vec3 x = column(&X->R, 0), y = column(&X->R, 1), z = column(&X->R, 2);
  point p[OUTLINE_POINTS];
  int n = 0;
  if (part->solid == CARDAN_PART_RING) {
    for (int k = 0; k <= RING; k++) {
      const double angle = two_pi * k / RING;
      o->p[k] = project(s->view, add(add(X->p, size[0] * cos(angle), x), size[0] * sin(angle), y));
    }
    o->n = RING + 1;
    to_line(s, o, 2 * size[1]);
  } else if (part->solid == CARDAN_PART_BALL) {
    outline_rod(o, s->view, X->p, X->p, size[0]);
  } else {
    const cardan_vec3 a = add(X->p, -size[2] / 2, z), b = add(X->p, size[2] / 2, z);
    if (part->solid == CARDAN_PART_BOX) {
      for (int k = 0; k < 8; k++) {
        const cardan_vec3 side = add(k & 4 ? b : a, (k & 1 ? 0.5 : -0.5) * size[0], x);
        p[n++] = project(s->view, add(side, (k & 2 ? 0.5 : -0.5) * size[1], y));
      }
    } else {
      n = outline_circle(s->view, a, x, y, size[0], p);
      n += outline_circle(s->view, b, x, y, part->solid == CARDAN_PART_CONE ? 0 : size[0], p + n);
    }
    outline_hull(o, p, n);
  }
  o->depth = depth;
  set_tint(o, part->tint);
}

/* All parts of a symbol: the later ones over the earlier. */
static void add_symbol(sketch *s, const cardan_symbol *symbol)
{
  const cardan_glyph *glyph = &s->symbols->glyph[symbol->glyph];
  const cardan_xform *W = &s->data->X_W[symbol->body];
  const double u = fmin(s->unit, symbol->room / CARDAN_SYMBOL_ROOM);
  cardan_xform X = cardan_xform_mul(W, &symbol->X);
  if (symbol->faces) {
    for (int k = 0; k < 3; k++) {
      const cardan_vec3 axis = k == 0 ? s->view->right : k == 1 ? s->view->top : s->view->back;
      X.R.m[0][k] = axis.x;
      X.R.m[1][k] = axis.y;
      X.R.m[2][k] = axis.z;
    }
  }
  for (int i = glyph->part; i < glyph->part + glyph->npart; i++) {
    const cardan_symbol_part *part = &s->symbols->part[i];
    double size[3];
    cardan_xform local = {.R = part->R};
    for (int k = 0; k < 3; k++) {
      size[k] = u * part->size[0][k] + part->size[1][k];
    }
    local.p =
        (cardan_vec3){u * part->at[0][0] + part->at[1][0], u * part->at[0][1] + part->at[1][1],
                      u * part->at[0][2] + part->at[1][2]};
    const cardan_xform T = cardan_xform_mul(&X, &local);
    const double order = 1e-6 * s->symbols->extent * (i - glyph->part);
    add_part(s, part, &T, size, dot(s->view->back, X.p) + order);
  }
}

/* A stretch of a line, of `width` metres. */
static outline *add_line(sketch *s, cardan_tint tint, double width, double depth)
{
  outline *o = &s->out[s->n++];
  set_tint(o, tint);
  to_line(s, o, width);
  o->depth = depth;
  return o;
}

static void add_piece(sketch *s, cardan_tint tint, cardan_vec3 a, cardan_vec3 d, double from,
                      double to, double width)
{
  const cardan_vec3 p = add(a, from, d), q = add(a, to, d);
  outline *o = add_line(s, tint, width, dot(s->view->back, add(p, 0.5, add(q, -1, p))));
  o->p[o->n++] = project(s->view, p);
  o->p[o->n++] = project(s->view, q);
}

/* Turns of a spring, as many as its length at rest asks for: the same rule as on pages. */
static void add_coil(sketch *s, cardan_vec3 a, cardan_vec3 d, double rest, double u)
{
  const double thick = s->symbols->thick, length = sqrt(dot(d, d));
  const double fit = rest > 0 ? round(rest / (2.6 * 4 * thick)) : 7;
  const int turns = (int)fmin(fmax(fit, 4), MOST_TURNS);
  const double wire = fmin(u, length / 20) * 1.1 + 0.1 * thick, end = 0.07;
  const double radius = fmin(5 * u + 1.6 * thick, 0.3 * length + wire);
  const cardan_vec3 along = unit(d);
  const cardan_vec3 helper = fabs(along.y) < 0.9 ? (cardan_vec3){0, 1, 0} : (cardan_vec3){1, 0, 0};
  const cardan_vec3 x = unit(cross(helper, along)), y = cross(along, x);
  for (int t = -1; t <= turns; t++) {
    outline *o = add_line(s, CARDAN_TINT_SPRING, 2 * wire, dot(s->view->back, add(a, 0.5, d)));
    for (int k = 0; k <= TURN; k++) {
      const double at_turn = t + (double)k / TURN, angle = two_pi * at_turn;
      const double inside = fmin(fmax(at_turn, 0), turns) / turns;
      const double share = t < 0        ? end * k / TURN
                           : t == turns ? 1 - end + end * k / TURN
                                        : end + (1 - 2 * end) * inside;
      const double out = t < 0        ? radius * k / TURN
                         : t == turns ? radius * (1 - (double)k / TURN)
                                      : radius;
      const double c = t < 0 || t == turns ? 1 : cos(angle),
                   si = t < 0 || t == turns ? 0 : sin(angle);
      o->p[o->n++] = project(s->view, add(add(add(a, share, d), out * c, x), out * si, y));
    }
  }
}

static void add_tie(sketch *s, const cardan_tie *tie)
{
  const cardan_vec3 a = at(&s->data->X_W[tie->body[0]], tie->at[0]);
  const cardan_vec3 d = add(at(&s->data->X_W[tie->body[1]], tie->at[1]), -1, a);
  const double u = s->unit, thick = s->symbols->thick;
  switch (tie->kind) {
  case CARDAN_TIE_COIL:
    add_coil(s, a, d, tie->length, u);
    break;
  case CARDAN_TIE_DASHPOT:
    add_piece(s, CARDAN_TINT_SPRING, a, d, 0, 0.35, 2.2 * u);
    add_piece(s, CARDAN_TINT_SPRING, a, d, 0.35, 0.7, 10 * u + 2.4 * thick);
    add_piece(s, CARDAN_TINT_SPRING, a, d, 0.7, 1, 3.2 * u);
    break;
  case CARDAN_TIE_RAM:
    add_piece(s, CARDAN_TINT_DRIVE, a, d, 0, 0.55, 8 * u + 2.2 * thick);
    add_piece(s, CARDAN_TINT_DRIVE, a, d, 0.55, 1, 3.6 * u + 0.8 * thick);
    break;
  case CARDAN_TIE_DASHES:
    for (int k = 0; k < DASHES; k++) {
      add_piece(s, CARDAN_TINT_LINE, a, d, (double)k / DASHES, (k + 0.55) / DASHES, 1.6 * u);
    }
    break;
  case CARDAN_TIE_CORD:
    add_piece(s, CARDAN_TINT_JOINT, a, d, 0, 1, 3 * u);
    break;
  case CARDAN_TIE_GROUND:
    add_piece(s, CARDAN_TINT_GROUND, a, d, 0, 1, 1.8 * u);
    break;
  }
}

outline *make_symbols(const cardan_symbols *symbols, const cardan_data *data,
                      const projection *view, double unit, bool ties_alone, int *n)
{
  size_t most = (size_t)symbols->ntie * (MOST_TURNS + 2) + 1;
  for (int i = 0; i < symbols->nsymbol && !ties_alone; i++) {
    most += (size_t)symbols->glyph[symbols->symbol[i].glyph].npart;
  }
  sketch s = {.symbols = symbols,
              .data = data,
              .view = view,
              .unit = unit,
              .out = calloc(most, sizeof *s.out)};
  for (int i = 0; s.out != NULL && i < symbols->ntie; i++) {
    if (!ties_alone || symbols->tie[i].kind != CARDAN_TIE_GROUND) {
      add_tie(&s, &symbols->tie[i]);
    }
  }
  for (int i = 0; s.out != NULL && !ties_alone && i < symbols->nsymbol; i++) {
    add_symbol(&s, &symbols->symbol[i]);
  }
  *n = s.n;
  if (s.out != NULL) {
    qsort(s.out, (size_t)s.n, sizeof *s.out, outline_by_depth);
  }
  return s.out;
}
