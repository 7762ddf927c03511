// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"
#include "contact/contacts.h"
#include "fixture.h"
#include "support.h"

/* The four parts of contact, each by itself, on a ball that falls on a floor: gaps, held cones,
 * impacts, ledger. No method and no run: states are set by hand. */

static const char text[] =
    "(system (gravity 0 0 -10) (place (0 0 0) (name \"floor\") (solid plane))"
    " (tz \"ball\" (mass 2 0.1 0.1 0.1) (solid sphere 0.1))"
    " (contact \"ball\" \"floor\" (restitution 0.5)))";

static const double dt = 0.01, radius = 0.1, mass = 2, tol = 1e-14;

typedef struct {
  cardan_model *model;
  cardan_data *data;
  cardan__contacts *c;
} scene;

static scene open_scene(double z, double v)
{
  scene s = {.model = load_model(text, NULL)};
  cardan_options options = cardan_options_defaults();
  options.dt = dt;
  assert_int_equal(cardan_data_create(s.model, NULL, &s.data), CARDAN_OK);
  assert_int_equal(cardan__contacts_create(s.model, &options, true, NULL, &s.c), CARDAN_OK);
  assert_non_null(s.c);
  s.data->q[0] = z;
  s.data->v[0] = v;
  for (int i = 1; i < s.c->nbody; i++) {
    s.c->gaps.reach[i] = s.c->gaps.min_reach;
  }
  assert_int_equal(cardan__contacts_enter(s.c, s.model, s.data), CARDAN_OK);
  cardan__contacts_rates(s.c, s.model, s.data);
  s.c->trial.from = s.data->t;
  return s;
}

static void close_scene(scene *s)
{
  cardan__contacts_destroy(s->c, NULL);
  cardan_data_destroy(s->data);
  cardan_model_destroy(s->model);
}

/* The end of a trial of length h, with the ball at z. */
static cardan__attempt judge(scene *s, double h, double z)
{
  s->data->t = s->c->trial.from + h;
  s->data->q[0] = z;
  s->data->fresh = 0;
  return cardan__contacts_judge(s->c, s->data, NULL);
}

/* ---- gaps ---- */

static void gaps_are_those_of_near_pairs(void **state)
{
  (void)state;
  scene s = open_scene(radius + 1e-4, -1);
  assert_int_equal(s.c->gaps.n, 1);
  assert_int_equal(s.c->gaps.nwatch, 1);
  assert_near(s.c->gaps.gap[0], 1e-4, tol);
  assert_near(s.c->gaps.rate[0], -1, tol);
  assert_false(cardan__contacts_closed(s.c, 0));
  close_scene(&s);
  s = open_scene(5, 0); // farther than a body moves in a step
  assert_int_equal(s.c->gaps.n, 0);
  close_scene(&s);
}

static void trials_are_accepted_or_refused_with_a_reason(void **state)
{
  (void)state;
  scene s = open_scene(radius + 1e-4, -1);
  assert_true(cardan__attempt_accepted(judge(&s, 5e-5, radius + 5e-5)));
  cardan__attempt attempt = judge(&s, 2e-4, radius - 1e-4);
  assert_int_equal(attempt.status, CARDAN_OK);
  assert_int_equal(attempt.why, CARDAN__CROSSED);
  assert_int_equal(attempt.where, 0);
  close_scene(&s);
}

static void a_search_ends_at_the_gap(void **state)
{
  (void)state;
  scene s = open_scene(radius + 1e-4, -1);
  assert_int_equal(judge(&s, 2e-4, radius - 1e-4).why, CARDAN__CROSSED);
  const size_t n = (size_t)(s.c->gaps.room + s.c->gaps.nwatch);
  memcpy(s.c->trial.bracket.point[1].value, s.c->gaps.next, n * sizeof *s.c->gaps.next);
  s.c->trial.seek = true;
  assert_int_equal(judge(&s, 0.5e-4, radius + 0.5e-4).why, CARDAN__TOO_SHORT);
  assert_true(cardan__attempt_accepted(judge(&s, 1e-4, radius)));
  close_scene(&s);
}

static void fast_bodies_widen_the_search(void **state)
{
  (void)state;
  scene s = open_scene(5, -400);
  const cardan__attempt attempt = judge(&s, dt, 1); // by 4 m: farther than pairs were searched for
  assert_true(cardan__attempt_accepted(attempt));
  // all bodies move by the mean displacement, so that of the world against them counts
  assert_true(s.c->gaps.reach[0] >= 4);
  assert_int_equal(s.c->gaps.n, 1); // and the floor is near now
  close_scene(&s);
}

static void far_bodies_skip_the_search(void **state)
{
  (void)state;
  scene s = open_scene(5, 0);
  cardan__contacts_skip_begin(s.c, s.model, s.data);
  assert_true(s.c->skip.calm);
  const double node = 5;
  s.c->skip.node = &node;
  double q = 5 - 0.25 * s.c->skip.budget;
  assert_true(cardan__attempt_accepted(cardan__contacts_skip_judge(s.c, dt, &q)));
  q = 5 - 1.5 * s.c->skip.budget;
  assert_int_equal(cardan__contacts_skip_judge(s.c, 2 * dt, &q).why, CARDAN__MOVED);
  close_scene(&s);
}

/* ---- impacts ---- */

static void responses_are_those_of_the_mass(void **state)
{
  (void)state;
  scene s = open_scene(radius, -3);
  assert_true(cardan__contacts_closed(s.c, 0));
  assert_int_equal(cardan__contacts_gather(s.c, s.model, s.data), CARDAN_OK);
  assert_int_equal(s.c->impacts.nclosed, 1);
  assert_near(s.c->impacts.J[0], 1, tol);
  assert_near(s.c->impacts.G[0], 1 / mass, tol);
  close_scene(&s);
}

static void an_impact_reverses_velocities(void **state)
{
  (void)state;
  scene s = open_scene(radius, -3);
  s.c->impacts.max_hits = 8;
  s.c->impacts.nhit = 0;
  bool struck = false;
  assert_int_equal(cardan__contacts_gather(s.c, s.model, s.data), CARDAN_OK);
  assert_int_equal(cardan__contacts_impact(s.c, s.data, 1, &struck), CARDAN_OK);
  assert_true(struck);
  assert_near(s.data->v[0], 1.5, 4 * DBL_EPSILON);
  assert_near(s.c->impacts.dp[0], mass * 4.5, 16 * DBL_EPSILON);
  assert_near(s.c->ledger.stats.lost, 0.5 * mass * (9 - 2.25), 64 * DBL_EPSILON);
  assert_near(cardan__contacts_work(s.c), -s.c->ledger.stats.lost, 64 * DBL_EPSILON);
  close_scene(&s);
}

/* From the last of max_hits impacts in a step on a pair has no restitution. */
static void many_impacts_end_plastic(void **state)
{
  (void)state;
  scene s = open_scene(radius, -3);
  bool struck = false;
  s.c->impacts.max_hits = 3;
  s.c->impacts.nhit = 0;
  for (int i = 1; i <= 3; i++) {
    s.data->v[0] = -3;
    s.data->fresh = 0;
    assert_int_equal(cardan__contacts_gather(s.c, s.model, s.data), CARDAN_OK);
    assert_int_equal(cardan__contacts_impact(s.c, s.data, i, &struck), CARDAN_OK);
    assert_near(s.data->v[0], i < 3 ? 1.5 : 0, 4 * DBL_EPSILON);
  }
  assert_int_equal(s.c->ledger.stats.plastic, 1);
  close_scene(&s);
}

/* ---- held cones and the ledger ---- */

static void rows_at_rest_are_recognised(void **state)
{
  (void)state;
  scene s = open_scene(radius, 0);
  cardan__held_rows *held = &s.c->held;
  held->nrow = 1;
  held->speed[0] = 0;
  assert_true(cardan__held_at_rest(held));
  held->speed[0] = 1e-6;
  assert_false(cardan__held_at_rest(held));
  close_scene(&s);
}

static void records_give_mean_forces(void **state)
{
  (void)state;
  scene s = open_scene(radius, 0);
  const cardan__feature *f = &s.c->gaps.feature[0];
  assert_null(cardan__contacts_record(s.c, f));
  cardan__contact_record *record = cardan__contacts_record_or_new(s.c, f);
  assert_ptr_equal(cardan__contacts_record(s.c, f), record);
  assert_int_equal(s.c->ledger.nrecord, 1);
  record->minus[0] = (cardan_vec3){0, 0, 0.1};
  record->plus[0] = (cardan_vec3){0, 0, 0.1};
  s.c->ledger.h = dt;
  assert_near(cardan__contact_record_mean(s.c, record, 0).z, 0.2 / dt, 64 * DBL_EPSILON);
  // with the weight as the mean force the ball at rest does not accelerate
  assert_int_equal(cardan__contact_held_calls.publish(&s.c->held, s.data), CARDAN_OK);
  assert_near(s.data->a[0], 0, 64 * DBL_EPSILON);
  close_scene(&s);
}

/* What was saved comes back, records among it. */
static void states_are_restored(void **state)
{
  (void)state;
  scene s = open_scene(radius, 0);
  char bytes[4096] = "";
  s.c->skip.calm = false;
  s.c->ledger.driven = 7;
  cardan__contacts_record_or_new(s.c, &s.c->gaps.feature[0])->give = 0.5;
  cardan__spans list = {.n = 0};
  cardan__contacts_spans(s.c, &list);
  size_t at = 0;
  for (int i = 0; i < list.n; i++) {
    assert_true(at + list.span[i].bytes < sizeof bytes / 2);
    memcpy(bytes + at, list.span[i].at, list.span[i].bytes);
    at += list.span[i].bytes;
  }
  assert_true(cardan__contacts_copy_records(s.c, NULL, false) <= sizeof bytes - at);
  cardan__contacts_copy_records(s.c, bytes + at, false);
  s.c->ledger.driven = 0;
  s.c->ledger.record[0].give = 0;
  s.c->ledger.nrecord = 0;
  at = 0;
  for (int i = 0; i < list.n; i++) {
    memcpy(list.span[i].at, bytes + at, list.span[i].bytes);
    at += list.span[i].bytes;
  }
  cardan__contacts_copy_records(s.c, bytes + at, true);
  cardan__contacts_rejoin(s.c, s.data);
  assert_true(s.c->ledger.driven == 7 && s.c->ledger.nrecord == 1);
  assert_true(s.c->ledger.record[0].give == 0.5);
  assert_int_equal(s.c->gaps.n, 1);
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_are_those_of_near_pairs),
      cmocka_unit_test(trials_are_accepted_or_refused_with_a_reason),
      cmocka_unit_test(a_search_ends_at_the_gap),
      cmocka_unit_test(fast_bodies_widen_the_search),
      cmocka_unit_test(far_bodies_skip_the_search),
      cmocka_unit_test(responses_are_those_of_the_mass),
      cmocka_unit_test(an_impact_reverses_velocities),
      cmocka_unit_test(many_impacts_end_plastic),
      cmocka_unit_test(rows_at_rest_are_recognised),
      cmocka_unit_test(records_give_mean_forces),
      cmocka_unit_test(states_are_restored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
