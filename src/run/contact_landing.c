// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "linalg/small.h"
#include "run/contact_landing.h"
#include "run/sim.h"

/* Impacts at the end of a step (option impacts): nothing is located.
 *
 * A step from node k to k+1 in which something closes that was open has three parts:
 *   flight   as if nothing closed: impulses r^- of what is held, to q', overlaps phi(q') < 0
 *   landing  lambda >= 0 without friction on A = what the flight brings within 4 times the deepest
 *            overlap, and the step again with r^- and lambda in the node's momentum:
 *              0 <= lambda  perp  (phi(q') - g) / h + G_A lambda >= 0                         (L1)
 *            G_A of node k, g = 0, or the overlap that a held contact had. At most MOST_ROUNDS
 *            times, with the overlap that the last one left
 *   node     lambda is taken out of the momentum again, with the rows of node k+1, and one problem
 *            (N) holds r^+ of what was held and the impacts of what is new
 * So a landing changes positions alone: each lambda and -lambda is a pair of opposite impulses at
 * one point, and the law of impact sees the whole approach velocity, once. With e > 0 that is u* at
 * the moment of contact, by the parabola of the gap, not at the node; what would come back within
 * the step has no restitution.
 *
 * Energy of a landing and its impact:
 *   D = [T + V - W](q_{k+1}, p^-) - [T + V - W](q', p'^-) + sum over new contacts r.(u^- + u^+)/2,
 *   D <= 0                                                                                   (L2)
 * Slow contacts may need more for the lift than the impact loses. Then restitution is lessened, and
 * after that the landing: lambda times a factor, down to 0. The rest of an overlap stays as it
 * is (run/contact_run.c, targets), and is offered again when something lands beside it. */

enum { MOST_ROUNDS = 6, MOST_FACTORS = 5 };
static const double reach = 4;            // of the deepest overlap: what a landing may push into
static const double fails = 0.02;         // of the deepest overlap: more is left by no landing
static const double shortest = 1.0 / 512; // of dt: no step is cut shorter for a landing
static const double closely = 5e-9;       // [m or rad] of a gap that a landing leaves open
static const double precise = 1e-10;      // of the largest rate in (L1)
static const double strikes_from = 4;     // times r_n^-

/* ---- contacts of a landing ---- */

/* Gap of feature i at the end of the attempt. */
static double end_gap(const cardan__contacts *c, int i)
{
  return c->gaps.next[i] + fmin(0, c->gaps.gap[i]);
}

/* Pairs that overlap where none of their spots does: those that are there. */
static void add_unforeseen(cardan__contacts *c, cardan_data *end)
{
  end->fresh = 0; // its poses are those of an earlier evaluation
  cardan__contacts_pose(end->model, end);
  for (int w = 0; w < c->gaps.nwatch; w++) {
    bool seen = !(c->gaps.next[c->gaps.room + w] < -CARDAN__WATCHED);
    for (int i = c->gaps.nfixed; i < c->gaps.n && !seen; i++) {
      seen = c->gaps.owner[i] == w && c->gaps.next[i] < -CARDAN__LANDED;
    }
    if (!seen) {
      cardan__contacts_add_spots(c, end->model, w, end->X_W);
    }
  }
}

static bool is_chosen(const cardan__landing *l, int feature)
{
  bool found = false;
  for (int j = 0; j < l->n && !found; j++) {
    found = l->index[j] == feature;
  }
  return found;
}

/* r_n^- of feature i in the flight; 0: it was not held. */
static double held_impulse(const cardan__contacts *c, int i)
{
  double r = 0;
  for (int j = 0; j < c->held.n && c->gaps.active[i]; j++) {
    r = c->cones.index[j] == i ? c->held.impulse[c->held.cone[j].row] : r;
  }
  return r;
}

/* Those that end within `within` join A; returns whether any did. */
static bool choose(cardan__contacts *c, double within)
{
  cardan__landing *l = &c->landing;
  const int before = l->n;
  for (int i = 0; i < c->gaps.n && l->n < c->impacts.most; i++) {
    if (end_gap(c, i) <= within && !is_chosen(l, i)) {
      l->lambda[l->n] = 0;
      l->held[l->n] = held_impulse(c, i);
      l->gap[l->n] = c->gaps.gap[i];
      l->rate[l->n] = c->gaps.rate[i];
      l->end[l->n] = end_gap(c, i);
      l->index[l->n++] = i;
    }
  }
  return l->n > before;
}

/* The deepest overlap that the attempt ends with: of what was open, and of what was held. */
static double find_deepest(const cardan__contacts *c)
{
  double deepest = 0;
  for (int i = 0; i < c->gaps.n; i++) {
    const double gap = c->gaps.active[i] ? end_gap(c, i) : c->gaps.next[i];
    deepest = gap < -CARDAN__LANDED ? fmax(deepest, -end_gap(c, i)) : deepest;
  }
  for (int w = 0; w < c->gaps.nwatch; w++) {
    const double gap = c->gaps.next[c->gaps.room + w];
    deepest = gap < -CARDAN__WATCHED ? fmax(deepest, -gap - c->gaps.base[w]) : deepest;
  }
  return deepest;
}

/* Rows and G_A, of normals alone; data is at the node. */
static cardan_status respond(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  cardan__contacts_pose(sim->model, sim->data);
  for (int j = 0; j < l->n; j++) {
    cardan__feature *f = &c->gaps.feature[l->index[j]];
    cardan__feature_enter(sim->model, sim->data, f);
    f->dim = 1;
    f->ngroup = 0;
    l->feature[j] = *f;
  }
  return cardan__contacts_coupled(c, sim->model, sim->data, l->index, l->n);
}

/* lambda of (L1), from the gaps that the last attempt left with the lambda before. */
static void solve(cardan__contacts *c, const cardan_model *model, double h)
{
  cardan__landing *l = &c->landing;
  double speed = 0;
  for (int j = 0; j < l->n; j++) {
    const int i = l->index[j];
    const double g = c->gaps.active[i] && l->end[j] > -CARDAN__LANDED ? fmin(l->end[j], 0) : 0;
    c->impacts.u[j] = (end_gap(c, i) - g) / h;
    l->lambda[j] += l->held[j];
    c->impacts.closed_cone[j] = (cardan__cone){.row = j};
  }
  cardan__contacts_change(c, l->n, -1, l->lambda, c->impacts.u, c->impacts.b);
  for (int j = 0; j < l->n; j++) {
    speed = fmax(speed, fabs(c->impacts.b[j]));
  }
  cardan__ncp p = {.n = l->n,
                   .m = l->n,
                   .cone = c->impacts.closed_cone,
                   .G = c->impacts.G,
                   .b = c->impacts.b,
                   .r = l->lambda,
                   .u = c->impacts.after,
                   .tree = cardan__contacts_trees(c, model, c->gaps.feature, l->index, l->n),
                   .tol = precise * speed,
                   .stalled_tol = 10 * precise * speed,
                   .caller_tol = CARDAN__LANDING_REMAINS * speed,
                   .uneven = true,
                   .no_homotopy = true,
                   .work = c->impacts.work,
                   .iwork = c->impacts.iwork};
  (void)cardan__ncp_solve(&p); // what it leaves is an overlap that the next round sees
  cardan__contacts_count(c, &p);
  for (int j = 0; j < l->n; j++) {
    l->lambda[j] -= l->held[j];
  }
}

/* ---- flights ---- */

/* J_k^T r^- of what the flight held. */
static void note_held(cardan__contacts *c)
{
  double *p = c->landing.hold;
  memset(p, 0, (size_t)c->nv * sizeof *p);
  for (int j = 0; j < c->held.n; j++) {
    const int first = c->held.cone[j].row;
    for (int row = first; row < first + c->cones.feature[j].dim; row++) {
      cardan__reach_axpy(&c->held.reach[j], c->held.impulse[row],
                         c->held.J + (size_t)row * (size_t)c->nv, p);
    }
  }
}

/* J_k^T lambda and what it does to velocities. */
static void note_push(cardan__contacts *c)
{
  cardan__landing *l = &c->landing;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  memset(l->change, 0, (size_t)c->nv * sizeof *l->change);
  cardan__contacts_add(c, l->index, l->n, l->lambda, l->change);
  memcpy(l->push, c->impacts.dp, (size_t)c->nv * sizeof *l->push);
}

/* The step again from the node, with r^- and factor lambda. */
static cardan_status fly(cardan_sim *sim, double t_end, double factor)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  l->factor = factor;
  for (int k = 0; k < c->nv; k++) {
    sim->data->v[k] = l->v[k] + factor * l->change[k];
    c->impacts.dp[k] = l->hold[k] + factor * l->push[k];
  }
  cardan_status status = sim->stepper->method->push(sim->stepper, sim->data, c->impacts.dp);
  if (status != CARDAN_OK) {
    return status;
  }
  c->held.given = true;
  const cardan__attempt attempt = cardan__contact_try(sim, t_end);
  c->held.given = false;
  c->trial.stale = true;
  return attempt.status == CARDAN_OK && !cardan__attempt_accepted(attempt)
             ? cardan__contact_fail(sim, l->n > 0 ? l->index[0] : 0, "lands where no step ends")
             : attempt.status;
}

/* Is the landing good enough? */
static bool has_landed(const cardan__contacts *c, double deepest)
{
  const cardan__landing *l = &c->landing;
  bool good = deepest <= fmax(CARDAN__LANDING_SMALL, CARDAN__LANDING_REMAINS * l->deepest);
  for (int j = 0; j < l->n; j++) {
    good = good && !(l->lambda[j] + l->held[j] > 0 && end_gap(c, l->index[j]) > closely);
  }
  return good;
}

/* What friction of r^+ takes at the end of the flight: l->rubbed. Returns what contacts lose whose
 * point has jumped within the flight, as that of an edge that tips over does: they do not bear a
 * load there but strike, with an r_n^+ far above r_n^-. */
static double count_flight(cardan__contacts *c, int count)
{
  cardan__landing *l = &c->landing;
  double lost = 0;
  l->rubbed = 0;
  for (int i = 0; i < count - c->ndry; i++) {
    const int first = c->impacts.first[i];
    const bool strikes = c->impacts.r[first] > strikes_from * held_impulse(c, c->impacts.index[i]);
    for (int row = first; row < c->impacts.first[i + 1]; row++) {
      const double r = c->impacts.r[row], after = c->impacts.after[row];
      lost -= strikes ? 0.5 * r * (c->impacts.u[row] + after) : 0;
      l->rubbed -= !strikes && row > first ? r * after : 0;
    }
  }
  for (int i = 0; i < c->ndry && count > 0; i++) {
    const int row = c->impacts.first[count - c->ndry + i];
    const double mean = c->cones.mean[c->held.cone[c->held.n - c->ndry + i].row];
    l->rubbed -= 0.5 * c->impacts.r[row] * (c->impacts.after[row] + mean);
  }
  return lost;
}

/* r^+ of what the flight held, at its end: velocities there, and what friction takes. It is what
 * (L2) compares with, and has no other effect. */
static cardan_status end_flight(cardan_sim *sim, double *size)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  cardan_data *data = sim->data;
  int count = 0;
  double lost = 0;
  cardan_status status = sim->stepper->method->node(sim->stepper, data);
  data->fresh = 0;
  cardan__contacts_pose(sim->model, data);
  l->rubbed = 0;
  for (int j = 0; j < c->held.n - c->ndry; j++) {
    const int i = c->cones.index[j];
    if (end_gap(c, i) <= CARDAN__LANDED) {
      cardan__feature_enter(sim->model, data, &c->gaps.feature[i]);
      c->impacts.index[count++] = i;
    }
  }
  count = cardan__contact_list_dry(c, count);
  if (status == CARDAN_OK && count > 0) {
    status = cardan__contact_solve_node(sim, count, data->t - c->trial.from);
    cardan__contacts_add(c, c->impacts.index, count, c->impacts.r, data->v);
    lost = count_flight(c, count);
  }
  l->before = status == CARDAN_OK ? cardan__landing_energy(sim, size) + lost : 0;
  return status;
}

/* A length of step in which what is deepest goes in by an eighth of that: normals of solids that
 * are deep in one another may lead nowhere. */
static double find_shorter(const cardan__contacts *c, double h)
{
  const cardan__landing *l = &c->landing;
  int j = 0;
  for (int i = 1; i < l->n; i++) {
    j = l->end[i] < l->end[j] ? i : j;
  }
  const double gap = fmax(l->gap[j], 0), part = gap > 0 ? gap / (gap - fmin(l->end[j], 0)) : 0;
  return h * fmin(part + (1 - part) / 8, 0.5);
}

/* From the end of the flight, which is at data, to that of the landing. */
static cardan_status land(cardan_sim *sim, double *size)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  cardan_data *data = sim->data;
  const double t_end = data->t, h = t_end - c->trial.from;
  add_unforeseen(c, data);
  l->deepest = find_deepest(c);
  cardan_status status = end_flight(sim, size);
  note_held(c);
  cardan__contact_restore_node(sim);
  c->trial.stale = true;
  status = status == CARDAN_OK ? cardan__contacts_velocities(sim) : status;
  memcpy(l->v, data->v, (size_t)c->nv * sizeof *l->v);
  choose(c, reach * l->deepest);
  status = status == CARDAN_OK ? respond(sim) : status;
  for (int round = 0; round < MOST_ROUNDS && status == CARDAN_OK; round++) {
    solve(c, sim->model, h);
    note_push(c);
    status = fly(sim, t_end, 1);
    const double deepest = status == CARDAN_OK ? find_deepest(c) : HUGE_VAL;
    if (status != CARDAN_OK || round + 1 == MOST_ROUNDS || has_landed(c, deepest)) {
      l->shorter =
          deepest > fmax(fails * l->deepest, 10 * CARDAN__LANDING_SMALL) ? find_shorter(c, h) : 0;
      break;
    }
    add_unforeseen(c, data);
    const bool more = choose(c, -CARDAN__LANDED);
    cardan__contact_restore_node(sim);
    status = more ? respond(sim) : CARDAN_OK;
  }
  return status;
}

/* lambda out of the momentum again, with the rows of the node that was reached. */
static void give_back(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  const double factor = l->factor;
  double *row = c->impacts.J;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  cardan__contacts_pose(sim->model, sim->data);
  for (int j = 0; j < l->n && factor > 0; j++) {
    const cardan__feature *f = &l->feature[j];
    if (l->lambda[j] != 0 && f->k >= 0) {
      cardan__feature_push(f, -factor * l->lambda[j], c->impacts.dp);
    } else if (l->lambda[j] != 0) {
      cardan__feature_rows(sim->model, sim->data, f, row);
      cardan__reach_axpy(&f->reach, -factor * l->lambda[j], row, c->impacts.dp);
    }
  }
  sim->stepper->method->join(sim->stepper, c->impacts.dp);
}

/* ---- a step ---- */

/* The ledger is again as the step left it, before its node. */
static void rewind_ledger(cardan__contacts *c, const cardan__contact_ledger *before)
{
  c->ledger.nrecord = c->ledger.nbefore;
  c->ledger.stats.friction = before->stats.friction;
  c->ledger.driven = before->driven;
  c->ledger.dry = before->dry;
  for (int i = 0; i < c->ledger.nrecord; i++) {
    cardan__contact_record *g = &c->ledger.record[i];
    g->plus[0] = g->plus[1] = (cardan_vec3){0, 0, 0};
    g->left = false;
  }
}

/* The node at data that a landing by landing.factor led to. */
static cardan_status make_node(cardan_sim *sim, double h, int held, double *size,
                               cardan__landing_outcome *out)
{
  cardan__contacts *c = sim->contacts;
  *out = (cardan__landing_outcome){0};
  cardan_status status = cardan__contact_enter_node(sim, held);
  if (status != CARDAN_OK) {
    return status;
  }
  if (c->landing.n > 0) {
    give_back(sim);
  }
  status = cardan__contacts_velocities(sim);
  return status == CARDAN_OK ? cardan__landing_strike(sim, h, size, out) : status;
}

/* What landing and impact did, into the statistics; what was before them says nothing of what
 * comes. */
static cardan_status conclude(cardan_sim *sim, const cardan__landing_outcome *out)
{
  cardan__contacts *c = sim->contacts;
  cardan_contact_stats *stats = &c->ledger.stats;
  stats->lost -= out->lift + out->gain;
  c->ledger.driven += out->driven;
  stats->impacts += out->struck;
  stats->guarded += out->guarded;
  stats->events = stats->events > 0 || !out->struck ? stats->events : 1;
  c->landing.fresh = out->fresh > c->landing.fresh ? out->fresh : c->landing.fresh;
  if (out->fresh == 0 && c->landing.n == 0) {
    return CARDAN_OK;
  }
  c->landing.landed = true;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  return sim->stepper->method->push(sim->stepper, sim->data, c->impacts.dp);
}

/* The landing did not succeed: the node that the step began at, for a shorter one. */
static cardan_status begin_again(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan__contact_restore_node(sim);
  c->held.n = 0;
  c->trial.stale = true;
  c->trial.pace = 0.5 * c->landing.shorter; // it is doubled before the next attempt
  const cardan_status status = cardan__contacts_enter(c, sim->model, sim->data);
  return status == CARDAN_OK ? cardan__contacts_velocities(sim) : status;
}

cardan_status cardan__contact_land(cardan_sim *sim, double h)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  const int held = c->held.n;
  const double t_end = sim->data->t;
  double size = 0;
  cardan_status status = CARDAN_OK;
  cardan__landing_outcome out = {0};
  l->n = 0;
  l->factor = l->deepest = 0;
  l->shorter = 0;
  if (l->passed) {
    status = land(sim, &size);
  }
  if (l->shorter > shortest * sim->options.dt) {
    return begin_again(sim);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__contact_end_step(sim, h);
  const cardan__contact_ledger before = c->ledger;
  for (int k = 0;; k++) {
    status = make_node(sim, h, held, &size, &out);
    const double D = out.lift + out.gain;
    if (status != CARDAN_OK || l->factor == 0 || D <= CARDAN__LANDING_GAINED * size) {
      break;
    }
    const double factor = k + 1 < MOST_FACTORS && out.lift > 0
                              ? l->factor * fmin(0.9, fmax(-out.gain, 0) / out.lift)
                              : 0;
    rewind_ledger(c, &before);
    cardan__contact_restore_node(sim);
    c->held.n = held;
    l->blind = true;
    status = fly(sim, t_end, factor);
    l->blind = false;
    c->held.n = 0;
    if (status != CARDAN_OK) {
      break;
    }
  }
  return status == CARDAN_OK ? conclude(sim, &out) : status;
}
