// SPDX-License-Identifier: Apache-2.0
// What the geometry of a pair costs, in nanoseconds: far apart (spots beyond the margin), touching
// (its spots, then one evaluation of each), and the gap alone.
//   build/bench/touch
// Times are the best of several batches over 64 random poses.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "contact/touch.h"
#include "spatial/hull.h"
#include "spatial/spatial.h"

enum { POSES = 64, MOST = 32 };

typedef struct {
  cardan_model model;
  cardan_solid solid[2];
  cardan_hull hull[4];
  cardan__arena arena; // of hulls
  cardan_pair pair;
  cardan_xform X_W[POSES][3];
} subject;

typedef double (*call)(const subject *s, int pose);

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double spots(const subject *s, int pose)
{
  cardan__spot spot[MOST];
  return cardan__pair_spots(&s->model, 0, s->X_W[pose], 0.01, spot, MOST);
}

static double spots_and_looks(const subject *s, int pose)
{
  cardan__spot spot[MOST];
  cardan__touch at;
  double sum = 0;
  const int n = cardan__pair_spots(&s->model, 0, s->X_W[pose], 0.01, spot, MOST);
  for (int i = 0; i < n; i++) {
    cardan__spot_look(&s->model, &spot[i], s->X_W[pose], &at);
    sum += at.gap;
  }
  return sum;
}

static double gap(const subject *s, int pose)
{
  return cardan__pair_gap(&s->model, 0, s->X_W[pose], NULL);
}

/* Nanoseconds for one call: the best of 20 batches of about 1 ms. sum, out: so that none is left
 * out. */
static double measure(call run, const subject *s, double *sum)
{
  double best = HUGE_VAL;
  long rounds = 1;
  for (int batch = 0; batch < 20;) {
    const double start = now();
    for (long i = 0; i < rounds * POSES; i++) {
      *sum += run(s, (int)(i % POSES));
    }
    const double spent = now() - start;
    if (spent < 1e-3) {
      rounds *= 2;
    } else {
      best = fmin(best, spent / (double)(rounds * POSES));
      batch++;
    }
  }
  return 1e9 * best;
}

static double radius_of(const cardan_solid *s)
{
  const double *a = s->size;
  switch (s->kind) {
  case CARDAN_SHAPE_PLANE:
    return HUGE_VAL;
  case CARDAN_SHAPE_BOX:
    return 0.5 * sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  case CARDAN_SHAPE_CAPSULE:
    return a[0] + 0.5 * a[1];
  default:
    return a[0] + a[1] + a[2];
  }
}

/* A hull of 60 points on a ball, flat at the bottom; false: no memory. */
static bool give_hull(subject *s, int i)
{
  cardan_vec3 point[60];
  cardan_hull *hull = &s->hull[2 * i];
  for (int k = 0; k < 60; k++) {
    const double z = fmax(-0.6, (k - 29.5) / 30), r = sqrt(1 - z * z), angle = 2.4 * k;
    point[k] = cardan__vec3(0.2 * r * cos(angle), 0.2 * r * sin(angle), 0.2 * z);
  }
  s->solid[i].hull = 2 * i;
  s->solid[i].radius = 0.2;
  s->solid[i].round = 0.002;
  return cardan__hull_make(point, 60, CARDAN__HULL_FLAT, &s->arena, &hull[0], NULL) == CARDAN_OK &&
         cardan__hull_core(&hull[0], 0.002, &s->arena, &hull[1], NULL) == CARDAN_OK;
}

/* Two of them, in random orientations, at the given gap along x; flat: A lies over B. */
static bool arrange(subject *s, cardan_shape_kind a, cardan_shape_kind b, double at, bool flat)
{
  *s = (subject){.solid = {{.kind = a, .body = 1}, {.kind = b, .body = 2}}};
  s->model = (cardan_model){
      .nbody = 3, .nsolid = 2, .npair = 1, .solid = s->solid, .hull = s->hull, .pair = &s->pair};
  s->pair.solid[1] = 1;
  cardan__arena_init(&s->arena, NULL);
  for (int i = 0; i < 2; i++) {
    s->solid[i].hull = -1;
    s->solid[i].X_BS = cardan__xform_identity();
    s->solid[i].size[0] = 0.2;
    s->solid[i].size[1] = s->solid[i].kind == CARDAN_SHAPE_SPHERE ? 0 : 0.3;
    s->solid[i].size[2] = s->solid[i].kind == CARDAN_SHAPE_BOX         ? 0.4
                          : s->solid[i].kind == CARDAN_SHAPE_ELLIPSOID ? 0.1
                                                                       : 0;
    s->solid[i].radius = radius_of(&s->solid[i]);
    if (s->solid[i].kind == CARDAN_SHAPE_HULL && !give_hull(s, i)) {
      return false;
    }
  }
  for (int k = 0; k < POSES; k++) {
    cardan__touch touch;
    const double w = flat ? 0 : 1;
    s->X_W[k][0] = s->X_W[k][2] = cardan__xform_identity();
    s->X_W[k][1].R = cardan_so3_exp(cardan__vec3(w * sin(k), w * sin(2.3 * k), sin(5.7 * k)));
    s->X_W[k][1].p = cardan__vec3(0.02 * sin(k), 0.02 * cos(k), 0.5);
    for (int i = 0; i < 50; i++) {
      const double found = cardan__pair_gap(&s->model, 0, s->X_W[k], &touch);
      s->X_W[k][1].p = cardan__vec3_axpy(at - found, touch.n, s->X_W[k][1].p);
    }
  }
  return true;
}

static const struct {
  const char *name;
  cardan_shape_kind a, b;
} list[] = {{"sphere - plane", CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_PLANE},
            {"box - plane", CARDAN_SHAPE_BOX, CARDAN_SHAPE_PLANE},
            {"cylinder - plane", CARDAN_SHAPE_CYLINDER, CARDAN_SHAPE_PLANE},
            {"sphere - sphere", CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_SPHERE},
            {"capsule - capsule", CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_CAPSULE},
            {"sphere - box", CARDAN_SHAPE_SPHERE, CARDAN_SHAPE_BOX},
            {"capsule - box", CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX},
            {"box - box", CARDAN_SHAPE_BOX, CARDAN_SHAPE_BOX},
            {"box - cylinder", CARDAN_SHAPE_BOX, CARDAN_SHAPE_CYLINDER},
            {"cylinder - cylinder", CARDAN_SHAPE_CYLINDER, CARDAN_SHAPE_CYLINDER},
            {"ellipsoids", CARDAN_SHAPE_ELLIPSOID, CARDAN_SHAPE_ELLIPSOID},
            {"capsule - hull", CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_HULL},
            {"box - hull", CARDAN_SHAPE_BOX, CARDAN_SHAPE_HULL},
            {"hull - hull", CARDAN_SHAPE_HULL, CARDAN_SHAPE_HULL}};

int main(void)
{
  double sum = 0;
  printf("%-20s %8s %8s %8s %8s   [ns]\n", "", "far", "touching", "lying", "gap");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double ns[4] = {0};
    for (int k = 0; k < 3; k++) {
      subject s;
      if (!arrange(&s, list[i].a, list[i].b, k == 0 ? 0.1 : 1e-9, k == 2)) {
        return 1;
      }
      ns[k] = measure(k == 0 ? spots : spots_and_looks, &s, &sum);
      ns[3] = k == 1 ? measure(gap, &s, &sum) : ns[3];
      cardan__arena_free(&s.arena);
    }
    printf("%-20s %8.0f %8.0f %8.0f %8.0f\n", list[i].name, ns[0], ns[1], ns[2], ns[3]);
  }
  return isnan(sum);
}
