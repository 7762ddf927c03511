// SPDX-License-Identifier: Apache-2.0
// Files of heights, height fields in a model file and in MJCF: what is read, what is refused and
// where.
#include <stdio.h>
#include <string.h>

#include "formats/heights.h"
#include "mbs_fixture.h"
#include "robot_fixture.h"

// PNG files: 3 x 2 pixels of 8 bits with the filters 1 and 2; 2 x 2 of 16 bits with 3 and 4; 2 x 2
// of three colours, the last one green; interlaced; 3 x 2 of 1 bit; 2 x 2 with a palette
static const unsigned char grey8[] = {
    137, 80, 78,  71,  13,  10, 26,  10, 0,  0,   0,   13, 73,  72,  68, 82, 0,  0,  0,
    3,   0,  0,   0,   2,   8,  0,   0,  0,  0,   184, 31, 57,  198, 0,  0,  0,  16, 73,
    68,  65, 84,  120, 156, 99, 100, 48, 62, 195, 148, 54, 115, 22,  0,  8,  68, 2,  156,
    143, 99, 235, 68,  0,   0,  0,   0,  73, 69,  78,  68, 174, 66,  96, 130};
static const unsigned char grey16[] = {
    137, 80, 78,  71,  13,  10,  26,  10, 0,   0,   0,   13,  73,  72,  68,  82, 0,  0,  0,
    2,   0,  0,   0,   2,   16,  0,   0,  0,   0,   7,   77,  142, 187, 0,   0,  0,  18, 73,
    68,  65, 84,  120, 156, 99,  102, 96, 248, 255, 159, 133, 129, 145, 137, 17, 0,  13, 55,
    2,   10, 173, 47,  189, 148, 0,   0,  0,   0,   73,  69,  78,  68,  174, 66, 96, 130};
static const unsigned char colored[] = {
    137, 80,  78,  71,  13,  10,  26,  10,  0,  0,   0,   13,  73,  72,  68,  82,  0,   0,  0,  2,
    0,   0,   0,   2,   8,   2,   0,   0,   0,  253, 212, 154, 115, 0,   0,   0,   22,  73, 68, 65,
    84,  120, 156, 99,  96,  100, 100, 100, 98, 98,  98,  96,  102, 102, 102, 97,  101, 1,  0,  0,
    175, 0,   32,  161, 167, 178, 32,  0,   0,  0,   0,   73,  69,  78,  68,  174, 66,  96, 130};
static const unsigned char interlaced[] = {
    137, 80, 78,  71, 13, 10,  26,  10, 0,  0,   0,  13, 73,  72,  68,  82, 0,  0,
    0,   2,  0,   0,  0,  2,   8,   0,  0,  0,   1,  32, 218, 98,  110, 0,  0,  0,
    14,  73, 68,  65, 84, 120, 156, 99, 96, 100, 98, 96, 102, 1,   0,   0,  29, 0,
    11,  13, 181, 82, 6,  0,   0,   0,  0,  73,  69, 78, 68,  174, 66,  96, 130};
static const unsigned char bits[] = {
    137, 80, 78,  71, 13, 10,  26,  10, 0,  0,   0,   13,  73, 72, 68,  82, 0,   0,
    0,   3,  0,   0,  0,  2,   1,   0,  0,  0,   0,   181, 15, 91, 183, 0,  0,   0,
    12,  73, 68,  65, 84, 120, 156, 99, 88, 192, 224, 0,   0,  2,  36,  0,  225, 115,
    235, 59, 242, 0,  0,  0,   0,   73, 69, 78,  68,  174, 66, 96, 130};
static const unsigned char palette[] = {
    137, 80,  78, 71, 13, 10,  26,  10, 0,   0,   0,   13,  73,  72,  68,  82, 0, 0,
    0,   2,   0,  0,  0,  2,   8,   3,  0,   0,   0,   69,  104, 253, 22,  0,  0, 0,
    6,   80,  76, 84, 69, 0,   0,   0,  255, 255, 255, 165, 217, 159, 221, 0,  0, 0,
    12,  73,  68, 65, 84, 120, 156, 99, 96,  96,  4,   66,  0,   0,   12,  0,  3, 43,
    99,  203, 80, 0,  0,  0,   0,   73, 69,  78,  68,  174, 66,  96,  130};

static void check(const void *data, size_t size, const char *name, int rows, int columns,
                  const double *want)
{
  cardan__arena arena;
  cardan__heights h;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, NULL);
  const cardan_status status = cardan__heights_read(data, size, name, &arena, &h, &report);
  if (status != CARDAN_OK) {
    print_error("%s\n", report.message);
  }
  assert_int_equal(status, CARDAN_OK);
  assert_int_equal(h.rows, rows);
  assert_int_equal(h.columns, columns);
  for (int k = 0; k < rows * columns; k++) {
    assert_true(h.height[k] == want[k]);
  }
  cardan__arena_free(&arena);
}

static void check_bad(const void *data, size_t size, const char *name, int line, int column,
                      const char *part)
{
  cardan__arena arena;
  cardan__heights h;
  cardan_report report = {.message = ""};
  cardan__arena_init(&arena, NULL);
  assert_int_not_equal(cardan__heights_read(data, size, name, &arena, &h, &report), CARDAN_OK);
  if (strstr(report.message, part) == NULL) {
    print_error("%s\n", report.message);
  }
  assert_non_null(strstr(report.message, part));
  assert_int_equal(report.pos.line, line);
  assert_int_equal(report.pos.column, column);
  cardan__arena_free(&arena);
}

static void texts(void **state)
{
  (void)state;
  static const char good[] = "# heights\n1, 2 ,3\r\n\n-4,5e-1,6\n";
  // the last line has the lowest y
  check(good, strlen(good), "a.CSV", 2, 3, (const double[]){-4, 0.5, 6, 1, 2, 3});
  static const struct {
    const char *text;
    int line, column;
    const char *part;
  } bad[] = {{"", 0, 0, "found 0 rows and 0 columns"},
             {"1,2\n", 0, 0, "found 1 rows and 2 columns"},
             {"1\n2\n", 0, 0, "at least 2 of both"},
             {"0;1\n1;0\n", 1, 1, "the row \"0;1\"; expected numbers with commas between them"},
             {"# a\n\n0 1\n1 0\n", 3, 1, "the row \"0 1\"; expected numbers with commas"},
             {"1,2\n3\n", 2, 2, "found 1 heights; expected 2, as in the first row"},
             {"1,2\n3,4,5\n", 2, 4, "found more than 2 heights"},
             {"1,2\n3,x\n", 2, 3, "the field \"x\"; expected a number"},
             {"1,2\n3,nan\n", 2, 3, "expected a number"},
             {"1,2\n3,1e999\n", 2, 3, "expected a finite one"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    check_bad(bad[i].text, strlen(bad[i].text), "a.csv", bad[i].line, bad[i].column, bad[i].part);
  }
  check_bad("", 0, "a.tif", 0, 0, "expected .csv, .png");
}

static void pictures(void **state)
{
  (void)state;
  check(grey8, sizeof grey8, "a.png", 2, 3,
        (const double[]){102 / 255.0, 204 / 255.0, 153 / 255.0, 0, 51 / 255.0, 1});
  check(grey16, sizeof grey16, "a.png", 2, 2, (const double[]){1 / 65535.0, 256 / 65535.0, 0, 1});
  check(bits, sizeof bits, "a.png", 2, 3, (const double[]){0, 1, 0, 1, 0, 1});
  check(palette, sizeof palette, "a.png", 2, 2, (const double[]){1, 0, 0, 1});
  check_bad(colored, sizeof colored, "a.png", 0, 0, "a coloured pixel in row 2, column 2");
  check_bad(interlaced, sizeof interlaced, "a.png", 0, 0, "interlaced");
  check_bad("not a picture", 13, "a.png", 0, 0, "no PNG file");
  // cut anywhere, and one byte wrong anywhere
  for (size_t n = 0; n < sizeof grey8 - 12; n++) {
    cardan__arena arena;
    cardan__heights h;
    cardan_report report = {.message = ""};
    unsigned char copy[sizeof grey8];
    cardan__arena_init(&arena, NULL);
    assert_int_not_equal(cardan__heights_read((const char *)grey8, n, "a.png", &arena, &h, &report),
                         CARDAN_OK);
    assert_true(report.message[0] != '\0');
    memcpy(copy, grey8, sizeof copy);
    copy[n] ^= 0x55;
    assert_int_not_equal(
        cardan__heights_read((const char *)copy, sizeof copy, "a.png", &arena, &h, &report),
        CARDAN_OK);
    cardan__arena_free(&arena);
  }
}

static void binaries(void **state)
{
  (void)state;
  static const unsigned char good[] = {2, 0, 0,   0,  2, 0, 0, 0,  0, 0, 0,  0,
                                       0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};
  check(good, sizeof good, "a.hfield", 2, 2, (const double[]){0, 1, 2, 3});
  check_bad(good, sizeof good - 1, "a.hfield", 0, 0, "not as many bytes as its counts");
  static const unsigned char large[] = {255, 255, 255, 127, 255, 255, 255, 127};
  check_bad(large, sizeof large, "a.hfield", 0, 0, "at most 4000000 heights");
}

static void model_files(void **state)
{
  (void)state;
  cardan_spec *spec = read_good(
      "(system (place (0 0 1) (name \"g\") (solid height-field (heights (0 1 2) (3 4 5.5)) 4 2 0.5"
      " (base 3) (hidden))) (joint free \"f\" (mass 1 1 1 1) (solid sphere 1)) (contact all))");
  assert_round_trip(spec, false);
  cardan_spec_destroy(spec);
  static const struct {
    const char *text;
    int column;
    const char *part;
  } bad[] = {
      {"(solid height-field)", 1, "expected the name of a file, or (heights ..)"},
      {"(solid height-field (heights (1 2)) 1 1 1)", 1, "1 rows and 2 columns"},
      {"(solid height-field (heights (1 2) (3)) 1 1 1)", 36, "a row of 1 heights; expected 2"},
      {"(solid height-field (heights (1 2) 3) 1 1 1)", 36, "expected a row of heights"},
      {"(solid height-field (heights (1 2) (3 a)) 1 1 1)", 39, "no constant has this name"},
      {"(solid height-field (heights (1 2) (3 4)) 1 0 1)", 1, "expected"},
      {"(solid height-field (heights (1 2) (3 4)) 1 1e-5 1)", 1,
       "found the side 1e-05 m of a height field; expected 0.0001 to 1e+12"},
      {"(solid height-field (heights (1 2) (3 4)) 2e12 1 1)", 1, "found the side 2e+12 m"},
      {"(solid height-field (heights (1 2) (3 4)) 1 1 1e300)", 1,
       "found heights of up to 4e+300 m; expected at most 1e+12"},
      {"(solid height-field (heights (1 2) (3 4)) 1 1 1 (base 0))", 49, "found the base 0"},
      {"(solid height-field (heights (1 2) (3 4)) 1 1 1 (round 1))", 49, "(base ..)"},
      {"(solid height-field \"../a.csv\" 1 1 1)", 21, "expected a path relative"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[512];
    snprintf(text, sizeof text, "(system (tx 0\n%s))", bad[i].text);
    read_bad(text,
             strstr(bad[i].text, "1 0 1") || strstr(bad[i].part, " m") ||
                     strstr(bad[i].part, "columns") || strstr(bad[i].part, "constant") ||
                     strstr(bad[i].part, "relative")
                 ? CARDAN_ERR_MODEL
                 : CARDAN_ERR_SYNTAX,
             2, bad[i].column, bad[i].part);
  }
}

static void moving_fields_are_refused(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan_spec *spec =
      read_good("(system (tx \"q\" (mass 1)\n(solid height-field (heights (0 1) (3 4)) 1 1 1)))");
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "height field in the moving body"));
  assert_int_equal(report.pos.line, 2);
  cardan_spec_destroy(spec);
}

static void mjcf_fields(void **state)
{
  (void)state;
  cardan_model *model = robot_load(
      "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 .5 .3' elevation='1 2 3 4 5 5'/>"
      "</asset><worldbody><geom type='hfield' hfield='h' pos='0 0 1'/><body><freejoint/>"
      "<geom size='.1'/></body></worldbody></mujoco>",
      "m.xml", NULL, 0);
  assert_int_equal(model->nfield, 1);
  assert_int_equal(model->npair, 1);
  const cardan_height_field *f = &model->field[0];
  const cardan_solid *s = &model->solid[model->pair[0].solid[1]];
  // the first row has the highest y; from 0 to 1
  const double want[] = {0.75, 1, 1, 0, 0.25, 0.5};
  assert_near_vec(f->height, want, 6, 0);
  assert_near_vec(s->size, ((const double[]){4, 2, 0.5}), 3, 0);
  assert_true(f->base == 0.3);
  cardan_model_destroy(model);
#define WORLD "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
  static const robot_wrong wrong[] = {
      {"<mujoco><asset><hfield name='h' nrow='-2' ncol='2' size='2 1 .5 .3'/></asset>" WORLD, 1, 16,
       "found \"-2\" as nrow of an hfield; expected a whole number"},
      {"<mujoco><asset><hfield name='h' nrow='2' ncol='2.5' size='2 1 .5 .3'/></asset>" WORLD, 1,
       16, "found \"2.5\" as ncol"},
      {"<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='2 1 .5 .3' elevation='0 nan 0 1'/>"
       "</asset>" WORLD,
       1, 16, "found an elevation that is not all finite numbers; expected 2 rows of 2"},
      {"<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='2 1 .5 .3' elevation='0 1'/>"
       "</asset>" WORLD,
       1, 16, "found 2 numbers as elevation"}};
#undef WORLD
  robot_wrong_files(wrong, sizeof wrong / sizeof *wrong, "m.xml", NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts),       cmocka_unit_test(pictures),
      cmocka_unit_test(binaries),    cmocka_unit_test(model_files),
      cmocka_unit_test(mjcf_fields), cmocka_unit_test(moving_fields_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
