// SPDX-License-Identifier: Apache-2.0
// What is wrong with a model as SDF, at its place.
#include <stdio.h>
#include <string.h>

#include "cardan/load.h"
#include "robot_fixture.h"

#define SDF(what) "<sdf version='1.7'>\n" what "</sdf>"
#define LINKS(what) SDF("<model name='m'>\n<link name='a'/>\n<link name='b'/>\n" what "</model>")
#define JOINT(what) LINKS("<joint name='j' type='revolute'>" what "</joint>\n")
#define ENDS "<parent>a</parent><child>b</child>"
#define AXIS(what) JOINT(ENDS "<axis>" what "</axis>")
#define LINK(what) SDF("<model name='m'><link name='a'>\n" what "</link></model>")

static const robot_wrong bad[] = {
    {"", 1, 1, "not well-formed"},
    {"<sdf version='1.6'>", 1, 20, "not well-formed"},
    {"<robot/>", 1, 1, "expected <sdf>"},
    {"<sdf/>", 1, 1, "without \"version\""},
    {SDF("<model name='m'><xacro:wheel/></model>"), 2, 17, "run xacro"},
    {"<sdf version='2'/>", 1, 1, "version is \"2\""},
    {"<sdf version='1.1'/>", 1, 1, "expected 1.2"},
    {"<sdf version='1.x'/>", 1, 1, "version is"},
    {"<sdf version='1.99999999999999999999'/>", 1, 1, "version is"},
    {SDF("<model name='m'><static>yes</static></model>"), 2, 17, "expected true or false"},
    {SDF("<model name='m'>\n<pose degrees='on'>0 0 0 1 0 0</pose></model>"), 3, 1,
     "expected true or false"},
    {"<sdf version='1.6'/>", 1, 1, "without <world> or <model>"},
    {SDF("<model/>"), 2, 1, "without \"name\""},
    {SDF("<world name='w'><gravity>0 0</gravity></world>"), 2, 17, "expected 3 numbers"},
    {SDF("<world name='\177'/>"), 2, 1, "name"},
    {SDF("<world name='w'><include/></world>"), 2, 17, "without <uri>"},
    {SDF("<world name='w'><include><uri>x</uri></include></world>"), 2, 26, "x/model.sdf"},
    {LINKS("<link/>"), 5, 1, "without \"name\""},
    {LINKS("<link name='a'/>"), 5, 1, "already that of a <link> at line 3"},
    {LINKS("<frame name='b'/>"), 5, 1, "already that of a <link>"},
    {LINKS("<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='j' type='fixed'>" ENDS
           "</joint>"),
     6, 1, "already that of a <joint>"},
    {SDF("<model name='a'/><model name='a'/>"), 2, 18, "already that of a <model>"},
    {SDF("<model name='m' canonical_link='c'><link name='a'/></model>"), 2, 1, "no \"c\""},
    {SDF("<model name='m' placement_frame='c'><link name='a'/></model>"), 2, 1, "no \"c\""},
    {JOINT(""), 5, 1, "without <child>"},
    {JOINT("<child>b</child>"), 5, 1, "without <parent>"},
    {JOINT("<parent>c</parent><child>b</child>"), 5, 33, "no \"c\""},
    {JOINT("<parent>a</parent><child>c</child>"), 5, 1, "no \"c\""},
    {JOINT("<parent>a</parent><child>a</child>"), 5, 1, "to itself"},
    {LINKS("<joint name='j'>" ENDS "</joint>"), 5, 1, "without \"type\""},
    {LINKS("<joint name='j' type='revolut'>" ENDS "</joint>"), 5, 1, "did you mean revolute?"},
    {LINKS("<joint name='j' type='gearbox'>" ENDS "</joint>"), 5, 1, "gearbox_reference_body"},
    {AXIS("<xyz>0 0 0</xyz>"), 5, 73, "expected a direction"},
    {AXIS("<xyz>0 1</xyz>"), 5, 73, "expected 3 numbers"},
    {AXIS("<xyz>0 nan 1</xyz>"), 5, 73, "expected 3 numbers"},
    {AXIS("<xyz expressed_in='c'>0 0 1</xyz>"), 5, 73, "no \"c\""},
    {AXIS("<xyz>0 0 1</xyz><limit><lower>low</lower></limit>"), 5, 96, "expected 1 number"},
    {AXIS("<dynamics><damping>x</damping></dynamics>"), 5, 83, "expected 1 number"},
    {AXIS("<mimic/>"), 5, 73, "without \"joint\""},
    {AXIS("<mimic joint='k'/>"), 5, 73, "\"k\" to mimic"},
    {AXIS("<mimic joint='j' axis='axis2'/>"), 5, 73, "no axis2"},
    {LINKS("<joint name='j' type='screw'>" ENDS "<thread_pitch>0</thread_pitch></joint>"), 5, 1,
     "pitch 0"},
    {LINKS("<joint name='j' type='universal'>" ENDS "</joint>"), 5, 1, "parallel"},
    {LINK("<pose>0 0 0</pose>"), 3, 1, "expected 6 numbers"},
    {LINK("<pose>0 0 0 0 0 1e999</pose>"), 3, 1, "expected 6 numbers"},
    {LINK("<pose rotation_format='quat_xyzw'>0 0 0 0 0 0</pose>"), 3, 1, "expected 7 numbers"},
    {LINK("<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>"), 3, 1, "zero quaternion"},
    {LINK("<pose rotation_format='q'>0 0 0 0 0 0</pose>"), 3, 1, "expected euler_rpy"},
    {LINK("<pose relative_to='c'/>"), 3, 1, "no \"c\""},
    {LINK("<pose relative_to='world'/>"), 3, 1, "no \"world\""},
    {LINK("<pose relative_to='a'/>"), 3, 1, "round in a circle"},
    {LINK("<inertial><mass>-1</mass></inertial>"), 3, 1, "mass -1 kg"},
    {LINK("<inertial><mass>heavy</mass></inertial>"), 3, 11, "expected 1 number"},
    {LINK("<inertial><inertia><ixx>-1</ixx></inertia></inertial>"), 3, 1, "principal moment"},
    {LINK("<visual name='v'><geometry><box><size>1 2</size></box></geometry></visual>"), 3, 33,
     "expected 3 numbers"},
    {LINK("<visual name='v'><geometry><sphere><radius>-1</radius></sphere></geometry></visual>"), 3,
     18, "expected more than 0"},
    {LINKS("<frame name='f' attached_to='c'/>"), 5, 1, "no \"c\""},
    {LINKS("<frame name='f' attached_to='g'/>\n<frame name='g' attached_to='f'/>"), 5, 1,
     "round in a circle"},
    {LINKS("<frame name='f' attached_to='g'><pose relative_to='a'/></frame>\n"
           "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>"),
     5, 1, "goes round in a circle"},
};

static void wrong_files(void **state)
{
  (void)state;
  robot_wrong_files(bad, sizeof bad / sizeof *bad, "m.sdf", NULL);
}

/* Models in models are bounded, by a sentence. */
static void too_deep(void **state)
{
  enum { DEPTH = 200 };
  static char text[40 * DEPTH];
  size_t n = (size_t)snprintf(text, sizeof text, "<sdf version='1.8'>");
  (void)state;
  for (int i = 0; i < DEPTH; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "<model name='m'>");
  }
  for (int i = 0; i < DEPTH; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "</model>");
  }
  snprintf(text + n, sizeof text - n, "</sdf>");
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_read(text, strlen(text), "m.sdf", NULL, 0, NULL, &spec, &report),
                   CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "too deep"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_files), cmocka_unit_test(too_deep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
