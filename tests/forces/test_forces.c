// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/spec.h"
#include "forces/forces.h"
#include "random_tree.h"
#include "run.h"

static double energy_at(fixture *f, const double *q)
{
  memcpy(f->data->q, q, (size_t)f->model->nq * sizeof *q);
  cardan_kinematics(f->model, f->data);
  const cardan__view view = cardan__data_view(f->model, f->data);
  return cardan__forces_energy(f->model, &view);
}

/* dU/dt along v by central differences of order 4. */
static double energy_rate(fixture *f, const double *q, const double *v, double h)
{
  double there[128], U[4];
  const double at[4] = {-2.0 * h, -h, h, 2.0 * h};
  assert_true(f->model->nq <= 128);
  for (int i = 0; i < 4; i++) {
    cardan_q_move(f->model, q, v, at[i], there);
    U[i] = energy_at(f, there);
  }
  return (U[0] - 8.0 * U[1] + 8.0 * U[2] - U[3]) / (12.0 * h);
}

static double power_of(const cardan_model *model, const cardan_data *data)
{
  double power = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    power += cardan__power(data->V[i], data->f_ext[i]);
  }
  for (int k = 0; k < model->nv; k++) {
    power += data->tau[k] * data->v[k];
  }
  return power;
}

// the power of potential forces is -dU/dt, along each velocity alone and along random ones
// tolerance: the difference quotient with h = 1e-3 has a truncation error of h^4 U^(5)/30 and a
// rounding error of 1.5 eps U/h; 1e-9 of (|U| + largest force) covers both while U^(5) is below 3e4
// times as much
static void forces_are_gradients(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    support_rng rng = {seed};
    cardan_spec *spec = tree_spec(10, &rng);
    tree_add_potentials(spec);
    tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING,
                                    .frame = {"f3", "f7"},
                                    .value = {3, 2, 1, 0.5, 0.7, 0.9}});
    tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_BUSHING_COUPLING,
                                    .frame = {"f5", "f9"},
                                    .value = {0.4, 1, 5}});
    fixture f = fixture_build(spec);
    cardan_data *data = f.data;
    const int nq = f.model->nq, nv = f.model->nv;
    double q[128], v[128];
    tree_random_state(&f, &rng);
    memcpy(q, data->q, (size_t)nq * sizeof *q);
    for (int direction = 0; direction < nv + 3; direction++) {
      support_random_vec(&rng, v, nv, 0.5);
      for (int k = 0; k < nv && direction < nv; k++) {
        v[k] = k == direction;
      }
      const double U = energy_at(&f, q), dU = energy_rate(&f, q, v, 1e-3);
      energy_at(&f, q);
      memcpy(data->v, v, (size_t)nv * sizeof *v);
      cardan_kinematics(f.model, data);
      cardan_forces(f.model, data);
      const double scale = fabs(U) + support_max_abs(data->tau, nv) + 30.0;
      assert_near(power_of(f.model, data), -dU, 1e-9 * scale);
    }
    fixture_free(&f);
  }
}

static double distance(const fixture *f, int A, int B)
{
  const cardan_xform a = cardan_frame_pose(f->model, f->data, A),
                     b = cardan_frame_pose(f->model, f->data, B);
  return cardan__vec3_norm(cardan__vec3_sub(a.p, b.p));
}

// a damper takes c l'^2, with l' from differences of the length itself; damping takes c |v|^2
static void dampers_dissipate(void **state)
{
  (void)state;
  support_rng rng = {11};
  const double c = 3.5, h = 1e-4;
  for (int kind = 0; kind < 4; kind++) {
    cardan_spec *spec = tree_spec(10, &rng);
    cardan_element e = {.kind = kind == 0 ? CARDAN_ELEMENT_DAMPER : CARDAN_ELEMENT_DAMPING,
                        .value = {c}};
    if (kind == 0) {
      e.frame[0] = "f4";
      e.frame[1] = "f9";
    }
    e.var[0] = kind == 2 ? "j5" : kind == 3 ? "j2.wy" : NULL;
    tree_add(spec, e);
    fixture f = fixture_build(spec);
    cardan_data *data = f.data;
    tree_random_state(&f, &rng);
    cardan_kinematics(f.model, data);
    cardan_forces(f.model, data);
    const cardan__view view = cardan__data_view(f.model, data);
    const double power = power_of(f.model, data);
    double expected = 0.0, tol = 10 * DBL_EPSILON * c * f.model->nv;
    if (kind == 0) {
      const int A = cardan_model_frame(f.model, "f4"), B = cardan_model_frame(f.model, "f9");
      double q[128], l[2];
      memcpy(q, data->q, (size_t)f.model->nq * sizeof *q);
      for (int side = 0; side < 2; side++) {
        cardan_q_move(f.model, q, data->v, side ? h : -h, data->q);
        cardan_kinematics(f.model, data);
        l[side] = distance(&f, A, B);
      }
      const double rate = (l[1] - l[0]) / (2 * h);
      expected = -c * rate * rate;
      tol = 1e-6; // h^2 l''' l' c/3 with derivatives below 100
    } else {
      const cardan_joint *j = &f.model->joint[cardan_model_joint(f.model, kind == 3 ? "j2" : "j5")];
      const int first = kind == 1 ? 0 : kind == 2 ? j->vadr : j->vadr + 1;
      const int n = kind == 1 ? f.model->nv : kind == 2 ? 6 : 1;
      for (int k = first; k < first + n; k++) {
        expected -= c * data->v[k] * data->v[k];
      }
    }
    assert_true(power < 0.0);
    assert_near(power, expected, tol);
    if (kind > 0) {
      assert_near(cardan__forces_power(f.model, &view, NULL), expected, tol);
    }
    fixture_free(&f);
  }
}

// a wrench's power is f . v + t . w of its frame, in the frame's axes or the world's
static void wrench_power(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int world = 0; world < 2; world++) {
    cardan_spec *spec = tree_spec(10, &rng);
    tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                    .frame = {"f6"},
                                    .in_world = world == 1,
                                    .expr = {"(* 2 t)", "-1", "3", NULL, "(+ q.j1 v.j3)", "0.5"}});
    tree_add(spec, (cardan_element){
                       .kind = CARDAN_ELEMENT_TORQUE, .var = {"j2.wz"}, .expr = {"(cos t)"}});
    fixture f = fixture_build(spec);
    cardan_data *data = f.data;
    tree_random_state(&f, &rng);
    data->t = 0.7;
    cardan_kinematics(f.model, data);
    cardan_forces(f.model, data);
    const int F = cardan_model_frame(f.model, "f6"),
              ball = f.model->joint[cardan_model_joint(f.model, "j2")].vadr;
    const cardan_xform X = cardan_frame_pose(f.model, data, F);
    const double ty =
        data->q[cardan_model_q(f.model, "j1")] + data->v[cardan_model_v(f.model, "j3")];
    cardan_vec3 force = {1.4, -1.0, 3.0}, torque = {0.0, ty, 0.5};
    if (world) {
      force = cardan__mat3_tmulv(&X.R, force);
      torque = cardan__mat3_tmulv(&X.R, torque);
    }
    const double expected = cardan__power(cardan_frame_twist(f.model, data, F, CARDAN_LOCAL),
                                          (cardan_force){.t = torque, .f = force}) +
                            cos(0.7) * data->v[ball + 2];
    const cardan__view view = cardan__data_view(f.model, data);
    // each of the two sums is of about 20 products of numbers below 10
    const double tol = 100 * DBL_EPSILON * 10;
    assert_near(power_of(f.model, data), expected, tol);
    assert_near(cardan__forces_power(f.model, &view, NULL), expected, tol);
    assert_true(f.model->force[0].flags == (CARDAN_FORCE_TIME | CARDAN_FORCE_VELOCITY));
    assert_true(f.model->force[1].flags == CARDAN_FORCE_TIME);
    fixture_free(&f);
  }
}

/* f_ext and tau of a random tree with these elements. */
static void loads_of(const cardan_element *element, int n, double *load, int *nload)
{
  support_rng rng = {5};
  cardan_spec *spec = tree_spec(10, &rng);
  for (int i = 0; i < n; i++) {
    tree_add(spec, element[i]);
  }
  fixture f = fixture_build(spec);
  tree_random_state(&f, &rng);
  cardan_kinematics(f.model, f.data);
  cardan_forces(f.model, f.data);
  *nload = 6 * f.model->nbody + f.model->nv;
  assert_true(*nload <= 256);
  memcpy(load, f.data->f_ext, 6 * sizeof(double) * (size_t)f.model->nbody);
  memcpy(load + 6 * f.model->nbody, f.data->tau, sizeof(double) * (size_t)f.model->nv);
  fixture_free(&f);
}

// an expression of distance and speed along a line is the spring and the damper that it spells
// tolerance: some 20 roundings of numbers below 100
static void expressions_are_springs(void **state)
{
  (void)state;
  const cardan_element built[] = {
      {.kind = CARDAN_ELEMENT_SPRING, .frame = {"f4", "f8"}, .value = {10.0, 0.5}},
      {.kind = CARDAN_ELEMENT_DAMPER, .frame = {"f4", "f8"}, .value = {2.5}}};
  const cardan_element spelled[] = {
      {.kind = CARDAN_ELEMENT_FORCE,
       .frame = {"f4", "f8"},
       .expr = {"(- (* -10 (- (dist \"f4\" \"f8\") 0.5)) (* 2.5 (speed \"f4\" \"f8\")))"}}};
  double a[256], b[256], largest = 0.0;
  int n;
  loads_of(built, 2, a, &n);
  loads_of(spelled, 1, b, &n);
  for (int i = 0; i < n; i++) {
    assert_near(b[i], a[i], 100 * DBL_EPSILON * 100);
    largest = fmax(largest, fabs(a[i]));
  }
  assert_true(largest > 1.0);
}

// the angle about a hinge's axis is its coordinate, whatever the axis, and signed
static void angle_of_a_hinge(void **state)
{
  static const char *const texts[] = {
      "(system (rx 0.4 (name \"A\") (joint revolute \"q\" (axis 1 2 -2) (mass 1 1 1 1)"
      " (tx 1 (name \"B\")))) (potential (angle \"A\" \"B\" (axis 1 2 -2))))",
      "(system (rx 0.4 (ry 0.7 (name \"A\") (rz \"q\" (mass 1 1 1 1) (name \"B\"))))"
      " (potential (angle \"A\" \"B\" (axis 0 0 3))))"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    for (double q = -3.0; q < 3.1; q += 0.5) {
      fixture f = fixture_load(texts[i]);
      f.data->q[0] = q;
      assert_near(energy_at(&f, f.data->q), q, 20 * DBL_EPSILON * 3);
      cardan_forces(f.model, f.data);
      assert_near(power_of(f.model, f.data), 0.0, 0.0); // at rest
      f.data->v[0] = 1.0;
      cardan_kinematics(f.model, f.data);
      assert_near(power_of(f.model, f.data), -1.0, 20 * DBL_EPSILON);
      fixture_free(&f);
    }
  }
}

// a bushing of equal stiffnesses is a spring without length, one about a hinge a joint spring; its
// damper takes power out; tolerance: some 30 roundings of numbers below 100
static void bushings_are_springs(void **state)
{
  const cardan_element spring = {
      .kind = CARDAN_ELEMENT_SPRING, .frame = {"f4", "f8"}, .value = {10.0, 0.0}};
  const cardan_element bushing = {
      .kind = CARDAN_ELEMENT_BUSHING, .frame = {"f4", "f8"}, .value = {10, 10, 10, 0, 0, 0}};
  double a[256], b[256];
  int n;
  (void)state;
  loads_of(&spring, 1, a, &n);
  loads_of(&bushing, 1, b, &n);
  for (int k = 0; k < n; k++) {
    assert_near(b[k], a[k], 100 * DBL_EPSILON * 100);
  }
  for (double q = -3.0; q < 3.1; q += 0.5) {
    fixture f = fixture_load("(system (rx 0.4 (ry 0.7 (name \"A\") (rz \"q\" (mass 1 1 1 1)"
                             " (name \"B\")))) (bushing \"A\" \"B\" (1 2 3) (4 5 6))"
                             " (bushing-damper \"A\" \"B\" (1 2 3) (4 5 6)))");
    f.data->q[0] = q;
    f.data->v[0] = 2.0;
    assert_near(energy_at(&f, f.data->q), 3 * q * q, 100 * DBL_EPSILON * 27);
    cardan_forces(f.model, f.data);
    assert_near(power_of(f.model, f.data), 2.0 * (-6 * q - 6 * 2.0), 100 * DBL_EPSILON * 60);
    fixture_free(&f);
  }
}

#define PLATE(joints, close, start, forces)                                            \
  "(system (gravity 0 0 -9.81) (rx 0.3 (name \"A\")) " joints                          \
  " (mass 2 0.1 0.2 0.25) (tx 0.1 (name \"B\"))" close                                 \
  " (bushing \"A\" \"B\" (400 300 500) (9 7 8)) (bushing-coupling \"A\" \"B\" 1 5 20)" \
  " (initial " start ") " forces ")"

// a plate on a bushing, which turns by more than 1 rad: the energy of vi stays where it is, over
// the last half of some 100 swings no further away than over the first: an energy that its forces
// do not come from would drift, to twice that. With a damper every method goes to the motion that
// aba does accurately, within what its own order leaves of 250 steps: 2e-2 of order 1, 5e-5 of
// order 2 and more
static void bushings_by_every_method(void **state)
{
  static const char free_one[] =
      PLATE("(joint free \"f\"", ")", "(\"f\" (0 0.05 0 1 0 0 0) (3 -2 4 0.2 0 0))", "");
  static const char damped[] = PLATE("(tx \"x\" (ty \"y\" (tz \"z\" (rx \"a\" (ry \"b\" (rz \"c\"",
                                     "))))))", "(\"y\" 0.05) (\"a\" 0 3) (\"b\" 0 -2) (\"c\" 0 4)",
                                     "(bushing-damper \"A\" \"B\" (4 3 5) (0.09 0.07 0.08))");
  double exact[6], q[6], most[2] = {0.0, 0.0}, turned = 0.0;
  (void)state;
  const cardan_options long_run = run_options("vi", 0.005, 0);
  run r = run_begin(free_one, NULL, &long_run);
  const double start = run_energy(&r);
  for (int i = 0; i < 8000; i++) {
    run_steps(&r, 1);
    double *to = &most[i >= 4000];
    *to = fmax(*to, fabs(run_energy(&r) - start));
    turned = fmax(turned, 2 * acos(fmin(1.0, fabs(run_q(&r, "f.qw")))));
  }
  run_free(&r);
  print_message("energy: %g J off at most, then %g; turned by %g\n", most[0], most[1], turned);
  assert_true(most[1] < 1.5 * most[0] && most[1] < 1e-3 * fabs(start) && turned > 1.0);
  const cardan_options accurate = run_options("aba:dop853", 0.01, 0.25);
  run_end(damped, NULL, &accurate, 0.25, 25, exact);
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    snprintf(method, sizeof method, "%s", run_method(i));
    const cardan_options o = run_options(method, 0.001, 0.25);
    double error = 0.0;
    run_end(damped, NULL, &o, 0.25, 250, q);
    for (int k = 0; k < 6; k++) {
      error = fmax(error, fabs(q[k] - exact[k]));
    }
    const bool rough = strstr(method, "plicit") != NULL || strstr(method, "euler") != NULL;
    if (!(error < (rough ? 2e-2 : 5e-5))) {
      fail_msg("%s: %g from the accurate motion", method, error);
    }
  }
}

#define ARM(forces)                                                                          \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"O\")) (place (0 1 0) (name \"wall\"))" \
  " (rx \"a\" (mass 1 0.1 0.1 0.1) (tz -1 (mass 1 0.2 0.3 0.1) (name \"mid\")"               \
  " (rx \"b\" (tz -0.5 (name \"tip\") (mass 2 0.1 0.1 0.1)))))"                              \
  " (initial (\"a\" 0.5) (\"b\" 0.2 1)) " forces ")"

// springs and dampers that are spelled out move as those that are built in, by every method: no
// further from an accurate motion than twice as far, or the 1e-9 that iterations and adaptive steps
// leave. Variational methods put forces and energies at other places within a step
static void every_method_takes_them(void **state)
{
  static const char built[] =
      ARM("(spring \"tip\" \"wall\" 10 0.5) (damper \"tip\" \"wall\" 0.7) (joint-spring \"a\" 5 "
          "0.2) (damping \"a\" 0.3) (potential (* 4 (- 1 (cos q.a))))");
  static const char spelled[] =
      ARM("(force \"tip\" \"wall\" (- (* -10 (- (dist \"tip\" \"wall\") 0.5)) (* 0.7 (speed "
          "\"tip\" \"wall\")))) (torque \"a\" (- (* -5 (- (angle \"O\" \"mid\" (axis 1 0 0)) "
          "0.2)) (* 0.3 (wx \"mid\")))) (potential (* 4 (- 1 (rzz \"mid\"))))");
  double exact[2], q[2];
  (void)state;
  const cardan_options accurate = run_options("aba:dop853", 0.005, 0.5);
  run_end(built, NULL, &accurate, 0.5, 100, exact);
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    snprintf(method, sizeof method, "%s", run_method(i));
    const cardan_options o = run_options(method, 0.005, 0.5);
    run_end(built, NULL, &o, 0.5, 100, q);
    const double error = hypot(q[0] - exact[0], q[1] - exact[1]);
    run_end(spelled, NULL, &o, 0.5, 100, q);
    const double other = hypot(q[0] - exact[0], q[1] - exact[1]);
    if (!(other < 2 * error + 1e-9)) {
      fail_msg("%s: %g from the accurate motion, %g with built-in ones", method, other, error);
    }
  }
}

/* A four-bar linkage, cut at its last joint "d" or at its first; forces are on "d". Links of length
 * 1.5, 3.5 and 3 over a ground of 4; both start closed, at the same place. */
#define CUT_LAST(forces)                                                                         \
  "(system (gravity 0 -9.81 0) (place (4 0 0) (name \"G\"))"                                     \
  " (rz \"a\" (place (0.75 0 0) (mass 1 1 1 1)) (place (1.5 0 0)"                                \
  " (rz \"b\" (place (1.75 0 0) (mass 2 1 1 1)) (place (3.5 0 0)"                                \
  " (rz \"c\" (place (1.5 0 0) (mass 1.5 1 1 1)) (place (3 0 0) (rpy 0 0 pi) (name \"E\")))))))" \
  " (close revolute \"G\" \"E\" (coordinate \"d\")) (initial (\"a\" 1)"                          \
  " (\"b\" -0.48164712937419674) (\"c\" -2.0393556091505487)) " forces ")"
#define CUT_FIRST(forces)                                                             \
  "(system (gravity 0 -9.81 0) (place (0 0 0) (name \"G\")) (place (4 0 0)"           \
  " (rz \"d\" (place (1.5 0 0) (mass 1.5 1 1 1)) (place (3 0 0)"                      \
  " (rz \"c\" (place (1.75 0 0) (mass 2 1 1 1)) (place (3.5 0 0)"                     \
  " (rz \"b\" (place (0.75 0 0) (mass 1 1 1 1)) (place (1.5 0 0) (name \"E\"))))))))" \
  " (close revolute \"G\" \"E\" (axis 0 0 1)) (initial (\"d\" 1.6205899150650478)"    \
  " (\"c\" -4.243829698029038) (\"b\" 0.48164712937419674)) " forces ")"

#define AT_D(forces)                    \
  {                                     \
    CUT_LAST(forces), CUT_FIRST(forces) \
  }

// motors, springs, dampers and drivers of a closing joint do what they do where it is a joint of
// the tree, by every method. "b" is in both. Runs differ by what tolerances and adaptive steps
// leave, 1e-9, and twice what they differ by without forces where a method depends on the cut; with
// friction by 1e-8: from rest fixed steps of baraff solve for the tree's, 6e-9 from the law. vi and
// svi have the tree's without vs (test_friction_rows)
static void closing_joint_takes_forces(void **state)
{
  static const char *const pair[][2] = {
      AT_D(""),
      AT_D("(torque \"d\" (+ 3 (* 2 (sin (* 3 t))) (neg v.d) (* -5 q.d)))"),
      AT_D("(joint-spring \"d\" 40 1.5)"),
      AT_D("(motion \"d\" (+ 1.6205899150650478 (* 0.2 (^ t 2))))"),
      AT_D("(parameter k 3) (damping \"d\" k)"),
      AT_D("(dry-friction \"d\" 5 (vs 0.5))"),
      AT_D("(input \"u\" 5) (actuator \"m\" \"d\" \"u\" (gear 3) (limit -4 4))")};
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    double bare = 0.0;
    snprintf(method, sizeof method, "%s", run_method(i));
    const cardan_options o = run_options(method, 0.005, 0.2);
    const bool has_rows = strncmp(method, "vi", 2) == 0 || strncmp(method, "svi", 3) == 0;
    for (int k = 0; k < 7; k += k == 4 && has_rows ? 2 : 1) {
      double last[3], first[3];
      run_end(pair[k][0], NULL, &o, 0.2, 40, last);
      run_end(pair[k][1], NULL, &o, 0.2, 40, first);
      const double apart = fabs(last[1] + first[2]);
      bare = k == 0 ? apart : bare;
      if (!(apart <= (k == 5 ? 1e-8 : 1e-9) + 2 * bare)) {
        fail_msg("%s, %d: %g apart, %g without forces", method, k, apart, bare);
      }
    }
  }
}

#define SPIN(forces)                                                             \
  "(system (rz \"a\" (mass 1 1 1 1) (name \"B\")) (place (0 0 0) (name \"A\")) " \
  "(close revolute \"A\" \"B\" (coordinate \"c\")) (initial (\"a\" 0 12)) " forces ")"

// a driver goes round several times; a spring, a torque, a stop that read the angle wind up over
// turns as they do on the joint beside it, by every method. Rows are of rank 0: nothing but the
// angle differs, so that the two runs differ by rounding, which 200 steps and 24 rad add up
static void closing_joint_turns(void **state)
{
  static const char *const pair[][2] = {
      {SPIN("(joint-spring \"c\" 0.05 1)"), SPIN("(joint-spring \"a\" 0.05 1)")},
      {SPIN("(torque \"c\" (* -0.05 q.c))"), SPIN("(torque \"a\" (* -0.05 q.a))")},
      {SPIN("(stop \"c\" -1 20)"), SPIN("(stop \"a\" -1 20)")}}; // of methods that hold them
  double q[1];
  (void)state;
  const cardan_options driven = run_options("vi", 0.01, 2.0);
  run_end(SPIN("(motion \"c\" (* 12 t))"), NULL, &driven, 2.0, 200, q);
  assert_near(q[0], 24.0, 1e-9); // Newton's tolerance
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    snprintf(method, sizeof method, "%s", run_method(i));
    const cardan_options o = run_options(method, 0.01, 2.0);
    const bool holds = strcmp(method, "vi") == 0 || strcmp(method, "aba") == 0;
    for (int k = 0; k < (holds ? 3 : 2); k++) {
      double other[1];
      run_end(pair[k][0], NULL, &o, 2.0, 200, q);
      run_end(pair[k][1], NULL, &o, 2.0, 200, other);
      if (!(fabs(q[0] - other[0]) <= 1e-9)) {
        fail_msg("%s, %d: %g, and %g on the joint", method, k, q[0], other[0]);
      }
    }
  }
}

// the spring's energy over turns, and its slope against central differences: of order h^2 = 1e-8
// of the third derivative, which is 0, and of rounding eps E / h
static void closing_joint_winds_up(void **state)
{
  static const double pi = 3.14159265358979323846, h = 1e-4;
  fixture f = fixture_load(SPIN("(joint-spring \"c\" 2 0.5)"));
  (void)state;
  for (int i = -40; i <= 40; i++) {
    const double q = 0.25 * i;
    double E[2];
    f.data->half_turn[0] = pi * round(q / pi);
    for (int side = 0; side < 2; side++) {
      const double at = q + (side ? h : -h);
      E[side] = energy_at(&f, &at);
    }
    assert_near(energy_at(&f, &q), (q - 0.5) * (q - 0.5), 200 * DBL_EPSILON * (1 + q * q));
    assert_near((E[1] - E[0]) / (2 * h), 2 * (q - 0.5), 10 * DBL_EPSILON * (1 + q * q) / h);
    f.data->q[0] = q;
    f.data->v[0] = 1.0;
    cardan_kinematics(f.model, f.data);
    cardan_forces(f.model, f.data);
    assert_near(power_of(f.model, f.data), -2 * (q - 0.5), 200 * DBL_EPSILON * (1 + fabs(q)));
  }
  fixture_free(&f);
}

// if a step may move by half a turn the turns cannot be counted, and the run reports it
static void closing_joint_too_fast(void **state)
{
  (void)state;
  for (int fast = 0; fast < 2; fast++) {
    fixture f = fixture_load(SPIN("(joint-spring \"c\" 0.05 1)"));
    const cardan_options o = run_options("aba", fast ? 0.3 : 0.1, 1.0);
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    assert_int_equal(cardan_sim_create(f.model, &o, NULL, &sim, &report), CARDAN_OK);
    assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
    const cardan_status status = cardan_sim_step(sim, &report);
    assert_int_equal(status, fast ? CARDAN_ERR_STEP_TOO_SMALL : CARDAN_OK);
    assert_true(!fast || strstr(report.message, "closing joint of \"c\"") != NULL);
    assert_near(cardan_sim_data(sim)->t, fast ? 0.0 : 0.1, 0.0); // the last good node
    cardan_sim_destroy(sim);
    fixture_free(&f);
  }
}

// along an axis: a spring on the closing joint is one on the joint beside it
static void closing_joint_slides(void **state)
{
  fixture f = fixture_load("(system (rx 0.4 (place (0 0.1 0) (name \"A\")) (ty \"x\" (mass 1)"
                           " (name \"B\"))) (close prismatic \"A\" \"B\" (axis 0 2 0)"
                           " (coordinate \"c\")) (joint-spring \"c\" 4 0.2) (torque \"c\" 3)"
                           " (damping \"c\" 0.5))");
  (void)state;
  f.data->q[0] = 0.7;
  f.data->v[0] = 2.0;
  assert_near(energy_at(&f, f.data->q), 0.5 * 4 * 0.4 * 0.4, 20 * DBL_EPSILON);
  cardan_forces(f.model, f.data);
  // c = 0.6: of the spring -1.6, of the torque 3, of the damping -1
  assert_near(power_of(f.model, f.data), 2.0 * (-1.6 + 3.0 - 1.0), 50 * DBL_EPSILON);
  fixture_free(&f);
}

/* Two bodies on a line, x apart: sliders "a" and "b" along x with frames of the same names. */
static fixture sliders(cardan_element element, double x)
{
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  for (int i = 0; i < 2; i++) {
    const cardan_joint_def joint = {
        .kind = CARDAN_JOINT_PRISMATIC, .name = i ? "b" : "a", .axis = {1.0, 0.0, 0.0}};
    const int frame = cardan_spec_joint(spec, 0, &joint);
    cardan_spec_mass(spec, frame,
                     &(cardan_mass){.m = i ? 3.0 : 2.0, .xx = 1.0, .yy = 1.0, .zz = 1.0});
  }
  tree_add(spec, element);
  fixture f = fixture_build(spec);
  f.data->q[1] = x;
  cardan_kinematics(f.model, f.data);
  cardan_forces(f.model, f.data);
  return f;
}

// closed forms, and what happens at distance 0
static void closed_forms(void **state)
{
  (void)state;
  const cardan_element spring = {
      .kind = CARDAN_ELEMENT_SPRING, .frame = {"a", "b"}, .value = {10.0, 0.5}};
  const cardan_element linear = {
      .kind = CARDAN_ELEMENT_SPRING, .frame = {"a", "b"}, .value = {10.0, 0.0}};
  const cardan_element newton = {
      .kind = CARDAN_ELEMENT_NEWTON_GRAVITY, .frame = {"a", "b"}, .value = {0.5}};
  const cardan_element damper = {
      .kind = CARDAN_ELEMENT_DAMPER, .frame = {"a", "b"}, .value = {2.0}};
  const struct {
    cardan_element element;
    double x, force, energy; // force pulls a towards b, along +x
  } cases[] = {{spring, 2.0, 15.0, 11.25}, {spring, 0.25, -2.5, 0.3125}, {spring, 0.0, 0.0, 1.25},
               {linear, 2.0, 20.0, 20.0},  {linear, 0.0, 0.0, 0.0},      {newton, 2.0, 0.75, -1.5},
               {damper, 0.0, 0.0, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = sliders(cases[i].element, cases[i].x);
    const cardan__view view = cardan__data_view(f.model, f.data);
    f.data->v[0] = 1.0;
    // power of the wrench on body 1 at unit speed of a is the force on it
    cardan_kinematics(f.model, f.data);
    assert_near(power_of(f.model, f.data), cases[i].force, 20 * DBL_EPSILON * 20);
    assert_near(cardan__forces_energy(f.model, &view), cases[i].energy, 20 * DBL_EPSILON * 20);
    fixture_free(&f);
  }
  fixture f = sliders(newton, 0.0);
  const cardan__view view = cardan__data_view(f.model, f.data);
  assert_true(cardan__forces_energy(f.model, &view) == -HUGE_VAL);
  assert_true(isnan(power_of(f.model, f.data)) != 0);
  fixture_free(&f);
}

// the potential forces and the others add up to all of them, and potentials need no velocities
static void split(void **state)
{
  (void)state;
  support_rng rng = {4};
  cardan_spec *spec = tree_spec(10, &rng);
  tree_add_potentials(spec);
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .value = {0.3}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"j1"}, .expr = {"7"}});
  fixture f = fixture_build(spec);
  cardan_data *data = f.data;
  tree_random_state(&f, &rng);
  cardan_kinematics(f.model, data);
  cardan_forces(f.model, data);
  const double all = power_of(f.model, data);
  cardan__view view = cardan__data_view(f.model, data);
  const double others = cardan__forces_power(f.model, &view, NULL);
  cardan__loads to = {.V = data->V, .v = data->v};
  view.V = NULL;
  view.v = NULL;
  cardan__forces_add_potential(f.model, &view, &to);
  assert_true(others != 0.0);
  // the same terms, about 100 of them, in two orders
  assert_near(to.power + others, all, 100 * DBL_EPSILON * (fabs(to.power) + fabs(others) + 100.0));
  fixture_free(&f);
}

/* Leaves of model->expr[0] at time t and coordinates q, with the kinematics of that instant. */
static void leaves_at(fixture *f, double t, const double *q, const double *v, double *x, double *x1,
                      double *x2)
{
  cardan_data *data = f->data;
  data->t = t;
  memcpy(data->q, q, (size_t)f->model->nq * sizeof *q);
  memcpy(data->v, v, (size_t)f->model->nv * sizeof *v);
  cardan_kinematics(f->model, data);
  const cardan__view view = cardan__data_view(f->model, data);
  cardan__leaf_values(f->model, &view, &f->model->expr[0], x, x1, x2);
}

/* q after a time h at constant v, by one step of the classical Runge-Kutta method. */
static void move(const cardan_model *model, const double *q, const double *v, double h, double *out)
{
  const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 2.0 / 6, 2.0 / 6, 1.0 / 6};
  double k[128], stage[128];
  memset(k, 0, sizeof k);
  memcpy(out, q, (size_t)model->nq * sizeof *q);
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < model->nq; i++) {
      stage[i] = q[i] + part[s] * h * k[i];
    }
    cardan_q_dot(model, stage, v, k);
    for (int i = 0; i < model->nq; i++) {
      out[i] += weight[s] * h * k[i];
    }
  }
}

// first and second time derivatives of every kind of leaf, against differences along a motion of
// constant v (zero joint acceleration) whose kinematic coordinate follows (sin (* 2 t))
// tolerance: five-point formulas at h = 2e-3 have truncation errors of h^4 x^(5)/30 and of
// h^4 x^(6)/90, rounding errors of eps x/h and 5 eps x/h^2: below 1e-9 and 1e-8 while the fifth
// derivative is below 1e3 and the sixth below 1e4
static void leaf_rates(void **state)
{
  (void)state;
  support_rng rng = {5};
  const double h = 2e-3, t = 0.4;
  cardan_spec *spec = tree_spec(10, &rng);
  const int k = cardan_spec_variable(spec, cardan_spec_find_frame(spec, "f5"), CARDAN_TRANSFORM_RX,
                                     "k", true);
  cardan_spec_frame_name(spec, cardan_spec_transform(spec, k, CARDAN_TRANSFORM_TY, 0.7), "tip");
  tree_add(spec,
           (cardan_element){
               .kind = CARDAN_ELEMENT_TORQUE,
               .var = {"j1"},
               .expr = {"(+ t q.j1 q.j6.d q.j2.qw q.j2.qz q.j5.x q.j5.z q.j5.qy q.k (px \"f10\") "
                        "(py \"f8\") (pz \"f5\") (pz \"tip\") (py \"tip\"))"}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_MOTION, .var = {"k"}, .expr = {"(sin (* 2 t))"}});
  fixture f = fixture_build(spec);
  const int n = f.model->expr[0].nleaf;
  double q[128], v[128], x[5][16], x1[16], x2[16];
  assert_int_equal(n, 14);
  tree_random_state(&f, &rng);
  memcpy(q, f.data->q, (size_t)f.model->nq * sizeof *q);
  memcpy(v, f.data->v, (size_t)f.model->nv * sizeof *v);
  for (int i = 0; i < 5; i++) {
    double there[128];
    move(f.model, q, v, (i - 2) * h, there);
    leaves_at(&f, t + (i - 2) * h, there, v, x[i], NULL, NULL);
  }
  leaves_at(&f, t, q, v, x[2], x1, x2);
  for (int i = 0; i < n; i++) {
    const double d1 = (x[0][i] - 8 * x[1][i] + 8 * x[3][i] - x[4][i]) / (12 * h);
    const double d2 =
        (-x[0][i] + 16 * x[1][i] - 30 * x[2][i] + 16 * x[3][i] - x[4][i]) / (12 * h * h);
    assert_near(x1[i], d1, 1e-9);
    assert_near(x2[i], d2, 1e-8);
  }
  fixture_free(&f);
}

// q' = coef . v is what cardan_q_dot says, for every coordinate
static void q_rates(void **state)
{
  (void)state;
  support_rng rng = {8};
  fixture f = fixture_build(tree_spec(10, &rng));
  double qdot[128];
  tree_random_state(&f, &rng);
  cardan_q_dot(f.model, f.data->q, f.data->v, qdot);
  for (int i = 0; i < f.model->nq; i++) {
    double coef[6], rate = 0.0;
    int k0 = -1;
    const int n = cardan__q_rate(f.model, f.data->q, i, &k0, coef);
    for (int k = 0; k < n; k++) {
      rate += coef[k] * f.data->v[k0 + k];
    }
    assert_near(rate, qdot[i], 20 * DBL_EPSILON * 3);
  }
  fixture_free(&f);
}

// an evaluation asks for no memory
static void no_allocation(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  support_rng rng = {2};
  cardan_spec *spec = tree_spec(10, &rng);
  tree_add_potentials(spec);
  fixture f = fixture_build(spec);
  cardan_kinematics(f.model, f.data);
  const long before = support_alloc_count();
  cardan_forces(f.model, f.data);
  assert_int_equal(support_alloc_count(), before);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_gradients),
      cmocka_unit_test(dampers_dissipate),
      cmocka_unit_test(expressions_are_springs),
      cmocka_unit_test(angle_of_a_hinge),
      cmocka_unit_test(every_method_takes_them),
      cmocka_unit_test(bushings_are_springs),
      cmocka_unit_test(bushings_by_every_method),
      cmocka_unit_test(closing_joint_takes_forces),
      cmocka_unit_test(closing_joint_turns),
      cmocka_unit_test(closing_joint_winds_up),
      cmocka_unit_test(closing_joint_too_fast),
      cmocka_unit_test(closing_joint_slides),
      cmocka_unit_test(wrench_power),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(leaf_rates),
      cmocka_unit_test(q_rates),
      cmocka_unit_test(no_allocation),
      cmocka_unit_test(split),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
