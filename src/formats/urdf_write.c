// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/urdf.h"
#include "formats/xml_write.h"
#include "model/elements.h"
#include "spatial/rotation.h"
#include "spatial/twist.h"

/* Writes a spec as URDF, or says what of it such a file cannot hold.
 *
 * Links are those of xml_write.h; the world is the root. */

/* Properties of a joint, by its frame. */
typedef struct {
  bool driven; // it has a <transmission>
  int leader;  // frame of the joint that it mimics, -1: none
  double factor, offset;
  double damping, friction;
} joint_part;

typedef struct {
  const cardan_spec *spec;
  cardan__text *out;
  cardan_report *report;
  cardan__xml_part *part; // of each frame, as the next
  joint_part *joint;
  double *work;
} writer;

static cardan_status refuse(const writer *w, cardan_pos pos, const char *what)
{
  return cardan_fail(w->report, CARDAN_ERR_UNSUPPORTED, pos, "a URDF file cannot hold %s", what);
}

/* ---- words ---- */

/* A link's name: that of its frame, or one that is made. */
static void put_link(const writer *w, const char *name, int frame)
{
  const char *given = frame > 0 ? cardan__spec_frame_name(w->spec, frame) : NULL;
  if (given != NULL) {
    cardan__xml_put_text(w->out, name, given);
  } else {
    cardan__xml_put_made(w->out, name, w->spec, frame > 0 ? "frame" : "world", frame);
  }
}

/* Roll, pitch and yaw of R = Rz(y) Ry(p) Rx(r); with p = +-pi/2, of all r and y that with y = 0. */
static void to_rpy(const cardan_mat3 *R, double rpy[3])
{
  const double c = hypot(R->m[0][0], R->m[1][0]);
  rpy[1] = atan2(-R->m[2][0], c);
  if (c > 1e-12) {
    rpy[0] = atan2(R->m[2][1], R->m[2][2]);
    rpy[2] = atan2(R->m[1][0], R->m[0][0]);
  } else {
    rpy[0] = atan2(-R->m[1][2], R->m[1][1]);
    rpy[2] = 0;
  }
}

/* alone: the frame whose own place T is, for the digits as they were written; -1: none. */
static void put_origin(const writer *w, const cardan_xform *T, int alone)
{
  const cardan__spec_frame *f = alone >= 0 ? &w->spec->frame[alone] : NULL;
  const double xyz[3] = {T->p.x, T->p.y, T->p.z};
  double rpy[3];
  to_rpy(&T->R, rpy);
  if (f != NULL && f->form == CARDAN__FORM_PLACE && f->rotation >= 0 &&
      w->spec->rotation[f->rotation].form == CARDAN__ROT_RPY) {
    memcpy(rpy, w->spec->rotation[f->rotation].value, sizeof rpy);
  }
  cardan__text_printf(w->out, "<origin");
  cardan__xml_put_numbers(w->out, "xyz", xyz, 3);
  cardan__xml_put_numbers(w->out, "rpy", rpy, 3);
  cardan__text_printf(w->out, "/>");
}

/* The place of a frame in its link. */
static void put_place(const writer *w, int frame)
{
  const cardan__xml_part *p = &w->part[frame];
  put_origin(w, &p->T, w->spec->frame[frame].parent == p->link ? frame : -1);
}

/* ---- what a file cannot hold ---- */

/* The joint frame of a coordinate that is all of its joint; -1: none. */
static int scalar_frame(const cardan_spec *spec, const char *var)
{
  const cardan__var_ref ref = cardan__spec_find_var(spec, var);
  const char *whole = ref.frame > 0 ? cardan__spec_var_name(spec, ref.frame) : NULL;
  return whole != NULL && ref.q >= 0 && strcmp(whole, var) == 0 ? ref.frame : -1;
}

/* Adds the coupling follower = factor leader + offset; false: it follows another one, or itself. */
static bool add_mimic(const writer *w, const char *follower, const char *leader, double factor,
                      double offset)
{
  const int f = scalar_frame(w->spec, follower), l = scalar_frame(w->spec, leader);
  bool round = f < 0 || l < 0 || w->joint[f].leader >= 0;
  for (int at = l; at >= 0 && !round; at = w->joint[at].leader) {
    round = at == f;
  }
  if (!round) {
    w->joint[f].leader = l;
    w->joint[f].factor = factor;
    w->joint[f].offset = offset;
  }
  return !round;
}

/* A motor as a <transmission>: driven by an input of the joint's name, its limit the effort. */
static bool is_transmission(const cardan_spec *spec, const cardan__spec_element *e)
{
  const int frame = scalar_frame(spec, e->var[0]);
  if (frame < 0 || spec->frame[frame].joint < 0 || e->value[1] != 0 || e->value[2] != 0 ||
      strcmp(e->var[0], e->var[1]) != 0) {
    return false;
  }
  const double gear = e->value[0] != 0 ? fabs(e->value[0]) : 1;
  const double most = spec->joint[spec->frame[frame].joint].effort / gear;
  return e->value[3] == -most && e->value[4] == most;
}

/* Adds up what acts along a joint; false: not on one that a file can say it of. */
static bool take_force(const writer *w, const cardan__spec_element *e)
{
  const int frame = e->var[0] != NULL ? scalar_frame(w->spec, e->var[0]) : -1;
  if (frame < 0 || (e->kind == CARDAN_ELEMENT_DRY_FRICTION && e->value[1] != 0)) {
    return false;
  }
  joint_part *p = &w->joint[frame];
  *(e->kind == CARDAN_ELEMENT_DAMPING ? &p->damping : &p->friction) += e->value[0];
  return true;
}

static bool take_motor(const writer *w, const cardan__spec_element *e)
{
  if (!is_transmission(w->spec, e)) {
    return false;
  }
  joint_part *p = &w->joint[scalar_frame(w->spec, e->var[0])];
  const bool first = !p->driven;
  p->driven = true;
  return first;
}

static cardan_status take_element(const writer *w, const cardan__spec_element *e)
{
  cardan__xml_pair c;
  bool good = false;
  switch (e->kind) {
  case CARDAN_ELEMENT_DAMPING:
  case CARDAN_ELEMENT_DRY_FRICTION:
    good = take_force(w, e);
    break;
  case CARDAN_ELEMENT_EQUATION:
  case CARDAN_ELEMENT_GEAR:
  case CARDAN_ELEMENT_SCREW:
    good = cardan__xml_linear(e, w->work, &c) &&
           (add_mimic(w, c.x, c.y, c.factor, c.offset) ||
            (c.factor != 0 && add_mimic(w, c.y, c.x, 1 / c.factor, -c.offset / c.factor)));
    break;
  case CARDAN_ELEMENT_ACTUATOR:
    good = take_motor(w, e);
    break;
  default:
    break;
  }
  char what[64];
  snprintf(what, sizeof what, "this (%s ..)", cardan__element_word(e->kind));
  return good ? CARDAN_OK : refuse(w, e->pos, what);
}

/* Is it one of the words of URDF's joints? */
static bool joint_fits(const cardan_spec *spec, const cardan__spec_frame *f)
{
  if (f->joint < 0) {
    return !f->kinematic;
  }
  switch (spec->joint[f->joint].kind) {
  case CARDAN_JOINT_FIXED:
  case CARDAN_JOINT_REVOLUTE:
  case CARDAN_JOINT_PRISMATIC:
  case CARDAN_JOINT_PLANAR:
  case CARDAN_JOINT_FREE:
    return spec->joint[f->joint].restitution == 0;
  default:
    return false;
  }
}

static cardan_status check_frames(const writer *w)
{
  const cardan_spec *spec = w->spec;
  for (int i = 1; i < spec->nframe; i++) {
    const cardan__spec_frame *f = &spec->frame[i];
    if (cardan__xml_moves(f) && !joint_fits(spec, f)) {
      char what[96];
      snprintf(what, sizeof what, "the %s joint \"%s\"",
               f->joint < 0 ? "kinematic" : cardan__joint_type_of(spec->joint[f->joint].kind)->word,
               cardan__show(cardan__spec_var_name(spec, i)).text);
      return refuse(w, f->pos, what);
    }
  }
  return CARDAN_OK;
}

/* Every input is that of a motor, with no value or limit of its own. */
static cardan_status check_inputs(const writer *w)
{
  const cardan_spec *spec = w->spec;
  for (int i = 0; i < spec->ninput; i++) {
    const cardan__spec_input *u = &spec->input[i];
    const int frame = scalar_frame(spec, u->def.name);
    if (frame < 0 || !w->joint[frame].driven || u->def.value != 0 || u->def.has_limit) {
      return refuse(w, u->pos, "this (input ..)");
    }
  }
  return CARDAN_OK;
}

static cardan_status check(const writer *w)
{
  const cardan_spec *spec = w->spec;
  const cardan_vec3 g = spec->gravity;
  cardan_status status = CARDAN_OK;
  if (g.x != 0 || g.y != 0 || g.z != -9.81) {
    return refuse(w, spec->gravity_pos, "a gravity other than (gravity 0 0 -9.81), which it means");
  }
  status = check_frames(w);
  for (int i = 0; i < spec->nelement && status == CARDAN_OK; i++) {
    status = take_element(w, &spec->element[i]);
  }
  for (int i = 0; i < spec->ninitial && status == CARDAN_OK; i++) {
    status = refuse(w, spec->initial[i].pos, "a start, (initial ..)");
  }
  if (status == CARDAN_OK && spec->narmature > 0) {
    status = refuse(w, spec->armature[0].pos, "(armature ..)");
  }
  cardan_pos pos;
  const char *what = cardan__xml_find_unwritable(spec, &pos);
  if (status == CARDAN_OK && what != NULL) {
    status = refuse(w, pos, what);
  }
  if (status == CARDAN_OK && spec->ncontact > 0) {
    status = refuse(w, spec->contact[0].pos, "(contact ..)");
  }
  return status == CARDAN_OK ? check_inputs(w) : status;
}

/* ---- links ---- */

static void put_inertial(const writer *w, int frame)
{
  const cardan_mass *m = &w->spec->frame[frame].mass;
  cardan__text_printf(w->out, "    <inertial>");
  put_place(w, frame);
  cardan__text_printf(w->out, "<mass");
  cardan__xml_put_numbers(w->out, "value", &m->m, 1);
  cardan__text_printf(w->out, "/>\n      <inertia");
  cardan__xml_put_numbers(w->out, "ixx", &m->xx, 1);
  cardan__xml_put_numbers(w->out, "ixy", &m->xy, 1);
  cardan__xml_put_numbers(w->out, "ixz", &m->xz, 1);
  cardan__xml_put_numbers(w->out, "iyy", &m->yy, 1);
  cardan__xml_put_numbers(w->out, "iyz", &m->yz, 1);
  cardan__xml_put_numbers(w->out, "izz", &m->zz, 1);
  cardan__text_printf(w->out, "/></inertial>\n");
}

static void put_geometry(const writer *w, int frame, const cardan_shape *shape)
{
  static const char *const words[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
  put_place(w, frame);
  cardan__text_printf(w->out, "<geometry><%s", words[shape->kind]);
  if (shape->kind == CARDAN_SHAPE_BOX) {
    cardan__xml_put_numbers(w->out, "size", shape->size, 3);
  } else if (shape->kind == CARDAN_SHAPE_MESH) {
    cardan__xml_put_text(w->out, "filename", shape->file);
    cardan__xml_put_numbers(w->out, "scale", shape->size, 3);
  } else {
    cardan__xml_put_numbers(w->out, "radius", shape->size, 1);
    if (shape->kind != CARDAN_SHAPE_SPHERE) {
      cardan__xml_put_numbers(w->out, "length", shape->size + 1, 1);
    }
  }
  cardan__text_printf(w->out, "/></geometry>");
}

/* What is seen, and what may touch; the format has no other shapes. */
static void put_shape(const writer *w, int frame, const cardan__spec_shape *s)
{
  const char *color = w->spec->frame[frame].color;
  double rgba[4];
  if (s->shape.kind > CARDAN_SHAPE_MESH) {
    return;
  }
  if (s->solid) {
    cardan__text_printf(w->out, "    <collision>");
    put_geometry(w, frame, &s->shape);
    cardan__text_printf(w->out, "</collision>\n");
  }
  if (s->shape.hidden) {
    return;
  }
  cardan__text_printf(w->out, "    <visual>");
  put_geometry(w, frame, &s->shape);
  if (cardan__xml_rgba(color, rgba)) {
    cardan__text_printf(w->out, "<material");
    cardan__xml_put_text(w->out, "name", color);
    cardan__text_printf(w->out, "><color");
    cardan__xml_put_numbers(w->out, "rgba", rgba, 4);
    cardan__text_printf(w->out, "/></material>");
  }
  cardan__text_printf(w->out, "</visual>\n");
}

/* Friction of a link's solids: that of the first material among them. */
static void put_friction(const writer *w, int link)
{
  const cardan_spec *spec = w->spec;
  for (int f = link; f >= 0; f = w->part[f].next) {
    for (int s = spec->frame[f].shape; s >= 0; s = spec->shape[s].next) {
      const char *material = spec->shape[s].solid ? spec->shape[s].material : NULL;
      const int i = material != NULL ? cardan__names_get(&spec->material_names, material) : -1;
      if (i >= 0 && spec->material[i].surface.has_friction) {
        cardan__text_printf(w->out, "  <gazebo");
        put_link(w, "reference", link);
        cardan__text_printf(w->out, "><mu1>");
        cardan__text_number(w->out, spec->material[i].surface.friction);
        cardan__text_printf(w->out, "</mu1></gazebo>\n");
        return;
      }
    }
  }
}

/* A link with the masses and shapes of all frames that are part of it. */
static void put_links(const writer *w)
{
  const cardan_spec *spec = w->spec;
  for (int i = 0; i < spec->nframe; i++) {
    if (w->part[i].link != i) {
      continue;
    }
    cardan__text_printf(w->out, "  <link");
    put_link(w, "name", i);
    cardan__text_printf(w->out, ">\n");
    for (int f = i; f >= 0; f = w->part[f].next) {
      if (spec->frame[f].has_mass) {
        put_inertial(w, f);
      }
      for (int s = spec->frame[f].shape; s >= 0; s = spec->shape[s].next) {
        put_shape(w, f, &spec->shape[s]);
      }
    }
    cardan__text_printf(w->out, "  </link>\n");
    put_friction(w, i);
  }
}

/* ---- joints ---- */

static const char *type_of(const cardan_joint_def *def)
{
  switch (def->kind) {
  case CARDAN_JOINT_REVOLUTE:
    return def->has_limit ? "revolute" : "continuous";
  case CARDAN_JOINT_PRISMATIC:
    return "prismatic";
  case CARDAN_JOINT_PLANAR:
    return "planar";
  case CARDAN_JOINT_FREE:
    return "floating";
  default:
    return "fixed";
  }
}

/* What is in a joint beside its place and its links. */
static void put_joint_parts(const writer *w, const joint_part *p, const cardan_joint_def *def)
{
  const double axis[3] = {def->axis.x, def->axis.y, def->axis.z}, across[3] = {0, 0, 1};
  if (def->kind != CARDAN_JOINT_FREE && def->kind != CARDAN_JOINT_FIXED) {
    cardan__text_printf(w->out, "<axis");
    cardan__xml_put_numbers(w->out, "xyz", def->kind == CARDAN_JOINT_PLANAR ? across : axis, 3);
    cardan__text_printf(w->out, "/>");
  }
  if (def->has_limit || def->effort > 0) {
    cardan__text_printf(w->out, "\n    <limit");
    if (def->has_limit) {
      cardan__xml_put_numbers(w->out, "lower", &def->limit[0], 1);
      cardan__xml_put_numbers(w->out, "upper", &def->limit[1], 1);
    }
    cardan__xml_put_numbers(w->out, "effort", &def->effort, 1);
    cardan__text_printf(w->out, "/>");
  }
  if (p->damping != 0 || p->friction != 0) {
    cardan__text_printf(w->out, "\n    <dynamics");
    cardan__xml_put_numbers(w->out, "damping", &p->damping, 1);
    cardan__xml_put_numbers(w->out, "friction", &p->friction, 1);
    cardan__text_printf(w->out, "/>");
  }
  if (p->leader >= 0) {
    cardan__text_printf(w->out, "\n    <mimic");
    cardan__xml_put_text(w->out, "joint", cardan__spec_var_name(w->spec, p->leader));
    cardan__xml_put_numbers(w->out, "multiplier", &p->factor, 1);
    cardan__xml_put_numbers(w->out, "offset", &p->offset, 1);
    cardan__text_printf(w->out, "/>");
  }
}

/* The joint that carries the link of a frame. */
static void put_joint(const writer *w, int frame)
{
  const cardan_spec *spec = w->spec;
  const cardan__spec_frame *f = &spec->frame[frame];
  const cardan__xml_part *up = &w->part[f->parent];
  const bool moving = cardan__xml_moves(f);
  cardan__text_printf(w->out, "  <joint");
  if (moving) {
    const cardan_joint_def def = cardan__xml_joint_of(spec, f);
    cardan__xml_put_text(w->out, "name", def.name);
    cardan__xml_put_text(w->out, "type", type_of(&def));
  } else {
    cardan__xml_put_made(w->out, "name", spec, "fixed", frame);
    cardan__xml_put_text(w->out, "type", "fixed");
  }
  cardan__text_printf(w->out, "><parent");
  put_link(w, "link", up->link);
  cardan__text_printf(w->out, "/><child");
  put_link(w, "link", frame);
  cardan__text_printf(w->out, "/>\n    ");
  const cardan_xform own = cardan__spec_fixed(f), T = cardan__xform_mul(&up->T, &own);
  const bool direct = moving ? spec->frame[f->parent].parent == up->link : f->parent == up->link;
  put_origin(w, &T, direct ? (moving ? f->parent : frame) : -1);
  if (moving) {
    const cardan_joint_def def = cardan__xml_joint_of(spec, f);
    put_joint_parts(w, &w->joint[frame], &def);
  }
  cardan__text_printf(w->out, "</joint>\n");
}

static void put_transmission(const writer *w, const cardan__spec_element *e)
{
  const double gear = e->value[0] != 0 ? e->value[0] : 1;
  cardan__text_printf(w->out, "  <transmission");
  cardan__xml_put_text(w->out, "name", e->name != NULL ? e->name : e->var[0]);
  cardan__text_printf(w->out,
                      "><type>transmission_interface/SimpleTransmission</type>\n    <joint");
  cardan__xml_put_text(w->out, "name", e->var[0]);
  cardan__text_printf(w->out, "/><actuator");
  cardan__xml_put_text(w->out, "name", e->var[1]);
  cardan__text_printf(w->out, "><mechanicalReduction>");
  cardan__text_number(w->out, gear);
  cardan__text_printf(w->out, "</mechanicalReduction></actuator></transmission>\n");
}

static void put_robot(const writer *w)
{
  const cardan_spec *spec = w->spec;
  cardan__text_printf(w->out, "<?xml version=\"1.0\"?>\n<robot");
  cardan__xml_put_text(w->out, "name", spec->name[0] != '\0' ? spec->name : "robot");
  cardan__text_printf(w->out, ">\n");
  put_links(w);
  for (int i = 1; i < spec->nframe; i++) {
    if (w->part[i].link == i) {
      put_joint(w, i);
    }
  }
  for (int i = 0; i < spec->nelement; i++) {
    if (spec->element[i].kind == CARDAN_ELEMENT_ACTUATOR) {
      put_transmission(w, &spec->element[i]);
    }
  }
  cardan__text_printf(w->out, "</robot>\n");
}

cardan_status cardan__urdf_write(const cardan_spec *spec, cardan__text *out, cardan_report *report)
{
  const size_t n = (size_t)spec->nframe;
  writer w = {.spec = spec, .out = out, .report = report};
  w.part = cardan__resize(spec->allocator, NULL, n * sizeof *w.part);
  w.joint = cardan__resize(spec->allocator, NULL, n * sizeof *w.joint);
  w.work = cardan__resize(spec->allocator, NULL, cardan__xml_linear_work(spec) * sizeof *w.work);
  cardan_status status = CARDAN_OK;
  if (w.part == NULL || w.joint == NULL || w.work == NULL) {
    status = cardan__no_memory(report);
  } else {
    for (size_t i = 0; i < n; i++) {
      w.joint[i] = (joint_part){.leader = -1};
    }
    cardan__xml_links(spec, w.part);
    status = check(&w);
    if (status == CARDAN_OK) {
      put_robot(&w);
    }
  }
  cardan__resize(spec->allocator, w.part, 0);
  cardan__resize(spec->allocator, w.joint, 0);
  cardan__resize(spec->allocator, w.work, 0);
  return status;
}
