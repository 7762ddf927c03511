// SPDX-License-Identifier: Apache-2.0
#include "formats/mbs_read.h"

#include <string.h>

#include "base/text.h"
#include "formats/text_rounding.h"

/* Reads a model text (docs/format.md): each item of the system to a tree of lists, the tree to the
 * spec by one walk with a stack of its own, then the references by name are checked. Linear in the
 * text. What is wrong with the parentheses and words of a text, to its end, is reported before what
 * is wrong with its items. */

static const char *const system_words[] = {
    "gravity",    "define",   "parameter", "input",    "output",    "when",     "at",
    "initial",    "armature", "keyframe",  "rounding", "simulate",  "material", "contact",
    "no-contact", "repeat",   "state",     "memory",   "controller"};
typedef enum {
  GRAVITY,
  DEFINE,
  PARAMETER,
  INPUT,
  OUTPUT,
  WHEN,
  AT,
  INITIAL,
  ARMATURE,
  KEYFRAME,
  ROUNDING,
  SIMULATE,
  MATERIAL,
  CONTACT,
  NO_CONTACT,
  REPEAT,
  STATE,
  MEMORY,
  CONTROLLER,
  NSYSTEM_WORD
} system_word;

static const char *const element_words[] = {
#define ELEMENT_WORD(kind, id, word) word,
    CARDAN_ELEMENT_LIST(ELEMENT_WORD)
#undef ELEMENT_WORD
        "torsion-spring"};
enum { NELEMENT_WORD = sizeof(element_words) / sizeof(*element_words) };

/* ---- what cannot be here ---- */

/* A head that is no word of a place: the nearest of all words of the format. */
static bool unknown_form(cardan__mbs *reader, int list, const char *expected)
{
  const char *all[NSYSTEM_WORD + NELEMENT_WORD + CARDAN__MBS_NFRAME_WORD + CARDAN__MBS_NOPTION];
  int n = 0;
  for (int i = 0; i < NSYSTEM_WORD; i++) {
    all[n++] = system_words[i];
  }
  for (int i = 0; i < NELEMENT_WORD; i++) {
    all[n++] = element_words[i];
  }
  for (int i = 0; i < CARDAN__MBS_NFRAME_WORD + CARDAN__MBS_NOPTION; i++) {
    all[n++] = cardan__mbs_frame_words[i];
  }
  char found[CARDAN__DESCRIBE_SIZE];
  const int head = cardan__sexpr_first(&reader->tree, list);
  cardan__sexpr_describe(&reader->tree, head, found);
  return cardan__mbs_fail(reader, head >= 0 ? head : list,
                          "found %s at the head of a list; expected %s%s", found, expected,
                          cardan__mbs_hint(reader, head, all, n).text);
}

static bool is_system_form(const cardan__mbs *reader, int list)
{
  const int head = cardan__sexpr_first(&reader->tree, list);
  return cardan__mbs_word(reader, head, system_words, NSYSTEM_WORD) >= 0 ||
         cardan__mbs_word(reader, head, element_words, NELEMENT_WORD) >= 0;
}

/* ---- items of the system ---- */

static bool read_gravity(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(gravity gx gy gz)");
  cardan_spec *spec = reader->spec;
  double g[3];
  if (spec->gravity_pos.line > 0) {
    return cardan__mbs_fail(reader, list, "found gravity a second time; it is already given%s",
                            cardan__cite(spec->gravity_pos).text);
  }
  if (!cardan__mbs_numbers(&form, "three numbers", g, 3) || !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_gravity(spec, (cardan_vec3){g[0], g[1], g[2]});
  cardan__mbs_bind(reader, g, 3, &spec->gravity_living, 0);
  return !spec->status;
}

/* A value given from outside takes the place of what the text says. */
static bool set_from_outside(cardan__mbs *reader, const char *name, double *value)
{
  bool found = false;
  for (int i = 0; i < reader->nsetting; i++) {
    if (cardan__same_word(reader->settings[i].name, name)) {
      *value = reader->settings[i].value;
      reader->setting_used[i] = found = true;
    }
  }
  return found;
}

/* The rounding of lengths and angles, if it is not that of the digits of the text. */
static bool read_rounding(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(rounding finest coarsest)");
  double unit[2];
  if (!cardan__mbs_numbers(&form, "two numbers", unit, 2) || !cardan__mbs_close(&form)) {
    return false;
  }
  if (!(unit[0] >= 0.0 && unit[1] >= unit[0])) {
    return cardan__mbs_fail(reader, list,
                            "found a rounding of %g and %g; expected the finest unit, from 0 on, "
                            "and the coarsest",
                            unit[0], unit[1]);
  }
  cardan_spec_rounding(reader->spec, unit[0]);
  cardan_spec_coarsest(reader->spec, unit[1]);
  return !reader->spec->status;
}

/* A constant, or a parameter; a constant that is computed from parameters follows them. */
static bool read_define(cardan__mbs *reader, int list, bool parameter)
{
  cardan__mbs_form form = cardan__mbs_open(
      reader, list, parameter ? "(parameter NAME number fixed)" : "(define NAME number)");
  const int node = form.next;
  if (!cardan__mbs_is_symbol(reader, node)) {
    return cardan__mbs_expected(&form, parameter ? "the name of a parameter, without quotes"
                                                 : "the name of a constant, without quotes");
  }
  const char *name = cardan__sexpr_text(&reader->tree, node);
  double value;
  form.next = reader->tree.nodes[node].next;
  if (!cardan__mbs_number(&form, "a number", &value)) {
    return false;
  }
  const bool fixed = parameter && cardan__sexpr_is(&reader->tree, form.next, "fixed");
  form.next = fixed ? reader->tree.nodes[form.next].next : form.next;
  if (!cardan__mbs_close(&form)) {
    return false;
  }
  if (set_from_outside(reader, name, &value)) {
    reader->npending = 0;
    if (fixed) {
      return cardan__mbs_fail(reader, node,
                              "found a value for the parameter \"%s\", which is fixed in this text",
                              cardan__show(name).text);
    }
  }
  const cardan__expr *expr =
      reader->npending > 0 && !parameter ? reader->pending[--reader->npending].expr : NULL;
  cardan_spec_at(reader->spec, cardan__mbs_pos(reader, node));
  cardan__spec_define_add(reader->spec, name, value, parameter || expr != NULL, expr);
  if (reader->spec->status) {
    return false;
  }
  if (fixed) {
    reader->spec->define[reader->spec->ndefine - 1].rigid_pos = cardan__mbs_pos(reader, node);
  }
  return true;
}

static bool read_output(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(output \"name\" expression)");
  const cardan__expr *expr;
  const char *name;
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of the output", &name, &pos) ||
      !cardan__mbs_expr(&form, "an expression", CARDAN__LEAVES_ALL | CARDAN__LEAVES_SENSE, &expr) ||
      !cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  cardan__spec_output_add(reader->spec, name, expr);
  return !reader->spec->status;
}

static bool read_input(cardan__mbs *reader, int list)
{
  static const char usage[] = "(input \"u\" value (limit lo hi))";
  cardan__mbs_form form = cardan__mbs_open(reader, list, usage);
  cardan_input_def input = {0};
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of an input", &input.name, &pos)) {
    return false;
  }
  if (form.next >= 0 && !cardan__sexpr_is_form(&reader->tree, form.next, "limit") &&
      !cardan__mbs_number(&form, "a value", &input.value)) {
    return false;
  }
  if (cardan__sexpr_is_form(&reader->tree, form.next, "limit")) {
    cardan__mbs_form option = cardan__mbs_open(reader, form.next, usage);
    input.has_limit = true;
    if (!cardan__mbs_numbers(&option, "two numbers", input.limit, 2) ||
        !cardan__mbs_close(&option)) {
      return false;
    }
    form.next = reader->tree.nodes[form.next].next;
  }
  if (!cardan__mbs_close(&form)) {
    return false;
  }
  cardan_spec_at(reader->spec, pos);
  cardan_spec_input(reader->spec, &input);
  return !reader->spec->status;
}

/* The items of a (when 0 ..) are passed over, but not their words. */
static bool read_when(cardan__mbs *reader, int list, bool active)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(when number item ..)");
  double value = 0.0;
  if (active) {
    if (!cardan__mbs_number(&form, "a number", &value)) {
      return false;
    }
    cardan__mbs_unbound(reader);
  } else if (form.next >= 0) {
    form.next = reader->tree.nodes[form.next].next;
  }
  return cardan__mbs_enter(
      reader, (cardan__mbs_level){CARDAN__MBS_SYSTEM, value != 0.0, list, form.next, 0, 0});
}

static bool read_at(cardan__mbs *reader, int list)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(at \"frame\" frame ..)");
  const int node = form.next;
  const char *name;
  cardan_pos pos;
  if (!cardan__mbs_string(&form, "the name of a frame", &name, &pos)) {
    return false;
  }
  const int frame = cardan__spec_find_frame(reader->spec, name);
  if (frame < 0) {
    const char *near = cardan__spec_nearest_frame(reader->spec, name);
    return cardan__mbs_fail(reader, node,
                            "found no frame \"%s\" before this line; expected one that is defined "
                            "already%s%s%s",
                            cardan__show(name).text, near ? "; did you mean \"" : "",
                            near ? cardan__show(near).text : "", near ? "\"?" : "");
  }
  return cardan__mbs_enter(reader,
                           (cardan__mbs_level){CARDAN__MBS_AT, true, list, form.next, frame, 0});
}

static bool read_system_form(cardan__mbs *reader, int list, system_word word)
{
  switch (word) {
  case GRAVITY:
    return read_gravity(reader, list);
  case DEFINE:
  case PARAMETER:
    return read_define(reader, list, word == PARAMETER);
  case INPUT:
    return read_input(reader, list);
  case OUTPUT:
    return read_output(reader, list);
  case WHEN:
    return read_when(reader, list, true);
  case AT:
    return read_at(reader, list);
  case INITIAL:
    return cardan__mbs_initial(reader, list);
  case ARMATURE:
    return cardan__mbs_armature(reader, list);
  case KEYFRAME:
    return cardan__mbs_keyframe(reader, list);
  case ROUNDING:
    return read_rounding(reader, list);
  case MATERIAL:
    return cardan__mbs_material(reader, list);
  case CONTACT:
  case NO_CONTACT:
    return cardan__mbs_contact(reader, list, word == NO_CONTACT);
  case STATE:
  case MEMORY:
    return cardan__mbs_aux_state(reader, list, word == MEMORY);
  case CONTROLLER:
    return cardan__mbs_controller(reader, list);
  default:
    return cardan__mbs_simulate(reader, list);
  }
}

static bool read_system_item(cardan__mbs *reader, int list, const cardan__mbs_level *level)
{
  const bool active = level->active;
  const int head = cardan__sexpr_first(&reader->tree, list);
  const int word = cardan__mbs_word(reader, head, system_words, NSYSTEM_WORD);
  const int element = word < 0 ? cardan__mbs_word(reader, head, element_words, NELEMENT_WORD) : -1;
  int index;
  const cardan__mbs_frame_word frame =
      word < 0 && element < 0 ? cardan__mbs_frame_head(reader, list, &index) : CARDAN__MBS_NO_FRAME;
  if (frame == CARDAN__MBS_OPTION || frame == CARDAN__MBS_JOINT_OPTION) {
    return cardan__mbs_fail(reader, list,
                            "found (%s ..) among the items of the system; expected it inside a "
                            "%s%s",
                            cardan__sexpr_text(&reader->tree, head),
                            frame == CARDAN__MBS_OPTION ? "frame" : "joint",
                            reader->depth == 1 ? ": did a \")\" close that too early?" : "");
  }
  if (word < 0 && element < 0 && frame == CARDAN__MBS_NO_FRAME) {
    return unknown_form(reader, list, "an item of the system");
  }
  if (word == REPEAT) {
    return cardan__mbs_repeat_enter(reader, list, level);
  }
  if (!active) {
    return word != WHEN || read_when(reader, list, false);
  }
  if (word >= 0) {
    return read_system_form(reader, list, (system_word)word);
  }
  if (element >= 0) {
    const int kind = element == NELEMENT_WORD - 1 ? CARDAN_ELEMENT_JOINT_SPRING : element;
    return cardan__mbs_element(reader, list, (cardan_element_kind)kind);
  }
  return cardan__mbs_frame(reader, list, frame, 0);
}

/* ---- items of a frame ---- */

static bool read_frame_item(cardan__mbs *reader, int list, const cardan__mbs_level *level)
{
  int index;
  const cardan__mbs_frame_word word = cardan__mbs_frame_head(reader, list, &index);
  if (word == CARDAN__MBS_NO_FRAME && cardan__sexpr_is_form(&reader->tree, list, "repeat")) {
    return cardan__mbs_repeat_enter(reader, list, level);
  }
  if (word == CARDAN__MBS_JOINT_OPTION) {
    return level->place == CARDAN__MBS_JOINT ||
           cardan__mbs_fail(
               reader, list, "found (%s ..) outside of a joint; expected it in (joint ..)",
               cardan__sexpr_text(&reader->tree, cardan__sexpr_first(&reader->tree, list)));
  }
  if (word == CARDAN__MBS_OPTION) {
    if (level->place == CARDAN__MBS_AT) {
      return cardan__mbs_fail(
          reader, list,
          "found (%s ..) in (at ..); expected only frames: options stand where "
          "the frame is defined",
          cardan__sexpr_text(&reader->tree, cardan__sexpr_first(&reader->tree, list)));
    }
    return cardan__mbs_option(reader, list, index, level->frame);
  }
  if (word != CARDAN__MBS_NO_FRAME) {
    return cardan__mbs_frame(reader, list, word, level->frame);
  }
  if (is_system_form(reader, list)) {
    const cardan_pos open = cardan__mbs_pos(reader, level->list);
    return cardan__mbs_fail(
        reader, list,
        "found (%s ..) inside the frame of line %d, column %d; expected it among the items of the "
        "system: is a \")\" missing before it?",
        cardan__sexpr_text(&reader->tree, cardan__sexpr_first(&reader->tree, list)), open.line,
        open.column);
  }
  return unknown_form(reader, list, "an option of a frame, or a frame");
}

/* ---- the whole text ---- */

/* The next child of the text's root to the tree, -1: none is left. */
static bool next_child(cardan__mbs *reader, int *node)
{
  cardan_spec *spec = reader->spec;
  const cardan_status status = cardan__sexpr_next(reader->parts, node);
  reader->torn = status != CARDAN_OK;
  if (status) {
    spec->status = status;
    spec->report = reader->syntax;
  } else if (*node >= 0) {
    cardan__digits_of_mbs(spec, &reader->tree, *node);
  }
  return status == CARDAN_OK;
}

/* Is the rest of the text right? If not, that counts, and not the failure of an item. */
static void read_rest(cardan__mbs *reader)
{
  bool more = !reader->torn;
  while (more) {
    int node;
    more = next_child(reader, &node) && node >= 0;
  }
}

static bool read_items(cardan__mbs *reader)
{
  bool good = true;
  while (good && reader->depth > 0) {
    cardan__mbs_level *top = &reader->level[reader->depth - 1];
    int node = top->next;
    if (node < 0 && reader->depth == 1 && !next_child(reader, &node)) {
      return false;
    }
    if (node < 0 && cardan__mbs_repeat_again(reader)) {
      continue;
    }
    if (node < 0) {
      reader->depth--;
      continue;
    }
    // a copy: entering a list may move the stack
    top->next = reader->tree.nodes[node].next;
    const cardan__mbs_level level = *top;
    if (!cardan__mbs_is_list(reader, node)) {
      char found[CARDAN__DESCRIBE_SIZE];
      good = cardan__mbs_fail(reader, node, "found %s; expected a list, such as (tx 0.5 ..)",
                              cardan__sexpr_describe(&reader->tree, node, found));
    } else if (level.place == CARDAN__MBS_SYSTEM) {
      good = read_system_item(reader, node, &level);
    } else {
      good = read_frame_item(reader, node, &level);
    }
    cardan__mbs_unbound(reader);
    cardan__mbs_repeat_item(reader);
  }
  if (!good) {
    cardan__mbs_repeat_failed(reader);
  }
  return good;
}

static bool read_system(cardan__mbs *reader)
{
  const cardan__sexpr *tree = &reader->tree;
  int node;
  if (!next_child(reader, &node)) {
    return false;
  }
  if (!cardan__sexpr_is_form(tree, 0, "system") &&
      !cardan__sexpr_is_form(tree, 0, "mechanical-system")) {
    char found[CARDAN__DESCRIBE_SIZE];
    return cardan__mbs_fail(reader, 0, "found %s; expected (system item ..)",
                            cardan__sexpr_describe(tree, 0, found));
  }
  cardan__mbs_form form = cardan__mbs_open(reader, 0, "(system \"name\" item ..)");
  if (!next_child(reader, &form.next)) {
    return false;
  }
  if (cardan__mbs_is_string(reader, form.next)) {
    const char *name;
    cardan_pos pos;
    cardan__mbs_string(&form, "", &name, &pos);
    cardan_spec_name(reader->spec, name);
  }
  return !reader->spec->status &&
         cardan__mbs_enter(reader,
                           (cardan__mbs_level){CARDAN__MBS_SYSTEM, true, 0, form.next, 0, 0}) &&
         read_items(reader);
}

/* Every setting must have met a (define ..) or (parameter ..). */
static bool check_settings(cardan__mbs *reader)
{
  cardan_spec *spec = reader->spec;
  for (int i = 0; i < reader->nsetting; i++) {
    if (reader->setting_used[i]) {
      continue;
    }
    const char *name = reader->settings[i].name;
    const char *near = cardan__names_nearest(&spec->define_names, name);
    const bool robot = strcmp(name, "base") == 0 || strcmp(name, "convex") == 0;
    cardan__spec_fail_at(
        spec, CARDAN_ERR_ARGUMENT, (cardan_pos){0},
        "found a value for the constant \"%s\", but the model has no (define %s ..)%s%s%s%s",
        cardan__show(name).text, cardan__show(name).text,
        robot ? ", and is no robot file, which has a setting of this name" : "",
        near ? "; did you mean \"" : "", near ? cardan__show(near).text : "", near ? "\"?" : "");
    return false;
  }
  return true;
}

static cardan_status read_text(cardan__mbs *reader, const char *text, size_t length)
{
  cardan_spec *spec = reader->spec;
  if (reader->nsetting > 0) {
    reader->setting_used = cardan__arena_take(&spec->arena, (size_t)reader->nsetting, sizeof(bool));
    if (!cardan__spec_memory(spec, reader->setting_used ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
      return spec->status;
    }
  }
  reader->syntax = spec->report;
  cardan_status status = cardan__sexpr_open(&reader->tree, text, length, spec->allocator,
                                            &reader->syntax, &reader->parts);
  if (status) {
    spec->status = status;
    spec->report = reader->syntax;
  } else if (!read_system(reader)) {
    read_rest(reader);
  } else if (check_settings(reader)) {
    cardan__spec_stiffen_derived(spec);
    spec->status = cardan__spec_check(spec, &spec->report);
    spec->checked = spec->status == CARDAN_OK;
  }
  cardan__sexpr_close(reader->parts);
  cardan__resize(spec->allocator, reader->level, 0);
  cardan__resize(spec->allocator, reader->pending, 0);
  cardan__resize(spec->allocator, reader->made, 0);
  return spec->status;
}

cardan_status cardan__mbs_read(cardan_spec *spec, const char *text, size_t length,
                               const cardan_setting *settings, int nsetting)
{
  cardan__mbs reader = {.spec = spec, .settings = settings, .nsetting = nsetting};
  return read_text(&reader, text, length);
}
