// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "cardan/symbols.h"
#include "fixture.h"
#include "output/film.h"

/* Forces in films, against closed forms. They have 2^-16 of themselves or of the weight, whichever
 * is more, torques of the weight times the length: that is the tolerance, of at most 400 N m. */
static const double coarse = 400.0 / 65536;

/* A short motion with all that a page asks for. */
typedef struct {
  cardan_model *model;
  cardan_sim *sim;
  cardan_film *film;
  cardan_symbols *symbols;
} motion;

static motion move_by(const char *text, const char *method, double v, int add)
{
  cardan_options options = cardan_options_defaults();
  motion m = {.model = load_model(text, NULL)};
  options.method = method;
  assert_int_equal(cardan_sim_create(m.model, &options, NULL, &m.sim, NULL), CARDAN_OK);
  cardan_sim_data(m.sim)->v[0] = v;
  assert_int_equal(cardan_film_of_sim(m.sim, add, 0, NULL, &m.film, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_start(m.sim, NULL), CARDAN_OK);
  const cardan_sink sink = cardan_film_sink(m.film);
  assert_int_equal(cardan_run(m.sim, 50, &sink, 1, NULL, NULL), CARDAN_OK);
  const cardan_film *films[] = {m.film};
  assert_int_equal(cardan_symbols_create(m.model, films, 1, NULL, &m.symbols), CARDAN_OK);
  return m;
}

static motion move(const char *text, double v)
{
  return move_by(text, "aba", v, CARDAN_FILM_FORCES);
}

static void drop(motion *m)
{
  cardan_symbols_destroy(m->symbols);
  cardan_film_destroy(m->film);
  cardan_sim_destroy(m->sim);
  cardan_model_destroy(m->model);
}

/* A column's value at a sample. */
static double value(const motion *m, const char *column, int sample)
{
  const int k = cardan_film_find(m->film, column);
  if (k < 0) {
    fail_msg("there is no column %s", column);
  }
  return cardan_film_sample(m->film, sample)[k];
}

static const cardan_arrow *arrow_of(const motion *m, const char *name, cardan_arrow_kind kind)
{
  for (int i = 0; i < m->symbols->narrow; i++) {
    if (strcmp(m->symbols->arrow[i].name, name) == 0 && m->symbols->arrow[i].kind == kind &&
        m->symbols->arrow[i].of != CARDAN_ARROW_OF_JOINT) {
      return &m->symbols->arrow[i];
    }
  }
  fail_msg("%s has no arrow", name);
  return NULL;
}

/* The vector that an arrow shows at the end of the motion. */
static cardan_vec3 last_vector(const motion *m, const char *name, cardan_arrow_kind kind)
{
  return cardan_arrow_vector(arrow_of(m, name, kind), cardan_sim_data(m->sim)->X_W,
                             cardan_film_sample(m->film, cardan_film_sample_count(m->film) - 1));
}

static void assert_vector(cardan_vec3 a, double x, double y, double z)
{
  const double have[3] = {a.x, a.y, a.z}, want[3] = {x, y, z};
  assert_near_vec(have, want, 3, coarse);
}

#define TOP "(tx 1 (name \"top\") (tz -1.5 (tz \"z\" (name \"low\") (mass 3))))"

// a spring of k (l - x0), a damper of c l', a push of what it says; > 0 draws together
static void along_lines(void **state)
{
  motion m = move("(system (gravity 0 0 -10) " TOP " (spring \"top\" \"low\" 100 1.2)"
                  " (damper \"top\" \"low\" 4) (force \"low\" \"top\" (+ 7 t)))",
                  0.5);
  (void)state;
  const int n = cardan_film_sample_count(m.film);
  assert_int_equal(n, 51);
  for (int i = 0; i < n; i++) {
    const double z = value(&m, "q.z", i), v = value(&m, "v.z", i), t = value(&m, "t", i);
    assert_near(value(&m, "force.spring1", i), 100 * (1.5 - z - 1.2), coarse);
    assert_near(value(&m, "force.damper1", i), -4 * v, coarse);
    assert_near(value(&m, "force.force1", i), -(7 + t), coarse);
  }
  // on the first of its frames, which is below: away from the other
  assert_vector(last_vector(&m, "force1", CARDAN_ARROW_PULL), 0, 0, -7.5);
  assert_string_equal(cardan__film_unit(m.film, cardan_film_find(m.film, "force.damper1")), "N");
  assert_int_equal(arrow_of(&m, "damper1", CARDAN_ARROW_PULL)->of, CARDAN_ARROW_OF_SPRING);
  assert_int_equal(arrow_of(&m, "force1", CARDAN_ARROW_PULL)->of, CARDAN_ARROW_OF_LOAD);
  drop(&m);
}

// a wire holds m g, and of a swinging mass m (g cos + v^2 / l) too, by any method
static void wires_hold(void **state)
{
  static const char *const methods[] = {"vi", "aba", "hamilton"};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    motion m = move_by("(system (gravity 0 0 -10) (tx 1 (name \"top\")) (tx 1 (tz -1.5 (tx \"x\" "
                       "(tz \"z\" (name \"low\") (mass 3))))) (wire \"top\" \"low\" 1.5))",
                       methods[k], 1, CARDAN_FILM_FORCES);
    for (int i = 0; i < cardan_film_sample_count(m.film); i++) {
      const double x = value(&m, "q.x", i), z = value(&m, "q.z", i) - 1.5;
      const double vx = value(&m, "v.x", i), vz = value(&m, "v.z", i);
      // what loops are open by, and velocities off them: 1e-3 of the force at dt = 0.01
      assert_near(value(&m, "force.wire1", i),
                  3 * (10 * -z / hypot(x, z) + (vx * vx + vz * vz) / 1.5), 0.03);
    }
    assert_true(fabs(value(&m, "q.x", 50)) > 0.2);
    drop(&m);
  }
}

// a motion has the torque that carries the weight, on a hinge; an actuator and a torque what they
// say; arcs about one axis are one inside another
static void drives_turn(void **state)
{
  motion m =
      move("(system (gravity 0 0 -10) (ry \"a\" (tx 1 (mass 2 1 1 1))) (motion \"a\" (* 2 t))"
           " (ty 5 (tz \"s\" (mass 1 1 1 1))) (input \"u\" 2)"
           " (ty 9 (ry \"b\" (tx 1 (mass 1 1 1 1))))"
           " (actuator \"m\" \"b\" \"u\" (gear 10)) (torque \"b\" (* 3 t))"
           " (joint-spring \"b\" 5 1) (damping \"b\" 2) (actuator \"p\" \"s\" \"u\"))",
           0);
  (void)state;
  for (int i = 0; i < cardan_film_sample_count(m.film); i++) {
    const double t = value(&m, "t", i);
    assert_near(value(&m, "f.a", i), -20 * cos(2 * t), coarse);
    assert_near(value(&m, "force.m", i), 20, coarse);
    assert_near(value(&m, "force.p", i), 2, coarse);
    assert_near(value(&m, "force.torque1", i), 3 * t, coarse);
    assert_near(value(&m, "force.joint-spring1", i), -5 * (value(&m, "q.b", i) - 1), coarse);
    assert_near(value(&m, "force.damping1", i), -2 * value(&m, "v.b", i), coarse);
  }
  assert_string_equal(cardan__film_unit(m.film, cardan_film_find(m.film, "force.m")), "N m");
  assert_string_equal(cardan__film_unit(m.film, cardan_film_find(m.film, "force.p")), "N");
  assert_vector(last_vector(&m, "a", CARDAN_ARROW_TORQUE), 0, -20 * cos(1), 0);
  assert_vector(last_vector(&m, "p", CARDAN_ARROW_FORCE), 0, 0, 2);
  assert_vector(last_vector(&m, "torque1", CARDAN_ARROW_TORQUE), 0, 1.5, 0);
  bool ring[4] = {false};
  const char *const names[] = {"m", "torque1", "joint-spring1", "damping1"};
  for (int k = 0; k < 4; k++) {
    ring[arrow_of(&m, names[k], CARDAN_ARROW_TORQUE)->ring] = true;
  }
  assert_true(ring[0] && ring[1] && ring[2] && ring[3]);
  assert_near(m.symbols->torque, 20, 1e-12); // what is round stays so
  drop(&m);
}

// a wrench has the vectors that it says, in the axes that it says; what is 0 has no arrow. A
// bushing does to its second frame what its stretch asks for
static void wrenches_push(void **state)
{
  motion m = move("(system (gravity 0 0 -10) (ry \"a\" (tx 1 (name \"tip\") (mass 2 1 1 1)))"
                  " (motion \"a\" (* 2 t)) (wrench world \"tip\" (1 (sin t) 3) (0 0 4))"
                  " (wrench body \"tip\" (5 0 0) (0 0 0)) (ty 3 (name \"wall\") (tx \"x\" (tz \"z\""
                  " (name \"held\") (mass 1)))) (bushing \"wall\" \"held\" (100 1 50) (1 1 1)))",
                  0);
  (void)state;
  const int last = cardan_film_sample_count(m.film) - 1;
  assert_vector(last_vector(&m, "wrench1", CARDAN_ARROW_FORCE), 1, sin(0.5), 3);
  assert_vector(last_vector(&m, "wrench1", CARDAN_ARROW_TORQUE), 0, 0, 4);
  assert_vector(last_vector(&m, "wrench2", CARDAN_ARROW_FORCE), 5 * cos(1), 0, -5 * sin(1));
  assert_near(value(&m, "force.wrench2.fx", 20), 5, coarse);
  assert_int_equal(cardan_film_find(m.film, "force.wrench2.tx"), -1);
  assert_vector(last_vector(&m, "bushing1", CARDAN_ARROW_FORCE), -100 * value(&m, "q.x", last), 0,
                -50 * value(&m, "q.z", last));
  assert_true(fabs(value(&m, "q.z", last)) > 0.1);
  drop(&m);
}

// a tyre pushes its wheel, which spins, in world axes: its load up, mu times that back
static void tyres_push(void **state)
{
  motion m = move("(system (gravity 0 0 -10) (tx \"x\" (ry \"s\" (name \"w\") (mass 2 1 1 1)))"
                  " (tyre \"w\" \"world\" (disc 0.3) (axis 0 1 0) (linear 2e3 1e3 0.5) (load 20)"
                  " (name \"t\")) (initial (\"s\" 0 -9)))",
                  9);
  (void)state;
  assert_vector(last_vector(&m, "t", CARDAN_ARROW_FORCE), -10, 0, 20);
  drop(&m);
}

// a beam on a hinge and a post: each carries half of it
static void loops_close(void **state)
{
  static const char *const ends[][2] = {
      {"coincide1", "(coincide \"post\" \"end\")"},
      {"close1", "(close spherical \"end\" \"post\")"},
      {"point-constraint1", // two that are one
       "(point-constraint \"post\" \"end\" (1 0 1)) (point-constraint \"post\" \"end\" (-1 0 1))"}};
  (void)state;
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    char text[320];
    snprintf(text, sizeof text,
             "(system (gravity 0 0 -10) (ry \"a\" (tx 1 (mass 3 1 1 1)) (tx 2 (name \"end\")))"
             " (tx 2 (name \"post\")) %s)",
             ends[k][1]);
    motion m = move(text, 0);
    const cardan_arrow *arrow = &m.symbols->arrow[m.symbols->narrow - 1];
    assert_string_equal(arrow->name, ends[k][0]);
    assert_int_equal(arrow->of, CARDAN_ARROW_OF_JOINT);
    assert_near(value(&m, "R.a.fz", 50), 15, coarse);
    assert_vector(
        cardan_arrow_vector(arrow, cardan_sim_data(m.sim)->X_W, cardan_film_sample(m.film, 50)), 0,
        0, 15);
    drop(&m);
  }
}

// where things touch, joints have no forces and ropes have those of the steps; elements have theirs
static void ropes_and_contacts(void **state)
{
  motion m = move_by("(system (gravity 0 0 -10) " TOP " (damper \"top\" \"low\" 4)"
                     " (rope \"top\" \"low\" 1.5))",
                     "vi", 0, CARDAN_FILM_FORCES | CARDAN_ADD_CONTACTS);
  (void)state;
  assert_near(value(&m, "bound.rope1", 40), 30, coarse);
  assert_vector(last_vector(&m, "rope1", CARDAN_ARROW_PULL), 0, 0, -30);
  assert_int_equal(cardan_film_find(m.film, "R.z.fx"), -1);
  assert_int_equal(m.symbols->unseen[CARDAN_ARROW_OF_JOINT], 1);
  assert_true(cardan_film_find(m.film, "force.damper1") > 0);
  drop(&m);
}

// the rows of a table alone tell what t, q and v tell; not accelerations and inputs
static void rows_tell_forces(void **state)
{
  static const char *const column[] = {"t", "q.z", "v.z"};
  cardan_model *model = load_model("(system (gravity 0 0 -10) " TOP " (damper \"top\" \"low\" 4)"
                                   " (spring \"top\" \"low\" 100 1) (input \"u\" 2)"
                                   " (actuator \"p\" \"z\" \"u\") (motion \"z\" (* 0.1 t)))",
                                   NULL);
  cardan_film *film = NULL;
  (void)state;
  assert_int_equal(cardan_film_create(model, column, 3, 0, NULL, &film, NULL), CARDAN_OK);
  for (int i = 0; i < 3; i++) {
    cardan_film_append(film, (const double[3]){i, 0.1 * i, 0.1});
  }
  assert_int_equal(cardan__film_column_count(film), 5);
  const double *row = cardan_film_sample(film, 2);
  assert_near(row[cardan_film_find(film, "force.damper1")], -0.4, coarse);
  assert_near(row[cardan_film_find(film, "force.spring1")], 100 * (1.5 - 0.2 - 1), coarse);
  cardan_film_destroy(film);
  cardan_model_destroy(model);
}

// 96 columns at most, the first ones; the others are counted
static void many_are_left_out(void **state)
{
  static const char one[] = " (damper \"top\" \"low\" 4)";
  static char text[8192] = "(system (gravity 0 0 -10) " TOP;
  char *end = text + strlen(text);
  (void)state;
  for (int i = 0; i < 120; i++, end += sizeof one - 1) {
    memcpy(end, one, sizeof one - 1);
  }
  memcpy(end, ")", 2);
  motion m = move(text, 0);
  assert_int_equal(cardan__film_column_count(m.film),
                   cardan_sim_columns(m.sim, 0) + 3 * m.model->njoint + 96);
  assert_int_equal(m.symbols->unseen[CARDAN_ARROW_OF_SPRING], 24);
  assert_int_equal(cardan_film_find(m.film, "force.damper97"), -1);
  assert_true(cardan_film_find(m.film, "force.damper96") > 0);
  drop(&m);
}

// a film of few samples has the forces of its last row too
static void last_rows_have_forces(void **state)
{
  cardan_model *model =
      load_model("(system (gravity 0 0 -10) " TOP " (damper \"top\" \"low\" 4))", NULL);
  const cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  cardan_film *film = NULL;
  (void)state;
  assert_int_equal(cardan_sim_create(model, &options, NULL, &sim, NULL), CARDAN_OK);
  assert_int_equal(cardan_film_of_sim(sim, CARDAN_FILM_FORCES, 1, NULL, &film, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, NULL), CARDAN_OK);
  const cardan_sink sink = cardan_film_sink(film);
  assert_int_equal(cardan_run(sim, 333, &sink, 1, NULL, NULL), CARDAN_OK);
  assert_true(cardan__film_stride(film) > 1 && 333 % cardan__film_stride(film) != 0);
  const double *last = cardan_film_sample(film, cardan_film_sample_count(film) - 1);
  assert_near(last[cardan_film_find(film, "force.damper1")],
              -4 * last[cardan_film_find(film, "v.z")], coarse);
  cardan_film_destroy(film);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

#define ALL                                                                                \
  "(system (gravity 0 0 -10) " TOP " (ry \"a\" (tx 1 (name \"tip\") (mass 2 1 1 1)))"      \
  " (damper \"top\" \"low\" 4) (spring \"tip\" \"low\" 20 1) (torque \"a\" (sin (* 9 t)))" \
  " (wrench world \"tip\" (1 0 3) (0 1 0)) (wire \"top\" \"low\" (+ 1.5 (* 0.1 (sin t)))))"

// a motion without a film is the same to the bit
static void runs_do_not_see_it(void **state)
{
  static const char *const methods[] = {"vi", "aba", "hamilton"};
  (void)state;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    motion bare = move_by(ALL, methods[k], 0, 0);
    motion seen = move_by(ALL, methods[k], 0, CARDAN_FILM_FORCES);
    assert_memory_equal(cardan_sim_data(bare.sim)->q, cardan_sim_data(seen.sim)->q,
                        (size_t)bare.model->nq * sizeof(double));
    assert_int_equal(bare.symbols->narrow, 0);
    drop(&bare);
    drop(&seen);
  }
}

static cardan_status make(const cardan_allocator *allocator, void *user)
{
  const motion *m = user;
  cardan_film *film = NULL;
  cardan_symbols *symbols = NULL;
  cardan_status status = cardan_film_of_sim(m->sim, CARDAN_FILM_FORCES, 0, allocator, &film, NULL);
  assert_true((film != NULL) == (status == CARDAN_OK));
  if (status == CARDAN_OK) {
    status = cardan_symbols_create(m->model, (const cardan_film *const[]){m->film}, 1, allocator,
                                   &symbols);
    assert_true((symbols != NULL) == (status == CARDAN_OK));
  }
  cardan_symbols_destroy(symbols);
  cardan_film_destroy(film);
  return status;
}

static void memory_may_fail(void **state)
{
  motion m = move(ALL, 0);
  (void)state;
  assert_true(support_fail_each(make, &m) > 8);
  drop(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(along_lines),           cmocka_unit_test(wires_hold),
      cmocka_unit_test(drives_turn),           cmocka_unit_test(tyres_push),
      cmocka_unit_test(wrenches_push),         cmocka_unit_test(loops_close),
      cmocka_unit_test(ropes_and_contacts),    cmocka_unit_test(rows_tell_forces),
      cmocka_unit_test(many_are_left_out),     cmocka_unit_test(runs_do_not_see_it),
      cmocka_unit_test(last_rows_have_forces), cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
