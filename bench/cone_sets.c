// SPDX-License-Identifier: Apache-2.0
#include "cone_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/linalg.h"

const char *const set_name[SET_COUNT] = {
    "stack", "heavy top", "packing", "masses 1:1e4", "friction 1.5", "redundant",
    "chain", "random",    "rolling", "unsymmetric",  "masses 1:1e8", "contrary"};

double set_random(uint64_t *seed, double low, double high)
{
  uint64_t z = *seed += 0x9e3779b97f4a7c15U; // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

enum { MOST_BODIES = 512, MOST_CONTACTS = 4096 };

typedef struct {
  int a, b; // bodies, b -1: the world
  double x[3], n[3];
} touch;

typedef struct {
  int nbody, ntouch, njoint;
  double p[MOST_BODIES][3], v[MOST_BODIES][6]; // v: linear, angular
  double light[MOST_BODIES][6];                // 1/mass, 1/moments
  touch touch[MOST_CONTACTS];
  double joint[MOST_BODIES][3]; // between bodies i and i + 1
  double mu, spin, roll;
} world;

static void body(world *w, double x, double y, double z, double mass, const double *size)
{
  const int i = w->nbody++;
  const double p[3] = {x, y, z};
  memcpy(w->p[i], p, sizeof p);
  for (int k = 0; k < 3; k++) {
    const double one = size[(k + 1) % 3], other = size[(k + 2) % 3];
    w->light[i][k] = 1 / mass;
    w->light[i][3 + k] = 12 / (mass * (one * one + other * other));
  }
}

static void meet(world *w, int a, int b, const double *x, const double *n)
{
  touch *t = &w->touch[w->ntouch++];
  t->a = a;
  t->b = b;
  memcpy(t->x, x, sizeof t->x);
  memcpy(t->n, n, sizeof t->n);
}

static void stack(world *w, int count, double ratio, int times, uint64_t *seed)
{
  const double size[3] = {1, 0.8, 0.5}, up[3] = {0, 0, 1};
  double mass = 1;
  for (int i = 0; i < count; i++, mass *= ratio) {
    const double shift = ratio > 1 ? 0 : set_random(seed, -0.05, 0.05);
    body(w, shift, 0, 0.5 * i + 0.25, mass, size);
    for (int corner = 0; corner < 4; corner++) {
      const double x[3] = {corner & 1 ? 0.45 : -0.45, corner & 2 ? 0.4 : -0.4, 0.5 * i};
      for (int k = 0; k < times; k++) {
        meet(w, i, i - 1, x, up);
      }
    }
  }
}

/* Spheres on a lattice, jittered; each touches those nearer than 1.2 diameters, and the floor. */
static void packing(world *w, int count, double spread, uint64_t *seed)
{
  const int side = (int)ceil(cbrt((double)count));
  const double d = 0.1, moment = 0.1 * sqrt(0.6), size[3] = {moment, moment, moment};
  for (int i = 0; i < count; i++) {
    const double mass = pow(spread, set_random(seed, 0, 1));
    const int place[3] = {i % side, i / side % side, i / side / side};
    double p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = d * (place[k] + (k == 2 ? 0.5 : 0) + set_random(seed, -0.1, 0.1));
    }
    body(w, p[0], p[1], p[2], mass, size);
  }
  for (int i = 0; i < count; i++) {
    const double *p = w->p[i], up[3] = {0, 0, 1};
    if (p[2] < 0.6 * d) {
      meet(w, i, -1, (double[3]){p[0], p[1], p[2] - d / 2}, up);
    }
    for (int j = 0; j < i; j++) {
      double n[3], x[3], square = 0;
      for (int k = 0; k < 3; k++) {
        n[k] = p[k] - w->p[j][k];
        x[k] = 0.5 * (p[k] + w->p[j][k]);
        square += n[k] * n[k];
      }
      if (square < 1.1 * 1.1 * d * d) {
        for (int k = 0; k < 3; k++) {
          n[k] /= sqrt(square);
        }
        meet(w, i, j, x, n);
      }
    }
  }
}

/* Rods end to end, a sphere at each end: two contacts with the floor at every joint. */
static void chain(world *w, int count, uint64_t *seed)
{
  double angle = 0, x = 0, y = 0;
  const double size[3] = {0.3, 0.3, 0.02}, up[3] = {0, 0, 1};
  for (int i = 0; i < count; i++) {
    angle += set_random(seed, -1, 1);
    const double dx = 0.15 * cos(angle), dy = 0.15 * sin(angle);
    body(w, x + dx, y + dy, 0.02, 1, size);
    meet(w, i, -1, (double[3]){x, y, 0}, up);
    meet(w, i, -1, (double[3]){x + 2 * dx, y + 2 * dy, 0}, up);
    x += 2 * dx;
    y += 2 * dy;
    memcpy(w->joint[i], (double[3]){x, y, 0.02}, sizeof w->joint[i]);
  }
  w->njoint = count - 1;
}

static void cross(const double *a, const double *b, double *c)
{
  for (int k = 0; k < 3; k++) {
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
  }
}

/* Row of sign (velocity of body i at x) . n, or with x NULL its angular velocity . n. */
static void put(const world *w, int i, const double *x, const double *n, double sign, double *J)
{
  double arm[3], turn[3];
  for (int k = 0; k < 3 && x != NULL; k++) {
    arm[k] = x[k] - w->p[i][k];
  }
  if (x != NULL) {
    cross(arm, n, turn);
  }
  for (int k = 0; k < 3; k++) {
    J[6 * i + k] = x != NULL ? sign * n[k] : 0;
    J[6 * i + 3 + k] = sign * (x != NULL ? turn[k] : n[k]);
  }
}

static void row(const world *w, const touch *t, bool angular, const double *n, double factor,
                double *J)
{
  put(w, t->a, angular ? NULL : t->x, n, factor, J);
  if (t->b >= 0) {
    put(w, t->b, angular ? NULL : t->x, n, -factor, J);
  }
}

/* Cones and rows of all contacts; how many rows. */
static int rows(const world *w, cardan__cone *cone, double *J)
{
  const size_t nv = 6 * (size_t)w->nbody;
  int m = 0;
  for (int i = 0; i < w->ntouch; i++) {
    const touch *t = &w->touch[i];
    double t1[3], t2[3], axis[3] = {0, 0, 0};
    axis[fabs(t->n[0]) < 0.6 ? 0 : 1] = 1;
    cross(t->n, axis, t1);
    const double f = 1 / sqrt(t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]);
    for (int k = 0; k < 3; k++) {
      t1[k] *= f;
    }
    cross(t->n, t1, t2);
    cone[i] = (cardan__cone){.row = m, .ngroup = 1, .size = {2, 1, 2}, .mu = {w->mu, 1, 1}};
    row(w, t, false, t->n, 1, J + nv * (size_t)m++);
    row(w, t, false, t1, 1, J + nv * (size_t)m++);
    row(w, t, false, t2, 1, J + nv * (size_t)m++);
    if (w->spin > 0) {
      cone[i].ngroup = 3;
      row(w, t, true, t->n, w->spin, J + nv * (size_t)m++);
      row(w, t, true, t1, w->roll, J + nv * (size_t)m++);
      row(w, t, true, t2, w->roll, J + nv * (size_t)m++);
    }
  }
  return m;
}

/* J A of each row over v, A = M^-1 - M^-1 C^T (C M^-1 C^T)^-1 C M^-1; C: spherical joints. */
static void mobility(const world *w, int m, const double *J, double *JA)
{
  const size_t nv = 6 * (size_t)w->nbody, nc = 3 * (size_t)w->njoint;
  double *C = calloc(nc * nv + 1, sizeof *C), *S = calloc(nc * nc + 1, sizeof *S),
         *x = malloc((nc + 1) * sizeof *x);
  const double *light = &w->light[0][0];
  for (size_t i = 0; i < nc; i++) {
    double axis[3] = {0, 0, 0};
    axis[i % 3] = 1;
    put(w, (int)(i / 3), w->joint[i / 3], axis, 1, C + i * nv);
    put(w, (int)(i / 3) + 1, w->joint[i / 3], axis, -1, C + i * nv);
  }
  for (size_t i = 0; i < nc; i++) {
    for (size_t j = 0; j <= i; j++) {
      for (size_t k = 0; k < nv; k++) {
        S[i * nc + j] += C[i * nv + k] * light[k] * C[j * nv + k];
      }
    }
  }
  cardan__cholesky((int)nc, S, 0);
  for (size_t i = 0; i < (size_t)m; i++) {
    for (size_t c = 0; c < nc; c++) {
      x[c] = 0;
      for (size_t k = 0; k < nv; k++) {
        x[c] += C[c * nv + k] * light[k] * J[i * nv + k];
      }
    }
    cardan__cholesky_solve((int)nc, S, x);
    for (size_t k = 0; k < nv; k++) {
      double y = J[i * nv + k];
      for (size_t c = 0; c < nc; c++) {
        y -= C[c * nv + k] * x[c];
      }
      JA[i * nv + k] = light[k] * y;
    }
  }
  free(C);
  free(S);
  free(x);
}

/* G = JA J^T and b = J v; rows of J have few entries. */
static void finish(set_problem *p, size_t nv, const double *J, const double *JA, const double *v)
{
  const size_t m = (size_t)p->m;
  p->G = calloc(m * m + 1, sizeof *p->G);
  p->b = calloc(m + 1, sizeof *p->b);
  for (size_t i = 0; i < m; i++) {
    for (size_t k = 0; k < nv; k++) {
      const double j = J[i * nv + k];
      p->b[i] += j * v[k];
      for (size_t l = 0; l < m && j != 0; l++) {
        p->G[i * m + l] += j * JA[l * nv + k];
      }
    }
  }
  for (size_t k = 0; k < nv; k++) {
    p->speed = fmax(p->speed, fabs(v[k]));
  }
}

/* Rows without a mechanism: any J; A = B B^T + 0.05, of condition 100 and more. */
static set_problem make_random(uint64_t *seed)
{
  set_problem p = {.n = (int)set_random(seed, 1, 12)};
  const size_t nv = (size_t)set_random(seed, 3, 14);
  const bool planar = set_random(seed, 0, 1) < 0.3;
  p.m = p.n * (planar ? 2 : 3);
  const size_t m = (size_t)p.m;
  double *J = malloc(m * nv * sizeof *J), *JA = calloc(m * nv, sizeof *JA);
  double B[13 * 13] = {0}, JB[13], v[13];
  p.cone = malloc((size_t)p.n * sizeof *p.cone);
  for (int i = 0; i < p.n; i++) {
    p.cone[i] = (cardan__cone){.row = i * (planar ? 2 : 3), .ngroup = 1, .size = {planar ? 1 : 2}};
    p.cone[i].mu[0] = set_random(seed, 0.1, 1);
  }
  for (size_t k = 0; k < nv * nv; k++) {
    B[k] = set_random(seed, -1, 1);
  }
  for (size_t k = 0; k < nv; k++) {
    v[k] = set_random(seed, -1, 1);
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t k = 0; k < nv; k++) {
      J[i * nv + k] = set_random(seed, -1, 1);
    }
    for (size_t l = 0; l < nv; l++) {
      JB[l] = 0;
      for (size_t k = 0; k < nv; k++) {
        JB[l] += J[i * nv + k] * B[k * nv + l];
      }
    }
    for (size_t k = 0; k < nv; k++) {
      JA[i * nv + k] = 0.05 * J[i * nv + k];
      for (size_t l = 0; l < nv; l++) {
        JA[i * nv + k] += B[k * nv + l] * JB[l];
      }
    }
  }
  finish(&p, nv, J, JA, v);
  free(J);
  free(JA);
  return p;
}

static void build(world *w, set_kind kind, int bodies, uint64_t *seed)
{
  w->mu = kind == SET_ROUGH ? 1.5 : set_random(seed, 0.2, 1);
  const bool rests = kind == SET_HEAVIEST || kind == SET_CONTRARY;
  if (kind == SET_STACK || kind == SET_HEAVY_TOP || kind == SET_REDUNDANT || rests) {
    const double factor = kind == SET_HEAVY_TOP ? 10 : kind == SET_HEAVIEST ? 100 : 1;
    stack(w, bodies, factor, kind == SET_REDUNDANT ? 3 : 1, seed);
  } else if (kind == SET_CHAIN) {
    chain(w, bodies, seed);
  } else {
    packing(w, bodies, kind == SET_UNEQUAL ? 1e4 : 1, seed);
  }
  w->spin = w->roll = kind == SET_ROLLING ? 0.005 : 0;
  const double push = rests ? 0 : kind == SET_HEAVY_TOP ? 0.002 : kind == SET_STACK ? 0.02 : 0.2;
  for (int i = 0; i < w->nbody; i++) {
    for (int k = 0; k < 6; k++) {
      w->v[i][k] = set_random(seed, -push, push) - (k == 2 ? 0.05 : 0);
    }
  }
}

set_problem set_make(set_kind kind, int bodies, uint64_t seed)
{
  if (kind == SET_RANDOM) {
    return make_random(&seed);
  }
  world *w = calloc(1, sizeof *w);
  set_problem p = {0};
  build(w, kind, bodies, &seed);
  const size_t nv = 6 * (size_t)w->nbody, most = 6 * (size_t)w->ntouch;
  double *J = calloc(most * nv + 1, sizeof *J), *JA = malloc((most * nv + 1) * sizeof *JA);
  p.cone = malloc(((size_t)w->ntouch + 1) * sizeof *p.cone);
  p.n = w->ntouch;
  p.m = rows(w, p.cone, J);
  mobility(w, p.m, J, JA);
  finish(&p, nv, J, JA, &w->v[0][0]);
  for (size_t k = 0; k < (size_t)p.m * (size_t)p.m && kind == SET_UNSYMMETRIC; k++) {
    p.G[k] *= 1 + set_random(&seed, -0.05, 0.05);
  }
  for (int k = 0; k < p.m && kind == SET_CONTRARY; k++) {
    p.b[k] += set_random(&seed, -1e-9, 1e-9);
    p.stalled_tol = 1e-8;
  }
  p.tree = malloc((size_t)w->ntouch * sizeof *p.tree + 1);
  for (int i = 0; i < w->ntouch; i++) { // joints make one tree of all
    p.tree[i][0] = w->njoint > 0 ? 0 : w->touch[i].a;
    p.tree[i][1] = w->njoint > 0 ? -1 : w->touch[i].b;
  }
  free(J);
  free(JA);
  free(w);
  return p;
}

void set_free(set_problem *p)
{
  free(p->cone);
  free(p->G);
  free(p->b);
  free(p->tree);
}

cardan__ncp set_asked(const set_problem *p)
{
  const size_t m = (size_t)p->m;
  double *r = calloc(2 * m, sizeof *r);
  return (cardan__ncp){.n = p->n,
                       .m = p->m,
                       .cone = p->cone,
                       .G = p->G,
                       .b = p->b,
                       .tree = (const int(*)[2])p->tree,
                       .r = r,
                       .u = r + m,
                       .tol = 1e-13 * p->speed,
                       .work = malloc(cardan__ncp_work(p->n, p->m) * sizeof(double)),
                       .iwork = malloc((size_t)cardan__ncp_iwork(p->n, p->m) * sizeof(int))};
}

void set_asked_free(cardan__ncp *ncp)
{
  free(ncp->r);
  free(ncp->work);
  free(ncp->iwork);
}
