/* SPDX-License-Identifier: Apache-2.0
 * contact/contact.h - one-sided rows: what must not be passed, and what happens when it is met.
 *
 * A feature i has a gap phi_i(q) >= 0 [m or rad] and a row J_i with d phi_i / dt = J_i v = u_i. An
 * impulse r_i >= 0 on it is the generalised impulse J_i^T r_i. Limits of joints are features:
 *   phi = q - low, J = e_k;   phi = high - q, J = -e_k                                       (F1)
 *
 *   gaps.c              features of a model, their gaps and rows
 *   complementarity.c   u = G r + b, r >= 0, u >= 0, r u = 0
 *   impact.h, ncp.h     Newton's law of impact, in rounds; contacts with friction
 *
 * None of it knows of inertia: G = J A J^T comes from who has it (dynamics/mobility.h). Nothing
 * here allocates. */
#pragma once
#include <stdbool.h>

#include "cardan/model.h"

typedef struct {
  int joint;
  int q, k;           // coordinate and velocity
  double sign, bound; // phi = sign (q - bound), J = sign e_k
  double restitution;
  bool pinned; // low and high are one place: it pushes both ways, and nothing bounces
} cardan__feature;

/* A gap that counts as closed [m or rad]; limits at half of it are one place. */
#define CARDAN__CLOSED 1e-9

/* How many a model has; and they themselves, out, low before high, in the order of joints. Joints
 * whose motion is prescribed have none: nothing can stop them. */
int cardan__features_count(const cardan_model *model);
void cardan__features_list(const cardan_model *model, cardan__feature *feature);

static inline double cardan__feature_gap(const cardan__feature *f, const double *q)
{
  return f->sign * (q[f->q] - f->bound);
}

/* u = J v. */
static inline double cardan__feature_rate(const cardan__feature *f, const double *v)
{
  return f->sign * v[f->k];
}

/* J as a row of nv numbers, out. */
void cardan__feature_row(const cardan__feature *f, int nv, double *row);

/* p += J^T r. */
static inline void cardan__feature_push(const cardan__feature *f, double r, double *p)
{
  p[f->k] += f->sign * r;
}

/* Impulses r and velocities u after them (n each, out) of
 *   u = G r + b,   r >= 0,   u >= 0,   r u = 0                                               (N)
 * for a symmetric, positive semidefinite G (n x n row-major), also a singular one: rows that depend
 * on others get 0 where the others do. tol: a velocity above -tol counts as none.
 * work  cardan__complementarity_work(n) doubles;  set  n
 * returns false when no r brings some u up to 0: a row that nothing can move */
bool cardan__complementarity(int n, const double *G, const double *b, double tol, double *r,
                             double *u, int *set, double *work);
size_t cardan__complementarity_work(int n);
