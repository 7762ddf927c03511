// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "analysis/statics_inside.h"
#include "linalg/linalg.h"
#include "linalg/small.h"

/* Steps along the free directions.
 *   with a potential   min g . y + y . H y / 2  over  |y| <= most                          (E1)
 *                      exactly, from the eigenvectors of H (J. More, D. Sorensen, Computing a trust
 *                      region step, 1983): y_i = -c_i / (h_i + sigma), c = V g, sigma > -h_0; where
 *                      no sigma makes y long enough, the rest along the softest one
 *   else               (sigma + H) y = -g, sigma as small as |y| <= most allows: an implicit Euler
 *                      step, of length 1 / sigma, of what slides as it is pulled          (E2) */

/* A singular value of an unsymmetric H below this part of the largest is none. */
static const double no_stiffness = 1e-9;

void cardan__statics_point_along(cardan__statics_point *s, double part)
{
  memset(s->dq, 0, (size_t)s->model->nv * sizeof *s->dq);
  for (int i = 0; i < s->m; i++) {
    const double *p = s->P + (size_t)i * (size_t)s->n;
    for (int j = 0; j < s->n; j++) {
      s->dq[s->dof[j]] += part * s->y[i] * p[j];
    }
  }
}

/* y of eigenvectors from its parts along them (in b). */
static void from_parts(cardan__statics_point *s)
{
  memset(s->y, 0, (size_t)s->m * sizeof *s->y);
  for (int i = 0; i < s->m; i++) {
    const double *v = s->V + (size_t)i * (size_t)s->m;
    for (int j = 0; j < s->m; j++) {
      s->y[j] += s->b[i] * v[j];
    }
  }
}

/* Length of y at sigma, its parts to b; c: parts of g. */
static double at_sigma(cardan__statics_point *s, const double *c, double sigma)
{
  double sum = 0;
  for (int i = 0; i < s->m; i++) {
    s->b[i] = c[i] == 0 ? 0.0 : -c[i] / (s->h[i] + sigma);
    sum += s->b[i] * s->b[i];
  }
  return sqrt(sum);
}

/* c = V g, without what is no force along directions that are not stiff. */
static double parts(cardan__statics_point *s, double floor, double *c)
{
  double sum = 0;
  for (int i = 0; i < s->m; i++) {
    c[i] = cardan__dot(s->m, s->V + (size_t)i * (size_t)s->m, s->g);
    if (fabs(c[i]) <= floor && s->h[i] <= s->neutral) {
      c[i] = 0;
    }
    sum += c[i] * c[i];
  }
  return sqrt(sum);
}

/* The softest direction that counts: neutral ones without a force along them do not. -1: none */
static int softest_of(const cardan__statics_point *s, const double *c)
{
  for (int i = 0; i < s->m; i++) { // they rise
    if (c[i] != 0 || fabs(s->h[i]) > s->neutral) {
      return i;
    }
  }
  return -1;
}

/* (E1): parts of y to b. */
static void trust_region(cardan__statics_point *s, double most, const double *c, double length,
                         bool *whole)
{
  const int first = softest_of(s, c);
  const double softest = first >= 0 ? s->h[first] : 1.0;
  *whole = softest > 0 && at_sigma(s, c, 0.0) <= most;
  if (*whole) {
    return;
  }
  double low = fmax(0.0, -softest), high = low + length / most;
  const double least = low + 1e-14 * (s->stiffest + low);
  const double short_of = softest <= 0 ? at_sigma(s, c, least) : most;
  if (short_of < most) { // the hard case: the rest along the softest
    const double way = s->b[first] < 0 ? -1.0 : 1.0;
    s->b[first] += way * sqrt(most * most - short_of * short_of);
    return;
  }
  for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
    const double middle = low > 0 ? sqrt(low) * sqrt(high) : 0.5 * high;
    const bool longer = at_sigma(s, c, middle) > most;
    low = longer ? middle : low;
    high = longer ? high : middle;
  }
  at_sigma(s, c, high);
}

/* (E2) */
static double slide(cardan__statics_point *s, double most, bool *whole)
{
  const size_t m = (size_t)s->m;
  double sigma = 0, fall = 0;
  *whole = false;
  for (int i = 0; i < 80; i++) {
    double *A = s->K; // spent: H is made of it
    memcpy(A, s->H, m * m * sizeof *A);
    for (size_t j = 0; j < m; j++) {
      A[j * m + j] += sigma;
      s->y[j] = -s->g[j];
    }
    const bool solved = cardan__lu(s->m, A, s->index) < 0;
    if (solved) {
      cardan__lu_solve(s->m, A, s->index, s->y);
      fall = -cardan__dot(s->m, s->y, s->g);
    }
    if (solved && fall > 0 && sqrt(cardan__dot(s->m, s->y, s->y)) <= most) {
      *whole = sigma == 0;
      break;
    }
    sigma = sigma > 0 ? 2 * sigma : 1e-6 * s->stiffest + 1e-12 * s->scale;
  }
  return 0.5 * fall;
}

double cardan__statics_point_step(cardan__statics_point *s, double most, double floor, bool *whole)
{
  double fall = 0, *c = s->x;
  if (s->m == 0) {
    *whole = true;
    memset(s->dq, 0, (size_t)s->model->nv * sizeof *s->dq);
    return 0;
  }
  if (s->skew) {
    fall = slide(s, most, whole);
  } else {
    const double length = parts(s, floor, c);
    trust_region(s, most, c, length, whole);
    for (int i = 0; i < s->m; i++) {
      fall -= s->b[i] * (c[i] + 0.5 * s->h[i] * s->b[i]);
    }
    from_parts(s);
  }
  cardan__statics_point_along(s, 1.0);
  return fall;
}

bool cardan__statics_point_newton(cardan__statics_point *s)
{
  const size_t m = (size_t)s->m;
  if (s->skew && s->model->nvelocity_row > 0) { // equilibria are not isolated: the nearest one
    for (size_t j = 0; j < m; j++) {
      s->b[j] = -s->g[j];
    }
    if (cardan__min_norm(s->m, s->m, s->H, s->b, no_stiffness, s->y, s->work, s->index) < 0) {
      return false;
    }
  } else if (s->skew) {
    for (size_t j = 0; j < m; j++) {
      s->y[j] = -s->g[j];
    }
    memcpy(s->K, s->H, m * m * sizeof *s->K);
    if (cardan__lu(s->m, s->K, s->index) >= 0) {
      return false;
    }
    cardan__lu_solve(s->m, s->K, s->index, s->y);
  } else {
    for (int i = 0; i < s->m; i++) {
      const double c = cardan__dot(s->m, s->V + (size_t)i * m, s->g);
      s->b[i] = fabs(s->h[i]) > s->neutral ? -c / s->h[i] : 0.0;
    }
    from_parts(s);
  }
  cardan__statics_point_along(s, 1.0);
  return true;
}
