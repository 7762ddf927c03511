// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/graph.h"

#include <stdlib.h>
#include <string.h>

/* Kruskal's algorithm on edges sorted by their number of rows: O(neq log neq), once. */

typedef struct {
  int a, b, eq; // bodies with a < b, a = -1 for the world
} half_edge;

typedef struct {
  int a, b, first, n; // rows first .. first + n of the sorted equations
  bool used;
} edge;

typedef struct {
  const cardan__maximal *mx;
  half_edge *half;
  int nhalf;
  edge *edges;
  int nedge;
  int *set;          // nbody + 1: union-find, the world is nbody
  int *first, *next; // used edges of a body: lists of 2 nedge entries
  int *stack, *by;   // bodies to visit; the edge that each was reached by, -1: a root
} builder;

static int compare(const void *left, const void *right)
{
  const half_edge *x = left, *y = right;
  if (x->a != y->a) {
    return x->a < y->a ? -1 : 1;
  }
  if (x->b != y->b) {
    return x->b < y->b ? -1 : 1;
  }
  return (x->eq > y->eq) - (x->eq < y->eq);
}

/* Rows that hold two bodies together wherever they are: neither body's part ever vanishes. */
static bool can_be_edge(const cardan__maximal *mx, int r)
{
  const cardan_row_kind kind = mx->set.row[r].kind;
  return mx->nent[r] >= 1 && mx->nent[r] <= 2 && kind != CARDAN_ROW_EXPR &&
         kind != CARDAN_ROW_COORD;
}

static void collect(builder *w, cardan__mx_graph *g)
{
  const cardan__maximal *mx = w->mx;
  for (int e = 0; e < mx->neq; e++) {
    const int r = mx->row[e];
    if (!can_be_edge(mx, r)) {
      g->aux[g->naux++] = e;
      continue;
    }
    const int x = mx->ent_body[mx->ent[r]],
              y = mx->nent[r] == 2 ? mx->ent_body[mx->ent[r] + 1] : -1;
    w->half[w->nhalf++] = (half_edge){.a = x < y ? x : y, .b = x < y ? y : x, .eq = e};
  }
  if (w->nhalf > 0) {
    qsort(w->half, (size_t)w->nhalf, sizeof *w->half, compare);
  }
  for (int i = 0; i < w->nhalf; i++) {
    const half_edge *h = &w->half[i];
    edge *last = w->nedge > 0 ? &w->edges[w->nedge - 1] : NULL;
    if (last != NULL && last->a == h->a && last->b == h->b) {
      last->n++;
    } else {
      w->edges[w->nedge++] = (edge){.a = h->a, .b = h->b, .first = i, .n = 1};
    }
  }
}

static int find(int *set, int i)
{
  while (set[i] != i) {
    set[i] = set[set[i]];
    i = set[i];
  }
  return i;
}

/* Takes edges with the most rows first; more rows than a body has velocities cannot be independent,
 * and such an edge is left to the auxiliary ones as a whole. */
static void span(builder *w)
{
  const int n = w->mx->nbody;
  for (int i = 0; i <= n; i++) {
    w->set[i] = i;
    w->first[i] = -1;
  }
  for (int rows = w->mx->dof; rows > 0; rows--) {
    for (int i = 0; i < w->nedge; i++) {
      edge *e = &w->edges[i];
      if (e->n != rows) {
        continue;
      }
      const int a = e->a >= 0 ? e->a : n, x = find(w->set, a), y = find(w->set, e->b);
      if (x != y) {
        w->set[x > y ? y : x] = x > y ? x : y;
        e->used = true;
        w->next[2 * i] = w->first[a];
        w->first[a] = 2 * i;
        w->next[2 * i + 1] = w->first[e->b];
        w->first[e->b] = 2 * i + 1;
      }
    }
  }
}

/* Entry of body b in the row of equation e, -1: none. */
static int entry_of(const cardan__maximal *mx, int e, int b)
{
  const int r = mx->row[e];
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    if (mx->ent_body[i] == b) {
      return i;
    }
  }
  return -1;
}

/* Puts body b next in order, with the equations of the edge that it was reached by. */
static void hang(builder *w, cardan__mx_graph *g, int b, int *norder)
{
  const edge *e = w->by[b] >= 0 ? &w->edges[w->by[b]] : NULL;
  g->order[(*norder)++] = b;
  g->adr[b] = g->ntree;
  g->n[b] = e != NULL ? e->n : 0;
  for (int k = 0; k < g->n[b]; k++) {
    const int eq = w->half[e->first + k].eq;
    g->eq[g->ntree] = eq;
    g->child[g->ntree] = entry_of(w->mx, eq, b);
    g->above[g->ntree] = g->parent[b] >= 0 ? entry_of(w->mx, eq, g->parent[b]) : -1;
    g->ntree++;
  }
}

/* Everything that hangs together with body (or world, nbody) from, depth first: what belongs to a
 * subtree stays together in memory. */
static void traverse(builder *w, cardan__mx_graph *g, int from, int *norder)
{
  const int n = w->mx->nbody;
  int top = 0;
  w->stack[top++] = from;
  while (top > 0) {
    const int at = w->stack[--top];
    if (at < n) {
      hang(w, g, at, norder);
    }
    for (int h = w->first[at]; h >= 0; h = w->next[h]) {
      const edge *e = &w->edges[h / 2];
      const int a = e->a >= 0 ? e->a : n, other = a == at ? e->b : a;
      if (other < n && g->parent[other] == -2) {
        g->parent[other] = at < n ? at : -1;
        w->by[other] = h / 2;
        w->stack[top++] = other;
      }
    }
  }
}

static int by_number(const void *left, const void *right)
{
  const int x = *(const int *)left, y = *(const int *)right;
  return (x > y) - (x < y);
}

static bool take_memory(builder *w, cardan__arena *arena, cardan__mx_graph *g)
{
  const size_t n = (size_t)w->mx->nbody + 1, m = (size_t)w->mx->neq + 1;
#define TAKE(count, type) (type *)cardan__arena_take(arena, count, sizeof(type))
  g->order = TAKE(n, int);
  g->parent = TAKE(n, int);
  g->adr = TAKE(n, int);
  g->n = TAKE(n, int);
  g->eq = TAKE(m, int);
  g->child = TAKE(m, int);
  g->above = TAKE(m, int);
  g->aux = TAKE(m, int);
  w->half = TAKE(m, half_edge);
  w->edges = TAKE(m, edge);
  w->set = TAKE(n, int);
  w->first = TAKE(n, int);
  w->next = TAKE(2 * m, int);
  w->stack = TAKE(n, int);
  w->by = TAKE(n, int);
#undef TAKE
  return g->order && g->parent && g->adr && g->n && g->eq && g->child && g->above && g->aux &&
         w->half && w->edges && w->set && w->first && w->next && w->stack && w->by;
}

cardan_status cardan__mx_graph_make(const cardan__maximal *mx, cardan__arena *arena,
                                    cardan__mx_graph *graph)
{
  builder w = {.mx = mx};
  int norder = 0;
  *graph = (cardan__mx_graph){.naux = 0};
  if (!take_memory(&w, arena, graph)) {
    return CARDAN_ERR_MEMORY;
  }
  collect(&w, graph);
  span(&w);
  for (int b = 0; b < mx->nbody; b++) {
    graph->parent[b] = -2;
  }
  traverse(&w, graph, mx->nbody, &norder);
  for (int b = 0; b < mx->nbody; b++) {
    if (graph->parent[b] == -2) {
      graph->parent[b] = -1;
      w.by[b] = -1;
      traverse(&w, graph, b, &norder);
    }
  }
  for (int i = 0; i < w.nedge; i++) {
    for (int k = 0; k < w.edges[i].n && !w.edges[i].used; k++) {
      graph->aux[graph->naux++] = w.half[w.edges[i].first + k].eq;
    }
  }
  if (graph->naux > 0) {
    qsort(graph->aux, (size_t)graph->naux, sizeof *graph->aux, by_number);
  }
  return CARDAN_OK;
}
