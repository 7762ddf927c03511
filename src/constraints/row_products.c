// SPDX-License-Identifier: Apache-2.0
#include "constraints/row_products.h"

#include <string.h>

#include "linalg/rows.h"
#include "linalg/small.h"

bool cardan__rows_meet(const cardan__contact_rows *rows, int i, int j)
{
  return rows->whole || cardan__reaches_meet(&rows->reach[i], &rows->reach[j]);
}

/* Do two contacts act on the same trees, which are known? */
static bool alike(const cardan__contact_rows *rows, int i, int j)
{
  const int *a = rows->reach[i].tree, *b = rows->reach[j].tree;
  return a[0] >= 0 && a[1] >= 0 && a[0] == b[0] && a[1] == b[1];
}

/* The contact after those from i on whose columns are taken together. */
static int end_of(const cardan__contact_rows *rows, int i)
{
  int end = i + 1;
  while (end < rows->n && alike(rows, i, end) &&
         rows->first[end + 1] - rows->first[i] <= CARDAN__TOGETHER) {
    end++;
  }
  return end;
}

/* Some columns of G: count of them, from column `first` on; wide: as many, up to whole registers.
 * v: ranges of velocities where their responses are not 0, n of them. */
typedef struct {
  int first, count, wide, n, v[2][2];
} columns;

static columns columns_of(const cardan__contact_rows *rows, int from, int to)
{
  columns c = {.first = rows->first[from], .n = rows->whole ? 1 : rows->nparts[from]};
  c.count = rows->first[to] - c.first;
  c.wide = (c.count + 3) / 4 * 4;
  for (int k = 0; k < c.n; k++) {
    c.v[k][0] = rows->whole ? 0 : rows->part[from][k].v[0];
    c.v[k][1] = rows->whole ? rows->nv : rows->part[from][k].v[1];
  }
  return c;
}

/* Responses of these columns to rows->room, the numbers of one velocity side by side. */
static void pack(const cardan__contact_rows *rows, const columns *c, const double *W)
{
  const size_t nv = (size_t)rows->nv;
  for (int l = 0; l < c->n; l++) {
    for (int j = 0; j < c->wide; j++) {
      const double *from = W + (size_t)(c->first + j) * nv;
      double *to = rows->room + j;
      for (int k = c->v[l][0]; k < c->v[l][1]; k++) {
        to[(size_t)k * CARDAN__TOGETHER] = j < c->count ? from[k] : 0;
      }
    }
  }
}

/* Row J of a contact with these columns, to G. */
static void multiply(const cardan__contact_rows *rows, const columns *c,
                     const cardan__row_reach *reach, const double *J, double over, double *G)
{
  double sum[CARDAN__TOGETHER] = {0};
  for (int l = 0; l < 2 * c->n; l++) {
    const int *range = reach->range[l % 2], *v = c->v[l / 2];
    const int from = range[0] > v[0] ? range[0] : v[0], to = range[1] < v[1] ? range[1] : v[1];
    if (from < to) {
      cardan__add_rows(to - from, rows->room + (size_t)from * CARDAN__TOGETHER, CARDAN__TOGETHER,
                       J + from, c->wide, sum);
    }
  }
  for (int j = 0; j < c->wide && over != 1; j++) {
    sum[j] /= over;
  }
  memcpy(G, sum, (size_t)c->count * sizeof *G);
}

void cardan__rows_products(const cardan__contact_rows *rows, const double *J, const double *W,
                           double over, bool symmetric, double *G)
{
  const size_t m = (size_t)rows->first[rows->n], nv = (size_t)rows->nv;
  for (int from = 0, to; from < rows->n; from = to) {
    to = end_of(rows, from);
    const columns c = columns_of(rows, from, to);
    const size_t column = (size_t)c.first, end = column + (size_t)c.count;
    const int start = symmetric ? from : 0;
    bool meet = false;
    pack(rows, &c, W);
    for (int i = start; i < rows->n; i++) {
      meet = i > start && alike(rows, i - 1, i) ? meet : cardan__rows_meet(rows, i, from);
      for (size_t k = (size_t)rows->first[i]; k < (size_t)rows->first[i + 1] && meet; k++) {
        multiply(rows, &c, &rows->reach[i], J + k * nv, over, G + k * m + column);
        for (size_t j = column; j < end && j < k && symmetric; j++) {
          G[j * m + k] = G[k * m + j];
        }
      }
    }
  }
}

/* The contact after those from i on that act on the same trees. */
static int same_until(const cardan__contact_rows *rows, int i)
{
  int end = i + 1;
  while (end < rows->n && alike(rows, i, end)) {
    end++;
  }
  return end;
}

void cardan__rows_less(const cardan__contact_rows *rows, const double *G, const double *r,
                       const double *f, double *b)
{
  const size_t m = (size_t)rows->first[rows->n];
  memcpy(b, f, m * sizeof *b);
  for (int i = 0, next_i; i < rows->n; i = next_i) {
    next_i = same_until(rows, i);
    for (int j = 0, next_j; j < rows->n; j = next_j) {
      next_j = same_until(rows, j);
      const int first = rows->first[j], count = rows->first[next_j] - first;
      const bool meet = cardan__rows_meet(rows, i, j);
      for (int k = rows->first[i]; k < rows->first[next_i] && meet; k++) {
        b[k] -= cardan__dot(count, G + (size_t)k * m + first, r + first);
      }
    }
  }
}
