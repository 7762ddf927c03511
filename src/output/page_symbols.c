// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "output/page.h"

/* "symbols" of a page: glyphs once, then what stands where (viewer/src/symbols.ts). What is as it
 * mostly is, is left out. */

static const char *const solids[] = {[CARDAN_PART_BOX] = "box",
                                     [CARDAN_PART_BALL] = "sphere",
                                     [CARDAN_PART_CYLINDER] = "cylinder",
                                     [CARDAN_PART_CONE] = "cone",
                                     [CARDAN_PART_RING] = "ring"};
static const char *const tints[] = {
    [CARDAN_TINT_JOINT] = "joint",     [CARDAN_TINT_LINE] = "line",
    [CARDAN_TINT_INSIDE] = "inside",   [CARDAN_TINT_GROUND] = "ground",
    [CARDAN_TINT_CLOSURE] = "closure", [CARDAN_TINT_DRIVE] = "drive",
    [CARDAN_TINT_LIMIT] = "limit",     [CARDAN_TINT_SPRING] = "spring"};
static const char *const ties[] = {
    [CARDAN_TIE_CORD] = "cord", [CARDAN_TIE_COIL] = "coil",     [CARDAN_TIE_DASHPOT] = "dashpot",
    [CARDAN_TIE_RAM] = "ram",   [CARDAN_TIE_DASHES] = "dashes", [CARDAN_TIE_GROUND] = "ground"};
static const char *const arrows[] = {
    [CARDAN_ARROW_PULL] = "pull", [CARDAN_ARROW_FORCE] = "force", [CARDAN_ARROW_TORQUE] = "torque"};
static const char *const makers[] = {[CARDAN_ARROW_OF_JOINT] = "joint",
                                     [CARDAN_ARROW_OF_SPRING] = "spring",
                                     [CARDAN_ARROW_OF_CORD] = "cord",
                                     [CARDAN_ARROW_OF_DRIVE] = "drive",
                                     [CARDAN_ARROW_OF_LOAD] = "load"};

/* Numbers, unless all are 0. */
static void add_triple(cardan__json *json, const char *key, const double x[3])
{
  if (x[0] != 0 || x[1] != 0 || x[2] != 0) {
    cardan__json_open(json, key, '[');
    for (int k = 0; k < 3; k++) {
      cardan__json_short(json, NULL, x[k]);
    }
    cardan__json_close(json, ']');
  }
}

static void add_place(cardan__json *json, const char *key, cardan_vec3 p)
{
  add_triple(json, key, (const double[3]){p.x, p.y, p.z});
}

/* A rotation as a quaternion, unless there is none. */
static void add_turn(cardan__json *json, const cardan_mat3 *R)
{
  const cardan_quat q = cardan_quat_from_mat3(R);
  if (fabs(q.w) < 1 - 1e-12) {
    const double list[4] = {q.w, q.x, q.y, q.z};
    cardan__json_open(json, "turn", '[');
    for (int k = 0; k < 4; k++) {
      cardan__json_short(json, NULL, list[k]);
    }
    cardan__json_close(json, ']');
  }
}

static void add_glyph(cardan__json *json, const cardan_symbols *s, const cardan_glyph *glyph)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "word", glyph->word);
  cardan__json_open(json, "parts", '[');
  for (int i = glyph->part; i < glyph->part + glyph->npart; i++) {
    const cardan_symbol_part *part = &s->part[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "solid", solids[part->solid]);
    cardan__json_string(json, "tint", tints[part->tint]);
    add_turn(json, &part->R);
    add_triple(json, "at", part->at[0]);
    add_triple(json, "atM", part->at[1]);
    add_triple(json, "size", part->size[0]);
    add_triple(json, "sizeM", part->size[1]);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

static void add_symbol(cardan__json *json, const cardan_symbol *symbol)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_int(json, "glyph", symbol->glyph);
  if (symbol->name[0] != '\0') {
    cardan__json_string(json, "name", symbol->name);
    cardan__json_string(json, "kind", symbol->kind);
  }
  cardan__json_int(json, "body", symbol->body);
  add_place(json, "at", symbol->X.p);
  add_turn(json, &symbol->X.R);
  if (symbol->faces) {
    cardan__json_bool(json, "faces", true);
  }
  cardan__json_short(json, "room", symbol->room);
  cardan__json_close(json, '}');
}

static void add_tie(cardan__json *json, const cardan_tie *tie)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "draw", ties[tie->kind]);
  cardan__json_string(json, "name", tie->name);
  cardan__json_string(json, "kind", tie->word);
  cardan__json_open(json, "bodies", '[');
  cardan__json_int(json, NULL, tie->body[0]);
  cardan__json_int(json, NULL, tie->body[1]);
  cardan__json_close(json, ']');
  add_place(json, "from", tie->at[0]);
  add_place(json, "to", tie->at[1]);
  if (tie->length != 0) {
    cardan__json_short(json, "length", tie->length);
  }
  cardan__json_close(json, '}');
}

static void add_track(cardan__json *json, const cardan_track *track)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "name", track->name);
  cardan__json_string(json, "kind", track->kind);
  cardan__json_open(json, "bodies", '[');
  cardan__json_int(json, NULL, track->body[0]);
  cardan__json_int(json, NULL, track->body[1]);
  cardan__json_close(json, ']');
  add_place(json, "at", track->at);
  add_place(json, "axis", track->axis);
  add_place(json, "foot", track->foot);
  add_place(json, "normal", track->normal);
  cardan__json_short(json, "radius", track->radius);
  cardan__json_close(json, '}');
}

static void add_bar(cardan__json *json, const cardan_bar *bar)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_int(json, "frame", bar->frame);
  if (bar->mass > 0) {
    cardan__json_short(json, "mass", bar->mass);
    add_place(json, "from", bar->a);
  } else {
    add_place(json, "from", bar->a);
    add_place(json, "to", bar->b);
  }
  cardan__json_close(json, '}');
}

static void add_arrow(cardan__json *json, const cardan_film *film, const cardan_arrow *arrow)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "draw", arrows[arrow->kind]);
  cardan__json_string(json, "of", makers[arrow->of]);
  cardan__json_string(json, "name", arrow->name);
  cardan__json_string(json, "kind", arrow->word);
  cardan__json_open(json, "columns", '[');
  for (int k = 0; k < arrow->ncolumn; k++) {
    cardan__json_string(json, NULL, cardan_film_column(film, arrow->column[k]));
  }
  cardan__json_close(json, ']');
  cardan__json_int(json, "body", arrow->body[0]);
  add_place(json, "at", arrow->at[0]);
  if (arrow->kind == CARDAN_ARROW_PULL) {
    cardan__json_int(json, "other", arrow->body[1]);
    add_place(json, "to", arrow->at[1]);
  } else if (arrow->in_world) {
    cardan__json_bool(json, "world", true);
  } else {
    add_turn(json, &arrow->R);
  }
  if (arrow->ring > 0) {
    cardan__json_int(json, "ring", arrow->ring);
  }
  cardan__json_close(json, '}');
}

/* Forces that the page has, how large they are usually, and how many it has not. */
static void add_arrows(cardan__json *json, const cardan_symbols *s, const cardan_film *film)
{
  cardan__json_short(json, "force", s->force);
  cardan__json_short(json, "torque", s->torque);
  cardan__json_open(json, "arrows", '[');
  for (int i = 0; i < s->narrow; i++) {
    add_arrow(json, film, &s->arrow[i]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "unseen", '{');
  for (int k = 0; k < CARDAN_NARROW_OF; k++) {
    if (s->unseen[k] > 0) {
      cardan__json_int(json, makers[k], s->unseen[k]);
    }
  }
  cardan__json_close(json, '}');
}

void cardan__page_symbols(cardan__json *json, const cardan_symbols *s, const cardan_film *film)
{
  cardan__json_open(json, "symbols", '{');
  cardan__json_short(json, "thick", s->thick);
  cardan__json_short(json, "ball", s->ball);
  cardan__json_int(json, "pixels", CARDAN_SYMBOL_ROOM);
  cardan__json_open(json, "glyphs", '[');
  for (int i = 0; i < s->nglyph; i++) {
    add_glyph(json, s, &s->glyph[i]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "list", '[');
  for (int i = 0; i < s->nsymbol; i++) {
    add_symbol(json, &s->symbol[i]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "ties", '[');
  for (int i = 0; i < s->ntie; i++) {
    add_tie(json, &s->tie[i]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "bars", '[');
  for (int i = 0; i < s->nbar; i++) {
    add_bar(json, &s->bar[i]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "tracks", '[');
  for (int i = 0; i < s->ntrack; i++) {
    add_track(json, &s->track[i]);
  }
  cardan__json_close(json, ']');
  add_arrows(json, s, film);
  cardan__json_close(json, '}');
}
