// SPDX-License-Identifier: Apache-2.0
// Geoms of MJCF that touch: which, how rough, and what a run makes of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/sim.h"
#include "robot_fixture.h"

static cardan_model *load(const char *text)
{
  return robot_load(text, "m.xml", NULL, 0);
}

#define LEG                                                                                \
  "<worldbody><geom name='floor' type='plane' size='1 1 1' condim='3'/>"                   \
  "<body name='torso' pos='0 0 2'><freejoint/><geom name='t' type='box' size='.1 .1 .1'/>" \
  "<body name='pad'><geom name='p' pos='0 .3 0' size='.05'/></body>"                       \
  "<body name='thigh'><joint name='hip'/><geom name='h' pos='0 0 -.5' type='capsule' "     \
  "size='.05 .2' friction='.3'/>"                                                          \
  "<body name='shin' pos='0 0 -1'><joint name='knee'/><geom name='s' type='cylinder' "     \
  "size='.05 .2' friction='2 .01' condim='4'/>"                                            \
  "<body name='foot' pos='0 0 -.5'><joint name='ankle'/><geom name='f' size='.06' "        \
  "friction='.7' priority='1' condim='6'/>"                                                \
  "</body></body></body></body></worldbody>"

static void filters(void **state)
{
  (void)state;
  cardan_model *model = load("<mujoco>" LEG "</mujoco>");
  // floor with 5, t and p with s and f, h with f; parents, and what is welded to them, do not
  assert_int_equal(model->nsolid, 6);
  assert_int_equal(model->npair, 5 + 4 + 1);
  assert_null(robot_pair(model, "t", "h"));
  assert_null(robot_pair(model, "p", "h"));
  assert_non_null(robot_pair(model, "p", "s"));
  assert_non_null(robot_pair(model, "h", "f"));
  assert_string_equal(model->defaults[1].value, "auto");
  cardan_model_destroy(model);
  model = load("<mujoco><option><flag filterparent='disable'/></option>" LEG "</mujoco>");
  assert_int_equal(model->npair, 5 + 4 + 1 + 4);
  cardan_model_destroy(model);
  model = load("<mujoco><option><flag contact='disable'/></option>" LEG "</mujoco>");
  assert_int_equal(model->nsolid, 0);
  cardan_model_destroy(model);
  model = load("<mujoco>" LEG "<contact><exclude body1='torso' body2='foot'/>"
               "<exclude body1='shin' body2='world'/></contact></mujoco>");
  assert_int_equal(model->npair, 8);
  assert_null(robot_pair(model, "t", "f"));
  assert_non_null(robot_pair(model, "p", "f")); // of another body
  assert_null(robot_pair(model, "floor", "s"));
  cardan_model_destroy(model);
}

static void assert_rough(const cardan_model *model, const char *a, const char *b, double friction,
                         double spinning, double rolling)
{
  const cardan_pair *pair = robot_pair(model, a, b);
  assert_non_null(pair);
  assert_true(pair->friction == friction && pair->statical == friction);
  assert_true(pair->spinning == spinning && pair->rolling == rolling);
  assert_true(pair->restitution == 0);
}

// the larger of two, and all of the one with the higher priority
static void roughness(void **state)
{
  (void)state;
  cardan_model *model = load("<mujoco>" LEG "<contact><pair geom1='h' geom2='t' condim='6' "
                             "friction='.2 .2 .01 .02 .02'/></contact></mujoco>");
  assert_rough(model, "floor", "t", 1, 0, 0);
  assert_rough(model, "floor", "h", 1, 0, 0);
  assert_rough(model, "floor", "s", 2, 0.01, 0);
  assert_rough(model, "floor", "f", 0.7, 0.005, 0.0001);
  assert_rough(model, "t", "f", 0.7, 0.005, 0.0001);
  assert_rough(model, "t", "h", 0.2, 0.01, 0.02);
  cardan_model_destroy(model);
  model = load("<mujoco><option collision='predefined'/>" LEG
               "<contact><pair geom1='h' geom2='floor' condim='1'/></contact></mujoco>");
  assert_int_equal(model->npair, 1);
  assert_rough(model, "floor", "h", 0, 0, 0);
  cardan_model_destroy(model);
  // what the lesser one of two has does not come in by its material
  model = load("<mujoco><worldbody><geom name='a' type='plane' size='1 1 1' condim='6'/><body "
               "pos='0 0 1'><freejoint/><geom name='b' size='.1' priority='1'/></body></worldbody>"
               "</mujoco>");
  assert_rough(model, "a", "b", 1, 0, 0);
  cardan_model_destroy(model);
}

enum { GEOMS = 14 };

/* Balls of bodies of their own with random masks, frictions and exclusions, against what the rules
 * say of every two. */
static void random_masks(void **state)
{
  (void)state;
  srand(1);
  for (int round = 0; round < 40; round++) {
    int type[GEOMS], affinity[GEOMS], rough[GEOMS], out = rand() % GEOMS, with = rand() % GEOMS;
    char text[8000] = "<mujoco><worldbody>";
    const int bits = 1 + round % 3;
    for (int i = 0; i < GEOMS; i++) {
      type[i] = rand() % (1 << bits);
      affinity[i] = rand() % (1 << bits);
      rough[i] = 1 + rand() % 3;
      const size_t n = strlen(text);
      snprintf(text + n, sizeof text - n,
               "<body name='b%d' pos='%d 0 0'><freejoint/><geom name='g%d' size='.1' contype='%d' "
               "conaffinity='%d' friction='.%d'/></body>",
               i, i, i, type[i], affinity[i], rough[i]);
    }
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n,
             "</worldbody><contact><exclude body1='b%d' body2='b%d'/></contact></mujoco>", out,
             with);
    cardan_model *model = load(text);
    int touching = 0;
    for (int i = 0; i < GEOMS; i++) {
      for (int k = 0; k < i; k++) {
        char a[16], b[16];
        const bool met = ((type[i] & affinity[k]) | (type[k] & affinity[i])) != 0;
        const bool excluded = (i == out && k == with) || (i == with && k == out);
        snprintf(a, sizeof a, "g%d", i);
        snprintf(b, sizeof b, "g%d", k);
        if (met && !excluded) {
          assert_rough(model, a, b, (rough[i] > rough[k] ? rough[i] : rough[k]) / 10.0, 0, 0);
          touching++;
        }
      }
    }
    assert_int_equal(model->npair, touching);
    cardan_model_destroy(model);
  }
}

/* A run of a text by vi, for 0.5 s; contacts as given. z, out: the last height. */
static cardan_status run(const char *text, const char *contacts, double *z, char *note, size_t size)
{
  cardan_model *model = load(text);
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  cardan_report report = {.message = ""};
  options.dt = 0.005;
  assert_int_equal(cardan_options_set(&options, "contacts", contacts, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, &report), CARDAN_OK);
  cardan_status status = cardan_sim_start(sim, &report);
  for (int i = 0; i < 100 && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, &report);
  }
  *z = cardan_sim_data(sim)->q[2];
  snprintf(note, size, "%s", status == CARDAN_OK ? cardan_sim_note(sim) : report.message);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status;
}

#define CUBE                                                                                     \
  "<asset><mesh name='cube' scale='.1 .1 .1' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 " \
  "-1 1 -1 1 1 1 1 1'/></asset>"
#define DROP(z)                                                                   \
  "<mujoco>" CUBE "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 " z \
  "'><freejoint/><inertial mass='1' pos='0 0 0' diaginertia='.01 .01 .01'/>"      \
  "<geom type='mesh' mesh='cube'/></body></worldbody></mujoco>"

// a mesh of points alone falls as its hull, and lies on its face
static void mesh_falls(void **state)
{
  double z = 0;
  char note[512];
  (void)state;
  assert_int_equal(run(DROP("0.3"), "auto", &z, note, sizeof note), CARDAN_OK);
  assert_near(z, 0.1, 1e-6);
  assert_int_equal(run(DROP("0.3"), "off", &z, note, sizeof note), CARDAN_OK);
  assert_near(z, 0.3 - 0.5 * 9.81 * 0.25, 1e-9);
}

// what overlaps at the start is an error, or moved out where a robot's file cannot know
static void overlap(void **state)
{
  double z = 0;
  char note[512];
  (void)state;
  assert_int_equal(run(DROP("0.08"), "on", &z, note, sizeof note), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(note, "0.02"));
  assert_int_equal(run(DROP("0.08"), "auto", &z, note, sizeof note), CARDAN_OK);
  assert_near(z, 0.1, 1e-6);
  assert_non_null(strstr(note, "starts 0.02 m higher"));
}

/* Kinds of the two solids of a pair, as a set. */
static int kinds_of(const cardan_model *model, const cardan_pair *p)
{
  return 1 << model->solid[p->solid[0]].kind | 1 << model->solid[p->solid[1]].kind;
}

/* A text read, and written in the format of an ending. */
static cardan_status rewrite(const char *text, const char *file, const char *as, char **out,
                             cardan_spec **spec, cardan_report *report)
{
  assert_int_equal(cardan_spec_read(text, strlen(text), file, NULL, 0, NULL, spec, report),
                   CARDAN_OK);
  return cardan_spec_write_as(*spec, as, out, report);
}

// pairs come back one for one, whatever they were made of, and hulls with their points
static void written(void **state)
{
  static const char text[] =
      "<mujoco>" CUBE "<worldbody><geom type='plane' size='0 0 1' condim='6'/><body name='a' "
      "pos='0 0 1'><joint name='j' axis='0 1 0'/><inertial mass='1' pos='0 0 0' "
      "diaginertia='.01 .01 .01'/><geom type='mesh' mesh='cube' friction='.6'/>"
      "<geom type='ellipsoid' size='.1 .2 .3' contype='0' conaffinity='2' pos='0 1 0'/></body>"
      "<body name='b' pos='0 0 2'><joint name='k' type='slide'/><inertial mass='1' pos='0 0 0' "
      "diaginertia='.01 .01 .01'/><geom type='box' size='.1 .2 .3' contype='2' group='4'/>"
      "<geom size='.1' contype='0' conaffinity='0'/></body></worldbody></mujoco>";
  static const char *const endings[] = {"o.xml", "o.mbs"};
  cardan_model *first = load(text);
  (void)state;
  assert_int_equal(first->npair, 4);
  for (int k = 0; k < 2; k++) {
    cardan_report report = {.message = ""};
    cardan_spec *spec = NULL;
    char *out = NULL;
    assert_int_equal(rewrite(text, "m.xml", endings[k], &out, &spec, &report), CARDAN_OK);
    cardan_model *again = robot_load(out, endings[k], NULL, 0);
    assert_int_equal(again->nsolid, first->nsolid);
    assert_int_equal(again->npair, first->npair);
    for (int i = 0; i < first->npair; i++) { // kinds are all different here
      const cardan_pair *a = &first->pair[i], *b = NULL;
      for (int n = 0; n < again->npair; n++) {
        b = kinds_of(again, &again->pair[n]) == kinds_of(first, a) ? &again->pair[n] : b;
      }
      assert_non_null(b);
      assert_true(a->friction == b->friction && a->spinning == b->spinning);
      assert_true(a->rolling == b->rolling && a->restitution == b->restitution);
      for (int n = 0; n < 2; n++) {
        const cardan_solid *x = &first->solid[a->solid[n]], *y = &again->solid[b->solid[n]];
        y = y->kind == x->kind ? y : &again->solid[b->solid[1 - n]];
        assert_true(x->kind == CARDAN_SHAPE_PLANE || fabs(x->radius - y->radius) < 1e-15);
        assert_near_vec(&x->X_BS.p.x, &y->X_BS.p.x, 3, 1e-15);
      }
    }
    cardan_model_destroy(again);
    cardan_free_text(NULL, out);
    cardan_spec_destroy(spec);
  }
  cardan_model_destroy(first);
}

// what a format cannot say is an error at its place
static void unwritten(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"f\") (solid plane)) (tz \"a\" (mass 1)"
      " (solid sphere 1))\n(contact all (restitution 0.5)))";
  static const char *const endings[] = {"o.xml", "o.urdf"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    cardan_report report = {.message = ""};
    cardan_spec *spec = NULL;
    char *out = NULL;
    assert_int_equal(rewrite(text, "m.mbs", endings[k], &out, &spec, &report),
                     CARDAN_ERR_UNSUPPORTED);
    assert_int_equal(report.pos.line, 2);
    assert_non_null(strstr(report.message, k == 0 ? "restitution" : "contact"));
    cardan_spec_destroy(spec);
  }
}

static void wrong(void **state)
{
  (void)state;
  static const robot_wrong list[] = {
      {"<mujoco><worldbody><geom size='1' condim='2'/></worldbody></mujoco>", 1, 20, "condim is 2"},
      {"<mujoco><worldbody><geom size='1' contype='1.5'/></worldbody></mujoco>", 1, 20, "32 bits"},
      {"<mujoco><worldbody><geom size='1' friction='-1'/></worldbody></mujoco>", 1, 20, "below 0"},
      {"<mujoco><worldbody/><contact><exclude body1='world' body2='a'/></contact></mujoco>", 1, 30,
       "no body"},
      {"<mujoco><worldbody/><contact><pair geom1='a'/></contact></mujoco>", 1, 30, "no geom"}};
  robot_wrong_files(list, sizeof list / sizeof *list, "m.xml", NULL);
}

static void no_memory(void **state)
{
  (void)state;
  assert_true(robot_no_memory(DROP("0.3"), "m.xml", NULL) > 20);
  assert_true(robot_no_memory("<mujoco>" LEG "<contact><exclude body1='torso' body2='foot'/>"
                              "</contact></mujoco>",
                              "m.xml", NULL) > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(filters),    cmocka_unit_test(roughness), cmocka_unit_test(random_masks),
      cmocka_unit_test(mesh_falls), cmocka_unit_test(overlap),   cmocka_unit_test(wrong),
      cmocka_unit_test(written),    cmocka_unit_test(unwritten), cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
