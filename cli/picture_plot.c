// SPDX-License-Identifier: Apache-2.0
#include "picture_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double colors[PLOT_CURVES][3] = {{0.29, 0.52, 0.88}, {0.88, 0.50, 0.23},
                                              {0.25, 0.64, 0.48}, {0.77, 0.33, 0.42},
                                              {0.60, 0.44, 0.82}, {0.73, 0.61, 0.18}};

typedef struct {
  cairo_t *cairo;
  const plot_box *box;
  double t0, t1, y0, y1;
} axes;

static double to_x(const axes *a, double t)
{
  return a->box->x + a->box->width * (t - a->t0) / (a->t1 - a->t0);
}

static double to_y(const axes *a, double v)
{
  return a->box->y + a->box->height * (a->y1 - v) / (a->y1 - a->y0);
}

/* A round step for about four intervals. */
static double tick_step(double span)
{
  const double raw = span / 4, decade = pow(10, floor(log10(raw)));
  const double part = raw / decade;
  return decade * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void label(cairo_t *cairo, double x, double y, const char *text, double align)
{
  cairo_text_extents_t size;
  cairo_text_extents(cairo, text, &size);
  cairo_move_to(cairo, x - align * size.x_advance, y);
  cairo_show_text(cairo, text);
}

static void draw_axes(const axes *a)
{
  cairo_t *c = a->cairo;
  const plot_box *b = a->box;
  const double dy = tick_step(a->y1 - a->y0), dt = tick_step(a->t1 - a->t0);
  char text[32];
  cairo_set_font_size(c, 11);
  cairo_set_line_width(c, 1);
  for (int k = 0; k <= (int)(a->y1 / dy - ceil(a->y0 / dy) + 1e-9); k++) {
    const double v = (ceil(a->y0 / dy) + k) * dy, y = to_y(a, v);
    cairo_set_source_rgb(c, 0.9, 0.92, 0.94);
    cairo_move_to(c, b->x, y);
    cairo_line_to(c, b->x + b->width, y);
    cairo_stroke(c);
    cairo_set_source_rgb(c, 0.4, 0.45, 0.5);
    snprintf(text, sizeof text, "%.3g", fabs(v) < 1e-9 * dy ? 0 : v);
    label(c, b->x - 6, y + 4, text, 1);
  }
  for (int k = 0; k <= (int)(a->t1 / dt - ceil(a->t0 / dt) + 1e-9); k++) {
    const double t = (ceil(a->t0 / dt) + k) * dt;
    snprintf(text, sizeof text, "%.4g", fabs(t) < 1e-9 * dt ? 0 : t);
    label(c, to_x(a, t), b->y + b->height + 15, text, 0.5);
  }
  label(c, b->x + b->width, b->y + b->height + 29, "t [s]", 1);
}

/* The range of all curves, extremes between samples included, with a margin. */
static void find_range(axes *a, const cardan_film *film, const int *column, int n, bool drift)
{
  const double *first = cardan_film_sample(film, 0), *min, *max;
  a->t0 = first[0];
  a->t1 = cardan_film_sample(film, cardan_film_sample_count(film) - 1)[0];
  a->t1 = a->t1 > a->t0 ? a->t1 : a->t0 + 1;
  a->y0 = HUGE_VAL;
  a->y1 = -HUGE_VAL;
  for (int i = 0; i < cardan_film_extreme_count(film); i++) {
    double t;
    cardan_film_extreme(film, i, &t, &min, &max);
    for (int k = 0; k < n; k++) {
      const double base = drift ? first[column[k]] : 0;
      a->y0 = fmin(a->y0, min[column[k]] - base);
      a->y1 = fmax(a->y1, max[column[k]] - base);
    }
  }
  if (!isfinite(a->y0) || !isfinite(a->y1)) {
    a->y0 = -1;
    a->y1 = 1;
  }
  const double pad = a->y1 > a->y0 ? 0.06 * (a->y1 - a->y0) : fmax(0.1 * fabs(a->y0), 1e-12);
  a->y0 -= pad;
  a->y1 += pad;
}

static void draw_curve(const axes *a, const cardan_film *film, int column, bool drift)
{
  const double base = drift ? cardan_film_sample(film, 0)[column] : 0;
  const int n = cardan_film_sample_count(film), step = n / 1000 + 1;
  cairo_new_path(a->cairo);
  for (int i = 0; i < n; i += step) {
    const double *row = cardan_film_sample(film, i);
    if (isfinite(row[column])) {
      cairo_line_to(a->cairo, to_x(a, row[0]), to_y(a, row[column] - base));
    }
  }
  cairo_set_line_width(a->cairo, 1.4);
  cairo_stroke(a->cairo);
}

static void draw_title(const axes *a, const cardan_film *film, const char *title, const int *column,
                       int n)
{
  cairo_t *c = a->cairo;
  double x = a->box->x;
  cairo_text_extents_t size;
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size(c, 12.5);
  cairo_set_source_rgb(c, 0.1, 0.13, 0.17);
  cairo_move_to(c, x, a->box->y - 10);
  cairo_show_text(c, title);
  cairo_text_extents(c, title, &size);
  x += size.x_advance + 16;
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, 11.5);
  for (int k = 0; k < n && n > 1; k++) {
    char name[24];
    const char *full = cardan_film_column(film, column[k]);
    snprintf(name, sizeof name, "%.20s", strncmp(full, "q.", 2) == 0 ? full + 2 : full);
    cairo_text_extents(c, name, &size);
    if (x + size.x_advance > a->box->x + a->box->width) {
      return;
    }
    cairo_set_source_rgb(c, colors[k][0], colors[k][1], colors[k][2]);
    cairo_move_to(c, x, a->box->y - 10);
    cairo_show_text(c, name);
    x += size.x_advance + 12;
  }
}

void plot_columns(cairo_t *cairo, const plot_box *box, const cardan_film *film, const char *title,
                  const int *column, int n, bool drift)
{
  axes a = {.cairo = cairo, .box = box};
  find_range(&a, film, column, n, drift);
  draw_title(&a, film, title, column, n);
  draw_axes(&a);
  for (int k = 0; k < n; k++) {
    cairo_set_source_rgb(cairo, colors[k][0], colors[k][1], colors[k][2]);
    draw_curve(&a, film, column[k], drift);
  }
}
