// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/forces.h"
#include "constraints/rows.h"
#include "dynamics/rnea.h"
#include "linalg/linalg.h"
#include "model/data.h"

/* Inverse dynamics through loops: joint forces of chosen actuators, dense, O(nv^3).
 *
 *   B tau + J^T lambda = r,   r = M a + c - what the model applies          d equations     (E1)
 * over the d velocities that are not prescribed; B picks the actuated ones, J has rank k.
 * With N (d x (d - k)) a basis of what the constraints leave free, J N = 0:
 *   N^T B tau = N^T r          the shortest tau; none where actuators are too few           (E2)
 *   J^T lambda = r - B tau     the shortest lambda where rows are redundant                 (E3) */

/* The rows' smallest singular value that counts, relative to the largest: below it the position is
 * singular, as in schur.c. How many count is known from the load (model->rank). */
static const double singular = 3e-7;
/* Singular values below this part of the largest count as 0: a direction that actuators reach by
 * rounding alone. */
static const double smallest = 1e-9;
/* Largest part of r that may be left over, and of the accelerations: rounding of a dense solve. */
static const double left_over = 1e-8;

typedef struct {
  const cardan_model *model;
  int d, k, n;   // velocities that count, rows, actuators
  int *dof;      // d: v index of each
  int *slot;     // nv: its place among them, -1: prescribed
  double *a;     // nv: the accelerations, prescribed ones as they are
  double *dense; // k x nv: the rows as they come
  double *J;     // k x d
  double *W, *U; // k x d, k x k: W = U J, its rows orthogonal, longest first
  double *size;  // k: their lengths, the singular values
  double *N;     // d x d: from row model->rank on, what is free
  double *r;     // d
  double *A, *b; // d x n, d: (E2), (E3)
  double *x, *y; // d or n, k: solutions; y is 0 where it is a right-hand side
  double *work;
  int *order; // k, n or d
} problem;

static size_t most(size_t a, size_t b)
{
  return a > b ? a : b;
}

static void layout(void *what, cardan__carver *c)
{
  problem *s = what;
  const size_t d = (size_t)s->d, k = (size_t)s->k, n = (size_t)s->n;
  s->dof = CARDAN__CARVE(c, d, int);
  s->slot = CARDAN__CARVE(c, s->model->nv, int);
  s->a = CARDAN__CARVE(c, s->model->nv, double);
  s->dense = CARDAN__CARVE(c, k * (size_t)s->model->nv, double);
  s->J = CARDAN__CARVE(c, k * d, double);
  s->W = CARDAN__CARVE(c, k * d, double);
  s->U = CARDAN__CARVE(c, k * k, double);
  s->size = CARDAN__CARVE(c, k, double);
  s->N = CARDAN__CARVE(c, d * d, double);
  s->r = CARDAN__CARVE(c, d, double);
  s->A = CARDAN__CARVE(c, d * n, double);
  s->b = CARDAN__CARVE(c, d, double);
  s->x = CARDAN__CARVE(c, most(d, n), double);
  s->y = CARDAN__CARVE(c, k, double);
  s->work = CARDAN__CARVE(
      c, most(cardan__solutions_work(s->k, s->d), cardan__min_norm_work(s->d, s->n)), double);
  s->order = CARDAN__CARVE(c, most(k, most(n, d)), int);
}

/* Which velocities count, and that the actuators are among them, each once; a. */
static cardan_status choose(problem *s, cardan_data *data, const double *a, const int *actuated)
{
  const cardan_model *model = s->model;
  int count = 0;
  for (int k = 0; k < model->nv; k++) {
    const bool prescribed = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
    s->slot[k] = prescribed ? -1 : count;
    s->a[k] = prescribed ? data->a[k] : a[k];
    if (!prescribed) {
      s->dof[count++] = k;
    }
  }
  int *taken = s->order; // d: how often
  memset(taken, 0, (size_t)s->d * sizeof *taken);
  for (int i = 0; i < s->n; i++) {
    const int k = actuated[i];
    const bool inside = k >= 0 && k < model->nv;
    if (!inside || s->slot[k] < 0 || taken[s->slot[k]]++ > 0) {
      snprintf(data->info.message, sizeof data->info.message,
               "actuator %d is velocity %d%s%.60s; expected each one once, from 0 to %d, and none "
               "that has a motion",
               i, k, inside ? ", " : "", inside ? model->v_name[k] : "", model->nv - 1);
      return CARDAN_ERR_ARGUMENT;
    }
  }
  return CARDAN_OK;
}

/* J, and that the accelerations keep the constraints. */
static cardan_status take_rows(problem *s, cardan_data *data)
{
  const cardan_model *model = s->model;
  const cardan__rowset set = cardan__model_rows(model);
  double speed = 0;
  cardan_constraints(model, data);
  cardan__rows_dense(&set, data, &data->rows, s->dense);
  for (int k = 0; k < model->nv; k++) {
    speed = fmax(speed, fabs(data->v[k]));
  }
  for (int r = 0; r < s->k; r++) {
    double sum = -data->rows.gamma[r], size = fabs(sum);
    for (int i = 0; i < s->d; i++) {
      const double entry = s->dense[(size_t)r * (size_t)model->nv + (size_t)s->dof[i]];
      s->J[(size_t)r * (size_t)s->d + (size_t)i] = entry;
      sum += entry * s->a[s->dof[i]];
      size += fabs(entry * s->a[s->dof[i]]);
    }
    if (!(fabs(sum) <= left_over * (size + model->row[r].length * (1e-3 + speed * speed)))) {
      data->info.row = r;
      data->info.residual = fabs(sum);
      snprintf(data->info.message, sizeof data->info.message,
               "the accelerations open constraint \"%.60s\" by %.3g (m or rad)/s^2; "
               "cardan_close_accelerations gives the nearest that do not",
               model->constraint[model->row[r].constraint].name, fabs(sum));
      return CARDAN_ERR_ARGUMENT;
    }
  }
  return CARDAN_OK;
}

/* r of (E1); returns the size of what it is a difference of. */
static double take_forces(problem *s, cardan_data *data)
{
  double size = 0;
  cardan__rnea(s->model, data, data->f_ext, s->a, data->tau_work);
  for (int i = 0; i < s->d; i++) {
    const double needed = data->tau_work[s->dof[i]], applied = data->tau[s->dof[i]];
    s->r[i] = needed - applied;
    size = fmax(size, fabs(needed) + fabs(applied));
  }
  return size;
}

/* tau of (E2); size: of the forces that r is the rest of. */
static cardan_status actuate(problem *s, cardan_data *data, const int *actuated, double size,
                             double *tau)
{
  const int rank = s->model->rank, free = s->d - rank;
  double worst = 0;
  int at = 0;
  for (int i = 0; i < free; i++) {
    const double *N = s->N + (size_t)(rank + i) * (size_t)s->d;
    s->b[i] = 0;
    for (int j = 0; j < s->d; j++) {
      s->b[i] += N[j] * s->r[j];
    }
    for (int j = 0; j < s->n; j++) {
      s->A[(size_t)i * (size_t)s->n + (size_t)j] = N[s->slot[actuated[j]]];
    }
  }
  if (cardan__min_norm(free, s->n, s->A, s->b, smallest, s->x, s->work, s->order) < 0) {
    return CARDAN_ERR_NOT_FINITE;
  }
  memcpy(tau, s->x, (size_t)s->n * sizeof *tau);
  for (int i = 0; i < free; i++) {
    for (int j = 0; j < s->n; j++) {
      s->b[i] -= s->A[(size_t)i * (size_t)s->n + (size_t)j] * tau[j];
    }
  }
  // what remains, as forces on velocities
  for (int j = 0; j < s->d; j++) {
    double left = 0;
    for (int i = 0; i < free; i++) {
      left += s->N[(size_t)(rank + i) * (size_t)s->d + (size_t)j] * s->b[i];
    }
    // written so that what is not a number is the largest
    if (!(fabs(left) <= worst)) {
      worst = fabs(left);
      at = s->dof[j];
    }
  }
  if (!(worst <= left_over * size)) {
    data->info.residual = worst;
    data->info.joint = s->model->body[s->model->v_body[at]].joint;
    snprintf(data->info.message, sizeof data->info.message,
             "%d actuator%s cannot make these accelerations: of the %d ways to move some are not "
             "driven; %.3g N (m) are missing, most of it on \"%.60s\"",
             s->n, s->n == 1 ? "" : "s", free, worst, s->model->v_name[at]);
    return CARDAN_ERR_UNSUPPORTED;
  }
  return CARDAN_OK;
}

/* W, U and size: of the rows as they are, or each in units of its length. */
static void decompose(problem *s, bool scaled)
{
  for (int r = 0; r < s->k; r++) {
    const double scale = scaled ? 1 / s->model->row[r].length : 1;
    for (int i = 0; i < s->d; i++) {
      const size_t at = (size_t)r * (size_t)s->d + (size_t)i;
      s->W[at] = scale * s->J[at];
    }
  }
  cardan__orthogonal_rows(s->k, s->d, s->W, s->U, s->size);
}

/* N: across the rows of W that count. */
static cardan_status find_free(problem *s, cardan_data *data)
{
  const int rank = s->model->rank;
  decompose(s, true);
  if (rank > 0 && !(s->size[rank - 1] > singular * s->size[0])) {
    snprintf(data->info.message, sizeof data->info.message,
             "fewer than the constraints' %d independent rows count here: a singular position",
             rank);
    return CARDAN_ERR_SINGULAR;
  }
  memset(s->y, 0, (size_t)s->k * sizeof *s->y);
  const int found = cardan__solutions(rank, s->d, s->W, s->y, 0, s->x, s->N, s->order, s->work);
  return found == rank ? CARDAN_OK : CARDAN_ERR_NOT_FINITE;
}

/* lambda of (E3): U^T y with y_i = W_i . b / |W_i|^2 for the rows of W that count. */
static void multiply(problem *s, const int *actuated, const double *tau, double *lambda)
{
  memcpy(s->b, s->r, (size_t)s->d * sizeof *s->b);
  for (int j = 0; j < s->n; j++) {
    s->b[s->slot[actuated[j]]] -= tau[j];
  }
  decompose(s, false);
  memset(lambda, 0, (size_t)s->k * sizeof *lambda);
  for (int i = 0; i < s->model->rank; i++) {
    double y = 0;
    for (int j = 0; j < s->d; j++) {
      y += s->W[(size_t)i * (size_t)s->d + (size_t)j] * s->b[j];
    }
    for (int r = 0; r < s->k; r++) {
      lambda[r] += y / (s->size[i] * s->size[i]) * s->U[(size_t)i * (size_t)s->k + (size_t)r];
    }
  }
}

static cardan_status solve(problem *s, cardan_data *data, const double *a, const int *actuated,
                           double *tau, double *lambda)
{
  cardan_status status = choose(s, data, a, actuated);
  status = status != CARDAN_OK ? status : take_rows(s, data);
  status = status != CARDAN_OK ? status : find_free(s, data);
  if (status == CARDAN_OK) {
    const double size = take_forces(s, data);
    status = actuate(s, data, actuated, size, tau);
  }
  if (status == CARDAN_OK && lambda != NULL) {
    multiply(s, actuated, tau, lambda);
  }
  return status;
}

cardan_status cardan_inverse_loops(const cardan_model *model, cardan_data *data, const double *a,
                                   const int *actuated, int n, double *tau, double *lambda)
{
  problem s = {.model = model, .d = model->nv, .k = model->nrow, .n = n};
  if (n < 0 || n > model->nv) {
    return CARDAN_ERR_ARGUMENT;
  }
  if (model->has_friction) {
    snprintf(
        data->info.message, sizeof data->info.message,
        "friction depends on the reactions that are to be found: inverse dynamics through loops "
        "does not take it");
    return CARDAN_ERR_UNSUPPORTED;
  }
  for (int i = 0; i < model->nprescribed; i++) {
    s.d -= model->body[model->prescribed[i].body].nv;
  }
  void *block = cardan__carve_block(&data->allocator, layout, &s);
  if (block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  cardan_kinematics(model, data);
  cardan_forces(model, data);
  const cardan_status status = solve(&s, data, a, actuated, tau, lambda);
  cardan__resize(&data->allocator, block, 0);
  return status;
}
