// SPDX-License-Identifier: Apache-2.0
#include "picture_forces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture_space.h"

/* Forces (cardan/symbols.h) in the plane of a picture: arrows whose lengths are their sizes, arcs
 * whose angles are those of torques, in the colours of pages; and what the lengths mean. */

enum { ARC = 40, PER_ARROW = 4 };             // pieces of an arc; outlines of a force at both ends
#define USUAL 0.22                            // of the extent: an arrow of usual length
#define MOST 2.0                              // times that, at most
#define HEAD 8.0                              // [units of the drawing]
static const double pi = 3.14159265358979324; // an arc of the usual torque
static const double arc_radius[2] = {24, 8};  // of the first, of each further one [units]
static const double least_arc = 0.05, most_arc = 5.76; // [rad]

enum { OF_WEIGHT = CARDAN_NARROW_OF, MAKERS };

static const struct {
  const char *word;
  double rgb[3];
} makers[MAKERS] = {[CARDAN_ARROW_OF_JOINT] = {"joints", {0.52, 0.34, 0.79}},
                    [CARDAN_ARROW_OF_SPRING] = {"springs, dampers", {0.18, 0.54, 0.64}},
                    [CARDAN_ARROW_OF_CORD] = {"wires, ropes", {0.72, 0.27, 0.49}},
                    [CARDAN_ARROW_OF_DRIVE] = {"drives", {0.82, 0.48, 0.11}},
                    [CARDAN_ARROW_OF_LOAD] = {"loads", {0.81, 0.23, 0.23}},
                    [OF_WEIGHT] = {"weights", {0.29, 0.56, 0.25}}};

typedef struct {
  const force_scene *at;
  outline *out;
  int n;
} sketch;

static outline *next(sketch *s, int maker, double width)
{
  outline *o = &s->out[s->n++];
  o->red = makers[maker].rgb[0];
  o->green = makers[maker].rgb[1];
  o->blue = makers[maker].rgb[2];
  o->facet = true;
  o->width = width;
  return o;
}

/* The head of an arrow with its tip at p, in direction d of the plane. */
static void add_head(sketch *s, int maker, point p, point d)
{
  const double l = hypot(d.x, d.y), size = HEAD * s->at->unit;
  if (l > 0 && size > 0) {
    const point e = {d.x / l, d.y / l};
    outline *o = next(s, maker, 0);
    o->p[0] = p;
    o->p[1] = (point){p.x - size * e.x - 0.4 * size * e.y, p.y - size * e.y + 0.4 * size * e.x};
    o->p[2] = (point){p.x - size * e.x + 0.4 * size * e.y, p.y - size * e.y - 0.4 * size * e.x};
    o->n = 3;
  }
}

double force_metres(const cardan_symbols *symbols)
{
  return USUAL * symbols->extent / (symbols->force > 0 ? symbols->force : 1);
}

double force_longest(const cardan_symbols *symbols)
{
  return MOST * USUAL * symbols->extent;
}

/* A force at a point. What is NaN, or too small to be seen, has no arrow. */
static void add_force(sketch *s, int maker, cardan_vec3 from, cardan_vec3 force)
{
  const double size = sqrt(dot(force, force)), most = force_longest(s->at->symbols);
  const double length = fmin(size * force_metres(s->at->symbols), most);
  if (!(length > 0.01 * most)) {
    return;
  }
  const point a = project(s->at->view, from);
  const point b = project(s->at->view, add(from, length / size, force));
  const point d = {b.x - a.x, b.y - a.y};
  const double shown = hypot(d.x, d.y), head = fmin(0.8 * HEAD * s->at->unit, shown);
  outline *o = next(s, maker, 2);
  o->p[0] = a;
  o->p[1] = shown > 0 ? (point){b.x - head * d.x / shown, b.y - head * d.y / shown} : b;
  o->n = 2;
  if (shown >= HEAD * s->at->unit / 2) {
    add_head(s, maker, b, d);
  }
}

/* A torque about a point: an arc by the right hand about its direction, from above. */
static void add_torque(sketch *s, const cardan_arrow *arrow, cardan_vec3 c, cardan_vec3 torque)
{
  const double size = sqrt(dot(torque, torque)), half = s->at->symbols->torque;
  const double angle = half > 0 ? fmin(pi * size / half, most_arc) : 0;
  const double r = (arc_radius[0] + arc_radius[1] * arrow->ring) * s->at->unit;
  if (!(angle > least_arc) || r == 0) {
    return;
  }
  const cardan_vec3 z = unit(torque), top = s->at->view->top, right = s->at->view->right;
  const cardan_vec3 up = fabs(dot(z, top)) < 0.95 ? top : right;
  const cardan_vec3 x = unit(add(up, -dot(up, z), z)), y = cross(z, x);
  outline *o = next(s, (int)arrow->of, 2);
  const double end = fmax(angle - 0.8 * HEAD * s->at->unit / r, 0.5 * angle);
  for (int k = 0; k <= ARC; k++) {
    const double phi = end * k / ARC;
    o->p[o->n++] = project(s->at->view, add(add(c, r * cos(phi), x), r * sin(phi), y));
  }
  const point tip = project(s->at->view, add(add(c, r * cos(angle), x), r * sin(angle), y));
  const point from = o->p[ARC];
  add_head(s, (int)arrow->of, tip, (point){tip.x - from.x, tip.y - from.y});
}

static void add_arrow(sketch *s, const cardan_arrow *arrow)
{
  const cardan_xform *X_W = s->at->data->X_W;
  const cardan_vec3 f = cardan_arrow_vector(arrow, X_W, s->at->row);
  const cardan_vec3 p = at(&X_W[arrow->body[0]], arrow->at[0]);
  if (arrow->kind == CARDAN_ARROW_TORQUE) {
    add_torque(s, arrow, p, f);
    return;
  }
  add_force(s, (int)arrow->of, p, f);
  if (arrow->kind == CARDAN_ARROW_PULL) {
    add_force(s, (int)arrow->of, at(&X_W[arrow->body[1]], arrow->at[1]),
              (cardan_vec3){-f.x, -f.y, -f.z});
  }
}

outline *make_forces(const force_scene *scene, int *n)
{
  const cardan_model *model = scene->model;
  const size_t most = (size_t)(scene->symbols->narrow + model->nbody) * PER_ARROW + 1;
  sketch s = {.at = scene, .out = calloc(most, sizeof *s.out)};
  for (int i = 0; s.out != NULL && i < scene->symbols->narrow; i++) {
    add_arrow(&s, &scene->symbols->arrow[i]);
  }
  for (int i = 1; s.out != NULL && i < model->nbody; i++) {
    const cardan_inertia *body = &model->body[i].inertia;
    if (body->m > 0) {
      const cardan_vec3 c = {body->h.x / body->m, body->h.y / body->m, body->h.z / body->m};
      add_force(&s, OF_WEIGHT, at(&scene->data->X_W[i], c),
                add((cardan_vec3){0}, body->m, model->gravity));
    }
  }
  *n = s.n;
  return s.out;
}

/* 1, 2 or 5 times a power of ten, about x. */
static double round_number(double x)
{
  const double decade = pow(10, floor(log10(x))), part = x / decade;
  return decade * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void force_text(double force, char *text, size_t size)
{
  static const struct {
    double from, factor;
    const char *unit;
  } units[] = {{1e6, 1e-6, "MN"}, {1e3, 1e-3, "kN"}, {1, 1, "N"}, {1e-3, 1e3, "mN"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (force >= units[i].from) {
      snprintf(text, size, "%.3g %s", force * units[i].factor, units[i].unit);
      return;
    }
  }
  snprintf(text, size, "%.3g \xc2\xb5N", force * 1e6);
}

/* A word behind a stroke of its colour; returns where the next one stands. */
static double draw_maker(cairo_t *cairo, int maker, double x, double y)
{
  const double *rgb = makers[maker].rgb;
  cairo_text_extents_t extents;
  cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
  cairo_set_line_width(cairo, 2.4);
  cairo_new_path(cairo);
  cairo_move_to(cairo, x, y - 3);
  cairo_line_to(cairo, x + 11, y - 3);
  cairo_stroke(cairo);
  cairo_set_source_rgb(cairo, 0.3, 0.33, 0.38);
  cairo_move_to(cairo, x + 15, y);
  cairo_show_text(cairo, makers[maker].word);
  cairo_text_extents(cairo, makers[maker].word, &extents);
  return x + 15 + extents.x_advance + 11;
}

/* Has the picture a force of that maker? */
static bool has_maker(const force_scene *scene, int maker)
{
  const cardan_vec3 g = scene->model->gravity;
  bool any = maker == OF_WEIGHT && scene->model->mass > 0 && dot(g, g) > 0;
  for (int i = 0; i < scene->symbols->narrow; i++) {
    any = any || (int)scene->symbols->arrow[i].of == maker;
  }
  return any;
}

void draw_force_key(cairo_t *cairo, const force_scene *scene, double x, double y, double scale)
{
  char text[80];
  double next_x = x;
  const double meter = force_metres(scene->symbols) * scale; // units of the drawing for each N
  const double force = round_number(70 / meter), width = force * meter;
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, 10);
  for (int maker = 0; maker < MAKERS; maker++) {
    if (has_maker(scene, maker)) {
      next_x = draw_maker(cairo, maker, next_x, y);
    }
  }
  cairo_set_source_rgb(cairo, 0.3, 0.33, 0.38);
  cairo_set_line_width(cairo, 2);
  cairo_new_path(cairo);
  cairo_move_to(cairo, x, y + 12);
  cairo_line_to(cairo, x + width - 6, y + 12);
  cairo_stroke(cairo);
  cairo_move_to(cairo, x + width, y + 12);
  cairo_line_to(cairo, x + width - 8, y + 12 - 3.2);
  cairo_line_to(cairo, x + width - 8, y + 12 + 3.2);
  cairo_close_path(cairo);
  cairo_fill(cairo);
  force_text(force, text, sizeof text);
  cairo_move_to(cairo, x + width + 6, y + 15.5);
  cairo_show_text(cairo, text);
  if (scene->symbols->torque > 0) {
    char size[32];
    force_text(scene->symbols->torque, size, sizeof size);
    snprintf(text, sizeof text, "half a turn: %s m", size);
    cairo_move_to(cairo, x + width + 70, y + 15.5);
    cairo_show_text(cairo, text);
  }
}
