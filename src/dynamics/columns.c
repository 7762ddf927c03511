// SPDX-License-Identifier: Apache-2.0
#include "dynamics/columns.h"

#include <string.h>

#include "model/body_paths.h"

/* Every operation below is one of all columns: GNU C's vectors, which become registers. */

/* out = R a, and R^T a; of triples. */
static inline void turn(const cardan_mat3 *R, const cardan__column *a, cardan__column *out)
{
  for (int i = 0; i < 3; i++) {
    out[i] = R->m[i][0] * a[0] + R->m[i][1] * a[1] + R->m[i][2] * a[2];
  }
}

static inline void turn_back(const cardan_mat3 *R, const cardan__column *a, cardan__column *out)
{
  for (int i = 0; i < 3; i++) {
    out[i] = R->m[0][i] * a[0] + R->m[1][i] * a[1] + R->m[2][i] * a[2];
  }
}

/* out += sign p x a */
static inline void add_cross(double sign, cardan_vec3 p, const cardan__column *a,
                             cardan__column *out)
{
  out[0] += sign * (p.y * a[2] - p.z * a[1]);
  out[1] += sign * (p.z * a[0] - p.x * a[2]);
  out[2] += sign * (p.x * a[1] - p.y * a[0]);
}

/* r -= <a, F> of a wrench or twist a, in components as columns have them. */
static inline void subtract_power(cardan_vec3 a, cardan_vec3 b, const cardan__columns *F,
                                  cardan__column *r)
{
  *r -= (a.x * F->x[0] + a.y * F->x[1] + a.z * F->x[2]) +
        (b.x * F->x[3] + b.y * F->x[4] + b.z * F->x[5]);
}

/* F += y a */
static inline void add(const cardan__column *y, cardan_vec3 a, cardan_vec3 b, cardan__columns *F)
{
  F->x[0] += *y * a.x;
  F->x[1] += *y * a.y;
  F->x[2] += *y * a.z;
  F->x[3] += *y * b.x;
  F->x[4] += *y * b.y;
  F->x[5] += *y * b.z;
}

/* y = D^-1 r */
static inline void divide(const cardan__link *k, int nv, const cardan__column *r, cardan__column *y)
{
  for (int i = 0; i < nv; i++) {
    y[i] = k->inv_D[i * nv] * r[0];
    for (int j = 1; j < nv; j++) {
      y[i] += k->inv_D[i * nv + j] * r[j];
    }
  }
}

/* (C1) of one body: F in and out, in the parent's axes; u: r in, u out. */
static inline void reduce(const cardan__link *k, int nv, cardan__column *u, cardan__columns *F)
{
  cardan__column y[6];
  cardan__columns own;
  if (!k->locked) {
    for (int i = 0; i < nv; i++) {
      subtract_power(k->A[i].w, k->A[i].v, F, &u[i]);
    }
    divide(k, nv, u, y);
    for (int i = 0; i < nv; i++) {
      add(&y[i], k->U[i].t, k->U[i].f, F);
    }
  }
  turn(&k->X->R, F->x + 3, own.x + 3);
  turn(&k->X->R, F->x, own.x);
  add_cross(1, k->X->p, own.x + 3, own.x);
  *F = own;
}

/* (C2) of one body: Z of the parent in, its own out; u: u in, x out. */
static inline void expand(const cardan__link *k, int nv, const cardan__columns *parent,
                          cardan__column *u, cardan__columns *Z)
{
  cardan__column r[6];
  cardan__columns moved = *parent, own;
  add_cross(-1, k->X->p, parent->x, moved.x + 3);
  turn_back(&k->X->R, moved.x, own.x);
  turn_back(&k->X->R, moved.x + 3, own.x + 3);
  if (k->locked) {
    memset(u, 0, (size_t)nv * sizeof *u);
  } else {
    for (int i = 0; i < nv; i++) {
      r[i] = u[i];
      subtract_power(k->W[i].t, k->W[i].f, &own, &r[i]);
    }
    divide(k, nv, r, u);
    for (int i = 0; i < nv; i++) {
      add(&u[i], k->S[i].w, k->S[i].v, &own);
    }
  }
  *Z = own;
}

void cardan__columns_solve(const cardan_model *model, cardan__link_of *of, const void *factors,
                           const int body[2], int tip, int n, double *x,
                           const cardan__columns_room *room)
{
  int v[2];
  const size_t nv = (size_t)model->nv;
  cardan__columns F = {{{0}}};
  cardan__link link;
  cardan__velocity_range(model, body[0], body[1], v);
  memset(room->u + v[0], 0, (size_t)(v[1] - v[0]) * sizeof *room->u);
  for (int i = tip; i > 0; i = model->body[i].parent) {
    const cardan_body *b = &model->body[i];
    cardan__column *u = room->u + b->vadr;
    for (int k = 0; k < b->nv; k++) {
      for (int l = 0; l < n; l++) {
        u[k][l] = x[(size_t)l * nv + (size_t)(b->vadr + k)];
      }
    }
    of(factors, i, &link);
    reduce(&link, b->nv, u, &F);
  }
  memset(&room->Z[0], 0, sizeof room->Z[0]);
  for (int i = body[0]; i < body[1]; i++) {
    const cardan_body *b = &model->body[i];
    cardan__column *u = room->u + b->vadr;
    of(factors, i, &link);
    expand(&link, b->nv, &room->Z[b->parent], u, &room->Z[i]);
    for (int k = 0; k < b->nv; k++) {
      for (int l = 0; l < n; l++) {
        x[(size_t)l * nv + (size_t)(b->vadr + k)] = u[k][l];
      }
    }
  }
}
