// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "cones/ncp_inside.h"
#include "linalg/short_rows.h"

/* Contacts are coupled only through the bodies they share: in a pile most blocks of G are 0.
 * Contacts that follow one another between the same two trees are a patch: they meet the same
 * others, and their rows are one block. The coupling of patches is a graph of rows of bits. It is
 * eliminated by minimum degree in contacts, ties by number, which gives the sparsity of the factors
 * as rows of bits. Values are stored as in the dense matrix in that order; only those in the graph
 * are read.
 *
 * No exchange of rows: a pivot that is too small sends the step to the whole matrix. Sticking
 * contacts have a positive definite matrix, sliding ones a part that is not symmetric and seldom
 * large; what is lost is seen in the error. Cost: 274 contacts of a packing 7 Mflop, not 370. */

enum { LEAST = 8, FROM = 24 };    // contacts: where fewer are all coupled, paths cost little
static const double least = 1e-9; // pivot of a matrix whose diagonal is about 1

static unsigned *bits(const cardan__ncp_state *s, int i)
{
  return s->fill + (size_t)i * (size_t)s->words;
}

static bool is_bit_set(const unsigned *row, int j)
{
  return (row[j / 32] >> (j % 32) & 1U) != 0;
}

/* Returns whether two contacts share a tree. */
static bool share_tree(const int *a, const int *b)
{
  return (a[0] >= 0 && (a[0] == b[0] || a[0] == b[1])) ||
         (a[1] >= 0 && (a[1] == b[0] || a[1] == b[1]));
}

/* Contacts of patch i, and their rows. */
static int contacts_of(const cardan__ncp_state *s, int i)
{
  return s->patch[i + 1] - s->patch[i];
}

/* Patches; all contacts are one where trees are not known. */
static void find_patches(cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  s->npatch = 0;
  for (int i = 0; i < p->n; i++) {
    const int *tree = p->tree != NULL ? p->tree[i] : NULL;
    if (i == 0 || (tree != NULL && (tree[0] != tree[-2] || tree[1] != tree[-1]))) {
      s->patch[s->npatch++] = i;
    }
    s->patch_of[i] = s->npatch - 1;
  }
  s->patch[s->npatch] = p->n;
  s->words = (s->npatch + 31) / 32;
}

/* near: all that each patch meets, itself too, as ranges and in rows of bits. wide, packed: how
 * many rows these have, and where they begin in T. returns how many blocks of contacts there are */
static int list_coupled_patches(const cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  int count = 0, blocks = 0, packed = 0;
  memset(s->fill, 0, (size_t)s->npatch * (size_t)s->words * sizeof *s->fill);
  for (int i = 0; i < s->npatch; i++) {
    bool before = false;
    s->near_start[i] = count;
    s->wide[i] = 0;
    for (int j = 0; j < s->npatch; j++) {
      const bool meet = i == j || share_tree(p->tree[s->patch[i]], p->tree[s->patch[j]]);
      if (meet) {
        s->near[2 * count] = before ? s->near[2 * count] : j;
        s->near[2 * count + 1] = j + 1;
        s->wide[i] += cardan__ncp_patch_row(s, j + 1) - cardan__ncp_patch_row(s, j);
        blocks += contacts_of(s, i) * contacts_of(s, j);
        bits(s, i)[j / 32] |= 1U << (j % 32);
      }
      count += before && !meet;
      before = meet;
    }
    count += before;
    s->packed[i] = packed;
    packed += s->wide[i] * (cardan__ncp_patch_row(s, i + 1) - cardan__ncp_patch_row(s, i));
  }
  s->near_start[s->npatch] = count;
  return blocks;
}

/* Contacts not yet eliminated that a row of bits names. */
static int degree(const cardan__ncp_state *s, const unsigned *row)
{
  int count = 0;
  for (int i = 0; i < s->npatch; i++) {
    count += is_bit_set(row, i) && s->place[i] < 0 ? contacts_of(s, i) : 0;
  }
  return count;
}

/* The patch of least degree (s->count) takes place k; all that it meets meet from then on. */
static void eliminate(cardan__ncp_state *s, int k)
{
  const int n = s->npatch;
  int next = -1;
  for (int i = 0; i < n; i++) {
    if (s->place[i] < 0 && (next < 0 || s->count[i] < s->count[next])) {
      next = i;
    }
  }
  s->sorted[k] = next;
  s->place[next] = k;
  const unsigned *from = bits(s, next);
  for (int i = 0; i < n; i++) {
    if (s->place[i] < 0 && is_bit_set(from, i)) {
      unsigned *to = bits(s, i);
      for (int w = 0; w < s->words; w++) {
        to[w] |= from[w];
      }
      s->count[i] = degree(s, to);
    }
  }
}

/* later: those eliminated after the patch in place k that its rows of the factors have. */
static void list_later(const cardan__ncp_state *s)
{
  int count = 0;
  for (int k = 0; k < s->npatch; k++) {
    const unsigned *row = bits(s, s->sorted[k]);
    s->later_start[k] = count;
    for (int l = k + 1; l < s->npatch; l++) {
      if (is_bit_set(row, s->sorted[l])) {
        s->later[count++] = s->sorted[l];
      }
    }
  }
  s->later_start[s->npatch] = count;
}

/* Contacts in the order of their patches. */
static void order_contacts(const cardan__ncp_state *s)
{
  int count = 0;
  for (int k = 0; k < s->npatch; k++) {
    for (int i = s->patch[s->sorted[k]]; i < s->patch[s->sorted[k] + 1]; i++) {
      s->order[count++] = i;
    }
  }
}

void cardan__ncp_graph(cardan__ncp_state *s)
{
  const int n = s->p->n;
  find_patches(s);
  for (int i = 0; i < s->npatch; i++) {
    s->sorted[i] = i;
    s->place[i] = -1;
  }
  const int blocks = list_coupled_patches(s);
  s->many = n >= FROM && blocks <= n * n / 3;
  s->sparse = s->many || (n >= LEAST && blocks <= n * n * 2 / 3);
  s->full = blocks == n * n;
  for (int i = 0; i < s->npatch && s->sparse; i++) {
    s->count[i] = degree(s, bits(s, i));
  }
  for (int k = 0; k < s->npatch && s->sparse; k++) {
    eliminate(s, k);
  }
  if (s->sparse) {
    list_later(s);
  }
  order_contacts(s);
}

/* Columns of the unknowns of later patches that rows of the one in place k have, as runs:
 * s->run[2 j], s->run[2 j + 1]; how many. */
static int runs(const cardan__ncp_state *s, int k)
{
  int count = 0;
  for (int l = s->later_start[k]; l < s->later_start[k + 1]; l++) {
    const int first = cardan__ncp_first(s, s->later[l]), end = cardan__ncp_end(s, s->later[l]);
    if (end > first) {
      if (count == 0 || s->run[2 * count - 1] != first) {
        s->run[2 * count++] = first;
      }
      s->run[2 * count - 1] = end;
    }
  }
  return count;
}

void cardan__ncp_clear(const cardan__ncp_state *s, int size)
{
  const size_t n = (size_t)size;
  for (int k = 0; k < s->npatch; k++) {
    const int own = cardan__ncp_first(s, s->sorted[k]), end = cardan__ncp_end(s, s->sorted[k]);
    const int count = own < end ? runs(s, k) : 0;
    for (int row = own; row < end; row++) {
      memset(s->A + (size_t)row * n + own, 0, (size_t)(end - own) * sizeof *s->A);
      for (int j = 0; j < count; j++) {
        const int from = s->run[2 * j], to = s->run[2 * j + 1];
        memset(s->A + (size_t)row * n + from, 0, (size_t)(to - from) * sizeof *s->A);
      }
    }
    for (int j = 0; j < count; j++) {
      for (int row = s->run[2 * j]; row < s->run[2 * j + 1]; row++) {
        memset(s->A + (size_t)row * n + own, 0, (size_t)(end - own) * sizeof *s->A);
      }
    }
  }
}

/* Row x of n numbers less f[p] times rows p = 0 .. count - 1 of A, f such that x_p becomes 0, with
 * 1/A_pp in the diagonal; f, negative, is for what is right of these. Whole registers: numbers
 * left of p change after x_p was read, and get f in the end. */
CARDAN__INLINE void reduce_fours(int count, const int n, const double *A, size_t ld, double *x,
                                 double *f)
{
  cardan__four own[3];
  memcpy(own, x, (size_t)n * sizeof *x);
#pragma GCC unroll 12
  for (int p = 0; p < n; p++) {
    if (p == count) {
      break;
    }
    const double *row = A + (size_t)p * ld, y = own[p / 4][p % 4] * row[p];
    f[p] = -y;
    for (int k = p / 4; k < n / 4; k++) {
      own[k] -= y * CARDAN__FOUR_AT(row + (ptrdiff_t)4 * k);
    }
  }
  memcpy(x, own, (size_t)n * sizeof *x);
  for (int p = 0; p < count; p++) {
    x[p] = -f[p];
  }
}

static void reduce_own(int count, int n, const double *restrict A, size_t ld, double *restrict x,
                       double *restrict f)
{
  if (n == 12) {
    reduce_fours(count, 12, A, ld, x, f);
    return;
  }
  for (int p = 0; p < count; p++) {
    const double *row = A + (size_t)p * ld;
    x[p] *= row[p];
    f[p] = -x[p];
    for (int j = p + 1; j < n; j++) {
      x[j] -= x[p] * row[j];
    }
  }
}

/* Takes unknowns first .. to - 1 of a patch, which ends before `end`, out of row `row`: its columns
 * of the patch, and those in runs. f: room for as many numbers */
static void reduce(const cardan__ncp_state *s, int size, int first, int to, int end, int count,
                   int row, double *f)
{
  const size_t n = (size_t)size;
  const double *A = s->A + (size_t)first * n;
  double *own = s->A + (size_t)row * n;
  reduce_own(to - first, end - first, A + first, n, own + first, f);
  for (int j = 0; j < count && to > first; j++) {
    const int from = s->run[2 * j];
    cardan__add_rows(to - first, A + from, n, f, s->run[2 * j + 1] - from, own + from);
  }
}

bool cardan__ncp_factor(const cardan__ncp_state *s, int size)
{
  double *f = s->z; // is not needed before the matrix is factored
  for (int k = 0; k < s->npatch; k++) {
    const int first = cardan__ncp_first(s, s->sorted[k]), end = cardan__ncp_end(s, s->sorted[k]);
    const int count = first < end ? runs(s, k) : 0;
    for (int row = first; row < end; row++) {
      double *pivot = s->A + (size_t)row * (size_t)size + (size_t)row;
      reduce(s, size, first, row, end, count, row, f);
      if (!(fabs(*pivot) > least)) {
        return false;
      }
      *pivot = 1 / *pivot;
    }
    for (int j = 0; j < count; j++) {
      for (int row = s->run[2 * j]; row < s->run[2 * j + 1]; row++) {
        reduce(s, size, first, end, end, count, row, f);
      }
    }
  }
  return true;
}

void cardan__ncp_back(const cardan__ncp_state *s, int size, double *x)
{
  const size_t n = (size_t)size;
  for (int k = 0; k < s->npatch; k++) {
    const int first = cardan__ncp_first(s, s->sorted[k]), end = cardan__ncp_end(s, s->sorted[k]);
    const int count = first < end ? runs(s, k) : 0;
    for (int row = first + 1; row < end; row++) {
      x[row] -= cardan__four_dot(row - first, s->A + (size_t)row * n + first, x + first);
    }
    for (int j = 0; j < count; j++) {
      const int row = s->run[2 * j];
      cardan__add_products(s->run[2 * j + 1] - row, end - first, s->A + (size_t)row * n + first, n,
                           x + first, -1, x + row);
    }
  }
  for (int k = s->npatch - 1; k >= 0; k--) {
    const int first = cardan__ncp_first(s, s->sorted[k]), end = cardan__ncp_end(s, s->sorted[k]);
    const int count = first < end ? runs(s, k) : 0;
    for (int j = 0; j < count; j++) {
      const int from = s->run[2 * j];
      cardan__add_products(end - first, s->run[2 * j + 1] - from, s->A + (size_t)first * n + from,
                           n, x + from, -1, x + first);
    }
    for (int p = end - 1; p >= first; p--) {
      const double *A = s->A + (size_t)p * n;
      x[p] = A[p] * (x[p] - cardan__four_dot(end - p - 1, A + p + 1, x + p + 1));
    }
  }
}
