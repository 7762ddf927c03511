// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "linalg/linalg.h"
#include "loops.h"

/* A spatial loop with a spherical joint, a prescribed base and a driven wire, not redundant. */
static const char moving_loop[] =
    "(system (gravity 0 0 -9.81)\n"
    "  (tx (k \"base\") (mass 1 1 1 1)\n"
    "    (ry \"a\" (tx 1 (mass 1 0.1 0.1 0.1)\n"
    "      (joint spherical \"s\" (tx 0.5 (mass 1 0.1 0.2 0.2)) (tx 1 (name \"P\")))))\n"
    "    (ty 1.2 (rz \"b\" (tx 0.8 (mass 2 0.1 0.1 0.1) (name \"Q\")))))\n"
    "  (motion \"base\" (* 0.3 (sin (* 2 t))))\n"
    "  (wire \"P\" \"Q\" (+ 0.9 (* 0.1 (cos t)))) (gear \"a\" \"b\" 0.5)\n"
    "  (initial (\"a\" 0.3) (\"b\" 0.2)))\n";

static const char *const builtins[] = {"closed-chain", "scissor:4", "slider-crank",
                                       "four-link",    "biped",     "pinned-chain:6",
                                       "fourbar-3d",   "ring:5"};
enum { NBUILTIN = sizeof builtins / sizeof builtins[0] };

/* At a random assembled state. */
static void start(fixture *f, support_rng *rng)
{
  cardan_report report = {.message = ""};
  cardan_data_destroy(f->data);
  assert_int_equal(cardan_data_create(f->model, NULL, &f->data), CARDAN_OK);
  assert_int_equal(cardan_forward_reserve(f->model, f->data), CARDAN_OK);
  support_random_vec(rng, f->data->v, f->model->nv, 1.0);
  if (cardan_assemble(f->model, f->data, NULL, &report) != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
}

/* m x n zeros */
static double *matrix(int m, int n)
{
  double *A = calloc((size_t)m * (size_t)n + 1, sizeof *A);
  assert_non_null(A);
  return A;
}

static bool is_kinematic(const cardan_model *model, int k)
{
  return model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
}

/* The shortest of the multipliers with the same J^T lambda, J over the dynamic coordinates. */
static void shorten(const cardan_model *model, const double *J, double *lambda)
{
  const int m = model->nv, n = model->nrow;
  double *A = matrix(m, n), *b = matrix(1, m);
  double *work = matrix(1, (int)cardan__min_norm_work(m, n));
  int *index = calloc((size_t)n, sizeof *index);
  for (int k = 0; k < m; k++) {
    for (int r = 0; r < n; r++) {
      A[k * n + r] = is_kinematic(model, k) ? 0.0 : J[r * m + k];
      b[k] += A[k * n + r] * lambda[r];
    }
  }
  assert_int_equal(cardan__min_norm(m, n, A, b, 1e-6, lambda, work, index), model->rank);
  free(A);
  free(b);
  free(work);
  free(index);
}

/* [M -J^T; J 0] [x; lambda] = [0; b] over dynamic coordinates and independent rows, by LU; then the
 * shortest lambda. x is nv long, lambda nrow; b is given for all rows. */
static void dense_kkt(fixture *f, const double *b, double *x, double *lambda)
{
  const cardan_model *model = f->model;
  const int nv = model->nv, n = nv + model->nrow;
  double *M = matrix(nv, nv), *J = matrix(model->nrow, nv);
  double *K = matrix(n, n), *y = matrix(1, n);
  int *pivot = calloc((size_t)n, sizeof *pivot);
  cardan_crba(model, f->data, M);
  cardan_jacobian(model, f->data, J);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      const bool out = is_kinematic(model, i) || is_kinematic(model, j);
      K[i * n + j] = out ? (i == j) : M[i * nv + j];
    }
  }
  for (int r = 0; r < model->nrow; r++) {
    const int i = nv + r;
    K[i * n + i] = model->row_redundant[r];
    y[i] = model->row_redundant[r] ? 0.0 : b[r];
    for (int k = 0; k < nv && !model->row_redundant[r]; k++) {
      const double value = is_kinematic(model, k) ? 0.0 : J[r * nv + k];
      K[i * n + k] = value;
      K[k * n + i] = -value;
    }
  }
  assert_int_equal(cardan__lu(n, K, pivot), -1);
  cardan__lu_solve(n, K, pivot, y);
  memcpy(x, y, (size_t)nv * sizeof *x);
  memcpy(lambda, y + nv, (size_t)model->nrow * sizeof *lambda);
  shorten(model, J, lambda);
  free(M);
  free(J);
  free(K);
  free(y);
  free(pivot);
}

// tolerance: both are backward stable; condition numbers of these small mechanisms stay below 1e4
static void check_against_kkt(fixture *f, double kq, double kv)
{
  const cardan_model *model = f->model;
  cardan_data *data = f->data;
  const int nv = model->nv, nrow = model->nrow;
  double *free_a = matrix(1, nv), *want = matrix(1, nv);
  double *lambda = matrix(1, nrow), *b = matrix(1, nrow);
  double *J = matrix(nrow, nv);
  assert_int_equal(cardan_forward(model, data, kq, kv), CARDAN_OK);
  // the same state without loops
  memcpy(free_a, data->a, (size_t)nv * sizeof *free_a);
  cardan_aba(model, data, data->tau, free_a);
  cardan_jacobian(model, data, J);
  for (int r = 0; r < nrow; r++) {
    b[r] = data->rows.gamma[r] - kq * data->rows.phi[r] - kv * data->rows.phi_t[r];
    for (int k = 0; k < nv; k++) {
      b[r] -= (is_kinematic(model, k) ? 0.0 : J[r * nv + k] * free_a[k]) +
              kv * J[r * nv + k] * data->v[k];
    }
  }
  dense_kkt(f, b, want, lambda);
  for (int k = 0; k < nv; k++) {
    want[k] = is_kinematic(model, k) ? data->a[k] : want[k] + free_a[k];
  }
  assert_near_vec(data->a, want, nv, 1e-12 * (1.0 + support_max_abs(free_a, nv)));
  assert_near_vec(data->lambda, lambda, nrow, 1e-11 * (1.0 + support_max_abs(lambda, nrow)));
  // every row keeps d2Phi/dt2 = 0, the redundant ones with the others
  for (int r = 0; r < nrow && kq == 0.0; r++) {
    double sum = -data->rows.gamma[r];
    for (int k = 0; k < nv; k++) {
      sum += is_kinematic(model, k) ? 0.0 : J[r * nv + k] * data->a[k];
    }
    assert_near(sum, 0.0, 1e-11 * (1.0 + support_max_abs(data->a, nv)));
  }
  free(free_a);
  free(want);
  free(lambda);
  free(b);
  free(J);
}

static void multipliers_agree_with_dense_kkt(void **state)
{
  (void)state;
  support_rng rng = {21};
  for (int i = 0; i <= NBUILTIN; i++) {
    fixture f = i < NBUILTIN ? fixture_load(builtins[i]) : fixture_load(moving_loop);
    for (int trial = 0; trial < 5; trial++) {
      start(&f, &rng);
      check_against_kkt(&f, 0.0, 0.0);
      check_against_kkt(&f, 100.0, 20.0);
    }
    fixture_free(&f);
  }
}

// the second call relies on the first one's factor, and must give the same
static void again_is_the_same(void **state)
{
  (void)state;
  support_rng rng = {22};
  fixture f = fixture_load(moving_loop);
  start(&f, &rng);
  assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_OK);
  double first[8], second[8];
  memcpy(first, f.data->a, (size_t)f.model->nv * sizeof *first);
  memcpy(second, f.data->lambda, (size_t)f.model->nrow * sizeof *second);
  cardan_aba(f.model, f.data, f.data->tau, f.data->a);
  cardan__loops_again(f.model, f.data, 0.0, 0.0);
  assert_memory_equal(first, f.data->a, (size_t)f.model->nv * sizeof *first);
  assert_memory_equal(second, f.data->lambda, (size_t)f.model->nrow * sizeof *second);
  fixture_free(&f);
}

// q and v off by 1e-3 come back to the constraints; v by the least change in the mass metric; a
// second projection changes nothing but the last digits
static void projection(void **state)
{
  (void)state;
  support_rng rng = {23};
  for (int i = 0; i <= NBUILTIN; i++) {
    fixture f = i < NBUILTIN ? fixture_load(builtins[i]) : fixture_load(moving_loop);
    const cardan_model *model = f.model;
    const cardan__rowset set = cardan__model_rows(model);
    const int nv = model->nv, nrow = model->nrow;
    double x[32], v[32], lambda[32], b[32];
    start(&f, &rng);
    assert_true(nv <= 32 && nrow <= 32);
    support_random_vec(&rng, x, nv, 1e-3);
    cardan_q_move(model, f.data->q, x, 1.0, f.data->q);
    support_random_vec(&rng, x, nv, 1e-3);
    for (int k = 0; k < nv; k++) {
      v[k] = f.data->v[k] += is_kinematic(model, k) ? 0.0 : x[k];
    }
    const long allocated = support_alloc_count();
    assert_int_equal(cardan__project(model, f.data), CARDAN_OK);
    if (support_alloc_counts()) {
      assert_int_equal(support_alloc_count(), allocated);
    }
    // X_W and V are those of the new state
    assert_true(cardan_constraint_max(model, f.data) <= 2e-12 * (1.0 + model->size_length));
    cardan__view view = cardan__data_view(model, f.data);
    cardan__rows_rates(&set, &view, f.data->rows.phi_t, NULL);
    cardan__rows_apply(&set, &f.data->rows, f.data->V, f.data->v, b);
    for (int r = 0; r < nrow; r++) {
      assert_near(b[r] + f.data->rows.phi_t[r], 0.0, 1e-11 * (1.0 + model->size_length));
    }
    cardan__tree_twists(model, f.data, v, false, f.data->V);
    cardan__rows_apply(&set, &f.data->rows, f.data->V, v, b);
    for (int r = 0; r < nrow; r++) {
      b[r] = -b[r] - f.data->rows.phi_t[r];
    }
    dense_kkt(&f, b, x, lambda);
    for (int k = 0; k < nv; k++) {
      assert_near(f.data->v[k], is_kinematic(model, k) ? v[k] : v[k] + x[k], 1e-11);
      v[k] = f.data->v[k];
    }
    assert_int_equal(cardan__project(model, f.data), CARDAN_OK);
    assert_near_vec(f.data->v, v, nv, 1e-11);
    fixture_free(&f);
  }
}

// a flat parallelogram is singular: the solve says which constraint, and names it
static void singular_position_is_reported(void **state)
{
  (void)state;
  char text[1024];
  loops_fourbar_text(
      text, sizeof text, 1.0, 2.0, 1.0, 2.0,
      "(point-constraint \"B\" \"C\" 1 0 0 (name \"px\")) (point-constraint \"B\" \"C\" 0 0 1)",
      "");
  fixture f = fixture_load(text);
  assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_ERR_SINGULAR);
  assert_int_equal(f.data->info.row, 0);
  assert_non_null(strstr(f.data->info.message, "px"));
  fixture_free(&f);
}

// the same with a coupler a little longer: flat, it is open, and no projection can start there
static void failed_projection_keeps_the_state(void **state)
{
  (void)state;
  char text[1024];
  const double zero[3] = {0.0, 0.0, 0.0}, v[3] = {1.0, 2.0, 3.0};
  loops_fourbar_text(text, sizeof text, 1.0, 2.001, 1.0, 2.0,
                     "(point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)",
                     "(\"q1\" -1) (\"q2\" 1) (\"q3\" -1)");
  fixture f = fixture_load(text);
  assert_int_equal(f.model->rank, 2);
  memcpy(f.data->q, zero, sizeof zero);
  memcpy(f.data->v, v, sizeof v);
  assert_int_equal(cardan__project(f.model, f.data), CARDAN_ERR_SINGULAR);
  assert_memory_equal(f.data->q, zero, sizeof zero);
  assert_memory_equal(f.data->v, v, sizeof v);
  // two links of 1 m cannot span 4 m: projection gives up and says by how much
  fixture far = fixture_load("(system (ry \"a\" (tx 1 (mass 1 1 1 1) (ry \"b\" (tx 1 (mass 1 1 1 1)"
                             " (name \"P\"))))) (tx 4 (name \"Q\")) (wire \"P\" \"Q\" 1)"
                             " (initial (\"a\" 0.5) (\"b\" 0.5)))");
  assert_int_not_equal(cardan__project(far.model, far.data), CARDAN_OK);
  assert_near(far.data->q[0], 0.5, 0.0);
  assert_near(far.data->q[1], 0.5, 0.0);
  fixture_free(&far);
  fixture_free(&f);
}

// a data holds nothing dense: its size grows as the number of bodies, and a thousand rows of a
// scissor lift (2001 bodies, 2000 constraint rows) take 1.7 MB, where W and S alone would be 64 MB
static void data_is_not_dense(void **state)
{
  (void)state;
  fixture small = fixture_load("scissor:10"), large = fixture_load("scissor:1000");
  assert_true(cardan_data_size(large.model) < 4 << 20);
  assert_true(cardan_data_size(large.model) < 110 * cardan_data_size(small.model));
  fixture_free(&small);
  fixture_free(&large);
}

// the work space of constraint forces: taken once, at the first call or before; none without rows
static void work_space_is_taken_once(void **state)
{
  (void)state;
  support_memory memory = {0};
  const cardan_allocator alloc = support_allocator(&memory);
  fixture f = fixture_load("four-link"), tree = fixture_load("pendulum:3");
  cardan_data *data;
  assert_int_equal(cardan_data_create(f.model, &alloc, &data), CARDAN_OK);
  assert_int_equal(cardan_assemble(f.model, data, NULL, NULL), CARDAN_OK);
  const long before = memory.calls;
  assert_int_equal(cardan_forward_reserve(f.model, data), CARDAN_OK);
  assert_int_equal(memory.calls, before + 1);
  assert_int_equal(cardan_forward(f.model, data, 0.0, 0.0), CARDAN_OK);
  assert_int_equal(cardan_forward_reserve(f.model, data), CARDAN_OK);
  assert_int_equal(memory.calls, before + 1);
  cardan_data_destroy(data);
  assert_int_equal(memory.blocks, 0);
  // not reserved: the first call says that there is no memory, or takes it
  assert_int_equal(cardan_data_create(f.model, &alloc, &data), CARDAN_OK);
  assert_int_equal(cardan_assemble(f.model, data, NULL, NULL), CARDAN_OK);
  memory.fail_at = memory.calls + 1;
  assert_int_equal(cardan_forward(f.model, data, 0.0, 0.0), CARDAN_ERR_MEMORY);
  assert_int_equal(cardan_forward(f.model, data, 0.0, 0.0), CARDAN_OK);
  cardan_data_destroy(data);
  assert_int_equal(memory.blocks, 0);
  assert_int_equal(cardan_forward(tree.model, tree.data, 0.0, 0.0), CARDAN_OK);
  assert_null(tree.data->loops);
  fixture_free(&f);
  fixture_free(&tree);
}

// a data in the caller's memory: what cardan_forward took is given back, the memory is not
static void data_in_memory_of_the_caller(void **state)
{
  (void)state;
  fixture f = fixture_load("four-link");
  void *mem = aligned_alloc(64, (cardan_data_size(f.model) + 63) / 64 * 64);
  assert_non_null(mem);
  cardan_data *data = cardan_data_init(f.model, mem);
  assert_ptr_equal(data, mem);
  assert_int_equal(cardan_assemble(f.model, data, NULL, NULL), CARDAN_OK);
  assert_int_equal(cardan_forward(f.model, data, 0.0, 0.0), CARDAN_OK);
  cardan_data_destroy(data);
  free(mem);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multipliers_agree_with_dense_kkt),
      cmocka_unit_test(again_is_the_same),
      cmocka_unit_test(projection),
      cmocka_unit_test(singular_position_is_reported),
      cmocka_unit_test(failed_projection_keeps_the_state),
      cmocka_unit_test(data_is_not_dense),
      cmocka_unit_test(work_space_is_taken_once),
      cmocka_unit_test(data_in_memory_of_the_caller),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
