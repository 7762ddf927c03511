// SPDX-License-Identifier: Apache-2.0
#include "constraints/row_products.h"

#include <string.h>

#include "linalg/short_rows.h"

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

/* Where velocities of a row are among those of the columns: ranges, to at; how many. */
static int overlap(const columns *c, const cardan__row_reach *reach, int at[4][2])
{
  int count = 0;
  for (int l = 0; l < 2 * c->n; l++) {
    const int *range = reach->range[l % 2], *v = c->v[l / 2];
    const int from = range[0] > v[0] ? range[0] : v[0], to = range[1] < v[1] ? range[1] : v[1];
    if (from < to) {
      at[count][0] = from;
      at[count++][1] = to;
    }
  }
  return count;
}

/* Rows of contact i with these columns, to G. */
static void multiply(const cardan__contact_rows *rows, const columns *c, int i, const double *J,
                     double over, double *G)
{
  const size_t m = (size_t)rows->first[rows->n], nv = (size_t)rows->nv;
  int at[4][2];
  const int count = overlap(c, &rows->reach[i], at);
  for (size_t k = (size_t)rows->first[i]; k < (size_t)rows->first[i + 1]; k++) {
    double sum[CARDAN__TOGETHER] = {0};
    for (int l = 0; l < count; l++) {
      const double *W = rows->room + (size_t)at[l][0] * CARDAN__TOGETHER;
      cardan__add_rows(at[l][1] - at[l][0], W, CARDAN__TOGETHER, J + k * nv + at[l][0], c->wide,
                       sum);
    }
    for (int j = 0; j < CARDAN__TOGETHER; j++) {
      sum[j] /= over;
    }
    memcpy(G + k * m + c->first, sum, (size_t)c->count * sizeof *G);
  }
}

/* Rows first .. end - 1 of these columns become columns of their rows. */
static void mirror(const columns *c, size_t m, int first, int end, double *G)
{
  for (int j = c->first; j < c->first + c->count; j++) {
    for (int k = first > j ? first : j + 1; k < end; k++) {
      G[(size_t)j * m + (size_t)k] = G[(size_t)k * m + (size_t)j];
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

void cardan__rows_products(const cardan__contact_rows *rows, const double *J, const double *W,
                           double over, bool symmetric, double *G)
{
  const size_t m = (size_t)rows->first[rows->n];
  for (int from = 0, to; from < rows->n; from = to) {
    to = end_of(rows, from);
    const columns c = columns_of(rows, from, to);
    pack(rows, &c, W);
    for (int i = symmetric ? from : 0, end; i < rows->n; i = end) {
      end = same_until(rows, i);
      const bool meet = cardan__rows_meet(rows, i, from);
      for (int j = i; j < end && meet; j++) {
        multiply(rows, &c, j, J, over, G);
      }
      if (meet && symmetric) {
        mirror(&c, m, rows->first[i], rows->first[end], G);
      }
    }
  }
}

void cardan__rows_add(const cardan__contact_rows *rows, const double *G, double sign,
                      const double *r, const double *f, double *b)
{
  const size_t m = (size_t)rows->first[rows->n];
  memcpy(b, f, m * sizeof *b);
  for (int i = 0, next_i; i < rows->n; i = next_i) {
    next_i = same_until(rows, i);
    for (int j = 0, next_j; j < rows->n; j = next_j) {
      next_j = same_until(rows, j);
      const int first = rows->first[j], count = rows->first[next_j] - first;
      if (cardan__rows_meet(rows, i, j)) {
        cardan__add_products(rows->first[next_i] - rows->first[i], count,
                             G + (size_t)rows->first[i] * m + first, m, r + first, sign,
                             b + rows->first[i]);
      }
    }
  }
}
