// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "forces/friction_prediction.h"
#include "linalg/linalg.h"
#include "linalg/small.h"

/* Friction that looks ahead, (G1) of friction_prediction.h, for given limits.
 *
 * Over the velocities of the elements that may hold, w = r (what friction sees), affine in g:
 *   w = w0 - C g,   C = ahead R M^-1 R with the constraints in M^-1: symmetric, >= 0          (E1)
 *   g = part law(w) + (1 - part) law(u)                                                       (E2)
 * C comes from the system by differences, a solve for each velocity; w0 from the last solve,
 * w + C g. Newton for w, with G = dlaw/dw >= 0:
 *   r(w) = w - w0 + C g(w),   (1 + C part G) dw = -r                                          (E3)
 * The matrix has eigenvalues >= 1, so there is one w for every w0, and the direction lessens |r|;
 * it is halved until |r| is less. C need not be exact: where g no longer changes, w is what the
 * system shows. */

static int velocities_with_friction(const cardan_model *model)
{
  int n = 0;
  double r[6];
  for (int i = 0; i < model->nforce; i++) {
    if (model->force[i].flags & CARDAN_FORCE_FRICTION) {
      n += cardan__friction_lengths(model, &model->force[i], r);
    }
  }
  return n;
}

/* Is friction of this element a box, for joints that can be held alone? */
static bool is_box(const cardan_model *model, const cardan_force_element *e)
{
  const cardan_body *b = e->dof >= 0 ? &model->body[model->v_body[e->dof]] : NULL;
  return e->kind == CARDAN_ELEMENT_DRY_FRICTION && b != NULL && b->nv == 1 &&
         !(b->flags & CARDAN_LINK_KINEMATIC);
}

/* Velocities with boxes, to list where it is not NULL; 0: some friction is none. */
static int list_boxes(const cardan_model *model, int *list)
{
  int n = 0;
  bool all = model->nrow == 0;
  for (int k = 0; k < model->nv && all; k++) {
    bool found = false;
    for (int i = 0; i < model->nforce; i++) {
      const cardan_force_element *e = &model->force[i];
      const bool rubs = e->flags & CARDAN_FORCE_FRICTION;
      all = all && (!rubs || is_box(model, e));
      found = found || (rubs && e->dof == k);
    }
    if (found && list != NULL) {
      list[n] = k;
    }
    n += found;
  }
  return all ? n : 0;
}

static void layout_boxes(cardan__carver *c, const cardan_model *model, cardan__friction_boxes *b)
{
  const size_t n = (size_t)list_boxes(model, NULL), nv = n > 0 ? (size_t)model->nv : 0;
  b->n = (int)n;
  b->velocity = cardan__carve(c, n, sizeof(int));
  b->side = cardan__carve(c, n, sizeof(int));
  b->kept = cardan__carve(c, n, sizeof(int));
  b->bound = cardan__carve(c, n, sizeof(double));
  b->armature = cardan__carve(c, nv, sizeof(double));
  b->given = cardan__carve(c, nv, sizeof(double));
  b->load = cardan__carve(c, nv, sizeof(double));
}

/* Cuts the block of a prediction; the prediction itself is first. */
static cardan__friction_prediction *layout(cardan__carver *c, const cardan_model *model, int size)
{
  cardan__friction_prediction counted, *prediction = cardan__carve(c, 1, sizeof *prediction);
  cardan__friction_prediction *g = prediction != NULL ? prediction : &counted;
  const size_t n = (size_t)size, nv = (size_t)model->nv;
  *g = (cardan__friction_prediction){.size = size};
  layout_boxes(c, model, &g->boxes);
  g->part = cardan__carve(c, (size_t)model->nforce, sizeof(double));
  g->without = cardan__carve(c, nv, sizeof(double));
  g->seen = cardan__carve(c, nv, sizeof(double));
  g->velocity = cardan__carve(c, n, sizeof(int));
  g->pivot = cardan__carve(c, n, sizeof(int));
  g->C = cardan__carve(c, n * n, sizeof(double));
  g->J = cardan__carve(c, n * n, sizeof(double));
  double **const each[] = {&g->length, &g->g,     &g->fresh,    &g->fixed, &g->w,
                           &g->w0,     &g->trial, &g->residual, &g->dw};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    *each[i] = cardan__carve(c, n, sizeof(double));
  }
  return prediction;
}

cardan_status cardan__friction_prediction_create(const cardan_model *model,
                                                 const cardan_allocator *allocator,
                                                 cardan__friction_prediction **out)
{
  const int size = velocities_with_friction(model);
  cardan__carver c = {0};
  *out = NULL;
  if (!model->has_friction) {
    return CARDAN_OK;
  }
  layout(&c, model, size);
  void *memory = cardan__resize(allocator, NULL, cardan__carver_size(&c));
  if (memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  c = cardan__carver_over(memory);
  *out = layout(&c, model, size);
  (*out)->block = memory;
  list_boxes(model, (*out)->boxes.velocity);
  memset((*out)->boxes.side, 0, (size_t)(*out)->boxes.n * sizeof(int));
  (*out)->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  return CARDAN_OK;
}

void cardan__friction_prediction_destroy(cardan__friction_prediction *prediction)
{
  if (prediction != NULL) {
    const cardan_allocator allocator = prediction->allocator;
    cardan__resize(&allocator, prediction->block, 0);
  }
}

static double norm(int n, const double *x)
{
  return sqrt(cardan__dot(n, x, x));
}

/* May element e hold? With several velocities: by a first guess of how strong friction is, from
 * what it does now, with a margin of 50 for what it may do in another direction. */
static bool may_hold(const cardan_model *model, const cardan__friction_system *s,
                     const cardan_force_element *e)
{
  const cardan__friction_prediction *prediction = s->prediction;
  const double vs = e->value[2];
  const int adr = cardan__friction_adr(model, e);
  double r[6], u[6] = {0}, w[6] = {0}, change[6] = {0};
  const int n = cardan__friction_lengths(model, e, r);
  for (int k = 0; k < n; k++) {
    u[k] = r[k] * s->view->v[adr + k];
    w[k] = r[k] * prediction->seen[adr + k];
    change[k] = w[k] - r[k] * prediction->without[adr + k];
  }
  if (n == 1) { // sliding that continues: nothing to find
    return !(fabs(u[0]) >= vs && fabs(w[0]) >= vs && u[0] * w[0] > 0);
  }
  return norm(n, u) < 2 * (vs + 50 * norm(n, change));
}

static const double FOUND = -2.0; // part of an element that is about to be among the n

/* May friction element i stick? */
static bool may_stick(const cardan_model *model, const cardan__friction_prediction *prediction,
                      int i)
{
  return (model->force[i].flags & CARDAN_FORCE_FRICTION) && prediction->part[i] >= 0;
}

/* Element e to the n from `at` on; its forces g are those of sliding. */
static void add_element(const cardan_model *model, const cardan__friction_system *s, int i, int at)
{
  const cardan_force_element *e = &model->force[i];
  const cardan__friction_prediction *prediction = s->prediction;
  const int adr = cardan__friction_adr(model, e);
  const int n = cardan__friction_lengths(model, e, prediction->length + at);
  double u[6] = {0};
  for (int k = 0; k < n; k++) {
    prediction->velocity[at + k] = adr + k;
    u[k] = prediction->length[at + k] * s->view->v[adr + k];
  }
  cardan__friction_slide(e, s->limit[i], n, u, prediction->g + at);
  prediction->part[i] = 1.0;
}

bool cardan__friction_prediction_find(const cardan_model *model, const cardan__friction_system *s,
                                      bool all)
{
  cardan__friction_prediction *prediction = s->prediction;
  double r[6];
  int added = 0;
  s->see(s->self, prediction->seen);
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if ((e->flags & CARDAN_FORCE_FRICTION) && prediction->part[i] < 0 &&
        (all || may_hold(model, s, e))) {
      prediction->part[i] = FOUND;
      added += cardan__friction_lengths(model, e, r);
    }
  }
  // from behind: what is there moves up to make room
  int from = prediction->n, to = prediction->n + added;
  for (int i = model->nforce - 1; i >= 0 && added > 0; i--) {
    const cardan_force_element *e = &model->force[i];
    if (may_stick(model, prediction, i)) {
      const int n = cardan__friction_lengths(model, e, r);
      from -= n;
      to -= n;
      memmove(prediction->g + to, prediction->g + from, (size_t)n * sizeof *prediction->g);
      memmove(prediction->length + to, prediction->length + from,
              (size_t)n * sizeof *prediction->length);
      memmove(prediction->velocity + to, prediction->velocity + from,
              (size_t)n * sizeof *prediction->velocity);
    } else if ((e->flags & CARDAN_FORCE_FRICTION) && prediction->part[i] == FOUND) {
      to -= cardan__friction_lengths(model, e, r);
      add_element(model, s, i, to);
    }
  }
  prediction->n += added;
  prediction->all = all;
  return added > 0;
}

void cardan__friction_prediction_clear(const cardan_model *model,
                                       cardan__friction_prediction *prediction)
{
  prediction->n = 0;
  for (int i = 0; i < model->nforce; i++) {
    prediction->part[i] = -1.0;
  }
}

/* Force g_j grows by dg. */
static void press(const cardan__friction_system *s, int j, double dg)
{
  const cardan__friction_prediction *prediction = s->prediction;
  const int k = prediction->velocity[j];
  s->force[k] -= prediction->length[j] * dg;
  if (s->tau != NULL) {
    s->tau[k] -= prediction->length[j] * dg;
  }
}

/* Sliding velocities w (n) after the last solve. */
static void read_sliding_velocities(const cardan__friction_system *s, double *w)
{
  const cardan__friction_prediction *prediction = s->prediction;
  s->see(s->self, prediction->seen);
  for (int k = 0; k < prediction->n; k++) {
    w[k] = prediction->length[k] * prediction->seen[prediction->velocity[k]];
  }
}

static double clamp_to_unit(double x)
{
  return fmin(1.0, fmax(0.0, x));
}

/* The parts of (G1), now that C tells how far friction gets in a step: near rest, and where the law
 * is stiff for the step. */
static void compute_weights(const cardan_model *model, const cardan__friction_system *s)
{
  const cardan__friction_prediction *prediction = s->prediction;
  double r[6], u[6] = {0};
  for (int i = 0, at = 0; i < model->nforce; i++) {
    if (!may_stick(model, prediction, i)) {
      continue;
    }
    const cardan_force_element *e = &model->force[i];
    const int n = cardan__friction_lengths(model, e, r), adr = cardan__friction_adr(model, e);
    const double vs = e->value[2];
    double trace = 0.0;
    for (int k = 0; k < n; k++) {
      u[k] = r[k] * s->view->v[adr + k];
      trace += prediction->C[(at + k) * prediction->n + at + k];
    }
    if (!prediction->all) {
      // of one velocity no direction turns: twice the way, for loads that help friction to stop it
      const double reach = s->limit[i] * trace;
      const double near = clamp_to_unit(2.0 - norm(n, u) / (vs + (n > 1 ? 1.0 : 2.0) * reach));
      prediction->part[i] = near * clamp_to_unit(2.0 * reach / vs - 1.0);
    }
    at += n;
  }
}

void cardan__friction_prediction_probe(const cardan_model *model, const cardan__friction_system *s)
{
  cardan__friction_prediction *prediction = s->prediction;
  const int n = prediction->n;
  double force = 0.0;
  for (int i = 0; i < model->nforce; i++) {
    force = fmax(force, s->limit[i]);
  }
  force = force > 0 ? force : 1.0; // of the size of what is looked for, so that digits are left
  s->solve(s->self);               // the last change of limits is not in what it shows yet
  read_sliding_velocities(s, prediction->w0);
  for (int j = 0; j < n; j++) {
    press(s, j, force);
    s->solve(s->self);
    read_sliding_velocities(s, prediction->w);
    press(s, j, -force);
    for (int k = 0; k < n; k++) {
      prediction->C[k * n + j] = (prediction->w0[k] - prediction->w[k]) / force;
    }
  }
  s->solve(s->self);
  compute_weights(model, s);
}

/* y = x + sign C g */
static void add_response(const cardan__friction_prediction *prediction, const double *x,
                         double sign, const double *g, double *y)
{
  for (int i = 0; i < prediction->n; i++) {
    y[i] = x[i] + sign * cardan__dot(prediction->n, prediction->C + i * prediction->n, g);
  }
}

/* (E2) at w, to fresh. */
static void forces_at(const cardan_model *model, const cardan__friction_system *s, const double *w)
{
  const cardan__friction_prediction *prediction = s->prediction;
  double r[6], *g = prediction->fresh;
  for (int i = 0, at = 0; i < model->nforce; i++) {
    if (may_stick(model, prediction, i)) {
      const int n = cardan__friction_lengths(model, &model->force[i], r);
      cardan__friction_slide(&model->force[i], prediction->part[i] * s->limit[i], n, w + at,
                             g + at);
      for (int k = at; k < at + n; k++) {
        g[k] += prediction->fixed[k];
      }
      at += n;
    }
  }
}

/* r(w) of (E3) to residual, and (E2) to fresh; returns the size of r. */
static double compute_residual(const cardan_model *model, const cardan__friction_system *s,
                               const double *w)
{
  const cardan__friction_prediction *prediction = s->prediction;
  forces_at(model, s, w);
  add_response(prediction, w, 1.0, prediction->fresh, prediction->residual);
  for (int k = 0; k < prediction->n; k++) {
    prediction->residual[k] -= prediction->w0[k];
  }
  return norm(prediction->n, prediction->residual);
}

/* dw of (E3) at w, from residual; false when the matrix has no factors. */
static bool direction(const cardan_model *model, const cardan__friction_system *s)
{
  const cardan__friction_prediction *prediction = s->prediction;
  const int n = prediction->n;
  double r[6], slope[36];
  for (int i = 0; i < n * n; i++) {
    prediction->J[i] = i % (n + 1) == 0;
  }
  for (int e = 0, at = 0; e < model->nforce; e++) {
    if (!may_stick(model, prediction, e)) {
      continue;
    }
    const int m = cardan__friction_lengths(model, &model->force[e], r);
    cardan__friction_slides(&model->force[e], prediction->part[e] * s->limit[e], m,
                            prediction->w + at, slope);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m * m; j++) {
        prediction->J[i * n + at + j % m] += prediction->C[i * n + at + j / m] * slope[j];
      }
    }
    at += m;
  }
  for (int k = 0; k < n; k++) {
    prediction->dw[k] = -prediction->residual[k];
  }
  if (cardan__lu(n, prediction->J, prediction->pivot) >= 0) {
    return false;
  }
  cardan__lu_solve(n, prediction->J, prediction->pivot, prediction->dw);
  return true;
}

/* (E3) for w, from where it is, until |r| no longer falls; fresh are the forces there. */
static void find_velocities(const cardan_model *model, const cardan__friction_system *s)
{
  enum { MOST = 100, HALVINGS = 40 };
  const cardan__friction_prediction *prediction = s->prediction;
  const int n = prediction->n;
  double now = compute_residual(model, s, prediction->w);
  const double enough = DBL_EPSILON * (norm(n, prediction->w0) + norm(n, prediction->w));
  bool falls = true;
  for (int i = 0; i < MOST && falls && now > enough && direction(model, s); i++) {
    double then = HUGE_VAL, length = 1.0;
    for (int k = 0; k < HALVINGS && !(then < now); k++, length *= 0.5) {
      for (int j = 0; j < n; j++) {
        prediction->trial[j] = prediction->w[j] + length * prediction->dw[j];
      }
      then = compute_residual(model, s, prediction->trial);
    }
    falls = then < now;
    if (falls) {
      memcpy(prediction->w, prediction->trial, (size_t)n * sizeof *prediction->w);
      now = then;
    }
  }
  forces_at(model, s, prediction->w);
}

/* fixed = (1 - part) law(u), for the limits there are. */
static void fix_sliding(const cardan_model *model, const cardan__friction_system *s)
{
  const cardan__friction_prediction *prediction = s->prediction;
  double r[6], u[6] = {0};
  for (int i = 0, at = 0; i < model->nforce; i++) {
    if (may_stick(model, prediction, i)) {
      const cardan_force_element *e = &model->force[i];
      const int n = cardan__friction_lengths(model, e, r), adr = cardan__friction_adr(model, e);
      for (int k = 0; k < n; k++) {
        u[k] = r[k] * s->view->v[adr + k];
      }
      cardan__friction_slide(e, (1 - prediction->part[i]) * s->limit[i], n, u,
                             prediction->fixed + at);
      at += n;
    }
  }
}

double cardan__friction_prediction_hold(const cardan_model *model, const cardan__friction_system *s,
                                        int *joint)
{
  const cardan__friction_prediction *prediction = s->prediction;
  double largest = -1.0;
  read_sliding_velocities(s, prediction->w);
  add_response(prediction, prediction->w, 1.0, prediction->g, prediction->w0);
  fix_sliding(model, s);
  find_velocities(model, s);
  for (int k = 0; k < prediction->n; k++) {
    const double change = prediction->fresh[k] - prediction->g[k];
    press(s, k, change);
    prediction->g[k] = prediction->fresh[k];
    // written so that a change which is not a number is the largest
    if (!(fabs(change) <= largest)) {
      largest = fabs(change);
      *joint = model->body[model->v_body[prediction->velocity[k]]].joint;
    }
  }
  return largest;
}
