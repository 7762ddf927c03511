// SPDX-License-Identifier: Apache-2.0
// Actuators of MJCF over the defaults of their class: which of both counts.
#include <stdio.h>
#include <string.h>

#include "cardan/spec.h"
#include "support.h"

static const struct {
  const char *defaults, *element, *written;
} cases[] = {
    // damping by a number or by a ratio: what is given last
    {"<position kp='10' dampratio='1'/>", "<position joint='j' kv='5'/>", "(servo 10 5)"},
    {"<position kp='10' kv='5'/>", "<position joint='j'/>", "(servo 10 5)"},
    {"<position kp='10' dampratio='1'/>", "<velocity joint='j' kv='3'/>",
     "(+ (* 3 u.j) (* -3 v.j))"},
    // M = 4 kg m^2: 2 sqrt(10 4) of the ratio 0.5
    {"<position kp='10' kv='5'/>", "<position joint='j' dampratio='0.5'/>",
     "(servo 10 6.32455532033675"},
    // a constant stays
    {"<general biasprm='2 0 0'/>", "<position joint='j' kp='10'/>", "(+ 2 (* 10 u.j) (* -10 q.j))"},
    // a damper has the number of its own element
    {"<damper kv='3'/>", "<damper joint='j' kv='2' ctrlrange='0 1'/>", "(* -2 u.j v.j)"},
    {"<damper kv='3'/>", "<damper joint='j' ctrlrange='0 1'/>", "(torque \"j\" 0)"},
};

static cardan_status write_mbs(const char *defaults, const char *element, cardan_spec **spec,
                               char **mbs, cardan_report *report)
{
  char text[800];
  snprintf(text, sizeof text,
           "<mujoco><default>%s</default><worldbody><body><joint name='j'/><inertial pos='0 0 0' "
           "mass='1' diaginertia='4 4 4'/></body></worldbody><actuator>%s</actuator></mujoco>",
           defaults, element);
  *report = (cardan_report){.message = ""};
  const cardan_status status =
      cardan_spec_read(text, strlen(text), "m.xml", NULL, 0, NULL, spec, report);
  return status == CARDAN_OK ? cardan_spec_write(*spec, NULL, mbs) : status;
}

static void last_word(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_spec *spec = NULL;
    cardan_report report;
    char *mbs = NULL;
    if (write_mbs(cases[i].defaults, cases[i].element, &spec, &mbs, &report) != CARDAN_OK) {
      fail_msg("%s: %s", cases[i].element, report.message);
    }
    if (strstr(mbs, cases[i].written) == NULL) {
      fail_msg("%s over %s: expected %s in\n%s", cases[i].element, cases[i].defaults,
               cases[i].written, mbs);
    }
    cardan_free_text(NULL, mbs);
    cardan_spec_destroy(spec);
  }
}

static void both_dampings(void **state)
{
  cardan_spec *spec = NULL;
  cardan_report report;
  char *mbs = NULL;
  (void)state;
  assert_int_equal(
      write_mbs("", "<position joint='j' kv='1' dampratio='1'/>", &spec, &mbs, &report),
      CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "expected one of them"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(last_word),
      cmocka_unit_test(both_dampings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
