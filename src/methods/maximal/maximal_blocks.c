// SPDX-License-Identifier: Apache-2.0
#include "linalg/blocks.h"

#include <math.h>
#include <string.h>

#include "methods/maximal/kkt.h"

/* The KKT system of mechanisms with many loops: bodies are eliminated first, which couples no two
 * of them, and the remaining system of the equations is definite as long as they are independent:
 *   Y = J M^-1,   S = J Y^T,   S lambda = Y f - g,   x = M^-1 f - Y^T lambda                   (E1)
 * Equations one after another that touch the same bodies are a node; the nodes on a body meet in S,
 * which is a sparse matrix of small dense blocks (linalg/blocks.h). J and Y are kept by nodes, and
 * in a node by bodies:
 *   J_kb (rows of the node x dof),   S_ij = sum over the bodies b of both of J_ib Y_jb^T       (E2)
 * M x + J^T lambda is f to rounding, whatever the pivots were, and Cholesky's factors leave of S
 * lambda what rounding of S does: to refine the solution once gained nothing on ladders of 1000. */

typedef struct {
  int e, n;        // equations e .. e + n - 1
  int body, nbody; // of_node[body ..]: bodies that they touch
  int value;       // of J_kb of the first body, in J and Y
} node;

/* A product of (E2). */
typedef struct {
  int ni, nj, i, j; // rows of both; where J_ib and Y_jb begin
  int stride;
  ptrdiff_t place;
} product;

struct cardan__mx_blocks {
  const cardan__maximal *mx;
  cardan__blocks *S;
  node *node;
  int nnode;
  int *body; // of nodes
  product *product;
  int nproduct;
  double *J, *Y;
  double *aside, *limit, *y; // neq: how much less a row counts; its least pivot; right-hand side
};

/* ---- structure ---- */

static bool same_bodies(const cardan__maximal *mx, int r, int s)
{
  bool same = mx->nent[r] == mx->nent[s];
  for (int i = 0; i < mx->nent[r] && same; i++) {
    same = mx->ent_body[mx->ent[r] + i] == mx->ent_body[mx->ent[s] + i];
  }
  return same;
}

/* Nodes, and the bodies of each. */
static void find_nodes(cardan__mx_blocks *m)
{
  const cardan__maximal *mx = m->mx;
  int bodies = 0, values = 0;
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    node *k = m->nnode > 0 ? &m->node[m->nnode - 1] : NULL;
    if (k == NULL || k->n == CARDAN__BLOCK_MOST || !same_bodies(mx, mx->row[k->e], r)) {
      k = &m->node[m->nnode++];
      *k = (node){.e = e, .body = bodies, .nbody = mx->nent[r], .value = values};
      memcpy(m->body + bodies, mx->ent_body + mx->ent[r], (size_t)k->nbody * sizeof *m->body);
      bodies += k->nbody;
    }
    k->n++;
    values += k->nbody * mx->dof;
  }
}

/* Nodes by body: those of body b are list[start[b]] .., as many times as J has entries there. */
typedef struct {
  int *start, *list, *size;
} cliques;

static bool find_cliques(const cardan__mx_blocks *m, cardan__arena *arena, cliques *c)
{
  const int n = m->mx->nbody;
  c->start = cardan__arena_take(arena, (size_t)n + 2, sizeof(int));
  c->list = cardan__arena_take(arena, (size_t)m->mx->nentry + 1, sizeof(int));
  c->size = cardan__arena_take(arena, (size_t)m->nnode + 1, sizeof(int));
  if (!(c->start && c->list && c->size)) {
    return false;
  }
  int *next = c->start + 1; // becomes the end of each body's list as it is filled
  for (int k = 0; k < m->nnode; k++) {
    c->size[k] = m->node[k].n;
    for (int i = 0; i < m->node[k].nbody; i++) {
      next[m->body[m->node[k].body + i] + 1]++;
    }
  }
  for (int b = 0; b < n; b++) {
    next[b + 1] += next[b];
  }
  for (int k = 0; k < m->nnode; k++) {
    for (int i = 0; i < m->node[k].nbody; i++) {
      c->list[next[m->body[m->node[k].body + i]]++] = k;
    }
  }
  return true;
}

/* Where J_kb begins. */
static int value_of(const cardan__mx_blocks *m, int k, int b)
{
  const node *at = &m->node[k];
  int i = 0;
  while (m->body[at->body + i] != b) {
    i++;
  }
  return at->value + i * at->n * m->mx->dof;
}

/* The products of (E2), those of a body together. */
static bool find_products(cardan__mx_blocks *m, cardan__arena *arena, const cliques *c)
{
  size_t most = 0;
  for (int b = 0; b < m->mx->nbody; b++) {
    const size_t n = (size_t)(c->start[b + 1] - c->start[b]);
    most += n * (n + 1) / 2;
  }
  m->product = cardan__arena_take(arena, most, sizeof *m->product);
  for (int b = 0; b < m->mx->nbody && m->product != NULL; b++) {
    for (int p = c->start[b]; p < c->start[b + 1]; p++) {
      for (int q = c->start[b]; q <= p; q++) {
        const bool after = cardan__blocks_after(m->S, c->list[p], c->list[q]);
        const int i = c->list[after ? p : q], j = c->list[after ? q : p];
        product *to = &m->product[m->nproduct++];
        *to = (product){
            .ni = m->node[i].n, .nj = m->node[j].n, .i = value_of(m, i, b), .j = value_of(m, j, b)};
        to->place = cardan__blocks_place(m->S, i, j, &to->stride);
      }
    }
  }
  return m->product != NULL;
}

static bool build(cardan__mx_blocks *m, cardan__arena *arena)
{
  const cardan__maximal *mx = m->mx;
  const size_t neq = (size_t)mx->neq, nentry = (size_t)mx->nentry, dof = (size_t)mx->dof;
  cliques c;
#define TAKE(count, type) (type *)cardan__arena_take(arena, count, sizeof(type))
  m->node = TAKE(neq, node);
  m->body = TAKE(nentry, int);
  m->J = TAKE(nentry * dof, double);
  m->Y = TAKE(nentry * dof, double);
  m->aside = TAKE(neq, double);
  m->limit = TAKE(neq, double);
  m->y = TAKE(neq, double);
#undef TAKE
  if (!(m->node && m->body && m->J && m->Y && m->aside && m->limit && m->y)) {
    return false;
  }
  for (int e = 0; e < mx->neq; e++) {
    m->aside[e] = cardan__kkt_aside(mx, e);
  }
  find_nodes(m);
  return find_cliques(m, arena, &c) &&
         cardan__blocks_create(m->nnode, c.size, mx->nbody, c.start, c.list, &arena->alloc,
                               &m->S) == CARDAN_OK &&
         find_products(m, arena, &c);
}

cardan__mx_blocks *cardan__mx_blocks_make(const cardan__maximal *mx, cardan__arena *arena)
{
  cardan__mx_blocks *m = cardan__arena_take(arena, 1, sizeof *m);
  if (m == NULL) {
    return NULL;
  }
  m->mx = mx;
  if (!build(m, arena)) {
    cardan__mx_blocks_close(m);
    return NULL;
  }
  return m;
}

void cardan__mx_blocks_close(cardan__mx_blocks *m)
{
  if (m != NULL) {
    cardan__blocks_destroy(m->S);
  }
}

/* ---- factor; dof is a constant where these are inlined ---- */

#define INLINE static inline __attribute__((always_inline))

/* J_kb and Y_kb of n rows, whose entries on the body are from[0] .. */
INLINE void take_rows(const cardan__mx_body *body, int dof, int n, const double *const *from,
                      double *J, double *Y)
{
  const double m = 1 / body->m, Jn = dof == 3 ? 1 / body->Jn : 0;
  for (int r = 0; r < n; r++, J += dof, Y += dof) {
    for (int c = 0; c < dof; c++) {
      J[c] = from[r][c];
      Y[c] = m * from[r][c];
    }
    if (dof == 3) {
      Y[0] = Jn * J[0];
    } else {
      const cardan_vec3 t = cardan__sym3_mulv(&body->J_inv, cardan__vec3(J[0], J[1], J[2]));
      Y[0] = t.x;
      Y[1] = t.y;
      Y[2] = t.z;
    }
  }
}

/* J and Y of the rows at hand. */
INLINE void gather(cardan__mx_blocks *m, int dof)
{
  const cardan__maximal *mx = m->mx;
  for (int k = 0; k < m->nnode; k++) {
    const node *at = &m->node[k];
    for (int i = 0; i < at->nbody; i++) {
      const double *from[CARDAN__BLOCK_MOST];
      const int to = at->value + i * at->n * dof;
      for (int r = 0; r < at->n; r++) {
        from[r] = mx->J + (mx->ent[mx->row[at->e + r]] + i) * dof;
      }
      take_rows(&mx->body[m->body[at->body + i]], dof, at->n, from, m->J + to, m->Y + to);
    }
  }
}

/* S_ij += J_ib Y_jb^T */
INLINE void add_product(int dof, int ni, int nj, const double *J, const double *Y, double *S,
                        int stride)
{
  for (int i = 0; i < ni; i++, J += dof, S += stride) {
    for (int j = 0; j < nj; j++) {
      double sum = 0;
      for (int c = 0; c < dof; c++) {
        sum += J[c] * Y[j * dof + c];
      }
      S[j] += sum;
    }
  }
}

INLINE void fill(cardan__mx_blocks *m, int dof)
{
  double *S = cardan__blocks_values(m->S);
  gather(m, dof);
  cardan__blocks_clear(m->S);
  for (int k = 0; k < m->nproduct; k++) {
    const product *p = &m->product[k];
    if (p->ni == 2 && p->nj == 2) { // hinges in a plane
      add_product(dof, 2, 2, m->J + p->i, m->Y + p->j, S + p->place, p->stride);
    } else {
      add_product(dof, p->ni, p->nj, m->J + p->i, m->Y + p->j, S + p->place, p->stride);
    }
  }
}

int cardan__mx_blocks_factor(cardan__mx_blocks *m, bool given, double tol, bool *idle,
                             cardan__rank_monitor *rank)
{
  int lost = 0;
  if (m->mx->planar) {
    fill(m, 3);
  } else {
    fill(m, 6);
  }
  for (int e = 0; e < m->mx->neq; e++) {
    m->limit[e] = given && m->aside[e] > 1 ? HUGE_VAL : tol * m->aside[e];
  }
  cardan__blocks_factor_rank(m->S, m->limit);
  const double *left = cardan__blocks_left(m->S);
  for (int e = 0; e < m->mx->neq; e++) {
    const double pivot = left[e] / m->aside[e];
    if (isnan(pivot)) {
      return -1;
    }
    if (left[e] > m->limit[e]) {
      cardan__rank_take(rank, e, pivot, 1);
    } else {
      idle[e] = true;
      lost++;
      cardan__rank_drop(rank, m->limit[e] < HUGE_VAL ? pivot : 0, 1);
    }
  }
  return lost;
}

/* ---- solve ---- */

/* y += Y_kb f_b */
INLINE void add_dots(int dof, int n, const double *Y, const double *f, double *y)
{
  for (int r = 0; r < n; r++, Y += dof) {
    double sum = 0;
    for (int c = 0; c < dof; c++) {
      sum += Y[c] * f[c];
    }
    y[r] += sum;
  }
}

/* y = Y f - g; NULL: 0 */
INLINE void take_equations(const cardan__mx_blocks *m, int dof, const double *f, const double *g,
                           double *y)
{
  for (int e = 0; e < m->mx->neq; e++) {
    y[e] = g != NULL ? -g[e] : 0;
  }
  for (int k = 0; k < m->nnode && f != NULL; k++) {
    const node *at = &m->node[k];
    const double *Y = m->Y + at->value;
    for (int i = 0; i < at->nbody; i++, Y += at->n * dof) {
      const double *fb = f + m->body[at->body + i] * dof;
      if (at->n == 2) { // hinges in a plane
        add_dots(dof, 2, Y, fb, y + at->e);
      } else {
        add_dots(dof, at->n, Y, fb, y + at->e);
      }
    }
  }
}

/* x_b -= Y_kb^T lambda */
INLINE void push_body(int dof, int n, const double *Y, const double *lambda, double *x)
{
  double sum[CARDAN__MX_DOF] = {0};
  for (int r = 0; r < n; r++, Y += dof) {
    for (int c = 0; c < dof; c++) {
      sum[c] += lambda[r] * Y[c];
    }
  }
  for (int c = 0; c < dof; c++) {
    x[c] -= sum[c];
  }
}

/* x -= Y^T lambda */
INLINE void push_bodies(const cardan__mx_blocks *m, int dof, const double *lambda, double *x)
{
  for (int k = 0; k < m->nnode; k++) {
    const node *at = &m->node[k];
    const double *Y = m->Y + at->value;
    for (int i = 0; i < at->nbody; i++, Y += at->n * dof) {
      double *xb = x + m->body[at->body + i] * dof;
      if (at->n == 2) {
        push_body(dof, 2, Y, lambda + at->e, xb);
      } else {
        push_body(dof, at->n, Y, lambda + at->e, xb);
      }
    }
  }
}

void cardan__mx_blocks_solve(cardan__mx_blocks *m, const double *f, const double *g, double *x,
                             double *lambda)
{
  const cardan__maximal *mx = m->mx;
  if (mx->planar) {
    take_equations(m, 3, f, g, m->y);
  } else {
    take_equations(m, 6, f, g, m->y);
  }
  cardan__blocks_solve(m->S, m->y); // (E1)
  if (f != NULL) {
    cardan__mx_mass_solve(mx, f, x);
  } else {
    memset(x, 0, (size_t)mx->nx * sizeof *x);
  }
  if (mx->planar) {
    push_bodies(m, 3, m->y, x);
  } else {
    push_bodies(m, 6, m->y, x);
  }
  memcpy(lambda, m->y, (size_t)mx->neq * sizeof *lambda);
}
