// SPDX-License-Identifier: Apache-2.0
#include "cardan/continue.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "run/sim_access.h"

/* Continuing a result: from a state to its last row, with every row on the way compared, bit by
 * bit, with the one that is there. What a state cannot promise (that this processor's library of
 * mathematics rounds as that one's did) the rows show. */

enum { ROWS_AT_ONCE = 256 };

/* ---- rows that are there, against those that are computed ---- */

typedef struct {
  cardan_result *result;
  double *rows;         // ROWS_AT_ONCE of them
  int64_t first, count; // which those are
  int64_t next;         // the next to be compared
  const cardan_allocator *allocator;
} comparison;

static cardan_status read_rows(comparison *c, cardan_report *report)
{
  const int64_t left = c->result->nrow - c->next;
  if (c->next >= c->first && c->next < c->first + c->count) {
    return CARDAN_OK;
  }
  c->first = c->next;
  c->count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
  return cardan_result_rows(c->result, c->first, c->count, c->rows, report);
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The first `count` columns of a row. */
static cardan_status compare(comparison *c, const double *row, int count, cardan_report *report)
{
  const size_t n = (size_t)c->result->ncolumn;
  const cardan_status status = read_rows(c, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const double *there = c->rows + (size_t)(c->next - c->first) * n;
  for (int k = 0; k < count; k++) {
    if (bits_of(row[k]) != bits_of(there[k])) {
      return cardan_fail(
          report, CARDAN_ERR_IO, (cardan_pos){0, 0},
          "row %" PRId64 " (t = %g) of the result has %.17g for \"%.60s\", and %.17g is computed "
          "now: it is of another build or processor, which can continue it, or damaged",
          c->next, row[0], there[k], c->result->column[k], row[k]);
    }
  }
  c->next++;
  return CARDAN_OK;
}

static cardan_status compare_row(void *user, const double *row, cardan_report *report)
{
  comparison *c = user;
  return compare(c, row, c->result->ncolumn, report);
}

/* The row of the node that was restored, up to the energies: forces there belong to a step that is
 * over. The state is restored once more after it: a run that is not cut off makes its row once. */
static cardan_status compare_node(cardan_sim *sim, comparison *c, cardan_report *report)
{
  const cardan_result *r = c->result;
  double *row = cardan__resize(c->allocator, NULL, (size_t)r->ncolumn * sizeof *row);
  cardan_status status = row != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  status = status == CARDAN_OK ? cardan_sim_row(sim, 0, row) : status;
  if (status != CARDAN_OK) {
    cardan_fail(report, status, (cardan_pos){0, 0}, "%s", cardan_status_text(status));
  }
  const cardan_model *model = cardan__sim_model(sim);
  const int count = 1 + model->nq + model->nv + 3; // t, q, v, energies
  status = status == CARDAN_OK ? compare(c, row, count, report) : status;
  cardan__resize(c->allocator, row, 0);
  return status == CARDAN_OK ? cardan_sim_snapshot_load(sim, r->state, r->state_size, report)
                             : status;
}

/* ---- what can be gone on with ---- */

static cardan_status check_columns(const cardan_sim *sim, const cardan_result *r,
                                   cardan_report *report)
{
  const int add = r->add | r->beside;
  bool same = cardan_sim_columns(sim, add) == r->ncolumn;
  for (int k = 0; k < r->ncolumn && same; k++) {
    char name[256];
    cardan_sim_column(sim, add, k, name, sizeof name);
    same = strncmp(name, r->column[k], sizeof name - 1) == 0;
  }
  return same ? CARDAN_OK
              : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                            "the columns of the result are not those of its model");
}

/* All options but the time, and the bound above which an estimated error is a warning, are those of
 * the result; the end is not before what is there. */
static cardan_status check_options(const cardan_sim *sim, const cardan_result *r,
                                   cardan_report *report)
{
  const cardan_options *o = cardan_sim_options(sim);
  const cardan__method *method = cardan__sim_stepper(sim)->method;
  cardan_options was = r->options;
  was.solver = was.solver != NULL ? was.solver : o->solver; // the sim has filled it in
  for (int i = 0; cardan_option_name(i) != NULL; i++) {
    const char *name = cardan_option_name(i);
    char a[96] = "", b[96] = "";
    cardan__option_quoted(method, &was, i, a, sizeof a);
    cardan__option_quoted(method, o, i, b, sizeof b);
    if (strcmp(a, b) != 0 && strcmp(name, "time") != 0 && strcmp(name, "max-error") != 0) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "option %s is %s, and the result's is %s: a run continues as it began",
                         name, b, a);
    }
  }
  const double steps = floor(o->time / o->dt + 1e-9);
  const double last = (double)(r->nrow - 1) * o->every;
  const double there = r->state != NULL ? fmax(last, (double)r->state_step) : last;
  return there <= steps ? CARDAN_OK
                        : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                                      "option time is %g s, and the result is at t = %g s already, "
                                      "expected at least %g",
                                      o->time, o->begin + there * o->dt, there * o->dt);
}

/* A state's own account of itself, before it is restored. */
static cardan_status check_state(const cardan_sim *sim, const cardan_result *r,
                                 cardan_report *report)
{
  char version[CARDAN_ORIGIN_SIZE], level[CARDAN_ORIGIN_SIZE];
  const bool known = cardan_snapshot_origin(r->state, r->state_size, version, level);
  const int64_t every = cardan_sim_options(sim)->every;
  if (known && (strcmp(version, cardan_version()) != 0 || strcmp(level, cardan_cpu_level()) != 0)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "the result is of cardan %s for %s, and this is %s for %s, whose bits would "
                       "differ: continue it with that one, or run it again from its start",
                       version, level, cardan_version(), cardan_cpu_level());
  }
  const bool fits = r->state_row > 0 && r->state_row <= r->nrow && r->state_step >= 0 &&
                    r->state_step / every == r->state_row - 1;
  return known && fits ? CARDAN_OK
                       : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                                     "the result's state is of another version of cardan, or "
                                     "damaged; run it again from its start");
}

/* The sim at the result's state, whose row is compared where it has one. */
static cardan_status restore(cardan_sim *sim, comparison *c, cardan_report *report)
{
  const cardan_result *r = c->result;
  cardan_status status = check_state(sim, r, report);
  if (status == CARDAN_OK) {
    status = cardan_sim_snapshot_load(sim, r->state, r->state_size, report);
  }
  if (status == CARDAN_OK && cardan__sim_counts(sim)->steps != r->state_step) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "the result's state is damaged; run it again from its start");
  }
  c->next = r->state_row;
  if (status == CARDAN_OK && r->state_step % cardan_sim_options(sim)->every == 0) {
    c->next--;
    status = compare_node(sim, c, report);
  }
  return status;
}

/* ---- continuing ---- */

/* From where the sim stands to the result's last row. */
static cardan_status catch_up(cardan_sim *sim, comparison *c, const cardan_sink *sinks, int nsink,
                              cardan_report *report)
{
  const int64_t to = (c->result->nrow - 1) * cardan_sim_options(sim)->every;
  const size_t bytes = (size_t)(nsink + 1) * sizeof *sinks;
  cardan_run_state at;
  if (to <= cardan__sim_counts(sim)->steps) {
    return CARDAN_OK;
  }
  cardan_sink *all = cardan__resize(c->allocator, NULL, bytes);
  if (all == NULL) {
    return cardan__no_memory(report);
  }
  all[0] = (cardan_sink){.user = c, .add = c->result->add | c->result->beside, .row = compare_row};
  for (int i = 0; i < nsink; i++) {
    all[i + 1] = sinks[i];
  }
  const cardan_status status =
      cardan__run_steps(sim, to - cardan__sim_counts(sim)->steps, all, nsink + 1, &at, report);
  cardan__resize(c->allocator, all, 0);
  return status;
}

cardan_status cardan_result_continue_mode(const cardan_sim *sim, const cardan_result *result,
                                          cardan_continuation *out, cardan_report *report)
{
  *out = (cardan_continuation){.row = 0};
  out->anew = cardan__sim_adaptive(sim) && cardan_sim_options(sim)->time != result->options.time;
  out->restored = !out->anew && result->state != NULL && cardan_sim_is_bit_resumable(sim);
  const cardan_status status = check_columns(sim, result, report);
  return status == CARDAN_OK ? check_options(sim, result, report) : status;
}

static cardan_status continue_run(cardan_sim *sim, comparison *c, const cardan_sink *sinks,
                                  int nsink, cardan_continuation *out, cardan_report *report)
{
  const cardan_result *r = c->result;
  cardan_status status = out->restored ? restore(sim, c, report) : cardan_sim_start(sim, report);
  if (status == CARDAN_OK && !out->anew) {
    const int64_t from = out->restored ? r->state_row : 0;
    status = catch_up(sim, c, sinks, nsink, report);
    out->compared = c->next - from;
  }
  out->step = cardan__sim_counts(sim)->steps;
  out->row = out->step > 0 ? c->next : 0; // the start's row comes with the first step
  return status;
}

cardan_status cardan_result_continue(cardan_sim *sim, cardan_result *result,
                                     const cardan_sink *sinks, int nsink, cardan_continuation *out,
                                     cardan_report *report)
{
  comparison c = {.result = result, .allocator = cardan__sim_allocator(sim)};
  const size_t n = (size_t)ROWS_AT_ONCE * (size_t)result->ncolumn;
  cardan_status status = cardan_result_continue_mode(sim, result, out, report);
  if (status != CARDAN_OK) {
    return status;
  }
  c.rows = cardan__resize(c.allocator, NULL, n * sizeof *c.rows);
  if (c.rows == NULL) {
    return cardan__no_memory(report);
  }
  status = continue_run(sim, &c, sinks, nsink, out, report);
  cardan__resize(c.allocator, c.rows, 0);
  return status;
}
