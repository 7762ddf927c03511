// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/axis.h"
#include "reproduce/svg_text.h"
#include "reproduce/write.h"
#include "support.h"

/* One element's tag at text, "<a b="c">" or "</a>": where it ends, NULL when it is none.
 * name, size  out: its name; kind: '<' opens, '/' closes, '.' is empty */
static const char *read_tag(const char *text, char *name, size_t size, char *kind)
{
  size_t n = 0;
  *kind = text[1] == '/' ? '/' : '<';
  text += *kind == '/' ? 2 : 1;
  while (isalnum((unsigned char)*text) && n + 1 < size) {
    name[n++] = *text++;
  }
  name[n] = '\0';
  while (n > 0 && *text == ' ' && *kind == '<') {
    text += strspn(text, " ");
    const size_t key = strcspn(text, "=<> ");
    if (key == 0 || text[key] != '=' || text[key + 1] != '"') {
      return NULL;
    }
    text += key + 2;
    text += strcspn(text, "\"<");
    if (*text++ != '"') {
      return NULL;
    }
  }
  if (*text == '/' && *kind == '<') {
    *kind = '.';
    text++;
  }
  return n > 0 && *text == '>' ? text + 1 : NULL;
}

/* Is it one element with balanced ones inside, and text in which & begins one of four entities? */
static bool well_formed(const char *text)
{
  static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
  char stack[16][16], name[16], kind;
  int depth = 0, roots = 0;
  while (*text != '\0') {
    if (*text == '<') {
      text = read_tag(text, name, sizeof name, &kind);
      if (text == NULL || depth == 16) {
        return false;
      }
      roots += depth == 0 && kind == '<' ? 1 : 0;
      if (kind == '<') {
        memcpy(stack[depth++], name, sizeof name);
      } else if (kind == '/' && (depth == 0 || strcmp(stack[--depth], name) != 0)) {
        return false;
      }
      continue;
    }
    bool entity = *text != '&';
    for (int i = 0; i < 4; i++) {
      entity = entity || strncmp(text, entities[i], strlen(entities[i])) == 0;
    }
    if (!entity || *text == '>' || ((unsigned char)*text < 0x20 && *text != '\n')) {
      return false;
    }
    text++;
  }
  return depth == 0 && roots == 1;
}

static int count(const char *text, const char *piece)
{
  int n = 0;
  for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece)) {
    n++;
  }
  return n;
}

/* The picture of a figure, in a text to be given back; checked for form. */
static char *draw(const cardan__plot *plot, cardan__text *text)
{
  cardan__text_init(text, NULL);
  cardan__plot_svg(plot, text);
  assert_false(text->failed);
  assert_int_equal(strlen(text->data), text->length);
  assert_true(well_formed(text->data));
  // no number is left without a value
  assert_null(strstr(text->data, "nan"));
  assert_null(strstr(text->data, "inf"));
  return text->data;
}

/* Lines of a path element: d="..." of the first path that is clipped, cut to size. */
static void line_of(const char *svg, char *line, size_t size)
{
  const char *path = strstr(svg, "<path clip-path");
  assert_non_null(path);
  const char *d = strstr(path, " d=\"");
  assert_non_null(d);
  snprintf(line, size, "%.*s", (int)strcspn(d + 4, "\""), d + 4);
}

static void a_figure_is_drawn(void **state)
{
  cardan__outcome out;
  cardan__text text;
  char line[512];
  (void)state;
  cardan__outcome_init(&out, NULL);
  cardan__plot *plot =
      cardan__outcome_plot(&out, "", "Energy", "time [s]", "energy [J]", CARDAN__LINEAR);
  cardan__curve *ours = cardan__plot_curve(&out, plot, "RIQN", false);
  cardan__curve *theirs = cardan__plot_curve(&out, plot, "RIQN", true);
  cardan__curve_point(&out, ours, 0, 0);
  cardan__curve_point(&out, ours, 10, 1);
  cardan__curve_point(&out, theirs, 5, 0.5);
  const char *svg = draw(plot, &text);
  assert_non_null(strstr(svg, ">Energy</text>"));
  assert_non_null(strstr(svg, ">time [s]</text>"));
  assert_non_null(strstr(svg, ">energy [J]</text>"));
  assert_non_null(strstr(svg, ">RIQN</text>"));
  assert_non_null(strstr(svg, ">RIQN (paper)</text>"));
  assert_non_null(strstr(svg, ">0.6</text>"));
  // both in one colour, in the plot and in the legend
  assert_int_equal(count(svg, "<g color=\"#4a84e0\">"), 4);
  assert_int_equal(count(svg, "<g color="), 4);
  // the line goes from corner to corner: the frame is M left,top V bottom H right
  int left, top, bottom, right;
  assert_int_equal(sscanf(strstr(svg, "class=\"frame\""),
                          "class=\"frame\" fill=\"none\" d=\"M%d,%dV%dH%d", &left, &top, &bottom,
                          &right),
                   4);
  char wanted[64];
  snprintf(wanted, sizeof wanted, "M%d,%dL%d,%d", left, bottom, right, top);
  line_of(svg, line, sizeof line);
  assert_string_equal(line, wanted);
  cardan__text_free(&text);
  cardan__outcome_free(&out);
}

static void strange_texts_are_text(void **state)
{
  cardan__outcome out;
  cardan__text text;
  (void)state;
  cardan__outcome_init(&out, NULL);
  cardan__plot *plot =
      cardan__outcome_plot(&out, "", "</title><script>alert(1)</script>", "a & b \"c\" 'd'",
                           "\x01\xff\xef\xbf\xbf", CARDAN__LOG_Y);
  cardan__plot_curve(&out, plot, "]]><![CDATA[", false);
  cardan__plot_curve(&out, plot, "%s%n \xf0\x9f\x98\x80 \xc3\xa9", true);
  char label[2001] = {0};
  memset(label, 'x', sizeof label - 1);
  cardan__plot_curve(&out, plot, label, true);
  const char *svg = draw(plot, &text);
  assert_null(strstr(svg, "<script"));
  assert_null(strstr(svg, "<!"));
  assert_non_null(strstr(svg, ">&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</text>"));
  assert_non_null(strstr(svg, ">a &amp; b &quot;c&quot; 'd'</text>"));
  assert_non_null(strstr(svg, ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd</text>"));
  assert_non_null(strstr(svg, ">%s%n \xf0\x9f\x98\x80 \xc3\xa9 (paper)</text>"));
  // a label as wide as the picture at most, its mark kept
  assert_non_null(strstr(svg, "xx\xe2\x80\xa6 (paper)</text>"));
  assert_true(text.length < 8000);
  cardan__text_free(&text);
  cardan__outcome_free(&out);
}

// what a logarithm does not have is left out, and the line is broken there
static void gaps_break_lines(void **state)
{
  static const double y[] = {1, 1e-3, 0, 1e-6, -1, 1e-9, 1e-12, NAN, INFINITY};
  cardan__outcome out;
  cardan__text text;
  char line[512];
  (void)state;
  cardan__outcome_init(&out, NULL);
  cardan__plot *plot = cardan__outcome_plot(&out, "", "t", "x", "y", CARDAN__LOG_Y);
  cardan__curve *curve = cardan__plot_curve(&out, plot, "error", false);
  for (int i = 0; i < 9; i++) {
    cardan__curve_point(&out, curve, i, y[i]);
  }
  const char *svg = draw(plot, &text);
  line_of(svg, line, sizeof line);
  assert_int_equal(count(line, "M"), 3);
  assert_int_equal(count(line, "L"), 2);
  assert_int_equal(count(line, "h0"), 1); // the point alone
  // powers are raised, and none stands outside 1e-12 .. 1
  assert_non_null(strstr(svg, ">10<tspan dy=\"-5\" font-size=\"9\">\xe2\x88\x92"
                              "12</tspan></text>"));
  assert_non_null(strstr(svg, ">10<tspan dy=\"-5\" font-size=\"9\">0</tspan></text>"));
  cardan__text_free(&text);
  cardan__outcome_free(&out);
}

/* The picture of one curve of n equal points. */
static void check_small(int axes, int n, double x, double y)
{
  cardan__outcome out;
  cardan__text text;
  cardan__outcome_init(&out, NULL);
  cardan__plot *plot = cardan__outcome_plot(&out, "", "", "", "", axes);
  for (int theirs = 0; theirs < 2 && n >= 0; theirs++) {
    cardan__curve *curve = cardan__plot_curve(&out, plot, "c", theirs == 1);
    for (int i = 0; i < n; i++) {
      cardan__curve_point(&out, curve, x, y);
    }
  }
  draw(plot, &text);
  cardan__text_free(&text);
  cardan__outcome_free(&out);
}

static void little_is_enough(void **state)
{
  static const double value[] = {0, 1, -3.7, 1e-310, 1e300, -1.7e308, 1.7e308, NAN, INFINITY};
  (void)state;
  for (int axes = 0; axes <= CARDAN__EQUAL; axes++) {
    check_small(axes, -1, 0, 0);
    for (int i = 0; i < 81; i++) {
      check_small(axes, i % 3, value[i % 9], value[i / 9]);
    }
  }
}

/* An axis over two values, its numbers with spaces between; a power stands behind ^. */
static void check_axis(bool log, cardan__ends ends, double low, double high, const char *wanted,
                       int power)
{
  cardan__axis axis;
  char said[512] = "";
  cardan__axis_start(&axis, log);
  cardan__axis_take(&axis, high);
  cardan__axis_take(&axis, low);
  cardan__axis_finish(&axis, 6, ends);
  for (int i = 0; i < axis.ntick; i++) {
    const size_t at = strlen(said);
    snprintf(said + at, sizeof said - at, axis.tick[i].raised ? "%s%s^%d" : "%s%s",
             i > 0 ? " " : "", axis.tick[i].text, axis.tick[i].power);
  }
  assert_string_equal(said, wanted);
  assert_int_equal(axis.power, power);
  assert_true(cardan__axis_place(&axis, low) >= -1e-6);
  assert_true(cardan__axis_place(&axis, high) <= 1 + 1e-6);
}

static void ticks_are_round(void **state)
{
  (void)state;
  check_axis(false, CARDAN__ENDS_ROUND, 0, 10, "0 2 4 6 8 10", 0);
  check_axis(false, CARDAN__ENDS_ROUND, -0.013, 0.021, "-0.02 -0.01 0 0.01 0.02 0.03", 0);
  check_axis(false, CARDAN__ENDS_ROUND, 0, 5000, "0 1000 2000 3000 4000 5000", 0);
  check_axis(false, CARDAN__ENDS_ROUND, 0, 3e-6, "0 0.5 1 1.5 2 2.5 3", -6);
  check_axis(false, CARDAN__ENDS_ROUND, -4e7, 0, "-4 -3 -2 -1 0", 7);
  check_axis(false, CARDAN__ENDS_ROUND, 9.81, 9.8100004,
             "9.81 9.8100001 9.8100002 9.8100003 9.8100004", 0);
  check_axis(false, CARDAN__ENDS_ROUND, 2, 2, "1 1.5 2 2.5 3", 0);
  check_axis(true, CARDAN__ENDS_ROUND, 2, 32, "2 5 10 20 50", 0);
  check_axis(true, CARDAN__ENDS_ROUND, 7, 7, "5 10", 0);
  check_axis(true, CARDAN__ENDS_ROUND, 10, 10, "5 10 20", 0);
  check_axis(true, CARDAN__ENDS_ROUND, 2e-8, 4e-7,
             "2\xc2\xb7"
             "10^-8 5\xc2\xb7"
             "10^-8 10^-7 2\xc2\xb7"
             "10^-7 5\xc2\xb7"
             "10^-7",
             0);
  check_axis(true, CARDAN__ENDS_ROUND, 3e-13, 2, "10^-12 10^-10 10^-8 10^-6 10^-4 10^-2 10^0", 0);
  check_axis(true, CARDAN__ENDS_ROUND, 1, 1e5, "10^0 10^1 10^2 10^3 10^4 10^5", 0);
  // ends that stay with the values, but not for a hair's breadth or where ticks are few
  check_axis(false, CARDAN__ENDS_SNUG, 0, 0.85, "0 0.2 0.4 0.6 0.8", 0);
  check_axis(false, CARDAN__ENDS_SNUG, 0, 119.99, "0 20 40 60 80 100 120", 0);
  check_axis(false, CARDAN__ENDS_SNUG, 0.1, 0.3, "0.1 0.15 0.2 0.25 0.3", 0);
  check_axis(true, CARDAN__ENDS_SNUG, 2, 32, "2 5 10 20", 0);
  check_axis(true, CARDAN__ENDS_SNUG, 10, 10, "5 10 20", 0);
  check_axis(true, CARDAN__ENDS_SNUG, 3e-13, 2, "10^-12 10^-10 10^-8 10^-6 10^-4 10^-2 10^0", 0);
}

static void lines_are_broken(void **state)
{
  (void)state;
  assert_int_equal(cardan__svg_line("one two three", 8, true), 7);
  assert_int_equal(cardan__svg_line("one two three", 7, true), 7);
  assert_int_equal(cardan__svg_line("one two three", 6, true), 3);
  assert_int_equal(cardan__svg_line("one two three", 6, false), 6);
  assert_int_equal(cardan__svg_line("seventeen", 4, true), 4);
  assert_int_equal(cardan__svg_line("\xc3\xa9\xc3\xa9\xc3\xa9", 2, true), 4);
  assert_int_equal(cardan__svg_line("", 2, true), 0);
  const cardan__svg_block block = {.upright = true};
  assert_int_equal(cardan__svg_block_lines(&block, ""), 0);
  assert_int_equal(cardan__svg_block_lines(&block, "energy [J]"), 1);
}

/* Pixels between the ends of a line of two points. */
static void extent(const char *svg, double *x, double *y)
{
  char line[512];
  double from[2], to[2];
  line_of(svg, line, sizeof line);
  assert_int_equal(sscanf(line, "M%lf,%lfL%lf,%lf", &from[0], &from[1], &to[0], &to[1]), 4);
  *x = fabs(to[0] - from[0]);
  *y = fabs(to[1] - from[1]);
}

// a picture has one scale, whichever way it is long; a tenth of a pixel is written
static void pictures_keep_their_shape(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double wide = i == 0 ? 10 : 0.5, high = 2.5;
    cardan__outcome out;
    cardan__text text;
    double x, y;
    cardan__outcome_init(&out, NULL);
    cardan__plot *plot = cardan__outcome_plot(&out, "", "t", "x [m]", "y [m]", CARDAN__EQUAL);
    cardan__curve *curve = cardan__plot_curve(&out, plot, "bar", false);
    cardan__curve_point(&out, curve, 0, 0);
    cardan__curve_point(&out, curve, wide, high);
    extent(draw(plot, &text), &x, &y);
    assert_near(x / wide, y / high, 0.2 / wide);
    assert_true(x > 50 && y > 50);
    cardan__text_free(&text);
    cardan__outcome_free(&out);
  }
}

static cardan_status draw_once(const cardan_allocator *alloc, void *user)
{
  cardan__text text;
  cardan__text_init(&text, alloc);
  cardan__plot_svg(user, &text);
  const bool failed = text.failed;
  cardan__text_free(&text);
  return failed ? CARDAN_ERR_MEMORY : CARDAN_OK;
}

// the same bytes again, and where numbers have a decimal comma; failing allocations are reported
static void pictures_are_the_same(void **state)
{
  cardan__outcome out;
  cardan__text text, again;
  (void)state;
  cardan__outcome_init(&out, NULL);
  cardan__plot *plot = cardan__outcome_plot(&out, "", "t", "x", "y", CARDAN__LINEAR);
  cardan__curve *curve = cardan__plot_curve(&out, plot, "c", false);
  for (int i = 0; i < 200; i++) {
    cardan__curve_point(&out, curve, 0.0125 * i, sin(0.1 * i) * 1e-7);
  }
  const char *svg = draw(plot, &text);
  if (setlocale(LC_ALL, "de_DE.UTF-8")) {
    assert_string_equal(draw(plot, &again), svg);
    cardan__text_free(&again);
    setlocale(LC_ALL, "C");
  }
  assert_string_equal(draw(plot, &again), svg);
  cardan__text_free(&again);
  cardan__text_free(&text);
  support_fail_each(draw_once, plot);
  cardan__outcome_free(&out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_figure_is_drawn),         cmocka_unit_test(strange_texts_are_text),
      cmocka_unit_test(gaps_break_lines),          cmocka_unit_test(little_is_enough),
      cmocka_unit_test(ticks_are_round),           cmocka_unit_test(lines_are_broken),
      cmocka_unit_test(pictures_keep_their_shape), cmocka_unit_test(pictures_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
