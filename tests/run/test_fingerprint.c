// SPDX-License-Identifier: Apache-2.0
// A saved state belongs to one model. Every field of a model, as model/model_fields.h lists it, is
// changed in turn, and the state of the model as it was is refused; what no number of a run depends
// on is listed here, and changes nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/tape.h"
#include "model/fingerprint.h"
#include "model/model_fields.h"
#include "run.h"

/* ---- fields that are not part of the identity of a model ---- */

#define NAME "names of elements label tables and messages"
#define PLACE "a position in the text of the model serves messages"
#define PICTURE "pictures alone depend on it"
#define CALLS "later calls that change the model read it, and a run ends with the first of them"
#define OPTIONS "it presets options, which a saved state compares by themselves"
#define STORED "it says where the model is stored"

static const struct {
  const char *field, *reason;
} exempt[] = {
    {"joint.name", NAME},
    {"joint.pos", PLACE},
    {"frame.name", NAME},
    {"frame.shape", PICTURE},
    {"frame.nshape", PICTURE},
    {"frame.color", PICTURE},
    {"shape.kind", PICTURE},
    {"shape.size", PICTURE}, // a solid has a copy of its own
    {"shape.file", PICTURE},
    {"shape.hidden", PICTURE},
    {"constraint.name", NAME},
    {"constraint.pos", PLACE},
    {"force.name", NAME},
    {"force.pos", PLACE},
    {"pose.pos", PLACE},
    {"preset.key", OPTIONS},
    {"preset.value", OPTIONS},
    {"preset.pos", PLACE},
    {"keyframe.name", NAME},
    {"keyframe.pos", PLACE},
    {"parameter.name", NAME},
    {"parameter.derived", CALLS},
    {"parameter.pos", PLACE},
    {"parameter.rigid_pos", PLACE},
    {"output.name", NAME},
    {"output.pos", PLACE},
    {"output.column", NAME},
    {"output.unit", NAME},
    {"input.name", NAME},
    {"aux_state.name", NAME},
    {"aux_state.pos", PLACE},
    {"controller.pos", PLACE},
    {"turning.name", NAME},
    {"material.name", NAME},
    {"material.pos", PLACE},
    {"solid.name", NAME},
    {"solid.shape", PICTURE},
    {"solid.pos", PLACE},
    {"solid.pieces", "check says how a mesh was cut; the pieces themselves count"},
    {"solid.off", "check says how a mesh was cut; the pieces themselves count"},
    {"contact.name", NAME},
    {"contact.pos", PLACE},
    {"bound.name", NAME},
    {"bound.pos", PLACE},
    {"expr.pos", PLACE},
    {"model.name", NAME},
    {"model.size", STORED},
    {"model.block", STORED},
    {"model.allocator", STORED},
    {"model.nshape", PICTURE},
    {"model.ndefault", OPTIONS},
    {"model.nwarning", "warnings are texts for the reader"},
    {"model.warning", "warnings are texts for the reader"},
    {"model.closing_given", "the tolerance itself is compared"},
    {"model.rank_given", "the tolerance itself is compared"},
    {"model.recipe", CALLS},
    {"model.revision", "cardan_model_set counts its calls in it"},
    {"model.q_name", NAME},
    {"model.v_name", NAME},
};
enum { NEXEMPT = sizeof exempt / sizeof exempt[0] };

/* ---- every field that there is, and how often it was changed ---- */

enum { MOST = 600 };
static struct {
  char field[64];
  int changed;
} fields[MOST];
static int nfield;

static int find(const char *of, const char *field)
{
  char name[64];
  int i = 0;
  snprintf(name, sizeof name, "%s.%s", of, field);
  while (i < nfield && strcmp(fields[i].field, name) != 0) {
    i++;
  }
  if (i == nfield) {
    assert_true(nfield < MOST);
    memcpy(fields[nfield++].field, name, sizeof name);
  }
  return i;
}

#define LIST_FIELD(field, ...) find(of, #field);
#define LIST_STRUCT(name, type, FIELDS, ARRAYS) \
  of = #name;                                   \
  FIELDS(LIST_FIELD)                            \
  ARRAYS(LIST_FIELD)

static void list_all(void)
{
  const char *of;
  nfield = 0;
  CARDAN__MODEL_STRUCTS(LIST_STRUCT)
  of = "model";
  CARDAN__MODEL_FIELDS(LIST_FIELD)
  CARDAN__MODEL_ARRAYS(LIST_FIELD)
  CARDAN__MODEL_MEMORY(LIST_FIELD)
}

/* ---- one change ---- */

static run r;
static unsigned char *saved;
static size_t size_of_state;
static const char *model_text;

/* Restores the state in the model as it is now. */
static void expect(const char *of, const char *field, bool accepted)
{
  cardan_report report = {.message = ""};
  const int at = find(of, field);
  r.model->revision += 2; // the fingerprint is computed again, the revision itself flipped or not
  const cardan_status status = cardan_sim_snapshot_load(r.sim, saved, size_of_state, &report);
  if (accepted && status != CARDAN_OK) {
    fail_msg("%s, another %s: %s", model_text, fields[at].field, report.message);
  }
  if (!accepted && (status != CARDAN_ERR_ARGUMENT ||
                    strcmp(report.message, "this is the state of another model") != 0)) {
    fail_msg("%s, another %s: status %d, \"%s\"", model_text, fields[at].field, (int)status,
             report.message);
  }
  fields[at].changed++;
}

static void flip(const char *of, const char *field, unsigned char *byte, unsigned char bit,
                 bool accepted)
{
  *byte ^= bit;
  expect(of, field, accepted);
  *byte ^= bit;
}

/* The lowest bit of every four bytes, and the sign of what may be a double. */
static void flip_all(const char *of, const char *field, void *at, size_t size, bool accepted)
{
  unsigned char *byte = at;
  for (size_t k = 0; k < size; k += 4) {
    flip(of, field, byte + k, 1, accepted);
  }
  if (size >= 8) {
    flip(of, field, byte + size - 1, 0x80, accepted);
  }
}

/* Not part of the identity: listed above. */
static void expect_exempt(const char *of, const char *field)
{
  for (int i = 0; i < NEXEMPT; i++) {
    if (strcmp(exempt[i].field, fields[find(of, field)].field) == 0) {
      return;
    }
  }
  fail_msg("%s.%s is no part of the identity of a model, and this test has no reason why", of,
           field);
}

/* ---- one function for each kind of field and struct ----
 * count entries of size bytes from at on: of long arrays the first two and the last */

static int next_entry(int i, int count)
{
  return i == 1 && count > 3 ? count - 1 : i + 1;
}

static void change_number(const char *of, const char *field, const void *at, int count, size_t size)
{
  for (int i = 0; i < count; i = next_entry(i, count)) {
    flip_all(of, field, (char *)at + (size_t)i * size, size, false);
  }
}
#define change_numbers change_number
#define change_spatial change_number

static void change_count(const char *of, const char *field, const void *at, int count, size_t size)
{
  int *n = (int *)at;
  assert_true(count == 1 && size == sizeof *n);
  if (*n > 0) {
    --*n;
    expect(of, field, false);
    ++*n;
  }
}

static void change_exempt(const char *of, const char *field, const void *at, int count, size_t size)
{
  expect_exempt(of, field);
  if (count > 0) {
    flip_all(of, field, (void *)at, size, true);
  }
}
#define change_place change_exempt
#define change_drawn change_exempt
#define change_drawing change_exempt
#define change_later change_exempt
#define change_memory change_exempt
#define change_allocator change_exempt

static void change_label(const char *of, const char *field, const char **at, int count, size_t size)
{
  (void)size;
  expect_exempt(of, field);
  for (int i = 0; i < count; i = next_entry(i, count)) {
    const char *was = at[i];
    at[i] = "another";
    expect(of, field, true);
    at[i] = was;
  }
}

/* Instructions and tables. */
static void change_tape(const char *of, const char *field, const cardan__expr *expr, int count,
                        size_t size)
{
  cardan__expr *e = (cardan__expr *)expr;
  const size_t bytes = (size_t)e->nins * sizeof(cardan__ins) + (size_t)e->tables;
  (void)count;
  (void)size;
  change_count(of, field, &e->nins, 1, sizeof e->nins);
  change_count(of, field, &e->tables, 1, sizeof e->tables);
  flip_all(of, field, &e->uses, sizeof e->uses, false);
  flip_all(of, field, e + 1, bytes, false);
}

#define CHANGE_FIELD(field, kind) change_##kind(of, #field, &x->field, 1, sizeof x->field);
#define CHANGE_ENTRIES(field, count, entry)                                  \
  change_##entry(of, #field, (void *)x->field, (count), sizeof *(x->field)); \
  fields[find(of, #field)].changed += (count) > 0;
// NOLINTBEGIN(bugprone-macro-parentheses): type is one
#define CHANGE_STRUCT(name, type, FIELDS, ARRAYS)                                      \
  static void change_##name(const char *of, const char *field, type *first, int count, \
                            size_t size)                                               \
  {                                                                                    \
    const cardan_model *m = r.model;                                                   \
    (void)m;                                                                           \
    (void)size;                                                                        \
    fields[find(of, field)].changed += count > 0;                                      \
    of = #name;                                                                        \
    for (int i = 0; i < count; i = next_entry(i, count)) {                             \
      type *x = first + i;                                                             \
      FIELDS(CHANGE_FIELD)                                                             \
      ARRAYS(CHANGE_ENTRIES)                                                           \
    }                                                                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
CARDAN__MODEL_STRUCTS(CHANGE_STRUCT)

#define CHANGE_ARRAY(field, count, room, entry) \
  change_##entry(of, #field, m->field, (count), sizeof *m->field);

static void change_all(void)
{
  const char *of = "model";
  cardan_model *m = r.model, *x = m;
  // NOLINTBEGIN(bugprone-sizeof-expression): some are pointers, or arrays of them
  CARDAN__MODEL_FIELDS(CHANGE_FIELD)
  CARDAN__MODEL_ARRAYS(CHANGE_ARRAY)
  // NOLINTEND(bugprone-sizeof-expression)
  CARDAN__MODEL_MEMORY(CHANGE_FIELD)
}

/* ---- models ---- */

#define SOLIDS                                                                                    \
  "(system (gravity 0 0 -9.81) (material \"glue\" (friction 20)) (material \"rubber\" (friction " \
  "0.6) (static 0.7) (restitution "                                                               \
  "0.4) (rolling 1e-3) (spinning 1e-3)) (place (0 0 0) (name \"ground\") (solid plane (material"  \
  " \"rubber\"))) (place (0 0 1) (joint free \"die\" (mass 2 0.02 0.02 0.02) (solid box 0.4 0.3"  \
  " 0.2) (shape mesh \"die.stl\") (color \"#ff0000\"))) (place (1 0 1) (joint free \"rock\" "     \
  "(mass 1"                                                                                       \
  " 0.01 0.01 0.01) (solid hull (0 0 0) (0.1 0 0) (0 0.1 0) (0 0 0.1) (round 0.001))))"           \
  " (contact all (friction 0.3) (restitution 0.6)) (contact \"die\" \"rock\" (restitution 0.1))"  \
  " (tx \"s\" (mass 1)) (place (3 0 3) (name \"hook\")) (place (9 9 -9) (solid"                   \
  " height-field (heights (0 1 0) (1 2 1) (0 1 3)) 1 1 1)) (tz \"low\" (mass 1 1 1 1) (name "     \
  "\"B\"))"                                                                                       \
  " (stop \"s\" -0.5 1 (restitution 0.7)) (rope \"hook\" \"B\" 9) (inequality (+ q.s 3))"         \
  " (simulate (method vi) (dt 1e-3)))"

#define CONTROL                                                                                  \
  "(system \"control\" (gravity 0 0 -9.81) (parameter k 2) (define twice (* 2 k))"               \
  " (input \"u\" 0.5 (limit -1 1)) (input \"c\" 0)"                                              \
  " (ry (k \"crank\") (tz -1 (mass 1) (joint revolute \"a\" (axis 0 1 0) (limit -2 2) (tz -1 "   \
  "(mass k 0.1 0.1 0.1) (name "                                                                  \
  "\"A\") (joint spherical \"s\" (tz -1 (mass 1 0.1 0.1 0.1) (name \"B\")))))))"                 \
  " (armature \"a\" 0.02) (friction \"a\" 0.1 (radius 0.01)) (dry-friction \"a\" 0.1) (damping " \
  "\"a\" 0.2)"                                                                                   \
  " (motion \"crank\" (* 0.2 (sin t))) (torque \"a\" (+ u.u u.c (table (data (0 1) (1 2) (2 1))" \
  " t hold))) (spring \"A\" \"world\" twice 1) (state \"z\" (initial 0.5) (derivative (- u.u"    \
  " z.z))) (memory \"m\" (initial 0.1) (every 0.01) (next q.a)) (controller \"c\" (every 0.01)"  \
  " (- z.m q.a)) (output \"high\" (pz \"B\")) (initial (\"a\" 0.4 0.1) (pose \"A\" (0 0 -2)))"   \
  " (keyframe \"home\" (\"a\" 1 2) (\"s\" (1 0 0 0) (1 2 3)) (input \"u\" 0.2)))"

#define LOOP                                                                                     \
  "(system (gravity 0 0 -9.81) (ry \"a\" (tx 1 (mass 1 0.1 0.1 0.1) (ry \"b\" (tx 2 (mass 1 0.1" \
  " 0.1 0.1) (ry \"c\" (tx 1 (mass 1 0.1 0.1 0.1) (name \"E\"))))))) (place (2 0 0) (name "      \
  "\"G\")) (close revolute \"G\" \"E\" (axis 0 1 0) (coordinate \"pin\")) (motion \"a\" (* 0.1"  \
  " t)) (dry-friction \"pin\" 0.1) (initial (\"a\" -1) (\"b\" 1) (\"c\" 1)))"

static const struct {
  const char *model, *method;
} items[] = {
    {SOLIDS, "vi"},
    {CONTROL, "aba"},
    {LOOP, "vi"},
    {"bouncing-ball", "vi"},
    {"slider-crank", "vi"},
    {"human", "svi"},
    {"ring:4", "aba"},
    {"cam-follower", "vi"},
    {"lower-pairs", "rattle"},
    {"four-link", "vi"},
    {"pendulum:3", "half-implicit"},
};
enum { NITEM = sizeof items / sizeof items[0] };

static void begin(int i)
{
  const cardan_options o = run_options(items[i].method, 1e-3, 1);
  cardan_report report = {.message = ""};
  model_text = items[i].model;
  r = run_begin(model_text, NULL, &o);
  run_steps(&r, 2);
  size_of_state = cardan_sim_snapshot_size(r.sim);
  saved = malloc(size_of_state);
  assert_non_null(saved);
  expect_ok(cardan_sim_snapshot_save(r.sim, saved, size_of_state, &report), &report, "save");
}

static void end(void)
{
  free(saved);
  run_free(&r);
}

static void every_field(void **state)
{
  (void)state;
  list_all();
  const int all = nfield;
  for (int i = 0; i < NITEM; i++) {
    begin(i);
    change_all();
    expect("model", "name", true); // as it was
    end();
  }
  assert_int_equal(nfield, all);
  for (int i = 0; i < nfield; i++) {
    if (fields[i].changed == 0) {
      fail_msg("no model of this test has a %s", fields[i].field);
    }
  }
  for (int i = 0; i < NEXEMPT; i++) {
    int k = 0;
    while (k < all && strcmp(fields[k].field, exempt[i].field) != 0) {
      k++;
    }
    if (k == all) {
      fail_msg("there is no field %s", exempt[i].field);
    }
  }
}

/* A state of one model in a sim of another. */
static cardan_status carry(const char *from, const char *to, cardan_report *report)
{
  const cardan_options o = run_options("vi", 1e-3, 1);
  run a = run_begin(from, NULL, &o), b = run_begin(to, NULL, &o);
  const size_t size = cardan_sim_snapshot_size(a.sim);
  void *bytes = malloc(size);
  assert_non_null(bytes);
  run_steps(&a, 2);
  expect_ok(cardan_sim_snapshot_save(a.sim, bytes, size, report), report, "save");
  const cardan_status status = cardan_sim_snapshot_load(b.sim, bytes, size, report);
  free(bytes);
  run_free(&b);
  run_free(&a);
  return status;
}

#define BALL                                                                                    \
  "(system \"ball\" (gravity 0 0 -9.81) (material \"rubber\" (restitution 1.0))"                \
  " (place (0 0 0) (name \"floor\") (solid plane)) (place (0 0 1) (joint free \"ball\" (mass 1" \
  " 0.004 0.004 0.004) (solid sphere 0.1 (material \"rubber\")))) (contact all)"                \
  " (torque \"ball.vx\" (sin t)) (output \"height\" (pz \"ball\")) (initial (\"ball\" (0 0 "    \
  "0.5 1 0 0 0))) (simulate (dt 1e-3) (time 2)))"

// a number of the text decides; names, comments, pictures and presets of options do not
static void other_texts(void **state)
{
  static const struct {
    const char *what, *with;
    bool same;
  } changes[] = {
      {"sphere 0.1", "sphere 0.3", false}, {"restitution 1.0", "restitution 0.2", false},
      {"(sin t)", "(cos t)", false},       {"0.5 1 0 0 0", "0.7 1 0 0 0", false},
      {"pz \"ball", "px \"ball", false},   {"solid plane", "solid  plane", true},
      {"\"height\"", "\"Height\"", true},  {"\"floor\"", "\"earth\"", true},
      {"(time 2)", "(time 9)", true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    char text[] = BALL;
    const char *at = strstr(BALL, changes[i].what), *with = changes[i].with;
    char other[sizeof text + 16];
    cardan_report report = {.message = ""};
    assert_non_null(at);
    snprintf(other, sizeof other, "%.*s%s%s", (int)(at - (const char *)BALL), text, with,
             at + strlen(changes[i].what));
    const cardan_status status = carry(text, other, &report);
    if (changes[i].same ? status != CARDAN_OK
                        : strcmp(report.message, "this is the state of another model") != 0) {
      fail_msg("%s for %s: status %d, \"%s\"", with, changes[i].what, (int)status, report.message);
    }
  }
}

// a copy is the same model, and so is one that has come back to its parameter's value
static void copies(void **state)
{
  (void)state;
  for (int i = 0; i < NITEM; i++) {
    cardan_report report = {.message = ""};
    cardan_model *model = load_model(items[i].model, NULL), *copy;
    const uint64_t print = cardan__model_fingerprint(model);
    expect_ok(cardan_model_copy(model, NULL, &copy), &report, "copy");
    assert_true(cardan__model_fingerprint(copy) == print);
    if (copy->nparameter > 0 && !copy->parameter[0].derived) {
      const char *name = copy->parameter[0].name;
      const double value = copy->parameter[0].value;
      expect_ok(cardan_model_set(copy, name, 1.25 * value, &report), &report, "set");
      assert_true(cardan__model_fingerprint(copy) != print);
      expect_ok(cardan_model_set(copy, name, value, &report), &report, "set");
      assert_true(cardan__model_fingerprint(copy) == print);
    }
    cardan_model_destroy(copy);
    cardan_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_field), cmocka_unit_test(other_texts),
                                     cmocka_unit_test(copies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
