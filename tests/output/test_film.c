// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/page.h"
#include "fixture.h"
#include "output/film.h"

static const char *const columns[] = {"t", "q.theta", "v.theta", "energy"};

/* A film of rows (t = k, value(k), k, -k), with room for few of them. */
static cardan_film *film_of(const cardan_model *model, size_t budget, int rows,
                            double (*value)(int))
{
  cardan_film *film = NULL;
  assert_int_equal(cardan_film_create(model, columns, 4, budget, NULL, &film, NULL), CARDAN_OK);
  for (int k = 0; k < rows; k++) {
    const double row[] = {k, value(k), k, -k};
    cardan_film_append(film, row);
  }
  return film;
}

static double wave(int k)
{
  return sin(0.01 * k);
}

/* One row of all that is unlike the others. */
static double spike(int k)
{
  return k == 77777 ? 5 : 0;
}

static double hole(int k)
{
  return k % 7 == 3 ? (double)NAN : k;
}

// a short run is kept whole, row for row
static void short_runs_are_whole(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_film *film = film_of(model, 0, 1000, wave);
  (void)state;
  assert_int_equal(cardan_film_sample_count(film), 1000);
  assert_int_equal(cardan__film_stride(film), 1);
  for (int k = 0; k < 1000; k++) {
    const double *row = cardan_film_sample(film, k);
    assert_true(row[0] == k && row[1] == wave(k) && row[3] == -k);
  }
  cardan_film_destroy(film);
  cardan_model_destroy(model);
}

// a long run keeps exact rows at even distances, the first and the last among them
static void long_runs_are_thinned(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  const int rows = 123457;
  cardan_film *film = film_of(model, 20000, rows, wave);
  (void)state;
  const int n = cardan_film_sample_count(film);
  const int64_t stride = cardan__film_stride(film);
  assert_true(stride > 1 && n < 2000 && n > 100);
  assert_int_equal(cardan_film_row_count(film), rows);
  for (int i = 0; i < n; i++) {
    const double *row = cardan_film_sample(film, i);
    assert_true(row[0] == (i < n - 1 ? (double)(i * stride) : rows - 1));
    assert_true(row[1] == wave((int)row[0]));
  }
  cardan_film_destroy(film);
  cardan_model_destroy(model);
}

// what happens between samples is in the extremes, at its place
static void extremes_are_kept(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_film *film = film_of(model, 20000, 123457, spike);
  (void)state;
  const int n = cardan_film_extreme_count(film);
  const int64_t rows = cardan__film_rows_per_extreme(film);
  int found = 0;
  for (int i = 0; i < n; i++) {
    double t;
    const double *min, *max;
    cardan_film_extreme(film, i, &t, &min, &max);
    const double last = fmin((double)((i + 1) * rows), 123457) - 1;
    assert_true(t == (double)(i * rows));
    assert_true(min[2] == t && max[2] == last && min[3] == -last && max[3] == -t);
    found += max[1] == 5 ? 1 : 0;
    assert_true((max[1] == 5) == (t <= 77777 && 77777 <= last));
  }
  assert_int_equal(found, 1);
  cardan_film_destroy(film);
  cardan_model_destroy(model);
}

// a value that is not a number does not hide the others
static void not_a_number_counts_for_nothing(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_film *film = film_of(model, 20000, 123457, hole);
  (void)state;
  for (int i = 0; i < cardan_film_extreme_count(film); i++) {
    double t;
    const double *min, *max;
    cardan_film_extreme(film, i, &t, &min, &max);
    assert_true(isfinite(min[1]) && isfinite(max[1]) && max[1] >= min[1]);
  }
  cardan_film_destroy(film);
  cardan_model_destroy(model);
}

// a film of a sim holds the rows of its table
static void films_of_sims(void **state)
{
  cardan_model *model = load_model("closed-chain", NULL);
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  cardan_film *film = NULL;
  (void)state;
  options.method = "aba";
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
  assert_int_equal(cardan_film_of_sim(sim, CARDAN_ADD_MOMENTUM, 0, NULL, &film, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, NULL), CARDAN_OK);
  const cardan_sink sink = cardan_film_sink(film);
  assert_int_equal(cardan_run(sim, 0, &sink, 1, NULL, NULL), CARDAN_OK);
  assert_int_equal(cardan__film_column_count(film), cardan_sim_columns(sim, CARDAN_ADD_MOMENTUM));
  assert_string_equal(cardan_film_column(film, 1), "q.J");
  assert_int_equal(cardan_film_find(film, "L.z"), cardan__film_column_count(film) - 1);
  assert_int_equal(cardan_film_find(film, "nothing"), -1);
  assert_memory_equal(cardan_film_sample(film, 0) + 1, cardan_sim_data(sim)->q,
                      (size_t)model->nq * sizeof(double));
  cardan_film_destroy(film);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// forces of joints are last, a number at every sample; the motion is the same to the bit as one
// without a film
static void films_have_forces(void **state)
{
  static const char *const methods[] = {"vi", "aba", "rattle"};
  cardan_model *model = load_model("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 2 1 1 1) "
                                   "(ry \"b\" (tz -1 (mass 1 1 1 1))))))",
                                   NULL);
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double q[2][2];
    for (int forces = 0; forces < 2; forces++) {
      const int add = forces ? CARDAN_FILM_FORCES : 0;
      cardan_options options = cardan_options_defaults();
      cardan_sim *sim = NULL;
      cardan_film *film = NULL;
      options.method = methods[i];
      assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
      cardan_sim_data(sim)->v[0] = 1;
      assert_int_equal(cardan_film_of_sim(sim, add, 0, NULL, &film, NULL), CARDAN_OK);
      assert_int_equal(cardan__film_column_count(film), cardan_sim_columns(sim, 0) + 6 * forces);
      assert_int_equal(cardan_sim_start(sim, NULL), CARDAN_OK);
      const cardan_sink sink = cardan_film_sink(film);
      assert_int_equal(cardan_run(sim, 50, &sink, 1, NULL, NULL), CARDAN_OK);
      memcpy(q[forces], cardan_sim_data(sim)->q, sizeof q[forces]);
      const int k = cardan_film_find(film, "R.b.fz");
      assert_int_equal(k, forces ? cardan__film_column_count(film) - 1 : -1);
      if (forces) { // every sample has one; the lower body hangs with its weight and what turns it
        assert_int_equal(cardan_film_sample_count(film), 51);
        for (int n = 0; n < cardan_film_sample_count(film); n++) {
          assert_true(fabs(cardan_film_sample(film, n)[k]) < 100);
        }
      }
      cardan_film_destroy(film);
      cardan_sim_destroy(sim);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
  }
  cardan_model_destroy(model);
}

#define MIXED                                                                   \
  "(system (gravity 0 0 -10) (joint free \"f\" (mass 1 1 1 1)"                  \
  "  (joint revolute \"a\" (axis 0 1 0) (tz -1 (name \"tip\") (mass 1 1 1 1)))" \
  "  (joint prismatic \"s\" (mass 1 1 1 1)))"                                   \
  " (place (5 0 0) (joint spherical \"b\" (mass 1 1 1 1)))"                     \
  " (place (9 0 0) (joint prismatic \"d\" (mass 1 1 1 1)))"                     \
  " (wire \"world\" \"tip\" 1) (motion \"a\" (* 2 t)))"

/* The unit of a film's column. */
static const char *unit_of(const cardan_film *film, const char *name)
{
  const int k = cardan_film_find(film, name);
  assert_true(k >= 0);
  return cardan__film_unit(film, k);
}

// every column has the unit that its numbers are in: quaternions none, reactions forces and
// moments, multipliers by what their row counts; and columns found by name have those of the sim
static void columns_have_units(void **state)
{
  static const char *const wanted[][2] = {{"t", "s"},
                                          {"q.f.x", "m"},
                                          {"q.f.qw", ""},
                                          {"v.f.wx", "rad/s"},
                                          {"v.f.vx", "m/s"},
                                          {"q.a", "rad"},
                                          {"q.s", "m"},
                                          {"v.s", "m/s"},
                                          {"q.b.qx", ""},
                                          {"v.b.wy", "rad/s"},
                                          {"energy", "J"},
                                          {"constraint", "m, rad"},
                                          {"iterations", ""},
                                          {"P.x", "kg m/s"},
                                          {"L.x", "kg m^2/s"},
                                          {"f.a", "N m"},
                                          {"R.s.fx", "N"},
                                          {"R.s.tz", "N m"},
                                          {"lambda.wire1.1", "N"},
                                          {"lambda.motion1.1", "N m"},
                                          {"work", "J"},
                                          {"balance", "J"},
                                          {"e.q.f.qw", ""},
                                          {"e.v.a", "rad/s"},
                                          {"e.p.d", "kg m/s"}};
  const int add = CARDAN_ADD_MOMENTUM | CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS |
                  CARDAN_ADD_WORK | CARDAN_ADD_ERRORS;
  cardan_model *model = load_model(MIXED, NULL);
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  cardan_film *film = NULL;
  (void)state;
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
  assert_int_equal(cardan_film_of_sim(sim, add, 0, NULL, &film, NULL), CARDAN_OK);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    print_message("%s\n", wanted[i][0]);
    assert_string_equal(unit_of(film, wanted[i][0]), wanted[i][1]);
  }
  for (int k = 0; k < cardan__film_column_count(film); k++) {
    assert_string_equal(cardan__film_unit(film, k), cardan_sim_unit(sim, add, k));
  }
  cardan_film_destroy(film);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// names that no group has, and groups left out, do not move the units of the others; columns of
// known motions have theirs
static void strange_columns_have_none(void **state)
{
  static const char *const names[] = {"t",      "q.theta", "v.theta",   "mine",
                                      "energy", "work",    "a.theta",   "tau.theta",
                                      "a.none", "p.tip.x", "pdd.tip.x", "wd.tip.x"};
  cardan_model *model = load_model("pendulum", NULL);
  cardan_film *film = NULL;
  (void)state;
  assert_int_equal(cardan_film_create(model, names, 12, 0, NULL, &film, NULL), CARDAN_OK);
  assert_string_equal(unit_of(film, "q.theta"), "rad");
  assert_string_equal(unit_of(film, "mine"), "");
  assert_string_equal(unit_of(film, "work"), "J");
  assert_string_equal(unit_of(film, "a.theta"), "rad/s^2"); // those of known motions
  assert_string_equal(unit_of(film, "tau.theta"), "N m");
  assert_string_equal(unit_of(film, "a.none"), "");
  assert_string_equal(unit_of(film, "p.tip.x"), "m");
  assert_string_equal(unit_of(film, "pdd.tip.x"), "m/s^2");
  assert_string_equal(unit_of(film, "wd.tip.x"), "rad/s^2");
  cardan_film_destroy(film);
  cardan_model_destroy(model);
}

#define LANDING                                                                           \
  "(system (gravity 0 0 -10) (place (0 0 0) (name \"ground\") (solid plane))"             \
  " (place (3 0 0.55) (joint free \"crate\" (mass 2 1 1 1) (solid box 1 1 1)))"           \
  " (no-contact \"crate\" \"ground\") (place (0 0 0.55) (joint free \"b\" (mass 4 1 1 1)" \
  "  (solid box 1 1 1))) (contact \"b\" \"ground\") (simulate (dt 0.01)))"

// a crate lands after 0.1 s: its four corners and what they carry at every row from then on; what
// has no contact has no places
static void films_keep_where_things_touch(void **state)
{
  cardan_model *model = load_model(LANDING, NULL);
  const cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  cardan_film *film = NULL;
  (void)state;
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
  assert_int_equal(cardan_film_of_sim(sim, CARDAN_ADD_CONTACTS, 0, NULL, &film, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, NULL), CARDAN_OK);
  const cardan_sink sink = cardan_film_sink(film);
  assert_int_equal(cardan_run(sim, 30, &sink, 1, NULL, NULL), CARDAN_OK);
  assert_int_equal(cardan__film_contact_row_count(film), 31);
  assert_int_equal(cardan__film_dropped_contacts(film), 0);
  for (int i = 0; i < 31; i++) {
    const cardan_film_contact *place;
    double t, sum = 0;
    const int n = cardan__film_contacts_at(film, i, &t, &place);
    assert_near(t, 0.01 * i, 1e-14);
    assert_int_equal(n, i < 10 ? 0 : 4);
    for (int k = 0; k < n; k++) {
      assert_near(fabs(place[k].x.x), 0.5, 1e-9);
      assert_near(place[k].x.z, 0, 1e-9);
      assert_int_equal(place[k].contact, 0);
      sum += place[k].force.z;
    }
    assert_true(i <= 11 || fabs(sum - 40) < 1e-6);
  }
  const cardan_film_contact *last;
  assert_int_equal(cardan_film_last_contacts(film, &last), 4);
  cardan_film_destroy(film);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

static cardan_status make_film(const cardan_allocator *allocator, void *user)
{
  cardan_film *film = NULL;
  const cardan_status status = cardan_film_of_sim(user, 0, 0, allocator, &film, NULL);
  assert_true((film != NULL) == (status == CARDAN_OK));
  cardan_film_destroy(film);
  return status;
}

static void each_allocation_of_a_film_fails(void **state)
{
  cardan_model *model = load_model(LANDING, NULL);
  const cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  (void)state;
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
  assert_true(support_fail_each(make_film, sim) > 4);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

static void wrong_columns_are_refused(void **state)
{
  cardan_model *model = load_model("pendulum", NULL);
  cardan_film *film = NULL;
  cardan_report report = {0};
  (void)state;
  assert_int_equal(cardan_film_create(model, columns, 2, 0, NULL, &film, &report),
                   CARDAN_ERR_ARGUMENT);
  assert_null(film);
  assert_non_null(strstr(report.message, "2 columns"));
  cardan_film_destroy(NULL);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_runs_are_whole),
      cmocka_unit_test(long_runs_are_thinned),
      cmocka_unit_test(extremes_are_kept),
      cmocka_unit_test(not_a_number_counts_for_nothing),
      cmocka_unit_test(films_of_sims),
      cmocka_unit_test(films_have_forces),
      cmocka_unit_test(columns_have_units),
      cmocka_unit_test(strange_columns_have_none),
      cmocka_unit_test(films_keep_where_things_touch),
      cmocka_unit_test(each_allocation_of_a_film_fails),
      cmocka_unit_test(wrong_columns_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
