// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Keyframes. A hinge or slide has q = qpos - ref; a free joint's velocity is that of the origin in
 * world axes and then the angular one in body axes, where the spec has the body twist. */

static const struct {
  int nq, nv;
} sizes[] = {[CARDAN__MJCF_FREE] = {7, 6},
             [CARDAN__MJCF_BALL] = {4, 3},
             [CARDAN__MJCF_SLIDE] = {1, 1},
             [CARDAN__MJCF_HINGE] = {1, 1}};

/* The n numbers of an attribute in the arena; NULL: it is not there, or a failure. */
static double *numbers_of(cardan__mjcf *m, cardan__xml *xml, const char *attribute, int n)
{
  const char *text = cardan__xml_get(xml, attribute);
  if (text == NULL) {
    return NULL;
  }
  double *value = cardan__arena_take(&m->spec->arena, (size_t)n, sizeof *value);
  if (cardan__spec_memory(m->spec, value != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY) &&
      cardan__xml_numbers(text, value, n) != n) {
    cardan__xml_fail(m->spec, xml, "%s of the keyframe has not the %d numbers of this model",
                     attribute, n);
  }
  return value;
}

/* Where a joint is as drawn. */
static void drawn(const cardan__mjcf *m, const cardan__mjcf_joint *j, double *q)
{
  const cardan_xform *T = &m->body[j->body].pose;
  const cardan_quat turn = cardan_quat_from_mat3(&T->R);
  const double pose[7] = {T->p.x, T->p.y, T->p.z, turn.w, turn.x, turn.y, turn.z};
  q[0] = j->kind == CARDAN__MJCF_BALL;
  if (j->kind == CARDAN__MJCF_FREE) {
    memcpy(q, pose, sizeof pose);
  }
}

/* A joint's part of qpos and qvel, either of which may be NULL. */
static cardan_initial start_of(const cardan__mjcf *m, const cardan__mjcf_joint *j, const double *q,
                               const double *v)
{
  const int nq = sizes[j->kind].nq, nv = sizes[j->kind].nv;
  cardan_initial start = {.var = j->name, .nvalue = nq};
  drawn(m, j, start.value);
  if (q != NULL) {
    memcpy(start.value, q, (size_t)nq * sizeof *q);
    start.value[0] -= j->ref;
  }
  if (v != NULL) {
    start.nvelocity = nv;
    memcpy(start.velocity, v, (size_t)nv * sizeof *v);
  }
  if (v != NULL && j->kind == CARDAN__MJCF_FREE) {
    const cardan_quat turn = {start.value[3], start.value[4], start.value[5], start.value[6]};
    const cardan_vec3 fast = {v[0], v[1], v[2]};
    const cardan_vec3 own =
        cardan__quat_norm(turn) > 0
            ? cardan_quat_rotate(cardan__quat_conj(cardan__quat_normalize(turn)), fast)
            : fast;
    const double twist[6] = {v[3], v[4], v[5], own.x, own.y, own.z};
    memcpy(start.velocity, twist, sizeof twist);
  }
  return start;
}

static void add_key(cardan__mjcf *m, cardan__xml *xml, int number)
{
  char made[24];
  int nq = 0, nv = 0, n = 0;
  const char *name = cardan__xml_get(xml, "name");
  for (int i = 0; i < m->n.joint; i++) {
    nq += sizes[m->joint[i].kind].nq;
    nv += sizes[m->joint[i].kind].nv;
  }
  const double *q = numbers_of(m, xml, "qpos", nq), *v = numbers_of(m, xml, "qvel", nv);
  const double *u = numbers_of(m, xml, "ctrl", m->n.act);
  cardan_initial *start =
      cardan__arena_take(&m->spec->arena, (size_t)m->n.joint + (size_t)m->n.act, sizeof *start);
  if (start == NULL) {
    cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
    return;
  }
  nq = nv = 0;
  for (int i = 0; i < m->n.joint; i++) {
    const cardan__mjcf_joint *j = &m->joint[i];
    start[n++] = start_of(m, j, q != NULL ? q + nq : NULL, v != NULL ? v + nv : NULL);
    nq += sizes[j->kind].nq;
    nv += sizes[j->kind].nv;
  }
  for (int i = 0; i < m->n.act && u != NULL; i++) {
    start[n++] = (cardan_initial){.input = m->act[i].input, .nvalue = 1, .value = {u[i]}};
  }
  snprintf(made, sizeof made, "key%d", number);
  cardan__xml_at(m->spec, xml);
  cardan_spec_keyframe(m->spec, name != NULL && name[0] != '\0' ? name : made, start, n);
}

void cardan__mjcf_build_keys(cardan__mjcf *m)
{
  int number = 0;
  for (cardan__xml *s = cardan__xml_child(m->root, "keyframe"); s;
       s = cardan__xml_next(s, "keyframe")) {
    for (cardan__xml *e = cardan__xml_child(s, "key"); e && m->spec->status == CARDAN_OK;
         e = cardan__xml_next(e, "key")) {
      add_key(m, e, ++number);
    }
  }
}
