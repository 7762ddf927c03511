// SPDX-License-Identifier: Apache-2.0
#include "picture_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "picture_space.h"

enum { ELLIPSE = 60, SAMPLES = 100 };
static const double two_pi = 6.283185307179586;

point project(const projection *view, cardan_vec3 p)
{
  return (point){dot(view->right, p), dot(view->top, p)};
}

void move_to_sample(const cardan_model *model, const cardan_film *film, int sample,
                    cardan_data *data)
{
  memcpy(data->q, cardan_film_sample(film, sample) + 1, (size_t)model->nq * sizeof *data->q);
  cardan_joints(model, data);
  cardan_poses(model, data);
}

/* How far the shapes of a frame reach along axis k of the world: of boxes and cylinders as they
 * are, planes and meshes aside. */
static double shape_half(const cardan_model *model, int f, const cardan_xform *X, int k)
{
  const cardan_frame *frame = &model->frame[f];
  double most = 0;
  for (int i = frame->shape; i < frame->shape + frame->nshape; i++) {
    const cardan_shape *shape = &model->shape[i];
    const double *s = shape->size, *row = X->R.m[k];
    double half = 0;
    if (shape->kind == CARDAN_SHAPE_BOX) {
      half = (fabs(row[0]) * s[0] + fabs(row[1]) * s[1] + fabs(row[2]) * s[2]) / 2;
    } else if (shape->kind == CARDAN_SHAPE_CYLINDER || shape->kind == CARDAN_SHAPE_CAPSULE) {
      half = s[0] * sqrt(fmax(0, 1 - row[2] * row[2])) + fabs(row[2]) * s[1] / 2;
    } else if (shape->kind == CARDAN_SHAPE_SPHERE) {
      half = s[0];
    } else if (shape->kind == CARDAN_SHAPE_ELLIPSOID) {
      half = sqrt(row[0] * row[0] * s[0] * s[0] + row[1] * row[1] * s[1] * s[1] +
                  row[2] * row[2] * s[2] * s[2]);
    }
    most = fmax(most, half);
  }
  return most;
}

/* Widens a box by all frames of bodies from `first` on, and their shapes. */
static void widen_box(const cardan_model *model, const cardan_data *data, int first, double low[3],
                      double high[3])
{
  for (int f = 0; f < model->nframe; f++) {
    if (model->frame[f].body < first) {
      continue;
    }
    const cardan_xform X = cardan_frame_pose(model, data, f);
    const double x[3] = {X.p.x, X.p.y, X.p.z};
    for (int k = 0; k < 3; k++) {
      const double half = shape_half(model, f, &X, k);
      low[k] = fmin(low[k], x[k] - half);
      high[k] = fmax(high[k], x[k] + half);
    }
  }
}

static void grow(const cardan_model *model, const cardan_data *data, double low[3], double high[3])
{
  widen_box(model, data, 0, low, high);
}

void widen_moving(const cardan_model *model, const cardan_data *data, double low[3], double high[3])
{
  widen_box(model, data, 1, low, high);
}

projection choose_projection(const cardan_model *model, const cardan_film *film, cardan_data *data)
{
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  const int n = cardan_film_sample_count(film), step = n / SAMPLES + 1;
  for (int i = 0; i < n; i += step) {
    move_to_sample(model, film, i, data);
    grow(model, data, low, high);
  }
  const double size[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
  int thin = 0;
  for (int k = 1; k < 3; k++) {
    thin = size[k] < size[thin] ? k : thin;
  }
  const double second = fmin(size[(thin + 1) % 3], size[(thin + 2) % 3]);
  const double g2 = dot(model->gravity, model->gravity);
  cardan_vec3 up = {0, 0, 1};
  if (g2 > 0) {
    up = unit((cardan_vec3){-model->gravity.x, -model->gravity.y, -model->gravity.z});
  }
  const cardan_vec3 normal = {thin == 0, -(thin == 1), thin == 2};
  cardan_vec3 back = {0.75, -1, 0.5};
  if (size[thin] < 0.12 * second && fabs(dot(normal, up)) < 0.5) {
    back = normal;
  } else if (fabs(up.z) < 0.5) {
    back = fabs(up.y) > 0.5 ? (cardan_vec3){0.75, 0.5, 1} : (cardan_vec3){0.5, 0.75, 1};
  }
  projection view = {.back = unit(back)};
  view.right = unit(cross(up, view.back));
  view.top = cross(view.back, view.right);
  return view;
}

static int by_place(const void *a, const void *b)
{
  const point *p = a, *q = b;
  return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

static double turn(point a, point b, point c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* By Andrew's monotone chain. */
void outline_hull(outline *out, point *p, int n)
{
  point chain[2 * OUTLINE_POINTS] = {{0, 0}};
  int k = 0;
  qsort(p, (size_t)n, sizeof *p, by_place);
  for (int i = 0; i < n; i++) {
    while (k >= 2 && turn(chain[k - 2], chain[k - 1], p[i]) <= 0) {
      k--;
    }
    chain[k++] = p[i];
  }
  for (int i = n - 2, least = k + 1; i >= 0; i--) {
    while (k >= least && turn(chain[k - 2], chain[k - 1], p[i]) <= 0) {
      k--;
    }
    chain[k++] = p[i];
  }
  out->n = k > 1 ? k - 1 : k;
  memcpy(out->p, chain, (size_t)out->n * sizeof *chain);
}

int outline_circle(const projection *view, cardan_vec3 c, cardan_vec3 a, cardan_vec3 b, double r,
                   point *p)
{
  for (int i = 0; i < OUTLINE_CIRCLE; i++) {
    const double angle = two_pi * i / OUTLINE_CIRCLE;
    p[i] = project(view, add(add(c, r * cos(angle), a), r * sin(angle), b));
  }
  return OUTLINE_CIRCLE;
}

/* Where an ellipsoid of semi-axes a ends: for a direction n across the line of sight, in its own
 * axes, the farthest point is D^2 n / |D n|, D = diag(a). */
static int add_ellipse(const projection *view, const cardan_xform *X, const double *a, point *p)
{
  const double(*m)[3] = X->R.m;
  for (int i = 0; i < ELLIPSE; i++) {
    const double angle = two_pi * i / ELLIPSE;
    const cardan_vec3 n =
        add(add((cardan_vec3){0}, cos(angle), view->right), sin(angle), view->top);
    const cardan_vec3 d = {a[0] * (m[0][0] * n.x + m[1][0] * n.y + m[2][0] * n.z),
                           a[1] * (m[0][1] * n.x + m[1][1] * n.y + m[2][1] * n.z),
                           a[2] * (m[0][2] * n.x + m[1][2] * n.y + m[2][2] * n.z)};
    const cardan_vec3 u = unit(d);
    p[i] = project(view, at(X, (cardan_vec3){a[0] * u.x, a[1] * u.y, a[2] * u.z}));
  }
  return ELLIPSE;
}

void outline_rod(outline *out, const projection *view, cardan_vec3 a, cardan_vec3 b, double r)
{
  point p[OUTLINE_POINTS];
  int n = outline_circle(view, a, view->right, view->top, r, p);
  n += outline_circle(view, b, view->right, view->top, r, p + n);
  outline_hull(out, p, n);
  out->depth = dot(view->back, add(a, 1, b)) / 2;
}

static void shape_outline(outline *out, const projection *view, const cardan_shape *shape,
                          const cardan_xform *X)
{
  point p[OUTLINE_POINTS];
  const double *s = shape->size;
  const double half = shape->kind == CARDAN_SHAPE_SPHERE ? 0 : s[1] / 2;
  const cardan_vec3 a = at(X, (cardan_vec3){0, 0, -half}), b = at(X, (cardan_vec3){0, 0, half});
  int n = 0;
  if (shape->kind == CARDAN_SHAPE_BOX) {
    for (int k = 0; k < 8; k++) {
      const cardan_vec3 corner = {(k & 1 ? 0.5 : -0.5) * s[0], (k & 2 ? 0.5 : -0.5) * s[1],
                                  (k & 4 ? 0.5 : -0.5) * s[2]};
      p[n++] = project(view, at(X, corner));
    }
  } else if (shape->kind == CARDAN_SHAPE_CYLINDER) {
    const cardan_vec3 x = {X->R.m[0][0], X->R.m[1][0], X->R.m[2][0]};
    const cardan_vec3 y = {X->R.m[0][1], X->R.m[1][1], X->R.m[2][1]};
    n = outline_circle(view, a, x, y, s[0], p);
    n += outline_circle(view, b, x, y, s[0], p + n);
  } else if (shape->kind == CARDAN_SHAPE_ELLIPSOID) {
    n = add_ellipse(view, X, s, p);
  } else {
    outline_rod(out, view, a, b, s[0]);
    return;
  }
  outline_hull(out, p, n);
  out->depth = dot(view->back, X->p);
}

static void set_color(outline *out, const cardan_frame *frame)
{
  static const unsigned palette[] = {0x5b8fb9, 0xd98e5f, 0x6aa58c, 0xb97a95,
                                     0xc2a84e, 0x7f86c4, 0x8d9aa8, 0xa3785a};
  unsigned rgb = palette[(frame->body + 7) % 8];
  if (frame->color) {
    (void)sscanf(frame->color, "#%6x", &rgb);
  }
  out->red = (rgb >> 16 & 255U) / 255.0;
  out->green = (rgb >> 8 & 255U) / 255.0;
  out->blue = (rgb & 255U) / 255.0;
}

int outline_by_depth(const void *a, const void *b)
{
  const outline *p = a, *q = b;
  return (p->depth > q->depth) - (p->depth < q->depth);
}

/* Is there something to see of a shape? */
static bool is_drawn(const cardan_model *model, cardan_mesh *const *mesh, int s)
{
  const cardan_shape *shape = &model->shape[s];
  return mesh[s] != NULL ||
         (shape->kind != CARDAN_SHAPE_MESH && shape->kind != CARDAN_SHAPE_POINT &&
          shape->kind != CARDAN_SHAPE_HEIGHT_FIELD && !shape->hidden);
}

static bool has_shapes(const cardan_model *model, cardan_mesh *const *mesh, int body)
{
  bool any = false;
  for (int f = 0; f < model->nframe; f++) {
    const cardan_frame *frame = &model->frame[f];
    for (int s = frame->shape; s < frame->shape + frame->nshape && frame->body == body; s++) {
      any = any || is_drawn(model, mesh, s);
    }
  }
  return any;
}

/* The height field of a shape, which a solid has; NULL: it has none. */
static const cardan_height_field *field_of(const cardan_model *model, int shape)
{
  const cardan_height_field *field = NULL;
  for (int i = 0; i < model->nsolid; i++) {
    const cardan_solid *s = &model->solid[i];
    field = s->shape == shape && s->field >= 0 && !model->shape[shape].hidden
                ? &model->field[s->field]
                : field;
  }
  return field;
}

enum {
  FACETS = 20000,
  FIELD_FACETS = 8000,
  LEAST_FACETS = 100,
  MOST_FACETS = 1500
}; // of all meshes, of one

/* The first shape with the file of this one, a mesh. */
static int first_with(const cardan_model *model, int shape)
{
  int s = 0;
  while (model->shape[s].kind != CARDAN_SHAPE_MESH ||
         strcmp(model->shape[s].file, model->shape[shape].file) != 0) {
    s++;
  }
  return s;
}

cardan_mesh **load_meshes(const cardan_model *model, const cardan_files *files)
{
  cardan_mesh **mesh = calloc((size_t)model->nshape + 1, sizeof(cardan_mesh *));
  int n = 0;
  for (int s = 0; s < model->nshape; s++) {
    n += model->shape[s].kind == CARDAN_SHAPE_MESH;
  }
  const int share = FACETS / (n > 0 ? n : 1);
  const int most = share < LEAST_FACETS ? LEAST_FACETS : share > MOST_FACETS ? MOST_FACETS : share;
  for (int s = 0; s < model->nshape && mesh != NULL && files != NULL; s++) {
    const int first = model->shape[s].kind == CARDAN_SHAPE_MESH ? first_with(model, s) : s;
    const cardan_height_field *field = field_of(model, s);
    if (field != NULL) {
      if (cardan_height_field_mesh(field, FIELD_FACETS, NULL, &mesh[s]) != CARDAN_OK) {
        mesh[s] = NULL;
      }
    } else if (first < s) {
      mesh[s] = mesh[first];
    } else if (model->shape[s].kind == CARDAN_SHAPE_MESH &&
               cardan_mesh_load(files, model->shape[s].file, most, NULL, &mesh[s], NULL) !=
                   CARDAN_OK) {
      mesh[s] = NULL;
    }
  }
  return mesh;
}

void drop_meshes(const cardan_model *model, cardan_mesh **mesh)
{
  for (int s = 0; s < model->nshape && mesh != NULL; s++) {
    const bool file = model->shape[s].kind == CARDAN_SHAPE_MESH;
    if (mesh[s] != NULL && (!file || first_with(model, s) == s)) {
      cardan_mesh_destroy(mesh[s]);
    }
  }
  free(mesh);
}

/* Brighter where a face is turned to the camera. */
static void shade(outline *o, const projection *view, cardan_vec3 normal, const cardan_frame *frame)
{
  const double light = 0.55 + 0.45 * fabs(dot(normal, view->back));
  set_color(o, frame);
  o->red *= light;
  o->green *= light;
  o->blue *= light;
}

/* Triangles of a mesh, brighter where they are turned to the camera. */
static int facets(outline *out, const projection *view, const cardan_shape *shape,
                  const cardan_mesh *mesh, const cardan_xform *X, const cardan_frame *frame)
{
  const double *by = shape->size;
  for (int f = 0; f < mesh->nface; f++) {
    cardan_vec3 corner[3];
    outline *o = &out[f];
    o->n = 3;
    o->facet = true;
    o->depth = 0;
    for (int k = 0; k < 3; k++) {
      const cardan_vec3 v = mesh->vertex[mesh->face[f][k]];
      corner[k] =
          at(X, (cardan_vec3){by[0] != 0 ? by[0] * v.x : v.x, by[1] != 0 ? by[1] * v.y : v.y,
                              by[2] != 0 ? by[2] * v.z : v.z});
      o->p[k] = project(view, corner[k]);
      o->depth += dot(view->back, corner[k]) / 3;
    }
    const cardan_vec3 normal =
        unit(cross(add(corner[1], -1, corner[0]), add(corner[2], -1, corner[0])));
    shade(o, view, normal, frame);
  }
  return mesh->nface;
}

/* A piece of a plane, behind everything: where it is, or of the world below what moves. */
static void tile(outline *out, const projection *view, double half, const cardan_xform *X,
                 const cardan_frame *frame)
{
  static const double side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  cardan_vec3 c = {0, 0, 0};
  out->ground = frame->body == 0;
  if (out->ground) {
    const cardan_vec3 d = add(view->middle, -1, X->p);
    c.x = X->R.m[0][0] * d.x + X->R.m[1][0] * d.y + X->R.m[2][0] * d.z;
    c.y = X->R.m[0][1] * d.x + X->R.m[1][1] * d.y + X->R.m[2][1] * d.z;
    half = fmax(1.3 * view->reach, half);
  }
  for (int k = 0; k < 4; k++) {
    out->p[k] =
        project(view, at(X, (cardan_vec3){c.x + half * side[k][0], c.y + half * side[k][1], 0}));
  }
  out->n = 4;
  out->depth = -HUGE_VAL;
  set_color(out, frame);
  if (frame->color == NULL) {
    out->red = out->green = out->blue = 0.88;
  }
}

/* The hull of a shape, which a solid has. */
static const cardan_hull *hull_of(const cardan_model *model, int shape)
{
  int i = 0;
  while (model->solid[i].shape != shape) {
    i++;
  }
  return &model->hull[model->solid[i].hull];
}

static int hull_facets(outline *out, const projection *view, const cardan_hull *h,
                       const cardan_xform *X, const cardan_frame *frame)
{
  for (int f = 0; f < h->nface; f++) {
    const int first = h->first[f], corners = h->first[f + 1] - first;
    outline *o = &out[f];
    o->n = corners < OUTLINE_POINTS ? corners : OUTLINE_POINTS;
    o->facet = true;
    for (int k = 0; k < o->n; k++) {
      const cardan_vec3 corner = at(X, h->vertex[h->corner[first + k]]);
      o->p[k] = project(view, corner);
      o->depth += dot(view->back, corner) / o->n;
    }
    const cardan_xform turn = {.R = X->R};
    shade(o, view, at(&turn, h->normal[f]), frame);
  }
  return h->nface;
}

/* One shape as outlines; how many. */
static int shape_outlines(const cardan_model *model, const projection *view, const cardan_xform *X,
                          int s, double half, const cardan_frame *frame, outline *out)
{
  const cardan_shape *shape = &model->shape[s];
  if (shape->kind == CARDAN_SHAPE_HULL) {
    return hull_facets(out, view, hull_of(model, s), X, frame);
  }
  if (shape->kind == CARDAN_SHAPE_PLANE) {
    tile(out, view, half, X, frame);
    return 1;
  }
  shape_outline(out, view, shape, X);
  set_color(out, frame);
  return 1;
}

/* A bar of a body without shapes, or the ball of a mass. */
static void bar_outline(outline *out, const cardan_model *model, const cardan_data *data,
                        const projection *view, const cardan_symbols *symbols,
                        const cardan_bar *bar)
{
  const cardan_xform *X = &data->X_W[bar->body];
  const double r =
      bar->mass > 0 ? cardan_symbols_ball(symbols, bar->mass, model->mass) : symbols->thick;
  outline_rod(out, view, at(X, bar->a), at(X, bar->b), r);
  set_color(out, &model->frame[bar->frame]);
}

outline *make_outlines(const cardan_model *model, const cardan_data *data, const projection *view,
                       cardan_mesh *const *mesh, const cardan_symbols *symbols, int *n)
{
  size_t most = (size_t)(model->nshape + symbols->nbar) + 1;
  for (int s = 0; s < model->nshape; s++) {
    most += mesh[s] != NULL ? (size_t)mesh[s]->nface : 0;
  }
  for (int i = 0; i < model->nhull; i += 2) {
    most += (size_t)model->hull[i].nface;
  }
  outline *out = calloc(most, sizeof *out);
  bool *shaped = malloc((size_t)model->nbody * sizeof *shaped);
  *n = 0;
  for (int i = 0; shaped && i < model->nbody; i++) {
    shaped[i] = has_shapes(model, mesh, i);
  }
  for (int f = 0; out && shaped && f < model->nframe; f++) {
    const cardan_frame *frame = &model->frame[f];
    const cardan_xform X = cardan_frame_pose(model, data, f);
    for (int s = frame->shape; s < frame->shape + frame->nshape; s++) {
      if (mesh[s] != NULL) {
        *n += facets(out + *n, view, &model->shape[s], mesh[s], &X, frame);
      } else if (is_drawn(model, mesh, s)) {
        *n += shape_outlines(model, view, &X, s, 0.5 * symbols->extent, frame, out + *n);
      }
    }
  }
  for (int b = 0; out && shaped && b < symbols->nbar; b++) {
    if (!shaped[symbols->bar[b].body]) {
      bar_outline(&out[(*n)++], model, data, view, symbols, &symbols->bar[b]);
    }
  }
  if (!out || !shaped) {
    free(out);
    free(shaped);
    return NULL;
  }
  free(shaped);
  qsort(out, (size_t)*n, sizeof *out, outline_by_depth);
  return out;
}
