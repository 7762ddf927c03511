// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "analysis/statics.h"
#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "contact/touch.h"
#include "kinematics/closing_angle.h"

/* An equilibrium, by steps that lower the energy along the constraints; docs/statics.md.
 *
 *   E(q + y) = E(q) + g . y + y . H y / 2 + ..,   |y| <= reach                            (E1)
 *   reach grows where (E1) foretells the fall of E well, shrinks where it does not
 *   forces without a potential: E falls by their work too, (Q(q) + Q(q + y)) / 2 . dq     (E2)
 * Every place satisfies the rows; one-sided rows hold from where they are met until they would have
 * to pull. Where no force is left and a direction is unstable, the search continues along it, but
 * for the start itself. Near the end E falls by less than its rounding: then the forces left
 * decide. */

static const double metric_of_steps = 1e-2; // eps of (R1)
static const double farthest = 1e6;         // runs away, of the size
static const double energy_digits = 1e-13;

typedef struct {
  cardan__statics_point *rest;
  const cardan_statics_options *options;
  double tol, reach, way;
  int iterations, most;
  bool moved;
  cardan_report *report;
} search;

/* What E is a sum of, for its rounding. */
static double energy_size(const cardan__statics_point *s)
{
  return fabs(s->energy) + s->scale * s->size;
}

/* The velocity that moves most in dq, lengths relative to the size. */
static int most_moved(const cardan__statics_point *s, const double *dq)
{
  double largest = -1;
  int at = 0;
  for (int i = 0; i < s->model->nv; i++) {
    const double x = fabs(dq[i]) * (s->u2[i] == 1.0 ? 1.0 / s->size : 1.0);
    if (x > largest) {
      largest = x;
      at = i;
    }
  }
  return at;
}

static cardan_status runs_away(const search *f)
{
  const cardan__statics_point *s = f->rest;
  cardan_q_difference(s->model, s->q, s->data->q, s->dq); // the last step
  const int at = most_moved(s, s->dq);
  return cardan_fail(f->report, CARDAN_ERR_NO_ROOT, (cardan_pos){0, 0},
                     "no equilibrium: it runs away along \"%.60s\", towards %s values; %.3g m on "
                     "%.3g N are still not balanced. %s",
                     s->model->v_name[at], s->dq[at] < 0 ? "smaller" : "larger", f->way, s->left,
                     s->model->npair > 0 ? "Contact of shapes is not taken: use stops, or `run`"
                                         : "Something has to hold it");
}

static cardan_status not_found(const search *f)
{
  const cardan__statics_point *s = f->rest;
  double largest = -1;
  int at = 0;
  for (int i = 0; i < s->m; i++) {
    if (fabs(s->g[i]) > largest) {
      largest = fabs(s->g[i]);
      at = i;
    }
  }
  memset(s->dq, 0, (size_t)s->model->nv * sizeof *s->dq);
  for (int j = 0; j < s->n && s->m > 0; j++) {
    s->dq[s->dof[j]] = s->P[(size_t)at * (size_t)s->n + (size_t)j];
  }
  return cardan_fail(
      f->report, CARDAN_ERR_NO_CONVERGENCE, (cardan_pos){0, 0},
      "no equilibrium found in %d iterations: %.3g N of %.3g N are not balanced, most "
      "of it on \"%.60s\"; another start (option init) may lead to one",
      f->iterations, s->left, s->scale, s->model->v_name[most_moved(s, s->dq)]);
}

/* Evaluates forces, their weights and derivatives at data's q. */
static cardan_status evaluate_point(search *f)
{
  cardan__statics_point *s = f->rest;
  cardan__statics_point_look(s);
  if (!cardan__statics_point_weigh(s, metric_of_steps)) {
    return cardan_fail(f->report, CARDAN_ERR_NOT_FINITE, (cardan_pos){0, 0},
                       "a force is not finite at the start");
  }
  const cardan_status status = cardan__statics_point_slope(s);
  return status == CARDAN_OK
             ? status
             : cardan_fail(f->report, status, (cardan_pos){0, 0}, "%s",
                           status == CARDAN_ERR_MEMORY ? "out of memory" : s->data->info.message);
}

/* One-sided rows that pull are let go, the one that pulls most; false: none does. */
static bool let_go(search *f)
{
  cardan__statics_point *s = f->rest;
  double worst = -f->tol * s->scale;
  int at = -1;
  for (int i = 0; i < s->nactive; i++) {
    const int row = s->model->nrow + i;
    const double push = s->lambda[row] / s->weight[row];
    if (push < worst) {
      worst = push;
      at = i;
    }
  }
  if (at < 0) {
    return false;
  }
  s->active[at] = s->active[--s->nactive];
  s->k--;
  return true;
}

/* (E2) */
static double work_done(cardan__statics_point *s)
{
  double sum = 0;
  if (s->driven) {
    cardan_q_difference(s->model, s->q, s->data->q, s->dq);
    for (int i = 0; i < s->model->nv; i++) {
      sum += 0.5 * (s->Q_before[i] + s->Q[i]) * s->dq[i];
    }
  }
  return sum;
}

/* One-sided rows from place `from` of the active ones on that touch here stay, the others go. */
static void keep_touching(cardan__statics_point *s, int from, int n)
{
  s->nactive = from;
  for (int i = from; i < n; i++) {
    if (fabs(s->gap[s->active[i]]) <= 1e-9 * (1 + s->size)) {
      s->active[s->nactive++] = s->active[i];
    }
  }
  s->k = s->model->nrow + s->nactive;
}

/* Back to where the step began. Of what was met on the way, which stands behind the first nactive,
 * that which touches already stays: a step cannot fall through it. */
static cardan_status go_back(search *f, int nactive)
{
  cardan__statics_point *s = f->rest;
  const int met = s->nactive;
  memcpy(s->data->q, s->q, (size_t)s->model->nq * sizeof *s->q);
  s->nactive = nactive;
  s->k = s->model->nrow + nactive;
  cardan__statics_point_look(s);
  keep_touching(s, nactive, met);
  if (!cardan__statics_point_weigh(s, metric_of_steps)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  return s->nactive > nactive ? cardan__statics_point_slope(s) : CARDAN_OK;
}

/* Does the energy fall without end along the directions that nothing stiffens, as of what falls or
 * is spun? Then a long way along the force there it has fallen as foretold, and all rows hold. */
static bool falls_without_end(search *f)
{
  cardan__statics_point *s = f->rest;
  const double energy = s->energy, way = farthest * s->size;
  double along = 0;
  memset(s->y, 0, (size_t)s->m * sizeof *s->y);
  for (int i = 0; i < s->m && !s->skew; i++) {
    const double *v = s->V + (size_t)i * (size_t)s->m;
    double c = 0;
    for (int j = 0; j < s->m && fabs(s->h[i]) <= s->neutral; j++) {
      c += v[j] * s->g[j];
    }
    for (int j = 0; j < s->m; j++) {
      s->y[j] -= c * v[j];
    }
    along += c * c;
  }
  along = sqrt(along);
  if (!(along > 1e-3 * s->net) || along <= f->tol * s->scale) {
    return false;
  }
  cardan__statics_point_along(s, way / along);
  memcpy(s->q, s->data->q, (size_t)s->model->nq * sizeof *s->q);
  memcpy(s->Q_before, s->Q, (size_t)s->model->nv * sizeof *s->Q);
  cardan_q_move(s->model, s->q, s->dq, 1.0, s->data->q);
  cardan__statics_point_look(s);
  double open = 0;
  for (int r = 0; r < s->k; r++) {
    open = fmax(open, fabs(s->phi[r]));
  }
  for (int i = 0; i < s->nside; i++) {
    open = fmax(open, -s->gap[i]);
  }
  const double fallen = energy - s->energy + work_done(s);
  if (s->model->nvelocity_row > 0) {
    memcpy(s->q_end, s->data->q, (size_t)s->model->nq * sizeof *s->q_end);
    cardan__statics_point_slip(s, s->q, s->dq, s->phi);
    for (int r = 0; r < s->model->nrow; r++) {
      open = fmax(open, fabs(s->phi[r]));
    }
    memcpy(s->data->q, s->q_end, (size_t)s->model->nq * sizeof *s->q_end);
    cardan__statics_point_look(s);
  }
  const bool endless = fallen > 0.9 * along * way && open <= 1e-12 * way;
  if (!endless) {
    memcpy(s->data->q, s->q, (size_t)s->model->nq * sizeof *s->q);
    cardan__statics_point_look(s);
  } else {
    f->way += way;
  }
  return endless;
}

/* One step; *moved: it was taken. */
static cardan_status step(search *f, bool *moved)
{
  cardan__statics_point *s = f->rest;
  const double energy = s->energy, left = s->left, size = energy_size(s);
  const int nactive = s->nactive;
  bool whole;
  const double fall = cardan__statics_point_step(s, f->reach, f->tol * s->scale, &whole);
  double length = 0;
  for (int i = 0; i < s->m; i++) {
    length += s->y[i] * s->y[i];
  }
  length = sqrt(length);
  memcpy(s->q, s->data->q, (size_t)s->model->nq * sizeof *s->q);
  memcpy(s->Q_before, s->Q, (size_t)s->model->nv * sizeof *s->Q);
  *moved = cardan__statics_point_move(s, s->dq, 2 * f->reach + 1e-6 * s->size) &&
           cardan__statics_point_weigh(s, metric_of_steps);
  if (*moved) {
    const double fallen = energy - s->energy + work_done(s);
    const bool rounding = fall <= 1e2 * energy_digits * size;
    const bool fewer = s->left < (s->nactive == nactive ? 0.9 : 1.1) * left;
    const double part = rounding ? (fewer ? 1.0 : 0.0) : fallen / fall;
    *moved = part > 1e-4 || (s->skew && whole && fewer);
    f->reach = part < 0.25   ? 0.25 * length
               : part > 0.75 ? fmax(f->reach, fmin(2 * f->reach, 2 * length + 1e-3 * f->reach))
                             : f->reach;
  } else {
    f->reach = 0.25 * fmin(f->reach, length);
  }
  if (!*moved) {
    return go_back(f, nactive);
  }
  cardan__closing_angle_follow(s->model, s->data, s->q);
  f->way += length;
  f->moved = f->moved || length > 1e-9 * s->size;
  return cardan__statics_point_slope(s);
}

/* Newton's steps while the forces left halve: to rounding. */
static cardan_status polish(search *f)
{
  cardan__statics_point *s = f->rest;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 5 && status == CARDAN_OK && s->left > 0; i++) {
    const double left = s->left;
    const int nactive = s->nactive;
    memcpy(s->q, s->data->q, (size_t)s->model->nq * sizeof *s->q);
    if (!cardan__statics_point_newton(s)) {
      break;
    }
    const bool better = cardan__statics_point_move(s, s->dq, s->size) && s->nactive == nactive &&
                        cardan__statics_point_weigh(s, metric_of_steps) && s->left < 0.5 * left;
    if (!better) {
      return go_back(f, nactive);
    }
    f->iterations++;
    status = cardan__statics_point_slope(s);
  }
  return status;
}

/* Is the place one to leave? */
static bool unstable(const search *f)
{
  const cardan__statics_point *s = f->rest;
  return !s->skew && s->m > 0 && s->h[0] < -1e2 * s->neutral &&
         (f->moved || f->options->leave_unstable);
}

/* A start beyond a limit or bound goes to it. */
static cardan_status begin(search *f)
{
  cardan__statics_point *s = f->rest;
  cardan_status status = evaluate_point(f);
  bool beyond = false;
  for (int i = 0; i < s->nside; i++) {
    beyond = beyond || s->gap[i] < -1e-9 * (1 + s->size);
    s->active[i] = i;
  }
  if (status != CARDAN_OK || !beyond) {
    keep_touching(s, 0, s->nside);
    return status == CARDAN_OK && s->nactive > 0 ? evaluate_point(f) : status;
  }
  memset(s->dq, 0, (size_t)s->model->nv * sizeof *s->dq);
  if (!cardan__statics_point_move(s, s->dq, 1e3 * s->size)) {
    return cardan_fail(
        f->report, CARDAN_ERR_NO_CONVERGENCE, (cardan_pos){0, 0},
        "the start is beyond a limit, stop, rope or inequality, and no place near it "
        "is within all of them");
  }
  f->moved = true;
  return evaluate_point(f);
}

static cardan_status run(search *f)
{
  cardan__statics_point *s = f->rest;
  f->reach = 0.1 * s->size;
  cardan_status status = begin(f);
  while (status == CARDAN_OK) {
    if (cardan__statics_point_balanced(s, f->tol)) {
      if (let_go(f)) {
        f->iterations++;
        status = f->iterations < f->most ? evaluate_point(f) : not_found(f);
        continue;
      }
      if (!unstable(f)) {
        return polish(f);
      }
      f->reach = fmax(f->reach, 1e-3 * s->size);
    }
    if (f->iterations % 8 == 0 && falls_without_end(f)) {
      return runs_away(f);
    }
    bool moved = false;
    status = step(f, &moved);
    f->iterations++;
    if (status != CARDAN_OK) {
      break;
    }
    if (f->way > farthest * s->size) {
      return runs_away(f);
    }
    if (f->iterations >= f->most || f->reach < 1e-15 * s->size) {
      return f->way > 1e3 * s->size ? runs_away(f) : not_found(f);
    }
  }
  return status != CARDAN_ERR_NOT_FINITE
             ? status
             : cardan_fail(f->report, status, (cardan_pos){0, 0}, "a force is not finite");
}

cardan_status cardan__statics_search(cardan__statics_point *rest,
                                     const cardan_statics_options *options, int *iterations,
                                     bool *moved, cardan_report *report)
{
  search f = {.rest = rest, .options = options, .report = report};
  f.tol = options->tol > 0 ? options->tol : 1e-9;
  f.most = options->iterations > 0 ? options->iterations : 1000;
  cardan__statics_point_free(rest);
  const cardan_status status = run(&f);
  *iterations += f.iterations;
  *moved = *moved || f.moved;
  return status;
}

/* Contact is not in the balance: a place where shapes touch is none. */
cardan_status cardan__statics_apart(const cardan__statics_point *s, cardan_report *report)
{
  const cardan_model *model = s->model;
  for (int i = 0; i < model->npair; i++) {
    const cardan_pair *pair = &model->pair[i];
    const double gap = cardan__pair_gap(model, i, s->data->X_W, NULL);
    if (gap <= 1e-9 * s->size) {
      return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                         "\"%.60s\" and \"%.60s\" touch there (gap %.3g m), and statics does not "
                         "take the contact of shapes: `run` with damping settles on it",
                         model->solid[pair->solid[0]].name, model->solid[pair->solid[1]].name, gap);
    }
  }
  return CARDAN_OK;
}
