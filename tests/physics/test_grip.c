// SPDX-License-Identifier: Apache-2.0
// (grip mu): a run warns once per wheel where friction would not hold it, from the first node on
// which it would not, in every method; and its motion keeps its bits.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

/* A ball of mass m, radius r and J = 2/5 m r^2 under a torque k t about y. Its friction is m r k t
 * / (J + m r^2) and its normal force m g, so that friction mu holds it until
 *   t = mu g (J + m r^2) / (r k) = 1.4 mu m g r / k. */
#define BALL_OF(joint, start, roll)                               \
  "(system (gravity 0 0 -9.81) (define m 2) (define r 0.1)" joint \
  " (roll \"b\" \"world\" (ball r)" roll ") (wrench world \"b\" (0 0 0) (0 (* 5 t) 0))" start ")"
#define MASS "(mass m (* 0.4 m r r) (* 0.4 m r r) (* 0.4 m r r))"
#define FREE "(joint free \"b\" " MASS ")"
#define FREE_START "(initial (\"b\" (0 0 r 1 0 0 0) (0 0 0 0 0 0)))"
#define CHAIN \
  "(tx \"x\" (ty \"y\" (tz \"z\" (rz \"c\" (rx \"a\" (ry \"e\" (name \"b\") " MASS "))))))"
#define CHAIN_START "(initial (\"z\" r))"

typedef struct {
  const char *method, *plain, *grip;
} ball_case;

static const ball_case balls[] = {
    {"aba:rk4", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"aba:dopri5", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"hamilton:rk4", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"baraff:rk4", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"rattle", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"half-implicit", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"fully-implicit", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"vi", BALL_OF(FREE, FREE_START, ""), BALL_OF(FREE, FREE_START, "(grip 0.3)")},
    {"svi", BALL_OF(CHAIN, CHAIN_START, ""), BALL_OF(CHAIN, CHAIN_START, "(grip 0.3)")},
};

enum { BALLS = sizeof balls / sizeof *balls };

static cardan_status run_all(run *r, const cardan_options *o, cardan_report *report)
{
  run_start(r);
  return cardan_run(r->sim, lround(o->time / o->dt), NULL, 0, NULL, report);
}

/* The warning after a run, and the time and number in its first sentence. */
static const char *warning_of(const char *model, const cardan_options *options, double *t,
                              double *number)
{
  static char text[1024];
  run r = run_load(model, NULL, options);
  cardan_report report;
  expect_ok(run_all(&r, options, &report), &report, model);
  snprintf(text, sizeof text, "%s", cardan_sim_warning(r.sim));
  run_free(&r);
  const char *before = strstr(text, "friction of ");
  before = before != NULL ? before + 12 : strstr(text, "force of ");
  *t = *number = NAN;
  sscanf(text, "at t = %lf", t);
  if (before != NULL) {
    sscanf(before + (before[0] == 'f' ? 9 : 0), "%lf", number);
  }
  return text;
}

static void slipping(void **state)
{
  (void)state;
  const double dt = 0.01, limit = 0.3 * 1.4 * 2 * 9.81 * 0.1 / 5; // 0.16481 s
  for (int i = 0; i < BALLS; i++) {
    const cardan_options o = run_options(balls[i].method, dt, 0.4);
    double t, mu;
    const char *text = warning_of(balls[i].grip, &o, &t, &mu);
    print_message("%s: %s\n", balls[i].method, text);
    assert_non_null(strstr(text, "\"roll1\" needs friction of"));
    assert_near(t, ceil(limit / dt) * dt, 1e-9); // the first node behind it
    assert_near(mu, 0.3 * t / limit, 1e-3);      // three digits are printed
    assert_null(strstr(text + 1, "at t ="));     // once
    warning_of(balls[i].plain, &o, &t, &mu);
    assert_true(isnan(t));
  }
}

/* The check reads what tables read, and changes no bit of the motion. */
static void motions_keep_their_bits(void **state)
{
  (void)state;
  for (int i = 0; i < BALLS; i++) {
    const cardan_options o = run_options(balls[i].method, 0.01, 0.4);
    run plain = run_whole(balls[i].plain, NULL, &o), grip = run_whole(balls[i].grip, NULL, &o);
    for (int k = 0; k < plain.model->nq; k++) {
      assert_true(plain.data->q[k] == grip.data->q[k]);
    }
    for (int k = 0; k < plain.model->nv; k++) {
      assert_true(plain.data->v[k] == grip.data->v[k]);
    }
    run_free(&plain);
    run_free(&grip);
  }
}

/* A force of 40 t N lifts a ball of 19.62 N from t = 0.4905 s on. */
static void lifting(void **state)
{
  static const char model[] = "(system (gravity 0 0 -9.81) (define m 2) (define r 0.1)" FREE
                              " (roll \"b\" \"world\" (ball r) (grip 0.3) (name \"wheel\"))"
                              " (wrench world \"b\" (0 0 (* 40 t)) (0 0 0)) " FREE_START ")";
  static const char *const methods[] = {"aba:rk4", "hamilton:rk4", "baraff:rk4", "vi"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 1);
    double t, force;
    const char *text = warning_of(model, &o, &t, &force);
    print_message("%s: %s\n", methods[i], text);
    assert_non_null(strstr(text, "\"wheel\" has a normal force of"));
    assert_near(t, 0.5, 1e-9);
    assert_near(force, -0.38, 1e-9);
  }
}

/* Option strict makes it an error; a ball at rest, or one that rolls freely, is not warned of. */
static void strict_and_silent(void **state)
{
  (void)state;
  cardan_options o = run_options("vi", 0.01, 0.4);
  o.strict = true;
  cardan_report report;
  run r = run_load(balls[BALLS - 2].grip, NULL, &o);
  assert_int_equal(run_all(&r, &o, &report), CARDAN_ERR_STRICT);
  assert_non_null(strstr(report.message, "needs friction of"));
  run_free(&r);
  static const char quiet[] = "(system (gravity 0 0 -9.81) (define m 2) (define r 0.1)" FREE
                              " (roll \"b\" \"world\" (ball r) (grip 1e-3))"
                              " (initial (\"b\" (0 0 r 1 0 0 0) (0 5 0 0.5 0 0))))";
  for (int i = 0; i < BALLS - 1; i++) {
    cardan_options calm = run_options(balls[i].method, 0.01, 1);
    calm.strict = strcmp(balls[i].method, "fully-implicit") != 0; // which warns of itself
    r = run_load(quiet, NULL, &calm);
    expect_ok(run_all(&r, &calm, &report), &report, balls[i].method);
    assert_string_equal(cardan_sim_warning(r.sim), "");
    run_free(&r);
  }
}

/* Twelve wheels that slip: as many sentences as there is room for, and how many more. */
static void many(void **state)
{
  char model[8192] = "(system (gravity 0 0 -9.81) (define m 2) (define r 0.1)";
  (void)state;
  for (int i = 0; i < 12; i++) {
    snprintf(model + strlen(model), sizeof model - strlen(model),
             "(joint free \"b%d\" " MASS ")(roll \"b%d\" \"world\" (ball r) (grip 0.3))"
             "(wrench world \"b%d\" (0 0 0) (0 (* 5 t) 0))",
             i, i, i);
  }
  snprintf(model + strlen(model), sizeof model - strlen(model), "(initial");
  for (int i = 0; i < 12; i++) {
    snprintf(model + strlen(model), sizeof model - strlen(model), "(\"b%d\" (0 0 r 1 0 0 0))", i);
  }
  snprintf(model + strlen(model), sizeof model - strlen(model), "))");
  const cardan_options o = run_options("aba:rk4", 0.01, 0.4);
  double t, mu;
  const char *text = warning_of(model, &o, &t, &mu);
  print_message("%s\n", text);
  int sentences = 0, more = 0;
  for (const char *c = text; (c = strstr(c, "at t =")) != NULL; c++) {
    sentences++;
  }
  const char *end = strstr(text, "; and ");
  assert_non_null(end);
  assert_int_equal(sscanf(end, "; and %d more wheels", &more), 1);
  assert_int_equal(sentences + more, 12);
}

/* A flat roll has no normal force. */
static void flat(void **state)
{
  static const char model[] =
      "(system (joint planar \"p\" (mass 1 1 1 1) (rx (deg 90) (rz \"w\" (mass 1 1 1 1))))"
      " (roll \"w\" \"world\" (disc 0.1) (flat) (grip 0.3)))";
  (void)state;
  const cardan_options o = run_options("aba:rk4", 0.01, 0.1);
  run r = run_whole(model, NULL, &o);
  assert_int_equal(r.model->nwarning, 1);
  assert_non_null(strstr(r.model->warning[0], "(grip 0.3) has no effect"));
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slipping), cmocka_unit_test(motions_keep_their_bits),
      cmocka_unit_test(lifting),  cmocka_unit_test(strict_and_silent),
      cmocka_unit_test(many),     cmocka_unit_test(flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
