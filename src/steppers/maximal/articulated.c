// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "steppers/maximal/kkt.h"

/* The tree part of the KKT matrix where every edge is one pair of bodies in space (pairs.c): the
 * recursion of articulated bodies, in world axes, about the pair's point.
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
 *   backward  z_b = X z_p + K (u - d^-1 U^T X z_p) + P g,   lambda = P^T (f - D z_b)        (E4)
 * For any D > 0,  G^T (G D^-1 G^T)^-1 G = D - U d^-1 U^T: (E2) is the Schur complement that tree.c
 * makes, with as many divisions as the pair has freedoms in place of six and one for each row. They
 * are taken one after another. A body that no row holds is free in six ways.
 *
 * A row that those before it give, by t alone, is passed over: its column of P is 0. */

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
  cardan_force f;
  cardan_motion z;
  freedom *free; // turns, then slides
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
  cardan_vec3 PV[3], KV[3];
} pair;

struct cardan__mx_articulated {
  const cardan__maximal *mx;
  record *record; // nbody, every one after its parent
  pair *pair;     // nbody
  cardan_vec3 *q; // nbody
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
    const cardan__mx_plain *row = &mx->plain[r];
    if (g == NULL || !g->plain || group_of(mx, r) != g ||
        (row->turned ? e->nturned : e->nalong) == 3) {
      return false;
    }
    if (row->turned) {
      p->u[e->nturned] = cardan__vec3_scale(p->sign, row->u);
      p->w[e->nturned] = row->w;
      e->turned[e->nturned++] = eq[i];
    } else {
      a[e->nalong] = cardan__vec3_scale(p->sign * row->sign, row->u);
      e->along[e->nalong++] = eq[i];
    }
  }
  e->nslide = split(e->nalong, a, 1e-6, p->PV, p->KV);
  return e->nslide == 3 - e->nalong;
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
    room += 3 + (size_t)t->record[i].nslide;
  }
  freedom *next = cardan__arena_take(arena, room, sizeof *next);
  for (size_t i = 0; i < nbody && next != NULL; i++) {
    t->record[i].free = next;
    next += 3 + t->record[i].nslide;
  }
  *out = next != NULL ? t : NULL;
  return next != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

/* ---- factor ---- */

/* What a record has of the place: R, c, l, P, the directions of K, and D of the body alone. Returns
 * how many rows are passed over. */
static inline int gather(cardan__mx_articulated *t, int i, double tol)
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
  for (int k = 0; k < e->nturned; k++) {
    turns[k] = cardan__vec3_cross(cardan__mat3_mulv(&B->R, p->w[k]),
                                  cardan__mat3_mulv(&A->R, p->u[k])); // (E1)
  }
  e->nturn = split(e->nturned, turns, tol, e->PW, K);
  for (int k = 0; k < e->nturn; k++) {
    e->free[k].k = K[k];
  }
  for (int k = 0; k < e->nalong; k++) {
    e->PV[k] = cardan__mat3_mulv(&A->R, p->PV[k]);
  }
  for (int k = 0; k < e->nslide; k++) {
    e->free[e->nturn + k].k = cardan__mat3_mulv(&A->R, p->KV[k]);
  }
  const cardan__sym3 J = cardan__sym3_rotate(&X->R, &body->J);
  const cardan_inertia G = cardan__inertia_from_com(body->m, e->c, &J);
  e->D = cardan__abi_from_inertia(&G);
  return e->nturn - (3 - e->nturned);
}

/* One freedom of (E2): D becomes what it leaves of it. */
static inline bool give_way(bool turns, freedom *s, cardan__abi *D)
{
  const cardan_vec3 k = s->k;
  s->U = turns ? (cardan_force){cardan__sym3_mulv(&D->A, k), cardan__mat3_tmulv(&D->B, k)}
               : (cardan_force){cardan__mat3_mulv(&D->B, k), cardan__sym3_mulv(&D->C, k)};
  const double d = cardan__vec3_dot(k, turns ? s->U.t : s->U.f);
  s->inverse = 1 / d;
  *D = cardan__abi_sub_rank1(D, s->inverse, s->U);
  return d > 0 && d < HUGE_VAL;
}

/* (E2) */
static inline bool factor_pair(record *e, record *above, int nturn, int nslide)
{
  cardan__abi D = e->D;
  bool fine = true;
  for (int k = 0; k < nturn; k++) {
    fine &= give_way(true, &e->free[k], &D);
  }
  for (int k = nturn; k < nturn + nslide; k++) {
    fine &= give_way(false, &e->free[k], &D);
  }
  if (above != NULL) {
    const cardan__abi moved = cardan__abi_shift(e->l, &D);
    above->D = cardan__abi_add(&above->D, &moved);
  }
  return fine;
}

static inline record *above_of(cardan__mx_articulated *t, const record *e)
{
  return e->above >= 0 ? &t->record[e->above] : NULL;
}

int cardan__mx_articulated_factor(cardan__mx_articulated *t, double tol, bool *idle)
{
  bool fine = true;
  int lost = 0;
  for (int i = 0; i < t->mx->nbody; i++) {
    const int over = gather(t, i, tol);
    const record *e = &t->record[i];
    for (int k = 0; k < e->nturned && over > 0; k++) {
      idle[e->turned[k]] = cardan__vec3_dot(e->PW[k], e->PW[k]) == 0;
    }
    lost += over;
  }
  for (int i = t->mx->nbody - 1; i >= 0; i--) {
    record *e = &t->record[i], *above = above_of(t, e);
    if (e->nturn == 1 && e->nslide == 0) {
      fine &= factor_pair(e, above, 1, 0);
    } else {
      fine &= factor_pair(e, above, e->nturn, e->nslide);
    }
  }
  return fine ? lost : -1;
}

/* ---- solve ---- */

/* P g, of the edge */
static inline cardan_motion particular(const record *e, const double *g)
{
  cardan_motion z = {.w = {0, 0, 0}};
  for (int k = 0; k < e->nturned; k++) {
    z.w = cardan__vec3_axpy(g[e->turned[k]], e->PW[k], z.w);
  }
  for (int k = 0; k < e->nalong; k++) {
    z.v = cardan__vec3_axpy(g[e->along[k]], e->PV[k], z.v);
  }
  return z;
}

/* (E3); f is complete when its turn comes. */
static inline void solve_forward(record *e, record *above, const double *g, int nturn, int nslide)
{
  cardan_force y = e->f;
  e->z = (cardan_motion){.w = {0, 0, 0}};
  if (g != NULL) {
    e->z = particular(e, g);
    y = cardan__force_sub(y, cardan__abi_mul(&e->D, e->z));
  }
  for (int k = 0; k < nturn + nslide; k++) {
    freedom *s = &e->free[k];
    s->u = s->inverse * cardan__vec3_dot(s->k, k < nturn ? y.t : y.f);
    y = cardan__force_axpy(-s->u, s->U, y);
  }
  if (above != NULL) {
    above->f.t = cardan__vec3_add(above->f.t, cardan__vec3_add(y.t, cardan__vec3_cross(e->l, y.f)));
    above->f.f = cardan__vec3_add(above->f.f, y.f);
  }
}

/* (E4) */
static inline void solve_backward(record *e, const record *above, int nturn, int nslide)
{
  cardan_motion z = {.w = {0, 0, 0}};
  if (above != NULL) {
    z.w = above->z.w;
    z.v = cardan__vec3_add(above->z.v, cardan__vec3_cross(z.w, e->l));
  }
  for (int k = nturn + nslide - 1; k >= 0; k--) {
    const freedom *s = &e->free[k];
    const double a = s->u - s->inverse * cardan__power(z, s->U);
    if (k < nturn) {
      z.w = cardan__vec3_axpy(a, s->k, z.w);
    } else {
      z.v = cardan__vec3_axpy(a, s->k, z.v);
    }
  }
  e->z = cardan__motion_add(z, e->z);
}

/* The last of (E4). */
static inline void put_multipliers(const record *e, double *lambda)
{
  const cardan_force F = cardan__force_sub(e->f, cardan__abi_mul(&e->D, e->z));
  for (int k = 0; k < e->nturned; k++) {
    lambda[e->turned[k]] = cardan__vec3_dot(e->PW[k], F.t);
  }
  for (int k = 0; k < e->nalong; k++) {
    lambda[e->along[k]] = cardan__vec3_dot(e->PV[k], F.f);
  }
}

/* Forces on the bodies as numbers (torque in the body's axes, about its centre), about q. */
static inline cardan_force from_body(const record *e, const double *f)
{
  const cardan_vec3 force = {f[3], f[4], f[5]};
  const cardan_vec3 torque = cardan__mat3_mulv(&e->R, cardan__vec3(f[0], f[1], f[2]));
  return (cardan_force){cardan__vec3_add(torque, cardan__vec3_cross(e->c, force)), force};
}

/* A twist about q as numbers of the body. */
static inline void to_body(const record *e, double *x)
{
  const cardan_vec3 w = cardan__mat3_tmulv(&e->R, e->z.w);
  const cardan_vec3 v = cardan__vec3_add(e->z.v, cardan__vec3_cross(e->z.w, e->c));
  const double all[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
  memcpy(x, all, sizeof all);
}

void cardan__mx_articulated_solve(cardan__mx_articulated *t, const double *f, const double *g,
                                  double *x, double *lambda)
{
  const int nbody = t->mx->nbody;
  for (int i = 0; i < nbody; i++) {
    record *e = &t->record[i];
    e->f = from_body(e, f + e->b * 6);
  }
  for (int i = nbody - 1; i >= 0; i--) {
    record *e = &t->record[i], *above = above_of(t, e);
    if (e->nturn == 1 && e->nslide == 0) {
      solve_forward(e, above, g, 1, 0);
    } else {
      solve_forward(e, above, g, e->nturn, e->nslide);
    }
  }
  for (int i = 0; i < nbody; i++) {
    record *e = &t->record[i], *above = above_of(t, e);
    if (e->nturn == 1 && e->nslide == 0) {
      solve_backward(e, above, 1, 0);
    } else {
      solve_backward(e, above, e->nturn, e->nslide);
    }
    to_body(e, x + e->b * 6);
    put_multipliers(e, lambda);
  }
}
