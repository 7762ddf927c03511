// SPDX-License-Identifier: Apache-2.0
// Random mechanisms on blades, rolling balls and random rows on velocities that meet stops, ropes,
// inequalities and a floor, with dry friction in joints and at contacts: rows hold at every node,
// no entry of the ledger adds energy, and motions agree within their orders.
// ROLLING_SEEDS=300 in the environment takes so many, ROLLING_FIRST=7 from that one on.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constraints/rows.h"
#include "model/data.h"
#include "random_rolling.h"
#include "run.h"

enum { SAMPLE = 50 };
static const double T = 0.25, dt = 0.005;
static const double beside = 0.05; // of impacts at the ends of steps: some h at 1 to 5 m/s, rad/s

typedef struct {
  int models, runs, compared, stopped, rough, wrong, events;
  double slip, gain, far;
} tally;

/* ---- models ---- */

static int velocity_of(const cardan_model *m, const char *name)
{
  int k = 0;
  while (strcmp(m->v_name[k], name) != 0) {
    k++;
  }
  return k;
}

/* One thing to meet, to text; false: the model has nothing for it. *stops: aba takes it too */
static bool add_event(const cardan_model *m, const cardan_data *start, support_rng *rng, int n,
                      char *text, size_t size, bool *stops)
{
  const int kind = support_random_int(rng, 0, 4);
  const char *v = random_rolling_name(m, rng, true), *f = random_rolling_name(m, rng, false);
  const double near = support_random_in(rng, 0.005, 0.1), e = support_random_in(rng, -0.3, 0.9);
  if (kind < 2 ? v == NULL : f == NULL) {
    return false;
  }
  const int frame = kind < 2 ? 0 : cardan_model_frame(m, f);
  const cardan_vec3 p = kind < 2 ? (cardan_vec3){0, 0, 0} : cardan_frame_pose(m, start, frame).p;
  const double far = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
  *stops = *stops && kind == 0;
  if (kind == 0) {
    const int k = velocity_of(m, v);
    const double q = start->q[m->body[m->v_body[k]].qadr];
    snprintf(text, size, "(stop \"%s\" %.17g %.17g (restitution %.3g))\n", v, q - near, q + near,
             fmax(e, 0));
  } else if (kind == 1) {
    snprintf(text, size, "(dry-friction \"%s\" %.3g)\n", v, 5 * near);
  } else if (kind == 2) {
    snprintf(text, size, "(rope \"%s\" \"world\" %.17g (restitution %.3g))\n", f, far + 0.3 * near,
             fmax(e, 0));
  } else if (kind == 3) {
    snprintf(text, size, "(inequality (- (py \"%s\") %.17g) (restitution %.3g))\n", f,
             p.y - 0.3 * near, fmax(e, 0));
  } else {
    snprintf(text, size,
             "(at \"%s\" (place (0 0 0) (name \"ball %d\") (solid sphere 0.05)))\n"
             "(place (0 0 %.17g) (name \"floor %d\") (solid plane))\n"
             "(contact \"ball %d\" \"floor %d\" (friction 0.4) (restitution %.3g))\n",
             f, n, p.z - 0.05 - 0.3 * near, n, n, n, fmax(e, 0));
  }
  return true;
}

/* The start of aba, with loops closed; false: there is none. */
static bool find_start(const cardan_model *m, cardan_data *out)
{
  const cardan_options o = run_options("aba:rk4", 0.01, 0);
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  bool good = cardan_sim_create(m, &o, NULL, &sim, &report) == CARDAN_OK &&
              cardan_sim_start(sim, &report) == CARDAN_OK;
  if (good) {
    memcpy(out->q, cardan_sim_data(sim)->q, (size_t)m->nq * sizeof *out->q);
    cardan_joints(m, out);
    cardan_poses(m, out);
  }
  cardan_sim_destroy(sim);
  return good;
}

static cardan_model *make(uint64_t seed, char *text, bool *stops)
{
  support_rng rng = {seed + 5000};
  cardan_model *base = random_rolling_model(seed, text), *out = NULL;
  cardan_report report = {.message = ""};
  cardan_data *start = NULL;
  *stops = true;
  if (base != NULL && cardan_data_create(base, NULL, &start) == CARDAN_OK &&
      find_start(base, start)) {
    const int n = support_random_int(&rng, 1, 3);
    for (int i = 0; i < n; i++) {
      char item[512];
      if (add_event(base, start, &rng, i, item, sizeof item, stops)) {
        snprintf(strrchr(text, ')'), 600, "%s)", item);
      }
    }
    if (cardan_model_from_text(text, strlen(text), "meets.mbs", NULL, 0, NULL, &out, &report) !=
        CARDAN_OK) {
      print_message("seed %d: %s\n", (int)seed, report.message);
      out = NULL;
    }
  }
  cardan_data_destroy(start);
  cardan_model_destroy(base);
  return out;
}

/* ---- runs ---- */

/* |A v - b| of the rows of velocity level at the node, relative to their terms, at most. */
static double slip_of(const cardan_model *m, cardan_data *data)
{
  const cardan__rowset set = cardan__model_rows(m);
  const cardan__view view = cardan__data_view(m, data);
  double *G = calloc((size_t)m->nrow * (size_t)m->nv, sizeof *G), worst = 0, fastest = 0;
  cardan__rows_jacobian(&set, &view, &data->rows);
  cardan__rows_rates(&set, &view, data->rows.phi_t, NULL);
  cardan__rows_dense(&set, data, &data->rows, G);
  for (int k = 0; k < m->nv; k++) {
    fastest = fmax(fastest, fabs(data->v[k]));
  }
  for (int r = 0; r < m->nrow; r++) {
    double sum = data->rows.phi_t[r], size = fabs(sum);
    for (int k = 0; k < m->nv; k++) {
      sum += G[r * m->nv + k] * data->v[k];
      size = fmax(size, fabs(G[r * m->nv + k]));
    }
    worst =
        m->row[r].velocity && size > 0 ? fmax(worst, fabs(sum) / (size * (1 + fastest))) : worst;
  }
  free(G);
  return worst;
}

/* q at the end of a run by steps of h, and what was seen on its way; false, with the message in
 * report, where the method refuses or stops. */
static bool end_of(const cardan_model *model, const char *method, const char *impacts, double h,
                   double *q, tally *t, cardan_report *report)
{
  cardan_options o = run_options(method, h, T);
  cardan_sim *sim = NULL;
  o.impacts = impacts;
  cardan_status status = cardan_sim_create(model, &o, NULL, &sim, report);
  status = status == CARDAN_OK ? cardan_sim_start(sim, report) : status;
  const int steps = (int)lround(T / h);
  cardan_contact_stats last = {0};
  double size = 1e-3;
  for (int i = 0; i < steps && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
    cardan_data *data = cardan_sim_data(sim);
    status = status == CARDAN_OK ? cardan_sim_observe(sim) : status;
    if (status == CARDAN_OK) {
      const cardan_contact_stats now = cardan_sim_stats(sim).contact;
      cardan_kinematics(model, data);
      size = fmax(size, cardan_kinetic(model, data));
      t->slip = fmax(t->slip, slip_of(model, data));
      t->gain = fmax(t->gain, (last.lost - now.lost) / size);
      t->gain = fmax(t->gain, (last.friction - now.friction) / size);
      last = now;
    }
  }
  if (status == CARDAN_OK) {
    memcpy(q, cardan_sim_data(sim)->q, (size_t)model->nq * sizeof *q);
    t->runs++;
    t->events += (int)last.impacts;
  }
  cardan_sim_destroy(sim);
  return status == CARDAN_OK;
}

/* A method of order 2 at three steps against the reference. Stick, slip and lift-off are not
 * located, and joints turn round within steps: half of the error at half the step at least, over
 * two halvings. */
static void compare(const cardan_model *model, const char *method, const char *impacts,
                    const double *reference, uint64_t seed, tally *t)
{
  double *q = calloc((size_t)model->nq, sizeof *q), error[3] = {0};
  cardan_report report = {.message = ""};
  bool good = true;
  for (int k = 0; k < 3 && good; k++) {
    good = end_of(model, method, impacts, dt / (1 << k), q, t, &report);
    error[k] = good ? random_rolling_difference(model, q, reference) : 0;
  }
  if (!good) {
    t->stopped++;
    print_message("seed %d %s: %.150s\n", (int)seed, method, report.message);
  } else {
    const bool fine = error[2] < 1e-7 || error[2] < 0.3 * error[0];
    const bool wrong = !(error[2] < 1e-3);
    t->compared++;
    t->rough += !fine && !wrong;
    t->wrong += wrong;
    if (!fine || wrong) {
      print_message("seed %d %s: errors %.2e %.2e %.2e\n", (int)seed, method, error[0], error[1],
                    error[2]);
    }
  }
  free(q);
}

static void check(uint64_t seed, char *text, tally *t)
{
  bool exact = false;
  cardan_report report = {.message = ""};
  cardan_model *model = make(seed, text, &exact);
  if (model == NULL) {
    return;
  }
  random_rolling_write(seed, text);
  double *reference = calloc((size_t)model->nq, sizeof *reference);
  tally unseen = {0}; // aba has other tolerances
  t->models++;
  if (!end_of(model, exact ? "aba:dopri5" : "vi", exact ? NULL : "located", exact ? 0.05 : dt / 16,
              reference, &unseen, &report)) {
    t->stopped++;
    print_message("seed %d %s: %.150s\n", (int)seed, exact ? "aba" : "vi", report.message);
  } else {
    compare(model, "vi", "located", reference, seed, t);
    compare(model, "svi", "located", reference, seed, t);
    double *q = calloc((size_t)model->nq, sizeof *q);
    if (!end_of(model, "vi", "step", dt, q, t, &report)) {
      t->stopped++;
      print_message("seed %d step: %.150s\n", (int)seed, report.message);
    } else {
      const double far = random_rolling_difference(model, q, reference);
      t->far = fmax(t->far, far);
      t->wrong += !(far < beside);
      if (!(far < beside)) {
        print_message("seed %d step: off by %.2e\n", (int)seed, far);
      }
    }
    free(q);
  }
  free(reference);
  cardan_model_destroy(model);
}

static int from_environment(const char *name, int otherwise)
{
  const char *text = getenv(name);
  return text != NULL ? atoi(text) : otherwise;
}

static void random_rolling_contact(void **state)
{
  const int seeds = from_environment("ROLLING_SEEDS", SAMPLE);
  const int first = from_environment("ROLLING_FIRST", 0);
  char *text = malloc(RANDOM_ROLLING_TEXT);
  tally t = {0};
  (void)state;
  assert_non_null(text);
  for (int seed = first; seed < first + seeds; seed++) {
    check((uint64_t)seed, text, &t);
  }
  print_message(
      "%d models, %d runs with %d impacts, %d comparisons, %d stopped, %d rough, %d "
      "wrong; rows off by %.1e, entries add %.1e, impacts at ends of steps move ends by %.1e\n",
      t.models, t.runs, t.events, t.compared, t.stopped, t.rough, t.wrong, t.slip, t.gain, t.far);
  assert_int_equal(t.wrong, 0);
  assert_near(t.slip, 0, 1e-12);
  assert_near(t.gain, 0, 1e-12);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_rolling_contact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
