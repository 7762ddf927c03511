// SPDX-License-Identifier: Apache-2.0
#include "contact/solid_pairs.h"

/* Two boxes, by the axes that can separate them: 3 normals of a's faces, 3 of b's, 9 edges of a
 * across edges of b. With the unit axis n, the way d from a's centre to b's and half sizes h,
 *   s(n) = |n . d| - sum h_a,i |n . a_i| - sum h_b,j |n . b_j|,    gap = max s               (X1)
 * is positive for one of them exactly when the boxes are apart, and never above their distance
 * [S. Gottschalk, M. Lin, D. Manocha, OBBTree, SIGGRAPH 1996, for the 15 axes].
 *
 * Spots are those of one axis. An axis is taken for a later one only when that is better by a tenth
 * of cardan__box_touches, faces of a first, edges last: else a box lying on a box would change its
 * features with the last digit, and one that lies across an edge would stand on a single point.
 *   face   of the box P, the reference: the face of the other, Q, that faces it is clipped by the
 *          sides of P's face; the corners of the result are points of Q over a plane of P
 *   edges  the two lines; where a face is nearly across n, what of the other lies over that face
 *          too: an edge that comes to lie on a face stands on two places
 * Points and lines that do not lie over one another get no spot unless the boxes touch: they would
 * hold apart what passes by. All in P's, or a's, coordinates. */

enum { FACES_B = 3, EDGES = 6, AXES = 15 };

/* Ids: of a face, 64 (6 of b + 2 axis + side) + which point; of edges, from EDGES_ID on. */
enum { FACE_IDS = 64, EDGES_ID = 12 * FACE_IDS };

/* Which point of a clipped face: a corner of Q 0 .. 7, an edge of Q across a side of P's face,
 * a corner of P's face. */
enum { CORNER = 0, ACROSS = 8, OWN = ACROSS + 12 * 4 };

/* b as a sees it. */
typedef struct {
  const double *h_a, *h_b;
  cardan_xform X; // b's coordinates to a's
  double d[3];    // X.p
} relation;

typedef struct {
  int axis;    // 0 .. 2: face of a, 3 .. 5: face of b, 6 + 3 i + j: edges a_i x b_j
  double size; // s(n) [m]
  double sign; // of n . d: n as (X1) has it points to b, with it
} separation;

static relation relate(const cardan_xform *X_a, const double *h_a, const cardan_xform *X_b,
                       const double *h_b)
{
  const cardan_xform X = cardan__xform_inv_mul(X_a, X_b);
  return (relation){h_a, h_b, X, {X.p.x, X.p.y, X.p.z}};
}

static int next(int k)
{
  return k == 2 ? 0 : k + 1;
}

static separation made(int axis, double along, double reach, double length)
{
  return (separation){axis, (fabs(along) - reach) / length, along < 0 ? -1 : 1};
}

static separation by_face_of_a(const relation *r, int i)
{
  const double *R = r->X.R.m[i], *h = r->h_b;
  const double reach = h[0] * fabs(R[0]) + h[1] * fabs(R[1]) + h[2] * fabs(R[2]);
  return made(i, r->d[i], r->h_a[i] + reach, 1);
}

static separation by_face_of_b(const relation *r, int j)
{
  double along = 0, reach = r->h_b[j];
  for (int i = 0; i < 3; i++) {
    along += r->d[i] * r->X.R.m[i][j];
    reach += r->h_a[i] * fabs(r->X.R.m[i][j]);
  }
  return made(FACES_B + j, along, reach, 1);
}

/* n = a_i x b_j: its components along the a's are 0, -R[i2][j], R[i1][j], and along the b's, in
 * size, 0, |R[i][j2]|, |R[i][j1]|. Edges that are parallel to 1e-6 separate no better than faces,
 * but by that part of their length. */
static separation by_edges(const relation *r, int i, int j)
{
  const int i1 = next(i), i2 = next(i1), j1 = next(j), j2 = next(j1);
  const double n1 = -r->X.R.m[i2][j], n2 = r->X.R.m[i1][j], length = sqrt(n1 * n1 + n2 * n2);
  const double along = r->d[i1] * n1 + r->d[i2] * n2;
  const double reach = r->h_a[i1] * fabs(n1) + r->h_a[i2] * fabs(n2) +
                       r->h_b[j1] * fabs(r->X.R.m[i][j2]) + r->h_b[j2] * fabs(r->X.R.m[i][j1]);
  if (length < 1e-6) {
    return (separation){EDGES + 3 * i + j, -HUGE_VAL, 1};
  }
  return made(EDGES + 3 * i + j, along, reach, length);
}

/* The axis to go by: one that comes later must be better by more than prefer. Ends at once with an
 * axis that separates by more than margin. */
static separation best_axis(const relation *r, double prefer, double margin)
{
  separation best = by_face_of_a(r, 0);
  for (int axis = 1; axis < AXES && !(best.size > margin); axis++) {
    const int edge = axis - EDGES;
    const separation s = axis < FACES_B ? by_face_of_a(r, axis)
                         : axis < EDGES ? by_face_of_b(r, axis - FACES_B)
                                        : by_edges(r, edge / 3, edge % 3);
    if (s.size > best.size + prefer || s.size > margin) {
      best = s;
    }
  }
  return best;
}

/* The unit normal from b to a, in a's coordinates. */
static cardan_vec3 normal_of(const relation *r, const separation *s)
{
  double n[3] = {0, 0, 0};
  if (s->axis < FACES_B) {
    n[s->axis] = 1;
  } else if (s->axis < EDGES) {
    for (int i = 0; i < 3; i++) {
      n[i] = r->X.R.m[i][s->axis - FACES_B];
    }
  } else {
    const int i = (s->axis - EDGES) / 3, j = (s->axis - EDGES) % 3, i1 = next(i), i2 = next(i1);
    const double length =
        sqrt(r->X.R.m[i1][j] * r->X.R.m[i1][j] + r->X.R.m[i2][j] * r->X.R.m[i2][j]);
    n[i1] = -r->X.R.m[i2][j] / length;
    n[i2] = r->X.R.m[i1][j] / length;
  }
  return cardan__vec3_scale(-s->sign, cardan__vec3(n[0], n[1], n[2]));
}

/* Coordinate of the outermost point along u: the middle where all are. */
static double outermost(double u, double h)
{
  return u > 0 ? h : u < 0 ? -h : 0;
}

static cardan_vec3 corner_along(cardan_vec3 u, const double h[3])
{
  return cardan__vec3(outermost(u.x, h[0]), outermost(u.y, h[1]), outermost(u.z, h[2]));
}

/* ---- edges ---- */

/* Number 0 .. 11 of the edge along an axis that is outermost along u, and its middle, out. */
static int edge_along(cardan_vec3 u, const double h[3], int axis, cardan_vec3 *middle)
{
  const double component[3] = {u.x, u.y, u.z};
  const int k1 = next(axis), k2 = next(k1);
  const bool up1 = component[k1] > 0, up2 = component[k2] > 0;
  double x[3] = {0, 0, 0};
  x[k1] = up1 ? h[k1] : -h[k1];
  x[k2] = up2 ? h[k2] : -h[k2];
  *middle = cardan__vec3(x[0], x[1], x[2]);
  return 4 * axis + up1 + 2 * up2;
}

static cardan_vec3 unit(int k)
{
  return cardan__vec3(k == 0, k == 1, k == 2);
}

/* The spot of an edge of a and one of b, in the solids' coordinates. */
static cardan__spot edges_spot(const relation *r, const separation *s)
{
  const int i = (s->axis - EDGES) / 3, j = (s->axis - EDGES) % 3;
  cardan__spot spot = {.kind = CARDAN__SPOT_EDGES, .up = normal_of(r, s)};
  const int a = edge_along(cardan__vec3_neg(spot.up), r->h_a, i, &spot.p[0]);
  const int b = edge_along(cardan__mat3_tmulv(&r->X.R, spot.up), r->h_b, j, &spot.p[1]);
  spot.id = EDGES_ID + 12 * a + b;
  spot.n[0] = unit(i);
  spot.n[1] = cardan__vec3_scale(-s->sign, unit(j));
  return spot;
}

/* Where the lines of a spot are closest, from the middles of the edges [m]. */
typedef struct {
  double a, b;
} crossing;

static crossing cross_at(const relation *r, const cardan__spot *spot)
{
  const cardan_vec3 a = spot->n[0], b = cardan__mat3_mulv(&r->X.R, spot->n[1]);
  const cardan_vec3 m = cardan__vec3_cross(a, b);
  const cardan_vec3 d = cardan__vec3_sub(cardan__xform_point(&r->X, spot->p[1]), spot->p[0]);
  const double m2 = cardan__vec3_dot(m, m);
  return (crossing){cardan__vec3_dot(cardan__vec3_cross(d, b), m) / m2,
                    cardan__vec3_dot(cardan__vec3_cross(d, a), m) / m2};
}

/* crossed: out, the places of both edges where they are closest, in the bodies' coordinates. */
static int edges_spots(const cardan__placed *a, const cardan__placed *b, const relation *r,
                       const separation *s, cardan_vec3 crossed[2], cardan__spot *out, int most)
{
  const double touches = cardan__box_touches(a->solid->radius, b->solid->radius);
  cardan__spot spot = edges_spot(r, s);
  const int i = (s->axis - EDGES) / 3, j = (s->axis - EDGES) % 3;
  const crossing at = cross_at(r, &spot);
  const bool over = fabs(at.a) <= r->h_a[i] + touches && fabs(at.b) <= r->h_b[j] + touches;
  if (!over && s->size > touches) {
    return 0;
  }
  if (most < 1) {
    return -1;
  }
  const cardan_xform *const X[2] = {&a->solid->X_BS, &b->solid->X_BS};
  for (int c = 0; c < 2; c++) {
    spot.p[c] = cardan__xform_point(X[c], spot.p[c]);
    spot.n[c] = cardan__mat3_mulv(&X[c]->R, spot.n[c]);
    crossed[c] = cardan__vec3_axpy(c == 0 ? at.a : at.b, spot.n[c], spot.p[c]);
  }
  spot.up = cardan__mat3_mulv(&a->X_WS.R, spot.up);
  *out = spot;
  return 1;
}

/* ---- a face of P and the face of Q opposite to it ---- */

enum { POLYGON = 16, MOST = 8 };

/* A corner of the polygon that is clipped. line: what its edge to the next corner lies on, 0 .. 11
 * an edge of Q, 12 .. 15 a side of P's face. */
typedef struct {
  double y[3], q[3]; // in P's and in Q's coordinates
  int corner;        // of Q, -1: none
  int line;
} vertex;

typedef struct {
  int n;
  vertex v[POLYGON];
} polygon;

/* The face of Q whose normal goes most against the axis k of P, side: sign of the face of P. */
static polygon facing(const relation *r, int k, double side)
{
  static const int ROUND[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  polygon poly = {.n = 4};
  int m = 0;
  for (int j = 1; j < 3; j++) {
    m = fabs(r->X.R.m[k][j]) > fabs(r->X.R.m[k][m]) + 1e-9 ? j : m;
  }
  const int up = side * r->X.R.m[k][m] < 0, k1 = next(m), k2 = next(k1);
  for (int i = 0; i < 4; i++) {
    vertex *v = &poly.v[i];
    int bit[3];
    bit[m] = up;
    bit[k1] = ROUND[i][0];
    bit[k2] = ROUND[i][1];
    for (int c = 0; c < 3; c++) {
      v->q[c] = bit[c] ? r->h_b[c] : -r->h_b[c];
    }
    const cardan_vec3 y = cardan__xform_point(&r->X, cardan__vec3(v->q[0], v->q[1], v->q[2]));
    v->y[0] = y.x;
    v->y[1] = y.y;
    v->y[2] = y.z;
    v->corner = bit[0] + 2 * bit[1] + 4 * bit[2];
    // the edge to the next corner runs along k1 for 0 and 2, along k2 for 1 and 3
    v->line = i % 2 == 0 ? 4 * k1 + bit[k2] + 2 * bit[m] : 4 * k2 + bit[m] + 2 * bit[k1];
  }
  return poly;
}

static vertex between(const vertex *a, const vertex *b, double part, int line)
{
  vertex v = {.corner = -1, .line = line};
  for (int c = 0; c < 3; c++) {
    v.y[c] = a->y[c] + part * (b->y[c] - a->y[c]);
    v.q[c] = a->q[c] + part * (b->q[c] - a->q[c]);
  }
  return v;
}

/* Clips the polygon to sign y[k] <= h [I. Sutherland, G. Hodgman, Reentrant polygon
 * clipping, Comm. ACM 17, 1974]. line: of that side. */
static polygon clipped(const polygon *poly, int k, double sign, double h, int line)
{
  polygon out = {.n = 0};
  for (int i = 0; i < poly->n; i++) {
    const vertex *a = &poly->v[i], *b = &poly->v[i + 1 == poly->n ? 0 : i + 1];
    const double d_a = sign * a->y[k] - h, d_b = sign * b->y[k] - h;
    if (d_a <= 0 && out.n < POLYGON) {
      out.v[out.n++] = *a;
    }
    if ((d_a <= 0) != (d_b <= 0) && out.n < POLYGON) {
      out.v[out.n++] = between(a, b, d_a / (d_a - d_b), d_a <= 0 ? line : a->line);
    }
  }
  return out;
}

/* Which point the i-th corner is: by the lines before and after it. */
static int point_id(const polygon *poly, int i)
{
  const int before = poly->v[i == 0 ? poly->n - 1 : i - 1].line, after = poly->v[i].line;
  if (poly->v[i].corner >= 0) {
    return CORNER + poly->v[i].corner;
  }
  const int edge = before < 12 ? before : after, side = before < 12 ? after : before;
  if (edge < 12) {
    return ACROSS + 4 * edge + (side >= 12 ? side - 12 : 0);
  }
  return OWN + (before == 13 || after == 13) + 2 * (before == 15 || after == 15);
}

/* A face of P, by r: Q as P sees it. */
typedef struct {
  const cardan__placed *P, *Q;
  const relation *r;
  int k;        // its axis,
  double side;  // and on which side
  double least; // height: what is further in is no place of the pair [m]
} face;

static double height(const face *f, const vertex *v)
{
  return f->side * v->y[f->k] - f->r->h_a[f->k];
}

/* The point v of Q over the plane of P's face: with P for A. */
static cardan__spot face_spot(const face *f, const vertex *v, int id)
{
  const cardan_xform *X = &f->P->solid->X_BS;
  cardan__spot spot = {.id = id, .kind = CARDAN__SPOT_POINT, .side = 1};
  spot.n[0] = cardan__vec3_scale(f->side, cardan__mat3_column(&X->R, f->k));
  spot.p[0] = cardan__vec3_axpy(f->r->h_a[f->k], spot.n[0], X->p);
  spot.p[1] = cardan__xform_point(&f->Q->solid->X_BS, cardan__vec3(v->q[0], v->q[1], v->q[2]));
  return spot;
}

/* The part of Q's face over P's, which is taken slack wider. */
static polygon overlap(const face *f, double slack)
{
  polygon poly = facing(f->r, f->k, f->side);
  for (int i = 0; i < 4; i++) {
    const int axis = i < 2 ? next(f->k) : next(next(f->k));
    poly = clipped(&poly, axis, i % 2 ? 1 : -1, f->r->h_a[axis] + slack, 12 + i);
  }
  return poly;
}

/* Is there a corner before the i-th that is as good as there? */
static bool repeated(const polygon *poly, int i, double slack)
{
  for (int j = 0; j < i; j++) {
    const double *a = poly->v[i].y, *b = poly->v[j].y;
    if (fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2]))) <= slack) {
      return true;
    }
  }
  return false;
}

/* The lowest corner of Q's face, whether over P's or not. */
static vertex lowest(const face *f)
{
  const polygon poly = facing(f->r, f->k, f->side);
  int best = 0;
  for (int i = 1; i < 4; i++) {
    best = height(f, &poly.v[i]) < height(f, &poly.v[best]) ? i : best;
  }
  return poly.v[best];
}

static int face_spots(const face *f, double margin, double touches, double size, int base,
                      cardan__spot *spot, int most)
{
  const polygon poly = overlap(f, 0.1 * touches);
  int n = 0;
  for (int i = 0; i < poly.n; i++) {
    const double at = height(f, &poly.v[i]);
    if (at >= f->least && at <= margin && !repeated(&poly, i, 0.4 * touches) && n < MOST &&
        n++ < most) {
      spot[n - 1] = face_spot(f, &poly.v[i], base + point_id(&poly, i));
    }
  }
  if (n == 0 && size <= touches) {
    const vertex v = lowest(f);
    n = 1;
    if (most >= 1) {
      spot[0] = face_spot(f, &v, base + v.corner);
    }
  }
  return n > most ? -1 : n;
}

/* ---- the pair ---- */

/* Spots of the face of a or b that s stands for. back: a as b sees it; size: of the pair [m] */
static int spots_of_face(const cardan__placed *a, const cardan__placed *b, const relation *r,
                         const relation *back, const separation *s, double margin, double size,
                         cardan__spot *spot, int most)
{
  const double touches = cardan__box_touches(a->solid->radius, b->solid->radius);
  const double least = size - 0.1 * touches;
  if (s->axis < FACES_B) {
    const face f = {a, b, r, s->axis, s->sign, least};
    return face_spots(&f, margin, touches, s->size, FACE_IDS * (2 * s->axis + (s->sign > 0)), spot,
                      most);
  }
  const face f = {b, a, back, s->axis - FACES_B, -s->sign, least};
  const int n = face_spots(&f, margin, touches, s->size, FACE_IDS * (2 * s->axis + (s->sign < 0)),
                           spot, most);
  for (int i = 0; i < n; i++) {
    cardan__spot_turn(&spot[i]);
  }
  return n;
}

/* The face that is most across n, the normal from b to a in a's coordinates, its size left open;
 * false: none is, to 0.1 rad. */
static bool flattest(const relation *r, cardan_vec3 n, separation *out)
{
  const cardan_vec3 in_b = cardan__mat3_tmulv(&r->X.R, n);
  const double along[EDGES] = {n.x, n.y, n.z, in_b.x, in_b.y, in_b.z};
  int best = 0;
  for (int k = 1; k < EDGES; k++) {
    best = fabs(along[k]) > fabs(along[best]) ? k : best;
  }
  *out = (separation){.axis = best, .size = HUGE_VAL, .sign = along[best] < 0 ? 1 : -1};
  return fabs(along[best]) > 0.995;
}

/* Spots of the edges that s stands for, and of a face that is nearly across it, elsewhere. */
static int spots_of_edges(const cardan__placed *a, const cardan__placed *b, const relation *r,
                          const relation *back, const separation *s, double margin,
                          cardan__spot *spot, int most)
{
  cardan_vec3 crossed[2];
  separation flat;
  const int first = edges_spots(a, b, r, s, crossed, spot, most);
  if (first < 1 || !flattest(r, normal_of(r, s), &flat)) {
    return first;
  }
  const int more = spots_of_face(a, b, r, back, &flat, margin, s->size, spot + 1, most - 1);
  const int side = flat.axis < FACES_B; // whose points they are
  const double apart = 0.02 * fmin(a->solid->radius, b->solid->radius);
  int n = 1;
  for (int i = 1; i < 1 + more; i++) {
    if (cardan__vec3_norm(cardan__vec3_sub(spot[i].p[side], crossed[side])) > apart) {
      spot[n++] = spot[i];
    }
  }
  return more < 0 ? more : n;
}

static int box_spots(const cardan__placed *a, const cardan__placed *b, double margin,
                     cardan__spot *spot, int most)
{
  double h[2][3];
  const double touches = cardan__box_touches(a->solid->radius, b->solid->radius);
  cardan__half_sizes(a, h[0]);
  cardan__half_sizes(b, h[1]);
  const relation r = relate(&a->X_WS, h[0], &b->X_WS, h[1]);
  const separation s = best_axis(&r, 0.1 * touches, margin);
  if (!(s.size <= margin)) {
    return 0;
  }
  const relation back = relate(&b->X_WS, h[1], &a->X_WS, h[0]);
  return s.axis >= EDGES ? spots_of_edges(a, b, &r, &back, &s, margin, spot, most)
                         : spots_of_face(a, b, &r, &back, &s, margin, s.size, spot, most);
}

/* x: by a face of a, over the outermost point of b; else the outermost of a, on edges the crossing.
 */
void cardan__box_separation(const cardan_xform *X_a, const double h_a[3], const cardan_xform *X_b,
                            const double h_b[3], cardan__touch *at)
{
  const relation r = relate(X_a, h_a, X_b, h_b);
  const separation s = best_axis(&r, 0, HUGE_VAL);
  const cardan_vec3 n = normal_of(&r, &s);
  cardan_vec3 x = corner_along(cardan__vec3_neg(n), h_a);
  if (s.axis < FACES_B) {
    const cardan_vec3 y = corner_along(cardan__mat3_tmulv(&r.X.R, n), h_b);
    x = cardan__vec3_axpy(s.size, n, cardan__xform_point(&r.X, y));
  } else if (s.axis >= EDGES) {
    const cardan__spot spot = edges_spot(&r, &s);
    x = cardan__vec3_axpy(cross_at(&r, &spot).a, spot.n[0], spot.p[0]);
  }
  at->gap = s.size;
  at->n = cardan__mat3_mulv(&X_a->R, n);
  at->x = cardan__xform_point(X_a, x);
}

static void box_gap(const cardan__placed *a, const cardan__placed *b, cardan__touch *at)
{
  double h[2][3];
  cardan__half_sizes(a, h[0]);
  cardan__half_sizes(b, h[1]);
  cardan__box_separation(&a->X_WS, h[0], &b->X_WS, h[1], at);
}

static int box_most(const cardan__placed *a, const cardan__placed *b)
{
  (void)a;
  (void)b;
  return MOST + 1; // a face's, and edges
}

const cardan__pair_ops cardan__box_ops = {box_gap, box_spots, box_most};
