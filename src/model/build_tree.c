// SPDX-License-Identifier: Apache-2.0
#include "model/build_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "spatial/body_blocks.h"
#include "spatial/spatial.h"

/* From a tree of transforms to bodies whose joint axis is z of their own frame.
 *
 * 1. Every variable transform or joint starts a new link; joints of two or three scalar coordinates
 *    become that many links. The links' raw frames are frames of the file.            (raw links)
 * 2. Each link's body frame has its origin at the raw one and z on the joint axis; x is put along
 *    z x z_child of its first child, so that this child hangs by Rx(alpha) Rz(q + psi) alone: two
 *    plane rotations in place of a general one (modified Denavit-Hartenberg, but with the origin
 *    left where the file puts it: nearly parallel axes then need no far-away common normal). Other
 *    children have one more turn, phi, about the parent's z.                          (body frames)
 * 3. Frames of the file are placed in their body, masses are summed.                  (frames) */

/* The joint of a spec frame that moves, as a definition. */
static cardan_joint_def frame_joint(const cardan_spec *spec, const cardan__spec_frame *frame)
{
  if (frame->form == CARDAN__FORM_JOINT) {
    return spec->joint[frame->joint];
  }
  const int axis = (int)frame->transform % 3;
  return (cardan_joint_def){.kind = cardan__transform_joint(frame->transform),
                            .name = frame->var,
                            .axis = cardan__vec3(axis == 0, axis == 1, axis == 2)};
}

cardan__tree_counts cardan__count_tree(const cardan_spec *spec)
{
  cardan__tree_counts n = {.link = 1};
  for (int i = 1; i < spec->nframe; i++) {
    const cardan__joint_type *type = cardan__joint_type_of(cardan__spec_joint_kind(spec, i));
    n.joint += type->nv > 0;
    n.link += type->npart;
    n.nq += type->nq;
    n.nv += type->nv;
  }
  return n;
}

/* Any unit vector perpendicular to the unit vector n: the coordinate axis x, or z for n near x,
 * without its part along n. */
static cardan_vec3 perpendicular(cardan_vec3 n)
{
  const cardan_vec3 e = fabs(n.x) < 0.9 ? cardan__vec3(1, 0, 0) : cardan__vec3(0, 0, 1);
  return cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(e, n), n, e));
}

static cardan_vec3 unit_or(cardan_vec3 a, cardan_vec3 fallback)
{
  const double n = cardan__vec3_norm(a);
  return n > 0 ? cardan__vec3_scale(1 / n, a) : fallback;
}

/* Appends the links of a joint below the link `parent`. */
static void add_links(cardan_model *model, cardan__raw_link *raw, int joint, int parent)
{
  cardan_joint *j = &model->joint[joint];
  const cardan__joint_type *type = cardan__joint_type_of(j->kind);
  j->first = model->nbody;
  j->last = model->nbody + type->npart - 1;
  for (int i = 0; i < type->npart; i++) {
    const cardan__link_type *own = cardan__link_type_of(type->part[i].link);
    const int link = model->nbody++;
    cardan_body *body = &model->body[link];
    raw[link] = (cardan__raw_link){.parent = parent,
                                   .has_axis = own->has_axis,
                                   .T0 = cardan__xform_identity(),
                                   .axis = cardan__part_direction(type, i, j->axis, j->axis2)};
    if (own->has_axis && raw[parent].first_child == 0) {
      raw[parent].first_child = link;
    }
    *body = (cardan_body){.parent = parent, .kind = type->part[i].link, .joint = joint};
    body->flags = j->kinematic ? CARDAN_LINK_KINEMATIC : 0;
    if (parent != link - 1) {
      model->body[parent].flags |= CARDAN_LINK_FORKED;
      model->body[raw[parent].last_child].flags &= ~CARDAN_LINK_LAST;
      body->flags |= CARDAN_LINK_LAST;
      raw[parent].last_child = link;
    }
    body->nq = own->nq;
    body->nv = own->nv;
    body->qadr = j->qadr + type->part[i].coordinate;
    body->vadr = j->vadr + type->part[i].coordinate;
    model->nmulti += own->nv > 1;
    for (int k = 0; k < body->nq; k++) {
      model->q_body[body->qadr + k] = link;
    }
    for (int k = 0; k < body->nv; k++) {
      model->v_body[body->vadr + k] = link;
    }
    parent = link;
  }
}

/* Names of a joint's coordinates and velocities. No two are the same: the spec has seen to it when
 * the joint was added (cardan__spec_var_clash). */
static void name_coordinates(cardan__build *build, const cardan_joint *j)
{
  cardan_model *model = build->model;
  const cardan__joint_type *type = cardan__joint_type_of(j->kind);
  char text[CARDAN__SUFFIXED_NAME];
  for (int side = 0; side < 2; side++) {
    const int n = side == 0 ? j->nq : j->nv, adr = side == 0 ? j->qadr : j->vadr;
    const char **names = side == 0 ? model->q_name : model->v_name;
    for (int k = 0; k < n; k++) {
      const char *suffix = side == 0 ? type->q_suffix[k] : type->v_suffix[k];
      names[adr + k] = j->name;
      if (suffix[0] != 0) {
        snprintf(text, sizeof text, "%s%s", j->name, suffix);
        names[adr + k] = cardan__build_string(build, text);
      }
    }
  }
}

/* The joint of spec frame f. */
static void add_joint(cardan__build *build, cardan__raw_link *raw, int f)
{
  cardan_model *model = build->model;
  const cardan__spec_frame *frame = &build->spec->frame[f];
  const cardan_joint_def def = frame_joint(build->spec, frame);
  const int index = model->njoint++;
  cardan_joint *j = &model->joint[index];
  const cardan__joint_type *type = cardan__joint_type_of(def.kind);
  *j = (cardan_joint){.name = cardan__build_string(build, def.name),
                      .kind = def.kind,
                      .kinematic = frame->kinematic,
                      .is_transform = frame->form == CARDAN__FORM_TRANSFORM,
                      .has_limit = def.has_limit,
                      .limit = {def.limit[0], def.limit[1]},
                      .restitution = def.restitution,
                      .effort = def.effort,
                      .frame = f,
                      .qadr = model->nq,
                      .nq = type->nq,
                      .vadr = model->nv,
                      .nv = type->nv,
                      .axis = unit_or(def.axis, type->axis),
                      .axis2 = unit_or(def.axis2, cardan__vec3(0, 1, 0)),
                      .pitch = def.pitch,
                      .pos = frame->pos};
  model->nq += j->nq;
  model->nv += j->nv;
  build->frame_joint[f] = index;
  add_links(model, raw, index, model->frame[frame->parent].body);
  name_coordinates(build, j);
}

/* Pass 1: bodies, joints and frames, without their numbers. */
static void raw_links(cardan__build *build, cardan__raw_link *raw)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  raw[0] = (cardan__raw_link){.axis = cardan__vec3(0, 0, 1)};
  model->nbody = 1;
  model->frame[0] = (cardan_frame){.name = "world", .X_BF = cardan__xform_identity()};
  for (int f = 1; f < spec->nframe; f++) {
    const cardan__spec_frame *from = &spec->frame[f];
    const cardan_frame *parent = &model->frame[from->parent];
    cardan_frame *frame = &model->frame[f];
    const bool moves = cardan__joint_type_of(cardan__spec_joint_kind(spec, f))->nv > 0;
    build->frame_joint[f] = -1;
    *frame = (cardan_frame){.parent = from->parent, .has_mass = from->has_mass};
    frame->color = from->color != NULL ? cardan__build_string(build, from->color) : NULL;
    if (moves) {
      add_joint(build, raw, f);
      frame->body = model->nbody - 1;
    } else {
      frame->body = parent->body;
    }
    frame->name = from->name != NULL ? cardan__build_string(build, from->name)
                  : moves            ? model->joint[build->frame_joint[f]].name
                  : from->joint >= 0 && spec->joint[from->joint].name != NULL
                      ? cardan__build_string(build, spec->joint[from->joint].name)
                      : "";
  }
}

/* Pass 1, the numbers: frames in their bodies, and where joints are placed, in raw coordinates. */
static void raw_numbers(cardan_model *model, const cardan__spec_frame *from, cardan__raw_link *raw)
{
  for (int f = 1, next = 0; f < model->nframe; f++) {
    cardan_frame *frame = &model->frame[f];
    const cardan_xform *parent = &model->frame[frame->parent].X_BF;
    frame->mass = from[f].mass;
    // joints are in the order of the frames that they carry
    if (next < model->njoint && model->joint[next].frame == f) {
      const cardan_joint *j = &model->joint[next++];
      raw[j->first].T0 = *parent;
      frame->X_BF = cardan__xform_identity();
      for (int i = j->first; i <= j->last; i++) {
        const cardan__link_type *own = cardan__link_type_of(model->body[i].kind);
        model->body[i].pitch = own->has_axis && !own->screw ? 0 : j->pitch;
      }
    } else {
      const cardan_xform T = cardan__spec_fixed(&from[f]);
      frame->X_BF = cardan__xform_mul(parent, &T);
    }
  }
}

/* Pass 2a: orientation of the body frames. */
static void choose_frame(const cardan__raw_link *raw, int link, cardan_mat3 *C)
{
  const cardan__raw_link *r = &raw[link];
  if (!r->has_axis) {
    *C = cardan__mat3_identity();
    return;
  }
  cardan_vec3 x = perpendicular(r->axis);
  if (r->first_child != 0) {
    const cardan__raw_link *child = &raw[r->first_child];
    const cardan_vec3 z_child = cardan__mat3_mulv(&child->T0.R, child->axis);
    const cardan_vec3 n = cardan__vec3_cross(r->axis, z_child);
    // below 1e-8 the axes count as parallel for the choice of x; any x will do, phi takes the rest
    if (cardan__vec3_norm(n) > 1e-8) {
      x = cardan__vec3_normalize(n);
    }
  }
  *C = cardan__mat3_from_columns(x, cardan__vec3_cross(r->axis, x), r->axis);
}

/* What of T_PB is 0 in every position: recursions leave it out. */
static void flag_place(cardan_body *body)
{
  const cardan__link_type *own = cardan__link_type_of(body->kind);
  const cardan_vec3 p = body->X.p;
  const bool plain = !cardan__link_is_general(body);
  const bool axis = plain && own->has_axis && !(body->flags & CARDAN_LINK_TURNED);
  const bool still = plain && own->nslide == 0 && !own->screw; // X.p is that of T_PB
  body->flags &= ~(CARDAN_LINK_RIGHT | CARDAN_LINK_PARALLEL | CARDAN_LINK_ALONG_X |
                   CARDAN_LINK_ALONG_Y | CARDAN_LINK_ALONG_Z);
  body->flags |= axis && body->cos_alpha == 0 ? CARDAN_LINK_RIGHT : 0;
  body->flags |= axis && body->sin_alpha == 0 && body->cos_alpha == 1 ? CARDAN_LINK_PARALLEL : 0;
  body->flags |= !still || p.x != 0 ? CARDAN_LINK_ALONG_X : 0;
  body->flags |= !still || p.y != 0 ? CARDAN_LINK_ALONG_Y : 0;
  body->flags |= !still || p.z != 0 ? CARDAN_LINK_ALONG_Z : 0;
}

/* Pass 2b: the constant part of a body's joint, R = Rz(phi) Rx(alpha) Rz(psi). */
static void place_body(cardan_body *body, const cardan__raw_link *raw, int link)
{
  const cardan__raw_link *r = &raw[link], *parent = &raw[r->parent];
  const cardan_mat3 RC = cardan__mat3_mul(&r->T0.R, &r->C);
  const cardan_mat3 R = cardan__mat3_tmul(&parent->C, &RC);
  const cardan_vec3 p = cardan__mat3_tmulv(&parent->C, r->T0.p);
  const cardan_vec3 z = cardan__mat3_column(&R, 2);
  const double sin_alpha = hypot(z.x, z.y);

  // z = (sin phi sin alpha, -cos phi sin alpha, cos alpha); a first child has phi = 0 but for
  // rounding
  body->cos_phi = 1;
  body->sin_phi = 0;
  body->flags &= ~CARDAN_LINK_TURNED;
  if (sin_alpha > 1e-15 && fabs(z.x) > 4e-16) {
    body->cos_phi = -z.y / sin_alpha;
    body->sin_phi = z.x / sin_alpha;
    body->flags |= CARDAN_LINK_TURNED;
  }
  const double sa = (body->flags & CARDAN_LINK_TURNED) ? sin_alpha : -z.y;
  const double n = hypot(sa, z.z);
  body->cos_alpha = z.z / n;
  body->sin_alpha = sa / n;

  const cardan_vec3 ex = cardan__vec3(1, 0, 0), ez = cardan__vec3(0, 0, 1);
  const cardan_mat3 Rphi = cardan__mat3_axis_cs(ez, body->cos_phi, body->sin_phi);
  const cardan_mat3 Ralpha = cardan__mat3_axis_cs(ex, body->cos_alpha, body->sin_alpha);
  const cardan_mat3 A = cardan__mat3_mul(&Rphi, &Ralpha);
  const cardan_mat3 Rpsi = cardan__mat3_tmul(&A, &R);
  body->psi = atan2(Rpsi.m[1][0], Rpsi.m[0][0]);
  body->X.R = cardan__mat3_mul_rot_z(&A, cos(body->psi), sin(body->psi));
  body->X.p = p;
  flag_place(body);
}

/* Pass 3: frames of the file in body coordinates; masses summed. */
static void place_frames(cardan_model *model, const cardan__raw_link *raw)
{
  for (int f = 0; f < model->nframe; f++) {
    cardan_frame *frame = &model->frame[f];
    cardan_body *body = &model->body[frame->body];
    const cardan_mat3 *C = &raw[frame->body].C;
    frame->X_BF = (cardan_xform){.R = cardan__mat3_tmul(C, &frame->X_BF.R),
                                 .p = cardan__mat3_tmulv(C, frame->X_BF.p)};
    if (frame->has_mass && frame->body > 0) {
      const cardan_mass *m = &frame->mass;
      const cardan_inertia I = {
          .m = m->m, .xx = m->xx, .yy = m->yy, .zz = m->zz, .xy = m->xy, .xz = m->xz, .yz = m->yz};
      const cardan_inertia in_body = cardan__inertia_to_parent(&frame->X_BF, &I);
      body->inertia = cardan__inertia_add(&body->inertia, &in_body);
      model->mass += m->m;
    }
  }
}

void cardan__tree_numbers(cardan_model *model, const cardan__spec_frame *from,
                          cardan__raw_link *raw)
{
  raw_numbers(model, from, raw);
  for (int i = 0; i < model->nbody; i++) {
    choose_frame(raw, i, &raw[i].C);
  }
  model->mass = 0;
  model->body[0] = (cardan_body){.joint = -1, .cos_phi = 1, .cos_alpha = 1};
  model->body[0].X = cardan__xform_identity();
  for (int i = 1; i < model->nbody; i++) {
    place_body(&model->body[i], raw, i);
    model->body[i].inertia = (cardan_inertia){0};
  }
  place_frames(model, raw);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    cardan__lane_set_inertia(&model->inertia_lanes[cardan__block_of(i)], cardan__lane_of(i), I);
    const bool none = I->m == 0 && I->xx == 0 && I->yy == 0 && I->zz == 0;
    model->body[i].flags &= ~CARDAN_LINK_MASSLESS;
    model->body[i].flags |= none ? CARDAN_LINK_MASSLESS : 0;
  }
}

void cardan__fill_tree(cardan__build *build, cardan__raw_link *raw)
{
  raw_links(build, raw);
  cardan__tree_numbers(build->model, build->spec->frame, raw);
}
