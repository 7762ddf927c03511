// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "model/data.h"
#include "model/joint_table.h"
#include "run/sim.h"
#include "spatial/spatial.h"
#include "spatial/vec3_array.h"

/* A check of the momenta that nothing changes. Energy does not show a body that loses its way: 1 J
 * of translation is nothing beside 500 J of spin. Bodies on a free joint, and all that hangs on
 * them, are a group; springs and other pairs of opposite forces join groups. Of a group that
 * nothing else acts on
 *   P(t) = P(0) + m g (t - t0),   L about the centre of mass = L(0)                          (E1)
 * by bodies i with P*_i = I_i V_i = (n_i, f_i) about their origins p_i, in world axes:
 *   P = sum f_i,   c = sum (m_i p_i + h_i) / m,   L = sum n_i' + (p_i - c) x f_i'            (E2)
 * where ' is of velocities less P / m: L does not see the velocity of the whole. A change counts as
 * drift when it is more than PART of |P| (|L|), or of INNER times the sum of the magnitudes in (E2)
 * where the whole is nearly at rest, or of FLOOR sqrt(2 m K) (times a length): rounding. Methods
 * whose velocities are those of the middle of a step are behind by m g h / 2.
 * What a program pushes, or a contact once it has closed, is not watched from there on. */

static const double PART = 0.01, INNER = 0.1, FLOOR = 1e-6;

enum { SUMS = 8 }; // of a group: P, m c, and sums of magnitudes of f and of L's terms

/* ---- which groups there are ---- */

/* The groups being found: root of each body's tree, trees that are tied together, and held ones. */
typedef struct {
  const cardan_model *model;
  int *tie;   // nbody: another tree of the same group, itself at the end; body 0: the world
  bool *held; // nbody, by root
} finder;

static int tree_of(const cardan_model *model, int body)
{
  while (body > 0 && model->body[body].parent > 0) {
    body = model->body[body].parent;
  }
  return body;
}

static int group_of(const finder *f, int body)
{
  int root = tree_of(f->model, body);
  while (f->tie[root] != root) {
    root = f->tie[root];
  }
  return root;
}

/* A force between two bodies joins their groups; the lower root, the world's if it is one of them,
 * is that of the joined group. */
static void join_groups(finder *f, int a, int b)
{
  const int x = group_of(f, a), y = group_of(f, b);
  f->tie[x > y ? x : y] = x > y ? y : x;
}

static void join_frames(finder *f, const int *frame, int n)
{
  for (int k = 1; k < n; k++) {
    if (frame[0] >= 0 && frame[k] >= 0) {
      join_groups(f, f->model->frame[frame[0]].body, f->model->frame[frame[k]].body);
    }
  }
}

static void hold_all(finder *f)
{
  memset(f->held, 1, (size_t)f->model->nbody * sizeof *f->held);
}

/* A force on a velocity: of a joint within a tree it is one between two bodies of it. */
static void load_joint(finder *f, int body)
{
  if (f->model->body[body].parent == 0) {
    f->held[body] = true;
  }
}

static void add_force(finder *f, const cardan_force_element *e)
{
  const cardan_model *model = f->model;
  switch (e->kind) {
  case CARDAN_ELEMENT_SPRING:
  case CARDAN_ELEMENT_NEWTON_GRAVITY:
  case CARDAN_ELEMENT_DAMPER:
  case CARDAN_ELEMENT_FORCE:
  case CARDAN_ELEMENT_BUSHING:
  case CARDAN_ELEMENT_BUSHING_COUPLING:
  case CARDAN_ELEMENT_BUSHING_DAMPER:
  case CARDAN_ELEMENT_TYRE:
    join_frames(f, e->frame, 2);
    return;
  case CARDAN_ELEMENT_WRENCH:
    f->held[tree_of(model, model->frame[e->frame[0]].body)] = true;
    return;
  case CARDAN_ELEMENT_JOINT_SPRING:
  case CARDAN_ELEMENT_TORQUE:
  case CARDAN_ELEMENT_ACTUATOR:
  case CARDAN_ELEMENT_DAMPING:
  case CARDAN_ELEMENT_FRICTION:
  case CARDAN_ELEMENT_DRY_FRICTION:
    if (e->dof >= 0) {
      load_joint(f, model->v_body[e->dof]);
    } else if (e->var >= 0) {
      load_joint(f, model->q_body[e->var]);
    } else {
      hold_all(f);
    }
    return;
  default: // expressions of whatever there is, and programs
    hold_all(f);
  }
}

/* A row of a constraint or a bound; a point-constraint turns the frame that its normal is in. */
static void add_row(finder *f, const cardan_row *row, cardan_element_kind kind)
{
  const cardan_model *model = f->model;
  const int *var = row->var;
  if (kind == CARDAN_ELEMENT_EQUATION || kind == CARDAN_ELEMENT_INEQUALITY ||
      kind == CARDAN_ELEMENT_VELOCITY) {
    hold_all(f);
    return;
  }
  join_frames(f, row->frame, kind == CARDAN_ELEMENT_POINT ? 3 : 2);
  for (int k = 0; k < 2; k++) {
    if (var[k] >= 0) {
      load_joint(f, model->q_body[var[k]]);
      join_groups(f, model->q_body[var[0] >= 0 ? var[0] : var[k]], model->q_body[var[k]]);
    }
  }
}

static void find(finder *f)
{
  const cardan_model *model = f->model;
  for (int i = 0; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    f->tie[i] = i;
    f->held[i] = b->parent != 0 || i == 0 || cardan__quat_of(b->nq, b->nv) != 3 ||
                 (b->flags & CARDAN_LINK_KINEMATIC);
  }
  for (int i = 0; i < model->nforce; i++) {
    add_force(f, &model->force[i]);
  }
  for (int i = 0; i < model->nconstraint; i++) {
    const cardan_constraint *c = &model->constraint[i];
    for (int r = c->row; r < c->row + c->nrow; r++) {
      add_row(f, &model->row[r], c->kind);
    }
  }
  for (int i = 0; i < model->nbound; i++) {
    add_row(f, &model->bound_row[model->bound[i].row], model->bound[i].kind);
  }
  for (int i = 1; i < model->nbody; i++) { // what holds one holds all that is tied to it
    f->held[group_of(f, i)] |= model->body[i].parent == 0 && f->held[i];
  }
}

/* Memory, its sizes by the model; groups are counted later. */
typedef struct {
  finder f;
  cardan__momenta_watch *w;
} parts;

static void layout(void *what, cardan__carver *c)
{
  parts *p = what;
  const size_t n = (size_t)p->f.model->nbody;
  p->f.tie = CARDAN__CARVE(c, n, int);
  p->f.held = CARDAN__CARVE(c, n, bool);
  p->w->group = CARDAN__CARVE(c, n, int);
  p->w->root = CARDAN__CARVE(c, n, int);
  p->w->touches = CARDAN__CARVE(c, n, bool);
  p->w->mass = CARDAN__CARVE(c, n, double);
  p->w->sum = CARDAN__CARVE(c, SUMS * n, double);
  p->w->at = CARDAN__CARVE(c, n, cardan__floating_momenta);
}

static void number_groups(const finder *f, cardan__momenta_watch *w)
{
  const cardan_model *model = f->model;
  for (int i = 0; i < model->nbody; i++) {
    const int root = group_of(f, i);
    w->group[i] = -1;
    if (!f->held[root] && i == root) {
      w->touches[w->n] = false;
      w->root[w->n] = i;
      w->group[i] = w->n++;
    } else if (!f->held[root]) {
      w->group[i] = w->group[root];
    }
  }
  for (int i = 0; i < model->npair && w->n > 0; i++) {
    const int a = w->group[model->solid[model->pair[i].solid[0]].body];
    const int b = w->group[model->solid[model->pair[i].solid[1]].body];
    for (int side = 0; side < 2 && a != b; side++) {
      const int g = side == 0 ? a : b;
      if (g >= 0) {
        w->touches[g] = true;
      }
    }
  }
}

static bool has_floating(const cardan_model *model)
{
  bool found = false;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    found = found || (b->parent == 0 && cardan__quat_of(b->nq, b->nv) == 3);
  }
  return found;
}

cardan_status cardan__watch_momenta_create(cardan_sim *sim)
{
  cardan__momenta_watch *w = &sim->momenta;
  parts p = {.f = {.model = sim->model}, .w = w};
  if (!has_floating(sim->model)) {
    return CARDAN_OK;
  }
  w->block = cardan__carve_block(&sim->allocator, layout, &p);
  if (w->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  find(&p.f);
  number_groups(&p.f, w);
  cardan__watch_momenta_restart(sim);
  return CARDAN_OK;
}

void cardan__watch_momenta_destroy(cardan_sim *sim)
{
  cardan__resize(&sim->allocator, sim->momenta.block, 0);
}

void cardan__watch_momenta_restart(cardan_sim *sim)
{
  for (int g = 0; g < sim->momenta.n; g++) {
    sim->momenta.at[g] = (cardan__floating_momenta){.t0 = NAN};
  }
}

/* ---- what a program does ---- */

void cardan__watch_momenta_pushed(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const cardan_data *data = sim->data;
  cardan__momenta_watch *w = &sim->momenta;
  if (w->n == 0 || !cardan__inputs_push(model, data->tau_in, data->f_in)) {
    return;
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force f = data->f_in[i];
    const double *tau = data->tau_in + model->body[i].vadr;
    bool pushed = f.f.x != 0 || f.f.y != 0 || f.f.z != 0 || f.t.x != 0 || f.t.y != 0 || f.t.z != 0;
    for (int k = 0; model->body[i].parent == 0 && k < model->body[i].nv; k++) {
      pushed = pushed || tau[k] != 0;
    }
    if (pushed && w->group[i] >= 0) {
      w->at[w->group[i]].t0 = HUGE_VAL;
    }
  }
}

/* ---- the check ---- */

static void add3(double *to, cardan_vec3 a)
{
  to[0] += a.x;
  to[1] += a.y;
  to[2] += a.z;
}

static double length(cardan_vec3 a)
{
  return sqrt(cardan__vec3_dot(a, a));
}

/* P, m c (from the root's place), mass and the sum of |f_i| of every group. */
static void sum_linear(const cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const cardan_data *data = sim->data;
  const cardan__momenta_watch *w = &sim->momenta;
  memset(w->mass, 0, (size_t)w->n * sizeof *w->mass);
  memset(w->sum, 0, SUMS * (size_t)w->n * sizeof *w->sum);
  for (int i = 1; i < model->nbody; i++) {
    const int g = w->group[i];
    if (g >= 0) {
      const cardan_inertia *I = &model->body[i].inertia;
      const cardan_xform *X = &data->X_W[i];
      const cardan_vec3 f = cardan__mat3_mulv(&X->R, cardan__inertia_mul(I, data->V[i]).f);
      const cardan_vec3 arm = cardan__vec3_sub(X->p, data->X_W[w->root[g]].p);
      double *sum = w->sum + SUMS * g;
      add3(sum, f);
      add3(sum + 3, cardan__vec3_axpy(I->m, arm, cardan__mat3_mulv(&X->R, I->h)));
      sum[6] += length(f);
      w->mass[g] += I->m;
    }
  }
}

/* L of group g, and the sum of the magnitudes of its terms. */
static cardan_vec3 sum_angular(const cardan_sim *sim, int g, double *magnitude)
{
  const cardan_model *model = sim->model;
  const cardan_data *data = sim->data;
  const cardan__momenta_watch *w = &sim->momenta;
  const double over = w->mass[g] > 0 ? 1 / w->mass[g] : 0, *sum = w->sum + SUMS * g;
  const cardan_vec3 mean = cardan__vec3_scale(over, cardan__vec3_of(sum));
  const cardan_vec3 c = cardan__vec3_axpy(over, cardan__vec3_of(sum + 3), data->X_W[w->root[g]].p);
  cardan_vec3 L = {0, 0, 0};
  *magnitude = 0;
  for (int i = w->root[g]; i < model->nbody; i++) {
    if (w->group[i] == g) {
      const cardan_xform *X = &data->X_W[i];
      cardan_twist V = data->V[i];
      V.v = cardan__vec3_sub(V.v, cardan__mat3_tmulv(&X->R, mean));
      const cardan_force P = cardan__inertia_mul(&model->body[i].inertia, V);
      const cardan_vec3 arm =
          cardan__vec3_cross(cardan__vec3_sub(X->p, c), cardan__mat3_mulv(&X->R, P.f));
      const cardan_vec3 part = cardan__vec3_add(cardan__mat3_mulv(&X->R, P.t), arm);
      L = cardan__vec3_add(L, part);
      *magnitude += length(part);
    }
  }
  return L;
}

/* Keeps the largest change. */
static void keep_largest(double change, double size, double t, double *off, double *size_most,
                         double *t_off)
{
  *size_most = fmax(*size_most, size);
  if (change > *off) {
    *off = change;
    *t_off = t;
  }
}

static void check(cardan_sim *sim, int g, double kinetic)
{
  const cardan_model *model = sim->model;
  const cardan__momenta_watch *w = &sim->momenta;
  cardan__floating_momenta *at = &w->at[g];
  const double t = sim->data->t, m = w->mass[g], *sum = w->sum + SUMS * g;
  const double still = FLOOR * sqrt(2 * m * fmax(kinetic, 0));
  const double span = model->size_length > 0 ? model->size_length : 1;
  const cardan_vec3 P = cardan__vec3_of(sum);
  double terms;
  const cardan_vec3 L = sum_angular(sim, g, &terms);
  if (isnan(at->t0)) {
    at->t0 = t;
    memcpy(at->P, &P, sizeof at->P);
    memcpy(at->L, &L, sizeof at->L);
  }
  const cardan_vec3 expected =
      cardan__vec3_axpy(m * (t - at->t0), model->gravity, cardan__vec3_of(at->P));
  const double late =
      sim->stepper->method->nodal != NULL ? m * length(model->gravity) * sim->options.dt : 0;
  const double change = fmax(length(cardan__vec3_sub(P, expected)) - late, 0);
  keep_largest(change, fmax(length(expected), INNER * sum[6]) + still, t, &at->off_P, &at->size_P,
               &at->t_P);
  keep_largest(length(cardan__vec3_sub(L, cardan__vec3_of(at->L))),
               fmax(length(cardan__vec3_of(at->L)), INNER * terms) + still * span, t, &at->off_L,
               &at->size_L, &at->t_L);
}

void cardan__watch_momenta(cardan_sim *sim)
{
  const cardan__momenta_watch *w = &sim->momenta;
  const bool touched = sim->contacts != NULL && cardan__contacts_touch(sim->contacts) &&
                       (sim->stats.contact.closed > 0 || sim->stats.contact.solves > 0 ||
                        sim->stats.contact.impacts > 0);
  if (w->n == 0) {
    return;
  }
  cardan__watch_momenta_pushed(sim);
  sum_linear(sim);
  for (int g = 0; g < w->n; g++) {
    if (touched && w->touches[g]) {
      w->at[g].t0 = HUGE_VAL;
    }
    if (!isinf(w->at[g].t0)) {
      check(sim, g, sim->seen.kinetic);
    }
  }
}

/* The group whose momentum changed by the largest part; angular: which of them. */
static int worst(const cardan__momenta_watch *w, bool *angular)
{
  int found = -1;
  double most = PART;
  for (int g = 0; g < w->n; g++) {
    const cardan__floating_momenta *at = &w->at[g];
    for (int k = 0; k < 2; k++) {
      const double off = k == 0 ? at->off_P : at->off_L, size = k == 0 ? at->size_P : at->size_L;
      if (!isinf(at->t0) && off > most * size) {
        most = off / size;
        *angular = k == 1;
        found = g;
      }
    }
  }
  return found;
}

void cardan__watch_momenta_end(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  bool angular = false;
  const int g = worst(&sim->momenta, &angular);
  if (g < 0 || sim->watch.momentum_reported) {
    return;
  }
  const cardan__floating_momenta *at = &sim->momenta.at[g];
  const char *name = model->joint[model->body[sim->momenta.root[g]].joint].name;
  sim->watch.momentum_reported = true;
  snprintf(
      sim->watch_text + used, size - used,
      "%sthe %s momentum of \"%.60s\", which no force changes, is off by %.3g of %.3g %s at t = "
      "%.6g: the steps are long for its motion; try %s",
      used > 0 ? "; " : "", angular ? "angular" : "linear", name, angular ? at->off_L : at->off_P,
      angular ? at->size_L : at->size_P, angular ? "N m s" : "N s", angular ? at->t_L : at->t_P,
      cardan__sim_adaptive(sim) ? "a smaller option rtol and option atol" : "a smaller dt");
}
