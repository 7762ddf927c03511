// SPDX-License-Identifier: Apache-2.0
// exp, log, dexp, dlog on SO(3): against tables of 50 digits, and by identities.
// The table tests print the largest error they met: ctest -R test_so3 -V
#include "spatial/so3.h"

#include "table_test.h"

#define PI 3.141592653589793

// b, g, c and derivatives for s from 0 to 38.44 (t = 6.2): relative errors, but b and b_s vanish at
// a full turn, so beyond their first hump they are measured against their envelopes.
// measured (gcc 12, clang 14), in eps: b 1.2, g 1.0, b_s 2.7, g_s 3.0, c 0.8, c_s 1.7, c_ss 2.5.
// The limit leaves a factor of two for other mathematics libraries and for fused products.
static void test_scalars_table(void **state)
{
  (void)state;
  static const char *const names[7] = {"b", "g", "db/ds", "dg/ds", "c", "dc/ds", "d2c/ds2"};
  measure m[7] = {0};
  for (int i = 0; i < NSCALAR; i++) {
    const double *row = table_scalar[i], s = row[0];
    const cardan__dexp_coeffs e = cardan__so3_dexp_coeffs(s);
    const cardan__dlog_coeffs l = cardan__so3_dlog_coeffs(s);
    const double floors[7] = {fmin(0.5, 2.0 / s), 0.0, fmin(1.0 / 24.0, 2.0 / (s * s))};
    const double value[7] = {e.b, e.g, e.b_s, e.g_s, l.c, l.c_s, l.c_ss};
    for (int k = 0; k < 7; k++) {
      measure_add(&m[k], i, &value[k], &row[k + 1], 1, fmax(fabs(row[k + 1]), floors[k]));
    }
  }
  for (int k = 0; k < 7; k++) {
    measure_end(&m[k], names[k], 6.0);
  }
}

// the inlined short series and the partial fractions share no coefficient
static void test_dlog_series_agree(void **state)
{
  (void)state;
  for (int i = 0; i <= 1000; i++) {
    const double s = 0.0625 * i / 1000.0;
    const cardan__dlog_coeffs a = cardan__so3_dlog_coeffs(s), b = cardan__so3_dlog_coeffs_wide(s);
    CLOSE(a.c, b.c, 4, b.c);
    CLOSE(a.c_s, b.c_s, 4, b.c_s);
    CLOSE(a.c_ss, b.c_ss, 4, b.c_ss);
  }
}

// power series of dexp's functions against their closed forms, s from 4 to 9 pi^2. The closed form
// of g_s subtracts numbers up to 7 times the result there, that of b_s up to 3 times.
static void test_dexp_closed_forms(void **state)
{
  (void)state;
  for (int i = 0; i <= 1000; i++) {
    const double s = 4.0 + 84.0 * i / 1000.0, t = sqrt(s);
    const cardan__dexp_coeffs k = cardan__so3_dexp_coeffs(s);
    const double a = sin(t) / t, b = (1.0 - cos(t)) / s, g = (t - sin(t)) / (s * t);
    CLOSE(k.b, b, 4, 1.0 / s);
    CLOSE(k.g, g, 4, g);
    CLOSE(k.b_s, (a - 2.0 * b) / (2.0 * s), 8, 1.0 / (s * s));
    CLOSE(k.g_s, (b - 3.0 * g) / (2.0 * s), 8, 3.0 / (s * s));
  }
}

// exp and the two tangents as matrices. Off the diagonal the scale is t while t < 1: tiny rotations
// keep their digits. The rounding of s = t^2 turns exp by eps t, and near dlog's pole moves dlog by
// 1 / (1 - s / 4 pi^2) eps of its size.
// measured (gcc 12, clang 14, x86-64): exp 1.3, dexp 1.4, dlog 0.6, log 1.4 eps.
static void test_matrices_table(void **state)
{
  (void)state;
  measure exp_m = {0}, dexp_m = {0}, dlog_m = {0}, log_m = {0};
  for (int i = 0; i < NGROUP; i++) {
    const table_row row = table_read(i);
    const double s = cardan__vec3_dot(row.w, row.w), t = sqrt(s);
    const double largest = fmax(fmax(fabs(row.w.x), fabs(row.w.y)), fabs(row.w.z));
    const double small = fmin(1.0, largest), pole = 1.0 / (1.0 - s / (4.0 * PI * PI));
    const cardan_mat3 R = cardan_so3_exp(row.w), D = cardan__so3_dexp(row.w);
    const cardan_mat3 L = cardan__so3_dlog(row.w);
    measure_matrix(&exp_m, i, &R, &row.R, fmax(small, t), fmax(1.0, t));
    measure_matrix(&dexp_m, i, &D, &row.dexp_ww, small, 1.0);
    measure_matrix(&dlog_m, i, &L, &row.dlog_ww, small * pole * pole, pole * pole);
    if (t <= PI) {
      // a rounded R determines w to a few eps; at half a turn not its sign
      const cardan_vec3 w = cardan_so3_log(&row.R), minus = cardan__vec3_neg(w);
      const bool flipped = t > PI - 1e-15 && cardan__vec3_dot(w, row.w) < 0.0;
      measure_add(&log_m, i, flipped ? &minus.x : &w.x, &row.w.x, 3, largest);
    }
  }
  measure_end(&exp_m, "exp", 4.0);
  measure_end(&dexp_m, "dexp", 4.0);
  measure_end(&dlog_m, "dlog", 4.0);
  measure_end(&log_m, "log of the rounded matrix", 4.0);
}

// rotation vectors of every size, many near half a turn
static cardan_vec3 some_rotation(support_rng *rng, int trial)
{
  static const double angles[] = {0.0, 1e-300, 1e-170, 1e-20, 1e-9, 1e-4, 0.1,  0.25,   0.26,
                                  0.8, 1.5,    2.0,    2.5,   3.0,  3.1,  3.14, 3.14159};
  const int n = (int)(sizeof angles / sizeof angles[0]);
  const double t = trial % 20 < n ? angles[trial % 20] : PI - pow(10.0, -(double)(trial % 16));
  return cardan__vec3_scale(t, test_axis(rng));
}

static void test_log_inverts_exp(void **state)
{
  (void)state;
  support_rng rng = {1};
  for (int trial = 0; trial < 1000; trial++) {
    const cardan_vec3 w = some_rotation(&rng, trial);
    const double t = fmax(fmax(fabs(w.x), fabs(w.y)), fabs(w.z));
    const cardan_mat3 R = cardan_so3_exp(w);
    const cardan_vec3 back = cardan_so3_log(&R);
    const cardan_mat3 again = cardan_so3_exp(back);
    CLOSE_STRUCT(again, R, 12, 1.0);
    // within 1e-14 of half a turn the sign is decided by round-off
    if (cardan__vec3_norm(w) < PI - 1e-14) {
      CLOSE_STRUCT(back, w, 8, t);
      const cardan_quat q = cardan_quat_exp(w), m = {-q.w, -q.x, -q.y, -q.z};
      const cardan_vec3 a = cardan_quat_log(q), b = cardan_quat_log(m);
      CLOSE_STRUCT(a, w, 4, t);
      CLOSE_STRUCT(b, w, 4, t);
    }
  }
}

// exactly half a turn, about axes and diagonals: length pi, and exp brings the matrix back
static void test_half_turns(void **state)
{
  (void)state;
  const cardan_vec3 axes[] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                              {0, 1, -1}, {1, 0, 1}, {1, 2, 3}, {-1, 1e-9, 1e-3}};
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
    const cardan_vec3 n = cardan__vec3_normalize(axes[i]);
    const cardan_mat3 R = {{{2 * n.x * n.x - 1, 2 * n.x * n.y, 2 * n.x * n.z},
                            {2 * n.y * n.x, 2 * n.y * n.y - 1, 2 * n.y * n.z},
                            {2 * n.z * n.x, 2 * n.z * n.y, 2 * n.z * n.z - 1}}};
    const cardan_vec3 w = cardan_so3_log(&R);
    const cardan_mat3 back = cardan_so3_exp(w);
    CLOSE(cardan__vec3_norm(w), PI, 2, PI);
    CLOSE_STRUCT(back, R, 12, 1.0);
  }
}

// exp(w) = exp(w/2)^2 and exp(w) is orthonormal, up to a thousand turns: the angle's own rounding
// turns the result by eps t
static void test_large_angles(void **state)
{
  (void)state;
  support_rng rng = {2};
  const cardan_mat3 one = cardan__mat3_identity();
  for (int trial = 0; trial < 200; trial++) {
    const double t = pow(10.0, 3.8 * test_number(&rng));
    const cardan_vec3 w = cardan__vec3_scale(t, test_axis(&rng));
    const cardan_mat3 R = cardan_so3_exp(w), H = cardan_so3_exp(cardan__vec3_scale(0.5, w));
    const cardan_mat3 HH = cardan__mat3_mul(&H, &H), RR = cardan__mat3_tmul(&R, &R);
    CLOSE_STRUCT(HH, R, 12, 1.0 + t);
    CLOSE_STRUCT(RR, one, 12, 1.0);
  }
}

// dlog dexp = 1; dlog_-w = dlog_w exp(w); transposes are those of -w; vectors as matrices
static void test_tangent_identities(void **state)
{
  (void)state;
  support_rng rng = {3};
  const cardan_mat3 one = cardan__mat3_identity();
  for (int trial = 0; trial < 1000; trial++) {
    const cardan_vec3 w = cardan__vec3_scale(5.0 * fabs(test_number(&rng)), test_axis(&rng));
    const cardan_vec3 x = test_vec3(&rng), minus = cardan__vec3_neg(w);
    const double s = cardan__vec3_dot(w, w), size = 2.0 / (1.0 - s / (4.0 * PI * PI));
    const cardan_mat3 D = cardan__so3_dexp(w), L = cardan__so3_dlog(w), R = cardan_so3_exp(w);
    const cardan_mat3 DL = cardan__mat3_mul(&D, &L), LR = cardan__mat3_mul(&L, &R);
    const cardan_mat3 Lm = cardan__so3_dlog(minus), Lt = cardan__mat3_transpose(&L);
    const cardan_mat3 Dm = cardan__so3_dexp(minus), Dt = cardan__mat3_transpose(&D);
    CLOSE_STRUCT(DL, one, 12, size * size);
    CLOSE_STRUCT(LR, Lm, 12, size * size);
    CLOSE_STRUCT(Lm, Lt, 0, size);
    CLOSE_STRUCT(Dm, Dt, 0, 1.0);

    const cardan_vec3 pairs[6] = {cardan__so3_dexp_mulv(w, x),  cardan__mat3_mulv(&D, x),
                                  cardan__so3_dlog_mulv(w, x),  cardan__mat3_mulv(&L, x),
                                  cardan__so3_dlog_tmulv(w, x), cardan__mat3_tmulv(&L, x)};
    for (int i = 0; i < 6; i += 2) {
      CLOSE_STRUCT(pairs[i], pairs[i + 1], 12, i < 2 ? 5.0 : 3.0 * size);
    }
  }
}

// the definition: log(exp(w + h d) exp(-w)) = h dexp_w d + O(h^2), central differences, and the
// error must fall by 4 when h is halved. The other trivialisation would be off by O(1).
static void test_dexp_is_right_trivialised(void **state)
{
  (void)state;
  support_rng rng = {4};
  for (int trial = 0; trial < 50; trial++) {
    const cardan_vec3 w = cardan__vec3_scale(0.5 + 2.0 * fabs(test_number(&rng)), test_axis(&rng));
    const cardan_vec3 d = test_axis(&rng), closed = cardan__so3_dexp_mulv(w, d);
    const cardan_mat3 R = cardan_so3_exp(w);
    double error[2];
    for (int i = 0; i < 2; i++) {
      const double h = i == 0 ? 0.02 : 0.01;
      const cardan_mat3 a = cardan_so3_exp(cardan__vec3_axpy(h, d, w));
      const cardan_mat3 b = cardan_so3_exp(cardan__vec3_axpy(-h, d, w));
      const cardan_mat3 aR = cardan__mat3_mult(&a, &R), bR = cardan__mat3_mult(&b, &R);
      const cardan_vec3 fd =
          cardan__vec3_scale(0.5 / h, cardan__vec3_sub(cardan_so3_log(&aR), cardan_so3_log(&bR)));
      error[i] = test_distance(&fd.x, &closed.x, 3);
    }
    assert_true(error[0] < 1e-2);
    assert_true(error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalars_table),
      cmocka_unit_test(test_dlog_series_agree),
      cmocka_unit_test(test_dexp_closed_forms),
      cmocka_unit_test(test_matrices_table),
      cmocka_unit_test(test_log_inverts_exp),
      cmocka_unit_test(test_half_turns),
      cmocka_unit_test(test_large_angles),
      cmocka_unit_test(test_tangent_identities),
      cmocka_unit_test(test_dexp_is_right_trivialised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
