// SPDX-License-Identifier: Apache-2.0
#include "linalg/blocks.h"

#include <amd.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

/* Right-looking block Cholesky with a static structure.
 * [1] T. A. Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, ch. 4.
 *
 * Column k of L, of s rows: the triangle L_kk and below it the blocks L_ik, i in struct(k), one
 * under the other and row-major, m x s in all.
 *   L_kk L_kk^T = A_kk,   L_ik = A_ik L_kk^-T                                              (E1)
 *   A_ij -= L_ik L_jk^T   for j <= i in struct(k)                                          (E2)
 * struct(k) is what A has below its diagonal there and what the columns hand on whose first row
 * below the diagonal is k [1, 4.1]. Where each block of (E2) goes is found once, at create. */

/* Numbers that L may have: 4 GB, and places fit into 32 bits. */
static const double most_entries = 5e8;

typedef struct {
  int node, size;
  int x;           // its first row in a vector
  int adr, n;      // struct: row[adr ..], n blocks, as columns
  int below;       // rows of these
  size_t value;    // of the panel (size + below) x size
  size_t target;   // of (E2): n (n + 1) / 2 places in target[]
  size_t diagonal; // its rows in diagonal[], inverse[]
} column;

struct cardan__blocks {
  int n;
  column *col;
  int *at;                    // node -> column
  int *row;                   // columns
  uint32_t *target;           // places
  double *value;              // of L
  double *diagonal, *inverse; // of A; 1 / of L, 0: a row of zeros
  double *left;               // nx: the part of its diagonal that is left of each row
  size_t nvalue;
  int nx;
  cardan__arena arena;
};

#define TAKE(a, count, type) (type *)cardan__arena_take(a, (size_t)(count), sizeof(type))

/* ---- structure ---- */

/* The graph by nodes: neighbours of i are list[start[i]] .. , i itself not among them, each
 * once. */
typedef struct {
  int *start, *list;
} graph;

/* Cliques by node: those of node i are of[first[i]] .. */
static bool cliques_of_nodes(cardan__arena *a, int n, int nclique, const int *start,
                             const int *member, int **first, int **of)
{
  *first = TAKE(a, n + 2, int);
  *of = TAKE(a, start[nclique] + 1, int);
  if (!*first || !*of) {
    return false;
  }
  int *next = *first + 1; // becomes the end of each node's list as it is filled
  for (int i = 0; i < start[nclique]; i++) {
    next[member[i] + 1]++;
  }
  for (int i = 0; i < n; i++) {
    next[i + 1] += next[i];
  }
  for (int c = 0; c < nclique; c++) {
    for (int i = start[c]; i < start[c + 1]; i++) {
      (*of)[next[member[i]]++] = c;
    }
  }
  return true;
}

static bool make_graph(cardan__arena *a, int n, int nclique, const int *start, const int *member,
                       graph *g)
{
  int *first, *of;
  int *mark = TAKE(a, n + 1, int);
  g->start = TAKE(a, n + 1, int);
  g->list = NULL;
  if (!mark || !g->start || !cliques_of_nodes(a, n, nclique, start, member, &first, &of)) {
    return false;
  }
  for (int round = 0; round < 2; round++) {
    double total = 0;
    int at = 0;
    for (int i = 0; i < n; i++) {
      mark[i] = round * n + i + 1;
      for (int c = first[i]; c < first[i + 1]; c++) {
        for (int m = start[of[c]]; m < start[of[c] + 1]; m++) {
          const int j = member[m];
          if (mark[j] != round * n + i + 1) {
            mark[j] = round * n + i + 1;
            total++;
            if (round == 1) {
              g->list[at] = j;
            }
            at = total < most_entries ? at + 1 : at;
          }
        }
      }
      g->start[i + 1] = at;
    }
    if (round == 0) {
      g->list = total < most_entries ? TAKE(a, total + 1, int) : NULL;
      if (!g->list) {
        return false;
      }
    }
  }
  return true;
}

/* Columns in AMD's order. */
static bool order(cardan__blocks *b, cardan__arena *a, const graph *g, const int *size)
{
  int *P = TAKE(a, b->n + 1, int), *adr = TAKE(a, b->n + 1, int);
  if (!P || !adr || amd_order(b->n, g->start, g->list, P, NULL, NULL) < AMD_OK) {
    return false;
  }
  for (int i = 0; i < b->n; i++) {
    adr[i] = b->nx;
    b->nx += size[i];
  }
  for (int k = 0; k < b->n; k++) {
    b->at[P[k]] = k;
    b->col[k] = (column){.node = P[k], .size = size[P[k]], .x = adr[P[k]]};
  }
  return true;
}

static int by_number(const void *left, const void *right)
{
  const int x = *(const int *)left, y = *(const int *)right;
  return (x > y) - (x < y);
}

/* struct of every column; child and next chain the columns that hand on to one. */
static bool find_structure(cardan__blocks *b, cardan__arena *a, const graph *g)
{
  const int n = b->n;
  int *mark = TAKE(a, n + 1, int), *child = TAKE(a, n + 1, int), *next = TAKE(a, n + 1, int);
  int capacity = 0, used = 0;
  cardan_status status = mark && child && next ? CARDAN_OK : CARDAN_ERR_MEMORY;
  b->row = NULL;
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    child[k] = -1;
    mark[k] = -1;
  }
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    column *c = &b->col[k];
    status = used < most_entries ? cardan__grow(&b->arena.alloc, (void **)&b->row, &capacity,
                                                used + n - k, sizeof *b->row)
                                 : CARDAN_ERR_MEMORY;
    if (status != CARDAN_OK) {
      break;
    }
    c->adr = used;
    mark[k] = k;
    for (int i = g->start[c->node]; i < g->start[c->node + 1]; i++) {
      const int j = b->at[g->list[i]];
      if (j > k && mark[j] != k) {
        mark[j] = k;
        b->row[used++] = j;
      }
    }
    for (int d = child[k]; d >= 0; d = next[d]) {
      for (int i = b->col[d].adr; i < b->col[d].adr + b->col[d].n; i++) {
        if (mark[b->row[i]] != k) {
          mark[b->row[i]] = k;
          b->row[used++] = b->row[i];
        }
      }
    }
    c->n = used - c->adr;
    if (c->n > 0) {
      qsort(b->row + c->adr, (size_t)c->n, sizeof *b->row, by_number);
      next[k] = child[b->row[c->adr]];
      child[b->row[c->adr]] = k;
    }
  }
  return status == CARDAN_OK;
}

/* Where panels begin, and how many places (E2) has. */
static bool lay_out(cardan__blocks *b, size_t *ntarget)
{
  size_t diagonal = 0;
  *ntarget = 0;
  for (int k = 0; k < b->n; k++) {
    column *c = &b->col[k];
    for (int i = 0; i < c->n; i++) {
      c->below += b->col[b->row[c->adr + i]].size;
    }
    c->value = b->nvalue;
    c->target = *ntarget;
    c->diagonal = diagonal;
    diagonal += (size_t)c->size;
    b->nvalue += (size_t)(c->size + c->below) * (size_t)c->size;
    *ntarget += (size_t)c->n * (size_t)(c->n + 1) / 2;
    if ((double)b->nvalue > most_entries || (double)*ntarget > most_entries) {
      return false;
    }
  }
  return true;
}

/* Place of block (i, j) in columns, i >= j; struct(j) is searched from *from on, which moves on. */
static size_t place_from(const cardan__blocks *b, int i, int j, int *from, int *above)
{
  const column *c = &b->col[j];
  if (i == j) {
    return c->value;
  }
  while (*from < c->n && b->row[c->adr + *from] < i) {
    *above += b->col[b->row[c->adr + *from]].size;
    (*from)++;
  }
  CARDAN_ASSERT(*from < c->n && b->row[c->adr + *from] == i);
  return c->value + (size_t)(c->size + *above) * (size_t)c->size;
}

static void find_targets(cardan__blocks *b)
{
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
    const int *row = b->row + c->adr;
    uint32_t *to = b->target + c->target;
    for (int j = 0; j < c->n; j++) {
      int from = 0, above = 0;
      for (int i = j; i < c->n; i++) {
        *to++ = (uint32_t)place_from(b, row[i], row[j], &from, &above);
      }
    }
  }
}

static bool build(cardan__blocks *b, const int *size, int nclique, const int *start,
                  const int *member)
{
  cardan__arena scratch;
  graph g;
  size_t ntarget = 0;
  cardan__arena_init(&scratch, &b->arena.alloc);
  b->col = TAKE(&b->arena, b->n, column);
  b->at = TAKE(&b->arena, b->n, int);
  bool ok = b->col && b->at && make_graph(&scratch, b->n, nclique, start, member, &g) &&
            order(b, &scratch, &g, size) && find_structure(b, &scratch, &g) && lay_out(b, &ntarget);
  cardan__arena_free(&scratch);
  if (ok) {
    b->target = TAKE(&b->arena, ntarget, uint32_t);
    b->value = TAKE(&b->arena, b->nvalue, double);
    b->diagonal = TAKE(&b->arena, b->nx, double);
    b->inverse = TAKE(&b->arena, b->nx, double);
    b->left = TAKE(&b->arena, b->nx, double);
    ok = b->target && b->value && b->diagonal && b->inverse && b->left;
  }
  if (ok) {
    find_targets(b);
  }
  return ok;
}

cardan_status cardan__blocks_create(int n, const int *size, int nclique, const int *start,
                                    const int *member, const cardan_allocator *allocator,
                                    cardan__blocks **out)
{
  cardan__blocks *b = cardan__resize(allocator, NULL, sizeof *b);
  *out = NULL;
  if (b == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(b, 0, sizeof *b);
  b->n = n;
  cardan__arena_init(&b->arena, allocator);
  if (!build(b, size, nclique, start, member)) {
    cardan__blocks_destroy(b);
    return CARDAN_ERR_MEMORY;
  }
  *out = b;
  return CARDAN_OK;
}

void cardan__blocks_destroy(cardan__blocks *b)
{
  if (b != NULL) {
    const cardan_allocator allocator = b->arena.alloc;
    cardan__resize(&allocator, b->row, 0);
    cardan__arena_free(&b->arena);
    cardan__resize(&allocator, b, 0);
  }
}

bool cardan__blocks_after(const cardan__blocks *b, int i, int j)
{
  return b->at[i] >= b->at[j];
}

ptrdiff_t cardan__blocks_place(const cardan__blocks *b, int i, int j)
{
  const int ci = b->at[i], cj = b->at[j];
  const column *c = &b->col[cj];
  const int *found = ci > cj && c->n > 0
                         ? bsearch(&ci, b->row + c->adr, (size_t)c->n, sizeof ci, by_number)
                         : NULL;
  CARDAN_ASSERT(ci >= cj);
  if (ci != cj && found == NULL) {
    return -1;
  }
  int from = 0, above = 0;
  return (ptrdiff_t)place_from(b, ci, cj, &from, &above);
}

double *cardan__blocks_values(cardan__blocks *b)
{
  return b->value;
}

void cardan__blocks_clear(cardan__blocks *b)
{
  memset(b->value, 0, b->nvalue * sizeof *b->value);
}

size_t cardan__blocks_entries(const cardan__blocks *b)
{
  return b->nvalue;
}

/* ---- values ---- */

/* Inlined for every s, which is then a constant. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* (E1) of a triangle. */
INLINE void factor_triangle(int s, double *D, const double *diagonal, double *inverse, double *left,
                            double tol)
{
  for (int i = 0; i < s; i++) {
    double *row = D + i * s, d = row[i];
    for (int j = 0; j < i; j++) {
      double x = row[j];
      for (int k = 0; k < j; k++) {
        x -= row[k] * D[j * s + k];
      }
      row[j] = x * inverse[j];
      d -= row[j] * row[j];
    }
    left[i] = diagonal[i] > 0 ? d / diagonal[i] : 0;
    d = d > tol * diagonal[i] ? d : tol * diagonal[i];
    inverse[i] = d > 0 ? 1 / __builtin_sqrt(d) : 0;
    row[i] = d * inverse[i];
  }
}

/* (E1) of m rows below. */
INLINE void factor_panel(int s, int m, const double *D, const double *inverse, double *P)
{
  for (int r = 0; r < m; r++, P += s) {
    for (int i = 0; i < s; i++) {
      double x = P[i];
      for (int k = 0; k < i; k++) {
        x -= P[k] * D[i * s + k];
      }
      P[i] = x * inverse[i];
    }
  }
}

/* C (si x sj) -= A B^T, A (si x s), B (sj x s) */
INLINE void subtract(int s, int si, int sj, const double *A, const double *B, double *C)
{
  for (int i = 0; i < si; i++, A += s) {
    for (int j = 0; j < sj; j++) {
      double x = 0;
      for (int k = 0; k < s; k++) {
        x += A[k] * B[j * s + k];
      }
      *C++ -= x;
    }
  }
}

INLINE void eliminate(int s, cardan__blocks *b, const column *c, double tol)
{
  double *D = b->value + c->value, *P = D + s * s, *inverse = b->inverse + c->diagonal;
  const int *row = b->row + c->adr;
  const uint32_t *to = b->target + c->target;
  factor_triangle(s, D, b->diagonal + c->diagonal, inverse, b->left + c->x, tol);
  factor_panel(s, c->below, D, inverse, P);
  for (int j = 0; j < c->n; j++) {
    const int sj = b->col[row[j]].size;
    const double *A = P;
    for (int i = j; i < c->n; i++) {
      const int si = b->col[row[i]].size;
      subtract(s, si, sj, A, P, b->value + *to++); // (E2)
      A += si * s;
    }
    P += sj * s;
  }
}

/* One call for each size. */
#define SIZES(call, s) \
  switch (s) {         \
  case 1:              \
    call(1);           \
    break;             \
  case 2:              \
    call(2);           \
    break;             \
  case 3:              \
    call(3);           \
    break;             \
  case 4:              \
    call(4);           \
    break;             \
  case 5:              \
    call(5);           \
    break;             \
  default:             \
    call(6);           \
    break;             \
  }

void cardan__blocks_factor(cardan__blocks *b, double tol)
{
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
    for (int i = 0; i < c->size; i++) {
      b->diagonal[c->diagonal + (size_t)i] = b->value[c->value + (size_t)(i * c->size + i)];
    }
  }
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
#define CALL(s) eliminate(s, b, c, tol)
    SIZES(CALL, c->size)
#undef CALL
  }
}

const double *cardan__blocks_left(const cardan__blocks *b)
{
  return b->left;
}

/* ---- solve ---- */

INLINE void forward(int s, const cardan__blocks *b, const column *c, double *x)
{
  const double *D = b->value + c->value, *P = D + s * s, *inverse = b->inverse + c->diagonal;
  const int *row = b->row + c->adr;
  double y[CARDAN__BLOCK_MOST];
  for (int i = 0; i < s; i++) {
    y[i] = x[c->x + i];
    for (int k = 0; k < i; k++) {
      y[i] -= D[i * s + k] * y[k];
    }
    y[i] *= inverse[i];
    x[c->x + i] = y[i];
  }
  for (int i = 0; i < c->n; i++) {
    const column *to = &b->col[row[i]];
    for (int r = 0; r < to->size; r++, P += s) {
      double sum = 0;
      for (int k = 0; k < s; k++) {
        sum += P[k] * y[k];
      }
      x[to->x + r] -= sum;
    }
  }
}

INLINE void backward(int s, const cardan__blocks *b, const column *c, double *x)
{
  const double *D = b->value + c->value, *P = D + s * s, *inverse = b->inverse + c->diagonal;
  const int *row = b->row + c->adr;
  double y[CARDAN__BLOCK_MOST];
  for (int i = 0; i < s; i++) {
    y[i] = x[c->x + i];
  }
  for (int i = 0; i < c->n; i++) {
    const column *from = &b->col[row[i]];
    for (int r = 0; r < from->size; r++, P += s) {
      for (int k = 0; k < s; k++) {
        y[k] -= P[k] * x[from->x + r];
      }
    }
  }
  for (int i = s - 1; i >= 0; i--) {
    for (int k = i + 1; k < s; k++) {
      y[i] -= D[k * s + i] * y[k];
    }
    y[i] *= inverse[i];
    x[c->x + i] = y[i];
  }
}

void cardan__blocks_solve(const cardan__blocks *b, double *x)
{
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
#define CALL(s) forward(s, b, c, x)
    SIZES(CALL, c->size)
#undef CALL
  }
  for (int k = b->n - 1; k >= 0; k--) {
    const column *c = &b->col[k];
#define CALL(s) backward(s, b, c, x)
    SIZES(CALL, c->size)
#undef CALL
  }
}
