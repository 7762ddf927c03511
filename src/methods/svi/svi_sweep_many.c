// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "methods/svi/mid.h"

/* cardan__mid_solve for many right-hand sides, eight at a time: the same recursion (svi_sweep.c, E8
 * and E9) with the right-hand sides side by side in the innermost loops, where a vector unit takes
 * them. */

enum { LANES = CARDAN__MID_LANES };

typedef double lanes[LANES];

/* out += k x */
static inline void add(double k, const double *restrict x, double *restrict out)
{
  for (int l = 0; l < LANES; l++) {
    out[l] += k * x[l];
  }
}

/* out (3 vectors) += R x, or R^T x */
static inline void add_turned(const cardan_mat3 *R, bool transposed, lanes *restrict x,
                              lanes *restrict out)
{
  for (int i = 0; i < 3; i++) {
    const double a = transposed ? R->m[0][i] : R->m[i][0], b = transposed ? R->m[1][i] : R->m[i][1];
    const double c = transposed ? R->m[2][i] : R->m[i][2];
    for (int l = 0; l < LANES; l++) {
      out[i][l] += a * x[0][l] + b * x[1][l] + c * x[2][l];
    }
  }
}

/* out += p x y */
static inline void add_cross(cardan_vec3 p, lanes *restrict y, lanes *restrict out)
{
  for (int l = 0; l < LANES; l++) {
    out[0][l] += p.y * y[2][l] - p.z * y[1][l];
    out[1][l] += p.z * y[0][l] - p.x * y[2][l];
    out[2][l] += p.x * y[1][l] - p.y * y[0][l];
  }
}

/* (E8): what body i passes on, F, to its parent's b: G F. */
static void pass_inward(const cardan_xform *X, lanes *F, lanes *b)
{
  lanes f[3];
  memset(f, 0, sizeof f);
  add_turned(&X->R, false, F + 3, f);
  add_turned(&X->R, false, F, b);
  add_cross(X->p, f, b);
  for (int i = 0; i < 3; i++) {
    add(1, f[i], b[3 + i]);
  }
  add_turned(&X->R, false, F + 6, b + 6);
}

/* z' = G^T z_p of (E9). */
static void pass_outward(const cardan_xform *X, lanes *zp, lanes *z)
{
  lanes v[3];
  memset(z, 0, 9 * sizeof *z);
  memcpy(v, zp + 3, sizeof v);
  add_cross(cardan__vec3_neg(X->p), zp, v);
  add_turned(&X->R, true, zp, z);
  add_turned(&X->R, true, v, z + 3);
  add_turned(&X->R, true, zp + 6, z + 6);
}

static void solve_lanes(const cardan__mid *mid, const cardan__mid_weights *weights, int n,
                        int count, double *x)
{
  const cardan_model *model = mid->model;
  lanes(*b)[9] = mid->lanes;
  double l[9], s[9];
  memset(b, 0, (size_t)model->nbody * sizeof *b);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan__sweep_body *kept = &mid->sweep[i];
    double *row = x + (size_t)model->body[i].vadr * (size_t)count;
    lanes u = {0};
    cardan__mid_joint(mid, weights, i, l, s);
    memcpy(u, row, (size_t)n * sizeof *u);
    for (int c = 0; c < 9; c++) {
      add(-l[c], b[i][c], u);
    }
    memcpy(row, u, (size_t)n * sizeof *u);
    const int parent = model->body[i].parent;
    if (parent > 0) {
      pass_inward(&mid->data->X[i], b[i], b[parent]);
      for (int c = 0; c < 9; c++) {
        add(kept->U[c], u, b[parent][c]);
      }
    }
  }
  memset(b[0], 0, sizeof b[0]);
  for (int i = 1; i < model->nbody; i++) {
    const cardan__sweep_body *kept = &mid->sweep[i];
    double *row = x + (size_t)model->body[i].vadr * (size_t)count;
    lanes u = {0}, z[9], *parent = b[model->body[i].parent];
    cardan__mid_joint(mid, weights, i, l, s);
    memcpy(u, row, (size_t)n * sizeof *u);
    pass_outward(&mid->data->X[i], parent, z);
    for (int j = 0; j < LANES; j++) {
      u[j] *= kept->inv_d;
    }
    for (int c = 0; c < 9; c++) {
      add(-kept->w[c], parent[c], u);
    }
    for (int c = 0; c < 9; c++) {
      add(s[c], u, z[c]);
    }
    memcpy(b[i], z, sizeof z);
    memcpy(row, u, (size_t)n * sizeof *u);
  }
}

void cardan__mid_solve_many(const cardan__mid *mid, const cardan__mid_weights *weights, int n,
                            double *x)
{
  for (int first = 0; first < n; first += LANES) {
    solve_lanes(mid, weights, n - first < LANES ? n - first : LANES, n, x + first);
  }
}
