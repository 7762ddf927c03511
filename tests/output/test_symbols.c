// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/symbols.h"
#include "fixture.h"
#include "spatial/spatial.h"

static cardan_symbols *describe(const cardan_model *model)
{
  cardan_symbols *symbols = NULL;
  assert_int_equal(cardan_symbols_create(model, NULL, 0, NULL, &symbols), CARDAN_OK);
  return symbols;
}

/* How many symbols have a glyph of that word. */
static int count(const cardan_symbols *s, const char *word)
{
  int n = 0;
  for (int i = 0; i < s->nsymbol; i++) {
    n += strcmp(s->glyph[s->symbol[i].glyph].word, word) == 0;
  }
  return n;
}

static const cardan_symbol *find(const cardan_symbols *s, const char *word, int which)
{
  for (int i = 0; i < s->nsymbol; i++) {
    if (strcmp(s->glyph[s->symbol[i].glyph].word, word) == 0 && which-- == 0) {
      return &s->symbol[i];
    }
  }
  fail_msg("there is no %s", word);
  return NULL;
}

static int count_ties(const cardan_symbols *s, cardan_tie_kind kind)
{
  int n = 0;
  for (int i = 0; i < s->ntie; i++) {
    n += s->tie[i].kind == kind;
  }
  return n;
}

static const char pairs[] =
    "(system (gravity 0 0 -9.81)\n"
    " (joint revolute \"h\" (axis 0 1 0) (limit -1 1) (tz -1 (mass 1 1 1 1)))\n"
    " (place (1 0 0) (joint prismatic \"s\" (axis 1 0 0) (limit 0 2) (mass 1 1 1 1)))\n"
    " (place (2 0 0) (joint spherical \"b\" (tz -1 (mass 1 1 1 1))))\n"
    " (place (3 0 0) (joint universal \"u\" (axis 1 0 0) (axis2 0 1 0) (tz -1 (mass 1 1 1 1))))\n"
    " (place (4 0 0) (joint helical \"w\" (axis 0 0 1) (pitch 0.1) (mass 1 1 1 1)))\n"
    " (place (5 0 0) (joint planar \"p\" (mass 1 1 1 1)))\n"
    " (place (6 0 0) (joint cylindrical \"c\" (axis 0 0 1) (mass 1 1 1 1)))\n"
    " (place (7 0 0) (joint free \"f\" (mass 1 1 1 1))))\n";

// each lower pair has its own symbol, what is fixed in the world its ground, and limits their stops
static void joints_have_symbols(void **state)
{
  static const struct {
    const char *word;
    int n;
  } wanted[] = {{"hinge", 2}, // one of them on the plate
                {"slider", 1}, {"rail", 1},   {"ball", 1},  {"socket", 1},
                {"cross", 1},  {"screw", 1},  {"nut", 1},   {"plate", 1},
                {"rod", 1},    {"sleeve", 1}, {"stops", 2}, {"ground", 4}};
  cardan_model *model = load_model(pairs, NULL);
  cardan_symbols *s = describe(model);
  (void)state;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    assert_int_equal(count(s, wanted[i].word), wanted[i].n);
  }
  // hinge, ball, cross and screw stand on the ground: three lines join the four
  assert_int_equal(count_ties(s, CARDAN_TIE_GROUND), 3);
  const cardan_symbol *rail = find(s, "rail", 0);
  assert_string_equal(rail->name, "s");
  assert_string_equal(rail->kind, "prismatic");
  assert_int_equal(rail->body, 0);
  cardan_symbols_destroy(s);
  cardan_model_destroy(model);
}

static const char elements[] =
    "(system (gravity 0 0 -9.81)\n"
    " (place (0 0 1) (name \"up\"))\n"
    " (rx \"a\" (name \"A\") (tz -1 (name \"E\") (mass 1)))\n"
    " (place (0 0.5 0) (rx \"b\" (name \"B\") (mass 1 1 1 1)))\n"
    " (place (0 0 -2) (ty \"x\" (name \"X\") (mass 1)))\n"
    " (input \"i\" 0)\n"
    " (spring \"up\" \"E\" 10 0.75) (damper \"up\" \"E\" 1) (rope \"up\" \"E\" 9)\n"
    " (force \"A\" \"X\" (sin t)) (joint-spring \"a\" 1 0) (joint-spring \"x\" 1 0)\n"
    " (actuator \"m\" \"b\" \"i\") (stop \"x\" -1 1) (gear \"a\" \"b\" -1.5)\n"
    " (bushing \"B\" \"X\" (1 1 1) (1 1 1)))\n";

static void elements_have_symbols(void **state)
{
  cardan_model *model = load_model(elements, NULL);
  cardan_symbols *s = describe(model);
  (void)state;
  assert_int_equal(count_ties(s, CARDAN_TIE_COIL), 2); // the one along x too
  assert_int_equal(count_ties(s, CARDAN_TIE_DASHPOT), 1);
  assert_int_equal(count_ties(s, CARDAN_TIE_CORD), 1);
  assert_int_equal(count_ties(s, CARDAN_TIE_RAM), 1);
  assert_int_equal(count(s, "twist"), 1);
  assert_int_equal(count(s, "drive"), 1);
  assert_int_equal(count(s, "stops"), 1);
  assert_int_equal(count(s, "bushing"), 1);
  assert_int_equal(count(s, "wheel"), 2);
  for (int i = 0; i < s->ntie; i++) {
    if (strcmp(s->tie[i].word, "spring") == 0) {
      assert_near(s->tie[i].length, 0.75, 0);
    }
  }
  // the wheels roll on one another: 0.3 and 0.2 m of the 0.5 between the axes; the rim is a quarter
  // of a tooth's pitch, a sixteenth of the smaller one's way round, inside. Rounding of a sum
  const double pitch = 2 * 3.14159265358979323846 * 0.2 / 16;
  for (int k = 0; k < 2; k++) {
    const cardan_glyph *glyph = &s->glyph[find(s, "wheel", k)->glyph];
    assert_near(s->part[glyph->part].size[1][0], (k == 0 ? 0.3 : 0.2) - pitch / 4, 1e-15);
  }
  cardan_symbols_destroy(s);
  cardan_model_destroy(model);
}

static const char rack[] = "(system (ry \"a\" (mass 1 1 1 1))\n"
                           " (place (0 0 -1) (tx \"x\" (mass 1)))\n"
                           " (gear \"a\" \"x\" 0.25))\n";

// dx = 0.25 da: the rack passes the wheel where its rim goes along +x, above a wheel that turns
// about +y, at z = 0.25 of the world, 1.25 of the slider
static void racks_touch_their_wheel(void **state)
{
  cardan_model *model = load_model(rack, NULL);
  cardan_symbols *s = describe(model);
  (void)state;
  const cardan_symbol *r = find(s, "rack", 0);
  const cardan_vec3 p = cardan_xform_point(&(cardan_xform){.R = model->body[r->body].X.R}, r->X.p);
  assert_near(p.z, 1.25, 1e-14); // rounding of the axes
  cardan_symbols_destroy(s);
  cardan_model_destroy(model);
}

static const char eccentric[] =
    "(system (define r 0.26) (define e 0.08)\n"
    " (place (0.3 0 0.1) (ry \"a\" (tz e (name \"disc\") (mass 1 1 1 1))) (tz \"y\" (mass 1)))\n"
    " (place (9 0 0) (tz \"w\" (mass 1)))\n"
    " (equation (- q.y (+ (* e (cos q.a)) (sqrt (- (* r r) (^ (* e (sin q.a)) 2))))))\n"
    " (inequality (- (^ q.w 3) q.a))\n"
    " (initial (\"a\" 0.7) (\"y\" 0.3)))\n";

// a follower on an eccentric disc sees a circle about the disc's centre, to the rounding of
// Newton's last step; what is not the same after a turn is no cam and keeps its dashes
static void cams_have_outlines(void **state)
{
  cardan_model *model = load_model(eccentric, NULL);
  cardan_symbols *s = describe(model);
  (void)state;
  assert_int_equal(count(s, "cam"), 1);
  assert_int_equal(count_ties(s, CARDAN_TIE_DASHES), 1);
  const cardan_symbol *cam = find(s, "cam", 0);
  const cardan_glyph *glyph = &s->glyph[cam->glyph];
  const cardan_frame *disc = &model->frame[cardan_model_frame(model, "disc")];
  assert_int_equal(cam->body, disc->body);
  double round = 0;
  for (int i = glyph->part; i < glyph->part + glyph->npart; i++) {
    const cardan_symbol_part *side = &s->part[i];
    for (int end = -1; end <= 1; end += 2) {
      double square = 0;
      const double centre[3] = {disc->X_BF.p.x, disc->X_BF.p.y, disc->X_BF.p.z};
      for (int k = 0; k < 3; k++) {
        const double x = side->at[1][k] + end * side->size[1][2] / 2 * side->R.m[k][2] - centre[k];
        square += x * x;
      }
      assert_near(sqrt(square), 0.26, 100 * DBL_EPSILON);
    }
    round += side->size[1][2];
  }
  assert_near(round, 2 * 3.14159265358979323846 * 0.26, 0.001); // chords of 5 degrees: 0.03 % less
  cardan_symbols_destroy(s);
  cardan_model_destroy(model);
}

static const char rolling[] =
    "(system (tx \"x\" (tz \"z\" (rx \"lean\" (ry \"w\" (name \"W\") (mass 1 1 1 1)))))\n"
    " (joint free \"b\" (mass 1 1 1 1)) (rz \"s\" (tx 1 (rz (deg 90) (name \"S\"))) (mass 1 1 1 "
    "1))\n"
    " (roll \"W\" \"world\" (disc 0.3) (axis 0 1 0)) (roll \"b\" \"world\" (ball 0.2))\n"
    " (tx \"t\" (ry \"u\" (name \"T\") (mass 1 1 1 1)))\n"
    " (tyre \"T\" \"world\" (disc 0.4) (axis 0 1 0) (linear 1 1 1) (load 9))\n"
    " (skate \"S\" \"world\") (initial (\"z\" 0.3)))\n";

/* The z axis of a symbol in a frame of its body. */
static cardan_vec3 axis_in(const cardan_model *model, const char *frame, const cardan_symbol *s)
{
  const cardan_mat3 *F = &model->frame[cardan_model_frame(model, frame)].X_BF.R;
  double z[3];
  for (int k = 0; k < 3; k++) {
    z[k] = F->m[0][k] * s->X.R.m[0][2] + F->m[1][k] * s->X.R.m[1][2] + F->m[2][k] * s->X.R.m[2][2];
  }
  return (cardan_vec3){z[0], z[1], z[2]};
}

// rims and great circles have the radius of what rolls, about its axis and centre; a blade lies
// along x of its frame, at its origin. 1e-15: rounding of cos(90 deg)
static void rolling_has_symbols(void **state)
{
  cardan_model *model = load_model(rolling, NULL);
  cardan_symbols *s = describe(model);
  (void)state;
  assert_int_equal(count(s, "rolling disc") + count(s, "rolling ball") + count(s, "blade"), 4);
  const cardan_symbol *tyre = find(s, "rolling disc", 1);
  assert_near(s->part[s->glyph[tyre->glyph].part].size[1][0], 0.4, 0);
  assert_near(axis_in(model, "T", tyre).y, 1, 1e-15);
  assert_string_equal(tyre->kind, "tyre");
  const cardan_symbol *disc = find(s, "rolling disc", 0), *ball = find(s, "rolling ball", 0);
  assert_near(s->part[s->glyph[disc->glyph].part].size[1][0], 0.3, 0);
  assert_near(axis_in(model, "W", disc).y, 1, 1e-15);
  assert_string_equal(disc->kind, "roll");
  assert_int_equal(disc->body, model->frame[cardan_model_frame(model, "W")].body);
  const cardan_glyph *glyph = &s->glyph[ball->glyph];
  assert_int_equal(glyph->npart, 3);
  for (int k = 0; k < 3; k++) {
    const cardan_symbol_part *circle = &s->part[glyph->part + k];
    const double along[3] = {circle->R.m[0][2], circle->R.m[1][2], circle->R.m[2][2]};
    assert_int_equal(circle->solid, CARDAN_PART_RING);
    assert_near(circle->size[1][0], 0.2, 0);
    assert_near(fabs(along[k == 0 ? 2 : k == 1 ? 1 : 0]), 1, 1e-15);
  }
  const cardan_symbol *blade = find(s, "blade", 0);
  assert_near(axis_in(model, "S", blade).x, 1, 1e-15);
  assert_near(cardan__vec3_norm(blade->X.p), 1, 1e-15);
  cardan_symbols_destroy(s);
  cardan_model_destroy(model);
}

/* The description after a body went so far. */
static cardan_symbols *after_way(const cardan_model *model, double way)
{
  static const char *const column[] = {"t", "q.h", "v.h"};
  cardan_film *film = NULL;
  cardan_symbols *symbols = NULL;
  assert_int_equal(cardan_film_create(model, column, 3, 0, NULL, &film, NULL), CARDAN_OK);
  cardan_film_append(film, (const double[3]){0, 0, 0});
  cardan_film_append(film, (const double[3]){1, way, 0});
  const cardan_film *films[1] = {film};
  assert_int_equal(cardan_symbols_create(model, films, 1, NULL, &symbols), CARDAN_OK);
  cardan_film_destroy(film);
  return symbols;
}

// a fall of a kilometre makes bars and balls no thicker; rails are as long as it
static void sizes_do_not_travel(void **state)
{
  cardan_model *model =
      load_model("(system (tz \"h\" (tx 0.3 (mass 1)) (tx -0.3 (mass 1))))", NULL);
  cardan_symbols *near = after_way(model, -1), *far = after_way(model, -1000);
  (void)state;
  assert_true(near->thick > 0 && near->thick == far->thick);
  assert_true(near->ball == far->ball && near->extent == far->extent);
  const cardan_glyph *rail = &far->glyph[find(far, "rail", 0)->glyph];
  assert_true(far->part[rail->part].size[1][2] > 1000);
  cardan_symbols_destroy(near);
  cardan_symbols_destroy(far);
  cardan_model_destroy(model);
}

// place of a body by two or three sliders at one point is no machine: no rails
static void coordinates_have_no_rails(void **state)
{
  cardan_model *model =
      load_model("(system (tx \"x\" (tz \"z\" (ry \"a\" (mass 1 1 1 1)))))", NULL);
  cardan_symbols *s = describe(model);
  (void)state;
  assert_int_equal(count(s, "rail"), 0);
  assert_int_equal(count(s, "hinge"), 1);
  cardan_symbols_destroy(s);
  cardan_model_destroy(model);
}

static cardan_status make(const cardan_allocator *alloc, void *user)
{
  cardan_symbols *symbols = NULL;
  const cardan_status status = cardan_symbols_create(user, NULL, 0, alloc, &symbols);
  assert_true((status == CARDAN_OK) == (symbols != NULL));
  cardan_symbols_destroy(symbols);
  return status;
}

// without memory, wherever it ends, nothing is left behind; an empty model has a description too
static void memory_may_fail(void **state)
{
  cardan_model *model = load_model(elements, NULL), *empty = load_model("(system)", NULL);
  (void)state;
  support_fail_each(make, model);
  assert_int_equal(make(NULL, empty), CARDAN_OK);
  cardan_model_destroy(model);
  cardan_model_destroy(empty);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_have_symbols),       cmocka_unit_test(elements_have_symbols),
      cmocka_unit_test(racks_touch_their_wheel),   cmocka_unit_test(cams_have_outlines),
      cmocka_unit_test(rolling_has_symbols),       cmocka_unit_test(sizes_do_not_travel),
      cmocka_unit_test(coordinates_have_no_rails), cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
