// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "model/joint_table.h"
#include "output/symbols.h"
#include "spatial/rotation.h"

/* Symbols of constraints, bounds and forces, by how their kind is drawn (model/elements.h). */

/* What is to be known of an element, whichever list it is of. */
typedef struct {
  const char *name, *word;
  const int *frame;
  const double *value;     // of a force, else zeros
  const cardan_vec3 *axis; // of a force, in its first frame; else NULL
  const cardan_row *row;   // of a constraint or bound: its first
  int q[2];                // coordinates, -1: none
  int expr;
} item;

static cardan_tie make_tie(const cardan__draft *d, cardan_tie_kind kind, const item *it)
{
  cardan_tie tie = {.kind = kind, .name = it->name, .word = it->word};
  for (int k = 0; k < 2; k++) {
    const cardan_frame *frame = &d->model->frame[it->frame[k]];
    tie.body[k] = frame->body;
    tie.at[k] = frame->X_BF.p;
  }
  return tie;
}

/* Hatching where it is fixed in the world, away from its other end. */
static void draw_ground(cardan__draft *d, const cardan_tie *tie)
{
  for (int k = 0; k < 2; k++) {
    const int before = d->nground;
    if (tie->body[k] != 0 || tie->body[1 - k] == 0) {
      continue;
    }
    cardan__draft_ground(d, tie->at[k]);
    const cardan_vec3 other =
        cardan_xform_point(cardan__draft_pose(d, tie->body[1 - k]), tie->at[1 - k]);
    const cardan_vec3 away = cardan__vec3_sub(tie->at[k], other);
    const bool apart = cardan__vec3_norm(away) > 1e-6 * d->extent;
    if (d->nground > before) {
      const cardan_vec3 plane = d->model->planar ? d->model->plane_normal : (cardan_vec3){0, 1, 0};
      const cardan_vec3 y = apart ? away : cardan__vec3_neg(d->up);
      const bool along = fabs(cardan__vec3_dot(plane, cardan__vec3_normalize(y))) > 0.9;
      const cardan_xform X = {.R = cardan__axes(along ? (cardan_vec3){1, 0, 0} : plane, y),
                              .p = tie->at[k]};
      cardan__draft_symbol(d, cardan__glyph_of(d, CARDAN__GLYPH_GROUND), 0, &X)->room =
          d->room[tie->body[1 - k]];
    }
  }
}

static void add_tie(cardan__draft *d, cardan_tie_kind kind, const item *it, double length)
{
  cardan_tie tie = make_tie(d, kind, it);
  tie.length = length;
  cardan__draft_tie(d, &tie);
  draw_ground(d, &tie);
}

/* A symbol at the first of two frames, or at that of them which moves. */
static void add_mark(cardan__draft *d, cardan__glyph glyph, const item *it)
{
  const cardan_tie tie = make_tie(d, CARDAN_TIE_CORD, it);
  const int k = tie.body[0] == 0 ? 1 : 0;
  const cardan_xform X = {.R = cardan__mat3_identity(), .p = tie.at[k]};
  cardan_symbol *symbol = cardan__draft_symbol(d, cardan__glyph_of(d, glyph), tie.body[k], &X);
  symbol->name = it->name;
  symbol->kind = it->word;
  symbol->faces = true;
  draw_ground(d, &tie);
}

/* A symbol at the origin of the first frame, its z along a direction there. */
static void add_along(cardan__draft *d, int glyph, cardan_vec3 along, const item *it)
{
  const cardan_frame *frame = &d->model->frame[it->frame[0]];
  const cardan_vec3 u = cardan__mat3_mulv(&frame->X_BF.R, along);
  const cardan_xform X = {.R = cardan__axes(u, (cardan_vec3){0, 1, 0}), .p = frame->X_BF.p};
  cardan_symbol *symbol = cardan__draft_symbol(d, glyph, frame->body, &X);
  symbol->name = it->name;
  symbol->kind = it->word;
}

/* Where what rolls or glides touches the plane z = 0 of the second frame. radius: 0 of a blade;
 * axis: of a disc, in the first frame; NULL: it is none */
static void add_track(cardan__draft *d, const item *it, double radius, const cardan_vec3 *axis)
{
  const cardan_frame *a = &d->model->frame[it->frame[0]], *b = &d->model->frame[it->frame[1]];
  cardan__draft_track(
      d, &(cardan_track){.name = it->name,
                         .kind = it->word,
                         .body = {a->body, b->body},
                         .at = a->X_BF.p,
                         .axis = axis != NULL ? cardan__mat3_mulv(&a->X_BF.R, *axis)
                                              : (cardan_vec3){0, 0, 0},
                         .foot = b->X_BF.p,
                         .normal = cardan__mat3_mulv(&b->X_BF.R, (cardan_vec3){0, 0, 1}),
                         .radius = radius});
}

/* A line of dashes between the joints of two coordinates. */
static void draw_coupling(cardan__draft *d, const item *it, int a, int b)
{
  const int body[2] = {d->model->q_body[a], d->model->q_body[b]};
  if (body[0] != body[1]) {
    cardan__draft_tie(d, &(cardan_tie){.kind = CARDAN_TIE_DASHES,
                                       .name = it->name,
                                       .word = it->word,
                                       .body = {body[0], body[1]}});
  }
}

/* The first two coordinates that an expression reads. */
static void couple_leaves(cardan__draft *d, const item *it)
{
  const cardan_bound_expr *expr = it->expr >= 0 ? &d->model->expr[it->expr] : NULL;
  int first = -1;
  for (int k = 0; expr != NULL && k < expr->nleaf; k++) {
    const int q = expr->leaf[k].kind == CARDAN__LEAF_Q ? expr->leaf[k].index : -1;
    if (q >= 0 && first >= 0 && d->model->q_body[q] != d->model->q_body[first]) {
      draw_coupling(d, it, first, q);
      return;
    }
    first = q >= 0 && first < 0 ? q : first;
  }
}

/* A joint's axis at the start, in the world. */
static void axis_of(const cardan__draft *d, int body, cardan_vec3 *p, cardan_vec3 *z)
{
  const cardan_xform *X = cardan__draft_pose(d, body);
  *p = X->p;
  *z = cardan__mat3_column(&X->R, 2);
}

static cardan_symbol *add_wheel(cardan__draft *d, const item *it, int body, double radius,
                                double pitch)
{
  const cardan_xform here = cardan_xform_identity();
  cardan_symbol *symbol =
      cardan__draft_symbol(d, cardan__glyph_wheel(d, radius, pitch), body, &here);
  symbol->name = it->name;
  symbol->kind = it->word;
  return symbol;
}

/* Wheels on parallel axes that turn against one another: ra |qa'| = rb |qb'|, ra + rb is their
 * distance. returns false: they are no such pair */
static bool add_wheels(cardan__draft *d, const item *it, const int body[2], double ratio)
{
  cardan_vec3 p[2], z[2];
  axis_of(d, body[0], &p[0], &z[0]);
  axis_of(d, body[1], &p[1], &z[1]);
  const double along = cardan__vec3_dot(z[0], z[1]), sense = along > 0 ? ratio : -ratio;
  const cardan_vec3 way = cardan__vec3_sub(p[1], p[0]);
  const cardan_vec3 across = cardan__vec3_axpy(-cardan__vec3_dot(way, z[0]), z[0], way);
  const double distance = cardan__vec3_norm(across);
  if (fabs(along) < 0.999 || sense >= 0 || distance < 1e-6 * d->extent) {
    return false;
  }
  const double rb = distance / (1 + fabs(ratio)), ra = fabs(ratio) * rb;
  const double pitch = 2 * 3.14159265358979323846 * fmin(ra, rb) / 16;
  add_wheel(d, it, body[0], ra, pitch);
  add_wheel(d, it, body[1], rb, pitch);
  return true;
}

/* A wheel of radius |dx/dq| and a rack along the slider, on its side. */
static bool add_rack(cardan__draft *d, const item *it, int wheel, int slider, double ratio)
{
  cardan_vec3 p, z, s, at;
  axis_of(d, wheel, &p, &z);
  axis_of(d, slider, &at, &s);
  const double radius = fabs(ratio);
  if (fabs(cardan__vec3_dot(z, s)) > 0.05 || radius < 1e-6 * d->extent) {
    return false;
  }
  // a point of the rim at r n moves by z x n radius q', the rack by s ratio q'
  const cardan_vec3 n = cardan__vec3_scale(ratio > 0 ? 1 : -1, cardan__vec3_cross(s, z));
  const cardan_xform *W = cardan__draft_pose(d, slider);
  const cardan_vec3 foot = cardan__vec3_axpy(radius, n, p);
  const int q = d->model->body[slider].qadr;
  const double pitch = 2 * 3.14159265358979323846 * radius / 16;
  const double here = cardan__vec3_dot(cardan__vec3_sub(foot, W->p), s);
  const double now = d->start->q[q];
  const cardan_vec3 line = cardan__vec3_axpy(-here, s, foot); // beside the slider's origin
  const cardan_xform X = {.R = cardan__mat3_from_columns(
                              s, cardan__vec3_neg(n), cardan__vec3_cross(s, cardan__vec3_neg(n))),
                          .p = line};
  const cardan_xform inverse = cardan_xform_inverse(W), local = cardan_xform_mul(&inverse, &X);
  // what passes the wheel while the slider goes its way
  const int glyph = cardan__glyph_rack(d, here - (d->high[q] - now) - 2 * pitch,
                                       here + (now - d->low[q]) + 2 * pitch, pitch);
  cardan_symbol *symbol = cardan__draft_symbol(d, glyph, slider, &local);
  symbol->name = it->name;
  symbol->kind = it->word;
  add_wheel(d, it, wheel, radius, pitch);
  return true;
}

/* coef[0] a + coef[1] b = constant: db/da = - coef[0] / coef[1] */
static void add_gear(cardan__draft *d, const item *it)
{
  const cardan_model *model = d->model;
  if (it->row == NULL || it->q[0] < 0 || it->q[1] < 0) {
    return;
  }
  const int body[2] = {model->q_body[it->q[0]], model->q_body[it->q[1]]};
  const double ratio = -it->row->coef[0] / it->row->coef[1];
  bool slides[2], plain = isfinite(ratio) && ratio != 0;
  for (int k = 0; k < 2; k++) {
    const cardan__link_type *type = cardan__link_type_of(model->body[body[k]].kind);
    slides[k] = type->nslide > 0;
    plain = plain && type->nturn + type->nslide == 1;
  }
  bool done = false;
  if (plain && !slides[0] && !slides[1]) {
    done = add_wheels(d, it, body, ratio);
  } else if (plain && slides[0] != slides[1]) {
    done = slides[1] ? add_rack(d, it, body[0], body[1], ratio)
                     : add_rack(d, it, body[1], body[0], 1 / ratio);
  }
  if (!done) {
    draw_coupling(d, it, it->q[0], it->q[1]);
  }
}

/* A screw made of a turn and a slide: the thread stands on what carries the slide's way. */
static void add_thread(cardan__draft *d, const item *it)
{
  const cardan_model *model = d->model;
  if (it->q[1] < 0) {
    return;
  }
  const int slider = model->q_body[it->q[1]], q = it->q[1];
  const cardan_body *body = &model->body[slider];
  const int glyph = cardan__glyph_rod(d, fmin(d->low[q], d->high[q]), d->high[q], true);
  cardan_symbol *symbol = cardan__draft_symbol(d, glyph, body->parent, &body->X);
  symbol->name = it->name;
  symbol->kind = it->word;
  symbol->room = d->room[slider];
}

static void add_item(cardan__draft *d, cardan__draw draw, const item *it)
{
  switch (draw) {
  case CARDAN__DRAW_POINT:
    add_mark(d, CARDAN__GLYPH_CLOSURE, it);
    break;
  case CARDAN__DRAW_BUSHING:
    add_mark(d, CARDAN__GLYPH_BUSHING, it);
    break;
  case CARDAN__DRAW_CORD:
    add_tie(d, CARDAN_TIE_CORD, it, 0);
    break;
  case CARDAN__DRAW_COIL:
    add_tie(d, CARDAN_TIE_COIL, it, it->value != NULL ? it->value[1] : 0);
    break;
  case CARDAN__DRAW_DASHPOT:
    add_tie(d, CARDAN_TIE_DASHPOT, it, 0);
    break;
  case CARDAN__DRAW_RAM:
    add_tie(d, CARDAN_TIE_RAM, it, 0);
    break;
  case CARDAN__DRAW_DASHES:
    add_tie(d, CARDAN_TIE_DASHES, it, 0);
    break;
  case CARDAN__DRAW_ROLLING:
    add_along(d,
              it->row->coef[1] > 0 ? cardan__glyph_ball(d, it->row->coef[0])
                                   : cardan__glyph_disc(d, it->row->coef[0]),
              it->row->u, it);
    add_track(d, it, it->row->coef[0], it->row->coef[1] > 0 ? NULL : &it->row->u);
    break;
  case CARDAN__DRAW_TYRE:
    add_along(d, cardan__glyph_disc(d, it->value[CARDAN_TYRE_DISC]), *it->axis, it);
    add_track(d, it, it->value[CARDAN_TYRE_DISC], it->axis);
    break;
  case CARDAN__DRAW_BLADE:
    add_along(d, cardan__glyph_blade(d), it->row->u, it);
    add_track(d, it, 0, NULL);
    break;
  case CARDAN__DRAW_DRIVE:
    if (it->q[0] >= 0) {
      cardan__draft_drive(d, d->model->q_body[it->q[0]], it->name, it->word);
    }
    break;
  case CARDAN__DRAW_TWIST:
    if (it->q[0] >= 0 && it->value != NULL) { // else on a closing joint
      cardan__draft_joint_spring(d, it->q[0], it->value[1], it->name);
    }
    break;
  case CARDAN__DRAW_GEAR:
    add_gear(d, it);
    break;
  case CARDAN__DRAW_THREAD:
    add_thread(d, it);
    break;
  case CARDAN__DRAW_COUPLING:
    if (!cardan__draft_cam(d, it->expr, it->name, it->word)) {
      couple_leaves(d, it);
    }
    break;
  default:
    break;
  }
}

void cardan__draft_ties(cardan__draft *d)
{
  static const double none[2] = {0, 0};
  const cardan_model *model = d->model;
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *of = &model->constraint[c];
    const cardan_row *row = of->nrow > 0 ? &model->row[of->row] : NULL;
    add_item(d, cardan__element_of(of->kind)->draw,
             &(item){of->name,
                     cardan__element_word(of->kind),
                     of->frame,
                     none,
                     NULL,
                     row,
                     {of->var[0], of->var[1]},
                     row != NULL ? row->expr : -1});
  }
  for (int b = 0; b < model->nbound; b++) {
    const cardan_bound *of = &model->bound[b];
    const cardan_row *row = &model->bound_row[of->row];
    const cardan__draw draw = cardan__element_of(of->kind)->draw;
    if (draw == CARDAN__DRAW_STOPS && of->sign > 0 && row->var[0] >= 0 && b + 1 < model->nbound) {
      const double limit[2] = {row->value, model->bound_row[of[1].row].value};
      cardan__draft_stop(d, row->var[0], limit, of->name, cardan__element_word(of->kind));
    }
    add_item(d, draw,
             &(item){of->name,
                     cardan__element_word(of->kind),
                     row->frame,
                     none,
                     NULL,
                     row,
                     {row->var[0], row->var[1]},
                     row->expr});
  }
  for (int f = 0; f < model->nforce; f++) {
    const cardan_force_element *of = &model->force[f];
    const int q = of->var >= 0   ? of->var
                  : of->dof >= 0 ? model->body[model->v_body[of->dof]].qadr
                                 : -1;
    add_item(d, cardan__element_of(of->kind)->draw,
             &(item){of->name,
                     cardan__element_word(of->kind),
                     of->frame,
                     of->value,
                     &of->n,
                     NULL,
                     {q, -1},
                     of->expr[0]});
  }
}
