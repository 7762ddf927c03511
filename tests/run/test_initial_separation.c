// SPDX-License-Identifier: Apache-2.0
// Starts inside of solids, with contacts auto: what is moved out of them, and what is left out.
#include <stdio.h>
#include <string.h>

#include "cardan/contact.h"
#include "run.h"

#define FLOOR "(gravity 0 0 -10) (place (0 0 0) (name \"floor\") (solid plane)) "
#define BALL "(mass 1 0.1 0.1 0.1) (solid sphere 0.1)"

/* Started with contacts auto. */
static run begin(const char *text)
{
  cardan_options o = run_options("vi", 0.01, 0);
  o.contacts = "auto";
  return run_begin(text, NULL, &o);
}

static void assert_note(const run *r, const char *part)
{
  if (strstr(cardan_sim_note(r->sim), part) == NULL) {
    fail_msg("\"%s\" has no \"%s\"", cardan_sim_note(r->sim), part);
  }
}

/* The smallest gap of all pairs at the start. */
static double smallest(const run *r)
{
  return cardan_smallest_gap(r->model, r->data, NULL);
}

// a free body, also one whose place was given; in other directions alone it stays where it was
static void free_bodies_rise(void **state)
{
  (void)state;
  run r = begin("(system " FLOOR "(place (0 0 1) (rx 0.5 (joint free \"b\" " BALL ")))"
                " (contact all) (initial (\"b\" (0.3 0.2 -1.2 1 0 0 0))))");
  const cardan_vec3 at = cardan_frame_pose(r.model, r.data, cardan_model_frame(r.model, "b")).p;
  assert_near(smallest(&r), 0, 1e-15);
  assert_near(at.x, 0.3, 1e-15);
  assert_near(at.z, 0.1, 1e-15);
  assert_note(&r, "m higher, where its \"b\" does not overlap \"floor\"");
  run_steps(&r, 50);
  assert_near(cardan_frame_pose(r.model, r.data, cardan_model_frame(r.model, "b")).p.z, 0.1, 1e-9);
  run_free(&r);
}

// slides before the first mass serve, as those of planar walkers do
static void slides_serve(void **state)
{
  (void)state;
  run r = begin("(system " FLOOR "(tx \"x\" (tz \"z\" (ry \"turn\" (name \"torso\") " BALL
                " (tz -0.2 (name \"foot\") (solid sphere 0.05)))))"
                " (contact all) (initial (\"z\" 0.2)))");
  assert_near(run_q(&r, "x"), 0, 0);
  assert_near(run_q(&r, "z"), 0.25, 1e-15);
  assert_note(&r, "\"torso\" starts 0.05 m higher, where its \"foot\" does not overlap \"floor\"");
  run_steps(&r, 20);
  assert_near(run_q(&r, "z"), 0.25, 1e-9);
  run_free(&r);
}

#define WALL "(place (0 0 0) (ry 1.5707963267948966 (name \"wall\") (solid plane))) "
#define SLOPE "(ry 0.5 (name \"slope\") (solid plane)) "

// out of two planes one after the other; across a slope
static void several_ways_out(void **state)
{
  (void)state;
  run r = begin("(system " FLOOR WALL "(joint free \"b\" " BALL ") (contact all)"
                " (initial (\"b.x\" 0.02) (\"b.z\" 0.05)))");
  assert_near(run_q(&r, "b.x"), 0.1, 1e-14);
  assert_near(run_q(&r, "b.z"), 0.1, 1e-14);
  assert_note(&r, "\"b\" starts moved by (0.08 0 0.05) m, where its \"b\" does not overlap");
  run_free(&r);
  r = begin("(system (gravity 0 0 -10) " SLOPE WALL "(joint free \"b\" " BALL ") (contact all)"
            " (initial (\"b.x\" 0.05)))");
  assert_near(smallest(&r), 0, 1e-9);
  run_free(&r);
}

// what stands on a body that is moved is moved too; one note for all
static void stacks_rise(void **state)
{
  (void)state;
  run r = begin("(system " FLOOR "(joint free \"a\" (mass 1 1 1 1) (solid box 0.2 0.2 0.2))"
                " (joint free \"b\" (mass 1 1 1 1) (solid box 0.2 0.2 0.2))"
                " (joint free \"c\" (mass 1 1 1 1) (solid box 0.2 0.2 0.2)) (contact all)"
                " (initial (\"a.z\" 0.09) (\"b.z\" 0.29) (\"c.z\" 0.495)))");
  assert_near(run_q(&r, "a.z"), 0.1, 1e-14);
  assert_near(run_q(&r, "b.z"), 0.3, 1e-14);
  assert_near(run_q(&r, "c.z"), 0.5, 1e-14);
  assert_note(&r, "starts 0.01 m higher, where its ");
  assert_note(&r, "and 2 more are moved so");
  run_free(&r);
}

/* Starts where it is, and passes through. */
static void stays(const char *text, const char *q, double value)
{
  run r = begin(text);
  assert_near(run_q(&r, q), value, 1e-12);
  assert_true(smallest(&r) < -0.01);
  assert_note(&r, "they pass through one another in this run");
  assert_null(strstr(cardan_sim_note(r.sim), "does not overlap"));
  run_steps(&r, 5);
  run_free(&r);
}

// no way out: fixed bases, limits, drivers, `fixed`, slides across it, own links, walls all round
static void others_stay(void **state)
{
  (void)state;
  stays("(system " FLOOR "(rx \"a\" (tz -0.02 " BALL ")) (contact all))", "a", 0);
  stays("(system " FLOOR "(joint prismatic \"a\" (axis 0 0 1) (limit -1 0.05) " BALL
        ") (contact all))",
        "a", 0);
  stays("(system " FLOOR "(tz (k \"a\") " BALL " (rx \"b\" (mass 1 1 1 1))) (contact all)"
        " (motion \"a\" (* 0 t)))",
        "a", 0);
  stays("(system " FLOOR "(tz \"a\" " BALL ") (contact all) (initial ((\"a\" 0.03) fixed)))", "a",
        0.03);
  stays("(system " FLOOR "(tx \"a\" " BALL ") (contact all))", "a", 0);
  stays("(system " FLOOR "(joint free \"a\" " BALL " (ty \"b\" (name \"b\") " BALL "))"
        " (contact \"a\" \"b\") (initial (\"a.z\" 1)))",
        "a.z", 1);
  stays("(system " FLOOR "(place (0 0 0.15) (rx 3.141592653589793 (name \"roof\") (solid plane)))"
        " (joint free \"a\" " BALL ") (contact all) (initial (\"a.z\" 0.05)))",
        "a.z", 0.05);
}

// loops: those of the tree move with it; one to the world is closed again, and wins
static void loops_stay_closed(void **state)
{
  (void)state;
  run r = begin("(system " FLOOR "(joint free \"a\" " BALL " (ry \"b\" (tx 0.3 (name \"rod\") " BALL
                ")) (ry \"c\" (tz 0.3 (mass 1 1 1 1) (name \"mast\")))) (wire \"rod\" \"mast\" 0.4)"
                " (contact \"a\" \"floor\") (initial (\"a.z\" 0.04)))");
  assert_near(run_q(&r, "a.z"), 0.1, 1e-12);
  assert_true(cardan_constraint_max(r.model, r.data) < 1e-11);
  run_free(&r);
  stays("(system " FLOOR "(place (0 0 0.04) (name \"hook\")) (joint free \"a\" " BALL ")"
        " (coincide \"a\" \"hook\") (contact all) (initial (\"a.z\" 0.04)))",
        "a.z", 0.04);
}

// a start again in the middle of a run moves nothing that passes through something
static void restarts_move_nothing(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  run r = begin("(system " FLOOR "(joint free \"a\" " BALL ") (place (0 0 0.15) (rx"
                " 3.141592653589793 (name \"roof\") (solid plane))) (contact all)"
                " (initial (\"a.z\" 0.05)))");
  run_steps(&r, 10);
  const double z = run_q(&r, "a.z");
  expect_ok(cardan_sim_start_from_current(r.sim, &report), &report, "restart");
  assert_true(run_q(&r, "a.z") == z);
  run_free(&r);
}

// a strict run does not start where something would be moved, or left out
static void strict(void **state)
{
  (void)state;
  const char *const text[] = {"(system " FLOOR "(joint free \"a\" " BALL
                              ") (contact all) (initial (\"a.z\" 0.05)))",
                              "(system " FLOOR "(tx \"a\" " BALL ") (contact all))"};
  for (int i = 0; i < 2; i++) {
    cardan_report report = {.message = ""};
    cardan_options o = run_options("vi", 0.01, 0);
    o.contacts = "auto";
    o.strict = true;
    run r = run_load(text[i], NULL, &o);
    assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_ASSEMBLY);
    assert_non_null(strstr(report.message, "overlap"));
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_rise),      cmocka_unit_test(slides_serve),
      cmocka_unit_test(several_ways_out),      cmocka_unit_test(stacks_rise),
      cmocka_unit_test(others_stay),           cmocka_unit_test(loops_stay_closed),
      cmocka_unit_test(restarts_move_nothing), cmocka_unit_test(strict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
