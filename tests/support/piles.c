// SPDX-License-Identifier: Apache-2.0
#include "piles.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "spatial/spatial.h"
#include "support.h"

enum { MOST = 8 };

/* A text in the making. */
typedef struct {
  cardan__text out;
  support_rng rng;
  int n;
  double at[MOST][3], radius[MOST]; // balls that hold the bodies
} draft;

#define put(d, ...) cardan__text_printf(&(d)->out, __VA_ARGS__)

static double in(draft *d, double low, double high)
{
  return support_random_in(&d->rng, low, high);
}

/* Half of an extent: 0.05 to 0.5 m, small ones as likely as large ones by their ratio. */
static double half(draft *d)
{
  return 0.025 * pow(10, in(d, 0, 1));
}

/* A mass from 0.1 to 10 kg, with the inertia of a solid ellipsoid or, box, of a box. */
static void put_mass(draft *d, const double *h, bool box)
{
  const double m = pow(10, in(d, -1, 1)), part = m / (box ? 3 : 5);
  put(d, " (mass %.6g %.6g %.6g %.6g)", m, part * (h[1] * h[1] + h[2] * h[2]),
      part * (h[0] * h[0] + h[2] * h[2]), part * (h[0] * h[0] + h[1] * h[1]));
}

/* Eight corners of a box, each moved by up to a quarter of it; or more points about an ellipsoid.
 */
static void put_hull(draft *d, const double *h)
{
  const int n = support_random_int(&d->rng, 0, 1) ? 8 : support_random_int(&d->rng, 8, 16);
  put(d, " (solid hull");
  for (int i = 0; i < n; i++) {
    double p[3], size = 0;
    for (int k = 0; k < 3; k++) {
      p[k] = n == 8 ? (i >> k & 1 ? 1 : -1) * in(d, 0.4, 0.57) : in(d, -1, 1);
      size += p[k] * p[k];
    }
    const double scale = n == 8 ? 1 : 1 / fmax(sqrt(size), 0.1);
    put(d, " (%.4f %.4f %.4f)", scale * p[0] * h[0], scale * p[1] * h[1], scale * p[2] * h[2]);
  }
  put(d, " (material \"m%d\"))", d->n);
}

enum { SPHERE, BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL };

/* A body of that kind, "b0" on; returns the radius of a ball that holds it. */
static double put_kind(draft *d, int kind)
{
  double h[3] = {half(d), half(d), half(d)};
  put(d, "(material \"m%d\" (friction %.3f) (restitution %.3f))\n", d->n, in(d, 0.2, 1),
      in(d, 0, 0.6));
  put(d, "(joint free \"b%d\"", d->n);
  switch (kind < 0 ? support_random_int(&d->rng, 0, HULL) : kind) {
  case SPHERE:
    h[1] = h[2] = h[0];
    put_mass(d, h, false);
    put(d, " (solid sphere %.4f (material \"m%d\"))", h[0], d->n);
    return h[0];
  case BOX:
    put_mass(d, h, true);
    put(d, " (solid box %.4f %.4f %.4f (material \"m%d\"))", 2 * h[0], 2 * h[1], 2 * h[2], d->n);
    break;
  case CAPSULE:
    h[0] = h[1] = fmin(h[0], 0.5 * h[2]);
    put_mass(d, h, false);
    put(d, " (solid capsule %.4f %.4f (material \"m%d\"))", h[0], 2 * (h[2] - h[0]), d->n);
    break;
  case CYLINDER:
    h[1] = h[0];
    put_mass(d, h, false);
    put(d, " (solid cylinder %.4f %.4f (material \"m%d\"))", h[0], 2 * h[2], d->n);
    break;
  case ELLIPSOID:
    // no flakes: radii of curvature as of the others
    h[1] = fmin(fmax(h[1], 0.5 * h[0]), 2 * h[0]);
    h[2] = fmin(fmax(h[2], 0.5 * h[0]), 2 * h[0]);
    put_mass(d, h, false);
    put(d, " (solid ellipsoid %.4f %.4f %.4f (material \"m%d\"))", h[0], h[1], h[2], d->n);
    return fmax(h[0], fmax(h[1], h[2]));
  default:
    put_mass(d, h, false);
    put_hull(d, h);
    break;
  }
  return sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
}

/* The same of some kind. */
static double put_body(draft *d)
{
  return put_kind(d, -1);
}

/* The line of a body's start, turned anyhow. v: of its centre, in world axes. */
static void put_start(draft *d, const double *at, double spin, const double *v)
{
  double q[4];
  put(d, "(initial (\"b%d\" (%.4f %.4f %.4f", d->n, at[0], at[1], at[2]);
  for (int k = 0; k < 4; k++) {
    q[k] = in(d, -1, 1) + (k == 0 ? 1.01 : 0);
    put(d, " %.6f", q[k]);
  }
  const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const cardan_quat turned = {q[0] / size, q[1] / size, q[2] / size, q[3] / size};
  const cardan_mat3 R = cardan__quat_to_mat3(turned);
  const cardan_vec3 own = cardan__mat3_tmulv(&R, cardan__vec3(v[0], v[1], v[2]));
  put(d, ") (%.3f %.3f %.3f", in(d, -spin, spin), in(d, -spin, spin), in(d, -spin, spin));
  put(d, " %.3f %.3f %.3f)))\n", own.x, own.y, own.z);
}

/* Is a ball there apart from those of the bodies so far? */
static bool apart(const draft *d, const double *at, double radius)
{
  bool good = true;
  for (int i = 0; i < d->n; i++) {
    const double *o = d->at[i];
    const double way = hypot(hypot(at[0] - o[0], at[1] - o[1]), at[2] - o[2]);
    good = good && way > 1.01 * (radius + d->radius[i]) + 1e-3;
  }
  return good;
}

static void take_place(draft *d, const double *at, double radius)
{
  memcpy(d->at[d->n], at, sizeof d->at[d->n]);
  d->radius[d->n++] = radius;
}

static char *finish(draft *d)
{
  put(d, ")\n");
  assert_false(d->out.failed);
  return d->out.data;
}

char *pile_text(uint64_t seed)
{
  draft d = {.rng = {seed}};
  cardan__text_init(&d.out, NULL);
  const int n = support_random_int(&d.rng, 4, MOST);
  put(&d, "(system (gravity 0 0 -9.81)\n");
  put(&d, "(material \"floor\" (friction %.3f) (restitution %.3f))\n", in(&d, 0.2, 1),
      in(&d, 0, 0.6));
  put(&d, "(place (0 0 0) (name \"floor\") (solid plane (material \"floor\")))\n");
  put(&d, "(contact all (rolling %.4f) (spinning %.4f))\n", in(&d, 0.01, 0.03), in(&d, 0.01, 0.03));
  while (d.n < n) {
    const double radius = put_body(&d), v[3] = {in(&d, -1, 1), in(&d, -1, 1), in(&d, -1, 1)};
    double at[3] = {in(&d, -0.15, 0.15), in(&d, -0.15, 0.15), radius + 0.01};
    put(&d, ")\n");
    while (!apart(&d, at, radius)) {
      at[2] += 0.01;
    }
    put_start(&d, at, 4, v);
    take_place(&d, at, radius);
  }
  return finish(&d);
}

char *swarm_text(uint64_t seed)
{
  draft d = {.rng = {seed}};
  cardan__text_init(&d.out, NULL);
  const int n = support_random_int(&d.rng, 2, 5);
  put(&d, "(system (contact all)\n");
  while (d.n < n) {
    const double radius = put_body(&d);
    double at[3] = {0, 0, 0}, v[3];
    put(&d, ")\n");
    do {
      for (int k = 0; k < 3; k++) {
        at[k] = in(&d, -0.6, 0.6);
      }
    } while (!apart(&d, at, radius));
    for (int k = 0; k < 3; k++) {
      v[k] = in(&d, -0.3, 0.3) - 3 * at[k];
    }
    put_start(&d, at, 4, v);
    take_place(&d, at, radius);
  }
  return finish(&d);
}

char *trio_text(uint64_t seed)
{
  static const int kinds[] = {CYLINDER, CYLINDER, ELLIPSOID};
  draft d = {.rng = {seed}};
  const bool falls = seed % 2 == 1;
  cardan__text_init(&d.out, NULL);
  put(&d, "(system (contact all)\n");
  if (falls) {
    put(&d, "(gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))\n");
  }
  while (d.n < 3) {
    const double radius = put_kind(&d, kinds[d.n]);
    double at[3] = {in(&d, -0.1, 0.1), in(&d, -0.1, 0.1), falls ? radius + 0.01 : 0}, v[3];
    put(&d, ")\n");
    while (!apart(&d, at, radius)) {
      at[2] += 0.01;
    }
    for (int k = 0; k < 3; k++) {
      v[k] = in(&d, -0.5, 0.5) - (falls ? 0 : 3 * at[k]);
    }
    put_start(&d, at, 4, v);
    take_place(&d, at, radius);
  }
  return finish(&d);
}
