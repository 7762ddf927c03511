// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "methods/maximal/kkt.h"

/* The tree part of the KKT matrix where every edge is one pair of bodies in space
 * (maximal_pairs.c): the recursion of articulated bodies, in world axes, about the pair's point.
 *
 * With q the place of B's point in space, the rows of a pair are, joints open or not,
 *   turned  t . w        t = (R_B w_i) x (R_A u_i)           w, v: of B's body relative to A's, as
 *   along   a . v        a = s R_A u_i                       seen from space, v at q
 * Let b be the body further out, p its parent, z_b = (w, v at q_b) the twist of b about the point
 * of its own pair, X the shift from q_p to q_b, and t, a with the sign that belongs to b:
 *   G (z_b - X z_p) = g,   G = [t 0; 0 a]                                                   (E1)
 * so the edge's rows on the parent are -G X. K spans what G leaves free, P is a right inverse of G,
 * both block by block out of the t and a alone; D_b is what b and all beyond it weigh.
 *   U = D K,  d = K^T U,   D_p += X^T (D - U d^-1 U^T) X                                    (E2)
 *   forward   y = f - D P g,  u = d^-1 K^T y,  f_p += X^T (y - U u)                         (E3)
 *   backward  z = X z_p + K (u - d^-1 U^T X z_p),  z_b = z + P g,  lambda = P^T (y - D z)   (E4)
 * For any D > 0,  G^T (G D^-1 G^T)^-1 G = D - U d^-1 U^T: (E2) is the Schur complement that
 * maximal_tree.c makes, with as many divisions as the pair has freedoms in place of six and one for
 * each row. They are taken one after another. A body that no row holds is free in six ways.
 *
 * A row that those before it give, by t alone, is passed over: its column of P is 0.
 *
 * P g may have any part in K: that of u takes it off again. So where g = -G (V_b - X V_p), of
 * velocities V about q, z begins with -(V_b - X V_p), and no row is looked at. Where velocities
 * keep the rows and g is gamma, the same holds for the acceleration of b relative to p while
 * centres and spins are steady, with c and s from q to the centres of b and p,
 *   w_p x w_b,   w_b x (w_b x c) - w_p x (w_p x s)                                          (E5)
 * if rows along hold all of q, and those turned nothing, all but an axis, or all. */

typedef struct {
  cardan_vec3 k; // a turn about it, or a slide along it
  cardan_force U;
  double inverse; // 1 / d
  double u;       // of (E3)
} freedom;

/* A body and the pair that hangs it, as the rows are factored. */
typedef struct {
  cardan__abi D;
  cardan_mat3 R;            // of the body
  cardan_vec3 c, l;         // from q to the centre of mass; from the parent's q
  cardan_vec3 PW[3], PV[3]; // columns of P: of rows turned, along
  cardan_force y;           // of (E3), as it is reached; 0 between solves
  cardan_twist z;
  freedom way, *more; // turns, then slides: the first, the others
  int nturn, nslide;
  int b, above; // above: record of the parent, -1: the world, or none
  int nturned, nalong;
  int turned[3], along[3]; // equations
} record;

/* What a pair is made of; of its rows along, whose directions A's body carries, the columns of P
 * and K, in A's axes. */
typedef struct {
  int A, B;               // tree bodies
  double sign;            // of G: 1 where B is further out
  cardan_vec3 p_B;        // in B's frame
  cardan_vec3 u[3], w[3]; // of rows turned, in A's axes, in B's
  bool one;               // w of all rows turned is the same
  cardan_vec3 PV[3], KV[3];
} pair;

struct cardan__mx_articulated {
  const cardan__maximal *mx;
  record *record; // nbody, every one after its parent
  pair *pair;     // nbody
  cardan_vec3 *q; // nbody
  bool products;  // (E5) holds for every edge
};

/* ---- create ---- */

/* Vectors that v (n of them, n <= 3) leave free, to K, an orthonormal set, and columns of the
 * inverse of the map x -> (v_i . x) that are across K, to P. A vector is passed over, and its
 * column 0, when the square of its sine to those before it is at most tol. Returns how many are in
 * K; 3 less that many were taken. */
static inline int split(int n, const cardan_vec3 *v, double tol, cardan_vec3 *P, cardan_vec3 *K)
{
  int kept[3] = {0, 0, 0}, r = 0;
  cardan_vec3 normal = {0, 0, 0};
  double normal2 = 0;
  for (int i = 0; i < n; i++) {
    const double own = cardan__vec3_dot(v[i], v[i]);
    bool counts = own > 0;
    P[i] = (cardan_vec3){0, 0, 0};
    if (r == 1) {
      const cardan_vec3 x = cardan__vec3_cross(v[kept[0]], v[i]);
      const double x2 = cardan__vec3_dot(x, x);
      counts = x2 > tol * own * cardan__vec3_dot(v[kept[0]], v[kept[0]]);
      normal = counts ? x : normal;
      normal2 = counts ? x2 : normal2;
    } else if (r == 2) {
      const double det = cardan__vec3_dot(normal, v[i]);
      counts = det * det > tol * own * normal2;
    }
    if (counts) {
      kept[r++] = i;
    }
  }
  const cardan_vec3 a = v[kept[0]], b = v[kept[1]];
  if (r == 3) {
    const cardan_vec3 c = v[kept[2]];
    const double k = 1 / cardan__vec3_dot(normal, c);
    P[kept[0]] = cardan__vec3_scale(k, cardan__vec3_cross(b, c));
    P[kept[1]] = cardan__vec3_scale(k, cardan__vec3_cross(c, a));
    P[kept[2]] = cardan__vec3_scale(k, normal);
  } else if (r == 2) {
    const double k = 1 / normal2;
    P[kept[0]] = cardan__vec3_scale(k, cardan__vec3_cross(b, normal));
    P[kept[1]] = cardan__vec3_scale(k, cardan__vec3_cross(normal, a));
    K[0] = cardan__vec3_scale(sqrt(k), normal);
  } else if (r == 1) {
    const double k = 1 / cardan__vec3_dot(a, a);
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    const cardan_vec3 least = {x <= y && x <= z, y < x && y <= z, z < x && z < y};
    P[kept[0]] = cardan__vec3_scale(k, a);
    K[0] = cardan__vec3_normalize(cardan__vec3_cross(a, least));
    K[1] = cardan__vec3_scale(sqrt(k), cardan__vec3_cross(a, K[0]));
  } else {
    K[0] = (cardan_vec3){1, 0, 0};
    K[1] = (cardan_vec3){0, 1, 0};
    K[2] = (cardan_vec3){0, 0, 1};
  }
  return 3 - r;
}

/* The group of row r. */
static const cardan__mx_group *group_of(const cardan__maximal *mx, int r)
{
  int low = 0, high = mx->ngroup - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (mx->group[middle].row <= r) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return &mx->group[low];
}

static bool is_same(cardan_vec3 a, cardan_vec3 b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Is the edge of body b one pair, and are its rows along independent? Fills p and its part of e. */
static bool take_pair(const cardan__maximal *mx, const cardan__mx_graph *graph, int b, record *e,
                      pair *p)
{
  const int *eq = graph->eq + graph->adr[b], n = graph->n[b];
  const cardan__mx_group *g = n > 0 ? group_of(mx, mx->row[eq[0]]) : NULL;
  cardan_vec3 a[3];
  *p = (pair){.B = mx->body[b].body, .p_B = mx->body[b].c, .sign = 1};
  if (g != NULL) {
    *p = (pair){.A = g->A, .B = g->B, .p_B = g->p_B, .sign = g->B == p->B ? 1 : -1};
  }
  for (int i = 0; i < n; i++) {
    const int r = mx->row[eq[i]];
    const cardan_vec3 u = mx->plain[r].u;
    const bool turned = g != NULL && r >= g->row + g->nalong;
    if (g == NULL || !g->plain || g->world || group_of(mx, r) != g ||
        (turned ? e->nturned : e->nalong) == 3) {
      return false;
    }
    if (turned) {
      p->u[e->nturned] = cardan__vec3_scale(p->sign, u);
      p->w[e->nturned] = mx->plain_w[r];
      p->one = e->nturned == 0 || (p->one && is_same(p->w[e->nturned], p->w[0]));
      e->turned[e->nturned++] = eq[i];
    } else {
      a[e->nalong] = cardan__vec3_scale(p->sign, u);
      e->along[e->nalong++] = eq[i];
    }
  }
  e->nslide = split(e->nalong, a, 1e-6, p->PV, p->KV);
  return e->nslide == 3 - e->nalong;
}

/* Does (E5) hold for the edge? */
static bool knows_products(const cardan__maximal *mx, const record *e)
{
  const int *turned = e->turned;
  return e->nturned + e->nalong == 0 ||
         (e->nalong == 3 &&
          (e->nturned == 0 || e->nturned == 3 ||
           (e->nturned == 2 && turned[1] == turned[0] + 1 && mx->plain[mx->row[turned[1]]].again)));
}

/* Every edge a pair? Then records and pairs are filled. */
static bool take_pairs(cardan__mx_articulated *t, const cardan__mx_graph *graph, int *at)
{
  for (int i = 0; i < t->mx->nbody; i++) {
    const int b = graph->order[i], p = graph->parent[b];
    record *e = &t->record[i];
    at[b] = i;
    e->b = b;
    e->above = p >= 0 && graph->n[b] > 0 ? at[p] : -1;
    if (!take_pair(t->mx, graph, b, e, &t->pair[i])) {
      return false;
    }
    t->products = t->products && knows_products(t->mx, e);
  }
  return true;
}

cardan_status cardan__mx_articulated_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                          cardan__arena *arena, cardan__mx_articulated **out)
{
  const size_t nbody = (size_t)mx->nbody;
  *out = NULL;
  if (mx->planar) {
    return CARDAN_OK;
  }
  cardan__mx_articulated *t = cardan__arena_take(arena, 1, sizeof *t);
  int *at = cardan__arena_take(arena, nbody, sizeof *at); // body -> record
  if (!(t && at)) {
    return CARDAN_ERR_MEMORY;
  }
  t->mx = mx;
  t->products = true;
  t->record = cardan__arena_take(arena, nbody, sizeof *t->record);
  t->pair = cardan__arena_take(arena, nbody, sizeof *t->pair);
  t->q = cardan__arena_take(arena, nbody, sizeof *t->q);
  if (!(t->record && t->pair && t->q)) {
    return CARDAN_ERR_MEMORY;
  }
  if (!take_pairs(t, graph, at)) {
    return CARDAN_OK;
  }
  size_t room = 0; // a row turned that is passed over leaves one more way free
  for (size_t i = 0; i < nbody; i++) {
    room += 2 + (size_t)t->record[i].nslide;
  }
  freedom *next = cardan__arena_take(arena, room, sizeof *next);
  for (size_t i = 0; i < nbody && next != NULL; i++) {
    t->record[i].more = next;
    next += 2 + t->record[i].nslide;
  }
  *out = next != NULL ? t : NULL;
  return next != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

/* ---- kernels: the counts of a shape are constants where they are inlined ---- */

#define INLINE static inline __attribute__((always_inline))

/* Rows turned and along; what they leave free. */
typedef struct {
  int nturned, nalong, nturn, nslide;
} shape;

static const shape hinge = {2, 3, 1, 0};

INLINE shape shape_of(const record *e)
{
  return (shape){e->nturned, e->nalong, e->nturn, e->nslide};
}

INLINE bool is_hinge(const record *e)
{
  return e->nturned == hinge.nturned && e->nalong == hinge.nalong && e->nturn == hinge.nturn;
}

INLINE freedom *way_of(record *e, int k)
{
  return k == 0 ? &e->way : &e->more[k - 1];
}

INLINE record *above_of(const cardan__mx_articulated *t, const record *e)
{
  return e->above >= 0 ? &t->record[e->above] : NULL;
}

/* X^T F, X the shift by l */
INLINE cardan_force shift_force(cardan_vec3 l, cardan_force F)
{
  return (cardan_force){cardan__vec3_add(F.t, cardan__vec3_cross(l, F.f)), F.f};
}

/* X z */
INLINE cardan_twist shift_motion(cardan_vec3 l, cardan_twist z)
{
  return (cardan_twist){z.w, cardan__vec3_add(z.v, cardan__vec3_cross(z.w, l))};
}

/* ---- factor ---- */

/* The same as split of two vectors, but that K is of any length; false where one is passed over. */
INLINE bool split_two(cardan_vec3 a, cardan_vec3 b, double tol, cardan_vec3 *P, cardan_vec3 *K)
{
  const cardan_vec3 n = cardan__vec3_cross(a, b);
  const double n2 = cardan__vec3_dot(n, n), k = 1 / n2;
  P[0] = cardan__vec3_scale(k, cardan__vec3_cross(b, n));
  P[1] = cardan__vec3_scale(k, cardan__vec3_cross(n, a));
  *K = n;
  return n2 > tol * (cardan__vec3_dot(a, a) * cardan__vec3_dot(b, b));
}

/* What a record has of the place: R, c, l, P, the directions of K, and D of the body alone. Returns
 * how many rows are passed over. */
INLINE int gather(cardan__mx_articulated *t, int i, double tol, int nturned, int nalong)
{
  const cardan__maximal *mx = t->mx;
  const pair *p = &t->pair[i];
  record *e = &t->record[i];
  const cardan__mx_body *body = &mx->body[e->b];
  const cardan_xform *X = &mx->X_W[body->body], *A = &mx->X_W[p->A], *B = &mx->X_W[p->B];
  const cardan_vec3 q = cardan__xform_point(B, p->p_B), zero = {0, 0, 0};
  cardan_vec3 turns[3], K[3];
  t->q[i] = q;
  e->R = X->R;
  e->c = cardan__vec3_sub(cardan__xform_point(X, body->c), q);
  e->l = e->above >= 0 ? cardan__vec3_sub(q, t->q[e->above]) : zero;
  cardan_vec3 w = nturned > 0 ? cardan__mat3_mulv(&B->R, p->w[0]) : zero;
  for (int k = 0; k < nturned; k++) {
    w = k == 0 || p->one ? w : cardan__mat3_mulv(&B->R, p->w[k]);
    turns[k] = cardan__vec3_cross(w, cardan__mat3_mulv(&A->R, p->u[k])); // (E1)
  }
  if (nturned == 2 && split_two(turns[0], turns[1], tol, e->PW, &e->way.k)) {
    e->nturn = 1;
  } else {
    e->nturn = split(nturned, turns, tol, e->PW, K);
    for (int k = 0; k < e->nturn; k++) {
      way_of(e, k)->k = K[k];
    }
  }
  for (int k = 0; k < nalong; k++) {
    e->PV[k] = cardan__mat3_mulv(&A->R, p->PV[k]);
  }
  for (int k = 0; k < 3 - nalong; k++) {
    way_of(e, e->nturn + k)->k = cardan__mat3_mulv(&A->R, p->KV[k]);
  }
  const cardan__sym3 J = cardan__sym3_rotate(&X->R, &body->J);
  const cardan_inertia G = cardan__inertia_from_com(body->m, e->c, &J);
  e->D = cardan__abi_from_inertia(&G);
  return e->nturn - (3 - nturned);
}

/* D k */
INLINE cardan_force times(const cardan__abi *D, bool turns, cardan_vec3 k)
{
  return turns ? (cardan_force){cardan__sym3_mulv(&D->A, k), cardan__mat3_tmulv(&D->B, k)}
               : (cardan_force){cardan__mat3_mulv(&D->B, k), cardan__sym3_mulv(&D->C, k)};
}

/* (E2) of a hinge. X^T (D - U d^-1 U^T) X is taken apart, so that what does not wait for d is under
 * way: U here is X^T U d^-1. */
INLINE bool factor_hinge(record *e, record *above)
{
  freedom *way = &e->way;
  const cardan_force U = times(&e->D, true, way->k), moved = shift_force(e->l, U);
  const double d = cardan__vec3_dot(way->k, U.t);
  way->inverse = 1 / d;
  way->U = cardan__force_scale(way->inverse, moved);
  if (above != NULL) {
    const cardan__abi D = cardan__abi_shift(e->l, &e->D), sum = cardan__abi_add(&above->D, &D);
    above->D = cardan__abi_sub_rank1(&sum, way->inverse, moved);
  }
  return d > 0 && d < HUGE_VAL;
}

/* (E2), one freedom after another */
INLINE bool factor_pair(record *e, record *above)
{
  cardan__abi D = e->D;
  bool fine = true;
  for (int k = 0; k < e->nturn + e->nslide; k++) {
    freedom *way = way_of(e, k);
    way->U = times(&D, k < e->nturn, way->k);
    const double d = cardan__vec3_dot(way->k, k < e->nturn ? way->U.t : way->U.f);
    way->inverse = 1 / d;
    D = cardan__abi_sub_rank1(&D, way->inverse, way->U);
    fine = fine && d > 0 && d < HUGE_VAL;
  }
  if (above != NULL) {
    const cardan__abi moved = cardan__abi_shift(e->l, &D);
    above->D = cardan__abi_add(&above->D, &moved);
  }
  return fine;
}

int cardan__mx_articulated_factor(cardan__mx_articulated *t, double tol, bool *idle)
{
  bool fine = true;
  int lost = 0;
  for (int i = 0; i < t->mx->nbody; i++) {
    const record *e = &t->record[i];
    const int over = e->nturned == hinge.nturned && e->nalong == hinge.nalong
                         ? gather(t, i, tol, hinge.nturned, hinge.nalong)
                         : gather(t, i, tol, e->nturned, e->nalong);
    for (int k = 0; k < e->nturned && over > 0; k++) {
      idle[e->turned[k]] = cardan__vec3_dot(e->PW[k], e->PW[k]) == 0;
    }
    lost += over;
  }
  for (int i = t->mx->nbody - 1; i >= 0; i--) {
    record *e = &t->record[i], *above = above_of(t, e);
    fine &= is_hinge(e) ? factor_hinge(e, above) : factor_pair(e, above);
  }
  return fine ? lost : -1;
}

/* ---- solve ---- */

/* P g, of the edge */
INLINE cardan_twist particular(const record *e, const double *g, shape s)
{
  cardan_twist z = {.w = {0, 0, 0}};
  for (int k = 0; k < s.nturned; k++) {
    z.w = cardan__vec3_axpy(g[e->turned[k]], e->PW[k], z.w);
  }
  for (int k = 0; k < s.nalong; k++) {
    z.v = cardan__vec3_axpy(g[e->along[k]], e->PV[k], z.v);
  }
  return z;
}

/* lambda = P^T F */
INLINE void put_multipliers(const record *e, cardan_force F, double *lambda, shape s)
{
  for (int k = 0; k < s.nturned; k++) {
    lambda[e->turned[k]] = cardan__vec3_dot(e->PW[k], F.t);
  }
  for (int k = 0; k < s.nalong; k++) {
    lambda[e->along[k]] = cardan__vec3_dot(e->PV[k], F.f);
  }
}

/* Forces on the body as numbers (torque in the body's axes, about its centre), about q. */
INLINE cardan_force from_body(const record *e, const double *f)
{
  const cardan_vec3 force = {f[3], f[4], f[5]};
  const cardan_vec3 torque = cardan__mat3_mulv(&e->R, cardan__vec3(f[0], f[1], f[2]));
  return (cardan_force){cardan__vec3_add(torque, cardan__vec3_cross(e->c, force)), force};
}

/* Right-hand sides of the rows: numbers; or what follows from the bodies' velocities, which z has
 * of the centres, as seen from space. */
typedef enum { NUMBERS, SPEEDS, PRODUCTS } sides;

/* V_b - X V_p, or (E5) */
INLINE cardan_twist relative(const record *e, const record *above, sides of)
{
  const cardan_twist rest = {.w = {0, 0, 0}}, B = e->z, P = above != NULL ? above->z : rest;
  const cardan_vec3 none = {0, 0, 0};
  const cardan_vec3 s = above != NULL ? cardan__vec3_sub(above->c, e->l) : none;
  const cardan_vec3 b = cardan__vec3_cross(B.w, e->c), p = cardan__vec3_cross(P.w, s);
  if (of == PRODUCTS) {
    return (cardan_twist){
        .w = cardan__vec3_cross(P.w, B.w),
        .v = cardan__vec3_sub(cardan__vec3_cross(B.w, b), cardan__vec3_cross(P.w, p))};
  }
  return (cardan_twist){.w = cardan__vec3_sub(B.w, P.w),
                        .v = cardan__vec3_sub(cardan__vec3_sub(B.v, b), cardan__vec3_sub(P.v, p))};
}

/* y of (E3) from the body's own forces and what came from further out; z is P g. */
INLINE void begin_solve(record *e, const record *above, const double *f, const double *g, shape s,
                        sides of)
{
  cardan_force own = {.t = {0, 0, 0}};
  if (f != NULL) {
    own = from_body(e, f + e->b * 6);
  }
  if (of != NUMBERS && s.nturned + s.nalong > 0) {
    const cardan_twist z = relative(e, above, of);
    e->z = of == SPEEDS ? cardan__twist_neg(z) : z;
    own = cardan__force_sub(own, cardan__abi_mul(&e->D, e->z));
  } else {
    e->z = (cardan_twist){.w = {0, 0, 0}};
  }
  if (g != NULL) {
    e->z = particular(e, g, s);
    own = cardan__force_sub(own, cardan__abi_mul(&e->D, e->z));
  }
  e->y = cardan__force_add(e->y, own);
}

/* (E3). Returns what goes to the parent. */
INLINE cardan_force forward_hinge(record *e)
{
  freedom *way = &e->way;
  way->u = cardan__vec3_dot(way->k, e->y.t);
  return cardan__force_axpy(-way->u, way->U, shift_force(e->l, e->y));
}

INLINE cardan_force forward_pair(record *e)
{
  cardan_force y = e->y;
  for (int k = 0; k < e->nturn + e->nslide; k++) {
    freedom *way = way_of(e, k);
    way->u = way->inverse * cardan__vec3_dot(way->k, k < e->nturn ? y.t : y.f);
    y = cardan__force_axpy(-way->u, way->U, y);
  }
  return shift_force(e->l, y);
}

/* (E4) without P g; z is the parent's. */
INLINE cardan_twist backward_hinge(const record *e, cardan_twist z)
{
  const freedom *way = &e->way;
  const double a = way->inverse * way->u - cardan__power(z, way->U);
  const cardan_twist moved = shift_motion(e->l, z);
  return (cardan_twist){cardan__vec3_axpy(a, way->k, moved.w), moved.v};
}

INLINE cardan_twist backward_pair(record *e, cardan_twist z)
{
  z = shift_motion(e->l, z);
  for (int k = e->nturn + e->nslide - 1; k >= 0; k--) {
    const freedom *way = way_of(e, k);
    const double a = way->u - way->inverse * cardan__power(z, way->U);
    if (k < e->nturn) {
      z.w = cardan__vec3_axpy(a, way->k, z.w);
    } else {
      z.v = cardan__vec3_axpy(a, way->k, z.v);
    }
  }
  return z;
}

/* Six numbers, one by one: what is put together first would be waited for. */
INLINE void put_pair(cardan_vec3 w, cardan_vec3 v, double *x)
{
  x[0] = w.x;
  x[1] = w.y;
  x[2] = w.z;
  x[3] = v.x;
  x[4] = v.y;
  x[5] = v.z;
}

/* z, which lacks P g, is known: it, x, numbers of the body, and lambda. */
INLINE void end_solve(record *e, cardan_twist z, double *x, double *lambda, shape s)
{
  if (lambda != NULL) {
    put_multipliers(e, cardan__force_sub(e->y, cardan__abi_mul(&e->D, z)), lambda, s);
  }
  e->y = (cardan_force){.t = {0, 0, 0}};
  e->z = z = cardan__twist_add(z, e->z);
  const cardan_vec3 w = cardan__mat3_tmulv(&e->R, z.w);
  const cardan_vec3 v = cardan__vec3_add(z.v, cardan__vec3_cross(z.w, e->c));
  put_pair(w, v, x + e->b * 6);
}

INLINE void solve(cardan__mx_articulated *t, const double *f, const double *g, double *x,
                  double *lambda, sides of)
{
  const int nbody = t->mx->nbody;
  for (int i = nbody - 1; i >= 0; i--) {
    record *e = &t->record[i], *above = above_of(t, e);
    cardan_force F;
    if (is_hinge(e)) {
      begin_solve(e, above, f, g, hinge, of);
      F = forward_hinge(e);
    } else {
      begin_solve(e, above, f, g, shape_of(e), of);
      F = forward_pair(e);
    }
    if (above != NULL) {
      above->y = cardan__force_add(above->y, F);
    }
  }
  const cardan_twist rest = {.w = {0, 0, 0}};
  for (int i = 0; i < nbody; i++) {
    record *e = &t->record[i], *above = above_of(t, e);
    const cardan_twist from = above != NULL ? above->z : rest;
    if (is_hinge(e)) {
      end_solve(e, backward_hinge(e, from), x, lambda, hinge);
    } else {
      end_solve(e, backward_pair(e, from), x, lambda, shape_of(e));
    }
  }
}

void cardan__mx_articulated_solve(cardan__mx_articulated *t, const double *f, const double *g,
                                  double *x, double *lambda)
{
  solve(t, f, g, x, lambda, NUMBERS);
}

/* Velocities of the bodies as numbers, to z: spin and velocity of the centre, in space. */
static void take_velocities(cardan__mx_articulated *t, const double *vel)
{
  for (int i = 0; i < t->mx->nbody; i++) {
    record *e = &t->record[i];
    const double *v = vel + e->b * 6;
    e->z = (cardan_twist){.w = cardan__mat3_mulv(&e->R, cardan__vec3(v[0], v[1], v[2])),
                          .v = cardan__vec3(v[3], v[4], v[5])};
  }
}

bool cardan__mx_articulated_products(const cardan__mx_articulated *t)
{
  return t->products;
}

void cardan__mx_articulated_accelerate(cardan__mx_articulated *t, const double *f,
                                       const double *vel, double *x)
{
  take_velocities(t, vel);
  solve(t, f, NULL, x, NULL, PRODUCTS);
}

void cardan__mx_articulated_keep(cardan__mx_articulated *t, const double *vel, double *x)
{
  take_velocities(t, vel);
  solve(t, NULL, NULL, x, NULL, SPEEDS);
}

void cardan__mx_articulated_multipliers(cardan__mx_articulated *t, const double *f, double *lambda)
{
  const int nbody = t->mx->nbody;
  for (int i = nbody - 1; i >= 0; i--) { // the edges further out hang on the body: -X^T G^T lambda
    record *e = &t->record[i], *above = above_of(t, e);
    const cardan_force F = cardan__force_add(e->y, from_body(e, f + e->b * 6));
    e->y = (cardan_force){.t = {0, 0, 0}};
    put_multipliers(e, F, lambda, shape_of(e));
    if (above != NULL) {
      above->y = cardan__force_add(above->y, shift_force(e->l, F));
    }
  }
}
