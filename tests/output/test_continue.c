// SPDX-License-Identifier: Apache-2.0
// A run that is cut off and gone on with leaves the file, byte for byte, and the summary of one
// that never was.
#define _DEFAULT_SOURCE // fork
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/continue.h"
#include "output/result_table.h"
#include "own_folder.h"
#include "run.h"

enum { STEPS = 25, KEPT = 9, CUT = 17, ADD = 15 };

/* One run: its model, its options, and where its states are kept. */
typedef struct {
  const char *model, *setting;
  cardan_options options;
  const char *input; // a table of inputs; NULL: none
} scene;

typedef struct {
  cardan_checkpoint *checkpoint;
  int64_t keep; // after this step; -1: never
} keeper;

static cardan_status keep_at(void *user, cardan_sim *sim, const cardan_run_state *at,
                             cardan_report *report)
{
  const keeper *k = user;
  (void)sim;
  return at->step == k->keep ? cardan_checkpoint_save(k->checkpoint, report) : CARDAN_OK;
}

static void done(cardan_status status, const cardan_report *report)
{
  if (status != CARDAN_OK) {
    fail_msg("%s: %s", cardan_status_text(status), report->message);
  }
}

static run load(const scene *s, cardan_signals **signals)
{
  cardan_report report = {.message = ""};
  run r = run_load(s->model, s->setting, &s->options);
  *signals = NULL;
  if (s->input != NULL) {
    done(cardan_signals_read(r.model, s->input, strlen(s->input), "input", true, NULL, signals,
                             &report),
         &report);
    cardan_sim_signals(r.sim, *signals);
  }
  return r;
}

static cardan_record record_of(const scene *s)
{
  return (cardan_record){.model = "m",
                         .text = "(system)",
                         .length = 8,
                         .options = &s->options,
                         .add = ADD,
                         .input = s->input,
                         .input_length = s->input != NULL ? strlen(s->input) : 0};
}

/* The summary as JSON, to be freed. */
static char *summary(cardan_sim *sim)
{
  char *text = NULL;
  const cardan_run_notes notes = {.model = "m", .rows = 0};
  assert_int_equal(cardan_describe_run(sim, &notes, true, NULL, &text), CARDAN_OK);
  return text;
}

/* From a table and a sim that stand where they do, so many steps; then the end, or, cut, none.
 * keep: the step, of these, after which a state is kept */
static void go(run *r, cardan_table *table, int64_t steps, int64_t keep, bool cut)
{
  cardan_report report = {.message = ""};
  keeper k = {.keep = keep};
  done(cardan_checkpoint_create(table, r->sim, 0, NULL, &k.checkpoint, &report), &report);
  if (steps == 0) {
    done(cardan_checkpoint_save(k.checkpoint, &report), &report);
  }
  cardan_sink sinks[] = {cardan_table_sink(table, ADD),
                         {.user = &k, .step = keep_at},
                         cardan_checkpoint_sink(k.checkpoint)};
  done(cardan_run(r->sim, steps, sinks, cut ? 2 : 3, NULL, &report), &report);
  if (cut) {
    done(cardan__table_flush(table, &report), &report);
    _exit(0);
  }
  cardan_checkpoint_destroy(k.checkpoint);
  done(cardan_table_close(table, true, &report), &report);
}

/* From its start, in a process of its own where it is cut off. */
static char *begin(const scene *s, const char *path, int64_t steps, int64_t keep, bool cut)
{
  cardan_report report = {.message = ""};
  cardan_signals *signals;
  cardan_table *table;
  const pid_t child = cut ? fork() : 0;
  if (child != 0) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return NULL;
  }
  const cardan_record record = record_of(s);
  run r = load(s, &signals);
  run_start(&r);
  done(cardan_table_of_sim(path, r.sim, &record, NULL, &table, &report), &report);
  go(&r, table, steps, keep, cut);
  char *text = summary(r.sim);
  run_free(&r);
  cardan_signals_destroy(signals);
  return text;
}

/* Continues with a file; how: out. returns the summary, to be freed */
static char *go_on(const scene *s, const char *from, const char *path, int64_t steps,
                   cardan_continuation *how)
{
  cardan_report report = {.message = ""};
  cardan_signals *signals;
  cardan_result *result;
  cardan_table *table;
  const cardan_record record = record_of(s);
  run r = load(s, &signals);
  done(cardan_result_open(from, NULL, &result, &report), &report);
  done(cardan_result_continue(r.sim, result, NULL, 0, how, &report), &report);
  done(cardan_table_continue(result, path, how->row, &record, NULL, &table, &report), &report);
  cardan_result_close(result);
  go(&r, table, steps - how->step, -1, false);
  char *text = summary(r.sim);
  run_free(&r);
  cardan_signals_destroy(signals);
  return text;
}

static void same_file(const char *a, const char *b, const char *label)
{
  size_t na = 0, nb = 0;
  char *x = folder_read(a, &na), *y = folder_read(b, &nb);
  assert_non_null(x);
  assert_non_null(y);
  for (size_t i = 0; i < na && na == nb; i++) {
    if (x[i] != y[i]) {
      fail_msg("%s: byte %zu of %zu differs", label, i, na);
    }
  }
  if (na != nb) {
    fail_msg("%s: %zu bytes, and %zu when it was cut off", label, na, nb);
  }
  free(y);
  free(x);
}

/* Cut off after CUT steps, with a state of step KEPT, and gone on with. */
static void cut_and_go_on(const scene *s, const char *label)
{
  char whole[256], path[256], partial[256];
  cardan_continuation how;
  folder_path(&folder, "whole.h5", whole);
  folder_path(&folder, "cut.h5", path);
  folder_path(&folder, "cut.partial.h5", partial);
  char *text = begin(s, whole, STEPS, -1, false);
  begin(s, path, CUT, KEPT, true);
  char *other = go_on(s, partial, path, STEPS, &how);
  const int every = s->options.every;
  const bool foreign = how.compared > CUT / every; // all from the start
  assert_int_equal(how.restored, !foreign);
  assert_int_equal(how.compared, foreign ? CUT / every + 1 : CUT / every - KEPT / every);
  assert_int_equal(how.row, CUT / every + 1);
  assert_string_equal(text, other);
  same_file(whole, path, label);
  free(other);
  free(text);
  remove(whole);
  remove(path);
  assert_int_equal(folder_count(&folder), 0);
}

static void every_method(void **state)
{
  (void)state;
  const char *name;
  for (int i = 0; (name = run_method(i)) != NULL; i++) {
    scene s = {.model = i % 2 == 0 ? "slider-crank" : "pendulum:3",
               .options = run_options(name, 2e-3, STEPS * 2e-3)};
    s.options.rtol = s.options.atol = cardan_options_defaults().rtol;
    cardan_options_drop_unused(&s.options);
    s.options.every = 1 + i % 3;
    char label[64];
    snprintf(label, sizeof label, "%s", name);
    cut_and_go_on(&s, label);
  }
}

#define TOUCHING                                                                                 \
  "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"                  \
  " (place (0 0 0.1) (joint free \"crate\" (mass 2 0.02 0.02 0.02) (solid box 0.4 0.3 0.2)))"    \
  " (place (1 0 0.11) (joint free \"ball\" (mass 1 0.004 0.004 0.004) (solid sphere 0.1)))"      \
  " (joint prismatic \"s\" (axis 0 0 1) (mass 1 1 1 1)) (stop \"s\" -0.005 1 (restitution 0.7))" \
  " (contact all (friction 0.3) (restitution 0.6)))"

#define PUSHED                                                                                  \
  "(system (gravity 0 0 -9.81) (input \"u\") (rx \"a\" (tz -1 (mass 1 .1 .1 .1) (rx (k \"b\") " \
  "(tz -1 (mass 1 .1 .1 .1))))) (torque \"a\" u.u) (motion \"b\" (sin (* 3 t))))"

// contacts, friction, inputs, drivers, parts, orders
static void every_kind(void **state)
{
  (void)state;
  scene s = {.model = TOUCHING, .options = run_options("vi", 0.01, STEPS * 0.01)};
  cut_and_go_on(&s, "contacts");
  s = (scene){.model = "slider-crank",
              .setting = "mu=0.1",
              .options = run_options("half-implicit", 2e-3, STEPS * 2e-3)};
  cut_and_go_on(&s, "friction");
  s = (scene){.model = PUSHED,
              .options = run_options("svi", 0.01, STEPS * 0.01),
              .input = "t,u.u\n0,0\n0.1,3\n0.3,-2\n"};
  s.options.begin = 0.02;
  cut_and_go_on(&s, "inputs");
  s = (scene){.model = "double-pendulum", .options = run_options("vi", 0.1, STEPS * 0.1)};
  s.options.adapt = 1e-3;
  cut_and_go_on(&s, "parts");
  s.options.adapt = 0;
  s.options.order = 6;
  s.options.dt = 0.01;
  cut_and_go_on(&s, "order 6");
}

// which of redundant rows count depends on sizes that they had
static void redundant_rows(void **state)
{
  (void)state;
  static const char *const names[] = {"vi", "svi", "aba:rk4"};
  for (int i = 0; i < 3; i++) {
    const scene s = {.model = "fourbar-3d", .options = run_options(names[i], 0.06, STEPS * 0.06)};
    cut_and_go_on(&s, names[i]);
  }
}

// a run that ended continues to a later time
static void later(void **state)
{
  char whole[256], path[256];
  (void)state;
  static const char *const names[] = {"vi", "aba:rk4", "rattle", "aba:dop853", "aba:bdf"};
  for (int i = 0; i < 5; i++) {
    cardan_continuation how;
    scene s = {.model = "pendulum:3", .options = run_options(names[i], 2e-3, STEPS * 2e-3)};
    scene less = s;
    less.options.time = CUT * 2e-3;
    folder_path(&folder, "whole.h5", whole);
    folder_path(&folder, "less.h5", path);
    char *text = begin(&s, whole, STEPS, -1, false);
    free(begin(&less, path, CUT, -1, false));
    char *other = go_on(&s, path, path, STEPS, &how);
    assert_int_equal(how.anew, i > 2);
    assert_int_equal(how.row, i > 2 ? 0 : CUT + 1);
    assert_string_equal(text, other);
    same_file(whole, path, names[i]);
    free(other);
    free(text);
  }
  remove(whole);
  remove(path);
}

static void refused(const scene *s, cardan_result *result, cardan_status status, const char *says)
{
  cardan_report report = {.message = ""};
  cardan_continuation how;
  run r = run_load(s->model, s->setting, &s->options);
  assert_int_equal(cardan_result_continue(r.sim, result, NULL, 0, &how, &report), status);
  if (strstr(report.message, says) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", report.message, says);
  }
  run_free(&r);
}

static void refusals(void **state)
{
  char path[256];
  (void)state;
  cardan_report report = {.message = ""};
  cardan_result *result;
  const scene s = {.model = "pendulum:3", .options = run_options("vi", 2e-3, STEPS * 2e-3)};
  folder_path(&folder, "r.h5", path);
  free(begin(&s, path, STEPS, -1, false));
  done(cardan_result_open(path, NULL, &result, &report), &report);
  scene other = s;
  other.options.dt = 1e-3;
  refused(&other, result, CARDAN_ERR_ARGUMENT, "option dt is");
  other = s;
  other.options.time = 0.04;
  refused(&other, result, CARDAN_ERR_ARGUMENT, "already");
  other = s;
  other.model = "pendulum:4";
  refused(&other, result, CARDAN_ERR_ARGUMENT, "columns");
  other = s;
  other.setting = "m=1.5";
  refused(&other, result, CARDAN_ERR_ARGUMENT, "another model");
  char *bytes = result->state;
  const size_t number = strlen("cardan state ");
  bytes[number]--; // as the version before wrote it
  refused(&s, result, CARDAN_ERR_ARGUMENT, "of another version of cardan");
  bytes[number]++;
  bytes[16]++; // version
  refused(&s, result, CARDAN_ERR_ARGUMENT, "continue it with that one");
  bytes[16]--;
  bytes[200] ^= 1;
  refused(&s, result, CARDAN_ERR_ARGUMENT, "damaged");
  bytes[200] ^= 1;
  void *kept = result->state;
  result->state = NULL; // a file that has none: rows are compared
  refused(&other, result, CARDAN_ERR_IO, "row 0 (t = 0)");
  result->state = kept;
  cardan_result_close(result);
  remove(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method),   cmocka_unit_test(every_kind),
      cmocka_unit_test(redundant_rows), cmocka_unit_test(later),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
