// SPDX-License-Identifier: Apache-2.0
// Solids that lie on others: which contact points there are, that they keep their order, and
// positions at which a gap or a normal is not unique.
#include <math.h>
#include <string.h>

#include "touch_fixture.h"

enum { MOST = 32 };

/* Solid i centred in its body. */
static void put(touch_scene *scene, int i, cardan_shape_kind kind, double a, double b, double c)
{
  scene->solid[i] =
      (cardan_solid){.kind = kind, .X_BS = cardan__xform_identity(), .size = {a, b, c}};
  scene->solid[i].radius = touch_radius(&scene->solid[i]);
  scene->X_W[i + 1] = cardan__xform_identity();
  scene->X_W[0] = cardan__xform_identity();
  touch_wire(scene);
}

static void place(touch_scene *scene, int i, cardan_vec3 turn, double x, double y, double z)
{
  scene->X_W[i + 1] = (cardan_xform){cardan_so3_exp(turn), cardan__vec3(x, y, z)};
}

static int spots_of(const touch_scene *scene, double margin, cardan__spot *spot, cardan__touch *at)
{
  const int n = cardan__pair_spots(&scene->model, 0, scene->X_W, margin, spot, MOST);
  assert_in_range(n, 0, cardan__pair_most(&scene->model, 0));
  for (int i = 0; i < n; i++) {
    cardan__spot_look(&scene->model, &spot[i], scene->X_W, &at[i]);
  }
  return n;
}

/* There is a spot at (x, y) with this gap, and its normal is +z. */
static void has_spot(const cardan__touch *at, int n, double x, double y, double gap)
{
  for (int i = 0; i < n; i++) {
    if (fabs(at[i].x.x - x) + fabs(at[i].x.y - y) < 2e-7) {
      assert_near(at[i].gap, gap, 1e-14);
      assert_near(at[i].n.z, 1, 1e-15);
      return;
    }
  }
  fail_msg("no spot at %g, %g", x, y);
}

// A box on its edge across a bar, turned by 1e-3 from lying: the edges of both are the axis, and
// the edge stands at one side of the bar and over the other. Then with A and B exchanged
static void edge_on_face(void **state)
{
  (void)state;
  const double h = 0.1, width = 0.06, tilt = 1e-3;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  for (int turned = 0; turned < 2; turned++) {
    touch_scene s = {0};
    put(&s, turned, CARDAN_SHAPE_BOX, 0.4, 2 * h, 2 * h);
    put(&s, 1 - turned, CARDAN_SHAPE_BOX, width, 0.4, 0.1);
    const cardan_mat3 on_edge = cardan_so3_exp(cardan__vec3(atan(1), 0, 0));
    const cardan_mat3 tilted = cardan_so3_exp(cardan__vec3(0, tilt, 0));
    s.X_W[turned + 1].R = cardan__mat3_mul(&tilted, &on_edge);
    // the edge's middle is over the bar's; its lower side, at x = width/2, touches
    const cardan_vec3 down = cardan__mat3_mulv(&tilted, cardan__vec3(0, 0, -sqrt(2) * h));
    const double height = 0.05 + 0.5 * width * tan(tilt);
    s.X_W[turned + 1].p = cardan__vec3(-down.x, 0, height - down.z);
    const int n = spots_of(&s, 1e-3, spot, at);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
      low = fmin(low, at[i].x.x);
      high = fmax(high, at[i].x.x);
      assert_true(at[i].gap > -1e-12 && at[i].gap < 1.01 * width * tilt);
      assert_near(fabs(at[i].n.z), 1, tilt);
    }
    assert_int_equal(n, 2);
    assert_near(low, -0.5 * width, 1e-6);
    assert_near(high, 0.5 * width, 1e-6);
  }
}

// A box over another, aligned: the corners of the overlap. Then the same with A and B exchanged
static void box_on_box(void **state)
{
  (void)state;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  for (int turned = 0; turned < 2; turned++) {
    touch_scene s = {0};
    put(&s, turned, CARDAN_SHAPE_BOX, 0.4, 0.6, 0.2);
    put(&s, 1 - turned, CARDAN_SHAPE_BOX, 1, 0.4, 0.2);
    place(&s, turned, cardan__vec3(0, 0, 0), 0.1, 0.05, 0.2 + 1e-10);
    const int n = spots_of(&s, 1e-3, spot, at);
    for (int i = 0; i < n && turned; i++) {
      at[i].n = cardan__vec3_neg(at[i].n);
    }
    assert_int_equal(n, 4);
    has_spot(at, n, -0.1, -0.2, 1e-10);
    has_spot(at, n, 0.3, -0.2, 1e-10);
    has_spot(at, n, -0.1, 0.2, 1e-10);
    has_spot(at, n, 0.3, 0.2, 1e-10);
  }
}

// One of two equal boxes turned by 45 degrees: an octagon, whose corners are at 0.5, 0.5 tan 22.5
static void octagon(void **state)
{
  (void)state;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_BOX, 1, 1, 0.2);
  put(&s, 1, CARDAN_SHAPE_BOX, 1, 1, 0.2);
  place(&s, 0, cardan__vec3(0, 0, acos(-1) / 4), 0, 0, 0.2 - 1e-7);
  const int n = spots_of(&s, 1e-3, spot, at);
  const double a = 0.5, b = 0.5 * tan(acos(-1) / 8);
  assert_int_equal(n, 8);
  for (int i = 0; i < 8; i++) {
    const double x = i & 1 ? a : b, y = i & 1 ? b : a;
    has_spot(at, n, i & 2 ? x : -x, i & 4 ? y : -y, -1e-7);
  }
}

/* Ids of the spots of a scene whose body 1 is shaken by 1e-10 in all ways stay what they are. */
static void steady(const touch_scene *scene, int expected)
{
  support_rng rng = {5};
  cardan__spot spot[MOST], other[MOST];
  cardan__touch at[MOST];
  touch_scene s = *scene;
  touch_wire(&s);
  const int n = spots_of(&s, 1e-3, spot, at);
  assert_int_equal(n, expected);
  for (int trial = 0; trial < 300; trial++) {
    cardan_vec3 twist[2];
    touch_scene moved = s;
    touch_wire(&moved);
    support_random_vec(&rng, &twist[0].x, 6, 1);
    touch_move(&moved, 1, twist[0], twist[1], 1e-10);
    assert_int_equal(spots_of(&moved, 1e-3, other, at), n);
    for (int i = 0; i < n; i++) {
      assert_int_equal(other[i].id, spot[i].id);
    }
  }
}

// Features do not change with the tenth digit
static void no_flicker(void **state)
{
  (void)state;
  const double right = acos(-1) / 2;
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_BOX, 0.4, 0.4, 0.2);
  put(&s, 1, CARDAN_SHAPE_BOX, 0.4, 0.4, 0.2);
  place(&s, 0, cardan__vec3(0, 0, 0), 0, 0, 0.2); // the same place
  steady(&s, 4);
  place(&s, 0, cardan__vec3(0, 0, 0.3), 0.1, 0.02, 0.2);
  steady(&s, 6);
  place(&s, 0, cardan__vec3(0, right / 2, 0), 0, 0,
        0.1 + 0.15 * sqrt(2)); // on its edge, 45 degrees
  steady(&s, 2);
  put(&s, 0, CARDAN_SHAPE_BOX, 1, 0.1, 0.1);
  place(&s, 0, cardan__vec3(0, 0, 0.5), 0.3, 0, 0.15); // a beam across the edge
  steady(&s, 5);
  put(&s, 0, CARDAN_SHAPE_CAPSULE, 0.1, 0.3, 0);
  place(&s, 0, cardan__vec3(right, 0, 0), 0.1, 0.1, 0.2); // over the edge
  steady(&s, 2);
  put(&s, 0, CARDAN_SHAPE_CYLINDER, 0.1, 0.3, 0);
  put(&s, 1, CARDAN_SHAPE_PLANE, 0, 0, 0);
  place(&s, 0, cardan__vec3(0, 0, 0.3), 0.1, 0.1, 0.15); // flat
  steady(&s, 8);
  place(&s, 0, cardan__vec3(right, 0, 0), 0.1, 0.1, 0.1); // on its side
  steady(&s, 2);
  put(&s, 0, CARDAN_SHAPE_CAPSULE, 0.1, 0.3, 0);
  put(&s, 1, CARDAN_SHAPE_CAPSULE, 0.1, 0.3, 0);
  place(&s, 0, cardan__vec3(0, 0, 0), 0.2, 0, 0.1); // side by side
  steady(&s, 2);
}

// A capsule along a capsule: two balls at the ends of the part side by side, with the gap of the
// pair; across it: the pair itself
static void capsules(void **state)
{
  (void)state;
  const double right = acos(-1) / 2;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_CAPSULE, 0.1, 0.6, 0);
  put(&s, 1, CARDAN_SHAPE_CAPSULE, 0.2, 1, 0);
  place(&s, 0, cardan__vec3(0, right, 0), 0.4, 0, 0.3 + 1e-6);
  place(&s, 1, cardan__vec3(0, right, 0), 0, 0, 0);
  int n = spots_of(&s, 1e-3, spot, at);
  assert_int_equal(n, 2);
  has_spot(at, n, 0.1, 0, 1e-6);
  has_spot(at, n, 0.5, 0, 1e-6);
  assert_near(cardan__pair_gap(&s.model, 0, s.X_W, &at[0]), 1e-6, 1e-14);
  assert_near(at[0].x.x, 0.3, 1e-12); // the middle of it
  place(&s, 0, cardan__vec3(right, 0, 0), 0.3, 0.1, 0.3 - 1e-9);
  n = spots_of(&s, 1e-3, spot, at);
  assert_int_equal(n, 1);
  assert_int_equal(spot[0].kind, CARDAN__SPOT_PART);
  has_spot(at, n, 0.3, 0, -1e-9);
}

// A capsule over the edge of a box touches at its end and at the edge; beside it, along the edge
static void capsule_on_box(void **state)
{
  (void)state;
  const double right = acos(-1) / 2;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_CAPSULE, 0.1, 1, 0);
  put(&s, 1, CARDAN_SHAPE_BOX, 1, 1, 0.2);
  place(&s, 0, cardan__vec3(0, right, 0), 0.3, 0.2, 0.2);
  int n = spots_of(&s, 1e-3, spot, at);
  assert_int_equal(n, 2);
  has_spot(at, n, -0.2, 0.2, 0);
  has_spot(at, n, 0.5, 0.2, 0);
  const double d = 0.1 / sqrt(2); // axis at 45 degrees from the edge y = 0.5, z = 0.1
  place(&s, 0, cardan__vec3(0, right, 0), 0.3, 0.5 + d, 0.1 + d);
  n = spots_of(&s, 1e-3, spot, at);
  assert_int_equal(n, 2);
  for (int i = 0; i < n; i++) {
    assert_near(at[i].gap, 0, 1e-15);
    assert_near(at[i].n.y, sqrt(0.5), 1e-15);
    assert_near(at[i].x.x, i ? 0.5 : -0.2, 1e-15);
  }
}

/* A hull over a plane has few spots, however many vertices: n at most. They hold it: the centre is
 * inside of them, seen from every side. */
static void hull_lies(touch_scene *s, cardan_vec3 *vertex, double margin, int nvertex, int n)
{
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  s->hull[1].nvertex = nvertex; // its core
  s->hull[1].vertex = vertex;
  const double gap = cardan__pair_gap(&s->model, 0, s->X_W, NULL);
  const int found = spots_of(s, gap + margin, spot, at);
  assert_in_range(found, 3, n);
  for (int k = 0; k < 16; k++) {
    const double angle = 0.4 * k;
    double most = -1;
    for (int i = 0; i < found; i++) {
      assert_true(at[i].gap >= gap - 1e-15);
      most = fmax(most, cos(angle) * at[i].x.x + sin(angle) * at[i].x.y);
    }
    assert_true(most > 0.01);
  }
}

// A prism of 128 sides, flat, and a round stone of 500 vertices
static void hull_on_plane(void **state)
{
  (void)state;
  support_rng rng = {8};
  cardan_vec3 vertex[500];
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_HULL, 0, 0, 0);
  put(&s, 1, CARDAN_SHAPE_PLANE, 0, 0, 0);
  s.solid[0].round = 0.001;
  s.solid[0].radius = 1.1;
  place(&s, 0, cardan__vec3(0, 0, 0), 0, 0, 0.5);
  for (int i = 0; i < 256; i++) {
    const double angle = acos(-1) / 64 * (i / 2);
    vertex[i] = cardan__vec3(cos(angle), sin(angle), i % 2 ? 0.1 : -0.1);
  }
  hull_lies(&s, vertex, 1e-2, 256, 9);
  assert_near(cardan__pair_gap(&s.model, 0, s.X_W, NULL), 0.4 - 0.001, 1e-15);
  for (int i = 0; i < 500; i++) {
    support_random_vec(&rng, &vertex[i].x, 3, 1);
    vertex[i] = cardan__vec3_scale(0.3 / cardan__vec3_norm(vertex[i]), vertex[i]);
  }
  hull_lies(&s, vertex, 5e-2, 500, 25);
}

// Spots go with what slides: a capsule along its axis by 1 cm, over another's end and over the edge
// of a box, keeps the gap of the pair
static void capsule_slides(void **state)
{
  (void)state;
  const double right = acos(-1) / 2;
  for (int trial = 0; trial < 4; trial++) {
    const double lift = trial % 2 ? 0.3 : 0.2, way = trial < 2 ? 0.01 : -0.01;
    cardan__spot spot[MOST];
    cardan__touch at[MOST];
    touch_scene s = {0};
    put(&s, 0, CARDAN_SHAPE_CAPSULE, 0.1, 0.6, 0);
    put(&s, 1, trial % 2 ? CARDAN_SHAPE_CAPSULE : CARDAN_SHAPE_BOX, trial % 2 ? 0.2 : 1, 1, 0.2);
    place(&s, 0, cardan__vec3(0, right, 0), 0.4, 0.01, lift);
    place(&s, 1, cardan__vec3(0, trial % 2 ? right : 0, 0), 0, 0, 0);
    const int n = spots_of(&s, 1e-2, spot, at);
    assert_int_equal(n, 2);
    s.X_W[1].p.x += way;
    const double gap = cardan__pair_gap(&s.model, 0, s.X_W, NULL);
    for (int i = 0; i < n; i++) {
      cardan__spot_look(&s.model, &spot[i], s.X_W, &at[i]);
      assert_near(at[i].gap, gap, 1e-12);
    }
  }
}

// A disc that tilts has its lowest point, and while it nearly lies those fixed ones of its rim that
// are not beside that; all eight when it lies. None is below the gap
static void tilting_disc(void **state)
{
  (void)state;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_CYLINDER, 0.5, 0.02, 0);
  put(&s, 1, CARDAN_SHAPE_PLANE, 0, 0, 0);
  for (double tilt = 1; tilt > 1e-12; tilt /= 2) {
    const double low = 0.5 * sin(tilt) + 0.01 * cos(tilt);
    place(&s, 0, cardan__vec3(tilt * 0.6, tilt * 0.8, 0), 0, 0, low);
    const int n = spots_of(&s, 1e-3, spot, at);
    const bool lies = tilt < 1e-6;
    assert_near(at[0].gap, 0, lies ? tilt : 1e-15);
    assert_int_equal(spot[0].kind, lies ? CARDAN__SPOT_POINT : CARDAN__SPOT_RIM);
    assert_true(tilt > 0.1 ? n == 1 : n >= 1);
    assert_true(tilt > 5e-4 || (lies ? n == 8 : n == 6 || n == 7));
    for (int i = 1; i < n; i++) {
      assert_true(spot[i].id > spot[i - 1].id);
      assert_true(at[i].gap >= -1e-15);
    }
  }
}

// What tips over onto its other side is not held there by the spot it had: a disc's rim then stands
// on the ends of its half circle, at the height of its middle, a capsule on half of its length
static void tipping_over(void **state)
{
  (void)state;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  touch_scene s = {0};
  put(&s, 0, CARDAN_SHAPE_CYLINDER, 0.5, 0.02, 0);
  put(&s, 1, CARDAN_SHAPE_PLANE, 0, 0, 0);
  const double disc = 0.5 * sin(0.05) + 0.01 * cos(0.05);
  place(&s, 0, cardan__vec3(0.05, 0, 0), 0, 0, disc);
  spots_of(&s, 1, spot, at);
  assert_int_equal(spot[0].kind, CARDAN__SPOT_RIM);
  assert_near(at[0].gap, 0, 1e-15);
  place(&s, 0, cardan__vec3(-0.05, 0, 0), 0, 0, disc);
  cardan__spot_look(&s.model, &spot[0], s.X_W, &at[0]);
  cardan__spot_look(&s.model, &spot[3], s.X_W, &at[3]); // of five fixed ones the one opposite
  assert_near(at[0].gap, 0.5 * sin(0.05), 1e-15);
  assert_near(at[3].gap, 0, 1e-15);
  put(&s, 0, CARDAN_SHAPE_CAPSULE, 0.1, 0.6, 0);
  put(&s, 1, CARDAN_SHAPE_BOX, 2, 2, 0.2);
  const double level = acos(-1) / 2, rod = 0.2 + 0.3 * sin(0.3);
  place(&s, 0, cardan__vec3(0, level + 0.3, 0), 0, 0, rod);
  assert_int_equal(spots_of(&s, 1, spot, at), 1);
  assert_near(at[0].gap, 0, 1e-15);
  place(&s, 0, cardan__vec3(0, level - 0.3, 0), 0, 0, rod);
  cardan__spot_look(&s.model, &spot[0], s.X_W, &at[0]);
  assert_near(at[0].gap, 0.3 * sin(0.3) * 1.5, 1e-15); // 1/4 of its length from the end it had
}

// The same of a box's edge across the flat side of a cylinder, which it meets at two places of the
// rim, 0.16 apart: its spot at one of them knows nothing of the other, however low that comes
static void edge_across_a_disc(void **state)
{
  (void)state;
  cardan__spot spot[MOST];
  cardan__touch at[MOST], end;
  for (int turned = 0; turned < 2; turned++) {
    touch_scene s = {0};
    put(&s, turned, CARDAN_SHAPE_BOX, 0.3, 0.1, 0.1);
    put(&s, 1 - turned, CARDAN_SHAPE_CYLINDER, 0.1, 0.2, 0);
    const cardan_mat3 on_edge = cardan_so3_exp(cardan__vec3(acos(-1) / 4, 0, 0));
    for (int tip = 1; tip >= -1; tip -= 2) {
      const cardan_mat3 lean = cardan_so3_exp(cardan__vec3(0, 0.02 * tip, 0));
      s.X_W[turned + 1] =
          (cardan_xform){cardan__mat3_mul(&lean, &on_edge), cardan__vec3(0, 0.06, 0.175)};
      if (tip > 0) {
        const int n = spots_of(&s, 0.1, spot, at);
        int lowest = 0;
        for (int i = 1; i < n; i++) {
          lowest = at[i].gap < at[lowest].gap ? i : lowest;
        }
        assert_near(at[lowest].gap, cardan__pair_gap(&s.model, 0, s.X_W, NULL), 1e-9);
        assert_near(at[lowest].x.x, 0.08, 2e-3); // 0.1^2 - 0.06^2
        spot[0] = spot[lowest];
      }
    }
    const double gap = cardan__pair_gap(&s.model, 0, s.X_W, &at[0]);
    cardan__spot_look(&s.model, &spot[0], s.X_W, &end);
    assert_near(at[0].x.x, -0.08, 2e-3);
    assert_true(end.x.x > 0);
    assert_true(end.gap > gap + 0.02 * 0.07);
  }
}

// Two boxes edge on edge: the gap is that of the lines, positive and negative
static void edge_on_edge(void **state)
{
  (void)state;
  const double eighth = acos(-1) / 4;
  cardan__spot spot[MOST];
  cardan__touch at[MOST];
  for (double gap = -1e-5; gap < 2e-5; gap += 1e-5) {
    touch_scene s = {0};
    put(&s, 0, CARDAN_SHAPE_BOX, 1, 0.2, 0.2);
    put(&s, 1, CARDAN_SHAPE_BOX, 0.2, 1, 0.2);
    place(&s, 0, cardan__vec3(eighth, 0, 0), 0.05, 0.1, 0.2 * sqrt(2) + gap);
    place(&s, 1, cardan__vec3(0, eighth, 0), 0, 0, 0);
    const int n = spots_of(&s, 1e-3, spot, at);
    assert_int_equal(n, 1);
    assert_int_equal(spot[0].kind, CARDAN__SPOT_EDGES);
    has_spot(at, n, 0, 0.1, gap);
    assert_near(cardan__pair_gap(&s.model, 0, s.X_W, NULL), gap, 1e-15);
  }
}

static void finite_touch(const cardan__touch *at)
{
  assert_true(isfinite(at->gap + at->x.x + at->x.y + at->x.z));
  assert_near(cardan__vec3_norm(at->n), 1, 1e-12);
}

// Places where a direction is lost: centres that coincide, in the middle of a box, on its face, on
// its corner, axes that cross: a finite answer with a unit normal, the same each time
static void lost_directions(void **state)
{
  (void)state;
  static const cardan_shape_kind kinds[] = {CARDAN_SHAPE_POINT, CARDAN_SHAPE_SPHERE,
                                            CARDAN_SHAPE_CAPSULE, CARDAN_SHAPE_BOX};
  static const double places[][3] = {{0, 0, 0}, {0.3, 0, 0}, {0.3, 0.3, 0}, {0.3, 0.3, 0.3}};
  for (int k = 0; k < 16 * 4 * 3; k++) {
    const double *p = places[k % 4];
    touch_scene s = {0};
    cardan__spot spot[MOST], again[MOST];
    cardan__touch at[MOST], gap[2];
    if (k / 12 == 0) {
      continue; // two points never touch
    }
    put(&s, 0, kinds[k / 12 % 4], 0.6, 0.6, 0.6);
    put(&s, 1, kinds[k / 48], 0.6, 0.6, 0.6);
    place(&s, 0, cardan__vec3(0, 0, acos(-1) / 4 * (k / 4 % 3)), p[0], p[1], p[2]);
    const int n = spots_of(&s, HUGE_VAL, spot, at);
    for (int i = 0; i < n; i++) {
      finite_touch(&at[i]);
    }
    cardan__pair_gap(&s.model, 0, s.X_W, &gap[0]);
    cardan__pair_gap(&s.model, 0, s.X_W, &gap[1]);
    finite_touch(&gap[0]);
    assert_memory_equal(&gap[0], &gap[1], sizeof gap[0]);
    assert_int_equal(cardan__pair_spots(&s.model, 0, s.X_W, HUGE_VAL, again, MOST), n);
  }
}

// A sphere in a box knows its way out: the nearest face, from any depth
static void sphere_in_box(void **state)
{
  (void)state;
  touch_scene s = {0};
  cardan__touch at;
  put(&s, 0, CARDAN_SHAPE_SPHERE, 0.1, 0, 0);
  put(&s, 1, CARDAN_SHAPE_BOX, 1, 1, 1);
  for (double z = 0.3; z < 0.7; z += 0.05) {
    place(&s, 0, cardan__vec3(0, 0, 0), 0.1, 0.2, z);
    assert_near(cardan__pair_gap(&s.model, 0, s.X_W, &at), z - 0.6, 1e-15);
    assert_near(at.n.z, 1, 0);
    assert_near(at.x.z, z - 0.1, 1e-15);
  }
}

/* x -> -x of a pose: M R M, M p. */
static cardan_xform mirrored(cardan_xform X)
{
  for (int k = 1; k < 3; k++) {
    X.R.m[0][k] = -X.R.m[0][k];
    X.R.m[k][0] = -X.R.m[k][0];
  }
  X.p.x = -X.p.x;
  return X;
}

// The mirror image of a scene has the mirror image of its spots
static void mirror(void **state)
{
  (void)state;
  static const cardan_shape_kind kinds[] = {CARDAN_SHAPE_POINT,    CARDAN_SHAPE_SPHERE,
                                            CARDAN_SHAPE_CAPSULE,  CARDAN_SHAPE_BOX,
                                            CARDAN_SHAPE_CYLINDER, CARDAN_SHAPE_PLANE};
  support_rng rng = {6};
  for (int trial = 0; trial < 4000; trial++) {
    const int a = support_random_int(&rng, 0, 4);
    const int b = a == 4 ? 5 : support_random_int(&rng, a == 0 ? 1 : 0, 3);
    touch_scene s = touch_random(&rng, kinds[a], kinds[b], 0.6), m = s;
    cardan__spot spot[MOST];
    cardan__touch at[MOST], image[MOST];
    for (int i = 0; i < 3; i++) {
      m.X_W[i] = mirrored(s.X_W[i]);
      if (i < 2) {
        m.solid[i].X_BS = mirrored(s.solid[i].X_BS);
      }
    }
    touch_wire(&s);
    touch_wire(&m);
    const int n = spots_of(&s, 0.05, spot, at);
    assert_int_equal(spots_of(&m, 0.05, spot, image), n);
    for (int i = 0; i < n; i++) {
      double nearest = HUGE_VAL;
      for (int j = 0; j < n; j++) {
        const cardan_vec3 d = {at[i].x.x + image[j].x.x, at[i].x.y - image[j].x.y,
                               at[i].x.z - image[j].x.z};
        nearest = fmin(nearest, cardan__vec3_norm(d) + fabs(at[i].gap - image[j].gap));
      }
      assert_near(nearest, 0, 1e-12);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edge_on_face),
      cmocka_unit_test(box_on_box),
      cmocka_unit_test(octagon),
      cmocka_unit_test(no_flicker),
      cmocka_unit_test(capsules),
      cmocka_unit_test(capsule_on_box),
      cmocka_unit_test(capsule_slides),
      cmocka_unit_test(tilting_disc),
      cmocka_unit_test(tipping_over),
      cmocka_unit_test(edge_on_edge),
      cmocka_unit_test(lost_directions),
      cmocka_unit_test(sphere_in_box),
      cmocka_unit_test(hull_on_plane),
      cmocka_unit_test(mirror),
      cmocka_unit_test(edge_across_a_disc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
