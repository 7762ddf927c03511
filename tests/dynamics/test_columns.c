// SPDX-License-Identifier: Apache-2.0
// Several right sides of a factorised tree at once are what each is alone.
#include "dynamics/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"
#include "dynamics/aba.h"
#include "fixture.h"

enum { MOST = 128 };

/* Columns that are 0 but on the way from tip to the world, nv numbers apart. */
static void fill(const cardan_model *model, support_rng *rng, int tip, int n, double *x)
{
  memset(x, 0, (size_t)n * (size_t)model->nv * sizeof *x);
  for (int i = tip; i > 0; i = model->body[i].parent) {
    for (int k = 0; k < model->body[i].nv; k++) {
      for (int l = 0; l < n; l++) {
        x[l * model->nv + model->body[i].vadr + k] = support_random_in(rng, -1, 1);
      }
    }
  }
}

static void compare(const char *name)
{
  static cardan__column u[MOST];
  static cardan__columns Z[MOST];
  const cardan__columns_room room = {u, Z};
  cardan_model *model = load_model(name, NULL);
  const int body[2] = {1, model->nbody}, nv = model->nv;
  cardan_data *data = NULL;
  support_rng rng = {7};
  double x[CARDAN__SIDES * MOST], y[CARDAN__SIDES * MOST];
  assert_true(nv <= MOST && model->nbody <= MOST);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  cardan_joints(model, data);
  assert_int_equal(cardan_factor(model, data), CARDAN_OK);
  for (int tip = 1; tip < model->nbody; tip++) {
    const int n = 1 + tip % CARDAN__SIDES;
    fill(model, &rng, tip, n, x);
    memcpy(y, x, sizeof x);
    cardan__columns_solve(model, cardan__factor_link, data, body, tip, n, x, &room);
    for (int l = 0; l < n; l++) {
      double *one = y + l * nv;
      cardan__factor_solve_part(model, data, body, tip, one, one);
      // a factor of some 100 between the largest and the smallest inertia, over rounding
      assert_near_vec(x + l * nv, one, nv, 1e-12 * (1 + support_max_abs(one, nv)));
    }
  }
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

static void columns_are_what_each_is_alone(void **state)
{
  (void)state;
  compare("quadruped");
  compare("tree:60");
  compare("lower-pairs");
  compare("slider-crank"); // a driven joint
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_what_each_is_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
