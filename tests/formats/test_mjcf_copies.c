// SPDX-License-Identifier: Apache-2.0
// <replicate> of MJCF: where its copies are, and what they are called.
#include "robot_fixture.h"

#define WORLD(what) "<mujoco><worldbody>" what "</worldbody></mujoco>"
#define BODY "<body name='b'><joint name='j'/><geom size='0.1'/><site name='s'/></body>"

static cardan_model *load(const char *text)
{
  return robot_load(text, "m.xml", NULL, 0);
}

static void in_a_round(void **state)
{
  (void)state;
  cardan_model *model = load(
      WORLD("<replicate count='11' offset='1 0 0' euler='0 0 90' sep='-'>" BODY "</replicate>"));
  assert_int_equal(model->nv, 11);
  assert_true(cardan_model_q(model, "j-10") == 10 && cardan_model_frame(model, "s-03") >= 0);
  robot_assert_at(model, "b-02", 1, 1, 0); // one ahead, a quarter turn, one ahead
  cardan_model_destroy(model);
}

// copy i is turned by the angles times i, which is not the same turn i times
static void about_two_axes(void **state)
{
  (void)state;
  cardan_model *model =
      load(WORLD("<replicate count='4' offset='1 2 3' euler='90 90 0'>" BODY "</replicate>"));
  // b1: Rx(90) Ry(90) takes x to y, y to z, z to x
  robot_assert_at(model, "b0", 0, 0, 0);
  robot_assert_at(model, "b1", 1, 2, 3);
  robot_assert_at(model, "b2", 1 + 3, 2 + 1, 3 + 2);
  // b2: Rx(180) Ry(180) = Rz(180)
  robot_assert_at(model, "b3", 4 - 1, 3 - 2, 5 + 3);
  cardan_model_destroy(model);
}

// names: the inner number is first, and has as many digits as the count
static void names(void **state)
{
  (void)state;
  cardan_model *model =
      load(WORLD("<replicate count='2' offset='0 1 0' sep='_'>"
                 "<replicate count='10' offset='1 0 0'>" BODY "</replicate></replicate>"));
  assert_int_equal(model->nv, 20);
  robot_assert_at(model, "b09_1", 9, 1, 0);
  robot_assert_at(model, "b00_0", 0, 0, 0);
  cardan_model_destroy(model);
}

static void class_of_children(void **state)
{
  (void)state;
  cardan_model *model =
      load("<mujoco><default><default class='c'><geom type='box' size='1 1 1' density='1'/>"
           "</default></default><worldbody><replicate count='2' childclass='c'>"
           "<body><joint/><geom/></body></replicate></worldbody></mujoco>");
  assert_near(model->mass, 16, 1e-14);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_a_round),
      cmocka_unit_test(about_two_axes),
      cmocka_unit_test(names),
      cmocka_unit_test(class_of_children),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
