// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/ncp_inside.h"

/* Contacts that are coupled through trees, directly or by others, are an island. Each island is a
 * problem of its own, with rows, G and workspace of its own size: Newton's method is not repeated
 * where it has ended because some other heap still changes its faces, and cost grows with the
 * largest island squared, not with all contacts. A pile of 100 boxes at rest has some 70.
 *
 * Islands are found by union of contacts over a hash table of trees. The order of islands and of
 * the contacts in them is that of the problem, so results do not depend on where trees are. */

enum { CONE_DOUBLES = (int)(sizeof(cardan__cone) / sizeof(double)) };
_Static_assert(sizeof(cardan__cone) % sizeof(double) == 0, "cones are carved from doubles");
_Static_assert(sizeof(int[2]) == sizeof(double), "pairs of trees are carved from doubles");

typedef struct {
  const cardan__ncp *p;
  int *to;          // n: contact of the same island with a smaller number, or itself
  int *key, *value; // slots of the table: a tree, and a contact that it moves
  unsigned slots;   // a power of 2
  int *island;      // n: number of its island
  int *list;        // n: contacts of one island
  int count;        // islands
} islands;

static unsigned count_slots(int n)
{
  unsigned slots = 8;
  while (slots < 4 * (unsigned)n) {
    slots *= 2;
  }
  return slots;
}

size_t cardan__ncp_work(int n, int m)
{
  return (size_t)m * (size_t)m + 3 * (size_t)m + (CONE_DOUBLES + 1) * (size_t)n +
         cardan__ncp_island_work(m);
}

int cardan__ncp_iwork(int n, int m)
{
  return 3 * n + 2 * (int)count_slots(n) + cardan__ncp_island_iwork(n, m);
}

/* The contact that stands for the island of contact i. */
static int find(const islands *s, int i)
{
  while (s->to[i] != i) {
    s->to[i] = s->to[s->to[i]];
    i = s->to[i];
  }
  return i;
}

/* Contact i moves this tree. */
static void join(const islands *s, int tree, int i)
{
  unsigned slot = (unsigned)tree * 2654435761U & (s->slots - 1);
  while (s->key[slot] >= 0 && s->key[slot] != tree) {
    slot = (slot + 1) & (s->slots - 1);
  }
  if (s->key[slot] < 0) {
    s->key[slot] = tree;
    s->value[slot] = i;
    return;
  }
  const int a = find(s, s->value[slot]), b = find(s, i);
  s->to[a > b ? a : b] = a > b ? b : a;
}

static islands find_islands(const cardan__ncp *p)
{
  islands s = {.p = p, .slots = count_slots(p->n)};
  int *k = p->iwork;
  s.to = k;
  s.island = k + p->n;
  s.list = k + 2 * p->n;
  s.key = k + 3 * p->n;
  s.value = s.key + s.slots;
  memset(s.key, -1, s.slots * sizeof *s.key);
  for (int i = 0; i < p->n; i++) {
    const int *tree = p->tree[i];
    const bool same = i > 0 && tree[0] == tree[-2] && tree[1] == tree[-1];
    s.to[i] = same && (tree[0] >= 0 || tree[1] >= 0) ? s.to[i - 1] : i;
    for (int side = 0; side < 2 && !same; side++) {
      if (tree[side] >= 0) {
        join(&s, tree[side], i);
      }
    }
  }
  for (int i = 0; i < p->n; i++) {
    const int first = find(&s, i);
    s.island[i] = first == i ? s.count++ : s.island[first];
  }
  return s;
}

static bool share_tree(const int *a, const int *b)
{
  return (a[0] >= 0 && (a[0] == b[0] || a[0] == b[1])) ||
         (a[1] >= 0 && (a[1] == b[0] || a[1] == b[1]));
}

/* Copies what the rows of one contact have of another one's. */
static void copy_block(const cardan__ncp *p, const cardan__cone *ci, const cardan__cone *cj,
                       double *G, int stride)
{
  const int rows = cardan__cone_rows(ci);
  const size_t bytes = (size_t)cardan__cone_rows(cj) * sizeof(double);
  const double *from = p->G + (size_t)ci->row * (size_t)p->m + cj->row;
  for (int k = 0; k < rows; k++, from += p->m, G += stride) {
    memcpy(G, from, bytes);
  }
}

/* The problem of the n contacts s->list, m rows, in the workspace of all. */
static cardan__ncp cut(const islands *s, int n, int m)
{
  const cardan__ncp *p = s->p;
  cardan__ncp own = *p;
  double *G = p->work, *b = G + (size_t)m * (size_t)m;
  cardan__cone *cone = (cardan__cone *)(b + 3 * (size_t)m);
  int(*tree)[2] = (int(*)[2])(cone + n);
  int row = 0;
  own.n = n;
  own.m = m;
  for (int k = 0; k < n; k++) {
    const cardan__cone *c = &p->cone[s->list[k]];
    const int rows = cardan__cone_rows(c);
    cone[k] = *c;
    cone[k].row = row;
    memcpy(tree[k], p->tree[s->list[k]], sizeof tree[k]);
    memcpy(b + row, p->b + c->row, (size_t)rows * sizeof *b);
    memcpy(b + m + row, p->r + c->row, (size_t)rows * sizeof *b);
    row += rows;
  }
  for (int k = 0; k < n; k++) {
    for (int l = 0; l < n; l++) {
      if (k == l || share_tree(tree[k], tree[l])) {
        copy_block(p, &p->cone[s->list[k]], &p->cone[s->list[l]],
                   G + (size_t)cone[k].row * (size_t)m + cone[l].row, m);
      }
    }
  }
  own.G = G;
  own.b = b;
  own.r = b + m;
  own.u = b + 2 * (size_t)m;
  own.cone = cone;
  own.tree = (const int(*)[2])tree;
  own.work = (double *)(tree + n);
  own.iwork = s->value + s->slots;
  return own;
}

/* Impulses and velocities of an island to those of all, and what it took. */
static void merge(const islands *s, const cardan__ncp *own, cardan__ncp *p)
{
  for (int k = 0; k < own->n; k++) {
    const cardan__cone *c = &p->cone[s->list[k]];
    const size_t bytes = (size_t)cardan__cone_rows(c) * sizeof(double);
    memcpy(p->r + c->row, own->r + own->cone[k].row, bytes);
    memcpy(p->u + c->row, own->u + own->cone[k].row, bytes);
  }
  if (!(own->error <= p->error)) {
    p->error = own->error;
    p->worst = s->list[own->worst];
  }
  p->sweeps = own->sweeps > p->sweeps ? own->sweeps : p->sweeps;
  p->newtons = own->newtons > p->newtons ? own->newtons : p->newtons;
  p->fallback = p->fallback || own->fallback;
}

/* The largest G_nn of contacts: what is far below it nothing moves. */
static double find_most_mobile(const cardan__ncp *p)
{
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    const size_t row = (size_t)p->cone[i].row;
    const double own = p->G[row * (size_t)p->m + row];
    most = p->cone[i].bound > 0 ? most : fmax(most, own); // a box may be in other units
  }
  return most;
}

static bool solve_each(const islands *s, double most, cardan__ncp *p)
{
  bool good = true;
  p->sweeps = p->newtons = p->worst = 0;
  p->error = 0;
  p->fallback = false;
  for (int island = 0, begin = 0; island < s->count; island++) {
    int n = 0, m = 0;
    while (s->island[begin] != island) { // islands are numbered by their first contacts
      begin++;
    }
    for (int i = begin; i < p->n; i++) {
      if (s->island[i] == island) {
        s->list[n++] = i;
        m += cardan__cone_rows(&p->cone[i]);
      }
    }
    cardan__ncp own = cut(s, n, m);
    good = cardan__ncp_solve_island(&own, most) && good;
    merge(s, &own, p);
  }
  return good;
}

bool cardan__ncp_solve(cardan__ncp *p)
{
  const double most = find_most_mobile(p);
  if (p->tree == NULL || p->n < 2) {
    return cardan__ncp_solve_island(p, most);
  }
  const islands s = find_islands(p);
  return s.count > 1 ? solve_each(&s, most, p) : cardan__ncp_solve_island(p, most);
}
