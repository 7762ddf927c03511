// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "linalg/small.h"
#include "methods/maximal/stepper.h"

/* Multipliers that are not unique: of all that give the same forces J^T lambda on the bodies, those
 * whose numbers on the rows of the model's constraints have the least sum of squares, as the tree
 * methods have them. Rows of joints take the rest.
 *
 * With i the idle rows and a the others, J_i = C^T J_a, the vectors that make no force are
 *   N c = (c, -C c),     C c from  [M J_a^T; J_a 0][0; C c] = [J_i^T c; 0]                   (E1)
 *   N^T y = y_i - C^T y_a,   C^T y_a = J_i x from  [M J_a^T; J_a 0][x; .] = [0; y_a]         (E2)
 * two solves with the factors that are there. Conjugate gradients for |lambda + N c|, at most as
 * many as there are idle rows: the sum of squares is that of c and more, so few are needed. */

static const double enough = 1e-14; // slope of the sum of squares, of its first

/* What a row counts in the sum. */
static double weight(const cardan__maximal *mx, int e)
{
  return mx->row[e] >= mx->row_model ? 1 : 0;
}

/* (E1): out = N c, c in the idle entries of in. */
static void make_null(cardan__mx_stepper *s, const double *in, double *out)
{
  const cardan__maximal *mx = s->mx;
  memset(s->least.f, 0, (size_t)mx->nx * sizeof *s->least.f);
  cardan__mx_transpose(mx, 1, in, s->least.f);
  cardan__kkt_solve(s->kkt, s->least.f, NULL, s->least.x, out);
  for (int e = 0; e < mx->neq; e++) {
    out[e] = s->kkt->idle[e] ? in[e] : -out[e];
  }
}

/* (E2): out = -N^T W lambda in idle entries, 0 elsewhere: downhill. */
static void slope(cardan__mx_stepper *s, double *out)
{
  const cardan__maximal *mx = s->mx;
  double *y = s->least.y;
  for (int e = 0; e < mx->neq; e++) {
    y[e] = weight(mx, e) * s->lambda[e];
  }
  memset(s->least.f, 0, (size_t)mx->nx * sizeof *s->least.f);
  cardan__kkt_solve(s->kkt, s->least.f, y, s->least.x, out);
  cardan__mx_apply(mx, s->least.x, out);
  for (int e = 0; e < mx->neq; e++) {
    out[e] = s->kkt->idle[e] ? out[e] - y[e] : 0;
  }
}

void cardan__mx_least(cardan__mx_stepper *s)
{
  const cardan__maximal *mx = s->mx;
  const int n = mx->neq;
  double *p = s->least.p, *q = s->least.q, *r = s->least.r;
  if (s->kkt->nidle == 0) {
    return;
  }
  slope(s, r);
  memcpy(p, r, (size_t)n * sizeof *p);
  double now = cardan__dot(n, r, r);
  const double least = enough * enough * now;
  for (int i = 0; i < s->kkt->nidle && now > least; i++) {
    double curve = 0;
    make_null(s, p, q);
    for (int e = 0; e < n; e++) {
      curve += weight(mx, e) * q[e] * q[e];
    }
    if (!(curve > 0)) {
      return;
    }
    for (int e = 0; e < n; e++) {
      s->lambda[e] += now / curve * q[e];
    }
    const double before = now;
    slope(s, r);
    now = cardan__dot(n, r, r);
    for (int e = 0; e < n; e++) {
      p[e] = r[e] + now / before * p[e];
    }
  }
}
