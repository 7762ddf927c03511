// SPDX-License-Identifier: Apache-2.0
// A rollout in lanes: the copies of one by one to round-off, and their own bits whatever the number
// of copies and threads and the lane they are in. A copy that fails has its bits alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/group.h"
#include "run.h"

enum { COPIES = 21, STEPS = 40, EVERY = 10, NROW = STEPS / EVERY + 1 };

static const char driven[] =
    "(system (gravity 0 1 -9) (input \"push\" 3 (limit -4 4)) (input \"to\")"
    " (joint revolute \"a\" (axis 1 2 0) (mass 2 0.3 0.4 0.5)"
    "  (place (0.1 0.2 0.3) (joint prismatic \"b\" (axis 0 1 1) (mass 1)))"
    "  (place (0 -0.4 0) (joint spherical \"e\" (tz -0.3 (mass 1 0.1 0.2 0.3) (name \"E\")))))"
    " (damping 0.05) (joint-spring \"b\" 20 0.1) (armature \"a\" 0.1)"
    " (actuator \"motor\" \"a\" \"push\" (gear 2))"
    " (actuator \"servo\" \"b\" \"to\" (servo 40 2) (limit -5 5))"
    " (output \"x\" (px \"E\")) (output \"u\" u.push) (output \"acc\" (ax \"E\")))";

/* One call: inputs and outputs. */
typedef struct {
  cardan_model *model;
  cardan_options options;
  double *q0, *v0, *u;
  double *q, *v, *y;
  cardan_status status[COPIES];
  cardan_rollout_end end[COPIES];
  cardan_report report;
} call;

static double *numbers(int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static call make_call(const char *name, const char *method)
{
  call c = {.model = load_model(name, NULL), .options = run_options(method, 2e-3, 0)};
  const cardan_model *m = c.model;
  support_rng rng = {4};
  c.options.every = EVERY;
  c.q0 = numbers(COPIES * m->nq);
  c.v0 = numbers(COPIES * m->nv);
  c.u = numbers(COPIES * STEPS * m->ninput);
  c.q = numbers(COPIES * NROW * m->nq);
  c.v = numbers(COPIES * NROW * m->nv);
  c.y = numbers(COPIES * NROW * m->ny);
  for (int i = 0; i < COPIES; i++) {
    double *v = c.v0 + (size_t)i * (size_t)m->nv;
    support_random_vec(&rng, v, m->nv, 0.3);
    cardan_q_move(m, m->q0, v, 1.0, c.q0 + (size_t)i * (size_t)m->nq);
    support_random_vec(&rng, v, m->nv, 0.5);
  }
  support_random_vec(&rng, c.u, COPIES * STEPS * m->ninput, 6.0);
  return c;
}

/* The same with room of its own for the results. */
static call again(const call *of)
{
  call c = *of;
  const cardan_model *m = c.model;
  c.q = numbers(COPIES * NROW * m->nq);
  c.v = numbers(COPIES * NROW * m->nv);
  c.y = numbers(COPIES * NROW * m->ny);
  return c;
}

static void free_out(call *c)
{
  free(c->q);
  free(c->v);
  free(c->y);
}

static void free_call(call *c)
{
  free_out(c);
  free(c->q0);
  free(c->v0);
  free(c->u);
  cardan_model_destroy(c->model);
}

/* Copies first .. first + n - 1, to their places in the arrays. */
static cardan_status run_part(call *c, int nthread, int first, int n)
{
  const cardan_model *m = c->model;
  const size_t i = (size_t)first, nq = (size_t)m->nq, nv = (size_t)m->nv, nu = (size_t)m->ninput;
  return cardan_rollout(&(cardan_rollout_args){.model = m,
                                               .options = &c->options,
                                               .nthread = nthread,
                                               .nbatch = n,
                                               .nstep = STEPS,
                                               .q0 = c->q0 + i * nq,
                                               .v0 = c->v0 + i * nv,
                                               .u = c->u + i * STEPS * nu,
                                               .q = c->q + i * NROW * nq,
                                               .v = c->v + i * NROW * nv,
                                               .y = c->y + i * NROW * (size_t)m->ny,
                                               .status = c->status + i},
                        &c->report);
}

static void expect_bits(const call *a, const call *b)
{
  const cardan_model *m = a->model;
  assert_memory_equal(a->q, b->q, sizeof(double) * COPIES * NROW * (size_t)m->nq);
  assert_memory_equal(a->v, b->v, sizeof(double) * COPIES * NROW * (size_t)m->nv);
  assert_memory_equal(a->y, b->y, sizeof(double) * COPIES * NROW * (size_t)m->ny);
  assert_memory_equal(a->status, b->status, sizeof a->status);
}

/* Does the model go in lanes? A test of it says nothing otherwise. */
static void expect_lanes(const call *c)
{
  cardan_sim *sim;
  const cardan__lanes_stepper *stepper;
  expect_ok(cardan_sim_create(c->model, &c->options, NULL, &sim, NULL), NULL, "sim");
  assert_null(cardan__group_takes(sim, cardan__lanes_kernels_at(0), &stepper));
  assert_non_null(stepper);
  cardan_sim_destroy(sim);
}

static const char *const methods[] = {"aba:semi-implicit", "aba:rk4", "vi"};
static const char *const names[] = {"chain:6", "human", "spherical-chain:3", driven, "humanoid"};

enum { NMETHODS = sizeof methods / sizeof *methods, NNAMES = sizeof names / sizeof *names };

/* ---- tests ---- */

/* To round-off, against one by one: 40 steps of motions that are not yet chaotic. */
static void test_round_off(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS * NNAMES; k++) {
    call c = make_call(names[k % NNAMES], methods[k / NNAMES]);
    const cardan_model *m = c.model;
    expect_lanes(&c);
    assert_int_equal(run_part(&c, 2, 0, COPIES), CARDAN_OK);
    call plain = again(&c);
    plain.options.lanes = "off";
    assert_int_equal(run_part(&plain, 2, 0, COPIES), CARDAN_OK);
    assert_near_vec(c.q, plain.q, COPIES * NROW * m->nq, 1e-11);
    assert_near_vec(c.v, plain.v, COPIES * NROW * m->nv, 1e-9);
    assert_near_vec(c.y, plain.y, COPIES * NROW * m->ny, 1e-8);
    // the first row is the start itself
    assert_memory_equal(c.q, plain.q, sizeof(double) * (size_t)m->nq);
    free_out(&plain);
    free_call(&c);
  }
}

/* To the bit: threads, and copies in calls of other sizes, so that lanes and neighbours change. */
static void test_bits(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS * NNAMES; k++) {
    call c = make_call(names[k % NNAMES], methods[k / NNAMES]);
    assert_int_equal(run_part(&c, 1, 0, COPIES), CARDAN_OK);
    for (int n = 2; n <= 4; n++) {
      call threads = again(&c), parts = again(&c);
      assert_int_equal(run_part(&threads, n, 0, COPIES), CARDAN_OK);
      expect_bits(&threads, &c);
      for (int first = 0; first < COPIES; first += 2 * n + 1) {
        const int rest = COPIES - first < 2 * n + 1 ? COPIES - first : 2 * n + 1;
        assert_int_equal(run_part(&parts, n - 1, first, rest), CARDAN_OK);
      }
      expect_bits(&parts, &c);
      free_out(&threads);
      free_out(&parts);
    }
    free_call(&c);
  }
}

/* Copies that fail at once or on the way: as alone, with the same sentence; the others as without
 * them. */
static void test_trouble(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHODS; k++) {
    call good = make_call("chain:6", methods[k]), c = again(&good);
    const size_t nv = (size_t)c.model->nv, nq = (size_t)c.model->nq;
    assert_int_equal(run_part(&good, 1, 0, COPIES), CARDAN_OK);
    c.v0 = numbers(COPIES * c.model->nv);
    memcpy(c.v0, good.v0, COPIES * nv * sizeof *c.v0);
    c.v0[3 * nv] = 1e200;    // its squares are too large
    c.v0[9 * nv + 1] = 1e90; // grows until they are
    c.v0[12 * nv] = 2e9;     // more turns in a step than lanes count; runs on alone
    call alone = again(&c);
    alone.options.lanes = "off";
    const cardan_status found = run_part(&c, 2, 0, COPIES);
    assert_int_equal(run_part(&alone, 2, 0, COPIES), found);
    assert_int_not_equal(found, CARDAN_OK);
    assert_string_equal(c.report.message, alone.report.message);
    assert_memory_equal(c.status, alone.status, sizeof c.status);
    for (size_t i = 0; i < COPIES; i++) {
      const bool other = i != 3 && i != 9 && i != 12;
      const call *like = other ? &good : &alone;
      assert_memory_equal(c.q + i * NROW * nq, like->q + i * NROW * nq, NROW * nq * sizeof *c.q);
      assert_memory_equal(c.v + i * NROW * nv, like->v + i * NROW * nv, NROW * nv * sizeof *c.v);
      assert_true(!other || c.status[i] == CARDAN_OK);
    }
    free(c.v0);
    free_out(&alone);
    free_out(&c);
    free_call(&good);
  }
}

/* Energies: at each node as one by one; with rows of both ends alone, at every tenth. */
static void test_ends(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * NMETHODS * NNAMES; k++) {
    call c = make_call(names[k % NNAMES], methods[k / NNAMES % NMETHODS]), plain = again(&c);
    call *both[] = {&c, &plain};
    const bool each = k < NMETHODS * NNAMES;
    c.options.every = each ? 1 : STEPS;
    plain.options.every = each ? 1 : EVERY;
    plain.options.lanes = each ? "off" : "auto";
    for (int i = 0; i < 2; i++) {
      assert_int_equal(cardan_rollout(&(cardan_rollout_args){.model = c.model,
                                                             .options = &both[i]->options,
                                                             .nthread = 2,
                                                             .nbatch = COPIES,
                                                             .nstep = STEPS,
                                                             .q0 = c.q0,
                                                             .v0 = c.v0,
                                                             .u = c.u,
                                                             .end = both[i]->end},
                                      NULL),
                       CARDAN_OK);
    }
    for (int i = 0; i < COPIES; i++) {
      // differences of energies of some hundred joules
      assert_near(c.end[i].drift, plain.end[i].drift, 1e-9);
      assert_string_equal(c.end[i].note, plain.end[i].note);
      // differences of steps that root finders end at 1e-10 of
      const cardan_error_estimate *a = &c.end[i].error, *b = &plain.end[i].error;
      assert_int_equal(a->samples, b->samples);
      assert_true(a->samples > 0 && a->coordinate >= 0);
      assert_near(a->value, b->value, 1e-2 * b->value + 1e-9);
      assert_true(c.end[i].message[0] == '\0' && c.end[i].status == CARDAN_OK);
    }
    free_out(&plain);
    free_call(&c);
  }
}

/* What is not held is noted, as one by one. */
static void test_notes(void **state)
{
  (void)state;
  call c = make_call("(system (gravity 0 0 -9) (place (0 0 0) (name \"ground\") (solid plane))"
                     " (place (0 0 1) (joint free \"ball\" (mass 1 1 1 1) (solid sphere 0.1)))"
                     " (contact all))",
                     "aba:semi-implicit");
  c.options.contacts = "auto";
  call plain = c;
  plain.options.lanes = "off";
  call *both[] = {&c, &plain};
  expect_lanes(&c);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(cardan_rollout(&(cardan_rollout_args){.model = c.model,
                                                           .options = &both[i]->options,
                                                           .nthread = 1,
                                                           .nbatch = COPIES,
                                                           .nstep = STEPS,
                                                           .q0 = c.q0,
                                                           .v0 = c.v0,
                                                           .end = both[i]->end},
                                    NULL),
                     CARDAN_OK);
  }
  for (int i = 0; i < COPIES; i++) {
    assert_non_null(strstr(c.end[i].note, "is not held by aba"));
    assert_string_equal(c.end[i].note, plain.end[i].note);
  }
  free_call(&c);
}

/* Of a copy that has both, what is not held does not hide what the watch saw. A copy that blew up
 * fails, in lanes as alone, with ends and without. */
static void test_notes_join(void **state)
{
  (void)state;
  call c = make_call("coin", "aba:semi-implicit");
  c.options.contacts = "auto";
  c.options.dt = 0.05; // too long: its energy grows without end
  for (int i = 0; i < 2; i++) {
    c.options.lanes = i == 0 ? "auto" : "off";
    assert_int_equal(cardan_rollout(&(cardan_rollout_args){.model = c.model,
                                                           .options = &c.options,
                                                           .nthread = 1,
                                                           .nbatch = 1,
                                                           .nstep = 80,
                                                           .end = c.end},
                                    NULL),
                     CARDAN_ERR_BLEW_UP);
    assert_non_null(strstr(c.end[0].note, "is not held by aba, nor what else would touch; "));
    assert_non_null(strstr(c.end[0].note, "the motion blew up"));
    assert_int_equal(c.end[0].status, CARDAN_ERR_BLEW_UP);
    cardan_status bare = CARDAN_OK;
    assert_int_equal(cardan_rollout(&(cardan_rollout_args){.model = c.model,
                                                           .options = &c.options,
                                                           .nthread = 1,
                                                           .nbatch = 1,
                                                           .nstep = 250,
                                                           .status = &bare},
                                    NULL),
                     CARDAN_ERR_BLEW_UP);
    assert_int_equal(bare, CARDAN_ERR_BLEW_UP);
  }
  free_call(&c);
}

/* What keeps copies out of lanes, beside the model itself. */
static void test_not_taken(void **state)
{
  (void)state;
  static const struct {
    const char *model, *method, *option, *value, *why;
  } cases[] = {
      {"chain:6", "aba:semi-implicit", "lanes", "off", "of option lanes"},
      {"chain:6", "aba:semi-implicit", "strict", NULL, "of option strict"},
      {"chain:6", "aba:euler", "lanes", "auto", "of the method or its integrator"},
      {"chain:6", "vi", "order", "4", "of option order or adapt"},
      {"chain:6", "vi", "adapt", "1e-3", "of option order or adapt"},
      {"chain:6", "vi", "kinetic", "se3", "of option kinetic"},
      {"chain:6", "vi", "guess", "euler", "of option guess or start"},
      {"chain:6", "vi", "start", "two-point", "of option guess or start"},
      {"chain:6", "vi", "solver", "broyden", "of option solver"},
      {"chain:6", "vi", "max-iter", "8", "of option max-iter"},
      {"closed-chain", "aba:semi-implicit", "lanes", "auto", "of loops"},
      {"coin", "vi", "lanes", "auto", "of solids that are no feet"},
      {"(system (joint revolute \"a\" (mass 1 1 1 1)) (stop \"a\" -1 1))", "aba:semi-implicit",
       "lanes", "auto", "of stops, ropes or other bounds"},
      {"(system (ty \"a\" (mass 1) (name \"b\")) (initial (pose \"b\" (0 1 0))))",
       "aba:semi-implicit", "lanes", "auto", "of the poses that it starts from"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_model *model = load_model(cases[i].model, NULL);
    cardan_options o = run_options(cases[i].method, 1e-3, 0);
    const cardan__lanes_stepper *stepper;
    cardan_sim *sim;
    expect_ok(cardan_options_set(&o, cases[i].option, cases[i].value, NULL), NULL, "option");
    expect_ok(cardan_sim_create(model, &o, NULL, &sim, NULL), NULL, "sim");
    assert_string_equal(cardan__group_takes(sim, cardan__lanes_kernels_at(0), &stepper),
                        cases[i].why);
    assert_null(stepper);
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_off), cmocka_unit_test(test_bits),
      cmocka_unit_test(test_trouble),   cmocka_unit_test(test_ends),
      cmocka_unit_test(test_notes),     cmocka_unit_test(test_notes_join),
      cmocka_unit_test(test_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
