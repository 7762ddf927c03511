// SPDX-License-Identifier: Apache-2.0
#include "contact/feature.h"

#include <stdio.h>
#include <string.h>

#include "constraints/sparse_kkt.h"
#include "model/body_paths.h"
#include "model/elements.h"

/* ---- where rows reach ---- */

/* The body next to the world on the path from one; 0 for the world. */
static int tree_of(const cardan_model *model, int body)
{
  while (body > 0 && model->body[body].parent > 0) {
    body = model->body[body].parent;
  }
  return body;
}

static void add_tree(cardan__feature *f, int tree)
{
  if (tree == 0 || f->reach.tree[0] < 0 || tree == f->reach.tree[0] || tree == f->reach.tree[1]) {
    return;
  }
  if (f->reach.tree[0] == 0) {
    f->reach.tree[0] = tree;
  } else if (f->reach.tree[1] == 0) {
    f->reach.tree[1] = tree;
  } else {
    f->reach.tree[0] = f->reach.tree[1] = -1;
  }
}

/* Velocities from .. to - 1 join a range, which may be empty. */
static void extend_range(int range[2], int from, int to)
{
  const bool empty = range[0] == range[1];
  if (from < to) {
    range[0] = empty || from < range[0] ? from : range[0];
    range[1] = empty || to > range[1] ? to : range[1];
  }
}

/* The velocities of the bodies from one up to, and without, one of its ancestors. */
static void extend_range_by_path(const cardan_model *model, int range[2], int body, int above)
{
  for (int i = body; i != above; i = model->body[i].parent) {
    const cardan_body *b = &model->body[i];
    extend_range(range, b->vadr, b->vadr + b->nv);
  }
}

/* Ranges that overlap become one. */
static void join(int range[2][2])
{
  if (range[0][0] < range[1][1] && range[1][0] < range[0][1]) {
    extend_range(range[0], range[1][0], range[1][1]);
    range[1][0] = range[1][1] = 0;
  }
}

/* ---- lists ---- */

static bool has_stops(const cardan_joint *joint)
{
  return joint->has_limit && !joint->kinematic && joint->nq == 1;
}

/* The body of a row's only coordinate, where it is that of a stop: q - value; else 0. */
static int stopped_body(const cardan_model *model, const cardan_row *row)
{
  const int body = row->kind == CARDAN_ROW_COORD ? model->q_body[row->var[0]] : 0;
  return row->coef[1] == 0 && model->body[body].nq == 1 ? body : 0;
}

/* Can something stop it? Not a coordinate whose motion is prescribed. */
static bool counts(const cardan_model *model, const cardan_bound *bound)
{
  const int body = stopped_body(model, &model->bound_row[bound->row]);
  return body == 0 || !(model->body[body].flags & CARDAN_LINK_KINEMATIC);
}

int cardan__features_count(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->njoint; i++) {
    n += has_stops(&model->joint[i]) ? 2 : 0;
  }
  for (int i = 0; i < model->nbound; i++) {
    n += counts(model, &model->bound[i]);
  }
  return n;
}

static cardan__feature limit(const cardan_model *model, int index, int side)
{
  const cardan_joint *joint = &model->joint[index];
  const bool pinned = joint->limit[1] - joint->limit[0] <= 0.5 * CARDAN__CLOSED;
  return (cardan__feature){.kind = CARDAN__LIMIT,
                           .joint = index,
                           .index = side,
                           .pair = -1,
                           .q = joint->qadr,
                           .k = joint->vadr,
                           .sign = side == 0 ? 1 : -1,
                           .bound = joint->limit[side],
                           .restitution = pinned ? 0 : joint->restitution,
                           .pinned = pinned,
                           .reach = {.tree = {tree_of(model, joint->first), 0},
                                     .range = {{joint->vadr, joint->vadr + 1}, {0, 0}}},
                           .dim = 1}; // (F1)
}

/* Is there a stop on the other side of the same place? */
static bool is_pinned(const cardan_model *model, const cardan_bound *bound)
{
  const cardan_row *row = &model->bound_row[bound->row];
  bool pinned = false;
  for (int i = 0; i < model->nbound; i++) {
    const cardan_row *other = &model->bound_row[model->bound[i].row];
    const double side = model->bound[i].sign * other->coef[0] * bound->sign * row->coef[0];
    const double apart = other->value / other->coef[0] - row->value / row->coef[0];
    pinned = pinned || (stopped_body(model, other) > 0 && other->var[0] == row->var[0] &&
                        side < 0 && apart * apart <= 0.25 * CARDAN__CLOSED * CARDAN__CLOSED);
  }
  return pinned;
}

static cardan__feature bound_feature(const cardan_model *model, int index)
{
  const cardan_bound *bound = &model->bound[index];
  const cardan_row *row = &model->bound_row[bound->row];
  const int stopped = stopped_body(model, row);
  cardan__feature f = {.kind = CARDAN__BOUND,
                       .joint = -1,
                       .index = index,
                       .pair = -1,
                       .k = -1,
                       .sign = bound->sign,
                       .restitution = bound->restitution,
                       .dim = 1};
  if (stopped > 0) {
    f.joint = model->body[stopped].joint;
    f.q = row->var[0];
    f.k = model->body[stopped].vadr;
    f.sign = bound->sign * row->coef[0];
    f.bound = row->value / row->coef[0];
    f.pinned = is_pinned(model, bound);
    f.restitution = f.pinned ? 0 : f.restitution;
  }
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    extend_range_by_path(model, f.reach.range[0], model->bound_body[i], 0);
    add_tree(&f, tree_of(model, model->bound_body[i]));
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    extend_range(f.reach.range[0], model->bound_dof[i], model->bound_dof[i] + 1);
    add_tree(&f, tree_of(model, model->v_body[model->bound_dof[i]]));
  }
  return f;
}

void cardan__features_list(const cardan_model *model, cardan__feature *feature)
{
  for (int i = 0; i < model->njoint; i++) {
    for (int side = 0; side < 2 && has_stops(&model->joint[i]); side++) {
      *feature++ = limit(model, i, side);
    }
  }
  for (int i = 0; i < model->nbound; i++) {
    if (counts(model, &model->bound[i])) {
      *feature++ = bound_feature(model, i);
    }
  }
}

/* ---- dry friction of joints ---- */

enum { MOST_DRY = 128 }; // the cost of more grows as the cube of their number

/* Is element e a row of its own? */
static bool is_row(const cardan_model *model, const cardan_force_element *e)
{
  const int body = model->v_body[e->dof];
  return model->body[body].nq == 1 && model->body[body].nv == 1 &&
         !(model->body[body].flags & CARDAN_LINK_KINEMATIC);
}

static bool is_dry(const cardan_force_element *e)
{
  return e->kind == CARDAN_ELEMENT_DRY_FRICTION && e->value[0] > 0;
}

/* Dry friction on velocity k by the elements from `first` on. */
static double force_on(const cardan_model *model, int first, int k)
{
  double sum = 0;
  for (int i = first; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    sum += is_dry(e) && e->dof == k ? e->value[0] : 0;
  }
  return sum;
}

/* Is element i the first friction on its velocity? */
static bool comes_first(const cardan_model *model, int i)
{
  for (int j = 0; j < i; j++) {
    if (is_dry(&model->force[j]) && model->force[j].dof == model->force[i].dof) {
      return false;
    }
  }
  return true;
}

int cardan__dry_frictions_count(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->nforce; i++) {
    if (is_dry(&model->force[i])) {
      if (!is_row(model, &model->force[i])) {
        return 0;
      }
      n += comes_first(model, i);
    }
  }
  return n <= MOST_DRY && !cardan__sparse_kkt_suits(model) ? n : 0;
}

void cardan__dry_frictions_list(const cardan_model *model, cardan__feature *feature)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (!is_dry(e) || !comes_first(model, i)) {
      continue;
    }
    const int body = model->v_body[e->dof];
    *feature++ = (cardan__feature){
        .kind = CARDAN__DRY_FRICTION,
        .joint = e->joint,
        .index = e->dof,
        .pair = -1,
        .q = model->body[body].qadr,
        .k = e->dof,
        .sign = 1,
        .force = force_on(model, i, e->dof),
        .reach = {.tree = {tree_of(model, body), 0}, .range = {{e->dof, e->dof + 1}, {0, 0}}},
        .dim = 1};
  }
}

void cardan__feature_of_spot(const cardan_model *model, const cardan__spot *spot,
                             cardan__feature *feature)
{
  const cardan_pair *pair = &model->pair[spot->pair];
  const int A = model->solid[pair->solid[0]].body, B = model->solid[pair->solid[1]].body;
  const int above = cardan__meeting(model, A, B);
  *feature = (cardan__feature){.kind = CARDAN__SPOT,
                               .joint = -1,
                               .index = spot->id,
                               .pair = spot->pair,
                               .k = -1,
                               .sign = 1,
                               .restitution = pair->restitution,
                               .spot = *spot,
                               .dim = 1};
  extend_range_by_path(model, feature->reach.range[0], A, above);
  extend_range_by_path(model, feature->reach.range[1], B, above);
  join(feature->reach.range);
  add_tree(feature, tree_of(model, A));
  add_tree(feature, tree_of(model, B));
}

void cardan__feature_name(const cardan_model *model, const cardan__feature *f, char *text,
                          size_t size)
{
  if (f->kind == CARDAN__LIMIT) {
    snprintf(text, size, "the limit %.6g of joint \"%.60s\"", f->bound,
             model->joint[f->joint].name);
  } else if (f->kind == CARDAN__DRY_FRICTION) {
    snprintf(text, size, "dry friction of joint \"%.60s\"", model->joint[f->joint].name);
  } else if (f->kind == CARDAN__BOUND) {
    const cardan_bound *bound = &model->bound[f->index];
    snprintf(text, size, "%s \"%.60s\"", cardan__element_word(bound->kind), bound->name);
  } else {
    const int *solid = model->pair[f->pair].solid;
    snprintf(text, size, "contact \"%.60s\" - \"%.60s\"", model->solid[solid[0]].name,
             model->solid[solid[1]].name);
  }
}
