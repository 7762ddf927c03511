// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "folder.h"
#include "path.h"
#include "run.h"

/* Below: right at any order. Above: the error must fall with the step as the order says. */
static const double SMALL = 1e-3;

void table_free(table *t)
{
  free(t->name);
  free(t->value);
  *t = (table){0};
}

static table table_make(int columns, int rows)
{
  table t = {.columns = columns, .rows = rows};
  t.name = calloc((size_t)columns + 1, sizeof *t.name);
  t.value = calloc((size_t)columns * (size_t)rows + 1, sizeof *t.value);
  assert_true(t.name != NULL && t.value != NULL);
  return t;
}

static int table_column(const table *t, const char *name)
{
  for (int k = 0; k < t->columns; k++) {
    if (strcmp(t->name[k], name) == 0) {
      return k;
    }
  }
  return -1;
}

static double at(const table *t, int row, int column)
{
  return t->value != NULL ? t->value[(size_t)row * (size_t)t->columns + (size_t)column] : HUGE_VAL;
}

/* A CSV text as the command writes it: names without commas in them. */
static table table_read(char *text)
{
  int columns = 1, rows = -1;
  for (const char *s = text; *s != '\n' && *s != '\0'; s++) {
    columns += *s == ',';
  }
  for (const char *s = text; *s != '\0'; s++) {
    rows += *s == '\n';
  }
  table t = table_make(columns, rows > 0 ? rows : 0);
  char *end = text;
  for (int k = 0; k < columns; k++) {
    const size_t n = strcspn(end, ",\n");
    snprintf(t.name[k], sizeof t.name[k], "%.*s", (int)(n < 63 ? n : 63), end);
    end += n + (end[n] != '\0');
  }
  for (int i = 0; i < t.rows * columns; i++) {
    t.value[i] = strtod(end, &end);
    end += *end != '\0';
  }
  return t;
}

/* Coordinates of a run of the library at t = i dt. returns false with the sentence in why */
static bool free_run(const char *model, const char *method, const hard_case *c, table *t,
                     char why[200])
{
  const int n = (int)floor(c->time / c->dt + 1e-9);
  cardan_options o =
      run_options(strncmp(method, "aba", 3) == 0 ? "aba:dopri5" : method, c->dt, c->time);
  o.integrator = "dopri5";
  o.rtol = 1e-11;
  o.atol = 1e-12;
  cardan_report report = {.message = ""};
  run r = run_load(model, NULL, &o);
  cardan_status status = cardan_sim_start(r.sim, &report);
  *t = table_make(r.model->nq, n + 1);
  for (int k = 0; k < r.model->nq; k++) {
    snprintf(t->name[k], sizeof t->name[k], "q.%s", r.model->q_name[k]);
  }
  for (int i = 0; i <= n && status == CARDAN_OK; i++) {
    r.data = cardan_sim_data(r.sim);
    memcpy(t->value + (size_t)i * (size_t)r.model->nq, r.data->q,
           (size_t)r.model->nq * sizeof(double));
    status = i < n ? cardan_sim_step(r.sim, &report) : status;
  }
  snprintf(why, 200, "%.199s", report.message);
  run_free(&r);
  return status == CARDAN_OK;
}

/* Two families: accelerations in joint coordinates, and canonical momenta. */
static table two_families(const hard_case *c, char why[200])
{
  table a = {0}, b = {0};
  char *model = hard_model(c);
  double apart = 0;
  bool done = free_run(model, "aba", c, &a, why) && free_run(model, "hamilton", c, &b, why);
  free(model);
  for (int i = 0; i < a.columns * a.rows && done; i++) {
    apart = fmax(apart, fabs(a.value[i] - b.value[i]));
  }
  table_free(&b);
  if (!done) {
    table_free(&a);
  } else {
    snprintf(why, 200, "aba and hamilton %.0e apart", apart);
  }
  return a;
}

static table along_path(const hard_case *c, char why[200])
{
  char *text = hard_model(c);
  fixture f = fixture_load(text);
  const int n = (int)floor(c->time / c->dt + 1e-9);
  const size_t nv = (size_t)f.model->nv;
  int index = -1;
  path p;
  table t = {0};
  double *q0 = malloc(2 * nv * sizeof *q0), *v0 = q0 + nv;
  assert_true(q0 != NULL && f.model->nq == f.model->nv);
  memcpy(v0, f.data->v, nv * sizeof *v0); // as given; positions as closed from what is given
  cardan_report report = {.message = ""};
  expect_ok(cardan_assemble(f.model, f.data, NULL, &report), &report, c->name);
  memcpy(q0, f.data->q, nv * sizeof *q0);
  for (int k = 0; k < f.model->nv && c->expect[0].column != NULL; k++) {
    if (strcmp(f.model->v_name[k], c->expect[0].column + 2) == 0) {
      index = k;
      v0[k] = c->expect[0].value;
    }
  }
  if (path_run(f.model, q0, v0, index, n, c->dt, &p, why)) {
    t = table_make(f.model->nq, n + 1);
    memcpy(t.value, p.q, (size_t)t.rows * (size_t)t.columns * sizeof(double));
    for (int k = 0; k < t.columns; k++) {
      snprintf(t.name[k], sizeof t.name[k], "q.%s", f.model->q_name[k]);
    }
    snprintf(why, 200, "path: nodes %.0e, energy %.0e", p.error, p.balance);
  }
  path_free(&p);
  free(q0);
  fixture_free(&f);
  free(text);
  return t;
}

table judge_reference(const hard_case *c, char why[200])
{
  *why = '\0';
  if (c->reference == HARD_PATH) {
    return along_path(c, why);
  }
  if (c->reference == HARD_FREE) {
    return two_families(c, why);
  }
  if (c->reference == HARD_TWIN) {
    const hard_case *twin = hard_find(c->twin);
    hard_case copy = *twin;
    copy.dt = c->dt;
    copy.time = c->time;
    return judge_reference(&copy, why);
  }
  static const char *const names[] = {[HARD_STILL] = "nothing moves",
                                      [HARD_FORM] = "closed form",
                                      [HARD_HELD] = "held, parts of what is allowed",
                                      [HARD_ENERGY] = "energy",
                                      [HARD_REFUSED] = "to be refused"};
  snprintf(why, 200, "%s", names[c->reference]);
  return (table){0};
}

/* What a run of the command left. */
typedef struct {
  int status;
  table t;
  char sentence[400]; // first line of the error stream
  bool warned;        // a warning among it
} outcome;

/* dt over `part`, rows as often as before; adaptive: tolerances a hundredth for each 4 in part. */
static outcome run_command(const char *command, const char *folder, const hard_case *c,
                           const judge_method *m, int part)
{
  char line[1200], *model = hard_model(c), file[256];
  snprintf(file, sizeof file, "%s/model.mbs", folder);
  if (c->write != NULL) {
    folder_write(file, model);
  }
  int n = snprintf(line, sizeof line, "cd %s; timeout -k 1 1200 %s run %s --json --out t.csv %s %s",
                   folder, command, c->write != NULL ? "model.mbs" : model, m->words,
                   c->options ? c->options : "");
  free(model);
  if (m->order > 0) {
    n += snprintf(line + n, sizeof line - (size_t)n, " --dt %.17g --time %.17g --every %d",
                  c->dt / part, c->time, part);
  } else {
    n += snprintf(line + n, sizeof line - (size_t)n, " --dt %.17g --time %.17g --rtol %g --atol %g",
                  c->dt, c->time, 1e-8 / (part * part * part), 1e-10 / (part * part * part));
  }
  snprintf(line + n, sizeof line - (size_t)n, " >out 2>err");
  snprintf(file, sizeof file, "%s/t.csv", folder);
  remove(file);
  const int code = system(line);
  outcome o = {.status = WIFEXITED(code) ? WEXITSTATUS(code) : 128};
  char *text = folder_read(file, NULL);
  o.t = text != NULL ? table_read(text) : (table){0};
  free(text);
  snprintf(file, sizeof file, "%s/err", folder);
  text = folder_read(file, NULL);
  for (char *line_of = text; line_of != NULL && *line_of != '\0';) {
    const int length = (int)strcspn(line_of, "\n");
    const bool warning = strncmp(line_of, "warning", 7) == 0;
    if (!warning || *o.sentence == '\0') { // an error counts more than warnings
      snprintf(o.sentence, sizeof o.sentence, "%.*s", length < 399 ? length : 399, line_of);
    }
    o.warned |= warning && strstr(line_of, "is no multiple of dt") == NULL; // no word on the motion
    line_of += length + (line_of[length] != '\0');
  }
  free(text);
  return o;
}

/* Largest difference of a common column over all rows, or of the expected numbers at the end (HELD:
 * as part of what is allowed). */
static double error_of(const hard_case *c, const table *reference, const table *t)
{
  double worst = 0;
  if (c->reference == HARD_FORM || c->reference == HARD_HELD) {
    for (int i = 0; i < HARD_NEXPECT && c->expect[i].column != NULL; i++) {
      const int k = table_column(t, c->expect[i].column);
      const double off =
          k < 0 ? (double)INFINITY : fabs(at(t, t->rows - 1, k) - c->expect[i].value);
      const double part = c->reference == HARD_HELD ? off / c->expect[i].tol : off;
      worst = !(part <= worst) ? part : worst;
    }
    return worst;
  }
  for (int k = 0; k < t->columns; k++) {
    if (strncmp(t->name[k], "q.", 2) == 0) {
      const int other = c->reference == HARD_STILL ? k : table_column(reference, t->name[k]);
      for (int i = 0; i < t->rows && other >= 0; i++) {
        const double is = at(t, i, k);
        const double be = c->reference == HARD_STILL ? at(t, 0, k)
                          : i < reference->rows      ? at(reference, i, other)
                                                     : (double)NAN;
        const double off = fabs(is - be) / fmax(1, fabs(be));
        worst = !(off <= worst) ? off : worst; // a NaN is the worst
      }
    }
  }
  return worst;
}

/* Energies of steps too long: the largest change in one, and over all, of the kinetic energy. A
 * method that damps by its nature loses any part of it in one step. */
static void energy_of(const table *t, bool damps, double *jump, double *drift)
{
  const int K = table_column(t, "kinetic"), E = table_column(t, "energy");
  double largest = 0;
  *jump = *drift = 0;
  for (int i = 0; i < t->rows; i++) {
    largest = fmax(largest, at(t, i, K));
  }
  // a motion that has gained energy does not get the gain as its measure
  largest = fmin(largest, 4 * at(t, 0, K) + 4 * fabs(at(t, 0, E)) + 1);
  for (int i = 1; i < t->rows; i++) {
    const double change = at(t, i, E) - at(t, i - 1, E);
    const double d = (damps && change < 0 ? 0 : fabs(change)) / largest;
    const double D = fabs(at(t, i, E) - at(t, 0, E)) / largest;
    *jump = !(d <= *jump) ? d : *jump;
    *drift = !(D <= *drift) ? D : *drift;
  }
}

/* Does the first row hold what was given? Says what it does not. */
static bool start_kept(const hard_case *c, const table *t, char sentence[400])
{
  if (c->reference == HARD_FORM || c->reference == HARD_HELD) {
    return true;
  }
  for (int i = 0; i < HARD_NEXPECT && c->expect[i].column != NULL; i++) {
    const int k = table_column(t, c->expect[i].column);
    const double is = k < 0 || t->rows < 1 ? (double)NAN : at(t, 0, k);
    if (!(fabs(is - c->expect[i].value) <= c->expect[i].tol)) {
      snprintf(sentence, 400, "%s starts as %.6g, given %.6g", c->expect[i].column, is,
               c->expect[i].value);
      return false;
    }
  }
  return true;
}

/* Does another root finder, from another guess, take another root? Two motions of one discrete
 * equation drift apart slowly, as chaos has it; another root is a jump in one row.
 * returns the row, or -1 */
static int parting(const table *a, const table *b)
{
  double last = 0;
  for (int i = 0; i < a->rows && i < b->rows; i++) {
    double apart = 0;
    for (int k = 0; k < a->columns; k++) {
      if (strncmp(a->name[k], "q.", 2) == 0) {
        apart = fmax(apart, fabs(at(a, i, k) - at(b, i, k)));
      }
    }
    if (apart > 0.1) {
      return last < 1e-4 ? i : -1;
    }
    last = apart;
  }
  return -1;
}

static judgement judge_energy(const outcome *o, bool damps)
{
  judgement j = {JUDGE_RIGHT, 0, ""};
  double jump = 0;
  energy_of(&o->t, damps, &jump, &j.error);
  if (!(j.error <= 0.1)) {
    j.verdict = o->warned ? JUDGE_SAYS : jump > 0.2 || isnan(jump) ? JUDGE_WRONG : JUDGE_COARSE;
    snprintf(j.sentence, sizeof j.sentence, "%.2g of the kinetic energy in one step%s%.300s", jump,
             o->warned ? "; " : "", o->warned ? o->sentence : "");
  }
  return j;
}

/* May an error e1 become e2 with a step of a quarter, at that order? Twice the order as the limit:
 * a method may be luckier than it promises, but not by much; and half as fast. */
static bool falls(double e1, double e2, int order)
{
  const double ratio = order > 0 ? pow(4, order) : 64;
  return e2 <= SMALL ? e1 <= fmax(4 * ratio * e2, 30 * SMALL)
                     : e2 < 0.5 * e1 && e1 < 4 * ratio * e2;
}

/* What every judgement needs to run the command. */
typedef struct {
  const char *command, *folder;
  const hard_case *c;
  const table *reference;
  const judge_method *method;
} bench;

/* The error of a run with steps `part` times finer; infinite where it stops. */
static double error_at(const bench *b, int part)
{
  outcome o = run_command(b->command, b->folder, b->c, b->method, part);
  const double error = o.status == 0 ? error_of(b->c, b->reference, &o.t) : (double)INFINITY;
  table_free(&o.t);
  return error;
}

/* Friction that holds: at the step that is given, but for the way to rest by methods of order 1. */
static judgement judge_held(const bench *b, const outcome *o)
{
  judgement j = {JUDGE_RIGHT, error_of(b->c, b->reference, &o->t), ""};
  const bool held = j.error <= 1;
  const double finer = !held && b->method->order == 1 ? error_at(b, 4) : j.error;
  if (!held && !(finer <= 0.5 * j.error)) {
    j.verdict = o->warned ? JUDGE_SAYS : JUDGE_WRONG;
    snprintf(j.sentence, sizeof j.sentence, "%.3g times what is allowed, %.3g at a finer step",
             j.error, finer);
  }
  return j;
}

/* A motion, against its reference: small errors, or such as fall with the step. */
static judgement judge_motion(const bench *b, const outcome *o, int base)
{
  judgement j = {JUDGE_RIGHT, error_of(b->c, b->reference, &o->t), ""};
  double e1 = j.error;
  for (int part = 4; !(e1 <= SMALL) && part <= 16 && j.verdict == JUDGE_RIGHT; part *= 4) {
    const double e2 = error_at(b, base * part);
    // a finer run that stops says nothing of this one
    const bool fine = isinf(e2) ? e1 <= 30 * SMALL : e1 <= 1 && falls(e1, e2, b->method->order);
    if (!fine) {
      j.verdict = o->warned ? JUDGE_SAYS : JUDGE_WRONG;
      snprintf(j.sentence, sizeof j.sentence, "off by %.2g, and by %.2g at a finer step%s%.250s",
               e1, e2, o->warned ? "; " : "", o->warned ? o->sentence : "");
    }
    e1 = e2;
  }
  return j;
}

/* Steps too long: by the energy and, for vi and svi, by another root finder. */
static judgement judge_steps(const bench *b, const outcome *o)
{
  const char *words = b->method->words;
  judgement j = judge_energy(o, strcmp(words, "--method fully-implicit") == 0);
  if (strcmp(words, "--method vi") == 0 || strcmp(words, "--method svi") == 0) {
    char more[100];
    snprintf(more, sizeof more, "%s --solver riqn --guess dynamics", words);
    outcome other = run_command(b->command, b->folder, b->c, &(judge_method){"", more, 2}, 1);
    const int row = parting(&o->t, &other.t);
    if (row >= 0) {
      j.verdict = JUDGE_WRONG;
      snprintf(j.sentence, sizeof j.sentence, "another root than riqn has, in row %d", row);
    }
    table_free(&other.t);
  }
  return j;
}

judgement judge(const char *command, const char *folder, const hard_case *c, const table *reference,
                const judge_method *method)
{
  // methods of order 1 get steps of an eighth where their motion is compared: else they say little
  const int base =
      method->order == 1 && c->reference != HARD_ENERGY && c->reference != HARD_HELD ? 8 : 1;
  const bench b = {command, folder, c, reference, method};
  outcome o = run_command(command, folder, c, method, base);
  judgement j = {JUDGE_RIGHT, -1, ""};
  snprintf(j.sentence, sizeof j.sentence, "%s", o.sentence);
  if (o.status == 1) {
    j.verdict = JUDGE_NONE;
  } else if (o.status == 2 || o.status == 3) {
    j.verdict = JUDGE_STOPS;
  } else if (o.status == 124 || o.status == 137) {
    j.verdict = JUDGE_STOPS;
    snprintf(j.sentence, sizeof j.sentence, "not done in 20 s");
  } else if (o.status != 0) {
    j.verdict = JUDGE_WRONG;
    snprintf(j.sentence, sizeof j.sentence, "exit status %d", o.status);
  } else if (c->reference == HARD_REFUSED || !start_kept(c, &o.t, j.sentence)) {
    j.verdict = o.warned ? JUDGE_SAYS : JUDGE_WRONG;
  } else {
    j = c->reference == HARD_ENERGY ? judge_steps(&b, &o)
        : c->reference == HARD_HELD ? judge_held(&b, &o)
                                    : judge_motion(&b, &o, base);
  }
  table_free(&o.t);
  return j;
}
