// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Equalities, all exact: the soft ones of the format are so for its solver's sake.
 *   connect  a point of one body, and where it is in the other as drawn, coincide
 *   weld     the same of frames; relpose is the pose in body1 of a frame at the anchor of body2
 *   joint    q1 = a0 + a1 q2 + .. + a4 q2^4, from where they are drawn; one alone: q1 = a0
 *   tendon   the same of lengths */

/* A frame of its own in a body, with a name. */
static const char *add_frame(cardan__mjcf *m, const cardan__mjcf_item *item, int body,
                             const cardan_xform *pose)
{
  const char *name = cardan__xml_get(item->xml, "name");
  const char *label = cardan__mjcf_label(m, name != NULL ? name : item->xml->name, ".");
  cardan__xml_at(m->spec, item->xml);
  if (label != NULL) {
    cardan_spec_frame_name(m->spec, cardan_spec_place(m->spec, m->body[body].frame, pose), label);
  }
  return label;
}

static void add_pair(cardan__mjcf *m, const cardan__mjcf_item *item, cardan_element_kind kind,
                     const char *a, const char *b)
{
  if (a != NULL && b != NULL) {
    cardan__xml_at(m->spec, item->xml);
    cardan_spec_add(m->spec, &(cardan_element){.kind = kind, .frame = {a, b}});
  }
}

/* site1 and site2; false: the equality is not between sites, or a failure. */
static bool between_sites(cardan__mjcf *m, const cardan__mjcf_item *item, cardan_element_kind kind)
{
  const char *first = cardan__xml_get(item->xml, "site1");
  const char *second = cardan__xml_get(item->xml, "site2");
  if (first == NULL && second == NULL) {
    return false;
  }
  const int a = first ? cardan__mjcf_find(m, item->xml, "site", &m->sites, first) : -1;
  const int b = second ? cardan__mjcf_find(m, item->xml, "site", &m->sites, second) : -1;
  if (a >= 0 && b >= 0) {
    add_pair(m, item, kind, m->site[a].label, m->site[b].label);
  } else if (m->spec->status == CARDAN_OK) {
    cardan__xml_fail(m->spec, item->xml, "found one site; expected site1 and site2");
  }
  return true;
}

/* body1, and body2 or the world; false after a failure. */
static bool bodies_of(cardan__mjcf *m, const cardan__mjcf_item *item, int body[2])
{
  const char *first = cardan__xml_need(m->spec, item->xml, "body1");
  const char *second = cardan__xml_get(item->xml, "body2");
  body[0] = first ? cardan__mjcf_find(m, item->xml, "body", &m->bodies, first) : -1;
  body[1] = second ? cardan__mjcf_find(m, item->xml, "body", &m->bodies, second) : 0;
  if (body[0] >= 0 && body[0] == body[1]) {
    cardan__xml_fail(m->spec, item->xml, "found body \"%.60s\" at both ends; expected two bodies",
                     m->body[body[0]].name);
  }
  return m->spec->status == CARDAN_OK;
}

static void add_connect(cardan__mjcf *m, const cardan__mjcf_item *item)
{
  int body[2];
  double p[3] = {0};
  if (between_sites(m, item, CARDAN_ELEMENT_COINCIDE) || !bodies_of(m, item, body) ||
      cardan__xml_need(m->spec, item->xml, "anchor") == NULL ||
      !cardan__xml_values(m->spec, item->xml, "anchor", p, 3)) {
    return;
  }
  const cardan_xform *T = &m->body[body[0]].world;
  const cardan_vec3 text = {p[0], p[1], p[2]};
  const cardan_xform a = {.R = cardan__mat3_identity(),
                          .p = m->global ? cardan__xform_inv_point(T, text) : text};
  const cardan_vec3 world = cardan__xform_point(T, a.p);
  const cardan_xform b = {.R = cardan__mat3_identity(),
                          .p = cardan__xform_inv_point(&m->body[body[1]].world, world)};
  const char *first = add_frame(m, item, body[0], &a);
  add_pair(m, item, CARDAN_ELEMENT_COINCIDE, first, add_frame(m, item, body[1], &b));
}

static void add_weld(cardan__mjcf *m, const cardan__mjcf_item *item)
{
  int body[2];
  double v[7] = {0}, p[3] = {0};
  (void)cardan__mjcf_get(m, item, "torquescale");
  if (between_sites(m, item, CARDAN_ELEMENT_WELD) || !bodies_of(m, item, body) ||
      !cardan__xml_values(m->spec, item->xml, "relpose", v, 7) ||
      !cardan__xml_values(m->spec, item->xml, "anchor", p, 3)) {
    return;
  }
  const cardan_quat q = {v[3], v[4], v[5], v[6]};
  cardan_xform relative = cardan__xform_inv_mul(&m->body[body[0]].world, &m->body[body[1]].world);
  cardan_xform here = {.R = cardan__mat3_identity()};
  if (cardan__quat_norm(q) > 1e-14) {
    relative = cardan__xform_from_quat(cardan__quat_normalize(q), (cardan_vec3){v[0], v[1], v[2]});
    here.p = (cardan_vec3){p[0], p[1], p[2]};
  }
  const char *first = add_frame(m, item, body[0], &relative);
  add_pair(m, item, CARDAN_ELEMENT_WELD, first, add_frame(m, item, body[1], &here));
}

/* ---- equations ---- */

/* (- Y (* a1 X) .. a0), X, Y the expressions; x NULL: (- Y a0) */
static void add_equation(cardan__mjcf *m, const cardan__mjcf_item *item, const cardan__text *y,
                         const cardan__text *x)
{
  double a[5] = {0, 1, 0, 0, 0};
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  if (cardan__mjcf_some(m, item, "polycoef", a, 5) < 0 ||
      !cardan__spec_memory(m->spec,
                           y->failed || (x != NULL && x->failed) ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
    return;
  }
  cardan__text_printf(&text, "(- %s ", y->data);
  cardan__text_number(&text, a[0]);
  for (int i = 1; i < 5 && x != NULL; i++) {
    if (a[i] != 0) {
      cardan__text_printf(&text, " (* ");
      cardan__text_number(&text, a[i]);
      cardan__text_printf(&text, i == 1 ? " %s)" : " (^ %s %d))", x->data, i);
    }
  }
  cardan__text_printf(&text, ")");
  cardan__mjcf_add_expr(m, item->xml, &(cardan_element){.kind = CARDAN_ELEMENT_EQUATION}, &text);
}

/* The expression of a joint or tendon that an attribute names, 0 as drawn.
 * returns 1: it is there, 0: there is no such attribute, -1: failure */
static int put_end(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                   cardan__text *text)
{
  const bool joint = strcmp(item->xml->name, "joint") == 0;
  const char *name = cardan__xml_get(item->xml, attribute);
  if (name == NULL) {
    return 0;
  }
  const int i =
      cardan__mjcf_find(m, item->xml, item->xml->name, joint ? &m->joints : &m->tendons, name);
  if (i < 0) {
    return -1;
  }
  if (!joint) {
    const cardan__mjcf_tendon *t = &m->tendon[i];
    if (!cardan__mjcf_need_length(m, item->xml, t)) {
      return -1;
    }
    cardan__mjcf_put_length(m, text, t, -cardan__mjcf_length(m, t));
  } else if (m->joint[i].kind < CARDAN__MJCF_SLIDE) {
    cardan__xml_fail(m->spec, item->xml, "joint \"%.60s\" of an equality is no hinge or slide",
                     name);
    return -1;
  } else {
    cardan__mjcf_put_leaf(text, "q", m->joint[i].name);
  }
  return 1;
}

static void add_relation(cardan__mjcf *m, const cardan__mjcf_item *item)
{
  const bool joint = strcmp(item->xml->name, "joint") == 0;
  const char *const first = joint ? "joint1" : "tendon1", *const second =
                                                              joint ? "joint2" : "tendon2";
  cardan__text y, x;
  cardan__text_init(&y, m->spec->allocator);
  cardan__text_init(&x, m->spec->allocator);
  if (cardan__xml_need(m->spec, item->xml, first) != NULL && put_end(m, item, first, &y) == 1) {
    const int other = put_end(m, item, second, &x);
    if (other >= 0) {
      add_equation(m, item, &y, other == 1 ? &x : NULL);
    }
  }
  cardan__text_free(&y);
  cardan__text_free(&x);
}

static const struct {
  const char *word;
  void (*add)(cardan__mjcf *m, const cardan__mjcf_item *item);
} words[] = {{"connect", add_connect},
             {"weld", add_weld},
             {"joint", add_relation},
             {"tendon", add_relation}};
enum { WORDS = sizeof words / sizeof words[0] };

static void build_equality(cardan__mjcf *m, cardan__xml *xml)
{
  static const char *const on_off[] = {"false", "true"};
  for (int i = 0; i < WORDS; i++) {
    cardan__mjcf_item item;
    if (strcmp(xml->name, words[i].word) != 0 || !cardan__mjcf_open(m, xml, "equality", 0, &item)) {
      continue;
    }
    const int active = cardan__mjcf_word(m, &item, "active", on_off, 2, 1);
    (void)cardan__mjcf_get(m, &item, "solref");
    (void)cardan__mjcf_get(m, &item, "solimp");
    if (active == 1 && !m->off_equality) {
      cardan__mjcf_digits(m, &item);
      words[i].add(m, &item);
    } else if (active == 0 || m->off_equality) {
      cardan__xml_skip(xml);
    }
    (void)cardan__xml_get(xml, "name");
  }
}

void cardan__mjcf_build_equalities(cardan__mjcf *m)
{
  for (cardan__xml *s = cardan__xml_child(m->root, "equality"); s;
       s = cardan__xml_next(s, "equality")) {
    for (cardan__xml *e = s->child; e != NULL && m->spec->status == CARDAN_OK; e = e->next) {
      build_equality(m, e);
    }
  }
}
