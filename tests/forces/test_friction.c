// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/spec.h"
#include "forces/forces.h"
#include "random_tree.h"

static const double g = 9.81;

/* One body of 2 kg on one joint, with friction in it; gravity along -z. The body's centre is `arm`
 * along its frame's x. */
static fixture one_joint(cardan_joint_def joint, cardan_element friction, double arm)
{
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  cardan_spec_gravity(spec, (cardan_vec3){0.0, 0.0, -g});
  const int frame = cardan_spec_joint(spec, 0, &joint);
  const int tip = cardan_spec_transform(spec, frame, CARDAN_TRANSFORM_TX, arm);
  cardan_spec_mass(spec, tip, &(cardan_mass){.m = 2.0, .xx = 0.3, .yy = 0.4, .zz = 0.5});
  tree_add(spec, friction);
  return fixture_build(spec);
}

static cardan_element friction(double mu, double radius, double vs)
{
  return (cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j"}, .value = {mu, radius, vs}};
}

// mu |N|: across the axis for joints that have one, along a plane's normal, all of it for a ball
static void limits(void **state)
{
  (void)state;
  const cardan_vec3 axis = {1.0, 2.0, 2.0}, force = {3.0, -4.0, 12.0}; // 19/3 along the unit axis
  const double across = sqrt(169.0 - 361.0 / 9.0);
  const struct {
    cardan_joint_def joint;
    double N;
  } cases[] = {{{.kind = CARDAN_JOINT_REVOLUTE, .name = "j", .axis = axis}, across},
               {{.kind = CARDAN_JOINT_PRISMATIC, .name = "j", .axis = axis}, across},
               {{.kind = CARDAN_JOINT_CYLINDRICAL, .name = "j", .axis = axis}, across},
               {{.kind = CARDAN_JOINT_PLANAR, .name = "j"}, 12.0},
               {{.kind = CARDAN_JOINT_SPHERICAL, .name = "j"}, 13.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = one_joint(cases[i].joint, friction(0.3, 0.1, 0.0), 0.2);
    const cardan_frame *frame = &f.model->frame[f.model->joint[0].frame];
    cardan_force wrench[8] = {0};
    double limit = -1.0;
    assert_true(f.model->nbody <= 8);
    wrench[frame->body] =
        (cardan_force){.t = {7.0, 8.0, 9.0}, .f = cardan__mat3_mulv(&frame->X_BF.R, force)};
    cardan__friction_limits(f.model, wrench, &limit);
    assert_near(limit, 0.3 * cases[i].N, 20 * DBL_EPSILON * 13.0);
    assert_true(f.model->has_friction);
    assert_true(f.model->force[0].value[2] == 1e-3);
    fixture_free(&f);
  }
}

// friction acts against the sliding velocity, at full strength from vs on, smoothly through zero
static void smoothing(void **state)
{
  (void)state;
  const cardan_joint_def slider = {.kind = CARDAN_JOINT_PRISMATIC, .name = "j"};
  fixture f = one_joint(slider, friction(0.3, 0.0, 0.5), 0.2);
  const cardan__view view = cardan__data_view(f.model, f.data);
  const double limit = 6.0;
  const struct {
    double v, tau;
  } cases[] = {{0.0, 0.0},
               {0.5, -6.0},
               {0.7, -6.0},
               {-3.0, 6.0},
               {0.25, -6.0 * 0.79296875},
               {-0.25, 6.0 * 0.79296875}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_force f_ext[2] = {0};
    double tau = 0.0;
    cardan__loads to = {.f_ext = f_ext, .tau = &tau};
    f.data->v[0] = cases[i].v;
    cardan__friction_apply(f.model, &view, &limit, &to);
    assert_near(tau, cases[i].tau, 4 * DBL_EPSILON * 6.0);
  }
  fixture_free(&f);
}

// the whole friction force of joints with several velocities is mu N, against the sliding direction
static void directions(void **state)
{
  (void)state;
  const double r = 0.2, limit = 5.0;
  const struct {
    cardan_joint_def joint;
    double v[3], length[3]; // sliding velocity is length v
  } cases[] = {
      {{.kind = CARDAN_JOINT_CYLINDRICAL, .name = "j"}, {3.0, -0.4}, {r, 1.0}},
      {{.kind = CARDAN_JOINT_PLANAR, .name = "j"}, {0.6, 0.3, -2.0}, {1.0, 1.0, r}},
      {{.kind = CARDAN_JOINT_SPHERICAL, .name = "j"}, {1.0, -2.0, 2.0}, {r, r, r}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = one_joint(cases[i].joint, friction(0.3, r, 0.01), 0.2);
    cardan_force f_ext[4] = {0};
    double tau[3] = {0.0}, speed = 0.0;
    cardan__loads to = {.f_ext = f_ext, .tau = tau};
    memcpy(f.data->v, cases[i].v, (size_t)f.model->nv * sizeof(double));
    cardan_kinematics(f.model, f.data);
    const cardan__view view = cardan__data_view(f.model, f.data);
    cardan__friction_apply(f.model, &view, &limit, &to);
    for (int k = 0; k < f.model->nv; k++) {
      speed += cases[i].length[k] * cases[i].length[k] * cases[i].v[k] * cases[i].v[k];
    }
    speed = sqrt(speed);
    for (int k = 0; k < f.model->nv; k++) {
      const double l = cases[i].length[k];
      assert_near(tau[k], -limit * l * l * cases[i].v[k] / speed, 20 * DBL_EPSILON * limit);
    }
    assert_near(cardan__forces_power(f.model, &view, &limit), -limit * speed,
                20 * DBL_EPSILON * limit);
    fixture_free(&f);
  }
}

// a block on an incline: a = g (sin - mu cos) while it slides down, g (sin + mu cos) on its way up
static void incline(void **state)
{
  (void)state;
  const double slope = 0.5, mu = 0.3;
  const cardan_joint_def slider = {
      .kind = CARDAN_JOINT_PRISMATIC, .name = "j", .axis = {cos(slope), 0.0, -sin(slope)}};
  fixture f = one_joint(slider, friction(mu, 0.0, 0.0), 0.2);
  for (int up = 0; up < 2; up++) {
    f.data->v[0] = up ? -1.0 : 1.0;
    assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_OK);
    const double expected = g * (sin(slope) + (up ? mu : -mu) * cos(slope));
    assert_near(f.data->a[0], expected, 20 * DBL_EPSILON * g);
    assert_near(f.data->friction[0], mu * 2.0 * g * cos(slope), 20 * DBL_EPSILON * 2.0 * g);
  }
  fixture_free(&f);
}

// a pendulum with friction in its pin: the pin's force depends on the acceleration, which depends
// on it; the equation of motion with both in it must hold
// tolerance: the iteration stops at 1e-12 of the pin's force, here below 50 N
static void pendulum(void **state)
{
  (void)state;
  const double m = 2.0, l = 0.7, mu = 0.4, r = 0.05, I = 0.4 + m * l * l;
  const cardan_joint_def pin = {
      .kind = CARDAN_JOINT_REVOLUTE, .name = "j", .axis = {0.0, 1.0, 0.0}};
  fixture f = one_joint(pin, friction(mu, r, 0.0), l);
  for (int i = 0; i < 8; i++) {
    const double q = 0.8 * i, w = i % 2 ? 3.0 : -2.0;
    f.data->q[0] = q;
    f.data->v[0] = w;
    assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_OK);
    const double a = f.data->a[0];
    // turning about +y takes the rod from x towards -z: in (x, z) it is (cos q, -sin q), and
    // (-sin q, -cos q) is across it
    const double along = -m * l * w * w - m * g * sin(q), across = m * l * a - m * g * cos(q);
    const double N = hypot(along, across);
    assert_near(I * a, m * g * l * cos(q) - (w > 0 ? 1.0 : -1.0) * mu * r * N, 1e-12 * 50.0);
  }
  fixture_free(&f);
}

// friction that its own reaction feeds more than it started with: no answer, and the joint is named
static void locked(void **state)
{
  (void)state;
  const cardan_joint_def pin = {
      .kind = CARDAN_JOINT_REVOLUTE, .name = "j", .axis = {0.0, 1.0, 0.0}};
  fixture f = one_joint(pin, friction(50.0, 0.2, 0.0), 0.7);
  f.data->v[0] = 1.0;
  assert_int_equal(cardan_forward(f.model, f.data, 0.0, 0.0), CARDAN_ERR_NO_CONVERGENCE);
  assert_int_equal(f.data->info.joint, 0);
  assert_non_null(strstr(f.data->info.message, "\"j\""));
  fixture_free(&f);
}

/* ---- slider-crank ---- */

enum { CRANK, X, A, B };

/* A spatial slider-crank with friction in its slider, the crank driven at -2 pi rad/s: crank 0.08 m
 * about x at (0, 0.1, 0.12), rod 0.3 m, slider on the x axis. The rod's moments (4e-3 along it,
 * 4e-3 and 4e-4 across) are in the order of the program that the figures below come from. */
static fixture slider_crank(double mu)
{
  cardan_spec *spec = NULL;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  cardan_spec_gravity(spec, (cardan_vec3){0.0, 0.0, -g});
  const cardan_xform at = cardan__xform_from_rpy(cardan__vec3(0.0, 0.1, 0.12), 0.0, 0.0, 0.0);
  const cardan_joint_def crank = {
      .kind = CARDAN_JOINT_REVOLUTE, .name = "crank", .axis = {1.0, 0.0, 0.0}};
  const cardan_joint_def x = {.kind = CARDAN_JOINT_PRISMATIC, .name = "x", .axis = {1.0, 0.0, 0.0}};
  const cardan_joint_def u = {.kind = CARDAN_JOINT_UNIVERSAL,
                              .name = "u",
                              .axis = {1.0, 0.0, 0.0},
                              .axis2 = {0.0, 0.0, 1.0}};
  const int c = cardan_spec_joint(spec, cardan_spec_place(spec, 0, &at), &crank);
  cardan_spec_mass(spec, c, &(cardan_mass){.m = 0.12, .xx = 1e-4, .yy = 1e-5, .zz = 1e-4});
  cardan_spec_frame_name(spec, cardan_spec_transform(spec, c, CARDAN_TRANSFORM_TZ, 0.08), "pin");
  const int s = cardan_spec_joint(spec, 0, &x);
  cardan_spec_mass(spec, s, &(cardan_mass){.m = 2.0, .xx = 1e-4, .yy = 1e-4, .zz = 1e-4});
  const int rod = cardan_spec_joint(spec, s, &u);
  cardan_spec_mass(spec, cardan_spec_transform(spec, rod, CARDAN_TRANSFORM_TY, 0.15),
                   &(cardan_mass){.m = 0.5, .xx = 4e-3, .yy = 4e-3, .zz = 4e-4});
  cardan_spec_frame_name(spec, cardan_spec_transform(spec, rod, CARDAN_TRANSFORM_TY, 0.3), "end");
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_COINCIDE, .frame = {"end", "pin"}});
  tree_add(spec, (cardan_element){
                     .kind = CARDAN_ELEMENT_MOTION, .var = {"crank"}, .expr = {"(* -2 pi t)"}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"x"}, .value = {mu}});
  return fixture_build(spec);
}

/* The exact state at time t: the pin's circle, then the slider and the rod's direction d. */
static void slider_crank_at(fixture *f, double t)
{
  const double w = -2.0 * acos(-1.0), th = w * t, L = 0.3;
  const double py = 0.1 - 0.08 * sin(th), pz = 0.12 + 0.08 * cos(th);
  const double vy = -0.08 * w * cos(th), vz = -0.08 * w * sin(th);
  const double x = sqrt(L * L - py * py - pz * pz), vx = -(py * vy + pz * vz) / x;
  const double d[3] = {-x / L, py / L, pz / L}, e[3] = {-vx / L, vy / L, vz / L};
  double *q = f->data->q, *v = f->data->v;
  f->data->t = t;
  q[CRANK] = th;
  v[CRANK] = w;
  q[X] = x;
  v[X] = vx;
  // Rx(a) Rz(b) y = (-sin b, cos a cos b, sin a cos b) = d
  q[A] = atan2(d[2], d[1]);
  v[A] = (d[1] * e[2] - d[2] * e[1]) / (d[1] * d[1] + d[2] * d[2]);
  q[B] = asin(-d[0]);
  v[B] = -e[0] / sqrt(1.0 - d[0] * d[0]);
}

static double energy(fixture *f, double t)
{
  slider_crank_at(f, t);
  cardan_kinematics(f->model, f->data);
  return cardan_kinetic(f->model, f->data) + cardan_potential(f->model, f->data);
}

/* Driving torque about +x at time t, and the power that is neither the driver's nor friction's nor
 * a change of energy: 0 when all is right. */
static double drive(fixture *f, double t, double *power_left)
{
  const double h = 1e-4;
  double force[3];
  const double dE =
      (energy(f, t - 2 * h) - 8 * energy(f, t - h) + 8 * energy(f, t + h) - energy(f, t + 2 * h)) /
      (12 * h);
  slider_crank_at(f, t);
  assert_int_equal(cardan_forward(f->model, f->data, 0.0, 0.0), CARDAN_OK);
  const cardan__view view = cardan__data_view(f->model, f->data);
  assert_int_equal(f->model->njoint, 3);
  cardan_driver_forces(f->model, f->data, force);
  *power_left =
      dE - force[0] * f->data->v[CRANK] - cardan__forces_power(f->model, &view, f->data->friction);
  return force[0];
}

// the ranges of the driving torque over a turn are known to 3 digits from an independent program in
// maximal coordinates; and at every instant the driver's power and friction's are the change of
// energy
// tolerance of the power: differences of order 4 at h = 1e-4 of energies near 1 J that change at
// about 10 rad/s have errors of h^4 10^5/30 and 1.5 eps/h, both below 1e-11
static void slider_crank_torque(void **state)
{
  (void)state;
  const double mu[3] = {0.0, 0.2, 0.4}, low[3] = {-0.294, -0.453, -0.590},
               high[3] = {0.209, 0.125, 0.125};
  for (int i = 0; i < 3; i++) {
    fixture f = slider_crank(mu[i]);
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int k = 0; k < 1000; k++) {
      double power_left;
      const double torque = drive(&f, 1e-3 * k, &power_left);
      assert_near(power_left, 0.0, 1e-10);
      least = fmin(least, torque);
      most = fmax(most, torque);
    }
    assert_near(least, low[i], 6e-4);
    assert_near(most, high[i], 6e-4);
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits),
      cmocka_unit_test(smoothing),
      cmocka_unit_test(directions),
      cmocka_unit_test(incline),
      cmocka_unit_test(pendulum),
      cmocka_unit_test(locked),
      cmocka_unit_test(slider_crank_torque),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
