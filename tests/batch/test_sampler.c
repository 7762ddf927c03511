// SPDX-License-Identifier: Apache-2.0
// What differs between copies: random numbers by index, spreads, names, tables.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/sampler.h"
#include "run.h"

/* Number of 64 bits from two words, the low one first. */
static uint64_t join(uint32_t low, uint32_t high)
{
  return (uint64_t)high << 32 | low;
}

// the three known answers of Random123's kat_vectors for philox4x32-10, of which the first two
// words are used
static void test_random_is_philox(void **state)
{
  static const struct {
    uint32_t counter[4], key[2], out[2];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5U, 0xe169c58dU}},
      {{0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU},
       {0xffffffffU, 0xffffffffU},
       {0x408f276dU, 0x41c83b0eU}},
      {{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U},
       {0xa4093822U, 0x299f31d0U},
       {0xd16cfe09U, 0x94fdccebU}},
  };
  (void)state;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    const uint32_t *c = known[k].counter, *key = known[k].key, *out = known[k].out;
    const double p = cardan_random(join(key[0], key[1]), join(c[2], c[3]), join(c[0], c[1]));
    assert_true(p == ((double)(join(out[0], out[1]) >> 12) + 0.5) * 0x1p-52);
  }
}

static cardan_distribution spread(const char *text)
{
  cardan_distribution s;
  expect_ok(cardan_distribution_read(text, &s, NULL), NULL, text);
  return s;
}

// Phi(z) = p by erfc, which knows nothing of quantiles: the difference over the density is the
// error of z, to 1e-14 of 1 + |z|; far out p itself has only so many digits: 4 eps p more
static void test_quantiles(void **state)
{
  (void)state;
  const cardan_distribution normal = spread("normal:0:1");
  for (double p = 1e-300; p < 1; p = p < 1e-3 ? 10 * p : p + 1e-3) {
    const double z = cardan_distribution_at(&normal, p);
    const double error = 0.5 * erfc(-z / sqrt(2)) - p;
    const double density = exp(-0.5 * z * z) / sqrt(2 * acos(-1));
    const double slack = 1e-14 * density * (1 + fabs(z)) * (1 + z * z) + 4e-16 * p;
    if (!(fabs(error) <= slack)) {
      fail_msg("p = %g: z = %.17g is off by %g", p, z, error / density);
    }
  }
  assert_true(cardan_distribution_at(&normal, 0.5) == 0);
  // the 97.5 % quantile that everybody knows
  assert_true(fabs(cardan_distribution_at(&normal, 0.975) - 1.959963984540054) < 1e-15);
  const cardan_distribution other = spread("normal:3:0.5");
  assert_true(cardan_distribution_at(&other, 0.25) ==
              3 + 0.5 * cardan_distribution_at(&normal, 0.25));
}

// mean, variance and correlation of neighbours and streams, of N = 20,000: each a mean of N numbers
// of spread 1 or so, which is off by 4.5 / sqrt(N) = 0.032 once in 150,000 times. The seed is fixed
static void test_moments(void **state)
{
  enum { N = 20000 };
  const double far = 4.5 / sqrt((double)N);
  static const struct {
    const char *text;
    double mean, deviation;
  } spreads[] = {{"normal:0:1", 0, 1}, {"uniform:-1:3", 1, 1.1547005383792515}};
  (void)state;
  for (int k = 0; k < 2; k++) {
    const cardan_distribution s = spread(spreads[k].text);
    double mean = 0, square = 0, neighbours = 0, streams = 0, last = 0;
    for (uint64_t i = 0; i < N; i++) {
      const double scale = 1 / spreads[k].deviation;
      const double x =
          scale * (cardan_distribution_at(&s, cardan_random(5, 1, i)) - spreads[k].mean);
      const double y =
          scale * (cardan_distribution_at(&s, cardan_random(5, 2, i)) - spreads[k].mean);
      mean += x / N;
      square += x * x / N;
      neighbours += x * last / N;
      streams += x * y / N;
      last = x;
    }
    assert_true(fabs(mean) < far && fabs(neighbours) < far && fabs(streams) < far);
    assert_true(fabs(square - 1) < far * sqrt(2)); // of x^2, whose spread is at most sqrt(2)
  }
}

/* Part of a distribution below x, by its own formula: nothing here is shared with quantiles. */
static double part_below(const cardan_distribution *s, double x)
{
  switch (s->kind) {
  case CARDAN_DISTRIBUTION_UNIFORM:
    return (x - s->a) / (s->b - s->a);
  case CARDAN_DISTRIBUTION_TRIANGULAR:
    return x < s->c ? (x - s->a) * (x - s->a) / ((s->b - s->a) * (s->c - s->a))
                    : 1 - (s->b - x) * (s->b - x) / ((s->b - s->a) * (s->b - s->c));
  default:
    return 0.5 *
           erfc((s->a - (s->kind == CARDAN_DISTRIBUTION_NORMAL ? x : log(x))) / s->b / sqrt(2));
  }
}

// the part below the value at p, of the part that is kept, is p: rounding of a few operations on
// numbers up to 1, and of x through the density (steepest here: 2 at x = 3), 20 eps in all
static void test_cut_spreads(void **state)
{
  static const char *const texts[] = {
      "uniform:1:3",          "uniform:1:3:2..",           "normal:1:2:..3",
      "normal:1:2:-1..1.5",   "log-normal:0.5:0.7",        "log-normal:0:1:..2",
      "log-normal:0:1:-1..2", "triangular:0:1:4",          "triangular:0:0:4",
      "triangular:0:4:4",     "triangular:0:1:4:0.5..3.5", "triangular:0:1:4:2.."};
  (void)state;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    const cardan_distribution s = spread(texts[k]);
    const double low = s.has_from && !(s.kind == CARDAN_DISTRIBUTION_LOG_NORMAL && s.from <= 0)
                           ? part_below(&s, s.from)
                           : 0;
    const double high = s.has_to ? part_below(&s, s.to) : 1;
    double last = -HUGE_VAL;
    for (double p = 1.0 / 512; p < 1; p += 1.0 / 512) {
      const double x = cardan_distribution_at(&s, p);
      const double part = (part_below(&s, x) - low) / (high - low);
      if (!(fabs(part - p) < 20 * DBL_EPSILON / (high - low) && x > last)) {
        fail_msg("%s at %g: %.17g, which has %.17g below it", texts[k], p, x, part);
      }
      last = x;
    }
  }
}

// of the tail beyond 20 deviations, 2.8e-89 of the whole, the middle is where Mills' ratio says,
// Q(z) = phi(z) / z (1 - 1 / z^2 + 3 / z^4 - ..), and below it is the same mirrored
static void test_tails(void **state)
{
  const cardan_distribution up = spread("normal:0:1:20.."), down = spread("normal:0:1:..-20");
  const double z = cardan_distribution_at(&up, 0.5);
  (void)state;
  assert_true(z == -cardan_distribution_at(&down, 0.5));
  // log Q(20) - log Q(z) = log 2; each log Q is of size 200: 4 of its eps
  const double part = erfc(20 / sqrt(2)) / erfc(z / sqrt(2));
  assert_near(part, 2, 2 * 4 * 200 * DBL_EPSILON);
  for (double p = 0x1p-53; p < 1; p += 1.0 / 64) {
    assert_true(cardan_distribution_at(&up, p) >= 20 && cardan_distribution_at(&up, p) < 25);
  }
  assert_true(cardan_distribution_at(&up, 0x1p-53) == 20);
}

static void test_bad_spreads(void **state)
{
  static const char *const bad[] = {"",
                                    "1",
                                    "1..",
                                    "..2",
                                    "1..nan",
                                    "1..2..3",
                                    "1..inf",
                                    "uniform:1",
                                    "uniform:2:1",
                                    "uniform:1:1",
                                    "normal:1:-1",
                                    "normal:1:0",
                                    "normal:1",
                                    "gauss:0:1",
                                    "1 .. 2",
                                    "-1e308..1e308",
                                    "normal:0:1:",
                                    "normal:0:1:..",
                                    "normal:0:1:2..1",
                                    "normal:0:1:50..",
                                    "normal:0:1:1..2:3",
                                    "normal:0:1:1...2",
                                    "normal:1e308:1e308",
                                    "log-normal:0:200",
                                    "triangular:0:1",
                                    "triangular:0:3:2",
                                    "triangular:0:0:0",
                                    "uniform:0:1:2..3",
                                    "uniform:0:1:1"};
  (void)state;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    cardan_distribution s;
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_distribution_read(bad[k], &s, &report), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(report.message, "expected"));
  }
}

/* ---- names ---- */

static const char arm[] =
    "(system (parameter L 2) (parameter m 1) (parameter ax 1) (define half (/ L 2)) (input \"f\" 4)"
    " (gravity 0 0 -9.81) (joint revolute \"angle\" (axis 0 ax 0) (tz (- half) (mass m)))"
    " (joint spherical \"ball\" (tx 1 (mass 1 1 1 1)))"
    " (ry (k \"crank\") (mass 1 1 1 1)) (motion \"crank\" t)"
    " (initial (\"angle\" (/ L 4))))";

static cardan_sampler *make_vary(const cardan_model *model, uint64_t seed)
{
  cardan_sampler *sampler;
  expect_ok(cardan_sampler_create(model, seed, NULL, &sampler, NULL), NULL, "vary");
  return sampler;
}

static void add(cardan_sampler *sampler, const char *name, const char *text)
{
  const cardan_distribution s = spread(text);
  cardan_report report = {.message = ""};
  expect_ok(cardan_sampler_add(sampler, name, &s, &report), &report, name);
}

static void test_bad_names(void **state)
{
  static const struct {
    const char *name, *words;
  } bad[] = {
      {"q.angel", "no \"q.angel\"; did you mean \"q.angle\"?"},
      {"angle", "did you mean \"q.angle\"?"},
      {"v.ballwx", "did you mean \"v.ball.wx\"?"},
      {"f", "did you mean"},
      {"u.x1", "expected q.NAME, v.NAME, u.NAME"},
      {"nowhere", "expected q.NAME, v.NAME, u.NAME"},
      {"half", "computed from parameters"},
      {"ax", "only reading the text again"},
      {"q.crank", "follows its (motion ..)"},
      {"", "expected q.NAME"},
  };
  (void)state;
  cardan_model *model = load_model(arm, NULL);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    cardan_place place;
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_place_find(model, bad[k].name, &place, &report), CARDAN_ERR_ARGUMENT);
    if (strstr(report.message, bad[k].words) == NULL) {
      fail_msg("\"%s\": found \"%s\", expected \"%s\"", bad[k].name, report.message, bad[k].words);
    }
  }
  cardan_sampler *sampler = make_vary(model, 1);
  const cardan_distribution one = {.kind = CARDAN_DISTRIBUTION_EVEN, .a = 1, .b = 1};
  add(sampler, "L", "1..2");
  assert_int_equal(cardan_sampler_add(sampler, "l", &one, NULL), CARDAN_ERR_ARGUMENT); // any case
  cardan_sampler_destroy(sampler);
  cardan_model_destroy(model);
}

// a copy's numbers are its own: whatever else differs, in whatever order it was given, of how many
static void test_copies_are_independent(void **state)
{
  (void)state;
  cardan_model *model = load_model(arm, NULL);
  cardan_sampler *one = make_vary(model, 7), *two = make_vary(model, 7),
                 *other = make_vary(model, 8);
  add(one, "L", "normal:0:1");
  add(two, "v.angle", "normal:0:1");
  add(two, "q.angle", "0..1");
  add(two, "L", "normal:0:1");
  add(other, "L", "normal:0:1");
  assert_string_equal(cardan_sampler_name(two, 1), "q.angle");
  for (int i = 9; i >= 0; i--) {
    double a, b[3], c;
    cardan_sampler_at(one, i, 10, &a);
    cardan_sampler_at(two, i, 10 + i, b);
    cardan_sampler_at(other, i, 10, &c);
    assert_true(a == b[2] && a != b[0] && a != c);
  }
  double ends[3];
  cardan_sampler_at(two, 0, 3, ends);
  assert_true(ends[1] == 0);
  cardan_sampler_at(two, 1, 3, ends);
  assert_true(ends[1] == 0.5);
  cardan_sampler_at(two, 2, 3, ends);
  assert_true(ends[1] == 1);
  cardan_sampler_at(two, 0, 1, ends);
  assert_true(ends[1] == 0);
  cardan_sampler_destroy(one);
  cardan_sampler_destroy(two);
  cardan_sampler_destroy(other);
  cardan_model_destroy(model);
}

// values go where their names say, over the model's own; its start follows its parameters
static void test_apply(void **state)
{
  (void)state;
  cardan_model *model = load_model(arm, NULL);
  cardan_sampler *sampler = make_vary(model, 1);
  double q[16], v[16], u[1], param[8], value[4];
  add(sampler, "L", "3..3");
  add(sampler, "v.angle", "-2..-2");
  add(sampler, "q.ball.qw", "0..2");
  add(sampler, "u.f", "6..6");
  cardan_sampler_at(sampler, 1, 2, value);
  expect_ok(cardan_sampler_apply(sampler, value, q, v, u, param, NULL), NULL, "apply");
  assert_true(param[cardan_model_parameter(model, "L")] == 3);
  assert_true(param[cardan_model_parameter(model, "m")] == 1);
  assert_true(u[0] == 6 && v[cardan_model_v(model, "angle")] == -2);
  assert_true(q[cardan_model_q(model, "angle")] == 0.75);
  assert_true(q[cardan_model_q(model, "ball.qw")] == 1); // 2, normalised
  assert_false(model->q_given[cardan_model_q(model, "ball.qw")]);
  cardan_sampler_mark_given(sampler, model);
  assert_true(model->q_given[cardan_model_q(model, "ball.qw")]);
  assert_true(model->v_given[cardan_model_v(model, "angle")]);
  // a quaternion of length 0, and nothing requested
  cardan_sampler_at(sampler, 0, 2, value);
  assert_int_equal(cardan_sampler_apply(sampler, value, q, v, u, param, NULL), CARDAN_ERR_ARGUMENT);
  expect_ok(cardan_sampler_apply(sampler, value, NULL, NULL, NULL, NULL, NULL), NULL, "nothing");
  cardan_sampler_destroy(sampler);
  cardan_model_destroy(model);
}

static cardan_status read(cardan_sampler *sampler, const char *text, cardan_report *report)
{
  return cardan_sampler_table(sampler, text, strlen(text), "cases.csv", report);
}

static void test_table(void **state)
{
  static const struct {
    const char *text, *words;
    int line, column;
  } bad[] = {
      {"", "found nothing", 1, 1},
      {"L\n", "no rows", 2, 1},
      {"L,q.angel\n1,2\n", "did you mean \"q.angle\"?", 1, 3},
      {"L,L\n1,2\n", "repeated", 1, 3},
      {"L,q.angle\n1\n", "found 1 fields; expected 2", 2, 2},
      {"L,q.angle\n1,2,3\n", "more than 2 fields", 2, 4},
      {"L,q.angle\n1,2\n1,nan\n", "found the field \"nan\"", 3, 3},
      {"L,q.angle\n1,\n", "an empty field", 2, 3},
      {"L,q.angle\n1,1e999\n", "expected a finite one", 2, 3},
      {"\"L,q.angle\n1,2\n", "a closing quote", 1, 11},
  };
  (void)state;
  cardan_model *model = load_model(arm, NULL);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    cardan_sampler *sampler = make_vary(model, 1);
    cardan_report report = {.message = ""};
    assert_int_not_equal(read(sampler, bad[k].text, &report), CARDAN_OK);
    if (!strstr(report.message, bad[k].words) || report.pos.line != bad[k].line ||
        report.pos.column != bad[k].column || strcmp(report.file, "cases.csv") != 0) {
      fail_msg("\"%s\": found %s:%d:%d \"%s\", expected \"%s\"", bad[k].text, report.file,
               report.pos.line, report.pos.column, report.message, bad[k].words);
    }
    cardan_sampler_destroy(sampler);
  }
  cardan_sampler *sampler = make_vary(model, 1);
  double value[3];
  add(sampler, "u.f", "1..3");
  assert_int_equal(cardan_sampler_rows(sampler), -1);
  expect_ok(read(sampler, "\xEF\xBB\xBF L , \"q.angle\"\r\n1,2\r\n\r\n 1.5 ,-1e-1", NULL), NULL,
            "table");
  assert_int_equal(cardan_sampler_rows(sampler), 2);
  assert_int_equal(cardan_sampler_count(sampler), 3);
  cardan_sampler_at(sampler, 1, 2, value);
  assert_true(value[0] == 3 && value[1] == 1.5 && value[2] == -0.1);
  assert_int_equal(read(sampler, "m\n1\n", NULL), CARDAN_ERR_ARGUMENT); // a second one
  cardan_sampler_destroy(sampler);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_is_philox),
      cmocka_unit_test(test_quantiles),
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_cut_spreads),
      cmocka_unit_test(test_tails),
      cmocka_unit_test(test_bad_spreads),
      cmocka_unit_test(test_bad_names),
      cmocka_unit_test(test_copies_are_independent),
      cmocka_unit_test(test_apply),
      cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
