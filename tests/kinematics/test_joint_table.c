// SPDX-License-Identifier: Apache-2.0
// The table of joints against the kinematics that bodies have: counts, names, and the pair of every
// kind at random coordinates.
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "model/joint_table.h"
#include "random_tree.h"
#include "spatial/spatial.h"

/* Rounding of a chain of three links of size 1. */
static const double rounding = 100 * DBL_EPSILON;

static void types_are_whole(void **state)
{
  (void)state;
  cardan_joint_kind kind = 0;
  for (; cardan__joint_type_of(kind) != NULL; kind++) {
    const cardan__joint_type *type = cardan__joint_type_of(kind);
    int nq = 0, nv = 0;
    for (int i = 0; i < type->npart; i++) {
      const cardan__link_type *link = cardan__link_type_of(type->part[i].link);
      nq += link->nq;
      nv += link->nv;
      assert_int_equal(link->nturn + link->nslide, link->nv);
      assert_true(!link->has_axis || link->nv == 1);
    }
    assert_int_equal(nq, type->nq);
    assert_int_equal(nv, type->nv);
    for (int k = 0; k < nq; k++) {
      assert_non_null(type->q_suffix[k]);
    }
    for (int k = 0; k < nv; k++) {
      assert_non_null(type->v_suffix[k]);
    }
    for (cardan_joint_kind other = 0; other < kind; other++) {
      assert_string_not_equal(type->word, cardan__joint_type_of(other)->word);
    }
  }
  assert_true((int)kind <= CARDAN__JOINT_MOST);
  assert_null(cardan__joint_type_of((cardan_joint_kind)-1));
}

/* x without its parts along directions (which need not be perpendicular): what is locked of it. */
static cardan_vec3 across(cardan_vec3 x, const cardan_vec3 *direction, int n)
{
  cardan_vec3 e[3] = {{0, 0, 0}};
  for (int i = 0; i < n; i++) {
    e[i] = direction[i];
    for (int k = 0; k < i; k++) {
      e[i] = cardan__vec3_axpy(-cardan__vec3_dot(e[i], e[k]), e[k], e[i]);
    }
    e[i] = cardan__vec3_normalize(e[i]);
    x = cardan__vec3_axpy(-cardan__vec3_dot(x, e[i]), e[i], x);
  }
  return x;
}

static void check_pair(const fixture *f, const cardan_joint *j)
{
  const cardan__pair pair = cardan__joint_pair(j->kind, j->axis, j->axis2, j->pitch);
  const int A = f->model->frame[j->frame].parent;
  const cardan_xform T_A = cardan_frame_pose(f->model, f->data, A);
  const cardan_xform T_B = cardan_frame_pose(f->model, f->data, j->frame);
  const cardan_xform T = cardan__xform_inv_mul(&T_A, &T_B);
  const double none[3] = {0, 0, 0};
  assert_int_equal(pair.nturn + pair.nslide - pair.screw, j->nv);

  const cardan_vec3 locked = across(T.p, pair.slide, pair.nslide);
  assert_near_vec(&locked.x, none, 3, rounding);
  if (pair.nturn == 0) {
    const cardan_mat3 one = cardan__mat3_identity();
    assert_near_vec(&T.R.m[0][0], &one.m[0][0], 9, rounding);
  } else if (pair.nturn == 1) {
    const cardan_vec3 a = cardan__mat3_mulv(&T.R, pair.turn[0]);
    assert_near_vec(&a.x, &pair.turn[0].x, 3, rounding);
  } else if (pair.nturn == 2) {
    const cardan_vec3 b = cardan__mat3_mulv(&T.R, pair.turn[1]);
    assert_near(cardan__vec3_dot(pair.turn[0], b), cardan__vec3_dot(pair.turn[0], pair.turn[1]),
                rounding);
  }
  if (pair.screw) {
    assert_near(cardan__vec3_dot(T.p, pair.slide[0]), pair.pitch * f->data->q[j->qadr], rounding);
  }
}

static void pairs_are_what_bodies_do(void **state)
{
  (void)state;
  for (int seed = 0; seed < 20; seed++) {
    support_rng rng = {(uint64_t)(300 + seed)};
    fixture f = fixture_build(tree_spec(8, &rng)); // every kind that moves, once
    for (int i = 0; i < 3; i++) {
      tree_random_state(&f, &rng);
      cardan_joints(f.model, f.data);
      cardan_poses(f.model, f.data);
      for (int j = 0; j < f.model->njoint; j++) {
        check_pair(&f, &f.model->joint[j]);
      }
    }
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_are_whole),
      cmocka_unit_test(pairs_are_what_bodies_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
