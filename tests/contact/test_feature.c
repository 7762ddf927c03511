// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/feature.h"
#include "contact/feature_rows.h"
#include "random_tree.h"
#include "spatial/so3.h"

/* Rows of features against differences of gaps, of material points and of attitudes. */

enum { BODIES = 9, MOST_SOLIDS = 8, MOST_PAIRS = 8, MOST_SPOTS = 16, MOST_V = 64 };

/* A random tree whose bodies have solids, and pairs of them. */
typedef struct {
  fixture f;
  cardan_solid solid[MOST_SOLIDS];
  cardan_pair pair[MOST_PAIRS];
} scene;

static cardan_vec3 random_vec3(support_rng *rng, double size)
{
  double a[3];
  support_random_vec(rng, a, 3, size);
  return cardan__vec3(a[0], a[1], a[2]);
}

static void add_solid(scene *s, cardan_shape_kind kind, int body, support_rng *rng)
{
  const cardan_quat turn = cardan__quat_from_rotvec(random_vec3(rng, 2));
  s->solid[s->f.model->nsolid++] =
      (cardan_solid){.name = "",
                     .body = body,
                     .kind = kind,
                     .X_BS = cardan__xform_from_quat(turn, random_vec3(rng, 0.5)),
                     .size = {0.3, 0.4, 0.5},
                     .hull = -1,
                     .radius = 1};
}

static void add_pair(scene *s, int A, int B)
{
  s->pair[s->f.model->npair++] = (cardan_pair){
      .solid = {A, B}, .friction = 0.5, .statical = 0.7, .rolling = 0.02, .spinning = 0.03};
}

static void attach(scene *s)
{
  s->f.model->solid = s->solid;
  s->f.model->pair = s->pair;
  s->f.model->nsolid = s->f.model->npair = 0;
}

/* Solids on bodies of one tree and of others, planes that move and one that does not. */
static void random_scene(scene *s, int seed)
{
  support_rng rng = {(uint64_t)seed};
  *s = (scene){.f = fixture_build(tree_spec(BODIES, &rng))};
  const int last = s->f.model->nbody - 1;
  attach(s);
  add_solid(s, CARDAN_SHAPE_SPHERE, last, &rng);
  add_solid(s, CARDAN_SHAPE_BOX, last - 2, &rng);
  add_solid(s, CARDAN_SHAPE_SPHERE, support_random_int(&rng, 1, last - 3), &rng);
  add_solid(s, CARDAN_SHAPE_PLANE, support_random_int(&rng, 1, last - 3), &rng);
  add_solid(s, CARDAN_SHAPE_PLANE, 0, &rng);
  add_pair(s, 3, 2); // a plane as A: B is curved
  add_pair(s, 0, 3);
  add_pair(s, 0, 4);
  add_pair(s, 1, 3);
  add_pair(s, 1, 4);
  add_pair(s, 0, 2);
  add_pair(s, 1, 2);
  tree_random_state(&s->f, &rng);
  cardan_kinematics(s->f.model, s->f.data);
}

/* All spots of a pair, entered. */
static int spots_of(const scene *s, int pair, cardan__feature *f)
{
  cardan__spot spot[MOST_SPOTS];
  const int n = cardan__pair_spots(s->f.model, pair, s->f.data->X_W, 1e9, spot, MOST_SPOTS);
  assert_true(n > 0);
  for (int i = 0; i < n; i++) {
    cardan__feature_of_spot(s->f.model, &spot[i], &f[i]);
    cardan__feature_enter(s->f.model, s->f.data, &f[i]);
  }
  return n;
}

/* Another data of the same model. */
static cardan_data *other(const fixture *f)
{
  cardan_data *data = NULL;
  assert_int_equal(cardan_data_create(f->model, NULL, &data), CARDAN_OK);
  return data;
}

/* data at its q moved by part times dq, poses made. */
static void move(const scene *s, const double *q, const double *dq, double part, cardan_data *to)
{
  cardan_q_move(s->f.model, q, dq, part, to->q);
  cardan_joints(s->f.model, to);
  cardan_poses(s->f.model, to);
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* What row j of f is the rate of, from places that are moved: of the points of A and B that stood
 * at x, along d; of the turns of both, about d. */
static double moved(const cardan__feature *f, int j, const int body[2], const cardan_data *to)
{
  const cardan_xform *A = &to->X_W[body[0]], *B = &to->X_W[body[1]];
  if (cardan__feature_turns(f, j)) {
    const cardan_mat3 a = cardan__mat3_mult(&A->R, &f->X[0].R);
    const cardan_mat3 b = cardan__mat3_mult(&B->R, &f->X[1].R);
    return cardan__vec3_dot(f->d[j], cardan__vec3_sub(cardan_so3_log(&a), cardan_so3_log(&b)));
  }
  const cardan_vec3 a = cardan__xform_point(A, cardan__xform_inv_point(&f->X[0], f->touch.x));
  const cardan_vec3 b = cardan__xform_point(B, cardan__xform_inv_point(&f->X[1], f->touch.x));
  return cardan__vec3_dot(f->d[j], cardan__vec3_sub(a, b));
}

// J v against differences over 2e-5 of the motion: their error is 1e-10 of third derivatives, and
// eps / 1e-5 = 2e-11 of rounding; 1e-8 leaves room for both at speeds of 1 to 10
static void rows_are_rates(void **state)
{
  (void)state;
  const double eps = 1e-5;
  double J[CARDAN__FEATURE_ROWS * MOST_V];
  cardan__feature f[MOST_SPOTS];
  int both = 0;
  for (int seed = 1; seed <= 12; seed++) {
    scene s;
    random_scene(&s, seed);
    const cardan_model *model = s.f.model;
    cardan_data *ahead = other(&s.f), *behind = other(&s.f);
    move(&s, s.f.data->q, s.f.data->v, eps, ahead);
    move(&s, s.f.data->q, s.f.data->v, -eps, behind);
    for (int pair = 0; pair < model->npair; pair++) {
      const int n = spots_of(&s, pair, f);
      for (int i = 0; i < n; i++) {
        double gap[2], rate;
        int body[2];
        cardan__feature_bodies(model, &f[i], body);
        cardan__features_gaps(model, ahead, 1, &f[i], &gap[1]);
        cardan__features_gaps(model, behind, 1, &f[i], &gap[0]);
        cardan__features_rates(model, s.f.data, 1, &f[i], &rate);
        cardan__feature_rows(model, s.f.data, &f[i], J);
        assert_near(rate, (gap[1] - gap[0]) / (2 * eps), 1e-8);
        assert_near(dot(model->nv, J, s.f.data->v), rate, 1e-13);
        for (int j = 1; j < f[i].dim; j++) {
          const double difference = moved(&f[i], j, body, ahead) - moved(&f[i], j, body, behind);
          assert_near(dot(model->nv, J + j * model->nv, s.f.data->v), difference / (2 * eps), 1e-8);
        }
        both += f[i].reach.tree[0] > 0 && f[i].reach.tree[1] == 0 && body[1] > 0;
        for (int k = 0; k < f[i].dim * model->nv; k++) { // nothing outside of its reach
          const int at = k % model->nv;
          assert_true(J[k] == 0 || (at >= f[i].reach.range[0][0] && at < f[i].reach.range[0][1]) ||
                      (at >= f[i].reach.range[1][0] && at < f[i].reach.range[1][1]));
        }
      }
    }
    cardan_data_destroy(ahead);
    cardan_data_destroy(behind);
    fixture_free(&s.f);
  }
  assert_true(both > 0); // some had A and B in one tree
}

// D dq against differences, over steps of 0.1. Exact, but for what differences of the touching
// point leave, 1e-7, and where B is curved O(h) of what slides and turns
static void way_rows_are_slopes(void **state)
{
  (void)state;
  const double eps = 1e-5;
  double D[CARDAN__FEATURE_ROWS * MOST_V], dq[MOST_V];
  cardan__feature f[MOST_SPOTS];
  for (int seed = 1; seed <= 12; seed++) {
    scene s;
    random_scene(&s, seed);
    support_rng rng = {(uint64_t)seed};
    const cardan_model *model = s.f.model;
    cardan_data *end = other(&s.f), *ahead = other(&s.f), *behind = other(&s.f);
    support_random_vec(&rng, dq, model->nv, 1);
    move(&s, s.f.data->q, s.f.data->v, 0.1, end);
    move(&s, end->q, dq, eps, ahead);
    move(&s, end->q, dq, -eps, behind);
    for (int pair = 0; pair < model->npair; pair++) {
      const int n = spots_of(&s, pair, f);
      for (int i = 0; i < n; i++) {
        double way[2][CARDAN__FEATURE_ROWS];
        const bool corner = pair == 3 || pair == 4, flat = pair > 0 && pair < 5;
        cardan__feature_way(model, behind, &f[i], way[0]);
        cardan__feature_way(model, ahead, &f[i], way[1]);
        cardan__feature_way_rows(model, end, &f[i], D);
        for (int j = 0; j < f[i].dim; j++) {
          const double slope = (way[1][j] - way[0][j]) / (2 * eps);
          const bool exact = j == 0 || corner || (flat && cardan__feature_turns(&f[i], j));
          const double tol = exact ? 1e-8 : flat ? 1e-6 : 0.1 * (1 + fabs(slope));
          assert_near(dot(model->nv, D + j * model->nv, dq), slope, tol);
        }
      }
    }
    cardan_data_destroy(end);
    cardan_data_destroy(ahead);
    cardan_data_destroy(behind);
    fixture_free(&s.f);
  }
}

/* |way| of a group of rows from the node to end, and h times its rate in the middle. */
static void both_ways(const scene *s, const cardan__feature *f, int first, int size, double h,
                      double out[2])
{
  double way[CARDAN__FEATURE_ROWS], J[CARDAN__FEATURE_ROWS * MOST_V], sum[2] = {0, 0};
  cardan_data *at = other(&s->f);
  cardan__feature middle = *f;
  move(s, s->f.data->q, s->f.data->v, h, at);
  cardan__feature_way(s->f.model, at, f, way);
  move(s, s->f.data->q, s->f.data->v, h / 2, at);
  cardan__feature_enter(s->f.model, at, &middle);
  assert_int_equal(middle.dim, f->dim);
  cardan__feature_rows(s->f.model, at, &middle, J);
  for (int j = first; j < first + size; j++) {
    const double rate = dot(s->f.model->nv, J + j * s->f.model->nv, s->f.data->v);
    sum[0] += way[j] * way[j];
    sum[1] += rate * rate;
  }
  out[0] = size == 1 ? way[first] : sqrt(sum[0]);
  out[1] = h * (size == 1 ? dot(s->f.model->nv, J + first * s->f.model->nv, s->f.data->v)
                          : sqrt(sum[1]));
  cardan_data_destroy(at);
}

// What slides, spins and rolls in a step is h times its rate in the middle, but for O(h^3): half
// the step leaves an eighth of the difference, a fifth at most
static void ways_are_of_the_middle(void **state)
{
  (void)state;
  cardan__feature f[MOST_SPOTS];
  for (int seed = 1; seed <= 12; seed++) {
    scene s;
    random_scene(&s, seed);
    for (int pair = 0; pair < s.f.model->npair; pair++) {
      const int n = spots_of(&s, pair, f);
      for (int i = 0; i < n; i++) {
        for (int g = 0, first = 1; g < f[i].ngroup; first += f[i].size[g++]) {
          double whole[2], half[2];
          both_ways(&s, &f[i], first, f[i].size[g], 0.02, whole);
          both_ways(&s, &f[i], first, f[i].size[g], 0.01, half);
          const double error = fabs(whole[0] - whole[1]);
          assert_near(half[0], half[1], fmax(error / 5, 1e-13));
        }
      }
    }
    fixture_free(&s.f);
  }
}

// A step back is the same way: what slides and rolls has the same size, what spins the other sign
static void ways_are_symmetric(void **state)
{
  (void)state;
  cardan__feature f[MOST_SPOTS];
  int whole = 0;
  for (int seed = 1; seed <= 12; seed++) {
    scene s;
    random_scene(&s, seed);
    cardan_data *end = other(&s.f);
    move(&s, s.f.data->q, s.f.data->v, 0.3, end);
    for (int pair = 0; pair < s.f.model->npair; pair++) {
      const int n = spots_of(&s, pair, f);
      for (int i = 0; i < n; i++) {
        double there[CARDAN__FEATURE_ROWS], back[CARDAN__FEATURE_ROWS];
        cardan__feature from_end = f[i];
        cardan__feature_enter(s.f.model, end, &from_end);
        if (from_end.dim < 6) { // what slides without turning
          continue;
        }
        whole++;
        cardan__feature_way(s.f.model, end, &f[i], there);
        cardan__feature_way(s.f.model, s.f.data, &from_end, back);
        assert_near(hypot(back[1], back[2]), hypot(there[1], there[2]), 1e-14);
        assert_near(back[3], -there[3], 1e-15);
        assert_near(hypot(back[4], back[5]), hypot(there[4], there[5]), 1e-15);
      }
    }
    cardan_data_destroy(end);
    fixture_free(&s.f);
  }
  assert_true(whole > 100);
}

/* ---- limits, stops, ropes, inequalities ---- */

static const char *const bounded =
    "(system (gravity 0 0 -9.81)"
    "(joint revolute \"a\" (axis 0 1 0) (limit -1 2 (restitution 0.3)) (mass 1 1 1 1)"
    "  (tz -1 (name \"hand\")"
    "    (joint spherical \"s\" (mass 1 1 1 1) (tx 0.3 (name \"tip\") (mass 1)))))"
    "(joint universal \"u\" (axis 1 0 0) (axis2 0 1 0) (mass 2 1 1 1) (ty 0.4 (name \"end\")))"
    "(rz (k \"turn\") (tx 0.5 (name \"driven\")))"
    "(motion \"turn\" (sin (* 2 t)))"
    "(stop \"u.a\" -0.5 0.5 (restitution 0.1))"
    "(rope \"tip\" \"driven\" (+ 3 (* 0.5 (sin t))) (name \"tether\"))"
    "(inequality (+ (* q.a q.a) (px \"end\") (cos t)) (restitution 0.2) (name \"cam\")))";

// Gaps, rates and rows of the features that a model has for good, the motion of what is prescribed
// and of time itself among them; tolerances as in rows_are_rates
static void bounds_are_rows(void **state)
{
  (void)state;
  const double eps = 1e-5;
  fixture f = fixture_load(bounded);
  cardan_data *ahead = other(&f), *behind = other(&f);
  support_rng rng = {3};
  const scene s = {.f = f};
  cardan__feature list[8];
  double gap[2][8], rate[8], u0, J[MOST_V];
  const int n = cardan__features_count(f.model);
  assert_int_equal(n, 6);
  cardan__features_list(f.model, list);
  for (int trial = 0; trial < 20; trial++) {
    tree_random_state(&f, &rng);
    f.data->t = support_random_in(&rng, 0, 3);
    cardan_kinematics(f.model, f.data); // with what is prescribed at t
    ahead->t = f.data->t + eps;
    behind->t = f.data->t - eps;
    move(&s, f.data->q, f.data->v, eps, ahead);
    move(&s, f.data->q, f.data->v, -eps, behind);
    cardan__features_gaps(f.model, ahead, n, list, gap[1]);
    cardan__features_gaps(f.model, behind, n, list, gap[0]);
    cardan__features_rates(f.model, f.data, n, list, rate);
    for (int i = 0; i < n; i++) {
      cardan__feature_enter(f.model, f.data, &list[i]);
      assert_int_equal(list[i].dim, 1);
      cardan__feature_rows(f.model, f.data, &list[i], J);
      cardan__feature_drift(f.model, f.data, &list[i], &u0);
      assert_near(rate[i], (gap[1][i] - gap[0][i]) / (2 * eps), 1e-8);
      assert_near(dot(f.model->nv, J, f.data->v) + u0, rate[i], 1e-13);
    }
  }
  cardan_data_destroy(ahead);
  cardan_data_destroy(behind);
  fixture_free(&f);
}

static void names_and_order(void **state)
{
  (void)state;
  static const char *const names[] = {"the limit -1 of joint \"a\"",
                                      "the limit 2 of joint \"a\"",
                                      "stop \"stop1.low\"",
                                      "stop \"stop1.high\"",
                                      "rope \"tether\"",
                                      "inequality \"cam\""};
  static const double restitution[] = {0.3, 0.3, 0.1, 0.1, 0, 0.2};
  fixture f = fixture_load(bounded);
  cardan__feature list[8];
  char text[64];
  cardan__features_list(f.model, list);
  for (int i = 0; i < 6; i++) {
    cardan__feature_name(f.model, &list[i], text, sizeof text);
    assert_string_equal(text, names[i]);
    assert_true(list[i].restitution == restitution[i]);
    assert_int_equal(list[i].k >= 0, i < 4); // coordinates of their own
    assert_false(list[i].pinned);
  }
  fixture_free(&f);
}

// both sides of a stop at one place: it holds both ways, and nothing bounces
static void stop_at_one_place(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (joint universal \"u\" (axis 1 0 0) (axis2 0 1 0) (mass 2 1 1 1))"
                   "(stop \"u.b\" 0.25 0.25 (restitution 0.5))"
                   "(stop \"u.a\" 0.25 0.75 (restitution 0.5)))");
  cardan__feature list[4];
  assert_int_equal(cardan__features_count(f.model), 4);
  cardan__features_list(f.model, list);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(list[i].pinned, i < 2);
    assert_true(list[i].restitution == (i < 2 ? 0 : 0.5));
  }
  fixture_free(&f);
}

/* ---- cones ---- */

/* A sphere at the end of an arm whose joints turn about y, over a plane through the world that is
 * turned about y too; and about x, where the second is to be one. */
static void arm_scene(scene *s, const char *text, double tilt)
{
  *s = (scene){.f = fixture_load(text)};
  attach(s);
  s->solid[0] = (cardan_solid){.name = "ball",
                               .body = s->f.model->nbody - 1,
                               .kind = CARDAN_SHAPE_SPHERE,
                               .X_BS = cardan__xform_identity(),
                               .size = {0.1},
                               .hull = -1};
  s->solid[1] = (cardan_solid){.name = "floor",
                               .kind = CARDAN_SHAPE_PLANE,
                               .X_BS = cardan__xform_rot((cardan_vec3){0, 1, 0}, tilt),
                               .hull = -1};
  s->f.model->nsolid = 2;
  add_pair(s, 0, 1);
  cardan_kinematics(s->f.model, s->f.data);
}

static const char *const planar_arm =
    "(system (joint revolute \"a\" (axis 0 1 0) (mass 1 1 1 1)"
    "  (tz 1 (joint revolute \"b\" (axis 0 1 0) (mass 1 1 1 1) (tx 1 (mass 1))))))";
static const char *const free_ball = "(system (joint free \"ball\" (mass 1 1 1 1)))";

// In the plane there is one tangent, one axis to roll about and none to spin about
static void planar_rows(void **state)
{
  (void)state;
  static const double tilts[] = {0, 0.3, 1.2, -0.8};
  for (int i = 0; i < 4; i++) {
    scene s;
    cardan__feature f[MOST_SPOTS];
    arm_scene(&s, planar_arm, tilts[i]);
    assert_int_equal(spots_of(&s, 0, f), 1);
    assert_int_equal(f->dim, 3);
    assert_int_equal(f->ngroup, 2);
    assert_int_equal(f->group[0], CARDAN__SLIP);
    assert_int_equal(f->size[0], 1);
    assert_int_equal(f->group[1], CARDAN__ROLL);
    assert_int_equal(f->size[1], 1);
    fixture_free(&s.f);
    arm_scene(&s, free_ball, tilts[i]);
    assert_int_equal(spots_of(&s, 0, f), 1);
    assert_int_equal(f->dim, 6);
    assert_int_equal(f->ngroup, 3);
    fixture_free(&s.f);
  }
}

static void no_friction_no_rows(void **state)
{
  (void)state;
  scene s;
  cardan__feature f[MOST_SPOTS];
  arm_scene(&s, free_ball, 0.2);
  s.pair[0] = (cardan_pair){.solid = {0, 1}};
  assert_int_equal(spots_of(&s, 0, f), 1);
  assert_int_equal(f->dim, 1);
  assert_int_equal(cardan__feature_cone(s.f.model, f, 7, false).ngroup, 0);
  fixture_free(&s.f);
}

// Rows of a cone, and impulses in world axes and back: |r| of a spin is a couple over its length
static void cones_and_impulses(void **state)
{
  (void)state;
  const double r[6] = {2, 0.3, -0.4, 0.5, 0.6, -0.7};
  double back[6];
  scene s;
  cardan__feature f[MOST_SPOTS];
  cardan_vec3 force, couple;
  arm_scene(&s, free_ball, 0.2);
  spots_of(&s, 0, f);
  for (int sticks = 0; sticks < 2; sticks++) {
    const cardan__cone cone = cardan__feature_cone(s.f.model, f, 7, sticks);
    assert_int_equal(cone.row, 7);
    assert_int_equal(cone.ngroup, 3);
    assert_int_equal(cardan__cone_rows(&cone), 6);
    assert_true(cone.mu[0] == (sticks ? 0.7 : 0.5) && cone.mu[1] == 1 && cone.mu[2] == 1);
  }
  cardan__feature_world(f, r, &force, &couple);
  assert_near(cardan__vec3_dot(force, force), 4 + 0.25, 1e-14);
  assert_near(cardan__vec3_dot(couple, f->touch.n), 0.03 * 0.5, 1e-16);
  cardan__feature_local(f, force, couple, back);
  assert_near_vec(back, r, 6, 1e-14);
  fixture_free(&s.f);
}

// One row along the way that it slides, and along the axis that it rolls about
static void one_row_along_the_slip(void **state)
{
  (void)state;
  scene s;
  cardan__feature f[MOST_SPOTS];
  double J[6 * 6], one[6 * 6], back[4], v[6];
  const double slip[2] = {3, -4}, roll[2] = {0, 2}, none[2] = {0, 0};
  support_rng rng = {5};
  cardan_vec3 force, couple;
  arm_scene(&s, free_ball, 0.2);
  spots_of(&s, 0, f);
  support_random_vec(&rng, v, 6, 1);
  cardan__feature_rows(s.f.model, s.f.data, f, J);
  cardan__feature_slide(f, CARDAN__SLIP, none);
  assert_int_equal(f->dim, 6);
  cardan__feature_slide(f, CARDAN__ROLL, roll);
  cardan__feature_slide(f, CARDAN__SLIP, slip);
  assert_int_equal(f->dim, 4);
  assert_int_equal(cardan__feature_cone(s.f.model, f, 0, false).size[0], 1);
  assert_int_equal(cardan__feature_cone(s.f.model, f, 0, false).size[2], 1);
  cardan__feature_rows(s.f.model, s.f.data, f, one);
  const double full[6] = {dot(6, J, v),      dot(6, J + 6, v),  dot(6, J + 12, v),
                          dot(6, J + 18, v), dot(6, J + 24, v), dot(6, J + 30, v)};
  const double wanted[4] = {full[0], 0.6 * full[1] - 0.8 * full[2], full[3], full[5]};
  for (int j = 0; j < 4; j++) {
    assert_near(dot(6, one + 6 * j, v), wanted[j], 1e-15);
  }
  cardan__feature_world(f, (const double[]){1, 2, 3, 4}, &force, &couple);
  cardan__feature_local(f, force, couple, back);
  assert_near_vec(back, ((const double[]){1, 2, 3, 4}), 4, 1e-13);
  fixture_free(&s.f);
}

/* ---- rolling ---- */

/* A ball that rolls with angular velocity w on the floor: c' = w x (r n). The largest slip in a
 * step of length h. */
static double slip_of_ball(const scene *s, cardan__feature *f, cardan_vec3 w, double h)
{
  cardan_data *at = other(&s->f);
  const cardan_vec3 n = f->touch.n, v = cardan__vec3_cross(w, cardan__vec3_scale(0.1, n));
  const cardan_quat turn = cardan__quat_from_rotvec(cardan__vec3_scale(h, w));
  const double q[7] = {h * v.x, h * v.y, h * v.z, turn.w, turn.x, turn.y, turn.z};
  double way[CARDAN__FEATURE_ROWS];
  memcpy(at->q, q, sizeof q);
  cardan_joints(s->f.model, at);
  cardan_poses(s->f.model, at);
  cardan__feature_way(s->f.model, at, f, way);
  // turns are those of w, to rounding
  for (int j = 3; j < 6; j++) {
    assert_near(way[j], h * cardan__vec3_dot(f->d[j], w), 1e-15);
  }
  cardan_data_destroy(at);
  return hypot(way[1], way[2]);
}

// No slip where it does not spin, for any turn below half a turn; with spin but for O(h^3)
static void ball_rolls(void **state)
{
  (void)state;
  scene s;
  cardan__feature f[MOST_SPOTS];
  arm_scene(&s, free_ball, 0.2);
  spots_of(&s, 0, f);
  const cardan_vec3 w = {1.3, -2.1, 1.7};
  const double whole = slip_of_ball(&s, f, w, 0.02), half = slip_of_ball(&s, f, w, 0.01);
  assert_true(whole > 1e-9); // it is there
  assert_near(half, whole / 8, whole / 800);
  const cardan_vec3 n = f->touch.n;
  const cardan_vec3 roll = cardan__vec3_axpy(-cardan__vec3_dot(w, n), n, w); // of 2.9 rad/s
  for (double h = 0.01; h < 1; h += 0.1) {
    assert_near(slip_of_ball(&s, f, roll, h), 0, 1e-15);
  }
  fixture_free(&s.f);
}

// A board that rolls on a fixed ball of radius R with angular velocity w, normal n = exp(w t) n0:
//   p(t) = exp(w t) (R n0 - t R w x n0)
// slips by O(h^3), where B is curved, and not at all where w is across n0
static void board_rolls(void **state)
{
  (void)state;
  const double R = 0.1;
  const cardan_vec3 spins = {1.3, -2.1, 0.8}, rolls = {1.3, -2.1, 0}, n0 = {0, 0, 1};
  double slip[4], way[CARDAN__FEATURE_ROWS];
  scene s;
  cardan__feature f[MOST_SPOTS] = {{.dim = 0}};
  arm_scene(&s, free_ball, 0);
  s.solid[0] = s.solid[1];
  s.solid[0].body = 1;
  s.solid[0].X_BS = cardan__xform_rot((cardan_vec3){1, 0, 0}, acos(-1)); // solid above, z > 0
  s.solid[1] = (cardan_solid){
      .kind = CARDAN_SHAPE_SPHERE, .X_BS = cardan__xform_identity(), .size = {R}, .hull = -1};
  cardan_data *at = other(&s.f);
  s.f.data->q[2] = R;
  cardan_kinematics(s.f.model, s.f.data);
  assert_int_equal(spots_of(&s, 0, f), 1);
  assert_near(f->gap, 0, 1e-15);
  for (int i = 0; i < 4; i++) {
    const double h = i == 0 ? 0.02 : i == 1 ? 0.01 : i == 2 ? 0.3 : 0.9; // 2.2 rad
    const cardan_vec3 w = i < 2 ? spins : rolls;
    const cardan_quat turn = cardan__quat_from_rotvec(cardan__vec3_scale(h, w));
    const cardan_vec3 p = cardan__quat_rotate(
        turn, cardan__vec3_scale(R, cardan__vec3_axpy(-h, cardan__vec3_cross(w, n0), n0)));
    const double q[7] = {p.x, p.y, p.z, turn.w, turn.x, turn.y, turn.z};
    memcpy(at->q, q, sizeof q);
    cardan_joints(s.f.model, at);
    cardan_poses(s.f.model, at);
    cardan__feature_way(s.f.model, at, f, way);
    assert_near(way[0], 0, 1e-15);
    slip[i] = hypot(way[1], way[2]);
  }
  assert_true(slip[0] > 1e-9);
  assert_near(slip[1], slip[0] / 8, slip[0] / 100);
  assert_near(slip[2], 0, 1e-15);
  assert_near(slip[3], 0, 1e-15);
  cardan_data_destroy(at);
  fixture_free(&s.f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_rates),
      cmocka_unit_test(way_rows_are_slopes),
      cmocka_unit_test(ways_are_of_the_middle),
      cmocka_unit_test(ways_are_symmetric),
      cmocka_unit_test(bounds_are_rows),
      cmocka_unit_test(names_and_order),
      cmocka_unit_test(stop_at_one_place),
      cmocka_unit_test(planar_rows),
      cmocka_unit_test(no_friction_no_rows),
      cmocka_unit_test(cones_and_impulses),
      cmocka_unit_test(one_row_along_the_slip),
      cmocka_unit_test(ball_rolls),
      cmocka_unit_test(board_rolls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
