// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "mbs_fixture.h"

// Solids, materials, contacts and bounds in a model file: what is wrong is reported at its place,
// what is right is written back the same.

typedef struct {
  const char *text;
  int column;
  const char *part;
} bad;

/* Each stands behind "(system " in a line of its own. */
static void check(const bad *list, size_t n, cardan_status status)
{
  for (size_t i = 0; i < n; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "(system (place (0 0 0) (name \"g\") (solid plane)) (joint free \"f\" (mass 1 1 1 1)"
             " (solid box 1 1 1)) (joint free \"bare\" (mass 1)) (ry \"q\" (mass 1 1 1 1)\n)\n%s)",
             list[i].text);
    read_bad(text, status, 3, list[i].column, list[i].part);
  }
}

#define CHECK(list, status) check(list, sizeof(list) / sizeof(*(list)), status)

static void wrong_words(void **state)
{
  static const bad list[] = {
      {"(tx 1 (solid))", 7,
       "expected the shape box, sphere, cylinder, capsule, mesh, ellipsoid, "
       "point, plane, hull or height-field"},
      {"(tx 1 (solid bok 1 1 1))", 14, "did you mean \"box\"?"},
      {"(tx 1 (shape plane))", 14, "cylinder, capsule, mesh or ellipsoid"},
      {"(tx 1 (solid box 1 1))", 7, "expected a number, as in (solid box x y z)"},
      {"(tx 1 (solid sphere 1 2))", 23, "expected one (material ..) or (hidden)"},
      {"(tx 1 (solid point (round 1)))", 20, "expected one (material ..) or (hidden)"},
      {"(tx 1 (solid plane (hidden) (hidden)))", 29, "expected one (material ..) or (hidden)"},
      {"(tx 1 (solid plane (material 1)))", 30, "expected the name of a material"},
      {"(material rubber)", 11, "expected the name of a material"},
      {"(material \"m\" (fricton 1))", 15, "expected (friction ..)"},
      {"(material \"m\" (friction))", 15, "expected a number, as in (friction x)"},
      {"(material \"m\" (friction 1) (friction 1))", 28, "a second time"},
      {"(contact \"f\")", 1, "expected the name of a frame, or all"},
      {"(contact \"f\" \"g\" all)", 18, "expected an option of a surface, or one (name"},
      {"(no-contact \"f\" \"g\" (friction 1))", 21, "expected nothing more"},
      {"(stop \"q\" 0)", 1, "expected the upper end"},
      {"(stop \"q\" 0 1 (restitution 2))", 15, "found 2; expected a number from 0 to 1"},
      {"(rope \"f\" \"g\")", 1, "expected the length"},
      {"(inequality q.q (restitution -1))", 17, "expected a number from 0 to 1"},
      {"(stop \"q\" 0 1 (restitution 0) (restitution 0.5))", 31, "a second time"},
      {"(rope \"f\" \"g\" 1 (restitution 0) (name \"r\") (restitution 0))", 44, "a second time"},
      {"(solid box 1 1 1)", 1, "expected it inside a frame"},
      {"(tx 1 (contact all))", 7, "inside the frame of line 3"},
      {"(contakt all)", 2, "did you mean \"contact\"?"},
  };
  (void)state;
  CHECK(list, CARDAN_ERR_SYNTAX);
}

static void wrong_numbers(void **state)
{
  static const bad list[] = {
      {"(rope \"f\" \"g\" q.q)", 15, "this expression may only depend on time t"},
      {"(tx 1 (solid sphere 0))", 7, "found the size 0 m of a shape; expected more than 0"},
      {"(tx 1 (solid ellipsoid 1 -1 1))", 7, "found the size -1 m"},
      {"(tx 1 (solid hull (0 0 0) (1 0 0) (0 1 0)))", 7, "found a hull of 3 points; expected 4"},
      {"(tx 1 (solid hull (0 0 0) (1 0 0) (0 1 0) (1 1 0)))", 7, "plane"},
      {"(tx 1 (solid hull (0 0 0) (1 0 0) (0 1 0) (0 0 1) (round -1)))", 51,
       "found the round of a hull of -1; expected at least 0"},
      {"(tx 1 (solid hull (0 0 0) (1 0 0) (0 1 0) (0 0 1) (round 0)))", 51,
       "found the round 0 of a hull; expected more than 0"},
      {"(tx 1 (solid hull (0 0 0) (1 0 0) (0 1 0) (0 0 1) (round 1)))", 7,
       "the edges of the hull have radius 1"},
      {"(material \"m\" (restitution 1.1))", 15,
       "found a restitution of 1.1; expected 0 (no bounce) to 1 (all of it)"},
      {"(material \"m\" (friction -1))", 15, "found a friction of -1; expected at least 0"},
      {"(material \"m\" (friction 0.5) (static 0.4))", 30,
       "found a static friction of 0.4 below the friction of 0.5 while sliding"},
      {"(material \"m\" (rolling -1))", 15, "found a length of rolling friction of -1"},
      {"(contact all (spinning -1))", 14, "found a length of spinning friction of -1"},
      {"(stop \"q\" 1 0)", 1, "found a limit from 1 to 0; expected the lower end first"},
      {"(rope \"f\" \"g\" -1)", 1, "found a rope of length -1 m; expected more than 0"},
  };
  (void)state;
  CHECK(list, CARDAN_ERR_MODEL);
}

static void wrong_references(void **state)
{
  static const bad list[] = {
      {"(material \"m\") (material \"m\")", 26,
       "the material \"m\" is already given at line 3; expected a new name"},
      {"(material \"rubber\") (tx 1 (solid point (material \"ruber\")))", 50,
       "found no material \"ruber\"; expected the name of a (material ..) of this model; did you "
       "mean \"rubber\"?"},
      {"(contact \"f\" \"f\")", 14, "found a contact of \"f\" with itself; expected two frames"},
      {"(contact \"f\" \"gg\")", 14, "found no frame \"gg\""},
      {"(contact \"f\" \"bare\")", 14,
       "found the frame \"bare\" in a contact, but it has no solid; expected a (solid ..)"},
      {"(no-contact \"world\" all)", 13, "found the frame \"world\" in a contact, but it has no"},
      {"(no-contact all)", 1, "found (no-contact all); expected a frame in it"},
      {"(contact all (name \"a\")) (contact all (name \"a\"))", 45,
       "the contact \"a\" is already given"},
      {"(rope \"f\" \"f\" 1)", 11, "found \"f\" at both ends of a rope"},
      {"(stop \"f\" 0 1)", 7, "found \"f\", which is no single coordinate of this free joint"},
      {"(inequality q.z)", 13, "found no variable \"z\""},
      {"(tx 1 (solid mesh \"a.stl\"))", 7, "the model needs the file \"a.stl\""},
      {"(tx 1 (solid mesh \"../a.stl\"))", 7, "expected a path relative to the model file"},
  };
  (void)state;
  CHECK(list, CARDAN_ERR_MODEL);
}

static void is_written_back(void **state)
{
  static const char *const texts[] = {
      "(system (parameter mu 0.5) (parameter a 0.2) (material \"m\" (friction mu) (static (* 2 mu))"
      " (restitution 0.1) (rolling 1e-3) (spinning a)) (place (0 0 0) (name \"g\") (solid plane))"
      " (joint free \"f\" (solid box a 1 2 (material \"m\")) (shape ellipsoid 1 2 3)"
      " (solid sphere 0.1 (hidden)) (solid capsule 0.1 0.2) (solid cylinder 0.1 0.2)"
      " (solid ellipsoid 0.1 0.2 0.3) (solid point)"
      " (solid hull (0 0 0) (1 0 0) (0 1 0) (0 0 0.3) (round 0.01) (material \"m\") (hidden))"
      " (tx 2 (name \"h\") (solid hull (0 0 0) (1 0 0) (0 1 0) (0 0 1) (0.1 0.1 0.1))))"
      " (contact \"f\" \"g\" (friction 0) (name \"foot\")) (contact \"g\" all (restitution a))"
      " (contact all) (no-contact \"h\" \"g\") (no-contact \"h\" all))",
      "(system (parameter e 0.5) (joint universal \"u\" (tx 1 (name \"A\"))) (tz \"z\" (name "
      "\"B\"))"
      " (stop \"u.b\" (- e) 0.5 (restitution e)) (rope \"A\" \"B\" (+ 2 (sin t)) (restitution 1)"
      " (name \"r\")) (inequality (- (px \"A\") q.z) (name \"cam\")))",
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cardan_spec *spec = read_good(texts[i]);
    assert_round_trip(spec, false);
    cardan_spec_destroy(spec);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_words),
      cmocka_unit_test(wrong_numbers),
      cmocka_unit_test(wrong_references),
      cmocka_unit_test(is_written_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
