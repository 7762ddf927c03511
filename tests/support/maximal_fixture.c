// SPDX-License-Identifier: Apache-2.0
#include "maximal_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- mechanisms ---- */

static const char *const space_joints[] = {"revolute",  "prismatic", "helical", "cylindrical",
                                           "universal", "spherical", "planar",  "free"};

static void write_joint(cardan__text *out, support_rng *rng, int i, int parent, bool planar,
                        bool floating)
{
  const double x = support_random_in(rng, 0.2, 1), z = support_random_in(rng, -1, -0.2);
  if (parent == 0) {
    cardan__text_printf(out, "(place (%.17g 0 0)", x);
  } else {
    cardan__text_printf(out, "(at \"b%d\" (place (%.17g %.17g %.17g)", parent, x,
                        planar ? 0 : support_random_in(rng, -1, 1), z);
  }
  if (planar) {
    // from the second body on hinges, sliders and, now and then, a pin in a slot
    const int kind = support_random_int(rng, 0, 3);
    if (i == 1 && floating) {
      cardan__text_printf(out, "(tx \"x\" tz \"z\" ry \"q1\"");
    } else if (kind == 3) {
      cardan__text_printf(out, "(tz \"s%d\" ry \"q%d\"", i, i);
    } else {
      cardan__text_printf(out, kind == 2 ? "(tx \"q%d\"" : "(ry \"q%d\"", i);
    }
  } else {
    const char *kind = i == 1 && floating ? "free" : space_joints[support_random_int(rng, 0, 6)];
    cardan__text_printf(out, " (rotvec %.17g %.17g %.17g) (joint %s \"q%d\"%s",
                        support_random_in(rng, -2, 2), support_random_in(rng, -2, 2),
                        support_random_in(rng, -2, 2), kind, i,
                        strcmp(kind, "helical") == 0 ? " (pitch 0.3)" : "");
  }
  cardan__text_printf(out,
                      " (name \"b%d\") (place (0.1 %d 0.3) (mass %.17g 0.2 0.3 0.25 0.02 0 0.01)))",
                      i, planar ? 0 : 1, support_random_in(rng, 0.5, 2));
  cardan__text_printf(out, parent == 0 ? ")\n" : "))\n");
}

/* A pair that is closed at q = 0 between bodies of the tree whose poses there are known. */
static void write_loop(cardan__text *out, support_rng *rng, const cardan_model *model,
                       const cardan_data *data, int n, int i, bool planar)
{
  char name[16];
  int body[2];
  cardan_xform X[2];
  body[0] = support_random_int(rng, 1, n);
  body[1] = support_random_int(rng, 1, n - 1);
  body[1] += body[1] >= body[0];
  for (int k = 0; k < 2; k++) {
    snprintf(name, sizeof name, "b%d", body[k]);
    X[k] = cardan_frame_pose(model, data, cardan_model_frame(model, name));
  }
  const cardan_vec3 s = {support_random_in(rng, -1, 1), 0, support_random_in(rng, -1, 1)};
  const cardan_vec3 t = cardan__xform_inv_point(&X[1], cardan__xform_point(&X[0], s));
  cardan__text_printf(out, "(at \"b%d\" (place (%.17g %.17g %.17g) (name \"A%d\")))\n", body[0],
                      s.x, s.y, s.z, i);
  cardan__text_printf(out, "(at \"b%d\" (place (%.17g %.17g %.17g) (name \"B%d\")))\n", body[1],
                      t.x, t.y, t.z, i);
  if (planar) {
    cardan__text_printf(out, "(point-constraint \"A%d\" \"B%d\" 1 0 0)", i, i);
    cardan__text_printf(out, "(point-constraint \"A%d\" \"B%d\" 0 0 1)\n", i, i);
  } else {
    cardan__text_printf(out, "(coincide \"A%d\" \"B%d\")\n", i, i);
  }
}

static void open_fixture(mechanism *f, bool planar)
{
  cardan_report report = {.message = ""};
  expect_ok(cardan_data_create(f->model, NULL, &f->data), &report, "data");
  expect_ok(cardan__maximal_create(f->model, planar, NULL, &f->mx, &report), &report,
            f->model->name);
  f->cfg = calloc((size_t)(f->mx->ncfg * f->mx->nbody) + 1, sizeof(double));
  f->vel = calloc((size_t)f->mx->nx + 1, sizeof(double));
  assert_non_null(f->cfg);
  assert_non_null(f->vel);
  look_at_mechanism(f);
}

static cardan_model *model_of(const cardan__text *text, bool closed)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  const char *end = closed ? "(gravity 0.3 0 -9.81))" : ")";
  cardan__text all;
  cardan__text_init(&all, NULL);
  cardan__text_printf(&all, "%s%s", text->data, end);
  const cardan_status status =
      cardan_model_from_text(all.data, all.length, "random", NULL, 0, NULL, &model, &report);
  if (status != CARDAN_OK) {
    print_message("%s\n", all.data);
  }
  expect_ok(status, &report, "random");
  cardan__text_free(&all);
  return model;
}

mechanism random_mechanism(uint64_t seed, int n, bool planar, bool floating, int loops)
{
  support_rng rng = {seed};
  mechanism f = {.model = NULL};
  cardan__text text;
  cardan__text_init(&text, NULL);
  cardan__text_printf(&text, "(system \"random\"\n");
  for (int i = 1; i <= n; i++) {
    // a long arm with branches; floating: the first is the parent of all
    const int low = i > 4 ? i - 4 : (floating ? 1 : 0);
    const int parent = i == 1 ? 0 : support_random_int(&rng, low, i - 1);
    write_joint(&text, &rng, i, parent, planar, floating);
  }
  f.model = model_of(&text, false);
  if (loops > 0) {
    cardan_data *data = NULL;
    assert_int_equal(cardan_data_create(f.model, NULL, &data), CARDAN_OK);
    cardan_kinematics(f.model, data);
    for (int i = 0; i < loops; i++) {
      write_loop(&text, &rng, f.model, data, n, i, planar);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(f.model);
    f.model = model_of(&text, true);
  }
  cardan__text_free(&text);
  open_fixture(&f, planar);
  return f;
}

mechanism load_mechanism(const char *name, const char *setting, bool planar)
{
  mechanism f = {.model = load_model(name, setting)};
  open_fixture(&f, planar);
  return f;
}

void free_mechanism(mechanism *f)
{
  free(f->cfg);
  free(f->vel);
  cardan__maximal_destroy(f->mx);
  cardan_data_destroy(f->data);
  cardan_model_destroy(f->model);
}

void look_at_mechanism(mechanism *f)
{
  cardan__maximal *mx = f->mx;
  cardan_kinematics(f->model, f->data);
  memcpy(mx->q, f->data->q, (size_t)f->model->nq * sizeof *mx->q);
  cardan__mx_take(mx, f->data->X_W, f->data->V, f->cfg, f->vel);
  mx->t = f->data->t;
  cardan__mx_place(mx, f->cfg, f->vel);
  cardan__mx_coordinates(mx, true);
  cardan__mx_rates(mx, true, true);
}

void shake_mechanism(mechanism *f, support_rng *rng, double size)
{
  support_random_vec(rng, f->data->v, f->model->nv, 1);
  memcpy(f->data->q, f->model->q0, (size_t)f->model->nq * sizeof(double));
  cardan_q_move(f->model, f->data->q, f->data->v, size, f->data->q);
  support_random_vec(rng, f->data->v, f->model->nv, 1);
  look_at_mechanism(f);
}
