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
 * Nodes in the order of elimination are columns; columns one after another that have (nearly) the
 * same rows below them make a panel k of s rows: the triangle L_kk and below it the blocks L_ik, i
 * in struct(k), one under the other and row-major, m x s in all, rows ld numbers apart.
 *   L_kk L_kk^T = A_kk,   L_ik = A_ik L_kk^-T                                              (E1)
 *   A_ij -= L_ik L_jk^T   for columns j <= i in struct(k)                                  (E2)
 * struct of a column is what A has below its diagonal there and what the columns hand on whose
 * first row below the diagonal it is [1, 4.1]; of a panel that of its last column. Where each block
 * of (E2) goes is found once, at create. */

/* Numbers that L may have: 4 GB, and places fit into 32 bits. */
static const double most_entries = 5e8;

enum { WIDEST = 48, NARROW = 6 };  // rows of a panel; up to NARROW they have code of their own
static const double padding = 0.1; // part of a panel that may be zeros for the sake of its width

typedef struct {
  int node, size;
  int x;             // its first row in the caller's vectors
  int at;            // in the order of elimination
  int adr, n, below; // struct: row[adr ..], n columns of so many rows
  int panel, offset; // and its first row there
} column;

typedef struct {
  int first, last;   // columns
  int size, ld;      // rows of it; a multiple of four where they are many
  int at;            // its first row in the order of elimination
  int adr, n, below; // struct, of the last column
  double zeros;      // numbers of it that are not in L
  int lowest;        // the first panel that hands on to it, by way of others or not
  size_t value;      // of (size + below) x ld numbers
  size_t target;     // of (E2): n (n + 1) / 2 places in target[]
} panel;

struct cardan__blocks {
  int n, npanel;
  column *col;
  panel *panel;
  int *of;                    // node -> column
  int *row;                   // columns
  uint32_t *target;           // places
  double *value;              // of L
  double *diagonal, *inverse; // nx: of A; 1 / of L, 0: a row of zeros; in order of elimination
  double *limit;              // nx: what must be left of each row, over its diagonal
  double given;               // part of that which a row gets of which less is left; 0: passed over
  double *left, *left_x;      // nx: what remains of each row; the same as the caller has it
  double *work;               // nx
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
  int *P = TAKE(a, b->n + 1, int), *adr = TAKE(a, b->n + 1, int), at = 0;
  if (!P || !adr || amd_order(b->n, g->start, g->list, P, NULL, NULL) < AMD_OK) {
    return false;
  }
  for (int i = 0; i < b->n; i++) {
    adr[i] = b->nx;
    b->nx += size[i];
  }
  for (int k = 0; k < b->n; k++) {
    b->of[P[k]] = k;
    b->col[k] = (column){.node = P[k], .size = size[P[k]], .x = adr[P[k]], .at = at};
    at += size[P[k]];
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
      const int j = b->of[g->list[i]];
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
    for (int i = c->adr; i < used; i++) {
      c->below += b->col[b->row[i]].size;
    }
    if (c->n > 0) {
      qsort(b->row + c->adr, (size_t)c->n, sizeof *b->row, by_number);
      next[k] = child[b->row[c->adr]];
      child[b->row[c->adr]] = k;
    }
  }
  return status == CARDAN_OK;
}

/* May the panel take the column that follows it? That must be the first row below it, so that all
 * the others are the column's too; zeros are what the panel's rows get that they had not. */
static bool can_extend(const cardan__blocks *b, const panel *p)
{
  const int next = p->last + 1;
  if (next == b->n || p->n == 0 || b->row[p->adr] != next) {
    return false;
  }
  const column *c = &b->col[next];
  const double rows = p->size + c->size + c->below, width = p->size + c->size;
  const double zeros = p->size * (rows - p->size - p->below);
  return width <= WIDEST && p->zeros + zeros <= padding * rows * width;
}

/* Panels of columns. */
static void find_panels(cardan__blocks *b)
{
  for (int k = 0; k < b->n; k++) {
    column *c = &b->col[k];
    if (k == 0 || !can_extend(b, &b->panel[b->npanel - 1])) {
      b->panel[b->npanel++] = (panel){.first = k, .at = c->at, .below = c->size + c->below};
    }
    panel *p = &b->panel[b->npanel - 1];
    p->zeros += p->size * (c->size + c->below - p->below);
    c->panel = b->npanel - 1;
    c->offset = p->size;
    p->last = k;
    p->size += c->size;
    p->adr = c->adr;
    p->n = c->n;
    p->below = c->below;
  }
}

/* Where panels begin, and how many places (E2) has. */
static bool lay_out(cardan__blocks *b, size_t *ntarget)
{
  *ntarget = 0;
  for (int k = 0; k < b->npanel; k++) {
    b->panel[k].lowest = k;
  }
  for (int k = 0; k < b->npanel; k++) {
    const panel *p = &b->panel[k];
    if (p->n > 0 && b->row != NULL) { // never NULL, where there are columns
      panel *to = &b->panel[b->col[b->row[p->adr]].panel];
      to->lowest = p->lowest < to->lowest ? p->lowest : to->lowest;
    }
  }
  for (int k = 0; k < b->npanel; k++) {
    panel *p = &b->panel[k];
    p->ld = p->size <= NARROW ? p->size : (p->size + 3) / 4 * 4;
    p->value = b->nvalue;
    p->target = *ntarget;
    b->nvalue += (size_t)(p->size + p->below) * (size_t)p->ld;
    *ntarget += (size_t)p->n * (size_t)(p->n + 1) / 2;
    if ((double)b->nvalue > most_entries || (double)*ntarget > most_entries) {
      return false;
    }
  }
  return true;
}

/* Place of block (i, j) in columns, i >= j; the panel's struct is searched from *from on, which
 * moves on with the rows above it. */
static size_t place_from(const cardan__blocks *b, int i, int j, int *from, int *above)
{
  const column *c = &b->col[j];
  const panel *p = &b->panel[c->panel];
  if (i <= p->last) {
    return p->value + (size_t)b->col[i].offset * (size_t)p->ld + (size_t)c->offset;
  }
  while (*from < p->n && b->row[p->adr + *from] < i) {
    *above += b->col[b->row[p->adr + *from]].size;
    (*from)++;
  }
  CARDAN_ASSERT(*from < p->n && b->row[p->adr + *from] == i);
  return p->value + (size_t)(p->size + *above) * (size_t)p->ld + (size_t)c->offset;
}

static void find_targets(cardan__blocks *b)
{
  for (int k = 0; k < b->npanel; k++) {
    const panel *p = &b->panel[k];
    const int *row = b->row + p->adr;
    uint32_t *to = b->target + p->target;
    for (int j = 0; j < p->n; j++) {
      int from = 0, above = 0;
      for (int i = j; i < p->n; i++) {
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
  b->panel = TAKE(&b->arena, b->n, panel);
  b->of = TAKE(&b->arena, b->n, int);
  bool ok = b->col && b->panel && b->of && make_graph(&scratch, b->n, nclique, start, member, &g) &&
            order(b, &scratch, &g, size) && find_structure(b, &scratch, &g);
  cardan__arena_free(&scratch);
  if (ok) {
    find_panels(b);
    ok = lay_out(b, &ntarget);
  }
  if (ok) {
    b->target = TAKE(&b->arena, ntarget, uint32_t);
    b->value = TAKE(&b->arena, b->nvalue, double);
    b->diagonal = TAKE(&b->arena, b->nx, double);
    b->inverse = TAKE(&b->arena, b->nx, double);
    b->limit = TAKE(&b->arena, b->nx, double);
    b->left = TAKE(&b->arena, b->nx, double);
    b->left_x = TAKE(&b->arena, b->nx, double);
    b->work = TAKE(&b->arena, b->nx, double);
    ok = b->target && b->value && b->diagonal && b->inverse && b->limit && b->left && b->left_x &&
         b->work;
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
  return b->of[i] >= b->of[j];
}

ptrdiff_t cardan__blocks_place(const cardan__blocks *b, int i, int j, int *stride)
{
  const int ci = b->of[i], cj = b->of[j];
  const column *c = &b->col[cj];
  int from = 0, above = 0;
  CARDAN_ASSERT(ci >= cj);
  *stride = b->panel[c->panel].ld;
  if (ci != cj &&
      (c->n == 0 || bsearch(&ci, b->row + c->adr, (size_t)c->n, sizeof ci, by_number) == NULL)) {
    return -1;
  }
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

/* ---- values ---- */

/* Inlined for every s, which is then a constant. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* (E1) of a triangle, whose rows begin at row `at`. */
INLINE void factor_triangle(int s, int ld, double *D, cardan__blocks *b, int at)
{
  const double *diagonal = b->diagonal + at, *limit = b->limit + at;
  double *inverse = b->inverse + at, *left = b->left + at;
  for (int i = 0; i < s; i++) {
    double *row = D + i * ld, d = row[i];
    for (int j = 0; j < i; j++) {
      const double *other = D + j * ld;
      double x = row[j];
      for (int k = 0; k < j; k++) {
        x -= row[k] * other[k];
      }
      row[j] = x * inverse[j];
      d -= row[j] * row[j];
    }
    left[i] = diagonal[i] > 0 ? d / diagonal[i] : 0;
    d = left[i] > limit[i] ? d : b->given * limit[i] * diagonal[i];
    inverse[i] = d > 0 ? 1 / __builtin_sqrt(d) : 0;
    row[i] = d * inverse[i];
  }
}

/* (E1) of `rows` rows below, at most four: as many chains of sums side by side. */
INLINE void factor_rows(int s, int ld, int rows, const double *D, const double *inverse, double *P)
{
  for (int i = 0; i < s; i++) {
    double x[4];
    for (int r = 0; r < rows; r++) {
      x[r] = P[r * ld + i];
    }
    for (int k = 0; k < i; k++) {
      for (int r = 0; r < rows; r++) {
        x[r] -= P[r * ld + k] * D[i * ld + k];
      }
    }
    for (int r = 0; r < rows; r++) {
      P[r * ld + i] = x[r] * inverse[i];
    }
  }
}

INLINE void factor_panel(int s, int ld, int m, const double *D, const double *inverse, double *P)
{
  int r = 0;
  for (; r + 4 <= m; r += 4) {
    factor_rows(s, ld, 4, D, inverse, P + r * ld);
  }
  for (; r < m; r++) {
    factor_rows(s, ld, 1, D, inverse, P + r * ld);
  }
}

/* C (si x sj, rows ldc apart) -= A B^T, A (si x s), B (sj x s), s not many */
INLINE void subtract(int s, int si, int sj, const double *A, const double *B, double *C, int ldc)
{
  for (int i = 0; i < si; i++, A += s, C += ldc) {
    for (int j = 0; j < sj; j++) {
      double x = 0;
      for (int k = 0; k < s; k++) {
        x += A[k] * B[j * s + k];
      }
      C[j] -= x;
    }
  }
}

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

static inline double sum4(const four *x)
{
  return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/* The same for many, four at a time: rows of A and B are ld apart and end with zeros. */
static inline void subtract_wide(int ld, int si, int sj, const double *A, const double *B,
                                 double *C, int ldc)
{
  int i = 0;
  for (; i + 2 <= si; i += 2, A += 2 * ld, C += 2 * ldc) {
    int j = 0;
    for (; j + 2 <= sj; j += 2) {
      const double *b = B + j * ld;
      four x00 = {0}, x01 = {0}, x10 = {0}, x11 = {0};
      for (int k = 0; k < ld; k += 4) {
        const four a0 = *(const four *)(A + k), a1 = *(const four *)(A + ld + k);
        const four b0 = *(const four *)(b + k), b1 = *(const four *)(b + ld + k);
        x00 += a0 * b0;
        x01 += a0 * b1;
        x10 += a1 * b0;
        x11 += a1 * b1;
      }
      C[j] -= sum4(&x00);
      C[j + 1] -= sum4(&x01);
      C[ldc + j] -= sum4(&x10);
      C[ldc + j + 1] -= sum4(&x11);
    }
    if (j < sj) {
      four x0 = {0}, x1 = {0};
      for (int k = 0; k < ld; k += 4) {
        const four b0 = *(const four *)(B + j * ld + k);
        x0 += *(const four *)(A + k) * b0;
        x1 += *(const four *)(A + ld + k) * b0;
      }
      C[j] -= sum4(&x0);
      C[ldc + j] -= sum4(&x1);
    }
  }
  for (int j = 0; i < si && j < sj; j++) {
    four x = {0};
    for (int k = 0; k < ld; k += 4) {
      x += *(const four *)(A + k) * *(const four *)(B + j * ld + k);
    }
    C[j] -= sum4(&x);
  }
}

/* s: p->size where it is not many, else 0 */
INLINE void eliminate(int s, cardan__blocks *b, const panel *p)
{
  const int size = s > 0 ? s : p->size, ld = s > 0 ? s : p->ld;
  double *D = b->value + p->value, *P = D + size * ld;
  const int *row = b->row + p->adr;
  const uint32_t *to = b->target + p->target;
  factor_triangle(size, ld, D, b, p->at);
  factor_panel(size, ld, p->below, D, b->inverse + p->at, P);
  for (int j = 0; j < p->n; j++) {
    const column *cj = &b->col[row[j]];
    const int sj = cj->size, ldc = b->panel[cj->panel].ld;
    const double *A = P;
    for (int i = j; i < p->n; i++) {
      const int si = b->col[row[i]].size;
      if (s > 0) {
        subtract(s, si, sj, A, P, b->value + *to++, ldc); // (E2)
      } else {
        subtract_wide(ld, si, sj, A, P, b->value + *to++, ldc);
      }
      A += si * ld;
    }
    P += sj * ld;
  }
}

/* One call for each size up to NARROW, and one for the others. */
// clang-format off
#define SIZES(call, s)     \
  switch (s) {             \
  case 1: call(1); break;  \
  case 2: call(2); break;  \
  case 3: call(3); break;  \
  case 4: call(4); break;  \
  case 5: call(5); break;  \
  case 6: call(6); break;  \
  default: call(0); break; \
  }
// clang-format on

static void factor(cardan__blocks *b)
{
  for (int k = 0; k < b->npanel; k++) {
    const panel *p = &b->panel[k];
    for (int i = 0; i < p->size; i++) {
      b->diagonal[p->at + i] = b->value[p->value + (size_t)(i * (p->ld + 1))];
    }
  }
  for (int k = 0; k < b->npanel; k++) {
    const panel *p = &b->panel[k];
#define CALL(s) eliminate(s, b, p)
    SIZES(CALL, p->size)
#undef CALL
  }
}

void cardan__blocks_factor(cardan__blocks *b, double tol)
{
  for (int i = 0; i < b->nx; i++) {
    b->limit[i] = tol;
  }
  b->given = 1;
  factor(b);
}

void cardan__blocks_factor_rank(cardan__blocks *b, const double *tol)
{
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
    memcpy(b->limit + c->at, tol + c->x, (size_t)c->size * sizeof *tol);
  }
  b->given = 0;
  factor(b);
}

const double *cardan__blocks_left(const cardan__blocks *b)
{
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
    memcpy(b->left_x + c->x, b->left + c->at, (size_t)c->size * sizeof *b->left);
  }
  return b->left_x;
}

/* ---- solve, x in the order of elimination ---- */

INLINE void forward(int s, const cardan__blocks *b, const panel *p, double *x)
{
  const int size = s > 0 ? s : p->size, ld = s > 0 ? s : p->ld;
  const double *D = b->value + p->value, *P = D + size * ld, *inverse = b->inverse + p->at;
  const int *row = b->row + p->adr;
  double *y = x + p->at;
  for (int i = 0; i < size; i++) {
    double sum = y[i];
    for (int k = 0; k < i; k++) {
      sum -= D[i * ld + k] * y[k];
    }
    y[i] = sum * inverse[i];
  }
  for (int i = 0; i < p->n; i++) {
    const column *to = &b->col[row[i]];
    for (int r = 0; r < to->size; r++, P += ld) {
      double sum = 0;
      for (int k = 0; k < size; k++) {
        sum += P[k] * y[k];
      }
      x[to->at + r] -= sum;
    }
  }
}

INLINE void backward(int s, const cardan__blocks *b, const panel *p, double *x)
{
  const int size = s > 0 ? s : p->size, ld = s > 0 ? s : p->ld;
  const double *D = b->value + p->value, *P = D + size * ld, *inverse = b->inverse + p->at;
  const int *row = b->row + p->adr;
  double y[WIDEST];
  for (int i = 0; i < size; i++) {
    y[i] = x[p->at + i];
  }
  for (int i = 0; i < p->n; i++) {
    const column *from = &b->col[row[i]];
    for (int r = 0; r < from->size; r++, P += ld) {
      const double xr = x[from->at + r];
      for (int k = 0; k < size; k++) {
        y[k] -= P[k] * xr;
      }
    }
  }
  for (int i = size - 1; i >= 0; i--) {
    y[i] *= inverse[i];
    x[p->at + i] = y[i];
    for (int k = 0; k < i; k++) {
      y[k] -= D[i * ld + k] * y[i];
    }
  }
}

/* From panel `from` down to panel `to`. */
static void solve_backward(const cardan__blocks *b, int from, int to, double *y)
{
  for (int k = from; k >= to; k--) {
    const panel *p = &b->panel[k];
#define CALL(s) backward(s, b, p, y)
    SIZES(CALL, p->size)
#undef CALL
  }
}

/* z <- L^-T e, e that of the row: L^T z is 0 in all rows before it. Only panels that hand on to its
 * own have a part in it. */
void cardan__blocks_make_up(const cardan__blocks *b, int node, int k, double *z)
{
  const column *c = &b->col[b->of[node]];
  memset(b->work, 0, (size_t)b->nx * sizeof *b->work);
  b->work[c->at + k] = 1;
  solve_backward(b, c->panel, b->panel[c->panel].lowest, b->work);
  for (int i = 0; i < b->n; i++) {
    memcpy(z + b->col[i].x, b->work + b->col[i].at, (size_t)b->col[i].size * sizeof *z);
  }
}

void cardan__blocks_solve(const cardan__blocks *b, double *x)
{
  double *y = b->work;
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
    for (int i = 0; i < c->size; i++) {
      y[c->at + i] = x[c->x + i];
    }
  }
  for (int k = 0; k < b->npanel; k++) {
    const panel *p = &b->panel[k];
#define CALL(s) forward(s, b, p, y)
    SIZES(CALL, p->size)
#undef CALL
  }
  solve_backward(b, b->npanel - 1, 0, y);
  for (int k = 0; k < b->n; k++) {
    const column *c = &b->col[k];
    for (int i = 0; i < c->size; i++) {
      x[c->x + i] = y[c->at + i];
    }
  }
}
