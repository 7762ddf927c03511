// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/ncp_inside.h"

/* Contacts are coupled only through the bodies they share: in a pile most blocks of G are 0. The
 * coupling is a graph of n rows of bits. It is eliminated by minimum degree, ties by number, which
 * gives the sparsity of the factors as rows of bits. Values are stored as in the dense matrix in
 * that order; only those in the graph are read.
 *
 * No exchange of rows: a pivot that is too small sends the step to the whole matrix. Sticking
 * contacts have a positive definite matrix, sliding ones a part that is not symmetric and seldom
 * large; what is lost is seen in the error. Cost: 274 contacts of a packing 7 Mflop, not 370. */

enum { FROM = 24 };               // contacts: fewer are solved whole
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

/* near: all that each contact meets, itself too, as lists and in rows of bits. false: too many */
static bool list_coupled_contacts(const cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  const int most = cardan__ncp_most(p->n);
  int count = 0;
  memset(s->fill, 0, (size_t)p->n * (size_t)s->words * sizeof *s->fill);
  for (int i = 0; i < p->n; i++) {
    s->near_start[i] = count;
    for (int j = 0; j < p->n; j++) {
      if (i == j || share_tree(p->tree[i], p->tree[j])) {
        if (count == most) {
          return false;
        }
        s->near[count++] = j;
        bits(s, i)[j / 32] |= 1U << (j % 32);
      }
    }
  }
  s->near_start[p->n] = count;
  return true;
}

/* Contacts not yet eliminated that a row of bits names. */
static int degree(const cardan__ncp_state *s, const unsigned *row)
{
  int count = 0;
  for (int i = 0; i < s->p->n; i++) {
    count += is_bit_set(row, i) && s->place[i] < 0;
  }
  return count;
}

/* The contact of least degree (s->count) takes place k; all that it meets meet from then on. */
static void eliminate(cardan__ncp_state *s, int k)
{
  const int n = s->p->n;
  int next = -1;
  for (int i = 0; i < n; i++) {
    if (s->place[i] < 0 && (next < 0 || s->count[i] < s->count[next])) {
      next = i;
    }
  }
  s->order[k] = next;
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

/* later: those eliminated after the contact in place k that its rows of the factors have. */
static void list_later(const cardan__ncp_state *s)
{
  const int n = s->p->n;
  int count = 0;
  for (int k = 0; k < n; k++) {
    const unsigned *row = bits(s, s->order[k]);
    s->later_start[k] = count;
    for (int l = k + 1; l < n; l++) {
      if (is_bit_set(row, s->order[l])) {
        s->later[count++] = s->order[l];
      }
    }
  }
  s->later_start[n] = count;
}

void cardan__ncp_graph(cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    s->order[i] = i;
    s->place[i] = -1;
  }
  s->sparse = p->tree != NULL && p->n >= FROM && list_coupled_contacts(s);
  if (!s->sparse) {
    return;
  }
  for (int i = 0; i < p->n; i++) {
    s->count[i] = degree(s, bits(s, i));
  }
  for (int k = 0; k < p->n; k++) {
    eliminate(s, k);
  }
  list_later(s);
}

/* Columns of the unknowns of later contacts that rows of the one in place k have, as runs:
 * s->run[2 j], s->run[2 j + 1]; how many. */
static int runs(const cardan__ncp_state *s, int k)
{
  int count = 0;
  for (int l = s->later_start[k]; l < s->later_start[k + 1]; l++) {
    const int i = s->later[l];
    if (s->count[i] > 0) {
      if (count == 0 || s->run[2 * count - 1] != s->first[i]) {
        s->run[2 * count++] = s->first[i];
      }
      s->run[2 * count - 1] = s->first[i] + s->count[i];
    }
  }
  return count;
}

void cardan__ncp_clear(const cardan__ncp_state *s, int size)
{
  const size_t n = (size_t)size;
  for (int k = 0; k < s->p->n; k++) {
    const int i = s->order[k], own = s->first[i], end = own + s->count[i];
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

/* Row `to` less f times row `from`, in columns first .. last - 1. */
static void subtract(const double *restrict from, double f, int first, int last,
                     double *restrict to)
{
  for (int j = first; j < last; j++) {
    to[j] -= f * from[j];
  }
}

/* Takes unknown p out of row `row`: columns up to end, and those in runs. */
static void reduce(const cardan__ncp_state *s, int size, int p, int end, int count, int row)
{
  const double *from = s->A + (size_t)p * (size_t)size;
  double *to = s->A + (size_t)row * (size_t)size;
  const double f = to[p] / from[p];
  to[p] = f;
  if (f != 0) {
    subtract(from, f, p + 1, end, to);
    for (int j = 0; j < count; j++) {
      subtract(from, f, s->run[2 * j], s->run[2 * j + 1], to);
    }
  }
}

bool cardan__ncp_factor(const cardan__ncp_state *s, int size)
{
  for (int k = 0; k < s->p->n; k++) {
    const int i = s->order[k], end = s->first[i] + s->count[i];
    const int count = s->count[i] > 0 ? runs(s, k) : 0;
    for (int p = s->first[i]; p < end; p++) {
      if (!(fabs(s->A[(size_t)p * (size_t)size + (size_t)p]) > least)) {
        return false;
      }
      for (int row = p + 1; row < end; row++) {
        reduce(s, size, p, end, count, row);
      }
      for (int j = 0; j < count; j++) {
        for (int row = s->run[2 * j]; row < s->run[2 * j + 1]; row++) {
          reduce(s, size, p, end, count, row);
        }
      }
    }
  }
  return true;
}

/* x_p over the columns right of it, up to end and in runs. */
static double right_of(const cardan__ncp_state *s, int size, int p, int end, int count,
                       const double *x)
{
  const double *A = s->A + (size_t)p * (size_t)size;
  double sum = x[p];
  for (int c = p + 1; c < end; c++) {
    sum -= A[c] * x[c];
  }
  for (int j = 0; j < count; j++) {
    for (int c = s->run[2 * j]; c < s->run[2 * j + 1]; c++) {
      sum -= A[c] * x[c];
    }
  }
  return sum / A[p];
}

void cardan__ncp_back(const cardan__ncp_state *s, int size, double *x)
{
  const size_t n = (size_t)size;
  for (int k = 0; k < s->p->n; k++) {
    const int i = s->order[k], end = s->first[i] + s->count[i];
    const int count = s->count[i] > 0 ? runs(s, k) : 0;
    for (int p = s->first[i]; p < end; p++) {
      for (int row = p + 1; row < end; row++) {
        x[row] -= s->A[(size_t)row * n + (size_t)p] * x[p];
      }
      for (int j = 0; j < count; j++) {
        for (int row = s->run[2 * j]; row < s->run[2 * j + 1]; row++) {
          x[row] -= s->A[(size_t)row * n + (size_t)p] * x[p];
        }
      }
    }
  }
  for (int k = s->p->n - 1; k >= 0; k--) {
    const int i = s->order[k], end = s->first[i] + s->count[i];
    const int count = s->count[i] > 0 ? runs(s, k) : 0;
    for (int p = end - 1; p >= s->first[i]; p--) {
      x[p] = right_of(s, size, p, end, count, x);
    }
  }
}
