// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/mbs_write.h"
#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Actuators. Each has an input u of its name, and with the length L of what it acts along
 *   F = clamp((g0 + g1 L + g2 L') u + b0 + b1 L + b2 L'),   force = gear F along it
 * The shortcuts of the format (motor, position, velocity, ..) say g and b; so do their defaults,
 * which all write the same numbers. Where the form is that of an (actuator ..) it becomes one, else
 * a (torque ..) or (wrench ..) with that expression. */

typedef enum { DIRECT, INTEGRATOR, FILTER, OTHER } dynamics;

typedef struct {
  cardan__mjcf_item item;
  const char *name, *input;
  double gear[6], gain[10], bias[10], u_range[2], f_range[2];
  bool has_u_range, affine_gain, affine_bias;
  bool unknown;             // a muscle, a plugin: no force here
  int u_limited, f_limited; // 0 no, 1 yes, 2 where there is a range
  double damp_ratio, inherit, filter;
  dynamics dynamics;
} actuator;

/* ---- what an element, or a default, says ---- */

static bool read_affine(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                        const char *plain, bool *affine, bool *unknown)
{
  const char *text = cardan__mjcf_get(m, item, attribute);
  if (text == NULL) {
    return true;
  }
  *affine = strcmp(text, "affine") == 0;
  if (!*affine && strcmp(text, plain) != 0) {
    *unknown = strcmp(text, "muscle") == 0 || strcmp(text, "user") == 0;
    if (!*unknown) {
      cardan__xml_fail(m->spec, item->xml,
                       "%s of <%.40s> is \"%.40s\", expected %s, affine, muscle "
                       "or user",
                       attribute, item->xml->name, text, plain);
      return false;
    }
  }
  return true;
}

static bool apply_general(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a)
{
  static const char *const words[] = {"none",        "integrator", "filter",
                                      "filterexact", "muscle",     "user"};
  static const dynamics kind[] = {DIRECT, INTEGRATOR, FILTER, FILTER, OTHER, OTHER};
  const char *text = cardan__mjcf_get(m, item, "dyntype");
  const int word = cardan__mjcf_word(m, item, "dyntype", words, 6, 0);
  double unused[10];
  if (word < 0 || cardan__mjcf_some(m, item, "gainprm", a->gain, 10) < 0 ||
      cardan__mjcf_some(m, item, "biasprm", a->bias, 10) < 0 ||
      cardan__mjcf_some(m, item, "dynprm", unused, 10) < 0) {
    return false;
  }
  a->dynamics = text != NULL ? kind[word] : a->dynamics;
  a->damp_ratio = cardan__mjcf_get(m, item, "biasprm") != NULL ? 0 : a->damp_ratio;
  return read_affine(m, item, "gaintype", "fixed", &a->affine_gain, &a->unknown) &&
         read_affine(m, item, "biastype", "none", &a->affine_bias, &a->unknown);
}

static bool apply_motor(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a)
{
  (void)m, (void)item;
  memset(a->gain, 0, sizeof a->gain);
  a->gain[0] = 1;
  a->affine_gain = a->affine_bias = a->unknown = false;
  a->dynamics = DIRECT;
  return true;
}

/* F = kp (u - L) - kv L', the last by dampratio instead where that is what was given last; a
 * constant of a class's biasprm stays. */
static bool apply_position(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a)
{
  double kv = -a->bias[2];
  const bool has_kv = cardan__mjcf_get(m, item, "kv") != NULL;
  const bool velocities = strcmp(item->xml->name, "intvelocity") == 0;
  if (!cardan__mjcf_values(m, item, "kp", &a->gain[0], 1) ||
      !cardan__mjcf_values(m, item, "kv", &kv, 1) ||
      !cardan__mjcf_values(m, item, "dampratio", &a->damp_ratio, 1) ||
      !cardan__mjcf_values(m, item, "timeconst", &a->filter, 1) ||
      !cardan__mjcf_values(m, item, "inheritrange", &a->inherit, 1)) {
    return false;
  }
  if (has_kv && cardan__mjcf_get(m, item, "dampratio") != NULL) {
    cardan__xml_fail(m->spec, item->xml, "found kv and dampratio; expected one of them");
    return false;
  }
  a->damp_ratio = has_kv ? 0 : a->damp_ratio;
  if (!(a->gain[0] >= 0) || !(kv >= 0) || !(a->damp_ratio >= 0)) {
    cardan__xml_fail(m->spec, item->xml,
                     "found a gain below 0; expected kp, kv, dampratio of 0 or "
                     "more");
    return false;
  }
  a->bias[1] = -a->gain[0];
  a->bias[2] = -kv;
  a->affine_gain = a->unknown = false;
  a->affine_bias = true;
  if (velocities) {
    a->dynamics = INTEGRATOR;
  } else if (cardan__mjcf_get(m, item, "timeconst") != NULL) {
    a->dynamics = a->filter > 0 ? FILTER : DIRECT;
  }
  return true;
}

/* F = kv (u - L') */
static bool apply_velocity(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a)
{
  if (!cardan__mjcf_values(m, item, "kv", &a->gain[0], 1)) {
    return false;
  }
  a->bias[0] = a->bias[1] = a->damp_ratio = 0;
  a->bias[2] = -a->gain[0];
  a->affine_gain = a->unknown = false;
  a->affine_bias = true;
  a->dynamics = DIRECT;
  return true;
}

/* F = -kv L' u; kv is of the element itself, 0 where it has none. */
static bool apply_damper(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a)
{
  double kv = 0;
  if (!cardan__mjcf_values(m, item, "kv", &kv, 1)) {
    return false;
  }
  a->gain[0] = a->gain[1] = 0;
  a->gain[2] = -kv;
  a->affine_gain = true;
  a->affine_bias = a->unknown = false;
  a->dynamics = DIRECT;
  return true;
}

static bool apply_unknown(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a)
{
  (void)m, (void)item;
  a->unknown = true;
  return true;
}

static const struct {
  const char *word;
  bool (*apply)(cardan__mjcf *m, const cardan__mjcf_item *item, actuator *a);
} words[] = {
    {"general", apply_general},   {"motor", apply_motor},          {"position", apply_position},
    {"velocity", apply_velocity}, {"intvelocity", apply_position}, {"damper", apply_damper},
    {"cylinder", apply_unknown},  {"muscle", apply_unknown},       {"adhesion", apply_unknown},
    {"dcmotor", apply_unknown},   {"pid", apply_unknown},          {"orientation", apply_unknown},
    {"plugin", apply_unknown}};
enum { WORDS = sizeof words / sizeof words[0] };

static int word_of(const cardan__xml *xml)
{
  int i = 0;
  while (i < WORDS && strcmp(words[i].word, xml->name) != 0) {
    i++;
  }
  return i < WORDS ? i : -1;
}

/* One element, which overrides earlier values. */
static bool apply(cardan__mjcf *m, cardan__xml *xml, actuator *a)
{
  static const char *const limited[] = {"false", "true", "auto"};
  const cardan__mjcf_item item = {.xml = xml, .kind = "", .class = -1};
  const int word = word_of(xml);
  if (word < 0) {
    return true;
  }
  xml->read = true;
  (void)cardan__xml_get(xml, "group");
  (void)cardan__xml_get(xml, "user");
  a->has_u_range = a->has_u_range || cardan__xml_get(xml, "ctrlrange") != NULL;
  a->u_limited = cardan__mjcf_word(m, &item, "ctrllimited", limited, 3, a->u_limited);
  a->f_limited = cardan__mjcf_word(m, &item, "forcelimited", limited, 3, a->f_limited);
  return a->u_limited >= 0 && a->f_limited >= 0 &&
         cardan__mjcf_values(m, &item, "ctrlrange", a->u_range, 2) &&
         cardan__mjcf_values(m, &item, "forcerange", a->f_range, 2) &&
         cardan__mjcf_some(m, &item, "gear", a->gear, 6) >= 0 && words[word].apply(m, &item, a);
}

/* The defaults of a class, from the outermost on. */
static bool apply_class(cardan__mjcf *m, int class, actuator *a)
{
  if (class < 0) {
    return true;
  }
  bool ok = apply_class(m, m->class[class].parent, a);
  for (cardan__xml *e = m->class[class].xml ? m->class[class].xml->child : NULL;
       e && ok && strcmp(e->name, "default") != 0; e = e->next) { // classes inside stand behind
    ok = apply(m, e, a);
  }
  return ok;
}

/* ---- force ---- */

static bool limits(const cardan__mjcf *m, int limited, const double range[2])
{
  return limited == 1 || (limited == 2 && range[0] < range[1] && !m->no_autolimits);
}

/* (number what), with a plus before it; nothing for 0. */
static void put_term(cardan__text *text, double number, const char *what, const char *times)
{
  if (number != 0) {
    cardan__text_printf(text, " (* ");
    cardan__text_number(text, number);
    cardan__text_printf(text, " %s %s)", what, times);
  }
}

/* scale clamp(..), L and rate being expressions; rate NULL: it has none. */
static void put_force(const cardan__mjcf *m, cardan__text *text, const actuator *a, double scale,
                      const char *length, const char *rate)
{
  cardan__text u;
  const bool clamped = limits(m, a->f_limited, a->f_range);
  cardan__text_init(&u, m->spec->allocator);
  if (a->dynamics == INTEGRATOR) {
    cardan__text_printf(&u, "0"); // its state stays where it starts
  } else {
    cardan__mjcf_put_leaf(&u, "u", a->input);
  }
  const char *in = u.data ? u.data : "0";
  cardan__text_printf(text, "(* ");
  cardan__text_number(text, scale);
  if (clamped) {
    cardan__text_printf(text, " (min ");
    cardan__text_number(text, a->f_range[1]);
    cardan__text_printf(text, " (max ");
    cardan__text_number(text, a->f_range[0]);
  }
  cardan__text_printf(text, " (+ ");
  cardan__text_number(text, a->affine_bias ? a->bias[0] : 0);
  put_term(text, a->gain[0], in, "");
  put_term(text, a->affine_gain ? a->gain[1] : 0, in, length);
  put_term(text, a->affine_bias ? a->bias[1] : 0, length, "");
  if (rate != NULL) {
    put_term(text, a->affine_gain ? a->gain[2] : 0, in, rate);
    put_term(text, a->affine_bias ? a->bias[2] : 0, rate, "");
  }
  cardan__text_printf(text, clamped ? "))))" : "))");
  text->failed = text->failed || u.failed;
  cardan__text_free(&u);
}

static void add_torque(cardan__mjcf *m, const actuator *a, const char *var, double scale,
                       const char *length, const char *rate)
{
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  put_force(m, &text, a, scale, length, rate);
  cardan__mjcf_add_expr(m, a->item.xml,
                        &(cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {var}}, &text);
}

/* A motor or a servo in the words of the spec; false: it is neither. */
static bool add_plain(cardan__mjcf *m, const actuator *a, const cardan__mjcf_joint *j)
{
  const bool motor = a->gain[0] == 1 && !a->affine_bias;
  const bool servo = a->affine_bias && a->bias[0] == 0 && a->bias[1] == -a->gain[0] &&
                     a->gain[0] > 0 && a->bias[2] <= 0 && j->ref == 0;
  const bool clamped = limits(m, a->f_limited, a->f_range);
  if (a->affine_gain || !(motor || servo) || a->dynamics == INTEGRATOR || a->gear[0] == 0) {
    return false;
  }
  const char *name = cardan__mjcf_unique(m, &m->elements, a->name, ".actuator");
  cardan_element e = {.kind = CARDAN_ELEMENT_ACTUATOR,
                      .name = name,
                      .var = {j->name, a->input},
                      .value = {a->gear[0], servo ? a->gain[0] : 0, servo ? 0 - a->bias[2] : 0}};
  if (clamped) {
    e.value[3] = a->f_range[0];
    e.value[4] = a->f_range[1];
  }
  if (name != NULL) {
    cardan__xml_at(m->spec, a->item.xml);
    cardan_spec_add(m->spec, &e);
  }
  return true;
}

/* ---- what it acts along ---- */

/* M_jj as drawn: of all that a joint moves, about its axis [kg m^2 | kg]. */
static double reflected(cardan__mjcf *m, const cardan__mjcf_joint *j)
{
  const cardan_xform *T = &m->body[j->body].world;
  const cardan_vec3 p = cardan__xform_point(T, j->pos);
  const cardan_vec3 n = cardan__vec3_normalize(cardan__mat3_mulv(&T->R, j->axis));
  double sum = 0;
  (void)cardan__mjcf_values(m, &j->item, "armature", &sum, 1);
  for (int i = j->body; i < m->n.body; i++) {
    const cardan__mjcf_body *b = &m->body[i];
    int up = i;
    while (up > j->body) {
      up = m->body[up].parent;
    }
    if (up != j->body) {
      break; // bodies are in the order of the tree
    }
    const cardan_xform C = cardan__xform_mul(&b->world, &b->center);
    const cardan_vec3 arm = cardan__vec3_cross(n, cardan__vec3_sub(C.p, p));
    const cardan_vec3 a = cardan__mat3_tmulv(&C.R, n);
    sum += j->kind == CARDAN__MJCF_SLIDE ? b->mass
                                         : cardan__vec3_dot(a, cardan__sym3_mulv(&b->moment, a)) +
                                               b->mass * cardan__vec3_dot(arm, arm);
  }
  return sum;
}

/* kv = 2 dampratio sqrt(kp M / gear^2), and a range from the joint's. */
static bool finish_servo(cardan__mjcf *m, actuator *a, const cardan__mjcf_joint *j)
{
  double range[2];
  if (a->damp_ratio > 0 && a->gear[0] != 0) {
    a->bias[2] =
        -2 * a->damp_ratio * sqrt(a->gain[0] * reflected(m, j) / (a->gear[0] * a->gear[0]));
  }
  if (a->inherit > 0 && !a->has_u_range && cardan__mjcf_get(m, &j->item, "range") != NULL) {
    if (!cardan__mjcf_values(m, &j->item, "range", range, 2)) {
      return false;
    }
    for (int i = 0; i < 2; i++) {
      const double mid = 0.5 * (range[0] + range[1]), half = 0.5 * (range[i] - range[1 - i]);
      const double end = mid + a->inherit * half;
      a->u_range[i] = j->kind == CARDAN__MJCF_HINGE ? cardan__mjcf_angle(m, end) : end;
    }
  }
  return true;
}

static void add_input(cardan__mjcf *m, actuator *a)
{
  cardan_input_def def = {.name = a->input};
  if (limits(m, a->u_limited, a->u_range)) {
    def.has_limit = true;
    def.limit[0] = a->u_range[0];
    def.limit[1] = a->u_range[1];
    def.value = fmin(fmax(0, a->u_range[0]), a->u_range[1]); // 0 is cut to the range as any other
  }
  cardan__xml_at(m->spec, a->item.xml);
  if (def.has_limit && !(def.limit[0] < def.limit[1])) {
    cardan__xml_fail(m->spec, a->item.xml,
                     "the control of \"%.60s\" is limited to %g .. %g; expected a range that rises",
                     a->name, def.limit[0], def.limit[1]);
    return;
  }
  cardan_spec_input(m->spec, &def);
}

/* A ball: the first three numbers of gear, along the body's axes, a motor's only. */
static bool add_many(cardan__mjcf *m, const actuator *a, const cardan__mjcf_joint *j)
{
  static const char *const ends[] = {".wx", ".wy", ".wz"};
  const bool in_parent = cardan__xml_get(a->item.xml, "jointinparent") != NULL;
  if (j->kind != CARDAN__MJCF_BALL || in_parent || a->affine_gain || a->affine_bias) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    const char *name = cardan__mjcf_join(m, j->name, strlen(j->name), ends[i]);
    if (name != NULL && a->gear[i] != 0) {
      add_torque(m, a, name, a->gear[i], "0", "0");
    }
  }
  return true;
}

static void note_unused(cardan__mjcf *m, const actuator *a, const char *why)
{
  cardan__xml_note(m->spec, a->item.xml, "the force of actuator \"%.60s\" is not used: %s", a->name,
                   why);
}

/* Keeps a text in the arena and frees it; NULL after a failure. */
static const char *move_text(cardan__mjcf *m, cardan__text *text)
{
  const char *kept = text->failed || text->data == NULL
                         ? NULL
                         : cardan__arena_text(&m->spec->arena, text->data, text->length);
  cardan__spec_memory(m->spec, kept != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY);
  cardan__text_free(text);
  return kept;
}

/* (* gear leaf), the leaf being (+ q ref) or v. */
static const char *geared(cardan__mjcf *m, const actuator *a, const cardan__mjcf_joint *j,
                          const char *leaf)
{
  const double ref = leaf[0] == 'q' ? j->ref : 0;
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  cardan__text_printf(&text, "(* ");
  cardan__text_number(&text, a->gear[0]);
  cardan__text_printf(&text, ref != 0 ? " (+ " : " ");
  cardan__mjcf_put_leaf(&text, leaf, j->name);
  if (ref != 0) {
    cardan__text_printf(&text, " ");
    cardan__text_number(&text, ref);
    cardan__text_printf(&text, ")");
  }
  cardan__text_printf(&text, ")");
  return move_text(m, &text);
}

/* What sensors see of it. */
static void keep_force(cardan__mjcf *m, const actuator *a, const char *length, const char *rate)
{
  cardan__mjcf_act *act = &m->act[m->n.act - 1];
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  put_force(m, &text, a, 1, length, rate);
  act->length = length;
  act->rate = rate;
  act->force = move_text(m, &text);
}

static void act_on_joint(cardan__mjcf *m, actuator *a, int joint)
{
  const cardan__mjcf_joint *j = &m->joint[joint];
  if (j->kind < CARDAN__MJCF_SLIDE) {
    add_input(m, a);
    if (!add_many(m, a, j)) {
      note_unused(m, a, "on a ball or free joint only torques of a ball in its own axes are taken");
    }
    return;
  }
  if (!finish_servo(m, a, j)) {
    return;
  }
  const char *length = geared(m, a, j, "q"), *rate = geared(m, a, j, "v");
  add_input(m, a);
  if (length == NULL || rate == NULL) {
    return;
  }
  keep_force(m, a, length, rate);
  if (!add_plain(m, a, j)) {
    add_torque(m, a, j->name, a->gear[0], length, rate);
  }
}

/* Along a way over sites: on each stretch the ends are pushed apart. */
static void push_sites(cardan__mjcf *m, const actuator *a, const cardan__mjcf_tendon *t,
                       const char *force)
{
  static const char *const axes[] = {"px", "py", "pz"};
  for (int i = t->term; i < t->term + t->nterm; i++) {
    for (int end = 0; end < 2; end++) {
      const char *at = m->site[m->term[i].site[end]].label;
      const char *other = m->site[m->term[i].site[1 - end]].label;
      cardan__text text[3];
      bool failed = false;
      for (int k = 0; k < 3; k++) {
        cardan__text_init(&text[k], m->spec->allocator);
        cardan__text_printf(&text[k], "(/ (* ");
        cardan__text_number(&text[k], m->term[i].coef);
        cardan__text_printf(&text[k], " %s (- ", force);
        cardan__mjcf_put_leaf(&text[k], axes[k], at);
        cardan__mjcf_put_leaf(&text[k], axes[k], other);
        cardan__text_printf(&text[k], ")) (dist ");
        cardan__mbs_put_quoted(&text[k], at);
        cardan__mbs_put_string(&text[k], other);
        cardan__text_printf(&text[k], "))");
        failed = failed || text[k].failed;
      }
      if (cardan__spec_memory(m->spec, failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
        cardan__xml_at(m->spec, a->item.xml);
        cardan_spec_add(m->spec, &(cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                                   .frame = {at},
                                                   .in_world = true,
                                                   .expr = {text[0].data, text[1].data,
                                                            text[2].data, "0", "0", "0"}});
      }
      for (int k = 0; k < 3; k++) {
        cardan__text_free(&text[k]);
      }
    }
  }
}

/* (* gear length), or of its rate. */
static const char *geared_tendon(cardan__mjcf *m, const actuator *a, const cardan__mjcf_tendon *t,
                                 bool rate)
{
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  cardan__text_printf(&text, "(* ");
  cardan__text_number(&text, a->gear[0]);
  cardan__text_printf(&text, " ");
  if (rate) {
    cardan__mjcf_put_rate(m, &text, t);
  } else {
    cardan__mjcf_put_length(m, &text, t, 0);
  }
  cardan__text_printf(&text, ")");
  return move_text(m, &text);
}

static void act_on_tendon(cardan__mjcf *m, actuator *a, int tendon)
{
  const cardan__mjcf_tendon *t = &m->tendon[tendon];
  const bool damped = (a->affine_gain && a->gain[2] != 0) || (a->affine_bias && a->bias[2] != 0);
  cardan__text force;
  add_input(m, a);
  if (!cardan__mjcf_need_length(m, a->item.xml, t)) {
    return;
  }
  if ((t->spatial && damped) || a->damp_ratio > 0) {
    cardan__xml_note(m->spec, a->item.xml,
                     "the damping of actuator \"%.60s\" along a tendon is not used", a->name);
  }
  const char *length = geared_tendon(m, a, t, false);
  const char *rate = t->spatial ? NULL : geared_tendon(m, a, t, true);
  if (m->spec->status != CARDAN_OK) {
    return;
  }
  keep_force(m, a, length, rate);
  cardan__text_init(&force, m->spec->allocator);
  put_force(m, &force, a, a->gear[0], length, rate);
  const char *along = move_text(m, &force);
  if (along != NULL && t->spatial) {
    push_sites(m, a, t, along);
  } else if (along != NULL) {
    cardan__mjcf_pull(m, a->item.xml, t, along);
  }
}

/* A force and a torque in the axes of a site. */
static void act_on_site(cardan__mjcf *m, actuator *a, int site)
{
  cardan__text text[6];
  bool failed = false;
  const char *expr[6];
  add_input(m, a);
  if (cardan__xml_get(a->item.xml, "refsite") != NULL) {
    note_unused(m, a, "a refsite is not taken here");
    return;
  }
  for (int i = 0; i < 6; i++) {
    cardan__text_init(&text[i], m->spec->allocator);
    if (a->gear[i] != 0) {
      put_force(m, &text[i], a, a->gear[i], "0", "0");
    } else {
      cardan__text_printf(&text[i], "0");
    }
    failed = failed || text[i].failed;
    expr[i] = text[i].data;
  }
  if (cardan__spec_memory(m->spec, failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
    cardan_element e = {.kind = CARDAN_ELEMENT_WRENCH, .frame = {m->site[site].label}};
    memcpy(e.expr, expr, sizeof expr);
    cardan__xml_at(m->spec, a->item.xml);
    cardan_spec_add(m->spec, &e);
  }
  for (int i = 0; i < 6; i++) {
    cardan__text_free(&text[i]);
  }
}

static const struct {
  const char *attribute, *what;
  void (*act)(cardan__mjcf *m, actuator *a, int index);
} ways[] = {{"joint", "joint", act_on_joint},
            {"jointinparent", "joint", act_on_joint},
            {"tendon", "tendon", act_on_tendon},
            {"site", "site", act_on_site}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static cardan__names *table(cardan__mjcf *m, int way)
{
  return way < 2 ? &m->joints : way == 2 ? &m->tendons : &m->sites;
}

/* ---- one after the other ---- */

/* Gives it a name, and its input one: its own, else that of what it acts on. */
static bool name_input(cardan__mjcf *m, actuator *a, const char *target)
{
  const char *own = cardan__xml_get(a->item.xml, "name");
  if (!cardan__mjcf_grow(m, (void **)&m->act, &m->room.act, m->n.act, sizeof *m->act) ||
      !cardan__mjcf_enter(m, a->item.xml, "actuator", &m->actuators, own, m->n.act)) {
    return false;
  }
  a->input = cardan__mjcf_unique(m, &m->inputs,
                                 own != NULL ? own
                                 : target    ? target
                                             : "actuator",
                                 "_");
  a->name = own != NULL ? own : a->input;
  if (a->input == NULL) {
    return false;
  }
  m->act[m->n.act++] = (cardan__mjcf_act){.input = a->input};
  return true;
}

static void build_actuator(cardan__mjcf *m, cardan__xml *xml)
{
  actuator a = {.gear = {1}, .gain = {1}, .u_limited = 2, .f_limited = 2};
  const char *target = NULL;
  int way = 0;
  if (word_of(xml) < 0 || !cardan__mjcf_open(m, xml, "general", 0, &a.item) ||
      !apply_class(m, a.item.class, &a) || !apply(m, xml, &a)) {
    return;
  }
  while (way < WAYS && (target = cardan__xml_get(xml, ways[way].attribute)) == NULL) {
    way++;
  }
  if (a.f_limited == 1 && !(a.f_range[0] < a.f_range[1])) {
    cardan__xml_fail(m->spec, xml, "the force is limited to %g .. %g; expected a range that rises",
                     a.f_range[0], a.f_range[1]);
  }
  if (m->spec->status != CARDAN_OK || !name_input(m, &a, target)) {
    return;
  }
  const int index = target ? cardan__mjcf_find(m, xml, ways[way].what, table(m, way), target) : -1;
  if (target != NULL && index < 0) {
    return;
  }
  if (a.unknown || a.dynamics == OTHER || target == NULL || m->off_actuation) {
    add_input(m, &a);
    cardan__xml_skip(xml);
    if (!m->off_actuation) {
      note_unused(m, &a,
                  target == NULL ? "what it acts on is not taken here"
                                 : "it is not of a kind that is taken here");
    }
    return;
  }
  if (a.dynamics != DIRECT) {
    cardan__xml_note(m->spec, xml,
                     a.dynamics == FILTER
                         ? "the filter of actuator \"%.60s\" is not used: its input acts at once"
                         : "the integrator of actuator \"%.60s\" is not used: its state stays 0",
                     a.name);
  }
  ways[way].act(m, &a, index);
}

void cardan__mjcf_build_actuators(cardan__mjcf *m)
{
  for (cardan__xml *s = cardan__xml_child(m->root, "actuator"); s;
       s = cardan__xml_next(s, "actuator")) {
    for (cardan__xml *e = s->child; e != NULL && m->spec->status == CARDAN_OK; e = e->next) {
      build_actuator(m, e);
    }
  }
}
