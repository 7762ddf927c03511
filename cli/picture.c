// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/output.h"
#include "cli.h"
#include "gif.h"
#include "picture_cairo.h"
#include "picture_forces.h"
#include "picture_plot.h"
#include "picture_scene.h"
#include "say.h"

/* A run as one picture: left the mechanism at the end of its motion with earlier poses behind it
 * and the forces of contacts, right its coordinates and its energy over time. */

enum { WIDTH = 960, HEIGHT = 400, SCENE = 420, MARGIN = 16, ROOM = 28, KEY = 34, GHOSTS = 6 };
enum { FRAMES = 240, PER_SECOND = 25, SAMPLED = 5 }; // of a film; frames that its colours are of

static const double pixels = 1.5; // of a PNG, for each unit of the drawing
#define SYMBOLS 0.85              // units of the drawing that a pixel of a symbol is

typedef struct {
  const cardan_model *model;
  const cardan_film *film;
  cardan_data *data;
  cardan_mesh **mesh;
  cardan_symbols *symbols;
  bool forces; // they are drawn too
  projection view;
  int pose[GHOSTS + 1]; // samples, the last one first
  int npose;
  double x, y, scale; // plane to picture
} scene;

cardan_status cli_picture_ready(cardan_report *report)
{
  return cli_cairo_load(report);
}

/* The largest way that a frame went, relative to a kept set of places. */
static double moved(const scene *s, const cardan_vec3 *from)
{
  double most = 0;
  for (int f = 0; f < s->model->nframe; f++) {
    const cardan_vec3 p = cardan_frame_pose(s->model, s->data, f).p;
    most = fmax(most, hypot(hypot(p.x - from[f].x, p.y - from[f].y), p.z - from[f].z));
  }
  return most;
}

static void keep_places(const scene *s, cardan_vec3 *places)
{
  for (int f = 0; f < s->model->nframe; f++) {
    places[f] = cardan_frame_pose(s->model, s->data, f).p;
  }
}

/* The last sample; of a run that went on the one before it, where forces are wanted and the last
 * has none. */
static int last_pose(const scene *s)
{
  const int last = cardan_film_sample_count(s->film) - 1;
  const bool any = s->forces && s->symbols->narrow > 0;
  const bool known =
      any && isfinite(cardan_film_sample(s->film, last)[s->symbols->arrow[0].column[0]]);
  return any && !known && last > 0 ? last - 1 : last;
}

/* Poses to draw: the last, and earlier ones that are some way apart. */
static bool choose_poses(scene *s)
{
  cardan_vec3 *places = malloc(((size_t)s->model->nframe + 1) * sizeof *places);
  if (!places) {
    return false;
  }
  const int last = last_pose(s);
  move_to_sample(s->model, s->film, last, s->data);
  keep_places(s, places);
  s->pose[s->npose++] = last;
  for (int i = last - 1; i >= 0 && s->npose <= GHOSTS; i--) {
    move_to_sample(s->model, s->film, i, s->data);
    if (moved(s, places) > 0.07 * s->symbols->extent) {
      keep_places(s, places);
      s->pose[s->npose++] = i;
    }
  }
  free(places);
  return true;
}

typedef void visitor(void *user, const outline *list, int n);

static bool visit_list(outline *list, int n, visitor *visit, void *user)
{
  if (list != NULL) {
    visit(user, list, n);
  }
  free(list);
  return list != NULL;
}

static force_scene forces_at(const scene *s, int sample)
{
  return (force_scene){.model = s->model,
                       .symbols = s->symbols,
                       .data = s->data,
                       .view = &s->view,
                       .row = cardan_film_sample(s->film, sample),
                       .unit = s->scale > 0 ? 1 / s->scale : 0};
}

/* All outlines of one pose: bodies, then what joins them, in the last pose with symbols, and with
 * forces where they are wanted. */
static bool with_pose(scene *s, int k, visitor *visit, void *user)
{
  const double unit = s->scale > 0 ? SYMBOLS / s->scale : 0;
  int n;
  move_to_sample(s->model, s->film, s->pose[k], s->data);
  outline *list = make_outlines(s->model, s->data, &s->view, s->mesh, s->symbols, &n);
  if (!visit_list(list, n, visit, user)) {
    return false;
  }
  list = make_symbols(s->symbols, s->data, &s->view, unit, k > 0, &n);
  bool good = visit_list(list, n, visit, user);
  if (good && s->forces && k == 0) {
    const force_scene here = forces_at(s, s->pose[k]);
    list = make_forces(&here, &n);
    good = visit_list(list, n, visit, user);
  }
  return good;
}

typedef struct {
  double low[2], high[2];
} bounds;

static void widen(void *user, const outline *list, int n)
{
  bounds *b = user;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < list[i].n; k++) {
      b->low[0] = fmin(b->low[0], list[i].p[k].x);
      b->low[1] = fmin(b->low[1], list[i].p[k].y);
      b->high[0] = fmax(b->high[0], list[i].p[k].x);
      b->high[1] = fmax(b->high[1], list[i].p[k].y);
    }
  }
}

/* Where what moves is, over the poses that are drawn. */
static void find_middle(scene *s)
{
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < s->npose; k++) {
    move_to_sample(s->model, s->film, s->pose[k], s->data);
    widen_moving(s->model, s->data, low, high);
  }
  if (high[0] >= low[0]) {
    s->view.middle =
        (cardan_vec3){(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
    s->view.reach = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) / 2;
  }
}

/* Scale and place so that all poses fit. */
static bool fit(scene *s)
{
  bounds b = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
  for (int k = 0; k < s->npose; k++) {
    if (!with_pose(s, k, widen, &b)) {
      return false;
    }
  }
  if (!(b.high[0] >= b.low[0])) {
    b = (bounds){{-1, -1}, {1, 1}};
  }
  const double w = fmax(b.high[0] - b.low[0], 1e-9), h = fmax(b.high[1] - b.low[1], 1e-9);
  const double margin = s->symbols->nsymbol > 0 ? ROOM : MARGIN; // symbols reach beyond their place
  const double height = s->forces ? HEIGHT - KEY : HEIGHT;
  s->scale = fmin((SCENE - 2 * margin) / w, (height - 2 * margin) / h);
  s->x = SCENE / 2.0 - s->scale * (b.low[0] + b.high[0]) / 2;
  s->y = height / 2 + s->scale * (b.low[1] + b.high[1]) / 2;
  return true;
}

typedef struct {
  cairo_t *cairo;
  const scene *s;
  double faded; // 0: full colour
  bool ground;  // the world's planes too: once, below all poses
} brush;

static void paint(void *user, const outline *list, int n)
{
  const brush *b = user;
  for (int i = 0; i < n; i++) {
    const outline *o = &list[i];
    const double keep = o->ground ? 1 : 1 - b->faded;
    if (o->ground && !b->ground) {
      continue;
    }
    cairo_new_path(b->cairo);
    for (int k = 0; k < o->n; k++) {
      cairo_line_to(b->cairo, b->s->x + b->s->scale * o->p[k].x, b->s->y - b->s->scale * o->p[k].y);
    }
    // mixed with white rather than made transparent: parts of one pose do not shine through
    cairo_set_source_rgb(b->cairo, 1 - keep * (1 - o->red), 1 - keep * (1 - o->green),
                         1 - keep * (1 - o->blue));
    if (o->width > 0) {
      cairo_set_line_width(b->cairo, o->width);
      cairo_stroke(b->cairo);
      continue;
    }
    cairo_close_path(b->cairo);
    cairo_fill_preserve(b->cairo);
    if (!o->facet) { // else in its own colour, over the seam to its neighbour
      cairo_set_source_rgba(b->cairo, 0.1, 0.13, 0.17, 0.55 * keep);
    }
    cairo_set_line_width(b->cairo, 0.6);
    cairo_stroke(b->cairo);
  }
}

/* What lengths of forces mean, at the foot of the scene. */
static void draw_key(const scene *s, cairo_t *cairo)
{
  if (s->forces) {
    const force_scene here = forces_at(s, s->pose[0]);
    draw_force_key(cairo, &here, MARGIN, HEIGHT - KEY, s->scale);
  }
}

/* Units of the drawing for a contact's force, each N of it: the largest a sixth of the scene long,
 * or as other forces are. */
static double touch_scale(const scene *s, double most, double size)
{
  if (!s->forces) {
    return most > 0 ? SCENE / 6.0 / most : 0;
  }
  const double metres = fmin(force_metres(s->symbols), force_longest(s->symbols) / size);
  return size > 0 ? s->scale * metres : 0;
}

/* Where contacts touch at the end, and the forces there. */
static void draw_contacts(const scene *s, cairo_t *cairo)
{
  static const double colors[3][3] = {{0.54, 0.58, 0.62}, {0.18, 0.49, 0.88}, {0.88, 0.48, 0.12}};
  const cardan_film_contact *place;
  const int n = cardan_film_last_contacts(s->film, &place);
  double most = 0;
  for (int i = 0; i < n; i++) {
    const cardan_vec3 f = place[i].force;
    most = fmax(most, hypot(hypot(f.x, f.y), f.z));
  }
  for (int i = 0; i < n; i++) {
    const point p = project(&s->view, place[i].x), d = project(&s->view, place[i].force);
    const cardan_vec3 f = place[i].force;
    const double scale = touch_scale(s, most, hypot(hypot(f.x, f.y), f.z));
    const double *rgb = colors[place[i].state];
    const double px = s->x + s->scale * p.x, py = s->y - s->scale * p.y;
    cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
    cairo_new_path(cairo);
    cairo_arc(cairo, px, py, 2.6, 0, 6.283185307179586);
    cairo_fill(cairo);
    cairo_move_to(cairo, px, py);
    cairo_line_to(cairo, px + scale * d.x, py - scale * d.y);
    cairo_set_line_width(cairo, 1.6);
    cairo_stroke(cairo);
  }
}

static bool draw_scene(scene *s, cairo_t *cairo)
{
  for (int k = s->npose - 1; k >= 0; k--) {
    brush b = {.cairo = cairo,
               .s = s,
               .faded = k == 0 ? 0 : 0.55 + 0.38 * k / GHOSTS,
               .ground = k == s->npose - 1};
    if (!with_pose(s, k, paint, &b)) {
      return false;
    }
  }
  draw_contacts(s, cairo);
  draw_key(s, cairo);
  return true;
}

/* Does a column change at all? */
static bool varies(const cardan_film *film, int k)
{
  const double first = cardan_film_sample(film, 0)[k];
  for (int i = 1; i < cardan_film_sample_count(film); i++) {
    if (fabs(cardan_film_sample(film, i)[k] - first) > 1e-9) {
      return true;
    }
  }
  return false;
}

/* What a right motion keeps at 0. */
static void plot_energy(const cardan_film *film, cairo_t *cairo, const plot_box *box)
{
  const int energy = cardan_film_find(film, "energy"), work = cardan_film_find(film, "work");
  const int balance = cardan_film_find(film, "balance");
  if (balance >= 0 && work >= 0 && varies(film, work)) {
    plot_columns(cairo, box, film, "energy \xe2\x88\x92 start \xe2\x88\x92 work [J]", &balance, 1,
                 false);
  } else if (energy >= 0) {
    plot_columns(cairo, box, film, "energy \xe2\x88\x92 start [J]", &energy, 1, true);
  }
}

static void draw_plots(const scene *s, cairo_t *cairo)
{
  const cardan_film *film = s->film;
  const double x = SCENE + 70, width = WIDTH - x - MARGIN, height = (HEIGHT - 3.0 * 44) / 2;
  int column[PLOT_CURVES], n = 0;
  for (int k = 1; k <= s->model->nq && n < PLOT_CURVES; k++) {
    column[n] = k;
    n += varies(film, k) ? 1 : 0;
  }
  plot_box box = {x, 34, width, height};
  if (n > 0) {
    plot_columns(cairo, &box, film, "coordinates", column, n, false);
    box.y += height + 62;
  }
  plot_energy(film, cairo, &box);
}

static bool draw(scene *s, cairo_t *cairo)
{
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  if (!draw_scene(s, cairo)) {
    return false;
  }
  draw_plots(s, cairo);
  return true;
}

/* What cairo writes, until all of it is there. */
typedef struct {
  char *bytes;
  size_t size, room;
} ink;

static cairo_status_t take_ink(void *user, const unsigned char *bytes, unsigned int n)
{
  ink *to = user;
  if (to->size + n > to->room) {
    const size_t room = 2 * to->room + n + 4096;
    char *more = realloc(to->bytes, room);
    if (!more) {
      return CAIRO_STATUS_NO_MEMORY;
    }
    to->bytes = more;
    to->room = room;
  }
  memcpy(to->bytes + to->size, bytes, n);
  to->size += n;
  return CAIRO_STATUS_SUCCESS;
}

/* The surface of the file's kind; PNG is written at the end. */
static cairo_surface_t *make_surface(ink *to, bool png)
{
  if (!png) {
    return cairo_svg_surface_create_for_stream(take_ink, to, WIDTH, HEIGHT);
  }
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(pixels * WIDTH), (int)(pixels * HEIGHT));
  cairo_surface_set_device_scale(surface, pixels, pixels);
  return surface;
}

/* The whole picture as the bytes of its file. */
static cairo_status_t draw_all(scene *s, bool png, ink *to)
{
  cairo_surface_t *surface = make_surface(to, png);
  cairo_t *cairo = cairo_create(surface);
  bool drawn = choose_poses(s);
  if (drawn) {
    find_middle(s);
    drawn = fit(s) && draw(s, cairo);
  }
  cairo_status_t status = drawn ? cairo_status(cairo) : CAIRO_STATUS_NO_MEMORY;
  cairo_destroy(cairo);
  if (png && status == CAIRO_STATUS_SUCCESS) {
    status = cairo_surface_write_to_png_stream(surface, take_ink, to);
  }
  cairo_surface_finish(surface);
  status = status == CAIRO_STATUS_SUCCESS ? cairo_surface_status(surface) : status;
  cairo_surface_destroy(surface);
  return status;
}

/* The samples of a film's frames stand at even times. */
static int frame_sample(const cardan_film *film, int k, int n)
{
  const int last = cardan_film_sample_count(film) - 1;
  const double begin = cardan_film_sample(film, 0)[0], end = cardan_film_sample(film, last)[0];
  const double t = begin + (end - begin) * k / (n > 1 ? n - 1 : 1);
  int low = 0, high = last;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    *(cardan_film_sample(film, middle)[0] <= t ? &low : &high) = middle;
  }
  return t - cardan_film_sample(film, low)[0] <= cardan_film_sample(film, high)[0] - t ? low : high;
}

/* One frame: a pose, and its time. */
static bool draw_frame(scene *s, cairo_t *cairo, int sample)
{
  char text[32];
  brush b = {.cairo = cairo, .s = s, .ground = true};
  s->pose[0] = sample;
  s->npose = 1;
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  if (!with_pose(s, 0, paint, &b)) {
    return false;
  }
  draw_key(s, cairo);
  snprintf(text, sizeof text, "t = %.2f s", cardan_film_sample(s->film, sample)[0]);
  cairo_set_source_rgb(cairo, 0.3, 0.33, 0.38);
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, 12);
  cairo_move_to(cairo, MARGIN, s->forces ? MARGIN : HEIGHT - MARGIN);
  cairo_show_text(cairo, text);
  return true;
}

/* All frames into a gif: some of them first, for its colours. */
static bool draw_frames(scene *s, cairo_surface_t *surface, cli_gif *gif, int n)
{
  cairo_t *cairo = cairo_create(surface);
  bool good = true;
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  for (int k = -SAMPLED; k < n && good; k++) {
    const int at = k < 0 ? (int)((long)(k + SAMPLED) * (n - 1) / (SAMPLED - 1)) : k;
    good = draw_frame(s, cairo, frame_sample(s->film, at, n));
    cairo_surface_flush(surface);
    const uint32_t *all = (const uint32_t *)(const void *)cairo_image_surface_get_data(surface);
    good = good && all != NULL;
    if (good) {
      (k < 0 ? cli_gif_sample : cli_gif_add)(gif, all, cairo_image_surface_get_stride(surface) / 4);
    }
  }
  good = good && cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
  cairo_destroy(cairo);
  return good;
}

/* The motion as it was, at most FRAMES of it: a long one moves in larger steps. */
static cairo_status_t draw_film(scene *s, ink *to)
{
  const int last = cardan_film_sample_count(s->film) - 1;
  const double time = cardan_film_sample(s->film, last)[0] - cardan_film_sample(s->film, 0)[0];
  const int n = (int)fmax(1, fmin(fmin(FRAMES, last + 1), round(PER_SECOND * time)));
  const int delay = (int)fmin(fmax(2, round(100 * time / n)), 65535);
  const int width = (int)(pixels * SCENE), height = (int)(pixels * HEIGHT);
  const unsigned char *bytes;
  size_t size;
  s->npose = GHOSTS + 1;
  for (int k = 0; k < s->npose; k++) {
    s->pose[k] = frame_sample(s->film, k, s->npose);
  }
  find_middle(s);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_surface_set_device_scale(surface, pixels, pixels);
  cli_gif *gif = cli_gif_create(width, height, delay);
  const bool drawn = gif && fit(s) && draw_frames(s, surface, gif, n) &&
                     cli_gif_finish(gif, &bytes, &size) && size < UINT_MAX;
  const cairo_status_t status =
      drawn ? take_ink(to, bytes, (unsigned)size) : CAIRO_STATUS_NO_MEMORY;
  cairo_surface_destroy(surface);
  cli_gif_destroy(gif);
  return status;
}

static bool ends_in(const char *path, const char *ending)
{
  return strlen(path) > 4 && strcmp(path + strlen(path) - 4, ending) == 0;
}

static int write_picture(scene *s, const char *path)
{
  ink all = {0};
  cardan_report report = {0};
  const cairo_status_t drawn =
      ends_in(path, ".gif") ? draw_film(s, &all) : draw_all(s, ends_in(path, ".png"), &all);
  int exit = CLI_DONE;
  if (drawn != CAIRO_STATUS_SUCCESS) {
    cli_error("cannot draw %s: %s", path, cairo_status_to_string(drawn));
    exit = CLI_STOPPED;
  } else {
    const cardan_status status = cardan_write_text(path, all.bytes, all.size, NULL, &report);
    exit = status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
  }
  free(all.bytes);
  return exit;
}

int cli_picture_write(const char *path, const cardan_model *model, const cardan_files *files,
                      const cardan_film *film, bool forces)
{
  scene s = {.model = model, .film = film, .mesh = load_meshes(model, files), .forces = forces};
  int exit = CLI_STOPPED;
  if (s.mesh == NULL || cardan_data_create(model, NULL, &s.data) != CARDAN_OK ||
      cardan_symbols_create(model, &film, 1, NULL, &s.symbols) != CARDAN_OK) {
    cli_error("out of memory");
  } else {
    s.view = choose_projection(model, film, s.data);
    exit = write_picture(&s, path);
  }
  cardan_symbols_destroy(s.symbols);
  drop_meshes(model, s.mesh);
  cardan_data_destroy(s.data);
  return exit;
}
