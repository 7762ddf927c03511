// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/arena.h"
#include "model/joint_table.h"
#include "output/symbols.h"
#include "spatial/rotation.h"

/* Symbols of joints, by what they let a body do: how many turns and slides their elementary joints
 * have. What is on the body before a joint is in that body's axes, the rest in its own. */

typedef struct {
  int turns, slides;
  bool screw;
} freedom;

static freedom freedom_of(const cardan_model *model, const cardan_joint *joint)
{
  freedom out = {0};
  for (int i = joint->first; i <= joint->last && joint->nq > 0; i++) {
    const cardan__link_type *type = cardan__link_type_of(model->body[i].kind);
    out.turns += type->nturn;
    out.slides += type->nslide;
    out.screw = out.screw || type->screw;
  }
  return out;
}

static cardan_symbol *add(cardan__draft *d, int glyph, int body, const cardan_xform *X,
                          const cardan_joint *joint)
{
  cardan_symbol *symbol = cardan__draft_symbol(d, glyph, body, X);
  symbol->name = joint->name;
  symbol->kind = cardan__joint_type_of(joint->kind)->word;
  return symbol;
}

/* z across the plane of a planar mechanism, if it is one; else up: what rails lie in. */
static cardan_vec3 plane_of(const cardan__draft *d)
{
  return d->model->planar ? d->model->plane_normal : d->up;
}

/* The joint's axes in the body before it, x turned so that rails lie in the plane of motion. */
static cardan_xform axes_in_parent(const cardan__draft *d, int body)
{
  const cardan_body *b = &d->model->body[body];
  const cardan_xform *W = cardan__draft_pose(d, b->parent);
  const cardan_vec3 plane = cardan__mat3_tmulv(&W->R, plane_of(d));
  return (cardan_xform){.R = cardan__axes(cardan__mat3_column(&b->X.R, 2), plane), .p = b->X.p};
}

void cardan__draft_ground(cardan__draft *d, cardan_vec3 at)
{
  const double near = 1e-6 * d->extent;
  for (int i = 0; i < d->nground; i++) {
    if (cardan__vec3_norm(cardan__vec3_sub(d->ground[i], at)) <= near) {
      return;
    }
  }
  if (d->failed || cardan__grow(&d->alloc, (void **)&d->ground, &d->ground_capacity, d->nground + 1,
                                sizeof *d->ground) != CARDAN_OK) {
    d->failed = true;
    return;
  }
  d->ground[d->nground++] = at;
}

/* Hatching at a point of the world: above what hangs, below what stands. axis: that its plate is
 * along, where there is one. */
static void ground(cardan__draft *d, cardan_vec3 at, cardan_vec3 axis, double room)
{
  const int before_it = d->nground;
  const double height = cardan__vec3_dot(d->up, cardan__vec3_sub(d->middle, at));
  const cardan_vec3 y = cardan__vec3_scale(height > 1e-3 * d->extent ? -1 : 1, d->up);
  cardan__draft_ground(d, at);
  if (d->nground > before_it) {
    if (fabs(cardan__vec3_dot(axis, d->up)) > 0.9) { // an upright axis: the plate lies level
      const cardan_vec3 x = {1, 0, 0}, z = {0, 0, 1};
      axis = cardan__vec3_cross(d->up, fabs(d->up.x) < 0.9 ? x : z);
    }
    const cardan_xform X = {.R = cardan__axes(axis, y), .p = at};
    cardan__draft_symbol(d, cardan__glyph_of(d, CARDAN__GLYPH_GROUND), 0, &X)->room = room;
  }
}

/* The way of a coordinate with a little more; one that rests has a short rail. */
static void travel(const cardan__draft *d, int q, double *low, double *high)
{
  const double way = d->high[q] - d->low[q];
  const double more = isfinite(way) ? 0.04 * way : 0;
  *low = isfinite(d->low[q]) ? d->low[q] - more : 0;
  *high = isfinite(d->high[q]) ? d->high[q] + more : 0;
}

/* Is a body one of several sliders at one place: coordinates of a point in a plane or in space,
 * and not guides? */
static bool is_slide(const cardan_model *model, int i)
{
  const cardan__link_type *type = cardan__link_type_of(model->body[i].kind);
  return i > 0 && type->nslide == 1 && type->nturn == 0;
}

static bool is_coordinate(const cardan__draft *d, int i)
{
  const cardan_model *model = d->model;
  const double near = 1e-9 * d->extent;
  bool found = is_slide(model, model->body[i].parent) &&
               (model->body[model->body[i].parent].flags & CARDAN_LINK_MASSLESS) != 0 &&
               cardan__vec3_norm(model->body[i].X.p) <= near;
  // a massless one and its child: bodies are numbered parents first
  if ((model->body[i].flags & CARDAN_LINK_MASSLESS) != 0 && i + 1 < model->nbody) {
    found = found || (model->body[i + 1].parent == i && is_slide(model, i + 1) &&
                      cardan__vec3_norm(model->body[i + 1].X.p) <= near);
  }
  return found;
}

static void draw_slider(cardan__draft *d, const cardan_joint *joint)
{
  const cardan_model *model = d->model;
  const int i = joint->first, parent = model->body[i].parent;
  const cardan_xform here = cardan_xform_identity(), X = axes_in_parent(d, i);
  double low, high;
  if (is_coordinate(d, i)) {
    return;
  }
  travel(d, model->body[i].qadr, &low, &high);
  add(d, cardan__glyph_rail(d, low, high, parent == 0), parent, &X, joint)->room = d->room[i];
  add(d, cardan__glyph_of(d, CARDAN__GLYPH_BLOCK), i, &here, joint);
}

/* A turn with a slide along its axis, of its own or by a pitch. */
static void draw_rod(cardan__draft *d, const cardan_joint *joint, bool screw)
{
  const cardan_model *model = d->model;
  const cardan_body *first = &model->body[joint->first];
  const cardan_xform here = cardan_xform_identity(), X = axes_in_parent(d, joint->first);
  double low, high;
  travel(d, first->qadr, &low, &high);
  if (screw) {
    low *= first->pitch;
    high *= first->pitch;
  }
  add(d, cardan__glyph_rod(d, fmin(low, high), fmax(low, high), screw), first->parent, &X, joint);
  add(d, cardan__glyph_of(d, screw ? CARDAN__GLYPH_NUT : CARDAN__GLYPH_SLEEVE), joint->last, &here,
      joint);
}

static void draw_cross(cardan__draft *d, const cardan_joint *joint)
{
  const cardan_vec3 second = cardan__mat3_column(&d->model->body[joint->last].X.R, 2);
  const cardan_vec3 z = {0, 0, 1};
  const cardan_xform X = {.R = cardan__axes(z, cardan__vec3_cross(z, second))};
  add(d, cardan__glyph_of(d, CARDAN__GLYPH_CROSS), joint->first, &X, joint);
}

static void draw_ball(cardan__draft *d, const cardan_joint *joint)
{
  const cardan_body *body = &d->model->body[joint->first];
  const cardan_xform here = cardan_xform_identity();
  add(d, cardan__glyph_of(d, CARDAN__GLYPH_BALL), joint->last, &here, joint);
  cardan_symbol *socket =
      add(d, cardan__glyph_of(d, CARDAN__GLYPH_SOCKET), body->parent, &body->X, joint);
  socket->faces = true;
  socket->room = d->room[joint->first];
}

static void draw_plate(cardan__draft *d, const cardan_joint *joint)
{
  const cardan_xform here = cardan_xform_identity();
  add(d, cardan__glyph_of(d, CARDAN__GLYPH_PLATE), joint->last, &here, joint);
  add(d, cardan__glyph_of(d, CARDAN__GLYPH_HINGE), joint->last, &here, joint);
}

/* Where a body's bar leaves its joint, as an angle from x: to the next joint, or the first mass. */
static double bar_angle(const cardan_model *model, int body)
{
  for (int i = body + 1; i < model->nbody; i++) {
    const cardan_vec3 p = model->body[i].X.p;
    if (model->body[i].parent == body && hypot(p.x, p.y) > 0) {
      return atan2(p.y, p.x);
    }
  }
  const cardan_vec3 h = model->body[body].inertia.h;
  return hypot(h.x, h.y) > 0 ? atan2(h.y, h.x) : 0;
}

void cardan__draft_stop(cardan__draft *d, int q, const double limit[2], const char *name,
                        const char *kind)
{
  const cardan_model *model = d->model;
  const int i = model->q_body[q];
  const cardan__link_type *type = cardan__link_type_of(model->body[i].kind);
  const bool turns = type->nturn == 1 && type->nslide == 0;
  if (!isfinite(limit[0]) || !isfinite(limit[1]) || type->nturn + type->nslide != 1 ||
      (turns && limit[1] - limit[0] > 6.28)) {
    return;
  }
  const double from = turns ? bar_angle(model, i) : 0;
  const double ends[2] = {limit[0] + from, limit[1] + from};
  const int glyph = turns ? cardan__glyph_stops_turn(d, ends) : cardan__glyph_stops_slide(d, limit);
  const cardan_xform X = turns ? model->body[i].X : axes_in_parent(d, i);
  cardan_symbol *symbol = cardan__draft_symbol(d, glyph, model->body[i].parent, &X);
  symbol->name = name;
  symbol->kind = kind;
  symbol->room = d->room[i];
}

void cardan__draft_drive(cardan__draft *d, int body, const char *name, const char *kind)
{
  const cardan__link_type *type = cardan__link_type_of(d->model->body[body].kind);
  if (d->driven[body] || type->nturn + type->nslide != 1) {
    return;
  }
  const bool slides = type->nslide == 1;
  const cardan_xform here = cardan_xform_identity();
  cardan_symbol *symbol = cardan__draft_symbol(
      d, cardan__glyph_of(d, slides ? CARDAN__GLYPH_PUSHED : CARDAN__GLYPH_TURNED), body, &here);
  symbol->name = name;
  symbol->kind = kind;
  d->driven[body] = true;
}

void cardan__draft_joint_spring(cardan__draft *d, int q, double rest, const char *name)
{
  const cardan_model *model = d->model;
  const int i = model->q_body[q];
  const cardan_body *body = &model->body[i];
  const cardan__link_type *type = cardan__link_type_of(body->kind);
  if (type->nturn == 1) {
    const cardan_xform here = cardan_xform_identity();
    cardan_symbol *symbol =
        cardan__draft_symbol(d, cardan__glyph_of(d, CARDAN__GLYPH_TWIST), i, &here);
    symbol->name = name;
    symbol->kind = cardan__element_word(CARDAN_ELEMENT_JOINT_SPRING);
  } else if (type->nslide == 1) { // from beyond the lower end of its way
    const double way = fmax(d->high[q], rest) - fmin(d->low[q], rest);
    const double from = fmin(d->low[q], rest) - 0.4 * way - 6 * d->to->thick;
    const cardan_vec3 foot = cardan__vec3_axpy(from, cardan__mat3_column(&body->X.R, 2), body->X.p);
    cardan__draft_tie(d, &(cardan_tie){.kind = CARDAN_TIE_COIL,
                                       .name = name,
                                       .word = cardan__element_word(CARDAN_ELEMENT_JOINT_SPRING),
                                       .body = {body->parent, i},
                                       .at = {foot, {0}},
                                       .length = rest - from});
    if (body->parent == 0) {
      ground(d, foot, cardan__vec3_cross(cardan__mat3_column(&body->X.R, 2), d->up), d->room[i]);
    }
  }
}

static void draw_joint(cardan__draft *d, const cardan_joint *joint)
{
  const cardan_model *model = d->model;
  const freedom f = freedom_of(model, joint);
  const cardan_body *first = &model->body[joint->first];
  const cardan_xform here = cardan_xform_identity();
  if (f.turns + f.slides == 0 || f.turns + f.slides == 6) {
    return;
  }
  if (f.slides == 1 && f.turns == 0) {
    draw_slider(d, joint);
  } else if (f.screw || (f.slides == 1 && f.turns == 1)) {
    draw_rod(d, joint, f.screw);
  } else if (f.slides == 2) {
    draw_plate(d, joint);
  } else if (f.turns == 2) {
    draw_cross(d, joint);
  } else if (f.turns == 3) {
    draw_ball(d, joint);
  } else {
    add(d, cardan__glyph_of(d, CARDAN__GLYPH_HINGE), joint->last, &here, joint);
  }
  if (first->parent == 0 && f.slides == 0) {
    ground(d, first->X.p, cardan__mat3_column(&first->X.R, 2), d->room[joint->first]);
  }
  if (joint->driven) {
    cardan__draft_drive(d, joint->first, joint->name, "motion");
  }
  if (joint->has_limit && joint->nq == 1) {
    cardan__draft_stop(d, joint->qadr, joint->limit, joint->name, "limit");
  }
}

void cardan__draft_joints(cardan__draft *d)
{
  for (int j = 0; j < d->model->njoint; j++) {
    draw_joint(d, &d->model->joint[j]);
  }
}
