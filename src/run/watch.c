// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "constraints/project.h"
#include "run/sim.h"

/* A watch over what a run shows of itself, at nodes that are looked at anyway. With K the kinetic
 * energy, B = energy - start - work the balance, from one look to the next:
 *   |dB| > JUMP max(K, K before, SMALL K_max)    a method's error in one step is far below that
 *   |dB| > BAND max(|dB| of all looks before)    and is not what this method does here all the time
 *   |dB| > WORTH (energies in play)              and is not a matter of the last digits
 * is a jump: another root, a step over a stop, a force that is not smooth. Where K was RISEN times
 * less before, K itself is in doubt: what was there before counts, K_max, unless that was rest.
 * From rest there is nothing to be held against: explicit Euler's first step is wrong by all of K.
 * A balance that is not a number says that a force or an energy is not defined there, or that the
 * energy has no number any more: a jump, too.
 * A slow drift is reported at the end, when it can be compared with all of the motion:
 *   |B|max > DRIFT K_max, and > WORTH (energies in play)
 * In play counts K of the node that is off first, unless that is SOARED times all that was there.
 * K_max is of the nodes that were looked at. Where they were few, work and the change of the energy
 * show what else has moved. While |B| > DRIFT K_max the balance is off, and
 *   |B| > BLOWN (energies in play when it went off)   and   |B| > MOST K_max
 * where what a force that switched has put in by the next node counts as in play too,
 * is a motion that blew up, if K or the change of the energy is RISEN times those too: nothing of
 * it is right from there on, and the run ends. Else drivers have put in more since, and most of K
 * is right; or only the work is wrong, as half-implicit measures it. A balance that ceases to be a
 * number, together with K or with K > BLOWN (energies before), is one, too. All that must hold for
 * two steps: of a body that was at rest but for rounding, the first step of an explicit method has
 * an error of all of K, the second one of half of it, and the third less.
 * A loop is open when it is off by more than OPEN of the mechanism, and OPENS times more than at
 * the start. Where the method is to hold it closed HELD of the mechanism is enough, which is what
 * the digits of files leave in redundant rows (constraints/project.h), or ITERATED times the
 * tolerance of the iteration or of the integrator, whose rows may lie between its steps. Rows that
 * are redundant count as the others do: they may have been so at the start only. */

static const double JUMP = 0.1, BAND = 3.0, SMALL = 0.01, WORTH = 1e-5, RISEN = 10.0, REST = 1e-3;
static const double DRIFT = 0.1, BLOWN = 100.0, MOST = 0.5, SOARED = 1e6;
static const double OPEN = 1e-4, OPENS = 100.0, HELD = 1e-6, ITERATED = 100.0;

static const double ROUNDING = 1e3 * DBL_EPSILON; // of lengths: what a step may move by rounding

/* Energies of the start, of lifting everything by its length, or a metre, and of what rounding of
 * places moves in a step. */
double cardan__watch_scale(const cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const cardan_vec3 g = model->gravity;
  const double weight = model->mass * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
  const double height = model->size_length > 0.0 ? model->size_length : 1.0;
  const double speed = ROUNDING * height / sim->options.dt;
  return fabs(sim->stats.energy_initial) + weight * height + 0.5 * model->mass * speed * speed;
}

/* Energies that were in play as the balance went off: with K of that node, which may be the reason;
 * but not a K that is SOARED times all that was there before it. */
static double energies_in_play(const cardan_sim *sim, double balance, double kinetic)
{
  const cardan__watch *w = &sim->watch;
  const double scale = cardan__watch_scale(sim), before = w->kinetic_max + scale;
  const bool soared = w->looks > 0 && balance > MOST * kinetic && kinetic > SOARED * before &&
                      w->kinetic_max + fabs(sim->stats.energy_initial) > REST * scale;
  return soared ? before : fmax(w->kinetic_max, kinetic) + scale;
}

/* A size of the energies that the balance is a difference of. */
static double energies(const cardan_sim *sim, double kinetic)
{
  return fabs(sim->stats.energy_final) + kinetic + cardan__watch_scale(sim);
}

/* The kinetic energy that a change of the balance is held against; 0: there is none. */
static double held_against(const cardan__watch *w, double kinetic)
{
  if (kinetic <= RISEN * w->kinetic) {
    return fmax(fmax(kinetic, w->kinetic), SMALL * w->kinetic_max);
  }
  return w->kinetic_max > REST * kinetic ? w->kinetic_max : 0.0;
}

static const char *suggest_remedy(const cardan_sim *sim)
{
  return cardan__sim_adaptive(sim) ? "a smaller option rtol and option atol" : "a smaller dt";
}

/* Length of words that are there already, which are kept, with what parts them from the next. */
static size_t words_before(cardan_sim *sim)
{
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  const bool kept = sim->watch.undefined || sim->watch.driven;
  if (!kept || used + 3 > size) {
    return 0;
  }
  memcpy(sim->watch_text + used, "; ", 3);
  return used + 2;
}

/* Counts a jump; the first is kept, with its sentence. */
static void count(cardan_sim *sim, const cardan_jump *jump, bool energy)
{
  const cardan__watch *w = &sim->watch;
  if (sim->stats.jumps++ > 0) {
    return;
  }
  sim->stats.jump = *jump;
  const size_t used = words_before(sim), size = sizeof sim->watch_text - used;
  char *text = sim->watch_text + used;
  char what[320];
  if (energy && !isfinite(jump->energy) && cardan__node_undefined(sim, what, sizeof what)) {
    snprintf(text, size,
             "from t = %.6g to %.6g the energy balance ceased to be a number: %s; what follows is "
             "in doubt",
             jump->from, jump->to, what);
  } else if (energy && !isfinite(jump->energy)) {
    snprintf(text, size,
             "from t = %.6g to %.6g the energy balance ceased to be a number: the motion blew up, "
             "or a force is not defined there; what follows is in doubt, try %s",
             jump->from, jump->to, suggest_remedy(sim));
  } else if (energy) {
    snprintf(text, size,
             "from t = %.6g to %.6g the energy balance changed by %.3g J, the kinetic energy being "
             "%.3g J, and before that by at most %.3g J: the steps are too long for what happens "
             "there, and what follows may be another motion; try %s",
             jump->from, jump->to, jump->energy, jump->kinetic, w->band, suggest_remedy(sim));
  } else {
    snprintf(text, size,
             "at t = %.6g a loop is open by %.3g m or rad, at the start by %.3g: what follows is "
             "not the motion of this mechanism",
             jump->to, jump->violation, w->violation);
  }
}

/* Was the method asked to hold loops closed? Feedback lets them be open, and so does a start that
 * is not assembled. */
static bool holds_loops(const cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  const char *word = cardan__option_word(method, "stabilise", &sim->options);
  return sim->options.assemble && (word == NULL || strcmp(word, "project") == 0);
}

/* Is a loop off by more than it may be [m or rad]? Options are looked up by name: only for what is
 * off by more than the least that they allow. */
static bool is_open(const cardan_sim *sim, double violation)
{
  const cardan_options *o = &sim->options;
  const double part = violation / (1.0 + sim->model->size_length);
  if (sim->model->near > 0.0 && violation <= cardan__loop_tolerance(sim->model)) {
    return false; // opened by the digits of its data, which is reported elsewhere
  }
  if (part <= HELD || !holds_loops(sim)) {
    return part > OPEN;
  }
  return part > ITERATED * (o->tol + (cardan__sim_adaptive(sim) ? o->rtol + o->atol : 0.0));
}

/* The row that is off by most of the violation; -1 where joints are rows too, of the method's
 * own. */
static int worst_row(const cardan_sim *sim, double violation)
{
  int worst = -1;
  for (int r = 0; r < sim->model->nrow && sim->stepper->method->violation == NULL; r++) {
    worst = fabs(sim->data->rows.phi[r]) >= violation ? r : worst;
  }
  return worst;
}

/* Does feedback close loops that were open at the start? What it adds counts as no work. */
static bool is_pulled(const cardan_sim *sim)
{
  const double open = OPEN * (1.0 + sim->model->size_length);
  return sim->model->nrow > 0 && sim->watch.violation > open && !holds_loops(sim);
}

/* Says once that the motion blew up. what: of its energies; the warning may have it already. */
static void report_burst(cardan_sim *sim, double balance, double kinetic, const char *what)
{
  cardan__watch *w = &sim->watch;
  cardan_stats *stats = &sim->stats;
  const bool first = stats->jumps == 0 || stats->jump.from > w->t_off;
  const size_t used = first ? words_before(sim) : strlen(sim->watch_text);
  stats->jumps += stats->jumps == 0;
  if (first) {
    stats->jump =
        (cardan_jump){.from = w->t_off, .to = sim->data->t, .energy = balance, .kinetic = kinetic};
  }
  snprintf(sim->watch_text + used, sizeof sim->watch_text - used,
           "%sthe motion blew up: at t = %.6g %s, and nothing is right from t = %.6g on; try %s",
           first ? "" : "; ", sim->data->t, what, stats->jump.from, suggest_remedy(sim));
}

static void report_blown(cardan_sim *sim, double balance, double kinetic)
{
  char what[96];
  snprintf(what, sizeof what, "the energy balance is off by %.3g J, where %.3g J were in play",
           balance, sim->watch.play);
  sim->watch.blown = true;
  report_burst(sim, balance, kinetic, what);
}

/* The balance is not finite: did the motion blow up, or is an energy not defined? */
static void look_for_overflow(cardan_sim *sim, double balance, double kinetic)
{
  cardan__watch *w = &sim->watch;
  const bool before = w->looks == 0 || isfinite(w->balance);
  if (w->blown ||
      (isfinite(kinetic) && !(kinetic > BLOWN * (w->kinetic_max + cardan__watch_scale(sim))))) {
    return;
  }
  w->t_off = w->off ? w->t_off : w->t;
  w->off = w->blown = true;
  if (!before || sim->stats.jumps > 1) { // else the jump of this node has said it
    report_burst(sim, balance, kinetic, "its energies are no longer numbers");
  }
}

/* Keeps what was in play while the balance was right, and says once that it went far beyond; from
 * when it was off first, or from the jump before that. */
static void look_for_burst(cardan_sim *sim, double balance, double kinetic)
{
  cardan__watch *w = &sim->watch;
  const double most = fmax(w->kinetic_max, kinetic), off = fabs(balance);
  if (!isfinite(off)) {
    look_for_overflow(sim, balance, kinetic);
    return;
  }
  if (!(off > DRIFT * most) || !(off > WORTH * cardan__watch_scale(sim))) {
    w->off = w->far = false;
    return;
  }
  if (is_pulled(sim)) {
    return;
  }
  if (!w->off) {
    w->off = true;
    w->t_off = w->looks > 0 ? w->t : sim->data->t;
    w->play = energies_in_play(sim, balance, kinetic);
  }
  if (sim->switches.fresh > 0) {
    w->play = fmax(w->play, energies_in_play(sim, balance, kinetic));
  }
  const double moved = fmax(kinetic, fabs(sim->stats.energy_final - sim->stats.energy_initial));
  const bool far = off > BLOWN * w->play && off > MOST * most && moved > RISEN * w->play;
  w->t_far = far && !w->far ? sim->data->t : w->t_far;
  w->far = far;
  if (!w->blown && far && sim->data->t - w->t_far > 1.5 * sim->options.dt) {
    report_blown(sim, balance, kinetic);
  }
}

/* A motion that is far off at a node, and from which no step leads on: it blew up there. */
cardan_status cardan__watch_failure(cardan_sim *sim, cardan_status status, cardan_report *report)
{
  const cardan__watch *w = &sim->watch;
  const bool stuck = status == CARDAN_ERR_NOT_FINITE || status == CARDAN_ERR_NO_CONVERGENCE ||
                     status == CARDAN_ERR_NO_ROOT;
  if (!stuck || !w->far || w->blown || w->t < sim->data->t) {
    return status;
  }
  report_blown(sim, w->balance, w->kinetic);
  return cardan__watch_heed(sim, report);
}

/* Outputs move nothing: a word, and no jump. */
void cardan__watch_outputs(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  for (int k = 0; k < model->ny && !sim->watch.undefined; k++) {
    if (!isfinite(sim->data->y[k])) {
      char named[256];
      const size_t used = strlen(sim->watch_text);
      cardan__expr_named(sim, model->output[k].expr, named, sizeof named);
      sim->watch.undefined = true;
      snprintf(sim->watch_text + used, sizeof sim->watch_text - used, "%sat t = %.6g %s is %s",
               used > 0 ? "; " : "", sim->data->t, named,
               isnan(sim->data->y[k]) ? "not a number" : "infinite");
    }
  }
}

void cardan__watch_look(cardan_sim *sim, double balance, double kinetic, double violation)
{
  cardan__watch *w = &sim->watch;
  const double change = fabs(balance - w->balance);
  const double size = held_against(w, kinetic);
  // energies of mean velocities step with the length of parts, which hold the nodes' own
  // (substeps.c)
  const bool held = sim->options.adapt > 0 && sim->stepper->method->nodal != NULL;
  const bool lost = !isfinite(balance) && (w->looks == 0 || isfinite(w->balance));
  const bool jumped = lost || (w->looks > 0 && !held && size > 0.0 && change > JUMP * size &&
                               change > BAND * w->band && change > WORTH * energies(sim, kinetic));
  const bool opened = w->looks > 0 && violation > OPENS * w->violation && is_open(sim, violation);
  if (jumped || (opened && !w->open)) {
    const cardan_jump jump = {.from = w->t,
                              .to = sim->data->t,
                              .energy = balance - w->balance,
                              .kinetic = size,
                              .violation = violation};
    count(sim, &jump, jumped);
    w->row = opened ? worst_row(sim, violation) : -1;
  }
  look_for_burst(sim, balance, kinetic);
  sim->switches.fresh -= sim->switches.fresh > 0;
  w->band = w->looks > 0 ? fmax(w->band, change) : 0.0;
  w->violation = w->looks > 0 ? w->violation : violation;
  w->open = w->open || opened;
  w->kinetic_max = fmax(w->kinetic_max, kinetic);
  w->balance = balance;
  w->kinetic = kinetic;
  w->t = sim->data->t;
  w->looks++;
}

cardan_status cardan__watch_heed(const cardan_sim *sim, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  if (sim->watch.blown) {
    return cardan_fail(report, CARDAN_ERR_BLEW_UP, none, "%s", sim->watch_text);
  }
  if (sim->watch.open && holds_loops(sim)) {
    const cardan_model *model = sim->model;
    const int row = sim->watch.row;
    return cardan_fail(report, CARDAN_ERR_JUMP, none,
                       "at t = %.6g %s%.60s%s is open by %.3g m or rad, at the start by %.3g: no "
                       "motion of this mechanism continues from here",
                       sim->watch.t, row >= 0 ? "constraint \"" : "a loop",
                       row >= 0 ? model->constraint[model->row[row].constraint].name : "",
                       row >= 0 ? "\"" : "", sim->stats.constraint_max, sim->watch.violation);
  }
  const bool jumped = sim->stats.jumps > 0;
  return sim->options.strict && (jumped || sim->watch.undefined || sim->watch.driven)
             ? cardan_fail(report, jumped ? CARDAN_ERR_JUMP : CARDAN_ERR_STRICT, none, "%s",
                           sim->watch_text)
             : CARDAN_OK;
}

/* A bound on an error of which no step of a short run is a sample (run/estimate.h). */
static void warn_of_no_sample(cardan_sim *sim)
{
  const cardan__estimate *e = &sim->estimate;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (!(sim->options.max_error > 0) || e->block == NULL || e->sums.samples > 0 ||
      sim->watch.looks < 2 || sim->watch.blown || sim->watch.error_reported) {
    return;
  }
  sim->watch.error_reported = true;
  snprintf(sim->watch_text + used, size - used,
           "%soption max-error has no effect: the error is estimated from some of the steps, and "
           "in this short run none was measured: try a smaller dt",
           used > 0 ? "; " : "");
}

/* What else was seen, behind what is reported already. */
static void add_others(cardan_sim *sim)
{
  cardan__watch_tables_end(sim);
  cardan__watch_bushings_end(sim);
  cardan__watch_tyres_end(sim);
  cardan__watch_angles_end(sim);
  cardan__watch_grip_end(sim);
  cardan__watch_momenta_end(sim);
  cardan__estimate_warn(sim);
  warn_of_no_sample(sim);
  cardan__switches_end(sim);
}

cardan_status cardan__watch_end(cardan_sim *sim, cardan_report *report)
{
  const cardan_stats *stats = &sim->stats;
  const double drift = stats->drift_max;
  double kinetic = sim->watch.kinetic_max;
  if (stats->jumps > 0 || sim->watch.undefined || sim->watch.driven) {
    add_others(sim);
    return CARDAN_OK; // said already
  }
  if (sim->watch.looks <= stats->steps || sim->watch.looks <= stats->accepted) {
    kinetic = fmax(kinetic, fmax(fabs(cardan__sim_work(sim)),
                                 fabs(stats->energy_final - stats->energy_initial)));
  }
  sim->watch_text[0] = '\0';
  sim->watch.table_reported = sim->watch.bushing_reported = sim->watch.angle_reported = false;
  sim->watch.momentum_reported = false;
  sim->watch.error_reported = sim->watch.grip_reported = false;
  sim->switches.reported = false;
  if (drift > DRIFT * kinetic && drift > WORTH * energies(sim, kinetic)) {
    snprintf(sim->watch_text, sizeof sim->watch_text,
             "the energy balance is off by up to %.3g J, the kinetic energy being %.3g J at most: "
             "the steps are long for this motion, and it is a rough one; try %s",
             drift, kinetic, suggest_remedy(sim));
  }
  add_others(sim);
  return sim->options.strict && sim->watch_text[0] != '\0'
             ? cardan_fail(report, CARDAN_ERR_STRICT, (cardan_pos){0, 0}, "%s", sim->watch_text)
             : CARDAN_OK;
}

const char *cardan_sim_warning(const cardan_sim *sim)
{
  return sim->watch_text;
}
