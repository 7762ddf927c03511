// SPDX-License-Identifier: Apache-2.0
// Steps at rest: coordinates stay to the bit, nothing is solved for; whatever changes a load ends
// it; the same bits from a saved state, with and without rows.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* A block on a floor, and an arm that dry friction holds; a robot on its feet. */
static const char block[] =
    "(system (gravity 0 0 -9.81) (define f 0) (place (0 0 0) (name \"floor\") (solid plane))"
    " (place (0 0 0.05) (joint free \"block\" (mass 2 0.01 0.02 0.02) (solid box 0.3 0.2 0.1)"
    "  (tz 0.05 (ry \"arm\" (tx 0.2 (mass 0.1 1e-4 1e-4 1e-4))))))"
    " (dry-friction \"arm\" 0.5) (contact \"block\" \"floor\" (friction 0.5))"
    " (initial (\"block\" (0 0 0 1 0 0 0) (0 0 0 0.3 0 0))))";
static const char *const models[] = {block, "quadruped"};
enum { MODELS = sizeof models / sizeof models[0] };

static cardan_stats stats_of(const run *r)
{
  return cardan_sim_stats(r->sim);
}

// once at rest: an evaluation a step, no problem, and coordinates that do not change by a bit
static void costs_an_evaluation(void **state)
{
  (void)state;
  for (int m = 0; m < MODELS; m++) {
    const cardan_options o = run_options("vi", 2e-3, 0);
    run r = run_begin(models[m], NULL, &o);
    double q[64];
    run_steps(&r, 8000);
    memcpy(q, r.data->q, (size_t)r.model->nq * sizeof *q);
    const cardan_stats before = stats_of(&r);
    run_steps(&r, 1000);
    const cardan_stats after = stats_of(&r);
    const long solves = (long)(after.contact.solves - before.contact.solves);
    const long evaluations = (long)(after.evaluations - before.evaluations);
    print_message("1000 steps: %ld problems, %ld evaluations\n", solves, evaluations);
    assert_true(solves <= (m == 0 ? 50 : 1200)); // 2000 by steps that solve
    assert_true(evaluations <= (m == 0 ? 1050 : 2000));
    // the steps that solve leave a rounding now and then: 16 of 1 rad
    assert_near_vec(r.data->q, q, r.model->nq, 16 * DBL_EPSILON);
    for (int k = 0; k < r.model->nv; k++) {
      assert_near(r.data->v[k], 0, 5e-12); // 1e-12 of m g h, over the inertia of a leg
    }
    run_free(&r);
  }
}

/* So many steps; rows: with rows on the way. A push of so much acts on the last but one velocity
 * over 20 steps. */
static void push(run *r, int n, double force, bool rows)
{
  for (int i = 0; i < n; i++) {
    r->data->tau_in[5] = i < 20 ? force : 0;
    run_steps(r, 1);
    if (rows) {
      run_column(r, CARDAN_ADD_WORK, "balance");
    }
  }
}

// a load acts from the step on in which it comes, however small it is
static void wakes(void **state)
{
  static const double force[] = {1e-6, 1e-3, 5, 30};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options("vi", 2e-3, 0);
    run rests = run_begin(block, NULL, &o);
    run_steps(&rests, 3000);
    const double x = rests.data->q[0], z = rests.data->q[2];
    push(&rests, 500, force[i], false);
    if (force[i] < 2.1 * 9.81) { // its weight
      assert_near(rests.data->q[2], z, 1e-12);
      assert_near(rests.data->q[0], x, 1e-12);
    } else { // it was lifted: v = (F - m g) t / m, and fell again
      assert_near(rests.data->q[2], z, 1e-8);
      assert_true(stats_of(&rests).contact.impacts > 1);
    }
    run_free(&rests);
  }
}

// the same bits from a saved state, and with rows on the way, over rest, a push, and rest again
static void same_bits(void **state)
{
  (void)state;
  for (int m = 0; m < MODELS; m++) {
    const cardan_options o = run_options("vi", 2e-3, 0);
    run r = run_begin(models[m], NULL, &o), other = run_begin(models[m], NULL, &o),
        shown = run_begin(models[m], NULL, &o);
    run_steps(&r, 5000);
    for (int i = 0; i < 50; i++) {
      run_steps(&shown, 100);
      run_column(&shown, CARDAN_ADD_WORK, "balance");
    }
    const size_t size = cardan_sim_snapshot_size(r.sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cardan_sim_snapshot_save(r.sim, bytes, size, NULL), CARDAN_OK);
    assert_int_equal(cardan_sim_snapshot_load(other.sim, bytes, size, NULL), CARDAN_OK);
    run *const all[] = {&r, &other, &shown};
    for (int i = 0; i < 3; i++) {
      push(all[i], 30, 0, i == 2);
      push(all[i], 600, 40, i == 2);
      push(all[i], 2000, 0, i == 2);
      assert_memory_equal(r.data->q, all[i]->data->q, (size_t)r.model->nq * sizeof(double));
      assert_true(stats_of(&r).iterations_mean == stats_of(all[i]).iterations_mean);
    }
    free(bytes);
    for (int i = 0; i < 3; i++) {
      run_free(all[i]);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_an_evaluation),
      cmocka_unit_test(wakes),
      cmocka_unit_test(same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
