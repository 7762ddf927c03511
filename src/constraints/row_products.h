/* SPDX-License-Identifier: Apache-2.0
 * constraints/row_products.h - G = J W of the rows of contacts, where it is not 0.
 *
 * Contacts that follow one another and act on the same trees meet the same others: their columns
 * are taken together, CARDAN__TOGETHER at a time. */
#pragma once
#include "constraints/row_reach.h"

enum { CARDAN__TOGETHER = 12 };

/* n contacts, rows first[i] .. first[i + 1] - 1 of contact i (n + 1 entries), nv numbers each. */
typedef struct {
  int n, nv;
  const int *first;
  const cardan__row_reach *reach;     // n
  const cardan__tree_part (*part)[2]; // n: where responses are not 0
  const int *nparts;                  // n
  bool whole;                         // responses are not 0 anywhere: part is not looked at
  double *room;                       // nv x CARDAN__TOGETHER
} cardan__contact_rows;

/* Do contacts i and j meet: is their block of G not 0? */
bool cardan__rows_meet(const cardan__contact_rows *rows, int i, int j);

/* G (m x m) = J W^T / over, J and W rows (nv numbers apart): blocks of contacts that meet, the
 * others are left as they are. symmetric: G is, and is made so to the bit */
void cardan__rows_products(const cardan__contact_rows *rows, const double *J, const double *W,
                           double over, bool symmetric, double *G);

/* b = f + sign G r, rows of contacts; blocks of those that meet. sign: 1 or -1 */
void cardan__rows_add(const cardan__contact_rows *rows, const double *G, double sign,
                      const double *r, const double *f, double *b);
