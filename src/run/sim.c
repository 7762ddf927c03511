// SPDX-License-Identifier: Apache-2.0
#include "run/sim.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "dynamics/outputs.h"
#include "formats/signals_line.h"

/* A run: one data, one stepper, and what is reported of them. */

const cardan_options *cardan_sim_options(const cardan_sim *sim)
{
  return &sim->options;
}

const char *cardan_sim_note(const cardan_sim *sim)
{
  return sim->note;
}

void cardan_sim_destroy(cardan_sim *sim)
{
  if (sim == NULL) {
    return;
  }
  const cardan_allocator allocator = sim->allocator;
  if (sim->stepper != NULL) {
    sim->stepper->method->destroy(sim->stepper);
  }
  cardan_data_destroy(sim->data);
  cardan__aux_states_destroy(sim);
  cardan__angle_unwrap_destroy(sim);
  cardan__watch_momenta_destroy(sim);
  cardan__sampled_control_destroy(sim);
  cardan__contacts_destroy(sim->contacts, &allocator);
  cardan__switches_destroy(sim);
  cardan__snapshot_destroy(sim, &sim->advance_begin);
  cardan__snapshot_destroy(sim, &sim->trial_begin);
  cardan__estimate_destroy(sim);
  cardan__snapshot_destroy(sim, &sim->step_begin);
  cardan__resize(&allocator, sim->hooked.block, 0);
  cardan__resize(&allocator, sim->reaction, 0);
  cardan__resize(&allocator, sim->scratch, 0);
  cardan__resize(&allocator, sim, 0);
}

void cardan__sim_reset(cardan_sim *sim)
{
  cardan_data_reset(sim->model, sim->data);
  sim->data->t = sim->options.begin;
}

void *cardan__sim_scratch(cardan_sim *sim, size_t size)
{
  if (size > sim->scratch_size) {
    cardan__resize(&sim->allocator, sim->scratch, 0);
    sim->scratch = cardan__resize(&sim->allocator, NULL, size);
    sim->scratch_size = sim->scratch != NULL ? size : 0;
  }
  return sim->scratch;
}

static cardan_status make_parts(cardan_sim *sim, const cardan__method *method)
{
  const cardan_allocator *allocator = &sim->allocator;
  const cardan_model *model = sim->model;
  sim->reaction =
      cardan__resize(allocator, NULL, (size_t)(model->njoint + 1) * sizeof *sim->reaction);
  if (sim->reaction == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  cardan_status status = cardan_data_create(model, allocator, &sim->data);
  if (status == CARDAN_OK && method->kinematics == NULL) {
    status = cardan_forward_reserve(model, sim->data); // methods on the tree publish by it
  }
  const cardan__held_room room = cardan__contacts_room(model, &sim->options);
  status = status == CARDAN_OK
               ? method->create(model, &sim->options, &room, allocator, &sim->stepper)
               : status;
  // before contacts, whose room for a node it is part of
  status = status == CARDAN_OK ? cardan__angle_unwrap_create(sim) : status;
  return status == CARDAN_OK && sim->stepper->holds ? cardan__contact_open(sim) : status;
}

/* Of the node where an advance begins, of the one where a trial of its contacts does, and of the
 * one where a step of several advances does: of samples, of forces that switch in time, or of
 * events (cardan_sim_hook). A run whose method leaves the node as it is has none. */
static cardan_status create_snapshots(cardan_sim *sim)
{
  cardan_status status = CARDAN_OK;
  sim->saves_advance = sim->stepper->rolls_back || sim->options.adapt > 0 ||
                       sim->aux_states.b != NULL || sim->angle_unwrap.q != NULL;
  if (sim->saves_advance || sim->contacts != NULL || sim->estimate.block != NULL) {
    status = cardan__snapshot_create(sim, false, &sim->advance_begin);
  }
  if (status == CARDAN_OK && sim->contacts != NULL) {
    status = cardan__snapshot_create(sim, false, &sim->trial_begin);
  }
  const bool cut = sim->sampled_control.value != NULL || sim->switches.ntime > 0;
  return status == CARDAN_OK && cut ? cardan__snapshot_create(sim, true, &sim->step_begin) : status;
}

/* Do the options name another keyframe than the one that the model starts from? */
static bool starts_elsewhere(const cardan_options *options, const cardan_model *model)
{
  const char *start = model->start >= 0 ? model->keyframe[model->start].name : "";
  return options->keyframe[0] != '\0' && strcmp(options->keyframe, start) != 0;
}

cardan_status cardan_options_prepare(const cardan_options *options, cardan_model *model,
                                     cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  if (starts_elsewhere(options, model)) {
    status = cardan_model_set_start(model, options->keyframe, report);
  }
  if (status == CARDAN_OK && options->rank_tol > 0 && options->rank_tol != model->rank_tol) {
    status = cardan_model_set_rank_tol(model, options->rank_tol, report);
  }
  if (status == CARDAN_OK && options->closing > 0 && options->closing != model->closing_own) {
    status = cardan_model_set_closing(model, options->closing, report);
  }
  return status;
}

cardan_status cardan_sim_create(const cardan_model *model, const cardan_options *options,
                                const cardan_allocator *allocator, cardan_sim **out,
                                cardan_report *report)
{
  const cardan_pos none = {0, 0};
  *out = NULL;
  cardan_status status = cardan_options_check(options, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (options->closing > 0 && options->closing != model->closing_own) {
    return cardan_fail(
        report, CARDAN_ERR_ARGUMENT, none,
        "closing is %g, and the model's is %g: it is what cardan_model_set_closing sets",
        options->closing, model->closing_own);
  }
  if (options->rank_tol > 0 && options->rank_tol != model->rank_tol) {
    return cardan_fail(
        report, CARDAN_ERR_ARGUMENT, none,
        "rank-tol is %g, and the model's is %g: it is what cardan_model_set_rank_tol sets",
        options->rank_tol, model->rank_tol);
  }
  if (starts_elsewhere(options, model)) {
    const char *start = model->start >= 0 ? model->keyframe[model->start].name : "";
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "keyframe is \"%.60s\", and the model starts from %s%.60s%s: it is what "
                       "cardan_model_set_start sets",
                       options->keyframe, start[0] ? "\"" : "(initial ..)", start,
                       start[0] ? "\"" : "");
  }
  const cardan__method *method = cardan__method_of(options);
  status = cardan__method_takes(method, model, options, report);
  status = status == CARDAN_OK ? cardan__sampled_control_check(model, options, report) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_sim *sim = cardan__resize(allocator, NULL, sizeof *sim);
  if (sim == NULL) {
    return cardan__no_memory(report);
  }
  *sim = (cardan_sim){
      .model = model, .revision = model->revision, .options = *options, .settled = true};
  sim->outputs_forward = cardan__outputs_need_forward(model);
  sim->drivers_jump = cardan__drivers_may_jump(model);
  sim->angles_wrap = cardan__angles_may_wrap(model);
  sim->bushings_wrap = cardan__bushings_may_wrap(model);
  sim->ngrip = cardan__watch_grip_count(model);
  sim->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  sim->options.solver = cardan__option_word(method, "solver", options);
  status = make_parts(sim, method);
  if (status == CARDAN_OK) {
    sim->data->t = options->begin;
  }
  status = status == CARDAN_OK ? cardan__aux_states_create(sim) : status;
  status = status == CARDAN_OK ? cardan__sampled_control_create(sim) : status;
  status = status == CARDAN_OK ? cardan__watch_momenta_create(sim) : status;
  status = status == CARDAN_OK ? cardan__estimate_create(sim) : status;
  status = status == CARDAN_OK ? cardan__switches_create(sim) : status; // a part of snapshots
  status = status == CARDAN_OK ? create_snapshots(sim) : status;
  if (status == CARDAN_OK && sim->options.solver == NULL) {
    sim->options.solver = sim->stepper->solver;
  }
  if (status != CARDAN_OK) {
    cardan_sim_destroy(sim);
    return cardan_fail(report, status, none, "%s", cardan_status_text(status));
  }
  *out = sim;
  return CARDAN_OK;
}

/* Inside limits and outside of solids, with the loops closed. */
static cardan_status assemble(cardan_sim *sim, cardan_report *report)
{
  bool moved = false, inside = false;
  cardan_status status = CARDAN_OK;
  for (int pass = 0; status == CARDAN_OK && (pass == 0 || moved); pass++) {
    if (sim->contacts != NULL) {
      status = cardan__contact_place(sim, pass, &moved, report);
    }
    if (status == CARDAN_ERR_ASSEMBLY && pass > 0 && !inside) {
      status = cardan__contact_place_inside(sim, report);
      inside = moved = true;
    }
    if (status == CARDAN_OK && sim->options.assemble && (pass == 0 || moved)) {
      status = cardan_assemble(sim->model, sim->data, &sim->assembly, report);
      moved = sim->contacts != NULL && sim->model->nrow > 0;
    }
  }
  if (status == CARDAN_OK && sim->contacts != NULL) {
    cardan__contact_separate(sim);
  }
  return status;
}

void cardan_sim_stop(cardan_sim *sim, const volatile int *stop)
{
  sim->stepper->stop = stop;
}

void cardan_sim_signals(cardan_sim *sim, const cardan_signals *signals)
{
  sim->signals = signals;
  sim->input_lines = (cardan__input_lines){.line = cardan__signals_line, .table = signals};
  sim->stepper->lines =
      signals != NULL && cardan__signals_linear(signals) ? &sim->input_lines : NULL;
}

/* Inputs of a step from t to t_next, where they come from a table. */
static void take_signals(cardan_sim *sim, double t, double t_next)
{
  if (sim->signals != NULL) {
    cardan_signals_mean(sim->signals, t, t_next, sim->data->u);
  }
}

/* When the next step of dt ends: no sum of roundings. */
static double end_of_step(const cardan_sim *sim)
{
  const int64_t k = sim->stats.steps + 1 - sim->k_start;
  return sim->t_start + (double)k * sim->options.dt;
}

/* Steppers keep what they computed from the model. */
static cardan_status check_revision(const cardan_sim *sim, cardan_report *report)
{
  return sim->revision == sim->model->revision
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "the model was changed by cardan_model_set after this sim was made, "
                           "expected a sim that is made after it");
}

/* Numbers that a program wrote. */
static cardan_status check_finite(const cardan_sim *sim, cardan_report *report)
{
  const cardan_model *model = sim->model;
  const char *name = NULL;
  for (int k = 0; k < model->nv; k++) {
    name = isfinite(sim->data->v[k]) ? name : model->v_name[k];
  }
  for (int k = 0; k < model->nq; k++) {
    name = isfinite(sim->data->q[k]) ? name : model->q_name[k];
  }
  for (int k = 0; k < model->nz; k++) {
    name = isfinite(sim->data->z[k]) ? name : model->state[k].name;
  }
  return name == NULL ? CARDAN_OK
                      : cardan_fail(report, CARDAN_ERR_NOT_FINITE, (cardan_pos){0, 0},
                                    "the start of \"%.60s\" is not a finite number", name);
}

/* Option strict: what the note says is an error. */
static cardan_status check_note(const cardan_sim *sim, cardan_report *report)
{
  return sim->options.strict && sim->note[0] != 0
             ? cardan_fail(report, CARDAN_ERR_ASSEMBLY, (cardan_pos){0, 0}, "%s", sim->note)
             : CARDAN_OK;
}

/* Poses count: assembling reaches them, or bodies start in them. */
static cardan_status check_poses(const cardan_sim *sim, cardan_report *report)
{
  const cardan_model *model = sim->model;
  const bool used = sim->options.assemble || sim->stepper->method->kinematics != NULL;
  return used || sim->data->posed
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_ASSEMBLY, model->pose[0].pos,
                           "the pose of \"%.60s\" would not be used: method %s starts from "
                           "coordinates, and option no-assemble leaves them as they are",
                           model->frame[model->pose[0].frame].name, sim->stepper->method->name);
}

cardan_status cardan__sim_begin(cardan_sim *sim, cardan_report *report)
{
  cardan_status status = check_revision(sim, report);
  status = status == CARDAN_OK ? check_finite(sim, report) : status;
  status = status == CARDAN_OK ? check_poses(sim, report) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  const bool turned = sim->angle_unwrap.known;
  sim->started = false;
  sim->note[0] = 0;
  sim->hooked.t_from = NAN;
  cardan__watch_momenta_restart(sim);
  if (sim->model->has_program && sim->data->program == NULL) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                       "the model has forces that a program computes, and there is none: set "
                       "program of the data before the start");
  }
  cardan__angle_unwrap_start(sim); // for what the assembly reads
  sim->angle_unwrap.known = turned;
  status = assemble(sim, report);
  status = status == CARDAN_OK ? cardan__check_tyres(sim, report) : status;
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__angle_unwrap_start(sim);
  cardan__sim_note_limits(sim);
  cardan__sim_note_start(sim);
  if (sim->stats.steps == 0 && cardan__sim_note_stiff(sim) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  status = check_note(sim, report);
  if (status != CARDAN_OK) {
    return status;
  }
  take_signals(sim, sim->data->t, sim->data->t + sim->options.dt);
  status = sim->stepper->method->start(sim->stepper, sim->data);
  if (status == CARDAN_OK && sim->contacts != NULL) {
    status = cardan__contact_begin(sim, report);
    status = status == CARDAN_OK ? check_note(sim, report) : status;
    if (status == CARDAN_ERR_ASSEMBLY) {
      return status;
    }
  }
  if (status != CARDAN_OK) {
    return cardan__sim_explain_at(sim, status, "the start", report);
  }
  cardan__sim_refresh(sim);
  sim->settled = sim->started = true;
  return CARDAN_OK;
}

cardan_status cardan_sim_start(cardan_sim *sim, cardan_report *report)
{
  sim->stats = (cardan_stats){0};
  sim->square_sum = sim->work_start = 0;
  sim->t_start = sim->sampled_control.t0 = sim->data->t;
  sim->sampled_control.before = NAN;
  sim->angle_unwrap.known = false;
  sim->k_start = 0;
  sim->watch_text[0] = 0;
  sim->watch = (cardan__watch){.row = -1};
  sim->trend = (cardan__trend){0};
  cardan__switches_start(sim);
  if (sim->contacts != NULL) {
    sim->contacts->ledger.stats = (cardan_contact_stats){0};
    sim->contacts->ledger.driven = sim->contacts->ledger.dry = 0;
    sim->contacts->gaps.nignored = 0;
  }
  const cardan_status status = cardan__sim_begin(sim, report);
  if (status == CARDAN_OK) {
    sim->stats.energy_initial =
        cardan__sim_energy(sim) - cardan__sim_work(sim); // before an impact at once
    cardan__sim_measure_drift(sim);
    cardan__substeps_start(sim);
    cardan__estimate_start(sim);
  }
  return status == CARDAN_OK ? cardan__sampled_control_take(sim, report) : status;
}

cardan_status cardan_sim_start_from_current(cardan_sim *sim, cardan_report *report)
{
  if (!sim->started) {
    return cardan__sim_not_started(report);
  }
  cardan__stepper *s = sim->stepper;
  const double before = sim->stats.energy_final, work = cardan__sim_work(sim);
  const double struck = cardan__contacts_work(sim->contacts);
  const int64_t counts[4] = {s->evaluations, s->accepted, s->rejected, s->restarts};
  char note[sizeof sim->note];
  memcpy(note, sim->note, sizeof note);
  const cardan_status status = cardan__sim_begin(sim, report);
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(sim->note, note, sizeof note);
  sim->watch.off = sim->watch.far = sim->watch.blown = false; // the program's own state
  sim->stats.given +=
      cardan__sim_energy(sim) - before - (cardan__contacts_work(sim->contacts) - struck);
  sim->work_start += work - cardan__sim_work(sim) + cardan__sim_energy(sim) - before;
  s->evaluations += counts[0];
  s->accepted += counts[1];
  s->rejected += counts[2];
  s->restarts += counts[3];
  cardan__sim_measure_drift(sim);
  cardan__substeps_start(sim);
  return CARDAN_OK;
}

cardan_status cardan__sim_not_started(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "the sim is not started: cardan_sim_start comes before the first step");
}

/* Mean and deviation of the iterations without keeping them (Welford). */
static void count_iterations(cardan_sim *sim)
{
  cardan_stats *stats = &sim->stats;
  const int n = sim->stepper->iterations;
  const double delta = n - stats->iterations_mean;
  stats->steps++;
  stats->iterations = n;
  stats->iterations_max = n > stats->iterations_max ? n : stats->iterations_max;
  stats->iterations_mean += delta / (double)stats->steps;
  sim->square_sum += delta * (n - stats->iterations_mean);
  stats->evaluations = sim->stepper->evaluations;
  stats->accepted = sim->stepper->accepted;
  stats->rejected = sim->stepper->rejected;
  stats->restarts = sim->stepper->restarts;
}

/* From the node to t, with a program's events. */
static cardan_status advance_to(cardan_sim *sim, double t, cardan_report *report)
{
  if (sim->hooked.hooks.nevent > 0) {
    return cardan__sim_advance_hooked(sim, t, report);
  }
  const cardan_status status = cardan__sim_advance(sim, t);
  return status == CARDAN_OK ? status : cardan__sim_explain(sim, status, report);
}

/* The same, measured where its step is a sample. */
static cardan_status go_to(cardan_sim *sim, double t, cardan_report *report)
{
  const double h = t - sim->data->t;
  const bool measured = cardan__estimate_halves(sim, t);
  const cardan_status status = advance_to(sim, t, report);
  if (measured && status == CARDAN_OK) {
    cardan__estimate_compare(sim, h);
  }
  return status;
}

/* The same, cut where forces switch in time. */
static cardan_status go_past_switches(cardan_sim *sim, double t, cardan_report *report)
{
  return sim->switches.ntime > 0 ? cardan__switches_walk(sim, t, go_to, report)
                                 : go_to(sim, t, report);
}

/* A step failed: everything is again as at the node where it began, or at its last event, whose
 * program cannot be undone. settled, events: as the step began */
static void return_to_node(cardan_sim *sim, bool settled, int64_t events)
{
  const bool undone = sim->stats.events == events;
  if (undone && cardan__sim_saves_step(sim)) {
    cardan__snapshot_restore(sim, &sim->step_begin);
  }
  sim->settled = undone ? settled : sim->settled;
  sim->hooked.t_from = NAN;
  sim->data->fresh = 0; // kinematics are those of a trial
  if (sim->stepper->method->kinematics != NULL) {
    sim->stepper->method->rejoin(sim->stepper, sim->data, true);
  }
  if (sim->settled) {
    cardan__sim_place(sim);
  }
  take_signals(sim, sim->data->t, end_of_step(sim));
}

/* From the node to t, with all that is due on the way; or back. */
static cardan_status move_to(cardan_sim *sim, double t, cardan_report *report)
{
  const bool settled = sim->settled;
  const int64_t events = sim->stats.events;
  if (cardan__sim_saves_step(sim)) {
    cardan__snapshot_save(sim, &sim->step_begin);
  }
  const cardan_status status = sim->sampled_control.value != NULL
                                   ? cardan__sampled_control_walk(sim, t, go_past_switches, report)
                                   : go_past_switches(sim, t, report);
  if (status != CARDAN_OK && sim->started) {
    return_to_node(sim, settled, events);
  }
  return status;
}

/* One step to t, hooks and statistics with it. */
static cardan_status step_to(cardan_sim *sim, double t, cardan_report *report)
{
  const cardan_hooks *hooks = &sim->hooked.hooks;
  const double before = sim->data->t;
  cardan_status status = check_revision(sim, report);
  if (status != CARDAN_OK) {
    return status;
  }
  take_signals(sim, sim->data->t, t);
  if (hooks->control != NULL) {
    status = hooks->control(hooks->user, cardan_sim_data(sim), report);
  }
  sim->estimate.due = true;
  status = status == CARDAN_OK ? move_to(sim, t, report) : status;
  if (status != CARDAN_OK && cardan__stepper_stopped(sim->stepper)) { // so it was cut short
    return cardan_fail(report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0},
                       "stopped by the caller at t = %.6g, in step %lld", sim->data->t,
                       (long long)sim->stats.steps + 1);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  count_iterations(sim);
  cardan__estimate_look(sim);
  if (sim->drivers_jump && !sim->watch.driven) {
    cardan__watch_drivers(sim, before, t);
  }
  if (sim->sampled_control.value != NULL) {
    return CARDAN_OK; // the walk leaves the node as it is to be
  }
  if (sim->options.adapt > 0 && sim->data->fresh != 0) { // every node was looked at
    cardan__sim_measure_drift(sim);
    sim->settled = true;
    return CARDAN_OK;
  }
  sim->data->fresh = 0; // q is new
  sim->settled = false; // kinematics and energies are computed only when they are read
  return CARDAN_OK;
}

/* What jumps at half a turn, and wheels that friction does not hold, are looked for at every node;
 * one without velocities shows nothing. */
static void look_at_node(cardan_sim *sim)
{
  const cardan__watch *w = &sim->watch;
  if ((sim->angles_wrap && w->wrapped == 0) || (sim->bushings_wrap && w->turned == 0) ||
      cardan__watch_grip_waits(sim)) {
    const cardan_status status = cardan__sim_settle(sim);
    (void)status;
  }
}

/* No step begins at a failed start, nor at a node at which the motion had blown up. */
static cardan_status check_node(const cardan_sim *sim, cardan_report *report)
{
  return !sim->started      ? cardan__sim_not_started(report)
         : sim->watch.blown ? cardan__watch_heed(sim, report)
                            : CARDAN_OK;
}

cardan_status cardan_sim_step(cardan_sim *sim, cardan_report *report)
{
  const cardan_status can = check_node(sim, report);
  if (can != CARDAN_OK) {
    return can;
  }
  const cardan_status status = step_to(sim, end_of_step(sim), report);
  if (status == CARDAN_OK) { // those of the next, for a row
    take_signals(sim, sim->data->t, end_of_step(sim));
    look_at_node(sim);
    cardan__watch_momenta_pushed(sim);
  }
  return status == CARDAN_OK ? status : cardan__watch_failure(sim, status, report);
}

cardan_status cardan_sim_step_to(cardan_sim *sim, double t, cardan_report *report)
{
  const cardan_status can = check_node(sim, report);
  if (can != CARDAN_OK) {
    return can;
  }
  if (!(t > sim->data->t) || !isfinite(t)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "a step to t = %g from t = %g, expected a later time", t, sim->data->t);
  }
  const cardan_status status = step_to(sim, t, report);
  if (status == CARDAN_OK) {
    sim->t_start = t;
    sim->k_start = sim->stats.steps;
    take_signals(sim, t, end_of_step(sim));
    look_at_node(sim);
    cardan__watch_momenta_pushed(sim);
  }
  return status == CARDAN_OK ? status : cardan__watch_failure(sim, status, report);
}

bool cardan_sim_does_work(const cardan_sim *sim)
{
  return sim->contacts != NULL || cardan__model_nonconservative(sim->model);
}

const double *cardan_sim_trace(const cardan_sim *sim, int *n)
{
  *n = 0;
  return sim->stepper->method->trace != NULL ? sim->stepper->method->trace(sim->stepper, n) : NULL;
}
