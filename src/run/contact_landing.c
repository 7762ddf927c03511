// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/spans.h"
#include "cardan/dynamics.h"
#include "linalg/small.h"
#include "run/contact_run.h"
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
 * after that the landing: lambda times a factor, down to 0. What is left of an overlap stays as it
 * is (run/contact_run.c, targets), and is offered again when something lands beside it. */

enum { MOST_ROUNDS = 4, MOST_FACTORS = 5, MOST_STRIKES = 4 };
static const double reach = 4;       // of the deepest overlap: what a landing may push into
static const double remains = 1e-3;  // of the deepest overlap, or
static const double small = 1e-7;    // [m or rad], may be left
static const double closely = 5e-9;  // [m or rad] of a gap that a landing leaves open
static const double gained = 1e-12;  // of the energies that (L2) is a difference of
static const double precise = 1e-10; // of the largest rate in (L1)

/* ---- the node that a step begins at ---- */

static void list_motion(cardan_sim *sim, cardan__spans *list)
{
  cardan_data *data = sim->data;
  list->n = 0;
  CARDAN__SPANS_ONE(list, data->t);
  cardan__spans_add(list, data->q, (size_t)sim->model->nq, sizeof *data->q);
  sim->stepper->method->spans(sim->stepper, list);
}

cardan_status cardan__contact_open_landing(cardan_sim *sim)
{
  cardan__landing *l = &sim->contacts->landing;
  if (l->mode == CARDAN__IMPACTS_LOCATED) {
    return CARDAN_OK;
  }
  cardan__spans list;
  list_motion(sim, &list);
  l->node_size = cardan__spans_size(&list);
  l->node = cardan__resize(&sim->allocator, NULL, l->node_size);
  return l->node != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__contact_save_node(cardan_sim *sim)
{
  cardan__spans list;
  list_motion(sim, &list);
  cardan__spans_copy(&list, sim->contacts->landing.node, false);
}

static void restore_node(cardan_sim *sim)
{
  cardan__spans list;
  list_motion(sim, &list);
  cardan__spans_copy(&list, sim->contacts->landing.node, true);
  sim->data->fresh = 0;
  sim->stepper->method->rejoin(sim->stepper, sim->data, true);
}

/* T + V at data's velocities, less the work that the method did. *size: of what it is made of */
static double free_energy(cardan_sim *sim, double *size)
{
  const double work = sim->stepper->method->work(sim->stepper);
  sim->data->fresh = 0;
  cardan_kinematics(sim->model, sim->data);
  const double T = cardan_kinetic(sim->model, sim->data);
  const double V = cardan_potential(sim->model, sim->data);
  *size = fmax(*size, fabs(T) + fabs(V) + fabs(work));
  return T + V - work;
}

/* ---- contacts of a landing ---- */

/* Gap of feature i at the end of the attempt. */
static double end_gap(const cardan__contacts *c, int i)
{
  return c->gaps.next[i] + fmin(0, c->gaps.gap[i]);
}

/* Pairs that overlap where none of their spots does: those that are there. */
static void add_unforeseen(cardan__contacts *c, cardan_data *end)
{
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

/* Those that end within `within` join A; returns whether any did. */
static bool choose(cardan__contacts *c, double within)
{
  cardan__landing *l = &c->landing;
  const int before = l->n;
  for (int i = 0; i < c->gaps.n && l->n < c->impacts.most; i++) {
    if (end_gap(c, i) <= within && !is_chosen(l, i)) {
      l->lambda[l->n] = 0;
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
  return cardan__contacts_responses(c, sim->model, sim->data, l->index, l->n);
}

/* lambda of (L1), from the gaps that the last attempt left with the lambda before. */
static void solve(cardan__contacts *c, const cardan_model *model, double h)
{
  cardan__landing *l = &c->landing;
  double speed = 0;
  for (int j = 0; j < l->n; j++) {
    const int i = l->index[j];
    const double g = c->gaps.active[i] && l->end[j] > -CARDAN__LANDED ? fmin(l->end[j], 0) : 0;
    c->impacts.b[j] = (end_gap(c, i) - g) / h -
                      cardan__dot(l->n, c->impacts.G + (size_t)j * (size_t)l->n, l->lambda);
    speed = fmax(speed, fabs(c->impacts.b[j]));
    c->impacts.closed_cone[j] = (cardan__cone){.row = j};
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
                   .caller_tol = remains * speed,
                   .no_homotopy = true,
                   .work = c->impacts.work,
                   .iwork = c->impacts.iwork};
  (void)cardan__ncp_solve(&p); // what it leaves is an overlap that the next round sees
  cardan__contacts_count(c, &p);
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
  bool good = deepest <= fmax(small, remains * l->deepest);
  for (int j = 0; j < l->n; j++) {
    good = good && !(l->lambda[j] > 0 && end_gap(c, l->index[j]) > closely);
  }
  return good;
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
  cardan_status status = sim->stepper->method->node(sim->stepper, data);
  l->before = status == CARDAN_OK ? free_energy(sim, size) : 0;
  note_held(c);
  restore_node(sim);
  c->trial.stale = true;
  status = status == CARDAN_OK ? cardan__contacts_velocities(sim) : status;
  memcpy(l->v, data->v, (size_t)c->nv * sizeof *l->v);
  choose(c, reach * l->deepest);
  status = status == CARDAN_OK ? respond(sim) : status;
  for (int round = 0; round < MOST_ROUNDS && status == CARDAN_OK; round++) {
    solve(c, sim->model, h);
    note_push(c);
    status = fly(sim, t_end, 1);
    const double deepest = find_deepest(c);
    if (status != CARDAN_OK || round + 1 == MOST_ROUNDS || has_landed(c, deepest)) {
      break;
    }
    const bool more = choose(c, -CARDAN__LANDED);
    restore_node(sim);
    status = more ? respond(sim) : CARDAN_OK;
  }
  return status;
}

/* lambda out of the momentum again, with the rows of the node that was reached. */
static void give_back(cardan_sim *sim, double factor)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  double *row = c->impacts.J;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  cardan__contacts_pose(sim->model, sim->data);
  for (int j = 0; j < l->n && factor > 0; j++) {
    const cardan__feature *f = &l->feature[j];
    if (l->lambda[j] > 0 && f->k >= 0) {
      cardan__feature_push(f, -factor * l->lambda[j], c->impacts.dp);
    } else if (l->lambda[j] > 0) {
      cardan__feature_rows(sim->model, sim->data, f, row);
      cardan__reach_axpy(&f->reach, -factor * l->lambda[j], row, c->impacts.dp);
    }
  }
  sim->stepper->method->join(sim->stepper, c->impacts.dp);
}

/* ---- the node ---- */

static bool is_same(const cardan__feature *f, const cardan__feature *g)
{
  return f->kind == g->kind && f->pair == g->pair && f->joint == g->joint && f->index == g->index;
}

/* The contact of the landing that feature i of the node was, else the deepest of its pair; -1. */
static int find_landed(const cardan__contacts *c, int i)
{
  const cardan__landing *l = &c->landing;
  const cardan__feature *f = &c->gaps.feature[i];
  int found = -1;
  for (int j = 0; j < l->n; j++) {
    if (is_same(f, &l->feature[j])) {
      return j;
    }
    if (f->pair >= 0 && f->pair == l->feature[j].pair && (found < 0 || l->end[j] < l->end[found])) {
      found = j;
    }
  }
  return found;
}

/* Does i count as closed? What the landing brought here does where it is a little open. */
static bool is_closed(const cardan__contacts *c, int i)
{
  if (cardan__contacts_closed(c, i)) {
    return true;
  }
  const int j =
      c->gaps.gap[i] <= fmax(2 * small, 2 * remains * c->landing.deepest) ? find_landed(c, i) : -1;
  return j >= 0 && c->landing.lambda[j] > 0;
}

/* To index what is closed: first what was held, *own, then what is new. returns how many */
static int list_node(cardan_sim *sim, int *own)
{
  cardan__contacts *c = sim->contacts;
  const double still = cardan__contacts_still(sim->data);
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->gaps.n && n < c->impacts.most; i++) {
      if (is_closed(c, i) && cardan__contact_was_held(c, i, still) == (pass == 0)) {
        if (!cardan__contacts_closed(c, i)) {
          cardan__feature_enter(sim->model, sim->data, &c->gaps.feature[i]);
        }
        c->impacts.index[n++] = i;
      }
    }
    *own = pass == 0 ? n : *own;
  }
  return n;
}

/* Speed of approach of new contact i where its gap closes, < 0, by the parabola of its gap in the
 * flight; 0: it has no restitution, or would be back within the step. */
static double find_approach(const cardan__contacts *c, int i, double h)
{
  const cardan__landing *l = &c->landing;
  const double u = c->gaps.rate[i], e = c->gaps.feature[i].restitution;
  const int j = e > 0 && u < 0 ? find_landed(c, i) : -1;
  if (j < 0) {
    return e > 0 ? fmin(u, 0) : 0;
  }
  const double gap = fmax(l->gap[j], 0), rate = l->rate[j];
  const double a = 2 * (l->end[j] - gap - h * rate) / (h * h);
  const double root = sqrt(fmax(rate * rate - 2 * a * gap, 0));
  const double s = a < 0 ? (-rate - root) / a : rate < 0 ? gap / -rate : h;
  const double alpha = fmin(fmax(s / h, 0), 1);
  const double approach = (1 - alpha) * rate + alpha * u;
  return approach < 0 && -e * approach > h * fmax(-a, 0) ? approach : 0;
}

/* Work of impulses r of contacts from..count over u before and after; what bounds owe joins
 * *driven. */
static double work_of(cardan__contacts *c, const cardan_data *data, int from, int count,
                      const double *r, const double *before, const double *after, double *driven)
{
  double sum = 0;
  for (int i = from; i < count; i++) {
    for (int row = c->impacts.first[i]; row < c->impacts.first[i + 1]; row++) {
      sum += 0.5 * r[row] * (before[row] + after[row]);
    }
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    *driven -=
        f->kind == CARDAN__BOUND ? r[c->impacts.first[i]] * cardan__contact_drift(data, f) : 0;
  }
  return sum;
}

/* What an impact at the node comes to. */
typedef struct {
  double gain;   // work on the new contacts [J]
  double driven; // of that, by drivers of bounds
  bool struck, guarded;
  double lift; // (L2) without it
} outcome;

/* Everything without restitution: one problem. */
static cardan_status strike_plastic(cardan_sim *sim, int own, int count, outcome *out)
{
  cardan__contacts *c = sim->contacts;
  const double still = cardan__contacts_still(sim->data);
  const cardan_status status = cardan__contact_solve_node(sim, count);
  if (status != CARDAN_OK) {
    return status;
  }
  out->gain =
      work_of(c, sim->data, own, count, c->impacts.r, c->impacts.u, c->impacts.after, &out->driven);
  for (int i = own; i < count; i++) {
    const int row = c->impacts.first[i];
    out->struck = out->struck || (c->impacts.r[row] > 0 && c->impacts.u[row] < -still);
    c->impacts.last_feature = c->impacts.r[row] > 0 ? c->impacts.index[i] : c->impacts.last_feature;
  }
  return cardan__contact_join(sim, count, own);
}

static cardan_status strike_in_rounds(cardan_sim *sim, int count, double *work, cardan__impact *p)
{
  cardan__contacts *c = sim->contacts;
  *p = (cardan__impact){
      .n = count,
      .m = c->impacts.m,
      .cone = c->impacts.closed_cone,
      .tree = cardan__contacts_trees(c, sim->model, c->gaps.feature, c->impacts.index, count),
      .G = c->impacts.G,
      .e = c->impacts.e,
      .u = c->impacts.after,
      .r = c->impacts.r,
      .tol = cardan__contacts_still(sim->data),
      .most = count < MOST_STRIKES ? MOST_STRIKES : MOST_STRIKES,
      .iwork = c->impacts.iwork,
      .chosen = c->impacts.chosen,
      .work = c->impacts.work};
  memcpy(c->impacts.after, c->impacts.u, (size_t)c->impacts.m * sizeof *c->impacts.u);
  const bool good = cardan__impact_solve(p);
  double driven = 0;
  *work = work_of(c, sim->data, 0, count, c->impacts.r, c->impacts.u, c->impacts.after, &driven);
  c->ledger.stats.solves += p->rounds;
  c->ledger.stats.sweeps += p->sweeps;
  c->ledger.stats.newtons += p->newtons;
  double speed = 0;
  for (int i = 0; i < c->impacts.m; i++) {
    speed = fmax(speed, fabs(c->impacts.u[i]));
  }
  if (good || p->error <= 1e-9 * speed) {
    c->ledger.stats.error = fmax(c->ledger.stats.error, p->error);
    return CARDAN_OK;
  }
  return cardan__contacts_unsolved(c, sim->data, count, c->impacts.index[count - 1], p->error);
}

/* The largest s in [0, 1] for which lift + work(s) <= 0, of a parabola through work at 0, 1/2, 1 */
static double find_part(double lift, double none, double half, double all)
{
  const double a = 2 * (none + all) - 4 * half, b = 4 * half - 3 * none - all, d = lift + none;
  if (d >= 0) {
    return 0;
  }
  const double root = sqrt(fmax(b * b - 4 * a * d, 0));
  const double q = -0.5 * (b + copysign(root, b));
  double s = 1;
  const double roots[2] = {a != 0 ? q / a : 1, q != 0 ? d / q : 1};
  for (int i = 0; i < 2; i++) {
    s = roots[i] > 0 && roots[i] < s ? roots[i] : s;
  }
  return s;
}

/* With all of its restitution the impact would gain energy: with the largest part of it that does
 * not. r and u of it are in c->impacts; without any: a problem of its own. */
static cardan_status lessen(cardan_sim *sim, int count, outcome *out)
{
  cardan__contacts *c = sim->contacts;
  double *r1 = c->impacts.b, *r = c->impacts.r, *u = c->impacts.after;
  const size_t m = (size_t)c->impacts.m;
  double none = 0, driven = 0, half = 0;
  cardan__impact p;
  memcpy(r1, r, m * sizeof *r1);
  memset(c->impacts.e, 0, (size_t)count * sizeof *c->impacts.e);
  const cardan_status status = strike_in_rounds(sim, count, &none, &p);
  if (status != CARDAN_OK) {
    return status;
  }
  for (size_t i = 0; i < m; i++) {
    const double change = r1[i] - r[i];
    half += 0.5 * (r[i] + 0.5 * change) * c->impacts.u[i];
  }
  for (int pass = 0; pass < 2; pass++) {
    const double s = pass == 0 ? 0.5 : find_part(out->lift, none, half, out->gain);
    if (pass == 1) {
      for (size_t i = 0; i < m; i++) {
        r[i] += s * (r1[i] - r[i]);
      }
    }
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
      const double *G = c->impacts.G + i * m;
      double at = c->impacts.u[i];
      for (size_t k = 0; k < m; k++) {
        at += G[k] * (pass == 0 ? 0.5 * (r[k] + r1[k]) : r[k]);
      }
      sum += 0.5 * (pass == 0 ? 0.5 * (r[i] + r1[i]) : r[i]) * (c->impacts.u[i] + at);
      if (pass == 1) {
        u[i] = at;
      }
    }
    half = pass == 0 ? sum : half;
    out->gain = pass == 1 ? sum : out->gain;
  }
  (void)driven;
  out->guarded = true;
  return CARDAN_OK;
}

/* r^+ of what was held first, then the law of impact in rounds. */
static cardan_status strike_elastic(cardan_sim *sim, int own, int count, double tol, outcome *out)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = CARDAN_OK;
  if (own > 0) {
    status = cardan__contact_solve_node(sim, own);
    status = status == CARDAN_OK ? cardan__contact_join(sim, own, own) : status;
  }
  status = status == CARDAN_OK
               ? cardan__contacts_responses(c, sim->model, data, c->impacts.index, count)
               : status;
  if (status != CARDAN_OK) {
    return status;
  }
  const double still = cardan__contacts_still(data);
  cardan__contacts_relative(c, data, c->impacts.index, count, data->v, c->impacts.u);
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    const double u = c->impacts.u[c->impacts.first[i]];
    const double approach = c->landing.approach[i];
    c->impacts.e[i] = i < own                      ? f->restitution
                      : u < -still && approach < 0 ? f->restitution * approach / u
                                                   : 0;
    c->impacts.closed_cone[i] = cardan__feature_cone(sim->model, f, c->impacts.first[i], false);
    out->struck = out->struck || (i >= own && u < -still);
  }
  cardan__impact p;
  status = strike_in_rounds(sim, count, &out->gain, &p);
  out->guarded = p.guarded > 0;
  if (status == CARDAN_OK && out->lift + out->gain > tol) {
    status = lessen(sim, count, out);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  double driven = 0;
  (void)work_of(c, data, 0, count, c->impacts.r, c->impacts.u, c->impacts.after, &driven);
  out->driven += driven;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  cardan__contacts_add(c, c->impacts.index, count, c->impacts.r, data->v);
  cardan__contacts_note_slack(c, c->impacts.index, count);
  sim->stepper->method->join(sim->stepper, c->impacts.dp);
  c->trial.stale = true;
  return cardan__contacts_velocities(sim);
}

/* (N) and impacts at the node; momentum is p^-, velocities are of it. */
static cardan_status strike(cardan_sim *sim, double h, double tol, outcome *out, int *fresh)
{
  cardan__contacts *c = sim->contacts;
  int own = 0;
  const int count = list_node(sim, &own);
  bool bounces = false;
  for (int i = own; i < count; i++) {
    c->landing.approach[i] = find_approach(c, c->impacts.index[i], h);
    bounces = bounces || c->landing.approach[i] < 0;
  }
  *fresh = count - own;
  if (count == 0) {
    return CARDAN_OK;
  }
  return bounces ? strike_elastic(sim, own, count, tol, out) : strike_plastic(sim, own, count, out);
}

/* ---- a step ---- */

/* The ledger is again as the step left it, before its node. */
static void rewind_ledger(cardan__contacts *c, const cardan__contact_ledger *before)
{
  c->ledger.nrecord = c->ledger.nbefore;
  c->ledger.stats.friction = before->stats.friction;
  c->ledger.driven = before->driven;
  for (int i = 0; i < c->ledger.nrecord; i++) {
    cardan__contact_record *g = &c->ledger.record[i];
    g->plus[0] = g->plus[1] = (cardan_vec3){0, 0, 0};
    g->left = false;
  }
}

/* The node at data, reached with factor lambda: (L2) in *D. */
static cardan_status make_node(cardan_sim *sim, double h, int held, double factor, double *size,
                               outcome *out, int *fresh)
{
  cardan__contacts *c = sim->contacts;
  *out = (outcome){0};
  cardan_status status = cardan__contact_enter_node(sim, held);
  if (status != CARDAN_OK) {
    return status;
  }
  if (c->landing.n > 0) {
    give_back(sim, factor);
  }
  status = cardan__contacts_velocities(sim);
  if (status == CARDAN_OK && c->landing.n > 0) {
    out->lift = free_energy(sim, size) - c->landing.before;
    cardan__contacts_pose(sim->model, sim->data);
  }
  return status == CARDAN_OK ? strike(sim, h, gained * *size, out, fresh) : status;
}

/* What landing and impact did, into the statistics; what was before them says nothing of what
 * comes. */
static cardan_status conclude(cardan_sim *sim, const outcome *out, int fresh)
{
  cardan__contacts *c = sim->contacts;
  cardan_contact_stats *stats = &c->ledger.stats;
  stats->lost -= out->lift + out->gain;
  c->ledger.driven += out->driven;
  stats->impacts += out->struck;
  stats->guarded += out->guarded;
  stats->events = stats->events > 0 || !out->struck ? stats->events : 1;
  c->landing.fresh = fresh > c->landing.fresh ? fresh : c->landing.fresh;
  if (fresh == 0 && c->landing.n == 0) {
    return CARDAN_OK;
  }
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  return sim->stepper->method->push(sim->stepper, sim->data, c->impacts.dp);
}

cardan_status cardan__contact_land(cardan_sim *sim, double h)
{
  cardan__contacts *c = sim->contacts;
  cardan__landing *l = &c->landing;
  const int held = c->held.n;
  const double t_end = sim->data->t;
  double size = 0, factor = 1;
  cardan_status status = CARDAN_OK;
  outcome out = {0};
  int fresh = 0;
  l->n = 0;
  l->deepest = 0;
  if (l->passed) {
    status = land(sim, &size);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__contact_end_step(sim, h);
  const cardan__contact_ledger before = c->ledger;
  for (int k = 0;; k++) {
    status = make_node(sim, h, held, factor, &size, &out, &fresh);
    const double D = out.lift + out.gain;
    if (status != CARDAN_OK || l->n == 0 || factor == 0 || D <= gained * size) {
      break;
    }
    factor = k + 1 < MOST_FACTORS && out.lift > 0
                 ? factor * fmin(0.9, fmax(-out.gain, 0) / out.lift)
                 : 0;
    rewind_ledger(c, &before);
    restore_node(sim);
    c->held.n = held;
    l->blind = true;
    status = fly(sim, t_end, factor);
    l->blind = false;
    c->held.n = 0;
    if (status != CARDAN_OK) {
      break;
    }
  }
  return status == CARDAN_OK ? conclude(sim, &out, fresh) : status;
}
