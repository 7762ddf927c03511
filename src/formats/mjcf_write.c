// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"
#include "formats/mjcf_write.h"
#include "formats/xml_write.h"
#include "model/elements.h"
#include "spatial/rotation.h"
#include "spatial/twist.h"

/* Writes a spec as MJCF, or says what of it such a file cannot hold. Links (xml_write.h) are
 * bodies, each in the one that it hangs on; a joint of several coordinates is its hinges and
 * slides, of their names; ends of loops are sites. */

enum { DEEPEST = 490, DOFS = 3 };

/* What acts along a hinge or slide. */
typedef struct {
  double damping, stiffness, springref, frictionloss, armature;
} dof;

typedef struct {
  const cardan_spec *spec;
  cardan__text *out;
  cardan_report *report;
  cardan__xml_part *part; // of each frame
  int *child, *next;      // of a link: the first that hangs on it, the next beside it; -1: none
  dof *dof;               // DOFS of each frame
  bool *site;             // frames that are sites
  double *work;
  cardan__contacts_found found; // which solids touch
} writer;

static cardan_status refuse(const writer *w, cardan_pos pos, const char *what)
{
  return cardan_fail(w->report, CARDAN_ERR_UNSUPPORTED, pos, "an MJCF file cannot hold %s", what);
}

/* ---- what a file can hold ---- */

/* Is it a chain of hinges and slides? */
static bool is_chain(cardan_joint_kind kind)
{
  const cardan__joint_type *type = cardan__joint_type_of(kind);
  bool chain = true;
  for (int i = 0; i < type->npart; i++) {
    chain = chain && (type->part[i].link == CARDAN_LINK_REVOLUTE ||
                      type->part[i].link == CARDAN_LINK_PRISMATIC);
  }
  return chain;
}

/* The place for what acts along a coordinate; NULL: it is none of a hinge or slide. */
static dof *dof_of(const writer *w, const char *var)
{
  const cardan__var_ref ref =
      var != NULL ? cardan__spec_find_var(w->spec, var) : (cardan__var_ref){.frame = -1};
  return ref.frame > 0 && ref.q >= 0 && ref.q < DOFS &&
                 is_chain(cardan__spec_joint_kind(w->spec, ref.frame))
             ? &w->dof[DOFS * ref.frame + ref.q]
             : NULL;
}

static bool is_identity(const cardan_xform *T)
{
  return T->p.x == 0 && T->p.y == 0 && T->p.z == 0 && T->R.m[0][0] == 1 && T->R.m[1][1] == 1 &&
         T->R.m[2][2] == 1;
}

static cardan_status check_frames(const writer *w)
{
  const cardan_spec *spec = w->spec;
  for (int i = 1; i < spec->nframe; i++) {
    const cardan__spec_frame *f = &spec->frame[i];
    if (!cardan__xml_moves(f)) {
      continue;
    }
    const cardan_joint_def def = cardan__xml_joint_of(spec, f);
    const bool at_world = w->part[f->parent].link == 0 && is_identity(&w->part[f->parent].T);
    if (f->kinematic || def.restitution != 0 ||
        (def.kind == CARDAN_JOINT_FREE
             ? !at_world
             : def.kind != CARDAN_JOINT_SPHERICAL && !is_chain(def.kind))) {
      char what[160];
      snprintf(what, sizeof what, "the %s joint \"%s\"%s",
               f->kinematic ? "kinematic" : cardan__joint_type_of(def.kind)->word,
               cardan__show(def.name).text,
               def.kind == CARDAN_JOINT_FREE ? ", unless it is at the world's origin" : "");
      return refuse(w, f->pos, what);
    }
    if (def.has_limit && def.limit[0] == def.limit[1]) { // an empty range is none
      return refuse(w, f->pos, "a limit whose ends are the same");
    }
  }
  return CARDAN_OK;
}

/* Is the actuator a motor or a servo, with an input that no other has? */
static bool take_actuator(const writer *w, const cardan__spec_element *e)
{
  const cardan_spec *spec = w->spec;
  int users = 0;
  for (int i = 0; i < spec->nelement; i++) {
    const cardan__spec_element *other = &spec->element[i];
    users += other->kind == CARDAN_ELEMENT_ACTUATOR && strcmp(other->var[1], e->var[1]) == 0;
  }
  return users == 1 && dof_of(w, e->var[0]) != NULL;
}

static bool take_along(const writer *w, const cardan__spec_element *e)
{
  dof *d = dof_of(w, e->var[0]);
  if (d == NULL) {
    return false;
  }
  switch (e->kind) {
  case CARDAN_ELEMENT_DAMPING:
    d->damping += e->value[0];
    return true;
  case CARDAN_ELEMENT_DRY_FRICTION:
    d->frictionloss += e->value[0];
    return e->value[1] == 0;
  default: {
    const bool first = d->stiffness == 0;
    d->stiffness = e->value[0];
    d->springref = e->value[1];
    return first;
  }
  }
}

static bool take_sites(const writer *w, const cardan__spec_element *e)
{
  for (int k = 0; k < 2; k++) {
    w->site[cardan__spec_find_frame(w->spec, e->frame[k])] = true;
  }
  return true;
}

static cardan_status take_element(const writer *w, const cardan__spec_element *e)
{
  cardan__xml_pair pair;
  bool good = false;
  switch (e->kind) {
  case CARDAN_ELEMENT_DAMPING:
  case CARDAN_ELEMENT_DRY_FRICTION:
  case CARDAN_ELEMENT_JOINT_SPRING:
    good = take_along(w, e);
    break;
  case CARDAN_ELEMENT_EQUATION:
  case CARDAN_ELEMENT_GEAR:
  case CARDAN_ELEMENT_SCREW:
    good = cardan__xml_linear(e, w->work, &pair) && dof_of(w, pair.x) != NULL &&
           dof_of(w, pair.y) != NULL;
    break;
  case CARDAN_ELEMENT_COINCIDE:
  case CARDAN_ELEMENT_WELD:
    good = take_sites(w, e);
    break;
  case CARDAN_ELEMENT_ACTUATOR:
    good = take_actuator(w, e);
    break;
  default:
    break;
  }
  char what[64];
  snprintf(what, sizeof what, "this (%s ..)", cardan__element_word(e->kind));
  return good ? CARDAN_OK : refuse(w, e->pos, what);
}

static cardan_status check(const writer *w)
{
  const cardan_spec *spec = w->spec;
  cardan_status status = check_frames(w);
  for (int i = 0; i < spec->nelement && status == CARDAN_OK; i++) {
    status = take_element(w, &spec->element[i]);
  }
  for (int i = 0; i < spec->narmature && status == CARDAN_OK; i++) {
    dof *d = dof_of(w, spec->armature[i].q);
    if (d == NULL) {
      status = refuse(w, spec->armature[i].pos, "this (armature ..)");
    } else {
      d->armature = spec->armature[i].inertia;
    }
  }
  for (int i = 0; i < spec->ninput && status == CARDAN_OK; i++) {
    if (spec->input[i].def.value != 0) {
      status = refuse(w, spec->input[i].pos, "the value of this (input ..)");
    }
  }
  if (status == CARDAN_OK && spec->ninitial > 0) {
    status = refuse(w, spec->initial[0].pos, "a start, (initial ..)");
  }
  cardan_pos pos;
  const char *what = cardan__xml_find_unwritable(spec, &pos);
  return status == CARDAN_OK && what != NULL ? refuse(w, pos, what) : status;
}

/* ---- bodies ---- */

static void put_pose(const writer *w, const cardan_xform *T)
{
  const cardan_quat q = cardan_quat_from_mat3(&T->R);
  const double pos[3] = {T->p.x, T->p.y, T->p.z}, quat[4] = {q.w, q.x, q.y, q.z};
  cardan__xml_put_numbers(w->out, "pos", pos, 3);
  if (q.x != 0 || q.y != 0 || q.z != 0) { // w of a small turn is 1
    cardan__xml_put_numbers(w->out, "quat", quat, 4);
  }
}

static void put_number(const writer *w, const char *name, double value)
{
  if (value != 0) {
    cardan__xml_put_numbers(w->out, name, &value, 1);
  }
}

static void put_hinge(const writer *w, int frame, const cardan_joint_def *def, int part)
{
  const cardan__joint_type *type = cardan__joint_type_of(def->kind);
  const int q = type->part[part].coordinate;
  const dof *d = &w->dof[DOFS * frame + q];
  const cardan__part_axis from = type->part[part].axis;
  const cardan_vec3 a =
      from == CARDAN__PART_AXIS ? def->axis
      : from == CARDAN__PART_AXIS2
          ? def->axis2
          : (cardan_vec3){from == CARDAN__PART_X, from == CARDAN__PART_Y, from == CARDAN__PART_Z};
  const double axis[3] = {a.x, a.y, a.z};
  char name[CARDAN__NAME_MAX + 16];
  snprintf(name, sizeof name, "%s%s", def->name, type->q_suffix[q]);
  cardan__text_printf(w->out, "<joint");
  cardan__xml_put_text(w->out, "name", name);
  cardan__xml_put_text(w->out, "type",
                       type->part[part].link == CARDAN_LINK_REVOLUTE ? "hinge" : "slide");
  cardan__xml_put_numbers(w->out, "axis", axis, 3);
  if (def->has_limit) {
    cardan__xml_put_numbers(w->out, "range", def->limit, 2);
  }
  put_number(w, "damping", d->damping);
  put_number(w, "stiffness", d->stiffness);
  put_number(w, "springref", d->springref);
  put_number(w, "frictionloss", d->frictionloss);
  put_number(w, "armature", d->armature);
  cardan__text_printf(w->out, "/>\n");
}

static void put_joints(const writer *w, int frame)
{
  const cardan__spec_frame *f = &w->spec->frame[frame];
  if (!cardan__xml_moves(f)) {
    return;
  }
  const cardan_joint_def def = cardan__xml_joint_of(w->spec, f);
  if (def.kind == CARDAN_JOINT_FREE || def.kind == CARDAN_JOINT_SPHERICAL) {
    cardan__text_printf(w->out, "<joint");
    cardan__xml_put_text(w->out, "name", def.name);
    cardan__xml_put_text(w->out, "type", def.kind == CARDAN_JOINT_FREE ? "free" : "ball");
    cardan__text_printf(w->out, "/>\n");
    return;
  }
  for (int i = 0; i < cardan__joint_type_of(def.kind)->npart; i++) {
    put_hinge(w, frame, &def, i);
  }
}

/* A mass in its link's axes: R I R^T, since a full tensor has no orientation. */
static void put_inertial(const writer *w, int frame)
{
  const cardan_mass *m = &w->spec->frame[frame].mass;
  const cardan_xform *T = &w->part[frame].T;
  const cardan_mat3 I = {{{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}}};
  const cardan_mat3 RI = cardan__mat3_mul(&T->R, &I), J = cardan__mat3_mult(&RI, &T->R);
  const double pos[3] = {T->p.x, T->p.y, T->p.z};
  const double full[6] = {J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]};
  cardan__text_printf(w->out, "<inertial");
  cardan__xml_put_numbers(w->out, "pos", pos, 3);
  cardan__xml_put_numbers(w->out, "mass", &m->m, 1);
  cardan__xml_put_numbers(w->out, "fullinertia", full, 6);
  cardan__text_printf(w->out, "/>\n");
}

/* Halves of a shape's sizes, but for radii and semi-axes; how many the format has. */
static int sizes_of(const cardan_shape *shape, double size[3])
{
  static const int n[] = {
      [CARDAN_SHAPE_BOX] = 3,         [CARDAN_SHAPE_SPHERE] = 1, [CARDAN_SHAPE_CYLINDER] = 2,
      [CARDAN_SHAPE_CAPSULE] = 2,     [CARDAN_SHAPE_MESH] = 0,   [CARDAN_SHAPE_ELLIPSOID] = 3,
      [CARDAN_SHAPE_POINT] = 0,       [CARDAN_SHAPE_PLANE] = 3,  [CARDAN_SHAPE_HULL] = 0,
      [CARDAN_SHAPE_HEIGHT_FIELD] = 0};
  for (int i = 0; i < 3; i++) {
    const bool whole =
        shape->kind == CARDAN_SHAPE_ELLIPSOID || (i == 0 && shape->kind != CARDAN_SHAPE_BOX);
    size[i] = whole ? shape->size[i] : shape->size[i] / 2;
    size[i] = shape->kind == CARDAN_SHAPE_PLANE ? i == 2 : size[i]; // without end
  }
  return n[shape->kind];
}

/* A shape, or a solid, which touches only what <pair>s say. */
static void put_geom(const writer *w, int frame, int index)
{
  static const char *const words[] = {"box",       "sphere", "cylinder", "capsule", NULL,
                                      "ellipsoid", NULL,     "plane",    "mesh",    "hfield"};
  const cardan__spec_shape *s = &w->spec->shape[index];
  const cardan_shape *shape = &s->shape;
  double rgba[4], size[3];
  if (words[shape->kind] == NULL) {
    return;
  }
  const int n = sizes_of(shape, size);
  cardan__text_printf(w->out, "<geom");
  if (s->solid) {
    cardan__xml_put_made(w->out, "name", w->spec, "solid", index + 1);
  }
  cardan__xml_put_text(w->out, "type", words[shape->kind]);
  if (n > 0) {
    cardan__xml_put_numbers(w->out, "size", size, n);
  } else if (s->field != NULL) {
    cardan__xml_put_made(w->out, "hfield", w->spec, "hfield", index + 1);
  } else {
    cardan__xml_put_made(w->out, "mesh", w->spec, "hull", index + 1);
  }
  cardan_xform T = w->part[frame].T;
  if (s->field != NULL) { // 0 is its lowest place
    T.p = cardan__xform_point(&T, cardan__vec3(0, 0, shape->size[2] * s->field->low));
  }
  put_pose(w, &T);
  cardan__text_printf(w->out, " mass=\"0\" contype=\"0\" conaffinity=\"0\"%s",
                      shape->hidden ? " group=\"3\"" : "");
  if (cardan__xml_rgba(w->spec->frame[frame].color, rgba)) {
    cardan__xml_put_numbers(w->out, "rgba", rgba, 4);
  }
  cardan__text_printf(w->out, "/>\n");
}

/* What is in a link, but for those that hang on it. */
static void put_contents(const writer *w, int link)
{
  const cardan_spec *spec = w->spec;
  for (int f = link; f >= 0; f = w->part[f].next) {
    if (spec->frame[f].has_mass && link > 0) {
      put_inertial(w, f);
    }
    for (int s = spec->frame[f].shape; s >= 0; s = spec->shape[s].next) {
      put_geom(w, f, s);
    }
    if (w->site[f]) {
      cardan__text_printf(w->out, "<site");
      cardan__xml_put_made(w->out, "name", spec, "site", f + 1);
      put_pose(w, &w->part[f].T);
      cardan__text_printf(w->out, "/>\n");
    }
  }
}

static void open_body(const writer *w, int frame)
{
  const cardan__spec_frame *f = &w->spec->frame[frame];
  const cardan_xform own = cardan__spec_fixed(f),
                     T = cardan__xform_mul(&w->part[f->parent].T, &own);
  const char *name = cardan__spec_frame_name(w->spec, frame);
  cardan__text_printf(w->out, "<body");
  if (name != NULL) {
    cardan__xml_put_text(w->out, "name", name);
  } else {
    cardan__xml_put_made(w->out, "name", w->spec, "body", frame);
  }
  put_pose(w, &T);
  cardan__text_printf(w->out, ">\n");
  put_joints(w, frame);
  put_contents(w, frame);
}

/* Bodies in bodies, in the order of the frames, without recursion: a chain may be long. */
static cardan_status put_bodies(const writer *w)
{
  const cardan_spec *spec = w->spec;
  int at = 0, depth = 0;
  for (;;) {
    if (w->child[at] >= 0) {
      at = w->child[at];
      depth++;
    } else {
      while (at > 0 && w->next[at] < 0) {
        cardan__text_printf(w->out, "</body>\n");
        at = w->part[spec->frame[at].parent].link;
        depth--;
      }
      if (at == 0) {
        return CARDAN_OK;
      }
      cardan__text_printf(w->out, "</body>\n");
      at = w->next[at];
    }
    if (depth > DEEPEST) {
      return refuse(w, spec->frame[at].pos, "as many bodies one below the other");
    }
    open_body(w, at);
  }
}

/* ---- between bodies ---- */

static void put_equality(const writer *w, const cardan__spec_element *e)
{
  cardan__xml_pair pair;
  if (e->kind == CARDAN_ELEMENT_COINCIDE || e->kind == CARDAN_ELEMENT_WELD) {
    cardan__text_printf(w->out, e->kind == CARDAN_ELEMENT_WELD ? "<weld" : "<connect");
    for (int k = 0; k < 2; k++) {
      const int f = cardan__spec_find_frame(w->spec, e->frame[k]);
      cardan__xml_put_made(w->out, k == 0 ? "site1" : "site2", w->spec, "site", f + 1);
    }
  } else if ((int)e->kind < CARDAN_NCONSTRAINT_KIND && cardan__xml_linear(e, w->work, &pair)) {
    const double polycoef[5] = {pair.offset, pair.factor, 0, 0, 0};
    cardan__text_printf(w->out, "<joint");
    cardan__xml_put_text(w->out, "joint1", pair.x);
    cardan__xml_put_text(w->out, "joint2", pair.y);
    cardan__xml_put_numbers(w->out, "polycoef", polycoef, 5);
  } else {
    return;
  }
  cardan__text_printf(w->out, "/>\n");
}

/* force on q = gear clamp(u) or gear clamp(kp (u - gear q) - kv gear v) */
static void put_actuator(const writer *w, const cardan__spec_element *e)
{
  const double gear = e->value[0] != 0 ? e->value[0] : 1;
  const bool servo = e->value[1] != 0 || e->value[2] != 0;
  cardan__text_printf(w->out, servo ? "<position" : "<motor");
  cardan__xml_put_text(w->out, "name", e->var[1]);
  cardan__xml_put_text(w->out, "joint", e->var[0]);
  cardan__xml_put_numbers(w->out, "gear", &gear, 1);
  if (servo) {
    cardan__xml_put_numbers(w->out, "kp", &e->value[1], 1);
    cardan__xml_put_numbers(w->out, "kv", &e->value[2], 1);
  }
  for (int i = 0; i < w->spec->ninput; i++) {
    const cardan_input_def *u = &w->spec->input[i].def;
    if (u->has_limit && strcmp(u->name, e->var[1]) == 0) {
      cardan__xml_put_numbers(w->out, "ctrlrange", u->limit, 2);
    }
  }
  if (e->value[3] < e->value[4]) {
    cardan__xml_put_numbers(w->out, "forcerange", &e->value[3], 2);
  }
  cardan__text_printf(w->out, "/>\n");
}

static cardan_status put_model(const writer *w)
{
  const cardan_spec *spec = w->spec;
  const double gravity[3] = {spec->gravity.x, spec->gravity.y, spec->gravity.z};
  cardan__text_printf(w->out, "<mujoco");
  cardan__xml_put_text(w->out, "model", spec->name[0] != '\0' ? spec->name : "model");
  cardan__text_printf(w->out, ">\n<compiler angle=\"radian\" autolimits=\"true\" "
                              "inertiafromgeom=\"false\"/>\n<option");
  cardan__xml_put_numbers(w->out, "gravity", gravity, 3);
  cardan__text_printf(w->out, "/>\n");
  if (spec->nsolid > 0) {
    cardan__mjcf_put_hulls(spec, w->out);
  }
  cardan__text_printf(w->out, "<worldbody>\n");
  put_contents(w, 0);
  const cardan_status status = put_bodies(w);
  cardan__text_printf(w->out, "</worldbody>\n<equality>\n");
  for (int i = 0; i < spec->nelement; i++) {
    put_equality(w, &spec->element[i]);
  }
  cardan__text_printf(w->out, "</equality>\n<actuator>\n");
  for (int i = 0; i < spec->nelement; i++) {
    if (spec->element[i].kind == CARDAN_ELEMENT_ACTUATOR) {
      put_actuator(w, &spec->element[i]);
    }
  }
  cardan__text_printf(w->out, "</actuator>\n");
  if (w->found.npair > 0) {
    cardan__mjcf_put_pairs(spec, &w->found, w->out);
  }
  cardan__text_printf(w->out, "</mujoco>\n");
  return status;
}

/* Makes the list of child links of each link, in order. */
static void list_children(const writer *w)
{
  const cardan_spec *spec = w->spec;
  for (int i = 0; i < spec->nframe; i++) {
    w->child[i] = w->next[i] = -1;
  }
  for (int i = spec->nframe - 1; i > 0; i--) {
    if (w->part[i].link == i) {
      const int up = w->part[spec->frame[i].parent].link;
      w->next[i] = w->child[up];
      w->child[up] = i;
    }
  }
}

cardan_status cardan__mjcf_write(const cardan_spec *spec, cardan__text *out, cardan_report *report)
{
  cardan__arena arena;
  const size_t n = (size_t)spec->nframe;
  writer w = {.spec = spec, .out = out, .report = report};
  cardan__arena_init(&arena, spec->allocator);
  w.part = cardan__arena_take(&arena, n, sizeof *w.part);
  w.child = cardan__arena_take(&arena, n, sizeof *w.child);
  w.next = cardan__arena_take(&arena, n, sizeof *w.next);
  w.dof = cardan__arena_take(&arena, DOFS * n, sizeof *w.dof);
  w.site = cardan__arena_take(&arena, n, sizeof *w.site);
  w.work = cardan__arena_take(&arena, cardan__xml_linear_work(spec), sizeof *w.work);
  cardan_status status = CARDAN_OK;
  if (w.part == NULL || w.child == NULL || w.next == NULL || w.dof == NULL || w.site == NULL ||
      w.work == NULL) {
    status = cardan__no_memory(report);
  } else {
    cardan__xml_links(spec, w.part);
    list_children(&w);
    status = check(&w);
    if (status == CARDAN_OK) {
      status = cardan__contacts_find(spec, spec->allocator, &w.found, report);
      status = status == CARDAN_OK ? cardan__mjcf_check_contacts(spec, &w.found, report) : status;
    }
    status = status == CARDAN_OK ? put_model(&w) : status;
    cardan__contacts_free(&w.found, spec->allocator);
  }
  cardan__arena_free(&arena);
  return status;
}
