// SPDX-License-Identifier: Apache-2.0
// From models to maximal coordinates: which rows chains of joints become, their derivatives, and
// the way from coordinates to poses and back.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_fixture.h"

/* A body on one joint or chain of transforms. */
static mechanism on_joint(const char *joint, bool planar)
{
  char text[512];
  snprintf(text, sizeof text,
           "(system \"one\" (gravity 0 0 -9.81) (place (0.3 -0.2 0.5) (rotvec 0.2 -0.4 0.9) %s "
           "(place (0.3 0.1 "
           "-0.2) (mass 2 0.3 0.4 0.5 0.05 0.02 0.01)))))",
           joint);
  return load_mechanism(text, NULL, planar);
}

// every joint, and chains of transforms that make it, have its number of rows
static void chains(void **state)
{
  (void)state;
  static const struct {
    const char *joint;
    int rows, planar_rows; // planar_rows -1: no plane
  } cases[] = {
      {"(joint revolute \"j\" (axis 1 2 3)", 5, 2},
      {"(joint prismatic \"j\" (axis 1 2 3)", 5, 2},
      {"(joint helical \"j\" (axis 1 2 3) (pitch 0.2)", 5, -1},
      {"(joint cylindrical \"j\" (axis 1 2 3)", 4, -1},
      {"(joint universal \"j\" (axis 1 0 0) (axis2 0 1 1)", 4, -1},
      {"(joint spherical \"j\"", 3, -1},
      {"(joint planar \"j\"", 3, 0},
      {"(joint free \"j\"", 0, -1},
      {"(rx \"a\"", 5, 2},
      {"(tx \"x\" tz \"z\" ry \"a\"", 3, 0}, // planar
      {"(tz 0.3 tx \"x\" ty 0.2 tz \"z\" rx 0.3 ry \"a\"", 3,
       -1},                                          // two slides, a turn askew to them
      {"(tx \"x\" rx \"a\"", 4, -1},                 // cylindrical
      {"(rx \"a\" tx \"x\"", 4, -1},                 // and the other way round
      {"(rx \"a\" ry \"b\"", 4, -1},                 // universal
      {"(rx \"a\" tx 0.3 ry \"b\"", 4, -1},          // axes that meet elsewhere
      {"(rx \"a\" ry \"b\" rz \"c\"", 3, -1},        // spherical
      {"(rx \"a\" ry 0.5 ry \"b\" rx \"c\"", 3, -1}, // spherical, other angles
      {"(tx \"x\" ty \"y\" tz \"z\" rx \"a\" ry \"b\" rz \"c\"", 0, -1}, // free
      {"(tx \"x\" ty \"y\"", 4, 1},                                      // a table
      {"(tx \"x\" ry \"a\"", 4, 1},                                      // a pin in a slot
      {"(ry \"a\" tx \"x\"", 4, 1},                                      // a slot that turns
      {"(tx \"x\" (joint spherical \"j\"", 2, -1},                       // a ball in a groove
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char joint[160];
    snprintf(joint, sizeof joint, "%s", cases[i].joint);
    const bool nested = strstr(joint, "(joint") != NULL && joint[1] == 't';
    mechanism f = {.model = NULL};
    if (nested) { // one more parenthesis to close
      char text[400];
      snprintf(text, sizeof text, "(system \"one\" %s (tx 0.3 (mass 2 0.3 0.4 0.5)))))", joint);
      f = load_mechanism(text, NULL, true);
    } else {
      f = on_joint(joint, true);
    }
    print_message("%-60s %d rows, %s\n", joint, f.mx->neq, f.mx->planar ? "planar" : "in space");
    assert_int_equal(cardan__maximal_takes(f.model, true, NULL, NULL), CARDAN_OK);
    assert_int_equal(f.mx->planar, cases[i].planar_rows >= 0);
    assert_int_equal(f.mx->neq, f.mx->planar ? cases[i].planar_rows : cases[i].rows);
    free_mechanism(&f);
    if (!nested) {
      f = on_joint(joint, false);
      assert_int_equal(f.mx->neq, cases[i].rows);
      free_mechanism(&f);
    }
  }
}

static void expect_refused(const char *text, const char *word)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan__maximal *mx = NULL;
  assert_int_equal(
      cardan_model_from_text(text, strlen(text), "text", NULL, 0, NULL, &model, &report),
      CARDAN_OK);
  assert_int_equal(cardan__maximal_create(model, true, NULL, &mx, &report), CARDAN_ERR_UNSUPPORTED);
  assert_null(mx);
  print_message("%s\n", report.message);
  assert_non_null(strstr(report.message, word));
  // and the same message without building it
  cardan_report asked = {.message = ""};
  assert_int_equal(cardan__maximal_takes(model, true, NULL, &asked), CARDAN_ERR_UNSUPPORTED);
  assert_string_equal(asked.message, report.message);
  cardan_model_destroy(model);
}

// what cannot be taken is refused with the joint's name
static void refused(void **state)
{
  (void)state;
  expect_refused("(system \"a\" (ry \"swing\" (tz -1 (mass 1))))", "\"swing\"");
  expect_refused("(system \"a\" (joint spherical \"ball\" (tz -1 (mass 1)) (tx 1 (mass 1))))",
                 "\"ball\"");
  // two turns with a massless bar between, and a massless body with two others on it
  expect_refused("(system \"a\" (ry \"upper\" tx 1 ry \"lower\" (tx 1 (mass 1 0.1 0.1 0.1))))",
                 "\"lower\"");
  expect_refused("(system \"a\" (ry \"fork\" (name \"f\") (tx 1 ry \"left\" (mass 1 0.1 0.1 0.1)))"
                 " (at \"f\" (tx -1 ry \"right\" (mass 1 0.1 0.1 0.1))))",
                 "\"fork\"");
  // a sphere's inertias with no mass
  expect_refused("(system \"a\" (joint spherical \"ghost\" (mass 0 0.1 0.1 0.1)))", "\"ghost\"");
}

// q, v -> poses, twists -> q, v: the same for every joint; angles keep their turns
// tolerance: a few hundred roundings of numbers up to 20
static void round_trip(void **state)
{
  (void)state;
  for (int i = 0; i < 40; i++) {
    support_rng rng = {50 + (uint64_t)i};
    mechanism f = random_mechanism(300 + (uint64_t)i, 12, i % 4 == 1, i % 3 == 0, 0);
    shake_mechanism(&f, &rng, 0.8);
    for (int k = 0; k < f.model->nq; k++) { // some turns more on hinges: the last value keeps count
      const cardan_body *b = &f.model->body[f.model->q_body[k]];
      f.data->q[k] +=
          b->kind == CARDAN_LINK_REVOLUTE ? 6.283185307179586 * support_random_int(&rng, -3, 3) : 0;
    }
    look_at_mechanism(&f);
    assert_near_vec(f.mx->q, f.data->q, f.model->nq, 1e-12 * 20);
    assert_near_vec(f.mx->v, f.data->v, f.model->nv, 1e-12 * 20);
    for (int b = 1; b < f.model->nbody; b++) {
      assert_near_vec(&f.mx->X_W[b].R.m[0][0], &f.data->X_W[b].R.m[0][0], 9, 1e-12 * 20);
      assert_near_vec(&f.mx->X_W[b].p.x, &f.data->X_W[b].p.x, 3, 1e-12 * 20);
      assert_near_vec(&f.mx->V[b].w.x, &f.data->V[b].w.x, 6, 1e-12 * 100);
    }
    free_mechanism(&f);
  }
}

/* Violations at the mechanism's configuration moved along x for a time h, at time t + h. */
static void values_at(mechanism *f, const double *x, double h, double *phi)
{
  cardan__maximal *mx = f->mx;
  const size_t n = (size_t)mx->ncfg * (size_t)mx->nbody;
  double *step = calloc((size_t)mx->nx + 1, sizeof *step), *cfg = calloc(n + 1, sizeof *cfg);
  assert_true(step && cfg);
  for (int i = 0; i < mx->nx; i++) {
    step[i] = h * x[i];
  }
  cardan__mx_drift(mx, f->cfg, step, cfg);
  mx->t = f->data->t + h;
  cardan__mx_place(mx, cfg, NULL);
  cardan__mx_coordinates(mx, true);
  cardan__mx_values(mx);
  memcpy(phi, mx->rows.phi, (size_t)mx->set.n * sizeof *phi);
  free(step);
  free(cfg);
}

/* J x + phi_t and the second derivative at constant x against central differences. drift is exact
 * for constant velocities, so the second difference at h has an error of h^2/12 of the fourth
 * derivative and 4 eps/h^2 of the value: 1e-6 and less at h = 1e-4 and numbers near 10. */
static void expect_derivatives(mechanism *f, double size)
{
  cardan__maximal *mx = f->mx;
  const int m = mx->set.n, n = mx->dof;
  const double h1 = 1e-5, h2 = 1e-4;
  double *at[5], *vel = calloc((size_t)mx->nx + 1, sizeof *vel);
  assert_non_null(vel);
  memcpy(vel, f->vel, (size_t)mx->nx * sizeof *vel);
  for (int i = 0; i < 5; i++) {
    at[i] = calloc((size_t)m + 1, sizeof **at);
    assert_non_null(at[i]);
  }
  values_at(f, vel, 0, at[0]);
  values_at(f, vel, h1, at[1]);
  values_at(f, vel, -h1, at[2]);
  values_at(f, vel, h2, at[3]);
  values_at(f, vel, -h2, at[4]);
  look_at_mechanism(f);
  cardan__mx_jacobian(mx);
  cardan__mx_rates_of_rows(mx, true);
  for (int r = 0; r < m; r++) {
    double rate = mx->rows.phi_t[r];
    for (int i = mx->ent[r]; i < mx->ent[r] + mx->nent[r]; i++) {
      for (int k = 0; k < n; k++) {
        rate += mx->J[i * n + k] * vel[mx->ent_body[i] * n + k];
      }
    }
    assert_near((at[1][r] - at[2][r]) / (2 * h1), rate, 1e-8 * size);
    assert_near((at[3][r] - 2 * at[0][r] + at[4][r]) / (h2 * h2), -mx->rows.gamma[r], 2e-6 * size);
  }
  for (int i = 0; i < 5; i++) {
    free(at[i]);
  }
  free(vel);
}

// J, Phi_t and gamma of tree joints in random trees that hold together
static void derivatives_of_joints(void **state)
{
  (void)state;
  for (int i = 0; i < 20; i++) {
    support_rng rng = {70 + (uint64_t)i};
    mechanism f = random_mechanism(400 + (uint64_t)i, 10, i % 4 == 1, i % 3 == 0, 0);
    shake_mechanism(&f, &rng, 0.6);
    expect_derivatives(&f, 100); // long arms: poses and rates up to 100
    free_mechanism(&f);
  }
}

// and of the rows that read coordinates, massless bodies and time: drivers, gears, screws, cams,
// wires, points of massless frames, prescribed coordinates
static void derivatives_of_models(void **state)
{
  (void)state;
  static const char shaken[] =
      "(system \"k\" (gravity 0 0 -9.81) (tx (k \"x\") (name \"m\") (tz 0.2 (name \"p\"))"
      " (ry \"a\" (tz -1 (mass 1 0.1 0.1 0.1) (name \"e\")))) (motion \"x\" (sin (* 2 t)))"
      " (tx 2 ry \"b\" (tz -1 (mass 1 0.1 0.2 0.1) (name \"w\")))"
      " (wire \"p\" \"w\" (+ 2.3 (* 0.1 t))))";
  static const char *const models[] = {"screw",        "gear",      "cam",   "wire",
                                       "slider-crank", "four-link", "biped", "lower-pairs",
                                       "fourbar-3d",   "ring",      shaken};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    for (int planar = 0; planar < 2; planar++) {
      support_rng rng = {90 + (uint64_t)i};
      mechanism f = load_mechanism(models[i], NULL, planar);
      assert_int_equal(cardan_assemble(f.model, f.data, NULL, NULL), CARDAN_OK);
      // on the tree, loops open: the rows of the model are right everywhere, those of joints where
      // they hold
      support_random_vec(&rng, f.data->v, f.model->nv, 1);
      look_at_mechanism(&f);
      expect_derivatives(&f, 50);
      free_mechanism(&f);
    }
  }
}

/* Rows taken pair by pair against those of constraints/rows.h, one by one: the same to rounding of
 * lengths of some metres. */
static void expect_same_rows(mechanism *f)
{
  const cardan__maximal *mx = f->mx;
  const cardan__view view = cardan__mx_view(mx);
  const size_t n = (size_t)mx->set.n, nw = (size_t)mx->set.nrow_body, size = sizeof(double);
  double *phi = calloc(n + 1, size), *c = calloc((size_t)mx->set.nrow_dof + 1, size);
  double *phi_t = calloc(n + 1, size), *gamma = calloc(n + 1, size), *grouped = calloc(n + 1, size);
  cardan_force *w = calloc(nw + 1, sizeof *w);
  cardan_rows one_by_one = {.w = w, .c = c};
  assert_true(phi && phi_t && gamma && grouped && c && w);
  cardan__mx_values(f->mx);
  cardan__mx_jacobian(f->mx);
  cardan__rows_value(&mx->set, &view, phi);
  cardan__rows_jacobian(&mx->set, &view, &one_by_one);
  cardan__rows_rates(&mx->set, &view, phi_t, gamma);
  cardan__mx_group_rates(mx, &view, mx->rows.phi_t, grouped);
  for (size_t r = 0; r < n; r++) {
    assert_true(fabs(mx->rows.phi[r] - phi[r]) < 1e-13);
    assert_true(mx->rows.phi_t[r] == phi_t[r]);
    assert_true(fabs(grouped[r] - gamma[r]) < 1e-12); // of accelerations to some 10
  }
  for (size_t i = 0; i < nw; i++) {
    const cardan_vec3 t = cardan__vec3_sub(mx->rows.w[i].t, w[i].t);
    const cardan_vec3 force = cardan__vec3_sub(mx->rows.w[i].f, w[i].f);
    assert_true(cardan__vec3_norm(t) < 1e-13 && cardan__vec3_norm(force) < 1e-13);
  }
  free(phi);
  free(phi_t);
  free(gamma);
  free(grouped);
  free(c);
  free(w);
}

// rows of pairs, on the constraints and off them, with joints and loops open
static void pairs(void **state)
{
  (void)state;
  static const char *const models[] = {"lower-pairs", "fourbar-3d",   "ring",     "biped",
                                       "screw",       "slider-crank", "scissor:2"};
  int world = 0;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    for (int planar = 0; planar < 2; planar++) {
      support_rng rng = {300 + (uint64_t)i};
      mechanism f = load_mechanism(models[i], NULL, planar);
      int plain = 0;
      shake_mechanism(&f, &rng, 0.5);
      expect_same_rows(&f);
      support_random_vec(&rng, f.vel, f.mx->nx, 0.3); // bodies leave their joints
      cardan__mx_drift(f.mx, f.cfg, f.vel, f.cfg);
      cardan__mx_place(f.mx, f.cfg, f.vel);
      for (int k = 1; k < f.model->nbody; k++) { // and have accelerations of any kind
        support_random_vec(&rng, &f.mx->A0[k].w.x, 3, 1);
        support_random_vec(&rng, &f.mx->A0[k].v.x, 3, 1);
      }
      expect_same_rows(&f);
      for (int k = 0; k < f.mx->ngroup; k++) {
        plain += f.mx->group[k].plain ? f.mx->group[k].n : 0;
        world += f.mx->group[k].world ? f.mx->group[k].n : 0;
      }
      assert_true(plain > 0);
      free_mechanism(&f);
    }
  }
  assert_true(world >= 2 * 4); // the pins of scissor:2, in space and in a plane
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains),
      cmocka_unit_test(refused),
      cmocka_unit_test(round_trip),
      cmocka_unit_test(derivatives_of_joints),
      cmocka_unit_test(derivatives_of_models),
      cmocka_unit_test(pairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
