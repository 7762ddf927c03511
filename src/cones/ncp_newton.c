// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cones/ncp_inside.h"
#include "linalg/linalg.h"

/* (N) by semi-smooth Newton's method on the complementarity functions of (E1), ncp.c:
 *   open    r_n - rho_n u_n <= 0:   r = 0
 *   closed  else:                   u_n = 0, and for each group with y = r_g - rho_g u_g:
 *     stick   |y| <= mu_g r_n:      u_g = 0
 *     slide   else, E = y/|y|:      r_g = mu_g r_n E                                         (S1)
 * and a box with y = r - rho u:
 *   stick   |y| <= bound:  u = 0;   slide   else:  r = bound y/|y|
 * The first three are linear. With k = mu_g r_n / |y| and P across E the last one's derivative is
 *   E . dr_g = mu_g dr_n + ..,   (1 - k) P . dr_g + k rho_g P . G_g dr = ..                  (S2)
 * So a step has few unknowns: those of r = R z, where a closed contact has
 *   z_n   column e_n + sum over sliding groups of mu_g E_g,      row u_n = 0
 *   z_g   columns e_g of a group that sticks,                    rows u_g = 0
 *   z_P   column P of a group of two rows that slides,           row (S2)
 * The rows are linear in r, not only in its change: from any r of that form one solve gives the
 * same answer, and solving again with the residual of the rows removes its rounding.
 *
 * Least impulses. G is singular where contacts are redundant. (S1) is solved with
 *   u = (G + d D) r + b,   d = 1e-8                                                          (S3)
 * whose r is unique and, to d, the shortest in the metric of D: equal contacts share evenly. A b
 * that contradicts itself by b_0 adds b_0/(d D) to r: ncp.c takes a larger d where that is much.
 * The creep that d leaves goes by proximal steps
 *   u = G r + b + d D (r - r_before)                                                         (S4)
 * with the matrix that is factored already: each leaves d/(d + l) of the error in a direction in
 * which G is l D, and all of it where l is 0: what b has there contradicts itself, and stays. Where
 * the faces stay and the error falls slowly (masses of 1 : 10^8) d is made less; where it does not
 * fall at all, no r with these faces is better (s->stalled). Departure from the note, which takes
 * least-norm steps by an orthogonal factorisation: this is one LU, by loops of our own if small.
 *
 * Many contacts. With d = 1e-8 a step whose faces are not yet right is as large as b over 1e-8 of
 * the least mobile directions allows, and in a heap of a hundred contacts faces of such a step are
 * chosen by it: the error neither falls nor do faces settle. So a heap is solved by (S4) alone,
 *   d = 3e-3, less by a factor 5 after a step that halves the error, more after one that does not
 * a proximal-point method whose d follows the error as in Levenberg's and Marquardt's: a step away
 * from r costs d |D|, whatever G is. Ten to twenty steps from any start, where the steps above
 * needed more than a hundred or did not end. */

enum { STICK, SLIDE };
enum { LD = CARDAN__CONE_ROWS, REFINE = 8, HALVINGS = 6, LATE = 5, WAIT = 3, LONGEST = 60 };
enum { IDLE = 3, LONG_IDLE = 8 };   // proximal steps that do not lessen the error
static const double near = 100;     // of what (S3) leaves: an error from which on (S4) is tried
static const double fall = 0.5;     // what a step of (S4) has to leave of it at most
static const double even = 0.1;     // of rounding: what errors differ by that are the same
static const double stays = 0.95;   // of an error: it does not fall
static const double steadily = 0.8; // of an error: it falls, if slowly; steps are not counted
static const double slow = 0.1;     // of an error: it falls, and d should be less
static const double prox_first = 3e-3, prox_most = 1e-2, prox_least = 1e-8; // d of a heap
static const double prox_factor = 5;                                        // of its changes
static const double near_enough = 0.1; // of the error that the caller accepts
static const double firm = 5e-2; // d of a last step: what b contradicts itself by is not to show
static const double finer = 1e-3, finest = 1e-11; // what d is made less by; no less than that

/* Group g at row t: sticks or slides; its columns of the basis, from column `column` on, and a bit
 * of its contact's face. returns the next column */
static int group(cardan__ncp_state *s, const cardan__cone *c, int g, int t, int column, int *face)
{
  const int size = c->size[g];
  double y[2] = {0, 0}, *R = s->basis + (size_t)LD * (size_t)t;
  for (int i = 0; i < size; i++) {
    y[i] = s->x[t + i] - s->stiff * s->rho[t] * s->w[t + i];
  }
  const double length = cardan__ncp_length(size, y),
               limit = (1 - s->loss) * c->mu[g] * s->x[c->row];
  if (length <= (1 + s->friction_slack) * limit && s->rho[t] > 0) {
    for (int i = 0; i < size; i++) {
      R[i * LD + column + i] = 1;
      s->part[c->row + column + i] = 1;
    }
    *face |= 2 << g;
    return column + size;
  }
  const double f = length > 0 && s->rho[t] > 0 ? 1 / length : 0;
  for (int i = 0; i < size; i++) {
    R[i * LD] = (1 - s->loss) * c->mu[g] * f * y[i];
  }
  if (size < 2 || !(limit * f > 0)) {
    return column;
  }
  s->curved = true;
  R[column] = -f * y[1];
  R[LD + column] = f * y[0];
  s->part[c->row + column] = limit * f;
  return column + 1;
}

/* Box i at s->x: an unknown where it sticks, else s->part is its impulse. returns its face */
static int box(cardan__ncp_state *s, int i)
{
  const cardan__cone *c = &s->p->cone[i];
  const double rho = s->rho[c->row], y = s->x[c->row] - s->stiff * rho * s->w[c->row];
  const bool sticks = rho > 0 && fabs(y) <= (1 + s->friction_slack) * c->bound;
  s->basis[(size_t)LD * (size_t)c->row] = sticks;
  s->part[c->row] = sticks ? 1 : rho > 0 ? copysign(c->bound, y) : 0;
  s->count[i] = sticks;
  return sticks ? 1 : y > 0 ? 2 : 0;
}

/* Faces and bases of all contacts at s->x with velocities s->w; how many unknowns there are.
 * changed  out: is one of them another than before? */
static int faces(cardan__ncp_state *s, bool *changed)
{
  const cardan__ncp *p = s->p;
  int count = 0;
  s->curved = *changed = false;
  memset(s->basis, 0, (size_t)LD * (size_t)p->m * sizeof *s->basis);
  for (int k = 0; k < p->n; k++) {
    const int i = s->order[k];
    const cardan__cone *c = &p->cone[i];
    const double rho = s->rho[c->row];
    int face = 0; // open; bit 0: closed, bit 1 + g: group g sticks
    s->first[i] = count;
    s->count[i] = 0;
    if (c->bound > 0) {
      face = box(s, i);
      count += s->count[i];
    } else if (rho > 0 && s->x[c->row] - s->stiff * rho * s->w[c->row] > 0) {
      int column = 1;
      face = 1;
      s->basis[(size_t)LD * (size_t)c->row] = 1;
      s->part[c->row] = 1;
      for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
        column = group(s, c, g, t, column, &face);
      }
      s->count[i] = column;
      count += column;
    }
    *changed = *changed || face != s->face[i];
    s->face[i] = face;
  }
  return count;
}

/* x += R z. Where all of a contact's groups stick R is 1. */
static void add(const cardan__ncp_state *s, const double *z, double *x)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    const int rows = cardan__cone_rows(c), count = s->count[i];
    for (int k = 0; k < rows && count == rows; k++) {
      x[c->row + k] += z[s->first[i] + k];
    }
    for (int k = 0; k < rows && count < rows; k++) {
      const double *R = s->basis + (size_t)LD * (size_t)(c->row + k);
      for (int j = 0; j < count; j++) {
        x[c->row + k] += R[j] * z[s->first[i] + j];
      }
    }
  }
}

/* x to the form R z, with its normals, what sticks and what is across a sliding direction. */
static void project(const cardan__ncp_state *s)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    const int rows = cardan__cone_rows(c), count = s->count[i];
    double *z = s->z + s->first[i];
    for (int j = 0; j < count && count == rows; j++) {
      z[j] = s->x[c->row + j];
    }
    for (int j = 0; j < count && count < rows; j++) {
      z[j] = j == 0 ? s->x[c->row] : 0;
      for (int k = 1; k < rows && j > 0; k++) {
        z[j] += s->basis[(size_t)LD * (size_t)(c->row + k) + (size_t)j] * s->x[c->row + k];
      }
    }
  }
  memset(s->x, 0, (size_t)p->m * sizeof *s->x);
  for (int i = 0; i < p->n; i++) {
    const int row = p->cone[i].row;
    s->x[row] = p->cone[i].bound > 0 && s->count[i] == 0 ? s->part[row] : 0;
  }
  add(s, s->z, s->x);
}

/* Row of unknown j of contact c, in terms of what the contact's velocities are: (S2) over rho. */
static double row(const cardan__ncp_state *s, const cardan__cone *c, int rows, int j,
                  const double *velocity, int stride)
{
  double sum = j == 0 ? velocity[0] : 0;
  for (int k = 1; k < rows && j > 0; k++) {
    sum += s->basis[(size_t)LD * (size_t)(c->row + k) + (size_t)j] * velocity[k * stride];
  }
  return s->part[c->row + j] * sum;
}

/* Row of c's velocities in which unknown j is: the first of its group. */
static int row_of(const cardan__ncp_state *s, const cardan__cone *c, int rows, int j)
{
  int k = 0;
  while (j > 0 && k < rows &&
         (k == 0 || s->basis[(size_t)LD * (size_t)(c->row + k) + (size_t)j] == 0)) {
    k++;
  }
  return c->row + k;
}

/* Right sides at x, whose velocities are w: less what the rows are. */
static void residual(const cardan__ncp_state *s, const double *x)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    const int rows = cardan__cone_rows(c), count = s->count[i];
    for (int j = 0; j < count && count == rows; j++) {
      s->z[s->first[i] + j] = -s->w[c->row + j] * s->scale[s->first[i] + j];
    }
    for (int j = 0; j < count && count < rows; j++) {
      const int own = row_of(s, c, rows, j), at = s->first[i] + j;
      const double k = s->part[c->row + j];
      double across = 0;
      for (int l = 1; l < rows && j > 0 && k != 1; l++) {
        across += s->basis[(size_t)LD * (size_t)(c->row + l) + (size_t)j] * x[c->row + l];
      }
      s->z[at] =
          -row(s, c, rows, j, s->w + c->row, 1) - (1 - k) / (s->stiff * s->rho[own]) * across;
      s->z[at] *= s->scale[at];
    }
  }
}

/* G_ij R_j to GR; all of a contact's groups stick: R is 1. */
static void multiply_right(const cardan__ncp_state *s, const cardan__cone *ci,
                           const cardan__cone *cj, int count, double GR[LD][LD])
{
  const int rows_i = cardan__cone_rows(ci), rows_j = cardan__cone_rows(cj);
  const double *R = s->basis + (size_t)LD * (size_t)cj->row;
  for (int k = 0; k < rows_i; k++) {
    const double *G = s->p->G + (size_t)(ci->row + k) * (size_t)s->p->m + cj->row;
    for (int l = 0; l < count; l++) {
      GR[k][l] = G[l];
    }
    for (int l = 0; l < count && count < rows_j; l++) {
      GR[k][l] = 0;
      for (int t = 0; t < rows_j; t++) {
        GR[k][l] += G[t] * R[t * LD + l];
      }
    }
  }
}

/* Block (i, j) of the reduced system. */
static void block(const cardan__ncp_state *s, int i, int j, int size)
{
  const cardan__cone *ci = &s->p->cone[i];
  const int rows = cardan__cone_rows(ci), count_i = s->count[i], count_j = s->count[j];
  double GR[LD][LD];
  multiply_right(s, ci, &s->p->cone[j], count_j, GR);
  for (int k = 0; k < count_i; k++) {
    double *A = s->A + (size_t)(s->first[i] + k) * (size_t)size + s->first[j];
    const double f = s->scale[s->first[i] + k], *scale = s->scale + s->first[j];
    for (int l = 0; l < count_j; l++) {
      A[l] = f * scale[l] * (count_i == rows ? GR[k][l] : row(s, ci, rows, k, &GR[0][l], LD));
    }
  }
}

/* Do all contacts of a patch stick, in all groups? Its unknowns are its rows then. */
static bool sticks(const cardan__ncp_state *s, int patch)
{
  return cardan__ncp_end(s, patch) - cardan__ncp_first(s, patch) ==
         cardan__ncp_patch_row(s, patch + 1) - cardan__ncp_patch_row(s, patch);
}

/* Block of two patches that stick. */
static void block_of_rows(const cardan__ncp_state *s, int i, int j, int size)
{
  const int first = cardan__ncp_first(s, i), end = cardan__ncp_end(s, i);
  const int count = cardan__ncp_end(s, j) - cardan__ncp_first(s, j);
  const double *restrict scale = s->scale + cardan__ncp_first(s, j);
  const double *restrict G =
      s->p->G + (size_t)cardan__ncp_patch_row(s, i) * (size_t)s->p->m + cardan__ncp_patch_row(s, j);
  double *restrict A = s->A + (size_t)first * (size_t)size + cardan__ncp_first(s, j);
  for (int k = first; k < end; k++, G += s->p->m, A += size) {
    const double f = s->scale[k];
    for (int l = 0; l < count; l++) {
      A[l] = f * scale[l] * G[l];
    }
  }
}

/* Block of two patches. */
static void block_of_patches(const cardan__ncp_state *s, int i, int j, int size)
{
  if (sticks(s, i) && sticks(s, j)) {
    block_of_rows(s, i, j, size);
    return;
  }
  for (int k = s->patch[i]; k < s->patch[i + 1]; k++) {
    for (int l = s->patch[j]; l < s->patch[j + 1] && s->count[k] > 0; l++) {
      block(s, k, l, size);
    }
  }
}

/* The reduced system of G + (shift + d) D, rows and columns scaled by what their diagonals are. */
static void assemble(const cardan__ncp_state *s, int size)
{
  const cardan__ncp *p = s->p;
  for (int i = 0; i < s->npatch; i++) {
    for (int k = s->near_start[i]; k < s->near_start[i + 1]; k++) {
      for (int j = s->near[2 * k]; j < s->near[2 * k + 1]; j++) {
        block_of_patches(s, i, j, size);
      }
    }
  }
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    const int rows = cardan__cone_rows(c), count = s->count[i];
    for (int j = 0; j < count; j++) {
      const size_t k = (size_t)s->first[i] + (size_t)j;
      const int own = count == rows ? c->row + j : row_of(s, c, rows, j);
      const double part = s->part[c->row + j];
      s->A[k * (size_t)size + k] +=
          s->rho[own] * part * (s->shift + s->share) * s->mean[own] + (1 - part) / s->stiff;
    }
  }
}

/* Scales of the unknowns: roots of what their diagonals are over. */
static void find_scales(const cardan__ncp_state *s)
{
  for (int i = 0; i < s->p->n; i++) {
    const cardan__cone *c = &s->p->cone[i];
    const int rows = cardan__cone_rows(c), count = s->count[i];
    for (int j = 0; j < count; j++) {
      const int own = count == rows ? c->row + j : row_of(s, c, rows, j);
      s->scale[s->first[i] + j] = sqrt(s->rho[own]);
    }
  }
}

/* Solves for what the rows at x lack, with w its velocities, and adds it. */
static void correct(const cardan__ncp_state *s, int size, double *x)
{
  residual(s, x);
  if (s->whole) {
    cardan__lu_solve(size, s->A, s->pivot, s->z);
  } else {
    cardan__ncp_back(s, size, s->z);
  }
  for (int k = 0; k < size; k++) {
    s->z[k] *= s->scale[k];
  }
  add(s, s->z, x);
}

/* Velocities s->w at x as (S3) has them, or (S4) about x itself. */
static void velocities(const cardan__ncp_state *s, const double *x)
{
  cardan__ncp_velocities(s, x, s->w);
  for (int i = 0; i < s->p->m && s->shared; i++) {
    s->w[i] += s->soft * s->mean[i] * x[i];
  }
}

/* Half the square of what (S1) lacks at x, each row in units of sqrt(energy); s->w: velocities. */
static double merit(const cardan__ncp_state *s, const double *x)
{
  const cardan__ncp *p = s->p;
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    const cardan__cone *c = &p->cone[i];
    const double rho = s->stiff * s->rho[c->row], own = x[c->row], free = own - rho * s->w[c->row];
    const double f =
        c->bound > 0 ? own - fmax(-c->bound, fmin(c->bound, free)) : fmin(own, rho * s->w[c->row]);
    sum += rho > 0 ? f * f / rho : 0;
    for (int g = 0, t = c->row + 1; g < c->ngroup && rho > 0; t += c->size[g], g++) {
      double y[2] = {0, 0};
      const double limit = (1 - s->loss) * c->mu[g] * fmax(x[c->row], 0);
      for (int k = 0; k < c->size[g]; k++) {
        y[k] = x[t + k] - s->stiff * s->rho[t] * s->w[t + k];
      }
      const double length = cardan__ncp_length(c->size[g], y);
      const double to = length > limit ? limit / length : 1;
      for (int k = 0; k < c->size[g] && s->rho[t] > 0; k++) {
        sum += (x[t + k] - to * y[k]) * (x[t + k] - to * y[k]) / s->rho[t];
      }
    }
  }
  return 0.5 * sum;
}

/* Stores x, clipped, if it is the best so far: by more than rounding, since of several that are
 * equal the first has least of what b contradicts itself by. returns its error; s->w gets its
 *
 * velocities */
static double store_if_best(cardan__ncp_state *s, const double *x, double aim)
{
  const size_t bytes = (size_t)s->p->m * sizeof(double);
  memcpy(s->clipped, x, bytes);
  cardan__ncp_clip(s, s->clipped);
  const double error = cardan__ncp_measure(s, s->clipped, s->w);
  if (error < s->least - even * s->floor || error <= s->floor || (error <= aim && s->least > aim)) {
    s->least = error;
    memcpy(s->best, s->clipped, bytes);
  }
  return error;
}

/* (S4) from s->x on, while the error falls: beyond the aim too, to rounding, for little.
 * returns whether the aim was reached */
static bool refine(cardan__ncp_state *s, int size, double aim)
{
  double error = 0;
  bool reached = false;
  for (int i = 0; i < s->p->m; i++) {
    s->y[i] = s->x[i];
    error = fmax(error, near / fall * s->soft * s->mean[i] * fabs(s->x[i]));
  }
  for (int k = 0; k < REFINE; k++) {
    const double before = error;
    error = store_if_best(s, s->y, aim);
    reached = reached || error <= fmax(aim, s->floor);
    if (error <= s->floor || !(error < fall * before)) {
      break;
    }
    cardan__ncp_velocities(s, s->y, s->w);
    correct(s, size, s->y);
  }
  return reached;
}

/* Factors the reduced system; false: it is singular. */
static bool factor(cardan__ncp_state *s, int size)
{
  s->whole = !s->sparse;
  find_scales(s);
  if (s->sparse) {
    cardan__ncp_clear(s, size);
    assemble(s, size);
    s->whole = !cardan__ncp_factor(s, size);
  }
  if (s->whole) {
    memset(s->A, 0, s->full ? 0 : (size_t)size * (size_t)size * sizeof *s->A);
    assemble(s, size);
  }
  return !s->whole || cardan__lu(size, s->A, s->pivot) < 0;
}

/* A whole step from s->x on, with faces that leave size unknowns; false: its matrix is singular */
static bool step(cardan__ncp_state *s, int size)
{
  s->p->newtons++;
  project(s);
  if (size > 0) {
    velocities(s, s->x);
    if (!factor(s, size)) {
      return false;
    }
    correct(s, size, s->x);
  }
  return true;
}

/* s->x back towards s->old until the merit is less, s->w with it. */
static bool search(cardan__ncp_state *s, double aim)
{
  const int m = s->p->m;
  double merit_now = HUGE_VAL, part = 1;
  memcpy(s->y, s->x, (size_t)m * sizeof *s->y);
  for (int k = 0; k <= HALVINGS && !(merit_now <= (1 - 1e-4 * part) * s->lacks); k++) {
    part = ldexp(1, -k);
    for (int i = 0; i < m && k > 0; i++) {
      s->x[i] = s->old[i] + part * (s->y[i] - s->old[i]);
    }
    velocities(s, s->x);
    merit_now = merit(s, s->x);
  }
  s->lacks = merit_now;
  if (s->shared || part == 1) {
    return false;
  }
  const bool done = store_if_best(s, s->x, aim) <= fmax(aim, s->floor);
  velocities(s, s->x);
  return done;
}

/* Returns whether the last step hardly changed x. */
static bool is_converged(const cardan__ncp_state *s)
{
  double moved = 0, size = 0;
  for (int i = 0; i < s->p->m; i++) {
    moved = fmax(moved, fabs(s->x[i] - s->old[i]));
    size = fmax(size, fabs(s->x[i]));
  }
  return moved < 1e-7 * size;
}

/* From (S3) to (S4): the best r so far, as it is. */
static void let_go(cardan__ncp_state *s, bool damped)
{
  s->shared = false;
  memcpy(s->x, s->best, (size_t)s->p->m * sizeof *s->x);
  velocities(s, s->x);
  s->lacks = damped ? merit(s, s->x) : 0;
}

/* After a step of (S4) with the faces of the one before, which left `before`: is that all? */
static bool is_all(cardan__ncp_state *s, double before)
{
  s->stays = s->least > stays * before ? s->stays + 1 : 0;
  s->stalled = s->stays > (s->curved ? WAIT : 0);
  if (s->stays == 0 && !s->curved && s->least > slow * before) {
    s->share = fmax(finer * s->share, finest);
  }
  return s->stalled && s->least <= s->p->stalled_tol;
}

void cardan__ncp_finish(cardan__ncp_state *s)
{
  bool changed;
  memcpy(s->x, s->p->r, (size_t)s->p->m * sizeof *s->x);
  s->least = HUGE_VAL;
  s->share = firm;
  s->shared = false;
  velocities(s, s->x);
  const int size = faces(s, &changed);
  if (step(s, size)) {
    refine(s, size, 0);
  }
}

/* A good r is not the end while faces of (S3) still change: contacts that do not carry yet are to
 * have their share. A few steps more will do. */
bool cardan__ncp_newton(cardan__ncp_state *s, int most, double aim, bool damped)
{
  const size_t bytes = (size_t)s->p->m * sizeof(double);
  const int wait = s->shift == 0 && s->loss == 0 ? WAIT : 0;
  int good = 0; // steps since the aim was reached
  const bool heap = s->p->n >= CARDAN__NCP_HEAP && !damped && wait > 0;
  const double start = s->p->error;
  const int half = most / 2;
  memcpy(s->x, s->p->r, bytes);
  s->least = HUGE_VAL;
  s->share = s->soft;
  s->shared = !s->close;
  s->stalled = false;
  s->stays = 0;
  velocities(s, s->x);
  s->lacks = damped ? merit(s, s->x) : 0;
  for (int k = 0; k < most && good <= wait; k++) {
    bool changed;
    const int size = faces(s, &changed);
    if (good > 0 && !changed) {
      break;
    }
    const double before = s->least;
    memcpy(s->old, s->x, bytes);
    if (!step(s, size)) {
      break;
    }
    good += refine(s, size, aim) || good > 0;
    if (heap && k + 1 >= half && s->least > start) {
      break;
    }
    if (good == 0 && !changed && !s->shared && is_all(s, before)) {
      break;
    }
    const bool steady = !changed && s->least < steadily * before;
    most += steady && most < LONGEST;
    if (good == 0 && s->shared && (is_converged(s) || (!steady && k > LATE && k >= most - LATE))) {
      let_go(s, damped);
    } else if (damped && good == 0) {
      good += search(s, aim);
    } else {
      velocities(s, s->x);
    }
  }
  return good > 0;
}

/* d of the next step, after one that led from the error `before` to `error`. */
static double next_share(double share, double before, double error)
{
  if (error <= fall * before) {
    return fmax(share / prox_factor, prox_least);
  }
  return error > before ? fmin(share * prox_factor, prox_most) : share;
}

bool cardan__ncp_proximal(cardan__ncp_state *s, int most, double aim)
{
  const size_t bytes = (size_t)s->p->m * sizeof(double);
  bool good = false, changed;
  int idle = 0;
  memcpy(s->x, s->p->r, bytes);
  s->least = HUGE_VAL;
  s->share = prox_first;
  s->shared = s->stalled = false;
  double before = cardan__ncp_measure(s, s->x, s->w);
  for (int k = 0; k < most && !good && !s->stalled; k++) {
    const double least = s->least;
    velocities(s, s->x);
    const int size = faces(s, &changed);
    if (!step(s, size)) {
      break;
    }
    good = refine(s, size, aim);
    memcpy(s->x, s->y, bytes);
    const double error = cardan__ncp_measure(s, s->x, s->w);
    s->share = next_share(s->share, before, error);
    before = error;
    idle = s->least < stays * least ? 0 : idle + 1;
    s->stalled = !good && s->least <= s->p->caller_tol &&
                 idle >= (s->least <= near_enough * s->p->caller_tol ? IDLE : LONG_IDLE);
  }
  return good;
}
