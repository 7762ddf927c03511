// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Bodies into the spec. A body with joints j = 1 .. n at the places p_j in it is
 *   place(pose) place(p_1) joint_1 place(p_2 - p_1) joint_2 .. joint_n place(-p_n)
 * without mass between them; one with a free joint starts from the world, so that its coordinates
 * are those of the file. */

static const struct {
  cardan_joint_kind kind;
  const char *velocity[6];
  int nvelocity;
} joints[] = {
    [CARDAN__MJCF_FREE] = {CARDAN_JOINT_FREE, {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"}, 6},
    [CARDAN__MJCF_BALL] = {CARDAN_JOINT_SPHERICAL, {".wx", ".wy", ".wz"}, 3},
    [CARDAN__MJCF_SLIDE] = {CARDAN_JOINT_PRISMATIC, {""}, 1},
    [CARDAN__MJCF_HINGE] = {CARDAN_JOINT_REVOLUTE, {""}, 1},
};

/* An angle or a length, as the joint's coordinate has it. */
static double in_units(const cardan__mjcf *m, const cardan__mjcf_joint *j, double value)
{
  return j->kind == CARDAN__MJCF_SLIDE ? value : cardan__mjcf_angle(m, value);
}

static bool is_simple(const cardan__mjcf_joint *j)
{
  return j->kind == CARDAN__MJCF_SLIDE || j->kind == CARDAN__MJCF_HINGE;
}

static bool read_limit(cardan__mjcf *m, const cardan__mjcf_joint *j, cardan_joint_def *def)
{
  double range[2] = {0};
  const bool limited = cardan__mjcf_limited(m, &j->item, "limited", "range");
  if (!cardan__mjcf_values(m, &j->item, "range", range, 2)) {
    return false;
  }
  if (!limited || m->off_limit || j->kind == CARDAN__MJCF_FREE) {
    return m->spec->status == CARDAN_OK;
  }
  if (!(range[0] < range[1])) {
    cardan__xml_fail(m->spec, j->item.xml,
                     "joint \"%.60s\" is limited to %g .. %g; expected a range that rises", j->name,
                     range[0], range[1]);
    return false;
  }
  if (j->kind == CARDAN__MJCF_BALL) {
    cardan__xml_note(m->spec, j->item.xml, "the limit of ball \"%.60s\" is not used", j->name);
    return true;
  }
  def->has_limit = true;
  def->limit[0] = in_units(m, j, range[0]) - j->ref;
  def->limit[1] = in_units(m, j, range[1]) - j->ref;
  return true;
}

/* Name of a joint's k-th velocity; NULL after a failure. */
static const char *velocity_name(cardan__mjcf *m, const cardan__mjcf_joint *j, int k)
{
  return cardan__mjcf_join(m, j->name, strlen(j->name), joints[j->kind].velocity[k]);
}

/* A ball's spring: the torque -k r in body axes, where r = 2 atan2(s, |w|) / s sign(w) (x, y, z) is
 * the rotation vector of the quaternion w, x, y, z, and s the length of its vector part, kept from
 * 0. */
static void add_ball_spring(cardan__mjcf *m, const cardan__mjcf_joint *j, double k)
{
  static const char *const parts[] = {".qx", ".qy", ".qz", ".qw"};
  cardan__text leaf[4], s;
  bool failed = false;
  cardan__text_init(&s, m->spec->allocator);
  for (int i = 0; i < 4; i++) {
    const char *name = cardan__mjcf_join(m, j->name, strlen(j->name), parts[i]);
    cardan__text_init(&leaf[i], m->spec->allocator);
    cardan__mjcf_put_leaf(&leaf[i], "q", name != NULL ? name : "");
    failed = failed || name == NULL || leaf[i].failed;
  }
  if (!failed) {
    cardan__text_printf(&s, "(sqrt (+ 1e-24 (^ %s 2) (^ %s 2) (^ %s 2)))", leaf[0].data,
                        leaf[1].data, leaf[2].data);
  }
  for (int i = 0; i < 3 && !failed && !s.failed; i++) {
    cardan__text text;
    cardan__text_init(&text, m->spec->allocator);
    cardan__text_printf(&text, "(* ");
    cardan__text_number(&text, -2 * k);
    cardan__text_printf(&text, " (if (< %s 0) -1 1) (/ (atan2 %s (abs %s)) %s) %s)", leaf[3].data,
                        s.data, leaf[3].data, s.data, leaf[i].data);
    const char *name = velocity_name(m, j, i);
    cardan__mjcf_add_expr(
        m, j->item.xml,
        &(cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {name != NULL ? name : ""}}, &text);
  }
  cardan__spec_memory(m->spec, failed || s.failed ? CARDAN_ERR_MEMORY : CARDAN_OK);
  cardan__text_free(&s);
  for (int i = 0; i < 4; i++) {
    cardan__text_free(&leaf[i]);
  }
}

/* stiffness with springref, damping: linear, about q = springref - ref. */
static void add_passive(cardan__mjcf *m, const cardan__mjcf_joint *j)
{
  double stiffness = 0, rest = 0, damping = 0;
  if (!cardan__mjcf_values(m, &j->item, "stiffness", &stiffness, 1) ||
      !cardan__mjcf_values(m, &j->item, "springref", &rest, 1) ||
      !cardan__mjcf_values(m, &j->item, "damping", &damping, 1)) {
    return;
  }
  cardan__xml_at(m->spec, j->item.xml);
  if (stiffness != 0 && !m->off_spring && is_simple(j)) {
    cardan_spec_add(m->spec,
                    &(cardan_element){.kind = CARDAN_ELEMENT_JOINT_SPRING,
                                      .var = {j->name},
                                      .value = {stiffness, in_units(m, j, rest) - j->ref}});
  } else if (stiffness != 0 && !m->off_spring && j->kind == CARDAN__MJCF_BALL) {
    add_ball_spring(m, j, stiffness);
  } else if (stiffness != 0 && !m->off_spring) {
    cardan__xml_note(m->spec, j->item.xml, "the stiffness of free joint \"%.60s\" is not used",
                     j->name);
  }
  for (int k = 0; k < joints[j->kind].nvelocity && damping != 0 && !m->off_damper; k++) {
    const char *name = velocity_name(m, j, k);
    if (name != NULL) {
      cardan_spec_add(
          m->spec,
          &(cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .var = {name}, .value = {damping}});
    }
  }
}

/* armature and frictionloss of a hinge or slide. */
static void add_rotor(cardan__mjcf *m, const cardan__mjcf_joint *j)
{
  double armature = 0, friction = 0;
  if (!cardan__mjcf_values(m, &j->item, "armature", &armature, 1) ||
      !cardan__mjcf_values(m, &j->item, "frictionloss", &friction, 1)) {
    return;
  }
  friction = m->off_friction ? 0 : friction;
  if (!is_simple(j)) {
    if (friction != 0 || (armature != 0 && j->kind != CARDAN__MJCF_FREE)) {
      cardan__xml_note(m->spec, j->item.xml,
                       "the %s of joint \"%.60s\" is not used: it is no hinge "
                       "or slide",
                       friction != 0 ? "frictionloss" : "armature", j->name);
    }
    return;
  }
  cardan__xml_at(m->spec, j->item.xml);
  if (armature != 0) {
    cardan_spec_armature(m->spec, j->name, armature);
  }
  if (friction != 0) {
    cardan_spec_add(m->spec, &(cardan_element){.kind = CARDAN_ELEMENT_DRY_FRICTION,
                                               .var = {j->name},
                                               .value = {friction}});
  }
}

/* The frame behind a joint; its name is the body's where it is the body's frame. */
static int add_joint(cardan__mjcf *m, const cardan__mjcf_joint *j, int at, bool last)
{
  static const char *const others[] = {
      "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "group", "user"};
  cardan_joint_def def = {.kind = joints[j->kind].kind, .name = j->name};
  if (is_simple(j)) {
    def.axis = j->axis;
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    (void)cardan__mjcf_get(m, &j->item, others[i]);
  }
  if (!read_limit(m, j, &def)) {
    return 0;
  }
  cardan__xml_at(m->spec, j->item.xml);
  const int frame = cardan_spec_joint(m->spec, at, &def);
  const char *label = last ? m->body[j->body].label : NULL;
  if (label == NULL && cardan__names_get(&m->labels, j->name) >= 0) {
    label = cardan__mjcf_label(m, j->name, ".joint");
  } else if (label == NULL) {
    cardan__spec_memory(m->spec, cardan__names_set(&m->labels, j->name, 0));
  }
  if (label != NULL) {
    cardan_spec_frame_name(m->spec, frame, label);
  }
  add_passive(m, j);
  add_rotor(m, j);
  return frame;
}

/* A free body starts where it is drawn. */
static void add_start(cardan__mjcf *m, const cardan__mjcf_joint *j, const cardan_xform *pose)
{
  const cardan_quat q = cardan_quat_from_mat3(&pose->R);
  cardan_spec_initial(
      m->spec, &(cardan_initial){.var = j->name,
                                 .nvalue = 7,
                                 .value = {pose->p.x, pose->p.y, pose->p.z, q.w, q.x, q.y, q.z}});
}

static bool is_zero(cardan_vec3 a)
{
  return a.x == 0 && a.y == 0 && a.z == 0;
}

/* The frame of a body, behind its joints. */
static int add_frames(cardan__mjcf *m, cardan__mjcf_body *b)
{
  cardan_xform next = b->pose;
  cardan_vec3 origin = {0, 0, 0}; // of the frame so far, in the body
  int frame = m->body[b->parent].frame;
  bool named = false;
  for (int i = b->joint; i < b->joint + b->njoint && m->spec->status == CARDAN_OK; i++) {
    const cardan__mjcf_joint *j = &m->joint[i];
    if (j->kind == CARDAN__MJCF_FREE) {
      frame = add_joint(m, j, 0, true);
      add_start(m, j, &b->pose);
    } else {
      const cardan_xform step = {.R = cardan__mat3_identity(),
                                 .p = cardan__vec3_sub(j->pos, origin)};
      next = cardan__xform_mul(&next, &step);
      cardan__xml_at(m->spec, j->item.xml);
      named = i == b->joint + b->njoint - 1 && is_zero(j->pos);
      frame = add_joint(m, j, cardan__mjcf_place(m, frame, &next), named);
      origin = j->pos;
    }
    named = named || j->kind == CARDAN__MJCF_FREE;
    next = (cardan_xform){.R = cardan__mat3_identity()};
  }
  if (named) {
    return frame;
  }
  next.p = cardan__vec3_sub(next.p, origin);
  cardan__xml_at(m->spec, b->item.xml);
  frame = cardan_spec_place(m->spec, frame, &next);
  if (b->label != NULL) {
    cardan_spec_frame_name(m->spec, frame, b->label);
  }
  return frame;
}

/* A force against the weight of a mass at a frame. */
static void add_lift(cardan__mjcf *m, const cardan__mjcf_body *b, int frame, double mass)
{
  const char *label = cardan__mjcf_label(m, b->name ? b->name : "body", ".center");
  const double f[3] = {-mass * m->gravity.x, -mass * m->gravity.y, -mass * m->gravity.z};
  char text[3][CARDAN__NUMBER_SIZE];
  for (int i = 0; i < 3; i++) {
    cardan__format_number(text[i], f[i], 0);
  }
  if (label != NULL) {
    cardan_spec_frame_name(m->spec, frame, label);
    cardan_spec_add(m->spec, &(cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                               .frame = {label},
                                               .in_world = true,
                                               .expr = {text[0], text[1], text[2], "0", "0", "0"}});
  }
}

/* Mass at its centre, of which gravcomp carries a part. */
static void add_mass(cardan__mjcf *m, const cardan__mjcf_body *b)
{
  const cardan__sym3 I = b->moment;
  const cardan_mass mass = {b->mass, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  if (mass.m == 0 && mass.xx == 0 && mass.yy == 0 && mass.zz == 0) {
    return;
  }
  cardan__xml_at(m->spec, b->given != NULL ? b->given : b->item.xml);
  const bool lifted = b->lift != 0 && !is_zero(m->gravity);
  const int at = lifted ? cardan_spec_place(m->spec, b->frame, &b->center)
                        : cardan__mjcf_place(m, b->frame, &b->center);
  cardan_spec_mass(m->spec, at, &mass);
  if (lifted) {
    add_lift(m, b, at, b->lift * b->mass);
  }
}

/* armature I of a free joint: I/2 (|w|^2 + |v|^2) is a ball of mass I and moments I at the body's
 * origin, without weight. */
static void add_free_rotor(cardan__mjcf *m, const cardan__mjcf_body *b)
{
  const cardan__mjcf_joint *j = b->njoint > 0 ? &m->joint[b->joint] : NULL;
  double I = 0;
  if (j == NULL || j->kind != CARDAN__MJCF_FREE ||
      !cardan__mjcf_values(m, &j->item, "armature", &I, 1) || I == 0) {
    return;
  }
  cardan__xml_at(m->spec, j->item.xml);
  const int at =
      cardan_spec_place(m->spec, b->frame, &(cardan_xform){.R = cardan__mat3_identity()});
  cardan_spec_mass(m->spec, at, &(cardan_mass){.m = I, .xx = I, .yy = I, .zz = I});
  cardan__xml_note(m->spec, j->item.xml,
                   "the armature of free joint \"%.60s\" is a mass of %g kg without weight",
                   j->name, I);
  if (!is_zero(m->gravity)) {
    add_lift(m, b, at, I);
  }
}

static void add_sites(cardan__mjcf *m, const cardan__mjcf_body *b)
{
  for (int i = b->site; i < b->site + b->nsite; i++) {
    const cardan__mjcf_site *s = &m->site[i];
    if (s->label != NULL) {
      cardan__xml_at(m->spec, s->item.xml);
      cardan_spec_frame_name(m->spec, cardan_spec_place(m->spec, b->frame, &s->pose), s->label);
    }
  }
}

void cardan__mjcf_build(cardan__mjcf *m)
{
  for (int i = 0; i < m->n.body && m->spec->status == CARDAN_OK; i++) {
    cardan__mjcf_body *b = &m->body[i];
    if (i > 0) {
      b->frame = add_frames(m, b);
      add_mass(m, b);
      add_free_rotor(m, b);
    }
    cardan__mjcf_draw(m, i);
    add_sites(m, b);
  }
}
