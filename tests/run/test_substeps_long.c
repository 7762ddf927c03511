// SPDX-License-Identifier: Apache-2.0
// Option adapt over long times: the scissor lift of 20 rows, whose step of 0.01 s has a fold at
// every passage of 90 deg, and motion there and back.
#include "lift.h"

static const char *const methods[] = {"vi", "svi"};

/* 120 s: energy walks without trend by about adapt times the kinetic energy a passage. Off the
 * branch is what the tolerance of the loops leaves at the passages, 2e-11 to 1e-10; another branch
 * is 1 away. */
static void test_lift(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options(methods[i], 0.01, 120);
    o.adapt = 1e-3;
    const lift_figures f = lift_run("scissor:20", &o, 12000);
    lift_print("scissor:20", &o, &f);
    assert_true(f.energy < 0.02 && f.off_branch < 3e-10);
  }
}

static void test_there_and_back(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options(methods[i], 0.01, 100);
    int64_t parted[2];
    o.adapt = 1e-3;
    const double off = lift_there_and_back("scissor:12", &o, 1000, parted);
    print_message("scissor:12 %s: %lld steps in parts there, %lld back, off by %.1e\n", methods[i],
                  (long long)parted[0], (long long)parted[1], off);
    assert_true(off < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lift),
                                     cmocka_unit_test(test_there_and_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
