// SPDX-License-Identifier: Apache-2.0
#include "contact/broad.h"

#include <math.h>
#include <string.h>

#include "spatial/spatial.h"

/* Sort and sweep.
 * [1] D. Baraff, Dynamic simulation of non-penetrating rigid bodies, thesis, 1992, section 2.3.2.
 * The boxes are sorted by their lower end along the axis along which their middles are spread most;
 * from each, those that begin before it ends are looked at along the other axes. Departure from
 * [1]: one axis, a merge sort that begins with the last order (runs that follow one another are not
 * merged again), and no memory of overlaps. */

/* Pairs with a plane, and (plane not NULL) which. */
static size_t count_planes(const cardan_model *model, int *plane)
{
  size_t n = 0;
  for (int p = 0; p < model->npair; p++) {
    if (model->solid[model->pair[p].solid[1]].kind == CARDAN_SHAPE_PLANE) {
      if (plane != NULL) {
        plane[n] = p;
      }
      n++;
    }
  }
  return n;
}

void cardan__broad_carve(cardan__broad *broad, const cardan_model *model, cardan__carver *carver)
{
  const size_t n = (size_t)model->nsolid;
  broad->middle = cardan__carve(carver, n, sizeof *broad->middle);
  broad->half = cardan__carve(carver, n, sizeof *broad->half);
  broad->low = cardan__carve(carver, n, sizeof *broad->low);
  broad->high = cardan__carve(carver, n, sizeof *broad->high);
  broad->X = cardan__carve(carver, n, sizeof *broad->X);
  broad->grown = cardan__carve(carver, n, sizeof *broad->grown);
  broad->key = cardan__carve(carver, n, sizeof *broad->key);
  broad->order = cardan__carve(carver, n, sizeof *broad->order);
  broad->spare = cardan__carve(carver, n, sizeof *broad->spare);
  broad->first = cardan__carve(carver, n + 1, sizeof *broad->first);
  broad->plane = cardan__carve(carver, count_planes(model, NULL), sizeof *broad->plane);
  broad->near = cardan__carve(carver, ((size_t)model->npair + 63) / 64, sizeof *broad->near);
}

/* The box of a solid in its own coordinates. */
static void box_of(const cardan_model *model, const cardan_solid *s, cardan_vec3 *middle,
                   cardan_vec3 *half)
{
  const double *a = s->size;
  *middle = *half = (cardan_vec3){0, 0, 0};
  switch (s->kind) {
  case CARDAN_SHAPE_BOX:
    *half = cardan__vec3(0.5 * a[0], 0.5 * a[1], 0.5 * a[2]);
    break;
  case CARDAN_SHAPE_SPHERE:
    *half = cardan__vec3(a[0], a[0], a[0]);
    break;
  case CARDAN_SHAPE_CYLINDER:
    *half = cardan__vec3(a[0], a[0], 0.5 * a[1]);
    break;
  case CARDAN_SHAPE_CAPSULE:
    *half = cardan__vec3(a[0], a[0], 0.5 * a[1] + a[0]);
    break;
  case CARDAN_SHAPE_ELLIPSOID:
    *half = cardan__vec3(a[0], a[1], a[2]);
    break;
  case CARDAN_SHAPE_HULL: {
    const cardan_hull *hull = &model->hull[s->hull];
    cardan_vec3 low = hull->vertex[0], high = low;
    for (int i = 1; i < hull->nvertex; i++) {
      const cardan_vec3 x = hull->vertex[i];
      low = cardan__vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
      high = cardan__vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    *middle = cardan__vec3_scale(0.5, cardan__vec3_add(low, high));
    *half = cardan__vec3_scale(0.5, cardan__vec3_sub(high, low));
    break;
  }
  case CARDAN_SHAPE_HEIGHT_FIELD: {
    const cardan_height_field *field = &model->field[s->field];
    const double low = a[2] * field->low - field->base, high = a[2] * field->high;
    *middle = cardan__vec3(0, 0, 0.5 * (low + high));
    *half = cardan__vec3(0.5 * a[0], 0.5 * a[1], 0.5 * (high - low));
    break;
  }
  case CARDAN_SHAPE_POINT:
  case CARDAN_SHAPE_PLANE:
  case CARDAN_SHAPE_MESH:
    break;
  }
}

void cardan__broad_init(cardan__broad *broad, const cardan_model *model)
{
  broad->nmoving = 0;
  for (int i = 0; i < model->nsolid; i++) {
    box_of(model, &model->solid[i], &broad->middle[i], &broad->half[i]);
    if (model->solid[i].kind != CARDAN_SHAPE_PLANE) {
      broad->order[broad->nmoving++] = i;
    }
  }
  for (int i = 0, at = 0; i <= model->nsolid; i++) {
    while (at < model->npair && model->pair[at].solid[0] < i) {
      at++;
    }
    broad->first[i] = at;
  }
  broad->nplane = (int)count_planes(model, broad->plane);
  // sorting a solid costs about as much as checking some pairs
  broad->sweep = model->npair - broad->nplane > 8 * broad->nmoving;
}

/* ---- boxes ---- */

/* Boxes of all solids but planes, where they are, grown. */
static void place_boxes(cardan__broad *broad, const cardan_model *model, const cardan_xform *X_W,
                        const double *reach, double slack)
{
  for (int i = 0; i < model->nsolid; i++) {
    const cardan_solid *s = &model->solid[i];
    broad->X[i] = cardan__xform_mul(&X_W[s->body], &s->X_BS);
    const cardan_vec3 c = cardan__xform_point(&broad->X[i], broad->middle[i]), h = broad->half[i];
    broad->grown[i] = reach[s->body] + slack;
    double half[3];
    for (int a = 0; a < 3; a++) {
      const double *row = broad->X[i].R.m[a];
      half[a] = h.x * fabs(row[0]) + h.y * fabs(row[1]) + h.z * fabs(row[2]) + broad->grown[i];
    }
    broad->low[i] = cardan__vec3(c.x - half[0], c.y - half[1], c.z - half[2]);
    broad->high[i] = cardan__vec3(c.x + half[0], c.y + half[1], c.z + half[2]);
  }
}

/* Boxes and balls of two solids overlap. */
static bool overlap(const cardan__broad *broad, const cardan_model *model, int i, int j)
{
  const cardan_solid *A = &model->solid[i], *B = &model->solid[j];
  const cardan_vec3 la = broad->low[i], ha = broad->high[i], lb = broad->low[j];
  const cardan_vec3 hb = broad->high[j];
  if (la.x > hb.x || lb.x > ha.x || la.y > hb.y || lb.y > ha.y || la.z > hb.z || lb.z > ha.z) {
    return false;
  }
  const cardan_vec3 d = cardan__vec3_sub(broad->X[i].p, broad->X[j].p);
  const double sum = A->radius + B->radius + broad->grown[i] + broad->grown[j];
  return cardan__vec3_dot(d, d) <= sum * sum;
}

/* The solid's own box comes to the plane. */
static bool reaches_plane(const cardan__broad *broad, const cardan_pair *pair)
{
  const int i = pair->solid[0], j = pair->solid[1];
  const cardan_xform *X = &broad->X[i], *plane = &broad->X[j];
  const cardan_vec3 n = cardan__mat3_column(&plane->R, 2), own = cardan__mat3_tmulv(&X->R, n);
  const cardan_vec3 h = broad->half[i], c = cardan__xform_point(X, broad->middle[i]);
  const double span = h.x * fabs(own.x) + h.y * fabs(own.y) + h.z * fabs(own.z);
  return cardan__vec3_dot(n, cardan__vec3_sub(c, plane->p)) - span <=
         broad->grown[i] + broad->grown[j];
}

/* ---- sweep ---- */

static double part(cardan_vec3 a, int k)
{
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* The axis along which the boxes are spread most. */
static int widest_axis(const cardan__broad *broad)
{
  double spread[3];
  for (int a = 0; a < 3; a++) {
    double mean = 0, sum = 0;
    for (int k = 0; k < broad->nmoving; k++) {
      mean += part(broad->low[broad->order[k]], a) / broad->nmoving;
    }
    for (int k = 0; k < broad->nmoving; k++) {
      const double d = part(broad->low[broad->order[k]], a) - mean;
      sum += d * d;
    }
    spread[a] = sum;
  }
  return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
}

static bool before(const double *key, int i, int j)
{
  return key[i] != key[j] ? key[i] < key[j] : i < j;
}

/* Runs [from, middle) and [middle, to) of order into one. */
static void merge(int *order, int *spare, const double *key, int from, int middle, int to)
{
  if (!before(key, order[middle], order[middle - 1])) {
    return;
  }
  int a = from, b = middle, at = from;
  while (a < middle || b < to) {
    const bool left = b == to || (a < middle && !before(key, order[b], order[a]));
    spare[at++] = left ? order[a++] : order[b++];
  }
  memcpy(&order[from], &spare[from], (size_t)(to - from) * sizeof *order);
}

static void sort_boxes(cardan__broad *broad, int axis)
{
  const int n = broad->nmoving;
  for (int k = 0; k < n; k++) {
    const int i = broad->order[k];
    broad->key[i] = part(broad->low[i], axis);
  }
  for (int width = 1; width < n; width *= 2) {
    for (int from = 0; from + width < n; from += 2 * width) {
      const int to = from + 2 * width < n ? from + 2 * width : n;
      merge(broad->order, broad->spare, broad->key, from, from + width, to);
    }
  }
}

static void mark(cardan__broad *broad, int pair)
{
  broad->near[pair / 64] |= (uint64_t)1 << (pair % 64);
}

/* The pair of two solids, -1: they are none. */
static int find_pair(const cardan__broad *broad, const cardan_model *model, int i, int j)
{
  const int a = i < j ? i : j, b = i < j ? j : i;
  int from = broad->first[a], to = broad->first[a + 1];
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (model->pair[middle].solid[1] < b) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from < broad->first[a + 1] && model->pair[from].solid[1] == b ? from : -1;
}

static void sweep(cardan__broad *broad, const cardan_model *model)
{
  const int axis = widest_axis(broad), n = broad->nmoving;
  sort_boxes(broad, axis);
  for (int k = 0; k < n; k++) {
    const int i = broad->order[k];
    const double end = part(broad->high[i], axis);
    for (int l = k + 1; l < n && broad->key[broad->order[l]] <= end; l++) {
      const int j = broad->order[l];
      const int pair = overlap(broad, model, i, j) ? find_pair(broad, model, i, j) : -1;
      if (pair >= 0) {
        mark(broad, pair);
      }
    }
  }
}

static void update_all(cardan__broad *broad, const cardan_model *model)
{
  for (int p = 0; p < model->npair; p++) {
    const int *solid = model->pair[p].solid;
    if (model->solid[solid[1]].kind != CARDAN_SHAPE_PLANE &&
        overlap(broad, model, solid[0], solid[1])) {
      mark(broad, p);
    }
  }
}

int cardan__near_pairs(cardan__broad *broad, const cardan_model *model, const cardan_xform *X_W,
                       const double *reach, double slack, int *pair, int most)
{
  const int words = (model->npair + 63) / 64;
  int n = 0;
  memset(broad->near, 0, (size_t)words * sizeof *broad->near);
  place_boxes(broad, model, X_W, reach, slack);
  for (int k = 0; k < broad->nplane; k++) {
    if (reaches_plane(broad, &model->pair[broad->plane[k]])) {
      mark(broad, broad->plane[k]);
    }
  }
  if (broad->sweep) {
    sweep(broad, model);
  } else {
    update_all(broad, model);
  }
  for (int w = 0; w < words; w++) {
    for (uint64_t bits = broad->near[w]; bits != 0; bits &= bits - 1) {
      if (n < most) {
        pair[n] = 64 * w + __builtin_ctzll(bits);
      }
      n++;
    }
  }
  return n;
}
