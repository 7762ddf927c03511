// SPDX-License-Identifier: Apache-2.0
#include "output/symbols.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "model/joint_table.h"
#include "spatial/rotation.h"

/* The description of a model, O(bodies + frames + elements + samples of the films): where all is at
 * the start, how far coordinates go, how large things are; then joints, ties and skeletons. */

struct cardan_symbols_memory {
  cardan_allocator alloc;
};

cardan_symbol *cardan__draft_symbol(cardan__draft *d, int glyph, int body, const cardan_xform *X)
{
  cardan_symbols *to = d->to;
  if (d->failed || cardan__grow(&d->alloc, (void **)&to->symbol, &d->symbol_capacity,
                                to->nsymbol + 1, sizeof *to->symbol) != CARDAN_OK) {
    d->failed = true;
    return &d->lost;
  }
  cardan_symbol *symbol = &to->symbol[to->nsymbol++];
  *symbol = (cardan_symbol){
      .glyph = glyph, .name = "", .kind = "", .body = body, .X = *X, .room = d->room[body]};
  return symbol;
}

void cardan__draft_tie(cardan__draft *d, const cardan_tie *tie)
{
  cardan_symbols *to = d->to;
  if (d->failed || cardan__grow(&d->alloc, (void **)&to->tie, &d->tie_capacity, to->ntie + 1,
                                sizeof *to->tie) != CARDAN_OK) {
    d->failed = true;
  } else {
    to->tie[to->ntie++] = *tie;
  }
}

void cardan__draft_bar(cardan__draft *d, const cardan_bar *bar)
{
  cardan_symbols *to = d->to;
  if (d->failed || cardan__grow(&d->alloc, (void **)&to->bar, &d->bar_capacity, to->nbar + 1,
                                sizeof *to->bar) != CARDAN_OK) {
    d->failed = true;
  } else {
    to->bar[to->nbar++] = *bar;
  }
}

void cardan__draft_track(cardan__draft *d, const cardan_track *track)
{
  cardan_symbols *to = d->to;
  if (d->failed || cardan__grow(&d->alloc, (void **)&to->track, &d->track_capacity, to->ntrack + 1,
                                sizeof *to->track) != CARDAN_OK) {
    d->failed = true;
  } else {
    to->track[to->ntrack++] = *track;
  }
}

const cardan_xform *cardan__draft_pose(const cardan__draft *d, int body)
{
  return &d->start->X_W[body];
}

cardan_mat3 cardan__axes(cardan_vec3 z, cardan_vec3 y)
{
  const cardan_vec3 trial[3] = {y, {0, 0, 1}, {1, 0, 0}};
  cardan_vec3 x = {1, 0, 0};
  z = cardan__vec3_normalize(z);
  for (int k = 0; k < 3; k++) {
    x = cardan__vec3_cross(trial[k], z);
    if (cardan__vec3_norm(x) > 0.05) {
      break;
    }
  }
  x = cardan__vec3_normalize(x);
  return cardan__mat3_from_columns(x, cardan__vec3_cross(z, x), z);
}

/* Widens low and high by what a film went through. */
static void widen(cardan__draft *d, const cardan_film *film)
{
  for (int i = 0; i < cardan_film_extreme_count(film); i++) {
    const double *min, *max;
    double t;
    cardan_film_extreme(film, i, &t, &min, &max);
    for (int k = 0; k < d->model->nq; k++) {
      d->low[k] = min[1 + k] < d->low[k] ? min[1 + k] : d->low[k];
      d->high[k] = max[1 + k] > d->high[k] ? max[1 + k] : d->high[k];
    }
  }
}

/* Poses at the start, and the way of each coordinate from there. */
static void set_start(cardan__draft *d, const cardan_film *const *film, int nfilm)
{
  const size_t size = (size_t)d->model->nq * sizeof(double);
  for (int i = nfilm - 1; i >= 0; i--) {
    if (cardan_film_sample_count(film[i]) > 0) {
      memcpy(d->start->q, cardan_film_sample(film[i], 0) + 1, size);
    }
  }
  cardan_joints(d->model, d->start);
  cardan_poses(d->model, d->start);
  memcpy(d->low, d->start->q, size);
  memcpy(d->high, d->start->q, size);
  for (int i = 0; i < nfilm; i++) {
    widen(d, film[i]);
  }
}

/* Is a frame of the world part of the mechanism: does something hang there or is tied to it? */
static bool is_used(const cardan_model *model, int f)
{
  bool used = model->frame[f].body > 0 || model->frame[f].nshape > 0;
  for (int c = 0; c < model->nconstraint && !used; c++) {
    used = cardan__element_joins_frames(cardan__element_of(model->constraint[c].kind)) &&
           (model->constraint[c].frame[0] == f || model->constraint[c].frame[1] == f);
  }
  for (int e = 0; e < model->nforce && !used; e++) {
    used = cardan__element_joins_frames(cardan__element_of(model->force[e].kind)) &&
           (model->force[e].frame[0] == f || model->force[e].frame[1] == f);
  }
  return used;
}

static void widen_box(cardan_vec3 box[2], cardan_vec3 p)
{
  box[0] = (cardan_vec3){fmin(box[0].x, p.x), fmin(box[0].y, p.y), fmin(box[0].z, p.z)};
  box[1] = (cardan_vec3){fmax(box[1].x, p.x), fmax(box[1].y, p.y), fmax(box[1].z, p.z)};
}

/* The box around what is part of the mechanism at the start: however far it travels, it is as
 * large. */
static void measure(cardan__draft *d)
{
  const cardan_model *model = d->model;
  cardan_vec3 box[2] = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  cardan_vec3 moving[2] = {box[0], box[1]};
  for (int f = 0; f < model->nframe; f++) {
    const cardan_vec3 p = cardan_frame_pose(model, d->start, f).p;
    if (isfinite(p.x + p.y + p.z) && is_used(model, f)) {
      widen_box(box, p);
    }
    if (isfinite(p.x + p.y + p.z) && model->frame[f].body > 0) {
      widen_box(moving, p);
    }
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *body = &model->body[i];
    if (body->parent == 0 && body->nv < 6 && cardan__link_type_of(body->kind)->nslide == 0) {
      widen_box(box, body->X.p);
    }
  }
  d->extent = cardan__vec3_norm(cardan__vec3_sub(box[1], box[0]));
  d->middle = cardan__vec3_scale(0.5, cardan__vec3_add(moving[0], moving[1]));
  d->extent = isfinite(d->extent) && d->extent > 0 ? d->extent : 0;
  if (!isfinite(d->middle.x + d->middle.y + d->middle.z)) {
    d->middle = (cardan_vec3){0};
  }
  const cardan_vec3 g = model->gravity;
  d->up = cardan__vec3_norm(g) > 0 ? cardan__vec3_normalize(cardan__vec3_neg(g))
          : model->planar && fabs(model->plane_normal.z) > 0.5 ? (cardan_vec3){0, 1, 0}
                                                               : (cardan_vec3){0, 0, 1};
}

/* Half the least size of a slender shape; a ball is no measure of how thick bars are. */
static double half_width(const cardan_shape *shape)
{
  const double *s = shape->size;
  switch (shape->kind) {
  case CARDAN_SHAPE_BOX:
    return fmin(s[0], fmin(s[1], s[2])) / 2;
  case CARDAN_SHAPE_SPHERE:
    return 0.4 * s[0];
  case CARDAN_SHAPE_ELLIPSOID:
    return 0.4 * fmin(s[0], fmin(s[1], s[2]));
  case CARDAN_SHAPE_CYLINDER:
  case CARDAN_SHAPE_CAPSULE:
    return s[0];
  default:
    return 0;
  }
}

/* The mean way from joint to joint [m]; 0: there are no two. */
static double mean_link(const cardan_model *model, double least)
{
  double sum = 0;
  int n = 0;
  for (int i = 1; i < model->nbody; i++) {
    const double way = cardan__vec3_norm(model->body[i].X.p);
    if (model->body[i].parent > 0 && way > least) {
      sum += way;
      n++;
    }
  }
  return n > 0 ? sum / n : 0;
}

/* Of bars: a share of the extent, of the links where there are many, and less where shapes are
 * more slender. */
static void set_thickness(cardan__draft *d)
{
  double largest = 0, least = HUGE_VAL;
  for (int s = 0; s < d->model->nshape; s++) {
    const double half = half_width(&d->model->shape[s]);
    largest = fmax(largest, half);
    least = half > 0 && half < least ? half : least;
  }
  if (d->extent == 0) {
    d->extent = largest > 0 ? 4 * largest : 1;
  }
  const double link = mean_link(d->model, 1e-6 * d->extent);
  const double usual = fmin(0.0075 * d->extent, link > 0 ? 0.03 * link : HUGE_VAL);
  d->to->extent = d->extent;
  d->to->thick = fmin(usual, fmax(0.75 * least, 0.25 * usual));
  d->to->ball = 3.2 * usual;
}

double cardan_symbols_ball(const cardan_symbols *symbols, double mass, double all)
{
  return all > 0 && mass > 0 ? symbols->thick + symbols->ball * cbrt(mass / all) : symbols->thick;
}

/* The nearest other joint or mass along the tree. */
static void set_room(cardan__draft *d)
{
  const cardan_model *model = d->model;
  const double least = 1e-6 * d->extent;
  for (int i = 0; i < model->nbody; i++) {
    d->room[i] = d->extent;
  }
  for (int i = 1; i < model->nbody; i++) {
    const double way = cardan__vec3_norm(model->body[i].X.p);
    const int parent = model->body[i].parent;
    if (way > least && parent > 0) {
      d->room[i] = fmin(d->room[i], way);
      d->room[parent] = fmin(d->room[parent], way);
    }
  }
  for (int f = 0; f < model->nframe; f++) {
    const double way = cardan__vec3_norm(model->frame[f].X_BF.p);
    const int body = model->frame[f].body;
    if (way > least && body > 0 && model->frame[f].has_mass) {
      d->room[body] = fmin(d->room[body], 2 * way);
    }
  }
}

static bool take_memory(cardan__draft *d)
{
  const size_t nq = (size_t)d->model->nq + 1, nbody = (size_t)d->model->nbody;
  d->low = cardan__zeros(&d->alloc, nq * sizeof *d->low);
  d->high = cardan__zeros(&d->alloc, nq * sizeof *d->high);
  d->room = cardan__zeros(&d->alloc, nbody * sizeof *d->room);
  d->driven = cardan__zeros(&d->alloc, nbody * sizeof *d->driven);
  return d->low && d->high && d->room && d->driven &&
         cardan_data_create(d->model, &d->alloc, &d->start) == CARDAN_OK;
}

static void drop(cardan__draft *d)
{
  cardan__resize(&d->alloc, d->low, 0);
  cardan__resize(&d->alloc, d->high, 0);
  cardan__resize(&d->alloc, d->room, 0);
  cardan__resize(&d->alloc, d->driven, 0);
  cardan__resize(&d->alloc, d->ground, 0);
  cardan_data_destroy(d->start);
}

cardan_status cardan_symbols_create(const cardan_model *model, const cardan_film *const *film,
                                    int nfilm, const cardan_allocator *allocator,
                                    cardan_symbols **out)
{
  cardan__draft d = {.model = model};
  *out = NULL;
  if (allocator) {
    d.alloc = *allocator;
  }
  d.to = cardan__zeros(allocator, sizeof *d.to);
  if (d.to != NULL) {
    d.to->memory = cardan__zeros(allocator, sizeof *d.to->memory);
  }
  d.failed = d.to == NULL || d.to->memory == NULL || !take_memory(&d);
  if (!d.failed) {
    d.to->memory->alloc = d.alloc;
    set_start(&d, film, nfilm);
    measure(&d);
    set_thickness(&d);
    set_room(&d);
    cardan__draft_bars(&d);
    cardan__draft_joints(&d);
    cardan__draft_ties(&d);
    cardan__draft_world(&d);
    cardan__draft_arrows(&d, nfilm > 0 ? film[0] : NULL);
  }
  drop(&d);
  if (d.failed) {
    if (d.to != NULL && d.to->memory != NULL) {
      d.to->memory->alloc = d.alloc;
      cardan_symbols_destroy(d.to);
    } else {
      cardan__resize(allocator, d.to, 0);
    }
    return CARDAN_ERR_MEMORY;
  }
  *out = d.to;
  return CARDAN_OK;
}

void cardan_symbols_destroy(cardan_symbols *symbols)
{
  if (symbols != NULL) {
    const cardan_allocator alloc = symbols->memory->alloc;
    void *const piece[] = {symbols->glyph, symbols->part,  symbols->symbol, symbols->tie,
                           symbols->bar,   symbols->arrow, symbols->track,  symbols->memory};
    for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
      cardan__resize(&alloc, piece[i], 0);
    }
    cardan__resize(&alloc, symbols, 0);
  }
}
