// SPDX-License-Identifier: Apache-2.0
// Places that run within a step: round the rim of a disc that passes nearly flat, along an edge.
#include <math.h>
#include <stdio.h>

#include "run.h"

#define DISC(mass, size, at, contact)                                           \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))"  \
  " (joint free \"disc\" (mass " mass ") (solid cylinder " size ")) (initial (" \
  "\"disc\" " at ")) (contact all " contact "))"
#define THIN                                                                                   \
  DISC("1 0.004 0.003 0.005", "0.1 0.02", "(0.05 0.03 0.3 0.9 0.3 0.2 0.1) (1 0.2 0 0.3 0 0)", \
       "(friction 0.4) (rolling 0.001)")
#define SHORT                                                           \
  DISC("0.513853 0.000492056 0.000492056 0.000813668", "0.0629 0.0576", \
       "(0 0 0.1035 1.780097 -0.014319 -0.010335 -0.650888)"            \
       " (0.832 0.856 -1.915 -0.092 -0.920 0.925)",                     \
       "(friction 0.455) (restitution 0.179) (rolling 0.0153) (spinning 0.0195)")

#define BOX_ON_DISC                                                                      \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))"           \
  " (joint free \"disc\" (mass 1 0.005 0.006 0.007) (solid cylinder 0.1 0.15))"          \
  " (joint free \"box\" (mass 3 0.01 0.012 0.014) (solid box 0.3 0.2 0.1))"              \
  " (contact all (friction 0.3) (static 0.5)) (initial"                                  \
  " (\"disc\" (0 0.02 0.35 0.9861949074561925 0.1521522315000221 -0.06500818605324615"   \
  " 0.006575614275636698) (0.964563820669408 -0.8442285079081637 0.6353680473410609"     \
  " -0.01744951689740898 0.5112475465891543 -0.055899081593561))"                        \
  " (\"box\" (0.05 0.02 0.75 0.22557846414898342 0.11053717969602568 0.9410410909443885" \
  " 0.22657791942559047) (1.5351833660064043 3.2300500907779996 -3.0197862182134347"     \
  " 0.35439709476154063 0.3744488918415813 0.21942009004161628))))"

#define COIN_ON(ground)                                                          \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\")" ground          \
  ") (joint free \"coin\" (mass 1 0.004 0.003 0.005) (solid cylinder 0.1 0.02))" \
  " (contact all (friction 0.4) (restitution 0.3) (rolling 0.001)) (initial"     \
  " (\"coin\" (0.05 0.03 0.3 0.9 0.3 0.2 0.1) (1 0.2 0 0.3 0 0))))"

/* The largest change of energy, losses counted, over so many steps; deepest overlap, out. */
static double unbalance(const char *model, double dt, int steps, double *deepest)
{
  const cardan_options options = run_options("vi", dt, 0);
  run r = run_begin(model, NULL, &options);
  const double start = run_energy(&r);
  double most = 0;
  for (int i = 0; i < steps; i++) {
    run_steps(&r, 1);
    const cardan_contact_stats stats = cardan_sim_stats(r.sim).contact;
    most = fmax(most, fabs(run_energy(&r) + stats.lost + stats.friction - start));
    *deepest = stats.overlap;
  }
  run_free(&r);
  return most;
}

// At t = 0.306 its contact runs by half a turn in 1 ms, with 1 J of kinetic energy: steps are cut
// to follow it by 0.1 rad. The remainder, of (0.1)^2, does not depend on dt; it was up to 0.38 J
static void passes_flat(void **state)
{
  (void)state;
  static const double DT[] = {0.005, 0.002, 0.001, 0.0005};
  for (int i = 0; i < 4; i++) {
    double deepest = 0;
    const double off = unbalance(THIN, DT[i], (int)lround(0.4 / DT[i]), &deepest);
    printf("disc, dt %-6g: balance %.1e J, deepest overlap %.1e m\n", DT[i], off, deepest);
    assert_true(off < 2e-3);
    assert_true(deepest < 1e-8);
  }
}

// Wobbles down to its flat side, without sinking in between the fixed points of the rim
static void comes_to_lie(void **state)
{
  (void)state;
  double deepest = 0;
  const double off = unbalance(SHORT, 0.005, 200, &deepest);
  printf("cylinder that comes to lie: balance %.1e J, deepest overlap %.1e m\n", off, deepest);
  assert_true(off < 2e-3);
  assert_true(deepest < 1e-6);
}

// A box on a disc on the floor, both nearly flat: two rims run, and at t = 0.327 an edge of the box
// tips over on the disc, from one end to the other: 3 J, counted as an impact
static void box_on_disc(void **state)
{
  (void)state;
  static const double DT[] = {0.005, 0.002, 0.001};
  for (int i = 0; i < 3; i++) {
    double deepest = 0;
    const double off = unbalance(BOX_ON_DISC, DT[i], (int)lround(0.4 / DT[i]), &deepest);
    printf("box on a disc, dt %-6g: balance %.1e J, deepest overlap %.1e m\n", DT[i], off, deepest);
    assert_true(off < 1e-2);
    assert_true(deepest < 1e-6);
  }
}

// A coin spins down on a box as it does on a plane: points of its rim beside the lowest are no
// places of their own, each with its impacts (there were 409)
static void coin_on_box(void **state)
{
  (void)state;
  const char *model[] = {COIN_ON("(solid plane)"), COIN_ON("(tz -0.1 (solid box 2 2 0.2))")};
  const cardan_options options = run_options("vi", 0.005, 0);
  int64_t impacts[2];
  double energy[2];
  for (int i = 0; i < 2; i++) {
    run r = run_begin(model[i], NULL, &options);
    run_steps(&r, 400);
    impacts[i] = cardan_sim_stats(r.sim).contact.impacts;
    energy[i] = run_energy(&r);
    run_free(&r);
  }
  printf("coin: %d impacts on a plane, %d on a box\n", (int)impacts[0], (int)impacts[1]);
  assert_true(impacts[1] <= impacts[0] + 3);
  assert_near(energy[0], energy[1], 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(passes_flat),
      cmocka_unit_test(comes_to_lie),
      cmocka_unit_test(box_on_disc),
      cmocka_unit_test(coin_on_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
