// SPDX-License-Identifier: Apache-2.0
#include "run/estimate.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "run/sim.h"

/* Step doubling at sampled steps. From the node (q, p) one step of h and two of h/2 lead to q_h and
 * q_{h/2,h/2}; with a method of order p the error of the step is
 *   e = 2^p / (2^p - 1) (q_h (-) q_{h/2,h/2})                                               (D1)
 * in velocities, so that attitudes count too (places of free bodies: estimate_places.c). Its rate r
 * = e/h is a random sample of what a run of length T adds up. The mean of r adds up, and so does
 * what is in proportion to the velocity v of the coordinate: it is a lag in time, which swings to
 * and fro with v and yet grows. Of the rest most cancels:
 *   E1 = T sqrt( LAG^2 <r v>^2 / <v^2> + SHARE^2 (<r>^2 + COHERENT <rest^2>) )              (D2)
 * An error B of the energy balance makes everything faster or slower, by B / (2 K) and more, which
 * adds up over the path of a coordinate, and which single steps do not show:
 *   E2 = PHASE path |<B>| / <K>                                                             (D3)
 * The estimate is the larger one, of the coordinate where it is largest. LAG, SHARE, COHERENT and
 * PHASE (estimate_find.c) were fitted to the errors of the models in scripts/check-estimate. What
 * grows with the motion's own instability is not in (D1): cardan_error_estimate.doubts says when
 * that may be.
 *
 * Samples are one in each stride, at a place in it that is pseudo-random, so that no period of the
 * motion meets it. A stride has FIRST steps in the first SETTLED ones, and from then on between an
 * eighth and a quarter of the steps before it: of n steps some 8 + 4 log2(n / SETTLED) are
 * measured, the same ones however long the run is to be. A sample counts for the steps of its
 * stride. */

enum { FIRST = 8, SETTLED = 64, LOOKS = 32 }; // LOOKS: at the range, in a stride

int cardan__estimate_order(const cardan__method *method, const cardan_options *options)
{
  if (cardan__option_find(method, "integrator") != NULL) {
    return cardan_integrator_order(cardan__option_choice(method, "integrator", options));
  }
  return method->order != NULL ? method->order(options) : options->order;
}

cardan_status cardan__estimate_take(cardan__estimate *e, const cardan_model *model, int order,
                                    bool ways, const cardan_allocator *allocator)
{
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  const double power = exp2(order);
  e->block = cardan__zeros(allocator, (3 * nq + (ways ? 15 : 10) * nv) * sizeof *e->block);
  if (e->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  e->start = e->block;
  e->sum = e->start + nq;
  e->square = e->sum + nv;
  e->fourth = e->square + nv;
  e->along = e->fourth + nv;
  e->motion = e->along + nv;
  e->speed = e->motion + nv;
  e->low = e->speed + nv;
  e->high = e->low + nv;
  e->nsaved = nq + 8 * nv;
  if (ways) {
    e->place = e->block + e->nsaved;
    e->way = e->place + nv;
    e->stops = e->way + nv;
    e->strikes = e->stops + nv;
    e->kick = e->strikes + nv;
    e->nsaved += 5 * nv;
  }
  e->before = e->block + e->nsaved;
  e->half = e->before + nq;
  e->change = e->half + nq;
  e->velocity = e->change + nv;
  e->factor = power / (power - 1);
  return CARDAN_OK;
}

void cardan__estimate_begin(cardan__estimate *e, const cardan_model *model, const double *q,
                            double t)
{
  memset(e->block, 0, e->nsaved * sizeof *e->block);
  memcpy(e->start, q, (size_t)model->nq * sizeof *e->start);
  e->sums = (cardan__estimate_sums){.t0 = t};
  e->next_sample = e->next_look = 0;
}

cardan_status cardan__estimate_create(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  if (cardan__sim_adaptive(sim) || model->has_program || model->nv == 0) {
    return CARDAN_OK;
  }
  const cardan__method *method = sim->stepper->method;
  const bool lands = sim->contacts != NULL && cardan__contacts_touch(sim->contacts) &&
                     sim->contacts->landing.mode != CARDAN__IMPACTS_LOCATED;
  sim->estimate.dry = model->has_friction;
  sim->estimate.kicks = method->kicks_whole;
  return cardan__estimate_take(&sim->estimate, model, cardan__estimate_order(method, &sim->options),
                               sim->estimate.dry || lands || method->kicks_whole, &sim->allocator);
}

void cardan__estimate_destroy(cardan_sim *sim)
{
  cardan__resize(&sim->allocator, sim->estimate.block, 0);
}

void cardan__estimate_rejoin(cardan_sim *sim)
{
  sim->estimate.next_sample = sim->estimate.next_look = 0;
}

void cardan__estimate_start(cardan_sim *sim)
{
  if (sim->estimate.block != NULL) {
    cardan__estimate_begin(&sim->estimate, sim->model, sim->data->q, sim->data->t);
    cardan__estimate_begin_ways(&sim->estimate, sim->model, sim->data->q, sim->data->v,
                                sim->options.dt);
  }
}

void cardan__estimate_spans(cardan_sim *sim, cardan__spans *list)
{
  cardan__estimate *e = &sim->estimate;
  if (e->block != NULL) {
    cardan__spans_add(list, e->block, e->nsaved, sizeof *e->block);
    CARDAN__SPANS_ONE(list, e->sums);
  }
}

/* ---- samples ---- */

/* Steps in the stride that this step is in. */
static int64_t stride_at(int64_t step)
{
  int64_t stride = FIRST;
  while (step / stride >= SETTLED / FIRST) {
    stride *= 2;
  }
  return stride;
}

/* The place of the sample in stride number i: splitmix64. In the first one it is the middle: a
 * start may have errors that no other step has. */
static int64_t place_in(int64_t i, int64_t stride)
{
  uint64_t z = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)stride;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return i == 0 ? FIRST / 2 : (int64_t)((z ^ (z >> 31)) % (uint64_t)stride);
}

/* The sample of the stride that this step is in. */
static int64_t sample_near(int64_t step)
{
  const int64_t stride = stride_at(step), i = step / stride;
  return i * stride + place_in(i, stride);
}

bool cardan__estimate_is_sample(cardan__estimate *e, int64_t step)
{
  if (step < e->next_sample) {
    return false;
  }
  const int64_t here = sample_near(step), stride = stride_at(step);
  e->next_sample = here > step ? here : sample_near((step / stride + 1) * stride);
  return here == step;
}

void cardan__estimate_add(cardan__estimate *e, const cardan_model *model, int64_t step, double h,
                          const double *q)
{
  const double weight = (double)stride_at(step);
  cardan__estimate_change(model, e->before, q, e->velocity);
  cardan__estimate_change(model, e->half, q, e->change);
  for (int k = 0; k < model->nv; k++) {
    const double rate = e->factor * e->change[k] / h, square = weight * rate * rate; // (D1)
    const double v = e->velocity[k] / h;
    e->sum[k] += weight * rate;
    e->square[k] += square;
    e->fourth[k] += square * square;
    e->along[k] += weight * rate * v;
    e->motion[k] += weight * v * v;
    e->speed[k] += weight * fabs(v);
  }
  e->sums.samples++;
  e->sums.weight += weight;
}

void cardan__estimate_add_energy(cardan__estimate *e, int64_t step, double kinetic, double balance)
{
  const double weight = (double)stride_at(step);
  e->sums.kinetic += weight * kinetic;
  e->sums.balance += weight * balance;
}

void cardan__estimate_add_range(cardan__estimate *e, const cardan_model *model, int64_t step,
                                const double *q)
{
  if (step < e->next_look) {
    return;
  }
  const int64_t stride = stride_at(step), every = stride > LOOKS ? stride / LOOKS : 1;
  e->next_look = (step / every + 1) * every;
  if (step % every != 0) { // the first one after a state was restored
    return;
  }
  cardan__estimate_change(model, e->start, q, e->change);
  for (int k = 0; k < model->nv; k++) {
    e->low[k] = e->change[k] < e->low[k] ? e->change[k] : e->low[k];
    e->high[k] = e->change[k] > e->high[k] ? e->change[k] : e->high[k];
  }
}

/* ---- a simulation's ---- */

/* Events so far: errors of steps with one are not of their order. */
static int64_t count_events(const cardan_sim *sim)
{
  return sim->stats.events + sim->stats.parted +
         (sim->contacts != NULL ? sim->contacts->ledger.stats.impacts : 0);
}

/* To t in two steps of the method, without a program's hooks; q to half. */
static bool take_halves(cardan_sim *sim, double t)
{
  cardan__estimate *e = &sim->estimate;
  const bool saves = sim->saves_advance;
  sim->saves_advance = true; // so that contacts keep their trials beside the node of this one
  cardan_status status = cardan__sim_move(sim, sim->data->t + 0.5 * (t - sim->data->t));
  status = status == CARDAN_OK ? cardan__sim_move(sim, t) : status;
  sim->saves_advance = saves;
  memcpy(e->half, sim->data->q, (size_t)sim->model->nq * sizeof *e->half);
  return status == CARDAN_OK && count_events(sim) == e->impacts;
}

bool cardan__estimate_halves(cardan_sim *sim, double t)
{
  cardan__estimate *e = &sim->estimate;
  cardan__stepper *stepper = sim->stepper;
  if (e->block == NULL || !e->due || !cardan__estimate_is_sample(e, sim->stats.steps)) {
    return false;
  }
  e->due = false;
  e->impacts = count_events(sim);
  const cardan__stepper counts = *stepper;
  const cardan_info info = sim->data->info;
  memcpy(e->before, sim->data->q, (size_t)sim->model->nq * sizeof *e->before);
  cardan__snapshot_save(sim, &sim->advance_begin);
  const bool measured = take_halves(sim, t);
  cardan__snapshot_restore(sim, &sim->advance_begin);
  sim->data->info = info;
  stepper->iterations = counts.iterations;
  stepper->evaluations = counts.evaluations;
  stepper->accepted = counts.accepted;
  stepper->rejected = counts.rejected;
  stepper->restarts = counts.restarts;
  e->sums.missed += !measured;
  return measured;
}

/* Energies of the node, where it has velocities. */
static void add_energies(cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  sim->data->fresh = 0;
  if (method->node == NULL || method->node(sim->stepper, sim->data) == CARDAN_OK) {
    cardan__sim_refresh(sim);
    const double kinetic = cardan_kinetic(sim->model, sim->data);
    const double energy = kinetic + cardan_potential(sim->model, sim->data);
    cardan__estimate_add_energy(&sim->estimate, sim->stats.steps, kinetic,
                                energy - cardan__sim_work(sim) - sim->stats.energy_initial);
  }
}

void cardan__estimate_compare(cardan_sim *sim, double h)
{
  cardan__estimate *e = &sim->estimate;
  if (count_events(sim) != e->impacts) {
    e->sums.missed++;
    return;
  }
  cardan__estimate_add(e, sim->model, sim->stats.steps, h, sim->data->q);
  add_energies(sim);
}

void cardan__estimate_look(cardan_sim *sim)
{
  if (sim->estimate.block != NULL) {
    cardan__estimate_add_range(&sim->estimate, sim->model, sim->stats.steps, sim->data->q);
    const bool struck = sim->contacts != NULL && sim->contacts->landing.fresh > 0;
    cardan__estimate_add_ways(&sim->estimate, sim->model, sim->stats.steps, struck, sim->data->q);
  }
}
