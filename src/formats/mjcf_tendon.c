// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/mbs_write.h"
#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Tendons. A length is an expression:
 *   fixed    L = sum of coef qpos,   qpos = q + ref
 *   spatial  L = sum of |site - site| / divisor
 * A spring of stiffness k is the potential k/2 (L - rest)^2, a damper of a fixed tendon the forces
 * -c coef_i sum_j coef_j v_j on its joints. */

/* ---- expressions ---- */

void cardan__mjcf_put_leaf(cardan__text *text, const char *leaf, const char *name)
{
  cardan__text_printf(text, "(%s ", leaf);
  cardan__mbs_put_quoted(text, name);
  cardan__text_printf(text, ")");
}

void cardan__mjcf_add_expr(cardan__mjcf *m, const cardan__xml *xml, cardan_element *element,
                           cardan__text *text)
{
  if (cardan__spec_memory(m->spec, text->failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
    cardan__xml_at(m->spec, xml);
    element->expr[0] = text->data;
    cardan_spec_add(m->spec, element);
  }
  cardan__text_free(text);
}

/* The part of a length that is a number. */
static double constant(const cardan__mjcf *m, const cardan__mjcf_tendon *t)
{
  double sum = 0;
  for (int i = t->term; i < t->term + t->nterm && !t->spatial; i++) {
    sum += m->term[i].coef * m->joint[m->term[i].joint].ref;
  }
  return sum;
}

void cardan__mjcf_put_length(const cardan__mjcf *m, cardan__text *text,
                             const cardan__mjcf_tendon *t, double shift)
{
  const double number = constant(m, t) + shift;
  cardan__text_printf(text, "(+");
  for (int i = t->term; i < t->term + t->nterm; i++) {
    const cardan__mjcf_term *term = &m->term[i];
    cardan__text_printf(text, " (* ");
    cardan__text_number(text, term->coef);
    if (t->spatial) {
      cardan__text_printf(text, " (dist ");
      cardan__mbs_put_quoted(text, m->site[term->site[0]].label);
      cardan__mbs_put_string(text, m->site[term->site[1]].label);
      cardan__text_printf(text, "))");
    } else {
      cardan__text_printf(text, " ");
      cardan__mjcf_put_leaf(text, "q", m->joint[term->joint].name);
      cardan__text_printf(text, ")");
    }
  }
  if (number != 0 || t->nterm == 0) {
    cardan__text_printf(text, " ");
    cardan__text_number(text, number);
  }
  cardan__text_printf(text, ")");
}

double cardan__mjcf_length(const cardan__mjcf *m, const cardan__mjcf_tendon *t)
{
  double sum = constant(m, t);
  for (int i = t->term; i < t->term + t->nterm && t->spatial; i++) {
    const cardan__mjcf_site *a = &m->site[m->term[i].site[0]], *b = &m->site[m->term[i].site[1]];
    const cardan_vec3 p = cardan__xform_point(&m->body[a->body].world, a->pose.p);
    const cardan_vec3 q = cardan__xform_point(&m->body[b->body].world, b->pose.p);
    sum += m->term[i].coef * cardan__vec3_norm(cardan__vec3_sub(p, q));
  }
  return sum;
}

/* ---- reading ---- */

static bool add_term(cardan__mjcf *m, cardan__mjcf_tendon *t, cardan__mjcf_term term)
{
  if (!cardan__mjcf_grow(m, (void **)&m->term, &m->room.term, m->n.term, sizeof *m->term)) {
    return false;
  }
  m->term[m->n.term++] = term;
  t->nterm++;
  return true;
}

static bool read_fixed(cardan__mjcf *m, cardan__mjcf_tendon *t)
{
  for (cardan__xml *e = cardan__xml_child(t->item.xml, "joint"); e;
       e = cardan__xml_next(e, "joint")) {
    const char *name = cardan__xml_need(m->spec, e, "joint");
    const int joint = name ? cardan__mjcf_find(m, e, "joint", &m->joints, name) : -1;
    double coef = 1;
    if (joint < 0 || cardan__xml_need(m->spec, e, "coef") == NULL ||
        !cardan__xml_values(m->spec, e, "coef", &coef, 1)) {
      return false;
    }
    if (m->joint[joint].kind < CARDAN__MJCF_SLIDE) {
      cardan__xml_fail(m->spec, e, "joint \"%.60s\" of a tendon is no hinge or slide", name);
      return false;
    }
    if (!add_term(m, t, (cardan__mjcf_term){.joint = joint, .coef = coef})) {
      return false;
    }
  }
  return true;
}

static bool read_spatial(cardan__mjcf *m, cardan__mjcf_tendon *t)
{
  double divisor = 1;
  int last = -1;
  for (cardan__xml *e = t->item.xml->child; e != NULL; e = e->next) {
    e->read = true;
    if (strcmp(e->name, "pulley") == 0) {
      last = -1;
      if (!cardan__xml_values(m->spec, e, "divisor", &divisor, 1)) {
        return false;
      }
      if (!(divisor > 0)) {
        cardan__xml_fail(m->spec, e, "the pulley's divisor is %g; expected one above 0", divisor);
        return false;
      }
    } else if (strcmp(e->name, "geom") == 0) {
      t->wrapped = true;
      cardan__xml_skip(e);
    } else if (strcmp(e->name, "site") == 0) {
      const char *name = cardan__xml_need(m->spec, e, "site");
      const int site = name ? cardan__mjcf_find(m, e, "site", &m->sites, name) : -1;
      if (site < 0 ||
          (last >= 0 && last != site &&
           !add_term(m, t, (cardan__mjcf_term){.site = {last, site}, .coef = 1 / divisor}))) {
        return false;
      }
      last = site;
    } else {
      e->read = false;
    }
  }
  return true;
}

static bool read_tendon(cardan__mjcf *m, cardan__xml *xml)
{
  static const char *const others[] = {
      "width",  "material",    "rgba",        "group",          "user",
      "margin", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"};
  cardan__mjcf_tendon t = {.spatial = strcmp(xml->name, "spatial") == 0, .term = m->n.term};
  t.name = cardan__xml_get(xml, "name");
  if (!cardan__mjcf_open(m, xml, "tendon", 0, &t.item) ||
      !(t.spatial ? read_spatial(m, &t) : read_fixed(m, &t)) ||
      !cardan__mjcf_grow(m, (void **)&m->tendon, &m->room.tendon, m->n.tendon, sizeof *m->tendon)) {
    return false;
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    (void)cardan__mjcf_get(m, &t.item, others[i]);
  }
  m->tendon[m->n.tendon] = t;
  return cardan__mjcf_enter(m, xml, "tendon", &m->tendons, t.name, m->n.tendon++);
}

bool cardan__mjcf_read_tendons(cardan__mjcf *m)
{
  for (cardan__xml *s = cardan__xml_child(m->root, "tendon"); s;
       s = cardan__xml_next(s, "tendon")) {
    for (cardan__xml *e = s->child; e != NULL; e = e->next) {
      if ((strcmp(e->name, "fixed") == 0 || strcmp(e->name, "spatial") == 0) &&
          !read_tendon(m, e)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- what acts along them ---- */

bool cardan__mjcf_need_length(cardan__mjcf *m, const cardan__xml *xml, const cardan__mjcf_tendon *t)
{
  if (t->wrapped) {
    cardan__xml_fail(m->spec, xml,
                     "tendon \"%.60s\" wraps around geoms, which is not taken here; expected sites "
                     "and pulleys only",
                     t->name ? t->name : "");
  }
  return !t->wrapped;
}

/* k/2 (L - rest)^2, or 0 between two rests. */
static void add_spring(cardan__mjcf *m, const cardan__mjcf_tendon *t, double k, double low,
                       double high)
{
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  cardan__text_printf(&text, "(* ");
  cardan__text_number(&text, 0.5 * k);
  if (low == high) {
    cardan__text_printf(&text, " (^ ");
    cardan__mjcf_put_length(m, &text, t, -low);
    cardan__text_printf(&text, " 2))");
  } else {
    cardan__text_printf(&text, " (+ (^ (max 0 ");
    cardan__mjcf_put_length(m, &text, t, -high);
    cardan__text_printf(&text, ") 2) (^ (min 0 ");
    cardan__mjcf_put_length(m, &text, t, -low);
    cardan__text_printf(&text, ") 2)))");
  }
  cardan__mjcf_add_expr(m, t->item.xml, &(cardan_element){.kind = CARDAN_ELEMENT_POTENTIAL}, &text);
}

/* A force on each joint of a fixed tendon: coef_i times the expression. */
void cardan__mjcf_pull(cardan__mjcf *m, const cardan__xml *xml, const cardan__mjcf_tendon *t,
                       const char *expr)
{
  for (int i = t->term; i < t->term + t->nterm; i++) {
    cardan__text text;
    cardan__text_init(&text, m->spec->allocator);
    cardan__text_printf(&text, "(* ");
    cardan__text_number(&text, m->term[i].coef);
    cardan__text_printf(&text, " %s)", expr);
    cardan__mjcf_add_expr(
        m, xml,
        &(cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {m->joint[m->term[i].joint].name}},
        &text);
  }
}

/* Rate of a fixed tendon's length. */
void cardan__mjcf_put_rate(const cardan__mjcf *m, cardan__text *text, const cardan__mjcf_tendon *t)
{
  cardan__text_printf(text, "(+ 0");
  for (int i = t->term; i < t->term + t->nterm; i++) {
    cardan__text_printf(text, " (* ");
    cardan__text_number(text, m->term[i].coef);
    cardan__text_printf(text, " ");
    cardan__mjcf_put_leaf(text, "v", m->joint[m->term[i].joint].name);
    cardan__text_printf(text, ")");
  }
  cardan__text_printf(text, ")");
}

static void add_damper(cardan__mjcf *m, const cardan__mjcf_tendon *t, double c)
{
  if (t->spatial && t->nterm == 1) {
    const cardan__mjcf_term *term = &m->term[t->term];
    cardan__xml_at(m->spec, t->item.xml);
    cardan_spec_add(m->spec, &(cardan_element){.kind = CARDAN_ELEMENT_DAMPER,
                                               .frame = {m->site[term->site[0]].label,
                                                         m->site[term->site[1]].label},
                                               .value = {c * term->coef * term->coef}});
  } else if (t->spatial) {
    cardan__xml_note(m->spec, t->item.xml,
                     "the damping of tendon \"%.60s\" over several sites is not used",
                     t->name ? t->name : "");
  } else {
    cardan__text text;
    cardan__text_init(&text, m->spec->allocator);
    cardan__text_printf(&text, "(* ");
    cardan__text_number(&text, -c);
    cardan__text_printf(&text, " ");
    cardan__mjcf_put_rate(m, &text, t);
    cardan__text_printf(&text, ")");
    if (cardan__spec_memory(m->spec, text.failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
      cardan__mjcf_pull(m, t->item.xml, t, text.data);
    }
    cardan__text_free(&text);
  }
}

/* Limits and dry friction along a tendon have no element here. */
static bool note_rest(cardan__mjcf *m, const cardan__mjcf_tendon *t)
{
  double friction = 0, armature = 0, range[2];
  if (!cardan__mjcf_values(m, &t->item, "frictionloss", &friction, 1) ||
      !cardan__mjcf_values(m, &t->item, "armature", &armature, 1) ||
      !cardan__mjcf_values(m, &t->item, "range", range, 2)) {
    return false;
  }
  const bool limited = cardan__mjcf_limited(m, &t->item, "limited", "range") && !m->off_limit;
  if (limited || (friction != 0 && !m->off_friction) || armature != 0) {
    cardan__xml_note(m->spec, t->item.xml, "%s of tendon \"%.60s\" is not used",
                     limited         ? "the limit"
                     : friction != 0 ? "the frictionloss"
                                     : "the armature",
                     t->name ? t->name : "");
  }
  return m->spec->status == CARDAN_OK;
}

/* A site's place in the world with every joint where its spring rests. */
static cardan_vec3 rest_point(const cardan__mjcf *m, int site)
{
  cardan_vec3 p = m->site[site].pose.p;
  for (int b = m->site[site].body; b > 0; b = m->body[b].parent) {
    const cardan__mjcf_body *body = &m->body[b];
    for (int i = body->joint + body->njoint - 1; i >= body->joint; i--) {
      const cardan__mjcf_joint *j = &m->joint[i];
      const cardan_vec3 n = cardan__vec3_normalize(j->axis);
      if (j->kind == CARDAN__MJCF_SLIDE) {
        p = cardan__vec3_axpy(j->spring, n, p);
      } else if (j->kind == CARDAN__MJCF_HINGE) {
        const cardan_mat3 R = cardan__mat3_axis_angle(n, j->spring);
        p = cardan__vec3_add(j->pos, cardan__mat3_mulv(&R, cardan__vec3_sub(p, j->pos)));
      }
    }
    p = cardan__xform_point(&body->pose, p);
  }
  return p;
}

/* Where the joints' springs rest; false after a failure. */
static bool read_springs(cardan__mjcf *m)
{
  for (int i = 0; i < m->n.joint; i++) {
    double rest = 0;
    cardan__mjcf_joint *j = &m->joint[i];
    if (!cardan__mjcf_values(m, &j->item, "springref", &rest, 1)) {
      return false;
    }
    rest = j->kind == CARDAN__MJCF_HINGE ? cardan__mjcf_angle(m, rest) : rest;
    j->spring = j->kind >= CARDAN__MJCF_SLIDE ? rest - j->ref : 0;
  }
  return true;
}

/* The length there, at which a tendon's own spring rests unless it says another. */
static double rest_length(const cardan__mjcf *m, const cardan__mjcf_tendon *t)
{
  double length = t->spatial ? 0 : cardan__mjcf_length(m, t);
  for (int i = t->term; i < t->term + t->nterm; i++) {
    const cardan__mjcf_term *term = &m->term[i];
    length += t->spatial
                  ? term->coef * cardan__vec3_norm(cardan__vec3_sub(rest_point(m, term->site[0]),
                                                                    rest_point(m, term->site[1])))
                  : term->coef * m->joint[term->joint].spring;
  }
  return length;
}

static void build_tendon(cardan__mjcf *m, const cardan__mjcf_tendon *t)
{
  double k = 0, c = 0, rest[2] = {-1, -1};
  const int found = cardan__mjcf_some(m, &t->item, "springlength", rest, 2);
  if (found < 0 || !cardan__mjcf_values(m, &t->item, "stiffness", &k, 1) ||
      !cardan__mjcf_values(m, &t->item, "damping", &c, 1) || !note_rest(m, t)) {
    return;
  }
  k = m->off_spring ? 0 : k;
  c = m->off_damper ? 0 : c;
  if ((k != 0 || c != 0) && !cardan__mjcf_need_length(m, t->item.xml, t)) {
    return;
  }
  if (rest[0] == -1 && k != 0) {
    rest[0] = rest_length(m, t);
  }
  rest[1] = found == 2 ? rest[1] : rest[0];
  if (found == 2 && !(rest[0] <= rest[1])) {
    cardan__xml_fail(m->spec, t->item.xml, "springlength is %g .. %g; expected it to rise", rest[0],
                     rest[1]);
    return;
  }
  if (k != 0) {
    add_spring(m, t, k, rest[0], rest[1]);
  }
  if (c != 0) {
    add_damper(m, t, c);
  }
}

void cardan__mjcf_build_tendons(cardan__mjcf *m)
{
  if (m->n.tendon > 0 && !read_springs(m)) {
    return;
  }
  for (int i = 0; i < m->n.tendon && m->spec->status == CARDAN_OK; i++) {
    build_tendon(m, &m->tendon[i]);
  }
}
