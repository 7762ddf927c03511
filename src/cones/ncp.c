// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cones/ncp_inside.h"
#include "linalg/short_rows.h"

/* (N) by Gauss-Seidel over contacts, each solved exactly with the others as they are.
 *
 * The error of a contact, with rho_n = 1/G_nn and rho_g = 1/trace(G_gg), is the largest of
 *   |r_n - max(r_n - rho_n u_n, 0)| / rho_n,
 *   |r_g - clip(r_g - rho_g u_g, mu_g r_n)| / rho_g                                          (E1)
 * velocities, 0 exactly at solutions: |u_n| where it pushes, -u_n where it does not, |u_g| where it
 * sticks. Departure from the usual measure by the projection onto the whole cone: that one has no
 * closed form with several groups, and is 0 at the same r. */

enum { STEPS = 12, FEW = 6 };           // of Newton's method; from a start that is near
enum { PROXIMAL = 40 };                 // proximal steps at a time
static const double immovable = 1e-12;  // of the largest diagonal entry of its kind
static const double accepted = 1e4;     // of the error that is aimed at
static const double stalled = 100;      // of the same, where Newton's method comes no further
static const double rounded = 10;       // of what rounding leaves
static const double noise = 1e-2;       // of r, that comes from contradictions in b
static const double far = 1e-5;         // of speeds: an error of problems without a solution
static const double held = 0.5;         // of what crept: no more is to be left
static const double nearby = 1e-6;      // d of (S4) about an r from inside
static const double close_start = 1e-6; // of speeds: error of a start that is a solution nearby
static const double evened = 100;       // most that D changes by: it is not to drown a contact's G

size_t cardan__ncp_island_work(int m)
{
  return (2 * (size_t)m + 19) * (size_t)m;
}

int cardan__ncp_island_iwork(int n, int m)
{
  return n * ((n + 31) / 32) + n * (n + 1) + n * n / 2 + 14 * n + 3 + m;
}

static cardan__ncp_state cut(cardan__ncp *p)
{
  cardan__ncp_state s = {.p = p,
                         .friction_slack = p->friction_slack,
                         .stiff = 1,
                         .soft = CARDAN__NCP_SHARE,
                         .lost = HUGE_VAL};
  const size_t m = (size_t)p->m;
  double *w = p->work;
  int *k = p->iwork;
  double **const vectors[] = {&s.rho,     &s.mean, &s.norm, &s.x, &s.w,     &s.old, &s.y,
                              &s.clipped, &s.best, &s.part, &s.z, &s.scale, &s.kept};
  int **const lists[] = {&s.first,  &s.count, &s.face,   &s.order,   &s.place,
                         &s.sorted, &s.wide,  &s.packed, &s.patch_of};
  s.T = w;
  s.A = w + m * m;
  w += 2 * m * m;
  for (size_t j = 0; j < sizeof vectors / sizeof *vectors; j++, w += m) {
    *vectors[j] = w;
  }
  s.basis = w;
  for (size_t j = 0; j < sizeof lists / sizeof *lists; j++, k += p->n) {
    *lists[j] = k;
  }
  s.run = k;
  s.near_start = s.run + 2 * p->n;
  s.later_start = s.near_start + p->n + 1;
  s.patch = s.later_start + p->n + 1;
  s.pivot = s.patch + p->n + 1;
  s.near = s.pivot + m;
  s.later = s.near + p->n * (p->n + 1);
  s.fill = (unsigned *)s.later + p->n * p->n / 2;
  return s;
}

static const double *row_of(const cardan__ncp *p, int i)
{
  return p->G + (size_t)i * (size_t)p->m;
}

/* rho and D of rows first .. first + size - 1. */
static void scale(const cardan__ncp_state *s, int first, int size, double least)
{
  double trace = 0;
  for (int i = first; i < first + size; i++) {
    trace += row_of(s->p, i)[i];
  }
  for (int i = first; i < first + size; i++) {
    s->rho[i] = trace > least ? 1 / trace : 0;
    s->mean[i] = trace > least ? trace / size : 0;
  }
}

/* Are patches between the same two trees? */
static bool alike(const cardan__ncp_state *s, int i, int j)
{
  const int *a = s->p->tree[s->patch[i]], *b = s->p->tree[s->patch[j]];
  return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

/* D of the contacts, not boxes, with so many rows in patch i and those after it that are like it:
 * their mean. */
static void even_out(const cardan__ncp_state *s, int i, int rows)
{
  const cardan__ncp *p = s->p;
  double sum[CARDAN__CONE_ROWS] = {0};
  int count = 0;
  for (int pass = 0; pass < 2 && count != 1; pass++) {
    for (int j = i; j < s->npatch; j++) {
      const int end = alike(s, i, j) ? s->patch[j + 1] : 0;
      for (int c = s->patch[j]; c < end; c++) {
        double *own = s->mean + p->cone[c].row;
        const bool like = cardan__cone_rows(&p->cone[c]) == rows && !(p->cone[c].bound > 0);
        count += like && pass == 0;
        for (int k = 0; k < rows && like; k++) {
          sum[k] += pass == 0 ? own[k] : 0;
          own[k] =
              pass == 0 ? own[k] : fmin(fmax(sum[k] / count, own[k] / evened), own[k] * evened);
        }
      }
    }
  }
}

/* The same for all numbers of rows. */
static void even_out_all(const cardan__ncp_state *s, int i)
{
  unsigned done = 0; // numbers of rows
  for (int j = i; j < s->npatch; j++) {
    const int end = alike(s, i, j) ? s->patch[j + 1] : 0;
    for (int c = s->patch[j]; c < end; c++) {
      const cardan__cone *cone = &s->p->cone[c];
      const unsigned own = cone->bound > 0 ? 0 : 1U << cardan__cone_rows(cone);
      if ((own & ~done) != 0) {
        even_out(s, j, cardan__cone_rows(cone));
      }
      done |= own;
    }
  }
}

/* rho and D of all. Contacts between the same two trees get the same D, as if they were equally
 * stiff: four feet of a table carry what four equal springs would. */
static void scales(const cardan__ncp_state *s, double most)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    scale(s, c->row, 1, c->bound > 0 ? 0 : immovable * most);
    for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
      scale(s, t, c->size[g], 0);
    }
  }
  for (int i = 0; i < s->npatch && p->tree != NULL; i++) {
    int first = 0;
    while (!alike(s, first, i)) {
      first++;
    }
    if (first == i) {
      even_out_all(s, i);
    }
  }
}

void cardan__ncp_clip(const cardan__ncp_state *s, double *r)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    if (c->bound > 0) {
      const double size = fabs(r[c->row]);
      r[c->row] *= size > (1 + s->friction_slack) * c->bound ? c->bound / size : 1;
      continue;
    }
    r[c->row] = fmax(r[c->row], 0);
    for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
      const double length = cardan__ncp_length(c->size[g], r + t);
      const double limit = (1 - s->loss) * c->mu[g] * r[c->row];
      for (int k = 0; k < c->size[g] && length > (1 + s->friction_slack) * limit; k++) {
        r[t + k] *= limit / length;
      }
    }
  }
}

/* (E1) of a box: |r - clip(r - rho u, bound)| / rho */
static double box_error(double bound, double rho, double friction_slack, double r, double u)
{
  const double y = r - rho * u;
  if (!(rho > 0)) {
    return 0;
  }
  return fabs(y) <= (1 + friction_slack) * bound ? fabs(u) : fabs(r - copysign(bound, y)) / rho;
}

double cardan__cone_error(const cardan__cone *c, const double *rho, double friction_slack,
                          const double *r, const double *u)
{
  if (c->bound > 0) {
    return box_error(c->bound, rho[0], friction_slack, r[0], u[0]);
  }
  if (!(rho[0] > 0)) { // nothing moves it: r is 0
    return fmax(-u[0], 0);
  }
  double most = r[0] - rho[0] * u[0] > 0 ? fabs(u[0]) : r[0] / rho[0];
  for (int g = 0, t = 1; g < c->ngroup; t += c->size[g], g++) {
    const double f = rho[t], limit = c->mu[g] * r[0];
    double e[2] = {0, 0};
    for (int i = 0; i < c->size[g]; i++) {
      e[i] = r[t + i] - f * u[t + i];
    }
    const double y = cardan__ncp_length(c->size[g], e),
                 to = y > (1 + friction_slack) * limit ? limit / y : 1;
    for (int i = 0; i < c->size[g]; i++) {
      e[i] = to < 1 ? r[t + i] - to * e[i] : f * u[t + i];
    }
    most = fmax(most, f > 0 ? cardan__ncp_length(c->size[g], e) / f : 0);
  }
  return most;
}

/* The same of contact i, with the friction that is solved for. */
static double error_of(const cardan__ncp_state *s, int i, const double *r, const double *u)
{
  cardan__cone c = s->p->cone[i];
  for (int g = 0; g < c.ngroup; g++) {
    c.mu[g] *= 1 - s->loss;
  }
  return cardan__cone_error(&c, s->rho + c.row, s->friction_slack, r + c.row, u + c.row);
}

/* u += G r of contact i's rows. */
static void add(const cardan__ncp_state *s, int i, const double *r, double *u)
{
  const int patch = s->patch_of[i];
  const int own = s->p->cone[i].row - cardan__ncp_patch_row(s, patch);
  const double *T = s->T + s->packed[patch] + (size_t)own * (size_t)s->wide[patch];
  for (int k = s->near_start[patch]; k < s->near_start[patch + 1]; k++) {
    const int first = cardan__ncp_patch_row(s, s->near[2 * k]);
    const int n = cardan__ncp_patch_row(s, s->near[2 * k + 1]) - first;
    cardan__add_rows(cardan__cone_rows(&s->p->cone[i]), T, (size_t)s->wide[patch], r, n, u + first);
    T += n;
  }
}

void cardan__ncp_velocities(const cardan__ncp_state *s, const double *r, double *u)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->m; i++) {
    u[i] = p->b[i] + s->shift * s->mean[i] * r[i];
  }
  for (int i = 0; i < s->npatch; i++) {
    const int row = cardan__ncp_patch_row(s, i), rows = cardan__ncp_patch_row(s, i + 1) - row;
    for (int k = s->near_start[i]; k < s->near_start[i + 1]; k++) {
      const int first = cardan__ncp_patch_row(s, s->near[2 * k]);
      const int n = cardan__ncp_patch_row(s, s->near[2 * k + 1]) - first;
      cardan__add_products(rows, n, row_of(p, row) + first, (size_t)p->m, r + first, 1, u + row);
    }
  }
}

double cardan__ncp_measure(cardan__ncp_state *s, const double *r, double *u)
{
  cardan__ncp *p = s->p;
  double error = 0, size = 0;
  cardan__ncp_velocities(s, r, u);
  for (int i = 0; i < p->m; i++) {
    size = fmax(size, s->norm[i] * fabs(r[i]));
  }
  s->floor = 16 * DBL_EPSILON * size;
  for (int i = 0; i < p->n; i++) {
    const double e = error_of(s, i, r, u);
    if (!(e <= error)) {
      error = e;
      p->worst = i;
    }
  }
  return error;
}

/* Contact i alone, and what that does to p->u. */
static void relax(const cardan__ncp_state *s, int i)
{
  cardan__ncp *p = s->p;
  cardan__cone c = p->cone[i];
  const int rows = cardan__cone_rows(&c);
  double W[CARDAN__CONE_ROWS * CARDAN__CONE_ROWS] = {0}, b[CARDAN__CONE_ROWS] = {0};
  double old[CARDAN__CONE_ROWS] = {0};
  double *r = p->r + c.row;
  for (int g = 0; g < c.ngroup; g++) {
    c.mu[g] *= (1 - s->loss);
  }
  for (int k = 0; k < rows; k++) {
    const double *G = row_of(p, c.row + k) + c.row;
    b[k] = p->u[c.row + k];
    old[k] = r[k];
    for (int l = 0; l < rows; l++) {
      W[k * rows + l] = G[l] + (k == l ? s->shift * s->mean[c.row + k] : 0);
      b[k] -= W[k * rows + l] * r[l];
    }
  }
  cardan__cone_solve(&c, W, rows, b, r);
  for (int k = 0; k < rows; k++) {
    old[k] = r[k] - old[k];
    p->u[c.row + k] += s->shift * s->mean[c.row + k] * old[k];
  }
  add(s, i, old, p->u);
}

/* G transposed, by patches: before the first sweep. */
static void transpose(cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < s->npatch && !s->transposed; i++) {
    const int column = cardan__ncp_patch_row(s, i);
    const int columns = cardan__ncp_patch_row(s, i + 1) - column;
    double *T = s->T + s->packed[i];
    for (int k = s->near_start[i]; k < s->near_start[i + 1]; k++) {
      const int end = cardan__ncp_patch_row(s, s->near[2 * k + 1]);
      for (int row = cardan__ncp_patch_row(s, s->near[2 * k]); row < end; row++, T++) {
        for (int l = 0; l < columns; l++) {
          T[(size_t)l * (size_t)s->wide[i]] = row_of(p, row)[column + l];
        }
      }
    }
  }
  s->transposed = true;
}

void cardan__ncp_sweeps(cardan__ncp_state *s, int count)
{
  cardan__ncp *p = s->p;
  transpose(s);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < p->n; i++) {
      if (s->rho[p->cone[i].row] > 0) {
        relax(s, i);
      }
    }
  }
  p->sweeps += count;
  p->error = cardan__ncp_measure(s, p->r, p->u);
}

static bool is_within_tolerance(const cardan__ncp_state *s)
{
  return s->p->error <= fmax(s->p->tol, s->floor);
}

/* Error that is acceptable if Newton's method makes no more progress: the precision of b. */
static double acceptable_error(const cardan__ncp_state *s)
{
  return fmax(fmax(stalled * s->p->tol, s->p->stalled_tol), s->floor);
}

/* Returns whether r is accurate enough. late: the precision of b suffices, after the fast
 * methods */
static bool is_solved(const cardan__ncp_state *s, bool late)
{
  return is_within_tolerance(s) || ((late || s->stalled) && s->p->error <= acceptable_error(s));
}

/* Stores r if its error is the smallest so far. */
static void store_if_best(cardan__ncp_state *s, const double *r, double error)
{
  if (error < s->lost) {
    s->lost = error;
    memcpy(s->kept, r, (size_t)s->p->m * sizeof *r);
  }
}

/* Takes the r of a method if that is much better, or good enough. */
static void take_best(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  store_if_best(s, s->best, s->least);
  if (s->least <= acceptable_error(s) || !(s->least >= 0.1 * p->error)) {
    memcpy(p->r, s->best, (size_t)p->m * sizeof *p->r);
  }
  p->error = cardan__ncp_measure(s, p->r, p->u);
}

static void run_newton(cardan__ncp_state *s, int most, bool damped)
{
  cardan__ncp_newton(s, most, s->p->tol, damped);
  take_best(s);
}

/* Proximal steps, and a few from there to the r of least size. returns whether that is all: solved,
 * or an error that the caller accepts and that no step lessens */
static bool run_proximal(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  cardan__ncp_proximal(s, PROXIMAL, p->tol);
  const bool ends = s->stalled;
  take_best(s);
  if (is_within_tolerance(s) && !p->uneven) {
    cardan__ncp_newton(s, FEW, p->tol, false);
    if (s->least <= fmax(p->tol, s->floor)) {
      take_best(s);
    }
    p->error = cardan__ncp_measure(s, p->r, p->u);
  }
  return ends || is_solved(s, true);
}

/* Newton's method with larger d of (S3), less and less: for the r of least size and least
 * contradiction, where b contradicts itself by no more than it is worth; and as a short path. */
static void soften(cardan__ncp_state *s, int most)
{
  const double d[] = {1e-2, 1e-4, 1e-6};
  for (int k = 0; k < 3 && !is_solved(s, true); k++) {
    s->soft = d[k];
    run_newton(s, most, false);
  }
  s->soft = CARDAN__NCP_SHARE;
}

/* If b contradicts itself by e, r contains e/(d D): increases the regularisation d if that is
 * significant. */
static void raise_regularisation(cardan__ncp_state *s)
{
  const double size = s->floor / (16 * DBL_EPSILON); // |G| |r|
  if (s->stalled && !is_within_tolerance(s) && s->p->error > noise * s->soft * size) {
    s->soft = 1e-6;
    run_newton(s, FEW, false);
    s->soft = CARDAN__NCP_SHARE;
  }
}

/* Did the error not come down to half of what it was `before`, where that is all that is wanted, or
 * all was tried once and the error is far from small? */
static bool is_stuck(const cardan__ncp_state *s, double before, bool tried)
{
  const bool enough = s->lost <= s->p->caller_tol || (tried && s->lost > far * s->speed);
  return enough && s->lost > 0.5 * before;
}

/* Restores the best r so far. */
static void restore_best(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  if (!(s->lost >= p->error)) { // sweeps that diverge end in numbers that are none
    memcpy(p->r, s->kept, (size_t)p->m * sizeof *p->r);
    p->error = cardan__ncp_measure(s, p->r, p->u);
  }
}

/* From inside the cones, and Newton's method from there: to the answer that is near, or to the
 * least. */
static void from_inside(cardan__ncp_state *s, int most)
{
  cardan__ncp *p = s->p;
  cardan__ncp_inner(s, 0.1 * acceptable_error(s));
  store_if_best(s, s->best, s->least);
  memcpy(p->r, s->best, (size_t)p->m * sizeof *p->r);
  p->error = cardan__ncp_measure(s, p->r, p->u);
  for (int k = 0; k < 2 && !is_solved(s, true); k++) {
    s->close = k == 0;
    s->soft = nearby;
    run_newton(s, most, false);
  }
  s->close = false;
  s->soft = CARDAN__NCP_SHARE;
}

/* What is tried, one after the other until the error is what is aimed at, or will do. */
static void solve(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  const int batch[] = {5, 20, 60, 200, 400, 400, 400, 400};
  const int easy = s->many ? 3 : 1; // batches before the paths, which cost more
  const int steps = STEPS + p->n / 16;
  const int soon = p->stalled_tol > 0 ? 0 : s->many ? 2 : 1;
  const bool brief = p->cheap_only || p->no_homotopy;
  const bool heap = p->n >= CARDAN__NCP_HEAP;
  const bool proximal = heap && (p->uneven || p->newtons > 0); // at once: Newton's method failed
  bool inside = false, ends = false;
  double before = HUGE_VAL;
  for (int k = 0; !ends && k < (brief ? 2 : 8) && !is_solved(s, inside || k > 1); k++) {
    cardan__ncp_sweeps(s, batch[k]);
    store_if_best(s, p->r, p->error);
    s->stiff = k % 3 == 2 ? 100 : 1; // see ncp_path.c
    if ((p->n > 1 || !is_within_tolerance(s)) && !(k == 0 && proximal)) {
      run_newton(s, steps, false);
    }
    if (heap && !is_solved(s, true)) {
      ends = run_proximal(s);
    } else if (k == (p->stalled_tol > 0 ? 0 : easy) && !is_solved(s, true)) {
      soften(s, steps);
    }
    if (!is_solved(s, true) && s->lost <= acceptable_error(s)) {
      restore_best(s);
    }
    if (!ends && !inside && k >= soon && !p->cheap_only && !is_solved(s, true)) {
      inside = true;
      from_inside(s, steps);
    }
    if (k > 0 && !heap && !is_solved(s, true)) {
      run_newton(s, steps, true);
    }
    if (k > 0 && is_stuck(s, before, k > easy + 1)) {
      break;
    }
    before = s->lost;
    for (int path = 0; path < 2 && k == easy && !brief && !is_solved(s, true); path++) {
      p->fallback = true;
      cardan__ncp_follow(s, path == 0 ? &s->shift : &s->loss, p->tol);
      store_if_best(s, p->r, p->error);
    }
  }
  if (!is_solved(s, true)) {
    restore_best(s);
  }
}

/* Largest speed of contacts that slide, but would stick with friction_slack more friction [m/s]. */
static double creep(const cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  const double friction_slack = p->friction_slack;
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    if (c->bound > 0) {
      const double u = fabs(p->u[c->row]);
      const bool full = fabs(p->r[c->row]) > (1 - friction_slack) * c->bound;
      most = full && s->rho[c->row] * u <= friction_slack * c->bound ? fmax(most, u) : most;
    }
    for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
      const double limit = c->mu[g] * p->r[c->row], u = cardan__ncp_length(c->size[g], p->u + t);
      const bool full = cardan__ncp_length(c->size[g], p->r + t) > (1 - friction_slack) * limit;
      most = full && s->rho[t] * u <= friction_slack * limit ? fmax(most, u) : most;
    }
  }
  return most;
}

/* A last step of Newton's method. Where contacts are about to slide, the minimum-norm r has
 * contacts on their bounds that do not move; a solution of finite error lets them slide, in every
 * step in the same direction. These are made to stick, beyond their bounds by less than
 * friction_slack. A solution without a warm start is refined to rounding. */
static void finish(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  const double crept = creep(s);
  const bool edge = crept > s->floor, cold = p->sweeps > 0 && p->error > s->floor;
  if (!(p->friction_slack > 0) || p->n < 2 || !is_solved(s, true) || (!edge && !cold)) {
    return;
  }
  s->friction_slack = edge ? p->friction_slack : 0;
  cardan__ncp_finish(s);
  if (s->least <= held * (edge ? crept : p->error)) {
    memcpy(p->r, s->best, (size_t)p->m * sizeof *p->r);
  } else {
    s->friction_slack = 0;
  }
  p->error = cardan__ncp_measure(s, p->r, p->u);
}

/* From here on bounds are what they are. */
static void within(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  if (s->friction_slack > 0) {
    s->friction_slack = 0;
    cardan__ncp_clip(s, p->r);
    p->error = cardan__ncp_measure(s, p->r, p->u);
  }
}

/* From an r that is not 0: it may be what it was, to rounding, or near. One contact is solved
 * exactly in any case: what rests is to rest. */
static void solve_near(cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  bool warm = false;
  for (int i = 0; i < p->n && p->n > 1; i++) {
    warm = warm || p->r[p->cone[i].row] != 0;
  }
  p->error = cardan__ncp_measure(s, p->r, p->u); // as finish() may have left it
  if (warm && p->error > s->floor && !(p->keeps_start && p->error <= p->tol)) {
    within(s);
    const bool moves =
        p->stalled_tol > 0 && !(p->friction_slack > 0) && p->error <= close_start * s->speed;
    if (moves) { // b may contradict itself by more than this error: its sharing stays
      s->close = true;
      s->soft = nearby;
      run_newton(s, FEW, false);
      s->close = false;
      s->soft = CARDAN__NCP_SHARE;
    }
    if (!moves || !is_solved(s, true)) {
      run_newton(s, FEW, false);
    }
  } else if (!warm && p->error > 0) {
    within(s);
    p->error = HUGE_VAL; // sweeps first, whatever will do
  }
}

/* Largest entries of n columns, with this row of G; what is 0, or not finite. */
static double look_at(int n, const double *restrict G, double *restrict norm)
{
  double sum = 0;
  cardan__four sums = {0};
  int k = 0;
  for (int j = 0; j < n; j++) {
    const double size = fabs(G[j]);
    norm[j] = size > norm[j] ? size : norm[j];
  }
  for (; k + 4 <= n; k += 4) {
    sums += 0 * CARDAN__FOUR_AT(G + k);
  }
  for (; k < n; k++) {
    sum += 0 * G[k];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) + sum;
}

/* rho, D, sizes; false: a number is not finite. */
static bool prepare(cardan__ncp_state *s, double most)
{
  const cardan__ncp *p = s->p;
  const bool finite = cardan__ncp_finite((size_t)p->m, p->b);
  cardan__ncp_graph(s);
  memset(s->face, 0, (size_t)p->n * sizeof *s->face);
  for (int i = 0; i < p->m; i++) {
    s->speed = fmax(s->speed, fabs(p->b[i]));
    s->norm[i] = 0;
  }
  double sum = 0;
  for (int i = 0; i < s->npatch; i++) {
    const int end = cardan__ncp_patch_row(s, i + 1);
    for (int row = cardan__ncp_patch_row(s, i); row < end; row++) {
      for (int k = s->near_start[i]; k < s->near_start[i + 1]; k++) {
        const int first = cardan__ncp_patch_row(s, s->near[2 * k]);
        const int to = cardan__ncp_patch_row(s, s->near[2 * k + 1]);
        sum += look_at(to - first, row_of(p, row) + first, s->norm + first);
      }
    }
  }
  scales(s, most);
  return finite && sum == 0;
}

/* Starts from r, as far as it is a start; what nothing moves has none. */
static void start(const cardan__ncp_state *s)
{
  cardan__ncp *p = s->p;
  if (!cardan__ncp_finite((size_t)p->m, p->r)) {
    memset(p->r, 0, (size_t)p->m * sizeof *p->r);
  }
  for (int i = 0; i < p->n; i++) {
    if (!(s->rho[p->cone[i].row] > 0)) {
      memset(p->r + p->cone[i].row, 0, (size_t)cardan__cone_rows(&p->cone[i]) * sizeof *p->r);
    }
  }
  cardan__ncp_clip(s, p->r);
}

bool cardan__ncp_solve_island(cardan__ncp *p, double most)
{
  cardan__ncp_state s = cut(p);
  const size_t m = (size_t)p->m;
  p->sweeps = p->newtons = p->worst = 0;
  p->error = HUGE_VAL;
  p->fallback = false;
  if (!prepare(&s, most)) {
    memset(p->r, 0, m * sizeof *p->r);
    memcpy(p->u, p->b, m * sizeof *p->u);
    return false;
  }
  start(&s);
  solve_near(&s);
  solve(&s);
  raise_regularisation(&s);
  finish(&s);
  return p->error <= fmax(accepted * p->tol, rounded * s.floor);
}

bool cardan__cone_slides(const cardan__cone *c, int g, const double *r, const double *u,
                         double still)
{
  int t = c->row + 1;
  for (int k = 0; k < g; k++) {
    t += c->size[k];
  }
  return r[c->row] > 0 && cardan__ncp_length(c->size[g], u + t) > still &&
         cardan__ncp_length(c->size[g], r + t) >= (1 - 1e-9) * c->mu[g] * r[c->row];
}
