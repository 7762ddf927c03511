// SPDX-License-Identifier: Apache-2.0
// The default method is Galilean: how fast a body or a mechanism travels changes nothing else, and
// its spin does not slow it. With the kinetic energy of a step `swing` the centre of mass goes
// straight; that of `se3`, the published one, does not, which is shown beside it.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "spatial/spatial.h"
#include "support.h"

/* Of everything that moves. */
static cardan_vec3 centre(const run *r)
{
  cardan_kinematics(r->model, r->data);
  return cardan_com(r->model, r->data, 0, NULL);
}

/* The way of the centre in 1 s of a plate in a frame 0.3 m away from it, at 1 m/s. */
static double way_of_plate(const char *kinetic, int order, double spin)
{
  char model[256];
  snprintf(model, sizeof model,
           "(system (joint free \"b\" (tx 0.3 (mass 2 0.02 0.03 0.05)))"
           " (initial (\"b\" (0 0 0 1 0 0 0) (0 0 %.17g 1 %.17g 0))))",
           spin, -0.3 * spin);
  cardan_options o = run_options("vi", 0.01, 0);
  o.kinetic = kinetic;
  o.order = order;
  run r = run_begin(model, NULL, &o);
  const double from = centre(&r).x;
  run_steps(&r, 100);
  const double way = centre(&r).x - from;
  run_free(&r);
  return way;
}

// 1 m at 1 m/s and any spin to 3 rad a step, in every order; tolerance: 100 steps' rounding of the
// place of the frame, 0.3 m from the centre, and tol = 1e-12 of the momenta, which the spin
// enlarges
static void plate(void **state)
{
  static const double spins[] = {0, 1, 30, 100, 300};
  (void)state;
  for (int i = 0; i < 5; i++) {
    const double swing = way_of_plate("swing", 2, spins[i]), se3 = way_of_plate("se3", 2, spins[i]);
    print_message("%3g rad/s: 1 m is %.12f m, by se3 %.4f m\n", spins[i], swing, se3);
    assert_near(swing, 1, 1e-12 * (1 + spins[i]));
    assert_true(i < 2 || se3 < 0.993);
    for (int order = 4; order <= 6 && spins[i] < 200; order += 2) {
      assert_near(way_of_plate("swing", order, spins[i]), 1, 1e-12 * (1 + spins[i]));
    }
  }
}

// `swing` is not additive over parts that are held together: what is welded is one body
static void welded(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin("(system (joint free \"b\" (mass 1 0.02 0.03 0.05)"
                    " (tx 1 (joint fixed \"w\" (mass 1 0.02 0.03 0.05) (ty 0.5 (mass 0.5)))))"
                    " (initial (\"b\" (0 0 0 1 0 0 0) (0 0 100 1 0 0))))",
                    NULL, &o);
  const cardan_vec3 from = centre(&r);
  cardan_velocities(r.model, r.data);
  const cardan_force P = cardan_total_momentum(r.model, r.data);
  assert_int_equal(r.model->nbody, 2); // and the world
  run_steps(&r, 100);
  const cardan_vec3 off = cardan__vec3_axpy(-1 / 2.5, P.f, cardan__vec3_sub(centre(&r), from));
  assert_near(cardan__vec3_norm(off), 0, 1e-10);
  run_free(&r);
}

// a satellite whose wheel turns by 3 rad a step: P / m
static void satellite(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin("(system (joint free \"hull\" (mass 10 1 0.8 0.6)"
                    " (tx 0.4 (joint revolute \"wheel\" (axis 0 1 0) (mass 3 0.02 0.04 0.02))))"
                    " (initial (\"hull\" (0 0 0 1 0 0 0) (0.3 0.2 -0.4 1 0 0)) (\"wheel\" 0 300)))",
                    NULL, &o);
  const cardan_vec3 from = centre(&r);
  cardan_velocities(r.model, r.data);
  const cardan_force P = cardan_total_momentum(r.model, r.data);
  run_steps(&r, 1000);
  const cardan_vec3 off = cardan__vec3_axpy(-10.0 / 13, P.f, cardan__vec3_sub(centre(&r), from));
  print_message("satellite: centre off by %.1e m after %.3g m\n", cardan__vec3_norm(off),
                cardan__vec3_norm(P.f) * 10 / 13);
  assert_near(cardan__vec3_norm(off), 0, 1e-10);
  run_free(&r);
}

// joints of a humanoid do not know how fast it was thrown; tolerance: rounding of poses 60 m away,
// over the steps, and of momenta that are 200 times those of the joints
static void humanoid(void **state)
{
  double q[2][64];
  (void)state;
  const cardan_options o = run_options("vi", 1e-3, 0);
  for (int i = 0; i < 2; i++) {
    run r = run_load("humanoid", NULL, &o);
    support_rng rng = {5};
    support_random_vec(&rng, r.data->v, r.model->nv, 2);
    r.data->v[3] += 200 * i;
    run_start(&r);
    run_steps(&r, 300);
    assert_true(r.model->nq <= 64);
    memcpy(q[i], r.data->q, (size_t)r.model->nq * sizeof *q[i]);
    for (int k = 7; k < r.model->nq && i > 0; k++) {
      assert_near(q[1][k], q[0][k], 1e-7);
    }
    run_free(&r);
  }
}

// a pendulum turns about its pin by its whole inertia, not by m l sin: at 1.5 rad a step too
static void pin(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin("(system (joint revolute \"a\" (axis 0 1 0) (tz -1 (mass 1)))"
                    " (initial (\"a\" 0 150)))",
                    NULL, &o);
  run_steps(&r, 100);
  assert_near(run_q(&r, "a"), 150, 1e-9);
  run_free(&r);
}

// a ball that rolls goes as far as it turns, also at 1.5 rad a step; as A and as B of the pair
static void ball(void **state)
{
  static const char *const pairs[] = {"\"ball\" \"floor\"", "\"floor\" \"ball\""};
  static const double dt[] = {0.005, 0.01, 0.02, 0.05};
  (void)state;
  for (int i = 0; i < 8; i++) {
    char model[400];
    snprintf(model, sizeof model,
             "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))"
             " (joint free \"b\" (mass 1 0.004 0.004 0.004) (name \"ball\") (solid sphere 0.1))"
             " (contact %s (friction 0.5))"
             " (initial (\"b\" (0 0 0.1 1 0 0 0) (0 30 0 3 0 0))))",
             pairs[i % 2]);
    const cardan_options o = run_options("vi", dt[i / 2], 0);
    run r = run_begin(model, NULL, &o);
    run_steps(&r, (int)(2 / dt[i / 2] + 0.5));
    assert_near(run_q(&r, "b.x"), 6, 1e-12);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plate),    cmocka_unit_test(welded), cmocka_unit_test(satellite),
      cmocka_unit_test(humanoid), cmocka_unit_test(pin),    cmocka_unit_test(ball),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
