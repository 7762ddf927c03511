// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/graph.h"

#include <stdlib.h>
#include <string.h>

/* Kruskal's algorithm on edges sorted by their number of rows: O(neq log neq), once. */

typedef struct {
  int a, b, eq; // bodies with a < b, a = -1 for the world; the equation's index
} equation;

typedef struct {
  int a, b, first, n; // of the sorted equations: first .. first + n - 1
  bool used;          // in the spanning tree
} edge;

typedef struct {
  const cardan__maximal *mx;
  equation *eqs; // sorted by bodies
  int neqs;
  edge *edges;
  int nedge;
  int *set;          // nbody + 1: union-find, the world is nbody
  int *first, *next; // adjacency lists: a body's first tree edge; 2 nedge links
  int *stack;        // bodies to visit
  int *parent_edge;  // of each body: the edge to its parent, -1: a root
} builder;

static int compare_equations(const void *left, const void *right)
{
  const equation *x = left, *y = right;
  if (x->a != y->a) {
    return x->a < y->a ? -1 : 1;
  }
  if (x->b != y->b) {
    return x->b < y->b ? -1 : 1;
  }
  return (x->eq > y->eq) - (x->eq < y->eq);
}

/* May row r belong to a tree edge: does it join a body to another one or to the world, with entries
 * of J that vanish in no position? */
static bool can_be_edge(const cardan__maximal *mx, int r)
{
  const cardan_row_kind kind = mx->set.row[r].kind;
  return mx->nent[r] >= 1 && mx->nent[r] <= 2 && kind != CARDAN_ROW_EXPR &&
         kind != CARDAN_ROW_COORD;
}

/* Groups the equations by their pair of bodies into edges; those that cannot be in an edge become
 * auxiliary. */
static void collect_edges(builder *w, cardan__mx_graph *g)
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
    w->eqs[w->neqs++] = (equation){.a = x < y ? x : y, .b = x < y ? y : x, .eq = e};
  }
  if (w->neqs > 0) {
    qsort(w->eqs, (size_t)w->neqs, sizeof *w->eqs, compare_equations);
  }
  for (int i = 0; i < w->neqs; i++) {
    const equation *h = &w->eqs[i];
    edge *last = w->nedge > 0 ? &w->edges[w->nedge - 1] : NULL;
    if (last != NULL && last->a == h->a && last->b == h->b) {
      last->n++;
    } else {
      w->edges[w->nedge++] = (edge){.a = h->a, .b = h->b, .first = i, .n = 1};
    }
  }
}

/* Root of the set that i belongs to, with path halving. */
static int find_root(int *set, int i)
{
  while (set[i] != i) {
    set[i] = set[set[i]];
    i = set[i];
  }
  return i;
}

/* Kruskal's algorithm: adds the edges with the most rows first. An edge with more rows than a body
 * has velocities is redundant; all its equations become auxiliary. */
static void build_spanning_tree(builder *w)
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
      const int a = e->a >= 0 ? e->a : n, x = find_root(w->set, a), y = find_root(w->set, e->b);
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

/* Index of body b's entry in the row of J of equation e; -1: it has none. */
static int find_entry(const cardan__maximal *mx, int e, int b)
{
  const int r = mx->row[e];
  for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
    if (mx->ent_body[i] == b) {
      return i;
    }
  }
  return -1;
}

/* Appends body b to the order, with the equations of the edge to its parent. */
static void append_body(builder *w, cardan__mx_graph *g, int b, int *norder)
{
  const edge *e = w->parent_edge[b] >= 0 ? &w->edges[w->parent_edge[b]] : NULL;
  g->order[(*norder)++] = b;
  g->adr[b] = g->ntree;
  g->n[b] = e != NULL ? e->n : 0;
  for (int k = 0; k < g->n[b]; k++) {
    const int eq = w->eqs[e->first + k].eq;
    g->eq[g->ntree] = eq;
    g->child[g->ntree] = find_entry(w->mx, eq, b);
    g->above[g->ntree] = g->parent[b] >= 0 ? find_entry(w->mx, eq, g->parent[b]) : -1;
    g->ntree++;
  }
}

/* Visits the tree of body `from` (nbody: the world) depth first, so that each subtree is contiguous
 * in memory. */
static void traverse_tree(builder *w, cardan__mx_graph *g, int from, int *norder)
{
  const int n = w->mx->nbody;
  int top = 0;
  w->stack[top++] = from;
  while (top > 0) {
    const int body = w->stack[--top];
    if (body < n) {
      append_body(w, g, body, norder);
    }
    for (int h = w->first[body]; h >= 0; h = w->next[h]) {
      const edge *e = &w->edges[h / 2];
      const int a = e->a >= 0 ? e->a : n, other = a == body ? e->b : a;
      if (other < n && g->parent[other] == -2) {
        g->parent[other] = body < n ? body : -1;
        w->parent_edge[other] = h / 2;
        w->stack[top++] = other;
      }
    }
  }
}

static int compare_ints(const void *left, const void *right)
{
  const int x = *(const int *)left, y = *(const int *)right;
  return (x > y) - (x < y);
}

static bool allocate_arrays(builder *w, cardan__arena *arena, cardan__mx_graph *g)
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
  w->eqs = TAKE(m, equation);
  w->edges = TAKE(m, edge);
  w->set = TAKE(n, int);
  w->first = TAKE(n, int);
  w->next = TAKE(2 * m, int);
  w->stack = TAKE(n, int);
  w->parent_edge = TAKE(n, int);
#undef TAKE
  return g->order && g->parent && g->adr && g->n && g->eq && g->child && g->above && g->aux &&
         w->eqs && w->edges && w->set && w->first && w->next && w->stack && w->parent_edge;
}

cardan_status cardan__mx_graph_make(const cardan__maximal *mx, cardan__arena *arena,
                                    cardan__mx_graph *graph)
{
  builder w = {.mx = mx};
  int norder = 0;
  *graph = (cardan__mx_graph){.naux = 0};
  if (!allocate_arrays(&w, arena, graph)) {
    return CARDAN_ERR_MEMORY;
  }
  collect_edges(&w, graph);
  build_spanning_tree(&w);
  for (int b = 0; b < mx->nbody; b++) {
    graph->parent[b] = -2;
  }
  traverse_tree(&w, graph, mx->nbody, &norder);
  for (int b = 0; b < mx->nbody; b++) {
    if (graph->parent[b] == -2) {
      graph->parent[b] = -1;
      w.parent_edge[b] = -1;
      traverse_tree(&w, graph, b, &norder);
    }
  }
  for (int i = 0; i < w.nedge; i++) {
    for (int k = 0; k < w.edges[i].n && !w.edges[i].used; k++) {
      graph->aux[graph->naux++] = w.eqs[w.edges[i].first + k].eq;
    }
  }
  if (graph->naux > 0) {
    qsort(graph->aux, (size_t)graph->naux, sizeof *graph->aux, compare_ints);
  }
  return CARDAN_OK;
}
