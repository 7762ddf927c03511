// SPDX-License-Identifier: Apache-2.0
#include "mbs_fixture.h"

#include <stdio.h>
#include <string.h>

#include "model/spec.h"

cardan_spec *read_good(const char *text)
{
  cardan_spec *spec;
  cardan_report report = {0};
  const cardan_status status =
      cardan_spec_read(text, strlen(text), "good.mbs", NULL, 0, NULL, &spec, &report);
  if (status) {
    char line[1024];
    cardan_report_format(&report, line, sizeof(line));
    fail_msg("%s\nin: %.300s", line, text);
  }
  assert_non_null(spec);
  return spec;
}

void read_bad(const char *text, cardan_status status, int line, int column, const char *part)
{
  cardan_spec *spec;
  cardan_report report = {0};
  const cardan_status got =
      cardan_spec_read(text, strlen(text), "bad.mbs", NULL, 0, NULL, &spec, &report);
  assert_null(spec);
  if (got != status || report.pos.line != line || report.pos.column != column ||
      !strstr(report.message, part) || strcmp(report.file, "bad.mbs") != 0) {
    fail_msg("expected status %d at %d:%d with \"%s\",\ngot status %d, %s:%d:%d: %s\nin: %.300s",
             (int)status, line, column, part, (int)got, report.file, report.pos.line,
             report.pos.column, report.message, text);
  }
}

void read_all_bad(const bad_text *list, size_t n, cardan_status status)
{
  for (size_t i = 0; i < n; i++) {
    read_bad(list[i].text, status, list[i].line, list[i].column, list[i].part);
  }
}

/* ---- comparison ---- */

static void same_text(const char *a, const char *b)
{
  assert_int_equal(a == NULL, b == NULL);
  if (a) {
    assert_string_equal(a, b);
  }
}

/* Bit for bit, so that -0 differs from 0. */
static void same_numbers(const double *a, const double *b, int n)
{
  for (int i = 0; i < n; i++) {
    uint64_t x, y;
    memcpy(&x, &a[i], sizeof(x));
    memcpy(&y, &b[i], sizeof(y));
    if (x != y) {
      fail_msg("number %d: %.17g became %.17g", i, a[i], b[i]);
    }
  }
}

static void same_vec3(cardan_vec3 a, cardan_vec3 b)
{
  const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
  same_numbers(x, y, 3);
}

static void same_joint(const cardan_joint_def *a, const cardan_joint_def *b)
{
  assert_int_equal(a->kind, b->kind);
  same_text(a->name, b->name);
  same_vec3(a->axis, b->axis);
  same_vec3(a->axis2, b->axis2);
  same_numbers(&a->pitch, &b->pitch, 1);
  assert_int_equal(a->has_limit, b->has_limit);
  same_numbers(&a->effort, &b->effort, 1);
  same_numbers(a->limit, b->limit, 2);
  same_numbers(&a->restitution, &b->restitution, 1);
}

static void same_rotation(const cardan__rotation *a, const cardan__rotation *b)
{
  assert_int_equal(a->form, b->form);
  same_numbers(a->value, b->value, 4);
}

/* The same numbers of an item depend on parameters, in the same way. */
static void same_living(const cardan_spec *a, int i, const cardan_spec *b, int j)
{
  int na = 0, nb = 0;
  for (int k = j; k > 0; k = b->living[k].next) {
    nb++;
  }
  for (; i > 0; i = a->living[i].next) {
    const cardan__expr *expr = cardan__spec_living_at(b, j, a->living[i].slot);
    assert_non_null(expr);
    assert_true(cardan__expr_equal(a->living[i].expr, expr));
    na++;
  }
  assert_int_equal(na, nb);
}

static void same_solid(const cardan__spec_shape *a, const cardan__spec_shape *b)
{
  assert_int_equal(a->solid, b->solid);
  assert_int_equal(a->shape.hidden, b->shape.hidden);
  same_text(a->material, b->material);
  same_numbers(&a->round, &b->round, 1);
  assert_int_equal(a->npoint, b->npoint);
  for (int i = 0; i < a->npoint; i++) {
    same_vec3(a->point[i], b->point[i]);
  }
}

static void same_surface(cardan_surface a, cardan_surface b)
{
  const bool has[2][5] = {
      {a.has_friction, a.has_statical, a.has_restitution, a.has_rolling, a.has_spinning},
      {b.has_friction, b.has_statical, b.has_restitution, b.has_rolling, b.has_spinning}};
  for (int i = 0; i < 5; i++) {
    assert_int_equal(has[0][i], has[1][i]);
    same_numbers(cardan__surface_number(&a, i), cardan__surface_number(&b, i), 1);
  }
}

static void same_contacts(const cardan_spec *a, const cardan_spec *b)
{
  assert_int_equal(a->nsolid, b->nsolid);
  assert_int_equal(a->nmaterial, b->nmaterial);
  assert_int_equal(a->ncontact, b->ncontact);
  for (int i = 0; i < a->nmaterial; i++) {
    same_text(a->material[i].name, b->material[i].name);
    same_surface(a->material[i].surface, b->material[i].surface);
    same_living(a, a->material[i].living, b, b->material[i].living);
  }
  for (int i = 0; i < a->ncontact; i++) {
    const cardan__spec_contact *x = &a->contact[i], *y = &b->contact[i];
    same_text(x->name, y->name);
    same_text(x->frame[0], y->frame[0]);
    same_text(x->frame[1], y->frame[1]);
    assert_int_equal(x->all, y->all);
    assert_int_equal(x->never, y->never);
    same_surface(x->surface, y->surface);
    same_living(a, x->living, b, y->living);
  }
}

static void same_shapes(const cardan_spec *a, int i, const cardan_spec *b, int j)
{
  for (; i >= 0 && j >= 0; i = a->shape[i].next, j = b->shape[j].next) {
    assert_int_equal(a->shape[i].shape.kind, b->shape[j].shape.kind);
    same_numbers(a->shape[i].shape.size, b->shape[j].shape.size, 3);
    same_text(a->shape[i].shape.file, b->shape[j].shape.file);
    same_living(a, a->shape[i].living, b, b->shape[j].living);
    same_solid(&a->shape[i], &b->shape[j]);
  }
  assert_int_equal(i, -1);
  assert_int_equal(j, -1);
}

static void same_frame(const cardan_spec *a, const cardan_spec *b, int i, bool made_names)
{
  const cardan__spec_frame *f = &a->frame[i], *g = &b->frame[i];
  const double m[7] = {f->mass.m,  f->mass.xx, f->mass.yy, f->mass.zz,
                       f->mass.xy, f->mass.xz, f->mass.yz};
  const double n[7] = {g->mass.m,  g->mass.xx, g->mass.yy, g->mass.zz,
                       g->mass.xy, g->mass.xz, g->mass.yz};
  assert_int_equal(f->form, g->form);
  assert_int_equal(f->parent, g->parent);
  assert_int_equal(f->transform, g->transform);
  assert_int_equal(f->kinematic, g->kinematic);
  assert_int_equal(f->has_mass, g->has_mass);
  same_numbers(&f->value, &g->value, 1);
  same_numbers(&f->place.R.m[0][0], &g->place.R.m[0][0], 9);
  same_vec3(f->place.p, g->place.p);
  same_text(f->var, g->var);
  if (!made_names || f->name || !g->name || strncmp(g->name, "frame-", 6) != 0) {
    same_text(f->name, g->name);
  }
  same_numbers(m, n, 7);
  same_text(f->color, g->color);
  same_shapes(a, f->shape, b, g->shape);
  same_living(a, f->living, b, g->living);
  assert_int_equal(f->rotation < 0, g->rotation < 0);
  if (f->rotation >= 0) {
    same_rotation(&a->rotation[f->rotation], &b->rotation[g->rotation]);
  }
  assert_int_equal(f->joint < 0, g->joint < 0);
  if (f->joint >= 0) {
    same_joint(&a->joint[f->joint], &b->joint[g->joint]);
  }
}

static void same_element(const cardan__spec_element *a, const cardan__spec_element *b)
{
  assert_int_equal(a->kind, b->kind);
  same_text(a->name, b->name);
  for (int i = 0; i < 3; i++) {
    same_text(a->frame[i], b->frame[i]);
  }
  for (int i = 0; i < 2; i++) {
    same_text(a->var[i], b->var[i]);
  }
  same_vec3(a->n, b->n);
  same_numbers(a->value, b->value, 6);
  assert_int_equal(a->in_world, b->in_world);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(a->expr[i] == NULL, b->expr[i] == NULL);
    if (a->expr[i]) {
      assert_true(cardan__expr_equal(a->expr[i], b->expr[i]));
    }
  }
  if (a->kind == CARDAN_ELEMENT_CLOSE) {
    same_joint(&a->joint, &b->joint);
  }
}

static void same_initial(const cardan__spec_initial *a, const cardan__spec_initial *b)
{
  const cardan_initial *x = &a->initial, *y = &b->initial;
  same_text(x->var, y->var);
  same_text(x->frame, y->frame);
  assert_int_equal(x->nvalue, y->nvalue);
  assert_int_equal(x->nvelocity, y->nvelocity);
  same_numbers(x->value, y->value, 7);
  same_numbers(x->velocity, y->velocity, 6);
  assert_int_equal(x->fixed, y->fixed);
  same_numbers(&x->pose.R.m[0][0], &y->pose.R.m[0][0], 9);
  same_vec3(x->pose.p, y->pose.p);
  same_rotation(&a->rotation, &b->rotation);
}

static void same_keyframes(const cardan_spec *a, const cardan_spec *b)
{
  assert_int_equal(a->narmature, b->narmature);
  for (int i = 0; i < a->narmature; i++) {
    assert_string_equal(a->armature[i].q, b->armature[i].q);
    assert_true(a->armature[i].inertia == b->armature[i].inertia);
  }
  assert_int_equal(a->nkeyframe, b->nkeyframe);
  for (int i = 0; i < a->nkeyframe; i++) {
    assert_string_equal(a->keyframe[i].name, b->keyframe[i].name);
    assert_int_equal(a->keyframe[i].n, b->keyframe[i].n);
  }
  assert_int_equal(a->nkey_value, b->nkey_value);
  for (int i = 0; i < a->nkey_value; i++) {
    same_initial(&a->key_value[i], &b->key_value[i]);
    same_text(a->key_value[i].initial.input, b->key_value[i].initial.input);
  }
}

void assert_same_spec(const cardan_spec *a, const cardan_spec *b, bool made_names)
{
  assert_string_equal(a->name, b->name);
  same_vec3(a->gravity, b->gravity);
  assert_int_equal(a->nframe, b->nframe);
  assert_int_equal(a->njoint, b->njoint);
  same_contacts(a, b);
  assert_int_equal(a->nshape, b->nshape);
  assert_int_equal(a->nelement, b->nelement);
  assert_int_equal(a->ninitial, b->ninitial);
  assert_int_equal(a->ndefine, b->ndefine);
  assert_int_equal(a->ndefault, b->ndefault);
  assert_int_equal(a->ninput, b->ninput);
  assert_int_equal(a->noutput, b->noutput);
  same_living(a, a->gravity_living, b, b->gravity_living);
  for (int i = 0; i < a->nframe; i++) {
    same_frame(a, b, i, made_names);
  }
  for (int i = 0; i < a->nelement; i++) {
    same_element(&a->element[i], &b->element[i]);
    same_living(a, a->element[i].living, b, b->element[i].living);
  }
  same_keyframes(a, b);
  assert_int_equal(a->says_rounding, b->says_rounding);
  if (a->says_rounding) { // else it is that of the text
    same_numbers(&a->rounding, &b->rounding, 1);
    same_numbers(&a->coarsest, &b->coarsest, 1);
  }
  for (int i = 0; i < a->ninitial; i++) {
    same_initial(&a->initial[i], &b->initial[i]);
    same_living(a, a->initial[i].living, b, b->initial[i].living);
  }
  for (int i = 0; i < a->ndefine; i++) {
    assert_string_equal(a->define[i].name, b->define[i].name);
    same_numbers(&a->define[i].value, &b->define[i].value, 1);
    assert_int_equal(a->define[i].alive, b->define[i].alive);
  }
  for (int i = 0; i < a->noutput; i++) {
    assert_string_equal(a->output[i].name, b->output[i].name);
    assert_true(cardan__expr_equal(a->output[i].expr, b->output[i].expr));
  }
  for (int i = 0; i < a->ninput; i++) {
    const cardan_input_def *x = &a->input[i].def, *y = &b->input[i].def;
    assert_string_equal(x->name, y->name);
    same_numbers(&x->value, &y->value, 1);
    assert_int_equal(x->has_limit, y->has_limit);
    same_numbers(x->limit, y->limit, 2);
  }
  for (int i = 0; i < a->ndefault; i++) {
    assert_string_equal(a->defaults[i].key, b->defaults[i].key);
    assert_string_equal(a->defaults[i].value, b->defaults[i].value);
  }
}

void assert_round_trip(const cardan_spec *spec, bool made_names)
{
  char *text, *again;
  assert_int_equal(cardan_spec_write(spec, NULL, &text), CARDAN_OK);
  cardan_spec *back = read_good(text);
  assert_same_spec(spec, back, made_names);
  assert_int_equal(cardan_spec_write(back, NULL, &again), CARDAN_OK);
  if (!made_names) {
    assert_string_equal(text, again);
  }
  cardan_free_text(NULL, again);
  cardan_free_text(NULL, text);
  cardan_spec_destroy(back);
}
