// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "output/describe_choice.h"
#include "output/describe_error.h"
#include "output/json.h"
#include "output/text_output.h"
#include "run/sim_access.h"

static const char *name_of(const cardan_model *model, const cardan_run_notes *notes)
{
  return model->name && model->name[0] ? model->name : notes->model;
}

/* count over solves; null where there were none. */
static double a_solve(const cardan_contact_stats *c, int64_t count)
{
  return c->solves > 0 ? (double)count / (double)c->solves : (double)NAN;
}

/* count over the steps of a run with cones; null where there were none. */
static double a_step(const cardan_contact_stats *c, int64_t count)
{
  const int64_t steps = c->steps_located + c->steps_step;
  return steps > 0 ? (double)count / (double)steps : (double)NAN;
}

static void json_contacts(const cardan_contact_stats *c, cardan__json *j)
{
  cardan__json_open(j, "contacts", '{');
  cardan__json_int(j, "impacts", c->impacts);
  cardan__json_int(j, "plastic", c->plastic);
  cardan__json_int(j, "guarded", c->guarded);
  cardan__json_number(j, "lost", c->lost);
  cardan__json_number(j, "friction", c->friction);
  cardan__json_number(j, "overlap", c->overlap);
  cardan__json_int(j, "events_max", c->events);
  cardan__json_int(j, "steps_located", c->steps_located);
  cardan__json_int(j, "steps_step", c->steps_step);
  cardan__json_int(j, "attempts", c->attempts);
  cardan__json_int(j, "solves", c->solves);
  cardan__json_number(j, "sweeps_mean", a_solve(c, c->sweeps));
  cardan__json_number(j, "newtons_mean", a_solve(c, c->newtons));
  cardan__json_number(j, "newtons_step", a_step(c, c->newtons));
  cardan__json_number(j, "error", c->error);
  cardan__json_close(j, '}');
}

/* Why the run ended early, at the last good node, and in which step. */
static void json_error(cardan_sim *sim, const cardan_run_notes *notes, cardan__json *j)
{
  if (notes->status == CARDAN_OK) {
    cardan__json_string(j, "error", NULL);
    return;
  }
  cardan__json_open(j, "error", '{');
  cardan__json_string(j, "status", cardan_status_word(notes->status));
  cardan__json_string(j, "message",
                      notes->error != NULL ? notes->error : cardan_status_text(notes->status));
  cardan__json_number(j, "t", cardan_sim_data(sim)->t);
  cardan__json_int(j, "step", cardan_sim_stats(sim).steps + (cardan__sim_started(sim) ? 1 : 0));
  cardan__json_close(j, '}');
}

static void json_energy(const cardan_stats *stats, cardan__json *j)
{
  cardan__json_open(j, "energy", '{');
  cardan__json_number(j, "initial", stats->energy_initial);
  cardan__json_number(j, "final", stats->energy_final);
  cardan__json_number(j, "max_drift", stats->drift_max);
  cardan__json_number(j, "band", stats->energy_band);
  cardan__json_number(j, "trend", 3600 * stats->energy_trend); // per hour
  cardan__json_number(j, "trend_error", 3600 * stats->energy_trend_error);
  cardan__json_close(j, '}');
}

static void write_json(cardan_sim *sim, const cardan_run_notes *notes, cardan__json *j)
{
  const cardan_model *model = cardan_sim_data(sim)->model;
  const cardan_options *options = cardan_sim_options(sim);
  const cardan_stats stats = cardan_sim_stats(sim);
  const cardan__how how = cardan__text_output_how(options);
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", name_of(model, notes));
  cardan__json_string(j, "method", how.method);
  cardan__json_string(j, "solver", how.solver[0] ? how.solver : NULL);
  cardan__json_string(j, "integrator", how.integrator[0] ? how.integrator : NULL);
  cardan__json_number(j, "dt", options->dt);
  cardan__json_int(j, "steps", stats.steps);
  cardan__json_number(j, "time", cardan_sim_data(sim)->t);
  cardan__json_number(j, "wall_seconds", notes->wall_seconds);
  cardan__json_int(j, "dof", cardan__text_output_dof(model));
  json_energy(&stats, j);
  cardan__json_number(j, "constraint_max", stats.constraint_max);
  cardan__json_open(j, "iterations", '{');
  cardan__json_number(j, "mean", stats.iterations_mean);
  cardan__json_number(j, "std", stats.iterations_std);
  cardan__json_int(j, "max", stats.iterations_max);
  cardan__json_close(j, '}');
  cardan__json_int(j, "evaluations", stats.evaluations);
  const cardan__estimate_names names = cardan__names_of_estimate(model, &stats.error);
  cardan__json_error(j, &stats.error, &names, -1);
  cardan__json_open(j, "warnings", '[');
  for (int i = 0; i < notes->nwarning; i++) {
    cardan__json_string(j, NULL, notes->warning[i]);
  }
  cardan__json_close(j, ']');
  json_error(sim, notes, j);
  cardan__json_int(j, "accepted", stats.accepted);
  cardan__json_int(j, "rejected", stats.rejected);
  cardan__json_int(j, "restarts", stats.restarts);
  cardan__json_int(j, "jumps", stats.jumps);
  cardan__json_number(j, "jump_time", stats.jumps > 0 ? stats.jump.to : (double)NAN);
  cardan__json_int(j, "looks", stats.looks);
  if (notes->choice != NULL) {
    cardan__json_choice(j, notes->choice);
  }
  if (cardan__sim_has_contacts(sim)) {
    json_contacts(&stats.contact, j);
  }
  if (options->adapt > 0) {
    cardan__json_open(j, "parts", '{');
    cardan__json_int(j, "steps", stats.parted);
    cardan__json_number(j, "smallest", stats.parted > 0 ? stats.part : options->dt);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, '}');
}

/* Words and numbers in turn, up to a NULL word. */
typedef struct {
  const char *word;
  double number;
} phrase;

static void write_phrases(cardan__text *out, const phrase *phrases, const char *end)
{
  for (const phrase *p = phrases; p->word; p++) {
    cardan__text_printf(out, "%s", p->word);
    cardan__text_output_number(out, p->number);
  }
  cardan__text_printf(out, "%s", end);
}

static void write_effort(const cardan_stats *stats, cardan__text *out)
{
  cardan__text_output_label(out, "iterations");
  write_phrases(out,
                (const phrase[]){{"", stats->iterations_mean},
                                 {" in a step (deviation ", stats->iterations_std},
                                 {", most ", stats->iterations_max},
                                 {NULL, 0}},
                ")");
  cardan__text_printf(out, ", %" PRId64 " evaluations", stats->evaluations);
  if (stats->accepted > 0 && (stats->accepted != stats->steps || stats->rejected > 0)) {
    cardan__text_printf(out, "; %" PRId64 " internal steps accepted, %" PRId64 " rejected",
                        stats->accepted, stats->rejected);
  }
  if (stats->restarts > 0) {
    cardan__text_printf(out, ", %" PRId64 " restarts", stats->restarts);
  }
}

/* friction: are there contacts that can have it? order: of the steps in which nothing is closed */
static void write_contacts(const cardan_contact_stats *c, bool friction, int order,
                           cardan__text *out)
{
  cardan__text_output_label(out, "contacts");
  cardan__text_printf(out, "%" PRId64 " impact%s, ", c->impacts, c->impacts == 1 ? "" : "s");
  write_phrases(out, (const phrase[]){{"", c->lost}, {NULL, 0}}, " J lost in them");
  if (friction) {
    write_phrases(out, (const phrase[]){{", ", c->friction}, {NULL, 0}}, " J in friction");
  }
  write_phrases(out,
                (const phrase[]){{"; deepest overlap ", c->overlap},
                                 {" m or rad, most events in a step ", c->events},
                                 {NULL, 0}},
                "");
  if (c->steps_step > 0) {
    cardan__text_printf(out, "; impacts at the end of %" PRId64 " of %" PRId64 " steps",
                        c->steps_step, c->steps_step + c->steps_located);
  }
  if (c->plastic > 0) {
    cardan__text_printf(out, "; %" PRId64 " of them without restitution, as a step had many",
                        c->plastic);
  }
  if (c->guarded > 0) {
    cardan__text_printf(out, "; %" PRId64 " with less, as they would have gained energy",
                        c->guarded);
  }
  if (c->solves > 0 && order > 2) {
    cardan__text_printf(out, "; steps in which something is closed are of order 2, not %d", order);
  }
  if (c->solves > 0) {
    cardan__text_output_label(out, "cones");
    cardan__text_printf(out, "%" PRId64 " problem%s, ", c->solves, c->solves == 1 ? "" : "s");
    write_phrases(out,
                  (const phrase[]){{"", a_solve(c, c->sweeps)},
                                   {" sweeps and ", a_solve(c, c->newtons)},
                                   {" Newton steps each; largest error ", c->error},
                                   {" m/s; per step ", a_step(c, c->attempts)},
                                   {" attempts and ", a_step(c, c->newtons)},
                                   {NULL, 0}},
                  " Newton steps");
  }
}

static void write_parts(const cardan_stats *stats, cardan__text *out)
{
  cardan__text_output_label(out, "parts");
  cardan__text_printf(out, "%" PRId64 " of %" PRId64 " steps in parts", stats->parted,
                      stats->steps);
  if (stats->parted > 0) {
    write_phrases(out, (const phrase[]){{", the smallest ", stats->part}, {NULL, 0}}, " s");
  }
}

/* Behind the largest of something, where not all nodes were looked at for it. */
static void write_looks(const cardan_stats *stats, cardan__text *out)
{
  if (stats->looks <= stats->steps) {
    cardan__text_printf(out, " at %" PRId64 " of %" PRId64 " nodes", stats->looks,
                        stats->steps + 1);
  }
}

/* Energy at both ends; and what it is off by, as a band around a trend. */
static void write_energy(const cardan_stats *stats, bool works, cardan__text *out)
{
  cardan__text_output_label(out, "energy");
  write_phrases(out,
                (const phrase[]){{"", stats->energy_initial},
                                 {" J at the start, ", stats->energy_final},
                                 {NULL, 0}},
                " J at the end");
  cardan__text_output_label(out, "drift");
  write_phrases(out,
                (const phrase[]){{works ? "work counted, band " : "band ", stats->energy_band},
                                 {" J, trend ", 3600 * stats->energy_trend},
                                 {NULL, 0}},
                "");
  if (isfinite(stats->energy_trend_error)) {
    write_phrases(out, (const phrase[]){{" +- ", 3600 * stats->energy_trend_error}, {NULL, 0}}, "");
  }
  write_phrases(out, (const phrase[]){{" J per hour; largest ", stats->drift_max}, {NULL, 0}},
                " J");
  write_looks(stats, out);
}

static void write_text(cardan_sim *sim, const cardan_run_notes *notes, cardan__text *out)
{
  const cardan_model *model = cardan_sim_data(sim)->model;
  const cardan_options *options = cardan_sim_options(sim);
  const cardan_stats stats = cardan_sim_stats(sim);
  const cardan__how how = cardan__text_output_how(options);
  const int64_t timed = notes->wall_steps > 0 ? notes->wall_steps : stats.steps;
  const double per_step = timed > 0 ? notes->wall_seconds / (double)timed : 0;
  cardan__text_output_name(out, name_of(model, notes));
  cardan__text_printf(out, ": method %s", how.method);
  if (how.solver[0]) {
    cardan__text_printf(out, ", solver %s", how.solver);
  }
  if (how.integrator[0]) {
    cardan__text_printf(out, ", integrator %s", how.integrator);
  }
  if (notes->choice != NULL) {
    cardan__text_output_choice(out, notes->choice);
  }
  cardan__text_output_label(out, "motion");
  cardan__text_printf(out, "%" PRId64 " steps of ", stats.steps);
  write_phrases(
      out, (const phrase[]){{"", options->dt}, {" s, to t = ", cardan_sim_data(sim)->t}, {NULL, 0}},
      " s");
  cardan__text_output_label(out, "wall time");
  write_phrases(out,
                (const phrase[]){{"", notes->wall_seconds}, {" s, ", 1e6 * per_step}, {NULL, 0}},
                " us a step");
  write_energy(&stats, cardan_sim_does_work(sim), out);
  const cardan__estimate_names names = cardan__names_of_estimate(model, &stats.error);
  cardan__text_output_error(out, &stats.error, &names, -1);
  if (model->nrow > 0) {
    cardan__text_output_label(out, "constraints");
    write_phrases(out, (const phrase[]){{"largest violation ", stats.constraint_max}, {NULL, 0}},
                  " m or rad");
    write_looks(&stats, out);
  }
  if (cardan__sim_has_contacts(sim)) {
    write_contacts(&stats.contact, model->npair > 0, options->order, out);
  }
  if (stats.jumps > 0) {
    cardan__text_output_label(out, "in doubt");
    write_phrases(out, (const phrase[]){{"from t = ", stats.jump.from}, {NULL, 0}},
                  " s on: see the warning");
  }
  write_effort(&stats, out);
  if (options->adapt > 0) {
    write_parts(&stats, out);
  }
  if (notes->table) {
    cardan__text_output_label(out, "table");
    cardan__text_printf(out, "%" PRId64 " rows in ", notes->rows);
    cardan__text_output_name(out, notes->table);
  }
}

cardan_status cardan_describe_run(cardan_sim *sim, const cardan_run_notes *notes, bool json,
                                  const cardan_allocator *allocator, char **text)
{
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(sim, notes, &out);
  } else {
    write_text(sim, notes, &out.text);
  }
  return cardan__text_output_finish(&out.text, text);
}
