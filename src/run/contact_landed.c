// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "linalg/small.h"
#include "run/contact_landing.h"
#include "run/sim.h"

/* The node of a step whose impacts act at its end (contact_landing.c). */

enum { MOST_STRIKES = 4 };           // rounds of the law of impact
static const double accepted = 1e-9; // of the speeds: error of an impact

/* T + V at data's velocities, less the work that the method did. *size: of what it is made of */
double cardan__landing_energy(cardan_sim *sim, double *size)
{
  const double work = sim->stepper->method->work(sim->stepper);
  sim->data->fresh = 0;
  cardan_kinematics(sim->model, sim->data);
  const double T = cardan_kinetic(sim->model, sim->data);
  const double V = cardan_potential(sim->model, sim->data);
  *size = fmax(*size, fabs(T) + fabs(V) + fabs(work));
  return T + V - work;
}

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
  const int j = c->gaps.gap[i] <= fmax(2 * CARDAN__LANDING_SMALL,
                                       2 * CARDAN__LANDING_REMAINS * c->landing.deepest)
                    ? find_landed(c, i)
                    : -1;
  return j >= 0 && c->landing.lambda[j] + c->landing.held[j] > 0;
}

/* To index what is closed: first what was held, *own, dry friction of joints behind it, then what
 * is new. returns how many */
static int list_node(cardan_sim *sim, int *own)
{
  cardan__contacts *c = sim->contacts;
  const double still = cardan__contacts_still(sim->data);
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->gaps.n && n < c->impacts.most - (pass == 0 ? c->ndry : 0); i++) {
      if (is_closed(c, i) && cardan__contact_was_held(c, i, still) == (pass == 0)) {
        if (!cardan__contacts_closed(c, i)) {
          cardan__feature_enter(sim->model, sim->data, &c->gaps.feature[i]);
        }
        c->impacts.index[n++] = i;
      }
    }
    n = pass == 0 ? cardan__contact_list_dry(c, n) : n;
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

/* Work of r between u and c->impacts.after. */
static double work_of(const cardan__contacts *c)
{
  double sum = 0;
  for (int row = 0; row < c->impacts.m; row++) {
    sum += 0.5 * c->impacts.r[row] * (c->impacts.u[row] + c->impacts.after[row]);
  }
  return sum;
}

/* What drivers of bounds did in it: u_0 is part of u, but not of v. */
static double driven_of(const cardan__contacts *c, const cardan_data *data, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    const cardan__feature *f = &c->gaps.feature[c->impacts.index[i]];
    sum -= f->kind == CARDAN__BOUND
               ? c->impacts.r[c->impacts.first[i]] * cardan__contact_drift(data, f)
               : 0;
  }
  return sum;
}

/* The law of impact in rounds, from u to c->impacts.after; *work of its impulses. */
static cardan_status strike_in_rounds(cardan_sim *sim, int count, double *work, cardan__impact *p)
{
  cardan__contacts *c = sim->contacts;
  double speed = 0;
  for (int i = 0; i < c->impacts.m; i++) {
    speed = fmax(speed, fabs(c->impacts.u[i]));
  }
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
      .enough = accepted * speed,
      .most = MOST_STRIKES,
      .iwork = c->impacts.iwork,
      .chosen = c->impacts.chosen,
      .work = c->impacts.work};
  memcpy(c->impacts.after, c->impacts.u, (size_t)c->impacts.m * sizeof *c->impacts.u);
  const bool good = cardan__impact_solve(p);
  *work = work_of(c);
  c->ledger.stats.solves += p->rounds;
  c->ledger.stats.sweeps += p->sweeps;
  c->ledger.stats.newtons += p->newtons;
  if (good) {
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

/* Work of impulses r; velocities after them to c->impacts.after. */
static double act(cardan__contacts *c, int count, const double *r)
{
  double sum = 0;
  cardan__contacts_change(c, count, 1, r, c->impacts.u, c->impacts.after);
  for (int i = 0; i < c->impacts.m; i++) {
    sum += 0.5 * r[i] * (c->impacts.u[i] + c->impacts.after[i]);
  }
  return sum;
}

/* r towards the impulses `all` by a part of the difference. */
static void move_towards(int m, const double *all, double part, double *r)
{
  for (int i = 0; i < m; i++) {
    r[i] += part * (all[i] - r[i]);
  }
}

/* With all of its restitution, whose impulses are in c->impacts.r, the impact would gain energy:
 * with the largest part of it that does not, between these impulses and those without any. Cones
 * and u_n >= 0 are convex, and energy is a parabola between them. */
static cardan_status lessen(cardan_sim *sim, int count, cardan__landing_outcome *out)
{
  cardan__contacts *c = sim->contacts;
  double *all = c->impacts.b, *r = c->impacts.r, none = 0;
  cardan__impact p;
  memcpy(all, r, (size_t)c->impacts.m * sizeof *all);
  memset(c->impacts.e, 0, (size_t)count * sizeof *c->impacts.e);
  const cardan_status status = strike_in_rounds(sim, count, &none, &p);
  if (status != CARDAN_OK) {
    return status;
  }
  move_towards(c->impacts.m, all, 0.5, r);
  const double s = find_part(out->lift, none, act(c, count, r), out->gain);
  move_towards(c->impacts.m, all, 2 * s - 1, r);
  out->gain = act(c, count, r);
  out->guarded = true;
  return CARDAN_OK;
}

/* The law of impact in rounds, where new contacts, from `own` on, approach. */
static cardan_status strike_new(cardan_sim *sim, int own, int count, double size,
                                cardan__landing_outcome *out)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = cardan__contacts_coupled(c, sim->model, data, c->impacts.index, count);
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
  if (status == CARDAN_OK && out->lift + out->gain > CARDAN__LANDING_GAINED * size) {
    status = lessen(sim, count, out);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  out->driven = driven_of(c, data, count);
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  cardan__contacts_add(c, c->impacts.index, count, c->impacts.r, data->v);
  cardan__contacts_note_slack(c, c->impacts.index, count);
  sim->stepper->method->join(sim->stepper, c->impacts.dp);
  c->trial.stale = true;
  return cardan__contacts_velocities(sim);
}

/* Supports from `kept` on leave the list. returns how many contacts stay */
static int drop_supports(cardan__contacts *c, int kept, int *own, int count)
{
  const size_t rest = (size_t)(count - *own);
  const int dropped = *own - kept;
  memmove(c->impacts.index + kept, c->impacts.index + *own, rest * sizeof *c->impacts.index);
  memmove(c->landing.approach + kept, c->landing.approach + *own,
          rest * sizeof *c->landing.approach);
  *own = kept;
  return count - dropped;
}

cardan_status cardan__landing_strike(cardan_sim *sim, double h, double *size,
                                     cardan__landing_outcome *out)
{
  cardan__contacts *c = sim->contacts;
  cardan_status status = CARDAN_OK;
  int own = 0;
  const double rubbed = c->ledger.stats.friction + c->ledger.dry;
  int count = list_node(sim, &own);
  for (int i = own; i < count; i++) {
    c->landing.approach[i] = find_approach(c, c->impacts.index[i], h);
  }
  out->fresh = count - own;
  if (own > 0) {
    status = cardan__contact_solve_node(sim, own, h);
    status = status == CARDAN_OK ? cardan__contact_join(sim, own, own) : status;
  }
  if (status == CARDAN_OK && c->landing.factor > 0) {
    out->lift = cardan__landing_energy(sim, size) - c->landing.before +
                (c->ledger.stats.friction + c->ledger.dry - rubbed - c->landing.rubbed);
    cardan__contacts_pose(sim->model, sim->data);
  }
  count = drop_supports(c, own - c->ndry, &own, count); // an impact takes no time
  if (status == CARDAN_OK && count > own) {
    const int kept = cardan__contacts_keep_struck(c, c->impacts.index, own, count,
                                                  0.5 * cardan__contacts_still(sim->data));
    count = drop_supports(c, kept, &own, count);
  }
  return status == CARDAN_OK && count > own ? strike_new(sim, own, count, *size, out) : status;
}
