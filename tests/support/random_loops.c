// SPDX-License-Identifier: Apache-2.0
#include "random_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cardan/kinematics.h"
#include "fixture.h"
#include "hard.h"
#include "spatial/spatial.h"

enum { NMAX = 12 };

/* A text in the making. */
typedef struct {
  cardan__text out;
  support_rng rng;
  int nbody, nv; // bodies "j1".. with frames "f1".. on them; velocities
  int driven;    // one of "j1".. that has one coordinate, to be driven; 0: none
  bool scalar;   // only joints that svi takes
} draft;

#define put(d, ...) cardan__text_printf(&(d)->out, __VA_ARGS__)

static double in(draft *d, double low, double high)
{
  return support_random_in(&d->rng, low, high);
}

const char *loops_kind_name(loops_kind kind)
{
  static const char *const names[LOOPS_NKIND] = {"regular", "doubled", "planar", "bennett",
                                                 "rows",    "fourbar", "rods"};
  return names[kind];
}

/* A body on a joint, on one of the last three. planar: hinges about y. */
static void put_body(draft *d, bool planar)
{
  static const char *const kinds[] = {"revolute", "prismatic",   "universal",
                                      "revolute", "cylindrical", "spherical"};
  static const int dofs[] = {1, 1, 2, 1, 2, 3};
  const int k = planar ? 0 : support_random_int(&d->rng, 0, d->scalar ? 4 : 5);
  const int parent =
      d->nbody == 0 ? 0 : support_random_int(&d->rng, d->nbody > 2 ? d->nbody - 2 : 0, d->nbody);
  const int i = ++d->nbody;
  d->nv += dofs[k];
  if (dofs[k] == 1 && support_random_int(&d->rng, 0, 7) == 0) {
    d->driven = i;
  }
  if (parent == 0) {
    put(d, "  (place (%.4f %.4f %.4f)", in(d, -1, 1), planar ? 0 : in(d, -1, 1), in(d, -1, 1));
  } else {
    put(d, "  (at \"f%d\" (place (0 0 0)", parent);
  }
  if (!planar) {
    put(d, " (rotvec %.4f %.4f %.4f)", in(d, -1.5, 1.5), in(d, -1.5, 1.5), in(d, -1.5, 1.5));
  }
  put(d, " (joint %s \"j%d\"", kinds[k], i);
  if (planar) {
    put(d, " (axis 0 1 0)");
  }
  put(d, "\n    (mass %.3f %.3f %.3f %.3f)", in(d, 0.5, 2), in(d, 0.05, 0.1), in(d, 0.05, 0.1),
      in(d, 0.05, 0.1));
  put(d, " (place (%.4f %.4f %.4f) (name \"f%d\") (mass %.3f 0.02 0.02 0.02))))%s\n",
      in(d, 0.3, 0.8), planar ? 0 : in(d, -0.5, 0.5), in(d, -0.8, 0.8), i, in(d, 0.2, 1),
      parent == 0 ? "" : ")");
}

/* Poses of the frames at the start, with the text so far as the model. */
static fixture look(draft *d)
{
  cardan__text whole;
  cardan__text_init(&whole, NULL);
  cardan__text_printf(&whole, "%s)", d->out.data);
  fixture f = fixture_load(whole.data);
  cardan_kinematics(f.model, f.data);
  cardan__text_free(&whole);
  return f;
}

static cardan_xform pose_of(const fixture *f, int body)
{
  char name[16];
  snprintf(name, sizeof name, "f%d", body);
  return cardan_frame_pose(f->model, f->data, body == 0 ? 0 : cardan_model_frame(f->model, name));
}

/* A frame "m<k>" of body b where frame "f<a>" stands, moved by s along its axis y. */
static void put_meeting(draft *d, const fixture *f, int a, int b, int k, double s)
{
  const cardan_xform A = pose_of(f, a), B = pose_of(f, b);
  const cardan_xform T = cardan__xform_inv_mul(&B, &A);
  const cardan_quat q = cardan__quat_from_mat3(&T.R);
  const cardan_vec3 p = cardan__xform_point(&T, cardan__vec3(0, s, 0));
  if (b > 0) {
    put(d, "  (at \"f%d\"", b);
  }
  put(d, " (place (%.17g %.17g %.17g) (quat %.17g %.17g %.17g %.17g) (name \"m%d\"))%s\n", p.x, p.y,
      p.z, q.w, q.x, q.y, q.z, k, b > 0 ? ")" : "");
}

/* Closes the tree between bodies that no joint joins, while it can still move: pairs of that many
 * rows, each `copies` times: as it is, or its frames moved along the axis. */
static void close_loops(draft *d, bool planar, int most, int copies)
{
  static const char *const kinds[] = {"spherical", "universal", "revolute", "planar",
                                      "cylindrical"};
  static const int rows[] = {3, 4, 5, 3, 4};
  fixture f = look(d);
  int left = d->nv - 1 - (d->driven > 0), number = 0;
  for (int loop = 0; loop < most; loop++) {
    const int k = planar ? 2 : support_random_int(&d->rng, 0, 5);
    const int cost = planar ? 2 : k == 5 ? 1 : rows[k];
    const int a = support_random_int(&d->rng, 2, d->nbody),
              b = support_random_int(&d->rng, 0, a - 2);
    if (cost > left) {
      continue;
    }
    left -= cost;
    for (int copy = 0; copy < copies; copy++) {
      const double s = k != 5 && (k == 2 || k == 4) && copy > 0 ? 0.2 * copy : 0;
      const int m = ++number;
      if (k == 5) {
        const cardan_xform A = pose_of(&f, a), B = pose_of(&f, b);
        const double L = cardan__vec3_norm(cardan__vec3_sub(A.p, B.p));
        char other[16];
        snprintf(other, sizeof other, b > 0 ? "f%d" : "world", b);
        put(d, "  (wire \"f%d\" \"%s\" %.17g)\n", a, other, L);
        continue;
      }
      put_meeting(d, &f, a, b, m, s);
      put(d, "  (at \"f%d\" (place (0 %.17g 0) (name \"n%d\")))\n", a, s, m);
      put(d, "  (close %s \"n%d\" \"m%d\" %s)\n", kinds[k], m, m,
          k == 0 || k == 3 ? ""
          : k == 1         ? "(axis 0 1 0) (axis2 1 0 0)"
                           : "(axis 0 1 0)");
    }
  }
  fixture_free(&f);
}

/* On every second model a spring, dampers and, where there is a joint for it, a driver. */
static void put_forces(draft *d)
{
  if (d->driven > 0) {
    put(d, "  (motion \"j%d\" (* %.3f (sin (* 3 t))))\n", d->driven, in(d, -0.5, 0.5));
  }
  if (support_random_int(&d->rng, 0, 1) > 0) {
    put(d, "  (spring \"f1\" \"f%d\" %.3f %.3f) (damping %.3f)\n", d->nbody, in(d, 5, 50),
        in(d, 0.2, 0.6), in(d, 0.05, 0.5));
  }
}

static void make_tree(draft *d, bool planar, int copies)
{
  const int n = support_random_int(&d->rng, planar ? 3 : 4, planar ? 8 : 7);
  d->scalar = support_random_int(&d->rng, 0, 2) > 0;
  put(d, "(system \"random\" (gravity %.3f %.3f %.3f)\n", in(d, -5, 5), planar ? 0 : in(d, -5, 5),
      in(d, -10, -5));
  for (int i = 0; i < n; i++) {
    put_body(d, planar);
  }
  close_loops(d, planar, planar ? (n - 1) / 2 : 4, copies);
  put_forces(d);
  put(d, ")\n");
}

/* One of the texts of hard.h with other dimensions. */
static void take(draft *d, const char *name, const double *a, int n)
{
  hard_case c = *hard_find(name);
  memcpy(c.a, a, (size_t)n * sizeof *a);
  char *text = hard_model(&c);
  put(d, "%s", text);
  free(text);
}

/* Four-bars with crank + rocker = coupler + ground and the like: flat when all is in line, or off
 * that by a little. */
static void make_fourbar(draft *d)
{
  static const double off[] = {0, 0, 0, 0.1, -0.1, 0.03, -0.03};
  const double crank = in(d, 0.5, 1), ground = in(d, 1.2, 2), sum = in(d, 0.2, 0.8);
  // crank + coupler = rocker + ground, or crank + ground = coupler + rocker, and the off
  const bool far = support_random_int(&d->rng, 0, 1) > 0;
  const double rocker = far ? in(d, 0.6, 1.4) : crank + sum;
  const double coupler = (far ? rocker + ground - crank : crank + ground - rocker) +
                         off[support_random_int(&d->rng, 0, 6)];
  const double side = support_random_int(&d->rng, 0, 1) > 0 ? 1 : -1;
  double angle = 0, reach = 0;
  do { // a place where coupler and rocker meet
    angle = in(d, 0.2, 1.5);
    reach = hypot(ground - crank * cos(angle), crank * sin(angle));
  } while (reach > coupler + rocker - 0.01 || reach < fabs(coupler - rocker) + 0.01);
  const double a[8] = {crank, coupler, rocker, ground, angle, side, in(d, -6, -3), in(d, -5, 0)};
  take(d, "parallelogram", a, 8);
}

char *loops_random_text(uint64_t seed, loops_kind *kind)
{
  draft made = {.rng = {seed * 7919}}, *d = &made;
  cardan__text_init(&d->out, NULL);
  *kind = (loops_kind)(seed % LOOPS_NKIND);
  switch (*kind) {
  case LOOPS_REGULAR:
    make_tree(d, false, 1);
    break;
  case LOOPS_DOUBLED:
    make_tree(d, false, support_random_int(&d->rng, 2, 3));
    break;
  case LOOPS_PLANAR:
    make_tree(d, true, support_random_int(&d->rng, 1, 2));
    break;
  case LOOPS_BENNETT: {
    const double a[4] = {in(d, 0.5, 1), in(d, 0.4, 1), in(d, 1.1, 2), in(d, 0.5, 1.5)};
    take(d, "bennett-50-80", a, 4);
    break;
  }
  case LOOPS_ROWS: {
    const double a[4] = {support_random_int(&d->rng, 1, 4), in(d, 0.3, 0.8), in(d, -5, -2),
                         in(d, -6, 0)};
    take(d, "row-2", a, 4);
    break;
  }
  case LOOPS_FOURBAR:
    make_fourbar(d);
    break;
  case LOOPS_RODS: {
    const double a[4] = {support_random_int(&d->rng, 3, 5), in(d, 0.6, 1.5), in(d, -1.2, 1.2),
                         support_random_int(&d->rng, 0, 1)};
    take(d, "swing-3-wires", a, 4);
    break;
  }
  case LOOPS_NKIND:
    break;
  }
  assert_false(d->out.failed);
  return d->out.data;
}
