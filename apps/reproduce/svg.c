// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "reproduce/axis.h"
#include "reproduce/svg_text.h"
#include "reproduce/write.h"

/* Lengths in pixels. */
enum {
  WIDTH = 720,
  PLOT_HEIGHT = 300,
  PICTURE_HEIGHT = 440, // of a plot with one scale
  MARGIN = 16,
  LINE = 16,       // of text
  TITLE_LINE = 20, // of the title
  SAMPLE = 24,     // of a line in the legend
  CHAR = 7,        // about as wide as a letter
  FEW_POINTS = 40, // a curve of no more has markers
  X_TICKS = 7,
  Y_TICKS = 6
};

#define MINUS "\xe2\x88\x92" // as wide as a plus

typedef struct {
  cardan__text *out;
  const cardan__plot *plot;
  cardan__axis x, y;
  int left, right, top, bottom; // of the plot
  int columns, rows, column;    // of the legend; column: its width
} drawing;

/* Eight colours that stay apart for colour-blind readers, on white and on black; the second round
 * is dashed. The pages have the same. */
static const char *const colors[] = {"#4a84e0", "#e0803a", "#3fa37a", "#c4536a",
                                     "#9a6fd0", "#b99b2d", "#3aa5b8", "#8a939e"};
enum { COLORS = sizeof colors / sizeof colors[0] };

/* The first curve of what curve i shows: ours and theirs of one label are one. */
static int leader(const cardan__plot *plot, int i)
{
  const cardan__curve *curve = &plot->curve[i];
  for (int j = 0; j < i; j++) {
    const cardan__curve *other = &plot->curve[j];
    if (other->theirs != curve->theirs && strcmp(other->label, curve->label) == 0) {
      return j;
    }
  }
  return i;
}

/* Number of the colour and shape of a curve. */
static int style_of(const cardan__plot *plot, int i)
{
  int style = 0;
  for (int j = 0; j < leader(plot, i); j++) {
    style += leader(plot, j) == j ? 1 : 0;
  }
  return style;
}

/* Pixels with at most one decimal; what is far outside stays far outside. */
static void add_pixels(cardan__text *out, double value)
{
  const long tenths = lround(fmin(fmax(value, -1e5), 1e5) * 10),
             size = tenths < 0 ? -tenths : tenths;
  cardan__text_printf(out, "%s%ld", tenths < 0 ? "-" : "", size / 10);
  if (size % 10 != 0) {
    cardan__text_printf(out, ".%ld", size % 10);
  }
}

static void add_pair(cardan__text *out, char letter, double x, double y)
{
  cardan__text_add(out, &letter, 1);
  add_pixels(out, x);
  cardan__text_add(out, ",", 1);
  add_pixels(out, y);
}

/* A circle, square, diamond or triangle of radius r about a point, as a piece of a path. */
static void add_marker(cardan__text *out, int style, double x, double y, double r)
{
  static const double corner[4][4][2] = {{{0}},
                                         {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
                                         {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}},
                                         {{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}, {0, -1.2}}};
  const int shape = style % 4;
  if (shape == 0) {
    add_pair(out, 'M', x - r, y);
    for (int half = 0; half < 2; half++) {
      add_pair(out, 'a', r, r);
      cardan__text_printf(out, " 0 1 0 ");
      add_pixels(out, half == 0 ? 2 * r : -2 * r);
      cardan__text_printf(out, ",0");
    }
  } else {
    for (int k = 0; k < 4; k++) {
      add_pair(out, k == 0 ? 'M' : 'L', x + r * corner[shape][k][0], y + r * corner[shape][k][1]);
    }
  }
  cardan__text_add(out, "z", 1);
}

/* Where a point of a curve is drawn; false when it is not. */
static bool place(const drawing *d, const cardan__curve *curve, int i, double *x, double *y)
{
  if (!cardan__axis_has(&d->x, curve->x[i]) || !cardan__axis_has(&d->y, curve->y[i])) {
    return false;
  }
  *x = d->left + (d->right - d->left) * cardan__axis_place(&d->x, curve->x[i]);
  *y = d->bottom - (d->bottom - d->top) * cardan__axis_place(&d->y, curve->y[i]);
  return true;
}

static void fit_axes(drawing *d)
{
  cardan__axis_start(&d->x, d->plot->x_log);
  cardan__axis_start(&d->y, d->plot->y_log);
  for (int c = 0; c < d->plot->ncurve; c++) {
    const cardan__curve *curve = &d->plot->curve[c];
    for (int i = 0; i < curve->n; i++) {
      if (cardan__axis_has(&d->x, curve->x[i]) && cardan__axis_has(&d->y, curve->y[i])) {
        cardan__axis_take(&d->x, curve->x[i]);
        cardan__axis_take(&d->y, curve->y[i]);
      }
    }
  }
  cardan__axis_finish(&d->x, X_TICKS, CARDAN__ENDS_SNUG);
  cardan__axis_finish(&d->y, Y_TICKS, CARDAN__ENDS_ROUND);
}

/* One scale for both axes of a picture: that with the longer unit is widened. */
static void make_equal(drawing *d)
{
  const double across = (d->x.high - d->x.low) / (d->right - d->left);
  const double up = (d->y.high - d->y.low) / (d->bottom - d->top);
  if (across < up) {
    cardan__axis_widen(&d->x, up * (d->right - d->left), X_TICKS);
  } else {
    cardan__axis_widen(&d->y, across * (d->bottom - d->top), Y_TICKS);
  }
}

/* A line, broken where a point is missing; a point alone is a line of no length, which its round
 * ends make a dot. */
static void add_line(const drawing *d, const cardan__curve *curve, int style, const char *width)
{
  double x, y, last_x = NAN, last_y = NAN;
  int run = 0; // points since the last break
  cardan__text_printf(d->out,
                      "<path clip-path=\"url(#plot)\" fill=\"none\" stroke=\"currentColor\" "
                      "stroke-width=\"%s\" stroke-linejoin=\"round\" "
                      "stroke-linecap=\"round\"%s d=\"",
                      width, style >= COLORS ? " stroke-dasharray=\"6 4\"" : "");
  for (int i = 0; i < curve->n; i++) {
    if (!place(d, curve, i, &x, &y)) {
      cardan__text_printf(d->out, "%s", run == 1 ? "h0" : "");
      run = 0;
    } else if (run == 0 || fabs(x - last_x) >= 0.1 || fabs(y - last_y) >= 0.1) {
      add_pair(d->out, run == 0 ? 'M' : 'L', last_x = x, last_y = y);
      run++;
    }
  }
  cardan__text_printf(d->out, "%s\"/>\n", run == 1 ? "h0" : "");
}

/* The markers of a curve's points, or one at (x, y) for the legend. */
static void add_markers(const drawing *d, const cardan__curve *curve, int style,
                        const double *sample)
{
  double x, y;
  const double radius = curve->theirs ? 4 : 2.6;
  cardan__text_printf(d->out, "<path %s d=\"",
                      curve->theirs
                          ? "class=\"theirs\" stroke=\"currentColor\" stroke-width=\"1.6\""
                          : "fill=\"currentColor\"");
  if (sample) {
    add_marker(d->out, style, sample[0], sample[1], radius);
  }
  for (int i = 0; !sample && i < curve->n; i++) {
    if (place(d, curve, i, &x, &y)) {
      add_marker(d->out, style, x, y, radius);
    }
  }
  cardan__text_printf(d->out, "\"/>\n");
}

static bool has_markers(const drawing *d, const cardan__curve *curve)
{
  return curve->theirs || (curve->n <= FEW_POINTS && !d->plot->equal);
}

/* Long lines are thinner one after the other, so that one that lies on another does not hide it. */
static const char *line_width(const cardan__curve *curve, int before)
{
  return curve->n <= FEW_POINTS ? "1.6" : before == 0 ? "2.6" : before == 1 ? "1.9" : "1.3";
}

/* Lines first, so that the paper's points lie on top. */
static void add_curves(const drawing *d)
{
  int lines = 0;
  for (int theirs = 0; theirs < 2; theirs++) {
    for (int i = 0; i < d->plot->ncurve; i++) {
      const cardan__curve *curve = &d->plot->curve[i];
      const int style = style_of(d->plot, i);
      if (curve->theirs != (theirs == 1)) {
        continue;
      }
      cardan__text_printf(d->out, "<g color=\"%s\">", colors[style % COLORS]);
      if (!curve->theirs) {
        add_line(d, curve, style, line_width(curve, lines++));
      }
      if (has_markers(d, curve)) {
        add_markers(d, curve, style, NULL);
      }
      cardan__text_printf(d->out, "</g>\n");
    }
  }
}

static void add_power(cardan__text *out, int power)
{
  cardan__text_printf(out, "<tspan dy=\"-5\" font-size=\"9\">%s%d</tspan>", power < 0 ? MINUS : "",
                      power < 0 ? -power : power);
}

/* Letters of a tick, about; powers are smaller. */
static int tick_width(const cardan__tick *tick)
{
  const int power = !tick->raised ? 0 : tick->power > -10 && tick->power < 10 ? 10 : 18;
  return CHAR * (int)strlen(tick->text) + power;
}

static void add_tick(const drawing *d, const cardan__tick *tick, bool vertical)
{
  const cardan__axis *axis = vertical ? &d->y : &d->x;
  const double share = (tick->at - axis->low) / (axis->high - axis->low);
  const double x = d->left + (d->right - d->left) * share;
  const double y = d->bottom - (d->bottom - d->top) * share;
  cardan__text_printf(d->out, "<path class=\"grid\" d=\"");
  add_pair(d->out, 'M', vertical ? d->left : x, vertical ? y : d->bottom);
  cardan__text_printf(d->out, "%c%d\"/>", vertical ? 'H' : 'V', vertical ? d->right : d->top);
  cardan__text_printf(d->out, "<text class=\"faint\" text-anchor=\"%s\" x=\"",
                      vertical ? "end" : "middle");
  add_pixels(d->out, vertical ? d->left - 7 : x);
  cardan__text_printf(d->out, "\" y=\"");
  add_pixels(d->out, vertical ? y + 4 : d->bottom + 17);
  cardan__text_printf(d->out, "\">");
  const bool negative = tick->text[0] == '-';
  cardan__text_printf(d->out, "%s%s", negative ? MINUS : "", tick->text + (negative ? 1 : 0));
  if (tick->raised) {
    add_power(d->out, tick->power);
  }
  cardan__text_printf(d->out, "</text>\n");
}

/* What the numbers of a linear axis are multiplied by. */
static void add_factor(const drawing *d, const cardan__axis *axis, int x, int y, const char *anchor)
{
  if (axis->power != 0) {
    cardan__text_printf(d->out,
                        "<text class=\"faint\" text-anchor=\"%s\" x=\"%d\" y=\"%d\">\xc3\x97 10",
                        anchor, x, y);
    add_power(d->out, axis->power);
    cardan__text_printf(d->out, "</text>\n");
  }
}

static void add_axes(const drawing *d)
{
  for (int i = 0; i < d->x.ntick; i++) {
    add_tick(d, &d->x.tick[i], false);
  }
  for (int i = 0; i < d->y.ntick; i++) {
    add_tick(d, &d->y.tick[i], true);
  }
  cardan__text_printf(d->out, "<path class=\"frame\" fill=\"none\" d=\"M%d,%dV%dH%d\"/>\n", d->left,
                      d->top, d->bottom, d->right);
  add_factor(d, &d->y, d->left, d->top - 8, "middle");
  add_factor(d, &d->x, d->right, d->bottom + 17 + LINE, "end");
  const cardan__svg_block below = {
      .x = (d->left + d->right) / 2, .y = d->bottom + 38, .line = LINE};
  cardan__svg_add_block(d->out, &below, d->plot->x_label);
  const cardan__svg_block beside = {
      .x = MARGIN + 4, .y = (d->top + d->bottom) / 2, .line = LINE, .upright = true};
  cardan__svg_add_block(d->out, &beside, d->plot->y_label);
}

/* The name of a curve in the legend; the paper's are marked as such. */
static const char *mark_of(const cardan__curve *curve)
{
  return curve->theirs && strstr(curve->label, "(paper)") == NULL ? " (paper)" : "";
}

static int entry_letters(const cardan__curve *curve)
{
  const int most = (WIDTH - 2 * MARGIN - SAMPLE - 8) / CHAR;
  const int letters = cardan__svg_letters(curve->label) + (int)strlen(mark_of(curve));
  return letters < most ? letters : most;
}

static void add_entry(const drawing *d, int i, int x, int y)
{
  const cardan__curve *curve = &d->plot->curve[i];
  const int style = style_of(d->plot, i);
  const double middle[2] = {x + SAMPLE / 2.0, y - 4.0};
  cardan__text_printf(d->out, "<g color=\"%s\">", colors[style % COLORS]);
  if (!curve->theirs) {
    cardan__text_printf(d->out,
                        "<path stroke=\"currentColor\" stroke-width=\"2\"%s d=\"M%d,%dh%d\"/>",
                        style >= COLORS ? " stroke-dasharray=\"6 4\"" : "", x, y - 4, SAMPLE);
  }
  if (has_markers(d, curve)) {
    add_markers(d, curve, style, middle);
  }
  const char *mark = mark_of(curve);
  const size_t length =
      cardan__svg_line(curve->label, entry_letters(curve) - (int)strlen(mark), false);
  cardan__text_printf(d->out, "</g><text class=\"text\" x=\"%d\" y=\"%d\">", x + SAMPLE + 8, y);
  cardan__svg_add_text(d->out, curve->label, length);
  cardan__text_printf(d->out, "%s%s</text>\n", curve->label[length] != '\0' ? "\xe2\x80\xa6" : "",
                      mark);
}

/* Columns of one width, as many as there is room for. */
static void fit_legend(drawing *d)
{
  int widest = 1;
  for (int i = 0; i < d->plot->ncurve; i++) {
    const int letters = entry_letters(&d->plot->curve[i]);
    widest = letters > widest ? letters : widest;
  }
  d->column = SAMPLE + 8 + CHAR * widest + MARGIN;
  d->columns = (WIDTH - MARGIN) / d->column > 1 ? (WIDTH - MARGIN) / d->column : 1;
  d->rows = (d->plot->ncurve + d->columns - 1) / d->columns;
}

static void add_legend(const drawing *d, int y)
{
  for (int i = 0; i < d->plot->ncurve; i++) {
    add_entry(d, i, MARGIN + d->column * (i % d->columns), y + 20 * (i / d->columns));
  }
}

/* Opens the document: its size, its colours by day and by night, the area that curves keep to. */
static void add_head(const drawing *d, int height)
{
  cardan__text_printf(
      d->out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "viewBox=\"0 0 %d %d\" role=\"img\" font-size=\"12\" font-family=\"system-ui, "
      "'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif\">\n<title>",
      WIDTH, height, WIDTH, height);
  cardan__svg_add_text(d->out, d->plot->title, strlen(d->plot->title));
  cardan__text_printf(
      d->out,
      "</title>\n<style>\n"
      ".back, .theirs { fill: #ffffff } .text { fill: #18212c } .faint { fill: #485463 }\n"
      ".grid { stroke: #e6eaef } .frame { stroke: #9aa5b1 }\n"
      "@media (prefers-color-scheme: dark) {\n"
      "  .back, .theirs { fill: #171c23 } .text { fill: #e8ecf1 } .faint { fill: #b4bfcb }\n"
      "  .grid { stroke: #29313b } .frame { stroke: #66717e }\n}\n</style>\n"
      "<rect class=\"back\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n"
      "<clipPath id=\"plot\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
      WIDTH, height, d->left, d->top - 2, d->right - d->left + 2, d->bottom - d->top + 4);
}

void cardan__plot_svg(const cardan__plot *plot, cardan__text *text)
{
  drawing d = {.out = text, .plot = plot};
  const cardan__svg_block title = {.x = MARGIN, .y = 28, .line = TITLE_LINE, .title = true};
  fit_axes(&d);
  fit_legend(&d);
  int widest = 0;
  for (int i = 0; i < d.y.ntick; i++) {
    const int width = tick_width(&d.y.tick[i]);
    widest = width > widest ? width : widest;
  }
  const cardan__svg_block beside = {.line = LINE, .upright = true}, below = {.line = LINE};
  d.left = MARGIN + 8 + LINE * cardan__svg_block_lines(&beside, plot->y_label) + widest + 7;
  d.right = WIDTH - MARGIN - 8;
  d.top =
      28 + TITLE_LINE * cardan__svg_block_lines(&title, plot->title) + (d.y.power != 0 ? LINE : 0);
  d.bottom = d.top + (plot->equal ? PICTURE_HEIGHT : PLOT_HEIGHT);
  if (plot->equal) {
    make_equal(&d);
  }
  const int legend = d.bottom + 50 + LINE * cardan__svg_block_lines(&below, plot->x_label);
  add_head(&d, legend + 20 * d.rows - 4);
  cardan__svg_add_block(text, &title, plot->title);
  add_axes(&d);
  add_curves(&d);
  add_legend(&d, legend);
  cardan__text_printf(text, "</svg>\n");
}
